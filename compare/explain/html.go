package explain

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"strings"
	"sync"

	"canonscope/canon/printable"
	"canonscope/compare/stats"
	"canonscope/schemas/charge"
)

//go:embed page.gohtml
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

// Bounds of a page.
const (
	maxShown = 20_000 // parts
	maxName  = 200    // bytes of a text of the document
)

// htmlPage is what the template shows.
type htmlPage struct {
	Title, SHA256, About, Tried string
	Bytes                       string
	Facts, Losses, Notes, Head  []string
	Root                        *htmlPart
	Terms                       [][]string
	Measured                    bool
	Advice, Without             []htmlAdvice
	Engines, Width              int // columns of them; in rem
}

// htmlPart is a row of the tree.
type htmlPart struct {
	Name, Pointer string
	Indent        int
	Open          bool
	Cells         []htmlCell
	Parts         []*htmlPart
}

// htmlCell is a figure with a bar, the share of it of that of the whole in percent.
type htmlCell struct {
	Text, Note string
	Share      float64
}

type htmlAdvice struct {
	Change, Figures string
	Breaks          []string
}

// HTML writes a report as one page that needs nothing else, and no script: the document as a tree with bars,
// in which the dearest parts are open, advice and terms.
func HTML(w io.Writer, r *Report, top int) error {
	p := &htmlPage{Title: safe(r.Document), SHA256: r.SHA256, Bytes: number(r.Bytes), Engines: len(r.Costs),
		Measured: len(r.Costs) > 0, Head: []string{"quads", "bytes", "blank", "hashes", "scoped"},
		About: "Each quad is charged once, to the first value that states it; * marks quads that several " +
			"values state. Hashes are charged to the object of a blank node, scoped contexts to the type " +
			"or key that has them. A bar is the share of the document. Select a part to open or close it."}

	for i := range r.Costs {
		c := &r.Costs[i]
		p.Head = append(p.Head, string(c.Engine)+", µs")
		p.Facts = append(p.Facts, fmt.Sprintf("%s with the engine %s: %s µs of CPU an operation, contexts "+
			"%s.", c.Operation, c.Engine, micros(c.Whole), c.Contexts))
	}
	if len(r.Costs) > 0 {
		p.Facts = append(p.Facts, "The µs of a part are what the document would cost less without it, with "+
			"half of their 95 % interval.")
	}
	p.Width = 28 + 9*p.Engines

	for _, l := range r.Losses {
		p.Losses = append(p.Losses, safe(l.Pointer)+": "+safe(l.Reason))
	}
	p.tree(r, top)
	for i := range r.Terms {
		p.Terms = append(p.Terms, termRow(&r.Terms[i]))
	}
	p.advise(r)

	return pageTemplate().Execute(w, p)
}

// safe is a text of the document on one line.
func safe(text string) string { return printable.Line(printable.Short(text, maxName)) }

// tree makes the rows of all parts.
func (p *htmlPage) tree(r *Report, top int) {
	open := dearest(r, top, byQuads(r))
	if len(r.Costs) > 0 {
		maps.Copy(open, dearest(r, top, r.weight))
	}
	rows := make([]*htmlPart, min(len(r.Parts), maxShown))
	for i := range rows {
		part := &r.Parts[i]
		row := &htmlPart{Name: strings.TrimLeft(label(r, i, maxName, 0), " "), Pointer: safe(part.Pointer),
			Indent: part.Depth, Cells: p.cells(r, i)}
		rows[i] = row
		if part.Up >= 0 {
			up := rows[part.Up]
			up.Parts = append(up.Parts, row)
			up.Open = up.Open || open[i]
		}
	}
	p.Root = rows[0]
	if n := len(r.Parts) - len(rows); n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s are not shown; --json has all.",
			printable.Plural(n, "further part")))
	}
}

// byQuads orders parts by what is counted of them: quads, then bytes.
func byQuads(r *Report) func(i int) float64 {
	return func(i int) float64 { return float64(r.Parts[i].All.Quads)*1e9 + float64(r.Parts[i].All.Bytes) }
}

func (p *htmlPage) cells(r *Report, i int) (cells []htmlCell) {
	all, total := &r.Parts[i].All, &r.Total
	mark := ""
	if all.Shared+all.Repeated > 0 {
		mark = "*"
	}
	for _, c := range []struct {
		of, whole int
		mark      string
	}{{all.Quads, total.Quads, mark}, {all.Bytes, total.Bytes, ""}, {all.Blank, total.Blank, ""},
		{all.Hashes(), total.Hashes(), ""}, {all.Scoped, total.Scoped, ""}} {
		cells = append(cells, htmlCell{Text: number(c.of) + c.mark,
			Share: share(float64(c.of), float64(c.whole))})
	}

	for j := range r.Costs {
		c := &r.Costs[j]
		if i == 0 {
			cells = append(cells, htmlCell{Text: micros(c.Whole), Share: share(1, 1)})
			continue
		}
		part := c.find(r.Parts[i].Pointer)
		switch {
		case part == nil:
			cells = append(cells, htmlCell{})
		case !part.Shown:
			cells = append(cells, htmlCell{Text: "noise", Note: micros(part.Cost) + " µs"})
		default:
			cells = append(cells, htmlCell{Text: micros(part.Cost), Note: interval(part.Cost),
				Share: share(part.Cost.Center, c.Whole.Center)})
		}
		if part != nil && part.Why != "" {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: the parts of %s do not add up: together they cost %s "+
				"than one by one; %s.",
				c.Engine, place(r.Parts[i].Pointer), more(*part.Interaction), part.Why))
		}
	}
	return cells
}

// share is a part of a whole in percent, from 0 to 100.
func share(part, whole float64) float64 {
	if !(whole > 0) {
		return 0
	}
	return math.Round(1000*min(1, max(0, part/whole))) / 10
}

// interval is a time in words.
func interval(e stats.Estimate) string {
	return fmt.Sprintf("%.1f to %.1f µs", e.Low/1000, e.High/1000)
}

func termRow(t *charge.Term) []string {
	name := t.Name
	if name == "" {
		name = "(the document)"
	}
	c := &t.Counts
	return []string{safe(name), number(c.Quads), number(c.Bytes), number(c.Blank), number(c.Hashes()),
		number(c.Scoped)}
}

func (p *htmlPage) advise(r *Report) {
	switch {
	case r.Tried == 0:
		p.Tried = "No changed document was measured."
	case len(r.Advice) == 0:
		p.Tried = fmt.Sprintf("None: of %s none is shown to cost less.",
			printable.Plural(r.Tried, "changed document"))
	default:
		p.Tried = fmt.Sprintf("Measured on the changed document; %d were tried.", r.Tried)
	}
	for i := range r.Advice {
		a := &r.Advice[i]
		p.Advice = append(p.Advice, htmlAdvice{safe(a.Change), a.figures(), a.Breaks})
	}
	for i := range r.Without {
		a := &r.Without[i]
		p.Without = append(p.Without, htmlAdvice{Change: safe(a.Change), Figures: a.figures()})
	}
	for _, text := range r.Warnings {
		p.Notes = append(p.Notes, safe(text))
	}
}
