//phase:caller
package engines

import (
	"bytes"
	"context"
	"slices"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/stock"
)

// bare is json-gold without a guard, with the two further methods that selective disclosure needs.
type bare interface {
	canon.Canonicalizer
	canon.Expander
}

var (
	_ canon.Expander = (*guarded)(nil)
	_ canon.Guard    = (*guarded)(nil)
)

// guarded is json-gold behind its guard. It returns a form only if [stock.Guard] finds no fault and the
// form equals that of the native engine. It refuses a document with losses even if Options.Lossy is true.
type guarded struct {
	bare
	engine canon.Engine
	native *nativeRDFC
	loader jsonld.Loader
}

// Canonicalize ends when the time of the operation or the context ends. json-gold cannot be stopped and is
// left running then; it works on copies of the document and the form.
func (e *guarded) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	limit := opt.Limits.WithDefaults().Time
	if limit < 0 {
		return e.canonicalize(ctx, doc, opt)
	}
	type answer struct {
		form *canon.Form
		err  error
	}
	done := make(chan answer, 1)
	doc = bytes.Clone(doc)
	opt.Into = nil
	go func() {
		form, err := e.canonicalize(ctx, doc, opt)
		done <- answer{form, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-done:
		return a.form, a.err
	case <-ctx.Done():
		return nil, &canon.LimitError{Limit: "time", Err: ctx.Err(),
			Where: string(e.engine) + ", which is still running"}
	case <-timer.C:
		return nil, &canon.LimitError{Limit: "time", Max: int64(limit), Done: int64(limit),
			Where: string(e.engine) + ", which is still running"}
	}
}

func (e *guarded) canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if err := stock.Guard(ctx, doc, opt, e.loader); err != nil {
		return nil, err
	}
	form, err := e.bare.Canonicalize(ctx, doc, opt)
	if err != nil {
		return nil, err
	}
	if err := e.compare(ctx, doc, opt, form.Text); err != nil {
		return nil, err
	}
	return form, nil
}

// Guard returns an error if json-gold would canonicalize a document wrongly. Expand and ToNQuads have no
// guard, since selective disclosure calls them for other documents as well; it calls Guard first.
func (e *guarded) Guard(ctx context.Context, doc []byte, opt canon.Options) error {
	opt.Into = nil
	_, err := e.Canonicalize(ctx, doc, opt)
	return err
}

// compare refuses a form that differs from that of the native engine. If RDFC-1.0 allows the document more
// than one form, they may differ in the labels of blank nodes.
func (e *guarded) compare(ctx context.Context, doc []byte, opt canon.Options, text []byte) error {
	opt = canon.Options{Input: opt.Input, Hash: opt.Hash, Limits: opt.Limits, Direction: opt.Direction}
	want, err := e.native.Canonicalize(ctx, doc, opt)
	if err != nil || bytes.Equal(text, want.Text) {
		return err
	}
	tied, err := Undetermined(ctx, doc, opt, e.loader)
	if err != nil {
		return err
	}
	if len(tied) == 0 || !slices.EqualFunc(rdf.Unlabelled(text), rdf.Unlabelled(want.Text), bytes.Equal) {
		return &canon.UnsupportedError{Engine: string(e.engine),
			What: "this document: its form differs from that of the native engine"}
	}
	return nil
}
