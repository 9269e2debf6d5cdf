package sdjwt_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// TestChecklist has one test for each line of testdata/requirements.tsv: A is RFC 9901, B key binding, C
// SD-JWT VC. Every token goes to both engines.
func TestChecklist(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	holder := claimstest.Key(t, keys.ES256)
	other, err := keys.Generate(keys.EdDSA)
	if err != nil {
		t.Fatal(err)
	}
	plain := sdjwt.Verifier{Key: key.Public(), Now: now, Plain: true}
	vc := sdjwt.Verifier{Key: key.Public(), Now: now}

	accept := func(t *testing.T, v sdjwt.Verifier, tok []byte, want string) {
		t.Helper()
		r, err := sameAnswer(t, v, tok)
		if err != nil {
			t.Errorf("refused: %v\n%s", err, tok)
		} else if want != "" && !sameJSON(t, claimsOf(t, r), []byte(want)) {
			t.Errorf("got %s, want %s", claimsOf(t, r), want)
		}
	}
	refuse := func(t *testing.T, v sdjwt.Verifier, tok []byte, reason string) {
		t.Helper()
		if _, err := sameAnswer(t, v, tok); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v, want a refusal with %q\n%s", err, reason, tok)
		}
	}
	signed := func(payload string, disclosures ...string) []byte {
		return token(t, key, goodHeader, payload, disclosures...)
	}
	with := func(header string) []byte { return token(t, key, header, `{"vct":"urn:x"}`) }
	bound := vc
	bound.Binding, bound.Audience, bound.Nonce = true, "https://verifier.example", "n"
	boundToken := signed(fmt.Sprintf(`{"vct":"urn:x","cnf":{"jwk":%s},"_sd":["DIGEST-0"]}`, holder.Public().JWK()), `["s","a",1]`)
	kb := func(signer *keys.Secret, header string, change func(map[string]any)) []byte {
		sum := sha256.Sum256(boundToken)
		claims := map[string]any{"iat": now.Unix(), "aud": "https://verifier.example", "nonce": "n", "sd_hash": b64.EncodeToString(sum[:])}
		if change != nil {
			change(claims)
		}
		body, err := json.Marshal(claims)
		if err != nil {
			t.Fatal(err)
		}
		return append(bytes.Clone(boundToken), bytes.TrimSuffix(token(t, signer, header, string(body)), []byte("~"))...)
	}
	const kbHeader = `{"typ":"kb+jwt","alg":"ES256"}`

	rows := []struct {
		requirement string
		test        func(t *testing.T)
	}{
		{"A1 a token and each of its parts before a key binding end in a tilde", func(t *testing.T) {
			tok := signed(`{"_sd":["DIGEST-0"]}`, `["s","a",1]`)
			accept(t, plain, tok, `{"a":1}`)
			refuse(t, plain, bytes.TrimSuffix(tok, []byte("~")), "ends in a disclosure without '~'")
			refuse(t, plain, bytes.TrimSuffix(signed(`{}`), []byte("~")), "no '~'")
			refuse(t, plain, append(tok, '~'), "empty")
			refuse(t, plain, nil, "no '~'")
		}},
		{"A2 base64url has neither padding nor line breaks", func(t *testing.T) {
			text := base64.URLEncoding.EncodeToString([]byte(`["s","ab",1]`)) + "="
			sum := sha256.Sum256([]byte(text))
			tok := append(signed(`{"_sd":["`+b64.EncodeToString(sum[:])+`"]}`), (text + "~")...)
			refuse(t, plain, tok, "base64url")
			tok = signed(`{"_sd":["DIGEST-0"]}`, `["s","a",1]`)
			refuse(t, plain, append(tok[:len(tok)-1:len(tok)-1], "\n~"...), "line break")
			refuse(t, plain, bytes.Replace(tok, []byte("."), []byte("=."), 1), "base64url")
		}},
		{"A3 alg is that of the issuer's key, and none is refused", func(t *testing.T) {
			refuse(t, plain, with(`{"alg":"none"}`), "alg")
			refuse(t, plain, with(`{"alg":"ES256"}`), "alg")
			refuse(t, plain, with(`{"typ":"dc+sd-jwt"}`), "alg")
			text := b64.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + b64.EncodeToString([]byte(`{}`))
			mac := hmac.New(sha256.New, key.Public().JWK())
			mac.Write([]byte(text))
			refuse(t, plain, []byte(text+"."+b64.EncodeToString(mac.Sum(nil))+"~"), "alg")
			refuse(t, plain, []byte(b64.EncodeToString([]byte(`{"alg":"none"}`))+"."+b64.EncodeToString([]byte(`{}`))+".~"), "alg")
		}},
		{"A4 the signature is over the bytes that came", func(t *testing.T) {
			a, b := signed(`{"a":1}`), signed(`{"a":2}`)
			refuse(t, plain, append(swapPayload(bytes.TrimSuffix(a, []byte("~")), b), '~'), "signature")
			i := bytes.LastIndexByte(a, '.') + 5
			a[i] ^= 1
			refuse(t, plain, a, "signature")
		}},
		{"A5 an ES256 signature is 64 bytes, not DER", func(t *testing.T) {
			es := claimstest.Key(t, keys.ES256)
			v := plain
			v.Key = es.Public()
			tok := token(t, es, `{"alg":"ES256"}`, `{}`)
			accept(t, v, tok, `{}`)
			dot := bytes.LastIndexByte(tok, '.')
			sig, err := b64.DecodeString(string(tok[dot+1 : len(tok)-1]))
			if err != nil {
				t.Fatal(err)
			}
			der, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])})
			if err != nil {
				t.Fatal(err)
			}
			refuse(t, v, append(append(tok[:dot+1:dot+1], b64.EncodeToString(der)...), '~'), "signature")
		}},
		{"A6 a critical header is refused", func(t *testing.T) {
			refuse(t, plain, with(`{"alg":"EdDSA","crit":["zz"],"zz":1}`), "crit")
			refuse(t, plain, with(`{"alg":"EdDSA","crit":[]}`), "crit")
		}},
		{"A7 the signature of another key is refused", func(t *testing.T) {
			v := plain
			v.Key = other.Public()
			refuse(t, v, signed(`{}`), "signature")
		}},
		{"A8 the digest algorithm is known, named at the top, and SHA-256 if absent", func(t *testing.T) {
			for _, alg := range []string{`"sha-999"`, `"SHA-256"`, `"md5"`, `1`, `null`} {
				refuse(t, plain, signed(`{"_sd_alg":`+alg+`}`), "_sd_alg")
			}
			refuse(t, plain, signed(`{"a":{"_sd_alg":"sha-256"}}`), "_sd_alg")
			refuse(t, plain, signed(`{"_sd":["DIGEST-0"]}`, `["s","_sd_alg","sha-256"]`), "reserved")
			accept(t, plain, signed(`{"_sd":["DIGEST-0"]}`, `["s","a",1]`), `{"a":1}`)
			text := b64.EncodeToString([]byte(`["s","a",1]`))
			for name, sum := range map[string]string{"sha-384": digestText(sha512.Sum384([]byte(text))), "sha-512": digestText64(sha512.Sum512([]byte(text)))} {
				accept(t, plain, append(signed(`{"_sd":["`+sum+`"],"_sd_alg":"`+name+`"}`), (text+"~")...), `{"a":1}`)
			}
		}},
		{"A9 a digest is over the text of a disclosure, however its JSON is written", func(t *testing.T) {
			accept(t, plain, signed(`{"_sd":["DIGEST-0"]}`, " [\n\"\\u0073\" ,\t\"\\u0061\", \"\\u00fc\"]\r\n"), `{"a":"ü"}`)
		}},
		{"A10 the digest of the specification's example is found", func(t *testing.T) {
			const text, digest = "WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0", "X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0"
			accept(t, plain, append(signed(`{"_sd":["`+digest+`"]}`), (text+"~")...), `{"family_name":"Möbius"}`)
		}},
		{"A11 a disclosure has salt, name and value, or salt and value in an array", func(t *testing.T) {
			for _, d := range []string{`["s",1]`, `["s"]`, `[]`, `["s","a",1,2]`, `[1,"a",1]`, `[null,"a",1]`, `["s",2,1]`, `["s",["a"],1]`, `{"s":1}`, `"s"`, `["s","a",1`, `["s","a",1]]`, `["s","a",1],["t","b",2]`, ``} {
				refuse(t, plain, signed(`{"_sd":["DIGEST-0"]}`, d), "disclosure 1")
			}
			for _, d := range []string{`["s","a",1]`, `["s"]`, `[1,2]`, `{}`} {
				refuse(t, plain, signed(`{"l":[{"...":"DIGEST-0"}]}`, d), "disclosure 1")
			}
			refuse(t, plain, signed(`{"_sd":["DIGEST-0","DIGEST-1"]}`, `["s","a",1`, `2],["t","b"]`), "disclosure")
		}},
		{"A12 a disclosure with a reserved name is refused", func(t *testing.T) {
			for _, name := range []string{"_sd", "...", `\u005fsd`} {
				refuse(t, plain, signed(`{"_sd":["DIGEST-0"]}`, `["s","`+name+`",[]]`), "disclosure 1: its claim name is reserved")
			}
		}},
		{"A13 a disclosed name that exists already is refused", func(t *testing.T) {
			refuse(t, plain, signed(`{"a":0,"_sd":["DIGEST-0"]}`, `["s","a",1]`), "exists")
			refuse(t, plain, signed(`{"\u0061":0,"_sd":["DIGEST-0"]}`, `["s","a",1]`), "exists")
			refuse(t, plain, signed(`{"_sd":["DIGEST-0","DIGEST-1"]}`, `["s","a",1]`, `["t","\u0061",2]`), "exists")
			accept(t, plain, signed(`{"_sd":["DIGEST-0"],"o":{"_sd":["DIGEST-1"]}}`, `["s","a",1]`, `["t","a",2]`), `{"a":1,"o":{"a":2}}`)
		}},
		{"A14 a digest that occurs twice is refused", func(t *testing.T) {
			refuse(t, plain, signed(`{"_sd":["DIGEST-0","DIGEST-0"]}`, `["s","a",1]`), "twice")
			refuse(t, plain, signed(`{"_sd":["DIGEST-0"],"o":{"_sd":["DIGEST-0"]}}`, `["s","a",1]`), "twice")
			refuse(t, plain, signed(`{"_sd":["decoy"],"l":[{"...":"decoy"}]}`), "twice")
			refuse(t, plain, signed(`{"_sd":["DIGEST-0","decoy"]}`, `["s","a",{"_sd":["decoy"]}]`), "twice")
			refuse(t, plain, signed(`{"_sd":["decoy","\u0064ecoy"]}`), "twice")
		}},
		{"A15 a disclosure without digest, and one sent twice, is refused", func(t *testing.T) {
			refuse(t, plain, signed(`{}`, `["s","a",1]`), "no digest refers to it")
			tok := signed(`{"_sd":["DIGEST-0"]}`, `["s","a",1]`)
			refuse(t, plain, append(tok, tok[bytes.IndexByte(tok, '~')+1:]...), "twice")
			tok = signed(`{"_sd":["DIGEST-0"]}`, `["s","a",{"_sd":["DIGEST-1"]}]`, `["t","b",1]`)
			parts := bytes.Split(tok, []byte("~"))
			refuse(t, plain, bytes.Join([][]byte{parts[0], parts[2], nil}, []byte("~")), "no digest refers to it")
		}},
		{"A16 a digest without disclosure is ignored", func(t *testing.T) {
			accept(t, plain, signed(`{"_sd":["decoy1","decoy2"],"o":{"_sd":["decoy3"]},"l":[{"...":"decoy4"}]}`), `{"o":{},"l":[]}`)
		}},
		{"A17 a disclosure may hold digests of others", func(t *testing.T) {
			tok := signed(`{"_sd":["DIGEST-0"]}`, `["s","o",{"x":0,"_sd":["DIGEST-1","DIGEST-2"]}]`, `["t","a",1]`, `["u","b",[{"...":"DIGEST-3"}]]`, `["v",{"c":2}]`)
			accept(t, plain, tok, `{"o":{"x":0,"a":1,"b":[{"c":2}]}}`)
			parts := bytes.Split(tok, []byte("~"))
			accept(t, plain, bytes.Join([][]byte{parts[0], parts[3], parts[1], nil}, []byte("~")), `{"o":{"x":0,"b":[]}}`)
		}},
		{"A18 elements that are not disclosed vanish, and the others keep their order", func(t *testing.T) {
			accept(t, plain, signed(`{"l":["x",{"...":"decoy"},{"...":"DIGEST-0"},{"k":1}]}`, `["s","y"]`), `{"l":["x","y",{"k":1}]}`)
		}},
		{"A19 the members of the format are not in the result", func(t *testing.T) {
			accept(t, plain, signed(`{"_sd_alg":"sha-256","_sd":[],"o":{"_sd":["decoy"]}}`), `{"o":{}}`)
		}},
		{"A20 a list of digests is a list of texts", func(t *testing.T) {
			refuse(t, plain, signed(`{"_sd":"decoy"}`), "_sd")
			refuse(t, plain, signed(`{"_sd":["decoy",1]}`), "_sd")
			refuse(t, plain, signed(`{"o":{"_sd":{}}}`), "_sd")
		}},
		{"A21 the placeholder of an element has one member, which is text", func(t *testing.T) {
			refuse(t, plain, signed(`{"l":[{"...":"DIGEST-0","x":1}]}`, `["s","y"]`), "...")
			refuse(t, plain, signed(`{"l":[{"...":1}]}`), "...")
			refuse(t, plain, signed(`{"...":"decoy"}`), "...")
		}},
		{"A22 expiry, beginning and audience are checked, disclosed or not", func(t *testing.T) {
			n := now.Unix()
			refuse(t, plain, signed(fmt.Sprintf(`{"exp":%d}`, n-1)), "expired")
			refuse(t, plain, signed(fmt.Sprintf(`{"exp":%d}`, n)), "expired")
			accept(t, plain, signed(fmt.Sprintf(`{"exp":%d}`, n+1)), "")
			accept(t, plain, signed(fmt.Sprintf(`{"exp":%d.5}`, n)), "")
			refuse(t, plain, signed(`{"exp":"4000000000"}`), "not a number")
			refuse(t, plain, signed(fmt.Sprintf(`{"nbf":%d}`, n+1)), "not valid before")
			accept(t, plain, signed(fmt.Sprintf(`{"nbf":%d}`, n)), "")
			refuse(t, plain, signed(`{"nbf":null}`), "not a number")
			refuse(t, plain, signed(`{"exp":1e999}`), "not a number")
			refuse(t, plain, signed(`{"iat":"x"}`), "not a number")
			refuse(t, plain, signed(`{"_sd":["DIGEST-0"]}`, fmt.Sprintf(`["s","exp",%d]`, n-1)), "expired")
			v := plain
			v.Leeway = time.Minute
			accept(t, v, signed(fmt.Sprintf(`{"exp":%d,"nbf":%d}`, n-59, n+60)), "")
			v = plain
			v.Audience = "me"
			accept(t, v, signed(`{"aud":["you","me"]}`), "")
			accept(t, v, signed(`{"aud":"me"}`), "")
			refuse(t, v, signed(`{"aud":"you"}`), "aud")
			refuse(t, v, signed(`{"aud":["you",1]}`), "aud")
		}},
		{"A23 disclosures come in any order, and none at all is enough", func(t *testing.T) {
			tok := signed(`{"_sd":["DIGEST-0","DIGEST-1"]}`, `["s","a",1]`, `["t","b",null]`)
			parts := bytes.Split(tok, []byte("~"))
			accept(t, plain, bytes.Join([][]byte{parts[0], parts[2], parts[1], nil}, []byte("~")), `{"a":1,"b":null}`)
			accept(t, plain, bytes.Join([][]byte{parts[0], nil}, []byte("~")), `{}`)
		}},
		{"A24 an issuer draws a salt for each claim, and digests show no order", func(t *testing.T) {
			testIssuerSalts(t, key)
		}},
		{"A25 a holder sends what was issued, unchanged and once", func(t *testing.T) {
			testHolder(t, key, holder)
		}},
		{"A26 the JSON forms are read, and disclosures are in the first header only", func(t *testing.T) {
			tok := signed(`{"_sd":["DIGEST-0"]}`, `["s","a",1]`)
			flat := flattened(t, tok)
			accept(t, plain, flat, `{"a":1}`)
			back, err := sdjwt.Compact(flat, canon.Limits{})
			if err != nil || !bytes.Equal(back, tok) {
				t.Errorf("back to compact: %s %v", back, err)
			}
			b := kb(holder, kbHeader, nil)
			flat = flattened(t, b)
			accept(t, bound, flat, "")
			var m map[string]json.RawMessage
			decode(t, flat, &m)
			first := fmt.Sprintf(`{"protected":%s,"signature":%s,"header":%s}`, m["protected"], m["signature"], m["header"])
			general := func(second string) []byte {
				return fmt.Appendf(nil, `{"payload":%s,"signatures":[%s,%s]}`, m["payload"], first, second)
			}
			accept(t, bound, general(`{"protected":"e30","signature":"","header":{"kid":"2"}}`), "")
			refuse(t, bound, general(`{"protected":"e30","signature":"","header":{"disclosures":[]}}`), "first unprotected header")
			refuse(t, bound, general(`{"protected":"e30","signature":"","header":{"kb_jwt":""}}`), "first unprotected header")
			for _, bad := range []string{`{}`, `{"payload":"","protected":1,"signature":""}`, `{"payload":"","signatures":[]}`, `{"payload":"","signatures":[{}],"protected":""}`,
				`{"payload":"","protected":"","signature":"","header":{"alg":"none"}}`, `{"payload":"","protected":"","signature":"","header":{"disclosures":["a~b"]}}`,
				`{"payload":"","protected":"","signature":"","header":{"kb_jwt":1}}`, `{"payload":"","protected":"","signature":"","header":{"disclosures":{}}}`, `{"payload":`} {
				refuse(t, plain, []byte(bad), "")
			}
			if _, err := sdjwt.Compact([]byte(`{"payload":"","protected":"","signature":"","header":{"kb_jwt":"~x"}}`), canon.Limits{}); err == nil {
				t.Error("a key binding that begins with a tilde is taken for a disclosure")
			}
		}},

		{"B1 a key binding is asked for by the verifier, never by the token", func(t *testing.T) {
			refuse(t, bound, boundToken, "missing")
			accept(t, vc, boundToken, "")
		}},
		{"B2 a key binding has its type, an algorithm, and the holder's key", func(t *testing.T) {
			refuse(t, bound, kb(holder, `{"typ":"JWT","alg":"ES256"}`, nil), "typ")
			refuse(t, bound, kb(holder, `{"alg":"ES256"}`, nil), "typ")
			refuse(t, bound, kb(holder, `{"typ":"kb+jwt","alg":"none"}`, nil), "alg")
			refuse(t, bound, kb(claimstest.Key(t, keys.ES384), kbHeader, nil), "signature")
			refuse(t, bound, kb(holder, `{"typ":"kb+jwt","alg":"ES256","crit":["x"]}`, nil), "crit")
			for _, cnf := range []string{"", `,"cnf":{}`, `,"cnf":1`, `,"cnf":{"kid":"x"}`, `,"cnf":{"jwk":null}`} {
				refuse(t, bound, append(signed(`{"vct":"urn:x"`+cnf+`}`), "a.b.c"...), "cnf")
			}
			refuse(t, bound, append(signed(`{"vct":"urn:x","cnf":{"jwk":{"kty":"EC"}}}`), "a.b.c"...), "jwk")
		}},
		{"B3 a key binding is recent, for this audience and with this nonce", func(t *testing.T) {
			set := func(name string, value any) func(map[string]any) {
				return func(m map[string]any) {
					if m[name] = value; value == nil {
						delete(m, name)
					}
				}
			}
			n := now.Unix()
			for _, c := range []struct {
				name  string
				value any
			}{{"iat", nil}, {"iat", "x"}, {"iat", n - 601}, {"iat", n + 1}, {"aud", nil}, {"aud", []string{"https://verifier.example"}}, {"aud", "x"},
				{"nonce", nil}, {"nonce", 1}, {"nonce", "m"}, {"exp", n}} {
				refuse(t, bound, kb(holder, kbHeader, set(c.name, c.value)), c.name)
			}
			refuse(t, bound, kb(holder, kbHeader, set("nbf", n+1)), "not valid before")
			accept(t, bound, kb(holder, kbHeader, set("iat", n-600)), "")
			v := bound
			v.MaxAge, v.Leeway = time.Second, time.Second
			accept(t, v, kb(holder, kbHeader, set("iat", n-2)), "")
			accept(t, v, kb(holder, kbHeader, set("iat", n+1)), "")
			refuse(t, v, kb(holder, kbHeader, set("iat", n-3)), "old")
		}},
		{"B4 a key binding is over the token and all its disclosures", func(t *testing.T) {
			refuse(t, bound, kb(holder, kbHeader, func(m map[string]any) { delete(m, "sd_hash") }), "sd_hash")
			refuse(t, bound, kb(holder, kbHeader, func(m map[string]any) { m["sd_hash"] = "x" }), "sd_hash")
			parts := bytes.Split(kb(holder, kbHeader, nil), []byte("~"))
			refuse(t, bound, bytes.Join([][]byte{parts[0], parts[2]}, []byte("~")), "sd_hash")
		}},
		{"B5 a right key binding is accepted", func(t *testing.T) {
			accept(t, bound, kb(holder, kbHeader, nil), fmt.Sprintf(`{"vct":"urn:x","cnf":{"jwk":%s},"a":1}`, holder.Public().JWK()))
		}},
		{"B6 a key binding that nobody asked for is refused unless allowed", func(t *testing.T) {
			refuse(t, vc, kb(holder, kbHeader, nil), "KB-JWT")
			v := vc
			v.UnaskedKB = true
			accept(t, v, kb(holder, kbHeader, nil), "")
		}},

		{"C1 the type of a credential's token is dc+sd-jwt", func(t *testing.T) {
			accept(t, vc, with(`{"alg":"EdDSA","typ":"dc+sd-jwt"}`), "")
			for _, typ := range []string{``, `,"typ":"JWT"`, `,"typ":"vc+sd-jwt"`, `,"typ":1`, `,"typ":"DC+SD-JWT"`} {
				refuse(t, vc, with(`{"alg":"EdDSA"`+typ+`}`), "typ")
			}
			v := vc
			v.LegacyTyp = true
			accept(t, v, with(`{"alg":"EdDSA","typ":"vc+sd-jwt"}`), "")
		}},
		{"C2 a credential's type is text that is not empty", func(t *testing.T) {
			for _, vct := range []string{`{}`, `{"vct":1}`, `{"vct":""}`, `{"vct":null}`} {
				refuse(t, vc, signed(vct), "vct")
			}
		}},
		{"C3 issuer, times, key, type and status are not selectively disclosed", func(t *testing.T) {
			for name, value := range map[string]string{"iss": `"i"`, "nbf": "1", "exp": "4000000000", "cnf": "{}", "vct": `"urn:x"`, "vct#integrity": `"x"`, "aka_vcts": `["y"]`, "status": "{}"} {
				payload := `{"vct":"urn:x","_sd":["DIGEST-0"]}`
				if name == "vct" {
					payload = `{"_sd":["DIGEST-0"]}`
				}
				refuse(t, vc, signed(payload, `["s","`+name+`",`+value+`]`), "selectively")
				accept(t, plain, signed(payload, `["s","`+name+`",`+value+`]`), "")
			}
			refuse(t, vc, signed(`{"vct":"urn:x","cnf":{"_sd":["DIGEST-0"]}}`, `["s","jwk",{}]`), "selectively")
			refuse(t, vc, signed(`{"vct":"urn:x","status":{"l":[{"...":"DIGEST-0"}]}}`, `["s",1]`), "selectively")
			accept(t, vc, signed(`{"vct":"urn:x","_sd":["DIGEST-0","DIGEST-1"]}`, `["s","sub","x"]`, `["t","iat",1]`), "")
			for _, engine := range engines { // an SD-JWT of another type may disclose it
				i := sdjwt.Issuer{Engine: engine, Key: key, Typ: "example+sd-jwt"}
				tok, err := i.Issue([]byte(`{"vct":"urn:x","iss":"i"}`), sdjwt.Disclosable{Pointers: []string{"/iss"}})
				if err != nil {
					t.Fatal(engine, err)
				}
				accept(t, plain, tok, `{"vct":"urn:x","iss":"i"}`)
				refuse(t, vc, tok, "typ")
			}
		}},
		{"C4 issuer, subject and time of issue are optional", func(t *testing.T) {
			accept(t, vc, signed(`{"vct":"urn:x"}`), "")
			refuse(t, vc, signed(`{"vct":"urn:x","iss":1}`), "iss")
			refuse(t, vc, signed(`{"vct":"urn:x","sub":1}`), "sub")
		}},
		{"C5 a token without disclosures has no list of digests", func(t *testing.T) {
			for _, engine := range engines {
				tok, err := (&sdjwt.Issuer{Engine: engine, Key: key}).Issue([]byte(`{"vct":"urn:x","a":{"b":[1]}}`), sdjwt.Disclosable{})
				if err != nil {
					t.Fatal(err)
				}
				body, err := b64.DecodeString(strings.Split(string(tok), ".")[1])
				if err != nil || bytes.Contains(body, []byte("_sd")) || bytes.Count(tok, []byte("~")) != 1 {
					t.Errorf("%s: %s %s %v", engine, tok, body, err)
				}
				accept(t, vc, tok, `{"vct":"urn:x","a":{"b":[1]}}`)
			}
		}},
		{"C6 other types are a list of texts without the type itself", func(t *testing.T) {
			for _, aka := range []string{`[]`, `["urn:x"]`, `"y"`, `["y",1]`, `{}`, `null`} {
				refuse(t, vc, signed(`{"vct":"urn:x","aka_vcts":`+aka+`}`), "aka_vcts")
			}
			accept(t, vc, signed(`{"vct":"urn:x","aka_vcts":["urn:y"]}`), "")
		}},
		{"C7 a status is reported as not checked", func(t *testing.T) {
			r, err := sameAnswer(t, vc, signed(`{"vct":"urn:x","status":{"status_list":{"idx":1,"uri":"https://x.example"}}}`))
			if err != nil || !reflect.DeepEqual(r.Unchecked, []string{"/status"}) {
				t.Errorf("%v %v", r, err)
			}
		}},
		{"C8 the issuer's key is given or comes in a trusted chain", func(t *testing.T) {
			testX5C(t, accept, refuse)
		}},
		{"C9 the strongest digest of given type metadata is compared", func(t *testing.T) {
			document := []byte(`{"vct":"urn:x"}`)
			s256, s512 := sha256.Sum256(document), sha512.Sum512(document)
			good256, good512 := "sha256-"+base64.StdEncoding.EncodeToString(s256[:]), "sha512-"+base64.StdEncoding.EncodeToString(s512[:])
			wrong := "sha512-" + base64.StdEncoding.EncodeToString(other512())
			v := vc
			v.TypeMetadata = document
			for _, good := range []string{good256, good512, "sha256-x " + good512, good512 + "?opt", wrong + " " + good512} {
				accept(t, v, signed(`{"vct":"urn:x","vct#integrity":"`+good+`"}`), "")
			}
			for _, bad := range []string{`"` + wrong + `"`, `"` + good256 + " " + wrong + `"`, `"md5-x"`, `""`, `1`} {
				refuse(t, v, signed(`{"vct":"urn:x","vct#integrity":`+bad+`}`), "integrity")
			}
			r, err := sameAnswer(t, vc, signed(`{"vct":"urn:x","vct#integrity":"`+wrong+`"}`))
			if err != nil || !slices.Contains(r.Unchecked, "/vct#integrity") {
				t.Errorf("not processed: %v %v", r, err)
			}
		}},
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.requirement)
		t.Run(r.requirement, r.test)
	}
	official.Requirements(t, names)
}

func digestText(sum [48]byte) string   { return b64.EncodeToString(sum[:]) }
func digestText64(sum [64]byte) string { return b64.EncodeToString(sum[:]) }
func other512() []byte                 { return bytes.Repeat([]byte{1}, 64) }

// testIssuerSalts issues the same claims twice.
func testIssuerSalts(t *testing.T, key *keys.Secret) {
	for _, engine := range engines {
		i := sdjwt.Issuer{Engine: engine, Key: key}
		var claims strings.Builder
		claims.WriteString(`{"vct":"urn:x","s":{`)
		for n := range 30 {
			if n > 0 {
				claims.WriteByte(',')
			}
			fmt.Fprintf(&claims, `"a%02d":"same"`, n)
		}
		claims.WriteString(`}}`)
		salts := map[string]bool{}
		ordered := 0
		for range 2 {
			tok, err := i.Issue([]byte(claims.String()), sdjwt.Disclosable{Leaves: "/s"})
			if err != nil {
				t.Fatal(err)
			}
			var digests []string
			for _, d := range bytes.Split(tok, []byte("~"))[1:] {
				if len(d) == 0 {
					continue
				}
				sum := sha256.Sum256(d)
				digests = append(digests, b64.EncodeToString(sum[:]))
				b, err := b64.DecodeString(string(d))
				if err != nil {
					t.Fatal(err)
				}
				var parts []string
				decode(t, b, &parts)
				salt, err := b64.DecodeString(parts[0])
				if err != nil || len(salt) < 16 {
					t.Errorf("salt %q", parts[0])
				}
				salts[parts[0]] = true
			}
			body, err := b64.DecodeString(strings.Split(string(tok), ".")[1])
			if err != nil {
				t.Fatal(err)
			}
			var payload struct {
				S struct {
					SD []string `json:"_sd"`
				}
			}
			decode(t, body, &payload)
			if reflect.DeepEqual(payload.S.SD, digests) {
				ordered++
			}
			slices.Sort(digests)
			slices.Sort(payload.S.SD)
			if !reflect.DeepEqual(payload.S.SD, digests) {
				t.Error("digests of other disclosures")
			}
		}
		i.Salts = bytes.NewReader(make([]byte, 30*16))
		tok, err := i.Issue([]byte(claims.String()), sdjwt.Disclosable{Leaves: "/s"})
		if want := b64.EncodeToString([]byte(`["` + strings.Repeat("A", 22) + `","a00","same"]`)); err != nil || !bytes.Contains(tok, []byte(want)) {
			t.Errorf("%s: with salts of zeros: %s %v", engine, tok, err)
		}
		if _, err := i.Issue([]byte(claims.String()), sdjwt.Disclosable{Leaves: "/s"}); !errors.Is(err, io.EOF) {
			t.Errorf("%s: without more salts: %v", engine, err)
		}
		if len(salts) != 60 || ordered > 0 {
			t.Errorf("%s: %d different salts of 60; digests in the order of the claims %d times", engine, len(salts), ordered)
		}
	}
}

// testHolder presents and compares with what was issued.
func testHolder(t *testing.T, key, holder *keys.Secret) {
	tok, err := (&sdjwt.Issuer{Key: key}).Issue([]byte(`{"vct":"urn:x","a":1,"b":2}`), sdjwt.Disclosable{Pointers: []string{"/a", "/b"}})
	if err != nil {
		t.Fatal(err)
	}
	parts := bytes.Split(tok, []byte("~"))
	if got := samePresentation(t, tok, []string{"/b", "/b", "/vct"}); !bytes.Equal(got, bytes.Join([][]byte{parts[0], parts[2], nil}, []byte("~"))) {
		t.Errorf("presented %s of %s", got, tok)
	}
	if got := samePresentation(t, tok, []string{"/c"}); got != nil {
		t.Errorf("a claim that is not there gives %s", got)
	}
	for _, engine := range engines {
		h := sdjwt.Holder{Engine: engine, Key: holder}
		b := &sdjwt.Binding{Audience: `a"`, Nonce: "n", Now: now}
		bound, err := h.Present(tok, []string{"/a"}, b)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(bound, bytes.Join([][]byte{parts[0], parts[1], nil}, []byte("~"))) {
			t.Errorf("%s: bound presentation %s", engine, bound)
		}
		if _, err := h.Present(bound, []string{"/a"}, b); err == nil || !strings.Contains(err.Error(), "KB-JWT") {
			t.Errorf("%s: a holder takes an SD-JWT+KB from an issuer: %v", engine, err)
		}
		if _, err := (&sdjwt.Holder{Engine: engine}).Present(tok, nil, b); err == nil {
			t.Errorf("%s: binding without a key", engine)
		}
	}
}

// testX5C finds the issuer's key by a certificate chain in the header, or not at all.
func testX5C(t *testing.T, accept, refuse func(*testing.T, sdjwt.Verifier, []byte, string)) {
	root, rootKey := certificate(t, nil, nil, nil)
	leafKey := claimstest.Key(t, keys.ES256)
	leaf, _ := certificate(t, leafKey.Public().Crypto(), root, rootKey)
	stranger, _ := certificate(t, nil, nil, nil)
	pool := x509.NewCertPool()
	pool.AddCert(root)
	header := func(x5c string) string { return `{"alg":"ES256","typ":"dc+sd-jwt"` + x5c + `}` }
	text := base64.StdEncoding.EncodeToString(leaf.Raw)
	v := sdjwt.Verifier{Roots: pool, Now: now}
	good := token(t, leafKey, header(`,"x5c":["`+text+`"]`), `{"vct":"urn:x"}`)
	accept(t, v, good, `{"vct":"urn:x"}`)
	refuse(t, v, token(t, leafKey, header(""), `{"vct":"urn:x"}`), "no key of the issuer is known")
	for _, bad := range []string{`[]`, `"` + text + `"`, `["%"]`, `["AAAA"]`, `["` + base64.StdEncoding.EncodeToString(stranger.Raw) + `"]`} {
		refuse(t, v, token(t, leafKey, header(`,"x5c":`+bad), `{"vct":"urn:x"}`), "x5c")
	}
	refuse(t, v, token(t, claimstest.Key(t, keys.EdDSA), header(`,"x5c":["`+text+`"]`), `{"vct":"urn:x"}`), "signature")
	refuse(t, sdjwt.Verifier{Now: now}, good, "trust anchors")
	v.Now = now.AddDate(30, 0, 0)
	refuse(t, v, good, "expired")
}

// certificate makes a certificate; without a parent a self-signed authority.
func certificate(t *testing.T, public any, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test"}, NotBefore: now.AddDate(-1, 0, 0),
		NotAfter: now.AddDate(10, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature}
	if parent == nil {
		var err error
		if signer, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		parent, public = template, signer.Public()
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c, signer
}
