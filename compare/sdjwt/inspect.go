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
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

// Inspect reads a token: headers, payload, each disclosure with the place of its digest, and the KB-JWT. It
// does not check signatures, and it reads as much of an invalid token as it can. Secret keys are left out.
func Inspect(token []byte, limits canon.Limits) (*compare.Inspection, error) {
	token, err := compacted(bytes.TrimSpace(token), limits)
	if err != nil {
		return nil, err
	}
	in := &inspection{token: token, limits: limits.WithDefaults(), hash: defaultHash}
	if in.jwt, in.disclosures, in.kb, err = stockSplit(token, in.limits); err != nil {
		return nil, err
	}
	if err := in.findDigests(); err != nil {
		return nil, err
	}
	return &compare.Inspection{Line: in.line, Print: in.print, JSON: in.json}, nil
}

func (in *inspection) line() string {
	text := fmt.Sprintf("sd-jwt-vc, %d bytes, %d disclosures, %s", len(in.token), len(in.disclosures),
		in.binding())
	if parts, err := splitJWS("", in.jwt); err == nil && in.readObject(parts[1]) == nil {
		if issuer := issuerOf(&in.tape); issuer != "" {
			text += ", issuer " + cut([]byte(issuer), maxPath)
		}
	}
	return text
}

func (in *inspection) binding() string {
	if len(in.kb) > 0 {
		return "with key binding"
	}
	return "no key binding"
}

// inspection is a parsed token, with the state of reading its current part.
type inspection struct {
	token       []byte
	jwt, kb     []byte
	disclosures [][]byte
	limits      canon.Limits
	hash        string
	unknownHash error

	buf  []byte
	tape jsontape.Tape
	path []byte // JSON pointer of the open container, with long names cut

	digests   table
	found     []found // for each disclosure, the places of its digest
	strays    []stray // digests without a disclosure, at most maxStrays
	strayings int     // number of all of them
	secret    bool    // a secret key was left out
}

// place is the place of a digest: in an array of digests, or as an element of another array.
type place struct {
	array string // JSON pointer of the array, cut
	index int    // of the element, or -1 in an array of digests
}

func (p place) String() string {
	if p.index < 0 {
		return p.array
	}
	return fmt.Sprintf("%s/%d", p.array, p.index)
}

type found struct {
	first place
	times int
}

type stray struct {
	digest string
	place  place
}

const (
	maxStrays = 100 // digests that are listed
	maxName   = 64  // bytes shown of a name in a pointer
	maxPath   = 256 // bytes shown of a pointer
	maxDigest = 128 // bytes shown of a digest
)

// cut returns a text, or the first bytes of a long one and an ellipsis.
func cut(text []byte, size int) string {
	if len(text) <= size {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:size]), "") + "…"
}

// read decodes and scans a part.
func (in *inspection) read(text []byte) (err error) {
	if in.buf, err = b64.AppendDecode(in.buf[:0], text); err != nil {
		return fmt.Errorf("is not base64url: %w", err)
	}
	return in.tape.Scan(in.buf, jsontape.Options{Bytes: in.limits.Bytes, Depth: in.limits.Depth,
		Memory: in.limits.Memory})
}

var errNoObject = errors.New("is not a JSON object")

func (in *inspection) readObject(text []byte) error {
	if err := in.read(text); err != nil {
		return err
	}
	if in.tape.Nodes[0].Kind != jsontape.Object {
		return errNoObject
	}
	return nil
}

// findDigests finds the digests in the payload and in disclosures. The only error is that of a limit.
func (in *inspection) findDigests() error {
	var limit *canon.LimitError
	parts, err := splitJWS("", in.jwt)
	if err == nil {
		if err = in.readObject(parts[1]); errors.As(err, &limit) {
			return err
		}
	}

	readable := err == nil
	if readable {
		if alg := in.tape.Get(0, "_sd_alg"); alg >= 0 && in.tape.Nodes[alg].Kind == jsontape.String {
			in.hash = string(in.tape.Text(alg))
		}
	}

	if _, in.unknownHash = hashOf(in.hash); in.unknownHash != nil {
		return nil
	}

	in.found = make([]found, len(in.disclosures))
	in.digests.reset(len(in.disclosures))
	var s baseline.Sum
	var digest []byte
	for i, text := range in.disclosures {
		n := hashes.Into(&s, in.hash, text)
		digest = b64.AppendEncode(digest[:0], s[:n])
		in.digests.add(digest).given = int32(i + 1)
	}

	if readable {
		in.note(0)
	}

	for i, text := range in.disclosures {
		switch err := in.read(text); {
		case err == nil:
			in.path = append(in.path[:0], where(i+1)...)
			in.note(0)
		case errors.As(err, &limit):
			return err
		}
	}

	return nil
}

// note collects the digests in the value at a node.
func (in *inspection) note(n int) {
	t := &in.tape
	back, shown := len(in.path), ""
	pointer := func() string {
		if shown == "" {
			shown = cut(in.path, maxPath)
		}
		return shown
	}

	switch t.Nodes[n].Kind {
	case jsontape.Object:
		for k, v := range t.Members(n) {
			name := t.Text(k)
			in.path = appendToken(in.path, []byte(cut(name, maxName)))
			if t.Nodes[v].Kind == jsontape.Array && string(name) == "_sd" {
				shown = ""
				for e := range t.Elements(v) {
					if t.Nodes[e].Kind == jsontape.String {
						in.refer(t.Text(e), place{pointer(), -1})
					}
				}
			} else {
				in.note(v)
			}
			in.path = in.path[:back]
		}
	case jsontape.Array:
		index := 0
		for e := range t.Elements(n) {
			if dots := t.Get(e, "..."); dots >= 0 && t.Nodes[dots].Kind == jsontape.String && t.Len(e) == 1 {
				in.refer(t.Text(dots), place{pointer(), index})
			} else if t.Nodes[e].Kind >= jsontape.Array {
				in.path = fmt.Appendf(in.path, "/%d", index)
				in.note(e)
				in.path = in.path[:back]
			}
			index++
		}
	}
}

// refer records a digest.
func (in *inspection) refer(digest []byte, at place) {
	if i := in.digests.find(digest); i >= 0 {
		if f := &in.found[i]; f.times == 0 {
			f.first, f.times = at, 1
		} else {
			f.times++
		}
		return
	}
	if in.strayings++; len(in.strays) < maxStrays {
		in.strays = append(in.strays, stray{cut(digest, maxDigest), at})
	}
}

func (in *inspection) print(w io.Writer) error {
	b := bufio.NewWriter(w)
	p := &printer{printable.Printer{W: b}, b}
	p.Line("SD-JWT of %d bytes, %d disclosures, %s", len(in.token), len(in.disclosures), in.binding())
	in.printJWS(p, "", in.jwt)
	in.printDisclosures(p)
	if len(in.kb) > 0 {
		in.printJWS(p, "KB-JWT ", in.kb)
		if in.unknownHash == nil {
			p.Line("  sd_hash of this token (%s): %s", in.hash,
				sdHash(in.hash, in.token[:len(in.token)-len(in.kb)]))
		}
	}
	if in.secret {
		p.Line(keys.HoldsSecret)
	}
	return b.Flush()
}

// inspectionJSON is the JSON output of a token.
type inspectionJSON struct {
	Format      compare.Format   `json:"format"`
	Size        int              `json:"size"`
	Header      json.RawMessage  `json:"header,omitempty"`
	Payload     json.RawMessage  `json:"payload,omitempty"`
	Hash        string           `json:"hash"`
	Disclosures []disclosureJSON `json:"disclosures"`
	Strays      int              `json:"digestsWithoutDisclosure"`
	KBHeader    json.RawMessage  `json:"kbHeader,omitempty"`
	KBPayload   json.RawMessage  `json:"kbPayload,omitempty"`
	Errors      []string         `json:"errors,omitempty"` // of parts that cannot be read
	Secret      bool             `json:"secret,omitempty"` // the token holds a secret key, which is left out
}

type disclosureJSON struct {
	Name  json.RawMessage `json:"name,omitempty"` // a string; missing for an array element
	Value json.RawMessage `json:"value,omitempty"`
	In    string          `json:"in,omitempty"` // place of its digest
}

func (in *inspection) json() (any, error) {
	out := inspectionJSON{Format: compare.SDJWT, Size: len(in.token), Hash: in.hash,
		Disclosures: []disclosureJSON{}, Strays: in.strayings}
	fail := func(part string, err error) { out.Errors = append(out.Errors, fmt.Sprintf("%s: %v", part, err)) }
	jws := func(name string, jwt []byte, to ...*json.RawMessage) {
		parts, err := splitJWS(name, jwt)
		if err != nil {
			fail(name, err)
			return
		}
		for i, part := range []string{"header", "payload"} {
			if err := in.readObject(parts[i]); err != nil {
				fail(name+" "+part, err)
			} else {
				*to[i] = bytes.Clone(in.shown())
			}
		}
	}

	jws("JWT", in.jwt, &out.Header, &out.Payload)
	if len(in.kb) > 0 {
		jws("KB-JWT", in.kb, &out.KBHeader, &out.KBPayload)
	}
	if in.unknownHash != nil {
		fail("disclosures", in.unknownHash)
	}

	for i, text := range in.disclosures {
		if err := in.read(text); err != nil {
			fail(where(i+1), err)
			continue
		}
		name, value, ok := in.disclosure(i)
		if !ok {
			fail(where(i+1), errors.New("is not a disclosure"))
			continue
		}
		d := disclosureJSON{Name: bytes.Clone(name), Value: bytes.Clone(value)}
		if in.found != nil && in.found[i].times > 0 {
			d.In = in.found[i].first.String()
		}
		out.Disclosures = append(out.Disclosures, d)
	}

	out.Secret = in.secret
	return out, nil
}

// shown returns the JSON of the current part without secret keys.
func (in *inspection) shown() []byte {
	doc, secret := keys.Redacted(&in.tape)
	in.secret = in.secret || secret
	return doc
}

type printer struct {
	printable.Printer
	text *bufio.Writer // the output
}

// printJWS prints header and payload of a compact JWS.
func (in *inspection) printJWS(p *printer, name string, jwt []byte) {
	parts, err := splitJWS(name, jwt)
	if err != nil {
		p.Line("%s%v", name, err)
		return
	}
	for i, part := range []string{"header", "payload"} {
		if err := in.readObject(parts[i]); err != nil {
			p.Line("%s%s: %v", name, part, err)
			continue
		}
		p.Line("%s%s", name, part)
		printable.IndentLines(p.text, in.shown(), "  ")
	}
}

// printDisclosures prints each disclosure and the digests without a disclosure.
func (in *inspection) printDisclosures(p *printer) {
	if in.unknownHash != nil {
		p.Line("disclosures: %v", in.unknownHash)
		return
	}

	if len(in.disclosures) > 0 {
		p.Line("disclosures (%s)", in.hash)
	}

	for i, text := range in.disclosures {
		at := "no digest refers to it"
		switch f := &in.found[i]; f.times {
		case 0:
		case 1:
			at = "in " + f.first.String()
		default:
			at = fmt.Sprintf("digest is in the token %d times, first in %s", f.times, f.first)
		}
		if err := in.read(text); err != nil {
			p.Line("  %d  %s  cannot be read: %v", i+1, at, err)
			continue
		}
		fmt.Fprintf(p.text, "  %d  ", i+1)
		in.printDisclosure(p.text, i)
		p.Line("  %s", at)
	}

	if in.strayings > 0 {
		p.Line("digests without a disclosure: %d", in.strayings)
	}

	for _, s := range in.strays {
		p.Line("  %s  in %s", s.digest, s.place)
	}

	if more := in.strayings - len(in.strays); more > 0 {
		p.Line("  and %d more", more)
	}
}

// printDisclosure prints a disclosure as name = value, or as value for an array element.
func (in *inspection) printDisclosure(w *bufio.Writer, i int) {
	name, value, ok := in.disclosure(i)
	if !ok {
		w.WriteString("is not a disclosure: ")
	}
	if name != nil {
		printable.CompactLine(w, name)
		w.WriteString(" = ")
	}
	printable.CompactLine(w, value)
}

// disclosure returns the name and the value of disclosure i, the current part, as JSON without secret keys.
// The name is missing for an array element. If the part is not a disclosure, ok is false and value is the
// whole part.
func (in *inspection) disclosure(i int) (name, value []byte, ok bool) {
	t := &in.tape
	if doc, secret := keys.Redacted(t); secret {
		in.secret = true
		in.buf = append(in.buf[:0], doc...)
		if err := t.Scan(in.buf, scanOptions(in.limits)); err != nil {
			return nil, []byte("null"), false
		}
	}
	count, at := t.Len(0), 0
	if t.Nodes[0].Kind != jsontape.Array || count != 2 && count != 3 {
		return nil, t.Raw(0), false
	}
	at = int(t.Nodes[1].Next)
	secret := in.found != nil && inSecret(in.found[i].first.array)
	if count == 3 {
		name = t.Raw(at)
		value := t.Raw(int(t.Nodes[at].Next))
		secret = secret || t.Nodes[at].Kind == jsontape.String && isSecretClaim(t.Text(at), value)
		at = int(t.Nodes[at].Next)
	}
	if secret {
		in.secret = true
		return name, []byte(keys.NotShown), true
	}
	return name, t.Raw(at), true
}

// isSecretClaim reports whether a disclosed claim is a secret key or the secret part of one.
func isSecretClaim(name, value []byte) bool {
	const least = 42 // base64url of 32 bytes, and quotes
	return keys.IsSecretName(name) || keys.IsSecretParameter(name) && len(value) >= least
}

// inSecret reports whether a JSON pointer leads through a member that holds a secret key.
func inSecret(pointer string) bool {
	for token := range strings.SplitSeq(pointer, "/") {
		if keys.IsSecretName([]byte(token)) {
			return true
		}
	}
	return false
}
