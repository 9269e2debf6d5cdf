package mdoc_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"canonscope/compare"
	"canonscope/compare/claims"
	"canonscope/compare/mdoc"
	"canonscope/schemas"
)

var engines = []string{mdoc.Stock, mdoc.Native}

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// simple returns a credential with n attributes of 24 characters that discloses five.
func simple(n int) *schemas.Credential {
	var b strings.Builder
	b.WriteString(`{"id":"did:example:subject"`)
	for i := range n {
		fmt.Fprintf(&b, `,"attr%02d":"value %02d abcdefghijklmno"`, i, i)
	}
	b.WriteString("}")
	c := &schemas.Credential{Schema: "test", Subject: []byte(b.String()), Types: []string{"VerifiableCredential", "TestCredential"},
		Issuer: "https://issuer.example", ValidFrom: "2026-01-01T00:00:00Z"}
	for _, i := range []int{0, 4, 9, 14, 19} {
		c.Disclose = append(c.Disclose, fmt.Sprintf("/credentialSubject/attr%02d", i))
	}
	return c
}

func nested() *schemas.Credential {
	return &schemas.Credential{Schema: "nested", Types: []string{"VerifiableCredential", "OpenBadgeCredential"},
		Issuer: "did:example:issuer", ValidFrom: "2026-01-01T00:00:00Z",
		Subject: []byte(`{"type":["A","B"],"achievement":{"name":"Name <&>","criteria":{"narrative":"Größe"},"empty":{},"a/b":{"~":1}},` +
			`"result":[{"value":"1","ok":true},{"value":2.50,"none":null,"big":-9007199254740993,"list":[[],["x","y"]]}]}`),
		Disclose: []string{"/credentialSubject/achievement/name", "/credentialSubject/achievement/a~1b", "/credentialSubject/result/1",
			"/credentialSubject/type/1", "/issuer"},
	}
}

func exchange(t testing.TB, engine, algorithm string, c *schemas.Credential, s compare.Scenario) *compare.Exchange {
	t.Helper()
	s.Now = now
	x, err := mdoc.NewFormat(engine, algorithm).Prepare(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func issueAndPresent(t testing.TB, x *compare.Exchange) (issued, presented []byte) {
	t.Helper()
	issued, err := x.Issue()
	if err != nil {
		t.Fatal(err)
	}
	if presented, err = x.Present(issued); err != nil {
		t.Fatal(err)
	}
	return issued, presented
}

func TestExchange(t *testing.T) {
	for _, engine := range engines {
		for _, algorithm := range []string{"EdDSA", "ES256", "ES384"} {
			for _, binding := range []string{"none", "holder"} {
				t.Run(engine+"/"+algorithm+"/"+binding, func(t *testing.T) {
					x := exchange(t, engine, algorithm, simple(20), compare.Scenario{Binding: binding})
					_, presented := issueAndPresent(t, x)
					if err := x.Verify(presented); err != nil {
						t.Fatal(err)
					}
					want := compare.Counters{Salts: 21, Digests: 21 + 5, Signatures: 1, Verifications: 1}
					if binding == "holder" {
						want.Signatures, want.Verifications = 2, 2
					}
					if *x.Counters != want {
						t.Errorf("counters %+v, want %+v", *x.Counters, want)
					}
					if x.Reissued {
						t.Error("present must derive")
					}
				})
			}
		}
	}
}

// TestDisclosesExactly compares what the verifier gets with the leaves chosen by hand, in CBOR diagnostic notation.
func TestDisclosesExactly(t *testing.T) {
	for _, engine := range engines {
		for _, c := range []struct {
			credential *schemas.Credential
			want       map[string]string
		}{
			{simple(20), map[string]string{"attr00": `"value 00 abcdefghijklmno"`, "attr04": `"value 04 abcdefghijklmno"`,
				"attr09": `"value 09 abcdefghijklmno"`, "attr14": `"value 14 abcdefghijklmno"`, "attr19": `"value 19 abcdefghijklmno"`}},
			{nested(), map[string]string{"achievement/name": `"Name <&>"`, "achievement/a~1b/~0": "1", "result/1/value": "2.5",
				"result/1/none": "null", "result/1/big": "-9007199254740993", "result/1/list/0": "[]", "result/1/list/1/0": `"x"`,
				"result/1/list/1/1": `"y"`, "type/1": `"B"`}},
		} {
			t.Run(engine+"/"+c.credential.Schema, func(t *testing.T) {
				x := exchange(t, engine, "EdDSA", c.credential, compare.Scenario{})
				_, presented := issueAndPresent(t, x)
				issuer, _, err := claims.Keys("EdDSA", compare.Scenario{})
				if err != nil {
					t.Fatal(err)
				}
				v := mdoc.Verifier{Engine: engine, Key: issuer.Public(), Now: now}
				docs, err := v.Verify(presented)
				if err != nil {
					t.Fatal(err)
				}
				docType := "urn:canonscope:" + c.credential.Types[1]
				if len(docs) != 1 || docs[0].DocType != docType {
					t.Fatalf("documents %+v", docs)
				}
				got := map[string]string{}
				for _, e := range docs[0].Elements {
					if e.NameSpace != docType {
						t.Errorf("namespace %q", e.NameSpace)
					}
					if got[e.Identifier], err = cbor.Diagnose(e.Value); err != nil {
						t.Error(err)
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("got  %v\nwant %v", got, c.want)
				}
			})
		}
	}
}

// flips are the bits that TestTamper turns over in each byte. The stock engine is slow and gets one.
var flips = map[string][]byte{mdoc.Native: {1, 2, 0x20, 0x80}, mdoc.Stock: {1}}

// TestTamper changes every byte of a presentation in turn: none may verify.
func TestTamper(t *testing.T) {
	for _, engine := range engines {
		for _, binding := range []string{"none", "holder"} {
			t.Run(engine+"/"+binding, func(t *testing.T) {
				x := exchange(t, engine, "EdDSA", simple(20), compare.Scenario{Binding: binding})
				_, presented := issueAndPresent(t, x)
				for i := range presented {
					for _, flip := range flips[engine] {
						b := bytes.Clone(presented)
						b[i] ^= flip
						if x.Verify(b) == nil {
							t.Fatalf("byte %d of %d changed from %#x to %#x and still verifies", i, len(b), presented[i], b[i])
						}
					}
				}
				for i := range presented {
					if x.Verify(presented[:i]) == nil {
						t.Fatalf("the first %d of %d bytes verify", i, len(presented))
					}
				}
			})
		}
	}
}

// TestHolderCannotAlter moves items between credentials and repeats them.
func TestHolderCannotAlter(t *testing.T) {
	type issuerSigned struct {
		NameSpaces map[string][]cbor.RawMessage `cbor:"nameSpaces"`
		IssuerAuth cbor.RawMessage              `cbor:"issuerAuth"`
	}
	const ns = "urn:canonscope:TestCredential"
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			x := exchange(t, engine, "ES256", simple(20), compare.Scenario{})
			read := func() (s issuerSigned) {
				_, presented := issueAndPresent(t, x)
				if err := cbor.Unmarshal(presented, &s); err != nil {
					t.Fatal(err)
				}
				return s
			}
			a, b := read(), read()
			with := func(name string, items ...cbor.RawMessage) []byte {
				out, err := cbor.Marshal(issuerSigned{map[string][]cbor.RawMessage{name: items}, a.IssuerAuth})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			for name, presented := range map[string][]byte{
				"item of another credential": with(ns, a.NameSpaces[ns][0], b.NameSpaces[ns][1]),
				"item twice":                 with(ns, a.NameSpaces[ns][0], a.NameSpaces[ns][0]),
				"other namespace":            with(ns+"x", a.NameSpaces[ns][0]),
			} {
				var invalid *mdoc.InvalidError
				if err := x.Verify(presented); !errors.As(err, &invalid) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := x.Verify(with(ns, a.NameSpaces[ns][4], a.NameSpaces[ns][1])); err != nil {
				t.Errorf("fewer items in another order: %v", err)
			}
		})
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := mdoc.NewFormat("fast", "EdDSA").Prepare(simple(20), compare.Scenario{}); err == nil || !strings.Contains(err.Error(), "stock") {
		t.Error(err)
	}
	if _, err := mdoc.NewFormat(mdoc.Stock, "RS256").Prepare(simple(20), compare.Scenario{}); err == nil {
		t.Error("RS256 is no algorithm here")
	}
	if _, err := mdoc.NewFormat(mdoc.Stock, "EdDSA").Prepare(simple(20), compare.Scenario{Disclose: []string{"/credentialSubject/none"}}); err == nil {
		t.Error("a pointer to nothing must be an error")
	}
}
