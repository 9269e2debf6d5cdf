package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// A line of progress, on a terminal always, shows the name of a file as it is safe to, and how long the rest takes.
func TestProgressLine(t *testing.T) {
	cell := compare.Cell{Format: "mdoc", Suite: "cose-sign1", Engine: "native", Algorithm: "EdDSA", Operation: compare.Verify,
		Schema: "file:a%1B%5B2J%0Ab%E2%80%AE.json", GC: "100", Procs: 2, Contexts: "none"}.ID()
	line := progressLine(measure.Step{Stage: "gate", Total: 3, Cell: cell})
	if !strings.HasPrefix(line, `gate: 1 of 3; a\u001b[2J\u000ab\u202e.json mdoc `) {
		t.Errorf("%q", line)
	}
	line = progressLine(measure.Step{Stage: "time", Part: "run 2 of 5", Done: 1, Total: 3, Cell: cell, Elapsed: 20 * time.Second, Left: 100 * time.Second})
	if !strings.HasPrefix(line, `time, run 2 of 5: 2 of 3; 2 min of 2 min left; `) {
		t.Errorf("%q", line)
	}
}

// Where it is not a terminal, a stage has one line.
func TestProgressStages(t *testing.T) {
	var out bytes.Buffer
	progress, clear := progressTo(&out)
	for _, s := range []measure.Step{{Stage: "gate"}, {Stage: "gate", Done: 1}, {Stage: "time", Left: 9 * time.Second, Elapsed: time.Second},
		{Stage: "time", Left: 8 * time.Second}, {Stage: "profile", Left: 3 * time.Hour}} {
		progress(s)
	}
	clear()
	if got, want := out.String(), "gate\ntime, 9 s of 10 s left\nprofile, 3.0 h of 3.0 h left\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
