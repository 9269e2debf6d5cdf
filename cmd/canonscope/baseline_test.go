package main

import (
	"reflect"
	"testing"

	"canonscope/canon"
	"canonscope/compare/mdoc"
)

// Of several documents the answer says which one has something that nobody has checked.
func TestUncheckedOfDocuments(t *testing.T) {
	one, two := mdoc.Document{Unchecked: []string{"/status"}}, mdoc.Document{}
	for _, c := range []struct {
		docs []mdoc.Document
		want []string
	}{{[]mdoc.Document{one}, []string{"/status"}}, {[]mdoc.Document{two, one}, []string{"/documents/1/status"}}, {[]mdoc.Document{two}, nil}} {
		var r baselineResult
		if err := r.mdoc(c.docs, true, new(canon.Limits)); err != nil || !reflect.DeepEqual(r.Unchecked, c.want) {
			t.Errorf("%v %v, want %v", r.Unchecked, err, c.want)
		}
	}
}
