package measure

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/profiles"
)

// Serve does one Job: it reads it from in and writes events to out. A Job that is not valid is refused before
// its inputs are read. Serve returns an error only if the line of the Job could not be read or an event could
// not be written; every other error becomes a failed event.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open Opener) error {
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) { // the last line may have no end
		return fmt.Errorf("read job: %w", err)
	}

	var job Job
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&job); err != nil {
		return fmt.Errorf("read job: %w", err)
	}

	c := &child{job: &job, enc: json.NewEncoder(out)}
	hashed := make(chan string, 1)
	go func() { hashed <- job.Executable.binary() }() // while the documents are drawn: it takes as long
	c.hello = func() error {
		hello := &Hello{Version: Version, Binary: <-hashed, CPUs: affinity()}
		return c.emit(Event{Type: "hello", Hello: hello})
	}

	if stage, err := c.do(ctx, r, open); err != nil {
		if c.broken != nil {
			return c.broken
		}
		return c.emit(Event{Type: "failed", Failed: failure(stage, err)})
	}

	return c.emit(Event{Type: "done"})
}

func failure(stage string, err error) *Failure {
	f := &Failure{Stage: stage, Reason: reasonOf(err)}
	var unsupported *canon.UnsupportedError
	f.Unsupported = errors.As(err, &unsupported)
	if limit := (*canon.LimitError)(nil); errors.As(err, &limit) {
		f.Limit = limit.Limit
	}
	if fault := (*foreign.Fault)(nil); errors.As(err, &fault) {
		f.State = fault.Outcome()
	}
	return f
}

type child struct {
	job    *Job
	enc    *json.Encoder
	hello  func() error // emits it, once the executable is hashed
	broken error        // writing an event failed
}

func (c *child) emit(e Event) error {
	if err := c.enc.Encode(e); err != nil {
		c.broken = fmt.Errorf("write event: %w", err)
		return c.broken
	}
	return nil
}

// do returns the stage that an error belongs to.
func (c *child) do(ctx context.Context, in io.Reader, open Opener) (string, error) {
	job := c.job
	if err := job.Validate(); err != nil {
		return "job", err
	}

	inputs, given, err := job.read(in)
	if err != nil {
		return "job", err
	}

	cell, err := compare.ParseCell(job.Cell)
	if err != nil {
		return "job", err
	}
	if err := apply(cell, job.Memory); err != nil {
		return "job", err
	}
	if open == nil {
		return "open", errors.New("nothing opens cells: give Serve an Opener")
	}

	bench, err := open(cell, given)
	if err != nil {
		return "open", err
	}
	if bench == nil || bench.Format == nil || bench.Generator == nil {
		return "open", errors.New("a Bench needs a Format and a Generator")
	}

	d, err := draw(bench, job)
	if err != nil {
		return "open", err
	}

	for i, h := range job.Drawn {
		if i < len(d.hashes) && d.hashes[i] != h {
			return "open", fmt.Errorf("document %d is not the one that the gate saw: "+
				"this binary draws another", i)
		}
	}

	if err := c.hello(); err != nil {
		return "open", err
	}

	if job.Kind == Gate {
		g, err := d.gateAll(ctx)
		if err != nil {
			return "gate", err
		}
		return "gate", c.emit(Event{Type: "gate", Gate: g})
	}

	// The gate of the exchange has checked all documents and their canonical forms in another process; here
	// one document checks that this process behaves the same.
	bench.Check, bench.Guard, bench.Second = nil, nil, nil
	first := job.First % job.Documents
	if _, err := d.gate(ctx, first, false, true); err != nil {
		return "gate", d.at(first, err)
	}
	if err := c.emit(Event{Type: "gate", Gate: &Gated{}}); err != nil {
		return "gate", err
	}

	// All inputs are there before the first operation, so that each meets the heap that is reported.
	records := make(map[compare.Operation][][]byte, len(inputs))
	for op, input := range inputs {
		if records[op], err = unpack(input); err != nil {
			return "job", err
		}
	}
	inputs = nil

	ballast := newBallast(cell.LiveHeap)
	var machine *observer
	if job.Kind == Time || job.Kind == Control {
		if cell.GC != "off" {
			settle()
		}
		machine = observe()
	}
	var events []Event
	for _, op := range job.Operations {
		e := Event{Type: string(job.Kind), Operation: op}
		if stage, err := c.operation(ctx, d, &e, records[op], first); err != nil {
			e = Event{Type: "failed", Operation: op, Failed: failure(stage, err)}
		}
		events = append(events, e)
	}

	if machine != nil {
		if r := machine.end(); r != nil {
			events = append(events, Event{Type: "machine", Reading: r})
		}
	}
	live := liveHeap()
	runtime.KeepAlive(ballast)
	runtime.KeepAlive(d)
	runtime.KeepAlive(records)

	for _, e := range events {
		if e.Run != nil {
			e.Run.LiveHeap = live
		}
		if err := c.emit(e); err != nil {
			return "", err
		}
	}

	return "", nil
}

// operation does what the Job asks for with the operation of an event, and fills the event. It returns the
// stage that an error belongs to.
func (c *child) operation(
	ctx context.Context, d *drawn, e *Event, records [][]byte, first int,
) (string, error) {
	step, err := d.step(e.Operation, records)
	if err != nil {
		return "job", err
	}
	if _, err := step(first); err != nil {
		return "gate", d.at(first, fmt.Errorf("warm-up: %w", err))
	}
	w := &walk{drawn: d, op: e.Operation, step: step, records: records, next: first}
	switch kind := c.job.Kind; {
	case d.bench.Elsewhere != nil && !(e.Operation == compare.Present && d.exchanges[first].HandsOn):
		err = c.elsewhere(ctx, e, w)
	case kind == Time || kind == Control:
		e.Type = "run"
		e.Run, err = c.time(w)
	case kind == Raw:
		e.Raw, err = c.raw(w)
	case kind == Profile:
		e.Profile, err = c.profile(w)
	case kind == Allocs:
		e.Allocs, err = c.allocs(w)
	}
	if err == nil {
		err = w.accept()
	}
	return string(c.job.Kind), err
}

// walk does one operation on the documents in turn.
type walk struct {
	*drawn
	op      compare.Operation
	records [][]byte // inputs of the operation; of canonize the hashes of its outputs
	step    func(int) ([]byte, error)
	next    int // document
	ops     int
	last    []byte // what the last operation returned
}

func (w *walk) do(n int) error {
	for range n {
		out, err := w.step(w.next)
		if err != nil {
			return w.at(w.next, err)
		}
		w.last = out
		w.ops++
		if w.next++; w.next == len(w.exchanges) {
			w.next = 0
		}
	}
	return nil
}

// accept passes the result of the last operation through the rest of the exchange.
func (w *walk) accept() error {
	x, out := w.exchanges[(w.next+len(w.exchanges)-1)%len(w.exchanges)], w.last
	var err error
	switch w.op {
	case compare.Canonize:
		i := (w.next + len(w.exchanges) - 1) % len(w.exchanges)
		if i >= len(w.records) || hash(out) != string(w.records[i]) {
			return fmt.Errorf("the last output, of document %d, is not the form that the gate saw", i)
		}
		return nil
	case compare.Verify, compare.VerifyPresented:
		return nil
	case compare.Issue:
		if out, err = x.Whole(out); err != nil {
			return fmt.Errorf("the last output cannot be disclosed as a whole: %w", err)
		}
	}
	if err := x.Verify(out); err != nil {
		return fmt.Errorf("the last output does not verify: %w", err)
	}
	return nil
}

// apply sets the cell's policy for this process.
func apply(cell compare.Cell, memory int64) error {
	percent := -1
	if cell.GC != "off" {
		n, err := strconv.Atoi(cell.GC)
		if err != nil || n < 1 {
			return fmt.Errorf("GC policy %q is neither a percentage nor off", cell.GC)
		}
		percent = n
	}
	if cell.Procs < 1 {
		return fmt.Errorf("GOMAXPROCS of %d", cell.Procs)
	}
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(math.MaxInt64) // overrides GOMEMLIMIT, which would cause more collections
	runtime.GOMAXPROCS(cell.Procs)
	if memory > 0 {
		if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(memory),
			Max: uint64(memory)}); err != nil {
			return fmt.Errorf("limit memory: %w", err)
		}
	}
	return nil
}

// time times the operation, whose counters must show that it did all its work.
func (c *child) time(w *walk) (*compare.Run, error) {
	before := w.counters()
	run, err := timed(c.job.Window, c.job.Kind == Time && c.job.Block == 0, w.do)
	if err != nil {
		return nil, err
	}
	if got, want := w.counters().Since(before), times(c.job.Work[w.op], w.ops); got != want {
		return nil, fmt.Errorf("%d operations count %+v, the gate says %+v: work was skipped",
			w.ops, got, want)
	}
	run.Block = c.job.Block
	run.First = (c.job.First + run.First) % c.job.Documents // operations came before the window
	return run, nil
}

// Single operations of a pass that keeps them.
const (
	leastRaw = 20
	mostRaw  = 2000
	rawTime  = time.Second
)

// raw times single operations: for rawTime, within leastRaw and mostRaw.
func (c *child) raw(w *walk) (*Timed, error) {
	if err := newBatches(w.do, newHeap().look).last(warmTime); err != nil {
		return nil, err
	}
	out := &Timed{First: w.next, Wall: make([]int64, 0, mostRaw)}
	enough := func(n int, took time.Duration) bool { return n >= mostRaw || n >= leastRaw && took >= rawTime }
	for start := time.Now(); !enough(len(out.Wall), time.Since(start)); {
		begun := time.Now()
		if err := w.do(1); err != nil {
			return nil, err
		}
		out.Wall = append(out.Wall, int64(time.Since(begun)))
	}
	return out, nil
}

func times(c compare.Counters, n int) compare.Counters {
	return compare.Counters{Canonicalizations: n * c.Canonicalizations, Salts: n * c.Salts,
		Digests: n * c.Digests, Signatures: n * c.Signatures, Verifications: n * c.Verifications}
}

// profile repeats the operation until its CPU budget is used, or the wall time that it may take. With
// Precise it captures in pieces, each as long as all before it, and ends when their sum is precise.
func (c *child) profile(w *walk) (*Profiled, error) {
	b := newBatches(w.do, newHeap().look)
	if err := b.last(warmTime); err != nil {
		return nil, err
	}

	cell, err := compare.ParseCell(c.job.Cell)
	if err != nil {
		return nil, err
	}

	id, start := cell.With(w.op).ID(), w.ops
	budget := int64(c.job.ProfileSeconds[w.op] * 1e9)
	piece := budget
	if c.job.Precise > 0 {
		piece = min(piece, int64(firstPiece))
	}

	var rec *profiles.Recording
	for {
		more, err := c.capture(w, b.size, id, piece)
		if err == nil && rec != nil {
			more, err = profiles.Merge(rec, more)
		}
		if err != nil {
			return nil, err
		}

		rec = more
		piece = min(int64(rec.CPU), budget-int64(rec.CPU))
		if c.job.Precise == 0 || piece < int64(firstPiece)/10 {
			break
		}
		if a := profiles.Attribute(rec.Profile, Rules()); len(a.Wide(c.job.Precise)) == 0 {
			break
		}
	}

	var buf bytes.Buffer
	if err := rec.Profile.Write(&buf); err != nil {
		return nil, err
	}

	return &Profiled{Pprof: buf.Bytes(), Ops: w.ops - start, CPU: int64(rec.CPU), Wall: int64(rec.Wall),
		Sampler: rec.Sampler, Fallback: rec.Fallback, Lost: rec.Lost, UserOnly: rec.UserOnly}, nil
}

// firstPiece is the first capture of a profile that is to be precise.
const firstPiece = 500 * time.Millisecond

// capture profiles the operation for so much CPU time. The clocks are read outside profiles.Do, so that
// samples of reading them do not count as the operation.
func (c *child) capture(w *walk, size int, id string, budget int64) (*profiles.Recording, error) {
	capture, err := profiles.Start(c.job.Sampler)
	if err != nil {
		return nil, err
	}

	cpu, wall := processCPU(), time.Now()
	var failed error
	for failed == nil && processCPU()-cpu < budget {
		if c.job.Bounded && int64(time.Since(wall)) >= 2*budget {
			break
		}
		profiles.Do(id, func() { failed = w.do(size) }) // about batchTime
	}

	rec, err := capture.Stop()
	return rec, errors.Join(failed, err)
}

// An allocation pass ends when it has recorded enough, or has taken long enough, after leastAllocs
// operations.
const (
	leastAllocs = 3
	allocBytes  = 16 << 20 // about 32,000 samples
	allocTime   = 250 * time.Millisecond
)

// allocs records what operations allocate, after one that fills the pools again.
func (c *child) allocs(w *walk) (*Allocated, error) {
	profiles.StartAllocs()
	runtime.GC()
	if err := w.do(1); err != nil {
		return nil, err
	}
	var failed error
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ops, start := 0, time.Now()
	for n, enough := leastAllocs, false; !enough && failed == nil; n *= 2 {
		profiles.Do(c.job.Cell, func() { failed = w.do(n) })
		ops += n
		runtime.ReadMemStats(&after)
		enough = after.TotalAlloc-before.TotalAlloc >= allocBytes || time.Since(start) >= allocTime
	}
	if failed != nil {
		return nil, failed
	}
	p, err := profiles.ReadAllocs()
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		return nil, err
	}
	return &Allocated{Pprof: buf.Bytes(), Ops: ops, Bytes: int64(after.TotalAlloc - before.TotalAlloc)}, nil
}

// liveHeap returns the bytes that a collection leaves. It forces a collection, after all timings.
func liveHeap() int64 {
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return int64(mem.HeapAlloc)
}

// newBallast makes a live heap of the given MB besides that of the harness, of objects that a collection
// has to mark one by one.
func newBallast(mb int) []*[8]*byte {
	all := make([]*[8]*byte, mb<<20/64)
	for i := range all {
		all[i] = new([8]*byte)
	}
	return all
}
