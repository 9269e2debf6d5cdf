package stats_test

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

func counts(samples, of int64, cost float64) stats.Count {
	return stats.Count{Samples: samples, Of: of, Cost: cost}
}

// Newcombe 1998, statistics in medicine 17, 873, table II (a): 56 of 70 less 48 of 80, method 10. The pooled share
// is 104 of 150.
func TestCountedDifferenceOfShares(t *testing.T) {
	e, p := stats.CountedDifference(counts(48, 80, 1), counts(56, 70, 1))
	if !near(e.Center, 0.2) || !(math.Abs(e.Low-0.0524) <= 5e-5) || !(math.Abs(e.High-0.3339) <= 5e-5) || e.N != 150 {
		t.Errorf("%+v", e)
	}
	z := 0.2 / math.Sqrt(104./150*46/150*(1./70+1./80))
	if want := math.Erfc(z / math.Sqrt2); !near(p, want) {
		t.Errorf("p %v, want %v", p, want)
	}
	back, q := stats.CountedDifference(counts(56, 70, 1), counts(48, 80, 1))
	if !is(back, -e.High, -e.Center, -e.Low, 150) || !near(p, q) {
		t.Errorf("the other way %+v, %v", back, q)
	}
}

// As many samples of half the cost are half as dear: 100 of 1000 at 2 against 100 of 1000 at 1 have 200/1500 in
// common, so shares of 0.0667 and 0.1333.
func TestCountedDifferenceOfCosts(t *testing.T) {
	e, p := stats.CountedDifference(counts(100, 1000, 2), counts(100, 1000, 1))
	v := 4*(1./15)*(14./15)/1000 + (2./15)*(13./15)/1000
	if want := math.Erfc(0.1 / math.Sqrt(2*v)); !near(e.Center, -0.1) || !near(p, want) {
		t.Errorf("%+v with p %v, want %v", e, p, want)
	}
	e, p = stats.CountedDifference(counts(100, 1000, 2), counts(200, 1000, 1))
	if !near(1+e.Center, 1) || p != 1 {
		t.Errorf("as dear: %+v with p %v", e, p)
	}
}

// Of few samples the test is exact: 2 and 9 of 11 are as heads of a coin; 0 and 3 where two of three are expected.
func TestCountedDifferenceOfFew(t *testing.T) {
	for _, c := range []struct {
		before, after stats.Count
		p             float64
	}{
		{counts(2, 1000, 1), counts(9, 1000, 1), 2 * 67. / 2048},
		{counts(9, 1000, 1), counts(2, 1000, 1), 2 * 67. / 2048},
		{counts(5, 1000, 1), counts(15, 1000, 1), 2 * 21700. / (1 << 20)}, // of 20
		{counts(0, 1000, 2), counts(3, 1000, 1), 2 * 8. / 27},
		{counts(3, 1000, 1), counts(0, 1000, 2), 2 * 8. / 27},
		{counts(3, 1000, 1), counts(3, 1000, 1), 1},
		{counts(9, 9, 1), counts(9, 9, 1), 1}, // all of both
		{counts(0, 1000, 1), counts(0, 50, 1), 1},
		{counts(9, 1000000, 1), counts(400000, 1000000, 1), 0},
	} {
		e, p := stats.CountedDifference(c.before, c.after)
		if !(math.Abs(p-c.p) <= 1e-9) || e.Low > e.Center || e.High < e.Center || e.Low == e.High {
			t.Errorf("%v, %v: %+v with p %v, want %v", c.before, c.after, e, p, c.p)
		}
	}
	// Of ten samples on the smaller side the test is that of two proportions.
	z := 0.02 / math.Sqrt(2*0.02*0.98/1000)
	if _, p := stats.CountedDifference(counts(10, 1000, 1), counts(30, 1000, 1)); !near(p, math.Erfc(z/math.Sqrt2)) {
		t.Errorf("p %v of 10 and 30", p)
	}
	some := counts(5, 10, 1)
	for _, none := range []stats.Count{{}, {0, 0, 1}, {5, 10, 0}, {5, 10, -1}} {
		for _, pair := range [][2]stats.Count{{some, none}, {none, some}} {
			if e, p := stats.CountedDifference(pair[0], pair[1]); e != (stats.Estimate{}) || p != 1 {
				t.Errorf("%v: %+v with p %v", pair, e, p)
			}
		}
	}
}

// A count of n samples is uncertain by its root, 1.96 times for 95 %; a cost is not below 0.
func TestCounted(t *testing.T) {
	const q = 1.959964
	for _, c := range []struct {
		samples   int64
		low, high float64
	}{{25, 100 - 20*q, 100 + 20*q}, {100, 100 - 10*q, 100 + 10*q}, {4, 100 - 50*q, 100 + 50*q}, {1, 0, 100 + 100*q}} {
		if c.low < 0 {
			c.low = 0
		}
		if e := stats.Counted(100, c.samples); !is(e, c.low, 100, c.high, int(c.samples)) {
			t.Errorf("%d samples: %+v, want %v to %v", c.samples, e, c.low, c.high)
		}
	}
	if e := stats.Counted(100, 0); e != (stats.Estimate{}) {
		t.Errorf("no sample: %+v", e)
	}
}

// The logarithm of a ratio of counts has the variance 1/n + 1/m. Below 10 samples on either side there is no ratio.
func TestCountedRatio(t *testing.T) {
	f := math.Exp(1.959964 * math.Sqrt(1./10+1./40))
	if e := stats.CountedRatio(60, 20, 10, 40); !is(e, 3/f, 3, 3*f, 50) {
		t.Errorf("%+v, want 3 within a factor of %v", e, f)
	}
	if e := stats.CountedRatio(60, 20, 40, 10); !is(e, 3/f, 3, 3*f, 50) {
		t.Errorf("%+v, want 3 within a factor of %v", e, f)
	}
	for name, e := range map[string]stats.Estimate{
		"9 samples above": stats.CountedRatio(60, 20, 9, 40), "9 below": stats.CountedRatio(60, 20, 40, 9),
		"no cost below": stats.CountedRatio(60, 0, 40, 40), "less than none": stats.CountedRatio(60, -1, 40, 40),
	} {
		if e != (stats.Estimate{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
