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

// A kept context is used for the options that it was made with.
func TestKeptForTheOptions(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	const doc = `{"@context":{"q":"u:q"},"@id":"s","p":"x"}`
	for range 2 {
		for _, base := range []string{"http://a.example/", "http://b.example/"} {
			for _, term := range []string{"u:one", "u:two"} {
				lines, _ := nquads(t, p, doc, jsonld.Options{Base: base, ExpandContext: `{"p":"` + term + `"}`})
				if want := "<" + base + "s> <" + term + `> "x" .`; len(lines) != 1 || lines[0] != want {
					t.Errorf("%q, want %s", lines, want)
				}
			}
		}
	}
}

// A term of two parts without @id is a compact IRI, however short its prefix (4.2.2 step 15).
func TestTermsWithColons(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for name, iri := range map[string]string{"a:b": "u:a#b", "a:": "u:a#", "ab:cd": "u:ab#cd", "ab:c:d": "u:ab#c:d", "z:b": "z:b", "zA9+-.:b": "zA9+-.:b"} {
		doc := `{"@context":{"a":"u:a#","ab":"u:ab#","` + name + `":{"@type":"u:dt"}},"@id":"zz:s","` + name + `":"x"}`
		if got, want := text(t, p, doc), "<zz:s> <"+iri+"> \"x\"^^<u:dt> .\n"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	err := toRDF(p, `{"@context":{"a":"a:x","a:b":{"@type":"u:dt"}},"a:b":"x"}`)
	if e := new(jsonld.Error); !errors.As(err, &e) || e.Code != jsonld.CyclicIRIMapping {
		t.Errorf("a prefix that is in error: %v", err)
	}
}

// Two definitions of a protected term are the same only if their scoped contexts are, wherever those come from.
func TestProtectedScopedContexts(t *testing.T) {
	define := func(inner string) string {
		return `{"@version":1.1,"@protected":true,"t":{"@id":"u:t","@context":{"x":"` + inner + `"}}}`
	}
	loader := jsonld.Map{"https://c.example/1": []byte(`{"@context":` + define("u:1") + `}`), "https://c.example/2": []byte(`{"@context":` + define("u:2") + `}`)}
	for contexts, same := range map[string]bool{
		`["https://c.example/1","https://c.example/1"]`:                 true,
		`["https://c.example/1","https://c.example/2"]`:                 false,
		`["https://c.example/1",` + define("u:1") + `]`:                 true,
		`["https://c.example/1",` + define("u:2") + `]`:                 false,
		`[` + define("u:1") + `,` + define("u:1") + `]`:                 true,
		`[` + define("u:1") + `,` + define("u:2") + `]`:                 false,
		`[` + define("u:1") + `,{"@version":1.1,"t":{"@id":"u:t"}}]`:    false,
		`[{"@protected":true,"t":"u:t"},{"@protected":true,"t":"u:t"}]`: true,
	} {
		err := toRDF(jsonld.New(jsonld.Config{Loader: loader}), `{"@context":`+contexts+`,"@id":"u:s","t":"u:o"}`)
		e := new(jsonld.Error)
		if same && err != nil || !same && (!errors.As(err, &e) || e.Code != jsonld.ProtectedTermRedefinition) {
			t.Errorf("%s: %v", contexts, err)
		}
	}
}

// Terms are found in tables of every size, also after a further context has changed a table.
func TestTablesOfEverySize(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for _, n := range []int{16, 17, 18, 487, 488, 489, 490, 600, 1000} {
		for more := range 3 {
			doc := `{"@context":[{` + terms(n) + `}`
			for i := range more {
				doc += fmt.Sprintf(`,{"m%d":"u:m","t%d":"u:changed"}`, i, i)
			}
			doc += `],"@id":"u:s","m0":"x"`
			for i := range n {
				doc += fmt.Sprintf(`,"t%d":"v%d"`, i, i)
			}
			lines, losses := nquads(t, p, doc+`}`, jsonld.Options{})
			changed := 0
			for _, line := range lines {
				if strings.HasPrefix(line, "<u:s> <u:changed> ") {
					changed++
				}
			}
			if changed != more || len(lines) != n+min(more, 1) || len(losses) != 1-min(more, 1) {
				t.Errorf("%d terms and %d contexts: %d changed, %d lines, %v", n, more, changed, len(lines), losses)
			}
		}
	}
}

// Strings have the language and direction of their term, or else of the context.
func TestDefaultLanguage(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for _, c := range []struct{ settings, term, want string }{
		{`"@language":"de"`, `"u:p"`, `"x"@de`},
		{`"@language":"de"`, `{"@id":"u:p","@language":"fr"}`, `"x"@fr`},
		{`"@language":"de"`, `{"@id":"u:p","@language":null}`, `"x"`},
		{`"@version":1.1`, `{"@id":"u:p","@language":"fr"}`, `"x"@fr`},
		{`"@direction":"rtl"`, `"u:p"`, `"x"^^<https://www.w3.org/ns/i18n#_rtl>`},
		{`"@version":1.1`, `{"@id":"u:p","@direction":"ltr"}`, `"x"^^<https://www.w3.org/ns/i18n#_ltr>`},
		{`"@language":"de","@direction":"rtl"`, `{"@id":"u:p","@direction":null}`, `"x"@de`},
		{`"@version":1.1`, `{"@id":"u:p","@context":{"@language":"de"}}`, `"x"@de`},
		{`"@language":"de","@direction":"rtl"`, `"u:p"`, `"x"^^<https://www.w3.org/ns/i18n#de_rtl>`},
	} {
		doc := `{"@context":{` + c.settings + `,"p":` + c.term + `},"@id":"u:s","p":"x","u:p":"x"}`
		lines, _ := nquads(t, p, doc, jsonld.Options{RDFDirection: canon.I18nDatatype})
		if !slices.Contains(lines, "<u:s> <u:p> "+c.want+" .") {
			t.Errorf("%s: %q, want %s", doc, lines, c.want)
		}
	}
}

// A call counts the objects that enter a scoped context.
func TestScopedAreCounted(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	doc := `{"@context":{"@version":1.1,"p":{"@id":"u:p","@context":{"x":"u:x"}},"T":{"@id":"u:T","@context":{"y":"u:y"}}},` +
		`"@id":"u:s","p":[{"x":"1"},{"x":"2"}],"u:q":[{"@type":"T","y":"3"},{"u:z":"4"}]}`
	for range 2 {
		scoped := -1
		if err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{Scoped: &scoped}, new(rdf.Dataset)); err != nil || scoped != 3 {
			t.Errorf("%d objects, %v", scoped, err)
		}
	}
}

// A fault of a value under an index names that value.
func TestIndexedValueIsNamed(t *testing.T) {
	err := toRDF(jsonld.New(jsonld.Config{}), `{"@context":{"@version":1.1,"q":"u:q","ix":{"@id":"u:ix","@container":"@index","@index":"q"}},`+
		`"@id":"u:s","ix":{"a":{"u:p":"x"},"b":"y"}}`)
	if e := new(jsonld.Error); !errors.As(err, &e) || e.Code != jsonld.InvalidValueObject || e.Pointer != "/ix/b" {
		t.Errorf("%v", err)
	}
}

// References of a context are resolved against the URL that the loader ended at, or that it was asked for.
func TestRedirectedContext(t *testing.T) {
	for final, want := range map[string]string{"": "https://c.example/dir/b", "https://d.example/e/f": "https://d.example/e/b"} {
		var asked []string
		p := jsonld.New(jsonld.Config{Loader: loaderFunc(func(_ context.Context, url string) (*jsonld.Document, error) {
			if asked = append(asked, url); len(asked) == 1 {
				return &jsonld.Document{URL: final, Bytes: []byte(`{"@context":"b"}`)}, nil
			}
			return &jsonld.Document{Bytes: []byte(`{"@context":{"p":"u:p"}}`)}, nil
		})})
		text(t, p, `{"@context":"https://c.example/dir/a","@id":"u:s","p":"x"}`)
		if len(asked) != 2 || asked[1] != want {
			t.Errorf("%q: %q, want %s", final, asked, want)
		}
	}
}

// The kind of each term of a quad is that of its text, and the terms of one text are alike.
func TestKindsOfTerms(t *testing.T) {
	var set rdf.Dataset
	doc := `{"@context":{"@vocab":"u:v#","p":"u:p","q":{"@id":"u:q","@type":"@id"},"d":{"@id":"u:d","@type":"u:dt"}},"@id":"u:s","@type":"T",` +
		`"p":["x",1,{"r":"y"}],"q":["u:o","_:b"],"d":"z","u:w":{"@id":"u:g","@graph":[{"@id":"_:c","s":"x"}]}}`
	if err := jsonld.New(jsonld.Config{}).ToRDF(context.Background(), []byte(doc), jsonld.Options{}, &set); err != nil {
		t.Fatal(err)
	}
	want := map[byte]rdf.Kind{'<': rdf.IRI, '_': rdf.Blank, '"': rdf.Literal}
	for _, q := range set.Quads {
		for _, id := range []rdf.TermID{q.S, q.P, q.O, q.G} {
			if term := set.Terms[id]; len(term.Text) > 0 && term.Kind != want[term.Text[0]] {
				t.Errorf("%s has kind %v", term.Text, term.Kind)
			}
		}
	}
	if len(set.Quads) != 10 {
		t.Errorf("%d quads\n%s", len(set.Quads), set.AppendNQuads(nil))
	}
}

// A term may nest its values in a key that means @nest, which its definition names as a string.
func TestNest(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for nest, code := range map[string]jsonld.Code{`"n"`: "", `"@nest"`: "", `1`: jsonld.InvalidNestValue, `"@id"`: jsonld.InvalidNestValue} {
		err := toRDF(p, `{"@context":{"@version":1.1,"n":"@nest","p":{"@id":"u:p","@nest":`+nest+`}},"@id":"u:s","n":{"p":"x"}}`)
		if e := new(jsonld.Error); (err == nil) != (code == "") || err != nil && (!errors.As(err, &e) || e.Code != code) {
			t.Errorf("%s: %v", nest, err)
		}
	}
}

// The expanded form keeps the types as they are listed, an empty list too.
func TestExpandedTypes(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for in, want := range map[string]string{`[]`: `[]`, `["u:T"]`: `["u:T"]`, `"u:T"`: `["u:T"]`, `["u:T","u:U"]`: `["u:T","u:U"]`} {
		got, err := p.Expand(context.Background(), []byte(`{"@id":"u:s","@type":`+in+`}`), jsonld.Options{})
		if err != nil || string(got) != `[{"@id":"u:s","@type":`+want+`}]` {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}
