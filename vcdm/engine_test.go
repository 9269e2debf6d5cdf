package vcdm_test

import (
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/schemas/contexts"
)

// loader serves the official contexts.
func loader(t testing.TB) jsonld.Loader {
	l, err := contexts.Dir(official.Dir(t, "contexts"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// engine returns a canonicalizer over the official contexts.
func engine(t testing.TB, name canon.Engine, method canon.Method) canon.Canonicalizer {
	return engineWith(t, name, method, loader(t))
}

func engineWith(t testing.TB, name canon.Engine, method canon.Method, l jsonld.Loader) canon.Canonicalizer {
	c, err := engines.New(name, method, engines.Config{Loader: l})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
