package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
)

// work is what a fresh process does: it times all documents in turns, so that what disturbs one disturbs the
// others.
type work struct {
	Version   int               `json:"version"`
	Cell      string            `json:"cell"`               // id; its schema is not read
	Documents [][]byte          `json:"documents"`          // the first is the whole
	Contexts  map[string][]byte `json:"contexts,omitempty"` // by URL
	Seed      uint64            `json:"seed"`               // of the order of the documents
	Seconds   float64           `json:"seconds"`            // after the warm-up, at least one round
	Now       time.Time         `json:"now"`                // the verifier's clock
}

// times are the answer.
type times struct {
	CPU    []float64 `json:"cpu_ns"` // of one operation on each document, the collector included
	Failed string    `json:"failed,omitempty"`
}

// Serve does the work that it reads from in, in a process that does nothing else.
func Serve(in io.Reader, out io.Writer) error {
	var w work
	if err := json.NewDecoder(in).Decode(&w); err != nil {
		return fmt.Errorf("read the work: %w", err)
	}
	var t times
	var err error
	if t.CPU, err = w.do(); err != nil {
		t = times{Failed: err.Error()}
	}
	return json.NewEncoder(out).Encode(t)
}

const (
	batchTime = 2 * time.Millisecond // of the operations between two readings of the clock
	maxBatch  = 512
	slow      = 200 * time.Millisecond // one operation that is done no more often than needed
	again     = 2                      // further turns of the first document in a round
)

func (w *work) do() ([]float64, error) {
	if w.Version != Version {
		return nil, fmt.Errorf("the work has version %d, this binary does %d", w.Version, Version)
	}
	cell, err := compare.ParseCell(w.Cell)
	if err != nil {
		return nil, err
	}
	percent, err := strconv.Atoi(cell.GC)
	if err != nil {
		return nil, err
	}
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(math.MaxInt64)
	runtime.GOMAXPROCS(cell.Procs)

	bench, err := newBench(cell, compare.Given{Contexts: w.Contexts}, w.Now)
	if err != nil {
		return nil, err
	}
	turns := again
	steps, batches := make([]step, len(w.Documents)), make([]int, len(w.Documents))
	for i, doc := range w.Documents {
		if steps[i], err = bench.step(doc); err != nil {
			return nil, err
		}
		took, err := steps[i](1) // the first fills caches
		if err == nil && took < slow {
			took, err = steps[i](1)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 && took >= slow {
			turns = 0
		}
		batches[i] = min(max(1, int(batchTime/max(1, took))), maxBatch)
	}

	sums, rounds := make([]time.Duration, len(steps)), 0
	random := rand.New(rand.NewPCG(w.Seed, 1))
	for start := time.Now(); rounds == 0 || time.Since(start).Seconds() < w.Seconds; rounds++ {
		for _, i := range random.Perm(len(steps) + turns) {
			if i >= len(steps) {
				i = 0
			}
			took, err := steps[i](batches[i])
			if err != nil {
				return nil, err
			}
			sums[i] += took
		}
	}

	cpu := make([]float64, len(steps))
	for i := range cpu {
		cpu[i] = float64(sums[i]) / float64(rounds*batches[i])
	}
	cpu[0] /= float64(1 + turns)
	return cpu, nil
}

// step does n operations and returns their CPU time.
type step func(n int) (time.Duration, error)

// bench makes the operations of documents.
type bench struct {
	preparer compare.Preparer
	scenario compare.Scenario
	canonize bool
}

func newBench(cell compare.Cell, given compare.Given, now time.Time) (*bench, error) {
	p, err := matrix.Preparer(cell, given)
	return &bench{p, compare.Scenario{Now: now, Seed: 1, Limits: measure.Limits},
		cell.Format == compare.Document}, err
}

func (b *bench) exchange(doc []byte) (*compare.Exchange, error) {
	c := &schemas.Credential{Kind: schemas.JSONLD, VCDM: doc}
	if !b.canonize {
		var err error
		if c, err = catalogue.Parse(doc); err != nil {
			return nil, err
		}
	}
	return b.preparer.Prepare(c, b.scenario)
}

// form is the canonical form of a document, of a bench that canonicalizes.
func (b *bench) form(doc []byte) ([]byte, error) {
	x, err := b.exchange(doc)
	if err != nil {
		return nil, err
	}
	return x.Canonize()
}

func (b *bench) step(doc []byte) (step, error) {
	x, err := b.exchange(doc)
	if err != nil {
		return nil, err
	}
	if b.canonize {
		return func(n int) (time.Duration, error) {
			return timed(n, func(int) error {
				_, err := x.Canonize()
				return err
			})
		}, nil
	}
	return func(n int) (time.Duration, error) { return signed(x, n) }, nil
}

// signed issues and verifies; what makes a presentation of the whole is outside the clock.
func signed(x *compare.Exchange, n int) (time.Duration, error) {
	issued := make([][]byte, n)
	first, err := timed(n, func(i int) (err error) {
		issued[i], err = x.Issue()
		return err
	})
	if err != nil {
		return 0, err
	}
	for i := range issued {
		if issued[i], err = x.Whole(issued[i]); err != nil {
			return 0, err
		}
	}
	second, err := timed(n, func(i int) error { return x.Verify(issued[i]) })
	return first + second, err
}

func timed(n int, do func(i int) error) (time.Duration, error) {
	start := processCPU()
	for i := range n {
		if err := do(i); err != nil {
			return 0, err
		}
	}
	return processCPU() - start, nil
}

// processCPU is the CPU time of this process, all threads.
func processCPU() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// Process does each work in a fresh process of the same binary.
type Process struct {
	Args []string // of the hidden subcommand that calls Serve
}

func (p Process) run(ctx context.Context, w *work) ([]float64, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	in, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, path, p.Args...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(in), &out, &complaint, 2*time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("a measuring process died: %w: %.300s", err, complaint.String())
	}

	var t times
	if err := json.Unmarshal(out.Bytes(), &t); err != nil {
		return nil, fmt.Errorf("read what a measuring process wrote: %w", err)
	}
	if t.Failed != "" {
		return nil, errors.New(t.Failed)
	}
	if len(t.CPU) != len(w.Documents) {
		return nil, fmt.Errorf("a measuring process timed %d of %d documents", len(t.CPU), len(w.Documents))
	}
	return t.CPU, nil
}
