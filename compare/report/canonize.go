package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"canonscope/canon"
	"canonscope/canon/printable"
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
	const columns = "%-*s%11s%7s%9s%7s%8s%8s%10s"
	p.line(columns, nameWidth-2, g.rows[0].Cell.Suite+":", "µs", "", "×first", "quads", "blank", "n-deg.",
		"bytes")
	for _, r := range g.rows {
		first, quads, blank, nDegree := r.document()
		p.first = p.first || r.First.N > 0
		cpu := r.CPU[compare.Canonize]
		p.line(columns, nameWidth-2, documentName(r, g, nameWidth-2), micros(cpu), spread(cpu),
			first, quads, blank, nDegree, bytesOf(r, compare.Canonize))
		for _, reason := range r.Reasons {
			p.wrapped(4, "  ! ", reason)
		}
	}
	if slices.ContainsFunc(g.rows, func(r *Row) bool { return len(r.CPU) > 0 }) {
		p.details(g)
	}
}

// documentName names a row by its schema, and by the state of its contexts where that varies, in less than
// width columns.
func documentName(r *Row, g group, width int) string {
	for _, other := range g.rows {
		if other.Cell.Schema == r.Cell.Schema && other.Cell.Contexts != r.Cell.Contexts {
			state := " " + string(r.Cell.Contexts)
			return schemaWithin(r.Cell.Schema, width-len(state)) + state
		}
	}
	return schemaWithin(r.Cell.Schema, width)
}

// document returns the ratio of a row to the first document, and what RDFC-1.0 found in it; "-" is unknown.
func (r *Row) document() (first, quads, blank, nDegree string) {
	first, quads, blank, nDegree = "-", "-", "-", "-"
	switch {
	case r.base:
		first = "1"
	case r.First.N > 0:
		first = figure(r.First.Center)
	}
	if canon.Method(r.Cell.Suite) == canon.RDFC && r.Quads > 0 {
		quads, blank, nDegree = count(r.Quads), count(r.Blank), thousands(r.NDegree)
	}
	return first, quads, blank, nDegree
}

// markdown writes a table of documents.
func (g group) markdown(w io.Writer) error {
	fmt.Fprintln(w, "| document | method | canonize µs | interval | × first "+
		"| quads | blank nodes | n-degree | bytes |")
	fmt.Fprintln(w, "|---|---|--:|--:|--:|--:|--:|--:|--:|")
	for _, of := range g.suites() {
		for _, r := range of.rows {
			first, quads, blank, nDegree := r.document()
			cpu := r.CPU[compare.Canonize]
			if _, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
				printable.Markdown(documentName(r, of, math.MaxInt)), r.Cell.Suite, micros(cpu),
				spread(cpu), first,
				quads, blank, nDegree, bytesOf(r, compare.Canonize)); err != nil {
				return err
			}
			for _, reason := range r.Reasons {
				fmt.Fprintf(w, "| | | %s |\n", printable.Markdown(reason))
			}
		}
	}
	return nil
}
