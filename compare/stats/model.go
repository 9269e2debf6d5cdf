package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Model is a cost as the sum of what each unit of some figures costs.
type Model struct {
	Terms     []Term    `json:"terms"`
	N         int       `json:"n"`         // inputs that it was fitted to
	Spread    float64   `json:"spread"`    // standard deviation of the logarithms of residuals
	Residuals []float64 `json:"residuals"` // of each input: cost over fit, less 1

	used    []int      // terms that are above 0
	inverse *mat.Dense // of the normal equations of these
}

// Term is the cost of one unit of a figure.
type Term struct {
	Name string   `json:"name"`
	Unit Estimate `json:"unit"`        // never below 0
	Used bool     `json:"used"`        // false: no cost of this figure was found
	Most float64  `json:"most_fitted"` // of the inputs
}

// mostTerms bounds the terms, of which every subset is fitted.
const mostTerms = 12

// FitModel fits the costs of inputs, each with a row of figures, to a sum of terms that are not below 0. It
// minimizes the squares of log cost less log fit, in which half is as far off as twice.
// Gauss and Newton's method makes each step a least-squares problem; the best of all subsets of terms, none
// of them below 0, solves it. FitModel needs two more inputs than terms.
func FitModel(names []string, figures [][]float64, costs []float64) (*Model, error) {
	n, k := len(costs), len(names)
	switch {
	case len(figures) != n || n < k+2:
		return nil, fmt.Errorf("%d inputs are too few for %d terms; %d are needed", n, k, k+2)
	case k > mostTerms:
		return nil, fmt.Errorf("%d terms are more than %d", k, mostTerms)
	}
	for i, row := range figures {
		if len(row) != k || !(costs[i] > 0) || math.IsInf(costs[i], 0) || slices.Max(row) <= 0 {
			return nil, fmt.Errorf("input %d has no cost above 0, or no figure", i)
		}
	}

	m := &Model{N: n}
	for j, name := range names {
		most := 0.0
		for _, row := range figures {
			most = max(most, row[j])
		}
		m.Terms = append(m.Terms, Term{Name: name, Most: most})
	}

	fit := slices.Clone(costs)
	best := math.Inf(1)
	for range 100 {
		units := m.step(figures, costs, fit)
		if units == nil {
			return nil, fmt.Errorf("no cost of %s can be fitted", names)
		}
		next, sum := make([]float64, n), 0.0
		for i, row := range figures {
			for j, v := range row {
				next[i] += units[j] * v
			}
			sum += math.Pow(math.Log(costs[i]/next[i]), 2)
		}
		if !(sum < best*(1-1e-9)) {
			break
		}
		fit, best = next, sum
		for j := range units {
			m.Terms[j].Unit.Center = units[j]
		}
	}

	return m, m.intervals(figures, costs, fit)
}

// step returns the terms of the least squares of logarithms around a fit.
func (m *Model) step(figures [][]float64, costs, fit []float64) []float64 {
	n, k := len(costs), len(m.Terms)
	target := mat.NewVecDense(n, nil)
	for i := range costs {
		target.SetVec(i, math.Log(costs[i]/fit[i])+1)
	}

	var best []float64
	least := math.Inf(1)
	for subset := 1; subset < 1<<k; subset++ {
		used := chosen(subset, k)
		a := scaledRows(figures, fit, used)
		var units, off mat.VecDense
		if units.SolveVec(a, target) != nil || mat.Min(&units) < 0 {
			continue
		}
		off.MulVec(a, &units)
		off.SubVec(target, &off)
		if sum := mat.Norm(&off, 2); sum < least {
			for i := range n { // a fit of 0 has no logarithm
				if mat.Dot(a.RowView(i), &units) <= 0 {
					sum = math.Inf(1)
				}
			}
			if sum >= least {
				continue
			}
			least, best = sum, make([]float64, k)
			for i, j := range used {
				best[j] = units.AtVec(i)
			}
		}
	}
	return best
}

// chosen lists the members of a subset.
func chosen(subset, k int) (used []int) {
	for j := range k {
		if subset>>j&1 == 1 {
			used = append(used, j)
		}
	}
	return used
}

// scaledRows are some columns of figures, each row divided by its fit.
func scaledRows(figures [][]float64, fit []float64, used []int) *mat.Dense {
	a := mat.NewDense(len(figures), len(used), nil)
	for i, row := range figures {
		for c, j := range used {
			a.Set(i, c, row[j]/fit[i])
		}
	}
	return a
}

// intervals adds to the terms their intervals, and to the model its residuals.
func (m *Model) intervals(figures [][]float64, costs, fit []float64) error {
	sum := 0.0
	for i := range costs {
		m.Residuals = append(m.Residuals, costs[i]/fit[i]-1)
		sum += math.Pow(math.Log(costs[i]/fit[i]), 2)
	}
	for j := range m.Terms {
		t := &m.Terms[j]
		t.Unit.N = m.N
		if t.Used = t.Unit.Center > 0; t.Used {
			m.used = append(m.used, j)
		}
	}

	freedom := m.freedom()
	m.Spread = math.Sqrt(sum / freedom)
	a := scaledRows(figures, fit, m.used)
	var normal mat.Dense
	normal.Mul(a.T(), a)
	m.inverse = new(mat.Dense)
	if err := m.inverse.Inverse(&normal); err != nil {
		return fmt.Errorf("the figures of the inputs depend on each other: %w", err)
	}
	for i, j := range m.used {
		u := &m.Terms[j].Unit
		half := tQuantile(1-alpha/2, freedom) * m.Spread * math.Sqrt(m.inverse.At(i, i))
		u.Low, u.High = max(0, u.Center-half), u.Center+half
	}
	return nil
}

// freedom is the number of inputs beyond that of terms.
func (m *Model) freedom() float64 { return float64(m.N - len(m.used)) }

// Predict returns the cost of an input with these figures, with the interval in which the cost of 95 of 100
// such inputs would lie, if they differ from the model as those do that it was fitted to.
func (m *Model) Predict(figures []float64) Estimate {
	cost := 0.0
	for j, t := range m.Terms {
		cost += t.Unit.Center * figures[j]
	}
	if !(cost > 0) {
		return Estimate{}
	}
	row := scaledRows([][]float64{figures}, []float64{cost}, m.used)
	var part, leverage mat.Dense
	part.Mul(row, m.inverse)
	leverage.Mul(&part, row.T())
	half := tQuantile(1-alpha/2, m.freedom()) * m.Spread * math.Sqrt(1+leverage.At(0, 0))
	return Estimate{Center: cost, Low: cost * math.Exp(-half), High: cost * math.Exp(half), N: m.N}
}
