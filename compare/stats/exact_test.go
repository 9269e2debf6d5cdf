package stats_test

import (
	"encoding/json"
	"math"
	"testing"

	"canonscope/compare/stats"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*(1+math.Abs(b)) }

func is(e stats.Estimate, low, center, high float64, n int) bool {
	return near(e.Low, low) && near(e.Center, center) && near(e.High, high) && e.N == n
}

// An infinite bound is null.
func TestJSON(t *testing.T) {
	b, err := json.Marshal(stats.Estimate{Center: 2, Low: math.Inf(-1), High: 3, N: 4})
	if err != nil || string(b) != `{"center":2,"low":null,"high":3,"n":4}` {
		t.Errorf("%s, %v", b, err)
	}
}
