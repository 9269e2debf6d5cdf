// Package explain answers which part of a credential costs most, and why. [Count] counts exactly, [Measure]
// measures the document without each of its dearest parts, [Advise] measures documents changed for speed,
// [Diff] compares two reports; [Text], [HTML] and [Profile] show one. The package is above compare/matrix,
// whose engines it measures; what counts is schemas/charge, which knows neither engines nor time.
//
//phase:caller
package explain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/schemas"
	"canonscope/schemas/charge"
)

// Version of [Report].
const Version = 1

// Report is what is known of a document.
type Report struct {
	Version  int    `json:"version"`
	Document string `json:"document"` // name in the catalogue, or of a file
	SHA256   string `json:"sha256"`   // of what is explained: a credential without its proof
	Bytes    int    `json:"bytes"`

	charge.Account
	Costs    []Cost   `json:"costs,omitempty"` // one an engine
	Tried    int      `json:"tried,omitempty"` // changed documents that were measured
	Advice   []Advice `json:"advice,omitempty"`
	Without  []Advice `json:"without_gain,omitempty"` // changes that are not shown to cost less
	Warnings []string `json:"warnings,omitempty"`
}

// Document is a document to explain.
type Document struct {
	Name  string // of its file or in the catalogue
	JSON  []byte // without the proof
	Given compare.Given
}

// Read returns the document of a schema: one that was given, or the first of the catalogue.
func Read(schema string, given compare.Given) (*Document, error) {
	g, err := matrix.Generator(schema, given)
	if err != nil {
		return nil, err
	}
	switch g.Kind() {
	case schemas.NQuads, schemas.JSON:
		return nil, fmt.Errorf("%s is not JSON-LD: explain charges quads to the JSON that states them",
			g.Describe())
	}
	c, err := g.Document(1, 0)
	if err != nil {
		return nil, err
	}
	name := schema
	if title, ok := schemas.FileTitle(schema); ok {
		name = title
	}
	return &Document{Name: name, JSON: c.VCDM, Given: given}, nil
}

// Count counts what the document costs and where.
func Count(ctx context.Context, d *Document, limits canon.Limits) (*Report, error) {
	a, err := charge.Document(ctx, d.JSON, charge.Options{Loader: matrix.Loader(d.Given), Limits: limits})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	sum := sha256.Sum256(d.JSON)
	return &Report{Version: Version, Document: d.Name, SHA256: hex.EncodeToString(sum[:]), Bytes: len(d.JSON),
		Account: *a}, nil
}
