package measure_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// answers is a runner without processes: every gate passes, every process times. Before it answers the job of
// a number, counted from 1, it does what is asked for, and fails with what that returns.
func answers(jobs *int, before map[int]func() error) fakeRunner {
	return func(j measure.Job, emit func(measure.Event)) error {
		*jobs++
		if f := before[*jobs]; f != nil {
			if err := f(); err != nil {
				return err
			}
		}
		switch j.Kind {
		case measure.Gate:
			emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: map[compare.Operation]compare.Work{compare.Issue: {Estimate: 1000}}}})
		case measure.Time:
			timedRuns(j, emit)
		}
		return nil
	}
}

func opened(t *testing.T) *measure.Folder {
	t.Helper()
	folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return folder
}

// stopped checks a campaign of one cell that could not keep what its last job brought: it ended there, says why, and has all
// that it measured.
func stopped(t *testing.T, c *compare.Campaign, err error, jobs int, why string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(c.Stopped, why) || c.Interrupted {
		t.Errorf("stopped: %q, %v", c.Stopped, err)
	}
	if r := c.Results[0]; r.State != compare.Measured || len(r.Runs) != jobs-1 || c.Runs != jobs-1 {
		t.Errorf("%s: %s, %d runs of %d jobs", r.State, r.Reason, len(r.Runs), jobs)
	}
}

// Attack 14 e: a results folder, or its runs.jsonl, that is removed, moved, replaced or cut short while a campaign runs is
// noticed, and ends it with what it has.
func TestFolderSpoilt(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"folder removed": {os.RemoveAll, "results was removed or replaced"},
		"folder moved":   {func(dir string) error { return os.Rename(dir, dir+"-moved") }, "results was removed or replaced"},
		"folder replaced": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-moved"), os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, "runs.jsonl"), nil, 0o666))
		}, "results was removed or replaced"},
		"file removed": {func(dir string) error { return os.Remove(filepath.Join(dir, "runs.jsonl")) }, "runs.jsonl was removed or replaced"},
		"file replaced": {func(dir string) error {
			name := filepath.Join(dir, "runs.jsonl")
			return errors.Join(os.Rename(name, name+"~"), os.Symlink("runs.jsonl~", name))
		}, "runs.jsonl was removed or replaced"},
		"file cut short": {func(dir string) error { return os.Truncate(filepath.Join(dir, "runs.jsonl"), 10) }, "runs.jsonl was cut short"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, jobs := opened(t), 0
			p := plan("a")
			p.Runs = 100
			c, err := measure.Run(t.Context(), p, answers(&jobs, map[int]func() error{10: func() error { return test.spoil(folder.Path) }}), folder, nil)
			stopped(t, c, err, 10, test.want)
			if jobs != 10 {
				t.Errorf("%d jobs", jobs)
			}
			if b, err := os.ReadFile(filepath.Join(folder.Path, "runs.jsonl")); err == nil && bytes.IndexByte(b, 0) >= 0 {
				t.Error("runs.jsonl has a hole")
			}
			if _, lost := folder.Kept(); len(lost) == 0 || !strings.Contains(lost[0].Error(), test.want) {
				t.Errorf("lost at the end: %v", lost)
			}
		})
	}
}

// fullDisk calls f in a process of this very test whose files do not grow beyond a size, as on a full disk.
func fullDisk(t *testing.T, size uint64, f func()) {
	t.Helper()
	const here = "CANONSCOPE_FULL_DISK"
	if os.Getenv(here) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), here+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}); err != nil {
		t.Fatal(err)
	}
	f()
}

// Attack 14 b: a campaign whose disk is full ends with what it has, and its runs.jsonl has no half line.
func TestFullDisk(t *testing.T) {
	fullDisk(t, 4000, func() {
		folder, jobs := opened(t), 0
		p := plan("a")
		p.Runs = 100
		c, err := measure.Run(t.Context(), p, answers(&jobs, nil), folder, nil)
		stopped(t, c, err, jobs, "runs.jsonl: file too large")
		if got := len(records(t, folder.Path)); got != jobs-1 || jobs > 20 {
			t.Errorf("%d records of %d jobs", got, jobs)
		}
	})
}

// Attack 14 b: profiles end with those that find the disk full, whose shares are kept. What could not be written is not named.
func TestFullDiskOfProfiles(t *testing.T) {
	large := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range uint64(1000) {
		f := &profile.Function{ID: i + 1, Name: fmt.Sprintf("%x%x", random.Uint64(), random.Uint64())}
		l := &profile.Location{ID: i + 1, Line: []profile.Line{{Function: f}}}
		large.Function, large.Location = append(large.Function, f), append(large.Location, l)
		large.Sample = append(large.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{1, 1}})
	}
	var pprof bytes.Buffer
	if err := large.Write(&pprof); err != nil {
		t.Fatal(err)
	}
	fullDisk(t, 12_000, func() {
		folder := opened(t)
		p := plan("a", "b", "c", "d", "e", "f", "g", "h")
		p.Runs, p.Profile = 1, 1
		var passes atomic.Int32
		c, err := measure.Run(t.Context(), p, fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
			if j.Kind == measure.Profile {
				passes.Add(1)
				got := &measure.Profiled{Pprof: pprof.Bytes(), Ops: 1, CPU: 1000}
				emit(measure.Event{Type: "profile", Operation: compare.Issue, Profile: got})
				return nil
			}
			return answers(new(int), nil)(j, emit)
		}), folder, nil)
		if err == nil || !strings.Contains(c.Stopped, "pb.gz: file too large") {
			t.Errorf("stopped %q, %v", c.Stopped, err)
		}
		profiled := 0
		for _, r := range c.Results {
			if r.State != compare.Measured {
				t.Errorf("%s: %s: %s", r.ID, r.State, r.Reason)
			}
			if r.Profile != nil {
				profiled++
				if r.Profile.Pprof != "" || r.Profile.Flame != "" {
					t.Errorf("there is no %s nor %s", r.Profile.Pprof, r.Profile.Flame)
				}
			}
		}
		if profiled == 0 || passes.Load() > 4 {
			t.Errorf("%d of %d profiles", profiled, passes.Load())
		}
		if got := listed(t, folder.Path); !slices.Equal(got, []string{"env.json", "flame", "plan.json", "profiles", "runs.jsonl"}) {
			t.Errorf("in the folder: %v", got)
		}
	})
}

// Attack 14 a: a file name is bounded, whatever the schema is called, and stays one cell's own.
func TestLongNames(t *testing.T) {
	p := plan()
	p.Profile, p.Allocs, p.Runs = 0.02, true, 1
	for i := range 2 {
		c := cell("good", compare.Issue)
		c.Schema = "file:" + strings.Repeat("%2Fabcdefghijklmnopqrstuvwxyz0123", 30) + fmt.Sprint(i)
		p.Cells = append(p.Cells, c, c.With(compare.Verify))
	}
	c, dir := run(t, p)
	for _, r := range c.Results {
		if r.State != compare.Measured || r.Profile == nil || r.Allocs == nil {
			t.Errorf("%s: %s", r.State, r.Reason)
		}
	}
	for _, sub := range []string{"profiles", "flame"} {
		if files, err := os.ReadDir(filepath.Join(dir, sub)); err != nil || len(files) != 2*len(p.Cells) {
			t.Errorf("%d files in %s, %v", len(files), sub, err)
		}
	}
}

// Attack 14 b: a file that cannot be written keeps no other from being written, and leaves nothing behind.
func TestEachFileOnItsOwn(t *testing.T) {
	folder := opened(t)
	if err := os.Mkdir(filepath.Join(folder.Path, "taken"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"a.txt": true, "taken": false, strings.Repeat("n", 300): false, "flame/b.svg": true} {
		if err := folder.Write(name, content(name)); (err == nil) != ok {
			t.Errorf("%.20s: %v", name, err)
		}
	}
	half := func(w io.Writer) error { return errors.Join(content("half")(w), errors.New("no more")) }
	if err := folder.Write("c.txt", half); err == nil {
		t.Error("half a file is a file")
	}
	kept, lost := folder.Kept()
	if want := []string{"a.txt", "flame", "runs.jsonl"}; !slices.Equal(kept, want) || len(lost) > 0 {
		t.Errorf("kept %v, lost %v", kept, lost)
	}
	if got := listed(t, folder.Path); !slices.Equal(got, []string{"a.txt", "flame", "flame/b.svg", "runs.jsonl", "taken"}) {
		t.Errorf("in the folder: %v", got)
	}
	if err := os.Remove(filepath.Join(folder.Path, "flame", "b.svg")); err != nil {
		t.Fatal(err)
	}
	if _, lost := folder.Kept(); len(lost) != 1 || !strings.HasSuffix(lost[0].Error(), "results/flame/b.svg was removed or replaced") {
		t.Errorf("lost %v", lost)
	}
}

// Attack L12: nothing is written through a symbolic link in a results folder, be it a folder, a file or a part of one, be its
// target inside or outside.
func TestSymbolicLinks(t *testing.T) {
	for _, target := range []string{"..", "."} {
		folder := opened(t)
		outside := filepath.Join(folder.Path, target, "target")
		if err := os.Mkdir(outside, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, to := range map[string]string{"flame": "target", "file": "target/file", ".part-file": "target/part", "dangling": "target/none"} {
			if err := os.Symlink(filepath.Join(target, to), filepath.Join(folder.Path, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := folder.Write("flame/a.svg", content("x")); err == nil || !strings.Contains(err.Error(), "symbolic link") {
			t.Error(err)
		}
		for _, name := range []string{"file", "dangling"} {
			if err := folder.Write(name, content("x")); err != nil {
				t.Error(err)
			}
		}
		if got := listed(t, outside); len(got) > 0 {
			t.Errorf("written through a link to %s: %v", target, got)
		}
	}
}

// Attack L11: what a killed campaign was writing is removed when the next one meets its folder, and nothing of anybody else's.
func TestPartsAreRemoved(t *testing.T) {
	folder := opened(t)
	if err := folder.Write("flame/a.svg", content("x")); err != nil {
		t.Fatal(err)
	}
	folder.Close()
	parts := func(dir string) {
		for _, name := range []string{".part-results.json", "flame/.part-b.svg"} {
			if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	parts(folder.Path)
	if _, err := measure.OpenFolder(folder.Path); err == nil || !strings.Contains(err.Error(), "earlier campaign") {
		t.Error(err)
	}
	if got := listed(t, folder.Path); !slices.Equal(got, []string{"flame", "flame/a.svg", "runs.jsonl"}) {
		t.Errorf("left: %v", got)
	}
	other := t.TempDir()
	if err := os.Mkdir(filepath.Join(other, "flame"), 0o777); err != nil {
		t.Fatal(err)
	}
	parts(other)
	if _, err := measure.OpenFolder(other); err == nil || len(listed(t, other)) != 3 {
		t.Errorf("%v; of another's folder is left: %v", err, listed(t, other))
	}
}

// Attack 14 d: a child that dies or is given up costs its own run. What was timed before an operation failed is worth nothing.
func TestDeadChildKeepsRuns(t *testing.T) {
	for _, test := range []struct {
		state compare.State
		runs  int
	}{{compare.Died, 3}, {compare.TimedOut, 3}, {compare.OutOfMemory, 3}, {compare.Failed, 0}, {compare.Unsupported, 0}} {
		p := plan("a", "b")
		p.Runs = 4
		dead := -1
		c, err := measure.Run(t.Context(), p, fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
			if j.Kind == measure.Time && j.Block == 1 && dead < 0 {
				dead = slices.IndexFunc(p.Cells, func(c compare.Cell) bool { return c.Exchange().ID() == j.Cell })
				return &measure.StoppedError{State: test.state, Reason: "because"}
			}
			return answers(new(int), nil)(j, emit)
		}), opened(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, other := c.Results[dead], c.Results[1-dead]
		if len(other.Runs) != 4 || other.Reason != "" || c.Runs != 4 {
			t.Errorf("the other cell: %d runs of %d, %q", len(other.Runs), c.Runs, other.Reason)
		}
		want, reason := compare.Measured, fmt.Sprintf("issue has 3 of 4 runs: run 2: %s: because", test.state)
		if test.runs == 0 {
			want, reason = test.state, "because"
		}
		if r.State != want || len(r.Runs) != test.runs || r.Reason != reason {
			t.Errorf("%s: %s, %d runs, %q", test.state, r.State, len(r.Runs), r.Reason)
		}
	}
}

// Attack L13: a child may take three times its expected time without using its CPU, and a little at least.
func TestIdle(t *testing.T) {
	for _, test := range []struct {
		estimate time.Duration
		n        int
		least    time.Duration
	}{{time.Microsecond, 40, 10 * time.Second}, {time.Second, 100, 3 * 100 * time.Second}} {
		p := plan("a")
		p.Window.N, p.Idle, p.Deadline = test.n, 10*time.Second, time.Hour
		_, err := measure.Run(t.Context(), p, fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
			if j.Kind == measure.Gate {
				if j.Idle != p.Idle.Seconds() {
					t.Errorf("gate: %v", j.Idle)
				}
				emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: map[compare.Operation]compare.Work{compare.Issue: {Estimate: int64(test.estimate)}}}})
				return nil
			}
			if j.Idle < test.least.Seconds() || j.Idle > 2*test.least.Seconds() {
				t.Errorf("run %d of %d operations of %v: %v s", j.Block, j.Window.N, test.estimate, j.Idle)
			}
			timedRuns(j, emit)
			return nil
		}), opened(t), nil)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func content(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// listed is what a folder has, with its subfolders, in order.
func listed(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if name != "." {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
