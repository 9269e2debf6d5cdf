package stats_test

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

func counting(n int) stats.Sample {
	s := make(stats.Sample)
	for i := range n {
		s[100-i] = float64(i + 1)
	}
	return s
}

// Of six the least and the largest have 31/32 of confidence, the next 25/32: a tenth of the way, weighted. Of ten
// those at depth 2 have 501/512, at depth 3 57/64.
func TestMedianOfKnownValues(t *testing.T) {
	for n, want := range map[int][3]float64{
		6: {1 + 5./14, 3.5, 6 - 5./14}, 10: {2.657658, 5.5, 8.342342}, 11: {2.917794, 6, 9.082206},
	} {
		e := stats.Median(counting(n))
		if math.Abs(e.Low-want[0]) > 1e-4 || e.Center != want[1] || math.Abs(e.High-want[2]) > 1e-4 || e.N != n {
			t.Errorf("1 to %d: %+v, want %v", n, e, want)
		}
	}
	skew := stats.Sample{0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 1e9}
	if e := stats.Median(skew); e.Center != 3 || e.Low != 1 || e.High < 1e8 {
		t.Errorf("skewed: %+v", e)
	}
}

// Below six there is no interval of 95 %, and a median without one is not shown.
func TestMedianOfFew(t *testing.T) {
	broken := counting(7)
	broken[100] = math.NaN()
	for _, s := range []stats.Sample{counting(5), counting(1), nil, broken} {
		if e := stats.Median(s); e != (stats.Estimate{}) {
			t.Errorf("%d processes: %+v", len(s), e)
		}
	}
}
