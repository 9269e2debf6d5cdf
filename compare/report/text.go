package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"canonscope/canon/choice"
	"canonscope/canon/phase"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
	"canonscope/profiles"
	"canonscope/schemas"
)

// Width of the text in columns.
const Width = 80

// names of rows take this many columns.
const nameWidth = 22

// Text writes the campaign as text, at most Width columns wide. Colours are for terminals only.
func Text(w io.Writer, c *compare.Campaign, t Table, colour bool) error {
	if c == nil {
		return errNoCampaign
	}
	p := &printer{colour: colour, columns: t.columns()}
	p.answers(t)
	p.head(c)
	p.fitness(t)
	p.rows(t)
	p.built(t)
	p.foot(c, t)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// rows prints the tables of a campaign.
func (p *printer) rows(t Table) {
	for _, g := range grouped(t.Rows) {
		if _, ok := g.leftOut(); ok {
			continue // the foot lists them
		}
		if g.documents() {
			p.canonized(g)
		} else {
			p.group(g)
		}
	}
	p.tiers(t)
}

type printer struct {
	b       strings.Builder
	colour  bool
	columns []column // of ratios
	charged bool     // shares that are a model have been printed
	rare    bool     // windows with few collections have been printed
	net     bool     // what is above bare signatures has been printed
	alike   bool     // phases whose intervals overlap have been printed
	first   bool     // ratios to the first document have been printed
	misfit  bool     // laws that do not fit have been printed
	texts   []string // that were wrapped
}

func (p *printer) line(format string, args ...any) {
	p.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	p.b.WriteByte('\n')
}

// wrapped writes the words of each line of a text within Width: the first begins with lead, the others are
// indented.
func (p *printer) wrapped(indent int, lead, text string) {
	p.texts = append(p.texts, lead+text)
	margin := "\n" + strings.Repeat(" ", indent)
	p.b.WriteString(lead)
	column := utf8.RuneCountInString(lead)
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			p.b.WriteString(margin)
			column = indent
		}
		for j, word := range strings.Fields(line) {
			word = printable.Line(word)
			n := utf8.RuneCountInString(word)
			switch {
			case j > 0 && column+1+n > Width:
				p.b.WriteString(margin)
				column = indent
			case j > 0:
				p.b.WriteByte(' ')
				column++
			}
			p.b.WriteString(word)
			column += n
		}
	}
	p.b.WriteByte('\n')
}

func (p *printer) bold(s string) string { return p.style("1", s) }
func (p *printer) dim(s string) string  { return p.style("2", s) }
func (p *printer) style(code, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// head prints the title, which it returns, and the policy, machine and parts that are presented.
func (p *printer) head(c *compare.Campaign) (title string) {
	env := c.Environment
	exchanges := len(c.Results) == 0
	var gc []string
	var contexts []compare.ContextState
	var procs []string
	ballast, binding := 0, compare.NoBinding
	least, most := math.Inf(1), 0.0 // live heap of a cell
	for i := range c.Results {
		r := &c.Results[i]
		exchanges = exchanges || r.Cell.Format != compare.Document
		binding = cmp.Or(r.Cell.Binding, binding)
		if !slices.Contains(gc, r.Cell.GC) {
			gc = append(gc, r.Cell.GC)
		}
		if x := r.Cell.Contexts; x != compare.NoContexts && !slices.Contains(contexts, x) {
			contexts = append(contexts, x)
		}
		if n := strconv.Itoa(r.Cell.Procs); !slices.Contains(procs, n) {
			procs = append(procs, n)
		}
		ballast = r.Cell.LiveHeap
		if len(r.Runs) > 0 {
			live := mean(r, func(run compare.Run) float64 { return float64(run.LiveHeap) }) / 1e6
			least, most = min(least, live), max(most, live)
		}
	}

	slices.Sort(contexts)
	what := "nothing was timed"
	if most > 0 || c.Runs > 0 {
		what = "geometric mean over fresh processes, ± its 95 % interval (t over processes), " +
			"so that columns need not add up; " + windowOf(c.Window)
	}

	notes := []string{what, fmt.Sprintf("seed %d", c.Seed),
		fmt.Sprintf("GOGC=%s, GOMAXPROCS=%s", strings.Join(gc, " and "), strings.Join(procs, " and "))}
	if most > 0 {
		live := "live heap " + between(least, most) + " MB"
		if ballast > 0 {
			live += fmt.Sprintf(", %d of them ballast", ballast)
		}
		notes = append(notes, live)
	}

	if len(contexts) > 0 {
		notes = append(notes, "contexts "+strings.Join(choice.Names(contexts), ", "))
	}

	title = "What canonicalization costs"
	if exchanges {
		title = "What a credential exchange costs"
		notes = append(notes, "holder binding: "+binding.String())
	}

	p.line("%s", p.bold(title+": process CPU per operation, in µs"))
	p.wrapped(0, "", strings.Join(notes, "; "))
	p.wrapped(0, "", fmt.Sprintf("%s, %s CPUs, %s, %s", env["cpu"], env["cpus"], env["kernel"], env["go"]))
	p.disclosures(c)
	return title
}

// disclosures prints the part of each schema that is presented.
func (p *printer) disclosures(c *compare.Campaign) {
	var lines []string
	for _, d := range c.Disclosed {
		line := fmt.Sprintf("%s discloses %d of %s; one is a %s",
			schemaName(d.Schema), d.Elements, printable.Plural(d.Of, "element"), d.Granularity)
		if pointers, err := d.Disclose.Pointers(); err == nil && len(pointers) > 0 {
			const length = 60
			line += ": " + printable.Short(strings.Join(pointers, ","), length)
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
			p.wrapped(2, "", line)
		}
	}
}

// windowOf describes the window in which a process is timed.
func windowOf(w compare.Window) string {
	if w.N > 0 {
		return fmt.Sprintf("%s each (--n), whatever the collector did", printable.Plural(w.N, "operation"))
	}
	return fmt.Sprintf("%s and %.0f ms each, or %.0f ms where they are rarer, after %.0f ms of warm-up",
		printable.Plural(w.Collections, "collection"), 1e3*w.Least, 1e3*w.Most, 1e3*w.Warm)
}

// between writes a range, or one figure where both ends print alike.
func between(low, high float64) string {
	if l, h := figure(low), figure(high); l != h {
		return l + " to " + h
	}
	return figure(high)
}

// group is the rows that may be compared: one schema, the part of it that is presented, and one tier.
type group struct {
	schema string
	part   compare.Cell // its Disclose and Granularity alone
	engine compare.Engine
	build  string // label
	procs  int    // GOMAXPROCS
	one    bool   // all groups have the same
	rows   []*Row
}

func grouped(rows []Row) []group {
	var out []group
	for i := range rows {
		r := &rows[i]
		schema := r.Cell.Schema
		if r.Cell.Format == compare.Document { // they are compared with one another
			schema = ""
		}
		part := compare.Cell{Disclose: r.Cell.Disclose, Granularity: r.Cell.Granularity}
		k := slices.IndexFunc(out, func(g group) bool {
			return g.schema == schema && g.part == part && g.engine == r.Cell.Engine &&
				g.procs == r.Cell.Procs && g.build == r.Cell.Build &&
				g.documents() == (r.Cell.Format == compare.Document)
		})
		if k < 0 {
			k = len(out)
			out = append(out, group{schema: schema, part: part, engine: r.Cell.Engine, build: r.Cell.Build,
				procs: r.Cell.Procs})
		}
		at := len(out[k].rows)
		for at > 0 && !beside(out[k].rows[at-1], r) {
			at--
		}
		if at == 0 {
			at = len(out[k].rows)
		}
		out[k].rows = slices.Insert(out[k].rows, at, r)
	}

	for i := range out {
		out[i].one = !slices.ContainsFunc(out, func(g group) bool { return g.procs != out[i].procs })
	}
	for _, g := range out { // what is below the others comes last
		slices.SortStableFunc(g.rows, func(a, b *Row) int { return floorOf(a) - floorOf(b) })
	}

	return out
}

// beside reports whether rows differ in the state of their contexts alone.
func beside(a, b *Row) bool { return name(a) == name(b) && a.Cell.Algorithm == b.Cell.Algorithm }

func floorOf(r *Row) int {
	if r.Cell.Format == compare.Floor {
		return 1
	}
	return 0
}

// algorithm is that of all rows of a group; "" where they differ.
func (g group) algorithm() compare.Algorithm {
	for _, r := range g.rows {
		if r.Cell.Algorithm != g.rows[0].Cell.Algorithm {
			return ""
		}
	}
	return g.rows[0].Cell.Algorithm
}

// name is that of a row in the group: with its algorithm where these differ, and then without the format
// where that is too wide and the suite says as much.
func (g group) name(r *Row) string {
	n := name(r)
	if g.algorithm() == "" {
		n += " " + string(r.Cell.Algorithm)
	}
	if utf8.RuneCountInString(n) >= nameWidth {
		n = strings.TrimPrefix(n, string(r.Cell.Format)+" ")
	}
	return n
}

// leftOut returns the reason why no exchange of a group was measured, if all were left out for one reason.
func (g group) leftOut() (reason string, ok bool) {
	for _, r := range g.rows {
		for _, state := range r.Operations {
			if state != compare.LeftOut || len(r.Reasons) != 1 || reason != "" && r.Reasons[0] != reason {
				return "", false
			}
			reason = r.Reasons[0]
		}
	}
	return reason, true
}

func (g group) title() string {
	by := ""
	if !g.one {
		by = fmt.Sprintf(", GOMAXPROCS=%d", g.procs)
	}
	if g.build != "" {
		by += ", build " + g.build
	}
	if g.documents() {
		return fmt.Sprintf("canonize, %s engines", g.engine) + by
	}
	title := schemaName(g.schema)
	if a := g.algorithm(); a != "" {
		title += ", " + string(a)
	}
	title += fmt.Sprintf(", %s engines", g.engine) + by
	if g.rows[0].bound() {
		title += ", holder binding"
	}
	title += ", " + g.part.Granularity.String()
	if g.part.Disclose != "" {
		title += ", discloses "
		if pointers, err := g.part.Disclose.Pointers(); err == nil && len(pointers) > 0 {
			title += printable.Plural(len(pointers), "pointer")
		} else {
			title += string(g.part.Disclose)
		}
	}
	return title
}

// bound compares whole exchanges where holders sign: then present is a signature in every format.
func (p *printer) bound(g group) {
	if !slices.ContainsFunc(g.rows, func(r *Row) bool { return len(r.Bound) > 0 }) {
		return
	}
	p.line("")
	has := func(r *Row) bool { return len(r.Bound) > 0 }
	p.ratios(g, "holder binding:", "  of the exchange, as all sign", has, (*Row).boundTo)
}

// ratioWidth is that of a column with a ratio and its interval, at least.
const ratioWidth = 13

// ratios prints a table of ratios alone, or several where the columns do not fit one.
func (p *printer) ratios(g group, title, about string, has func(*Row) bool, cell func(*Row, column) string) {
	for from := 0; from < len(p.columns); {
		to, left := from, Width-nameWidth
		for to < len(p.columns) && (to == from || ratioColumn(p.columns[to]) <= left) {
			left -= ratioColumn(p.columns[to])
			to++
		}
		text := func(name string, cell func(c column) string) string {
			line := fmt.Sprintf("%-*s", nameWidth, name)
			for _, c := range p.columns[from:to] {
				line += fmt.Sprintf("%*s", ratioColumn(c), cell(c))
			}
			return line
		}
		p.line("%s%s", text(title, func(c column) string { return "×" + c.head }), about)
		label := p.labels(g)
		for _, r := range g.rows {
			if has(r) {
				p.line("%s", text(label(r), func(c column) string { return cell(r, c) }))
			}
		}
		from = to
	}
}

func ratioColumn(c column) int { return max(ratioWidth, len("×")+len(c.head)) }

// boundTo is the ratio of an exchange with its interval, marked where present signs again.
func (r *Row) boundTo(c column) string {
	mark := ""
	if _, ok := r.Bound[c.name]; ok && r.Reissued {
		mark = "†"
	}
	return strings.TrimSpace(r.to(r.Bound, c) + mark + " " + spread(r.Bound[c.name]))
}

// ratioTo is the ratio of issue + verify with its interval.
func (r *Row) ratioTo(c column) string {
	return strings.TrimSpace(r.to(r.Ratios, c) + " " + spread(r.Ratios[c.name]))
}

// inColumns sets what each column of ratios has, if they fit beside the others.
func (p *printer) inColumns(cell func(c column) string) string {
	line := ""
	if p.fits(0) {
		for _, c := range p.columns {
			line += fmt.Sprintf("%*s", headWidth(c), cell(c))
		}
	}
	return line
}

// fits reports whether the columns of ratios, and so many columns of text beside them, fit the headline.
func (p *printer) fits(more int) bool {
	for _, c := range p.columns {
		more += headWidth(c)
	}
	return nameWidth+3*9+more+9 <= Width
}

// headWidth is that of a column with a ratio above its interval.
func headWidth(c column) int { return max(len("-28+38"), len("×")+len(c.head)) + 1 }

// operations names what the sums over operations are of.
func (g group) operations() string { return strings.Join(choice.Names(g.rows[0].Summed), " + ") }

// has reports whether one of the operations was to be measured.
func (g group) has(ops []compare.Operation) bool {
	return slices.ContainsFunc(ops, func(op compare.Operation) bool {
		_, ok := g.rows[0].Operations[op]
		return ok
	})
}

// netWidth is that of the column of what is above the bare signatures.
const netWidth = 7

// whole prints the headline: issue and verify of whole credentials, the same work in every format.
func (p *printer) whole(g group) {
	inline := p.fits(0)
	net := (p.fits(netWidth) || !inline) &&
		slices.ContainsFunc(g.rows, func(r *Row) bool { return r.Net.N > 0 })
	p.net = p.net || net
	line := func(name, issue, verify, sum, above string, ratio func(c column) string, bytes string) string {
		text := fmt.Sprintf("%-*s%9s%9s%9s", nameWidth, name, issue, verify, sum)
		if net {
			text += fmt.Sprintf("%*s", netWidth, above)
		}
		return strings.TrimRight(text+p.inColumns(ratio)+fmt.Sprintf("%9s", bytes), " ")
	}

	head := func(c column) string { return "×" + c.head }
	p.line("%s", line("", "issue", "verify", "iss+ver", "net", head, "bytes"))
	label, shared := p.labels(g), g.sharedReasons()
	for _, r := range g.rows {
		issue, verify := r.CPU[compare.Issue], r.CPU[compare.Verify]
		p.line("%s", line(label(r), micros(issue), micros(verify), micros(r.IssueVerify), r.net(),
			func(c column) string { return r.to(r.Ratios, c) }, bytesOf(r, compare.Issue)))
		if len(r.CPU) > 0 {
			p.line("%s", p.dim(line("", spread(issue), spread(verify), spread(r.IssueVerify), r.netSpread(),
				func(c column) string { return spread(r.Ratios[c.name]) }, "")))
		}
		for _, reason := range r.Reasons {
			if shared[reason] < fewReasons {
				p.wrapped(4, "  ! ", reason)
			}
		}
	}

	for _, reason := range slices.Sorted(maps.Keys(shared)) {
		if n := shared[reason]; n >= fewReasons {
			p.wrapped(4, "  ! ", fmt.Sprintf("%s, in %d rows", reason, n))
		}
	}

	if has := func(r *Row) bool { return len(r.Ratios) > 0 }; !inline && slices.ContainsFunc(g.rows, has) {
		p.line("")
		p.ratios(g, "issue + verify:", "", has, (*Row).ratioTo)
	}
}

// A reason that this many rows of a table share is printed once.
const fewReasons = 3

// sharedReasons counts the rows that have a reason.
func (g group) sharedReasons() map[string]int {
	rows := make(map[string]int)
	for _, r := range g.rows {
		for _, reason := range r.Reasons {
			rows[reason]++
		}
	}
	return rows
}

// noise is printed for a difference whose interval holds 0.
const noise = "≈0"

// net is what a row costs above the bare signatures, where that is more than noise.
func (r *Row) net() string {
	switch e := r.Net; {
	case e.N > 0 && e.Bounded() && e.Low <= 0 && e.High >= 0:
		return noise
	case e.N > 0 && e.Center < 0:
		return "-" + figure(-e.Center/1e3)
	}
	return micros(r.Net)
}

// netSpread is the interval of net, in µs: relative to what may be nothing it would say nothing.
func (r *Row) netSpread() string {
	switch {
	case r.Net.N == 0:
		return ""
	case !r.Net.Bounded():
		return noInterval
	}
	return "±" + figure((r.Net.High-r.Net.Low)/2e3)
}

// part prints what a holder who discloses a part causes.
func (p *printer) part(g group) {
	p.line("%-*s%9s%9s%10s%10s%s", nameWidth, "a part is presented:", "present", "verify", "exchange",
		"bytes", "  how")
	label := p.labels(g)
	for _, r := range g.rows {
		if !r.presented() {
			continue
		}
		p.line("%-*s%9s%8s %10s%9s   %s", nameWidth, label(r), marked(r, r.CPU[compare.Present]),
			micros(r.CPU[compare.VerifyPresented]), marked(r, r.Exchange), bytesOf(r, compare.Present),
			r.presents())
		p.line("%s", p.dim(strings.TrimRight(fmt.Sprintf("%-*s%8s %8s %9s", nameWidth, "",
			spread(r.CPU[compare.Present]), spread(r.CPU[compare.VerifyPresented]), spread(r.Exchange)),
			" ")))
	}
}

// presented reports whether a row has a time of what is done with a part.
func (r *Row) presented() bool {
	return r.CPU[compare.Present].N > 0 || r.CPU[compare.VerifyPresented].N > 0
}

// presents describes how a row presents a part.
func (r *Row) presents() string {
	switch {
	case r.Reissued:
		return "signed again"
	case r.Whole:
		return "the whole"
	}
	return derived
}

const derived = "derived"

// bytesOf is the size of what an operation returns.
func bytesOf(r *Row, op compare.Operation) string {
	if n := r.Output[op]; n > 0 {
		return thousands(int64(n))
	}
	return "-"
}

func (p *printer) group(g group) {
	p.line("")
	p.line("%s", p.bold(g.title()))
	whole, part := g.has(compare.Whole), g.has([]compare.Operation{compare.Present, compare.VerifyPresented})
	part = part && (!whole || slices.ContainsFunc(g.rows, (*Row).presented))
	if whole || !part {
		p.whole(g)
	}

	if part {
		if whole {
			p.line("")
		}
		p.part(g)
	}

	label := p.labels(g)
	if !slices.ContainsFunc(g.rows, func(r *Row) bool { return len(r.CPU) > 0 }) {
		return
	}

	p.bound(g)
	p.verdicts(g)
	p.line("")
	p.line("%-*s%7s%9s%6s%8s%9s%10s%9s", nameWidth, g.operations()+":", "canon.", "sign+ver", "salts",
		"digests", "wall µs", "thread µs", "kB")
	label = p.labels(g)
	for _, r := range g.rows {
		if len(r.CPU) > 0 {
			n := r.Counters
			wall, thread, bytes := "-", "-", "-"
			if r.complete() {
				wall, thread, bytes = figure(r.Wall/1e3), figure(r.Thread/1e3), figure(r.Bytes/1e3)
			}
			p.line("%-*s%7d%9s%6d%8d%9s%10s%9s", nameWidth, label(r), n.Canonicalizations,
				fmt.Sprintf("%d+%d", n.Signatures, n.Verifications), n.Salts, n.Digests, wall, thread, bytes)
		}
	}

	p.details(g)
}

// details prints what figures rest on, single operations, and who takes the time and allocates.
func (p *printer) details(g group) {
	p.basis(g)
	p.raw(g)
	if slices.ContainsFunc(g.rows, func(r *Row) bool { return r.Phases != nil }) {
		p.line("")
		p.line("%-*s%s", nameWidth, "where the time goes:", "share of the CPU by phase, "+g.operations())
		label, fills := p.labels(g), fillsOf(g.rows)
		for _, r := range g.rows {
			if r.Phases != nil {
				p.bar(r, label(r), fills)
			}
		}
	}
	if slices.ContainsFunc(g.rows, func(r *Row) bool { return r.Heap != nil }) {
		what := "share by phase, " + g.operations()
		if slices.ContainsFunc(g.rows, func(r *Row) bool { return r.Charged != nil }) {
			what += "; charged: a model"
		}
		p.line("")
		p.line("%-*s%s", nameWidth, "what allocates:", what)
		label := p.labels(g)
		for _, r := range g.rows {
			if r.Heap != nil {
				p.allocates(r, label(r))
			}
		}
	}
}

// rare marks windows with fewer collections than they were to have.
const rare = "*"

// basis prints what the figures rest on: for each operation of a row, or once where it is the same for all.
func (p *printer) basis(g group) {
	p.line("")
	const columns = "%-*s%9s %22s %10s %13s"
	p.line(columns, nameWidth, "what it rests on:", "processes", "operations", "documents", "collections")
	label := p.labels(g)
	for _, r := range g.rows {
		if len(r.CPU) == 0 {
			continue
		}
		var operations []int
		var processes, documents, collections []string
		for _, op := range compare.Operations {
			b, ok := r.Basis[op]
			if !ok {
				continue
			}
			mark := ""
			if b.Rare {
				mark = rare
				p.rare = true
			}
			processes = append(processes, count(b.Processes))
			operations = append(operations, b.Operations)
			documents = append(documents, count(b.Documents))
			collections = append(collections, count(b.Collections)+mark)
		}

		p.line(columns, nameWidth, label(r), slashed(processes), counts(operations), slashed(documents),
			slashed(collections))
	}
}

// raw prints what single operations took, where they were kept.
func (p *printer) raw(g group) {
	if !slices.ContainsFunc(g.rows, func(r *Row) bool { return r.raw() }) {
		return
	}
	p.line("")
	const columns = "%-*s%-17s%9s%9s%9s%13s"
	p.line(columns, nameWidth, "single operations:", "", "p50 µs", "p95 µs", "p99 µs", "outliers")
	label := p.labels(g)
	for _, r := range g.rows {
		if !r.raw() {
			continue
		}
		name := label(r)
		for _, op := range compare.Operations {
			if raw := r.Basis[op].Raw; raw != nil {
				p.line(columns, nameWidth, name, op, figure(raw.P50/1e3), figure(raw.P95/1e3),
					figure(raw.P99/1e3), fmt.Sprintf("%d of %d", raw.Outliers, raw.Ops))
				name = ""
			}
		}
	}
}

// raw reports whether single operations of a row were kept.
func (r *Row) raw() bool {
	for _, b := range r.Basis {
		if b.Raw != nil {
			return true
		}
	}
	return false
}

// counts are those of several operations: they share a column unless all are the same.
func counts(values []int) string {
	if slices.Min(values) == slices.Max(values) {
		return count(values[0])
	}
	var short []string
	for _, n := range values {
		short = append(short, compact(n))
	}
	return strings.Join(short, "/")
}

// compact is a count in at most four characters below ten million.
func compact(n int) string {
	switch v := float64(n); {
	case n < 1000:
		return count(n)
	case n < 9_950:
		return fmt.Sprintf("%.1fk", v/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", v/1e3)
	default:
		return fmt.Sprintf("%.1fM", v/1e6)
	}
}

// slashed joins what differs, or says once what is all the same.
func slashed(values []string) string {
	if len(slices.Compact(slices.Clone(values))) == 1 {
		return values[0]
	}
	return strings.Join(values, "/")
}

// collector is the column of gc and runtime, which charging divides among the others.
const collector = "gc+runtime"

// allocates prints who allocates in one row, and its CPU as measured and with the collector charged by
// bytes. Columns are the phases that allocate most, as many as fit.
func (p *printer) allocates(r *Row, label string) {
	p.charged = p.charged || r.Charged != nil
	gc, runtime, none := phase.GC.String(), phase.Runtime.String(), phase.Unattributed.String()
	names := slices.DeleteFunc(slices.Collect(maps.Keys(r.Heap)), func(n string) bool {
		return n == gc || n == runtime || n == none
	})

	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(-cmp.Compare(r.Heap[a].Center, r.Heap[b].Center), cmp.Compare(a, b))
	})

	width := func(n string) int { return max(len(n), len("99.9 %")) + 2 }
	left := Width - nameWidth - width(collector) - width(none)
	fit := 0
	for fit < len(names) && width(names[fit]) <= left {
		left -= width(names[fit])
		fit++
	}

	columns := append(names[:fit:fit], collector, none)
	line := func(name string, cell func(n string) string) {
		text := fmt.Sprintf("%-*s", nameWidth, name)
		for _, n := range columns {
			text += fmt.Sprintf("%*s", width(n), cell(n))
		}
		p.line("%s", text)
	}

	line(label, func(n string) string { return n })

	for _, x := range []struct {
		name   string
		shares Shares
	}{{"    heap bytes", r.Heap}, {"    CPU", r.Phases}, {"    CPU charged", r.Charged}} {
		if x.shares == nil {
			continue
		}
		line(x.name, func(n string) string {
			if n == collector {
				return percent(x.shares[gc].Center + x.shares[runtime].Center)
			}
			return percent(x.shares[n].Center)
		})
	}
}

func name(r *Row) string {
	if r.Cell.Format == compare.Floor {
		return r.Cell.Suite
	}
	return string(r.Cell.Format) + " " + r.Cell.Suite
}

// labels returns the function that names the rows of one table in their order. Rows that differ in the
// state of their contexts alone are named by it, under a line with the name they share.
func (p *printer) labels(g group) func(*Row) string {
	if g.documents() {
		return func(r *Row) string { return documentName(r, g, nameWidth-1) }
	}
	states := make(map[string]int)
	for _, r := range g.rows {
		states[g.name(r)]++
	}
	said := ""
	return func(r *Row) string {
		n := g.name(r)
		if states[n] == 1 {
			return n
		}
		if n != said {
			p.line("%s", n)
			said = n
		}
		return "  contexts " + string(r.Cell.Contexts)
	}
}

// fills of bars, each that of one phase in all rows of a table.
var fills = []string{"█", "▓", "▒", "░", "▚", "▌", "▄", "▀", "▞", "▙", "▘", "▖", "▜", "▗", "▛", "▝", "▟"}

const (
	inBar    = 4 // phases of a bar; the others are the rest
	restFill = "·"
)

// fillsOf gives each phase in the bars of some rows its fill, in the order in which they come.
func fillsOf(rows []*Row) map[phase.Phase]string {
	out := make(map[phase.Phase]string)
	for _, r := range rows {
		for _, x := range largest(r.Phases, inBar) {
			if _, ok := out[x.phase]; !ok {
				out[x.phase] = fills[len(out)]
			}
		}
	}
	return out
}

// alike joins phases whose intervals overlap: which of them costs more is not known.
const alike = "≈"

// leastBar is the number of samples that a bar needs.
const leastBar = 100

// part is a phase in a bar.
type part struct {
	phase phase.Phase
	share stats.Estimate
	alike bool // it may cost as much as the one before
}

// largest returns the phases of a row that cost most, those that may cost the same in the order of the work.
func largest(shares Shares, most int) []part {
	var parts []part
	for n, s := range shares {
		if ph, ok := phase.ByName(n); ok && ph != phase.Unattributed {
			parts = append(parts, part{ph, s, false})
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(-cmp.Compare(a.share.Center, b.share.Center), cmp.Compare(a.phase, b.phase))
	})
	parts = parts[:min(most, len(parts))]
	for begin, i := 0, 1; i <= len(parts); i++ {
		if i < len(parts) && parts[i].share.High >= parts[i-1].share.Low {
			continue
		}
		same := parts[begin:i]
		slices.SortFunc(same, func(a, b part) int { return cmp.Compare(a.phase, b.phase) })
		for k := range same {
			same[k].alike = k > 0
		}
		begin = i
	}
	return parts
}

// bar draws one row's phases and what they are called, each share with its interval.
func (p *printer) bar(r *Row, label string, fills map[phase.Phase]string) {
	const cells = Width - nameWidth
	var bar strings.Builder
	done, sum := 0, 0.0
	var legend []string
	for _, x := range largest(r.Phases, inBar) {
		sum += x.share.Center
		upTo := int(math.Round(sum * cells))
		code := ansi(profiles.Colour(x.phase))
		bar.WriteString(p.style(code, strings.Repeat(fills[x.phase], upTo-done)))
		done = upTo
		text := x.phase.String() + " " + shareOf(x.share)
		if x.share.Center*float64(x.share.N) < profiles.FewSamples {
			text = p.dim(text)
		}
		text = p.style(code, fills[x.phase]) + " " + text
		if x.alike {
			p.alike = true
			text = alike + " " + text
		}
		legend = append(legend, text)
	}

	bar.WriteString(strings.Repeat(restFill, cells-done))

	if n := r.Phases.samples(); n < leastBar {
		p.line("%-*s%s", nameWidth, label, p.dim(printable.Plural(n, "sample")+": too few for a bar"))
	} else {
		p.line("%-*s%s", nameWidth, label, bar.String())
	}

	if sum < 0.9995 {
		legend = append(legend, fmt.Sprintf("%s rest %s", restFill, percent(1-sum)))
	}

	const indent = 2
	column, first := indent, true
	p.b.WriteString(strings.Repeat(" ", indent))

	for _, l := range append(legend, "unattributed "+percent(r.Unattributed.Center)) {
		n := visible(l)
		if !first && column+2+n > Width {
			p.b.WriteString("\n" + strings.Repeat(" ", indent))
			column, first = indent, true
		}
		if !first {
			p.b.WriteString("  ")
			column += 2
		}
		p.b.WriteString(l)
		column, first = column+n, false
	}

	p.b.WriteByte('\n')
}

// shareOf prints a share and its interval: 37 % (29-46).
func shareOf(e stats.Estimate) string {
	bare := func(share float64) string { return strings.TrimSuffix(percent(share), " %") }
	return fmt.Sprintf("%s (%s-%s)", percent(e.Center), bare(e.Low), bare(e.High))
}

// visible counts the columns of a text with styles.
func visible(s string) int {
	n, escape := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			escape = true
		case escape:
			escape = r != 'm'
		default:
			n++
		}
	}
	return n
}

// ansi is the code of a colour "#rrggbb" as a foreground.
func ansi(hex string) string {
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return "0"
	}
	return fmt.Sprintf("38;2;%d;%d;%d", r, g, b)
}

// gates prints what passed its gate, and what canonical forms were compared with.
func (p *printer) gates(t Table) {
	documents, fewest, altered, ended := 0, math.MaxInt, 0, 0
	type count struct{ rows, tried, passed int }
	var exchanges, canonicalizations count
	oracles := make(map[string]int)    // by the engines that agree, the fewest documents compared
	second := make(map[string]bool)    // engines that verify what others issue
	alone := make(map[string][]string) // what no other engine can do, by the reason
	for i := range t.Rows {
		r := &t.Rows[i]
		n := &exchanges
		if r.Cell.Format == compare.Document {
			n = &canonicalizations
		}
		n.rows++
		if r.tried() {
			n.tried++
		}
		if r.ended() {
			ended++
		}
		if r.Documents == 0 {
			continue
		}
		n.passed++
		documents, fewest = max(documents, r.Documents), min(fewest, r.Documents)
		altered += r.Tampers
		switch {
		case r.Oracle != "":
			with, n := fmt.Sprintf("%s of %s with %s", t.method(r), r.Cell.Engine, r.Oracle), r.Documents
			if 0 < r.Compared && r.Compared < n { // the gate had too much to compare
				n = r.Compared
			}
			if least, ok := oracles[with]; !ok || n < least {
				oracles[with] = n
			}
		case r.Counters.Canonicalizations > 0:
			why := cmp.Or(r.Alone, "no other engine can make them")
			alone[why] = append(alone[why], r.ID)
		}
		if r.Second != "" {
			second[fmt.Sprintf("%s %s", r.Second, r.Cell.Engine)] = true
		}
	}

	var passed []string
	if exchanges.rows > 0 || canonicalizations.rows == 0 {
		passed = append(passed, fmt.Sprintf("%d of %s", exchanges.passed,
			printable.Plural(exchanges.tried, "exchange")))
	}

	if canonicalizations.rows > 0 {
		passed = append(passed, fmt.Sprintf("%d of %s", canonicalizations.passed,
			printable.Plural(canonicalizations.tried, "canonicalization")))
	}

	each := printable.Plural(documents, "document")
	if fewest < documents {
		each = fmt.Sprintf("%d to %s", fewest, each)
	}
	text := fmt.Sprintf("gates: %s passed for %s each", strings.Join(passed, " and "), each)
	if exchanges.rows > 0 {
		text += fmt.Sprintf("; %d altered presentations refused", altered)
	}
	if ended > 0 {
		text += fmt.Sprintf("; %s ended at a limit or deadline", printable.Plural(ended, "canonicalization"))
	}

	p.wrapped(2, "", text)

	if len(oracles) > 0 {
		var agree []string
		for _, with := range slices.Sorted(maps.Keys(oracles)) {
			if n := oracles[with]; n < fewest {
				with += fmt.Sprintf(" (at least %d of %d documents, as time allows)", n, documents)
			}
			agree = append(agree, with)
		}
		p.wrapped(2, "", "canonical forms of what passed agree: "+strings.Join(agree, "; "))
	}

	for _, why := range slices.Sorted(maps.Keys(alone)) {
		p.wrapped(2, "", fmt.Sprintf("canonical forms not compared: %s: %s", why, few(alone[why])))
	}

	if len(second) > 0 {
		var who []string
		for _, pair := range slices.Sorted(maps.Keys(second)) {
			by, of, _ := strings.Cut(pair, " ")
			who = append(who, fmt.Sprintf("%s verifies what %s issues and presents", by, of))
		}
		p.wrapped(2, "", "across engines: "+strings.Join(who, "; "))
	}
}

// sampledBy names the samplers of profiles and their rates.
func sampledBy(samplers []profiles.Sampler) string {
	var names []string
	for _, s := range samplers {
		hz := int64(profiles.Hz)
		if s == profiles.Perf {
			hz = profiles.PerfHz
		}
		names = append(names, fmt.Sprintf("%s, %s Hz", s, thousands(hz)))
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(names, "; ") + ")"
}

func (p *printer) foot(c *compare.Campaign, t Table) {
	p.line("")
	p.gates(t)
	if a := t.Attributed; a.Foreground > 0 {
		p.wrapped(2, "", fmt.Sprintf("profiles%s: %s (%s to %s) of %s foreground samples attributed; "+
			"%s background samples; samples cover %.2f of the CPU time",
			sampledBy(a.Samplers), percent(a.Share), percent(a.Low), percent(a.High), thousands(a.Foreground),
			thousands(a.Background), a.Coverage))
		if a.Fallback != "" {
			p.wrapped(4, "  ! ", "signals take few samples; "+a.Fallback)
		}
		if a.Lost > 0 {
			p.wrapped(4, "  ! ", printable.Plural(int(a.Lost), "sample")+" lost: the reader was too slow")
		}
		if len(a.Below) > 0 {
			p.wrapped(2, "", fmt.Sprintf("wholly below %.0f %%: %s", 100*Wanted, few(a.Below)))
		}
		chance := 2 / math.Sqrt(float64(a.Foreground+a.Background)) // if no samples were lost
		if a.Coverage < profiles.MinCoverage-chance || a.Coverage > profiles.MaxCoverage+chance {
			p.wrapped(4, "  ! ", "the machine lost or repeated samples, so the shares are only rough")
		}
	}

	if a := t.Allocated; a != nil && a.Coverage == 0 {
		p.wrapped(2, "", fmt.Sprintf("allocations: hardly any; the runtime counts %s in all passes",
			printable.Plural(int(a.Bytes), "byte")))
	} else if a != nil {
		p.wrapped(2, "", fmt.Sprintf("allocations: %s of the bytes attributed; "+
			"the profiles hold %.2f of the %s MB that the runtime counts",
			percent(a.Share), a.Coverage, figure(float64(a.Bytes)/1e6)))
		if len(a.Below) > 0 {
			p.wrapped(2, "", fmt.Sprintf("below %.0f %% of the bytes: %s", 100*Wanted, few(a.Below)))
		}
	}

	if n, most := fewest(t); n < c.Planned {
		had := strconv.Itoa(n)
		if most > n {
			had += fmt.Sprintf(" to %d", most)
		}
		p.wrapped(2, "", fmt.Sprintf("processes: %s of the %d that were to be: "+
			"others did not fit the time, or were lost", had, c.Planned))
	}

	if slices.ContainsFunc(t.Rows, func(r Row) bool {
		for _, b := range r.Basis {
			if b.Processes < stats.Fewest {
				return true
			}
		}
		return false
	}) {
		p.wrapped(2, "", fmt.Sprintf("%s: fewer than %d processes have no interval", noInterval,
			stats.Fewest))
	}

	if p.rare {
		p.wrapped(2, "", rare+
			" collections are so rare that windows end before they hold as many as the others")
	}

	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.raw() }) {
		p.wrapped(2, "", "single operations are elapsed times, from a separate pass; outliers, "+
			"by Tukey's rule, are counted and included")
	}

	if p.alike {
		p.wrapped(2, "", "shares have their 95 % interval (Wilson); "+alike+
			" joins phases whose intervals overlap, "+
			"in the order of the work: which of them costs more is not known")
	}

	if p.charged {
		p.wrapped(2, "", "charged: gc and runtime are given to phases by their share of the bytes, "+
			"a model: the collector's work follows live bytes too")
	}

	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Reissued && len(r.CPU) > 0 }) {
		p.wrapped(2, "", "† present signs the subset again with the issuer's key: no selective disclosure; "+
			"compare issue + verify")
	}

	p.floors(t)

	checks := make(map[string][]string) // by what is checked, the suites that check it
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Checks != "" && !slices.Contains(checks[r.Checks], name(r)) {
			checks[r.Checks] = append(checks[r.Checks], name(r))
		}
	}

	for _, what := range slices.Sorted(maps.Keys(checks)) {
		p.wrapped(2, "", "verify of "+strings.Join(checks[what], ", ")+" checks "+what)
	}

	if i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Cell.Validator != "" }); i >= 0 {
		p.wrapped(2, "", "vcdm validates against its JSON Schema with "+t.Rows[i].Cell.Validator+
			": in issue before it signs, in verify after the proof, "+
			"and presents the whole credential for it; "+
			"the other formats validate nothing, so they have no ratio")
	}

	for _, note := range t.stock() {
		p.wrapped(2, "", note)
	}

	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.bound() && len(r.CPU) > 0 }) {
		var ways []string
		for _, f := range t.formats {
			if f.Bound != "" {
				ways = append(ways, f.Bound)
			}
		}
		p.wrapped(2, "", "holder binding: the holder signs what it presents, and verify checks that: "+
			strings.Join(ways, ", ")+"; issue + verify of the whole holds that check "+
			"and not that signature, the exchange holds both")
	}

	if slices.ContainsFunc(t.Rows, func(r Row) bool { return len(r.Ratios) > 0 }) {
		p.wrapped(2, "", "× is the ratio of issue + verify to that suite or format "+
			"of the same tier and schema")
	}

	p.found(t)
	p.crossed(t)
	if p.first {
		p.wrapped(2, "", "×first is the ratio to the first document of the same method and engine")
	}

	left := make(map[string][]string) // groups without anything measured, by the reason
	for _, g := range grouped(t.Rows) {
		if reason, ok := g.leftOut(); ok {
			what := strings.TrimSpace(fmt.Sprintf("%s %s %s %s", schemaName(g.schema), g.engine,
				g.algorithm(), g.build))
			if g.documents() {
				what = g.title()
			}
			left[reason] = append(left[reason], what)
		}
	}

	for _, reason := range slices.Sorted(maps.Keys(left)) {
		p.wrapped(2, "", reason+": "+strings.Join(left[reason], ", "))
	}

	if len(c.LeftOut) > 0 {
		p.wrapped(2, "", "left out, unless named by flags: "+strings.Join(c.LeftOut, "; "))
	}
	if c.Interrupted {
		p.wrapped(2, "", "interrupted: only what was finished is shown")
	}
	if c.Stopped != "" {
		p.wrapped(2, "", "stopped: only what was finished is shown; "+c.Stopped)
	}
}

// floors explains the rows below the others, and the figures made with them.
func (p *printer) floors(t Table) {
	has := func(suite string) bool {
		return slices.ContainsFunc(t.Rows, func(r Row) bool {
			return r.Cell.Format == compare.Floor && r.Cell.Suite == suite && len(r.CPU) > 0
		})
	}

	var notes []string
	for suite, form := range map[string]string{compare.FloorRDFC: "RDFC-1.0", compare.FloorJCS: "JCS"} {
		if has(suite) {
			notes = append(notes, suite+": the document scanned, its "+form+" form and that of the proof "+
				"options hashed, and the hashes signed, or that checked: the least that suites over "+form+
				" can cost")
		}
	}
	slices.Sort(notes)
	if has(compare.Primitives) {
		notes = append(notes, compare.Primitives+": SHA-256 of 256 bytes signed, or that checked")
	}
	if p.net {
		notes = append(notes, "net: issue + verify less as many bare signatures and checks, ± in µs too; "+
			noise+" where its interval holds 0")
	}
	for _, note := range notes {
		p.wrapped(2, "", note)
	}
}

// crossed lists the ratios that are to rows of another algorithm.
func (p *printer) crossed(t Table) {
	var pairs []string
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, c := range p.columns {
			if other, ok := r.Crossed[c.name]; ok && len(r.Ratios) > 0 {
				pair := fmt.Sprintf("%s %s to %s %s", r.Cell.Suite, r.Cell.Algorithm, c.name, other)
				if !slices.Contains(pairs, pair) {
					pairs = append(pairs, pair)
				}
			}
		}
	}
	if len(pairs) > 0 {
		p.wrapped(2, "", otherAlgorithm+" the group has no row of the same algorithm, "+
			"so the ratio is to its only one: "+strings.Join(pairs, ", "))
	}
}

// tiers prints what an engine costs as a multiple of the native one, with contexts in one state.
func (p *printer) tiers(t Table) {
	const columns = "%-12s %-28s %-8s%-10s%9s %s"
	said, procs, build := false, 0, ""
	if len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(r Row) bool {
		return r.Cell.Procs != t.Rows[0].Cell.Procs
	}) {
		procs = t.Rows[0].Cell.Procs // the head has it
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.ToNative.N == 0 {
			continue
		}
		if !said {
			p.line("")
			p.line("%s", p.bold("specification or library: issue + verify as multiples of the native tier"))
			p.line(columns, "", "", "", "contexts", "×native", "")
			said = true
		}
		if r.Cell.Procs != procs {
			procs = r.Cell.Procs
			p.line("GOMAXPROCS=%d", procs)
		}
		if r.Cell.Build != build {
			build = r.Cell.Build
			p.line("build %s", build)
		}
		p.line(columns, schemaWithin(r.Cell.Schema, 13), name(r)+" "+string(r.Cell.Algorithm),
			r.Cell.Engine, r.Cell.Contexts, figure(r.ToNative.Center), spread(r.ToNative))
	}
}

// fewest is the smallest and the largest number of processes that an operation with a time has.
func fewest(t Table) (least, most int) {
	least = math.MaxInt
	for i := range t.Rows {
		for _, b := range t.Rows[i].Basis {
			least, most = min(least, b.Processes), max(most, b.Processes)
		}
	}
	return least, most
}

// Kept writes the last line of a campaign: how long it took, and which files of a folder hold it.
func Kept(w io.Writer, c *compare.Campaign, folder string, files []string) error {
	if c == nil {
		return errNoCampaign
	}
	where := "nothing could be kept in " + folder
	if len(files) > 0 {
		where = "results in " + folder + ": " + strings.Join(files, ", ")
	}
	p := &printer{}
	p.wrapped(2, "", fmt.Sprintf("took %.0f s; %s", c.Took, where))
	_, err := io.WriteString(w, p.b.String())
	return err
}

// ended reports whether canonicalizing a document ended at a limit or deadline.
func (r *Row) ended() bool {
	state, tried := r.Operations[compare.Canonize]
	return tried && r.Cell.Outcome(state)
}

// tried reports whether a row met its gate: it is neither left out nor unsupported, and did not end before.
func (r *Row) tried() bool {
	for _, state := range r.Operations {
		if state != compare.LeftOut && state != compare.Unsupported && !r.Cell.Outcome(state) {
			return true
		}
	}
	return r.Documents > 0
}

// few lists some cells in short.
func few(ids []string) string {
	const most = 4
	var out []string
	for i, id := range ids {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(ids)-most))
			break
		}
		out = append(out, Short(id))
	}
	return strings.Join(out, "; ")
}

// Short is a short form of a cell's id: without keys and policy.
func Short(id string) string {
	c, err := compare.ParseCell(id)
	if err != nil {
		return id
	}
	words := []string{schemaName(c.Schema), string(c.Format), c.Suite, string(c.Engine), string(c.Algorithm),
		string(c.Operation)}
	if c.Format == compare.Document { // it is not signed
		words = []string{schemaName(c.Schema), c.Suite, string(c.Engine), string(c.Operation)}
	}
	if c.Build != "" {
		words = append(words, "build="+c.Build)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// schemaName is the schema's name; of a file the last part of its path and the hash.
func schemaName(schema string) string {
	title, ok := schemas.FileTitle(schema)
	if !ok {
		return schema
	}
	return printable.Line(title) // an untrusted name
}

// schemaWithin is the schema's name in less than width columns. Of a file the hash stays, since others may be
// called the same, and the beginning of its name.
func schemaWithin(schema string, width int) string {
	name := schemaName(schema)
	at := strings.LastIndexByte(name, '@')
	if _, ok := schemas.FileTitle(schema); !ok || at < 0 || utf8.RuneCountInString(name) < width {
		return cut(name, width)
	}
	base, hash := []rune(name[:at]), name[at:]
	return string(base[:max(0, min(len(base), width-2-len(hash)))]) + "…" + hash
}

// figure prints three significant digits, whole above 100, with thousands separated; from a million on it
// counts millions, so that columns stay apart.
func figure(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	case v >= 999_999.5:
		return fmt.Sprintf("%.4gM", v/1e6)
	}
	return thousands(int64(math.Round(v)))
}

// thousands separates the digits of a count that is not negative.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func micros(e stats.Estimate) string {
	if e.N == 0 {
		return "-"
	}
	return figure(e.Center / 1e3)
}

// marked is the time of something that holds present: † where present signs again.
func marked(r *Row, e stats.Estimate) string {
	if r.Reissued && e.N > 0 {
		return micros(e) + "†"
	}
	return micros(e) + " "
}

// otherAlgorithm marks a ratio to a row of another algorithm.
const otherAlgorithm = "‡"

// to is one of the ratios of a row.
func (r *Row) to(ratios Ratios, c column) string {
	e, ok := ratios[c.name]
	if !ok {
		return "-"
	}
	if _, crossed := r.Crossed[c.name]; crossed {
		return figure(e.Center) + otherAlgorithm
	}
	return figure(e.Center)
}

// noInterval is printed where there is none.
const noInterval = "±?"

// spread is the interval relative to the value: one figure where both sides are alike, both where they are
// not, and a factor where that is large.
func spread(e stats.Estimate) string {
	if e.N == 0 || e.Center == 0 {
		return ""
	}
	if !e.Bounded() {
		return noInterval
	}
	below, above := math.Round(100*(1-e.Low/e.Center)), math.Round(100*(e.High/e.Center-1))
	switch {
	case above >= 100:
		return "×÷" + factor(e.High/e.Center)
	case above-below >= 2:
		return fmt.Sprintf("-%.0f+%.0f", below, above)
	}
	return fmt.Sprintf("±%.0f%%", above)
}

// factor prints two significant digits in at most four columns, so that no interval is wider than its column.
func factor(v float64) string {
	switch {
	case v < 9.95:
		return fmt.Sprintf("%.1f", v)
	case v < 999.5:
		return fmt.Sprintf("%.0f", v)
	}
	return ">999"
}

func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0 %"
	case p < 0.05:
		return "<0.1 %"
	case p < 9.95 || p > 97 && p < 99.95:
		return fmt.Sprintf("%.1f %%", p)
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}
