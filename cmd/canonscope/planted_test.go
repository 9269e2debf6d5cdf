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

// build builds the command and its tests with planted work.
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
		{"test", "-c", "-overlay", file, "-o", loops, "."}} {
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
	Ratios      map[string]stats.Estimate            `json:"issue_verify_to"`
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
	return readResults(t, dir)
}

// readResults reads those of a folder.
func readResults(t *testing.T, dir string) *results {
	t.Helper()
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

// straight is what a process of a second says that an operation costs in a straight loop, in nanoseconds of CPU,
// with so many bytes alive.
func straight(t *testing.T, loops, id string, alive int64) (ns float64) {
	t.Helper()
	cmd := exec.Command(loops, "-test.run", "^TestLoop$")
	cmd.Env = append(os.Environ(), "CANONSCOPE_LOOP="+id, fmt.Sprint("CANONSCOPE_LOOP_HEAP=", alive))
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", id, err, text)
	}
	if _, err := fmt.Sscanf(string(text), "loop %f ns", &ns); err != nil {
		t.Fatalf("%s: %v\n%s", id, err, text)
	}
	return ns
}

// center is the geometric mean, as that of a table.
func center(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// Work that is planted in a phase is found there, and as large as it is. Builds with and without it, and their
// loops, run in turn: a host may be a third slower some minutes later.
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
			planted, plantedLoops := build(t, test.plants...)
			r := campaign(t, command, append(args, "--binary", "plain="+command, "--binary", "planted="+planted)...)
			var base, row resultRow
			for _, x := range r.Rows {
				switch {
				case strings.Contains(x.ID, "build=plain"):
					base = x
				case strings.Contains(x.ID, "build=planted"):
					row = x
				}
			}
			total, now := base.CPU[compare.Canonize], row.CPU[compare.Canonize]
			if total.N == 0 || now.N == 0 {
				t.Fatalf("rows %+v", r.Rows)
			}

			var plain, ratios []float64
			for range 10 {
				before := straight(t, loops, id, r.Results[0].Runs[0].LiveHeap)
				plain = append(plain, before)
				ratios = append(ratios, straight(t, plantedLoops, id, r.Results[0].Runs[0].LiveHeap)/before)
			}
			more := total.Center * (center(ratios) - 1)
			t.Logf("without: %.1f µs (%.1f to %.1f), loop %.1f", total.Center/1e3, total.Low/1e3, total.High/1e3, center(plain)/1e3)

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
				if !(math.Abs(delta-more) <= half) {
					t.Errorf("label costs %.1f ± %.1f µs more, not %.1f", delta/1e3, half/1e3, more/1e3)
				}
				return
			}

			_, whole := in(base.Phases, row.Phases)
			if got := now.Center - total.Center; !(math.Abs(got-more) <= whole+0.05*more) {
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
