package measure

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/pprof/profile"

	"canonscope/canon/printable"
	"canonscope/compare"
)

// Bounds of what other machines send.
const (
	maxWorker  = 64        // bytes of a name
	maxReason  = 2000      // bytes of any other text
	mostFacts  = 500       // of an environment
	maxPprof   = 64 << 20  // bytes of a profile, not compressed
	mostStack  = 4096      // frames of a sample
	mostSample = 1_000_000 // samples of a profile
	mostEvents = 64        // of a process
	mostFaults = 200       // of a campaign
)

// check returns an error if a reply is not one to a batch, and bounds its texts.
func (r *Reply) check(b *Batch) error {
	if len(r.Answers) != len(b.Jobs) {
		return fmt.Errorf("it answers %d jobs of %d", len(r.Answers), len(b.Jobs))
	}
	if len(r.Environment) == 0 || len(r.Environment) > mostFacts {
		return fmt.Errorf("its environment has %d facts", len(r.Environment))
	}
	for name, value := range r.Environment {
		if len(name) > maxWorker+maxReason || len(value) > maxReason {
			return errors.New("a fact of its environment is too long")
		}
	}

	gated := make(map[string]bool)
	for i := range b.Jobs {
		job, a := &b.Jobs[i], &r.Answers[i]
		if a.Gate != nil {
			if err := a.Gate.check(Gate, compare.Operations); err != nil {
				return err
			}
			gated[job.Cell] = a.Gate.State == ""
		}
		if _, ok := gated[job.Cell]; !ok || gated[job.Cell] != (a.Job != nil) {
			return errors.New("a job has no gate, or goes on where its gate failed, or is left out")
		}
		if a.Job != nil {
			if err := a.Job.check(job.Kind, job.Operations); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns an error if this cannot be what a process of a kind said of operations.
func (h *Heard) check(kind Kind, operations []compare.Operation) error {
	switch {
	case !slices.Contains(ends, h.State):
		return fmt.Errorf("a process cannot end %q", string(h.State))
	case len(h.Events) > mostEvents:
		return fmt.Errorf("a process has %d events", len(h.Events))
	case !(h.Took >= 0 && h.Took <= 2*mostDeadline) || h.Started.IsZero():
		return errors.New("a process has no time")
	}
	h.Reason = bounded(h.Reason)

	gates := 0
	for i := range h.Events {
		e := &h.Events[i]
		if e.Operation != "" && !slices.Contains(operations, e.Operation) {
			return fmt.Errorf("the operation %q was not asked for", bounded(string(e.Operation)))
		}
		if e.Gate != nil && kind == Gate {
			gates++
		}
		if err := e.check(kind); err != nil {
			return err
		}
	}
	if kind == Gate && h.State == "" && gates != 1 {
		return errors.New("a gate said nothing")
	}
	return nil
}

// check returns an error if an event cannot be one of a process of a kind, and bounds its texts.
func (e *Event) check(kind Kind) (err error) {
	if e.Gate != nil && kind == Gate {
		err = e.Gate.check()
	}
	if f := e.Failed; f != nil {
		f.Stage, f.Reason = bounded(f.Stage), bounded(f.Reason)
		if !slices.Contains(ends, f.State) {
			err = fmt.Errorf("an operation cannot end %q", bounded(string(f.State)))
		}
	}
	if e.Hello != nil {
		e.Hello.Binary, e.Hello.CPUs = bounded(e.Hello.Binary), bounded(e.Hello.CPUs)
	}
	if e.Run != nil {
		e.Run.Note = bounded(e.Run.Note)
	}
	if e.Raw != nil && (len(e.Raw.Wall) > mostRaw || e.Raw.First < 0) {
		err = errors.New("it has too many single operations")
	}
	if e.Profile != nil && err == nil {
		e.Profile.Fallback = bounded(e.Profile.Fallback)
		e.Profile.Pprof, err = plainProfile(e.Profile.Pprof)
	}
	if e.Allocs != nil && err == nil {
		e.Allocs.Pprof, err = plainProfile(e.Allocs.Pprof)
	}
	return err
}

// ends are the states in which a process, or an operation, of another machine may end.
var ends = []compare.State{"", compare.Unsupported, compare.Limited, compare.GateFailed, compare.Failed,
	compare.Died, compare.TimedOut, compare.OutOfMemory}

// check returns an error if this is not what a gate finds.
func (g *Gated) check() error {
	if len(g.Inputs) > 0 || len(g.Work) == 0 || len(g.Work) > len(compare.Operations) ||
		len(g.Drawn) > mostDocuments {
		return errors.New("what a gate said is not a gate")
	}
	for op, w := range g.Work {
		if !slices.Contains(compare.Operations, op) || w.Estimate < 0 || w.Documents < 1 {
			return errors.New("what a gate counted is not work")
		}
		w.Checks, w.Oracle = bounded(w.Checks), bounded(w.Oracle)
		w.Alone, w.Second = bounded(w.Alone), bounded(w.Second)
		g.Work[op] = w
	}
	return nil
}

func bounded(text string) string { return printable.Short(text, maxReason) }

// plainProfile returns a profile that is not compressed, and that is small enough to be attributed and drawn.
func plainProfile(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("a profile: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxPprof+1))
	if err != nil {
		return nil, fmt.Errorf("a profile: %w", err)
	}
	if len(plain) > maxPprof {
		return nil, fmt.Errorf("a profile has more than %d bytes", maxPprof)
	}

	p, err := profile.ParseUncompressed(plain)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("a profile: %w", err)
	}
	if len(p.Sample) > mostSample {
		return nil, fmt.Errorf("a profile has %d samples", len(p.Sample))
	}
	for _, s := range p.Sample {
		frames := 0
		for _, l := range s.Location {
			frames += len(l.Line)
		}
		if frames > mostStack {
			return nil, fmt.Errorf("a profile has a stack of %d frames", frames)
		}
	}
	for _, f := range p.Function {
		if len(f.Name) > 2*maxReason || len(f.Filename) > 2*maxReason {
			return nil, errors.New("a profile has a name that is too long")
		}
	}
	return plain, nil
}
