package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/canon/stock"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/contexts"
)

// canonicalizer makes an engine for a method over the embedded contexts, which it finds in the given state.
func canonicalizer(engine string, m canon.Method, state jsonld.CacheState) (canon.Canonicalizer, error) {
	return engines.New(engine, m, engines.Config{Loader: contexts.Embedded(), Contexts: state})
}

// check returns what a gate looks at behind the exchange; nil for a family that canonicalizes nothing. An engine under test
// is not its own oracle: native must give the form of stock, every other engine that of native. Native RDFC-1.0 with SHA-384
// stands alone; the official suite is what it is tested by.
func (f *family) check() (func(context.Context, *schemas.Credential) (measure.Form, error), error) {
	if f.method == "" {
		return nil, nil
	}
	opt := canon.Options{}
	oracle := engines.Native
	if f.engine == engines.Native {
		oracle = engines.Stock
	}
	if f.algorithm == "ES384" && f.method == canon.RDFC {
		opt.Hash, oracle = canon.SHA384, ""
	}
	under, err := canonicalizer(f.engine, f.method, cacheStates[f.state])
	if err != nil {
		return nil, err
	}
	var other canon.Canonicalizer
	if oracle != "" {
		if other, err = canonicalizer(oracle, f.method, jsonld.Warm); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, c *schemas.Credential) (measure.Form, error) {
		form, err := under.Canonicalize(ctx, c.VCDM, opt)
		if err != nil {
			return measure.Form{}, err
		}
		if len(form.Text) == 0 || f.method == canon.RDFC && form.Lines == 0 {
			return measure.Form{}, errors.New("it is empty")
		}
		if other == nil {
			return measure.Form{Quads: form.Lines}, nil
		}
		want, err := other.Canonicalize(ctx, c.VCDM, opt)
		if err != nil {
			return measure.Form{}, fmt.Errorf("engine %s: %w", oracle, err)
		}
		if !bytes.Equal(form.Text, want.Text) {
			return measure.Form{}, fmt.Errorf("engine %s gives another form", oracle)
		}
		return measure.Form{Quads: form.Lines, Oracle: oracle}, nil
	}, nil
}

// guard returns what json-gold needs to be asked before it may be trusted with a document; nil for what runs without it.
func (f *family) guard() func(context.Context, *schemas.Credential) error {
	if f.method != canon.RDFC || f.engine == engines.Native {
		return nil
	}
	opt := canon.Options{}
	if f.algorithm == "ES384" {
		opt.Hash = canon.SHA384
	}
	return func(ctx context.Context, c *schemas.Credential) error {
		if err := stock.Guard(ctx, c.VCDM, opt, contexts.Embedded()); err != nil {
			return fmt.Errorf("json-gold would get it wrong: %w", err)
		}
		return nil
	}
}
