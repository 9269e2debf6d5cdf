package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/report"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// simulated is a campaign of n exchanges and of bare primitives, all of which the campaign and each block make
// slower alike. change multiplies the samples of a phase and, as much as these weigh, the cost.
func simulated(r *rand.Rand, n, processes int, change func(c compare.Cell, p phase.Phase) float64) *compare.Campaign {
	out := made()
	out.Results = nil
	drift := 0.1 * r.NormFloat64()
	blocks := make([]float64, processes)
	for b := range blocks {
		blocks[b] = drift + 0.02*r.NormFloat64()
	}
	weights := map[phase.Phase]float64{phase.Parse: 0.1, phase.Context: 0.3, phase.Label: 0.2, phase.Sign: 0.3, phase.GC: 0.1}
	add := func(c compare.Cell, cost float64) {
		res := compare.Result{Cell: c, ID: c.ID(), State: compare.Measured, Work: compare.Work{Documents: 64, Quads: 25}}
		total, parts := 0.0, make(map[phase.Phase]float64)
		for p, w := range weights {
			if change != nil {
				w *= change(c, p)
			}
			parts[p] = w
			total += w
		}
		for b := range processes {
			res.Runs = append(res.Runs, compare.Run{Block: b, Ops: 100, CPU: cost * total * math.Exp(blocks[b]+0.01*r.NormFloat64()), Window: 0.1})
		}
		if c.Format != compare.Floor {
			var a profiles.Attribution
			a.Rules = "r"
			for range 1500 {
				x := total * r.Float64()
				for p := range phase.Phase(phase.Count) {
					if x -= parts[p]; parts[p] > 0 && x < 0 {
						a.Foreground[p].Samples++
						a.Foreground[p].Value += 250_000
						break
					}
				}
			}
			res.Profile = &compare.Profile{Attribution: a, Ops: 100, CPU: 375e6, Coverage: 1, Sampler: "perf"}
		}
		out.Results = append(out.Results, res)
	}
	for i := range n {
		for _, op := range compare.Whole {
			add(compare.Cell{Format: "vcdm", Suite: "eddsa-rdfc-2022", Engine: "native", Algorithm: "EdDSA", Schema: fmt.Sprintf("simple-%d", i+1), Operation: op, GC: "100",
				Procs: 2, Contexts: "warm"}, float64(1+i)*1e5)
		}
	}
	for _, op := range compare.Whole {
		add(compare.Cell{Format: compare.Floor, Suite: compare.Primitives, Engine: "native", Algorithm: "EdDSA", Schema: "simple-1", Operation: op, GC: "100", Procs: 2,
			Contexts: "none"}, 2e4)
	}
	return out
}

func compared(t *testing.T, a, b *compare.Campaign, band float64) *report.Comparison {
	t.Helper()
	c, err := report.Compare(report.SourceOf("old", a), report.SourceOf("new", b), band, false)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func verdicts(all []report.Change, want ...stats.Verdict) (out []report.Change) {
	for _, c := range all {
		if slices.Contains(want, c.Comparison.Verdict) {
			out = append(out, c)
		}
	}
	return out
}

// Two campaigns of one binary, on days that differ by 10 %, are called faster or slower in no more than 5 % of tables.
func TestCompareAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	const repeats = 100
	wrong := 0
	for range repeats {
		c := compared(t, simulated(r, 6, 5, nil), simulated(r, 6, 5, nil), 0.1)
		if len(verdicts(slices.Concat(c.Cells, c.Phases), stats.Faster, stats.Slower)) > 0 {
			wrong++
		}
	}
	if wrong > 11 { // 5 % and three standard errors
		t.Errorf("%d of %d comparisons find a change where there is none", wrong, repeats)
	}
}

// Work of 10 % more in one phase is found in its cells, and that phase is named, though the day is another one.
func TestComparePlanted(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	slow := func(c compare.Cell, p phase.Phase) float64 {
		if c.Format != compare.Floor && c.Operation == compare.Verify && p == phase.Label {
			return 1.5 // of a fifth: 10 % of the whole
		}
		return 1
	}
	c := compared(t, simulated(r, 6, 8, nil), simulated(r, 6, 8, slow), 0.05)
	found := verdicts(c.Cells, stats.Slower)
	if len(found) != 6 || len(verdicts(c.Cells, stats.Faster)) > 0 || c.Gate() != report.Failed {
		t.Errorf("%d cells are slower; the gate has %s", len(found), c.Gate())
	}
	named := 0
	for _, x := range found {
		if cell, err := compare.ParseCell(x.ID); err != nil || cell.Operation != compare.Verify {
			t.Errorf("%s is slower: %v", x.ID, err)
		}
		for _, p := range x.Phases {
			if p.Phase != phase.Label.String() || p.Comparison.Verdict != stats.Slower {
				t.Errorf("%s: %s is %s", x.ID, p.Phase, p.Comparison.Verdict)
			}
			named++
		}
	}
	if named < 5 {
		t.Errorf("the phase is named in %d of 6 cells", named)
	}
	if tier := verdicts(c.Phases, stats.Slower, stats.Faster); len(tier) != 1 || tier[0].Phase != phase.Label.String() {
		t.Errorf("over the tier %+v changed", tier)
	}
	for i := 1; i < len(found); i++ {
		if found[i].Before.Center > found[i-1].Before.Center {
			t.Errorf("the dearest change is not the first: %v after %v", found[i].Before, found[i-1].Before)
		}
	}
	if c := compared(t, simulated(r, 6, 8, slow), simulated(r, 6, 8, nil), 0.05); len(verdicts(c.Cells, stats.Faster)) != 6 || c.Gate() == report.Failed {
		t.Errorf("the other way round the gate has %s", c.Gate())
	}
}

// If the machine of one campaign was not fit, there is no verdict, whatever the tests say: not even work of 10 %
// more is called slower, no number of processes is promised to decide it, and the gate knows no answer.
func TestCompareUnfit(t *testing.T) {
	slow := func(c compare.Cell, _ phase.Phase) float64 {
		if c.Operation == compare.Verify {
			return 1.1
		}
		return 1
	}
	for _, state := range []compare.Fit{compare.Quiet, compare.Noisy, compare.Unfit} {
		for _, first := range []bool{true, false} {
			r := rand.New(rand.NewPCG(9, 0))
			a, b := simulated(r, 6, 8, nil), simulated(r, 6, 8, slow)
			if disturbed := b; state != compare.Quiet {
				if first {
					disturbed = a
				}
				disturbed.Fitness.State = state
			}

			c := compared(t, a, b, 0.05)
			found, promises := verdicts(slices.Concat(c.Cells, c.Phases), stats.Faster, stats.Slower, stats.Equivalent), 0
			for _, x := range c.Cells {
				promises += x.Comparison.Needs()
			}
			var text, markdown bytes.Buffer
			if err := errors.Join(c.Text(&text, false), c.Markdown(&markdown)); err != nil {
				t.Fatal(err)
			}
			said := strings.Contains(text.String(), "no verdicts") && strings.Contains(markdown.String(), "no verdicts") &&
				strings.Contains(text.String(), "its machine was "+string(state))
			if fit := state == compare.Quiet; fit == (len(found) == 0) || fit == said || fit == c.Withheld ||
				!fit && (promises > 0 || c.Gate() != report.Inconclusive) {
				t.Errorf("%s, first %v: %d verdicts, %d processes, %s, said: %v", state, first, len(found), promises, c.Gate(), said)
			}
		}
	}
}

// Without a control the ratio is that of what was measured, and the text says so.
func TestCompareWithoutControl(t *testing.T) {
	a, b := made(), made()
	for i := range b.Results {
		for k := range b.Results[i].Runs {
			b.Results[i].Runs[k].CPU *= 1.25
		}
	}
	c := compared(t, a, b, 0.1)
	if c.Control != nil || len(c.Cells) != 16 {
		t.Fatalf("%+v, %d cells", c.Control, len(c.Cells))
	}
	for _, x := range c.Cells {
		if x.Comparison.Verdict != stats.Slower || !(math.Abs(x.Comparison.Ratio.Center-1.25) <= 1e-9) {
			t.Errorf("%s: %+v", x.ID, x.Comparison)
		}
	}
	var text bytes.Buffer
	if err := c.Text(&text, false); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, "There is no control in both") {
		t.Errorf("%s", &text)
	}
}

// What differs is said before any number; other machines are refused unless that is wanted.
func TestCompareFacts(t *testing.T) {
	a, b := made(), made()
	b.Environment["binary"] = strings.Repeat("ab", 32)
	b.Environment["kernel"] = "Linux 7.0"
	b.Environment["load"] = "9"
	b.Seed = 2
	b.Results[0].Work.Quads = 26
	for i := range b.Results {
		if p := b.Results[i].Profile; p != nil {
			p.Attribution.Rules = "s"
		}
	}
	c := compared(t, a, b, 0.1)
	var got []string
	for _, d := range c.Differs {
		got = append(got, d.Group+" "+d.Name)
	}
	want := []string{"environment kernel", "binary binary", "rules frame rules", "inputs seed", "inputs work of " + a.Results[0].ID}
	if !slices.Equal(got, want) {
		t.Errorf("differs in %q, want %q", got, want)
	}

	b.Environment["cpu"] = "Other CPU"
	_, err := report.Compare(report.SourceOf("old", a), report.SourceOf("new", b), 0.1, false)
	var machines *report.MachinesError
	if !errors.As(err, &machines) || err.Error() != "old and new are of different machines: cpu is Example CPU and Other CPU" {
		t.Errorf("%v", err)
	}
	if _, err := report.Compare(report.SourceOf("old", a), report.SourceOf("new", b), 0.1, true); err != nil {
		t.Error(err)
	}
}

// The text, in which nothing is wider than a terminal, and the summary of a gate are as they were.
func TestCompareText(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	slow := func(c compare.Cell, p phase.Phase) float64 {
		if c.Schema == "simple-3" && p == phase.Context {
			return 1.8
		}
		return 1
	}
	a, b := simulated(r, 3, 6, nil), simulated(r, 3, 6, slow)
	b.Environment["go"] = "go1.27"
	last := &b.Results[len(b.Results)-1]
	last.State, last.Reason, last.Runs = compare.Failed, "time: no key\x1b[31m", nil
	b.Interrupted = true
	// One cell is too noisy for a verdict.
	for k := range b.Results[0].Runs {
		b.Results[0].Runs[k].CPU *= 1 + 0.3*float64(k%2)
	}
	c := compared(t, a, b, 0.1)
	var text, colour, summary bytes.Buffer
	if err := errors.Join(c.Text(&text, false), c.Text(&colour, true), c.Markdown(&summary)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(line) > report.Width+1 || strings.ContainsRune(line, '\x1b') {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(colour.String(), "\x1b[2m") {
		t.Error("what is equal is not dim on a terminal")
	}
	golden(t, "compare.txt", text.Bytes())
	golden(t, "gate.md", summary.Bytes())

	js, err := json.Marshal(c)
	if err != nil || !bytes.Contains(js, []byte(`"verdict":"slower"`)) {
		t.Errorf("%v: %s", err, js)
	}
}

// A gate passes where all is equivalent or faster, and knows no answer where something was not measured.
func TestGate(t *testing.T) {
	if c := compared(t, made(), made(), 0.1); c.Gate() != report.Passed {
		t.Errorf("the same results: %s", c.Gate())
	}
	if c := compared(t, made(), made(), 0.0001); c.Gate() != report.Inconclusive {
		t.Errorf("in a narrow band: %s", c.Gate())
	}
	b := made()
	b.Results[0].State, b.Results[0].Runs = compare.Died, nil
	if c := compared(t, made(), b, 0.1); c.Gate() != report.Inconclusive || len(c.Unpaired) != 1 {
		t.Errorf("without a cell: %s, %v", c.Gate(), c.Unpaired)
	}
	if c := compared(t, b, made(), 0.1); c.Gate() != report.Passed || len(c.Unpaired) != 1 {
		t.Errorf("with a new cell: %s, %v", c.Gate(), c.Unpaired)
	}
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Go benchmark text is a source: a line is a process. So is our own, whose floor is the control.
func TestBenchmarksAsSource(t *testing.T) {
	dir := t.TempDir()
	text := "goos: linux\ncpu: X\npkg: p\nBenchmarkA/n=1-2 10 100 ns/op 5 B/op\nBenchmarkB-2 10 0.5 MB/s\nBenchmarkA/n=1-2 10 120 ns/op\nPASS\n"
	s, err := report.ReadSource(write(t, dir, "a.txt", text))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Cells) != 1 || s.Cells[0].ID != "p A/n=1-2" || len(s.Cells[0].Cost) != 2 || !(math.Abs(s.Cells[0].Cost[1]-120) <= 1e-9) || len(s.Facts) != 2 {
		t.Errorf("%+v", s)
	}
	for name, text := range map[string]string{"none.txt": "PASS\n", "wrong.txt": "BenchmarkA 10 x ns/op\n"} {
		if _, err := report.ReadSource(write(t, dir, name, text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}

	var own bytes.Buffer
	c := simulated(rand.New(rand.NewPCG(1, 1)), 2, 4, nil)
	if err := report.Bench(&own, c); err != nil {
		t.Fatal(err)
	}
	s, err = report.ReadSource(write(t, dir, "own.txt", own.String()))
	if err != nil {
		t.Fatal(err)
	}
	d, err := report.Compare(s, s, 0.1, false)
	if err != nil || d.Control == nil || d.Control.Operations != 2 || len(d.Cells) != 4 {
		t.Errorf("%+v, %v", d, err)
	}
}

// Raw files of the study are a source: the median of each process is its value.
func TestStudyAsSource(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "node_vcdm_run1.json", `{"node": "24", "vcdm/eddsa-rdfc-2022/issue": [5, 1, 3], "vcdm/eddsa-rdfc-2022/verify": {"timings_ns": [7]}}`)
	write(t, dir, "node_vcdm_run2.json", `{"timings_ns": {"vcdm/eddsa-rdfc-2022/issue": [4, 4]}}`)
	write(t, dir, "go_mdoc_run1.json", `{"mdoc/own/issue": [2]}`)
	write(t, dir, "summary.json", `{}`)
	s, err := report.ReadSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]stats.Sample)
	for _, c := range s.Cells {
		got[c.ID] = c.Cost
	}
	want := map[string]stats.Sample{"go mdoc/own/issue": {1: 2}, "node vcdm/eddsa-rdfc-2022/issue": {1: 3, 2: 4}, "node vcdm/eddsa-rdfc-2022/verify": {1: 7}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}

	for content, want := range map[string]string{
		`{`:                        "unexpected end of JSON input",
		`{"a": 1}`:                 `there is no "format/implementation/operation"`,
		`{"a/b/c": []}`:            `"a/b/c" has no list of nanoseconds`,
		`{"a/b/c": "x"}`:           `"a/b/c" has no list of nanoseconds`,
		`{"mdoc/own/issue": [3]}`:  "",
		`{"timings_ns": [1, 2.5]}`: "timings_ns: json",
	} {
		dir := t.TempDir()
		write(t, dir, "go_mdoc_run1.json", content)
		_, err := report.ReadSource(dir)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "go_mdoc_run1.json")) {
			t.Errorf("%s: %v", content, err)
		}
	}

	c := report.SourceOf("results", made())
	if _, err := report.Compare(s, c, 0.1, false); err == nil {
		t.Error("wall time is compared with CPU time")
	}
}
