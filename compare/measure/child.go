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
	"canonscope/profiles"
)

// Serve does one Job: it reads it from in and writes events to out. The error says that the Job could not be read or an
// event not be written; everything else is a failed event.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open Opener) error {
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil && !(errors.Is(err, io.EOF) && len(line) > 0) {
		return fmt.Errorf("read job: %w", err)
	}
	var job Job
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&job); err != nil {
		return fmt.Errorf("read job: %w", err)
	}
	if job.InputBytes < 0 || job.InputBytes > 1<<30 {
		return fmt.Errorf("read job: %d bytes of inputs", job.InputBytes)
	}
	inputs := make([]byte, job.InputBytes)
	if _, err := io.ReadFull(r, inputs); err != nil {
		return fmt.Errorf("read inputs of the job: %w", err)
	}
	c := &child{job: &job, enc: json.NewEncoder(out)}
	if err := c.emit(Event{Type: "hello", Hello: &Hello{Version: Version, Binary: BinaryHash()}}); err != nil {
		return err
	}
	if stage, err := c.do(ctx, inputs, open); err != nil {
		if c.broken != nil {
			return c.broken
		}
		var unsupported *canon.UnsupportedError
		return c.emit(Event{Type: "failed", Failed: &Failure{Stage: stage, Reason: reasonOf(err), Unsupported: errors.As(err, &unsupported)}})
	}
	return c.emit(Event{Type: "done"})
}

type child struct {
	job    *Job
	enc    *json.Encoder
	broken error // writing an event failed
}

func (c *child) emit(e Event) error {
	if err := c.enc.Encode(e); err != nil {
		c.broken = fmt.Errorf("write event: %w", err)
		return c.broken
	}
	return nil
}

// do returns the stage that an error belongs to.
func (c *child) do(ctx context.Context, inputs []byte, open Opener) (string, error) {
	job := c.job
	if err := job.Validate(); err != nil {
		return "job", err
	}
	if job.Inputs != "" && hash(inputs) != job.Inputs {
		return "job", errors.New("the inputs are not those the job names")
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
	start := time.Now()
	bench, err := open(cell)
	if err != nil {
		return "open", err
	}
	if bench == nil || bench.Format == nil || bench.Generator == nil || bench.Tamper == nil {
		return "open", errors.New("a Bench needs a Format, a Generator and a Tamper")
	}
	first, n := job.First%job.Documents, job.Documents
	if job.Kind == Time || job.Kind == Allocs {
		n = max(job.N, job.Warmup)
	}
	d, err := draw(bench, job.Seed, job.Documents, first, n)
	if err != nil {
		return "open", err
	}
	for i, h := range job.Drawn {
		if i < len(d.hashes) && d.hashes[i] != "" && d.hashes[i] != h {
			if d.yours() {
				return "open", errors.New("your document has changed since the gate saw it")
			}
			return "open", fmt.Errorf("document %d is not the one that the gate saw: this binary draws another", i)
		}
	}
	took := time.Since(start)
	if job.Kind == Gate {
		g, err := d.gateAll(ctx)
		if err != nil {
			return "gate", err
		}
		g.Open = took.Seconds()
		return "gate", c.emit(Event{Type: "gate", Gate: g})
	}
	records, err := unpack(inputs)
	if err != nil {
		return "job", err
	}
	step, err := d.step(cell.Operation, records)
	if err != nil {
		return "job", err
	}
	// The exchange's gate saw all documents, and the canonical forms, in a process of its own; here one document shows that
	// this process is no other.
	bench.Check, bench.Guard = nil, nil
	if _, err := d.gate(ctx, first, false, true); err != nil {
		return "gate", d.at(first, err)
	}
	for i := range job.Warmup {
		at := (first + i) % job.Documents
		if _, err := step(at); err != nil {
			return "gate", d.at(at, fmt.Errorf("warm-up: %w", err))
		}
	}
	if err := c.emit(Event{Type: "gate", Gate: &Gated{}}); err != nil {
		return "gate", err
	}
	switch job.Kind {
	case Profile:
		return "profile", c.profile(d, step, first)
	case Allocs:
		return "allocs", c.allocs(d, step, first)
	}
	return "time", c.time(d, cell.Operation, step, first)
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
	debug.SetMemoryLimit(math.MaxInt64) // whatever GOMEMLIMIT says, which would collect more often
	runtime.GOMAXPROCS(cell.Procs)
	if memory > 0 {
		if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(memory), Max: uint64(memory)}); err != nil {
			return fmt.Errorf("limit memory: %w", err)
		}
	}
	return nil
}

func (c *child) time(d *drawn, op compare.Operation, step func(int) ([]byte, error), first int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	job, next := c.job, first
	var last []byte
	var before compare.Counters
	clk := newClocks()
	runtime.GC()
	if _, err := step(next); err != nil { // the collection has emptied the pools
		return d.at(next, err)
	}
	for b := range job.Blocks {
		ops := job.N*(b+1)/job.Blocks - job.N*b/job.Blocks
		before = d.counters()
		clk.begin()
		for range ops {
			out, err := step(next)
			if err != nil {
				return d.at(next, err)
			}
			last = out
			if next++; next == len(d.exchanges) {
				next = 0
			}
		}
		block := clk.end()
		block.Run, block.Index, block.Ops = job.Run, b, ops
		if got, want := d.counters().Since(before), times(job.Work, ops); got != want {
			return fmt.Errorf("%d operations count %+v, the gate says %+v: work was skipped", ops, got, want)
		}
		if err := c.emit(Event{Type: "block", Block: &block}); err != nil {
			return err
		}
	}
	return d.accept(op, (next+len(d.exchanges)-1)%len(d.exchanges), last)
}

// accept takes what the last timed operation on document i returned through the rest of the exchange.
func (d *drawn) accept(op compare.Operation, i int, out []byte) error {
	x := d.exchanges[i]
	var err error
	if op == compare.Issue {
		if out, err = x.Present(out); err != nil {
			return fmt.Errorf("the last output does not present: %w", err)
		}
	}
	if op != compare.Verify {
		if err := x.Verify(out); err != nil {
			return fmt.Errorf("the last output does not verify: %w", err)
		}
	}
	return nil
}

func times(c compare.Counters, n int) compare.Counters {
	return compare.Counters{Canonicalizations: n * c.Canonicalizations, Salts: n * c.Salts, Digests: n * c.Digests,
		Signatures: n * c.Signatures, Verifications: n * c.Verifications}
}

// profile repeats the operation until its CPU budget is used, or the wall time that it may take. The clocks are read outside
// profiles.Do: a sample taken there is not the operation's.
func (c *child) profile(d *drawn, step func(int) ([]byte, error), next int) error {
	runtime.GC()
	capture, err := profiles.Start()
	if err != nil {
		return err
	}
	var failed error
	ops := 0
	budget := int64(c.job.ProfileSeconds * 1e9)
	bound := time.Duration(c.job.ProfileWall * 1e9)
	cpu, wall := processCPU(), time.Now()
	for batch := 1; failed == nil; {
		start := time.Now()
		profiles.Do(c.job.Cell, func() {
			for range batch {
				if _, failed = step(next); failed != nil {
					return
				}
				next = (next + 1) % len(d.exchanges)
				ops++
			}
		})
		if processCPU()-cpu >= budget || bound > 0 && time.Since(wall) >= bound {
			break
		}
		if time.Since(start) < 10*time.Millisecond {
			batch *= 2
		}
	}
	rec, err := capture.Stop()
	if err = errors.Join(failed, err); err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := rec.Profile.Write(&buf); err != nil {
		return err
	}
	return c.emit(Event{Type: "profile", Profile: &Profiled{Pprof: buf.Bytes(), Ops: ops, CPU: int64(rec.CPU), Wall: int64(rec.Wall)}})
}

// allocs records what N operations allocate, after one that fills the pools anew.
func (c *child) allocs(d *drawn, step func(int) ([]byte, error), next int) error {
	profiles.StartAllocs()
	runtime.GC()
	if _, err := step(next); err != nil {
		return d.at(next, err)
	}
	var failed error
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	profiles.Do(c.job.Cell, func() {
		for range c.job.N {
			if _, failed = step(next); failed != nil {
				return
			}
			next = (next + 1) % len(d.exchanges)
		}
	})
	runtime.ReadMemStats(&after)
	if failed != nil {
		return failed
	}
	p, err := profiles.ReadAllocs()
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		return err
	}
	return c.emit(Event{Type: "allocs", Allocs: &Allocated{Pprof: buf.Bytes(), Ops: c.job.N, Bytes: int64(after.TotalAlloc - before.TotalAlloc)}})
}
