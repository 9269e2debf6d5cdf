package report_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"canonscope/compare/report"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// sampled is a profile of an operation that spends so many nanoseconds below each stack, root first, by a
// sampler that takes n samples.
func sampled(t *testing.T, rng *rand.Rand, n int, cost map[string]float64) *profile.Profile {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"},
		{Type: "cpu", Unit: "nanoseconds"}}}
	functions := map[string]*profile.Location{}
	total := 0.0
	for _, c := range cost {
		total += c
	}
	for _, stack := range slices.Sorted(maps.Keys(cost)) { // a seed draws the same again
		c := cost[stack]
		s := &profile.Sample{Label: map[string][]string{profiles.CellLabel: {"x"}}}
		names := strings.Split(stack, ";")
		slices.Reverse(names)
		for _, name := range names {
			l := functions[name]
			if l == nil {
				f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
				l = &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
				functions[name] = l
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			}
			s.Location = append(s.Location, l)
		}
		mean := float64(n) * c / total
		k := int64(max(0, math.Round(mean+rng.NormFloat64()*math.Sqrt(mean))))
		s.Value = []int64{k, k * 250_000}
		if k > 0 {
			p.Sample = append(p.Sample, s)
		}
	}
	if err := profiles.Operations(p, profiles.LoadRules(), 100); err != nil {
		t.Fatal(err)
	}
	return p
}

// wide is an operation of 200 functions, each below one of 20.
func wide() map[string]float64 {
	cost := map[string]float64{}
	for i := range 200 {
		cost[fmt.Sprintf("main.op;main.part%d;main.f%d", i%20, i)] = 1000 * float64(1+i%7)
	}
	return cost
}

func difference(t *testing.T, a, b map[string]float64, costs [2]stats.Estimate, seed uint64) *profiles.Difference {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	d, err := profiles.Compare(profiles.Side{Name: "a", Profile: sampled(t, rng, 20_000, a), Cost: costs[0].Center},
		profiles.Side{Name: "b", Profile: sampled(t, rng, 20_000, b), Cost: costs[1].Center}, profiles.LoadRules(),
		profiles.DifferenceOptions{}, report.JudgeFrames(costs[0], costs[1]))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func listed(d *profiles.Difference) (all []profiles.Changed) {
	for _, l := range d.Lists() {
		all = append(all, l.Changed...)
	}
	return all
}

func estimate(center, half float64) stats.Estimate {
	return stats.Estimate{Center: center, Low: center - half, High: center + half, N: 5}
}

// alone is what one process says: a cost without an interval.
func alone(center float64) stats.Estimate {
	return stats.Estimate{Center: center, Low: math.Inf(-1), High: math.Inf(1), N: 1}
}

// Of two profiles of one operation no frame is coloured, in 19 of 20 pairs, also where one process of each
// cost 3 % more than the other, and where three did within their interval.
func TestSameOperationIsGrey(t *testing.T) {
	for _, costs := range [][2]stats.Estimate{{estimate(8e5, 1e4), estimate(8e5, 1e4)},
		{alone(8e5), alone(8.24e5)}, {estimate(8e5, 3e4), estimate(8.24e5, 3e4)}} {
		coloured := 0
		for seed := range uint64(20) {
			if len(listed(difference(t, wide(), wide(), costs, seed))) > 0 {
				coloured++
			}
		}
		if coloured > 3 {
			t.Errorf("%v: %d of 20 pairs have colours", costs, coloured)
		}
	}
}

// 100 µs that are planted in a function, one that is new and one that is gone are found, each within its
// interval in 19 of 20 pairs, and hardly any other.
func TestPlantedDifference(t *testing.T) {
	a, b := wide(), wide()
	b["main.op;main.part3;main.f3"] += 100_000
	b["main.op;main.new"] = 50_000
	a["main.op;main.old"] = 20_000
	total := func(m map[string]float64) (sum float64) {
		for _, v := range m {
			sum += v
		}
		return sum
	}
	costs := [2]stats.Estimate{estimate(total(a), 2000), estimate(total(b), 2000)}
	planted := map[string]float64{"main.f3": 100_000, "main.new": 50_000, "main.old": -20_000}
	const pairs = 20
	found, outside, others := 0, 0, 0
	for seed := range uint64(pairs) {
		for _, c := range listed(difference(t, a, b, costs, seed)) {
			switch gained, ok := planted[c.Name]; {
			case ok:
				found++
				if c.Low > gained || c.High < gained {
					outside++
				}
			case c.Name != "main.op" && c.Name != "main.part3":
				others++
			}
		}
	}
	if found != pairs*len(planted) || outside > 6 || others > 3 {
		t.Errorf("%d of %d found, %d outside of their intervals, and %d others", found, pairs*len(planted),
			outside, others)
	}

	// The profile of the difference has the total of the table.
	p, err := difference(t, a, b, costs, 1).Profile()
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, s := range p.Sample {
		sum += s.Value[1]
	}
	if want := int64(math.Round(costs[1].Center) - math.Round(costs[0].Center)); sum != want {
		t.Errorf("the profile gains %d ns, the table %d", sum, want)
	}
}
