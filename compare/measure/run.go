package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/profiles"
)

// Progress is told what a campaign does, one call a job.
type Progress func(stage string, done, total int, cell string)

// Record is one line of runs.jsonl: one finished child.
type Record struct {
	Kind    Kind            `json:"kind"`
	Cell    string          `json:"cell"`
	Run     int             `json:"run"`
	Seed    uint64          `json:"seed"`
	Order   int             `json:"order"` // place in the run's random order
	N       int             `json:"n,omitempty"`
	First   int             `json:"first"`
	Warmup  int             `json:"warmup,omitempty"`
	Inputs  string          `json:"inputs,omitempty"`
	State   compare.State   `json:"state"`
	Reason  string          `json:"reason,omitempty"`
	Started time.Time       `json:"started"`
	Took    float64         `json:"took_s"`
	Binary  string          `json:"binary"`
	Blocks  []compare.Block `json:"blocks,omitempty"`
}

// Run runs the plan: gates, then timing one child at a time, then profiles of CPU time and of allocations. Whatever becomes
// of a cell is in its Result. When ctx ends, Run returns what is finished, marked Interrupted. The error says, in parts, what could
// not be written; once nothing more can be, Run measures no more and returns what is finished, marked Stopped.
func Run(ctx context.Context, plan Plan, runner Runner, folder *Folder, progress Progress) (*compare.Campaign, error) {
	if runner == nil || folder == nil {
		return nil, errors.New("a campaign needs a Runner and a Folder")
	}
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &campaign{cancel: stop, plan: plan, runner: runner, folder: folder, progress: progress, started: time.Now(),
		exchanges: make(map[string]*exchange), starts: make(map[int]time.Duration)}
	for i, cell := range plan.Cells {
		id := cell.Exchange().ID()
		x := c.exchanges[id]
		if x == nil {
			x = &exchange{id: id}
			c.exchanges[id] = x
			c.order = append(c.order, x)
		}
		x.cells = append(x.cells, i)
		c.results = append(c.results, compare.Result{Cell: cell, ID: cell.ID(), State: compare.LeftOut, Reason: "not reached"})
	}
	env := Environment()
	c.fail(folder.Write("env.json", func(w io.Writer) error {
		return printable.JSON(w, env)
	}), false)
	c.gates(ctx)
	c.fit()
	c.timings(ctx)
	runs := c.runs()
	c.profiles(ctx)
	c.allocs(ctx)
	out := &compare.Campaign{Version: compare.Version, Started: c.started, Took: time.Since(c.started).Seconds(), Seed: plan.Seed,
		Runs: runs, Documents: plan.Documents, Environment: env, Out: folder.Path, Results: c.results, Interrupted: outer.Err() != nil,
		Stopped: c.stopped}
	return out, errors.Join(c.broken...)
}

// runs is the largest number of runs that a cell has finished. A cell that lost some says how many it has.
func (c *campaign) runs() int {
	most := 0
	for i := range c.results {
		most = max(most, c.results[i].Runs())
	}
	for i := range c.results {
		if r := &c.results[i]; r.State == compare.Measured && r.Reason != "" {
			r.Reason = fmt.Sprintf("%s has %d of %d runs: %s", r.Cell.Operation, r.Runs(), most, r.Reason)
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
	starts    map[int]time.Duration // what a run of a cell took beside its blocks

	cancel context.CancelFunc // of all that is to come

	mu      sync.Mutex
	broken  []error // what could not be written
	stopped string  // why nothing more is measured
}

// exchange is what the gate found for the cells of one exchange.
type exchange struct {
	id       string
	cells    []int // indexes of results
	gated    *Gated
	startup  time.Duration // until a child has drawn its documents
	inputs   map[compare.Operation][]byte
	tooHeavy bool
}

// fail records what could not be written; nil is nothing. What is lost for good ends the campaign.
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

// noMore tells whether an error means that other files cannot be written either.
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

// job runs one Job, which should take as long as expected, and appends its line to runs.jsonl.
func (c *campaign) job(ctx context.Context, job Job, expected time.Duration, order int, inputs []byte, emit func(Event)) error {
	job.Version, job.Seed, job.Documents = Version, c.plan.Seed, c.plan.Documents
	job.Deadline, job.Memory = c.plan.Deadline.Seconds(), c.plan.Memory
	if c.plan.Idle > 0 {
		job.Idle = max(c.plan.Idle, idleTimes*expected).Seconds()
	}
	if inputs != nil {
		job.Inputs, job.InputBytes = hash(inputs), len(inputs)
	}
	rec := Record{Kind: job.Kind, Cell: job.Cell, Run: job.Run, Seed: job.Seed, Order: order, N: job.N, First: job.First,
		Warmup: job.Warmup, Inputs: job.Inputs, Started: time.Now(), State: compare.Measured}
	err := c.runner.Run(ctx, job, inputs, func(e Event) {
		switch {
		case e.Hello != nil:
			rec.Binary = e.Hello.Binary
		case e.Block != nil:
			rec.Blocks = append(rec.Blocks, *e.Block)
		}
		emit(e)
	})
	if err == nil && rec.Binary != BinaryHash() {
		err = &StoppedError{compare.Died, "another binary answered: the executable changed while the campaign ran"}
	}
	if err != nil {
		rec.State, rec.Reason = ending(err)
	}
	rec.Took = time.Since(rec.Started).Seconds()
	if rec.State != compare.Interrupted {
		c.fail(c.folder.Append(rec), true)
	}
	return err
}

// stop marks a cell with what stopped it; the first reason stays.
func (c *campaign) stop(i int, err error) {
	r := &c.results[i]
	if r.State != compare.Measured && r.State != compare.LeftOut {
		return
	}
	r.State, r.Reason = ending(err)
	r.Blocks, r.Profile = nil, nil
}

// ending is the state in which an error leaves a job, and why.
func ending(err error) (compare.State, string) {
	var stopped *StoppedError
	if errors.As(err, &stopped) {
		return stopped.State, stopped.Reason
	}
	return compare.Failed, err.Error()
}

// workers is how many children may run at a time where nothing is timed.
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

// tooSlow is why an exchange is left out.
const tooSlow = "this machine is too slow for it within the default time"

// groups divides the exchanges, in the plan's order, into those that are compared with each other: of one tier,
// algorithm and schema, or without the schema.
func (c *campaign) groups(schema bool) [][]*exchange {
	var out [][]*exchange
	var last compare.Cell
	for _, x := range c.order {
		cell := c.results[x.cells[0]].Cell
		key := compare.Cell{Engine: cell.Engine, Algorithm: cell.Algorithm}
		if schema {
			key.Schema = cell.Schema
		}
		if len(out) == 0 || key != last {
			out, last = append(out, nil), key
		}
		out[len(out)-1] = append(out[len(out)-1], x)
	}
	return out
}

// leaveOut leaves exchanges out of the campaign.
func (c *campaign) leaveOut(group []*exchange) {
	for _, x := range group {
		x.tooHeavy = true
		for _, i := range x.cells {
			if c.results[i].State == compare.LeftOut {
				c.results[i].Reason = tooSlow
			}
		}
	}
}

// gates checks the exchanges tier by tier. With a budget none after the first tier is begun when the gates have had their
// share, and a group is left out as a whole. Inside a tier the last schema comes first: it is the larger one, and takes
// longest.
func (c *campaign) gates(ctx context.Context) {
	tiers := c.groups(false)
	if len(tiers) == 0 {
		return // nothing can be measured
	}
	first := len(tiers[0])
	var order []*exchange
	for _, tier := range tiers {
		schemas := c.groups(true)
		schemas = slices.DeleteFunc(schemas, func(g []*exchange) bool { return !slices.Contains(tier, g[0]) })
		slices.Reverse(schemas)
		order = append(order, slices.Concat(schemas...)...)
	}
	parallel(ctx, len(order), func(i int) {
		if i >= first && c.plan.Budget > 0 && !c.plan.Keep && time.Since(c.started) > time.Duration(gateShare*float64(c.plan.Budget)) {
			order[i].tooHeavy = true
			return
		}
		c.say("gate", i, len(order), order[i].id)
		c.gate(ctx, order[i], i)
	})
	for _, g := range c.groups(true) {
		if slices.ContainsFunc(g, func(x *exchange) bool { return x.tooHeavy }) {
			c.leaveOut(g)
		}
	}
}

func (c *campaign) gate(ctx context.Context, x *exchange, order int) {
	start := time.Now()
	err := c.job(ctx, Job{Kind: Gate, Cell: x.id}, 0, order, nil, func(e Event) {
		switch {
		case e.Hello != nil:
			x.startup = time.Since(start)
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
	x.startup += time.Duration(x.gated.Open * float64(time.Second))
	x.inputs = map[compare.Operation][]byte{compare.Present: x.gated.Issued, compare.Verify: x.gated.Presented}
	for _, i := range x.cells {
		c.results[i].Work = x.gated.Work[c.results[i].Cell.Operation]
	}
}

// sizing of a cell whose gate passed: as its last run had it, or as the gate foretells.
func (c *campaign) sizing(i int) sizing {
	x := c.exchange(i)
	op := time.Duration(c.results[i].Work.Estimate)
	if start, ok := c.starts[i]; ok {
		return sizing{op, start}
	}
	var gate time.Duration
	for _, w := range x.gated.Work {
		gate += time.Duration(w.Estimate)
	}
	return sizing{op: op, start: x.startup + 3*gate + time.Duration(warmup(op))*op}
}

// open lists the cells that passed their gates and have not stopped.
func (c *campaign) open() []int {
	var open []int
	for i := range c.results {
		if s := c.results[i].State; s == compare.Measured || s == compare.LeftOut && !c.exchange(i).tooHeavy && c.exchange(i).gated != nil {
			open = append(open, i)
		}
	}
	return open
}

func (c *campaign) exchange(i int) *exchange { return c.exchanges[c.results[i].Cell.Exchange().ID()] }

// least is how many operations a run times at least: over all runs every document has its turn.
func (c *campaign) least() int {
	return max((c.plan.Documents+c.plan.Runs-1)/c.plan.Runs, c.plan.Blocks)
}

// fit leaves groups out from the end while the others do not fit the budget: fitRuns of their smallest runs and the smallest
// profiles. The first tier stays while a single run of it fits; it may overdraw the budget, or end without some profiles.
func (c *campaign) fit() {
	if c.plan.Budget == 0 || c.plan.Keep || len(c.order) == 0 {
		return
	}
	groups, first := c.groups(true), len(c.groups(false)[0])
	for k := len(groups) - 1; k > 0; k-- {
		sizings := c.sizings(c.open())
		_, need := choose(sizings, c.least(), 0)
		need = need * 6 / 10 // the gates got in each other's way, runs do not
		limit := c.left()
		if slices.Index(c.order, groups[k][0]) < first {
			limit += grace
		} else {
			need *= time.Duration(min(fitRuns, c.plan.Runs))
			if c.plan.Profile < 0 {
				for _, s := range sizings {
					need += (s.start + profilerStop + time.Duration(minProfile*float64(time.Second))) / time.Duration(workers())
				}
			}
		}
		if need <= limit {
			return
		}
		c.leaveOut(groups[k])
	}
}

func (c *campaign) sizings(cells []int) []sizing {
	var out []sizing
	for _, i := range cells {
		out = append(out, c.sizing(i))
	}
	return out
}

// timings runs every open cell once per run, in an order drawn anew for each run.
// With a budget a run gets its part of what is left, and the last ones fall away if they no longer fit.
func (c *campaign) timings(ctx context.Context) {
	var deadline time.Time
	if c.plan.Budget > 0 {
		share := 1.0
		if c.plan.Profile < 0 {
			share = timingShare
		}
		deadline = time.Now().Add(time.Duration(share * float64(c.left())))
	}
	slow := 1.0 // what a run took over what it was expected to take
	for run := range c.plan.Runs {
		cells := c.open()
		n := slices.Repeat([]int{c.plan.N}, len(cells))
		var expected time.Duration
		if c.plan.N == 0 {
			left := time.Until(deadline)
			n, expected = choose(c.sizings(cells), c.least(), time.Duration(float64(left)/slow)/time.Duration(c.plan.Runs-run))
			if run > 0 && !c.plan.Keep && slow*float64(expected) > lenience*float64(left) {
				return
			}
		}
		start := time.Now()
		order := rand.New(rand.NewPCG(c.plan.Seed, uint64(run))).Perm(len(cells))
		for place, k := range order {
			if ctx.Err() != nil {
				return
			}
			i := cells[k]
			c.say(fmt.Sprintf("time, run %d of %d", run+1, c.plan.Runs), place, len(order), c.results[i].ID)
			c.time(ctx, i, run, place, n[k])
		}
		slow = time.Since(start).Seconds() / max(expected, time.Millisecond).Seconds()
	}
}

func (c *campaign) time(ctx context.Context, i, run, place, n int) {
	x, r := c.exchange(i), &c.results[i]
	var blocks []compare.Block
	started, timed, size := time.Now(), time.Duration(0), c.sizing(i)
	err := c.job(ctx, Job{Kind: Time, Cell: r.ID, Drawn: x.gated.Drawn, Work: r.Work.Counters, Run: run, First: r.N,
		N: n, Blocks: min(c.plan.Blocks, n), Warmup: warmup(time.Duration(r.Work.Estimate))}, size.start+time.Duration(n)*size.op, place, x.inputs[r.Cell.Operation],
		func(e Event) {
			if e.Block != nil {
				blocks = append(blocks, *e.Block)
				timed += time.Duration(e.Block.Wall)
			}
		})
	if err != nil {
		switch state, _ := ending(err); {
		case state == compare.Interrupted: // earlier runs of the cell stay
		case r.State == compare.Measured && (state == compare.Died || state == compare.TimedOut || state == compare.OutOfMemory):
			r.Reason = lacks(r.Reason, fmt.Sprintf("run %d: %v", run+1, err)) // they are as good as they were
		default:
			c.stop(i, err)
		}
		return
	}
	c.starts[i] = time.Since(started) - timed
	if r.State != compare.Measured {
		r.State, r.Reason = compare.Measured, ""
	}
	r.N += n
	r.Blocks = append(r.Blocks, blocks...)
}

// measured lists the cells that have a time.
func (c *campaign) measured() []int {
	return slices.DeleteFunc(c.open(), func(i int) bool { return c.results[i].State != compare.Measured })
}

func (c *campaign) profiles(ctx context.Context) {
	if c.plan.Profile == 0 {
		return
	}
	cells := c.measured()
	parallel(ctx, len(cells), func(k int) {
		i := cells[k]
		r, x := &c.results[i], c.exchange(i)
		if c.plan.Budget > 0 && !c.plan.Keep && c.plan.Profile < 0 && c.left() < -grace {
			r.Reason = lacks(r.Reason, "no profile: this machine is too slow for it within the default time")
			return
		}
		c.say("profile", k, len(cells), r.ID)
		var got *Profiled
		seconds, wall := c.profileSeconds(cells[k:]), 0.0
		if c.plan.Profile < 0 && c.plan.Budget > 0 {
			wall = 2 * seconds // a busy machine gets fewer samples in the time it has
		}
		err := c.job(ctx, Job{Kind: Profile, Cell: r.ID, Drawn: x.gated.Drawn, Work: r.Work.Counters, ProfileSeconds: seconds, ProfileWall: wall,
			Warmup: warmup(time.Duration(r.Work.Estimate)), Rules: c.plan.Rules.Hash()}, c.starts[i]+time.Duration(seconds*float64(time.Second)),
			k, x.inputs[r.Cell.Operation], func(e Event) {
				if e.Profile != nil {
					got = e.Profile
				}
			})
		switch {
		case err == nil && got == nil:
			err = errors.New("the child sent none")
		case err == nil:
			r.Profile, err = c.attribute(r.ID, got)
		}
		r.Reason = lacks(r.Reason, without("no profile: ", err))
	})
}

// profileSeconds is the CPU time for the next profile pass: its part of what is left for the cells to come.
func (c *campaign) profileSeconds(cells []int) float64 {
	switch {
	case c.plan.Profile > 0:
		return c.plan.Profile
	case c.plan.Budget == 0:
		return defaultProfile
	}
	var start time.Duration
	for _, s := range c.sizings(cells) {
		start += s.start + profilerStop
	}
	each := (c.left()*time.Duration(workers()) - start).Seconds() / float64(len(cells))
	return min(maxProfile, max(minProfile, 0.85*each)) // two at a time get in each other's way
}

func (c *campaign) allocs(ctx context.Context) {
	if !c.plan.Allocs {
		return
	}
	cells := c.measured()
	parallel(ctx, len(cells), func(k int) {
		i := cells[k]
		r, x := &c.results[i], c.exchange(i)
		c.say("allocations", k, len(cells), r.ID)
		var got *Allocated
		err := c.job(ctx, Job{Kind: Allocs, Cell: r.ID, Drawn: x.gated.Drawn, Work: r.Work.Counters, N: allocOps(r.Blocks),
			Warmup: warmup(time.Duration(r.Work.Estimate)), Rules: c.plan.Rules.Hash()}, c.starts[i]+allocTime,
			k, x.inputs[r.Cell.Operation], func(e Event) {
				if e.Allocs != nil {
					got = e.Allocs
				}
			})
		switch {
		case err == nil && got == nil:
			err = errors.New("the child sent none")
		case err == nil:
			r.Allocs, err = c.attributeAllocs(r.ID, got)
		}
		r.Reason = lacks(r.Reason, without("no allocation profile: ", err))
	})
}

// lacks adds what a measured cell lacks to what it lacks already.
func lacks(reason, more string) string {
	if reason == "" || more == "" {
		return reason + more
	}
	return reason + "; " + more
}

// without says what a pass that failed leaves out; "" of one that went well or was interrupted.
func without(what string, err error) string {
	if err == nil {
		return ""
	}
	if state, _ := ending(err); state == compare.Interrupted {
		return ""
	}
	return what + err.Error()
}

// title names a cell for people.
func title(id string) string {
	c, err := compare.ParseCell(id)
	if err != nil {
		return id
	}
	schema, _ := url.PathUnescape(c.Schema) // a file's name is escaped
	return fmt.Sprintf("%s: %s %s of %s, %s, %s engine", c.Operation, c.Format, c.Suite, printable.Line(cmp.Or(schema, c.Schema)), c.Algorithm, c.Engine)
}

// attribute charges a CPU profile to phases and writes it with its picture into the results folder.
func (c *campaign) attribute(id string, got *Profiled) (*compare.Profile, error) {
	p, err := profile.ParseData(got.Pprof)
	if err != nil {
		return nil, err
	}
	rec := profiles.Recording{Profile: p, CPU: time.Duration(got.CPU), Wall: time.Duration(got.Wall)}
	out := &compare.Profile{Attribution: profiles.Attribute(p, c.plan.Rules), Ops: got.Ops, CPU: got.CPU, Coverage: rec.Coverage(),
		Warning: rec.Warning()}
	note := fmt.Sprintf("%d operations, %.2f s of CPU", got.Ops, float64(got.CPU)/1e9)
	out.Pprof, out.Flame = c.draw(p, id, title(id), note, "")
	return out, nil
}

// attributeAllocs does the same with an allocation profile.
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

// draw writes a profile, its phases as labels, and its flame graph, and returns their names; "" of what could not be written.
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
