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
	By        string     `json:"by,omitempty"` // figure that laws are of; "" if none will do, for ratios
	Curves    []Curve    `json:"curves"`
	Crossings []Crossing `json:"crossings,omitempty"`
}

// Curve is one exchange along an experiment.
type Curve struct {
	Cell       compare.Cell `json:"cell"` // without schema and operation
	Reissued   bool         `json:"reissued"`
	X          []float64    `json:"x,omitempty"` // the figure at each point
	Operations []Quantity   `json:"operations"`  // each, then sums
	Phases     []Quantity   `json:"phases"`      // of issue + verify, or of canonize; largest first
	Fastest    string       `json:"fastest,omitempty"`
	Allocated  []Allocation `json:"allocated,omitempty"` // as Phases, where allocations were recorded
	Reasons    []string     `json:"reasons,omitempty"`
}

// Allocation is what a phase allocates in one operation or exchange, in bytes at each point. Bytes vary much
// less than times do, so that they show a law that times do not show yet.
type Allocation struct {
	Name  string      `json:"name"`
	Bytes []float64   `json:"bytes"`
	Laws  []stats.Law `json:"laws,omitempty"` // as those of a Quantity
}

// Quantity is a cost at each point: process CPU nanoseconds of one operation or exchange.
type Quantity struct {
	Name   string            `json:"name"`
	Cost   []stats.Estimate  `json:"cpu_ns"`           // N of 0 where it was not measured
	Laws   []stats.Law       `json:"laws,omitempty"`   // the first is the simplest that fits as well as any
	Ratios []*stats.Estimate `json:"ratios,omitempty"` // of each further point to the first

	// Further is what one more costs at the largest point, and Takeover where the last term of the law
	// becomes more than the rest.
	Further  *stats.Estimate `json:"further_ns,omitempty"`
	Takeover *stats.Estimate `json:"takeover,omitempty"`
}

// Crossing compares two curves of one tier by their laws of issue + verify, or of canonize.
type Crossing struct {
	Curves [2]int           `json:"curves"`       // the first costs less at the first point
	At     *stats.Estimate  `json:"at,omitempty"` // from where on it costs more; nil is nowhere
	Ratios []stats.Estimate `json:"ratios"`       // of the first to the second, at the first and last point
}

// Names of the sums among the operations of a curve.
const (
	issueVerify = "issue+verify"
	exchange    = "exchange"
)

// varies is how much a figure must vary for a law to mean something.
const varies = 1.5

// by chooses the figure that the costs of an experiment are fitted to: that which the experiment names, the
// axis, or the first that varies.
func by(c *compare.Campaign, e *compare.Experiment) (string, func(compare.Granularity) []float64) {
	all := func(x []float64) func(compare.Granularity) []float64 {
		return func(compare.Granularity) []float64 { return x }
	}
	disclosures := func(g compare.Granularity) []float64 { return disclosures(c, e, g) }
	switch {
	case e.By == compare.ByDisclosures:
		return e.By, disclosures
	case e.By != "" && e.By != e.Name:
		return e.By, all(figureOf(e, e.By))
	case e.Name == compare.DiscloseAxis:
		return compare.ByDisclosures, disclosures
	case !numeric(e):
		return "", all(nil)
	}

	var x []float64
	for _, p := range e.Points {
		v, _ := strconv.ParseFloat(p.Label, 64) // it is numeric
		x = append(x, v)
	}
	if usable(x) {
		return e.Name, all(x)
	}
	for _, name := range compare.Figures {
		if x := figureOf(e, name); usable(x) {
			return name, all(x)
		}
	}
	return "", all(nil)
}

// figureOf is a figure of the documents.
func figureOf(e *compare.Experiment, name string) (x []float64) {
	for i := range e.Points {
		x = append(x, float64(e.Points[i].Figure(name)))
	}
	return x
}

// usable reports whether laws can be fitted over x.
func usable(x []float64) bool {
	return stats.Varied(x) && slices.Max(x) >= varies*slices.Min(x)
}

// disclosures returns how many elements of a granularity each point has or, on the axis of what is presented,
// presents; nil where one is unknown.
func disclosures(c *compare.Campaign, e *compare.Experiment, g compare.Granularity) []float64 {
	var x []float64
	for _, p := range e.Points {
		for _, d := range c.Disclosed {
			if d.Schema == p.Schema && d.Granularity == g &&
				(e.Name != compare.DiscloseAxis || d.Disclose == p.Disclose) {
				n := d.Of
				if e.Name == compare.DiscloseAxis {
					n = d.Elements
				}
				x = append(x, float64(n))
				break
			}
		}
	}
	if len(x) < len(e.Points) {
		return nil
	}
	return x
}

// numeric reports whether the labels are numbers.
func numeric(e *compare.Experiment) bool {
	return e.Base != "" && !slices.ContainsFunc(e.Points,
		func(p compare.Point) bool { _, err := strconv.ParseFloat(p.Label, 64); return err != nil })
}

// NewGrowth makes the curves of an experiment from the results of its schemas. They cross those of the suites
// and formats of against, or without any each other.
func NewGrowth(c *compare.Campaign, e compare.Experiment, against ...string) Growth {
	g := Growth{Experiment: e}
	if c == nil {
		return g
	}

	name, x := by(c, &e)

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
		x := x(cell.Granularity)
		if usable(x) {
			g.By = name
		} else {
			x = nil
		}
		g.Curves = append(g.Curves, newCurve(cell, e.Points, x, results))
	}

	g.cross(against)
	return g
}

// cross compares the curves of each tier that differ in format or suite.
func (g *Growth) cross(against []string) {
	of := func(cell compare.Cell) compare.Cell {
		return compare.Cell{Engine: cell.Engine, Binding: cell.Binding, Granularity: cell.Granularity}
	}
	named := func(c *Curve) bool {
		return len(against) == 0 || slices.Contains(against, c.Cell.Suite) ||
			slices.Contains(against, string(c.Cell.Format))
	}
	for i := range g.Curves {
		for j := range i {
			a, b := &g.Curves[j], &g.Curves[i]
			one, two := a.headline(), b.headline()
			same := a.Cell.Format == b.Cell.Format && a.Cell.Suite == b.Cell.Suite
			if same || of(a.Cell) != of(b.Cell) || !named(a) && !named(b) || one == nil || two == nil ||
				len(one.Laws) == 0 || len(two.Laws) == 0 {
				continue
			}

			from, to := slices.Min(a.X), slices.Max(a.X)
			x := Crossing{Curves: [2]int{j, i}}
			p, q := &one.Laws[0], &two.Laws[0]
			if p.At(from) > q.At(from) {
				p, q, x.Curves = q, p, [2]int{i, j}
			}
			x.At = some(stats.Crossover(p, q, from, to))
			x.Ratios = []stats.Estimate{stats.Against(p, q, from), stats.Against(p, q, to)}
			g.Crossings = append(g.Crossings, x)
		}
	}
}

// headline is issue + verify, or canonize; nil if it was not measured.
func (c *Curve) headline() *Quantity {
	for i := range c.Operations {
		q := &c.Operations[i]
		if (q.Name == issueVerify || q.Name == string(compare.Canonize)) && q.measured() {
			return q
		}
	}
	return nil
}

// measured reports whether a quantity has a cost.
func (q *Quantity) measured() bool {
	return slices.ContainsFunc(q.Cost, func(e stats.Estimate) bool { return e.N > 0 })
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
				phases[i].add(r, samples[i][op])
				phases[i].allocated(r)
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
			quantity.grow(xs, stats.Laws(xs, costs))
		} else {
			for i := range points[1:] {
				ratio := stats.Ratio(samples[i+1].of(q.ops...), samples[0].of(q.ops...))
				quantity.Ratios = append(quantity.Ratios, some(ratio))
			}
		}

		curve.Operations = append(curve.Operations, quantity)
	}

	curve.Phases = grownPhases(phases, x)
	if x != nil {
		curve.Allocated = grownAllocations(phases, x)
	}
	curve.Fastest = curve.fastest()
	return curve
}

// grow gives a quantity its laws, the first of which is that of the cost.
func (q *Quantity) grow(x []float64, laws []stats.Law) {
	if len(laws) == 0 {
		return
	}
	l := &laws[0]
	q.Laws = laws
	q.Further, q.Takeover = some(l.Further(slices.Max(x))), some(l.Takeover(slices.Min(x), slices.Max(x)))
}

// notable is the part of the cost of the largest point that a phase must be.
const notable = 0.05

// fastest names the phase whose law has the largest power of x at the largest point, of those that are
// notable there; "" without a law.
func (c *Curve) fastest() string {
	name, most, whole := "", 0.0, c.headline()
	for i := range c.Phases {
		q := &c.Phases[i]
		last := len(q.Cost) - 1
		if whole == nil || len(q.Laws) == 0 || q.Cost[last].Center < notable*whole.Cost[last].Center {
			continue
		}
		if k := q.Laws[0].Exponent(slices.Max(c.X)); k > most {
			name, most = q.Name, k
		}
	}
	return name
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
	varies  float64 // relative standard deviation of one process
	bytes   [phase.Count]float64
	objects [phase.Count]int64 // samples of bytes
}

// add charges the cost of an operation to phases by the shares of its profile.
func (p *phaseCosts) add(r *compare.Result, sample stats.Sample) {
	if r.Profile == nil {
		return
	}
	cost := stats.Mean(sample).Center
	p.varies = max(p.varies, stats.Varies(sample))
	a := &r.Profile.Attribution
	for i, share := range shares(a.Costs()) {
		p.cost[i] += cost * share
		p.samples[i] += a.Foreground[i].Samples
		if phase.Phase(i) != phase.Unattributed { // there it is the profiler itself
			p.samples[i] += a.Background[i].Samples
		}
	}
}

// allocated adds what an operation allocates.
func (p *phaseCosts) allocated(r *compare.Result) {
	if r.Allocs == nil || r.Allocs.Ops == 0 {
		return
	}
	a := &r.Allocs.Attribution
	for i, share := range shares(a.Costs()) {
		p.bytes[i] += float64(r.Allocs.Bytes) / float64(r.Allocs.Ops) * share
		p.objects[i] += a.Foreground[i].Samples
	}
}

// grownAllocations are the laws of allocated bytes, of the phases that allocate at every point.
func grownAllocations(points []phaseCosts, x []float64) []Allocation {
	var out []Allocation
	for ph := range phase.Count {
		a := Allocation{Name: phase.Phase(ph).String()}
		var counted []stats.CountedCost
		for _, p := range points {
			a.Bytes = append(a.Bytes, p.bytes[ph])
			counted = append(counted, stats.CountedCost{Cost: p.bytes[ph], Samples: p.objects[ph]})
		}
		if slices.Min(a.Bytes) > 0 {
			a.Laws = stats.CountedLaws(x, counted)
			out = append(out, a)
		}
	}

	slices.SortStableFunc(out, func(a, b Allocation) int {
		return -cmp.Compare(slices.Max(a.Bytes), slices.Max(b.Bytes))
	})
	return out
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
			counted := make([]stats.CountedCost, len(points))
			for i, p := range points {
				counted[i] = stats.CountedCost{Cost: costs[i], Samples: samples[i], Varies: p.varies}
			}
			q.grow(x, stats.CountedLaws(x, counted))
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
