package foreign

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsonld"
)

// Engine is a foreign engine that starts a child for its first task, and another one after a [*Fault]. It
// does one task at a time, whatever goroutines ask. Its errors are those of the house where an engine of
// the house has them: *canon.UnsupportedError, *canon.LossError and *canon.LimitError.
type Engine struct {
	command Command
	loader  jsonld.Loader
	limits  Limits

	mu    sync.Mutex
	child *Child
	given map[string]bool // contexts that the child has
}

// New returns the engine of a command, which gets contexts from a loader. Close ends its child.
func New(c Command, loader jsonld.Loader, l Limits) *Engine {
	return &Engine{command: c, loader: loader, limits: l}
}

// Once does the operation of a task on its only document.
func (e *Engine) Once(ctx context.Context, t *Task) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.prepare(ctx, t, canon.DefaultDocuments); err != nil {
		return nil, err
	}
	out, err := e.child.Gate(ctx, 0, nil)
	return out, e.failed(err)
}

// Prepare gives the engine a task, for Run.
func (e *Engine) Prepare(ctx context.Context, t *Task) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.prepare(ctx, t, len(t.Documents)*canon.DefaultDocuments)
}

// Run does operations of the task that was prepared last.
func (e *Engine) Run(ctx context.Context, l Lap) (*Ran, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.child == nil {
		return nil, errors.New("foreign: Run without Prepare")
	}
	ran, err := e.child.Run(ctx, l)
	return ran, e.failed(err)
}

// Hello starts the child if need be, and returns what it said first and how it is bound.
func (e *Engine) Hello(ctx context.Context) (Hello, Bounds, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.ready(ctx); err != nil {
		return Hello{}, Bounds{}, err
	}
	return e.child.Hello(), e.child.Bounds(), nil
}

// Close ends the child.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.child == nil {
		return nil
	}
	err := e.child.Close()
	e.child = nil
	return err
}

// ready starts a child unless there is one.
func (e *Engine) ready(ctx context.Context) error {
	if e.child != nil {
		return nil
	}
	child, err := Start(ctx, e.command, e.limits)
	if err != nil {
		return err
	}
	e.child, e.given = child, make(map[string]bool)
	return nil
}

// prepare adds to a task the contexts that the child does not have, at most so many.
func (e *Engine) prepare(ctx context.Context, t *Task, most int) error {
	if err := e.ready(ctx); err != nil {
		return err
	}
	g := gatherer{e.loader, e.given, most, make(map[string][]byte)}
	for _, doc := range t.Documents {
		if t.Input != string(canon.NQuads) && t.Suite != string(canon.JCS) {
			if err := g.gather(ctx, doc, ""); err != nil {
				return err
			}
		}
	}
	t.Contexts = g.found
	if err := e.child.Prepare(ctx, t); err != nil {
		return e.failed(err)
	}
	for name := range maps.Keys(g.found) {
		e.given[name] = true
	}
	return nil
}

// failed makes an error of the house from that of a child. A child that failed is dropped.
func (e *Engine) failed(err error) error {
	var p *Problem
	if errors.As(err, &p) {
		return p.typed(string(e.command.Engine))
	}
	var f *Fault
	if errors.As(err, &f) {
		e.child.Close()
		e.child = nil
	}
	return err
}

// typed makes an error of the house from an answer.
func (p *Problem) typed(engine string) error {
	text := engine + ": " + p.Message
	switch p.Kind {
	case Unsupported:
		return &canon.UnsupportedError{Engine: engine, What: p.Message}
	case Loss:
		return &canon.LossError{Losses: []canon.Loss{{Reason: text}}}
	}
	return &Problem{p.Kind, text}
}

// Canonicalizer is a foreign engine as [canon.Canonicalizer] of a method.
type Canonicalizer struct {
	*Engine
	Method canon.Method
}

// Canonicalize implements [canon.Canonicalizer]. Losses are refused only by
// an engine that detects them.
func (c *Canonicalizer) Canonicalize(
	ctx context.Context, doc []byte, opt canon.Options,
) (*canon.Form, error) {
	limits := opt.Limits.WithDefaults()
	if len(doc) > limits.Bytes {
		return nil, &canon.LimitError{Limit: "bytes", Max: int64(limits.Bytes), Done: int64(len(doc))}
	}
	task, err := c.task(doc, &opt)
	if err != nil {
		return nil, err
	}
	if limits.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limits.Time)
		defer cancel()
	}

	quads := false
	if c.Method == canon.RDFC {
		if quads, err = c.QuadsAlone(ctx); err != nil {
			return nil, err
		}
	}
	if quads {
		task.Operation = toRDF
	}
	text, err := c.Once(ctx, task)
	if err != nil {
		return nil, err
	}
	if quads {
		return c.ofQuads(ctx, text, opt)
	}
	form := opt.Target()
	form.Text = append(form.Text, text...)
	if c.Method == canon.RDFC {
		form.Lines = bytes.Count(text, []byte("\n"))
	}
	return form, nil
}

// task is that of one document.
func (c *Canonicalizer) task(doc []byte, opt *canon.Options) (*Task, error) {
	t := &Task{Operation: canonize, Suite: string(c.Method), Documents: [][]byte{doc},
		Input: string(canon.JSON)}
	if c.Method == canon.JCS {
		return t, nil
	}
	refused := func(what string) (*Task, error) {
		return nil, &canon.UnsupportedError{Engine: string(c.command.Engine), What: what}
	}
	switch {
	case opt.Issued:
		return refused("the map of issued identifiers")
	case opt.Lossy:
		return refused("a list of what is lost")
	case opt.Direction != "":
		return refused("a form of base directions")
	}

	t.Hash, t.Input = string(opt.Hash), string(opt.Input)
	if t.Hash == "" {
		t.Hash = string(canon.SHA256)
	}
	if t.Input == "" {
		t.Input = string(canon.JSONLD)
	}
	return t, nil
}

const canonize = "canonize"
