package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"time"

	"canonscope/compare"
)

// ErrComplete is the error of a campaign of which nothing is left to measure.
var ErrComplete = errors.New("is complete; nothing is left to measure")

// OtherError reports that a campaign cannot be resumed: it was begun with something else.
type OtherError struct {
	What     string // "binary", "frame rules", "processor", or a document or context
	Was, Now string
}

func (e *OtherError) Error() string {
	return fmt.Sprintf("was measured with another %s: %s, now it is %s", e.What, short(e.Was), short(e.Now))
}

// short is the beginning of a hash, and all of another text.
func short(text string) string {
	if len(text) == 64 {
		return text[:12]
	}
	return text
}

// Continue locks and reads the folder of a campaign that did not end, for [Resume]. It changes nothing in it.
func Continue(dir string) (*Folder, *Loaded, error) {
	f, err := Reopen(dir)
	if err != nil {
		return nil, nil, err
	}
	l, err := Load(dir)
	if err == nil && l.Ended && !l.Campaign.Interrupted && l.Campaign.Stopped == "" {
		err = fmt.Errorf("results folder %s %w", dir, ErrComplete)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, l, nil
}

// Resume measures what is left of a campaign that Continue has read: with the same seeds, blocks and orders,
// and what the user gave, which has to be the same. What the folder has of the others stays; a half line is
// cut off. What is not as it was is an *[OtherError], and nothing is changed.
func Resume(
	ctx context.Context, l *Loaded, given compare.Given, runner Runner, folder *Folder, progress Progress,
) (*compare.Campaign, error) {
	c, err := l.goOn(given, runner, folder, progress)
	if err != nil {
		return nil, err
	}
	return c.run(ctx, &l.Planned, l.Campaign.Environment)
}

// goOn makes a campaign of what is left of one. Without a runner it goes on elsewhere.
func (l *Loaded) goOn(
	given compare.Given, runner Runner, folder *Folder, progress Progress,
) (*campaign, error) {
	plan, rules := l.Plan, Rules()
	plan.Given, plan.Rules = given, rules
	facts := []OtherError{{"binary", l.Binary, plan.binary()}, {"set of frame rules", l.Rules, rules.Hash()}}
	if runner != nil {
		facts = append(facts, OtherError{"processor", l.Campaign.Environment["cpu"], Environment()["cpu"]})
	}
	for _, o := range facts {
		if o.Was != o.Now {
			return nil, fmt.Errorf("results folder %s %w", folder.Path, &o)
		}
	}
	err := l.sameInputs(given)
	for _, b := range plan.Builds {
		if b.Runner == nil {
			err = &OtherError{"build " + b.Label, b.SHA256, "not given"}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("results folder %s %w", folder.Path, err)
	}

	if err := folder.resume(l.jobs); err != nil {
		return nil, err
	}
	c := newCampaign(plan, runner, folder, progress)
	c.before = max(seconds(l.Campaign.Took), seconds(l.lasted()))
	c.past = newPast(l.Records)
	return c, nil
}

// sameInputs compares what was given with what the plan names.
func (l *Loaded) sameInputs(given compare.Given) error {
	now := append(sources(given.Documents), sources(given.Contexts)...)
	for _, was := range l.Given {
		i := slices.IndexFunc(now, func(s compare.Source) bool { return s.Name == was.Name })
		if i < 0 {
			return &OtherError{was.Name, was.SHA256, "not given"}
		}
		if now[i] != was {
			return &OtherError{was.Name, was.SHA256, now[i].SHA256}
		}
	}
	for _, s := range now {
		if !slices.Contains(l.Given, s) {
			return &OtherError{s.Name, "not given", s.SHA256}
		}
	}
	return nil
}

// resume opens runs.jsonl to append to its first bytes, and cuts off what follows them.
func (f *Folder) resume(size int64) error {
	f.clean()
	info, err := f.root.Lstat(runsFile)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a file")
	}
	if err == nil {
		f.runs, err = f.root.OpenFile(runsFile, os.O_APPEND|os.O_WRONLY, 0)
	}
	if err == nil {
		err = f.runs.Truncate(size)
	}
	if err != nil {
		return fmt.Errorf("results folder: %s: %w", path.Join(f.Path, runsFile), err)
	}
	f.kept[runsFile] = size
	for _, name := range []string{planFile, envFile} {
		if info, err := f.root.Lstat(name); err == nil {
			f.kept[name] = info.Size()
		}
	}
	return nil
}

// past holds the records of a campaign that is resumed.
type past struct {
	records []*Record
	jobs    map[string]*Record
	block   int             // last one that has a process; -1 without any
	left    bool            // it was decided which exchanges do not fit the time
	gated   map[string]bool // exchanges whose gates were begun
}

// key names a job of a campaign: an exchange in a block has one of each kind, except that allocations are a
// job for each operation.
func key(kind Kind, cell string, block int, operations []compare.Operation) string {
	if kind != Allocs {
		operations = nil
	}
	return fmt.Sprint(kind, cell, block, operations)
}

func newPast(records []Record) *past {
	p := &past{jobs: make(map[string]*Record), block: -1, gated: make(map[string]bool)}
	for i := range records {
		r := &records[i]
		p.records = append(p.records, r)
		p.jobs[key(r.Kind, r.Cell, r.Block, r.Operations)] = r
		switch r.Kind {
		case Gate:
			p.gated[r.Cell] = true
		case Left:
			p.left = true
		case Time:
			p.block = max(p.block, r.Block)
		}
	}
	return p
}

// take returns the record of a job, or nil.
func (p *past) take(job *Job) *Record {
	if p == nil {
		return nil
	}
	return p.jobs[key(job.Kind, job.Cell, job.Block, job.Operations)]
}

// said returns what was decided about an exchange in a block before the campaign was resumed. It is not known
// where the campaign ended before that, unless it went on beyond: past is true then.
func (p *past) said(kind Kind, id string, block int, beyond bool) (yes, known bool) {
	if p == nil {
		return false, false
	}
	yes = p.jobs[key(kind, id, block, nil)] != nil
	return yes, yes || beyond
}

// begun reports whether a gate of a group was begun before the campaign was resumed.
func (p *past) begun(group []*exchange) bool {
	return p != nil && slices.ContainsFunc(group, func(x *exchange) bool { return p.gated[x.id] })
}

// chose reports whether all was decided about what is left out before the campaign was resumed.
func (p *past) chose() bool { return p != nil && (p.left || p.block >= 0) }

// timed reports whether a block, or a later one, had begun before the campaign was resumed.
func (p *past) timed(block int) bool { return p != nil && p.block >= block }

// decides returns whether a group is left out of the campaign, or of a block, and records that it is. What
// was decided before the campaign was resumed holds; beyond reports that it was by then.
func (c *campaign) decides(kind Kind, group []*exchange, block int, beyond bool, now func() bool) bool {
	id := group[0].id
	yes, known := c.past.said(kind, id, block, beyond)
	if !known && now() {
		yes = true
		c.fail(c.folder.Append(Record{Kind: kind, Cell: id, Block: block, Seed: c.plan.Seed,
			Started: time.Now(), State: compare.LeftOut}), true)
	}
	return yes
}

// reopen runs the gate of an exchange once more, if only its record is here: what is left to measure needs
// the inputs that it makes.
func (c *campaign) reopen(ctx context.Context, x *exchange) error {
	x.reopened.Lock()
	defer x.reopened.Unlock()
	if !x.shut {
		return nil
	}
	job := Job{Kind: Gate, Cell: x.id}
	c.common(&job)
	job.Idle = c.plan.Idle.Seconds()
	cell, err := compare.ParseCell(x.id)
	if err != nil {
		return err
	}
	var again *Gated
	inputs := job.give(cell.Schema, c.plan.Given)
	job.Cell = cell.Of("").ID()
	err = c.build(cell).Runner.Run(ctx, job, inputs, func(e Event) {
		if e.Gate != nil {
			again = e.Gate
		}
	})
	if err == nil && again == nil {
		err = errSilent
	}
	if err == nil {
		x.gated, x.shut = again, false
	}
	return err
}

var errSilent = &StoppedError{compare.Died, "the gate said nothing"}
