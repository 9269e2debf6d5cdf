package matrix_test

import (
	"strings"
	"testing"

	"canonscope/compare/matrix"
)

// Builds are an axis: each exchange of the matrix has one of every build, beside each other, and what an engine cannot do none
// can. Nothing else of a cell or its order depends on them, and a child opens the cell without its build.
func TestBuildsAxis(t *testing.T) {
	f := matrix.Filter{Suites: []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019"}, Schemas: []string{"simple-5", "simple-6"},
		Engines: []string{"stock", "native"}, Default: true}
	p := matrix.DefaultPolicy
	p.Procs = []int{1, 2}
	one, err := matrix.Select(f, p)
	if err != nil {
		t.Fatal(err)
	}
	p.Builds = []string{"z", "a"}
	two, err := matrix.Select(f, p)
	if err != nil {
		t.Fatal(err)
	}

	floors, unsupported := 0, 0
	if len(two.Entries) != 2*len(one.Entries) {
		t.Fatalf("%d exchanges of two builds, %d of one", len(two.Entries), len(one.Entries))
	}
	for i, e := range one.Entries {
		z, a := two.Entries[2*i], two.Entries[2*i+1]
		if z.Cell.Build != "z" || a.Cell.Build != "a" || z.Cell.Of("") != e.Cell || a.Cell.Of("") != e.Cell {
			t.Errorf("%s is followed by %s, of %s", z.Cell.ID(), a.Cell.ID(), e.Cell.ID())
		}
		if (a.Unsupported == nil) != (e.Unsupported == nil) {
			t.Errorf("%s: %v", a.Cell.ID(), a.Unsupported)
		}
		if e.Unsupported != nil {
			unsupported++
		}
		if e.Cell.Format == "floor" {
			floors++
		}
	}
	if floors == 0 || unsupported == 0 {
		t.Errorf("%d floors, %d unsupported: the test has not all kinds", floors, unsupported)
	}
	for _, c := range two.Cells() {
		if !strings.HasSuffix(c.ID(), "/build="+c.Build) {
			t.Errorf("the id is %s", c.ID())
		}
	}
	if _, err := matrix.Open(two.Cells()[0].Of("")); err != nil {
		t.Error(err)
	}
}
