package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"canonscope/compare/stats"
)

// A part without variance between processes has that of its count alone: the variance of log p is (1-p)/pn.
func TestPartExact(t *testing.T) {
	cost := []stats.Sample{{0: 60, 1: 60, 2: 60}, {0: 40, 1: 40, 2: 40}}
	p := stats.Part{Cost: cost, Share: 0.2, Samples: 400}
	e := p.Estimate()
	half := 4.302653 * math.Sqrt(0.8/(0.2*400)) // t of 2 degrees of freedom
	roughly(t, "part", e.Center, 20)
	roughly(t, "high", e.High, 20*math.Exp(half))
	roughly(t, "low", e.Low, 20*math.Exp(-half))

	q := stats.Part{Cost: cost, Share: 0.4, Samples: 400}
	c := stats.Parts(q, p, 0.1)
	se := math.Sqrt(0.8/(0.2*400) + 0.6/(0.4*400))
	roughly(t, "ratio", c.Ratio.Center, 2)
	roughly(t, "ratio's high", c.Ratio.High, 2*math.Exp(1.959964*se))
	if c.Verdict != stats.Slower || c.Ratio.N != 6 {
		t.Errorf("%+v", c)
	}
	if c := stats.Parts(p, q, 0.1); c.Verdict != stats.Faster {
		t.Errorf("%+v", c)
	}
	if c := stats.Parts(p, p, 0.6); c.Verdict != stats.Equivalent {
		t.Errorf("%+v", c)
	}
}

// What has too few processes, no share or no sample has no interval and no verdict.
func TestPartWithoutInterval(t *testing.T) {
	three := []stats.Sample{{0: 100, 1: 110, 2: 90}}
	whole := stats.Part{Cost: three, Share: 0.2, Samples: 400}
	for name, p := range map[string]stats.Part{
		"two processes": {Cost: []stats.Sample{{0: 100, 1: 110}}, Share: 0.2, Samples: 400},
		"no share":      {Cost: three, Samples: 400},
		"no samples":    {Cost: three, Share: 0.2},
		"no process":    {Share: 0.2, Samples: 400},
	} {
		if e := p.Estimate(); e.Bounded() || math.IsNaN(e.Center) || math.IsInf(e.Center, 0) {
			t.Errorf("%s: %+v", name, e)
		}
		for _, c := range []stats.Comparison{stats.Parts(p, whole, 0.1), stats.Parts(whole, p, 0.1)} {
			if c.Verdict != stats.Inconclusive || c.Ratio.Bounded() || c.Differs != 1 || c.Equal != 1 {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

// Under no difference, where shares vary between processes as costs do, a part is found to differ at no more
// than the nominal rate, and not much less.
func TestPartsNominal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	part := func() stats.Part {
		s := make(stats.Sample)
		for b := range 5 {
			s[b] = 1000 * math.Exp(0.03*r.NormFloat64())
		}
		share := 0.2 * math.Exp(0.03*r.NormFloat64())
		k := 0
		for range 1000 {
			if r.Float64() < share {
				k++
			}
		}
		return stats.Part{Cost: []stats.Sample{s}, Share: float64(k) / 1000, Samples: 1000}
	}
	const repeats = 2000
	found := 0
	for range repeats {
		if stats.Parts(part(), part(), 0.001).Differs <= 0.05 {
			found++
		}
	}
	if rate := float64(found) / repeats; rate < 0.03 || rate > 0.06 {
		t.Errorf("%.3f of parts that are alike differ", rate)
	}
}

// An index is a geometric mean in blocks that have all; what it has in common with a cost cancels.
func TestIndex(t *testing.T) {
	index := stats.Index([]stats.Sample{{0: 2, 1: 4, 2: 8, 3: 0}, {0: 8, 1: 4, 3: 5}})
	if len(index) != 2 {
		t.Fatalf("%v", index)
	}
	roughly(t, "block 0", index[0], 4)
	roughly(t, "block 1", index[1], 4)
	over := stats.Over(stats.Sample{0: 10, 1: 20, 2: 30}, index)
	if len(over) != 2 || !(math.Abs(over[0]-2.5) <= 1e-12) || !(math.Abs(over[1]-5) <= 1e-12) {
		t.Errorf("%v", over)
	}
	if got := stats.Index(nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func roughly(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
