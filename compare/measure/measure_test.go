package measure_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/profiles"
	"canonscope/schemas"
)

// serve is the argument with which the test binary plays the child.
const serve = "serve-one-job"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serve {
		if err := measure.Serve(context.Background(), os.Stdin, os.Stdout, open); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// open makes a fake format, whose suite says how it misbehaves, or a real one.
func open(c compare.Cell, given compare.Given) (*measure.Bench, error) {
	if c.Format != "fake" {
		return matrix.OpenGiven(c, given)
	}
	return &measure.Bench{Format: fake{c.Suite}, Generator: generator{c.Schema},
		Check: func(_ context.Context, credential *schemas.Credential, _ []byte) (measure.Form, error) {
			if c.Suite == "wrong-form" {
				return measure.Form{}, errors.New("engine other gives another form")
			}
			if c.Suite == "third-form" && credential.Index == 3 {
				return measure.Form{}, &measure.NotedError{Err: errors.New("native and other\u202e differ"), Notes: []string{"native: a\nb\u009b", "other: c"}}
			}
			if c.Suite == "document-alone" {
				return measure.Form{Quads: 7}, nil
			}
			return measure.Form{Quads: 7, Oracle: "other"}, nil
		},
		Tamper: func(_ *schemas.Credential, presented []byte) ([]compare.Tampered, error) {
			return []compare.Tampered{{What: "the only value", Bytes: append([]byte("x"), presented...)}}, nil
		}}, nil
}

type generator struct{ name string }

func (g generator) Name() string     { return g.name }
func (generator) Kind() schemas.Kind { return schemas.Claims }
func (generator) Describe() string   { return "a fake credential" }
func (generator) Document(seed uint64, i int) (*schemas.Credential, error) {
	return &schemas.Credential{Schema: "fake", Index: i, VCDM: fmt.Appendf(nil, `{"seed":%d,"document":%d}`, seed, i)}, nil
}

type fake struct{ kind string }

var garbage atomic.Pointer[[]byte]

func (f fake) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	n := &compare.Counters{}
	if strings.HasPrefix(f.kind, "document") {
		return compare.Canonizing(n, func() ([]byte, error) {
			n.Canonicalizations++
			switch f.kind {
			case "document-limit":
				return nil, &canon.LimitError{Limit: "work", Max: 5, Done: 5}
			case "document-hangs":
				time.Sleep(time.Hour)
			}
			return c.VCDM, nil
		}), nil
	}
	calls := 0
	issue := func() ([]byte, error) {
		calls++
		n.Canonicalizations += 2
		n.Signatures++
		switch {
		case calls == 1: // the gate's call
		case f.kind == "skips-work":
			n.Canonicalizations -= 2
		case f.kind == "panics":
			panic("no such thing")
		case f.kind == "exits":
			os.Exit(0)
		case f.kind == "stops":
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		case f.kind == "hangs":
			time.Sleep(time.Hour)
		case f.kind == "eats-memory":
			var all [][]byte
			for {
				b := make([]byte, 16<<20)
				for i := 0; i < len(b); i += 4096 {
					b[i] = 1
				}
				all = append(all, b)
			}
		case f.kind == "limited" && debug.SetMemoryLimit(-1) != math.MaxInt64:
			return nil, errors.New("the environment limits memory")
		case f.kind == "fails":
			return nil, errors.New("no key")
		case f.kind == "fails-late" && calls > 5:
			return nil, errors.New("no more keys")
		}
		if f.kind == "unsupported" {
			return nil, &canon.UnsupportedError{Engine: "fake", What: "this document"}
		}
		b := make([]byte, 10_000)
		garbage.Store(&b)
		return append([]byte("issued:"), c.VCDM...), nil
	}
	present := func(issued []byte, _ string) ([]byte, error) {
		n.Canonicalizations += 2
		n.Signatures++
		return append([]byte("presented:"), issued...), nil
	}
	verify := func(presented []byte) error {
		n.Canonicalizations += 2
		n.Verifications++
		if f.kind == "refuses-all" || f.kind != "accepts-all" && !bytes.HasPrefix(presented, []byte("presented:issued:")) {
			return errors.New("refused")
		}
		return nil
	}
	whole := func(issued []byte) ([]byte, error) { return append([]byte("presented:"), issued...), nil }
	return compare.Reissuing(n, "all", "key", compare.Steps{Issue: issue, Whole: whole, Verify: verify}, present), nil
}

func cell(kind string, op compare.Operation) compare.Cell {
	return compare.Cell{Format: "fake", Suite: kind, Engine: "stock", Algorithm: "none", Schema: "fake", Operation: op, GC: "100", Procs: 1,
		Contexts: "none"}
}

func plan(kinds ...string) measure.Plan {
	p := measure.Plan{Seed: 3, Documents: 8, Window: compare.Window{N: 40}, Runs: 2, Deadline: time.Minute,
		Rules: measure.Rules()}
	for _, k := range kinds {
		p.Cells = append(p.Cells, cell(k, compare.Issue))
	}
	return p
}

func run(t *testing.T, p measure.Plan) (*compare.Campaign, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := measure.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	c, err := measure.Run(t.Context(), p, measure.Process{Args: []string{serve}}, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// Of a document the form is compared, and a limit or the deadline is its state.
func TestCanonize(t *testing.T) {
	for kind, want := range map[string]struct {
		state    compare.State
		oracle   string
		compared int
	}{
		"document": {compare.Measured, "other", 8}, "document-alone": {compare.Measured, "", 0},
		"document-limit": {compare.Limited, "", 0}, "document-hangs": {compare.TimedOut, "", 0},
	} {
		p := plan()
		p.Cells = []compare.Cell{cell(kind, compare.Canonize)}
		if kind == "document-hangs" {
			p.Canonize = time.Millisecond
		}
		c, _ := run(t, p)
		r := c.Results[0]
		if r.State != want.state || r.Work.Oracle != want.oracle || r.Work.Compared != want.compared {
			t.Errorf("%s: %s, %q compared %d: %s", kind, r.State, r.Work.Oracle, r.Work.Compared, r.Reason)
		}
		if r.Work.Whole || r.Work.Tampers != 0 || (len(r.Runs) > 0) != (want.state == compare.Measured) {
			t.Errorf("%s: %+v, %d runs", kind, r.Work, len(r.Runs))
		}
	}
}

func TestNoCells(t *testing.T) {
	p := plan()
	p.Window, p.Budget, p.Profile = measure.DefaultWindow, time.Second, -1
	if c, _ := run(t, p); len(c.Results) != 0 {
		t.Errorf("%+v", c.Results)
	}
}

func TestCampaign(t *testing.T) {
	p := plan()
	p.Profile = 0.1
	for _, op := range compare.OfCredentials {
		p.Cells = append(p.Cells, cell("good", op))
	}
	c, dir := run(t, p)
	for _, r := range c.Results {
		if r.State != compare.Measured || len(r.Runs) != 2 || r.Ops() != 80 || r.Documents(8) != 8 {
			t.Errorf("%s: %s %s, %d runs, %d operations", r.ID, r.State, r.Reason, len(r.Runs), r.Ops())
		}
		for k, run := range r.Runs {
			if run.Ops != 40 || run.Ending != compare.Counted || run.Block != k || run.First < 0 || run.First > 7 ||
				run.Wall <= 0 || run.CPU < 0 || (run.Thread > 0) != (k == 0) {
				t.Errorf("%s: run %+v", r.ID, run)
			}
			if r.Cell.Operation == compare.Issue && (run.Allocs < 1 || run.Bytes < 10_000) {
				t.Errorf("%s: run %+v", r.ID, run)
			}
		}
		w := r.Work
		if w.Counters.Canonicalizations != 2 || w.Quads != 7 || w.Oracle != "other" || !w.Reissued || w.Documents != 8 || w.Tampers != 1 {
			t.Errorf("%s: the gate found %+v", r.ID, w)
		}
		if r.Allocs != nil {
			t.Errorf("%s: an allocation profile that nobody asked for", r.ID)
		}
		if r.Profile == nil || r.Profile.Ops == 0 || r.Profile.Attribution.Rules != p.Rules.Hash() {
			t.Fatalf("%s: profile %+v", r.ID, r.Profile)
		}
		if want := c.Environment["sampler"]; string(r.Profile.Sampler) != want || r.Profile.Fallback == "" != (want == "perf") {
			t.Errorf("%s: sampler %q, want %s; fallback %q", r.ID, r.Profile.Sampler, want, r.Profile.Fallback)
		}
		for _, f := range []string{r.Profile.Pprof, r.Profile.Flame} {
			if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
				t.Error(err)
			}
		}
	}
	records := records(t, dir)
	kinds := make(map[measure.Kind]int)
	for _, r := range records {
		kinds[r.Kind]++
		if r.State != compare.Measured || r.Binary != measure.BinaryHash() || r.Seed != 3 || r.CPUs == "" {
			t.Errorf("record %+v", r)
		}
		if r.Kind == measure.Time && (len(r.Runs) != 4 || len(r.Operations) != 4) {
			t.Errorf("a process of %d operations is recorded", len(r.Runs))
		}
	}
	if kinds[measure.Gate] != 1 || kinds[measure.Time] != 2 || kinds[measure.Profile] != 1 {
		t.Errorf("recorded %v", kinds)
	}
}

// An allocation pass finds the bytes that timing counted, charged to phases, in a profile that names the phases.
func TestAllocs(t *testing.T) {
	p := plan()
	p.Allocs = true
	for _, op := range compare.OfCredentials {
		p.Cells = append(p.Cells, cell("good", op))
	}
	c, dir := run(t, p)
	for _, r := range c.Results {
		a := r.Allocs
		if r.State != compare.Measured || a == nil || a.Attribution.Rules != p.Rules.Hash() || a.Ops < 3 {
			t.Fatalf("%s: %s %s, allocations %+v", r.ID, r.State, r.Reason, a)
		}
		for _, f := range []string{a.Pprof, a.Flame} {
			if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
				t.Error(err)
			}
		}
		if r.Cell.Operation != compare.Issue {
			continue // allocates next to nothing
		}
		per := a.Attribution.Foreground.Total().Value / int64(a.Ops)
		if want := r.Runs[0].Bytes; want < 10_000 || !(math.Abs(float64(per)/want-1) <= 0.05) {
			t.Errorf("%d bytes an operation in the profile, %v when it was timed", per, want)
		}
		if !(math.Abs(a.Coverage-1) <= 0.05) {
			t.Errorf("the profile holds %.3f of the bytes that the runtime counts", a.Coverage)
		}
		text, err := os.ReadFile(filepath.Join(dir, a.Pprof))
		if err != nil {
			t.Fatal(err)
		}
		prof, err := profile.ParseData(text)
		if err != nil {
			t.Fatal(err)
		}
		if again := profiles.Attribute(prof, p.Rules); again != a.Attribution {
			t.Errorf("the profile in the folder says %+v, the result %+v", again, a.Attribution)
		}
		for _, s := range prof.Sample {
			if len(s.Label[profiles.PhaseLabel]) != 1 {
				t.Fatalf("a sample has the phases %v", s.Label[profiles.PhaseLabel])
			}
		}
	}
	passes := 0
	for _, r := range records(t, dir) {
		if r.Kind == measure.Allocs && r.State == compare.Measured {
			passes++
		}
	}
	if passes != len(p.Cells) {
		t.Errorf("%d allocation passes are recorded, %d cells", passes, len(p.Cells))
	}
}

// A pass that fails leaves the times and says why there is no profile.
func TestAllocsFail(t *testing.T) {
	folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	p := plan("a")
	p.Allocs, p.Profile = true, 1
	c, err := measure.Run(t.Context(), p, fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
		switch j.Kind {
		case measure.Gate:
			emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: map[compare.Operation]compare.Work{compare.Issue: {Estimate: 1000}}}})
		case measure.Time:
			timedRuns(j, emit)
		case measure.Allocs:
			return &measure.StoppedError{State: compare.Died, Reason: "killed"}
		}
		return nil
	}), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "no profile: the child said nothing of issue; no allocation profile: died: killed"
	if r := c.Results[0]; r.State != compare.Measured || len(r.Runs) != 2 || r.Reason != want {
		t.Errorf("%s: %q", r.State, r.Reason)
	}
}

func records(t *testing.T, dir string) []measure.Record {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []measure.Record
	for line := range bytes.Lines(text) {
		var r measure.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind != measure.End {
			out = append(out, r)
		}
	}
	return out
}

// A cell that misbehaves is reported as what it is, has no time, and the others go on.
func TestMisbehaviour(t *testing.T) {
	want := map[string]struct {
		state  compare.State
		reason string
	}{
		"good":        {compare.Measured, ""},
		"wrong-form":  {compare.GateFailed, "another form"},
		"accepts-all": {compare.GateFailed, "accepts a presentation with the only value altered"},
		"refuses-all": {compare.GateFailed, "verify refuses the whole credential"},
		"unsupported": {compare.Unsupported, "fake does not support this document"},
		"skips-work":  {compare.Failed, "work was skipped"},
		"panics":      {compare.Died, "panic: no such thing"},
		"exits":       {compare.Died, "without saying done"},
		"fails":       {compare.GateFailed, "no key"},
	}
	var kinds []string
	for k := range want {
		kinds = append(kinds, k)
	}
	c, _ := run(t, plan(kinds...))
	for _, r := range c.Results {
		w := want[r.Cell.Suite]
		if r.State != w.state || !strings.Contains(r.Reason, w.reason) {
			t.Errorf("%s: %s: %s", r.Cell.Suite, r.State, r.Reason)
		}
		if r.State != compare.Measured && len(r.Runs) > 0 {
			t.Errorf("%s has a time", r.Cell.Suite)
		}
	}
}

// A gate that fails says of which document, what prints it, and what its check noted, each on a line of its own; a document that
// the user brought has no number.
func TestGateNamesTheDocument(t *testing.T) {
	p := plan("third-form", "third-form", "fails")
	p.Cells[0].Schema = "clr-large:achievements=2"
	p.Cells[1].Schema, p.Cells[2].Schema = "file:%2Fa.json", "file:%2Fb.json"
	c, _ := run(t, p)
	for i, want := range []string{
		"document 3: canonical form: native and other\\u202e differ\nnative: a\\u000ab\\u009b\nother: c\n" +
			"canonscope schemas generate clr-large:achievements=2 --seed 3 --index 3 prints the document",
		"your document: canonical form: native and other\\u202e differ\nnative: a\\u000ab\\u009b\nother: c",
		"your document: warm-up: no key",
	} {
		if r := c.Results[i]; r.State != compare.GateFailed || r.Reason != want {
			t.Errorf("%s: %q, want %q", r.State, r.Reason, want)
		}
	}
}

// An operation that fails leaves the others of its exchange their times.
func TestOneOperationFails(t *testing.T) {
	p := plan()
	for _, op := range compare.OfCredentials {
		p.Cells = append(p.Cells, cell("fails-late", op))
	}
	c, dir := run(t, p)
	if r := c.Results[0]; r.State != compare.Failed || !strings.Contains(r.Reason, "no more keys") || len(r.Runs) > 0 {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
	for _, r := range c.Results[1:] {
		if r.State != compare.Measured || len(r.Runs) != 2 {
			t.Errorf("%s: %s: %s", r.ID, r.State, r.Reason)
		}
	}
	for _, r := range records(t, dir) {
		first := r.Kind == measure.Time && r.Block == 0
		if first && (r.Failed[compare.Issue] == nil || len(r.Runs) != 3) {
			t.Errorf("%+v", r)
		}
	}
}

// Single operations are kept in a file, each with its document.
func TestRaw(t *testing.T) {
	p := plan("good")
	p.Raw, p.Runs = true, 1
	c, dir := run(t, p)
	raw := c.Results[0].Raw
	if raw == nil || raw.Ops < 20 || raw.P50 <= 0 || raw.P50 > raw.P95 || raw.P95 > raw.P99 {
		t.Fatalf("%+v: %s", raw, c.Results[0].Reason)
	}
	text, err := os.ReadFile(filepath.Join(dir, raw.File))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != raw.Ops+1 || lines[0] != "operation,document,wall_ns" {
		t.Fatalf("%d lines of %d operations, %q", len(lines), raw.Ops, lines[0])
	}
	var first, second [3]int
	for i, into := range []*[3]int{&first, &second} {
		if _, err := fmt.Sscanf(lines[i+1], "%d,%d,%d", &into[0], &into[1], &into[2]); err != nil {
			t.Error(err)
		}
	}
	if first[0] != 0 || second[0] != 1 || (first[1]+1)%8 != second[1] || first[2] <= 0 {
		t.Errorf("%v, %v", first, second)
	}
}

// A live heap that is asked for is there when the collector looks, and is recorded.
func TestLiveHeap(t *testing.T) {
	p := plan("good")
	p.Runs, p.Window = 1, measure.DefaultWindow
	heavy := p.Cells[0]
	heavy.LiveHeap = 16
	p.Cells = append(p.Cells, heavy)
	c, _ := run(t, p)
	light, with := c.Results[0].Runs[0], c.Results[1].Runs[0]
	if more := with.LiveHeap - light.LiveHeap; light.LiveHeap <= 0 || more < 16<<20 || more > 20<<20 {
		t.Errorf("%d bytes are live, %d with 16 MB more", light.LiveHeap, with.LiveHeap)
	}
	if light.Collections < 2 || light.Ending != compare.Collections {
		t.Errorf("%+v", light)
	}
}

// A child runs where it is pinned to.
func TestPin(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux pins")
	}
	p := plan("good")
	p.Runs, p.CPU = 1, new(int)
	c, dir := run(t, p)
	if c.Results[0].State != compare.Measured {
		t.Skipf("processor 0 is not for this process: %s", c.Results[0].Reason)
	}
	for _, r := range records(t, dir) {
		if r.CPUs != "0" {
			t.Errorf("%s ran on %s", r.Kind, r.CPUs)
		}
	}
	*p.CPU = 1000
	c, _ = run(t, p)
	if r := c.Results[0]; r.State != compare.Failed || !strings.Contains(r.Reason, "pin to processor 1000 of ") {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
}

func TestMemoryLimit(t *testing.T) {
	p := plan("eats-memory")
	p.Memory = 256 << 20
	c, _ := run(t, p)
	if r := c.Results[0]; r.State != compare.OutOfMemory || !strings.Contains(r.Reason, "256 MiB") {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
}

// The collector's policy is the cell's alone.
func TestEnvironmentDoesNotLimitMemory(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "10MiB")
	c, _ := run(t, plan("limited"))
	if r := c.Results[0]; r.State != compare.Measured {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
}

// A job that is stopped before its child has started is interrupted, not dead.
func TestInterruptedBeforeTheChildStarts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := measure.Process{Args: []string{serve}}.Run(ctx, measure.Job{Deadline: 60}, nil, func(measure.Event) {})
	var stopped *measure.StoppedError
	if !errors.As(err, &stopped) || stopped.State != compare.Interrupted {
		t.Error(err)
	}
}

// Attack L13: a child that is stopped is given up long before its deadline.
func TestStoppedChild(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell what CPU time a child has used")
	}
	p := plan("stops")
	p.Deadline, p.Idle = time.Hour, time.Second
	c, _ := run(t, p)
	if r := c.Results[0]; r.State != compare.TimedOut || !strings.Contains(r.Reason, "used no CPU time for ") {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
}

func TestDeadline(t *testing.T) {
	p := plan("hangs")
	p.Deadline = time.Second
	c, _ := run(t, p)
	if r := c.Results[0]; r.State != compare.TimedOut || !strings.Contains(r.Reason, "deadline of 1 s") {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
}

// fakeRunner answers jobs without a process.
type fakeRunner func(measure.Job, func(measure.Event)) error

func (f fakeRunner) Run(_ context.Context, j measure.Job, _ []byte, emit func(measure.Event)) error {
	emit(measure.Event{Type: "hello", Hello: &measure.Hello{Binary: measure.BinaryHash()}})
	return f(j, emit)
}

// timedRuns answers a Job that times.
func timedRuns(j measure.Job, emit func(measure.Event)) {
	for _, op := range j.Operations {
		run := compare.Run{Ops: j.Window.N, CPU: 5, Block: j.Block}
		emit(measure.Event{Type: "run", Operation: op, Run: &run})
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := measure.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	timed := 0
	c, err := measure.Run(ctx, plan("a", "b", "c"), fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
		switch j.Kind {
		case measure.Gate:
			emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: map[compare.Operation]compare.Work{compare.Issue: {Estimate: 1000}}}})
		case measure.Time:
			if timed++; timed == 3 {
				cancel()
				return &measure.StoppedError{State: compare.Interrupted, Reason: "interrupted"}
			}
			timedRuns(j, emit)
		}
		return nil
	}), folder, nil)
	if err != nil || !c.Interrupted {
		t.Fatalf("interrupted %v, %v", c.Interrupted, err)
	}
	finished := 0
	for _, r := range c.Results {
		finished += len(r.Runs)
	}
	if times := len(records(t, dir)) - 3; times != 2 || finished != 2 {
		t.Errorf("2 runs were finished before the interrupt, %d are recorded, %d are in the results", times, finished)
	}
}

// The order of the cells is drawn from the seed: the same seed gives the same order, and runs differ.
func TestOrder(t *testing.T) {
	order := func(seed uint64) (all []string) {
		folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		p := plan("a", "b", "c", "d", "e", "f", "g", "h")
		p.Seed = seed
		_, err = measure.Run(t.Context(), p, fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
			if j.Kind == measure.Gate {
				emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: map[compare.Operation]compare.Work{compare.Issue: {Estimate: 1000}}}})
			} else {
				all = append(all, j.Cell)
				timedRuns(j, emit)
			}
			return nil
		}), folder, nil)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	a, b, other := order(1), order(1), order(2)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("one seed gives two orders")
	}
	if fmt.Sprint(a) == fmt.Sprint(other) || fmt.Sprint(a[:8]) == fmt.Sprint(a[8:]) {
		t.Error("the order is not drawn")
	}
}

func TestServeRefusesBadJobs(t *testing.T) {
	job := func(more string) string {
		return `{"version":4,"now":"2026-12-01T00:00:00Z","documents":1,"cell":"` + cell("good", "").ID() + `",` + more + "}\n"
	}
	time := func(more string) string {
		return job(`"kind":"time","operations":["verify"],"window":{"n":1},` + more)
	}
	for name, test := range map[string]struct{ in, want string }{
		"nothing":        {"", "read job"},
		"not JSON":       {"hello\n", "read job"},
		"unknown field":  {`{"versio":1}` + "\n", "read job"},
		"version":        {`{"version":1,"kind":"gate"}` + "\n", "version 1"},
		"no documents":   {`{"version":4,"now":"2026-12-01T00:00:00Z","kind":"gate"}` + "\n", "no documents"},
		"no clock":       {`{"version":4,"kind":"gate","documents":1}` + "\n", "no time"},
		"before all":     {time(`"first":-1`), "begins with document -1"},
		"no window":      {job(`"kind":"time","operations":["issue"]`), "a window of"},
		"no seconds":     {job(`"kind":"profile","operations":["issue"],"profile_s":{"verify":1}`), "profiles [issue]"},
		"no sampler":     {job(`"kind":"profile","operations":["issue"],"profile_s":{"issue":1}`), "unknown sampler"},
		"no operations":  {job(`"kind":"allocs"`), "does not fit"},
		"allocs of two":  {job(`"kind":"allocs","operations":["issue","verify"]`), "more than one operation"},
		"kind":           {job(`"kind":"sing"`), "unknown kind"},
		"gate of some":   {job(`"kind":"gate","operations":["issue"]`), "does not fit"},
		"gate of a cell": {strings.Replace(job(`"kind":"gate"`), "/gc=", "/op=issue/gc=", 1), "does not fit"},
		"cell":           {strings.Replace(job(`"kind":"gate"`), cell("good", "").ID(), "format=x", 1), "incomplete"},
		"short inputs":   {time(`"inputs":[{"op":"verify","bytes":9}]`) + "abc", "inputs"},
		"other inputs":   {time(`"inputs":[{"op":"verify","bytes":3,"sha256":"00"}]`) + "abc", "not those"},
		"bad, unread":    {job(`"kind":"sing","inputs":[{"op":"verify","bytes":9}]`), "unknown kind"},
		"many inputs":    {time(`"inputs":[{"op":"verify","bytes":1073741825}]`), "more than 1073741824 bytes"},
		"negative":       {time(`"given_contexts":[{"name":"urn:c","bytes":-1}]`), "bytes of inputs"},
		"other context":  {time(`"given_contexts":[{"name":"urn:c","bytes":3,"sha256":"00"}]`) + "abc", "not those"},
		"other schema":   {time(`"document":{"name":"file:x","bytes":3}`) + "abc", "gives the document file:x"},
		"other drawing":  {time(`"drawn":["00"]`), "not the one that the gate saw"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := measure.Serve(t.Context(), strings.NewReader(test.in), &out, open)
			got := out.String()
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) || strings.Contains(got, `"done"`) {
				t.Errorf("answer %q, want %q in it", got, test.want)
			}
		})
	}
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "results")
	f, err := measure.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := measure.OpenFolder(dir); !errors.Is(err, measure.ErrInUse) {
		t.Errorf("a folder in use: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := measure.OpenFolder(dir); err == nil || !strings.Contains(err.Error(), "earlier") {
		t.Errorf("a folder with results: %v", err)
	}
	for _, want := range []string{dir + "-2", dir + "-3"} {
		other, err := measure.NewFolder(dir)
		if err != nil || other.Path != want {
			t.Fatalf("a new folder: %+v, %v", other, err)
		}
		defer other.Close()
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := measure.OpenFolder(full); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with other files: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := measure.OpenFolder(filepath.Join(file, "below")); err == nil {
		t.Error("a folder below a file")
	}
}

func TestEnvironment(t *testing.T) {
	env := measure.Environment()
	for _, key := range []string{"cpu", "cpus", "kernel", "hz", "governor", "go", "binary", "gogc-env"} {
		if env[key] == "" {
			t.Errorf("no %s", key)
		}
	}
	again := measure.Environment()
	again["load"] = "other"
	if measure.Fingerprint(env) != measure.Fingerprint(again) {
		t.Error("the load changes the fingerprint")
	}
	again["kernel"] = "other"
	if measure.Fingerprint(env) == measure.Fingerprint(again) {
		t.Error("the kernel does not change the fingerprint")
	}
}

// A campaign that does not fit its budget keeps all tiers of its first schema, and leaves the other groups out
// as wholes, from the end.
func TestLeavesGroupsOut(t *testing.T) {
	for _, test := range []struct {
		name string
		slow bool // one exchange of each native group takes an hour an operation
		want string
	}{
		{"all fit", false, "stock/small native/small stock/large native/large"},
		{"slow operations", true, "stock/small native/small"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plan()
			p.Window, p.Budget, p.Runs = measure.DefaultWindow, 20*time.Second, 2
			for _, schema := range []string{"small", "large"} {
				for _, engine := range []canon.Engine{"stock", "native"} {
					for _, suite := range []string{"a", "b"} {
						c := cell(suite, compare.Issue)
						c.Engine, c.Schema = engine, schema
						p.Cells = append(p.Cells, c)
					}
				}
			}
			folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			c, err := measure.Run(t.Context(), p, fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
				cell, _ := compare.ParseCell(j.Cell)
				switch j.Kind {
				case measure.Gate:
					work := compare.Work{Estimate: 1000}
					if cell.Engine == "native" && cell.Suite == "b" && test.slow {
						work.Estimate = int64(time.Hour)
					}
					emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: map[compare.Operation]compare.Work{compare.Issue: work}}})
				case measure.Time:
					timedRuns(j, emit)
				}
				return nil
			}), folder, nil)
			if err != nil {
				t.Fatal(err)
			}
			var measured []string
			for _, r := range c.Results {
				group := string(r.Cell.Engine) + "/" + r.Cell.Schema
				if (r.State == compare.Measured) != strings.Contains(test.want, group) {
					t.Errorf("%s is %s: %s", r.ID, r.State, r.Reason)
				}
				if r.State == compare.Measured {
					measured = append(measured, group)
				} else if r.State != compare.LeftOut || !strings.Contains(r.Reason, "does not fit") {
					t.Errorf("%s: %s", r.State, r.Reason)
				}
			}
			if len(measured) != 2*len(strings.Fields(test.want)) {
				t.Errorf("measured %v", measured)
			}
		})
	}
}
