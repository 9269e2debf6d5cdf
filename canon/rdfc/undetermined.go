//phase:caller
package rdfc

import (
	"bytes"
	"context"

	"canonscope/canon"
	"canonscope/canon/rdf"
)

// Undetermined reports whether RDFC-1.0 allows d more than one canonical form. It returns the blank nodes
// of a choice that the algorithm leaves open and that changes the form, nil if there is none. It labels d
// once more, but only if a tied node touches more than one graph or names a graph of several quads. The
// limits of opt hold for each labelling. Choices that depend on one another need several labellings,
// together at most [maxLabellings] times the limit of one.
//
// The algorithm takes either of two equal paths, and either of two nodes with one n-degree hash, assuming
// that the dataset is symmetric in them. But the input of a related hash lacks the graph name (section
// 4.7.3), so nodes that differ only in which graph holds which quad tie as well. To test the symmetry,
// exchange the nodes to which the two alternatives issue the same identifiers. If the dataset stays the
// same, so does all that follows, up to this exchange, and the choice cannot change the form. Otherwise the
// other alternative is tried too, and the forms are compared.
func Undetermined(ctx context.Context, d *rdf.Dataset, opt Options) ([]rdf.TermID, error) {
	if d == nil {
		return nil, errNoDataset
	}

	s := states.Get().(*State)
	defer s.release()
	s.start(ctx, d, opt)
	defer func() { s.budget.Use(-s.used) }()
	tied, err := s.labelUnique(ctx)
	if err != nil || !tied || !s.acrossGraphs() {
		return nil, err
	}

	c := newChoices(s)
	s.choices = c
	var first, form []byte
	spent := int64(0)
	for todo := [][]bool{nil}; len(todo) > 0; {
		c.taken, c.open = todo[len(todo)-1], c.open[:0]
		todo = todo[:len(todo)-1]
		if _, err := s.labelUnique(ctx); err != nil {
			return nil, err
		}
		if err := s.labelTied(ctx); err != nil {
			return nil, err
		}
		if c.shows != nil {
			return c.shows, nil
		}
		if form = s.serialize(form[:0], "c14n", nil); first == nil {
			first = bytes.Clone(form)
		} else if !bytes.Equal(form, first) {
			return c.open[len(c.taken)-1], nil
		}
		for i := len(c.open) - 1; i >= len(c.taken); i-- { // the earliest next
			next := make([]bool, i+1)
			copy(next, c.taken)
			next[i] = true
			todo = append(todo, next)
		}
		if spent += s.work; len(todo) > 0 && spent > maxLabellings*s.max {
			return nil, &canon.LimitError{Limit: "work", Max: maxLabellings * s.max, Done: spent}
		}
	}

	return nil, nil
}

const maxLabellings = 10

// acrossGraphs reports whether a tie may not be a symmetry: a node without a canonical label is mentioned
// in two graphs, or names a graph of several quads. Otherwise the hashes cover which nodes share a quad.
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

// choices finds the open choices of one labelling whose alternatives are not symmetric, and decides them as
// taken says. The methods do nothing on nil.
type choices struct {
	taken []bool         // of the first choices: whether to take the other alternative
	open  [][]rdf.TermID // for each choice so far, the nodes that differ
	shows []rdf.TermID   // the nodes of a choice that certainly changes the form

	quads map[rdf.Quad]bool
	alike []rdf.TermID // by term: the first term with its text
	image []int32      // by node: what it is exchanged for, during a test
}

func newChoices(s *State) *choices {
	c := &choices{
		quads: map[rdf.Quad]bool{},
		alike: make([]rdf.TermID, len(s.d.Terms)),
		image: make([]int32, len(s.nodes)),
	}
	first := map[string]rdf.TermID{}
	for i, term := range s.d.Terms {
		id := rdf.TermID(i)
		if term.Kind != rdf.Blank {
			if known, ok := first[string(term.Text)]; ok {
				id = known
			} else {
				first[string(term.Text)] = id
			}
		}
		c.alike[i] = id
	}
	for n := range c.image {
		c.image[n] = int32(n)
	}
	for _, q := range s.d.Quads {
		c.quads[c.exchanged(s, q)] = true
	}
	return c
}

// exchanged returns the image of a quad, each term replaced by the first term with its text.
func (c *choices) exchanged(s *State, q rdf.Quad) rdf.Quad {
	term := func(id rdf.TermID) rdf.TermID {
		if n := s.nodeOf(id); n >= 0 {
			return s.nodes[c.image[n]]
		}
		return c.alike[id]
	}
	return rdf.Quad{S: term(q.S), P: term(q.P), O: term(q.O), G: term(q.G)}
}

// differ returns the nodes that move if a[i] and b[i] are exchanged for all i, or nil if that leaves the
// dataset the same. The lists are two orders of the same nodes, or have no node in common.
func (c *choices) differ(s *State, a, b []int32) []rdf.TermID {
	var moved []int32
	for i, n := range a {
		if b[i] != n {
			moved = append(moved, n)
			c.image[n] = b[i]
		}
	}

	for i, n := range b {
		if c.image[n] == n && a[i] != n { // not in a
			moved = append(moved, n)
			c.image[n] = a[i]
		}
	}

	changes := false
	for _, n := range moved {
		for _, i := range s.mentions[s.begin[n]:s.end[n]] {
			changes = changes || !c.quads[c.exchanged(s, s.d.Quads[i])]
		}
	}

	var nodes []rdf.TermID
	for _, n := range moved {
		c.image[n] = n
		nodes = append(nodes, s.nodes[n])
	}

	if !changes {
		return nil
	}

	return nodes
}

// other reports whether to take b instead of a, two orders of the same nodes with equal paths.
func (c *choices) other(s *State, a, b []int32) bool {
	if c == nil {
		return false
	}
	nodes := c.differ(s, a, b)
	if nodes == nil {
		return false
	}
	c.open = append(c.open, nodes)
	i := len(c.open) - 1
	return i < len(c.taken) && c.taken[i]
}

// compareResults compares results of one group that have equal hashes. Their nodes get canonical labels in
// either order, and their quads then hold labelled nodes only, so a difference changes the form.
func (c *choices) compareResults(s *State) {
	if c == nil {
		return
	}
	for i := 1; i < len(s.results); i++ {
		a, b := s.results[i-1], s.results[i]
		if bytes.Equal(a.hash[:s.size], b.hash[:s.size]) && c.shows == nil {
			c.shows = c.differ(s, s.logs[a.from:a.to], s.logs[b.from:b.to])
		}
	}
}
