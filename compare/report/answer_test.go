package report_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/compare/stats"
	"canonscope/profiles"
	"canonscope/vcdm/keys"
)

// measured is a campaign of a schema: what issue and verify cost each row, in µs, and by how much processes differ.
type measured struct {
	sd     float64
	random *rand.Rand
	c      *compare.Campaign
}

func measuring(sd float64, seed uint64) *measured {
	return &measured{sd: sd, random: rand.New(rand.NewPCG(seed, 1)), c: &compare.Campaign{Version: compare.Version, Planned: 10, Runs: 10, Documents: 64,
		Environment: map[string]string{}, Fitness: quiet()}}
}

func (m *measured) add(schema string, format compare.Format, suite string, engine compare.Engine, algorithm compare.Algorithm, contexts compare.ContextState,
	issue, verify float64, signatures int, phases map[phase.Phase]int64,
) {
	for i, op := range compare.Whole {
		cell := compare.Cell{Format: format, Suite: suite, Engine: engine, Algorithm: algorithm, Schema: schema, Operation: op, GC: "100", Procs: 2, Contexts: contexts}
		r := compare.Result{Cell: cell, ID: cell.ID(), State: compare.Measured, Work: compare.Work{Documents: 64, Checks: "signature", Reissued: suite == "eddsa-rdfc-2022"}}
		if op == compare.Issue {
			r.Work.Counters.Signatures = signatures
		} else {
			r.Work.Counters.Verifications = signatures
		}
		for block := range m.c.Runs {
			r.Runs = append(r.Runs, compare.Run{Block: block, Ops: 100, CPU: 1000 * []float64{issue, verify}[i] * (1 + m.sd*m.random.NormFloat64())})
		}
		if phases != nil {
			a := profiles.Attribution{}
			for p, n := range phases {
				a.Foreground[p] = profiles.Count{Samples: n, Value: n * 1e6}
			}
			r.Profile = &compare.Profile{Attribution: a, Ops: 10, CPU: a.Foreground.Total().Value, Coverage: 1, Sampler: "perf"}
		}
		m.c.Results = append(m.c.Results, r)
	}
}

// usual adds what the default measures of a schema.
func (m *measured) usual(schema string, factor float64) {
	where := map[phase.Phase]int64{phase.Context: 400, phase.ToRDF: 300, phase.Parse: 100, phase.Label: 30, phase.Serialize: 20, phase.Sign: 50}
	signs := map[phase.Phase]int64{phase.Sign: 400, phase.Check: 400, phase.Parse: 100}
	const none, embedded, warm = compare.NoContexts, compare.Embedded, compare.Warm
	m.add(schema, "vcdm", "eddsa-rdfc-2022", canon.Stock, keys.EdDSA, embedded, 1000*factor, 1000*factor, 1, where)
	m.add(schema, "sd-jwt-vc", "jws", canon.Stock, keys.EdDSA, none, 120, 120, 1, nil)
	m.add(schema, "mdoc", "cose-sign1", canon.Stock, keys.EdDSA, none, 100, 100, 1, nil)
	m.add(schema, "vcdm", "eddsa-rdfc-2022", canon.Native, keys.EdDSA, embedded, 150, 180, 1, nil)
	m.add(schema, "vcdm", "eddsa-rdfc-2022", canon.Native, keys.EdDSA, warm, 40, 60, 1, nil)
	m.add(schema, "sd-jwt-vc", "jws", canon.Native, keys.EdDSA, none, 43, 63, 1, nil)
	m.add(schema, "mdoc", "cose-sign1", canon.Native, keys.EdDSA, none, 40, 60, 1, nil)
	m.add(schema, "floor", "primitives", canon.Native, keys.EdDSA, none, 20, 40, 1, nil)
	m.add(schema, "vcdm", "ecdsa-sd-2023", canon.Native, keys.ES256, embedded, 900, 1500, 22, signs)
}

func sentences(c *compare.Campaign) []string { return report.NewTable(c, matrix.Formats).Sentences }

// The answer to the default run.
func TestAnswer(t *testing.T) {
	m := measuring(0.01, 1)
	m.usual("simple-20", 1)
	m.usual("ob3", 5)
	got := strings.Join(sentences(m.c), "\n")
	golden(t, "answer.txt", []byte(got+"\n"))
	for _, want := range []string{
		`^With the libraries of today \(stock\), issue \+ verify by eddsa-rdfc-2022 costs more than mdoc: simple-20 \d+\.\d× \[[\d.]+, [\d.]+\], ob3 `,
		`Where that goes, simple-20: context 44 % \[\d+, \d+\] and to-rdf 33 % \[\d+, \d+\] are the two dearest phases, RDFC-1.0 proper \(label \+ serialize\) is 5.6 % \[`,
		`Those libraries cost more than native engines that find contexts in the same state \(embedded\): simple-20 6.\d\d× \[`,
		`With native engines, contexts embedded, bare signatures included, it costs more than mdoc: simple-20 3.`,
		`With native engines, contexts warm, bare signatures included, it costs as much \(within 10%\) as mdoc: simple-20 (1.0|0.9)`,
		`Selective disclosure by ecdsa-sd-2023 makes issue \+ verify cost, native, contexts embedded, more than mdoc: simple-20 2\d.\d× \[[\d.]+, [\d.]+\] \(ES256 to EdDSA\)`,
		`Its signatures: simple-20 has 22 signatures to make and 22 to check, and the phases sign and check are 89 % \[`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}

	// With the bare signatures of its algorithm the part of them is measured.
	for _, schema := range []string{"simple-20", "ob3"} {
		m.add(schema, "floor", "primitives", canon.Native, keys.ES256, compare.NoContexts, 30, 55, 1, nil)
	}
	if got := strings.Join(sentences(m.c), "\n"); !regexp.MustCompile(`22 to check, which alone are most of that, 7\d % \[`).MatchString(got) {
		t.Error(got)
	}
}

// It comes first in the text and in Markdown.
func TestAnswerFirst(t *testing.T) {
	m := measuring(0.01, 1)
	m.usual("simple-20", 1)
	table := report.NewTable(m.c, matrix.Formats)
	var text, markdown bytes.Buffer
	if err := report.Text(&text, m.c, table, false); err != nil {
		t.Fatal(err)
	}
	if err := report.Markdown(&markdown, m.c, table); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), markdown.String()} {
		answer, rows := strings.Index(out, "With the libraries of today"), strings.Index(out, "simple-20, stock engines")
		if rows < 0 {
			rows = strings.Index(out, "simple-20, EdDSA, stock engines")
		}
		if answer < 0 || rows < answer {
			t.Errorf("the answer is at %d, rows at %d:\n%s", answer, rows, out)
		}
	}
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > report.Width {
			t.Errorf("%q is too wide", line)
		}
	}
}

// The number for a slide needs all four schemas and a fit machine, and has its interval and granularity.
func TestSlide(t *testing.T) {
	m := measuring(0.005, 1)
	for _, schema := range []string{"simple-20", "ob3", "clr-medium"} {
		m.usual(schema, 1)
	}
	slide := func() string {
		all := sentences(m.c)
		i := slices.IndexFunc(all, func(s string) bool { return strings.Contains(s, "Net overhead") })
		if i < 0 {
			return ""
		}
		return all[i]
	}
	if got := slide(); got != "" {
		t.Errorf("of three schemas: %s", got)
	}
	m.usual("elm-medium", 1)
	want := `^Net overhead of eddsa-rdfc-2022 over mdoc: (1\.0|0\.9)\d*× \[[01]\.\d+, 1\.\d+\], issue \+ verify less the bare signatures, native engines, EdDSA, contexts warm; ` +
		`the geometric mean over simple-20 \(leaf\), ob3 \(leaf\), clr-medium \(leaf\), elm-medium \(leaf\)\.$`
	if got := slide(); !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("%q", got)
	}
	m.c.Fitness.State = compare.Noisy
	if got := slide(); got != "" || report.NewTable(m.c, matrix.Formats).Overhead.N != 0 {
		t.Errorf("on a noisy machine: %s", got)
	}
}

// What the tool must not say it does not say, whatever a campaign measured.
func TestMustNotSay(t *testing.T) {
	never := map[string]*regexp.Regexp{
		"an absolute time":                      regexp.MustCompile(`\d ?(µs|ms|ns|s)\b`),
		"a ratio without interval":              regexp.MustCompile(`×( [^\[]|$|[^ ])`),
		"a share without interval":              regexp.MustCompile(`\d %( [^\[]|$|[,;.])`),
		"that VCDM is cheaper":                  regexp.MustCompile(`(?i)cheaper|faster|slower|better`),
		"the same work":                         regexp.MustCompile(`(?i)same work`),
		"that the collector is included":        regexp.MustCompile(`(?i)collect|garbage`),
		"a law of growth":                       regexp.MustCompile(`(?i)linear|quadratic|exponent|grows`),
		"an exchange with a re-signed part":     regexp.MustCompile(`†|(?i)exchange|present`),
		"stock against native in other states":  regexp.MustCompile(`native engines that find contexts in the same state \((warm|cold)`),
		"another campaign":                      regexp.MustCompile(`(?i)other campaign|folder|yesterday`),
		"a verdict that is none":                regexp.MustCompile(`(?i)inconclusive|perhaps|probably|significant`),
		"RDFC-1.0 without saying what it means": regexp.MustCompile(`RDFC-1\.0( is|:)`),
	}
	said := 0
	random := rand.New(rand.NewPCG(7, 7))
	for i := range 48 {
		m := measuring([]float64{0.001, 0.02, 0.1, 0.4}[i%4], uint64(i))
		for _, schema := range []string{"simple-20", "ob3"} {
			m.usual(schema, 0.05+random.ExpFloat64())
			if i%3 == 0 {
				m.add(schema, "floor", "primitives", canon.Native, keys.ES256, compare.NoContexts, 30, 55, 1, nil)
			}
		}
		m.c.Fitness.State = []compare.Fit{compare.Quiet, compare.Noisy, compare.Quiet}[i%3]
		table := report.NewTable(m.c, matrix.Formats)
		text := strings.Join(table.Sentences, "\n")
		said += len(table.Sentences)
		for what, pattern := range never {
			if found := pattern.FindString(text); found != "" {
				t.Errorf("it says %s, %q:\n%s", what, found, text)
			}
		}
		if m.c.Fitness.State == compare.Noisy && regexp.MustCompile(`Where that goes|phases|Net overhead`).MatchString(text) {
			t.Errorf("shares on a noisy machine:\n%s", text)
		}
		checkDifferences(t, text)
		// A number is said of a verdict alone, so a table without any has no sentence.
		for k := range table.Rows {
			row := &table.Rows[k]
			for name, v := range row.Verdicts {
				if v.Verdict == stats.Inconclusive && strings.Contains(text, ratio(v.Ratio)) {
					t.Errorf("%s to %s is inconclusive and said:\n%s", row.ID, name, text)
				}
			}
		}
	}
	if said < 150 {
		t.Errorf("it said %d sentences", said)
	}

	for _, f := range []*compare.Fitness{nil, {State: compare.Unfit}} {
		m := measuring(0.01, 1)
		m.usual("simple-20", 1)
		m.c.Fitness = f
		if got := sentences(m.c); got != nil {
			t.Errorf("on a machine that is %+v: %s", f, got)
		}
	}
}

func ratio(e stats.Estimate) string {
	return fmt.Sprintf("[%.4g, %.4g]", e.Low, e.High)
}

var interval = regexp.MustCompile(`(more|less) than [^;]*`)
var bounds = regexp.MustCompile(`× \[([\d.,]+), ([\d.,]+)\]`)

// checkDifferences checks that what is said to differ does so by more than 10 %, of stock engines 15 %.
func checkDifferences(t *testing.T, text string) {
	t.Helper()
	for sentence := range strings.Lines(text) {
		least := 1.1
		if strings.Contains(sentence, "stock") || strings.HasPrefix(sentence, "Those libraries") {
			least = 1.15
		}
		for _, part := range interval.FindAllString(sentence, -1) {
			for _, b := range bounds.FindAllStringSubmatch(part, -1) {
				var low, high float64
				if _, err := fmt.Sscanf(strings.ReplaceAll(b[1]+" "+b[2], ",", ""), "%g %g", &low, &high); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(part, "more") && low < least-0.006 || strings.HasPrefix(part, "less") && high > 1/least+0.006 {
					t.Errorf("it says a difference of too little, %s: %s", b[0], sentence)
				}
			}
		}
	}
}

// A campaign that is not fit says so in every export, with what holds.
func TestFitnessExports(t *testing.T) {
	c := made()
	c.Fitness.State, c.Fitness.Reasons = compare.Unfit, []string{"12 other threads were runnable"}
	table := report.NewTable(c, matrix.Formats)
	var text, markdown, comma, object, bench bytes.Buffer
	for _, err := range []error{report.Text(&text, c, table, false), report.Markdown(&markdown, c, table), report.CSV(&comma, table), report.JSON(&object, c, table), report.Bench(&bench, c)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]struct{ out, want string }{
		"text":     {text.String(), "fitness of the machine: unfit: 12 other threads were runnable (load 1.1"},
		"advice":   {text.String(), "what holds: nothing to conclude from"},
		"Markdown": {markdown.String(), "fitness of the machine: unfit: 12 other"},
		"CSV":      {comma.String(), ",unfit,"},
		"JSON":     {object.String(), `"state": "unfit"`},
		"bench":    {bench.String(), "fitness: unfit\n"},
	} {
		if !strings.Contains(x.out, x.want) {
			t.Errorf("%s has no %q:\n%s", name, x.want, x.out)
		}
	}
	c.Fitness = nil
	if got := report.NewTable(c, matrix.Formats).Fitness; len(got) != 2 || !strings.Contains(got[0], "not known") ||
		!strings.Contains(got[1], "drift: all costs of a block moved together by 1.6%") {
		t.Errorf("%q", got)
	}
}
