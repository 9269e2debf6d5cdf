package catalogue_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/schemas/shape"
)

// Each series has the quads and blank nodes that it names, at every N from the least one on.
func TestFamilies(t *testing.T) {
	figures := map[string]func(n int) int{
		"N": func(n int) int { return n }, "N-1": func(n int) int { return n - 1 }, "N+1": func(n int) int { return n + 1 },
		"N+3": func(n int) int { return n + 3 }, "N+5": func(n int) int { return n + 5 }, "2N": func(n int) int { return 2 * n },
		"3N": func(n int) int { return 3 * n }, "4N+3": func(n int) int { return 4*n + 3 }, "N(N-1)": func(n int) int { return n * (n - 1) },
		"1": func(int) int { return 1 },
	}
	for _, f := range catalogue.Families() {
		step := 1
		if f.Even {
			step = 2
		}
		for _, n := range []int{f.Min, f.Min + step, f.Min + 2*step} {
			name := strings.TrimSuffix(f.Name, "N") + fmt.Sprint(n)
			c := document(t, name, 3)
			if c.Schema != name || c.Kind != f.Kind || must(catalogue.Get(name)).Kind() != f.Kind {
				t.Errorf("%s: %s is %s", name, c.Schema, c.Kind)
			}
			nq := canonicalOf(t, c)
			if got, want := strings.Count(nq, "\n"), figures[f.Quads](n); got != want {
				t.Errorf("%s has %d quads, want %d", name, got, want)
			}
			if got, want := len(blanks(nq)), figures[f.Blank](n); got != want {
				t.Errorf("%s has %d blank nodes, want %d", name, got, want)
			}
			if other := document(t, name, 4); len(other.VCDM) != len(c.VCDM) || bytes.Equal(other.VCDM, c.VCDM) {
				t.Errorf("%s: two documents are equal or of two sizes", name)
			}
		}
		for _, n := range []int{f.Min - 1, f.Max + 1} {
			if _, err := catalogue.Get(strings.TrimSuffix(f.Name, "N") + fmt.Sprint(n)); err == nil || !strings.Contains(err.Error(), f.Range()) {
				t.Errorf("%s of %d: %v", f.Name, n, err)
			}
		}
	}
}

// The largest of each series of datasets is within the default limit of a document's size.
func TestFamiliesAtTheirLargest(t *testing.T) {
	for _, f := range catalogue.Families() {
		if f.Kind != schemas.NQuads || testing.Short() {
			continue
		}
		c := document(t, strings.TrimSuffix(f.Name, "N")+fmt.Sprint(f.Max), 0)
		if len(c.VCDM) > canon.DefaultBytes {
			t.Errorf("%s of %d has %d bytes", f.Name, f.Max, len(c.VCDM))
		}
	}
}

// The documents of the study have the quads, blank nodes, context documents and bytes of inline contexts that were measured of
// its kit, whose contexts have other names for the vocabulary.
func TestStudy(t *testing.T) {
	for name, want := range map[string]shape.Figures{
		"kit-simple": {Quads: 5, Blank: 1, Contexts: 0, Values: 21, InlineBytes: 434},
		"kit-ob3":    {Quads: 32, Blank: 4, Contexts: 2, Values: 49},
		"kit-dcc":    {Quads: 21, Blank: 2, Contexts: 2, Values: 33},
		"synth-bn-10": {Quads: 43, Blank: 10, Values: 58,
			InlineBytes: 314 + len("https://vocab.example/terms#") - len("https://example.com/vocab#")},
		"synth-bn-50": {Quads: 203, Blank: 50, Values: 218,
			InlineBytes: 314 + len("https://vocab.example/terms#") - len("https://example.com/vocab#")},
	} {
		f, err := shape.Measure(context.Background(), document(t, name, 0).VCDM, shape.Options{Loader: contexts.Embedded()})
		if err != nil {
			t.Fatal(err)
		}
		got := shape.Figures{Quads: f.Quads, Blank: f.Blank, Contexts: f.Contexts, Values: f.Values, InlineBytes: f.InlineBytes}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// What is not a credential names its schema and what to do where it is asked for an exchange.
func TestExchangeable(t *testing.T) {
	dir := t.TempDir()
	for file, doc := range map[string]string{"set.nq": "_:a <urn:p> _:b .\n", "set.jsonld": `{"@context":{},"@id":"urn:a","proof":{}}`,
		"presentation.json": `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":"VerifiablePresentation"}`,
		"plain.json":        `{"type":"T","proof":1}`, "list.json": `["proof"]`} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, kind := range map[string]schemas.Kind{"simple-20": schemas.Claims, "ring-5": schemas.NQuads, filepath.Join(dir, "set.nq"): schemas.NQuads,
		filepath.Join(dir, "set.jsonld"): schemas.JSONLD, filepath.Join(dir, "presentation.json"): schemas.JSONLD,
		filepath.Join(dir, "plain.json"): schemas.JSON, filepath.Join(dir, "list.json"): schemas.JSON} {
		c := document(t, name, 0)
		if c.Kind != kind {
			t.Errorf("%s is %s", name, c.Kind)
		}
		err := c.Kind.Exchangeable(c.Schema)
		if kind == schemas.Claims {
			if err != nil {
				t.Error(err)
			}
		} else if err == nil || !strings.Contains(err.Error(), filepath.Base(name)) || !strings.Contains(err.Error(), "canonicalize it") {
			t.Errorf("%s: %v", name, err)
		}
		if kind == schemas.JSONLD && bytes.Contains(c.VCDM, []byte("proof")) {
			t.Errorf("%s: the proof is left: %s", name, c.VCDM)
		}
		if kind == schemas.JSON && !bytes.Contains(c.VCDM, []byte("proof")) {
			t.Errorf("%s: a member is gone: %s", name, c.VCDM)
		}
	}
}

// The subject of a credential may be a list: what is disclosed is counted over its entries.
func TestSubjectsOfFile(t *testing.T) {
	for doc, want := range map[string][]string{
		`[{"a":1}]`:                      {"/credentialSubject/0/a"},
		`[{"a":1,"b":2},{"c/":3,"d":4}]`: {"/credentialSubject/0/a"},
		`[{"a":1},{"c/":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}]`: {"/credentialSubject/0/a", "/credentialSubject/1/c~1"},
	} {
		c, err := catalogue.Parse([]byte(`{"type":"T","issuer":"u:i","credentialSubject":` + doc + `}`))
		if err != nil || string(c.Subject) != doc || !slices.Equal(c.Disclose, want) {
			t.Errorf("%s: %+v %v", doc, c, err)
		}
	}
	for _, doc := range []string{`[]`, `[{}]`, `["u:a"]`, `[[{"a":1}]]`, `[{"a":1},"u:b"]`, `"u:a"`, `null`} {
		if c, err := catalogue.Parse([]byte(`{"type":"T","issuer":"u:i","credentialSubject":` + doc + `}`)); err == nil {
			t.Errorf("%s: %+v", doc, c)
		}
	}
}
