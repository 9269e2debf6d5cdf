package mdoc

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"time"

	"canonscope/vcdm/keys"
)

const (
	ruleCOSE   = "RFC 9052 section 4.4"
	ruleIssue  = "ISO/IEC 18013-5 section 9.1.2.4"
	ruleCheck  = "ISO/IEC 18013-5 section 9.3.1"
	ruleDigest = "ISO/IEC 18013-5 section 9.1.2.5"
	ruleSigner = "ISO/IEC 18013-5 Annex B.3"
	ruleShape  = "ISO/IEC 18013-5 section 8.3.2.1.2.2"

	issuerSignedShape = "is a map with issuerAuth and nameSpaces, nothing else"

	itemShape = "an item is a map with digestID (uint), random (bstr), elementIdentifier (tstr) and elementValue"
	msoShape  = "the MSO is a map with version, digestAlgorithm, valueDigests, deviceKeyInfo, docType and validityInfo"
)

// signerUsage is the extended key usage mdlDS (ISO/IEC 18013-5 Annex B.3), which sets document signers apart from the other
// holders of certificates under one root, such as those who sign lists of revoked certificates.
var signerUsage = asn1.ObjectIdentifier{1, 0, 18013, 5, 1, 2}

// COSE algorithm numbers (RFC 9053 section 2).
var coseAlgorithm = map[keys.Algorithm]int64{keys.ES256: -7, keys.EdDSA: -8, keys.ES384: -35}

// headers is what the rules need of the two header maps of a COSE_Sign1.
type headers struct {
	alg       int64
	hasAlg    bool // an integer alg stands in the protected header
	crit      bool
	textKid   bool     // kid is no byte string
	x5chain   [][]byte // DER, leaf first
	badChain  bool     // x5chain is neither a bstr nor an array of them; RFC 9360 wants two or more in an array, makers send one
	tagged    bool     // tag 18 stands around it
	protected []byte   // content of the protected bstr
	payload   []byte   // content of the payload bstr
	signature []byte
}

// checkHeaders applies RFC 9052 section 3.1 and ISO/IEC 18013-5 section 9.1.2.4.
func (v *Verifier) checkHeaders(h *headers) error {
	switch {
	case h.tagged && !v.Lenient:
		return invalid("issuerAuth", ruleIssue, "stands in tag 18; it must be untagged")
	case !h.hasAlg:
		return invalid("issuerAuth", ruleIssue, "the protected header has no alg")
	case h.crit:
		return invalid("issuerAuth", "RFC 9052 section 3.1", "crit names header parameters; none is supported")
	case h.textKid && !v.Lenient:
		return invalid("issuerAuth", "RFC 9052 section 3.1", "kid is no byte string")
	case h.badChain:
		return invalid("issuerAuth", "RFC 9360 section 2", "x5chain must be a byte string or an array of them")
	case v.Leaf != nil && (len(h.x5chain) == 0 || !bytes.Equal(h.x5chain[0], v.Leaf)):
		return invalid("x5chain", ruleIssue, "is not the signer's certificate")
	}
	return nil
}

// issuerKey returns the key that must have signed: the configured one, or that of x5chain after the chain is checked.
func (v *Verifier) issuerKey(h *headers, signed time.Time) (*keys.Public, error) {
	key := v.Key
	if key == nil {
		leaf, err := v.checkChain(h.x5chain, signed)
		if err != nil {
			return nil, err
		}
		key = leaf
	}
	if want := coseAlgorithm[key.Algorithm()]; h.alg != want {
		return nil, invalid("issuerAuth", "RFC 9053 section 2", "alg is %d, the key needs %d", h.alg, want)
	}
	return key, nil
}

// checkChain checks x5chain against the trust anchors at the verifier's time (ISO/IEC 18013-5 section 9.3.3), that the MSO
// was signed inside the validity of the leaf, and that the leaf is a document signer's.
func (v *Verifier) checkChain(chain [][]byte, signed time.Time) (*keys.Public, error) {
	const where, rule = "x5chain", "ISO/IEC 18013-5 section 9.3.3"
	if len(chain) == 0 {
		return nil, invalid(where, rule, "is missing, and no key is configured")
	}
	certs := make([]*x509.Certificate, len(chain))
	middle := x509.NewCertPool()
	for i, der := range chain {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, invalid(where, rule, "certificate %d: %v", i, err)
		}
		if certs[i] = c; i > 0 {
			middle.AddCert(c)
		}
	}
	leaf := certs[0]
	if signed.Before(leaf.NotBefore) || signed.After(leaf.NotAfter) {
		return nil, invalid(where, ruleCheck, "signed at %s, outside the validity of the certificate", signed.Format(time.RFC3339))
	}
	_, err := leaf.Verify(x509.VerifyOptions{Roots: v.Roots, Intermediates: middle, CurrentTime: v.now(),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return nil, invalid(where, rule, "%v", err)
	}
	if leaf.KeyUsage != 0 && leaf.KeyUsage&x509.KeyUsageDigitalSignature == 0 {
		return nil, invalid(where, rule, "the certificate's key is not for signatures")
	}
	if !v.AnyUsage && !slices.ContainsFunc(leaf.UnknownExtKeyUsage, signerUsage.Equal) {
		return nil, invalid(where, ruleSigner, "the certificate lacks the extended key usage of a document signer, %v", signerUsage)
	}
	key, err := keys.PublicOf(leaf.PublicKey)
	if err != nil {
		return nil, invalid(where, rule, "%v", err)
	}
	return key, nil
}
