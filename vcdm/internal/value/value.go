// Package value looks up values of scanned JSON documents.
//
//phase:caller
package value

import (
	"iter"

	"canonscope/canon/jsontape"
)

// Each yields the elements of an array, or a value that is none.
func Each(t *jsontape.Tape, i int) iter.Seq[int] {
	first, end := i, int(t.Nodes[i].Next)
	if t.Nodes[i].Kind == jsontape.Array {
		first++
	}
	return func(yield func(int) bool) { // one literal: the compiler inlines it, and nothing is allocated
		for e := first; e < end; e = int(t.Nodes[e].Next) {
			if !yield(e) {
				return
			}
		}
	}
}

// Has reports whether a value is the text or a list that holds it; -1 is no value.
func Has(t *jsontape.Tape, value int, text string) bool {
	if value < 0 {
		return false
	}
	for e := range Each(t, value) {
		if t.Nodes[e].Kind == jsontape.String && t.TextIs(e, text) {
			return true
		}
	}
	return false
}

// TextIs reports whether an object has a member with a text.
func TextIs(t *jsontape.Tape, object int, key, text string) bool {
	v := t.Get(object, key)
	return v >= 0 && t.Nodes[v].Kind == jsontape.String && t.TextIs(v, text)
}
