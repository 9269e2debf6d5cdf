package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare/stats"
	"canonscope/schemas/charge"
)

// Diff is what changed from one report to another.
type Diff struct {
	Names [2]string     `json:"documents"`
	Total Change        `json:"total"`
	Parts []Change      `json:"parts"` // by their own counts, what grew most first
	Terms []Change      `json:"terms"`
	Costs []CostsChange `json:"costs,omitempty"`
}

// Change is what a part, a term or the document cost before and after.
type Change struct {
	Name   string        `json:"name"` // pointer or term
	Before charge.Counts `json:"before"`
	After  charge.Counts `json:"after"`
}

// CostsChange is what an engine took for the documents. They were measured apart, so that what slowed down
// the machine meanwhile is in the figures.
type CostsChange struct {
	Engine    canon.Engine   `json:"engine"`
	Operation string         `json:"operation"`
	Before    stats.Estimate `json:"before_ns"`
	After     stats.Estimate `json:"after_ns"`
}

// IsReport reports whether JSON is that of a [Report].
func IsReport(b []byte) bool {
	var r struct {
		Version int
		Parts   []json.RawMessage
		Total   *json.RawMessage
	}
	return json.Unmarshal(b, &r) == nil && r.Version > 0 && r.Total != nil && r.Parts != nil
}

// Compare compares two reports by pointer and by term.
func Compare(a, b *Report) *Diff {
	d := &Diff{Names: [2]string{a.Document, b.Document}, Total: Change{"", a.Total, b.Total}}
	pointers := func(r *Report) map[string]charge.Counts {
		all := map[string]charge.Counts{}
		for i := range r.Parts {
			all[r.Parts[i].Pointer] = r.Parts[i].Own
		}
		return all
	}
	terms := func(r *Report) map[string]charge.Counts {
		all := map[string]charge.Counts{}
		for i := range r.Terms {
			all[r.Terms[i].Name] = r.Terms[i].Counts
		}
		return all
	}
	d.Parts = changed(pointers(a), pointers(b))
	d.Terms = changed(terms(a), terms(b))
	for _, before := range a.Costs {
		for _, after := range b.Costs {
			if before.Engine == after.Engine && before.Operation == after.Operation {
				d.Costs = append(d.Costs,
					CostsChange{before.Engine, before.Operation, before.Whole, after.Whole})
			}
		}
	}
	return d
}

// changed lists what differs, the greatest differences first.
func changed(before, after map[string]charge.Counts) []Change {
	all := []Change{}
	for name, c := range before {
		if after[name] != c {
			all = append(all, Change{name, c, after[name]})
		}
	}
	for name, c := range after {
		if _, ok := before[name]; !ok && c != (charge.Counts{}) {
			all = append(all, Change{Name: name, After: c})
		}
	}
	size := func(c *Change) int {
		return 100*abs(c.After.Quads-c.Before.Quads) + abs(c.After.Bytes-c.Before.Bytes) +
			100*abs(c.After.Hashes()-c.Before.Hashes()) + 100*abs(c.After.Scoped-c.Before.Scoped)
	}
	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(size(&b)-size(&a), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func abs(n int) int { return max(n, -n) }

// DiffText writes a difference as tables of at most 80 columns.
func DiffText(w io.Writer, d *Diff, top int) error {
	p := &page{printable.Printer{W: w, Width: columns}}
	p.Line("From %s to %s", printable.Short(d.Names[0], 100), printable.Short(d.Names[1], 100))
	p.Line("")
	p.Line("%s", diffHead)
	p.change(&d.Total, "the document")
	for _, table := range []struct {
		what string
		rows []Change
	}{{"part", d.Parts}, {"term or type", d.Terms}} {
		p.Line("")
		if len(table.rows) == 0 {
			p.Line("No %s changed.", table.what)
			continue
		}
		p.Line("%s%s", diffHead, table.what)
		for i := range table.rows {
			if i == top {
				p.Line("%s… %d more; --json has all", strings.Repeat(" ", len(diffHead)), len(table.rows)-i)
				break
			}
			name := table.rows[i].Name
			if name == "" {
				name = "(the document itself)"
			}
			p.change(&table.rows[i], name)
		}
	}

	for i := range d.Costs {
		c := &d.Costs[i]
		if i == 0 {
			p.Line("")
		}
		p.Line("%s, %s: %s µs before, %s after, measured apart", c.Engine, c.Operation, micros(c.Before),
			micros(c.After))
	}
	return p.Err
}

const diffHead = "   quads     bytes blank hashes scoped  "

func (p *page) change(c *Change, name string) {
	head := fmt.Sprintf("%8s%10s%6s%7s%7s  ", gain(c.After.Quads-c.Before.Quads),
		gain(c.After.Bytes-c.Before.Bytes), gain(c.After.Blank-c.Before.Blank),
		gain(c.After.Hashes()-c.Before.Hashes()), gain(c.After.Scoped-c.Before.Scoped))
	p.Line("%s%s", head, tail(name, columns-len(head)))
}

// gain is a difference with its sign.
func gain(n int) string {
	switch {
	case n == 0:
		return "."
	case n < 0:
		return "-" + number(-n)
	}
	return "+" + number(n)
}
