package profiles

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
)

// PerOperation is the type of the samples that [Operations] adds: CPU nanoseconds of one operation.
const PerOperation = "cpu/op"

// Operations makes profiles of different lengths and samplers comparable, also by "go tool pprof -diff_base":
// it adds the sample type PerOperation, the default of the file, and cuts the frames of the harness and the
// command from the stacks of the operation, so that those of two profiles are alike. The samples of the
// harness, which are background without a phase, cost no operation. The others share cost, the CPU
// nanoseconds of an operation as it was timed without a sampler, which slows the work.
//
// Equal stacks are merged before the nanoseconds are rounded, and what rounding leaves goes to the largest
// remainders: the sum is exact to a nanosecond.
func Operations(p *profile.Profile, r Rules, cost float64) error {
	vi := valueIndex(p)
	switch {
	case vi < 0 || p.SampleType[vi].Type != "cpu":
		return errNoProfile
	case isPerOperation(p):
		return fmt.Errorf("the profile has %s already", PerOperation)
	case !(cost >= 0):
		return fmt.Errorf("a profile of operations of %v ns", cost)
	}

	c := r.classifier()
	cut := &cutter{profile: p, parts: map[part]*profile.Location{}}
	var buf []string
	var own []*profile.Sample // of the operation
	for _, s := range p.Sample {
		buf = stack(s, buf)
		if c.foreground(s, buf) {
			cut.sample(s, c.cutHarness(buf))
			own = append(own, s)
		} else if c.phaseOf(buf) != phase.Unattributed {
			own = append(own, s)
		}
	}

	p.SampleType = append(p.SampleType, &profile.ValueType{Type: PerOperation, Unit: "nanoseconds"})
	p.DefaultSampleType = PerOperation
	p.Sample = merged(p.Sample, own)
	divide(p.Sample, vi, cost)
	*p = *p.Compact()
	return nil
}

// isPerOperation reports whether Operations has changed a profile.
func isPerOperation(p *profile.Profile) bool {
	return slices.ContainsFunc(p.SampleType, func(t *profile.ValueType) bool {
		return t.Type == PerOperation
	})
}

// cutter makes the locations that are left of others.
type cutter struct {
	profile *profile.Profile
	parts   map[part]*profile.Location
}

// part is the first lines of a location, the innermost calls.
type part struct {
	of    *profile.Location // nil for the mark of a cut stack
	lines int
}

// sample keeps the frames of a sample that are in a stack, the leaf first, which may end with cutFrame.
func (c *cutter) sample(s *profile.Sample, keep []string) {
	left, mark := len(keep), false
	if left > 0 && keep[left-1] == cutFrame {
		left, mark = left-1, true
	}
	var out []*profile.Location
	for _, l := range s.Location {
		switch n := len(l.Line); {
		case left >= n:
			out = append(out, l)
			left -= n
		case left > 0:
			out = append(out, c.location(part{l, left}))
			left = 0
		}
	}
	if mark {
		out = append(out, c.location(part{}))
	}
	s.Location = out
}

func (c *cutter) location(of part) *profile.Location {
	if l := c.parts[of]; l != nil {
		return l
	}
	l := &profile.Location{ID: uint64(len(c.profile.Location) + 1)}
	if of.of != nil {
		l.Mapping, l.Address, l.Line = of.of.Mapping, of.of.Address, of.of.Line[:of.lines]
	} else {
		f := &profile.Function{ID: uint64(len(c.profile.Function) + 1), Name: cutFrame, SystemName: cutFrame}
		c.profile.Function = append(c.profile.Function, f)
		l.Line = []profile.Line{{Function: f}}
	}
	for _, other := range c.profile.Location {
		l.ID = max(l.ID, other.ID+1)
	}
	c.profile.Location = append(c.profile.Location, l)
	c.parts[of] = l
	return l
}

// merged adds up samples of equal stacks and labels. The last value of each is the first one of the samples
// in own, else -1: whether it has a part in operations.
func merged(all, own []*profile.Sample) []*profile.Sample {
	in := make(map[*profile.Sample]bool)
	for _, s := range own {
		in[s] = true
	}
	index := make(map[string]*profile.Sample)
	var out []*profile.Sample
	for _, s := range all {
		share := int64(-1)
		if in[s] {
			share = 0
		}
		key := fmt.Append(nil, share, s.Label, s.NumLabel)
		for _, l := range s.Location {
			key = fmt.Appendf(key, " %d", l.ID)
		}
		if same := index[string(key)]; same != nil {
			for i, v := range s.Value {
				same.Value[i] += v
			}
			continue
		}
		s.Value = append(slices.Clip(s.Value), share)
		index[string(key)] = s
		out = append(out, s)
	}
	return out
}

// divide sets the last value of samples, but of those where it is negative, which become 0, to their part of
// cost by value vi.
func divide(samples []*profile.Sample, vi int, cost float64) {
	type part struct {
		of   *int64
		left float64 // after rounding down
	}
	var parts []part
	total := 0.0
	for _, s := range samples {
		if s.Value[len(s.Value)-1] >= 0 {
			total += float64(s.Value[vi])
		}
	}

	left := math.Round(cost)
	for _, s := range samples {
		last := &s.Value[len(s.Value)-1]
		if *last < 0 || total == 0 {
			*last = 0
			continue
		}
		whole, rest := math.Modf(cost * (float64(s.Value[vi]) / total))
		*last = int64(whole)
		left -= whole
		parts = append(parts, part{last, rest})
	}

	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.left, a.left) })
	for _, p := range parts[:min(len(parts), max(0, int(left)))] {
		*p.of++
	}
}
