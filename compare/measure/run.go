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

// Progress reports the progress of a campaign, with one call for each job.
type Progress func(stage string, done, total int, cell string)

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
	Reading    *compare.Reading                   `json:"machine,omitempty"` // of timings and controls
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

	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if plan.Now.IsZero() {
		plan.Now = time.Now().UTC().Truncate(time.Second)
	}
	c := &campaign{cancel: stop, plan: plan, runner: runner, folder: folder, progress: progress,
		started: time.Now(), exchanges: make(map[string]*exchange)}
	for i, cell := range plan.Cells {
		id := cell.Exchange().ID()
		x := c.exchanges[id]
		if x == nil {
			x = &exchange{id: id}
			c.exchanges[id] = x
			c.order = append(c.order, x)
		}
		x.cells = append(x.cells, i)
		c.results = append(c.results, compare.Result{Cell: cell, ID: cell.ID(), State: compare.LeftOut,
			Reason: "not reached"})
	}

	env := Environment()
	if plan.Profile != 0 {
		c.chooseSampler()
		env["sampler"] = string(c.sampler)
	}
	c.fail(folder.Write("env.json", func(w io.Writer) error {
		return printable.JSON(w, env)
	}), false)

	c.gates(ctx)
	c.timings(ctx)
	runs := c.runs()
	c.raw(ctx)
	c.profiles(ctx)
	c.allocs(ctx)
	out := &compare.Campaign{Version: compare.Version, Started: c.started,
		Now: plan.Now, Took: time.Since(c.started).Seconds(), Seed: plan.Seed, Planned: plan.Runs, Runs: runs,
		Window: plan.Window, Documents: plan.Documents, Environment: env, Out: folder.Path,
		Given:   append(sources(plan.Given.Documents), sources(plan.Given.Contexts)...),
		Results: c.results, Interrupted: outer.Err() != nil, Stopped: c.stopped}

	out.Band, out.Fitness = plan.Band, Judge(c.fitness.readings, c.fitness.pairs)
	return out, errors.Join(c.broken...)
}

// runs returns the largest number of runs that a cell has finished, and notes in a cell that has fewer how
// many it has.
func (c *campaign) runs() int {
	most := 0
	for i := range c.results {
		most = max(most, len(c.results[i].Runs))
	}
	for i := range c.results {
		if r := &c.results[i]; r.State == compare.Measured && r.Reason != "" {
			r.Reason = fmt.Sprintf("%s has %d of %d runs: %s", r.Cell.Operation, len(r.Runs), most, r.Reason)
		}
	}
	return most
}

type campaign struct {
	plan      Plan
	runner    Runner
	folder    *Folder
	progress  Progress
	started   time.Time
	results   []compare.Result // one for each cell of the plan
	exchanges map[string]*exchange
	order     []*exchange
	sampler   profiles.Sampler // that is expected here: signal or perf
	fitness   fitness          // of what was timed, one job at a time

	controlled *exchange // that is timed in pairs; nil is none

	cancel context.CancelFunc // of all that is to come

	mu      sync.Mutex
	broken  []error // what could not be written
	stopped string  // why nothing more is measured
}

// exchange is the state of the cells of one exchange.
type exchange struct {
	id       string
	cells    []int  // indexes of results
	gated    *Gated // by its gate
	tooHeavy bool
	start    time.Duration // until a child may time
	took     time.Duration // time of the last timing child; 0 before the first
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
		c.cancel()
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

func (c *campaign) say(stage string, done, total int, cell string) {
	if c.progress != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.progress(stage, done, total, cell)
	}
}

// left is what remains of the budget.
func (c *campaign) left() time.Duration { return c.plan.Budget - time.Since(c.started) }

// jobOf makes a Job of some cells of an exchange, and its inputs.
func (c *campaign) jobOf(kind Kind, x *exchange, cells []int) (Job, []byte) {
	job := Job{Kind: kind, Cell: x.id, Drawn: x.gated.Drawn,
		Work: make(map[compare.Operation]compare.Counters), Rules: c.plan.Rules.Hash()}
	var inputs []byte
	for _, i := range cells {
		r := &c.results[i]
		op := r.Cell.Operation
		job.Operations = append(job.Operations, op)
		job.Work[op] = r.Work.Counters
		if b := x.gated.Inputs[op]; b != nil {
			job.Inputs = append(job.Inputs, Input{op, hash(b), len(b)})
			inputs = append(inputs, b...)
		}
	}
	return job, inputs
}

// answer is the answer of a child about an operation.
type answer struct {
	run     *compare.Run
	raw     *Timed
	profile *Profiled
	allocs  *Allocated
	err     error // of the operation, or of the whole child
}

// says reports whether an answer has what a Job asked for.
func (a answer) says(kind Kind) bool {
	return map[Kind]bool{
		Time: a.run != nil, Control: a.run != nil, Raw: a.raw != nil, Profile: a.profile != nil,
		Allocs: a.allocs != nil,
	}[kind]
}

// job runs one Job, which should take the expected time, and appends its line to runs.jsonl.
func (c *campaign) job(
	ctx context.Context, job Job, expected time.Duration, order int, inputs []byte, listen func(Event),
) (map[compare.Operation]answer, error) {
	job.Version, job.Seed, job.Documents, job.CPU = Version, c.plan.Seed, c.plan.Documents, c.plan.CPU
	job.Canonize, job.Deadline = c.plan.Canonize.Seconds(), c.plan.Deadline.Seconds()
	job.Memory, job.Now = c.plan.Memory, c.plan.Now
	if c.plan.Idle > 0 {
		job.Idle = max(c.plan.Idle, idleTimes*expected).Seconds()
	}

	rec := Record{Kind: job.Kind, Cell: job.Cell, Operations: job.Operations, Block: job.Block,
		Seed: job.Seed, Order: order, First: job.First, Inputs: job.Inputs, Started: time.Now(),
		State: compare.Measured, Runs: make(map[compare.Operation]*compare.Run),
		Failed: make(map[compare.Operation]*Failure)}

	cell, err := compare.ParseCell(job.Cell)
	if err != nil {
		return nil, err
	}
	inputs = append(inputs, job.give(cell.Schema, c.plan.Given)...)

	answers := make(map[compare.Operation]answer)
	err = c.runner.Run(ctx, job, inputs, func(e Event) {
		switch {
		case e.Hello != nil:
			rec.Binary, rec.CPUs = e.Hello.Binary, e.Hello.CPUs
		case e.Reading != nil:
			rec.Reading = e.Reading
		case e.Failed != nil:
			rec.Failed[e.Operation] = e.Failed
			answers[e.Operation] = answer{err: e.Failed.stopped()}
		case e.Operation != "":
			if e.Run != nil {
				rec.Runs[e.Operation] = e.Run
			}
			a := answer{run: e.Run, raw: e.Raw, profile: e.Profile, allocs: e.Allocs}
			if a.says(job.Kind) {
				answers[e.Operation] = a
			}
		}
		if listen != nil {
			listen(e)
		}
	})

	if err == nil && rec.Binary != BinaryHash() {
		err = &StoppedError{compare.Died,
			"another binary answered: the executable changed while the campaign ran"}
	}
	if err != nil {
		rec.State, rec.Reason = ending(err)
		rec.Runs = nil
	}

	for _, op := range job.Operations {
		switch _, said := answers[op]; {
		case err != nil:
			answers[op] = answer{err: err}
		case !said:
			answers[op] = answer{err: fmt.Errorf("the child said nothing of %s", op)}
		}
	}

	rec.Took = time.Since(rec.Started).Seconds()
	if job.Kind == Time || job.Kind == Control {
		c.fitness.add(&rec)
	}
	if rec.State != compare.Interrupted {
		c.fail(c.folder.Append(rec), true)
	}

	return answers, err
}

// stop marks a cell with the reason that stopped it; the first reason is kept.
func (c *campaign) stop(i int, err error) {
	r := &c.results[i]
	if r.State != compare.Measured && r.State != compare.LeftOut {
		return
	}
	r.State, r.Reason = ending(err)
	r.Runs, r.Profile = nil, nil
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

// parallel calls f for 0..n-1, a few at a time, until ctx ends.
func parallel(ctx context.Context, n int, f func(int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers() {
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
		cell := c.results[x.cells[0]].Cell
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
	for _, x := range slices.Concat(groups...) {
		x.tooHeavy = true
		for _, i := range x.cells {
			if c.results[i].State == compare.LeftOut {
				c.results[i].Reason = tooSlow
			}
		}
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
		if bounded && k > 0 && c.spare() < took[schema] {
			c.leaveOut(groups[k:])
			return
		}

		started := time.Now()
		parallel(ctx, len(group), func(i int) {
			c.say("gate", done+i, len(c.order), group[i].id)
			c.gate(ctx, group[i], done+i)
		})
		done, took[schema] = done+len(group), time.Since(started)

		if bounded && k > 0 && c.spare() < 0 {
			c.leaveOut(groups[k:])
			return
		}
	}
}

// spare is what remains of the budget after fitRuns processes of each exchange that has passed its gate, and
// half of their profiles.
func (c *campaign) spare() time.Duration {
	exchanges := c.with(c.open)
	var need time.Duration
	for _, x := range exchanges {
		need += c.expected(x)
	}
	return c.left() - need*time.Duration(min(fitRuns, c.plan.Runs)) - c.profiling(exchanges)/2
}

func (c *campaign) gate(ctx context.Context, x *exchange, order int) {
	start := time.Now()
	_, err := c.job(ctx, Job{Kind: Gate, Cell: x.id}, 0, order, nil, func(e Event) {
		switch {
		case e.Hello != nil:
			x.start = time.Since(start)
		case e.Gate != nil:
			x.gated = e.Gate
		}
	})
	if err == nil && x.gated == nil {
		err = &StoppedError{compare.Died, "the gate said nothing"}
	}
	if err != nil {
		x.gated = nil
		for _, i := range x.cells {
			c.stop(i, err)
		}
		return
	}
	x.start += seconds(x.gated.Open)
	for _, w := range x.gated.Work {
		x.start += 3 * time.Duration(w.Estimate) // one document is gated again
	}
	for _, i := range x.cells {
		c.results[i].Work = x.gated.Work[c.results[i].Cell.Operation]
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
	return c.plan.Profile < 0 && c.results[x.cells[0]].Cell.Format == compare.Floor
}

// timings runs a process of every exchange in each block, in an order drawn anew. With a budget groups from
// the end have no more processes once all cannot have fitRuns, and the last blocks fall away if they no
// longer fit. A precision that the plan wants adds blocks.
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
	groups := c.groups()
	c.control(ctx, 0)

	for block, runs := 0, c.plan.Runs; block < runs; block++ {
		if block > 0 && block == c.plan.Runs/2 {
			c.control(ctx, 1)
		}
		if block > 0 && !deadline.IsZero() {
			groups = groups[:c.reach(groups, block, time.Until(deadline))]
		}

		exchanges := slices.Concat(groups...)
		exchanges = slices.DeleteFunc(exchanges, func(x *exchange) bool { return len(c.open(x)) == 0 })
		rng := rand.New(rand.NewPCG(c.plan.Seed, uint64(block)))
		for place, k := range rng.Perm(len(exchanges)) {
			if ctx.Err() != nil {
				return
			}
			x := exchanges[k]
			c.say(fmt.Sprintf("time, run %d of %d", block+1, runs), place, len(exchanges), x.id)
			cells := c.open(x)
			rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
			c.time(ctx, x, cells, block, block*stride%c.plan.Documents, place)
		}

		if block == runs-1 {
			runs = c.wanted(exchanges, runs)
		}
	}

	c.control(ctx, 2)
}

// reach is how many groups, from the first, have a process in a block: those that will have fitRuns in the
// time that is left. The first has as many as fit.
func (c *campaign) reach(groups [][]*exchange, block int, left time.Duration) int {
	var expected time.Duration
	wanted := max(1, min(fitRuns, c.plan.Runs)-block)
	for k, group := range groups {
		for _, x := range group {
			if len(c.open(x)) > 0 {
				expected += c.expected(x)
			}
		}
		processes := wanted
		if k == 0 {
			processes = 1
		}
		if need := float64(expected) / lenience; need*float64(processes) > float64(left) {
			return k
		}
	}
	return len(groups)
}

// time times cells of an exchange in one process.
func (c *campaign) time(ctx context.Context, x *exchange, cells []int, block, first, place int) {
	job, inputs := c.jobOf(Time, x, cells)
	job.Block, job.First, job.Window = block, first, c.plan.Window
	started := time.Now()
	answers, err := c.job(ctx, job, max(c.foretold(x), x.took), place, inputs, func(e Event) {
		if e.Gate != nil {
			x.start = time.Since(started)
		}
	})
	if err == nil {
		x.took = time.Since(started)
	}

	for _, i := range cells {
		r := &c.results[i]
		a := answers[r.Cell.Operation]
		if a.err == nil {
			if r.State != compare.Measured {
				r.State, r.Reason = compare.Measured, ""
			}
			r.Runs = append(r.Runs, *a.run)
			continue
		}
		switch state, why := ending(a.err); {
		case state == compare.Interrupted: // earlier processes stay
		case r.State == compare.Measured && (state == compare.Died || state == compare.TimedOut ||
			state == compare.OutOfMemory):
			// Earlier processes are as good as they were.
			r.Reason = lacks(r.Reason, fmt.Sprintf("run %d: %s: %s", block+1, state, why))
		default:
			c.stop(i, a.err)
		}
	}
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
		c.say("single operations", k, len(exchanges), x.id)
		cells := c.measured(x)
		job, inputs := c.jobOf(Raw, x, cells)
		answers, _ := c.job(ctx, job, x.start+time.Duration(len(cells))*rawTime, k, inputs, nil)
		c.take(cells, answers, "no single operations: ", func(r *compare.Result, a answer) error {
			r.Raw = c.keep(r.ID, a.raw)
			return nil
		})
	}
}

// take handles the answers of a pass for each cell; a cell without an answer records what it lacks.
func (c *campaign) take(
	cells []int, answers map[compare.Operation]answer, lacking string, f func(*compare.Result, answer) error,
) {
	for _, i := range cells {
		r := &c.results[i]
		a := answers[r.Cell.Operation]
		if a.err == nil {
			a.err = f(r, a)
		}
		r.Reason = lacks(r.Reason, without(lacking, a.err))
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
		c.say("profile", k, len(exchanges), x.id)
		job, inputs := c.jobOf(Profile, x, cells)
		job.ProfileSeconds = c.profileSeconds(exchanges[k:])
		job.Sampler = cmp.Or(c.plan.Sampler, profiles.Auto)
		job.Bounded = chosen // a busy machine gets fewer samples in the time it has
		expected := x.start
		for _, s := range job.ProfileSeconds {
			expected += seconds(s)
		}
		answers, _ := c.job(ctx, job, expected, k, inputs, nil)
		c.take(cells, answers, "no profile: ", func(r *compare.Result, a answer) (err error) {
			r.Profile, err = c.attribute(r.ID, a.profile)
			return err
		})
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
	parallel(ctx, len(cells), func(k int) {
		id := c.results[cells[k]].Cell
		x := c.exchanges[id.Exchange().ID()]
		c.say("allocations", k, len(cells), id.ID())
		job, inputs := c.jobOf(Allocs, x, cells[k:k+1])
		answers, _ := c.job(ctx, job, x.start+allocTime, k, inputs, nil)
		take := func(r *compare.Result, a answer) (err error) {
			r.Allocs, err = c.attributeAllocs(r.ID, a.allocs)
			return err
		}
		c.take(cells[k:k+1], answers, "no allocation profile: ", take)
	})
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

// title describes a cell in words.
func title(id string) string {
	c, err := compare.ParseCell(id)
	if err != nil {
		return id
	}
	schema, _ := schemas.FileTitle(c.Schema)
	return fmt.Sprintf("%s: %s %s of %s, %s, %s engine", c.Operation, c.Format, c.Suite,
		printable.Line(schema), c.Algorithm, c.Engine)
}

// attribute charges a CPU profile to phases and writes it with its picture into the results folder.
func (c *campaign) attribute(id string, got *Profiled) (*compare.Profile, error) {
	p, err := profile.ParseData(got.Pprof)
	if err != nil {
		return nil, err
	}
	rec := profiles.Recording{Profile: p, CPU: time.Duration(got.CPU), Wall: time.Duration(got.Wall),
		UserOnly: got.UserOnly}
	out := &compare.Profile{Attribution: profiles.Attribute(p, c.plan.Rules), Ops: got.Ops, CPU: got.CPU,
		Coverage: rec.Coverage(), Warning: rec.Warning(), Sampler: got.Sampler, Fallback: got.Fallback,
		Lost: got.Lost}
	if err := profiles.Operations(p, c.plan.Rules, got.Ops); err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d operations, %.2f s of CPU", got.Ops, float64(got.CPU)/1e9)
	out.Pprof, out.Flame = c.draw(p, id, title(id), note, "")
	return out, nil
}

// attributeAllocs is attribute for an allocation profile.
func (c *campaign) attributeAllocs(id string, got *Allocated) (*compare.Allocs, error) {
	p, err := profile.ParseData(got.Pprof)
	if err != nil {
		return nil, err
	}
	out := &compare.Allocs{Attribution: profiles.Attribute(p, c.plan.Rules), Ops: got.Ops, Bytes: got.Bytes}
	if got.Bytes > 0 {
		sampled := out.Attribution.Foreground.Total().Value + out.Attribution.Background.Total().Value
		out.Coverage = float64(sampled) / float64(got.Bytes)
	}
	note := fmt.Sprintf("%d operations, %.3g MB as the runtime counts them", got.Ops, float64(got.Bytes)/1e6)
	out.Pprof, out.Flame = c.draw(p, id, title(id)+": allocations", note, ".allocs")
	return out, nil
}

// draw writes a profile, its phases as labels, and its flame graph, and returns their names, "" for a file
// that could not be written.
func (c *campaign) draw(p *profile.Profile, id, title, note, kind string) (pprof, flame string) {
	profiles.Annotate(p, c.plan.Rules)
	notes := []string{fmt.Sprintf("%s, rules %.12s", note, c.plan.Rules.Hash()), id}
	write := func(name string, content func(io.Writer) error) string {
		if err := c.folder.Write(name, content); err != nil {
			c.fail(err, false)
			return ""
		}
		return name
	}
	pprof = write(profileDir+"/"+fileName(id)+kind+".pb.gz", p.Write)
	flame = write(flameDir+"/"+fileName(id)+kind+".svg", func(w io.Writer) error {
		return profiles.FlameSVG(w, p, c.plan.Rules, profiles.FlameOptions{Title: title, Notes: notes})
	})
	return pprof, flame
}
