package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/profiles"
)

// Carrier takes batches of a campaign to other machines, and brings back their replies.
type Carrier interface {
	// Carry returns when each batch has been answered. It calls heard, one call at a time, with a reply to
	// each batch, in any order, and with what went wrong on the way. Its error is a *StoppedError of the
	// state Interrupted if the campaign was cancelled from elsewhere.
	Carry(ctx context.Context, freight Freight, heard func(Reply)) error
}

// Freight is what a Carrier carries.
type Freight struct {
	Campaign    string // hash of its plan
	Environment string
	Binary      string // SHA-256 that machines must have
	Rules       string // hash of the frame rules that they must have
	Given       compare.Given
	Batches     []Batch
}

// Reply is the answers of one machine to a batch. One without a batch has faults alone.
type Reply struct {
	Worker      string            `json:"worker"`
	Environment map[string]string `json:"environment,omitempty"`
	Batch       string            `json:"batch,omitempty"`
	Answers     []Answer          `json:"answers,omitempty"` // one of each job
	Reason      string            `json:"reason,omitempty"`  // why there are none
	Faults      []string          `json:"faults,omitempty"`  // of the machine, and of the way to it
}

// Dispatch is Run on other machines: the blocks of exchanges that are compared travel together, and each
// machine gates what it measures. A plan for other machines has no budget.
func Dispatch(
	ctx context.Context, plan Plan, carrier Carrier, folder *Folder, progress Progress,
) (*compare.Campaign, error) {
	if carrier == nil || folder == nil || plan.Budget != 0 {
		return nil, errors.New("a campaign on other machines needs a Carrier and a Folder, and has no budget")
	}
	c, planned, env := begin(plan, nil, folder, progress)
	c.carrier = carrier
	return c.run(ctx, planned, env)
}

// Redispatch is Resume on other machines. What is still under way there is awaited, not repeated.
func Redispatch(
	ctx context.Context, l *Loaded, given compare.Given, carrier Carrier, folder *Folder, progress Progress,
) (*compare.Campaign, error) {
	c, err := l.goOn(given, nil, folder, progress)
	if err != nil {
		return nil, err
	}
	c.carrier = carrier
	return c.run(ctx, &l.Planned, l.Campaign.Environment)
}

// ID is the hash of a plan, which names its campaign.
func (p *Planned) ID() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // it is plain data
	}
	return hash(b)[:16]
}

// away is a campaign on other machines.
type away struct {
	*campaign
	freight Freight
	env     map[string]string
	sent    map[string]*Batch
	drawn   map[string][]string // documents of exchanges, as the first machine has drawn them
	gated   map[string]bool     // exchanges that a worker has gated
	known   map[string]bool     // workers and faults
	done    int
	stage   string
	refused bool // the reply that is settled
}

// elsewhere does all stages on other machines.
func (c *campaign) elsewhere(ctx context.Context, planned *Planned, env map[string]string) {
	a := &away{campaign: c, env: env, drawn: make(map[string][]string), gated: make(map[string]bool),
		known: make(map[string]bool)}
	a.freight = Freight{Campaign: planned.ID(), Environment: c.plan.Environment, Binary: c.plan.binary(),
		Rules: planned.Rules, Given: c.plan.Given}
	if c.past != nil {
		a.remember()
	}

	for from, runs := 0, c.plan.Runs; from < runs; {
		var batches []Batch
		for block := from; block < runs; block++ {
			batches = append(batches, c.blocks(block)...)
		}
		if !a.carry(ctx, "time", batches) {
			return
		}
		from, runs = runs, c.wanted(c.order, runs)
	}
	c.short()

	var batches []Batch
	for k, x := range c.order {
		if b := c.passes(k, x); len(b.Jobs) > 0 {
			batches = append(batches, b)
		}
	}
	a.carry(ctx, "profile", batches)
}

// remember takes over what was heard before the campaign was resumed.
func (a *away) remember() {
	for _, r := range a.past.records {
		switch r.Kind {
		case NewWorker, Fault:
			a.known[r.Worker+r.Reason] = true
			a.add(r)
		case Gate:
			a.gated[r.Worker+r.Cell] = true
			a.add(r)
		}
	}
}

// blocks makes the batches of a block: one of each group of exchanges that are compared with each other, in
// an order drawn anew. Pairs of processes for the fitness go with the first group.
func (c *campaign) blocks(block int) []Batch {
	stride := (c.plan.Documents + c.plan.Runs - 1) / c.plan.Runs
	first := block * stride % c.plan.Documents
	var batches []Batch
	for g, group := range c.compared() {
		rng := rand.New(rand.NewPCG(c.plan.Seed, uint64(block)|uint64(g)<<32))
		b := Batch{ID: fmt.Sprintf("time-%d-%d", g, block)}
		add := func(kind Kind, x *exchange, block, first int) {
			cells := slices.Clone(x.cells)
			rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
			job := c.jobOf(kind, x, cells)
			job.Block, job.First, job.Window = block, first, c.plan.Window
			b.Jobs = append(b.Jobs, job)
		}

		place := slices.Index([]int{0, c.plan.Runs / 2, c.plan.Runs - 1}, block)
		if g == 0 && place >= 0 && c.plan.Fitness {
			x := group[max(0, slices.IndexFunc(group, func(x *exchange) bool {
				return c.results[x.cells[0]].Cell.Format == compare.Floor
			}))]
			add(Control, x, 2*place, 0)
			add(Control, x, 2*place+1, 0)
		}
		for _, k := range rng.Perm(len(group)) {
			add(Time, group[k], block, first)
		}
		batches = append(batches, c.travelling(b))
	}
	return batches
}

// compared divides the exchanges into those between which reports show ratios or laws: of one schema, of all
// schemas of an experiment, and all documents that are canonicalized.
func (c *campaign) compared() [][]*exchange {
	experiments := make(map[string]string)
	for _, e := range c.plan.Experiments {
		for _, p := range e.Points {
			experiments[p.Schema] = cmp.Or(experiments[p.Schema], "experiment "+e.Name)
		}
	}
	var groups [][]*exchange
	at := make(map[string]int)
	for _, x := range c.order {
		cell := c.results[x.cells[0]].Cell
		key := cmp.Or(experiments[cell.Schema], "schema "+cell.Schema)
		if cell.Format == compare.Document {
			key = "documents"
		}
		k, ok := at[key]
		if !ok {
			k = len(groups)
			at[key], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], x)
	}
	return groups
}

// passes makes the batch of the separate passes of an exchange.
func (c *campaign) passes(k int, x *exchange) Batch {
	b := Batch{ID: fmt.Sprintf("pass-%d", k)}
	cells := c.measured(x)
	if len(cells) == 0 {
		return b
	}
	if c.plan.Raw {
		b.Jobs = append(b.Jobs, c.jobOf(Raw, x, cells))
	}
	if c.plan.Profile != 0 && !c.unphased(x) {
		job := c.jobOf(Profile, x, cells)
		job.ProfileSeconds = c.profileSeconds([]*exchange{x})
		job.Sampler, job.Precise = cmp.Or(c.plan.Sampler, profiles.Auto), c.plan.Precise
		b.Jobs = append(b.Jobs, job)
	}
	if c.plan.Allocs {
		for i := range cells {
			b.Jobs = append(b.Jobs, c.jobOf(Allocs, x, cells[i:i+1]))
		}
	}
	return c.travelling(b)
}

// travelling gives the jobs of a batch what all jobs have, except what only machines know.
func (c *campaign) travelling(b Batch) Batch {
	for i := range b.Jobs {
		job := &b.Jobs[i]
		c.common(job)
		job.Work = nil
		if cell, err := compare.ParseCell(job.Cell); err == nil {
			job.give(cell.Schema, c.plan.Given)
			job.Engine = nil
			if !compare.Foreign(cell.Engine) {
				job.Idle = c.plan.Idle.Seconds()
			}
		}
	}
	return b
}

// carry has batches done, except those that were done before the campaign was resumed. It reports whether all
// were.
func (a *away) carry(ctx context.Context, stage string, batches []Batch) bool {
	a.stage, a.sent, a.done = stage, make(map[string]*Batch), 0
	a.freight.Batches = nil
	for i := range batches {
		b := &batches[i]
		left := false
		for k := range b.Jobs {
			if rec := a.past.take(&b.Jobs[k]); rec != nil {
				a.add(rec)
			} else {
				left = true
			}
		}
		if left && !a.answered(b) {
			a.sent[b.ID] = b
			a.freight.Batches = append(a.freight.Batches, *b)
		}
	}
	if len(a.freight.Batches) == 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}

	a.step("")
	err := a.carrier.Carry(ctx, a.freight, a.heard)
	stopped := (*StoppedError)(nil)
	switch {
	case err == nil:
		return !a.hasStopped()
	case errors.As(err, &stopped) && stopped.State == compare.Interrupted:
		a.cancelled = true
	case ctx.Err() == nil:
		a.mu.Lock()
		a.broken = appendNew(a.broken, err)
		a.stopped = cmp.Or(a.stopped, err.Error())
		a.mu.Unlock()
	}
	return false
}

// answered reports whether all that is left of a batch is of exchanges that have stopped.
func (a *away) answered(b *Batch) bool {
	for k := range b.Jobs {
		job := &b.Jobs[k]
		state := a.results[a.exchanges[job.Cell].cells[0]].State
		if a.past.take(job) == nil && (state == compare.Measured || state == compare.LeftOut) {
			return false
		}
	}
	return true
}

func (a *away) step(cell string) {
	total := len(a.freight.Batches)
	var left time.Duration
	if a.done > 0 {
		left = time.Duration(float64(a.elapsed()) / float64(a.done) * float64(total-a.done))
	}
	a.say(Step{Stage: a.stage, Part: a.plan.Environment, Done: min(a.done, total-1), Total: total,
		Cell: cell}, left)
}

// heard takes a reply.
func (a *away) heard(r Reply) {
	worker := printable.Short(printable.Line(r.Worker), maxWorker)
	for _, what := range r.Faults[:min(len(r.Faults), mostFaults)] {
		a.fault(worker, what)
	}
	b := a.sent[r.Batch]
	if b == nil {
		return // it has been answered
	}
	delete(a.sent, r.Batch)
	a.done++

	err := r.check(b)
	switch {
	case r.Reason != "":
		err = errors.New(bounded(r.Reason))
	case err != nil:
		err = fmt.Errorf("its reply is refused: %w", err)
	}
	if a.refused = err != nil; a.refused {
		a.fault(worker, err.Error())
		r.Answers = make([]Answer, len(b.Jobs))
		for i := range r.Answers {
			r.Answers[i].Job = &Heard{Started: time.Now(), State: compare.Died, Reason: err.Error()}
		}
	} else {
		worker = cmp.Or(worker, "unnamed")
		a.meet(worker, r.Environment)
	}
	for i := range b.Jobs {
		job := &b.Jobs[i]
		if answer := &r.Answers[i]; answer.Gate != nil && !a.gated[worker+job.Cell] {
			a.gated[worker+job.Cell] = true
			gate := Job{Kind: Gate, Cell: job.Cell}
			a.common(&gate)
			a.settle(worker, gate, answer.Gate, i)
		}
		if answer := &r.Answers[i]; answer.Job != nil && a.past.take(job) == nil {
			a.settle(worker, *job, answer.Job, i)
		}
	}
	a.step(b.Jobs[len(b.Jobs)-1].Cell)
}

// fault records what went wrong, once.
func (a *away) fault(worker, what string) {
	rec := Record{Kind: Fault, Worker: worker, Started: time.Now(), Seed: a.plan.Seed,
		Reason: printable.Short(printable.Line(what), maxReason)}
	if a.known[worker+rec.Reason] || len(a.faults) >= mostFaults {
		return
	}
	a.known[worker+rec.Reason] = true
	a.fail(a.folder.Append(rec), true)
	a.add(&rec)
	a.step("")
}

// meet records a worker that is new, and the environment of all: facts in which they differ are listed.
func (a *away) meet(worker string, env map[string]string) {
	if a.known[worker] {
		return
	}
	a.known[worker] = true
	rec := Record{Kind: NewWorker, Worker: worker, Started: time.Now(), Seed: a.plan.Seed, Environment: env}
	a.fail(a.folder.Append(rec), true)
	first := len(a.workers) == 0
	a.add(&rec)

	if first {
		clear(a.env)
		maps.Copy(a.env, env)
	}
	for name, value := range env {
		if was := a.env[name]; !slices.Contains(strings.Split(was, " | "), value) {
			a.env[name] = strings.TrimPrefix(was+" | "+value, " | ")
		}
	}
	a.writeEnvironment(a.env)
}

// settle makes the record of a job of what a worker heard.
func (a *away) settle(worker string, job Job, heard *Heard, order int) {
	cell, err := compare.ParseCell(job.Cell)
	if err != nil {
		return
	}
	rec := newRecord(job, order)
	rec.Worker, rec.Started, rec.Took = worker, heard.Started, heard.Took
	var events []Event
	var drawn []string
	for _, e := range heard.Events {
		if e.Gate != nil && job.Kind == Gate {
			drawn = e.Gate.Drawn
		}
		if rec.hear(e) {
			events = append(events, e)
		}
	}
	if err = heard.err(); err == nil {
		err = a.trust(&rec, drawn)
	}
	if err != nil && !a.refused && (job.Kind == Gate || heard.State == compare.Died) {
		state, reason := ending(err)
		a.fault(worker, fmt.Sprintf("%s of %s: %s: %s", job.Kind, strings.TrimPrefix(title(cell), ": "),
			state, reason))
	}
	a.finish(&rec, cell, events, err)
}

// trust returns an error if a record of another machine cannot be true, or is of other work than those before
// it.
func (a *away) trust(rec *Record, drawn []string) error {
	if rec.Binary != a.freight.Binary {
		return &StoppedError{compare.Died, "another binary answered"}
	}
	if err := a.plan.check(rec); err != nil {
		return &StoppedError{compare.Died, err.Error()}
	}
	if rec.Kind != Gate {
		return nil
	}

	x := a.exchanges[rec.Cell]
	if x.gated == nil {
		x.gated = &Gated{Work: rec.Work}
		a.drawn[rec.Cell] = drawn
		return nil
	}
	if was := a.drawn[rec.Cell]; was != nil && !slices.Equal(was, drawn) {
		return &StoppedError{compare.GateFailed, "it drew other documents than another machine"}
	}
	for op, w := range x.gated.Work {
		if got := rec.Work[op]; got.Counters != w.Counters || got.Quads != w.Quads {
			return &StoppedError{compare.GateFailed, fmt.Sprintf("%s counts %+v, on another machine %+v", op,
				got.Counters, w.Counters)}
		}
	}
	return nil
}
