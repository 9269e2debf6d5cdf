package vectors

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"canonscope/vcdm"
	"canonscope/vcdm/keys"

	"github.com/fxamacker/cbor/v2"
	"github.com/mr-tron/base58"
)

// selective runs the vectors of ecdsa-sd-2023 (VC-DI-ECDSA A.7): every intermediate file but random skolem
// names and the expanded and compact forms around them.
func (r *reader) selective(ctx context.Context) {
	const folder, set = "vc-di-ecdsa/ecdsa-sd-2023", "vc-di-ecdsa/ecdsa-sd-2023/employ"
	var material struct {
		BaseKeyPair, ProofKeyPair pair
		HMACKeyString             string
	}

	var mandatory, selective []string
	f := r.files()
	f.json(&material, folder, "SDKeyMaterial.json")
	f.json(&mandatory, "vc-di-ecdsa", "employMandatory.json")
	f.json(&selective, "vc-di-ecdsa", "employSelective.json")
	doc, options := f.read("vc-di-ecdsa", "employmentAuth.json"), f.read(set, "addProofConfig.json")
	published, revealed := f.read(set, "addSignedSDBase.json"), f.read(set, "derivedRevealDocument.json")
	baseKey, proofKey := f.secret(material.BaseKeyPair), f.secret(material.ProofKeyPair)
	hmacKey, err := hex.DecodeString(material.HMACKeyString)
	if err := cmp.Or(f.err, err); err != nil {
		r.check(set+" input", err)
		return
	}

	var trace vcdm.SDTrace
	for _, literal := range []bool{true, false} {
		name := set
		if literal {
			name += " (literal)"
		}
		sd := vcdm.ECDSASD2023(r.engines.RDFC, vcdm.SDOptions{Mandatory: mandatory, Literal: literal,
			HMACKey: hmacKey, ProofKey: proofKey, Trace: &trace})

		file := func(step string, got any) { r.same(name+" "+step, got, set, step+".json") }

		// A.7.1 Base proof
		signed, err := (&vcdm.Signer{Suite: sd, Key: baseKey}).Add(ctx, doc, without(options, "@context"))
		if err != nil {
			r.check(name+" base proof", err)
			continue
		}
		r.lines(name+" addBaseDocHMACCanon", trace.Lines, set, "addBaseDocHMACCanon.json")
		var transform struct{ Mandatory, NonMandatory mapped }
		r.must(name+" addBaseTransform", r.json(&transform, set, "addBaseTransform.json"), func() error {
			in, others := parts(&trace, trace.Mandatory)
			return same([]mapped{in, others}, []mapped{transform.Mandatory, transform.NonMandatory})
		})
		var hashes struct{ ProofHash, MandatoryHash string }
		r.must(name+" addHashData", r.json(&hashes, set, "addHashData.json"), func() error {
			return same([]string{hex.EncodeToString(trace.ProofHash),
				hex.EncodeToString(trace.MandatoryHash)},
				[]string{hashes.ProofHash, hashes.MandatoryHash})
		})
		var base rawBase
		if err := decodeProof(signed, &base); err != nil {
			r.check(name+" base proof value", err)
			continue
		}
		file("addRawBaseSignatureInfo", base.info("publicKey"))
		file("derivedRecoveredBaseData", base.info("proofPublicKey"))
		r.check(name+" addSignedSDBase", sameJSON(signed, published))

		// A.7.2 Derived proof
		derived, err := (&vcdm.Holder{Suite: sd}).Derive(ctx, published, selective)
		if err != nil {
			r.check(name+" derived proof", err)
			continue
		}
		file("derivedGroupIndexes", map[string]any{
			"combinedIndexes": indexes(trace.Combined, true), "selectiveIndexes": indexes(trace.Selective,
				true),
			"mandatoryIndexes":    indexes(trace.Mandatory, true),
			"nonMandatoryIndexes": indexes(trace.Mandatory, false),
		})
		r.groups(name+" derivedAllGroupData", &trace, set)
		var disclosed rawDerived
		if err := decodeProof(derived, &disclosed); err != nil {
			r.check(name+" derived proof value", err)
			continue
		}
		file("derivedDisclosureData", disclosed.info(true))
		file("derivedAdjMandatoryIndexes", map[string]any{"adjMandatoryIndexes": disclosed.MandatoryIndexes})
		file("derivedAdjSignatures", map[string]any{
			"adjSignatureIndexes": positions(&trace), "filteredSignatures": hexAll(disclosed.Signatures),
		})
		file("derivedUnsignedReveal", json.RawMessage(without(derived, "proof")))
		r.check(name+" derivedRevealDocument", sameJSON(derived, revealed))

		// Verification
		file("verifyDerivedProofValue", disclosed.info(false))
		r.check(name+" verify", verifier(sd).Verify(ctx, revealed).Err())
		r.lines(name+" verifyNQuads", trace.Lines, set, "verifyNQuads.json")
		var others []string
		for i, l := range trace.Lines {
			if !trace.Mandatory[i] {
				others = append(others, string(l))
			}
		}
		data := disclosed.info(false)
		delete(data, "labelMap")
		delete(data, "mandatoryIndexes")
		data["proofHash"] = hex.EncodeToString(trace.ProofHash)
		data["mandatoryHash"] = hex.EncodeToString(trace.MandatoryHash)
		data["nonMandatory"] = others
		file("verifyCreateVerifyData", data)
	}

	r.canonical(ctx, set, doc, without(options, "@context"), baseKey)
}

// canonical compares the canonical document and proof options, which ecdsa-sd-2023 shares with
// ecdsa-rdfc-2019, except for the name of the suite in the options.
func (r *reader) canonical(ctx context.Context, set string, doc, options []byte, key *keys.Secret) {
	t, suite := r.tapped("ecdsa-rdfc-2019")
	rdfc := []byte(strings.Replace(string(options), "ecdsa-sd-2023", "ecdsa-rdfc-2019", 1))
	if _, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx, doc, rdfc); err != nil {
		r.check(set+" canonical document", err)
		return
	}
	config := strings.Replace(t.texts[0], "ecdsa-rdfc-2019", "ecdsa-sd-2023", 1)
	r.equal(set+" addProofConfigCanon", strings.TrimRight(config, "\n"),
		r.text(set, "addProofConfigCanon.txt"))
	var lines [][]byte
	for l := range strings.Lines(t.texts[1]) {
		lines = append(lines, []byte(l))
	}
	r.lines(set+" addBaseDocCanon", lines, set, "addBaseDocCanon.json")
}

// mapped is a map from an index to a line as the vectors write it.
type mapped map[int]string

func (m *mapped) UnmarshalJSON(b []byte) error {
	var v struct{ Value [][2]json.RawMessage }
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*m = mapped{}
	for _, entry := range v.Value {
		var i int
		var line string
		if err := json.Unmarshal(entry[0], &i); err != nil {
			return err
		}
		if err := json.Unmarshal(entry[1], &line); err != nil {
			return err
		}
		(*m)[i] = line
	}
	return nil
}

// parts returns the lines that are selected and the others.
func parts(trace *vcdm.SDTrace, selected []bool) (in, others mapped) {
	in, others = mapped{}, mapped{}
	for i, l := range trace.Lines {
		if selected[i] {
			in[i] = string(l)
		} else {
			others[i] = string(l)
		}
	}
	return in, others
}

// groups compares the matching and non-matching lines of each group and the labels.
func (r *reader) groups(id string, trace *vcdm.SDTrace, set string) {
	type group struct{ Matching, NonMatching mapped }
	var file struct {
		Groups   map[string]group
		LabelMap struct{ Value [][2]string }
		NQuads   []string `json:"nquads"`
	}

	r.must(id, r.json(&file, set, "derivedAllGroupData.json"), func() error {
		got := map[string]group{}
		for name, selected := range map[string][]bool{"mandatory": trace.Mandatory,
			"selective": trace.Selective, "combined": trace.Combined} {
			in, others := parts(trace, selected)
			got[name] = group{in, others}
		}
		if err := same(got, file.Groups); err != nil {
			return err
		}
		text := ""
		for i, l := range trace.Lines {
			if i >= len(file.NQuads) || file.NQuads[i] != string(l) {
				return fmt.Errorf("nquads: line %d differs", i)
			}
			text += string(l)
		}
		for _, entry := range file.LabelMap.Value {
			if !strings.Contains(text, "_:"+entry[1]+" ") {
				return fmt.Errorf("label %s is nowhere", entry[1])
			}
		}
		return nil
	})
}

// lines compares lines with a file that lists them.
func (r *reader) lines(id string, got [][]byte, path ...string) {
	var want []string
	r.must(id, r.json(&want, path...), func() error {
		have := make([]string, len(got))
		for i, l := range got {
			have[i] = string(l)
		}
		return same(have, want)
	})
}

// same compares a value with a JSON file.
func (r *reader) same(id string, got any, path ...string) {
	want, err := r.read(path...)
	r.must(id, err, func() error {
		have, err := json.Marshal(got)
		if err != nil {
			return err
		}
		return sameJSON(have, want)
	})
}

// must adds the outcome of f, or err if a file could not be read.
func (r *reader) must(id string, err error, f func() error) {
	if err == nil {
		err = f()
	}
	r.check(id, err)
}

func same(got, want any) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	a, b := fmt.Sprint(got), fmt.Sprint(want)
	return fmt.Errorf("got %s, want %s", clip(a, b), clip(b, a))
}

// rawBase and rawDerived are proof values as CBOR has them.
type rawBase struct {
	_                 struct{} `cbor:",toarray"`
	BaseSignature     []byte
	PublicKey         []byte
	HMACKey           []byte
	Signatures        [][]byte
	MandatoryPointers []string
}

type rawDerived struct {
	_                struct{} `cbor:",toarray"`
	BaseSignature    []byte
	PublicKey        []byte
	Signatures       [][]byte
	LabelMap         map[int][]byte
	MandatoryIndexes []int
}

// info returns a base proof as the vectors write it; they name the public key in two ways, once without
// HMAC key.
func (b *rawBase) info(publicKey string) map[string]any {
	m := map[string]any{"baseSignature": hex.EncodeToString(b.BaseSignature),
		publicKey:    multikey(b.PublicKey),
		"signatures": hexAll(b.Signatures), "mandatoryPointers": b.MandatoryPointers}
	if publicKey == "proofPublicKey" {
		m["hmacKey"] = hex.EncodeToString(b.HMACKey)
	}
	return m
}

// info returns a derived proof as the vectors write it; the label map is a tagged map or a list of pairs.
func (d *rawDerived) info(tagged bool) map[string]any {
	var numbers []int
	for n := range d.LabelMap {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	pairs := [][2]string{}
	for _, n := range numbers {
		pairs = append(pairs, [2]string{fmt.Sprintf("c14n%d", n), "u" +
			base64.RawURLEncoding.EncodeToString(d.LabelMap[n])})
	}
	m := map[string]any{"baseSignature": hex.EncodeToString(d.BaseSignature),
		"publicKey":  multikey(d.PublicKey),
		"signatures": hexAll(d.Signatures), "labelMap": pairs, "mandatoryIndexes": d.MandatoryIndexes}
	if tagged {
		m["labelMap"] = map[string]any{"dataType": "Map", "value": pairs}
	}
	return m
}

func decodeProof(doc []byte, value any) error {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(proofValue(doc), "u"))
	if err != nil || len(b) < 3 {
		return fmt.Errorf("proofValue is not base64url: %w", err)
	}
	return cbor.Unmarshal(b[3:], value)
}

func multikey(b []byte) string { return "z" + base58.Encode(b) }

func hexAll(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = hex.EncodeToString(b)
	}
	return out
}

// indexes lists the lines that are selected, or those that are not.
func indexes(selected []bool, want bool) []int {
	list := []int{}
	for i, s := range selected {
		if s == want {
			list = append(list, i)
		}
	}
	return list
}

// positions lists which of the base proof's signatures a derived proof keeps.
func positions(t *vcdm.SDTrace) []int {
	list := []int{}
	n := 0
	for i := range t.Lines {
		if t.Mandatory[i] {
			continue
		}
		if t.Selective[i] {
			list = append(list, n)
		}
		n++
	}
	return list
}
