//phase:digest
package vcdm

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// SDOptions say how ecdsa-sd-2023 works. The zero value is what an issuer with no mandatory claims, a holder or a
// verifier uses.
type SDOptions struct {
	Mandatory []string     // JSON pointers to what every presentation discloses
	Parallel  int          // goroutines that sign or check statements; 0 and 1 use none beside the caller's
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

// SD is the cryptosuite ecdsa-sd-2023 (VC-DI-ECDSA 3.6). [Signer.Add] makes a base proof, which is for the holder alone;
// [SD.Derive] makes from it the document for a verifier; [Verifier.Verify] accepts derived proofs only. Presentations of
// one credential can be linked: they show the same base signature, public key and labels (section 5.1).
//
//phase:select fallback
type SD struct {
	canon     canon.Canonicalizer
	group     grouper
	opt       SDOptions
	direction string
}

// ECDSASD2023 returns the cryptosuite ecdsa-sd-2023 over an RDFC-1.0 canonicalizer. To issue and to derive it has to be a
// [canon.Datasets] or a [canon.Expander]; to verify, any will do.
//
//phase:caller
func ECDSASD2023(c canon.Canonicalizer, o SDOptions) *SD {
	return &SD{c, newGrouper(c, o.Literal), o, canon.I18nDatatype}
}

// Derives says whether the engine can do more than verify.
func (s *SD) Derives() bool { return s != nil && s.group != nil }

// Name implements [Suite].
func (s *SD) Name() string { return ecdsaSD2023.Name }

// ErrEngine says that an engine can canonicalize, and so verify, but neither issue nor derive.
var ErrEngine = &canon.UnsupportedError{Engine: "this engine", What: "ecdsa-sd-2023: it gives neither the origins of quads nor expanded documents"}

func (s *SD) keyError(a keys.Algorithm) error {
	return &KeyError{s.Name(), a, ecdsaSD2023.Algorithms}
}

// create makes a base proof (VC-DI-ECDSA 3.6.1).
func (s *SD) create(ctx context.Context, in *input, key *keys.Secret) ([]byte, error) {
	if key.Algorithm() != keys.ES256 {
		return nil, &Error{Type: ProofGenerationError, Err: s.keyError(key.Algorithm())}
	}
	if s.group == nil {
		return nil, ErrEngine
	}
	if len(s.opt.Mandatory) > maxTexts { // the holder would refuse it
		return nil, generation("", "there are more than 1,000 mandatory pointers")
	}
	if in.proof.previous >= 0 {
		return nil, generation("/previousProof", "nothing could be derived from a proof that builds on others")
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
	g, err := s.group.group(ctx, in, hmacKey, [][]string{s.opt.Mandatory})
	if err != nil {
		return nil, err
	}
	if err := s.checkMandatory(ctx, in, g); err != nil {
		return nil, err
	}
	mandatory, others := split(g.lines, g.selected[0])
	if err := in.checkPart(g.lines, mandatory); err != nil {
		return nil, err
	}
	if err := in.options.Budget.Signatures(len(others)+1, ""); err != nil {
		return nil, err
	}
	// 3.6.3 Base Proof Hashing
	mandatoryHash := digestLines(mandatory)
	if t := s.opt.Trace; t != nil {
		*t = SDTrace{Lines: g.lines, Mandatory: g.selected[0], ProofHash: proofHash, MandatoryHash: mandatoryHash}
	}
	// 3.6.5 Base Proof Serialization
	proofKey := s.opt.ProofKey
	if proofKey == nil {
		if proofKey, err = newProofKey(); err != nil {
			return nil, err
		}
	}
	v := &baseValue{PublicKey: proofKey.Public().Bytes(), HMACKey: hmacKey, MandatoryPointers: s.opt.Mandatory}
	if v.Signatures, err = s.signStatements(ctx, in, proofKey, others); err != nil {
		return nil, err
	}
	if v.BaseSignature, err = signData(key, signatureInput(proofHash, v.PublicKey, mandatoryHash)); err != nil {
		return nil, &Error{Type: ProofGenerationError, Err: err}
	}
	in.counts.Signatures += len(others) + 1
	in.counts.Digests += len(others)
	members, err := encodeSD(baseHeader, v)
	return members, err
}

// checkMandatory sees that the mandatory part of a document can be disclosed.
func (s *SD) checkMandatory(ctx context.Context, in *input, g *grouped) error {
	if g.checked || len(s.opt.Mandatory) == 0 {
		return nil
	}
	part, err := revealDocument(ctx, in, s.opt.Mandatory)
	if err != nil {
		return err
	}
	_, err = g.reveal(0, part)
	return err
}

// verify checks a derived proof (VC-DI-ECDSA 3.6.7).
func (s *SD) verify(ctx context.Context, in *input, key *keys.Public) error {
	if key.Algorithm() != keys.ES256 {
		return &Error{Type: ProofVerificationError, Where: "/verificationMethod", Err: s.keyError(key.Algorithm())}
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
		return verification("/proofValue", "the proof-scoped public key is no P-256 key")
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
	lines, err := relabelDerived(splitLines(text), v.LabelMap)
	if err != nil {
		return err
	}
	selected := make([]bool, len(lines))
	for _, i := range v.MandatoryIndexes {
		if int64(i) >= int64(len(lines)) {
			return verification("/proofValue", "a mandatory index is out of range")
		}
		selected[i] = true
	}
	mandatory, others := split(lines, selected)
	if err := in.checkPart(lines, mandatory); err != nil {
		return err
	}
	mandatoryHash := digestLines(mandatory)
	if t := s.opt.Trace; t != nil {
		*t = SDTrace{Lines: lines, Mandatory: selected, ProofHash: proofHash, MandatoryHash: mandatoryHash}
	}
	// 3.6.7 steps 3 to 7. The base signature is the issuer's; the text names the proof-scoped key for it, which would let
	// anyone sign.
	if len(v.Signatures) != len(others) {
		return verification("/proofValue", fmt.Sprintf("has %d signatures for %d statements that are not mandatory", len(v.Signatures), len(others)))
	}
	in.counts.Verifications++
	ok := checkData(key, signatureInput(proofHash, v.PublicKey, mandatoryHash), v.BaseSignature)
	if ok {
		in.counts.Verifications += len(others)
		in.counts.Digests += len(others)
		if ok, err = s.checkStatements(ctx, in, proofKey, others, v.Signatures); err != nil {
			return err
		}
	}
	if !ok {
		return verification("/proofValue", "the signatures do not belong to this document, proof and key")
	}
	return nil
}

func (s *SD) form(ctx context.Context, in *input) ([]byte, error) {
	in.options.Input, in.options.Direction = canon.JSONLD, s.direction
	return in.canonicalDocument(ctx, s.canon)
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
	return bytes.Join([][]byte{proofHash, publicKey, mandatoryHash}, nil)
}

// newProofKey draws the key pair of one proof.
//
//phase:sign
func newProofKey() (*keys.Secret, error) { return keys.Generate(keys.ES256) }

// split parts lines into those selected and the others, each in order.
//
//phase:select
func split(lines [][]byte, selected []bool) (in, others [][]byte) {
	for i, l := range lines {
		if selected[i] {
			in = append(in, l)
		} else {
			others = append(others, l)
		}
	}
	return in, others
}

// relabelDerived replaces canonical labels by those that were signed, and sorts (VC-DI-ECDSA 3.4.3, 3.4.1). Every blank
// node has to have an entry in the map and every entry a blank node.
//
//phase:select
func relabelDerived(lines [][]byte, numbers map[uint32][]byte) ([][]byte, error) {
	labels := make(map[uint32][]byte, len(numbers))
	lines, err := relabelAll(lines, func(label []byte) []byte {
		n, ok := canonicalNumber(label)
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
		labels[n] = encodeLabel(mac)
		return labels[n]
	})
	switch {
	case err != nil:
		return nil, &Error{Type: ProofVerificationError, Where: "/proofValue", Msg: "label map", Err: err}
	case len(labels) != len(numbers):
		return nil, verification("/proofValue", fmt.Sprintf("the label map has %d entries for %d blank nodes", len(numbers), len(labels)))
	}
	return lines, nil
}

// signStatements signs each line with its newline (VC-DI-ECDSA 3.6.5 step 3).
//
//phase:sign
func (s *SD) signStatements(ctx context.Context, in *input, key *keys.Secret, lines [][]byte) ([][]byte, error) {
	sigs := make([][]byte, len(lines))
	errs := make([]error, len(lines))
	err := s.each(ctx, in, len(lines), func(i int) bool {
		sigs[i], errs[i] = signData(key, lines[i])
		return errs[i] == nil
	})
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, &Error{Type: ProofGenerationError, Err: err}
		}
	}
	return sigs, nil
}

// checkStatements says whether every signature belongs to its line.
//
//phase:check
func (s *SD) checkStatements(ctx context.Context, in *input, key *keys.Public, lines, sigs [][]byte) (bool, error) {
	ok := make([]bool, len(lines))
	err := s.each(ctx, in, len(lines), func(i int) bool {
		ok[i] = checkData(key, lines[i], sigs[i])
		return ok[i]
	})
	return !slices.Contains(ok, false), err
}

// each calls f for 0 to n-1, on several goroutines if the options say so, until it returns false. It asks for the time.
func (s *SD) each(ctx context.Context, in *input, n int, f func(i int) bool) error {
	const between = 64 // calls, some milliseconds
	work := func(first, step int) error {
		for i := first; i < n; i += step {
			if i%between == between-1 {
				if err := in.options.Alive(ctx); err != nil {
					return err
				}
			}
			if !f(i) {
				return nil
			}
		}
		return nil
	}
	workers := min(s.opt.Parallel, n)
	if workers <= 1 {
		return work(0, 1)
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { errs[w] = work(w, workers) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// encodeSD returns the members of a proof beside its options.
//
//phase:encode
func encodeSD(header []byte, value any) ([]byte, error) {
	members := append(make([]byte, 0, 4096), `,"proofValue":"`...)
	members, err := appendValue(members, header, value)
	if err != nil {
		return nil, &Error{Type: ProofGenerationError, Err: err}
	}
	return append(members, '"'), nil
}
