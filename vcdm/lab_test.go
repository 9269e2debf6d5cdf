package vcdm_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"

	"github.com/fxamacker/cbor/v2"
	"github.com/mr-tron/base58"
)

// credential is a document of our own that has what the checks need: plain values, a set, an ordered list,
// nested objects without identifiers, all defined by an inline context.
const credential = `{"@context":["https://www.w3.org/ns/credentials/v2",{"@protected":true,"S":"urn:example:",
 "alumniOf":"urn:example:alumniOf","degree":{"@id":"urn:example:degree"},"level":"urn:example:level","Degree":"urn:example:Degree",
 "notes":"urn:example:notes","steps":{"@id":"urn:example:steps","@container":"@list"},"result":{"@id":"urn:example:result"},
 "Result":"urn:example:Result","grade":"urn:example:grade","blob":{"@id":"urn:example:blob","@type":"@json"},
 "titles":{"@id":"urn:example:titles","@container":"@language"},"awardOf":{"@reverse":"urn:example:awardOf"}}],
 "id":"urn:uuid:0f8f31ab-4a7e-4c5e-8a0d-3a1f0e1c2b3d","type":["VerifiableCredential","Degree"],"name":"A degree",
 "issuer":"https://university.example/issuers/14","validFrom":"2025-01-01T00:00:00Z",
 "credentialSubject":{"id":"did:example:student","alumniOf":"The School","degree":{"type":"Degree","level":"Master"},
  "notes":["one","two","three"],"steps":["first","second","third"],
  "result":[{"type":"Result","grade":"A"},{"type":"Result","grade":"B"},{"type":"Result","grade":"C"}]}}`

// now is after everything that the tests sign.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const created = "2025-07-01T10:00:00Z"

var everySuite = vcdm.SuiteNames()

// plain are the suites without selective disclosure.
var plain = slices.DeleteFunc(vcdm.SuiteNames(), derives)

// derives reports whether a suite has base proofs and derived ones.
func derives(suite string) bool { return suite == sd || suite == bbs }

// lab signs and verifies with fixed keys over the native engine and the embedded contexts.
type lab struct {
	testing.TB
	rdfc, jcs canon.Canonicalizer
	secrets   map[keys.Algorithm]*keys.Secret
	limits    canon.Limits // of every operation
}

func newLab(t testing.TB) *lab {
	l := &lab{TB: t, rdfc: engineWith(t, canon.Native, canon.RDFC, contexts.Embedded()), jcs: engineWith(t, canon.Native, canon.JCS, nil),
		secrets: map[keys.Algorithm]*keys.Secret{}}
	for i, alg := range append(slices.Clone(keys.Algorithms), keys.BBS) {
		size := 32
		if alg == keys.ES384 {
			size = 48
		}
		s, err := keys.FromSeed(alg, bytes.Repeat([]byte{byte(i + 7)}, size))
		if err != nil {
			t.Fatal(err)
		}
		l.secrets[alg] = s.Deterministic()
	}
	return l
}

// with returns the lab for a subtest.
func (l *lab) with(t testing.TB) *lab {
	c := *l
	c.TB = t
	return &c
}

func (l *lab) suite(name string, mandatory ...string) vcdm.Suite {
	c := l.rdfc
	if vcdm.MethodOf(name) == canon.JCS {
		c = l.jcs
	}
	return l.named(name, c, mandatory...)
}

// named returns a suite over a canonicalizer.
func (l *lab) named(name string, c canon.Canonicalizer, mandatory ...string) vcdm.Suite {
	s, err := vcdm.SuiteNamed(name)
	if err != nil {
		l.Fatal(err)
	}
	return s.New(c, vcdm.SDOptions{Mandatory: mandatory})
}

func algorithm(suite string) keys.Algorithm {
	switch {
	case strings.HasPrefix(suite, "eddsa"):
		return keys.EdDSA
	case suite == bbs:
		return keys.BBS
	}
	return keys.ES256
}

func (l *lab) key(suite string) *keys.Secret { return l.secrets[algorithm(suite)] }

func (l *lab) options(suite string) *vcdm.Options {
	return &vcdm.Options{Created: created, Method: l.key(suite).Public().Method(),
		Purpose: vcdm.AssertionMethod}
}

// add signs with options as JSON.
func (l *lab) add(suite string, doc, options string) ([]byte, error) {
	return (&vcdm.Signer{Suite: l.suite(suite, "/issuer"), Key: l.key(suite),
		Limits: l.limits}).Add(context.Background(), []byte(doc), []byte(options))
}

// sign signs with changed options and has to succeed.
func (l *lab) sign(suite, doc string, change ...func(*vcdm.Options)) string {
	l.Helper()
	o := l.options(suite)
	for _, c := range change {
		c(o)
	}
	out, err := l.add(suite, doc, string(o.AppendJSON(nil, suite)))
	if err != nil {
		l.Fatalf("%s: sign: %v", suite, err)
	}
	return string(out)
}

// presentation returns an unsigned presentation of credentials.
func (l *lab) presentation(holder string, credentials ...[]byte) []byte {
	l.Helper()
	p, err := rules.NewPresentation(holder, credentials...)
	if err != nil {
		l.Fatal(err)
	}
	return p
}

// present signs and, with a suite that derives, derives the whole document: something a verifier accepts.
func (l *lab) present(suite, doc string, change ...func(*vcdm.Options)) string {
	l.Helper()
	signed := l.sign(suite, doc, change...)
	if !derives(suite) {
		return signed
	}
	return l.derive(signed, "")
}

// tryDerive derives from the base proof that the document has.
func (l *lab) tryDerive(doc string, pointers ...string) (string, error) {
	suite := sd
	if strings.Contains(doc, `"`+bbs+`"`) {
		suite = bbs
	}
	h := &vcdm.Holder{Suite: l.suite(suite).(*vcdm.SD), Limits: l.limits}
	out, err := h.Derive(context.Background(), []byte(doc), pointers)
	return string(out), err
}

func (l *lab) derive(doc string, pointers ...string) string {
	l.Helper()
	out, err := l.tryDerive(doc, pointers...)
	if err != nil {
		l.Fatalf("derive: %v", err)
	}
	return out
}

// verifier accepts every suite and has the clock of the tests. It looks at proofs alone.
func (l *lab) verifier() *vcdm.Verifier {
	v := &vcdm.Verifier{Purpose: vcdm.AssertionMethod, Now: func() time.Time { return now }, AnyIssuer: true,
		AnyForm: true, AnyPeriod: true, AllReasons: true, Limits: l.limits}
	for _, s := range everySuite {
		v.Suites = append(v.Suites, l.suite(s))
	}
	return v
}

func (l *lab) verify(doc string) error {
	return l.verifier().VerifyAll(context.Background(), []byte(doc)).Err()
}

func (l *lab) accept(what, doc string) {
	l.Helper()
	if err := l.verify(doc); err != nil {
		l.Errorf("%s: %v", what, err)
	}
}

// refuse has to end in an error with one of the types, if any are given.
func (l *lab) refuse(what, doc string, types ...problem.Type) {
	l.Helper()
	l.failed(what, l.verify(doc), types...)
}

// failed checks an error and its type.
func (l *lab) failed(what string, err error, types ...problem.Type) {
	l.Helper()
	if err == nil {
		l.Errorf("%s: accepted", what)
		return
	}
	var e *problem.Error
	if len(types) > 0 && (!errors.As(err, &e) || !slices.Contains(types, e.Type)) {
		l.Errorf("%s: %v, want %s", what, err, types)
	}
}

// edit changes a document as JSON.
func edit(t testing.TB, doc string, change func(m map[string]any)) string {
	t.Helper()
	m := decode(t, doc)
	change(m)
	return encode(t, m)
}

func decode(t testing.TB, doc string) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(doc))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

func encode(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func proofOf(m map[string]any) map[string]any   { return m["proof"].(map[string]any) }
func subjectOf(m map[string]any) map[string]any { return m["credentialSubject"].(map[string]any) }

// setProof sets or, with nil, deletes a member of the proof.
func setProof(t testing.TB, doc, member string, value any) string {
	t.Helper()
	return edit(t, doc, func(m map[string]any) {
		if value == nil {
			delete(proofOf(m), member)
		} else {
			proofOf(m)[member] = value
		}
	})
}

// value returns the bytes of a proofValue.
func value(t testing.TB, doc string) []byte {
	t.Helper()
	s := proofOf(decode(t, doc))["proofValue"].(string)
	var b []byte
	var err error
	if s[0] == 'z' {
		b, err = base58.Decode(s[1:])
	} else {
		b, err = base64.RawURLEncoding.DecodeString(s[1:])
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// base and derived are proof values of ecdsa-sd-2023 that a test takes apart; parts may have any type.
type parts []any

func open(t testing.TB, doc string) (header []byte, p parts) {
	t.Helper()
	b := value(t, doc)
	if err := cbor.Unmarshal(b[3:], &p); err != nil {
		t.Fatal(err)
	}
	return b[:3], p
}

// reseal puts other parts into the proof value.
func reseal(t testing.TB, doc string, header []byte, p any) string {
	t.Helper()
	b, err := cbor.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return sealBytes(t, doc, append(slices.Clone(header), b...))
}

func sealBytes(t testing.TB, doc string, b []byte) string {
	t.Helper()
	return setProof(t, doc, "proofValue", "u"+base64.RawURLEncoding.EncodeToString(b))
}

// change opens, changes and reseals.
func change(t testing.TB, doc string, f func(p parts) any) string {
	t.Helper()
	header, p := open(t, doc)
	return reseal(t, doc, header, f(p))
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func std64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
