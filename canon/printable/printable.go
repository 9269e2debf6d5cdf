// Package printable makes text that an untrusted document holds safe to show: no character of it writes lines of its own
// into an answer, moves the cursor of a terminal, or turns the direction of writing. Bytes that a program reads as they are,
// such as a canonical form or a signed document, are for this package only where a terminal shows them.
package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line returns text with each character that does not print, by the measure of [strconv.IsPrint], as JSON escapes it by its
// number (RFC 8259 section 7), and each byte that is not UTF-8 as \x and two digits. JSON stays JSON of the same value.
func Line(text string) string { return escaped(text, "") }

// Lines is [Line] for text whose line feeds are its maker's own, such as JSON that was indented.
func Lines(text string) string { return escaped(text, "\n") }

// Document is [Line] for a document of another, JSON or N-Quads, whose white space is no data: line feeds and tabs stay, and
// a carriage return, after which a terminal writes over the line, becomes a space.
func Document(text string) string {
	return strings.ReplaceAll(escaped(text, "\n\t\r"), "\r", " ")
}

// JSON writes a value as indented JSON. Strings are escaped as [Line] does, so that their value stays.
func JSON(w io.Writer, v any) error { return writeJSON(w, v, "  ") }

// JSONLine is [JSON] in one line.
func JSONLine(w io.Writer, v any) error { return writeJSON(w, v, "") }

func writeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}

	text := strings.ToValidUTF8(b.String(), string(utf8.RuneError)) // a json.RawMessage is written as it is
	_, err := io.WriteString(w, Lines(text))
	return err
}

// escaped escapes what does not print and is not one of the control characters in keep.
func escaped(text, keep string) string {
	shows := func(r rune, bytes int) bool {
		return strconv.IsPrint(r) && (r != utf8.RuneError || bytes > 1) || strings.ContainsRune(keep, r)
	}

	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		if !shows(r, n) {
			break
		}
		at += n
	}
	if at == len(text) {
		return text
	}

	b := []byte(text[:at])
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case shows(r, n):
			b = append(b, text[at:at+n]...)
		case n == 1 && r == utf8.RuneError:
			b = fmt.Appendf(b, `\x%02x`, text[at])
		case r > 0xFFFF:
			b = fmt.Appendf(b, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		at += n
	}
	return string(b)
}
