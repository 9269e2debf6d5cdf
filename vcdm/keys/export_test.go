package keys

import "math/big"

// Order returns the order of the key's curve.
func (p *Public) Order() *big.Int { return new(big.Int).Set(p.ec.Params().N) }

// Int reads a big-endian number.
func (p *Public) Int(b []byte) *big.Int { return new(big.Int).SetBytes(b) }

// Uncompressed returns the point as 04, x, y.
func (p *Public) Uncompressed() ([]byte, error) { return p.ec.Bytes() }
