package claimstest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/compare"
)

// Conform runs folders of the official data through the reader that the command uses: all must pass but
// what is a matter of policy, and with the opposite answers expected none may. least is how many results a
// folder has at least.
func Conform(
	t *testing.T, run func(ctx context.Context, engine compare.Engine, dir string) ([]conform.Result, error),
	least map[string]int,
) {
	for _, engine := range Engines {
		for dir, least := range least {
			results, err := run(t.Context(), engine, official.Dir(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Outcome != conform.Passed && !policy(r) {
					t.Errorf("%s %s %s: %s", engine, r.Test, r.Outcome, r.Reason)
				}
			}
			if len(results) < least {
				t.Errorf("%s %s: %d results, want %d", engine, dir, len(results), least)
			}
			if _, err := os.Stat(filepath.Join(official.Dir(t, dir), "cases.json")); err != nil {
				continue
			}
			if results, err = run(t.Context(), engine, opposite(t, official.Dir(t, dir))); err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Outcome != conform.Failed && !policy(r) {
					t.Errorf("%s %s has the opposite answer: %s", engine, r.Test, r.Outcome)
				}
			}
		}

		if _, err := run(t.Context(), engine, t.TempDir()); err == nil {
			t.Error("an empty folder has no suite")
		}
	}

	if _, err := run(t.Context(), "fast", t.TempDir()); err == nil {
		t.Error("engine fast")
	}
}

func policy(r conform.Result) bool {
	return r.Outcome == conform.Skipped && strings.Contains(r.Reason, "policy")
}

// opposite returns a folder with the cases of dir, which expects that the right ones are refused and the
// wrong accepted.
func opposite(t *testing.T, dir string) string {
	var file map[string]json.RawMessage
	ReadJSON(t, &file, dir, "cases.json")
	swap := strings.NewReplacer(`"accept"`, `"reject"`, `"reject"`, `"accept"`)
	file["cases"] = json.RawMessage(swap.Replace(string(file["cases"])))
	out := t.TempDir()
	WriteJSON(t, file, out, "cases.json")
	return out
}

// ReadJSON decodes a file.
func ReadJSON(t testing.TB, v any, path ...string) {
	t.Helper()
	if err := conform.ReadJSON(v, path...); err != nil {
		t.Fatal(err)
	}
}
