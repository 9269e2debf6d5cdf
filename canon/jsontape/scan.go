//phase:parse primitive
package jsontape

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/lookup"
)

// Options bound a scan. Zero fields take the defaults of package canon.
type Options struct {
	Bytes  int   // document size
	Depth  int   // nesting of arrays and objects, at most MaxDepth
	Memory int64 // bytes that the nodes take during growth
}

// MaxDepth bounds every depth limit: recursive readers of a tape must not exhaust the stack, from which a
// program cannot recover.
const MaxDepth = 100_000

// frame is one open container.
type frame struct {
	node  uint32
	keys  uint32 // keys seen so far
	bloom uint64 // the HashBit of each key
}

// smallObject is the number of keys up to which each new key is compared with the others; larger objects
// are checked when they close.
const smallObject = 32

// Scan reads src, which must not change while the tape is in use. Malformed input gives a
// *canon.SyntaxError with its place, a document too large or too deep a *canon.LimitError; the tape is then
// empty. A reused tape allocates nothing.
func (t *Tape) Scan(src []byte, opt Options) error {
	t.Src, t.Nodes, t.stack, t.text = src, t.Nodes[:0], t.stack[:0], t.text[:0]
	if opt.Bytes <= 0 {
		opt.Bytes = canon.DefaultBytes
	}
	if opt.Depth <= 0 {
		opt.Depth = canon.DefaultDepth
	}
	if max := min(int64(opt.Bytes), math.MaxUint32-1); int64(len(src)) > max {
		return &canon.LimitError{Limit: "bytes", Max: max, Done: int64(len(src))}
	}
	if opt.Memory <= 0 {
		opt.Memory = canon.DefaultMemory
	}
	if cap(t.Nodes) == 0 {
		t.Nodes = make([]Node, 0, min(len(src)/16+8, 1<<16))
	}
	err := t.scan(src, min(opt.Depth, MaxDepth), int(opt.Memory/nodeSize/growth))
	if err != nil {
		t.Nodes = t.Nodes[:0]
	}
	return err
}

func (t *Tape) scan(src []byte, maxDepth, maxNodes int) error {
	if len(src) >= 3 && src[0] == 0xEF && src[1] == 0xBB && src[2] == 0xBF {
		return t.fail(0, "byte order mark; remove its 3 bytes")
	}

	nodes := t.Nodes
	var top frame // the innermost open container
	depth := 0
	object := false // top is an object
	i := 0
	for {
		if len(nodes) > maxNodes {
			return &canon.LimitError{Limit: "memory", Max: int64(maxNodes) * nodeSize * growth,
				Done: int64(len(nodes)) * nodeSize * growth, Where: t.place(i)}
		}
		if object {
			if i < len(src) && src[i] <= ' ' {
				i = skipSpace(src, i)
			}
			if i >= len(src) || src[i] != '"' {
				return t.unexpected(i, "a key in double quotes")
			}
			end, form := plainString(src, i+1), textForm(0)
			if end == 0 {
				var msg string
				if end, form, msg = scanString(src, i+1); msg != "" {
					return t.fail(end, msg)
				}
			}
			var hash uint16
			if form&withEscapes != 0 {
				t.text = AppendUnescaped(t.text[:0], src[i+1:end-1])
				hash = KeyHash(t.text)
			} else if end-i > 2 {
				hash = mix(end-i-2, src[i+1], src[end-3], src[end-2])
			}
			nodes = leaf(nodes, String, i, end)
			key := &nodes[len(nodes)-1]
			key.text, key.Hash = form, hash
			if bit := HashBit(hash); top.bloom&bit == 0 {
				top.bloom |= bit
			} else if top.keys < smallObject {
				t.Nodes = nodes
				if t.repeated(int(top.node)) {
					return t.duplicate(len(nodes) - 1)
				}
			}
			top.keys++
			i = end
			if i >= len(src) || src[i] != ':' {
				if i = skipSpace(src, i); i >= len(src) || src[i] != ':' {
					return t.unexpected(i, "':' after the key")
				}
			}
			i++
		}

		if i < len(src) && src[i] <= ' ' {
			i = skipSpace(src, i)
		}
		if i >= len(src) {
			return t.unexpected(i, "a value")
		}
		switch c := src[i]; c {
		case '"':
			end, form := plainString(src, i+1), textForm(0)
			if end == 0 {
				var msg string
				if end, form, msg = scanString(src, i+1); msg != "" {
					return t.fail(end, msg)
				}
			}
			nodes = leaf(nodes, String, i, end)
			nodes[len(nodes)-1].text = form
			i = end
			if object {
				nodes, i = top.strings(nodes, src, i, maxNodes)
			}
		case '{', '[':
			if depth == maxDepth {
				return &canon.LimitError{Limit: "depth", Max: int64(maxDepth), Done: int64(depth + 1),
					Where: t.place(i)}
			}
			if depth > 0 {
				t.stack = append(t.stack, top)
			}
			depth++
			top = frame{node: uint32(len(nodes))}
			object = c == '{'
			kind := Array
			if object {
				kind = Object
			}
			nodes = leaf(nodes, kind, i, i)
			i = skipSpace(src, i+1)
			if i >= len(src) || src[i] != c+2 {
				continue // with the first key or element
			}
			// Empty: the loop below closes it.
		case 't':
			if !has(src, i, "true") {
				return t.unexpected(i, "a value")
			}
			nodes = leaf(nodes, True, i, i+4)
			i += 4
		case 'f':
			if !has(src, i, "false") {
				return t.unexpected(i, "a value")
			}
			nodes = leaf(nodes, False, i, i+5)
			i += 5
		case 'n':
			if !has(src, i, "null") {
				return t.unexpected(i, "a value")
			}
			nodes = leaf(nodes, Null, i, i+4)
			i += 4
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end, msg := scanNumber(src, i)
			if msg != "" {
				return t.fail(end, msg)
			}
			nodes = leaf(nodes, Number, i, end)
			i = end
		default:
			return t.unexpected(i, "a value")
		}

		// A value has ended, or an empty container is about to.
		for {
			if i < len(src) && src[i] <= ' ' {
				i = skipSpace(src, i)
			}
			if depth == 0 {
				if i < len(src) {
					return t.unexpected(i, "the end of the document")
				}
				t.Nodes = nodes
				return nil
			}
			if i >= len(src) {
				return t.unexpected(i, "a closing bracket")
			}
			c := src[i]
			if c == ',' {
				i++
				break
			}
			if object && c != '}' || !object && c != ']' {
				if object {
					return t.unexpected(i, "',' or '}'")
				}
				return t.unexpected(i, "',' or ']'")
			}
			i++
			nodes[top.node].End = uint32(i)
			nodes[top.node].Next = uint32(len(nodes))
			nodes[top.node].Hash = fold(top.bloom)
			if top.keys > smallObject {
				t.Nodes = nodes
				if k := t.repeatedInLarge(int(top.node), int(top.keys)); k >= 0 {
					return t.duplicate(k)
				}
			}
			depth--
			if depth > 0 {
				top = t.stack[depth-1]
				t.stack = t.stack[:depth-1]
				object = nodes[top.node].Kind == Object
			}
		}
	}
}

// strings scans members of an open object whose values are strings, which are most of a document, from the
// end i of the member before them. It stops at the end of a member that another token than such a member
// follows, or one that needs a closer check.
func (f *frame) strings(nodes []Node, src []byte, i, maxNodes int) ([]Node, int) {
	nodes = slices.Grow(nodes, 2*smallObject)
	keys, bloom := f.keys, f.bloom
	for i+1 < len(src) && src[i] == ',' && keys < smallObject && len(nodes) <= maxNodes {
		key := i + 1
		if src[key] <= ' ' {
			key = skipSpace(src, key)
		}
		if key >= len(src) || src[key] != '"' {
			break
		}
		end := plain(src, key+1)
		value := end + 2
		if value >= len(src) || src[end] != '"' || src[end+1] != ':' || end == key+1 {
			break
		}
		if src[value] <= ' ' {
			value = skipSpace(src, value)
		}
		if value >= len(src) || src[value] != '"' {
			break
		}
		hash := mix(end-key-1, src[key+1], src[end-2], src[end-1])
		bit := HashBit(hash)
		if bloom&bit != 0 && f.has(nodes, hash) { // another key may be the same
			break
		}
		to, form := plainString(src, value+1), textForm(0)
		if to == 0 {
			var msg string
			if to, form, msg = scanString(src, value+1); msg != "" {
				break
			}
		}

		bloom |= bit
		keys++
		n := len(nodes)
		nodes = nodes[:n+2]
		pair := nodes[n : n+2 : n+2]
		pair[0].Start, pair[0].End, pair[0].Next = uint32(key), uint32(end+1), uint32(n+1)
		pair[0].Kind, pair[0].text, pair[0].Hash = String, 0, hash
		pair[1].Start, pair[1].End, pair[1].Next = uint32(value), uint32(to), uint32(n+2)
		pair[1].Kind, pair[1].text, pair[1].Hash = String, form, 0
		i = to
	}

	f.keys, f.bloom = keys, bloom
	return nodes, i
}

// plain returns the place of the first byte from i on that ends a string, needs an escape or is not ASCII. It
// stops before such a byte if less than eight bytes are left.
func plain(src []byte, i int) int {
	for ; i+8 <= len(src); i += 8 {
		if m := marks(binary.LittleEndian.Uint64(src[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return i
}

// has reports whether a key of an open object has the given hash.
func (f *frame) has(nodes []Node, hash uint16) bool {
	for k := int(f.node) + 1; k < len(nodes); k = After(nodes, k+1) {
		if nodes[k].Hash == hash {
			return true
		}
	}
	return false
}

// leaf appends a node without children. Filling it in place avoids a store-forwarding stall.
func leaf(nodes []Node, kind Kind, start, end int) []Node {
	nodes = append(nodes, Node{})
	n := &nodes[len(nodes)-1]
	n.Start, n.End, n.Next, n.Kind = uint32(start), uint32(end), uint32(len(nodes)), kind
	return nodes
}

// repeated reports whether the last node, a key of the open object i, repeats an earlier key.
func (t *Tape) repeated(i int) bool {
	last := len(t.Nodes) - 1
	h := t.Nodes[last].Hash
	for k := i + 1; k < last; k = After(t.Nodes, k+1) {
		if t.Nodes[k].Hash == h && t.sameText(k, last) {
			return true
		}
	}
	return false
}

// repeatedInLarge returns a key of object i that repeats an earlier one, or -1.
func (t *Tape) repeatedInLarge(i, keys int) int {
	t.set.Reset(keys)
	for k, end := i+1, int(t.Nodes[i].Next); k < end; k = int(t.Nodes[k+1].Next) {
		mark := len(t.text)
		hash := lookup.Hash(t.Text(k))
		t.text = t.text[:mark]
		n, place := t.set.Probe(hash, hash)
		for ; n != 0; n, place = t.set.Probe(hash, place+1) {
			if t.sameText(int(n-1), k) {
				return k
			}
		}
		t.set.Put(place, hash, uint32(k+1))
	}
	return -1
}

func skipSpace(src []byte, i int) int {
	for i < len(src) {
		switch src[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

func has(src []byte, i int, word string) bool {
	return len(src)-i >= len(word) && string(src[i:i+len(word)]) == word
}

// scanNumber returns the end of the number at i, or the place of a fault and a message (RFC 8259 section 6).
func scanNumber(src []byte, i int) (int, string) {
	if src[i] == '-' {
		i++
	}

	from := i
	i = skipDigits(src, i)
	if i == from {
		return i, "a digit is missing in a number"
	}
	if src[from] == '0' && i > from+1 {
		return from, "a number must not start with 0"
	}

	if i < len(src) && src[i] == '.' {
		from = i + 1
		if i = skipDigits(src, from); i == from {
			return i, "a digit is missing after the decimal point"
		}
	}

	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		from = i
		if i = skipDigits(src, i); i == from {
			return i, "a digit is missing in the exponent"
		}
	}

	return i, ""
}

func skipDigits(src []byte, i int) int {
	for i < len(src) && src[i]-'0' <= 9 {
		i++
	}
	return i
}

// Operands of marks. As constants each would take an instruction of ten bytes where it is used.
var (
	ones    uint64 = 0x0101010101010101
	highs          = 0x80 * ones
	swap           = 2 * ones
	below          = 0x21 * ones
	slashes        = '\\' * ones
)

// marks sets the high bit of the lowest byte of x that is a quote, a backslash, a control character, U+007F
// or not ASCII. The bits above it have no meaning. It is 0 if there is no such byte.
func marks(x uint64) uint64 {
	// x^2 swaps ' ' and '"' among others, so that one comparison with 0x21 finds the quote and all below
	// the space. The first two terms mark all that is not ASCII.
	return (((x ^ swap) - below) | ((x ^ slashes) - ones) | (x + ones)) & highs
}

// plainString is scanString for a string without escapes or characters outside ASCII. It returns 0 for other
// strings.
func plainString(src []byte, i int) int {
	i = plain(src, i)
	if i < len(src) && src[i] == '"' {
		return i + 1
	}
	return 0
}

// scanString takes the index after an opening quote and returns the index after the closing one and the
// form of the text between them, or the place of a fault and a message.
func scanString(src []byte, i int) (end int, form textForm, msg string) {
	for {
		i = plain(src, i)
		if i >= len(src) {
			return i, 0, "the string has no closing quote"
		}

		switch c := src[i]; {
		case c == '"':
			return i + 1, form, ""
		case c == '\\':
			form |= withEscapes
			var bad string
			if i, bad = scanEscape(src, i); bad != "" {
				return i, 0, bad
			}
		case c < ' ':
			return i, 0, fmt.Sprintf("control character U+%04X in a string; escape it", c)
		case c == 0x7F:
			form |= withRare
			i++
		case c < utf8.RuneSelf: // one of the last bytes of src
			i++
		default:
			for i < len(src) && src[i] >= utf8.RuneSelf {
				if src[i] == 0xEF {
					form |= withRare
				}
				_, size := utf8.DecodeRune(src[i:])
				if size == 1 {
					return i, 0, "invalid UTF-8"
				}
				i += size
			}
		}
	}
}

// scanEscape returns the index after the escape at i, or the place of a fault and a message.
func scanEscape(src []byte, i int) (int, string) {
	if i+1 >= len(src) {
		return i, "the string has no closing quote"
	}
	switch src[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, ""
	case 'u':
	default:
		return i, "unknown escape in a string"
	}
	u := hex4(src, i+2)
	switch {
	case u < 0:
		return i, `\u needs four hexadecimal digits`
	case u < 0xD800 || u > 0xDFFF:
		return i + 6, ""
	case u < 0xDC00 && i+7 < len(src) && src[i+6] == '\\' && src[i+7] == 'u':
		if low := hex4(src, i+8); low >= 0xDC00 && low <= 0xDFFF {
			return i + 12, ""
		}
	}
	return i, "lone surrogate: not Unicode text"
}

// hex4 returns the value of four hexadecimal digits, or -1.
func hex4(src []byte, i int) int {
	if i+4 > len(src) {
		return -1
	}
	v := 0
	for _, c := range src[i : i+4] {
		switch {
		case c-'0' <= 9:
			v = v<<4 | int(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | int(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return v
}

// AppendUnescaped appends the text of the inside of a JSON string that a scan has accepted.
func AppendUnescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			from := i
			for i < len(s) && s[i] != '\\' {
				i++
			}
			dst = append(dst, s[from:i]...)
			continue
		}

		c := s[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := rune(hex4(s, i))
			i += 4
			if r >= 0xD800 && r <= 0xDFFF {
				r = (r-0xD800)<<10 + rune(hex4(s, i+2)) - 0xDC00 + 0x10000
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}

		dst = append(dst, c)
	}

	return dst
}

// Position returns line and column, both from 1, of a byte offset in src; columns count bytes.
func Position(src []byte, offset int) (line, column int) {
	line, start := 1, 0
	for i, c := range src[:offset] {
		if c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			line++
			start = i + 1
		}
	}
	return line, offset - start + 1
}

func (t *Tape) place(offset int) string {
	line, column := Position(t.Src, offset)
	return fmt.Sprintf("line %d column %d", line, column)
}

func (t *Tape) fail(offset int, msg string) error {
	line, column := Position(t.Src, offset)
	return &canon.SyntaxError{Format: "JSON", Offset: offset, Line: line, Column: column, Msg: msg}
}

func (t *Tape) duplicate(key int) error {
	n := t.Nodes[key]
	return t.fail(int(n.Start), fmt.Sprintf("duplicate key %s", clip(t.Src[n.Start:n.End])))
}

// unexpected returns the error that offset holds something other than what.
func (t *Tape) unexpected(offset int, what string) error {
	if offset >= len(t.Src) {
		return t.fail(len(t.Src), "expected "+what+", found the end of the input")
	}
	r, size := utf8.DecodeRune(t.Src[offset:])
	if r == utf8.RuneError && size == 1 {
		return t.fail(offset, fmt.Sprintf("expected %s, found the byte 0x%02X", what, t.Src[offset]))
	}
	if r == '}' || r == ']' {
		before := bytes.TrimRight(t.Src[:offset], " \t\r\n")
		if comma := len(before) - 1; comma >= 0 && before[comma] == ',' {
			return t.fail(comma, "trailing comma; JSON does not allow it before  "+string(r))
		}
	}
	return t.fail(offset, fmt.Sprintf("expected %s, found %q", what, r))
}

// clip shortens a piece of the document for a message.
func clip(b []byte) string {
	if len(b) > 60 {
		b = append(append([]byte(nil), b[:57]...), "..."...)
	}
	return string(b)
}
