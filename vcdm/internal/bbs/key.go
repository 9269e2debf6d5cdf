package bbs

import (
	"bytes"
	"fmt"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// PublicKey is an issuer's key, a point of G2. It fits every ciphersuite.
type PublicKey struct {
	point  bls.G2Affine
	octets [PublicSize]byte
}

// SecretKey is an issuer's key pair.
type SecretKey struct {
	scalar fr.Element
	public PublicKey
}

// ParseSecretKey reads the 32 bytes of a secret key.
func ParseSecretKey(b []byte) (*SecretKey, error) {
	k, ok := readScalar(b)
	if !ok {
		return nil, fmt.Errorf("BBS secret key: %w: not a number of 32 bytes from 1 to r-1", ErrMalformed)
	}
	return newSecretKey(&k)
}

func newSecretKey(k *fr.Element) (*SecretKey, error) {
	a, b, err := masked(k)
	if err != nil {
		return nil, err
	}
	var p, q bls.G2Affine
	p.ScalarMultiplicationBase(a)
	q.ScalarMultiplicationBase(b)
	p.Add(&p, &q)
	if p.IsInfinity() {
		return nil, fmt.Errorf("BBS secret key: %w: it is zero", ErrMalformed)
	}
	return &SecretKey{*k, PublicKey{p, p.Bytes()}}, nil
}

// Bytes returns the secret scalar.
func (k *SecretKey) Bytes() []byte { return appendScalar(nil, &k.scalar) }

// Public returns the public half.
func (k *SecretKey) Public() *PublicKey { return &k.public }

// ParsePublicKey reads the 96 bytes of a public key, a compressed point of the subgroup that is not the
// identity.
func ParsePublicKey(b []byte) (*PublicKey, error) {
	var k PublicKey
	if len(b) != PublicSize || b[0]&0x80 == 0 {
		return nil, fmt.Errorf("BBS public key: %w: not a compressed point of 96 bytes", ErrMalformed)
	}
	if _, err := k.point.SetBytes(b); err != nil {
		return nil, fmt.Errorf("BBS public key: %w: not a point of the subgroup G2 of BLS12-381",
			ErrMalformed)
	}
	if k.point.IsInfinity() {
		return nil, fmt.Errorf("BBS public key: %w: the point at infinity", ErrMalformed)
	}
	copy(k.octets[:], b)
	return &k, nil
}

// Bytes returns the compressed point.
func (k *PublicKey) Bytes() []byte { return clone(k.octets[:]) }

// Equal reports whether two keys are the same.
func (k *PublicKey) Equal(o *PublicKey) bool { return bytes.Equal(k.octets[:], o.octets[:]) }

var minusG2 = func() (g bls.G2Affine) {
	_, _, _, g = bls.Generators()
	g.Neg(&g)
	return g
}()

// paired reports whether e(a, W) = e(b, BP2).
//
//phase:check
func (k *PublicKey) paired(a, b *bls.G1Affine) bool {
	ok, err := bls.PairingCheck([]bls.G1Affine{*a, *b}, []bls.G2Affine{k.point, minusG2})
	return err == nil && ok
}
