// Package printable makes text that an untrusted document holds safe to show: no character of it writes lines of its own
// into an answer, moves the cursor of a terminal, or turns the direction of writing. Bytes that a program reads as they are,
// such as a canonical form or a signed document, are for this package only where a terminal shows them.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line returns text with each character that does not print, by the measure of [strconv.IsPrint], as JSON escapes it by its
// number (RFC 8259 section 7), and each byte that is not UTF-8 as \x and two digits. JSON stays JSON of the same value.
func Line(text string) string { return escaped(text, "") }

// Short returns text of at most so many bytes as it is, and of longer one the beginning and the end, with how much is left
// out between them: an untrusted document may have names of megabytes, which errors repeat.
func Short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := most*3/4, len(text)-most/4
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s…(%d bytes more)…%s", text[:head], tail-head, text[tail:])
}

// Lines is [Line] for text whose line feeds are its maker's own, such as JSON that was indented.
func Lines(text string) string { return escaped(text, "\n") }

// Document is [Line] for a document of another, JSON or N-Quads, whose white space is no data: line feeds and tabs stay, and
// a carriage return, after which a terminal writes over the line, becomes a space.
func Document(text string) string {
	return strings.ReplaceAll(escaped(text, "\n\t\r"), "\r", " ")
}

// escaped escapes what does not print and is not one of the control characters in keep.
func escaped(text, keep string) string {
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		if !shows(r, n) && !strings.ContainsRune(keep, r) {
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
		if shows(r, n) || strings.ContainsRune(keep, r) {
			b = append(b, text[at:at+n]...)
		} else {
			b = appendEscape(b, r, n, text[at])
		}
		at += n
	}
	return string(b)
}

// appendEscape appends how [Line] writes a character of n bytes that does not show.
func appendEscape(dst []byte, r rune, n int, first byte) []byte {
	const digits = "0123456789abcdef"
	if n == 1 && r == utf8.RuneError {
		return append(dst, '\\', 'x', digits[first>>4], digits[first&15])
	}
	if r > 0xFFFF {
		dst = appendEscape(dst, 0xD800+(r-0x10000)>>10, n, first)
		r = 0xDC00 + (r-0x10000)&0x3FF
	}
	return append(dst, '\\', 'u', digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// shows reports whether a character of so many bytes prints.
func shows(r rune, bytes int) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return strconv.IsPrint(r) && (r != utf8.RuneError || bytes > 1)
}
