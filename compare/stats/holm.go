package stats

import (
	"cmp"
	"slices"
)

// Holm returns p values adjusted for their number, in the order given (Holm 1979): rejecting those of at
// most 5 % makes a false rejection among all of them in at most 5 % of tables.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	out, least := make([]float64, len(p)), 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		out[i] = least
	}
	return out
}

// Correct allows for the number of comparisons in a table. Tests of differences are one family, those of
// equivalence another, so each kind of verdict is false anywhere in at most 5 % of tables. Comparisons
// without an interval were no tests and do not count.
func Correct(table []*Comparison) {
	var tested []*Comparison
	var differs, equal []float64
	for _, c := range table {
		if c.Ratio.Bounded() {
			tested = append(tested, c)
			differs, equal = append(differs, c.Differs), append(equal, c.Equal)
		}
	}
	differs, equal = Holm(differs), Holm(equal)
	undecided := 0
	for i, c := range tested {
		c.Differs, c.Equal = differs[i], equal[i]
		if c.Differs > alpha && c.Equal > alpha {
			undecided++
		}
	}
	for _, c := range tested {
		c.judge(alpha / float64(max(1, undecided))) // what Holm asks of the best of them
	}
}
