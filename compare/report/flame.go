package report

import (
	"math"

	"canonscope/compare"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// CPU is what an operation costs, as the table has it: nanoseconds of process CPU.
func CPU(r *compare.Result) stats.Estimate { return stats.Mean(cpuOf(r)) }

const (
	normal      = 1.959964 // quantile of the normal distribution for a 95 % interval
	familyLevel = 0.05

	// assumed is the standard error of a cost that too few processes measured for an interval, as a part of
	// it: processes of one cell differ by about as much on a machine that does other work.
	assumed = 0.03
)

// JudgeFrames judges the frames of two profiles whose operations cost before and after. Each is tested by
// its counts, and by how well the costs are known, since every frame grows with its operation; the family is
// tested at 5 % (Holm).
func JudgeFrames(before, after stats.Estimate) profiles.Judge {
	was, is := standardError(before), standardError(after)
	return func(family []*profiles.Change) {
		p := make([]float64, len(family))
		for i, c := range family {
			a, b := stats.Count(c.Before), stats.Count(c.After)
			e, counts := stats.CountedDifference(a, b)

			// The error of the counts, of which the test says how often it is as large.
			sd := (e.High - e.Low) / 2 / normal
			if z := math.Sqrt2 * math.Erfcinv(counts); z > 0 && !math.IsInf(z, 1) {
				sd = math.Abs(e.Center) / z
			}
			costs := math.Hypot(was*share(a), is*share(b))
			c.Low = e.Center - math.Hypot(e.Center-e.Low, normal*costs)
			c.High = e.Center + math.Hypot(e.High-e.Center, normal*costs)
			p[i] = 1
			if both := math.Hypot(sd, costs); both > 0 && counts < 1 {
				p[i] = math.Erfc(math.Abs(e.Center) / both / math.Sqrt2)
			}
		}

		for i, adjusted := range stats.Holm(p) {
			family[i].Real = adjusted <= familyLevel
		}
	}
}

func share(c stats.Count) float64 { return float64(c.Samples) / float64(max(1, c.Of)) }

func standardError(e stats.Estimate) float64 {
	if e.Bounded() {
		return (e.High - e.Low) / 2 / normal
	}
	return assumed * e.Center
}
