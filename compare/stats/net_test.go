package stats_test

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

func costs(values ...float64) []stats.Sample {
	s := make(stats.Sample)
	for block, v := range values {
		s[block] = v
	}
	return []stats.Sample{s}
}

// 10, 12 and 14 over 3, 4 and 5 are 3; the first-order terms are 10/12-3/4, 0 and 14/12-5/4.
func TestNetRatioOfKnownValues(t *testing.T) {
	one := stats.Net{Num: costs(12, 14, 16, 99), NumLess: costs(2, 2, 2), Den: costs(3, 4, 5, 99, 99)}
	half := 4.302652730 / 12 / math.Sqrt(3)
	if e := stats.NetRatio([]stats.Net{one}); !(math.Abs(math.Log(e.High/3)-half) <= 1e-9) ||
		!(math.Abs(math.Log(3/e.Low)-half) <= 1e-9) || !near(e.Center, 3) || e.N != 3 {
		t.Errorf("%+v, want 3 within e^%v", e, half)
	}
	// Another input of the opposite errors and a ratio of 12 makes a geometric mean of 6 with the same first-order
	// terms and its opposite, which cancel.
	other := stats.Net{Num: costs(16, 14, 12), NumLess: costs(2, 2, 2), Den: costs(6.25, 6, 5.75), DenLess: costs(5, 5, 5)}
	if e := stats.NetRatio([]stats.Net{one, other}); !near(e.Center, 6) || e.High-6 > 0.4 || e.Low > 6 || e.N != 3 {
		t.Errorf("%+v, want 6", e)
	}
}

// Whatever a block does to all, also to the floor, does not widen the interval.
func TestNetRatioIsPaired(t *testing.T) {
	in := stats.Net{Num: costs(60, 90, 72), NumLess: costs(40, 60, 48), Den: costs(50, 75, 60), DenLess: costs(40, 60, 48)}
	if e := stats.NetRatio([]stats.Net{in}); !is(e, 2, 2, 2, 3) {
		t.Errorf("%+v, want 2", e)
	}
}

func TestNoNetRatio(t *testing.T) {
	good := stats.Net{Num: costs(12, 14, 16), Den: costs(3, 4, 5)}
	for name, in := range map[string][]stats.Net{
		"no input":            nil,
		"a cost of the floor": {good, {Num: costs(3, 3, 3), NumLess: costs(3, 4, 2), Den: costs(3, 4, 5)}},
		"below below":         {good, {Num: costs(3, 4, 5), Den: costs(3, 3, 3), DenLess: costs(4, 4, 4)}},
		"no common block":     {good, {Num: []stats.Sample{{7: 1, 8: 1, 9: 1}}, Den: []stats.Sample{{7: 1, 8: 1, 9: 1}}}},
		"nothing above":       {{Den: costs(1, 2, 3)}},
		"nothing below":       {{Num: costs(1, 2, 3)}},
	} {
		if e := stats.NetRatio(in); e != (stats.Estimate{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	// One side may be the floor, for all that is known; so may be a cost of two blocks.
	for name, in := range map[string]stats.Net{
		"above": {Num: costs(10, 12, 20), NumLess: costs(9, 9, 9), Den: costs(3, 4, 5)},
		"below": {Num: costs(3, 4, 5), Den: costs(10, 12, 20), DenLess: costs(9, 9, 9)},
		"two":   {Num: costs(12, 14), Den: costs(3, 4)},
	} {
		if e := stats.NetRatio([]stats.Net{in}); e.Bounded() || !(e.Center > 0) || e.N < 2 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
