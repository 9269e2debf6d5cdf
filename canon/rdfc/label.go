//phase:caller
package rdfc

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"slices"

	"canonscope/canon"
	"canonscope/canon/rdf"
)

// labelling is the state for giving each blank node its canonical number.
type labelling struct {
	node  []int32      // by term: number of the blank node plus one, 0 for other terms
	nodes []rdf.TermID // by node: its term

	// Blank node to quads map (section 4.2): the quads of node n are mentions[begin[n]:end[n]].
	// With codes of predicates they are in the order of these.
	mentions []uint32
	begin    []int32
	end      []int32

	// The quads of one node while they are sorted, and those whose subject is the node, or another one.
	keyed, ofSelf, ofOther []entry

	first  []byte  // by node: first degree hash
	ranked []entry // nodes in the order of their first degree hashes, in the memory of order.sorted
	place  []int32 // by tied node: place in ranked of the first node with its first degree hash

	ties bool // nodes share a first degree hash

	canonical []int32 // canonical issuer by node: canonical number, or -1
	issued    []int32 // canonical issuer: nodes in the order of their canonical numbers

	hasher
	nDegree
}

// label runs steps 2 to 5 of the canonicalization algorithm (section 4.4.3).
func (s *State) label(ctx context.Context) error {
	var err error
	if s.ties, err = s.labelUnique(ctx); err != nil || !s.ties {
		return err
	}
	return s.labelTied(ctx)
}

// labelUnique runs steps 2 to 4 and reports whether nodes without a label remain.
func (s *State) labelUnique(ctx context.Context) (tied bool, err error) {
	if err := supported(s.opt.Hash); err != nil {
		return false, err
	}
	if s.long, s.size = s.opt.Hash == canon.SHA384, sha256.Size; s.long {
		s.size = sha512.Size384
	}

	s.digest, s.work = [maxDigest]byte{}, 0
	s.rank(s.d)
	s.mention() // 2
	if err := s.count(); err != nil {
		return false, err
	}
	if len(s.nodes) == 0 {
		return false, nil
	}

	s.canonical = fill(s.canonical, len(s.nodes), -1)

	if len(s.nodes) == 1 {
		s.ranked = s.ranked[:0]
		s.issue(0)
		return false, nil
	}

	if err := s.rankFirst(ctx); err != nil { // 3
		return false, err
	}

	for i, r := range s.ranked { // 4
		if s.tied(i-1, i) || s.tied(i, i+1) {
			tied = true
			continue
		}
		s.issue(int32(r.at))
	}

	return tied, nil
}

// labelTied runs step 5.
func (s *State) labelTied(ctx context.Context) error {
	s.begins(ctx, len(s.nodes))
	s.place = slices.Grow(s.place[:0], len(s.nodes))[:len(s.nodes)]
	for i, first := 0, 0; i < len(s.ranked); i++ {
		if !s.tied(i-1, i) {
			first = i
		}
		s.place[s.ranked[i].at] = int32(first)
	}
	touched := 0
	for i, n := 0, 0; i < len(s.ranked); i += n {
		if i >= touched && len(s.ranked) > many {
			touched = min(i+ahead, len(s.ranked))
			s.touchNodes(s.ranked[i:touched])
		}
		rest := s.ranked[i:]
		n = 1
		for n < len(rest) && s.place[rest[n].at] == s.place[rest[0].at] {
			n++
		}
		if err := s.group(rest[:n]); err != nil { // nothing if the node has its label
			return err
		}
	}
	return nil
}

// touchNodes is touch for the next nodes of labelTied, which the order of their hashes scatters.
func (s *State) touchNodes(e []entry) {
	for i := range e {
		n := e[i].at
		q := &s.d.Quads[s.mentions[s.begin[n]]]
		if p := s.d.Terms[q.P].Text; len(p) > 0 {
			s.touched += p[len(p)-1] + s.first[int(n)*s.size] + byte(s.canonical[n]+s.temporary[n]+s.owner[n])
		}
	}
}

// issue gives node n, which has none, the next canonical number.
func (s *State) issue(n int32) {
	s.canonical[n] = int32(len(s.issued))
	s.issued = append(s.issued, n)
}

// mention numbers the blank nodes and fills the blank node to quads map.
func (s *State) mention() {
	quads, terms := s.d.Quads, s.d.Terms
	s.node, s.nodes, s.issued, s.end = s.node[:0], s.nodes[:0], s.issued[:0], s.end[:0]
	s.mentions = s.mentions[:0]
	if len(terms) <= 2*len(quads)+8 { // passing over the terms is faster
		blanks, last := 0, 0
		for i := range terms {
			if terms[i].Kind == rdf.Blank {
				blanks++
				last = i
			}
		}
		switch blanks {
		case 0:
			return
		case 1:
			s.mentionOnly(rdf.TermID(last))
			return
		}
	}

	twice := s.opt.Variant&LoopsTwice != 0
	for i := range quads {
		q := &quads[i]
		if terms[q.S].Kind != rdf.Blank && terms[q.O].Kind != rdf.Blank && terms[q.G].Kind != rdf.Blank {
			continue
		}
		if len(s.nodes) == 0 {
			s.node = fill(s.node, len(terms), 0)
		}
		subject, object, graph := s.number(q.S), s.number(q.O), s.number(q.G)
		if subject >= 0 {
			s.end[subject]++
		}
		if object >= 0 && (object != subject || twice) {
			s.end[object]++
		}
		if graph >= 0 && (graph != subject && graph != object || twice) {
			s.end[graph]++
		}
	}

	if len(s.nodes) < 2 { // the hash of a single one decides nothing
		return
	}

	total := int32(0)
	s.begin = s.begin[:0]

	for n, count := range s.end {
		s.begin = append(s.begin, total)
		s.end[n] = total
		total += count
	}

	s.mentions = slices.Grow(s.mentions[:0], int(total))[:total]
	node, end, mentions := s.node, s.end, s.mentions
	for i := range uint32(len(quads)) {
		if s.hasCodes {
			i = s.byPredicate[i]
		}
		q := &quads[i]
		subject, object, graph := node[q.S], node[q.O], node[q.G]
		if subject > 0 {
			mentions[end[subject-1]] = i
			end[subject-1]++
		}
		if object > 0 && (object != subject || twice) {
			mentions[end[object-1]] = i
			end[object-1]++
		}
		if graph > 0 && (graph != subject && graph != object || twice) {
			mentions[end[graph-1]] = i
			end[graph-1]++
		}
	}
}

// mentionOnly is mention for a dataset whose only blank node is t. Its quads are not needed.
func (s *State) mentionOnly(t rdf.TermID) {
	for i := range s.d.Quads {
		if q := &s.d.Quads[i]; q.S == t || q.O == t || q.G == t {
			s.node = fill(s.node, int(t)+1, 0)
			s.number(t)
			return
		}
	}
}

// number returns the number of the blank node t, giving it one if needed, and -1 for other terms.
func (s *State) number(t rdf.TermID) int32 {
	if s.d.Terms[t].Kind != rdf.Blank {
		return -1
	}
	if s.node[t] == 0 {
		s.nodes = append(s.nodes, t)
		s.node[t] = int32(len(s.nodes))
		s.end = append(s.end, 0)
	}
	return s.node[t] - 1
}

// rankFirst hashes the first degree quads of each node (section 4.6.3) and puts the nodes into the order of
// their hashes.
func (s *State) rankFirst(ctx context.Context) error {
	s.first = slices.Grow(s.first[:0], len(s.nodes)*s.size)
	s.ranked = slices.Grow(s.sorted[:0], len(s.nodes))
	s.sorted = s.ranked // which needs it when the nodes have their labels
	for n := range s.nodes {
		if n&0xFFF == 0 && (n > 0 || ctx.Err() != nil) {
			if err := s.budget.Alive(ctx); err != nil {
				return err
			}
		}
		s.firstDegree(int32(n))
		s.first = append(s.first, s.digest[:s.size]...)
		s.ranked = append(s.ranked, entry{key: be64(s.digest[:]), at: uint32(n)})
	}
	s.sortKeys(s.ranked)
	alike(s.ranked, func(same []entry) { // mostly those of equal hashes
		insertionOr(same, func(a, b entry) int {
			return cmp.Or(bytes.Compare(s.firstOf(a.at), s.firstOf(b.at)), cmp.Compare(a.at, b.at))
		})
	})
	return nil
}

func (s *State) firstOf(n uint32) []byte {
	return s.first[int(n)*s.size : (int(n)+1)*s.size]
}

// tied reports whether the nodes at two places of ranked exist and share their first degree hash.
func (s *State) tied(i, j int) bool {
	if i < 0 || j >= len(s.ranked) {
		return false
	}
	a, b := s.ranked[i], s.ranked[j]
	return a.key == b.key && bytes.Equal(s.firstOf(a.at), s.firstOf(b.at))
}

// firstDegree hashes the first degree quads of n. It also drops repeated quads from the mentions of n: a
// dataset is a set.
func (s *State) firstDegree(n int32) {
	quads, terms := s.d.Quads, s.d.Terms
	list := s.mentions[s.begin[n]:s.end[n]]
	keyed, ofSelf, ofOther := s.keyed[:0], s.ofSelf[:0], s.ofOther[:0]
	for _, at := range list {
		q := &quads[at]
		switch s.node[q.S] - 1 {
		case n:
			ofSelf = append(ofSelf, entry{key: self<<32 | uint64(s.codes[q.P]), at: at})
		case -1:
			keyed = append(keyed, entry{key: iri << 32, at: at})
		default:
			ofOther = append(ofOther, entry{key: other<<32 | uint64(s.codes[q.P]), at: at})
		}
	}
	keyed = append(append(keyed, ofSelf...), ofOther...)
	s.keyed, s.ofSelf, s.ofOther = keyed, ofSelf, ofOther
	alike(keyed, func(same []entry) { s.sortAlike(n, same) })

	input := s.input[:0]
	kept := 0
	for i := range keyed {
		at := keyed[i].at
		if i > 0 && keyed[i].key == keyed[i-1].key && list[kept-1] != at && s.repeats(list[kept-1], at) {
			continue
		}
		list[kept] = at
		kept++
		q := &quads[at]
		input = append(append(input, s.masked(n, q.S)...), ' ')
		input = append(append(input, terms[q.P].Text...), ' ')
		input = append(input, s.masked(n, q.O)...)
		if q.G != 0 {
			input = append(append(input, ' '), s.masked(n, q.G)...)
		}
		input = append(input, " .\n"...)
	}

	s.input = input
	s.end[n] = s.begin[n] + int32(kept)
	s.hash(s.input)
}

// Subjects of first degree quads, in the order of their texts.
const (
	iri = iota
	self
	other
)

// sortAlike sorts first degree quads of n that share a key.
func (s *State) sortAlike(n int32, list []entry) {
	insertionOr(list, func(a, b entry) int {
		qa, qb := &s.d.Quads[a.at], &s.d.Quads[b.at]
		c := s.compare(n, qa.S, qb.S)
		if c == 0 {
			c = s.compare(n, qa.P, qb.P)
		}
		if c == 0 {
			c = s.compare(n, qa.O, qb.O)
		}
		if c == 0 {
			c = s.compare(n, qa.G, qb.G)
		}
		if c == 0 { // quads with the same line: repeated quads become neighbours
			c = cmp.Or(cmp.Compare(s.node[qa.S], s.node[qb.S]), cmp.Compare(s.node[qa.O], s.node[qb.O]),
				cmp.Compare(s.node[qa.G], s.node[qb.G]), cmp.Compare(a.at, b.at))
		}
		return c
	})
}

// repeats reports whether two quads are equal.
func (s *State) repeats(a, b uint32) bool {
	qa, qb := &s.d.Quads[a], &s.d.Quads[b]
	return s.equal(qa.S, qb.S) && s.equal(qa.P, qb.P) && s.equal(qa.O, qb.O) && s.equal(qa.G, qb.G)
}

// equal reports whether two terms are the same. Terms other than blank nodes may have several numbers.
func (s *State) equal(a, b rdf.TermID) bool {
	if a == b {
		return true
	}
	ta, tb := &s.d.Terms[a], &s.d.Terms[b]
	return ta.Kind == tb.Kind && ta.Kind != rdf.Blank && same(ta.Text, tb.Text)
}

var (
	selfText  = []byte("_:a")
	otherText = []byte("_:z")
)

// masked returns the text of a term in the first degree quads of n.
func (s *State) masked(n int32, t rdf.TermID) []byte {
	switch s.node[t] - 1 {
	case -1:
		return s.d.Terms[t].Text
	case n:
		return selfText
	}
	return otherText
}

// compare compares two terms by their text in the first degree quads of n. The order of quads is that of
// their lines, as [order] shows.
func (s *State) compare(n int32, a, b rdf.TermID) int {
	if a == b {
		return 0
	}
	ta, tb := s.masked(n, a), s.masked(n, b)
	if same(ta, tb) {
		return 0
	}
	return bytes.Compare(ta, tb)
}

// fill returns memory of n values, each v.
func fill(m []int32, n int, v int32) []int32 {
	m = slices.Grow(m[:0], n)[:n]
	for i := range m {
		m[i] = v
	}
	return m
}

// insertionOr sorts short lists by insertion, which is faster for them and does not allocate.
func insertionOr[T any](list []T, compare func(a, b T) int) {
	if len(list) > 24 {
		slices.SortFunc(list, compare)
		return
	}
	for i := 1; i < len(list); i++ {
		x := list[i]
		j := i
		for ; j > 0 && compare(list[j-1], x) > 0; j-- {
			list[j] = list[j-1]
		}
		list[j] = x
	}
}
