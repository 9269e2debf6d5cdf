package rdfc_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// dataset makes a dataset of a fuzzer's bytes, four for each quad: up to 6 blank nodes, few names and literals.
func dataset(data []byte) string {
	iris := []string{"<u:a>", "<u:ab>", "<http://example.org/é#x>"}
	literals := []string{`""`, `"a"`, `"a"@en`, `"a"@en-GB`, `"a"^^<u:t>`, `"\"\\\n\r\t"`, `"ﬁ"`, `"🌃"`, `"long enough to take more than one step of a sort"`}
	node := func(b byte) string { return fmt.Sprintf("_:n%d", b%6) }
	var doc strings.Builder
	for ; len(data) >= 4; data = data[4:] {
		s, p, o, g := data[0], data[1], data[2], data[3]
		subject, object, graph := node(s), node(o), ""
		if s >= 224 {
			subject = iris[int(s)%len(iris)]
		}
		switch {
		case o >= 208:
			object = literals[int(o)%len(literals)]
		case o >= 192:
			object = iris[int(o)%len(iris)]
		}
		switch {
		case g >= 224:
			graph = " " + iris[int(g)%len(iris)]
		case g >= 192:
			graph = " " + node(g)
		}
		fmt.Fprintf(&doc, "%s %s %s%s .\n", subject, iris[int(p)%2], object, graph)
	}
	return doc.String()
}

// FuzzRDFC compares with the text of the specification and with json-gold, on datasets that are determined and not too much
// work for these. json-gold counts self-loops twice, knows no work limit and escapes fewer characters; the datasets hold none
// of the latter.
func FuzzRDFC(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 1, 0, 2, 0, 2, 0, 0, 0, 3, 0, 3, 230})
	f.Add([]byte{0, 0, 1, 0, 0, 0, 2, 0, 1, 1, 3, 0, 2, 1, 3, 0, 3, 1, 220, 194})
	f.Fuzz(func(t *testing.T, data []byte) {
		doc := dataset(data[:min(len(data), 4*24)])
		d := parse(t, doc)
		form := &struct{ once, twice string }{}
		for variant, into := range map[rdfc.Variant]*string{0: &form.once, rdfc.LoopsTwice: &form.twice} {
			var s rdfc.State
			text, err := s.Run(t.Context(), d, rdfc.Options{Variant: variant, Work: 1500}, nil)
			if err != nil {
				t.Skip("too much work for the others")
			}
			*into = string(text)
		}
		if len(undetermined(t, d)) > 0 {
			t.Skip("undetermined")
		}
		r := rand.New(rand.NewPCG(uint64(len(data)), 1))
		if got := referenceForm(d, r); got != form.once {
			t.Errorf("%s\nis\n%s\nby the text\n%s", doc, form.once, got)
		}
		if got := canonical(t, scrambled(t, d, r), rdfc.Options{}); got != form.once {
			t.Errorf("%s\nis\n%s\nand in another order\n%s", doc, form.once, got)
		}
		if got := jsonGold(t, d); got != form.twice {
			t.Errorf("%s\nis\n%s\nby json-gold\n%s", doc, form.twice, got)
		}
		if got, want := amongMany(t, doc, form.once); got != want {
			t.Errorf("%s\nis\n%s\nand among more quads\n%s", doc, form.once, got)
		}
		lines := strings.SplitAfter(form.once, "\n")
		if !slices.IsSorted(lines[:len(lines)-1]) {
			t.Errorf("%s\nis out of order", form.once)
		}
	})
}

// TestAmongMany canonicalizes small datasets within larger ones, whose quads are sorted by codes of predicates.
func TestAmongMany(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		data := make([]byte, 4*r.IntN(20))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		doc := dataset(data)
		var s rdfc.State
		text, err := s.Run(t.Context(), parse(t, doc), rdfc.Options{Work: 1500}, nil)
		if err != nil {
			continue
		}
		if got, want := amongMany(t, doc, string(text)); got != want {
			t.Errorf("%s\nis\n%s\nand among more quads\n%s", doc, text, got)
		}
	}
}

// amongMany returns the form of a dataset and a hundred quads without blank nodes, some of them twice, and
// what it must be: the lines of both, since such quads change no label.
func amongMany(t *testing.T, doc, form string) (got, want string) {
	t.Helper()
	lines := strings.SplitAfter(form, "\n")
	lines = lines[:len(lines)-1]
	for i := range 100 {
		line := fmt.Sprintf("<u:s%d> <u:a%s> \"%d\" .\n", i%7, "b"[:i%2], i%90)
		doc += line
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return canonical(t, parse(t, doc), rdfc.Options{}), strings.Join(slices.Compact(lines), "")
}

// jsonGold canonicalizes with json-gold.
func jsonGold(t *testing.T, d *rdf.Dataset) string {
	t.Helper()
	opt := ld.NewJsonLdOptions("")
	opt.Algorithm, opt.Format, opt.InputFormat = ld.AlgorithmURDNA2015, "application/n-quads", "application/n-quads"
	form, err := ld.NewJsonLdProcessor().Normalize(string(d.AppendNQuads(nil)), opt)
	if err != nil {
		t.Fatal(err)
	}
	return form.(string)
}
