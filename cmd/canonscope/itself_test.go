package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/stats"
)

const policyOfLoops = "/gc=100/procs=2/contexts="

// loopCells are those that straight loops repeat.
var loopCells = []struct {
	exchange string
	op       compare.Operation
}{
	{"format=vcdm/suite=eddsa-rdfc-2022/engine=native/alg=EdDSA/schema=simple-20" + policyOfLoops + "warm", compare.Issue},
	{"format=vcdm/suite=eddsa-rdfc-2022/engine=native/alg=EdDSA/schema=simple-20" + policyOfLoops + "warm", compare.Verify},
	{"format=sd-jwt-vc/suite=jws/engine=native/alg=EdDSA/schema=simple-20" + policyOfLoops + "none", compare.Issue},
	{"format=mdoc/suite=cose-sign1/engine=native/alg=EdDSA/schema=simple-20" + policyOfLoops + "none", compare.Present},
	{"format=vcdm/suite=eddsa-rdfc-2022/engine=stock/alg=EdDSA/schema=simple-20" + policyOfLoops + "embedded", compare.Verify},
	{"format=mdoc/suite=cose-sign1/engine=stock/alg=EdDSA/schema=simple-20" + policyOfLoops + "none", compare.Issue},
}

// series is some campaigns of one build, in the folders 0, 1, ... of a folder, and what straight loops say in
// each, in the files 0.loops, 1.loops, ...
type series struct {
	dir       string
	campaigns []*results
	loops     []map[string][]float64 // by cell
}

// Loops of a second that a campaign holds: rounds of all cells, some after each process that is timed.
const (
	rounds    = 10
	afterEach = 2
)

// alternating plants loops between the processes of a campaign, so that both see the machine in the same
// minutes: its host may be a third slower in the next. Their time is not of the campaign's budget.
//
// CANONSCOPE_LOOPS names a file with a line for each loop: its program, its cell and the bytes that are alive;
// what they say goes to the same name with .said.
var alternating = []plant{
	{file: "compare/measure/run.go",
		function: "\t\t\tc.time(ctx, x, cells, block, block*stride%c.plan.Documents, place)",
		text:     "\t\t\tif paused := c.alternate(); !deadline.IsZero() {\n\t\t\t\tdeadline = deadline.Add(paused)\n\t\t\t}"},
	{file: "compare/measure/run.go", imports: "\"os\"\n\t\"os/exec\"\n\t\"strings\"",
		function: "func (c *campaign) left() time.Duration { return c.plan.Budget - c.elapsed() }",
		text: `
var looped int

func (c *campaign) alternate() time.Duration {
	began := time.Now()
	name := os.Getenv("CANONSCOPE_LOOPS")
	text, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	said, err := os.OpenFile(name+".said", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer said.Close()

	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	for range ` + fmt.Sprint(afterEach) + ` {
		if looped == len(all) {
			break
		}
		loop := strings.Fields(all[looped])
		looped++
		cmd := exec.Command(loop[0], "-test.run", "^TestLoop$")
		cmd.Env = append(os.Environ(), "CANONSCOPE_LOOP="+loop[1], "CANONSCOPE_LOOP_HEAP="+loop[2])
		out, err := cmd.CombinedOutput()
		if err != nil {
			panic(err)
		}
		line, _, _ := strings.Cut(string(out), "\n")
		fmt.Fprintln(said, loop[1], line)
	}
	paused := time.Since(began)
	c.begun = c.begun.Add(paused)
	return paused
}`},
}

// measured makes a series of campaigns with the given flags. CANONSCOPE_SERIES names a folder to keep it in;
// what is there already is not measured again.
func measured(t *testing.T, name string, campaigns int, args ...string) *series {
	t.Helper()
	s := &series{dir: t.TempDir()}
	if kept := os.Getenv("CANONSCOPE_SERIES"); kept != "" {
		s.dir = filepath.Join(kept, name)
		if err := os.MkdirAll(s.dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}

	var command, loops string
	var alive map[string]int64
	for i := range campaigns {
		at := filepath.Join(s.dir, fmt.Sprint(i))
		if _, err := os.Stat(filepath.Join(at, "results.json")); errors.Is(err, fs.ErrNotExist) {
			if command == "" {
				var plain string
				plain, loops = build(t)
				alive = aliveIn(t, plain)
				command, _ = build(t, alternating...)
			}
			plan(t, at+".loops", loops, alive)
			cmd := exec.Command(command, append([]string{"run", "--out", at}, args...)...)
			cmd.Env = append(os.Environ(), "CANONSCOPE_LOOPS="+at+".loops")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("run %v: %v\n%s", args, err, out)
			}
		}
		s.campaigns = append(s.campaigns, readResults(t, at))
		all := make(map[string][]float64)
		read(t, at+".loops.said", all)
		s.loops = append(s.loops, all)
	}
	return s
}

// aliveIn is what is alive in the processes of a campaign, by cell.
func aliveIn(t *testing.T, command string) map[string]int64 {
	out := make(map[string]int64)
	for _, r := range campaign(t, command, "--schema", "simple-20", "--algorithm", "EdDSA", "--n", "16", "--runs", "1",
		"--profile-seconds", "0").Results {
		if len(r.Runs) > 0 {
			out[r.ID] = r.Runs[0].LiveHeap
		}
	}
	return out
}

func idOf(t *testing.T, exchange string, op compare.Operation) string {
	t.Helper()
	c, err := compare.ParseCell(exchange)
	if err != nil {
		t.Fatal(err)
	}
	return c.With(op).ID()
}

// plan writes the loops that a campaign is to hold.
func plan(t *testing.T, file, loops string, alive map[string]int64) {
	t.Helper()
	var text strings.Builder
	for range rounds {
		for _, c := range loopCells {
			id := idOf(t, c.exchange, c.op)
			fmt.Fprintln(&text, loops, id, alive[id])
		}
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string, all map[string][]float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var id string
		var ns float64
		if _, err := fmt.Sscanf(line, "%s loop %f ns", &id, &ns); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		all[id] = append(all[id], ns)
	}
}

// held counts the intervals that hold what straight loops say within the campaign.
//
// A correct interval of the mean over n processes holds a new process only with P(|T(n-1)| < t/√(n+1)): in 84 %
// for three and 68 % for five. What the interval is of is the mean over processes, so a loop of ten seconds is ten
// processes of a second each, spread over the campaign. Their mean lies in it with P(|T(n-1)| < t/√(1+n/10)), in
// 94 % for three processes and 91 % for five, if nothing but the processes varies. What single processes of a
// second do is reported beside it.
func (s *series) held(t *testing.T) (held, cases int) {
	t.Helper()
	single, all := 0, 0
	for i, c := range s.campaigns {
		for _, cell := range loopCells {
			e, id := stats.Estimate{}, idOf(t, cell.exchange, cell.op)
			for _, r := range c.Rows {
				if r.ID == cell.exchange {
					e = r.CPU[cell.op]
				}
			}
			if !e.Bounded() {
				t.Errorf("campaign %d has no interval of %s", i, id)
				continue
			}
			holds := func(ns float64) bool { return e.Low <= ns && ns <= e.High }
			for _, ns := range s.loops[i][id] {
				if all++; holds(ns) {
					single++
				}
			}
			cases++
			ns := center(s.loops[i][id])
			if holds(ns) {
				held++
			}
			t.Logf("campaign %d, %s of %.60s: %.2f µs in %d loops, %.2f in the campaign (%.2f to %.2f) of %d: %v", i, cell.op,
				cell.exchange, ns/1e3, len(s.loops[i][id]), e.Center/1e3, e.Low/1e3, e.High/1e3, e.N, holds(ns))
		}
	}
	t.Logf("the loops lie in %d of %d intervals; single loops of a second in %d of %d", held, cases, single, all)
	return held, cases
}

// apart counts, by tier and column, the pairs of campaigns whose intervals exclude each other.
func (s *series) apart() map[string][2]int {
	type key struct{ row, column string }
	intervals := make(map[key][]stats.Estimate)
	add := func(row *resultRow, column string, e stats.Estimate) {
		if e.N > 0 && e.Bounded() {
			intervals[key{row.ID, column}] = append(intervals[key{row.ID, column}], e)
		}
	}
	for _, c := range s.campaigns {
		for _, r := range c.Rows {
			for op, e := range r.CPU {
				add(&r, string(op), e)
			}
			add(&r, "issue + verify", r.IssueVerify)
			add(&r, "exchange", r.Exchange)
			for to, e := range r.Ratios {
				add(&r, "ratio to "+to, e)
			}
		}
	}

	out := make(map[string][2]int)
	for k, es := range intervals {
		engine, _, _ := strings.Cut(k.row[strings.Index(k.row, "engine=")+len("engine="):], "/")
		n := out[engine+" "+k.column]
		for i := range es {
			for j := range i {
				n[1]++
				if es[i].Low > es[j].High || es[i].High < es[j].Low {
					n[0]++
				}
			}
		}
		out[engine+" "+k.column] = n
	}
	return out
}

// Two campaigns of one build do not contradict each other, nor a straight loop over the same calls, and compare
// finds nothing faster or slower between them, or in at most 3 of 20.
func TestAgainstItself(t *testing.T) {
	machine(t)
	const campaigns = 10
	s := measured(t, "default", campaigns)
	for i, c := range s.campaigns {
		if c.Fitness != nil {
			t.Logf("campaign %d: %s %q, %.0f s", i, c.Fitness.State, c.Fitness.Reasons, c.Took)
		}
	}
	for name, n := range s.apart() {
		t.Logf("%s: %d of %d pairs exclude each other", name, n[0], n[1])
		if float64(n[0]) > 0.02*float64(n[1]) {
			t.Errorf("%s: %d of %d pairs exclude each other", name, n[0], n[1])
		}
	}
	if held, cases := s.held(t); held < cases*9/10 {
		t.Errorf("the loops lie in %d of %d intervals", held, cases)
	}

	found, pairs := 0, 0
	for i := range campaigns {
		for j := range i {
			pairs++
			if changes := s.changes(t, j, i); len(changes) > 0 {
				found++
				t.Logf("compare %d %d: %q", j, i, changes)
			}
		}
	}
	t.Logf("compare finds a change in %d of %d pairs", found, pairs)
	if 20*found > 3*pairs {
		t.Errorf("compare finds a change in %d of %d pairs", found, pairs)
	}
}

// changes are what compare calls faster or slower.
func (s *series) changes(t *testing.T, a, b int) (out []string) {
	t.Helper()
	var text, problems strings.Builder
	args := []string{"compare", "--json", filepath.Join(s.dir, fmt.Sprint(a)), filepath.Join(s.dir, fmt.Sprint(b))}
	if status := run(args, strings.NewReader(""), &text, &problems); status != statusDone {
		t.Fatalf("%v: %s", args, problems.String())
	}
	type change struct {
		ID, Tier, Phase string
		Comparison      struct{ Verdict stats.Verdict }
	}
	var found struct {
		Comparisons []struct{ Cells, Phases []change }
	}
	if err := json.Unmarshal([]byte(text.String()), &found); err != nil {
		t.Fatal(err)
	}
	for _, c := range append(found.Comparisons[0].Cells, found.Comparisons[0].Phases...) {
		if v := c.Comparison.Verdict; v == stats.Faster || v == stats.Slower {
			out = append(out, fmt.Sprint(c.ID, c.Tier, " ", c.Phase, " ", v))
		}
	}
	return out
}

// The intervals of --full hold what straight loops say, too.
func TestFullAgainstLoops(t *testing.T) {
	machine(t)
	s := measured(t, "full", 2, "--full", "--schema", "simple-20", "--suite", "eddsa-rdfc-2022,jws,cose-sign1",
		"--engine", "stock,native", "--algorithm", "EdDSA", "--procs", "2", "--context-cache", "warm,embedded",
		"--profile-seconds", "0")
	if held, cases := s.held(t); held < cases-1 {
		t.Errorf("the loops lie in %d of %d intervals", held, cases)
	}
}
