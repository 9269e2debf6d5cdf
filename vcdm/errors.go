//phase:caller
package vcdm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"canonscope/vcdm/keys"
)

// Causes of errors about which a caller can do something.
var (
	// ErrNoProof says that a document is not secured.
	ErrNoProof = errors.New("is missing")
	// ErrBaseProof says that a proof is for the holder alone: see [Holder.Derive].
	ErrBaseProof = errors.New("it is a base proof, from which the holder derives one")
	// ErrDerivedProof is the error of a holder that needs the issuer's base proof.
	ErrDerivedProof = errors.New("it is a derived proof, from which no other can be derived")
	// ErrNotChecked is the error of a proof behind one that failed: see Verifier.AllReasons.
	ErrNotChecked = errors.New("is not checked, since another failed")
	// ErrOtherIssuer is the error of a document without a proof by its issuer or holder: see
	// Verifier.AnyIssuer.
	ErrOtherIssuer = errors.New("the signer is another party")
)

// ClockError is the cause of an error about a date: the time that it was compared with.
type ClockError struct{ Now time.Time }

func (e *ClockError) Error() string { return "the clock says " + e.Now.UTC().Format(time.RFC3339) }

// KeyError says that a cryptosuite cannot use a key, because the key is for another algorithm.
type KeyError struct {
	Suite     string
	Algorithm keys.Algorithm   // of the key
	Takes     []keys.Algorithm // of the suite, at least one
}

func (e *KeyError) Error() string {
	names := make([]string, len(e.Takes))
	for i, a := range e.Takes {
		names[i] = string(a)
	}
	of := "a key for " + string(e.Algorithm)
	if e.Algorithm == "" {
		of = "an empty key"
	}
	return fmt.Sprintf("%s cannot use %s; it takes %s", e.Suite, of, strings.Join(names, " or "))
}
