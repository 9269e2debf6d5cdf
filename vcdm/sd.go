//phase:digest
package vcdm

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/internal/selective"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// SDOptions say how a suite with selective disclosure works. The zero value is what an issuer with no
// mandatory claims, a holder or a verifier uses.
type SDOptions struct {
	Mandatory []string     // JSON pointers to what every presentation discloses
	Literal   bool         // take the specification's own steps where the engine would allow shorter ones
	HMACKey   []byte       // 32 bytes; nil draws a fresh one for each proof, as it must be outside tests
	ProofKey  *keys.Secret // of ecdsa-sd-2023, P-256; nil draws a fresh one for each proof, as it must be
	BBS       BBSOptions   // of bbs-2023
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

// SD is a cryptosuite with selective disclosure: [ECDSASD2023] or [BBS2023]. [Signer.Add] makes a base
// proof, which is for the holder alone; [Holder.Derive] makes from it the document for a verifier;
// [Verifier.Verify] accepts derived proofs only. The doc of vcdm/internal/selective/selective.go says when
// the literal and when the short path is taken to the statements that pointers select.
//
//phase:select fallback
type SD struct {
	engine
	scheme scheme
	group  selective.Grouper
	opt    SDOptions
}

// scheme is what a suite does with the statements of a document, once they are labelled and parted.
type scheme interface {
	suite() *Cryptosuite

	// labels returns the labels of blank nodes under an HMAC key.
	labels(hmacKey []byte) labelling

	// seal signs the statements, and returns the header and the CBOR value of a base proof.
	seal(ctx context.Context, in *input, key *keys.Secret, st *statements,
		o *SDOptions) (header []byte, value any, err error)

	// base and derived read proof values.
	base(p *proof) (baseProof, error)
	derived(p *proof) (derivedProof, error)
}

// labelling gives blank nodes labels.
type labelling interface {
	relabel(n int) []string
}

// statements are what a proof is about.
type statements struct {
	proofHash, mandatoryHash []byte
	others                   [][]byte // that are not mandatory, in order
	hmacKey                  []byte   // only to seal
}

// baseProof is what a base proof holds.
type baseProof interface {
	secrets() (hmacKey []byte, mandatory []string)

	// signatures returns how many the proof holds beside the issuer's.
	signatures() int

	// check checks the proof, with the issuer's key unless that is nil.
	check(ctx context.Context, in *input, key *keys.Public, st *statements) error

	// derive returns the header and the CBOR value of a derived proof.
	derive(ctx context.Context, in *input, d *disclosure, o *SDOptions) (header []byte, value any, err error)
}

// disclosure is what a holder discloses.
type disclosure struct {
	others    [][]byte          // the statements that are not mandatory, in order
	chosen    []int             // indexes of those that are shown
	mandatory []uint32          // indexes of the mandatory ones among all that are shown
	numbers   map[uint32]uint32 // of blank nodes: what the verifier has to what the issuer has
	labels    labelling
}

// derivedProof is what a derived proof holds.
type derivedProof interface {
	labels() map[uint32][]byte // what was signed for each canonical number
	mandatory() []uint32
	signatures() int // to be checked, or messages that take as long

	// check checks the proof; a limit is an error.
	check(ctx context.Context, in *input, key *keys.Public, st *statements) error
}

func newSD(c canon.Canonicalizer, s scheme, o SDOptions) *SD {
	return &SD{engine{c, canon.I18nDatatype}, s, selective.New(c, o.Literal), o}
}

// Derives reports whether the engine can do more than verify.
func (s *SD) Derives() bool { return s != nil && s.group != nil }

// Name implements [Suite]; that of a suite which was not made by a constructor is empty.
func (s *SD) Name() string {
	if s == nil || s.scheme == nil {
		return ""
	}
	return s.scheme.suite().Name
}

// ErrEngine says that an engine can canonicalize, and so verify, but neither issue nor derive.
var ErrEngine = &canon.UnsupportedError{Engine: "this engine",
	What: "selective disclosure: it gives neither the origins of quads nor expanded documents"}

// create makes a base proof (VC-DI-ECDSA 3.6.1).
func (s *SD) create(ctx context.Context, in *input, key *keys.Secret) ([]byte, error) {
	if err := s.scheme.suite().takes(key.Algorithm()); err != nil {
		return nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}
	if s.group == nil {
		return nil, ErrEngine
	}
	if len(s.opt.Mandatory) > maxTexts { // the holder would refuse it
		return nil, problem.Generation("", "there are more than 1,000 mandatory pointers")
	}

	if in.proof.previous != jsontape.None {
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

	labels := s.scheme.labels(hmacKey)
	g, err := s.group.Group(ctx, in.selective(), labels.relabel, [][]string{s.opt.Mandatory})
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
		*t = SDTrace{Lines: cloned(g.Lines), Mandatory: g.Selected[0], ProofHash: proofHash,
			MandatoryHash: mandatoryHash}
	}

	header, value, err := s.scheme.seal(ctx, in, key, &statements{proofHash, mandatoryHash, others, hmacKey},
		&s.opt)
	if err != nil {
		return nil, err
	}
	return encodeSD(header, value)
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

// disclose is createDisclosureData (VC-DI-ECDSA 3.5.4, VC-DI-BBS 3.4.3) and the serialization of the derived
// proof. It returns the revealed document and the members of its proof.
func (s *SD) disclose(ctx context.Context, in *input, base baseProof,
	pointers []string) (reveal, members []byte, err error) {
	if s.group == nil {
		return nil, nil, ErrEngine
	}

	hmacKey, mandatoryPointers := base.secrets()
	combined := append(slices.Clone(mandatoryPointers), pointers...)
	if len(combined) == 0 {
		return nil, nil, problem.Generation("", "nothing is selected: give at least one JSON pointer")
	}

	d := &disclosure{labels: s.scheme.labels(hmacKey)}
	g, err := s.group.Group(ctx, in.selective(), d.labels.relabel,
		[][]string{mandatoryPointers, pointers, combined})
	if err != nil {
		return nil, nil, err
	}

	mandatory, chosen, shown := g.Selected[0], g.Selected[1], g.Selected[2]
	if t := s.opt.Trace; t != nil {
		*t = SDTrace{Lines: cloned(g.Lines), Mandatory: mandatory, Selective: chosen, Combined: shown}
	}

	d.others = make([][]byte, 0, len(g.Lines))
	revealed := uint32(0)
	for i, line := range g.Lines {
		if shown[i] { // steps 6 to 8
			if mandatory[i] {
				d.mandatory = append(d.mandatory, revealed)
			}
			revealed++
		}
		if !mandatory[i] { // steps 9 to 12
			if chosen[i] {
				d.chosen = append(d.chosen, len(d.others))
			}
			d.others = append(d.others, line)
		}
	}

	more := max(0, len(d.others)-base.signatures()) // than open has counted
	if err := in.options.Budget.Signatures(more, "/proof"); err != nil {
		return nil, nil, err
	}

	if reveal, err = revealDocument(ctx, in, combined); err != nil { // step 13
		return nil, nil, err
	}
	if d.numbers, err = g.Reveal(2, reveal); err != nil {
		return nil, nil, err
	}

	header, value, err := base.derive(ctx, in, d, &s.opt)
	if err != nil {
		return nil, nil, err
	}
	members, err = encodeSD(header, value)
	return reveal, members, err
}

// revealDocument selects what the pointers name from the document without its proofs.
//
//phase:select
func revealDocument(ctx context.Context, in *input, pointers []string) ([]byte, error) {
	t, s := in.doc.Tape, &in.work.selective.Selection
	if err := s.Mark(ctx, in.options.Budget, t, pointers); err != nil {
		return nil, err
	}
	if k := in.doc.proofKey; k != jsontape.None {
		if (*s)[k+1] != selective.Out {
			return nil, problem.Generation("/proof", "a JSON pointer names a proof")
		}
		if (*s)[0] == selective.All { // "" is everything but the proofs
			return in.unsecured()
		}
	}
	return s.AppendJSON(make([]byte, 0, len(t.Src)), t, 0), nil
}

// verify checks a derived proof (VC-DI-ECDSA 3.6.7, VC-DI-BBS 3.5.8).
func (s *SD) verify(ctx context.Context, in *input, key *keys.Public) error {
	if err := s.scheme.suite().takes(key.Algorithm()); err != nil {
		return &problem.Error{Type: problem.ProofVerificationError, Where: "/verificationMethod", Err: err}
	}

	v, err := s.scheme.derived(in.proof)
	if err != nil {
		return err
	}
	if err := in.options.Budget.Signatures(v.signatures(), "/proof"); err != nil {
		return err
	}

	// createVerifyData
	in.options.Input, in.options.Direction = canon.JSONLD, s.direction
	proofHash, err := s.hashOptions(ctx, in)
	if err != nil {
		return err
	}

	text, err := in.canonicalDocument(ctx, s.canon)
	if err != nil {
		return err
	}

	all, err := relabelDerived(lines.Split(text), v.labels())
	if err != nil {
		return err
	}

	selected := make([]bool, len(all))
	for _, i := range v.mandatory() {
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
	return v.check(ctx, in, key, &statements{proofHash: proofHash, mandatoryHash: mandatoryHash,
		others: others})
}

// errNotOf is the error of a derived proof that is not right.
func errNotOf() error {
	return problem.Verification("/proofValue", "the signatures do not belong to this document, proof and key")
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

// cloned returns lines in memory that no operation uses again.
//
//phase:caller
func cloned(all [][]byte) [][]byte { return lines.Split(lines.Join(all)) }

// digestLines returns the SHA-256 hash of lines side by side.
func digestLines(lines [][]byte) []byte {
	h := sha256.New()
	for _, l := range lines {
		h.Write(l)
	}
	return h.Sum(nil)
}

// relabelDerived replaces canonical labels by those that were signed, and sorts (VC-DI-ECDSA 3.4.3, 3.4.1).
// Every blank node has to have an entry in the map and every entry a blank node.
//
//phase:select
func relabelDerived(all [][]byte, labels map[uint32][]byte) ([][]byte, error) {
	used := make(map[uint32]bool, len(labels))
	all, err := lines.RelabelAll(all, func(label []byte) []byte {
		n, ok := lines.Number(label)
		if !ok {
			return nil
		}
		used[n] = true
		return labels[n]
	})
	switch {
	case err != nil:
		return nil, &problem.Error{Type: problem.ProofVerificationError, Where: "/proofValue",
			Msg: "label map", Err: err}
	case len(labels) != len(used):
		return nil, problem.Verification("/proofValue",
			fmt.Sprintf("the label map has %d entries for %d blank nodes", len(labels), len(used)))
	}
	return all, nil
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
