package vcdm

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/mr-tron/base58"
)

// The two directions agree with a library, also in what they refuse.
func TestBase58(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		size := []int{64, 96}[i%2]
		data := make([]byte, size)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		clear(data[:min(size, max(0, i%100-20))]) // zero bytes in front, up to all of them
		if i%7 == 0 {
			for k := range data {
				data[k] |= 0xFF
			}
		}
		want := base58.Encode(data)
		if got := string(appendBase58([]byte("z"), data)); got != "z"+want {
			t.Fatalf("%x: got %s, want %s", data, got, want)
		}
		got := make([]byte, size)
		if !decodeBase58(got, []byte(want)) || !bytes.Equal(got, data) {
			t.Fatalf("%s: got %x, want %x", want, got, data)
		}
		bad := []byte(want)
		switch at := r.IntN(len(bad)); r.IntN(4) {
		case 0:
			bad[at] = byte(r.Uint32())
		case 1:
			bad = append(bad, base58Digits[r.IntN(58)])
		case 2:
			bad = append(bad[:at], bad[at+1:]...)
		case 3:
			bad = append([]byte("1"), bad...)
		}
		wanted, err := base58.Decode(string(bad))
		if ok := decodeBase58(got, bad); ok != (err == nil && len(wanted) == size) || ok && !bytes.Equal(got, wanted) {
			t.Fatalf("%s: accepted is %v, the library says %x, %v", bad, ok, wanted, err)
		}
	}
}
