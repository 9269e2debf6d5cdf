package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An interrupted suite has no results: neither on standard output nor in a report.
func TestConformInterrupted(t *testing.T) {
	dir := t.TempDir()
	earl := filepath.Join(dir, "report.ttl")
	if err := os.WriteFile(filepath.Join(dir, "one.json"), []byte(`{"id":"one","mdoc_hex":"a0","result":"wrong"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	conform := func(ctx context.Context) (string, error) {
		var out strings.Builder
		root := newRootCommand()
		root.SetArgs([]string{"conform", "mdoc", "--earl", earl, dir})
		root.SetOut(&out)
		err := root.ExecuteContext(ctx)
		return out.String(), err
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := conform(ctx); out != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("printed %q, %v", out, err)
	}
	if _, err := os.Stat(earl); err == nil {
		t.Error("there is a report")
	}
	if out, err := conform(t.Context()); !strings.Contains(out, "of 1\n") {
		t.Errorf("not interrupted: printed %q, %v", out, err)
	}
}
