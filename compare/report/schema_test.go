package report_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/profiles"
)

// results.json is as testdata/results.schema.json describes it, every member of it included.
func TestResultsSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/results.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("results.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("results.schema.json")
	if err != nil {
		t.Fatal(err)
	}

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
	for name, r := range map[string]*report.Report{
		"exchanges": report.New(made(), matrix.Formats, nil), "allocations": report.New(allocated, matrix.Formats, nil),
		"documents": report.New(canonized(), matrix.Formats, nil),
		"growth":    report.New(along, matrix.Formats, experiments),
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
