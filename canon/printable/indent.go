package printable

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// maxIndent is the number of levels with a line for each value. Deeper values are written in one line:
// otherwise the white space, depth times values, could be far larger than the document.
const maxIndent = 32

var spaces = strings.Repeat("  ", maxIndent)

// Indent writes valid JSON with a line for each value, indented by two spaces a level, and a line feed at
// the end.
func Indent(w io.Writer, doc []byte) error {
	out := indenter{Writer: bufio.NewWriterSize(w, 1<<16)}
	out.json(doc)
	out.WriteByte('\n')
	return out.Flush()
}

// IndentLines writes JSON as [Indent] does, for display only: each line begins with a prefix and is escaped
// as by [Line]. The writer keeps the error.
func IndentLines(w *bufio.Writer, doc []byte, prefix string) {
	w.WriteString(prefix)
	out := indenter{Writer: w, prefix: prefix, escape: true}
	out.json(doc)
	w.WriteByte('\n')
}

// CompactLine writes valid JSON without white space, escaped as by [Line]. The writer keeps the error.
func CompactLine(w *bufio.Writer, doc []byte) {
	out := indenter{Writer: w, depth: maxIndent + 1, escape: true}
	out.json(doc)
}

// maxEscape is the length of the longest escape.
const maxEscape = len(`\ud83d\ude00`)

type indenter struct {
	*bufio.Writer // keeps the first error
	prefix        string
	escape        bool
	depth         int
	last          []byte // buffer of escapes
}

func (o *indenter) json(doc []byte) {
	for i := 0; i < len(doc); {
		switch c := doc[i]; c {
		case ' ', '\t', '\r', '\n':
			i++
		case '{', '[':
			i = o.open(doc, i)
		case '}', ']':
			o.end(c)
			i++
		case ',':
			o.WriteByte(c)
			o.line()
			i++
		case ':':
			o.WriteByte(c)
			if o.depth <= maxIndent {
				o.WriteByte(' ')
			}
			i++
		case '"':
			end := endOfString(doc, i)
			o.text(doc[i:end])
			i = end
		default:
			o.WriteByte(c)
			i++
		}
	}
}

// line begins a line, unless the current values are written in one line.
func (o *indenter) line() {
	if o.depth > maxIndent {
		return
	}
	o.WriteByte('\n')
	o.WriteString(o.prefix)
	o.WriteString(spaces[:2*o.depth])
}

// open writes the bracket at i, or both brackets of an empty container, and returns the index after them.
func (o *indenter) open(doc []byte, i int) int {
	c := doc[i]
	o.WriteByte(c)
	for i++; i < len(doc) && (doc[i] == ' ' || doc[i] == '\t' || doc[i] == '\r' || doc[i] == '\n'); i++ {
	}
	if i < len(doc) && doc[i] == c+2 {
		o.WriteByte(c + 2)
		return i + 1
	}
	o.depth++
	o.line()
	return i
}

func (o *indenter) end(c byte) {
	if o.depth--; o.depth >= 0 && o.depth < maxIndent {
		o.line()
	}
	o.WriteByte(c)
}

// text writes a string with its quotes.
func (o *indenter) text(text []byte) {
	from := 0
	for at := 0; o.escape && at < len(text); {
		if c := text[at]; c >= ' ' && c < 0x7f {
			at++
			continue
		}
		r, n := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[at:])
		}
		if r < utf8.RuneSelf || !shows(r, n) {
			o.Write(text[from:at])
			at = o.escapes(text, at)
			from = at
			continue
		}
		at += n
	}
	o.Write(text[from:])
}

// escapes writes the escapes of up to about a hundred consecutive characters that do not print, starting at
// an index. It returns the index after them.
func (o *indenter) escapes(text []byte, at int) int {
	o.last = o.last[:0]
	for at < len(text) && len(o.last) < 100*maxEscape {
		r, n := utf8.DecodeRune(text[at:])
		if shows(r, n) {
			break
		}
		o.last = appendEscape(o.last, r, n, text[at])
		at += n
	}
	o.Write(o.last)
	return at
}

// endOfString returns the index after the string that begins at i.
func endOfString(doc []byte, i int) int {
	for i++; i < len(doc); i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(doc)
}
