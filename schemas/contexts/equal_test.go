package contexts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"canonscope/canon/conform/official"
	"canonscope/canon/jsonld"
	"canonscope/schemas/contexts"

	"github.com/piprate/json-gold/ld"
)

// These tests prove the facts equal to the official files after processing: the definition of each term in each scope, by
// json-gold, and what each term does to six values, by the native processor.

// base is what stands before a context in the documents of its field.
func base(url string) []any {
	switch {
	case strings.Contains(url, "edc-ap") || strings.Contains(url, "context-3.0.1"):
		return []any{"https://www.w3.org/2018/credentials/v1"}
	case strings.Contains(url, "/ob/") || strings.Contains(url, "/clr/"):
		return []any{"https://www.w3.org/ns/credentials/v2"}
	}
	return nil
}

// scopePath is a way to an active context: terms whose scoped contexts are entered in turn.
type scopePath []string

// paths lists every scope of a context object with its terms.
func paths(v any, at scopePath, visit func(scopePath, map[string]any)) {
	c, ok := v.(map[string]any)
	if !ok {
		return
	}
	visit(at, c)
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if def, ok := c[name].(map[string]any); ok {
			paths(def["@context"], append(slices.Clone(at), name), visit)
		}
	}
}

func contextOf(t *testing.T, doc []byte) any {
	t.Helper()
	var v struct {
		Context any `json:"@context"`
	}
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	return v.Context
}

// officialLoader serves the W3C folder, then that of education.
func officialLoader(t *testing.T) jsonld.Loader {
	var all []jsonld.Loader
	for _, sub := range [][]string{{"contexts"}, {"education", "contexts"}} {
		f, err := contexts.Dir(official.Dir(t, sub...))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return contexts.Chain(all...)
}

type gold struct{ jsonld.Loader }

func (g gold) LoadDocument(url string) (*ld.RemoteDocument, error) {
	d, err := g.Load(context.Background(), url)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal(d.Bytes, &v); err != nil {
		return nil, err
	}
	return &ld.RemoteDocument{DocumentURL: url, Document: v}, nil
}

// definitions returns every term definition of every scope of url after context processing.
func definitions(t *testing.T, l jsonld.Loader, url string, outline any) map[string]any {
	t.Helper()
	all := map[string]any{}
	paths(outline, nil, func(at scopePath, terms map[string]any) {
		opt := ld.NewJsonLdOptions("")
		opt.DocumentLoader = gold{l}
		active, err := ld.NewContext(nil, opt).Parse(append(base(url), url))
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		for _, name := range at {
			def := active.GetTermDefinition(name)
			if def == nil {
				t.Fatalf("%s %v: no term %q", url, at, name)
			}
			// A protected term may refuse a scope that is entered this way, with the facts and with the file.
			next, err := active.Parse(def.Context)
			if err != nil {
				all[strings.Join(at, "/")] = err.Error()
				return
			}
			active = next
		}
		for name := range terms {
			all[strings.Join(append(slices.Clone(at), name), "/")] = active.GetTermDefinition(name)
		}
	})
	return all
}

func TestDefinitionsEqualOfficialOnes(t *testing.T) {
	from := officialLoader(t)
	for _, c := range contexts.List(false) {
		outline := contextOf(t, c.JSON)
		ours, theirs := definitions(t, contexts.Embedded(), c.URL, outline), definitions(t, from, c.URL, outline)
		if len(ours) < c.Terms {
			t.Errorf("%s: compared %d of %d terms", c.Name, len(ours), c.Terms)
		}
		for _, at := range slices.Sorted(maps.Keys(ours)) {
			a, _ := json.Marshal(ours[at])
			b, _ := json.Marshal(theirs[at])
			if !bytes.Equal(a, b) {
				t.Errorf("%s %s: %s, official %s", c.Name, at, a, b)
			}
		}
	}
}

// values tell term definitions apart by what they do.
var values = []string{`"v"`, `1`, `true`, `{"@id":"urn:x"}`, `["a","b"]`, `{"en":"v"}`}

// probes expands each value under each term of each scope and returns the results by probe.
func probes(t *testing.T, l jsonld.Loader, url string, outline any) map[string]string {
	t.Helper()
	p := jsonld.New(jsonld.Config{Loader: l})
	results := map[string]string{}
	head, err := json.Marshal(append(base(url), url))
	if err != nil {
		t.Fatal(err)
	}
	paths(outline, nil, func(at scopePath, terms map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(terms)) {
			if name[0] == '@' {
				continue
			}
			for _, v := range values {
				// A scope is entered through a type if its term is one, and else through a property: both are tried.
				for _, how := range []string{"type", "property"} {
					inner := fmt.Sprintf("{%q:%s}", name, v)
					for i := len(at) - 1; i >= 0; i-- {
						if how == "type" {
							inner = fmt.Sprintf(`{"@type":%q,%s`, at[i], inner[1:])
						} else {
							inner = fmt.Sprintf("{%q:%s}", at[i], inner)
						}
						if i > 0 && how == "type" {
							inner = fmt.Sprintf(`{"urn:in":%s}`, inner)
						}
					}
					doc := fmt.Sprintf(`{"@context":%s,%s`, head, inner[1:])
					out, err := p.Expand(context.Background(), []byte(doc), jsonld.Options{Lossy: true})
					if err != nil {
						out = []byte(err.Error())
					}
					results[fmt.Sprint(at, " ", name, " ", how, " ", v)] = string(out)
				}
			}
		}
	})
	return results
}

func TestProbesEqualOfficialOnes(t *testing.T) {
	from := officialLoader(t)
	for _, c := range contexts.List(false) {
		outline := contextOf(t, c.JSON)
		ours, theirs := probes(t, contexts.Embedded(), c.URL, outline), probes(t, from, c.URL, outline)
		if min := 12 * (c.Terms); len(ours) < min {
			t.Errorf("%s: %d probes, want %d", c.Name, len(ours), min)
		}
		for k, v := range ours {
			if theirs[k] != v {
				t.Errorf("%s, probe %s: %s, official %s", c.Name, k, v, theirs[k])
			}
		}
	}
}

// The probes find what they should: the two terms that the specification's copy of Open Badges 3.0.3 has not.
func TestProbesFindDifferences(t *testing.T) {
	c, err := contexts.Find("open-badges-3.0.3")
	if err != nil {
		t.Fatal(err)
	}
	other, err := contexts.EmbeddedWith("open-badges-3.0.3@specification-2025-04")
	if err != nil {
		t.Fatal(err)
	}
	outline := contextOf(t, c.JSON)
	found := map[string]bool{}
	theirs := probes(t, other, c.URL, outline)
	for k, v := range probes(t, contexts.Embedded(), c.URL, outline) {
		if theirs[k] != v {
			found[strings.Fields(k)[1]] = true
		}
	}
	if got := slices.Sorted(maps.Keys(found)); strings.Join(got, " ") != "endorsementJwt jti" {
		t.Errorf("found %v", got)
	}
}
