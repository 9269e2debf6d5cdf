package jsonld_test

import (
	"context"
	"slices"
	"testing"

	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// A tape that a caller hands over stays the caller's: what the processor scans later does not run over its nodes.
func TestTapeStaysTheCallers(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for range 8 { // pools may give fresh memory each time
		var tape jsontape.Tape
		doc := []byte(`{"@id":"urn:a","urn:p":["x","y",{"@id":"urn:b"}]}`)
		if err := tape.Scan(doc, jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(tape.Nodes)
		var set rdf.Dataset
		if err := p.ToRDF(context.Background(), nil, jsonld.Options{Tape: &tape}, &set); err != nil {
			t.Fatal(err)
		}
		if err := p.ToRDF(context.Background(), []byte(`{"urn:other":[1,2,3,4,5,6,7,8,9]}`), jsonld.Options{}, &set); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tape.Nodes, want) {
			t.Fatalf("nodes of the caller's tape changed:\n got %v\nwant %v", tape.Nodes, want)
		}
	}
}
