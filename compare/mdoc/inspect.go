package mdoc

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/canon/printable"
)

// Decode returns the CBOR bytes of an mdoc that may be written in hexadecimal or base64url, and whether it is one: a map
// with issuerAuth, or with documents.
func Decode(in []byte) ([]byte, bool) {
	text := string(bytes.TrimSpace(in))
	candidates := [][]byte{in}
	if b, err := hex.DecodeString(text); err == nil {
		candidates = append(candidates, b)
	}
	if b, err := base64.RawURLEncoding.DecodeString(text); err == nil {
		candidates = append(candidates, b)
	}
	for _, b := range candidates {
		if scanCBOR(b, canon.Limits{}) == nil && (view(b).find("issuerAuth") >= 0 || view(b).find("documents") >= 0) {
			return b, true
		}
	}
	return in, false
}

var diagnostic = must(cbor.DiagOptions{ByteStringEmbeddedCBOR: true, MaxNestedLevels: 1024}.DiagMode())

// Inspect writes what an mdoc holds, for people: its MSO, each element in CBOR diagnostic notation and whether its digest
// is that of the MSO, certificates, and device authentication. It checks no signature.
func Inspect(w io.Writer, b []byte) error {
	if err := scanCBOR(b, canon.Limits{}); err != nil {
		return err
	}
	out := &printer{printable.Printer{W: w}}
	if view(b).find("issuerAuth") >= 0 {
		out.Line("mdoc of %d bytes: IssuerSigned", len(b))
		return out.issuerSigned(b)
	}
	var response deviceResponse
	if err := stockDec.Unmarshal(b, &response); err != nil {
		return invalid("DeviceResponse", ruleShape, "%v", err)
	}
	out.Line("mdoc of %d bytes: DeviceResponse, version %s, status %d, %d documents", len(b), response.Version, response.Status, len(response.Documents))
	for i, d := range response.Documents {
		out.Line("document %d: docType %s", i+1, d.DocType)
		if err := out.issuerSigned(d.IssuerSigned); err != nil {
			return err
		}
		out.deviceSigned(d.DeviceSigned)
	}
	return out.Err
}

type printer struct{ printable.Printer }

// notation writes CBOR in diagnostic notation.
func notation(b []byte) string {
	s, err := diagnostic.Diagnose(b)
	if err != nil {
		return fmt.Sprintf("h'%x' (%v)", b, err)
	}
	return s
}

func (p *printer) issuerSigned(b []byte) error {
	s, err := stockReadIssuerSigned(b)
	if err != nil {
		return err
	}
	h, err := stockReadSign1(s.IssuerAuth, canon.Limits{})
	if err != nil {
		return err
	}
	p.Line("protected header %s", notation(h.protected))
	for i, der := range h.x5chain {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			p.Line("x5chain %d: %v", i, err)
			continue
		}
		p.Line("x5chain %d: %s, %s, valid %s to %s", i, c.Subject, c.PublicKeyAlgorithm, c.NotBefore.Format("2006-01-02"), c.NotAfter.Format("2006-01-02"))
	}
	m, err := stockReadMSO(h.payload, canon.Limits{})
	if err != nil {
		return err
	}
	p.Line("MSO version %s, docType %s, %s", m.version, m.docType, m.digestAlgorithm)
	p.Line("  signed %s, valid %s to %s", m.signed, m.from, m.until)
	p.Line("  deviceKey %s", notation(m.deviceKey))
	newHash, err := hashOf(m.digestAlgorithm)
	if err != nil {
		return err
	}
	for _, ns := range slices.Sorted(maps.Keys(m.digests)) {
		p.Line("namespace %s: %d elements of %d", ns, len(s.NameSpaces[ns]), len(m.digests[ns]))
	}
	for _, ns := range slices.Sorted(maps.Keys(s.NameSpaces)) {
		for _, raw := range s.NameSpaces[ns] {
			item, err := stockReadItem(raw, ns, canon.Limits{})
			if err != nil {
				p.Line("  %s: %v", ns, err)
				continue
			}
			sum := newHash()
			sum.Write(raw)
			state := "digest matches"
			switch want, ok := stockBytes(m.digests[ns][item.DigestID]); {
			case !ok:
				state = "the MSO has no such digest"
			case !bytes.Equal(want, sum.Sum(nil)):
				state = "digest differs"
			}
			p.Line("  %s %d  %q = %s  %s", ns, item.DigestID, item.Identifier, notation(item.Value), state)
		}
	}
	return p.Err
}

func (p *printer) deviceSigned(d *deviceSigned) {
	switch {
	case d == nil:
		p.Line("no deviceSigned")
	case d.DeviceAuth.Signature != nil:
		p.Line("deviceSignature %s, namespaces %s", notation(d.DeviceAuth.Signature), notation(d.NameSpaces))
	default:
		p.Line("deviceMac %s, namespaces %s", notation(d.DeviceAuth.Mac), notation(d.NameSpaces))
	}
}
