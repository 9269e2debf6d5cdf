//phase:caller
package mdoc

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/vcdm/keys"
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
		var limit *canon.LimitError
		switch err := scanCBOR(b, canon.Limits{}); {
		case errors.As(err, &limit):
			if isMajor(b, majorMap) { // no text starts so
				return b, true
			}
		case err == nil && (view(b).find("issuerAuth") >= 0 || view(b).find("documents") >= 0):
			return b, true
		}
	}
	return in, false
}

// Inspect reads an mdoc and returns what prints what it holds, for people: its MSO, each element in CBOR diagnostic notation
// and whether its digest is that of the MSO. It checks no signature.
func Inspect(b []byte, limits canon.Limits) (print func(w io.Writer) error, err error) {
	limits = limits.WithDefaults()
	if err := stockScan(b, limits); err != nil {
		return nil, err
	}
	if view(b).find("issuerAuth") >= 0 {
		return func(w io.Writer) error {
			p := newPrinter(w, limits)
			p.Line("mdoc of %d bytes: IssuerSigned", len(b))
			return p.end(p.issuerSigned(b))
		}, nil
	}
	var response deviceResponse
	if err := stockDec.Unmarshal(b, &response); err != nil {
		return nil, invalid("DeviceResponse", ruleShape, "%v", err)
	}
	return func(w io.Writer) error {
		p := newPrinter(w, limits)
		p.Line("mdoc of %d bytes: DeviceResponse, version %s, status %d, %d documents", len(b), response.Version, response.Status, len(response.Documents))
		for i, d := range response.Documents {
			p.Line("document %d: docType %s", i+1, d.DocType)
			if err := p.issuerSigned(d.IssuerSigned); err != nil {
				return p.end(err)
			}
			p.deviceSigned(d.DeviceSigned)
		}
		return p.end(nil)
	}, nil
}

type printer struct {
	printable.Printer
	text      *bufio.Writer // that it prints to
	limits    canon.Limits
	notations Notations
}

func newPrinter(w io.Writer, limits canon.Limits) *printer {
	b := bufio.NewWriter(w)
	return &printer{printable.Printer{W: b}, b, limits, Notations{Limits: limits}}
}

// end prints what is left, and returns an error of the work before one of printing.
func (p *printer) end(err error) error { return cmp.Or(err, p.text.Flush()) }

// notation writes CBOR in diagnostic notation.
func (p *printer) notation(b []byte) {
	text, err := p.notations.Of(b)
	if err != nil {
		text = fmt.Sprintf("(CBOR of %d bytes: %v)", len(b), err)
	}
	p.text.WriteString(printable.Line(text))
}

// maxName is how many bytes of the name of a namespace are shown, which stands before each of its elements.
const maxName = 256

func cut(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…"
}

func (p *printer) issuerSigned(b []byte) error {
	s, err := stockReadIssuerSigned(b)
	if err != nil {
		return err
	}
	h, err := stockReadSign1(s.IssuerAuth, p.limits)
	if err != nil {
		return err
	}
	p.text.WriteString("protected header ")
	p.notation(h.protected)
	p.Line("")
	for i, der := range h.x5chain {
		if i == keys.MaxChain {
			p.Line("x5chain: and more")
			break
		}
		c, err := keys.ParseCertificate(der)
		if err != nil {
			p.Line("x5chain %d: %v", i, err)
			continue
		}
		p.Line("x5chain %d: %s, %s, valid %s to %s", i, c.Subject, c.PublicKeyAlgorithm, c.NotBefore.Format("2006-01-02"), c.NotAfter.Format("2006-01-02"))
	}
	m, err := stockReadMSO(h.payload, p.limits)
	if err != nil {
		return err
	}
	p.Line("MSO version %s, docType %s, %s", m.version, m.docType, m.digestAlgorithm)
	p.Line("  signed %s, valid %s to %s", m.signed, m.from, m.until)
	p.text.WriteString("  deviceKey ")
	p.notation(m.deviceKey)
	p.Line("")
	if _, err := hashOf(m.digestAlgorithm); err != nil {
		return err
	}
	for _, ns := range slices.Sorted(maps.Keys(m.digests)) {
		p.Line("namespace %s: %d elements of %d", cut(ns), len(s.NameSpaces[ns]), len(m.digests[ns]))
	}
	for _, ns := range slices.Sorted(maps.Keys(s.NameSpaces)) {
		for _, raw := range s.NameSpaces[ns] {
			p.item(m, ns, raw)
		}
	}
	return nil
}

// item prints an element and whether its digest is that of the MSO.
func (p *printer) item(m *stockDigestMap, ns string, raw []byte) {
	item, err := stockReadItem(raw, ns, p.limits)
	if err != nil {
		p.Line("  %s: %v", cut(ns), err)
		return
	}
	var s sum
	n := hashInto(&s, m.digestAlgorithm, raw)
	state := "digest matches"
	switch want, ok := stockBytes(m.digests[ns][item.DigestID]); {
	case !ok:
		state = "the MSO has no such digest"
	case !bytes.Equal(want, s[:n]):
		state = "digest differs"
	}
	p.text.WriteString(printable.Line(fmt.Sprintf("  %s %d  %q = ", cut(ns), item.DigestID, item.Identifier)))
	p.notation(item.Value)
	p.Line("  %s", state)
}

func (p *printer) deviceSigned(d *deviceSigned) {
	if d == nil {
		p.Line("no deviceSigned")
		return
	}
	name, auth := "deviceMac", d.DeviceAuth.Mac
	if d.DeviceAuth.Signature != nil {
		name, auth = "deviceSignature", d.DeviceAuth.Signature
	}
	p.text.WriteString(name + " ")
	p.notation(auth)
	p.text.WriteString(", namespaces ")
	p.notation(d.NameSpaces)
	p.Line("")
}
