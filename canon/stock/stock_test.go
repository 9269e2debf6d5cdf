package stock_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jsonld"
	"canonscope/canon/stock"
)

// docs is a loader over a map that counts its calls.
type docs struct {
	m     map[string]string
	calls atomic.Int64
}

func (d *docs) Load(_ context.Context, url string) (*jsonld.Document, error) {
	d.calls.Add(1)
	if s, ok := d.m[url]; ok {
		return &jsonld.Document{URL: url, Bytes: []byte(s)}, nil
	}
	return nil, fmt.Errorf("no document %q", url)
}

func contexts() *docs {
	return &docs{m: map[string]string{
		"https://example.org/c":      `{"@context":{"name":"https://schema.org/name","knows":{"@id":"https://schema.org/knows","@type":"@id"},"Person":"https://schema.org/Person"}}`,
		"https://example.org/import": `{"@context":{"@version":1.1,"@import":"https://example.org/c","age":"https://example.org/age"}}`,
		"https://example.org/a":      `{"@context":["https://example.org/b"]}`,
		"https://example.org/b":      `{"@context":["https://example.org/a"]}`,
	}}
}

func canonicalize(c canon.Canonicalizer, doc string, opt canon.Options) (string, error) {
	form, err := c.Canonicalize(context.Background(), []byte(doc), opt)
	if err != nil {
		return "", err
	}
	return string(form.Text), nil
}

const person = `{"@context":"https://example.org/c","@type":"Person","name":"Ann","knows":{"name":"Bo"}}`

const personQuads = `_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://schema.org/Person> .
_:c14n0 <https://schema.org/knows> _:c14n1 .
_:c14n0 <https://schema.org/name> "Ann" .
_:c14n1 <https://schema.org/name> "Bo" .
`

func TestRDFC(t *testing.T) {
	loader := contexts()
	c := stock.RDFC(loader)
	var into canon.Form
	for range 3 {
		for _, opt := range []canon.Options{{}, {Into: &into}, {Issued: true}} {
			if got, err := canonicalize(c, person, opt); err != nil || got != personQuads {
				t.Errorf("got %s, %v", got, err)
			}
		}
	}
	if n := loader.calls.Load(); n != 1 {
		t.Errorf("the context was loaded %d times", n)
	}
	if into.Lines != 4 {
		t.Errorf("%d lines", into.Lines)
	}
}

func TestIssued(t *testing.T) {
	form, err := stock.RDFC(nil).Canonicalize(context.Background(), []byte("_:x <u:p> _:y _:g .\n_:x <u:q> \"1\" <u:_:z> .\n"), canon.Options{Input: canon.NQuads, Issued: true})
	if err != nil || len(form.Issued) != 3 {
		t.Fatal(form, err)
	}
	for from, to := range form.Issued {
		if !strings.Contains("xyg", from) || !strings.HasPrefix(to, "c14n") {
			t.Errorf("%s is issued %s", from, to)
		}
	}
}

func TestRefused(t *testing.T) {
	c := stock.RDFC(contexts())
	for _, opt := range []canon.Options{{Hash: canon.SHA384}, {Limits: canon.Limits{Work: 1}}, {Input: canon.JSON}} {
		var unsupported *canon.UnsupportedError
		if _, err := canonicalize(c, person, opt); !errors.As(err, &unsupported) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	var limit *canon.LimitError
	for _, opt := range []canon.Options{{Limits: canon.Limits{Bytes: 10}}, {Limits: canon.Limits{Context: 10}}} {
		if _, err := canonicalize(c, person, opt); !errors.As(err, &limit) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if _, err := canonicalize(c, `{"@context":"https://example.org/a"}`, canon.Options{}); !errors.As(err, &limit) {
		t.Errorf("contexts that include one another: %v", err)
	}
	var syntax *canon.SyntaxError
	if _, err := canonicalize(c, "{\n\"a\":}", canon.Options{}); !errors.As(err, &syntax) || syntax.Line != 2 {
		t.Errorf("%v", err)
	}
	var coded *jsonld.Error
	if _, err := canonicalize(c, `{"@context":7}`, canon.Options{}); !errors.As(err, &coded) || coded.Code != jsonld.InvalidLocalContext {
		t.Errorf("%v", err)
	}
	for doc, want := range map[string]string{
		`"https://example.org/c"`:               "an object or an array",
		`{"@context":"https://example.org/no"}`: `no document "https://example.org/no"`,
	} {
		if _, err := canonicalize(c, doc, canon.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", doc, err)
		}
	}
	if _, err := canonicalize(stock.RDFC(nil), person, canon.Options{}); err == nil || !strings.Contains(err.Error(), "no loader") {
		t.Error(err)
	}
}

// TestImport checks that a context which imports another does not change the cache.
func TestImport(t *testing.T) {
	c := stock.RDFC(contexts())
	importing := `{"@context":"https://example.org/import","name":"Ann","age":"7"}`
	inline := `{"@context":{"@version":1.1,"@import":"https://example.org/c","age":"https://example.org/age"},"name":"Ann","age":"7"}`
	for range 3 {
		for _, doc := range []string{importing, inline, person} {
			if got, err := canonicalize(c, doc, canon.Options{}); err != nil || strings.Count(got, "\n") < 2 {
				t.Errorf("%s: %s, %v", doc, got, err)
			}
		}
	}
	if got, _ := canonicalize(c, `{"@context":"https://example.org/c","age":"7"}`, canon.Options{}); got != "" {
		t.Errorf("the imported context has learnt a term: %s", got)
	}
}

func TestJCS(t *testing.T) {
	c := stock.JCS()
	if got, err := canonicalize(c, `{"b":1.0,"a":2}`, canon.Options{}); err != nil || got != `{"a":2,"b":1}` {
		t.Error(got, err)
	}
	var unsupported *canon.UnsupportedError
	if _, err := canonicalize(c, ``, canon.Options{Input: canon.NQuads}); !errors.As(err, &unsupported) {
		t.Error(err)
	}
}

func TestConcurrent(t *testing.T) {
	loader := contexts()
	for name, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(loader), "tuned": stock.Tuned(loader)} {
		var group sync.WaitGroup
		for range 32 {
			group.Go(func() {
				for range 5 {
					if got, err := canonicalize(c, person, canon.Options{}); err != nil || got != personQuads {
						t.Errorf("%s: %s, %v", name, got, err)
					}
				}
			})
		}
		group.Wait()
	}
}

// TestTunedEqualsStock compares tuned with stock on the documents of the official vectors.
func TestTunedEqualsStock(t *testing.T) {
	dir := official.Dir(t, "rdf-canon")
	files, err := filepath.Glob(filepath.Join(dir, "rdfc10", "*-in.nq"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	plain, tuned := stock.RDFC(nil), stock.Tuned(nil)
	for _, file := range files {
		if strings.Contains(file, "test074") { // no work limit
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := plain.Canonicalize(context.Background(), src, canon.Options{Input: canon.NQuads})
		b, errB := tuned.Canonicalize(context.Background(), src, canon.Options{Input: canon.NQuads})
		if (errA == nil) != (errB == nil) {
			t.Errorf("%s: %v, %v", file, errA, errB)
		} else if errA == nil && !bytes.Equal(a.Text, b.Text) && !strings.Contains(file, "test060") { // escapes: only tuned writes them correctly
			t.Errorf("%s:\n%s\n%s", file, a.Text, b.Text)
		}
	}
}

// TestAlternating checks that contexts which define one term differently, even nested ones, never mix.
func TestAlternating(t *testing.T) {
	loader := &docs{m: map[string]string{
		"https://example.org/1": `{"@context":{"@version":1.1,"name":"https://example.org/one","part":{"@id":"https://example.org/part","@context":{"name":"https://example.org/inner"}}}}`,
		"https://example.org/2": `{"@context":{"name":"https://example.org/two","part":"https://example.org/part"}}`,
	}}
	docs := map[string]string{
		`{"@context":"https://example.org/1","@id":"urn:a","name":"x"}`:                                                                 "<urn:a> <https://example.org/one> \"x\" .\n",
		`{"@context":"https://example.org/2","@id":"urn:a","name":"x"}`:                                                                 "<urn:a> <https://example.org/two> \"x\" .\n",
		`{"@context":["https://example.org/1","https://example.org/2"],"@id":"urn:a","name":"x"}`:                                       "<urn:a> <https://example.org/two> \"x\" .\n",
		`{"@context":["https://example.org/2","https://example.org/1"],"@id":"urn:a","name":"x"}`:                                       "<urn:a> <https://example.org/one> \"x\" .\n",
		`{"@context":"https://example.org/1","@id":"urn:a","part":{"@id":"urn:b","name":"x"}}`:                                          "<urn:a> <https://example.org/part> <urn:b> .\n<urn:b> <https://example.org/inner> \"x\" .\n",
		`{"@context":"https://example.org/1","@id":"urn:a","part":{"@context":"https://example.org/2","@id":"urn:b","name":"x"}}`:       "<urn:a> <https://example.org/part> <urn:b> .\n<urn:b> <https://example.org/two> \"x\" .\n",
		`[{"@context":"https://example.org/1","@id":"urn:a","name":"x"},{"@context":"https://example.org/2","@id":"urn:b","name":"x"}]`: "<urn:a> <https://example.org/one> \"x\" .\n<urn:b> <https://example.org/two> \"x\" .\n",
	}
	for name, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(loader), "tuned": stock.Tuned(loader)} {
		for range 3 {
			for doc, want := range docs {
				if got, err := canonicalize(c, doc, canon.Options{}); err != nil || got != want {
					t.Errorf("%s: %s: %v\n%swant\n%s", name, doc, err, got, want)
				}
			}
		}
	}
}

// counting counts the requests for contexts.
type counting struct {
	jsonld.Loader
	loads int
}

func (c *counting) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	c.loads++
	return c.Loader.Load(ctx, url)
}

// TestCold checks that Cold keeps no context: each call requests them again, and the result equals that of
// RDFC.
func TestCold(t *testing.T) {
	kept, cold := &counting{Loader: contexts()}, &counting{Loader: contexts()}
	a, b := stock.RDFC(kept), stock.Cold(cold)
	for call := 1; call <= 3; call++ {
		want, err := canonicalize(a, person, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := canonicalize(b, person, canon.Options{})
		if err != nil || got != want {
			t.Errorf("%v, %s\nwant\n%s", err, got, want)
		}
		if kept.loads != 1 || cold.loads < call {
			t.Errorf("after %d calls contexts were loaded %d and %d times", call, kept.loads, cold.loads)
		}
	}
}
