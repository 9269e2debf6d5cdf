package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
	"canonscope/profiles"
	"canonscope/schemas"
)

// Record is one line of runs.jsonl: one finished child.
type Record struct {
	Kind       Kind                               `json:"kind"`
	Cell       string                             `json:"cell"` // id of the exchange
	Operations []compare.Operation                `json:"operations,omitempty"`
	Block      int                                `json:"block"`
	Seed       uint64                             `json:"seed"`
	Order      int                                `json:"order"` // place in the block's random order
	First      int                                `json:"first"`
	Inputs     []Input                            `json:"inputs,omitempty"`
	State      compare.State                      `json:"state"`
	Reason     string                             `json:"reason,omitempty"`
	Failed     map[compare.Operation]*Failure     `json:"failed,omitempty"` // although others were measured
	Started    time.Time                          `json:"started"`
	Took       float64                            `json:"took_s"`
	Binary     string                             `json:"binary"`
	CPUs       string                             `json:"cpus"` // that the child could run on
	Runs       map[compare.Operation]*compare.Run `json:"runs,omitempty"`

	// What a gate learnt, what the other passes found, and how the campaign ended.
	Work     map[compare.Operation]compare.Work     `json:"work,omitempty"`
	Raw      map[compare.Operation]*compare.Raw     `json:"raw,omitempty"`
	Profiles map[compare.Operation]*compare.Profile `json:"profiles,omitempty"`
	Allocs   map[compare.Operation]*compare.Allocs  `json:"allocs,omitempty"`
	End      *Ended                                 `json:"end,omitempty"`
	Reading  *compare.Reading                       `json:"machine,omitempty"` // of timings and controls

	// Where the campaign runs on other machines.
	Worker      string            `json:"worker,omitempty"`      // that did the job
	Environment map[string]string `json:"environment,omitempty"` // of a worker that is new
}

// Run runs the plan: gates, then timing one child at a time, then the separate passes. The outcome of a
// cell is in its Result. When ctx ends, Run returns what is finished, marked Interrupted. The error joins
// what could not be written. If nothing more can be written, Run stops and returns what is finished, marked
// Stopped.
func Run(
	ctx context.Context, plan Plan, runner Runner, folder *Folder, progress Progress,
) (*compare.Campaign, error) {
	if runner == nil || folder == nil {
		return nil, errors.New("a campaign needs a Runner and a Folder")
	}
	c, planned, env := begin(plan, runner, folder, progress)
	return c.run(ctx, planned, env)
}

// begin writes what is known before a campaign.
func begin(
	plan Plan, runner Runner, folder *Folder, progress Progress,
) (*campaign, *Planned, map[string]string) {
	begun := time.Now()
	if plan.Now.IsZero() {
		plan.Now = begun.UTC().Truncate(time.Second)
	}
	c := newCampaign(plan, runner, folder, progress)
	env := Environment()
	if plan.Profile != 0 {
		env["sampler"] = string(c.sampler)
	}
	c.writeEnvironment(env)
	planned := plan.planned(begun)
	c.fail(folder.Write(planFile, func(w io.Writer) error {
		return printable.JSON(w, planned)
	}), false)
	return c, &planned, env
}

func (c *campaign) writeEnvironment(env map[string]string) {
	c.fail(c.folder.Write(envFile, func(w io.Writer) error {
		return printable.JSON(w, env)
	}), false)
}

func newCampaign(plan Plan, runner Runner, folder *Folder, progress Progress) *campaign {
	c := &campaign{plan: plan, runner: runner, folder: folder, progress: progress, begun: time.Now(),
		exchanges: make(map[string]*exchange), ledger: newLedger(plan.Cells)}
	for i, cell := range plan.Cells {
		id := cell.Exchange().ID()
		x := c.exchanges[id]
		if x == nil {
			x = &exchange{id: id, block: -1}
			c.exchanges[id] = x
			c.order = append(c.order, x)
		}
		x.cells = append(x.cells, i)
	}
	if plan.Profile != 0 {
		c.chooseSampler()
	}
	return c
}

// run does all stages and records their end.
func (c *campaign) run(
	ctx context.Context, planned *Planned, env map[string]string,
) (*compare.Campaign, error) {
	outer := ctx
	ctx, c.cancel = context.WithCancel(ctx)
	defer c.cancel()
	if c.stopped != "" {
		c.cancel()
	}

	if c.carrier != nil {
		c.elsewhere(ctx, planned, env)
	} else {
		c.gates(ctx)
		c.timings(ctx)
		c.short()
		c.raw(ctx)
		c.profiles(ctx)
		c.allocs(ctx)
	}
	end := Ended{Took: c.elapsed().Seconds(), Interrupted: outer.Err() != nil || c.cancelled,
		Stopped: c.stopped, Outcomes: c.outcomes()}
	if c.stopped == "" {
		c.fail(c.folder.Append(Record{Kind: End, Started: planned.Started, End: &end}), true)
		end.Stopped = c.stopped
	}

	return planned.campaign(c.folder.Path, env, &c.ledger, end), errors.Join(c.broken...)
}

type campaign struct {
	ledger
	plan      Plan
	runner    Runner
	carrier   Carrier // instead of the runner
	folder    *Folder
	progress  Progress
	before    time.Duration // that the campaign took until it was resumed
	begun     time.Time     // after that
	past      *past         // what was measured before; nil unless resumed
	exchanges map[string]*exchange
	order     []*exchange
	sampler   profiles.Sampler // that is expected here: signal or perf

	controlled *exchange // that is timed in pairs; nil is none

	cancel context.CancelFunc // of all that is to come

	cancelled bool // by another process

	mu      sync.Mutex
	broken  []error // what could not be written
	stopped string  // why nothing more is measured
}

// exchange is the state of the cells of one exchange.
type exchange struct {
	id       string
	cells    []int  // indexes of results
	gated    *Gated // by its gate
	shut     bool   // the gate was passed before the campaign was resumed, and its inputs are not here
	reopened sync.Mutex
	tooHeavy bool
	start    time.Duration // until a child has drawn its documents and passed its gate
	took     time.Duration // time of the last timing child; 0 before the first
	block    int           // of the last timing child; -1 before the first
}

// fail records an error of writing, if it is not nil; lost ends the campaign.
func (c *campaign) fail(err error, lost bool) {
	if err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = appendNew(c.broken, fmt.Errorf("write results: %w", err))
	if c.stopped == "" && (lost || noMore(err)) {
		c.stopped = err.Error()
		if c.cancel != nil { // it has begun
			c.cancel()
		}
	}
}

// noMore reports whether an error means that other files cannot be written either.
func noMore(err error) bool {
	for _, no := range []error{unix.ENOSPC, unix.EDQUOT, unix.EFBIG, unix.EROFS, unix.EIO} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

func (c *campaign) hasStopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped != ""
}

// left is what remains of the budget.
func (c *campaign) left() time.Duration { return c.plan.Budget - c.elapsed() }

// elapsed is how long the campaign has been running.
func (c *campaign) elapsed() time.Duration { return c.before + time.Since(c.begun) }

// jobOf makes a Job of some cells of an exchange.
func (c *campaign) jobOf(kind Kind, x *exchange, cells []int) Job {
	job := Job{Kind: kind, Cell: x.id, Work: make(map[compare.Operation]compare.Counters),
		Rules: c.build(c.cellOf(x)).FrameRules.Hash()}
	for _, i := range cells {
		r := &c.results[i]
		job.Operations = append(job.Operations, r.Cell.Operation)
		job.Work[r.Cell.Operation] = r.Work.Counters
	}
	return job
}

// common gives a Job what all jobs of a campaign have.
func (c *campaign) common(job *Job) {
	job.Version, job.Seed, job.Documents, job.CPU = Version, c.plan.Seed, c.plan.Documents, c.plan.CPU
	job.Canonize, job.Deadline = c.plan.Canonize.Seconds(), c.plan.Deadline.Seconds()
	job.Memory, job.Now = c.plan.Memory, c.plan.Now
}

// give adds to a Job the inputs that the gate of its exchange made, and returns the bytes.
func (x *exchange) give(job *Job) []byte {
	job.Drawn = x.gated.Drawn
	var inputs []byte
	for _, op := range job.Operations {
		if b := x.gated.Inputs[op]; b != nil {
			job.Inputs = append(job.Inputs, Input{op, hash(b), len(b)})
			inputs = append(inputs, b...)
		}
	}
	return inputs
}

// job runs one Job, which should take the expected time, appends its line to runs.jsonl, and adds what it
// found to the results. If that was found before the campaign was resumed, nothing runs.
func (c *campaign) job(
	ctx context.Context, x *exchange, job Job, expected time.Duration, order int,
) error {
	if rec := c.past.take(&job); rec != nil {
		c.add(rec)
		switch {
		case rec.State != compare.Measured:
			return &StoppedError{rec.State, rec.Reason}
		case rec.Kind == Gate && rec.Work != nil:
			x.gated, x.shut = &Gated{Work: rec.Work}, true
		case rec.Kind == Time:
			x.took = seconds(rec.Took)
		}
		return nil
	}

	c.common(&job)
	cell, err := compare.ParseCell(job.Cell)
	if err != nil {
		return err
	}
	if c.plan.Idle > 0 && !compare.Foreign(cell.Engine) { // of which another process does the work
		job.Idle = max(c.plan.Idle, idleTimes*expected).Seconds()
	}
	var inputs []byte
	if job.Kind != Gate {
		if err = c.reopen(ctx, x); err == nil {
			inputs = x.give(&job)
		}
	}
	inputs = append(inputs, job.give(cell.Schema, c.plan.Given)...)
	rec := newRecord(job, order)

	var events []Event
	hear := func(e Event) {
		switch took := time.Since(rec.Started); {
		case e.Hello != nil && job.Kind == Gate, e.Gate != nil && job.Kind == Time:
			x.start = took
		}
		if e.Gate != nil && job.Kind == Gate {
			x.gated = e.Gate
		}
		if rec.hear(e) {
			events = append(events, e)
		}
	}
	build := c.build(cell)
	if err == nil {
		sent := job
		sent.Cell = cell.Of("").ID()
		err = build.Runner.Run(ctx, sent, inputs, hear)
	}
	if err == nil && rec.Binary != build.SHA256 {
		err = &StoppedError{compare.Died,
			"another binary answered: the executable changed while the campaign ran"}
	}
	if err == nil && job.Kind == Gate {
		err = c.agrees(x)
	}

	took := time.Since(rec.Started)
	if rec.Took = took.Seconds(); job.Kind == Time && err == nil {
		x.took = took
	}
	c.finish(&rec, cell, events, err)

	return err
}

// hear adds an event to a record. It reports whether files are to be made of the event first.
func (r *Record) hear(e Event) (pass bool) {
	switch {
	case e.Hello != nil:
		r.Binary, r.CPUs = e.Hello.Binary, e.Hello.CPUs
	case e.Reading != nil:
		r.Reading = e.Reading
	case e.Failed != nil:
		r.Failed[e.Operation] = e.Failed
	case e.Gate != nil && r.Kind == Gate:
		r.Work = e.Gate.Work
	case e.Run != nil && e.Operation != "":
		r.Runs[e.Operation] = e.Run
	case e.Operation != "":
		return true
	}
	return false
}

// finish makes the files of events, or notes how a job ended, appends its line to runs.jsonl, and adds what
// it found to the results.
func (c *campaign) finish(rec *Record, cell compare.Cell, events []Event, err error) {
	if err != nil {
		rec.State, rec.Reason = ending(err)
		rec.Runs, rec.Work = nil, nil
	} else {
		for _, e := range events {
			c.pass(rec, cell.With(e.Operation), e)
		}
	}
	if rec.State != compare.Interrupted && !c.hasStopped() { // it may lack files, which a resumed one makes
		c.fail(c.folder.Append(rec), true)
	}
	c.add(rec)
}

// pass writes the files of what a pass found of a cell, and records the rest.
func (c *campaign) pass(rec *Record, cell compare.Cell, e Event) {
	var err error
	op, id := e.Operation, cell.ID()
	r := c.result(rec.Cell, op)
	if r == nil {
		return // nothing was asked of it
	}
	switch {
	case e.Raw != nil && rec.Kind == Raw:
		rec.Raw[op] = c.keep(id, e.Raw)
	case e.Profile != nil && rec.Kind == Profile:
		rec.Profiles[op], err = c.attribute(r, e.Profile)
	case e.Allocs != nil && rec.Kind == Allocs:
		rec.Allocs[op], err = c.attributeAllocs(cell, e.Allocs)
	}
	if err != nil {
		rec.Failed[op] = &Failure{Stage: string(rec.Kind), Reason: err.Error()}
	}
}

// ending returns the state in which an error leaves a job, and the reason.
func ending(err error) (compare.State, string) {
	var stopped *StoppedError
	if errors.As(err, &stopped) {
		return stopped.State, stopped.Reason
	}
	return compare.Failed, err.Error()
}

// workers is how many children may run at a time while nothing is timed.
func workers() int { return min(2, runtime.NumCPU()) }

// parallel calls f for 0..n-1, at most so many at a time, until ctx ends.
func parallel(ctx context.Context, workers, n int, f func(int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	wg.Wait()
}

// tooSlow is the reason of exchanges that are left out.
const tooSlow = "it does not fit the default time on this machine"

// groups divides the exchanges, in the plan's order, into those that are left out together: of one schema and
// algorithm, so that no tier is without the other.
func (c *campaign) groups() [][]*exchange {
	var out [][]*exchange
	var last compare.Cell
	for _, x := range c.order {
		cell := c.cellOf(x)
		key := compare.Cell{Algorithm: cell.Algorithm, Schema: cell.Schema}
		if len(out) == 0 || key != last {
			out, last = append(out, nil), key
		}
		out[len(out)-1] = append(out[len(out)-1], x)
	}
	return out
}

// leaveOut leaves groups out of the campaign.
func (c *campaign) leaveOut(groups [][]*exchange) {
	c.ledger.leaveOut(groups[0][0].id)
	for _, x := range slices.Concat(groups...) {
		x.tooHeavy = true
	}
}

// gates checks the exchanges, group by group. With a budget the first group is sure and may overdraw it. From
// the first one on that no longer fits, groups are left out; the gates of a group are not even begun in less
// time than those of its schema's last group took.
func (c *campaign) gates(ctx context.Context) {
	bounded := c.plan.Budget > 0 && !c.plan.Keep
	took := make(map[string]time.Duration) // by the gates of a group of the schema
	groups, done := c.groups(), 0
	for k, group := range groups {
		schema := c.results[group[0].cells[0]].Cell.Schema
		begun := c.past.begun(group)
		if bounded && k > 0 && !begun && c.decides(Left, group, 0, c.past.chose(), func() bool {
			return c.spare() < took[schema]
		}) {
			c.leaveOut(groups[k:])
			return
		}

		started := time.Now()
		for _, part := range c.baselinesFirst(group) {
			parallel(ctx, workers(), len(part), func(i int) {
				c.say(Step{Stage: "gate", Done: done + i, Total: len(c.order), Cell: part[i].id}, 0)
				c.gate(ctx, part[i], done+i)
			})
			done += len(part)
		}
		took[schema] = time.Since(started)

		beyond := c.past.chose() || k+1 < len(groups) && c.past.begun(groups[k+1])
		if bounded && k > 0 && c.decides(Left, group, 0, beyond, func() bool {
			return c.spare() < 0
		}) {
			c.leaveOut(groups[k:])
			return
		}
	}
}

// spare is what remains of the budget after half of the profiles of the exchanges that have passed their
// gates, and their processes: fitRuns of each while all are of the first schema, else all of the first schema
// and one of the others.
func (c *campaign) spare() time.Duration {
	exchanges := c.with(c.open)
	var first, others time.Duration
	for _, x := range exchanges {
		if c.ofFirst(x) {
			first += c.expected(x)
		} else {
			others += c.expected(x)
		}
	}
	runs := c.plan.Runs
	if others == 0 {
		runs = min(fitRuns, runs)
	}
	return c.left() - first*time.Duration(runs) - others - c.profiling(exchanges)/2
}

// ofFirst reports whether an exchange is of the schema that is most important.
func (c *campaign) ofFirst(x *exchange) bool {
	schema := func(x *exchange) string { return c.cellOf(x).Schema }
	return schema(x) == schema(c.order[0])
}

func (c *campaign) gate(ctx context.Context, x *exchange, order int) {
	job := Job{Kind: Gate, Cell: x.id}
	if first := c.baseline(x); first != nil && first.gated != nil && c.reopen(ctx, first) == nil {
		job.Drawn = first.gated.Drawn // builds that draw other documents are not compared
	}
	err := c.job(ctx, x, job, 0, order)
	if err != nil || x.gated == nil {
		x.gated = nil
		return
	}
	for _, w := range x.gated.Work {
		x.start += 3 * time.Duration(w.Estimate) // one document is gated again
	}
}

// open lists the cells of an exchange that passed its gate and have not stopped.
func (c *campaign) open(x *exchange) []int {
	if x.gated == nil || x.tooHeavy {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(x.cells), func(i int) bool {
		s := c.results[i].State
		return s != compare.Measured && s != compare.LeftOut
	})
}

// measured lists the cells of an exchange that have a time.
func (c *campaign) measured(x *exchange) []int {
	return slices.DeleteFunc(slices.Clone(x.cells), func(i int) bool {
		return c.results[i].State != compare.Measured
	})
}

// with lists the exchanges for which a list of cells is not empty.
func (c *campaign) with(cells func(*exchange) []int) []*exchange {
	return slices.DeleteFunc(slices.Clone(c.order), func(x *exchange) bool { return len(cells(x)) == 0 })
}

// expected is the time that timing an exchange should take: the last time, or an estimate from the gate.
func (c *campaign) expected(x *exchange) time.Duration {
	return cmp.Or(x.took, c.foretold(x))
}

func (c *campaign) foretold(x *exchange) time.Duration {
	var operations []time.Duration
	for _, i := range c.open(x) {
		operations = append(operations, time.Duration(c.results[i].Work.Estimate))
	}
	return expected(c.plan.Window, x.start, operations)
}

// profiling is what the shortest profiles of exchanges take.
func (c *campaign) profiling(exchanges []*exchange) (total time.Duration) {
	if c.plan.Profile >= 0 {
		return 0
	}
	for _, x := range exchanges {
		if !c.unphased(x) {
			total += x.start + time.Duration(len(c.open(x)))*c.profilerStop() + seconds(c.least())
		}
	}
	return total
}

// chooseSampler finds out which sampler children will use, if they run on this machine.
func (c *campaign) chooseSampler() {
	c.sampler = profiles.Signal
	if c.plan.Sampler != profiles.Signal && profiles.Perf.Available() == nil {
		c.sampler = profiles.Perf
	}
}

// profilerStop is the time until a profile has stopped and is attributed and drawn.
func (c *campaign) profilerStop() time.Duration {
	if c.sampler == profiles.Perf {
		return perfStop
	}
	return signalStop
}

// least is how many CPU seconds the profiles of an exchange take at least.
func (c *campaign) least() float64 {
	if c.sampler == profiles.Perf {
		return perfProfile
	}
	return minProfiles
}

// unphased reports whether an exchange has no profile unless one is asked for: what is below the
// credentials is one phase.
func (c *campaign) unphased(x *exchange) bool {
	return c.plan.Profile < 0 && c.cellOf(x).Format == compare.Floor
}

// timings runs a process of every exchange in each block, in an order drawn anew, and those that differ in
// their build alone one after the other. With a budget the groups of the first schema come first: the others
// come in with the last blocks, as many as fit besides, and the last blocks fall away if they no longer fit.
// A precision that the plan wants adds blocks.
func (c *campaign) timings(ctx context.Context) {
	if len(c.order) == 0 {
		return
	}
	var deadline time.Time
	if c.plan.Budget > 0 && !c.plan.Keep {
		deadline = time.Now().Add(c.left() - c.profiling(c.with(c.open))/2) // profiles may exceed the budget
	}
	if c.controlled = c.cheapest(); c.controlled != nil && !deadline.IsZero() {
		deadline = deadline.Add(-2 * c.foretold(c.controlled)) // the last pair
	}

	stride := (c.plan.Documents + c.plan.Runs - 1) / c.plan.Runs // so that the blocks walk many documents
	all := c.groups()
	groups := all

	c.control(ctx, 0)

	for block, runs := 0, c.plan.Runs; block < runs; block++ {
		if block > 0 && block == c.plan.Runs/2 {
			c.control(ctx, 1)
		}
		if !deadline.IsZero() {
			groups = c.fitting(all, block, deadline)
			if n := len(groups); n < len(all) && c.ofFirst(all[n][0]) {
				all = groups // what falls away does not come back
			}
		}

		exchanges := slices.Concat(groups...)
		exchanges = slices.DeleteFunc(exchanges, func(x *exchange) bool { return len(c.open(x)) == 0 })
		rng := rand.New(rand.NewPCG(c.plan.Seed, uint64(block)))
		units := c.together(exchanges)
		var drawn []*exchange
		for _, k := range rng.Perm(len(units)) {
			unit := units[k]
			rng.Shuffle(len(unit), func(i, j int) { unit[i], unit[j] = unit[j], unit[i] })
			drawn = append(drawn, unit...)
		}
		for place, x := range drawn {
			if ctx.Err() != nil {
				return
			}
			c.say(Step{Stage: "time", Part: fmt.Sprintf("run %d of %d", block+1, runs), Done: place,
				Total: len(exchanges), Cell: x.id}, c.timing(exchanges, block))
			x.block = block
			cells := c.open(x)
			rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
			c.time(ctx, x, cells, block, block*stride%c.plan.Documents, place)
		}

		if block == runs-1 {
			runs = c.wanted(exchanges, runs)
		}
	}
	if !deadline.IsZero() && ctx.Err() == nil {
		c.ledger.leaveOut(c.order[0].id) // what has not come in
	}

	c.control(ctx, 2)
}

// fitting lists the groups that have a process in a block.
func (c *campaign) fitting(groups [][]*exchange, block int, deadline time.Time) [][]*exchange {
	fit := c.reach(groups, block, time.Until(deadline))
	for k, group := range groups {
		if c.decides(Enough, group, block, c.past.timed(block), func() bool { return k >= fit }) {
			return groups[:k]
		}
	}
	return groups
}

// reach is how many groups, from the first, have a process in a block. Those of the first schema have one in
// the first block, then if they will have fitRuns in the time that is left, and the first of them as many as
// fit. Others have one if all processes that they and the first schema have from then on fit: they come in
// with the last blocks, where they seldom take a process from the first schema.
func (c *campaign) reach(groups [][]*exchange, block int, left time.Duration) int {
	var first, others time.Duration
	for k, group := range groups {
		expected := &others
		if c.ofFirst(group[0]) {
			expected = &first
		}
		for _, x := range group {
			if len(c.open(x)) > 0 {
				*expected += c.expected(x)
			}
		}

		processes := max(1, min(fitRuns, c.plan.Runs)-block)
		switch {
		case others > 0:
			processes = max(1, c.plan.Runs-block)
		case block == 0:
			processes = 0
		case k == 0:
			processes = 1
		}
		if processes > 0 && (float64(first)/lenience+float64(others))*float64(processes) > float64(left) {
			return k
		}
	}
	return len(groups)
}

// time times cells of an exchange in one process.
func (c *campaign) time(ctx context.Context, x *exchange, cells []int, block, first, place int) {
	job := c.jobOf(Time, x, cells)
	job.Block, job.First, job.Window = block, first, c.plan.Window
	_ = c.job(ctx, x, job, max(c.foretold(x), x.took), place) // it is in the results
}

// raw keeps single operations of each exchange in files.
func (c *campaign) raw(ctx context.Context) {
	if !c.plan.Raw {
		return
	}
	exchanges := c.with(c.measured)
	for k, x := range exchanges {
		if ctx.Err() != nil {
			return
		}
		c.say(Step{Stage: "single operations", Done: k, Total: len(exchanges), Cell: x.id},
			c.passing(Raw, exchanges[k:])+c.passing(Profile, c.order)+c.passing(Allocs, c.order))
		cells := c.measured(x)
		job := c.jobOf(Raw, x, cells)
		_ = c.job(ctx, x, job, x.start+time.Duration(len(cells))*rawTime, k) // it is in the results
	}
}

// keep writes single operations into the results folder and returns their summary.
func (c *campaign) keep(id string, got *Timed) *compare.Raw {
	values := make([]float64, len(got.Wall))
	for i, v := range got.Wall {
		values[i] = float64(v)
	}
	out := &compare.Raw{Ops: len(values), Outliers: stats.Outliers(values)}
	if q := stats.Quantile(values, 0.5, 0.95, 0.99); q != nil {
		out.P50, out.P95, out.P99 = q[0], q[1], q[2]
	}
	name := rawDir + "/" + fileName(id) + ".csv"
	err := c.folder.Write(name, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "operation,document,wall_ns")
		for i, v := range got.Wall {
			_, e := fmt.Fprintf(w, "%d,%d,%d\n", i, (got.First+i)%c.plan.Documents, v)
			err = errors.Join(err, e)
		}
		return err
	})
	if err != nil {
		c.fail(err, false)
		return out
	}
	out.File = name
	return out
}

// profiles takes the CPU profiles of one exchange at a time, with nothing else running, as for timings.
func (c *campaign) profiles(ctx context.Context) {
	if c.plan.Profile == 0 {
		return
	}

	exchanges := slices.DeleteFunc(c.with(c.measured), c.unphased)
	for k, x := range exchanges {
		if ctx.Err() != nil {
			return
		}
		cells := c.measured(x)
		chosen := c.plan.Profile < 0 && c.plan.Budget > 0
		if chosen && !c.plan.Keep && c.left() < -grace {
			for _, i := range cells {
				c.results[i].Reason = lacks(c.results[i].Reason, "no profile: "+tooSlow)
			}
			continue
		}
		c.say(Step{Stage: "profile", Done: k, Total: len(exchanges), Cell: x.id},
			c.passing(Profile, exchanges[k:])+c.passing(Allocs, c.order))
		job := c.jobOf(Profile, x, cells)
		job.ProfileSeconds = c.profileSeconds(exchanges[k:])
		job.Sampler, job.Precise = cmp.Or(c.plan.Sampler, profiles.Auto), c.plan.Precise
		job.Bounded = chosen // a busy machine gets fewer samples in the time it has
		expected := x.start
		for _, s := range job.ProfileSeconds {
			expected += seconds(s)
		}
		_ = c.job(ctx, x, job, expected, k)
	}
}

// profileSeconds returns the CPU time of the next profiles. All operations together get an equal part of
// the time left for the remaining exchanges, divided in proportion to their costs, so that samples of all
// have the same weight. Perf takes so many samples that they get perfProfile.
func (c *campaign) profileSeconds(exchanges []*exchange) map[compare.Operation]float64 {
	cells := c.measured(exchanges[0])
	total, cost := defaultProfile*float64(len(cells)), 0.0
	switch {
	case c.sampler == profiles.Perf:
		total = perfProfile
	case c.plan.Budget > 0:
		left := c.left()
		for _, x := range exchanges {
			left -= x.start + time.Duration(len(c.measured(x)))*signalStop
		}
		total = min(maxProfiles, max(minProfiles, left.Seconds()/float64(len(exchanges))))
	}
	for _, i := range cells {
		cost += max(c.results[i].CPU(), 1)
	}
	out := make(map[compare.Operation]float64)
	for _, i := range cells {
		r := &c.results[i]
		out[r.Cell.Operation] = total * (leastProfile + (1-leastProfile*float64(len(cells)))*r.CPU()/cost)
		if c.sampler == profiles.Perf {
			out[r.Cell.Operation] = max(out[r.Cell.Operation], leastPerf)
		}
		if c.plan.Profile > 0 {
			out[r.Cell.Operation] = c.plan.Profile
		}
	}
	return out
}

// allocs profiles the allocations of each cell, a few at a time, since other work does not change them.
func (c *campaign) allocs(ctx context.Context) {
	if !c.plan.Allocs {
		return
	}
	var cells []int
	for _, x := range c.order {
		cells = append(cells, c.measured(x)...)
	}
	left := c.passing(Allocs, c.order)
	parallel(ctx, workers(), len(cells), func(k int) {
		id := c.results[cells[k]].Cell
		x := c.exchanges[id.Exchange().ID()]
		c.say(Step{Stage: "allocations", Done: k, Total: len(cells), Cell: id.ID()},
			left*time.Duration(len(cells)-k)/time.Duration(len(cells)))
		_ = c.job(ctx, x, c.jobOf(Allocs, x, cells[k:k+1]), x.start+allocTime, k)
	})
}

// title describes a cell in words.
func title(c compare.Cell) string {
	schema, _ := schemas.FileTitle(c.Schema)
	text := fmt.Sprintf("%s: %s %s of %s, %s, %s engine", c.Operation, c.Format, c.Suite,
		printable.Line(schema), c.Algorithm, c.Engine)
	if c.Build != "" {
		text += ", build " + c.Build
	}
	return text
}

// attribute charges a CPU profile to phases and writes it with its picture into the results folder.
//
// An operation of the profile costs what was timed.
func (c *campaign) attribute(r *compare.Result, got *Profiled) (*compare.Profile, error) {
	p, err := profile.ParseData(got.Pprof)
	if err != nil {
		return nil, err
	}
	rec := profiles.Recording{Profile: p, CPU: time.Duration(got.CPU), Wall: time.Duration(got.Wall),
		UserOnly: got.UserOnly}
	rules := c.build(r.Cell).FrameRules
	out := &compare.Profile{Attribution: profiles.Attribute(p, rules), Ops: got.Ops, CPU: got.CPU,
		Coverage: rec.Coverage(), Warning: rec.Warning(), Sampler: got.Sampler, Fallback: got.Fallback,
		Lost: got.Lost}
	if err := profiles.Operations(p, rules, r.CPU()); err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d operations, %.2f s of CPU", got.Ops, float64(got.CPU)/1e9)
	out.Pprof, out.Flame = c.draw(p, r.Cell, title(r.Cell), note, "")
	return out, nil
}

// attributeAllocs is attribute for an allocation profile.
func (c *campaign) attributeAllocs(cell compare.Cell, got *Allocated) (*compare.Allocs, error) {
	p, err := profile.ParseData(got.Pprof)
	if err != nil {
		return nil, err
	}
	out := &compare.Allocs{Attribution: profiles.Attribute(p, c.build(cell).FrameRules), Ops: got.Ops,
		Bytes: got.Bytes}
	if got.Bytes > 0 {
		sampled := out.Attribution.Foreground.Total().Value + out.Attribution.Background.Total().Value
		out.Coverage = float64(sampled) / float64(got.Bytes)
	}
	note := fmt.Sprintf("%d operations, %.3g MB as the runtime counts them", got.Ops, float64(got.Bytes)/1e6)
	out.Pprof, out.Flame = c.draw(p, cell, title(cell)+": allocations", note, ".allocs")
	return out, nil
}

// draw writes a profile, its phases as labels, and its flame graph, and returns their names, "" for a file
// that could not be written.
func (c *campaign) draw(
	p *profile.Profile, cell compare.Cell, title, note, kind string,
) (pprof, flame string) {
	id, rules := cell.ID(), c.build(cell).FrameRules
	profiles.Annotate(p, rules)
	notes := []string{fmt.Sprintf("%s, rules %.12s", note, rules.Hash()), id}
	write := func(name string, content func(io.Writer) error) string {
		if err := c.folder.Write(name, content); err != nil {
			c.fail(err, false)
			return ""
		}
		return name
	}
	pprof = write(profileDir+"/"+fileName(id)+kind+".pb.gz", p.Write)
	flame = write(flameDir+"/"+fileName(id)+kind+".svg", func(w io.Writer) error {
		return profiles.FlameSVG(w, p, rules, profiles.FlameOptions{Title: title, Notes: notes})
	})
	return pprof, flame
}
