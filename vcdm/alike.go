package vcdm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// alike settles which canonical label goes to which of several blank nodes that are alike, so that RDFC-1.0 may label
// them either way and an engine need not do it the same way twice. The canonical form is the same, but a selection of one
// of them is not: issuer and holder have to agree. Nodes get the lowest labels in the order of their names, which are in
// the order of the document.
//
// issued maps names to canonical labels. statements have the names.
func alike(statements [][]byte, issued map[string]string) {
	g := newGraph(statements)
	colours := g.refine(make(colouring, len(g.names)))
	if colours.distinct() == len(g.names) {
		return // no two are alike
	}
	labels := make([]uint32, len(g.names))
	for i, n := range g.names {
		labels[i], _ = canonicalNumber([]byte(issued[n]))
	}
	// A renaming of the nodes that leaves the statements as they are: a node takes the label of the one it stands for.
	// Both sides are refined together: from is the document, to is what its nodes stand for.
	from, to := colours, slices.Clone(colours)
	for i := range g.names {
		candidates := to.having(from[i])
		if len(candidates) == 1 {
			continue
		}
		slices.SortFunc(candidates, func(a, b int) int { return int(labels[a]) - int(labels[b]) })
		next := g.refine(from.mark(i))
		for _, c := range candidates {
			if other := g.refine(to.mark(c)); other.sameAs(next) {
				from, to = next, other
				break
			}
		}
	}
	for i, n := range g.names {
		if c := to.having(from[i]); len(c) == 1 {
			issued[n] = fmt.Sprintf("c14n%d", labels[c[0]])
		}
	}
}

// graph is a list of statements with the places of their blank nodes.
type graph struct {
	names      []string // of blank nodes, sorted
	statements []mentioned
	of         [][]int // statements of each blank node
}

// mentioned is a statement: its text without blank node labels, and the nodes that stood there, in order.
type mentioned struct {
	text  []byte
	nodes []int
}

func newGraph(statements [][]byte) *graph {
	g := &graph{}
	number := map[string]int{}
	each(statements, func(_, label []byte) {
		if _, ok := number[string(label)]; !ok {
			number[string(label)] = 0
			g.names = append(g.names, string(label))
		}
	})
	slices.Sort(g.names)
	for i, n := range g.names {
		number[n] = i
	}
	g.of = make([][]int, len(g.names))
	for _, line := range statements {
		var m mentioned
		from := 0
		for {
			start, end := blank(line, from)
			if start < 0 {
				break
			}
			m.text = append(append(m.text, line[from:start]...), 0)
			n := number[string(line[start:end])]
			m.nodes = append(m.nodes, n)
			if !slices.Contains(m.nodes[:len(m.nodes)-1], n) {
				g.of[n] = append(g.of[n], len(g.statements))
			}
			from = end
		}
		m.text = append(m.text, line[from:]...)
		if len(m.nodes) > 0 {
			g.statements = append(g.statements, m)
		}
	}
	return g
}

// each calls f for every blank node label.
func each(lines [][]byte, f func(line, label []byte)) {
	for _, l := range lines {
		for start, end := blank(l, 0); start >= 0; start, end = blank(l, end) {
			f(l, l[start:end])
		}
	}
}

// colour tells nodes apart: two of the same colour may be alike.
type colour [16]byte

// colouring has a colour for each node.
type colouring []colour

// refine makes the colour of a node depend on its statements and the colours of the nodes in them, until that tells no
// more nodes apart.
func (g *graph) refine(c colouring) colouring {
	for count := c.distinct(); ; {
		next := make(colouring, len(c))
		for n := range c {
			parts := make([][]byte, len(g.of[n]))
			for k, s := range g.of[n] {
				m := &g.statements[s]
				part := slices.Clone(m.text)
				for _, o := range m.nodes {
					if o == n {
						part = append(part, '*')
					} else {
						part = append(part, c[o][:]...)
					}
				}
				parts[k] = part
			}
			slices.SortFunc(parts, bytes.Compare)
			h := sha256.New()
			h.Write(c[n][:])
			for _, p := range parts {
				var size [4]byte
				binary.BigEndian.PutUint32(size[:], uint32(len(p)))
				h.Write(size[:])
				h.Write(p)
			}
			copy(next[n][:], h.Sum(nil))
		}
		more := next.distinct()
		if more == count {
			return next
		}
		c, count = next, more
	}
}

func (c colouring) distinct() int {
	seen := make(map[colour]bool, len(c))
	for _, x := range c {
		seen[x] = true
	}
	return len(seen)
}

// having returns the nodes of a colour.
func (c colouring) having(x colour) []int {
	var all []int
	for n := range c {
		if c[n] == x {
			all = append(all, n)
		}
	}
	return all
}

// mark returns the colouring with one node told apart.
func (c colouring) mark(n int) colouring {
	m := slices.Clone(c)
	m[n] = sha256Half(append([]byte("marked"), c[n][:]...))
	return m
}

func sha256Half(b []byte) (x colour) {
	sum := sha256.Sum256(b)
	copy(x[:], sum[:])
	return x
}

// sameAs says whether two colourings have each colour as often.
func (c colouring) sameAs(o colouring) bool {
	a, b := slices.Clone(c), slices.Clone(o)
	compare := func(x, y colour) int { return bytes.Compare(x[:], y[:]) }
	slices.SortFunc(a, compare)
	slices.SortFunc(b, compare)
	return slices.Equal(a, b)
}
