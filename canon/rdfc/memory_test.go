package rdfc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/rdf"
)

// A related hash is in the cache of its run alone, under its position, its predicate and both that its
// number is and what the number is of.
func TestCache(t *testing.T) {
	var h hasher
	type key struct {
		position  byte
		predicate rdf.TermID
		number    int32
		what      uint32
	}
	var keys []key
	for n := range 64 {
		for _, position := range []byte("gos") {
			keys = append(keys, key{position, rdf.TermID(n % 8), int32(n / 8), uint32(n % 3)})
		}
	}
	recall := func(k key) (*cached, bool) { return h.recall(k.position, k.predicate, k.number, k.what) }

	for range 2 {
		h.forget(maxCache)
		for i, k := range keys {
			c, ok := recall(k)
			if ok {
				t.Fatalf("%v is in the cache before it was put there", k)
			}
			if c.hash[0] = byte(i); i > 0 {
				continue
			}
			if again, ok := recall(k); !ok || again != c {
				t.Errorf("%v is not in the cache", k)
			}
		}
		found := 0
		for i, k := range keys {
			if c, ok := recall(k); ok {
				if found++; c.hash[0] != byte(i) {
					t.Errorf("%v has the hash of another", k)
				}
			}
		}
		if found < len(keys)*3/4 {
			t.Errorf("%d of %d related hashes are found in a cache of %d", found, len(keys), maxCache)
		}
	}
}

// The cache has a place for four related hashes of a node within its bounds, it does not shrink, and it is
// empty when the numbers of runs start anew.
func TestCacheSize(t *testing.T) {
	for _, c := range []struct{ nodes, size int }{{1, 64}, {16, 64}, {17, 128}, {32, 128}, {512, maxCache}, {1e6, maxCache}} {
		var h hasher
		if h.forget(c.nodes); len(h.cache) != c.size {
			t.Errorf("%d nodes have a cache of %d, want %d", c.nodes, len(h.cache), c.size)
		}
		if h.forget(1); len(h.cache) != c.size || h.run != 2 {
			t.Errorf("run %d after %d nodes has a cache of %d", h.run, c.nodes, len(h.cache))
		}
		old, _ := h.recall('s', 1, 1, canonicalID)
		h.run = 1<<27 - 2
		if h.forget(1); h.run != 1<<27-1 {
			t.Errorf("run %d follows run %d", h.run, 1<<27-2)
		}
		if h.forget(1); h.run != 1 || len(h.cache) != c.size {
			t.Errorf("run %d with a cache of %d follows the last run", h.run, len(h.cache))
		}
		if c, ok := h.recall('s', 1, 1, canonicalID); ok || c == old {
			t.Error("the cache of the run that had the number before is in use")
		}
	}
}

// The stacks of n-degree work are memory of the operation, each by what it holds: with what is left they
// pass, with a byte less they do not.
func TestStacksAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		fill func(s *State)
		want int64
	}{
		"data":    {func(s *State) { s.data = make([]byte, 1000) }, 1000},
		"related": {func(s *State) { s.related = make([]related, 10) }, 480},
		"log":     {func(s *State) { s.log = make([]int32, 10) }, 40},
		"kept":    {func(s *State) { s.kept = make([]int32, 10) }, 40},
		"todo":    {func(s *State) { s.todo = make([]int32, 10) }, 40},
		"logs":    {func(s *State) { s.logs = make([]int32, 10) }, 40},
		"all": {func(s *State) {
			s.data, s.related = make([]byte, 7), make([]related, 1)
			s.log, s.kept, s.todo, s.logs = make([]int32, 1), make([]int32, 2), make([]int32, 3), make([]int32, 4)
		}, 7 + 48 + 40},
	} {
		for _, left := range []int64{c.want, c.want - 1} {
			var s State
			b := new(canon.Budget)
			b.Reset(canon.Limits{Memory: left})
			s.start(context.Background(), new(rdf.Dataset), Options{Budget: b})
			s.begins(context.Background(), 0)
			c.fill(&s)
			ok := s.spend(1)
			var limit *canon.LimitError
			if fits := left == c.want; ok != fits || !fits && (!errors.As(s.err, &limit) ||
				limit.Limit != "memory" || limit.Max != left || limit.Done != c.want) {
				t.Errorf("%s with %d bytes left: %v %v", name, left, ok, s.err)
			}
		}
	}
}

// asked is a context that counts how often it is asked.
type asked struct {
	context.Context
	times int
}

func (a *asked) Err() error { a.times++; return nil }

// N-degree work asks for the time at its start and once it has seen 1,000 nodes or quads more; a visit is
// one even of a node without quads.
func TestWorkAsksForTheTime(t *testing.T) {
	for _, nodes := range []int{0, 9, 99} {
		ctx := &asked{Context: context.Background()}
		var s State
		s.start(ctx, new(rdf.Dataset), Options{})
		s.begins(ctx, 0)
		between := 1000/(nodes+1) + 1
		for i := range 3 * between {
			if !s.spend(nodes) {
				t.Fatal(s.err)
			}
			if want := 1 + i/between; ctx.times != want {
				t.Fatalf("asked %d times after %d visits of %d nodes, want %d", ctx.times, i+1, nodes, want)
			}
		}
		if s.work != int64(3*between) {
			t.Errorf("%d steps of work, want %d", s.work, 3*between)
		}
	}
}

// A run asks for the time at its start and then no more often than once for 1,000 nodes or quads.
func TestWorkAsksSeldom(t *testing.T) {
	var doc strings.Builder
	for i := range 6 {
		for j := range i {
			fmt.Fprintf(&doc, "_:n%d <u:p> _:n%d .\n_:n%d <u:p> _:n%d .\n", i, j, j, i)
		}
	}
	ctx := &asked{Context: context.Background()}
	var s State
	if err := s.Label(ctx, dataset(t, doc.String()), Options{}); err != nil {
		t.Fatal(err)
	}
	// Each step is a visit of a node with 10 quads, or a permutation of at most that many nodes.
	if most := 2 + int(s.work)*(10+1)/1000; ctx.times > most || s.work < 1000 {
		t.Errorf("asked %d times for %d steps, at most %d wanted", ctx.times, s.work, most)
	}
}

// Hashing first degree quads asks for the time at its start and after each 4,096 nodes, and ends with it.
func TestFirstDegreeAsksForTheTime(t *testing.T) {
	var doc strings.Builder
	for i := range 2*4096 + 1 {
		fmt.Fprintf(&doc, "_:n%d <u:p> \"%d\" .\n", i, i)
	}
	d := dataset(t, doc.String())
	ctx := &asked{Context: context.Background()}
	var s State
	if err := s.Label(ctx, d, Options{}); err != nil || ctx.times != 3 {
		t.Errorf("asked %d times, want 3; %v", ctx.times, err)
	}
	var limit *canon.LimitError
	b := new(canon.Budget)
	b.Reset(canon.Limits{Time: time.Nanosecond})
	if err := s.Label(ctx, d, Options{Budget: b}); !errors.As(err, &limit) || limit.Limit != "time" {
		t.Errorf("with no time: %v", err)
	}
}

func dataset(t *testing.T, doc string) *rdf.Dataset {
	t.Helper()
	d := new(rdf.Dataset)
	if err := d.ParseNQuads([]byte(doc), canon.Limits{}); err != nil {
		t.Fatal(err)
	}
	return d
}

// A single blank node needs no list of its quads: it is found among the terms, if these are few beside the
// quads, and else in the quads.
func TestSingleNodeHasNoQuads(t *testing.T) {
	for _, doc := range []string{
		"_:a <u:p> <u:o> .\n",
		"<u:s> <u:p> <u:o> .\n<u:s> <u:p> _:a .\n",
		"<u:s> <u:p> <u:o> .\n<u:s> <u:p> <u:o> _:a .\n",
	} {
		d := dataset(t, doc)
		for len(d.Terms) < 2*len(d.Quads)+8 { // of another part of a document
			d.Terms = append(d.Terms, rdf.Term{Kind: rdf.IRI, Text: []byte("<u:x>")})
		}
		var s State
		for want := range 2 {
			text, err := s.Run(context.Background(), d, Options{}, nil)
			if err != nil || s.Blanks() != 1 || !strings.Contains(string(text), "_:c14n0 ") {
				t.Errorf("%s\n%d blank nodes, %v", text, s.Blanks(), err)
			}
			if int(s.end[0]) != want {
				t.Errorf("%d mentions are counted among %d terms, want %d", s.end[0], len(d.Terms), want)
			}
			d.Terms = append(d.Terms, rdf.Term{Kind: rdf.IRI, Text: []byte("<u:x>")})
		}
	}
}
