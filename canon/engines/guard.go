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

// bare is json-gold without a guard, with the two ways into it that selective disclosure takes.
type bare interface {
	canon.Canonicalizer
	canon.Expander
}

var (
	_ canon.Expander = (*guarded)(nil)
	_ canon.Guard    = (*guarded)(nil)
)

// guarded is json-gold behind its guard: it answers only where [stock.Guard] finds nothing and where the very answer says
// what the native engine says of the document. It refuses what it would lose, whatever Options.Lossy says.
type guarded struct {
	bare
	engine canon.Engine
	native *nativeRDFC
	loader jsonld.Loader
}

// Canonicalize ends with the time of the operation or the context, though json-gold asks for neither: it is left running then,
// with a document and a form of its own.
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
		return nil, &canon.LimitError{Limit: "time", Err: ctx.Err(), Where: string(e.engine) + ", which is still running"}
	case <-timer.C:
		return nil, &canon.LimitError{Limit: "time", Max: int64(limit), Done: int64(limit), Where: string(e.engine) + ", which is still running"}
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

// Guard returns an error if json-gold would get a document wrong. Expand and ToNQuads are json-gold's own, since selective
// disclosure asks for more than the document there; it asks for the guard first.
func (e *guarded) Guard(ctx context.Context, doc []byte, opt canon.Options) error {
	opt.Into = nil
	_, err := e.Canonicalize(ctx, doc, opt)
	return err
}

// compare refuses a form of a document that is not the native engine's. Where RDFC-1.0 allows a document several forms, they
// may differ in the labels of blank nodes.
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
	if len(tied) == 0 || !slices.EqualFunc(unlabelled(text), unlabelled(want.Text), bytes.Equal) {
		return &canon.UnsupportedError{Engine: string(e.engine), What: "this document: its form is not that of the native engine"}
	}
	return nil
}

// unlabelled returns the lines of a form with one label for all blank nodes, sorted; nil if they are no N-Quads.
func unlabelled(text []byte) [][]byte {
	var d rdf.Dataset
	if d.ParseNQuads(text, canon.Limits{Bytes: max(1, len(text))}) != nil {
		return nil
	}
	for i := range d.Terms {
		if d.Terms[i].Kind == rdf.Blank {
			d.Terms[i].Text = []byte("_:b")
		}
	}
	lines := slices.Collect(bytes.Lines(d.AppendNQuads(nil)))
	slices.SortFunc(lines, bytes.Compare)
	return lines
}
