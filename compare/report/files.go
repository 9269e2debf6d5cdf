package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon/phase"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
)

// JSON writes the campaign with its table.
func JSON(w io.Writer, c *compare.Campaign, t Table) error {
	return printable.JSON(w, struct {
		*compare.Campaign
		Table Table `json:"table"`
	}{c, t})
}

// Markdown writes the rows as one table a schema, algorithm and tier, below the title and the machine.
func Markdown(w io.Writer, c *compare.Campaign, t Table) error {
	if c == nil {
		return errNoCampaign
	}
	head := &printer{}
	fmt.Fprintf(w, "## %s\n\n", head.head(c))
	for _, text := range head.texts[1:] {
		fmt.Fprintf(w, "%s\n\n", printable.Markdown(text+"."))
	}
	for _, text := range append(slices.Concat(t.Sentences, t.Fitness), alerts(c)...) {
		fmt.Fprintf(w, "%s\n\n", printable.Markdown(text))
	}
	for i, g := range grouped(t.Rows) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "### %s\n\n", printable.Markdown(g.title()))
		columns := t.columns()
		cells := func(text func(c column) string) string {
			line := ""
			for _, c := range columns {
				line += " " + text(c) + " |"
			}
			return line
		}

		bound := func(text func(c column) string) string { // columns for holder binding alone
			if !g.rows[0].bound() {
				return ""
			}
			return cells(text)
		}
		if g.documents() {
			if err := g.markdown(w); err != nil {
				return err
			}
			continue
		}
		rule := func(column) string { return "--:" }
		fmt.Fprintln(w, "| exchange | issue µs | verify µs | issue + verify µs | net µs |"+
			cells(func(c column) string { return "× " + c.title })+
			" issued bytes | present µs | verify presented µs | exchange µs | presented bytes |"+
			" canonicalizations | signatures |"+
			bound(func(c column) string { return "exchange × " + c.title }))
		fmt.Fprintln(w, "|---|--:|--:|--:|--:|"+strings.ReplaceAll(cells(rule), " ", "")+
			"--:|--:|--:|--:|--:|--:|--:|"+bound(rule))
		states := make(map[string]int)
		for _, r := range g.rows {
			states[g.name(r)]++
		}
		for _, r := range g.rows {
			label := g.name(r)
			if states[label] > 1 {
				label += ", contexts " + string(r.Cell.Contexts)
			}
			if r.Whole {
				label += ", presents the whole"
			}
			if _, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s |%s %s | %s | %s | %s | %s | %d | %d |%s\n",
				label, withSpread(r.CPU[compare.Issue]), withSpread(r.CPU[compare.Verify]),
				withSpread(r.IssueVerify),
				strings.TrimSpace(r.net()+" "+r.netSpread()), cells(r.ratioTo),
				bytesOf(r, compare.Issue), r.markedSpread(r.CPU[compare.Present]),
				withSpread(r.CPU[compare.VerifyPresented]), r.markedSpread(r.Exchange),
				bytesOf(r, compare.Present),
				r.Counters.Canonicalizations, r.Counters.Signatures, bound(r.boundTo)); err != nil {
				return err
			}
			for _, reason := range r.Reasons {
				fmt.Fprintf(w, "| | %s |\n", printable.Markdown(reason))
			}
		}
	}

	t.tiers(w)
	t.writeVerdicts(w)
	if err := t.writeBuilds(w); err != nil {
		return err
	}
	note := "\nProcess CPU, geometric means over processes, with 95 % intervals."
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cell.Format != compare.Document }) {
		note += " † present signs the subset again with the issuer's key: no selective disclosure. " +
			"× compares issue + verify."
	}

	if slices.ContainsFunc(t.Rows, func(r Row) bool { return len(r.Crossed) > 0 }) {
		note += " " + otherAlgorithm + " compares with a row of another algorithm, the only one of that name."
	}
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.First.N > 0 }) {
		note += " × first compares with the first document of the same method."
	}

	for _, text := range t.stock() {
		note += "\n" + strings.ToUpper(text[:1]) + text[1:] + "."
	}

	_, err := fmt.Fprintln(w, note)
	return err
}

// withSpread is a time with its interval.
func withSpread(e stats.Estimate) string { return strings.TrimSpace(micros(e) + " " + spread(e)) }

// markedSpread is the time of something that holds present, marked where that signs again.
func (r *Row) markedSpread(e stats.Estimate) string {
	return strings.TrimSpace(strings.TrimSpace(marked(r, e)) + " " + spread(e))
}

// tiers writes what engines cost as multiples of the native one.
func (t *Table) tiers(w io.Writer) {
	said := false
	for _, r := range t.Rows {
		if r.ToNative.N == 0 {
			continue
		}
		if !said {
			fmt.Fprint(w, "\n### Specification or library?\n\n"+
				"| schema | exchange | engine | contexts | issue + verify × native |\n"+
				"|---|---|---|---|--:|\n")
			said = true
		}
		fmt.Fprintf(w, "| %s | %s %s | %s | %s | %s %s |\n", printable.Markdown(schemaName(r.Cell.Schema)),
			name(&r),
			r.Cell.Algorithm, r.Cell.Engine, r.Cell.Contexts, figure(r.ToNative.Center), spread(r.ToNative))
	}
}

// CSV writes a line for each exchange: nanoseconds, bytes, counts, and the share of each phase: of the CPU,
// of the heap bytes, and of the CPU with the collector charged by bytes. What was not measured is empty.
func CSV(w io.Writer, t Table) error {
	out := csv.NewWriter(w)
	head := []string{"format", "suite", "engine", "algorithm", "schema", "gc", "procs", "contexts", "binding",
		"disclose", "granularity", "build"}
	for _, op := range compare.Operations {
		for _, of := range []string{"state", "cpu_ns", "low_ns", "high_ns", "bytes",
			"processes", "operations", "documents", "collections", "live_heap"} {
			head = append(head, string(op)+"_"+of)
		}
	}

	head = append(head, "canonize_to_first", "canonize_to_first_low", "canonize_to_first_high",
		"issue_verify_ns", "issue_verify_low_ns", "issue_verify_high_ns",
		"exchange_ns", "exchange_low_ns", "exchange_high_ns", "reissued", "presents")

	of := []string{"to_", "exchange_to_"}
	for _, op := range compare.OfCredentials {
		of = append(of, string(op)+"_to_")
	}

	for _, of := range of {
		for _, c := range t.columns() {
			name := of + strings.ReplaceAll(c.name, "-", "_")
			head = append(head, name, name+"_low", name+"_high")
		}
	}

	head = append(head, "other_algorithm", "net_ns", "net_low_ns", "net_high_ns",
		"to_native", "to_native_low", "to_native_high")
	head = append(head, "canonicalizations", "signatures", "verifications", "salts", "digests", "wall_ns",
		"thread_ns", "heap_bytes", "heap_objects", "quads", "blank_nodes", "n_degree")
	for _, of := range []string{"", "heap_", "charged_"} {
		for i := range phase.Count {
			name := of + phase.Phase(i).String()
			head = append(head, name, name+"_low", name+"_high")
		}
	}

	head = append(head, "fitness")
	head = append(head, t.verdictHead()...)
	if err := out.Write(head); err != nil {
		return err
	}

	for _, r := range t.Rows {
		c := r.Cell
		line := []string{string(c.Format), c.Suite, string(c.Engine), string(c.Algorithm), c.Schema, c.GC,
			strconv.Itoa(c.Procs), string(c.Contexts), string(c.Binding), string(c.Disclose),
			c.Granularity.String(), c.Build}
		for _, op := range compare.Operations {
			e := r.CPU[op]
			line = append(line, string(r.Operations[op]), number(e, e.Center), number(e, e.Low),
				number(e, e.High), known(r.Output[op] > 0, strconv.Itoa(r.Output[op])))
			b := r.Basis[op]
			for _, n := range []int{b.Processes, b.Operations, b.Documents, b.Collections} {
				line = append(line, known(b.Processes > 0, strconv.Itoa(n)))
			}
			line = append(line, known(b.Processes > 0, plain(b.LiveHeap)))
		}

		for _, e := range []stats.Estimate{r.First, r.IssueVerify, r.Exchange} {
			line = append(line, number(e, e.Center), number(e, e.Low), number(e, e.High))
		}
		how := ""
		if c.Format != compare.Document && c.Format != compare.Floor && r.Documents > 0 {
			how = presents(r.Reissued, r.Whole)
		}
		reissued := ""
		if how != "" {
			reissued = strconv.FormatBool(r.Reissued)
		}
		line = append(line, reissued, how)
		all := []Ratios{r.Ratios, r.Bound}
		for _, op := range compare.OfCredentials {
			all = append(all, r.Single[op])
		}
		for _, ratios := range all {
			for _, c := range t.columns() {
				e := ratios[c.name]
				line = append(line, number(e, e.Center), number(e, e.Low), number(e, e.High))
			}
		}
		other := make([]string, 0, len(r.Crossed))
		for _, c := range t.columns() {
			if a, ok := r.Crossed[c.name]; ok {
				other = append(other, c.name+"="+string(a))
			}
		}
		line = append(line, strings.Join(other, " "))
		for _, e := range []stats.Estimate{r.Net, r.ToNative} {
			line = append(line, number(e, e.Center), number(e, e.Low), number(e, e.High))
		}
		n := r.Counters
		for _, v := range []int{n.Canonicalizations, n.Signatures, n.Verifications, n.Salts, n.Digests} {
			line = append(line, known(r.Documents > 0, strconv.Itoa(v)))
		}
		for _, v := range []float64{r.Wall, r.Thread, r.Bytes, r.Allocs} {
			line = append(line, known(r.Wall > 0, plain(v)))
		}
		counted := c.Format == compare.Document && r.Quads > 0 // with blank nodes
		line = append(line, known(r.Quads > 0, strconv.Itoa(r.Quads)),
			known(counted, strconv.Itoa(r.Blank)), known(counted, strconv.FormatInt(r.NDegree, 10)))
		for _, shares := range []Shares{r.Phases, r.Heap, r.Charged} {
			for i := range phase.Count {
				e := shares.of(phase.Phase(i).String())
				line = append(line, number(e, e.Center), number(e, e.Low), number(e, e.High))
			}
		}
		line = append(line, t.fit)
		line = append(line, t.verdictLine(&r)...)
		if err := out.Write(line); err != nil {
			return err
		}
	}

	out.Flush()
	return out.Error()
}

func number(e stats.Estimate, v float64) string { return known(e.N > 0, plain(v)) }

// known is a number; nothing for one that was not measured.
func known(is bool, number string) string {
	if !is {
		return ""
	}
	return number
}

// plain is a number; nothing where there is none, such as a side of an interval that is not bounded.
func plain(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
