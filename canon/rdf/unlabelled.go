//phase:caller
package rdf

import (
	"bytes"
	"slices"

	"canonscope/canon"
)

// Unlabelled returns the sorted lines of a form, with one label for all blank nodes, or nil if the form is
// not N-Quads. Repeated lines are repeated. Forms that differ in these lines differ in more than labels.
func Unlabelled(text []byte) [][]byte {
	var d Dataset
	if d.ParseNQuads(text, canon.Limits{Bytes: max(1, len(text))}) != nil {
		return nil
	}

	for i := range d.Terms {
		if d.Terms[i].Kind == Blank {
			d.Terms[i].Text = []byte("_:b")
		}
	}
	lines := slices.Collect(bytes.Lines(d.AppendNQuads(nil)))
	slices.SortFunc(lines, bytes.Compare)
	return lines
}
