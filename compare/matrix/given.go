//phase:caller
package matrix

import (
	"context"
	"errors"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
)

// Generator returns that of a schema: of a document that was given, or of the catalogue.
func Generator(schema string, given compare.Given) (schemas.Generator, error) {
	if doc, ok := given.Documents[schema]; ok {
		return catalogue.OfFile(schema, doc)
	}
	if _, named := schemas.FileTitle(schema); catalogue.IsFile(schema) && !named {
		return nil, fmt.Errorf("schema %q is a path; read it with catalogue.ReadFile and give its bytes",
			schema)
	}
	return catalogue.Get(schema)
}

// Loader returns a loader that finds contexts among those that were given, then among those that are built in
// and those of experiments.
func Loader(given compare.Given) jsonld.Loader {
	return contexts.Chain(contexts.Given(given.Contexts), contexts.Experiments())
}

// Check returns an error if a document that was given cannot be read by a method that would canonicalize it:
// N-Quads that are malformed or hold no statement, JSON-LD that no processor accepts or whose contexts are
// not found.
func (s *Selection) Check(ctx context.Context) error {
	checked := make(map[string]bool)
	for _, e := range s.Entries {
		schema := e.Cell.Schema
		doc, ok := s.given.Documents[schema]
		if !ok || checked[schema] || e.Unsupported != nil || e.method() != canon.RDFC {
			continue
		}
		checked[schema] = true
		g, err := catalogue.OfFile(schema, doc)
		if err != nil {
			return err
		}
		c, err := g.Document(0, 0)
		if err != nil {
			return err
		}
		if err := readable(ctx, c, s.given); err != nil {
			title, _ := schemas.FileTitle(schema)
			return fmt.Errorf("%s: %w", title, err)
		}
	}
	return nil
}

// method is the method that canonicalizes documents of the entry; "" for one that canonicalizes none.
func (e *Entry) method() canon.Method {
	f, err := find(e.Cell)
	if err != nil || f.format.Name == compare.Floor {
		return ""
	}
	return f.suite.Method
}

// readable returns why RDFC-1.0 cannot read a document. What it would lose is for the gate.
func readable(ctx context.Context, c *schemas.Credential, given compare.Given) error {
	var d rdf.Dataset
	if c.Kind == schemas.NQuads {
		if err := d.ParseNQuads(c.VCDM, measure.Limits); err != nil {
			return err
		}
		if len(d.Quads) == 0 {
			return errors.New("it holds no statement")
		}
		return nil
	}
	var losses []canon.Loss
	p := jsonld.New(jsonld.Config{Loader: Loader(given), State: jsonld.Embedded})
	return p.ToRDF(ctx, c.VCDM, jsonld.Options{Lossy: true, Losses: &losses, Limits: measure.Limits}, &d)
}
