package matrix_test

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"testing"
	"unicode/utf8"

	"canonscope/canon/jsontape"
	"canonscope/vcdm/keys"
)

// fixedScan is the scan of floors: what it took to read JSON into a tape when the floors were set. It stays as
// it is, so that a faster scanner of the engine does not make the floor faster as well. Of the checks it does
// all, and tells no faults apart.
type fixedScan struct {
	nodes []fixedNode
	stack []fixedFrame
}

type fixedNode struct {
	start, end, next uint32
	kind, form       uint8
	hash             uint16
}

type fixedFrame struct {
	node, keys uint32
	bloom      uint64
	object     bool
}

var errFixed = errors.New("the document is not what a floor is made of")

const (
	fixed01 = 0x0101010101010101
	fixed80 = 0x8080808080808080
)

func fixedMarks(x uint64) uint64 {
	return (((x ^ 2*fixed01) - 0x21*fixed01) | ((x ^ '\\'*fixed01) - fixed01) | (x + fixed01) | x) & fixed80
}

// text returns the end of the string whose text begins at i, and whether its text is as it stands.
func (s *fixedScan) text(src []byte, i int) (end int, form uint8) {
	for i < len(src) {
		for ; i+8 <= len(src); i += 8 {
			if m := fixedMarks(binary.LittleEndian.Uint64(src[i : i+8 : i+8])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
		}
		if i >= len(src) {
			break
		}
		switch c := src[i]; {
		case c == '"':
			return i + 1, form
		case c == '\\':
			form = 1
			if i += 2; src[i-1] == 'u' {
				i += 4
			}
		case c < ' ':
			return -1, 0
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && size == 1 {
				return -1, 0
			}
			i += size
		}
	}
	return -1, 0
}

func (s *fixedScan) leaf(kind uint8, start, end int) *fixedNode {
	s.nodes = append(s.nodes, fixedNode{})
	n := &s.nodes[len(s.nodes)-1]
	n.start, n.end, n.next, n.kind = uint32(start), uint32(end), uint32(len(s.nodes)), kind
	return n
}

func fixedSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// key adds the key at i, and looks for another one that is the same.
func (s *fixedScan) key(top *fixedFrame, src []byte, i int) int {
	if i >= len(src) || src[i] != '"' {
		return -1
	}
	end, form := s.text(src, i+1)
	if end < 0 {
		return -1
	}
	hash := jsontape.KeyHash(src[i+1 : end-1])
	n := s.leaf(4, i, end)
	n.form, n.hash = form, hash
	if bit := uint64(1) << (hash & 63); top.bloom&bit == 0 {
		top.bloom |= bit
	} else {
		for k := top.node + 1; int(k) < len(s.nodes)-1; k = s.nodes[k+1].next {
			if o := &s.nodes[k]; o.hash == hash && string(src[o.start:o.end]) == string(src[i:end]) {
				return -1
			}
		}
	}
	top.keys++
	if end >= len(src) || src[end] != ':' {
		if end = fixedSpace(src, end); end >= len(src) || src[end] != ':' {
			return -1
		}
	}
	return end + 1
}

// run scans a document.
func (s *fixedScan) run(src []byte) error {
	s.nodes, s.stack = s.nodes[:0], s.stack[:0]
	var top fixedFrame
	i := fixedSpace(src, 0)
	for i < len(src) {
		if top.object {
			if i = s.key(&top, src, fixedSpace(src, i)); i < 0 {
				return errFixed
			}
			i = fixedSpace(src, i)
		}
		if i >= len(src) {
			return errFixed
		}
		switch c := src[i]; {
		case c == '"':
			end, form := s.text(src, i+1)
			if end < 0 {
				return errFixed
			}
			s.leaf(4, i, end).form = form
			i = end
		case c == '{' || c == '[':
			s.stack = append(s.stack, top)
			top = fixedFrame{node: uint32(len(s.nodes)), object: c == '{'}
			s.leaf(c&7, i, i)
			if i = fixedSpace(src, i+1); i < len(src) && src[i] != c+2 {
				continue
			}
		default: // a word or a number
			from := i
			for i < len(src) && src[i] > ' ' && src[i] != ',' && src[i] != ']' && src[i] != '}' {
				i++
			}
			if i == from {
				return errFixed
			}
			s.leaf(3, from, i)
		}
		for {
			if i < len(src) && src[i] <= ' ' {
				i = fixedSpace(src, i)
			}
			if len(s.stack) == 0 || i >= len(src) {
				if len(s.stack) == 0 && i == len(src) {
					return nil
				}
				return errFixed
			}
			c := src[i]
			i++
			if c == ',' {
				i = fixedSpace(src, i)
				break
			}
			if top.object && c != '}' || !top.object && c != ']' {
				return errFixed
			}
			n := &s.nodes[top.node]
			n.end, n.next = uint32(i), uint32(len(s.nodes))
			top = s.stack[len(s.stack)-1]
			s.stack = s.stack[:len(s.stack)-1]
		}
	}
	return errFixed
}

// fixedCBOR walks the items of CBOR with definite lengths, and writes them again where out is not nil, which
// is what a floor counts of reading and writing an mdoc.
type fixedCBOR struct {
	out    []byte
	writes bool
}

// item returns the end of the item at i, or -1.
func (f *fixedCBOR) item(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	major, n, from := b[i]>>5, uint64(b[i]&31), i
	i++
	if n >= 24 {
		size := 1 << (n - 24)
		if n > 27 || i+size > len(b) {
			return -1
		}
		n = 0
		for range size {
			n = n<<8 | uint64(b[i])
			i++
		}
	}
	content := i
	if major == 2 || major == 3 {
		if n > uint64(len(b)-i) {
			return -1
		}
		content = i + int(n)
		if major == 3 && !utf8.Valid(b[i:content]) {
			return -1
		}
	}
	if f.writes {
		f.out = append(f.out, b[from:content]...)
	}
	i = content
	switch major {
	case 4, 5:
		for range n << (major - 4) {
			if i = f.item(b, i); i < 0 {
				return -1
			}
		}
	case 6:
		return f.item(b, i)
	}
	return i
}

// The fixed scan of floors finds the values that the scanner of the engine finds.
func TestFixedScan(t *testing.T) {
	for _, name := range []string{"simple-20", "ob3", "elm-large", "clr-large"} {
		doc := document(t, name)
		var want jsontape.Tape
		if err := want.Scan(doc, jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		var got fixedScan
		if err := got.run(doc); err != nil || len(got.nodes) != len(want.Nodes) {
			t.Fatalf("%s: %d nodes of %d, %v", name, len(got.nodes), len(want.Nodes), err)
		}
		for i, n := range got.nodes {
			if w := &want.Nodes[i]; n.start != w.Start || n.end != w.End || n.next != w.Next {
				t.Fatalf("%s: node %d is %+v, not %+v", name, i, n, *w)
			}
		}
		if (&fixedScan{}).run(doc[:len(doc)-1]) == nil {
			t.Errorf("%s: the fixed scan takes a part of the document for the whole", name)
		}
	}
	if key, err := keys.Generate(keys.EdDSA); err != nil || (&fixedCBOR{}).item(key.Public().COSE(), 0) !=
		len(key.Public().COSE()) {
		t.Error("the fixed reader of CBOR does not come to the end of a key", err)
	}
}
