//phase:digest
package vcdm

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"

	"canonscope/canon"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/internal/selective"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// SDOptions say how ecdsa-sd-2023 works. The zero value is what an issuer with no mandatory claims, a
// holder or a verifier uses.
type SDOptions struct {
	Mandatory []string     // JSON pointers to what every presentation discloses
	Literal   bool         // take the specification's own steps where the engine would allow shorter ones
	HMACKey   []byte       // 32 bytes; nil draws a fresh one for each proof, as it must be outside tests
	ProofKey  *keys.Secret // P-256; nil draws a fresh one for each proof, as it must be outside tests
	Trace     *SDTrace     // filled with what the steps made; nil keeps nothing
}

// SDTrace is what the steps of one operation made, to compare with other implementations.
type SDTrace struct {
	Lines         [][]byte // statements with the labels that are signed, each with its newline, in order
	Mandatory     []bool   // one for each line
	Selective     []bool   // only of Derive
	Combined      []bool   // only of Derive
	ProofHash     []byte   // not of Derive
	MandatoryHash []byte   // not of Derive
}

// SD is the cryptosuite ecdsa-sd-2023 (VC-DI-ECDSA 3.6). [Signer.Add] makes a base proof, which is for the
// holder alone; [Holder.Derive] makes from it the document for a verifier; [Verifier.Verify] accepts derived
// proofs only. Presentations of one credential can be linked: they show the same base signature, public key
// and labels (section 5.1). The doc of vcdm/internal/selective/selective.go says when the literal and when
// the short path is taken to the statements that pointers select.
//
//phase:select fallback
type SD struct {
	engine
	group selective.Grouper
	opt   SDOptions
}

// ECDSASD2023 returns the cryptosuite ecdsa-sd-2023 over an RDFC-1.0 canonicalizer. To issue and to derive
// it has to be a [canon.Datasets] or a [canon.Expander]; to verify, any will do.
//
//phase:caller
func ECDSASD2023(c canon.Canonicalizer, o SDOptions) *SD {
	return &SD{engine{c, canon.I18nDatatype}, selective.New(c, o.Literal), o}
}

// Derives reports whether the engine can do more than verify.
func (s *SD) Derives() bool { return s != nil && s.group != nil }

// Name implements [Suite].
func (s *SD) Name() string { return ecdsaSD2023.Name }

// ErrEngine says that an engine can canonicalize, and so verify, but neither issue nor derive.
var ErrEngine = &canon.UnsupportedError{Engine: "this engine",
	What: "ecdsa-sd-2023: it gives neither the origins of quads nor expanded documents"}

// create makes a base proof (VC-DI-ECDSA 3.6.1).
func (s *SD) create(ctx context.Context, in *input, key *keys.Secret) ([]byte, error) {
	if err := ecdsaSD2023.takes(key.Algorithm()); err != nil {
		return nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}
	if s.group == nil {
		return nil, ErrEngine
	}
	if len(s.opt.Mandatory) > maxTexts { // the holder would refuse it
		return nil, problem.Generation("", "there are more than 1,000 mandatory pointers")
	}

	if in.proof.previous >= 0 {
		return nil, problem.Generation("/previousProof",
			"nothing could be derived from a proof that builds on others")
	}

	in.options.Input, in.options.Direction = canon.JSONLD, s.direction

	// 3.6.4 Base Proof Configuration
	proofHash, err := s.hashOptions(ctx, in)
	if err != nil {
		return nil, err
	}

	// 3.6.2 Base Proof Transformation
	hmacKey := s.opt.HMACKey
	if hmacKey == nil {
		hmacKey = make([]byte, hmacSize)
		if _, err := rand.Read(hmacKey); err != nil {
			return nil, err
		}
	}

	g, err := s.group.Group(ctx, in.selective(), hmacKey, [][]string{s.opt.Mandatory})
	if err != nil {
		return nil, err
	}
	if err := s.checkMandatory(ctx, in, g); err != nil {
		return nil, err
	}

	mandatory, others := lines.Part(g.Lines, g.Selected[0])
	if err := in.work.reading.CheckPart(in.doc.Tape, g.Lines, mandatory, len(in.matching)); err != nil {
		return nil, err
	}
	if err := in.options.Budget.Signatures(len(others)+1, ""); err != nil {
		return nil, err
	}

	// 3.6.3 Base Proof Hashing
	mandatoryHash := digestLines(mandatory)
	if t := s.opt.Trace; t != nil {
		*t = SDTrace{Lines: g.Lines, Mandatory: g.Selected[0], ProofHash: proofHash,
			MandatoryHash: mandatoryHash}
	}

	// 3.6.5 Base Proof Serialization
	proofKey := s.opt.ProofKey
	if proofKey == nil {
		if proofKey, err = newProofKey(); err != nil {
			return nil, err
		}
	}

	v := &baseValue{PublicKey: proofKey.Public().Bytes(), HMACKey: hmacKey,
		MandatoryPointers: s.opt.Mandatory}
	if v.Signatures, err = signStatements(ctx, in, proofKey, others); err != nil {
		return nil, err
	}

	data := signatureInput(proofHash, v.PublicKey, mandatoryHash)
	if v.BaseSignature, err = signData(key, data); err != nil {
		return nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}

	in.counts.Signatures += len(others) + 1
	in.counts.Digests += len(others)
	return encodeSD(baseHeader, v)
}

// checkMandatory sees that the mandatory part of a document can be disclosed.
func (s *SD) checkMandatory(ctx context.Context, in *input, g *selective.Grouped) error {
	if g.Checked || len(s.opt.Mandatory) == 0 {
		return nil
	}
	part, err := revealDocument(ctx, in, s.opt.Mandatory)
	if err != nil {
		return err
	}
	_, err = g.Reveal(0, part)
	return err
}

// disclose is createDisclosureData (VC-DI-ECDSA 3.5.4).
func (s *SD) disclose(ctx context.Context, in *input, base *baseValue,
	pointers []string) (*derivedValue, []byte, error) {
	if s.group == nil {
		return nil, nil, ErrEngine
	}

	mandatoryPointers := base.MandatoryPointers
	combined := append(slices.Clone(mandatoryPointers), pointers...)
	if len(combined) == 0 {
		return nil, nil, problem.Generation("", "nothing is selected: give at least one JSON pointer")
	}

	groups := [][]string{mandatoryPointers, pointers, combined}
	g, err := s.group.Group(ctx, in.selective(), base.HMACKey, groups)
	if err != nil {
		return nil, nil, err
	}

	lines, mandatory, chosen, shown := g.Lines, g.Selected[0], g.Selected[1], g.Selected[2]
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
				return nil, nil, problem.Verification("/proof/proofValue",
					"has fewer signatures than there are statements that are not mandatory")
			}
			if chosen[i] {
				v.Signatures = append(v.Signatures, base.Signatures[signature])
			}
			signature++
		}
	}

	if signature != len(base.Signatures) {
		return nil, nil, problem.Verification("/proof/proofValue",
			"has more signatures than there are statements that are not mandatory")
	}

	reveal, err := revealDocument(ctx, in, combined) // step 13
	if err != nil {
		return nil, nil, err
	}

	v.LabelMap, err = g.Reveal(2, reveal)
	return v, reveal, err
}

// revealDocument selects what the pointers name from the document without its proofs.
//
//phase:select
func revealDocument(ctx context.Context, in *input, pointers []string) ([]byte, error) {
	t, s := in.doc.Tape, &in.work.selective.Selection
	if err := s.Mark(ctx, in.options.Budget, t, pointers); err != nil {
		return nil, err
	}
	if k := in.doc.proofKey; k >= 0 {
		if (*s)[k+1] != selective.Out {
			return nil, problem.Generation("/proof", "a JSON pointer names a proof")
		}
		if (*s)[0] == selective.All { // "" is everything but the proofs
			return in.unsecured()
		}
	}
	return s.AppendJSON(make([]byte, 0, len(t.Src)), t, 0), nil
}

// verify checks a derived proof (VC-DI-ECDSA 3.6.7).
func (s *SD) verify(ctx context.Context, in *input, key *keys.Public) error {
	if err := ecdsaSD2023.takes(key.Algorithm()); err != nil {
		return &problem.Error{Type: problem.ProofVerificationError, Where: "/verificationMethod", Err: err}
	}

	v, err := parseDerived(in.proof)
	if err != nil {
		return err
	}
	if err := in.options.Budget.Signatures(len(v.Signatures)+1, "/proof"); err != nil {
		return err
	}

	proofKey, err := keys.PublicFromBytes(v.PublicKey)
	if err != nil || proofKey.Algorithm() != keys.ES256 {
		return problem.Verification("/proofValue", "the proof-scoped public key is not a P-256 key")
	}

	// 3.5.9 createVerifyData
	in.options.Input, in.options.Direction = canon.JSONLD, s.direction
	proofHash, err := s.hashOptions(ctx, in)
	if err != nil {
		return err
	}

	text, err := in.canonicalDocument(ctx, s.canon)
	if err != nil {
		return err
	}

	all, err := relabelDerived(lines.Split(text), v.LabelMap)
	if err != nil {
		return err
	}

	selected := make([]bool, len(all))
	for _, i := range v.MandatoryIndexes {
		if int64(i) >= int64(len(all)) {
			return problem.Verification("/proofValue", "a mandatory index is out of range")
		}
		selected[i] = true
	}

	mandatory, others := lines.Part(all, selected)
	if err := in.work.reading.CheckPart(in.doc.Tape, all, mandatory, len(in.matching)); err != nil {
		return err
	}

	mandatoryHash := digestLines(mandatory)
	if t := s.opt.Trace; t != nil {
		*t = SDTrace{Lines: all, Mandatory: selected, ProofHash: proofHash, MandatoryHash: mandatoryHash}
	}

	// 3.6.7 steps 3 to 7. The base signature is the issuer's; the text names the proof-scoped key for it,
	// which would let anyone sign.
	if len(v.Signatures) != len(others) {
		return problem.Verification("/proofValue",
			fmt.Sprintf("has %d signatures for %d statements that are not mandatory", len(v.Signatures),
				len(others)))
	}

	in.counts.Verifications++
	ok := checkData(key, signatureInput(proofHash, v.PublicKey, mandatoryHash), v.BaseSignature)
	if ok {
		in.counts.Verifications += len(others)
		in.counts.Digests += len(others)
		if ok, err = checkStatements(ctx, in, proofKey, others, v.Signatures); err != nil {
			return err
		}
	}

	if !ok {
		return problem.Verification("/proofValue",
			"the signatures do not belong to this document, proof and key")
	}

	return nil
}

// hashOptions returns the hash of the canonical proof options under the document's @context.
func (s *SD) hashOptions(ctx context.Context, in *input) ([]byte, error) {
	config, err := in.canonicalOptions(ctx, s.canon, true)
	if err != nil {
		return nil, err
	}
	if err := in.checkTerms(config); err != nil {
		return nil, err
	}
	return digestLines([][]byte{config}), nil
}

// digestLines returns the SHA-256 hash of lines side by side.
func digestLines(lines [][]byte) []byte {
	h := sha256.New()
	for _, l := range lines {
		h.Write(l)
	}
	return h.Sum(nil)
}

// signatureInput is serializeSignData (VC-DI-ECDSA 3.5.1).
func signatureInput(proofHash, publicKey, mandatoryHash []byte) []byte {
	return slices.Concat(proofHash, publicKey, mandatoryHash)
}

// newProofKey draws the key pair of one proof.
//
//phase:sign
func newProofKey() (*keys.Secret, error) { return keys.Generate(keys.ES256) }

// relabelDerived replaces canonical labels by those that were signed, and sorts (VC-DI-ECDSA 3.4.3, 3.4.1).
// Every blank node has to have an entry in the map and every entry a blank node.
//
//phase:select
func relabelDerived(all [][]byte, numbers map[uint32][]byte) ([][]byte, error) {
	labels := make(map[uint32][]byte, len(numbers))
	all, err := lines.RelabelAll(all, func(label []byte) []byte {
		n, ok := lines.Number(label)
		if !ok {
			return nil
		}
		if l, ok := labels[n]; ok {
			return l
		}
		mac, ok := numbers[n]
		if !ok {
			return nil
		}
		labels[n] = lines.EncodeLabel(mac)
		return labels[n]
	})
	switch {
	case err != nil:
		return nil, &problem.Error{Type: problem.ProofVerificationError, Where: "/proofValue",
			Msg: "label map", Err: err}
	case len(labels) != len(numbers):
		return nil, problem.Verification("/proofValue",
			fmt.Sprintf("the label map has %d entries for %d blank nodes", len(numbers), len(labels)))
	}
	return all, nil
}

// signStatements signs each line with its newline (VC-DI-ECDSA 3.6.5 step 3).
//
//phase:sign
func signStatements(ctx context.Context, in *input, key *keys.Secret,
	all [][]byte) (sigs [][]byte, err error) {
	sigs = make([][]byte, len(all))
	for i, l := range all {
		if err := pause(ctx, in, i); err != nil {
			return nil, err
		}
		if sigs[i], err = signData(key, l); err != nil {
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

// pause asks for the time before statement i, once in some milliseconds.
//
//phase:caller
func pause(ctx context.Context, in *input, i int) error {
	const between = 64 // signatures
	if i%between != between-1 {
		return nil
	}
	return in.options.Alive(ctx)
}
