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

// Canonicalizer is a foreign engine as [canon.Canonicalizer]. It starts a child for the first document, and
// another one after a fault. It does one document at a time, whatever goroutines ask.
type Canonicalizer struct {
	command Command
	method  canon.Method
	loader  jsonld.Loader
	limits  Limits

	mu    sync.Mutex
	child *Child
	given map[string]bool // contexts
}

// New returns a canonicalizer of a command. Close ends its child.
func New(c Command, method canon.Method, loader jsonld.Loader, l Limits) *Canonicalizer {
	return &Canonicalizer{command: c, method: method, loader: loader, limits: l}
}

// Canonicalize implements [canon.Canonicalizer]. A child that fails is a [*Fault]; one that does not answer
// in time is a *canon.LimitError.
func (e *Canonicalizer) Canonicalize(
	ctx context.Context, doc []byte, opt canon.Options,
) (*canon.Form, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	limits := opt.Limits.WithDefaults()
	if limits.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limits.Time)
		defer cancel()
	}
	if len(doc) > limits.Bytes {
		return nil, &canon.LimitError{Limit: "bytes", Max: int64(limits.Bytes), Done: int64(len(doc))}
	}
	if err := e.ready(ctx); err != nil {
		return nil, e.failed(err)
	}

	task, err := e.task(ctx, doc, &opt, &limits)
	if err != nil {
		return nil, err
	}
	err = e.child.Prepare(ctx, task)
	var text []byte
	if err == nil {
		for name := range task.Contexts {
			e.given[name] = true
		}
		text, err = e.child.Gate(ctx, 0, nil)
	}
	if err != nil {
		return nil, e.failed(err)
	}

	form := opt.Target()
	form.Text = append(form.Text, text...)
	if e.method == canon.RDFC {
		form.Lines = bytes.Count(text, []byte("\n"))
	}
	return form, nil
}

// Hello starts the child if need be, and returns what it said first.
func (e *Canonicalizer) Hello(ctx context.Context) (Hello, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.ready(ctx); err != nil {
		return Hello{}, err
	}
	return e.child.Hello(), nil
}

// Close ends the child.
func (e *Canonicalizer) Close() error {
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
func (e *Canonicalizer) ready(ctx context.Context) error {
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

// task is that of one document, with the contexts that the child does not have.
func (e *Canonicalizer) task(
	ctx context.Context, doc []byte, opt *canon.Options, limits *canon.Limits,
) (*Task, error) {
	task := &Task{Operation: canonize, Suite: string(e.method), Documents: [][]byte{doc},
		Hash: string(opt.Hash), Input: string(opt.Input)}
	if e.method == canon.JCS {
		task.Hash, task.Input = "", string(canon.JSON)
		return task, nil
	}
	switch {
	case opt.Issued:
		return nil, e.unsupported("the map of issued identifiers")
	case opt.Lossy:
		return nil, e.unsupported("a list of what is lost")
	case opt.Direction != "":
		return nil, e.unsupported("a form of base directions")
	}

	if task.Hash == "" {
		task.Hash = string(canon.SHA256)
	}
	if task.Input != string(canon.NQuads) {
		task.Input = string(canon.JSONLD)
		g := gatherer{e.loader, e.given, limits.Documents, make(map[string][]byte)}
		if err := g.gather(ctx, doc, ""); err != nil {
			return nil, err
		}
		task.Contexts = maps.Clone(g.found)
	}
	return task, nil
}

const canonize = "canonize"

func (e *Canonicalizer) unsupported(what string) error {
	return &canon.UnsupportedError{Engine: string(e.command.Engine), What: what}
}

// failed makes an error of the house from that of a child. A child that failed is dropped.
func (e *Canonicalizer) failed(err error) error {
	engine := string(e.command.Engine)
	var p *Problem
	if errors.As(err, &p) {
		return p.typed(engine)
	}
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	if e.child != nil {
		e.child.Close()
		e.child = nil
	}
	return f
}

// typed makes an error of the house from an answer.
func (p *Problem) typed(engine string) error {
	text := engine + ": " + p.Message
	switch p.Kind {
	case Unsupported:
		return &canon.UnsupportedError{Engine: engine, What: p.Message}
	case Loss:
		return &canon.LossError{Losses: []canon.Loss{{Reason: text}}}
	case Limit:
		return &canon.LimitError{Limit: "work", Err: errors.New(text)}
	}
	return &Problem{p.Kind, text}
}
