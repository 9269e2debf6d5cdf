package stock

import (
	"context"
	"fmt"

	peer "github.com/gowebpki/jcs"

	"canonscope/canon"
	"canonscope/canon/phase"
)

type jcs struct{}

// JCS returns gowebpki/jcs as shipped. It tells no numbers that it changed.
func JCS() canon.Canonicalizer { return jcs{} }

func (jcs) Canonicalize(_ context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if opt.Input == canon.NQuads {
		return nil, &canon.UnsupportedError{Engine: "gowebpki/jcs", What: "N-Quads"}
	}
	if err := tooLarge(doc, opt.Limits); err != nil {
		return nil, err
	}
	mark := opt.Recorder.Begin()
	text, err := peer.Transform(doc)
	if err != nil {
		return nil, fmt.Errorf("gowebpki/jcs: %w", err)
	}
	opt.Recorder.End(phase.JCS, mark, len(text))
	form := opt.Target()
	form.Text = text
	return form, nil
}

func tooLarge(doc []byte, limits canon.Limits) error {
	if limit := limits.WithDefaults().Bytes; len(doc) > limit {
		return &canon.LimitError{Limit: "bytes", Max: int64(limit), Done: int64(len(doc))}
	}
	return nil
}
