package measure

import (
	"time"

	"canonscope/compare"
	"canonscope/profiles"
)

// Plan is a campaign to be run.
type Plan struct {
	Cells     []compare.Cell // most important first: what does not fit the budget is left out from the end, by groups
	Seed      uint64         // of documents, keys and the order of cells
	Documents int            // rotating documents
	N         int            // timed operations per cell and run; 0 chooses per cell, by the budget
	Runs      int            // fresh processes per cell
	Blocks    int            // blocks per run, at most N
	Profile   float64        // CPU seconds of each profile pass; 0 is none, negative chooses
	Allocs    bool           // an allocation pass of each cell, outside the budget
	Budget    time.Duration  // wall time of the whole campaign, for what the plan chooses; needed if N is 0
	Keep      bool           // cells and runs that do not fit the budget are measured all the same, with the smallest N
	Deadline  time.Duration  // wall time of one child
	Idle      time.Duration  // a child that uses no CPU for so long is given up, or for idleTimes its expected time if that is longer; 0 waits
	Memory    int64          // data segment of one child, bytes; 0 is unlimited
	Rules     profiles.Rules
}

// Bounds of what a plan chooses by itself.
const (
	maxN           = 2000
	defaultProfile = 1.0 // CPU seconds of a profile pass without a budget
	minProfile     = 0.25
	maxProfile     = 3.0
	minTimed       = 25 * time.Millisecond  // of operations in a run: blocks of less show the machine's other work
	grace          = 10 * time.Second       // by how much the first tier and the profile passes may overdraw the budget
	profilerStop   = 150 * time.Millisecond // until the profiler has stopped and its profile is attributed and drawn
	lenience       = 1.25                   // by how much the last runs may overdraw their part of the budget
	timingShare    = 0.6                    // of the budget left after the gates; the profile passes get the rest
	gateShare      = 0.4                    // of the budget; once it is used no gate after the first tier is begun
	fitRuns        = 2                      // runs of all cells that must fit, but for the first tier
	idleTimes      = 3
	allocBytes     = 16 << 20               // of an allocation pass: some 32,000 samples
	allocTime      = 250 * time.Millisecond // of its operations, as they were timed
)

// sizing is what choosing N needs to know about a cell.
type sizing struct {
	op    time.Duration // one operation
	start time.Duration // until the first timed operation
}

// choose returns how many operations each cell times in one run that may take the given time altogether, and how long the
// run is expected to take. Every cell gets the same time, at least minTimed, within at least least and at most maxN
// operations; the least may not fit.
func choose(cells []sizing, least int, total time.Duration) ([]int, time.Duration) {
	count := func(each time.Duration) ([]int, time.Duration) {
		var sum time.Duration
		n := make([]int, len(cells))
		for i, c := range cells {
			n[i] = min(maxN, max(least, int(max(each, minTimed)/max(c.op, 1))))
			sum += c.start + time.Duration(n[i])*c.op
		}
		return n, sum
	}
	low, high := time.Duration(0), total
	for range 40 {
		mid := (low + high) / 2
		if _, sum := count(mid); sum <= total {
			low = mid
		} else {
			high = mid
		}
	}
	return count(low)
}

// allocOps is how many operations an allocation pass records after what was timed: enough to allocate allocBytes in
// allocTime, and at least 3.
func allocOps(blocks []compare.Block) int {
	var ops, bytes, wall int64
	for _, b := range blocks {
		ops, bytes, wall = ops+int64(b.Ops), bytes+b.Bytes, wall+b.Wall
	}
	return int(max(3, min(allocBytes*ops/max(bytes, 1), int64(allocTime)*ops/max(wall, 1))))
}

// warmup is how many operations run before the clock: 20 ms of them, at least 3 and at most 200.
func warmup(op time.Duration) int {
	return min(200, max(3, int(20*time.Millisecond/max(op, 1))))
}
