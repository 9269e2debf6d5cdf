package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/stats"
	"canonscope/vcdm/keys"
)

// Suites of which the answer speaks.
const (
	today     = "eddsa-rdfc-2022"
	selective = "ecdsa-sd-2023"
)

// Least difference that the answer speaks of: what runs of one cell on one machine may differ by.
const (
	leastSaid      = 0.10
	leastSaidStock = 0.15
)

// A share of a phase is said if it rests on so many samples.
const leastNamed = 400

// slideSchemas are those of the one number.
var slideSchemas = []string{"simple-20", "ob3", "clr-medium", "elm-medium"}

// answer derives sentences from verdicts: none where one is inconclusive, or where the machine was not fit
// for it. Of each schema it speaks of the rows of one policy, that of the first with a time.
type answer struct {
	table *Table
	rows  []*Row
	fit   compare.Fit
}

// answer fills Sentences and the number for a slide.
func (t *Table) answer(c *compare.Campaign, samples map[string]cellSamples) {
	if c.Fitness == nil || c.Fitness.State == compare.Unfit {
		return
	}
	a := &answer{table: t, fit: c.Fitness.State}
	policies := make(map[string]compare.Cell)
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.IssueVerify.N == 0 {
			continue
		}
		p := policyOf(r)
		if _, ok := policies[r.Cell.Schema]; !ok {
			policies[r.Cell.Schema] = p
		}
		if policies[r.Cell.Schema] == p {
			a.rows = append(a.rows, r)
		}
	}

	add := func(text string) {
		if text != "" {
			t.Sentences = append(t.Sentences, text)
		}
	}
	stock := a.of(today, canon.Stock, "")
	add(a.costs("With the libraries of today (stock), issue + verify by "+today+" costs", stock))
	add(a.goes(stock))
	add(a.libraries(stock))
	for _, state := range []compare.ContextState{compare.Embedded, compare.Warm} {
		lead := fmt.Sprintf("With native engines, contexts %s, bare signatures included, it costs", state)
		add(a.costs(lead, a.of(today, canon.Native, state)))
	}
	a.disclosure(add)
	if a.fit == compare.Quiet {
		t.Overhead = a.overhead(samples)
		add(a.slide())
	}
}

// policyOf is what the rows of a schema must share.
func policyOf(r *Row) compare.Cell {
	c := r.Cell
	return compare.Cell{GC: c.GC, Procs: c.Procs, LiveHeap: c.LiveHeap, Validator: c.Validator,
		Binding: c.Binding, Disclose: c.Disclose, Granularity: c.Granularity, Build: c.Build}
}

// of lists the rows of a suite and tier, with contexts in a state unless it is "".
func (a *answer) of(suite string, engine compare.Engine, state compare.ContextState) (out []*Row) {
	for _, r := range a.rows {
		if r.Cell.Suite == suite && r.Cell.Engine == engine && (state == "" || r.Cell.Contexts == state) {
			out = append(out, r)
		}
	}
	return out
}

// says reports whether the answer may speak of a verdict: there is one, and what differs does so by more than
// runs of one cell may.
func (a *answer) says(r *Row, c *stats.Comparison) bool {
	if c == nil {
		return false
	}
	least := leastSaid
	if r.Cell.Engine == canon.Stock {
		least = leastSaidStock
	}
	least = 1 + max(least, a.table.Band)
	switch c.Verdict {
	case stats.Slower:
		return c.Ratio.Low > least
	case stats.Faster:
		return c.Ratio.High < 1/least
	}
	return c.Verdict == stats.Equivalent
}

// costs compares rows with their bases, schema by schema.
func (a *answer) costs(lead string, rows []*Row) string {
	var parts []string
	for _, c := range a.table.columns() {
		for _, v := range []stats.Verdict{stats.Slower, stats.Equivalent, stats.Faster} {
			var schemas []string
			for _, r := range rows {
				if said := r.Verdicts[c.name]; a.says(r, said) && said.Verdict == v {
					text := a.schema(r) + " " + withInterval(said.Ratio)
					if other, ok := r.Crossed[c.name]; ok {
						text += fmt.Sprintf(" (%s to %s)", r.Cell.Algorithm, other)
					}
					schemas = append(schemas, text)
				}
			}
			if schemas != nil {
				parts = append(parts, a.words(v)+" "+c.title+": "+strings.Join(schemas, ", "))
			}
		}
	}
	if parts == nil {
		return ""
	}
	return lead + " " + strings.Join(parts, "; ") + "."
}

// words are those of a verdict.
func (a *answer) words(v stats.Verdict) string {
	switch v {
	case stats.Slower:
		return "more than"
	case stats.Faster:
		return "less than"
	}
	return "as much (within " + percentage(a.table.Band) + ") as"
}

// schema names that of a row.
func (a *answer) schema(r *Row) string { return schemaName(r.Cell.Schema) }

// slower reports whether the answer says that a row costs more than a base.
func (a *answer) slower(r *Row) bool {
	for _, v := range r.Verdicts {
		if v.Verdict == stats.Slower && a.says(r, v) {
			return true
		}
	}
	return false
}

// goes names the two dearest phases, and RDFC-1.0 proper, of rows that cost more than others.
func (a *answer) goes(rows []*Row) string {
	if a.fit != compare.Quiet {
		return ""
	}
	var parts []string
	for _, r := range rows {
		if r.Phases.samples() < leastNamed || !a.slower(r) {
			continue
		}
		text := a.schema(r) + ": "
		if two := dearestPhases(r.Phases); two != nil {
			text += fmt.Sprintf("%s %s and %s %s are the two dearest phases, ", two[0].phase,
				shareWithin(two[0].share), two[1].phase, shareWithin(two[1].share))
		}
		proper := together(r.Phases, phase.Label, phase.Serialize)
		parts = append(parts, text+"RDFC-1.0 proper (label + serialize) is "+shareWithin(proper))
	}
	if parts == nil {
		return ""
	}
	return "Where that goes, " + strings.Join(parts, "; ") + "."
}

// dearestPhases are the two phases that cost more than every other beyond doubt; nil if these are not known.
func dearestPhases(shares Shares) []part {
	parts := largest(shares, len(shares))
	slices.SortStableFunc(parts, func(a, b part) int { return -cmp.Compare(a.share.Center, b.share.Center) })
	if len(parts) < 2 {
		return nil
	}
	for _, other := range parts[2:] {
		if other.share.High >= min(parts[0].share.Low, parts[1].share.Low) {
			return nil
		}
	}
	return parts[:2]
}

// together is the share of several phases.
func together(shares Shares, phases ...phase.Phase) stats.Estimate {
	sum := 0.0
	for _, p := range phases {
		sum += shares.of(p.String()).Center
	}
	return stats.Share(sum, float64(shares.samples()))
}

// libraries compares rows with native engines that find contexts in the same state.
func (a *answer) libraries(rows []*Row) string {
	var parts []string
	for _, r := range rows {
		if v := r.NativeVerdict; a.says(r, v) && v.Verdict == stats.Slower {
			parts = append(parts, a.schema(r)+" "+withInterval(v.Ratio))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("Those libraries cost more than native engines that find contexts in the same state "+
		"(%s): %s.", rows[0].Cell.Contexts, strings.Join(parts, ", "))
}

// disclosure speaks of suites that derive what is presented by a signature for each statement.
func (a *answer) disclosure(add func(string)) {
	const lead = "Selective disclosure by " + selective + " makes issue + verify cost, %s,"
	stock, native := a.of(selective, canon.Stock, ""), a.of(selective, canon.Native, compare.Embedded)
	add(a.costs(fmt.Sprintf(lead, "stock"), stock))
	add(a.costs(fmt.Sprintf(lead, "native, contexts embedded"), native))

	var parts []string
	for _, r := range native {
		if !a.slower(r) {
			continue
		}
		part := fmt.Sprintf("%s has %d signatures to make and %d to check", a.schema(r),
			r.signatures[compare.Issue].Signatures, r.signatures[compare.Verify].Verifications)
		if e := r.Bare; e.Bounded() {
			part += ", which alone are "
			if e.Low > 0.5 {
				part += "most of that, "
			}
			part += shareWithin(e)
		} else if a.fit == compare.Quiet && r.Phases.samples() >= leastNamed {
			part += ", and the phases sign and check are " +
				shareWithin(together(r.Phases, phase.Sign, phase.Check))
		}
		parts = append(parts, part)
	}
	if parts != nil {
		add("Its signatures: " + strings.Join(parts, "; ") + ".")
	}
}

// overhead is the number for a slide: what VCDM costs above the bare signatures as a multiple of what mdoc
// does, over four schemas, with native engines and warm contexts; nothing unless all were measured.
func (a *answer) overhead(samples map[string]cellSamples) stats.Estimate {
	var inputs []stats.Net
	for _, name := range slideSchemas {
		vcdm, mdoc := a.slideRow(name, today), a.slideRow(name, "cose-sign1")
		bare := a.slideRow(name, compare.Primitives)
		if vcdm == nil || mdoc == nil || bare == nil {
			return stats.Estimate{}
		}
		floor := samples[bare.ID].of(compare.Whole...)
		inputs = append(inputs, stats.Net{Num: samples[vcdm.ID].of(compare.Whole...), NumLess: floor,
			Den: samples[mdoc.ID].of(compare.Whole...), DenLess: floor})
	}
	return stats.NetRatio(inputs)
}

// slideRow is the row of a suite for the number; nil if there is none.
func (a *answer) slideRow(schema, suite string) *Row {
	for _, r := range a.rows {
		c := r.Cell
		if c.Schema == schema && c.Suite == suite && c.Engine == canon.Native && c.Algorithm == keys.EdDSA &&
			c.Binding == compare.NoBinding && c.Validator == "" &&
			(c.Contexts == compare.Warm || c.Contexts == compare.NoContexts) {
			return r
		}
	}
	return nil
}

// slide says the number, with the granularity of each schema.
func (a *answer) slide() string {
	e := a.table.Overhead
	if !e.Bounded() {
		return ""
	}
	var of []string
	for _, name := range slideSchemas {
		of = append(of, fmt.Sprintf("%s (%s)", name, a.slideRow(name, today).Cell.Granularity))
	}
	return fmt.Sprintf("Net overhead of %s over mdoc: %s, issue + verify less the bare signatures, native "+
		"engines, EdDSA, contexts warm; the geometric mean over %s.", today, withInterval(e),
		strings.Join(of, ", "))
}

// withInterval is a ratio: 14.7× [14.2, 15.1], or 14.7× ±? of too few.
func withInterval(e stats.Estimate) string {
	if !e.Bounded() {
		return figure(e.Center) + "× " + noInterval
	}
	return fmt.Sprintf("%s× [%s, %s]", figure(e.Center), figure(e.Low), figure(e.High))
}

// shareWithin is a share: 37 % [32, 43].
func shareWithin(e stats.Estimate) string {
	bare := func(share float64) string { return strings.TrimSuffix(percent(share), " %") }
	return fmt.Sprintf("%s [%s, %s]", percent(e.Center), bare(e.Low), bare(e.High))
}

// answers prints the answer above the table.
func (p *printer) answers(t Table) {
	for _, text := range t.Sentences {
		p.wrapped(0, "", text)
	}
	if len(t.Sentences) > 0 {
		p.line("")
	}
}
