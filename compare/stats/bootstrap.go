package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrap returns a statistic, above 0, of runs that nest in groups, such as machines or campaigns. It
// resamples the highest level that varies, whole groups, or the runs of one group; a second stage within
// the groups would add their variance once more (Davison and Hinkley 1997, section 3.8). With few groups
// percentiles hold too little, so the interval is a t interval on the log scale, its standard error that
// of the resamples times √(k/(k-1)) for k groups. N is k, or the runs of the one group. The same seed
// gives the same interval.
func Bootstrap[T any](groups [][]T, statistic func(runs []T) float64, seed uint64) Estimate {
	const resamples = 1000
	units := slices.DeleteFunc(slices.Clone(groups), func(g []T) bool { return len(g) == 0 })
	runs := slices.Concat(units...)
	if len(units) == 1 {
		units = make([][]T, len(runs))
		for i := range runs {
			units[i] = runs[i : i+1]
		}
	}
	k := len(units)
	if k == 0 {
		return Estimate{}
	}
	center := math.Log(statistic(runs))
	if math.IsNaN(center) || math.IsInf(center, 0) {
		return Estimate{}
	}
	none := exponential(open(center, k))
	if k < Fewest {
		return none
	}

	random := rand.New(rand.NewPCG(seed, 0))
	logs := make([]float64, resamples)
	again := make([]T, 0, len(runs))
	for i := range logs {
		again = again[:0]
		for range k {
			again = append(again, units[random.IntN(k)]...)
		}
		logs[i] = math.Log(statistic(again))
		if math.IsNaN(logs[i]) || math.IsInf(logs[i], 0) {
			return none
		}
	}
	_, variance := moments(logs)
	f := float64(k)
	half := tQuantile(1-alpha/2, f-1) * math.Sqrt(variance*f/(f-1))
	return exponential(Estimate{center, center - half, center + half, k})
}
