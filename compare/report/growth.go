package report

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"canonscope/canon/phase"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
)

// Growth is how the costs of an experiment grow.
type Growth struct {
	compare.Experiment
	By     string  `json:"by,omitempty"` // figure of the exponents; "" if none varies enough, for ratios
	Curves []Curve `json:"curves"`
}

// Curve is one exchange along an experiment.
type Curve struct {
	Cell       compare.Cell `json:"cell"` // without schema and operation
	Reissued   bool         `json:"reissued"`
	X          []float64    `json:"x,omitempty"` // the figure at each point
	Operations []Quantity   `json:"operations"`  // each, then sums
	Phases     []Quantity   `json:"phases"`      // of issue + verify, or of canonize; largest first
	Reasons    []string     `json:"reasons,omitempty"`
}

// Quantity is a cost at each point: process CPU nanoseconds of one operation or exchange.
type Quantity struct {
	Name     string            `json:"name"`
	Cost     []stats.Estimate  `json:"cpu_ns"`             // N of 0 where it was not measured
	Exponent *stats.Estimate   `json:"exponent,omitempty"` // over all points
	Step     *stats.Estimate   `json:"step,omitempty"`     // between the last two
	Ratios   []*stats.Estimate `json:"ratios,omitempty"`   // of each further point to the first
}

// Names of the sums among the operations of a curve.
const (
	issueVerify = "issue+verify"
	exchange    = "exchange"
)

// varies is how much a figure must vary for an exponent to mean something.
const varies = 1.5

// by chooses the figure that the costs of an experiment are fitted to.
func by(e *compare.Experiment) (string, []float64) {
	for _, c := range []struct {
		name string
		of   func(compare.Point) float64
	}{
		{"quads", func(p compare.Point) float64 { return float64(p.Figures.Quads) }},
		{"bytes", func(p compare.Point) float64 { return float64(p.Figures.Bytes) }},
		{"blank nodes", func(p compare.Point) float64 { return float64(p.Figures.Blank) }},
		{"scoped nodes", func(p compare.Point) float64 { return float64(p.Figures.Scoped) }},
		{"context bytes", func(p compare.Point) float64 {
			return float64(p.Figures.ContextBytes + p.Figures.InlineBytes)
		}},
	} {
		var x []float64
		for _, p := range e.Points {
			x = append(x, c.of(p))
		}
		if least := slices.Min(x); least > 0 && slices.Max(x) >= varies*least {
			return c.name, x
		}
	}
	return "", nil
}

// elements returns how many elements of a granularity each point presents; nil where one is unknown, or where
// they vary too little.
func elements(c *compare.Campaign, e *compare.Experiment, g compare.Granularity) []float64 {
	var x []float64
	for _, p := range e.Points {
		for _, d := range c.Disclosed {
			if d.Schema == p.Schema && d.Disclose == p.Disclose && d.Granularity == g {
				x = append(x, float64(d.Elements))
				break
			}
		}
	}
	if len(x) < len(e.Points) || slices.Max(x) < varies*slices.Min(x) {
		return nil
	}
	return x
}

// numeric reports whether the labels are numbers: only sizes have exponents.
func numeric(e *compare.Experiment) bool {
	return e.Base != "" && !slices.ContainsFunc(e.Points,
		func(p compare.Point) bool { _, err := strconv.ParseFloat(p.Label, 64); return err != nil })
}

// NewGrowth makes the curves of an experiment from the results of its schemas.
func NewGrowth(c *compare.Campaign, e compare.Experiment) Growth {
	g := Growth{Experiment: e}
	if c == nil {
		return g
	}

	var x []float64
	if e.Name != compare.DiscloseAxis && numeric(&e) {
		g.By, x = by(&e)
	}

	results := make(map[string]*compare.Result)
	var cells []compare.Cell
	for i := range c.Results {
		r := &c.Results[i]
		results[r.ID] = r
		cell := r.Cell.Exchange()
		first := e.Points[0]
		if first.Disclose != "" {
			if cell.Disclose != first.Disclose {
				continue
			}
			cell.Disclose = ""
		}
		if cell.Schema = ""; r.Cell.Schema == first.Schema && !slices.Contains(cells, cell) {
			cells = append(cells, cell)
		}
	}

	for _, cell := range cells {
		x := x
		if e.Name == compare.DiscloseAxis {
			if x = elements(c, &e, cell.Granularity); x != nil {
				g.By = "elements disclosed"
			}
		}
		g.Curves = append(g.Curves, newCurve(cell, e.Points, x, results))
	}

	return g
}

func newCurve(
	cell compare.Cell, points []compare.Point, x []float64, results map[string]*compare.Result,
) Curve {
	curve := Curve{Cell: cell, X: x}
	samples := make([]cellSamples, len(points))
	phases := make([]phaseCosts, len(points))
	for i, p := range points {
		samples[i] = make(cellSamples)
		cell.Schema = p.Schema
		if p.Disclose != "" {
			cell.Disclose = p.Disclose
		}
		for _, op := range compare.Operations {
			r := results[cell.With(op).ID()]
			if r == nil {
				continue
			}
			curve.Reissued = curve.Reissued || r.Work.Reissued
			if why := reason(r); why != "" && !slices.Contains(curve.Reasons, p.Label+": "+why) {
				curve.Reasons = append(curve.Reasons, p.Label+": "+why)
			}
			if r.State != compare.Measured || len(r.Runs) == 0 {
				continue
			}
			samples[i][op] = cpuOf(r)
			if op == compare.Canonize || slices.Contains(compare.Whole, op) {
				phases[i].add(r, stats.Mean(samples[i][op]).Center)
			}
		}
	}

	for _, q := range []struct {
		name string
		ops  []compare.Operation
	}{
		{string(compare.Canonize), []compare.Operation{compare.Canonize}},
		{string(compare.Issue), []compare.Operation{compare.Issue}},
		{string(compare.Verify), []compare.Operation{compare.Verify}}, {issueVerify, compare.Whole},
		{string(compare.Present), []compare.Operation{compare.Present}},
		{string(compare.VerifyPresented), []compare.Operation{compare.VerifyPresented}},
		{exchange, compare.Exchanged},
	} {
		if (q.ops[0] == compare.Canonize) != (cell.Format == compare.Document) {
			continue
		}
		quantity := Quantity{Name: q.name}
		var xs []float64
		var costs [][]stats.Sample
		for i := range points {
			s := samples[i].of(q.ops...)
			quantity.Cost = append(quantity.Cost, stats.Sum(s))
			if s == nil {
				continue
			}
			if costs = append(costs, s); x != nil {
				xs = append(xs, x[i])
			}
		}

		if x != nil {
			quantity.Exponent, quantity.Step = some(stats.Exponent(xs, costs)), some(stats.Step(xs, costs))
		} else {
			for i := range points[1:] {
				ratio := stats.Ratio(samples[i+1].of(q.ops...), samples[0].of(q.ops...))
				quantity.Ratios = append(quantity.Ratios, some(ratio))
			}
		}

		curve.Operations = append(curve.Operations, quantity)
	}

	curve.Phases = grownPhases(phases, x)
	return curve
}

// some is nil for an estimate of nothing.
func some(e stats.Estimate) *stats.Estimate {
	if e.N == 0 {
		return nil
	}
	return &e
}

// phaseCosts are the nanoseconds and profile samples of each phase in one exchange.
type phaseCosts struct {
	cost    [phase.Count]float64
	samples [phase.Count]int64
}

// add charges the cost of an operation to phases by the shares of its profile.
func (p *phaseCosts) add(r *compare.Result, cost float64) {
	if r.Profile == nil {
		return
	}
	a := &r.Profile.Attribution
	for i, share := range shares(a.Costs()) {
		p.cost[i] += cost * share
		p.samples[i] += a.Foreground[i].Samples
		if phase.Phase(i) != phase.Unattributed { // there it is the profiler itself
			p.samples[i] += a.Background[i].Samples
		}
	}
}

func grownPhases(points []phaseCosts, x []float64) []Quantity {
	type grown struct {
		Quantity
		most float64
	}

	var all []grown
	for ph := range phase.Count {
		q := Quantity{Name: phase.Phase(ph).String()}
		costs := make([]float64, len(points))
		samples := make([]int64, len(points))
		seen := int64(0)
		for i, p := range points {
			costs[i], samples[i] = p.cost[ph], p.samples[ph]
			seen += samples[i]
			q.Cost = append(q.Cost, stats.Counted(costs[i], samples[i]))
		}
		if seen == 0 {
			continue
		}
		if x != nil {
			n := len(x)
			q.Exponent = some(stats.CountedExponent(x, costs, samples))
			q.Step = some(stats.CountedExponent(x[n-2:], costs[n-2:], samples[n-2:]))
		} else {
			for i := range points[1:] {
				q.Ratios = append(q.Ratios,
					some(stats.CountedRatio(costs[i+1], costs[0], samples[i+1], samples[0])))
			}
		}

		all = append(all, grown{q, slices.Max(costs)})
	}

	slices.SortStableFunc(all, func(a, b grown) int { return -cmp.Compare(a.most, b.most) })
	var out []Quantity
	for _, g := range all {
		out = append(out, g.Quantity)
	}

	return out
}

// GrowthJSON writes the campaign with its table and the experiments.
func GrowthJSON(w io.Writer, c *compare.Campaign, t Table, growth []Growth) error {
	return printable.JSON(w, struct {
		*compare.Campaign
		Growth []Growth `json:"growth"`
		Table  Table    `json:"table"`
	}{c, growth, t})
}
