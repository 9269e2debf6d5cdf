package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"canonscope/compare"
)

// Characters of a plot in a terminal.
const (
	plotColumns = 62
	plotRows    = 13
)

// plotText draws the headlines of one tier on logarithmic scales: a letter is a point of a curve, a dot its
// law.
func (p *printer) plotText(g *Growth, engine compare.Engine) {
	type line struct {
		letter byte
		curve  *Curve
		cost   *Quantity
	}
	var lines []line
	var xs, ys []float64
	for i := range g.Curves {
		c := &g.Curves[i]
		q := c.headline()
		if c.Cell.Engine != engine || q == nil || len(q.Laws) == 0 || len(lines) == 26 {
			continue
		}
		lines = append(lines, line{'a' + byte(len(lines)), c, q})
		for k, e := range q.Cost {
			if e.N > 0 {
				xs, ys = append(xs, c.X[k]), append(ys, e.Center/1e3)
			}
		}
	}
	if len(xs) == 0 {
		return
	}

	from := slices.Min(xs)
	log := from > 0
	px := axis{from, slices.Max(xs), 0, plotColumns - 1, log}
	py := axis{slices.Min(ys), slices.Max(ys), plotRows - 1, 0, true}
	var cells [plotRows][]byte
	for i := range cells {
		cells[i] = []byte(strings.Repeat(" ", plotColumns))
	}
	put := func(x, y float64, mark byte) {
		column, row := int(math.Round(px.of(x))), int(math.Round(py.of(y)))
		if row >= 0 && row < plotRows && column >= 0 && column < plotColumns {
			cells[row][column] = mark
		}
	}
	for _, l := range lines {
		for column := range plotColumns {
			x := px.at(float64(column))
			put(x, l.cost.Laws[0].At(x)/1e3, '.')
		}
	}
	for _, l := range lines {
		for k, e := range l.cost.Cost {
			if e.N > 0 {
				put(l.curve.X[k], e.Center/1e3, l.letter)
			}
		}
	}

	what, scale := "issue + verify", "both scales logarithmic"
	if lines[0].curve.Cell.Format == compare.Document {
		what = "canonize"
	}
	if !log {
		scale = "the scale of µs logarithmic"
	}
	p.line("")
	p.line("%s", p.bold(fmt.Sprintf("%s, %s engines: µs by %s, %s", what, engine, cut(g.By, 20), scale)))
	for i, row := range cells {
		label := ""
		if i == 0 || i == plotRows-1 || i == plotRows/2 {
			label = figure(py.at(float64(i)))
		}
		p.line("%9s |%s", label, row)
	}
	p.line("%9s +%s", "", strings.Repeat("-", plotColumns))
	left, right := tick(px.from), tick(px.to)
	p.line("%11s%s%*s", "", left, plotColumns-len(left), right)
	for _, l := range lines {
		name := l.curve.name()
		if a := l.curve.Cell.Algorithm; a != compare.NoAlgorithm {
			name += ", " + string(a)
		}
		p.line("  %c %s", l.letter, name)
	}
}
