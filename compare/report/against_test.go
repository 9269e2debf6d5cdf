package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/vcdm/keys"
)

// swaps is a campaign of one schema whose rows differ in suite, algorithm, tier and state of contexts. Every
// process is off by the same little, so that ratios and differences are exact.
func swaps() *compare.Campaign {
	c := &compare.Campaign{Version: compare.Version, Planned: 3, Runs: 3, Documents: 64, Environment: map[string]string{}}
	add := func(format compare.Format, suite string, engine compare.Engine, algorithm compare.Algorithm, contexts compare.ContextState,
		issue, verify float64, signatures int,
	) {
		for _, op := range compare.OfCredentials {
			if format == compare.Floor && !slices.Contains(compare.Whole, op) {
				continue
			}
			cell := compare.Cell{Format: format, Suite: suite, Engine: engine, Algorithm: algorithm, Schema: "simple-20", Operation: op, GC: "100",
				Procs: 2, Contexts: contexts}
			r := compare.Result{Cell: cell, ID: cell.ID(), State: compare.Measured,
				Work: compare.Work{Documents: 64, Output: 100, Reissued: strings.HasPrefix(suite, "eddsa"), Checks: "signature"}}
			micros := verify
			switch op {
			case compare.Issue:
				micros, r.Work.Counters.Signatures = issue, signatures
			case compare.Verify:
				r.Work.Counters.Verifications = signatures
			}
			for block := range 3 {
				r.Runs = append(r.Runs, compare.Run{Block: block, Ops: 100, CPU: micros * 1000 * (1 + 0.01*float64(block-1))})
			}
			c.Results = append(c.Results, r)
		}
	}
	const none, embedded, warm = compare.NoContexts, compare.Embedded, compare.Warm
	add("vcdm", "eddsa-rdfc-2022", canon.Stock, keys.EdDSA, embedded, 1000, 1000, 1)
	add("mdoc", "cose-sign1", canon.Stock, keys.ES256, none, 100, 100, 1)
	add("floor", "primitives", canon.Native, keys.EdDSA, none, 20, 40, 1)
	add("vcdm", "eddsa-rdfc-2022", canon.Native, keys.EdDSA, embedded, 200, 300, 1)
	add("vcdm", "eddsa-rdfc-2022", canon.Native, keys.EdDSA, warm, 40, 60, 1)
	add("sd-jwt-vc", "jws", canon.Native, keys.EdDSA, none, 50, 50, 1)
	add("vcdm", "ecdsa-sd-2023", canon.Native, keys.ES256, warm, 800, 1200, 10)
	add("sd-jwt-vc", "jws", canon.Native, keys.ES256, none, 70, 130, 1)
	add("mdoc", "cose-sign1", canon.Native, keys.ES256, none, 40, 120, 1)
	add("floor", "primitives", canon.Native, keys.ES256, none, 30, 70, 1)
	return c
}

// rowOf finds a row by the parts of its id.
func rowOf(t *testing.T, table report.Table, parts ...string) *report.Row {
	t.Helper()
	i := slices.IndexFunc(table.Rows, func(r report.Row) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(r.ID, "="+p) })
	})
	if i < 0 {
		t.Fatalf("no row %q", parts)
	}
	return &table.Rows[i]
}

// A ratio is to the row of the same algorithm, else to the only one of that name, with contexts in one state; what is
// not unique has none.
func TestAgainst(t *testing.T) {
	table := report.NewTable(swaps(), matrix.Formats, "eddsa-rdfc-2022", "sd-jwt-vc", "cose-sign1")
	for _, test := range []struct {
		row     []string
		want    map[string]float64
		crossed map[string]compare.Algorithm
	}{
		{[]string{"eddsa-rdfc-2022", "stock"}, map[string]float64{"cose-sign1": 10}, map[string]compare.Algorithm{"cose-sign1": "ES256"}},
		{[]string{"cose-sign1", "stock"}, map[string]float64{"eddsa-rdfc-2022": 0.1}, map[string]compare.Algorithm{"eddsa-rdfc-2022": "EdDSA"}},
		{[]string{"eddsa-rdfc-2022", "native", "embedded"}, map[string]float64{"sd-jwt-vc": 5, "cose-sign1": 500. / 160},
			map[string]compare.Algorithm{"cose-sign1": "ES256"}},
		{[]string{"eddsa-rdfc-2022", "native", "warm"}, map[string]float64{"sd-jwt-vc": 1, "cose-sign1": 100. / 160},
			map[string]compare.Algorithm{"cose-sign1": "ES256"}},
		{[]string{"ecdsa-sd-2023", "native"}, map[string]float64{"eddsa-rdfc-2022": 20, "sd-jwt-vc": 10, "cose-sign1": 12.5},
			map[string]compare.Algorithm{"eddsa-rdfc-2022": "EdDSA"}},
		{[]string{"jws", "native", "ES256"}, map[string]float64{"cose-sign1": 1.25}, nil},
		{[]string{"primitives", "EdDSA"}, nil, nil},
	} {
		r := rowOf(t, table, test.row...)
		for name, e := range r.Ratios {
			if want, ok := test.want[name]; !ok || !(math.Abs(e.Center-want) <= 1e-9*want) {
				t.Errorf("%q to %s is %v, want %v", test.row, name, e, want)
			}
		}
		if len(r.Ratios) != len(test.want) || !maps.Equal(r.Crossed, test.crossed) && len(r.Crossed)+len(test.crossed) > 0 {
			t.Errorf("%q has ratios %v, crossing %v", test.row, r.Ratios, r.Crossed)
		}
	}

	// Of single operations too, but of present only where both derive.
	sd, rdfc := rowOf(t, table, "ecdsa-sd-2023"), rowOf(t, table, "eddsa-rdfc-2022", "native", "warm")
	if got := sd.Single[compare.Issue]["eddsa-rdfc-2022"].Center; !(math.Abs(got-20) <= 1e-9) {
		t.Errorf("issue is %v times", got)
	}
	if got := sd.Single[compare.Verify]["cose-sign1"].Center; !(math.Abs(got-10) <= 1e-9) {
		t.Errorf("verify is %v times", got)
	}
	if sd.Single[compare.Present]["sd-jwt-vc"].N == 0 || sd.Single[compare.Present]["eddsa-rdfc-2022"].N != 0 ||
		rdfc.Single[compare.Present]["sd-jwt-vc"].N != 0 || rdfc.Single[compare.VerifyPresented]["sd-jwt-vc"].N != 0 {
		t.Errorf("present has ratios %v and %v", sd.Single, rdfc.Single)
	}
}

// A format with two rows of other algorithms is not guessed at.
func TestAgainstAmbiguous(t *testing.T) {
	c := swaps()
	for i := range c.Results {
		if r := &c.Results[i]; r.Cell.Suite == "cose-sign1" && r.Cell.Engine == canon.Native {
			r.Cell.Algorithm = keys.ES384
			r.ID = r.Cell.ID()
		}
	}
	table := report.NewTable(c, matrix.Formats)
	if !slices.Equal(table.Against, []string{"mdoc", "sd-jwt-vc"}) {
		t.Errorf("by itself against %q", table.Against)
	}
	if r := rowOf(t, table, "cose-sign1", "ES384"); len(r.Ratios) > 0 {
		t.Errorf("two rows of sd-jwt-vc, and ratios %v", r.Ratios)
	}
}

// Engines are compared with contexts in one state, and what is above the signatures is theirs by count.
func TestToNativeAndNet(t *testing.T) {
	table := report.NewTable(swaps(), matrix.Formats)
	toNative := 0
	for _, r := range table.Rows {
		if r.ToNative.N > 0 {
			toNative++
		}
	}
	stock, mdoc := rowOf(t, table, "eddsa-rdfc-2022", "stock"), rowOf(t, table, "cose-sign1", "stock")
	if toNative != 2 || !(math.Abs(stock.ToNative.Center-4) <= 1e-9) || !(math.Abs(mdoc.ToNative.Center-1.25) <= 1e-9) {
		t.Errorf("%d ratios to native, %v and %v", toNative, stock.ToNative, mdoc.ToNative)
	}
	for _, test := range []struct {
		row  []string
		want float64
	}{
		{[]string{"eddsa-rdfc-2022", "native", "embedded"}, 440_000},
		{[]string{"eddsa-rdfc-2022", "native", "warm"}, 40_000},
		{[]string{"ecdsa-sd-2023"}, 1_000_000}, // ten signatures and ten checks less
		{[]string{"cose-sign1", "native"}, 60_000},
	} {
		if net := rowOf(t, table, test.row...).Net; !(math.Abs(net.Center-test.want) <= 1e-3) || !net.Bounded() {
			t.Errorf("%q: net is %+v", test.row, net)
		}
	}
	if stock.Net.N != 0 || rowOf(t, table, "primitives").Net.N != 0 {
		t.Error("a stock row, or the primitives themselves, have a net")
	}
}

func textOf(t *testing.T, c *compare.Campaign, table report.Table) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Text(&out, c, table, false); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > report.Width+1 {
			t.Errorf("%q is too wide", line)
		}
	}
	return out.String()
}

// One group a schema and tier: algorithms are in the names, the floor is below, and the foot says what is compared
// across algorithms.
func TestGroupsOfTiers(t *testing.T) {
	c := swaps()
	text := textOf(t, c, report.NewTable(c, matrix.Formats))
	for _, want := range []string{
		"\nsimple-20, stock engines, leaf\n", "\nsimple-20, native engines, leaf\n",
		"  iss+ver    net  ×mdoc  ×SDJWT    bytes\n",
		"\neddsa-rdfc-2022 EdDSA\n  contexts embedded         200      300      500    440  3.12‡    5.00      100\n",
		"\necdsa-sd-2023 ES256         800    1,200    2,000  1,000   12.5    10.0      100\n",
		"\nsd-jwt-vc jws ES256        70.0      130      200    100   1.25       -      100\n",
		"\nprimitives EdDSA           20.0     40.0     60.0      -      -       -      100\n",
		"\nsimple-20    vcdm eddsa-rdfc-2022 EdDSA   stock   embedded       4.00 ±0%\n",
		"eddsa-rdfc-2022 EdDSA to mdoc ES256",
	} {
		if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n  ", " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	native := text[strings.Index(text, "simple-20, native engines"):]
	if whole, _, _ := strings.Cut(native, "\n\n"); strings.Index(whole, "primitives EdDSA") < strings.Index(whole, "cose-sign1") {
		t.Errorf("the floor is not below the others:\n%s", whole)
	}
	if n := strings.Count(text, " engines, leaf\n"); n != 2 {
		t.Errorf("%d groups", n)
	}
}

// Ratios that do not fit beside the times have tables of their own.
func TestManyRatios(t *testing.T) {
	c := swaps()
	text := textOf(t, c, report.NewTable(c, matrix.Formats, "eddsa-rdfc-2022"))
	if !strings.Contains(text, "  iss+ver  ×eddsa-rdfc-2022    bytes\n") {
		t.Errorf("no column in\n%s", text)
	}
	text = textOf(t, c, report.NewTable(c, matrix.Formats, "eddsa-rdfc-2022", "ecdsa-sd-2023", "sd-jwt-vc", "mdoc", "jws"))
	for _, want := range []string{"  iss+ver    net    bytes\n",
		"\nissue + verify:        ×eddsa-rdfc-2022 ×ecdsa-sd-2023       ×SDJWT        ×mdoc\n", "\nissue + verify:                ×jws\n",
		"\necdsa-sd-2023 ES256           20.0‡ ±0%              -     10.0 ±0%     12.5 ±0%\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Every ratio is in the CSV and the Markdown.
func TestRatiosInFiles(t *testing.T) {
	table := report.NewTable(swaps(), matrix.Formats, "eddsa-rdfc-2022", "mdoc")
	var out, md bytes.Buffer
	if err := report.CSV(&out, table); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	value := func(row *report.Row, column string) string {
		i, k := slices.IndexFunc(table.Rows, func(r report.Row) bool { return r.ID == row.ID }), slices.Index(records[0], column)
		if k < 0 {
			t.Fatalf("no column %s", column)
		}
		return records[i+1][k]
	}
	sd, stock := rowOf(t, table, "ecdsa-sd-2023"), rowOf(t, table, "eddsa-rdfc-2022", "stock")
	for _, test := range []struct {
		row          *report.Row
		column, want string
	}{
		{sd, "to_eddsa_rdfc_2022", "20"}, {sd, "to_mdoc", "12.5"}, {sd, "issue_to_mdoc", "20"}, {sd, "verify_to_mdoc", "10"},
		{sd, "present_to_mdoc", "10"}, {sd, "present_to_eddsa_rdfc_2022", ""}, {sd, "other_algorithm", "eddsa-rdfc-2022=EdDSA"},
		{sd, "net_ns", "1e+06"}, {sd, "to_native", ""}, {stock, "to_native", "4"}, {stock, "net_ns", ""}, {stock, "to_mdoc", "10"},
	} {
		if got := value(test.row, test.column); got != test.want {
			t.Errorf("%s %s is %q, want %q", test.row.ID, test.column, got, test.want)
		}
	}
	if err := report.Markdown(&md, swaps(), table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### simple-20, native engines, leaf\n", "| net µs | × eddsa-rdfc-2022 | × mdoc |",
		"| ecdsa-sd-2023 ES256 | 800 ±5% | 1,200 ±5% | 2,000 ±5% | 1,000 ±24.8 | 20.0‡ ±0% | 12.5 ±0% |",
		"| simple-20 | vcdm eddsa-rdfc-2022 EdDSA | stock | embedded | 4.00 ±0% |", "‡ compares with a row of another algorithm"} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("no %q in\n%s", want, fmt.Sprint(&md))
		}
	}
}
