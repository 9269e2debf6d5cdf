package bbs

import (
	"fmt"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// commitFloor is the length of a commitment to nothing.
const commitFloor = pointSize + 2*scalarSize

// Commit commits the holder to messages, and to its half of a pseudonym's secret if nym is not nil (Commit,
// CommitWithNym). The issuer gets the commitment, and the holder keeps the blinding scalar.
//
//phase:sign
func (s *Suite) Commit(messages [][]byte, nym *Nym, random Random) (commitment, blind []byte, err error) {
	a := s.of(true, nym != nil)
	k := a.messages(messages)
	if nym != nil {
		prover, err := (&Nym{Prover: nym.Prover}).secret()
		if err != nil {
			return nil, nil, err
		}
		k = append(k, prover)
	}
	g, err := a.prover.take(len(k)+1, nil)
	if err != nil {
		return nil, nil, err
	}

	r, err := random.draw(len(k) + 2)
	if err != nil {
		return nil, nil, err
	}
	secret := append([]fr.Element{r[0]}, k...) // the blinding scalar is the first
	tilde := r[1:]
	c, cBar := sumOf(g, secret), sumOf(g, tilde)

	ch := a.commitmentChallenge(g, &c, &cBar)
	commitment = appendPoint(make([]byte, 0, commitFloor+len(k)*scalarSize), &c)
	var x fr.Element
	for i := range secret {
		commitment = appendScalar(commitment, x.Mul(&secret[i], &ch).Add(&x, &tilde[i]))
	}
	return appendScalar(commitment, &ch), appendScalar(nil, &r[0]), nil
}

// sumOf returns the sum of generators, each times its scalar.
func sumOf(g []generator, k []fr.Element) bls.G1Affine {
	terms := make([]term, len(k))
	for i := range k {
		terms[i] = term{g[i].table, &k[i]}
	}
	return sum(terms...)
}

// commitmentChallenge is calculate_blind_challenge.
//
//phase:digest
func (a *api) commitmentChallenge(g []generator, c, cBar *bls.G1Affine) fr.Element {
	b := appendInt(nil, len(g)-1)
	for i := range g {
		b = append(b, g[i].octets[:]...)
	}
	return a.suite.scalar(appendPoint(appendPoint(b, c), cBar), a.hashDST)
}

// readCommitment reads a commitment and checks its proof (deserialize_and_validate_commit). No commitment is
// the point at infinity.
//
//phase:check
func (a *api) readCommitment(b []byte, pause Pause) (c bls.G1Affine, g []generator, err error) {
	if len(b) == 0 {
		g, err = a.prover.take(1, pause)
		return c, g, err
	}
	n := (len(b) - commitFloor) / scalarSize
	if len(b) < commitFloor || (len(b)-commitFloor)%scalarSize != 0 || n > MaxMessages {
		return c, nil, fmt.Errorf("commitment: %w: no commitment has %d bytes", ErrMalformed, len(b))
	}
	var ok bool
	if c, ok = readPoint(b[:pointSize]); !ok {
		return c, nil, fmt.Errorf("commitment: %w: its point is not of the subgroup G1 of BLS12-381",
			ErrMalformed)
	}
	k := make([]fr.Element, n+2)
	for i := range k {
		if k[i], ok = readScalar(b[pointSize+i*scalarSize:][:scalarSize]); !ok {
			return c, nil, fmt.Errorf("commitment: %w: one of its scalars is not from 1 to r-1", ErrMalformed)
		}
	}
	if g, err = a.prover.take(n+1, pause); err != nil {
		return c, nil, err
	}

	ch := &k[n+1]
	var minus fr.Element
	minus.Neg(ch)
	terms := []term{{newTable(&c), &minus}}
	for i := range g {
		terms = append(terms, term{g[i].table, &k[i]})
	}
	cBar := sum(terms...)
	if want := a.commitmentChallenge(g, &c, &cBar); !want.Equal(ch) {
		return c, nil, fmt.Errorf("commitment: %w", ErrInvalid)
	}
	return c, g, nil
}

// BlindSign signs the issuer's messages and what the holder has committed to (BlindSign). entropy is the
// issuer's half of a pseudonym's secret, nil without pseudonyms (BlindSignWithNym).
//
//phase:sign
func (s *Suite) BlindSign(key *SecretKey, commitment, entropy, header []byte, messages [][]byte,
	pause Pause) ([]byte, error) {
	a := s.of(true, entropy != nil)
	c, holder, err := a.readCommitment(commitment, pause)
	if err != nil {
		return nil, err
	}
	st := &signed{api: a, key: &key.public, header: header, scalars: a.messages(messages)}
	if err := st.prepare(len(messages), len(holder), pause); err != nil {
		return nil, err
	}

	n := len(st.scalars)
	terms := st.terms(st.scalars, func(i int) (int, bool) { return i, i < n })
	if entropy != nil {
		k, ok := readScalar(entropy)
		if !ok || len(holder) < 2 {
			return nil, fmt.Errorf("the issuer's half of the pseudonym's secret is %w", ErrMalformed)
		}
		terms = append(terms, term{holder[len(holder)-1].table, &k})
	}
	b := sum(terms...)
	b.Add(&b, &s.p1)
	b.Add(&b, &c)

	e := s.scalar(appendPoint(appendScalar(nil, &key.scalar), &b), st.hashDST)
	return key.sign(&b, &e)
}

// nymInitial is what a pseudonym adds to the challenge of a proof.
type nymInitial struct{ pseudonym, base, t bls.G1Affine }

// nymInit computes a pseudonym and what proves it (PseudonymProofInit).
//
//phase:sign
func (a *api) nymInit(domain []byte, secret, tilde *fr.Element) (n *nymInitial, err error) {
	n = &nymInitial{base: a.suite.point(domain, []byte(a.id))}
	if n.pseudonym, err = secretMultiple(&n.base, secret); err != nil {
		return nil, err
	}
	n.t = multiple(&n.base, tilde)
	if n.pseudonym.IsInfinity() || n.t.IsInfinity() {
		return nil, fmt.Errorf("the pseudonym is %w: its secret is zero", ErrMalformed)
	}
	return n, nil
}

// nymCheck is PseudonymProofVerifyInit.
//
//phase:check
func (a *api) nymCheck(pseudonym, domain []byte, hat, c *fr.Element) (*nymInitial, error) {
	n := &nymInitial{base: a.suite.point(domain, []byte(a.id))}
	var ok bool
	if n.pseudonym, ok = readPoint(pseudonym); !ok {
		return nil, fmt.Errorf("the pseudonym is %w: it is not a point of the subgroup G1 of BLS12-381",
			ErrMalformed)
	}
	var minus fr.Element
	minus.Neg(c)
	n.t = sum(term{newTable(&n.base), hat}, term{newTable(&n.pseudonym), &minus})
	if n.t.IsInfinity() {
		return nil, ErrInvalid
	}
	return n, nil
}

// RandomScalar draws a scalar: the holder's secret, a half of a pseudonym's secret.
func RandomScalar() ([]byte, error) {
	k, err := Random(nil).draw(1)
	if err != nil {
		return nil, err
	}
	return appendScalar(nil, &k[0]), nil
}
