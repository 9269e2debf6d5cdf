//phase:caller
package jsonld

import (
	"math"
	"unsafe"

	"canonscope/canon"
	"canonscope/canon/rdf"
)

// Limits bound the work on the contexts of one call. Zero fields take their defaults.
type Limits struct {
	Terms  int   // terms in one active context; default 50,000
	Remote int   // remote contexts in one chain of references; default 32
	Work   int64 // slots of term tables copied, and 32 for each definition compiled; default 8 million
}

// Costs in units of copying one slot of a table.
const (
	termCost      = 32 // compiling a term definition
	needCost      = 4  // recording a dependency
	contextCost   = 32 // making an active context, beside its slots
	referenceCost = 64 // following a reference to a context
	bytesPerSlot  = 16 // of the IRIs of terms
)

// spend counts work on contexts against the limit of a call. Each unit also is a slot of memory.
func (r *run) spend(n int64) error {
	r.contexts.work += n
	if max := r.p.limits.Work; r.contexts.work > max {
		return &canon.LimitError{Limit: "context work", Max: max, Done: r.contexts.work,
			Where: r.pointer(r.contexts.at)}
	}
	bytes := int(n) * int(unsafe.Sizeof(slot{}))
	r.bounds.used += bytes
	return r.bounds.budget.Use(bytes)
}

// termLimit returns the error of an active context with too many terms.
func (r *run) termLimit(max, n int) error {
	return &canon.LimitError{Limit: "context terms", Max: int64(max), Done: int64(n),
		Where: r.pointer(r.contexts.at)}
}

// grow accounts for a new active context with a number of new slots: work for this call, size for the
// cache.
func (r *run) grow(c *activeContext, slots int) error {
	r.p.count.applied.Add(1)
	c.family.add(r.p, int64(unsafe.Sizeof(*c))+int64(slots)*int64(unsafe.Sizeof(slot{})))
	return r.spend(contextCost + int64(slots))
}

// maxBase bounds the base IRI of a document, which is copied into each relative reference.
const maxBase = 2048

const (
	// perNode is the memory that one value or key of a document takes until it is a quad, without text: in
	// the tape, as an item, a reference, a term and a quad.
	perNode = 160

	// textCopies is the number of copies of a text in memory: one as a term, two while the terms grow, one
	// in the canonical form.
	textCopies = 4
)

// bounds are the limits that remain for a call, and what it has used.
type bounds struct {
	budget  *canon.Budget
	alone   canon.Budget // used if no budget is given
	used    int          // memory that is counted
	maxText int          // text that the document may expand to; a short term may mean a long IRI
	over    bool         // the text has grown too much
	longest int          // text of a term
	objects int          // of the document so far
}

// count counts the memory that the document will take.
func (r *run) count() error {
	r.bounds.used = perNode * len(r.tape.Nodes)
	err := r.bounds.budget.Use(r.bounds.used)
	r.bounds.maxText = int(min(r.bounds.budget.Left()/textCopies, math.MaxInt32))
	return err
}

// textLimit returns the error of a document whose text grows too much.
func (r *run) textLimit(done int) error {
	max := r.bounds.budget.Limits().Memory
	return &canon.LimitError{Limit: "memory", Max: max, Done: max - int64(r.bounds.maxText-done)}
}

// bounded returns an error if the N-Quads of the dataset would be enormous: if a short key means an IRI of
// a kilobyte, every line has it.
func (w *writer) bounded() error {
	if w.bounds.over {
		return w.textLimit(len(w.buf))
	}
	if (w.bounds.longest+1)*4*len(w.into.Quads) <= w.bounds.maxText {
		return nil
	}
	size := 0
	for _, q := range w.into.Quads {
		for _, t := range [...]rdf.TermID{q.S, q.P, q.O, q.G} {
			size += len(w.into.Terms[t].Text) + 1
		}
		if size > w.bounds.maxText {
			return w.textLimit(size)
		}
	}
	return nil
}
