//phase:caller
package rdfc

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"

	"canonscope/canon/rdf"
)

const maxDigest = sha512.Size384

// hasher computes hashes with the chosen function.
type hasher struct {
	long   bool // SHA-384, not SHA-256
	size   int  // bytes of a digest
	digest [maxDigest]byte
	input  []byte

	// cache keeps related hashes of one run, each at the one place that its key gives. They repeat, because
	// all calls number the nodes from b0.
	cache []cached
	run   uint32
}

// cached is a related hash and the input that it belongs to.
type cached struct {
	predicate rdf.TermID
	number    int32  // number of the identifier, or of the first degree hash
	kind      uint32 // run, position and what number is
	hash      [maxDigest]byte
}

// Meanings of the number of a related node.
const (
	canonicalID = iota
	temporaryID
	firstDegreeHash
)

const maxCache = 1 << 11

// forget empties the cache and sizes it for a number of nodes.
func (h *hasher) forget(nodes int) {
	size := 64
	for size < 4*nodes && size < maxCache {
		size *= 2
	}
	if h.run++; h.run == 1<<27 || len(h.cache) < size {
		h.run = 1
		h.cache = make([]cached, max(size, len(h.cache)))
	}
}

// recall returns the place of a related hash in the cache and reports whether the hash is there.
func (h *hasher) recall(position byte, predicate rdf.TermID, number int32, what uint32) (*cached, bool) {
	kind := h.run<<5 | uint32(position>>2&7)<<2 | what // 'g', 'o' and 's' differ in these bits
	mixed := (uint64(predicate)<<32 | uint64(uint32(number))) * 0x9E3779B97F4A7C15
	mixed ^= uint64(kind) * 0xC2B2AE3D27D4EB4F
	c := &h.cache[mixed>>32&uint64(len(h.cache)-1)]
	if c.kind == kind && c.number == number && c.predicate == predicate {
		return c, true
	}
	c.kind, c.number, c.predicate = kind, number, predicate
	return c, false
}

// hash sets digest to the hash of data.
func (h *hasher) hash(data []byte) {
	if h.long {
		h.digest = sha512.Sum384(data)
		return
	}
	*(*[sha256.Size]byte)(h.digest[:]) = sha256.Sum256(data)
}

// appendHex appends b, whose length is a multiple of four, in lower-case hexadecimal.
func appendHex(dst, b []byte) []byte {
	for ; len(b) >= 4; b = b[4:] {
		x := uint64(binary.BigEndian.Uint32(b))
		x = x<<16&0x0000FFFF00000000 | x&0xFFFF // spread the digits, one to a byte
		x = x<<8&0x00FF000000FF0000 | x&0x000000FF000000FF
		x = x<<4&0x0F000F000F000F00 | x&0x000F000F000F000F
		letters := (x + 0x0606060606060606) >> 4 & 0x0101010101010101
		dst = binary.BigEndian.AppendUint64(dst, x+0x3030303030303030+letters*('a'-'0'-10))
	}
	return dst
}
