package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"canonscope/compare/stats"
)

var units = []float64{20, 0.3, 0, 0.002} // of a fixed part, quads, scoped nodes and bytes

// documents draws shapes over three decades with their costs, which differ from the units by some noise.
func modelled(random *rand.Rand, n int, noise float64) (figures [][]float64, costs []float64) {
	for range n {
		size := math.Exp(random.Float64() * 7)
		row := []float64{1, 5 + size, size * random.Float64(), 300 + 40*size*(0.5+random.Float64())}
		cost := 0.0
		for j, v := range row {
			cost += units[j] * v
		}
		figures, costs = append(figures, row), append(costs, cost*math.Exp(noise*random.NormFloat64()))
	}
	return figures, costs
}

// Without noise the units are found exactly, and a figure that costs nothing has no cost.
func TestModelExact(t *testing.T) {
	figures, costs := modelled(rand.New(rand.NewPCG(1, 2)), 12, 0)
	m, err := stats.FitModel([]string{"fixed", "quads", "scoped", "bytes"}, figures, costs)
	if err != nil {
		t.Fatal(err)
	}
	for j, term := range m.Terms {
		if !(math.Abs(term.Unit.Center-units[j]) <= 1e-6*(units[j]+1e-3)) {
			t.Errorf("%s costs %v, want %v", term.Name, term.Unit.Center, units[j])
		}
	}
	if p := m.Predict([]float64{1, 100, 7, 5000}); !(math.Abs(p.Center-60) <= 1e-4) {
		t.Errorf("predicted %v, want 60", p.Center)
	}
}

// The interval of a prediction holds 95 of 100 costs of new documents, that of a unit 95 of 100 units.
func TestModelCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const trials = 200
	inside, quads := 0, 0
	for range trials {
		figures, costs := modelled(random, 18, 0.08)
		m, err := stats.FitModel([]string{"fixed", "quads", "scoped", "bytes"}, figures, costs)
		if err != nil {
			t.Fatal(err)
		}
		row, cost := modelled(random, 1, 0.08)
		if p := m.Predict(row[0]); p.Low <= cost[0] && cost[0] <= p.High {
			inside++
		}
		if u := m.Terms[1].Unit; u.Low <= units[1] && units[1] <= u.High {
			quads++
		}
		for _, term := range m.Terms {
			if term.Unit.Center < 0 || term.Unit.Low < 0 {
				t.Fatalf("%s costs %v", term.Name, term.Unit)
			}
		}
	}
	if inside < 0.90*trials || inside > 0.99*trials || quads < 0.88*trials {
		t.Errorf("%d of %d predictions and %d units were in their intervals", inside, trials, quads)
	}
}

// What cannot be fitted is an error.
func TestModelRefuses(t *testing.T) {
	figures, costs := modelled(rand.New(rand.NewPCG(5, 6)), 6, 0)
	names := []string{"fixed", "quads", "scoped", "bytes"}
	if _, err := stats.FitModel(names, figures[:5], costs[:5]); err == nil {
		t.Error("five inputs were enough for four terms")
	}
	for _, wrong := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := stats.FitModel(names, figures, append([]float64{wrong}, costs[1:]...)); err == nil {
			t.Errorf("a cost of %v was fitted", wrong)
		}
	}
	if _, err := stats.FitModel(names, append([][]float64{{0, 0, 0, 0}}, figures[1:]...), costs); err == nil {
		t.Error("an input without figures was fitted")
	}
}
