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
		opt := jsonld.Options{Lossy: pick(2) == 0, Base: []string{"", "", "https://a.example/doc", "https://b.example/d/doc"}[pick(4)]}
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
			if form, again := canonical(kept[state], doc, opt, nil), canonical(kept[state], doc, opt, new(jsonld.Plain)); form != again {
				t.Fatalf("%v: %s\n%+v\nform %s\nplain %s", state, doc, opt, form, again)
			}
		}
		before = append(before, fmt.Sprintf("%s %+v", doc, opt))
	}
}

// canonical is the canonical form of a document, or its error.
func canonical(p *jsonld.Processor, doc string, opt jsonld.Options, plain *jsonld.Plain) string {
	opt.Plain = plain
	if opt.Lossy {
		opt.Losses = new([]canon.Loss)
	}
	text, err := form(nil, p, []byte(doc), opt)
	return fmt.Sprint(text, err)
}

// TestCacheOrder draws families of contexts and visits them in random orders: what a cache keeps depends on nothing but its
// key.
func TestCacheOrder(t *testing.T) {
	seeds := 3000
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
