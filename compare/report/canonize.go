package report

import (
	"slices"

	"canonscope/compare"
)

// documents reports whether the rows of a group are documents that are canonicalized and nothing else.
func (g group) documents() bool { return g.rows[0].Cell.Format == compare.Document }

// suites divides a group of documents by the method that canonicalizes them.
func (g group) suites() []group {
	var out []group
	for _, r := range g.rows {
		k := slices.IndexFunc(out, func(of group) bool { return of.rows[0].Cell.Suite == r.Cell.Suite })
		if k < 0 {
			out, k = append(out, g), len(out)
			out[k].rows = nil
		}
		out[k].rows = append(out[k].rows, r)
	}
	return out
}

// canonized prints what it costs to canonicalize documents, one table for each method.
func (p *printer) canonized(g group) {
	p.line("")
	p.line("%s", p.bold(g.title()))
	for i, of := range g.suites() {
		if i > 0 {
			p.line("")
		}
		p.documents(of)
	}
}

// documents prints the documents of one method: time, ratio to the first, and what they hold.
func (p *printer) documents(g group) {
	p.line("%-*s%11s%7s%9s%7s%8s%8s%10s", nameWidth-2, g.rows[0].Cell.Suite+":", "µs", "", "×first", "quads", "blank",
		"n-deg.", "bytes")
	said := false
	for _, r := range g.rows {
		first, nDegree := "1", "-"
		if r.First != nil {
			first = figure(r.First.Center)
		}
		if len(r.CPU) == 0 {
			first = "-"
		}
		quads, blank := "-", "-"
		if r.Cell.Suite == "rdfc" && r.Quads > 0 {
			quads, blank, nDegree = count(r.Quads), count(r.Blank), thousands(r.NDegree)
		}
		p.line("%-*s%11s%7s%9s%7s%8s%8s%10s", nameWidth-2, cut(documentName(r, g), nameWidth-2), micros(r.CPU[compare.Canonize]),
			spread(r.CPU[compare.Canonize]), first, quads, blank, nDegree, bytesOf(r, compare.Canonize))
		for _, reason := range r.Reasons {
			p.wrapped(4, "  ! ", reason)
		}
		said = said || r.Phases != nil
	}
	if !said {
		return
	}

	p.line("")
	p.line("%-*s%s", nameWidth, "where the time goes:", "share of the CPU by phase")
	for _, r := range g.rows {
		if r.Phases != nil {
			p.bar(r, cut(documentName(r, g), nameWidth-1))
		}
	}
}

// documentName names a row by its schema, and by the state of its contexts where that varies.
func documentName(r *Row, g group) string {
	name := schemaName(r.Cell.Schema)
	for _, other := range g.rows {
		if other.Cell.Schema == r.Cell.Schema && other.Cell.Contexts != r.Cell.Contexts {
			return name + " " + string(r.Cell.Contexts)
		}
	}
	return name
}
