//phase:caller
package mdoc

import (
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net/url"
	"sync"
	"time"

	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// NewFormat returns the format mdoc with an engine and a signature algorithm: EdDSA, ES256 or ES384. Each
// leaf below credentialSubject is one element, or what the scenario's granularity makes one; see
// [Issuer.Issue] for its identifier. The certificate of x5chain names the issuer. It is made outside the
// timed section, where the verifier compares it with the one it knows.
func NewFormat(engine compare.Engine, algorithm compare.Algorithm) compare.Preparer {
	return format{engine: engine, algorithm: algorithm}
}

type format struct {
	engine    compare.Engine
	algorithm compare.Algorithm
}

const checks = "signature, docType, digests, structure, validity period"

// transcript is the SessionTranscript of a scenario with holder binding: [null, null, "canonscope"].
var transcript = []byte("\x83\xf6\xf6\x6acanonscope")

//phase:encode fallback
func (f format) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	if _, err := engineOf(f.engine); err != nil {
		return nil, err
	}

	in, err := claims.Prepare(c, request, f.algorithm, s)
	if err != nil {
		return nil, err
	}

	certificate, err := Certificate(in.Issuer.Public(), c.Issuer)
	if err != nil {
		return nil, err
	}

	i := Issuer{Engine: f.engine, Key: in.Issuer, Chain: [][]byte{certificate}, Device: in.Holder.Public(),
		Elements: in.Elements, Limits: s.Limits, Counters: in.Counters}
	h := Holder{Engine: f.engine, Limits: s.Limits, Counters: in.Counters}
	v := Verifier{Engine: f.engine, Key: in.Issuer.Public(), Leaf: certificate, Now: s.Now, Limits: s.Limits,
		Counters: in.Counters}
	var bound []byte
	done := checks
	if s.Binding == compare.HolderBinding {
		bound, done = transcript, checks+", device signature"
		h.Key, v.Device = in.Holder, &DeviceAuth{Transcript: transcript}
	}

	return compare.Deriving(in.Counters, done, compare.Steps{
		Issue: func() ([]byte, error) { return i.Issue(in.JSON) },
		Whole: func(issued []byte) ([]byte, error) {
			return h.Present(issued, []string{claims.Subject}, bound)
		},
		Present: func(issued []byte) ([]byte, error) { return h.Present(issued, in.Disclose, bound) },
		Verify:  func(presented []byte) error { _, err := v.Verify(presented); return err },
	}), nil
}

var certificates sync.Map // issuer's Multikey and name to DER

// Certificate returns a document signer's certificate for x5chain, the same bytes for the same key and
// name. Its authority is fictitious: exchanges trust the key itself.
func Certificate(key *keys.Public, issuer string) ([]byte, error) {
	id := key.Multikey() + " " + issuer
	if der, ok := certificates.Load(id); ok {
		return der.([]byte), nil
	}
	name, err := url.Parse(issuer)
	if err != nil {
		return nil, err
	}
	authority := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	from := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{Country: []string{"UT"},
		CommonName: "Canonscope IACA"}}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{Country: []string{"UT"},
		CommonName: "Canonscope DS"}, NotBefore: from, NotAfter: from.AddDate(40, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, URIs: []*url.URL{name},
		UnknownExtKeyUsage: []asn1.ObjectIdentifier{signerUsage}}
	der, err := x509.CreateCertificate(nil, leaf, root, key.Crypto(), authority)
	if err != nil {
		return nil, err
	}
	certificates.Store(id, der)
	return der, nil
}
