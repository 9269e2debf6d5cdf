package compare_test

import (
	"testing"

	"canonscope/compare"
)

func TestCellID(t *testing.T) {
	c := compare.Cell{Format: "vcdm", Suite: "eddsa-rdfc-2022", Engine: "stock", Algorithm: "EdDSA", Schema: "simple-20", Operation: compare.Verify,
		GC: "100", Procs: 2, Contexts: "embedded"}
	const want = "format=vcdm/suite=eddsa-rdfc-2022/engine=stock/alg=EdDSA/schema=simple-20/op=verify/gc=100/procs=2/contexts=embedded"
	if c.ID() != want {
		t.Errorf("id is %s, want %s", c.ID(), want)
	}
	validating := c
	validating.Validator = "gojsonschema"
	if validating.ID() != want+"/validator=gojsonschema" {
		t.Errorf("id is %s", validating.ID())
	}
	bound := validating
	bound.Binding = "holder"
	if bound.ID() != want+"/validator=gojsonschema/binding=holder" {
		t.Errorf("id is %s", bound.ID())
	}
	heavy := bound
	heavy.LiveHeap = 64
	if want := want + "/live-heap=64/validator=gojsonschema/binding=holder"; heavy.ID() != want {
		t.Errorf("id is %s, want %s", heavy.ID(), want)
	}
	part := bound
	part.Granularity = compare.Branch
	var err error
	if part.Disclose, err = compare.ParseDisclosure("/credentialSubject/a~1b,c", "/credentialSubject/d=%"); err != nil {
		t.Fatal(err)
	}
	if want := bound.ID() + "/disclose=%2FcredentialSubject%2Fa~1b%2Cc,%2FcredentialSubject%2Fd=%25/granularity=branch"; part.ID() != want {
		t.Errorf("id is %s, want %s", part.ID(), want)
	}
	if built := part.Of("new"); built.ID() != part.ID()+"/build=new" || built.Of("") != part {
		t.Errorf("id is %s", built.ID())
	}
	for _, c := range []compare.Cell{c, c.Exchange(), validating, bound, heavy, part, part.Of("new")} {
		if back, err := compare.ParseCell(c.ID()); err != nil || back != c {
			t.Errorf("%s reads back as %+v, %v", c.ID(), back, err)
		}
	}
	for _, bad := range []string{"", "format", "format=", want + "/more=1", "suite=x/" + want, want[:len(want)-1] + "=/", "procs=x"} {
		if _, err := compare.ParseCell(bad); err == nil {
			t.Errorf("%q is read as a cell", bad)
		}
	}
}

func FuzzParseCell(f *testing.F) {
	f.Add("format=vcdm/suite=s/engine=e/alg=a/schema=c/op=verify/gc=off/procs=2/contexts=none")
	f.Fuzz(func(t *testing.T, id string) {
		if c, err := compare.ParseCell(id); err == nil && c.ID() != id {
			t.Errorf("%q reads as %q", id, c.ID())
		}
	})
}
