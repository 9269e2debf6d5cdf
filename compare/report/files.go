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

// Markdown writes the rows as one table a schema, algorithm and tier.
func Markdown(w io.Writer, t Table) error {
	for i, g := range grouped(t.Rows) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "### %s\n\n", markdown(g.title()))
		columns := t.columns()
		cells := func(text func(f *compare.Definition) string) string {
			line := ""
			for _, f := range columns {
				line += " " + text(f) + " |"
			}
			return line
		}

		bound := func(text func(f *compare.Definition) string) string { // columns for holder binding alone
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
		rule := func(*compare.Definition) string { return "--:" }
		fmt.Fprintln(w, "| exchange | issue µs | verify µs | issue + verify µs |"+
			cells(func(f *compare.Definition) string { return "× " + f.Title })+
			" issued bytes | present µs | verify presented µs | exchange µs | presented bytes |"+
			" canonicalizations | signatures |"+
			bound(func(f *compare.Definition) string { return "exchange × " + f.Title }))
		fmt.Fprintln(w, "|---|--:|--:|--:|"+strings.ReplaceAll(cells(rule), " ", "")+
			"--:|--:|--:|--:|--:|--:|--:|"+bound(rule))
		states := make(map[string]int)
		for _, r := range g.rows {
			states[name(r)]++
		}
		for _, r := range g.rows {
			label := name(r)
			if states[label] > 1 {
				label += ", contexts " + string(r.Cell.Contexts)
			}
			if r.Whole {
				label += ", presents the whole"
			}
			if _, err := fmt.Fprintf(w, "| %s | %s | %s | %s |%s %s | %s | %s | %s | %s | %d | %d |%s\n",
				label, micros(r.CPU[compare.Issue]), micros(r.CPU[compare.Verify]), micros(r.IssueVerify),
				cells(r.Ratios.of), bytesOf(r, compare.Issue),
				strings.TrimSpace(marked(r, r.CPU[compare.Present])),
				micros(r.CPU[compare.VerifyPresented]), strings.TrimSpace(marked(r, r.Exchange)),
				bytesOf(r, compare.Present),
				r.Counters.Canonicalizations, r.Counters.Signatures, bound(r.boundTo)); err != nil {
				return err
			}
			for _, reason := range r.Reasons {
				fmt.Fprintf(w, "| | %s |\n", markdown(reason))
			}
		}
	}

	note := "\nProcess CPU, means over processes."
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cell.Format != compare.Document }) {
		note += " † present signs the subset again with the issuer's key: no selective disclosure. " +
			"× compares issue + verify."
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

// markdown escapes untrusted text for Markdown, also in tables, so that none of it becomes markup, HTML or
// a link. It keeps line breaks.
func markdown(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = markdownText.Replace(printable.Line(l))
	}
	return strings.Join(lines, "<br>")
}

var markdownText = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", `\`, `\\`, "`", "\\`", "|",
	`\|`, "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "$", `\$`, "#", `\#`, "://", `:\//`, "www.",
	`www\.`)

// CSV writes a line for each exchange: nanoseconds, bytes, counts, and the share of each phase: of the CPU,
// of the heap bytes, and of the CPU with the collector charged by bytes.
func CSV(w io.Writer, t Table) error {
	out := csv.NewWriter(w)
	head := []string{"format", "suite", "engine", "algorithm", "schema", "gc", "procs", "contexts", "binding"}
	for _, op := range compare.Operations {
		for _, of := range []string{"state", "cpu_ns", "low_ns", "high_ns", "bytes",
			"processes", "operations", "documents", "collections", "live_heap"} {
			head = append(head, string(op)+"_"+of)
		}
	}

	head = append(head, "canonize_to_first", "canonize_to_first_low", "canonize_to_first_high",
		"issue_verify_ns", "issue_verify_low_ns", "issue_verify_high_ns",
		"exchange_ns", "exchange_low_ns", "exchange_high_ns", "reissued", "presents")

	for _, of := range []string{"to_", "exchange_to_"} {
		for _, f := range t.columns() {
			name := of + strings.ReplaceAll(string(f.Name), "-", "_")
			head = append(head, name, name+"_low", name+"_high")
		}
	}

	head = append(head, "canonicalizations", "signatures", "verifications", "salts", "digests", "wall_ns",
		"thread_ns", "heap_bytes", "heap_objects", "quads", "blank_nodes", "n_degree")
	for _, of := range []string{"", "heap_", "charged_"} {
		for i := range phase.Count {
			name := of + phase.Phase(i).String()
			head = append(head, name, name+"_low", name+"_high")
		}
	}

	if err := out.Write(head); err != nil {
		return err
	}

	for _, r := range t.Rows {
		c := r.Cell
		line := []string{string(c.Format), c.Suite, string(c.Engine), string(c.Algorithm), c.Schema, c.GC,
			strconv.Itoa(c.Procs), string(c.Contexts), string(c.Binding)}
		for _, op := range compare.Operations {
			e := r.CPU[op]
			line = append(line, string(r.Operations[op]), number(e, e.Center), number(e, e.Low),
				number(e, e.High), strconv.Itoa(r.Output[op]))
			b := r.Basis[op]
			for _, n := range []int{b.Processes, b.Operations, b.Documents, b.Collections} {
				line = append(line, strconv.Itoa(n))
			}
			line = append(line, plain(b.LiveHeap))
		}

		for _, e := range []stats.Estimate{r.First, r.IssueVerify, r.Exchange} {
			line = append(line, number(e, e.Center), number(e, e.Low), number(e, e.High))
		}
		how := ""
		if c.Format != compare.Document && r.Documents > 0 {
			how = presents(r.Reissued, r.Whole)
		}
		line = append(line, strconv.FormatBool(r.Reissued), how)
		for _, ratios := range []Ratios{r.Ratios, r.Bound} {
			for _, f := range t.columns() {
				e := ratios[f.Name]
				line = append(line, number(e, e.Center), number(e, e.Low), number(e, e.High))
			}
		}
		n := r.Counters
		for _, v := range []int{n.Canonicalizations, n.Signatures, n.Verifications, n.Salts, n.Digests} {
			line = append(line, strconv.Itoa(v))
		}
		line = append(line, plain(r.Wall), plain(r.Thread), plain(r.Bytes), plain(r.Allocs),
			strconv.Itoa(r.Quads), strconv.Itoa(r.Blank), strconv.FormatInt(r.NDegree, 10))
		for _, shares := range []Shares{r.Phases, r.Heap, r.Charged} {
			for i := range phase.Count {
				e := shares.of(phase.Phase(i).String())
				line = append(line, number(e, e.Center), number(e, e.Low), number(e, e.High))
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}

	out.Flush()
	return out.Error()
}

func number(e stats.Estimate, v float64) string {
	if e.N == 0 {
		return ""
	}
	return plain(v)
}

// plain is a number; nothing where there is none.
func plain(v float64) string {
	if math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
