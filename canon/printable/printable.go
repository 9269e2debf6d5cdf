// Package printable makes text from an untrusted document safe to show: its characters cannot add lines to
// an answer, move the cursor of a terminal, or change the direction of writing. Programs need the exact bytes
// of a canonical form or a signed document: pass one through this package only to show it on a terminal.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line escapes each character of a text that does not print ([strconv.IsPrint]) as \u and four hexadecimal
// digits (RFC 8259 section 7), and each byte that is not UTF-8 as \x and two digits. Valid JSON stays JSON of
// the same value.
func Line(text string) string { return escaped(text, "") }

// Short returns text unchanged if it has at most the given number of bytes. Of a longer text it returns the
// beginning and the end with the number of bytes left out between them: errors repeat names of untrusted
// documents, which may have megabytes.
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

// Lines escapes text as [Line] does but keeps line feeds. Use it for text with trusted line feeds, such as
// indented JSON.
func Lines(text string) string { return escaped(text, "\n") }

// Document escapes an untrusted JSON or N-Quads document as [Line] does, but keeps line feeds and tabs. A
// carriage return, which makes a terminal overwrite the line, becomes a space.
func Document(text string) string {
	return strings.ReplaceAll(escaped(text, "\n\t\r"), "\r", " ")
}

// escaped escapes the characters that do not print, except the control characters in keep.
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

// appendEscape appends the escape of a character of n bytes.
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

// shows reports whether a character that is encoded in the given number of bytes prints.
func shows(r rune, bytes int) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return strconv.IsPrint(r) && (r != utf8.RuneError || bytes > 1)
}
