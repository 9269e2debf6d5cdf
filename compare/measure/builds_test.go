package measure_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// built does jobs as a build of a hash, some of them at a time.
type built struct {
	sum  string
	lock *sync.Mutex
	jobs *[]measure.Job
	do   fakeRunner
}

func (b built) Run(_ context.Context, j measure.Job, _ []byte, emit func(measure.Event)) error {
	b.lock.Lock()
	*b.jobs = append(*b.jobs, j)
	b.lock.Unlock()
	emit(measure.Event{Type: "hello", Hello: &measure.Hello{Binary: b.sum}})
	return b.do(j, emit)
}

// twoBuilds is a plan of exchanges of two builds, old and new, and the jobs that each of them does.
func twoBuilds(older, newer fakeRunner, cells ...compare.Cell) (p measure.Plan, jobs map[string]*[]measure.Job) {
	p, jobs = plan(), make(map[string]*[]measure.Job)
	p.Runs, p.Documents = 4, 1
	for label, do := range map[string]fakeRunner{"old": older, "new": newer} {
		jobs[label] = &[]measure.Job{}
		p.Builds = append(p.Builds, measure.Build{Build: compare.Build{Label: label, SHA256: "hash of " + label},
			Runner: built{"hash of " + label, new(sync.Mutex), jobs[label], do}, FrameRules: measure.Rules()})
	}
	slices.SortFunc(p.Builds, func(a, b measure.Build) int { return strings.Compare(b.Label, a.Label) }) // old is first
	for _, c := range cells {
		p.Cells = append(p.Cells, c.Of("old"), c.Of("new"))
	}
	return p, jobs
}

func campaignOf(t *testing.T, p measure.Plan) (*compare.Campaign, string) {
	t.Helper()
	folder := opened(t)
	c, err := measure.Run(t.Context(), p, nobody{}, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder.Close()
	l, err := measure.Load(folder.Path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, l.Campaign, c)
	return c, folder.Path
}

// nobody does no job: every cell has a build.
type nobody struct{}

func (nobody) Run(context.Context, measure.Job, []byte, func(measure.Event)) error {
	return errors.New("a job of no build")
}

// The jobs of each cell are done by its build, which is not told that it is one. The processes of builds follow each other in
// every block, and either may be first.
func TestBuildsInterleave(t *testing.T) {
	p, jobs := twoBuilds(steady, steady, cell("a", compare.Issue), cell("b", compare.Issue), cell("c", compare.Issue))
	c, dir := campaignOf(t, p)
	if len(c.Builds) != 2 || c.Builds[0].Label != "old" || c.Builds[1].SHA256 != "hash of new" {
		t.Errorf("builds %+v", c.Builds)
	}
	for _, r := range c.Results {
		if r.State != compare.Measured || len(r.Runs) != p.Runs {
			t.Errorf("%s: %s %s, %d runs", r.ID, r.State, r.Reason, len(r.Runs))
		}
	}
	for label, all := range jobs {
		for _, j := range *all {
			if strings.Contains(j.Cell, "build=") {
				t.Errorf("the build %s is given the cell %s", label, j.Cell)
			}
		}
		if len(*all) != 3*(1+p.Runs) {
			t.Errorf("%s did %d jobs", label, len(*all))
		}
	}

	firsts := make(map[string]int)
	var timed []measure.Record
	for _, r := range records(t, dir) {
		if r.Kind == measure.Time {
			timed = append(timed, r)
		}
		parsed, err := compare.ParseCell(r.Cell)
		if err != nil || r.Binary != "hash of "+parsed.Build {
			t.Errorf("%s was done by %s, %v", r.Cell, r.Binary, err)
		}
	}
	for i := 0; i < len(timed); i += 2 {
		a, _ := compare.ParseCell(timed[i].Cell)
		b, _ := compare.ParseCell(timed[i+1].Cell)
		if timed[i].Block != timed[i+1].Block || a.Build == b.Build || a.Of("") != b.Of("") {
			t.Errorf("%s is followed by %s", timed[i].Cell, timed[i+1].Cell)
		}
		firsts[a.Build]++
	}
	if firsts["old"] == 0 || firsts["new"] == 0 {
		t.Errorf("first are %v", firsts)
	}
}

// A build has no time where it draws other documents than the first build or makes other forms of them, or where another
// executable answers in its place. The first build keeps its times.
func TestBuildsAgree(t *testing.T) {
	form := func(text string) fakeRunner {
		return func(j measure.Job, emit func(measure.Event)) error {
			if j.Kind != measure.Gate {
				run := &compare.Run{Ops: 1, CPU: 5, Wall: 5, Block: j.Block}
				emit(measure.Event{Type: "run", Operation: compare.Canonize, Run: run})
				return nil
			}
			if len(j.Drawn) > 0 && j.Drawn[0] != text[:1] {
				return &measure.StoppedError{State: compare.Failed, Reason: "document 0 is not the one that the gate saw"}
			}
			emit(measure.Event{Type: "gate", Gate: &measure.Gated{Drawn: []string{text[:1]},
				Work:   map[compare.Operation]compare.Work{compare.Canonize: {Documents: 1}},
				Inputs: map[compare.Operation][]byte{compare.Canonize: []byte("\x01" + text[1:])}}})
			return nil
		}
	}
	for _, of := range []struct {
		new  string
		want compare.State
		why  string
	}{{"dx", compare.Measured, ""}, {"dy", compare.GateFailed, "document 0: build new makes another canonical form than build old"},
		{"ex", compare.Failed, "not the one that the gate saw"}} {
		p, _ := twoBuilds(form("dx"), form(of.new), cell("document", compare.Canonize))
		c, _ := campaignOf(t, p)
		if r := c.Results[0]; r.State != compare.Measured {
			t.Errorf("%s: old is %s: %s", of.new, r.State, r.Reason)
		}
		if r := c.Results[1]; r.State != of.want || !strings.Contains(r.Reason, of.why) || of.want != compare.Measured && len(r.Runs) > 0 {
			t.Errorf("%s: new is %s: %s", of.new, r.State, r.Reason)
		}
	}

	p, _ := twoBuilds(steady, steady, cell("a", compare.Issue))
	p.Builds[1].SHA256 = "another"
	c, _ := campaignOf(t, p)
	if r := c.Results[1]; r.State != compare.Died || !strings.Contains(r.Reason, "another binary answered") {
		t.Errorf("another executable: %s %s", r.State, r.Reason)
	}
}

// A campaign of builds is resumed with the same binaries alone; the forms of its first build are made again for what is left.
func TestResumeBuilds(t *testing.T) {
	p, _ := twoBuilds(steady, steady, cell("a", compare.Issue))
	_, dir := campaignOf(t, p)
	name := filepath.Join(dir, "runs.jsonl")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	if err := os.WriteFile(name, []byte(strings.Join(lines[:1], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	folder, l, err := measure.Continue(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()

	_, err = measure.Resume(t.Context(), l, compare.Given{}, nobody{}, folder, nil)
	if other := (*measure.OtherError)(nil); !errors.As(err, &other) || other.Now != "not given" {
		t.Errorf("without builds: %v", err)
	}
	changed := slices.Clone(p.Builds)
	changed[1].SHA256 = strings.Repeat("1", 64)
	if err := l.WithBuilds(changed); err == nil || !strings.Contains(err.Error(), "another build new: hash of new, now it is 111111111111") {
		t.Errorf("another binary: %v", err)
	}
	if err := l.WithBuilds(p.Builds[:1]); err == nil || !strings.Contains(err.Error(), "not given") {
		t.Errorf("one build: %v", err)
	}

	p, jobs := twoBuilds(steady, steady, cell("a", compare.Issue))
	if err := l.WithBuilds(p.Builds); err != nil {
		t.Fatal(err)
	}
	c, err := measure.Resume(t.Context(), l, compare.Given{}, nobody{}, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Results {
		if r.State != compare.Measured || len(r.Runs) != p.Runs {
			t.Errorf("%s: %s %s, %d runs", r.ID, r.State, r.Reason, len(r.Runs))
		}
	}
	if gate := (*jobs["new"])[0]; gate.Kind != measure.Gate || fmt.Sprint(gate.Drawn) != "[drawn]" {
		t.Errorf("the new build begins with %+v", gate)
	}
}

// What is not an executable, not a canonscope, or one of another protocol or with other rules, is refused by its label.
func TestBuildsOf(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	says := func(name string, protocol int, rules string) string {
		return script(name, fmt.Sprintf("echo '{\"version\":\"v1\",\"revision\":\"r\",\"go\":\"g\",\"jobProtocol\":%d,\"frameRules\":\"%s\"}'\n", protocol, rules))
	}
	rules := measure.Rules()
	good := says("good", measure.Version, rules.Hash())
	two := func(path string) []measure.Executable {
		return []measure.Executable{{Label: "a", Path: good}, {Label: "b", Path: path}}
	}

	builds, err := measure.BuildsOf(t.Context(), two(good), "serve")
	if err != nil || len(builds) != 2 || builds[0].SHA256 != builds[1].SHA256 || builds[1].Label != "b" || builds[0].Revision != "r" {
		t.Errorf("equal ones: %+v, %v", builds, err)
	}
	if p := builds[0].Runner.(measure.Process); p.Path != good || p.Args[0] != "serve" {
		t.Errorf("the process is %+v", p)
	}

	for what, c := range map[string]struct {
		all  []measure.Executable
		want string
	}{
		"no file":        {two(filepath.Join(dir, "none")), "build b is not there"},
		"silent":         {two(script("silent", "exit 0\n")), "build b is not a canonscope"},
		"fails":          {two(script("fails", "exit 3\n")), "build b is not a canonscope"},
		"talks":          {two(script("talks", "while :; do echo nonsense nonsense nonsense; done\n")), "build b is not a canonscope"},
		"other JSON":     {two(script("other", "echo '{}'\n")), "build b is not a canonscope"},
		"other protocol": {two(says("protocol", measure.Version+1, rules.Hash())), fmt.Sprintf("build b speaks job protocol %d", measure.Version+1)},
		"other rules":    {two(says("rules", measure.Version, "0123456789abcdef")), "build b has frame rules 0123456789ab, not "},
		"twice":          {[]measure.Executable{{Label: "a", Path: good}, {Label: "a", Path: good}}, "build a is given twice"},
		"label":          {[]measure.Executable{{Label: "a/b=c", Path: good}}, `"a/b=c" is not a label`},
	} {
		if _, err := measure.BuildsOf(t.Context(), c.all); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
