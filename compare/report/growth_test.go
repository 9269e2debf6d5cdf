package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/profiles"
	"canonscope/schemas/shape"
)

// grown is a campaign along an axis of three sizes and over a preset: issue grows as the quads, verify as their square,
// present stands; the time of issue is context, which takes samples as it costs.
func grown() (*compare.Campaign, []compare.Experiment) {
	c := &compare.Campaign{Version: compare.Version, Command: "canonscope run",
		Started: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Took: 41.6, Seed: 1, Planned: 5, Runs: 5, Window: compare.Window{N: 20},
		Documents: 64, Out: "results/grown", Environment: map[string]string{"cpu": "Example CPU", "cpus": "2", "kernel": "Linux 6.18", "go": "go1.26.8"}}
	sizes := compare.Experiment{Name: "achievements", Base: "clr-medium", About: "nested credentials", By: "quads"}
	words := compare.Experiment{Name: "badge-ids", About: "Open Badges with and without an id on every node"}
	add := func(e *compare.Experiment, label, schema string, quads int, engine compare.Engine, cost func(n float64) float64) {
		n := float64(quads)
		if len(e.Points) == 0 || e.Points[len(e.Points)-1].Schema != schema {
			e.Points = append(e.Points, compare.Point{Label: label, Schema: schema, Figures: &shape.Figures{Bytes: 50 * quads, Values: 2 * quads,
				Depth: 9, Quads: quads, Blank: quads / 10, NonUnique: quads / 50, ContextBytes: 19_357, Scoped: quads / 5}})
		}
		for i, op := range compare.OfCredentials {
			cell := compare.Cell{Format: "vcdm", Suite: "eddsa-rdfc-2022", Engine: engine, Algorithm: "EdDSA", Schema: schema, Operation: op, GC: "100",
				Procs: 2, Contexts: "warm"}
			r := compare.Result{Cell: cell, ID: cell.ID(), State: compare.Measured, Work: compare.Work{Quads: quads, Reissued: true, Documents: 64,
				Compared: min(64, 6400/quads), Tampers: 24, Checks: "signature", Oracle: "stock"}}
			micros := []float64{cost(n), n * n / 100, 50, n * n / 100}[i]
			for block := range 5 {
				cpu := micros * 1000 * (1 + 0.01*float64(block-2))
				r.Runs = append(r.Runs, compare.Run{Block: block, Ops: 20, First: 13 * block, CPU: cpu, Wall: cpu,
					Thread: cpu, Bytes: 1, Allocs: 1, Ending: compare.Counted, LiveHeap: 7_000_000})
			}
			var a profiles.Attribution
			p := []phase.Phase{phase.Context, phase.Label, phase.Sign, phase.Label}[i]
			a.Foreground[p] = profiles.Count{Samples: 100, Value: 1e9}
			r.Profile = &compare.Profile{Attribution: a, Ops: 100, CPU: 1e9, Coverage: 1}
			c.Results = append(c.Results, r)
		}
	}
	linear := func(n float64) float64 { return 3 * n }
	for _, s := range []struct {
		label string
		quads int
	}{{"1", 100}, {"10", 480}, {"30", 1300}} {
		add(&sizes, s.label, "clr-medium:achievements="+s.label, s.quads, "native", linear)
	}
	add(&words, "ids", "ob3:blank=0", 356, "native", linear)
	add(&words, "no ids", "ob3", 356, "native", func(n float64) float64 { return 6 * n })
	last := &c.Results[len(c.Results)-1]
	last.State, last.Reason, last.Runs, last.Profile = compare.TimedOut, "stopped at its deadline of 120 s", nil, nil
	return c, []compare.Experiment{sizes, words}
}

func growths() (*compare.Campaign, []report.Growth) {
	c, experiments := grown()
	var all []report.Growth
	for _, e := range experiments {
		all = append(all, report.NewGrowth(c, e))
	}
	return c, all
}

func TestGrowth(t *testing.T) {
	_, all := growths()
	g := all[0]
	if g.By != "quads" || len(g.Curves) != 1 {
		t.Fatalf("%d curves by %q", len(g.Curves), g.By)
	}
	// Issue is 3n, verify n²/100, and the sum both.
	for i, want := range map[int]string{0: "a·x", 1: "a·x²", 2: "a·x + b·x²", 3: "fixed", 4: "a·x²"} {
		q := g.Curves[0].Operations[i]
		if len(q.Laws) == 0 || q.Ratios != nil {
			t.Fatalf("%s has no law", q.Name)
		}
		if i == 2 {
			continue // three points have no law of both and a fixed part to compare with
		}
		if q.Laws[0].Name != want || !q.Laws[0].Fits() {
			t.Errorf("%s grows with %+v, want %v", q.Name, q.Laws[0], want)
		}
	}
	if further := g.Curves[0].Operations[0].Further; !(math.Abs(further.Center-3000) <= 1) || !further.Bounded() {
		t.Errorf("one more quad costs %+v ns to issue, want 3,000", further)
	}
	// Phases are those of issue and verify: present, which signs, is not among them.
	want := map[string]string{"context": "a·x", "label": "a·x²"}
	for _, q := range g.Curves[0].Phases {
		if q.Laws[0].Name != want[q.Name] {
			t.Errorf("phase %s grows with %+v, want %v", q.Name, q.Laws[0], want)
		}
	}
	if len(g.Curves[0].Phases) != 2 || g.Curves[0].Phases[0].Name != "label" || g.Curves[0].Fastest != "label" {
		t.Errorf("phases %+v, the fastest %s", g.Curves[0].Phases, g.Curves[0].Fastest)
	}
	// A preset has no sizes: the second costs twice the first to issue, and what was not measured has no figure.
	ops := all[1].Curves[0].Operations
	if all[1].By != "" || !(math.Abs(ops[0].Ratios[0].Center-2) <= 0.01) || ops[0].Laws != nil ||
		ops[4].Ratios[0] != nil || ops[5].Cost[1].N != 0 {
		t.Errorf("%+v", ops)
	}
}

// A law of allocated bytes names the phase that grows faster than a line, and says that others do not.
func TestLawsOfAllocations(t *testing.T) {
	c, experiments := grown()
	label, where := phase.Label, phase.Context
	for i := range c.Results {
		r := &c.Results[i]
		at := slices.IndexFunc(experiments[0].Points, func(p compare.Point) bool { return p.Schema == r.Cell.Schema })
		if at < 0 || r.Cell.Operation != compare.Verify {
			continue
		}
		n := float64(experiments[0].Points[at].Figures.Quads)
		a := &compare.Allocs{Ops: 2}
		a.Attribution.Foreground[label] = profiles.Count{Samples: 10_000, Value: int64(2 * n * n)}
		a.Attribution.Foreground[where] = profiles.Count{Samples: 10_000, Value: int64(2 * 300 * n)}
		a.Bytes = a.Attribution.Foreground.Total().Value
		r.Allocs = a
	}

	g := report.NewGrowth(c, experiments[0])
	if len(g.Curves[0].Allocated) != 2 {
		t.Fatalf("%+v", g.Curves[0].Allocated)
	}
	for _, a := range g.Curves[0].Allocated {
		if want := map[string]string{"label": "a·x²", "context": "a·x"}[a.Name]; len(a.Laws) == 0 || a.Laws[0].Name != want {
			t.Errorf("%s allocates %+v, want the law %s", a.Name, a.Laws, want)
		}
	}
	var text strings.Builder
	if err := report.GrowthText(&text, c, report.NewTable(c, matrix.Formats), []report.Growth{g}, false); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(text.String()), " ")
	if want := "label allocates 0.001·n² kB, its last figure (0.00097 to 0.001)"; !strings.Contains(said, want) ||
		!strings.Contains(said, ", which grows faster than a line; no other phase with 5 % of the bytes does") {
		t.Errorf("no %q in %s", want, said)
	}
}

// Curves of one tier cross where their laws do: here 10 + 3n and 100 + n, at 45 achievements.
func TestCrossings(t *testing.T) {
	c, experiments := rivals()
	g := report.NewGrowth(c, experiments[0])
	if g.By != "achievements" || len(g.Crossings) != 1 {
		t.Fatalf("by %s: %+v", g.By, g.Crossings)
	}
	x := g.Crossings[0]
	if cheap := g.Curves[x.Curves[0]].Cell.Format; cheap != "vcdm" || x.At == nil || !(math.Abs(x.At.Center-45) <= 0.5) || !x.At.Bounded() {
		t.Errorf("%s is cheaper up to %+v", cheap, x.At)
	}
	for against, want := range map[string]int{"mdoc": 1, "eddsa-rdfc-2022": 1, "jws": 0} {
		if g := report.NewGrowth(c, experiments[0], against); len(g.Crossings) != want {
			t.Errorf("against %s: %d", against, len(g.Crossings))
		}
	}
	for i := range c.Results { // another tier has no ratio
		if r := &c.Results[i]; r.Cell.Format == "mdoc" {
			r.Cell.Engine = "stock"
			r.ID = r.Cell.ID()
		}
	}
	if tiers := report.NewGrowth(c, experiments[0]); len(tiers.Curves) != 2 || tiers.Crossings != nil {
		t.Errorf("across tiers: %+v", tiers.Crossings)
	}
	var out bytes.Buffer
	if err := report.GrowthText(&out, c, report.NewTable(c, matrix.Formats), []report.Growth{g}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nnative: vcdm eddsa-rdfc-2022 costs less than mdoc cose-sign1 up to 45.", "\n  b mdoc cose-sign1, EdDSA\n",
		"\n  issue + verify: 3.00 µs (", ") for each further achievement\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q:\n%s", want, &out)
		}
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > report.Width+1 {
			t.Errorf("%q is too long", line)
		}
	}
}

// rivals are two formats along four sizes.
func rivals() (*compare.Campaign, []compare.Experiment) {
	c, experiments := grown()
	e := experiments[0]
	c.Results, e.Points, e.By = nil, nil, ""
	for _, n := range []int{4, 16, 64, 256} {
		label := strconv.Itoa(n)
		e.Points = append(e.Points, compare.Point{Label: label, Schema: "clr-medium:achievements=" + label,
			Figures: &shape.Figures{Quads: 10 * n, Bytes: 1000 * n}})
		for _, f := range []struct {
			format, suite string
			fixed, each   float64
		}{{"vcdm", "eddsa-rdfc-2022", 10, 3}, {"mdoc", "cose-sign1", 100, 1}} {
			for i, op := range compare.Whole {
				cell := compare.Cell{Format: compare.Format(f.format), Suite: f.suite, Engine: "native", Algorithm: "EdDSA",
					Schema: "clr-medium:achievements=" + label, Operation: op, GC: "100", Procs: 2, Contexts: "warm"}
				r := compare.Result{Cell: cell, ID: cell.ID(), State: compare.Measured}
				for block := range 5 {
					part := 0.4 + 0.2*float64(i)
					noise := 1 + 0.01*float64((block*3+n)%5-2)
					r.Runs = append(r.Runs, compare.Run{Block: block, Ops: 20, CPU: 1000 * part * noise * (f.fixed + f.each*float64(n))})
				}
				c.Results = append(c.Results, r)
			}
		}
	}
	return c, []compare.Experiment{e}
}

// An axis at constant quads is fitted to what varies, or not at all.
func TestGrowthBy(t *testing.T) {
	for name, c := range map[string]struct {
		change func(i int, p *compare.Point)
		want   string
	}{
		"the axis":    {func(i int, p *compare.Point) { p.Label = []string{"1", "10", "30"}[i] }, "achievements"},
		"shares":      {func(i int, p *compare.Point) { p.Label = []string{"0.1", "0.5", "1"}[i] }, "quads"},
		"quads stand": {func(_ int, p *compare.Point) { p.Label += "e-3"; p.Figures.Quads = 300 }, "bytes"},
		"contexts alone": {func(i int, p *compare.Point) {
			p.Label += "e-3"
			*p.Figures = shape.Figures{Quads: 3, Bytes: 90, ContextBytes: 1000 * (i + 1)}
		}, "context bytes"},
		"nothing varies": {func(_ int, p *compare.Point) { p.Label += "e-3"; *p.Figures = shape.Figures{Quads: 3, Bytes: 90} }, ""},
		"words":          {func(i int, p *compare.Point) { p.Label = []string{"type", "flat", "property"}[i] }, ""},
	} {
		campaign, experiments := grown()
		experiments[0].By = ""
		for i := range experiments[0].Points {
			c.change(i, &experiments[0].Points[i])
		}
		if g := report.NewGrowth(campaign, experiments[0]); g.By != c.want {
			t.Errorf("%s: fitted to %q, want %q", name, g.By, c.want)
		}
	}
	campaign, experiments := grown()
	for _, by := range []string{"quads", "bytes", "blank nodes", "scoped nodes", "achievements"} {
		experiments[0].By = by
		if g := report.NewGrowth(campaign, experiments[0]); g.By != by {
			t.Errorf("%s was asked for, not %q", by, g.By)
		}
	}
}

// An experiment has no room for the shares of allocations: it says where they are, where there are some.
func TestGrowthAllocs(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		c, all := growths()
		if recorded {
			profiled(c)
		}
		var out bytes.Buffer
		if err := report.GrowthText(&out, c, report.NewTable(c, matrix.Formats), all, false); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "\ntable.csv has the bytes by phase") != recorded {
			t.Errorf("recorded %v:\n%s", recorded, &out)
		}
	}
}

func TestGrowthText(t *testing.T) {
	c, all := growths()
	var out bytes.Buffer
	if err := report.GrowthText(&out, c, report.NewTable(c, matrix.Formats), all, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "growth.txt", out.Bytes())
	for i, line := range strings.Split(out.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > report.Width {
			t.Errorf("line %d has %d columns: %s", i+1, n, line)
		}
	}
	out.Reset()
	if err := report.GrowthJSON(&out, c, report.NewTable(c, matrix.Formats), all); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Growth []struct {
			Name, By string
			Points   []struct{ Figures shape.Figures }
			Curves   []struct {
				Operations []struct{ Laws []struct{ Law string } }
			}
		}
		Table struct{ Rows []any }
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if g := back.Growth; len(g) != 2 || g[0].Name != "achievements" || g[0].By != "quads" || g[0].Points[2].Figures.Quads != 1300 ||
		g[0].Curves[0].Operations[1].Laws[0].Law != "a·x²" || len(back.Table.Rows) != 5 {
		t.Errorf("%+v", back)
	}
}
