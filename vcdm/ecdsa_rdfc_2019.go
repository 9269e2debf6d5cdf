//phase:caller
package vcdm

import (
	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// ECDSARDFC2019 returns the cryptosuite ecdsa-rdfc-2019 (VC-DI-ECDSA 3.2) over an RDFC-1.0 canonicalizer.
// P-256 keys hash with SHA-256; P-384 keys with SHA-384, inside RDFC-1.0 too.
func ECDSARDFC2019(c canon.Canonicalizer) Suite {
	return &whole{name: "ecdsa-rdfc-2019", method: canon.RDFC, algorithms: []keys.Algorithm{keys.ES256, keys.ES384}, canon: c, direction: canon.I18nDatatype}
}
