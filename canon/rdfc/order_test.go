package rdfc_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// A quad that repeats is one line, however often it does, alone or among others, and the line names each of
// its places; without repetition each line names its own.
func TestRepeatedQuads(t *testing.T) {
	for _, repeats := range []int{1, 2, 12, 13, 40, 300} {
		for _, others := range []int{0, 1, 30} {
			var lines []string
			for i := range others {
				lines = append(lines, fmt.Sprintf("<u:s%d> <u:p> \"%d\" .\n", i%3, i))
			}
			lines = append(lines, slices.Repeat([]string{"<u:s1> <u:p> \"x\" .\n"}, repeats)...)
			var d rdf.Dataset // which keeps repeated quads
			if err := d.ParseNQuads([]byte(strings.Join(lines, "")), canon.Limits{}); err != nil {
				t.Fatal(err)
			}
			var s rdfc.State
			text, err := s.Run(context.Background(), &d, rdfc.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Compact(slices.Sorted(slices.Values(lines)))
			if string(text) != strings.Join(want, "") || s.Lines() != len(want) {
				t.Errorf("%d times beside %d others: %d lines\n%s", repeats, others, s.Lines(), text)
			}
			for i, line := range want {
				at := s.Sources(i)
				if line != lines[at[0]] || strings.Contains(line, `"x"`) != (len(at) == repeats && at[0] >= uint32(others)) && repeats > 1 {
					t.Errorf("%d times beside %d others: line %d %q is quads %v", repeats, others, i, line, at)
				}
			}
		}
	}
}

// Datasets around the sizes where sorting changes its way have their lines in order: subjects, predicates
// and objects that share a beginning, in any order of the input.
func TestLinesOfLargeDatasets(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, n := range []int{48, 49, 255, 256, 1000, 1<<14 + 1} {
		for kind, quad := range map[string]string{
			"subjects":   "<urn:example:subject:%06d> <u:p> \"x\" .\n",
			"predicates": "<u:s> <urn:example:predicate:%06d> \"x\" .\n",
			"objects":    "<u:s> <u:p> \"a text before %06d\" .\n",
			"endings":    "<u:s> <u:p> \"%d\" .\n",
			"graphs":     "<u:s> <u:p> <u:o> <urn:example:graph:%d> .\n",
		} {
			lines := make([]string, n)
			for i := range lines {
				lines[i] = fmt.Sprintf(quad, i)
			}
			want := strings.Join(slices.Sorted(slices.Values(lines)), "")
			slices.Reverse(lines)
			if got := canonical(t, parse(t, strings.Join(lines, "")), rdfc.Options{}); got != want {
				t.Errorf("%d %s in reverse are not in order", n, kind)
			}
			r.Shuffle(n, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			if got := canonical(t, parse(t, strings.Join(lines, "")), rdfc.Options{}); got != want {
				t.Errorf("%d %s are not in order", n, kind)
			}
		}
	}
}

// A run takes 68 bytes for a quad and 160 for a blank node: with so much memory it passes, with a byte less
// it is refused, and it gives back what it took.
func TestMemoryLimit(t *testing.T) {
	d := parse(t, "_:a <u:p> \"1\" .\n_:b <u:p> \"2\" .\n<u:s> <u:p> <u:o> .\n")
	const want = 3*68 + 2*160
	for _, memory := range []int64{want, want - 1} {
		b := new(canon.Budget)
		b.Reset(canon.Limits{Memory: memory})
		var form canon.Form
		err := rdfc.Canonicalize(context.Background(), d, rdfc.Options{Budget: b}, &form)
		var limit *canon.LimitError
		if refused := memory < want; errors.As(err, &limit) != refused || !refused && err != nil ||
			refused && (limit.Limit != "memory" || limit.Done != want) {
			t.Errorf("with %d bytes: %v", memory, err)
		}
		if b.Left() != memory {
			t.Errorf("%d bytes of %d are left", b.Left(), memory)
		}
	}
}

// Work of the operation before a run counts: a limit of the caller lowers what is left, and does not raise
// it.
func TestWorkLeft(t *testing.T) {
	ring := parse(t, string(graph(t, "ring-25")))
	var s rdfc.State
	if err := s.Label(context.Background(), ring, rdfc.Options{}); err != nil {
		t.Fatal(err)
	}
	work := s.Work()
	for _, c := range []struct {
		operation, before, own int64
		max, done              int64 // of the error, 0 for none
	}{
		{operation: work},
		{operation: work, own: work},
		{operation: work, own: work + 1},
		{operation: work - 1, max: work - 1, done: work - 1},
		{operation: work - 1, own: work, max: work - 1, done: work - 1},
		{operation: work, own: work - 1, max: work - 1, done: work - 1},
		{operation: work + 4, before: 5, own: work - 1, max: work - 1, done: work - 1}, // of two equal ones, its own
		{operation: work + 5, before: 5},
		{operation: work + 5, before: 6, max: work + 5, done: work + 5},
		{operation: work + 5, before: 6, own: work, max: work + 5, done: work + 5},
	} {
		b := new(canon.Budget)
		b.Reset(canon.Limits{Work: c.operation})
		if c.before > 0 {
			b.Work(c.before)
		}
		err := s.Label(context.Background(), ring, rdfc.Options{Work: c.own, Budget: b})
		limit := new(canon.LimitError)
		if errors.As(err, &limit) != (c.max > 0) || limit.Max != c.max || limit.Done != c.done {
			t.Errorf("%+v: %v", c, err)
		}
		if left := c.operation - c.before - work; c.max == 0 && b.Work(0) != left {
			t.Errorf("%+v: %d steps are left, want %d", c, b.Work(0), left)
		}
	}
}

// The labellings that look for an open choice give back their memory, as often as they label.
func TestMemoryOfUndetermined(t *testing.T) {
	d := parse(t, "_:k <u:v> \"1\" .\n_:h <u:p> _:a <u:g2> .\n_:h <u:p> _:b <u:g1> .\n"+
		"_:k <u:p> _:a <u:g1> .\n_:k <u:p> _:b <u:g2> .\n")
	b := new(canon.Budget)
	b.Reset(canon.Limits{Memory: 1 << 20})
	for range 3 {
		nodes, err := rdfc.Undetermined(context.Background(), d, rdfc.Options{Budget: b})
		if len(nodes) != 2 || err != nil || b.Left() != 1<<20 {
			t.Errorf("nodes %v, %v; %d bytes are left", nodes, err, b.Left())
		}
	}
}

// Terms with one text are one term, whatever their numbers: only blank nodes are told apart by number.
func TestTermsOfSeveralNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	found := 0
	for range 200 {
		d := parse(t, twisted(r))
		spread := &rdf.Dataset{Terms: slices.Clone(d.Terms)}
		for _, q := range d.Quads {
			for _, id := range []*rdf.TermID{&q.S, &q.P, &q.O, &q.G} {
				if term := d.Terms[*id]; *id != 0 && term.Kind != rdf.Blank {
					*id = rdf.TermID(len(spread.Terms))
					spread.Terms = append(spread.Terms, term)
				}
			}
			spread.Quads = append(spread.Quads, q)
		}
		if a, b := canonical(t, d, rdfc.Options{}), canonical(t, spread, rdfc.Options{}); a != b {
			t.Errorf("%s\nand with terms of several numbers\n%s", a, b)
		}
		a, b := undetermined(t, d), undetermined(t, spread)
		if found += len(a); !slices.Equal(a, b) {
			t.Errorf("open choice %s, with terms of several numbers %s", a, b)
		}
	}
	if found == 0 {
		t.Error("no dataset has an open choice")
	}
}
