package mdoc

import (
	"fmt"
	"testing"
)

// A choice of many elements takes what one of few takes, and complains about the same.
func TestChoice(t *testing.T) {
	ids := []string{"", "a", "a/b", "a/bc", "ab", "a/b/c", "/", "a/", "b", "a//b", "é/a"}
	var filler []string
	for i := range 2 * fewWanted {
		filler = append(filler, fmt.Sprintf("x%d", i))
	}
	for _, w := range ids {
		few, many := newChoice([]string{w}), newChoice(append(append([]string{w}, filler...), w))
		if few.by != nil || many.by == nil {
			t.Fatal("few are many")
		}
		for _, id := range ids {
			if a, b := takes(few, id), takes(many, id); a != b {
				t.Errorf("%q wanted: takes %q: %v of few, %v of many", w, id, a, b)
			}
		}
		for _, f := range filler {
			takes(many, f)
		}
		if few.missing() != nil || many.missing() != nil {
			t.Errorf("%q: %v, %v", w, few.missing(), many.missing())
		}
		if err := newChoice(append(filler, w)).missing(); err == nil || err.Error() != newChoice(filler[:1]).missing().Error() {
			t.Errorf("%v is not about the first", err)
		}
	}
}
