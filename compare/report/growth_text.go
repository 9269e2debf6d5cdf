package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"canonscope/compare"
	"canonscope/compare/stats"
)

// Text of an experiment: a line a point, so that any number of sizes fits.
const (
	leastLabel = 13
	mostLabel  = 20
	wide       = 11 // columns of a cost
	mostPhases = 5
)

// GrowthText writes experiments as text, at most Width columns wide, with the head and foot of [Text].
func GrowthText(w io.Writer, c *compare.Campaign, t Table, growth []Growth, colour bool) error {
	if c == nil {
		return errNoCampaign
	}

	p := &printer{colour: colour}
	p.head(c)
	p.fitness(t)
	laws, ratios := false, false
	for i := range growth {
		p.experiment(&growth[i])
		laws = laws || growth[i].By != ""
		ratios = ratios || growth[i].By == ""
	}

	p.line("")
	if len(growth) > 1 {
		p.wrapped(2, "", "one axis varies at a time, the others are as in the schema")
	}

	if laws {
		p.wrapped(2, "", fmt.Sprintf("law: the simplest of fixed, a·n, a·n·ln n, a·n², a·n + b·n², with or "+
			"without a fixed part, and a·n^b, within %d of the best AICc; of a phase from its profile "+
			"samples; misfit: how far points are from it beyond what processes explain",
			stats.Undistinguished))
	}
	if p.misfit {
		p.wrapped(2, "", fmt.Sprintf("!: no law fits; this is the nearest. Its distances are more than "+
			"processes and %s a point explain", percent(stats.Resolution)))
	}

	if ratios {
		p.wrapped(2, "", "ratios are to the first point, ± half their 95 % interval")
	}
	if t.Allocated != nil {
		p.wrapped(2, "", "table.csv has the bytes by phase, and the CPU with the collector charged by them")
	}

	p.wrapped(2, "", "table.csv has the processes, operations, documents and collections "+
		"that each figure rests on")
	p.foot(c, t)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *printer) experiment(g *Growth) {
	label := leastLabel
	for _, x := range append([]string{g.Name}, g.labels()...) {
		label = min(mostLabel, max(label, utf8.RuneCountInString(x)+1))
	}

	p.line("")

	if g.Base != "" {
		p.line("%s", p.bold(fmt.Sprintf("%s along %s", schemaName(g.Base), g.Name)))
		about := g.About
		if g.By != "" && g.By != g.Name {
			about += "; laws are of " + g.By
		}
		p.wrapped(0, "", about)
	} else {
		p.line("%s", p.bold(g.Name))
		p.wrapped(0, "", g.About)
		for _, pt := range g.Points {
			p.wrapped(2, "", pt.Label+": "+pt.Schema)
		}
	}

	p.line("")
	p.line("%-*s%9s%7s%6s%7s%7s%7s%10s%7s", label, "shape:", "bytes", "values", "depth", "quads", "blank",
		"alike", "ctx bytes", "scoped")

	for _, pt := range g.Points {
		f := pt.Figures
		p.line("%-*s%9s%7s%6d%7s%7s%7s%10s%7s", label, cut(pt.Label, label), count(f.Bytes), count(f.Values),
			f.Depth, count(f.Quads), count(f.Blank), count(f.NonUnique), count(f.ContextBytes+f.InlineBytes),
			count(f.Scoped))
	}

	for i := range g.Curves {
		p.curve(g, &g.Curves[i], label)
	}

	var engines []compare.Engine
	for i := range g.Curves {
		if e := g.Curves[i].Cell.Engine; g.By != "" && !slices.Contains(engines, e) {
			engines = append(engines, e)
			p.plotText(g, e)
		}
	}
	if len(g.Crossings) > 0 {
		p.line("")
		p.line("%s", p.bold("which costs less by "+g.By+", by the laws"))
	}
	for _, text := range g.crossings() {
		p.wrapped(2, "", text)
	}
}

func (g *Growth) labels() []string {
	var out []string
	for _, pt := range g.Points {
		out = append(out, pt.Label)
	}
	if g.By == "" {
		for _, pt := range g.Points[1:] {
			out = append(out, pt.Label+" : "+g.Points[0].Label)
		}
	}
	return out
}

// title names an exchange.
func (c *Curve) title() string {
	engine := c.Cell.Engine + " engine"
	if c.Cell.Binding != "" {
		engine += ", holder binding"
	}
	if c.Cell.Granularity != compare.Leaf {
		engine += compare.Engine(", " + c.Cell.Granularity)
	}
	if c.Cell.Format == compare.Document {
		return fmt.Sprintf("canonize, %s, %s", c.Cell.Suite, engine)
	}
	return fmt.Sprintf("%s %s, %s, %s", c.Cell.Format, c.Cell.Suite, c.Cell.Algorithm, engine)
}

func (p *printer) curve(g *Growth, c *Curve, label int) {
	p.line("")
	heads := []string{"issue", "verify", "iss+ver", "present", "ver.pres."}
	of, operations := "issue + verify", c.Operations
	if c.Cell.Format == compare.Document {
		heads, of = []string{"canonize"}, "canonize"
	}

	p.line("%s", p.bold(c.title()+": µs of process CPU"))
	operations = operations[:len(heads)] // the exchange is in the files
	marks := make([]string, len(heads))
	if c.Reissued {
		marks[3] = "†"
	}
	for i := len(heads) - 1; i >= 0; i-- { // what was not asked for has no column
		if !operations[i].measured() && len(heads) > 1 {
			operations, heads, marks = slices.Delete(slices.Clone(operations), i, i+1),
				slices.Delete(heads, i, i+1), slices.Delete(marks, i, i+1)
		}
	}

	p.series(g, operations, heads, marks, label)
	p.laws(g, c, operations, heads, label)
	for _, reason := range c.Reasons {
		p.wrapped(4, "  ! ", reason)
	}

	if len(c.Phases) == 0 {
		p.said(g, c)
		return
	}

	shown := c.shown()
	heads = nil
	for _, q := range shown {
		heads = append(heads, q.Name)
	}

	p.line("")
	p.line("%-*s%s", label, "by phase", p.dim("  of "+of+", the largest"))
	p.series(g, shown, heads, make([]string, len(heads)), label)
	p.laws(g, c, shown, heads, label)
	p.said(g, c)
}

// said prints the sentences on a curve.
func (p *printer) said(g *Growth, c *Curve) {
	for _, text := range g.sentences(c) {
		p.wrapped(4, "  ", text)
	}
}

// fastestPhase is the index of the phase that grows fastest; -1 without one.
func (c *Curve) fastestPhase() int {
	return slices.IndexFunc(c.Phases, func(q Quantity) bool { return q.Name == c.Fastest })
}

// shown are the largest phases, and that which grows fastest in the place of the last.
func (c *Curve) shown() []Quantity {
	out := slices.Clone(c.Phases[:min(mostPhases, len(c.Phases))])
	if i := c.fastestPhase(); i >= mostPhases {
		out[mostPhases-1] = c.Phases[i]
	}
	return out
}

// series prints a line a point, then how the columns grow.
func (p *printer) series(g *Growth, columns []Quantity, heads, marks []string, label int) {
	row := func(name string, cell func(k int) string) {
		line := fmt.Sprintf("%-*s", label, cut(name, label))
		for k := range columns {
			line += fmt.Sprintf("%*s", wide, cell(k))
		}
		p.line("%s", line)
	}

	row(g.Name, func(k int) string { return heads[k] + " " })
	for i, pt := range g.Points {
		row(pt.Label, func(k int) string {
			mark := marks[k]
			if mark == "" || columns[k].Cost[i].N == 0 {
				mark = " "
			}
			return micros(columns[k].Cost[i]) + mark
		})
	}

	if g.By == "" {
		for i, pt := range g.Points[1:] {
			row(pt.Label+" : "+g.Points[0].Label, func(k int) string {
				return within(columns[k].Ratios[i]) + " "
			})
		}
	}
}

// within prints a value and half its interval: 0.98±.02.
func within(e *stats.Estimate) string {
	if e == nil {
		return "-"
	}
	center := strings.Replace(fmt.Sprintf("%.2f", e.Center), "-0.00", "0.00", 1)
	if math.Abs(e.Center) >= 99.95 {
		center = figure(e.Center)
	}
	switch half := (e.High - e.Low) / 2; {
	case math.IsInf(half, 0) || math.IsNaN(half):
		return center + noInterval
	case half >= 0.995:
		return center + fmt.Sprintf("±%.1f", half)
	default:
		return center + "±" + strings.TrimPrefix(fmt.Sprintf("%.2f", half), "0")
	}
}

func count(n int) string { return thousands(int64(n)) }

// cut shortens a label to its last characters, which tell more.
func cut(s string, width int) string {
	if n := utf8.RuneCountInString(s); n > width-1 && n > 1 {
		r := []rune(s)
		return "…" + string(r[n-(width-2):])
	}
	return s
}
