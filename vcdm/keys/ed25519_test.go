package keys_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/mr-tron/base58"

	"canonscope/vcdm/keys"
)

// edwards is the group of Ed25519 as its definition has it (RFC 8032 section 5.1), slowly.
type edwards struct{ p, d, one *big.Int }

type edPoint struct{ x, y *big.Int }

func newEdwards() *edwards {
	e := &edwards{one: big.NewInt(1)}
	e.p = new(big.Int).Sub(new(big.Int).Lsh(e.one, 255), big.NewInt(19))
	e.d = e.over(big.NewInt(-121665), big.NewInt(121666))
	return e
}

func (e *edwards) over(a, b *big.Int) *big.Int {
	q := new(big.Int).ModInverse(new(big.Int).Mod(b, e.p), e.p)
	return q.Mul(q, a).Mod(q, e.p)
}

func (e *edwards) add(a, b edPoint) edPoint {
	mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	k := mul(e.d, mul(mul(a.x, b.x), mul(a.y, b.y)))
	return edPoint{
		e.over(new(big.Int).Add(mul(a.x, b.y), mul(b.x, a.y)), new(big.Int).Add(e.one, k)),
		e.over(new(big.Int).Add(mul(a.y, b.y), mul(a.x, b.x)), new(big.Int).Sub(e.one, k)),
	}
}

func (e *edwards) times(n *big.Int, a edPoint) edPoint {
	sum := edPoint{new(big.Int), e.one}
	for i := n.BitLen() - 1; i >= 0; i-- {
		if sum = e.add(sum, sum); n.Bit(i) == 1 {
			sum = e.add(sum, a)
		}
	}
	return sum
}

// lift returns the point of a y whose x is even; false where there is none.
func (e *edwards) lift(y *big.Int) (edPoint, bool) {
	yy := new(big.Int).Mul(y, y)
	x := new(big.Int).ModSqrt(e.over(new(big.Int).Sub(yy, e.one), new(big.Int).Add(new(big.Int).Mul(e.d, yy),
		e.one)), e.p)
	if x == nil {
		return edPoint{}, false
	}
	if x.Bit(0) == 1 {
		x.Sub(e.p, x)
	}
	return edPoint{x, y}, true
}

// encodings returns the 32 bytes of a point, then all others that crypto/ed25519 takes for it: y that is
// not reduced, and the sign of an x of 0.
func (e *edwards) encodings(a edPoint) (all [][]byte) {
	for _, y := range []*big.Int{a.y, new(big.Int).Add(a.y, e.p)} {
		if y.BitLen() > 255 {
			continue
		}
		for sign := range uint(2) {
			if sign != a.x.Bit(0) && a.x.Sign() != 0 {
				continue
			}
			b := y.FillBytes(make([]byte, 32))
			slices.Reverse(b)
			b[31] |= byte(sign << 7)
			all = append(all, b)
		}
	}
	return all
}

// readEverywhere reads an Ed25519 key in each form that it comes in.
func readEverywhere(b []byte) map[string]error {
	m := "z" + base58.Encode(append([]byte{0xed, 0x01}, b...))
	errs := map[string]error{}
	_, errs["bytes"] = keys.PublicFromBytes(append([]byte{0xed, 0x01}, b...))
	_, errs["Multikey"] = keys.ParsePublic(m)
	_, errs["did:key"] = keys.ParseMethod("did:key:" + m + "#" + m)
	_, errs["JWK"] = keys.ParsePublicJWK(fmt.Appendf(nil, `{"kty":"OKP","crv":"Ed25519","x":%q}`,
		base64.RawURLEncoding.EncodeToString(b)))
	_, errs["COSE"] = keys.ParsePublicCOSE(append([]byte{0xa3, 0x01, 0x01, 0x20, 0x06, 0x21, 0x58, 0x20},
		b...))
	_, errs["crypto"] = keys.PublicOf(ed25519.PublicKey(b))
	_, errs["file"] = keys.ParseFile(fmt.Appendf(nil, `{"type":"Multikey","publicKeyMultibase":%q}`, m))
	return errs
}

// The eight points of small order are refused in all fourteen encodings, under each of which crypto/ed25519
// accepts one signature, made without a secret, for many messages.
func TestSmallOrder(t *testing.T) {
	e := newEdwards()
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	var generator edPoint // of the points of small order
	for y := int64(2); ; y++ {
		p, ok := e.lift(big.NewInt(y))
		if !ok {
			continue
		}
		if generator = e.times(order, p); e.times(big.NewInt(4), generator).y.Cmp(e.one) != 0 {
			break
		}
	}
	base, _ := e.lift(e.over(big.NewInt(4), big.NewInt(5)))
	sig := append(e.encodings(base)[0], append([]byte{1}, make([]byte, 31)...)...) // R = B, S = 1
	seen := map[string]bool{}
	for n := range int64(8) {
		p := e.times(big.NewInt(n), generator)
		for _, b := range e.encodings(p) {
			seen[string(b)] = true
			fits := 0
			for m := range 100 {
				if ed25519.Verify(b, fmt.Append(nil, m), sig) {
					fits++
				}
			}
			if fits < 2 {
				t.Errorf("%x: the signature fits %d of 100 messages", b, fits)
			}
			want := keys.ErrSmallOrder
			if p.y.Cmp(big.NewInt(18)) <= 0 && new(big.Int).SetBytes(reversed(b)).Cmp(e.p) >= 0 {
				want = keys.ErrNotCanonical
			}
			for form, err := range readEverywhere(b) {
				if !errors.Is(err, want) {
					t.Errorf("%x as %s: %v, want %v", b, form, err, want)
				}
			}
		}
	}
	if len(seen) != 14 {
		t.Errorf("%d encodings, there are 14", len(seen))
	}
}

// reversed returns y as a number, the highest byte first.
func reversed(b []byte) []byte {
	r := slices.Clone(b)
	r[31] &= 0x7f
	slices.Reverse(r)
	return r
}

// No y of p or more is read, whatever its sign; y just below p and keys that people have are.
func TestNotCanonical(t *testing.T) {
	e := newEdwards()
	for i := range int64(19) {
		for sign := range byte(2) {
			b := new(big.Int).Add(e.p, big.NewInt(i)).FillBytes(make([]byte, 32))
			slices.Reverse(b)
			b[31] |= sign << 7
			for form, err := range readEverywhere(b) {
				if !errors.Is(err, keys.ErrNotCanonical) {
					t.Errorf("p+%d as %s: %v", i, form, err)
				}
			}
		}
	}
	good := [][]byte{}
	for i := int64(2); i < 40; i++ { // off the curve or on it
		good = append(good, e.encodings(edPoint{e.one, new(big.Int).Sub(e.p, big.NewInt(i))})[0])
		good = append(good, e.encodings(edPoint{e.one, big.NewInt(i)})[0])
	}
	for range 100 {
		s, err := keys.Generate(keys.EdDSA)
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, s.Public().Crypto().(ed25519.PublicKey))
	}
	for _, b := range good {
		for form, err := range readEverywhere(b) {
			if err != nil {
				t.Errorf("%x as %s: %v", b, form, err)
			}
		}
	}
}
