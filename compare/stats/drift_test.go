package stats_test

import (
	"fmt"
	"math"
	"testing"

	"canonscope/compare/stats"
)

// The cost that a machine has over many minutes lies in the interval of one campaign, though the whole campaign
// drifts as its blocks do; without the drift it lies in far fewer. The interval is not much too wide where nothing
// drifts.
func TestCoverageOfDrift(t *testing.T) {
	const exchanges = 10
	for _, n := range []int{3, 5, 10} {
		for _, drift := range []float64{0, 0.01, 0.03} {
			w := seeded(uint64(n))
			w.between, w.within, w.drift = 0.02, 0.02, drift
			truth := 30 * math.Exp(w.within*w.within/2)
			without := 0
			share := rate(2000, func() bool {
				drifts, all := w.drifts(n), w.drift*w.NormFloat64()
				for i := range drifts {
					drifts[i] += all
				}
				var indexes []stats.Sample
				var cost stats.Sample
				for range exchanges {
					samples := w.exchange(drifts, 30, 30, 30, 30)
					cost, indexes = samples[0], append(indexes, stats.Index(samples))
				}
				e := stats.Mean(cost)
				if e.Low <= truth && truth <= e.High {
					without++
				}
				e = stats.DriftOf(indexes).Widen(e)
				return e.Low <= truth && truth <= e.High
			})
			what := fmt.Sprintf("%d processes, drift %v", n, drift)
			if share < 0.93 || share > 0.99 {
				t.Errorf("%s: the interval holds the truth in %.1f %% of campaigns", what, 100*share)
			}
			if drift == 0.03 && without > 1800 {
				t.Errorf("%s: without the drift it does so in %d of 2000: the test shows nothing", what, without)
			}
		}
	}
}

// Drift is what all exchanges of a block have in common. Where there is none to see, nothing is added.
func TestDriftOf(t *testing.T) {
	e := stats.Estimate{Center: 10, Low: 9, High: 12, N: 4}
	for name, exchanges := range map[string][]stats.Sample{
		"none": nil, "one": {{0: 1, 1: 2, 2: 3}}, "two blocks": {{0: 1, 1: 2}, {0: 1, 1: 2}},
		"a cost of 0": {{0: 1, 1: 0, 2: 1}, {0: 1, 1: 2, 2: 3}}, "alike": {{0: 2, 1: 2, 2: 2}, {0: 5, 1: 5, 2: 5}},
		"against each other": {{0: 1, 1: 2, 2: 1}, {0: 2, 1: 1, 2: 2}}, "no block of both": {{0: 1, 1: 2, 2: 3}, {3: 1, 4: 2, 5: 3}},
	} {
		if got := stats.DriftOf(exchanges).Widen(e); !(math.Abs(got.Low-9) <= 1e-9) || !(math.Abs(got.High-12) <= 1e-9) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	open := stats.Estimate{Center: 10, Low: math.Inf(-1), High: math.Inf(1), N: 2}
	d := stats.DriftOf([]stats.Sample{{0: 1, 1: 1.01, 2: 1.02, 3: 7}, {0: 10, 1: 10.1, 2: 10.2}})
	if got := d.Widen(open); got != open {
		t.Errorf("%+v", got)
	}
	if d.Blocks != 3 || !(math.Abs(math.Sqrt(d.Variance)-0.0099) <= 0.0001) {
		t.Errorf("%+v", d)
	}
	wide := d.Widen(e) // 4.3 times 0.0099 besides
	if !(math.Abs(wide.Low-8.925) <= 0.01) || !(math.Abs(wide.High-12.06) <= 0.01) || wide.Center != 10 || wide.N != 4 {
		t.Errorf("%+v", wide)
	}
}
