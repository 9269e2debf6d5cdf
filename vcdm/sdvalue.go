//phase:caller
package vcdm

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"

	"canonscope/vcdm/problem"

	"github.com/fxamacker/cbor/v2"
)

// Headers of the two kinds of proof value (VC-DI-ECDSA 3.5.2, 3.5.7).
var (
	baseHeader    = []byte{0xd9, 0x5d, 0x00}
	derivedHeader = []byte{0xd9, 0x5d, 0x01}
)

// baseValue is what the proof value of a base proof holds; only the holder sees it.
type baseValue struct {
	_                 struct{}    `cbor:",toarray"`
	BaseSignature     []byte      // 64 bytes, by the issuer
	PublicKey         []byte      // 35 bytes: the proof-scoped key as Multikey bytes
	HMACKey           []byte      // 32 bytes
	Signatures        byteStrings // 64 bytes each, by the proof-scoped key
	MandatoryPointers []string
}

// derivedValue is what the proof value of a derived proof holds.
type derivedValue struct {
	_                struct{} `cbor:",toarray"`
	BaseSignature    []byte
	PublicKey        []byte
	Signatures       byteStrings
	LabelMap         map[uint32][]byte // number of the canonical label to HMAC of 32 bytes
	MandatoryIndexes []uint32
}

// The public key is 35 bytes, two of the header and 33 of the compressed point; the 36 of VC-DI-ECDSA 3.5.8
// is an error of that text.
const (
	signatureSize = 64
	publicSize    = 35
	hmacSize      = 32
)

// maxStatements bounds the lists of a proof value.
const maxStatements = 1 << 20

var cborEncoder, cborDecoder = cborModes()

// cborModes returns an encoder for deterministic CBOR without tags and a decoder that takes neither tags,
// nor indefinite lengths, nor repeated keys.
func cborModes() (cbor.EncMode, cbor.DecMode) {
	eo := cbor.CoreDetEncOptions()
	eo.NilContainers, eo.TagsMd = cbor.NilContainerAsEmpty, cbor.TagsForbidden
	enc, err := eo.EncMode()
	if err != nil {
		panic(err) // fixed options
	}
	dec, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		MaxArrayElements: maxStatements, MaxMapPairs: maxStatements, MaxNestedLevels: 4,
	}.DecMode()
	if err != nil {
		panic(err) // fixed options
	}
	return enc, dec
}

var multibase64 = base64.RawURLEncoding.Strict()

// encodeSD returns the members of a proof beside its options: the multibase text of a proof value, "u" and
// base64url.
//
//phase:encode
func encodeSD(header []byte, value any) ([]byte, error) {
	body, err := cborEncoder.Marshal(value)
	if err != nil {
		return nil, &problem.Error{Type: problem.ProofGenerationError, Err: err}
	}
	members := append(make([]byte, 0, 4096), `,"proofValue":"u`...)
	return append(multibase64.AppendEncode(members, slices.Concat(header, body)), '"'), nil
}

// decodeValue reads a proof value with the given header into value.
//
//phase:parse
func decodeValue(p *proof, header []byte, kind, shape string, value any) error {
	b, err := decodeMultibase(p)
	if err != nil {
		return err
	}

	if !bytes.HasPrefix(b, header) {
		err := problem.Verification("/proofValue", "is not that of a "+kind+" proof")
		if bytes.HasPrefix(b, baseHeader) {
			err.Err = ErrBaseProof
		} else if bytes.HasPrefix(b, derivedHeader) {
			err.Err = ErrDerivedProof
		}
		return err
	}

	return decodeCBOR(b[len(header):], shape, value)
}

// decodeMultibase returns the bytes of a proof value.
//
//phase:parse
func decodeMultibase(p *proof) ([]byte, error) {
	text := p.bytes(p.value)
	if text == nil {
		return nil, problem.Verification("/proofValue", "must be a string")
	}
	if len(text) == 0 || text[0] != 'u' {
		return nil, problem.Verification("/proofValue", "must start with u (base64url)")
	}
	b := make([]byte, multibase64.DecodedLen(len(text)-1))
	_, err := multibase64.Decode(b, text[1:])
	if err != nil || bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, '\r') >= 0 {
		// The decoder passes over line breaks.
		return nil, problem.Verification("/proofValue", "is not base64url without padding")
	}
	return b, nil
}

// decodeCBOR reads the array behind the header of a proof value.
//
//phase:parse
func decodeCBOR(b []byte, shape string, value any) error {
	err := cborDecoder.Wellformed(b)
	if err == nil && !shaped(b, shape) {
		return problem.Verification("/proofValue",
			"an element has another CBOR type than the proof value wants, or is not in the shortest form")
	}

	if err == nil {
		err = cborDecoder.Unmarshal(b, value)
	}
	if err != nil {
		return &problem.Error{Type: problem.ProofVerificationError, Where: "/proofValue", Err: err}
	}
	return nil
}

// byteStrings is a list of byte strings. The memory for a decoded one is allocated in two pieces, whatever
// its length.
type byteStrings [][]byte

// UnmarshalCBOR reads a list in the shape of which [shaped] has approved.
func (s *byteStrings) UnmarshalCBOR(b []byte) error {
	h, b := readHead(slices.Clone(b))
	*s = make(byteStrings, h.n)
	for i := range *s {
		h, b = readHead(b)
		(*s)[i], b = b[:h.n:h.n], b[h.n:]
	}
	return nil
}

// head is the head of a CBOR item: its major type, its argument, and whether it is in the shortest form
// (RFC 8949 section 4.2.1).
type head struct {
	major    byte
	n        int
	shortest bool
}

// readHead reads a head, and returns what follows. The item is well-formed and of definite length.
func readHead(b []byte) (head, []byte) {
	info := b[0] & 31
	h := head{major: b[0] >> 5, n: int(info), shortest: true}
	b = b[1:]
	if info >= 24 {
		h.n = 0
		for range 1 << (info - 24) {
			h.n, b = h.n<<8|int(b[0]), b[1:]
		}
		least := 24 // what the next shorter head cannot hold
		if info > 24 {
			least = 1 << (4 << (info - 24))
		}
		h.shortest = h.n >= least
	}
	return h, b
}

// Shapes of the arrays, a letter for each element: b a byte string, B a list of these, T of text strings, U
// of unsigned integers, M a map of unsigned integers to byte strings. bbs-2023 also has N, a map of unsigned
// integers to such, u, one of these, and t, a text string.
const (
	baseShape    = "bbbBT"
	derivedShape = "bbBMU"
)

// shaped reports whether a well-formed value is of exactly the types in its shape, each head in its shortest
// form (RFC 8949 section 4.2.1), so that one proof has one proof value. The decoder would also take longer
// heads, null for an empty list and a list of small numbers for a byte string.
func shaped(b []byte, shape string) bool {
	shortest := true
	next := func() (major byte, n int) {
		var h head
		h, b = readHead(b)
		shortest = shortest && h.shortest
		if h.major == 2 || h.major == 3 {
			b = b[h.n:]
		}
		return h.major, h.n
	}

	if major, n := next(); major != 4 || n != len(shape) {
		return false
	}

	for _, c := range shape {
		major, n := next()
		want, items := byte(4), []byte{2}
		switch c {
		case 'b':
			want, n = 2, 0
		case 'u':
			want, n = 0, 0
		case 't':
			want, n = 3, 0
		case 'N':
			want, items = 5, []byte{0, 0}
		case 'T':
			items[0] = 3
		case 'U':
			items[0] = 0
		case 'M':
			want, items = 5, []byte{0, 2}
		}

		if major != want {
			return false
		}
		for range n {
			for _, item := range items {
				if major, _ := next(); major != item {
					return false
				}
			}
		}
	}

	return shortest
}

// parseBase reads the proof value of a base proof (VC-DI-ECDSA 3.5.3).
//
//phase:parse
func parseBase(p *proof) (*baseValue, error) {
	v := new(baseValue)
	if err := decodeValue(p, baseHeader, "base", baseShape, v); err != nil {
		return nil, err
	}
	if len(v.MandatoryPointers) > maxTexts { // each is looked up in the document
		return nil, problem.Verification("/proofValue", "has more than 1,000 mandatory pointers")
	}
	if len(v.HMACKey) != hmacSize {
		return nil, sizeError("HMAC key", len(v.HMACKey), hmacSize)
	}
	return v, checkSizes(v.BaseSignature, v.PublicKey, v.Signatures)
}

// parseDerived reads the proof value of a derived proof (VC-DI-ECDSA 3.5.8). Indexes must ascend, labels
// must differ.
//
//phase:parse
func parseDerived(p *proof) (*derivedValue, error) {
	v := new(derivedValue)
	if err := decodeValue(p, derivedHeader, "derived", derivedShape, v); err != nil {
		return nil, err
	}
	labels := make(map[[hmacSize]byte]bool, len(v.LabelMap))
	for _, label := range v.LabelMap {
		if len(label) != hmacSize {
			return nil, sizeError("label", len(label), hmacSize)
		}
		// The statements about one blank node could be shown as being about several.
		if labels[[hmacSize]byte(label)] {
			return nil, problem.Verification("/proofValue",
				"the label map has one label for several blank nodes")
		}
		labels[[hmacSize]byte(label)] = true
	}
	if !ascend(v.MandatoryIndexes) {
		return nil, problem.Verification("/proofValue", "mandatory indexes do not ascend")
	}
	return v, checkSizes(v.BaseSignature, v.PublicKey, v.Signatures)
}

func checkSizes(base, public []byte, signatures byteStrings) error {
	if len(base) != signatureSize {
		return sizeError("base signature", len(base), signatureSize)
	}
	if len(public) != publicSize {
		return sizeError("public key", len(public), publicSize)
	}
	for _, s := range signatures {
		if len(s) != signatureSize {
			return sizeError("signature", len(s), signatureSize)
		}
	}
	return nil
}

func sizeError(what string, got, want int) error {
	return problem.Verification("/proofValue", fmt.Sprintf("%s is %d bytes, want %d", what, got, want))
}
