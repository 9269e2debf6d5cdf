package keys_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon/conform/official"
	"canonscope/vcdm/keys"
)

func block(kind string, der []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// Keys as openssl writes them are read as the keys that they are.
func TestPEM(t *testing.T) {
	for _, alg := range keys.Algorithms {
		s, err := keys.Generate(alg)
		if err != nil {
			t.Fatal(err)
		}
		private, err := x509.MarshalPKCS8PrivateKey(s.Crypto())
		secrets := [][]byte{block("PRIVATE KEY", private, err)}
		if k, ok := s.Crypto().(*ecdsa.PrivateKey); ok {
			der, err := x509.MarshalECPrivateKey(k)
			parameters := pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{5, 0}})
			secrets = append(secrets, append(parameters, block("EC PRIVATE KEY", der, err)...))
		}
		for _, b := range secrets {
			if f, err := keys.ParseFile(b); err != nil || f.Secret == nil || !f.Public.Equal(s.Public()) ||
				f.Method != s.Public().Method() {
				t.Errorf("%s: %+v, %v\n%s", alg, f, err, b)
			}
		}
		public, err := x509.MarshalPKIXPublicKey(s.Public().Crypto())
		if f, err := keys.ParseFile(block("PUBLIC KEY", public, err)); err != nil || f.Secret != nil ||
			!f.Public.Equal(s.Public()) {
			t.Errorf("%s: %+v, %v", alg, f, err)
		}
	}
}

// What cannot be used is named as what it is.
func TestForeignKeys(t *testing.T) {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p521, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(r)
	public, perr := x509.MarshalPKIXPublicKey(&p521.PublicKey)
	secret521, serr := x509.MarshalECPrivateKey(p521)
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	whole, werr := x509.MarshalPKCS8PrivateKey(ed)
	for text, want := range map[string]string{
		string(block("PRIVATE KEY", private, err)):       "an RSA key",
		string(block("RSA PRIVATE KEY", nil, nil)):       "an RSA key",
		string(block("PUBLIC KEY", public, perr)):        "a key on P-521",
		string(block("EC PRIVATE KEY", secret521, serr)): "a key on P-521",
		string(block("ENCRYPTED PRIVATE KEY", nil, nil)): "an encrypted key",
		string(block("OPENSSH PRIVATE KEY", nil, nil)):   "a key of OpenSSH",
		string(block("CERTIFICATE REQUEST", nil,
			nil)): `holds ["CERTIFICATE REQUEST"] and no key`,
		string(block("PRIVATE KEY", whole, werr))[:60]:             "cut or damaged",
		string(block("PRIVATE KEY", whole[:20], werr)):             "PEM private key: ",
		`{"kty":"RSA","n":"AQ","e":"AQAB"}`:                        `kty is "RSA"`,
		`{"kty":"EC","crv":"secp256k1","x":"AQ","y":"AQ"}`:         `crv is "secp256k1"`,
		`{"kty":"OKP","x":"AQ"}`:                                   "crv is missing",
		`{"keys":[]}`:                                              "a JWK Set; take one of its keys",
		`{"id":"did:example:i","verificationMethod":[]}`:           "a controlled identifier document",
		`{"type":["VerifiableCredential"],"credentialSubject":{}}`: "a credential",
	} {
		if _, err := keys.ParseFile([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50s: %v, want %s", text, err, want)
		}
	}
}

// A key of openssl and a certificate from public reports.
func TestReportedPEM(t *testing.T) {
	dir := filepath.Join(official.Dir(t), "reports")
	for name, secret := range map[string]bool{"62.pem": true, "63-ca.pem": false} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if f, err := keys.ParseFile(b); err != nil || (f.Secret != nil) != secret {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}
