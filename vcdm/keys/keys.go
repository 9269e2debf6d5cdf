// Package keys holds the public and secret keys of the cryptosuites: Ed25519, P-256 and P-384, read and
// written as Multikey (Controlled Identifiers 1.0 section 2.2.2), JSON Web Key (RFC 7517, RFC 8037) and
// did:key; and those of [BBS], as Multikey and did:key.
//
// Start with [Generate], [ParseSecret] or [ParsePublic]. [Secret.Sign] and [Public.Verify] take whole
// messages and hash them as the algorithm says; ECDSA signatures are r and s side by side, of fixed length
// (IEEE P1363, RFC 4754 section 7).
//
//phase:caller
package keys

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"

	"canonscope/vcdm/internal/bbs"
)

// Algorithm names a key's signature algorithm as JOSE does.
type Algorithm string

const (
	EdDSA Algorithm = "EdDSA" // Ed25519
	ES256 Algorithm = "ES256" // P-256 with SHA-256
	ES384 Algorithm = "ES384" // P-384 with SHA-384
)

// Algorithms lists the algorithms of whole messages in the order reports use. [BBS] is apart.
var Algorithms = []Algorithm{EdDSA, ES256, ES384}

// kind is what the encodings need to know about an algorithm.
type kind struct {
	alg            Algorithm
	curve          elliptic.Curve // nil for Ed25519 and BBS
	size           int            // bytes of a coordinate, a scalar or an Ed25519 key
	jwk            string         // JWK "crv"
	cose           [2]int64       // COSE kty and crv (RFC 9053 section 7)
	public, secret [2]byte        // Multikey headers (Controlled Identifiers 2.2.2)
}

var kinds = []kind{
	{EdDSA, nil, 32, "Ed25519", [2]int64{1, 6}, [2]byte{0xed, 0x01}, [2]byte{0x80, 0x26}},
	{ES256, elliptic.P256(), 32, "P-256", [2]int64{2, 1}, [2]byte{0x80, 0x24}, [2]byte{0x86, 0x26}},
	{ES384, elliptic.P384(), 48, "P-384", [2]int64{2, 2}, [2]byte{0x81, 0x24}, [2]byte{0x87, 0x26}},
	{BBS, nil, 32, "", [2]int64{}, [2]byte{0xeb, 0x01}, [2]byte{0x8a, 0x26}},
}

func kindOf(alg Algorithm) (*kind, error) {
	for i := range kinds {
		if kinds[i].alg == alg {
			return &kinds[i], nil
		}
	}
	return nil, fmt.Errorf("unknown algorithm %q: use EdDSA (Ed25519), ES256 (P-256), ES384 (P-384) or "+
		"BBS (BLS12-381)", alg)
}

// SignatureSize returns the length in bytes of an algorithm's signature: 64 for EdDSA and ES256, 96 for
// ES384, 80 for BBS.
func (a Algorithm) SignatureSize() int {
	switch a {
	case ES384:
		return 96
	case BBS:
		return bbs.SignatureSize
	}
	return 64
}

// Public is a public key. The zero value and nil are empty: an empty key has no algorithm and no encoding,
// and verifies nothing.
type Public struct {
	kind *kind
	ed   ed25519.PublicKey
	ec   *ecdsa.PublicKey
	bbs  *bbs.PublicKey
}

// Secret is a key pair. The zero value and nil are empty, as those of [Public] are, and sign nothing.
type Secret struct {
	public        Public
	ed            ed25519.PrivateKey
	ec            *ecdsa.PrivateKey
	bbs           *bbs.SecretKey
	deterministic bool
}

// Generate makes a key pair from the system's randomness.
func Generate(alg Algorithm) (*Secret, error) {
	k, err := kindOf(alg)
	if err != nil {
		return nil, err
	}
	switch alg {
	case BBS:
		seed, err := bbs.RandomScalar()
		if err != nil {
			return nil, err
		}
		return bbsSecret(k, seed)
	case EdDSA:
		_, priv, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		return edSecret(k, priv), nil
	}
	priv, err := ecdsa.GenerateKey(k.curve, rand.Reader)
	if err != nil {
		return nil, err
	}
	return ecSecret(k, priv), nil
}

func edSecret(k *kind, priv ed25519.PrivateKey) *Secret {
	return &Secret{public: Public{kind: k, ed: priv.Public().(ed25519.PublicKey)}, ed: priv}
}

func ecSecret(k *kind, priv *ecdsa.PrivateKey) *Secret {
	return &Secret{public: Public{kind: k, ec: &priv.PublicKey}, ec: priv}
}

// FromSeed returns the key pair of an Ed25519 seed, or of an EC or BBS scalar, big-endian, of exactly the
// key's size.
func FromSeed(alg Algorithm, seed []byte) (*Secret, error) {
	k, err := kindOf(alg)
	if err != nil {
		return nil, err
	}
	if len(seed) != k.size {
		return nil, fmt.Errorf("%s secret key is %d bytes, want %d", alg, len(seed), k.size)
	}
	switch alg {
	case BBS:
		return bbsSecret(k, seed)
	case EdDSA:
		return edSecret(k, ed25519.NewKeyFromSeed(seed)), nil
	}
	priv, err := ecdsa.ParseRawPrivateKey(k.curve, seed)
	if err != nil {
		return nil, fmt.Errorf("%s secret key: %w", alg, err)
	}
	return ecSecret(k, priv), nil
}

// Public returns the public half, nil of a nil key.
func (s *Secret) Public() *Public {
	if s == nil {
		return nil
	}
	return &s.public
}

// Algorithm returns the key's algorithm, "" of an empty key.
func (s *Secret) Algorithm() Algorithm { return s.Public().Algorithm() }

// Deterministic returns a copy that signs ECDSA as RFC 6979 does: the same bytes for the same message.
// Ed25519 and BBS always do.
func (s *Secret) Deterministic() *Secret {
	if s == nil {
		return nil
	}
	d := *s
	d.deterministic = true
	return &d
}

// Sign signs a whole message; a key for BBS signs it as the one of a list, without a header.
//
//phase:sign primitive
func (s *Secret) Sign(message []byte) ([]byte, error) { return s.AppendSignature(nil, message) }

// AppendSignature appends the signature of [Secret.Sign] to dst.
//
//phase:sign primitive
func (s *Secret) AppendSignature(dst, message []byte) ([]byte, error) {
	if s.Public().empty() {
		return nil, errEmpty
	}
	switch {
	case s.bbs != nil:
		sig, err := s.SignAll(nil, [][]byte{message})
		return append(dst, sig...), err
	case s.ed != nil:
		return append(dst, ed25519.Sign(s.ed, message)...), nil
	}
	digest, hash := digest(s.public.kind, message)
	var der []byte
	var err error
	if s.deterministic {
		der, err = s.ec.Sign(nil, digest, hash) // RFC 6979
	} else {
		der, err = ecdsa.SignASN1(rand.Reader, s.ec, digest)
	}
	if err != nil {
		return nil, err
	}
	return fromDER(dst, der, s.public.kind.size)
}

var (
	errEmpty = errors.New("the secret key is empty: make one with Generate or read one")
	errOther = errors.New("the secret key is not for BBS")
)

// empty reports whether there is no key.
func (p *Public) empty() bool { return p == nil || p.kind == nil }

// Algorithm returns the key's algorithm, "" of an empty key.
func (p *Public) Algorithm() Algorithm {
	if p.empty() {
		return ""
	}
	return p.kind.alg
}

// Equal reports whether two keys are the same.
func (p *Public) Equal(o *Public) bool {
	if p.empty() || o.empty() {
		return p.empty() == o.empty()
	}
	if p.bbs != nil || o.bbs != nil {
		return p.bbs != nil && o.bbs != nil && p.bbs.Equal(o.bbs)
	}
	return p.Crypto().(interface{ Equal(crypto.PublicKey) bool }).Equal(o.Crypto())
}

// Crypto returns the standard library's key: ed25519.PublicKey or *ecdsa.PublicKey, nil of an empty key and
// of one for BBS.
func (p *Public) Crypto() crypto.PublicKey {
	if p.empty() || p.bbs != nil {
		return nil
	}
	if p.ed != nil {
		return p.ed
	}
	return p.ec
}

// Crypto returns the standard library's key: ed25519.PrivateKey or *ecdsa.PrivateKey, nil of an empty key
// and of one for BBS.
func (s *Secret) Crypto() crypto.Signer {
	if s.Public().empty() || s.bbs != nil {
		return nil
	}
	if s.ed != nil {
		return s.ed
	}
	return s.ec
}

// Verify reports whether sig is the key's signature of a whole message. A signature of another length is not.
//
//phase:check primitive
func (p *Public) Verify(message, sig []byte) bool {
	if p.empty() || len(sig) != p.kind.alg.SignatureSize() {
		return false
	}
	switch {
	case p.bbs != nil:
		return p.VerifyAll(nil, [][]byte{message}, sig)
	case p.ed != nil:
		return ed25519.Verify(p.ed, message, sig)
	}
	digest, _ := digest(p.kind, message)
	var der [2 + 2*(3+48) + 1]byte
	return ecdsa.VerifyASN1(p.ec, digest, appendDER(der[:0], sig))
}

// digest hashes an ECDSA message with the hash of its curve (VC-DI-ECDSA section 3).
func digest(k *kind, message []byte) ([]byte, crypto.Hash) {
	if k.size == 48 {
		d := sha512.Sum384(message)
		return d[:], crypto.SHA384
	}
	d := sha256.Sum256(message)
	return d[:], crypto.SHA256
}

var errDER = errors.New("signature is not DER")

// fromDER turns SEQUENCE { INTEGER r, INTEGER s } as crypto/ecdsa writes it into r and s of size bytes
// each, which it appends to dst. All lengths are below 128 for the curves here.
func fromDER(dst, der []byte, size int) ([]byte, error) {
	if len(der) < 2 || der[0] != 0x30 || int(der[1]) != len(der)-2 {
		return nil, errDER
	}
	var sig [2 * 48]byte
	rest := der[2:]
	for i := range 2 {
		if len(rest) < 2 || rest[0] != 0x02 || len(rest) < 2+int(rest[1]) {
			return nil, errDER
		}
		n := rest[2 : 2+int(rest[1])]
		rest = rest[2+len(n):]
		if len(n) > 0 && n[0] == 0 {
			n = n[1:]
		}
		if len(n) > size {
			return nil, errDER
		}
		copy(sig[(i+1)*size-len(n):], n)
	}
	return append(dst, sig[:2*size]...), nil
}

// appendDER is the reverse of fromDER.
func appendDER(dst, sig []byte) []byte {
	dst = append(dst, 0x30, 0)
	for _, n := range [2][]byte{sig[:len(sig)/2], sig[len(sig)/2:]} {
		for len(n) > 1 && n[0] == 0 {
			n = n[1:]
		}
		if n[0]&0x80 != 0 {
			dst = append(dst, 0x02, byte(len(n)+1), 0)
		} else {
			dst = append(dst, 0x02, byte(len(n)))
		}
		dst = append(dst, n...)
	}
	dst[1] = byte(len(dst) - 2)
	return dst
}
