//phase:caller
package vcdm

import (
	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/vcdm/keys"
)

// Suites are the cryptosuites, in the order of reports.
var Suites = []*Cryptosuite{&eddsaRDFC2022, &eddsaJCS2022, &ecdsaRDFC2019, &ecdsaJCS2019, &ecdsaSD2023}

// Cryptosuite says what a cryptosuite is and needs.
type Cryptosuite struct {
	Name       string           // its identifier, e.g. "eddsa-rdfc-2022"
	Method     canon.Method     // of the canonicalizer that it takes
	Algorithms []keys.Algorithm // of the keys that it takes, at least one
	Derives    bool             // holders derive what they present; otherwise the issuer signs a subset anew
}

var (
	eddsaRDFC2022 = Cryptosuite{Name: "eddsa-rdfc-2022", Method: canon.RDFC, Algorithms: []keys.Algorithm{keys.EdDSA}}
	eddsaJCS2022  = Cryptosuite{Name: "eddsa-jcs-2022", Method: canon.JCS, Algorithms: []keys.Algorithm{keys.EdDSA}}
	ecdsaRDFC2019 = Cryptosuite{Name: "ecdsa-rdfc-2019", Method: canon.RDFC, Algorithms: []keys.Algorithm{keys.ES256, keys.ES384}}
	ecdsaJCS2019  = Cryptosuite{Name: "ecdsa-jcs-2019", Method: canon.JCS, Algorithms: []keys.Algorithm{keys.ES256, keys.ES384}}
	ecdsaSD2023   = Cryptosuite{Name: "ecdsa-sd-2023", Method: canon.RDFC, Algorithms: []keys.Algorithm{keys.ES256}, Derives: true}
)

// New returns the cryptosuite over a canonicalizer of its method. The options are those of ecdsa-sd-2023.
func (s *Cryptosuite) New(c canon.Canonicalizer, o SDOptions) Suite {
	if s.Derives {
		return ECDSASD2023(c, o)
	}
	return s.whole(c)
}

func (s *Cryptosuite) whole(c canon.Canonicalizer) Suite {
	w := &whole{Cryptosuite: s, canon: c}
	if s.Method == canon.RDFC {
		w.direction = canon.I18nDatatype
	}
	return w
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
	for _, s := range Suites {
		if s.Name == name {
			return s.Method
		}
	}
	return ""
}

// EdDSARDFC2022 returns the cryptosuite eddsa-rdfc-2022 (VC-DI-EdDSA 3.2) over an RDFC-1.0 canonicalizer.
func EdDSARDFC2022(c canon.Canonicalizer) Suite { return eddsaRDFC2022.whole(c) }

// EdDSAJCS2022 returns the cryptosuite eddsa-jcs-2022 (VC-DI-EdDSA 3.3) over a JCS canonicalizer.
func EdDSAJCS2022(c canon.Canonicalizer) Suite { return eddsaJCS2022.whole(c) }

// ECDSARDFC2019 returns the cryptosuite ecdsa-rdfc-2019 (VC-DI-ECDSA 3.2) over an RDFC-1.0 canonicalizer. P-256 keys hash with
// SHA-256; P-384 keys with SHA-384, inside RDFC-1.0 too.
func ECDSARDFC2019(c canon.Canonicalizer) Suite { return ecdsaRDFC2019.whole(c) }

// ECDSAJCS2019 returns the cryptosuite ecdsa-jcs-2019 (VC-DI-ECDSA 3.3) over a JCS canonicalizer. P-256 keys hash with SHA-256,
// P-384 keys with SHA-384.
func ECDSAJCS2019(c canon.Canonicalizer) Suite { return ecdsaJCS2019.whole(c) }

// lacks says what a suite lacks to be used, "" if nothing.
func lacks(s Suite) string {
	var c canon.Canonicalizer
	switch s := s.(type) {
	case nil:
		return "it is nil"
	case *whole:
		c = s.canon
	case *SD:
		if s == nil {
			return "it is a nil *SD"
		}
		c = s.canon
	}
	if c == nil {
		return "it has no canonicalizer: make one with engines.New"
	}
	return ""
}

// WithDirection returns a suite that puts base directions into RDF in another way than canon.I18nDatatype, which is the way
// of issuers in use; "" refuses them. The way is not a part of the proof, so issuer and verifier have to agree on it. A JCS
// suite stays as it is, since it signs the JSON.
func WithDirection(s Suite, direction string) Suite {
	switch s := s.(type) {
	case *whole:
		c := *s
		c.direction = direction
		return &c
	case *SD:
		if s == nil {
			return s
		}
		c := *s
		c.direction = direction
		return &c
	}
	return s
}
