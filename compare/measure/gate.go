package measure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/schemas"
)

// gate checks document i from end to end and returns what its operations made and counted: canonical form
// against the oracle if check is set, verify accepts what was presented and, if tamper is set, another
// engine accepts it too and verify refuses every altered copy of it.
func (d *drawn) gate(ctx context.Context, i int, check, tamper bool) (*gated, error) {
	c, x := d.credentials[i], d.exchanges[i]
	g := &gated{reissued: x.Reissued, checks: x.Checks, out: make(map[compare.Operation][]byte)}
	if x.Canonizes {
		// The engine runs first: if it ends at a limit, the comparison, which may take as long, is not
		// needed.
		if err := d.canonize(g, x); err != nil {
			return nil, err
		}
	}

	if d.bench.Guard != nil {
		if err := d.bench.Guard(ctx, c); err != nil {
			return nil, fmt.Errorf("canonical form: %w", err)
		}
	}

	if d.bench.Check != nil && check {
		start := time.Now()
		form, err := d.bench.Check(ctx, c, g.out[compare.Canonize])
		if err != nil {
			return nil, fmt.Errorf("canonical form: %w", err)
		}
		g.form, g.checking = form, time.Since(start)
	}

	if x.Canonizes {
		return g, nil
	}
	if err := g.exchange(x); err != nil {
		return nil, err
	}
	if !tamper {
		return g, nil
	}

	start := time.Now()
	if d.bench.Second != nil && check && g.form.Alone == "" {
		if err := d.second(c, g); err != nil {
			return nil, err
		}
		g.second = d.bench.SecondBy
	}

	if d.bench.Tamper == nil {
		return nil, errors.New("a Bench of credentials needs a Tamper")
	}

	presented := g.out[compare.Present]
	altered, err := d.bench.Tamper(c, presented)
	if err != nil {
		return nil, fmt.Errorf("alter the presentation: %w", err)
	}
	if len(altered) == 0 {
		return nil, errors.New("no altered presentation to refuse")
	}

	for _, t := range altered {
		if bytes.Equal(t.Bytes, presented) {
			return nil, fmt.Errorf("altering %s changes nothing", t.What)
		}
		if x.Verify(t.Bytes) == nil {
			return nil, fmt.Errorf("verify accepts a presentation with %s altered", t.What)
		}
	}

	g.tampers, g.tampering = len(altered), time.Since(start)
	return g, nil
}

// second checks that another engine verifies what was issued and presented.
func (d *drawn) second(c *schemas.Credential, g *gated) error {
	by := d.bench.SecondBy
	x, err := d.bench.Second.Prepare(c, d.scenario)
	if err != nil {
		return fmt.Errorf("engine %s: prepare: %w", by, err)
	}
	if err := x.Verify(g.whole); err != nil {
		return fmt.Errorf("engine %s refuses the whole credential: %w", by, err)
	}
	if err := x.Verify(g.out[compare.Present]); err != nil {
		return fmt.Errorf("engine %s refuses what was presented: %w", by, err)
	}
	return nil
}

// canonize makes the canonical form of a document. An engine that cannot be stopped is abandoned at the
// deadline: it runs on until the process ends soon after.
func (d *drawn) canonize(g *gated, x *compare.Exchange) error {
	done := make(chan error, 1)
	go func() {
		done <- g.count(x, compare.Canonize, func() (err error) {
			g.out[compare.Canonize], err = x.Canonize()
			return err
		})
	}()

	var end <-chan time.Time
	if d.deadline > 0 {
		end = time.After(d.deadline)
	}
	select {
	case err := <-done:
		if err == nil && len(g.out[compare.Canonize]) == 0 {
			err = errors.New("it is empty")
		}
		if err != nil {
			return fmt.Errorf("canonize: %w", err)
		}
		return nil
	case <-end:
		return fmt.Errorf("canonize: %w", &canon.LimitError{Limit: "time", Max: int64(d.deadline),
			Done: int64(d.deadline)})
	}
}

// gated is the result of the gate for one document.
type gated struct {
	out       map[compare.Operation][]byte // what the operations returned
	whole     []byte                       // what verify is given
	counters  map[compare.Operation]compare.Counters
	cpu       map[compare.Operation]int64 // nanoseconds, of one operation
	form      Form
	checking  time.Duration // what the comparison took
	reissued  bool
	checks    string
	second    string // engine that verified the credential too
	tampers   int
	tampering time.Duration // what they took
}

// exchange runs the operations of a credential.
func (g *gated) exchange(x *compare.Exchange) error {
	issue, present := compare.Issue, compare.Present
	err := g.count(x, issue, func() (err error) { g.out[issue], err = x.Issue(); return })
	if err != nil {
		return fmt.Errorf("issue: %w", err)
	}
	if g.whole, err = x.Whole(g.out[issue]); err != nil {
		return fmt.Errorf("disclose the whole: %w", err)
	}
	if err := g.count(x, compare.Verify, func() error { return x.Verify(g.whole) }); err != nil {
		return fmt.Errorf("verify refuses the whole credential: %w", err)
	}

	err = g.count(x, present, func() (err error) { g.out[present], err = x.Present(g.out[issue]); return })
	if err != nil {
		return fmt.Errorf("present: %w", err)
	}
	if err := g.count(x, compare.VerifyPresented,
		func() error { return x.Verify(g.out[present]) }); err != nil {
		return fmt.Errorf("verify refuses what was presented: %w", err)
	}
	return nil
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
	// tamperEvery is the distance between documents whose presentations are altered: documents are of one
	// shape.
	tamperEvery = 8
	// If comparing forms takes long, only every compareEvery-th document is compared after compareFor,
	// since an oracle may take a thousand times as long as the engine under test.
	compareFor   = time.Second / 2
	compareEvery = 16
	// The same holds for altered presentations, and what another engine verifies.
	tamperFor    = time.Second / 2
	tamperSeldom = 32
)

// gateAll gates every document, a few at a time, and summarizes what a campaign needs.
func (d *drawn) gateAll(ctx context.Context) (*Gated, error) {
	out := &Gated{Drawn: d.hashes, Work: make(map[compare.Operation]compare.Work)}
	all := make([]*gated, len(d.credentials))
	var mu sync.Mutex // guards what follows
	var comparing, tampering time.Duration
	compared := 0
	var failed error
	limited, cancel := context.WithCancel(ctx)
	defer cancel()

	width := workers()
	if d.bench.Elsewhere != nil { // it does one at a time, and a document that waits would reach its deadline
		width = 1
	}
	parallel(limited, width, len(all), func(i int) {
		mu.Lock()
		check := comparing < compareFor || i%compareEvery == 0
		tamper := i%tamperEvery == 0 && (tampering < tamperFor || i%tamperSeldom == 0)
		mu.Unlock()
		g, err := d.gate(limited, i, check, tamper)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil && failed == nil:
			failed = d.at(i, err)
			cancel()
		case err == nil && check && d.bench.Check != nil:
			comparing += g.checking
			if g.form.Oracle != "" {
				compared++
			}
		}
		if all[i] = g; g != nil {
			tampering += g.tampering
		}
	})

	if err := cmp.Or(failed, ctx.Err()); err != nil {
		return nil, err
	}

	var issued, whole, presented [][]byte
	for _, g := range all {
		issued, whole, presented = append(issued, g.out[compare.Issue]), append(whole,
			g.whole), append(presented, g.out[compare.Present])
	}

	for _, op := range compare.Operations {
		if _, done := all[0].counters[op]; !done {
			continue
		}
		w := compare.Work{Counters: all[0].counters[op], Quads: all[0].form.Quads, Compared: compared,
			Reissued: all[0].reissued,
			Whole:    !all[0].reissued && !d.exchanges[0].Canonizes && bytes.Equal(issued[0], presented[0]),
			Blank:    all[0].form.Blank, NDegree: all[0].form.NDegree,
			Checks: all[0].checks, Documents: distinct(d.hashes), Second: all[0].second}
		var size []int
		var cpu []int64
		for i, g := range all {
			if g.counters[op] != w.Counters {
				return nil, fmt.Errorf("document %d: %s counts %+v, document 0 counts %+v: not one shape", i,
					op, g.counters[op], w.Counters)
			}
			w.Tampers += g.tampers
			w.Oracle, w.Alone = cmp.Or(w.Oracle, g.form.Oracle), cmp.Or(w.Alone, g.form.Alone)
			cpu = append(cpu, g.cpu[op])
			size = append(size, len(g.out[op]))
		}

		w.Output, w.Estimate = median(size), median(cpu)
		out.Work[op] = w
	}

	if d.exchanges[0].Canonizes {
		var hashes [][]byte
		for _, g := range all {
			hashes = append(hashes, []byte(hash(g.out[compare.Canonize])))
		}
		out.Inputs = map[compare.Operation][]byte{compare.Canonize: pack(hashes)}
	} else {
		out.Inputs = map[compare.Operation][]byte{compare.Present: pack(issued), compare.Verify: pack(whole),
			compare.VerifyPresented: pack(presented)}
	}

	return out, nil
}

// distinct counts the documents that differ; a file of the user is one.
func distinct(hashes []string) int {
	seen := make(map[string]bool)
	for _, h := range hashes {
		seen[h] = true
	}
	return len(seen)
}
