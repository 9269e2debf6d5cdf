//phase:caller
package mdoc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/lookup"
)

// CBOR major types (RFC 8949 section 3.1).
const (
	majorUint = iota
	majorNint
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple
)

// Errors of a scan are *canon.SyntaxError with Format "CBOR" and the byte offset as Column.
func cborError(offset int, format string, args ...any) error {
	return &canon.SyntaxError{Format: "CBOR", Offset: offset, Line: 1, Column: offset + 1,
		Msg: fmt.Sprintf(format, args...)}
}

// scanCBOR checks that b is exactly one data item that both engines read alike: well-formed (RFC 8949
// section 5.1), definite lengths, integers in their shortest form, valid UTF-8, map keys that are integers
// or strings and do not repeat, and limited size and depth. Heads of lengths may be longer than necessary:
// mdocs in use have such heads.
func scanCBOR(b []byte, limits canon.Limits) error {
	return new(scanner).all(b, limits)
}

// all is scanCBOR with the scanner's memory.
//
//phase:parse
func (s *scanner) all(b []byte, limits canon.Limits) error {
	limits = limits.WithDefaults()
	if max := min(limits.Bytes, math.MaxUint32); len(b) > max {
		return &canon.LimitError{Limit: "bytes", Max: int64(max), Done: int64(len(b)), Where: "CBOR"}
	}
	s.start(b, &limits)
	end, err := s.item(0, 0)
	if err != nil {
		return err
	}
	if end != len(b) {
		return cborError(end, "%d bytes after the data item", len(b)-end)
	}
	return nil
}

type scanner struct {
	src    []byte
	depth  int
	items  int          // number of items read, including map keys
	bignum int          // bytes of the longest bignum
	keys   []uint32     // offsets of the keys of the open maps
	set    lookup.Table // of the keys of one large map: index in keys + 1
	memory int64        // limit for keys and set
}

// keySize is the assumed memory of a map key: its entries in keys, as the slice grows, and in set.
const keySize = 96

func (s *scanner) start(b []byte, limits *canon.Limits) {
	s.src, s.depth, s.memory, s.items, s.bignum, s.keys = b, limits.Depth, limits.Memory, 0, 0, s.keys[:0]
}

// head reads the initial byte and the argument of an item. next is the index of its content.
func (s *scanner) head(i int) (major byte, arg uint64, next int, err error) {
	if i >= len(s.src) {
		return 0, 0, 0, cborError(i, "the data item is cut off")
	}

	major, info := s.src[i]>>5, s.src[i]&31
	if info < 24 {
		return major, uint64(info), i + 1, nil
	}

	if info > 27 {
		if info == 31 {
			return 0, 0, 0, cborError(i, "indefinite lengths are not allowed")
		}
		return 0, 0, 0, cborError(i, "reserved additional information %d", info)
	}

	n := 1 << (info - 24)
	if len(s.src)-i-1 < n {
		return 0, 0, 0, cborError(i, "the data item is cut off")
	}

	v := s.src[i+1:]
	switch n {
	case 1:
		arg = uint64(v[0])
	case 2:
		arg = uint64(binary.BigEndian.Uint16(v))
	case 4:
		arg = uint64(binary.BigEndian.Uint32(v))
	default:
		arg = binary.BigEndian.Uint64(v)
	}

	if major <= majorNint && arg < shortest[info-24] {
		return 0, 0, 0, cborError(i, "the integer is not in its shortest form")
	}

	return major, arg, i + 1 + n, nil
}

// shortest holds the least value that needs an argument of 1, 2, 4 and 8 bytes.
var shortest = [4]uint64{24, 1 << 8, 1 << 16, 1 << 32}

// item checks the item at i and returns its end.
func (s *scanner) item(i, depth int) (int, error) {
	major, arg, next, err := s.head(i)
	if err != nil {
		return 0, err
	}

	s.items++

	switch major {
	case majorUint, majorNint:
		return next, nil
	case majorBytes, majorText:
		if arg > uint64(len(s.src)-next) {
			return 0, cborError(i, "a string of %d bytes, %d are left", arg, len(s.src)-next)
		}
		end := next + int(arg)
		if major == majorText && !utf8.Valid(s.src[next:end]) {
			return 0, cborError(i, "text is not UTF-8")
		}
		return end, nil
	case majorSimple:
		return next, s.simple(i, next, arg)
	}

	if depth == s.depth {
		return 0, &canon.LimitError{Limit: "depth", Max: int64(s.depth), Done: int64(depth + 1),
			Where: fmt.Sprintf("CBOR byte %d", i)}
	}

	switch major {
	case majorTag:
		if err := s.tag(i, next, arg); err != nil {
			return 0, err
		}
		return s.item(next, depth+1)
	case majorMap:
		return s.pairs(i, next, arg, depth+1)
	}

	if arg > uint64(len(s.src)-next) { // each element takes at least a byte
		return 0, cborError(i, "an array of %d elements, %d bytes are left", arg, len(s.src)-next)
	}

	for range arg {
		if next, err = s.item(next, depth+1); err != nil {
			return 0, err
		}
	}

	return next, nil
}

// tag checks the content of the tags of RFC 8949 section 3.4 for dates and bignums.
func (s *scanner) tag(i, next int, number uint64) error {
	if next >= len(s.src) {
		return cborError(i, "the data item is cut off")
	}
	ok := true
	switch major := s.src[next] >> 5; number {
	case 0:
		ok = major == majorText
	case 1:
		ok = major <= majorNint || s.src[next] >= 0xf9 && s.src[next] <= 0xfb
	case 2, 3:
		if ok = major == majorBytes; ok {
			_, size, _, _ := s.head(next)
			s.bignum = int(max(uint64(s.bignum), min(size, uint64(len(s.src)))))
		}
	}
	if !ok {
		return cborError(i, "the content of tag %d has the wrong type", number)
	}
	return nil
}

// simple refuses simple values that are not well-formed by RFC 8949 section 3.3.
func (s *scanner) simple(i, next int, arg uint64) error {
	if next == i+2 && arg < 32 {
		return cborError(i, "simple value %d in two bytes", arg)
	}
	return nil
}

// smallMap is the number of pairs up to which keys are compared one by one. Keys of larger maps are
// compared at the end of the map.
const smallMap = 24

// pairs checks n pairs of a map. Ascending unsigned keys, as in most maps of digests, cannot repeat.
func (s *scanner) pairs(i, next int, n uint64, depth int) (int, error) {
	if n > uint64(len(s.src)-next)/2 {
		return 0, cborError(i, "a map of %d pairs, %d bytes are left", n, len(s.src)-next)
	}

	mark := len(s.keys)
	rising, least := true, uint64(0)
	for range n {
		at := next
		major, arg, _, err := s.head(at)
		if err != nil {
			return 0, err
		}
		if major > majorText {
			return 0, cborError(at, "a map key is neither an integer nor a string")
		}
		if next, err = s.item(at, depth); err != nil {
			return 0, err
		}
		if rising = rising && major == majorUint && arg >= least && arg < 1<<63; rising {
			least = arg + 1
		} else if n <= smallMap && s.repeated(at, s.keys[mark:]) {
			return 0, cborError(at, "a map key is repeated")
		}
		s.keys = append(s.keys, uint32(at))
		if used := keySize * int64(len(s.keys)); used > s.memory {
			return 0, &canon.LimitError{Limit: "memory", Max: s.memory, Done: used,
				Where: fmt.Sprintf("CBOR byte %d", at)}
		}
		if next, err = s.item(next, depth); err != nil {
			return 0, err
		}
	}

	if !rising && n > smallMap {
		if at, found := s.repeatedInLarge(s.keys[mark:]); found {
			return 0, cborError(at, "a map key is repeated")
		}
	}

	s.keys = s.keys[:mark]
	return next, nil
}

func (s *scanner) repeated(key int, keys []uint32) bool {
	for _, other := range keys {
		if s.sameKey(key, int(other)) {
			return true
		}
	}
	return false
}

// sameKey reports whether the keys at two offsets are equal. Equal strings may have heads of different
// lengths.
func (s *scanner) sameKey(a, b int) bool {
	return s.src[a]>>5 == s.src[b]>>5 && bytes.Equal(s.key(a), s.key(b))
}

// key returns the bytes that identify the key at an offset among keys of its type: the content of a string,
// or the encoding of an integer, which has only one form.
func (s *scanner) key(at int) []byte {
	major, arg, next := view(s.src).head(at)
	if major <= majorNint {
		return s.src[at:next]
	}
	return s.src[next : next+int(arg)]
}

// repeatedInLarge returns the offset of the first key that repeats another.
func (s *scanner) repeatedInLarge(keys []uint32) (at int, found bool) {
	s.set.Reset(len(keys))
	for i, at := range keys {
		hash := lookup.Hash(s.key(int(at)))
		n, place := s.set.Probe(hash, hash)
		for ; n != 0; n, place = s.set.Probe(hash, place+1) {
			if s.sameKey(int(at), int(keys[n-1])) {
				return int(at), true
			}
		}
		s.set.Put(place, hash, uint32(i+1))
	}
	return 0, false
}
