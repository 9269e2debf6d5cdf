//phase:caller
package vcdm

import (
	"context"
	"crypto/sha512"
	"errors"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/keys"
)

// Suite is a cryptosuite with its canonicalizer. Suites are safe for concurrent use.
type Suite interface {
	// Name returns the cryptosuite identifier, e.g. "eddsa-rdfc-2022".
	Name() string

	// create returns the members that turn the proof options into a proof, each with a comma before it.
	create(ctx context.Context, in *input, key *keys.Secret) ([]byte, error)
	// verify checks the input's proof.
	verify(ctx context.Context, in *input, key *keys.Public) error
	// form returns the canonical form of the document, nil where the suite does no JSON-LD.
	form(ctx context.Context, in *input) ([]byte, error)
}

// tapes is an engine that need not scan a document again.
type tapes = canon.Tapes[*jsontape.Tape]

// Counts is the work that operations did: each call adds one.
type Counts struct {
	Canonicalizations int // calls of a canonicalizer
	Digests           int // digests of single statements, for selective disclosure
	Signatures        int // signatures made
	Verifications     int // signatures checked
	Injections        int // contexts added to documents: see [Signer]
}

// work is memory that one operation uses and the next one reuses.
type work struct {
	tape, options, view jsontape.Tape
	src, config         []byte
	members             []byte // what a suite adds to proof options
	forms               [2]canon.Form
	selection           selection
	reading             reading
	known               documentDigest
	sd                  sdWork
	doc                 document
	proofs              []proof
	in                  input
	method              string // verificationMethod of the last operation: mostly that of this one
	hashed, sig         [2 * sha512.Size384]byte
	counts              Counts // of an operation whose caller does not count

	limits canon.Limits  // that the caller gave
	budget *canon.Budget // own, or that of the operation around this one
	own    canon.Budget
	used   int // memory of tapes
}

// begin begins an operation, or a step of the one that budget belongs to.
func (w *work) begin(ctx context.Context, budget *canon.Budget, l canon.Limits) {
	w.budget = canon.BudgetOf(ctx, budget, &w.own, l)
	w.limits, w.used = l, 0
}

// end gives the memory back.
func (w *work) end() {
	w.budget.Use(-w.used)
	w.budget, w.known = nil, documentDigest{}
}

// parse scans the document of the operation.
func (w *work) parse(doc []byte) (document, error) {
	w.budget.Use(-w.used)
	w.used, w.known = 0, documentDigest{}
	l := w.limits
	l.Memory = max(1, w.budget.Left()/2) // a view of the document takes as much as its tape
	d, err := parseDocument(&w.tape, doc, l)
	if err == nil {
		w.used = 2 * w.tape.Size()
		err = w.budget.Use(w.used)
	}
	return d, err
}

// counter returns where an operation counts.
func (w *work) counter(c *Counts) *Counts {
	if c == nil {
		return &w.counts
	}
	return c
}

// methodText returns the text of a proof's verificationMethod, without a new string where the last proof had the same.
func (w *work) methodText(p *proof) string {
	if text := p.bytes(p.method); w.method != string(text) {
		w.method = string(text)
	}
	return w.method
}

// input is what a suite works on.
type input struct {
	doc      *document
	proof    *proof  // the proof, or its options
	matching []proof // the proofs that this one builds on
	context  int     // key of the @context that stands for the document's, or -1
	fewer    bool    // it has fewer contexts
	options  canon.Options
	work     *work
	counts   *Counts

	undefined bool // a term of the proof is not defined
}

func newInput(d *document, p *proof, w *work, counts *Counts) *input {
	w.in = input{doc: d, proof: p, context: -1, options: canon.Options{Limits: w.limits, Budget: w.budget}, work: w, counts: w.counter(counts)}
	return &w.in
}

// view makes the tape of the document without its proofs.
func (in *input) view() *jsontape.Tape {
	t := in.doc.tape
	if in.context >= 0 {
		in.work.view.View(t, 0, in.context, in.doc.proofKey, t.Key(0, "@context"))
	} else {
		in.work.view.View(t, 0, -1, in.doc.proofKey)
	}
	return &in.work.view
}

// unsecured returns the bytes of the document without proofs, or with those this one builds on.
func (in *input) unsecured() ([]byte, error) {
	b := in.doc.appendUnsecured(make([]byte, 0, len(in.doc.tape.Src)), in.matching)
	if in.context < 0 {
		return b, nil
	}
	var u jsontape.Tape
	if err := u.Scan(b, jsontape.Options{Bytes: in.options.Limits.Bytes, Depth: in.options.Limits.Depth}); err != nil {
		return nil, err
	}
	return u.AppendMember(nil, 0, "@context", in.proof.tape.Raw(in.context+1)), nil
}

// canonicalDocument returns the canonical form of the document without proofs, or with those this one builds on.
func (in *input) canonicalDocument(ctx context.Context, c canon.Canonicalizer) ([]byte, error) {
	if t, ok := c.(tapes); ok && len(in.matching) == 0 {
		form, err := t.CanonicalizeTape(ctx, in.view(), in.engineOptions(1))
		return formText(form, err, "document")
	}
	b, err := in.unsecured()
	if err != nil {
		return nil, err
	}
	form, err := c.Canonicalize(ctx, b, in.engineOptions(1))
	return formText(form, err, "document")
}

// canonicalOptions returns the canonical form of the proof configuration: the proof without its proofValue. Its @context
// is the document's where that is asked for, and its own otherwise.
func (in *input) canonicalOptions(ctx context.Context, c canon.Canonicalizer, documentContext bool) ([]byte, error) {
	p := in.proof
	if t, ok := c.(tapes); ok && p.tape == in.doc.tape {
		if documentContext {
			in.work.view.View(p.tape, p.node, p.tape.Key(0, "@context"), p.value-1, p.context-1)
		} else {
			in.work.view.View(p.tape, p.node, -1, p.value-1)
		}
		form, err := t.CanonicalizeTape(ctx, &in.work.view, in.engineOptions(0))
		return in.optionsText(form, err)
	}
	var local []byte
	if documentContext {
		if local = in.doc.contextText(); local == nil {
			local = []byte{}
		}
	}
	in.work.config = p.appendConfig(in.work.config[:0], local)
	form, err := c.Canonicalize(ctx, in.work.config, in.engineOptions(0))
	return in.optionsText(form, err)
}

// optionsText returns the text of canonical proof options, and notes where terms of the proof are undefined.
func (in *input) optionsText(form *canon.Form, err error) ([]byte, error) {
	if err != nil {
		var loss *canon.LossError
		in.undefined = errors.As(err, &loss)
	}
	return formText(form, err, "proof options")
}

// engineOptions returns the options of the next canonicalization, which it counts; slot says which Form to reuse.
func (in *input) engineOptions(slot int) canon.Options {
	in.counts.Canonicalizations++
	opt := in.options
	opt.Into = &in.work.forms[slot]
	return opt
}

// formText returns the text of a form, or an error with its type; what names the thing that was canonicalized.
func formText(form *canon.Form, err error, what string) ([]byte, error) {
	if err != nil {
		return nil, transformed(err, what)
	}
	return form.Text, nil
}
