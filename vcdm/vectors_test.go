package vcdm_test

import (
	"context"
	"testing"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/vcdm/vectors"
)

// The vectors of VC-DI-EdDSA and VC-DI-ECDSA are reproduced byte for byte.
func TestVectors(t *testing.T) {
	dir := official.Dir(t, "di-vectors")
	results, err := vectors.Run(context.Background(), dir, vectors.Engines{RDFC: newGold(t), JCS: plainJCS{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		switch r.Outcome {
		case conform.Failed:
			t.Errorf("%s: %s", r.Test, r.Reason)
		case conform.Skipped:
			t.Logf("%s: skipped: %s", r.Test, r.Reason)
		}
	}
}
