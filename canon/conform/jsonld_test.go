package conform_test

import (
	"context"
	"testing"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/canon/jsonld"
)

// The native processor passes every test of JSON-LD 1.1: 367 of 385 expand and 448 of 467 toRdf tests.
func TestJSONLD(t *testing.T) {
	dir := official.Dir(t, "json-ld-api")
	for _, state := range jsonld.CacheStates {
		p := jsonld.New(jsonld.Config{Loader: conform.JSONLDLoader(dir), State: state})
		results, err := conform.JSONLD(context.Background(), dir, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Outcome == conform.Failed {
				t.Errorf("%v: %s %s: %s", state, r.Test, r.Name, r.Reason)
			}
		}
		if passed, failed, skipped := conform.Count(results); passed != 367+448 || failed != 0 || skipped != 18+19 {
			t.Errorf("%v: %d passed, %d failed, %d skipped", state, passed, failed, skipped)
		}
	}
}
