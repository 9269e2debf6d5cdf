package lines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
)

// A line is taken apart at its spaces, but for those in a literal or an IRI; the text of a literal ends at
// its second quotation mark, escaped ones aside.
func TestCut(t *testing.T) {
	for _, c := range []struct{ line, term, rest string }{
		{"", "", ""}, {"_:a <u:p> .", "_:a", "<u:p> ."}, {"<u:a b> .", "<u:a b>", "."}, {"<u:a", "<u:a", ""},
		{`"a b"@en .`, `"a b"@en`, "."}, {`"a \" b"^^<u:t> .`, `"a \" b"^^<u:t>`, "."}, {`"a\\" .`, `"a\\"`, "."},
		{`"a b`, `"a b`, ""}, {".", ".", ""},
	} {
		if term, rest := Cut([]byte(c.line)); string(term) != c.term || string(rest) != c.rest {
			t.Errorf("%q is %q and %q", c.line, term, rest)
		}
	}
	for literal, want := range map[string]int{`""`: 2, `"a"x`: 3, `"\""x`: 4, `"\\"x`: 4, `"a`: 2, `"`: 1, `"\"`: 3, `"\`: 2} {
		if got := LiteralEnd([]byte(literal)); got != want {
			t.Errorf("%s ends at %d, want %d", literal, got, want)
		}
	}
}

// Blank nodes are relabelled where they are terms, not in literals; one without a new label is an error.
func TestRelabel(t *testing.T) {
	to := func(label []byte) []byte {
		if string(label) == "none" {
			return nil
		}
		return append([]byte("x"), label...)
	}
	for line, want := range map[string]string{
		"_:a <u:p> _:b _:c .\n":       "_:xa <u:p> _:xb _:xc .\n",
		"<u:s> <u:p> \"_:a _:b\" .\n": "<u:s> <u:p> \"_:a _:b\" .\n",
		"_:a <u:p> \" _:b\"@en .\n":   "_:xa <u:p> \" _:b\"@en .\n",
		"_:a <u:p> _:none .\n":        "",
	} {
		got, err := Relabel([]byte("before "), []byte(line), to)
		if want != "" {
			want = "before " + want
		}
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s becomes %s, %v", line, got, err)
		}
	}
	all, err := RelabelAll([][]byte{[]byte("_:b .\n"), []byte("_:a .\n")}, to)
	if err != nil || string(Join(all)) != "_:xa .\n_:xb .\n" {
		t.Errorf("%s, %v", all, err)
	}
}

// A canonical label is c14n and a decimal number of 32 bits without leading zeros.
func TestNumber(t *testing.T) {
	for label, want := range map[string]int64{"c14n0": 0, "c14n7": 7, "c14n10": 10, "c14n4294967295": 1<<32 - 1,
		"c14n4294967296": -1, "c14n": -1, "c14n00": -1, "c14n01": -1, "c14n-1": -1, "c14nx": -1, "b0": -1, "": -1} {
		if n, ok := Number([]byte(label)); ok != (want >= 0) || ok && int64(n) != want {
			t.Errorf("%s is %d, %v", label, n, ok)
		}
	}
}

const cellText = "_:%s <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> %s .\n_:%s <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> %s .\n"

// cellOf returns the statements of a list's cell.
func cellOf(label, first, rest string) string {
	return fmt.Sprintf(cellText, label, first, label, rest)
}

// The cells of a list are named after the statement that leads to it, what it holds, and their place in it;
// so are lists in lists, and graphs after the node at their top. A different place or content is a
// different name; twins and nodes without such a place have none.
func TestNames(t *testing.T) {
	names := func(text string) map[string][]byte {
		t.Helper()
		got, err := Names(Split([]byte(text)))
		if err != nil {
			t.Fatalf("%s%v", text, err)
		}
		return got
	}
	const led, end = "<u:s> <u:p> _:a .\n", "<u:nil>"
	two := names(led + cellOf("a", `"1"`, "_:b") + cellOf("b", `"2"`, end))
	again := names(strings.ReplaceAll(cellOf("b", `"2"`, end)+led+cellOf("a", `"1"`, "_:b"), "_:b", "_:q"))
	a, ok := strings.CutSuffix(string(two["a"]), "x0")
	b, ok2 := strings.CutSuffix(string(two["b"]), "x1")
	if len(two) != 2 || !ok || !ok2 || a != b || string(again["a"]) != string(two["a"]) || string(again["q"]) != string(two["b"]) {
		t.Errorf("a list of two has the names %s, in another order %s", two, again)
	}
	seen := map[string]string{}
	for _, text := range []string{
		led + cellOf("a", `"1"`, "_:b") + cellOf("b", `"2"`, end),
		led + cellOf("a", `"1"`, end),
		"<u:s> <u:q> _:a .\n" + cellOf("a", `"1"`, end),
		"<u:t> <u:p> _:a .\n" + cellOf("a", `"1"`, end),
		"<u:s> <u:p> _:a <u:g> .\n" + cellOf("a", `"1"`, end),
		led + cellOf("a", "_:i", end) + cellOf("i", `"1"`, end),
		led + cellOf("a", "_:i", end) + cellOf("i", `"2"`, end),
		led + cellOf("a", `"0"`, "_:b") + cellOf("b", "_:i", end) + cellOf("i", `"1"`, end),
		led + "<u:x> <u:p> <u:y> _:a .\n<u:y> <u:p> \"1\" _:a .\n",
		led + "<u:y> <u:p> \"1\" _:a .\n",
	} {
		name := string(names(text)["a"])
		if other := seen[name]; name == "" || other != "" {
			t.Errorf("%sand\n%shave the name %s", text, other, name)
		}
		seen[name] = text
	}
	if got := names("<u:s> <u:p> <u:o> .\n"); got != nil {
		t.Errorf("without blank nodes: %s", got)
	}

	for text, want := range map[string]error{
		cellOf("a", `"1"`, end):                                                         ErrUnnamed, // nothing leads to it
		led + led + cellOf("a", `"1"`, end):                                             ErrUnnamed, // two statements do
		led + "_:a <u:p> <u:o> .\n":                                                     ErrUnnamed, // it is neither
		led + cellOf("a", `"1"`, "_:b"):                                                 ErrUnnamed, // a cell is missing
		led + cellOf("a", `"1"`, "_:a"):                                                 ErrUnnamed, // it is a ring
		led + "<u:x> <u:p> <u:y> _:a .\n<u:z> <u:p> <u:y> _:a .\n":                      ErrUnnamed, // two tops
		led + "<u:s> <u:p> _:b .\n" + cellOf("a", `"1"`, end) + cellOf("b", `"1"`, end): errTwins,
	} {
		if got, err := Names(Split([]byte(text))); !errors.Is(err, want) {
			t.Errorf("%s%s, %v", text, got, err)
		}
	}
}

// Lists in lists are named to the depth that a document may have, and not further.
func TestDepthOfNames(t *testing.T) {
	for _, depth := range []int{canon.DefaultDepth, canon.DefaultDepth + 1} {
		label := func(i int) string { return fmt.Sprintf("l%04d", depth-i) } // the innermost is named first
		text := "<u:s> <u:p> _:" + label(0) + " .\n"
		for i := range depth {
			text += cellOf(label(i), "_:"+label(i+1), "<u:nil>")
		}
		text += cellOf(label(depth), `"1"`, "<u:nil>")
		if _, err := Names(Split([]byte(text))); (err == nil) != (depth <= canon.DefaultDepth) {
			t.Errorf("%d lists in lists: %v", depth, err)
		}
	}
}

// Of nodes with as many statements each, but of different numbers of each kind, only those that are alike
// change labels, in the order of their names.
func TestAlikeByNumber(t *testing.T) {
	statements, issued := graphOf([2]int{0, 1}, [2]int{0, 2}, [2]int{1, 0}, [2]int{2, 0})
	issued["n000000"], issued["n000001"], issued["n000002"] = "c14n2", "c14n1", "c14n0"
	b := new(canon.Budget)
	b.Reset(canon.Limits{})
	err := Alike(context.Background(), b, statements, issued)
	if err != nil || issued["n000000"] != "c14n2" || issued["n000001"] != "c14n0" || issued["n000002"] != "c14n1" {
		t.Errorf("labels %v, %v", issued, err)
	}
}

// Nodes that are refused at first keep their labels for those that they are alike: each label goes to one
// node, and rings keep theirs.
func TestAlikeKeepsLabels(t *testing.T) {
	var edges [][2]int
	for i := range 6 { // rings of three and of six in turn
		edges = append(append(edges, ring(9*i, 3)...), ring(9*i+3, 6)...)
	}
	statements, issued := graphOf(edges...)
	three := map[string]bool{} // labels of rings of three
	for name := range issued {
		var n int
		fmt.Sscanf(name, "n%d", &n)
		issued[name] = fmt.Sprintf("c14n%d", (n*25+7)%54)
		if n%9 < 3 {
			three[issued[name]] = true
		}
	}
	b := new(canon.Budget)
	b.Reset(canon.Limits{})
	if err := Alike(context.Background(), b, statements, issued); err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for name, label := range issued {
		var n int
		fmt.Sscanf(name, "n%d", &n)
		if taken[label] || three[label] != (n%9 < 3) {
			t.Errorf("%s is labelled %s, taken before: %v", name, label, taken[label])
		}
		taken[label] = true
	}
	if len(taken) != 54 {
		t.Errorf("%d labels", len(taken))
	}
}

// asks is a context that counts how often it is asked.
type asks struct {
	context.Context
	times int
}

func (a *asks) Err() error { a.times++; return nil }

// Parting nodes asks for the time once more than 10,000 edges were followed, of which a cell counts as one.
func TestPartitionAsksForTheTime(t *testing.T) {
	statements, _ := graphOf([2]int{0, 1}) // two nodes, one statement: cells of nodes and of statements
	b := new(canon.Budget)
	b.Reset(canon.Limits{})
	const all = 8 + 3 // edges of both copies from both ends; a visit of each of three cells
	for spent, want := range map[int64]int{10_000 - all: 0, 10_001 - all: 1} {
		ctx := &asks{Context: context.Background()}
		p := newPartition(ctx, b, newGraph(statements))
		p.spent = spent
		if !p.refine() || ctx.times != want || p.spent != spent+all {
			t.Errorf("from %d to %d edges the time is asked for %d times, want %d", spent, p.spent, ctx.times, want)
		}
	}
}
