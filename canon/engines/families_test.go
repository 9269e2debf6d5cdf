package engines_test

import (
	"context"
	"testing"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/schemas/catalogue"
)

// graph returns a dataset of the catalogue.
func graph(t testing.TB, name string, i int) []byte {
	t.Helper()
	g, err := catalogue.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, i)
	if err != nil {
		t.Fatal(err)
	}
	return c.VCDM
}

// Stock and native give one form of the datasets of the catalogue.
func TestFamilies(t *testing.T) {
	for _, name := range []string{"clique-2", "clique-5", "ring-3", "ring-16", "chain-2", "chain-16", "cubic-4", "cubic-8", "tree-2",
		"tree-15", "pairs-1", "pairs-8", "star-1", "star-8"} {
		for i := range 3 {
			doc := graph(t, name, i)
			forms := map[canon.Engine]string{}
			for _, engine := range []canon.Engine{canon.Stock, canon.Native} {
				e, err := engines.Unguarded(engine, canon.RDFC, engines.Config{})
				if err != nil {
					t.Fatal(err)
				}
				form, err := e.Canonicalize(context.Background(), doc, canon.Options{Input: canon.NQuads})
				if err != nil {
					t.Fatalf("%s by %s: %v", name, engine, err)
				}
				forms[engine] = string(form.Text)
			}
			if forms[canon.Stock] != forms[canon.Native] || forms[canon.Native] == "" {
				t.Errorf("%s document %d: stock gives\n%snative\n%s", name, i, forms[canon.Stock], forms[canon.Native])
			}
		}
	}
}
