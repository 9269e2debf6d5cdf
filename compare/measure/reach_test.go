package measure

import (
	"fmt"
	"testing"
	"time"

	"canonscope/compare"
)

// Groups at the end have no more processes where all cannot have three; the first has as many as fit. A group
// has all tiers of a schema and algorithm.
func TestReach(t *testing.T) {
	c := &campaign{plan: Plan{Runs: 5}}
	for _, schema := range []string{"small", "large"} {
		for _, engine := range []compare.Engine{"stock", "native"} {
			cell := compare.Cell{Schema: schema, Engine: engine, Operation: compare.Issue}
			c.order = append(c.order, &exchange{cells: []int{len(c.results)}, gated: &Gated{}, took: 4 * time.Second})
			c.results = append(c.results, compare.Result{Cell: cell, State: compare.Measured})
		}
	}
	for _, test := range []struct {
		block int
		left  time.Duration
		want  int
	}{
		{1, 26 * time.Second, 2}, // two processes of all, with some lenience
		{1, 25 * time.Second, 1},
		{1, 7 * time.Second, 1}, // one process of the first
		{1, 6 * time.Second, 0},
		{2, 13 * time.Second, 2}, // the third
		{4, 13 * time.Second, 2}, // more than three
		{4, 12 * time.Second, 1},
		{4, -time.Second, 0},
	} {
		t.Run(fmt.Sprint(test.block, test.left), func(t *testing.T) {
			if got := c.reach(c.groups(), test.block, test.left); got != test.want {
				t.Errorf("%d groups, want %d", got, test.want)
			}
		})
	}
	c.results[3].State = compare.Failed
	if got := c.reach(c.groups(), 2, 10*time.Second); got != 2 {
		t.Errorf("a failed exchange takes time: %d groups", got)
	}
}
