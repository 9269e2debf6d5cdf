package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/compare/stats"
)

// shaken is made whose processes differ by chance, so that costs that are near are not told apart.
func shaken(scale float64) *compare.Campaign {
	c := made()
	shift := []float64{-1, 0.4, 0.9, -0.7, 0.5}
	for i := range c.Results {
		runs := c.Results[i].Runs
		for k := range runs {
			runs[k].CPU *= 1 + scale*shift[(k+i)%len(shift)]
		}
	}
	return c
}

// Every ratio has a verdict, a ratio and its inverse the same one from its side, and the columns say what they could find.
func TestVerdicts(t *testing.T) {
	table := report.NewTable(shaken(0.6), matrix.Formats)
	verdict := func(row int, name string) *stats.Comparison { return table.Rows[row].Verdicts[name] }
	if v := verdict(0, "mdoc"); v.Verdict != stats.Slower || v.Ratio.N != 5 {
		t.Errorf("14.7 times as much is %+v", v)
	}
	there, back := verdict(1, "mdoc"), verdict(2, "sd-jwt-vc")
	if !(math.Abs(there.Ratio.Center*back.Ratio.Center-1) <= 1e-9) || !(math.Abs(there.Ratio.Low*back.Ratio.High-1) <= 1e-9) {
		t.Errorf("%+v and %+v are not inverse", there.Ratio, back.Ratio)
	}
	if there.Verdict != stats.Inconclusive || back.Verdict != stats.Inconclusive || there.Differs != back.Differs || there.Needs() != back.Needs() || there.Needs() <= 5 {
		t.Errorf("%s, needs %d, and %s, needs %d", there.Verdict, there.Needs(), back.Verdict, back.Needs())
	}
	for i := range table.Rows {
		for name, e := range table.Rows[i].Ratios {
			v := table.Rows[i].Verdicts[name]
			if v == nil || v.Ratio != e && !(math.Abs(v.Ratio.Low/e.Low-1) <= 1e-9) {
				t.Errorf("%s to %s: %v, and the verdict is on %v", table.Rows[i].ID, name, e, v)
			}
		}
	}
	if table.Compared != 3 {
		t.Errorf("%d comparisons; a ratio and its inverse are one", table.Compared)
	}
	if f := table.Finds["mdoc"]; !(0 < f.Least && f.Least <= f.Most && f.Most < 1) {
		t.Errorf("could find %+v", f)
	}
}

// A wider band makes more equivalent, and the campaign keeps it.
func TestBand(t *testing.T) {
	c := shaken(0.02)
	if v := report.NewTable(c, matrix.Formats).Rows[1].Verdicts["mdoc"]; v.Verdict != stats.Slower {
		t.Errorf("1.27 times as much is %s within 10 %%", v.Verdict)
	}
	c.Band = 0.5
	table := report.NewTable(c, matrix.Formats)
	if v := table.Rows[1].Verdicts["mdoc"]; table.Band != 0.5 || v.Verdict != stats.Equivalent {
		t.Errorf("1.27 times as much is %s within %v", v.Verdict, table.Band)
	}
}

// A row has the verdict on its ratio to the native engine where contexts are in one state, and none else.
func TestNativeVerdict(t *testing.T) {
	c := made()
	if v := report.NewTable(c, matrix.Formats).Rows[0].NativeVerdict; v != nil {
		t.Errorf("contexts in other states are compared: %+v", v)
	}
	for i := range c.Results {
		if r := &c.Results[i]; r.Cell.Contexts == compare.Warm {
			r.Cell.Contexts = compare.Embedded
			r.ID = r.Cell.ID()
		}
	}
	rows := report.NewTable(c, matrix.Formats).Rows
	if v := rows[0].NativeVerdict; v == nil || v.Verdict != stats.Slower || rows[3].NativeVerdict != nil {
		t.Errorf("%+v", v)
	}
}

// Every export has the verdicts, with the half-width and the processes that would decide.
func TestVerdictExports(t *testing.T) {
	c := shaken(0.6)
	table := report.NewTable(c, matrix.Formats)
	var text, markdown, comma, object bytes.Buffer
	for _, err := range []error{report.Text(&text, c, table, false), report.Markdown(&markdown, c, table), report.CSV(&comma, table), report.JSON(&object, c, table)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"\nverdicts:             ×mdoc                        ×SDJWT\n", "slower ±", "inconclusive ±", ", needs ", "could have found"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, &text)
		}
	}
	if !strings.Contains(markdown.String(), "\n### Verdicts\n") || !strings.Contains(markdown.String(), "| inconclusive | ±") {
		t.Errorf("%s", &markdown)
	}
	lines, err := csv.NewReader(&comma).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	k := slices.Index(lines[0], "to_mdoc_verdict")
	if k < 0 || lines[1][k] != "slower" || lines[2][k] != "inconclusive" || lines[2][k+1] == "" || lines[2][k+2] == "" || lines[3][k] != "" {
		t.Errorf("CSV: %v", lines)
	}
	var got struct {
		Table struct {
			Rows []struct {
				Verdicts map[string]struct {
					Verdict string  `json:"verdict"`
					Half    float64 `json:"half_width"`
					Needs   int     `json:"processes_to_decide"`
				}
			}
		}
	}
	if err := json.Unmarshal(object.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if v := got.Table.Rows[1].Verdicts["mdoc"]; v.Verdict != "inconclusive" || v.Half <= 0 || v.Needs <= 5 {
		t.Errorf("JSON: %+v", v)
	}
}
