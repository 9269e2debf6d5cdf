package vcdm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// Selective disclosure counts a digest and a signature for each statement that is not mandatory, and one
// more signature for all; as many signatures pass as the limit says, and not one more.
func TestStatementsAreCounted(t *testing.T) {
	l := newLab(t)
	trace := new(vcdm.SDTrace)
	suite := vcdm.ECDSASD2023(l.rdfc, vcdm.SDOptions{Mandatory: []string{"/issuer"}, Trace: trace})
	options := l.options(sd).AppendJSON(nil, sd)
	issue := func(limit int) (doc []byte, counts vcdm.Counts, err error) {
		s := &vcdm.Signer{Suite: suite, Key: l.key(sd), Counts: &counts, Limits: canon.Limits{Signatures: limit}}
		doc, err = s.Add(context.Background(), []byte(credential), options)
		return doc, counts, err
	}
	base, counts, err := issue(0)
	if err != nil {
		t.Fatal(err)
	}
	others := 0
	for _, mandatory := range trace.Mandatory {
		if !mandatory {
			others++
		}
	}
	if others == 0 || others == len(trace.Lines) || counts.Signatures != others+1 || counts.Digests != others ||
		counts.Verifications != 0 {
		t.Errorf("issuing %d statements of %d that are not mandatory counts %+v", others, len(trace.Lines), counts)
	}

	derive := func(limit int) ([]byte, vcdm.Counts, error) {
		var counts vcdm.Counts
		h := &vcdm.Holder{Suite: suite, Counts: &counts, Limits: canon.Limits{Signatures: limit}}
		doc, err := h.Derive(context.Background(), base, []string{""})
		return doc, counts, err
	}
	derived, counts, err := derive(0)
	if err != nil || counts.Signatures+counts.Digests+counts.Verifications != 0 {
		t.Errorf("deriving counts %+v, %v", counts, err)
	}

	verify := func(limit int) ([]byte, vcdm.Counts, error) {
		var counts vcdm.Counts
		v := l.verifier()
		v.Counts, v.Limits.Signatures = &counts, limit
		return nil, counts, v.Verify(context.Background(), derived).Err()
	}
	if _, counts, err = verify(0); err != nil || counts.Verifications != others+1 || counts.Digests != others ||
		counts.Signatures != 0 {
		t.Errorf("verifying %d statements that are not mandatory counts %+v, %v", others, counts, err)
	}

	for name, c := range map[string]struct {
		of   func(limit int) ([]byte, vcdm.Counts, error)
		most int
	}{"issue": {issue, others + 1}, "derive": {derive, others}, "verify": {verify, others + 1}} {
		if _, _, err := c.of(c.most); err != nil {
			t.Errorf("%s with a limit of %d: %v", name, c.most, err)
		}
		var limit *canon.LimitError
		if _, _, err := c.of(c.most - 1); !errors.As(err, &limit) || limit.Done != int64(c.most) {
			t.Errorf("%s with a limit of %d: %v", name, c.most-1, err)
		}
	}
}

// As many mandatory pointers pass as a holder takes, 1,000, and not one more.
func TestMandatoryPointersAreBounded(t *testing.T) {
	l := newLab(t)
	for n, ok := range map[int]bool{1000: true, 1001: false} {
		s := &vcdm.Signer{Suite: l.suite(sd, slices.Repeat([]string{"/issuer"}, n)...), Key: l.key(sd)}
		doc, err := s.Add(context.Background(), []byte(credential), l.options(sd).AppendJSON(nil, sd))
		if (err == nil) != ok {
			t.Errorf("%d pointers: %v", n, err)
		}
		if ok {
			l.accept("derived", l.derive(string(doc), ""))
		}
	}
}

// once is a resolver during whose first answer the context ends.
type once struct {
	cancel context.CancelFunc
	calls  int
}

func (o *once) Resolve(ctx context.Context, url, purpose string) (*vcdm.Method, error) {
	o.calls++
	o.cancel()
	return vcdm.DIDKey{}.Resolve(ctx, url, purpose)
}

// Each proof behind the first asks for the time before its key is looked up.
func TestTimeBetweenProofs(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancel(context.Background())
	r := &once{cancel: cancel}
	v := l.verifier()
	v.Resolver = r
	err := v.VerifyAll(ctx, []byte(l.chain("eddsa-jcs-2022"))).Err()
	var limit *canon.LimitError
	if !errors.As(err, &limit) || limit.Limit != "time" || r.calls != 1 {
		t.Errorf("%d keys are looked up, %v", r.calls, err)
	}
}

// Related resources are compared with what the verifier knows even where it does not ask for the form of the
// data model; where it knows nothing either, they are listed.
func TestResourcesWithoutForm(t *testing.T) {
	l := newLab(t)
	const right, wrong = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256-AAAA"
	for _, c := range []struct {
		digest    string
		resources rules.Hashes
		ok        bool
		unchecked string
	}{
		{right, nil, true, "[/relatedResource]"}, {wrong, nil, true, "[/relatedResource]"},
		{right, rules.HashesOf(map[string][]byte{"urn:x:r": nil}), true, "[]"},
		{wrong, rules.HashesOf(map[string][]byte{"urn:x:r": nil}), false, "[]"},
		{right, rules.HashesOf(nil), true, "[/relatedResource/digestSRI]"},
	} {
		doc := l.sign("eddsa-jcs-2022", edit(l, credential, func(m map[string]any) {
			m["relatedResource"] = map[string]any{"id": "urn:x:r", "digestSRI": c.digest}
		}))
		v := l.verifier()
		v.Resources = c.resources
		r := v.Verify(context.Background(), []byte(doc))
		if got := fmt.Sprint(r.Unchecked()); (r.Err() == nil) != c.ok || got != c.unchecked {
			t.Errorf("%s: %v, unchecked %s, want %s", c.digest, r.Err(), got, c.unchecked)
		}
	}
}

// Who presents has to be the subject of each credential where the verifier says so: one subject, by its id.
func TestOwnOnly(t *testing.T) {
	l := newLab(t)
	const suite = "eddsa-jcs-2022"
	holder, _, _ := strings.Cut(l.key(suite).Public().Method(), "#")
	for subject, ok := range map[string]bool{
		`{"id":"` + holder + `","a":1}`: true, `{"id":"urn:x:other"}`: false, `{"a":1}`: false,
		`[{"id":"` + holder + `"}]`: false, `"` + holder + `"`: false, ``: false,
	} {
		doc := `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":"VerifiableCredential","issuer":"` + holder + `"`
		if subject != "" {
			doc += `,"credentialSubject":` + subject
		}
		signed := l.sign(suite, doc+"}")
		shown := l.sign(suite, string(l.presentation(holder, []byte(signed))),
			func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
		for _, only := range []bool{false, true} {
			v := l.verifier()
			v.Purpose, v.OwnOnly = "", only
			err := v.VerifyPresentation(context.Background(), []byte(shown)).Err()
			if (err == nil) != (ok || !only) || err != nil && !strings.Contains(err.Error(), "/verifiableCredential/0/credentialSubject/id") {
				t.Errorf("subject %s, of the presenter alone %v: %v", subject, only, err)
			}
		}
	}
}

// Keys that were read before are found by their URL, for any purpose; no other is.
func TestParsed(t *testing.T) {
	m := &vcdm.Method{ID: "urn:x:m"}
	p := vcdm.Parsed{"urn:x:m": m, "urn:x:nil": nil}
	if got, err := p.Resolve(context.Background(), "urn:x:m", "any"); got != m || err != nil {
		t.Errorf("%v %v", got, err)
	}
	for _, url := range []string{"urn:x:other", "urn:x:nil"} {
		var e *problem.Error
		if got, err := p.Resolve(context.Background(), url, "any"); got != nil || !errors.As(err, &e) ||
			e.Type != problem.InvalidMethodURL {
			t.Errorf("%s: %v %v", url, got, err)
		}
	}
}

// The suite to present a document with is ecdsa-sd-2023 where it has such a proof, else that of its first
// proof with a suite.
func TestSuiteOf(t *testing.T) {
	for doc, want := range map[string]string{
		`{"proof":{"cryptosuite":"a"}}`: "a", `{"proof":[{"cryptosuite":"a"},{"cryptosuite":"b"}]}`: "a",
		`{"proof":[{"cryptosuite":"a"},{"cryptosuite":"ecdsa-sd-2023"}]}`: sd,
		`{"proof":[{},{"cryptosuite":"b"}]}`:                              "b", `{"proof":[]}`: "", `{"proof":{}}`: "", `{}`: "", `{"proof":5}`: "",
	} {
		if got, err := vcdm.SuiteOf([]byte(doc), canon.Limits{}); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s %v", doc, got, err)
		}
	}
}

// The error of a key that a suite does not take names what it takes.
func TestKeyErrors(t *testing.T) {
	for _, c := range []struct {
		err  vcdm.KeyError
		want string
	}{
		{vcdm.KeyError{Suite: "s", Algorithm: keys.ES256, Takes: []keys.Algorithm{keys.EdDSA}},
			"s cannot use a key for ES256; it takes EdDSA"},
		{vcdm.KeyError{Suite: "s", Takes: []keys.Algorithm{keys.ES256, keys.ES384}},
			"s cannot use an empty key; it takes ES256 or ES384"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Each call of a canonicalizer is counted, on the short path and on the literal one.
func TestCanonicalizationsOfSD(t *testing.T) {
	l := newLab(t)
	for engine, want := range map[canon.Engine][2]int{
		canon.Native: {4, 3}, // options, document, mandatory part twice; document, selection twice
		canon.Stock:  {2, 2}, // options, document; document, selection
	} {
		var made, derived vcdm.Counts
		suite := vcdm.ECDSASD2023(engineWith(t, engine, canon.RDFC, contexts.Embedded()), vcdm.SDOptions{Mandatory: []string{"/issuer"}})
		s := &vcdm.Signer{Suite: suite, Key: l.key(sd), Counts: &made}
		doc, err := s.Add(context.Background(), []byte(credential), l.options(sd).AppendJSON(nil, sd))
		if err != nil {
			t.Fatal(err)
		}
		h := &vcdm.Holder{Suite: suite, Counts: &derived}
		if _, err := h.Derive(context.Background(), doc, []string{"/validFrom"}); err != nil {
			t.Fatal(err)
		}
		if got := [2]int{made.Canonicalizations, derived.Canonicalizations}; got != want {
			t.Errorf("%s: %v canonicalizations to issue and derive, want %v", engine, got, want)
		}
	}
}
