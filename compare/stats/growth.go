package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	quantile     = 1.959964 // of the normal distribution, for Confidence
	leastSamples = 10       // of a profile, for a cost of its own
)

// Exponent returns by which power of x a cost grows: the slope of the least-squares line through log cost over log x. Each
// point has the cells whose medians add up to its cost. The interval is the bootstrap of [Sum]: it says how far noise moves
// the slope, not whether a power describes the growth; compare [Step] for that. It needs two different x, all above 0.
//
// Two sums are all the regression there is, so no library is used.
func Exponent(x []float64, points [][]Sample, seed uint64) Estimate {
	if !spread(x) || len(points) != len(x) || slices.ContainsFunc(points, func(p []Sample) bool { return len(p) == 0 }) {
		return Estimate{}
	}
	runs := common(slices.Concat(points...))
	if len(runs) == 0 {
		return Estimate{}
	}
	slope := func(pick [][2]int) float64 {
		values := make([]float64, len(pick))
		costs := make([]float64, len(points))
		for i, cells := range points {
			for _, s := range cells {
				for k, p := range pick {
					values[k] = s[p[0]][p[1]]
				}
				costs[i] += median(values)
			}
		}
		return Slope(x, costs)
	}
	e := resampled(runs, slope, seed)
	for _, v := range []float64{e.Low, e.Center, e.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Estimate{} // a clock that read nothing
		}
	}
	return e
}

// Step is the exponent between the last two points.
func Step(x []float64, points [][]Sample, seed uint64) Estimate {
	if len(x) < 2 || len(points) != len(x) {
		return Estimate{}
	}
	return Exponent(x[len(x)-2:], points[len(points)-2:], seed)
}

// Slope is the least-squares slope of log y over log x, NaN if that has none.
func Slope(x, y []float64) float64 {
	weights := slopeWeights(x)
	sum := 0.0
	for i, w := range weights {
		sum += w * math.Log(y[i])
	}
	if weights == nil {
		return math.NaN()
	}
	return sum
}

// CountedExponent is [Exponent] for costs that rest on a number of profile samples each. A count of n is uncertain by 1/√n
// of itself (Poisson), which the slope inherits. Points with fewer than 10 samples say nothing and are left out; two must stay.
func CountedExponent(x, costs []float64, samples []int64) Estimate {
	var xs, ys, variance []float64
	n := 0
	for i := range x {
		if samples[i] >= leastSamples && costs[i] > 0 {
			xs, ys, variance = append(xs, x[i]), append(ys, costs[i]), append(variance, 1/float64(samples[i]))
			n += int(samples[i])
		}
	}
	if !spread(xs) {
		return Estimate{}
	}
	v := 0.0
	for i, w := range slopeWeights(xs) {
		v += w * w * variance[i]
	}
	s, half := Slope(xs, ys), quantile*math.Sqrt(v)
	return Estimate{Center: s, Low: s - half, High: s + half, N: n}
}

// Counted is a cost that rests on a number of profile samples; the interval is that of the count.
func Counted(cost float64, samples int64) Estimate {
	if samples == 0 {
		return Estimate{}
	}
	half := cost * quantile / math.Sqrt(float64(samples))
	return Estimate{Center: cost, Low: max(0, cost-half), High: cost + half, N: int(samples)}
}

// CountedRatio is the ratio of two costs that rest on profile samples, 10 or more each; the interval is that of its logarithm.
func CountedRatio(num, den float64, numSamples, denSamples int64) Estimate {
	if numSamples < leastSamples || denSamples < leastSamples || den <= 0 {
		return Estimate{}
	}
	f := math.Exp(quantile * math.Sqrt(1/float64(numSamples)+1/float64(denSamples)))
	return Estimate{Center: num / den, Low: num / den / f, High: num / den * f, N: int(numSamples + denSamples)}
}

// slopeWeights are what log y is to be weighted with to get the slope; nil if x does not vary.
func slopeWeights(x []float64) []float64 {
	if !spread(x) {
		return nil
	}
	mean := 0.0
	for _, v := range x {
		mean += math.Log(v) / float64(len(x))
	}
	sum := 0.0
	weights := make([]float64, len(x))
	for i, v := range x {
		weights[i] = math.Log(v) - mean
		sum += weights[i] * weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// spread tells whether x has two different values and all above 0.
func spread(x []float64) bool {
	return len(x) > 1 && slices.Min(x) > 0 && slices.Min(x) < slices.Max(x)
}

// resampled is a statistic of all blocks with its percentile bootstrap interval: runs drawn with replacement, then blocks
// inside each.
func resampled(runs []int, statistic func(pick [][2]int) float64, seed uint64) Estimate {
	var all [][2]int
	for r, blocks := range runs {
		for b := range blocks {
			all = append(all, [2]int{r, b})
		}
	}
	e := Estimate{Center: statistic(all), N: len(all)}
	rng := rand.New(rand.NewPCG(seed, 0x626f6f74))
	draws := make([]float64, resamples)
	for i := range draws {
		var pick [][2]int
		for range runs {
			r := rng.IntN(len(runs))
			for range runs[r] {
				pick = append(pick, [2]int{r, rng.IntN(runs[r])})
			}
		}
		draws[i] = statistic(pick)
	}
	slices.Sort(draws)
	tail := (1 - Confidence) / 2
	e.Low, e.High = draws[int(tail*resamples)], draws[resamples-1-int(tail*resamples)]
	return e
}
