package stats_test

import (
	"slices"
	"testing"

	"canonscope/compare/stats"
)

func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.6, 0.01}, []float64{1, 1, 0.03}},
		{[]float64{0.04}, []float64{0.04}},
		{[]float64{0.02, 0.02}, []float64{0.04, 0.04}},
		{nil, nil},
	} {
		if got := stats.Holm(c.p); !slices.EqualFunc(got, c.want, near) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}

// A verdict on one comparison is not one on five; comparisons without an interval do not count; a further test of
// what is open is harder, so it needs more processes.
func TestCorrect(t *testing.T) {
	slower := stats.Paired(logs(0.11, 0.16, 0.21, 0.26, 0.31), ones, stats.Band) // p is 0.0041
	if slower.Verdict != stats.Slower || slower.Differs < 0.001 || slower.Differs > 0.01 {
		t.Fatalf("%+v", slower)
	}
	equal := stats.Paired(logs(-0.02, 0, 0.02, 0.01, -0.01), ones, stats.Band)
	open := stats.Paired(logs(-0.3, -0.2, 0.5, 0.1, 0.2), ones, stats.Band)
	none := stats.Paired(logs(0.1), ones, stats.Band)

	a, b, c, d := slower, equal, open, none
	stats.Correct([]*stats.Comparison{&a, &b, &c, &d})
	if a.Verdict != stats.Slower || b.Verdict != stats.Equivalent || c.Verdict != stats.Inconclusive || d != none {
		t.Errorf("of four: %+v", []stats.Comparison{a, b, c, d})
	}
	if !near(a.Differs, 3*slower.Differs) || !near(b.Equal, 3*equal.Equal) || a.Ratio != slower.Ratio {
		t.Errorf("of three with intervals: %+v, was %+v", a, slower)
	}
	if c.Needs() != open.Needs() || open.Needs() == 0 {
		t.Errorf("the one open needs %d, was %d", c.Needs(), open.Needs())
	}

	table := []*stats.Comparison{&slower}
	for range 12 {
		other := open
		table = append(table, &other)
	}
	alone := stats.Paired(logs(0.11, 0.16, 0.21, 0.26, 0.31), ones, stats.Band)
	stats.Correct(table)
	if slower.Verdict != stats.Inconclusive || !near(slower.Differs, 13*alone.Differs) {
		t.Errorf("among 13: %+v, alone %+v", slower, alone)
	}
	if table[1].Needs() <= open.Needs() || slower.Needs() <= 5 {
		t.Errorf("among 13 open it needs %d, alone %d; the slower one needs %d", table[1].Needs(), open.Needs(), slower.Needs())
	}
}
