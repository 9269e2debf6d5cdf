//phase:caller
package lines

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"canonscope/canon"
)

// Alike settles which canonical label goes to which of several blank nodes that are alike, so that RDFC-1.0
// may label them either way and an engine need not do it the same way twice. The canonical form is the
// same, but a selection of one of them is not: issuer and holder have to agree. Nodes get the lowest labels
// in the order of their names, which are in the order of the document.
//
// issued maps names to canonical labels. statements have the names. Nodes that were tried and are not alike
// are n-degree work of the budget.
func Alike(ctx context.Context, b *canon.Budget, statements [][]byte, issued map[string]string) error {
	g := newGraph(statements)
	labels := make([]uint32, len(g.names))
	for i, n := range g.names {
		labels[i], _ = Number([]byte(issued[n]))
	}

	// Look for a renaming of the nodes that leaves the statements the same. Nodes of the first copy of the
	// graph are mapped to nodes of the second copy, whose labels they take.
	p := newPartition(ctx, b, g)
	defer b.Use(-p.size())
	if err := b.Use(p.size()); err != nil {
		return err
	}
	if p.refine(); p.err != nil {
		return p.err
	}

	// Nodes of the second copy by cell, the lowest label first; some have left the cell since.
	waiting := map[int32][]int32{}
	for i := range g.names {
		cell := p.of[i]
		if p.cells[cell].size == 2 {
			continue
		}
		candidates, ok := waiting[cell]
		if !ok {
			candidates = p.second(cell)
			slices.SortFunc(candidates, func(a, b int32) int { return cmp.Compare(labels[a], labels[b]) })
		}
		var refused []int32
		seen, found := 0, false
		for ; seen < len(candidates) && !found; seen++ {
			c := candidates[seen]
			if p.of[p.copy+int(c)] != cell {
				continue
			}
			if found = p.pair(i, int(c)); p.err != nil {
				return p.err
			}
			if !found {
				refused = append(refused, c)
			}
		}

		candidates = candidates[seen-len(refused):]
		copy(candidates, refused)
		waiting[cell] = candidates
	}

	for i, n := range g.names {
		if cell := p.of[i]; p.cells[cell].size == 2 {
			issued[n] = fmt.Sprintf("c14n%d", labels[p.second(cell)[0]])
		}
	}

	return nil
}

// graph is the blank nodes of statements: its vertices are the nodes and, after them, the statements that
// hold any.
type graph struct {
	names []string // of blank nodes, sorted
	texts []int32  // of each statement: number of its text without blank node labels
	from  []int32  // of each vertex: its first edge
	edges []edge
}

// edge leads from a node to a statement or back.
type edge struct {
	to     int32
	places uint8 // of the node in the statement, a bit each
}

func newGraph(statements [][]byte) *graph {
	g := &graph{}
	number := map[string]int{}
	for _, l := range statements {
		for start, end := blank(l, 0); start >= 0; start, end = blank(l, end) {
			if _, ok := number[string(l[start:end])]; !ok {
				number[string(l[start:end])] = 0
				g.names = append(g.names, string(l[start:end]))
			}
		}
	}

	slices.Sort(g.names)
	for i, n := range g.names {
		number[n] = i
	}

	type incidence struct {
		node, statement int32
		places          uint8
	}

	var all []incidence
	texts := map[string]int32{}
	var text []byte
	for _, line := range statements {
		text = text[:0]
		from, first, place := 0, len(all), uint8(1)
		for start, end := blank(line, 0); start >= 0; start, end = blank(line, end) {
			text = append(append(text, line[from:start]...), 0)
			n, s := int32(number[string(line[start:end])]), int32(len(g.names)+len(g.texts))
			if k := slices.IndexFunc(all[first:], func(i incidence) bool { return i.node == n }); k >= 0 {
				all[first+k].places |= place
			} else {
				all = append(all, incidence{n, s, place})
			}
			from, place = end, place<<1
		}

		if from == 0 {
			continue
		}
		text = append(text, line[from:]...)
		if _, ok := texts[string(text)]; !ok {
			texts[string(text)] = int32(len(texts))
		}
		g.texts = append(g.texts, texts[string(text)])
	}

	g.from = make([]int32, len(g.names)+len(g.texts)+1)
	for _, i := range all {
		g.from[i.node+1]++
		g.from[i.statement+1]++
	}

	for v := range len(g.from) - 1 {
		g.from[v+1] += g.from[v]
	}

	g.edges = make([]edge, 2*len(all))
	next := slices.Clone(g.from)
	for _, i := range all {
		g.edges[next[i.node]] = edge{i.statement, i.places}
		g.edges[next[i.statement]] = edge{i.node, i.places}
		next[i.node]++
		next[i.statement]++
	}

	return g
}

// partition parts the vertices of two copies of a graph into cells. Those of one cell may still be mapped
// to one another; each cell has as many of the first copy as of the second.
type partition struct {
	g      *graph
	copy   int     // vertices of one copy, after which those of the second follow
	order  []int32 // vertices by cell
	place  []int32 // of each vertex in order
	of     []int32 // cell of each vertex
	cells  []cell
	queue  []int32 // cells whose neighbours are still to be distinguished by them
	leads  []edge  // scratch: from one cell
	steps  []step  // scratch: what one kind of edge leads to
	parts  []cell  // scratch: of one cell
	ctx    context.Context
	budget *canon.Budget
	spent  int64 // edges that were followed
	asked  int64 // spent when the budget was last asked for its time
	err    error
}

type cell struct {
	first, size int32 // in order
	within      int32 // cell that it was a part of
	queued      bool
}

// step is how many edges of a cell lead to a vertex.
type step struct{ vertex, edges int32 }

// newPartition parts nodes from statements, and these by their texts.
func newPartition(ctx context.Context, b *canon.Budget, g *graph) *partition {
	n := len(g.names) + len(g.texts)
	p := &partition{g: g, copy: n, order: make([]int32, 2*n), place: make([]int32, 2*n),
		of: make([]int32, 2*n), ctx: ctx, budget: b}
	for v := range 2 * n {
		if s := v%n - len(g.names); s >= 0 {
			p.of[v] = 1 + g.texts[s]
		}
		for int(p.of[v]) >= len(p.cells) {
			p.cells = append(p.cells, cell{})
		}
		p.cells[p.of[v]].size++
	}
	first := int32(0)
	next := make([]int32, len(p.cells))
	for c := range p.cells {
		p.cells[c].first, next[c] = first, first
		first += p.cells[c].size
		p.enqueue(int32(c))
	}
	for v, c := range p.of {
		p.order[next[c]], p.place[v] = int32(v), next[c]
		next[c]++
	}
	return p
}

// size returns the memory of the graph and the partition in bytes.
func (p *partition) size() int { return 16*len(p.g.edges) + 64*p.copy }

func (p *partition) enqueue(c int32) {
	p.queue, p.cells[c].queued = append(p.queue, c), true
}

func (p *partition) members(c int32) []int32 {
	return p.order[p.cells[c].first:][:p.cells[c].size]
}

// second returns the vertices of the second copy in a cell, as those of the first.
func (p *partition) second(c int32) []int32 {
	var all []int32
	for _, v := range p.members(c) {
		if int(v) >= p.copy {
			all = append(all, v-int32(p.copy))
		}
	}
	return all
}

// pair maps node i of the first copy to node j of the second, which are of one cell, and reports whether
// the copies are still alike. If they are not, it undoes the mapping.
func (p *partition) pair(i, j int) bool {
	before, spent := len(p.cells), p.spent
	p.split(p.of[i], []step{{int32(i), 1}, {int32(p.copy + j), 1}})
	if p.refine() {
		return true
	}
	for _, c := range p.queue {
		p.cells[c].queued = false
	}
	p.queue = p.queue[:0]
	for c := len(p.cells) - 1; c >= before; c-- {
		part := p.cells[c]
		whole := &p.cells[part.within]
		for _, v := range p.members(int32(c)) {
			p.of[v] = part.within
		}
		whole.first, whole.size = min(whole.first, part.first), whole.size+part.size
		p.cells = p.cells[:c]
	}
	if most := p.budget.Limits().Work; p.err == nil && p.budget.Work(p.spent-spent+1) == 0 {
		p.err = &canon.LimitError{Limit: "work", Max: most, Done: most}
	}
	return false
}

// refine parts cells by how many edges lead to their vertices from each other cell, until that tells no
// more apart. It reports whether the copies are alike, and false if the budget has come to its end.
func (p *partition) refine() bool {
	for len(p.queue) > 0 {
		c := p.queue[len(p.queue)-1]
		p.queue, p.cells[c].queued = p.queue[:len(p.queue)-1], false
		p.leads = p.leads[:0]
		for _, v := range p.members(c) {
			base := v % int32(p.copy)
			for _, e := range p.g.edges[p.g.from[base]:p.g.from[base+1]] {
				p.leads = append(p.leads, edge{v - base + e.to, e.places})
			}
		}
		if p.spent += int64(len(p.leads)) + 1; p.spent-p.asked > 10_000 {
			p.asked = p.spent
			if p.err = p.budget.Alive(p.ctx); p.err != nil {
				return false
			}
		}
		slices.SortFunc(p.leads, func(a, b edge) int {
			return cmp.Or(cmp.Compare(a.places, b.places),
				cmp.Compare(a.to, b.to))
		})
		for from := 0; from < len(p.leads); {
			places := p.leads[from].places
			p.steps = p.steps[:0]
			for ; from < len(p.leads) && p.leads[from].places == places; from++ {
				if last := len(p.steps) - 1; last >= 0 && p.steps[last].vertex == p.leads[from].to {
					p.steps[last].edges++
				} else {
					p.steps = append(p.steps, step{p.leads[from].to, 1})
				}
			}
			slices.SortFunc(p.steps, func(a, b step) int {
				return cmp.Or(cmp.Compare(p.of[a.vertex], p.of[b.vertex]), cmp.Compare(a.edges, b.edges))
			})
			for i := 0; i < len(p.steps); {
				reached := p.of[p.steps[i].vertex]
				to := i + 1
				for to < len(p.steps) && p.of[p.steps[to].vertex] == reached {
					to++
				}
				if !p.split(reached, p.steps[i:to]) {
					return false
				}
				i = to
			}
		}
	}

	return true
}

// split parts a cell by the edges that lead to its vertices, given in the order of their numbers; to the
// others leads none. The largest part stays the cell, so that a vertex changes cells seldom. It reports
// whether each part has as many vertices of one copy as of the other.
func (p *partition) split(c int32, steps []step) bool {
	whole := p.cells[c]
	if int(whole.size) == len(steps) && steps[0].edges == steps[len(steps)-1].edges {
		return true
	}

	end := whole.first + whole.size
	largest := cell{first: whole.first, size: whole.size - int32(len(steps))}
	p.parts = append(p.parts[:0], largest)

	for i := 0; i < len(steps); {
		part := cell{first: end}
		for edges := steps[i].edges; i < len(steps) && steps[i].edges == edges; i++ {
			end--
			v, other := steps[i].vertex, p.order[end]
			p.order[p.place[v]], p.place[other] = other, p.place[v]
			p.order[end], p.place[v] = v, end
		}
		part.first, part.size = end, part.first-end
		if p.parts = append(p.parts, part); part.size > largest.size {
			largest = part
		}
	}

	p.cells[c].first, p.cells[c].size = largest.first, largest.size

	for _, part := range p.parts {
		if part.size == 0 || part.first == largest.first {
			continue
		}
		part.within = c
		number := int32(len(p.cells))
		p.cells = append(p.cells, part)
		p.enqueue(number)
		first := int32(0)
		for _, v := range p.members(number) {
			p.of[v] = number
			if int(v) < p.copy {
				first++
			}
		}
		if 2*first != part.size {
			return false
		}
	}

	return true
}
