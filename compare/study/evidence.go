package study

import (
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/stats"
)

// Judges of single claims of the exchange.

func disclosesFive(e *evidence) answer {
	c := e.campaigns["exchange"]
	if c == nil || len(c.Disclosed) == 0 {
		return notRun("exchange")
	}
	d := c.Disclosed[0]
	a := answer{Agrees, fmt.Sprintf("%d of %d elements", d.Elements, d.Of),
		"the same elements in every format"}
	if d.Elements != 5 || d.Of != 20 {
		a.verdict = Differs
	}
	return a
}

func replicated(e *evidence) answer {
	c := e.campaigns["exchange"]
	ops := 0
	for _, r := range e.results(rdfc.in("stock"), issue) {
		ops = r.Ops() / max(1, len(r.Runs))
	}
	if c == nil || ops == 0 {
		return notRun("exchange")
	}
	a := answer{Differs, fmt.Sprintf("%d processes, stock issue %d operations in each", c.Runs, ops),
		"windows that hold collections; --full has 2,000 operations"}
	if c.Runs == publishedRuns && ops == publishedN {
		a.verdict, a.why = Agrees, "as published"
	}
	return a
}

func fiveBands(e *evidence) answer {
	const gap = 5 * stats.Band
	to := func(engine string) stats.Estimate {
		return e.ratio(rdfc.in(engine), token.in(engine), compare.Exchanged...)
	}
	stock := to("stock")
	if !stock.Bounded() {
		return notRun("exchange")
	}
	a := answer{Open, "to SD-JWT VC " + tiers(func(engine string) string { return times(to(engine)) }),
		"the interval holds the gap of five bands"}
	return a.shown(stock.Low >= 1+gap, "the whole interval is above 1.5, with the libraries of today",
		stock.High < 1+gap, "the whole interval is below 1.5")
}

// sides compares mdoc with SD-JWT VC in each engine and choice of algorithms.
func (e *evidence) sides(ops ...compare.Operation) (all []*stats.Comparison, texts []string) {
	for _, engine := range bothTiers {
		for _, pair := range []struct {
			name          string
			mobile, token pick
		}{{"usual algorithms", mobile, token}, {"EdDSA", mobileEd, token}, {"ES256", mobile, tokenP256}} {
			c := e.compared(pair.mobile.in(engine), pair.token.in(engine), stats.Band, ops...)
			if c.Ratio.N > 0 {
				all = append(all, &c)
				texts = append(texts, fmt.Sprintf("%s, %s: %s", engine, pair.name, times(c.Ratio)))
			}
		}
	}
	stats.Correct(all)
	return all, texts
}

func notRobust(e *evidence) answer {
	all, texts := e.sides(compare.Exchanged...)
	if all == nil {
		return notRun("exchange")
	}
	has := func(v stats.Verdict) bool {
		return slices.ContainsFunc(all, func(c *stats.Comparison) bool { return c.Verdict == v })
	}
	a := answer{Open, "mdoc to SD-JWT VC: " + strings.Join(texts, "; "), "tests are inconclusive"}
	return a.shown(has(stats.Equivalent) || has(stats.Faster) && has(stats.Slower),
		"engines and algorithms of one machine already change the order, or leave none",
		!has(stats.Inconclusive), "one of them costs less in both engines and with all algorithms here")
}

func slowerToVerify(e *evidence) answer {
	all, texts := e.sides(verifyVP)
	if all == nil {
		return notRun("exchange")
	}
	a := answer{Open, "mdoc to SD-JWT VC: " + strings.Join(texts, "; "),
		"not so here; another machine may show it"}
	if slices.ContainsFunc(all, func(c *stats.Comparison) bool { return c.Verdict == stats.Slower }) {
		a.verdict, a.why = Agrees, "shown in at least one engine and algorithm"
	}
	return a
}

// producesGap asks what part of the gap RDFC-1.0 has: labels and order, and not JSON-LD.
func producesGap(e *evidence) answer {
	stock, base := rdfc.in("stock"), token.in("stock")
	cost := stats.Sum(e.of(stock, cpu, compare.Whole...))
	gap := stats.Difference(e.of(stock, cpu, compare.Whole...), e.of(base, cpu, compare.Whole...))
	rdf, ld := e.share(stock, proper, compare.Whole...), e.share(stock, linked, compare.Whole...)
	if cost.N == 0 || rdf.N == 0 || gap.Center <= 0 {
		return notRun("exchange")
	}
	part := func(share float64) float64 { return share * cost.Center / gap.Center }
	a := answer{Open, fmt.Sprintf("of issue + verify, stock: labels and order %s, JSON-LD %s", percent(rdf),
		percent(ld)), "the interval holds half of the gap"}
	return a.shown(part(rdf.Low) > 0.5, "labels and order are most of the gap", part(rdf.High) < 0.5,
		fmt.Sprintf("canonicalization does, but RDFC-1.0 is %s %% of the gap: contexts, expansion and "+
			"making quads are %s %%", digits(100*part(rdf.Center)), digits(100*part(ld.Center))))
}

// notLibrary asks whether engines written for speed leave more than half of the gap that libraries have.
func notLibrary(e *evidence) answer {
	stock := e.ratio(rdfc.in("stock"), token.in("stock"), compare.Exchanged...)
	native := e.ratio(rdfc.in("native"), token.in("native"), compare.Exchanged...)
	if !stock.Bounded() || !native.Bounded() {
		return notRun("exchange")
	}

	a := answer{Open, "VCDM to SD-JWT VC: stock " + times(stock) + ", native " + times(native) +
		"; stock to native VCDM " + times(e.ratio(rdfc.in("stock"), rdfc.in("native"), compare.Exchanged...)),
		"the intervals do not show which has more of the gap"}
	return a.shown(native.Low-1 > (stock.High-1)/2, "more than half of the gap remains in native engines",
		native.High-1 < (stock.Low-1)/2, "with the same specification and bytes native engines leave less "+
			"than half of the gap: most of it is the library's")
}

func nearToken(e *evidence) answer {
	const near = 0.12
	stock := e.compared(jcs.in("stock"), token.in("stock"), near, verifyVP)
	native := e.compared(jcs.in("native"), token.in("native"), near, verifyVP)
	if stock.Ratio.N == 0 {
		return notRun("exchange")
	}
	a := answer{Open, "stock " + times(stock.Ratio) + ", native " + times(native.Ratio),
		"the test is inconclusive"}
	return a.shown(stock.Verdict == stats.Equivalent, "equivalent within 12 %, with the libraries of today",
		stock.Verdict != stats.Inconclusive,
		"it is shown to be "+string(stock.Verdict)+" with the libraries of today")
}

func twoLineages(e *evidence) answer {
	same := 0
	for _, r := range e.results(forms) {
		if r.State == compare.Measured && r.Work.Oracle != "" {
			same += r.Work.Compared
		}
	}
	if same == 0 {
		return notRun("canonize")
	}
	return answer{Differs, fmt.Sprintf("%d forms compared, all equal", same),
		"json-gold and the native engine share no code, and their forms are compared in the gate"}
}

func derives(p pick, want bool) judge {
	return func(e *evidence) answer {
		found := e.measured(p, present)
		if len(found) == 0 {
			return notRun(p.scenario)
		}
		for _, r := range found {
			if r.Work.Reissued == want {
				return answer{Differs, "", string(r.Cell.Engine) + " does otherwise"}
			}
		}
		if want {
			return answer{Agrees, "", "present has no access to the issuer's key"}
		}
		return answer{Agrees, "", "present is given the issuer's key, and marked with †"}
	}
}

var fastest = against(mobile, []pick{token, rdfc}, stats.Faster,
	"shown against both, with the libraries of today", "not faster than %s with the libraries of today",
	compare.Exchanged...)

// handling compares what the code of one format changes with what the format does in one engine.
func handling(e *evidence) answer {
	code := e.ratio(rdfc.in("stock"), rdfc.in("native"), compare.Whole...)
	format := e.ratio(rdfc.in("native"), token.in("native"), compare.Whole...)
	if !code.Bounded() || !format.Bounded() {
		return notRun("exchange")
	}
	a := answer{Open, "code: stock to native VCDM " + times(code) + "; data: native VCDM to SD-JWT VC " +
		times(format), "the intervals overlap"}
	return a.shown(code.High < format.Low, "another format changes the cost more than other code does",
		code.Low > max(format.High, 1/format.Low),
		"other code for the same bytes changes the cost more than another format does")
}

func suiteSwap(e *evidence) answer {
	of := func(engine string) stats.Estimate {
		return e.ratio(selective.in(engine), rdfc.in(engine), compare.Whole...)
	}
	if of("stock").N == 0 {
		return notRun("exchange")
	}
	return answer{Agrees, "ecdsa-sd-2023 to eddsa-rdfc-2022, issue + verify: " +
		tiers(func(engine string) string { return times(of(engine)) }),
		"the ratio crosses algorithms, which is said beside it"}
}

func attributed(e *evidence) answer {
	n := 0
	for _, r := range e.results(pick{scenario: "exchange"}) {
		if r.Profile != nil {
			n++
		}
	}
	if n == 0 {
		return notRun("exchange")
	}
	return answer{Agrees, fmt.Sprintf("%d profiles, each with a flame graph", n),
		"in the folder of the exchange"}
}

func breakdown(e *evidence) answer {
	stock := rdfc.in("stock")
	all := append(slices.Clone(proper), linked...)
	normalize := e.share(stock, append(all, phase.Parse), issue)
	if normalize.N == 0 {
		return notRun("exchange")
	}
	return answer{Agrees, "of issue, stock: normalize " + percent(normalize) + ", hash " +
		percent(e.share(stock, []phase.Phase{phase.Digest}, issue)) + ", sign " +
		percent(e.share(stock, []phase.Phase{phase.Sign}, issue)),
		"from profiles; both canonicalizations are in it"}
}

func wholeParts(e *evidence) answer {
	t := e.tables["exchange"]
	if t == nil || t.Attributed.Foreground == 0 {
		return notRun("exchange")
	}
	return answer{Agrees, fmt.Sprintf("%.1f %% of %d samples have a phase", 100*t.Attributed.Share,
		t.Attributed.Foreground), "phases add up to the whole, with the rest named"}
}

func serialization(e *evidence) answer {
	encoding := []phase.Phase{phase.Parse, phase.Encode}
	var texts []string
	for _, p := range []pick{token, mobile} {
		if s := e.share(p.in("stock"), encoding, compare.Whole...); s.N > 0 {
			texts = append(texts, p.suite+" "+percent(s))
		}
	}
	if texts == nil {
		return notRun("exchange")
	}
	return answer{Agrees, "parse and encode, stock, of issue + verify: " + strings.Join(texts, ", "),
		"as phases of the whole, not run alone"}
}

func sizes(op compare.Operation) judge {
	return func(e *evidence) answer {
		var texts []string
		for _, p := range []pick{rdfc, jcs, token, mobile, selective} {
			for _, r := range e.measured(p.in("native"), op) {
				texts = append(texts, fmt.Sprintf("%s %d", p.suite, r.Work.Output))
			}
		}
		if texts == nil {
			return notRun("exchange")
		}
		return answer{Agrees, "bytes: " + strings.Join(texts, ", "), "medians over 64 documents"}
	}
}

func primitives(e *evidence) answer {
	var texts []string
	for _, algorithm := range []string{"EdDSA", "ES256"} {
		p := pick{scenario: "exchange", suite: compare.Primitives, algorithm: algorithm}
		if e.of(p, cpu, issue) == nil {
			return notRun("exchange")
		}
		texts = append(texts, algorithm+" sign "+micros(e.of(p, cpu, issue))+
			", check "+micros(e.of(p, cpu, verify)))
	}
	return answer{Agrees, strings.Join(texts, "; "), "each over the SHA-256 of 256 bytes"}
}

func singly(e *evidence) answer {
	for _, r := range e.results(rdfc.in("stock"), issue) {
		if r.Raw != nil {
			return answer{Agrees, fmt.Sprintf("stock issue, %d operations: p50 %s, p95 %s, p99 %s µs",
				r.Raw.Ops, digits(r.Raw.P50/1000), digits(r.Raw.P95/1000), digits(r.Raw.P99/1000)),
				"in a pass beside the windows"}
		}
	}
	return notRun("exchange")
}

func outliers(e *evidence) answer {
	n, of := 0, 0
	for _, r := range e.results(pick{scenario: "exchange"}) {
		if r.Raw != nil {
			n, of = n+r.Raw.Outliers, of+r.Raw.Ops
		}
	}
	if of == 0 {
		return notRun("exchange")
	}
	return answer{Agrees, fmt.Sprintf("%d of %d single operations", n, of), "by Tukey's rule"}
}

func rawKept(e *evidence) answer {
	n := 0
	for _, r := range e.results(pick{scenario: "exchange"}) {
		if r.Raw != nil && r.Raw.File != "" {
			n++
		}
	}
	if n == 0 {
		return notRun("exchange")
	}
	return answer{Agrees, fmt.Sprintf("%d files", n), "raw/*.csv in the folder of the exchange"}
}

// runToRun is the range of the processes' means over their median, in the middle of all cells.
func runToRun(e *evidence) answer {
	var ranges []float64
	for _, r := range e.results(pick{scenario: "exchange"}) {
		var v []float64
		for _, run := range r.Runs {
			v = append(v, run.Wall)
		}
		if len(v) >= stats.Fewest {
			q := stats.Quantile(v, 0, 0.5, 1)
			ranges = append(ranges, (q[2]-q[0])/q[1])
		}
	}
	if ranges == nil {
		return notRun("exchange")
	}
	q := stats.Quantile(ranges, 0.5, 0.9)
	f := e.campaigns["exchange"].Fitness
	if f == nil || f.State != compare.Quiet {
		return answer{Open, "", "the machine was not quiet, and runs vary with it"}
	}
	a := answer{Differs,
		fmt.Sprintf("range over median, in the middle of the cells %s %%, in one of ten above %s %%",
			digits(100*q[0]), digits(100*q[1])),
		"elapsed time varies more on this machine: single runs decide little"}
	if q[0] <= 0.03 {
		a.verdict, a.why = Agrees, "in most cells"
	}
	return a
}

func recorded(e *evidence) answer {
	c := e.campaigns["exchange"]
	if c == nil {
		return notRun("exchange")
	}
	for _, k := range []string{"cpu", "kernel", "go", "governor", "smt"} {
		if c.Environment[k] == "" {
			return answer{Differs, "", "the record lacks " + k}
		}
	}
	return answer{Agrees, fmt.Sprintf("%d entries", len(c.Environment)), "env.json of each campaign"}
}

// Judges of the other scenarios.

func quads(schema string, want int) judge {
	return func(e *evidence) answer {
		found := e.results(forms.at(schema).in(string(canon.Native)), canonize)
		if len(found) != 1 || found[0].State != compare.Measured {
			return notRun("canonize")
		}
		costs := tiers(func(engine string) string {
			return micros(e.of(forms.at(schema).in(engine), cpu, canonize))
		})
		a := answer{Agrees, fmt.Sprintf("%d quads; %s", found[0].Work.Quads, costs), "the same shape"}
		if found[0].Work.Quads != want {
			a.verdict, a.why = Differs, "another number of quads"
		}
		return a
	}
}

func educationFactor(e *evidence) answer {
	simple := forms.at("kit-simple")
	of := func(schema, engine string) stats.Estimate {
		return e.ratio(forms.at(schema).in(engine), simple.in(engine), canonize)
	}
	ob3, dcc := of("kit-ob3", "stock"), of("kit-dcc", "stock")
	if ob3.N == 0 || dcc.N == 0 {
		return notRun("canonize")
	}
	first, why := within(ob3, 31, 49)
	second, _ := within(dcc, 31, 49)
	a := answer{first, fmt.Sprintf("Open Badge stock %s, native %s; DCC stock %s, native %s", times(ob3),
		times(of("kit-ob3", "native")), times(dcc), times(of("kit-dcc", "native"))), why}
	if first != second {
		a.verdict, a.why = Open, "the two badges give different answers"
	}
	for _, engine := range e.others() {
		a.measured += fmt.Sprintf("; %s %s and %s", engine, times(of("kit-ob3", engine)),
			times(of("kit-dcc", engine)))
	}
	if rdf := e.share(forms.at("kit-ob3").in("stock"), proper, canonize); rdf.N > 0 {
		a.why += "; of the badge labels and order are " + percent(rdf)
	}
	return a
}

func notBlank(e *evidence) answer {
	with, without := forms.at("ob3"), forms.at("ob3:blank=0")
	stock := e.compared(with.in("stock"), without.in("stock"), stats.Band, canonize)
	native := e.compared(with.in("native"), without.in("native"), stats.Band, canonize)
	if stock.Ratio.N == 0 {
		return notRun("canonize")
	}
	a := answer{Open, "badge to the same with an id on every node: stock " + times(stock.Ratio) +
		", native " + times(native.Ratio), "the test is inconclusive"}
	return a.shown(stock.Verdict == stats.Equivalent || stock.Verdict == stats.Faster,
		"ids on all nodes save no more than 10 %, with the libraries of today",
		stock.Verdict == stats.Slower, "ids on all nodes are shown to save more than nothing")
}

// growth fits laws to the attributes in each suite and engine.
func growth(e *evidence) answer {
	var texts []string
	x := []float64{5, 20, 100, 500}
	for _, engine := range bothTiers {
		for _, suite := range today {
			var points [][]stats.Sample
			for _, n := range x {
				p := pick{scenario: "attributes", suite: suite, engine: engine,
					schema: fmt.Sprintf("%s:attributes=%.0f", inline, n)}
				points = append(points, e.of(p, cpu, compare.Whole...))
			}
			if slices.ContainsFunc(points, func(s []stats.Sample) bool { return s == nil }) {
				continue
			}
			if laws := stats.Laws(x, points); len(laws) > 0 {
				one := laws[0].Further(x[len(x)-1])
				texts = append(texts, fmt.Sprintf("%s %s %s µs, and %s µs [%s, %s] for each further one",
					engine, suite, digits(laws[0].At(x[0])/1000), digits(one.Center/1000),
					digits(one.Low/1000), digits(one.High/1000)))
			}
		}
	}
	if texts == nil {
		return notRun("attributes")
	}
	return answer{Agrees, "issue + verify of 5 attributes: " + strings.Join(texts, "; "),
		"with cryptography, which the study leaves out"}
}

func derivations(e *evidence) answer {
	var texts []string
	for _, n := range []compare.Disclosure{"1", "2", "5", "10", "20"} {
		p := pick{scenario: "disclosures", suite: "ecdsa-sd-2023", disclose: n}
		stock, native := e.of(p.in("stock"), cpu, present), e.of(p.in("native"), cpu, present)
		if stock == nil || native == nil {
			return notRun("disclosures")
		}
		center := func(s []stats.Sample) string { return digits(stats.Sum(s).Center / 1000) }
		texts = append(texts, fmt.Sprintf("%s: derive %s and %s, verify %s and %s", n, center(stock),
			center(native), center(e.of(p.in("stock"), cpu, verifyVP)),
			center(e.of(p.in("native"), cpu, verifyVP))))
	}
	return answer{Agrees, "µs, stock and native, by disclosed: " + strings.Join(texts, "; "),
		"at the published numbers"}
}

func families(e *evidence) answer {
	outcomes := make(map[compare.State]int)
	var reached []string
	for _, r := range e.results(pick{scenario: "poison"}) {
		outcomes[r.State]++
		if r.Cell.Outcome(r.State) {
			reached = append(reached, r.Cell.Schema+" "+string(r.Cell.Engine))
		}
	}
	if len(outcomes) == 0 {
		return notRun("poison")
	}
	return answer{Agrees, fmt.Sprintf("%d in time, %d at a limit or the deadline of 1 s (%s)",
		outcomes[compare.Measured], len(reached), strings.Join(reached, ", ")),
		"cliques, cubic graphs, rings and trees"}
}

func sweep(e *evidence) answer {
	if e.limits == nil {
		return notRun("limits")
	}
	var texts []string
	for _, l := range e.limits {
		if l.Needs == nil && l.Within {
			texts = append(texts, fmt.Sprintf("%s %d", l.Document, l.Work))
		}
	}
	return answer{Agrees, "the first limit that is enough: " + strings.Join(texts, ", "),
		"calls and permutations are counted, not the depth of calls"}
}

func realWithin(e *evidence) answer {
	if e.limits == nil {
		return notRun("limits")
	}
	var texts []string
	for _, l := range e.limits {
		if l.Needs == nil {
			continue
		}
		if !l.Within {
			return answer{Differs, l.Document, "the default limit rejects it"}
		}
		texts = append(texts, fmt.Sprintf("%s %d", l.Document, *l.Needs))
	}
	return answer{Agrees, "of 1,000,000 allowed: " + strings.Join(texts, ", "), "real shapes need few"}
}

func oneTable(e *evidence) answer {
	if e.checks == nil {
		return notRun("security")
	}
	if !e.controls() {
		return answer{Differs, "", "an answer is wrong; see the table"}
	}
	return answer{Agrees, fmt.Sprintf("%d answers, all as wanted", len(e.checks)),
		"unaltered credentials included"}
}

func fromWhere(e *evidence) answer {
	if e.loaders == nil {
		return notRun("loader")
	}
	var texts []string
	for _, l := range e.loaders {
		texts = append(texts, fmt.Sprintf("%s %s %s ms", l.Engine, l.From, digits(l.Wall/1e6)))
	}
	return answer{Agrees, strings.Join(texts, "; "), "each call loads its contexts"}
}

func bound(e *evidence) answer {
	vc, base := pick{scenario: "binding", suite: "eddsa-rdfc-2022"}, pick{scenario: "binding", suite: "jws"}
	c := e.compared(vc, base, stats.Band, compare.Exchanged...)
	if c.Ratio.N == 0 {
		return notRun("binding")
	}
	return answer{Differs, "an exchange with holder binding, native, VCDM to SD-JWT VC: " + times(c.Ratio),
		"it is measured here"}
}

func validated(e *evidence) answer {
	p := pick{scenario: "validation", suite: "eddsa-rdfc-2022"}
	s := e.share(p, []phase.Phase{phase.Validate}, compare.Whole...)
	if s.N == 0 {
		return notRun("validation")
	}
	all := append(slices.Clone(proper), linked...)
	return answer{Differs, "of issue + verify of a badge, native: validation " + percent(s) +
		", canonicalization " + percent(e.share(p, all, compare.Whole...)), "it is measured here"}
}

// questions answers what the study left open.
func (e *evidence) questions() []Question {
	of := func(name string) string { return scenarioNamed(name).Command() }
	ratio := func(num, den pick, ops ...compare.Operation) string {
		return times(e.ratio(num, den, ops...))
	}
	apart := func(num, den pick) string { // of two campaigns, which share no blocks
		num, den = num.in("native"), den.in("native")
		return times(stats.Unpaired(e.of(num, cpu, compare.Exchanged...),
			e.of(den, cpu, compare.Exchanged...), stats.Band).Ratio)
	}
	state := func(engine string, s compare.ContextState) pick {
		return pick{scenario: "contexts", engine: engine, contexts: s}
	}

	embedded := state("native", compare.Embedded)
	phases := "no profile"
	if s := e.share(rdfc.in("stock"), linked, compare.Whole...); s.N > 0 {
		var parts []string
		for _, p := range []struct {
			name  string
			phase phase.Phase
		}{{"contexts", phase.Context}, {"expansion", phase.Expand}, {"quads", phase.ToRDF},
			{"labels", phase.Label}, {"order", phase.Serialize}} {
			share := e.share(rdfc.in("stock"), []phase.Phase{p.phase}, compare.Whole...)
			parts = append(parts, p.name+" "+percent(share))
		}
		phases = "of issue + verify, stock: " + strings.Join(parts, ", ")
	}
	perQuad := func(schema, engine string) string {
		found := e.results(forms.at(schema).in(engine), canonize)
		s := stats.Sum(e.of(forms.at(schema).in(engine), cpu, canonize))
		if len(found) != 1 || s.N == 0 || found[0].Work.Quads == 0 {
			return "no figure"
		}
		return digits(s.Center / 1000 / float64(found[0].Work.Quads))
	}

	return []Question{
		{"Specification or library?",
			"stock to native, contexts embedded in both, issue + verify of simple-20: " +
				ratio(state("stock", compare.Embedded), embedded, compare.Whole...) + "; exchange of " +
				inline +
				", native with kept contexts: " + ratio(rdfc.in("stock"), rdfc.in("native"),
				compare.Exchanged...),
			of("contexts")},
		{"Which phase?", phases, of("exchange")},
		{"Scoped contexts or blank nodes?", "µs a quad, stock: Open Badge of the kit with scoped contexts " +
			perQuad("kit-ob3", "stock") + ", 50 blank nodes in an inline context " + perQuad("synth-bn-50",
			"stock") +
			"; native: " + perQuad("kit-ob3", "native") + " and " + perQuad("synth-bn-50", "native"),
			of("canonize")},
		{"What does holder binding cost?", "exchange with it to one without, native: VCDM " +
			apart(pick{scenario: "binding", suite: "eddsa-rdfc-2022"}, rdfc) + ", SD-JWT VC " +
			apart(pick{scenario: "binding", suite: "jws"}, token) + ", mdoc " +
			apart(pick{scenario: "binding", suite: "cose-sign1"}, mobileEd), of("binding")},
		{"Is a part cheaper to verify than the whole?", "part to whole: VCDM stock " + partOf(e,
			rdfc.in("stock")) +
			", native " + partOf(e, rdfc.in("native")) + "; SD-JWT VC native " + partOf(e,
			token.in("native")) +
			"; ecdsa-sd-2023 native " + partOf(e, selective.in("native")), of("exchange")},
		{"What does a cache of contexts save?", "issue + verify, native: cold to embedded " +
			ratio(state("native", compare.Cold), embedded, compare.Whole...) + ", embedded to warm " +
			ratio(embedded, state("native", compare.Warm), compare.Whole...) + "; stock cold to embedded " +
			ratio(state("stock", compare.Cold), state("stock", compare.Embedded), compare.Whole...),
			of("contexts")},
	}
}

func partOf(e *evidence, p pick) string {
	return times(stats.Ratio(e.of(p, cpu, verifyVP), e.of(p, cpu, verify)))
}
