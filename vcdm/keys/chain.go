//phase:caller
package keys

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bounds of a chain, which is untrusted. Chains in use have at most four certificates of one or two
// kilobytes.
const (
	MaxChain       = 16
	maxCertificate = 32 << 10
	maxRSA         = 8192 // bits
)

// ParseCertificate reads a certificate in DER. It refuses one that would take long to print or to check a
// signature with.
func ParseCertificate(der []byte) (*x509.Certificate, error) {
	if len(der) > maxCertificate {
		return nil, fmt.Errorf("a certificate of %d bytes, at most %d are read", len(der), maxCertificate)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	if k, ok := c.PublicKey.(*rsa.PublicKey); ok && k.N.BitLen() > maxRSA {
		return nil, fmt.Errorf("a certificate with an RSA key of %d bits, at most %d are read", k.N.BitLen(),
			maxRSA)
	}
	return c, nil
}

// Signer checks a chain of DER certificates, the signer's first, against trust anchors at a time (RFC 5280
// section 6), and that the signer's key is for signatures. It returns the chain up to its trust anchor and
// the key.
func Signer(ders [][]byte, roots *x509.CertPool, at time.Time) ([]*x509.Certificate, *Public, error) {
	var leaf *x509.Certificate
	if len(ders) > MaxChain {
		return nil, nil, fmt.Errorf("a chain of more than %d certificates", MaxChain)
	}

	middle := x509.NewCertPool()
	for i, der := range ders {
		c, err := ParseCertificate(der)
		if err != nil {
			return nil, nil, fmt.Errorf("certificate %d: %w", i, err)
		}
		if i == 0 {
			leaf = c
		} else {
			middle.AddCert(c)
		}
	}

	if leaf == nil {
		return nil, nil, errors.New("there is no certificate")
	}

	chains, err := leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: middle, CurrentTime: at,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return nil, nil, err
	}
	if saysUsage(leaf) && leaf.KeyUsage&x509.KeyUsageDigitalSignature == 0 {
		return nil, nil, errors.New("the certificate's key is not for signatures")
	}

	key, err := PublicOf(leaf.PublicKey)
	return chains[0], key, err
}

// OutOfTime reports whether [Signer] has refused a chain for its time alone.
func OutOfTime(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}

// saysUsage reports whether a certificate has the extension key usage, which need not name any (RFC 5280
// section 4.2.1.3).
func saysUsage(c *x509.Certificate) bool {
	usage := asn1.ObjectIdentifier{2, 5, 29, 15}
	for _, e := range c.Extensions {
		if e.Id.Equal(usage) {
			return true
		}
	}
	return false
}

// IsAuthority reports whether a certificate is of a key that signs certificates (RFC 5280 sections 4.2.1.3
// and 4.2.1.9).
func IsAuthority(c *x509.Certificate) bool { return c.IsCA || c.KeyUsage&x509.KeyUsageCertSign != 0 }

// SubjectOf names the subject of a certificate: its distinguished name, or its alternative names if that is
// empty.
func SubjectOf(c *x509.Certificate) string {
	if name := c.Subject.String(); name != "" {
		return name
	}
	names := slices.Clone(c.DNSNames)
	for _, u := range c.URIs {
		names = append(names, u.String())
	}
	return strings.Join(names, ", ")
}

// Certificates returns the certificates, DER, in a PEM text (RFC 7468). Blocks of other types are skipped.
func Certificates(text []byte) (ders [][]byte) {
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return ders
		}
		if text = rest; block.Type == "CERTIFICATE" {
			ders = append(ders, block.Bytes)
		}
	}
}

// Pool returns certificates as trust anchors.
func Pool(ders ...[]byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	for _, der := range ders {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		pool.AddCert(c)
	}
	return pool, nil
}
