package report_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/profiles"
)

// schemaOf compiles a JSON Schema in testdata.
func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// What compare prints as JSON is as testdata/compare.schema.json describes it: with changes and without, and of
// sources that have no control, no profile, or cells that the other one lacks.
func TestCompareSchema(t *testing.T) {
	schema := schemaOf(t, "compare.schema.json")
	r := rand.New(rand.NewPCG(3, 0))
	slow := func(c compare.Cell, p phase.Phase) float64 {
		if c.Operation == compare.Verify && p == phase.Label {
			return 3
		}
		return 1
	}
	base, more, bare := simulated(r, 3, 5, nil), simulated(r, 4, 5, slow), simulated(r, 2, 2, nil)
	for i := range bare.Results {
		bare.Results[i].Profile = nil
	}
	bare.Results = bare.Results[:4]
	bare.Fitness.State = compare.Noisy
	changed := compared(t, base, more, 0.1)
	if len(changed.Cells[0].Phases) == 0 || changed.Control == nil || len(changed.Unpaired) == 0 {
		t.Fatalf("the comparison has not all that is to be described: %+v", changed)
	}
	for name, all := range map[string][]*report.Comparison{
		"changes": {changed}, "two": {compared(t, base, simulated(r, 3, 5, nil), 0.1), compared(t, base, bare, 0.1)}, "nothing": nil,
	} {
		var out bytes.Buffer
		if err := report.ComparisonsJSON(&out, all); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		value.(map[string]any)["version"] = 2
		if schema.Validate(value) == nil {
			t.Errorf("%s: another version is valid", name)
		}
	}
}

// results.json is as testdata/results.schema.json describes it, every member of it included.
func TestResultsSchema(t *testing.T) {
	schema := schemaOf(t, "results.schema.json")
	allocated := made()
	for i := range allocated.Results {
		r := &allocated.Results[i]
		r.Raw = &compare.Raw{Ops: 3, File: "raw/x.csv"}
		if r.Profile != nil {
			var a profiles.Attribution
			a.Foreground[0] = profiles.Count{Samples: 1, Value: 512}
			r.Allocs = &compare.Allocs{Attribution: a, Ops: 3, Bytes: 600, Pprof: "p", Flame: "f"}
		}
	}
	along, experiments := grown()
	away := made()
	away.Machines = []compare.Machine{{Worker: "one", Processes: 2, Fitness: away.Fitness}, {Worker: "two"}}
	away.Faults = []string{"one: the server was out of reach for 3s"}
	for name, r := range map[string]*report.Report{
		"exchanges": report.New(made(), matrix.Formats, nil), "allocations": report.New(allocated, matrix.Formats, nil),
		"documents": report.New(canonized(), matrix.Formats, nil),
		"growth":    report.New(along, matrix.Formats, experiments),
		"away":      report.New(away, matrix.Formats, nil),
		"nothing":   report.New(&compare.Campaign{Version: compare.Version}, matrix.Formats, nil),
	} {
		var out bytes.Buffer
		if err := r.JSON(&out); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(out.String()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		value.(map[string]any)["version"] = 4
		if schema.Validate(value) == nil {
			t.Errorf("%s: another version is valid", name)
		}
	}
}
