package sdjwt_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/claims"
	"canonscope/compare/sdjwt"
	"canonscope/schemas"
)

var engines = []string{sdjwt.Stock, sdjwt.Native}

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
			`"result":[{"value":"1","ok":true},{"value":2.50,"none":null,"list":[[],["x","y"]]}]}`),
		Disclose: []string{"/credentialSubject/achievement/name", "/credentialSubject/achievement/a~1b", "/credentialSubject/result/1",
			"/credentialSubject/type/1", "/issuer"},
		Mandatory: []string{"/issuer", "/type"},
	}
}

func exchange(t testing.TB, engine, algorithm string, c *schemas.Credential, s compare.Scenario) *compare.Exchange {
	t.Helper()
	s.Now = now
	x, err := sdjwt.NewFormat(engine, algorithm).Prepare(c, s)
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
					issued, presented := issueAndPresent(t, x)
					if err := x.Verify(presented); err != nil {
						t.Fatal(err)
					}
					want := compare.Counters{Salts: 21, Digests: 21 + 5 + 5, Signatures: 1, Verifications: 1}
					if engine == sdjwt.Stock {
						want.Digests = 21 + 21 + 5 // its holder digests all that it has
					}
					if binding == "holder" {
						want.Signatures, want.Verifications = 2, 2
					}
					if *x.Counters != want {
						t.Errorf("counters %+v, want %+v", *x.Counters, want)
					}
					if x.Reissued {
						t.Error("present must derive")
					}
					jwt, _, _ := bytes.Cut(issued, []byte("~"))
					if !bytes.HasPrefix(presented, jwt) {
						t.Error("the issuer's bytes have changed")
					}
				})
			}
		}
	}
}

// TestDisclosesExactly compares what the verifier gets with the subject cut down to the disclosed leaves by hand.
func TestDisclosesExactly(t *testing.T) {
	for _, engine := range engines {
		for _, c := range []struct {
			credential *schemas.Credential
			want       string
		}{
			{simple(20), `{"attr00":"value 00 abcdefghijklmno","attr04":"value 04 abcdefghijklmno","attr09":"value 09 abcdefghijklmno",` +
				`"attr14":"value 14 abcdefghijklmno","attr19":"value 19 abcdefghijklmno"}`},
			{nested(), `{"type":["B"],"achievement":{"name":"Name <&>","criteria":{},"a/b":{"~":1}},` +
				`"result":[{},{"value":2.50,"none":null,"list":[[],["x","y"]]}]}`},
		} {
			t.Run(engine+"/"+c.credential.Schema, func(t *testing.T) {
				x := exchange(t, engine, "EdDSA", c.credential, compare.Scenario{})
				_, presented := issueAndPresent(t, x)
				issuer, _, err := claims.Keys("EdDSA", compare.Scenario{})
				if err != nil {
					t.Fatal(err)
				}
				v := sdjwt.Verifier{Engine: engine, Key: issuer.Public(), Now: now}
				res, err := v.Verify(presented)
				if err != nil {
					t.Fatal(err)
				}
				b, err := res.Claims()
				if err != nil {
					t.Fatal(err)
				}
				var got, want map[string]any
				decode(t, b, &got)
				decode(t, []byte(c.want), &want)
				if !reflect.DeepEqual(got["credentialSubject"], any(want)) {
					t.Errorf("got %s\nwant %s", b, c.want)
				}
				if got["iss"] != c.credential.Issuer || got["vct"] != "urn:canonscope:"+c.credential.Types[1] {
					t.Errorf("iss, vct: %s", b)
				}
			})
		}
	}
}

func decode(t testing.TB, b []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// flips are the bits that TestTamper turns over in each byte. The stock engine is slow and gets one.
var flips = map[string][]byte{sdjwt.Native: {1, 2, 4}, sdjwt.Stock: {1}}

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
							t.Fatalf("byte %d of %d changed from %q to %q and still verifies", i, len(b), presented[i], b[i])
						}
					}
				}
				for i := range presented {
					if i > 0 && presented[i-1] == '~' && binding == "none" {
						continue // fewer disclosures are the holder's right
					}
					if x.Verify(presented[:i]) == nil {
						t.Fatalf("the first %d of %d bytes verify", i, len(presented))
					}
				}
			})
		}
	}
}

// TestHolderCannotAlter moves disclosures between credentials, repeats and invents them.
func TestHolderCannotAlter(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			x := exchange(t, engine, "ES256", simple(20), compare.Scenario{})
			_, one := issueAndPresent(t, x)
			_, two := issueAndPresent(t, x)
			a, b := bytes.Split(one, []byte("~")), bytes.Split(two, []byte("~"))
			join := func(parts ...[]byte) []byte { return append(bytes.Join(parts, []byte("~")), '~') }
			for name, token := range map[string][]byte{
				"disclosure of another credential": join(a[0], a[1], b[2]),
				"disclosure twice":                 join(a[0], a[1], a[1]),
				"invented disclosure":              join(a[0], []byte("WyJzYWx0IiwiYXR0cjAwIiwibmV3Il0")),
				"empty disclosure":                 join(a[0], a[1], nil),
				"other payload":                    join(swapPayload(a[0], b[0]), a[1]),
			} {
				var invalid *sdjwt.InvalidError
				if err := x.Verify(token); !errors.As(err, &invalid) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := x.Verify(join(a[0], a[5], a[2])); err != nil {
				t.Errorf("fewer disclosures in another order: %v", err)
			}
		})
	}
}

func swapPayload(a, b []byte) []byte {
	x, y := bytes.Split(a, []byte(".")), bytes.Split(b, []byte("."))
	return bytes.Join([][]byte{x[0], y[1], x[2]}, []byte("."))
}

func TestUnknownNames(t *testing.T) {
	if _, err := sdjwt.NewFormat("fast", "EdDSA").Prepare(simple(20), compare.Scenario{}); err == nil || !strings.Contains(err.Error(), "stock") {
		t.Error(err)
	}
	if _, err := sdjwt.NewFormat(sdjwt.Stock, "RS256").Prepare(simple(20), compare.Scenario{}); err == nil {
		t.Error("RS256 is no algorithm here")
	}
	if _, err := sdjwt.NewFormat(sdjwt.Stock, "EdDSA").Prepare(simple(20), compare.Scenario{Disclose: []string{"/credentialSubject/none"}}); err == nil {
		t.Error("a pointer to nothing must be an error")
	}
}

func counters() *compare.Counters { return &compare.Counters{} }
