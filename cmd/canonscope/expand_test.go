package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
)

// Expanding labels no blank nodes: a clique of them, on which json-gold would not end, is no more work than other documents.
func TestExpandClique(t *testing.T) {
	var nodes []any
	for s := range 14 {
		var others []any
		for o := range 14 {
			if o != s {
				others = append(others, map[string]any{"@id": fmt.Sprintf("_:b%d", o)})
			}
		}
		nodes = append(nodes, map[string]any{"@id": fmt.Sprintf("_:b%d", s), "urn:p": others})
	}
	doc, err := json.Marshal(nodes)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []canon.Engine{"native", "stock"} {
		var out, errs strings.Builder
		status := run([]string{"expand", "--engine", string(engine), "-"}, strings.NewReader(string(doc)), &out, &errs)
		if status != statusDone || strings.Count(out.String(), "_:b13") != 14 {
			t.Errorf("%s: status %d: %s", engine, status, &errs)
		}
	}
}
