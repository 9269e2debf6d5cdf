package agree

import (
	"cmp"
	"context"
	"slices"

	"canonscope/canon"
)

// maxKinds is how many kinds of differences Random reduces; it only counts further ones.
const maxKinds = 64

// Random compares the engines on n random inputs of a seed and adds one reduced input of each kind of
// difference to the report, the most frequent first. Note, if it is not nil, gets the progress.
func (c *Comparer) Random(
	ctx context.Context, r *Report, seed, n uint64, method canon.Method, note func(inputs, kinds int),
) error {
	type found struct {
		in    *Input
		row   *Row
		times int
	}
	var kinds []*found
	known := map[string]*found{}
	for i := range n {
		in := Generate(seed, i, method)
		row, err := c.Add(ctx, in)
		if err != nil {
			return err
		}
		r.Count(row)
		if note != nil {
			note(int(i)+1, len(kinds))
		}
		if row.quiet() {
			continue
		}
		f := known[row.kind()]
		if f == nil {
			f = &found{in: in, row: row}
			known[row.kind()] = f
			kinds = append(kinds, f)
		}
		f.times++
	}

	slices.SortStableFunc(kinds, func(a, b *found) int { return cmp.Compare(b.times, a.times) })
	for i, f := range kinds {
		if i < maxKinds {
			in, row, err := c.Reduce(ctx, f.in, f.row)
			if err != nil {
				return err
			}
			f.in, f.row = in, row
		}
		f.row.Times, f.row.Document = f.times, string(f.in.Doc)
		r.Rows = append(r.Rows, *f.row)
	}
	return nil
}
