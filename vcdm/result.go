//phase:caller
package vcdm

import (
	"errors"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/rules"
)

// MediaType is that of a verified document.
const MediaType = "application/vc"

// Result is the result of a verification (VC Data Integrity 4.4).
type Result struct {
	Verified  bool
	MediaType string  // "" unless Verified
	Errors    []error // why it is not verified; most are *problem.Error

	Credentials []*Result // of a presentation: one for each credential in it
	uncompared  []string  // pointers to what was compared with nothing
	known       []string  // Verifier.Contexts

	first    [1]ProofResult // of a single proof, so that a result is one piece of memory
	several  []ProofResult
	proofs   int
	secured  []byte // the document as it came
	from, to int    // where its proofs are in it
	replaced []byte // the document, where verification changes it
	context  []byte // that replaces its own then
	fewer    bool   // it has fewer contexts than the one that came
}

// Proofs returns the outcome of each proof, in order; none where they could not be read.
func (r *Result) Proofs() []ProofResult {
	if r.proofs == 1 {
		return r.first[:]
	}
	return r.several
}

// Document returns the verified document without its proofs; nil unless Verified.
func (r *Result) Document() []byte {
	switch {
	case !r.Verified:
		return nil
	case r.replaced != nil:
		return r.replaced
	}
	return append(append(make([]byte, 0, len(r.secured)), r.secured[:r.from]...), r.secured[r.to:]...)
}

// Replaced reports whether the verified document has fewer contexts than the one that came, as a proof of a
// JCS suite allows (VC-DI-EdDSA 3.3.2 step 4).
func (r *Result) Replaced() bool { return r.Verified && r.fewer }

// ProofResult is the outcome of one proof.
type ProofResult struct {
	ID       string // "" where the proof has none
	Suite    string
	Method   *Method // nil where it was not found
	Verified bool
	Bound    bool  // the controller of the method is the issuer, or the holder of the presentation
	Err      error // nil if Verified
}

// Err returns nil if the document is verified, and otherwise every reason why not.
func (r *Result) Err() error { return errors.Join(r.Errors...) }

// Add adds a reason, or several joined ones, why the document is not accepted; nil adds none.
func (r *Result) Add(err error) {
	if err == nil {
		return
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		r.Errors = append(r.Errors, all.Unwrap()...)
	} else {
		r.Errors = append(r.Errors, err)
	}
	r.Verified, r.MediaType = false, ""
}

// UnknownContexts lists the contexts of the document, and of every object in it, that are inline or not
// built in, and not among those that the verifier was given.
func (r *Result) UnknownContexts() []rules.UnknownContext {
	if d := r.read(); d != nil {
		return d.UnknownContexts(r.known)
	}
	return nil
}

// Unchecked returns JSON pointers to what the verification did not look into: status, schemas, related
// resources whose digests nothing was compared with, and credentials inside a credential, whose own proofs
// are not checked.
func (r *Result) Unchecked() []string {
	if d := r.read(); d != nil {
		return d.Unchecked(r.uncompared)
	}
	return nil
}

// read scans the document again, since the tape of the verification serves others by now; nil where it
// cannot be read.
func (r *Result) read() *rules.Document {
	d, err := rules.Read(new(jsontape.Tape), r.secured, canon.Limits{Bytes: len(r.secured) + 1})
	if err != nil {
		return nil
	}
	return &d
}
