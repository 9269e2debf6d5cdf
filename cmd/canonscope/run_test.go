package main

import (
	"strings"
	"testing"

	"canonscope/compare"
)

// A line of progress, on a terminal always, shows the name of a file as it is safe to.
func TestProgressLine(t *testing.T) {
	cell := compare.Cell{Format: "mdoc", Suite: "cose-sign1", Engine: "native", Algorithm: "EdDSA", Operation: compare.Verify,
		Schema: "file:a%1B%5B2J%0Ab%E2%80%AE.json", GC: "100", Procs: 2, Contexts: "none"}.ID()
	line := progressLine("gate", 0, 3, cell)
	if !strings.HasPrefix(line, `gate: 1 of 3, a\u001b[2J\u000ab\u202e.json mdoc `) {
		t.Errorf("%q", line)
	}
}
