package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/profiles"
	"canonscope/schemas/shape"
)

var update = flag.Bool("update", false, "write the golden files")

// made is a campaign of round numbers: five processes, each off by a little.
func made() *compare.Campaign {
	c := &compare.Campaign{Version: compare.Version, Command: "canonscope run",
		Started: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Took: 41.6, Seed: 1, Planned: 5, Runs: 5, Window: compare.Window{Collections: 2, Least: 0.05, Most: 0.2},
		Documents: 64, Out: "results/made", LeftOut: []string{"stock with ES384: jws, cose-sign1", "native with ES256: ecdsa-rdfc-2019"},
		Environment: map[string]string{"cpu": "Example CPU", "cpus": "2", "kernel": "Linux 6.18", "go": "go1.26.8", "goos": "linux", "goarch": "amd64",
			"binary": "00ff"},
		Fitness: quiet()}
	exchange := func(format compare.Format, suite string, engine compare.Engine, algorithm compare.Algorithm,
		contexts compare.ContextState, work compare.Counters, quads int, reissued bool, micros ...float64) {
		for i, op := range compare.OfCredentials {
			cell := compare.Cell{Format: format, Suite: suite, Engine: engine, Algorithm: algorithm, Schema: "simple-20", Operation: op, GC: "100", Procs: 2,
				Contexts: contexts}
			r := compare.Result{Cell: cell, ID: cell.ID(), State: compare.Measured,
				Work: compare.Work{Counters: work, Output: 1000 + i, Quads: quads, Reissued: reissued, Checks: "signature", Documents: 64, Tampers: 192}}
			if quads > 0 {
				r.Work.Oracle = "native"
			}
			for block := range 5 {
				t := micros[i] * 1000 * (1 + 0.01*float64(block-2))
				run := compare.Run{Block: block, Ops: 600, First: 13 * block, CPU: t, Wall: t * 0.9, Thread: t * 0.8,
					Bytes: 4321, Allocs: 123, Collections: 2, Window: 0.06, Ending: compare.Collections, LiveHeap: 7_000_000}
				if engine == "native" && op == compare.Verify {
					run.Collections, run.Ending = 0, compare.Rare
				}
				r.Runs = append(r.Runs, run)
			}
			var a profiles.Attribution
			a.Rules = "r"
			for k, p := range []phase.Phase{phase.Context, phase.ToRDF, phase.Parse, phase.Sign, phase.Digest} {
				n := int64(50 / (k + 1))
				a.Foreground[p] = profiles.Count{Samples: n, Value: n * 1e7}
			}
			a.Foreground[phase.Unattributed] = profiles.Count{Samples: 1, Value: 1e7}
			a.Background[phase.GC] = profiles.Count{Samples: 20, Value: 20e7}
			r.Profile = &compare.Profile{Attribution: a, Ops: 100, CPU: 14e8, Coverage: 1, Sampler: "perf", Pprof: "profiles/x.pb.gz", Flame: "flame/x.svg"}
			c.Results = append(c.Results, r)
		}
	}
	exchange("vcdm", "eddsa-rdfc-2022", "stock", "EdDSA", "embedded", compare.Counters{Canonicalizations: 2, Signatures: 1}, 25, true, 1200, 1000, 900, 1000)
	exchange("sd-jwt-vc", "jws", "stock", "EdDSA", "none", compare.Counters{Salts: 10, Digests: 15}, 0, false, 100, 90, 60, 90)
	exchange("mdoc", "cose-sign1", "stock", "EdDSA", "none", compare.Counters{Salts: 10, Digests: 5}, 0, false, 80, 70, 40, 70)
	exchange("vcdm", "eddsa-rdfc-2022", "native", "EdDSA", "warm", compare.Counters{Canonicalizations: 2}, 25, true, 30, 55, 28, 55)
	exchange("vcdm", "ecdsa-rdfc-2019", "native", "ES256", "warm", compare.Counters{}, 25, true, 1, 1, 1, 1)
	for i := len(c.Results) - 4; i < len(c.Results); i++ {
		r := &c.Results[i]
		r.State, r.Reason, r.Runs, r.Profile, r.Work = compare.GateFailed, "document 3: verify accepts a presentation with a disclosed value altered", nil, nil, compare.Work{}
	}
	return c
}

// quiet is the fitness of a campaign that nothing disturbed.
func quiet() *compare.Fitness {
	return &compare.Fitness{State: compare.Quiet, Processes: 25, CPUs: 2, Load: 1.1, Waiting: 1.002, Spread: 1.01, Switches: 4,
		Pairs: []compare.Pair{{Place: 0, Operation: compare.Issue, Ratio: 1.01}, {Place: 1, Operation: compare.Issue, Ratio: 0.98}, {Place: 2, Operation: compare.Issue, Ratio: 1.02}}}
}

// With holder binding, where every format signs what it presents, exchanges have ratios too; a re-signed one keeps its mark.
func TestBinding(t *testing.T) {
	c := made()
	plain := report.NewTable(c, matrix.Formats)
	for i := range c.Results {
		r := &c.Results[i]
		r.Cell.Binding = "holder"
		r.ID = r.Cell.ID()
	}
	bound := report.NewTable(c, matrix.Formats)
	for i, r := range bound.Rows {
		p := plain.Rows[i]
		if p.Bound != nil {
			t.Errorf("%s: a ratio of exchanges without holder binding", p.ID)
		}
		if !slices.Equal(slices.Sorted(maps.Keys(r.Bound)), slices.Sorted(maps.Keys(p.Ratios))) {
			t.Errorf("%s: ratios %v of exchanges", r.ID, r.Bound)
		}
	}
	// 3,100 of 190 and of 250 µs.
	if m, s := bound.Rows[0].Bound["mdoc"].Center, bound.Rows[0].Bound["sd-jwt-vc"].Center; !(math.Abs(m-16.32) <= 0.01) || !(math.Abs(s-12.40) <= 0.01) {
		t.Errorf("the exchange is %.3f of mdoc's, %.3f of SD-JWT VC's", m, s)
	}
	var text, markdown bytes.Buffer
	if err := report.Text(&text, c, bound, false); err != nil {
		t.Fatal(err)
	}
	if err := report.Markdown(&markdown, c, bound); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"simple-20, EdDSA, stock engines, holder binding, leaf\n", "holder binding: holder\n", "16.3† ±0%    12.4† ±0%\n", "a challenge for sd-jwt-vc"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, &text)
		}
	}
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(line) > report.Width+1 {
			t.Errorf("%q is too wide", line)
		}
	}
	if !strings.Contains(markdown.String(), "| 16.3† ±0% | 12.4† ±0% |\n") {
		t.Errorf("%s", &markdown)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what it was; look at it, then run the test with -update:\n%s", name, got)
	}
}

func TestText(t *testing.T) {
	c := made()
	var out bytes.Buffer
	if err := report.Text(&out, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", out.Bytes())
	for i, line := range strings.Split(out.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > report.Width {
			t.Errorf("line %d has %d columns: %s", i+1, n, line)
		}
	}
	plain := out.String()
	out.Reset()
	if err := report.Text(&out, c, report.NewTable(c, matrix.Formats), true); err != nil {
		t.Fatal(err)
	}
	var bare strings.Builder
	escape := false
	for _, r := range out.String() {
		switch {
		case r == '\x1b':
			escape = true
		case escape:
			escape = r != 'm'
		default:
			bare.WriteRune(r)
		}
	}
	if bare.String() != plain {
		t.Error("colours change the text")
	}
}

func TestFiles(t *testing.T) {
	c := made()
	table := report.NewTable(c, matrix.Formats)
	var md, csv, bench bytes.Buffer
	if err := report.Markdown(&md, c, table); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.md", md.Bytes())
	if err := report.CSV(&csv, table); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.csv", csv.Bytes())
	if err := report.Bench(&bench, c); err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]int)
	for r := benchfmt.NewReader(&bench, "bench.txt"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			lines[string(rec.Name)]++
			if v, ok := rec.Value("sec/op"); !ok || v <= 0 {
				t.Errorf("%s: sec/op is %v", rec.Name, v)
			}
			for key, want := range map[string]string{"cpu": "Example CPU", "gc": "100", "procs": "2", "contexts": ""} {
				if got := rec.GetConfig(key); got != want {
					t.Errorf("%s: %s is %q, want %q", rec.Name, key, got, want)
				}
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	for name, n := range lines {
		if n != 5 {
			t.Errorf("%s has %d lines of 5 processes", name, n)
		}
	}
	if len(lines) != 16 {
		t.Errorf("%d cells in the bench text, 16 were measured", len(lines))
	}
	for _, name := range []string{
		"Exchange/format=vcdm/suite=eddsa-rdfc-2022/engine=stock/alg=EdDSA/schema=simple-20/op=issue/present=resigns/contexts=embedded",
		"Exchange/format=mdoc/suite=cose-sign1/engine=stock/alg=EdDSA/schema=simple-20/op=verify/present=derives/contexts=none",
	} {
		if lines[name] == 0 {
			t.Errorf("no %s in %v", name, slices.Sorted(maps.Keys(lines)))
		}
	}
}

// What varies in a campaign is in the names, what does not in lines of configuration; a credential that is
// handed on whole is named so.
func TestBenchNames(t *testing.T) {
	c := made()
	c.Results = c.Results[4:12]
	for i := range c.Results {
		r := &c.Results[i]
		r.Work.Whole = i < 4
		if r.Cell.GC = "50"; i < 4 {
			r.Cell.GC = "off"
		}
		r.Cell.LiveHeap = 64
		r.ID = r.Cell.ID()
	}
	var bench bytes.Buffer
	if err := report.Bench(&bench, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"/op=issue/present=whole/gc=off ", "/op=verify/present=derives/gc=50 ",
		"\nlive-heap: 64\n", "\ncontexts: none\n"} {
		if !strings.Contains(bench.String(), want) {
			t.Errorf("no %q in\n%s", want, &bench)
		}
	}
}

func TestJSON(t *testing.T) {
	c := made()
	c.Results[0].Runs = c.Results[0].Runs[:2] // too few for an interval
	var out bytes.Buffer
	if err := report.JSON(&out, c, report.NewTable(c, matrix.Formats)); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Seed    uint64
		Results []compare.Result
		Table   struct {
			Rows []struct {
				ID  string
				CPU map[string]struct{ Center, High *float64 }   `json:"cpu_ns"`
				To  map[compare.Format]struct{ Center *float64 } `json:"issue_verify_to"`
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	row := back.Table.Rows[0]
	if back.Seed != 1 || len(back.Results) != len(c.Results) || row.CPU["issue"].Center == nil || row.CPU["issue"].High != nil ||
		row.To["mdoc"].Center == nil {
		t.Errorf("%+v", back.Table)
	}
}

// Notes of a gate that failed stand below its reason, and what anybody may have written in them is shown as text in every
// file.
func TestNotes(t *testing.T) {
	c := made()
	for i := len(c.Results) - 4; i < len(c.Results); i++ {
		c.Results[i].Reason = "document 3: native and stock differ\nnative: <urn:s> <urn:p> \"| `x` *y* [z](javascript:1) <script>\u202e\" .\nstock: " + strings.Repeat("word ", 20)
	}
	table := report.NewTable(c, matrix.Formats)
	var text, md, all bytes.Buffer
	if err := report.Text(&text, c, table, false); err != nil {
		t.Fatal(err)
	}
	word := strings.Repeat("word ", 13)
	if want := "  ! gate failed: document 3: native and stock differ\n    native: <urn:s> <urn:p> \"| `x` *y* [z](javascript:1) <script>\\u202e\" .\n    stock: " +
		word + "word\n    " + word[:6*5-1] + "\n"; !strings.Contains(text.String(), want) {
		t.Errorf("%s\nhas no\n%s", &text, want)
	}
	if err := report.Markdown(&md, c, table); err != nil {
		t.Fatal(err)
	}
	if want := "| | gate failed: document 3: native and stock differ<br>native: &lt;urn:s&gt; &lt;urn:p&gt; \"\\| \\`x\\` \\*y\\* \\[z\\](javascript:1) &lt;script&gt;\\\\u202e\" .<br>stock: word"; !strings.Contains(md.String(), want) {
		t.Errorf("%s\nhas no\n%s", &md, want)
	}
	if err := report.JSON(&all, c, table); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(all.String(), '\u202e') || !strings.Contains(all.String(), `<script>\u202e`) {
		t.Error("the JSON has characters that do not print")
	}
}

// Ratios compare one tier, schema and policy, or nothing.
func TestTiersDoNotMix(t *testing.T) {
	c := made()
	table := report.NewTable(c, matrix.Formats)
	if len(table.Rows[0].Ratios) != 2 {
		t.Error("a stock row has no ratio to stock baselines")
	}
	if got := table.Rows[0].Ratios["mdoc"].Center; !(math.Abs(got-2200.0/150) <= 0.01) {
		t.Errorf("issue + verify 2200 to 150 is %v", got)
	}
	if len(table.Rows[3].Ratios) > 0 {
		t.Error("a native row has a ratio to stock baselines")
	}
	whole := made()
	for i := range 4 {
		whole.Results[i].Cell.Present = compare.HandedOver
	}
	if len(report.NewTable(whole, matrix.Formats).Rows[0].Ratios) != 2 {
		t.Error("how a part is presented leaves no ratio of issue + verify")
	}
	for _, change := range []func(*compare.Cell){
		func(c *compare.Cell) { c.Engine = "tuned" },
		func(c *compare.Cell) { c.Schema = "ob3" },
		func(c *compare.Cell) { c.GC = "off" },
		func(c *compare.Cell) { c.Procs = 1 },
	} {
		c := made()
		for i := range 4 {
			change(&c.Results[i].Cell)
		}
		if r := report.NewTable(c, matrix.Formats).Rows[0]; len(r.Ratios) > 0 {
			t.Errorf("a ratio across %+v", r.Cell)
		}
	}
}

// A re-signed presentation is marked wherever its time stands.
func TestReissuedIsMarked(t *testing.T) {
	c := made()
	table := report.NewTable(c, matrix.Formats)
	var text, md bytes.Buffer
	if err := report.Text(&text, c, table, false); err != nil {
		t.Fatal(err)
	}
	if err := report.Markdown(&md, c, table); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), md.String()} {
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "vcdm eddsa") || strings.HasPrefix(line, "| vcdm eddsa") {
				if strings.Contains(line, "900") && strings.Count(line, "†") != 2 {
					t.Errorf("not marked twice: %s", line)
				}
			}
			if strings.Contains(line, "sd-jwt-vc jws") && strings.Contains(line, "†") {
				t.Errorf("marked: %s", line)
			}
		}
	}
}

// A group that was left out as a whole is a line and no empty table, and no gate that failed.
func TestLeftOutGroups(t *testing.T) {
	c := made()
	c.Results = c.Results[:16] // without the row that failed
	for i := 12; i < 16; i++ {
		r := &c.Results[i]
		r.State, r.Reason, r.Runs, r.Profile, r.Work = compare.LeftOut, "too slow", nil, nil, compare.Work{}
	}
	var text bytes.Buffer
	if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nleft out: too slow: simple-20 native EdDSA\n", "\ngates: 3 of 3 exchanges passed"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "simple-20, EdDSA, native engines") {
		t.Error("an empty table is printed")
	}
}

// Rows that differ in the state of their contexts alone stand side by side, each named by its state.
func TestContextStates(t *testing.T) {
	c := made()
	var more []compare.Result
	for _, r := range c.Results[:4] {
		r.Cell.Contexts = "cold"
		r.ID = r.Cell.ID()
		more = append(more, r)
	}
	c.Results = append(more, c.Results...)
	for _, op := range compare.OfCredentials { // as the command appends them
		cell := compare.Cell{Format: "vcdm", Suite: "eddsa-rdfc-2022", Engine: "stock", Algorithm: "EdDSA", Schema: "simple-20", Operation: op, GC: "100",
			Procs: 2, Contexts: "warm"}
		c.Results = append(c.Results, compare.Result{Cell: cell, ID: cell.ID(), State: compare.Unsupported, Reason: "not kept"})
	}
	table := report.NewTable(c, matrix.Formats)
	var text, md bytes.Buffer
	if err := report.Text(&text, c, table, false); err != nil {
		t.Fatal(err)
	}
	if err := report.Markdown(&md, c, table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nvcdm eddsa-rdfc-2022\n  contexts cold  ", "\n  contexts embedded  ", "\n  contexts warm  "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if head := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(head, "contexts cold, embedded, warm") {
		t.Errorf("the head does not list the states:\n%s", text.String())
	}
	if !regexp.MustCompile(`(?s)\n  contexts embedded [^\n]*\n[^\n]*\n  contexts warm [^\n]*\n  ! unsupported: not kept\nsd-jwt-vc`).MatchString(text.String()) {
		t.Errorf("an unsupported state does not stand with the others:\n%s", text.String())
	}
	if n := strings.Count(text.String(), "  contexts cold "); n != 6 {
		t.Errorf("the state is named in %d of 6 tables", n)
	}
	if !strings.Contains(md.String(), "| vcdm eddsa-rdfc-2022, contexts cold |") {
		t.Error(md.String())
	}
	if table.Rows[0].Ratios["mdoc"].N == 0 {
		t.Error("a state has no ratio to the baseline")
	}
}

// Attack 14: the line of files names those that were written, and the table does not speak of any.
func TestFilesNamed(t *testing.T) {
	c := made()
	var text bytes.Buffer
	if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "results in") {
		t.Error(text.String())
	}
	for want, files := range map[string][]string{
		"took 42 s; results in results/made: env.json, table.md\n": {"env.json", "table.md"},
		"took 42 s; nothing could be kept in results/made\n":       nil,
	} {
		text.Reset()
		if err := report.Kept(&text, c, c.Out, files); err != nil || text.String() != want {
			t.Errorf("%q, %v", &text, err)
		}
	}
}

// Attack 14: a campaign that could not keep more says why it ended; a cell that lost runs to a dead child says so in its row,
// and in its curve.
func TestStopped(t *testing.T) {
	c := made()
	c.Stopped = "results/made/runs.jsonl: no space left on device"
	c.Results[0].Reason = "issue has 1 of 2 runs: run 2: died: killed"
	var text, markdown bytes.Buffer
	table := report.NewTable(c, matrix.Formats)
	if err := errors.Join(report.Text(&text, c, table, false), report.Markdown(&markdown, c, table)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "\n  ! issue has 1 of 2 runs: run 2: died: killed\n") ||
		!strings.Contains(text.String(), "\nstopped: only what was finished is shown; results/made/runs.jsonl: no space left\n  on device\n") {
		t.Error(text.String())
	}
	if !strings.Contains(markdown.String(), "| | issue has 1 of 2 runs: run 2: died: killed |\n") {
		t.Error(markdown.String())
	}
	curve := report.NewGrowth(c, compare.Experiment{Name: "a", Points: []compare.Point{
		{Label: "x", Schema: "simple-20", Figures: &shape.Figures{}}, {Label: "y", Schema: "simple-20", Figures: &shape.Figures{}}}}).Curves[0]
	if !slices.Contains(curve.Reasons, "x: issue has 1 of 2 runs: run 2: died: killed") {
		t.Errorf("%q", curve.Reasons)
	}
}

// profiled adds allocation profiles: to-rdf allocates three quarters of what is allocated, context the rest.
func profiled(c *compare.Campaign) *compare.Campaign {
	for i := range c.Results {
		r := &c.Results[i]
		if r.State != compare.Measured {
			continue
		}
		a := profiles.Attribution{Rules: "r"}
		a.Foreground[phase.ToRDF] = profiles.Count{Samples: 300, Value: 30_000}
		a.Foreground[phase.Context] = profiles.Count{Samples: 100, Value: 9_900}
		a.Foreground[phase.Unattributed] = profiles.Count{Samples: 1, Value: 100}
		r.Allocs = &compare.Allocs{Attribution: a, Ops: 10, Bytes: 41_000, Coverage: 40.0 / 41, Pprof: "profiles/x.allocs.pb.gz", Flame: "flame/x.allocs.svg"}
	}
	return c
}

// The phases that allocate get the collector's CPU, beside what was measured, in text, JSON and CSV.
func TestAllocs(t *testing.T) {
	c := profiled(made())
	table := report.NewTable(c, matrix.Formats)
	row := table.Rows[0]
	for _, x := range []struct {
		name   string
		shares report.Shares
		want   map[string]float64 // of 114 foreground samples and 20 of gc
	}{
		{"CPU", row.Phases, map[string]float64{"context": 50. / 134, "to-rdf": 25. / 134, "parse": 16. / 134, "gc": 20. / 134}},
		{"heap bytes", row.Heap, map[string]float64{"context": 0.2475, "to-rdf": 0.75, "parse": 0, "gc": 0, "unattributed": 0.0025}},
		{"charged", row.Charged, map[string]float64{"context": 54.95 / 134, "to-rdf": 40. / 134, "parse": 16. / 134, "gc": 0, "unattributed": 1.05 / 134}},
	} {
		for name, want := range x.want {
			if got := x.shares[name].Center; !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("%s of %s is %v, want %v", name, x.name, got, want)
			}
		}
		sum := 0.0
		for _, v := range x.shares {
			sum += v.Center
			if v.Low > v.Center || v.High < v.Center || v.N == 0 {
				t.Errorf("a share of %s has the interval %+v", x.name, v)
			}
		}
		if !(math.Abs(sum-1) <= 1e-9) {
			t.Errorf("shares of %s add up to %v", x.name, sum)
		}
	}
	if a := table.Allocated; a == nil || a.Bytes != 16*41_000 || !(math.Abs(a.Share-0.9975) <= 1e-9) || !(math.Abs(a.Coverage-40./41) <= 1e-9) || len(a.Below) > 0 {
		t.Errorf("%+v", table.Allocated)
	}
	var text, files bytes.Buffer
	if err := report.Text(&text, c, table, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "allocs.txt", text.Bytes())
	for line := range strings.Lines(text.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > report.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if err := report.CSV(&files, table); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&files).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"to-rdf": "0.186567", "heap_to-rdf": "0.75", "charged_to-rdf": "0.298507", "heap_gc": "0", "charged_gc": "0"} {
		if i := slices.Index(lines[0], name); i < 0 || lines[1][i] != want {
			t.Errorf("column %d %s, want %s", i, name, want)
		}
	}
}

// Single operations that were kept are shown by their percentiles.
func TestRaw(t *testing.T) {
	c := made()
	c.Results[6].Raw = &compare.Raw{Ops: 2000, P50: 61_000, P95: 75_000, P99: 1_234_000, Outliers: 31, File: "raw/x.csv"}
	var text bytes.Buffer
	if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nsd-jwt-vc jws         present               61.0     75.0    1,234   31 of 2000\n",
		"\nsingle operations are elapsed times",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// A campaign with fewer processes than it was to have says so; below three there is no interval, nor one that
// looks like it.
func TestFewProcesses(t *testing.T) {
	c := made()
	c.Results[2].Runs = c.Results[2].Runs[:2]
	table := report.NewTable(c, matrix.Formats)
	var text, files bytes.Buffer
	if err := errors.Join(report.Text(&text, c, table, false), report.CSV(&files, table)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n                            ±5%      ±5%      ±5%    ±0%     ±0%\n",
		"\n                            ±?      ±5%        ±?\n",
		"\nprocesses: 2 to 5 of the 5 that were to be",
		"\n±?: fewer than 3 processes have no interval\n", "  5/5/2/5    3.0k/3.0k/1.2k/3.0k  "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	lines, err := csv.NewReader(&files).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"present_low_ns": "", "present_high_ns": "", "present_processes": "2",
		"present_operations": "1200", "issue_processes": "5"} {
		if i := slices.Index(lines[0], name); i < 0 || lines[1][i] != want {
			t.Errorf("column %d %s, want %q", i, name, want)
		}
	}
}

// Shares have intervals; phases whose intervals overlap stand in the order of the work, joined, and few
// samples make no bar.
func TestBars(t *testing.T) {
	shown := func(samples map[phase.Phase]int64) string {
		c := made()
		c.Results = c.Results[:4]
		for i := range c.Results {
			a := &c.Results[i].Profile.Attribution
			a.Foreground, a.Background = profiles.Counts{}, profiles.Counts{}
			for p, n := range samples {
				a.Foreground[p] = profiles.Count{Samples: n, Value: n * 1e7}
			}
		}
		var text bytes.Buffer
		if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
			t.Fatal(err)
		}
		_, bars, _ := strings.Cut(text.String(), "where the time goes:")
		return bars
	}
	for name, c := range map[string]struct {
		samples map[phase.Phase]int64
		want    []string
		no      string
	}{
		"apart": {map[phase.Phase]int64{phase.Sign: 900, phase.Parse: 500, phase.Digest: 100},
			[]string{"█ sign 60 % (58-62)  ▓ parse 33 % (", "  ▒ digest 6.7 % ("}, "≈"},
		"alike": {map[phase.Phase]int64{phase.Sign: 32, phase.Parse: 30, phase.Digest: 400},
			[]string{"█ digest 87 % (84-89)  ▓ parse 6.5 % (5.1-8.3)  ≈ ▒ sign 6.9 % (", "\nshares have their 95 % interval"}, "too few"},
		"few": {map[phase.Phase]int64{phase.Sign: 20, phase.Parse: 2},
			[]string{"vcdm eddsa-rdfc-2022  44 samples: too few for a bar\n  █ sign 91 % ("}, "████"},
	} {
		got := shown(c.samples)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
		if strings.Contains(got, c.no) {
			t.Errorf("%s: %q in\n%s", name, c.no, got)
		}
	}
}

// What an operation lacks, its exchange lacks: no profile of allocations, no shares of them.
func TestAllocsIncomplete(t *testing.T) {
	c := profiled(made())
	c.Results[0].Allocs, c.Results[4].Profile = nil, nil
	table := report.NewTable(c, matrix.Formats)
	if row := table.Rows[0]; row.Heap != nil || row.Charged != nil || row.Phases == nil {
		t.Errorf("without an allocation profile of issue: %+v", row)
	}
	if row := table.Rows[1]; row.Heap == nil || row.Charged != nil {
		t.Errorf("without a CPU profile of issue: %+v", row)
	}
	c = profiled(made())
	for i := range c.Results {
		if a := c.Results[i].Allocs; a != nil {
			a.Attribution.Foreground, a.Bytes = profiles.Counts{}, 16
		}
	}
	var text bytes.Buffer
	if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "\nallocations: hardly any; the runtime counts 256 bytes in all passes\n") || strings.Contains(text.String(), "charged") {
		t.Errorf("of operations that allocate nothing:\n%s", &text)
	}
}

// A row that lacks the time of an operation has no sum over operations, nor shares of it.
func TestIncompleteRow(t *testing.T) {
	c := made()
	r := &c.Results[1]
	r.State, r.Reason, r.Runs, r.Profile = compare.Died, "killed", nil, nil
	table := report.NewTable(c, matrix.Formats)
	if row := table.Rows[0]; row.Wall != 0 || row.Bytes != 0 || row.Phases != nil || row.IssueVerify.N != 0 || row.Exchange.N == 0 || row.CPU[compare.Issue].N == 0 {
		t.Errorf("%+v", row)
	}
	var text bytes.Buffer
	if err := report.Text(&text, c, table, false); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^vcdm eddsa-rdfc-2022 +4 +2\+0 +0 +0 +- +- +-$`).MatchString(text.String()) {
		t.Error(text.String())
	}
	c = made()
	c.Results = []compare.Result{c.Results[0], c.Results[2]}
	text.Reset()
	if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "\nissue + present: ") || strings.Contains(text.String(), "one exchange") {
		t.Error(text.String())
	}
}

// A reason that three rows of a table share is printed once, and says of how many.
func TestSharedReasons(t *testing.T) {
	for share, want := range map[int]string{2: "  ! no profile: the time is over\n", 3: "  ! no profile: the time is over, in 3 rows\n"} {
		c := made()
		for i := range share {
			c.Results[i*len(compare.OfCredentials)].Reason = "no profile: the time is over"
		}
		var text bytes.Buffer
		if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), want); n != map[int]int{2: 2, 3: 1}[share] {
			t.Errorf("%d rows share a reason, which is printed %d times:\n%s", share, n, &text)
		}
	}
}
