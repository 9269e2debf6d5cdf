//phase:parse primitive
package jsontape

import (
	"hash/maphash"
	"math/bits"
	"strings"
)

// At returns the node index of the value at a JSON pointer (RFC 6901), or -1 where it leads to nothing. For many pointers
// see [Tape.Index].
func (t *Tape) At(pointer string) int {
	x := Index{tape: t}
	return x.At(pointer)
}

// Index looks up parts of a tape. Where there are many to look up it goes through a long container once, not for each of
// them. It serves until the next Scan.
//
//phase:parse primitive
type Index struct {
	tape *Tape
	long map[int][]uint32 // of an array: its elements; of an object: hash set of its keys, node index + 1; nil looks up directly
}

const (
	fewLookups = 64 // fewer than these are not worth an index
	fewNodes   = 32 // a container of no more is not long
)

// Index returns an index for so many lookups. It takes at most half as much memory as the nodes, and none for few lookups.
func (t *Tape) Index(lookups int) Index {
	if lookups <= fewLookups {
		return Index{tape: t}
	}
	return Index{t, map[int][]uint32{}}
}

// IndexSize returns the memory in bytes that an index for so many lookups may take.
func (t *Tape) IndexSize(lookups int) int {
	if lookups <= fewLookups {
		return 0
	}
	return t.Size() / 2
}

// At is [Tape.At].
func (x *Index) At(pointer string) int {
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
		switch x.tape.Nodes[n].Kind {
		case Object:
			n = x.Get(n, UnescapeToken(token))
		case Array:
			n = x.Element(n, token)
		default:
			return -1
		}
		if n < 0 {
			return -1
		}
	}
	return n
}

// isLong reports whether a container is worth an entry.
func (x *Index) isLong(i int) bool {
	return x.long != nil && int(x.tape.Nodes[i].Next)-i > fewNodes
}

// Get is [Tape.Get].
func (x *Index) Get(object int, key string) int {
	t := x.tape
	if !x.isLong(object) || t.Nodes[object].Kind != Object {
		return t.Get(object, key)
	}
	set, ok := x.long[object]
	if !ok {
		set = make([]uint32, 1<<bits.Len(uint(t.Len(object))*2))
		for k := range t.Members(object) {
			mark := len(t.text)
			slot := maphash.Bytes(seed, t.Text(k)) & uint64(len(set)-1)
			t.text = t.text[:mark]
			for set[slot] != 0 {
				slot = (slot + 1) & uint64(len(set)-1)
			}
			set[slot] = uint32(k + 1)
		}
		x.long[object] = set
	}
	h := KeyHash(key)
	for slot := maphash.String(seed, key) & uint64(len(set)-1); set[slot] != 0; slot = (slot + 1) & uint64(len(set)-1) {
		if k := int(set[slot] - 1); t.Nodes[k].Hash == h && t.TextIs(k, key) {
			return k + 1
		}
	}
	return -1
}

// Element returns the node index of the element of an array that a token names by its index, or -1 (RFC 6901 section 4:
// digits without leading zeros).
func (x *Index) Element(array int, token string) int {
	index := elementIndex(token)
	if index < 0 || index >= len(x.tape.Nodes) {
		return -1
	}
	if !x.isLong(array) {
		for e := range x.tape.Elements(array) {
			if index == 0 {
				return e
			}
			index--
		}
		return -1
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
		return -1
	}
	return int(elements[index])
}

// elementIndex returns the index that a token is, or -1.
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
