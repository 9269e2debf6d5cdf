package contexts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Difference is one place where two context documents differ by value.
type Difference struct {
	Path string // JSON pointer in both
	A, B string // the values as JSON, "" if absent
}

func (d Difference) String() string {
	switch {
	case d.A == "":
		return fmt.Sprintf("%s: only in the second: %s", d.Path, d.B)
	case d.B == "":
		return fmt.Sprintf("%s: only in the first: %s", d.Path, d.A)
	}
	return fmt.Sprintf("%s: %s and %s", d.Path, d.A, d.B)
}

// maxCompared bounds the documents to compare.
const maxCompared = 2 << 20

// Differences compares two JSON documents by value: the order of object members does not count, that of
// arrays does. The result is in order of pointers; empty means equal. A document of more than 2 MiB is a
// *canon.LimitError.
func Differences(a, b []byte) ([]Difference, error) {
	if n := max(len(a), len(b)); n > maxCompared {
		return nil, &canon.LimitError{Limit: "bytes of a context to compare", Max: maxCompared,
			Done: int64(n)}
	}
	var x, y jsontape.Tape
	if err := x.Scan(a, jsontape.Options{}); err != nil {
		return nil, fmt.Errorf("first document: %w", err)
	}
	if err := y.Scan(b, jsontape.Options{}); err != nil {
		return nil, fmt.Errorf("second document: %w", err)
	}
	return compare(nil, "", &x, 0, &y, 0), nil
}

// compare appends the differences of value i of a and value j of b, both at a path.
func compare(out []Difference, path string, a *jsontape.Tape, i int, b *jsontape.Tape, j int) []Difference {
	if a.Nodes[i].Kind != jsontape.Object || b.Nodes[j].Kind != jsontape.Object {
		if !a.Equal(i, b, j) {
			out = append(out, Difference{path, text(a, i), text(b, j)})
		}
		return out
	}

	inA, inB := members(a, i), members(b, j)
	keys := slices.Collect(maps.Keys(inA))
	for k := range inB {
		if _, both := inA[k]; !both {
			keys = append(keys, k)
		}
	}

	slices.Sort(keys)

	for _, k := range keys {
		at := path + "/" + jsontape.EscapeToken(k)
		x, ok := inA[k]
		y, both := inB[k]
		switch {
		case !both:
			out = append(out, Difference{Path: at, A: text(a, x)})
		case !ok:
			out = append(out, Difference{Path: at, B: text(b, y)})
		default:
			out = compare(out, at, a, x, b, y)
		}
	}

	return out
}

// members returns the values of an object by their names.
func members(t *jsontape.Tape, i int) map[string]int {
	m := map[string]int{}
	for k, v := range t.Members(i) {
		m[string(t.Text(k))] = v
	}
	return m
}

// text returns a value as JSON with its members in order.
func text(t *jsontape.Tape, i int) string {
	d := json.NewDecoder(bytes.NewReader(t.Raw(i)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(t.Raw(i))
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(t.Raw(i))
	}
	return string(out)
}
