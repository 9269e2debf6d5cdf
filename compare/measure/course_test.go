package measure

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/profiles"
)

// answering is a runner that answers each job in this process.
type answering func(Job, func(Event)) error

func (f answering) Run(_ context.Context, j Job, _ []byte, emit func(Event)) error {
	emit(Event{Type: "hello", Hello: &Hello{Binary: BinaryHash()}})
	return f(j, emit)
}

// course makes a campaign of these cells whose gates have not been passed.
func course(t *testing.T, p Plan, answer answering, progress Progress) *campaign {
	t.Helper()
	f, err := OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	c := newCampaign(p, answer, f, progress)
	c.cancel = func() {}
	return c
}

func exchangeOf(schema string, engine canon.Engine) compare.Cell {
	return compare.Cell{Format: "fake", Suite: "s", Engine: engine, Algorithm: "none", Schema: schema, GC: "100", Procs: 1, Contexts: "none"}
}

// A child starts in the time until the gate's child had drawn its documents, and thrice what its gate took to
// operate; what other passes take changes nothing of it.
func TestStartOfAChild(t *testing.T) {
	cell := exchangeOf("a", "stock")
	p := Plan{Cells: []compare.Cell{cell.With(compare.Issue), cell.With(compare.Verify)}, Documents: 1, Runs: 1}
	work := map[compare.Operation]compare.Work{compare.Issue: {Estimate: int64(ms)}, compare.Verify: {Estimate: int64(2 * ms)}}
	c := course(t, p, func(j Job, emit func(Event)) error {
		if j.Kind == Gate {
			emit(Event{Type: "gate", Gate: &Gated{Work: work}})
		}
		return nil
	}, nil)
	x := c.order[0]
	c.gate(t.Context(), x, 0)
	if least := 3 * 3 * ms; x.start <= least || x.start > least+10*time.Second {
		t.Errorf("%v, more than %v", x.start, least)
	}
	was := x.start
	if err := c.job(t.Context(), x, c.jobOf(Raw, x, x.cells), 0, 0); err != nil || x.start != was {
		t.Errorf("after another pass %v, %v", x.start, err)
	}
	if silent := course(t, p, func(Job, func(Event)) error { return nil }, nil); true {
		silent.gate(t.Context(), silent.order[0], 0)
		if r := silent.results[0]; silent.order[0].gated != nil || r.State != compare.Died || !strings.Contains(r.Reason, "said nothing") {
			t.Errorf("a gate that says nothing: %+v", r)
		}
	}
}

// Groups beyond those that fit a block have no more processes, which is recorded.
func TestFitting(t *testing.T) {
	var p Plan
	for _, schema := range []string{"a", "b", "c"} {
		p.Cells = append(p.Cells, exchangeOf(schema, "stock").With(compare.Issue))
	}
	p.Runs = 1
	for fit, left := range map[int]time.Duration{0: -time.Minute, 1: 1001 * time.Second, 2: 2001 * time.Second, 3: time.Hour} {
		c := course(t, p, nil, nil)
		for i, x := range c.order {
			x.gated, x.took, c.results[i].State = &Gated{}, 1000*time.Second, compare.Measured
		}
		if got := c.timing(c.order, 0); got != 3000*time.Second {
			t.Errorf("processes take %v", got)
		}
		if got := c.fitting(c.groups(), 1, time.Now().Add(left)); len(got) != fit {
			t.Errorf("%d groups fit in %v, want %d", len(got), left, fit)
		}
	}
}

// Blocks begin with documents that are as far apart as the processes allow, and go round.
func TestBlocksWalkTheDocuments(t *testing.T) {
	for _, v := range []struct {
		documents, runs int
		want            []int
	}{{8, 3, []int{0, 3, 6}}, {8, 4, []int{0, 2, 4, 6}}, {2, 4, []int{0, 1, 0, 1}}, {7, 3, []int{0, 3, 6}}, {3, 2, []int{0, 2}}} {
		var firsts []int
		p := Plan{Cells: []compare.Cell{exchangeOf("a", "stock").With(compare.Issue)}, Documents: v.documents, Runs: v.runs}
		c := course(t, p, func(j Job, emit func(Event)) error {
			firsts = append(firsts, j.First)
			emit(Event{Type: "run", Operation: compare.Issue, Run: &compare.Run{Ops: 1, CPU: 1, Wall: 1}})
			return nil
		}, nil)
		c.order[0].gated = &Gated{}
		if c.timings(t.Context()); !slices.Equal(firsts, v.want) {
			t.Errorf("%d documents in %d runs: %v, want %v", v.documents, v.runs, firsts, v.want)
		}
	}
}

// A window counts the collections that were in it, not those before.
func TestCollectionsOfAWindow(t *testing.T) {
	for range 5 {
		runtime.GC()
	}
	n := 0
	run, err := timed(compare.Window{N: 20}, false, func(ops int) error {
		for range ops {
			runtime.GC()
			n++
		}
		return nil
	})
	if err != nil || run.Collections < 20 || run.Collections > 20+2 {
		t.Errorf("%d collections in 20 operations with one each, %v", run.Collections, err)
	}
}

// Of each pass a step says what is left of it and of the passes after it.
func TestStepsOfPasses(t *testing.T) {
	var p Plan
	for _, schema := range []string{"a", "b"} {
		cell := exchangeOf(schema, "stock")
		p.Cells = append(p.Cells, cell.With(compare.Issue), cell.With(compare.Verify))
	}
	p.Documents, p.Raw, p.Allocs, p.Profile, p.Sampler = 1, true, true, 1, profiles.Signal
	var steps []Step
	c := course(t, p, func(Job, func(Event)) error { return errors.New("no") }, func(s Step) { steps = append(steps, s) })
	for _, x := range c.order {
		x.gated, x.start = &Gated{}, 100*ms
	}
	for i := range c.results {
		c.results[i].State, c.results[i].Runs = compare.Measured, []compare.Run{{CPU: 1}}
	}
	raw, profile := 2100*ms, 100*ms+2*(time.Second+100*ms) // of an exchange
	allocs := 4 * 350 * ms / time.Duration(workers())
	c.raw(t.Context())
	c.profiles(t.Context())
	c.allocs(t.Context())
	slices.SortStableFunc(steps[4:], func(a, b Step) int { return a.Done - b.Done }) // a few at a time
	want := []time.Duration{2*raw + 2*profile + allocs, raw + 2*profile + allocs, 2*profile + allocs, profile + allocs,
		allocs, allocs * 3 / 4, allocs / 2, allocs / 4}
	for i, s := range steps {
		if s.Left != want[i] || s.Done >= s.Total {
			t.Errorf("%+v, want %v", s, want[i])
		}
	}
	if len(steps) != len(want) {
		t.Errorf("%d steps", len(steps))
	}
}

// What was given first, too, must be given again, and nothing more.
func TestSameInputs(t *testing.T) {
	given := compare.Given{Contexts: map[string][]byte{"urn:a": []byte("a"), "urn:b": []byte("b")}}
	l := &Loaded{Planned: Plan{Given: given}.planned(Now)}
	if err := l.sameInputs(given); err != nil {
		t.Errorf("the same: %v", err)
	}
	for name, contexts := range map[string]map[string][]byte{
		"none": nil, "the first": {"urn:a": []byte("a")}, "the second": {"urn:b": []byte("b")}, "another": {"urn:a": []byte("a"), "urn:b": []byte("c")},
		"more": {"urn:a": []byte("a"), "urn:b": []byte("b"), "urn:c": []byte("c")},
	} {
		var other *OtherError
		if err := l.sameInputs(compare.Given{Contexts: contexts}); !errors.As(err, &other) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Allocations are recorded until there are enough of them, or for long enough, of three operations at least.
func TestEnoughAllocations(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	for size, most := range map[int]int{8 << 20: 3, 0: 1 << 40} {
		c := &child{job: &Job{Cell: "x"}}
		f := &toy{salts: func(int) int { return 1 }}
		w := &walk{drawn: f.bench(t, 1, 0), step: func(int) ([]byte, error) {
			time.Sleep(100 * us)
			return make([]byte, size), nil
		}}
		begun := time.Now()
		got, err := c.allocs(w)
		if err != nil {
			t.Fatal(err)
		}
		if enough := got.Bytes >= allocBytes || time.Since(begun) >= allocTime; !enough || got.Ops < 3 || got.Ops > most {
			t.Errorf("operations of %d bytes: %d of them, %d bytes in %v", size, got.Ops, got.Bytes, time.Since(begun))
		}
	}
}
