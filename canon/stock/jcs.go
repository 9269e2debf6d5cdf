//phase:caller
package stock

import (
	"bytes"
	"context"
	"fmt"

	peer "github.com/gowebpki/jcs"

	"canonscope/canon"
)

type jcs struct{}

// JCS returns gowebpki/jcs as shipped. It does not report numbers that it changes.
func JCS() canon.Canonicalizer { return jcs{} }

func (jcs) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if opt.Input == canon.NQuads {
		return nil, &canon.UnsupportedError{Engine: "gowebpki/jcs", What: "N-Quads"}
	}
	if err := tooLarge(doc, jsonMarks, opt.Limits); err != nil {
		return nil, err
	}
	if err := opt.Alive(ctx); err != nil {
		return nil, err
	}
	text, err := peer.Transform(doc)
	if err != nil {
		return nil, fmt.Errorf("gowebpki/jcs: %w", err)
	}
	form := opt.Target()
	form.Text = text
	return form, nil
}

// perValue is the approximate memory of the libraries for one value of a JSON document or one line of
// N-Quads.
const perValue = 512

const (
	jsonMarks   = ",[{"
	nquadsMarks = "\n"
)

// tooLarge bounds the size and the number of values of a document beforehand, since the libraries have no
// limits. A document has at most one value more than it has characters of marks.
func tooLarge(doc []byte, marks string, limits canon.Limits) error {
	limits = limits.WithDefaults()
	if len(doc) > limits.Bytes {
		return &canon.LimitError{Limit: "bytes", Max: int64(limits.Bytes), Done: int64(len(doc))}
	}
	values := 1
	for _, c := range []byte(marks) {
		values += bytes.Count(doc, []byte{c})
	}
	if size := int64(values) * perValue; size > limits.Memory {
		return &canon.LimitError{Limit: "memory", Max: limits.Memory, Done: size}
	}
	return nil
}
