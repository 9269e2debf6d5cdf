package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
)

// Verdicts are those on the ratios of a row, by the names of [Ratios].
type Verdicts map[string]*stats.Comparison

// native is the name of the verdict on the ratio to the native row, in exports.
const native = "native"

// Found is the smallest difference from 1 that the campaign could have found in a column of ratios: of the
// row that varies least and of the one that varies most.
type Found struct {
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// judged is a verdict and its column.
type judged struct {
	row        *Row
	name       string
	comparison *stats.Comparison
}

// judge gives the verdicts of all rows, corrected for their number. A ratio and its inverse are one
// comparison.
func (t *Table) judge(samples map[string]cellSamples) {
	whole := func(r *Row) []stats.Sample { return samples[r.ID].of(compare.Whole...) }
	var family []*stats.Comparison
	inverse := make(map[*stats.Comparison]*stats.Comparison) // of those of the family
	of := make(map[[2]string]*stats.Comparison)              // by the two rows

	add := func(row, base *Row) *stats.Comparison {
		if c := of[[2]string{base.ID, row.ID}]; c != nil {
			inverse[c] = new(stats.Comparison)
			return inverse[c]
		}
		c := stats.Paired(whole(row), whole(base), t.Band)
		of[[2]string{row.ID, base.ID}] = &c
		family = append(family, &c)
		return &c
	}

	for i := range t.Rows {
		row := &t.Rows[i]
		for _, c := range t.columns() {
			if row.Ratios[c.name].N > 0 {
				if row.Verdicts == nil {
					row.Verdicts = make(Verdicts)
				}
				row.Verdicts[c.name] = add(row, t.base(row, c.name))
			}
		}
		if row.ToNative.N > 0 {
			row.NativeVerdict = add(row, t.native(row))
		}
	}

	stats.Correct(family)
	for c, other := range inverse {
		*other = c.Inverse()
	}

	t.Compared = len(family)
	t.find()
}

// judged lists the verdicts of the table in its order.
func (t *Table) judged() []judged {
	var out []judged
	for i := range t.Rows {
		row := &t.Rows[i]
		for _, c := range t.columns() {
			if v := row.Verdicts[c.name]; v != nil {
				out = append(out, judged{row, c.name, v})
			}
		}
		if row.NativeVerdict != nil {
			out = append(out, judged{row, native, row.NativeVerdict})
		}
	}
	return out
}

// find fills Finds.
func (t *Table) find() {
	for _, j := range t.judged() {
		finds := j.comparison.Finds()
		if finds == 0 {
			continue
		}
		if t.Finds == nil {
			t.Finds = make(map[string]Found)
		}
		f, ok := t.Finds[j.name]
		if !ok {
			f.Least = math.Inf(1)
		}
		t.Finds[j.name] = Found{min(f.Least, finds), max(f.Most, finds)}
	}
}

// native returns the row of the native engine with contexts in the same state; nil for one of them.
func (t *Table) native(row *Row) *Row {
	same := row.Cell
	same.Engine = canon.Native
	if row.Cell == same {
		return nil
	}
	for i := range t.Rows {
		if t.Rows[i].Cell == same {
			return &t.Rows[i]
		}
	}
	return nil
}

// verdictOf is a verdict in words, with the half-width that was reached and the processes that would decide.
func verdictOf(c *stats.Comparison) string {
	if c == nil {
		return "-"
	}
	text := string(c.Verdict)
	if half := c.Half(); half > 0 {
		text += " ±" + percentage(half)
	}
	if n := c.Needs(); n > 0 {
		text += ", needs " + thousands(int64(n))
	}
	return text
}

// percentage is a difference from 1: two digits below 10 %.
func percentage(v float64) string {
	switch p := 100 * v; {
	case p < 0.095:
		return "<0.1%"
	case p < 9.95:
		return fmt.Sprintf("%.1f%%", p)
	case p < 999.5:
		return fmt.Sprintf("%.0f%%", p)
	case v < 998.5:
		return fmt.Sprintf("%.0f×", 1+v)
	}
	return ">999×"
}

// verdictWidth is that of a column with a verdict, of which two fit a line.
const verdictWidth = (Width - nameWidth) / 2

// perLine is the number of columns of verdicts in a line: two where all of them fit.
func (p *printer) perLine(g group) int {
	for _, r := range g.rows {
		for _, c := range p.columns {
			if utf8.RuneCountInString(verdictOf(r.Verdicts[c.name])) >= verdictWidth {
				return 1
			}
		}
	}
	return 2
}

// verdicts prints those of a group.
func (p *printer) verdicts(g group) {
	if !slices.ContainsFunc(g.rows, func(r *Row) bool { return len(r.Verdicts) > 0 }) {
		return
	}
	for columns := range slices.Chunk(p.columns, p.perLine(g)) {
		line := func(name string, cell func(c column) string) {
			text := fmt.Sprintf("%-*s", nameWidth, name)
			for _, c := range columns {
				text += fmt.Sprintf("%-*s", verdictWidth, cell(c))
			}
			p.line("%s", text)
		}
		p.line("")
		line("verdicts:", func(c column) string { return "×" + c.head })
		label := p.labels(g)
		for _, r := range g.rows {
			if len(r.Verdicts) > 0 {
				line(label(r), func(c column) string { return verdictOf(r.Verdicts[c.name]) })
			}
		}
	}
}

// found explains the verdicts and prints what the campaign could have found.
func (p *printer) found(t Table) {
	if t.Compared == 0 {
		return
	}
	for _, text := range t.verdictNotes() {
		p.wrapped(2, "", text)
	}
}

// verdictNotes are the notes on verdicts that text and Markdown share.
func (t *Table) verdictNotes() []string {
	band := percentage(t.Band)
	notes := []string{fmt.Sprintf("verdicts on issue + verify, paired by block, corrected for %s (Holm): "+
		"equivalent is within %s of 1, shown by two one-sided tests; inconclusive is neither that nor shown "+
		"to differ; ± is half the interval of the one ratio; needs: the processes that would decide in 80 "+
		"of 100 campaigns if ratio and variance are as observed",
		printable.Plural(t.Compared, "comparison"), band)}
	var finds []string
	for _, c := range append(t.columns(), column{native, native, native}) {
		if f, ok := t.Finds[c.name]; ok {
			text := percentage(f.Least)
			if most := percentage(f.Most); most != text {
				text += " to " + most
			}
			finds = append(finds, "×"+c.head+" "+text)
		}
	}
	if finds != nil {
		notes = append(notes, "the smallest difference that this campaign could have found "+
			"(at 5 %, in 80 of 100 campaigns, by row): "+strings.Join(finds, ", "))
	}
	return notes
}

// writeVerdicts writes a table of all verdicts in Markdown.
func (t *Table) writeVerdicts(w io.Writer) {
	if t.Compared == 0 {
		return
	}
	fmt.Fprint(w, "\n### Verdicts\n\n| schema | exchange | engine | contexts | against | issue + verify × | "+
		"verdict | half-width | processes to decide |\n|---|---|---|---|---|--:|---|--:|--:|\n")
	titles := map[string]string{native: "native engine"}
	for _, c := range t.columns() {
		titles[c.name] = c.title
	}
	for _, j := range t.judged() {
		half, needs, c := "", "", j.row.Cell
		if h := j.comparison.Half(); h > 0 {
			half = "±" + percentage(h)
		}
		if n := j.comparison.Needs(); n > 0 {
			needs = thousands(int64(n))
		}
		fmt.Fprintf(w, "| %s | %s %s | %s | %s | %s | %s %s | %s | %s | %s |\n",
			printable.Markdown(schemaName(c.Schema)), name(j.row), c.Algorithm, c.Engine, c.Contexts,
			printable.Markdown(titles[j.name]), figure(j.comparison.Ratio.Center), spread(j.comparison.Ratio),
			j.comparison.Verdict, half, needs)
	}
	for _, text := range t.verdictNotes() {
		fmt.Fprintf(w, "\n%s.\n", printable.Markdown(strings.ToUpper(text[:1])+text[1:]))
	}
}

// verdictHead names the columns of verdicts in CSV.
func (t *Table) verdictHead() []string {
	var head []string
	for _, c := range append(t.columns(), column{name: native}) {
		name := "to_" + strings.ReplaceAll(c.name, "-", "_")
		head = append(head, name+"_verdict", name+"_half_width", name+"_processes_to_decide")
	}
	return head
}

// verdictLine is what a row has in the columns of verdicts.
func (t *Table) verdictLine(r *Row) []string {
	var line []string
	for _, c := range append(t.columns(), column{name: native}) {
		v := r.Verdicts[c.name]
		if c.name == native {
			v = cmp.Or(v, r.NativeVerdict)
		}
		if v == nil {
			line = append(line, "", "", "")
			continue
		}
		half, needs := v.Half(), v.Needs()
		line = append(line, string(v.Verdict), known(half > 0, plain(half)),
			known(needs > 0, fmt.Sprint(needs)))
	}
	return line
}
