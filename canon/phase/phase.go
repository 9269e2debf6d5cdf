// Package phase names the phases that a credential operation passes through and records exact per-phase times where
// code marks them itself. Everything that attributes cost uses these names.
package phase

import "time"

// Phase is one named part of an operation.
type Phase uint8

// The phases, in the order reports show them.
const (
	Parse Phase = iota
	Context
	Expand
	ExpandToRDF // fused in the native engine
	ToRDF
	Label
	Serialize
	JCS
	Digest
	Select
	Salt
	Encode
	Sign
	Check
	Validate
	Runtime
	GC
	Unattributed
	Count int = iota
)

var names = [Count]string{"parse", "context", "expand", "expand+to-rdf", "to-rdf", "label", "serialize", "jcs", "digest",
	"select", "salt", "encode", "sign", "check", "validate", "runtime", "gc", "unattributed"}

func (p Phase) String() string {
	if int(p) < Count {
		return names[p]
	}
	return "invalid phase"
}

// ByName returns the phase with the given name.
func ByName(name string) (Phase, bool) {
	for i, n := range names {
		if n == name {
			return Phase(i), true
		}
	}
	return 0, false
}

// Total is what one phase has cost so far.
type Total struct {
	Time  time.Duration // wall time
	Bytes int64         // bytes the phase consumed or produced, as its owner defines
	Calls int64
}

// Recorder adds up phases. A nil Recorder records nothing and costs a nil check. It is not safe for concurrent use:
// one Recorder serves one goroutine.
type Recorder struct {
	totals [Count]Total
}

var epoch = time.Now()

// Begin returns a mark to hand to End.
func (r *Recorder) Begin() time.Duration {
	if r == nil {
		return 0
	}
	return time.Since(epoch)
}

// End charges the time since mark, and bytes, to p and returns a new mark, so that adjacent phases share one clock read.
func (r *Recorder) End(p Phase, mark time.Duration, bytes int) time.Duration {
	if r == nil {
		return 0
	}
	now := time.Since(epoch)
	t := &r.totals[p]
	t.Time += now - mark
	t.Bytes += int64(bytes)
	t.Calls++
	return now
}

// Totals returns what has been recorded, indexed by Phase.
func (r *Recorder) Totals() [Count]Total {
	if r == nil {
		return [Count]Total{}
	}
	return r.totals
}

// Reset clears the totals.
func (r *Recorder) Reset() {
	if r != nil {
		r.totals = [Count]Total{}
	}
}
