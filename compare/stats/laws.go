package stats

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
)

// Undistinguished is how far, in AICc, a law may be behind the best one without being ruled out by it.
const Undistinguished = 4

// Law is a law of growth that was fitted to costs.
type Law struct {
	Name       string    `json:"law"`        // as "a + b·x"
	Parameters []float64 `json:"parameters"` // a, b and c; none is below 0, but the b of a power may be
	Behind     float64   `json:"behind"`     // its AICc less that of the best law
	Misfit     float64   `json:"p_misfit"`   // p value of the law being right; 1 if that cannot be tested

	form form
}

// At returns the cost of x.
func (l Law) At(x float64) float64 {
	if l.form.terms == nil {
		return l.Parameters[0] * math.Pow(x, l.Parameters[1])
	}
	cost := 0.0
	for i, term := range l.form.terms {
		cost += l.Parameters[i] * term(x)
	}
	return cost
}

// form is a law without its parameters, the sum of terms or, without terms, a power.
type form struct {
	name       string
	parameters int
	terms      []func(x float64) float64
}

func one(float64) float64       { return 1 }
func same(x float64) float64    { return x }
func xLogX(x float64) float64   { return x * math.Log(x) }
func squared(x float64) float64 { return x * x }

var forms = []form{
	{"a", 1, []func(float64) float64{one}},
	{"a + b·x", 2, []func(float64) float64{one, same}},
	{"a + b·x·log x", 2, []func(float64) float64{one, xLogX}},
	{"a + b·x²", 2, []func(float64) float64{one, squared}},
	{"a + b·x + c·x²", 3, []func(float64) float64{one, same, squared}},
	{"a·x^b", 2, nil},
}

// rounding is the mean square below which distances of logarithms are those of arithmetic.
const rounding = 1e-20

// growth is the logarithms of costs at several x, without the effects of blocks.
type growth struct {
	x, logs []float64 // means
	blocks  int
	pure    float64 // sum of squares of single processes around the means
}

// Laws fits laws of growth to costs by least squares of their logarithms, in the blocks that have all
// points, whose effects on all points are taken out. The best law, by the corrected criterion of Akaike
// (Hurvich and Tsai 1989), is first; those up to [Undistinguished] behind it may be as right. The test of
// misfit compares the distances of the law from the means with those of processes from them (F test of
// lack of fit). The cost of a point is the sum of its cells. Laws needs three different x, all at least 1,
// and leaves out a law that has as many parameters as there are x.
func Laws(x []float64, points [][]Sample) []Law {
	g, ok := grow(x, points)
	if !ok {
		return nil
	}
	n := float64(g.blocks*(len(x)-1) + 1) // observations, less the blocks' effects
	var laws []Law
	var criteria []float64
	for _, f := range forms {
		law := Law{Name: f.name, form: f}
		k := float64(f.parameters + 1) // with the variance
		if f.parameters >= different(x) || n-k-1 <= 0 {
			continue
		}
		law.Parameters = g.fit(f)
		off := float64(g.blocks) * g.squares(law)
		law.Misfit = g.misfit(off, f.parameters)
		criteria = append(criteria, n*math.Log(max((g.pure+off)/n, rounding))+2*k+2*k*(k+1)/(n-k-1))
		laws = append(laws, law)
	}
	if laws == nil {
		return nil
	}
	for i := range laws {
		laws[i].Behind = criteria[i] - slices.Min(criteria)
	}
	slices.SortStableFunc(laws, func(a, b Law) int { return cmp.Compare(a.Behind, b.Behind) })
	return laws
}

// different counts the different values.
func different(x []float64) int { return len(slices.Compact(slices.Sorted(slices.Values(x)))) }

// grow reports whether there are costs for laws.
func grow(x []float64, points [][]Sample) (g growth, ok bool) {
	if len(points) != len(x) || different(x) < 3 || slices.Min(x) < 1 {
		return g, false
	}
	costs := make([]Sample, len(points))
	for i, p := range points {
		costs[i] = sums(p)
	}
	var rows [][]float64 // of blocks
	for block := range sums(costs) {
		row := make([]float64, len(x))
		for i, c := range costs {
			row[i] = math.Log(c[block])
			if math.IsNaN(row[i]) || math.IsInf(row[i], 0) {
				return g, false
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return g, false
	}
	slices.SortFunc(rows, slices.Compare) // sums of floats depend on their order

	g = growth{x: x, logs: make([]float64, len(x)), blocks: len(rows)}
	for _, row := range rows {
		for i, v := range row {
			g.logs[i] += v / float64(len(rows))
		}
	}
	for _, row := range rows {
		effect := 0.0
		for i, v := range row {
			effect += (v - g.logs[i]) / float64(len(row))
		}
		for i, v := range row {
			g.pure += (v - g.logs[i] - effect) * (v - g.logs[i] - effect)
		}
	}
	return g, true
}

// squares is the sum of the squared distances of a law from the means.
func (g growth) squares(l Law) float64 {
	sum := 0.0
	for i, x := range g.x {
		d := g.logs[i] - math.Log(l.At(x))
		sum += d * d
	}
	return sum
}

// misfit is the p value of such distances from the means.
func (g growth) misfit(off float64, parameters int) float64 {
	law, pure := float64(len(g.x)-parameters), float64((g.blocks-1)*(len(g.x)-1))
	if pure == 0 || g.pure/pure < rounding {
		return 1
	}
	f := off / law / (g.pure / pure)
	return mathx.BetaInc(pure/(pure+law*f), pure/2, law/2)
}

// fit returns the parameters of least squares. Where one would be below 0, it is 0.
func (g growth) fit(f form) []float64 {
	if f.terms == nil {
		costs, mean := make([]float64, len(g.x)), 0.0
		for i, v := range g.logs {
			costs[i] = math.Exp(v)
		}
		b := Slope(g.x, costs)
		for i, v := range g.logs {
			mean += (v - b*math.Log(g.x[i])) / float64(len(g.x))
		}
		return []float64{math.Exp(mean), b}
	}

	var best []float64
	least := math.Inf(1)
	for subset := 1; subset < 1<<len(f.terms); subset++ {
		var chosen []int
		for i := range f.terms {
			if subset>>i&1 == 1 {
				chosen = append(chosen, i)
			}
		}
		parameters := g.fitTerms(f, chosen)
		if parameters == nil || slices.Min(parameters) < 0 {
			continue
		}
		if sum := g.squares(Law{Parameters: parameters, form: f}); sum < least {
			best, least = parameters, sum
		}
	}
	return best
}

// fitTerms fits some terms, the others being 0, by Gauss and Newton's method with halved steps; nil if it
// fails. A constant alone does not fail.
func (g growth) fitTerms(f form, chosen []int) []float64 {
	parameters := make([]float64, len(f.terms))
	largest := slices.Max(g.x)
	part := math.Exp(g.logs[slices.Index(g.x, largest)]) / float64(len(chosen))
	for _, j := range chosen {
		parameters[j] = part / f.terms[j](largest) // so none is 0
	}

	law := Law{Parameters: parameters, form: f}
	sum := g.squares(law)
	for range 100 {
		step := g.step(law, chosen)
		if step == nil {
			return nil
		}
		next, better := law, sum
		for part := 1.0; part > 1e-6; part /= 2 {
			next.Parameters = slices.Clone(law.Parameters)
			for i, j := range chosen {
				next.Parameters[j] += part * step[i]
			}
			if better = g.squares(next); better < sum { // not if it is not a number
				break
			}
		}
		if !(better < sum) {
			break
		}
		done := sum-better <= 1e-12*sum
		law, sum = next, better
		if done {
			break
		}
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	return law.Parameters
}

// step solves the normal equations for the change of the chosen parameters.
func (g growth) step(l Law, chosen []int) []float64 {
	k := len(chosen)
	equations := make([][]float64, k) // with the right side as the last column
	for i := range equations {
		equations[i] = make([]float64, k+1)
	}
	scale := make([]float64, k)
	for i, j := range chosen {
		scale[i] = l.form.terms[j](slices.Max(g.x))
	}
	for p, x := range g.x {
		cost := l.At(x)
		slopes := make([]float64, k, k+1)
		for i, j := range chosen {
			slopes[i] = l.form.terms[j](x) / scale[i] / cost
		}
		slopes = append(slopes, g.logs[p]-math.Log(cost))
		for i := range k {
			for j, v := range slopes {
				equations[i][j] += slopes[i] * v
			}
		}
	}
	out := solve(equations)
	for i := range out {
		out[i] /= scale[i]
	}
	return out
}

// solve eliminates by Gauss's method with pivots; nil if there is no one solution.
func solve(rows [][]float64) []float64 {
	k := len(rows)
	for i := range k {
		pivot := i
		for j := i; j < k; j++ {
			if math.Abs(rows[j][i]) > math.Abs(rows[pivot][i]) {
				pivot = j
			}
		}
		rows[i], rows[pivot] = rows[pivot], rows[i]
		if !(math.Abs(rows[i][i]) > 0) {
			return nil
		}
		for j := range k {
			if j == i {
				continue
			}
			factor := rows[j][i] / rows[i][i]
			for c := i; c <= k; c++ {
				rows[j][c] -= factor * rows[i][c]
			}
		}
	}
	out := make([]float64, k)
	for i := range out {
		out[i] = rows[i][k] / rows[i][i]
	}
	return out
}
