//phase:caller
package vcdm

import (
	"context"
	"slices"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/vcdm/keys"
)

// Suites are the cryptosuites, in the order of reports.
var Suites = []*Cryptosuite{&eddsaRDFC2022, &eddsaJCS2022, &ecdsaRDFC2019, &ecdsaJCS2019, &ecdsaSD2023,
	&bbs2023}

// Cryptosuite describes a cryptosuite and what it needs.
type Cryptosuite struct {
	Name       string           // its identifier, e.g. "eddsa-rdfc-2022"
	Method     canon.Method     // of the canonicalizer that it takes
	Algorithms []keys.Algorithm // of the keys that it takes, at least one
	Derives    bool             // holders derive what they present; otherwise the issuer signs a subset anew
}

var (
	eddsaRDFC2022 = Cryptosuite{Name: "eddsa-rdfc-2022", Method: canon.RDFC,
		Algorithms: []keys.Algorithm{keys.EdDSA}}
	eddsaJCS2022 = Cryptosuite{Name: "eddsa-jcs-2022", Method: canon.JCS,
		Algorithms: []keys.Algorithm{keys.EdDSA}}
	ecdsaRDFC2019 = Cryptosuite{Name: "ecdsa-rdfc-2019", Method: canon.RDFC,
		Algorithms: []keys.Algorithm{keys.ES256, keys.ES384}}
	ecdsaJCS2019 = Cryptosuite{Name: "ecdsa-jcs-2019", Method: canon.JCS,
		Algorithms: []keys.Algorithm{keys.ES256, keys.ES384}}
	ecdsaSD2023 = Cryptosuite{Name: "ecdsa-sd-2023", Method: canon.RDFC,
		Algorithms: []keys.Algorithm{keys.ES256}, Derives: true}
	bbs2023 = Cryptosuite{Name: "bbs-2023", Method: canon.RDFC,
		Algorithms: []keys.Algorithm{keys.BBS}, Derives: true}
)

// New returns the cryptosuite over a canonicalizer of its method. The options are those of suites that
// derive.
func (s *Cryptosuite) New(c canon.Canonicalizer, o SDOptions) Suite {
	switch s {
	case &ecdsaSD2023:
		return ECDSASD2023(c, o)
	case &bbs2023:
		return BBS2023(c, o)
	}
	return s.whole(c)
}

func (s *Cryptosuite) whole(c canon.Canonicalizer) Suite {
	return &whole{s, engine{c, canon.I18nDatatype}}
}

// takes returns a [*KeyError] for a key of an algorithm that the suite does not take.
func (s *Cryptosuite) takes(a keys.Algorithm) error {
	if slices.Contains(s.Algorithms, a) {
		return nil
	}
	return &KeyError{s.Name, a, s.Algorithms}
}

// SuiteNamed returns a cryptosuite by its identifier. The error of an unknown one is a [*choice.Error].
func SuiteNamed(name string) (*Cryptosuite, error) {
	for _, s := range Suites {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, choice.Unknown("cryptosuite", name, SuiteNames()...)
}

// SuiteNames returns the identifiers of the cryptosuites.
func SuiteNames() []string {
	names := make([]string, len(Suites))
	for i, s := range Suites {
		names[i] = s.Name
	}
	return names
}

// MethodOf returns the method of a cryptosuite, "" for an unknown one.
func MethodOf(name string) canon.Method {
	if s, err := SuiteNamed(name); err == nil {
		return s.Method
	}
	return ""
}

// EdDSARDFC2022 returns the cryptosuite eddsa-rdfc-2022 (VC-DI-EdDSA 3.2) over an RDFC-1.0 canonicalizer.
func EdDSARDFC2022(c canon.Canonicalizer) Suite { return eddsaRDFC2022.whole(c) }

// ECDSARDFC2019 returns the cryptosuite ecdsa-rdfc-2019 (VC-DI-ECDSA 3.2) over an RDFC-1.0 canonicalizer.
// P-256 keys hash with SHA-256; P-384 keys with SHA-384, inside RDFC-1.0 too.
func ECDSARDFC2019(c canon.Canonicalizer) Suite { return ecdsaRDFC2019.whole(c) }

// engine is what a suite canonicalizes with, and the base direction that it puts into RDF.
type engine struct {
	canon     canon.Canonicalizer
	direction string
}

func (e *engine) canonicalizer() canon.Canonicalizer { return e.canon }

// form returns the canonical form of a document as RDF.
func (e *engine) form(ctx context.Context, in *input) ([]byte, error) {
	in.options.Input, in.options.Direction = canon.JSONLD, e.direction
	return in.canonicalDocument(ctx, e.canon)
}

// lacks returns what a suite lacks to be used, "" if nothing.
func lacks(s Suite) string {
	if s == nil {
		return "it is nil"
	}
	if sd, ok := s.(*SD); ok && sd == nil {
		return "it is a nil *SD"
	}
	if s.canonicalizer() == nil {
		return "it has no canonicalizer: make one with engines.New"
	}
	return ""
}

// WithDirection returns a suite that puts base directions into RDF in another way than canon.I18nDatatype,
// which is the way of issuers in use; "" refuses them. The way is not a part of the proof, so issuer and
// verifier have to agree on it. A JCS suite stays as it is, since it signs the JSON.
func WithDirection(s Suite, direction string) Suite {
	switch s := s.(type) {
	case *whole:
		return &whole{s.Cryptosuite, engine{s.canon, direction}}
	case *SD:
		if s != nil {
			c := *s
			c.direction = direction
			return &c
		}
	}
	return s
}
