//phase:caller
package keys

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
)

// Reasons to refuse an Ed25519 public key.
var (
	ErrSmallOrder = errors.New(
		"Ed25519 public key of small order: one signature under it fits many messages")
	ErrNotCanonical = errors.New(
		"Ed25519 public key whose y coordinate is not below 2^255-19 (RFC 8032 section 5.1.3)")
)

// edPublic takes the 32 bytes of an Ed25519 public key.
//
// A careful verifier asks more of them than crypto/ed25519, which takes what most implementations take.
// Verification compares [S]B with R + [h]A, where h hashes R, A and the message. Under a key A of small
// order [h]A is one of at most eight points, and under the neutral element always the same: anyone can make
// a signature, without a secret, that fits one message in eight, or all. Whoever publishes such a key can
// say later that it signed something else, which is why the security considerations of VC-DI-EdDSA,
// Achieving Ed25519 Security Properties, want the eight points of small order refused: then a signature
// binds its signer to the message and the key (Chalkias, Garillot, Nikolaenko: Taming the many EdDSAs,
// algorithm 2). RFC 8032 has a key decoded by section 5.1.3, which fails for y >= p; crypto/ed25519 reduces
// y instead, so that one key would have several did:key names. The other encoding that section refuses, x =
// 0 with the sign of a negative x, only exists for points of small order. A y with no point on the curve
// needs no check here: no signature verifies under it.
func edPublic(k *kind, b []byte) (*Public, error) {
	if len(b) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("Ed25519 public key is %d bytes, want %d", len(b), ed25519.PublicKeySize)
	}
	y := [32]byte(b)
	y[31] &= 0x7f // the sign of x
	slices.Reverse(y[:])
	if slices.Contains(smallOrder[:], y) {
		return nil, ErrSmallOrder
	}
	if bytes.Compare(y[:], prime[:]) >= 0 {
		return nil, ErrNotCanonical
	}
	return &Public{kind: k, ed: bytes.Clone(b)}, nil
}

// Numbers, the highest byte first.
var (
	prime = fill(0x7f, 0xff, 0xed) // p = 2^255-19

	// smallOrder holds y of the points whose order divides 8, the cofactor; each but 1 and -1 is that of
	// two points. 1 has order 1, -1 order 2, 0 order 4, the last two order 8.
	smallOrder = [...][32]byte{
		fill(0, 0, 1),
		fill(0x7f, 0xff, 0xec),
		{},
		{0x05, 0xfc, 0x53, 0x6d, 0x88, 0x02, 0x38, 0xb1, 0x39, 0x33, 0xc6, 0xd3, 0x05, 0xac, 0xdf, 0xd5,
			0xf0, 0x98, 0xef, 0xf2, 0x89, 0xf4, 0xc3, 0x45, 0xb0, 0x27, 0xb2, 0xc2, 0x8f, 0x95, 0xe8, 0x26},
		{0x7a, 0x03, 0xac, 0x92, 0x77, 0xfd, 0xc7, 0x4e, 0xc6, 0xcc, 0x39, 0x2c, 0xfa, 0x53, 0x20, 0x2a,
			0x0f, 0x67, 0x10, 0x0d, 0x76, 0x0b, 0x3c, 0xba, 0x4f, 0xd8, 0x4d, 0x3d, 0x70, 0x6a, 0x17, 0xc7},
	}
)

// fill returns a number of its first byte, many equal ones and its last.
func fill(first, middle, last byte) (n [32]byte) {
	for i := range n {
		n[i] = middle
	}
	n[0], n[31] = first, last
	return n
}
