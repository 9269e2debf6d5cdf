package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/family"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// answer is all that a processor says of a document. It is "" where the budget of work on contexts ends, which is spent on
// what a cache does not have.
func answer(p *jsonld.Processor, doc string, opt jsonld.Options) string {
	var set rdf.Dataset
	var losses []canon.Loss
	if opt.Lossy {
		opt.Losses = &losses
	}
	err := p.ToRDF(context.Background(), []byte(doc), opt, &set)
	var limit *canon.LimitError
	if errors.As(err, &limit) && limit.Limit == "context work" {
		return ""
	}
	return fmt.Sprintf("%v %v\n%s", err, losses, set.AppendNQuads(nil))
}

// visits checks that the documents of a family get the answers of a processor that has seen nothing, in whatever order they
// come and with whatever options.
func visits(t *testing.T, pick func(n int) int) {
	f := family.NewContexts(pick)
	loader := jsonld.Map(f.Remote)
	kept := map[jsonld.CacheState]*jsonld.Processor{}
	for _, state := range jsonld.CacheStates {
		kept[state] = jsonld.New(jsonld.Config{Loader: loader, State: state})
	}
	var before []string
	for range 3 * len(f.Documents) {
		doc := f.Documents[pick(len(f.Documents))]
		opt := jsonld.Options{Lossy: pick(2) == 0, Base: []string{"", "https://a.example/doc", "https://b.example/doc", "https://b.example/d/doc"}[pick(4)]}
		switch pick(12) {
		case 0:
			opt.ExpandContext = `{"@context":["https://b.example/s",{"t":"u:t#","@vocab":"u:e#"}]}`
		case 1:
			opt.Limits.Context = 60
		case 2:
			opt.Limits.Depth = 6
		}
		want := answer(jsonld.New(jsonld.Config{Loader: loader, State: jsonld.Cold}), doc, opt)
		for _, state := range jsonld.CacheStates {
			got := answer(kept[state], doc, opt)
			if got != want && got != "" && want != "" {
				t.Fatalf("%v: %s\n%+v\nanswer %s\nalone  %s\nafter\n%s\nwith %s", state, doc, opt, got, want, strings.Join(before, "\n"), loader)
			}
		}
		before = append(before, fmt.Sprintf("%s %+v", doc, opt))
	}
}

// TestCacheOrder draws families of contexts and visits them in random orders: what a cache keeps depends on nothing but its
// key.
func TestCacheOrder(t *testing.T) {
	seeds := 1000
	if testing.Short() || raced {
		seeds = 100
	}
	for seed := range seeds {
		visits(t, rand.New(rand.NewPCG(uint64(seed), 0)).IntN)
	}
}

// FuzzCacheOrder is TestCacheOrder where the fuzzer draws: each byte is a choice.
func FuzzCacheOrder(f *testing.F) {
	for seed := range 20 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		choices := make([]byte, 400)
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		r := rand.New(rand.NewPCG(uint64(len(choices)), 2)) // goes on where the choices end
		visits(t, func(n int) int {
			if len(choices) == 0 {
				return r.IntN(n)
			}
			c := int(choices[0])
			choices = choices[1:]
			return c % n
		})
	})
}

// TestAttackPoisonedContextCache is finding 3: two contexts import one whose scoped context, in a scoped context, is given by
// a relative reference, which each of them resolves against its own URL.
func TestAttackPoisonedContextCache(t *testing.T) {
	loader := jsonld.Map{
		"https://shared.example/c":      []byte(`{"@context":{"@version":1.1,"a":{"@id":"u:a","@context":{"b":{"@id":"u:b","@context":"terms"}}}}}`),
		"https://issuer.example/c":      []byte(`{"@context":{"@version":1.1,"@import":"https://shared.example/c"}}`),
		"https://issuer.example/terms":  []byte(`{"@context":{"passed":"u:passed","failed":"u:failed"}}`),
		"https://foreign.example/c":     []byte(`{"@context":{"@version":1.1,"@import":"https://shared.example/c"}}`),
		"https://foreign.example/terms": []byte(`{"@context":{"passed":"u:failed","failed":"u:passed"}}`),
	}
	const document = `{"@context":"https://%s.example/c","a":{"b":{"passed":"x"}}}`
	for _, state := range jsonld.CacheStates {
		p := jsonld.New(jsonld.Config{Loader: loader, State: state})
		for _, c := range []struct{ host, want string }{{"foreign", "<u:failed>"}, {"issuer", "<u:passed>"}, {"foreign", "<u:failed>"}} {
			if got := text(t, p, fmt.Sprintf(document, c.host)); !strings.Contains(got, c.want) {
				t.Errorf("%v: %s: %s", state, c.host, got)
			}
		}
	}
}

// TestAttackScopedContextVocabulary is finding A2: a scoped context that needs @vocab is in order beside one and not beside
// none, in whatever order the documents come and however the scoped context is given.
func TestAttackScopedContextVocabulary(t *testing.T) {
	for _, scoped := range []string{`{"p":{"@type":"@id"}}`, `[{"p":{"@type":"@id"}}]`, `"https://c.example/p"`, `{"q":{"@id":"u:q","@context":[null,"p"]}}`} {
		loader := jsonld.Map{
			"https://c.example/R": []byte(`{"@context":{"@version":1.1,"T":{"@id":"u:T","@context":` + scoped + `}}}`),
			"https://c.example/p": []byte(`{"@context":{"p":{"@type":"@id"}}}`),
		}
		fine, wrong := `{"@context":[{"@vocab":"u:v#"},"https://c.example/R"],"u:q":"x"}`, `{"@context":"https://c.example/R","u:q":"x"}`
		refused := strings.Contains(scoped, "null") // beside any
		for _, state := range jsonld.CacheStates {
			p := jsonld.New(jsonld.Config{Loader: loader, State: state})
			for _, doc := range []string{fine, wrong, fine, wrong} {
				var e *jsonld.Error
				err := toRDF(p, doc)
				if want := refused || doc == wrong; want != (errors.As(err, &e) && e.Code == jsonld.InvalidScopedContext && e.Pointer[:9] == "/@context") {
					t.Errorf("%v, %s: %s: %v", state, scoped, doc, err)
				}
			}
		}
	}
}

// What a call allows a context to be does not depend on what an earlier call allowed.
func TestLimitsOfContexts(t *testing.T) {
	loader := jsonld.Map{"https://c.example/R": []byte(`{"@context":{"p":{"@id":"u:p","@context":{"q":{"@id":"u:q"}}}}}`)}
	doc := `{"@context":"https://c.example/R","p":"x"}`
	for _, state := range jsonld.CacheStates {
		p := jsonld.New(jsonld.Config{Loader: loader, State: state})
		for range 2 {
			for _, limits := range []canon.Limits{{}, {Context: 20}, {Depth: 3}} {
				err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{Limits: limits}, new(rdf.Dataset))
				if limit := new(canon.LimitError); (limits != canon.Limits{}) != errors.As(err, &limit) {
					t.Errorf("%v, %+v: %v", state, limits, err)
				}
			}
		}
	}
}

// TestAttackNullBetweenProtected: null after protected terms is refused, in one array as in two contexts.
func TestAttackNullBetweenProtected(t *testing.T) {
	loader := jsonld.Map{"https://c.example/R": []byte(`{"@context":{"@protected":true,"t":"u:t"}}`), "https://c.example/null": []byte(`{"@context":[null]}`)}
	for _, context := range []string{
		`[{"@protected":true,"t":"u:t"},null,{"t":"u:evil"}]`, `["https://c.example/R",null,{"t":"u:evil"}]`, `["https://c.example/R","https://c.example/null",{"t":"u:evil"}]`,
		`[{"@protected":true,"t":{"@id":"u:t","@context":{}}},{"v":"u:v"},null]`, `[{"@type":{"@container":"@set","@protected":true}},null]`,
	} {
		err := toRDF(jsonld.New(jsonld.Config{Loader: loader}), `{"@context":`+context+`,"u:p":"x"}`)
		if e := new(jsonld.Error); !errors.As(err, &e) || e.Code != jsonld.InvalidContextNullification {
			t.Errorf("%s: %v", context, err)
		}
	}
}

// A definition of @type alone is protected like that of a term, and @base of a remote context has no part in its @vocab.
func TestContextDetails(t *testing.T) {
	err := toRDF(jsonld.New(jsonld.Config{}), `{"@context":[{"@version":1.1,"@type":{"@container":"@set","@protected":true}},{"@type":{"@protected":true}}],"u:p":"x"}`)
	if e := new(jsonld.Error); !errors.As(err, &e) || e.Code != jsonld.ProtectedTermRedefinition {
		t.Error(err)
	}
	loader := jsonld.Map{"https://c.example/R": []byte(`{"@context":{"@base":"https://remote.example/","@vocab":"v#"}}`)}
	var set rdf.Dataset
	err = jsonld.New(jsonld.Config{Loader: loader}).ToRDF(context.Background(), []byte(`{"@context":"https://c.example/R","p":"x"}`), jsonld.Options{Base: "https://doc.example/d"}, &set)
	if got := string(set.AppendNQuads(nil)); err != nil || !strings.Contains(got, "<https://doc.example/v#p>") {
		t.Errorf("%v %s", err, got)
	}
	// A scoped context that imports the document it stands in has no end.
	loader = jsonld.Map{"https://c.example/R": []byte(`{"@context":{"@version":1.1,"T":{"@id":"u:T","@context":{"@import":"R"}}}}`)}
	err = toRDF(jsonld.New(jsonld.Config{Loader: loader}), `{"@context":"https://c.example/R","u:p":"x"}`)
	for e := new(jsonld.Error); errors.As(err, &e); err = e.Err {
		if e.Code == jsonld.ContextOverflow {
			return
		}
	}
	t.Error("no context overflow")
}
