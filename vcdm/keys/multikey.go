//phase:caller
package keys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"errors"
	"fmt"
	"strings"

	"github.com/mr-tron/base58"
)

// maxMultibase bounds the text that base58 decodes, since its cost grows with the square of the length.
const maxMultibase = 256

// Bytes returns the Multikey bytes: a two-byte header and the key; EC keys are compressed points. 34 bytes
// for Ed25519, 35 for P-256, 51 for P-384, 98 for BBS, none for an empty key.
func (p *Public) Bytes() []byte {
	if p.empty() {
		return nil
	}
	switch {
	case p.ed != nil:
		return append(append(make([]byte, 0, 34), p.kind.public[:]...), p.ed...)
	case p.bbs != nil:
		return append(append(make([]byte, 0, 98), p.kind.public[:]...), p.bbs.Bytes()...)
	}
	point, n := p.point(), p.kind.size
	out := make([]byte, 0, 3+n)
	out = append(out, p.kind.public[:]...)
	out = append(out, 2|point[len(point)-1]&1)
	return append(out, point[1:1+n]...)
}

// point returns an EC key as 04, x, y.
func (p *Public) point() []byte {
	point, err := p.ec.Bytes()
	if err != nil {
		panic("keys: a parsed key is not on its curve")
	}
	return point
}

// Multikey returns the publicKeyMultibase value: "z" and the base58-btc of [Public.Bytes].
func (p *Public) Multikey() string { return "z" + base58.Encode(p.Bytes()) }

// Multikey returns the secretKeyMultibase value.
func (s *Secret) Multikey() string {
	if s.Public().empty() {
		return "z"
	}
	b := append([]byte(nil), s.public.kind.secret[:]...)
	return "z" + base58.Encode(append(b, s.seed()...))
}

// seed returns the Ed25519 seed, or the EC or BBS scalar.
func (s *Secret) seed() []byte {
	switch {
	case s.ed != nil:
		return s.ed.Seed()
	case s.bbs != nil:
		return s.bbs.Bytes()
	}
	b, err := s.ec.Bytes()
	if err != nil {
		panic("keys: a parsed key is out of range")
	}
	return b
}

// ParsePublic reads a publicKeyMultibase value. Only the base58-btc form of Controlled Identifiers 2.2.2 is
// accepted.
func ParsePublic(multikey string) (*Public, error) {
	b, err := decodeMultikey(multikey)
	if err != nil {
		return nil, fmt.Errorf("public key: %w", err)
	}
	return PublicFromBytes(b)
}

// PublicFromBytes reads Multikey bytes: header and key. Ed25519 keys that are weak give [ErrSmallOrder] or
// [ErrNotCanonical], here and wherever public keys are read.
func PublicFromBytes(b []byte) (*Public, error) {
	for i := range kinds {
		k := &kinds[i]
		if !bytes.HasPrefix(b, k.public[:]) {
			continue
		}
		b = b[2:]
		switch k.alg {
		case EdDSA:
			return edPublic(k, b)
		case BBS:
			return bbsPublic(k, b)
		}
		if len(b) != k.size+1 || b[0] != 2 && b[0] != 3 {
			return nil, fmt.Errorf("%s public key is not a compressed point of %d bytes", k.jwk, k.size+1)
		}
		x, y := elliptic.UnmarshalCompressed(k.curve, b)
		if x == nil {
			return nil, fmt.Errorf("%s public key is not a point on the curve", k.jwk)
		}
		return ecPublic(k, x.FillBytes(make([]byte, k.size)), y.FillBytes(make([]byte, k.size)))
	}
	for i := range kinds {
		if bytes.HasPrefix(b, kinds[i].secret[:]) {
			return nil, errors.New("public key: this is a secret key")
		}
	}
	return nil, errors.New("public key: the Multikey header is not of Ed25519, P-256, P-384 or BLS12-381 G2")
}

// ecPublic takes the coordinates of an EC public key.
func ecPublic(k *kind, x, y []byte) (*Public, error) {
	ec, err := ecdsa.ParseUncompressedPublicKey(k.curve, bytes.Join([][]byte{{4}, x, y}, nil))
	if err != nil {
		return nil, fmt.Errorf("%s public key is not a point on the curve", k.jwk)
	}
	return &Public{kind: k, ec: ec}, nil
}

// ParseSecret reads a secretKeyMultibase value. An Ed25519 key of 64 bytes, the seed followed by the public
// key, is accepted if the two belong together, since published tools write it so.
func ParseSecret(multikey string) (*Secret, error) {
	b, err := decodeMultikey(multikey)
	if err != nil {
		return nil, fmt.Errorf("secret key: %w", err)
	}
	for i := range kinds {
		k := &kinds[i]
		if !bytes.HasPrefix(b, k.secret[:]) {
			continue
		}
		b = b[2:]
		if k.alg == EdDSA && len(b) == ed25519.PrivateKeySize {
			s, err := FromSeed(k.alg, b[:32])
			if err == nil && !bytes.Equal(s.public.ed, b[32:]) {
				return nil, errors.New("secret key: its public half belongs to another key")
			}
			return s, err
		}
		return FromSeed(k.alg, b)
	}
	return nil, errors.New("secret key: the Multikey header is not of Ed25519, P-256, P-384 or BLS12-381 G2")
}

func decodeMultikey(s string) ([]byte, error) {
	if !strings.HasPrefix(s, "z") {
		return nil, errors.New("Multikey does not start with z (base58-btc)")
	}
	if len(s) > maxMultibase {
		return nil, fmt.Errorf("Multikey is longer than %d characters", maxMultibase)
	}
	return base58.Decode(s[1:])
}
