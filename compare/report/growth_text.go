package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"canonscope/compare"
	"canonscope/compare/stats"
)

// Text of an experiment: a line a point, so that any number of sizes fits.
const (
	leastLabel = 10
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
	exponents, ratios := false, false
	for i := range growth {
		p.experiment(&growth[i])
		exponents = exponents || growth[i].By != ""
		ratios = ratios || growth[i].By == ""
	}

	p.line("")
	if len(growth) > 1 {
		p.wrapped(2, "", "one axis varies at a time, the others are as in the schema")
	}

	if exponents {
		p.wrapped(2, "", "growth: k of cost ~ figure^k over all points, by least squares in logarithms, "+
			"± half its 95 % interval (t over blocks of processes; of a phase from its profile samples); "+
			"last step: k between the last two points; near 1 is linear")
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
	for _, x := range append([]string{g.Name, "last step"}, g.labels()...) {
		label = min(mostLabel, max(label, utf8.RuneCountInString(x)+1))
	}

	p.line("")

	if g.Base != "" {
		p.line("%s", p.bold(fmt.Sprintf("%s along %s", schemaName(g.Base), g.Name)))
		about := g.About
		if g.By != "" {
			about += "; growth is that with " + g.By
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

	p.series(g, operations, heads, marks, label)
	for _, reason := range c.Reasons {
		p.wrapped(4, "  ! ", reason)
	}

	if len(c.Phases) == 0 {
		return
	}

	shown := c.Phases[:min(mostPhases, len(c.Phases))]
	heads = nil
	for _, q := range shown {
		heads = append(heads, q.Name)
	}

	p.line("")
	p.line("%-*s%s", label, "by phase", p.dim("  of "+of+", the largest"))
	p.series(g, shown, heads, make([]string, len(heads)), label)
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
		return
	}

	row("growth", func(k int) string { return within(columns[k].Exponent) + " " })
	if len(g.Points) > 2 {
		row("last step", func(k int) string { return within(columns[k].Step) + " " })
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
