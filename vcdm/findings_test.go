package vcdm_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// defaults is a verifier with its suites set and nothing else, at a time when the attacks were made.
func (l *lab) defaults() *vcdm.Verifier {
	v := &vcdm.Verifier{Now: func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }}
	for _, s := range everySuite {
		v.Suites = append(v.Suites, l.suite(s))
	}
	return v
}

// has reports whether a result has a reason of a type at a place.
func reasonAt(r *vcdm.Result, typ problem.Type, where string) bool {
	return slices.ContainsFunc(r.Errors, func(err error) bool {
		var e *problem.Error
		return errors.As(err, &e) && e.Type == typ && e.Where == where
	})
}

// The files of attacks that were accepted once are refused, each for its own reason.
func TestAttacks(t *testing.T) {
	l := newLab(t)
	for file, want := range map[string]struct {
		typ   problem.Type
		where string
	}{
		"signed.json":               {verErr, "/validUntil"},
		"expired-accepted.json":     {lossErr, "/validUntil"},                // 1
		"handle-signed.json":        {lossErr, "/credentialSubject/account"}, // 2
		"handle-forged.json":        {lossErr, "/credentialSubject/account"},
		"mixed-set.json":            {verErr, "/proof/1/@context"}, // 4
		"vps1.json":                 {lossErr, "/verifiableCredential"},
		"proof-context-forged.json": {lossErr, "/proof/@context"},
	} {
		v := l.defaults()
		r := v.VerifyAll(context.Background(), readFile(t, official.Dir(t, "attacks"), file))
		if r.Verified || r.Document() != nil || !reasonAt(r, want.typ, want.where) {
			t.Errorf("%s: verified %v: %v, want %s at %s", file, r.Verified, r.Errors, want.typ, want.where)
		}
	}
}

// Public reports: what verifiers of others get wrong about dates, contexts and status.
func TestReportFiles(t *testing.T) {
	l := newLab(t)
	read := func(file string) []byte { return readFile(t, official.Dir(t, "reports"), file) }
	v := l.defaults()
	v.AnyIssuer = true
	if r := v.VerifyAll(context.Background(), read("90-signed.json")); r.Verified ||
		!reasonAt(r, verErr, "/expirationDate") || len(r.Errors) != 1 {
		t.Errorf("an expired VCDM 1.1 credential: %v", r.Errors)
	}
	v.AnyPeriod = true
	if r := v.VerifyAll(context.Background(), read("90-signed.json")); !r.Verified {
		t.Errorf("a VCDM 1.1 credential has a form of its own: %v", r.Err())
	}

	v = l.defaults()
	if r := v.VerifyAll(context.Background(), read("45-no-signed.json")); !r.Verified {
		t.Errorf("dates without offset are UTC: %v", r.Err())
	}
	if err := rules.CheckCredential(read("45-no-signed.json"), canon.Limits{}); err == nil {
		t.Error("dates without offset are issued")
	}
	if r := v.VerifyAll(context.Background(), read("46-dir-signed.json")); !r.Verified {
		t.Errorf("a name with a direction: %v", r.Err())
	}
	r := v.VerifyAll(context.Background(), read("91s.json"))
	if want := []string{"/credentialStatus", "/credentialSchema",
		"/relatedResource/0/digestSRI"}; !r.Verified || !slices.Equal(r.Unchecked(), want) {
		t.Errorf("not checked: %q, want %q (%v)", r.Unchecked(), want, r.Err())
	}
	if err := rules.CheckCredential(read("11-identical.json"), canon.Limits{}); err != nil {
		t.Errorf("an equal definition is none: %v", err)
	}
}

// Attack 6: a document is a presentation by its statements, too, and so are the documents in it.
func TestHiddenCredentials(t *testing.T) {
	l := newLab(t)
	suite := "eddsa-rdfc-2022"
	holder := l.key(suite).Public().DID()
	forged := edit(t, l.sign(suite, strings.Replace(credential, "https://university.example/issuers/14",
		holder, 1)), func(m map[string]any) { m["name"] = "Another" })
	signs := func(vp string) *vcdm.Result {
		doc, err := l.add("eddsa-jcs-2022", vp,
			string((&vcdm.Options{Created: created, Method: l.key(suite).Public().Method(),
				Purpose: vcdm.Authentication}).AppendJSON(nil, "eddsa-jcs-2022")))
		if err != nil {
			t.Fatal(err)
		}
		v := l.defaults()
		v.AllReasons = true
		return v.VerifyAll(context.Background(), []byte(doc))
	}
	head := `{"@context":["https://www.w3.org/ns/credentials/v2"],"id":"urn:x:2","holder":"` + holder + `",`
	inner := head + `"type":["VerifiablePresentation"],"verifiableCredential":[` + forged + `]}`

	// A presentation is checked with its credentials, whichever function is called, and so is one inside it.
	for name, vp := range map[string]string{"plain": inner, "nested": head +
		`"type":"VerifiablePresentation","verifiableCredential":` + inner + `}`} {
		r := signs(vp)
		if r.Verified || len(r.Credentials) != 1 || r.Credentials[0].Verified {
			t.Errorf("%s: %v", name, r.Errors)
		}
	}
	for range 20 {
		inner = head + `"type":["VerifiablePresentation"],"verifiableCredential":[` + inner + `]}`
	}
	var limit *canon.LimitError
	if r := signs(inner); !errors.As(r.Err(), &limit) {
		t.Errorf("presentations in presentations without end: %v", r.Errors)
	}

	// Statements of an RDFC suite make it one, or refuse it.
	for name, vp := range map[string]string{
		"type by its keyword": head +
			`"type":["VerifiableCredential"],"@type":"VerifiablePresentation","issuer":"` + holder +
			`","credentialSubject":{"id":"did:x:1","name":"n"}}`,
		"type by its IRI": head + `"type":"` + vocabulary + `VerifiablePresentation","` + vocabulary +
			`verifiableCredential":{"@graph":{"id":"urn:x:1","name":"n"}}}`,
		"beside it": head +
			`"type":"VerifiablePresentation","@included":{"id":"urn:x:1","type":"VerifiableCredential","issuer":"did:x:1"}}`,
		"below a graph": `{"@context":["https://www.w3.org/ns/credentials/v2"],"@graph":[{"id":"urn:x:2","type":"VerifiablePresentation","holder":"` + holder + `"}]}`,
	} {
		_, err := l.add(suite, vp, string(l.options(suite).AppendJSON(nil, suite)))
		l.failed(name, err, lossErr)
	}
}

// Attack 12: only verification relationships allow a key something, and a method has to stand in the one
// that is asked for.
func TestRelationships(t *testing.T) {
	l := newLab(t)
	suite := "eddsa-jcs-2022"
	key := l.key(suite).Public()
	const url = "https://controller.example/1#key"
	method := `{"id":"` + url +
		`","type":"Multikey","controller":"https://controller.example/1","publicKeyMultibase":"` +
		key.Multikey() + `"}`
	verify := func(purpose, controller string, change ...func(*vcdm.Verifier)) error {
		doc := l.sign(suite, credential, func(o *vcdm.Options) { o.Method, o.Purpose = url, purpose })
		v := l.defaults()
		v.AnyIssuer, v.AnyPurpose = true, true
		v.Resolver = &vcdm.Documents{Document: func(context.Context, string) ([]byte,
			error) {
			return []byte(controller), nil
		}}
		for _, c := range change {
			c(v)
		}
		return v.VerifyAll(context.Background(), []byte(doc)).Err()
	}
	doc := func(members string) string {
		return `{"id":"https://controller.example/1","verificationMethod":[` + method + `]` + members + `}`
	}
	if err := verify(vcdm.AssertionMethod, doc(`,"assertionMethod":["`+url+`"]`)); err != nil {
		t.Errorf("listed: %v", err)
	}
	if err := verify(vcdm.AssertionMethod, doc(`,"assertionMethod":[`+method+`]`)); err != nil {
		t.Errorf("listed and repeated whole: %v", err)
	}
	for name, err := range map[string]error{
		"listed nowhere":     verify(vcdm.AssertionMethod, doc("")),
		"verificationMethod": verify("verificationMethod", doc("")),
		"alsoKnownAs":        verify("alsoKnownAs", doc(`,"alsoKnownAs":["`+url+`"]`)),
		"another one":        verify(vcdm.AssertionMethod, doc(`,"authentication":["`+url+`"]`)),
		"did:key, agreement": verify("keyAgreement", doc(""), func(v *vcdm.Verifier) { v.Resolver = nil }),
	} {
		l.failed(name, err, problem.InvalidRelationship, problem.InvalidMethodURL)
	}
	other := strings.Replace(method, key.Multikey(), l.key(sd).Public().Multikey(), 1)
	l.failed("two methods of one id", verify(vcdm.AssertionMethod, doc(`,"assertionMethod":["`+url+`",`+other+
		`]`)), problem.InvalidControllerDocument)

	// Without AnyPurpose the purpose is that of the document's kind.
	l.failed("another purpose", verify(vcdm.Authentication, doc(`,"authentication":["`+url+`"]`),
		func(v *vcdm.Verifier) { v.AnyPurpose = false }), verErr)
}

// Smaller finding 3: a proof has one proof value, and counts once in a set. A suite of W3C's has a set that
// holds a proof twice.
func TestOneProofValue(t *testing.T) {
	l := newLab(t)
	derived := l.present(sd, credential)
	b := value(t, derived)
	for _, c := range []struct{ at, wide []byte }{
		{[]byte{0x85, 0x58, 0x40}, []byte{0x98, 5, 0x58, 0x40}},
		{[]byte{0x85, 0x58, 0x40}, []byte{0x85, 0x59, 0, 0x40}},
		{[]byte{0x85, 0x58, 0x40}, []byte{0x85, 0x5a, 0, 0, 0, 0x40}},
		{[]byte{0x85, 0x58, 0x40}, []byte{0x85, 0x5b, 0, 0, 0, 0, 0, 0, 0, 0x40}},
	} {
		wide := slices.Concat(b[:3], c.wide, b[3+len(c.at):])
		l.refuse(fmt.Sprintf("%x", c.wide), setProof(t, derived, "proofValue",
			"u"+base64.RawURLEncoding.EncodeToString(wide)), verErr)
	}
	for _, s := range everySuite {
		doc := l.present(s, credential)
		twice := edit(t, doc, func(m map[string]any) { m["proof"] = []any{m["proof"], m["proof"]} })
		if r := l.verifier().VerifyAll(context.Background(), []byte(twice)); !r.Verified ||
			len(r.Proofs()) != 1 {
			t.Errorf("%s twice: %d proofs, %v", s, len(r.Proofs()), r.Err())
		}
		if vcdm.MethodOf(s) == canon.RDFC {
			l.refuse(s+" in two spellings", edit(t, doc, func(m map[string]any) {
				other := maps.Clone(proofOf(m))
				other["@context"] = m["@context"]
				m["proof"] = []any{m["proof"], other}
			}), verErr)
		}
	}
}

// Attack 4 and smaller finding 7: the document that is returned is the one that every proof is about, and
// says where it is not the input.
func TestVerifiedDocument(t *testing.T) {
	l := newLab(t)
	signed := l.sign("eddsa-jcs-2022", credential)
	longer := edit(t, signed, func(m map[string]any) { addContext(m, map[string]any{"urn": "urn:x:"}) })
	for doc, replaced := range map[string]bool{signed: false, longer: true} {
		r := l.verifier().VerifyAll(context.Background(), []byte(doc))
		if !r.Verified || r.Replaced() != replaced || strings.Contains(string(r.Document()), "urn:x:") {
			t.Errorf("replaced %v, want %v: %v, %s", r.Replaced(), replaced, r.Err(), r.Document())
		}
	}
	both, err := l.signOnto("ecdsa-jcs-2019", longer, func(*vcdm.Options) {})
	if err != nil {
		t.Fatal(err)
	}
	l.refuse("proofs of two documents", both, verErr)
}

// A verifier with its suites set and nothing else is safe.
func TestDefaults(t *testing.T) {
	l := newLab(t)
	for _, s := range everySuite {
		own := l.key(s).Public().DID()
		good := edit(t, credential, func(m map[string]any) { m["issuer"] = own })
		sign := func(change func(m map[string]any), options ...func(*vcdm.Options)) *vcdm.Result {
			return l.defaults().VerifyAll(context.Background(),
				[]byte(l.present(s, edit(t, good, change), options...)))
		}
		if r := sign(func(map[string]any) {}); !r.Verified {
			t.Errorf("%s: %v", s, r.Err())
		}
		for where, r := range map[string]*vcdm.Result{
			"/proof":             sign(func(m map[string]any) { m["issuer"] = "did:example:other" }),
			"/validUntil":        sign(func(m map[string]any) { m["validUntil"] = "2026-11-01T00:00:00Z" }),
			"/validFrom":         sign(func(m map[string]any) { m["validFrom"] = "2026-12-02T00:00:00Z" }),
			"/credentialSubject": sign(func(m map[string]any) { delete(m, "credentialSubject") }),
			"/proof/proofPurpose": sign(func(map[string]any) {},
				func(o *vcdm.Options) { o.Purpose = vcdm.Authentication }),
		} {
			if r.Verified || !slices.ContainsFunc(r.Errors, func(err error) bool {
				var e *problem.Error
				return errors.As(err, &e) && e.Where == where
			}) {
				t.Errorf("%s: nothing wrong at %s: %v", s, where, r.Errors)
			}
		}
	}
}

// Contexts that a reader may not know are named; with Contexts they are refused, in presentations too.
func TestUnknownContexts(t *testing.T) {
	l := newLab(t)
	v := l.verifier()
	v.Purpose = ""
	inner := l.sign("eddsa-jcs-2022", credential)
	vp := l.sign("eddsa-rdfc-2022", string(l.presentation("did:x:1", []byte(inner))),
		func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
	unknown := v.VerifyAll(context.Background(), []byte(vp)).UnknownContexts()
	var places []string
	for _, c := range unknown {
		places = append(places, c.Pointer+c.URL)
	}
	if want := []string{"/verifiableCredential/0/@context/1",
		"/verifiableCredential/0/proof/@context/1"}; !slices.Equal(places, want) {
		t.Errorf("%q, want %q", places, want)
	}
	base := `["https://www.w3.org/ns/credentials/v2"]`
	all := []string{base, encode(t, decode(t, credential)["@context"])}
	for n, ok := range map[int]bool{1: false, 2: true} {
		v.Contexts = all[:n]
		if r := v.VerifyAll(context.Background(), []byte(vp)); r.Verified != ok {
			t.Errorf("%d known contexts: %v", n, r.Errors)
		}
	}
}

// A document is a credential or a presentation: as both, its issuer would vouch for what its holder signed.
func TestCredentialAndPresentation(t *testing.T) {
	l := newLab(t)
	for _, s := range plain {
		holder := l.key(s).Public().DID()
		both := `{"@context":["https://www.w3.org/ns/credentials/v2"],"id":"urn:x:1","type":["VerifiableCredential","VerifiablePresentation"],
 "issuer":"did:web:university.example","holder":"` + holder + `","credentialSubject":{"id":"` + holder + `","name":"Doctor"}}`
		signed := l.sign(s, both, func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
		v := l.defaults()
		v.AnyForm = true
		if r := v.VerifyAll(context.Background(), []byte(signed)); r.Verified ||
			!reasonAt(r, verErr, "/type") {
			t.Errorf("%s: %v", s, r.Errors)
		}
		if err := rules.CheckCredential([]byte(both), canon.Limits{}); err == nil {
			t.Errorf("%s: has the form of a credential", s)
		}
	}
}

// Statements do not say where a document begins: a credential that stands inside another must not be read
// in its place.
func TestOtherRoot(t *testing.T) {
	l := newLab(t)
	suite := "eddsa-rdfc-2022"
	issuer := l.key(suite).Public().DID()
	old := func(id, rest string) string {
		return `{` + id + `"type":["VerifiableCredential"],"issuer":"` + issuer +
			`","validUntil":"2021-01-01T00:00:00Z","credentialSubject":{"id":"did:x:s","name":"old"}` + rest +
			`}`
	}
	const context2 = `"@context":["https://www.w3.org/ns/credentials/v2",{"shows":{"@id":"urn:x:shows","@type":"@id"}}],`
	inner := func(id, rest string) string {
		return `{` + id + `"type":["VerifiableCredential"],"issuer":"` + issuer +
			`","credentialSubject":{"id":"did:x:s","name":"new"}` + rest + `}`
	}
	with := func(doc string) string { return `{` + context2 + doc[1:] }
	for name, c := range map[string]struct{ signed, shown string }{
		"reverse": {with(old(`"id":"urn:x:X",`, `,"shows":`+inner(`"id":"urn:x:E",`, ""))),
			with(inner(`"id":"urn:x:E",`, `,"@reverse":{"urn:x:shows":`+old(`"id":"urn:x:X",`, "")+`}`))},
		"included": {with(old(`"id":"urn:x:X",`, `,"shows":`+inner(`"id":"urn:x:E",`, ""))),
			with(inner(`"id":"urn:x:E",`, `,"@included":`+old(`"id":"urn:x:X",`, `,"shows":"urn:x:E"`)))},
		"a circle": {with(old(`"id":"urn:x:X",`, `,"shows":`+inner(`"id":"urn:x:E",`, `,"shows":"urn:x:X"`))),
			with(inner(`"id":"urn:x:E",`, `,"shows":`+old(`"id":"urn:x:X",`, `,"shows":"urn:x:E"`)))},
		"without ids": {with(inner("", `,"shows":`+inner("", ""))),
			with(inner("", `,"@reverse":{"urn:x:shows":`+inner("", "")+`}`))},
	} {
		for what, doc := range map[string]string{"signed": c.signed, "shown": c.shown} {
			signed, err := l.add(suite, doc, string(l.options(suite).AppendJSON(nil, suite)))
			if err != nil {
				continue // the issuer is told
			}
			if l.defaults().VerifyAll(context.Background(), []byte(signed)).Verified {
				t.Errorf("%s, %s: accepted", name, what)
			}
		}
	}

	// What stands inside with a proof of its own, or of another issuer, is no danger.
	for name, rest := range map[string]string{
		"another issuer": strings.Replace(inner(`"id":"urn:x:E",`, `,"shows":"urn:x:X"`), issuer,
			"did:x:other", 1),
		"a proof": strings.Replace(l.sign(suite, with(inner(`"id":"urn:x:E",`, `,"shows":"urn:x:X"`))),
			context2, "", 1),
		"no way back": inner(`"id":"urn:x:E",`, ""),
	} {
		doc := with(strings.Replace(old(`"id":"urn:x:X",`, `,"shows":`+rest), "2021", "2027", 1))
		r := l.defaults().VerifyAll(context.Background(), []byte(l.sign(suite, doc)))
		if !r.Verified || !slices.Equal(r.Unchecked(), []string{"/shows"}) {
			t.Errorf("%s: %v, not checked: %q", name, r.Err(), r.Unchecked())
		}
	}
}

// A credential in a presentation has the contexts that its issuer signed.
func TestContextsInPresentation(t *testing.T) {
	l := newLab(t)
	suite := "eddsa-jcs-2022"
	issued := l.sign(suite, edit(t, credential,
		func(m map[string]any) { m["issuer"] = l.key(suite).Public().DID() }))
	longer := edit(t, issued, func(m map[string]any) { addContext(m, map[string]any{"urn": "urn:x:"}) })
	for inner, ok := range map[string]bool{issued: true, longer: false} {
		vp := l.sign(suite, string(l.presentation(l.key(suite).Public().DID(), []byte(inner))),
			func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
		if r := l.defaults().VerifyAll(context.Background(), []byte(vp)); r.Verified != ok {
			t.Errorf("verified %v, want %v: %v", r.Verified, ok, r.Errors)
		}
	}
}

// What is right is not refused: a presentation without a holder, an enveloped credential with one context,
// a schema that is a related resource, too.
func TestNotRefused(t *testing.T) {
	l := newLab(t)
	suite := "eddsa-rdfc-2022"
	own := l.key(suite).Public().DID()
	vp := `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],"verifiableCredential":[` +
		l.sign(suite, edit(t, credential, func(m map[string]any) { m["issuer"] = own })) + `]}`
	if r := l.defaults().VerifyAll(context.Background(),
		[]byte(l.sign(suite, vp, func(o *vcdm.Options) { o.Purpose = vcdm.Authentication }))); !r.Verified {
		t.Errorf("without a holder: %v", r.Err())
	}
	enveloped := `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],"verifiableCredential":[
 {"@context":"https://www.w3.org/ns/credentials/v2","id":"data:application/vc+jwt,a.b.c","type":"EnvelopedVerifiableCredential"}]}`
	if err := rules.CheckPresentation([]byte(enveloped), canon.Limits{}); err != nil {
		t.Errorf("enveloped: %v", err)
	}
	const sri = `"digestSRI":"sha256-WZVc7WaX1h4D8rJVb+vlMIqxaEKEb1tYbX8fet7JJzQ="`
	multi := `"digestMultibase":"u` + b64(append([]byte{0x12, 32}, make([]byte, 32)...)) + `"`
	two := `{"@context":["https://www.w3.org/ns/credentials/v2"],"id":"urn:x:1","type":["VerifiableCredential"],"issuer":"` + own + `","credentialSubject":{"id":"did:x:s","name":"n"},
 "credentialSchema":{"id":"https://x.example/","type":"JsonSchema",` + sri + `},"relatedResource":{"id":"https://x.example/",` + multi + `}}`
	signed := l.sign(suite, two)
	if r := l.defaults().VerifyAll(context.Background(), []byte(signed)); !r.Verified {
		t.Errorf("two digests of one resource: %v", r.Err())
	}
	hidden := edit(t, signed, func(m map[string]any) {
		resource := m["relatedResource"].(map[string]any)
		m["@included"] = map[string]any{"id": resource["id"], "digestMultibase": resource["digestMultibase"]}
		delete(resource, "digestMultibase")
	})
	v := l.defaults()
	v.AnyForm = true
	if r := v.VerifyAll(context.Background(), []byte(hidden)); r.Verified {
		t.Error("a digest is hidden from the comparison")
	}
}

// A holder of ecdsa-sd-2023 may leave statements out, but not show another credential of the issuer in
// place of the document: the mandatory statements say which node that is.
func TestOtherRootOfDerived(t *testing.T) {
	l := newLab(t)
	key := l.key(sd)
	issuer := key.Public().DID()
	const context2 = `"@context":["https://www.w3.org/ns/credentials/v2",{"shows":{"@id":"urn:x:shows","@type":"@id"}}],`
	inner := `"id":"urn:x:B","type":["VerifiableCredential"],"issuer":"` + issuer + `",`
	subject := `"credentialSubject":{"id":"did:x:s","name":"doctor"}`
	doc := `{` + context2 + `"id":"urn:x:A","type":["VerifiableCredential"],"issuer":"` + issuer + `","credentialSubject":{"id":"did:x:s","description":"withdrawn"},
 "termsOfUse":{"id":"urn:x:policy","type":"VerifiableCredential","shows":"urn:x:A"},"shows":{` + inner + `"validUntil":"2021-01-01T00:00:00Z",` + subject +
		`,"proof":{"id":"urn:x:proof","type":"DataIntegrityProof"}}}`

	trace := new(vcdm.SDTrace)
	suite := vcdm.ECDSASD2023(l.rdfc, vcdm.SDOptions{Mandatory: []string{"/issuer", "/type"}, Trace: trace})
	base, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(context.Background(),
		[]byte(strings.Replace(doc, `"type":"VerifiableCredential","shows"`, `"type":"JsonSchema","shows"`,
			1)),
		l.options(sd).AppendJSON(nil, sd))
	if err != nil {
		t.Fatal(err)
	}

	// Keep what is mandatory, the policy's link, and what makes B a credential.
	_, p := open(t, string(base))
	var signatures, mandatory []any
	shown, next := 0, 0
	for i, line := range trace.Lines {
		text := string(line)
		keep := strings.HasPrefix(text, "<urn:x:B>") && !strings.Contains(text, "validUntil") &&
			!strings.Contains(text, "#proof>") ||
			strings.Contains(text, "<urn:x:policy> <urn:x:shows>") || strings.Contains(text, `"doctor"`)
		if trace.Mandatory[i] {
			mandatory = append(mandatory, uint64(shown))
			shown++
			continue
		}
		if keep {
			signatures = append(signatures, p[3].([]any)[next])
			shown++
		}
		next++
	}
	forged := edit(t, `{`+context2+inner+subject+
		`,"@included":[{"id":"urn:x:A","type":["VerifiableCredential"],"issuer":"`+issuer+
		`"},{"id":"urn:x:policy","shows":"urn:x:A"}]}`,
		func(m map[string]any) { m["proof"] = proofOf(decode(t, string(base))) })
	forged = reseal(t, forged, []byte{0xd9, 0x5d, 0x01}, parts{p[0], p[1], signatures, map[uint64][]byte{},
		mandatory})
	r := l.defaults().VerifyAll(context.Background(), []byte(forged))
	if r.Verified || !reasonAt(r, lossErr, "") || !strings.Contains(r.Err().Error(), "has to be disclosed") {
		t.Errorf("verified %v: %v", r.Verified, r.Errors)
	}

	// Without a mandatory issuer nothing would say so: such a document is not signed.
	_, err = (&vcdm.Signer{Suite: l.suite(sd), Key: key}).Add(context.Background(),
		[]byte(strings.Replace(doc, `"type":"VerifiableCredential","shows"`, `"type":"JsonSchema","shows"`,
			1)),
		l.options(sd).AppendJSON(nil, sd))
	l.failed("issuer not mandatory", err, lossErr)
}

// A JCS presentation has no credential under another name.
func TestHiddenFromJCS(t *testing.T) {
	for name, vp := range map[string]string{
		"alias": `{"@context":["https://www.w3.org/ns/credentials/v2",{"vc":{"@id":"https://www.w3.org/2018/credentials#verifiableCredential"}}],"type":["VerifiablePresentation"],"vc":[]}`,
		"graph": `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],"@graph":[]}`,
		"nest":  `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],"@nest":{"verifiableCredential":[]}}`,
	} {
		if err := rules.CheckPresentation([]byte(vp), canon.Limits{}); err == nil {
			t.Errorf("%s: has the form of a presentation", name)
		}
	}
}
