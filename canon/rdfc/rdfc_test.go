package rdfc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/family"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
	"canonscope/schemas/catalogue"
)

// The examples of sections 4.4.2 and B.1 to B.3 of the specification.
func TestExamples(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"<u:p> <u:q> _:e0 .\n<u:p> <u:r> _:e1 .\n_:e0 <u:s> <u:u> .\n_:e1 <u:t> <u:u> .\n", ""},
		{
			"<http://example.com/#p> <http://example.com/#q> _:e0 .\n<http://example.com/#p> <http://example.com/#q> _:e1 .\n" +
				"_:e0 <http://example.com/#p> _:e2 .\n_:e1 <http://example.com/#p> _:e3 .\n_:e2 <http://example.com/#r> _:e3 .\n",
			"<http://example.com/#p> <http://example.com/#q> _:c14n2 .\n<http://example.com/#p> <http://example.com/#q> _:c14n3 .\n" +
				"_:c14n0 <http://example.com/#r> _:c14n1 .\n_:c14n2 <http://example.com/#p> _:c14n1 .\n_:c14n3 <http://example.com/#p> _:c14n0 .\n",
		},
		{
			"_:e0 <http://example.com/#p1> _:e1 .\n_:e1 <http://example.com/#p2> \"Foo\" .\n_:e2 <http://example.com/#p1> _:e3 .\n_:e3 <http://example.com/#p2> \"Foo\" .\n",
			"_:c14n0 <http://example.com/#p1> _:c14n1 .\n_:c14n1 <http://example.com/#p2> \"Foo\" .\n_:c14n2 <http://example.com/#p1> _:c14n3 .\n_:c14n3 <http://example.com/#p2> \"Foo\" .\n",
		},
		{
			"_:e0 <u:next> _:e1 .\n_:e0 <u:prev> _:e1 .\n_:e1 <u:next> _:e0 .\n_:e1 <u:prev> _:e0 .\n",
			"_:c14n0 <u:next> _:c14n1 .\n_:c14n0 <u:prev> _:c14n1 .\n_:c14n1 <u:next> _:c14n0 .\n_:c14n1 <u:prev> _:c14n0 .\n",
		},
		{"", ""},
		{"_:a <u:p> _:a _:a .\n", "_:c14n0 <u:p> _:c14n0 _:c14n0 .\n"},
	} {
		d := parse(t, c.in)
		got := canonical(t, d, rdfc.Options{})
		if c.want != "" && got != c.want {
			t.Errorf("%s\ngives\n%s", c.in, got)
		}
		if ref := referenceForm(d, rand.New(rand.NewPCG(1, 2))); got != ref {
			t.Errorf("%s\ngives\n%sthe reference\n%s", c.in, got, ref)
		}
	}
}

// mixed returns a dataset of blank nodes, IRIs and literals in a few graphs, some quads repeated.
func mixed(r *rand.Rand) string {
	nodes, quads := 1+r.IntN(7), r.IntN(14)
	objects := []string{"<u:o>", "<u:o2>", `"x"`, `"x"@en`, `"x"@en-GB`, `"x"^^<u:t>`, `"\u0008\n\u007F\"\\"`, `"🌃"`, `"ﬁ"`, `""`}
	node := func() string { return fmt.Sprintf("_:n%d", r.IntN(nodes)) }
	var lines []string
	for range quads {
		s, o, g := node(), node(), ""
		if r.IntN(4) == 0 {
			s = fmt.Sprintf("<u:s%d>", r.IntN(2))
		}
		if r.IntN(3) == 0 {
			o = objects[r.IntN(len(objects))]
		}
		switch r.IntN(6) {
		case 0:
			g = " <u:g>"
		case 1:
			g = " " + node()
		}
		lines = append(lines, fmt.Sprintf("%s <u:p%d> %s%s .\n", s, r.IntN(2), o, g))
		if r.IntN(8) == 0 {
			lines = append(lines, lines[len(lines)-1])
		}
	}
	return strings.Join(lines, "")
}

// Every determined dataset has the form that the text of the specification gives, whatever its labels and the order of its
// quads.
func TestAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	determined := 0
	for i := range 3000 {
		doc := mixed(r)
		if i%4 == 0 {
			doc = twisted(r)
		}
		d := parse(t, doc)
		var s rdfc.State
		if _, err := s.Run(context.Background(), d, rdfc.Options{Work: 1e6}, nil); err != nil {
			t.Fatal(err)
		}
		if s.Work() > 3000 || len(undetermined(t, d)) > 0 {
			continue
		}
		determined++
		want := referenceForm(d, r)
		if got := forms(t, d, 3, r); len(got) > 1 || got[0] != want {
			t.Errorf("%s\nhas the forms\n%s\nand by the text\n%s", doc, strings.Join(got, "\n"), want)
		}
	}
	if determined < 2000 {
		t.Errorf("only %d datasets were compared", determined)
	}
}

// graph returns a dataset of the catalogue.
func graph(t testing.TB, name string) []byte {
	t.Helper()
	g, err := catalogue.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c.VCDM
}

// Rings whose nodes all look alike, with several predicates and in every position of a quad, have the form of
// the text: many related hashes are in use at once.
func TestRingsAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, nodes := range []int{9, 11, 13, 17} {
		var doc strings.Builder
		for i := range 65 { // predicates are used alike whatever lies between them
			fmt.Fprintf(&doc, "<u:s> <u:p%d> <u:s> .\n", i)
		}
		for i := range nodes {
			for predicate, stride := range map[int]int{0: 4, 3: 2, 64: 1} {
				fmt.Fprintf(&doc, "_:n%d <u:p%d> _:n%d .\n", i, predicate, (i+stride)%nodes)
			}
			fmt.Fprintf(&doc, "_:n%d <u:q> <u:o> _:n%d .\n", i, (i+3)%nodes)
		}
		d := parse(t, doc.String())
		var s rdfc.State
		got, err := s.Run(context.Background(), d, rdfc.Options{}, nil)
		if want := referenceForm(d, r); err != nil || string(got) != want {
			t.Errorf("%d nodes: %v\n%s\nby the text\n%s", nodes, err, got, want)
		}
	}
}

func TestFamiliesAreDetermined(t *testing.T) {
	documents := make(map[string][]byte)
	for _, f := range []family.Name{family.Ground, family.Unique, family.Pairs, family.Simple} {
		documents[string(f)] = family.NQuads(f, 60, 0)
	}
	for _, name := range []string{"chain-60", "ring-60", "clique-5", "cubic-8", "tree-60", "pairs-30", "star-60"} {
		documents[name] = graph(t, name)
	}
	for name, doc := range documents {
		a := canonical(t, parse(t, string(family.Shuffled(doc, 1))), rdfc.Options{})
		b := canonical(t, parse(t, string(family.Shuffled(doc, 2))), rdfc.Options{})
		if a != b {
			t.Errorf("%s: the order of the lines changes the form", name)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(a, "\n"), "\n")
		if !slices.IsSorted(lines) || len(lines) != bytes.Count(doc, []byte("\n")) {
			t.Errorf("%s: lines out of order or missing", name)
		}
	}
}

// Comparing term by term is comparing lines, for terms that are prefixes of each other as far as they can be.
func TestOrderOfLines(t *testing.T) {
	subjects := []string{"<u:a>", "<u:ab>", "<u:a/b/c/d/e/f/g/h>", "<u:a/b/c/d/e/f/g/i>", "_:a", "_:a.b", "_:a-", "_:a0", "_:aa", "_:aé", "_:a:"}
	objects := []string{`""`, `"a"`, `"a"@e`, `"a"@en`, `"a"@en-x`, `"a"^^<u:a>`, `"a"^^<u:ab>`, `"a\""`, `"a b"`, `"a\u007F"`, `"é"`, `"🌃"`, `"ﬁ"`,
		`"seven77"`, `"seven7"`, `"sevens77 and on"`}
	graphs := []string{"", " <u:a>", " <u:ab>", " _:a", " _:a0", " _:aa"}
	var lines []string
	for _, s := range subjects {
		for _, p := range []string{"<u:a>", "<u:ab>"} {
			for _, o := range append(append([]string{}, subjects...), objects...) {
				for _, g := range graphs {
					lines = append(lines, s+" "+p+" "+o+g+" .\n")
				}
			}
		}
	}
	for i, s := range subjects { // so that no blank nodes tie
		if strings.HasPrefix(s, "_:") {
			lines = append(lines, fmt.Sprintf("%s <u:mark> \"%d\" .\n", s, i))
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	var d rdf.Dataset
	if err := d.ParseNQuads([]byte(strings.Join(append(lines, lines[:100]...), "")), canon.Limits{}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	var s rdfc.State
	if _, err := s.Run(context.Background(), &d, rdfc.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	labels := make([]string, s.Blanks())
	for i := range labels {
		labels[i] = string(d.Terms[s.Blank(i)].Text[2:])
	}
	got := strings.SplitAfter(string(s.Relabel(nil, labels)), "\n")
	if !slices.Equal(got[:len(got)-1], lines) {
		for i := range lines {
			if got[i] != lines[i] {
				t.Fatalf("line %d is %q, want %q", i, got[i], lines[i])
			}
		}
	}
}

func TestLabelsAndSources(t *testing.T) {
	d := parse(t, "_:b <u:p> \"1\" .\n<u:s> <u:p> _:b .\n_:a <u:p> _:b <u:g> .\n_:b <u:p> \"\\u0031\" .\n<u:s> <u:p> _:b .\n_:c14n0 <u:q> <u:o> .\n<u:s> <u:p> _:b .\n")
	var s rdfc.State
	text, err := s.Run(context.Background(), d, rdfc.Options{}, []byte("before "))
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string, labels map[string]string) {
		t.Helper()
		lines := strings.SplitAfter(text, "\n")
		lines = lines[:len(lines)-1]
		if len(lines) != s.Lines() || len(lines) != 4 {
			t.Fatalf("%d lines, Lines() %d, want 4", len(lines), s.Lines())
		}
		var quads []int
		for i, l := range lines {
			for _, q := range s.Sources(i) {
				quads = append(quads, int(q))
				part := rdf.Dataset{Terms: d.Terms, Quads: d.Quads[q : q+1]}
				want := string(part.AppendNQuads(nil))
				for from, to := range labels {
					want = strings.ReplaceAll(want, "_:"+from+" ", "_:>"+to+" ")
				}
				if want = strings.ReplaceAll(want, "_:>", "_:"); want != l {
					t.Errorf("line %d %q comes from %q", i, l, want)
				}
			}
		}
		slices.Sort(quads)
		if !slices.Equal(quads, []int{0, 1, 2, 3, 4, 5, 6}) {
			t.Errorf("sources are %v", quads)
		}
	}
	issued := s.Issued()
	check(strings.TrimPrefix(string(text), "before "), issued)
	if len(issued) != 3 || s.Blanks() != 3 || s.Number(d.Quads[0].P) != -1 || s.Number(99) != -1 {
		t.Errorf("issued %v, %d blank nodes", issued, s.Blanks())
	}
	for i := range s.Blanks() {
		if id := s.Blank(i); s.Number(id) != i || issued[string(d.Terms[id].Text[2:])] != fmt.Sprintf("c14n%d", i) {
			t.Errorf("blank node %d: %v", i, issued)
		}
	}
	other := []string{"z", "y", "x"} // turns the order of the labels round
	renamed := maps.Clone(issued)
	for from, to := range issued {
		renamed[from] = other[to[4]-'0']
	}
	check(string(s.Relabel(nil, other)), renamed)
	var alone rdfc.State // labels without a text before
	if err := alone.Label(context.Background(), d, rdfc.Options{}); err != nil || alone.Lines() != 0 || alone.Blanks() != s.Blanks() {
		t.Errorf("%d lines and %d blank nodes after Label, %v", alone.Lines(), alone.Blanks(), err)
	}
	if got, want := string(alone.Relabel(nil, other)), string(s.Relabel(nil, other)); got != want || alone.Lines() != s.Lines() {
		t.Errorf("relabelled without a text before: %q, want %q", got, want)
	}

	part := &rdf.Dataset{Terms: d.Terms, Quads: d.Quads[2:3]}
	if got := canonical(t, part, rdfc.Options{}); got != "_:c14n0 <u:p> _:c14n1 <u:g> .\n" && got != "_:c14n1 <u:p> _:c14n0 <u:g> .\n" {
		t.Errorf("a part of the quads gives %q", got)
	}

	// A blank node that no quad mentions is none of the dataset.
	one := parse(t, "<u:s> <u:p> <u:o> .\n<u:s> <u:p> _:b .\n")
	one.Quads = one.Quads[:1]
	if _, err := s.Run(context.Background(), one, rdfc.Options{}, nil); err != nil || s.Blanks() != 0 || len(s.Issued()) != 0 {
		t.Errorf("a blank node without quads is issued: %v %v", s.Issued(), err)
	}
}

func TestHash(t *testing.T) {
	d := parse(t, string(family.NQuads(family.Unique, 400, 1)))
	a, b := canonical(t, d, rdfc.Options{}), canonical(t, d, rdfc.Options{Hash: canon.SHA384})
	if a == b {
		t.Error("SHA-256 and SHA-384 label 100 nodes alike")
	}
	if a != canonical(t, d, rdfc.Options{Hash: canon.SHA256}) {
		t.Error("SHA-256 is not the default")
	}
	var unsupported *canon.UnsupportedError
	if err := rdfc.Canonicalize(context.Background(), d, rdfc.Options{Hash: "md5"}, new(canon.Form)); !errors.As(err, &unsupported) {
		t.Errorf("md5: %v", err)
	}
}

// A complete graph of 10 nodes is refused at the default limit; the error tells the work done.
func TestLimits(t *testing.T) {
	d := parse(t, string(graph(t, "clique-10")))
	form := &canon.Form{Text: []byte("old"), Lines: 7, Issued: map[string]string{}}
	err := rdfc.Canonicalize(context.Background(), d, rdfc.Options{}, form)
	var limit *canon.LimitError
	if !errors.As(err, &limit) || limit.Limit != "work" || limit.Max != canon.DefaultWork || limit.Done != limit.Max {
		t.Errorf("a clique of 10: %v", err)
	}
	if len(form.Text) != 0 || form.Lines != 0 || form.Issued != nil {
		t.Errorf("a refused dataset leaves a form: %v", form)
	}

	var s rdfc.State
	k5 := parse(t, string(graph(t, "clique-5")))
	if _, err := s.Run(context.Background(), k5, rdfc.Options{}, nil); err != nil || s.Work() != 4565 {
		t.Errorf("a clique of 5: %d work, want 4565; %v", s.Work(), err)
	}
	if _, err := s.Run(context.Background(), k5, rdfc.Options{Work: 4565}, nil); err != nil {
		t.Errorf("at its exact limit: %v", err)
	}
	if text, err := s.Run(context.Background(), k5, rdfc.Options{Work: 4564}, []byte("x")); !errors.As(err, &limit) || string(text) != "x" {
		t.Errorf("below: %q %v", text, err)
	}
	if s.Blanks() != 0 || s.Lines() != 0 || len(s.Issued()) != 0 || s.Number(k5.Quads[0].S) != -1 {
		t.Error("a refused run leaves labels")
	}
	if text := s.Relabel([]byte("x"), nil); string(text) != "x" {
		t.Errorf("a refused run has lines: %q", text)
	}
	if text := new(rdfc.State).Relabel(nil, nil); text != nil {
		t.Errorf("a state without a run has lines: %q", text)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, d := range []*rdf.Dataset{d, parse(t, string(family.NQuads(family.Unique, 40, 1)))} {
		_, err = s.Run(ctx, d, rdfc.Options{}, nil)
		if !errors.As(err, &limit) || limit.Limit != "time" || !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled run: %v", err)
		}
	}
	late := &after{Context: context.Background(), calls: 20}
	if _, err = s.Run(late, d, rdfc.Options{Work: 1 << 40}, nil); !errors.As(err, &limit) || limit.Done < 1000 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a run whose time ends: %v", err)
	}
}

// A chain that would exhaust the stack is refused.
func TestRecursionIsBounded(t *testing.T) {
	d := parse(t, string(graph(t, "chain-140000")))
	var limit *canon.LimitError
	ctx := canon.WithBudget(context.Background(), canon.Limits{Time: -1})
	if err := rdfc.Canonicalize(ctx, d, rdfc.Options{}, new(canon.Form)); !errors.As(err, &limit) || limit.Limit != "recursion" {
		t.Errorf("a chain of 140,000 nodes: %v", err)
	}
}

// after is a context that ends after some questions.
type after struct {
	context.Context
	calls int
}

func (a *after) Err() error {
	if a.calls--; a.calls < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestWarmRunsDoNotAllocate(t *testing.T) {
	for name, doc := range map[string][]byte{"simple": family.NQuads(family.Simple, 25, 1), "unique": family.NQuads(family.Unique, 25, 1),
		"pairs": family.NQuads(family.Pairs, 25, 1), "ring": graph(t, "ring-25")} {
		d := parse(t, string(doc))
		var s rdfc.State
		var text []byte
		if n := testing.AllocsPerRun(50, func() { text, _ = s.Run(context.Background(), d, rdfc.Options{}, text[:0]) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	shared := parse(t, string(family.NQuads(family.Pairs, 100, 1)))
	want := []byte(canonical(t, shared, rdfc.Options{}))
	for g := range 32 {
		wg.Go(func() {
			for i := range 10 {
				var form canon.Form
				if err := rdfc.Canonicalize(context.Background(), shared, rdfc.Options{Issued: true}, &form); err != nil || !bytes.Equal(form.Text, want) || len(form.Issued) != 100 {
					t.Errorf("goroutine %d: %v", g, err)
				}
				own := parse(t, string(family.NQuads(family.Unique, 10*g+i, 1)))
				if err := rdfc.Canonicalize(context.Background(), own, rdfc.Options{Hash: canon.SHA384}, &form); err != nil || form.Lines != 10*g+i {
					t.Errorf("goroutine %d: %d lines %v", g, form.Lines, err)
				}
				if _, err := rdfc.Undetermined(context.Background(), shared, rdfc.Options{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// A state that has forgotten its run has no results, and runs again.
func TestForget(t *testing.T) {
	var d rdf.Dataset
	if err := d.ParseNQuads([]byte("_:a <u:p> _:b .\n_:b <u:q> <u:o> .\n"), canon.Limits{}); err != nil {
		t.Fatal(err)
	}
	var s rdfc.State
	first, err := s.Run(context.Background(), &d, rdfc.Options{}, nil)
	if err != nil || s.Blanks() != 2 {
		t.Fatal(s.Blanks(), err)
	}

	s.Forget()
	if s.Blanks() != 0 || s.Lines() != 0 || len(s.Issued()) != 0 {
		t.Errorf("%d blank nodes, %d lines, issued %v", s.Blanks(), s.Lines(), s.Issued())
	}
	for i := range d.Terms {
		if n := s.Number(rdf.TermID(i)); n != -1 {
			t.Errorf("term %d has the number %d", i, n)
		}
	}

	again, err := s.Run(context.Background(), &d, rdfc.Options{}, nil)
	if err != nil || !bytes.Equal(again, first) {
		t.Errorf("%s, not %s: %v", again, first, err)
	}
}

// The labellings of one operation share its work: many small poison graphs are as much as a large one.
func TestSharedWork(t *testing.T) {
	k5 := parse(t, string(graph(t, "clique-5"))) // 4,565 steps
	for _, own := range []int64{0, 5000} {       // a limit that the caller sets is the operation's, too
		b := new(canon.Budget)
		b.Reset(canon.Limits{Work: 5000})
		for n, refused := range []bool{false, true, true} {
			var limit *canon.LimitError
			err := rdfc.Canonicalize(context.Background(), k5, rdfc.Options{Work: own, Budget: b}, new(canon.Form))
			if errors.As(err, &limit) != refused || !refused && err != nil || refused && (limit.Max != 5000 || limit.Done != 5000) {
				t.Errorf("labelling %d with a limit of %d: %v", n+1, own, err)
			}
		}
	}
}

// The statements of one subject that come in order, in reverse and in any other order, with some twice, have the same lines.
func TestStatementsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("<u:s> <u:p%02d> \"%d\" .\n", i/2, i%3))
		}
		want := strings.Join(lines, "")
		check := func(lines []string) {
			t.Helper()
			var d rdf.Dataset
			if err := d.ParseNQuads([]byte(strings.Join(lines, "")), canon.Limits{}); err != nil {
				t.Fatal(err)
			}
			var form canon.Form
			if err := rdfc.Canonicalize(context.Background(), &d, rdfc.Options{}, &form); err != nil || form.Lines != n {
				t.Fatal(form.Lines, err)
			}
			if string(form.Text) != want {
				t.Fatalf("%s\nfrom\n%s", form.Text, strings.Join(lines, ""))
			}
		}
		slices.Sort(lines)
		want = strings.Join(lines, "")
		check(lines)
		for i := range lines {
			check(slices.Insert(slices.Clone(lines), i+1, lines[i]))
			if i > 0 {
				swapped := slices.Clone(lines)
				swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
				check(swapped)
			}
		}
		slices.Reverse(lines)
		check(lines)
		r.Shuffle(n, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		check(lines)

		// One pair is out of order, that of one predicate: among others of one predicate, and alone.
		for _, shared := range []int{1, n} {
			lines = lines[:0]
			for i := range n {
				predicate := i / 2
				if i >= 2*shared {
					predicate = i
				}
				lines = append(lines, fmt.Sprintf("<u:s> <u:p%02d> \"%02d\" .\n", predicate, i))
			}
			want = strings.Join(lines, "")
			if n > 1 {
				lines[0], lines[1] = lines[1], lines[0]
			}
			check(lines)
		}
	}
}
