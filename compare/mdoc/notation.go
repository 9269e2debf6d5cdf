//phase:caller
package mdoc

import (
	"encoding/hex"
	"math"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
)

// Notations writes CBOR in diagnostic notation (RFC 8949 section 8). The zero value has the default limits.
type Notations struct {
	Limits canon.Limits

	looked int64 // steps of the search for CBOR in byte strings
}

var (
	// embedded writes byte strings that hold CBOR as CBOR. It reads them again at each level of nesting,
	// and a string can have as many levels as bytes.
	embedded = must(cbor.DiagOptions{ByteStringEmbeddedCBOR: true, MaxNestedLevels: 1024}.DiagMode())
	plain    = must(cbor.DiagOptions{MaxNestedLevels: 65535, MaxArrayElements: math.MaxInt32,
		MaxMapPairs: math.MaxInt32}.DiagMode())
)

const (
	maxLooked = 1 << 30
	maxBignum = 4 << 10 // bytes; longer ones take long to write as decimal numbers
)

// Of returns one data item in diagnostic notation. In a long item, byte strings that hold CBOR may be in
// hexadecimal, and an item with long integers is in hexadecimal as a whole. The error is that of a limit,
// or of CBOR that the package does not accept.
func (n *Notations) Of(b []byte) (string, error) {
	var s scanner
	if err := s.all(b, n.Limits); err != nil {
		return "", err
	}
	const copies = 4 // a byte can become a word of text
	memory := n.Limits.WithDefaults().Memory
	if used := copies * int64(2*len(b)+len("false, ")*s.items); used > memory {
		return "", &canon.LimitError{Limit: "memory", Max: memory, Done: used, Where: "diagnostic notation"}
	}
	if s.bignum > maxBignum {
		return "h'" + hex.EncodeToString(b) + "'", nil
	}
	if steps := int64(len(b)) * int64(len(b)); n.looked+steps <= maxLooked {
		n.looked += steps
		if text, err := embedded.Diagnose(b); err == nil {
			return text, nil
		}
	}
	return plain.Diagnose(b)
}
