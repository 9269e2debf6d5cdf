package mdoc

import (
	"reflect"
	"testing"

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
