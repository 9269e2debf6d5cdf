package baseline

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// The fast coding of base64 is that of the standard library, for texts of all lengths and with any fault.
func TestBase64(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	canary := []byte("canary")
	for n := range 200 {
		plain := make([]byte, n)
		for i := range plain {
			plain[i] = byte(random.Uint32())
		}

		room := append(make([]byte, 0, 2*n+len(canary)+8), canary...)
		text := AppendBase64(room, plain)
		if want := Base64.AppendEncode(canary, plain); !bytes.Equal(text, want) {
			t.Fatalf("%d bytes are %s, not %s", n, text, want)
		}
		if rest := text[len(text):cap(text)]; !bytes.Equal(rest, make([]byte, len(rest))) {
			t.Fatalf("%d bytes are written over what follows their text", n)
		}

		text = text[len(canary):]
		for range 300 {
			got, err := AppendFromBase64(append(make([]byte, 0, 8), canary...), text)
			want, fault := Base64.AppendDecode(canary, text)
			if (err == nil) != (fault == nil) || err != nil && err.Error() != fault.Error() {
				t.Fatalf("%q: %v, want %v", text, err, fault)
			}
			if err == nil && !bytes.Equal(got, want) {
				t.Fatalf("%q is read as %x, not %x", text, got, want)
			}
			if n == 0 {
				break
			}
			at := random.IntN(len(text)) // usually one fault, sometimes two
			text = AppendBase64(nil, plain)
			text[at] = "\x00\n\r+/-=A_\xff"[random.IntN(10)]
		}
	}
}
