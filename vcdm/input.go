//phase:caller
package vcdm

import (
	"context"
	"errors"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/selective"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
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
	canonicalizer() canon.Canonicalizer
}

// tapes is an engine that need not scan a document again.
type tapes = canon.Tapes[*jsontape.Tape]

// Counts is the work that operations did: each call adds one. With bbs-2023 a digest is a message made a
// scalar, a proof of knowledge counts as a signature, and each verification has two pairings.
type Counts struct {
	Canonicalizations int // calls of a canonicalizer
	Digests           int // digests of single statements, for selective disclosure
	Signatures        int // signatures made
	Verifications     int // signatures checked
	Injections        int // contexts added to documents: see [Signer]
}

// input is what a suite works on: one proof of one document. It belongs to its work, and serves until
// newInput begins the next.
type input struct {
	doc      *document
	proof    *proof  // the proof, or its options
	matching []proof // the proofs that this one builds on
	context  int     // key of the @context that replaces the document's, or None
	fewer    bool    // it has fewer contexts
	options  canon.Options
	work     *work
	counts   *Counts

	undefined bool // a term of the proof is not defined
}

func newInput(d *document, p *proof, w *work, counts *Counts) *input {
	w.in = input{doc: d, proof: p, context: jsontape.None,
		options: canon.Options{Limits: w.limits, Budget: w.budget}, work: w, counts: w.counter(counts)}
	return &w.in
}

// view makes the tape of the document without its proofs.
func (in *input) view() *jsontape.Tape {
	t := in.doc.Tape
	if in.context != jsontape.None {
		in.work.view.View(t, 0, in.context, in.doc.proofKey, t.Key(0, "@context"))
	} else {
		in.work.view.View(t, 0, -1, in.doc.proofKey)
	}
	return &in.work.view
}

// unsecured returns the bytes of the document without proofs, or with those this one builds on.
func (in *input) unsecured() ([]byte, error) {
	b := in.doc.appendUnsecured(make([]byte, 0, len(in.doc.Tape.Src)), in.matching)
	if in.context == jsontape.None {
		return b, nil
	}
	var u jsontape.Tape
	limits := in.options.Limits
	if err := u.Scan(b, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth}); err != nil {
		return nil, err
	}
	return u.AppendMember(nil, 0, "@context", in.proof.tape.Raw(in.context+1)), nil
}

// canonicalDocument returns the canonical form of the document without proofs, or with those this one
// builds on.
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

// canonicalOptions returns the canonical form of the proof configuration: the proof without its proofValue.
// Its @context is the document's where that is asked for, and its own otherwise.
func (in *input) canonicalOptions(ctx context.Context, c canon.Canonicalizer,
	documentContext bool) ([]byte, error) {
	p := in.proof
	if t, ok := c.(tapes); ok && p.tape == in.doc.Tape {
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

// selective returns the input of a selection.
func (in *input) selective() *selective.Input {
	return &selective.Input{Options: in.options, View: in.view, Unsecured: in.unsecured,
		Memory: &in.work.selective, Count: &in.counts.Canonicalizations}
}

// checkTerms is [proof.checkTerms] of the proof of the input. It notes where terms of the proof are
// undefined.
//
//phase:validate
func (in *input) checkTerms(config []byte) error {
	missing, err := in.proof.checkTerms(in.doc, config)
	if missing != "" {
		in.undefined = true
		return problem.New(problem.DataLossDetection, "/@context", noTerms+": <"+missing+"> is missing; add "+
			ProofContext)
	}
	return err
}

// checkReading compares what verification reads of the document with the statements that are signed.
//
//phase:validate
func (in *input) checkReading(text []byte) error {
	return in.work.reading.Check(in.doc.Tape, text, len(in.matching))
}

// engineOptions returns the options of the next canonicalization, and counts it; slot is the index of the
// Form to reuse.
func (in *input) engineOptions(slot int) canon.Options {
	in.counts.Canonicalizations++
	opt := in.options
	opt.Into = &in.work.forms[slot]
	return opt
}

// formText returns the text of a form, or an error with its type; what names the thing that was
// canonicalized.
func formText(form *canon.Form, err error, what string) ([]byte, error) {
	if err != nil {
		return nil, problem.Transformed(err, what)
	}
	return form.Text, nil
}

// countSignature counts the signature of a proof before it is made or checked.
func (in *input) countSignature(alg keys.Algorithm) error {
	n := 1
	if alg == keys.ES384 {
		n = 12
	}
	return in.options.Budget.Signatures(n, "/proof")
}

// contextText returns the @context that replaces the document's, nil where that is its own.
func (in *input) contextText() []byte {
	if in.context == jsontape.None {
		return nil
	}
	return in.proof.tape.Raw(in.context + 1)
}
