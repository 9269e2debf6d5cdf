package jsontape

import (
	"strconv"
	"strings"
)

// At returns the node index of the value at a JSON pointer (RFC 6901), or -1 where it leads to nothing.
func (t *Tape) At(pointer string) int {
	n := 0
	for pointer != "" {
		if pointer[0] != '/' {
			return -1
		}
		token := pointer[1:]
		pointer = ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, pointer = token[:i], token[i:]
		}
		switch t.Nodes[n].Kind {
		case Object:
			n = t.Get(n, UnescapeToken(token))
		case Array:
			n = t.element(n, token)
		default:
			return -1
		}
		if n < 0 {
			return -1
		}
	}
	return n
}

// element returns the node index of the element of an array that a token names by its index, or -1.
func (t *Tape) element(array int, token string) int {
	index, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(index) != token {
		return -1
	}
	for e := range t.Elements(array) {
		if index == 0 {
			return e
		}
		index--
	}
	return -1
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// EscapeToken is [AppendToken] for strings.
func EscapeToken(text string) string { return string(AppendToken(nil, []byte(text))) }

// UnescapeToken returns the text of a reference token of a JSON pointer (RFC 6901 section 4), the reverse of [EscapeToken].
func UnescapeToken(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return unescaper.Replace(token)
}
