//phase:caller
package vcdm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"slices"

	"github.com/mr-tron/base58"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// whole is a suite that signs the whole document: the signature covers the hash of the canonical proof
// options followed by the hash of the canonical document (VC-DI-EdDSA 3.2, 3.3; VC-DI-ECDSA 3.2, 3.3).
type whole struct {
	*Cryptosuite
	engine
}

// Name implements [Suite].
func (s *whole) Name() string { return s.Cryptosuite.Name }

// create is Create Proof (VC-DI-EdDSA 3.2.1, 3.3.1).
//
//phase:encode fallback
func (s *whole) create(ctx context.Context, in *input, key *keys.Secret) ([]byte, error) {
	if err := s.takes(key.Algorithm()); err != nil {
		return nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}
	// JCS suites put a copy of the document's @context into the proof (3.3.1 step 2), so it is in the
	// configuration too.
	documentContext := s.Method == canon.RDFC || in.doc.Context != jsontape.None
	data, err := s.hashData(ctx, in, key.Algorithm(), documentContext)
	if err != nil {
		return nil, err
	}
	if err := in.countSignature(key.Algorithm()); err != nil {
		return nil, err
	}
	in.counts.Signatures++
	sig, err := signData(key, in.work.sig[:0], data)
	if err != nil {
		return nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}
	return s.encodeProof(in, sig), nil
}

// verify is Verify Proof (VC-DI-EdDSA 3.2.2, 3.3.2).
//
//phase:validate fallback
func (s *whole) verify(ctx context.Context, in *input, key *keys.Public) error {
	if err := s.takes(key.Algorithm()); err != nil {
		return &problem.Error{Type: problem.ProofVerificationError, Where: "/verificationMethod", Err: err}
	}
	if err := in.countSignature(key.Algorithm()); err != nil {
		return err
	}
	sig := in.work.sig[:key.Algorithm().SignatureSize()]
	if err := decodeSignature(in.proof, sig); err != nil {
		return err
	}
	if s.Method == canon.JCS && in.proof.context != jsontape.None {
		if err := replaceContext(in); err != nil {
			return err
		}
	}
	data, err := s.hashData(ctx, in, key.Algorithm(), s.Method == canon.RDFC)
	if err != nil {
		return err
	}
	in.counts.Verifications++
	if !checkData(key, data, sig) {
		return problem.Verification("/proofValue",
			"the signature does not belong to this document, proof and key")
	}
	return nil
}

func (s *whole) form(ctx context.Context, in *input) ([]byte, error) {
	if s.Method == canon.JCS {
		return nil, nil
	}
	return s.engine.form(ctx, in)
}

// hashData is Transformation, Proof Configuration and Hashing (VC-DI-EdDSA 3.2.3 to 3.2.5).
//
//phase:encode fallback
func (s *whole) hashData(ctx context.Context, in *input, alg keys.Algorithm,
	documentContext bool) ([]byte, error) {
	in.options.Input = canon.JSON
	if s.Method == canon.RDFC {
		in.options.Input, in.options.Direction = canon.JSONLD, s.direction
		if alg == keys.ES384 {
			in.options.Hash = canon.SHA384
		}
	}

	config, err := in.canonicalOptions(ctx, s.canon, documentContext)
	if err != nil {
		return nil, err
	}

	if s.Method == canon.RDFC {
		if err := in.checkTerms(config); err != nil {
			return nil, err
		}
	}

	known := &in.work.known
	if !known.of(s, in, alg) {
		*known = documentDigest{suite: s, alg: alg, context: in.contextText()}
		if known.err = s.hashDocument(ctx, in, alg); len(in.matching) > 0 {
			known.suite = nil
		}
	}

	if known.err != nil {
		return nil, known.err
	}

	return append(appendDigest(in.work.hashed[:0], config, alg), known.sum[:known.size]...), nil
}

// hashDocument canonicalizes the document and makes its hash known.
func (s *whole) hashDocument(ctx context.Context, in *input, alg keys.Algorithm) error {
	document, err := in.canonicalDocument(ctx, s.canon)
	if err != nil {
		return err
	}
	if s.Method == canon.RDFC {
		if err := in.checkReading(document); err != nil {
			return err
		}
	}
	known := &in.work.known
	known.size = len(appendDigest(known.sum[:0], document, alg))
	return nil
}

// appendDigest appends a hash.
func appendDigest(dst, text []byte, alg keys.Algorithm) []byte {
	if alg == keys.ES384 {
		sum := sha512.Sum384(text)
		return append(dst, sum[:]...)
	}
	sum := sha256.Sum256(text)
	return append(dst, sum[:]...)
}

//phase:sign
func signData(key *keys.Secret, dst, data []byte) ([]byte, error) {
	return key.AppendSignature(dst, data)
}

//phase:check
func checkData(key *keys.Public, data, sig []byte) bool { return key.Verify(data, sig) }

// encodeProof returns the members of the proof beside its options: proofValue, "z" and base58-btc, and for
// JCS the document's @context.
//
//phase:encode
func (s *whole) encodeProof(in *input, sig []byte) []byte {
	members := in.work.members[:0]
	if local := in.doc.contextText(); s.Method == canon.JCS && local != nil {
		members = append(append(members, `,"@context":`...), local...)
	}
	members = append(members, `,"proofValue":"z`...)
	members = append(members, base58.Encode(sig)...)
	in.work.members = append(members, '"')
	return in.work.members
}

// decodeSignature reads a proofValue of base58-btc into sig, which it fills.
//
//phase:parse
func decodeSignature(p *proof, sig []byte) error {
	value := p.bytes(p.value)
	switch {
	case value == nil:
		return problem.Verification("/proofValue", "must be a string")
	case len(value) == 0 || value[0] != 'z':
		return problem.Verification("/proofValue", "must start with z (base58-btc)")
	}
	if len(value) <= 2*len(sig) { // base58 takes 1.37 characters a byte
		if b, err := base58.Decode(string(value[1:])); err == nil && len(b) == len(sig) {
			copy(sig, b)
			return nil
		}
	}
	return problem.Verification("/proofValue", fmt.Sprintf("is not %d bytes of base58-btc", len(sig)))
}

// replaceContext checks that the document's @context starts with the proof's, which then takes its place
// (VC-DI-EdDSA 3.3.2 step 4).
//
//phase:encode
func replaceContext(in *input) error {
	t, have, want := in.doc.Tape, in.doc.Context, in.proof.context
	bad := problem.Verification("/@context", "the document's @context does not start with the proof's")
	if have == jsontape.None {
		return bad
	}
	if bytes.Equal(t.Raw(have), t.Raw(want)) {
		return nil
	}
	h, w := slices.Collect(value.Each(t, have)), slices.Collect(value.Each(t, want))
	if len(w) > len(h) {
		return bad
	}
	for i := range w {
		if !t.Equal(h[i], t, w[i]) {
			return bad
		}
	}
	in.context, in.fewer = want-1, len(w) < len(h)
	return nil
}
