package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
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
)

// canonized is a campaign of documents alone: some measured, and one of each other outcome.
func canonized() *compare.Campaign {
	c := &compare.Campaign{Version: compare.Version, Command: "canonscope run --operation canonize",
		Started: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), Took: 12, Seed: 1, Planned: 5, Runs: 5,
		Window:    compare.Window{Collections: 2, Least: 0.05, Most: 0.2},
		Documents: 64, Out: "results/canonized", Environment: map[string]string{
			"cpu": "Example CPU", "cpus": "2", "kernel": "Linux 6.18", "go": "go1.26.8"}}
	add := func(suite, schema string, contexts compare.ContextState) *compare.Result {
		cell := compare.Cell{Format: compare.Document, Suite: suite, Engine: "native",
			Algorithm: compare.NoAlgorithm, Schema: schema, Operation: compare.Canonize, GC: "100", Procs: 2,
			Contexts: contexts}
		c.Results = append(c.Results, compare.Result{Cell: cell, ID: cell.ID()})
		return &c.Results[len(c.Results)-1]
	}
	measured := func(r *compare.Result, micros float64, work compare.Work) {
		work.Counters.Canonicalizations, work.Documents = 1, 64
		r.State, r.Work = compare.Measured, work
		for block := range 5 {
			cpu := micros * 1000 * (1 + 0.01*float64(block-2))
			r.Runs = append(r.Runs, compare.Run{Block: block, Ops: 600, CPU: cpu, Wall: cpu, Thread: cpu,
				Bytes: 100, Allocs: 1, Collections: 2, Ending: compare.Collections, LiveHeap: 2_000_000})
		}
		a := profiles.Attribution{Rules: "r"}
		a.Foreground[phase.Label] = profiles.Count{Samples: 150, Value: 150e7}
		a.Foreground[phase.Serialize] = profiles.Count{Samples: 50, Value: 50e7}
		r.Profile = &compare.Profile{Attribution: a, Ops: 100, CPU: 200e7, Coverage: 1}
	}
	measured(add("rdfc", "kit-simple", "warm"), 4,
		compare.Work{Output: 548, Quads: 5, Blank: 1, Oracle: "stock", Compared: 64})
	measured(add("rdfc", "clique-7", "none"), 2600,
		compare.Work{Output: 3756, Quads: 42, Blank: 7, NDegree: 12_288})
	r := add("rdfc", "clique-8", "none")
	r.State, r.Reason = compare.Limited, "document 0: canonize: limit reached: work 1000001 of at most 1000000"
	r = add("rdfc", "clique-9", "none")
	r.State, r.Reason = compare.TimedOut, "document 0: canonize: limit reached: time of at most 10s"
	measured(add("jcs", "kit-simple", "none"), 5, compare.Work{Output: 665, Oracle: "stock", Compared: 20})
	r = add("jcs", "clique-7", "none")
	r.State, r.Reason = compare.Unsupported, "jcs does not support a dataset in N-Quads; choose the suite rdfc"
	return c
}

// Documents have a table of their own, with a ratio to the first of a method; what has no time says why.
func TestCanonizeText(t *testing.T) {
	c := canonized()
	table := report.NewTable(c, matrix.Formats)
	var text, md bytes.Buffer
	if err := errors.Join(report.Text(&text, c, table, false), report.Markdown(&md, c, table)); err != nil {
		t.Fatal(err)
	}
	golden(t, "canonize.txt", text.Bytes())
	golden(t, "canonize.md", md.Bytes())
	for line := range strings.Lines(text.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > report.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestCanonizeFiles(t *testing.T) {
	c := canonized()
	table := report.NewTable(c, matrix.Formats)
	var all, lines, bench bytes.Buffer
	err := errors.Join(report.JSON(&all, c, table), report.CSV(&lines, table), report.Bench(&bench, c))
	if err != nil {
		t.Fatal(err)
	}

	read, err := csv.NewReader(&lines).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := make(map[string]int)
	for i, name := range read[0] {
		column[name] = i
	}
	for name, want := range map[string][]string{
		"schema":         {"kit-simple", "clique-7", "clique-8", "clique-9", "kit-simple", "clique-7"},
		"canonize_state": {"measured", "measured", "limit", "deadline", "measured", "unsupported"},
		"canonize_bytes": {"548", "3756", "", "", "665", ""},
		"quads":          {"5", "42", "", "", "", ""},
		"blank_nodes":    {"1", "7", "", "", "", ""},
		"n_degree":       {"0", "12288", "", "", "", ""},
		"issue_state":    {"", "", "", "", "", ""},
		"presents":       {"", "", "", "", "", ""},
		"label":          {"0.75", "0.75", "", "", "0.75", ""},
	} {
		for i, w := range want {
			if got := read[i+1][column[name]]; got != w {
				t.Errorf("line %d: %s is %q, want %q", i+1, name, got, w)
			}
		}
	}
	if got := read[2][column["canonize_to_first"]]; got != "650" {
		t.Errorf("2600 µs are %s times 4 µs", got)
	}

	var back struct {
		Table struct {
			Rows []struct {
				First *struct{ Center float64 } `json:"canonize_to_first"`
				Whole bool
			}
		}
	}
	if err := json.Unmarshal(all.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	for i, r := range back.Table.Rows {
		if (r.First != nil) != (i == 1) || r.First != nil && !(math.Abs(r.First.Center-650) <= 0.01) || r.Whole {
			t.Errorf("row %d: %+v", i, r)
		}
	}

	for _, want := range []string{
		"\nBenchmarkCanonize/suite=rdfc/engine=native/schema=kit-simple/contexts=warm 600 ",
		"\nBenchmarkCanonize/suite=rdfc/engine=native/schema=clique-7/contexts=none 600 ",
		"\nBenchmarkCanonize/suite=jcs/engine=native/schema=kit-simple/contexts=none 600 ",
	} {
		if strings.Count(bench.String(), want) != 5 {
			t.Errorf("not five lines %q in\n%s", want, &bench)
		}
	}
	if strings.Contains(bench.String(), "present=") {
		t.Errorf("a document is presented:\n%s", &bench)
	}
}

// Exchanges and documents of one campaign are counted apart.
func TestCanonizeBesideExchanges(t *testing.T) {
	c := made()
	c.Results = append(c.Results, canonized().Results...)
	var text bytes.Buffer
	if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"What a credential exchange costs: ", "\ncanonize, native engines\n",
		"\ngates: 4 of 5 exchanges and 3 of 3 canonicalizations passed for 64 documents\n" +
			"  each; 768 altered presentations refused; 2 canonicalizations ended at a limit\n  or deadline\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// How a part is presented stands in its row: derived, signed again by the issuer, or the whole handed on.
func TestPresents(t *testing.T) {
	c := made()
	for i := 12; i < 16; i++ { // as of --present whole
		r := &c.Results[i]
		r.Cell.Present, r.Work.Reissued = compare.HandedOver, false
		r.ID = r.Cell.ID()
	}
	table := report.NewTable(c, matrix.Formats)
	var text, md, lines, bench bytes.Buffer
	err := errors.Join(report.Text(&text, c, table, false), report.Markdown(&md, c, table),
		report.CSV(&lines, table), report.Bench(&bench, c))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nvcdm eddsa-rdfc-2022       900†   1,000     3,100†    1,002   signed again\n",
		"\nsd-jwt-vc jws             60.0     90.0       250     1,002   derived\n",
		"\neddsa-rdfc-2022 EdDSA     28.0     55.0       113     1,002   the whole\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if !strings.Contains(md.String(), "\n| eddsa-rdfc-2022 EdDSA, presents the whole | 30.0 ±5% |") {
		t.Errorf("%s", &md)
	}
	if n := strings.Count(bench.String(), "/op=present/present=whole/"); n != 5 {
		t.Errorf("%d of 5 lines of present name the whole:\n%s", n, &bench)
	}
	read, err := csv.NewReader(&lines).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range read[0] {
		if name != "presents" {
			continue
		}
		for k, want := range []string{"resigns", "derives", "derives", "whole", ""} {
			if got := read[k+1][i]; got != want {
				t.Errorf("line %d presents %q, want %q", k+1, got, want)
			}
		}
	}
}

// Credentials of an engine in another process are no canonicalizations, so none of them ended at a limit.
func TestForeignCredentialsEndNowhere(t *testing.T) {
	c := made()
	for i := range c.Results {
		r := &c.Results[i]
		if r.Cell.Format == "sd-jwt-vc" {
			r.Cell.Engine = "exec:other"
			r.ID, r.State, r.Reason, r.Runs = r.Cell.ID(), compare.GateFailed, "a difference", nil
		}
	}
	var out bytes.Buffer
	if err := report.Text(&out, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "ended at a limit") || !strings.Contains(out.String(), "gates: ") {
		t.Errorf("%s", &out)
	}
}
