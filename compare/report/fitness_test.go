package report_test

import (
	"io"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
)

// A campaign on other machines names each with its fitness, and what went wrong, in every report.
func TestMachinesAndFaults(t *testing.T) {
	c := made()
	c.Machines = []compare.Machine{{Worker: "rack-1", Processes: 7, Fitness: &compare.Fitness{State: compare.Noisy}}, {Worker: "rack-2", Processes: 1}}
	c.Faults = []string{"rack-2: gate of x: gate failed: another form"}
	r := report.New(c, matrix.Formats, nil)
	for name, print := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return r.Text(w, false) }, "Markdown": func(w io.Writer) error { return report.Markdown(w, r.Campaign, r.Table) },
	} {
		var out strings.Builder
		if err := print(&out); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), `\`, "")), " ")
		for _, want := range []string{"measured by rack-1: 7 processes, noisy", "measured by rack-2: 1 process, fitness not known", "fault: rack-2: gate of x: gate failed: another form"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
}
