package stock_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/family"
	"canonscope/canon/jsonld"
	"canonscope/canon/stock"
)

var poisons = &docs{m: map[string]string{
	"https://example.org/base":   `{"@context":{"@version":1.1,"name":"https://example.org/name"}}`,
	"https://example.org/scoped": `{"@context":{"@version":1.1,"T":{"@id":"urn:T","@context":{"@import":"https://example.org/base","name":"urn:evil"}}}}`,
	"https://example.org/hidden": `{"@context":{"@version":1.1,"T":{"@id":"urn:T","@context":{"@version":1.1,"\u0040im\u0070ort":"https://example.org/base","name":"urn:evil"}}}}`,
	"https://example.org/via":    `{"@context":{"@version":1.1,"p":{"@id":"urn:p","@context":"https://example.org/hidden"}}}`,
}}

// poisoned runs documents through an engine that make json-gold write into https://example.org/base.
func poisoned(t *testing.T, c canon.Canonicalizer) {
	const victim = `{"@context":"https://example.org/base","@id":"urn:a","name":"x"}`
	var group sync.WaitGroup
	for _, doc := range []string{
		victim,
		`{"@context":{"@version":1.1,"@import":"https://example.org/base","name":"urn:evil"},"name":"x"}`,
		`{"@context":{"@version":1.1,"T":{"@id":"urn:T","@context":{"\u0040import":"https://example.org/base","name":"urn:evil"}}},"@type":"T","name":"x"}`,
		`{"@context":{"@version":1.1,"T":{"@id":"urn:T","@context":{"@im\u0070or\u0074":"https://example.org/base","other":"urn:o"}}},"@type":"T","name":"x"}`,
		`{"@context":"https://example.org/scoped","@type":"T","name":"x"}`,
		`{"@context":"https://example.org/hidden","@type":"T","name":"x"}`,
		`{"@context":["https://example.org/base","https://example.org/via"],"p":{"@type":"T","name":"x"}}`,
		`{"@context":{"@version":1.1,"p":{"@id":"urn:p","@context":"https://example.org/scoped"}},"p":{"@type":"T","name":"x"}}`,
		`[{"urn:q":{"@context":[{"@version":1.1},{"@version":1.1,"@\u0069mport":"https://example.org/base","name":"urn:evil"}],"name":"x"}}]`,
	} {
		group.Go(func() {
			for range 3 {
				if _, err := canonicalize(c, doc, canon.Options{}); err != nil {
					t.Logf("%s: %v", doc, err)
				}
				if got, err := canonicalize(c, victim, canon.Options{}); err != nil || got != "<urn:a> <https://example.org/name> \"x\" .\n" {
					t.Errorf("beside %s: %v %s", doc, err, got)
				}
			}
		})
	}
	group.Wait()
}

// TestStockPoison and TestTunedPoison check that json-gold, which writes into a context that another one
// imports, does not change a cached context. The key @import may have an escape or be in a remote context.
func TestStockPoison(t *testing.T) { poisoned(t, stock.RDFC(poisons)) }

func TestTunedPoison(t *testing.T) { poisoned(t, stock.Tuned(poisons)) }

// The limit of a context in one call does not depend on the limits of earlier calls.
func TestLimitOfContexts(t *testing.T) {
	for name, c := range map[string]canon.Canonicalizer{"stock": stock.RDFC(contexts()), "tuned": stock.Tuned(contexts())} {
		for range 2 {
			for _, limit := range []int{0, 10} {
				if _, err := canonicalize(c, person, canon.Options{Limits: canon.Limits{Context: limit}}); (err == nil) != (limit == 0) {
					t.Errorf("%s, %d: %v", name, limit, err)
				}
			}
		}
	}
}

// hosts is a loader for families of contexts. It accepts relative references: json-gold resolves the
// references in a context against the document, so that they stay relative.
type hosts struct{ jsonld.Map }

func (h hosts) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	if !strings.Contains(url, ":") {
		url = "https://a.example/" + strings.TrimLeft(url, "./")
	}
	return h.Map.Load(ctx, url)
}

// TestLongLived generates families of contexts: an engine that has seen other documents answers as a new
// one does. For some documents json-gold has several answers, since it walks contexts in a random order.
func TestLongLived(t *testing.T) {
	seeds := 15
	if testing.Short() {
		seeds = 2 // nothing in it is shared
	}
	answer := func(c canon.Canonicalizer, doc string) string {
		form, err := canonicalize(c, doc, canon.Options{})
		if err != nil {
			return err.Error()
		}
		return form
	}
	for _, engine := range []func(jsonld.Loader) canon.Canonicalizer{stock.RDFC, stock.Tuned} {
		forms := 0
		for seed := range seeds {
			pick := rand.New(rand.NewPCG(uint64(seed), 3)).IntN
			f := family.NewContexts(pick)
			old := engine(hosts{f.Remote})
			for range 3 * len(f.Documents) {
				doc := f.Documents[pick(len(f.Documents))]
				got, seen := answer(old, doc), []string{}
				for len(seen) < 100 && (len(seen) == 0 || seen[len(seen)-1] != got) {
					seen = append(seen, answer(engine(hosts{f.Remote}), doc))
				}
				if seen[len(seen)-1] != got {
					t.Fatalf("seed %d: %s\n%s\nanswer %s\nalone  %s", seed, f.Remote, doc, got, seen[0])
				}
				if strings.HasSuffix(got, ".\n") {
					forms++
				}
			}
		}
		if forms < seeds/10 {
			t.Errorf("only %d documents of %d families have a form", forms, seeds)
		}
	}
}
