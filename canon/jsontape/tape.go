// Package jsontape scans JSON bytes into a flat tape of spans. It is the one scanner that every parser of the project
// shares: RFC 8259 grammar, valid UTF-8, no lone surrogates, no duplicate keys (also through escapes), bounded depth and
// size. Nothing is copied: a node refers to the source.
package jsontape

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

// Node is one JSON value, or one object key (a String node before its value).
type Node struct {
	Start, End uint32 // span in Tape.Src; strings with their quotes, containers with their brackets
	Next       uint32 // index of the node after this value and all that is in it: the next sibling, or the end of the parent
	Kind       Kind
	Escaped    bool // a string with a backslash: its text differs from its bytes
}

// Tape is a scanned document: Nodes[0] is the root; an array's elements and an object's key, value, key, value ...
// follow their container. Reuse a Tape to reuse its memory.
type Tape struct {
	Src   []byte
	Nodes []Node
}
