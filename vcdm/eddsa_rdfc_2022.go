//phase:caller
package vcdm

import (
	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// EdDSARDFC2022 returns the cryptosuite eddsa-rdfc-2022 (VC-DI-EdDSA 3.2) over an RDFC-1.0 canonicalizer.
func EdDSARDFC2022(c canon.Canonicalizer) Suite {
	return &whole{name: "eddsa-rdfc-2022", method: canon.RDFC, algorithms: []keys.Algorithm{keys.EdDSA}, canon: c, direction: canon.I18nDatatype}
}
