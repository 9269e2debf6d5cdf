//phase:digest
package vcdm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"canonscope/canon"
	"canonscope/vcdm/internal/bbs"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// BBS2023 returns the cryptosuite bbs-2023 (VC-DI-BBS 3.5) over an RDFC-1.0 canonicalizer. To issue and to
// derive it has to be a [canon.Datasets] or a [canon.Expander]; to verify, any will do.
//
// A derived proof is fresh each time and shares nothing with the base proof. What can still link two
// presentations is what they disclose: the values, the mandatory part with its dates and status, the number
// of statements and which of them are hidden, and the issuer's key.
//
//phase:caller
func BBS2023(c canon.Canonicalizer, o SDOptions) *SD { return newSD(c, bbsScheme{}, o) }

// Feature is an optional feature of bbs-2023 (VC-DI-BBS 4).
type Feature int

const (
	Baseline         Feature = iota
	HolderBinding            // only the holder of a secret can derive: anonymous_holder_binding
	Pseudonym                // derived proofs show a pseudonym of the holder for one domain
	BindingPseudonym         // both
)

// Features lists every feature by its name, in their order.
var Features = []string{"baseline", "anonymous_holder_binding", "pseudonym", "holder_binding_pseudonym"}

func (f Feature) String() string {
	if uint(f) >= uint(len(Features)) {
		return fmt.Sprintf("Feature(%d)", int(f))
	}
	return Features[f]
}

// bound and named report which secrets of the holder a feature has.
func (f Feature) bound() bool { return f == HolderBinding || f == BindingPseudonym }
func (f Feature) named() bool { return f == Pseudonym || f == BindingPseudonym }

// BBSOptions say how bbs-2023 works. The zero value is for the baseline.
type BBSOptions struct {
	Header []byte // presentation header, which the verifier sees; of the holder

	// Of the optional features.
	Feature    Feature    // of the issuer
	Commitment []byte     // of the issuer: that of the [BBSHolder]
	Entropy    []byte     // of the issuer of pseudonyms; nil draws, as it must be unless one is issued again
	Holder     *BBSHolder // of the holder
	Domain     string     // of the holder: where its pseudonym belongs
	Random     bbs.Random // of the holder; nil outside tests
}

// bbsScheme signs all statements at once.
type bbsScheme struct{}

func (bbsScheme) suite() *Cryptosuite { return &bbs2023 }

// shuffledLabels are numbers in the order of HMACs (VC-DI-BBS 3.3.1).
type shuffledLabels struct {
	key   []byte
	ranks []uint32
}

func (bbsScheme) labels(hmacKey []byte) labelling { return &shuffledLabels{key: hmacKey} }

func (l *shuffledLabels) relabel(n int) (labels []string) {
	l.ranks, labels = lines.Shuffled(l.key, n)
	return labels
}

// header is what a signature covers beside the messages.
func (st *statements) header() []byte { return slices.Concat(st.proofHash, st.mandatoryHash) }

// alive returns what the work on many messages asks for the time.
func alive(ctx context.Context, in *input) bbs.Pause {
	return func() error { return in.options.Alive(ctx) }
}

// seal implements [scheme] (VC-DI-BBS 3.5.5).
func (bbsScheme) seal(ctx context.Context, in *input, key *keys.Secret, st *statements,
	o *SDOptions) ([]byte, any, error) {
	v := &bbsBase{Header: st.header(), PublicKey: key.BBS().Public().Bytes(), HMACKey: st.hmacKey,
		MandatoryPointers: o.Mandatory}
	in.counts.Signatures++
	in.counts.Digests += len(st.others)

	if o.BBS.Feature == Baseline {
		sig, err := signMessages(ctx, in, key, v.Header, st.others)
		if err != nil {
			return nil, nil, generation(err)
		}
		v.Signature = sig
		return bbsHeader(bbsBaseTag, Baseline), v, nil
	}

	f, entropy := o.BBS.Feature, o.BBS.Entropy
	if f.named() && entropy == nil {
		var err error
		if entropy, err = bbs.RandomScalar(); err != nil {
			return nil, nil, err
		}
	}
	if want := commitmentSize(f); len(o.BBS.Commitment) != want {
		return nil, nil, problem.Generation("", fmt.Sprintf(
			"the commitment for %s is %d bytes, want %d: it is what the holder has sent", f,
			len(o.BBS.Commitment), want))
	}
	if !f.named() {
		entropy = nil
	}
	sig, err := blindSign(ctx, in, key, o.BBS.Commitment, entropy, v.Header, st.others)
	if err != nil {
		return nil, nil, generation(err)
	}
	v.Signature = sig
	if f.named() {
		return bbsHeader(bbsBaseTag, f), &bbsNamedBase{Signature: v.Signature, Header: v.Header,
			PublicKey: v.PublicKey, HMACKey: v.HMACKey, MandatoryPointers: v.MandatoryPointers,
			Entropy: entropy}, nil
	}
	return bbsHeader(bbsBaseTag, f), v, nil
}

// commitmentSize is that of a holder with the secrets of a feature.
func commitmentSize(f Feature) int {
	n := 48 + 2*32
	if f.bound() {
		n += 32
	}
	if f.named() {
		n += 32
	}
	return n
}

//phase:sign
func signMessages(ctx context.Context, in *input, key *keys.Secret, header []byte,
	messages [][]byte) ([]byte, error) {
	return bbs.SHA256.Sign(key.BBS(), header, messages, alive(ctx, in))
}

//phase:sign
func blindSign(ctx context.Context, in *input, key *keys.Secret, commitment, entropy, header []byte,
	messages [][]byte) ([]byte, error) {
	return bbs.SHA256.BlindSign(key.BBS(), commitment, entropy, header, messages, alive(ctx, in))
}

func (bbsScheme) base(p *proof) (baseProof, error) { return parseBBSBase(p) }

func (bbsScheme) derived(p *proof) (derivedProof, error) { return parseBBSDerived(p) }

// openBase is a base proof that was read.
type openBase struct {
	bbsBase
	feature Feature
	entropy []byte
	key     *bbs.PublicKey
}

func (v *openBase) secrets() ([]byte, []string) { return v.HMACKey, v.MandatoryPointers }

func (v *openBase) signatures() int { return 1 }

// derive implements [baseProof] (VC-DI-BBS 3.4.3 steps 9 and 10).
func (v *openBase) derive(ctx context.Context, in *input, d *disclosure, o *SDOptions) ([]byte, any, error) {
	st := &bbs.Statement{Key: v.key, Header: v.Header, Messages: d.others, Pause: alive(ctx, in)}
	if v.feature != Baseline {
		h := o.BBS.Holder
		switch {
		case !h.complete(v.feature):
			return nil, nil, problem.Generation("/proof/proofValue", "is bound to a holder ("+
				v.feature.String()+"): it takes the secrets that the holder has committed to")
		case v.feature.named() && o.BBS.Domain == "":
			return nil, nil, problem.Generation("",
				"a pseudonym needs a domain: where it belongs, such as the verifier's address")
		}
		st.Holder = h.hidden(v.entropy)
		if err := verifyMessages(st, v.Signature); err != nil {
			return nil, nil, generation(err)
		}
		in.counts.Verifications++
	}

	in.counts.Signatures++
	in.counts.Digests += len(d.others)
	proof, pseudonym, err := proveMessages(st, v.Signature, &bbs.Presentation{Header: o.BBS.Header,
		Disclosed: d.chosen, Domain: []byte(o.BBS.Domain), Random: o.BBS.Random})
	if err != nil {
		return nil, nil, generation(err)
	}

	out := bbsDerived{Proof: proof, LabelMap: make(map[uint32]uint32, len(d.numbers)),
		MandatoryIndexes: d.mandatory, PresentationHeader: o.BBS.Header}
	for _, i := range d.chosen {
		out.SelectiveIndexes = append(out.SelectiveIndexes, uint32(i))
	}
	for verifiers, issuers := range d.numbers {
		out.LabelMap[verifiers] = d.labels.(*shuffledLabels).ranks[issuers]
	}
	return bbsHeader(bbsDerivedTag, v.feature), out.of(v.feature, o.BBS.Domain, pseudonym,
		uint32(len(d.others))), nil
}

//phase:sign
func proveMessages(st *bbs.Statement, signature []byte, p *bbs.Presentation) (proof, pseudonym []byte,
	err error) {
	return bbs.SHA256.Prove(st, signature, p)
}

//phase:check
func verifyMessages(st *bbs.Statement, signature []byte) error {
	return bbs.SHA256.Verify(st, signature)
}

// generation gives an error of package bbs its type; a limit keeps its own.
func generation(err error) error {
	if isBBS(err) {
		return &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}
	return err
}

// isBBS reports whether an error is about a signature or proof, not about a limit.
func isBBS(err error) bool { return errors.Is(err, bbs.ErrInvalid) || errors.Is(err, bbs.ErrMalformed) }

// openDerived is a derived proof that was read.
type openDerived struct {
	bbsDerived
	feature   Feature
	domain    string
	pseudonym []byte
	total     uint32 // of the issuer's messages; with an optional feature only
}

func (v *openDerived) labels() map[uint32][]byte {
	labels := make(map[uint32][]byte, len(v.LabelMap))
	for n, rank := range v.LabelMap {
		labels[n] = lines.ShuffledLabel(rank)
	}
	return labels
}

func (v *openDerived) mandatory() []uint32 { return v.MandatoryIndexes }

func (v *openDerived) signatures() int { return bbs.Hides(len(v.Proof)) + len(v.SelectiveIndexes) + 1 }

// check implements [derivedProof] (VC-DI-BBS 3.5.8).
func (v *openDerived) check(ctx context.Context, in *input, key *keys.Public, st *statements) error {
	if len(v.SelectiveIndexes) != len(st.others) {
		return problem.Verification("/proofValue",
			fmt.Sprintf("has %d selective indexes for %d statements that are not mandatory",
				len(v.SelectiveIndexes), len(st.others)))
	}

	c := &bbs.Claim{Key: key.BBS(), Header: st.header(), Messages: st.others, Total: int(v.total),
		Blind: v.feature != Baseline, Pseudonym: v.pseudonym, Domain: []byte(v.domain),
		Presented: v.PresentationHeader, Pause: alive(ctx, in)}
	for _, i := range v.SelectiveIndexes {
		c.Disclosed = append(c.Disclosed, int(i))
	}

	in.counts.Verifications++
	in.counts.Digests += len(st.others)
	switch err := checkMessages(c, v.Proof); {
	case errors.Is(err, bbs.ErrMalformed):
		return &problem.Error{Type: problem.ProofVerificationError, Where: "/proofValue", Err: err}
	case errors.Is(err, bbs.ErrInvalid):
		return errNotOf()
	default:
		return err
	}
}

//phase:check
func checkMessages(c *bbs.Claim, proof []byte) error { return bbs.SHA256.Check(c, proof) }
