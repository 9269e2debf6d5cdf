package bbs

import "fmt"

// KeyGen makes the key pair of secret material of at least 32 bytes.
func (s *Suite) KeyGen(material, info []byte) (*SecretKey, error) {
	switch {
	case len(material) < 32:
		return nil, fmt.Errorf("BBS key material is %d bytes, want at least 32", len(material))
	case len(info) > 1<<16-1:
		return nil, fmt.Errorf("BBS key info is %d bytes, want at most 65535", len(info))
	}
	input := append(append(clone(material), byte(len(info)>>8), byte(len(info))), info...)
	k := s.scalar(input, []byte(s.id+"H2G_HM2S_KEYGEN_DST_"))
	return newSecretKey(&k)
}
