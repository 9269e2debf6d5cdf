package profiles

import (
	"context"
	"runtime/pprof"

	"github.com/google/pprof/profile"
)

// Labels that samples carry.
const (
	CellLabel  = "cell"  // set by Do; a sample that has it is foreground
	PhaseLabel = "phase" // written by Annotate
)

// doFrame is the function whose callees are the measured operation: the closure in Do, so that setting the label is none of it.
const doFrame = "canonscope/profiles.Do.func1"

// Do runs f with its CPU samples labelled as those of the cell; goroutines that f starts inherit the label. Call it once
// around many operations: setting the label allocates.
//
//go:noinline
func Do(cell string, f func()) {
	pprof.Do(context.Background(), pprof.Labels(CellLabel, cell), func(context.Context) { f() })
}

// foreground reports whether a sample with a stack is of the measured operation. CPU samples are known by their label.
// Allocation samples carry none and are known by passing through Do. What the measuring code does itself is neither.
func (c *classifier) foreground(s *profile.Sample, stack []string) bool {
	if len(stack) > 0 {
		if r, ok := c.match(stack[0], ""); ok && r.Kind == Harness {
			return false
		}
	}
	return len(s.Label[CellLabel]) > 0 || passesDo(s)
}

// passesDo reports whether a stack passes through Do.
func passesDo(s *profile.Sample) bool {
	for i := len(s.Location) - 1; i >= 0; i-- {
		for _, l := range s.Location[i].Line {
			if l.Function != nil && l.Function.Name == doFrame {
				return true
			}
		}
	}
	return false
}

// stack returns the names of a sample's functions from leaf to root, calls that the compiler inlined included.
func stack(s *profile.Sample, into []string) []string {
	into = into[:0]
	for _, loc := range s.Location {
		for _, l := range loc.Line {
			if l.Function != nil {
				into = append(into, l.Function.Name)
			}
		}
	}
	return into
}
