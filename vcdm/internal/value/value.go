// Package value compares and looks up values of scanned JSON documents.
//
//phase:caller
package value

import (
	"bytes"
	"iter"
	"strconv"

	"canonscope/canon/jsontape"
)

// Equal reports whether value a of tape t and value b of tape u are equal: members in any order, strings by
// their text, numbers by their value as IEEE doubles.
func Equal(t *jsontape.Tape, a int, u *jsontape.Tape, b int) bool {
	if bytes.Equal(t.Raw(a), u.Raw(b)) {
		return true
	}

	x, y := &t.Nodes[a], &u.Nodes[b]
	if x.Kind != y.Kind || int(x.Next)-a != int(y.Next)-b { // equal values have as many parts, however deep
		return false
	}

	switch x.Kind {
	case jsontape.String:
		return bytes.Equal(t.Text(a), u.Text(b))
	case jsontape.Number:
		m, err1 := strconv.ParseFloat(string(t.Raw(a)), 64)
		n, err2 := strconv.ParseFloat(string(u.Raw(b)), 64)
		return err1 == nil && err2 == nil && m == n
	case jsontape.Array:
		c, d := a+1, b+1
		for c < int(x.Next) && d < int(y.Next) {
			if !Equal(t, c, u, d) {
				return false
			}
			c, d = int(t.Nodes[c].Next), int(u.Nodes[d].Next)
		}
		return c == int(x.Next) && d == int(y.Next)
	case jsontape.Object:
		members := t.Len(a)
		if members != u.Len(b) {
			return false
		}
		index := u.Index(members) // since the hashes of keys can be made to collide
		for k, v := range t.Members(a) {
			if w := index.Get(b, string(t.Text(k))); w < 0 || !Equal(t, v, u, w) {
				return false
			}
		}
		return true
	}

	return true // null, true, false
}

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
