package report_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/compare/stats"
)

// disturbed is a campaign whose processes differ by random factors: sd is their standard deviation, as a logarithm.
func disturbed(c *compare.Campaign, r *rand.Rand, sd float64) *compare.Campaign {
	for i := range c.Results {
		for k := range c.Results[i].Runs {
			run := &c.Results[i].Runs[k]
			by := math.Exp(sd * r.NormFloat64())
			run.CPU, run.Wall, run.Thread = by*run.CPU, by*run.Wall, by*run.Thread
		}
	}
	return c
}

// However much processes differ, and however long the fitness is, what a terminal shows keeps within its columns.
func TestNoiseKeepsWithinTheColumns(t *testing.T) {
	unfit := &compare.Fitness{State: compare.Unfit, Processes: 12, CPUs: 2, Load: 128.3, Waiting: 163.7, Spread: 12.44,
		Switches: 195_432, Disturbed: 12, Reasons: []string{strings.Repeat("other work ran; ", 9)},
		Pairs: []compare.Pair{{Place: 0, Operation: compare.Issue, Ratio: 0.0061}, {Place: 2, Operation: compare.Issue, Ratio: 610.4}}}
	for name, of := range map[string]func(r *rand.Rand) *compare.Campaign{
		"exchanges": func(*rand.Rand) *compare.Campaign { return made() },
		"profiled":  func(*rand.Rand) *compare.Campaign { return profiled(made()) },
		"holder": func(*rand.Rand) *compare.Campaign {
			c := made()
			for i := range c.Results {
				r := &c.Results[i]
				r.Cell.Binding = "holder"
				r.ID = r.Cell.ID()
			}
			return c
		},
		"swaps":     func(*rand.Rand) *compare.Campaign { return swaps() },
		"canonized": func(*rand.Rand) *compare.Campaign { return canonized() },
		"builds":    func(r *rand.Rand) *compare.Campaign { return built(r, 3, 1.2) },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(12) {
				r := rand.New(rand.NewPCG(seed, 1))
				c := disturbed(of(r), r, []float64{0.1, 1, 3, 6}[seed%4])
				if seed%2 == 1 {
					f := *unfit
					f.Pairs = f.Pairs[:1+seed%4/2]
					c.Fitness = &f
				}

				var text strings.Builder
				if err := report.Text(&text, c, report.NewTable(c, matrix.Formats), false); err != nil {
					t.Fatal(err)
				}
				within(t, text.String())
			}
		})
	}

	t.Run("compared", func(t *testing.T) {
		for seed := range uint64(8) {
			r := rand.New(rand.NewPCG(seed, 2))
			sd := []float64{0.1, 1, 3, 6}[seed%4]
			c := compared(t, disturbed(simulated(r, 4, 3, nil), r, sd), disturbed(simulated(r, 4, 3, nil), r, sd), stats.Band)
			var text strings.Builder
			if err := c.Text(&text, false); err != nil {
				t.Fatal(err)
			}
			within(t, text.String())
		}
	})

	t.Run("grown", func(t *testing.T) {
		for seed := range uint64(8) {
			r := rand.New(rand.NewPCG(seed, 3))
			c, experiments := grown()
			disturbed(c, r, []float64{0.1, 1, 3, 6}[seed%4])
			growth := []report.Growth{report.NewGrowth(c, experiments[0]), report.NewGrowth(c, experiments[1])}
			var text strings.Builder
			if err := report.GrowthText(&text, c, report.NewTable(c, matrix.Formats), growth, false); err != nil {
				t.Fatal(err)
			}
			within(t, text.String())
		}
	})
}

// within reports the lines that are wider than a terminal, and figures that are none.
func within(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > report.Width {
			t.Errorf("%d columns:\n%s", n, line)
		}
		if strings.Contains(line, "Inf") || strings.Contains(line, "NaN") {
			t.Errorf("%s", line)
		}
	}
}
