package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"canonscope/compare/stats"
)

var sizes = []float64{10, 30, 100, 300, 1000}

// lawful makes points of cells that grow as a law.
func lawful(x []float64, f func(x float64) float64, cell func(cost float64) []stats.Sample) [][]stats.Sample {
	var points [][]stats.Sample
	for _, v := range x {
		points = append(points, cell(f(v)))
	}
	return points
}

// laws are the truths of these tests with their parameters.
var laws = map[string]struct {
	f          func(x float64) float64
	parameters []float64
}{
	"a":              {func(float64) float64 { return 7 }, []float64{7}},
	"a + b·x":        {func(x float64) float64 { return 300 + 5*x }, []float64{300, 5}},
	"a + b·x·log x":  {func(x float64) float64 { return 20 + 2*x*math.Log(x) }, []float64{20, 2}},
	"a + b·x²":       {func(x float64) float64 { return 1000 + 0.1*x*x }, []float64{1000, 0.1}},
	"a + b·x + c·x²": {func(x float64) float64 { return 50 + 3*x + 0.02*x*x }, []float64{50, 3, 0.02}},
	"a·x^b":          {func(x float64) float64 { return 4 * math.Pow(x, 1.5) }, []float64{4, 1.5}},
}

// Without noise each law is found with its parameters, first of all six, and none of as few parameters is as good.
func TestLawsOfKnownValues(t *testing.T) {
	for name, law := range laws {
		points := lawful(sizes, law.f, func(cost float64) []stats.Sample {
			return []stats.Sample{{0: cost / 4, 1: cost / 2, 2: cost / 4}, {0: cost * 3 / 4, 1: cost / 2, 2: cost * 3 / 4}}
		})
		got := stats.Laws(sizes, points)
		if len(got) != 6 || got[0].Name != name || got[0].Behind != 0 || got[0].Misfit != 1 {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, p := range got[0].Parameters {
			if math.Abs(p/law.parameters[i]-1) > 1e-6 {
				t.Errorf("%s: parameters %v, want %v", name, got[0].Parameters, law.parameters)
			}
		}
		if at := got[0].At(500); math.Abs(at/law.f(500)-1) > 1e-6 {
			t.Errorf("%s: 500 costs %v, want %v", name, at, law.f(500))
		}
		if !slices.IsSortedFunc(got, func(a, b stats.Law) int { return int(math.Copysign(1, a.Behind-b.Behind)) }) {
			t.Errorf("%s: not by criterion: %+v", name, got)
		}
	}
}

// One point off a constant: logarithms 0, 0, 0.3 and twice the same have residual squares of 2·0.06 around their
// mean of 0.1, and none between processes.
func TestCriterionOfKnownValues(t *testing.T) {
	points := [][]stats.Sample{logs(0, 0), logs(0, 0), logs(0.3, 0.3)}
	x := []float64{1, math.E, math.E * math.E}
	at := make(map[string]stats.Law)
	for _, l := range stats.Laws(x, points) {
		at[l.Name] = l
	}
	// Five observations without the effects of two blocks; the power has a slope of 0.15 and leaves 2·0.015.
	constant := 5*math.Log(2*0.06/5) + 2*2 + 2*2*3/(5.-2-1)
	power := 5*math.Log(2*0.015/5) + 2*3 + 2*3*4/(5.-3-1)
	if got := at["a"].Behind - at["a·x^b"].Behind; math.Abs(got-(constant-power)) > 1e-9 {
		t.Errorf("a constant is %v behind a power, want %v", got, constant-power)
	}
	if p := at["a·x^b"].Parameters; !near(math.Log(p[0]), -0.05) || !near(p[1], 0.15) {
		t.Errorf("power %v", p)
	}
	if _, ok := at["a + b·x + c·x²"]; ok || len(at) != 5 {
		t.Errorf("three parameters for three points: %v", at)
	}
}

// A misfit of 2·0.06/2 over a variance of 0.02/2 between processes: F of 6 with 2 and 2 degrees of freedom, whose
// tail is 1/(1+F).
func TestMisfitOfKnownValues(t *testing.T) {
	d := 0.1 / math.Sqrt2 // two processes around 0: squares of 2·d²; a block's effect is out
	points := [][]stats.Sample{logs(-d+5, d-5), logs(d+5, -d-5), logs(0.3+5, 0.3-5)}
	for _, l := range stats.Laws([]float64{1, 2, 4}, points) {
		if l.Name == "a" && !near(l.Misfit, 1/(1+0.06/(0.02/2))) {
			t.Errorf("p %v, want %v", l.Misfit, 1/(1+0.06/(0.02/2)))
		}
	}
}

func TestNoLaws(t *testing.T) {
	cell := func(cost float64) []stats.Sample { return []stats.Sample{{0: cost, 1: cost, 2: cost}} }
	linear := func(x []float64) [][]stats.Sample {
		return lawful(x, func(x float64) float64 { return x }, cell)
	}
	lost := linear(sizes)
	lost[2] = nil
	zero := linear(sizes)
	zero[1] = cell(0)
	for name, got := range map[string][]stats.Law{
		"no point":      stats.Laws(nil, nil),
		"x of 0.5":      stats.Laws([]float64{0.5, 1, 2, 4}, linear([]float64{0.5, 1, 2, 4})),
		"a point lost":  stats.Laws(sizes, lost),
		"a cost of 0":   stats.Laws(sizes, zero),
		"another count": stats.Laws(sizes, zero[1:]),
		"two x":         stats.Laws([]float64{3, 5, 3}, linear([]float64{3, 5, 3})),
	} {
		if got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The true law is rarely ruled out and rarely found not to fit, at the variances of real campaigns and with a drift
// of the blocks; a line with a start-up cost is no power, nor is n log n linear.
func TestLawsOfNoisyCosts(t *testing.T) {
	const trials, processes = 400, 6
	for name, law := range laws {
		for _, sd := range []float64{0.02, 0.05} {
			w := world{Rand: seeded(18).Rand, between: sd, within: 0.02, drift: 0.05}
			out, misfit := 0, 0
			for range trials {
				drifts := w.drifts(processes)
				points := lawful(sizes, law.f, func(cost float64) []stats.Sample { return w.exchange(drifts, cost) })
				for _, l := range stats.Laws(sizes, points) {
					if l.Name != name {
						continue
					}
					if l.Behind > stats.Undistinguished {
						out++
					}
					if l.Misfit <= 0.05 {
						misfit++
					}
				}
			}
			what := fmt.Sprintf("%s, sd %v", name, sd)
			if out > trials*5/100 {
				t.Errorf("%s: ruled out in %d of %d campaigns", what, out, trials)
			}
			if misfit > trials*8/100 || misfit < trials*2/100 {
				t.Errorf("%s: does not fit in %d of %d campaigns", what, misfit, trials)
			}
		}
	}
	for name, not := range map[string]string{"a + b·x": "a·x^b", "a + b·x·log x": "a + b·x", "a·x^b": "a + b·x"} {
		w := seeded(19)
		told := rate(200, func() bool {
			points := lawful(sizes, laws[name].f, func(cost float64) []stats.Sample { return w.draw(cost, 0.05, processes) })
			for _, l := range stats.Laws(sizes, points) {
				if l.Name == not {
					return l.Behind > stats.Undistinguished && l.Misfit <= 0.05
				}
			}
			return false
		})
		if told < 0.95 {
			t.Errorf("%s is told from %s in %.0f %%", name, not, 100*told)
		}
	}
}

// The order of points is of no matter, nor are points of one size two sizes.
func TestLawsOfPointsInAnyOrder(t *testing.T) {
	line := func(x []float64) [][]stats.Sample {
		return lawful(x, laws["a + b·x"].f, func(cost float64) []stats.Sample { return []stats.Sample{{0: cost, 1: cost}} })
	}
	for _, x := range [][]float64{{1000, 10, 300, 30, 1}, {1, 1, 10, 10, 100, 100}, {100, 1, 10}} {
		got := stats.Laws(x, line(x))
		if len(got) < 5 || got[0].Name != "a + b·x" || math.Abs(got[0].Parameters[1]-5) > 1e-6 {
			t.Errorf("%v: %+v", x, got)
		}
		if len(x) != 5 && len(got) != 5 {
			t.Errorf("%v: three parameters for three sizes: %+v", x, got)
		}
	}
}
