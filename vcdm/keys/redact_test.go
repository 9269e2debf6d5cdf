package keys_test

import (
	"encoding/json"
	"strings"
	"testing"

	"canonscope/canon/jsontape"
	"canonscope/vcdm/keys"
)

// A secret is found wherever it stands in JSON, and all that is no secret stays.
func TestRedacted(t *testing.T) {
	s, err := keys.Generate(keys.EdDSA)
	if err != nil {
		t.Fatal(err)
	}
	long := "z" + strings.Repeat("1", 40)
	for in, want := range map[string]string{
		string(s.MultikeyJSON()): strings.Replace(string(s.MultikeyJSON()), s.Multikey(), "(secret, not shown)", 1),
		`{"a":["` + s.Multikey() +
			`","x"],"b":1}`: `{"a":["(secret, not shown)","x"],"b":1}`,
		`{"a":"` + s.Public().Multikey() + `"}`: `{"a":"` +
			s.Public().Multikey() + `"}`,
		`{"a":"` + long + `"}`:               `{"a":"` + long + `"}`,
		`{"kty":"OKP","\u0064":"s","x":"p"}`: `{"kty":"OKP","\u0064":"(secret, not shown)","x":"p"}`,
		`{"d":"day","k":1}`:                  `{"d":"day","k":1}`,
		`[{"crv":"P-256","d":{"d":1}},{"PrivateKeyJwk":[1,{"d":2}],"z":0}]`: `[{"crv":"P-256","d":"(secret, not shown)"},{"PrivateKeyJwk":"(secret, not shown)","z":0}]`,
		`{"private_key_pem":1,"p":"a -----BEGIN EC PRIVATE KEY----- b"}`:    `{"private_key_pem":"(secret, not shown)","p":"(secret, not shown)"}`,
		`"-----BEGIN PRIVATE KEY-----"`:                                     `"(secret, not shown)"`,
		`{"kty":"RSA","oth":[{"d":"x"}],"n":"n","e":"e"}`:                   `{"kty":"RSA","oth":"(secret, not shown)","n":"n","e":"e"}`,
		`{"a":{"secretKeyMultibase":"x"},"b":{"secretKeyJwk":{}},"c":"z"}`:  `{"a":{"secretKeyMultibase":"(secret, not shown)"},"b":{"secretKeyJwk":"(secret, not shown)"},"c":"z"}`,
		// What looks like a definition of a term is hidden as well: it may be a key.
		`{"secretKeyHex":{"@id":"x:y","@set":["s"]}}`:                `{"secretKeyHex":"(secret, not shown)"}`,
		`{"privateKeyMultibase":"https://user:secret@kms.example/"}`: `{"privateKeyMultibase":"(secret, not shown)"}`,
	} {
		var tape jsontape.Tape
		if err := tape.Scan([]byte(in), jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		got, secret := keys.Redacted(&tape)
		if string(got) != want || secret != (in != want) || !json.Valid(got) {
			t.Errorf("%s becomes %s, %v", in, got, secret)
		}
	}
}

// A controlled identifier document lists its verification methods; options of a proof name one.
func TestHolderOf(t *testing.T) {
	for in, want := range map[string]keys.Holder{
		`{"id":"did:example:a","verificationMethod":[{"id":"#k"}]}`:            keys.Controlled,
		`{"type":"DataIntegrityProof","verificationMethod":"did:example:a#k"}`: "",
		`{"verificationMethod":["did:example:a#k"],"credentialSubject":{}}`:    "",
		`{"keys":[{"kty":"OKP"}]}`:                     keys.Set,
		`{"kty":"OKP"}`:                                keys.OneKey,
		`{"type":"Multikey","publicKeyMultibase":"z"}`: keys.OneKey,
		`{"@context":{"verificationMethod":{"@id":"https://x.example/#method"}}}`: "",
		`{"id":"did:example:a","verificationMethod":{"id":"#k"}}`:                 keys.Controlled,
		`{"verificationMethod":[{"id":"#k"}],"proofValue":"z"}`:                   "",
		`[]`: "",
	} {
		var tape jsontape.Tape
		if err := tape.Scan([]byte(in), jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := keys.HolderOf(&tape); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
