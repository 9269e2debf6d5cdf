package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/profiles"
	"canonscope/schemas/shape"
)

// A record is read up to the bounds of what can have been measured, and refused beyond them.
func TestReadRecords(t *testing.T) {
	const issue = compare.Issue
	run := func(change func(r *compare.Run)) func(r *Record) {
		return func(r *Record) {
			made := compare.Run{Ops: 1, CPU: 1, Wall: 1}
			change(&made)
			r.Runs = map[compare.Operation]*compare.Run{issue: &made}
		}
	}
	profile := func(p *compare.Profile) func(r *Record) {
		return func(r *Record) { r.Profiles = map[compare.Operation]*compare.Profile{issue: p} }
	}
	allocs := func(a *compare.Allocs) func(r *Record) {
		return func(r *Record) { r.Allocs = map[compare.Operation]*compare.Allocs{issue: a} }
	}
	for name, c := range map[string]struct {
		change func(r *Record)
		ok     bool
	}{
		"a gate":                     {func(r *Record) { r.Kind = Gate }, true},
		"what was left out":          {func(r *Record) { r.Kind = Left }, true},
		"enough of it":               {func(r *Record) { r.Kind = Enough }, true},
		"another kind":               {func(r *Record) { r.Kind = "sing" }, false},
		"an end":                     {func(r *Record) { r.Kind, r.End, r.Cell = End, &Ended{}, "" }, true},
		"an end of nothing":          {func(r *Record) { r.Kind = End }, false},
		"another seed":               {func(r *Record) { r.Seed++ }, false},
		"the last run":               {func(r *Record) { r.Block = 1 }, true},
		"one more":                   {func(r *Record) { r.Block = 2 }, false},
		"a run before the first":     {func(r *Record) { r.Block = -1 }, false},
		"another cell":               {func(r *Record) { r.Cell = "y" }, false},
		"one operation":              {run(func(*compare.Run) {}), true},
		"no operation":               {run(func(r *compare.Run) { r.Ops = 0 }), false},
		"from a document before all": {run(func(r *compare.Run) { r.First = -1 }), false},
		"no processor":               {run(func(r *compare.Run) { r.CPU = 0 }), false},
		"no time":                    {run(func(r *compare.Run) { r.Wall = 0 }), false},
		"of another block":           {run(func(r *compare.Run) { r.Block = 1 }), false},
		"no run":                     {func(r *Record) { r.Runs = map[compare.Operation]*compare.Run{issue: nil} }, false},
		"a short profile":            {profile(&compare.Profile{Ops: 1, CPU: 1}), true},
		"a profile of no operation":  {profile(&compare.Profile{CPU: 1}), false},
		"a profile of no time":       {profile(&compare.Profile{Ops: 1}), false},
		"no profile":                 {profile(nil), false},
		"no bytes":                   {allocs(&compare.Allocs{Ops: 1}), true},
		"fewer bytes":                {allocs(&compare.Allocs{Ops: 1, Bytes: -1}), false},
		"bytes of no operation":      {allocs(&compare.Allocs{Bytes: 1}), false},
		"no allocations":             {allocs(nil), false},
	} {
		l := &Loaded{Planned: Planned{Plan: Plan{Seed: 3, Runs: 2}}}
		r := Record{Kind: Time, Seed: 3, Cell: "x"}
		c.change(&r)
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.read(line, map[string][]int{"x": {0}}); (err == nil) != c.ok || (got != nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A plan is read if its cells have operations and are there once, its experiments have figures at each of their
// points, and it has a run and a document.
func TestReadPlan(t *testing.T) {
	id := exchangeOf("a", "stock").With(compare.Issue)
	points := func(p ...compare.Point) func(p *Planned) {
		return func(out *Planned) { out.Plan.Experiments = []compare.Experiment{{Name: "e", Points: p}} }
	}
	known := compare.Point{Figures: &shape.Figures{}}
	for name, c := range map[string]struct {
		change func(p *Planned)
		ok     bool
	}{
		"a plan":                  {func(*Planned) {}, true},
		"a cell twice":            {func(p *Planned) { p.Cells = []string{id.ID(), id.ID()} }, false},
		"an exchange":             {func(p *Planned) { p.Cells = []string{id.Exchange().ID()} }, false},
		"no cell":                 {func(p *Planned) { p.Cells = []string{"x"} }, false},
		"no run":                  {func(p *Planned) { p.Plan.Runs = 0 }, false},
		"no document":             {func(p *Planned) { p.Plan.Documents = 0 }, false},
		"of another version":      {func(p *Planned) { p.Version++ }, false},
		"an unsupported cell":     {func(p *Planned) { p.Plan.Unsupported = []compare.Result{{ID: id.ID(), Cell: id}} }, true},
		"one of another name":     {func(p *Planned) { p.Plan.Unsupported = []compare.Result{{ID: "x", Cell: id}} }, false},
		"points":                  {points(known, known), true},
		"no points":               {points(), false},
		"a point without figures": {points(known, compare.Point{}), false},
	} {
		p := Plan{Cells: []compare.Cell{id}, Runs: 1, Documents: 1}.planned(Now)
		c.change(&p)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Loaded).readPlan(text); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Inputs of a job may be empty, and together have 2^30 bytes.
func TestInputBounds(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		ok    bool
	}{{[]int{0}, true}, {[]int{-1}, false}, {[]int{1 << 30}, true}, {[]int{1<<30 + 1}, false}, {[]int{1 << 29, 1 << 29}, true},
		{[]int{1 << 29, 1<<29 + 1}, false}, {[]int{1 << 30, 0}, true}} {
		j := Job{Version: Version, Kind: Time, Cell: exchangeOf("a", "stock").ID(), Operations: []compare.Operation{compare.Issue},
			Documents: 1, Now: Now, Window: compare.Window{N: 1}}
		for _, n := range c.sizes {
			j.Inputs = append(j.Inputs, Input{compare.Verify, "", n})
		}
		if err := j.Validate(); (err == nil) != c.ok {
			t.Errorf("%v bytes: %v", c.sizes, err)
		}
	}
	j := Job{Inputs: []Input{{compare.Verify, hash([]byte("ab")), 2}}}
	given := compare.Given{Documents: map[string][]byte{"a": []byte("doc"), "b": []byte("other")}, Contexts: map[string][]byte{"u": []byte("c1"), "t": nil}}
	text := "ab" + string(j.give("a", given))
	inputs, got, err := j.read(strings.NewReader(text))
	if err != nil || string(inputs[compare.Verify]) != "ab" || len(got.Documents) != 1 || string(got.Documents["a"]) != "doc" ||
		len(got.Contexts) != 2 || string(got.Contexts["u"]) != "c1" {
		t.Errorf("%q: %q, %q, %v", text, inputs, got, err)
	}
	if _, _, err := j.read(strings.NewReader(text[:len(text)-1])); err == nil {
		t.Error("inputs that are cut short")
	}
}

// Signals take the samples where they are asked for, or perf is not available.
func TestChosenSampler(t *testing.T) {
	available := profiles.Perf.Available() == nil
	for asked, perf := range map[profiles.Sampler]bool{"": available, profiles.Auto: available, profiles.Perf: available, profiles.Signal: false} {
		c := newCampaign(Plan{Profile: -1, Sampler: asked}, nil, nil, nil)
		if (c.sampler == profiles.Perf) != perf || (c.sampler == profiles.Signal) != !perf {
			t.Errorf("asked for %q: %s, perf is available: %v", asked, c.sampler, available)
		}
	}
	if c := newCampaign(Plan{}, nil, nil, nil); c.sampler != "" {
		t.Errorf("without profiles: %s", c.sampler)
	}
}

// The gates of a campaign are counted from the first to the last, and exchanges after the first group are left out
// once the budget is used up.
func TestGatesInTurn(t *testing.T) {
	var p Plan
	for _, schema := range []string{"a", "b", "c"} {
		p.Cells = append(p.Cells, exchangeOf(schema, "stock").With(compare.Issue), exchangeOf(schema, "native").With(compare.Issue))
	}
	p.Documents, p.Runs, p.Window = 1, 3, compare.Window{N: 1}
	for budget, want := range map[time.Duration]int{0: 6, time.Hour: 6, 1: 2} {
		var mu sync.Mutex
		var done, totals []int
		p.Budget = budget
		c := course(t, p, func(j Job, emit func(Event)) error {
			emit(Event{Type: "gate", Gate: &Gated{Work: map[compare.Operation]compare.Work{compare.Issue: {Estimate: 1}}}})
			return nil
		}, func(s Step) {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, s.Done)
			totals = append(totals, s.Total)
		})
		c.gates(t.Context())
		slices.Sort(done)
		if !slices.Equal(done, []int{0, 1, 2, 3, 4, 5}[:want]) || slices.Min(totals) != 6 {
			t.Errorf("a budget of %v: gates %v of %v", budget, done, totals)
		}
		for i, x := range c.order {
			if heavy := i >= want; x.tooHeavy != heavy || !heavy && len(c.open(x)) != 1 || heavy && len(c.open(x)) != 0 {
				t.Errorf("a budget of %v: exchange %d is left out: %v", budget, i, x.tooHeavy)
			}
		}
	}
}

// A child draws the documents that the gate saw, however many it saw.
func TestDrawnAsTheGate(t *testing.T) {
	f := &toy{salts: func(int) int { return 1 }}
	d := f.bench(t, 2, 0)
	cell := exchangeOf("toy", "stock")
	cell.Procs = runtime.GOMAXPROCS(0)
	for name, c := range map[string]struct {
		drawn []string
		ok    bool
	}{"none": {nil, true}, "the first": {d.hashes[:1], true}, "both": {d.hashes, true}, "one more": {append(slices.Clone(d.hashes), "x"), true},
		"another": {[]string{d.hashes[0], "x"}, false}} {
		job := Job{Version: Version, Kind: Gate, Cell: cell.ID(), Documents: 2, Now: Now, Drawn: c.drawn}
		line, err := json.Marshal(job)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = Serve(t.Context(), bytes.NewReader(line), &out, func(compare.Cell, compare.Given) (*Bench, error) { return d.bench, nil })
		if err != nil || strings.Contains(out.String(), `"event":"done"`) != c.ok {
			t.Errorf("%s: %s, %v", name, out.String(), err)
		}
	}
}

// A process that works is not given up, nor one that is not there.
func TestWatch(t *testing.T) {
	for name, pid := range map[string]int{"this one, which looks": os.Getpid(), "none": 1 << 30} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
		watch(ctx, pid, 20*ms, func() { t.Errorf("%s is given up", name) })
		cancel()
	}
}
