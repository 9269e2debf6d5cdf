package stats_test

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

// Three processes of 1, 2 and 4: the mean logarithm is log 2, its standard deviation log 2, the t quantile of
// two degrees of freedom 4.302653.
func TestMeanOfKnownValues(t *testing.T) {
	factor := math.Exp(4.302653 * math.Ln2 / math.Sqrt(3))
	e := stats.Mean(stats.Sample{0: 1, 1: 4, 2: 2})
	off := max(math.Abs(e.Center/2-1), math.Abs(e.Low*factor/2-1), math.Abs(e.High/factor/2-1))
	if off > 1e-5 || e.N != 3 || !e.Bounded() {
		t.Errorf("mean of 1 2 4: %+v, want 2 within a factor of %v", e, factor)
	}
}

// Fewer than three processes have a mean and no interval.
func TestFewProcesses(t *testing.T) {
	two, one := stats.Sample{0: 2, 5: 8}, stats.Sample{5: 3}
	for name, c := range map[string]struct {
		got    stats.Estimate
		center float64
		n      int
	}{
		"two":            {stats.Mean(two), 4, 2},
		"one":            {stats.Mean(one), 3, 1},
		"a sum of one":   {stats.Sum([]stats.Sample{two, one}), 11, 1},
		"a ratio of one": {stats.Ratio([]stats.Sample{one}, []stats.Sample{two}), 3. / 8, 1},
	} {
		open := math.IsInf(c.got.Low, -1) && math.IsInf(c.got.High, 1) && !c.got.Bounded()
		if !(math.Abs(c.got.Center-c.center) <= 1e-9) || c.got.N != c.n || !open {
			t.Errorf("%s: %+v, want %v of %d and no interval", name, c.got, c.center, c.n)
		}
	}
	for name, e := range map[string]stats.Estimate{
		"no process":           stats.Mean(nil),
		"no block in common":   stats.Sum([]stats.Sample{one, {0: 1}}),
		"no cell":              stats.Sum(nil),
		"a ratio to nothing":   stats.Ratio([]stats.Sample{one}, nil),
		"a ratio of nothing":   stats.Ratio(nil, []stats.Sample{one}),
		"a clock that stood":   stats.Mean(stats.Sample{0: 0, 1: 1, 2: 1}),
		"not a number":         stats.Mean(stats.Sample{0: math.NaN(), 1: 1, 2: 1}),
		"a ratio to a stopped": stats.Ratio([]stats.Sample{two}, []stats.Sample{{0: 0, 5: 0}}),
	} {
		if e != (stats.Estimate{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// Cells are added up and compared block by block, where all have a process.
func TestPairedByBlock(t *testing.T) {
	a := stats.Sample{0: 1, 1: 20, 2: 300, 7: 4}
	b := stats.Sample{7: 1, 2: 100, 1: 10, 0: 1, 9: 1e6}
	if e := stats.Sum([]stats.Sample{a, b}); e.N != 4 || !(math.Abs(e.Center-math.Pow(2*30*400*5, 0.25)) <= 1e-9) {
		t.Errorf("sum %+v", e)
	}
	e := stats.Ratio([]stats.Sample{a, b}, []stats.Sample{b})
	if e.N != 4 || !(math.Abs(e.Center-math.Pow(2*3*4*5, 0.25)) <= 1e-9) || e.Low < 1.5 || e.High > 7 {
		t.Errorf("ratio %+v: what a block does to both does not cancel", e)
	}
}

func TestShare(t *testing.T) {
	// Newcombe 1998, table I, method 3.
	if e := stats.Share(81./263, 263); !(math.Abs(e.Low-0.2553) <= 5e-5) || !(math.Abs(e.High-0.3662) <= 5e-5) || e.N != 263 {
		t.Errorf("81 of 263: %+v", e)
	}
	if e := stats.Share(0, 20); e.Low != 0 || !(math.Abs(e.High-0.1611) <= 5e-5) {
		t.Errorf("0 of 20: %+v", e)
	}
	if e := stats.Share(0.5, 0); e != (stats.Estimate{}) {
		t.Errorf("a share of no samples: %+v", e)
	}
}

func TestEffective(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		samples []int64
		want    float64
	}{
		{[]float64{5}, []int64{40}, 40},
		{[]float64{1, 1, 1}, []int64{40, 40, 40}, 120},
		{[]float64{1, 3}, []int64{50, 150}, 200}, // in proportion: as good as one pool
		{[]float64{9, 1}, []int64{10, 1000}, 100 / (8.1 + 0.001)},
		{[]float64{1, 0}, []int64{10, 0}, 10},
		{[]float64{1, 1}, []int64{10, 0}, 0},
		{nil, nil, 0},
	} {
		if got := stats.Effective(c.weights, c.samples); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("weights %v of %v samples: %v, want %v", c.weights, c.samples, got, c.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{9, 1, 5, 3, 7}
	if q := stats.Quantile(values, 0.5, 0, 1); q[0] != 5 || q[1] != 1 || q[2] != 9 || values[0] != 9 {
		t.Errorf("median, least and most of %v: %v", values, q)
	}
	if q := stats.Quantile(nil, 0.5); q != nil {
		t.Errorf("of nothing: %v", q)
	}
}

// Quartiles of 1 to 9 are 2.67 and 7.33 (R8), fences -4.33 and 14.33.
func TestOutliers(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if n := stats.Outliers(values); n != 0 {
		t.Errorf("%d of %v", n, values)
	}
	if n := stats.Outliers(append(values, 40, -30)); n != 2 {
		t.Errorf("%d, want the two that were added", n)
	}
	// Quartiles of 1 and 3 have fences at -2 and 6; what is on a fence is not outside of it.
	for low, want := range map[float64]int{-2: 0, -2.5: 2} {
		quartered := []float64{low, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 4 - low}
		if n := stats.Outliers(quartered); n != want {
			t.Errorf("%v: %d outliers, want %d", quartered, n, want)
		}
	}
	if n := stats.Outliers(nil); n != 0 {
		t.Errorf("%d of nothing", n)
	}
}

// A difference is of the blocks that have both sides, and may be nothing or less.
func TestDifference(t *testing.T) {
	from := []stats.Sample{{0: 10, 1: 12, 2: 14, 3: 1000}, {0: 1, 1: 1, 2: 1, 3: 1}}
	e := stats.Difference(from, []stats.Sample{{0: 11, 1: 12, 2: 13}})
	if !(math.Abs(e.Center-1) <= 1e-12) || e.N != 3 || !(math.Abs(e.High-e.Center-2.484) <= 0.001) || !(math.Abs(e.Center-e.Low-2.484) <= 0.001) {
		t.Errorf("0, 1 and 2 have %+v", e)
	}
	if e := stats.Difference(from[1:], from[:1]); e.Center >= 0 || !e.Bounded() {
		t.Errorf("less than nothing is %+v", e)
	}
	for _, none := range []stats.Estimate{stats.Difference(from, nil), stats.Difference(nil, from)} {
		if none.N != 0 {
			t.Errorf("a difference to nothing: %+v", none)
		}
	}
}
