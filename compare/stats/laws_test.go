package stats_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"canonscope/compare/stats"
)

var sizes = []float64{10, 30, 100, 300, 1000}

// decades are nine sizes over two decades.
var decades = []float64{5, 9, 16, 28, 50, 89, 158, 281, 500}

// lawful makes points of cells that grow as a law.
func lawful(x []float64, f func(x float64) float64, cell func(cost float64) []stats.Sample) [][]stats.Sample {
	var points [][]stats.Sample
	for _, v := range x {
		points = append(points, cell(f(v)))
	}
	return points
}

// truth is a law of these tests with its parameters.
type truth struct {
	f          func(x float64) float64
	parameters []float64
}

var laws = map[string]truth{
	"fixed":              {func(float64) float64 { return 7 }, []float64{7}},
	"a·x":                {func(x float64) float64 { return 3 * x }, []float64{3}},
	"fixed + a·x":        {func(x float64) float64 { return 300 + 5*x }, []float64{300, 5}},
	"a·x·log x":          {func(x float64) float64 { return 2 * x * math.Log(x) }, []float64{2}},
	"fixed + a·x·log x":  {func(x float64) float64 { return 200 + 2*x*math.Log(x) }, []float64{200, 2}},
	"a·x²":               {func(x float64) float64 { return 0.2 * x * x }, []float64{0.2}},
	"fixed + a·x²":       {func(x float64) float64 { return 1000 + 0.1*x*x }, []float64{1000, 0.1}},
	"a·x + b·x²":         {func(x float64) float64 { return 9*x + 0.02*x*x }, []float64{9, 0.02}},
	"fixed + a·x + b·x²": {func(x float64) float64 { return 150 + 3*x + 0.02*x*x }, []float64{150, 3, 0.02}},
	"a·x^b":              {func(x float64) float64 { return 4 * math.Pow(x, 1.5) }, []float64{4, 1.5}},
}

// Without noise each law is chosen, with its parameters, and costs between the points are right.
func TestLawsOfKnownValues(t *testing.T) {
	for name, law := range laws {
		points := lawful(decades, law.f, func(cost float64) []stats.Sample {
			return []stats.Sample{{0: cost / 4, 1: cost / 2, 2: cost / 4}, {0: cost * 3 / 4, 1: cost / 2, 2: cost * 3 / 4}}
		})
		got := stats.Laws(decades, points)
		if len(got) < 5 || got[0].Name != name || got[0].Misfit < 0.999 || !got[0].Fits() || got[0].Off > 1e-6 {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, p := range got[0].Parameters {
			if !(math.Abs(p.Center/law.parameters[i]-1) <= 1e-6) || p.Low >= p.Center || p.High <= p.Center || p.N != 3 {
				t.Errorf("%s: parameters %+v, want %v", name, got[0].Parameters, law.parameters)
			}
		}
		if at := got[0].At(200); !(math.Abs(at/law.f(200)-1) <= 1e-6) {
			t.Errorf("%s: 200 costs %v, want %v", name, at, law.f(200))
		}
		slope := (law.f(200.001) - law.f(199.999)) / 0.002
		if s := got[0].Further(200); !(math.Abs(s.Center-slope) <= 1e-4*(1+slope)) || s.Low > s.Center || s.High < s.Center {
			t.Errorf("%s: one more of 200 costs %+v, want %v", name, s, slope)
		}
		if !slices.IsSortedFunc(got[1:], func(a, b stats.Law) int { return int(math.Copysign(1, a.Behind-b.Behind)) }) {
			t.Errorf("%s: not by criterion: %+v", name, got)
		}
	}
}

// The shape is what a cost grows like; a law extends what it is with fewer terms.
func TestShapes(t *testing.T) {
	all := make(map[string]*stats.Law)
	for name, law := range laws {
		got := stats.Laws(decades, lawful(decades, law.f, func(cost float64) []stats.Sample {
			return []stats.Sample{{0: cost, 1: cost, 2: cost}}
		}))
		all[name] = &got[0]
	}
	for name, want := range map[string]string{"fixed": "fixed", "fixed + a·x": "a·x", "a·x": "a·x", "a·x^b": "a·x^b",
		"fixed + a·x + b·x²": "a·x + b·x²", "fixed + a·x·log x": "a·x·log x"} {
		if got := all[name].Shape(); got != want {
			t.Errorf("the shape of %s is %s, want %s", name, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"fixed + a·x", "a·x", true}, {"a·x", "fixed + a·x", false}, {"a·x", "a·x", false}, {"a·x + b·x²", "a·x·log x", false},
		{"fixed + a·x + b·x²", "fixed + a·x²", true}, {"a·x^b", "fixed", true}, {"a·x^b", "a·x", true},
		{"a·x^b", "fixed + a·x", false}, {"fixed + a·x", "a·x^b", false}} {
		if got := all[c.a].Extends(all[c.b]); got != c.want {
			t.Errorf("%s extends %s: %v", c.a, c.b, got)
		}
	}
}

// Two processes more and less at each of three points, in turn, and one point off a constant: the variance of a mean
// is d²·(2·3)/(2·2)/3 and the square of the resolution.
func TestMisfitOfKnownValues(t *testing.T) {
	const d, off = 0.03, 0.1
	points := [][]stats.Sample{logs(-d+5, d-5, 0), logs(0+5, -d-5, d), logs(d+off*3+5, off*3-5, -d+off*3)}
	variance := 6*d*d/4/3 + stats.Resolution*stats.Resolution
	squares := (2*off*off + 4*off*off) / variance
	pure := 6 * d * d / 4 / 3
	df := 4 * variance * variance / (pure * pure)
	// F of 2 and df degrees of freedom has the tail (1 + 2F/df)^(-df/2).
	want := math.Pow(1+squares/df, -df/2)
	for _, l := range stats.Laws([]float64{1, 2, 4}, points) {
		lack := math.Sqrt(3*off*off - pure)
		if l.Name == "fixed" && (!near(l.Misfit, want) || !near(l.Off, math.Expm1(0.2)) || !near(l.Lack, lack)) {
			t.Errorf("p %v, want %v; off by %v; lack %v, want %v", l.Misfit, want, l.Off, l.Lack, lack)
		}
	}
}

func TestNoLaws(t *testing.T) {
	cell := func(cost float64) []stats.Sample { return []stats.Sample{{0: cost, 1: cost, 2: cost}} }
	linear := func(x []float64) [][]stats.Sample {
		return lawful(x, func(x float64) float64 { return x + 1 }, cell)
	}
	lost := linear(sizes)
	lost[2] = nil
	zero := linear(sizes)
	zero[1] = cell(0)
	two := lawful(sizes, func(x float64) float64 { return x }, func(cost float64) []stats.Sample {
		return []stats.Sample{{0: cost, 1: cost}}
	})
	few := make([]stats.CountedCost, len(sizes))
	for i := range few {
		few[i] = stats.CountedCost{Cost: 5, Samples: int64(7 + i)}
	}
	for name, got := range map[string][]stats.Law{
		"no point":      stats.Laws(nil, nil),
		"x of 0.5":      stats.Laws([]float64{0.5, 1, 2, 4}, linear([]float64{0.5, 1, 2, 4})),
		"a point lost":  stats.Laws(sizes, lost),
		"a cost of 0":   stats.Laws(sizes, zero),
		"another count": stats.Laws(sizes, zero[1:]),
		"two x":         stats.Laws([]float64{3, 5, 3}, linear([]float64{3, 5, 3})),
		"two processes": stats.Laws(sizes, two),
		"few samples":   stats.CountedLaws(sizes, few),
	} {
		if got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	x := []float64{0, 1, 2, 4, 8}
	if got := stats.Laws(x, linear(x)); len(got) == 0 || got[0].Name != "fixed + a·x" {
		t.Errorf("from 0 on: %+v", got)
	}
}

// sweep draws the nine points of a law with five processes whose costs vary by 3 %, and a drift of the blocks.
func (w world) sweep(f func(x float64) float64, drifts []float64) [][]stats.Sample {
	return lawful(decades, f, func(cost float64) []stats.Sample {
		s := make(stats.Sample)
		for block, drift := range drifts {
			s[block] = cost * math.Exp(drift+0.03*w.NormFloat64())
		}
		return []stats.Sample{s}
	})
}

var engines = map[string]func(x float64) float64{
	"a·x":                func(n float64) float64 { return 2 * n },
	"a·x·log x":          func(n float64) float64 { return 2 * n * math.Log(n) },
	"a·x²":               func(n float64) float64 { return 0.1 * n * n },
	"fixed + a·x":        func(n float64) float64 { return 50 + 2*n },
	"fixed + a·x + b·x²": func(n float64) float64 { return 50 + 2*n + 0.01*n*n },
}

// The laws of known engines are named in 95 % of sweeps and fit, and intervals hold what is true as often as they say.
func TestLawsOfKnownEngines(t *testing.T) {
	const trials = 200
	for name, f := range engines {
		w := world{Rand: seeded(18).Rand, drift: 0.05}
		named, fit, cost, slope, lacking := 0, 0, 0, 0, 0
		for range trials {
			law := stats.Laws(decades, w.sweep(f, w.drifts(5)))[0]
			if law.Name == name {
				named++
			}
			if law.Fits() {
				fit++
			}
			if law.Lack > 0.02 {
				lacking++
			}
			if e := law.Cost(100); e.Low <= f(100) && f(100) <= e.High {
				cost++
			}
			if e, s := law.Further(100), f(100.5)-f(99.5); e.Low <= s && s <= e.High {
				slope++
			}
		}
		t.Logf("%s: named in %d, fits in %d, cost held in %d, slope in %d of %d", name, named, fit, cost, slope, trials)
		for what, n := range map[string]int{"named": named, "found to fit": fit} {
			if n < trials*95/100 {
				t.Errorf("%s: %s in %d of %d sweeps", name, what, n, trials)
			}
		}
		if lacking > trials/20 {
			t.Errorf("%s: a lack of fit of 2 %% in %d of %d sweeps", name, lacking, trials)
		}
		for what, n := range map[string]int{"cost": cost, "slope": slope} {
			if n < trials*92/100 {
				t.Errorf("%s: the interval of the %s holds it in %d of %d sweeps", name, what, n, trials)
			}
		}
	}
}

// A cost that no law has, here with a step, does not fit.
func TestNoLawFits(t *testing.T) {
	w := world{Rand: seeded(7).Rand, drift: 0.02}
	step := func(n float64) float64 {
		if n > 60 {
			return 30 * n
		}
		return 10 * n
	}
	if law := stats.Laws(decades, w.sweep(step, w.drifts(5)))[0]; law.Fits() || law.Off < 0.1 || law.Lack < 0.1 {
		t.Errorf("%+v", law)
	}
}

// A line with a fixed part that is flattened over the sizes is no power, whatever their exponent.
func TestFlattenedLine(t *testing.T) {
	w := world{Rand: seeded(3).Rand, drift: 0.05}
	f := func(n float64) float64 { return 66.7 + 0.33*n }
	for _, l := range stats.Laws(decades, w.sweep(f, w.drifts(5))) {
		if l.Name == stats.PowerLaw && (l.Behind < stats.Undistinguished || l.Fits()) {
			t.Errorf("a power of %+v is %v behind, misfit %v", l.Parameters, l.Behind, l.Misfit)
		}
	}
}

// Phases are counted: the law of a cost is named from the samples of each point.
func TestCountedLaws(t *testing.T) {
	for name, f := range map[string]func(x float64) float64{"a·x": engines["a·x"], "a·x²": engines["a·x²"], "fixed": laws["fixed"].f} {
		w := seeded(29)
		share := rate(200, func() bool {
			var costs []stats.CountedCost
			for _, x := range decades {
				const samples = 400
				e := math.Exp(0.03*w.NormFloat64() + w.NormFloat64()/math.Sqrt(samples))
				costs = append(costs, stats.CountedCost{Cost: f(x) * e, Samples: samples, Varies: 0.03})
			}
			costs[0].Samples = 2 // it counts for nothing
			costs[0].Cost *= 100
			return stats.CountedLaws(decades, costs)[0].Name == name
		})
		if share < 0.93 {
			t.Errorf("%s: named in %.0f %%", name, 100*share)
		}
	}
}

// The serialization of json-gold copies what it has with every line: of 352 + 8n lines it costs
// 3.9 + 0.13n + 0.00092n² ms. Up to 128 that is nearly a line, and up to 512 its square is named. A line is
// named a square in no more than 5 %.
func TestSquareBesideALine(t *testing.T) {
	copying := func(n float64) float64 { return 3.9 + 0.13*n + 0.00092*n*n }
	line := func(n float64) float64 { return 3.9 + 0.25*n }
	to128 := []float64{1, 2, 3, 6, 11, 21, 38, 70, 128}
	to512 := []float64{1, 2, 5, 10, 23, 49, 108, 235, 512}
	for _, c := range []struct {
		x           []float64
		f           func(float64) float64
		varies      float64
		least, most float64 // named a square
	}{{to128, line, 0.02, 0, 0.05}, {to128, line, 0.12, 0, 0.05}, {to512, line, 0.12, 0, 0.05},
		{to512, copying, 0.06, 0.9, 1}} {
		w := seeded(64)
		share := rate(300, func() bool {
			var costs []stats.CountedCost
			for _, x := range c.x {
				const samples = 1000
				e := math.Exp(c.varies*w.NormFloat64() + w.NormFloat64()/math.Sqrt(samples))
				costs = append(costs, stats.CountedCost{Cost: c.f(x) * e, Samples: samples, Varies: c.varies})
			}
			return strings.Contains(stats.CountedLaws(c.x, costs)[0].Name, "x²")
		})
		if share < c.least || share > c.most {
			t.Errorf("up to %v, processes vary by %v: %.0f %% are named a square, want %v to %v", c.x[8], c.varies,
				100*share, 100*c.least, 100*c.most)
		}
	}
}

// Two formats cross where one's fixed part is won back, at (90-50)/(2-1.6) = 100; drift is common to both.
func TestCrossover(t *testing.T) {
	w := world{Rand: seeded(5).Rand, drift: 0.1}
	a, b := func(n float64) float64 { return 50 + 2*n }, func(n float64) float64 { return 110 + 1.4*n }
	held, bounded := 0, 0
	const trials = 200
	for range trials {
		drifts := w.drifts(5)
		one, two := stats.Laws(decades, w.sweep(a, drifts))[0], stats.Laws(decades, w.sweep(b, drifts))[0]
		e := stats.Crossover(&one, &two, 5, 500)
		if e.N != 0 && e.Low <= 100 && 100 <= e.High {
			held++
		}
		if e.Bounded() {
			bounded++
		}
	}
	if held < trials*93/100 || bounded < trials*90/100 {
		t.Errorf("the interval holds the crossover in %d of %d, and has bounds in %d", held, trials, bounded)
	}

	same := stats.Laws(decades, w.sweep(a, w.drifts(5)))[0]
	if e := stats.Crossover(&same, &same, 5, 500); e.N != 0 {
		t.Errorf("a law crosses itself: %+v", e)
	}
	dear := stats.Laws(decades, w.sweep(func(n float64) float64 { return 3 * a(n) }, w.drifts(5)))[0]
	if e := stats.Crossover(&same, &dear, 5, 500); e.N != 0 {
		t.Errorf("laws of which one is three times the other: %+v", e)
	}
}

// Of 50 + 2n + 0.01n² the square is more than the rest from 223.6 on, and in 50 + 2n the line from 25 on.
func TestTakeover(t *testing.T) {
	for name, want := range map[string]float64{"fixed + a·x + b·x²": 100 * (1 + math.Sqrt(1.5)), "fixed + a·x": 25} {
		w := world{Rand: seeded(9).Rand, drift: 0.1}
		share := rate(300, func() bool {
			for _, l := range stats.Laws(decades, w.sweep(engines[name], w.drifts(5))) {
				if l.Name == name {
					e := l.Takeover(5, 500)
					return e.N == 5 && e.Low <= want && want <= e.High
				}
			}
			return false
		})
		if share < 0.93 {
			t.Errorf("%s: the interval holds it in %.0f %%", name, 100*share)
		}
	}
	w := seeded(2)
	if l := stats.Laws(decades, w.sweep(engines["a·x"], w.drifts(5)))[0]; l.Takeover(5, 500).N != 0 {
		t.Errorf("%s is taken over", l.Name)
	}
}

// The order of points is of no matter, nor are points of one size two sizes.
func TestLawsOfPointsInAnyOrder(t *testing.T) {
	line := func(x []float64) [][]stats.Sample {
		return lawful(x, laws["fixed + a·x"].f, func(cost float64) []stats.Sample { return []stats.Sample{{0: cost, 1: cost, 2: cost}} })
	}
	for _, x := range [][]float64{{1000, 10, 300, 30, 1}, {1, 1, 10, 10, 1000, 1000}, {1000, 1, 100}} {
		got := stats.Laws(x, line(x))
		if len(got) < 5 || got[0].Name != "fixed + a·x" || !(math.Abs(got[0].Parameters[1].Center-5) <= 1e-6) {
			t.Errorf("%v: %+v", x, got)
		}
		for _, l := range got {
			if len(x) != 5 && len(l.Parameters) > 2 {
				t.Errorf("%v: three parameters for three sizes: %+v", x, got)
			}
		}
	}
}
