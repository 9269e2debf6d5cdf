//phase:caller
package engines

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"canonscope/canon"
	"canonscope/canon/jcs"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

var (
	_ canon.Tapes[*jsontape.Tape]                  = nativeJCS{}
	_ canon.Tapes[*jsontape.Tape]                  = (*nativeRDFC)(nil)
	_ canon.Datasets[jsonld.Options, *rdf.Dataset] = (*nativeRDFC)(nil)
)

// nativeJCS is canon/jcs. A number whose value changes in the canonical form is a loss: a *canon.LossError,
// or an entry of Form.Losses with Options.Lossy.
//
//phase:jcs fallback
type nativeJCS struct{}

func (e nativeJCS) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if opt.Input == canon.NQuads {
		return nil, &canon.UnsupportedError{Engine: "jcs", What: "N-Quads"}
	}
	if err := opt.Alive(ctx); err != nil {
		return nil, err
	}
	return e.form(opt, func(dst []byte) ([]byte, []jcs.Warning, error) {
		return jcs.Transform(dst, doc, jcs.Options{Limits: opt.Limits})
	})
}

// CanonicalizeTape canonicalizes a document that has been scanned.
func (e nativeJCS) CanonicalizeTape(
	ctx context.Context, doc *jsontape.Tape, opt canon.Options,
) (*canon.Form, error) {
	if err := opt.Alive(ctx); err != nil {
		return nil, err
	}
	return e.form(opt, func(dst []byte) ([]byte, []jcs.Warning, error) {
		return jcs.AppendNode(dst, doc, 0, jcs.Options{Limits: opt.Limits})
	})
}

func (nativeJCS) form(
	opt canon.Options, transform func(dst []byte) ([]byte, []jcs.Warning, error),
) (*canon.Form, error) {
	form := opt.Target()
	text, warnings, err := transform(form.Text)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		reason := fmt.Sprintf("the number %s becomes %s: %s", w.Source, w.Canonical, w.Kind)
		form.Losses = append(form.Losses, canon.Loss{Pointer: w.Pointer, Reason: reason})
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
	kept    atomic.Pointer[scratch] // small one that the garbage collector leaves; nil if in use
	scratch sync.Pool               // of *scratch
}

// scratch is the memory of one canonicalization.
type scratch struct {
	dataset rdf.Dataset
	state   rdfc.State
	docs    *jsonld.Session
	budget  canon.Budget // of a canonicalization that is not a step of another operation
	longest int          // document that it has served
}

func (e *nativeRDFC) borrow() *scratch {
	if e.kept.Load() != nil { // a look is cheaper than an exchange if other goroutines have it
		if s := e.kept.Swap(nil); s != nil {
			return s
		}
	}
	if s, _ := e.scratch.Get().(*scratch); s != nil {
		return s
	}
	return &scratch{docs: e.docs.Session()}
}

// Bounds of memory that is kept: of the longest document that it has served, and of its dataset, in bytes.
const (
	keptDocument = 512 << 10
	keptDataset  = 4 << 20
)

// giveBack takes back memory that has served a document of n bytes. It still refers to that document.
func (e *nativeRDFC) giveBack(s *scratch, n int) {
	s.longest = max(s.longest, n)
	s.dataset.Forget()
	s.state.Forget()

	small := s.longest <= keptDocument && s.dataset.Held() <= keptDataset
	if small && e.kept.Load() == nil && e.kept.CompareAndSwap(nil, s) {
		return
	}
	e.scratch.Put(s)
}

func (e *nativeRDFC) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	s := e.borrow()
	defer e.giveBack(s, len(doc))
	form := opt.Target()
	opt.Budget = canon.BudgetOf(ctx, opt.Budget, &s.budget, opt.Limits)
	switch opt.Input {
	case canon.NQuads:
		s.dataset.Reset()
		if err := s.dataset.ParseNQuads(doc, opt.Limits); err != nil {
			return nil, err
		}
		size := s.dataset.Size()
		defer opt.Budget.Use(-size)
		if err := opt.Budget.Use(size); err != nil {
			return nil, err
		}
	case canon.JSONLD, "":
		if err := e.toRDF(ctx, doc, nil, &opt, form, s); err != nil {
			return nil, err
		}
	default:
		return nil, &canon.UnsupportedError{Engine: string(canon.Native), What: "input " + string(opt.Input)}
	}
	return s.run(ctx, &opt, form)
}

// CanonicalizeTape canonicalizes a JSON-LD document that has been scanned.
func (e *nativeRDFC) CanonicalizeTape(
	ctx context.Context, doc *jsontape.Tape, opt canon.Options,
) (*canon.Form, error) {
	s := e.borrow()
	defer e.giveBack(s, len(doc.Src))
	form := opt.Target()
	if err := e.toRDF(ctx, nil, doc, &opt, form, s); err != nil {
		return nil, err
	}
	return s.run(ctx, &opt, form)
}

// toRDF fills the dataset from a document, as bytes or as a tape.
func (e *nativeRDFC) toRDF(
	ctx context.Context, doc []byte, tape *jsontape.Tape, opt *canon.Options, form *canon.Form, s *scratch,
) error {
	o := jsonld.Options{Lossy: opt.Lossy, RDFDirection: opt.Direction, Limits: opt.Limits, Budget: opt.Budget,
		Tape: tape}
	if opt.Lossy {
		o.Losses = &form.Losses
	}
	return s.docs.ToRDF(ctx, doc, &o, &s.dataset)
}

// run labels and serializes the dataset.
func (s *scratch) run(ctx context.Context, opt *canon.Options, form *canon.Form) (*canon.Form, error) {
	run := rdfc.Options{Hash: opt.Hash, Work: opt.Limits.Work, Budget: opt.Budget}
	text, err := s.state.Run(ctx, &s.dataset, run, form.Text)
	if err != nil {
		return nil, err
	}
	form.Text, form.Lines, form.Ties = text, s.state.Lines(), s.state.Ties()
	if opt.Issued {
		form.Issued = s.state.Issued()
	}
	return form, nil
}

// ToRDF implements [canon.Datasets].
func (e *nativeRDFC) ToRDF(ctx context.Context, doc []byte, opt jsonld.Options, into *rdf.Dataset) error {
	return e.docs.ToRDF(ctx, doc, opt, into)
}
