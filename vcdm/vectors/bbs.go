package vectors

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"canonscope/vcdm"
	"canonscope/vcdm/internal/bbs"
	"canonscope/vcdm/keys"
)

// bbsSet is one set of the vectors of bbs-2023: a folder in vc-di-bbs, and the files of its input there.
// Without a document it is what the signed one has: prCredUnsigned.json has another description.
type bbsSet struct{ folder, document, mandatory, selective string }

var bbsSets = []bbsSet{
	{".", "windDoc.json", "windMandatory.json", "windSelective.json"},
	{"prc", "", "prCredMandatory.json", "prCredSelective.json"},
}

// bbsVectors runs the vectors of the baseline of bbs-2023 (VC-DI-BBS A), if the folder has them: those of
// TestVectors, in vc-di-bbs. Random scalars are mocked as the vectors do.
func (r *reader) bbsVectors(ctx context.Context) {
	const root = "vc-di-bbs"
	if _, err := os.Stat(filepath.Join(r.dir, root)); err != nil {
		return
	}

	for _, s := range bbsSets {
		var material struct{ PrivateKeyHex, HMACKeyString string }
		var derive struct{ PresentationHeaderHex, PseudoRandSeedHex string }
		var mandatory, selective []string
		set := filepath.Join(root, s.folder)
		f := r.files()
		f.json(&material, root, "BBSKeyMaterial.json")
		f.json(&derive, root, "BBSDeriveMaterial.json")
		f.json(&mandatory, root, s.mandatory)
		f.json(&selective, root, s.selective)
		options := f.read(set, "addProofConfig.json")
		published, revealed := f.read(set, "addSignedSDBase.json"), f.read(set, "derivedRevealDocument.json")
		doc := without(published, "proof")
		if s.document != "" {
			doc = f.read(root, s.document)
		}

		secret, err1 := hex.DecodeString(material.PrivateKeyHex)
		hmacKey, err2 := hex.DecodeString(material.HMACKeyString)
		header, err3 := hex.DecodeString(derive.PresentationHeaderHex)
		seed, err4 := hex.DecodeString(derive.PseudoRandSeedHex)
		key, err5 := keys.FromSeed(keys.BBS, secret)
		if err := cmp.Or(f.err, err1, err2, err3, err4, err5); err != nil {
			r.check(set+" input", err)
			continue
		}

		random := bbs.SHA256.Seeded(seed,
			[]byte("BBS_BLS12381G1_XMD:SHA-256_SSWU_RO_H2G_HM2S_")) // not the tag of the draft
		for _, literal := range []bool{true, false} {
			name := set
			if literal {
				name += " (literal)"
			}
			r.bbsSet(ctx, name, set, key, vcdm.SDOptions{Mandatory: mandatory, Literal: literal,
				HMACKey: hmacKey, BBS: vcdm.BBSOptions{Header: header, Random: random}},
				bbsFiles{doc, without(options, "@context"), published, revealed, selective})
		}
	}
}

// bbsFiles are the input of a set and what is published of it.
type bbsFiles struct {
	doc, options, published, revealed []byte
	selective                         []string
}

func (r *reader) bbsSet(ctx context.Context, name, set string, key *keys.Secret, o vcdm.SDOptions,
	f bbsFiles) {
	trace := new(vcdm.SDTrace)
	o.Trace = trace
	suite := vcdm.BBS2023(r.engines.RDFC, o)

	// Base proof
	signed, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx, f.doc, f.options)
	if err != nil {
		r.check(name+" base proof", err)
		return
	}
	r.lines(name+" addBaseDocHMACCanon", trace.Lines, set, "addBaseDocHMACCanon.json")
	var transform struct{ Mandatory, NonMandatory mapped }
	r.must(name+" addBaseTransform", r.json(&transform, set, "addBaseTransform.json"), func() error {
		in, others := parts(trace, trace.Mandatory)
		return same([]mapped{in, others}, []mapped{transform.Mandatory, transform.NonMandatory})
	})
	r.same(name+" addHashData", map[string]any{"proofHash": hex.EncodeToString(trace.ProofHash),
		"mandatoryHash": hex.EncodeToString(trace.MandatoryHash)}, set, "addHashData.json")
	r.check(name+" addSignedSDBase", sameJSON(signed, f.published))

	// Derived proof
	derived, err := (&vcdm.Holder{Suite: suite}).Derive(ctx, f.published, f.selective)
	if err != nil {
		r.check(name+" derived proof", err)
		return
	}
	r.same(name+" derivedGroupIndexes", map[string]any{
		"combinedIndexes": indexes(trace.Combined, true), "selectiveIndexes": indexes(trace.Selective, true),
		"mandatoryIndexes":    indexes(trace.Mandatory, true),
		"nonMandatoryIndexes": indexes(trace.Mandatory, false)}, set, "derivedGroupIndexes.json")
	var v rawBBS
	if err := decodeProof(derived, &v); err != nil {
		r.check(name+" derived proof value", err)
		return
	}
	r.same(name+" derivedAdjIndexes", map[string]any{"adjMandatoryIndexes": v.MandatoryIndexes,
		"adjSelectiveIndexes": v.SelectiveIndexes}, set, "derivedAdjIndexes.json")
	r.must(name+" derivedDisclosureData", nil, func() error { return v.disclosed(r, set) })
	r.same(name+" derivedUnsignedReveal", json.RawMessage(without(derived, "proof")), set,
		"derivedUnsignedReveal.json")
	r.check(name+" derivedRevealDocument", sameJSON(derived, f.revealed))
	r.check(name+" verify", verifier(suite).Verify(ctx, f.revealed).Err())
}

// rawBBS is a derived proof value as CBOR has it.
type rawBBS struct {
	_                  struct{} `cbor:",toarray"`
	Proof              []byte
	LabelMap           map[int]int
	MandatoryIndexes   []int
	SelectiveIndexes   []int
	PresentationHeader []byte
}

// disclosed compares the BBS proof and the label map.
func (v *rawBBS) disclosed(r *reader, set string) error {
	var want struct {
		Proof    string `json:"bbsProof"`
		LabelMap struct{ Value [][2]string }
	}
	if err := r.json(&want, set, "derivedDisclosureData.json"); err != nil {
		return err
	}
	var labels [][2]string
	for n, rank := range v.LabelMap {
		labels = append(labels, [2]string{fmt.Sprintf("c14n%d", n), fmt.Sprintf("b%d", rank)})
	}
	order := func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) }
	slices.SortFunc(labels, order)
	slices.SortFunc(want.LabelMap.Value, order)
	if err := same(labels, want.LabelMap.Value); err != nil {
		return err
	}
	return same(hex.EncodeToString(v.Proof), want.Proof)
}
