package stats

import (
	"math"
	"slices"
)

// Exponent returns the power of x by which a cost grows: the slope of the least-squares line of log cost
// over log x, one line for each block that has all points. The cost of a point is the sum of its cells. The
// interval is the t interval of these slopes. It shows how much processes differ, not whether a power law
// fits; compare [Step] for that. Exponent needs two different x, all above 0.
func Exponent(x []float64, points [][]Sample) Estimate {
	if !spread(x) || len(points) != len(x) {
		return Estimate{}
	}
	costs := make([]Sample, len(points))
	for i, p := range points {
		costs[i] = sums(p)
	}
	slopes := make(Sample)
	for block := range sums(costs) { // a block for which all points have a cost
		y := make([]float64, len(x))
		for i, c := range costs {
			y[i] = c[block]
		}
		slopes[block] = Slope(x, y)
		if math.IsNaN(slopes[block]) || math.IsInf(slopes[block], 0) {
			return Estimate{} // a clock read 0
		}
	}
	return student(slopes)
}

// Step is the exponent between the last two points.
func Step(x []float64, points [][]Sample) Estimate {
	if len(x) < 2 || len(points) != len(x) {
		return Estimate{}
	}
	return Exponent(x[len(x)-2:], points[len(points)-2:])
}

// Slope is the least-squares slope of log y over log x, NaN if it is undefined.
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

// CountedExponent is [Exponent] for costs that each rest on a number of profile samples. The relative
// uncertainty of a count n is 1/√n (Poisson), and the slope inherits it. Points with fewer than 10 samples
// are left out; at least two must remain.
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

// slopeWeights are the weights of log y in the slope; nil if x does not vary.
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

// spread reports whether x has two different values and all are above 0.
func spread(x []float64) bool {
	return len(x) > 1 && slices.Min(x) > 0 && slices.Min(x) < slices.Max(x)
}
