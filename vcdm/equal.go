//phase:caller
package vcdm

import (
	"bytes"
	"strconv"

	"canonscope/canon/jsontape"
)

// smallObject is the number of members up to which they are looked for one by one: their hashes can be made to collide.
const smallObject = 32

// equalValues says whether two JSON values of a tape are equal.
func equalValues(t *jsontape.Tape, a, b int) bool { return equalAcross(t, a, t, b) }

// equalAcross says whether value a of tape t and value b of tape u are equal: members in any order, strings by their
// text, numbers by their value as IEEE doubles.
func equalAcross(t *jsontape.Tape, a int, u *jsontape.Tape, b int) bool {
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
			if !equalAcross(t, c, u, d) {
				return false
			}
			c, d = int(t.Nodes[c].Next), int(u.Nodes[d].Next)
		}
		return c == int(x.Next) && d == int(y.Next)
	case jsontape.Object:
		members := u.Len(b)
		if t.Len(a) != members {
			return false
		}
		get := func(key string) int { return u.Get(b, key) }
		if members > smallObject {
			members := make(map[string]int, members)
			for k, v := range u.Members(b) {
				members[string(u.Text(k))] = v
			}
			get = func(key string) int {
				if v, ok := members[key]; ok {
					return v
				}
				return -1
			}
		}
		for k, v := range t.Members(a) {
			if w := get(string(t.Text(k))); w < 0 || !equalAcross(t, v, u, w) {
				return false
			}
		}
		return true
	}
	return true // null, true, false
}
