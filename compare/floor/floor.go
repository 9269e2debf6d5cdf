// Package floor is the format floor: not a credential, but the work that no Data Integrity proof over a
// canonical form can leave out. Its suites bound those of their method from below; the primitives bound those
// of all formats. Call [NewFormat].
//
// The suites floor-rdfc and floor-jcs scan the document, hash the canonical forms of the document and of the
// options of a proof, and sign their hashes, or check that signature. The forms are made outside the clock.
// The suite primitives is a signature of the SHA-256 of 256 bytes, and its check. With BBS the floor signs
// the statements of the canonical form apart, and the primitives sign one message: a check has two
// pairings.
//
//phase:caller
package floor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// Definition is the format.
var Definition = &compare.Definition{
	Name: compare.Floor,
	Suites: []compare.Suite{
		{Name: compare.FloorRDFC, Algorithms: withBBS, Method: canon.RDFC},
		{Name: compare.FloorJCS, Algorithms: keys.Algorithms, Method: canon.JCS},
		{Name: compare.Primitives, Algorithms: withBBS},
	},
	Operations: compare.Whole,
	Prepares: func(c compare.Cell, canonicalizer canon.Canonicalizer) (compare.Preparer, error) {
		return NewFormat(canonicalizer, c.Suite, c.Algorithm), nil
	},
	Tamper: tamper,
}

var withBBS = append(slices.Clone(keys.Algorithms), keys.BBS)

// NewFormat returns a suite of the format over a canonicalizer of its method; the primitives take none.
func NewFormat(c canon.Canonicalizer, suite string, algorithm compare.Algorithm) compare.Preparer {
	return format{c, suite, algorithm}
}

type format struct {
	canon     canon.Canonicalizer
	suite     string
	algorithm compare.Algorithm
}

// Prepare implements [compare.Preparer]. A document without a canonical form is a [*canon.UnsupportedError]:
// other suites may do without.
func (f format) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	if c == nil {
		return nil, errors.New("there is no credential")
	}
	if err := c.Kind.Exchangeable(c.Schema); err != nil {
		return nil, err
	}
	issuer, _, err := claims.Keys(f.algorithm, s)
	if err != nil {
		return nil, err
	}
	w := &work{key: issuer, forms: [][]byte{make([]byte, 256)}, counters: &compare.Counters{}}
	checks := "signature"
	if f.canon != nil {
		w.doc, w.limits = c.VCDM, s.Limits
		if w.forms, err = f.canonical(c.VCDM, issuer, s); err != nil {
			return nil, &canon.UnsupportedError{Engine: string(compare.Floor),
				What: fmt.Sprintf("the document: %v", err)}
		}
		checks += " of the hashes"
		if f.algorithm == keys.BBS {
			w.messages = slices.Collect(bytes.Lines(w.forms[1]))
			checks = "signature of the statements"
		}
	}
	return compare.HandingOn(w.counters, checks, compare.Steps{Issue: w.sign, Verify: w.verify}), nil
}

// canonical returns the canonical forms of the options of a proof and of the document.
func (f format) canonical(doc []byte, key *keys.Secret, s compare.Scenario) ([][]byte, error) {
	o := vcdm.Options{Created: s.Now.UTC().Format(time.RFC3339), Method: key.Public().Method(),
		Purpose: vcdm.AssertionMethod}
	method, family, year := "rdfc", "eddsa", "2022"
	if f.suite == compare.FloorJCS {
		method = "jcs"
	}
	if f.algorithm != keys.EdDSA {
		family, year = "ecdsa", "2019"
	}
	suite := strings.Join([]string{family, method, year}, "-")

	options := append([]byte(`{"@context":"`+vcdm.ProofContext+`",`), o.AppendJSON(nil, suite)[1:]...)
	opt := canon.Options{Limits: s.Limits, Direction: canon.I18nDatatype}
	if f.algorithm == keys.ES384 && f.suite == compare.FloorRDFC {
		opt.Hash = canon.SHA384
	}
	var forms [][]byte
	for _, b := range [][]byte{options, doc} {
		form, err := f.canon.Canonicalize(context.Background(), b, opt)
		if err != nil {
			return nil, err
		}
		forms = append(forms, bytes.Clone(form.Text))
	}
	return forms, nil
}

// work is that of one document.
type work struct {
	key      *keys.Secret
	doc      []byte // nil scans nothing
	limits   canon.Limits
	forms    [][]byte // that are hashed
	tape     jsontape.Tape
	hashes   []byte
	messages [][]byte // for BBS, of the document
	counters *compare.Counters
}

// prepare scans the document and makes the bytes that are signed.
func (w *work) prepare() ([]byte, error) {
	if w.doc != nil {
		if err := w.tape.Scan(w.doc, jsontape.Options{Bytes: w.limits.Bytes, Depth: w.limits.Depth,
			Memory: w.limits.Memory}); err != nil {
			return nil, err
		}
	}
	w.hash()
	return w.hashes, nil
}

//phase:digest
func (w *work) hash() {
	w.hashes = w.hashes[:0]
	for _, form := range w.forms {
		if w.doc != nil && w.key.Algorithm() == keys.ES384 {
			sum := sha512.Sum384(form)
			w.hashes = append(w.hashes, sum[:]...)
			continue
		}
		sum := sha256.Sum256(form)
		w.hashes = append(w.hashes, sum[:]...)
	}
}

func (w *work) sign() ([]byte, error) {
	message, err := w.prepare()
	if err != nil {
		return nil, err
	}
	w.counters.Signatures++
	if w.messages != nil {
		w.counters.Digests += len(w.messages)
		return w.key.SignAll(message, w.messages)
	}
	return w.key.Sign(message)
}

var errSignature = errors.New("the signature does not verify")

func (w *work) verify(signature []byte) error {
	message, err := w.prepare()
	if err != nil {
		return err
	}
	w.counters.Verifications++
	ok := false
	if w.messages != nil {
		w.counters.Digests += len(w.messages)
		ok = w.key.Public().VerifyAll(message, w.messages, signature)
	} else {
		ok = w.key.Public().Verify(message, signature)
	}
	if !ok {
		return errSignature
	}
	return nil
}

// tamper alters each end of a signature, and leaves it out.
func tamper(_ *schemas.Credential, presented []byte, _ bool) ([]compare.Tampered, error) {
	if len(presented) == 0 {
		return nil, errors.New("there is no signature")
	}
	first, last := bytes.Clone(presented), bytes.Clone(presented)
	first[0] ^= 1
	last[len(last)-1] ^= 1
	return []compare.Tampered{{What: "the first byte of the signature", Bytes: first},
		{What: "the last byte of the signature", Bytes: last}, {What: "the signature by leaving it out"}}, nil
}
