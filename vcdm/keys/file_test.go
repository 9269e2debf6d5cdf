package keys_test

import (
	"fmt"
	"strings"
	"testing"

	"canonscope/vcdm/keys"
)

func TestFiles(t *testing.T) {
	for _, alg := range keys.Algorithms {
		s, err := keys.Generate(alg)
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{"Multikey": s.MultikeyJSON(), "JWK": s.JWK(),
			"public Multikey": s.Public().MultikeyJSON(), "public JWK": s.Public().JWK()} {
			f, err := keys.ParseFile(b)
			if err != nil {
				t.Errorf("%s %s: %v", alg, name, err)
				continue
			}
			if secret := name == "Multikey" || name == "JWK"; !f.Public.Equal(s.Public()) ||
				(f.Secret != nil) != secret || f.Method != s.Public().Method() ||
				f.Controller != s.Public().DID() {
				t.Errorf("%s %s: %+v", alg, name, f)
			}
		}
	}
	a, _ := keys.Generate(keys.EdDSA)
	b, _ := keys.Generate(keys.EdDSA)
	own := fmt.Sprintf(`{"id":"https://x.example/#k","controller":"https://x.example/","type":"Multikey","secretKeyMultibase":%q}`, a.Multikey())
	if f, err := keys.ParseFile([]byte(own)); err != nil || f.Method != "https://x.example/#k" ||
		f.Controller != "https://x.example/" || f.Secret == nil {
		t.Errorf("own method: %+v, %v", f, err)
	}
	for name, text := range map[string]string{
		"no JSON": "{", "nothing": "{}", "other type": `{"type":"Ed25519VerificationKey2020"}`, "no key": `{"type":"Multikey"}`, "list": "[]",
		"mixed pair": fmt.Sprintf(`{"type":"Multikey","publicKeyMultibase":%q,"secretKeyMultibase":%q}`,
			a.Public().Multikey(), b.Multikey()),
	} {
		if _, err := keys.ParseFile([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Errors about a file say which member is wrong, in words of JSON.
func TestFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:        "not a Multikey, JSON Web Key or PEM: it is not a JSON object but array",
		`{"kty":5}`: "not a Multikey, JSON Web Key or PEM: kty is not a string but number",
		`{"type":"Multikey","publicKeyMultibase":[]}`: "publicKeyMultibase is not a string but array",
		`{"kty":"OKP","crv":"Ed25519","x":{}}`:        "JWK: x is not a string but object",
		`{"type":"Ed25519VerificationKey2020"}`:       "not a Multikey, JSON Web Key or PEM",
	} {
		if _, err := keys.ParseFile([]byte(text)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Finding L4: a member in another case, or a second one, is not the key that people see.
func TestMembersByTheirNames(t *testing.T) {
	a, _ := keys.Generate(keys.ES256)
	b, _ := keys.Generate(keys.ES256)
	other := strings.NewReplacer(`"x":`, `"X":`, `"y":`, `"Y":`, `"crv":`, `"CRV":`, `"kty":`,
		`"Kty":`).Replace(string(b.Public().JWK()))
	both := strings.TrimSuffix(string(a.Public().JWK()), "}") + "," + strings.TrimPrefix(other, "{")
	if p, err := keys.ParsePublicJWK([]byte(both)); err != nil || !p.Equal(a.Public()) {
		t.Errorf("%s: %v", both, err)
	}
	if f, err := keys.ParseFile([]byte(both)); err != nil || !f.Public.Equal(a.Public()) || f.Secret != nil {
		t.Errorf("%s: %+v %v", both, f, err)
	}
	twice := strings.TrimSuffix(string(a.Public().JWK()), "}") + "," +
		strings.TrimPrefix(string(b.Public().JWK()), "{")
	multikey := fmt.Sprintf(`{"type":"Multikey","PublicKeyMultibase":%q}`, a.Public().Multikey())
	for _, bad := range []string{other, twice, multikey, `{"type":"Multikey","Type":"x"}`,
		`{"kty":null,"crv":"P-256"}`} {
		if _, err := keys.ParsePublicJWK([]byte(bad)); err == nil {
			t.Errorf("accepted %s", bad)
		}
		if _, err := keys.ParseFile([]byte(bad)); err == nil {
			t.Errorf("accepted the file %s", bad)
		}
	}
}
