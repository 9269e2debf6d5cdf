package matrix_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
)

func TestDefaultSubset(t *testing.T) {
	s, err := matrix.Select(matrix.Filter{Default: true}, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]bool)
	for _, e := range s.Entries {
		ids[e.Cell.ID()] = true
		if !e.Default || e.Unsupported != nil {
			t.Errorf("%s is in the default subset: %+v", e.Cell.ID(), e)
		}
	}
	for _, schema := range []string{"simple-20", "ob3"} {
		for _, want := range []string{
			"format=vcdm/suite=eddsa-rdfc-2022/engine=stock/alg=EdDSA/schema=" + schema + "/gc=100/procs=2/contexts=embedded",
			"format=vcdm/suite=eddsa-jcs-2022/engine=stock/alg=EdDSA/schema=" + schema + "/gc=100/procs=2/contexts=none",
			"format=sd-jwt-vc/suite=jws/engine=stock/alg=EdDSA/schema=" + schema + "/gc=100/procs=2/contexts=none",
			"format=sd-jwt-vc/suite=jws/engine=stock/alg=ES256/schema=" + schema + "/gc=100/procs=2/contexts=none",
			"format=mdoc/suite=cose-sign1/engine=stock/alg=EdDSA/schema=" + schema + "/gc=100/procs=2/contexts=none",
			"format=mdoc/suite=cose-sign1/engine=stock/alg=ES256/schema=" + schema + "/gc=100/procs=2/contexts=none",
		} {
			if schema == "ob3" {
				want += "/granularity=branch"
			}
			if !ids[want] {
				t.Errorf("the default subset lacks %s", want)
			}
		}
	}
	cells := 0
	for _, e := range s.Entries {
		cells += len(e.Operations)
	}
	if len(s.Cells()) != cells || len(s.LeftOut) == 0 || strings.Contains(fmt.Sprint(s.LeftOut), "floor") {
		t.Errorf("%d cells of %d exchanges, left out: %v", len(s.Cells()), len(s.Entries), s.LeftOut)
	}
}

// lines are the entries of a selection in their order, those of one schema, tier and algorithm on one line.
func lines(s *matrix.Selection) []string {
	var out []string
	last := ""
	for _, e := range s.Entries {
		c := e.Cell
		group, row := fmt.Sprintf("%s %s %s:", c.Schema, c.Engine, c.Algorithm), c.Suite
		if c.Contexts != compare.NoContexts {
			row += "/" + string(c.Contexts)
		}
		if group != last {
			out, last = append(out, group), group
		}
		out[len(out)-1] += " " + row
	}
	return out
}

// The default subset pairs the tiers of one schema after the other, native contexts in the state of stock ones
// too; what signs with ES256 for comparison comes last, with its floor.
func TestDefaultOrder(t *testing.T) {
	s, err := matrix.Select(matrix.Filter{Default: true}, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, schema := range []string{"simple-20", "ob3"} {
		want = append(want, schema+" stock EdDSA: eddsa-rdfc-2022/embedded eddsa-jcs-2022 jws cose-sign1",
			schema+" native EdDSA: eddsa-rdfc-2022/embedded eddsa-rdfc-2022/warm eddsa-jcs-2022 jws cose-sign1 floor-rdfc primitives",
			schema+" stock ES256: ecdsa-sd-2023/embedded",
			schema+" native ES256: ecdsa-sd-2023/embedded ecdsa-sd-2023/warm")
	}
	for _, schema := range []string{"simple-20", "ob3"} {
		want = append(want, schema+" stock ES256: jws cose-sign1", schema+" native ES256: jws cose-sign1 floor-rdfc primitives")
	}
	if got := lines(s); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The usual algorithm is that of the suite's users; the floor has the algorithms of the native rows above it, the
// operations that are named, and is not part of a list of cells that does not ask for it.
func TestUsualAlgorithm(t *testing.T) {
	f := matrix.Filter{Default: true, Schemas: []string{"simple-20"}, Engines: []string{"native"}, Algorithms: []string{"usual"}}
	s, err := matrix.Select(f, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"simple-20 native none: rdfc/warm jcs",
		"simple-20 native ES256: ecdsa-rdfc-2019/warm ecdsa-jcs-2019 ecdsa-sd-2023/warm jws cose-sign1 floor-rdfc floor-jcs primitives",
		"simple-20 native BBS: bbs-2023/warm floor-rdfc primitives",
		"simple-20 native EdDSA: eddsa-rdfc-2022/warm eddsa-jcs-2022 floor-rdfc floor-jcs primitives"}
	got := lines(s)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	f.Formats, f.Operations, f.Algorithms = []string{"mdoc"}, []string{"verify", "present"}, []string{"usual", "ES384"}
	if s, err = matrix.Select(f, matrix.DefaultPolicy); err != nil {
		t.Fatal(err)
	}
	want = []string{"simple-20 native ES256: cose-sign1 primitives", "simple-20 native ES384: cose-sign1 primitives"}
	if got := lines(s); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range s.Cells() {
		if c.Format == compare.Floor && c.Operation != compare.Verify {
			t.Errorf("%s was not named", c.ID())
		}
	}
	f.Default = false
	if s, err = matrix.Select(f, matrix.DefaultPolicy); err != nil || len(s.Entries) != 2 {
		t.Errorf("a list of mdoc has %q, %v", lines(s), err)
	}

	f.Algorithms = []string{"usal"}
	if _, err := matrix.Select(f, matrix.DefaultPolicy); err == nil || !strings.Contains(err.Error(), `did you mean "usual"?`) {
		t.Error(err)
	}
}

func TestCheckAgainst(t *testing.T) {
	if err := matrix.CheckAgainst([]string{"mdoc", "jws", "vcdm", "ecdsa-sd-2023"}); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"ecdsa-sd-2032": `did you mean "ecdsa-sd-2023"?`, "floor": "choose ", "rdfc": "choose "} {
		var unknown *choice.Error
		if err := matrix.CheckAgainst([]string{"mdoc", name}); !errors.As(err, &unknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every exchange of the matrix either opens or says why not, and ids are unique.
func TestEveryEntryOpens(t *testing.T) {
	s, err := matrix.Select(matrix.Filter{}, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, e := range s.Entries {
		if seen[e.Cell.ID()] {
			t.Errorf("%s is there twice", e.Cell.ID())
		}
		seen[e.Cell.ID()] = true
		b, err := matrix.Open(e.Cell)
		if (err == nil) != (e.Unsupported == nil) || err == nil && (b.Format == nil || b.Generator == nil || b.Tamper == nil) {
			t.Errorf("%s: %+v, %v", e.Cell.ID(), b, err)
		}
		if unsupported := new(canon.UnsupportedError); err != nil && !errors.As(err, &unsupported) {
			t.Errorf("%s: %v is not typed", e.Cell.ID(), err)
		}
	}
	for _, u := range s.Unsupported() {
		if u.State != compare.Unsupported || u.Reason == "" {
			t.Errorf("%s: %s %q", u.ID, u.State, u.Reason)
		}
	}
	if _, err := matrix.Open(compare.Cell{Format: "nothing"}); err == nil {
		t.Error("a cell that does not exist opens")
	}
}

// A dataset has no exchange: every one says so, and what to do.
func TestDatasetIsNotExchanged(t *testing.T) {
	s, err := matrix.Select(matrix.Filter{Formats: []string{"vcdm", "sd-jwt-vc", "mdoc"}, Schemas: []string{"ring-5", "simple-20"}}, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	refused, done := 0, 0
	for _, e := range s.Entries {
		if e.Cell.Schema != "ring-5" {
			if e.Unsupported == nil {
				done++
			}
			continue
		}
		refused++
		_, err := matrix.Open(e.Cell)
		var unsupported *canon.UnsupportedError
		if !errors.As(err, &unsupported) || e.Unsupported == nil || e.Present != "" ||
			!strings.Contains(e.Unsupported.Error(), "schema ring-5 does not support issue") {
			t.Errorf("%s: %v, opens with %v", e.Cell.ID(), e.Unsupported, err)
		}
	}
	if refused == 0 || done == 0 || len(s.Unsupported()) < 3*refused {
		t.Errorf("%d exchanges of the dataset, %d of the credential", refused, done)
	}
}

// What is handed to a format without the matrix is refused too.
func TestFormatRefusesDataset(t *testing.T) {
	for _, id := range []string{
		"format=vcdm/suite=eddsa-jcs-2022/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=none",
		"format=sd-jwt-vc/suite=jws/engine=stock/alg=ES256/schema=simple-20/gc=100/procs=2/contexts=none",
		"format=mdoc/suite=cose-sign1/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=none",
	} {
		cell, err := compare.ParseCell(id)
		if err != nil {
			t.Fatal(err)
		}
		b, err := matrix.Open(cell)
		if err != nil {
			t.Fatal(err)
		}
		g, err := catalogue.Get("star-3")
		if err != nil {
			t.Fatal(err)
		}
		c, err := g.Document(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		var unsupported *canon.UnsupportedError
		if _, err := b.Format.Prepare(c, compare.Scenario{}); !errors.As(err, &unsupported) || unsupported.Engine != "schema star-3" {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// Every engine of canon/engines has cells.
func TestEveryEngine(t *testing.T) {
	for _, name := range canon.Engines {
		s, err := matrix.Select(matrix.Filter{Engines: []string{string(name)}}, matrix.DefaultPolicy)
		if err != nil || len(s.Cells()) == 0 {
			t.Errorf("engine %s: %v", name, err)
		}
	}
}

// The matrix says that json-gold has no SHA-384; if that changes, so must the matrix.
func TestUnsupportedIsTrue(t *testing.T) {
	for _, name := range []canon.Engine{canon.Stock, canon.Tuned} {
		c, err := engines.New(name, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Canonicalize(t.Context(), []byte(`{"@id":"urn:a","urn:b":"c"}`), canon.Options{Hash: canon.SHA384})
		var unsupported *canon.UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%s with SHA-384: %v", name, err)
		}
	}
}

// Each format's gate passes, and its altered presentations differ from the presentation and from each other.
func TestTampers(t *testing.T) {
	for _, id := range []string{
		"format=vcdm/suite=eddsa-jcs-2022/engine=native/alg=EdDSA/schema=%/gc=100/procs=2/contexts=none",
		"format=vcdm/suite=eddsa-rdfc-2022/engine=stock/alg=EdDSA/schema=%/gc=100/procs=2/contexts=embedded",
		"format=vcdm/suite=ecdsa-sd-2023/engine=native/alg=ES256/schema=%/gc=100/procs=2/contexts=warm",
		"format=vcdm/suite=bbs-2023/engine=native/alg=BBS/schema=%/gc=100/procs=2/contexts=warm",
		"format=sd-jwt-vc/suite=jws/engine=stock/alg=ES256/schema=%/gc=100/procs=2/contexts=none",
		"format=mdoc/suite=cose-sign1/engine=stock/alg=EdDSA/schema=%/gc=100/procs=2/contexts=none",
	} {
		for _, schema := range []string{"simple-20", "simple-inline-20", "ob3", "simple-20 holder", "simple-inline-20 holder", "ob3 holder", "ob3 branch"} {
			schema, rest, _ := strings.Cut(schema, " ")
			binding, granularity := rest, compare.Leaf
			if rest == string(compare.Branch) {
				binding, granularity = "", compare.Branch
			}
			if binding != "" && strings.Contains(id, "contexts=embedded") {
				continue // TestBound
			}
			cell, err := compare.ParseCell(strings.Replace(id, "%", schema, 1))
			if err != nil {
				t.Fatal(err)
			}
			cell.Binding, cell.Granularity = compare.Binding(binding), granularity
			want := 3
			if binding != "" {
				want = map[compare.Format]int{"vcdm": 7, "sd-jwt-vc": 6, "mdoc": 5}[cell.Format]
			}
			t.Run(string(cell.Format)+" "+cell.Suite+" "+schema+" "+rest, func(t *testing.T) {
				x := exchanged(t, cell)
				if x.bench.Check != nil {
					form, err := x.bench.Check(context.Background(), x.credential, nil)
					if err != nil || form.Oracle == "" || cell.Contexts != "none" && form.Quads == 0 {
						t.Errorf("the check finds %+v, %v", form, err)
					}
				}
				altered, err := x.bench.Tamper(x.credential, x.presented)
				if err != nil || len(altered) != want {
					t.Fatalf("%d altered presentations, %v", len(altered), err)
				}
				for i, a := range altered {
					if bytes.Equal(a.Bytes, x.presented) {
						t.Errorf("altering %s changes nothing", a.What)
					}
					for _, o := range altered[:i] {
						if bytes.Equal(a.Bytes, o.Bytes) {
							t.Errorf("altering %s is altering %s", a.What, o.What)
						}
					}
					if x.Verify(a.Bytes) == nil {
						t.Errorf("verify accepts %s altered", a.What)
					}
				}
			})
		}
	}
}

// A filter that names states of contexts gets each that an engine has; the others are unsupported, and what has no contexts
// is there once.
func TestContextStates(t *testing.T) {
	s, err := matrix.Select(matrix.Filter{Formats: []string{"vcdm", "sd-jwt-vc", "mdoc"}, Algorithms: []string{"EdDSA"}, Schemas: []string{"ob3"},
		Contexts: []string{"warm", "cold"}}, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, e := range s.Entries {
		c := e.Cell
		if e.Unsupported == nil {
			got[fmt.Sprint(c.Format, " ", c.Suite, " ", c.Engine)] += " " + string(c.Contexts)
			if _, err := matrix.Open(c.With(compare.Verify)); err != nil {
				t.Errorf("%s: %v", c.ID(), err)
			}
		} else if b, err := matrix.Open(c); err == nil {
			t.Errorf("%s is unsupported and opens %+v", c.ID(), b)
		}
	}
	want := map[string]string{
		"vcdm eddsa-rdfc-2022 stock": " cold", "vcdm eddsa-rdfc-2022 tuned": " warm", "vcdm eddsa-rdfc-2022 native": " cold warm",
		"vcdm eddsa-jcs-2022 stock": " none", "vcdm eddsa-jcs-2022 native": " none",
		"sd-jwt-vc jws stock": " none", "sd-jwt-vc jws native": " none", "mdoc cose-sign1 stock": " none", "mdoc cose-sign1 native": " none",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
	if _, err := matrix.Select(matrix.Filter{Contexts: []string{"hot"}}, matrix.DefaultPolicy); err == nil || !strings.Contains(err.Error(), "cold, embedded or warm") {
		t.Error(err)
	}
}

// With holder binding every format signs what it presents: one signature and its verification more. What json-gold cannot
// sign is unsupported, with the reason, and a holder's signature gives an altered credential no weight.
func TestBound(t *testing.T) {
	filter := matrix.Filter{Schemas: []string{"simple-20"}}
	for _, f := range matrix.Formats {
		if slices.Contains(f.Operations, compare.Present) {
			filter.Formats = append(filter.Formats, string(f.Name))
		}
	}
	plain, err := matrix.Select(filter, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	policy := matrix.DefaultPolicy
	policy.Binding = compare.HolderBinding
	bound, err := matrix.Select(filter, policy)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range bound.Entries {
		cell, without := e.Cell, plain.Entries[i]
		if rdfc := cell.Contexts != "none"; rdfc && cell.Engine != canon.Native {
			if !strings.Contains(e.Unsupported.Error(), "json-gold does not support") {
				t.Errorf("%s: %v", cell.ID(), e.Unsupported)
			}
			continue
		}
		if cell.ID() != without.Cell.ID()+"/binding=holder" || fmt.Sprint(e.Unsupported) != fmt.Sprint(without.Unsupported) {
			t.Errorf("%s: %v, without binding %v", cell.ID(), e.Unsupported, without.Unsupported)
		}
		if e.Unsupported != nil {
			continue
		}
		t.Run(cell.ID(), func(t *testing.T) {
			x := exchanged(t, cell)
			y := exchanged(t, without.Cell)
			if d := x.total.Since(y.total); d.Signatures != 1 || d.Verifications != 1 || d.Salts != 0 || d.Digests != 0 {
				t.Errorf("binding counts %+v", d)
			}
			if x.Verify(y.presented) == nil {
				t.Error("what no holder signed is accepted")
			}

			// The holder signs the whole credential, too, and verify counts only its own work.
			before := *x.Counters
			whole, err := x.Whole(x.issued)
			signatures := 1
			if cell.Suite == "bbs-2023" { // deriving makes a proof
				signatures = 2
			}
			if n := x.Counters.Since(before); err != nil || n.Signatures != signatures {
				t.Errorf("the whole counts %+v, %v", n, err)
			}
			before = *x.Counters
			if err := x.Verify(whole); err != nil {
				t.Errorf("the whole: %v", err)
			}
			if n := x.Counters.Since(before); n.Signatures != 0 || n.Verifications < 2 {
				t.Errorf("verify of the whole counts %+v", n)
			}
			if x.Reissued {
				return // the issuer signs what is altered before; package di tests what a holder alters
			}
			altered, err := y.bench.Tamper(x.credential, x.issued)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range altered {
				if p, err := x.Present(a.Bytes); err == nil && x.Verify(p) == nil {
					t.Errorf("%s altered before the holder signs, and accepted", a.What)
				}
			}
		})
	}
}

// done is an exchange that took place.
type done struct {
	*compare.Exchange
	bench             *measure.Bench
	credential        *schemas.Credential
	issued, presented []byte
	total             compare.Counters
}

// exchanged issues, presents and verifies the first document of a cell.
func exchanged(t *testing.T, cell compare.Cell) (d done) {
	t.Helper()
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", cell.ID(), err)
		}
	}
	var err error
	d.bench, err = matrix.Open(cell)
	step(err)
	d.credential, err = d.bench.Generator.Document(1, 0)
	step(err)
	s := d.bench.Scenario
	s.Now, s.Seed = measure.Now, 1
	d.Exchange, err = d.bench.Format.Prepare(d.credential, s)
	step(err)
	d.issued, err = d.Issue()
	step(err)
	d.presented, err = d.Present(d.issued)
	step(err)
	step(d.Verify(d.presented))
	d.total = *d.Counters
	return d
}

// A document of any kind is canonicalized by every engine that can, to the form of another engine; what a method cannot read
// is unsupported and has a reason.
func TestDocuments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plain.json")
	if err := os.WriteFile(path, []byte(`{"proof":1,"a":[2]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, doc, err := catalogue.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	given := compare.Given{Documents: map[string][]byte{plain: doc}}
	s, err := matrix.Select(matrix.Filter{Default: true, Given: given, Operations: []string{"canonize"},
		Schemas: []string{"kit-simple", "ring-5", "star-3", plain}}, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	done := make(map[string]int)
	for _, e := range s.Entries {
		if e.Unsupported != nil {
			if catalogue.IsFile(e.Cell.Schema) != (e.Cell.Suite == "rdfc") || e.Cell.Schema == "kit-simple" {
				t.Errorf("%s: %v", e.Cell.ID(), e.Unsupported)
			}
			continue
		}
		b, err := matrix.OpenGiven(e.Cell, given)
		if err != nil {
			t.Fatalf("%s: %v", e.Cell.ID(), err)
		}
		c, err := b.Generator.Document(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		x, err := b.Format.Prepare(c, compare.Scenario{Limits: measure.Limits})
		if err != nil {
			t.Fatalf("%s: %v", e.Cell.ID(), err)
		}
		form, err := x.Canonize()
		if err != nil || len(form) == 0 || x.Counters.Canonicalizations != 1 {
			t.Errorf("%s: %d bytes, %+v, %v", e.Cell.ID(), len(form), x.Counters, err)
		}
		if _, err := x.Issue(); err == nil {
			t.Errorf("%s is issued", e.Cell.ID())
		}
		found, err := b.Check(t.Context(), c, form)
		if err != nil || found.Oracle == "" || e.Cell.Schema == "ring-5" && (found.Quads != 5 || found.Blank != 5 || found.NDegree == 0) {
			t.Errorf("%s: %+v, %v", e.Cell.ID(), found, err)
		}
		done[e.Cell.Suite]++
	}
	if done["rdfc"] != 6 || done["jcs"] != 4 {
		t.Errorf("canonicalized %v", done)
	}
}

// A holder whose suite does not derive can hand on the whole credential: nothing is signed again.
func TestHandedOver(t *testing.T) {
	policy := matrix.DefaultPolicy
	policy.Present = compare.HandedOver
	s, err := matrix.Select(matrix.Filter{Schemas: []string{"simple-20"}, Engines: []string{"native"}}, policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Entries {
		if e.Cell.Format == compare.Document {
			continue
		}
		whole := e.Cell.Present == compare.HandedOver
		if whole != strings.Contains(e.Cell.ID(), "/present=whole") || whole != (e.Present == "whole") || e.Present == "re-signs" {
			t.Errorf("%s: %s", e.Cell.ID(), e.Present)
		}
		b, err := matrix.Open(e.Cell)
		if err != nil {
			t.Fatal(err)
		}
		if b.Scenario.HandOn != whole {
			t.Errorf("%s hands on: %v", e.Cell.ID(), b.Scenario.HandOn)
		}
		if x := exchanged(t, e.Cell); whole && (x.Reissued || !bytes.Equal(x.issued, x.presented)) {
			t.Errorf("%s does not hand on what was issued", e.Cell.ID())
		}
	}
}

// The gate holds the form that the measured operation returned against the oracle: another one has no time.
func TestCheckOfWhatIsMeasured(t *testing.T) {
	s, err := matrix.Select(matrix.Filter{Default: true, Operations: []string{"canonize"}, Schemas: []string{"simple-5"}},
		matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Entries {
		if e.Unsupported != nil {
			continue
		}
		b, err := matrix.Open(e.Cell)
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.Generator.Document(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Check(t.Context(), c, []byte("another form")); err == nil {
			t.Errorf("%s: any bytes are its canonical form", e.Cell.ID())
		}
	}
}
