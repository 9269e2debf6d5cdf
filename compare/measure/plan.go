package measure

import (
	"time"

	"canonscope/compare"
	"canonscope/profiles"
)

// Plan is a campaign to be run.
type Plan struct {
	Cells     []compare.Cell   // most important first: groups are left out from the end to fit the budget
	Given     compare.Given    // documents and contexts of the user
	Seed      uint64           // of documents, keys and the order of exchanges and their operations
	Documents int              // rotating documents
	Window    compare.Window   // of each operation in each process
	Now       time.Time        // the verifier's clock; zero is the time at which the campaign begins
	Runs      int              // fresh processes of each exchange
	Raw       bool             // a pass that keeps single operations, outside the budget
	Profile   float64          // CPU seconds of each profile; 0 is none, negative chooses
	Precise   float64          // half of the widest interval with which a profile ends early; 0 is none
	Sampler   profiles.Sampler // of profiles; "" is auto
	Allocs    bool             // an allocation pass of each cell, outside the budget
	Budget    time.Duration    // wall time of the whole campaign; 0 is unlimited
	Keep      bool             // exchanges and processes that do not fit the budget are measured all the same
	CPU       *int             // the processor that children run on; nil is any
	Canonize  time.Duration    // that canonize may take; 0 is no bound
	Deadline  time.Duration    // wall time of one child
	Idle      time.Duration    // without CPU until a child is given up; 0 waits
	Memory    int64            // data segment of one child, bytes; 0 is unlimited
	Rules     profiles.Rules
}

// Bounds of what a plan chooses automatically.
const (
	defaultProfile = 1.0 // CPU seconds of a profile without a budget
	minProfiles    = 0.5 // CPU seconds of the profiles of an exchange
	maxProfiles    = 9.0
	leastProfile   = 0.1                    // of them, for each operation; the rest goes as operations cost
	perfProfile    = 0.25                   // CPU seconds of the profiles of an exchange, by perf
	leastPerf      = 0.03                   // of them, at least, for each operation: 100 samples
	perfStop       = 20 * time.Millisecond  // the same of perf
	grace          = 2 * time.Second        // by how much the profiles may overdraw
	signalStop     = 100 * time.Millisecond // until a profile is attributed and drawn
	lenience       = 1.25                   // by how much the last processes may overdraw
	fitRuns        = 3                      // processes that must fit, except of the first group
	idleTimes      = 3
)

// expected is the time that a child should take to time an exchange: its start, and for each operation the
// warm-up and a window with some reserve, or the time of a slow operation.
func expected(w compare.Window, start time.Duration, operations []time.Duration) time.Duration {
	for _, op := range operations {
		window := max(op, seconds(w.Least)*3/2)
		if w.N > 0 {
			window = time.Duration(w.N) * op
		}
		start += max(2*op, max(warmTime, seconds(w.Warm))+threadTime) + window
	}
	return start
}
