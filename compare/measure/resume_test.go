package measure_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// In the environment of a process that plays a campaign which is killed: its folder, the bytes of its largest file, and after how
// many jobs it waits for its end.
const (
	killedFolder = "CANONSCOPE_KILLED_FOLDER"
	killedLimit  = "CANONSCOPE_KILLED_LIMIT"
	killedAfter  = "CANONSCOPE_KILLED_AFTER"
)

// steady answers jobs without a process, and each in the same way.
func steady(j measure.Job, emit func(measure.Event)) error {
	number := func(op compare.Operation) float64 {
		h := fnv.New32()
		fmt.Fprint(h, j.Kind, j.Cell, j.Block, op)
		return float64(1000 + h.Sum32()%1000)
	}
	if j.Kind == measure.Gate {
		work := make(map[compare.Operation]compare.Work)
		for _, op := range []compare.Operation{compare.Issue, compare.Verify} {
			work[op] = compare.Work{Estimate: 1000, Documents: 8, Counters: compare.Counters{Signatures: 1}}
		}
		emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: work, Drawn: []string{"drawn"}, Inputs: map[compare.Operation][]byte{compare.Verify: []byte("issued")}}})
		return nil
	}
	if len(j.Drawn) != 1 || len(j.Operations) == 2 && len(j.Inputs) != 1 || j.Work[compare.Issue].Signatures+j.Work[compare.Verify].Signatures < 1 {
		return &measure.StoppedError{State: compare.Failed, Reason: fmt.Sprintf("a job without what its gate made: %+v", j)}
	}
	if j.Kind == measure.Time && strings.Contains(j.Cell, "suite=dies") && j.Block == 1 {
		return &measure.StoppedError{State: compare.Died, Reason: "as planned"}
	}
	for _, op := range j.Operations {
		e := measure.Event{Type: string(j.Kind), Operation: op}
		switch j.Kind {
		case measure.Time:
			e.Run = &compare.Run{Ops: j.Window.N, CPU: number(op), Wall: number(op), Block: j.Block, First: j.First, Ending: compare.Counted}
		case measure.Raw:
			e.Raw = &measure.Timed{Wall: []int64{int64(number(op)), 5, 7}}
		case measure.Profile:
			e.Profile = &measure.Profiled{Pprof: pprofOf(int64(number(op))), Ops: 5, CPU: int64(number(op)), Wall: 9}
		case measure.Allocs:
			e.Allocs = &measure.Allocated{Pprof: pprofOf(int64(number(op))), Ops: 5, Bytes: int64(number(op))}
		}
		emit(e)
	}
	return nil
}

// pprofOf is a profile of one sample.
func pprofOf(value int64) []byte {
	f := &profile.Function{ID: 1, Name: "main.main"}
	l := &profile.Location{ID: 1, Line: []profile.Line{{Function: f}}}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Function: []*profile.Function{f}, Location: []*profile.Location{l},
		Sample: []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{1, value}}}}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// steadyPlan has all passes of exchanges of two operations, one of which loses a process.
func steadyPlan() measure.Plan {
	p := plan()
	p.Runs, p.Raw, p.Profile, p.Allocs, p.Now = 3, true, 0.01, true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, kind := range []string{"a", "dies", "c"} {
		p.Cells = append(p.Cells, cell(kind, compare.Issue), cell(kind, compare.Verify))
	}
	return p
}

// playKilled runs the campaign in a process that the test below starts; it does not return there.
func playKilled(t *testing.T) {
	dir := os.Getenv(killedFolder)
	if dir == "" {
		return
	}
	if n, err := strconv.ParseUint(os.Getenv(killedLimit), 10, 64); err == nil {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := measure.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var jobs atomic.Int64
	after, err := strconv.ParseInt(os.Getenv(killedAfter), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	c, err := measure.Run(t.Context(), steadyPlan(), fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
		if jobs.Add(1) > after {
			select {}
		}
		return steady(j, emit)
	}), folder, nil)
	if err == nil || c.Stopped == "" {
		fmt.Println("it ended")
	}
	os.Exit(0)
}

func killed(t *testing.T, dir, limit string, after int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), killedFolder+"="+dir, killedLimit+"="+limit, killedAfter+"="+strconv.Itoa(after))
	return cmd
}

func undisturbed(t *testing.T) (*compare.Campaign, string) {
	t.Helper()
	folder := opened(t)
	c, err := measure.Run(t.Context(), steadyPlan(), fakeRunner(steady), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder.Close()
	return c, folder.Path
}

// resumed measures the rest of a campaign.
func resumed(t *testing.T, dir string) *compare.Campaign {
	t.Helper()
	folder, l, err := measure.Continue(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	c, err := measure.Resume(t.Context(), l, compare.Given{}, fakeRunner(steady), folder, nil)
	if err != nil || c.Interrupted || c.Stopped != "" {
		t.Fatalf("interrupted %v, stopped %q, %v", c.Interrupted, c.Stopped, err)
	}
	return c
}

// completed checks that a resumed campaign, and its folder, have what an undisturbed one has, each line once.
func completed(t *testing.T, got *compare.Campaign, dir string, want *compare.Campaign, wantDir string) {
	t.Helper()
	l, err := measure.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, l.Campaign, got)
	g, w := *got, *want
	g.Started, g.Took, g.Out, g.Environment = w.Started, w.Took, w.Out, w.Environment
	same(t, &g, &w)

	lines := func(dir string) map[string]int {
		all := make(map[string]int)
		for _, r := range records(t, dir) {
			all[fmt.Sprint(r.Kind, r.Cell, r.Block, r.Operations, r.State)]++
		}
		return all
	}
	if a, b := fmt.Sprint(lines(dir)), fmt.Sprint(lines(wantDir)); a != b {
		t.Errorf("lines %s\nwant %s", a, b)
	}
	if a, b := fmt.Sprint(listed(t, dir)), fmt.Sprint(listed(t, wantDir)); a != b {
		t.Errorf("files %s, want %s", a, b)
	}
	for _, r := range got.Results {
		for _, name := range []string{r.Raw.File, r.Profile.Pprof, r.Profile.Flame, r.Allocs.Pprof} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %q: %v", r.ID, name, err)
			}
		}
	}
}

// A campaign that is killed with signal 9, 20 times, when its journal has one line more each time, is completed as if it had not
// been.
func TestResumeKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	playKilled(t)
	want, wantDir := undisturbed(t)
	for k := range 20 {
		dir := filepath.Join(t.TempDir(), "results")
		cmd := killed(t, dir, "", k)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for lines := -1; lines < k; time.Sleep(time.Millisecond) {
			if b, err := os.ReadFile(filepath.Join(dir, "runs.jsonl")); err == nil && exists(filepath.Join(dir, "plan.json")) {
				lines = bytes.Count(b, []byte("\n"))
			}
		}
		if err := cmd.Process.Signal(unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if l, err := measure.Load(dir); err != nil || l.Ended || len(l.Records) != k {
			t.Fatalf("%d lines were to be there: %+v, %v", k, l, err)
		}
		completed(t, resumed(t, dir), dir, want, wantDir)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// So is one whose journal ends anywhere, in the middle of a line or not, and one that is cut twice.
func TestResumeCut(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	want, wantDir := undisturbed(t)
	whole, err := os.ReadFile(filepath.Join(wantDir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 0))
	for range 20 {
		folder := opened(t)
		if _, err := measure.Run(t.Context(), steadyPlan(), fakeRunner(steady), folder, nil); err != nil {
			t.Fatal(err)
		}
		folder.Close()
		name := filepath.Join(folder.Path, "runs.jsonl")
		for range 2 {
			// The end is a line as well: without it the campaign has not ended.
			if err := os.Truncate(name, r.Int64N(int64(len(whole)-len("\n")))); err != nil {
				t.Fatal(err)
			}
			completed(t, resumed(t, folder.Path), folder.Path, want, wantDir)
		}
	}
}

// On a full disk a campaign ends; once there is room, the rest of it is measured.
func TestResumeFullDisk(t *testing.T) {
	playKilled(t)
	want, wantDir := undisturbed(t)
	base, limit := t.TempDir(), "9000"
	if err := unix.Mount("tmpfs", base, "tmpfs", 0, "size=64k"); err == nil {
		limit = ""
		t.Cleanup(func() { _ = unix.Unmount(base, unix.MNT_DETACH) })
	}
	dir := filepath.Join(base, "results")
	if out, err := killed(t, dir, limit, 1000).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	if limit == "" {
		if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_REMOUNT, "size=16m"); err != nil {
			t.Fatal(err)
		}
	}
	completed(t, resumed(t, dir), dir, want, wantDir)
}

// What did not fit the time before does not after: the decision is in the journal.
func TestResumeBudget(t *testing.T) {
	p := plan("a", "b", "c")
	for i := range p.Cells {
		p.Cells[i].Schema = p.Cells[i].Suite // each is a group
	}
	p.Runs, p.Budget = 4, time.Nanosecond
	folder := opened(t)
	want, err := measure.Run(t.Context(), p, fakeRunner(steady), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder.Close()
	name := filepath.Join(folder.Path, "runs.jsonl")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if want.Results[0].State != compare.Measured || want.Results[2].Reason != "it does not fit the default time on this machine" || !bytes.Contains(whole, []byte(`"kind":"left out"`)) ||
		!bytes.Contains(whole, []byte(`"kind":"enough"`)) {
		t.Fatalf("%+v\n%s", want.Results, whole)
	}
	size := 0
	for line := range bytes.Lines(whole) {
		if size += len(line); size == len(whole) {
			break
		}
		if err := os.WriteFile(name, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		got := resumed(t, folder.Path)
		for i, r := range got.Results {
			w := want.Results[i]
			if r.State != w.State || r.Reason != w.Reason || len(r.Runs) != len(w.Runs) || r.Work != w.Work {
				t.Errorf("after %d bytes %s: %s %s with %d runs, want %s %s with %d", size, r.ID, r.State, r.Reason, len(r.Runs), w.State, w.Reason, len(w.Runs))
			}
		}
	}
}

// A complete campaign, another binary, processor or rules, or other inputs are refused, and nothing is changed.
func TestResumeRefuses(t *testing.T) {
	_, dir := undisturbed(t)
	if _, _, err := measure.Continue(dir); err == nil || !errors.Is(err, measure.ErrComplete) {
		t.Errorf("a complete one: %v", err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	cut := whole[:len(whole)/2]
	if err := os.WriteFile(filepath.Join(dir, "runs.jsonl"), cut, 0o666); err != nil {
		t.Fatal(err)
	}
	context := compare.Given{Contexts: map[string][]byte{"https://example.org/v1": []byte("{}")}}
	for what, c := range map[string]struct {
		spoil func(*measure.Loaded)
		given compare.Given
		want  string
	}{
		"binary":    {func(l *measure.Loaded) { l.Binary = strings.Repeat("0", 64) }, compare.Given{}, "another binary: 000000000000, now it is "},
		"rules":     {func(l *measure.Loaded) { l.Planned.Rules = "x" }, compare.Given{}, "another set of frame rules: x"},
		"processor": {func(l *measure.Loaded) { l.Campaign.Environment["cpu"] = "Z80" }, compare.Given{}, "another processor: Z80"},
		"more":      {func(*measure.Loaded) {}, context, "another https://example.org/v1: not given, now it is "},
		"less": {func(l *measure.Loaded) {
			l.Given = []compare.Source{{Name: "file:a", SHA256: strings.Repeat("1", 64), Bytes: 2}}
		}, compare.Given{}, "another file:a: 111111111111, now it is not given"},
		"other": {func(l *measure.Loaded) {
			l.Given = []compare.Source{{Name: "https://example.org/v1", SHA256: strings.Repeat("1", 64), Bytes: 2}}
		}, context, "another https://example.org/v1: 111111111111, now it is "},
	} {
		folder, l, err := measure.Continue(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := measure.Continue(dir); !errors.Is(err, measure.ErrInUse) {
			t.Errorf("twice: %v", err)
		}
		c.spoil(l)
		_, err = measure.Resume(t.Context(), l, c.given, fakeRunner(steady), folder, nil)
		var other *measure.OtherError
		if !errors.As(err, &other) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
		folder.Close()
		if after, _ := os.ReadFile(filepath.Join(dir, "runs.jsonl")); !bytes.Equal(after, cut) {
			t.Errorf("%s: the journal has changed", what)
		}
	}
}

// A resumed campaign of real processes makes the inputs of its operations again.
func TestResumeProcesses(t *testing.T) {
	p := plan()
	p.Cells = []compare.Cell{cell("good", compare.Issue), cell("good", compare.Verify)}
	_, dir := run(t, p)
	name := filepath.Join(dir, "runs.jsonl")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	if err := os.WriteFile(name, bytes.Join(lines[:2], nil), 0o666); err != nil {
		t.Fatal(err)
	}
	folder, l, err := measure.Continue(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	c, err := measure.Resume(t.Context(), l, compare.Given{}, measure.Process{Args: []string{serve}}, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Results {
		if r.State != compare.Measured || len(r.Runs) != 2 {
			t.Errorf("%s: %s %s, %d runs", r.ID, r.State, r.Reason, len(r.Runs))
		}
	}
}

// Steps know how long the rest takes once the gates have been passed.
func TestProgressTimes(t *testing.T) {
	var steps []measure.Step
	_, err := measure.Run(t.Context(), steadyPlan(), fakeRunner(steady), opened(t), func(s measure.Step) { steps = append(steps, s) })
	if err != nil {
		t.Fatal(err)
	}
	var stages []string
	for i, s := range steps {
		if i == 0 || s.Stage != steps[i-1].Stage {
			stages = append(stages, s.Stage)
		}
		if (s.Left > 0) != (s.Stage != "gate") || s.Elapsed < 0 || s.Done >= s.Total {
			t.Errorf("%+v", s)
		}
	}
	if got := strings.Join(stages, ", "); got != "gate, time, single operations, profile, allocations" {
		t.Errorf("stages %s", got)
	}
	p := steadyPlan()
	few := p.Estimate()
	if p.Runs *= 2; p.Estimate() <= few {
		t.Errorf("twice the runs take %v, not longer than %v", p.Estimate(), few)
	}
}
