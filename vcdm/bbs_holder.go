//phase:caller
package vcdm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/bbs"
)

// BBSHolder is what a holder keeps to itself for an optional feature of bbs-2023, as [CommitBBS] draws it,
// and the commitment to it, which is all that the issuer gets: see [BBSHolder.Public]. As JSON, numbers are
// in multibase (u and base64url).
type BBSHolder struct {
	Feature    Feature
	Commitment []byte // with its proof

	// Numbers of 32 bytes.
	Secret    []byte // nil without holder binding
	Pseudonym []byte // the holder's half of the secret of its pseudonyms, nil without
	Blind     []byte
}

// CommitBBS draws the secrets of a holder for a feature and commits to them.
func CommitBBS(f Feature) (*BBSHolder, error) {
	h := &BBSHolder{Feature: f}
	if f < HolderBinding || f > BindingPseudonym {
		return nil, fmt.Errorf("%s has no secrets of a holder; choose one of %s", f,
			strings.Join(Features[HolderBinding:], ", "))
	}

	for _, secret := range []struct {
		wanted bool
		to     *[]byte
	}{{f.bound(), &h.Secret}, {f.named(), &h.Pseudonym}} {
		if !secret.wanted {
			continue
		}
		var err error
		if *secret.to, err = bbs.RandomScalar(); err != nil {
			return nil, err
		}
	}

	hidden := h.hidden(nil)
	var err error
	h.Commitment, h.Blind, err = bbs.SHA256.Commit(hidden.Messages, hidden.Nym, nil)
	return h, err
}

// Public is what the issuer gets.
func (h *BBSHolder) Public() *BBSHolder {
	return &BBSHolder{Feature: h.Feature, Commitment: h.Commitment}
}

// complete reports whether h has the secrets for a feature.
func (h *BBSHolder) complete(f Feature) bool {
	return h != nil && h.Feature == f && h.Blind != nil && (h.Secret != nil || !f.bound()) &&
		(h.Pseudonym != nil || !f.named())
}

// hidden returns the secrets as package bbs takes them; entropy is the issuer's half of the pseudonyms'
// secret.
func (h *BBSHolder) hidden(entropy []byte) *bbs.Hidden {
	hidden := &bbs.Hidden{Blind: h.Blind}
	if h.Feature.bound() {
		hidden.Messages = [][]byte{h.Secret}
	}
	if h.Feature.named() {
		hidden.Nym = &bbs.Nym{Prover: h.Pseudonym, Signer: entropy}
	}
	return hidden
}

// holderJSON is a holder as JSON.
type holderJSON struct {
	Feature    string  `json:"feature"`
	Commitment binary  `json:"commitment"`
	Secret     *binary `json:"secret,omitempty"`
	Pseudonym  *binary `json:"pseudonymSecret,omitempty"`
	Blind      *binary `json:"blind,omitempty"`
}

// binary is bytes in multibase.
type binary []byte

func (b binary) MarshalText() ([]byte, error) {
	return []byte("u" + multibase64.EncodeToString(b)), nil
}

func (b *binary) UnmarshalText(text []byte) (err error) {
	rest, ok := strings.CutPrefix(string(text), "u")
	if !ok {
		return fmt.Errorf("%.20q is not multibase: it must start with u (base64url)", text)
	}
	*b, err = multibase64.DecodeString(rest)
	return err
}

// MarshalJSON writes all that h holds.
func (h *BBSHolder) MarshalJSON() ([]byte, error) {
	some := func(b []byte) *binary {
		if b == nil {
			return nil
		}
		return (*binary)(&b)
	}
	return json.Marshal(holderJSON{h.Feature.String(), h.Commitment, some(h.Secret), some(h.Pseudonym),
		some(h.Blind)})
}

// UnmarshalJSON reads what MarshalJSON wrote: all secrets of the feature, or none and the commitment alone.
func (h *BBSHolder) UnmarshalJSON(b []byte) error {
	var v holderJSON
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	f, err := FeatureNamed(v.Feature)
	switch {
	case err != nil:
		return err
	case f == Baseline:
		return fmt.Errorf("the feature %s has no commitment", f)
	case len(v.Commitment) != commitmentSize(f):
		return fmt.Errorf("the commitment for %s is %d bytes, want %d", f, len(v.Commitment),
			commitmentSize(f))
	}

	*h = BBSHolder{Feature: f, Commitment: v.Commitment}
	if v.Secret == nil && v.Pseudonym == nil && v.Blind == nil {
		return nil
	}
	for _, secret := range []struct {
		name   string
		wanted bool
		from   *binary
		to     *[]byte
	}{{"secret", f.bound(), v.Secret, &h.Secret}, {"pseudonymSecret", f.named(), v.Pseudonym, &h.Pseudonym},
		{"blind", true, v.Blind, &h.Blind}} {
		switch {
		case secret.wanted != (secret.from != nil):
			return fmt.Errorf("%s has %s: %v, want %v", f, secret.name, !secret.wanted, secret.wanted)
		case !secret.wanted:
			continue
		case len(*secret.from) != bbs.ScalarSize:
			return fmt.Errorf("%s is %d bytes, want %d", secret.name, len(*secret.from), bbs.ScalarSize)
		}
		*secret.to = *secret.from
	}
	return nil
}

// FeatureNamed returns the feature with a name.
func FeatureNamed(name string) (Feature, error) {
	i := slices.Index(Features, name)
	if i < 0 {
		return 0, choice.Unknown("feature", name, Features...)
	}
	return Feature(i), nil
}

// BBSShown is what a derived proof of bbs-2023 shows its verifier beside the statements.
type BBSShown struct {
	Feature   Feature
	Domain    string // of the pseudonym
	Pseudonym []byte // the same each time that one holder presents one credential in the domain; nil without
	Header    []byte // the presentation header, which the holder chose
}

// BBS returns what each derived proof of bbs-2023 shows; nil unless Verified.
func (r *Result) BBS() (shown []BBSShown) {
	if !r.Verified {
		return nil
	}
	add := func(_ *document, _ *proof, v *openDerived) {
		shown = append(shown, BBSShown{v.feature, v.domain, v.pseudonym, v.PresentationHeader})
	}
	if err := derivedProofs(r.secured, canon.Limits{Bytes: len(r.secured) + 1}, add); err != nil {
		return nil // cannot be: it was read to verify it
	}
	return shown
}

// derivedProofs visits the derived proofs of bbs-2023 of a document.
func derivedProofs(doc []byte, limits canon.Limits, visit func(*document, *proof, *openDerived)) error {
	d, err := read(new(jsontape.Tape), doc, limits)
	if err != nil {
		return err
	}
	all, err := d.proofs(nil, limits)
	if err != nil {
		return err
	}

	for i := range all {
		p := &all[i]
		if !p.is(p.suite, bbs2023.Name) {
			continue
		}
		if v, err := parseBBSDerived(p); err == nil { // else a base proof, or a damaged one
			visit(&d, p, v)
		}
	}
	return nil
}
