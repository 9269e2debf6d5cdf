package measure

import (
	"fmt"
	"testing"
	"time"

	"canonscope/compare"
)

// Groups of the first schema have no more processes where they cannot have three, and the first of them has as
// many as fit. Groups of another one have a process where all that they and the first schema have from then on
// fit. A group has all tiers of a schema and algorithm.
func TestReach(t *testing.T) {
	c := &campaign{plan: Plan{Runs: 5}}
	for _, group := range []compare.Cell{{Schema: "small", Algorithm: "x"}, {Schema: "small", Algorithm: "y"}, {Schema: "large"}} {
		for _, engine := range []compare.Engine{"stock", "native"} {
			group.Engine, group.Operation = engine, compare.Issue
			c.order = append(c.order, &exchange{cells: []int{len(c.results)}, gated: &Gated{}, took: 2 * time.Second})
			c.results = append(c.results, compare.Result{Cell: group, State: compare.Measured})
		}
	}
	for _, test := range []struct {
		block int
		left  time.Duration
		want  int
	}{
		{0, 52 * time.Second, 3}, // five of all, with some lenience for the first schema
		{0, 51 * time.Second, 2},
		{0, time.Second, 2},      // those of the first schema have one
		{1, 42 * time.Second, 3}, // four more of all
		{1, 41 * time.Second, 2},
		{1, 13 * time.Second, 2}, // two of both
		{1, 12 * time.Second, 1},
		{1, 4 * time.Second, 1}, // one of the first
		{1, 3 * time.Second, 0},
		{2, 7 * time.Second, 2},  // the third
		{4, 11 * time.Second, 3}, // the large one comes in
		{4, 10 * time.Second, 2}, // more than three
		{4, 6 * time.Second, 1},
		{4, -time.Second, 0},
	} {
		t.Run(fmt.Sprint(test.block, test.left), func(t *testing.T) {
			if got := c.reach(c.groups(), test.block, test.left); got != test.want {
				t.Errorf("%d groups, want %d", got, test.want)
			}
		})
	}
	c.results[5].State = compare.Failed
	if got := c.reach(c.groups(), 4, 10*time.Second); got != 3 {
		t.Errorf("a failed exchange takes time: %d groups", got)
	}
}
