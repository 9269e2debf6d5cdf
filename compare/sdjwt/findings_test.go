package sdjwt_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"canonscope/canon/conform/official"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// issuerCertificate is what a test wants in the certificate of x5c.
type issuerCertificate struct {
	subject   string
	uris, dns []string
	usage     x509.KeyUsage
	authority bool
	extra     []pkix.Extension
}

// x5cAuthority makes tokens with x5c whose certificates are of one root.
type x5cAuthority struct {
	t    *testing.T
	key  *keys.Secret // of issuer and root
	root *x509.Certificate
	pool *x509.CertPool
}

func newX5C(t *testing.T) *x5cAuthority {
	a := &x5cAuthority{t: t, key: claimstest.Key(t, keys.ES256), pool: x509.NewCertPool()}
	a.root = a.certificate(issuerCertificate{subject: "Root", usage: x509.KeyUsageCertSign, authority: true})
	a.pool.AddCert(a.root)
	return a
}

func (a *x5cAuthority) certificate(in issuerCertificate) *x509.Certificate {
	a.t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0), DNSNames: in.dns,
		KeyUsage: in.usage, IsCA: in.authority, BasicConstraintsValid: in.authority, ExtraExtensions: in.extra}
	if in.subject != "" {
		template.Subject = pkix.Name{CommonName: in.subject}
	}
	for _, text := range in.uris {
		u, err := url.Parse(text)
		if err != nil {
			a.t.Fatal(err)
		}
		template.URIs = append(template.URIs, u)
	}
	parent := a.root
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, a.key.Public().Crypto(), a.key.Crypto())
	if err != nil {
		a.t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return c
}

func (a *x5cAuthority) token(c *x509.Certificate, payload string, disclosures ...string) []byte {
	header := fmt.Sprintf(`{"alg":"ES256","typ":"dc+sd-jwt","x5c":[%q]}`, base64.StdEncoding.EncodeToString(c.Raw))
	return token(a.t, a.key, header, payload, disclosures...)
}

func refuses(t *testing.T, v sdjwt.Verifier, tok []byte, reason string) {
	t.Helper()
	if _, err := sameAnswer(t, v, tok); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("%v, want a refusal with %q\n%s", err, reason, tok)
	}
}

func accepts(t *testing.T, v sdjwt.Verifier, tok []byte) *sdjwt.Result {
	t.Helper()
	r, err := sameAnswer(t, v, tok)
	if err != nil {
		t.Fatalf("%v\n%s", err, tok)
	}
	return r
}

// Finding 11: whoever has a certificate under the verifier's roots is not every issuer.
func TestX5CIsTheIssuers(t *testing.T) {
	a := newX5C(t)
	v := sdjwt.Verifier{Roots: a.pool, Now: now}
	const sign = x509.KeyUsageDigitalSignature
	issuer := a.certificate(issuerCertificate{subject: "Issuer", uris: []string{"https://issuer.example/a", "did:web:issuer.example"},
		dns: []string{"Issuer.example"}, usage: sign})
	payload := func(iss string) string { return fmt.Sprintf(`{"vct":"urn:x","iss":%q}`, iss) }
	for _, iss := range []string{"https://issuer.example/a", "did:web:issuer.example", "https://issuer.example", "https://ISSUER.example/b?c#d",
		"https://issuer.example:8443/"} {
		if r := accepts(t, v, a.token(issuer, payload(iss))); r.Signer != "CN=Issuer" {
			t.Errorf("%s: the signer is %q", iss, r.Signer)
		}
	}
	for _, iss := range []string{"https://other.example", "https://sub.issuer.example", "https://issuer.example.evil.example", "https://example",
		"https://issuer.example@other.example", "https://other.example@issuer.example", "http://issuer.example", "//issuer.example", "issuer.example",
		"https://issuer.example.", "did:web:issuer.example:a", "did:web:other.example", "Issuer", "CN=Issuer", "https://", "", "%"} {
		tok := a.token(issuer, payload(iss))
		plain, anybody := v, v
		plain.Plain, anybody.AnySubject = true, true
		refuses(t, v, tok, "/iss")
		refuses(t, plain, tok, "/iss")
		if r := accepts(t, anybody, tok); r.Signer != "CN=Issuer" {
			t.Errorf("%s: the signer is %q", iss, r.Signer)
		}
	}
	plain := v
	plain.Plain = true
	for _, iss := range []string{"1", "null", "[]", `{"x":1}`} { // no string, and so no name
		refuses(t, v, a.token(issuer, `{"vct":"urn:x","iss":`+iss+`}`), "/iss")
		refuses(t, plain, a.token(issuer, `{"iss":`+iss+`}`), "/iss")
	}
	refuses(t, plain, a.token(issuer, `{"_sd":["DIGEST-0"]}`, `["s","iss","https://other.example"]`), "/iss")

	// A name with a wildcard is of TLS servers, a common name is of nobody.
	refuses(t, v, a.token(a.certificate(issuerCertificate{subject: "issuer.example", dns: []string{"*.example"}, usage: sign}), payload("https://issuer.example")), "/iss")

	// Without iss the certificate's subject is the issuer (draft -19 section 2.5). Somebody has to be.
	if r := accepts(t, v, a.token(issuer, `{"vct":"urn:x"}`)); r.Signer != "CN=Issuer" {
		t.Errorf("without iss the signer is %q", r.Signer)
	}
	if r := accepts(t, v, a.token(a.certificate(issuerCertificate{dns: []string{"a.example"}, usage: sign}), `{"vct":"urn:x"}`)); r.Signer != "a.example" {
		t.Errorf("without a subject the signer is %q", r.Signer)
	}
	refuses(t, v, a.token(a.certificate(issuerCertificate{usage: sign}), `{"vct":"urn:x"}`), "names the issuer")
}

// Finding 11: the shared token of another issuer.
func TestX5COfAnotherIssuer(t *testing.T) {
	dir := official.Dir(t, "attacks")
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(read("root.pem")) {
		t.Fatal("root.pem holds no certificate")
	}
	tok := bytes.TrimSpace(read("x5c-other-issuer.sdjwt"))
	v := sdjwt.Verifier{Roots: roots, Now: time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)}
	refuses(t, v, tok, "is not a name (SAN) in the signer's certificate")
	v.AnySubject = true
	if r := accepts(t, v, tok); r.Signer != "CN=evil.example" {
		t.Errorf("the signer is %q", r.Signer)
	}
}

// Finding 11: the certificate's key has to be for signing data.
func TestX5CKeyUsage(t *testing.T) {
	a := newX5C(t)
	v := sdjwt.Verifier{Roots: a.pool, Now: now, AnySubject: true}
	const sign, payload = x509.KeyUsageDigitalSignature, `{"vct":"urn:x"}`
	accepts(t, v, a.token(a.certificate(issuerCertificate{subject: "a", usage: sign | x509.KeyUsageKeyEncipherment}), payload))
	accepts(t, v, a.token(a.certificate(issuerCertificate{subject: "says nothing"}), payload))
	for _, usage := range []x509.KeyUsage{x509.KeyUsageKeyEncipherment, x509.KeyUsageContentCommitment, x509.KeyUsageCRLSign} {
		refuses(t, v, a.token(a.certificate(issuerCertificate{subject: "a", usage: usage}), payload), "not for signatures")
	}
	none := pkix.Extension{Id: []int{2, 5, 29, 15}, Value: []byte{3, 1, 0}} // key usage with no bit set
	refuses(t, v, a.token(a.certificate(issuerCertificate{subject: "a", extra: []pkix.Extension{none}}), payload), "not for signatures")
	refuses(t, v, a.token(a.root, payload), "x5c")
	for name, in := range map[string]issuerCertificate{"authority": {usage: sign | x509.KeyUsageCertSign, authority: true},
		"authority without signing": {usage: sign, authority: true}, "signs certificates": {usage: sign | x509.KeyUsageCertSign}} {
		in.subject = name
		refuses(t, v, a.token(a.certificate(in), payload), "authority")
	}
	refuses(t, sdjwt.Verifier{Roots: x509.NewCertPool(), Now: now}, a.token(a.certificate(issuerCertificate{subject: "a", usage: sign}), payload), "unknown authority")
}

// Finding: an iss that is the name of a key, and another key is configured.
func TestIssuerIsAnotherKey(t *testing.T) {
	key, other := claimstest.Key(t, keys.ES256), claimstest.Key(t, keys.EdDSA).Public()
	own, ed := key.Public().DID(), other.DID()
	didJWK := func(k *keys.Public) string { return "did:jwk:" + b64.EncodeToString(k.JWK()) }
	v := sdjwt.Verifier{Key: key.Public(), Now: now}
	for _, plain := range []bool{false, true} {
		v := v
		v.Plain = plain
		for _, iss := range []string{own, key.Public().Method(), didJWK(key.Public()), didJWK(key.Public()) + "#0", "did:web:issuer.example",
			"https://issuer.example", "did:keys:" + ed} {
			accepts(t, v, token(t, key, `{"alg":"ES256","typ":"dc+sd-jwt"}`, fmt.Sprintf(`{"vct":"urn:x","iss":%q}`, iss)))
		}
		for _, iss := range []string{ed, other.Method(), own + "#" + other.Multikey(), own + "#", own + "?a", own + "/a", own + "x", " " + own, "DID:KEY:" + other.Multikey(),
			"did:key:", "did:key:1.1:" + other.Multikey(), didJWK(other), didJWK(other) + "#0", "did:jwk:", "did:jwk:e30", "Did:Jwk:%"} {
			tok := token(t, key, `{"alg":"ES256","typ":"dc+sd-jwt"}`, fmt.Sprintf(`{"vct":"urn:x","iss":%q}`, iss))
			if iss[0] == ' ' { // the name of nothing
				accepts(t, v, tok)
				continue
			}
			refuses(t, v, tok, "is not the key that signed")
			v := v
			v.AnySubject = true
			accepts(t, v, tok)
		}
	}
	v.Plain = true
	refuses(t, v, token(t, key, `{"alg":"ES256","typ":"dc+sd-jwt"}`, `{"_sd":["DIGEST-0"]}`, fmt.Sprintf(`["s","iss",%q]`, ed)), "is not the key that signed")

	// A certificate that names the key of somebody else does not make it that key.
	a := newX5C(t)
	leaf := a.certificate(issuerCertificate{subject: "a", uris: []string{ed}, usage: x509.KeyUsageDigitalSignature})
	refuses(t, sdjwt.Verifier{Roots: a.pool, Now: now}, a.token(leaf, fmt.Sprintf(`{"vct":"urn:x","iss":%q}`, ed)), "is not the key that signed")
}

// Finding: a token that is bound to its holder says so where nobody has asked for the holder.
func TestUnaskedBindingIsNamed(t *testing.T) {
	key, holder := claimstest.Key(t, keys.EdDSA), claimstest.Key(t, keys.ES256)
	for _, plain := range []bool{false, true} {
		v := sdjwt.Verifier{Key: key.Public(), Now: now, Plain: plain}
		for _, cnf := range []string{fmt.Sprintf(`{"jwk":%s}`, holder.Public().JWK()), `{"kid":"x"}`, `{"jwk":1}`, `{}`, `null`, `"x"`} {
			r := accepts(t, v, token(t, key, goodHeader, `{"vct":"urn:x","status":{},"cnf":`+cnf+`}`))
			if want := []string{"/cnf", "/status"}; !reflect.DeepEqual(r.Unchecked, want) {
				t.Errorf("cnf %s: unchecked %v, want %v", cnf, r.Unchecked, want)
			}
		}
	}
	v := sdjwt.Verifier{Key: key.Public(), Now: now, Plain: true}
	if r := accepts(t, v, token(t, key, goodHeader, `{"_sd":["DIGEST-0"]}`, `["s","cnf",{}]`)); !reflect.DeepEqual(r.Unchecked, []string{"/cnf"}) {
		t.Errorf("disclosed: %v", r.Unchecked)
	}
}

// Finding L6: an empty nonce or audience binds to nothing, whoever leaves it empty.
func TestEmptyNonceIsNoBinding(t *testing.T) {
	key, holder := claimstest.Key(t, keys.EdDSA), claimstest.Key(t, keys.ES256)
	signed := token(t, key, goodHeader, fmt.Sprintf(`{"vct":"urn:x","cnf":{"jwk":%s}}`, holder.Public().JWK()))
	sum := sha256.Sum256(signed)
	bound := func(members string) []byte {
		body := fmt.Sprintf(`{"iat":%d,"sd_hash":%q%s}`, now.Unix(), b64.EncodeToString(sum[:]), members)
		return append(bytes.Clone(signed), bytes.TrimSuffix(token(t, holder, `{"typ":"kb+jwt","alg":"ES256"}`, body), []byte("~"))...)
	}
	v := sdjwt.Verifier{Key: key.Public(), Now: now, Binding: true, Audience: "a", Nonce: "n"}
	accepts(t, v, bound(`,"aud":"a","nonce":"n"`))
	for _, members := range []string{``, `,"aud":"","nonce":""`, `,"aud":"a","nonce":""`, `,"aud":"","nonce":"n"`, `,"aud":"a"`, `,"nonce":"n"`,
		`,"aud":null,"nonce":null`, `,"aud":[],"nonce":[]`, `,"aud":"a","nonce":"N"`} {
		tok := bound(members)
		for _, audience := range []string{"", "a"} {
			for _, nonce := range []string{"", "n"} {
				for _, unasked := range []bool{false, true} {
					v := v
					v.Audience, v.Nonce, v.UnaskedKB = audience, nonce, unasked
					refuses(t, v, tok, "")
				}
			}
		}
	}
	v.Audience, v.Nonce = "", ""
	refuses(t, v, bound(`,"aud":"","nonce":""`), "Audience and a Nonce")
	refuses(t, sdjwt.Verifier{Key: key.Public(), Now: now, Nonce: "n"}, signed, "Binding") // a nonce that nobody would compare
	for _, engine := range engines {
		for _, b := range []sdjwt.Binding{{}, {Audience: "a"}, {Nonce: "n"}} {
			if _, err := (&sdjwt.Holder{Engine: engine, Key: holder}).Present(signed, nil, &b); err == nil {
				t.Errorf("%s: a holder binds to %+v", engine, b)
			}
		}
	}
}

// The zero value with a key checks the dates, and whom the token is for.
func TestDefaultsRefuse(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public()}
	at := time.Now()
	signed := func(members string) []byte { return token(t, key, goodHeader, `{"vct":"urn:x"`+members+`}`) }
	accepts(t, v, signed(fmt.Sprintf(`,"iat":%d,"nbf":%d,"exp":%d`, at.Unix()-9, at.Unix()-9, at.Unix()+99)))
	for _, name := range []string{"nbf", "iat"} {
		refuses(t, v, signed(fmt.Sprintf(`,%q:%d`, name, at.AddDate(1, 0, 0).Unix())), "")
	}
	refuses(t, v, signed(fmt.Sprintf(`,"exp":%d`, at.AddDate(-1, 0, 0).Unix())), "expired")
	refuses(t, v, token(t, key, `{"alg":"EdDSA"}`, `{"vct":"urn:x"}`), "typ")
	plain := sdjwt.Verifier{Key: key.Public(), Plain: true}
	refuses(t, plain, token(t, key, `{"alg":"EdDSA"}`, `{"_sd":["DIGEST-0"]}`, fmt.Sprintf(`["s","iat",%d]`, at.AddDate(1, 0, 0).Unix())), "in the future")
	early := sdjwt.Verifier{Key: key.Public(), Leeway: 24 * time.Hour}
	accepts(t, early, signed(fmt.Sprintf(`,"iat":%d`, at.Add(time.Hour).Unix())))

	for _, aud := range []string{`"https://other.example"`, `["a","b"]`, `""`, `[]`, `null`, `1`} {
		tok := signed(`,"aud":` + aud)
		refuses(t, v, tok, "/aud")
		anybody := v
		anybody.AnyAudience = true
		if r := accepts(t, anybody, tok); !reflect.DeepEqual(r.Unchecked, []string{"/aud"}) {
			t.Errorf("aud %s: unchecked %v", aud, r.Unchecked)
		}
		anybody.Audience = "me"
		refuses(t, anybody, tok, "/aud")
	}
}

// Parts that no check has covered are listed.
func TestUnchecked(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public(), Now: now, UnaskedKB: true}
	for members, want := range map[string][]string{
		`"vct":"urn:x"`: nil,
		`"vct":"urn:x","status":{"status_list":{"idx":1,"uri":"https://x.example"}}`:     {"/status"},
		`"vct":"urn:x","status":null,"credentialStatus":[],"credentialSchema":{}`:        {"/credentialSchema", "/credentialStatus", "/status"},
		`"vct":"urn:x","validUntil":"2021-01-01T00:00:00Z","relatedResource":[]`:         {"/relatedResource", "/validUntil"},
		`"vct":"https://x.example/type"`:                                                 {"/vct"},
		`"vct":"https://x.example/type","vct#integrity":"sha256-x","aka_vcts":["urn:y"]`: {"/vct", "/vct#integrity"},
	} {
		tok := token(t, key, goodHeader, "{"+members+"}")
		if r := accepts(t, v, tok); !reflect.DeepEqual(r.Unchecked, want) {
			t.Errorf("%s: %v, want %v", members, r.Unchecked, want)
		}
		if r := accepts(t, v, append(tok, "a.b.c"...)); !reflect.DeepEqual(r.Unchecked, append(want, "KB-JWT")) {
			t.Errorf("%s with a KB-JWT: %v", members, r.Unchecked)
		}
	}
	disclosed := token(t, key, goodHeader, `{"vct":"urn:x","_sd":["DIGEST-0"]}`, `["s","credentialStatus",{}]`)
	if r := accepts(t, v, disclosed); !reflect.DeepEqual(r.Unchecked, []string{"/credentialStatus"}) {
		t.Errorf("disclosed: %v", r.Unchecked)
	}
	v.TypeMetadata = []byte(`{"vct":"urn:x"}`) // nothing says that it is the right one
	if r := accepts(t, v, token(t, key, goodHeader, `{"vct":"urn:x"}`)); !reflect.DeepEqual(r.Unchecked, []string{"/vct"}) {
		t.Errorf("type metadata without integrity: %v", r.Unchecked)
	}
}
