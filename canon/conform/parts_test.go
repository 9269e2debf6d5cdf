package conform

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
)

func TestAnswer(t *testing.T) {
	wrong, unsupported := errors.New("wrong"), &canon.UnsupportedError{Engine: "e", What: "x"}
	for _, c := range []struct {
		expect  string
		err     error
		outcome Outcome
		reason  string
	}{
		{"accept", nil, Passed, ""}, {"accept", wrong, Failed, "wrong"}, {"accept", unsupported, Skipped, "e does not support x"},
		{"reject", wrong, Passed, ""}, {"reject", nil, Failed, "must be refused"},
		{"policy", nil, Skipped, "accepted"}, {"policy", wrong, Skipped, "wrong"},
		{"", wrong, Failed, "unknown"},
	} {
		r := Result{Test: "t"}.Answer(c.expect, c.err)
		if r.Outcome != c.outcome || (r.Reason == "") != (c.reason == "") || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%q answered with %v: %+v", c.expect, c.err, r)
		}
	}
}

func TestParts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a [name") // not a pattern
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b-2.json", "b-1.json", "a.json", "a.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"id": "`+name+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(file string) ([]Result, error) {
		var in struct{ ID string }
		err := ReadJSON(&in, file)
		return []Result{{Test: in.ID}}, err
	}
	results, err := Parts(dir, []Part{{"b-*.json", read}, {"c.json", read}, {"a.json", read}})
	if want := []Result{{Test: "b-1.json"}, {Test: "b-2.json"}, {Test: "a.json"}}; err != nil || !slices.Equal(results, want) {
		t.Errorf("%v, %v", results, err)
	}
	none := func(string) ([]Result, error) { return nil, nil }
	if _, err := Parts(dir, []Part{{"a.json", none}, {"c.json", read}}); err == nil || !strings.Contains(err.Error(), "no tests in a.json, c.json") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Parts(dir, []Part{{"*.json", read}}); err == nil || !strings.Contains(err.Error(), "a.json: ") {
		t.Error(err)
	}
	var in struct{ ID int }
	if err := ReadJSON(&in, dir, "b-1.json"); err == nil || !strings.HasSuffix(err.Error(), "b-1.json is not a file of the suite: ID cannot be a JSON string") {
		t.Error(err)
	}
	if err := ReadJSON(new(any), dir, "c.json"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
