package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// toRDF converts in safe mode.
func toRDF(p *jsonld.Processor, doc string) error {
	var set rdf.Dataset
	return p.ToRDF(context.Background(), []byte(doc), jsonld.Options{}, &set)
}

// Documents and contexts that ask for endless or enormous work end in a typed error, soon.
func TestBombs(t *testing.T) {
	many := func(n int, sep string, f func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f(i)
		}
		return strings.Join(parts, sep)
	}
	remote := jsonld.Map{
		"https://c.example/self": []byte(`{"@context":["https://c.example/self",{"a":"u:a"}]}`),
		"https://c.example/one":  []byte(`{"@context":"https://c.example/two"}`),
		"https://c.example/two":  []byte(`{"@context":"https://c.example/one"}`),
		"https://c.example/imp":  []byte(`{"@context":{"@import":"https://c.example/imp","a":"u:a"}}`),
		// A scoped context that names its own document is legal, and used over and over it never ends by itself.
		"https://c.example/nest": []byte(`{"@context":{"@version":1.1,"a":{"@id":"u:a","@context":"https://c.example/nest"}}}`),
		"https://c.example/far":  []byte(`{"@context":[{` + many(600, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, i, i) }) + `},{"a":{"@id":"u:a","@context":["https://c.example/far2",{"b":"t1:x"}]}}]}`),
		"https://c.example/far2": []byte(`{"@context":{"c":{"@id":"t2","@context":["https://c.example/far2"]}}}`),
		"https://c.example/big":  []byte(`{"@context":{` + many(100_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, i, i) }) + `}}`),
	}
	// Thirty documents, each naming the next one nine times.
	for i := range 30 {
		remote[fmt.Sprintf("https://c.example/fan%d", i)] = []byte(`{"@context":[` +
			many(9, ",", func(int) string { return fmt.Sprintf(`"fan%d"`, i+1) }) + `]}`)
	}
	remote["https://c.example/fan30"] = []byte(`{"@context":{"a":"u:a"}}`)
	// Twelve documents whose scoped contexts name each other, and the last six of them in a web of their own.
	for i := range 12 {
		from := i / 6 * 6
		remote[fmt.Sprintf("https://c.example/web%d", i)] = []byte(`{"@context":{` +
			many(12-from, ",", func(j int) string { return fmt.Sprintf(`"t%[1]d":{"@id":"u:t%[1]d","@context":"web%[1]d"}`, from+j) }) + `}}`)
	}
	deep := func(n int, open, inner, closing string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}
	limit := func(name string) func(error) bool {
		return func(err error) bool {
			var l *canon.LimitError
			return errors.As(err, &l) && l.Limit == name
		}
	}
	code := func(c jsonld.Code) func(error) bool {
		return func(err error) bool {
			var e *jsonld.Error
			return errors.As(err, &e) && e.Code == c
		}
	}
	fine := func(err error) bool { return err == nil }
	for _, c := range []struct {
		name, doc string
		want      func(error) bool
	}{
		{"self-importing context", `{"@context":"https://c.example/self","a":"x"}`, code(jsonld.ContextOverflow)},
		{"two contexts in a circle", `{"@context":"https://c.example/one","u:a":"x"}`, code(jsonld.ContextOverflow)},
		{"@import of itself", `{"@context":"https://c.example/imp","a":"x"}`, code(jsonld.InvalidContextEntry)},
		{"nesting scoped context", `{"@context":"https://c.example/nest","a":` + deep(200, `{"a":`, `"x"`, `}`) + `}`, fine},
		{"scoped contexts in a web", `{"@context":"https://c.example/web6","t7":"x"}`, fine},
		{"scoped contexts in a large web", `{"@context":"https://c.example/web0","t1":"x"}`, limit("context work")}, // each path is another
		{"scoped context in a large one", `{"@context":"https://c.example/far","a":{"c":"x"}}`, fine},
		{"fan of contexts", `{"@context":"https://c.example/fan0","a":"x"}`, limit("documents")},
		{"100,000 terms", `{"@context":"https://c.example/big","t1":"x"}`, limit("context terms")},
		{"100,000 terms inline", `{"@context":{` + many(100_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, i, i) }) + `},"t1":"x"}`, limit("memory")},
		{"40,000 terms twice over", `{"@context":[{` + many(40_000, ",", func(i int) string { return fmt.Sprintf(`"s%d":"u:s%d"`, i, i) }) + `},{` +
			many(40_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, i, i) }) + `}],"t1":"x"}`, limit("memory")},
		{"large context applied often", `{"@context":[{` + many(40_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, i, i) }) + `},` +
			many(2000, ",", func(i int) string { return fmt.Sprintf(`{"x%d":"u:x"}`, i) }) + `],"t1":"x"}`, fine},
		{"large context changed by many nodes", `{"@context":{` + many(40_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, i, i) }) + `},"t1":[` +
			many(2000, ",", func(i int) string { return fmt.Sprintf(`{"@context":{"x%d":"u:x"},"x%d":"y"}`, i, i) }) + `]}`, fine},
		{"deep document", `{"u:a":` + deep(10_000, `{"u:a":`, `"x"`, `}`) + `}`, limit("depth")},
		{"deep array", deep(10_000, `[`, ``, `]`), limit("depth")},
		{"deep context", `{"@context":` + deep(10_000, `[`, `null`, `]`) + `}`, limit("depth")},
		{"deep scoped contexts", `{"@context":` + deep(160, `{"a":{"@id":"u:a","@context":`, `{}`, `}}`) + `,"a":"x"}`, fine},
		{"many type-scoped contexts", `{"@context":{"@version":1.1,` + many(20_000, ",", func(i int) string { return fmt.Sprintf(`"T%d":{"@id":"u:T%d","@context":{}}`, i, i) }) + `},"u:p":[` +
			many(20_000, ",", func(i int) string { return fmt.Sprintf(`{"@type":"T%d"}`, i) }) + `]}`, fine},
		{"many lists of scoped contexts", `{"@context":{"@version":1.1,` + many(20_000, ",", func(i int) string { return fmt.Sprintf(`"T%d":{"@id":"u:T%d","@context":[{},{}]}`, i, i) }) + `},"u:p":"x"}`, limit("context work")},
		{"long chain of terms", `{"@context":{` + many(40_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"t%d:x"`, i, i+1) }) + `},"t0":"x"}`, fine},
		{"many languages", `{"@context":{"l":{"@id":"u:l","@container":"@language"}},"l":{` + many(50_000, ",", func(i int) string { return fmt.Sprintf(`"x-%d":"v"`, i) }) + `}}`, fine},
		{"protected again in another order", `{"@context":[{"@version":1.1,"@protected":true,"T":{"@id":"u:T","@context":{` + many(20_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, i, i) }) +
			`}}},{"@version":1.1,"T":{"@id":"u:T","@context":{` + many(20_000, ",", func(i int) string { return fmt.Sprintf(`"t%d":"u:t%d"`, 19_999-i, 19_999-i) }) + `}}}],"@type":"T"}`, fine},
		{"colliding keys", `{"@context":{` + many(20_000, ",", func(i int) string { return fmt.Sprintf(`"a%06dzz":"u:t"`, i) }) + `},"a000001zz":"x"}`, fine},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, state := range jsonld.CacheStates {
				if raced && state != jsonld.Warm {
					continue // slow, and nothing in it is shared
				}
				p := jsonld.New(jsonld.Config{Loader: remote, State: state})
				if err := toRDF(p, c.doc); !c.want(err) {
					t.Errorf("%v: %v", state, err)
				}
			}
		})
	}
}

// A long IRI behind many short keys or values does not become an enormous dataset.
func TestAmplification(t *testing.T) {
	long := "u:" + strings.Repeat("x", 20_000) + "/"
	many := func(format string) string {
		parts := make([]string, 400)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	for name, doc := range map[string]string{
		"vocabulary": `{"@context":{"@vocab":"LONG"},` + many(`"k%d":"x"`) + `}`,
		"prefix":     `{"@context":{"p":"LONG","r":{"@id":"u:r","@type":"@id"}},"r":[` + many(`"p:k%d"`) + `]}`,
		"types":      `{"@context":{"@vocab":"LONG"},"@type":[` + many(`"T%d"`) + `]}`,
		"datatype":   `{"@context":{"p":{"@id":"u:p","@type":"LONG"}},"p":[` + many(`"%d"`) + `]}`,
		"property":   `{"@context":{"p":"LONG"},"p":[` + many(`"%d"`) + `]}`,
		"subject":    `{"@id":"LONG","u:p":[` + many(`"%d"`) + `]}`,
		"graph":      `{"@id":"LONG","@graph":[` + many(`{"u:p":"%d"}`) + `]}`,
		"terms":      `{"@context":{"t":"LONG",` + many(`"t%d":"t:x"`) + `},"t":"x"}`,
	} {
		p := jsonld.New(jsonld.Config{Limits: jsonld.Limits{Work: 100_000}})
		opt := jsonld.Options{Limits: canon.Limits{Memory: 640 << 10}}
		var set rdf.Dataset
		err := p.ToRDF(context.Background(), []byte(strings.ReplaceAll(doc, "LONG", long)), opt, &set)
		var l *canon.LimitError
		if !errors.As(err, &l) || l.Limit != "memory" && l.Limit != "context work" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := p.Expand(context.Background(), []byte(strings.ReplaceAll(doc, "LONG", long)), opt); name != "subject" && name != "graph" && name != "property" && !errors.As(err, &l) {
			t.Errorf("%s, expanded: %v", name, err)
		}
	}
}

// A call ends with its context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var set rdf.Dataset
	err := jsonld.New(jsonld.Config{}).ToRDF(ctx, []byte(`{"@id":"u:s","u:p":"x"}`), jsonld.Options{}, &set)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A cycle in term definitions is found however it is written.
func TestCycles(t *testing.T) {
	for _, context := range []string{
		`{"a":"a:x"}`, `{"a":"b:x","b":"a:x"}`, `{"a":{"@id":"u:a","@type":"a"}}`, `{"a":"b","b":"c","c":"a"}`, `{"a":{"@reverse":"a:b"}}`,
	} {
		err := toRDF(jsonld.New(jsonld.Config{}), `{"@context":`+context+`,"a":"x"}`)
		var e *jsonld.Error
		if !errors.As(err, &e) || e.Code != jsonld.CyclicIRIMapping {
			t.Errorf("%s: %v", context, err)
		}
	}
}

// A base IRI stands before each relative reference, so it is bounded.
func TestLongBase(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for n, fits := range map[int]bool{2048: true, 2049: false} {
		base := "http://b.example/" + strings.Repeat("x", n-len("http://b.example/"))
		_, err := p.Expand(context.Background(), []byte(`{"@id":"y","http://p.example/":1}`), jsonld.Options{Base: base})
		var limit *canon.LimitError
		if errors.As(err, &limit) == fits || fits && err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
