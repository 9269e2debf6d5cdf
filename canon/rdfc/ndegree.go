//phase:caller
package rdfc

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/rdf"
)

// nDegree is the working memory of the Hash N-Degree Quads algorithm (section 4.8). The slices are stacks
// that the recursion shares. The temporary issuer is not copied for each permutation: it has a log, and a
// permutation that is not chosen is undone.
type nDegree struct {
	temporary []int32   // temporary issuer by node: number issued, or -1
	log       []int32   // temporary issuer: nodes in the order of their numbers
	kept      []int32   // logs of chosen permutations while others are tried
	related   []related // Hn of each call
	todo      []int32   // recursion lists
	data      []byte    // of each call: data to hash, chosen path, path
	results   []result  // hash path list of one group
	logs      []int32   // logs of the results
	owner     []int32   // by node: number plus one of the result of this group that issued to it
	ctx       context.Context
	unasked   int // nodes until ctx is checked again
	work, max int64
	copied    int64 // identifiers copied if each permutation copied the issuer
	err       error
	choices   *choices // nil unless Undetermined runs
}

// related is one entry of Hn.
type related struct {
	hash [maxDigest]byte
	node int32
}

// result is one result of step 5.2.4: the n-degree hash and the nodes in the order of their temporary
// identifiers.
type result struct {
	hash     [maxDigest]byte
	from, to int // place in logs
}

// maxRecursion bounds the stack. A path of that length needs far more work than any sensible limit allows.
const maxRecursion = 1 << 16

func (s *State) begins(ctx context.Context, nodes int) {
	s.ctx, s.unasked, s.work, s.copied, s.max, s.err = ctx, 0, 0, 0, s.opt.Work, nil
	s.temporary = fill(s.temporary, nodes, -1)
	s.owner = fill(s.owner, nodes, 0)
	s.forget(nodes)
	s.log, s.kept, s.related, s.todo, s.data = s.log[:0], s.kept[:0], s.related[:0], s.todo[:0], s.data[:0]
}

// spend counts one unit of work on a number of nodes and reports whether the limits allow it.
func (s *State) spend(nodes int) bool {
	if s.work >= s.max {
		s.err = &canon.LimitError{Limit: "work", Max: s.spent + s.max, Done: s.spent + s.work}
		return false
	}
	if s.unasked -= nodes + 1; s.unasked < 0 {
		s.unasked = 1000
		if s.err = s.budget.Alive(s.ctx); s.err != nil {
			s.err.(*canon.LimitError).Done = s.work
			return false
		}
		stacks := int64(len(s.data) + 48*len(s.related) + 4*(len(s.log)+len(s.kept)+len(s.todo)+len(s.logs)))
		if left := s.budget.Left(); stacks > left {
			s.err = &canon.LimitError{Limit: "memory", Max: left, Done: stacks}
			return false
		}
	}
	s.work++
	return true
}

// group runs step 5 of the canonicalization algorithm (section 4.4.3) for the nodes of one first degree hash.
//
// Every result issues identifiers to all unlabelled nodes that are connected with its node, and only to
// them. Of two results for connected nodes, only the one that comes first in 5.3 has an effect, so only
// that one is kept.
func (s *State) group(nodes []entry) error {
	s.results, s.logs = s.results[:0], s.logs[:0]
	for _, e := range nodes { // 5.2
		n := int32(e.at)
		if s.canonical[n] >= 0 { // 5.2.1
			continue
		}
		s.give(n)                 // 5.2.2, 5.2.3
		if !s.nDegreeHash(n, 0) { // 5.2.4
			return s.err
		}
		if i := s.owner[n]; i == 0 {
			s.results = append(s.results, result{s.digest, len(s.logs), len(s.logs) + len(s.log)})
			s.logs = append(s.logs, s.log...)
			for _, n := range s.log {
				s.owner[n] = int32(len(s.results))
			}
		} else {
			known := &s.results[i-1]
			log := s.logs[known.from:known.to]
			order := bytes.Compare(s.digest[:s.size], known.hash[:s.size])
			if order < 0 || order == 0 && s.choices.other(s, log, s.log) {
				known.hash = s.digest
				copy(log, s.log)
			}
		}

		s.undo(0)
	}

	slices.SortStableFunc(s.results,
		func(a, b result) int { return bytes.Compare(a.hash[:s.size], b.hash[:s.size]) })

	for _, r := range s.results { // 5.3
		for _, n := range s.logs[r.from:r.to] {
			s.issue(n)
		}
	}

	s.choices.compareResults(s)
	return nil
}

// give issues a temporary identifier to n, which has none.
func (s *State) give(n int32) {
	s.temporary[n] = int32(len(s.log))
	s.log = append(s.log, n)
}

// undo takes back all but the first n temporary identifiers.
func (s *State) undo(n int) {
	for _, m := range s.log[n:] {
		s.temporary[m] = -1
	}
	s.log = s.log[:n]
}

// nDegreeHash runs Hash N-Degree Quads (section 4.8.3) for n, starting from the present temporary issuer.
// It leaves the chosen issuer there and the hash in digest. It returns false if a limit was reached.
func (s *State) nDegreeHash(n int32, depth int) bool {
	if depth == maxRecursion {
		s.err = &canon.LimitError{Limit: "recursion", Max: maxRecursion, Done: s.work}
		return false
	}

	if !s.spend(int(s.end[n] - s.begin[n])) {
		return false
	}

	hn := len(s.related)
	for _, i := range s.mentions[s.begin[n]:s.end[n]] { // 3
		q := &s.d.Quads[i]
		s.relate(n, hn, q.S, 's', q)
		s.relate(n, hn, q.O, 'o', q)
		s.relate(n, hn, q.G, 'g', q)
	}

	insertionOr(s.related[hn:], func(a, b related) int {
		if c := bytes.Compare(a.hash[:s.size], b.hash[:s.size]); c != 0 {
			return c
		}
		return int(a.node) - int(b.node)
	})

	data := len(s.data)                // 4
	for i := hn; i < len(s.related); { // 5
		j := i + 1
		for j < len(s.related) && s.related[j].hash == s.related[i].hash {
			j++
		}
		s.data = appendHex(s.data, s.related[i].hash[:s.size]) // 5.1
		if !s.choose(i, j, depth) {
			return false
		}
		i = j
	}

	s.hash(s.data[data:]) // 6
	if s.opt.Tally != nil {
		s.opt.Tally.add(s.nodes[n], Hashes{NDegree: 1, Bytes: int64(len(s.data) - data)})
	}
	s.related, s.data = s.related[:hn], s.data[:data]
	return true
}

// relate adds t, a component of q, to Hn if t is a blank node other than n. Hn is the entries of related
// from hn on. The hash is that of Hash Related Blank Node (section 4.7.3).
func (s *State) relate(n int32, hn int, t rdf.TermID, position byte, q *rdf.Quad) {
	m := s.node[t] - 1
	if m < 0 || m == n {
		return
	}

	predicate, number, what := q.P, s.canonical[m], uint32(canonicalID)
	if number < 0 {
		if number, what = s.temporary[m], temporaryID; number < 0 {
			number, what = s.place[m], firstDegreeHash
		}
	}

	if position == 'g' {
		predicate = 0
	}

	known, ok := s.recall(position, predicate, number, what)
	if !ok || s.opt.Tally != nil {
		s.input = append(s.input[:0], position)
		if position != 'g' {
			s.input = append(s.input, s.d.Terms[predicate].Text...)
		}
		if what == firstDegreeHash {
			s.input = appendHex(s.input, s.firstOf(uint32(m)))
		} else {
			s.input = s.identifier(s.input, m)
		}
		s.hash(s.input)
		known.hash = s.digest
	}
	if s.opt.Tally != nil {
		s.opt.Tally.add(s.nodes[n], Hashes{Related: 1, Bytes: int64(len(s.input))})
	}

	r := related{known.hash, m}
	if s.opt.Variant&RelatedSet != 0 && slices.Contains(s.related[hn:], r) {
		return
	}

	s.related = append(s.related, r)
}

// identifier appends the canonical identifier of m, or else its temporary identifier.
func (s *State) identifier(dst []byte, m int32) []byte {
	if c := s.canonical[m]; c >= 0 {
		dst = append(dst, "_:c14n"...)
		return strconv.AppendInt(dst, int64(c), 10)
	}
	dst = append(dst, "_:b"...)
	return strconv.AppendInt(dst, int64(s.temporary[m]), 10)
}

// choose runs steps 5.2 to 5.6 for the nodes of one related hash, the entries i to j of related: it appends
// the chosen path to data and leaves the chosen issuer as the temporary issuer.
func (s *State) choose(i, j int, depth int) bool {
	issued := len(s.log)
	kept := len(s.kept)
	from := len(s.data)
	to := from       // the chosen path is data[from:to], and the current one follows it
	current := false // the temporary issuer is that of the chosen path
	for {            // 5.4
		if !s.spend(j - i) {
			return false
		}
		s.copied += int64(len(s.log))
		if !s.walk(i, j, depth) {
			return false
		}
		order := -1
		if to > from {
			order = bytes.Compare(s.data[to:], s.data[from:to])
		}
		switch {
		case order < 0: // 5.4.6
			to = from + copy(s.data[from:], s.data[to:])
			current = true
		case order == 0:
			current = s.choices.other(s, s.kept[kept:], s.log[issued:])
		default:
			current = false
		}

		s.data = s.data[:to]
		if !s.permute(i, j) {
			break
		}
		if current {
			s.kept = append(s.kept[:kept], s.log[issued:]...)
		}
		s.undo(issued)
	}

	if !current { // 5.6
		s.undo(issued)
		for _, n := range s.kept[kept:] {
			s.give(n)
		}
	}

	s.kept = s.kept[:kept]
	return true
}

// walk builds the path of one permutation at the end of data (steps 5.4.1 to 5.4.5). It returns false if a
// limit was reached.
//
// The text also leaves a permutation whose path is greater than the chosen one and at least as long (steps
// 5.4.4.3 and 5.4.5.5). All permutations issue the same identifiers and have hashes of one length, so all
// paths are of one length, and that is so only at their end.
func (s *State) walk(i, j, depth int) bool {
	todo := len(s.todo)
	for ; i < j; i++ { // 5.4.4
		m := s.related[i].node
		if s.canonical[m] < 0 && s.temporary[m] < 0 {
			s.todo = append(s.todo, m)
			s.give(m)
		}
		s.data = s.identifier(s.data, m)
	}

	for k := todo; k < len(s.todo); k++ { // 5.4.5
		m := s.todo[k]
		if !s.nDegreeHash(m, depth+1) {
			return false
		}
		s.data = append(s.identifier(s.data, m), '<')
		s.data = append(appendHex(s.data, s.digest[:s.size]), '>')
	}

	s.todo = s.todo[:todo]
	return true
}

// permute puts the nodes of the entries i to j into their next order, starting from ascending order, and
// returns false after the last. Entries of one node are not exchanged, since that would repeat a path.
func (s *State) permute(i, j int) bool {
	list := s.related[i:j]
	k := len(list) - 2
	for k >= 0 && list[k].node >= list[k+1].node {
		k--
	}
	if k < 0 {
		return false
	}
	l := len(list) - 1
	for list[l].node <= list[k].node {
		l--
	}
	list[k].node, list[l].node = list[l].node, list[k].node
	slices.Reverse(list[k+1:])
	return true
}
