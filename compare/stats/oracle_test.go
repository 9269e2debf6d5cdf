package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	moremath "github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

var oracleSizes = []float64{2, 5, 10, 30, 100, 300}

// observed makes points whose processes are off a law by residuals that no law has, with effects of blocks.
func observed(f func(x float64) float64, blocks int) [][]Sample {
	var points [][]Sample
	for i, x := range oracleSizes {
		s := make(Sample)
		for b := range blocks {
			s[b] = f(x) * math.Exp(0.03*math.Sin(float64(7*b+3*i))+0.05*math.Cos(float64(2*b)))
		}
		points = append(points, []Sample{s})
	}
	return points
}

// table is what the tests derive by themselves from points: means, variance of a mean, effects of blocks.
type table struct {
	means, effects []float64
	pure, variance float64
	df             float64
}

func tableOf(points [][]Sample) (t table) {
	n, k := len(points[0][0]), len(points)
	t.means, t.effects = make([]float64, k), make([]float64, n)
	grand := 0.0
	for i, p := range points {
		for b, v := range p[0] {
			t.means[i] += math.Log(v) / float64(n)
			t.effects[b] += math.Log(v) / float64(k)
		}
		grand += t.means[i] / float64(k)
	}
	squares := 0.0
	for i, p := range points {
		for b, v := range p[0] {
			squares += math.Pow(math.Log(v)-t.means[i]-t.effects[b]+grand, 2)
		}
	}
	df := float64((n - 1) * (k - 1))
	t.pure = squares / df / float64(n)
	t.variance = t.pure + 0.02*0.02
	t.df = df * math.Pow(t.variance/t.pure, 2)
	return t
}

// level is the variance of the mean of the effects.
func (t table) level() uncertain {
	n := float64(len(t.effects))
	return uncertain{moremath.Variance(t.effects) / n, n - 1}
}

// with is the law with other parameters.
func with(l *Law, values []float64) *Law {
	other := *l
	other.values = values
	return &other
}

// numeric is the gradient of a figure of a law by its parameters, by central differences.
func numeric(l *Law, figure func(*Law) float64) []float64 {
	var out []float64
	for j, v := range l.values {
		step := 1e-5 * math.Abs(v)
		up, down := slices.Clone(l.values), slices.Clone(l.values)
		up[j], down[j] = v+step, v-step
		out = append(out, (figure(with(l, up))-figure(with(l, down)))/(2*step))
	}
	return out
}

// propagated is the variance of a figure of a law, from the normal equations of weighted least squares.
func (t table) propagated(l *Law, figure func(*Law) float64) uncertain {
	k := len(l.values)
	normal := mat.NewDense(k, k, nil)
	for _, x := range oracleSizes {
		g := numeric(l, func(l *Law) float64 { return math.Log(l.At(x)) })
		for a := range k {
			for b := range k {
				normal.Set(a, b, normal.At(a, b)+g[a]*g[b]/t.variance)
			}
		}
	}
	var inverse mat.Dense
	if err := inverse.Inverse(normal); err != nil {
		panic(err)
	}
	g := mat.NewVecDense(k, numeric(l, figure))
	return uncertain{mat.Inner(g, &inverse, g), t.df}
}

// halfOf is the half-width of 95 % of a sum of variances, with the degrees of freedom of Satterthwaite.
func halfOf(parts ...uncertain) float64 {
	sum, below := 0.0, 0.0
	for _, p := range parts {
		sum += p.variance
		below += p.variance * p.variance / p.df
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: sum * sum / below}.Quantile(0.975) * math.Sqrt(sum)
}

func about(a, b float64) bool { return math.Abs(a-b) <= 1e-4*math.Abs(b)+1e-12 }

// The parameters of a law, its cost, its slope and their intervals are those of weighted least squares, and
// laws are ordered by the corrected criterion of Akaike: all derived here by differences.
func TestLawsAreLeastSquares(t *testing.T) {
	const x, blocks = 77.0, 5
	for name, f := range map[string]func(x float64) float64{
		"square": func(x float64) float64 { return 50 + 2*x + 0.01*x*x },
		"root":   func(x float64) float64 { return 4 * math.Sqrt(x) },
	} {
		points := observed(f, blocks)
		of := tableOf(points)
		n := float64(blocks*(len(oracleSizes)-1) + 1)

		laws := Laws(oracleSizes, points)
		if len(laws) < 5 {
			t.Fatalf("%s: %d laws", name, len(laws))
		}
		criteria := make(map[string]float64)
		for _, l := range laws {
			squares, off := 0.0, 0.0
			for i, x := range oracleSizes {
				d := of.means[i] - math.Log(l.At(x))
				squares += d * d
				off = max(off, math.Abs(math.Exp(d)-1))
			}
			for j, v := range numeric(&l, func(l *Law) float64 { return distanceOf(l, of) }) {
				if !(math.Abs(v*l.values[j]) <= 1e-3*(1+squares/of.variance)) {
					t.Errorf("%s, %s: parameter %d is not at the least squares", name, l.Name, j)
				}
			}
			k := float64(len(l.values) + 1)
			criteria[l.Name] = squares/of.variance + 2*k + 2*k*(k+1)/(n-k-1)

			free := float64(len(oracleSizes) - len(l.values))
			misfit := distuv.F{D1: free, D2: of.df}.Survival(squares / of.variance / free)
			lack := math.Sqrt(max(0, squares/free-of.pure))
			if !about(l.Off, off) || !about(l.Lack, lack) || !(math.Abs(l.Misfit-misfit) <= 1e-6) {
				t.Errorf("%s, %s: off %v, lack %v, misfit %v; want %v, %v, %v", name, l.Name, l.Off, l.Lack,
					l.Misfit,
					off, lack, misfit)
			}

			cost, slope := l.Cost(x), l.Further(x)
			half := halfOf(of.level(), of.propagated(&l, func(l *Law) float64 { return math.Log(l.At(x)) }))
			if !about(cost.Low, l.At(x)*math.Exp(-half)) || !about(cost.High, l.At(x)*math.Exp(half)) ||
				cost.N != blocks {
				t.Errorf("%s, %s: cost %+v, want a half-width of %v", name, l.Name, cost, half)
			}
			level := of.level()
			level.variance *= slope.Center * slope.Center
			further := func(l *Law) float64 { return (l.At(x+0.01) - l.At(x-0.01)) / 0.02 }
			if half = halfOf(level, of.propagated(&l, further)); l.Name != Constant {
				if !about(slope.Center, further(&l)) || !about(slope.High-slope.Center, half) ||
					slope.N != blocks {
					t.Errorf("%s, %s: slope %+v, want a half-width of %v", name, l.Name, slope, half)
				}
			}
			if exponent := x * slope.Center / l.At(x); !about(l.Exponent(x), exponent) {
				t.Errorf("%s, %s: exponent %v, want %v", name, l.Name, l.Exponent(x), exponent)
			}
			for j, p := range l.Parameters {
				level := of.level()
				if level.variance *= l.values[j] * l.values[j]; l.Name == PowerLaw && j == 1 {
					level.variance = 0 // what all points have in common is no part of an exponent
				}
				half := halfOf(level, of.propagated(&l, func(l *Law) float64 { return l.values[j] }))
				if !about(p.High-p.Center, half) || !about(p.Center-p.Low, half) || p.N != blocks {
					t.Errorf("%s, %s: parameter %+v, want a half-width of %v", name, l.Name, p, half)
				}
			}
		}

		least := math.Inf(1)
		for _, c := range criteria {
			least = min(least, c)
		}
		for _, l := range laws {
			if !(math.Abs(l.Behind-(criteria[l.Name]-least)) <= 1e-6*(1+l.Behind)) {
				t.Errorf("%s: %s is %v behind, want %v", name, l.Name, l.Behind, criteria[l.Name]-least)
			}
		}
	}
}

func distanceOf(l *Law, of table) float64 {
	sum := 0.0
	for i, x := range oracleSizes {
		sum += math.Pow(of.means[i]-math.Log(l.At(x)), 2) / of.variance
	}
	return sum
}

// named is the law of that name.
func named(t *testing.T, laws []Law, name string) *Law {
	i := slices.IndexFunc(laws, func(l Law) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("no law %s", name)
	}
	return &laws[i]
}

// In the ratio of two laws cancels what the processes of a block have in common, and no ratio rests on less
// than three blocks.
func TestRatioOfLaws(t *testing.T) {
	one := observed(func(x float64) float64 { return 50 + 2*x }, 6)
	two := observed(func(x float64) float64 { return 90 + x }, 6)
	for i := range two {
		for b := range two[i][0] {
			two[i][0][b] *= math.Exp(0.01 * float64(b*b))
		}
		delete(two[i][0], 5)
	}
	a, b := named(t, Laws(oracleSizes, one), fixedAnd+Linear), named(t, Laws(oracleSizes, two),
		fixedAnd+Linear)
	of, other := tableOf(one), tableOf(two)

	var differences []float64
	for block := range 5 {
		differences = append(differences, a.blocks[block]-b.blocks[block])
	}
	level := uncertain{moremath.Variance(differences) / 5, 4}
	log := func(l *Law) float64 { return math.Log(l.At(20)) }
	half := halfOf(level, of.propagated(a, log), other.propagated(b, log))
	got := Against(a, b, 20)
	if ratio := a.At(20) / b.At(20); !about(got.Center, ratio) || !about(got.High, ratio*math.Exp(half)) ||
		got.N != 6 {
		t.Errorf("%+v, want a half-width of %v", got, half)
	}

	b.blocks = Sample{0: 0, 1: 0.1, 2: -0.1}
	if got := Against(a, b, 20); got.N == 0 {
		t.Error("three blocks in common are enough")
	}
	delete(b.blocks, 2)
	if got := Against(a, b, 20); got.N != 0 {
		t.Errorf("of two blocks in common: %+v", got)
	}
	a.blocks = nil
	if got := Against(a, b, 20); got.N == 0 {
		t.Error("a counted law has no blocks to have in common")
	}
}

// The last term takes over where it is as much as all others; the bounds are where the interval of their
// ratio ends at 1.
func TestBoundsOfTakeover(t *testing.T) {
	points := observed(func(x float64) float64 { return 50 + 2*x + 0.01*x*x }, 5)
	of := tableOf(points)
	for _, name := range []string{fixedAnd + Mixed, fixedAnd + Linear} {
		l := named(t, Laws(oracleSizes, points), name)
		last := len(l.terms) - 1
		ratio := func(x float64) func(*Law) float64 {
			return func(l *Law) float64 {
				part := l.values[last] * l.terms[last].at(x)
				return math.Log(part / (l.At(x) - part))
			}
		}
		e := l.Takeover(1, 1e4)
		for x, sign := range map[float64]float64{e.Low: 1, e.Center: 0, e.High: -1} {
			if off := ratio(x)(l) + sign*halfOf(of.propagated(l, ratio(x))); !(math.Abs(off) <= 1e-4) ||
				e.N != 5 {
				t.Errorf("%s: %+v is off by %v at %v", name, e, off, x)
			}
		}
	}
}

// Where a ratio is 1 within a factor of 1.2, its crossing is too; a bound that is outside of the range is
// open.
func TestCrossingOfKnownValues(t *testing.T) {
	rising := func(x float64) Estimate { return Estimate{x / 100, x / 120, x / 100 * 1.2, 5} }
	falling := func(x float64) Estimate { return Estimate{100 / x, 100 / x / 1.2, 120 / x, 5} }
	wave := func(x float64) Estimate { // is 1 at 30 and again at 300
		v := math.Exp(math.Log(x/30) * math.Log(300/x))
		return Estimate{v, v / 1.05, v * 1.05, 5}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		from, to  float64
		ratio     func(x float64) Estimate
		low, x, h float64
	}{
		{"rising", 10, 1000, rising, 100 / 1.2, 100, 120},
		{"falling", 10, 1000, falling, 100 / 1.2, 100, 120},
		{"from 0", 0, 1000, rising, 100 / 1.2, 100, 120},
		{"open below", 90, 1000, rising, -inf, 100, 120},
		{"open above", 10, 110, falling, 100 / 1.2, 100, inf},
		{"twice", 10, 1000, wave, -1, 30, -1},
	} {
		got := crossing(c.from, c.to, 5, c.ratio)
		ok := about(got.Center, c.x) && got.N == 5
		if c.low != -1 {
			ok = ok && (got.Low == c.low || about(got.Low, c.low)) && (got.High == c.h ||
				about(got.High, c.h))
		}
		if !ok {
			t.Errorf("%s: %+v, want %v from %v to %v", c.name, got, c.x, c.low, c.h)
		}
	}

	if got := crossing(10, 90, 5, rising); got.N != 0 {
		t.Errorf("below the crossing: %+v", got)
	}
	if got := crossing(10, 90, 5, func(float64) Estimate { return Estimate{1, 0.9, 1.1, 5} }); got.N != 0 {
		t.Errorf("of equals: %+v", got)
	}
	if got := crossing(10, 1000, 5, func(x float64) Estimate { return Estimate{} }); got.N != 0 {
		t.Errorf("of no ratio: %+v", got)
	}
}

// A power may fall; all other parameters are above 0, so no sum of terms falls.
func TestFallingCosts(t *testing.T) {
	for _, l := range Laws(oracleSizes, observed(func(x float64) float64 { return 1000 / x }, 4)) {
		for i, p := range l.Parameters {
			if exponent := l.Name == PowerLaw && i == 1; exponent != (p.Center < 0) {
				t.Errorf("%s: %+v", l.Name, p)
			}
		}
	}
	if l := Laws(oracleSizes, observed(func(x float64) float64 { return 1000 / x },
		4)); l[0].Name != PowerLaw {
		t.Errorf("%+v", l[0])
	}
}

// Fewer parameters are simpler, then the slower growth of the last term; nothing is simpler than itself.
func TestSimplerForms(t *testing.T) {
	order := []string{Constant, Linear, LogLinear, Quadratic, fixedAnd + Linear, fixedAnd + LogLinear,
		fixedAnd + Quadratic, PowerLaw, fixedAnd + Mixed}
	rank := func(f form) int { return slices.Index(order, f.name) }
	for _, f := range forms {
		for _, g := range forms {
			if f.name == Mixed || g.name == Mixed { // as simple as a fixed part and a square
				continue
			}
			if got := f.simpler(g); got != (rank(f) < rank(g)) {
				t.Errorf("%s is simpler than %s: %v", f.name, g.name, got)
			}
		}
	}
	square, mixed := forms[slices.IndexFunc(forms,
		func(f form) bool { return f.name == fixedAnd+Quadratic })],
		forms[slices.IndexFunc(forms, func(f form) bool { return f.name == Mixed })]
	if square.simpler(mixed) || mixed.simpler(square) {
		t.Error("forms with as many parameters and the same last term are as simple")
	}
}

// A counted point has the variance of its count, of a process and of the resolution. The constant is the
// mean by these weights, and the criterion has no correction for few observations.
func TestVarianceOfCountedLaws(t *testing.T) {
	x := []float64{1, 2, 4, 8, 16, 32}
	costs := []CountedCost{{10, 10, 0}, {13, 100, 0.1}, {11, 400, 0.2}, {12, 50, 0}, {100, 9, 0}, {0, 400, 0}}
	sum, weights, squares := 0.0, 0.0, 0.0
	for _, c := range costs[:4] {
		w := 1 / (1/float64(c.Samples) + c.Varies*c.Varies + 0.02*0.02)
		sum, weights = sum+w*math.Log(c.Cost), weights+w
	}
	mean := math.Exp(sum / weights)
	for _, c := range costs[:4] {
		squares += math.Pow(math.Log(c.Cost)-sum/weights,
			2) / (1/float64(c.Samples) + c.Varies*c.Varies + 0.02*0.02)
	}
	laws := CountedLaws(x, costs)
	l := named(t, laws, Constant)
	p, half := l.Parameters[0], mean*1.959964/math.Sqrt(weights)
	if !about(p.Center, mean) || !about(p.High-p.Center, half) || p.N != 1 {
		t.Errorf("%+v, want %v with a half-width of %v", p, mean, half)
	}
	if want := (distuv.ChiSquared{K: 3}).Survival(squares); !(math.Abs(l.Misfit-want) <= 1e-3) {
		t.Errorf("misfit %v, want %v", l.Misfit, want)
	}

	best := slices.MinFunc(laws, func(a, b Law) int { return cmp.Compare(a.Behind, b.Behind) })
	criterion := func(l *Law) float64 {
		sum := 2 * float64(len(l.values)+1)
		for i, c := range costs[:4] {
			v := 1/float64(c.Samples) + c.Varies*c.Varies + 0.02*0.02
			sum += math.Pow(math.Log(c.Cost/l.At(x[i])), 2) / v
		}
		return sum
	}
	if want := criterion(l) - criterion(&best); !(math.Abs(l.Behind-want) <= 1e-9) {
		t.Errorf("%s is %v behind, want %v", l.Name, l.Behind, want)
	}
	if got := fmt.Sprint(len(l.cov), l.level()); got != "1 {0 +Inf}" {
		t.Errorf("a counted law has a level: %s", got)
	}
}

// A p value of 5 % is a misfit.
func TestFitsAbove5Percent(t *testing.T) {
	if (&Law{Misfit: alpha}).Fits() || !(&Law{Misfit: alpha * 1.001}).Fits() {
		t.Error("the bound of a misfit")
	}
}

// A comparison of parts is Welch's test of their logarithms, in which a profile is one process more and has
// its count.
func TestPartsOfKnownValues(t *testing.T) {
	a := Part{Cost: []Sample{{0: 100, 1: 110, 2: 90, 3: 105, 4: 95}}, Share: 0.2, Samples: 2000}
	b := Part{Cost: []Sample{{0: 50, 1: 54, 2: 55}}, Share: 0.4, Samples: 1500}
	moment := func(p Part) (log float64, processes, counted uncertain) {
		var logs []float64
		for _, v := range p.Cost[0] {
			logs = append(logs, math.Log(v))
		}
		n := float64(len(logs))
		return moremath.Mean(logs) + math.Log(p.Share), uncertain{moremath.Variance(logs) * (1 + 1/n), n - 1},
			uncertain{(1 - p.Share) / p.Share / p.Samples, math.Inf(1)}
	}
	la, va, ca := moment(a)
	lb, vb, cb := moment(b)

	half := halfOf(uncertain{va.variance + ca.variance,
		4}) // of one part the count adds no degrees of freedom
	if e := a.Estimate(); !about(math.Log(e.High)-la, half) || !about(la-math.Log(e.Low), half) || e.N != 5 {
		t.Errorf("%+v, want a half-width of %v", e, half)
	}

	got := Parts(a, b, 0.1)
	half = halfOf(va, vb, ca, cb)
	if !about(math.Log(got.Ratio.High)-(la-lb), half) || !about(math.Log(got.Ratio.Center), la-lb) ||
		got.Ratio.N != 8 {
		t.Errorf("%+v, want a half-width of %v", got.Ratio, half)
	}
	sum := va.variance + vb.variance + ca.variance + cb.variance
	df := sum * sum / (va.variance*va.variance/4 + vb.variance*vb.variance/2)
	tail := func(x float64) float64 { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(x) }
	differs, equal := 2*tail(math.Abs(la-lb)/math.Sqrt(sum)),
		tail((math.Log(1.1)-math.Abs(la-lb))/math.Sqrt(sum))
	if !(math.Abs(got.Differs-differs) <= 1e-6) || !(math.Abs(got.Equal-equal) <= 1e-6) {
		t.Errorf("p values %v and %v, want %v and %v", got.Differs, got.Equal, differs, equal)
	}

	n := 2 / (1/5.0 + 1/3.0) // processes of a side that vary as these two do
	want := math.Expm1(design{math.Sqrt(sum * n), df / (n - 1)}.detectable(n))
	if back := Parts(b, a, 0.1); !about(got.Finds(), want) || !about(back.Finds(), want) {
		t.Errorf("finds %v, want %v", got.Finds(), want)
	}

	alike := Part{Cost: []Sample{{0: 100, 1: 100, 2: 100}}, Share: 0.2, Samples: 2000}
	if c := Parts(alike, alike, 0.1); !about(c.Ratio.High, math.Exp(1.959964*math.Sqrt(2*ca.variance))) {
		t.Errorf("without variance of processes: %+v", c.Ratio)
	}
	if e := (Part{Cost: []Sample{{0: 100, 1: 100}}, Share: 0.2, Samples: 20}).Estimate(); !about(e.Center,
		20) || e.N != 2 {
		t.Errorf("of two processes: %+v", e)
	}
}

// Spread and intervals of a model are those of least squares of logarithms; a term that costs nothing takes
// no degree of freedom.
func TestModelIsLeastSquares(t *testing.T) {
	var figures [][]float64
	var costs []float64
	for i := range 9 {
		size := math.Pow(2, float64(i))
		figures = append(figures, []float64{1, size, float64(i * i % 7)})
		costs = append(costs, (20+3*size)*math.Exp(0.1*math.Sin(float64(5*i))))
	}
	m, err := FitModel([]string{"fixed", "size", "nothing"}, figures, costs)
	if err != nil {
		t.Fatal(err)
	}
	if m.Terms[2].Used || m.Terms[2].Unit != (Estimate{N: 9}) || m.Terms[1].Most != 256 ||
		m.Terms[2].Most != 4 {
		t.Fatalf("%+v", m.Terms)
	}

	a, b := m.Terms[0].Unit.Center, m.Terms[1].Unit.Center
	squares := func(a, b float64) (sum float64) {
		for i, row := range figures {
			sum += math.Pow(math.Log(costs[i]/(a+b*row[1])), 2)
		}
		return sum
	}
	for _, f := range []float64{0.999, 1.001} {
		if squares(a, b) > squares(f*a, b) || squares(a, b) > squares(a, f*b) {
			t.Errorf("%v and %v are not at the least squares", a, b)
		}
	}
	normal := mat.NewDense(2, 2, nil)
	for i, row := range figures {
		fit := a + b*row[1]
		g := mat.NewVecDense(2, []float64{1 / fit, row[1] / fit})
		normal.RankOne(normal, 1, g, g)
		if !about(1+m.Residuals[i], costs[i]/fit) {
			t.Errorf("residual %d is %v, want %v", i, m.Residuals[i], costs[i]/fit-1)
		}
	}
	var inverse mat.Dense
	if err := inverse.Inverse(normal); err != nil {
		t.Fatal(err)
	}
	spread := math.Sqrt(squares(a, b) / 7)
	quantile := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 7}.Quantile(0.975)
	for j := range 2 {
		u, half := m.Terms[j].Unit, quantile*spread*math.Sqrt(inverse.At(j, j))
		if !about(m.Spread, spread) || !about(u.High-u.Center, half) || !about(u.Low, max(0, u.Center-half)) {
			t.Errorf("%+v with a spread of %v, want a half-width of %v with %v", u, m.Spread, half, spread)
		}
	}

	cost := a + 50*b
	g := mat.NewVecDense(2, []float64{1 / cost, 50 / cost})
	half := quantile * spread * math.Sqrt(1+mat.Inner(g, &inverse, g))
	if p := m.Predict([]float64{1, 50, 3}); !about(p.Center, cost) || !about(p.High, cost*math.Exp(half)) ||
		!about(p.Low, cost*math.Exp(-half)) || p.N != 9 {
		t.Errorf("%+v, want %v with a half-width of %v", p, cost, half)
	}
	if p := m.Predict([]float64{0, 0, 1}); p != (Estimate{}) {
		t.Errorf("of a figure without a cost: %+v", p)
	}
}

// Twelve terms are fitted; a thirteenth is refused.
func TestTermsOfModels(t *testing.T) {
	for _, n := range []int{mostTerms, mostTerms + 1} {
		names, figures, costs := make([]string, n), [][]float64(nil), []float64(nil)
		for i := range n + 2 {
			row := make([]float64, n)
			row[i%n] = float64(i + 1)
			figures, costs = append(figures, row), append(costs, float64(i+1))
		}
		if _, err := FitModel(names, figures, costs); (err == nil) != (n == mostTerms) {
			t.Errorf("%d terms: %v", n, err)
		}
	}
}

// The drift is the variance of the blocks less the part that single processes explain, by an analysis of
// variance.
func TestDriftOfKnownValues(t *testing.T) {
	var exchanges []Sample
	means := make([]float64, 4) // of blocks
	for e := range 3 {
		s := make(Sample)
		for b := range 4 {
			log := float64(e) + 0.1*float64(b*b) + 0.02*math.Sin(float64(3*b+7*e))
			s[b] = math.Exp(log)
			means[b] += log / 3
		}
		exchanges = append(exchanges, s)
	}
	grand, residual := moremath.Mean(means), 0.0
	for _, s := range exchanges {
		own := 0.0
		for _, v := range s {
			own += math.Log(v) / 4
		}
		for b, v := range s {
			residual += math.Pow(math.Log(v)-own-means[b]+grand, 2) / 6
		}
	}
	if want := moremath.Variance(means) - residual/3; !about(DriftOf(exchanges).Variance, want) {
		t.Errorf("%v, want %v", DriftOf(exchanges), want)
	}
	none := Estimate{5, 0, 9, 3} // a cost that may be 0 has no interval of logarithms
	if got := DriftOf(exchanges).Widen(none); got != none {
		t.Errorf("%+v", got)
	}
}
