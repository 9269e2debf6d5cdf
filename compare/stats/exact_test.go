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

// The slope of two points is exact, and its variance is the sum of both counts' over the square of the distance.
func TestCountedExponentOfTwo(t *testing.T) {
	half := 1.959964 * math.Sqrt(1./10+1./1000) / math.Ln2
	if e := stats.CountedExponent([]float64{3, 6}, []float64{5, 20}, []int64{10, 1000}); !is(e, 2-half, 2, 2+half, 1010) {
		t.Errorf("%+v, want 2 within %v", e, half)
	}
	for name, e := range map[string]stats.Estimate{
		"9 samples":     stats.CountedExponent([]float64{3, 6}, []float64{5, 20}, []int64{9, 1000}),
		"a cost of 0":   stats.CountedExponent([]float64{3, 6}, []float64{0, 20}, []int64{10, 1000}),
		"x of 0":        stats.CountedExponent([]float64{0, 6}, []float64{5, 20}, []int64{10, 1000}),
		"x that stands": stats.CountedExponent([]float64{6, 6}, []float64{5, 20}, []int64{10, 1000}),
	} {
		if e != (stats.Estimate{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// The least-squares line through points that lie on no line.
func TestSlope(t *testing.T) {
	// log2 x is 0, 1, 3 and log2 y is 1, 0, 5: (3·15 - 4·6) / (3·10 - 4·4).
	if s := stats.Slope([]float64{1, 2, 8}, []float64{2, 1, 32}); !near(s, 1.5) {
		t.Errorf("slope %v", s)
	}
	if s := stats.Slope([]float64{2, 2}, []float64{2, 4}); !math.IsNaN(s) {
		t.Errorf("slope over one x: %v", s)
	}
}

// A step needs two points, no more; a cost of 0 has no exponent.
func TestStep(t *testing.T) {
	one := func(v float64) []stats.Sample { return []stats.Sample{{0: v, 1: v, 2: v}} }
	if e := stats.Step([]float64{2, 4}, [][]stats.Sample{one(3), one(24)}); !is(e, 3, 3, 3, 3) {
		t.Errorf("a step from 3 to 24: %+v", e)
	}
	for name, e := range map[string]stats.Estimate{
		"a cost of 0":               stats.Exponent([]float64{2, 4}, [][]stats.Sample{one(0), one(24)}),
		"more points than x":        stats.Exponent([]float64{2, 4}, [][]stats.Sample{one(1), one(2), one(3)}),
		"a step of more points":     stats.Step([]float64{2, 4}, [][]stats.Sample{one(1), one(2), one(3)}),
		"a point without processes": stats.Exponent([]float64{2, 4}, [][]stats.Sample{one(1), {{}}}),
	} {
		if e != (stats.Estimate{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// An infinite bound is null.
func TestJSON(t *testing.T) {
	b, err := json.Marshal(stats.Estimate{Center: 2, Low: math.Inf(-1), High: 3, N: 4})
	if err != nil || string(b) != `{"center":2,"low":null,"high":3,"n":4}` {
		t.Errorf("%s, %v", b, err)
	}
}
