//phase:serialize primitive
package rdf

import (
	"encoding/binary"
	"unsafe"
)

// IRIs of datatypes that N-Quads writes in a short form.
const (
	XSDString     = "http://www.w3.org/2001/XMLSchema#string"
	RDFLangString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
)

// Chars is text as a string or as bytes.
type Chars interface{ ~string | ~[]byte }

// AppendIRI appends `<iri>`. The IRI is written as it is: canonical N-Quads escapes nothing in it, so it
// must hold no character that IRIREF forbids (see [ValidIRI]).
func AppendIRI[T Chars](dst []byte, iri T) []byte {
	dst = append(dst, '<')
	dst = append(dst, iri...)
	return append(dst, '>')
}

// AppendLiteral appends a literal in canonical form: `"value"@lang` if lang is not empty, else `"value"`
// for an empty datatype or xsd:string, else `"value"^^<datatype>`. value is valid UTF-8, unescaped.
func AppendLiteral[V, L, D Chars](dst []byte, value V, lang L, datatype D) []byte {
	dst = AppendString(dst, value)
	switch {
	case len(lang) > 0:
		dst = append(dst, '@')
		dst = append(dst, lang...)
	case len(datatype) > 0 && string(datatype) != XSDString:
		dst = append(dst, '^', '^')
		dst = AppendIRI(dst, datatype)
	}
	return dst
}

// AppendString appends `"value"` with the escapes of canonical N-Quads (RDFC-1.0 appendix A) and no others.
func AppendString[T Chars](dst []byte, value T) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, view(value))
	return append(dst, '"')
}

// view returns text as bytes without copying; the bytes must not be written to.
func view[T Chars](s T) []byte {
	switch v := any(s).(type) {
	case string:
		return unsafe.Slice(unsafe.StringData(v), len(v))
	case []byte:
		return v
	}
	return []byte(s)
}

func appendEscaped(dst, s []byte) []byte {
	for {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return dst
		}
		c := s[n]
		s = s[n+1:]
		switch e := echar[c]; {
		case e != 0:
			dst = append(dst, '\\', e)
		case c == 0xEF: // U+FFFE and U+FFFF are not in the Char production of XML 1.1
			if len(s) >= 2 && s[0] == 0xBF && s[1] >= 0xBE {
				dst = append(dst, `\uFFF`...)
				dst = append(dst, upper[s[1]-0xB0])
				s = s[2:]
			} else {
				dst = append(dst, c)
			}
		default:
			dst = append(dst, '\\', 'u', '0', '0', upper[c>>4], upper[c&15])
		}
	}
}

const upper = "0123456789ABCDEF"

// echar holds the letter of each character that canonical N-Quads writes as ECHAR.
var echar = [256]byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}

// special marks the bytes of a string that may need an escape.
var special = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'], t[0x7F], t[0xEF] = true, true, true, true
	return
}()

const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// hasByte is non-zero exactly if a byte of x equals c (repeated). Bits of bytes above the lowest match may
// be wrong.
func hasByte(x, c uint64) uint64 { x ^= c; return (x - ones) &^ x & high }

// plain returns how many bytes at the start of s need no escape.
func plain(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64(s[i:])
		below := (x - ' '*ones) &^ x & high
		if below|hasByte(x, '"'*ones)|hasByte(x, '\\'*ones)|hasByte(x, 0x7F*ones)|hasByte(x, 0xEF*ones) != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if special[s[i]] {
			break
		}
	}
	return i
}

// ValidIRI reports whether iri is absolute and holds only characters that IRIREF allows, so that N-Quads
// can write it between `<` and `>`. iri is valid UTF-8 without brackets.
func ValidIRI[T Chars](iri T) bool {
	s := view(iri)
	for i := IRIStop(s, 0); i < len(s); i = IRIStop(s, i+1) {
		if s[i] != '#' {
			return false
		}
	}
	return schemeLen(s) > 0
}

// IRIStop returns the place of the first byte of s from i on that is '#', which begins a fragment, or that
// IRIREF forbids, or len(s).
func IRIStop(s []byte, i int) int {
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64(s[i : i+8 : i+8])
		// The bytes up to '#', "<>\\^|~" and '`', and those from '{' on.
		if ((x-'$'*ones)|((x|0x62*ones)^'~'*ones-ones)|(x^'`'*ones-ones)|(x+5*ones))&high == 0 {
			continue
		}
		for k, c := range s[i : i+8] {
			if iriStop[c] || c == '#' {
				return i + k
			}
		}
	}
	for ; i < len(s); i++ {
		if iriStop[s[i]] || s[i] == '#' {
			break
		}
	}
	return i
}

// schemeLen returns the length of the scheme of an absolute IRI, 0 if it has none (RFC 3986 section 3.1).
func schemeLen(s []byte) int {
	for i, c := range s {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return 0
		}
	}
	return 0
}

// iriStop marks what IRIREF forbids: U+0000 to U+0020 and <>"{}|^`\.
var iriStop = func() (t [256]bool) {
	for c := range 0x21 {
		t[c] = true
	}
	for _, c := range "<>\"{}|^`\\" {
		t[c] = true
	}
	return
}()
