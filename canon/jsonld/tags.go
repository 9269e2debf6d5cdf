//phase:caller
package jsonld

import "bytes"

// tag is a language tag that occurs in the document.
type tag struct {
	text []byte // lower case
	ok   bool   // well-formed
}

// tagOf returns the number of a language tag in r.langs.
func (r *run) tagOf(text []byte) uint32 {
	for i := 1; i < min(len(r.langs), maxTags); i++ {
		if bytes.EqualFold(r.langs[i].text, text) {
			return uint32(i)
		}
	}
	from := len(r.buf)
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		r.buf = append(r.buf, c)
	}
	r.langs = append(r.langs, tag{r.buf[from:len(r.buf):len(r.buf)], wellFormedTag(text)})
	return uint32(len(r.langs) - 1)
}

// maxTags bounds the tags that are looked up; later tags are added to the list once for each value.
const maxTags = 32

// wellFormedTag checks the shape of a language tag: letters, then letters and digits, in parts of one to
// eight, with hyphens between them (BCP 47 section 2.1; registered values are not looked up).
func wellFormedTag(s []byte) bool {
	part := 0
	first := true
	for _, c := range s {
		switch {
		case c == '-':
			if part == 0 {
				return false
			}
			part, first = 0, false
			continue
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case !first && c >= '0' && c <= '9':
		default:
			return false
		}
		if part++; part > 8 {
			return false
		}
	}
	return part > 0
}
