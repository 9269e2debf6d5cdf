package profiles

import (
	"context"
	"runtime/pprof"

	"github.com/google/pprof/profile"
)

// Labels that samples carry.
const (
	CellLabel  = "cell"  // set by Do; a sample with this label is foreground
	PhaseLabel = "phase" // written by Annotate
)

// doFrame is the function whose callees are the measured operation: the closure in Do. Frames that set the
// label are outside it.
const doFrame = "canonscope/profiles.Do.func1"

// Do runs f and labels its CPU samples with the cell. Goroutines that f starts inherit the label. Call Do
// once around many operations: setting the label allocates.
//
//go:noinline
func Do(cell string, f func()) {
	if p := perfNow.Load(); p != nil {
		p.enter(cell)
	}
	pprof.Do(context.Background(), pprof.Labels(CellLabel, cell), func(context.Context) { f() })
}

// foreground reports whether a sample belongs to the measured operation. CPU samples have the label;
// allocation samples have no labels, but their stacks pass through Do. Samples whose leaf is the measuring
// code are excluded.
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

// stack returns the names of a sample's functions from leaf to root, including inlined calls.
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
