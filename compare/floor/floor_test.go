package floor_test

import (
	"bytes"
	"errors"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/floor"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/vcdm/keys"
)

// cells are those of both suites with every algorithm.
func cells() []compare.Cell {
	var all []compare.Cell
	for _, suite := range floor.Definition.Suites {
		for _, algorithm := range suite.Algorithms {
			all = append(all, compare.Cell{Format: compare.Floor, Suite: suite.Name, Engine: canon.Native, Algorithm: algorithm,
				Schema: "simple-20", GC: "100", Procs: 2, Contexts: compare.NoContexts})
		}
	}
	return all
}

// What is signed verifies, every altered signature is refused, and one operation is one signature or its check.
func TestGate(t *testing.T) {
	for _, cell := range cells() {
		t.Run(cell.Suite+" "+string(cell.Algorithm), func(t *testing.T) {
			bench, err := matrix.Open(cell)
			if err != nil {
				t.Fatal(err)
			}
			var signatures [][]byte
			for i := range 2 {
				c, err := bench.Generator.Document(1, i)
				if err != nil {
					t.Fatal(err)
				}
				x, err := bench.Format.Prepare(c, compare.Scenario{Now: measure.Now, Limits: measure.Limits, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				signature, err := x.Issue()
				digests := x.Counters.Digests // of BBS: its messages
				if (digests > 0) != (cell.Algorithm == keys.BBS && cell.Suite != compare.Primitives) {
					t.Errorf("issue counts %d digests", digests)
				}
				if err != nil || *x.Counters != (compare.Counters{Signatures: 1, Digests: digests}) {
					t.Fatalf("issue counts %+v, %v", x.Counters, err)
				}
				want := compare.Counters{Signatures: 1, Verifications: 1, Digests: 2 * digests}
				if err := x.Verify(signature); err != nil || *x.Counters != want {
					t.Fatalf("verify counts %+v, %v", x.Counters, err)
				}
				altered, err := bench.Tamper(c, signature)
				if err != nil || len(altered) != 3 {
					t.Fatalf("%d altered signatures, %v", len(altered), err)
				}
				for _, a := range altered {
					if bytes.Equal(a.Bytes, signature) || x.Verify(a.Bytes) == nil {
						t.Errorf("verify accepts %s altered", a.What)
					}
				}
				for _, other := range signatures {
					if accepted := x.Verify(other) == nil; accepted != (cell.Suite == compare.Primitives) {
						t.Errorf("the signature of another document is accepted: %v", accepted)
					}
				}
				signatures = append(signatures, signature)
			}
		})
	}
}

// The floor reads the document in its operations: one that is not JSON, or is too large, is refused by then.
func TestScans(t *testing.T) {
	bench, err := matrix.Open(cells()[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := bench.Generator.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := bench.Format.Prepare(c, compare.Scenario{Now: measure.Now, Limits: measure.Limits})
	if err != nil {
		t.Fatal(err)
	}
	signature, err := x.Issue()
	if err != nil {
		t.Fatal(err)
	}
	c.VCDM[len(c.VCDM)-1] = ' ' // the last brace, in the bytes that it was given
	_, refused := x.Issue()
	for _, err := range []error{refused, x.Verify(signature)} {
		var syntax *canon.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("a document cut short: %v", err)
		}
	}
}

// A document without a canonical form has no floor, and says so; the primitives need no form.
func TestUnsupportedDocument(t *testing.T) {
	bench, err := matrix.Open(cells()[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := bench.Generator.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	var tape jsontape.Tape
	if err := tape.Scan(c.VCDM, jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	c.VCDM = tape.AppendMember(nil, 0, "undefined", []byte(`"lost"`))
	var unsupported *canon.UnsupportedError
	if _, err := bench.Format.Prepare(c, compare.Scenario{Now: measure.Now}); !errors.As(err, &unsupported) {
		t.Errorf("a document that RDF cannot carry: %v", err)
	}
	if _, err := floor.NewFormat(nil, compare.Primitives, keys.EdDSA).Prepare(c, compare.Scenario{}); err != nil {
		t.Errorf("the primitives need no form: %v", err)
	}
	if _, err := floor.NewFormat(nil, compare.Primitives, keys.EdDSA).Prepare(nil, compare.Scenario{}); err == nil {
		t.Error("no credential is prepared")
	}
}
