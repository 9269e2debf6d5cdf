package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"canonscope/canon/printable"
	"canonscope/compare/stats"
)

// Text writes a comparison, at most Width columns wide: first what else differs, then the numbers. Colours
// are for terminals only.
func (c *Comparison) Text(w io.Writer, colour bool) error {
	p := &printer{colour: colour}
	p.comparison(c)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *printer) comparison(c *Comparison) {
	p.line("%s", p.bold("What changed: "+c.Figure+" per operation, in µs"))
	p.wrapped(4, "", "A  "+printable.Line(c.Baseline))
	p.wrapped(4, "", "B  "+printable.Line(c.Name))
	p.facts(c)
	for _, note := range c.Notes {
		p.wrapped(2, "", printable.Line(note))
	}
	p.wrapped(0, "", c.method())
	if c.Withheld {
		p.wrapped(0, "", c.withheld())
	}

	var decided, open, equal []Change
	for _, x := range c.Cells {
		switch {
		case changed(&x):
			decided = append(decided, x)
		case x.Comparison.Verdict == stats.Equivalent:
			equal = append(equal, x)
		default:
			open = append(open, x)
		}
	}

	p.line("")
	if len(c.Cells) == 0 {
		p.line("No cell has a cost in both.")
	} else if len(decided) == 0 {
		p.line("No cell is shown to be faster or slower.")
	} else {
		p.line("%s", columnsOf("faster or slower, the dearest change first", "A", "B", "B/A", ""))
	}
	for _, x := range decided {
		p.line("%s", p.bold(x.label))
		p.line("%s", rowOf(&x, "  "+string(x.Comparison.Verdict)))
		for i := range x.Phases {
			p.line("%s", rowOf(&x.Phases[i], "    "+x.Phases[i].Phase))
		}
	}

	p.tierPhases(c.Phases)
	title := "inconclusive: neither a difference nor equality within " + percent(c.Band) + " is shown"
	if c.Withheld {
		title = "without a verdict"
	}
	p.rest(title, open, false)
	p.rest("equivalent within "+percent(c.Band), equal, true)
	p.unpaired(c.Unpaired)
	if found := c.detectable(); found > 0 {
		p.line("")
		p.wrapped(0, "", fmt.Sprintf("Of half of the cells a difference of %s would be found with a "+
			"probability of 80 %%, before the correction for their number.", percent(found)))
	}
}

// withheld explains why there are no verdicts.
func (c *Comparison) withheld() string {
	if c.Paired {
		return "There are no verdicts, since the machine was unfit: it may have slowed one build more than " +
			"the other, also within a block. End other work and measure again."
	}
	return "There are no verdicts, since a machine was not fit: it may have slowed some work more than " +
		"other, and a difference between two campaigns may be its own. End other work and measure again, " +
		"or measure both builds in one campaign, block by block: canonscope run --binary A=FILE --binary " +
		"B=FILE."
}

// method explains how the ratios were made.
func (c *Comparison) method() string {
	if c.Paired {
		return "B/A: ratio of geometric means over processes, paired by block, ± its 95 % interval (t); " +
			"verdicts at 5 % for the whole table (Holm). Phases are shares of profiles, which are not " +
			"paired (Welch)."
	}
	text := "B/A: ratio of geometric means over processes, ± its 95 % interval (Welch); verdicts at 5 % " +
		"for the whole table (Holm)."
	if c.Control == nil {
		return text + " There is no control in both: what made a campaign faster or slower as a whole is " +
			"in the ratios."
	}
	return fmt.Sprintf("%s Ratios are divided, block by block, by the control: %s of the floor and of bare "+
		"primitives, which cost %s times as much in B (%s). What made a campaign faster or slower as a "+
		"whole cancels, and so does what changed in those; the µs are as measured.", text,
		printable.Plural(c.Control.Operations, "operation"), ratioOf(c.Control.Ratio),
		cmpSpread(c.Control.Ratio))
}

// facts prints in what the sources differ.
func (p *printer) facts(c *Comparison) {
	if len(c.Differs) == 0 {
		what := "Environment, binary, rules and inputs are the same in both."
		if c.Paired {
			what = "Binary, rules and inputs are the same in both."
		}
		p.wrapped(2, "", what)
		return
	}
	const most = 6 // of a group
	count := make(map[string]int)
	for _, d := range c.Differs {
		if count[d.Group]++; count[d.Group] <= most {
			p.wrapped(4, "  "+d.Group+" differs: ", d.text())
		}
	}
	for _, group := range []string{machineFacts, environmentFacts, binaryFacts, rulesFacts, inputsFacts} {
		if n := count[group] - most; n > 0 {
			p.wrapped(4, "  "+group+" differs: ",
				"and in "+printable.Plural(n, "fact")+" more; --json has all")
		}
	}
	for _, d := range c.Differs {
		if d.Group == rulesFacts {
			p.wrapped(4, "  ", "Phases follow the rules, so those of A and B need not be the same.")
		}
	}
}

func (d *Difference) text() string {
	name := d.Name
	if id, ok := strings.CutPrefix(name, workOf); ok {
		name = workOf + Short(id)
	}
	value := func(v string) string {
		if v == "" {
			return "unknown"
		}
		if isHash(v) {
			return v[:12]
		}
		return v
	}
	return printable.Line(fmt.Sprintf("%s, %s in A and %s in B", name, value(d.Before), value(d.After)))
}

func isHash(v string) bool {
	return len(v) == 64 && strings.Trim(v, "0123456789abcdef") == ""
}

// columnsOf sets a line of a table of changes.
func columnsOf(name, before, after, ratio, spread string) string {
	return strings.TrimRight(fmt.Sprintf("%-44s%9s%9s%8s %9s", name, before, after, ratio, spread), " ")
}

func rowOf(c *Change, name string) string {
	return columnsOf(name, micros(c.Before), micros(c.After), ratioOf(c.Comparison.Ratio),
		cmpSpread(c.Comparison.Ratio))
}

// ratioOf prints a ratio so that a part of a percent is seen.
func ratioOf(e stats.Estimate) string {
	switch {
	case e.N == 0:
		return "-"
	case e.Center < 9.9995:
		return fmt.Sprintf("%.3f", e.Center)
	}
	return figure(e.Center)
}

// cmpSpread is spread with tenths of a percent below 10 %, which a comparison may reach.
func cmpSpread(e stats.Estimate) string {
	if e.Bounded() && e.Center > 0 {
		if above := 100 * (e.High/e.Center - 1); above < 9.95 {
			return fmt.Sprintf("±%.1f%%", above)
		}
	}
	return spread(e)
}

// tierPhases prints the phases of tiers that changed, in all cells of the tier taken together.
func (p *printer) tierPhases(phases []Change) {
	changes := slices.DeleteFunc(slices.Clone(phases), func(c Change) bool { return !changed(&c) })
	if len(changes) == 0 {
		return
	}
	p.line("")
	p.line("%s", columnsOf("phases over all cells of a tier", "A", "B", "B/A", ""))
	for i := range changes {
		c := &changes[i]
		name := fmt.Sprintf("%s, %s: %s", c.Phase, c.Tier, c.Comparison.Verdict)
		p.line("%s", rowOf(c, name))
	}
}

// rest lists cells that are not shown to differ, a line each.
func (p *printer) rest(title string, cells []Change, dim bool) {
	if len(cells) == 0 {
		return
	}
	style := func(s string) string {
		if dim {
			return p.dim(s)
		}
		return s
	}
	p.line("")
	p.line("%s", style(title+":"))
	for i := range cells {
		c := &cells[i]
		needs := ""
		if n := c.Comparison.Needs(); n > 0 {
			needs = fmt.Sprint(n)
		}
		lead := fmt.Sprintf("%7s%8s%6s  ", ratioOf(c.Comparison.Ratio), cmpSpread(c.Comparison.Ratio), needs)
		p.line("%s", style(lead+cut(c.label, Width-7-8-6-2+1)))
	}
	if slices.ContainsFunc(cells, func(c Change) bool { return c.Comparison.Needs() > 0 }) {
		p.wrapped(2, "  ", "the third column: processes of each side that would decide, if the ratio is "+
			"as it seems")
	}
}

// unpaired lists cells that only one of the sources has.
func (p *printer) unpaired(cells []Lacking) {
	if len(cells) == 0 {
		return
	}
	type side struct{ in, reason string }
	ids := make(map[side][]string)
	var order []side
	for _, l := range cells {
		k := side{l.In, l.Reason}
		if ids[k] == nil {
			order = append(order, k)
		}
		ids[k] = append(ids[k], l.ID)
	}
	p.line("")
	for _, k := range order {
		reason, rest, more := strings.Cut(k.reason, "\n")
		p.wrapped(2, "", fmt.Sprintf("only in %s (%s): %s", printable.Line(k.in), printable.Line(reason),
			few(ids[k])))
		if more {
			for line := range strings.SplitSeq(rest, "\n") {
				p.wrapped(6, "    ", printable.Line(line))
			}
		}
	}
}

// detectable is the median over the cells of what they would have shown.
func (c *Comparison) detectable() float64 {
	var found []float64
	for i := range c.Cells {
		if d := c.Cells[i].Comparison.Finds(); d > 0 {
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		return 0
	}
	return stats.Quantile(found, 0.5)[0]
}

// Markdown writes the answer of a gate as the summary of a pull request.
func (c *Comparison) Markdown(w io.Writer) error {
	slower, _, _ := c.gate()
	p := &printer{}
	title := map[Answer]string{
		Passed:       "no cell got slower",
		Failed:       printable.Plural(len(slower), "cell") + " got slower",
		Inconclusive: "inconclusive",
	}[c.Gate()]
	p.line("### Canonscope: %s", title)
	p.line("")
	p.summary(c)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// summary writes a comparison in Markdown, without a title.
func (p *printer) summary(c *Comparison) {
	slower, undecided, lost := c.gate()
	p.line("%s of %s against %s, %s compared in a band of %s.", strings.ToUpper(c.Figure[:1])+c.Figure[1:],
		printable.Markdown(c.Name), printable.Markdown(c.Baseline),
		printable.Plural(len(c.Cells), "operation"), percent(c.Band))

	table := func(title string, cells []Change) {
		if len(cells) == 0 {
			return
		}
		p.line("")
		p.line("| %s | before µs | after µs | ratio | ± | phases |", title)
		p.line("|---|--:|--:|--:|--:|---|")
		for i := range cells {
			x := &cells[i]
			var phases []string
			for _, f := range x.Phases {
				phases = append(phases, fmt.Sprintf("%s × %s", f.Phase, ratioOf(f.Comparison.Ratio)))
			}
			p.line("| %s | %s | %s | %s | %s | %s |", printable.Markdown(x.label), micros(x.Before),
				micros(x.After),
				ratioOf(x.Comparison.Ratio), cmpSpread(x.Comparison.Ratio), strings.Join(phases, ", "))
		}
	}
	table("slower", slower)
	table("faster", slices.DeleteFunc(slices.Clone(c.Cells), func(x Change) bool {
		return x.Comparison.Verdict != stats.Faster
	}))
	table("inconclusive", undecided)
	if c.Paired {
		table("equivalent", slices.DeleteFunc(slices.Clone(c.Cells), func(x Change) bool {
			return x.Comparison.Verdict != stats.Equivalent
		}))
	}
	if c.Withheld {
		p.line("")
		p.line("%s", printable.Markdown(c.withheld()))
	}

	if len(lost) > 0 {
		p.line("")
		p.line("Without a time in %s:", printable.Markdown(c.Name))
		p.line("")
		for _, l := range lost {
			p.line("- %s: %s", printable.Markdown(Short(l.ID)), printable.Markdown(l.Reason))
		}
	}
	p.line("")
	for _, note := range c.Notes {
		p.line("- %s", printable.Markdown(note))
	}
	for _, d := range c.Differs {
		p.line("- %s differs: %s", d.Group, printable.Markdown(d.text()))
	}
	p.line("")
	p.line("%s", printable.Markdown(c.method()))
}
