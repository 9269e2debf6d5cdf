// Package document is the format document: documents that are canonicalized and nothing else. Its one
// operation is canonize, from the bytes of a document to its canonical form. Call [NewFormat].
//
//phase:caller
package document

import (
	"context"
	"errors"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/schemas"
)

// Definition is the format.
var Definition = &compare.Definition{
	Name: compare.Document,
	Suites: []compare.Suite{
		{Name: string(canon.RDFC), Algorithms: []compare.Algorithm{compare.NoAlgorithm}, Method: canon.RDFC},
		{Name: string(canon.JCS), Algorithms: []compare.Algorithm{compare.NoAlgorithm}, Method: canon.JCS},
	},
	Operations: []compare.Operation{compare.Canonize},
	Prepares: func(c compare.Cell, canonicalizer canon.Canonicalizer) (compare.Preparer, error) {
		return NewFormat(canonicalizer, canon.Method(c.Suite))
	},
}

// NewFormat returns the format document over a canonicalizer of a method.
func NewFormat(c canon.Canonicalizer, method canon.Method) (compare.Preparer, error) {
	if c == nil {
		return nil, errors.New("the format document needs a canonicalizer: make one with engines.New")
	}
	return format{c, method}, nil
}

type format struct {
	canon  canon.Canonicalizer
	method canon.Method
}

// Prepare implements [compare.Preparer]. A document that the method cannot read is a
// [*canon.UnsupportedError].
func (f format) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	if c == nil {
		return nil, errors.New("there is no document")
	}
	input := c.Kind.Input()
	if f.method == canon.JCS {
		input = canon.JSON
	}

	if s.Deadline > 0 {
		s.Limits.Time = s.Deadline
	}
	counters := &compare.Counters{}
	var form canon.Form
	return compare.Canonizing(counters, func() ([]byte, error) {
		counters.Canonicalizations++
		opt := canon.Options{Input: input, Limits: s.Limits, Into: &form}
		if _, err := f.canon.Canonicalize(context.Background(), c.VCDM, opt); err != nil {
			return nil, err
		}
		return form.Text, nil
	}), nil
}
