package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"canonscope/compare"
	"canonscope/compare/stats"
)

// Columns of the table of laws.
const (
	formulaWidth = 32
	furtherWidth = 26
)

// formula is a law in µs of n: 66.7 + 0.33·n.
func formula(l *stats.Law) string {
	if l.Name == stats.PowerLaw {
		return fmt.Sprintf("%s·n^%.2f", figures(l.Parameters[0].Center/1e3), l.Parameters[1].Center)
	}
	var parts []string
	for i, of := range strings.Split(shapeOf(l.Name), " + ") {
		_, factor, _ := strings.Cut(of, "·")
		text := figures(l.Parameters[i].Center / 1e3)
		if factor != "" {
			text += "·" + factor
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " + ")
}

// shapeOf is the name of a law in n.
func shapeOf(name string) string {
	return strings.NewReplacer("fixed", "fixed", "x", "n", "log", "ln").Replace(name)
}

// figures has three digits also of small values: 0.00123.
func figures(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1:
		return figure(v)
	case a >= 0.0995:
		return fmt.Sprintf("%.2f", v)
	case a >= 1e-6:
		return strings.TrimRight(fmt.Sprintf("%.*f", int(1-math.Floor(math.Log10(a))), v), "0")
	case v == 0:
		return "0"
	}
	return fmt.Sprintf("%.1e", v)
}

// bounds is an interval in parentheses, "" without one.
func bounds(e *stats.Estimate, unit float64) string {
	if e == nil || !e.Bounded() {
		return ""
	}
	low, high := e.Low/unit, e.High/unit
	most := max(math.Abs(low), math.Abs(high))
	text := func(v float64) string {
		if most < 1 && math.Abs(v) < most/10 { // no more decimals than the other has
			return strings.TrimPrefix(fmt.Sprintf("%.*f", int(1-math.Floor(math.Log10(most))), v), "-")
		}
		return figures(v)
	}
	return fmt.Sprintf(" (%s to %s)", text(low), text(high))
}

// each is one of the figure: an attribute.
func (g *Growth) each() string {
	switch {
	case g.By == compare.ByContext:
		return "byte of contexts"
	case strings.HasPrefix(g.By, "/"):
		return "value at " + g.By
	}
	return strings.TrimSuffix(g.By, "s")
}

// laws prints the law of each column.
func (p *printer) laws(g *Growth, c *Curve, columns []Quantity, heads []string, label int) {
	if !slices.ContainsFunc(columns, func(q Quantity) bool { return len(q.Laws) > 0 }) {
		if g.By != "" {
			p.wrapped(2, "", fmt.Sprintf("no law: one needs %d processes at three sizes", stats.Fewest))
		}
		return
	}

	p.line("%-*s%-*s%-*s%*s", label, "law", formulaWidth, "µs, n = "+cut(g.By, formulaWidth-9), furtherWidth,
		"one more at "+tick(slices.Max(c.X)), Width-label-formulaWidth-furtherWidth, "misfit")
	for i, q := range columns {
		if len(q.Laws) == 0 {
			p.line("%-*s%s", label, heads[i], "-")
			continue
		}
		l := &q.Laws[0]
		text := formula(l)
		if !l.Fits() {
			text, p.misfit = text+" !", true
		}
		further := figures(q.Further.Center/1e3) + bounds(q.Further, 1e3)
		if l.Name == stats.Constant {
			further = "-"
		}
		p.line("%-*s%-*s%-*s%*s", label, cut(heads[i], label), formulaWidth, text, furtherWidth, further,
			Width-label-formulaWidth-furtherWidth, percent(l.Lack))
	}
}

// sentences are what the laws of a curve say.
func (g *Growth) sentences(c *Curve) []string {
	q := c.headline()
	if q == nil || len(q.Laws) == 0 {
		return nil
	}
	var out []string
	what := map[bool]string{true: "canonize", false: "issue + verify"}[c.Cell.Format == compare.Document]
	l := &q.Laws[0]
	if l.Name == stats.Constant {
		out = append(out, what+" does not grow")
	} else {
		at := ""
		if l.Shape() != stats.Linear {
			at = " at " + tick(slices.Max(c.X))
		}
		out = append(out, fmt.Sprintf("%s: %s µs%s for each further %s%s", what,
			figures(q.Further.Center/1e3), bounds(q.Further, 1e3), g.each(), at))
	}

	if !l.Fits() {
		out = append(out, fmt.Sprintf("no law fits: the nearest is off by %s", percent(l.Off)))
	}
	if q.Takeover != nil {
		terms := strings.Split(shapeOf(l.Name), " + ")
		_, last, _ := strings.Cut(terms[len(terms)-1], "·")
		out = append(out, fmt.Sprintf("the part with %s is more than the rest from %s%s on", last,
			figure(q.Takeover.Center), among(q.Takeover)))
	}

	var others []string
	for i := range q.Laws[1:] {
		if o := &q.Laws[i+1]; o.Behind <= stats.Undistinguished && !o.Extends(l) {
			others = append(others, shapeOf(o.Name))
		}
	}
	if others != nil {
		out = append(out, "not distinguished from "+strings.Join(others, "; "))
	}

	if i := c.fastestPhase(); i >= 0 {
		phase := &c.Phases[i]
		last := len(phase.Cost) - 1
		share := percent(phase.Cost[last].Center / q.Cost[last].Center)
		out = append(out, fmt.Sprintf("the phase that grows fastest is %s: %s, %s of it at %s", phase.Name,
			formula(&phase.Laws[0]), share, tick(slices.Max(c.X))))
	}
	if text := c.allocations(); text != "" {
		out = append(out, text)
	}
	return out
}

// steep is the power of x from which on growth is named as faster than a line.
const steep = 1.1

// allocations is a sentence on the phases whose allocated bytes grow faster than a line at the largest point;
// "" where allocations were not recorded.
func (c *Curve) allocations() string {
	var parts []string
	most, last, fitted := slices.Max(c.X), len(c.X)-1, false
	whole := 0.0
	for _, a := range c.Allocated {
		whole += a.Bytes[last]
	}
	for _, a := range c.Allocated {
		if len(a.Laws) == 0 || a.Bytes[last] < notable*whole {
			continue
		}
		fitted = true
		if l := &a.Laws[0]; l.Exponent(most) > steep {
			steepest := &l.Parameters[len(l.Parameters)-1]
			unit := map[bool]float64{true: 1, false: 1e3}[l.Name == stats.PowerLaw] // of an exponent
			parts = append(parts, fmt.Sprintf("%s allocates %s kB, its last figure%s", a.Name, formula(l),
				bounds(steepest, unit)))
		}
	}

	switch {
	case !fitted:
		return ""
	case parts == nil:
		return "no phase with 5 % of the allocated bytes grows faster than a line in them"
	}
	return strings.Join(parts, ", ") +
		", which grows faster than a line; no other phase with 5 % of the bytes does"
}

// among is the interval of a figure, which may be open: (10 to 15).
func among(e *stats.Estimate) string {
	switch {
	case e.Bounded():
		return fmt.Sprintf(" (%s to %s)", figure(e.Low), figure(e.High))
	case !math.IsInf(e.Low, 0):
		return fmt.Sprintf(" (%s or more)", figure(e.Low))
	case !math.IsInf(e.High, 0):
		return fmt.Sprintf(" (at most %s)", figure(e.High))
	}
	return " (anywhere)"
}

// crossings are sentences on which curve costs less from where on.
func (g *Growth) crossings() []string {
	var out []string
	for _, x := range g.Crossings {
		a, b := &g.Curves[x.Curves[0]], &g.Curves[x.Curves[1]]
		from, to := slices.Min(a.X), slices.Max(a.X)
		unlike := func(e stats.Estimate) bool { return e.Low > 1 || e.High < 1 }
		one, two := fmt.Sprintf("%s: %s", a.Cell.Engine, a.name()), b.name()
		ratios := fmt.Sprintf("%s times as much at %s, %s at %s",
			figure(x.Ratios[0].Center), tick(from), figure(x.Ratios[1].Center), tick(to))
		text := ""
		switch {
		case x.At != nil:
			text = fmt.Sprintf("%s costs less than %s up to %s%s, and more from there on: %s", one, two,
				figure(x.At.Center), among(x.At), ratios)
		case unlike(x.Ratios[0]) || unlike(x.Ratios[1]):
			text = fmt.Sprintf("%s costs less than %s throughout: %s", one, two, ratios)
		default:
			text = fmt.Sprintf("%s and %s cannot be distinguished: %s", one, two, ratios)
		}
		out = append(out, text)
	}
	return out
}

// name is the format and suite of a curve.
func (c *Curve) name() string {
	if c.Cell.Format == compare.Document {
		return c.Cell.Suite
	}
	return fmt.Sprintf("%s %s", c.Cell.Format, c.Cell.Suite)
}
