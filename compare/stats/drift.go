package stats

import (
	"maps"
	"math"
	"slices"
)

// Drift is what the blocks of a campaign have in common with no other block: the machine is dearer in one
// minute than in another. Variance is that of logarithms.
type Drift struct {
	Variance float64
	Blocks   int
}

// DriftOf separates the drift from how single processes vary (analysis of variance in two ways). It
// takes one cost of each exchange, such as the [Index] of its operations: these share a process. Blocks that
// lack an exchange are left out.
func DriftOf(exchanges []Sample) Drift {
	whole := Index(exchanges) // has the blocks that count
	n, x := float64(len(whole)), float64(len(exchanges))
	blocks, ok := logarithms(whole)
	if !ok || n < Fewest || x < 2 {
		return Drift{}
	}

	mean, variance := moments(blocks.Values())
	order := slices.Sorted(maps.Keys(blocks)) // sums of floats depend on it
	residual := 0.0
	for _, e := range exchanges {
		own := 0.0
		for _, block := range order {
			own += math.Log(e[block]) / n
		}
		for _, block := range order {
			r := math.Log(e[block]) - own - blocks[block] + mean
			residual += r * r / ((x - 1) * (n - 1))
		}
	}
	return Drift{max(0, variance-residual/x), len(whole)}
}

// Widen adds the drift to the interval of a cost. A campaign is a single sample of it, so its variance counts
// in full where that of the processes is divided by their number. A ratio within a block needs none of this.
func (d Drift) Widen(e Estimate) Estimate {
	if d.Blocks < Fewest || !e.Bounded() || !(e.Low > 0) {
		return e
	}
	half := tQuantile(1-alpha/2, float64(d.Blocks-1)) * math.Sqrt(d.Variance)
	e.Low = e.Center / math.Exp(math.Hypot(math.Log(e.Center/e.Low), half))
	e.High = e.Center * math.Exp(math.Hypot(math.Log(e.High/e.Center), half))
	return e
}
