//phase:caller
package vcdm

import (
	"context"

	"canonscope/canon"
	"canonscope/vcdm/problem"
)

// Selector builds the part of a document that JSON pointers name. It is safe for concurrent use.
type Selector struct {
	Limits canon.Limits // zero fields take their defaults
}

// Select returns the selection of a document (VC-DI-ECDSA 3.4.13, selectJsonLd): what the pointers name
// and, of every object on the way, @context, type and an id that is not a blank node. Members and elements
// keep their order; arrays close up. The pointer "" names the whole document. A pointer that is malformed
// or names nothing is a PROOF_GENERATION_ERROR, and so is an empty list of pointers.
//
//phase:select
func (s Selector) Select(ctx context.Context, doc []byte, pointers []string) ([]byte, error) {
	w := begin(ctx, nil, s.Limits)
	defer w.end()

	d, err := w.parse(doc)
	if err != nil {
		return nil, err
	}
	if len(pointers) == 0 {
		return nil, problem.Generation("", "nothing is selected: give at least one JSON pointer")
	}
	selection := &w.selective.Selection
	if err := selection.Mark(ctx, w.budget, d.Tape, pointers); err != nil {
		return nil, err
	}
	return selection.AppendJSON(make([]byte, 0, len(doc)), d.Tape, 0), nil
}
