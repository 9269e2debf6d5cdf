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

// JCS returns gowebpki/jcs as shipped. It tells no numbers that it changed.
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

// perValue is about what the libraries take in memory for one value of a JSON document, or one line of N-Quads.
const perValue = 512

const (
	jsonMarks   = ",[{"
	nquadsMarks = "\n"
)

// tooLarge bounds size and shape of a document before a library gets it, since no library counts or stops. The characters
// of marks tell how many values it has: at most as many as there are marks, and one.
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
