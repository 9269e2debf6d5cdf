// Package problem holds the errors of packages vcdm and rules: a type of problem, its place, and the cause.
//
//phase:caller
package problem

import (
	"errors"

	"canonscope/canon"
)

// Type names a processing error of VC Data Integrity section 4.7 or Controlled Identifiers section 3.5.
type Type string

const (
	ParsingError           Type = "PARSING_ERROR"
	ProofGenerationError   Type = "PROOF_GENERATION_ERROR"
	ProofVerificationError Type = "PROOF_VERIFICATION_ERROR"
	ProofTransformation    Type = "PROOF_TRANSFORMATION_ERROR"
	InvalidDomain          Type = "INVALID_DOMAIN_ERROR"
	InvalidChallenge       Type = "INVALID_CHALLENGE_ERROR"
	DataLossDetection      Type = "DATA_LOSS_DETECTION_ERROR"

	InvalidMethodURL            Type = "INVALID_VERIFICATION_METHOD_URL"
	InvalidControllerDocument   Type = "INVALID_CONTROLLED_IDENTIFIER_DOCUMENT"
	InvalidControllerDocumentID Type = "INVALID_CONTROLLED_IDENTIFIER_DOCUMENT_ID"
	InvalidMethod               Type = "INVALID_VERIFICATION_METHOD"
	InvalidRelationship         Type = "INVALID_RELATIONSHIP_FOR_VERIFICATION_METHOD"

	MalformedValue Type = "MALFORMED_VALUE_ERROR" // of Verifiable Credentials Data Model 2.0 section 7
	RangeError     Type = "RANGE_ERROR"
)

// URL returns the type as the problem details of RFC 9457 give it.
func (t Type) URL() string {
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

// Error is a reason why a proof was not made or not accepted, or why a document breaks a rule.
type Error struct {
	Type  Type
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

// New returns an error without a cause.
func New(t Type, where, msg string) *Error { return &Error{Type: t, Where: where, Msg: msg} }

// Generation returns an error of the type PROOF_GENERATION_ERROR.
func Generation(where, msg string) *Error {
	return New(ProofGenerationError, where, msg)
}

// Verification returns an error of the type PROOF_VERIFICATION_ERROR.
func Verification(where, msg string) *Error {
	return New(ProofVerificationError, where, msg)
}

// Transformed gives a canonicalizer's error its type; what names the thing that was canonicalized.
func Transformed(err error, what string) error {
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

// Inside puts the place of a document before the place in it.
func Inside(err error, at string) error {
	var e *Error
	if errors.As(err, &e) {
		c := *e
		c.Where = at + e.Where
		return &c
	}
	return err
}
