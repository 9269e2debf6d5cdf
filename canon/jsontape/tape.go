// Package jsontape scans JSON bytes into a flat tape of spans. It is the one scanner that every parser of
// the project shares: RFC 8259 grammar, valid UTF-8, no lone surrogates, no duplicate keys (also through
// escapes), bounded depth and size. Nothing is copied: a node refers to the source.
//
// Start with [Tape.Scan], walk with [Tape.Elements] and [Tape.Members] or with the Next indexes, read
// strings with [Tape.Text], compare values with [Tape.Equal], and change a document without marshalling it
// again with [Tape.AppendWithout] and [Tape.AppendMember].
//
//phase:parse primitive
package jsontape

import (
	"bytes"
	"iter"

	"canonscope/canon/lookup"
)

// Kind of a JSON value.
type Kind uint8

const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "false", "true", "number", "string", "array", "object"}

func (k Kind) String() string { return kindNames[k] }

// Node is one JSON value, or one object key (a String node before its value).
type Node struct {
	Start, End uint32 // span in Tape.Src; strings with their quotes, containers with their brackets
	Next       uint32 // index of the node after this value and its parts: the next sibling, or the end
	Kind       Kind
	text       textForm // of a string
	Hash       uint16   // of a key: KeyHash of its text; of an object: see MayHave; 0 in other nodes
}

// textForm holds flags for the contents of a string.
type textForm uint8

const (
	withEscapes textForm = 1 << iota // a backslash
	withRare                         // U+007F, or a character from U+F000 to U+FFFF
)

// Escaped reports whether a string has a backslash: its text differs from its bytes.
func (n *Node) Escaped() bool { return n.text&withEscapes != 0 }

// Common reports whether the text of a string is its bytes and has neither U+007F nor a character from
// U+F000 to U+FFFF. These include all other characters that canonical N-Quads escapes.
func (n *Node) Common() bool { return n.text == 0 }

// HashBit returns the bit of a key's hash in the sets of MayHave.
func HashBit(hash uint16) uint64 { return 1 << (hash & 63) }

// MayHave reports whether an object may have a key whose HashBit is in a set. It is never false for an
// object that has one.
func (n *Node) MayHave(set uint64) bool { return n.Hash&fold(set) != 0 }

// fold folds a set of bits of hashes into the size of a hash.
func fold(set uint64) uint16 {
	set |= set >> 32
	return uint16(set | set>>16)
}

// Tape is a scanned document: Nodes[0] is the root; an array's elements and an object's key, value, key,
// value ... follow their container. Reuse a Tape to reuse its memory. It serves one goroutine at a time.
//
//phase:parse primitive
type Tape struct {
	Src   []byte
	Nodes []Node

	stack []frame
	text  []byte       // unescaped strings
	set   lookup.Table // of the keys of one large object: node index + 1
}

const (
	nodeSize = 16
	growth   = 4 // factor for a growing slice of nodes, with the arrays that it has outgrown
)

// Size returns the memory of the nodes in bytes.
func (t *Tape) Size() int { return len(t.Nodes) * nodeSize }

// TreeSize returns about how much memory encoding/json takes to make maps, slices and strings of the
// document, which has no limits. A map has room for at least eight members; growing slices and maps leave
// old memory to the garbage collector.
func (t *Tape) TreeSize() int {
	const value, members = 192, 256
	size := len(t.Src) + value*len(t.Nodes)
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Kind == Object && int(n.Next) > i+1 {
			size += members
		}
	}
	return size
}

// After returns the index of the node after value i and its parts, which is its Next. Most values have no
// parts: a loop over the keys of an object then runs ahead of the reads of Next.
func After(nodes []Node, i int) int {
	if nodes[i].Kind < Array {
		return i + 1
	}
	return int(nodes[i].Next)
}

// Raw returns the source bytes of value i.
func (t *Tape) Raw(i int) []byte {
	n := &t.Nodes[i]
	return t.Src[n.Start:n.End]
}

// Text returns the text of string i, without quotes and escapes. Strings without escapes are slices of Src;
// others are in memory of the tape and valid until the next Scan.
func (t *Tape) Text(i int) []byte {
	n := &t.Nodes[i]
	if !n.Escaped() {
		return t.Src[n.Start+1 : n.End-1]
	}
	from := len(t.text)
	t.text = AppendUnescaped(t.text, t.Src[n.Start+1:n.End-1])
	return t.text[from:len(t.text):len(t.text)]
}

// AppendString appends the text of string i, without quotes and escapes, to dst.
//
//phase:encode primitive
func (t *Tape) AppendString(dst []byte, i int) []byte {
	n := &t.Nodes[i]
	if !n.Escaped() {
		return append(dst, t.Src[n.Start+1:n.End-1]...)
	}
	return AppendUnescaped(dst, t.Src[n.Start+1:n.End-1])
}

// TextIs reports whether string i has the given text.
func (t *Tape) TextIs(i int, text string) bool {
	n := &t.Nodes[i]
	if !n.Escaped() {
		return string(t.Src[n.Start+1:n.End-1]) == text
	}
	if size := int(n.End - n.Start - 2); size <= len(text) || size > len(`\u0000`)*len(text) {
		return false // an escape is longer than its character, at most six times
	}
	var buf [64]byte
	return string(AppendUnescaped(buf[:0], t.Src[n.Start+1:n.End-1])) == text
}

// Elements yields the node index of each element of array i.
func (t *Tape) Elements(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c, end := i+1, int(t.Nodes[i].Next); c < end; c = int(t.Nodes[c].Next) {
			if !yield(c) {
				return
			}
		}
	}
}

// Members yields the node indexes of key and value of each member of object i, in document order.
func (t *Tape) Members(i int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for k, end := i+1, int(t.Nodes[i].Next); k < end; k = int(t.Nodes[k+1].Next) {
			if !yield(k, k+1) {
				return
			}
		}
	}
}

// Len returns the number of elements of an array or members of an object.
func (t *Tape) Len(i int) int {
	count := 0
	for c, end := i+1, int(t.Nodes[i].Next); c < end; c = int(t.Nodes[c].Next) {
		count++
	}
	if t.Nodes[i].Kind == Object {
		count /= 2
	}
	return count
}

// None is the node index of what does not exist.
const None = -1

// Key returns the node index of the key with the given text in object i; its value is the node after it. It
// returns None if i is not an object or lacks the key.
func (t *Tape) Key(i int, key string) int {
	if t.Nodes[i].Kind != Object {
		return None
	}
	h := KeyHash(key)
	if !t.Nodes[i].MayHave(HashBit(h)) {
		return None
	}
	for k, end := i+1, int(t.Nodes[i].Next); k < end; k = After(t.Nodes, k+1) {
		if t.Nodes[k].Hash == h && t.TextIs(k, key) {
			return k
		}
	}
	return None
}

// Get returns the node index of the value of the given key in object i, or None.
func (t *Tape) Get(i int, key string) int {
	if k := t.Key(i, key); k != None {
		return k + 1
	}
	return None
}

// GetText returns the string at the given key in object i, "" if there is none.
func (t *Tape) GetText(i int, key string) string {
	if n := t.Get(i, key); n >= 0 && t.Nodes[n].Kind == String {
		return string(t.Text(n))
	}
	return ""
}

// KeyHash is the hash that Node.Hash holds for a key with this text. It mixes the length with the first
// byte and the last two: enough to distinguish most keys of one object before their bytes are compared.
func KeyHash[T string | []byte](text T) uint16 {
	n := len(text)
	if n == 0 {
		return 0
	}
	last2 := byte('"')
	if n > 1 {
		last2 = text[n-2]
	}
	return mix(n, text[0], last2, text[n-1])
}

func mix(n int, first, last2, last byte) uint16 {
	h := uint32(n)<<24 ^ uint32(first)<<16 ^ uint32(last2)<<8 ^ uint32(last)
	return uint16(h * 0x9E3779B1 >> 16)
}

// sameText reports whether two strings have the same text.
func (t *Tape) sameText(a, b int) bool {
	x, y := &t.Nodes[a], &t.Nodes[b]
	if !x.Escaped() && !y.Escaped() {
		return bytes.Equal(t.Src[x.Start+1:x.End-1], t.Src[y.Start+1:y.End-1])
	}
	mark := len(t.text)
	same := bytes.Equal(t.Text(a), t.Text(b))
	t.text = t.text[:mark]
	return same
}
