package foreign

import (
	"context"
	"fmt"
	"slices"

	"canonscope/canon"
	"canonscope/canon/engines"
)

// toRDF is the operation of suite rdfc that makes N-Quads of JSON-LD. An engine that has it and not canonize
// is one of JSON-LD alone: its quads are canonicalized by the native engine.
const toRDF = "to-rdf"

// QuadsAlone reports whether the RDFC-1.0 of the engine is that of the native engine.
func (e *Engine) QuadsAlone(ctx context.Context) (bool, error) {
	hello, _, err := e.Hello(ctx)
	if err != nil {
		return false, err
	}
	can := func(operation string) bool {
		return slices.ContainsFunc(hello.Can, func(a Ability) bool {
			return a.Suite == string(canon.RDFC) && slices.Contains(a.Operations, operation)
		})
	}
	return can(toRDF) && !can(canonize), nil
}

// ofQuads makes the canonical form of the quads that an engine made.
func (c *Canonicalizer) ofQuads(ctx context.Context, quads []byte, opt canon.Options) (*canon.Form, error) {
	native, err := engines.New(canon.Native, canon.RDFC, engines.Config{})
	if err != nil {
		return nil, err
	}
	opt.Input = canon.NQuads
	form, err := native.Canonicalize(ctx, quads, opt)
	if err != nil {
		return nil, fmt.Errorf("quads of %s: %w", c.command.Engine, err)
	}
	return form, nil
}
