package official

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Requirements compares the names of tests with testdata/requirements.tsv in their package: each line is an
// id, a tab and a requirement, and the name of its test is the line with a space in place of the tab.
func Requirements(tb testing.TB, names []string) {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "requirements.tsv"))
	if err != nil {
		tb.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(b)) {
		id, requirement, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		want = append(want, id+" "+requirement)
	}

	for _, w := range want {
		if !slices.Contains(names, w) {
			tb.Errorf("requirement without a test: %s", w)
		}
	}
	for _, n := range names {
		if !slices.Contains(want, n) {
			tb.Errorf("test without a requirement: %s", n)
		}
	}
	if len(want) != len(names) {
		tb.Errorf("%d requirements and %d tests", len(want), len(names))
	}
}
