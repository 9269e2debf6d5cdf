package contexts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Difference is one place where two context documents differ by value.
type Difference struct {
	Path string // JSON pointer in both
	A, B string // the values as JSON, "" where absent
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

// maxCompared bounds the documents to compare, which become trees.
const maxCompared = 2 << 20

// Differences compares two JSON documents by value: the order of object members does not count, that of arrays does.
// The result is in order of pointers; empty means equal. A document of more than 2 MiB is a *canon.LimitError.
func Differences(a, b []byte) ([]Difference, error) {
	if n := max(len(a), len(b)); n > maxCompared {
		return nil, &canon.LimitError{Limit: "bytes of a context to compare", Max: maxCompared, Done: int64(n)}
	}
	va, err := decode(a)
	if err != nil {
		return nil, fmt.Errorf("first document: %w", err)
	}
	vb, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("second document: %w", err)
	}
	return compare(nil, "", va, vb), nil
}

func decode(src []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

func compare(out []Difference, path string, a, b any) []Difference {
	ma, oka := a.(map[string]any)
	mb, okb := b.(map[string]any)
	if !oka || !okb {
		if !reflect.DeepEqual(a, b) {
			out = append(out, Difference{path, text(a), text(b)})
		}
		return out
	}
	keys := slices.Collect(maps.Keys(ma))
	for k := range mb {
		if _, both := ma[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		at := path + "/" + jsontape.EscapeToken(k)
		x, inA := ma[k]
		y, inB := mb[k]
		switch {
		case !inB:
			out = append(out, Difference{Path: at, A: text(x)})
		case !inA:
			out = append(out, Difference{Path: at, B: text(y)})
		default:
			out = compare(out, at, x, y)
		}
	}
	return out
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
