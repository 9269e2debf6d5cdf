package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon/choice"
	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/report"
	"canonscope/compare/stats"
)

// evidence is what the scenarios found.
type evidence struct {
	full      bool
	campaigns map[string]*compare.Campaign
	tables    map[string]*report.Table
	checks    []Check
	loaders   []Loaded
	limits    []Limited
	lineages  map[string]string // of engines, by their names
}

// answer is what a judge says.
type answer struct {
	verdict       Verdict
	measured, why string
}

// judge judges a claim by the evidence.
type judge func(e *evidence) answer

func notRun(scenario string) answer {
	return answer{Open, "", "the scenario " + scenario + " has no result"}
}

// timed is a judge of times, which decide nothing if the machine was not fit while the scenario was run.
func timed(scenario string, j judge) judge {
	return func(e *evidence) answer {
		a := j(e)
		c := e.campaigns[scenario]
		if a.verdict != Open && c != nil && c.Fitness != nil && c.Fitness.State == compare.Unfit {
			a.verdict, a.why = Open, "the machine was not fit for it: end other work and measure again"
		}
		return a
	}
}

// pick selects cells of a scenario; an empty member selects all.
type pick struct {
	scenario, suite, engine, algorithm, schema string
	contexts                                   compare.ContextState
	disclose                                   compare.Disclosure
}

func (p pick) matches(c compare.Cell) bool {
	has := func(want, got string) bool { return want == "" || want == got }
	return has(p.suite, c.Suite) && has(p.engine, string(c.Engine)) &&
		has(p.algorithm, string(c.Algorithm)) && has(p.schema, c.Schema) &&
		has(string(p.contexts), string(c.Contexts)) && has(string(p.disclose), string(c.Disclose))
}

// in returns the pick with another engine.
func (p pick) in(engine string) pick {
	p.engine = engine
	return p
}

// at returns the pick with another schema.
func (p pick) at(schema string) pick {
	p.schema = schema
	return p
}

// results lists those that a pick selects, of some operations or of all. What was interrupted has none.
func (e *evidence) results(p pick, ops ...compare.Operation) (out []*compare.Result) {
	c := e.campaigns[p.scenario]
	if c == nil {
		return nil
	}
	for i := range c.Results {
		r := &c.Results[i]
		if r.State != compare.Interrupted && p.matches(r.Cell) &&
			(len(ops) == 0 || slices.Contains(ops, r.Cell.Operation)) {

			out = append(out, r)
		}
	}
	return out
}

// measured lists the results that have figures.
func (e *evidence) measured(p pick, ops ...compare.Operation) []*compare.Result {
	return slices.DeleteFunc(e.results(p, ops...),
		func(r *compare.Result) bool { return r.State != compare.Measured })
}

// of is the sample of a quantity of each of some operations of the one exchange that a pick selects; nil if
// one was not measured.
func (e *evidence) of(p pick, quantity func(compare.Run) float64, ops ...compare.Operation) []stats.Sample {
	var out []stats.Sample
	for _, op := range ops {
		found := e.results(p, op)
		if len(found) != 1 || found[0].State != compare.Measured || len(found[0].Runs) == 0 {
			return nil
		}
		s := make(stats.Sample)
		for _, run := range found[0].Runs {
			s[run.Block] = quantity(run)
		}
		out = append(out, s)
	}
	return out
}

// others lists the engines of other processes that have a time in the scenario canonize.
func (e *evidence) others() (names []string) {
	for _, r := range e.results(forms) {
		name := string(r.Cell.Engine)
		if compare.Foreign(r.Cell.Engine) && r.State == compare.Measured && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func cpu(r compare.Run) float64  { return r.CPU }
func wall(r compare.Run) float64 { return r.Wall }

// compared compares the cost of two picks.
func (e *evidence) compared(num, den pick, band float64, ops ...compare.Operation) stats.Comparison {
	return stats.Paired(e.of(num, cpu, ops...), e.of(den, cpu, ops...), band)
}

// ratio is that of the costs of two picks.
func (e *evidence) ratio(num, den pick, ops ...compare.Operation) stats.Estimate {
	return stats.Ratio(e.of(num, cpu, ops...), e.of(den, cpu, ops...))
}

// tiers is a text for each of the two engines.
func tiers(of func(engine string) string) string {
	return "stock " + of("stock") + ", native " + of("native")
}

// shown closes an open answer where one side is shown.
func (a answer) shown(agrees bool, why string, differs bool, whyNot string) answer {
	switch {
	case agrees:
		a.verdict, a.why = Agrees, why
	case differs:
		a.verdict, a.why = Differs, whyNot
	}
	return a
}

// micros is a time with its interval, in µs.
func micros(s []stats.Sample) string {
	m := stats.Sum(s)
	if m.N == 0 {
		return "no figure"
	}
	text := digits(m.Center/1000) + " µs"
	if m.Bounded() {
		text += fmt.Sprintf(" [%s, %s]", digits(m.Low/1000), digits(m.High/1000))
	}
	return text
}

// times is a ratio with its interval.
func times(r stats.Estimate) string {
	if r.N == 0 {
		return "no figure"
	}
	if !r.Bounded() {
		return digits(r.Center) + "×"
	}
	return fmt.Sprintf("%s× [%s, %s]", digits(r.Center), digits(r.Low), digits(r.High))
}

// digits writes a figure with three digits.
func digits(v float64) string {
	if v >= 100 || v == 0 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	places := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', min(places, 4), 64)
}

// within judges a ratio against the published range, widened by the band of equivalence: it agrees if its
// whole interval is inside, and differs if the whole interval is outside.
func within(r stats.Estimate, low, high float64) (Verdict, string) {
	low, high = low/(1+stats.Band), high*(1+stats.Band)
	switch {
	case r.N == 0:
		return Open, "there is no figure"
	case !r.Bounded():
		return Open, "too few processes for an interval"
	case r.Low >= low && r.High <= high:
		return Agrees, "the whole interval is inside of the published range and 10 %"
	case r.High < low || r.Low > high:
		return Differs, "the whole interval is outside of the published range and 10 %"
	}
	return Open, "the interval reaches over an end of the published range; more processes decide"
}

// ratio judges the ratio of two costs with stock engines against a published range, and shows that of native
// engines beside it.
func ratio(num, den pick, low, high float64, ops ...compare.Operation) judge {
	return timed(num.scenario, func(e *evidence) answer {
		of := func(engine string) stats.Estimate { return e.ratio(num.in(engine), den.in(engine), ops...) }
		if of("stock").N == 0 {
			return notRun(num.scenario)
		}
		verdict, why := within(of("stock"), low, high)
		return answer{verdict, tiers(func(engine string) string { return times(of(engine)) }), why}
	})
}

// dearer judges whether one pick costs more than each of others, with stock engines.
func dearer(num pick, bases []pick, ops ...compare.Operation) judge {
	return against(num, bases, stats.Slower, "shown to cost more than each, with the libraries of today",
		"with the libraries of today it does not cost more than %s", ops...)
}

// against judges by paired tests whether one pick is slower, or faster, than each of others, with stock
// engines. The texts say that it is so, and than which of them it is not.
func against(num pick, bases []pick, want stats.Verdict, why, whyNot string, ops ...compare.Operation) judge {
	return timed(num.scenario, func(e *evidence) answer {
		var parts []string
		a := answer{verdict: Agrees, why: why}
		for _, base := range bases {
			c := e.compared(num.in("stock"), base.in("stock"), stats.Band, ops...)
			n := e.compared(num.in("native"), base.in("native"), stats.Band, ops...)
			if c.Ratio.N == 0 {
				return notRun(num.scenario)
			}
			parts = append(parts, fmt.Sprintf("to %s stock %s, native %s (%s)", base.suite, times(c.Ratio),
				times(n.Ratio), n.Verdict))
			switch {
			case c.Verdict == stats.Inconclusive && a.verdict == Agrees:
				a.verdict, a.why = Open, "a test is inconclusive"
			case c.Verdict != stats.Inconclusive && c.Verdict != want:
				a.verdict, a.why = Differs, fmt.Sprintf(whyNot, base.suite)
			}
		}
		a.measured = strings.Join(parts, "; ")
		return a
	})
}

// absolute shows a time beside one of another machine and language, which cannot agree or differ.
func absolute(p pick, ops ...compare.Operation) judge {
	return func(e *evidence) answer {
		if e.of(p.in("stock"), wall, ops...) == nil {
			return notRun(p.scenario)
		}
		return answer{Open, "elapsed: " + tiers(func(engine string) string {
			return micros(e.of(p.in(engine), wall, ops...))
		}), "a time of another machine and language; ratios are judged instead"}
	}
}

// done judges a part of the method: it agrees if cells that do the same were measured here.
func done(p pick, how string, ops ...compare.Operation) judge {
	return func(e *evidence) answer {
		n, tampers := 0, 0
		for _, r := range e.results(p, ops...) {
			if r.State == compare.Measured || r.Cell.Outcome(r.State) {
				n++
				tampers += r.Work.Tampers
			}
		}
		if n == 0 {
			return notRun(p.scenario)
		}
		text := fmt.Sprintf("%d operations of cells passed their gate", n)
		if tampers > 0 {
			text += fmt.Sprintf(", %d altered copies refused", tampers)
		}
		return answer{Agrees, text, how}
	}
}

// otherwise is a part of the method that is done otherwise here.
func otherwise(how string) judge {
	return func(*evidence) answer { return answer{Differs, "", how} }
}

// same is a part of the method that is done here whatever is run.
func same(how string) judge {
	return func(*evidence) answer { return answer{Agrees, "", how} }
}

// lacking is what nothing here can measure.
func lacking(why string) judge {
	return func(*evidence) answer { return answer{Open, "", why} }
}

// counted judges a count of one exchange: canonicalizations by operation.
func counted(p pick, want int, ops ...compare.Operation) judge {
	return func(e *evidence) answer {
		got := 0
		found := e.measured(p, ops...)
		if len(found) != len(ops) {
			return notRun(p.scenario)
		}
		for _, r := range found {
			got += r.Work.Counters.Canonicalizations
		}
		a := answer{Agrees, fmt.Sprintf("%d canonicalizations in %s", got,
			strings.Join(choice.Names(ops), ", ")), "counted by calls"}
		if got != want {
			a.verdict = Differs
		}
		return a
	}
}

// share is that of some phases in the cost of a pick: means over its operations by their costs.
func (e *evidence) share(p pick, phases []phase.Phase, ops ...compare.Operation) stats.Estimate {
	var weights []float64
	var samples []int64
	part, total := 0.0, 0.0
	for _, r := range e.results(p, ops...) {
		if r.Profile == nil || r.State != compare.Measured {
			continue
		}
		costs := r.Profile.Attribution.Costs()
		sum, of := 0.0, 0.0
		for i, v := range costs {
			sum += v
			if slices.Contains(phases, phase.Phase(i)) {
				of += v
			}
		}
		if sum == 0 {
			continue
		}
		weight := r.CPU()
		part, total = part+weight*of/sum, total+weight
		weights = append(weights, weight)
		samples = append(samples, r.Profile.Attribution.Foreground.Total().Samples)
	}
	if total == 0 {
		return stats.Estimate{}
	}
	return stats.Share(part/total, stats.Effective(weights, samples))
}

// percent is a share with its interval.
func percent(s stats.Estimate) string {
	if s.N == 0 {
		return "no profile"
	}
	return fmt.Sprintf("%s %% [%s, %s]", digits(100*s.Center), digits(100*s.Low), digits(100*s.High))
}

// Phases of canonicalization.
var (
	proper = []phase.Phase{phase.Label, phase.Serialize} // RDFC-1.0
	linked = []phase.Phase{phase.Context, phase.Expand, phase.ToRDF}
)
