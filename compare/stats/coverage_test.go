package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"canonscope/compare/stats"
)

// world draws campaigns as they were found to vary: processes differ by between, stretches of a process by
// within, and a block shares a drift. All are standard deviations of logarithms.
type world struct {
	*rand.Rand
	between, within, drift float64
}

// exchange draws the processes of an exchange whose operations cost so much on average. A part of what makes
// a process slow is common to its operations.
func (w world) exchange(drifts []float64, costs ...float64) []stats.Sample {
	const stretches = 6 // of a window
	cells := make([]stats.Sample, len(costs))
	for i := range cells {
		cells[i] = make(stats.Sample)
	}
	for block, drift := range drifts {
		common := w.between * w.NormFloat64()
		for i, cost := range costs {
			own := drift + (common+w.between*w.NormFloat64())/math.Sqrt2
			sum := 0.0
			for range stretches {
				sum += math.Exp(own + w.within*w.NormFloat64())
			}
			cells[i][block] = cost * sum / stretches
		}
	}
	return cells
}

func (w world) drifts(processes int) []float64 {
	out := make([]float64, processes)
	for i := range out {
		out[i] = w.drift * w.NormFloat64()
	}
	return out
}

// Intervals hold the cost that a process has in the long run as often as they say, however much processes and
// stretches of them differ; and with a drift that all of a block share, ratios do.
func TestCoverage(t *testing.T) {
	const trials = 2000
	for _, processes := range []int{3, 6, 10} {
		for _, sd := range [][2]float64{{0.02, 0.05}, {0.05, 0.05}, {0.08, 0.08}, {0.05, 0.18}, {0, 0.18}} {
			t.Run(fmt.Sprintf("%d processes, %v", processes, sd), func(t *testing.T) {
				t.Parallel()
				seed := rand.NewPCG(uint64(processes), math.Float64bits(sd[0]+2*sd[1]))
				w := world{Rand: rand.New(seed), between: sd[0], within: sd[1]}
				mean := math.Exp((sd[0]*sd[0] + sd[1]*sd[1]) / 2)
				hits := make(map[string]int)
				holds := func(what string, e stats.Estimate, truth float64) {
					if e.N != processes {
						t.Fatalf("%s of %d processes: %+v", what, processes, e)
					}
					if e.Low <= truth && truth <= e.High {
						hits[what]++
					}
				}
				for range trials {
					w.drift = 0
					cells := w.exchange(w.drifts(processes), 30, 50)
					holds("mean", stats.Mean(cells[0]), 30*mean)
					holds("sum", stats.Sum(cells), 80*mean)

					w.drift = 0.05
					drifts := w.drifts(processes)
					holds("ratio", stats.Ratio(w.exchange(drifts, 60, 90), w.exchange(drifts, 20, 30)), 3)
				}
				for _, what := range []string{"mean", "sum", "ratio"} {
					if share := float64(hits[what]) / trials; share < 0.93 || share > 0.97 {
						t.Errorf("the interval of a %s holds the truth in %.1f %% of campaigns", what, 100*share)
					}
				}
			})
		}
	}
}

// Two campaigns of the same work differ no more often than intervals of 95 % may: about 0.6 % of pairs lie
// wholly apart.
func TestSameWorkIsNotApart(t *testing.T) {
	const trials = 2000
	w := world{Rand: rand.New(rand.NewPCG(1, 2)), between: 0.05, within: 0.05}
	apart := 0
	for range trials {
		a := stats.Mean(w.exchange(w.drifts(5), 30)[0])
		b := stats.Mean(w.exchange(w.drifts(5), 30)[0])
		if a.High < b.Low || b.High < a.Low {
			apart++
		}
	}
	if apart > trials*15/1000 {
		t.Errorf("%d of %d pairs are apart", apart, trials)
	}
}
