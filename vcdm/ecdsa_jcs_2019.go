//phase:caller
package vcdm

import (
	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// ECDSAJCS2019 returns the cryptosuite ecdsa-jcs-2019 (VC-DI-ECDSA 3.3) over a JCS canonicalizer.
// P-256 keys hash with SHA-256, P-384 keys with SHA-384.
func ECDSAJCS2019(c canon.Canonicalizer) Suite {
	return &whole{name: "ecdsa-jcs-2019", method: canon.JCS, algorithms: []keys.Algorithm{keys.ES256, keys.ES384}, canon: c}
}
