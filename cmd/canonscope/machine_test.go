package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"canonscope/compare"
)

// The default run ends within a minute on a machine that does nothing else, leaves out nothing of its subset,
// and has five processes of everything.
func TestDefaultMinute(t *testing.T) {
	machine(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "results")
	script := []byte("exec canonscope run --out " + out + "\n")
	if err := os.WriteFile(filepath.Join(dir, "run.txtar"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("run", func(t *testing.T) { testscript.Run(t, testscript.Params{Dir: dir}) })
	text, err := os.ReadFile(filepath.Join(out, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c compare.Campaign
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.Took > 60 {
		t.Errorf("it took %.0f s", c.Took)
	}
	for _, r := range c.Results {
		if r.State != compare.Unsupported && len(r.Runs) != 5 {
			t.Errorf("%s: %d processes: %s: %s", r.ID, len(r.Runs), r.State, r.Reason)
		}
		if r.State == compare.Measured && r.Profile == nil && r.Cell.Format != compare.Floor {
			t.Errorf("%s: no profile: %s", r.ID, r.Reason)
		}
	}
}
