package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// curve is what laws are fitted to: logarithms of costs at several x, without the effects of blocks.
type curve struct {
	x, logs  []float64 // means over the blocks
	variance []float64 // of each mean
	df       float64   // degrees of freedom of the variance; infinite if it is known
	blocks   Sample    // effects; nil where samples were counted
}

// n is the number of observations less that of the effects of blocks; infinite where the variance is known.
func (c *curve) n() float64 {
	if c.blocks == nil {
		return math.Inf(1)
	}
	return float64(len(c.blocks)*(len(c.x)-1) + 1)
}

// curveOf reports whether there are enough processes that have all points.
func curveOf(x []float64, costs []Sample) (c curve, ok bool) {
	rows := make(map[int][]float64) // of blocks
	for block := range sums(costs) {
		for _, s := range costs {
			v := math.Log(s[block])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return c, false
			}
			rows[block] = append(rows[block], v)
		}
	}
	if len(rows) < Fewest {
		return c, false
	}

	c = curve{x: x, logs: make([]float64, len(x)), blocks: make(Sample)}
	points := make([]Sample, len(x))
	for i := range x {
		points[i] = make(Sample)
		for block, row := range rows {
			points[i][block] = row[i]
		}
		c.logs[i], _ = moments(points[i].Values())
	}
	pure := make(Sample)
	for block, row := range rows {
		for i, v := range row {
			c.blocks[block] += (v - c.logs[i]) / float64(len(row))
		}
		for i, v := range row {
			d := v - c.logs[i] - c.blocks[block]
			pure[block] += d * d
		}
	}

	sum := 0.0
	for _, v := range pure.Values() {
		sum += v
	}
	n := float64(len(rows))
	df := (n - 1) * float64(len(x)-1)
	mean := sum / df / n // variance of the mean of a point
	all := mean + Resolution*Resolution
	c.variance = slices.Repeat([]float64{all}, len(x))
	c.df = min(mostProcesses, df*all*all/(mean*mean)) // Satterthwaite: the resolution is known
	return c, true
}

// distance is the sum of the squared distances of the points from a law, in variances.
func (l *Law) distance(c *curve) float64 {
	sum := 0.0
	for i, x := range c.x {
		d := c.logs[i] - math.Log(l.At(x))
		sum += d * d / c.variance[i]
	}
	return sum
}

// fit reports whether the form fits with parameters that are all above 0: otherwise a form with fewer terms
// is as good. The exponent of a power may be less, and its factor cannot.
func (c *curve) fit(f form) (Law, bool) {
	l := Law{Name: f.name, form: f, df: c.df, blocks: c.blocks}
	c.begin(&l)
	if !c.descend(&l) {
		return l, false
	}
	if len(f.terms) > 0 && slices.Min(l.values) <= 0 {
		return l, false
	}

	normal, scale, _, ok := c.equations(&l)
	if !ok {
		return l, false
	}
	var inverse mat.SymDense
	if normal.InverseTo(&inverse) != nil {
		return l, false
	}
	for i := range l.values {
		l.cov = append(l.cov, make([]float64, len(l.values)))
		for j := range l.values {
			l.cov[i][j] = inverse.At(i, j) / scale[i] / scale[j]
		}
	}
	for i := range l.values {
		l.Parameters = append(l.Parameters, l.parameter(i))
	}

	free, lack := float64(len(c.x)-f.parameters()), 0.0
	for i, x := range c.x {
		d := c.logs[i] - math.Log(l.At(x))
		l.Off = max(l.Off, math.Abs(math.Expm1(d)))
		lack += d*d/free - (c.variance[i]-Resolution*Resolution)/float64(len(c.x))
	}
	l.Lack = math.Sqrt(max(0, lack))
	l.Misfit = misfit(l.distance(c), free, c.df)
	return l, true
}

// begin gives each term the same part of the largest point, so that none is 0.
func (c *curve) begin(l *Law) {
	i := slices.Index(c.x, slices.Max(c.x))
	if len(l.terms) == 0 {
		l.values = []float64{math.Exp(c.logs[i]) / c.x[i], 1}
		return
	}
	part := math.Exp(c.logs[i]) / float64(len(l.terms))
	for _, t := range l.terms {
		l.values = append(l.values, part/t.at(c.x[i]))
	}
}

// descend moves the parameters to those of least squares, by Gauss and Newton's method with halved steps.
func (c *curve) descend(l *Law) bool {
	sum := l.distance(c)
	for range 100 {
		normal, scale, right, ok := c.equations(l)
		if !ok {
			return false
		}
		var step mat.VecDense
		if normal.SolveVecTo(&step, right) != nil {
			return false
		}

		from, better := l.values, sum
		for part := 1.0; part > 1e-6; part /= 2 {
			l.values = slices.Clone(from)
			for i := range l.values {
				l.values[i] += part * step.AtVec(i) / scale[i]
			}
			if better = l.distance(c); better < sum { // not if it is not a number
				break
			}
		}
		if !(better < sum) {
			l.values = from
			break
		}
		done := sum-better <= 1e-12*sum
		if sum = better; done {
			break
		}
	}
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// equations are the normal ones of a step, each parameter scaled so that its column has the length 1.
func (c *curve) equations(l *Law) (normal *mat.Cholesky, scale []float64, right *mat.VecDense, ok bool) {
	k := len(l.values)
	slopes := mat.NewDense(len(c.x), k, nil)
	off := mat.NewVecDense(len(c.x), nil)
	for i, x := range c.x {
		weight := 1 / math.Sqrt(c.variance[i])
		for j, v := range l.gradient(x) {
			slopes.Set(i, j, v*weight)
		}
		off.SetVec(i, (c.logs[i]-math.Log(l.At(x)))*weight)
	}
	for j := range k {
		column := slopes.ColView(j)
		scale = append(scale, mat.Norm(column, 2))
		for i := range c.x {
			slopes.Set(i, j, slopes.At(i, j)/scale[j])
		}
	}

	var products mat.SymDense
	products.SymOuterK(1, slopes.T())
	normal, right = new(mat.Cholesky), new(mat.VecDense)
	right.MulVec(slopes.T(), off)
	return normal, scale, right, normal.Factorize(&products)
}

// gradient is the derivative of the logarithm of the cost of x by each parameter.
func (l *Law) gradient(x float64) []float64 {
	if len(l.terms) == 0 {
		return []float64{1 / l.values[0], math.Log(x)}
	}
	cost := l.At(x)
	out := make([]float64, len(l.terms))
	for i, t := range l.terms {
		out[i] = t.at(x) / cost
	}
	return out
}

// quadratic is the variance of the sum of the parameters with these weights, as far as points vary.
func (l *Law) quadratic(weights []float64) float64 {
	sum := 0.0
	for i, a := range weights {
		for j, b := range weights {
			sum += a * b * l.cov[i][j]
		}
	}
	return max(0, sum)
}
