package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"canonscope/compare"
)

// ledger holds the results of cells, to which records add what jobs found: the same while a campaign runs and
// when its folder is read.
type ledger struct {
	results []compare.Result // one for each cell of the plan
	places  map[string][]int // of the cells of an exchange among them

	fitness map[string]*fitness // of each machine, by its worker; "" is this one
	workers []string            // in the order in which they were heard of
	faults  []string
}

// notReached is the reason of cells that no record is about.
const notReached = "not reached"

func newLedger(cells []compare.Cell) ledger {
	l := ledger{places: make(map[string][]int), fitness: make(map[string]*fitness)}
	for i, cell := range cells {
		x := cell.Exchange().ID()
		l.places[x] = append(l.places[x], i)
		l.results = append(l.results, compare.Result{Cell: cell, ID: cell.ID(), State: compare.LeftOut,
			Reason: notReached})
	}
	return l
}

// result is that of an operation of an exchange, or nil.
func (l *ledger) result(exchange string, op compare.Operation) *compare.Result {
	for _, i := range l.places[exchange] {
		if r := &l.results[i]; r.Cell.Operation == op {
			return r
		}
	}
	return nil
}

// newRecord makes the record of a Job that begins now.
func newRecord(job Job, order int) Record {
	return Record{Kind: job.Kind, Cell: job.Cell, Operations: job.Operations, Block: job.Block,
		Seed: job.Seed, Order: order, First: job.First, Inputs: job.Inputs, Started: time.Now(),
		State: compare.Measured, Runs: make(map[compare.Operation]*compare.Run),
		Failed: make(map[compare.Operation]*Failure), Raw: make(map[compare.Operation]*compare.Raw),
		Profiles: make(map[compare.Operation]*compare.Profile),
		Allocs:   make(map[compare.Operation]*compare.Allocs)}
}

// lacks returns why a record has nothing of an operation, or nil.
func (r *Record) lacks(op compare.Operation) error {
	if r.State != compare.Measured {
		return &StoppedError{r.State, r.Reason}
	}
	if f := r.Failed[op]; f != nil {
		return f.stopped()
	}
	if r.Kind == Gate {
		if r.Work == nil {
			return &StoppedError{compare.Died, "the gate said nothing"}
		}
		return nil
	}
	if r.Runs[op] == nil && r.Raw[op] == nil && r.Profiles[op] == nil && r.Allocs[op] == nil {
		return fmt.Errorf("the child said nothing of %s", op)
	}
	return nil
}

// add adds what one job found to the results of its cells.
func (l *ledger) add(rec *Record) {
	switch rec.Kind {
	case Left:
		l.leaveOut(rec.Cell)
		return
	case Enough:
		return
	case NewWorker:
		l.workers = append(l.workers, rec.Worker)
		return
	case Fault:
		l.faults = append(l.faults, fault(rec))
		return
	case Time, Control:
		if l.fitness[rec.Worker] == nil {
			l.fitness[rec.Worker] = &fitness{}
		}
		l.fitness[rec.Worker].add(rec)
	}

	for _, i := range l.places[rec.Cell] {
		r := &l.results[i]
		op := r.Cell.Operation
		if rec.Kind != Gate && !slices.Contains(rec.Operations, op) {
			continue
		}

		err := rec.lacks(op)
		switch rec.Kind {
		case Gate:
			if err != nil {
				stop(r, err)
			} else {
				r.Work = rec.Work[op]
			}
		case Time:
			addRun(r, rec.Block, rec.Runs[op], err)
		case Raw:
			r.Raw, r.Reason = rec.Raw[op], lacks(r.Reason, without("no single operations: ", err))
		case Profile:
			r.Profile, r.Reason = rec.Profiles[op], lacks(r.Reason, without("no profile: ", err))
		case Allocs:
			r.Allocs, r.Reason = rec.Allocs[op], lacks(r.Reason, without("no allocation profile: ", err))
		}
	}
}

// leaveOut notes that an exchange, and those after it in the plan, do not fit the time.
func (l *ledger) leaveOut(first string) {
	from := l.places[first]
	for _, cells := range l.places {
		if len(from) == 0 || cells[0] < from[0] {
			continue
		}
		for _, i := range cells {
			if l.results[i].State == compare.LeftOut {
				l.results[i].Reason = tooSlow
			}
		}
	}
}

// addRun adds a run to a cell, or the reason why it has none.
func addRun(r *compare.Result, block int, run *compare.Run, err error) {
	if err == nil {
		switch r.State {
		case compare.Measured:
		case compare.LeftOut:
			r.State, r.Reason = compare.Measured, ""
		default:
			return // it has stopped, on another machine
		}
		r.Runs = append(r.Runs, *run)
		if run.Note != "" && !strings.Contains(r.Reason, run.Note) {
			r.Reason = lacks(r.Reason, fmt.Sprintf("run %d: %s", block+1, run.Note))
		}
		return
	}
	switch state, why := ending(err); {
	case state == compare.Interrupted: // earlier processes stay
	case r.State == compare.Measured && (state == compare.Died || state == compare.TimedOut ||
		state == compare.OutOfMemory):
		// Earlier processes are as good as they were.
		r.Reason = lacks(r.Reason, fmt.Sprintf("run %d: %s: %s", block+1, state, why))
	default:
		stop(r, err)
	}
}

// stop marks a cell with the reason that stopped it; the first reason is kept.
func stop(r *compare.Result, err error) {
	if r.State != compare.Measured && r.State != compare.LeftOut {
		return
	}
	r.State, r.Reason = ending(err)
	r.Runs, r.Profile = nil, nil
}

// runs is the largest number of runs that a cell has finished.
func runs(results []compare.Result) int {
	most := 0
	for i := range results {
		most = max(most, len(results[i].Runs))
	}
	return most
}

// short notes in a cell that has fewer runs than others how many it has.
func (l *ledger) short() {
	most := runs(l.results)
	for i := range l.results {
		if r := &l.results[i]; r.State == compare.Measured && r.Reason != "" {
			r.Reason = fmt.Sprintf("%s has %d of %d runs: %s", r.Cell.Operation, len(r.Runs), most, r.Reason)
		}
	}
}

// Outcome is how a campaign left a cell of which there is more to say than that it was measured.
type Outcome struct {
	State  compare.State `json:"state"`
	Reason string        `json:"reason,omitempty"`
}

// Ended is the record of the end of a campaign.
type Ended struct {
	Took        float64            `json:"took_s"`
	Interrupted bool               `json:"interrupted,omitempty"`
	Stopped     string             `json:"stopped,omitempty"`
	Outcomes    map[string]Outcome `json:"outcomes,omitempty"` // by the ids of cells
}

// outcomes lists what the records of jobs do not say, or not alone.
func (l *ledger) outcomes() map[string]Outcome {
	out := make(map[string]Outcome)
	for i := range l.results {
		if r := &l.results[i]; r.State != compare.Measured || r.Reason != "" {
			out[r.ID] = Outcome{r.State, r.Reason}
		}
	}
	return out
}

// end gives the cells the outcomes that a campaign ended with.
func (l *ledger) end(outcomes map[string]Outcome) {
	for i := range l.results {
		r := &l.results[i]
		if o, ok := outcomes[r.ID]; ok {
			r.State, r.Reason = o.State, o.Reason
		}
	}
}

// lacks adds a missing part of a measured cell to those already recorded.
func lacks(reason, more string) string {
	if reason == "" || more == "" {
		return reason + more
	}
	return reason + "; " + more
}

// without describes what a failed pass leaves out; "" for one that succeeded or was interrupted.
func without(what string, err error) string {
	if err == nil {
		return ""
	}
	if state, _ := ending(err); state == compare.Interrupted {
		return ""
	}
	return what + err.Error()
}
