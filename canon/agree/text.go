package agree

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon/conform"
	"canonscope/canon/printable"
)

const (
	columns  = 80  // of the text
	cell     = 10  // least width of a column of the matrix
	maxQuad  = 200 // bytes of a quad or an error
	maxInput = 600 // bytes of an input
)

// Text writes a report in lines of at most 80 columns, unless a quad is longer: who agrees with whom, and
// each input that engines disagree about.
func (r *Report) Text(w io.Writer) error {
	p := &printable.Printer{W: w, Width: columns}
	p.Line("%s: %s, %s", r.About,
		printable.Plural(r.Inputs, "input"), printable.Plural(len(r.Engines), "engine"))
	r.matrix(p)

	same := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		switch {
		case row.quiet() && row.Source != "":
			same++
			continue
		case row.quiet() && i > 0 && r.Rows[i-1].quiet(): // a list of lines
		default:
			p.Line("")
		}
		row.text(p)
	}

	if same > 0 {
		p.Line("")
		p.Line("All engines that answered are right about %d other inputs.", same)
	}
	return p.Err
}

// quiet reports whether there is nothing to say about an input.
func (r *Row) quiet() bool { return r.Agree() && !r.Wrong() && len(r.Unstable) == 0 }

// matrix writes the tables over all inputs. Engines that are too many for columns with their names get
// numbers.
func (r *Report) matrix(p *printable.Printer) {
	first, width := cell, cell
	for _, name := range r.Engines {
		first, width = max(first, len(name)+2), max(width, len(name)+2)
	}
	rows, heads := slices.Clone(r.Engines), slices.Clone(r.Engines)
	if first+width*len(heads) > columns {
		width = len(" 1000/1000")
		for i := range heads {
			heads[i] = strconv.Itoa(i + 1)
			rows[i] = heads[i] + " " + rows[i]
		}
		first += 3
	}
	line := func(head string, cells ...string) {
		text := fmt.Sprintf("%-*s", first, head)
		for _, c := range cells {
			text += fmt.Sprintf("%*s", width, c)
		}
		p.Line("%s", text)
	}

	if len(r.Pairs) > 0 {
		p.Line("")
		p.Line("Equal answers, of the inputs that both engines answered:")
		line("", heads...)
		for i, a := range r.Engines {
			var cells []string
			for _, b := range r.Engines {
				cells = append(cells, r.cell(a, b))
			}
			line(rows[i], cells...)
		}
	}

	if len(r.Judged) == 0 {
		return
	}
	p.Line("")
	line("", "right", "wrong", "open")
	for i, a := range r.Engines {
		s := r.Judged[a]
		line(rows[i], strconv.Itoa(s.Right), strconv.Itoa(s.Wrong), strconv.Itoa(s.Open))
	}
}

// cell is how often two engines agree.
func (r *Report) cell(a, b string) string {
	if a == b {
		return "-"
	}
	equal, both := r.equal(a, b)
	return fmt.Sprintf("%d/%d", equal, both)
}

// text writes one input.
func (r *Row) text(p *printable.Printer) {
	what := fmt.Sprintf("%s of %s", r.Method, r.Syntax)
	if r.Times > 1 {
		what += fmt.Sprintf(", one of %d such inputs", r.Times)
	}
	if r.quiet() {
		var answers []string
		for i := range r.Groups {
			g := &r.Groups[i]
			answers = append(answers, g.String()+": "+printable.Short(g.answer(), maxQuad))
		}
		p.Line("%s (%s) %s", r.Name, what, strings.Join(answers, "; "))
		return
	}

	p.Line("%s (%s)", r.Name, what)
	for line := range strings.Lines(r.Document) {
		p.Line("  input: %s", visible(strings.TrimSuffix(line, "\n"), maxInput))
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		verdict := ""
		if g.Verdict != Open {
			verdict = " (" + string(g.Verdict) + ")"
		}
		p.Line("  %s%s: %s", g, verdict, printable.Short(g.answer(), maxQuad))
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		p.Line("  %s", cmp.Or(d.Place, "no form")+", by "+d.Phase)
		if d.Place != "" {
			p.Line("    %s: %s", d.A, cmp.Or(visible(d.AHas, maxQuad), "(nothing)"))
			p.Line("    %s: %s", d.B, cmp.Or(visible(d.BHas, maxQuad), "(nothing)"))
		}
	}
	for _, text := range r.decides() {
		p.Line("  decided by %s", text)
	}
	if len(r.Undetermined) > 0 {
		p.Line("  undetermined: RDFC-1.0 allows exchanging labels among %s",
			printable.Short(strings.Join(r.Undetermined, " "), maxQuad))
	}
	if len(r.Unstable) > 0 {
		p.Line("  %s: another form when the input is written in another order or with other labels",
			strings.Join(r.Unstable, ", "))
	}
}

// visible shows characters that do not print by their names, since an escape would look like one of the text.
func visible(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return printable.Short(b.String(), most)
}

// answer is the answer of a group in words.
func (g *Group) answer() string {
	switch g.Outcome {
	case Form:
		return fmt.Sprintf("%d bytes, %.12s", g.Bytes, g.SHA256)
	case Refused:
		return "refuses: " + g.Error
	}
	return string(g.Outcome) + ": " + g.Error
}

// decides lists the steps of specifications that decide an input.
func (r *Row) decides() []string {
	if r.Source != "" {
		return []string{r.Source}
	}
	var steps []string
	for i := range r.Differences {
		if s := r.Differences[i].Step; s != "" && !slices.Contains(steps, s) {
			steps = append(steps, s)
		}
	}
	return steps
}

// Markdown writes a report as a page: the matrix of engines, and a table of the inputs that they disagree
// about.
func (r *Report) Markdown(w io.Writer) error {
	p := &printable.Printer{W: w}
	row := func(cells ...string) {
		for i, c := range cells {
			cells[i] = printable.Markdown(c)
		}
		p.Line("| %s |", strings.Join(cells, " | "))
	}
	rule := func(n int) { p.Line("|%s", strings.Repeat(" --- |", n)) }

	p.Line("# Who agrees: %s", printable.Markdown(r.About))
	p.Line("")
	p.Line("%s. Equal answers, of those that both engines answered:", printable.Plural(r.Inputs, "input"))
	p.Line("")
	row(append([]string{""}, r.Engines...)...)
	rule(len(r.Engines) + 1)
	for _, a := range r.Engines {
		cells := []string{a}
		for _, b := range r.Engines {
			cells = append(cells, r.cell(a, b))
		}
		row(cells...)
	}

	if len(r.Judged) > 0 {
		p.Line("")
		row("", "right", "wrong", "open")
		rule(4)
		for _, a := range r.Engines {
			s := r.Judged[a]
			row(a, fmt.Sprint(s.Right), fmt.Sprint(s.Wrong), fmt.Sprint(s.Open))
		}
	}

	p.Line("")
	p.Line("Inputs about which they disagree; engines with one letter gave one answer:")
	p.Line("")
	row(append(append([]string{"input"}, r.Engines...), "decided by")...)
	rule(len(r.Engines) + 2)
	for i := range r.Rows {
		if r := &r.Rows[i]; !r.quiet() {
			row(r.cells()...)
		}
	}
	return p.Err
}

// cells are the answers of the engines to an input, for a table.
func (r *Row) cells() []string {
	name := r.Name
	if r.Document != "" {
		name += ": " + printable.Short(r.Document, maxQuad)
	}
	answers := map[string]string{}
	for i := range r.Groups {
		g := &r.Groups[i]
		text := string(g.Outcome)
		if g.answers() {
			text = string(rune('A' + i%26))
			if g.Outcome == Refused {
				text += " (refused)"
			}
			if g.Verdict != Open {
				text += " " + string(g.Verdict)
			}
		}
		for _, e := range g.Engines {
			answers[e] = text
		}
	}
	for _, e := range r.Unstable {
		answers[e] += ", unstable"
	}

	cells := []string{name}
	for i := range r.engines {
		cells = append(cells, answers[r.engines[i]])
	}
	return append(cells, strings.Join(r.decides(), "; "))
}

// Results returns the outcomes of an engine for the inputs of the corpus, for a report in EARL. An open
// answer is skipped.
func (r *Report) Results(engine string) (results []conform.Result) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.IRI == "" {
			continue
		}
		g := row.groupOf(engine)
		out := conform.Result{Test: row.IRI, Name: row.Name}
		switch g.Verdict {
		case Right:
			out.Outcome = conform.Passed
		case Wrong:
			out.Outcome, out.Reason = conform.Failed, row.Source+"; "+g.answer()
		default:
			out.Outcome, out.Reason = conform.Skipped, g.answer()
		}
		results = append(results, out)
	}
	return results
}
