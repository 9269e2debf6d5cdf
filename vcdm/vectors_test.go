package vcdm_test

import (
	"context"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/vcdm/vectors"
)

// The vectors of VC-DI-EdDSA and VC-DI-ECDSA are reproduced byte for byte by every engine that can do them.
func TestVectors(t *testing.T) {
	dir := official.Dir(t, "di-vectors")
	for name, want := range map[canon.Engine][2]int{canon.Native: {125, 1}, canon.Stock: {107, 3}, canon.Tuned: {107, 3}} {
		jcs := canon.Native
		if name == canon.Stock {
			jcs = canon.Stock
		}
		results, err := vectors.Run(context.Background(), dir,
			vectors.Engines{RDFC: engine(t, name, canon.RDFC), JCS: engine(t, jcs, canon.JCS)})
		if err != nil {
			t.Fatal(err)
		}
		bbs := 0
		for _, r := range results {
			if strings.HasPrefix(r.Test, "vc-di-bbs") && r.Outcome == conform.Passed {
				bbs++
			}
			switch r.Outcome {
			case conform.Failed:
				t.Errorf("%s: %s: %s", name, r.Test, r.Reason)
			case conform.Skipped:
				t.Logf("%s: %s: skipped: %s", name, r.Test, r.Reason)
			}
		}
		if passed, _, n := conform.Count(results); passed-bbs != want[0] || n != want[1] {
			t.Errorf("%s: %d passed, %d skipped", name, passed, n)
		} else {
			t.Logf("%s: %d passed, %d of them of bbs-2023, whose vectors may be absent", name, passed, bbs)
		}
	}
}

// The artifacts of another implementation are answered as they expect.
func TestInterop(t *testing.T) {
	dir := official.Dir(t, "interop")
	results, err := vectors.Interop(context.Background(), dir, vectors.Engines{RDFC: engine(t, canon.Native, canon.RDFC), JCS: engine(t, canon.Native, canon.JCS)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Outcome != conform.Passed {
			t.Errorf("%s: %s: %s", r.Test, r.Outcome, r.Reason)
		}
	}
	if passed, _, _ := conform.Count(results); passed < 339 {
		t.Errorf("%d checks passed", passed)
	} else {
		t.Logf("%d checks passed", passed)
	}
}
