package explain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"canonscope/canon/printable"
	"canonscope/compare/stats"
	"canonscope/schemas/charge"
)

const (
	columns   = 80 // of the text
	maxLosses = 10 // that the text lists
)

// Text writes a report as tables of at most 80 columns, with the dearest parts and terms, top of each.
func Text(w io.Writer, r *Report, top int) error {
	p := &page{printable.Printer{W: w, Width: columns}}
	p.Line("%s: %s bytes of JSON, counted exactly", printable.Short(r.Document, 50), number(r.Bytes))
	p.parts(r, top)
	p.terms(r, top)
	p.Line("Each quad is charged once, to the first value that states it; * marks quads that")
	p.Line("several values state. Hashes are charged to the object of a blank node, scoped")
	p.Line("contexts to the type or key that has them. +N: parts that are not shown.")
	p.costs(r, top)
	p.advice(r)
	for i, l := range r.Losses {
		if i == 0 {
			p.Line("")
			p.Line("Not measured: the canonical form does not carry all data, of which none is counted:")
		}
		if i == maxLosses {
			p.Line("  and %d more; --json has all", len(r.Losses)-i)
			break
		}
		p.Line("  %s: %s", cut(l.Pointer, 60), printable.Short(l.Reason, 100))
	}
	for _, text := range r.Warnings {
		p.Line("%s", text)
	}
	return p.Err
}

// page writes lines; long ones are wrapped.
type page struct{ printable.Printer }

const countHead = "   quads     bytes blank hashes scoped  "

func counts(c *charge.Counts) string {
	shared := " "
	if c.Shared+c.Repeated > 0 {
		shared = "*"
	}
	return fmt.Sprintf("%8s%s%9s%6s%7s%7s  ", number(c.Quads), shared, number(c.Bytes), number(c.Blank),
		number(c.Hashes()), number(c.Scoped))
}

func (p *page) parts(r *Report, top int) {
	p.Line("")
	p.Line("%s%s", countHead, "part")
	shown := dearest(r, top, byQuads(r))
	walk(r, shown, func(i, deeper int) {
		head := counts(&r.Parts[i].All)
		p.Line("%s%s", head, label(r, i, columns-utf8.RuneCountInString(head), deeper))
	})
}

func (p *page) terms(r *Report, top int) {
	p.Line("")
	p.Line("%s%s", countHead, "term or type")
	terms := slices.Clone(r.Terms)
	slices.SortStableFunc(terms, func(a, b charge.Term) int {
		return cmp.Or(b.Quads+b.Scoped-a.Quads-a.Scoped, b.Bytes-a.Bytes)
	})
	for i := range terms {
		if i == top {
			p.Line("%s… %d more; --json has all", strings.Repeat(" ", len(countHead)), len(terms)-i)
			break
		}
		head := counts(&terms[i].Counts)
		name := terms[i].Name
		if name == "" {
			name = "(the document)"
		}
		p.Line("%s%s", head, cut(name, columns-utf8.RuneCountInString(head)))
	}
	p.Line("")
}

// dearest returns the parts with the greatest weight. A part has at least the weight of its parts, so what is
// around a chosen part is chosen.
func dearest(r *Report, top int, weight func(i int) float64) map[int]bool {
	all := make([]int, len(r.Parts))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	shown := make(map[int]bool)
	for _, i := range all[:min(len(all), max(1, top))] {
		for at := i; at >= 0 && weight(i) > 0; at = r.Parts[at].Up {
			shown[at] = true
		}
	}
	return shown
}

// walk visits parts as a tree, the dearest first.
func walk(r *Report, shown map[int]bool, visit func(i, omitted int)) {
	within := make(map[int][]int)
	omitted := make(map[int]int)
	for i := range r.Parts {
		if up := r.Parts[i].Up; shown[i] {
			within[up] = append(within[up], i)
		} else {
			omitted[up]++
		}
	}
	var down func(i int)
	down = func(i int) {
		visit(i, omitted[i])
		parts := within[i]
		slices.SortStableFunc(parts, func(a, b int) int {
			p, q := &r.Parts[a].All, &r.Parts[b].All
			return cmp.Or(q.Quads-p.Quads, q.Bytes-p.Bytes)
		})
		for _, part := range parts {
			down(part)
		}
	}
	down(0)
}

// label is the name of a part, indented by its depth.
func label(r *Report, i, room, omitted int) string {
	part := &r.Parts[i]
	name := part.Token
	switch {
	case part.Up < 0:
		name = "the document"
	case part.Index:
		name = "[" + name + "]"
	}
	more := ""
	if omitted > 0 {
		more = fmt.Sprintf(" +%d", omitted)
	}
	indent := strings.Repeat(" ", min(part.Depth, 12))
	return indent + cut(name, room-len(indent)-len(more)) + more
}

// cut is a text of the document on one line of a number of columns.
func cut(text string, room int) string {
	runes := []rune(printable.Line(printable.Short(text, 400)))
	if len(runes) > room {
		return string(runes[:max(0, room-1)]) + "…"
	}
	return string(runes)
}

// tail is cut for pointers, whose end says more.
func tail(text string, room int) string {
	runes := []rune(printable.Line(printable.Short(text, 400)))
	if len(runes) > room {
		return "…" + string(runes[len(runes)-room+1:])
	}
	return string(runes)
}

// number groups the digits of a number.
func number(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// micros is a time in microseconds with half its interval.
func micros(e stats.Estimate) string {
	us := func(ns float64) string {
		switch v := ns / 1000; {
		case math.Abs(v) < 99.95:
			return strconv.FormatFloat(v, 'f', 1, 64)
		default:
			return number(int(math.Round(v)))
		}
	}
	if !e.Bounded() {
		return us(e.Center)
	}
	return us(e.Center) + " ±" + us((e.High-e.Low)/2)
}

// more is a difference with its direction.
func more(e stats.Estimate) string {
	if e.Center < 0 {
		e.Center, e.Low, e.High = -e.Center, -e.High, -e.Low
		return micros(e) + " µs less"
	}
	return micros(e) + " µs more"
}

const costWidth = 20

func (p *page) costs(r *Report, top int) {
	if len(r.Costs) == 0 {
		return
	}
	p.Line("")
	p.Line("Measured: %s, µs of CPU that the document costs less without the part", r.Costs[0].Operation)
	head := ""
	for i := range r.Costs {
		head += fmt.Sprintf("%*s", costWidth, r.Costs[i].Engine)
	}
	p.Line("%s  part", head)
	whole := ""
	for i := range r.Costs {
		whole += fmt.Sprintf("%*s", costWidth, micros(r.Costs[i].Whole))
	}
	p.Line("%s  the document", whole)

	shown := dearest(r, top, r.weight)
	room := columns - len(r.Costs)*costWidth - 2
	var notes []string
	walk(r, shown, func(i, _ int) {
		line, measured := "", false
		for j := range r.Costs {
			c := r.Costs[j].find(r.Parts[i].Pointer)
			if c == nil {
				line += fmt.Sprintf("%*s", costWidth, "")
				continue
			}
			measured = true
			text := micros(c.Cost)
			if !c.Shown {
				text = "noise"
			}
			line += fmt.Sprintf("%*s", costWidth, text)
			if c.Why != "" {
				notes = append(notes, fmt.Sprintf(
					"%s: the parts of %s do not add up: together they cost %s than one by one; %s",
					r.Costs[j].Engine, place(r.Parts[i].Pointer), more(*c.Interaction), c.Why))
			}
		}
		if measured && i > 0 {
			p.Line("%s  %s", line, label(r, i, room, 0))
		}
	})
	for _, text := range notes {
		p.Line("  %s", text)
	}

	p.Line("")
	for i := range r.Costs {
		c := &r.Costs[i]
		var states []string
		for _, s := range c.States {
			states = append(states, fmt.Sprintf("%s %s", s.Contexts, micros(s.Cost)))
		}
		if len(states) > 0 {
			p.Line("%s by state of the contexts, in µs: %s; measured with %s", c.Engine,
				strings.Join(states, ", "), c.Contexts)
		}
	}
}

// weight is the greatest share of the whole that a part and what is in it have, 0 if it is within noise.
func (r *Report) weight(i int) float64 {
	most := 0.0
	for j := range r.Costs {
		c := &r.Costs[j]
		if p := c.find(r.Parts[i].Pointer); p != nil && p.Shown {
			most = max(most, p.Cost.Center/c.Whole.Center)
		}
	}
	return most
}

// place names a part in a sentence.
func place(pointer string) string {
	if pointer == "" {
		return "the document"
	}
	return cut(pointer, 60)
}

func (p *page) advice(r *Report) {
	if len(r.Costs) == 0 {
		return
	}
	p.Line("")
	switch {
	case r.Tried == 0:
		p.Line("No advice: no changed document was measured.")
	case len(r.Advice) == 0:
		p.Line("No advice: of %s none is shown to cost less.", printable.Plural(r.Tried, "changed document"))
	default:
		p.Line("Advice, measured on the changed document (%d tried):", r.Tried)
	}
	for i := range r.Advice {
		a := &r.Advice[i]
		p.Line("- %s", printable.Short(a.Change, 300))
		p.Line("  %s", a.figures())
		for _, b := range a.Breaks {
			p.Line("  but %s", b)
		}
	}

	if len(r.Without) > 0 {
		p.Line("Tried, and not shown to cost less:")
	}
	for i := range r.Without {
		a := &r.Without[i]
		p.Line("- %s", printable.Short(a.Change, 300))
		p.Line("  %s", a.figures())
	}
}

// figures are the times before and after a change, and their ratio.
func (a *Advice) figures() string {
	return fmt.Sprintf("%s: %s µs before, %s after: × %.3f (%.3f to %.3f)", a.Engine, micros(a.Before),
		micros(a.After), a.Ratio.Center, a.Ratio.Low, a.Ratio.High)
}
