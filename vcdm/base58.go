//phase:caller
package vcdm

import (
	"encoding/binary"
	"math/bits"
)

// Signatures are the only long base58-btc texts of the suites. They have a known size of whole words, so that both
// directions work in place, ten digits at a time.

const (
	base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	chunkDigits  = 10
	chunkBase    = 430804206899405824 // 58^10, the largest power in a word
	maxWords     = 96 / 8             // of the longest signature
)

const notBase58 = 0xFF // has bits that no digit has

// powers58 are those of 58 below chunkBase.
var powers58 = func() (t [chunkDigits]uint64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * 58
	}
	return
}()

var base58Value = func() (t [256]byte) {
	for i := range t {
		t[i] = notBase58
	}
	for i := range base58Digits {
		t[base58Digits[i]] = byte(i)
	}
	return
}()

// decodeBase58 fills dst, a whole number of words, with what text stands for. It returns false where text is no base58 or
// stands for more or fewer bytes.
//
//phase:parse
func decodeBase58(dst, text []byte) bool {
	var words [maxWords]uint64 // the lowest first
	w := words[:len(dst)/8]
	bad := byte(0)
	for read := 0; read < len(text); { // a chunk of fewer digits first, then whole ones
		n, base := (len(text)-read)%chunkDigits, uint64(chunkBase)
		if n == 0 {
			n = chunkDigits
		} else {
			base = powers58[n]
		}
		chunk := uint64(0)
		for _, c := range text[read : read+n] {
			v := base58Value[c]
			bad |= v
			chunk = chunk*58 + uint64(v)
		}
		read += n
		for i := range w[:min(len(w), read*6/64+1)] { // a digit is less than 6 bits
			high, low := bits.Mul64(w[i], base)
			low, carry := bits.Add64(low, chunk, 0)
			w[i], chunk = low, high+carry
		}
		if chunk != 0 {
			return false // too large
		}
	}
	if bad >= 64 {
		return false
	}
	for i := range w {
		binary.BigEndian.PutUint64(dst[len(dst)-8*(i+1):], w[i])
	}
	return leading(dst, 0) == leading(text, base58Digits[0]) // each zero byte in front is a digit 1
}

// appendBase58 appends the base58 text of a whole number of words.
func appendBase58(dst, data []byte) []byte {
	var words [maxWords]uint64 // the highest first
	w := words[:len(data)/8]
	for i := range w {
		w[i] = binary.BigEndian.Uint64(data[8*i:])
	}
	var text [maxWords * 8 * 7 / 5]byte // a byte is 1.37 digits
	at := len(text)
	for len(w) > 0 {
		chunk := uint64(0)
		for i := range w {
			w[i], chunk = bits.Div64(chunk, w[i], chunkBase)
		}
		for len(w) > 0 && w[0] == 0 {
			w = w[1:]
		}
		for i := 0; i < chunkDigits && (len(w) > 0 || chunk > 0); i++ {
			at--
			text[at] = base58Digits[chunk%58]
			chunk /= 58
		}
	}
	for range leading(data, 0) {
		dst = append(dst, base58Digits[0])
	}
	return append(dst, text[at:]...)
}

// leading returns how often c stands at the start of text.
func leading(text []byte, c byte) int {
	n := 0
	for n < len(text) && text[n] == c {
		n++
	}
	return n
}
