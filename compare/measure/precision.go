package measure

import (
	"slices"

	"canonscope/compare"
	"canonscope/compare/stats"
)

// mostRuns bounds the processes that a wanted precision may add.
const mostRuns = 100

// wanted is how many processes exchanges need, after so many, until the interval of each headline is as
// narrow as the plan wants. It at most doubles them, since the variance is an estimate.
func (c *campaign) wanted(exchanges []*exchange, runs int) int {
	if c.plan.Precision <= 0 {
		return runs
	}
	needs := runs
	for _, x := range exchanges {
		if e := c.headline(x); e.N > 0 {
			needs = max(needs, stats.Processes(e, c.plan.Precision))
		}
	}
	return max(runs, min(needs, 2*runs, mostRuns))
}

// headline is the cost of issue + verify of an exchange, or of all that is measured of it.
func (c *campaign) headline(x *exchange) stats.Estimate {
	var whole, all []stats.Sample
	for _, i := range c.measured(x) {
		r, s := &c.results[i], make(stats.Sample)
		for _, run := range r.Runs {
			s[run.Block] = run.CPU
		}
		all = append(all, s)
		if slices.Contains(compare.Whole, r.Cell.Operation) {
			whole = append(whole, s)
		}
	}
	if len(whole) == len(compare.Whole) {
		return stats.Sum(whole)
	}
	return stats.Sum(all)
}
