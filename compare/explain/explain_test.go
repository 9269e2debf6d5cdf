package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestMain makes the test binary the measuring process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "engine" {
		if err := serveEngine(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func counted(t *testing.T, d *Document) *Report {
	t.Helper()
	r, err := Count(context.Background(), d, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func named(t *testing.T, name string) *Document {
	t.Helper()
	d, err := Read(name, compare.Given{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func explainer(t *testing.T, d *Document, opt Options) *Explainer {
	t.Helper()
	opt.Process = Process{Args: []string{"child"}}
	if opt.Engines == nil {
		opt.Engines = []canon.Engine{canon.Native}
	}
	e, err := NewExplainer(d, counted(t, d), opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const inline = `{"@context":["https://www.w3.org/ns/credentials/v2",{"@vocab":"urn:v#"},{"unused":"urn:v#unused"}],
	"type":"VerifiableCredential","issuer":"did:example:i","credentialSubject":{"id":"did:example:s","a":{"p":"1"},"b":{"p":"2"}%s}}`

func given(more string) *Document {
	return &Document{Name: "given", JSON: fmt.Appendf(nil, inline, more)}
}

func TestRewrite(t *testing.T) {
	var tape jsontape.Tape
	if err := tape.Scan([]byte(`{"a":[1, 2,{"b":3}],"c":{},"d":"x"}`), jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	at := func(pointer string) int { return tape.At(pointer) }
	for want, edits := range map[string][]edit{
		`{"a":[1, 2,{"b":3}],"c":{},"d":"x"}`:      nil,
		`{"a":[1,{"b":3}],"c":{}}`:                 {{node: at("/d"), drop: true}, {node: at("/a/1"), drop: true}},
		`{"a":[],"d":"x"}`:                         {{node: at("/c"), drop: true}, {node: at("/a/0"), drop: true}, {node: at("/a/1"), drop: true}, {node: at("/a/2"), drop: true}},
		`{"a":[1,2,{"n":0,"b":3}],"c":{},"d":[]}`:  {{node: at("/a/2"), member: []byte(`"n":0`)}, {node: at("/d"), value: []byte("[]")}},
		`{"a":[1, 2,{"b":3}],"c":{"n":0},"d":"x"}`: {{node: at("/c"), member: []byte(`"n":0`)}},
		`{"a":[1,2,{}],"c":{},"d":"x"}`:            {{node: at("/a/2/b"), drop: true}},
	} {
		if got := string(rewrite(&tape, edits)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The changes to a document are those it calls for, and mean what they say.
func TestChanges(t *testing.T) {
	node := `{"type":"T","name":"a node that is long enough to be repeated by reference, once more"}`
	data := `,"picture":"data:image/png;base64,` + strings.Repeat("A", 400) + `"`
	for name, test := range map[string]struct {
		doc  *Document
		want []string
		show func(e *Explainer, c []change) string
	}{
		"minimal":     {doc: &Document{JSON: []byte(`{"@context":["https://www.w3.org/ns/credentials/v2"],"type":"VerifiableCredential","issuer":"did:example:i","credentialSubject":{"id":"did:example:s"}}`)}},
		"simple":      {doc: named(t, "simple-20")},
		"two nodes":   {doc: given(""), want: []string{"an id for 3 unnamed nodes", "without a context that is not used: one inside the document"}},
		"a picture":   {doc: given(data), want: []string{"an id for", "1 data URI of 424 bytes", "without a context"}},
		"a repeat":    {doc: given(`,"c":` + node + `,"d":` + node), want: []string{"an id for", "1 node that repeat", "without a context"}},
		"a badge":     {doc: named(t, "ob3"), want: []string{"an id for 27 unnamed nodes", "5 nodes that repeat", "a flat context in place of type-scoped ones: 16 scoped contexts entered, not 67"}},
		"a CLR":       {doc: named(t, "clr-small"), want: []string{"an id for", "2 nodes that repeat", "a flat context"}},
		"ELM, no ids": {doc: named(t, "elm-small"), want: []string{"4 nodes that repeat"}},
	} {
		e := explainer(t, test.doc, Options{})
		changes := e.changes(context.Background())
		if len(changes) != len(test.want) {
			for _, c := range changes {
				t.Logf("%s: %s", name, c.what)
			}
			t.Errorf("%s: %d changes, want %d", name, len(changes), len(test.want))
			continue
		}
		for i, c := range changes {
			a := e.count(context.Background(), c.doc)
			if !strings.HasPrefix(c.what, test.want[i]) || a == nil || len(c.breaks) == 0 {
				t.Errorf("%s: %q, want %q", name, c.what, test.want[i])
				continue
			}
			if strings.HasPrefix(c.what, "an id") && (a.Total.Blank >= e.report.Total.Blank || a.Total.Quads != e.report.Total.Quads) {
				t.Errorf("%s: %+v with ids, %+v before", name, a.Total, e.report.Total)
			}
			if strings.HasPrefix(c.what, "without a context") && (a.Total != e.report.Total || strings.Contains(string(c.doc), "unused")) {
				t.Errorf("%s: without a context %+v, %+v before", name, a.Total, e.report.Total)
			}
		}
	}
}

// Every document without parts is one that the engine accepts, has the whole first, and lacks the parts.
func TestVariants(t *testing.T) {
	e := explainer(t, named(t, "ob3"), Options{})
	docs, all := e.variants([]int{0}, map[int]bool{}, 12)
	if len(all) != 1 || len(docs) > 12 || len(all[0].children) < 4 || all[0].shell == 0 || all[0].restDoc == 0 {
		t.Fatalf("%d documents, %+v", len(docs), all)
	}
	for i, c := range all[0].children {
		a := e.count(context.Background(), docs[all[0].variants[i]])
		if a == nil {
			t.Fatalf("without %s: refused", e.report.Parts[c].Pointer)
		}
		gone := e.report.Parts[c].All
		if less := e.report.Total.Quads - a.Total.Quads; less > gone.Quads || less < gone.Quads-gone.Shared {
			t.Errorf("without %s: %d quads less, of %+v", e.report.Parts[c].Pointer, less, gone)
		}
	}
}

// A measurement, however noisy, has all figures: of the whole, of its parts and of the states of its contexts.
func TestMeasure(t *testing.T) {
	for _, suite := range []string{"", "eddsa-rdfc-2022"} {
		d := named(t, "ob-small")
		e := explainer(t, d, Options{Seconds: 3, Suite: suite, Engines: []canon.Engine{canon.Stock, canon.Native}})
		for _, step := range []func(context.Context) error{e.Probe, e.Measure, e.Advise} {
			if err := step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if len(e.active) < 2 {
			t.Skip("the machine is too busy for this test")
		}
		r := e.report
		if len(r.Costs) != 2 || r.Costs[0].Engine != canon.Stock || len(r.Costs[0].States) != 2 || len(r.Costs[1].States) != 3 {
			t.Fatalf("%+v", r.Costs)
		}
		for _, c := range r.Costs {
			if !c.Whole.Bounded() || c.Whole.Center <= 0 || c.find("") == nil || len(c.Parts) < 2 {
				t.Errorf("%s %q: %+v", c.Engine, suite, c)
			}
		}
		for _, a := range r.Advice {
			if a.Ratio.High >= 1 || len(a.Breaks) == 0 {
				t.Errorf("advice without a gain: %+v", a)
			}
		}
		if n := len(r.Advice) + len(r.Without); n != 2*r.Tried {
			t.Errorf("%d outcomes of %d changes and 2 engines", n, r.Tried)
		}
	}
}

// The costs of parts, their rest, their shell and the interaction are the cost of the part.
func TestAddsUp(t *testing.T) {
	e := explainer(t, given(""), Options{})
	e.report.Costs, e.active = []Cost{{Engine: canon.Native}}, []int{0}
	block := func(ns ...float64) stats.Sample {
		s := stats.Sample{}
		for i, v := range ns {
			s[i] = v
		}
		return s
	}
	// The whole takes 100, 20 less without the first part, 30 without the second, 70 without both, in blocks of
	// which one is twice as slow.
	times := samples{{block(100, 101, 200, 99), block(80, 81, 160, 79), block(70, 70, 140, 70), block(30, 30, 60, 30)}}
	parts := e.children(0)[:2]
	x := expansion{part: 0, children: parts, variants: []int{1, 2}, shell: 3}
	tests := e.judge(&x, times)
	stats.Correct(tests)
	e.show(tests)
	c := &e.report.Costs[0]
	all := c.find("")
	near := func(got, want float64) bool { return got > 0.97*want && got < 1.03*want }
	whole := c.Whole.Center
	if !near(c.Parts[0].Cost.Center, 0.2*whole) || !near(c.Parts[1].Cost.Center, 0.3*whole) || !c.Parts[0].Shown {
		t.Errorf("%+v of %v", c.Parts, whole)
	}
	if sum := all.Shell.Center + c.Parts[0].Cost.Center + c.Parts[1].Cost.Center + all.Interaction.Center; !near(sum, whole) {
		t.Errorf("%v in all, %v whole", sum, whole)
	}
	if !near(all.Interaction.Center, 0.2*whole) || all.Why == "" {
		t.Errorf("interaction %+v: %q", all.Interaction, all.Why)
	}
	if c.self("") >= int64(whole) || c.self("/nowhere") != 0 {
		t.Errorf("self %d of %v", c.self(""), whole)
	}
}

// A part that costs nothing is noise, also beside many others.
func TestNoise(t *testing.T) {
	e := explainer(t, given(""), Options{})
	e.report.Costs, e.active = []Cost{{Engine: canon.Native}}, []int{0}
	whole := stats.Sample{0: 100, 1: 104, 2: 98, 3: 101}
	times := samples{{whole, {0: 101, 1: 103, 2: 97, 3: 102}}}
	tests := e.judge(&expansion{children: e.children(0)[:1], variants: []int{1}}, times)
	stats.Correct(tests)
	e.show(tests)
	if p := e.report.Costs[0].Parts[0]; p.Shown {
		t.Errorf("%+v", p)
	}
}

// The samples of a profile sum to the totals, and their stacks are the pointers.
func TestProfile(t *testing.T) {
	r := counted(t, named(t, "ob3"))
	var b bytes.Buffer
	if err := Profile(&b, r); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	sums := make([]int64, 3)
	found := false
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
		var path []string
		for _, l := range s.Location {
			path = append(path, l.Line[0].Function.Name)
		}
		found = found || slices.Equal(path, []string{"name", "achievement", "credentialSubject", "document"})
	}
	want := []int64{int64(r.Total.Quads), int64(r.Total.Bytes), int64(r.Total.Hashes())}
	if !slices.Equal(sums, want) || !found {
		t.Errorf("sums %v, want %v; the name was found: %v", sums, want, found)
	}
}

const hostile = `,"h":{"@context":{"<script>alert(1)":"urn:v#1","\u202Eevil\u0007\u001b[31m":"urn:v#2","]]>":"urn:v#3",
	"a\nb":"urn:v#4"},"<script>alert(1)":"1","\u202Eevil\u0007\u001b[31m":{"]]>":"2","a\nb":"3"},"long%s":"4"}`

// Hostile names stay text on lines of 80 columns, with a golden file for the rest.
func TestText(t *testing.T) {
	r := counted(t, given(fmt.Sprintf(hostile, strings.Repeat("x", 300))))
	r.Document = "a\x1b[31m\nname"
	estimate := func(center float64) stats.Estimate {
		return stats.Estimate{Center: center, Low: center * 0.9, High: center * 1.1, N: 8}
	}
	together := estimate(9000)
	r.Costs = []Cost{{Engine: canon.Native, Operation: "canonize", Contexts: compare.Warm, Whole: estimate(45_600),
		States: []State{{compare.Cold, estimate(1_234_567)}, {compare.Warm, estimate(45_600)}},
		Parts: []PartCost{{Pointer: "", Cost: estimate(45_600), Shown: true, Interaction: &together, Why: "why"},
			{Pointer: "/credentialSubject", Cost: estimate(30_000), Shown: true},
			{Pointer: "/credentialSubject/a", Cost: estimate(10_000), Shown: true}, {Pointer: "/issuer", Cost: estimate(1)}}}}
	r.Tried = 2
	r.Advice = []Advice{{Change: "less of \u202E it", Breaks: []string{"a reader"}, Engine: canon.Native,
		Before: estimate(45_600), After: estimate(40_000), Ratio: stats.Estimate{Center: 0.877, Low: 0.86, High: 0.89, N: 8}}}
	r.Without = []Advice{{Change: "more of it", Engine: canon.Native, Before: estimate(45_600), After: estimate(45_000),
		Ratio: stats.Estimate{Center: 0.987, Low: 0.96, High: 1.01, N: 8}}}
	var b bytes.Buffer
	if err := Text(&b, r, 12); err != nil {
		t.Fatal(err)
	}
	golden(t, "text.txt", b.Bytes())

	b.Reset()
	if err := DiffText(&b, Compare(counted(t, given("")), r), 12); err != nil {
		t.Fatal(err)
	}
	golden(t, "diff.txt", b.Bytes())
	var profiled bytes.Buffer
	if err := Profile(&profiled, r); err != nil {
		t.Error(err)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	for line := range strings.Lines(string(got)) {
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line) > columns || line != printable.Line(line) {
			t.Errorf("%s: a line of %d columns: %q", name, utf8.RuneCountInString(line), line)
		}
	}
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
		t.Errorf("%s differs; go test -update writes it anew:\n%s", path, got)
	}
}

// A report is read back as it was, and of two equal ones nothing differs.
func TestCompare(t *testing.T) {
	a, b := counted(t, given("")), counted(t, given(`,"more":"x"`))
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var read Report
	if err := json.Unmarshal(text, &read); err != nil || !IsReport(text) || IsReport(b.doc()) {
		t.Fatal(err)
	}
	d := Compare(a, &read)
	if len(d.Parts) != 1 || d.Parts[0].Name != "/credentialSubject/more" || d.Parts[0].After.Quads != 1 || len(d.Terms) != 1 {
		t.Errorf("%+v", d)
	}
	if d := Compare(b, &read); len(d.Parts)+len(d.Terms) != 0 {
		t.Errorf("%+v", d)
	}
}

func (r *Report) doc() []byte { return []byte(`{"@context":{},"version":1}`) }

// Work of another version and documents that an engine refuses are errors of the process, not figures.
func TestServe(t *testing.T) {
	for in, want := range map[string]string{
		`{`: "", `{"version":9}`: "version 9", `{"version":1,"cell":"x"}`: "not key=value",
	} {
		var out bytes.Buffer
		err := Serve(strings.NewReader(in), &out)
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", in)
			}
		} else if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v %s", in, err, &out)
		}
	}
	e := explainer(t, given(""), Options{})
	_, err := e.opt.Process.run(context.Background(), &work{Version: Version, Cell: e.cells[0].ID(), Now: time.Now(),
		Documents: [][]byte{e.doc.JSON, []byte(`{"@context":{},"none":1}`)}})
	if err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}
