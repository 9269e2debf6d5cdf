package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/schemas"
)

// Elsewhere does the operations of an engine in another process, which times them.
type Elsewhere interface {
	// Prepare makes an operation ready on the documents that rotate, with the inputs that it takes.
	Prepare(
		ctx context.Context, op compare.Operation, docs []*schemas.Credential, inputs [][]byte,
		s compare.Scenario,
	) error
	// Run does operations of what was prepared last.
	Run(ctx context.Context, l foreign.Lap) (*foreign.Ran, error)
}

// remote times one operation of an engine elsewhere, as walk does one here.
type remote struct {
	*walk
	ctx     context.Context
	engine  Elsewhere
	perhaps time.Duration // of an operation, by the last lap
}

func (c *child) remote(ctx context.Context, w *walk, inputs [][]byte) (*remote, error) {
	if w.op == compare.Canonize {
		inputs = nil // hashes of outputs
	}
	r := &remote{walk: w, ctx: ctx, engine: w.bench.Elsewhere}
	return r, r.engine.Prepare(ctx, w.op, w.credentials, inputs, w.scenario)
}

// mostOps bounds the operations of a lap, whose times are one answer.
const mostOps = 200_000

// lap does operations from the next document on.
func (r *remote) lap(l foreign.Lap) (*foreign.Ran, error) {
	l.First = r.next
	ran, err := r.engine.Run(r.ctx, l)
	if err != nil {
		return nil, r.at(r.next, err)
	}
	r.last, r.ops = ran.Output, r.ops+l.Count
	r.next = (r.next + l.Count) % len(r.exchanges)
	r.perhaps = time.Duration(max(1, sum(ran.Wall)/int64(l.Count)))
	return ran, nil
}

func sum(all []int64) (total int64) {
	for _, n := range all {
		total += n
	}
	return total
}

// remoteWarm is the least warm-up of an engine elsewhere: compilers at run time need longer than pools.
const remoteWarm = 500 * time.Millisecond

// warm does operations for a time by the clock here, and at least two.
func (r *remote) warm(least time.Duration) error {
	least = max(least, remoteWarm)
	start := time.Now()
	for n := 1; time.Since(start) < least || n < 4; n = min(2*n, mostOps) {
		if _, err := r.lap(foreign.Lap{Count: min(n, r.fitting(least-time.Since(start)))}); err != nil {
			return err
		}
	}
	return nil
}

// fitting is how many operations take a time, at least one.
func (r *remote) fitting(t time.Duration) int {
	if r.perhaps == 0 {
		return 1
	}
	return int(max(1, min(mostOps, math.Ceil(float64(t)/float64(r.perhaps)))))
}

// remoteWindow is the least window of an engine elsewhere, so that what surrounds it matters little.
const remoteWindow = 500 * time.Millisecond

// time times a window of operations: as many as fit the longest, since when collections begin is not known.
func (r *remote) time(w compare.Window) (*compare.Run, error) {
	if err := r.warm(seconds(w.Warm)); err != nil {
		return nil, err
	}
	n, ending := r.fitting(max(seconds(w.Most), remoteWindow)), compare.Rare
	if w.N > 0 {
		n, ending = min(w.N, mostOps), compare.Counted
	}
	first := r.next
	ran, err := r.lap(foreign.Lap{Count: n})
	if err != nil {
		return nil, err
	}

	wall := sum(ran.Wall)
	run := &compare.Run{Ops: n, First: first, CPU: float64(ran.CPU) / float64(n),
		Wall: float64(wall) / float64(n), Window: float64(wall) / 1e9, Ending: ending, Note: ran.Note}
	if ran.CPU == 0 {
		return nil, errors.New("neither the engine nor the system knows the CPU time of the engine")
	}
	return run, nil
}

// raw times single operations.
func (r *remote) raw() (*Timed, error) {
	if err := r.warm(warmTime); err != nil {
		return nil, err
	}
	first := r.next
	ran, err := r.lap(foreign.Lap{Count: max(leastRaw, min(mostRaw, r.fitting(rawTime)))})
	if err != nil {
		return nil, err
	}
	return &Timed{First: first, Wall: ran.Wall}, nil
}

// profile profiles operations for a CPU time.
func (r *remote) profile(budget time.Duration) (*Profiled, error) {
	if err := r.warm(warmTime); err != nil {
		return nil, err
	}
	n := r.fitting(budget)
	ran, err := r.lap(foreign.Lap{Count: n, Profile: true})
	if err != nil {
		return nil, err
	}
	if len(ran.Profile) == 0 {
		return nil, &canon.UnsupportedError{Engine: "the foreign engine", What: "profiles"}
	}
	pprof, err := foreign.Pprof(ran.Profile)
	if err != nil {
		return nil, fmt.Errorf("read the profile of the engine: %w", err)
	}
	return &Profiled{Pprof: pprof, Ops: n, CPU: ran.CPU, Wall: sum(ran.Wall), Sampler: "engine"}, nil
}

// elsewhere does what the Job asks for with an operation that is done elsewhere.
func (c *child) elsewhere(ctx context.Context, e *Event, w *walk) error {
	r, err := c.remote(ctx, w, w.records)
	if err != nil {
		return err
	}
	switch c.job.Kind {
	case Time, Control:
		e.Type = "run"
		if e.Run, err = r.time(c.job.Window); err == nil {
			e.Run.Block = c.job.Block
		}
	case Raw:
		e.Raw, err = r.raw()
	case Profile:
		e.Profile, err = r.profile(seconds(c.job.ProfileSeconds[w.op]))
	case Allocs:
		err = &canon.UnsupportedError{Engine: "the foreign engine", What: "profiles of allocations"}
	}
	return err
}
