package vcdm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jcs"
	"canonscope/canon/jsonld"
	"canonscope/canon/stock"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"

	"github.com/piprate/json-gold/ld"
)

// gold is json-gold as a canonicalizer for tests: RDFC-1.0 with SHA-256.
type gold struct {
	vcdm.Expander
	loader jsonld.Loader
}

func (g gold) LoadDocument(u string) (*ld.RemoteDocument, error) {
	d, err := g.loader.Load(context.Background(), u)
	if err != nil {
		return nil, ld.NewJsonLdError(ld.LoadingDocumentFailed, err)
	}
	var v any
	if err := json.Unmarshal(d.Bytes, &v); err != nil {
		return nil, err
	}
	return &ld.RemoteDocument{DocumentURL: u, Document: v}, nil
}

func (g gold) Canonicalize(_ context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if opt.Hash == canon.SHA384 {
		return nil, &canon.UnsupportedError{Engine: "json-gold", What: "SHA-384"}
	}
	if opt.Input == canon.NQuads {
		return stock.RDFC(g.loader).Canonicalize(context.Background(), doc, opt)
	}
	v, err := ld.DocumentFromReader(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	o := ld.NewJsonLdOptions("")
	o.Algorithm, o.Format, o.SafeMode, o.DocumentLoader = ld.AlgorithmURDNA2015, "application/n-quads", true, g
	text, err := ld.NewJsonLdProcessor().Normalize(v, o)
	if err != nil {
		if strings.Contains(err.Error(), "invalid property") {
			err = &canon.LossError{Losses: []canon.Loss{{Reason: err.Error()}}}
		}
		return nil, err
	}
	s := text.(string)
	return &canon.Form{Text: []byte(s), Lines: strings.Count(s, "\n")}, nil
}

// plainJCS is RFC 8785 as a canonicalizer.
type plainJCS struct{}

func (plainJCS) Canonicalize(_ context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	b, _, err := jcs.Transform(nil, doc, jcs.Options{})
	return &canon.Form{Text: b}, err
}

// loader serves the official contexts.
func loader(t testing.TB) jsonld.Loader {
	l, err := contexts.Dir(official.Dir(t, "contexts"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newGold(t testing.TB) gold {
	l := loader(t)
	return gold{stock.RDFC(l).(vcdm.Expander), l}
}
