package matrix_test

import (
	"bytes"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/schemas/jsonschema"
)

// A validating exchange accepts the credentials of the catalogue, presents them whole, and says what it checks. With
// selective disclosure, too.
func TestValidating(t *testing.T) {
	for _, engine := range jsonschema.Engines {
		for _, schema := range []string{"simple-20", "ob3", "clr-small", "elm-small"} {
			for _, suite := range []string{"eddsa-jcs-2022/engine=native/alg=EdDSA", "ecdsa-sd-2023/engine=native/alg=ES256"} {
				contexts := "none"
				if strings.HasPrefix(suite, "ecdsa-sd") {
					contexts = "warm"
				}
				cell, err := compare.ParseCell("format=vcdm/suite=" + suite + "/schema=" + schema + "/gc=100/procs=2/contexts=" + contexts +
					"/validator=" + string(engine))
				if err != nil {
					t.Fatal(err)
				}
				t.Run(cell.ID(), func(t *testing.T) {
					x := exchanged(t, cell)
					if !bytes.Contains(x.presented, []byte(`"credentialSubject"`)) || len(x.presented) < len(x.credential.Subject) {
						t.Errorf("%d bytes are presented of a subject of %d", len(x.presented), len(x.credential.Subject))
					}
					if !strings.Contains(x.Checks, "JSON Schema ") || !strings.HasSuffix(x.Checks, string(engine)) {
						t.Errorf("checks %q", x.Checks)
					}
				})
			}
		}
	}
}

// What its schema refuses is neither issued nor accepted.
func TestValidatingRefuses(t *testing.T) {
	cell, err := compare.ParseCell("format=vcdm/suite=eddsa-jcs-2022/engine=native/alg=EdDSA/schema=ob3/gc=100/procs=2/contexts=none/validator=santhosh-tekuri")
	if err != nil {
		t.Fatal(err)
	}
	b, err := matrix.Open(cell)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Generator.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.VCDM = bytes.Replace(c.VCDM, []byte(`"criteria":`), []byte(`"criterion":`), 1)
	x, err := b.Format.Prepare(c, compare.Scenario{Now: measure.Now, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Issue(); err == nil || !strings.Contains(err.Error(), "not valid against its JSON Schema") {
		t.Errorf("issue: %v", err)
	}
	cell.Validator = ""
	plain, err := matrix.Open(cell)
	if err != nil {
		t.Fatal(err)
	}
	y, err := plain.Format.Prepare(c, compare.Scenario{Now: measure.Now, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	issued, err := y.Issue()
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Verify(issued); err == nil || !strings.Contains(err.Error(), "not valid against its JSON Schema") {
		t.Errorf("verify: %v", err)
	}
	// The baselines have no such schema: their cells stay as they are.
	s, err := matrix.Select(matrix.Filter{Schemas: []string{"ob3"}}, matrix.Policy{GC: "100", Procs: []int{2}, Validator: "gojsonschema"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Entries {
		if (e.Cell.Validator != "") != (e.Cell.Format == "vcdm") {
			t.Errorf("%s", e.Cell.ID())
		}
	}
}
