// Package di is the format vcdm: W3C verifiable credentials secured by Data Integrity proofs. Call
// [NewFormat].
//
//phase:encode fallback
package di

import (
	"context"
	"errors"
	"slices"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// checksWhole is what verify checks for a suite that signs whole documents.
const checksWhole = "signature, proof options, purpose, dates of the proof, validity period"

// Definition is the format. The matrix gives it the canonicalizer of a cell.
var Definition = &compare.Definition{
	Name:       compare.VCDM,
	Suites:     suites(),
	Documents:  true,
	Bound:      "challenge and domain for vcdm (signed presentation)",
	Operations: compare.OfCredentials,
	Tamper:     tamper,
	Inspect:    inspect,
	Files: map[compare.Operation]func() *compare.Files{
		compare.Issue: issuing, compare.Present: presenting, compare.Verify: verifying},
	Conform: &compare.Conformance{Name: "di", Title: "the Data Integrity vectors",
		Holds:  "vc-di-eddsa, vc-di-ecdsa and perhaps vc-di-bbs, or artifacts of another\nimplementation",
		Module: "github.com/piprate/json-gold", Run: runVectors},
	Prepares: func(c compare.Cell, canonicalizer canon.Canonicalizer) (compare.Preparer, error) {
		return NewFormat(c.Suite, canonicalizer, c.Algorithm)
	},
}

func suites() []compare.Suite {
	var all []compare.Suite
	for _, s := range vcdm.Suites {
		all = append(all, compare.Suite{Name: s.Name, Algorithms: s.Algorithms, Method: s.Method,
			Reissues: !s.Derives})
	}
	return all
}

// NewFormat returns the format vcdm with a cryptosuite over a canonicalizer of the suite's method, and a
// signature algorithm of the suite. An algorithm that the suite does not have is a
// [*canon.UnsupportedError].
func NewFormat(suite string, c canon.Canonicalizer, algorithm compare.Algorithm) (compare.Preparer, error) {
	s, err := vcdm.SuiteNamed(suite)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.Algorithms, algorithm) {
		return nil, &canon.UnsupportedError{Engine: suite, What: "the algorithm " + string(algorithm)}
	}
	if c == nil {
		return nil, errors.New(suite + " needs a canonicalizer: make one with engines.New")
	}
	f := &format{suite: s.New(c, vcdm.SDOptions{}), canon: c, algorithm: algorithm}
	if sd, ok := f.suite.(*vcdm.SD); ok && !sd.Derives() {
		return nil, vcdm.ErrEngine
	}
	return f, nil
}

type format struct {
	suite     vcdm.Suite
	canon     canon.Canonicalizer
	algorithm compare.Algorithm
}

// Prepare implements [compare.Preparer]. Suites with selective disclosure derive what they present; the
// others cannot, and the issuer signs the subset anew. The issuer signs with its key; the verifier has
// the issuer's key, parsed.
func (f *format) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	if c == nil {
		return nil, errors.New("there is no credential")
	}
	if err := c.Kind.Exchangeable(c.Schema); err != nil {
		return nil, err
	}

	issuer, holder, err := claims.Keys(f.algorithm, s)
	if err != nil {
		return nil, err
	}
	if f.algorithm == keys.BBS { // which signs no presentation
		if _, holder, err = claims.Keys(keys.ES256, s); err != nil {
			return nil, err
		}
	}

	suite := f.suite
	_, derives := suite.(*vcdm.SD)
	if derives {
		if suite, err = suiteOf(f, c.Mandatory); err != nil {
			return nil, err
		}
	}

	disclose := s.Disclose
	if len(disclose) == 0 {
		disclose = c.Disclose
	}

	x := &exchange{
		doc: c.VCDM,
		options: vcdm.Options{Created: s.Now.UTC().Format(time.RFC3339), Method: issuer.Public().Method(),
			Purpose: vcdm.AssertionMethod},
		suite:    f.suite.Name(),
		counters: &compare.Counters{},
	}

	x.signer = vcdm.Signer{Suite: suite, Limits: s.Limits, Counts: &x.counts}

	x.verifier = vcdm.Verifier{
		Suites: []vcdm.Suite{suite},
		Resolver: vcdm.Parsed{x.options.Method: {ID: x.options.Method, Controller: issuer.Public().DID(),
			Key: issuer.Public()}},
		Now:       func() time.Time { return s.Now },
		AnyIssuer: true, // the issuer's key is handed over, as to the other formats
		AnyForm:   true,
		Limits:    s.Limits,
		Counts:    &x.counts,
	}

	checks := checksWhole
	if s.Binding == compare.HolderBinding {
		if err := x.bind(holder, f); err != nil {
			return nil, err
		}
		checks += checksBinding
	}

	steps := compare.Steps{
		Issue:  func() ([]byte, error) { return x.sign(issuer, x.doc) },
		Whole:  x.whole,
		Verify: x.verify,
	}

	if derives {
		x.holder = vcdm.Holder{Suite: suite.(*vcdm.SD), Limits: s.Limits, Counts: &x.counts}
		steps.Whole = func(issued []byte) ([]byte, error) { return x.derive(issued, everything) }
		steps.Present = func(issued []byte) ([]byte, error) { return x.derive(issued, disclose) }
		return compare.Deriving(x.counters, checks+", every disclosed statement", steps), nil
	}

	if s.HandOn {
		return compare.HandingOn(x.counters, checks, steps), nil
	}

	x.pointers = append(slices.Clone(c.Mandatory), disclose...)
	return compare.Reissuing(x.counters, checks, issuer, steps, x.reissue), nil
}

// suiteOf returns the suite of a format with mandatory pointers.
func suiteOf(f *format, mandatory []string) (vcdm.Suite, error) {
	s, err := vcdm.SuiteNamed(f.suite.Name())
	if err != nil {
		return nil, err
	}
	return s.New(f.canon, vcdm.SDOptions{Mandatory: mandatory}), nil
}

// exchange is one credential with one suite.
//
//phase:encode fallback
type exchange struct {
	doc      []byte
	pointers []string
	options  vcdm.Options
	proof    []byte // room for the options as JSON
	suite    string
	counts   vcdm.Counts
	counters *compare.Counters
	signer   vcdm.Signer
	holder   vcdm.Holder
	verifier vcdm.Verifier
	binding  *binding // nil without holder binding
}

func (x *exchange) sign(key *keys.Secret, doc []byte) ([]byte, error) {
	defer x.count()
	signer := x.signer
	signer.Key = key
	x.proof = x.options.AppendJSON(x.proof[:0], x.suite)
	return signer.Add(context.Background(), doc, x.proof)
}

// reissue signs the selection of an issued credential anew, for a suite that has no selective disclosure.
func (x *exchange) reissue(issued []byte, issuer *keys.Secret) ([]byte, error) {
	subset, err := vcdm.Selector{Limits: x.signer.Limits}.Select(context.Background(), issued, x.pointers)
	if err != nil {
		return nil, err
	}
	signed, err := x.sign(issuer, subset)
	if err != nil {
		return nil, err
	}
	defer x.count()
	return x.binding.present(signed)
}

// whole is what a verifier of the whole credential gets.
func (x *exchange) whole(issued []byte) ([]byte, error) {
	defer x.count()
	return x.binding.present(issued)
}

// everything points to the whole document.
var everything = []string{""}

// derive discloses what the pointers name, beside what is mandatory.
func (x *exchange) derive(issued []byte, pointers []string) ([]byte, error) {
	defer x.count()
	derived, err := x.holder.Derive(context.Background(), issued, pointers)
	if err != nil {
		return nil, err
	}
	return x.binding.present(derived)
}

func (x *exchange) verify(presented []byte) error {
	defer x.count()
	if x.binding != nil {
		return x.verifier.VerifyPresentation(context.Background(), presented).Err()
	}
	return x.verifier.Verify(context.Background(), presented).Err()
}

// count moves what an operation did to the exchange's counters.
func (x *exchange) count() {
	x.counters.Add(compare.Counters{Canonicalizations: x.counts.Canonicalizations, Digests: x.counts.Digests,
		Signatures: x.counts.Signatures, Verifications: x.counts.Verifications})
	x.counts = vcdm.Counts{}
}
