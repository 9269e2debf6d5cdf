package vcdm

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Headers of the two kinds of proof value (VC-DI-ECDSA 3.5.2, 3.5.7).
var (
	baseHeader    = []byte{0xd9, 0x5d, 0x00}
	derivedHeader = []byte{0xd9, 0x5d, 0x01}
)

// baseValue is what the proof value of a base proof holds; only the holder sees it.
type baseValue struct {
	_                 struct{} `cbor:",toarray"`
	BaseSignature     []byte   // 64 bytes, by the issuer
	PublicKey         []byte   // 35 bytes: the proof-scoped key as Multikey bytes
	HMACKey           []byte   // 32 bytes
	Signatures        [][]byte // 64 bytes each, by the proof-scoped key
	MandatoryPointers []string
}

// derivedValue is what the proof value of a derived proof holds.
type derivedValue struct {
	_                struct{} `cbor:",toarray"`
	BaseSignature    []byte
	PublicKey        []byte
	Signatures       [][]byte
	LabelMap         map[uint32][]byte // number of the canonical label to HMAC of 32 bytes
	MandatoryIndexes []uint32
}

// The public key is 35 bytes, two of the header and 33 of the compressed point; the 36 of VC-DI-ECDSA 3.5.8 is an error
// of that text.
const (
	signatureSize = 64
	publicSize    = 35
	hmacSize      = 32
)

// maxStatements bounds the lists of a proof value.
const maxStatements = 1 << 20

var cborEncoder, cborDecoder = cborModes()

// cborModes returns an encoder for deterministic CBOR without tags and a decoder that takes neither tags, nor indefinite
// lengths, nor repeated keys.
func cborModes() (cbor.EncMode, cbor.DecMode) {
	eo := cbor.CoreDetEncOptions()
	eo.NilContainers, eo.TagsMd = cbor.NilContainerAsEmpty, cbor.TagsForbidden
	enc, err := eo.EncMode()
	if err != nil {
		panic(err) // fixed options
	}
	dec, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		MaxArrayElements: maxStatements, MaxMapPairs: maxStatements, MaxNestedLevels: 4,
	}.DecMode()
	if err != nil {
		panic(err) // fixed options
	}
	return enc, dec
}

var multibase64 = base64.RawURLEncoding.Strict()

// appendValue appends the multibase text of a proof value: "u" and base64url.
func appendValue(dst, header []byte, value any) ([]byte, error) {
	body, err := cborEncoder.Marshal(value)
	if err != nil {
		return nil, err
	}
	b := append(append(make([]byte, 0, len(header)+len(body)), header...), body...)
	return multibase64.AppendEncode(append(dst, 'u'), b), nil
}

// decodeValue reads a proof value with the given header into value.
func decodeValue(p *proof, header []byte, kind string, value any) error {
	text, ok := p.text(p.value)
	if !ok {
		return verification("/proofValue", "must be a string")
	}
	if text == "" || text[0] != 'u' {
		return verification("/proofValue", "must start with u (base64url)")
	}
	b, err := multibase64.DecodeString(text[1:])
	if err != nil {
		return verification("/proofValue", "is not base64url without padding")
	}
	if !bytes.HasPrefix(b, header) {
		return verification("/proofValue", "is not that of a "+kind+" proof")
	}
	if err := cborDecoder.Unmarshal(b[len(header):], value); err != nil {
		return &Error{Type: ProofVerificationError, Where: "/proofValue", Err: err}
	}
	return nil
}

// parseBase reads the proof value of a base proof (VC-DI-ECDSA 3.5.3).
func parseBase(p *proof) (*baseValue, error) {
	v := new(baseValue)
	if err := decodeValue(p, baseHeader, "base", v); err != nil {
		return nil, err
	}
	if len(v.HMACKey) != hmacSize {
		return nil, sizeError("HMAC key", len(v.HMACKey), hmacSize)
	}
	return v, checkSizes(v.BaseSignature, v.PublicKey, v.Signatures)
}

// parseDerived reads the proof value of a derived proof (VC-DI-ECDSA 3.5.8). Indexes must ascend.
func parseDerived(p *proof) (*derivedValue, error) {
	v := new(derivedValue)
	if err := decodeValue(p, derivedHeader, "derived", v); err != nil {
		return nil, err
	}
	for _, label := range v.LabelMap {
		if len(label) != hmacSize {
			return nil, sizeError("label", len(label), hmacSize)
		}
	}
	for i := 1; i < len(v.MandatoryIndexes); i++ {
		if v.MandatoryIndexes[i-1] >= v.MandatoryIndexes[i] {
			return nil, verification("/proofValue", "mandatory indexes do not ascend")
		}
	}
	return v, checkSizes(v.BaseSignature, v.PublicKey, v.Signatures)
}

func checkSizes(base, public []byte, signatures [][]byte) error {
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
	return verification("/proofValue", fmt.Sprintf("%s is %d bytes, want %d", what, got, want))
}
