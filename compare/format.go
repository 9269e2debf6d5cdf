package compare

import (
	"context"
	"encoding/json"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/printable"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/rules"
)

// Definition is a format: what the matrix measures of it, and what the command does with its files. The
// list of all is in compare/matrix.
type Definition struct {
	Name   Format
	Column string // head of the column with ratios to it; "" where nothing is compared with it
	Title  string // of that column where there is room
	Suites []Suite

	Operations []Operation // that its exchanges have

	// Prepares returns what makes the exchanges of a cell. The canonicalizer is nil where the suite has no
	// method.
	Prepares func(c Cell, canonicalizer canon.Canonicalizer) (Preparer, error)
	// Chosen lists what the format adds to a credential and what it omits; nil if it signs the document.
	Chosen func(c *schemas.Credential, t *Task) ([]string, error)
	// Tamper returns altered copies of a presentation, every one of which verify must refuse.
	Tamper func(c *schemas.Credential, presented []byte, bound bool) ([]Tampered, error)

	Documents bool   // it signs the document itself, which its JSON Schema can validate
	Stock     string // what its stock engine is, if no library does all of it
	Bound     string // how a holder signs what it presents

	// Decode returns the bytes of a file, and whether it is of the format. Without it the format takes all
	// files that no other format takes.
	Decode func(in []byte) ([]byte, bool)
	Binary bool // it is not text: the command writes it to files in hexadecimal

	Inspect func(b []byte, limits canon.Limits) (*Inspection, error)
	Files   map[Operation]func() *Files
	Conform *Conformance
}

// Option is a flag of the command for a format. The type of To is the type of its argument: none for a
// *bool, text for a *string, several texts for a *[]string, the name of a file for a *KeyFile and a
// *Certificates. If To is nil, the format uses the command's flag of that name.
type Option struct {
	Name, Usage string
	To          any
	Alone       bool // the usage is complete without the name of the format
}

// KeyFile is the key that an option names; without Path it is not given.
type KeyFile struct {
	Path   string
	Public *keys.Public
	Secret *keys.Secret // nil where the file has none, unless NeedsSecret
	Method string       // verification method that the file names
	// NeedsSecret is set beforehand where the public half is not enough.
	NeedsSecret bool
}

// Certificates are those of a PEM file that an option names; without Path they are not given.
type Certificates struct {
	Path string
	DER  [][]byte
}

// Task is how the command works on any file.
type Task struct {
	Engine Engine
	Limits canon.Limits
	Now    time.Time // with which dates are compared
	Skew   time.Duration
	JSON   bool // the answer will be written as JSON

	Name    string // of the input, in errors
	File    string // of the input, in answers
	Expires string // end of validity of what is issued, as the user wrote it

	// What a document with JSON-LD contexts needs: a canonicalizer of the engine, how RDF represents base
	// directions, and the digests of resources that are known.
	Canonicalizer func(canon.Method) (canon.Canonicalizer, error)
	Direction     string
	Digests       func() (rules.Hashes, error)

	Note   func(format string, args ...any) // says something beside the answer
	Advice func(error) string               // what the user can do about an error; ""
}

// Files does one operation on files, once its options are set.
type Files struct {
	Options []Option

	// Draft prepares a VCDM document for signing, with an end of validity unless it is nil; Issue signs it.
	Draft func(doc []byte, until *time.Time, t *Task) (*Draft, error)
	Issue func(ctx context.Context, d *Draft, key *KeyFile, t *Task) ([]byte, error)
	// Present presents the parts of a credential that JSON pointers select. How is what was done, as text.
	Present func(ctx context.Context, in []byte, disclose []string, t *Task) (
		out []byte, how string, err error)
	// Verify verifies a presentation. Remedies say what flag does about a refusal, by the Option of its
	// [*InvalidError].
	Verify   func(ctx context.Context, in []byte, t *Task) (*Verification, error)
	Remedies map[string]string
}

// Draft is a credential of the user, ready to be issued in another format.
type Draft struct {
	JSON   []byte       // its claims
	Issuer string       // iss
	Chosen []string     // what differs from the credential, as text
	Losses []canon.Loss // what the format cannot carry, in document order; its @context is among Chosen
}

// Verification is the answer about a presentation.
type Verification struct {
	Refused error `json:"-"` // why it is not verified; the other fields are then empty

	Issuer    string            `json:"issuer,omitempty"`    // iss of an SD-JWT
	Signers   []string          `json:"signers,omitempty"`   // subjects of the certificates whose keys signed
	Claims    json.RawMessage   `json:"claims,omitempty"`    // the processed payload of an SD-JWT
	Disclosed []string          `json:"disclosed,omitempty"` // JSON pointers
	Unchecked []string          `json:"unchecked,omitempty"`
	Documents []json.RawMessage `json:"documents,omitempty"` // of an mdoc

	Count int      `json:"-"` // of what is disclosed
	About []string `json:"-"` // the presentation, in lines
	Key   string   `json:"-"` // that signed, where no certificate names its owner

	// A format that has more to say says all of it: Print as text, Own as JSON.
	Print func(p *printable.Printer) `json:"-"`
	Own   any                        `json:"-"`
}

// Said is the answer in words.
func Said(verified bool) string {
	if verified {
		return "verified"
	}
	return "not verified"
}

// Derived is what was done where a holder presents without the issuer's key.
const Derived = "derived"

// Conformance is a test suite that the command runs.
type Conformance struct {
	Name   string // of the subcommand
	Title  string
	Holds  string // what its folder holds
	Module string // of the stock engine
	Run    func(ctx context.Context, engine Engine, dir string) ([]conform.Result, error)

	// A suite of canonical forms has a method and Forms instead of Run, for foreign engines as well.
	Method canon.Method
	Forms  func(ctx context.Context, dir string, c canon.Canonicalizer) ([]conform.Result, error)
}

// OptionError is about an option or the file that it names, not about the document.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }
func (e *OptionError) Unwrap() error { return e.Err }

// Suite is a way in which a format signs: a cryptosuite, or the envelope of a signature.
type Suite struct {
	Name       string
	Algorithms []Algorithm
	Method     canon.Method // of the canonicalizer that it takes; "" where it takes none
	Reissues   bool         // present signs again with the issuer's key
}

// Tampered is an altered presentation.
type Tampered struct {
	What  string // what was altered, as text: "a disclosed value"
	Bytes []byte
}
