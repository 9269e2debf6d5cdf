package measure

import (
	"time"

	"canonscope/compare"
)

// Progress reports the progress of a campaign, with one call for each job.
type Progress func(Step)

// Step is a job that begins.
type Step struct {
	Stage       string // gate, time, single operations, profile, allocations
	Part        string // of the stage, such as run 2 of 5
	Done, Total int    // jobs of the part
	Cell        string
	Elapsed     time.Duration // since the campaign began
	Left        time.Duration // until it ends, roughly; 0 is not known
}

// say reports a step, after which the campaign should take so long.
func (c *campaign) say(s Step, left time.Duration) {
	if c.progress == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Elapsed, s.Left = c.elapsed(), left
	if c.plan.Budget > 0 && !c.plan.Keep {
		s.Left = min(left, max(c.left(), time.Second))
	}
	c.progress(s)
}

// timing is how long the processes of blocks from one on, and the passes after them, should take.
func (c *campaign) timing(exchanges []*exchange, block int) (left time.Duration) {
	for _, x := range exchanges {
		for b := block; b < c.plan.Runs; b++ {
			if x.block < b && c.past.take(&Job{Kind: Time, Cell: x.id, Block: b}) == nil {
				left += c.expected(x)
			}
		}
	}
	return left + c.passing(Raw, c.order) + c.passing(Profile, c.order) + c.passing(Allocs, c.order)
}

// passing is how long a pass of exchanges should take.
func (c *campaign) passing(kind Kind, exchanges []*exchange) (left time.Duration) {
	for _, x := range exchanges {
		n := time.Duration(len(c.open(x)))
		if n == 0 || c.past.take(&Job{Kind: kind, Cell: x.id}) != nil {
			continue
		}
		switch {
		case kind == Raw && c.plan.Raw:
			left += x.start + n*rawTime
		case kind == Allocs && c.plan.Allocs:
			left += n * (x.start + allocTime) / time.Duration(workers())
		case kind == Profile && c.plan.Profile > 0:
			left += x.start + n*(seconds(c.plan.Profile)+c.profilerStop())
		case kind == Profile && c.plan.Profile < 0 && !c.unphased(x):
			left += x.start + n*c.profilerStop() + seconds(max(c.least(), defaultProfile*float64(n)))
		}
	}
	return left
}

// Estimate is roughly how long a campaign without a budget takes, before its gates know more: as if an
// operation were short beside its window.
func (p *Plan) Estimate() time.Duration {
	const start = 300 * time.Millisecond // until a child times; a gate takes about two of them
	exchanges := make(map[string][]time.Duration)
	for _, cell := range p.Cells {
		x := cell.Exchange().ID()
		exchanges[x] = append(exchanges[x], time.Millisecond)
	}
	w := compare.Window{N: p.Window.N, Least: (p.Window.Least + p.Window.Most) / 4}
	var total time.Duration
	for _, operations := range exchanges {
		n := time.Duration(len(operations))
		total += 2*start + time.Duration(p.Runs)*expected(w, start, operations)
		if p.Raw {
			total += start + n*rawTime
		}
		if p.Profile != 0 {
			total += start + n*(seconds(max(p.Profile, perfProfile))+perfStop)
		}
		if p.Allocs {
			total += n * (start + allocTime) / time.Duration(workers())
		}
	}
	return total
}
