//phase:select
package vcdm

import (
	"bytes"
	"context"
	"slices"

	"canonscope/canon"
)

// Holder derives from base proofs what a verifier gets. It never sees the issuer's key. It is safe for concurrent use
// unless it has Counts.
type Holder struct {
	Suite  *SD
	Limits canon.Limits // zero fields take their defaults
	Counts *Counts      // nil counts nothing
}

// Derive returns the document that discloses what the issuer made mandatory and what the selective JSON pointers name,
// with a derived proof (VC-DI-ECDSA 3.6.6). Other proofs of the document are left out. The same input gives the same
// output. A pointer that names nothing, or a part of what can only be disclosed whole, such as an element of an ordered
// list, is a PROOF_GENERATION_ERROR; a proof that is no base proof a PROOF_VERIFICATION_ERROR.
//
//phase:select fallback
func (h *Holder) Derive(ctx context.Context, doc []byte, selective []string) ([]byte, error) {
	if h == nil {
		return nil, generation("", "a Holder needs a Suite")
	}
	if msg := lacks(h.Suite); msg != "" {
		return nil, generation("", "a Holder needs a Suite: "+msg)
	}
	w := works.Get().(*work)
	defer works.Put(w)
	w.begin(ctx, nil, h.Limits)
	defer w.end()

	d, err := w.parse(doc)
	if err != nil {
		return nil, err
	}
	all, err := d.proofs(nil, w.limits)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p proof) bool { return !p.is(p.suite, h.Suite.Name()) })
	if len(all) != 1 {
		return nil, verification("/proof", "the document must have exactly one proof of "+h.Suite.Name())
	}
	p := &all[0]
	base, err := parseBase(p)
	if err != nil {
		return nil, below(err, d.tape.Pointer(p.node))
	}
	if err := w.budget.Signatures(len(base.Signatures), "/proof"); err != nil {
		return nil, err
	}
	if p.previous >= 0 {
		return nil, generation("/proof/previousProof", "nothing can be derived from a proof that builds on others")
	}
	in := newInput(&d, p, w, h.Counts)
	in.options.Input, in.options.Direction = canon.JSONLD, h.Suite.direction

	value, reveal, err := h.Suite.disclose(ctx, in, base, selective)
	if err != nil {
		return nil, err
	}
	members, err := encodeSD(derivedHeader, value)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(reveal, '}')
	out := make([]byte, 0, len(reveal)+len(members)+512)
	out = append(append(out, reveal[:end]...), `,"proof":`...)
	out = append(p.appendWith(out, members), reveal[end:]...)
	return out, nil
}

// disclose is createDisclosureData (VC-DI-ECDSA 3.5.4).
func (s *SD) disclose(ctx context.Context, in *input, base *baseValue, selective []string) (*derivedValue, []byte, error) {
	if s.group == nil {
		return nil, nil, ErrEngine
	}
	combined := append(slices.Clone(base.MandatoryPointers), selective...)
	if len(combined) == 0 {
		return nil, nil, generation("", "nothing is selected: give at least one JSON pointer")
	}
	g, err := s.group.group(ctx, in, base.HMACKey, [][]string{base.MandatoryPointers, selective, combined})
	if err != nil {
		return nil, nil, err
	}
	lines, mandatory, chosen, shown := g.lines, g.selected[0], g.selected[1], g.selected[2]
	if t := s.opt.Trace; t != nil {
		*t = SDTrace{Lines: lines, Mandatory: mandatory, Selective: chosen, Combined: shown}
	}
	v := &derivedValue{BaseSignature: base.BaseSignature, PublicKey: base.PublicKey}
	revealed, signature := uint32(0), 0
	for i := range lines {
		if shown[i] { // steps 6 to 8
			if mandatory[i] {
				v.MandatoryIndexes = append(v.MandatoryIndexes, revealed)
			}
			revealed++
		}
		if !mandatory[i] { // steps 9 to 12
			if signature == len(base.Signatures) {
				return nil, nil, verification("/proof/proofValue", "has fewer signatures than there are statements that are not mandatory")
			}
			if chosen[i] {
				v.Signatures = append(v.Signatures, base.Signatures[signature])
			}
			signature++
		}
	}
	if signature != len(base.Signatures) {
		return nil, nil, verification("/proof/proofValue", "has more signatures than there are statements that are not mandatory")
	}
	reveal, err := revealDocument(ctx, in, combined) // step 13
	if err != nil {
		return nil, nil, err
	}
	v.LabelMap, err = g.reveal(2, reveal)
	return v, reveal, err
}

// revealDocument selects what the pointers name from the document without its proofs.
func revealDocument(ctx context.Context, in *input, pointers []string) ([]byte, error) {
	t := in.doc.tape
	if err := in.work.selection.mark(ctx, in.options.Budget, t, pointers); err != nil {
		return nil, err
	}
	if k := in.doc.proofKey; k >= 0 {
		if in.work.selection[k+1] != out {
			return nil, generation("/proof", "a JSON pointer names a proof")
		}
		if in.work.selection[0] == all { // "" is everything but the proofs
			return in.unsecured()
		}
	}
	return in.work.selection.appendJSON(make([]byte, 0, len(t.Src)), t, 0), nil
}
