package bbs

import (
	"crypto/rand"
	"math/big"
	"slices"
	"sync"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// window is the width of the signed digits of a scalar, tableSize the odd multiples that they need.
const (
	window    = 5
	tableSize = 1 << (window - 2)
)

// table holds P, 3P, 5P, … 15P.
type table [tableSize]bls.G1Affine

func newTable(p *bls.G1Affine) *table {
	var jac [tableSize]bls.G1Jac
	var twice bls.G1Jac
	jac[0].FromAffine(p)
	twice.Double(&jac[0])
	for i := 1; i < tableSize; i++ {
		jac[i].Set(&jac[i-1]).AddAssign(&twice)
	}
	t := new(table)
	for i := range jac {
		t[i].FromJacobian(&jac[i])
	}
	return t
}

// term is a multiple of a point.
type term struct {
	point *table
	times *fr.Element
}

// digits writes the signed digits of a scalar, the lowest first, and returns how many there are. Each is zero
// or odd and between -15 and 15, and four zeros follow one that is not.
func digits(d *[fr.Bits + 2]int8, k *fr.Element) int {
	w := k.Bits()
	n := 0

	for ; w[0]|w[1]|w[2]|w[3] != 0; n++ {
		d[n] = 0
		if w[0]&1 == 1 {
			digit := int8(w[0] & (1<<window - 1))
			if digit >= 1<<(window-1) {
				digit -= 1 << window
			}
			d[n] = digit
			if digit > 0 {
				w[0] -= uint64(digit) // does not borrow: these are its low bits
			} else {
				carry := uint64(-digit)
				for i := 0; i < len(w) && carry != 0; i++ {
					w[i] += carry
					if w[i] >= carry {
						carry = 0
					} else {
						carry = 1
					}
				}
			}
		}

		w[0] = w[0]>>1 | w[1]<<63
		w[1] = w[1]>>1 | w[2]<<63
		w[2] = w[2]>>1 | w[3]<<63
		w[3] >>= 1
	}
	return n
}

// sum adds multiples of points, with the doublings shared (Straus; the digits are the w-NAF).
func sum(terms ...term) bls.G1Affine {
	all := make([][fr.Bits + 2]int8, len(terms))
	sizes := make([]int, len(terms))
	for i, t := range terms {
		sizes[i] = digits(&all[i], t.times)
	}

	var acc bls.G1Jac
	acc.X.SetOne()
	acc.Y.SetOne()
	var minus bls.G1Affine
	for bit := slices.Max(append(sizes, 0)) - 1; bit >= 0; bit-- {
		acc.DoubleAssign()
		for i := range terms {
			if bit >= sizes[i] {
				continue
			}
			switch d := all[i][bit]; {
			case d > 0:
				acc.AddMixed(&terms[i].point[d/2])
			case d < 0:
				acc.AddMixed(minus.Neg(&terms[i].point[-d/2]))
			}
		}
	}

	var p bls.G1Affine
	p.FromJacobian(&acc)
	return p
}

// multiple returns a multiple of a point by a scalar that is not a lasting secret.
func multiple(p *bls.G1Affine, k *fr.Element) (q bls.G1Affine) {
	q.ScalarMultiplication(p, k.BigInt(new(big.Int)))
	return q
}

// masked returns k as the difference of two scalars, of which one is fresh and random.
func masked(k *fr.Element) (a, b *big.Int, err error) {
	var mask [64]byte
	if _, err := rand.Read(mask[:]); err != nil {
		return nil, nil, err
	}
	var m, rest fr.Element
	m.SetBytes(mask[:])
	rest.Sub(k, &m)
	return m.BigInt(new(big.Int)), rest.BigInt(new(big.Int)), nil
}

// secretMultiple returns a multiple of a point by a lasting secret.
func secretMultiple(p *bls.G1Affine, k *fr.Element) (q bls.G1Affine, err error) {
	a, b, err := masked(k)
	if err != nil {
		return q, err
	}
	var jac bls.G1Jac
	jac.JointScalarMultiplication(p, p, a, b)
	q.FromJacobian(&jac)
	return q, nil
}

// secretInverse returns the inverse of a lasting secret, which is not zero.
func secretInverse(k *fr.Element) (inverse fr.Element, err error) {
	mask, err := Random(nil).draw(1)
	if err != nil {
		return inverse, err
	}
	inverse.Mul(k, &mask[0])
	inverse.Inverse(&inverse)
	inverse.Mul(&inverse, &mask[0])
	return inverse, nil
}

// generator is a point that the ciphersuite fixes, with its bytes.
type generator struct {
	table  *table
	octets [pointSize]byte
}

// MaxMessages bounds the messages of one signature, and so the generators that are kept: each takes 0.8 kB.
const MaxMessages = 1 << 14

// generators are those of one interface. They are constants, so that what is kept of them depends on no
// document.
type generators struct {
	api  *api
	id   string // of the interface, in the tags
	lock sync.Mutex
	seed []byte
	all  []generator
}

// take returns the first count generators (create_generators).
func (g *generators) take(count int, pause Pause) ([]generator, error) {
	const between = 16 // generators
	for {
		all := g.extend(count, between)
		if len(all) >= count {
			return all[:count:count], nil
		}
		if err := pause.ask(); err != nil {
			return nil, err
		}
	}
}

// extend makes some generators more if there are not count yet, and returns all.
func (g *generators) extend(count, most int) []generator {
	g.lock.Lock()
	defer g.lock.Unlock()
	seedDST, pointDST := []byte(g.id+"SIG_GENERATOR_SEED_"), []byte(g.id+"SIG_GENERATOR_DST_")
	s := g.api.suite
	if g.seed == nil {
		g.seed = s.expand([]byte(g.id+"MESSAGE_GENERATOR_SEED"), seedDST, expandSize)
	}
	for ; most > 0 && len(g.all) < count; most-- {
		g.seed = s.expand(appendInt(clone(g.seed), len(g.all)+1), seedDST, expandSize)
		p := s.point(g.seed, pointDST)
		g.all = append(g.all, generator{newTable(&p), p.Bytes()})
	}
	return g.all
}
