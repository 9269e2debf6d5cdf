//phase:caller
package keys

import (
	"bytes"
	"slices"

	"canonscope/vcdm/internal/bbs"
)

// BBS signs lists of messages, of which a holder can disclose some (draft-irtf-cfrg-bbs-signatures,
// BLS12-381 with SHA-256). It is the algorithm of bbs-2023 alone and not among [Algorithms]: SD-JWT VC and
// mdoc have no use for it, nor do JWK, PEM and COSE here.
const BBS Algorithm = "BBS"

// SignsText reports whether keys of the algorithm sign one text, as JOSE and COSE want: those of
// [Algorithms]. An empty algorithm does not.
func (a Algorithm) SignsText() bool { return slices.Contains(Algorithms, a) }

func bbsSecret(k *kind, seed []byte) (*Secret, error) {
	s, err := bbs.ParseSecretKey(seed)
	if err != nil {
		return nil, err
	}
	return &Secret{public: Public{kind: k, bbs: s.Public()}, bbs: s}, nil
}

func bbsPublic(k *kind, b []byte) (*Public, error) {
	p, err := bbs.ParsePublicKey(bytes.Clone(b))
	if err != nil {
		return nil, err
	}
	return &Public{kind: k, bbs: p}, nil
}

// BBS returns the key in the form that package bbs takes, nil of a key for another algorithm.
func (s *Secret) BBS() *bbs.SecretKey {
	if s == nil {
		return nil
	}
	return s.bbs
}

// BBS returns the key in the form that package bbs takes, nil of a key for another algorithm.
func (p *Public) BBS() *bbs.PublicKey {
	if p == nil {
		return nil
	}
	return p.bbs
}

// SignAll signs messages apart under a header, with a key for BBS: 80 bytes for any number of them.
//
//phase:sign primitive
func (s *Secret) SignAll(header []byte, messages [][]byte) ([]byte, error) {
	if s.BBS() == nil {
		return nil, errOther
	}
	return bbs.SHA256.Sign(s.bbs, header, messages, nil)
}

// VerifyAll reports whether sig is a signature by [Secret.SignAll].
//
//phase:check primitive
func (p *Public) VerifyAll(header []byte, messages [][]byte, sig []byte) bool {
	return p.BBS() != nil && bbs.SHA256.Verify(&bbs.Statement{Key: p.bbs, Header: header, Messages: messages},
		sig) == nil
}
