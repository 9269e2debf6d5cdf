package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/stock"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/contexts"
)

// canonicalizer makes an engine for a method over the embedded contexts.
func canonicalizer(engine string, m canon.Method) (canon.Canonicalizer, error) {
	return engines.New(engine, m, engines.Config{Loader: contexts.Embedded()})
}

// check returns what a gate looks at behind the exchange; nil for a family that canonicalizes nothing. Every other engine
// of the method must give the same form: an engine under test is not its own oracle.
func (f *family) check() func(context.Context, *schemas.Credential) (measure.Form, error) {
	if f.method == "" {
		return nil
	}
	opt := canon.Options{}
	if f.algorithm == "ES384" {
		opt.Hash = canon.SHA384
	}
	var under canon.Canonicalizer
	others := make(map[string]canon.Canonicalizer)
	var names []string
	for _, name := range engines.Names {
		c, err := canonicalizer(name, f.method)
		switch {
		case err != nil:
		case name == f.engine:
			under = c
		default:
			others[name] = c
			names = append(names, name)
		}
	}
	return func(ctx context.Context, c *schemas.Credential) (measure.Form, error) {
		if f.method == canon.RDFC && f.engine != engines.Native {
			if err := stock.Guard(ctx, c.VCDM, opt, contexts.Embedded()); err != nil {
				return measure.Form{}, fmt.Errorf("json-gold would get it wrong: %w", err)
			}
		}
		form, err := under.Canonicalize(ctx, c.VCDM, opt)
		if err != nil {
			return measure.Form{}, err
		}
		if len(form.Text) == 0 || f.method == canon.RDFC && form.Lines == 0 {
			return measure.Form{}, errors.New("it is empty")
		}
		var compared []string
		for _, name := range names {
			other, err := others[name].Canonicalize(ctx, c.VCDM, opt)
			if err != nil {
				continue
			}
			if !bytes.Equal(form.Text, other.Text) {
				return measure.Form{}, fmt.Errorf("engine %s gives another form", name)
			}
			compared = append(compared, name)
		}
		return measure.Form{Quads: form.Lines, Oracle: strings.Join(compared, " and ")}, nil
	}
}
