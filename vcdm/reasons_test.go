package vcdm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// What a caller can do something about has a cause to recognize, and a text that says what is wrong where.
func TestReasons(t *testing.T) {
	l := newLab(t)
	base := l.sign(sd, credential)
	derived := l.derive(base, "/credentialSubject/degree")
	plainText := l.sign("eddsa-jcs-2022", credential)
	_, suiteless := vcdm.SuiteOf([]byte(setProof(t, plainText, "cryptosuite", nil)), canon.Limits{})
	_, unsigned := vcdm.SuiteOf([]byte(credential), canon.Limits{})
	_, again := l.tryDerive(derived, "/issuer")
	_, lost := (&vcdm.Signer{Suite: l.suite("eddsa-rdfc-2022"),
		Key: l.secrets[keys.EdDSA]}).Add(context.Background(),
		[]byte(edit(t, credential, func(m map[string]any) { m["unknown"] = "x" })),
		l.options("eddsa-rdfc-2022").AppendJSON(nil, "eddsa-rdfc-2022"))
	pointing := func(pointer string) error {
		_, err := vcdm.Selector{}.Select(context.Background(), []byte(credential), []string{pointer})
		return err
	}
	period := func(name, value string) error {
		v := l.verifier()
		v.AnyPeriod = false
		signed := l.sign("eddsa-jcs-2022", edit(t, credential, func(m map[string]any) { m[name] = value }))
		return v.Verify(context.Background(), []byte(signed)).Err()
	}
	for name, c := range map[string]struct {
		err   error
		cause error // nil wants none of them
		text  string
	}{
		"base": {l.verify(base), vcdm.ErrBaseProof,
			"PROOF_VERIFICATION_ERROR at /proof/proofValue: is not that of a derived proof: it is a base proof"},
		"derived": {again, vcdm.ErrDerivedProof,
			"PROOF_VERIFICATION_ERROR at /proof/proofValue: is not that of a base proof: it is a derived proof"},
		"unsigned":  {unsigned, vcdm.ErrNoProof, "PARSING_ERROR at /proof: is missing"},
		"unsigned2": {l.verify(credential), vcdm.ErrNoProof, "PARSING_ERROR at /proof: is missing"},
		"suiteless": {suiteless, nil, "PARSING_ERROR at /proof: names no cryptosuite"},
		"other": {l.verify(setProof(t, plainText, "cryptosuite", "other-2023")), nil,
			`"other-2023" is not among the suites this verifier uses: eddsa-rdfc-2022, eddsa-jcs-2022, `},
		"type": {l.verify(setProof(t, plainText, "type", "Ed25519Signature2020")), nil,
			"at /proof/type: must be DataIntegrityProof; proofs of other types"},
		"relative": {pointing("issuer"), nil,
			`PROOF_GENERATION_ERROR: JSON pointer issuer does not match the credential: it does not start with /, as `},
		"member": {pointing("/credentialSubject/degre"), nil,
			`: JSON pointer /credentialSubject/degre does not match the credential: /credentialSubject has no member "degre"; did you mean "degree"?`},
		"root": {pointing("/x/y"), nil, `: it has no member "x"`},
		"element": {pointing("/credentialSubject/notes/3"), nil,
			`: /credentialSubject/notes has 3 elements, counted from 0, and no "3"`},
		"part": {pointing("/issuer/id"), nil, `: /issuer is neither an object nor an array`},
		"lost": {lost, nil,
			`DATA_LOSS_DETECTION_ERROR: document: data would be lost at "/unknown": undefined term`},
		"early": {period("validFrom", "2027-01-01T00:00:00Z"), nil,
			"the credential is not valid before 2027-01-01T00:00:00Z: the clock says 2026-01-01T00:00:00Z"},
		"late": {period("validUntil", "2025-05-01T00:00:00Z"), nil,
			"the credential is not valid after 2025-05-01T00:00:00Z: the clock says 2026-01-01T00:00:00Z"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v, want %s", name, c.err, c.text)
		}
		for _, cause := range []error{vcdm.ErrNoProof, vcdm.ErrBaseProof, vcdm.ErrDerivedProof} {
			if errors.Is(c.err, cause) != (cause == c.cause) {
				t.Errorf("%s: its cause is not the one that is wanted: %v", name, c.err)
			}
		}
	}
	for _, suite := range everySuite {
		takes := []keys.Algorithm{keys.ES256, keys.ES384}
		switch suite {
		case sd:
			takes = takes[:1]
		case bbs:
			takes = []keys.Algorithm{keys.BBS}
		case "eddsa-rdfc-2022", "eddsa-jcs-2022":
			takes = []keys.Algorithm{keys.EdDSA}
		}
		for _, alg := range append(slices.Clone(keys.Algorithms), keys.BBS) {
			o := l.options(suite)
			o.Method = l.secrets[alg].Public().Method()
			_, err := (&vcdm.Signer{Suite: l.suite(suite), Key: l.secrets[alg]}).Add(context.Background(),
				[]byte(credential), o.AppendJSON(nil, suite))
			checked := l.verify(setProof(t, l.present(suite, credential), "verificationMethod", o.Method))
			for _, err := range []error{err, checked} {
				var k *vcdm.KeyError
				if errors.As(err, &k) == slices.Contains(takes, alg) || k != nil &&
					(k.Suite != suite || k.Algorithm != alg || !slices.Equal(k.Takes, takes)) {
					t.Errorf("%s with %s: %v", suite, alg, err)
				}
				if k != nil && strings.ContainsAny(err.Error(), "[]") {
					t.Errorf("%s with %s: the list is not in words: %v", suite, alg, err)
				}
			}
		}
	}
}
