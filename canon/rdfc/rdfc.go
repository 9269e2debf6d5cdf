// Package rdfc canonicalizes RDF datasets with RDFC-1.0 (https://www.w3.org/TR/rdf-canon/).
//
// [Canonicalize] fills a form; it is safe for concurrent use and reuses memory. A caller that needs the
// issued labels, the origin of each line, or its own labels keeps a [State] and calls [State.Run].
// [Undetermined] reports whether the algorithm allows a dataset more than one canonical form.
//
//phase:caller
package rdfc

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"sync"

	"canonscope/canon"
	"canonscope/canon/rdf"
)

// Variant selects readings of RDFC-1.0 that some implementations follow, for diagnosis. The zero Variant is
// the literal reading.
type Variant uint8

const (
	// LoopsTwice refers to a quad once for each of its components that is the blank node, not once for the
	// node (section 4.4.3 step 2.1).
	LoopsTwice Variant = 1 << iota
	// RelatedSet keeps a related node once under its related hash, not once for each mention (section 4.8.3
	// step 3.1.2).
	RelatedSet
)

// Options of one canonicalization.
type Options struct {
	Hash    canon.Hash    // default canon.SHA256
	Work    int64         // limit of n-degree calls plus permutations; default: the rest of the budget
	Budget  *canon.Budget // of the operation that this is a step of; nil makes one
	Issued  bool          // Canonicalize fills Form.Issued
	Variant Variant       // default the literal reading
	Tally   Tally         // filled with the n-degree hashes of each blank node; nil costs nothing
}

// Tally counts the hashes of Hash N-Degree Quads (section 4.8.3) by the blank node that it hashes.
type Tally map[rdf.TermID]Hashes

// Hashes are those that the algorithm asks for; [State.Run] finds repeated related hashes in a cache.
type Hashes struct {
	NDegree, Related int   // calls, and calls of Hash Related Blank Node (section 4.7.3) in them
	Bytes            int64 // hashed by both
}

func (t Tally) add(n rdf.TermID, h Hashes) {
	sum := t[n]
	t[n] = Hashes{sum.NDegree + h.NDegree, sum.Related + h.Related, sum.Bytes + h.Bytes}
}

// supported returns a *canon.UnsupportedError for a hash function that a run refuses, and nil for others.
func supported(h canon.Hash) error {
	switch h {
	case "", canon.SHA256, canon.SHA384:
		return nil
	}
	return &canon.UnsupportedError{Engine: "rdfc", What: "hash " + string(h)}
}

var states = sync.Pool{New: func() any { return new(State) }}

// Canonicalize fills form.Text and form.Lines, and form.Issued if opt asks for it, and reuses the memory of
// form.Text. If the limit is reached or ctx ends, it returns a [canon.LimitError] with the work done; form
// then has no text.
func Canonicalize(ctx context.Context, d *rdf.Dataset, opt Options, form *canon.Form) error {
	if form == nil {
		return errors.New("rdfc: the form to fill is nil")
	}
	s := states.Get().(*State)
	defer s.release()
	text, err := s.Run(ctx, d, opt, form.Text[:0])
	form.Text, form.Lines, form.Issued = text, 0, nil
	if err == nil {
		form.Lines = s.Lines()
		if opt.Issued {
			form.Issued = s.Issued()
		}
	}
	return err
}

// release gives s back to the pool.
func (s *State) release() {
	s.Forget()
	states.Put(s)
}

// Forget ends the results of the last Run and drops all references to its dataset and its context.
func (s *State) Forget() {
	s.node, s.nodes, s.issued = s.node[:0], s.nodes[:0], s.issued[:0]
	s.order.reset()
	s.d, s.terms, s.quads, s.ctx, s.choices, s.budget, s.opt = nil, nil, nil, nil, nil, nil, Options{}
}

// State is the canonicalization state (section 4.2) of one run: its working memory and, after [State.Run],
// its results. The zero State is ready. A State serves one goroutine at a time. Reused, it allocates only
// for larger datasets. Its results describe the dataset of the last Run, which must not change until they
// are read.
//
//phase:label
type State struct {
	d      *rdf.Dataset
	opt    Options
	budget *canon.Budget
	own    canon.Budget
	used   int   // memory that is counted
	spent  int64 // work of the operation before this run, if the limit is that of the operation
	labelling
	order
}

var errNoDataset = errors.New("rdfc: the dataset is nil")

// Run canonicalizes d and appends the canonical N-Quads to dst. On an error it returns dst as it was.
func (s *State) Run(ctx context.Context, d *rdf.Dataset, opt Options, dst []byte) ([]byte, error) {
	if d == nil {
		return dst, errNoDataset
	}
	err := s.Label(ctx, d, opt)
	defer s.budget.Use(-s.used)
	if err != nil {
		return dst, err
	}
	return s.serialize(dst, "c14n", nil), nil
}

// Label is Run without the text, for a caller of [State.Relabel]: until then there are no lines.
func (s *State) Label(ctx context.Context, d *rdf.Dataset, opt Options) error {
	if d == nil {
		return errNoDataset
	}
	s.start(ctx, d, opt)
	s.order.reset()
	err := s.label(ctx)
	s.budget.Work(s.work)
	if err != nil {
		s.d, s.nodes, s.issued = nil, s.nodes[:0], s.issued[:0]
		clear(s.node)
		return err
	}
	return nil
}

// start begins a run.
func (s *State) start(ctx context.Context, d *rdf.Dataset, opt Options) {
	s.d, s.opt = d, opt
	s.budget = canon.BudgetOf(ctx, opt.Budget, &s.own, canon.Limits{})
	s.used, s.spent = 0, 0
	if own := s.budget == &s.own; !own || opt.Work == 0 { // the work of other steps of the operation counts
		left := s.budget.Work(0)
		if s.opt.Work == 0 || left < s.opt.Work {
			s.opt.Work, s.spent = left, s.budget.Limits().Work-left
		}
	}
}

// Memory that labelling and sorting take for one quad and for one blank node.
const (
	perQuad  = 68
	perBlank = 160
)

// count counts the memory of a run.
func (s *State) count() error {
	before := s.used
	s.used = perQuad*len(s.d.Quads) + perBlank*len(s.nodes)
	return s.budget.Use(s.used - before)
}

// Relabel appends the dataset of the last Run or Label with labels[i], without "_:", in place of c14n<i>.
// It sorts the lines again, and [State.Sources] then refers to the new order. Without a dataset, as after an
// error, it appends nothing.
func (s *State) Relabel(dst []byte, labels []string) []byte {
	if s.d == nil {
		return dst
	}
	return s.serialize(dst, "", labels)
}

// Blanks returns the number of blank nodes.
func (s *State) Blanks() int { return len(s.issued) }

// Blank returns the blank node whose canonical label is c14n<i>.
func (s *State) Blank(i int) rdf.TermID { return s.nodes[s.issued[i]] }

// Work returns the n-degree calls plus permutations of the last run.
func (s *State) Work() int64 { return s.work }

// Ties reports whether blank nodes of the last run shared a first-degree hash.
func (s *State) Ties() bool { return s.ties }

// Copied returns how many identifiers the last run would have copied if it copied the issuer for each
// permutation.
func (s *State) Copied() int64 { return s.copied }

// Number returns i for the blank node whose canonical label is c14n<i>, and -1 for a term that is not a
// blank node of the run.
func (s *State) Number(t rdf.TermID) int {
	if n := s.nodeOf(t); n >= 0 {
		return int(s.canonical[n])
	}
	return -1
}

// Issued returns the issued identifiers map: input label to canonical label, both without "_:".
func (s *State) Issued() map[string]string {
	m := make(map[string]string, len(s.issued))
	for i := range s.issued {
		m[string(s.d.Terms[s.Blank(i)].Text[2:])] = "c14n" + strconv.Itoa(i)
	}
	return m
}

// serialize sets the labels of terms and appends the sorted lines.
//
//phase:serialize
func (s *State) serialize(dst []byte, prefix string, labels []string) []byte {
	s.terms = s.d.Terms
	s.labels, s.ends = s.labels[:0], append(s.ends[:0], 0)
	for i := range s.issued {
		s.labels = append(s.labels, "_:"...)
		if labels != nil {
			s.labels = append(s.labels, labels[i]...)
		} else {
			s.labels = append(s.labels, prefix...)
			s.labels = strconv.AppendInt(s.labels, int64(i), 10)
		}
		s.ends = append(s.ends, len(s.labels))
		s.codes[s.Blank(i)] = uint32(i) + 1
	}
	if labels != nil {
		return s.write(dst, s.d.Quads, 0)
	}
	return s.write(dst, s.d.Quads, len(s.issued))
}

// nodeOf returns the number of the blank node t in this run, or -1.
func (s *State) nodeOf(t rdf.TermID) int32 {
	if int(t) < len(s.node) {
		return s.node[t] - 1
	}
	return -1
}

func be64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
