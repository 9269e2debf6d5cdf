package vcdm_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/vcdm"
	"canonscope/vcdm/rules"
)

// signer adds no context where noInject says so, and counts.
func (l *lab) signer(suite string, noInject bool) *vcdm.Signer {
	return &vcdm.Signer{Suite: l.suite(suite), Key: l.key(suite), NoInject: noInject,
		Counts: new(vcdm.Counts), Limits: l.limits}
}

const version1 = `{"@context":["https://www.w3.org/2018/credentials/v1"],"type":["VerifiableCredential"],"issuer":"https://university.example/14",
 "issuanceDate":"2025-01-01T00:00:00Z","credentialSubject":{"id":"did:example:student"}}`

// A document whose contexts do not define the terms of a proof gets the context that does; what is signed
// is what is returned (VC Data Integrity 2.4.1).
func TestInjection(t *testing.T) {
	l := newLab(t)
	const added = `"https://w3id.org/security/data-integrity/v2"`
	own := `{"@context":CONTEXT,"id":"urn:x:1","s":"v"}`
	const terms = `{"id":"@id","type":"@type","s":"urn:s"}`
	for name, c := range map[string]struct{ doc, context string }{
		"VCDM 1.1":    {version1, `["https://www.w3.org/2018/credentials/v1",` + added + `]`},
		"one context": {strings.Replace(own, "CONTEXT", terms, 1), `[` + terms + `,` + added + `]`},
		"a list":      {strings.Replace(own, "CONTEXT", "[ "+terms+" ]", 1), `[` + terms + `,` + added + `]`},
		"a part of the terms": {strings.Replace(own, "CONTEXT",
			`[{"DataIntegrityProof":"https://w3id.org/security#DataIntegrityProof"},`+terms+`]`, 1),
			`[{"DataIntegrityProof":"https://w3id.org/security#DataIntegrityProof"},` + terms + `,` + added +
				`]`},
		"no context": {`{"id":"urn:x:1","type":"https://example.org/T"}`, added},
	} {
		for _, suite := range everySuite {
			ctx, options := context.Background(), l.options(suite).AppendJSON(nil, suite)
			jcs := vcdm.MethodOf(suite) == canon.JCS
			if jcs && (name == "no context" || name == "a part of the terms") {
				continue
			}
			s := l.signer(suite, false)
			signed, err := s.Add(ctx, []byte(c.doc), options)
			if err != nil {
				t.Errorf("%s: %s: %v", suite, name, err)
				continue
			}
			doc := string(signed)
			if s.Counts.Injections != 1 {
				t.Errorf("%s: %s: %d injections", suite, name, s.Counts.Injections)
			}
			if got := encode(t, decode(t, doc)["@context"]); got != encode(t,
				decode(t, `{"x":`+c.context+`}`)["x"]) {
				t.Errorf("%s: %s: @context is %s", suite, name, got)
			}
			if derives(suite) {
				doc = l.derive(doc, "")
			}
			l.accept(suite+": "+name, doc)
			// Verification adds nothing.
			l.refuse(suite+": "+name+" without it",
				edit(t, doc, func(m map[string]any) { m["@context"] = decode(t, c.doc)["@context"] }))

			_, err = l.signer(suite, true).Add(ctx, []byte(c.doc), options)
			l.failed(suite+": "+name, err, lossErr)
			if err != nil && !strings.Contains(err.Error(),
				"add https://w3id.org/security/data-integrity/v2") {
				t.Errorf("%s: %s: %v", suite, name, err)
			}
		}
	}
}

// Nothing is added where the terms are defined, or where a JCS suite cannot tell.
func TestNoInjection(t *testing.T) {
	l := newLab(t)
	sign := func(suite, doc string) {
		t.Helper()
		s := l.signer(suite, true)
		signed, err := s.Add(context.Background(), []byte(doc), l.options(suite).AppendJSON(nil, suite))
		if err != nil {
			t.Errorf("%s: %s: %v", suite, doc, err)
		} else if context := encode(t, decode(t, string(signed))["@context"]); context != encode(t,
			decode(t, doc)["@context"]) || s.Counts.Injections != 0 {
			t.Errorf("%s: %s: @context is %s", suite, doc, context)
		}
	}
	for _, suite := range everySuite {
		sign(suite, credential)
		sign(suite, strings.Replace(version1, `v1"]`, `v1","https://w3id.org/security/data-integrity/v2"]`,
			1))
	}
	for _, doc := range []string{`{"id":"urn:x:1"}`, `{"@context":"https://example.org/unknown"}`,
		`{"@context":[{"@vocab":"https://example.org/"}],"id":"x"}`,
		`{"@context":{"id":"https://example.org/id"},"id":"x"}`,
		`{"@context":[{"s":"urn:s"},{"@context":{"DataIntegrityProof":"urn:p"}}],"s":"x"}`} {
		sign("eddsa-jcs-2022", doc)
	}
	// The second proof of a JCS suite leaves the document of the first as it is.
	doc := setProof(t, l.sign("eddsa-jcs-2022", `{"id":"urn:x:1"}`), "nonce", "x")
	sign("ecdsa-jcs-2019", edit(t, doc,
		func(m map[string]any) { m["@context"] = []any{"https://www.w3.org/2018/credentials/v1"} }))
}

// A context is not added where it would change what the document says, hide what its own contexts do not
// define, or break a proof.
func TestInjectionRefused(t *testing.T) {
	l := newLab(t)
	other := setProof(t, l.sign("eddsa-rdfc-2022", version1), "type", "AnotherProof")
	for name, c := range map[string]struct{ doc, want string }{
		"another id": {`{"@context":{"@vocab":"urn:v:","s":"urn:s"},"id":"urn:x:1","s":"v"}`,
			"would say something else"},
		"another type": {`{"@context":{"type":"urn:kind","s":"urn:s"},"type":"x","s":"v"}`,
			"cannot be added"},
		"protected": {`{"@context":{"@protected":true,"id":{"@id":"urn:id"},"s":"urn:s"},"id":"x","s":"v"}`, "protected term redefinition"},
		"undefined id": {`{"@context":{"s":"urn:s"},"id":"urn:x:1","s":"v"}`,
			`data would be lost at "/id": undefined term`},
		"undefined term": {strings.Replace(version1, `"type"`, `"lost":"x","type"`, 1),
			`data would be lost at "/lost": undefined term`},
		"a proof": {edit(t, other,
			func(m map[string]any) { m["@context"] = []any{"https://www.w3.org/2018/credentials/v1"} }),
			"has a proof already"},
		"another meaning of its terms": {`{"@context":{"id":"@id","type":"@type","s":"urn:s","DataIntegrityProof":"https://w3id.org/security#DataIntegrityProof",
			"cryptosuite":{"@id":"https://w3id.org/security#proofPurpose"},"proofPurpose":{"@id":"https://w3id.org/security#cryptosuite"},"verificationMethod":"https://w3id.org/security#verificationMethod",
			"created":"http://purl.org/dc/terms/created"},"id":"urn:x:1","s":"v"}`, "in another way"},
	} {
		for _, suite := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", sd} {
			s := l.signer(suite, false)
			_, err := s.Add(context.Background(), []byte(c.doc), l.options(suite).AppendJSON(nil, suite))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %s: %v, want %q", suite, name, err, c.want)
			}
			if s.Counts.Injections != 0 {
				t.Errorf("%s: %s: counted", suite, name)
			}
		}
	}
	// An option that no context defines is told of as it is.
	_, err := l.add("eddsa-rdfc-2022", credential,
		strings.Replace(string(l.options("eddsa-rdfc-2022").AppendJSON(nil, "eddsa-rdfc-2022")), "{",
			`{"foo":"x",`, 1))
	var loss *canon.LossError
	if !errors.As(err, &loss) || loss.Losses[0].Pointer != "/foo" {
		t.Errorf("an undefined option: %v", err)
	}
}

// The report of a credential of version 1.1 without the data-integrity context.
func TestReportWithoutProofTerms(t *testing.T) {
	l := newLab(t)
	doc := string(readFile(t, filepath.Join(official.Dir(t, "reports"), "90-no-di.json")))
	for _, suite := range plain {
		l.accept(suite, l.sign(suite, doc))
	}
}

// A context that stands in another as its only member is read, so it may not define the terms of the data
// model anew.
func TestNestedContext(t *testing.T) {
	l := newLab(t)
	nest := func(terms string) string {
		return `{"@context":["https://www.w3.org/ns/credentials/v2",{"@context":` + terms +
			`}],"type":["VerifiableCredential"],"issuer":"` +
			l.key("eddsa-rdfc-2022").Public().DID() + `","credentialSubject":{"alumniOf":"The School"}}`
	}
	good := nest(`{"alumniOf":"https://schema.org/alumniOf"}`)
	if err := rules.CheckCredential([]byte(good), canon.Limits{}); err != nil {
		t.Error(err)
	}
	for _, suite := range everySuite {
		l.accept(suite, l.present(suite, good))
	}
	for _, terms := range []string{`{"issuer":"https://schema.org/author"}`,
		`{"@context":{"issuer":"https://schema.org/author"}}`,
		`{"author":"https://www.w3.org/2018/credentials#issuer"}`} {
		if err := rules.CheckCredential([]byte(nest(terms)), canon.Limits{}); err == nil ||
			!strings.Contains(err.Error(), "/@context/1/@context/") {
			t.Errorf("%s: %v", terms, err)
		}
	}
}
