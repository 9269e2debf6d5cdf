//phase:caller
package vcdm

import (
	"context"

	"canonscope/canon"
)

// grouper is canonicalizeAndGroup (VC-DI-ECDSA 3.4.16).
type grouper interface {
	// group returns the document's statements with HMAC labels and which of them each group of pointers selects.
	group(ctx context.Context, in *input, hmacKey []byte, groups [][]string) (*grouped, error)
}

// grouped is a document's statements in the order in which they are signed.
type grouped struct {
	lines    [][]byte
	selected [][]bool // for each group, for each line
	checked  bool     // every group is known to be what a document of its own would say

	// reveal returns the label map of a derived proof that shows what group n selects (VC-DI-ECDSA 3.5.4 steps 14 to 16,
	// 3.5.5): the HMAC for each canonical number that a verifier will give a blank node of the revealed document. It fails
	// if that document does not say the very statements that the group selects, as when a pointer names a part of a list.
	reveal func(n int, document []byte) (map[uint32][]byte, error)
}

// newGrouper returns the way to group statements that an engine allows; nil where there is none.
func newGrouper(c canon.Canonicalizer, preferLiteral bool) grouper {
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
