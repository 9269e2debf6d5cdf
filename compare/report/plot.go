package report

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// Pixels of a plot, and of the room at its sides.
const (
	plotWidth, plotHeight                  = 440.0, 290.0
	plotLeft, plotRight, plotTop, plotFoot = 52.0, 138.0, 12.0, 40.0

	plotColours = 6
	plotLetter  = 7.0 // width, at most
)

// axis maps values to pixels.
type axis struct {
	from, to   float64
	first, end float64 // pixels
	log        bool
}

func (a axis) of(v float64) float64 {
	from, to := a.from, a.to
	if a.log {
		from, to, v = math.Log(from), math.Log(to), math.Log(v)
	}
	if from == to {
		return a.first
	}
	return a.first + (v-from)/(to-from)*(a.end-a.first)
}

// at is the value of a pixel.
func (a axis) at(pixel float64) float64 {
	part := (pixel - a.first) / (a.end - a.first)
	if a.log {
		return a.from * math.Pow(a.to/a.from, part)
	}
	return a.from + part*(a.to-a.from)
}

// ticks are round values on an axis. A logarithmic one of few decades has more of each.
func (a axis) ticks() []float64 {
	var out []float64
	if !a.log {
		step := math.Pow(10, math.Floor(math.Log10((a.to-a.from)/2)))
		for _, k := range []float64{5, 2, 1} {
			if n := (a.to - a.from) / (step * k); n >= 4 || k == 1 {
				step *= k
				break
			}
		}
		for v := math.Ceil(a.from/step) * step; v <= a.to*(1+1e-9); v += step {
			out = append(out, v)
		}
		return out
	}

	of := []float64{1}
	if a.to < 500*a.from {
		of = []float64{1, 2, 5}
	}
	for decade := math.Pow(10, math.Floor(math.Log10(a.from))); decade <= a.to; decade *= 10 {
		for _, k := range of {
			if v := decade * k; v >= a.from*(1-1e-9) && v <= a.to*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}

// line is a cost along an experiment.
type line struct {
	name string
	x    []float64
	cost []stats.Estimate
	law  *stats.Law // nil joins the points
}

// lines are those of quantities of a curve, against a figure or, without one, the points in order.
func (g *Growth) lines(x []float64, of []Quantity) []line {
	if x == nil {
		for i := range g.Points {
			x = append(x, float64(i))
		}
	}
	var out []line
	for i := range of {
		q := &of[i]
		if !q.measured() {
			continue
		}
		l := line{name: q.Name, x: x, cost: q.Cost}
		if len(q.Laws) > 0 {
			l.law = &q.Laws[0]
		}
		out = append(out, l)
	}
	return out
}

// plot draws costs in µs with their intervals, laws and the bands of these; "" without anything to draw.
func (g *Growth) plot(title string, of []line, log bool) template.HTML {
	least, most, from, to := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, l := range of {
		for i, e := range l.cost {
			if e.N == 0 || !(e.Center > 0) {
				continue
			}
			low, high := e.Center, e.Center
			if e.Bounded() && e.Low > 0 {
				low, high = max(e.Low, e.Center/3), min(e.High, e.Center*3)
			}
			least, most = min(least, low/1e3), max(most, high/1e3)
			from, to = min(from, l.x[i]), max(to, l.x[i])
		}
	}
	if most == 0 || from == to {
		return ""
	}

	sizes := g.By != ""
	px := axis{from, to, plotLeft, plotWidth - plotRight, log && sizes && from > 0}
	py := axis{least / 1.1, most * 1.1, plotHeight - plotFoot, plotTop, log}
	if !log {
		px.from, py.from, py.to = 0, 0, most*1.05
	}
	var s svg
	s.begin(fmt.Sprintf(`class="plot" viewBox="0 0 %.0f %.0f"`, plotWidth, plotHeight), title,
		fmt.Sprintf("µs against %s; the tables below have the figures", g.along()))
	s.grid(g, px, py, sizes)

	for k, l := range of {
		s.line(px, py, l, k%plotColours)
	}
	var names []ending
	for _, l := range of {
		if last, ok := l.last(); ok {
			names = append(names, ending{l.name, py.of(last / 1e3)})
		}
	}
	s.names(names)
	return s.end()
}

// along is the figure of the horizontal scale.
func (g *Growth) along() string {
	if g.By != "" {
		return g.By
	}
	return g.Name
}

// grid draws the scales of a plot: figures, or without sizes the labels of the points.
func (s *svg) grid(g *Growth, px, py axis, sizes bool) {
	for _, v := range py.ticks() {
		fmt.Fprintf(s, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, plotLeft,
			plotWidth-plotRight, py.of(v), py.of(v))
		s.text(fmt.Sprintf(`class="m" x="%.1f" y="%.1f" text-anchor="end"`, plotLeft-6, py.of(v)+4), tick(v))
	}

	free := math.Inf(-1) // to the right of the last label
	label := func(v float64, text string) {
		wide := plotLetter * float64(len([]rune(text)))
		if x := px.of(v); x-wide/2 >= free {
			free = x + wide/2 + plotLetter
			fmt.Fprintf(s, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x, x,
				plotHeight-plotFoot, plotHeight-plotFoot+4)
			s.text(fmt.Sprintf(`class="m" x="%.1f" y="%.1f" text-anchor="middle"`, x,
				plotHeight-plotFoot+17), text)
		}
	}
	if sizes {
		for _, v := range px.ticks() {
			label(v, tick(v))
		}
	} else {
		for i, p := range g.Points {
			label(float64(i), cut(p.Label, mostLabel/2))
		}
	}
	s.text(fmt.Sprintf(`class="m" x="%.1f" y="%.1f" text-anchor="middle"`, (plotLeft+plotWidth-plotRight)/2,
		plotHeight-5), g.along())
}

// tick is a round value: 0.5, 200, 1,000.
func tick(v float64) string {
	text := figures(v)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// last is the cost at the end of a line: of its law, or of its last point.
func (l *line) last() (float64, bool) {
	for i := len(l.cost) - 1; i >= 0; i-- {
		if e := l.cost[i]; e.N > 0 && e.Center > 0 {
			if l.law != nil {
				return l.law.At(l.x[i]), true
			}
			return e.Center, true
		}
	}
	return 0, false
}

// line draws a cost: the band of its law, the law, the points and their intervals.
func (s *svg) line(px, py axis, l line, colour int) {
	within := func(y float64) float64 { return min(py.first, max(py.end, y)) }
	var points []string
	marks := ""
	for i, e := range l.cost {
		if e.N == 0 || !(e.Center > 0) {
			continue
		}
		x, y := px.of(l.x[i]), py.of(e.Center/1e3)
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		marks += fmt.Sprintf(`<circle class="c%d" cx="%.1f" cy="%.1f" r="2.6"/>`, colour, x, y)
		if e.Bounded() && e.Low > 0 {
			marks += fmt.Sprintf(`<line class="c%d" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, colour, x, x,
				within(py.of(e.High/1e3)), within(py.of(e.Low/1e3)))
		}
	}

	if l.law != nil {
		const steps = 48
		points = nil
		var below []string
		low, high := slices.Min(l.x), slices.Max(l.x)
		along := axis{low, high, 0, steps, px.log}
		for i := range steps + 1 {
			x := along.at(float64(i))
			e := l.law.Cost(x)
			points = append(points, fmt.Sprintf("%.1f,%.1f", px.of(x), within(py.of(e.Center/1e3))))
			if e.Bounded() {
				below = append(below, fmt.Sprintf("%.1f,%.1f", px.of(x), within(py.of(max(e.Low, 1e-3)/1e3))))
			}
		}
		for i := steps; i >= 0 && below != nil; i-- {
			x := along.at(float64(i))
			below = append(below, fmt.Sprintf("%.1f,%.1f", px.of(x), within(py.of(l.law.Cost(x).High/1e3))))
		}
		fmt.Fprintf(s, `<polygon class="b%d" points="%s"/>`, colour, strings.Join(below, " "))
	}
	fmt.Fprintf(s, `<polyline class="c%d" points="%s"/>%s`, colour, strings.Join(points, " "), marks)
}

// ending is a text beside the end of a line.
type ending struct {
	text string
	y    float64
}

// names writes names to the right of a plot, none over another and all beside it.
func (s *svg) names(of []ending) {
	slices.SortStableFunc(of, func(a, b ending) int { return int(math.Round(a.y - b.y)) })
	const apart = 13
	free := plotHeight - plotFoot - apart*float64(len(of)-1)
	below := plotTop + 4 - apart
	for _, n := range of {
		below = max(min(n.y+4, free), below+apart)
		free += apart
		s.text(fmt.Sprintf(`class="m" x="%.1f" y="%.1f"`, plotWidth-plotRight+8, below), n.text)
	}
}

// stacked draws the phases of a curve upon each other, on linear scales; "" without sizes or phases.
func (g *Growth) stacked(title string, c *Curve) template.HTML {
	whole := c.headline()
	if c.X == nil || whole == nil || len(c.Phases) == 0 || slices.Max(c.X) == slices.Min(c.X) {
		return ""
	}
	order := make([]int, 0, len(c.X)) // of the points by x, as far as they were measured
	most := 0.0
	for i, e := range whole.Cost {
		if e.N > 0 {
			order, most = append(order, i), max(most, e.Center/1e3)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, c.X[a]-c.X[b])) })
	if len(order) < 2 {
		return ""
	}

	px := axis{0, slices.Max(c.X), plotLeft, plotWidth - plotRight, false}
	py := axis{0, most * 1.05, plotHeight - plotFoot, plotTop, false}
	var s svg
	s.begin(fmt.Sprintf(`class="plot" viewBox="0 0 %.0f %.0f"`, plotWidth, plotHeight), title,
		fmt.Sprintf("µs against %s, phases upon each other; the tables below have the figures", g.along()))
	s.grid(g, px, py, true)

	sum := make([]float64, len(c.X))
	var names []ending
	layer := func(text, class string, cost func(i int) float64) {
		var below, above []string
		end := order[len(order)-1]
		from := sum[end]
		for _, i := range order {
			below = append(below, fmt.Sprintf("%.1f,%.1f", px.of(c.X[i]), py.of(sum[i])))
			sum[i] += cost(i) / 1e3
			above = append(above, fmt.Sprintf("%.1f,%.1f", px.of(c.X[i]), py.of(sum[i])))
		}
		slices.Reverse(below)
		fmt.Fprintf(&s, `<polygon %s points="%s"/>`, class, strings.Join(append(above, below...), " "))
		if sum[end]-from >= notable*most {
			names = append(names, ending{text, py.of((from + sum[end]) / 2)})
		}
	}
	for _, q := range c.Phases {
		layer(q.Name, fmt.Sprintf(`class="p" fill="%s"`, profiles.Colour(phaseNamed(q.Name))),
			func(i int) float64 { return q.Cost[i].Center })
	}
	s.names(names)
	return s.end()
}

// phaseNamed is a phase by its name.
func phaseNamed(name string) phase.Phase {
	for p := range phase.Count {
		if phase.Phase(p).String() == name {
			return phase.Phase(p)
		}
	}
	return phase.Unattributed
}

// together are the plots of the headlines of each tier, on logarithmic and on linear scales.
func (g *Growth) together() []chart {
	var engines []compare.Engine
	for i := range g.Curves {
		if e := g.Curves[i].Cell.Engine; !slices.Contains(engines, e) {
			engines = append(engines, e)
		}
	}

	var out []chart
	for _, engine := range engines {
		var of []line
		what := "issue + verify"
		for i := range g.Curves {
			c := &g.Curves[i]
			q := c.headline()
			if c.Cell.Engine != engine || q == nil {
				continue
			}
			if c.Cell.Format == compare.Document {
				what = "canonize"
			}
			for _, l := range g.lines(c.X, []Quantity{*q}) {
				l.name = c.name()
				of = append(of, l)
			}
		}

		for _, log := range []bool{true, false} {
			title := fmt.Sprintf("%s, %s engines, µs", upper(what), engine)
			if title += map[bool]string{true: ", logarithmic", false: ", linear"}[log]; g.By == "" && !log {
				continue
			}
			if svg := g.plot(title, of, log); svg != "" {
				out = append(out, chart{title, svg})
			}
		}
	}
	return out
}

// charts are the plots of one curve: its operations by their laws, and its phases.
func (g *Growth) charts(c *Curve) []chart {
	var out []chart
	if svg := g.plot(c.title()+": operations", g.lines(c.X, c.Operations), true); svg != "" {
		out = append(out, chart{"Operations, µs", svg})
	}
	if svg := g.stacked(c.title()+": phases", c); svg != "" {
		out = append(out, chart{"Phases, µs", svg})
	} else if svg := g.plot(c.title()+": phases", g.lines(c.X, c.shown()), true); svg != "" {
		out = append(out, chart{"Phases, µs", svg})
	}
	return out
}

// plotStyle is what a plot needs outside of a page.
const plotStyle = `<style>text{fill:#1c2430;font:11px system-ui,"DejaVu Sans",sans-serif}` +
	`.grid{stroke:#d5dbe2}.p{stroke:#fff;stroke-width:.6}`

// plotPalette are the colours of lines.
var plotPalette = [plotColours]string{"#1b6ca8", "#b3541e", "#2f7d4f", "#8a4fa3", "#a8324e", "#5b6470"}

// plotFiles are the plots of an experiment as pictures.
func (g *Growth) plotFiles(n int) []File {
	charts := g.together()
	for i := range g.Curves {
		charts = append(charts, g.charts(&g.Curves[i])...)
	}
	var style strings.Builder
	style.WriteString(plotStyle)
	for i, colour := range plotPalette {
		fmt.Fprintf(&style, ".c%d{stroke:%s;fill:none;stroke-width:1.8}", i, colour)
		fmt.Fprintf(&style, "circle.c%d{fill:%s}.b%d{fill:%s;fill-opacity:.15}", i, colour, i, colour)
	}
	style.WriteString("</style>")

	var out []File
	for i, c := range charts {
		begin, rest, _ := strings.Cut(string(c.SVG), ">")
		text := strings.Replace(begin, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1) + ">" +
			style.String() + rest + "\n"
		out = append(out, File{fmt.Sprintf("growth-%d-%d.svg", n, i+1), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}})
	}
	return out
}
