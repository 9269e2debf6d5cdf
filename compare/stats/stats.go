// Package stats judges measurements: medians with order-statistic intervals, and sums and ratios of medians with
// bootstrap intervals over runs and blocks. Call [Median] for one cell, [Sum] and [Ratio] for several measured side by side.
package stats

import (
	"encoding/json"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence of every interval.
const Confidence = 0.95

// Estimate is a value with its interval. N counts the values it rests on; with too few of them Low and High
// are infinite.
type Estimate struct {
	Center, Low, High float64
	N                 int
}

// MarshalJSON writes an infinite bound as null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	bound := func(v float64) *float64 {
		if math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	return json.Marshal(struct {
		Center float64  `json:"center"`
		Low    *float64 `json:"low"`
		High   *float64 `json:"high"`
		N      int      `json:"n"`
	}{e.Center, bound(e.Low), bound(e.High), e.N})
}

// Sample holds the values of one cell: a slice of blocks for each run.
type Sample [][]float64

// Flat returns the values of all runs.
func (s Sample) Flat() []float64 { return slices.Concat(s...) }

// Median returns the median over all blocks with its distribution-free interval. It needs six values or more for a finite
// one. No value gives the zero Estimate.
func Median(s Sample) Estimate {
	values := s.Flat()
	if len(values) == 0 {
		return Estimate{}
	}
	sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), Confidence)
	return Estimate{Center: sum.Center, Low: sum.Lo, High: sum.Hi, N: len(values)}
}

// resamples of the bootstrap.
const resamples = 1000

// Sum returns the sum of the cells' medians. Its interval is the percentile bootstrap: runs are drawn with replacement,
// then blocks inside each, the same for all cells, since cells of one run were measured side by side (Davison and
// Hinkley, Bootstrap Methods, section 3.8). The result depends only on its arguments.
func Sum(cells []Sample, seed uint64) Estimate {
	return bootstrap(cells, nil, seed)
}

// Ratio returns the sum of the medians of num over that of den; see [Sum] for the interval.
func Ratio(num, den []Sample, seed uint64) Estimate {
	if len(num) == 0 || len(den) == 0 {
		return Estimate{}
	}
	return bootstrap(num, den, seed)
}

func bootstrap(num, den []Sample, seed uint64) Estimate {
	runs := common(slices.Concat(num, den))
	if len(runs) == 0 {
		return Estimate{}
	}
	statistic := func(pick [][2]int) float64 {
		values := make([]float64, len(pick))
		sum := func(cells []Sample) float64 {
			total := 0.0
			for _, s := range cells {
				for i, p := range pick {
					values[i] = s[p[0]][p[1]]
				}
				total += median(values)
			}
			return total
		}
		if den == nil {
			return sum(num)
		}
		return sum(num) / sum(den)
	}
	return resampled(runs, statistic, seed)
}

// common returns how many blocks each run has in every cell; runs that a cell lacks end the list.
func common(cells []Sample) []int {
	var runs []int
	for r := 0; ; r++ {
		least := -1
		for _, s := range cells {
			if r >= len(s) {
				return runs
			}
			if least < 0 || len(s[r]) < least {
				least = len(s[r])
			}
		}
		if least <= 0 {
			return runs
		}
		runs = append(runs, least)
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	m := len(values) / 2
	if len(values)%2 == 1 {
		return values[m]
	}
	return (values[m-1] + values[m]) / 2
}
