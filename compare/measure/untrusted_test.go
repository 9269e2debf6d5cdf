package measure

import (
	"testing"
	"time"

	"canonscope/compare"
)

// What another machine says is bounded: events of a process, operations of a gate and documents that it drew.
func TestBoundsOfReplies(t *testing.T) {
	heard := func(events int) *Heard {
		return &Heard{Started: time.Now(), Events: make([]Event, events)}
	}
	if err := heard(mostEvents+1).check(Time, nil); err == nil {
		t.Error("too many events are accepted")
	}
	if err := heard(mostEvents).check(Time, nil); err != nil {
		t.Errorf("the bound itself: %v", err)
	}

	gated := func(operations, documents int) *Gated {
		g := &Gated{Work: make(map[compare.Operation]compare.Work), Drawn: make([]string, documents)}
		for _, op := range compare.Operations[:operations] {
			g.Work[op] = compare.Work{Documents: 1}
		}
		return g
	}
	all := len(compare.Operations)
	if err := gated(all, mostDocuments).check(); err != nil {
		t.Errorf("the bounds themselves: %v", err)
	}
	for _, g := range []*Gated{gated(0, 1), gated(all, mostDocuments+1)} {
		if g.check() == nil {
			t.Errorf("%d operations and %d documents are accepted", len(g.Work), len(g.Drawn))
		}
	}
}

// The time of a machine is that of all states of its processors, and stolen time is a part of it.
func TestMachineTicks(t *testing.T) {
	if now := machineTicks(); fileLine("/proc/stat") != Unavailable && now.all <= now.steal {
		t.Errorf("%+v", now)
	}
}

// Of a block an exchange has one job of each kind, and one that counts allocations for each operation.
func TestKeysOfJobs(t *testing.T) {
	issue, verify := []compare.Operation{compare.Issue}, []compare.Operation{compare.Verify}
	for kind, same := range map[Kind]bool{Time: true, Profile: true, Allocs: false} {
		if got := key(kind, "a", 1, issue) == key(kind, "a", 1, verify); got != same {
			t.Errorf("%v: jobs of two operations are one: %v", kind, got)
		}
		if key(kind, "a", 1, issue) == key(kind, "a", 2, issue) ||
			key(kind, "a", 1, issue) == key(kind, "b", 1, issue) {
			t.Errorf("%v: jobs of two blocks or exchanges are one", kind)
		}
	}
}
