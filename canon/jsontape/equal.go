//phase:parse primitive
package jsontape

import (
	"bytes"
	"strconv"
)

// Equal reports whether value i of t and value j of u are equal: members in any order, strings by their
// text, numbers by their value as IEEE 754 doubles. It writes to neither tape, so that any number of calls
// may share them.
func (t *Tape) Equal(i int, u *Tape, j int) bool {
	if bytes.Equal(t.Raw(i), u.Raw(j)) {
		return true
	}

	a, b := &t.Nodes[i], &u.Nodes[j]
	if a.Kind != b.Kind || int(a.Next)-i != int(b.Next)-j { // equal values have the same number of nodes
		return false
	}

	switch a.Kind {
	case String:
		return (a.Escaped() || b.Escaped()) && bytes.Equal(t.copied(i), u.copied(j))
	case Number:
		x, errX := strconv.ParseFloat(string(t.Raw(i)), 64)
		y, errY := strconv.ParseFloat(string(u.Raw(j)), 64)
		return errX == nil && errY == nil && x == y
	case Array:
		n := j + 1
		for e := range t.Elements(i) {
			if n >= int(b.Next) || !t.Equal(e, u, n) {
				return false
			}
			n = int(u.Nodes[n].Next)
		}
		return n == int(b.Next)
	case Object:
		return t.sameMembers(i, u, j)
	}

	return true // null, true, false
}

// sameMembers is Equal for objects. Large objects use a map, because an attacker can make KeyHash collide.
func (t *Tape) sameMembers(i int, u *Tape, j int) bool {
	members := u.Len(j)
	if t.Len(i) != members {
		return false
	}
	get := func(name []byte) int { return u.Get(j, string(name)) }
	if members > smallObject {
		values := make(map[string]int, members)
		for k, v := range u.Members(j) {
			values[string(u.copied(k))] = v
		}
		get = func(name []byte) int {
			if v, ok := values[string(name)]; ok {
				return v
			}
			return -1
		}
	}

	for k, v := range t.Members(i) {
		if w := get(t.copied(k)); w < 0 || !t.Equal(v, u, w) {
			return false
		}
	}
	return true
}

// copied is Text in memory outside the tape.
func (t *Tape) copied(i int) []byte {
	if t.Nodes[i].Escaped() {
		return t.AppendString(nil, i)
	}
	return t.Text(i)
}
