package vcdm

import (
	"context"

	"canonscope/canon"
)

// newGrouper returns the way to group statements that an engine allows.
func newGrouper(c canon.Canonicalizer, preferLiteral bool) grouper {
	e, ok := c.(Expander)
	if ok {
		return &literal{c, e}
	}
	return noGrouper{}
}

// noGrouper stands for an engine that can only canonicalize.
type noGrouper struct{}

func (noGrouper) group(context.Context, *input, *hmacLabels, [][]string) ([][]byte, [][]bool, error) {
	return nil, nil, &canon.UnsupportedError{Engine: "this engine", What: "ecdsa-sd-2023 without the origins of quads or the JSON-LD API"}
}
