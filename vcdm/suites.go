package vcdm

import "canonscope/canon"

// SuiteNames lists every cryptosuite in the order reports use.
var SuiteNames = []string{"eddsa-rdfc-2022", "eddsa-jcs-2022", "ecdsa-rdfc-2019", "ecdsa-jcs-2019", "ecdsa-sd-2023"}

// MethodOf returns the canonicalization method that a cryptosuite takes, or "" for an unknown name.
func MethodOf(suite string) canon.Method {
	switch suite {
	case "eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023":
		return canon.RDFC
	case "eddsa-jcs-2022", "ecdsa-jcs-2019":
		return canon.JCS
	}
	return ""
}

// NewSuite returns a cryptosuite by its name over a canonicalizer of its method, and nil for an unknown name, which every
// role refuses with an error. The options are those of ecdsa-sd-2023.
func NewSuite(name string, c canon.Canonicalizer, o SDOptions) Suite {
	switch name {
	case "eddsa-rdfc-2022":
		return EdDSARDFC2022(c)
	case "eddsa-jcs-2022":
		return EdDSAJCS2022(c)
	case "ecdsa-rdfc-2019":
		return ECDSARDFC2019(c)
	case "ecdsa-jcs-2019":
		return ECDSAJCS2019(c)
	case "ecdsa-sd-2023":
		return ECDSASD2023(c, o)
	}
	return nil
}

// lacks says what a suite lacks to be used, "" if nothing.
func lacks(s Suite) string {
	var c canon.Canonicalizer
	switch s := s.(type) {
	case nil:
		return "it is nil, as NewSuite returns for an unknown name"
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
