//phase:caller
package vcdm

import (
	"bytes"
	"slices"

	"canonscope/vcdm/internal/bbs"
	"canonscope/vcdm/problem"
)

// The proof values of bbs-2023 begin with three bytes (VC-DI-BBS 3.4.1, 3.4.6): two that are always the
// same, and a number that says base or derived, and the feature.
const (
	bbsBaseTag    = 2
	bbsDerivedTag = 3
)

func bbsHeader(tag byte, f Feature) []byte { return []byte{0xd9, 0x5d, tag + 2*byte(f)} }

// bbsBase is what the proof value of a base proof holds; only the holder sees it.
type bbsBase struct {
	_                 struct{} `cbor:",toarray"`
	Signature         []byte   // 80 bytes
	Header            []byte   // 64 bytes: the hashes of the proof options and of the mandatory statements
	PublicKey         []byte   // 96 bytes
	HMACKey           []byte   // 32 bytes
	MandatoryPointers []string
}

// bbsNamedBase is that of a pseudonym.
type bbsNamedBase struct {
	_                 struct{} `cbor:",toarray"`
	Signature         []byte
	Header            []byte
	PublicKey         []byte
	HMACKey           []byte
	MandatoryPointers []string
	Entropy           []byte // 32 bytes: the issuer's half of the pseudonyms' secret
}

// bbsDerived is what the proof value of a derived proof holds.
type bbsDerived struct {
	_                  struct{} `cbor:",toarray"`
	Proof              []byte
	LabelMap           map[uint32]uint32 // number of the canonical label to that of the shuffled one
	MandatoryIndexes   []uint32
	SelectiveIndexes   []uint32
	PresentationHeader []byte
}

// bbsBoundDerived is that of holder binding.
type bbsBoundDerived struct {
	_                  struct{} `cbor:",toarray"`
	Proof              []byte
	LabelMap           map[uint32]uint32
	MandatoryIndexes   []uint32
	SelectiveIndexes   []uint32
	PresentationHeader []byte
	Messages           uint32 // of the issuer
}

// bbsNamedDerived is that of a pseudonym.
type bbsNamedDerived struct {
	_                  struct{} `cbor:",toarray"`
	Proof              []byte
	LabelMap           map[uint32]uint32
	MandatoryIndexes   []uint32
	SelectiveIndexes   []uint32
	PresentationHeader []byte
	Domain             string
	Pseudonym          []byte // 48 bytes
	Messages           uint32
}

// Shapes of the arrays, as [shaped] reads them.
const (
	bbsBaseShape         = "bbbbT"
	bbsNamedBaseShape    = "bbbbTb"
	bbsDerivedShape      = "bNUUb"
	bbsBoundDerivedShape = "bNUUbu"
	bbsNamedDerivedShape = "bNUUbtbu"
)

// of returns the value with what a feature adds.
func (v *bbsDerived) of(f Feature, domain string, pseudonym []byte, messages uint32) any {
	switch {
	case f.named():
		return &bbsNamedDerived{Proof: v.Proof, LabelMap: v.LabelMap, MandatoryIndexes: v.MandatoryIndexes,
			SelectiveIndexes: v.SelectiveIndexes, PresentationHeader: v.PresentationHeader, Domain: domain,
			Pseudonym: pseudonym, Messages: messages}
	case f.bound():
		return &bbsBoundDerived{Proof: v.Proof, LabelMap: v.LabelMap, MandatoryIndexes: v.MandatoryIndexes,
			SelectiveIndexes: v.SelectiveIndexes, PresentationHeader: v.PresentationHeader,
			Messages: messages}
	}
	return v
}

// bbsBody returns the feature and the CBOR of a proof value of one kind.
//
//phase:parse
func bbsBody(p *proof, tag byte, kind string) (Feature, []byte, error) {
	b, err := decodeMultibase(p)
	if err != nil {
		return 0, nil, err
	}
	for f := range Feature(len(Features)) {
		if bytes.HasPrefix(b, bbsHeader(tag, f)) {
			return f, b[3:], nil
		}
	}

	bad := problem.Verification("/proofValue", "is not that of a "+kind+" proof")
	for f := range Feature(len(Features)) {
		switch {
		case bytes.HasPrefix(b, bbsHeader(bbsBaseTag, f)):
			bad.Err = ErrBaseProof
		case bytes.HasPrefix(b, bbsHeader(bbsDerivedTag, f)):
			bad.Err = ErrDerivedProof
		}
	}
	return 0, nil, bad
}

// parseBBSBase reads the proof value of a base proof (VC-DI-BBS 3.4.2).
//
//phase:parse
func parseBBSBase(p *proof) (*openBase, error) {
	f, body, err := bbsBody(p, bbsBaseTag, "base")
	if err != nil {
		return nil, err
	}

	v := &openBase{feature: f}
	if f.named() {
		var n bbsNamedBase
		if err := decodeCBOR(body, bbsNamedBaseShape, &n); err != nil {
			return nil, err
		}
		v.bbsBase = bbsBase{Signature: n.Signature, Header: n.Header, PublicKey: n.PublicKey,
			HMACKey: n.HMACKey, MandatoryPointers: n.MandatoryPointers}
		if v.entropy = n.Entropy; len(v.entropy) != bbs.ScalarSize {
			return nil, sizeError("entropy", len(v.entropy), bbs.ScalarSize)
		}
	} else if err := decodeCBOR(body, bbsBaseShape, &v.bbsBase); err != nil {
		return nil, err
	}

	if len(v.MandatoryPointers) > maxTexts { // each is looked up in the document
		return nil, problem.Verification("/proofValue", "has more than 1,000 mandatory pointers")
	}
	for _, part := range []struct {
		name      string
		got, want int
	}{
		{"signature", len(v.Signature), bbs.SignatureSize},
		{"header", len(v.Header), 2 * hmacSize},
		{"public key", len(v.PublicKey), bbs.PublicSize},
		{"HMAC key", len(v.HMACKey), hmacSize},
	} {
		if part.got != part.want {
			return nil, sizeError(part.name, part.got, part.want)
		}
	}

	if v.key, err = bbs.ParsePublicKey(v.PublicKey); err != nil {
		return nil, &problem.Error{Type: problem.ProofVerificationError, Where: "/proofValue", Err: err}
	}
	return v, nil
}

// parseBBSDerived reads the proof value of a derived proof (VC-DI-BBS 3.4.7). Indexes must ascend, labels
// must differ.
//
//phase:parse
func parseBBSDerived(p *proof) (*openDerived, error) {
	f, body, err := bbsBody(p, bbsDerivedTag, "derived")
	if err != nil {
		return nil, err
	}

	v := &openDerived{feature: f}
	switch {
	case f.named():
		var n bbsNamedDerived
		if err := decodeCBOR(body, bbsNamedDerivedShape, &n); err != nil {
			return nil, err
		}
		if len(n.Pseudonym) != bbs.PseudonymSize {
			return nil, sizeError("pseudonym", len(n.Pseudonym), bbs.PseudonymSize)
		}
		v.bbsDerived = bbsDerived{Proof: n.Proof, LabelMap: n.LabelMap, MandatoryIndexes: n.MandatoryIndexes,
			SelectiveIndexes: n.SelectiveIndexes, PresentationHeader: n.PresentationHeader}
		v.domain, v.pseudonym, v.total = n.Domain, n.Pseudonym, n.Messages
	case f.bound():
		var n bbsBoundDerived
		if err := decodeCBOR(body, bbsBoundDerivedShape, &n); err != nil {
			return nil, err
		}
		v.bbsDerived = bbsDerived{Proof: n.Proof, LabelMap: n.LabelMap, MandatoryIndexes: n.MandatoryIndexes,
			SelectiveIndexes: n.SelectiveIndexes, PresentationHeader: n.PresentationHeader}
		v.total = n.Messages
	default:
		if err := decodeCBOR(body, bbsDerivedShape, &v.bbsDerived); err != nil {
			return nil, err
		}
	}
	return v, v.checkLists()
}

// checkLists checks what can be seen without the document.
func (v *openDerived) checkLists() error {
	if bbs.Hides(len(v.Proof)) < 0 {
		return problem.Verification("/proofValue", "no BBS proof has the length of that in it")
	}
	ranks := make([]uint32, 0, len(v.LabelMap))
	for _, rank := range v.LabelMap {
		ranks = append(ranks, rank)
	}
	// The statements about one blank node could be shown as being about several.
	slices.Sort(ranks)
	if !ascend(ranks) {
		return problem.Verification("/proofValue",
			"the label map has one label for several blank nodes")
	}
	if !ascend(v.MandatoryIndexes) {
		return problem.Verification("/proofValue", "mandatory indexes do not ascend")
	}
	if !ascend(v.SelectiveIndexes) {
		return problem.Verification("/proofValue", "selective indexes do not ascend")
	}
	return nil
}

// ascend reports whether each number is greater than the one before it.
func ascend(all []uint32) bool {
	for i := 1; i < len(all); i++ {
		if all[i-1] >= all[i] {
			return false
		}
	}
	return true
}
