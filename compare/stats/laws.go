package stats

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
)

const (
	// Undistinguished is how far, in AICc, a law may be behind the best one without being ruled out by it.
	Undistinguished = 4

	// Resolution is the standard deviation, as a part of a cost, by which single points are off any law:
	// classes of sizes of the allocator and the layout of code move costs by that, the same in all processes.
	Resolution = 0.02
)

// Names of laws: of the terms that are summed up, or of a power.
const (
	Constant  = "fixed"
	Linear    = "a·x"
	LogLinear = "a·x·log x"
	Quadratic = "a·x²"
	PowerLaw  = "a·x^b"

	fixedAnd = Constant + " + "
	Mixed    = Linear + " + b·x²"
)

// Law is a law of growth that was fitted to costs.
type Law struct {
	Name       string     // as "fixed + a·x": see [Law.Shape]
	Parameters []Estimate // in the order of the name, all above 0 except for the b of a power
	Behind     float64    // its AICc less that of the best law
	Misfit     float64    // p value of such distances from the points if the law is right
	Off        float64    // largest distance of a point from it, as a part of the cost
	Lack       float64    // of fit: standard deviation of such distances, less what processes explain

	form
	values []float64   // of the parameters
	cov    [][]float64 // of their estimates, without what is common to all points
	df     float64     // degrees of freedom of cov
	blocks Sample      // logarithms by which processes of a block cost more at all points; nil if counted
}

// MarshalJSON writes what a reader needs of a law.
func (l Law) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name       string     `json:"law"`
		Parameters []Estimate `json:"parameters"`
		Behind     float64    `json:"behind"`
		Misfit     float64    `json:"p_misfit"`
		Off        float64    `json:"off"`
		Lack       float64    `json:"lack_of_fit"`
	}{l.Name, l.Parameters, l.Behind, l.Misfit, l.Off, l.Lack})
}

// Fits reports whether the points are no farther from the law than processes and [Resolution] make them.
func (l *Law) Fits() bool { return l.Misfit > alpha }

// Shape is the name without a fixed part: how a cost grows, whatever it begins with.
func (l *Law) Shape() string {
	if l.hasFixed() && len(l.terms) > 1 {
		return l.Name[len(fixedAnd):]
	}
	return l.Name
}

// Extends reports whether a law has the terms of another and more, so that the other is a case of it. A power
// is such a case of a constant and of a line.
func (l *Law) Extends(other *Law) bool {
	if l.Name == PowerLaw {
		return other.Name == Constant || other.Name == Linear || other.Name == Quadratic
	}
	return len(l.terms) > len(other.terms) && len(other.terms) > 0 &&
		!slices.ContainsFunc(other.terms, func(t term) bool { return !slices.Contains(l.terms, t) })
}

// term is a part of a law: its factor times a function of x.
type term int

const (
	one term = iota
	first
	logarithmic
	second
)

// at is the function of a term.
func (t term) at(x float64) float64 {
	switch {
	case t == one:
		return 1
	case t == first:
		return x
	case t == second:
		return x * x
	case x == 0:
		return 0 // the limit
	}
	return x * math.Log(x)
}

// slope is the derivative of at.
func (t term) slope(x float64) float64 {
	switch t {
	case one:
		return 0
	case first:
		return 1
	case second:
		return 2 * x
	}
	return math.Log(x) + 1
}

// form is a law without its parameters: the sum of terms or, without terms, a power.
type form struct {
	name  string
	terms []term
}

func (f form) hasFixed() bool { return len(f.terms) > 0 && f.terms[0] == one }

// parameters is their number.
func (f form) parameters() int {
	if len(f.terms) == 0 {
		return 2
	}
	return len(f.terms)
}

// simpler reports whether a form has fewer parameters than another or, with as many, grows more simply: as a
// line, then with a logarithm, then as a square, and last a power, whose exponent needs an explanation.
func (f form) simpler(than form) bool {
	if n, m := f.parameters(), than.parameters(); n != m {
		return n < m
	}
	last := func(f form) term {
		if len(f.terms) == 0 {
			return second + 1
		}
		return f.terms[len(f.terms)-1]
	}
	return last(f) < last(than)
}

// forms are the laws, each with and without a fixed part.
var forms = []form{
	{Constant, []term{one}},
	{Linear, []term{first}}, {fixedAnd + Linear, []term{one, first}},
	{LogLinear, []term{logarithmic}}, {fixedAnd + LogLinear, []term{one, logarithmic}},
	{Quadratic, []term{second}}, {fixedAnd + Quadratic, []term{one, second}},
	{Mixed, []term{first, second}}, {fixedAnd + Mixed, []term{one, first, second}},
	{PowerLaw, nil},
}

// Laws fits laws of growth to costs by least squares of their logarithms, in the blocks that have all points,
// whose effects on all points are taken out. The first law is the simplest of those that are at most
// [Undistinguished] behind the best one by the corrected criterion of Akaike (Hurvich and Tsai 1989); the
// others follow as they fit. The variance of a point is that of the mean of its processes and the square of
// [Resolution]; the test of misfit compares the distances of the points from the law with it (F test of lack
// of fit). The cost of a point is the sum of its cells. Laws needs an x that is [Varied] and
// [Fewest] processes, and leaves out a law that has as many parameters as there are x.
func Laws(x []float64, points [][]Sample) []Law {
	if len(points) != len(x) || !Varied(x) {
		return nil
	}
	costs := make([]Sample, len(points))
	for i, p := range points {
		costs[i] = sums(p)
	}
	c, ok := curveOf(x, costs)
	if !ok {
		return nil
	}
	return c.laws()
}

// CountedCost is a cost that rests on a number of profile samples, such as that of a phase. Varies is the
// relative standard deviation of one process, since a profile is one.
type CountedCost struct {
	Cost    float64
	Samples int64
	Varies  float64
}

// CountedLaws is [Laws] for costs that rest on profile samples. The relative variance of a count n is 1/n
// (Poisson), to which that of a process is added. Points with fewer than 10 samples are left out.
func CountedLaws(x []float64, costs []CountedCost) []Law {
	c := curve{df: math.Inf(1)}
	for i, v := range costs {
		if v.Samples < leastSamples || !(v.Cost > 0) {
			continue
		}
		c.x, c.logs = append(c.x, x[i]), append(c.logs, math.Log(v.Cost))
		c.variance = append(c.variance, 1/float64(v.Samples)+v.Varies*v.Varies+Resolution*Resolution)
	}
	if !Varied(c.x) {
		return nil
	}
	return c.laws()
}

// Varied reports whether laws can be fitted over x: three different values, none below 1 except 0.
func Varied(x []float64) bool {
	return different(x) >= 3 && !slices.ContainsFunc(x, func(v float64) bool { return !(v >= 1) && v != 0 })
}

// different counts the different values.
func different(x []float64) int { return len(slices.Compact(slices.Sorted(slices.Values(x)))) }

// laws fits all forms and orders them.
func (c *curve) laws() []Law {
	var out []Law
	best := math.Inf(1)
	for _, f := range forms {
		k := float64(f.parameters() + 1) // with the variance
		if f.parameters() >= different(c.x) || c.n() <= k+1 || len(f.terms) == 0 && slices.Contains(c.x, 0) {
			continue
		}
		law, ok := c.fit(f)
		if !ok {
			continue
		}
		law.Behind = law.distance(c) + 2*k
		if n := c.n(); !math.IsInf(n, 1) {
			law.Behind += 2 * k * (k + 1) / (n - k - 1)
		}
		best = min(best, law.Behind)
		out = append(out, law)
	}

	for i := range out {
		out[i].Behind -= best
	}
	slices.SortStableFunc(out, func(a, b Law) int { return cmp.Compare(a.Behind, b.Behind) })
	simplest := 0
	for i, l := range out {
		if l.Behind <= Undistinguished && l.simpler(out[simplest].form) {
			simplest = i
		}
	}
	if simplest > 0 {
		chosen := out[simplest]
		out = slices.Insert(slices.Delete(out, simplest, simplest+1), 0, chosen)
	}
	return out
}

// misfit is the p value of a sum of squares, in variances, that has so many degrees of freedom.
func misfit(squares, df, varianceDF float64) float64 {
	if math.IsInf(varianceDF, 1) {
		varianceDF = mostProcesses
	}
	return mathx.BetaInc(varianceDF/(varianceDF+squares), varianceDF/2, df/2)
}
