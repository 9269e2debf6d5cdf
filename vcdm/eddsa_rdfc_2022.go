package vcdm

import (
	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// EdDSARDFC2022 returns the cryptosuite eddsa-rdfc-2022 (VC-DI-EdDSA 3.2) over an RDFC-1.0 canonicalizer.
func EdDSARDFC2022(c canon.Canonicalizer) Suite {
	return &whole{"eddsa-rdfc-2022", canon.RDFC, []keys.Algorithm{keys.EdDSA}, c}
}
