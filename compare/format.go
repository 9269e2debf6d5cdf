package compare

import (
	"canonscope/canon"
	"canonscope/schemas"
)

// Definition is a format: what the matrix measures of it, and what the command does with its files. The list of all is in
// compare/matrix.
type Definition struct {
	Name   Format
	Column string // head of the column with ratios to it; "" where nothing is compared with it
	Title  string // of that column where there is room
	Suites []Suite

	Operations []Operation // that its exchanges have

	// Prepares returns what makes the exchanges of a cell. The canonicalizer is nil where the suite has no method.
	Prepares func(c Cell, canonicalizer canon.Canonicalizer) (Preparer, error)
	// Tamper returns altered copies of a presentation, every one of which verify must refuse.
	Tamper func(c *schemas.Credential, presented []byte, bound bool) ([]Tampered, error)

	Documents bool   // it signs the document itself, which its JSON Schema can validate
	Stock     string // what its stock engine is, where no library does all of it
	Bound     string // how a holder signs what it presents
}

// Suite is a way in which a format signs: a cryptosuite, or the envelope of a signature.
type Suite struct {
	Name       string
	Algorithms []Algorithm
	Method     canon.Method // of the canonicalizer that it takes; "" where it takes none
	Reissues   bool         // present signs again with the issuer's key
}

// Tampered is an altered presentation.
type Tampered struct {
	What  string // what was altered, for people: "a disclosed value"
	Bytes []byte
}
