package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

const (
	quantile     = 1.959964 // of the normal distribution, for Confidence
	leastSamples = 10       // of a profile, for an exponent or ratio of a cost
)

// Counted is a cost that rests on a number of profile samples; the interval is that of the count.
func Counted(cost float64, samples int64) Estimate {
	if samples == 0 {
		return Estimate{}
	}
	half := cost * quantile / math.Sqrt(float64(samples))
	return Estimate{Center: cost, Low: max(0, cost-half), High: cost + half, N: int(samples)}
}

// CountedRatio is the ratio of two costs that rest on profile samples, 10 or more each; the interval is
// that of its logarithm.
func CountedRatio(num, den float64, numSamples, denSamples int64) Estimate {
	if numSamples < leastSamples || denSamples < leastSamples || den <= 0 {
		return Estimate{}
	}
	f := math.Exp(quantile * math.Sqrt(1/float64(numSamples)+1/float64(denSamples)))
	return Estimate{Center: num / den, Low: num / den / f, High: num / den * f,
		N: int(numSamples + denSamples)}
}

// Count is a number of profile samples out of all of a profile, in which an operation costs so much.
type Count struct {
	Samples, Of int64
	Cost        float64
}

func (c Count) valid() bool { return c.Of > 0 && 0 <= c.Samples && c.Samples <= c.Of && c.Cost > 0 }

// of returns the cost of a share of the samples.
func (c Count) of(share float64) float64 { return c.Cost * share }

// share returns the share with its Wilson interval.
func (c Count) share() Estimate { return Share(float64(c.Samples)/float64(c.Of), float64(c.Of)) }

// CountedDifference returns by how much a frame costs more after than before, with the p value of no
// difference, of two sides. The costs are taken as exact, the counts are binomial. The interval combines
// the Wilson intervals of the two shares (Newcombe 1998, method 10; Zou and Donner 2008), each on the
// scale of its cost. The test is that of two proportions by a pooled variance, below 10 samples on either
// side the exact one of two Poisson counts given their sum (Przyborowski and Wilenski 1940), with the
// smaller tail doubled.
func CountedDifference(before, after Count) (e Estimate, p float64) {
	if !before.valid() || !after.valid() {
		return Estimate{}, 1
	}
	was, is := before.share(), after.share()
	d := after.of(is.Center) - before.of(was.Center)
	e = Estimate{
		Center: d,
		Low:    d - math.Hypot(after.of(is.Center-is.Low), before.of(was.High-was.Center)),
		High:   d + math.Hypot(after.of(is.High-is.Center), before.of(was.Center-was.Low)),
		N:      int(before.Of + after.Of),
	}

	// Without a difference a sample of either is so many units of the common cost.
	n, m := float64(before.Of)/before.Cost, float64(after.Of)/after.Cost
	sum := before.Samples + after.Samples
	if sum == 0 {
		return e, 1
	}
	if min(before.Samples, after.Samples) < leastSamples {
		given := moremath.BinomialDist{N: int(sum), P: m / (n + m)}
		k := float64(after.Samples)
		return e, min(1, 2*min(given.CDF(k), 1-given.CDF(k-1)))
	}
	common := float64(sum) / (n + m)
	variance := func(c Count) float64 {
		share := min(1, common/c.Cost)
		return c.Cost * c.Cost * share * (1 - share) / float64(c.Of)
	}
	if d == 0 {
		return e, 1
	}
	z := math.Abs(d) / math.Sqrt(variance(before)+variance(after))
	return e, math.Erfc(z / math.Sqrt2)
}
