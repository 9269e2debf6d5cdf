package choice

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		name string
		want string
	}{
		{"nativ", `unknown engine "nativ"; did you mean "native"?`},
		{"STOCK", `unknown engine "STOCK"; did you mean "stock"?`},
		{"fast", `unknown engine "fast"; choose stock, tuned or native`},
		{"", `unknown engine ""; choose stock, tuned or native`},
	} {
		err := Unknown("engine", c.name, "stock", "tuned", "native")
		if err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.name, err, c.want)
		}
		var e *Error
		if !errors.As(err, &e) || e.Name != c.name {
			t.Errorf("%q: %#v", c.name, err)
		}
	}
}

func TestCheck(t *testing.T) {
	type engine string
	known := []engine{"stock", "native"}
	if err := Check("engine", "stock", known); err != nil {
		t.Error(err)
	}
	want := `unknown engine "fast"; choose stock or native`
	if err := Check("engine", "fast", known); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"description", "degree", "id", "name", strings.Repeat("long", 100)}
	for name, want := range map[string]string{
		"desciption": "description", "Description": "description", "descirption": "description",
		"degre": "degree", "ix": "id", "nmae": "name", "di": "id", "xy": "", "gpa": "", "a": "", "": "", strings.Repeat("long", 100) + "x": "",
	} {
		if got := Nearest(name, slices.Values(known)); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestList(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := List(names); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
