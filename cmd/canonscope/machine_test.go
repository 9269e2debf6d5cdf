package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"canonscope/canon/conform/official"
	"canonscope/compare"
	"canonscope/compare/predict"
	"canonscope/compare/study"
)

// The default run ends within a minute on a machine that does nothing else. It has five processes of simple-20
// with EdDSA and with ecdsa-sd-2023, in both engines, and of ob3 as many as fit, at least one.
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
		least := map[string]int{"simple-20": 5, "ob3": 1}[r.Cell.Schema]
		if r.Cell.Algorithm == "ES256" && r.Cell.Suite != "ecdsa-sd-2023" {
			least = 0 // the baselines come last
		}
		if r.State != compare.Unsupported && len(r.Runs) < least {
			t.Errorf("%s: %d processes: %s: %s", r.ID, len(r.Runs), r.State, r.Reason)
		}
		if r.State == compare.Measured && r.Profile == nil && r.Cell.Format != compare.Floor {
			t.Errorf("%s: no profile: %s", r.ID, r.Reason)
		}
	}
}

// The quick study ends within ten minutes on a machine that does nothing else, and judges 40 claims or more.
func TestQuickStudy(t *testing.T) {
	machine(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "study")
	script := []byte("exec canonscope study --quick --out " + out + "\n")
	if err := os.WriteFile(filepath.Join(dir, "study.txtar"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("study", func(t *testing.T) { testscript.Run(t, testscript.Params{Dir: dir}) })
	text, err := os.ReadFile(filepath.Join(out, "study.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s study.Study
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.Took > 600 {
		t.Errorf("it took %.0f s", s.Took)
	}
	judged := 0
	for _, c := range s.Claims {
		if c.Verdict != study.Open {
			judged++
		}
		if c.Verdict == "" || c.Why == "" {
			t.Errorf("claim %d has no verdict or reason", c.N)
		}
	}
	if judged < 40 {
		t.Errorf("%d claims were judged", judged)
	}
}

// Of the education samples that are credentials, nine of ten cost what a model of the catalogue predicts, within
// 15 %, on a machine that does nothing else.
func TestPredictedSamples(t *testing.T) {
	machine(t)
	samples, err := filepath.Glob(filepath.Join(official.Dir(t, "education"), "examples", "*.json"))
	if err != nil || len(samples) == 0 {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := []byte("exec canonscope predict --out " + filepath.Join(dir, "model") + " simple-20\n")
	for i, file := range samples {
		if strings.Contains(file, "-err-") {
			continue // like others, but for a mistake
		}
		script = fmt.Appendf(script, "exec sh -c 'canonscope predict --model %s --check --json %s > %s || true'\n",
			filepath.Join(dir, "model"), file, filepath.Join(dir, fmt.Sprint(i)))
	}
	if err := os.WriteFile(filepath.Join(dir, "predict.txtar"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("predict", func(t *testing.T) { testscript.Run(t, testscript.Params{Dir: dir}) })

	within, of := make(map[compare.Operation]int), make(map[compare.Operation]int)
	for i, file := range samples {
		if strings.Contains(file, "-err-") {
			continue // like others, but for a mistake
		}
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) == 0 {
			continue // it is not a credential that can be issued
		}
		var r predict.Report
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, row := range r.Rows {
			if row.Off == nil {
				continue
			}
			op := row.Model.Cell.Operation
			if of[op]++; math.Abs(row.Off.Center) <= 0.15 {
				within[op]++
			}
			t.Logf("%s, %s: off by %+.1f %%, beyond the catalogue: %v", filepath.Base(file), op, 100*row.Off.Center, row.Beyond)
		}
	}
	for op, n := range of {
		t.Logf("%s: %d of %d within 15 %%", op, within[op], n)
		if within[op]*10 < 9*n {
			t.Errorf("%s: %d of %d within 15 %%", op, within[op], n)
		}
	}
	if len(of) < 2 {
		t.Errorf("operations: %v", of)
	}
}
