package rdfc_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

func parse(tb testing.TB, doc string) *rdf.Dataset {
	tb.Helper()
	var d rdf.Dataset
	if err := d.ParseNQuads([]byte(doc), canon.Limits{}); err != nil {
		tb.Fatal(err)
	}
	return &d
}

func canonical(tb testing.TB, d *rdf.Dataset, opt rdfc.Options) string {
	tb.Helper()
	var s rdfc.State
	if opt.Work == 0 {
		opt.Work = 1e6
	}
	text, err := s.Run(context.Background(), d, opt, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// scrambled returns a copy of the dataset with other labels and its quads in another order.
func scrambled(tb testing.TB, d *rdf.Dataset, r *rand.Rand) *rdf.Dataset {
	tb.Helper()
	labels := r.Perm(len(d.Terms))
	text := func(id rdf.TermID) []byte {
		t := d.Terms[id]
		if t.Kind == rdf.Blank {
			return fmt.Appendf(nil, "_:c14n%d", labels[id]) // labels of the input mean nothing, whatever they look like
		}
		return t.Text
	}
	var doc []byte
	for _, i := range r.Perm(len(d.Quads)) {
		q := d.Quads[i]
		doc = rdf.AppendQuad(doc, text(q.S), text(q.P), text(q.O), text(q.G))
	}
	return parse(tb, string(doc))
}

// forms returns the canonical forms that n orders of the input have.
func forms(tb testing.TB, d *rdf.Dataset, n int, r *rand.Rand) []string {
	all := []string{canonical(tb, d, rdfc.Options{})}
	for range n {
		if form := canonical(tb, scrambled(tb, d, r), rdfc.Options{}); !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	return all
}

func undetermined(tb testing.TB, d *rdf.Dataset) []string {
	tb.Helper()
	nodes, err := rdfc.Undetermined(context.Background(), d, rdfc.Options{Work: 1e6})
	if err != nil {
		tb.Fatal(err)
	}
	var labels []string
	for _, n := range nodes {
		labels = append(labels, string(d.Terms[n].Text))
	}
	slices.Sort(labels)
	return labels
}

func TestUndetermined(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want string // for this order of the input
	}{
		{"_:k <u:v> \"1\" .\n_:h <u:p> _:a <u:g2> .\n_:h <u:p> _:b <u:g1> .\n_:k <u:p> _:a <u:g1> .\n_:k <u:p> _:b <u:g2> .\n", "[_:a _:b]"},
		// the same links in equal graphs: a and b can be exchanged
		{"_:k <u:v> \"1\" .\n_:h <u:p> _:a <u:g1> .\n_:h <u:p> _:b <u:g1> .\n_:k <u:p> _:a <u:g2> .\n_:k <u:p> _:b <u:g2> .\n", "[]"},
		// one graph: nothing to find
		{"_:a <u:p> _:b .\n_:b <u:p> _:a .\n_:c <u:p> _:d .\n_:d <u:p> _:c .\n", "[]"},
		// two components that tie, each with both graphs
		{"_:a <u:p> _:b <u:g1> .\n_:b <u:p> _:a <u:g2> .\n_:c <u:p> _:d <u:g1> .\n_:d <u:p> _:c <u:g2> .\n", "[]"},
		// a cycle of three in one graph, and back in another
		{"_:a <u:p> _:b <u:g1> .\n_:b <u:p> _:c <u:g1> .\n_:c <u:p> _:a <u:g1> .\n_:b <u:p> _:a <u:g2> .\n_:c <u:p> _:b <u:g2> .\n_:a <u:p> _:c <u:g2> .\n", "[_:b _:c]"},
		// graphs that blank nodes name: a and b are told apart and stand once in each place of both graphs, but not together
		{"_:a <u:p> _:b _:g .\n_:b <u:p> _:a _:g .\n_:a <u:p> _:a _:h .\n_:b <u:p> _:b _:h .\n_:a <u:q> \"a\" .\n", "[_:g _:h]"},
		// the exchange of g and h shows, but only on a path that loses if it is taken the one way
		{"_:a <u:p> _:b _:g .\n_:b <u:p> _:a _:g .\n_:c <u:p> _:c _:g .\n_:a <u:p> _:b <u:g> .\n_:b <u:p> _:c <u:g> .\n_:c <u:p> _:a <u:g> .\n" +
			"_:a <u:p> _:c _:h .\n_:b <u:p> _:a _:h .\n_:c <u:p> _:b _:h .\n_:a <u:p> _:c _:a .\n_:b <u:p> _:b _:a .\n_:c <u:p> _:a _:a .\n", "[_:g _:h]"},
	} {
		if got := fmt.Sprint(undetermined(t, parse(t, c.doc))); got != c.want {
			t.Errorf("%s\nnodes %s, want %s", c.doc, got, c.want)
		}
	}
}

func TestUndeterminedData(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(official.Dir(t, "rdfc-differential", "noninvariant"), "*-in.nq"))
	if len(files) != 3 {
		t.Errorf("%d files, want 3", len(files))
	}
	for _, in := range files {
		d := parse(t, string(read(t, in)))
		if len(undetermined(t, d)) == 0 {
			t.Errorf("%s: not found", in)
		}
		a, b := string(read(t, strings.Replace(in, "-in", "-out-a", 1))), string(read(t, strings.Replace(in, "-in", "-out-b", 1)))
		if all := forms(t, d, 60, rand.New(rand.NewPCG(1, 1))); len(all) != 2 || !slices.Contains(all, a) || !slices.Contains(all, b) {
			t.Errorf("%s: %d forms, want the two recorded ones", in, len(all))
		}
	}
	determined, _ := filepath.Glob(filepath.Join(official.Dir(t, "rdfc-differential"), "*-in.nq"))
	suite, _ := filepath.Glob(filepath.Join(official.Dir(t, "rdf-canon", "rdfc10"), "*-in.nq"))
	for _, in := range append(determined, suite...) {
		if strings.HasSuffix(in, "test074-in.nq") {
			continue // a complete graph of ten nodes, beyond the limit
		}
		if nodes := undetermined(t, parse(t, string(read(t, in)))); nodes != nil {
			t.Errorf("%s: false alarm %v", in, nodes)
		}
	}
}

// twisted returns a small dataset whose nodes tie often: some permutations of the nodes, each in a graph of its own, so that
// all nodes look alike; sometimes with a quad more or less.
func twisted(r *rand.Rand) string {
	nodes, permutations := 2+r.IntN(3), 2+r.IntN(2)
	graphs := []string{"", " <u:g1>", " <u:g2>", " _:g1", " _:g2", " _:n0"}
	r.Shuffle(len(graphs), func(i, j int) { graphs[i], graphs[j] = graphs[j], graphs[i] })
	var lines []string
	for k := range permutations {
		for i, j := range r.Perm(nodes) {
			lines = append(lines, fmt.Sprintf("_:n%d <u:p> _:n%d%s .\n", i, j, graphs[k]))
		}
	}
	switch r.IntN(3) {
	case 0:
		lines = append(lines, fmt.Sprintf("_:n%d <u:p> \"x\" .\n", r.IntN(nodes)))
	case 1:
		lines = lines[1:]
	}
	return strings.Join(lines, "")
}

// The text allows a dataset several canonical forms if and only if Undetermined says so. An engine that always takes
// choices in one order may hide that, so the reference takes them at random.
func TestUndeterminedIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	found, hidden := 0, 0
	for range 800 {
		doc := twisted(r)
		d := parse(t, doc)
		nodes := undetermined(t, d)
		n := 6
		if len(nodes) > 0 {
			n = 60
			found++
		}
		all := []string{canonical(t, d, rdfc.Options{})}
		for i := range n {
			if form := referenceForm(d, r); !slices.Contains(all, form) {
				all = append(all, form)
			}
			if len(all) > 1 && i > 6 {
				break
			}
		}
		if (len(all) > 1) != (len(nodes) > 0) {
			t.Errorf("%d forms, nodes %v\n%s%s", len(all), nodes, doc, strings.Join(all, "\n"))
		}
		if len(nodes) > 0 && len(forms(t, d, 20, r)) == 1 {
			hidden++
		}
	}
	if found < 40 {
		t.Errorf("only %d datasets are undetermined; the generator misses its aim", found)
	}
	t.Logf("%d undetermined, of these %d always with one form here", found, hidden)
}
