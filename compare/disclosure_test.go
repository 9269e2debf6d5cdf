package compare_test

import (
	"slices"
	"strings"
	"testing"

	"canonscope/compare"
)

func TestDisclosure(t *testing.T) {
	for text, count := range map[string]int{"1": 1, "300": 300, "all": 0, "/a": 0} {
		if d, err := compare.ParseDisclosure(text); err != nil || d.Count() != count {
			t.Errorf("%s: %q %d, %v", text, d, d.Count(), err)
		}
	}
	pointers := []string{"/credentialSubject/a,b", "/credentialSubject/a%2Fb", "/credentialSubject/ü~1~0"}
	d, err := compare.ParseDisclosure(pointers...)
	if err != nil || strings.Contains(string(d), "/") {
		t.Fatal(d, err)
	}
	if got, err := d.Pointers(); err != nil || !slices.Equal(got, pointers) {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range [][]string{{""}, {"0"}, {"-1"}, {"+1"}, {"01"}, {"1.5"}, {"99999999999999999999"}, {"All"}, {"name"}, {"/a~2"},
		{"1", "2"}, {"/a", "all"}} {
		if d, err := compare.ParseDisclosure(bad...); err == nil || !strings.Contains(err.Error(), "want a number of elements") {
			t.Errorf("%q is %q, %v", bad, d, err)
		}
	}
	if _, err := compare.Disclosure("%zz").Pointers(); err == nil {
		t.Error("what is not escaped is read")
	}
}

func TestGranularity(t *testing.T) {
	for _, name := range compare.Granularities {
		if g, err := compare.ParseGranularity(name); err != nil || g.String() != name {
			t.Errorf("%s: %q, %v", name, g, err)
		}
	}
	for _, bad := range []string{"", "leaves", "Branch"} {
		if g, err := compare.ParseGranularity(bad); err == nil {
			t.Errorf("%q is %q", bad, g)
		}
	}
}
