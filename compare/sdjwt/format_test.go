package sdjwt_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/schemas"
)

var engines, now = claimstest.Engines, claimstest.Now

func TestExchange(t *testing.T) {
	// The stock holder digests all that it has, the native one what it sends.
	claimstest.Exchange(t, sdjwt.NewFormat, map[compare.Engine]int{canon.Stock: 21 + 21 + 5, canon.Native: 21 + 5 + 5})
}

// Fewer disclosures are the holder's right.
func TestTamper(t *testing.T) {
	claimstest.Tamper(t, sdjwt.NewFormat, func(cut []byte) bool { return bytes.HasSuffix(cut, []byte("~")) })
}

// The gate alters all that a signature covers, and leaves out the holder's.
func TestTampers(t *testing.T) {
	issuer := []string{"a disclosed value", "the payload", "the signature"}
	claimstest.Tampers(t, sdjwt.NewFormat, sdjwt.Definition.Tamper, map[compare.Binding][]string{
		compare.NoBinding: issuer,
		compare.HolderBinding: append(issuer, "the holder's payload", "the holder's signature",
			"the holder's signature by leaving it out"),
	})
	// An altered payload is JSON still, so that only the signature can refuse it.
	c := claimstest.Simple(20)
	_, _, presented := claimstest.Run(t, sdjwt.NewFormat(canon.Native, "EdDSA"), c, compare.Scenario{Binding: compare.HolderBinding})
	copies, err := sdjwt.Definition.Tamper(c, presented, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, altered := range copies {
		parts := bytes.Split(altered.Bytes, []byte("~"))
		for _, jwt := range [][]byte{parts[0], parts[len(parts)-1]} {
			if segments := bytes.Split(jwt, []byte(".")); len(segments) == 3 {
				if b, err := b64.DecodeString(string(segments[1])); err != nil || !json.Valid(b) {
					t.Errorf("%s: %v %s", altered.What, err, b)
				}
			}
		}
	}
}

func TestUnknownNames(t *testing.T) { claimstest.UnknownNames(t, sdjwt.NewFormat) }

// TestDisclosesExactly compares what the verifier gets with the subject cut down to the disclosed leaves by hand.
func TestDisclosesExactly(t *testing.T) {
	for _, engine := range engines {
		for _, c := range []struct {
			credential *schemas.Credential
			want       string
		}{
			{claimstest.Simple(20), `{"attr00":"value 00 abcdefghijklmno","attr04":"value 04 abcdefghijklmno","attr09":"value 09 abcdefghijklmno",` +
				`"attr14":"value 14 abcdefghijklmno","attr19":"value 19 abcdefghijklmno"}`},
			{claimstest.Nested(), `{"type":["B"],"achievement":{"name":"Name <&>","criteria":{},"a/b":{"~":1}},` +
				`"result":[{},{"value":2.50,"none":null,"big":-9007199254740993,"list":[[],["x","y"]]}]}`},
		} {
			t.Run(string(engine)+"/"+c.credential.Schema, func(t *testing.T) {
				_, _, presented := claimstest.Run(t, sdjwt.NewFormat(engine, "EdDSA"), c.credential, compare.Scenario{})
				issuer, _, err := claims.Keys("EdDSA", compare.Scenario{})
				if err != nil {
					t.Fatal(err)
				}
				v := sdjwt.Verifier{Engine: engine, Key: issuer.Public(), Now: now}
				res, err := v.Verify(presented)
				if err != nil {
					t.Fatal(err)
				}
				b := claimsOf(t, res)
				var got struct {
					ISS, VCT          string
					CredentialSubject json.RawMessage
				}
				decode(t, b, &got)
				if !sameJSON(t, got.CredentialSubject, []byte(c.want)) {
					t.Errorf("got %s\nwant %s", b, c.want)
				}
				if got.ISS != c.credential.Issuer || got.VCT != c.credential.Types[1] {
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

// TestHolderCannotAlter moves disclosures between credentials, repeats and invents them.
func TestHolderCannotAlter(t *testing.T) {
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			f := sdjwt.NewFormat(engine, "ES256")
			x, _, one := claimstest.Run(t, f, claimstest.Simple(20), compare.Scenario{})
			_, _, two := claimstest.Run(t, f, claimstest.Simple(20), compare.Scenario{})
			a, b := bytes.Split(one, []byte("~")), bytes.Split(two, []byte("~"))
			join := func(parts ...[]byte) []byte { return append(bytes.Join(parts, []byte("~")), '~') }
			for name, token := range map[string][]byte{
				"disclosure of another credential": join(a[0], a[1], b[2]),
				"disclosure twice":                 join(a[0], a[1], a[1]),
				"invented disclosure":              join(a[0], []byte("WyJzYWx0IiwiYXR0cjAwIiwibmV3Il0")),
				"empty disclosure":                 join(a[0], a[1], nil),
				"other payload":                    join(swapPayload(a[0], b[0]), a[1]),
			} {
				var invalid *compare.InvalidError
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
