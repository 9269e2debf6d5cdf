package rdfc_test

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
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// engine canonicalizes N-Quads.
type engine struct{ variant rdfc.Variant }

func (e engine) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	var d rdf.Dataset
	if err := d.ParseNQuads(doc, opt.Limits); err != nil {
		return nil, err
	}
	form := &canon.Form{}
	err := rdfc.Canonicalize(ctx, &d, rdfc.Options{Hash: opt.Hash, Work: opt.Limits.Work, Issued: opt.Issued, Variant: e.variant}, form)
	if err != nil {
		return nil, err
	}
	return form, nil
}

func TestSuites(t *testing.T) {
	for _, c := range []struct {
		dir   string
		tests int
	}{{"rdf-canon", 86}, {"rdfc-differential", 60}} {
		t.Run(c.dir, func(t *testing.T) {
			results, err := conform.RDFC(context.Background(), official.Dir(t, c.dir), engine{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Outcome != conform.Passed {
					t.Errorf("%s %s: %s %s", r.Test, r.Name, r.Outcome, r.Reason)
				}
			}
			if len(results) != c.tests {
				t.Errorf("%d tests, want %d", len(results), c.tests)
			}
		})
	}
}

// The readings of the specification that the official suite does not tell apart give the bytes that engines which follow
// them give.
func TestVariants(t *testing.T) {
	for _, c := range []struct {
		dir, suffix string
		variant     rdfc.Variant
		files       int
	}{
		{"ambiguous-selfloop", "-once.nq", 0, 12},
		{"ambiguous-selfloop", "-twice.nq", rdfc.LoopsTwice, 12},
		{"list-vs-set", "-list.nq", 0, 1},
		{"list-vs-set", "-set.nq", rdfc.RelatedSet, 1},
	} {
		dir := official.Dir(t, "rdfc-differential", c.dir)
		files, _ := filepath.Glob(filepath.Join(dir, "*-in.nq"))
		if len(files) != c.files {
			t.Errorf("%s: %d files, want %d", c.dir, len(files), c.files)
		}
		for _, in := range files {
			want := read(t, strings.TrimSuffix(in, "-in.nq")+c.suffix)
			form, err := engine{c.variant}.Canonicalize(context.Background(), read(t, in), canon.Options{})
			if err != nil || !bytes.Equal(form.Text, want) {
				t.Errorf("%s, want %s: %v", in, c.suffix, err)
			}
		}
	}
}

func read(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
