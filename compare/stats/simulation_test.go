package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"canonscope/compare/stats"
)

// between are standard deviations between processes as found in real campaigns, and more.
var between = []float64{0.02, 0.05, 0.08}

// draw makes a cell of n processes that costs so much, its logarithms with a standard deviation.
func (w world) draw(cost, sd float64, n int) []stats.Sample {
	s := make(stats.Sample)
	for block := range n {
		s[block] = cost * math.Exp(sd*w.NormFloat64())
	}
	return []stats.Sample{s}
}

func seeded(seed uint64) world { return world{Rand: rand.New(rand.NewPCG(seed, 16))} }

// rate returns the share of trials that are so.
func rate(trials int, trial func() bool) float64 {
	n := 0
	for range trials {
		if trial() {
			n++
		}
	}
	return float64(n) / float64(trials)
}

// between93And97 is what the interval of 95 % may hold in 2,000 trials.
func between93And97(t *testing.T, what string, share float64) {
	t.Helper()
	if share < 0.93 || share > 0.97 {
		t.Errorf("%s: the interval holds the truth in %.1f %% of campaigns", what, 100*share)
	}
}

// Two campaigns may differ in their numbers of processes and their variances.
func TestCoverageOfUnpaired(t *testing.T) {
	for _, n := range [][2]int{{5, 5}, {5, 12}, {10, 6}} {
		for _, sd := range between {
			w := seeded(uint64(n[0] + 100*n[1]))
			between93And97(t, fmt.Sprintf("%v processes, sd 0.03 and %v", n, sd), rate(2000, func() bool {
				e := stats.Unpaired(w.draw(60, 0.03, n[0]), w.draw(40, sd, n[1]), stats.Band).Ratio
				return e.Low <= 1.5 && 1.5 <= e.High
			}))
		}
	}
}

// Costs of 77 and 87 of which 57 are signatures, and dearer inputs. The drift of a block is common to all.
func TestCoverageOfNetRatio(t *testing.T) {
	costs := [][2]float64{{77, 87}, {120, 90}, {240, 140}, {310, 160}}
	truth := 1.0
	for _, c := range costs {
		truth *= math.Pow((c[0]-57)/(c[1]-57), 0.25)
	}
	for _, n := range []int{5, 10} {
		for _, sd := range []float64{0.005, 0.02, 0.05} {
			w := world{Rand: seeded(uint64(n)).Rand, between: sd, within: 0.02, drift: 0.05}
			open := 0
			share := rate(2000, func() bool {
				drifts, all := w.drifts(n), []float64{57}
				for _, c := range costs {
					all = append(all, c[0], c[1])
				}
				cells := w.exchange(drifts, all...)
				var inputs []stats.Net
				for i := range costs {
					inputs = append(inputs, stats.Net{Num: cells[1+2*i : 2+2*i], NumLess: cells[:1],
						Den: cells[2+2*i : 3+2*i], DenLess: cells[:1]})
				}
				e := stats.NetRatio(inputs)
				if !e.Bounded() {
					open++
				}
				return e.Low <= truth && truth <= e.High
			})
			between93And97(t, fmt.Sprintf("net ratio of %d, sd %v", n, sd), share)
			if open > 40 {
				t.Errorf("%d processes, sd %v: %d of 2000 have no interval", n, sd, open)
			}
		}
	}
}

// Runs in machines that differ: what is unknown is the mean over machines.
func TestCoverageOfBootstrap(t *testing.T) {
	for _, machines := range []int{3, 5, 10} {
		for _, sd := range [][2]float64{{0.05, 0.02}, {0.02, 0.08}, {0, 0.05}} {
			w := seeded(uint64(machines))
			seed := uint64(0)
			between93And97(t, fmt.Sprintf("%d machines, sd %v", machines, sd), rate(2000, func() bool {
				groups := make([][]float64, machines)
				for i := range groups {
					machine := sd[0] * w.NormFloat64()
					for range 5 {
						groups[i] = append(groups[i], machine+sd[1]*w.NormFloat64())
					}
				}
				seed++
				e := stats.Bootstrap(groups, geometric, seed)
				return e.Low <= 1 && 1 <= e.High
			}))
		}
	}
}

// Profiles of the same work by a binomial count.
func TestCoverageOfCountedDifference(t *testing.T) {
	count := func(w world, share float64, of int64, cost float64) stats.Count {
		c := stats.Count{Of: of, Cost: cost}
		for range of {
			if w.Float64() < share {
				c.Samples++
			}
		}
		return c
	}
	for _, c := range []struct {
		before, after float64 // shares
		n, m          int64
		cost          float64 // before; 100 after
	}{{0.05, 0.10, 400, 400, 100}, {0.20, 0.30, 200, 400, 150}, {0.6, 0.5, 100, 300, 100}, {0.1, 0.05, 1000, 500, 50}} {
		w := seeded(uint64(c.n))
		truth, same := 100*c.after-c.cost*c.before, 0
		between93And97(t, fmt.Sprint(c), rate(2000, func() bool {
			e, _ := stats.CountedDifference(count(w, c.before, c.n, c.cost), count(w, c.after, c.m, 100))
			if _, p := stats.CountedDifference(count(w, c.before, c.n, c.cost), count(w, c.before*c.cost/100, c.m, 100)); p <= 0.05 {
				same++
			}
			return e.Low <= truth && truth <= e.High
		}))
		if same > 2000*65/1000 {
			t.Errorf("%v: of profiles of the same cost %d of 2000 differ", c, same)
		}
	}
	w := seeded(3)
	if few := rate(2000, func() bool {
		_, p := stats.CountedDifference(count(w, 0.01, 300, 100), count(w, 0.01, 300, 100))
		return p <= 0.05
	}); few > 0.05 {
		t.Errorf("of few samples %v differ", few)
	}
}

// A ratio at the edge of the band is called equivalent in 5 %, no more and, where there is enough data, not less.
func TestEquivalenceAtTheEdge(t *testing.T) {
	for _, n := range []int{5, 10} {
		for _, sd := range between {
			for _, ratio := range []float64{1.1, 1 / 1.1} {
				w := seeded(uint64(n))
				wrong := rate(4000, func() bool {
					return stats.Paired(w.draw(ratio, sd, n), constant(n), stats.Band).Verdict == stats.Equivalent
				})
				if wrong > 0.06 || wrong < 0.04 && sd < 0.08 {
					t.Errorf("%d processes, sd %v: %.1f %% of ratios of %v are equivalent", n, sd, 100*wrong, ratio)
				}
			}
		}
	}
}

// constant is a cell without variance.
func constant(n int) []stats.Sample {
	s := make(stats.Sample)
	for block := range n {
		s[block] = 1
	}
	return []stats.Sample{s}
}

// In a table of 50 comparisons of the same work, no more than 5 % of tables have anything faster or slower after
// correction, nor, of 50 at the edge of the band, anything equivalent. Without correction most have.
func TestTablesOfNothing(t *testing.T) {
	const tables, rows, n, narrow = 2000, 50, 6, 0.0001
	w := seeded(50)
	raw, corrected, equal := 0, 0, 0
	for range tables {
		var null, edge []*stats.Comparison
		any := false
		for range rows {
			c := stats.Paired(w.draw(1, 0.05, n), constant(n), narrow)
			any = any || c.Verdict != stats.Inconclusive
			e := stats.Paired(w.draw(1.1, 0.05, n), constant(n), stats.Band)
			null, edge = append(null, &c), append(edge, &e)
		}
		stats.Correct(null)
		stats.Correct(edge)
		if any {
			raw++
		}
		if slices.ContainsFunc(null, func(c *stats.Comparison) bool { return c.Verdict != stats.Inconclusive }) {
			corrected++
		}
		if slices.ContainsFunc(edge, func(c *stats.Comparison) bool { return c.Verdict == stats.Equivalent }) {
			equal++
		}
	}
	if limit := tables * 6 / 100; corrected > limit || equal > limit || corrected < tables*3/100 {
		t.Errorf("of %d tables %d have a difference, %d an equivalence at the edge", tables, corrected, equal)
	}
	if raw < tables*85/100 {
		t.Errorf("uncorrected, %d of %d tables have a difference: the test shows nothing", raw, tables)
	}
}

// Planted differences are found as often as the power says, and the detectable one in 80 %, in its direction.
func TestPlantedIsFound(t *testing.T) {
	for _, n := range []int{3, 5, 10, 20} {
		for _, sd := range between {
			w := seeded(uint64(n))
			for _, ratio := range []float64{1.02, 1 / 1.05, 1.10, 1 + stats.Detectable(sd, n)} {
				found := rate(2000, func() bool {
					c := stats.Paired(w.draw(ratio, sd, n), constant(n), 0.0001)
					return c.Verdict == stats.Slower && ratio > 1 || c.Verdict == stats.Faster && ratio < 1
				})
				if power := stats.Power(ratio, sd, n); !(math.Abs(found-power) <= 0.03) {
					t.Errorf("%v in %d processes of sd %v is found in %.1f %%, not in %.1f %%", ratio, n, sd, 100*found, 100*power)
				}
			}
		}
	}
}

// As many processes as an undecided comparison needs decide it in 80 %, if it is as it was observed: the same work
// is then equivalent; and so for two campaigns.
func TestNeedsAreEnough(t *testing.T) {
	w := seeded(9)
	noisy := logs(-0.1, -0.1, 0, 0.1, 0.1) // sd 0.1
	for name, c := range map[string]struct {
		n    int
		draw func(n int) stats.Comparison
	}{
		"paired": {needs(stats.Paired(noisy, ones, stats.Band)), func(n int) stats.Comparison {
			return stats.Paired(w.draw(1, 0.1, n), constant(n), stats.Band)
		}},
		"unpaired": {needs(stats.Unpaired(noisy, noisy, stats.Band)), func(n int) stats.Comparison {
			return stats.Unpaired(w.draw(1, 0.1, n), w.draw(1, 0.1, n), stats.Band)
		}},
	} {
		decided := rate(4000, func() bool { return c.draw(c.n).Verdict == stats.Equivalent })
		if decided < 0.78 || decided > 0.86 {
			t.Errorf("%s: %d processes decide in %.1f %%", name, c.n, 100*decided)
		}
	}
}

func needs(c stats.Comparison) int { return c.Needs() }

// A campaign that adds the processes which its first ones ask for has an interval that holds, of the width wanted
// or little more.
func TestPrecisionIsReached(t *testing.T) {
	for _, first := range []int{5, 10} {
		for _, sd := range between {
			w, wide := seeded(uint64(first)), 0
			between93And97(t, fmt.Sprintf("%d processes first, sd %v", first, sd), rate(2000, func() bool {
				s := w.draw(30, sd, first)[0]
				for n := stats.Processes(stats.Mean(s), 0.02); len(s) < n; {
					s[len(s)] = 30 * math.Exp(sd*w.NormFloat64())
				}
				e := stats.Mean(s)
				if e.High/e.Low > 1.02*1.02*1.02 {
					wide++
				}
				return e.Low <= 30 && 30 <= e.High
			}))
			if wide > 600 {
				t.Errorf("%d processes first, sd %v: %d of 2000 do not reach ±2 %%", first, sd, wide)
			}
		}
	}
}
