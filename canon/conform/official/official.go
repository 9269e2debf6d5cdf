// Package official finds what tests compare with: the official suites and vectors, which are not part of the
// project, and the list of requirements in the testdata of a package.
package official

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder of the official suites, or a folder in it. The variable CANONSCOPE_DATA names it;
// the default is ../shared/data, relative to the module root. If the folder is absent, Dir skips the test,
// or fails it if CI=true.
func Dir(tb testing.TB, sub ...string) string {
	tb.Helper()
	base := os.Getenv("CANONSCOPE_DATA")
	if base == "" {
		root, err := moduleRoot()
		if err != nil {
			tb.Fatal(err)
		}
		base = filepath.Join(root, "..", "shared", "data")
	}
	dir := filepath.Join(append([]string{base}, sub...)...)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("test data is absent: %s", dir)
		}
		tb.Skipf("test data is absent: %s (set CANONSCOPE_DATA)", dir)
	}
	return dir
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}
