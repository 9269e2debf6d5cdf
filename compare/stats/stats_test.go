package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"canonscope/compare/stats"
)

// noisy draws runs x blocks around center with the given relative spread.
func noisy(seed uint64, runs, blocks int, center, spread float64) stats.Sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := make(stats.Sample, runs)
	for r := range s {
		for range blocks {
			s[r] = append(s[r], center*(1+spread*rng.NormFloat64()))
		}
	}
	return s
}

func TestMedianOfKnownValues(t *testing.T) {
	e := stats.Median(stats.Sample{{3, 1, 2}, {5, 4, 100}})
	if e.Center != 3.5 || e.N != 6 || e.Low != 1 || e.High != 100 {
		t.Errorf("median of 1 2 3 4 5 100: %+v", e)
	}
	if e := stats.Median(stats.Sample{{3, 1, 2}}); !math.IsInf(e.High, 1) {
		t.Errorf("three values have an interval: %+v", e)
	}
	if e := stats.Median(nil); e != (stats.Estimate{}) {
		t.Errorf("no values: %+v", e)
	}
}

func TestRatioOfMedians(t *testing.T) {
	a, b, c := stats.Sample{{10, 12, 14}}, stats.Sample{{1, 2, 3}}, stats.Sample{{4, 4, 4}}
	if e := stats.Ratio([]stats.Sample{a, b}, []stats.Sample{b, c}, 1); e.Center != 14.0/6 || e.Low > e.Center || e.High < e.Center {
		t.Errorf("(12+2)/(2+4): %+v", e)
	}
	if e := stats.Sum([]stats.Sample{a, b, c}, 1); e.Center != 18 {
		t.Errorf("12+2+4: %+v", e)
	}
	if e := stats.Ratio([]stats.Sample{a}, nil, 1); e != (stats.Estimate{}) {
		t.Errorf("a ratio to nothing: %+v", e)
	}
	if e := stats.Ratio(nil, []stats.Sample{a}, 1); e != (stats.Estimate{}) {
		t.Errorf("a ratio of nothing: %+v", e)
	}
	if e := stats.Ratio([]stats.Sample{a}, []stats.Sample{nil}, 1); e != (stats.Estimate{}) {
		t.Errorf("a ratio to an empty cell: %+v", e)
	}
}

func TestSameSeedSameInterval(t *testing.T) {
	a, b := []stats.Sample{noisy(1, 3, 6, 100, .05)}, []stats.Sample{noisy(2, 3, 6, 50, .05)}
	if x, y := stats.Ratio(a, b, 7), stats.Ratio(a, b, 7); x != y {
		t.Errorf("%+v and %+v", x, y)
	}
}

// A drift that all cells of a run share must not widen the interval of their ratio.
func TestSharedDriftCancels(t *testing.T) {
	a, b := noisy(1, 4, 6, 100, .01), noisy(2, 4, 6, 50, .01)
	for r := range a {
		for i := range a[r] {
			drift := 1 + float64(r)
			a[r][i] *= drift
			b[r][i] *= drift
		}
	}
	e := stats.Ratio([]stats.Sample{a}, []stats.Sample{b}, 1)
	if e.Low < 1.9 || e.High > 2.1 {
		t.Errorf("ratio of 2 under shared drift: %+v", e)
	}
}

// The interval holds the true ratio about as often as it says.
func TestCoverage(t *testing.T) {
	hits := 0
	const trials = 200
	for i := range uint64(trials) {
		e := stats.Ratio([]stats.Sample{noisy(2*i, 5, 6, 30, .1)}, []stats.Sample{noisy(2*i+1, 5, 6, 10, .1)}, i)
		if e.Low <= 3 && 3 <= e.High {
			hits++
		}
	}
	if hits < trials*85/100 {
		t.Errorf("the 95 %% interval held the true ratio in %d of %d trials", hits, trials)
	}
}
