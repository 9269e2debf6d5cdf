package agree

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsonld"
)

// Engine is one of the implementations that are compared.
type Engine struct {
	Name    string
	Methods map[canon.Method]canon.Canonicalizer // a method that is absent is unsupported

	// Crashed reports whether an error is that of an engine that failed, not of one that refuses the input.
	// Nil means never.
	Crashed func(error) bool
}

// Input is a document that every engine gets.
type Input struct {
	Name   string
	Method canon.Method
	Syntax canon.Input
	Doc    []byte
	Known  *Known // its right answer, if there is one
}

// Outcome is how an engine answered.
type Outcome string

const (
	Form        Outcome = "form"        // with a canonical form
	Refused     Outcome = "refused"     // with an error
	Limited     Outcome = "limit"       // with the error that a limit was reached
	Unsupported Outcome = "unsupported" // the engine does not claim to support this
	Crashed     Outcome = "crashed"     // it failed instead of answering
)

// Verdict is what the specification makes of an answer.
type Verdict string

const (
	Right Verdict = "right"
	Wrong Verdict = "wrong"
	Open  Verdict = "open" // no answer is known to be the right one, or the engine claims none
)

// Group is the engines that gave one answer: equal bytes, or no form for the same kind of reason.
type Group struct {
	Engines []string `json:"engines"`
	Outcome Outcome  `json:"outcome"`
	Verdict Verdict  `json:"verdict"`
	SHA256  string   `json:"sha256,omitempty"` // of the form
	Bytes   int      `json:"bytes"`
	Error   string   `json:"error,omitempty"` // of the first engine

	text []byte
	err  error
}

// answers reports whether the group agrees or disagrees with others at all.
func (g *Group) answers() bool { return g.Outcome == Form || g.Outcome == Refused }

// Row is what is known of one input.
type Row struct {
	Name   string       `json:"name"`
	IRI    string       `json:"iri,omitempty"` // of an input of the corpus
	Method canon.Method `json:"method"`
	Syntax canon.Input  `json:"input"`
	Bytes  int          `json:"bytes"`
	Groups []Group      `json:"groups"` // in the order of their first engines

	// Differences has one entry for each further group that answers: how it differs from the right one, or
	// from the first if none is known to be right.
	Differences []Difference `json:"differences,omitempty"`

	// Unstable are the engines that give another form when the input is written in another way that means
	// the same.
	Unstable []string `json:"unstable,omitempty"`

	// Undetermined are blank nodes whose labels RDFC-1.0 leaves open, so that several forms are right.
	Undetermined []string `json:"undetermined,omitempty"`

	Source   string `json:"source,omitempty"`   // of the right answer
	Document string `json:"document,omitempty"` // the input, if it is in no file
	Times    int    `json:"times,omitempty"`    // random inputs that differ in this way

	engines []string // in the order of columns
}

// Agree reports whether all engines that answered gave the same answer.
func (r *Row) Agree() bool { return len(r.Differences) == 0 }

// Wrong reports whether an engine is known to be wrong.
func (r *Row) Wrong() bool {
	return slices.ContainsFunc(r.Groups, func(g Group) bool { return g.Verdict == Wrong })
}

// Comparer compares engines. It serves one goroutine at a time.
type Comparer struct {
	Engines []Engine
	Loader  jsonld.Loader // of contexts, for the analysis of differences
	Limits  canon.Limits
}

// Add compares the engines on one input. The error is that of the context; what engines return is part of
// the row.
func (c *Comparer) Add(ctx context.Context, in *Input) (*Row, error) {
	row := &Row{Name: in.Name, Method: in.Method, Syntax: in.Syntax, Bytes: len(in.Doc)}
	for _, e := range c.Engines {
		row.engines = append(row.engines, e.Name)
		if err := row.add(&e, c.ask(ctx, e, in, in.Doc)); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}

	c.varied(ctx, in, row)
	if in.Method == canon.RDFC && (len(row.Groups) > 1 || len(row.Unstable) > 0) {
		row.Undetermined = c.undetermined(ctx, in)
	}
	if in.Known != nil {
		row.Source, row.IRI = in.Known.Source, in.Known.IRI
	}
	for i := range row.Groups {
		g := &row.Groups[i]
		g.Verdict = in.Known.verdict(g)
	}
	row.differences(ctx, c, in)
	return row, ctx.Err()
}

// reply is what an engine answered.
type reply struct {
	text []byte
	err  error
}

// ask gives a document to an engine. Data that the specifications drop are dropped, since engines differ in
// whether they refuse such a document. An engine that does not support that is asked without.
func (c *Comparer) ask(ctx context.Context, e Engine, in *Input, doc []byte) reply {
	engine := e.Methods[in.Method]
	if engine == nil {
		return reply{err: &canon.UnsupportedError{Engine: e.Name, What: "method " + string(in.Method)}}
	}
	opt := c.options(in)
	form, err := engine.Canonicalize(ctx, doc, opt)
	var unsupported *canon.UnsupportedError
	if errors.As(err, &unsupported) {
		opt.Lossy = false
		form, err = engine.Canonicalize(ctx, doc, opt)
	}
	if err != nil {
		return reply{err: err}
	}
	return reply{text: form.Text}
}

func (c *Comparer) options(in *Input) canon.Options {
	return canon.Options{Input: in.Syntax, Limits: c.Limits, Lossy: true}
}

// add puts an answer into the group of its like.
func (r *Row) add(e *Engine, a reply) error {
	g := Group{Outcome: Form, text: a.text, err: a.err, Bytes: len(a.text)}
	var limit *canon.LimitError
	var unsupported *canon.UnsupportedError
	switch {
	case errors.Is(a.err, context.Canceled):
		return a.err
	case errors.As(a.err, &limit), errors.Is(a.err, context.DeadlineExceeded):
		g.Outcome = Limited
	case errors.As(a.err, &unsupported):
		g.Outcome = Unsupported
	case a.err != nil && e.Crashed != nil && e.Crashed(a.err):
		g.Outcome = Crashed
	case a.err != nil:
		g.Outcome = Refused
	}

	for i := range r.Groups {
		if o := &r.Groups[i]; o.Outcome == g.Outcome && bytes.Equal(o.text, g.text) {
			o.Engines = append(o.Engines, e.Name)
			return nil
		}
	}

	g.Engines = []string{e.Name}
	if a.err != nil {
		g.Error = a.err.Error()
	} else {
		sum := sha256.Sum256(a.text)
		g.SHA256 = hex.EncodeToString(sum[:])
	}
	r.Groups = append(r.Groups, g)
	return nil
}

// groupOf returns the group of an engine.
func (r *Row) groupOf(engine string) *Group {
	for i := range r.Groups {
		if slices.Contains(r.Groups[i].Engines, engine) {
			return &r.Groups[i]
		}
	}
	return nil
}

// kind describes who disagrees and how, the same for inputs that differ in one way.
func (r *Row) kind() string {
	var parts []string
	for i := range r.Groups {
		g := &r.Groups[i]
		parts = append(parts, strings.Join(g.Engines, ",")+" "+string(g.Outcome))
	}
	for _, d := range r.Differences {
		parts = append(parts, cmp.Or(d.Fact, d.Phase))
	}
	if len(r.Undetermined) > 0 {
		parts = append(parts, "undetermined")
	}
	parts = append(parts, r.Unstable...)
	return strings.Join(parts, "|")
}
