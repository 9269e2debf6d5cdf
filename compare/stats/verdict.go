package stats

import (
	"encoding/json"
	"math"
)

// Band is the usual band of equivalence: ratios from 1/1.1 to 1.1.
const Band = 0.10

// alpha is the rate of false verdicts of a test.
const alpha = 1 - Confidence

// Verdict is the result of a comparison.
type Verdict string

const (
	Equivalent   Verdict = "equivalent"   // shown to differ by less than the band
	Faster       Verdict = "faster"       // shown to cost less, and not equivalent
	Slower       Verdict = "slower"       // shown to cost more, and not equivalent
	Inconclusive Verdict = "inconclusive" // neither shown
)

// Comparison is a ratio of two costs with its verdict. [Correct] changes the p values and the verdict; the
// interval is always that of the one ratio.
type Comparison struct {
	Ratio   Estimate
	Verdict Verdict
	Differs float64 // p value of a ratio of 1, of two sides
	Equal   float64 // p value of a ratio outside of the band

	contrast
	band     float64 // of the log ratio
	level    float64 // of a further test
	withheld bool
}

// contrast is a difference of two mean logarithms and how it varies.
type contrast struct {
	delta, se, df float64
	n             float64 // processes of a side
	design
}

// MarshalJSON writes all that is known of a comparison.
func (c Comparison) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Ratio   Estimate `json:"ratio"`
		Verdict Verdict  `json:"verdict"`
		Differs float64  `json:"p_differs"`
		Equal   float64  `json:"p_equivalent"`
		Half    float64  `json:"half_width"`
		Needs   int      `json:"processes_to_decide,omitzero"`
		Finds   float64  `json:"detectable"`
	}{c.Ratio, c.Verdict, c.Differs, c.Equal, c.Half(), c.Needs(), c.Finds()})
}

// Half is the half-width of the interval as a part of the ratio, 0.02 for ±2 %; 0 without an interval.
func (c *Comparison) Half() float64 {
	if !c.Ratio.Bounded() {
		return 0
	}
	return math.Sqrt(c.Ratio.High/c.Ratio.Low) - 1
}

// Needs is the number of processes (of each side, if unpaired) that would decide with a probability of 80
// % if the ratio and the variance are as observed. It is 0 if there is a verdict or it was withheld, if no
// variance was observed and if 10,000 would not do.
func (c *Comparison) Needs() int {
	if c.Verdict != Inconclusive || c.withheld || !c.Ratio.Bounded() {
		return 0
	}
	return c.toDecide(c.delta, c.band, c.level)
}

// Finds is the smallest difference of a ratio from 1 that as many processes show at 5 % with a probability
// of 80 %, at the variance observed; 0 without an interval. See [Detectable].
func (c *Comparison) Finds() float64 {
	if !c.Ratio.Bounded() {
		return 0
	}
	return math.Expm1(c.detectable(c.n))
}

// Inverse is the comparison of den with num: the same tests, seen from the other side.
func (c *Comparison) Inverse() Comparison {
	out := *c
	out.delta = -c.delta
	if r := c.Ratio; r.N > 0 {
		out.Ratio.Center = 1 / r.Center
		if r.Bounded() {
			out.Ratio.Low, out.Ratio.High = 1/r.High, 1/r.Low
		}
	}
	switch c.Verdict {
	case Faster:
		out.Verdict = Slower
	case Slower:
		out.Verdict = Faster
	}
	return out
}

// Paired compares the cells of num with those of den, block by block as [Ratio] does, by t tests of the
// mean log ratio: whether it is 0, and by two one-sided tests whether it is outside of the band
// (Schuirmann 1987). A ratio is equivalent if its interval of 90 % lies inside of [1/(1+band), 1+band].
func Paired(num, den []Sample, band float64) Comparison {
	ratios := Quotients(num, den)
	logs, _ := logarithms(ratios) // none if one ratio has none
	if len(logs) < Fewest {
		return Comparison{Ratio: ofLogs(ratios), Verdict: Inconclusive, Differs: 1, Equal: 1}
	}
	n := float64(len(logs))
	mean, variance := moments(logs.Values())
	c := contrast{mean, math.Sqrt(variance / n), n - 1, n, design{math.Sqrt(variance), 1}}
	return compared(c, len(logs), band)
}

// Unpaired is [Paired] for cells that share no blocks, as those of two campaigns, by Welch's test: the
// variances may differ (Welch 1947). N is the number of processes of both sides together. What makes a
// campaign slower as a whole, such as a neighbour, is in the ratio and not in its interval.
func Unpaired(num, den []Sample, band float64) Comparison {
	above, _ := logarithms(sums(num)) // none if one cost has none
	below, _ := logarithms(sums(den))
	if len(above) == 0 || len(below) == 0 {
		return Comparison{Verdict: Inconclusive, Differs: 1, Equal: 1}
	}
	n, m := float64(len(above)), float64(len(below))
	a, va := moments(above.Values())
	b, vb := moments(below.Values())
	if min(len(above), len(below)) < Fewest {
		ratio := exponential(open(a-b, len(above)+len(below)))
		return Comparison{Ratio: ratio, Verdict: Inconclusive, Differs: 1, Equal: 1}
	}

	sa, sb := va/n, vb/m
	c := contrast{a - b, math.Sqrt(sa + sb), n + m - 2, 2 / (1/n + 1/m), design{math.Sqrt(va + vb), 2}}
	if sa+sb > 0 {
		c.df = (sa + sb) * (sa + sb) / (sa*sa/(n-1) + sb*sb/(m-1))
		c.degrees = (va + vb) * (va + vb) / (va*va + vb*vb)
	}
	return compared(c, len(above)+len(below), band)
}

func compared(c contrast, n int, band float64) Comparison {
	half := tQuantile(1-alpha/2, c.df) * c.se
	out := Comparison{contrast: c, band: math.Log1p(band)}
	out.Ratio = exponential(Estimate{c.delta, c.delta - half, c.delta + half, n})
	out.Differs = min(1, 2*tTail(over(math.Abs(c.delta), c.se), c.df))
	out.Equal = tTail(over(out.band-math.Abs(c.delta), c.se), c.df) // the larger of the two
	out.judge(alpha)
	return out
}

// over is a quotient that is 0, not undefined, for 0 over 0.
func over(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// Withhold makes the verdict inconclusive whatever the tests say, for a reason that they do not know and that
// more processes would not remove.
func (c *Comparison) Withhold() { c.Verdict, c.withheld = Inconclusive, true }

// judge derives the verdict from the p values. A further test is at a level.
func (c *Comparison) judge(level float64) {
	c.level = level
	switch {
	case c.Equal <= alpha:
		c.Verdict = Equivalent
	case c.Differs > alpha:
		c.Verdict = Inconclusive
	case c.delta < 0:
		c.Verdict = Faster
	default:
		c.Verdict = Slower
	}
}
