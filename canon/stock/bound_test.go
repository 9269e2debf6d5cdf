package stock_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/stock"
)

// each joins n copies of a format.
func each(n int, sep, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, sep)
}

// json-gold takes quadratic time for these documents, up to minutes. By default it is not called for them.
func TestSteps(t *testing.T) {
	const n = 4000
	one := func(context, member string) string {
		return `{"@context":{"@version":1.1,"p":"urn:p",` + context + `},"@id":"urn:s",` + member + `}`
	}
	scoped := `"t":{"@id":"urn:t","@context":{` + each(1000, ",", `"u%d":"urn:u"`) + `}}`
	documents := map[string]string{
		"values of a property":      one(`"x":null`, `"p":[`+each(n, ",", `"v%d"`)+`]`),
		"numbers":                   one(`"x":null`, `"p":[`+each(n, ",", `%d`)+`]`),
		"ids":                       one(`"x":null`, `"p":[`+each(n, ",", `{"@id":"urn:%d"}`)+`]`),
		"relative ids":              one(`"x":null`, `"p":[`+each(n, ",", `{"@id":"%d"}`)+`]`),
		"nodes":                     one(`"x":null`, `"p":[`+each(n, ",", `{"p":"%d"}`)+`]`),
		"lists":                     one(`"x":null`, `"p":[`+each(n, ",", `{"@list":["%d"]}`)+`]`),
		"a long list":               one(`"x":null`, `"p":{"@list":[`+each(60_000, ",", `"%d"`)+`]}`),
		"types":                     one(`"x":null`, `"@type":[`+each(n, ",", `"urn:t:%d"`)+`]`),
		"relative types":            one(`"x":null`, `"@type":[`+each(n, ",", `"t%d"`)+`]`),
		"terms of one property":     `{"@context":{` + each(n, ",", `"p%d":"urn:p"`) + `},"@id":"urn:s",` + each(n, ",", `"p%d":"x"`) + `}`,
		"graphs":                    one(`"g":{"@id":"urn:g","@container":"@graph"}`, `"g":[`+each(n, ",", `{"p":"%d"}`)+`]`),
		"a map of languages":        one(`"m":{"@id":"urn:m","@container":"@language"}`, `"m":{`+each(n, ",", `"a%d":"x"`)+`}`),
		"a map of ids":              one(`"m":{"@id":"urn:m","@container":"@id"}`, `"m":{`+each(n, ",", `"urn:%d":{"p":"x"}`)+`}`),
		"a map of types":            one(`"m":{"@id":"urn:m","@container":"@type"}`, `"m":{`+each(n, ",", `"urn:%d":{"p":"x"}`)+`}`),
		"a map of indexes":          one(`"m":{"@id":"urn:m","@container":"@index"}`, `"m":{`+each(n, ",", `"i%d":"x"`)+`}`),
		"a map of graphs":           one(`"m":{"@id":"urn:m","@container":["@graph","@id"]}`, `"m":{`+each(n, ",", `"urn:%d":{"p":"x"}`)+`}`),
		"nodes of one id":           `[` + each(n, ",", `{"@id":"urn:s","urn:p":"v%d"}`) + `]`,
		"nodes of one id, included": one(`"x":null`, `"@included":[`+each(n, ",", `{"@id":"urn:s","p":"v%d"}`)+`]`),
		"nodes of one id, nested":   one(`"n":"@nest"`, `"n":[`+each(n, ",", `{"p":"v%d"}`)+`]`),
		"nodes of one id in graphs": `{"@graph":[{"@id":"urn:g","@graph":[` + each(n/2, ",", `{"@id":"urn:s","urn:p":"v%d"}`) + `]},{"@id":"urn:g","@graph":[` + each(n/2, ",", `{"@id":"urn:s","urn:p":"w%d"}`) + `]}]}`,
		"types of nodes of one id":  `[` + each(n, ",", `{"@id":"urn:s","@type":"urn:t:%d"}`) + `]`,
		"a node that refers back":   `[` + each(n, ",", `{"@id":"urn:%d","@reverse":{"urn:p":{"@id":"urn:o"}}}`) + `]`,
		"values of reversed nodes":  one(`"r":{"@reverse":"urn:r"}`, `"r":[`+each(n, ",", `{"@id":"urn:o","p":"v%d"}`)+`]`),
		"contexts of nodes":         `{"@context":{` + each(3000, ",", `"t%d":"urn:t"`) + `,"p":"urn:p"},"p":[` + each(5000, ",", `{"@context":{},"@id":"urn:%d"}`) + `]}`,
		"contexts of properties":    one(scoped, `"p":[`+each(5000, ",", `{"@id":"urn:%d","t":"x"}`)+`]`),
		"contexts of types":         one(scoped, `"p":[`+each(5000, ",", `{"@id":"urn:%d","@type":"t"}`)+`]`),
		"contexts that end":         one(scoped, `"@type":"t","p":[`+each(9000, ",", `{"@id":"urn:%d","p":"x"}`)+`]`),
		"contexts in contexts":      each(400, "", `{"@context":{"a%[1]d":"urn:a",`+each(50, ",", `"b%d_%%[1]d":"urn:b"`)+`},"urn:p":`) + `"x"` + strings.Repeat("}", 400),
		"remote contexts":           `{"@context":{"p":"urn:p"},"p":[` + each(9000, ",", `{"@context":"https://example.org/large","@id":"urn:%d"}`) + `]}`,
		"objects in objects":        `{"@context":{"p":"urn:p"},"p":[` + each(100, ",", strings.Repeat(`{"p":`, 400)+`"v%d"`+strings.Repeat("}", 400)) + `]}`,
		"members of a JSON literal": one(`"j":{"@id":"urn:j","@type":"@json"}`, `"j":{`+each(20_000, ",", `"k%d":1`)+`}`),
		"a deep JSON literal":       one(`"j":{"@id":"urn:j","@type":"@json"}`, `"j":`+strings.Repeat(`{"a":`, 490)+`[`+each(100_000, ",", "%d")+`]`+strings.Repeat("}", 490)),
		"a long prefix":             one(`"x":"urn:`+strings.Repeat("y", 40_000)+`/","i":{"@id":"urn:i","@type":"@id"}`, `"i":{"@list":[`+each(390, ",", `"x:%d"`)+`]}`),
		"a chain of blank nodes":    strings.Repeat(`{"urn:p":`, 400) + `"x"` + strings.Repeat("}", 400),
	}
	documents["long URLs"] = one(`"x":null`, `"p":{"@list":[`+each(1000, ",", `{"@id":"http://`+strings.Repeat("a", 2000)+`%d"}`)+`]}`)
	loader := &docs{m: map[string]string{"https://example.org/large": `{"@context":{` + each(1000, ",", `"u%d":"urn:u"`) + `}}`}}
	refused := func(name string, err error) {
		t.Helper()
		var limit *canon.LimitError
		if !errors.As(err, &limit) || limit.Limit != "steps" || limit.Done <= limit.Max {
			t.Errorf("%s: %.300v, want a limit of steps", name, err)
		}
	}
	for name, doc := range documents {
		for engine, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(loader), "tuned": stock.Tuned(loader)} {
			_, err := canonicalize(c, doc, canon.Options{})
			refused(engine+": "+name, err)
		}
		if name == "a long list" || name == "a chain of blank nodes" { // only labelling takes long
			continue
		}
		if err := stock.Guard(context.Background(), []byte(doc), canon.Options{}, loader); err == nil {
			t.Errorf("the guard passes %s", name)
		}
	}
	for name, nquads := range map[string]string{"a cycle": cycle(300), "a clique": clique(8), "many blank nodes": each(100_000, "", "_:b%[1]d <urn:p> \"%[1]d\" .\n")} {
		for engine, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(nil), "tuned": stock.Tuned(nil)} {
			_, err := canonicalize(c, nquads, canon.Options{Input: canon.NQuads})
			refused(engine+": "+name, err)
		}
	}
}

func cycle(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "_:b%d <urn:p> _:b%d .\n", i, (i+1)%n)
	}
	return b.String()
}

func clique(n int) string {
	var b strings.Builder
	for i := range n {
		for k := range n {
			if i != k {
				fmt.Fprintf(&b, "_:b%d <urn:p> _:b%d .\n", i, k)
			}
		}
	}
	return b.String()
}

// Calls of one operation share a limit: a presentation can have thousands of small credentials.
func TestStepsTogether(t *testing.T) {
	const doc = `{"@id":"urn:s","urn:p":"v"}`
	for name, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(nil), "tuned": stock.Tuned(nil)} {
		budget := new(canon.Budget)
		budget.Reset(canon.Limits{Steps: 100_000})
		var limit *canon.LimitError
		calls := 0
		for ; calls < 100 && limit == nil; calls++ {
			if _, err := canonicalize(c, doc, canon.Options{Limits: canon.Limits{Steps: 100_000}, Budget: budget}); err != nil && !errors.As(err, &limit) {
				t.Fatal(err)
			}
		}
		if limit == nil || limit.Limit != "steps" || limit.Max != 300_000 || calls < 8 {
			t.Errorf("%s: %v after %d calls", name, limit, calls)
		}
	}
}

// A caller can set the limit, and a limit that is not reached changes nothing.
func TestStepsOfCaller(t *testing.T) {
	doc := `{"@id":"urn:s","urn:p":[` + each(100, ",", `"v%02d"`) + `]}`
	want := each(100, "", "<urn:s> <urn:p> \"v%02d\" .\n")
	for name, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(nil), "tuned": stock.Tuned(nil)} {
		for _, steps := range []int64{0, -1, 1_000_000} {
			if got, err := canonicalize(c, doc, canon.Options{Limits: canon.Limits{Steps: steps}}); err != nil || got != want {
				t.Errorf("%s, %d steps: %s, %v", name, steps, got, err)
			}
		}
		var limit *canon.LimitError
		if _, err := canonicalize(c, doc, canon.Options{Limits: canon.Limits{Steps: 1000}}); !errors.As(err, &limit) || limit.Max != 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := stock.NewProcessor(nil)
	var limit *canon.LimitError
	if err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{Limits: canon.Limits{Steps: 1000}}, new(rdf.Dataset)); !errors.As(err, &limit) {
		t.Errorf("a processor: %v", err)
	}
}

// The expanded length of short terms counts as memory before json-gold writes them out.
func TestMemoryOfTerms(t *testing.T) {
	doc := `{"@context":{"@vocab":"u:` + strings.Repeat("x", 46_000) + `"},` + each(5800, ",", `"k%d":"x"`) + `}`
	var chain strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&chain, `"t%d":{"@id":"t%d:x","@prefix":true},`, i, i+1)
	}
	for name, doc := range map[string]string{"a vocabulary": doc, "a chain of prefixes": `{"@context":{` + chain.String() + `"t20000":"urn:t:"},"t0":"x"}`} {
		for engine, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(nil), "tuned": stock.Tuned(nil)} {
			var limit *canon.LimitError
			if _, err := canonicalize(c, doc, canon.Options{}); !errors.As(err, &limit) {
				t.Errorf("%s: %s: %.200v", engine, name, err)
			}
		}
	}
}
