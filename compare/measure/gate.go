package measure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"canonscope/compare"
)

// gate checks document i from end to end and returns what its operations made and counted: canonical form against the
// oracle if check is set, verify accepts what was presented and, if tamper is set, refuses every altered copy of it.
func (d *drawn) gate(ctx context.Context, i int, check, tamper bool) (*gated, error) {
	c, x := d.credentials[i], d.exchanges[i]
	g := &gated{reissued: x.Reissued, checks: x.Checks}
	if d.bench.Guard != nil {
		if err := d.bench.Guard(ctx, c); err != nil {
			return nil, fmt.Errorf("canonical form: %w", err)
		}
	}
	if d.bench.Check != nil && check {
		start := time.Now()
		form, err := d.bench.Check(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("canonical form: %w", err)
		}
		g.form, g.checking = form, time.Since(start)
	}
	var err error
	if err = g.count(x, compare.Issue, func() (err error) { g.issued, err = x.Issue(); return }); err != nil {
		return nil, fmt.Errorf("issue: %w", err)
	}
	if err = g.count(x, compare.Present, func() (err error) { g.presented, err = x.Present(g.issued); return }); err != nil {
		return nil, fmt.Errorf("present: %w", err)
	}
	if err = g.count(x, compare.Verify, func() error { return x.Verify(g.presented) }); err != nil {
		return nil, fmt.Errorf("verify refuses what was presented: %w", err)
	}
	if !tamper {
		return g, nil
	}
	altered, err := d.bench.Tamper(c, g.presented)
	if err != nil {
		return nil, fmt.Errorf("alter the presentation: %w", err)
	}
	if len(altered) == 0 {
		return nil, errors.New("no altered presentation to refuse")
	}
	for _, t := range altered {
		if bytes.Equal(t.Bytes, g.presented) {
			return nil, fmt.Errorf("altering %s changes nothing", t.What)
		}
		if x.Verify(t.Bytes) == nil {
			return nil, fmt.Errorf("verify accepts a presentation with %s altered", t.What)
		}
	}
	g.tampers = len(altered)
	return g, nil
}

// gated is what one document's gate saw.
type gated struct {
	issued, presented []byte
	counters          map[compare.Operation]compare.Counters
	cpu               map[compare.Operation]int64 // nanoseconds, of one operation
	form              Form
	checking          time.Duration // what the comparison took
	reissued          bool
	checks            string
	tampers           int
}

func (g *gated) count(x *compare.Exchange, op compare.Operation, f func() error) error {
	if g.counters == nil {
		g.counters = make(map[compare.Operation]compare.Counters)
		g.cpu = make(map[compare.Operation]int64)
	}
	before, start := *x.Counters, time.Now()
	err := f()
	g.cpu[op] = int64(time.Since(start))
	g.counters[op] = x.Counters.Since(before)
	return err
}

const (
	// tamperEvery is the distance between documents whose presentations are altered: documents are of one shape.
	tamperEvery = 8
	// Of documents whose forms take long to compare, those after compareFor are compared at the distance compareEvery: an
	// oracle may take a thousand times as long as the engine it speaks for.
	compareFor   = 2 * time.Second
	compareEvery = 16
)

// gateAll gates every document, a few at a time, and sums up what a campaign needs to know.
func (d *drawn) gateAll(ctx context.Context) (*Gated, error) {
	out := &Gated{Drawn: d.hashes, Work: make(map[compare.Operation]compare.Work)}
	all := make([]*gated, len(d.credentials))
	var mu sync.Mutex // guards what follows
	var comparing time.Duration
	compared := 0
	var failed error
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	parallel(limited, len(all), func(i int) {
		mu.Lock()
		check := comparing < compareFor || i%compareEvery == 0
		mu.Unlock()
		g, err := d.gate(limited, i, check, i%tamperEvery == 0)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil && failed == nil:
			failed = d.at(i, err)
			cancel()
		case err == nil && check && d.bench.Check != nil:
			comparing += g.checking
			compared++
		}
		all[i] = g
	})
	if err := cmp.Or(failed, ctx.Err()); err != nil {
		return nil, err
	}
	var issued, presented [][]byte
	for _, g := range all {
		issued, presented = append(issued, g.issued), append(presented, g.presented)
	}
	for _, op := range compare.Operations {
		w := compare.Work{Counters: all[0].counters[op], Quads: all[0].form.Quads, Oracle: all[0].form.Oracle,
			Compared: compared, Reissued: all[0].reissued,
			Whole:  !all[0].reissued && bytes.Equal(all[0].issued, all[0].presented),
			Checks: all[0].checks, Documents: len(all)}
		var size []int
		var cpu []int64
		for i, g := range all {
			if g.counters[op] != w.Counters {
				return nil, fmt.Errorf("document %d: %s counts %+v, document 0 counts %+v: not one shape", i, op, g.counters[op], w.Counters)
			}
			w.Tampers += g.tampers
			cpu = append(cpu, g.cpu[op])
			switch op {
			case compare.Issue:
				size = append(size, len(g.issued))
			case compare.Present:
				size = append(size, len(g.presented))
			}
		}
		w.Output, w.Estimate = median(size), median(cpu)
		out.Work[op] = w
	}
	out.Inputs = map[compare.Operation][]byte{compare.Present: pack(issued), compare.Verify: pack(presented)}
	return out, nil
}
