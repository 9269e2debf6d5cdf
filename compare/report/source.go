package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"canonscope/canon/phase"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/compare/stats"
)

// Source is what a results folder, or a file of another tool, has of costs.
type Source struct {
	Name   string
	Figure string // what was measured
	Facts  []Fact // under which they were measured
	Cells  []SourceCell
	Notes  []string // what a reader must know of it: that the campaign was interrupted

	// Disturbed reports that the campaign calls itself noisy or unfit: verdicts on it and another one are
	// withheld.
	Disturbed bool
}

// Fact is one of the things that may differ between sources.
type Fact struct{ Group, Name, Value string }

// Groups of facts. Sources whose machines differ are compared only if that is wanted.
const (
	machineFacts     = "machine"
	environmentFacts = "environment"
	binaryFacts      = "binary"
	rulesFacts       = "rules"
	inputsFacts      = "inputs"

	workOf = "work of " // begins the name of a fact about a cell
)

// SourceCell is an operation with the cost in each process, in nanoseconds.
type SourceCell struct {
	ID      string
	Cell    compare.Cell // zero if another tool has measured it
	Control bool         // it is below all formats and the same work in every version
	Cost    stats.Sample
	Missing string // why there is no cost
	Shares  [phase.Count]float64
	Samples int64 // that the shares rest on; 0 without a profile
}

// ReadSource reads a results folder, a folder of the raw files of the 2026 study, or a file with Go benchmark
// text.
func ReadSource(path string) (*Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readBenchmarks(path)
	}

	raw, err := studyFiles(path)
	if err != nil {
		return nil, err
	}
	if len(raw) > 0 {
		return readStudy(path, raw)
	}

	l, err := measure.Load(path)
	if err != nil {
		return nil, err
	}
	return SourceOf(path, l.Campaign), nil
}

// SourceOf is a campaign as a source.
func SourceOf(name string, c *compare.Campaign) *Source {
	s := &Source{Name: name, Figure: "process CPU", Facts: factsOf(c)}
	switch {
	case c.Interrupted:
		s.Notes = append(s.Notes, "it was interrupted")
	case c.Stopped != "":
		s.Notes = append(s.Notes, "it was stopped: "+c.Stopped)
	}
	if f := c.Fitness; f != nil && f.State != compare.Quiet {
		s.Disturbed = true
		s.Notes = append(s.Notes, "its machine was "+string(f.State))
	}

	for i := range c.Results {
		r := &c.Results[i]
		cell := SourceCell{ID: r.ID, Cell: r.Cell, Control: r.Cell.Format == compare.Floor,
			Missing: reason(r)}
		if r.State == compare.Measured && len(r.Runs) > 0 {
			cell.Cost, cell.Missing = cpuOf(r), ""
			if p := r.Profile; p != nil {
				cell.Shares, cell.Samples = shares(p.Attribution.Costs()), samplesOf(&p.Attribution)
			}
		}
		s.Cells = append(s.Cells, cell)
	}

	return s
}

// factsOf lists what campaigns may differ in, except their time and the load.
func factsOf(c *compare.Campaign) []Fact {
	var out []Fact
	add := func(group, name, value string) { out = append(out, Fact{group, name, value}) }
	for _, name := range slices.Sorted(maps.Keys(c.Environment)) {
		group := environmentFacts
		switch {
		case slices.Contains([]string{"goos", "goarch", "cpu", "cpus", "hypervisor"}, name):
			group = machineFacts
		case name == "load" || name == "mhz":
			continue
		case name == "binary" || name == "go" || strings.HasPrefix(name, "build ") ||
			strings.HasPrefix(name, "module "):
			group = binaryFacts
		}
		add(group, name, c.Environment[name])
	}

	for i := range c.Results {
		if p := c.Results[i].Profile; p != nil {
			add(rulesFacts, "frame rules", p.Attribution.Rules)
			break
		}
	}

	add(inputsFacts, "seed", strconv.FormatUint(c.Seed, 10))
	add(inputsFacts, "documents", strconv.Itoa(c.Documents))
	add(inputsFacts, "window", windowOf(c.Window))
	for _, g := range c.Given {
		add(inputsFacts, "bytes of "+printable.Line(g.Name), g.SHA256)
	}
	for i := range c.Results {
		if r := &c.Results[i]; r.Work.Documents > 0 {
			n := r.Work.Counters
			add(inputsFacts, workOf+r.ID, fmt.Sprintf("%d quads, %d canonicalizations, %d digests, "+
				"%d salts, %d signatures, %d verifications", r.Work.Quads, n.Canonicalizations, n.Digests,
				n.Salts, n.Signatures, n.Verifications))
		}
	}

	return out
}

// readBenchmarks reads Go benchmark text: each line is one process.
func readBenchmarks(path string) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	s := &Source{Name: path, Figure: "time of Go benchmarks"}
	facts, at := make(map[string]string), make(map[string]int)
	r := benchfmt.NewReader(f, path)
	for r.Scan() {
		var wrong *benchfmt.SyntaxError
		res, ok := r.Result().(*benchfmt.Result)
		if !ok {
			if wrong, ok = r.Result().(*benchfmt.SyntaxError); ok {
				return nil, wrong
			}
			continue
		}
		v, ok := res.Value("sec/op")
		if !ok {
			continue
		}
		id := string(res.Name)
		if pkg := res.GetConfig("pkg"); pkg != "" {
			id = pkg + " " + id
		}
		k, ok := at[id]
		if !ok {
			k = len(s.Cells)
			at[id] = k
			s.Cells = append(s.Cells, SourceCell{ID: id, Cost: make(stats.Sample),
				Control: strings.Contains(id, "/format="+string(compare.Floor)+"/")})
		}
		s.Cells[k].Cost[len(s.Cells[k].Cost)] = 1e9 * v
		for _, key := range []string{"goos", "goarch", "cpu", "go", "kernel"} {
			if value := res.GetConfig(key); value != "" {
				facts[key] = value
			}
		}
	}

	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(s.Cells) == 0 {
		return nil, fmt.Errorf("%s is neither a results folder nor Go benchmark text: it has no line "+
			"with ns/op or sec/op", path)
	}

	for _, key := range slices.Sorted(maps.Keys(facts)) {
		group := map[string]string{"go": binaryFacts, "kernel": environmentFacts}[key]
		s.Facts = append(s.Facts, Fact{cmp.Or(group, machineFacts), key, facts[key]})
	}
	return s, nil
}

// studyFile is the name of a raw file of the study: language, format and process.
var studyFile = regexp.MustCompile(`^(\w+?)_([\w.-]+)_run(\d+)\.json$`)

func studyFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if studyFile.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// readStudy reads raw files of the study. The value of a process is the median of its timings, as there.
func readStudy(dir string, names []string) (*Source, error) {
	s := &Source{Name: dir, Figure: "median wall time of each process"}
	at := make(map[string]int)
	for _, name := range names {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		timings, err := studyTimings(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}

		parts := studyFile.FindStringSubmatch(name)
		run, err := strconv.Atoi(parts[3])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, key := range slices.Sorted(maps.Keys(timings)) {
			id := printable.Line(parts[1] + " " + key)
			k, ok := at[id]
			if !ok {
				k = len(s.Cells)
				at[id] = k
				s.Cells = append(s.Cells, SourceCell{ID: id, Cost: make(stats.Sample)})
			}
			if _, ok := s.Cells[k].Cost[run]; ok {
				return nil, fmt.Errorf("%s: another file has %s of run %d as well", path, id, run)
			}
			s.Cells[k].Cost[run] = stats.Quantile(timings[key], 0.5)[0]
		}
	}
	return s, nil
}

// studyTimings reads the nanoseconds of each "format/implementation/operation", either at the top or as the
// member timings_ns, whether of the file or of each key.
func studyTimings(b []byte) (map[string][]float64, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(b, &top); err != nil {
		return nil, err
	}
	const member = "timings_ns"
	if inner, ok := top[member]; ok {
		top = nil
		if err := json.Unmarshal(inner, &top); err != nil {
			return nil, fmt.Errorf("%s: %w", member, err)
		}
	}

	out := make(map[string][]float64)
	for key, value := range top {
		if strings.Count(key, "/") != 2 {
			continue // about the machine
		}
		var of struct {
			Timings []float64 `json:"timings_ns"`
		}
		err := json.Unmarshal(value, &of.Timings)
		if err != nil {
			err = json.Unmarshal(value, &of)
		}
		if err != nil || len(of.Timings) == 0 {
			return nil, fmt.Errorf("%q has no list of nanoseconds", key)
		}
		out[key] = of.Timings
	}
	if len(out) == 0 {
		return nil, errors.New(`there is no "format/implementation/operation" with nanoseconds`)
	}
	return out, nil
}
