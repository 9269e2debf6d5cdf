package matrix_test

import (
	"bytes"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/schemas/catalogue"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// What an operation of a native engine allocates does not grow with the credential: it is what the caller
// gets, and of a VCDM credential what base58 and CBOR take. Signatures of ecdsa-sd-2023, one a statement, are
// left out: the standard library allocates for each.
func TestAllocations(t *testing.T) {
	if raced {
		t.Skip("the race detector makes pools forget")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a change empties pools

	for _, c := range []struct {
		cell                   compare.Cell
		issue, verify, present float64
	}{
		{compare.Cell{Format: compare.VCDM, Suite: "eddsa-rdfc-2022", Algorithm: keys.EdDSA, Contexts: compare.Warm}, 3, 6, 4},
		{compare.Cell{Format: compare.VCDM, Suite: "eddsa-jcs-2022", Algorithm: keys.EdDSA, Contexts: compare.NoContexts}, 3, 7, 4},
		{compare.Cell{Format: compare.SDJWT, Suite: "jws", Algorithm: keys.EdDSA, Contexts: compare.NoContexts}, 1, 3, 1},
		{compare.Cell{Format: compare.Mdoc, Suite: "cose-sign1", Algorithm: keys.EdDSA, Contexts: compare.NoContexts}, 1, 5, 4},
		{compare.Cell{Format: compare.VCDM, Suite: "ecdsa-sd-2023", Algorithm: keys.ES256, Contexts: compare.Warm}, -1, -1, 130},
	} {
		measured := 0
		for _, schema := range catalogue.Names() {
			c.cell.Engine, c.cell.Schema = canon.Native, schema
			bench, err := matrix.Open(c.cell)
			if err != nil {
				continue // a test of the matrix says which rows there are
			}
			given, err := bench.Generator.Document(1, 0)
			if err != nil {
				t.Fatal(err)
			}
			x, err := bench.Format.Prepare(given, compare.Scenario{Now: measure.Now, Limits: measure.Limits})
			if err != nil {
				continue
			}
			issued, err := x.Issue()
			if err != nil {
				continue
			}
			whole, err := x.Whole(issued)
			if err != nil {
				t.Fatal(err)
			}

			check := func(what string, most float64, do func() error) {
				if most < 0 {
					return
				}
				run := func() {
					if err := do(); err != nil {
						t.Fatal(err)
					}
				}
				run() // with AllocsPerRun's own, the second that may fill a pool
				got := testing.AllocsPerRun(5, run)
				if got > most {
					t.Errorf("%s: %s: %v allocations, want at most %v", c.cell.ID(), what, got, most)
				}
			}
			url := []byte(vcdm.ProofContext)
			injected := bytes.Contains(issued, url) && !bytes.Contains(given.VCDM, url)
			if !injected { // which is tried without the context first
				check("issue", c.issue, func() error { _, err := x.Issue(); return err })
			}
			check("verify", c.verify, func() error { return x.Verify(whole) })
			check("present", c.present, func() error { _, err := x.Present(issued); return err })
			measured++
		}
		if measured < 10 {
			t.Errorf("%s of only %d schemas", c.cell.Suite, measured)
		}
	}
}
