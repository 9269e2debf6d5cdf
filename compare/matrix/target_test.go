package matrix_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
)

// Education schemas have branches, others leaves; of two granularities with the same elements the first is
// taken, and what is presented is known before anything runs.
func TestSelectDisclosed(t *testing.T) {
	for _, c := range []struct {
		schema        string
		disclose      compare.Disclosure
		granularities []compare.Granularity
		want          string // each: granularity, elements of how many
	}{
		{"simple-20", "", nil, "leaf 5/20"},
		{"kit-simple", "", nil, "leaf 1/2"},
		{"synth-bn-10", "1", nil, "leaf 1/31"},
		{"ob3", "", nil, "branch 4/37"},
		{"ob-small:tags=3", "2", nil, "branch 2/9"},
		{"clr-small", compare.Everything, nil, "branch 6/6"},
		{"elm-small", "3", nil, "branch 3/4"},
		{"kit-ob3", "", nil, "branch 1/9"},
		{"kit-dcc", "", nil, "branch 1/8"},
		{"ob3", "3", []compare.Granularity{compare.Leaf, compare.Branch, compare.Claim}, "leaf 3/261 branch 3/37 claim 3/14"},
		{"simple-20", "", []compare.Granularity{compare.Leaf, compare.Branch}, "leaf 5/20"},
		{"simple-20", "", []compare.Granularity{compare.Claim}, "claim 5/20"},
	} {
		policy := matrix.DefaultPolicy
		policy.Disclose, policy.Granularities = c.disclose, c.granularities
		s, err := matrix.Select(matrix.Filter{Schemas: []string{c.schema}, Engines: []string{"native"}}, policy)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		parts := make(map[string]bool)
		for _, d := range s.Disclosed {
			got = append(got, fmt.Sprintf("%s %d/%d", d.Granularity, d.Elements, d.Of))
			parts[string(d.Disclose)+" "+d.Granularity.String()] = true
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.schema, text, c.want)
		}
		cells := make(map[string]bool)
		for _, e := range s.Entries {
			if e.Cell.Format != compare.Document {
				cells[string(e.Cell.Disclose)+" "+e.Cell.Granularity.String()] = true
			} else if e.Cell.Disclose != "" || e.Cell.Granularity != compare.Leaf {
				t.Errorf("%s presents something", e.Cell.ID())
			}
		}
		if !maps.Equal(cells, parts) {
			t.Errorf("%s: cells %v, disclosed %v", c.schema, cells, parts)
		}
	}

	policy := matrix.DefaultPolicy
	policy.Disclose = "21"
	if _, err := matrix.Select(matrix.Filter{Schemas: []string{"ring-5", "simple-20"}}, policy); err == nil ||
		!strings.Contains(err.Error(), "schema simple-20: 21 elements cannot be disclosed; at granularity leaf there are 20") {
		t.Error(err)
	}
	if s, err := matrix.Select(matrix.Filter{Schemas: []string{"ring-5"}}, policy); err != nil || s.Disclosed != nil {
		t.Errorf("of a dataset: %v", err)
	}
}

// The axis disclose walks what is presented of one schema, beside axes of schemas, which present what the
// policy says.
func TestDiscloseAxis(t *testing.T) {
	experiments, err := matrix.Along(t.Context(), compare.Given{}, []string{"simple-20"}, []string{"disclose=1,5,all", "attributes=5,10"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	policy := matrix.DefaultPolicy
	policy.Disclose = "2"
	s, err := matrix.SelectExperiments(experiments, matrix.Filter{Suites: []string{"jws"}, Engines: []string{"native"},
		Algorithms: []string{"EdDSA"}}, policy)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.Entries {
		got = append(got, e.Cell.Schema+" "+string(e.Cell.Disclose))
	}
	const want = "simple-20 1, simple-20 5, simple-20 all, simple-20:attributes=5 2, simple-20:attributes=10 2"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	canonize := matrix.Filter{Operations: []string{"canonize"}}
	if _, err := matrix.SelectExperiments(experiments, canonize, policy); err == nil ||
		!strings.Contains(err.Error(), "--axis disclose: what is canonicalized is not presented") {
		t.Error(err)
	}
	for _, bad := range []string{"disclose=1,x", "disclose=1,0", "disclose=all,all"} {
		if _, err := matrix.Along(t.Context(), compare.Given{}, nil, []string{bad}, 1); err == nil || !strings.Contains(err.Error(), "--axis "+bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// What is presented is what the cell says, by every format alike.
func TestPresentsDisclosed(t *testing.T) {
	pointer, err := compare.ParseDisclosure("/credentialSubject/achievement/creator")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{
		"format=vcdm/suite=eddsa-jcs-2022/engine=native/alg=EdDSA/schema=ob3/gc=100/procs=2/contexts=none",
		"format=vcdm/suite=ecdsa-sd-2023/engine=native/alg=ES256/schema=ob3/gc=100/procs=2/contexts=warm",
		"format=sd-jwt-vc/suite=jws/engine=stock/alg=ES256/schema=ob3/gc=100/procs=2/contexts=none",
		"format=sd-jwt-vc/suite=jws/engine=native/alg=ES256/schema=ob3/gc=100/procs=2/contexts=none",
		"format=mdoc/suite=cose-sign1/engine=stock/alg=EdDSA/schema=ob3/gc=100/procs=2/contexts=none",
		"format=mdoc/suite=cose-sign1/engine=native/alg=EdDSA/schema=ob3/gc=100/procs=2/contexts=none",
	} {
		for _, g := range []compare.Granularity{compare.Leaf, compare.Branch, compare.Claim} {
			for _, d := range []compare.Disclosure{"1", "7", compare.Everything, pointer} {
				cell, err := compare.ParseCell(id)
				if err != nil {
					t.Fatal(err)
				}
				cell.Disclose, cell.Granularity = d, g
				t.Run(cell.ID(), func(t *testing.T) {
					x := exchanged(t, cell)
					altered, err := x.bench.Tamper(x.credential, x.presented)
					if err != nil || len(altered) < 2 {
						t.Errorf("%d altered presentations, %v", len(altered), err)
					}
					for _, a := range altered {
						if x.Verify(a.Bytes) == nil {
							t.Errorf("verify accepts %s altered", a.What)
						}
					}
					if cell.Format == compare.VCDM {
						return
					}
					want := map[compare.Granularity]int{compare.Leaf: 261, compare.Branch: 37, compare.Claim: 14}[g]
					if x.total.Salts != want {
						t.Errorf("%d salts, want %d", x.total.Salts, want)
					}
				})
			}
		}
	}
	for _, id := range []string{
		"format=document/suite=jcs/engine=native/alg=none/schema=ob3/gc=100/procs=2/contexts=none/granularity=branch",
		"format=document/suite=jcs/engine=native/alg=none/schema=ob3/gc=100/procs=2/contexts=none/disclose=1",
		"format=sd-jwt-vc/suite=jws/engine=native/alg=ES256/schema=ob3/gc=100/procs=2/contexts=none/granularity=twig",
		"format=sd-jwt-vc/suite=jws/engine=native/alg=ES256/schema=ob3/gc=100/procs=2/contexts=none/granularity=leaf",
	} {
		cell, err := compare.ParseCell(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := matrix.Open(cell); err == nil || !strings.Contains(err.Error(), "the matrix has no cell") {
			t.Errorf("%s: %v", id, err)
		}
	}
}
