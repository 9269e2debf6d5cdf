// Package jcs canonicalizes JSON (RFC 8785, JSON Canonicalization Scheme) over the tape of package jsontape, without
// building maps. Call [Transform] for bytes and [AppendNode] for a value of a tape at hand.
package jcs

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Options of a transformation. The zero value is RFC 8785 with default limits.
type Options struct {
	Limits canon.Limits // Bytes and Depth; zero fields take their defaults
	Omit   string       // leave out the member of the outermost object with this key, such as "proof"
	Strict bool         // a warning is an error: *ChangeError
}

// Kind says how a number was changed.
type Kind uint8

const (
	Precision    Kind = iota // digits were lost, as in integers beyond 2^53
	Underflow                // too small for a double: it becomes 0
	NegativeZero             // -0 becomes 0
)

var kindTexts = [...]string{"digits are lost", "it underflows to 0", "minus zero becomes 0"}

func (k Kind) String() string { return kindTexts[k] }

// Warning is a number whose canonical form denotes another number than the source, as RFC 8785 demands without a word.
type Warning struct {
	Kind      Kind
	Pointer   string // JSON pointer of the number in the document
	Offset    int    // in bytes from 0
	Line      int    // from 1
	Column    int    // in bytes from 1
	Source    string // the number as it stands in the document
	Canonical string // the number as canonicalized
}

func (w Warning) String() string {
	return fmt.Sprintf("line %d column %d, %q: the number %s becomes %s: %s", w.Line, w.Column, w.Pointer, w.Source, w.Canonical, w.Kind)
}

// MaxWarnings bounds the list of warnings of one document; further ones are not listed.
const MaxWarnings = 100

// ChangeError says that canonicalization would change numbers, where Options.Strict forbids it.
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
type writer struct {
	tape     *jsontape.Tape
	omit     string
	members  []member // of the open objects, innermost last
	text     []byte   // unescaped keys
	warnings []Warning
	own      jsontape.Tape
}

// member is one member of an object that is being sorted.
type member struct {
	prefix uint64 // first 8 bytes of the key, for order
	text   []byte // the key without escapes
	key    int    // node index
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// Transform appends the canonical form of the JSON document src to dst. It returns *canon.SyntaxError for malformed
// JSON, duplicate keys, lone surrogates, invalid UTF-8 and numbers too large for a double, *canon.LimitError for documents
// beyond the limits; dst is returned as it came then. It allocates nothing where dst has room.
func Transform(dst, src []byte, opt Options) ([]byte, []Warning, error) {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	if err := w.own.Scan(src, jsontape.Options{Bytes: opt.Limits.Bytes, Depth: opt.Limits.Depth}); err != nil {
		return dst, nil, err
	}
	out, warnings, err := w.run(slices.Grow(dst, len(src)), &w.own, 0, opt)
	w.own.Src = nil
	return out, warnings, err
}

// AppendNode appends the canonical form of value i of a tape to dst, as [Transform] does for a document; pointers and
// positions are those of the tape's document. The limits of opt were the scan's and are not looked at again.
func AppendNode(dst []byte, t *jsontape.Tape, i int, opt Options) ([]byte, []Warning, error) {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	return w.run(dst, t, i, opt)
}

func (w *writer) run(dst []byte, t *jsontape.Tape, i int, opt Options) ([]byte, []Warning, error) {
	w.tape, w.omit, w.members, w.text, w.warnings = t, opt.Omit, w.members[:0], w.text[:0], nil
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
		if n.Escaped {
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
		m := w.member(k)
		if last := len(w.members) - 1; sorted && last >= from && !less(&w.members[last], &m) {
			sorted = false
		}
		w.members = append(w.members, m)
	}
	if !sorted {
		sortMembers(w.members[from:])
	}
	to := len(w.members)
	dst = append(dst, '{')
	for at := from; at < to; at++ {
		if at > from {
			dst = append(dst, ',')
		}
		k := w.members[at].key
		key, v := &t.Nodes[k], &t.Nodes[k+1]
		if !key.Escaped && v.Kind != jsontape.Number && v.Kind <= jsontape.String && !v.Escaped && v.Start == key.End+1 {
			dst = append(dst, t.Src[key.Start:v.End]...) // "key":"value" stands as it must
			continue
		}
		if key.Escaped {
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

func (w *writer) member(k int) member {
	t := w.tape
	n := &t.Nodes[k]
	m := member{key: k}
	if n.Escaped {
		from := len(w.text)
		w.text = t.AppendString(w.text, k)
		m.text = w.text[from:len(w.text):len(w.text)]
	} else {
		m.text = t.Src[n.Start+1 : n.End-1]
		if at := int(n.Start) + 1; at+8 <= len(t.Src) {
			m.prefix = binary.BigEndian.Uint64(t.Src[at:])
			if size := len(m.text); size < 8 {
				m.prefix &= ^uint64(0) << (8 * (8 - size))
			}
			return m
		}
	}
	for at := range 8 {
		m.prefix <<= 8
		if at < len(m.text) {
			m.prefix |= uint64(m.text[at])
		}
	}
	return m
}

// less orders keys by UTF-16 code units (RFC 8785 section 3.2.3).
func less(a, b *member) bool {
	const notASCII = 0x8080808080808080
	if (a.prefix|b.prefix)&notASCII == 0 && a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	return CompareUTF16(a.text, b.text) < 0
}

// CompareUTF16 compares two valid UTF-8 texts by their UTF-16 code units. Bytes give the same order, except that the
// surrogates of the characters beyond U+FFFF (first byte F0 to F4) come before U+E000 to U+FFFF (EE and EF).
func CompareUTF16(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		if x < y {
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}

func sortMembers(m []member) {
	if len(m) > 16 {
		slices.SortFunc(m, func(a, b member) int {
			switch {
			case less(&a, &b):
				return -1
			case less(&b, &a):
				return 1
			}
			return 0
		})
		return
	}
	for i := 1; i < len(m); i++ {
		if !less(&m[i], &m[i-1]) {
			continue
		}
		x := m[i]
		j := i
		for ; j > 0 && less(&x, &m[j-1]); j-- {
			m[j] = m[j-1]
		}
		m[j] = x
	}
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
		return dst, &canon.SyntaxError{Format: "JSON", Offset: int(n.Start), Line: line, Column: column, Msg: "the number is too large for a double"}
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
	if len(w.warnings) == MaxWarnings {
		return
	}
	offset := int(w.tape.Nodes[i].Start)
	line, column := jsontape.Position(w.tape.Src, offset)
	w.warnings = append(w.warnings, Warning{Kind: kind, Pointer: w.tape.Pointer(i), Offset: offset, Line: line, Column: column,
		Source: string(w.tape.Raw(i)), Canonical: string(canonical)})
}

// appendReescaped appends a string with its quotes, each escape in the form of RFC 8785 section 3.2.2.2.
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
