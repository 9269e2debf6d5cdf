// Package bbs makes and checks BBS signatures and zero-knowledge proofs of them
// (draft-irtf-cfrg-bbs-signatures), with commitments of the holder (draft-irtf-cfrg-bbs-blind-signatures)
// and pseudonyms (draft-irtf-cfrg-bbs-per-verifier-linkability).
//
// The drafts of commitments and pseudonyms still change. The steps here are those of the vectors of
// VC-DI-BBS: the interface identifiers BLIND_H2G_HM2S_ and H2G_HM2S_PSEUDONYM_, one scalar for all
// pseudonyms of a holder, and the generator of the pseudonym in the challenge.
//
// Start with [SHA256], a ciphersuite: [Suite.Sign] signs messages, [Suite.Prove] discloses some of them
// without the signature, [Suite.Check] checks what is disclosed. [Statement] is what all of them are about.
// [Commit], [Statement.Holder] and [Statement.Nym] belong to the optional features.
//
// # The curve
//
// Field and curve arithmetic, pairings and maps to the curve are those of gnark-crypto: two pairings take
// 0.7 ms where circl takes 1.6, and circl offers neither a map to the curve, which SHAKE-256 needs, nor a sum
// of multiples. The sums here are loops over gnark-crypto's additions and doublings with tables that are kept
// for the generators, which are constants of a ciphersuite: half the cost of its MultiExp for the twenty
// messages of a credential, and on the goroutine of the caller, so that a profile has the phase.
//
// # Timing
//
// gnark-crypto is not constant-time. Where a secret that lasts is multiplied or inverted (the issuer's key,
// the holder's secret), it is first masked by fresh randomness, so that times do not add up over many
// signatures. What is drawn for one proof alone, and the messages, are not masked: whoever can time a
// single operation of the holder may learn about them.
//
//phase:caller
package bbs

import (
	"crypto/rand"
	"crypto/sha3"
	"encoding/hex"
	"errors"
	"slices"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/field/hash"
)

// Sizes in bytes.
const (
	PublicSize    = 96
	SecretSize    = 32
	SignatureSize = pointSize + scalarSize
	PseudonymSize = pointSize
	ScalarSize    = scalarSize

	pointSize  = 48
	scalarSize = 32
	expandSize = 48 // of the texts that scalars are reduced from
)

// Errors, all of them of inputs. Every check that fails is one of these or wraps one.
var (
	ErrInvalid   = errors.New("the signature or proof does not belong to these messages, headers and key")
	ErrMalformed = errors.New("malformed")
)

// Suite is a ciphersuite over BLS12-381.
type Suite struct {
	id     string
	p1     bls.G1Affine
	expand func(msg, dst []byte, size int) []byte
	plain  *api // BBS
	blind  *api // blind BBS
	nym    *api // blind BBS with pseudonyms
}

// The ciphersuites (draft-irtf-cfrg-bbs-signatures section 7.2). bbs-2023 uses SHA256.
var (
	SHA256 = newSuite("BBS_BLS12381G1_XMD:SHA-256_SSWU_RO_", expandXMD,
		"a8ce256102840821a3e94ea9025e4662b205762f9776b3a766c872b948f1fd22"+
			"5e7c59698588e70d11406d161b4e28c9")
	SHAKE256 = newSuite("BBS_BLS12381G1_XOF:SHAKE-256_SSWU_RO_", expandXOF,
		"8929dfbc7e6642c4ed9cba0856e493f8b9d7d5fcb0c31ef8fdcd34d50648a56c"+
			"795e106e9eada6e0bda386b414150755")
)

func newSuite(id string, expand func(msg, dst []byte, size int) []byte, p1 string) *Suite {
	s := &Suite{id: id, expand: expand}
	b, err := hex.DecodeString(p1)
	if err == nil {
		_, err = s.p1.SetBytes(b)
	}
	if err != nil {
		panic(err) // a constant
	}
	s.plain, s.blind = newAPI(s, "H2G_HM2S_"), newAPI(s, "BLIND_H2G_HM2S_")
	s.nym = newAPI(s, "H2G_HM2S_PSEUDONYM_")
	return s
}

// api is an interface of a ciphersuite in the sense of section 3.2: its tags and its generators.
type api struct {
	suite           *Suite
	id              string
	hashDST, mapDST []byte
	signer, prover  generators // the prover's begin with Q_2
}

func newAPI(s *Suite, name string) *api {
	a := &api{suite: s, id: s.id + name}
	a.hashDST, a.mapDST = []byte(a.id+"H2S_"), []byte(a.id+"MAP_MSG_TO_SCALAR_AS_HASH_")
	a.signer.api, a.signer.id = a, a.id
	a.prover.api, a.prover.id = a, "BLIND_"+a.id
	return a
}

// expandXMD is expand_message_xmd with SHA-256 (RFC 9380 section 5.3.1).
func expandXMD(msg, dst []byte, size int) []byte {
	b, err := hash.ExpandMsgXmd(msg, dst, size)
	if err != nil {
		panic(err) // sizes here are constants, and tags short
	}
	return b
}

// expandXOF is expand_message_xof with SHAKE-256 (RFC 9380 section 5.3.2).
func expandXOF(msg, dst []byte, size int) []byte {
	h := sha3.NewSHAKE256()
	_, _ = h.Write(msg)
	_, _ = h.Write([]byte{byte(size >> 8), byte(size)})
	_, _ = h.Write(dst)
	_, _ = h.Write([]byte{byte(len(dst))})
	b := make([]byte, size)
	_, _ = h.Read(b)
	return b
}

// scalar is hash_to_scalar.
func (s *Suite) scalar(msg, dst []byte) (k fr.Element) {
	k.SetBytes(s.expand(msg, dst, expandSize))
	return k
}

// point is hash_to_curve_g1.
func (s *Suite) point(msg, dst []byte) bls.G1Affine {
	const size = 64
	b := s.expand(msg, dst, 2*size)
	var u fp.Element
	p := bls.MapToG1(*u.SetBytes(b[:size]))
	q := bls.MapToG1(*u.SetBytes(b[size:]))
	p.Add(&p, &q)
	return p
}

// messages is messages_to_scalars.
func (a *api) messages(all [][]byte) []fr.Element {
	k := make([]fr.Element, len(all))
	for i, m := range all {
		k[i] = a.suite.scalar(m, a.mapDST)
	}
	return k
}

// Random draws scalars for one proof or commitment. It has to be nil outside tests, which means the system's
// randomness.
type Random func(count int) []fr.Element

func (r Random) draw(count int) ([]fr.Element, error) {
	if r != nil {
		return r(count), nil
	}
	all := make([]fr.Element, count)
	var b [64]byte
	for i := range all {
		for all[i].IsZero() {
			if _, err := rand.Read(b[:]); err != nil {
				return nil, err
			}
			all[i].SetBytes(b[:])
		}
	}
	return all, nil
}

// Seeded is seeded_random_scalars of the drafts' test vectors.
func (s *Suite) Seeded(seed, dst []byte) Random {
	return func(count int) []fr.Element {
		b := s.expand(seed, dst, count*expandSize)
		all := make([]fr.Element, count)
		for i := range all {
			all[i].SetBytes(b[i*expandSize : (i+1)*expandSize])
		}
		return all
	}
}

// Pause is asked for the time once in a few milliseconds of work; nil is never asked.
type Pause func() error

func (p Pause) ask() error {
	if p == nil {
		return nil
	}
	return p()
}

// appendInt appends I2OSP(n, 8).
func appendInt(b []byte, n int) []byte {
	for i := 56; i >= 0; i -= 8 {
		b = append(b, byte(uint64(n)>>i))
	}
	return b
}

func appendScalar(b []byte, k *fr.Element) []byte {
	octets := k.Bytes()
	return append(b, octets[:]...)
}

func appendPoint(b []byte, p *bls.G1Affine) []byte {
	octets := p.Bytes()
	return append(b, octets[:]...)
}

// readScalar reads a scalar between 1 and r-1.
func readScalar(b []byte) (k fr.Element, ok bool) {
	return k, k.SetBytesCanonical(b) == nil && !k.IsZero()
}

// readPoint reads a compressed point of the subgroup that is not the identity.
func readPoint(b []byte) (p bls.G1Affine, ok bool) {
	if len(b) != pointSize || b[0]&0x80 == 0 { // the library also takes points that are not compressed
		return p, false
	}
	_, err := p.SetBytes(b)
	return p, err == nil && !p.IsInfinity()
}

// clone keeps a caller's bytes apart.
func clone(b []byte) []byte { return slices.Clone(b) }
