package engines

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jcs"
	"canonscope/canon/jsonld"
	"canonscope/canon/phase"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// nativeJCS is canon/jcs. A number that the canonical form writes as another is a loss: a *canon.LossError, or with
// Options.Lossy one of Form.Losses.
type nativeJCS struct{}

func (nativeJCS) Canonicalize(_ context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if opt.Input == canon.NQuads {
		return nil, &canon.UnsupportedError{Engine: "jcs", What: "N-Quads"}
	}
	mark := opt.Recorder.Begin()
	form := opt.Target()
	text, warnings, err := jcs.Transform(form.Text, doc, jcs.Options{Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	opt.Recorder.End(phase.JCS, mark, len(text))
	for _, w := range warnings {
		form.Losses = append(form.Losses, canon.Loss{Pointer: w.Pointer, Reason: fmt.Sprintf("the number %s becomes %s: %s", w.Source, w.Canonical, w.Kind)})
	}
	if len(form.Losses) > 0 && !opt.Lossy {
		return nil, &canon.LossError{Losses: slices.Clone(form.Losses)}
	}
	form.Text = text
	return form, nil
}

// nativeRDFC is canon/jsonld, canon/rdf and canon/rdfc.
type nativeRDFC struct {
	docs    *jsonld.Processor
	scratch sync.Pool // of *scratch
}

// scratch is the memory of one canonicalization.
type scratch struct {
	dataset rdf.Dataset
	state   rdfc.State
}

func (e *nativeRDFC) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	s, _ := e.scratch.Get().(*scratch)
	if s == nil {
		s = new(scratch)
	}
	defer e.scratch.Put(s)
	form := opt.Target()
	switch opt.Input {
	case canon.NQuads:
		s.dataset.Reset()
		mark := opt.Recorder.Begin()
		if err := s.dataset.ParseNQuads(doc, opt.Limits); err != nil {
			return nil, err
		}
		opt.Recorder.End(phase.Parse, mark, len(doc))
	case canon.JSONLD, "":
		o := jsonld.Options{Lossy: opt.Lossy, Limits: opt.Limits, Recorder: opt.Recorder}
		if opt.Lossy {
			o.Losses = &form.Losses
		}
		if err := e.docs.ToRDF(ctx, doc, o, &s.dataset); err != nil {
			return nil, err
		}
	default:
		return nil, &canon.UnsupportedError{Engine: Native, What: "input " + string(opt.Input)}
	}
	text, err := s.state.Run(ctx, &s.dataset, rdfc.Options{Hash: opt.Hash, Work: opt.Limits.Work, Recorder: opt.Recorder}, form.Text)
	if err != nil {
		return nil, err
	}
	form.Text, form.Lines = text, s.state.Lines()
	if opt.Issued {
		form.Issued = s.state.Issued()
	}
	return form, nil
}

// ToRDF turns a JSON-LD document into a dataset, with the origin of each quad on request.
func (e *nativeRDFC) ToRDF(ctx context.Context, doc []byte, opt jsonld.Options, into *rdf.Dataset) error {
	return e.docs.ToRDF(ctx, doc, opt, into)
}
