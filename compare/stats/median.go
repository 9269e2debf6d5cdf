package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// FewestOfMedian is the number of processes that an interval of a median needs: the least and the largest
// of five hold the median in 94 % of cases.
const FewestOfMedian = 6

// Median returns the median over the processes, nothing below [FewestOfMedian] of them. The interval
// assumes no distribution: it lies between two neighbouring intervals of order statistics, of which the
// outer has the confidence and the inner does not (Hettmansperger and Sheather 1986).
func Median(s Sample) Estimate {
	n := len(s)
	if n < FewestOfMedian {
		return Estimate{}
	}
	xs := sorted(s.Values()).Xs
	if math.IsNaN(xs[0]) { // sorts first
		return Estimate{}
	}
	confidence := func(depth int) float64 { // of the interval from the depth-th value to the depth-th last
		return 1 - 2*moremath.BinomialDist{N: n, P: 0.5}.CDF(float64(depth-1))
	}
	depth := 1
	for confidence(depth+1) >= Confidence {
		depth++
	}

	// The way inward from the outer interval.
	part := (confidence(depth) - Confidence) / (confidence(depth) - confidence(depth+1))
	f, d := float64(n), float64(depth)
	inward := (f - d) * part / (d + (f-2*d)*part)
	between := func(outer, inner float64) float64 { return outer + inward*(inner-outer) }
	center := xs[n/2]
	if n%2 == 0 {
		center = (xs[n/2-1] + xs[n/2]) / 2
	}
	return Estimate{center, between(xs[depth-1], xs[depth]), between(xs[n-depth], xs[n-depth-1]), n}
}
