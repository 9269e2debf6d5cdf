package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/profiles"
)

// planned makes a campaign of exchanges that have passed their gates, each of issue and verify, which cost
// 1 and 3 and are estimated at 10 and 30 ms; a child starts in 100 ms.
func planned(p Plan, formats ...compare.Format) *campaign {
	c := &campaign{plan: p, begun: time.Now(), exchanges: make(map[string]*exchange)}
	for i, f := range formats {
		x := &exchange{id: fmt.Sprint("x", i), gated: &Gated{}, start: 100 * ms, block: -1}
		for k, op := range []compare.Operation{compare.Issue, compare.Verify} {
			cost := 2*float64(k) + 1
			x.cells = append(x.cells, len(c.results))
			c.results = append(c.results, compare.Result{State: compare.Measured, Cell: compare.Cell{Format: f, Operation: op},
				Work: compare.Work{Estimate: int64(cost * 10e6)}, Runs: []compare.Run{{CPU: cost}}})
		}
		c.order = append(c.order, x)
	}
	return c
}

// A child takes its start and for each operation the warm-up, of two operations at least, and the window.
func TestExpected(t *testing.T) {
	short, long := 100*us, 50*ms
	for name, c := range map[string]struct {
		w    compare.Window
		ops  []time.Duration
		want time.Duration
	}{
		"no operation":          {compare.Window{}, nil, ms},
		"a half more":           {compare.Window{Least: 0.02}, []time.Duration{short}, ms + 5*ms + 30*ms},
		"a warm-up of more":     {compare.Window{Least: 0.02, Warm: 0.04}, []time.Duration{short}, ms + 40*ms + 30*ms},
		"slow operations":       {compare.Window{Least: 0.02}, []time.Duration{long}, ms + 100*ms + 50*ms},
		"counted operations":    {compare.Window{N: 7}, []time.Duration{short}, ms + 5*ms + 7*short},
		"one operation":         {compare.Window{N: 1, Least: 1}, []time.Duration{long}, ms + 100*ms + 50*ms},
		"two that take so long": {compare.Window{Least: 0.02}, []time.Duration{short, long}, ms + 35*ms + 150*ms},
	} {
		if got := expected(c.w, ms, c.ops); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What timing an exchange takes is what it took, or else what its gate foretells; half of its shortest
// profile and three processes of it have to fit; with another schema all processes of the first, and one of the
// other.
func TestSpare(t *testing.T) {
	const foretold = 100*ms + 20*ms + 30*ms + 60*ms + 30*ms
	p := Plan{Window: compare.Window{Least: 0.02}, Runs: 9, Profile: -1, Budget: 10 * time.Second}
	c := planned(p, "a", compare.Floor)
	c.sampler = profiles.Signal
	if got := c.expected(c.order[0]); got != foretold {
		t.Errorf("foretold %v, want %v", got, foretold)
	}
	if c.order[1].took = time.Second; c.expected(c.order[1]) != time.Second {
		t.Errorf("it took 1 s, the next is expected to take %v", c.expected(c.order[1]))
	}
	for sampler, want := range map[profiles.Sampler]time.Duration{
		profiles.Signal: 100*ms + 2*100*ms + 500*ms,
		profiles.Perf:   100*ms + 2*20*ms + 250*ms,
	} {
		if c.sampler = sampler; c.profiling(c.order) != want { // the floor has none
			t.Errorf("profiles by %s take %v, want %v", sampler, c.profiling(c.order), want)
		}
	}
	c.sampler = profiles.Perf
	for _, profile := range []float64{-1, 0} {
		half := (100*ms + 2*20*ms + 250*ms) / 2
		if c.plan.Profile = profile; profile == 0 {
			if half = 0; c.profiling(c.order) != 0 {
				t.Errorf("no profiles take %v", c.profiling(c.order))
			}
		}
		for runs, processes := range map[int]time.Duration{9: 3, 3: 3, 2: 2} {
			c.plan.Runs = runs
			left := 8*time.Second - processes*(foretold+time.Second) - half
			if got := spareAt(t, c, 2*time.Second); got != left {
				t.Errorf("%d runs, profiles of %v: %v are left, want %v", runs, profile, got, left)
			}
		}
	}
	for _, i := range c.order[1].cells {
		c.results[i].Cell.Schema = "other"
	}
	c.plan.Runs = 5
	left := 8*time.Second - 5*foretold - time.Second
	if got := spareAt(t, c, 2*time.Second); got != left {
		t.Errorf("with another schema %v are left, want %v", got, left)
	}
}

// spareAt is what a campaign has to spare when it has run for a while, by a clock that stands still.
func spareAt(t *testing.T, c *campaign, elapsed time.Duration) (spare time.Duration) {
	synctest.Test(t, func(*testing.T) {
		c.before, c.begun = elapsed, time.Now()
		spare = c.spare()
	})
	return spare
}

// A pass takes for each exchange that is open its start and what its operations take; two allocation passes run
// at a time, if there are two processors.
func TestPassing(t *testing.T) {
	c := planned(Plan{Raw: true, Allocs: true, Profile: -1}, "a", "a", compare.Floor)
	c.order[1].gated = nil // its gate failed
	for name, v := range map[string]struct {
		change func()
		kind   Kind
		want   time.Duration
	}{
		"single operations":  {func() {}, Raw, 2 * (100*ms + 2*time.Second)},
		"allocations":        {func() {}, Allocs, 2 * 2 * (100*ms + 250*ms) / time.Duration(workers())},
		"profiles by signal": {func() { c.sampler = profiles.Signal }, Profile, 100*ms + 2*100*ms + 2*time.Second},
		"profiles by perf":   {func() { c.sampler = profiles.Perf }, Profile, 100*ms + 2*20*ms + 2*time.Second},
		"profiles asked for": {func() { c.plan.Profile, c.sampler = 3, profiles.Perf }, Profile,
			2 * (100*ms + 2*(3*time.Second+20*ms))},
		"no single operations": {func() { c.plan.Raw = false }, Raw, 0},
		"no allocations":       {func() { c.plan.Allocs = false }, Allocs, 0},
		"no profiles":          {func() { c.plan.Profile = 0 }, Profile, 0},
	} {
		was := c.plan
		if v.change(); c.passing(v.kind, c.order) != v.want {
			t.Errorf("%s take %v, want %v", name, c.passing(v.kind, c.order), v.want)
		}
		c.plan = was
	}
	c.sampler = profiles.Signal
	if got, want := c.timing(nil, 0), c.passing(Raw, c.order)+c.passing(Profile, c.order)+c.passing(Allocs, c.order); got != want || want < 6*time.Second {
		t.Errorf("after the last process the passes take %v, want %v", got, want)
	}
	c.plan = Plan{Runs: 5, Window: compare.Window{N: 1}}
	c.order[0].took, c.order[2].took = time.Second, 10*time.Second
	c.order[0].block = 2 // has run in blocks 0 to 2
	for block, want := range map[int]time.Duration{0: 2 + 50, 2: 2 + 30, 3: 2 + 20, 4: 1 + 10, 5: 0} {
		if got := c.timing([]*exchange{c.order[0], c.order[2]}, block); got != want*time.Second {
			t.Errorf("from block %d on processes take %v, want %v s", block, got, int64(want))
		}
	}
}

// What the operations of an exchange are profiled for goes as they cost, a tenth for each at least. Signals
// take a second each, with a budget an equal part of what is left, in bounds.
func TestProfileSeconds(t *testing.T) {
	of := func(total float64) [2]float64 { return [2]float64{total * (0.1 + 0.8/4), total * (0.1 + 0.8*3/4)} }
	for name, v := range map[string]struct {
		p       Plan
		sampler profiles.Sampler
		want    [2]float64
	}{
		"without a budget": {Plan{Profile: -1}, profiles.Signal, of(2)},
		"two of 8.6 s":     {Plan{Profile: -1, Budget: 8600 * ms}, profiles.Signal, of((8.6 - 2*0.3) / 2)},
		"too much":         {Plan{Profile: -1, Budget: time.Hour}, profiles.Signal, of(9)},
		"too little":       {Plan{Profile: -1, Budget: 1}, profiles.Signal, of(0.5)},
		"by perf":          {Plan{Profile: -1, Budget: time.Hour}, profiles.Perf, of(0.25)},
		"as asked for":     {Plan{Profile: 3, Budget: time.Hour}, profiles.Perf, [2]float64{3, 3}},
	} {
		c := planned(v.p, "a", "a")
		c.sampler = v.sampler
		got := c.profileSeconds(c.order)
		for i, op := range []compare.Operation{compare.Issue, compare.Verify} {
			if len(got) != 2 || !(math.Abs(got[op]-v.want[i]) <= 0.04*v.want[i]) {
				t.Errorf("%s: %s is profiled for %v s, want %v", name, op, got[op], v.want[i])
			}
		}
	}
	c := planned(Plan{Profile: -1}, "a")
	c.sampler, c.results[0].Runs[0].CPU, c.results[1].Runs[0].CPU = profiles.Perf, 1, 1e6
	if got := c.profileSeconds(c.order)[compare.Issue]; got != 0.03 {
		t.Errorf("a cheap operation is profiled for %v s by perf, want 0.03", got)
	}
}

// A step says how long the campaign has been running, and no more is left than is of the budget, a second at
// least.
func TestSteps(t *testing.T) {
	for name, v := range map[string]struct {
		p    Plan
		left time.Duration
		want time.Duration
	}{
		"no budget":             {Plan{}, time.Hour, time.Hour},
		"little to do":          {Plan{Budget: time.Minute}, 3 * time.Second, 3 * time.Second},
		"more than the budget":  {Plan{Budget: time.Minute}, time.Hour, 50 * time.Second},
		"after the budget":      {Plan{Budget: 2 * time.Second}, time.Hour, time.Second},
		"a budget without keep": {Plan{Budget: time.Minute, Keep: true}, time.Hour, time.Hour},
	} {
		c := planned(v.p)
		var got Step
		c.before, c.progress = 10*time.Second, func(s Step) { got = s }
		if c.say(Step{}, v.left); got.Left > v.want || got.Left < v.want-time.Second/2 || got.Elapsed < c.before || got.Elapsed > c.before+5*time.Second {
			t.Errorf("%s: %+v, want %v", name, got, v.want)
		}
	}
}

// An estimate of a campaign counts two starts for a gate and for each process one and the windows, and the
// passes that were asked for.
func TestEstimate(t *testing.T) {
	const start = 300 * ms
	cell := compare.Cell{Format: "fake", Suite: "s", Engine: "stock", Schema: "a"}
	p := Plan{Runs: 4, Window: compare.Window{Least: 0.05, Most: 0.15}, Cells: []compare.Cell{cell.With(compare.Issue), cell.With(compare.Verify)}}
	timed := 2*start + 4*(start+2*(5*ms+75*ms))
	raw, profile, allocs := start+2*time.Second, start+2*(2*time.Second+20*ms), 2*(start+250*ms)/time.Duration(workers())
	for name, v := range map[string]struct {
		change func(p *Plan)
		want   time.Duration
	}{
		"times":                   {func(*Plan) {}, timed},
		"with single operations":  {func(p *Plan) { p.Raw = true }, timed + raw},
		"with profiles":           {func(p *Plan) { p.Profile = 2 }, timed + profile},
		"with profiles as chosen": {func(p *Plan) { p.Profile = -1 }, timed + start + 2*(250*ms+20*ms)},
		"with allocations":        {func(p *Plan) { p.Allocs = true }, timed + allocs},
		"of two exchanges": {func(p *Plan) {
			other := cell
			other.Schema = "b"
			p.Cells = append(p.Cells, other.With(compare.Issue), other.With(compare.Verify))
		}, 2 * timed},
		"of operations": {func(p *Plan) { p.Window = compare.Window{N: 10} }, 2*start + 4*(start+2*(5*ms+10*ms))},
	} {
		q := p
		q.Cells = slices.Clone(p.Cells)
		if v.change(&q); q.Estimate() != v.want {
			t.Errorf("%s: %v, want %v", name, q.Estimate(), v.want)
		}
	}
}

// Exchanges of one schema and algorithm are one group, if they come one after the other.
func TestGroups(t *testing.T) {
	c := planned(Plan{}, "a", "b", "a", "a", "a")
	for i, cell := range []compare.Cell{{Schema: "s", Algorithm: "x", Engine: "stock"}, {Schema: "s", Algorithm: "x", Engine: "native"},
		{Schema: "t", Algorithm: "x"}, {Schema: "t", Algorithm: "y"}, {Schema: "s", Algorithm: "x"}} {
		c.results[2*i].Cell = cell
	}
	var sizes []int
	for _, g := range c.groups() {
		sizes = append(sizes, len(g))
	}
	if !slices.Equal(sizes, []int{2, 1, 1, 1}) {
		t.Errorf("groups of %v", sizes)
	}
}

// A campaign goes on after an error of one file, ends where no file can be written any more, and says each
// error once.
func TestWriteErrors(t *testing.T) {
	for err, stops := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EFBIG: true, syscall.EROFS: true,
		syscall.EIO: true, syscall.ENAMETOOLONG: false, fs.ErrExist: false} {
		for _, lost := range []bool{false, true} {
			c, ended := planned(Plan{}), 0
			c.cancel = func() { ended++ }
			c.fail(nil, true)
			for range 2 {
				c.fail(&fs.PathError{Op: "write", Path: "x", Err: err}, lost)
			}
			want := stops || lost
			if c.hasStopped() != want || (ended == 1) != want || len(c.broken) != 1 || want != (c.stopped == "write x: "+err.Error()) {
				t.Errorf("%v, lost %v: stopped %q, ended %d times, %v", err, lost, c.stopped, ended, c.broken)
			}
		}
	}
}

// The file of single operations has each with its document, which come in turn; the summary is theirs.
func TestKeep(t *testing.T) {
	f, err := OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := planned(Plan{Documents: 3})
	c.folder = f
	got := c.keep("a=x/b=y", &Timed{First: 2, Wall: []int64{10, 20, 30, 40, 1000}})
	if got.Ops != 5 || got.P50 != 30 || !(got.P95 > 40) || got.P99 < got.P95 || got.Outliers != 1 || got.File != "raw/x_y.csv" {
		t.Errorf("%+v", got)
	}
	text, err := os.ReadFile(filepath.Join(f.Path, got.File))
	if want := "operation,document,wall_ns\n0,2,10\n1,0,20\n2,1,30\n3,2,40\n4,0,1000\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
	if got := c.keep("a=z", &Timed{}); got.Ops != 0 || got.P50 != 0 || len(c.broken) > 0 {
		t.Errorf("nothing: %+v, %v", got, c.broken)
	}
	if err := os.Mkdir(filepath.Join(f.Path, "raw", "taken.csv"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := c.keep("a=taken", &Timed{Wall: []int64{7}}); got.P50 != 7 || got.File != "" || len(c.broken) != 1 {
		t.Errorf("without a file: %+v, %v", got, c.broken)
	}
}

// A process of an exchange is asked for the counters of its operations, by the gate, and given the inputs that
// there are.
func TestJobs(t *testing.T) {
	c := planned(Plan{}, "a", "a")
	c.results[3].Work.Counters.Salts = 5
	job := c.jobOf(Time, c.order[1], c.order[1].cells[1:])
	if job.Cell != "x1" || !slices.Equal(job.Operations, []compare.Operation{compare.Verify}) ||
		!maps.Equal(job.Work, map[compare.Operation]compare.Counters{compare.Verify: {Salts: 5}}) {
		t.Errorf("%+v", job)
	}
	c.order[1].gated = &Gated{Drawn: []string{"d"}, Inputs: map[compare.Operation][]byte{compare.Verify: []byte("in"), compare.Issue: []byte("x")}}
	if b := c.order[1].give(&job); string(b) != "in" || !slices.Equal(job.Drawn, []string{"d"}) ||
		!slices.Equal(job.Inputs, []Input{{compare.Verify, hash([]byte("in")), 2}}) {
		t.Errorf("%q, %+v", b, job)
	}
	job = c.jobOf(Time, c.order[1], c.order[1].cells)
	c.order[1].gated.Inputs = nil
	if b := c.order[1].give(&job); len(b) > 0 || len(job.Inputs) > 0 {
		t.Errorf("no input: %q, %+v", b, job.Inputs)
	}
}

// Jobs of a pass go on until the end, one after the other at least, and after it no more begin.
func TestParallel(t *testing.T) {
	done := make(chan int, 9)
	parallel(t.Context(), 2, 9, func(i int) { done <- i })
	close(done)
	seen := make(map[int]bool)
	for i := range done {
		seen[i] = true
	}
	if len(seen) != 9 {
		t.Errorf("done are %v", seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	parallel(ctx, 2, 9, func(i int) { t.Errorf("%d begins after the end", i) })
}

// The counters of n operations are n times those of one.
func TestTimes(t *testing.T) {
	got := times(compare.Counters{Canonicalizations: 2, Salts: 3, Digests: 5, Signatures: 7, Verifications: 11}, 10)
	if got != (compare.Counters{Canonicalizations: 20, Salts: 30, Digests: 50, Signatures: 70, Verifications: 110}) {
		t.Errorf("%+v", got)
	}
}

// Operations walk the documents in turn, and what the last one gave must pass the rest of the exchange.
func TestWalk(t *testing.T) {
	f := &toy{salts: func(int) int { return 1 }}
	d := f.bench(t, 3, 0)
	var docs []int
	failing := -1
	w := &walk{drawn: d, op: compare.Issue, next: 1, step: func(i int) ([]byte, error) {
		if i == failing {
			return nil, errors.New("no")
		}
		docs = append(docs, i)
		return []byte{byte(i)}, nil
	}}
	if err := w.do(5); err != nil || !slices.Equal(docs, []int{1, 2, 0, 1, 2}) || w.ops != 5 || w.next != 0 || w.last[0] != 2 {
		t.Errorf("documents %v, %+v, %v", docs, w, err)
	}
	if failing = 1; w.do(5) == nil || w.ops != 6 || w.next != 1 {
		t.Errorf("after an operation that fails: %d, next is %d", w.ops, w.next)
	}
	for next, document := range map[int]int{0: 2, 1: 0, 2: 1} {
		forms := [][]byte{[]byte(hash([]byte("f0"))), []byte(hash([]byte("f1"))), []byte(hash([]byte("f2")))}
		w := &walk{drawn: d, op: compare.Canonize, next: next, records: forms, last: fmt.Appendf(nil, "f%d", document)}
		if err := w.accept(); err != nil {
			t.Errorf("the form of document %d: %v", document, err)
		}
		if w.last = []byte("other"); w.accept() == nil || !strings.Contains(w.accept().Error(), fmt.Sprintf("of document %d,", document)) {
			t.Errorf("another form of document %d: %v", document, w.accept())
		}
		if w.records = forms[:document]; w.accept() == nil {
			t.Errorf("the gate saw %d documents, not document %d", document, document)
		}
	}
	for op, ok := range map[compare.Operation]bool{compare.Verify: true, compare.VerifyPresented: true, compare.Issue: true, compare.Present: false} {
		w := &walk{drawn: d, op: op, last: []byte("altered")} // which verify refuses; as a whole it is shown, so not
		if err := w.accept(); (err == nil) != ok {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// A failure of a job is what it means for the cell.
func TestFailures(t *testing.T) {
	for _, v := range []struct {
		stage string
		err   error
		want  StoppedError
	}{
		{"gate", &canon.UnsupportedError{Engine: "e", What: "it"}, StoppedError{compare.Unsupported, "e does not support it"}},
		{"gate", &canon.LimitError{Limit: "time", Max: 1}, StoppedError{State: compare.TimedOut}},
		{"gate", &canon.LimitError{Limit: "work", Max: 1}, StoppedError{State: compare.Limited}},
		{"gate", errors.New("no"), StoppedError{compare.GateFailed, "no"}},
		{"open", errors.New("no"), StoppedError{compare.Failed, "open: no"}},
	} {
		got := failure(v.stage, v.err).stopped()
		if v.want.Reason == "" {
			v.want.Reason = v.err.Error()
		}
		if *got != v.want {
			t.Errorf("%s, %v: %+v", v.stage, v.err, got)
		}
	}
}

// The first 16 KiB of what a child writes are kept, of which the line with the reason counts, or else the first.
func TestComplaints(t *testing.T) {
	for text, want := range map[string]string{"": "", "\n \na\nb\n": "a", "a\n panic: b\nfatal error: c": "panic: b",
		"a\nfatal error: c\n": "fatal error: c", "a\nruntime: out of memory: d\n": "runtime: out of memory: d"} {
		s := &stderrHead{}
		if n, err := s.Write([]byte(text)); n != len(text) || err != nil || s.complaint() != want {
			t.Errorf("%q: %q, %d, %v", text, s.complaint(), n, err)
		}
	}
	s := &stderrHead{}
	for _, n := range []int{16<<10 - 2, 1, 2, 3} {
		if got, err := s.Write(make([]byte, n)); got != n || err != nil {
			t.Errorf("%d bytes of %d, %v", got, n, err)
		}
	}
	if s.buf.Len() != 16<<10 {
		t.Errorf("%d bytes are kept", s.buf.Len())
	}
}

// The policy of a cell is off, or a percentage of 1 at least, and it has a processor at least.
func TestPolicies(t *testing.T) {
	for _, c := range []compare.Cell{{GC: "0", Procs: 1}, {GC: "-1", Procs: 1}, {GC: "many", Procs: 1}, {GC: "", Procs: 1},
		{GC: "1", Procs: 0}, {GC: "off", Procs: -1}} {
		if err := apply(c, 0); err == nil {
			t.Errorf("%s on %d processors", c.GC, c.Procs)
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for percent, gc := range map[int]string{1: "1", 250: "250", -1: "off"} {
		if err := apply(compare.Cell{GC: gc, Procs: runtime.GOMAXPROCS(0)}, 0); err != nil {
			t.Errorf("%s: %v", gc, err)
		}
		if got := debug.SetGCPercent(100); got != percent {
			t.Errorf("%s is %d %%", gc, got)
		}
	}
}

// A ballast is so many MB of objects of a cache line.
func TestBallast(t *testing.T) {
	if got := newBallast(3); len(got) != 3<<20/64 || got[0] == nil || got[len(got)-1] == nil {
		t.Errorf("%d objects", len(got))
	}
}

// The median of two is the larger.
func TestMedian(t *testing.T) {
	for want, values := range map[int][]int{0: nil, 5: {5}, 9: {9, 2}, 3: {8, 3, 1}} {
		if got := median(values); got != want {
			t.Errorf("of %v: %d, want %d", values, got, want)
		}
	}
}

// The counters of exchanges are summed, those that they share once.
func TestCounters(t *testing.T) {
	a, b := &compare.Counters{Salts: 1}, &compare.Counters{Salts: 10}
	d := &drawn{exchanges: []*compare.Exchange{{Counters: a}, {Counters: a}, {Counters: b}}}
	if got := d.counters(); got != (compare.Counters{Salts: 11}) {
		t.Errorf("%+v", got)
	}
	for op, err := range map[compare.Operation]bool{compare.Issue: false, compare.Canonize: false, compare.Present: true, compare.Verify: true,
		compare.VerifyPresented: true, "sing": true} {
		if _, got := d.step(op, nil); (got != nil) != err {
			t.Errorf("%s without inputs: %v", op, got)
		}
	}
	if _, err := d.step("sing", make([][]byte, 3)); err == nil {
		t.Error("an operation that is not known")
	}
}

// A plan is written with its cells, what was given and its rules.
func TestPlanned(t *testing.T) {
	cell := compare.Cell{Format: "fake", Suite: "s", Engine: "stock", Schema: "a"}.With(compare.Issue)
	p := Plan{Cells: []compare.Cell{cell}, Runs: 3, Unsupported: []compare.Result{{ID: "u"}}}
	out := p.planned(Now)
	if !slices.Equal(out.Cells, []string{cell.ID()}) || out.Started != Now || out.Plan.Runs != 3 || out.Rules != p.Rules.Hash() {
		t.Errorf("%+v", out)
	}
	if b, err := json.Marshal(Plan{}.planned(Now)); err != nil || !strings.Contains(string(b), `"cells":[]`) {
		t.Errorf("without cells: %s, %v", b, err)
	}
	c := out.campaign("dir", nil, &ledger{results: []compare.Result{{Runs: make([]compare.Run, 2)}}}, Ended{Took: 4})
	if c.Runs != 2 || c.Planned != 3 || c.Took != 4 || len(c.Results) != 2 || c.Out != "dir" {
		t.Errorf("%+v", c)
	}
}

// What is measured is bounded by its deadline alone, not by time or steps of the library.
func TestLimits(t *testing.T) {
	if Limits.Time >= 0 || Limits.Steps >= 0 || Limits.Bytes != 64<<20 || Limits.Context != 8<<20 || Limits.Memory != 4<<30 ||
		Limits.Signatures != 1<<20 {
		t.Errorf("%+v", Limits)
	}
}
