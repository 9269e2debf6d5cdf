//phase:caller
package mdoc

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"time"

	"canonscope/compare/internal/baseline"
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

	itemShape = "an item is a map with digestID (uint), random (bstr), " +
		"elementIdentifier (tstr) and elementValue"
	msoShape = "the MSO is a map with version, digestAlgorithm, valueDigests, " +
		"deviceKeyInfo, docType and validityInfo"
)

// signerUsage is the extended key usage mdlDS (ISO/IEC 18013-5 Annex B.3). It distinguishes document
// signers from other holders of certificates under the same root, such as signers of revocation lists.
var signerUsage = asn1.ObjectIdentifier{1, 0, 18013, 5, 1, 2}

// COSE algorithm numbers (RFC 9053 section 2).
var coseAlgorithm = map[keys.Algorithm]int64{keys.ES256: -7, keys.EdDSA: -8, keys.ES384: -35}

// headers holds the parts of a COSE_Sign1 that the rules need.
type headers struct {
	alg       int64
	hasAlg    bool // the protected header has an integer alg
	crit      bool
	textKid   bool     // kid is not a byte string
	x5chain   [][]byte // DER, leaf first
	badChain  bool     // x5chain is neither a bstr nor an array of them (of one as well, unlike RFC 9360)
	tagged    bool     // the COSE_Sign1 is in tag 18
	protected []byte   // content of the protected bstr
	payload   []byte   // content of the payload bstr
	signature []byte
}

// checkHeaders applies RFC 9052 section 3.1 and ISO/IEC 18013-5 section 9.1.2.4.
//
//phase:validate
func (v *Verifier) checkHeaders(h *headers) error {
	switch {
	case h.tagged && !v.Lenient:
		return unless("Lenient", "issuerAuth", ruleIssue, "is in tag 18, and must be untagged")
	case !h.hasAlg:
		return invalid("issuerAuth", ruleIssue, "the protected header has no alg")
	case h.crit:
		return invalid("issuerAuth", "RFC 9052 section 3.1",
			"crit names header parameters; none is supported")
	case h.textKid && !v.Lenient:
		return unless("Lenient", "issuerAuth", "RFC 9052 section 3.1", "kid is not a byte string")
	case h.badChain:
		return invalid("issuerAuth", "RFC 9360 section 2",
			"x5chain must be a byte string or an array of them")
	case v.Leaf != nil && (len(h.x5chain) == 0 || !bytes.Equal(h.x5chain[0], v.Leaf)):
		return invalid("x5chain", ruleIssue, "is not the signer's certificate")
	}
	return nil
}

// issuerKey returns the key that must have signed: the configured one, or the key of x5chain with its
// certificate after a check of the chain.
func (v *Verifier) issuerKey(
	h *headers, signed time.Time,
) (key *keys.Public, leaf *x509.Certificate, err error) {
	if key = v.Key; key == nil {
		if key, leaf, err = v.checkChain(h.x5chain, signed); err != nil {
			return nil, nil, err
		}
	}
	if want := coseAlgorithm[key.Algorithm()]; h.alg != want {
		return nil, nil, invalid("issuerAuth", "RFC 9053 section 2", "alg is %d, the key needs %d", h.alg,
			want)
	}
	return key, leaf, nil
}

// checkChain checks x5chain against the trust anchors at the verifier's time (ISO/IEC 18013-5 section
// 9.3.3). It also checks that the MSO was signed within the validity of the leaf, and that the leaf belongs
// to a document signer in the country of its authority.
//
//phase:validate
func (v *Verifier) checkChain(ders [][]byte, signed time.Time) (*keys.Public, *x509.Certificate, error) {
	const where, rule = "x5chain", "ISO/IEC 18013-5 section 9.3.3"
	if len(ders) == 0 {
		return nil, nil, invalid(where, rule, "is missing, and no key is configured")
	}

	chain, key, err := keys.Signer(ders, v.Roots, baseline.Now(v.Now))
	switch {
	case keys.OutOfTime(err):
		return nil, nil, unless("Now", where, rule, "%v", err)
	case err != nil:
		return nil, nil, invalid(where, rule, "%v", err)
	}

	leaf, root := chain[0], chain[len(chain)-1]
	switch {
	case signed.Before(leaf.NotBefore) || signed.After(leaf.NotAfter):
		return nil, nil, invalid(where, ruleCheck, "signed at %s, outside the validity of the certificate",
			signed.Format(time.RFC3339))
	case !slices.Equal(leaf.Subject.Country, root.Subject.Country):
		return nil, nil, invalid(where, ruleSigner,
			"the certificate's country is %q, that of its authority %q", leaf.Subject.Country,
			root.Subject.Country)
	case v.AnyUsage:
	case !slices.ContainsFunc(leaf.UnknownExtKeyUsage, signerUsage.Equal):
		return nil, nil, unless("AnyUsage", where, ruleSigner,
			"the certificate lacks the extended key usage of a document signer, %v", signerUsage)
	case keys.IsAuthority(leaf):
		return nil, nil, unless("AnyUsage", where, ruleSigner,
			"the certificate is that of an authority, which signs certificates, not documents")
	}

	return key, leaf, nil
}

// checkPlace compares the place of issue that an mDL discloses with the one in the signer's certificate
// (ISO/IEC 18013-5 section 9.3.1): a signer of one country must not issue for another.
func (d *Document) checkPlace(leaf *x509.Certificate) error {
	for _, e := range d.Elements {
		var want []string
		switch {
		case e.NameSpace != "org.iso.18013.5.1":
			continue
		case e.Identifier == "issuing_country":
			want = leaf.Subject.Country
		case e.Identifier == "issuing_jurisdiction" && len(leaf.Subject.Province) > 0:
			want = leaf.Subject.Province
		default:
			continue
		}
		if text, ok := stockText(e.Value); !ok || !slices.Contains(want, text) {
			return invalid(e.NameSpace+"/"+e.Identifier, ruleCheck,
				"differs from that of the signer's certificate, %q", want)
		}
	}
	return nil
}

// done completes a document whose signature and digests are valid. leaf is the signer's certificate, or nil
// if the key was configured.
func (d *Document) done(v *Verifier, m *mso, leaf *x509.Certificate) error {
	if v.Device == nil {
		d.Unchecked = append(d.Unchecked, "/deviceKeyInfo")
	}
	if m.status {
		d.Unchecked = append(d.Unchecked, "/status")
	}
	if leaf == nil {
		return nil
	}
	d.Signer = keys.SubjectOf(leaf)
	return d.checkPlace(leaf)
}
