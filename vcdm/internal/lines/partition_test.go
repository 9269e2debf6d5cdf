package lines

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"canonscope/canon"
)

// graphOf returns statements with a blank node for each number, from left to right.
func graphOf(edges ...[2]int) (statements [][]byte, issued map[string]string) {
	issued = map[string]string{}
	for _, e := range edges {
		statements = append(statements, fmt.Appendf(nil, "_:n%06d <urn:p> _:n%06d .\n", e[0], e[1]))
		for _, n := range e {
			issued[fmt.Sprintf("n%06d", n)] = fmt.Sprintf("c14n%d", n)
		}
	}
	return statements, issued
}

// ring returns the edges of a ring of so many nodes.
func ring(first, size int) (edges [][2]int) {
	for i := range size {
		edges = append(edges, [2]int{first + i, first + (i+1)%size})
	}
	return edges
}

// Blank nodes that are alike are told apart with as much work as a graph has edges, times its logarithm:
// what one node leaves as it is costs nothing.
func TestAlikeWork(t *testing.T) {
	const n = 4000
	shapes := map[string][][2]int{"a ring": ring(0, n)}
	for i := range n {
		shapes["a star"] = append(shapes["a star"], [2]int{n, i})
		shapes["pairs"] = append(shapes["pairs"], [2]int{2 * i, 2*i + 1})
		shapes["a chain"] = append(shapes["a chain"], [2]int{i, i + 1})
		shapes["rings of ten"] = append(shapes["rings of ten"], [2]int{i, i - i%10 + (i+1)%10})
		shapes["a tree"] = append(shapes["a tree"], [2]int{i / 2, i + 1})
	}
	for name, edges := range shapes {
		statements, issued := graphOf(edges...)
		b := new(canon.Budget)
		b.Reset(canon.Limits{})
		g := newGraph(statements)
		p := newPartition(context.Background(), b, g)
		fits := p.refine()
		for i := range g.names {
			if p.cells[p.of[i]].size > 2 {
				fits = fits && p.pair(i, i)
			}
		}
		if most := int64(8 * len(g.edges) * bits.Len(uint(len(g.edges)))); !fits || p.spent > most {
			t.Errorf("%s: fits %v, %d edges followed, at most %d wanted", name, fits, p.spent, most)
		}

		if err := Alike(context.Background(), b, statements, issued); err != nil ||
			b.Left() != canon.DefaultMemory || b.Work(0) != canon.DefaultWork {
			t.Errorf("%s: %v; %d bytes and %d steps are left", name, err, b.Left(), b.Work(0))
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var limit *canon.LimitError
		if err := Alike(ctx, b, statements, issued); !errors.As(err, &limit) || limit.Limit != "time" {
			t.Errorf("%s: %v after the context has ended", name, err)
		}
		b.Reset(canon.Limits{Memory: 1000})
		if err := Alike(context.Background(), b, statements, issued); !errors.As(err, &limit) ||
			limit.Limit != "memory" {
			t.Errorf("%s: %v with too little memory", name, err)
		}
	}
}

// Nodes whose surroundings look alike and are not are tried one after the other, which is n-degree work.
func TestAlikeRefused(t *testing.T) {
	var edges [][2]int
	for i := range 40 {
		edges = append(append(edges, ring(12*i, 3)...), append(ring(12*i+3, 3), ring(12*i+6, 6)...)...)
	}
	statements, issued := graphOf(edges...)
	// so that the first to be tried are of a ring of six, for a node of a ring of three
	for name := range issued {
		var n int
		fmt.Sscanf(name, "n%d", &n)
		issued[name] = fmt.Sprintf("c14n%d", 479-n)
	}
	b := new(canon.Budget)
	b.Reset(canon.Limits{})
	if err := Alike(context.Background(), b, statements, issued); err != nil {
		t.Fatal(err)
	}
	if issued["n000000"] != "c14n6" || issued["n000006"] != "c14n0" {
		t.Errorf("the first of a ring of three is labelled %s, of six %s", issued["n000000"],
			issued["n000006"])
	}
	b.Reset(canon.Limits{Work: 1000})
	var limit *canon.LimitError
	if err := Alike(context.Background(), b, statements, issued); !errors.As(err, &limit) ||
		limit.Limit != "work" || limit.Max != 1000 {
		t.Errorf("%v, want the limit of work", err)
	}
}
