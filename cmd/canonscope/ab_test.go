package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/compare/stats"
)

const gold = "github.com/piprate/json-gold"

// patchedCell is what the patched build costs as a multiple of the release.
type patchedCell struct {
	ID         string
	Comparison struct {
		Ratio   stats.Estimate
		Verdict stats.Verdict
	}
}

// patched runs ab with a patch of json-gold and returns what it prints, its exit status and its cells. The command is built from
// this checkout.
func patched(t *testing.T, dir string, args ...string) (out string, status int, cells []patchedCell) {
	t.Helper()
	command := filepath.Join(t.TempDir(), "canonscope")
	goTool(t, "build", "-o", command, ".")
	folder := filepath.Join(t.TempDir(), "results")
	cmd := exec.Command(command, append([]string{"ab", "--replace", gold + "=" + dir, "--out", folder}, args...)...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}

	results, err := os.ReadFile(filepath.Join(folder, "results.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var found struct {
		Table struct {
			Builds []struct{ Cells []patchedCell }
		}
	}
	if err := json.Unmarshal(results, &found); err != nil || len(found.Table.Builds) != 1 {
		t.Fatalf("%d comparisons, %v", len(found.Table.Builds), err)
	}
	if _, err := os.Stat(filepath.Join(folder, "difference")); status == 0 && err != nil {
		t.Error(err)
	}
	return string(text), status, found.Table.Builds[0].Cells
}

// One command shows what a patch of json-gold gains: with a short-cut before its expression for addresses, verify by stock engines
// costs less, and native engines cost what they did.
func TestPatchGains(t *testing.T) {
	machine(t)
	dir := copyWith(t, gold, "ld/rdf_dataset.go", "func IsURL(str string) bool {", shortURL)
	out, status, cells := patched(t, dir, "--operation", "verify", "--runs", "20")
	t.Log(out)
	if status != 0 || len(cells) != 2 {
		t.Fatalf("exit status %d, %+v", status, cells)
	}
	for _, c := range cells {
		r := c.Comparison.Ratio
		if strings.Contains(c.ID, "engine=stock") && (c.Comparison.Verdict != stats.Faster || r.High >= 1) {
			t.Errorf("stock is %s: %v", c.Comparison.Verdict, r)
		}
		if strings.Contains(c.ID, "engine=native") && c.Comparison.Verdict == stats.Faster {
			t.Errorf("native is %s: %v", c.Comparison.Verdict, r)
		}
	}
}

// A patch of json-gold that drops a quad is refused with that quad, has no time, and the exit status is 1.
func TestPatchRefused(t *testing.T) {
	machine(t) // it builds the command twice
	dir := copyWith(t, gold, "ld/api_normalize.go", "for _, quad := range triples {",
		"\t\t\tif strings.HasSuffix(quad.Predicate.GetValue(), \"validFrom\") {\n\t\t\t\tcontinue\n\t\t\t}")
	out, status, cells := patched(t, dir, "--engine", "stock", "--runs", "3", "--profile-seconds", "0")
	words := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"gate failed", "0 of 24 quads of stock and 1 of 25 of native are not in the other form",
		"<https://www.w3.org/2018/credentials#validFrom>", "build=new: gate failed"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if status != 1 || len(cells) != 0 {
		t.Errorf("exit status %d, %+v", status, cells)
	}
}
