//phase:caller
package baseline

import (
	"bytes"
	"encoding/base64"
	"slices"

	fast "github.com/segmentio/asm/base64"
)

// Base64 is base64url without padding, where bits that are left over must be zero (RFC 7515 section 2).
var Base64 = base64.RawURLEncoding.Strict()

// AppendBase64 is AppendEncode of [Base64] with the vector instructions of the processor.
//
//phase:encode primitive
func AppendBase64(dst, src []byte) []byte {
	from, size := len(dst), Base64.EncodedLen(len(src))
	dst = slices.Grow(dst, size)[:from+size]
	fast.RawURLEncoding.Encode(dst[from:], src)
	return dst
}

// AppendFromBase64 is AppendDecode of [Base64] with the vector instructions of the processor.
//
//phase:parse primitive
func AppendFromBase64(dst, src []byte) ([]byte, error) {
	from, size := len(dst), Base64.DecodedLen(len(src))
	dst = slices.Grow(dst, size)
	if bytes.IndexByte(src, '/') < 0 { // which the fast decoder accepts in place of an underscore
		if n, err := strict.Decode(dst[from:from+size], src); err == nil {
			return dst[:from+n], nil
		}
	}
	return Base64.AppendDecode(dst[:from], src)
}

var strict = fast.RawURLEncoding.Strict()
