package bbs

import (
	"fmt"
	"slices"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Statement is what a signature covers.
type Statement struct {
	Key      *PublicKey
	Header   []byte
	Messages [][]byte // the issuer's
	Holder   *Hidden  // nil without the holder's commitment, and for the issuer
	Pause    Pause
}

// Hidden is what the holder has committed to, without showing it to the issuer.
type Hidden struct {
	Messages [][]byte // usually none, or the holder's secret
	Blind    []byte   // secret_prover_blind, from Commit
	Nym      *Nym     // nil without pseudonyms
}

// Nym is the secret of a holder's pseudonyms: the sum of both halves.
type Nym struct {
	Prover []byte // the holder's half, a scalar
	Signer []byte // the issuer's half, signer_nym_entropy; nil while it is not known
}

// signed is a statement as scalars and their generators.
type signed struct {
	*api
	key        *PublicKey
	header     []byte
	generators []generator // Q_1 and one for each scalar
	scalars    []fr.Element
	domain     fr.Element
	nym        bool // the last scalar is the secret of pseudonyms
}

// of returns the interface that a statement is signed under.
func (s *Suite) of(blind, nym bool) *api {
	switch {
	case blind && nym:
		return s.nym
	case blind:
		return s.blind
	}
	return s.plain
}

// signed maps messages to scalars (prepare_parameters of the blind draft).
//
//phase:caller
func (s *Suite) signed(st *Statement) (*signed, error) {
	a := s.of(st.Holder != nil, st.Holder != nil && st.Holder.Nym != nil)
	out := &signed{api: a, key: st.Key, header: st.Header, scalars: a.messages(st.Messages)}
	if h := st.Holder; h != nil {
		blind, ok := readScalar(h.Blind)
		if !ok {
			return nil, fmt.Errorf("the blinding scalar is %w", ErrMalformed)
		}
		out.scalars = append(append(out.scalars, blind), a.messages(h.Messages)...)
		if h.Nym != nil {
			secret, err := h.Nym.secret()
			if err != nil {
				return nil, err
			}
			out.nym, out.scalars = true, append(out.scalars, secret)
		}
	}
	return out, out.prepare(len(st.Messages), len(out.scalars)-len(st.Messages), st.Pause)
}

// secret returns the sum of both halves.
func (n *Nym) secret() (fr.Element, error) {
	prover, ok := readScalar(n.Prover)
	if !ok {
		return prover, fmt.Errorf("the holder's half of the pseudonym's secret is %w", ErrMalformed)
	}
	if n.Signer != nil {
		signer, ok := readScalar(n.Signer)
		if !ok {
			return prover, fmt.Errorf("the issuer's half of the pseudonym's secret is %w", ErrMalformed)
		}
		prover.Add(&prover, &signer)
	}
	return prover, nil
}

// prepare takes the generators of so many messages of the issuer and scalars of the holder, and computes the
// domain.
func (st *signed) prepare(issuer, holder int, pause Pause) error {
	if issuer+holder > MaxMessages {
		return fmt.Errorf("%w: more than %d messages", ErrMalformed, MaxMessages)
	}
	var err error
	if st.generators, err = st.signer.take(issuer+1, pause); err != nil {
		return err
	}
	if holder > 0 {
		more, err := st.prover.take(holder, pause)
		if err != nil {
			return err
		}
		st.generators = append(st.generators, more...)
	}
	st.domain = st.calculateDomain()
	return nil
}

// calculateDomain is calculate_domain.
//
//phase:digest
func (st *signed) calculateDomain() fr.Element {
	b := make([]byte, 0, PublicSize+pointSize*len(st.generators)+len(st.id)+len(st.header)+16)
	b = append(b, st.key.octets[:]...)
	b = appendInt(b, len(st.generators)-1)
	for i := range st.generators {
		b = append(b, st.generators[i].octets[:]...)
	}
	b = append(b, st.id...)
	b = append(appendInt(b, len(st.header)), st.header...)
	return st.suite.scalar(b, st.hashDST)
}

// terms returns the multiples of Q_1 and of the generators of some scalars.
func (st *signed) terms(scalars []fr.Element, which func(i int) (int, bool)) []term {
	terms := append(make([]term, 0, len(scalars)+2), term{st.generators[0].table, &st.domain})
	for i := range st.generators[1:] {
		if k, ok := which(i); ok {
			terms = append(terms, term{st.generators[i+1].table, &scalars[k]})
		}
	}
	return terms
}

// b returns P1 + Q_1 * domain + the sum of H_i * msg_i.
func (st *signed) b() bls.G1Affine {
	p := sum(st.terms(st.scalars, func(i int) (int, bool) { return i, true })...)
	p.Add(&p, &st.suite.p1)
	return p
}

// Sign signs the messages and the header of a statement, whose key is taken from the secret one.
//
//phase:sign
func (s *Suite) Sign(key *SecretKey, header []byte, messages [][]byte, pause Pause) ([]byte, error) {
	st, err := s.signed(&Statement{Key: &key.public, Header: header, Messages: messages, Pause: pause})
	if err != nil {
		return nil, err
	}
	input := appendScalar(make([]byte, 0, scalarSize*(len(messages)+2)), &key.scalar)
	for i := range st.scalars {
		input = appendScalar(input, &st.scalars[i])
	}
	e := s.scalar(appendScalar(input, &st.domain), st.hashDST)
	b := st.b()
	return key.sign(&b, &e)
}

// sign returns the signature of a point.
func (k *SecretKey) sign(b *bls.G1Affine, e *fr.Element) ([]byte, error) {
	var d fr.Element
	d.Add(&k.scalar, e)
	if d.IsZero() || b.IsInfinity() {
		return nil, ErrInvalid // as likely as a guessed key
	}
	inverse, err := secretInverse(&d)
	if err != nil {
		return nil, err
	}
	a, err := secretMultiple(b, &inverse)
	if err != nil {
		return nil, err
	}
	return appendScalar(appendPoint(make([]byte, 0, SignatureSize), &a), e), nil
}

// readSignature is octets_to_signature.
func readSignature(b []byte) (a bls.G1Affine, e fr.Element, err error) {
	if len(b) != SignatureSize {
		return a, e, fmt.Errorf("BBS signature: %w: %d bytes, want %d", ErrMalformed, len(b), SignatureSize)
	}
	var ok bool
	if a, ok = readPoint(b[:pointSize]); !ok {
		return a, e, fmt.Errorf("BBS signature: %w: its point is not one of the subgroup G1 of BLS12-381",
			ErrMalformed)
	}
	if e, ok = readScalar(b[pointSize:]); !ok {
		return a, e, fmt.Errorf("BBS signature: %w: its scalar is not from 1 to r-1", ErrMalformed)
	}
	return a, e, nil
}

// Verify checks a signature over a whole statement, which the holder does.
//
//phase:check
func (s *Suite) Verify(st *Statement, signature []byte) error {
	a, e, err := readSignature(signature)
	if err != nil {
		return err
	}
	full, err := s.signed(st)
	if err != nil {
		return err
	}
	// e(A, W + BP2 * e) = e(B, BP2) without arithmetic in G2: e(A, W) = e(B - A * e, BP2).
	b := full.b()
	ae := multiple(&a, &e)
	b.Sub(&b, &ae)
	if !st.Key.paired(&a, &b) {
		return ErrInvalid
	}
	return nil
}

// split returns the indexes below n that are not in disclosed, which has to ascend.
func split(disclosed []int, n int) ([]int, error) {
	others := make([]int, 0, max(0, n-len(disclosed)))
	last := -1
	for _, i := range disclosed {
		if i <= last || i >= n {
			return nil, fmt.Errorf("%w: the disclosed indexes are not ascending and below %d",
				ErrMalformed, n)
		}
		for j := last + 1; j < i; j++ {
			others = append(others, j)
		}
		last = i
	}
	for j := last + 1; j < n; j++ {
		others = append(others, j)
	}
	return others, nil
}

// positions returns for each index below n where it is in a list, -1 where it is not.
func positions(list []int, n int) []int {
	at := slices.Repeat([]int{-1}, n)
	for k, i := range list {
		at[i] = k
	}
	return at
}
