//phase:caller
package jsonld

import (
	"strings"

	"canonscope/canon/rdf"
)

// form is the kind of a text where an IRI is expected.
type form uint8

const (
	absolute form = iota // an IRI that N-Quads can carry
	blank                // a blank node identifier
	relative             // a reference that could not be made absolute
	invalid              // has a scheme, and characters that IRIs forbid
	reserved             // a keyword
)

var formNames = [...]string{"IRI", "blank node", "relative IRI", "invalid IRI", "keyword"}

// iri is a compiled IRI of a context. All that refers to it shares it.
type iri struct {
	text string // without brackets
	nq   []byte // `<text>`
	form form
	seq  uint32 // number for hashing; the pointer is the identity
}

// formOf returns the form of text. An IRI is well-formed if it has a scheme, only characters that N-Quads
// can carry and at most one '#'; percent-encoding and other details of the grammar (RFC 3987) are not
// checked, as in other implementations.
func formOf(text []byte) form {
	marks, bad := 0, false
	for i := rdf.IRIStop(text, 0); i < len(text) && !bad; i = rdf.IRIStop(text, i+1) {
		marks++
		bad = text[i] != '#' || marks > 1
	}
	switch {
	case len(text) > 1 && text[0] == '_' && text[1] == ':':
		return blank
	case hasScheme(text):
		if bad {
			return invalid
		}
		return absolute
	case len(text) > 0 && text[0] == '@' && keywordOf(string(text)) != kwNone:
		return reserved
	}
	return relative
}

// hasScheme reports whether text has the form of an IRI: a scheme and a colon (RFC 3986 section 3.1).
func hasScheme[T rdf.Chars](text T) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return true
		default:
			return false
		}
	}
	return false
}

// isIRIOrBlank reports whether text has the form of an IRI or a blank node identifier.
func isIRIOrBlank(text string) bool { return hasScheme(text) || strings.HasPrefix(text, "_:") }

// likeKeyword reports whether text has the form of a keyword: "@" and letters.
func likeKeyword[T rdf.Chars](text T) bool {
	if len(text) < 2 || text[0] != '@' {
		return false
	}
	for i := 1; i < len(text); i++ {
		if c := text[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// reference holds the parts of an IRI reference (RFC 3986 appendix B). Authority and query count as absent
// if their flag is false.
type reference struct {
	scheme, authority, path, query, fragment string
	hasAuthority, hasQuery, hasFragment      bool
}

func parseReference(s string) (r reference) {
	if hasScheme(s) {
		i := strings.IndexByte(s, ':')
		r.scheme, s = s[:i+1], s[i+1:]
	}
	if i := strings.IndexByte(s, '#'); i >= 0 {
		r.fragment, r.hasFragment, s = s[i+1:], true, s[:i]
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		r.query, r.hasQuery, s = s[i+1:], true, s[:i]
	}
	if strings.HasPrefix(s, "//") {
		s = s[2:]
		i := strings.IndexByte(s, '/')
		if i < 0 {
			i = len(s)
		}
		r.authority, r.hasAuthority, s = s[:i], true, s[i:]
	}
	r.path = s
	return r
}

// resolve resolves a reference against a base IRI (RFC 3986 section 5.2). With an empty base it returns the
// reference.
func resolve(base, ref string) string {
	if base == "" {
		return ref
	}

	b, r := parseReference(base), parseReference(ref)
	switch {
	case r.scheme != "":
		r.path = removeDots(r.path)
	case r.hasAuthority:
		r.path = removeDots(r.path)
		r.scheme = b.scheme
	default:
		switch {
		case r.path == "":
			r.path = b.path
			if !r.hasQuery {
				r.query, r.hasQuery = b.query, b.hasQuery
			}
		case r.path[0] == '/':
			r.path = removeDots(r.path)
		case b.hasAuthority && b.path == "": // section 5.2.3
			r.path = removeDots("/" + r.path)
		default:
			r.path = removeDots(b.path[:strings.LastIndexByte(b.path, '/')+1] + r.path)
		}

		r.scheme, r.authority, r.hasAuthority = b.scheme, b.authority, b.hasAuthority
	}

	var out strings.Builder
	out.WriteString(r.scheme)
	if r.hasAuthority {
		out.WriteString("//")
		out.WriteString(r.authority)
	}

	out.WriteString(r.path)
	if r.hasQuery {
		out.WriteByte('?')
		out.WriteString(r.query)
	}

	if r.hasFragment {
		out.WriteByte('#')
		out.WriteString(r.fragment)
	}

	return out.String()
}

// removeDots removes dot segments from a path (RFC 3986 section 5.2.4).
func removeDots(in string) string {
	if !strings.Contains(in, ".") {
		return in
	}

	out := make([]byte, 0, len(in))
	for in != "" {
		switch {
		case strings.HasPrefix(in, "../"): // 2A
			in = in[3:]
		case strings.HasPrefix(in, "./"):
			in = in[2:]
		case strings.HasPrefix(in, "/./"): // 2B
			in = in[2:]
		case in == "/.":
			in = "/"
		case strings.HasPrefix(in, "/../"), in == "/..": // 2C
			if in = in[3:]; in == "" {
				in = "/"
			}
			i := len(out) - 1
			for i > 0 && out[i] != '/' {
				i--
			}
			out = out[:max(i, 0)]
		case in == "." || in == "..": // 2D
			in = ""
		default: // 2E
			i := strings.IndexByte(in[1:], '/') + 1
			if i == 0 {
				i = len(in)
			}
			out = append(out, in[:i]...)
			in = in[i:]
		}
	}

	return string(out)
}
