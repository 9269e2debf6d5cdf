package keys

import (
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"strings"
	"testing"
	"time"
)

// A chain comes from anybody: what would take long to read, print or check is refused before.
func TestCostlyCertificates(t *testing.T) {
	public, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	make := func(key any, subject pkix.Name) []byte {
		template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: subject,
			NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
		der, err := x509.CreateCertificate(nil, template, template, key, secret)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	plain := make(public, pkix.Name{CommonName: "plain"})
	many := [][]byte{plain}
	for range MaxChain {
		many = append(many, plain)
	}
	modulus := func(bits uint) *rsa.PublicKey {
		return &rsa.PublicKey{N: new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), bits-1), big.NewInt(1)),
			E: 65537}
	}
	for name, c := range map[string]struct {
		ders [][]byte
		want string // in the error
	}{
		"one":      {many[:1], "signed by unknown authority"},
		"most":     {many[:MaxChain], "signed by unknown authority"},
		"one more": {many, "more than 16 certificates"},
		"a long subject": {[][]byte{plain,
			make(public, pkix.Name{OrganizationalUnit: strings.Split(strings.Repeat("u,", 3000), ",")})},
			"certificate 1: a certificate of"},
		"RSA": {[][]byte{plain, make(modulus(maxRSA), pkix.Name{})},
			"signed by unknown authority"},
		"a long RSA key": {[][]byte{plain, make(modulus(maxRSA+1), pkix.Name{})}, "RSA key of 8193 bits"},
	} {
		if _, _, err := Signer(c.ders, x509.NewCertPool(), now); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
