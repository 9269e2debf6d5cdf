package stats_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"canonscope/compare/stats"
)

// logs makes a cell that cost so much in blocks 0, 1, ….
func logs(values ...float64) []stats.Sample {
	s := make(stats.Sample)
	for block, v := range values {
		s[block] = math.Exp(v)
	}
	return []stats.Sample{s}
}

var ones = logs(0, 0, 0, 0, 0, 0, 0, 0)

// tail2 is the probability of more than t with two degrees of freedom, in closed form.
func tail2(t float64) float64 { return (1 - t/math.Sqrt(2+t*t)) / 2 }

// Three log ratios with a standard deviation of 0.01 have a standard error of 0.01/√3.
func TestPairedOfKnownValues(t *testing.T) {
	se, band := 0.01/math.Sqrt(3), math.Log(1.1)
	for _, c := range []struct {
		delta float64
		want  stats.Verdict
	}{
		{0.02, stats.Equivalent}, {-0.02, stats.Equivalent}, {0.05, stats.Equivalent}, // though p of 0.05 is 0.013
		{0.09, stats.Slower}, {-0.09, stats.Faster}, {0.2, stats.Slower}, {-0.2, stats.Faster},
	} {
		got := stats.Paired(logs(c.delta, c.delta-0.01, c.delta+0.01), ones, stats.Band)
		differs, equal := 2*tail2(math.Abs(c.delta)/se), tail2((band-math.Abs(c.delta))/se)
		if got.Verdict != c.want || !near(got.Differs, differs) || !near(got.Equal, equal) {
			t.Errorf("%v: %+v, want %s with %v and %v", c.delta, got, c.want, differs, equal)
		}
		if half := math.Expm1(4.302652730 * se); !(math.Abs(got.Half()-half) <= 1e-9) || got.Needs() != 0 {
			t.Errorf("%v: half-width %v, want %v, and needs %d", c.delta, got.Half(), half, got.Needs())
		}
		e := stats.Ratio(logs(c.delta, c.delta-0.01, c.delta+0.01), ones)
		if !is(got.Ratio, e.Low, e.Center, e.High, 3) {
			t.Errorf("%v: %+v, but the ratio is %+v", c.delta, got.Ratio, e)
		}
	}
	if c := stats.Paired(logs(0.09, 0.08, 0.10), ones, 0.2); c.Verdict != stats.Equivalent {
		t.Errorf("in a band of 20 %%: %+v", c)
	}
}

// What neither test shows is not decided, however near to 1 or to the band.
func TestInconclusive(t *testing.T) {
	for _, delta := range []float64{0, 0.05, -0.09} {
		if c := stats.Paired(logs(delta-0.1, delta, delta+0.1), ones, stats.Band); c.Verdict != stats.Inconclusive {
			t.Errorf("%v within 0.25: %+v", delta, c)
		}
	}
}

// Identical costs are equivalent, and a constant factor is a difference beyond doubt.
func TestNoVariance(t *testing.T) {
	if c := stats.Paired(ones, ones, stats.Band); c.Verdict != stats.Equivalent || c.Differs != 1 || c.Equal != 0 {
		t.Errorf("the same: %+v", c)
	}
	twice := []stats.Sample{{0: 2, 1: 2, 2: 2}}
	same := []stats.Sample{{0: 1, 1: 1, 2: 1}}
	for name, c := range map[string]stats.Comparison{
		"paired": stats.Paired(twice, same, stats.Band), "unpaired": stats.Unpaired(twice, same, stats.Band),
	} {
		if c.Verdict != stats.Slower || c.Differs != 0 || c.Equal != 1 || c.Half() != 0 {
			t.Errorf("twice as much, %s: %+v", name, c)
		}
	}
}

// Welch's degrees of freedom: variances 1 and 20/3 of 3 and 4 processes have 216/53; equal ones have 2·(n-1); with
// no variance on one side those of the other.
func TestUnpairedOfKnownValues(t *testing.T) {
	for name, c := range map[string]struct {
		num, den        []stats.Sample
		delta, half, p  float64
		n               int
		differsDecimals float64
	}{
		"unequal":      {logs(0, 1, 2), logs(0, 2, 4, 6), -2, 2.756285 * math.Sqrt2, 0.228943, 7, 1e-5},
		"equal":        {logs(0, 1, 2), logs(5, 6, 7), -5, 2.776445 * math.Sqrt(2./3), 0.003602, 6, 1e-5},
		"one constant": {logs(1, 2, 3), ones, 2, 4.302653 / math.Sqrt(3), 2 * tail2(2*math.Sqrt(3)), 11, 1e-9},
	} {
		got := stats.Unpaired(c.num, c.den, stats.Band)
		e := got.Ratio
		if !near(math.Log(e.Center), c.delta) || !(math.Abs(math.Log(e.High/e.Low)/2-c.half) <= 1e-5) || e.N != c.n {
			t.Errorf("%s: %+v, want e^%v within e^%v of %d", name, e, c.delta, c.half, c.n)
		}
		if !(math.Abs(got.Differs-c.p) <= c.differsDecimals) {
			t.Errorf("%s: p %v, want %v", name, got.Differs, c.p)
		}
	}
}

// Of few processes the ratio is known, and its inverse is the other way.
func TestRatioOfFew(t *testing.T) {
	got := stats.Unpaired(logs(2, 4), logs(0, 1), stats.Band)
	if back := got.Inverse(); !near(got.Ratio.Center, math.Exp(2.5)) || !near(back.Ratio.Center, math.Exp(-2.5)) {
		t.Errorf("%+v, inverse %+v", got.Ratio, back.Ratio)
	}
	paired := stats.Paired(logs(0.3, -0.1, 0.3, -0.1, 0.1), ones, stats.Band)
	back := paired.Inverse()
	if other := stats.Paired(ones, logs(0.3, -0.1, 0.3, -0.1, 0.1), stats.Band); other.Needs() != back.Needs() ||
		!near(other.Ratio.Low, back.Ratio.Low) {
		t.Errorf("inverse %+v, the other way %+v", back, other)
	}
}

// Blocks of two campaigns are not pairs.
func TestUnpairedIgnoresBlocks(t *testing.T) {
	a, b := stats.Sample{0: 1, 1: 2, 2: 3, 3: 5}, stats.Sample{3: 1, 9: 2, 10: 3, 11: 5}
	x, y := stats.Unpaired([]stats.Sample{a}, []stats.Sample{a}, 0.1), stats.Unpaired([]stats.Sample{a}, []stats.Sample{b}, 0.1)
	if !near(x.Half(), y.Half()) || !near(y.Ratio.Center, 1) || !near(y.Differs, 1) {
		t.Errorf("%+v, with other blocks %+v", x, y)
	}
}

// Without an interval there is no test.
func TestNothingToCompare(t *testing.T) {
	two := logs(0, 1)
	for name, c := range map[string]struct {
		got stats.Comparison
		n   int
	}{
		"two blocks":      {stats.Paired(two, ones, stats.Band), 2},
		"no blocks":       {stats.Paired(two, nil, stats.Band), 0},
		"a cost of 0":     {stats.Paired([]stats.Sample{{0: 0, 1: 1, 2: 1}}, ones, stats.Band), 0},
		"two and eight":   {stats.Unpaired(two, ones, stats.Band), 10},
		"eight and two":   {stats.Unpaired(ones, two, stats.Band), 10},
		"nothing, eight":  {stats.Unpaired(nil, ones, stats.Band), 0},
		"eight, nothing":  {stats.Unpaired(ones, nil, stats.Band), 0},
		"a cost of 0, un": {stats.Unpaired([]stats.Sample{{0: 0, 1: 1, 2: 1}}, ones, stats.Band), 0},
		"less than 0, un": {stats.Unpaired(ones, []stats.Sample{{0: -1, 1: 1, 2: 1}}, stats.Band), 0},
	} {
		g := c.got
		if g.Verdict != stats.Inconclusive || g.Differs != 1 || g.Equal != 1 || g.Ratio.Bounded() || g.Ratio.N != c.n ||
			g.Half() != 0 || g.Needs() != 0 || g.Finds() != 0 {
			t.Errorf("%s: %+v", name, g)
		}
		if g.Ratio.N > 0 && !(math.IsInf(g.Ratio.Low, -1) && math.IsInf(g.Ratio.High, 1)) {
			t.Errorf("%s: an interval of %+v", name, g.Ratio)
		}
	}
}

func TestComparisonJSON(t *testing.T) {
	c := stats.Paired(logs(0.2, 0.19, 0.21), ones, stats.Band)
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"ratio":{"center":1.22`, `"verdict":"slower"`, `"p_differs":0.0008`, `"p_equivalent":0.99`,
		`"half_width":0.025`, `"detectable":0.0`} {
		if !strings.Contains(string(b), key) {
			t.Errorf("no %s in %s", key, b)
		}
	}
	if strings.Contains(string(b), "processes_to_decide") {
		t.Errorf("it is decided: %s", b)
	}
	if b, err = json.Marshal(stats.Comparison{}); err != nil {
		t.Errorf("nothing compared: %s, %v", b, err)
	}
}

// An inverse is what the comparison of the other with the one would be.
func TestInverse(t *testing.T) {
	a, b := stats.Sample{0: 1.00, 1: 1.05, 2: 0.97, 3: 1.02}, stats.Sample{0: 1.31, 1: 1.28, 2: 1.33, 3: 1.22}
	for _, band := range []float64{0.01, 0.1, 0.6} {
		c := stats.Paired([]stats.Sample{a}, []stats.Sample{b}, band)
		got, want := c.Inverse(), stats.Paired([]stats.Sample{b}, []stats.Sample{a}, band)
		if got.Verdict != want.Verdict || !(math.Abs(got.Ratio.Low/want.Ratio.Low-1) <= 1e-12) || !(math.Abs(got.Ratio.Center/want.Ratio.Center-1) <= 1e-12) || !(math.Abs(got.Ratio.High/want.Ratio.High-1) <= 1e-12) || got.Needs() != want.Needs() || !(math.Abs(got.Finds()-want.Finds()) <= 1e-12) {
			t.Errorf("band %v: %+v, want %+v", band, got, want)
		}
	}
}
