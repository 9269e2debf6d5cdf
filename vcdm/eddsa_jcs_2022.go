//phase:caller
package vcdm

import (
	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// EdDSAJCS2022 returns the cryptosuite eddsa-jcs-2022 (VC-DI-EdDSA 3.3) over a JCS canonicalizer.
func EdDSAJCS2022(c canon.Canonicalizer) Suite {
	return &whole{name: "eddsa-jcs-2022", method: canon.JCS, algorithms: []keys.Algorithm{keys.EdDSA}, canon: c}
}
