package report_test

import (
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/schemas/shape"
)

// disclosed is a schema of which 1, 5 and all of 20 elements are presented; present takes as many microseconds,
// and every other operation the same each time.
func disclosed(g compare.Granularity) (*compare.Campaign, compare.Experiment) {
	c, _ := grown()
	one := c.Results[:len(compare.OfCredentials)]
	c.Results = nil
	e := compare.Experiment{Name: compare.DiscloseAxis, Base: "simple-20", About: "elements"}
	for d, n := range map[compare.Disclosure]int{"1": 1, "5": 5, compare.Everything: 20} {
		c.Disclosed = append(c.Disclosed,
			compare.Disclosed{Schema: "simple-20", Disclose: d, Granularity: g, Elements: n, Of: 20})
		for _, r := range one {
			r.Cell.Schema, r.Cell.Disclose, r.Cell.Granularity = "simple-20", d, g
			r.ID, r.Profile = r.Cell.ID(), nil
			r.Runs = append([]compare.Run(nil), r.Runs...)
			for i := range r.Runs {
				r.Runs[i].CPU = 1000 * (1 + 0.01*float64(i-2))
				if r.Cell.Operation == compare.Present {
					r.Runs[i].CPU *= float64(n)
				}
			}
			c.Results = append(c.Results, r)
		}
	}
	for _, d := range []compare.Disclosure{"1", "5", compare.Everything} {
		e.Points = append(e.Points, compare.Point{Label: string(d), Schema: "simple-20", Disclose: d,
			Figures: &shape.Figures{Quads: 25, Bytes: 2000}})
	}
	return c, e
}

// Costs along what is presented are fitted to the number of elements, which is known of "all" too.
func TestGrowthOfDisclosed(t *testing.T) {
	for _, g := range []compare.Granularity{compare.Leaf, compare.Branch} {
		c, e := disclosed(g)
		growth := report.NewGrowth(c, e)
		if growth.By != "disclosures" || len(growth.Curves) != 1 {
			t.Fatalf("%d curves by %q", len(growth.Curves), growth.By)
		}
		for _, q := range growth.Curves[0].Operations {
			want := map[bool]string{true: "a·x", false: "fixed"}[q.Name == "present"]
			if q.Name != "exchange" && q.Laws[0].Name != want {
				t.Errorf("%s grows with %+v, want %v", q.Name, q.Laws[0], want)
			}
		}
		c.Disclosed = c.Disclosed[1:]
		if growth := report.NewGrowth(c, e); growth.By != "" || growth.Curves[0].Operations[0].Laws != nil {
			t.Errorf("fitted to %q without the number of elements of a point", growth.By)
		}
	}
}

// Rows that present different parts are no rivals: each part has a table, and the head says how much it is.
func TestDisclosedText(t *testing.T) {
	c, _ := disclosed(compare.Branch)
	pointers, err := compare.ParseDisclosure("/credentialSubject/a/"+strings.Repeat("b", 100), "/credentialSubject/c")
	if err != nil {
		t.Fatal(err)
	}
	c.Disclosed = append(c.Disclosed,
		compare.Disclosed{Schema: "ob3", Disclose: pointers, Granularity: compare.Claim, Elements: 1, Of: 14})
	for _, r := range c.Results[:len(compare.OfCredentials)] {
		r.Cell.Schema, r.Cell.Disclose, r.Cell.Granularity = "ob3", pointers, compare.Claim
		r.ID = r.Cell.ID()
		c.Results = append(c.Results, r)
	}
	var out strings.Builder
	if err := report.Text(&out, c, report.NewTable(c, matrix.Formats), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nsimple-20 discloses 5 of 20 elements; one is a branch\n",
		"\nob3 discloses 1 of 14 elements; one is a claim:",
		"\nsimple-20, EdDSA, native engines, branch, discloses 5\n",
		"\nsimple-20, EdDSA, native engines, branch, discloses all\n", "\nob3, EdDSA, native engines, claim, discloses 2 pointers\n"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > report.Width+1 {
			t.Errorf("%q is too long", line)
		}
	}
}
