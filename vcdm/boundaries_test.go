package vcdm_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mr-tron/base58"

	"canonscope/canon"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/rules"
)

// Options are signed alike however they are spelled, and a proof value or a context among them makes no difference to what
// is refused.
func TestOptionsInEverySpelling(t *testing.T) {
	l := newLab(t)
	for _, s := range plain {
		o := string(l.options(s).AppendJSON(nil, s))
		for _, more := range []string{"", `,"@context":"https://www.w3.org/ns/credentials/v2"`,
			`,"proofValue":"z2"`, `,"nonce":"n"`} {
			o := o[:len(o)-1] + more + "}"
			a, errA := l.add(s, credential, o)
			b, errB := l.add(s, credential, " "+o+"\n")
			c, errC := l.add(s, credential, strings.Replace(o, `":`, `" : `, 1))
			if fmt.Sprint(errA) != fmt.Sprint(errB) || fmt.Sprint(errA) != fmt.Sprint(errC) {
				t.Errorf("%s %s: %v, with space around %v, with space within %v", s, more, errA, errB, errC)
			}
			if errA != nil {
				continue
			}
			for _, doc := range [][]byte{a, b, c} {
				l.accept(s+more, string(doc))
				if encode(l, decode(l, string(doc))) != encode(l, decode(l, string(a))) {
					t.Errorf("%s %s: %s\nand %s", s, more, a, doc)
				}
			}
		}
	}
}

// A credential of version 1 has an id for its status and its refresh service (VC Data Model 1.1, 4.9 and 5.4), one of version
// 2 need not.
func TestIDsOfVersion1(t *testing.T) {
	for _, name := range []string{"credentialStatus", "refreshService", "termsOfUse", "evidence",
		"credentialSchema"} {
		v1 := `{"@context":["https://www.w3.org/2018/credentials/v1"],"type":"VerifiableCredential","issuer":"urn:x:1",` +
			`"issuanceDate":"2025-01-01T00:00:00Z","credentialSubject":{"id":"urn:x:2"},"` + name + `":{"type":"T"}}`
		v2 := strings.NewReplacer("https://www.w3.org/2018/credentials/v1", rules.BaseContext,
			"issuanceDate", "validFrom").
			Replace(v1)
		schema := name == "credentialSchema"
		for doc, ok := range map[string]bool{v1: !schema && name != "credentialStatus" &&
			name != "refreshService", v2: !schema} {
			if err := rules.CheckCredential([]byte(doc), canon.Limits{}); (err == nil) != ok {
				t.Errorf("%s: %v", doc, err)
			}
		}
	}
}

// A document may have as many proofs as the limit says, and an operation as many signatures, of which one of P-384 is twelve.
func TestLimitsAreReached(t *testing.T) {
	l := newLab(t)
	verify := func(doc string, limits canon.Limits) error {
		v := l.verifier()
		v.Limits = limits
		return v.VerifyAll(context.Background(), []byte(doc)).Err()
	}
	three := l.chain("eddsa-jcs-2022")
	s := &vcdm.Signer{Suite: l.suite("ecdsa-jcs-2019"), Key: l.secrets[keys.ES384]}
	o := &vcdm.Options{Method: s.Key.Public().Method(), Purpose: vcdm.AssertionMethod}
	long, err := s.Add(context.Background(), []byte(credential), o.AppendJSON(nil, "ecdsa-jcs-2019"))
	if err != nil {
		t.Fatal(err)
	}
	short := l.sign("ecdsa-jcs-2019", credential)
	for _, c := range []struct {
		name, doc string
		limits    canon.Limits
		ok        bool
	}{
		{"three proofs of three", three, canon.Limits{Proofs: 3}, true},
		{"three proofs of two", three, canon.Limits{Proofs: 2}, false},
		{"P-384", string(long), canon.Limits{Signatures: 12}, true},
		{"P-384", string(long), canon.Limits{Signatures: 11}, false},
		{"P-256", short, canon.Limits{Signatures: 1}, true},
		{"three signatures", three, canon.Limits{Signatures: 3}, true},
		{"three signatures of two", three, canon.Limits{Signatures: 2}, false},
	} {
		err := verify(c.doc, c.limits)
		var limit *canon.LimitError
		if c.ok != (err == nil) || !c.ok && !errors.As(err, &limit) {
			t.Errorf("%s, %d proofs, %d signatures: %v", c.name, c.limits.Proofs, c.limits.Signatures, err)
		}
	}
}

// Work is counted: two canonicalizations and one signature, or one check of it.
func TestCounts(t *testing.T) {
	l := newLab(t)
	for _, suite := range plain {
		var made, checked vcdm.Counts
		s := &vcdm.Signer{Suite: l.suite(suite), Key: l.key(suite), Counts: &made}
		doc, err := s.Add(context.Background(), []byte(credential), l.options(suite).AppendJSON(nil, suite))
		if err != nil {
			t.Fatal(err)
		}
		v := l.verifier()
		v.Counts = &checked
		if err := v.Verify(context.Background(), doc).Err(); err != nil {
			t.Fatal(err)
		}
		if made != (vcdm.Counts{Canonicalizations: 2, Signatures: 1}) ||
			checked != (vcdm.Counts{Canonicalizations: 2, Verifications: 1}) {
			t.Errorf("%s: signing %+v, verifying %+v", suite, made, checked)
		}
	}
}

// To derive signs nothing with ecdsa-sd-2023; with bbs-2023 the proof that the holder makes counts as a signature.
func TestCountsOfDerivation(t *testing.T) {
	l := newLab(t)
	for suite, want := range map[string]int{sd: 0, bbs: 1} {
		var counts vcdm.Counts
		h := &vcdm.Holder{Suite: l.suite(suite).(*vcdm.SD), Counts: &counts}
		if _, err := h.Derive(context.Background(), []byte(l.sign(suite, credential)),
			[]string{"/issuer"}); err != nil {
			t.Fatal(err)
		}
		if counts.Signatures != want || counts.Verifications != 0 {
			t.Errorf("%s: %+v, want signatures %d", suite, counts, want)
		}
	}
}

// Of a document without @context the JCS suites sign a configuration without one (VC-DI-EdDSA 3.3.1 step 2).
func TestNoContext(t *testing.T) {
	l := newLab(t)
	for _, suite := range []string{"eddsa-jcs-2022", "ecdsa-jcs-2019"} {
		doc := l.sign(suite, `{"type":"Plain","a":1}`)
		if _, ok := proofOf(decode(t, doc))["@context"]; ok {
			t.Errorf("%s: the proof has an @context", suite)
		}
		l.accept(suite, doc)
		l.refuse(suite, setProof(t, doc, "@context", rules.BaseContext))
	}
}

// What an operation took of a budget is given back when it is done.
func TestMemoryIsGivenBack(t *testing.T) {
	l := newLab(t)
	ctx := canon.WithBudget(context.Background(), canon.Limits{})
	budget := canon.BudgetOf(ctx, nil, new(canon.Budget), canon.Limits{})
	before := budget.Left()
	for _, s := range everySuite {
		doc := l.present(s, credential)
		if err := l.verifier().Verify(ctx, []byte(doc)).Err(); err != nil {
			t.Fatal(err)
		}
		if left := budget.Left(); left != before {
			t.Errorf("%s: %d bytes of %d are left", s, left, before)
		}
	}
}

// What nobody looked into is listed: credentials inside the document, each of them, and a challenge and a domain that the
// verifier did not ask for. A context is listed once though a proof repeats it.
func TestUncheckedIsListed(t *testing.T) {
	l := newLab(t)
	doc := l.sign("eddsa-jcs-2022", edit(l, credential, func(m map[string]any) {
		inner := map[string]any{
			"type": "VerifiableCredential",
			"of":   map[string]any{"type": "VerifiableCredential"},
		}
		subjectOf(m)["related"] = []any{inner, inner, map[string]any{"x": inner}}
	}), func(o *vcdm.Options) { o.Challenge, o.Domain = "c", []string{"d"} })
	related := []string{
		"/credentialSubject/related/0",
		"/credentialSubject/related/1",
		"/credentialSubject/related/2/x",
	}
	for _, asked := range []bool{false, true} {
		v := l.verifier()
		want := append([]string{"/proof/challenge", "/proof/domain"}, related...)
		if asked {
			v.Challenge, v.Domain, want = "c", []string{"d"}, related
		}
		r := v.Verify(context.Background(), []byte(doc))
		if got := r.Unchecked(); r.Err() != nil ||
			!slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("asked %v: %v, unchecked %q, want %q", asked, r.Err(), got, want)
		}
		if got := r.UnknownContexts(); len(got) != 1 {
			t.Errorf("contexts %v", got)
		}
	}
}

// A credential is not a presentation, and what verifies nothing says so.
func TestPresentationIsWanted(t *testing.T) {
	l := newLab(t)
	for _, s := range everySuite {
		r := l.verifier().VerifyPresentation(context.Background(), []byte(l.present(s, credential)))
		if err := r.Err(); r.Verified || err == nil ||
			!strings.Contains(err.Error(), "VerifiablePresentation") {
			t.Errorf("%s: a credential as a presentation: %v", s, err)
		}
	}
	if r := (*vcdm.Verifier)(nil).VerifyPresentation(context.Background(), []byte(credential)); r.Verified ||
		r.Err() == nil {
		t.Errorf("without a verifier: %+v", r)
	}
}

// To check a base proof of bbs-2023 takes as much work as there are statements that it signs one by one.
func TestLimitOfBaseProofs(t *testing.T) {
	l := newLab(t)
	base := []byte(l.sign(bbs, credential))
	var counts vcdm.Counts
	h := &vcdm.Holder{Suite: l.suite(bbs).(*vcdm.SD), Counts: &counts}
	if _, err := h.Derive(context.Background(), base, []string{"/issuer"}); err != nil {
		t.Fatal(err)
	}
	statements := counts.Digests
	for less, want := range map[int]bool{0: true, 1: false} {
		h.Limits.Signatures = statements - less
		err := h.Check(context.Background(), base, nil)
		var limit *canon.LimitError
		if (err == nil) != want || !want && !errors.As(err, &limit) {
			t.Errorf("%d less than %d: %v", less, statements, err)
		}
	}
}

// With bbs-2023 each statement is a digest, whoever makes or checks a proof of it.
func TestCountsOfBBS(t *testing.T) {
	l := newLab(t)
	ctx := context.Background()
	for _, f := range []vcdm.Feature{vcdm.Baseline, vcdm.HolderBinding} {
		var made, held, shown, checked vcdm.Counts
		var o, own vcdm.BBSOptions
		if f != vcdm.Baseline {
			holder, err := vcdm.CommitBBS(f)
			if err != nil {
				t.Fatal(err)
			}
			o, own.Holder = vcdm.BBSOptions{Feature: f, Commitment: holder.Commitment}, holder
		}
		signer := &vcdm.Signer{Suite: l.bbsSuite(o), Key: l.key(bbs), Counts: &made}
		base, err := signer.Add(ctx, []byte(credential), l.options(bbs).AppendJSON(nil, bbs))
		if err != nil {
			t.Fatal(err)
		}
		h := &vcdm.Holder{Suite: l.bbsSuite(own), Counts: &held}
		if err := h.Check(ctx, base, nil); err != nil {
			t.Fatal(err)
		}
		h.Counts = &shown
		derived, err := h.Derive(ctx, base, []string{"/credentialSubject/degree"})
		if err != nil {
			t.Fatal(err)
		}
		v := l.verifier()
		v.Counts = &checked
		if err := v.Verify(ctx, derived).Err(); err != nil {
			t.Fatal(err)
		}

		bound := 0 // the holder of a bound proof checks the signature before it is used
		if f != vcdm.Baseline {
			bound = 1
		}
		if all := made.Digests; made.Signatures != 1 || made.Verifications != 0 ||
			held.Signatures != 0 || held.Verifications != 1-bound || held.Digests != all*(1-bound) ||
			shown.Signatures != 1 || shown.Verifications != bound || shown.Digests != all ||
			checked.Signatures != 0 || checked.Verifications != 1 || checked.Digests >= all {
			t.Errorf("%s: issue %+v, check %+v, derive %+v, verify %+v", f, made, held, shown, checked)
		}
	}
}

// To verify a derived proof of bbs-2023 takes as much work as there are statements, shown or hidden, and one.
func TestLimitOfDerivedProofs(t *testing.T) {
	l := newLab(t)
	var made, checked vcdm.Counts
	h := &vcdm.Holder{Suite: l.suite(bbs).(*vcdm.SD), Counts: &made}
	doc, err := h.Derive(context.Background(), []byte(l.sign(bbs, credential)), []string{"/credentialSubject/degree"})
	if err != nil {
		t.Fatal(err)
	}
	for less, want := range map[int]bool{0: true, 1: false} {
		v := l.verifier()
		v.Counts, v.Limits.Signatures = &checked, made.Digests+1-less
		err := v.Verify(context.Background(), doc).Err()
		var limit *canon.LimitError
		if (err == nil) != want || !want && !errors.As(err, &limit) {
			t.Errorf("%d less than %d and one: %v", less, made.Digests, err)
		}
	}
}

// A feature has one name, and no other value has any.
func TestNamesOfFeatures(t *testing.T) {
	for i, name := range vcdm.Features {
		if f, err := vcdm.FeatureNamed(name); err != nil || int(f) != i || f.String() != name {
			t.Errorf("%s is read as %d, %s: %v", name, f, f, err)
		}
	}
	for _, f := range []vcdm.Feature{-1, vcdm.Feature(len(vcdm.Features))} {
		if want := fmt.Sprintf("Feature(%d)", int(f)); f.String() != want {
			t.Errorf("%s, want %s", f, want)
		}
	}
	if _, err := vcdm.FeatureNamed("other"); err == nil {
		t.Error("there is a feature other")
	}
}

// A method without a key of its type, or with a secret one, says so.
func TestMethodWithoutKey(t *testing.T) {
	const id = "https://controller.example/1"
	for _, c := range []struct{ typ, member, why string }{
		{"Multikey", ``, "publicKeyMultibase is missing"},
		{"Multikey", `,"publicKeyMultibase":{}`, "publicKeyMultibase is missing"},
		{"JsonWebKey", ``, "publicKeyJwk is missing"},
		{"JsonWebKey", `,"publicKeyJwk":"z"`, "publicKeyJwk is missing"},
		{"Other", ``, "type is neither"},
		{"Multikey", `,"secretKeyMultibase":"z"`, "must not hold a secret key"},
		{"JsonWebKey", `,"secretKeyJwk":{}`, "must not hold a secret key"},
	} {
		r := &vcdm.Documents{Document: func(context.Context, string) ([]byte, error) {
			return []byte(`{"id":"` + id + `","assertionMethod":[{"id":"` + id + `#key","controller":"` + id +
				`","type":"` + c.typ + `"` + c.member + `}]}`), nil
		}}
		_, err := r.Resolve(context.Background(), id+"#key", vcdm.AssertionMethod)
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s%s: %v, want %s", c.typ, c.member, err, c.why)
		}
	}
}

// A did:key without a fragment is the name of the key that its document has, and of no other.
func TestKeyNamedByDID(t *testing.T) {
	l := newLab(t)
	key := l.key("eddsa-jcs-2022").Public()
	url := key.DID()
	for other, want := range map[bool]bool{false: true, true: false} {
		has := key
		if other {
			has = l.key("ecdsa-jcs-2019").Public()
		}
		r := &vcdm.Documents{Document: func(context.Context, string) ([]byte, error) {
			return []byte(`{"id":"` + url + `","assertionMethod":[{"id":"` + url + `","controller":"` + url +
				`","type":"Multikey","publicKeyMultibase":"` + has.Multikey() + `"}]}`), nil
		}}
		m, err := r.Resolve(context.Background(), url, vcdm.AssertionMethod)
		if (err == nil) != want || want && !m.Key.Equal(key) {
			t.Errorf("another key %v: %v", other, err)
		}
	}
}

// What is wrong with related resources is listed up to the number of errors that is said of one document.
func TestErrorsOfResourcesAreBounded(t *testing.T) {
	l := newLab(t)
	doc := l.sign("eddsa-jcs-2022", edit(t, credential, func(m map[string]any) {
		m["relatedResource"] = map[string]any{"id": "urn:x:r",
			"digestSRI": slices.Repeat([]any{"sha256-AAAA"}, rules.MaxErrors+5)}
	}))
	v := l.verifier()
	v.Resources = rules.HashesOf(map[string][]byte{"urn:x:r": nil})
	for what, doc := range map[string]string{"signed": doc, "altered": setProof(t, doc, "created", "2025-07-01T10:00:01Z")} {
		if n := len(v.Verify(context.Background(), []byte(doc)).Errors); n != rules.MaxErrors {
			t.Errorf("%s: %d errors, want %d", what, n, rules.MaxErrors)
		}
	}
}

// Proofs of JCS suites over different contexts are each right and do not go together, whatever else they share.
func TestProofsOverDifferentContexts(t *testing.T) {
	l := newLab(t)
	signed := func(more ...any) (doc, proof string) {
		doc, proof, _ = strings.Cut(l.sign("eddsa-jcs-2022", edit(t, credential, func(m map[string]any) {
			m["@context"] = append(m["@context"].([]any), more...)
		})), `"proof":`)
		return doc, strings.TrimSuffix(proof, "}")
	}
	_, short := signed()
	_, long := signed("https://x.example/")
	doc, _ := signed("https://x.example/", "https://y.example/")
	r := l.verifier().VerifyAll(context.Background(), []byte(doc+`"proof":[`+short+","+long+"]}"))
	for i, p := range r.Proofs() {
		if !p.Verified {
			t.Errorf("proof %d: %v", i, p.Err)
		}
	}
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "different contexts") {
		t.Errorf("%v, want the contexts", err)
	}
}

// A JCS proof without a context is about the document with its context, as one of another suite is.
func TestJCSProofWithoutContext(t *testing.T) {
	l := newLab(t)
	signed := l.sign("eddsa-rdfc-2022", credential)
	config := string(l.options("eddsa-jcs-2022").AppendJSON(nil, "eddsa-jcs-2022"))
	var data []byte
	for _, part := range []string{config, credential} {
		form, err := l.jcs.Canonicalize(context.Background(), []byte(part), canon.Options{Input: canon.JSON})
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(form.Text)
		data = append(data, sum[:]...)
	}
	sig, err := l.key("eddsa-jcs-2022").Sign(data)
	if err != nil {
		t.Fatal(err)
	}
	doc := edit(t, signed, func(m map[string]any) {
		proof := decode(t, config)
		proof["proofValue"] = "z" + base58.Encode(sig)
		m["proof"] = []any{proofOf(m), proof}
	})
	l.accept("both", doc)
}

// Statements of a document without a context are not signed with the context of the proof options.
func TestContextOfOptionsAlone(t *testing.T) {
	l := newLab(t)
	const suite = "eddsa-rdfc-2022"
	o := decode(t, string(l.options(suite).AppendJSON(nil, suite)))
	o["@context"] = rules.BaseContext
	s := &vcdm.Signer{Suite: l.suite(suite), Key: l.key(suite), NoInject: true}
	_, err := s.Add(context.Background(), []byte(`{"@id":"urn:x:1","urn:x:p":"v"}`), []byte(encode(t, o)))
	l.failed("a document without context", err, lossErr)
}

// A proof without created that has expired is refused, as one with created is.
func TestExpiryAlone(t *testing.T) {
	l := newLab(t)
	for expires, want := range map[string]bool{"2025-12-31T00:00:00Z": false, "2026-12-31T00:00:00Z": true} {
		for _, at := range []string{"", created} {
			doc := l.sign("eddsa-jcs-2022", credential, func(o *vcdm.Options) { o.Created, o.Expires = at, expires })
			if err := l.verify(doc); (err == nil) != want {
				t.Errorf("created %q, expires %s: %v", at, expires, err)
			}
		}
	}
}

// A verifier that knows contexts refuses a document with others.
func TestContextsThatAreKnown(t *testing.T) {
	l := newLab(t)
	doc := l.sign("eddsa-jcs-2022", credential)
	known := []string{encode(t, decode(t, credential)["@context"])}
	for _, c := range []struct {
		known []string
		want  bool
	}{{nil, true}, {known, true}, {[]string{`"` + rules.BaseContext + `"`}, false}} {
		v := l.verifier()
		v.Contexts = c.known
		if err := v.Verify(context.Background(), []byte(doc)).Err(); (err == nil) != c.want {
			t.Errorf("%q: %v", c.known, err)
		}
	}
}

// A signer without a key, or none, says so.
func TestHalfASigner(t *testing.T) {
	l := newLab(t)
	for _, s := range []*vcdm.Signer{nil, {Suite: l.suite(bbs)}, {Key: l.key(bbs)}} {
		if _, err := s.Add(context.Background(), []byte(credential), nil); err == nil ||
			!strings.Contains(err.Error(), "a Signer needs a Suite") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// A proof that holds and builds on one that does not is not verified.
func TestProofOnAFalseOne(t *testing.T) {
	l := newLab(t)
	const suite = "eddsa-jcs-2022"
	named := func(id string, previous ...string) func(*vcdm.Options) {
		return func(o *vcdm.Options) { o.ID, o.PreviousProof = id, previous }
	}
	first := setProof(t, l.sign(suite, credential, named("urn:p:1")), "created", "2025-07-01T10:00:01Z")
	for on, want := range map[bool]string{true: "urn:p:1 is not verified", false: "<nil>"} {
		var previous []string
		if on {
			previous = []string{"urn:p:1"}
		}
		doc, err := l.signOnto(suite, first, named("urn:p:2", previous...))
		if err != nil {
			t.Fatal(err)
		}
		r := l.verifier().VerifyAll(context.Background(), []byte(doc))
		p := r.Proofs()
		if r.Verified || p[0].Verified || p[1].Verified == on || !strings.Contains(fmt.Sprint(p[1].Err), want) {
			t.Errorf("builds on it %v: %v, %v, want %s", on, p[0].Err, p[1].Err, want)
		}
	}
}
