//phase:caller
package vcdm

import (
	"bytes"
	"context"
	"crypto/sha512"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/reading"
	"canonscope/vcdm/internal/selective"
	"canonscope/vcdm/keys"
)

// works holds the memory of operations that have ended.
var works = sync.Pool{New: func() any { return new(work) }}

// work is the memory of one operation: taken from works, it is the operation's alone until that puts it
// back. Nothing in it may be part of a result.
type work struct {
	tape, options, view jsontape.Tape
	src, config         []byte
	members             []byte // what a suite adds to proof options
	forms               [2]canon.Form
	reading             reading.Reading
	selective           selective.Memory
	known               documentDigest
	doc                 document // on tape, or on that of a document with options beside it
	proofs              []proof  // of doc, on its tape
	in                  input    // of the proof at work
	hashed, sig         [2 * sha512.Size384]byte
	counts              Counts // of an operation whose caller does not count

	limits canon.Limits  // that the caller gave
	budget *canon.Budget // own, or that of the operation around this one
	own    canon.Budget
	used   int // memory of tapes
}

// begin begins an operation, or a step of the one that budget belongs to.
func begin(ctx context.Context, budget *canon.Budget, l canon.Limits) *work {
	w := works.Get().(*work)
	w.budget = canon.BudgetOf(ctx, budget, &w.own, l)
	w.limits, w.used = l, 0
	return w
}

// end gives the memory back.
func (w *work) end() {
	w.budget.Use(-w.used)
	w.budget, w.known = nil, documentDigest{}
	works.Put(w)
}

// parse scans the document of the operation.
func (w *work) parse(doc []byte) (document, error) {
	w.budget.Use(-w.used)
	w.used, w.known = 0, documentDigest{}
	l := w.limits
	l.Memory = max(1, w.budget.Left())
	d, err := read(&w.tape, doc, l)
	if err == nil {
		w.used = 2 * w.tape.Size() // a view of the document takes as much as its tape
		err = w.budget.Use(w.used)
	}
	return d, err
}

// counter returns where an operation counts.
func (w *work) counter(c *Counts) *Counts {
	if c == nil {
		return &w.counts
	}
	return c
}

// documentDigest is the hash of the document, for the next proof of it that reads it alike, or why there is
// none: a document may have many proofs.
type documentDigest struct {
	suite   Suite
	alg     keys.Algorithm
	context []byte // JSON of the @context that replaces the document's, or nil
	sum     [sha512.Size384]byte
	size    int
	err     error
}

// of reports whether it is the hash for a proof of a suite.
func (d *documentDigest) of(s Suite, in *input, alg keys.Algorithm) bool {
	return d.suite == s && d.alg == alg && len(in.matching) == 0 && bytes.Equal(d.context, in.contextText())
}
