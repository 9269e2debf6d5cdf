package bbs

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
)

// TestKnownAnswers has facts of draft-irtf-cfrg-bbs-signatures (sections 8.3.1 and 8.4.1, and the signature
// over no message of section 8.3.4), so that it fails without the fixtures too.
func TestKnownAnswers(t *testing.T) {
	material := []byte("this-IS-just-an-Test-IKM-to-generate-$e(r@t#-key")
	info := []byte("this-IS-some-key-metadata-to-be-used-in-test-key-gen")
	for _, c := range []struct {
		suite  *Suite
		secret string
	}{
		{SHA256, "60e55110f76883a13d030b2f6bd11883422d5abde717569fc0731f51237169fc"},
		{SHAKE256, "2eee0f60a8a3a8bec0ee942bfd46cbdae9a0738ee68f5a64e7238311cf09a079"},
	} {
		k, err := c.suite.KeyGen(material, info)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(k.Bytes()); got != c.secret {
			t.Errorf("%s: the secret key is %s, want %s", c.suite.id, got, c.secret)
		}
	}
}

// TestSum compares sums with those of gnark-crypto, for scalars with long carries too.
func TestSum(t *testing.T) {
	g, err := SHA256.plain.signer.take(12, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := SHA256.Seeded([]byte("sum"), []byte("dst"))(12)
	k[0].SetZero()
	k[1].SetOne()
	k[2].Neg(&k[1])
	k[3].SetUint64(1<<64 - 1)
	k[4].SetUint64(16)
	points := make([]bls.G1Affine, len(k))
	for i := range points {
		points[i] = g[i].table[0]
	}

	var want bls.G1Affine
	if _, err := want.MultiExp(points, k, ecc.MultiExpConfig{}); err != nil {
		t.Fatal(err)
	}
	if got := sumOf(g, k); !got.Equal(&want) {
		t.Error("the sum of multiples is another than that of MultiExp")
	}
	if got := sum(); !got.IsInfinity() {
		t.Error("the empty sum is not the point at infinity")
	}
	for i := range k {
		want.ScalarMultiplication(&points[i], k[i].BigInt(ecc.BLS12_381.ScalarField()))
		if got := sumOf(g[i:i+1], k[i:i+1]); !got.Equal(&want) {
			t.Errorf("multiple %d is another than that of ScalarMultiplication", i)
		}
	}
}

// lab is an issuer, a signature and what it is about.
type lab struct {
	key       *SecretKey
	statement *Statement
	signature []byte
}

func newLab(t testing.TB, messages int) *lab {
	t.Helper()
	key, err := SHA256.KeyGen([]byte(rand.Text()+rand.Text()), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{key: key, statement: &Statement{Key: key.Public(), Header: []byte("header")}}
	for i := range messages {
		l.statement.Messages = append(l.statement.Messages, fmt.Appendf(nil, "message %d", i))
	}
	if l.signature, err = SHA256.Sign(key, l.statement.Header, l.statement.Messages, nil); err != nil {
		t.Fatal(err)
	}
	return l
}

// present returns a proof that discloses some messages, and the claim that it fits.
func (l *lab) present(t testing.TB, disclosed ...int) ([]byte, *Claim) {
	t.Helper()
	proof, _, err := SHA256.Prove(l.statement, l.signature,
		&Presentation{Header: []byte("to you"), Disclosed: disclosed})
	if err != nil {
		t.Fatal(err)
	}
	c := &Claim{Key: l.statement.Key, Header: l.statement.Header, Presented: []byte("to you"),
		Disclosed: disclosed}
	for _, i := range disclosed {
		c.Messages = append(c.Messages, l.statement.Messages[i])
	}
	return proof, c
}

// TestDisclosures discloses nothing, everything and parts.
func TestDisclosures(t *testing.T) {
	l := newLab(t, 5)
	if err := SHA256.Verify(l.statement, l.signature); err != nil {
		t.Error(err)
	}
	for _, disclosed := range [][]int{{}, {0}, {4}, {1, 3}, {0, 1, 2, 3, 4}} {
		proof, claim := l.present(t, disclosed...)
		if err := SHA256.Check(claim, proof); err != nil {
			t.Errorf("%v: %v", disclosed, err)
		}
		if err := SHAKE256.Check(claim, proof); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: under the other ciphersuite: %v", disclosed, err)
		}
	}
	empty := newLab(t, 0)
	proof, claim := empty.present(t)
	if err := SHA256.Check(claim, proof); err != nil {
		t.Errorf("no messages: %v", err)
	}
}

// TestUnlinkable finds no eight bytes of one proof or of the signature in another proof.
func TestUnlinkable(t *testing.T) {
	l := newLab(t, 4)
	first, _ := l.present(t, 1)
	second, _ := l.present(t, 1)
	for _, other := range [][]byte{second, l.signature} {
		for i := range len(other) - 8 {
			if slices.ContainsFunc(windows(first), func(w string) bool { return w == string(other[i:i+8]) }) {
				t.Fatalf("bytes %d to %d are in the first proof", i, i+8)
			}
		}
	}
}

func windows(b []byte) (all []string) {
	for i := range len(b) - 8 {
		all = append(all, string(b[i:i+8]))
	}
	return all
}

// TestForgedProofs changes each part of a proof and of what is shown beside it.
func TestForgedProofs(t *testing.T) {
	l := newLab(t, 4)
	proof, claim := l.present(t, 0, 2)
	other := newLab(t, 4)
	edit := func(at int, b ...byte) []byte {
		return slices.Concat(proof[:at], b, proof[at+len(b):])
	}
	r, err := hex.DecodeString("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001")
	if err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		change func(c *Claim)
		want   error
	}{
		"message": {func(c *Claim) { c.Messages = [][]byte{{1}, c.Messages[1]} }, ErrInvalid},
		"messages swapped": {func(c *Claim) { c.Messages = [][]byte{c.Messages[1], c.Messages[0]} },
			ErrInvalid},
		"header":              {func(c *Claim) { c.Header = nil }, ErrInvalid},
		"presentation header": {func(c *Claim) { c.Presented = nil }, ErrInvalid},
		"key":                 {func(c *Claim) { c.Key = other.statement.Key }, ErrInvalid},
		"index":               {func(c *Claim) { c.Disclosed = []int{0, 1} }, ErrInvalid},
		"index twice":         {func(c *Claim) { c.Disclosed = []int{2, 2} }, ErrMalformed},
		"indexes descend":     {func(c *Claim) { c.Disclosed = []int{2, 0} }, ErrMalformed},
		"index out of range":  {func(c *Claim) { c.Disclosed = []int{0, 4} }, ErrMalformed},
		"index negative":      {func(c *Claim) { c.Disclosed = []int{-1, 0} }, ErrMalformed},
		"message missing":     {func(c *Claim) { c.Messages = c.Messages[:1] }, ErrMalformed},
		"one fewer": {func(c *Claim) { c.Messages, c.Disclosed = c.Messages[:1], c.Disclosed[:1] },
			ErrInvalid},
		"as blind":            {func(c *Claim) { c.Blind, c.Total = true, 3 }, ErrInvalid},
		"blind, total of all": {func(c *Claim) { c.Blind, c.Total = true, 4 }, ErrMalformed},
		"total negative":      {func(c *Claim) { c.Blind, c.Total = true, -1 }, ErrMalformed},
	} {
		changed := *claim
		c.change(&changed)
		if err := SHA256.Check(&changed, proof); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}

	zeros := make([]byte, pointSize-1)
	hidden := 3*pointSize + 4*scalarSize
	for name, c := range map[string]struct {
		proof []byte
		want  error
	}{
		"one hidden fewer":    {proof[:len(proof)-scalarSize], ErrInvalid},
		"trailing byte":       {append(slices.Clone(proof), 0), ErrMalformed},
		"empty":               {nil, ErrMalformed},
		"infinity":            {edit(0, append([]byte{0xc0}, zeros...)...), ErrMalformed},
		"not compressed":      {edit(0, proof[0]&0x7f), ErrMalformed},
		"not on the curve":    {edit(0, slices.Concat([]byte{0x80}, zeros[1:], []byte{1})...), ErrMalformed},
		"of another subgroup": {edit(pointSize, outside(t)...), ErrMalformed},
		"scalar zero":         {edit(3*pointSize, make([]byte, scalarSize)...), ErrMalformed},
		"scalar r":            {edit(3*pointSize, r...), ErrMalformed},
		"scalar changed":      {edit(4*pointSize-17, proof[4*pointSize-17]^1), ErrInvalid},
		"hidden changed":      {edit(hidden-1, proof[hidden-1]^1), ErrInvalid},
	} {
		if err := SHA256.Check(claim, c.proof); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// outside returns a point of the curve outside of the subgroup.
func outside(t *testing.T) []byte {
	var p, four bls.G1Affine
	four.X.SetUint64(4)
	for x := uint64(1); x < 100; x++ {
		p.X.SetUint64(x)
		p.Y.Square(&p.X).Mul(&p.Y, &p.X)
		p.Y.Add(&p.Y, &four.X)
		if p.Y.Sqrt(&p.Y) != nil && p.IsOnCurve() && !p.IsInSubGroup() {
			b := p.Bytes()
			return b[:]
		}
	}
	t.Fatal("no point outside of the subgroup was found")
	return nil
}

// TestKeys refuses keys that are none.
func TestKeys(t *testing.T) {
	k := newLab(t, 0).key
	if p, err := ParsePublicKey(k.Public().Bytes()); err != nil || !p.Equal(k.Public()) {
		t.Errorf("a public key does not come back: %v", err)
	}
	if s, err := ParseSecretKey(k.Bytes()); err != nil || !s.Public().Equal(k.Public()) {
		t.Errorf("a secret key does not come back: %v", err)
	}
	infinity := append([]byte{0xc0}, make([]byte, PublicSize-1)...)
	for name, b := range map[string][]byte{
		"empty": nil, "short": k.Public().Bytes()[1:], "infinity": infinity,
		"zeros": make([]byte, PublicSize), "long": append(k.Public().Bytes(), 0),
		"not compressed": append([]byte{k.Public().Bytes()[0] & 0x7f}, k.Public().Bytes()[1:]...),
	} {
		if _, err := ParsePublicKey(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("public key, %s: %v", name, err)
		}
	}
	for _, b := range [][]byte{nil, make([]byte, SecretSize), slices.Repeat([]byte{0xff}, SecretSize), {1}} {
		if _, err := ParseSecretKey(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("secret key %x: %v", b, err)
		}
	}
}

// TestPause stops where a hostile proof would have generators made for seconds.
func TestPause(t *testing.T) {
	stop := errors.New("stop")
	st := &Statement{Key: newLab(t, 0).statement.Key, Messages: make([][]byte, 1000),
		Pause: func() error { return stop }}
	if err := SHAKE256.Verify(st, newLab(t, 0).signature); !errors.Is(err, stop) {
		t.Errorf("the error is %v, want that of Pause", err)
	}
	st.Messages = make([][]byte, MaxMessages+1)
	if err := SHAKE256.Verify(st, newLab(t, 0).signature); !errors.Is(err, ErrMalformed) {
		t.Errorf("too many messages: %v", err)
	}
}

// TestHolder binds a signature to a holder and to a pseudonym.
func TestHolder(t *testing.T) {
	key := newLab(t, 0).key
	messages := [][]byte{[]byte("one"), []byte("two"), []byte("three")}
	scalars := make([][]byte, 3)
	for i := range scalars {
		var err error
		if scalars[i], err = RandomScalar(); err != nil {
			t.Fatal(err)
		}
	}

	for _, secret := range [][][]byte{nil, {scalars[0]}} {
		for _, nym := range []*Nym{nil, {Prover: scalars[1], Signer: scalars[2]}} {
			name := fmt.Sprintf("%d secrets, pseudonym %v", len(secret), nym != nil)
			commitment, blind, err := SHA256.Commit(secret, nym, nil)
			if err != nil {
				t.Fatal(err)
			}
			var entropy []byte
			if nym != nil {
				entropy = nym.Signer
			}
			sig, err := SHA256.BlindSign(key, commitment, entropy, nil, messages, nil)
			if err != nil {
				t.Fatal(err)
			}
			st := &Statement{Key: key.Public(), Messages: messages,
				Holder: &Hidden{Messages: secret, Blind: blind, Nym: nym}}
			if err := SHA256.Verify(st, sig); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			proof, pseudonym, err := SHA256.Prove(st, sig,
				&Presentation{Disclosed: []int{1}, Domain: []byte("a shop")})
			if err != nil {
				t.Fatal(err)
			}
			claim := &Claim{Key: key.Public(), Messages: messages[1:2], Disclosed: []int{1}, Blind: true,
				Total: 3, Pseudonym: pseudonym, Domain: []byte("a shop")}
			if err := SHA256.Check(claim, proof); err != nil {
				t.Errorf("%s: %v", name, err)
			}

			wrong := *claim
			wrong.Total = 2
			if SHA256.Check(&wrong, proof) == nil {
				t.Errorf("%s: verifies with another number of messages", name)
			}
			wrong = *claim
			wrong.Blind = false
			if SHA256.Check(&wrong, proof) == nil {
				t.Errorf("%s: verifies as one without a holder", name)
			}
			if nym != nil {
				wrong = *claim
				wrong.Domain = []byte("another shop")
				if SHA256.Check(&wrong, proof) == nil {
					t.Errorf("%s: verifies for another domain", name)
				}
				wrong = *claim
				wrong.Pseudonym = nil
				if SHA256.Check(&wrong, proof) == nil {
					t.Errorf("%s: verifies without its pseudonym", name)
				}
			}

			other := *st
			other.Holder = &Hidden{Messages: [][]byte{[]byte("stolen")}, Blind: blind, Nym: nym}
			if SHA256.Verify(&other, sig) == nil {
				t.Errorf("%s: verifies with another holder's secret", name)
			}
		}
	}
}

// TestCommitment refuses commitments whose proof is not right.
func TestCommitment(t *testing.T) {
	key := newLab(t, 0).key
	commitment, _, err := SHA256.Commit([][]byte{[]byte("secret")}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range commitment {
		if i%16 != 0 {
			continue
		}
		changed := slices.Clone(commitment)
		changed[i] ^= 1
		if _, err := SHA256.BlindSign(key, changed, nil, nil, nil, nil); err == nil {
			t.Errorf("a commitment with byte %d changed is signed", i)
		}
	}
	n := len(commitment)
	for _, b := range [][]byte{commitment[:n-1], commitment[:pointSize], append(commitment, 0)} {
		if _, err := SHA256.BlindSign(key, b, nil, nil, nil, nil); !errors.Is(err, ErrMalformed) {
			t.Errorf("a commitment of %d bytes: %v", len(b), err)
		}
	}
}

// FuzzCheck wants an answer for any bytes.
func FuzzCheck(f *testing.F) {
	l := newLab(f, 3)
	proof, claim := l.present(f, 1)
	f.Add(proof, 1, 0)
	f.Add(proof[:len(proof)-scalarSize], 0, 3)
	f.Fuzz(func(t *testing.T, b []byte, index, total int) {
		c := *claim
		c.Disclosed, c.Blind, c.Total = []int{index}, total != 0, total
		if err := SHA256.Check(&c, b); err == nil && (index != 1 || total != 0) {
			t.Error("a proof verifies for another message than it discloses")
		}
	})
}

func BenchmarkSuite(b *testing.B) {
	for _, n := range []int{20, 100} {
		l := newLab(b, n)
		proof, claim := l.present(b, 0, 1, 2, 3, 4)
		run := func(name string, f func() error) {
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("sign", func() error {
			_, err := SHA256.Sign(l.key, l.statement.Header, l.statement.Messages, nil)
			return err
		})
		run("prove", func() error {
			_, _, err := SHA256.Prove(l.statement, l.signature, &Presentation{Disclosed: claim.Disclosed})
			return err
		})
		run("check", func() error { return SHA256.Check(claim, proof) })
	}
}
