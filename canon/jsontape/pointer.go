//phase:parse primitive
package jsontape

import (
	"fmt"
	"iter"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/lookup"
)

// At returns the node index of the value at a JSON pointer (RFC 6901), or None if there is none. For many
// pointers see [Tape.Index].
func (t *Tape) At(pointer string) int {
	x := Index{tape: t}
	return x.At(pointer)
}

// Mismatch returns the *[canon.PointerError] for a JSON pointer that does not lead to a value.
func (t *Tape) Mismatch(pointer string) error {
	return &canon.PointerError{Pointer: pointer, Why: t.mismatch(pointer)}
}

func (t *Tape) mismatch(pointer string) string {
	x := Index{tape: t}
	node, rest := x.Follow(pointer, func(int) {})
	switch {
	case !strings.HasPrefix(pointer, "/"):
		return "it does not start with /, as /credentialSubject/id does"
	case !IsPointer(pointer):
		return "it has an escape other than ~0 and ~1"
	case rest == "":
		return "it names nothing that can be chosen"
	}
	token, _, _ := strings.Cut(rest[1:], "/")
	return t.without(node, token)
}

// maxNames bounds the member names that are compared with a missing name.
const maxNames = 1000

// without returns the message that a node lacks a part, with the nearest name that it has.
func (t *Tape) without(node int, token string) string {
	at := t.Pointer(node)
	if at == "" {
		at = "it"
	}
	switch t.Nodes[node].Kind {
	case Object:
		name, near := UnescapeToken(token), ""
		if nearest := choice.Nearest(name, t.names(node)); nearest != "" {
			near = fmt.Sprintf("; did you mean %q?", nearest)
		}
		return fmt.Sprintf("%s has no member %q%s", at, name, near)
	case Array:
		return fmt.Sprintf("%s has %d elements, counted from 0, and no %q", at, t.Len(node), token)
	}
	return at + " is neither an object nor an array"
}

// names yields the names of the members of an object, the first maxNames if there are more.
func (t *Tape) names(object int) iter.Seq[string] {
	return func(yield func(string) bool) {
		n := 0
		for k := range t.Members(object) {
			if n++; n > maxNames || !yield(string(t.Text(k))) {
				return
			}
		}
	}
}

// Index looks up parts of a tape. For many look-ups it reads a long container once, not for each of them.
// Pointers in the order of the document are found from one to the next. It is valid until the next Scan.
//
//phase:parse primitive
type Index struct {
	tape *Tape
	keys map[int]*lookup.Table // of a long object: node index + 1
	long map[int][]uint32      // elements of a long array

	parent string // of the last pointer that was found, up to its last slash
	object int    // the node of parent
	next   int    // the key behind the one of that pointer
}

const (
	fewLookups = 64 // fewer than these are not worth an index
	fewNodes   = 32 // a container with at most so many nodes is not long
)

// Index returns an index for a number of look-ups, which takes no memory for few.
func (t *Tape) Index(lookups int) Index {
	if lookups <= fewLookups {
		return Index{tape: t}
	}
	return Index{tape: t, keys: map[int]*lookup.Table{}, long: map[int][]uint32{}}
}

// IndexSize returns the memory in bytes that an index for a number of look-ups may take: up to four places
// of 12 bytes for a member, which is two nodes.
func (t *Tape) IndexSize(lookups int) int {
	if lookups <= fewLookups {
		return 0
	}
	return t.Size() * 3 / 2
}

// At is [Tape.At].
func (x *Index) At(pointer string) int {
	slash := strings.LastIndexByte(pointer, '/')
	if slash >= 0 && x.next > 0 && pointer[:slash] == x.parent && x.next < int(x.tape.Nodes[x.object].Next) &&
		x.tape.TextIs(x.next, UnescapeToken(pointer[slash+1:])) {
		return x.found(x.next + 1)
	}

	x.next = 0
	inner := 0
	node, rest := x.Follow(pointer, func(container int) { inner = container })
	if rest != "" {
		return None
	}
	if node > 0 && x.tape.Nodes[inner].Kind == Object {
		x.parent, x.object = pointer[:slash], inner
		return x.found(node)
	}
	return node
}

// found returns the node of a value in the object, and remembers the key behind it.
func (x *Index) found(value int) int {
	x.next = int(x.tape.Nodes[value].Next)
	return value
}

// Follow follows a pointer as far as it leads, and calls through for every container on the way. It returns
// the last node and the rest of the pointer, which is not empty if that node lacks the next part.
func (x *Index) Follow(pointer string, through func(container int)) (node int, rest string) {
	for rest = pointer; rest != ""; {
		if rest[0] != '/' {
			return node, rest
		}
		token, after := rest[1:], ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, after = token[:i], token[i:]
		}
		next := None
		switch x.tape.Nodes[node].Kind {
		case Object:
			next = x.Get(node, UnescapeToken(token))
		case Array:
			next = x.Element(node, token)
		}
		if next == None {
			return node, rest
		}
		through(node)
		node, rest = next, after
	}
	return node, ""
}

// isLong reports whether a container is long enough for an entry.
func (x *Index) isLong(i int) bool {
	return x.long != nil && int(x.tape.Nodes[i].Next)-i > fewNodes
}

// Get is [Tape.Get].
func (x *Index) Get(object int, key string) int {
	t := x.tape
	if !x.isLong(object) || t.Nodes[object].Kind != Object {
		return t.Get(object, key)
	}
	keys := x.keys[object]
	if keys == nil {
		keys = new(lookup.Table)
		keys.Reset(t.Len(object))
		for k := range t.Members(object) {
			mark := len(t.text)
			hash := lookup.Hash(t.Text(k))
			t.text = t.text[:mark]
			n, place := keys.Probe(hash, hash)
			for n != 0 {
				n, place = keys.Probe(hash, place+1)
			}
			keys.Put(place, hash, uint32(k+1))
		}
		x.keys[object] = keys
	}

	hash := lookup.HashString(key)
	for n, place := keys.Probe(hash, hash); n != 0; n, place = keys.Probe(hash, place+1) {
		if t.TextIs(int(n-1), key) {
			return int(n)
		}
	}
	return None
}

// Element returns the node index of the element of an array with the index that a token gives, or None (RFC
// 6901 section 4: digits without leading zeros).
func (x *Index) Element(array int, token string) int {
	index := elementIndex(token)
	if index < 0 || index >= len(x.tape.Nodes) {
		return None
	}
	if !x.isLong(array) {
		for e := range x.tape.Elements(array) {
			if index == 0 {
				return e
			}
			index--
		}
		return None
	}
	elements, ok := x.long[array]
	if !ok {
		elements = make([]uint32, 0, x.tape.Len(array))
		for e := range x.tape.Elements(array) {
			elements = append(elements, uint32(e))
		}
		x.long[array] = elements
	}
	if index >= len(elements) {
		return None
	}
	return int(elements[index])
}

// elementIndex returns the array index that a token spells, or -1.
func elementIndex(token string) int {
	if token == "" || len(token) > 10 || len(token) > 1 && token[0] == '0' {
		return -1
	}
	n := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// Part returns the part of a decoded JSON value, a map or a list, that a reference token of a JSON pointer
// names.
//
//phase:caller
func Part(v any, token string) (part any, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		part, ok = v[UnescapeToken(token)]
	case []any:
		if i := elementIndex(token); i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return part, ok
}

// IsPointer reports whether a text is a JSON pointer: empty, or starting with a slash and without escapes
// other than ~0 and ~1.
func IsPointer(text string) bool {
	if text != "" && text[0] != '/' {
		return false
	}
	for {
		_, escaped, found := strings.Cut(text, "~")
		if !found {
			return true
		}
		if escaped == "" || escaped[0] != '0' && escaped[0] != '1' {
			return false
		}
		text = escaped[1:]
	}
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// EscapeToken is [AppendToken] for strings.
func EscapeToken(text string) string { return string(AppendToken(nil, []byte(text))) }

// UnescapeToken returns the text of a reference token of a JSON pointer (RFC 6901 section 4), the reverse
// of [EscapeToken].
func UnescapeToken(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return unescaper.Replace(token)
}
