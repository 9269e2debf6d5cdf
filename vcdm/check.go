//phase:validate
package vcdm

import (
	"bytes"
	"context"

	"canonscope/vcdm/internal/bbs"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// Check verifies the base proof of a document, which [Holder.Derive] does not, so that what was altered on
// its way to the holder is found here and not by a verifier. A resolver that is nil leaves the key to the
// proof: bbs-2023 holds the issuer's, ecdsa-sd-2023 only that of the single statements, with which its base
// signature and the mandatory part stay unchecked. A proof that is not right is a PROOF_VERIFICATION_ERROR.
// One of bbs-2023 with an optional feature can be checked with the holder's secrets alone, which Derive does.
func (h *Holder) Check(ctx context.Context, doc []byte, r Resolver) error {
	w, base, err := h.open(ctx, doc)
	if err != nil {
		return err
	}
	defer w.end()

	p := w.in.proof
	var key *keys.Public
	if r != nil {
		method, _ := p.text(p.method)
		purpose, _ := p.text(p.purpose)
		m, err := r.Resolve(ctx, method, purpose)
		if err != nil {
			return below(err, w.doc.Tape.Pointer(p.node))
		}
		key = m.Key
	}
	return below(h.Suite.checkBase(ctx, &w.in, base, key), w.doc.Tape.Pointer(p.node))
}

// checkBase makes what the base proof has to be about again; key is nil where it is not known.
func (s *SD) checkBase(ctx context.Context, in *input, base baseProof, key *keys.Public) error {
	if s.group == nil {
		return ErrEngine
	}
	if key != nil {
		if err := s.scheme.suite().takes(key.Algorithm()); err != nil {
			return &problem.Error{Type: problem.ProofVerificationError, Where: "/verificationMethod",
				Err: err}
		}
	}

	proofHash, err := s.hashOptions(ctx, in)
	if err != nil {
		return err
	}

	hmacKey, pointers := base.secrets()
	g, err := s.group.Group(ctx, in.selective(), s.scheme.labels(hmacKey).relabel, [][]string{pointers})
	if err != nil {
		return err
	}
	mandatory, others := lines.Part(g.Lines, g.Selected[0])
	more := max(0, len(others)-base.signatures()) // than open has counted
	if err := in.options.Budget.Signatures(more, "/proof"); err != nil {
		return err
	}
	return base.check(ctx, in, key, &statements{proofHash, digestLines(mandatory), others, hmacKey})
}

// errNotBase is the error of a base proof that is not right.
func errNotBase() error {
	return problem.Verification("/proofValue",
		"is not that of this document: one of them was altered after it was issued")
}

// check implements [baseProof].
func (v *baseValue) check(ctx context.Context, in *input, key *keys.Public, st *statements) error {
	proofKey, err := keys.PublicFromBytes(v.PublicKey)
	if err != nil || proofKey.Algorithm() != keys.ES256 {
		return problem.Verification("/proofValue", "the proof-scoped public key is not a P-256 key")
	}
	if len(v.Signatures) != len(st.others) {
		return errNotBase()
	}
	if key != nil {
		in.counts.Verifications++
		if !checkData(key, signatureInput(st, v.PublicKey), v.BaseSignature) {
			return errNotBase()
		}
	}
	in.counts.Verifications += len(st.others)
	ok, err := checkStatements(ctx, in, proofKey, st.others, v.Signatures)
	if err == nil && !ok {
		err = errNotBase()
	}
	return err
}

// check implements [baseProof].
func (v *openBase) check(ctx context.Context, in *input, key *keys.Public, st *statements) error {
	if key != nil && !key.BBS().Equal(v.key) {
		return problem.Verification("/proofValue", "holds another key than that of the issuer")
	}
	if !bytes.Equal(v.Header, st.header()) {
		return errNotBase()
	}
	if v.feature != Baseline {
		return nil
	}
	in.counts.Verifications++
	in.counts.Digests += len(st.others)
	err := verifyMessages(&bbs.Statement{Key: v.key, Header: v.Header, Messages: st.others,
		Pause: alive(ctx, in)}, v.Signature)
	if isBBS(err) {
		err = errNotBase()
	}
	return err
}
