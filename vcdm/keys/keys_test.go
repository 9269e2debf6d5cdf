package keys_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon/conform/official"
	"canonscope/vcdm/keys"

	"github.com/mr-tron/base58"
)

func TestRoundTrips(t *testing.T) {
	for _, alg := range keys.Algorithms {
		s, err := keys.Generate(alg)
		if err != nil {
			t.Fatal(err)
		}
		p := s.Public()
		for name, read := range map[string]func() (*keys.Public, error){
			"multikey": func() (*keys.Public, error) { return keys.ParsePublic(p.Multikey()) },
			"bytes":    func() (*keys.Public, error) { return keys.PublicFromBytes(p.Bytes()) },
			"jwk":      func() (*keys.Public, error) { return keys.ParsePublicJWK(p.JWK()) },
			"did:key":  func() (*keys.Public, error) { return keys.ParseMethod(p.Method()) },
			"secret multikey": func() (*keys.Public, error) {
				s, err := keys.ParseSecret(s.Multikey())
				if err != nil {
					return nil, err
				}
				return s.Public(), nil
			},
			"secret jwk": func() (*keys.Public, error) {
				s, err := keys.ParseSecretJWK(s.JWK())
				if err != nil {
					return nil, err
				}
				return s.Public(), nil
			},
		} {
			got, err := read()
			if err != nil {
				t.Errorf("%s %s: %v", alg, name, err)
			} else if !got.Equal(p) {
				t.Errorf("%s %s: another key came back", alg, name)
			}
		}
		for _, k := range []*keys.Secret{s, s.Deterministic()} {
			sig, err := k.Sign([]byte("message"))
			if err != nil {
				t.Fatal(err)
			}
			if len(sig) != alg.SignatureSize() {
				t.Errorf("%s: signature of %d bytes", alg, len(sig))
			}
			if !p.Verify([]byte("message"), sig) {
				t.Errorf("%s: own signature refused", alg)
			}
			if p.Verify([]byte("messagf"), sig) {
				t.Errorf("%s: signature accepted for another message", alg)
			}
			sig[len(sig)-1] ^= 1
			if p.Verify([]byte("message"), sig) {
				t.Errorf("%s: changed signature accepted", alg)
			}
		}
	}
}

// Signatures keep their length when r or s has leading zeros (B02).
func TestFixedLengthSignatures(t *testing.T) {
	s, err := keys.FromSeed(keys.ES256, bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	d, zeros := s.Deterministic(), 0
	for i := range 2000 {
		m := []byte{byte(i), byte(i >> 8)}
		sig, err := d.Sign(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(sig) != 64 {
			t.Fatalf("signature of %d bytes", len(sig))
		}
		if sig[0] == 0 || sig[32] == 0 {
			zeros++
			if !s.Public().Verify(m, sig) {
				t.Fatalf("signature %x refused", sig)
			}
		}
	}
	if zeros == 0 {
		t.Fatal("no signature had a leading zero")
	}
}

// B08: n-s in place of s is a valid ECDSA signature; B09: r or s zero or at least n is not.
func TestECDSARange(t *testing.T) {
	s, _ := keys.Generate(keys.ES256)
	m := []byte("m")
	sig, _ := s.Sign(m)
	n := s.Public().Order()
	v := n.Sub(n, s.Public().Int(sig[32:]))
	other := append(bytes.Clone(sig[:32]), v.FillBytes(make([]byte, 32))...)
	if !s.Public().Verify(m, other) {
		t.Error("n-s refused")
	}
	for _, bad := range [][]byte{make([]byte, 64), bytes.Repeat([]byte{0xff}, 64),
		append(make([]byte, 32), sig[32:]...),
		append(bytes.Clone(sig[:32]), make([]byte, 32)...), sig[:63], append(bytes.Clone(sig), 0), nil} {
		if s.Public().Verify(m, bad) {
			t.Errorf("%x accepted", bad)
		}
	}
}

// B10: an Ed25519 signature whose s is not below the group order is refused.
func TestEd25519Malleability(t *testing.T) {
	s, _ := keys.Generate(keys.EdDSA)
	m := []byte("m")
	sig, _ := s.Sign(m)
	// The group order 2^252 + 27742317777372353535851937790883648493, little-endian.
	order := []byte{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
		0x14,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10}
	carry := 0
	for i := range 32 {
		carry += int(sig[32+i]) + int(order[i])
		sig[32+i] = byte(carry)
		carry >>= 8
	}
	if s.Public().Verify(m, sig) {
		t.Error("s + L accepted")
	}
}

func TestBadMultikeys(t *testing.T) {
	ed, _ := keys.Generate(keys.EdDSA)
	p256, _ := keys.Generate(keys.ES256)
	z := func(b ...[]byte) string { return "z" + base58.Encode(bytes.Join(b, nil)) }
	eb, pb := ed.Public().Bytes(), p256.Public().Bytes()
	point, err := p256.Public().Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	off := bytes.Clone(pb)
	for i := 3; i < 35; i++ { // x = 1 is not on P-256
		off[i] = 0
	}
	off[34] = 1
	for name, mk := range map[string]string{
		"empty":                   "",
		"z alone":                 "z",
		"no multibase":            ed.Public().Multikey()[1:],
		"base64url":               "u7QGq",
		"Ed25519 of 31 bytes":     z(eb[:33]),
		"Ed25519 of 33 bytes":     z(eb, []byte{0}),
		"wrong header":            z([]byte{0xec, 0x01}, eb[2:]),
		"P-384 header on P-256":   z([]byte{0x81, 0x24}, pb[2:]),
		"uncompressed point":      z(pb[:2], point),
		"compression byte":        z(pb[:2], []byte{4}, pb[3:]),
		"x not on the curve":      z(off),
		"secret key":              ed.Multikey(),
		"letter outside base58":   "z6Mk0OIl",
		"too long":                "z" + strings.Repeat("1", 100000),
		"header only":             z(pb[:2]),
		"one byte":                z(pb[:1]),
		"P-256 with Ed25519 head": z(eb[:2], pb[2:]),
	} {
		if k, err := keys.ParsePublic(mk); err == nil {
			t.Errorf("%s: accepted as %s", name, k.Algorithm())
		}
	}
	for name, mk := range map[string]string{
		"public key": ed.Public().Multikey(),
		"short":      z([]byte{0x80, 0x26}, make([]byte, 31)),
		"zero":       z([]byte{0x86, 0x26}, make([]byte, 32)),
		"too large":  z([]byte{0x86, 0x26}, bytes.Repeat([]byte{0xff}, 32)),
		"mixed pair": z([]byte{0x80, 0x26}, make([]byte, 32), eb[2:]),
	} {
		if _, err := keys.ParseSecret(mk); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, url := range []string{"did:key:" + ed.Public().Multikey(), ed.Public().DID() + "#key-1",
		"did:web:x#y", "", "did:key:#"} {
		if _, err := keys.ParseMethod(url); err == nil {
			t.Errorf("%q: accepted", url)
		}
	}
}

func TestBadJWKs(t *testing.T) {
	s, _ := keys.Generate(keys.ES256)
	o, _ := keys.Generate(keys.ES256)
	change := func(b []byte, f func(map[string]any)) []byte {
		var m map[string]any
		json.Unmarshal(b, &m)
		f(m)
		b, _ = json.Marshal(m)
		return b
	}
	var other map[string]any
	json.Unmarshal(o.JWK(), &other)
	for name, b := range map[string][]byte{
		"no JSON":     []byte("{"),
		"other point": change(s.JWK(), func(m map[string]any) { m["x"], m["y"] = other["x"], other["y"] }),
		"half point":  change(s.JWK(), func(m map[string]any) { m["x"] = other["x"] }),
		"padding":     change(s.JWK(), func(m map[string]any) { m["d"] = m["d"].(string) + "=" }),
		"kty":         change(s.JWK(), func(m map[string]any) { m["kty"] = "OKP" }),
		"crv":         change(s.JWK(), func(m map[string]any) { m["crv"] = "P-521" }),
		"alg":         change(s.JWK(), func(m map[string]any) { m["alg"] = "ES384" }),
		"no d":        s.Public().JWK(),
	} {
		if _, err := keys.ParseSecretJWK(b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := keys.ParsePublicJWK(s.JWK()); err == nil {
		t.Error("secret JWK accepted as a public key")
	}
}

// The key pairs published with the W3C vectors read back to the same text.
func TestVectorKeys(t *testing.T) {
	dir := official.Dir(t, "di-vectors")
	for _, f := range []string{"vc-di-eddsa/keyPair.json", "vc-di-ecdsa/p256KeyPair.json",
		"vc-di-ecdsa/p384KeyPair.json"} {
		b, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		var pair struct{ PublicKeyMultibase, SecretKeyMultibase, PrivateKeyMultibase string }
		if err := json.Unmarshal(b, &pair); err != nil {
			t.Fatal(err)
		}
		secret := pair.SecretKeyMultibase + pair.PrivateKeyMultibase // one of the two is there
		s, err := keys.ParseSecret(secret)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if got := s.Public().Multikey(); got != pair.PublicKeyMultibase {
			t.Errorf("%s: public key %s, want %s", f, got, pair.PublicKeyMultibase)
		}
		if got := s.Multikey(); got != secret {
			t.Errorf("%s: secret key %s, want %s", f, got, secret)
		}
	}
}

func FuzzParsePublic(f *testing.F) {
	for _, alg := range keys.Algorithms {
		s, _ := keys.Generate(alg)
		f.Add(s.Public().Multikey())
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := keys.ParsePublic(s)
		if err != nil {
			return
		}
		if got := k.Multikey(); got != s {
			t.Fatalf("%q reads as %q", s, got)
		}
	})
}
