package conform_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
)

func TestJCS(t *testing.T) {
	dir := official.Dir(t, "jcs")
	for _, name := range []canon.Engine{canon.Native, canon.Stock} {
		engine, err := engines.New(name, canon.JCS, engines.Config{})
		if err != nil {
			t.Fatal(err)
		}
		results, err := conform.JCS(context.Background(), dir, engine)
		if err != nil {
			t.Fatal(err)
		}
		if passed, failed, skipped := conform.Count(results); passed < 7 || failed+skipped > 0 {
			t.Errorf("%s: %d passed, %d failed, %d skipped: %+v", name, passed, failed, skipped, results)
		}
	}
}

// upper is a wrong engine: it writes in capitals.
type upper struct{}

func (upper) Canonicalize(_ context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	return &canon.Form{Text: bytes.ToUpper(doc)}, nil
}

func TestJCSFailures(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conform.JCS(context.Background(), dir, upper{}); err == nil {
		t.Error("an empty folder is no suite")
	}
	write("input/a.json", `"abc"`)
	write("output/a.json", `"abc"`)
	write("input/b.json", `1`)
	write("output/b.json", `12`)
	write("input/c.json", `1`)
	write("output/c.json", `1`)
	write("input/d.json", `1`)
	write("numbers.csv", "0000000000000000,0\n3ff0000000000000,1\n")
	results, err := conform.JCS(context.Background(), dir, upper{})
	if err != nil || len(results) != 5 {
		t.Fatal(results, err)
	}
	for i, want := range []string{`byte 1 is "ABC\"", want "abc\""`, "ends after 1 bytes, want 2", "", "no such file", `2 of 2 are wrong; line 1: 0E+00, want 0`} {
		r := results[i]
		if (want == "") != (r.Outcome == conform.Passed) || !strings.Contains(r.Reason, want) {
			t.Errorf("%+v, want %q", r, want)
		}
	}
}
