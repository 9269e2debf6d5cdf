package measure

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

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

// Stolen time is a part of what passed; none where nothing passed.
func TestStolenTime(t *testing.T) {
	then := ticks{all: 1000, steal: 100}
	for now, want := range map[ticks]float64{{150, 1200}: 0.25, {100, 1200}: 0, then: 0} {
		if got := now.stolen(then); got != want {
			t.Errorf("%+v: %v, want %v", now, got, want)
		}
	}
}

// A fact of an environment has a bounded name and value.
func TestBoundsOfFacts(t *testing.T) {
	for _, c := range []struct {
		name, value int
		want        bool
	}{{maxWorker + maxReason, maxReason, true}, {maxWorker + maxReason + 1, 1, false}, {1, maxReason + 1, false}} {
		r := Reply{Environment: map[string]string{strings.Repeat("n", c.name): strings.Repeat("v", c.value)}}
		if err := r.check(&Batch{}); (err == nil) != c.want {
			t.Errorf("a name of %d and a value of %d bytes: %v", c.name, c.value, err)
		}
	}
}

// A profile that is read and not valid is refused.
func TestInvalidProfile(t *testing.T) {
	valid := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}},
		Sample: []*profile.Sample{{Value: []int64{1}}}}
	invalid := valid.Copy()
	invalid.Sample[0].Value = []int64{1, 2}
	for p, want := range map[*profile.Profile]bool{valid: true, invalid: false} {
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := plainProfile(b.Bytes()); (err == nil) != want {
			t.Errorf("%v: %v", p.Sample[0].Value, err)
		}
	}
}

// Of what a child writes to standard error the first 16 KiB are kept, however it writes them.
func TestHeadOfErrors(t *testing.T) {
	var h stderrHead
	for range 5 {
		if n, err := h.Write(make([]byte, 5000)); n != 5000 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	if h.buf.Len() != 16<<10 {
		t.Errorf("%d bytes are kept", h.buf.Len())
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
