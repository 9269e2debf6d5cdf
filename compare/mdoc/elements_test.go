package mdoc

import (
	"fmt"
	"slices"
	"testing"
)

// A selection of many elements takes what one of few takes, and complains about the same.
func TestSelection(t *testing.T) {
	ids := []string{"", "a", "a/b", "a/bc", "ab", "a/b/c", "/", "a/", "b", "a//b", "é/a"}
	var filler []want
	for i := range 2 * fewWanted {
		filler = append(filler, want{pointer: fmt.Sprintf("/x%d", i), anywhere: i%2 == 0, space: "x", id: fmt.Sprintf("x%d", i)})
	}
	for n, id := range ids {
		w := want{pointer: "/" + id, anywhere: n%2 == 0, space: "s", id: id}
		few, many := newSelection([]want{w}), newSelection(append(append([]want{w}, filler...), w))
		if few.by != nil || many.by == nil {
			t.Fatal("few are many")
		}
		for _, id := range ids {
			for number, space := range []string{"s", "x", "t"} {
				if a, b := takes(few, space, number, id), takes(many, space, number, id); a != b {
					t.Errorf("%q wanted: takes %q of %s: %v of few, %v of many", w.id, id, space, a, b)
				}
			}
		}
		for _, f := range filler {
			takes(many, "x", 1, f.id)
		}
		if few.hit[0] != many.hit[0] || slices.Contains(many.hit, 0) {
			t.Errorf("%q: %v, %v", id, few.hit, many.hit)
		}
	}
}
