package bbs

import (
	"fmt"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Presentation is what a proof of a signature discloses.
type Presentation struct {
	Header    []byte // presentation header
	Disclosed []int  // indexes of the issuer's messages, ascending
	Domain    []byte // of the pseudonym; only for a holder with a Nym
	Random    Random // nil outside tests
}

// proofFloor is the length of a proof that hides no message.
const proofFloor = 3*pointSize + 4*scalarSize

// Hides returns how many messages, the holder's included, a proof of some length hides; -1 if no proof has
// that length.
func Hides(size int) int {
	if size < proofFloor || (size-proofFloor)%scalarSize != 0 {
		return -1
	}
	return (size - proofFloor) / scalarSize
}

// initial is what the challenge of a proof is made of: ProofInit, and PseudonymProofInit.
type initial struct {
	aBar, bBar, d, t1, t2 bls.G1Affine
	nym                   *nymInitial
}

// Prove makes a zero-knowledge proof of a signature of the statement (ProofGen), and the pseudonym if the
// holder has one. It does not see whether the signature is right: ask Verify once.
//
//phase:sign
func (s *Suite) Prove(st *Statement, signature []byte, p *Presentation) (proof, pseudonym []byte, err error) {
	if _, err := split(p.Disclosed, len(st.Messages)); err != nil { // what the holder committed to stays
		return nil, nil, err
	}
	return s.prove(st, signature, p)
}

// prove is Prove where the holder's messages may be disclosed as well.
func (s *Suite) prove(st *Statement, signature []byte, p *Presentation) (proof, pseudonym []byte, err error) {
	a, e, err := readSignature(signature)
	if err != nil {
		return nil, nil, err
	}
	full, err := s.signed(st)
	if err != nil {
		return nil, nil, err
	}
	hidden, err := split(p.Disclosed, len(full.scalars))
	if err != nil {
		return nil, nil, err
	}
	k, err := p.Random.draw(5 + len(hidden))
	if err != nil {
		return nil, nil, err
	}
	r1, r2, e1, r1t, r3t, mt := &k[0], &k[1], &k[2], &k[3], &k[4], k[5:]

	var in initial
	b := full.b()
	in.d = multiple(&b, r2)
	var r fr.Element
	r.Mul(r1, r2)
	in.aBar = multiple(&a, &r)
	dTable, aTable := newTable(&in.d), newTable(&in.aBar)
	r.Neg(&e)
	in.bBar = sum(term{dTable, r1}, term{aTable, &r})
	in.t1 = sum(term{aTable, e1}, term{dTable, r1t})

	at := positions(hidden, len(full.scalars))
	terms := full.terms(mt, func(i int) (int, bool) { return at[i], at[i] >= 0 })
	terms[0] = term{dTable, r3t} // in place of Q_1
	in.t2 = sum(terms...)

	if full.nym {
		in.nym, err = full.nymInit(p.Domain, &full.scalars[len(full.scalars)-1], &mt[len(mt)-1])
		if err != nil {
			return nil, nil, err
		}
		pseudonym = appendPoint(nil, &in.nym.pseudonym)
	}

	disclosed := make([]fr.Element, len(p.Disclosed))
	for i, index := range p.Disclosed {
		disclosed[i] = full.scalars[index]
	}
	c := full.challenge(&in, p.Disclosed, disclosed, p.Header)

	// ProofFinalize
	var r3, x fr.Element
	r3.Inverse(r2)
	proof = make([]byte, 0, proofFloor+scalarSize*len(hidden))
	proof = appendPoint(appendPoint(appendPoint(proof, &in.aBar), &in.bBar), &in.d)
	proof = appendScalar(proof, x.Mul(&e, &c).Add(&x, e1))
	proof = appendScalar(proof, x.Mul(r1, &c).Sub(r1t, &x))
	proof = appendScalar(proof, x.Mul(&r3, &c).Sub(r3t, &x))
	for i, j := range hidden {
		proof = appendScalar(proof, x.Mul(&full.scalars[j], &c).Add(&x, &mt[i]))
	}
	return appendScalar(proof, &c), pseudonym, nil
}

// challenge is ProofChallengeCalculate, with the points of a pseudonym if there is one.
//
//phase:digest
func (st *signed) challenge(in *initial, indexes []int, disclosed []fr.Element, header []byte) fr.Element {
	b := appendInt(make([]byte, 0, 512+(8+scalarSize)*len(indexes)+len(header)), len(indexes))
	for i := range indexes {
		b = appendScalar(appendInt(b, indexes[i]), &disclosed[i])
	}
	for _, p := range []*bls.G1Affine{&in.aBar, &in.bBar, &in.d, &in.t1, &in.t2} {
		b = appendPoint(b, p)
	}
	if n := in.nym; n != nil {
		b = appendPoint(appendPoint(appendPoint(b, &n.pseudonym), &n.base), &n.t)
	}
	b = appendScalar(b, &st.domain)
	b = append(appendInt(b, len(header)), header...)
	return st.suite.scalar(b, st.hashDST)
}

// Claim is what a verifier is shown beside a proof.
type Claim struct {
	Key       *PublicKey
	Header    []byte
	Messages  [][]byte // the disclosed ones, in order
	Disclosed []int    // their indexes, ascending
	Total     int      // the issuer's messages, for a proof with a holder's commitment; else 0
	Blind     bool     // the holder has committed to something
	Pseudonym []byte   // nil without one
	Domain    []byte   // of the pseudonym
	Presented []byte   // presentation header
	Pause     Pause
}

// proof is a proof that was read (octets_to_proof).
type proof struct {
	aBar, bBar, d bls.G1Affine
	e, r1, r3     fr.Element
	m             []fr.Element
	c             fr.Element
}

// readProof is octets_to_proof.
func readProof(b []byte) (*proof, error) {
	n := Hides(len(b))
	if n < 0 {
		return nil, fmt.Errorf("BBS proof: %w: no proof has %d bytes", ErrMalformed, len(b))
	}
	p := &proof{m: make([]fr.Element, n)}
	for _, point := range []*bls.G1Affine{&p.aBar, &p.bBar, &p.d} {
		var ok bool
		if *point, ok = readPoint(b[:pointSize]); !ok {
			return nil, fmt.Errorf("BBS proof: %w: one of its points is not of the subgroup G1 of BLS12-381",
				ErrMalformed)
		}
		b = b[pointSize:]
	}
	scalars := []*fr.Element{&p.e, &p.r1, &p.r3}
	for i := range p.m {
		scalars = append(scalars, &p.m[i])
	}
	for _, k := range append(scalars, &p.c) {
		var ok bool
		if *k, ok = readScalar(b[:scalarSize]); !ok {
			return nil, fmt.Errorf("BBS proof: %w: one of its scalars is not from 1 to r-1", ErrMalformed)
		}
		b = b[scalarSize:]
	}
	return p, nil
}

// Check checks a proof of a signature (ProofVerify). What the holder has committed to cannot be disclosed:
// the issuer has never seen it, and a verifier would take it for a message of the issuer.
//
//phase:check
func (s *Suite) Check(cl *Claim, octets []byte) error {
	n := Hides(len(octets))
	total := n + len(cl.Disclosed)
	switch {
	case n < 0 || total > MaxMessages:
		return fmt.Errorf("BBS proof: %w: no proof has %d bytes", ErrMalformed, len(octets))
	case len(cl.Messages) != len(cl.Disclosed):
		return fmt.Errorf("%w: %d messages for %d disclosed indexes", ErrMalformed, len(cl.Messages),
			len(cl.Disclosed))
	}

	issuer, holder := total, 0
	if cl.Blind {
		holder++ // the blinding scalar
		issuer = cl.Total
	}
	if cl.Pseudonym != nil {
		holder++
	}
	if issuer < 0 || total-issuer < holder {
		return fmt.Errorf("BBS proof: %w: it is not about %d messages of the issuer", ErrMalformed, issuer)
	}
	if _, err := split(cl.Disclosed, issuer); err != nil {
		return err
	}
	return s.check(cl, total, octets)
}

// check is Check where the issuer's and the holder's messages may be disclosed, total together.
func (s *Suite) check(cl *Claim, total int, octets []byte) error {
	issuer := total
	if cl.Blind {
		issuer = cl.Total
	}
	hidden, err := split(cl.Disclosed, total)
	if err != nil {
		return err
	}
	p, err := readProof(octets)
	if err != nil {
		return err
	}

	st := &signed{api: s.of(cl.Blind, cl.Pseudonym != nil), key: cl.Key, header: cl.Header}
	if err := st.prepare(issuer, total-issuer, cl.Pause); err != nil {
		return err
	}

	disclosed := st.messages(cl.Messages)
	at := positions(cl.Disclosed, total)
	bv := sum(st.terms(disclosed, func(i int) (int, bool) { return at[i], at[i] >= 0 })...)
	bv.Add(&bv, &s.p1)
	d := newTable(&p.d)
	in := initial{aBar: p.aBar, bBar: p.bBar, d: p.d}
	in.t1 = sum(term{newTable(&p.bBar), &p.c}, term{newTable(&p.aBar), &p.e}, term{d, &p.r1})
	at = positions(hidden, total)
	terms := st.terms(p.m, func(i int) (int, bool) { return at[i], at[i] >= 0 })
	terms[0] = term{d, &p.r3} // in place of Q_1
	if !bv.IsInfinity() {
		terms = append(terms, term{newTable(&bv), &p.c})
	}
	in.t2 = sum(terms...)

	if cl.Pseudonym != nil {
		if in.nym, err = st.nymCheck(cl.Pseudonym, cl.Domain, &p.m[len(p.m)-1], &p.c); err != nil {
			return err
		}
	}
	c := st.challenge(&in, cl.Disclosed, disclosed, cl.Presented)
	if !c.Equal(&p.c) || !cl.Key.paired(&p.aBar, &p.bBar) {
		return ErrInvalid
	}
	return nil
}
