package stats_test

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

// Powers of the t test of one sample by the noncentral t distribution, as tables have them.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		n            int
		effect, want float64 // in standard deviations
	}{{10, 1, 0.803096}, {34, 0.5, 0.807778}, {3, 2, 0.470748}, {5, 1.5, 0.710702}} {
		for _, sd := range []float64{0.01, 0.05} {
			for _, ratio := range []float64{math.Exp(c.effect * sd), math.Exp(-c.effect * sd)} {
				if got := stats.Power(ratio, sd, c.n); !(math.Abs(got-c.want) <= 1e-5) {
					t.Errorf("%v in %d of %v: %v, want %v", ratio, c.n, sd, got, c.want)
				}
			}
		}
	}
	if p := stats.Power(2, 0.01, 2); p != 0 {
		t.Errorf("two blocks show it with %v", p)
	}
}

// The detectable difference has a power of 80 %.
func TestDetectable(t *testing.T) {
	for _, n := range []int{3, 6, 20, 500, 20000} {
		d := stats.Detectable(0.05, n)
		if p := stats.Power(1+d, 0.05, n); !(math.Abs(p-0.8) <= 1e-9) {
			t.Errorf("%d blocks find %v with %v", n, d, p)
		}
	}
	// In the limit the quantiles are normal: (1.959964 + 0.841621)·sd/√n.
	if d := math.Log1p(stats.Detectable(0.05, 20000)); !(math.Abs(d/(2.801585*0.05/math.Sqrt(20000))-1) <= 1e-3) {
		t.Errorf("20,000 blocks find %v", d)
	}
	if d := stats.Detectable(0.05, 2); !math.IsInf(d, 1) {
		t.Errorf("two blocks find %v", d)
	}
	if d := stats.Detectable(0, 3); d > 1e-9 {
		t.Errorf("without variance %v is the least", d)
	}
}

// A comparison finds what its blocks find, or as many processes of both sides.
func TestFinds(t *testing.T) {
	sample := logs(-0.05, 0, 0.05, 0.05, -0.05) // sd 0.05
	c := stats.Paired(sample, ones, stats.Band)
	if want := stats.Detectable(0.05, 5); !near(c.Finds(), want) {
		t.Errorf("finds %v, want %v", c.Finds(), want)
	}
	// Two samples of five, of equal variance, have eight degrees of freedom: more than five pairs of the same
	// variance have.
	u := stats.Unpaired(sample, sample, stats.Band)
	if pairs := stats.Detectable(0.05*math.Sqrt2, 5); u.Finds() >= pairs || u.Finds() < 0.8*pairs {
		t.Errorf("unpaired finds %v, pairs %v", u.Finds(), pairs)
	}
	// Many on one side do not make up for few on the other.
	few := stats.Unpaired(sample, logs(-0.05, 0, 0.05), stats.Band)
	if few.Finds() <= u.Finds() {
		t.Errorf("5 and 3 find %v, 5 and 5 %v", few.Finds(), u.Finds())
	}
}

// What a comparison needs decides it with 80 %, and one less does not.
func TestNeeds(t *testing.T) {
	slower := stats.Paired(logs(0.3, -0.1, 0.3, -0.1, 0.1), ones, stats.Band) // mean 0.1, sd 0.2
	n := slower.Needs()
	if stats.Power(math.Exp(0.1), 0.2, n) < 0.8 || stats.Power(math.Exp(0.1), 0.2, n-1) >= 0.8 || n != 34 {
		t.Errorf("a mean of half an sd needs %d", n)
	}
	// At the edge of the band and with little to see there is no end.
	noisy := stats.Paired(logs(6, -6, 0, 0, 0), ones, stats.Band)
	if noisy.Verdict != stats.Inconclusive || noisy.Needs() != 0 {
		t.Errorf("it needs %d: %+v", noisy.Needs(), noisy)
	}
}

func TestProcesses(t *testing.T) {
	within := func(half float64, n int) stats.Estimate {
		return stats.Estimate{Center: 3, Low: 3 / (1 + half), High: 3 * (1 + half), N: n}
	}
	for _, c := range []struct {
		e    stats.Estimate
		half float64
		want int
	}{
		{within(0.04, 5), 0.02, 20}, // 5·(ln 1.04 / ln 1.02)² is 19.6
		{within(0.02, 5), 0.02, 5},
		{within(0.01, 12), 0.02, 4}, // fewer would have done
		{within(0.001, 12), 0.02, 3},
		{within(0.5, 5), 0.0001, 10000},
		{stats.Estimate{Center: 3, Low: math.Inf(-1), High: math.Inf(1), N: 2}, 0.02, 3},
		{stats.Estimate{}, 0.02, 3},
		{within(0.04, 5), 0, 10000},
	} {
		if got := stats.Processes(c.e, c.half); got != c.want {
			t.Errorf("%+v to %v: %d, want %d", c.e, c.half, got, c.want)
		}
	}
}
