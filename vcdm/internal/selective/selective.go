// Package selective finds the statements of a document that JSON pointers select, with the labels and in
// the order in which ecdsa-sd-2023 and bbs-2023 sign them (VC-DI-ECDSA 3.4).
//
// # Two paths
//
// The literal path takes the steps of the specification. It gives every blank node of the document a name,
// has the document expanded, canonicalizes its statements, and expands each selection of JSON to see which
// statements it makes. The short path expands the document once, with the origin of each quad, and selects
// quads by where they come from. Both give the same statements, labels and selections.
//
// [New] decides once, when a suite is made:
//
//   - An engine that is a [canon.Datasets] takes the short path: the native one.
//   - It takes the literal path if that is requested and the engine also is a [canon.Expander]. No engine
//     of this project is both, but a test makes one, to compare the paths.
//   - An engine that is only a [canon.Expander] takes the literal path: stock and tuned, which have no
//     origins.
//   - An engine that is neither can only verify, which needs no selection: New returns nil.
//
// The paths differ in what they check. A selection may make statements other than those of the document,
// such as a part of a list. On the literal path they are not among the document's statements, and grouping
// fails. On the short path [Grouped.Reveal] finds them when it canonicalizes the revealed document.
//
//phase:caller
package selective

import (
	"context"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"
)

// Input is the document of one operation.
type Input struct {
	Options   canon.Options // its limits, budget and direction
	View      func() *jsontape.Tape
	Unsecured func() ([]byte, error) // the document without its proofs, as View
	Memory    *Memory
	Count     *int // of canonicalizations
}

// Memory is what one operation uses and the next one reuses. A [Grouped] of the short path reads it until
// its operation ends.
type Memory struct {
	Selection Selection
	short     short
}

// Labels returns the labels to sign for the canonical labels c14n0 to c14n<n-1>, all different.
type Labels func(n int) []string

// Grouper is canonicalizeAndGroup (VC-DI-ECDSA 3.4.16).
type Grouper interface {
	// Group returns the document's statements with other labels and which of them each group of pointers
	// selects.
	Group(ctx context.Context, in *Input, labels Labels, groups [][]string) (*Grouped, error)
}

// Grouped is a document's statements in the order in which they are signed.
type Grouped struct {
	Lines    [][]byte // valid until the operation ends
	Selected [][]bool // for each group, for each line
	Checked  bool     // every group is known to be the statements of a document with only these parts

	// Reveal returns what the label map of a derived proof that shows group n is made of (VC-DI-ECDSA 3.5.4
	// steps 14 to 16, 3.5.5): for each canonical number that a verifier will give a blank node of the
	// revealed document, its canonical number in the whole document. It fails if the revealed document does
	// not make exactly the statements that the group selects, as when a pointer names a part of a list.
	Reveal func(n int, document []byte) (map[uint32]uint32, error)
}

// New returns the Grouper for an engine, nil if there is none.
func New(c canon.Canonicalizer, preferLiteral bool) Grouper {
	e, expands := c.(canon.Expander)
	d, origins := c.(datasets)
	switch {
	case expands && (preferLiteral || !origins):
		return &literal{c, e}
	case origins:
		return &provenance{d}
	}
	return nil
}

// errPart is the error of pointers whose selection says something that the document does not.
var errPart = problem.Generation("",
	"a JSON pointer names a part of what can only be disclosed whole, such as an element of an ordered list")
