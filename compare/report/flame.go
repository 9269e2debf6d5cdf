package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

			// The error of the counts, from how often the test finds it as large.
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

// CellError says that a name is not that of one cell with a profile.
type CellError struct {
	Name  string
	Found []string // cells that it may be, by their words
	All   []string // cells with a profile
}

func (e *CellError) Error() string {
	const most = 8
	list := func(names []string) string {
		text := strings.Join(names[:min(most, len(names))], "; ")
		if more := len(names) - most; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		return text
	}
	switch {
	case len(e.All) == 0:
		return "there is no profile in it"
	case e.Name == "":
		return fmt.Sprintf("it has %d profiles; name one with FOLDER:CELL: %s", len(e.All), list(e.All))
	case len(e.Found) == 0:
		return fmt.Sprintf("there is no cell %q; those with a profile: %s", e.Name, list(e.All))
	}
	return fmt.Sprintf("%q is the name of %d cells; add words: %s", e.Name, len(e.Found), list(e.Found))
}

// Profiled finds the cell with a profile that has an id, or the only one whose values have all words of a
// name; "" is the only cell of all. It fails with a *[CellError].
func Profiled(c *compare.Campaign, name string) (*compare.Result, error) {
	e := &CellError{Name: name}
	var found *compare.Result
	for i := range c.Results {
		r := &c.Results[i]
		if r.Profile == nil || r.Profile.Pprof == "" {
			continue
		}
		if r.ID == name {
			return r, nil
		}
		e.All = append(e.All, Short(r.ID))
		if named(r, name) {
			found = r
			e.Found = append(e.Found, Short(r.ID))
		}
	}
	if len(e.Found) != 1 {
		return nil, e
	}
	return found, nil
}

// named reports whether a cell has all words of a name.
func named(r *compare.Result, name string) bool {
	values := strings.Fields(Short(r.ID))
	for part := range strings.SplitSeq(r.ID, "/") {
		_, value, _ := strings.Cut(part, "=")
		values = append(values, value, part)
	}
	return !slices.ContainsFunc(strings.Fields(name), func(word string) bool {
		return !slices.Contains(values, word)
	})
}
