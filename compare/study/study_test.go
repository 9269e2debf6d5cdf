package study

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// The claims are numbered from 1 to 100, and each has a kind, a scenario that exists and a judge that answers with a
// reason whatever was run.
func TestClaims(t *testing.T) {
	if len(Claims) != 100 {
		t.Errorf("%d claims", len(Claims))
	}
	s := &Study{}
	s.judge(&evidence{})
	says := make(map[string]bool)
	for i, c := range s.Claims {
		if c.N != i+1 || !slices.Contains([]Kind{Result, Method, Purpose}, c.Kind) || c.Says == "" || says[c.Says] {
			t.Errorf("claim %d: %+v", i+1, c)
		}
		says[c.Says] = true
		if scenarioNamed(c.Scenario) == nil {
			t.Errorf("claim %d: there is no scenario %q", c.N, c.Scenario)
		}
		if c.Why == "" || !strings.HasPrefix(c.Command, "canonscope ") {
			t.Errorf("claim %d without evidence: %s, why %q, command %q", c.N, c.Verdict, c.Why, c.Command)
		}
		if c.Kind == Result && c.Verdict != Open {
			t.Errorf("claim %d, a result, is judged without evidence: %s", c.N, c.Verdict)
		}
	}
	for n := range shown {
		if n < 1 || n > len(Claims) {
			t.Errorf("there is no claim %d to show", n)
		}
	}
}

// Every scenario selects cells that can be measured, and no cell is measured twice.
func TestScenarios(t *testing.T) {
	of := make(map[string]string)
	for i := range Scenarios {
		sc := &Scenarios[i]
		if sc.check != nil {
			continue
		}
		var quick, full measure.Plan
		selection, err := sc.plan(t.Context(), &quick, &Options{})
		if err != nil {
			t.Errorf("%s: %v", sc.Name, err)
			continue
		}
		cells := selection.Cells()
		if len(cells) == 0 || quick.Runs < stats.Fewest {
			t.Errorf("%s: %d cells, %d processes", sc.Name, len(cells), quick.Runs)
		}
		for _, c := range cells {
			if other := of[c.ID()]; other != "" {
				t.Errorf("%s is measured by %s and %s", c.ID(), other, sc.Name)
			}
			of[c.ID()] = sc.Name
		}
		if _, err := sc.plan(t.Context(), &full, &Options{Full: true}); err != nil || full.Runs != publishedRuns || full.Window.N == 0 {
			t.Errorf("%s, full: %d processes of %d: %v", sc.Name, full.Runs, full.Window.N, err)
		}
	}
}

// exchangeCosts makes the evidence of an exchange in which every operation of a suite costs so many µs, with a spread
// over five processes.
func exchangeCosts(t *testing.T, spread float64, costs map[string]float64) *evidence {
	t.Helper()
	var plan measure.Plan
	selection, err := scenarioNamed("exchange").plan(t.Context(), &plan, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &compare.Campaign{Runs: 5, Disclosed: selection.Disclosed}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, cell := range selection.Cells() {
		cost, ok := costs[string(cell.Engine)+" "+cell.Suite]
		if !ok {
			cost = 100
		}
		r := compare.Result{Cell: cell, ID: cell.ID(), State: compare.Measured,
			Work: compare.Work{Reissued: cell.Suite != "ecdsa-sd-2023",
				Counters: compare.Counters{Canonicalizations: 2}}}
		for block := range 5 {
			v := cost * 1000 * math.Exp(spread*rng.NormFloat64())
			r.Runs = append(r.Runs, compare.Run{Block: block, Ops: 100, CPU: v, Wall: v})
		}
		c.Results = append(c.Results, r)
	}
	return &evidence{campaigns: map[string]*compare.Campaign{"exchange": c}}
}

func verdictsOf(e *evidence) map[int]Verdict {
	s := &Study{}
	s.judge(e)
	out := make(map[int]Verdict)
	for _, c := range s.Claims {
		out[c.N] = c.Verdict
	}
	return out
}

// Costs as the study has them agree with it, those of other libraries differ, and noise decides nothing.
func TestVerdicts(t *testing.T) {
	published := map[string]float64{"stock eddsa-rdfc-2022": 188, "stock ecdsa-rdfc-2019": 188, "stock jws": 112,
		"stock eddsa-jcs-2022": 112, "native eddsa-rdfc-2022": 188}
	here := map[string]float64{"stock eddsa-rdfc-2022": 900, "stock ecdsa-rdfc-2019": 110, "stock jws": 112,
		"stock eddsa-jcs-2022": 150, "stock cose-sign1": 130, "native eddsa-rdfc-2022": 98}
	for _, test := range []struct {
		name   string
		spread float64
		costs  map[string]float64
		want   map[int]Verdict
	}{
		{"as published", 0.01, published, map[int]Verdict{5: Agrees, 10: Open, 15: Agrees, 16: Agrees, 17: Agrees,
			18: Agrees, 19: Agrees, 24: Agrees, 25: Agrees, 26: Agrees, 29: Agrees, 30: Agrees, 37: Agrees}},
		{"otherwise", 0.01, here, map[int]Verdict{15: Differs, 16: Differs, 17: Agrees, 19: Differs, 25: Differs, 26: Differs,
			37: Differs, 38: Differs}},
		{"noise", 1, published, map[int]Verdict{15: Open, 16: Open, 18: Open, 26: Open, 37: Open, 38: Open}},
	} {
		e := exchangeCosts(t, test.spread, test.costs)
		got := verdictsOf(e)
		for n, want := range test.want {
			if got[n] != want {
				t.Errorf("%s: claim %d %q: %s, want %s", test.name, n, Claims[n-1].Says, got[n], want)
			}
		}

		// On a machine that was not fit no time decides; counts do.
		e.campaigns["exchange"].Fitness = &compare.Fitness{State: compare.Unfit}
		got = verdictsOf(e)
		if got[15] != Open || got[18] != Open || got[37] != Open || got[24] != Agrees {
			t.Errorf("%s, unfit: %s, %s, %s, %s", test.name, got[15], got[18], got[37], got[24])
		}
	}
}

// Claims about other languages are judged by engines of other processes, if there are any.
func TestForeign(t *testing.T) {
	e := exchangeCosts(t, 0.01, nil)
	if got := verdictsOf(e); got[6] != Open || got[27] != Open {
		t.Errorf("without such engines: %s, %s", got[6], got[27])
	}
	cell := compare.Cell{Format: compare.Document, Suite: "rdfc", Engine: "exec:other"}
	e.campaigns["canonize"] = &compare.Campaign{Results: []compare.Result{{Cell: cell, State: compare.Measured}}}
	if got := verdictsOf(e); got[6] != Agrees || got[27] != Open {
		t.Errorf("with such an engine: %s, %s", got[6], got[27])
	}
}

// Whether RDFC-1.0 is the cost is answered by engines of three lineages: those that share code are one, and what a profile of
// few samples shows decides nothing.
func TestLineages(t *testing.T) {
	e := func(parts map[string]float64, samples int64) *evidence {
		c := &compare.Campaign{}
		for engine, part := range parts {
			cell := compare.Cell{Format: compare.Document, Suite: "rdfc", Engine: compare.Engine(engine), Operation: canonize}
			var a profiles.Attribution
			for i, n := range map[phase.Phase]float64{phase.Label: part, phase.Context: 1 - part} {
				a.Foreground[i] = profiles.Count{Samples: int64(n * float64(samples)), Value: int64(n * 1e9)}
			}
			c.Results = append(c.Results, compare.Result{Cell: cell, State: compare.Measured, Profile: &compare.Profile{Attribution: a},
				Runs: []compare.Run{{CPU: 1000}}})
		}
		return &evidence{campaigns: map[string]*compare.Campaign{"lineages": c},
			lineages: map[string]string{"stock": "a", "native": "b", "exec:x": "a", "exec:y": "c"}}
	}
	for name, test := range map[string]struct {
		parts   map[string]float64
		samples int64
		want    Verdict
		why     string
	}{
		"two engines":  {map[string]float64{"stock": 0.1, "native": 0.1}, 1000, Open, "engines of 2 lineages have a profile (a, b)"},
		"two lineages": {map[string]float64{"stock": 0.1, "native": 0.1, "exec:x": 0.1}, 1000, Open, "it takes 3"},
		"little":       {map[string]float64{"stock": 0.1, "native": 0.2, "exec:x": 0.1, "exec:y": 0.3}, 1000, Differs, "engines of 3 lineages agree"},
		"most":         {map[string]float64{"stock": 0.9, "native": 0.8, "exec:y": 0.7}, 1000, Agrees, "engines of 3 lineages"},
		"both":         {map[string]float64{"stock": 0.1, "native": 0.1, "exec:y": 0.9}, 1000, Differs, "engines do not agree"},
		"few samples":  {map[string]float64{"stock": 0.4, "native": 0.4, "exec:y": 0.4}, 10, Open, "the intervals do not show"},
	} {
		a := agreed(e(test.parts, test.samples))
		if a.verdict != test.want || !strings.Contains(a.why, test.why) {
			t.Errorf("%s: %s, %s (%s)", name, a.verdict, a.why, a.measured)
		}
	}
}

// A published range is widened by the band; an interval over its end decides nothing.
func TestWithin(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      Verdict
	}{{1.7, 2.1, Agrees}, {1.6, 2.2, Agrees}, {2.4, 2.6, Differs}, {1.2, 1.5, Differs}, {1.5, 2, Open}, {2, 3, Open},
		{1, 9, Open}} {
		r := stats.Estimate{Center: (test.low + test.high) / 2, Low: test.low, High: test.high, N: 5}
		if got, why := within(r, 1.73, 2.04); got != test.want || why == "" {
			t.Errorf("[%v, %v]: %s, want %s", test.low, test.high, got, test.want)
		}
	}
	if got, _ := within(stats.Estimate{Center: 1.8, Low: math.Inf(-1), High: math.Inf(1), N: 2}, 1.73, 2.04); got != Open {
		t.Errorf("without an interval: %s", got)
	}
}

// Verifiers refuse every attack, and accept what was not attacked.
func TestSecurity(t *testing.T) {
	e := &evidence{}
	if err := security(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, c := range e.checks {
		if !c.Right() || !c.Accepted && c.Why == "" {
			t.Errorf("%+v", c)
		}
	}
	got := verdictsOf(e)
	for n := 77; n <= 83; n++ {
		if got[n] != Agrees {
			t.Errorf("claim %d: %s", n, got[n])
		}
	}

	// A verifier that accepts an attack, or refuses all, is not in agreement.
	for i := range e.checks {
		if e.checks[i].Attack == algNone {
			e.checks[i].Accepted = true
			break
		}
	}
	if got := verdictsOf(e); got[77] != Differs || got[83] != Differs || got[78] != Agrees {
		t.Errorf("an accepted attack: %s, %s, %s", got[77], got[83], got[78])
	}
}

// runner is a measure.Runner that no scenario of the test needs.
type runner struct{}

func (runner) Run(context.Context, measure.Job, []byte, func(measure.Event)) error {
	return fmt.Errorf("nothing is measured here")
}

// A study writes its folder: the page begins with what held, asks for nothing, and text
// fits a terminal.
func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "study")
	s, err := Run(t.Context(), Options{Only: []string{"security", "limits"}, Runner: runner{}, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Claims) != len(Claims) || len(s.Scenarios) != 2 || len(s.NotRun) != len(Scenarios)-2 {
		t.Errorf("%d claims, %d scenarios, not run %v", len(s.Claims), len(s.Scenarios), s.NotRun)
	}
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	body := string(page[bytes.Index(page, []byte("<body>")):])
	if at := strings.Index(body, "Held: "); at < 0 || at > strings.Index(body, "<table") {
		t.Errorf("the page does not begin with what held: %.300s", body)
	}
	if m := regexp.MustCompile(`(?i)(src|href)="(https?:)?//`).FindString(string(page)); m != "" {
		t.Errorf("the page asks for %s", m)
	}
	var text bytes.Buffer
	if err := Text(&text, s); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(line) > width+1 {
			t.Errorf("wide: %s", line)
		}
	}
	if _, err := Run(t.Context(), Options{Only: []string{"security"}, Out: out}); err == nil {
		t.Error("a folder that is not empty was taken")
	}
	if _, err := Run(t.Context(), Options{Only: []string{"secrity"}, Out: out}); err == nil ||
		!strings.Contains(err.Error(), "security") {
		t.Errorf("an unknown scenario: %v", err)
	}
}

// A scenario that fails is named, and its claims cannot be judged; an interruption leaves what is finished.
func TestFailed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "study")
	plan := measure.Plan{Documents: 1, Window: measure.DefaultWindow}
	s, err := Run(t.Context(), Options{Only: []string{"binding"}, Runner: runner{}, Out: out, Plan: plan})
	if s == nil {
		t.Fatal(err)
	}
	if s.Claims[95].Verdict != Open {
		t.Errorf("claim 96: %+v", s.Claims[95])
	}
	if err := Text(io.Discard, s); err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err = Run(ctx, Options{Out: filepath.Join(t.TempDir(), "study"), Runner: runner{}})
	if s == nil || err == nil || len(s.Scenarios) != 0 {
		t.Fatalf("interrupted: %v, %v", s, err)
	}
	var text bytes.Buffer
	if err := Text(&text, s); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(text.String(), "The study was interrupted. Not begun: security, ") ||
		!strings.Contains(text.String(), "claims whose scenario has no result:\n  security: ") ||
		strings.Contains(text.String(), "no figure") {
		t.Errorf("interrupted:\n%s", &text)
	}
}

// Cells that were interrupted are no evidence.
func TestInterruptedCells(t *testing.T) {
	e := &evidence{campaigns: make(map[string]*compare.Campaign)}
	for i := range Scenarios {
		c := &compare.Campaign{Interrupted: true}
		for _, op := range compare.Operations {
			for _, suite := range []string{"eddsa-rdfc-2022", "ecdsa-sd-2023", "jws", "rdfc"} {
				for _, engine := range []string{"stock", "native"} {
					c.Results = append(c.Results, compare.Result{State: compare.Interrupted, Cell: compare.Cell{
						Suite: suite, Engine: canon.Engine(engine), Algorithm: "EdDSA", Operation: op}})
				}
			}
		}
		e.campaigns[Scenarios[i].Name] = c
	}
	s := &Study{}
	s.judge(e)
	for _, c := range s.Claims {
		if c.Kind == Result && c.Verdict != Open {
			t.Errorf("claim %d: %s, %s", c.N, c.Verdict, c.Why)
		}
	}
	if len(s.Questions) != 0 {
		t.Errorf("%d questions are answered", len(s.Questions))
	}
}
