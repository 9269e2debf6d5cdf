package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/compare/stats"
)

// built is a campaign of two builds, in the same blocks, of which new costs so many times as much in verify.
func built(r *rand.Rand, processes int, factor float64) *compare.Campaign {
	c := simulated(r, 3, processes, nil)
	c.Fitness = nil
	c.Builds = []compare.Build{{Label: "old", SHA256: strings.Repeat("1a", 32), Version: "v1", Revision: "r", Go: "go1.26.0", Rules: "r",
		Modules: map[string]string{"example.org/m": "v1.2.3"}},
		{Label: "new", SHA256: strings.Repeat("2b", 32), Version: "v1", Revision: "r", Go: "go1.26.0", Rules: "r",
			Modules: map[string]string{"example.org/m": "a checkout"}}}
	var all []compare.Result
	for _, res := range c.Results {
		old, changed := res, res
		old.Cell, changed.Cell = res.Cell.Of("old"), res.Cell.Of("new")
		old.ID, changed.ID = old.Cell.ID(), changed.Cell.ID()
		changed.Runs = nil
		for i := range res.Runs {
			res.Runs[i].Ending = compare.Counted
		}
		old.Work.Counters = compare.Counters{Signatures: 1, Verifications: 1}
		changed.Work = old.Work
		of := 1.0
		if res.Cell.Operation == compare.Verify && res.Cell.Format != compare.Floor {
			of = factor
			a := res.Profile.Attribution
			label := &a.Foreground[phase.Label]
			label.Samples = int64(float64(label.Samples) * (1 + (factor-1)/0.2)) // a fifth, which has all of it
			label.Value = 250_000 * label.Samples
			p := *res.Profile
			p.Attribution, changed.Profile = a, &p
		}
		for _, run := range res.Runs {
			run.CPU *= of * math.Exp(0.003*r.NormFloat64())
			changed.Runs = append(changed.Runs, run)
		}
		all = append(all, old, changed)
	}
	c.Results = all
	return c
}

// Builds are compared block by block, so that what a minute makes slower cancels: 4 % less in one phase is found, named by
// build and phase, and in equal ones nothing is.
func TestBuildsCompared(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	table := report.NewTable(built(r, 8, 0.96), matrix.Formats)
	if len(table.Builds) != 1 {
		t.Fatalf("%d comparisons", len(table.Builds))
	}
	c := table.Builds[0]
	if c.Baseline != "old (1a1a1a1a1a1a)" || c.Name != "new (2b2b2b2b2b2b)" || !c.Paired {
		t.Errorf("%s against %s, paired %v", c.Name, c.Baseline, c.Paired)
	}
	if len(c.Differs) != 2 || c.Differs[0].Name != "SHA-256" || c.Differs[1].Before != "v1.2.3" || c.Differs[1].After != "a checkout" {
		t.Errorf("they differ in %+v", c.Differs)
	}
	for _, x := range c.Cells {
		want := 1.0
		if strings.Contains(x.ID, "op=verify") && !strings.Contains(x.ID, "floor") {
			want = 0.96
		}
		if e := x.Comparison.Ratio; !(e.Low < want*1.004 && e.High > want*0.996) || e.High/e.Low > 1.03 {
			t.Errorf("%s: %v, want %v", x.ID, e, want)
		}
		if strings.Contains(x.ID, "build=") {
			t.Errorf("%s is of a build", x.ID)
		}
	}

	narrow := built(r, 8, 0.96)
	narrow.Band = 0.02
	found := verdicts(report.NewTable(narrow, matrix.Formats).Builds[0].Cells, stats.Faster)
	if len(found) != 3 {
		t.Errorf("faster are %+v", found)
	}
	alike := built(r, 8, 1)
	alike.Band = 0.02
	if wrong := verdicts(report.NewTable(alike, matrix.Formats).Builds[0].Cells, stats.Faster, stats.Slower); len(wrong) > 0 {
		t.Errorf("of equal builds: %+v", wrong)
	}
	large := report.NewTable(built(r, 8, 1.5), matrix.Formats).Builds[0]
	if x := large.Cells[0]; x.Comparison.Verdict != stats.Slower || len(x.Phases) == 0 || x.Phases[0].Phase != "label" {
		t.Errorf("the dearest change is %+v", x)
	}
}

// A machine that was unfit leaves no verdict on builds; a noisy one does, since what it adds to both of a block cancels.
func TestBuildsWithheld(t *testing.T) {
	for state, want := range map[compare.Fit]bool{compare.Unfit: true, compare.Noisy: false, compare.Quiet: false} {
		c := built(rand.New(rand.NewPCG(8, 0)), 8, 1.5)
		c.Fitness = &compare.Fitness{State: state}
		got := report.NewTable(c, matrix.Formats).Builds[0]
		if changed := verdicts(got.Cells, stats.Faster, stats.Slower); got.Withheld != want || (len(changed) == 0) != want {
			t.Errorf("%s: withheld %v, changed %+v", state, got.Withheld, changed)
		}
	}
}

// Rows of one build are beside each other and are never compared with those of another in ratios to formats or engines.
func TestBuildsDoNotMix(t *testing.T) {
	c := built(rand.New(rand.NewPCG(6, 0)), 5, 1.5)
	table := report.NewTable(c, matrix.Formats, "eddsa-rdfc-2022")
	for _, r := range table.Rows {
		if r.Cell.Build == "" || len(r.Ratios) > 0 {
			t.Errorf("%s has the ratios %v", r.ID, r.Ratios)
		}
		if r.Cell.Format == "vcdm" && r.Cell.Schema == "simple-1" && r.Net.N == 0 {
			t.Errorf("%s has no primitives of its own build", r.ID)
		}
	}
}

// Every form of a report names the build of a row and has the comparison of builds, with a failed cell as what it is.
func TestBuildsShown(t *testing.T) {
	c := built(rand.New(rand.NewPCG(7, 0)), 8, 0.85)
	failed := &c.Results[len(c.Results)-1]
	failed.State, failed.Reason, failed.Runs = compare.GateFailed, "stock and native differ", nil
	rep := report.New(c, matrix.Formats, nil)

	var text, md, csv, bench, page, js bytes.Buffer
	for _, err := range []error{rep.Text(&text, false), report.Markdown(&md, c, rep.Table), report.CSV(&csv, rep.Table), report.Bench(&bench, c),
		rep.HTML(&page, nil), rep.JSON(&js)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for of, c := range map[*bytes.Buffer][]string{
		&text: {"native engines, build new, leaf", "A old (1a1a1a1a1a1a)", "module example.org/m, v1.2.3 in A and a checkout in B", "paired by block",
			"  faster", "    label", "only in old (1a1a1a1a1a1a) (gate failed: stock and native differ)"},
		&md:    {"### Build new (2b2b2b2b2b2b) against old (1a1a1a1a1a1a)", "| faster | before µs"},
		&csv:   {",granularity,build,", ",leaf,new,"},
		&bench: {"/build=new"},
		&page:  {`<section id="builds">`, "the build new (2b2b2b2b2b2b), against A, old"},
		&js:    {`"build": "new"`, `"sha256": "1a1a`},
	} {
		for _, want := range c {
			if !strings.Contains(of.String(), want) {
				t.Errorf("%q is not in\n%s", want, of)
			}
		}
	}
	for line := range strings.Lines(text.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > report.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}

	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(js.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schemaOf(t, "results.schema.json").Validate(value); err != nil {
		t.Error(err)
	}
	var back compare.Campaign
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || len(back.Builds) != 2 {
		t.Errorf("%+v, %v", back.Builds, err)
	}
}
