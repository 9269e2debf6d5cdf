//phase:serialize primitive
package rdf

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"canonscope/canon"
)

// ParseNQuads adds the quads of an N-Quads document to d. A literal whose text in doc is canonical points
// into doc, so doc must not change while d is in use. Other terms are copied: they are few, and look-ups
// are faster in compact memory. The error is a [canon.SyntaxError] for a malformed document, and a
// [canon.LimitError] for a document above limits.Bytes or a dataset above limits.Memory; d then holds no
// quad of the document.
//
// It accepts RDF 1.1 N-Quads and refuses what cannot be canonicalized: relative IRIs, escapes for
// characters that an IRI or Unicode text cannot hold, invalid UTF-8, and rdf:langString without a language
// tag.
//
//phase:parse
func (d *Dataset) ParseNQuads(doc []byte, limits canon.Limits) error {
	limits = limits.WithDefaults()
	if len(doc) > limits.Bytes {
		return &canon.LimitError{Limit: "bytes", Max: int64(limits.Bytes), Done: int64(len(doc))}
	}
	before := len(d.Quads)
	d.Quads = slices.Grow(d.Quads, min(bytes.Count(doc, []byte{'\n'})+1, len(doc)/shortest))
	p := parser{d: d, line: 1, keep: true, memory: limits.Memory}
	if err := p.parse(doc); err != nil {
		d.Quads = d.Quads[:before]
		return err
	}
	return nil
}

// shortest is the length of the shortest line, such as _:a<u:>_:b.
const shortest = 11

// ReadNQuads adds the quads of an N-Quads document read from r. It keeps the terms, and some whole lines at
// a time.
func (d *Dataset) ReadNQuads(r io.Reader, limits canon.Limits) error {
	before := len(d.Quads)
	if err := d.read(r, limits.WithDefaults()); err != nil {
		d.Quads = d.Quads[:before]
		return err
	}
	return nil
}

func (d *Dataset) read(r io.Reader, limits canon.Limits) error {
	p := parser{d: d, line: 1, memory: limits.Memory}
	limit := limits.Bytes
	buf := make([]byte, 0, 64<<10)
	total, idle := 0, 0
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		total += n
		if total > limit {
			return &canon.LimitError{Limit: "bytes", Max: int64(limit), Done: int64(total)}
		}
		fresh := len(buf)
		buf = buf[:fresh+n]
		if err == io.EOF {
			return p.parse(buf)
		}
		if idle++; n > 0 {
			idle = 0
		}
		if err == nil && idle == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			return fmt.Errorf("reading N-Quads: %w", err)
		}
		if cut := lastBreak(buf, fresh); cut > 0 {
			if err := p.parse(buf[:cut]); err != nil {
				return err
			}
			p.base += cut
			buf = buf[:copy(buf, buf[cut:])]
		}
	}
}

// lastBreak returns the place after the last line break that starts at from or later, 0 if there is none. A
// final CR does not count, because an LF may follow.
func lastBreak(b []byte, from int) int {
	if i := bytes.LastIndexByte(b[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	from = max(from-1, 0)
	if i := bytes.LastIndexByte(b[from:max(len(b)-1, from)], '\r'); i >= 0 {
		return from + i + 1
	}
	return 0
}

// parser reads lines. Its methods take the place of a token in b and return the place after it, or -1 with
// err set.
//
//phase:parse
type parser struct {
	d      *Dataset
	b      []byte
	keep   bool  // literals may point into b
	memory int64 // limit of the dataset
	base   int   // offset of b in the document
	line   int   // number of the line being read, from 1
	start  int   // place in b where it starts
	err    error

	s        TermID // the last subject that was an IRI
	subject  []byte // its text
	lastType []byte // canonical text of the last datatype, with ^^

	quoted    []byte // canonical text of a literal that cannot stay in b
	unescaped []byte // the same for an IRI
}

func (p *parser) fail(at int, format string, args ...any) int {
	p.err = &canon.SyntaxError{Format: "N-Quads", Offset: p.base + at, Line: p.line, Column: at - p.start + 1,
		Msg: fmt.Sprintf(format, args...)}
	return -1
}

// parse reads whole lines; the last line of a document needs no line break.
func (p *parser) parse(b []byte) error {
	p.b, p.start = b, 0
	for i := 0; i < len(b); {
		switch b[i] {
		case ' ', '\t':
			i++
		case '\n':
			i++
			p.line, p.start = p.line+1, i
		case '\r':
			i++
			if i < len(b) && b[i] == '\n' {
				i++
			}
			p.line, p.start = p.line+1, i
		case '#':
			i = p.comment(i)
		default:
			if i = p.statement(i); i < 0 {
				return p.err
			}
			if size := p.d.Size(); int64(size) > p.memory {
				return &canon.LimitError{Limit: "memory", Max: p.memory, Done: int64(size),
					Where: fmt.Sprintf("line %d", p.line)}
			}
			i = p.space(i)
			if i < len(b) && b[i] != '\n' && b[i] != '\r' && b[i] != '#' {
				p.fail(i, "expected the end of the line after '.'")
			}
		}

		if p.err != nil {
			return p.err
		}
	}

	return nil
}

func (p *parser) comment(i int) int {
	b := p.b[i:]
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		n = len(b)
	}
	if cr := bytes.IndexByte(b[:n], '\r'); cr >= 0 {
		n = cr
	}
	if !p.utf8(i, i+n) {
		return -1
	}
	return i + n
}

func (p *parser) space(i int) int {
	for i < len(p.b) && (p.b[i] == ' ' || p.b[i] == '\t') {
		i++
	}
	return i
}

// at returns the byte at i, or 0 at the end.
func (p *parser) at(i int) byte {
	if i < len(p.b) {
		return p.b[i]
	}
	return 0
}

func (p *parser) statement(i int) int {
	var q Quad
	switch c := p.at(i); {
	case c == '<' && len(p.subject) > 0 && bytes.HasPrefix(p.b[i:], p.subject):
		q.S = p.s
		i += len(p.subject)
	case c == '<':
		if q.S, i = p.iri(i); i >= 0 {
			p.s, p.subject = q.S, p.d.Terms[q.S].Text
		}
	case c == '_':
		q.S, i = p.blank(i)
	default:
		return p.fail(i, "expected a subject: an IRI in <> or a blank node%s", p.hint(i))
	}

	if i < 0 {
		return i
	}

	i = p.space(i)
	if p.at(i) != '<' {
		return p.fail(i, "expected a predicate: an IRI in <>")
	}
	if q.P, i = p.iri(i); i < 0 {
		return i
	}

	i = p.space(i)
	switch p.at(i) {
	case '<':
		q.O, i = p.iri(i)
	case '_':
		q.O, i = p.blank(i)
	case '"':
		q.O, i = p.literal(i)
	default:
		return p.fail(i, "expected an object: an IRI in <>, a blank node or a literal in double quotes")
	}

	if i < 0 {
		return i
	}

	i = p.space(i)
	switch p.at(i) {
	case '<':
		q.G, i = p.iri(i)
	case '_':
		q.G, i = p.blank(i)
	}

	if i < 0 {
		return i
	}

	i = p.space(i)
	if p.at(i) != '.' {
		return p.fail(i, "expected '.' at the end of the statement")
	}

	p.d.Quads = append(p.d.Quads, q)
	return i + 1
}

// hint names the likely cause of a statement that does not start with a subject.
func (p *parser) hint(i int) string {
	switch {
	case bytes.HasPrefix(p.b[i:], []byte("\uFEFF")):
		return "; remove the byte order mark"
	case p.b[i] == '@' || p.b[i] == '{' || p.b[i] == '[':
		return "; Turtle, TriG and JSON-LD are not N-Quads"
	}
	return ""
}

// iri reads an IRIREF. Text that is interned already has been checked.
func (p *parser) iri(i int) (TermID, int) {
	if n := bytes.IndexByte(p.b[i:], '>'); n > 0 {
		if id, _, _ := p.d.find(p.b[i : i+n+1]); id != 0 {
			return id, i + n + 1
		}
	}
	text, end := p.iriText(i)
	if end < 0 {
		return 0, -1
	}
	return p.d.Intern(IRI, text), end
}

// iriText reads an IRIREF and returns its canonical text, which lies in b or, if it held escapes, in
// unescaped.
func (p *parser) iriText(i int) ([]byte, int) {
	escaped := false
	j := IRIStop(p.b, i+1)
	for ; ; j = IRIStop(p.b, j+1) {
		if j == len(p.b) || p.b[j] == '\n' || p.b[j] == '\r' {
			return nil, p.fail(i, "this IRI has no closing '>'")
		}
		c := p.b[j]
		if c == '>' {
			break
		}
		if c == '\\' {
			escaped = true
		} else if c != '#' {
			return nil, p.fail(j, "an IRI cannot hold %q", c)
		}
	}

	if !p.utf8(i, j) {
		return nil, -1
	}

	text := p.b[i : j+1]
	if escaped {
		p.unescaped = p.unescaped[:0]
		for k := i; k <= j; {
			if p.b[k] != '\\' {
				p.unescaped = append(p.unescaped, p.b[k])
				k++
				continue
			}
			r, next := p.uchar(k)
			if next < 0 {
				return nil, -1
			}
			if r < utf8.RuneSelf && iriStop[r] {
				return nil, p.fail(k, "an IRI cannot hold %q, not even escaped", r)
			}
			p.unescaped = utf8.AppendRune(p.unescaped, r)
			k = next
		}
		text = p.unescaped
	}

	if schemeLen(text[1:]) == 0 {
		return nil, p.fail(i, "%s is a relative IRI; N-Quads needs absolute ones", clip(text))
	}

	return text, j + 1
}

func clip(text []byte) []byte {
	if len(text) > 80 {
		return append(append([]byte{}, text[:77]...), "..."...)
	}
	return text
}

// uchar reads an escape of 4 (\u) or 8 (\U) hexadecimal digits at i (N-Quads, UCHAR).
func (p *parser) uchar(i int) (rune, int) {
	n := 0
	switch p.at(i + 1) {
	case 'u':
		n = 4
	case 'U':
		n = 8
	default:
		return 0, p.fail(i, "unknown escape")
	}

	var v uint32
	for k := i + 2; k < i+2+n; k++ {
		c := p.at(k)
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, p.fail(i, "this escape needs %d hexadecimal digits", n)
		}
		v = v<<4 | uint32(c)
	}

	switch {
	case v >= 0xD800 && v <= 0xDFFF:
		return 0, p.fail(i,
			"U+%04X is a surrogate, not a character; write the character itself or \\U and 8 digits", v)
	case v > utf8.MaxRune:
		return 0, p.fail(i, "%X is above U+10FFFF", v)
	}

	return rune(v), i + 2 + n
}

// literal reads a literal and adds its canonical text as a new term.
func (p *parser) literal(i int) (TermID, int) {
	j := i + 1
	j += plain(p.b[j:])
	inPlace := p.at(j) == '"' // the text in b is canonical
	if !inPlace {
		if j = p.unescape(i); j < 0 {
			return 0, -1
		}
	}

	if !p.utf8(i, j) {
		return 0, -1
	}

	j++
	end := j             // place after the literal
	suffix := p.b[j:end] // what follows the closing quote in the canonical text
	switch p.at(j) {
	case '@':
		if end = p.language(j); end < 0 {
			return 0, -1
		}
		suffix = p.b[j:end]
	case '^':
		if suffix, end = p.datatype(j); end < 0 {
			return 0, -1
		}
	}

	switch {
	case inPlace && len(suffix) == 0:
		return p.add(p.b[i:j]), end
	case inPlace && &suffix[0] == &p.b[j]:
		return p.add(p.b[i:end]), end
	case inPlace:
		p.quoted = append(p.quoted[:0], p.b[i:j]...)
	}

	p.quoted = append(p.quoted, suffix...)
	return p.d.Append(Literal, p.d.Store(p.quoted)), end
}

// add adds a literal whose text lies in b.
func (p *parser) add(text []byte) TermID {
	if !p.keep {
		text = p.d.Store(text)
	}
	return p.d.Append(Literal, text)
}

// datatype reads ^^ and a datatype at i and returns its canonical text: nothing for xsd:string, else ^^<iri>.
func (p *parser) datatype(i int) ([]byte, int) {
	if len(p.lastType) > 0 && bytes.HasPrefix(p.b[i:], p.lastType) {
		end := i + len(p.lastType)
		return p.b[i:end], end
	}
	if p.at(i+1) != '^' || p.at(i+2) != '<' {
		return nil, p.fail(i, "expected '^^' and a datatype IRI in <>")
	}
	text, end := p.iriText(i + 2)
	if end < 0 {
		return nil, -1
	}
	switch string(text[1 : len(text)-1]) {
	case XSDString:
		return nil, end
	case RDFLangString:
		return nil, p.fail(i, "rdf:langString needs a language tag")
	}
	p.lastType = append(append(p.lastType[:0], "^^"...), text...)
	if &text[0] == &p.b[i+2] {
		return p.b[i:end], end
	}
	return p.lastType, end
}

// unescape sets quoted to the canonical text of the string at i and returns the place of its closing quote.
func (p *parser) unescape(i int) int {
	p.quoted = append(p.quoted[:0], '"')
	for j := i + 1; ; {
		n := plain(p.b[j:])
		p.quoted = append(p.quoted, p.b[j:j+n]...)
		if twice := 2 * int64(len(p.quoted)); twice > p.memory { // it is copied into the arena of the terms
			p.err = &canon.LimitError{Limit: "memory", Max: p.memory, Done: twice,
				Where: fmt.Sprintf("line %d", p.line)}
			return -1
		}
		j += n
		if j == len(p.b) {
			return p.fail(i, "this literal has no closing quote")
		}
		switch c := p.b[j]; c {
		case '"':
			p.quoted = append(p.quoted, '"')
			return j
		case '\n', '\r':
			return p.fail(i,
				"this literal has no closing quote; a line break inside it is written as \\n or \\r")
		case '\\':
			if at := strings.IndexByte(`tbnrf"'\`, p.at(j+1)); at >= 0 {
				p.quoted = appendEscaped(p.quoted, escapees[at:at+1])
				j += 2
				continue
			}
			r, next := p.uchar(j)
			if next < 0 {
				return -1
			}
			var utf [utf8.UTFMax]byte
			p.quoted = appendEscaped(p.quoted, utf8.AppendRune(utf[:0], r))
			j = next
		case 0xEF:
			_, size := utf8.DecodeRune(p.b[j:])
			p.quoted = appendEscaped(p.quoted, p.b[j:j+size])
			j += size
		default:
			p.quoted = appendEscaped(p.quoted, p.b[j:j+1])
			j++
		}
	}
}

// escapees are the characters that the letters of ECHAR mean, in the order of unescape.
var escapees = []byte("\t\b\n\r\f\"'\\")

// language reads a LANGTAG at '@'.
func (p *parser) language(i int) int {
	j := i + 1
	for part := 0; ; part++ {
		from := j
		for ; ; j++ {
			c := p.at(j)
			if !(c|0x20 >= 'a' && c|0x20 <= 'z' || part > 0 && c >= '0' && c <= '9') {
				break
			}
		}
		if j == from {
			return p.fail(i, "malformed language tag")
		}
		if p.at(j) != '-' {
			return j
		}
		j++
	}
}

// blank reads a BLANK_NODE_LABEL.
func (p *parser) blank(i int) (TermID, int) {
	if p.at(i+1) != ':' {
		return 0, p.fail(i, "expected '_:' and a blank node label")
	}

	j := i + 2
	for j < len(p.b) {
		c := p.b[j]
		if c < utf8.RuneSelf {
			if !labelByte[c] {
				break
			}
			j++
			continue
		}
		r, size := utf8.DecodeRune(p.b[j:])
		if r == utf8.RuneError && size == 1 {
			return 0, p.fail(j, "invalid UTF-8")
		}
		if !labelRune(r) {
			break
		}
		j += size
	}

	for j > i+2 && p.b[j-1] == '.' { // the label does not end in '.'
		j--
	}

	if j == i+2 {
		return 0, p.fail(i, "this blank node has no label")
	}

	if r, _ := utf8.DecodeRune(p.b[i+2:]); r == '-' || r == '.' || r == 0xB7 || r >= 0x300 && r <= 0x36F ||
		r == 0x203F || r == 0x2040 {
		return 0, p.fail(i+2, "a blank node label cannot start with %q", r)
	}

	return p.d.Intern(Blank, p.b[i:j]), j
}

// labelByte marks the ASCII characters of PN_CHARS, and '.'.
var labelByte = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c == '-' ||
			c == '.'
	}
	return
}()

// labelRune reports whether PN_CHARS has r, a character outside ASCII.
func labelRune(r rune) bool {
	for _, in := range [...][2]rune{{0xB7, 0xB7}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x37D}, {0x37F, 0x1FFF},
		{0x200C, 0x200D}, {0x203F, 0x2040}, {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
		{0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}} {
		if r >= in[0] && r <= in[1] {
			return true
		}
	}
	return false
}

// utf8 checks the text from i to j.
func (p *parser) utf8(i, j int) bool {
	b := p.b[i:j]
	if utf8.Valid(b) {
		return true
	}
	for at := i; at < j; {
		r, size := utf8.DecodeRune(p.b[at:j])
		if r == utf8.RuneError && size == 1 {
			p.fail(at, "invalid UTF-8")
			return false
		}
		at += size
	}
	return true
}
