package measure

import (
	"errors"
	"math"
	"testing"
	"time"

	"canonscope/compare"
)

// machine is a clock that runs as operations do: each costs so much, and after so many the collector does its
// part.
type machine struct {
	op, collection time.Duration
	every          int // operations between two collections; 0 is none
	mark
}

const (
	us = time.Microsecond
	ms = time.Millisecond
)

func cycles(op, collection time.Duration, every int) machine {
	return machine{op: op, collection: collection, every: every}
}

func (m *machine) do(n int) error {
	for range n {
		m.ops++
		m.cpu += int64(m.op)
		if m.every > 0 && m.ops%m.every == 0 {
			m.cpu += int64(m.collection)
			m.collections++
		}
	}
	return nil
}

func (m *machine) look() mark { return m.mark }

// near knows when the next collection comes.
func (m *machine) near(elapsed, most time.Duration) bool {
	return m.every > 0 && time.Duration(m.every-m.ops%m.every)*m.op <= most-elapsed
}

// A window gives what an operation costs with its part of the collector, wherever between two collections it
// begins, and has as many collections and as much time as it was to have; where collections are rare it says
// so.
func TestWindow(t *testing.T) {
	w := compare.Window{Collections: 2, Least: 0.05, Most: 0.2}
	for name, c := range map[string]struct {
		machine
		ending compare.Ending
		least  int // collections
		within float64
	}{
		"many collections":       {cycles(30*us, 400*us, 100), compare.Collections, 10, 0.01},
		"one in 20 ms":           {cycles(5*us, 2*ms, 4000), compare.Collections, 2, 0.005},
		"one in 70 ms":           {cycles(5*us, 7*ms, 14000), compare.Rare, 1, 0.01},
		"one in 150 ms":          {cycles(5*us, ms, 30000), compare.Rare, 0, 0.01},
		"one in 10 s":            {cycles(40*us, ms, 250000), compare.Rare, 0, 0.01},
		"none":                   {cycles(40*us, 0, 0), compare.Rare, 0, 1e-9},
		"several in a slow one":  {cycles(20*ms, 5*ms, 1), compare.Collections, 2, 1e-9},
		"one in two slow ones":   {cycles(20*ms, 5*ms, 2), compare.Collections, 2, 1e-9},
		"one that takes seconds": {cycles(3000*ms, 0, 0), compare.Rare, 0, 1e-9},
	} {
		for phase := range 10 {
			m := c.machine
			if m.every > 0 {
				m.ops = phase * m.every / 10
			}
			begun := m.ops
			b := newBatches(m.do, m.look)
			from, to, ending, err := window(w, b, m.near)
			if err != nil {
				t.Fatal(err)
			}
			want := float64(m.op)
			if m.every > 0 {
				want += float64(m.collection) / float64(m.every)
			}
			got := float64(to.since(from)) / float64(to.ops-from.ops)
			if !(math.Abs(got/want-1) <= c.within) {
				t.Errorf("%s, from operation %d: %.0f ns an operation, want %.0f", name, begun, got, want)
			}
			n := to.collections - from.collections
			if n < c.least || ending != c.ending && name != "one in 70 ms" {
				t.Errorf("%s, from operation %d: %d collections, ends for %s", name, begun, n, ending)
			}
			took, most := b.here.since(mark{}), seconds(w.Most)+m.op+m.collection+2*batchTime
			if to.since(from) < seconds(w.Least) || took > most {
				t.Errorf("%s, from operation %d: a window of %v in %v", name, begun, to.since(from), took)
			}
		}
	}
}

// Where the first batch has all collections that a window needs, it begins with the batch.
func TestWindowOfSlowOperations(t *testing.T) {
	for collections, begins := range map[int]bool{1: true, 2: false} {
		m := cycles(20*ms, 5*ms, 1)
		from, _, _, err := window(compare.Window{Collections: collections, Least: 0.01, Most: 10},
			newBatches(m.do, m.look), m.near)
		if err != nil || (from.ops == 0) != begins {
			t.Errorf("%d collections: from operation %d, %v", collections, from.ops, err)
		}
	}
}

// A number of operations replaces the window.
func TestWindowOfOperations(t *testing.T) {
	m := cycles(us, time.Second, 50)
	w := compare.Window{N: 120, Collections: 9, Least: 1, Most: 2}
	from, to, ending, err := window(w, newBatches(m.do, m.look), m.near)
	if err != nil || to.ops-from.ops != 120 || ending != compare.Counted || to.collections != 2 {
		t.Errorf("%+v to %+v, ends for %s, %v", from, to, ending, err)
	}
}

// An operation that fails ends the window.
func TestWindowFails(t *testing.T) {
	m := cycles(ms, 0, 0)
	failed := errors.New("no key")
	for _, w := range []compare.Window{{N: 100}, DefaultWindow} {
		b := newBatches(func(n int) error {
			if m.ops > 20 {
				return failed
			}
			return m.do(n)
		}, m.look)
		if _, _, _, err := window(w, b, m.near); err != failed {
			t.Error(err)
		}
	}
}
