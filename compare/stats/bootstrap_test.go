package stats_test

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

// geometric is the geometric mean of logarithms.
func geometric(logs []float64) float64 {
	sum := 0.0
	for _, v := range logs {
		sum += v
	}
	return math.Exp(sum / float64(len(logs)))
}

// For a mean the interval is that of the t test over the groups' means, up to the error of 1,000 resamples; for one
// group over its runs.
func TestBootstrapOfKnownValues(t *testing.T) {
	values := logs(0.1, 0.3, 0.2, 0.25, 0.05)
	want := math.Log(stats.Mean(values[0]).High / stats.Mean(values[0]).Center)
	runs := []float64{0.1, 0.3, 0.2, 0.25, 0.05}
	groups := [][]float64{{0, 0.2}, {0.3, 0.3}, {-1, 1.4}, {0.25, 0.25}, {0.05, 0.05}}
	for name, g := range map[string][][]float64{"groups": groups, "runs": {runs}, "runs and nothing": {nil, runs}} {
		e := stats.Bootstrap(g, geometric, 1)
		half, low := math.Log(e.High/e.Center), math.Log(e.Center/e.Low)
		if !near(math.Log(e.Center), 0.18) || !(math.Abs(half/want-1) <= 0.08) || !near(half, low) || e.N != 5 {
			t.Errorf("%s: %+v, want %v", name, e, want)
		}
		if again := stats.Bootstrap(g, geometric, 1); again != e {
			t.Errorf("%s: %+v and again %+v", name, e, again)
		}
		if other := stats.Bootstrap(g, geometric, 2); other.Low == e.Low {
			t.Errorf("%s: another seed has the same resamples", name)
		}
	}
}

func TestNoBootstrap(t *testing.T) {
	for name, g := range map[string][][]float64{"nothing": nil, "empty": {{}, nil}} {
		if e := stats.Bootstrap(g, geometric, 1); e != (stats.Estimate{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	for name, g := range map[string][][]float64{"two groups": {{1, 2}, {3, 4, 5}}, "two runs": {{1, 2}}} {
		if e := stats.Bootstrap(g, geometric, 1); !math.IsInf(e.Low, -1) || !math.IsInf(e.High, 1) || e.N != 2 || !(e.Center > 0) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := stats.Bootstrap([][]float64{{1}, {2}, {3}}, geometric, 1); !e.Bounded() {
		t.Errorf("three groups: %+v", e)
	}
	zero := func([]float64) float64 { return 0 }
	if e := stats.Bootstrap([][]float64{{1, 2, 3}}, zero, 1); e != (stats.Estimate{}) {
		t.Errorf("of 0: %+v", e)
	}
	least := func(runs []float64) float64 { return min(1, float64(len(runs))-4.5) } // 0 or less for some resamples
	if e := stats.Bootstrap([][]float64{{1}, {2}, {3, 4, 5}}, least, 1); e.Bounded() || e.Center != 0.5 || e.N != 3 {
		t.Errorf("of what some resamples do not have: %+v", e)
	}
}
