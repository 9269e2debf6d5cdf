package engines_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
	"canonscope/schemas/contexts"
)

// TestEducation runs the sample credentials of education through every engine. For each, either all give the same form, or
// all refuse it: the native engine by itself, the others by their guard.
func TestEducation(t *testing.T) {
	dir := official.Dir(t, "education")
	served, err := contexts.Dir(filepath.Join(dir, "contexts"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "examples", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[string]canon.Canonicalizer{}
	for _, name := range engines.Names {
		if all[name], err = engines.New(name, canon.RDFC, engines.Config{Loader: served}); err != nil {
			t.Fatal(err)
		}
	}
	agreed, refused := 0, 0
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var first []byte
		var firstErr error
		for i, name := range engines.Names {
			form, err := all[name].Canonicalize(context.Background(), doc, canon.Options{})
			switch {
			case i == 0 && err != nil:
				firstErr = err
				refused++
			case i == 0:
				first = form.Text
				agreed++
			case (err == nil) != (firstErr == nil):
				t.Errorf("%s: %s says %v, %s %v", filepath.Base(file), engines.Names[0], firstErr, name, err)
			case err == nil && !bytes.Equal(first, form.Text):
				t.Errorf("%s: %s gives another form than %s", filepath.Base(file), name, engines.Names[0])
			}
		}
	}
	if t.Logf("%d documents agreed, %d refused", agreed, refused); agreed < 20 || refused < 10 {
		t.Error("these are too few to tell anything")
	}
}
