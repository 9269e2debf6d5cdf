package sdjwt_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

var b64 = base64.RawURLEncoding

// token signs header and payload with a key of the test, whatever they are, and adds disclosures given as JSON. In the
// payload the text DIGEST-n stands for the digest of disclosure n, and in disclosures for that of a later one.
func token(t testing.TB, key *keys.Secret, header, payload string, disclosures ...string) []byte {
	t.Helper()
	var tail string
	for i := len(disclosures) - 1; i >= 0; i-- {
		text := b64.EncodeToString([]byte(disclosures[i]))
		sum := sha256.Sum256([]byte(text))
		from, to := "DIGEST-"+string(rune('0'+i)), b64.EncodeToString(sum[:])
		payload = strings.ReplaceAll(payload, from, to)
		for j := range i {
			disclosures[j] = strings.ReplaceAll(disclosures[j], from, to)
		}
		tail = text + "~" + tail
	}
	signed := b64.EncodeToString([]byte(header)) + "." + b64.EncodeToString([]byte(payload))
	sig, err := key.Sign([]byte(signed))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(signed + "." + b64.EncodeToString(sig) + "~" + tail)
}

// sameAnswer verifies a token with both engines and fails if they differ in any way.
func sameAnswer(t testing.TB, v sdjwt.Verifier, token []byte) (*sdjwt.Result, error) {
	t.Helper()
	v.Engine = canon.Stock
	a, errA := v.Verify(token)
	v.Engine = canon.Native
	b, errB := v.Verify(token)
	var unsupported *canon.UnsupportedError
	if errors.As(errA, &unsupported) { // the library cannot do it, and says so
		return nil, errA
	}
	if (errA == nil) != (errB == nil) {
		t.Fatalf("stock says %v, native says %v, for\n%s", errA, errB, token)
	}
	if errA != nil {
		return nil, errB
	}
	if !sameJSON(t, claimsOf(t, a), claimsOf(t, b)) {
		t.Fatalf("stock gets %s\nnative gets %s", claimsOf(t, a), claimsOf(t, b))
	}
	if !slices.Equal(slices.Sorted(slices.Values(a.Disclosed())), slices.Sorted(slices.Values(b.Disclosed()))) || !reflect.DeepEqual(a.Unchecked, b.Unchecked) || a.Signer != b.Signer {
		t.Fatalf("stock %v %v %s, native %v %v %s", a.Disclosed(), a.Unchecked, a.Signer, b.Disclosed(), b.Unchecked, b.Signer)
	}
	return b, nil
}

func claimsOf(t testing.TB, r *sdjwt.Result) []byte {
	t.Helper()
	b, err := r.Claims()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	for _, in := range []struct {
		b []byte
		v *any
	}{{a, &x}, {b, &y}} {
		d := json.NewDecoder(bytes.NewReader(in.b))
		d.UseNumber()
		if err := d.Decode(in.v); err != nil {
			t.Fatalf("%v in %s", err, in.b)
		}
	}
	return reflect.DeepEqual(x, y)
}

const goodHeader = `{"alg":"EdDSA","typ":"dc+sd-jwt"}`

// FuzzVerify signs what it is given, so that mutations reach behind the signature: both engines must agree, and neither
// may panic.
func FuzzVerify(f *testing.F) {
	for _, s := range signedSeeds {
		f.Add(s.header, s.payload, s.disclosures)
	}
	key := claimstest.Key(f, keys.EdDSA)
	f.Fuzz(func(t *testing.T, header, payload, disclosures string) {
		var list []string
		if disclosures != "" {
			list = strings.Split(disclosures, "\n")
		}
		if len(list) > 10 {
			return
		}
		tok := token(t, key, header, payload, list...)
		sameAnswer(t, sdjwt.Verifier{Key: key.Public(), Now: now}, tok)
		if _, err := sameAnswer(t, sdjwt.Verifier{Key: key.Public(), Now: now, Plain: true, AnyAudience: true}, tok); err == nil {
			samePresentation(t, tok, []string{"/a"})
		}
	})
}

// FuzzToken mutates whole tokens.
func FuzzToken(f *testing.F) {
	key := claimstest.Key(f, keys.EdDSA)
	for _, s := range signedSeeds {
		f.Add(token(f, key, s.header, s.payload, strings.Split(s.disclosures, "\n")...))
	}
	f.Fuzz(func(t *testing.T, tok []byte) {
		if _, err := sameAnswer(t, sdjwt.Verifier{Key: key.Public(), Now: now, AnyAudience: true}, tok); err == nil {
			samePresentation(t, tok, []string{"/a", "/b/0"})
		}
	})
}

// samePresentation presents a valid token with both engines. Of others each checks what it looks at.
func samePresentation(t testing.TB, tok []byte, pointers []string) []byte {
	t.Helper()
	a, errA := (&sdjwt.Holder{Engine: canon.Stock}).Present(tok, pointers, nil)
	b, errB := (&sdjwt.Holder{Engine: canon.Native}).Present(tok, pointers, nil)
	if (errA == nil) != (errB == nil) || !bytes.Equal(a, b) {
		t.Fatalf("presenting %q: stock %v %s\nnative %v %s", pointers, errA, a, errB, b)
	}
	return b
}

var signedSeeds = []struct{ header, payload, disclosures string }{
	{goodHeader, `{"vct":"urn:x","a":{"_sd":["DIGEST-0","DIGEST-1","decoy"]},"exp":4e9,"_sd_alg":"sha-256"}`, `["s","n",1]` + "\n" + `["t","m",{"k":[2]}]`},
	{goodHeader, `{"vct":"urn:x","b":[1,{"...":"DIGEST-0"},{"...":"decoy"},{"k":{"...":2}}]}`, `["s",{"_sd":["DIGEST-1"]}]` + "\n" + `["t","m",[]]`},
	{goodHeader, `{"vct":"urn:x","_sd":["DIGEST-0"],"a":{},"iss":"i","sub":"s","iat":1.5,"nbf":-1,"aud":["x"],"aka_vcts":["y"],"status":{}}`, `["s","n",null]`},
	{`{"typ":"dc+sd-jwt","alg":"EdDSA","crit":["x"]}`, `{"vct":"urn:x"}`, ""},
	{goodHeader, `{"vct":"urn:x","cnf":{"jwk":{"kty":"OKP","crv":"Ed25519","x":"z6h2YaJnvBafRAcPf6lRvLSIexXk_wdZ74i8SM6chTA"}},"_sd":[]}`, ""},
	{goodHeader, `{"vct":"https://x.example","status":{},"validUntil":1,"iss":"https://i.example","_sd":["DIGEST-0"]}`, `["s","credentialStatus",{}]`},
	{goodHeader, `{"vct":"urn:x","_sd":["DIGEST-0"],"a":"\u00e9\ud83d\ude00"}`, `["s","\u0061b",1]`},
}

// Headers that JOSE libraries and a plain reader take differently.
func TestHeaderParameters(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for more, want := range map[string]string{
		``: "", `,"kid":"k"`: "", `,"zip":"DEF"`: "", `,"b64":false`: "b64", `,"b64":true`: "b64", `,"kid":7`: "kid", `,"jku":{}`: "jku",
		`,"x5u":null`: "x5u", `,"x5t":1`: "x5t", `,"x5t#S256":[]`: "x5t#S256", `,"cty":false`: "cty", `,"jwk":"k"`: "jwk", `,"x5c":"c"`: "x5c",
		`,"jwk":{}`: "unsupported", `} `: "unsupported",
	} {
		head := strings.TrimSuffix(goodHeader, "}") + more
		if !strings.HasSuffix(head, " ") {
			head += "}"
		}
		tok := token(t, key, head, `{"vct":"urn:x"}`)
		for _, plain := range []bool{false, true} {
			_, err := sameAnswer(t, sdjwt.Verifier{Key: key.Public(), Now: now, Plain: plain, AnyAudience: true}, tok)
			var unsupported *canon.UnsupportedError
			switch {
			case want == "unsupported":
				if !errors.As(err, &unsupported) {
					t.Errorf("%s: %v", head, err)
				}
			case (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want):
				t.Errorf("%s: %v", head, err)
			}
		}
	}
}

func TestEnginesAgree(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, s := range signedSeeds {
		tok := token(t, key, s.header, s.payload, strings.Split(s.disclosures, "\n")...)
		if s.disclosures == "" {
			tok = token(t, key, s.header, s.payload)
		}
		for _, plain := range []bool{false, true} {
			sameAnswer(t, sdjwt.Verifier{Key: key.Public(), Now: now, Plain: plain, AnyAudience: true}, tok)
		}
		for _, p := range [][]string{nil, {""}, {"/a"}, {"/a/n", "/a"}, {"/b"}, {"/b/1"}, {"/b/1/m", "/b"}, {"/b/9"}, {"/n"}, {"x"}, {"/ab"}} {
			samePresentation(t, tok, p)
		}
	}
}

// TestIssuersAgree issues with one engine and verifies with the other, in every combination of hash and algorithm.
func TestIssuersAgree(t *testing.T) {
	claims := []byte(`{"iss":"https://issuer.example","vct":"urn:x","exp":4000000000,"name":"N","address":{"street":"S","nr":[1,2,[3]]},
		"list":["x",{"deep":{"a~/b":null}},[]],"empty":{}}`)
	d := sdjwt.Disclosable{Pointers: []string{"/name", "/address", "/address/street", "/address/nr/2", "/address/nr/2/0", "/list/0",
		"/list/1", "/list/1/deep/a~0~1b", "/empty"}}
	for _, hash := range []string{"", "sha-384", "sha-512"} {
		for _, algorithm := range keys.Algorithms {
			key := claimstest.Key(t, algorithm)
			for _, engine := range engines {
				c := &compare.Counters{}
				i := sdjwt.Issuer{Engine: engine, Key: key, Hash: hash, KeyID: "k1", Decoys: 2, Holder: claimstest.Key(t, keys.ES256).Public(), Counters: c}
				tok, err := i.Issue(claims, d)
				if err != nil {
					t.Fatal(err)
				}
				r, err := sameAnswer(t, sdjwt.Verifier{Key: key.Public(), Now: now}, tok)
				if err != nil {
					t.Fatal(engine, hash, algorithm, err)
				}
				if len(r.Disclosed()) != len(d.Pointers) {
					t.Errorf("%s: disclosed %v", engine, r.Disclosed())
				}
				// Objects with disclosures: the root, address, deep. Each has two decoys; so has no array.
				if want := len(d.Pointers) + 2*3; c.Salts != want || c.Digests != want {
					t.Errorf("%s: counters %+v, want %d", engine, *c, want)
				}
				got := claimsOf(t, r)
				var m map[string]any
				decode(t, got, &m)
				delete(m, "cnf")
				got, err = json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				if !sameJSON(t, got, claims) {
					t.Errorf("%s: got %s", engine, got)
				}
				pick := samePresentation(t, tok, []string{"/address/street", "/list/1/deep"})
				if n := bytes.Count(pick, []byte("~")) - 1; n != 4 {
					t.Errorf("%s: %d disclosures for two claims below two others, want 4", engine, n)
				}
			}
		}
	}
}

// What pointers name is disclosed, and with Leaves each leaf of what one names, which may be a leaf itself.
func TestIssuerDisclosesLeaf(t *testing.T) {
	for _, engine := range engines {
		i := sdjwt.Issuer{Engine: engine, Key: claimstest.Key(t, keys.EdDSA)}
		for _, leaves := range []string{"/a", "/b/c"} {
			tok, err := i.Issue([]byte(`{"vct":"urn:x","a":1,"b":{"c":2,"d":3},"e":4}`), sdjwt.Disclosable{Leaves: leaves})
			if err != nil || bytes.Count(tok, []byte("~")) != 2 {
				t.Errorf("%s: %s: %v %s", engine, leaves, err, tok)
			}
		}
	}
}

func TestIssuerRefuses(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, engine := range engines {
		for _, c := range []struct {
			claims  string
			d       sdjwt.Disclosable
			holder  bool
			message string
		}{
			{`{"_sd":1}`, sdjwt.Disclosable{}, false, "reserved"},
			{`{"a":{"...":1}}`, sdjwt.Disclosable{}, false, "reserved"},
			{`{"a":[{"_sd_alg":1}]}`, sdjwt.Disclosable{}, false, "reserved"},
			{`{"a":{"\u005fsd":1}}`, sdjwt.Disclosable{}, false, "reserved"},
			{`{"a":1}`, sdjwt.Disclosable{Pointers: []string{"/b"}}, false, `/b does not match the credential: it has no member "b"`},
			{`{"a":[1]}`, sdjwt.Disclosable{Pointers: []string{"/a/1"}}, false, "/a has 1 elements"},
			{`{"a":[1]}`, sdjwt.Disclosable{Pointers: []string{"/a/01"}}, false, "/a has 1 elements"},
			{`{"a":1}`, sdjwt.Disclosable{Pointers: []string{""}}, false, "does not start with /"},
			{`{"iss":"x"}`, sdjwt.Disclosable{Pointers: []string{"/iss"}}, false, "must not be selectively"},
			{`{"cnf":{"jwk":1}}`, sdjwt.Disclosable{Pointers: []string{"/cnf/jwk"}}, false, "must not be selectively"},
			{`{"cnf":{"a":1}}`, sdjwt.Disclosable{Leaves: "/cnf"}, false, "must not be selectively"},
			{`{"cnf":{"a":1}}`, sdjwt.Disclosable{}, true, "cnf"},
			{`[1]`, sdjwt.Disclosable{}, false, "object"},
			{`{"a":1,"a":2}`, sdjwt.Disclosable{}, false, "duplicate"},
			{`{"a":`, sdjwt.Disclosable{}, false, "end of the input"},
		} {
			i := sdjwt.Issuer{Engine: engine, Key: key}
			if c.holder {
				i.Holder = key.Public()
			}
			_, err := i.Issue([]byte(c.claims), c.d)
			var invalid *compare.InvalidError
			var pointer *canon.PointerError
			if !errors.As(err, &invalid) && !errors.As(err, &pointer) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%s: %s %v: %v, want %q", engine, c.claims, c.d, err, c.message)
			}
		}
		if _, err := (&sdjwt.Issuer{Engine: engine, Key: key, Hash: "md5"}).Issue([]byte("{}"), sdjwt.Disclosable{}); err == nil {
			t.Error("md5 is accepted")
		}
	}
}
