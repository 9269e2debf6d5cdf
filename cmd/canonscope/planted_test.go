package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/stats"
)

// machine skips a test that needs a machine to itself.
func machine(t *testing.T) {
	t.Helper()
	if os.Getenv("CANONSCOPE_MACHINE") == "" {
		t.Skip("needs a machine that does nothing else: set CANONSCOPE_MACHINE=1")
	}
}

// plant is work that a build has in addition: text after the line of a file that begins a function.
type plant struct{ file, imports, function, text string }

// build builds the command and the tests of compare/measure with planted work.
func build(t *testing.T, plants ...plant) (command, loops string) {
	t.Helper()
	dir := t.TempDir()
	replace := make(map[string]string)
	for i, p := range plants {
		path, err := filepath.Abs(filepath.Join("../..", p.file))
		if err != nil {
			t.Fatal(err)
		}
		planted := replace[path] // by an earlier plant
		source, err := os.ReadFile(cmp.Or(planted, path))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(source), p.function, p.function+"\n"+p.text, 1)
		text = strings.Replace(text, "import (", "import (\n\t"+p.imports, 1)
		if text == string(source) {
			t.Fatalf("%s has no %s", p.file, p.function)
		}
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(replace[path], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	command, loops = filepath.Join(dir, "canonscope"), filepath.Join(dir, "loops")
	for _, args := range [][]string{{"build", "-overlay", file, "-o", command, "."},
		{"test", "-c", "-overlay", file, "-o", loops, "../../compare/measure"}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	return command, loops
}

// results are those of a campaign.
type results struct {
	compare.Campaign
	Rows []resultRow
}

type resultRow struct {
	ID          string                               `json:"id"`
	CPU         map[compare.Operation]stats.Estimate `json:"cpu_ns"`
	IssueVerify stats.Estimate                       `json:"issue_verify_ns"`
	Exchange    stats.Estimate                       `json:"exchange_ns"`
	Phases      map[string]stats.Estimate            `json:"phases"`
	Charged     map[string]stats.Estimate            `json:"charged_phases"`
}

// campaign runs a build of the command and reads its results.
func campaign(t *testing.T, command string, args ...string) *results {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	if out, err := exec.Command(command, append([]string{"run", "--out", dir}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("run %v: %v\n%s", args, err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r results
	var table struct{ Table struct{ Rows []resultRow } }
	if err := json.Unmarshal(text, &r.Campaign); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	r.Rows = table.Table.Rows
	return &r
}

// straight is what a loop of ten seconds says an operation costs, in nanoseconds of CPU.
func straight(t *testing.T, loops, id string) float64 {
	t.Helper()
	cmd := exec.Command(loops, "-test.run", "^TestLoop$")
	cmd.Env = append(os.Environ(), "CANONSCOPE_LOOP="+id)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", id, err, out)
	}
	var ns float64
	if _, err := fmt.Sscanf(string(out), "loop %f ns", &ns); err != nil {
		t.Fatalf("%s: %v\n%s", id, err, out)
	}
	return ns
}

// Work that is planted in a phase is found there, and as large as it is.
func TestPlantedWork(t *testing.T) {
	machine(t)
	const id = "format=document/suite=rdfc/engine=native/alg=none/schema=ob3/op=canonize/gc=100/procs=2/contexts=warm"
	args := []string{"--operation", "canonize", "--schema", "ob3", "--suite", "rdfc", "--engine", "native", "--runs", "8", "--n", "8000",
		"--profile-seconds", "4", "--allocs"}
	// Arithmetic, not a clock: the kernel's page of clocks has no frames.
	label := plant{file: "canon/rdfc/rdfc.go",
		function: "func (s *State) Label(ctx context.Context, d *rdf.Dataset, opt Options) error {",
		text:     "\tfor i := range 40_000 {\n\t\tplanted = planted*31 ^ i\n\t}"}
	counter := plant{file: "canon/rdfc/rdfc.go", function: `var errNoDataset = errors.New("rdfc: the dataset is nil")`,
		text: "\nvar planted int"}
	parse := plant{file: "canon/jsontape/scan.go", function: "func (t *Tape) Scan(src []byte, opt Options) error {"}
	slice, small := parse, parse
	slice.text = "\tplanted = make([]byte, 200<<10)"
	small.text = "\tfor range 200 << 10 / 64 {\n\t\tplanted = make([]byte, 64)\n\t}"
	variable := plant{file: "canon/jsontape/scan.go", function: "const smallObject = 32", text: "\nvar planted []byte"}

	command, loops := build(t)
	base, baseLoop := campaign(t, command, args...).Rows[0], straight(t, loops, id)
	total := base.CPU[compare.Canonize]
	t.Logf("without: %.1f µs (%.1f to %.1f), loop %.1f", total.Center/1e3, total.Low/1e3, total.High/1e3, baseLoop/1e3)

	for _, test := range []struct {
		name   string
		plants []plant
		phase  string
	}{
		{"arithmetic in label", []plant{counter, label}, "label"},
		{"200 kB in parse", []plant{variable, slice}, "parse"},
		{"small objects in parse", []plant{variable, small}, "parse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			command, loops := build(t, test.plants...)
			row, more := campaign(t, command, args...).Rows[0], straight(t, loops, id)-baseLoop
			now := row.CPU[compare.Canonize]
			// in is what the phases cost more, in nanoseconds, and the half-width of its interval.
			in := func(was, is map[string]stats.Estimate, phases ...string) (delta, half float64) {
				for _, p := range phases {
					a, b := was[p], is[p]
					delta += b.Center*now.Center - a.Center*total.Center
					half = math.Hypot(half, math.Hypot((b.High-b.Low)/2*now.Center, (a.High-a.Low)/2*total.Center))
				}
				return delta, math.Hypot(half, math.Hypot((now.High-now.Low)/2, (total.High-total.Low)/2))
			}
			delta, half := in(base.Phases, row.Phases, test.phase)
			t.Logf("%.1f µs in all, %.1f in a loop; %s +%.1f ± %.1f", (now.Center-total.Center)/1e3, more/1e3, test.phase,
				delta/1e3, half/1e3)
			for p := range row.Phases {
				d, h := in(base.Phases, row.Phases, p)
				t.Logf("  %s %+.1f ± %.1f", p, d/1e3, h/1e3)
			}
			if test.phase == "label" {
				if math.Abs(delta-more) > half {
					t.Errorf("label costs %.1f ± %.1f µs more, not %.1f", delta/1e3, half/1e3, more/1e3)
				}
				return
			}

			_, whole := in(base.Phases, row.Phases)
			if got := now.Center - total.Center; math.Abs(got-more) > whole+0.05*more {
				t.Errorf("%.1f ± %.1f µs more, %.1f in a loop", got/1e3, whole/1e3, more/1e3)
			}
			all, wide := in(base.Phases, row.Phases, "parse", "gc", "runtime")
			charged, _ := in(base.Charged, row.Charged, "parse")
			t.Logf("parse, gc and runtime +%.1f ± %.1f µs; charged to parse +%.1f", all/1e3, wide/1e3, charged/1e3)
			if got := now.Center - total.Center; all+wide < 0.95*got {
				t.Errorf("parse, gc and runtime have %.2f of it", all/got)
			} else if charged < 0.75*got {
				t.Errorf("%.2f of it is charged to parse", charged/got)
			}
		})
	}
}

// Two campaigns of one build do not contradict each other, nor a straight loop over the same calls.
func TestAgainstItself(t *testing.T) {
	machine(t)
	command, loops := build(t)
	const campaigns = 10
	var all []*results
	for range campaigns {
		all = append(all, campaign(t, command))
	}

	type key struct{ row, column string }
	intervals := make(map[key][]stats.Estimate)
	for _, c := range all {
		for _, r := range c.Rows {
			add := func(column string, e stats.Estimate) {
				if e.N > 0 && e.Bounded() {
					intervals[key{r.ID, column}] = append(intervals[key{r.ID, column}], e)
				}
			}
			for op, e := range r.CPU {
				add(string(op), e)
			}
			add("issue + verify", r.IssueVerify)
			add("exchange", r.Exchange)
		}
	}

	type count struct{ pairs, apart int }
	columns := make(map[string]*count)
	for k, es := range intervals {
		engine, _, _ := strings.Cut(k.row[strings.Index(k.row, "engine=")+len("engine="):], "/")
		c := columns[engine+" "+k.column]
		if c == nil {
			c = new(count)
			columns[engine+" "+k.column] = c
		}
		for i := range es {
			for j := range i {
				c.pairs++
				if es[i].Low > es[j].High || es[i].High < es[j].Low {
					c.apart++
				}
			}
		}
	}
	for name, c := range columns {
		t.Logf("%s: %d of %d pairs exclude each other", name, c.apart, c.pairs)
		if float64(c.apart) > 0.02*float64(c.pairs) {
			t.Errorf("%s: %d of %d pairs exclude each other", name, c.apart, c.pairs)
		}
	}

	const policy = "/gc=100/procs=2/contexts="
	held, cases := 0, 0
	for _, cell := range []struct {
		exchange string
		op       compare.Operation
	}{
		{"format=vcdm/suite=eddsa-rdfc-2022/engine=native/alg=EdDSA/schema=simple-20" + policy + "warm", compare.Issue},
		{"format=vcdm/suite=eddsa-rdfc-2022/engine=native/alg=EdDSA/schema=simple-20" + policy + "warm", compare.Verify},
		{"format=sd-jwt-vc/suite=jws/engine=native/alg=EdDSA/schema=simple-20" + policy + "none", compare.Issue},
		{"format=mdoc/suite=cose-sign1/engine=native/alg=EdDSA/schema=simple-20" + policy + "none", compare.Present},
		{"format=vcdm/suite=eddsa-rdfc-2022/engine=stock/alg=EdDSA/schema=simple-20" + policy + "embedded", compare.Verify},
		{"format=mdoc/suite=cose-sign1/engine=stock/alg=EdDSA/schema=simple-20" + policy + "none", compare.Issue},
	} {
		c, err := compare.ParseCell(cell.exchange)
		if err != nil {
			t.Fatal(err)
		}
		ns := straight(t, loops, c.With(cell.op).ID())
		for i, e := range intervals[key{cell.exchange, string(cell.op)}] {
			cases++
			if e.Low <= ns && ns <= e.High {
				held++
			} else {
				t.Logf("campaign %d, %s of %s: %.1f µs in a loop, %.1f to %.1f", i, cell.op, cell.exchange, ns/1e3,
					e.Low/1e3, e.High/1e3)
			}
		}
	}
	t.Logf("the loop lies in %d of %d intervals", held, cases)
	if held < 9*cases/10 {
		t.Errorf("the loop lies in %d of %d intervals", held, cases)
	}
}
