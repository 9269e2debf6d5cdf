//phase:caller
package vcdm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// ErrorType names a processing error of VC Data Integrity section 4.7 or Controlled Identifiers section 3.5.
type ErrorType string

const (
	ParsingError           ErrorType = "PARSING_ERROR"
	ProofGenerationError   ErrorType = "PROOF_GENERATION_ERROR"
	ProofVerificationError ErrorType = "PROOF_VERIFICATION_ERROR"
	ProofTransformation    ErrorType = "PROOF_TRANSFORMATION_ERROR"
	InvalidDomain          ErrorType = "INVALID_DOMAIN_ERROR"
	InvalidChallenge       ErrorType = "INVALID_CHALLENGE_ERROR"
	DataLossDetection      ErrorType = "DATA_LOSS_DETECTION_ERROR"

	InvalidMethodURL            ErrorType = "INVALID_VERIFICATION_METHOD_URL"
	InvalidControllerDocument   ErrorType = "INVALID_CONTROLLED_IDENTIFIER_DOCUMENT"
	InvalidControllerDocumentID ErrorType = "INVALID_CONTROLLED_IDENTIFIER_DOCUMENT_ID"
	InvalidMethod               ErrorType = "INVALID_VERIFICATION_METHOD"
	InvalidRelationship         ErrorType = "INVALID_RELATIONSHIP_FOR_VERIFICATION_METHOD"

	MalformedValue ErrorType = "MALFORMED_VALUE_ERROR" // of Verifiable Credentials Data Model 2.0 section 7
	RangeError     ErrorType = "RANGE_ERROR"
)

// URL returns the type as the problem details of RFC 9457 give it.
func (t ErrorType) URL() string {
	if t == MalformedValue || t == RangeError {
		return "https://www.w3.org/TR/vc-data-model#" + string(t)
	}
	return "https://w3id.org/security#" + string(t)
}

// Problem returns the error as problem details (RFC 9457).
func (e *Error) Problem() map[string]string {
	p := map[string]string{"type": e.Type.URL(), "title": string(e.Type), "detail": e.Error()}
	if e.Where != "" {
		p["pointer"] = e.Where
	}
	return p
}

// Error is a reason why a proof was not made or not accepted.
type Error struct {
	Type  ErrorType
	Where string // JSON pointer into the document; "" for the whole of it
	Msg   string
	Err   error // the cause, or nil
}

func (e *Error) Error() string {
	s := string(e.Type)
	var loss *canon.LossError
	var pointer *canon.PointerError
	if e.Where != "" && !errors.As(e.Err, &loss) && !errors.As(e.Err, &pointer) { // which say where, too
		s += " at " + e.Where
	}
	if e.Msg != "" {
		s += ": " + e.Msg
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Causes of errors about which a caller can do something.
var (
	ErrNoProof      = errors.New("is missing")                                                // the document is not secured
	ErrBaseProof    = errors.New("it is a base proof, from which the holder derives one")     // see [Holder.Derive]
	ErrDerivedProof = errors.New("it is a derived proof, from which no other can be derived") // the issuer's base proof is wanted
	ErrNotChecked   = errors.New("is not checked, since another failed")                      // see Verifier.AllReasons
	ErrOtherIssuer  = errors.New("whoever signed is somebody else")                           // see Verifier.AnyIssuer
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

// generation and verification make the two common errors.
func generation(where, msg string) *Error {
	return &Error{Type: ProofGenerationError, Where: where, Msg: msg}
}

func verification(where, msg string) *Error {
	return &Error{Type: ProofVerificationError, Where: where, Msg: msg}
}

// transformed gives a canonicalizer's error its type; what names the thing that was canonicalized.
func transformed(err error, what string) error {
	var loss *canon.LossError
	var syntax *canon.SyntaxError
	switch {
	case errors.As(err, &loss):
		return &Error{Type: DataLossDetection, Where: loss.Losses[0].Pointer, Msg: what, Err: err}
	case errors.As(err, &syntax):
		return &Error{Type: ParsingError, Msg: what, Err: err}
	}
	return &Error{Type: ProofTransformation, Msg: "canonicalize " + what, Err: err}
}
