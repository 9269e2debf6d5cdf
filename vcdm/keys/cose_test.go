package keys_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"

	"canonscope/vcdm/keys"
)

func TestCOSE(t *testing.T) {
	for _, alg := range keys.Algorithms {
		s, err := keys.Generate(alg)
		if err != nil {
			t.Fatal(err)
		}
		p, err := keys.ParsePublicCOSE(s.Public().COSE())
		if err != nil {
			t.Fatal(alg, err)
		}
		if !p.Equal(s.Public()) {
			t.Errorf("%s: another key came back", alg)
		}
		if p, err = keys.PublicOf(s.Public().Crypto()); err != nil || !p.Equal(s.Public()) {
			t.Errorf("%s: PublicOf: %v", alg, err)
		}
		b := s.Public().COSE()
		b[len(b)-1] ^= 1
		if _, err := keys.ParsePublicCOSE(b); err == nil && alg != keys.EdDSA {
			t.Errorf("%s: a point off the curve is accepted", alg)
		}
		if _, err := keys.ParsePublicCOSE(b[:len(b)-1]); err == nil {
			t.Errorf("%s: a cut key is accepted", alg)
		}
	}
	k, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.PublicOf(&k.PublicKey); err == nil {
		t.Error("P-521 is accepted")
	}
}
