package stats

import "math"

// Part is a part of a cost: the share that so many samples of a profile give it.
type Part struct {
	Cost    []Sample // of cells, which are summed up
	Share   float64
	Samples float64 // of the profile in all; see [Effective]
}

// moments returns the logarithm of a part and its variance, that of the processes and that of the count
// (binomial, by the delta method). The profile was one process more, whose shares are taken to vary as the
// cost does, so the variance of one process is added to that of the mean.
func (p Part) moments() (log, processes, counted, n float64, ok bool) {
	logs, _ := logarithms(sums(p.Cost))
	if len(logs) < Fewest || !(p.Share > 0) || !(p.Samples > 0) {
		return 0, 0, 0, 0, false
	}
	n = float64(len(logs))
	mean, variance := moments(logs.Values())
	counted = max(0, 1-p.Share) / (p.Share * p.Samples)
	return mean + math.Log(p.Share), variance * (1 + 1/n), counted, n, true
}

// Estimate is the cost of a part with its interval.
func (p Part) Estimate() Estimate {
	log, processes, counted, n, ok := p.moments()
	if !ok {
		mean := Sum(p.Cost)
		if mean.N == 0 {
			return Estimate{}
		}
		return open(mean.Center*p.Share, mean.N)
	}
	half := tQuantile(1-alpha/2, n-1) * math.Sqrt(processes+counted)
	return exponential(Estimate{log, log - half, log + half, int(n)})
}

// Parts is [Unpaired] for parts of two costs. The variances are those of the processes and of the counts; the
// degrees of freedom are Welch's, the counts having none to lose. N is the number of processes of both sides;
// what more of them would find assumes that the profiles get longer with their number.
func Parts(num, den Part, band float64) Comparison {
	a, va, ca, n, ok := num.moments()
	b, vb, cb, m, also := den.moments()
	if !ok || !also {
		return Comparison{Verdict: Inconclusive, Differs: 1, Equal: 1}
	}
	variance := va + vb + ca + cb
	c := contrast{a - b, math.Sqrt(variance), mostProcesses + 1, 2 / (1/n + 1/m), design{}}
	if va+vb > 0 {
		c.df = variance * variance / (va*va/(n-1) + vb*vb/(m-1))
	}
	c.design = design{math.Sqrt(variance * c.n), c.df / (c.n - 1)}
	return compared(c, int(n+m), band)
}

// Index is the geometric mean of several costs in each block that has all of them.
func Index(costs []Sample) Sample {
	return joined(costs, func(values []float64) (float64, bool) {
		log, all := 0.0, true
		for _, v := range values {
			log, all = log+math.Log(v), all && v > 0
		}
		return math.Exp(log / float64(len(values))), all
	})
}

// Over divides a cost by an index, such as that of work which is the same in any campaign, in each block that
// has both. What makes a block slower as a whole cancels.
func Over(cost, index Sample) Sample { return Quotients([]Sample{cost}, []Sample{index}) }
