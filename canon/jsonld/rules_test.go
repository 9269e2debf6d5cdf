package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// What the algorithms of JSON-LD 1.1 forbid is an error with its code, at its place, with the reason in its
// text.
func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		code      jsonld.Code
		pointer   string
	}{
		{"a term with a prefix and another IRI than it expands to (create term definition 14.2.4)",
			`{"@context":{"ex":"urn:ex:","ex:a":{"@id":"urn:other:a"}}}`, jsonld.InvalidIRIMapping, "/@context"},
		{"the same with names of one letter", `{"@context":{"e":"urn:ex:","e:a":{"@id":"urn:other:a"}}}`, jsonld.InvalidIRIMapping, "/@context"},
		{"an alias of a keyword as a prefix (25)", `{"@context":{"kind":{"@id":"@type","@prefix":true}}}`, jsonld.InvalidTermDefinition, "/@context"},
		{"a value object below @nest (expansion 14.2.1)",
			`{"@context":{"p":"urn:p","n":"@nest"},"@id":"urn:s","n":{"@value":"x"}}`, jsonld.InvalidNestValue, "/n/@value"},
		{"a value in a map of types (13.8.3.7.5)",
			`{"@context":{"T":"urn:T","m":{"@id":"urn:m","@container":"@type"}},"m":{"T":{"@value":"x"}}}`, jsonld.InvalidValueObject, "/m/T"},
		{"a value in a map of ids (13.8.3.7.4)",
			`{"@context":{"m":{"@id":"urn:m","@container":"@id"}},"m":{"urn:a":{"@value":"x"}}}`, jsonld.InvalidValueObject, "/m/urn:a"},
		{"a node with two indexes (node map generation 6.8)",
			`{"@graph":[{"@id":"urn:s","@index":"a","urn:p":"x"},{"@id":"urn:s","@index":"b","urn:p":"y"}]}`, jsonld.ConflictingIndexes, "/@graph/1/@index"},
	} {
		var set rdf.Dataset
		var losses []canon.Loss
		err := jsonld.New(jsonld.Config{}).
			ToRDF(context.Background(), []byte(c.doc), jsonld.Options{Lossy: true, Losses: &losses}, &set)
		var e *jsonld.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.HasPrefix(e.Pointer, c.pointer) ||
			e.Detail == "" ||
			!strings.Contains(err.Error(), e.Detail) {
			t.Errorf("%s: %v, want %s at %s", c.name, err, c.code, c.pointer)
		}
	}
}

// What the algorithms allow, and what comes of it.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"a term with a prefix and the IRI that it expands to", `{"@context":{"ex":"urn:ex:","ex:a":{"@id":"urn:ex:a"}},"@id":"urn:s","ex:a":"x"}`,
			[]string{`<urn:s> <urn:ex:a> "x" .`}},
		{"a term that says it is a prefix", `{"@context":{"ex":{"@id":"urn:ex","@prefix":true}},"@id":"urn:s","ex:a":"x"}`,
			[]string{`<urn:s> <urn:exa> "x" .`}},
		{"a node has one index twice", `{"@graph":[{"@id":"urn:s","@index":"a","urn:p":"x"},{"@id":"urn:s","@index":"a","urn:p":"y"}]}`,
			[]string{`<urn:s> <urn:p> "x" .`, `<urn:s> <urn:p> "y" .`}},
		{"the context of a type ends at the next node", `{"@context":{"T":{"@id":"urn:T","@context":{"p":"urn:inner"}},"p":"urn:outer","c":"urn:c"},
			"@id":"urn:s","@type":"T","c":{"p":"x"}}`,
			[]string{`<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:T> .`, `<urn:s> <urn:c> _:b0 .`, `_:b0 <urn:outer> "x" .`}},
		{"but not at a value", `{"@context":{"T":{"@id":"urn:T","@context":{"d":"urn:inner"}},"d":"urn:outer","c":"urn:c"},
			"@id":"urn:s","@type":"T","c":{"@value":"x","@type":"d"}}`,
			[]string{`<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:T> .`, `<urn:s> <urn:c> "x"^^<urn:inner> .`}},
		{"nor at a reference", `{"@context":{"T":{"@id":"urn:T","@context":{"e":"urn:inner:"}},"e":"urn:outer:","c":"urn:c"},
			"@id":"urn:s","@type":"T","c":{"@id":"e:x"}}`,
			[]string{`<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:T> .`, `<urn:s> <urn:c> <urn:inner:x> .`}},
		{"a map of types has the contexts of its types, other maps have not",
			`{"@context":{"T":{"@id":"urn:T","@context":{"p":"urn:inner"}},"p":"urn:outer","m":{"@id":"urn:m","@container":"@type"},"i":{"@id":"urn:i","@container":"@index"}},
			"@id":"urn:s","m":{"T":{"@id":"urn:a","p":"x"}},"i":{"T":{"@id":"urn:b","p":"y"}}}`,
			[]string{`<urn:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:T> .`, `<urn:a> <urn:inner> "x" .`, `<urn:b> <urn:outer> "y" .`,
				`<urn:s> <urn:i> <urn:b> .`, `<urn:s> <urn:m> <urn:a> .`}},
		{"a term that is taken back is none", `{"@context":[{"p":"urn:p","q":"urn:q"},{"p":null}],"@id":"urn:s","p":"x","q":"y"}`, []string{`<urn:s> <urn:q> "y" .`}},
		{"nor is one that a node takes back for itself",
			`{"@context":{"p":"urn:p","q":"urn:q","c":"urn:c"},"@id":"urn:s","c":{"@context":{"p":null},"@id":"urn:o","p":"x","q":"y"},"p":"z"}`,
			[]string{`<urn:o> <urn:q> "y" .`, `<urn:s> <urn:c> <urn:o> .`, `<urn:s> <urn:p> "z" .`}},
		{"a mapping like a keyword defines nothing", `{"@context":{"t":{"@id":"@a"},"p":"urn:p"},"@id":"urn:s","p":"x"}`, []string{`<urn:s> <urn:p> "x" .`}},
	} {
		var set rdf.Dataset
		if err := jsonld.New(jsonld.Config{}).ToRDF(context.Background(), []byte(c.doc), jsonld.Options{Lossy: true}, &set); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := strings.Split(strings.TrimSuffix(string(set.AppendNQuads(nil)), "\n"), "\n")
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// What a document took of a budget is given back when it is done.
func TestBudgetIsGivenBack(t *testing.T) {
	budget := new(canon.Budget)
	budget.Reset(canon.Limits{})
	before := budget.Left()
	p := jsonld.New(jsonld.Config{})
	for range 3 {
		var set rdf.Dataset
		if err := p.ToRDF(context.Background(), []byte(`{"@id":"urn:s","urn:p":["x","y"]}`), jsonld.Options{Budget: budget}, &set); err != nil {
			t.Fatal(err)
		}
		if left := budget.Left(); left != before {
			t.Errorf("%d bytes of %d are left", left, before)
		}
	}
}

// Contexts lead from one to the next as often as the limit says, and have as many terms, the 23 keywords
// included.
func TestContextLimits(t *testing.T) {
	remote := jsonld.Map{}
	for i := range 4 {
		remote[fmt.Sprintf("https://c.example/%d", i)] = fmt.Appendf(nil, `{"@context":"https://c.example/%d"}`, i+1)
	}
	remote["https://c.example/4"] = []byte(`{"@context":{"p":"urn:p","q":"urn:q"}}`)
	for _, limits := range []jsonld.Limits{{Remote: 5}, {Remote: 4}, {Terms: 25}, {Terms: 24}} {
		p := jsonld.New(jsonld.Config{Loader: remote, Limits: limits})
		var set rdf.Dataset
		err := p.ToRDF(context.Background(), []byte(`{"@context":"https://c.example/0","@id":"urn:s","p":"x"}`), jsonld.Options{}, &set)
		if ok := limits.Remote == 5 || limits.Terms == 25; (err == nil) != ok {
			t.Errorf("%+v: %v", limits, err)
		}
	}
}

// What a context means depends on the base of the document, whichever base it was read for before.
func TestContextOfAnotherBase(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for _, base := range []string{"https://a.example/x", "https://b.example/y/z", "https://a.example/x"} {
		for range 2 {
			var set rdf.Dataset
			err := p.ToRDF(context.Background(), []byte(`{"@context":{"@vocab":"#"},"@id":"urn:s","p":"x"}`), jsonld.Options{Base: base}, &set)
			if got, want := string(set.AppendNQuads(nil)), "<urn:s> <"+base+"#p> \"x\" .\n"; err != nil || got != want {
				t.Errorf("%s: %v, want %s", got, err, want)
			}
		}
	}
}
