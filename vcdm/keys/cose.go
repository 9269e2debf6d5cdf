//phase:caller
package keys

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// COSE returns the key as a COSE_Key of CBOR (RFC 9053 section 7): kty, crv and the coordinates, nothing
// else. A key for BBS has none.
func (p *Public) COSE() []byte { return p.AppendCOSE(nil) }

// AppendCOSE appends the COSE_Key of [Public.COSE] to dst.
func (p *Public) AppendCOSE(dst []byte) []byte {
	if p.empty() || p.bbs != nil {
		return dst
	}
	if p.ed != nil {
		return append(append(dst, 0xa3, 0x01, 0x01, 0x20, 0x06, 0x21, 0x58, 0x20), p.ed...)
	}
	point, n := p.point(), p.kind.size
	dst = append(dst, 0xa4, 0x01, 0x02, 0x20, byte(p.kind.cose[1]), 0x21, 0x58, byte(n))
	dst = append(dst, point[1:1+n]...)
	dst = append(dst, 0x22, 0x58, byte(n))
	return append(dst, point[1+n:]...)
}

// ParsePublicCOSE reads a COSE_Key of CBOR. Points must be uncompressed; a key with its secret parameter is
// refused.
func ParsePublicCOSE(b []byte) (*Public, error) {
	var c struct {
		Kty int64           `cbor:"1,keyasint"`
		Crv int64           `cbor:"-1,keyasint"`
		X   []byte          `cbor:"-2,keyasint"`
		Y   cbor.RawMessage `cbor:"-3,keyasint"`
		D   cbor.RawMessage `cbor:"-4,keyasint"`
	}
	if err := cbor.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("COSE_Key: %w", err)
	}
	if c.D != nil {
		return nil, fmt.Errorf("COSE_Key: a public key must not hold the secret parameter -4")
	}
	var y []byte
	if c.Kty == 2 {
		if err := cbor.Unmarshal(c.Y, &y); err != nil {
			return nil, fmt.Errorf("COSE_Key: y must be a byte string; compressed points are not supported")
		}
	}
	for i := range kinds {
		if k := &kinds[i]; k.jwk != "" && k.cose == [2]int64{c.Kty, c.Crv} {
			return publicJWK(jwk{Crv: k.jwk, X: b64.EncodeToString(c.X), Y: b64.EncodeToString(y)}, k)
		}
	}
	return nil, fmt.Errorf("COSE_Key: kty %d with crv %d: use Ed25519, P-256 or P-384", c.Kty, c.Crv)
}

// PublicOf takes a key of the standard library: ed25519.PublicKey or *ecdsa.PublicKey on P-256 or P-384.
func PublicOf(key crypto.PublicKey) (*Public, error) {
	switch k := key.(type) {
	case ed25519.PublicKey:
		return edPublic(&kinds[0], k)
	case *ecdsa.PublicKey:
		for i := range kinds {
			if kinds[i].curve != nil && kinds[i].curve == k.Curve {
				if _, err := k.Bytes(); err != nil {
					return nil, err
				}
				return &Public{kind: &kinds[i], ec: k}, nil
			}
		}
	}
	return nil, unusable(key)
}
