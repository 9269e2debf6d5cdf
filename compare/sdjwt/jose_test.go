package sdjwt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare/sdjwt"
)

// A JOSE object that is not an SD-JWT is described by what it is: its serialization, type and payload decide.
func TestForeign(t *testing.T) {
	enc := func(s string) string { return b64.EncodeToString([]byte(s)) }
	general := func(n int, last string) string { // n signatures, the last with a protected header
		list := strings.Repeat(`{"protected":"`+enc(`{"alg":"ES256"}`)+`","signature":"AA"},`, n-1)
		return `{"payload":"` + enc(`{"a":1}`) + `","signatures":[` + list + `{"protected":"` + enc(last) +
			`","signature":"AA"}]}`
	}
	flat := func(payload, members string) string {
		return `{"payload":"` + enc(payload) + `","signature":"AA"` + members + `}`
	}
	const jws, jwt = "a JSON Web Signature", "a JSON Web Token"
	for _, c := range []struct{ in, what string }{
		{compactOf(`{"alg":"ES256"}`, `{"a":1}`), jwt},
		{compactOf(`{"alg":"ES256"}`, `{"iss":1,"vc":{}}`), jwt + " over a credential (JWT of VCDM 1.1)"},
		{compactOf(`{"alg":"ES256"}`, `{"vp":{}}`), jwt + " (JWT of VCDM 1.1)"},
		{compactOf(`{"alg":"ES256"}`, `{"@context":[]}`), jwt + " over a credential (VC-JOSE-COSE)"},
		{compactOf(`{"alg":"ES256"}`, `{"credentialSubject":{}}`), jwt + " over a credential (VC-JOSE-COSE)"},
		{compactOf(`{"alg":"ES256"}`, `text`), jws},
		{compactOf(`{"alg":"ES256","typ":"kb+jwt"}`, `{"nonce":"n"}`), "a KB-JWT"},
		{compactOf(`{"alg":"ES256","sigT":"x"}`, `{"vc":1}`), jws + " over a credential (JAdES)"},
		{"eyJ!.e30.AA", jwt + " whose header is damaged"},
		{compactOf(`{"enc":"A128GCM"}`, `{}`) + ".AA.AA", "an encrypted object (JWE)"},
		{compactOf(`{"alg":"ES256"}`, `{"a":1}`) + ".AA", jwt}, // one point too few for a JWE
		{`{"ciphertext":"AA","iv":"AA"}`, "an encrypted object (JWE)"},
		{`{"ciphertext":"AA","protected":"AA"}`, "an encrypted object (JWE)"},
		{`{"ciphertext":"AA"}`, ""},
		{flat(`{"vc":1}`, ``), jws + " over a credential"},
		{flat(`{"a":1}`, `,"header":{"etsiU":[]}`), jws + " (JAdES)"},
		{flat(`{"a":1}`, `,"header":["etsiU"],"protected":1`), jws},
		{flat(`{"a":1}`, `,"protected":"`+enc(`{"typ":"kb+jwt"}`)+`"`), "a KB-JWT"},
		{flat(`{"a":1}`, `,"protected":"`+enc(`{"typ":"dc+sd-jwt"}`)+`"`), ""},
		{flat(`{"a":1}`, `,"header":{"disclosures":[]}`), ""},
		{`{"payload":"` + enc(`{"a":1}`) + `"}`, ""},
		{`{"payload":1,"signature":"AA"}`, jws},
		{`{"payload":"` + enc(`{"vc":1}`) + `","signatures":{},"signature":"AA"}`, jws + " over a credential"},
		{general(1, `{"typ":"kb+jwt"}`), "a KB-JWT"},
		{general(2, `{"typ":"kb+jwt"}`), jws},
		{general(16, `{"sigT":"x"}`), jws + " (JAdES)"},
		{general(17, `{"sigT":"x"}`), jws}, // further ones are not read
		{"www.example.org", ""},
		{"text", ""},
	} {
		what, remedy := sdjwt.Foreign([]byte(c.in))
		if what != c.what || (remedy == "") != (what == "") {
			t.Errorf("%s is %q (%q), want %q", c.in, what, remedy, c.what)
		}
	}
	if !sdjwt.IsToken([]byte(enc(`{"alg":"ES256"}`) + ".~")) {
		t.Error("a tilde alone after the header makes an SD-JWT")
	}
}

// An inspection of a JOSE object shows its headers, its payload or the payload's size, and its issuer.
func TestInspectForeign(t *testing.T) {
	bare := strings.TrimSuffix(compactOf(`{"alg":"ES256"}`, `text!`), ".")
	both := fmt.Sprintf(`{"payload":%q,"signature":"AA","protected":%q,"header":{"kid":"k"}}`,
		b64.EncodeToString([]byte(`{"issuer":{"id":"urn:i"},"privateKeyJwk":{"d":"x"}}`)),
		b64.EncodeToString([]byte(`{"alg":"ES256"}`)))
	for in, want := range map[string][]string{
		compactOf(`{"alg":"ES256"}`, `{"iss":"urn:a","issuer":"urn:b"}`): {", issuer urn:a", `"issuer":"urn:a"`, "payload\n"},
		compactOf(`{"alg":"ES256"}`, `{"issuer":"urn:b"}`):               {", issuer urn:b", `"issuer":"urn:b"`, "payload\n"},
		both: {", issuer urn:i", `"signatures":[{"protected":{"alg":"ES256"},"header":{"kid":"k"}}]`,
			"unprotected header\n"},
		bare:                                  {" bytes", `"payloadBytes":5}`, "payload: 5 bytes, not a JSON object\n"},
		compactOf(`{"enc":1}`, "") + ".AA.AA": {" bytes", `"format":"jwe"`, "not checked here: decrypt"},
	} {
		i, err := sdjwt.InspectForeign([]byte(in), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		v, err := i.JSON()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := i.Print(&text); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(i.Line(), want[0]) || !strings.Contains(string(doc), want[1]) || !strings.Contains(text.String(), want[2]) {
			t.Errorf("%s\n%s\n%s\n%s\nwant %q", in, i.Line(), doc, &text, want)
		}
		if secret := in == both; strings.Contains(string(doc), `"secret":true`) != secret ||
			strings.Contains(text.String(), "secret") != secret || !secret && strings.Contains(text.String(), "0 bytes, not") {
			t.Errorf("%s: a secret is left out: %s\n%s", in, doc, &text)
		}
	}
	if _, err := sdjwt.InspectForeign([]byte("text"), canon.Limits{}); err == nil {
		t.Error("text can be inspected")
	}
	var limit *canon.LimitError
	for _, in := range []string{compactOf(`{"alg":[1]}`, `{}`), compactOf(`{"alg":1}`, `{"a":[1]}`)} {
		if _, err := sdjwt.InspectForeign([]byte(in), canon.Limits{Depth: 1}); !errors.As(err, &limit) {
			t.Errorf("%s: %v, want a limit", in, err)
		}
	}
}
