package mdoc_test

import (
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
)

func BenchmarkExchange(b *testing.B) {
	claimstest.Race(b, mdoc.NewFormat, func(issued []byte) []byte { return signedMessage(b, issued) })
}

// signedMessage returns the Sig_structure of an IssuerSigned.
func signedMessage(b *testing.B, issued []byte) []byte {
	var s struct {
		IssuerAuth []cbor.RawMessage `cbor:"issuerAuth"`
	}
	if err := cbor.Unmarshal(issued, &s); err != nil {
		b.Fatal(err)
	}
	message, err := cbor.Marshal([]any{"Signature1", s.IssuerAuth[0], []byte{}, s.IssuerAuth[2]})
	if err != nil {
		b.Fatal(err)
	}
	return message
}
