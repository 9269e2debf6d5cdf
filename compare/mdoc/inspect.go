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

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

// Decode returns the CBOR bytes of an mdoc in CBOR, hexadecimal or base64url. It reports whether the input
// is an mdoc: a map with issuerAuth, or with documents.
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
			if isMajor(b, majorMap) { // a text never starts with such a byte
				return b, true
			}
		case err == nil && (view(b).find("issuerAuth") != none || view(b).find("documents") != none):
			return b, true
		}
	}
	return in, false
}

// Inspect reads an mdoc: its MSO, its certificates, each element in CBOR diagnostic notation, and whether
// its digest is in the MSO. It does not check signatures.
func Inspect(b []byte, limits canon.Limits) (*compare.Inspection, error) {
	limits = limits.WithDefaults()
	if err := stockScan(b, limits); err != nil {
		return nil, err
	}
	in := &inspection{size: len(b), limits: limits}
	if view(b).find("issuerAuth") != none {
		in.form = "IssuerSigned"
		in.documents = []deviceDocument{{IssuerSigned: b}}
	} else {
		var response deviceResponse
		if err := stockDec.Unmarshal(b, &response); err != nil {
			return nil, invalid("DeviceResponse", ruleShape, "%v", err)
		}
		in.form = fmt.Sprintf("DeviceResponse, version %s, status %d, %d documents", response.Version,
			response.Status, len(response.Documents))
		in.response, in.documents = true, response.Documents
	}
	return &compare.Inspection{Line: in.line, Print: in.print, JSON: in.json}, nil
}

// inspection is a parsed mdoc.
type inspection struct {
	size      int
	form      string
	response  bool // the mdoc is a DeviceResponse
	documents []deviceDocument
	limits    canon.Limits
}

func (in *inspection) print(w io.Writer) error {
	p := newPrinter(w, in.limits)
	p.Line("mdoc of %d bytes: %s", in.size, in.form)
	for i, d := range in.documents {
		if in.response {
			p.Line("document %d: docType %s", i+1, d.DocType)
		}
		if err := p.issuerSigned(d.IssuerSigned); err != nil {
			return p.end(err)
		}
		if in.response {
			p.deviceSigned(d.DeviceSigned)
		}
	}
	return p.end(nil)
}

// issued is a parsed IssuerSigned.
type issued struct {
	*stockIssuerSigned
	*headers
	mso *stockDigestMap
}

func readIssued(b []byte, limits canon.Limits) (in issued, err error) {
	if in.stockIssuerSigned, err = stockReadIssuerSigned(b); err != nil {
		return in, err
	}
	if in.headers, err = stockReadSign1(in.IssuerAuth, limits); err != nil {
		return in, err
	}
	in.mso, err = stockReadMSO(in.payload, limits)
	return in, err
}

func (in *inspection) line() string {
	const most = 8
	text := fmt.Sprintf("mdoc, %d bytes", in.size)
	for i, d := range in.documents {
		if i == most {
			return text + ", and more"
		}
		read, err := readIssued(d.IssuerSigned, in.limits)
		if err != nil {
			return fmt.Sprintf("%s, %v", text, err)
		}
		elements := 0
		for _, items := range read.NameSpaces {
			elements += len(items)
		}
		text += fmt.Sprintf(", %s, %d elements", cut(read.mso.docType), elements)
		if len(read.x5chain) > 0 {
			if c, err := keys.ParseCertificate(read.x5chain[0]); err == nil {
				text += ", issuer " + cut(keys.SubjectOf(c))
			}
		}
	}
	return text
}

// documentJSON is the JSON output of a document.
type documentJSON struct {
	DocType         string        `json:"docType"`
	Version         string        `json:"version"`
	DigestAlgorithm string        `json:"digestAlgorithm"`
	Signed          string        `json:"signed"`
	ValidFrom       string        `json:"validFrom"`
	ValidUntil      string        `json:"validUntil"`
	Protected       string        `json:"protectedHeader"` // CBOR diagnostic notation
	Certificates    []string      `json:"certificates"`    // subjects of x5chain
	DeviceKey       string        `json:"deviceKey"`
	Elements        []elementJSON `json:"elements"`
	DeviceSigned    bool          `json:"deviceSigned"`
}

type elementJSON struct {
	Pointer  string `json:"pointer"` // for [Holder.Present]
	DigestID uint64 `json:"digestID"`
	Value    string `json:"value"`
	State    string `json:"state"`
}

func (in *inspection) json() (any, error) {
	out := struct {
		Format    compare.Format `json:"format"`
		Size      int            `json:"size"`
		Form      string         `json:"form"`
		Documents []documentJSON `json:"documents"`
	}{compare.Mdoc, in.size, in.form, nil}

	notations := Notations{Limits: in.limits}
	size := 0
	for _, d := range in.documents {
		read, err := readIssued(d.IssuerSigned, in.limits)
		if err != nil {
			return nil, err
		}
		m := read.mso
		doc := documentJSON{DocType: m.docType, Version: m.version, DigestAlgorithm: m.digestAlgorithm,
			Signed: string(m.signed), ValidFrom: string(m.from), ValidUntil: string(m.until),
			Certificates: []string{},
			Elements:     []elementJSON{}, DeviceSigned: d.DeviceSigned != nil}
		if doc.Protected, err = notations.Of(read.protected); err != nil {
			return nil, err
		}
		if isSecret(m.deviceKey) {
			doc.DeviceKey = notShown
		} else if doc.DeviceKey, err = notations.Of(m.deviceKey); err != nil {
			return nil, err
		}
		for _, der := range read.x5chain[:min(len(read.x5chain), keys.MaxChain)] {
			if c, err := keys.ParseCertificate(der); err == nil {
				doc.Certificates = append(doc.Certificates, keys.SubjectOf(c))
			}
		}
		for _, ns := range slices.Sorted(maps.Keys(read.NameSpaces)) {
			for _, raw := range read.NameSpaces[ns] {
				item, err := stockReadItem(raw, ns, in.limits)
				if err != nil {
					return nil, err
				}
				const word = len("false, ")
				size += 2*len(ns) + len(item.Identifier) + word*len(item.Value)
				if checkItems(size, in.limits.Memory) != nil {
					return nil, checkItems(size, in.limits.Memory)
				}
				value, err := notations.Of(item.Value)
				if err != nil {
					return nil, err
				}
				doc.Elements = append(doc.Elements, elementJSON{elementPointer(ns, item.Identifier),
					item.DigestID, value, m.state(ns, item.DigestID, raw)})
			}
		}

		out.Documents = append(out.Documents, doc)
	}

	return out, nil
}

// state describes whether the digest of an item matches the MSO.
func (m *stockDigestMap) state(ns string, id uint64, raw []byte) string {
	if _, err := hashOf(m.digestAlgorithm); err != nil {
		return "the digest algorithm is unknown"
	}
	var s baseline.Sum
	n := hashes.Into(&s, m.digestAlgorithm, raw)
	switch want, ok := stockBytes(m.digests[ns][id]); {
	case !ok:
		return "the MSO has no such digest"
	case !bytes.Equal(want, s[:n]):
		return "digest differs"
	}
	return "digest matches"
}

const notShown = "(holds a secret key, not shown)"

// isSecret reports whether a COSE_Key has its secret part, which must not be in an mdoc (RFC 9053 section 7).
func isSecret(key []byte) bool {
	var k struct {
		D cbor.RawMessage `cbor:"-4,keyasint"`
	}
	return stockDec.Unmarshal(key, &k) == nil && k.D != nil
}

type printer struct {
	printable.Printer
	text      *bufio.Writer // the output
	limits    canon.Limits
	notations Notations
}

func newPrinter(w io.Writer, limits canon.Limits) *printer {
	b := bufio.NewWriter(w)
	return &printer{printable.Printer{W: b}, b, limits, Notations{Limits: limits}}
}

// end flushes the output. It returns err, or else the error of printing.
func (p *printer) end(err error) error { return cmp.Or(err, p.text.Flush()) }

// notation writes CBOR in diagnostic notation.
func (p *printer) notation(b []byte) {
	text, err := p.notations.Of(b)
	if err != nil {
		text = fmt.Sprintf("(CBOR of %d bytes: %v)", len(b), err)
	}
	p.text.WriteString(printable.Line(text))
}

// maxName is the number of bytes shown of the name of a namespace, which is printed before each of its
// elements.
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
		p.Line("x5chain %d: %s, %s, valid %s to %s", i, c.Subject, c.PublicKeyAlgorithm,
			c.NotBefore.Format("2006-01-02"), c.NotAfter.Format("2006-01-02"))
	}

	m, err := stockReadMSO(h.payload, p.limits)
	if err != nil {
		return err
	}

	p.Line("MSO version %s, docType %s, %s", m.version, m.docType, m.digestAlgorithm)
	p.Line("  signed %s, valid %s to %s", m.signed, m.from, m.until)
	p.text.WriteString("  deviceKey ")

	if isSecret(m.deviceKey) {
		p.text.WriteString(notShown)
	} else {
		p.notation(m.deviceKey)
	}

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

// item prints an element and whether its digest matches the MSO.
func (p *printer) item(m *stockDigestMap, ns string, raw []byte) {
	item, err := stockReadItem(raw, ns, p.limits)
	if err != nil {
		p.Line("  %s: %v", cut(ns), err)
		return
	}
	p.text.WriteString(printable.Line(fmt.Sprintf("  %d  %s = ", item.DigestID,
		elementPointer(cut(ns), item.Identifier))))
	p.notation(item.Value)
	p.Line("  %s", m.state(ns, item.DigestID, raw))
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
