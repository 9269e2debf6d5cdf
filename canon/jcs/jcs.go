// Package jcs canonicalizes JSON (RFC 8785, JSON Canonicalization Scheme) over the tape of package
// jsontape, without building maps. Call [Transform] for bytes and [AppendNode] for a value of a scanned
// tape.
//
//phase:jcs primitive
package jcs

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Options of a transformation. The zero value is RFC 8785 with default limits.
type Options struct {
	Limits canon.Limits // Bytes and Depth; zero fields take their defaults
	Omit   string       // key of a member of the outermost object to leave out, such as "proof"
	Strict bool         // return a *ChangeError instead of warnings
}

// Kind is the way in which a number was changed.
type Kind uint8

const (
	Precision    Kind = iota // digits were lost, e.g. of an integer beyond 2^53
	Underflow                // the number is too small for a double and becomes 0
	NegativeZero             // -0 becomes 0
)

var kindTexts = [...]string{"digits are lost", "it underflows to 0", "minus zero becomes 0"}

func (k Kind) String() string { return kindTexts[k] }

// Warning is a number whose canonical form has a different value from the source. RFC 8785 requires this
// and does not provide for a warning.
type Warning struct {
	Kind      Kind
	Pointer   string // JSON pointer of the number in the document
	Offset    int    // in bytes from 0
	Line      int    // from 1
	Column    int    // in bytes from 1
	Source    string // the number in the document
	Canonical string // the number in the canonical form
}

func (w Warning) String() string {
	return fmt.Sprintf("line %d column %d, %q: the number %s becomes %s: %s", w.Line, w.Column, w.Pointer,
		w.Source, w.Canonical, w.Kind)
}

// MaxWarnings is the number of warnings listed for one document.
const MaxWarnings = 20

// maxWarningText bounds the bytes of the pointers and numbers in warnings, which can be as long as the
// document.
const maxWarningText = 1 << 20

// ChangeError is the error of numbers that canonicalization would change although Options.Strict forbids it.
type ChangeError struct {
	Warnings []Warning // at least one, in the order of the canonical form
}

func (e *ChangeError) Error() string {
	more := ""
	if n := len(e.Warnings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return e.Warnings[0].String() + more
}

// writer is the scratch memory of one transformation.
//
//phase:jcs
type writer struct {
	tape     *jsontape.Tape
	omit     string
	members  []member // of the open objects, innermost last
	escaped  [][]byte // the unescaped texts of keys with escapes, slices of text
	text     []byte
	warnings []Warning
	warned   int // bytes of their pointers and numbers
	own      jsontape.Tape
}

// member is one member of an object during sorting.
type member struct {
	prefix  uint64 // 8 bytes of the key, mapped to the order of UTF-16 and padded with zeros
	rest    uint8  // number of bytes in prefix that belong to the key
	key     uint32 // node index
	escaped uint32 // index into writer.escaped from 1; 0 for a key without escapes
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// Transform appends the canonical form of the JSON document src to dst. It returns a *canon.SyntaxError for
// malformed JSON, duplicate keys, lone surrogates, invalid UTF-8 and numbers too large for a double, and a
// *canon.LimitError for documents beyond the limits; it then returns dst unchanged. It does not allocate if
// dst has room.
//
//phase:jcs
func Transform(dst, src []byte, opt Options) ([]byte, []Warning, error) {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	limits := jsontape.Options{Bytes: opt.Limits.Bytes, Depth: opt.Limits.Depth, Memory: opt.Limits.Memory}
	if err := w.own.Scan(src, limits); err != nil {
		return dst, nil, err
	}
	out, warnings, err := w.run(slices.Grow(dst, len(src)), &w.own, 0, opt)
	w.own.Src = nil
	return out, warnings, err
}

// AppendNode appends the canonical form of value i of a tape to dst, as [Transform] does for a document.
// Pointers and positions refer to the document of the tape. Options.Limits is ignored: the scan has applied
// limits.
//
//phase:jcs
func AppendNode(dst []byte, t *jsontape.Tape, i int, opt Options) ([]byte, []Warning, error) {
	if t == nil || uint(i) >= uint(len(t.Nodes)) {
		return dst, nil, fmt.Errorf("jcs: the tape has no value %d", i)
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	return w.run(dst, t, i, opt)
}

func (w *writer) run(dst []byte, t *jsontape.Tape, i int, opt Options) ([]byte, []Warning, error) {
	w.tape, w.omit, w.warnings, w.warned = t, opt.Omit, nil, 0
	w.members, w.escaped, w.text = w.members[:0], w.escaped[:0], w.text[:0]
	if t.Nodes[i].Kind != jsontape.Object {
		w.omit = ""
	}
	out, err := w.value(dst, i)
	warnings := w.warnings
	w.tape, w.warnings = nil, nil
	switch {
	case err != nil:
		return dst, nil, err
	case opt.Strict && len(warnings) > 0:
		return dst, warnings, &ChangeError{Warnings: warnings}
	}
	return out, warnings, nil
}

func (w *writer) value(dst []byte, i int) ([]byte, error) {
	t := w.tape
	n := &t.Nodes[i]
	switch n.Kind {
	case jsontape.Number:
		return w.appendNumber(dst, i)
	case jsontape.String:
		if n.Escaped() {
			return appendReescaped(dst, t.Src[n.Start:n.End]), nil
		}
	case jsontape.Array:
		dst = append(dst, '[')
		for c, end := i+1, int(n.Next); c < end; c = int(t.Nodes[c].Next) {
			if c > i+1 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = w.value(dst, c); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case jsontape.Object:
		return w.object(dst, i)
	}
	return append(dst, t.Src[n.Start:n.End]...), nil
}

func (w *writer) object(dst []byte, i int) ([]byte, error) {
	t := w.tape
	from := len(w.members)
	omit := w.omit
	w.omit = ""
	sorted := true
	for k, end := i+1, int(t.Nodes[i].Next); k < end; k = int(t.Nodes[k+1].Next) {
		if omit != "" && t.TextIs(k, omit) {
			continue
		}
		m := member{key: uint32(k)}
		if t.Nodes[k].Escaped() {
			at := len(w.text)
			w.text = t.AppendString(w.text, k)
			m.escaped = uint32(len(w.escaped) + 1)
			w.escaped = append(w.escaped, w.text[at:len(w.text):len(w.text)])
		}
		if sorted {
			w.load(&m, 0)
			if last := len(w.members) - 1; last >= from {
				c := compare(&w.members[last], &m)
				if c == 0 {
					c = CompareUTF16(w.key(&w.members[last]), w.key(&m))
				}
				sorted = c < 0
			}
		}

		w.members = append(w.members, m)
	}

	if !sorted {
		w.sort(w.members[from:], 0)
	}

	to := len(w.members)
	dst = append(dst, '{')
	for at := from; at < to; at++ {
		if at > from {
			dst = append(dst, ',')
		}
		k := int(w.members[at].key)
		key, v := &t.Nodes[k], &t.Nodes[k+1]
		if !key.Escaped() && v.Kind != jsontape.Number && v.Kind <= jsontape.String && !v.Escaped() &&
			v.Start == key.End+1 {
			dst = append(dst, t.Src[key.Start:v.End]...) // "key":"value" is canonical as written
			continue
		}
		if key.Escaped() {
			dst = appendReescaped(dst, t.Src[key.Start:key.End])
		} else {
			dst = append(dst, t.Src[key.Start:key.End]...)
		}
		dst = append(dst, ':')
		var err error
		if dst, err = w.value(dst, k+1); err != nil {
			return dst, err
		}
	}

	w.members = w.members[:from]
	return append(dst, '}'), nil
}

// key returns the text of a member's key.
func (w *writer) key(m *member) []byte {
	if m.escaped > 0 {
		return w.escaped[m.escaped-1]
	}
	n := &w.tape.Nodes[m.key]
	return w.tape.Src[n.Start+1 : n.End-1]
}

// load fills the prefix of m with the bytes of its key, starting at an index.
func (w *writer) load(m *member, from int) {
	text := w.key(m)[from:]
	m.rest = uint8(min(8, len(text)))
	m.prefix = 0
	if at := int(w.tape.Nodes[m.key].Start) + 1 + from; m.escaped == 0 && at+8 <= len(w.tape.Src) {
		m.prefix = binary.BigEndian.Uint64(w.tape.Src[at:]) & (^uint64(0) << (64 - 8*m.rest))
	} else {
		for i, c := range text[:m.rest] {
			m.prefix |= uint64(c) << (56 - 8*i)
		}
	}
	if m.prefix&0x8080808080808080 != 0 {
		for i := range 8 {
			if c := byte(m.prefix >> (8 * i)); c >= 0xEE {
				m.prefix ^= uint64(asUTF16(c)^c) << (8 * i)
			}
		}
	}
}

// asUTF16 maps the first byte of a UTF-8 character so that the order of bytes is the order of UTF-16 code
// units: the surrogates of characters beyond U+FFFF (first byte F0 to F4) come before U+E000 to U+FFFF (EE
// and EF). Other bytes are unchanged.
func asUTF16(c byte) byte {
	switch {
	case c >= 0xF0:
		return c - 2
	case c >= 0xEE:
		return c + 5
	}
	return c
}

// compare orders members by their prefixes. If the prefixes are equal and full, it returns 0 and the keys
// may still differ after them.
func compare(a, b *member) int {
	if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
		return c
	}
	return int(a.rest) - int(b.rest)
}

// sort orders members by the UTF-16 code units of their keys (RFC 8785 section 3.2.3). The keys are equal
// up to the index from.
func (w *writer) sort(m []member, from int) {
	first := w.key(&m[0])
	shared := len(first)
	for i := range m[1:] {
		shared = from + sharedPrefix(first[from:shared], w.key(&m[i+1])[from:])
	}

	for i := range m {
		w.load(&m[i], shared)
	}

	slices.SortFunc(m, func(a, b member) int { return compare(&a, &b) })

	for len(m) > 0 { // sort keys with the same 8 bytes by the bytes after them
		n := 1
		for n < len(m) && compare(&m[0], &m[n]) == 0 {
			n++
		}
		if n > 1 {
			w.sort(m[:n], shared+8)
		}
		m = m[n:]
	}
}

// CompareUTF16 compares two valid UTF-8 texts by their UTF-16 code units.
func CompareUTF16(a, b []byte) int {
	i := sharedPrefix(a, b)
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	return int(asUTF16(a[i])) - int(asUTF16(b[i]))
}

// sharedPrefix returns the length of the common prefix of a and b.
func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}

func (w *writer) appendNumber(dst []byte, i int) ([]byte, error) {
	source := w.tape.Raw(i)
	if canonical(source) {
		return append(dst, source...), nil
	}
	f, err := strconv.ParseFloat(string(source), 64)
	if err != nil {
		n := w.tape.Nodes[i]
		line, column := jsontape.Position(w.tape.Src, int(n.Start))
		return dst, &canon.SyntaxError{Format: "JSON", Offset: int(n.Start), Line: line, Column: column,
			Msg: "the number is too large for a double"}
	}
	from := len(dst)
	dst = AppendNumber(dst, f)
	switch {
	case f == 0 && !sameDigits(source, dst[from:]):
		w.warn(Underflow, i, dst[from:])
	case f == 0 && source[0] == '-':
		w.warn(NegativeZero, i, dst[from:])
	case !sameDigits(source, dst[from:]):
		w.warn(Precision, i, dst[from:])
	}
	return dst, nil
}

func (w *writer) warn(kind Kind, i int, canonical []byte) {
	if len(w.warnings) == MaxWarnings || w.warned > maxWarningText {
		return
	}
	offset := int(w.tape.Nodes[i].Start)
	line, column := jsontape.Position(w.tape.Src, offset)
	warning := Warning{Kind: kind, Pointer: w.tape.Pointer(i), Offset: offset, Line: line, Column: column,
		Source: string(w.tape.Raw(i)), Canonical: string(canonical)}
	w.warnings = append(w.warnings, warning)
	w.warned += len(warning.Pointer) + len(warning.Source)
}

// appendReescaped appends a string with its quotes, and writes each escape in the form of RFC 8785 section
// 3.2.2.2.
func appendReescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		from := i
		for i < len(s) && s[i] != '\\' {
			i++
		}
		dst = append(dst, s[from:i]...)
		if i == len(s) {
			break
		}
		switch c := s[i+1]; c {
		case '/':
			dst = append(dst, '/')
			i += 2
		case 'u':
			size := 6
			if s[i+2]|0x20 == 'd' && s[i+3] >= '8' { // a surrogate pair
				size = 12
			}
			var buf [4]byte
			dst = jsontape.AppendEscaped(dst, jsontape.AppendUnescaped(buf[:0], s[i:i+size]))
			i += size
		default:
			dst = append(dst, '\\', c)
			i += 2
		}
	}
	return dst
}
