package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"canonscope/canon/phase"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

//go:embed page.gohtml
var pageText string

// pageTemplate is parsed when it is needed: processes that are timed share this code.
var pageTemplate = sync.OnceValue(parsePage)

func parsePage() *template.Template { return template.Must(template.New("page").Parse(pageText)) }

// page is what the template shows.
type page struct {
	Title       string
	Facts       []string // machine, time, command
	Alerts      []string // that the campaign did not end, or measured nothing
	Sentences   []string
	Fitness     []string
	Contents    []section
	Groups      []pageGroup
	Tiers       *htmlTable
	Builds      []*htmlTable
	Growth      []pageGrowth
	Sizes       []pageSizes
	Flames      []pageFlame
	MoreFlames  []string // that are only in the folder
	Notes       []string
	Policy      string // of this campaign
	Environment []pair
	Modules     []pair
}

type section struct {
	ID, Title string
	Sub       []section
}

type pair struct{ Name, Value string }

// htmlTable is a table whose first column names the rows.
type htmlTable struct {
	Caption string
	Head    []string
	Words   int // further columns that are words, from the left
	Rows    []htmlRow
}

type htmlRow struct {
	Cells   []htmlCell
	Reasons []string
}

// htmlCell is a value, and its interval or whatever else is below it.
type htmlCell struct{ Text, Sub string }

type pageGroup struct {
	section
	Disclosed string
	Whole     *htmlTable
	Ratios    []chart
	Part      *htmlTable
	Phases    []stack
	Shares    *htmlTable // what the stacks show, in full
	Basis     *htmlTable
}

// chart is a picture beside a title; the table near it has the same in numbers.
type chart struct {
	Title string
	SVG   template.HTML
}

// stack is the phases of one row.
type stack struct {
	Name   string
	SVG    template.HTML
	Legend []key
}

type key struct {
	Colour      template.CSS
	Fill        string
	Name, Share string
	Few         bool // samples
}

type pageGrowth struct {
	section
	About     string
	Plots     []chart // of all curves
	Crossings []string
	Curves    []pageCurve
}

type pageCurve struct {
	Title     string
	Sentences []string
	Plots     []chart
	Costs     *htmlTable
	Phases    *htmlTable
	Reasons   []string
}

type pageSizes struct {
	Title string
	Table *htmlTable
	Bars  template.HTML
}

// HTML writes the report as one page that needs no script and asks for nothing else. Flame graphs come from
// the results folder.
func (r *Report) HTML(w io.Writer, folder fs.FS) error {
	c, t := r.Campaign, &r.Table
	if c == nil {
		return errNoCampaign
	}

	p := page{Sentences: t.Sentences, Fitness: t.Fitness}
	text := &printer{columns: t.columns()}
	p.Title = text.head(c)
	p.Policy = text.texts[0] + "."
	p.Facts = append(p.Facts, text.texts[1], "measured "+c.Started.UTC().Format("2 January 2006, 15:04 UTC")+
		fmt.Sprintf(", in %.0f s", c.Took))
	if c.Command != "" {
		p.Facts = append(p.Facts, c.Command)
	}
	p.Alerts = alerts(c)

	text.rows(*t) // sets which notes the foot has
	text.texts = nil
	text.foot(c, *t)
	for _, note := range text.texts {
		p.Notes = append(p.Notes, upper(strings.TrimPrefix(strings.TrimSpace(note), "! ")))
	}

	groups := slices.DeleteFunc(grouped(t.Rows), func(g group) bool {
		_, out := g.leftOut()
		return out
	})
	for i, g := range groups {
		p.Groups = append(p.Groups, t.pageGroup(g, i, c))
	}
	p.Tiers, p.Builds = t.pageTiers(), t.pageBuilds()
	p.Sizes = pageSizesOf(groups)
	for i := range r.Growth {
		p.Growth = append(p.Growth, r.Growth[i].page(i))
	}
	p.Flames, p.MoreFlames = flames(c, t, folder)
	p.Environment, p.Modules = environment(c)
	p.Contents = p.contents()

	return pageTemplate().Execute(w, &p)
}

// upper begins a sentence.
func upper(text string) string {
	for i, r := range text {
		if r < 'a' || r > 'z' {
			return text
		}
		return strings.ToUpper(text[:i+1]) + text[i+1:]
	}
	return text
}

// alerts are what a reader must know before any figure.
func alerts(c *compare.Campaign) []string {
	var out []string
	if c.Interrupted {
		out = append(out, "The campaign was interrupted or killed: only what was finished is shown.")
	}
	if c.Stopped != "" {
		out = append(out, "The campaign stopped: only what was finished is shown. "+upper(c.Stopped)+".")
	}
	if !slices.ContainsFunc(c.Results, func(r compare.Result) bool { return len(r.Runs) > 0 }) {
		out = append(out, "Nothing was timed, so the table is empty.")
	}
	return out
}

// Six are the numbers of the colours of lines.
func (*page) Six() []int { return []int{0, 1, 2, 3, 4, 5} }

// contents lists the sections that the page has.
func (p *page) contents() []section {
	var out []section
	add := func(has bool, id, title string, sub ...section) {
		if has {
			out = append(out, section{id, title, sub})
		}
	}
	var groups, growth []section
	for _, g := range p.Groups {
		groups = append(groups, g.section)
	}
	for _, g := range p.Growth {
		growth = append(growth, g.section)
	}
	add(len(p.Sentences) > 0, "answer", "The answer")
	add(len(p.Fitness) > 0, "fitness", "Fitness of the measurement")
	add(len(p.Growth) > 0, "growth", "Growth", growth...)
	add(len(p.Groups) > 0, "results", "Results", groups...)
	add(p.Tiers != nil, "tiers", "Specification or library?")
	add(len(p.Builds) > 0, "builds", "Builds")
	add(len(p.Sizes) > 0, "sizes", "Sizes on the wire")
	add(len(p.Flames)+len(p.MoreFlames) > 0, "flames", "Flame graphs")
	add(true, "not", "What not to conclude")
	add(true, "method", "Method")
	add(true, "notes", "Notes on these figures")
	add(len(p.Environment) > 0, "environment", "Environment")
	return out
}

// names returns the function that names the rows of a group, each in full.
func (g group) names() func(*Row) string {
	seen := make(map[string]int)
	for _, r := range g.rows {
		seen[g.name(r)]++
	}
	return func(r *Row) string {
		n := g.name(r)
		if g.documents() {
			n = documentName(r, g, math.MaxInt) + " " + r.Cell.Suite
		} else if seen[n] > 1 {
			n += ", contexts " + string(r.Cell.Contexts)
		}
		return n
	}
}

func measured(e stats.Estimate) htmlCell { return htmlCell{micros(e), spread(e)} }

func (t *Table) pageGroup(g group, i int, c *compare.Campaign) pageGroup {
	out := pageGroup{section: section{ID: fmt.Sprintf("group-%d", i+1), Title: g.title()}}
	for _, d := range c.Disclosed {
		if d.Schema == g.schema && d.Disclose == g.part.Disclose && d.Granularity == g.part.Granularity {
			out.Disclosed = fmt.Sprintf("%d of %s disclosed; one is a %s.", d.Elements,
				printable.Plural(d.Of, "element"), d.Granularity)
		}
	}

	name := g.names()
	if g.documents() {
		out.Whole = g.pageDocuments(name)
	} else {
		out.Whole, out.Part = t.pageWhole(g, name), g.pagePart(name)
		for _, col := range t.columns() {
			var bars []bar
			for _, r := range g.rows {
				if e, ok := r.Ratios[col.name]; ok {
					value := strings.TrimSpace(r.to(r.Ratios, col) + " " + spread(e))
					bars = append(bars, bar{name(r), value, e.Low, e.Center, e.High})
				}
			}
			if len(bars) > 0 {
				title := "Issue and verify, as multiples of " + col.title
				out.Ratios = append(out.Ratios, chart{title, barsSVG(title, bars, 1)})
			}
		}
	}

	fills := fillsOf(g.rows)
	for _, r := range g.rows {
		if r.Phases != nil && r.Phases.samples() >= leastBar {
			out.Phases = append(out.Phases, pageStack(r, name(r), fills))
		}
	}
	out.Shares, out.Basis = g.pageShares(name), g.pageBasis(name)

	return out
}

func (t *Table) pageWhole(g group, name func(*Row) string) *htmlTable {
	columns := t.columns()
	out := &htmlTable{Caption: "Issue and verify of the whole credential, µs of process CPU",
		Head: []string{"exchange", "issue", "verify", "issue + verify", "net"}}
	for _, c := range columns {
		out.Head = append(out.Head, "× "+c.title)
	}
	out.Head = append(out.Head, "issued bytes")
	for _, r := range g.rows {
		row := htmlRow{Reasons: r.Reasons, Cells: []htmlCell{{Text: name(r)},
			measured(r.CPU[compare.Issue]), measured(r.CPU[compare.Verify]), measured(r.IssueVerify),
			{r.net(), r.netSpread()}}}
		for _, c := range columns {
			row.Cells = append(row.Cells, htmlCell{r.to(r.Ratios, c), spread(r.Ratios[c.name])})
		}
		row.Cells = append(row.Cells, htmlCell{Text: bytesOf(r, compare.Issue)})
		out.Rows = append(out.Rows, row)
	}
	return out.known()
}

// known leaves out the columns in which no row has a value.
func (t *htmlTable) known() *htmlTable {
	for i := len(t.Head) - 1; i > 0; i-- {
		if !slices.ContainsFunc(t.Rows, func(r htmlRow) bool { return r.Cells[i].Text != "-" }) {
			t.Head = slices.Delete(t.Head, i, i+1)
			for k := range t.Rows {
				t.Rows[k].Cells = slices.Delete(t.Rows[k].Cells, i, i+1)
			}
		}
	}
	return t
}

func (g group) pagePart(name func(*Row) string) *htmlTable {
	out := &htmlTable{Caption: "A part is presented, µs of process CPU", Words: 1,
		Head: []string{"exchange", "how", "present", "verify presented", "exchange in all",
			"presented bytes"}}
	for _, r := range g.rows {
		if !r.presented() {
			continue
		}
		present, whole := measured(r.CPU[compare.Present]), measured(r.Exchange)
		present.Text, whole.Text = strings.TrimSpace(marked(r, r.CPU[compare.Present])),
			strings.TrimSpace(marked(r, r.Exchange))
		out.Rows = append(out.Rows, htmlRow{Cells: []htmlCell{{Text: name(r)}, {Text: r.presents()}, present,
			measured(r.CPU[compare.VerifyPresented]), whole, {Text: bytesOf(r, compare.Present)}}})
	}
	return out.filled()
}

func (g group) pageDocuments(name func(*Row) string) *htmlTable {
	out := &htmlTable{Caption: "Canonicalization, µs of process CPU", Head: []string{"document", "canonize",
		"× first", "quads", "blank nodes", "n-degree", "bytes"}}
	for _, of := range g.suites() {
		for _, r := range of.rows {
			first, quads, blank, nDegree := r.document()
			out.Rows = append(out.Rows, htmlRow{Reasons: r.Reasons, Cells: []htmlCell{{Text: name(r)},
				measured(r.CPU[compare.Canonize]), {first, spread(r.First)}, {Text: quads}, {Text: blank},
				{Text: nDegree}, {Text: bytesOf(r, compare.Canonize)}}})
		}
	}
	return out.known()
}

// filled is nil for a table without rows.
func (t *htmlTable) filled() *htmlTable {
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// pageShares is every share of every row, with its interval.
func (g group) pageShares(name func(*Row) string) *htmlTable {
	out := &htmlTable{Caption: "Share of the CPU by phase, " + g.operations() +
		", with 95 % intervals (Wilson)", Head: []string{"phase"}}
	var rows []*Row
	for _, r := range g.rows {
		if r.Phases != nil {
			rows = append(rows, r)
			out.Head = append(out.Head, name(r))
		}
	}
	for i := range phase.Count {
		ph := phase.Phase(i).String()
		row := htmlRow{Cells: []htmlCell{{Text: ph}}}
		seen := false
		for _, r := range rows {
			e := r.Phases.of(ph)
			seen = seen || e.Center > 0
			row.Cells = append(row.Cells, htmlCell{percent(e.Center), sides(e)})
		}
		if seen {
			out.Rows = append(out.Rows, row)
		}
	}
	return out.filled()
}

// sides is the interval of a share.
func sides(e stats.Estimate) string {
	_, in, _ := strings.Cut(shareOf(e), "(")
	return strings.Replace(strings.TrimSuffix(in, ")"), "-", "–", 1)
}

func (g group) pageBasis(name func(*Row) string) *htmlTable {
	out := &htmlTable{Caption: "What it rests on, and other quantities of " + g.operations(),
		Head: []string{"exchange", "processes", "operations", "documents", "collections", "wall µs",
			"thread µs", "heap kB", "canonicalizations", "signatures made + checked", "salts", "digests"}}
	for _, r := range g.rows {
		if len(r.CPU) == 0 {
			continue
		}
		var processes, operations, documents, collections []string
		for _, op := range compare.Operations {
			if b, ok := r.Basis[op]; ok {
				processes, operations = append(processes, count(b.Processes)), append(operations,
					count(b.Operations))
				documents, collections = append(documents, count(b.Documents)), append(collections,
					count(b.Collections))
			}
		}
		wall, thread, kB := "-", "-", "-"
		if r.complete() {
			wall, thread, kB = figure(r.Wall/1e3), figure(r.Thread/1e3), figure(r.Bytes/1e3)
		}
		n := r.Counters
		row := htmlRow{}
		for _, text := range []string{name(r), slashed(processes), slashed(operations), slashed(documents),
			slashed(collections), wall, thread, kB, count(n.Canonicalizations),
			fmt.Sprintf("%d + %d", n.Signatures, n.Verifications), count(n.Salts), count(n.Digests)} {
			row.Cells = append(row.Cells, htmlCell{Text: text})
		}
		out.Rows = append(out.Rows, row)
	}
	return out.filled()
}

func (t *Table) pageTiers() *htmlTable {
	out := &htmlTable{Caption: "Issue and verify as multiples of the native engine, contexts in one state",
		Words: 3, Head: []string{"schema", "exchange", "engine", "contexts", "× native"}}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.ToNative.N > 0 {
			out.Rows = append(out.Rows, htmlRow{Cells: []htmlCell{{Text: schemaName(r.Cell.Schema)},
				{Text: strings.TrimSpace(name(r) + " " + string(r.Cell.Algorithm) + " " + r.Cell.Build)},
				{Text: string(r.Cell.Engine)},
				{Text: string(r.Cell.Contexts)}, {figure(r.ToNative.Center), spread(r.ToNative)}}})
		}
	}
	return out.filled()
}

// pageStack draws the phases of a row: the largest that the terminal draws too, in the same order.
func pageStack(r *Row, name string, fills map[phase.Phase]string) stack {
	out := stack{Name: name}
	var parts []segment
	rest := 1.0
	for _, x := range largest(r.Phases, inBar) {
		rest -= x.share.Center
		parts = append(parts, segment{x.phase.String(), profiles.Colour(x.phase), x.share.Center})
		k := key{template.CSS(profiles.Colour(x.phase)), fills[x.phase], x.phase.String(), shareOf(x.share),
			x.share.Center*float64(x.share.N) < profiles.FewSamples}
		if x.alike {
			k.Name = alike + " " + k.Name
		}
		out.Legend = append(out.Legend, k)
	}
	if rest > 0.0005 {
		out.Legend = append(out.Legend, key{Fill: restFill, Name: "rest", Share: percent(rest)})
	}
	out.SVG = stackSVG(name, parts)
	return out
}

// pageSizesOf are the bytes of what is issued and presented, which engines do not change: each once.
func pageSizesOf(groups []group) []pageSizes {
	var out []pageSizes
	bars := make(map[string][]bar)
	for _, g := range groups {
		if g.documents() {
			continue
		}
		title := schemaName(g.schema) + ", " + g.part.Granularity.String()
		if _, disclosed, ok := strings.Cut(g.title(), "discloses "); ok {
			title += ", discloses " + disclosed
		}
		k := slices.IndexFunc(out, func(s pageSizes) bool { return s.Title == title })
		if k < 0 {
			k = len(out)
			out = append(out, pageSizes{Title: title, Table: &htmlTable{
				Caption: "Bytes, medians over the documents", Words: 1,
				Head: []string{"exchange", "presents", "issued", "presented"}}})
		}
		for _, r := range g.rows {
			n := r.Output[compare.Issue]
			if r.Cell.Format == compare.Floor || n == 0 {
				continue
			}
			label := name(r) + " " + string(r.Cell.Algorithm)
			row := htmlRow{Cells: []htmlCell{{Text: label}, {Text: r.presents()},
				{Text: bytesOf(r, compare.Issue)}, {Text: bytesOf(r, compare.Present)}}}
			if slices.ContainsFunc(out[k].Table.Rows, func(other htmlRow) bool {
				return slices.Equal(other.Cells, row.Cells)
			}) {
				continue
			}
			out[k].Table.Rows = append(out[k].Table.Rows, row)
			bars[title] = append(bars[title], bar{label, bytesOf(r, compare.Issue), float64(n), float64(n),
				float64(n)})
		}
	}
	for i := range out {
		out[i].Bars = barsSVG("Bytes issued, "+out[i].Title, bars[out[i].Title], 0)
	}
	return slices.DeleteFunc(out, func(s pageSizes) bool { return len(s.Table.Rows) == 0 })
}

func environment(c *compare.Campaign) (facts, modules []pair) {
	for _, k := range slices.Sorted(maps.Keys(c.Environment)) {
		if module, ok := strings.CutPrefix(k, "module "); ok {
			modules = append(modules, pair{module, c.Environment[k]})
		} else {
			facts = append(facts, pair{k, c.Environment[k]})
		}
	}
	if len(facts) > 0 {
		facts = append([]pair{{"seed", fmt.Sprint(c.Seed)},
			{"clock of the verifier", c.Now.UTC().Format(time.RFC3339)}}, facts...)
	}
	for _, s := range c.Given {
		facts = append(facts, pair{"given: " + schemaName(s.Name),
			fmt.Sprintf("%s, SHA-256 %s", printable.Plural(s.Bytes, "byte"), s.SHA256)})
	}
	return facts, modules
}

// page shows an experiment.
func (g *Growth) page(i int) pageGrowth {
	out := pageGrowth{section: section{ID: fmt.Sprintf("growth-%d", i+1), Title: g.Name}, About: g.About}
	if g.Base != "" {
		out.Title = fmt.Sprintf("%s along %s", schemaName(g.Base), g.Name)
	}
	out.Plots = g.together()
	for _, text := range g.crossings() {
		out.Crossings = append(out.Crossings, upper(text)+".")
	}
	for i := range g.Curves {
		c := &g.Curves[i]
		curve := pageCurve{Title: c.title(), Reasons: c.Reasons}
		mark := ""
		if c.Reissued {
			mark = " †"
		}
		curve.Costs = g.table(c.Operations, "µs of process CPU", mark)
		if len(c.Phases) > 0 {
			curve.Phases = g.table(c.shown(), "µs by phase, the largest", "")
		}
		curve.Plots = g.charts(c)
		for _, text := range g.sentences(c) {
			curve.Sentences = append(curve.Sentences, upper(text)+".")
		}
		out.Curves = append(out.Curves, curve)
	}
	return out
}

// table lists quantities by point, and how they grow; mark is that of sums with present.
func (g *Growth) table(of []Quantity, caption, mark string) *htmlTable {
	out := &htmlTable{Caption: caption, Head: []string{g.Name}}
	for _, q := range of {
		if !q.measured() {
			continue
		}
		if q.Name == string(compare.Present) || q.Name == exchange {
			q.Name += mark
		}
		out.Head = append(out.Head, q.Name)
	}
	row := func(name string, cell func(q Quantity) htmlCell) {
		r := htmlRow{Cells: []htmlCell{{Text: name}}}
		for _, q := range of {
			if q.measured() {
				r.Cells = append(r.Cells, cell(q))
			}
		}
		out.Rows = append(out.Rows, r)
	}

	for i, pt := range g.Points {
		row(pt.Label, func(q Quantity) htmlCell { return measured(q.Cost[i]) })
	}
	if g.By == "" {
		for i, pt := range g.Points[1:] {
			row(pt.Label+" : "+g.Points[0].Label, func(q Quantity) htmlCell {
				return htmlCell{Text: within(q.Ratios[i])}
			})
		}
		return out
	}
	law := func(name string, cell func(q Quantity) htmlCell) {
		row(name, func(q Quantity) htmlCell {
			if len(q.Laws) == 0 {
				return htmlCell{Text: "-"}
			}
			return cell(q)
		})
	}
	law("law, n = "+g.By, func(q Quantity) htmlCell {
		out := htmlCell{Text: formula(&q.Laws[0]), Sub: "misfit " + percent(q.Laws[0].Lack)}
		if !q.Laws[0].Fits() {
			out.Sub += ": no law fits"
		}
		return out
	})
	law("one more", func(q Quantity) htmlCell {
		if q.Laws[0].Name == stats.Constant {
			return htmlCell{Text: "-"}
		}
		return htmlCell{figures(q.Further.Center / 1e3), strings.Trim(bounds(q.Further, 1e3), " ()")}
	})
	return out
}
