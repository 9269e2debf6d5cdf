//phase:digest
package vcdm

import (
	"context"
	"fmt"
	"slices"

	"canonscope/canon"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// ECDSASD2023 returns the cryptosuite ecdsa-sd-2023 (VC-DI-ECDSA 3.6) over an RDFC-1.0 canonicalizer. To
// issue and to derive it has to be a [canon.Datasets] or a [canon.Expander]; to verify, any will do.
// Presentations of one credential can be linked: they show the same base signature, public key and labels
// (section 5.1). See [BBS2023].
//
//phase:caller
func ECDSASD2023(c canon.Canonicalizer, o SDOptions) *SD { return newSD(c, ecdsaScheme{}, o) }

// ecdsaScheme signs every statement with a key that the issuer draws for the proof.
type ecdsaScheme struct{}

func (ecdsaScheme) suite() *Cryptosuite { return &ecdsaSD2023 }

// hmacLabels are HMACs as text (VC-DI-ECDSA 3.4.4).
type hmacLabels struct {
	key  []byte
	macs [][]byte
}

func (ecdsaScheme) labels(hmacKey []byte) labelling { return &hmacLabels{key: hmacKey} }

func (l *hmacLabels) relabel(n int) (labels []string) {
	l.macs, labels = lines.HMACs(l.key, n)
	return labels
}

// seal implements [scheme] (VC-DI-ECDSA 3.6.5).
func (ecdsaScheme) seal(ctx context.Context, in *input, key *keys.Secret, st *statements,
	o *SDOptions) ([]byte, any, error) {
	proofKey := o.ProofKey
	if proofKey == nil {
		var err error
		if proofKey, err = newProofKey(); err != nil {
			return nil, nil, err
		}
	}

	v := &baseValue{PublicKey: proofKey.Public().Bytes(), HMACKey: st.hmacKey,
		MandatoryPointers: o.Mandatory}
	var err error
	if v.Signatures, err = signStatements(ctx, in, proofKey, st.others); err != nil {
		return nil, nil, err
	}
	if v.BaseSignature, err = signData(key, nil, signatureInput(st, v.PublicKey)); err != nil {
		return nil, nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}

	in.counts.Signatures += len(st.others) + 1
	in.counts.Digests += len(st.others)
	return baseHeader, v, nil
}

func (ecdsaScheme) base(p *proof) (baseProof, error) { return parseBase(p) }

func (ecdsaScheme) derived(p *proof) (derivedProof, error) { return parseDerived(p) }

func (v *baseValue) secrets() ([]byte, []string) { return v.HMACKey, v.MandatoryPointers }

func (v *baseValue) signatures() int { return len(v.Signatures) }

// derive implements [baseProof].
func (v *baseValue) derive(_ context.Context, _ *input, d *disclosure, _ *SDOptions) ([]byte, any, error) {
	switch {
	case len(v.Signatures) < len(d.others):
		return nil, nil, problem.Verification("/proof/proofValue",
			"has fewer signatures than there are statements that are not mandatory")
	case len(v.Signatures) > len(d.others):
		return nil, nil, problem.Verification("/proof/proofValue",
			"has more signatures than there are statements that are not mandatory")
	}

	out := &derivedValue{BaseSignature: v.BaseSignature, PublicKey: v.PublicKey,
		Signatures: make(byteStrings, 0, len(d.chosen)),
		LabelMap:   make(map[uint32][]byte, len(d.numbers)), MandatoryIndexes: d.mandatory}
	for _, i := range d.chosen {
		out.Signatures = append(out.Signatures, v.Signatures[i])
	}
	for verifiers, issuers := range d.numbers {
		out.LabelMap[verifiers] = d.labels.(*hmacLabels).macs[issuers]
	}
	return derivedHeader, out, nil
}

func (v *derivedValue) labels() map[uint32][]byte {
	labels := make(map[uint32][]byte, len(v.LabelMap))
	text := make([]byte, 0, len(v.LabelMap)*lines.LabelSize)
	for n, mac := range v.LabelMap {
		from := len(text)
		text = lines.AppendLabel(text, mac)
		labels[n] = text[from:len(text):len(text)]
	}
	return labels
}

func (v *derivedValue) mandatory() []uint32 { return v.MandatoryIndexes }

func (v *derivedValue) signatures() int { return len(v.Signatures) + 1 }

// check implements [derivedProof] (VC-DI-ECDSA 3.6.7 steps 3 to 7). The base signature is the issuer's; the
// text names the proof-scoped key for it, which would let anyone sign.
func (v *derivedValue) check(ctx context.Context, in *input, key *keys.Public, st *statements) error {
	proofKey, err := keys.PublicFromBytes(v.PublicKey)
	if err != nil || proofKey.Algorithm() != keys.ES256 {
		return problem.Verification("/proofValue", "the proof-scoped public key is not a P-256 key")
	}
	if len(v.Signatures) != len(st.others) {
		return problem.Verification("/proofValue",
			fmt.Sprintf("has %d signatures for %d statements that are not mandatory", len(v.Signatures),
				len(st.others)))
	}

	in.counts.Verifications++
	ok := checkData(key, signatureInput(st, v.PublicKey), v.BaseSignature)
	if ok {
		in.counts.Verifications += len(st.others)
		in.counts.Digests += len(st.others)
		if ok, err = checkStatements(ctx, in, proofKey, st.others, v.Signatures); err != nil {
			return err
		}
	}
	if !ok {
		return errNotOf()
	}
	return nil
}

// signatureInput is serializeSignData (VC-DI-ECDSA 3.5.1).
func signatureInput(st *statements, publicKey []byte) []byte {
	return slices.Concat(st.proofHash, publicKey, st.mandatoryHash)
}

// newProofKey draws the key pair of one proof.
//
//phase:sign
func newProofKey() (*keys.Secret, error) { return keys.Generate(keys.ES256) }

// signStatements signs each line with its newline (VC-DI-ECDSA 3.6.5 step 3).
//
//phase:sign
func signStatements(ctx context.Context, in *input, key *keys.Secret,
	all [][]byte) (sigs byteStrings, err error) {
	sigs = make(byteStrings, len(all))
	for i, l := range all {
		if err := pause(ctx, in, i); err != nil {
			return nil, err
		}
		if sigs[i], err = signData(key, nil, l); err != nil {
			return nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
		}
	}
	return sigs, nil
}

// checkStatements reports whether every signature belongs to its line.
//
//phase:check
func checkStatements(ctx context.Context, in *input, key *keys.Public, all, sigs [][]byte) (bool, error) {
	for i, l := range all {
		if err := pause(ctx, in, i); err != nil {
			return false, err
		}
		if !checkData(key, l, sigs[i]) {
			return false, nil
		}
	}
	return true, nil
}
