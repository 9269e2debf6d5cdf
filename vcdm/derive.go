//phase:select
package vcdm

import (
	"bytes"
	"context"
	"slices"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"
)

// Holder derives from base proofs what a verifier gets. It never sees the issuer's key. It is safe for
// concurrent use unless it has Counts.
type Holder struct {
	Suite  *SD
	Limits canon.Limits // zero fields take their defaults
	Counts *Counts      // nil counts nothing
}

// Derive returns the document that discloses what the issuer made mandatory and what the selective JSON
// pointers name, with a derived proof (VC-DI-ECDSA 3.6.6, VC-DI-BBS 3.5.7). Other proofs of the document
// are left out. The same input gives the same output with ecdsa-sd-2023, and never with bbs-2023. A
// pointer that names nothing, or a part of what can only be disclosed whole, such as an element of an
// ordered list, is a PROOF_GENERATION_ERROR; a proof that is not a base proof a PROOF_VERIFICATION_ERROR.
//
//phase:select fallback
func (h *Holder) Derive(ctx context.Context, doc []byte, selective []string) ([]byte, error) {
	w, base, err := h.open(ctx, doc)
	if err != nil {
		return nil, err
	}
	defer w.end()

	reveal, members, err := h.Suite.disclose(ctx, &w.in, base, selective)
	if err != nil {
		return nil, err
	}

	end := bytes.LastIndexByte(reveal, '}')
	out := make([]byte, 0, len(reveal)+len(members)+512)
	out = append(append(out, reveal[:end]...), `,"proof":`...)
	out = append(w.in.proof.appendWith(out, members), reveal[end:]...)
	return out, nil
}

// open reads a document and its base proof into work, which has to be ended.
func (h *Holder) open(ctx context.Context, doc []byte) (_ *work, _ baseProof, err error) {
	if h == nil {
		return nil, nil, problem.Generation("", "a Holder needs a Suite")
	}
	if msg := lacks(h.Suite); msg != "" {
		return nil, nil, problem.Generation("", "a Holder needs a Suite: "+msg)
	}

	w := begin(ctx, nil, h.Limits)
	defer func() {
		if err != nil {
			w.end()
		}
	}()

	if w.doc, err = w.parse(doc); err != nil {
		return nil, nil, err
	}
	d := &w.doc

	all, err := d.proofs(nil, w.limits)
	if err != nil {
		return nil, nil, err
	}

	all = slices.DeleteFunc(all, func(p proof) bool { return !p.is(p.suite, h.Suite.Name()) })
	if len(all) != 1 {
		return nil, nil, problem.Verification("/proof", "the document must have exactly one proof of "+
			h.Suite.Name())
	}

	p := &all[0]
	base, err := h.Suite.scheme.base(p)
	if err != nil {
		return nil, nil, below(err, d.Tape.Pointer(p.node))
	}
	if err := w.budget.Signatures(base.signatures(), "/proof"); err != nil {
		return nil, nil, err
	}

	if p.previous != jsontape.None {
		return nil, nil, problem.Generation("/proof/previousProof",
			"nothing can be derived from a proof that builds on others")
	}

	in := newInput(d, p, w, h.Counts)
	in.options.Input, in.options.Direction = canon.JSONLD, h.Suite.direction
	return w, base, nil
}
