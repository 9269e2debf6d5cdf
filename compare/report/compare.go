package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"canonscope/canon/phase"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
)

// Comparison is what a source costs against another one, the baseline.
type Comparison struct {
	Baseline string       `json:"baseline"`
	Name     string       `json:"name"`
	Band     float64      `json:"band"`
	Figure   string       `json:"figure"`
	Differs  []Difference `json:"differs_in"`
	Notes    []string     `json:"notes,omitempty"`
	Paired   bool         `json:"paired,omitempty"`  // by block: both are builds of one campaign
	Withheld bool         `json:"withheld,omitzero"` // all verdicts: a machine was noisy or unfit
	Control  *Control     `json:"control,omitempty"` // that ratios are divided by
	Cells    []Change     `json:"cells"`             // the dearest changes first
	Phases   []Change     `json:"phases,omitempty"`  // over all cells of a tier
	Unpaired []Lacking    `json:"in_one_only,omitempty"`
}

// Difference is a fact in which two sources differ; "" where one does not have it.
type Difference struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Control is the same work in both sources. What made one of them slower as a whole is in its ratio.
type Control struct {
	Operations int            `json:"operations"`
	Ratio      stats.Estimate `json:"ratio"`
}

// Lacking is a cell with a cost in one source alone.
type Lacking struct {
	ID     string `json:"id"`
	In     string `json:"in"` // the source that has it
	Reason string `json:"reason"`
}

// Change is how the cost of an operation or of a phase changed. Before and After are nanoseconds as measured,
// the ratio is that of their controlled costs.
type Change struct {
	ID         string           `json:"id,omitempty"`
	Tier       compare.Engine   `json:"tier,omitempty"`       // of phases over all its cells
	Operations int              `json:"operations,omitempty"` // that the phase is summed over
	Phase      string           `json:"phase,omitempty"`
	Before     stats.Estimate   `json:"before_ns"`
	After      stats.Estimate   `json:"after_ns"`
	Comparison stats.Comparison `json:"comparison"`
	Phases     []Change         `json:"phases,omitempty"` // that changed, in a cell that did

	label string // in text
}

// MachinesError reports that sources are of different machines.
type MachinesError struct {
	Baseline, Name string
	Differs        []Difference
}

func (e *MachinesError) Error() string {
	var facts []string
	for _, d := range e.Differs {
		facts = append(facts, fmt.Sprintf("%s is %s and %s", d.Name, d.Before, d.After))
	}
	return fmt.Sprintf("%s and %s are of different machines: %s", e.Baseline, e.Name,
		strings.Join(facts, "; "))
}

// A phase is compared if it has this share of the cost on either side, and as many samples on both.
const (
	leastShare   = 0.02
	leastSamples = 10
)

// Compare compares a source with a baseline. Verdicts allow for the number of comparisons (Holm): the cells
// and the phases of the tiers are one table, the phases of the cells that changed another, so that a table
// without a change names none. If the machine of a source was noisy or unfit, they are withheld: the control
// cancels what made all work slower alike, not what made some work slower than other. Sources of different
// machines are a *MachinesError unless anyMachine.
func Compare(baseline, s *Source, band float64, anyMachine bool) (*Comparison, error) {
	out := &Comparison{Baseline: baseline.Name, Name: s.Name, Band: band, Figure: s.Figure,
		Differs: differences(baseline, s), Withheld: baseline.Disturbed || s.Disturbed}
	if baseline.Figure != s.Figure {
		return nil, fmt.Errorf("%s and %s do not have the same figure: %s, and %s", baseline.Name, s.Name,
			baseline.Figure, s.Figure)
	}
	machine := slices.DeleteFunc(slices.Clone(out.Differs), func(d Difference) bool {
		return d.Group != machineFacts || d.Before == "" || d.After == ""
	})
	if len(machine) > 0 && !anyMachine {
		return nil, &MachinesError{baseline.Name, s.Name, machine}
	}
	for _, side := range []*Source{baseline, s} {
		for _, text := range side.Notes {
			out.Notes = append(out.Notes, side.Name+": "+text)
		}
	}

	pairs := out.match(baseline, s)
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s and %s have no measured cell in common", baseline.Name, s.Name)
	}
	out.fill(out.control(pairs), stats.Unpaired)
	return out, nil
}

// fill compares the cells by a test, and their phases.
func (c *Comparison) fill(
	pairs []matched, test func(num, den []stats.Sample, band float64) stats.Comparison,
) {
	labels := labelsOf(pairs)
	var table []*stats.Comparison
	for i := range pairs {
		p := &pairs[i]
		p.change = &Change{ID: p.before.ID, label: labels[i], Before: stats.Mean(p.before.Cost),
			After:      stats.Mean(p.after.Cost),
			Comparison: test([]stats.Sample{p.is}, []stats.Sample{p.was}, c.Band)}
		table = append(table, &p.change.Comparison)
	}
	c.Phases = tiers(pairs, c.Band)
	for i := range c.Phases {
		table = append(table, &c.Phases[i].Comparison)
	}
	c.judge(table)

	table = nil
	for i := range pairs {
		x := pairs[i].change
		if !changed(x) {
			continue
		}
		x.Phases = pairs[i].phases(c.Band)
		for k := range x.Phases {
			table = append(table, &x.Phases[k].Comparison)
		}
	}
	c.judge(table)

	for i := range pairs {
		x := pairs[i].change
		x.Phases = slices.DeleteFunc(x.Phases, func(p Change) bool { return !changed(&p) })
		slices.SortStableFunc(x.Phases, dearest)
		c.Cells = append(c.Cells, *x)
	}
	slices.SortStableFunc(c.Cells, dearest)
	slices.SortStableFunc(c.Phases, dearest)
}

// judge makes the verdicts of a table.
func (c *Comparison) judge(table []*stats.Comparison) {
	stats.Correct(table)
	if c.Withheld {
		for _, x := range table {
			x.Withhold()
		}
	}
}

func changed(c *Change) bool {
	return c.Comparison.Verdict == stats.Faster || c.Comparison.Verdict == stats.Slower
}

// dearest orders what changed before what may have and what did not, and each by its difference.
func dearest(a, b Change) int {
	rank := func(c *Change) int {
		switch c.Comparison.Verdict {
		case stats.Inconclusive:
			return 1
		case stats.Equivalent:
			return 2
		}
		return 0
	}
	size := func(c *Change) float64 { return math.Abs(c.Before.Center * (c.Comparison.Ratio.Center - 1)) }
	return cmp.Or(rank(&a)-rank(&b), -cmp.Compare(size(&a), size(&b)), cmp.Compare(a.ID, b.ID))
}

// differences lists the facts in which sources differ, in the order of the groups.
func differences(baseline, s *Source) []Difference {
	type key struct{ group, name string }
	before, after := make(map[key]string), make(map[key]string)
	var keys []key
	for _, f := range slices.Concat(baseline.Facts, s.Facts) {
		if k := (key{f.Group, f.Name}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, f := range baseline.Facts {
		before[key{f.Group, f.Name}] = f.Value
	}
	for _, f := range s.Facts {
		after[key{f.Group, f.Name}] = f.Value
	}

	ids := func(s *Source) map[string]bool {
		all := make(map[string]bool)
		for _, c := range s.Cells {
			all[c.ID] = len(c.Cost) > 0
		}
		return all
	}
	inBaseline, inSource := ids(baseline), ids(s)
	out := []Difference{}
	for _, group := range []string{machineFacts, environmentFacts, binaryFacts, rulesFacts, inputsFacts} {
		for _, k := range keys {
			was, is := before[k], after[k]
			id, ofCell := strings.CutPrefix(k.name, workOf)
			if k.group != group || was == is || ofCell && !(inBaseline[id] && inSource[id]) {
				continue
			}
			if group == rulesFacts && (was == "" || is == "") { // one has no profile
				continue
			}
			out = append(out, Difference{group, k.name, was, is})
		}
	}
	return out
}

// matched is a cell of both sources.
type matched struct {
	before, after SourceCell
	was, is       stats.Sample // controlled costs
	change        *Change
}

// match finds the cells that have a cost in both sources, and notes the others.
func (c *Comparison) match(baseline, s *Source) []matched {
	after := make(map[string]SourceCell)
	for _, cell := range s.Cells {
		after[cell.ID] = cell
	}

	var out []matched
	for _, b := range baseline.Cells {
		a, ok := after[b.ID]
		delete(after, b.ID)
		switch {
		case len(b.Cost) > 0 && len(a.Cost) > 0:
			out = append(out, matched{before: b, after: a, was: b.Cost, is: a.Cost})
		case len(b.Cost) > 0:
			c.Unpaired = append(c.Unpaired, Lacking{b.ID, baseline.Name, missing(a, ok)})
		case len(a.Cost) > 0:
			c.Unpaired = append(c.Unpaired, Lacking{a.ID, s.Name, missing(b, true)})
		}
	}
	for _, a := range s.Cells {
		if _, left := after[a.ID]; left && len(a.Cost) > 0 {
			c.Unpaired = append(c.Unpaired, Lacking{a.ID, s.Name, missing(SourceCell{}, false)})
		}
	}
	return out
}

func missing(c SourceCell, there bool) string {
	if !there {
		return "not part of the other"
	}
	return cmp.Or(c.Missing, "not measured")
}

// control divides the costs of cells by those of the controls, if both sources have the same ones in enough
// blocks, and returns the pairs that are left to compare.
func (c *Comparison) control(pairs []matched) []matched {
	var before, after []stats.Sample
	for _, p := range pairs {
		if p.before.Control {
			before, after = append(before, p.before.Cost), append(after, p.after.Cost)
		}
	}
	was, is := stats.Index(before), stats.Index(after)
	if len(before) == len(pairs) || len(was) < stats.Fewest || len(is) < stats.Fewest {
		return pairs
	}

	ratio := stats.Unpaired([]stats.Sample{is}, []stats.Sample{was}, c.Band).Ratio
	c.Control = &Control{len(before), ratio}
	pairs = slices.DeleteFunc(pairs, func(p matched) bool { return p.before.Control })
	for i := range pairs {
		p := &pairs[i]
		p.was, p.is = stats.Over(p.before.Cost, was), stats.Over(p.after.Cost, is)
	}
	return pairs
}

// phases compares the phases of a cell.
func (p *matched) phases(band float64) []Change {
	if p.before.Samples == 0 || p.after.Samples == 0 {
		return nil
	}
	of := func(cell *SourceCell, controlled stats.Sample) side {
		return side{[]stats.Sample{cell.Cost}, []stats.Sample{controlled}, cell.Shares, float64(cell.Samples)}
	}
	sides := [2]side{of(&p.before, p.was), of(&p.after, p.is)}
	return phasesOf(sides, band, Change{ID: p.before.ID})
}

// side is one side of a comparison of phases.
type side struct {
	cost, controlled []stats.Sample
	shares           [phase.Count]float64
	samples          float64
}

func (s *side) part(i int, cost []stats.Sample) stats.Part {
	return stats.Part{Cost: cost, Share: s.shares[i], Samples: s.samples}
}

// phasesOf compares the phases that have a noticeable share; each is like a Change.
func phasesOf(sides [2]side, band float64, like Change) []Change {
	before, after := &sides[0], &sides[1]
	var out []Change
	for i := range phase.Count {
		if max(before.shares[i], after.shares[i]) < leastShare ||
			min(before.shares[i]*before.samples, after.shares[i]*after.samples) < leastSamples {
			continue
		}
		c := like
		c.Phase = phase.Phase(i).String()
		c.Before = before.part(i, before.cost).Estimate()
		c.After = after.part(i, after.cost).Estimate()
		c.Comparison = stats.Parts(after.part(i, after.controlled), before.part(i, before.controlled), band)
		out = append(out, c)
	}
	return out
}

// tiers compares the phases of each tier over all cells that both sources have profiled: what is too small to
// be seen in a cell may be seen in all of them.
func tiers(pairs []matched, band float64) []Change {
	var engines []compare.Engine
	for _, p := range pairs {
		if e := p.before.Cell.Engine; e != "" && !p.before.Control && !slices.Contains(engines, e) {
			engines = append(engines, e)
		}
	}

	var out []Change
	for _, engine := range engines {
		var raw, controlled [2][]stats.Sample
		var mixes [2]mix

		for _, p := range pairs {
			if p.before.Cell.Engine != engine || p.before.Control ||
				min(p.before.Samples, p.after.Samples) == 0 {
				continue
			}
			costs := [2]stats.Sample{p.was, p.is}
			for i, cell := range []SourceCell{p.before, p.after} {
				raw[i], controlled[i] = append(raw[i], cell.Cost), append(controlled[i], costs[i])
				mixes[i].add(stats.Mean(cell.Cost).Center, cell.Shares, cell.Samples)
			}
		}
		var sides [2]side
		for i, m := range mixes {
			sides[i] = side{raw[i], controlled[i], shares(m.costs),
				stats.Effective(m.weights, m.samples)}
		}
		out = append(out, phasesOf(sides, band, Change{Tier: engine, Operations: len(raw[0])})...)
	}
	return out
}

// labelsOf names the cells in short, with those parts of the policy in which they differ.
func labelsOf(pairs []matched) []string {
	values := make(map[string][]string)
	each := func(p matched, visit func(key, value string)) {
		for part := range strings.SplitSeq(p.before.ID, "/") {
			if key, value, _ := strings.Cut(part, "="); slices.Contains(policies, key) {
				visit(key, value)
			}
		}
	}
	for _, p := range pairs {
		each(p, func(key, value string) {
			if !slices.Contains(values[key], value) {
				values[key] = append(values[key], value)
			}
		})
	}

	same := make(map[string]int)
	for _, p := range pairs {
		same[Short(p.before.ID)]++
	}
	labels := make([]string, len(pairs))
	for i, p := range pairs {
		labels[i] = printable.Line(Short(p.before.ID))
		if same[Short(p.before.ID)] == 1 {
			continue
		}
		each(p, func(key, value string) {
			if len(values[key]) > 1 || p.before.Cell.Granularity != compare.Leaf && key == "granularity" {
				labels[i] += " " + key + "=" + printable.Line(value)
			}
		})
	}
	return labels
}

// gate returns the cells that got slower, those that may have, and those of the baseline that have no cost.
func (c *Comparison) gate() (slower, undecided []Change, lost []Lacking) {
	for _, x := range c.Cells {
		switch x.Comparison.Verdict {
		case stats.Slower:
			slower = append(slower, x)
		case stats.Inconclusive:
			undecided = append(undecided, x)
		}
	}
	for _, l := range c.Unpaired {
		if l.In == c.Baseline {
			lost = append(lost, l)
		}
	}
	return slower, undecided, lost
}

// Answer of a gate.
type Answer string

const (
	Passed       Answer = "passed"
	Failed       Answer = "failed"       // a cell got slower
	Inconclusive Answer = "inconclusive" // none did, but of some that is not known
)

// Gate is the answer whether nothing got slower.
func (c *Comparison) Gate() Answer {
	slower, undecided, lost := c.gate()
	switch {
	case len(slower) > 0:
		return Failed
	case len(undecided)+len(lost) > 0:
		return Inconclusive
	}
	return Passed
}

// ComparisonsJSON writes comparisons, with the version of their form.
func ComparisonsJSON(w io.Writer, all []*Comparison) error {
	return printable.JSON(w, map[string]any{"version": 1, "comparisons": all})
}
