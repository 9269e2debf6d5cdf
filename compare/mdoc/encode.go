//phase:caller
package mdoc

import (
	"encoding/binary"
	"math"

	"canonscope/vcdm/keys"
)

// appendHead appends a head in its shortest form (RFC 8949 section 3).
func appendHead(dst []byte, major byte, arg uint64) []byte {
	major <<= 5
	switch {
	case arg < 24:
		return append(dst, major|byte(arg))
	case arg <= math.MaxUint8:
		return append(dst, major|24, byte(arg))
	case arg <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(arg))
	case arg <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(arg))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), arg)
}

func appendBytes(dst, b []byte) []byte {
	return append(appendHead(dst, majorBytes, uint64(len(b))), b...)
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(appendHead(dst, majorText, uint64(len(s))), s...)
}

func headSize(arg uint64) int {
	switch {
	case arg < 24:
		return 1
	case arg <= math.MaxUint8:
		return 2
	case arg <= math.MaxUint16:
		return 3
	case arg <= math.MaxUint32:
		return 5
	}
	return 9
}

// appendProtected appends bstr({1: alg}).
func appendProtected(dst []byte, a keys.Algorithm) []byte {
	alg := coseAlgorithm[a]
	n := uint64(-1 - alg) // all algorithm numbers are negative
	return appendHead(append(appendHead(dst, majorBytes, uint64(2+headSize(n))), 0xa1, 1), majorNint, n)
}
