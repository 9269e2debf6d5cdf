package stats_test

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

// grown makes points of two cells each whose costs grow as f, six processes each, with some noise.
func grown(x []float64, f func(float64) float64) [][]stats.Sample {
	var points [][]stats.Sample
	for i, v := range x {
		s := make(stats.Sample)
		for block := range 6 {
			s[block] = f(v) * (1 + 0.01*float64((7*i+3*block)%5-2))
		}
		points = append(points, []stats.Sample{s, s})
	}
	return points
}

func TestExponent(t *testing.T) {
	x := []float64{50, 100, 400, 1500, 4000}
	for _, c := range []struct {
		name       string
		f          func(float64) float64
		want, step float64
	}{
		{"linear", func(n float64) float64 { return 3 * n }, 1, 1},
		{"quadratic", func(n float64) float64 { return 0.1 * n * n }, 2, 2},
		{"constant", func(float64) float64 { return 7 }, 0, 0},
		{"start-up and linear", func(n float64) float64 { return 1000 + n }, 0.35, 0.70},
	} {
		e, step := stats.Exponent(x, grown(x, c.f)), stats.Step(x, grown(x, c.f))
		if math.Abs(e.Center-c.want) > 0.02 || e.Low > e.Center || e.High < e.Center || e.High-e.Low > 0.05 || e.N != 6 {
			t.Errorf("%s: exponent %+v, want %v", c.name, e, c.want)
		}
		if math.Abs(step.Center-c.step) > 0.04 {
			t.Errorf("%s: last step %+v, want %v", c.name, step, c.step)
		}
	}
	points := grown(x, func(n float64) float64 { return n })
	for name, e := range map[string]stats.Estimate{
		"x stands":     stats.Exponent([]float64{5, 5, 5, 5, 5}, points),
		"x of 0":       stats.Exponent([]float64{0, 1, 2, 3, 4}, points),
		"one point":    stats.Exponent(x[:1], points[:1]),
		"a point lost": stats.Exponent(x, append(points[:4:4], nil)),
		"one, a step":  stats.Step(x[:1], points[:1]),
	} {
		if e != (stats.Estimate{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestCountedExponent(t *testing.T) {
	x := []float64{10, 100, 1000}
	e := stats.CountedExponent(x, []float64{20, 200, 2000}, []int64{100, 100, 100})
	// The slope's standard error is 0.1 over the root of the sum of squares, ln 10 · √2.
	if half := 1.96 * 0.1 / (math.Ln10 * math.Sqrt2); math.Abs(e.Center-1) > 1e-9 || math.Abs(e.High-1-half) > 1e-3 || e.N != 300 {
		t.Errorf("%+v", e)
	}
	if e := stats.CountedExponent(x, []float64{0, 200, 20000}, []int64{0, 50, 50}); math.Abs(e.Center-2) > 1e-9 {
		t.Errorf("without the first point: %+v", e)
	}
	if e := stats.CountedExponent(x, []float64{1, 2, 3}, []int64{5, 5, 500}); e != (stats.Estimate{}) {
		t.Errorf("one point with samples: %+v", e)
	}
}
