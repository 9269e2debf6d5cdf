package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"canonscope/compare"
)

// Batch is a part of a campaign that travels to one machine as a whole: jobs whose figures are compared. The
// jobs lack what the gates of their exchanges find; the machine that does them gates these first.
type Batch struct {
	ID   string `json:"id"` // in the campaign
	Jobs []Job  `json:"jobs"`
}

// Answer is what became of a job of a batch.
type Answer struct {
	Gate *Heard `json:"gate,omitempty"` // of the exchange, with the first of its jobs
	Job  *Heard `json:"job,omitempty"`  // nil if the gate failed
}

// Heard is what a machine heard of the process of one job.
type Heard struct {
	Started time.Time     `json:"started"`
	Took    float64       `json:"took_s"`
	State   compare.State `json:"state,omitempty"` // "" after done
	Reason  string        `json:"reason,omitempty"`
	Events  []Event       `json:"events,omitempty"`
}

// err is how the process ended.
func (h *Heard) err() error {
	if h.State == "" {
		return nil
	}
	return &StoppedError{h.State, h.Reason}
}

// Hands do batches on this machine, and keep the gates of a campaign for its next batch.
type Hands struct {
	Runner  Runner
	Engines map[compare.Engine][]string // words of the commands of foreign engines

	campaign string
	passed   map[string]*exchange
	gates    map[string]*Heard
	bytes    int // of inputs that gates made
}

// mostKept bounds the inputs that Hands keep.
const mostKept = 256 << 20

// Do does a batch of a campaign with what the user gave to it, and calls begin before each process. It
// returns an error only if ctx ends first.
func (h *Hands) Do(
	ctx context.Context, campaign string, b *Batch, given compare.Given, begin func(Kind, string),
) ([]Answer, error) {
	if h.campaign != campaign || h.bytes > mostKept {
		h.campaign, h.bytes = campaign, 0
		h.passed, h.gates = make(map[string]*exchange), make(map[string]*Heard)
	}
	given.Engines = h.Engines

	answers := make([]Answer, len(b.Jobs))
	told := make(map[string]bool)
	for i, job := range b.Jobs {
		cell, err := compare.ParseCell(job.Cell)
		if err != nil {
			return nil, err
		}
		documents := job.give(cell.Schema, given)

		if h.gates[job.Cell] == nil {
			begin(Gate, job.Cell)
			h.gate(ctx, job, documents)
		}
		if !told[job.Cell] {
			answers[i].Gate, told[job.Cell] = h.gates[job.Cell], true
		}

		if x := h.passed[job.Cell]; x != nil && ctx.Err() == nil {
			begin(job.Kind, job.Cell)
			answers[i].Job = h.timed(ctx, x, job, documents)
		}
		if ctx.Err() != nil {
			delete(h.gates, job.Cell) // it may have been interrupted
			return nil, ctx.Err()
		}
	}
	return answers, nil
}

// gate runs the gate of an exchange, and keeps what it made.
func (h *Hands) gate(ctx context.Context, job Job, documents []byte) {
	gate := job
	gate.Kind, gate.Operations, gate.Work, gate.ProfileSeconds = Gate, nil, nil, nil
	x := &exchange{id: job.Cell}
	begun := time.Now()
	heard := h.run(ctx, gate, documents, func(e *Event) {
		switch {
		case e.Hello != nil:
			x.start = time.Since(begun)
		case e.Gate != nil:
			x.gated = e.Gate
			e.Gate = &Gated{Drawn: e.Gate.Drawn, Work: e.Gate.Work}
		}
	})
	if heard.State == "" && x.gated != nil {
		for _, w := range x.gated.Work {
			x.start += 3 * time.Duration(w.Estimate) // one document is gated again
		}
		for _, b := range x.gated.Inputs {
			h.bytes += len(b)
		}
		h.passed[job.Cell] = x
	}
	h.gates[job.Cell] = heard
}

// timed runs a job behind a passed gate.
func (h *Hands) timed(ctx context.Context, x *exchange, job Job, documents []byte) *Heard {
	job.Work = make(map[compare.Operation]compare.Counters)
	var operations []time.Duration
	for _, op := range job.Operations {
		w := x.gated.Work[op]
		job.Work[op] = w.Counters
		operations = append(operations, time.Duration(w.Estimate))
	}
	if job.Idle > 0 {
		job.Idle = max(job.Idle, idleTimes*expected(job.Window, x.start, operations).Seconds())
	}
	return h.run(ctx, job, append(x.give(&job), documents...), func(*Event) {})
}

func (h *Hands) run(ctx context.Context, job Job, inputs []byte, look func(*Event)) *Heard {
	heard := &Heard{Started: time.Now()}
	err := h.Runner.Run(ctx, job, inputs, func(e Event) {
		look(&e)
		heard.Events = append(heard.Events, e)
	})
	heard.Took = time.Since(heard.Started).Seconds()
	if err != nil {
		heard.State, heard.Reason = ending(err)
	}
	return heard
}

// errForeign refuses what a Job of another machine must not have.
var errForeign = errors.New("job has a command, or what only a gate finds")

// CheckTravelling returns an error if a Job is not one that may come from another machine: it names its cell
// and what is measured of it. It has no command and no inputs, and its limits are those of a campaign at
// most.
func (j *Job) CheckTravelling() error {
	if err := j.Validate(); err != nil {
		return err
	}
	cell, err := compare.ParseCell(j.Cell)
	if err != nil {
		return err
	}
	switch {
	case j.Engine != nil || j.Inputs != nil || j.Drawn != nil:
		return errForeign
	case j.Kind == Gate:
		return errors.New("job is a gate, which comes with the jobs of its exchange")
	case !(j.Deadline > 0 && j.Deadline <= mostDeadline):
		return errors.New("job has no deadline within an hour")
	case j.Documents > mostDocuments:
		return errors.New("job has too many documents")
	case j.Memory <= 0 || j.Memory > mostMemory:
		return errors.New("job has no limit of memory that a campaign has")
	case cell.Procs < 1 || cell.Procs > MostProcs:
		return fmt.Errorf("job has GOMAXPROCS of %d", cell.Procs)
	case cell.LiveHeap > mostMemory>>20:
		return errors.New("job has more live heap than a campaign has")
	case cell.Build != "":
		return errors.New("job names a build, which does not travel")
	}
	return nil
}

// Bounds of a Job from another machine.
const (
	mostDeadline  = 3600 // seconds
	mostDocuments = 4096
	mostMemory    = 16 << 30
)

// MostProcs bounds GOMAXPROCS: each costs memory even if the machine has fewer processors.
const MostProcs = 1024
