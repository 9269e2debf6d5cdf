//phase:caller
package sdjwt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// IsToken reports whether bytes look like an SD-JWT, compact or in the JWS JSON serialization. An SD-JWT
// that lost its '~' is recognized by its type or payload.
func IsToken(b []byte) bool {
	j, _ := readJOSE(b, canon.Limits{})
	return j != nil && j.isSDJWT()
}

// Foreign describes a JOSE object that is not an SD-JWT, such as a JAdES signature, a JSON Web Token of a
// credential or a JWE, and names a way to check it. Both are "" for other bytes.
func Foreign(b []byte) (what, remedy string) {
	if j, _ := readJOSE(b, canon.Limits{}); j != nil && !j.isSDJWT() {
		return j.describe()
	}
	return "", ""
}

// jose holds the parts that identify a JOSE object, compact or in a JSON serialization.
type jose struct {
	size       int
	compact    bool
	tilde      bool // the compact form has a '~'
	damaged    bool // the header cannot be read
	encrypted  bool
	signatures []joseSignature // at most maxSignatures
	payload    []byte
	claims     jsontape.Tape // the payload; without nodes if it is not a JSON object
}

// joseSignature holds the headers of a signature. The tape of a missing header has no nodes.
type joseSignature struct{ protected, header jsontape.Tape }

const maxSignatures = 16 // further ones are not read

// readJOSE reads a JOSE object. It returns nil for other bytes. The only error is that of a limit.
func readJOSE(b []byte, limits canon.Limits) (*jose, error) {
	b = bytes.TrimSpace(b)
	j := &jose{size: len(b)}
	if isJSON(b) {
		return j.readJSON(b, limits)
	}
	header, rest, ok := bytes.Cut(b, []byte{'.'})
	if !ok {
		return nil, nil
	}
	j.compact, j.signatures = true, make([]joseSignature, 1)
	if err := j.decode(&j.signatures[0].protected, header, limits); err != nil {
		return nil, err
	}
	if j.damaged = len(j.signatures[0].protected.Nodes) == 0; j.damaged &&
		!bytes.HasPrefix(b, []byte("eyJ")) {
		return nil, nil
	}
	if j.tilde = bytes.IndexByte(rest, '~') >= 0; j.tilde {
		return j, nil
	}
	if j.encrypted = bytes.Count(rest, []byte{'.'}) == 3; j.encrypted {
		return j, nil
	}
	payload, _, _ := bytes.Cut(rest, []byte{'.'})
	return j, j.readPayload(payload, limits)
}

func (j *jose) readJSON(b []byte, limits canon.Limits) (*jose, error) {
	var t jsontape.Tape
	if !bytes.Contains(b, []byte(`"payload"`)) && !bytes.Contains(b, []byte(`"ciphertext"`)) ||
		t.Scan(b, scanOptions(limits)) != nil {
		return nil, nil // the readers of JSON report the error
	}

	has := func(name string) bool { return t.Get(0, name) >= 0 }
	j.encrypted = has("ciphertext") && (has("iv") || has("protected"))
	if !j.encrypted && (!has("payload") || !has("signature") && !has("signatures")) {
		return nil, nil
	}

	add := func(n int) error {
		var s joseSignature
		if p := t.Get(n, "protected"); p >= 0 && t.Nodes[p].Kind == jsontape.String {
			if err := j.decode(&s.protected, t.AppendString(nil, p), limits); err != nil {
				return err
			}
		}
		if h := t.Get(n, "header"); h >= 0 && t.Nodes[h].Kind == jsontape.Object {
			if err := s.header.Scan(t.Raw(h), scanOptions(limits)); err != nil {
				return err
			}
		}
		j.signatures = append(j.signatures, s)
		return nil
	}

	if list := t.Get(0, "signatures"); list >= 0 && t.Nodes[list].Kind == jsontape.Array {
		for e := range t.Elements(list) {
			if len(j.signatures) == maxSignatures {
				break
			}
			if err := add(e); err != nil {
				return nil, err
			}
		}
	} else if err := add(0); err != nil {
		return nil, err
	}

	if p := t.Get(0, "payload"); p >= 0 && t.Nodes[p].Kind == jsontape.String {
		return j, j.readPayload(t.AppendString(nil, p), limits)
	}

	return j, nil
}

func scanOptions(limits canon.Limits) jsontape.Options {
	return jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth, Memory: limits.Memory}
}

// decode scans a JSON object in base64url. The tape has no nodes if the text is something else. The only
// error is that of a limit.
func (j *jose) decode(t *jsontape.Tape, text []byte, limits canon.Limits) error {
	b, err := b64.DecodeString(string(text))
	if err != nil {
		t.Nodes = nil
		return nil
	}
	return scanObject(t, b, limits)
}

func scanObject(t *jsontape.Tape, b []byte, limits canon.Limits) error {
	var limit *canon.LimitError
	err := t.Scan(b, scanOptions(limits))
	if errors.As(err, &limit) {
		return err
	}
	if err != nil || t.Nodes[0].Kind != jsontape.Object {
		t.Nodes = nil
	}
	return nil
}

// readPayload reads a payload, which is in base64url unless the header b64 is false (RFC 7797).
func (j *jose) readPayload(text []byte, limits canon.Limits) (err error) {
	if j.payload, err = b64.DecodeString(string(text)); err != nil {
		j.payload = text
	}
	return scanObject(&j.claims, j.payload, limits)
}

func has(t *jsontape.Tape, name string) bool { return len(t.Nodes) > 0 && t.Get(0, name) >= 0 }

func typOf(header *jsontape.Tape) string {
	if len(header.Nodes) == 0 {
		return ""
	}
	return header.GetText(0, "typ")
}

func (j *jose) isSDJWT() bool {
	if j.tilde {
		return true
	}
	if j.encrypted {
		return false
	}
	if has(&j.claims, "_sd_alg") || has(&j.claims, "_sd") {
		return true
	}
	for i := range j.signatures {
		s := &j.signatures[i]
		if has(&s.header, "disclosures") || has(&s.header, "kb_jwt") || strings.HasSuffix(typOf(&s.protected),
			"+sd-jwt") {
			return true
		}
	}
	return false
}

// jades lists header parameters that only JAdES has (ETSI TS 119 182-1).
var jades = []string{"sigT", "sigD", "sigPl", "sigPId", "srCms", "srAts", "adoTst", "x5t#o", "sigX5ts",
	"etsiU"}

func (j *jose) isJAdES() bool {
	for i := range j.signatures {
		for _, name := range jades {
			if s := &j.signatures[i]; has(&s.protected, name) || has(&s.header, name) {
				return true
			}
		}
	}
	return false
}

// describe returns what the object is and how to check it.
func (j *jose) describe() (what, remedy string) {
	credential := has(&j.claims, "@context") || has(&j.claims, "credentialSubject")
	over := ""
	if credential || has(&j.claims, "vc") {
		over = " over a credential"
	}
	remedy = "a JOSE library checks its signature"
	switch {
	case j.encrypted:
		return "an encrypted object (JWE)", "decrypt it with its key first"
	case j.damaged:
		return "a JSON Web Token whose header is damaged", "ask its sender for the complete token"
	case j.isJAdES():
		return "a JSON Web Signature" + over + " (JAdES)",
			"a JAdES validator checks it, such as that of the EU's DSS"
	case len(j.signatures) == 1 && typOf(&j.signatures[0].protected) == "kb+jwt":
		return "a KB-JWT", "it belongs after the last '~' of the SD-JWT that it binds"
	case credential && j.compact:
		return "a JSON Web Token" + over + " (VC-JOSE-COSE)", remedy
	case (has(&j.claims, "vc") || has(&j.claims, "vp")) && j.compact:
		return "a JSON Web Token" + over + " (JWT of VCDM 1.1)", remedy
	case len(j.claims.Nodes) > 0 && j.compact:
		return "a JSON Web Token", remedy
	}
	return "a JSON Web Signature" + over, remedy
}

// foreignJSON is the JSON output of a JOSE object.
type foreignJSON struct {
	Format     string          `json:"format"`
	Size       int             `json:"size"`
	What       string          `json:"what"`
	Remedy     string          `json:"remedy"`
	Issuer     string          `json:"issuer,omitempty"`
	Signatures []signatureJSON `json:"signatures"`
	Payload    json.RawMessage `json:"payload,omitempty"`
	Bytes      int             `json:"payloadBytes,omitempty"` // if the payload is not a JSON object
	Secret     bool            `json:"secret,omitempty"`
}

type signatureJSON struct {
	Protected json.RawMessage `json:"protected,omitempty"`
	Header    json.RawMessage `json:"header,omitempty"`
}

// InspectForeign reads a JOSE object that is not an SD-JWT: its headers and payload.
func InspectForeign(b []byte, limits canon.Limits) (*compare.Inspection, error) {
	j, err := readJOSE(b, limits)
	if err != nil {
		return nil, err
	}
	if j == nil {
		return nil, invalid("token", "RFC 7515 section 7", "is not a JOSE object")
	}

	what, remedy := j.describe()
	out := foreignJSON{Format: "jws", Size: j.size, What: what, Remedy: remedy, Issuer: issuerOf(&j.claims)}
	if j.encrypted {
		out.Format = "jwe"
	}

	part := func(t *jsontape.Tape) json.RawMessage {
		if len(t.Nodes) == 0 {
			return nil
		}
		doc, secret := keys.Redacted(t)
		out.Secret = out.Secret || secret
		return doc
	}

	for i := range j.signatures {
		s := &j.signatures[i]
		out.Signatures = append(out.Signatures, signatureJSON{part(&s.protected), part(&s.header)})
	}

	if out.Payload = part(&j.claims); out.Payload == nil {
		out.Bytes = len(j.payload)
	}

	return &compare.Inspection{Line: out.line, Print: out.print, JSON: func() (any, error) {
		return out,
			nil
	}}, nil
}

func (f *foreignJSON) line() string {
	text := fmt.Sprintf("%s, %d bytes", f.What, f.Size)
	if f.Issuer != "" {
		text += ", issuer " + cut([]byte(f.Issuer), maxPath)
	}
	return text
}

func (f *foreignJSON) print(w io.Writer) error {
	b := bufio.NewWriter(w)
	p := printable.Printer{W: b}
	p.Line("%s, %d bytes", f.What, f.Size)
	p.Line("not checked here: %s", f.Remedy)
	show := func(name string, doc []byte) {
		if doc != nil {
			p.Line("%s", name)
			printable.IndentLines(b, doc, "  ")
		}
	}
	for _, s := range f.Signatures {
		show("header", s.Protected)
		show("unprotected header", s.Header)
	}
	show("payload", f.Payload)
	if f.Bytes > 0 {
		p.Line("payload: %d bytes, not a JSON object", f.Bytes)
	}
	if f.Secret {
		p.Line(keys.HoldsSecret)
	}
	return b.Flush()
}

// issuerOf returns the issuer in claims.
func issuerOf(t *jsontape.Tape) string {
	if len(t.Nodes) == 0 {
		return ""
	}
	if iss := t.GetText(0, "iss"); iss != "" {
		return iss
	}
	if id := t.GetText(0, "issuer"); id != "" {
		return id
	}
	if n := t.Get(0, "issuer"); n >= 0 {
		return t.GetText(n, "id")
	}
	return ""
}
