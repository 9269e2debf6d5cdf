package compare_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"canonscope/compare"
)

// Results read back as they were written; those of another version are refused by an error that says what to
// do.
func TestCampaignVersion(t *testing.T) {
	runs := []compare.Run{{Block: 2, Ops: 40, CPU: 12.5, Ending: compare.Rare}}
	want := compare.Campaign{Version: compare.Version, Planned: 5, Runs: 3,
		Results: []compare.Result{{ID: "x", State: compare.Measured, Runs: runs}}}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got compare.Campaign
	if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, old := range []string{`{"version":1,"results":[{"blocks":[]}]}`, `{}`} {
		err := json.Unmarshal([]byte(old), &got)
		var version *compare.VersionError
		if !errors.As(err, &version) {
			t.Errorf("%s: %v", old, err)
		}
	}
	const says = "results of version 1; this program reads version 3: measure again with it"
	if got := (&compare.VersionError{Got: 1}).Error(); got != says {
		t.Errorf("%q, want %q", got, says)
	}
}

// Processes begin at different documents; what they walk counts once.
func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		runs []compare.Run
		want int
	}{
		{nil, 0},
		{[]compare.Run{{First: 0, Ops: 3}, {First: 2, Ops: 2}}, 4},
		{[]compare.Run{{First: 7, Ops: 2}, {First: 0, Ops: 1}}, 2},
		{[]compare.Run{{First: 5, Ops: 1000}}, 8},
	} {
		r := compare.Result{Runs: c.runs}
		if got := r.Documents(8); got != c.want {
			t.Errorf("%+v walk %d of 8 documents, want %d", c.runs, got, c.want)
		}
	}
}
