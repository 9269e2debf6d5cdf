//phase:caller
package stock

import (
	"context"
	"encoding/json"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
)

var (
	_ canon.Expander = (*rdfc)(nil)
	_ canon.Expander = (*tuned)(nil)
)

// Expand implements [canon.Expander].
func (e *rdfc) Expand(ctx context.Context, doc []byte, opt canon.Options) ([]byte, error) {
	return expand(ctx, e.cache, doc, opt)
}

// ToNQuads implements [canon.Expander].
func (e *rdfc) ToNQuads(ctx context.Context, doc []byte, opt canon.Options) ([]byte, error) {
	return toNQuads(ctx, e.cache, doc, opt)
}

// Expand implements [canon.Expander].
func (e *tuned) Expand(ctx context.Context, doc []byte, opt canon.Options) ([]byte, error) {
	return expand(ctx, e.cache, doc, opt)
}

// ToNQuads implements [canon.Expander].
func (e *tuned) ToNQuads(ctx context.Context, doc []byte, opt canon.Options) ([]byte, error) {
	return toNQuads(ctx, e.cache, doc, opt)
}

func expand(ctx context.Context, c *cache, doc []byte, opt canon.Options) (out []byte, err error) {
	defer recovered(&err)
	call := newCall(ctx, c, opt)
	input, err := call.parse(doc)
	if err != nil {
		return nil, err
	}
	expanded, err := ld.NewJsonLdProcessor().Expand(input, call.options())
	if err != nil {
		return nil, call.loader.cause(err)
	}
	return json.Marshal(expanded)
}

func toNQuads(ctx context.Context, c *cache, doc []byte, opt canon.Options) (out []byte, err error) {
	defer recovered(&err)
	call := newCall(ctx, c, opt)
	input, err := call.parse(doc)
	if err != nil {
		return nil, err
	}
	dataset, err := call.toRDF(input)
	if err != nil {
		return nil, call.loader.cause(err)
	}
	text, err := new(ld.NQuadRDFSerializer).Serialize(dataset)
	if err != nil {
		return nil, err
	}
	return []byte(text.(string)), nil
}
