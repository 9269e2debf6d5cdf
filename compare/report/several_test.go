package report_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
)

// scaled is the made campaign, where the times of a format are multiplied.
func scaled(format compare.Format, by float64) *report.Report {
	c := made()
	for i := range c.Results {
		r := &c.Results[i]
		for k := range r.Runs {
			if r.Cell.Format == format {
				r.Runs[k].CPU *= by
			}
		}
	}
	return report.New(c, matrix.Formats, nil)
}

// Orderings that hold in all folders are apart from those that one turns round or leaves open, and a folder without a cell does not count.
func TestSeveral(t *testing.T) {
	cut := scaled("", 1)
	cut.Campaign.Interrupted = true
	half := made()
	half.Results = half.Results[:4] // vcdm alone
	wide := scaled("", 1).Campaign
	for i := range wide.Results {
		if r := &wide.Results[i]; r.Cell.Format == "sd-jwt-vc" {
			for k := range r.Runs {
				r.Runs[k].CPU *= 0.5 + 0.4*float64(k)
			}
		}
	}
	s := report.NewSeveral([]string{"one", "two", "half", "wide", "a long label <b>|x|</b> that is cut"},
		[]*report.Report{scaled("", 1), scaled("mdoc", 2), report.New(half, matrix.Formats, nil), report.New(wide, matrix.Formats, nil), cut})
	var text, md, csv, page, inJSON bytes.Buffer
	for out, write := range map[*bytes.Buffer]func() error{
		&text: func() error { return s.Text(&text, false) }, &md: func() error { return s.Markdown(&md) }, &csv: func() error { return s.CSV(&csv) },
		&page: func() error { return s.HTML(&page) }, &inJSON: func() error { return s.JSON(&inJSON) },
	} {
		if err := write(); err != nil || out.Len() == 0 {
			t.Fatal(err)
		}
	}
	golden(t, "several.txt", text.Bytes())
	golden(t, "several.md", md.Bytes())
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(line) > report.Width+1 {
			t.Errorf("%q is too wide", line)
		}
	}
	plain := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{
		"simple-20 vcdm eddsa-rdfc-2022 stock EdDSA, contexts embedded costs more than mdoc: holds in 4 of 4",
		"simple-20 sd-jwt-vc jws stock EdDSA costs more than mdoc: holds in 2 of 4, the other way round in 1, not decided in 1",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q", want)
		}
	}
	if all, not, _ := strings.Cut(plain, "that do not"); !strings.Contains(all, "holds in 4 of 4") || strings.Contains(not, "holds in 4 of 4") {
		t.Error("orderings are not apart")
	}
	if n := strings.Count(csv.String(), "\n"); n != 1+5*5 {
		t.Errorf("%d lines of CSV", n)
	}
	if strings.Contains(page.String(), "<b>|") || !strings.Contains(page.String(), "&lt;b&gt;") || !strings.Contains(page.String(), "holds in 4 of 4") {
		t.Error("the page is not as it should be")
	}
	if !strings.Contains(inJSON.String(), `"holds": 2,`) || !strings.Contains(inJSON.String(), `"turned": 1,`) {
		t.Error("the JSON has no orderings")
	}
}

// Folders without any time are an empty table that says so.
func TestSeveralEmpty(t *testing.T) {
	var out bytes.Buffer
	none := report.New(&compare.Campaign{Version: compare.Version, Interrupted: true}, matrix.Formats, nil)
	if err := report.NewSeveral([]string{"a", "b"}, []*report.Report{none, none}).Text(&out, false); err != nil || !strings.Contains(out.String(), "nothing was timed in any folder") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// A phase has one glyph in all rows of a table.
func TestOneGlyph(t *testing.T) {
	c := made()
	for i := range c.Results {
		if r := &c.Results[i]; r.Cell.Format == "mdoc" && r.Profile != nil {
			a := &r.Profile.Attribution.Foreground
			for k, p := range []int{2, 7} { // others than in the rows above
				a[p].Samples, a[p].Value = int64(200+200*k), int64(200+200*k)*1e7
			}
		}
	}
	var out bytes.Buffer
	if err := report.Text(&out, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	fills := make(map[string]string)
	table, _, _ := strings.Cut(out.String(), "native engines")
	_, table, _ = strings.Cut(table, "where the time goes:")
	for _, name := range []string{"context", "parse", "to-rdf", "gc", "digest", "expand"} {
		for line := range strings.Lines(table) {
			before, _, ok := strings.Cut(line, " "+name+" ")
			if !ok {
				continue
			}
			r, _ := utf8.DecodeLastRuneInString(before)
			if was := fills[name]; was != "" && was != string(r) {
				t.Errorf("%s is %s and %c", name, was, r)
			}
			fills[name] = string(r)
		}
	}
	seen := make(map[string]bool)
	for _, f := range fills {
		seen[f] = true
	}
	if len(fills) < 6 || len(seen) != len(fills) {
		t.Errorf("phases have the glyphs %v\n%s", fills, table)
	}
}

// The page of an experiment has plots of all exchanges and of each, and tables with laws or ratios.
func TestGrowthPage(t *testing.T) {
	c, experiments := grown()
	page := pageOf(t, report.New(c, matrix.Formats, experiments), nil)
	for _, want := range []string{`id="growth-1"`, "clr-medium along achievements", `<svg role="img" aria-label="vcdm eddsa-rdfc-2022, EdDSA, native engine: operations: µs against quads`,
		`<svg role="img" aria-label="Issue + verify, native engines, µs, linear: µs against quads`, "phases upon each other",
		"<polyline", `<polygon class="b0"`, `<polygon class="p"`, "law, n = quads", "3.00·n &#43; 0.01·n²",
		"Issue &#43; verify: 29.0 µs (27.8 to 30.2) for each further quad at 1,300.", "no ids : ids", "present †"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, no := range []string{"NaN", "Inf", "%!", "ZgotmplZ"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
}

// The plots of an experiment are also pictures that a browser shows alone.
func TestPlotFiles(t *testing.T) {
	c, experiments := grown()
	plots := 0
	for _, f := range report.New(c, matrix.Formats, experiments).Files(nil) {
		if !strings.HasSuffix(f.Name, ".svg") {
			continue
		}
		plots++
		var out strings.Builder
		if err := f.Content(&out); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal([]byte(out.String()), new(struct {
			XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		})); err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, &out)
		}
		for _, no := range []string{"NaN", "Inf", "%!", "href", "var("} {
			if strings.Contains(out.String(), no) {
				t.Errorf("%s has %q", f.Name, no)
			}
		}
	}
	if plots != 7 { // two together and two of the curve along the axis; one, and two of the curve, of words
		t.Errorf("%d plots", plots)
	}
}
