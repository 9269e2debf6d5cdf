package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	moremath "github.com/aclements/go-moremath/stats"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
)

// Several is the reports of several folders side by side.
type Several struct {
	Version   int        `json:"version"`
	Folders   []Named    `json:"folders"`
	Rows      []Beside   `json:"rows"`
	Orderings []Ordering `json:"orderings"`
}

// Named is one of several folders.
type Named struct {
	Label       string            `json:"label"`
	Folder      string            `json:"folder"`
	Started     string            `json:"started"`
	Interrupted bool              `json:"interrupted"`
	Environment map[string]string `json:"environment"`
}

// machine describes where a folder was measured.
func (f *Named) machine() string {
	e := f.Environment
	return fmt.Sprintf("%s, %s CPUs, %s, %s", e["cpu"], e["cpus"], e["kernel"], e["go"])
}

const whatHolds = "An ordering holds in a folder whose whole interval of the ratio lies on one side of 1. " +
	"The ratio over all folders has an interval for further folders of their kind (bootstrap of whole " +
	"folders)."

// Beside is the figure of one cell in each folder: issue + verify of an exchange, or canonize.
type Beside struct {
	Cell compare.Cell     `json:"cell"` // without operation
	ID   string           `json:"id"`
	CPU  []stats.Estimate `json:"cpu_ns"` // N of 0 where a folder has none
}

// Ordering is which of two formats of one tier and schema costs more, in how many folders.
type Ordering struct {
	ID     string `json:"id"`     // of the row that costs more, in most folders
	To     string `json:"to"`     // suite or format that costs less
	Holds  int    `json:"holds"`  // folders whose whole interval is above 1
	Turned int    `json:"turned"` // folders whose whole interval is below 1
	Of     int    `json:"of"`     // folders that have both

	// Ratio is that of all folders together. Its interval is for folders that are a sample of machines.
	Ratio stats.Estimate `json:"ratio"`

	row    *Row
	ratios []stats.Estimate
	blocks [][]float64 // ratios in each block, by folder
}

// NewSeveral sets reports side by side, each with its label.
func NewSeveral(labels []string, reports []*Report) *Several {
	s := &Several{Version: compare.Version}
	for i, r := range reports {
		c := r.Campaign
		s.Folders = append(s.Folders, Named{labels[i], c.Out, c.Started.UTC().Format("2006-01-02T15:04:05Z"),
			c.Interrupted, c.Environment})
		for k := range r.Table.Rows {
			s.add(i, len(reports), &r.Table.Rows[k])
		}
	}
	for i := range s.Orderings {
		s.Orderings[i].count()
	}
	return s
}

// add adds a row of one of so many folders.
func (s *Several) add(folder, folders int, r *Row) {
	k := slices.IndexFunc(s.Rows, func(b Beside) bool { return b.ID == r.ID })
	if k < 0 {
		k = len(s.Rows)
		s.Rows = append(s.Rows, Beside{r.Cell, r.ID, make([]stats.Estimate, folders)})
	}
	s.Rows[k].CPU[folder] = r.headline()

	for _, to := range slices.Sorted(maps.Keys(r.Ratios)) {
		o := slices.IndexFunc(s.Orderings, func(o Ordering) bool { return o.ID == r.ID && o.To == to })
		if o < 0 && slices.ContainsFunc(s.Orderings, func(o Ordering) bool { return o.mirrors(r, to) }) {
			continue
		}
		if o < 0 {
			o = len(s.Orderings)
			s.Orderings = append(s.Orderings, Ordering{ID: r.ID, To: to, row: r})
		}
		ordering := &s.Orderings[o]
		ordering.ratios = append(ordering.ratios, r.Ratios[to])
		ordering.blocks = append(ordering.blocks, r.perBlock[to].Values())
	}
}

// headline is the figure that rows are compared by.
func (r *Row) headline() stats.Estimate {
	if r.Cell.Format == compare.Document {
		return r.CPU[compare.Canonize]
	}
	return r.IssueVerify
}

// mirrors reports whether an ordering is that of a row and a format with both exchanged.
func (o *Ordering) mirrors(r *Row, to string) bool {
	a, b := o.row.Cell, r.Cell
	mirror := string(a.Format) == to && string(b.Format) == o.To
	a.Format, a.Suite, a.Contexts = b.Format, b.Suite, b.Contexts
	return mirror && a == b
}

func (o *Ordering) count() {
	for _, e := range o.ratios {
		o.Of++
		switch {
		case e.Bounded() && e.Low > 1:
			o.Holds++
		case e.Bounded() && e.High < 1:
			o.Turned++
		}
	}

	const seed = 1 // the same folders give the same interval
	o.Ratio = stats.Bootstrap(o.blocks, moremath.GeoMean, seed)
}

// holds describes the answer of the folders.
func (o *Ordering) holds() (verdict string, all bool) {
	than := "costs more than"
	n, against := o.Holds, o.Turned
	if o.Turned > o.Holds {
		than, n, against = "costs less than", o.Turned, o.Holds
	}
	if n == 0 {
		return fmt.Sprintf("against %s: not decided in any of %d", o.To, o.Of), false
	}
	text := fmt.Sprintf("%s %s: holds in %d of %d", than, o.To, n, o.Of)
	if against > 0 {
		text += fmt.Sprintf(", the other way round in %d", against)
	}
	if open := o.Of - n - against; open > 0 {
		text += fmt.Sprintf(", not decided in %d", open)
	}
	if o.Ratio.Bounded() {
		text += fmt.Sprintf("; %s over all folders", withInterval(o.Ratio))
	}
	return text, n == o.Of
}

// rowTitle names a row of several folders.
func rowTitle(c compare.Cell) string {
	title := Short(c.ID())
	if c.Contexts != "" && c.Contexts != compare.NoContexts {
		title += ", contexts " + string(c.Contexts)
	}
	if c.Granularity != compare.Leaf {
		title += ", " + string(c.Granularity)
	}
	if c.Disclose != "" {
		title += ", discloses " + string(c.Disclose)
	}
	if c.Binding != compare.NoBinding {
		title += ", holder binding"
	}
	return title
}

// Text writes the figures of each cell, a line a folder, and the orderings.
func (s *Several) Text(w io.Writer, colour bool) error {
	p := &printer{colour: colour}
	p.line("%s", p.bold("Several folders: process CPU of issue + verify, or of canonize, in µs"))
	width := 0
	for _, f := range s.Folders {
		width = max(width, min(mostLabel, utf8.RuneCountInString(printable.Line(f.Label))+1))
	}
	for _, f := range s.Folders {
		text := f.machine() + ", " + f.Started
		if f.Interrupted {
			text += ", interrupted"
		}
		p.wrapped(width+2, fmt.Sprintf("%-*s  ", width, cut(printable.Line(f.Label), width)), text)
	}
	p.line("")

	for _, b := range s.Rows {
		if !slices.ContainsFunc(b.CPU, func(e stats.Estimate) bool { return e.N > 0 }) {
			continue
		}
		p.wrapped(2, "", rowTitle(b.Cell))
		for i, f := range s.Folders {
			p.line("  %-*s%12s %s", width, cut(printable.Line(f.Label), width), micros(b.CPU[i]),
				spread(b.CPU[i]))
		}
	}
	p.orderings(s)
	if len(p.texts) <= len(s.Folders) {
		p.wrapped(2, "", "nothing was timed in any folder")
	}
	_, err := io.WriteString(w, p.b.String())

	return err
}

// orderings prints which orderings hold in all folders, and which do not.
func (p *printer) orderings(s *Several) {
	for _, all := range []bool{true, false} {
		said := false
		for i := range s.Orderings {
			o := &s.Orderings[i]
			verdict, holds := o.holds()
			if holds != all {
				continue
			}
			if !said {
				head := "orderings of issue + verify that hold in all folders"
				if !all {
					head = "orderings of issue + verify that do not"
				}
				p.line("")
				p.line("%s", p.bold(head))
				said = true
			}
			p.wrapped(2, "", rowTitle(o.row.Cell)+" "+verdict)
		}
	}
}

// Markdown writes a table with a column a folder, and the orderings.
func (s *Several) Markdown(w io.Writer) error {
	fmt.Fprint(w, "## Several folders\n\n")
	for _, f := range s.Folders {
		fmt.Fprintf(w, "- %s\n", printable.Markdown(f.Label+": "+f.machine()+", "+f.Started))
	}
	fmt.Fprint(w, "\n| issue + verify or canonize, µs |")
	for _, f := range s.Folders {
		fmt.Fprintf(w, " %s |", printable.Markdown(f.Label))
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", len(s.Folders)))
	for _, b := range s.Rows {
		fmt.Fprintf(w, "| %s |", printable.Markdown(rowTitle(b.Cell)))
		for _, e := range b.CPU {
			fmt.Fprintf(w, " %s |", withSpread(e))
		}
		fmt.Fprintln(w)
	}

	fmt.Fprint(w, "\n### Orderings of issue + verify\n\n")
	for i := range s.Orderings {
		o := &s.Orderings[i]
		verdict, _ := o.holds()
		fmt.Fprintf(w, "- %s\n", printable.Markdown(rowTitle(o.row.Cell)+" "+verdict))
	}
	_, err := fmt.Fprintln(w, "\nGeometric means over processes, with 95 % intervals. "+whatHolds)
	return err
}

// CSV writes a line for each cell and folder: nanoseconds.
func (s *Several) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"id", "label", "cpu_ns", "low_ns", "high_ns", "processes"}); err != nil {
		return err
	}
	for _, b := range s.Rows {
		for i, e := range b.CPU {
			if err := out.Write([]string{b.ID, s.Folders[i].Label, number(e, e.Center), number(e, e.Low),
				number(e, e.High), known(e.N > 0, fmt.Sprint(e.N))}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// JSON writes the folders, their figures and the orderings.
func (s *Several) JSON(w io.Writer) error { return printable.JSON(w, s) }

// HTML writes a page like that of one folder.
func (s *Several) HTML(w io.Writer) error {
	p := page{Title: "Several folders side by side", Notes: []string{whatHolds}}
	figures := &htmlTable{Caption: "Issue + verify, or canonize, µs of process CPU",
		Head: []string{"exchange"}}
	orderings := &htmlTable{Caption: "Orderings of issue + verify", Words: 1,
		Head: []string{"exchange", "in how many folders"}}
	machines := &htmlTable{Caption: "Folders", Words: 2, Head: []string{"label", "machine", "measured"}}
	for _, f := range s.Folders {
		figures.Head = append(figures.Head, f.Label)
		machines.Rows = append(machines.Rows,
			htmlRow{Cells: []htmlCell{{Text: f.Label}, {Text: f.machine()}, {Text: f.Started}}})
		if f.Interrupted {
			p.Alerts = append(p.Alerts, f.Label+
				" was interrupted or killed: only what was finished is shown.")
		}
	}
	for _, b := range s.Rows {
		row := htmlRow{Cells: []htmlCell{{Text: rowTitle(b.Cell)}}}
		for _, e := range b.CPU {
			row.Cells = append(row.Cells, measured(e))
		}
		figures.Rows = append(figures.Rows, row)
	}
	for i := range s.Orderings {
		verdict, _ := s.Orderings[i].holds()
		orderings.Rows = append(orderings.Rows,
			htmlRow{Cells: []htmlCell{{Text: rowTitle(s.Orderings[i].row.Cell)}, {Text: verdict}}})
	}
	for i, t := range []*htmlTable{machines, figures.filled(), orderings.filled()} {
		if t != nil {
			head := section{ID: fmt.Sprintf("group-%d", i+1), Title: t.Caption}
			p.Groups = append(p.Groups, pageGroup{section: head, Whole: t})
		}
	}
	p.Contents = p.contents()

	return pageTemplate().Execute(w, &p)
}

// Files lists the files of the report, the smallest first.
func (s *Several) Files() []File {
	return []File{{"table.md", s.Markdown}, {"table.csv", s.CSV}, {"results.json", s.JSON},
		{"report.html", s.HTML}}
}
