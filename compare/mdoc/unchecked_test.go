package mdoc

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
)

// Of several documents the answer says which one has something that nobody has checked.
func TestUncheckedOfDocuments(t *testing.T) {
	one, two := Document{Unchecked: []string{"/status"}}, Document{}
	for _, c := range []struct {
		docs []Document
		want []string
	}{
		{[]Document{one}, []string{"/status"}},
		{[]Document{two, one}, []string{"/documents/1/status"}},
		{[]Document{two}, nil},
	} {
		var v compare.Verification
		if err := answer(&v, c.docs, &compare.Task{JSON: true}); err != nil || !reflect.DeepEqual(v.Unchecked, c.want) {
			t.Errorf("%v %v, want %v", v.Unchecked, err, c.want)
		}
	}
}

// Elements as JSON count the names twice and a value seven times, all of it four times; text counts nothing.
func TestElementsAtTheBound(t *testing.T) {
	ns := strings.Repeat("n", 1000)
	one := Element{NameSpace: ns, Identifier: "id", Value: []byte("\x61x")}
	docs := []Document{{Elements: []Element{one, one}}, {Elements: []Element{one}}}
	const memory = 3 * 4 * (2*(1000+2) + 7*2)
	for _, asJSON := range []bool{false, true} {
		for less := range int64(2) {
			task := &compare.Task{JSON: asJSON, Limits: canon.Limits{Memory: memory - less}}
			err := answer(new(compare.Verification), docs, task)
			var limit *canon.LimitError
			if want := asJSON && less == 1; errors.As(err, &limit) != want || (err != nil) != want || want && limit.Done != memory {
				t.Errorf("JSON %v, %d bytes less: %v", asJSON, less, err)
			}
		}
	}
}

// The lines about a document name its namespaces if it has several, and the first twenty of many.
func TestAboutNamespaces(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "", 2: "1 of n00", 20: "1 of n19", 21: "and of 1 namespaces more"} {
		var d Document
		for i := range n {
			d.Elements = append(d.Elements, Element{NameSpace: fmt.Sprintf("n%02d", i)})
		}
		lines := d.about()[2:]
		if n < 2 && len(lines) > 0 || n >= 2 && (len(lines) != n || !strings.Contains(strings.Join(lines, ";"), want)) {
			t.Errorf("%d namespaces: %q", n, lines)
		}
	}
}
