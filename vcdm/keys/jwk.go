//phase:caller
package keys

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// jwk has the members of RFC 7517 and RFC 8037 that these keys use, in the order of RFC 7638.
type jwk struct {
	Crv string `json:"crv"`
	D   string `json:"d,omitempty"`
	Kty string `json:"kty"`
	X   string `json:"x"`
	Y   string `json:"y,omitempty"`
	Alg string `json:"alg,omitempty"`
}

var b64 = base64.RawURLEncoding.Strict()

// JWK returns the key as a JSON Web Key, one without members if the key is empty or for BBS.
func (p *Public) JWK() []byte { return marshalJWK(p.jwk()) }

// JWK returns the key pair as a JSON Web Key with its secret member "d".
func (s *Secret) JWK() []byte {
	if s.Public().empty() || s.bbs != nil {
		return marshalJWK(jwk{})
	}
	j := s.public.jwk()
	j.D = b64.EncodeToString(s.seed())
	return marshalJWK(j)
}

func marshalJWK(j jwk) []byte {
	b, err := json.Marshal(j)
	if err != nil {
		panic(err) // only strings
	}
	return b
}

func (p *Public) jwk() jwk {
	if p.empty() || p.bbs != nil {
		return jwk{}
	}
	if p.ed != nil {
		return jwk{Crv: p.kind.jwk, Kty: "OKP", X: b64.EncodeToString(p.ed)}
	}
	point, n := p.point(), p.kind.size
	return jwk{Crv: p.kind.jwk, Kty: "EC", X: b64.EncodeToString(point[1 : 1+n]),
		Y: b64.EncodeToString(point[1+n:])}
}

// ParsePublicJWK reads a public JSON Web Key. One with the secret member "d" is refused (Controlled
// Identifiers 2.2.3).
func ParsePublicJWK(b []byte) (*Public, error) {
	j, k, err := readJWK(b)
	if err != nil {
		return nil, err
	}
	if j.D != "" {
		return nil, errors.New(`JWK: a public key must not hold the secret member "d"`)
	}
	return publicJWK(j, k)
}

// ParseSecretJWK reads a JSON Web Key with its secret member "d"; the public members must belong to it.
func ParseSecretJWK(b []byte) (*Secret, error) {
	j, k, err := readJWK(b)
	if err != nil {
		return nil, err
	}
	if j.D == "" {
		return nil, errors.New(`JWK: the secret member "d" is missing`)
	}
	d, err := b64.DecodeString(j.D)
	if err != nil {
		return nil, fmt.Errorf("JWK d: %w", err)
	}
	s, err := FromSeed(k.alg, d)
	if err != nil {
		return nil, err
	}
	p, err := publicJWK(j, k)
	if err != nil {
		return nil, err
	}
	if !p.Equal(s.Public()) {
		return nil, errors.New("JWK: its public members belong to another key")
	}
	return s, nil
}

func readJWK(b []byte) (j jwk, k *kind, err error) {
	err = decode(b, member{"crv", &j.Crv}, member{"d", &j.D}, member{"kty", &j.Kty}, member{"x", &j.X},
		member{"y", &j.Y}, member{"alg", &j.Alg})
	if err != nil {
		return j, nil, fmt.Errorf("JWK: %w", err)
	}
	for i := range kinds {
		k := &kinds[i]
		if k.jwk != j.Crv || k.jwk == "" {
			continue
		}
		if want := k.kty(); j.Kty != want {
			return j, nil, fmt.Errorf("JWK: kty of %s is %q, want %q", j.Crv, j.Kty, want)
		}
		if j.Alg != "" && j.Alg != string(k.alg) && !(k.alg == EdDSA && j.Alg == "Ed25519") {
			return j, nil, fmt.Errorf("JWK: alg %q does not fit %s", j.Alg, j.Crv)
		}
		return j, k, nil
	}
	switch {
	case j.Kty == "RSA" || j.Kty == "oct":
		return j, nil, fmt.Errorf("JWK: kty is %q; %s", j.Kty, usable)
	case j.Crv == "":
		return j, nil, fmt.Errorf("JWK: crv is missing; %s", usable)
	}
	return j, nil, fmt.Errorf("JWK: crv is %q; %s", j.Crv, usable)
}

func (k *kind) kty() string {
	if k.curve == nil {
		return "OKP"
	}
	return "EC"
}

func publicJWK(j jwk, k *kind) (*Public, error) {
	x, err := b64.DecodeString(j.X)
	if err != nil || len(x) != k.size {
		return nil, fmt.Errorf("JWK x: want %d bytes of base64url without padding", k.size)
	}
	if k.curve == nil {
		p, err := edPublic(k, x)
		if err != nil {
			return nil, fmt.Errorf("JWK x: %w", err)
		}
		return p, nil
	}
	y, err := b64.DecodeString(j.Y)
	if err != nil || len(y) != k.size {
		return nil, fmt.Errorf("JWK y: want %d bytes of base64url without padding", k.size)
	}
	p, err := ecPublic(k, x, y)
	if err != nil {
		return nil, fmt.Errorf("JWK: not a point on %s", j.Crv)
	}
	return p, nil
}
