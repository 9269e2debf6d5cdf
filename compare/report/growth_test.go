package report_test

import (
	"bytes"
	"encoding/json"
	"math"
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
	sizes := compare.Experiment{Name: "achievements", Base: "clr-medium", About: "nested credentials"}
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
	// The sum of issue and verify grows from 400 to 20,800 µs.
	sum, step := math.Log(52)/math.Log(13), math.Log(20_800./3744)/math.Log(1300./480)
	for i, want := range map[int]float64{0: 1, 1: 2, 3: 0, 4: 2} {
		q := g.Curves[0].Operations[i]
		if math.Abs(q.Exponent.Center-want) > 0.01 || math.Abs(q.Step.Center-want) > 0.01 || q.Ratios != nil {
			t.Errorf("%s grows with %+v, last %+v, want %v", q.Name, q.Exponent, q.Step, want)
		}
	}
	q := g.Curves[0].Operations[2]
	if q.Name != "issue+verify" || math.Abs(q.Step.Center-step) > 0.01 || math.Abs(q.Exponent.Center-sum) > 0.03 {
		t.Errorf("%s grows with %+v, last %+v, want about %v, last %v", q.Name, q.Exponent, q.Step, sum, step)
	}
	// Phases are those of issue and verify: present, which signs, is not among them.
	want := map[string]float64{"context": 1, "label": 2}
	for _, q := range g.Curves[0].Phases {
		if e := q.Exponent; math.Abs(e.Center-want[q.Name]) > 0.01 || e.High-e.Low < 0.05 {
			t.Errorf("phase %s grows with %+v, want %v", q.Name, e, want[q.Name])
		}
	}
	if len(g.Curves[0].Phases) != 2 || g.Curves[0].Phases[0].Name != "label" {
		t.Errorf("phases %+v", g.Curves[0].Phases)
	}
	// A preset has no sizes: the second costs twice the first to issue, and what was not measured has no figure.
	ops := all[1].Curves[0].Operations
	if all[1].By != "" || math.Abs(ops[0].Ratios[0].Center-2) > 0.01 || ops[0].Exponent != nil ||
		ops[4].Ratios[0] != nil || ops[5].Cost[1].N != 0 {
		t.Errorf("%+v", ops)
	}
}

// An axis at constant quads is fitted to what varies, or not at all.
func TestGrowthBy(t *testing.T) {
	for name, c := range map[string]struct {
		change func(i int, p *compare.Point)
		want   string
	}{
		"quads stand": {func(_ int, p *compare.Point) { p.Figures.Quads = 300 }, "bytes"},
		"contexts alone": {func(i int, p *compare.Point) {
			*p.Figures = shape.Figures{Quads: 3, Bytes: 90, ContextBytes: 1000 * (i + 1)}
		}, "context bytes"},
		"nothing varies": {func(_ int, p *compare.Point) { *p.Figures = shape.Figures{Quads: 3, Bytes: 90} }, ""},
		"words":          {func(i int, p *compare.Point) { p.Label = []string{"type", "flat", "property"}[i] }, ""},
	} {
		campaign, experiments := grown()
		for i := range experiments[0].Points {
			c.change(i, &experiments[0].Points[i])
		}
		if g := report.NewGrowth(campaign, experiments[0]); g.By != c.want {
			t.Errorf("%s: fitted to %q, want %q", name, g.By, c.want)
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
				Operations []struct{ Exponent struct{ Center float64 } }
			}
		}
		Table struct{ Rows []any }
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if g := back.Growth; len(g) != 2 || g[0].Name != "achievements" || g[0].By != "quads" || g[0].Points[2].Figures.Quads != 1300 ||
		math.Abs(g[0].Curves[0].Operations[1].Exponent.Center-2) > 0.01 || len(back.Table.Rows) != 5 {
		t.Errorf("%+v", back)
	}
}
