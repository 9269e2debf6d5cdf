package rdfc

import (
	"bytes"
	"context"

	"canonscope/canon/rdf"
)

// Tie is a choice that the algorithm leaves open although it shows in the canonical form.
type Tie struct {
	Nodes []rdf.TermID // the blank nodes that get other labels if the other choice is taken
}

// Undetermined returns the ties that make the canonical form of d depend on the order of the input; none if RDFC-1.0
// determines it. It labels d once more, under the limits of opt, but only if a tied node touches more than one graph or
// names a graph of several quads.
//
// The algorithm takes either of two paths that it encodes alike, and either of two nodes of one n-degree hash, and relies
// on their being alike in the dataset too. But a related hash has no graph name (section 4.7.3), so nodes that differ only
// in which graph holds which quad tie as well. Each such choice within the labelling that is used is tested: exchange
// the nodes that the two alternatives label alike, and see whether the dataset stays the same. If it does, all that
// follows is the same up to this exchange. If it does not, both canonical forms are possible: everything else that the
// algorithm goes on to do depends on the encoding alone, since the labelled nodes touch no unlabelled ones.
func Undetermined(ctx context.Context, d *rdf.Dataset, opt Options) ([]Tie, error) {
	s := states.Get().(*State)
	defer func() {
		s.d, s.terms, s.watch = nil, nil, nil
		states.Put(s)
	}()
	s.d, s.opt = d, opt
	tied, err := s.labelUnique(ctx)
	if err != nil || !tied || !s.acrossGraphs() {
		return nil, err
	}
	t := &ties{quads: map[rdf.Quad]bool{}}
	t.index(s)
	s.watch = t
	if err := s.labelTied(ctx); err != nil {
		return nil, err
	}
	return t.all, nil
}

// acrossGraphs tells whether a tie may be no likeness: whether a node without a canonical label is mentioned in two graphs,
// or names a graph of several quads. Otherwise the mentions of each such node tell which nodes stand together in a quad.
func (s *State) acrossGraphs() bool {
	for n, c := range s.canonical {
		if c >= 0 {
			continue
		}
		list := s.mentions[s.begin[n]:s.end[n]]
		for _, i := range list[1:] {
			g := s.d.Quads[i].G
			if s.node[g] == int32(n)+1 || !s.equal(s.d.Quads[list[0]].G, g) {
				return true
			}
		}
	}
	return false
}

// ties collects ties. Its methods do nothing on nil.
type ties struct {
	all   []Tie // of all groups so far
	open  []Tie // of the n-degree call in hand, as a stack
	quads map[rdf.Quad]bool
	alike []rdf.TermID // by term: the first term with its text
	image []int32      // by node: what it is exchanged for, while a tie is tested
}

// index fills the tables that compare needs.
func (t *ties) index(s *State) {
	first := map[string]rdf.TermID{}
	t.alike = make([]rdf.TermID, len(s.d.Terms))
	for i, term := range s.d.Terms {
		id := rdf.TermID(i)
		if term.Kind != rdf.Blank {
			if known, ok := first[string(term.Text)]; ok {
				id = known
			} else {
				first[string(term.Text)] = id
			}
		}
		t.alike[i] = id
	}
	t.image = make([]int32, len(s.nodes))
	for n := range t.image {
		t.image[n] = int32(n)
	}
	for _, q := range s.d.Quads {
		t.quads[t.map4(s, q)] = true
	}
}

// map4 returns the image of a quad, in terms that stand for their text.
func (t *ties) map4(s *State, q rdf.Quad) rdf.Quad {
	term := func(id rdf.TermID) rdf.TermID {
		if n := s.node[id] - 1; n >= 0 {
			return s.nodes[t.image[n]]
		}
		return t.alike[id]
	}
	return rdf.Quad{S: term(q.S), P: term(q.P), O: term(q.O), G: term(q.G)}
}

// compare returns a tie if exchanging a[i] and b[i] for all i changes the dataset. The lists are two orders of the same
// nodes, or have no node in common.
func (t *ties) compare(s *State, a, b []int32) []Tie {
	if t == nil {
		return nil
	}
	var moved []int32
	for i, n := range a {
		if b[i] != n {
			moved = append(moved, n)
			t.image[n] = b[i]
		}
	}
	for i, n := range b {
		if t.image[n] == n && a[i] != n { // not in a
			moved = append(moved, n)
			t.image[n] = a[i]
		}
	}
	changes := false
	for _, n := range moved {
		for _, i := range s.mentions[s.begin[n]:s.end[n]] {
			if !t.quads[t.map4(s, s.d.Quads[i])] {
				changes = true
			}
		}
	}
	tie := Tie{}
	for _, n := range moved {
		t.image[n] = n
		tie.Nodes = append(tie.Nodes, s.nodes[n])
	}
	if !changes {
		return nil
	}
	return []Tie{tie}
}

func (t *ties) found() int {
	if t == nil {
		return 0
	}
	return len(t.open)
}

// keep drops the ties from place from up to place inner.
func (t *ties) keep(from, inner int) {
	if t != nil {
		t.open = append(t.open[:from], t.open[inner:]...)
	}
}

// drop drops the ties from place from on.
func (t *ties) drop(from int) {
	if t != nil {
		t.open = t.open[:from]
	}
}

func (t *ties) add(more ...Tie) {
	if t != nil {
		t.open = append(t.open, more...)
	}
}

// take returns the open ties and forgets them.
func (t *ties) take() []Tie {
	if t == nil {
		return nil
	}
	open := t.open
	t.open = nil
	return open
}

// conclude adds the ties of a group: those within its results and those between results of one hash.
func (t *ties) conclude(s *State) {
	if t == nil {
		return
	}
	for i, r := range s.results {
		t.all = append(t.all, r.ties...)
		if i > 0 {
			if before := s.results[i-1]; bytes.Equal(before.hash[:s.size], r.hash[:s.size]) {
				t.all = append(t.all, t.compare(s, s.logs[before.from:before.to], s.logs[r.from:r.to])...)
			}
		}
	}
}
