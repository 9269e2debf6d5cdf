package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

const (
	wanted        = 0.80   // probability with which a plan finds what it looks for
	mostProcesses = 10_000 // that a plan asks for
)

// design is how the variance of a contrast of logarithms follows from a number n of processes: a standard
// deviation of sd/√n with degrees·(n-1) degrees of freedom.
type design struct{ sd, degrees float64 }

func (d design) df(n float64) float64 { return d.degrees * (n - 1) }

// Detectable returns the smallest difference of a ratio from 1, as 0.05 for 1.05, that n blocks show at 5
// % with a probability of 80 %, if the log ratios of blocks have the standard deviation sd. It is infinite
// below [Fewest] blocks.
func Detectable(sd float64, n int) float64 {
	if n < Fewest {
		return math.Inf(1)
	}
	return math.Expm1(design{sd, 1}.detectable(float64(n)))
}

// Power returns the probability with which n blocks show a ratio other than 1 at 5 %, by a t test of log
// ratios whose standard deviation is sd.
func Power(ratio, sd float64, n int) float64 {
	if n < Fewest {
		return 0
	}
	return design{sd, 1}.shows(math.Log(ratio), float64(n), alpha)
}

// Processes returns how many processes in all give an estimate an interval of this half-width, as 0.02 for
// ±2 %: the processes it has times the square of the width it has over that wanted (Stein 1945). It has at
// least [Fewest], and no more than 10,000 are asked for.
func Processes(e Estimate, half float64) int {
	if !e.Bounded() {
		return Fewest
	}
	has := math.Log(e.High/e.Low) / 2
	n := float64(e.N) * math.Pow(has/math.Log1p(half), 2)
	return int(min(max(math.Ceil(n-1e-9), Fewest), mostProcesses))
}

// detectable returns the log ratio that is shown with the wanted power.
func (d design) detectable(n float64) float64 {
	const most = 20 // a factor of e^20
	t := tQuantile(1-alpha/2, d.df(n))
	return bisect(0, most, func(delta float64) bool { return d.exceeds(t, delta, n) >= wanted })
}

// toDecide returns the number of processes with which a log ratio would be shown to differ from 0, or to
// be within the band, with the wanted power; 0 if too many.
func (d design) toDecide(delta, band, level float64) int {
	decides := func(n float64) bool {
		return d.shows(delta, n, level) >= wanted || d.equates(delta, band, n, level) >= wanted
	}
	if !decides(mostProcesses) {
		return 0
	}
	low, high := Fewest, mostProcesses
	for low < high {
		if middle := (low + high) / 2; decides(float64(middle)) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// shows is the power of the t test of two sides to find a log ratio on its side of 0 (noncentral t).
func (d design) shows(delta, n, level float64) float64 {
	return d.exceeds(tQuantile(1-level/2, d.df(n)), delta, n)
}

// exceeds is the probability that the quotient of a log ratio and its standard error exceeds t.
func (d design) exceeds(t, delta, n float64) float64 {
	shift := over(math.Abs(delta)*math.Sqrt(n), d.sd)
	return overChi(d.df(n), func(s float64) float64 { return normal(shift - t*s) })
}

// equates is the power of two one-sided t tests to find a log ratio within the band (Phillips 1990).
func (d design) equates(delta, band, n, level float64) float64 {
	scale := math.Sqrt(n) / d.sd
	t := tQuantile(1-level, d.df(n))
	return overChi(d.df(n), func(s float64) float64 {
		return max(0, normal((band-delta)*scale-t*s)-normal(t*s-(band+delta)*scale))
	})
}

// overChi is the mean of f(s) where s is an estimated standard deviation over the true one: the root of
// chi-squared over its degrees of freedom. By Simpson's rule.
func overChi(df float64, f func(s float64) float64) float64 {
	const steps = 200
	width := 8 / math.Sqrt(2*df)
	low := max(0, 1-width)
	step := (1 + width - low) / steps
	sum, weights := 0.0, 0.0
	for i := range steps + 1 {
		s := low + float64(i)*step
		w := math.Exp((df-1)*math.Log(s) - df*(s*s-1)/2)
		switch {
		case i == 0 || i == steps:
		case i%2 == 1:
			w *= 4
		default:
			w *= 2
		}
		sum, weights = sum+w*f(s), weights+w
	}
	return sum / weights
}

// bisect returns the least x between low and high for which ok, which is so from there on, holds.
func bisect(low, high float64, ok func(x float64) bool) float64 {
	for range 60 {
		if middle := (low + high) / 2; ok(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// tTail is the probability of more than t. Beyond some degrees of freedom the normal distribution serves,
// before the series of the other fails.
func tTail(t, df float64) float64 {
	switch {
	case math.IsInf(t, 1):
		return 0
	case math.IsInf(t, -1):
		return 1
	case df > mostProcesses:
		return normal(-t)
	}
	return 1 - moremath.TDist{V: df}.CDF(t)
}

// tQuantile is the t that is exceeded with a probability of 1-p, p being at least 1/2. Newton's method
// from the normal quantile, which is less, goes up to it: the distribution function is concave.
func tQuantile(p, df float64) float64 {
	t := moremath.StdNormal.InvCDF(p)
	if df > mostProcesses {
		return t
	}
	for range 100 {
		step := (p - (1 - tTail(t, df))) / moremath.TDist{V: df}.PDF(t)
		t += step
		if step < 1e-12*t {
			break
		}
	}
	return t
}
