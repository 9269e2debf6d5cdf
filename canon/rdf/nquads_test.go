package rdf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"canonscope/canon"
)

func TestReadsEveryForm(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		" \t\n\r\n#c\n # c":                 "",
		"<u:s> <u:p> <u:o> .\n":             "<u:s> <u:p> <u:o> .\n",
		"<u:s><u:p><u:o>.":                  "<u:s> <u:p> <u:o> .\n",
		"\t<u:s>\t<u:p>\t\"o\"\t<u:g>\t.\t": "<u:s> <u:p> \"o\" <u:g> .\n",
		"<u:s> <u:p> \"o\"@en<u:g>.# c":     "<u:s> <u:p> \"o\"@en <u:g> .\n",
		"_:a<u:p>_:b.":                      "_:a <u:p> _:b .\n",
		"_:a.b <u:p> _:b.":                  "_:a.b <u:p> _:b .\n",
		"_:0 <u:p> _:é _:𐀀.":                "_:0 <u:p> _:é _:𐀀 .\n",
		"_::a <u:p> _:b: .":                 "_::a <u:p> _:b: .\n",
		"<u:s> <u:p> <u:o> .\r<u:s> <u:p> <u:p> .\r\n<u:s> <u:p> <u:q> .":  "<u:s> <u:p> <u:o> .\n<u:s> <u:p> <u:p> .\n<u:s> <u:p> <u:q> .\n",
		`<u:\u0041\U0001F303> <u:p> "\u0041\U0001F303" .`:                  "<u:A🌃> <u:p> \"A🌃\" .\n",
		`<u:s> <u:p> "\t\b\n\r\f\"\'\\" .`:                                 "<u:s> <u:p> \"\\t\\b\\n\\r\\f\\\"'\\\\\" .\n",
		`<u:s> <u:p> "\u0000\u000b\u007F\uFFFE\ufffd" .`:                   "<u:s> <u:p> \"\\u0000\\u000B\\u007F\\uFFFE\ufffd\" .\n",
		"<u:s> <u:p> \"raw\ttab\x01\x7f\uffff\" .":                         "<u:s> <u:p> \"raw\\ttab\\u0001\\u007F\\uFFFF\" .\n",
		`<u:s> <u:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> .`:     "<u:s> <u:p> \"x\" .\n",
		`<u:s> <u:p> "\u0078"^^<http://www.w3.org/2001/XMLSchema#string>.`: "<u:s> <u:p> \"x\" .\n",
		`<u:s> <u:p> "x"^^<u:\u0074> . # twice` + "\n" + `<u:s> <u:p> "\u0078"^^<u:t> .` + "\n" + `<u:s> <u:p> "y"^^<u:t> .`: "" +
			"<u:s> <u:p> \"x\"^^<u:t> .\n<u:s> <u:p> \"x\"^^<u:t> .\n<u:s> <u:p> \"y\"^^<u:t> .\n",
		`<u:s> <u:p> "\u0078"@en-Latn-x1 .`: "<u:s> <u:p> \"x\"@en-Latn-x1 .\n",
		`<u:s> <u:p> "a#b" <u:g#h> .#c`:     "<u:s> <u:p> \"a#b\" <u:g#h> .\n",
	} {
		var d Dataset
		if err := d.ParseNQuads([]byte(in), canon.Limits{}); err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got := string(d.AppendNQuads(nil)); got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestRefusesWithPlace(t *testing.T) {
	const ok = "<u:s> <u:p> <u:o> .\n"
	for _, c := range []struct {
		in           string
		line, column int
		msg          string
	}{
		{"<u:s> <u:p> <u:o>", 1, 18, "expected '.'"},
		{ok + "\n<u:s> <u:p> <u:o> <u:g> <u:h> .", 3, 25, "expected '.'"},
		{ok + "<u:s> <u:p> <u:o> . <u:s> <u:p> <u:o> .", 2, 21, "end of the line"},
		{"\r\n\r<u:s> \"p\" <u:o> .", 3, 7, "predicate"},
		{"<u:s> _:p <u:o> .", 1, 7, "predicate"},
		{"\"s\" <u:p> <u:o> .", 1, 1, "subject"},
		{"\uFEFF" + ok, 1, 1, "byte order mark"},
		{"@prefix : <u:> .", 1, 1, "Turtle"},
		{"<u:s> <u:p> o .", 1, 13, "object"},
		{"<u:s> <u:p> \"o\" \"g\" .", 1, 17, "expected '.'"},
		{"<s> <u:p> <u:o> .", 1, 1, "relative IRI"},
		{"<u:s> </p> <u:o> .", 1, 7, "relative IRI"},
		{"<u:s> <u:p> \"x\"^^<t> .", 1, 18, "relative IRI"},
		{"<u:s> <u:p> <> .", 1, 13, "relative IRI"},
		{"<u:s> <u:p> <u:a b> .", 1, 17, "cannot hold ' '"},
		{`<u:s> <u:p> <u:a\u0020b> .`, 1, 17, "not even escaped"},
		{`<u:s> <u:p> <u:a\nb> .`, 1, 17, "unknown escape"},
		{"<u:s> <u:p> <u:o .\n" + ok, 1, 17, "cannot hold ' '"},
		{"<u:s> <u:p> <u:o", 1, 13, "closing '>'"},
		{"<u:s> <u:p> <u:o\n> .", 1, 13, "closing '>'"},
		{"<u:s> <u:p> <u:o\xff> .", 1, 17, "UTF-8"},
		{"<u:s> <u:p> \"a\xed\xa0\x80\" .", 1, 15, "UTF-8"},
		{"<u:s> <u:p> \"é\xef\xbf\" .", 1, 16, "UTF-8"},
		{"<u:s> <u:p> \"\\n\xc0\xaf\" .", 1, 16, "UTF-8"},
		{"_:\xff <u:p> <u:o> .", 1, 3, "UTF-8"},
		{"# \xff", 1, 3, "UTF-8"},
		{`<u:s> <u:p> "\uD800" .`, 1, 14, "surrogate"},
		{`<u:s> <u:p> "a\uD83C\uDF03" .`, 1, 15, "surrogate"},
		{`<u:s> <u:p> "\U00110000" .`, 1, 14, "above U+10FFFF"},
		{`<u:s> <u:p> "\u00G0" .`, 1, 14, "4 hexadecimal"},
		{`<u:s> <u:p> "\U0001F30" .`, 1, 14, "8 hexadecimal"},
		{`<u:s> <u:p> "\x" .`, 1, 14, "unknown escape"},
		{`<u:s> <u:p> "\`, 1, 14, "unknown escape"},
		{`<u:s> <u:p> "abc .`, 1, 13, "closing quote"},
		{"<u:s> <u:p> \"abc\n\" .", 1, 13, "closing quote"},
		{`<u:s> <u:p> "x"@ .`, 1, 16, "language tag"},
		{`<u:s> <u:p> "x"@1 .`, 1, 16, "language tag"},
		{`<u:s> <u:p> "x"@en- .`, 1, 16, "language tag"},
		{`<u:s> <u:p> "x"^<u:t> .`, 1, 16, "'^^'"},
		{`<u:s> <u:p> "x"^^"t" .`, 1, 16, "'^^'"},
		{`<u:s> <u:p> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .`, 1, 16, "needs a language tag"},
		{"_: <u:p> <u:o> .", 1, 1, "no label"},
		{"_:. <u:p> <u:o> .", 1, 1, "no label"},
		{"_a <u:p> <u:o> .", 1, 1, "'_:'"},
		{"_:-a <u:p> <u:o> .", 1, 3, "cannot start"},
		{"_:·a <u:p> <u:o> .", 1, 3, "cannot start"},
		{"_:a.b. <u:p> _:b .", 1, 6, "predicate"},
		{"_:a <u:p> _:b..", 1, 15, "end of the line"},
		{"<u:s> <u:p> << <u:s> <u:p> <u:o> >> .", 1, 14, "cannot hold '<'"},
	} {
		for name, err := range bothWays(c.in) {
			var syn *canon.SyntaxError
			if !errors.As(err, &syn) {
				t.Errorf("%s %q: error is %v", name, c.in, err)
				continue
			}
			if syn.Line != c.line || syn.Column != c.column || !strings.Contains(syn.Msg, c.msg) {
				t.Errorf("%s %q: %v, want %d:%d %s", name, c.in, err, c.line, c.column, c.msg)
			}
			if lines := bytes.FieldsFunc([]byte(c.in), func(r rune) bool { return r == '\n' || r == '\r' }); len(lines) == 1 && c.line == 1 && syn.Offset != c.column-1 {
				t.Errorf("%s %q: offset %d", name, c.in, syn.Offset)
			}
		}
	}
}

// bothWays parses a document and reads it in small pieces; both must leave nothing behind on an error.
func bothWays(doc string) map[string]error {
	var d, e Dataset
	out := map[string]error{
		"parse": d.ParseNQuads([]byte(doc), canon.Limits{}),
		"read":  e.ReadNQuads(iotest.OneByteReader(strings.NewReader(doc)), canon.Limits{}),
	}
	if len(d.Quads)+len(e.Quads) != 0 {
		out["rest"] = errors.New("quads of a refused document")
	}
	return out
}

func TestLongLinesAndLimits(t *testing.T) {
	doc := fmt.Sprintf("<u:s> <u:p> \"%s\" .\n<u:s> <u:p> \"y\" .", strings.Repeat("x", 300_000))
	var d Dataset
	if err := d.ReadNQuads(strings.NewReader(doc), canon.Limits{}); err != nil || string(d.AppendNQuads(nil)) != doc+"\n" {
		t.Errorf("a line of 300 kB: %v", err)
	}
	for name, err := range map[string]error{
		"parse": d.ParseNQuads([]byte(doc), canon.Limits{Bytes: len(doc) - 1}),
		"read":  d.ReadNQuads(strings.NewReader(doc), canon.Limits{Bytes: len(doc) - 1}),
	} {
		var limit *canon.LimitError
		if !errors.As(err, &limit) || limit.Limit != "bytes" || limit.Max != int64(len(doc)-1) {
			t.Errorf("%s above the limit: %v", name, err)
		}
	}
	if len(d.Quads) != 2 {
		t.Errorf("%d quads after refused documents, want the 2 of before", len(d.Quads))
	}
	if err := d.ReadNQuads(iotest.ErrReader(io.ErrUnexpectedEOF), canon.Limits{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error of the reader: %v", err)
	}
	if err := d.ReadNQuads(idle{}, canon.Limits{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader without progress: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// A Dataset that is read into keeps nothing of the reader's buffer; a used one forgets what it held.
func TestReuse(t *testing.T) {
	var d Dataset
	for _, n := range []int{3000, 10, 0, 3000, 1} {
		d.Reset()
		var doc strings.Builder
		for i := range n {
			fmt.Fprintf(&doc, "<u:s%d> <u:p%d> \"%d\" _:g%d .\n", i, i%7, i, i%3)
		}
		if err := d.ReadNQuads(strings.NewReader(doc.String()), canon.Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := string(d.AppendNQuads(nil)); got != doc.String() {
			t.Fatalf("%d quads read back otherwise", n)
		}
		if terms := 1 + 2*n + min(n, 7) + min(n, 3); len(d.Terms) != terms {
			t.Errorf("%d quads: %d terms, want %d", n, len(d.Terms), terms)
		}
	}
	doc := []byte("<u:s> <u:p> \"o\" .\n_:a <u:p> \"\\u0041\"^^<u:t> .\n")
	if n := testing.AllocsPerRun(100, func() {
		d.Reset()
		if err := d.ParseNQuads(doc, canon.Limits{}); err != nil {
			t.Fatal(err)
		}
	}); n > 3 {
		t.Errorf("%v allocations to parse into a used dataset", n)
	}
}

func FuzzNQuads(f *testing.F) {
	for _, s := range []string{"<u:s> <u:p> \"o\"@en <u:g> . # c\r\n", "_:a.b<u:p>\"\\u0041\\U0001F303\\n\"^^<u:t>_:g.", "<u:\\u00e9> <u:p> \"\uffff\x01\" ."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		var d, e, again Dataset
		err := d.ParseNQuads([]byte(doc), canon.Limits{})
		read := e.ReadNQuads(iotest.HalfReader(strings.NewReader(doc)), canon.Limits{})
		if fmt.Sprint(err) != fmt.Sprint(read) {
			t.Fatalf("parsed: %v, read: %v", err, read)
		}
		if err != nil {
			return
		}
		text := d.AppendNQuads(nil)
		if !bytes.Equal(text, e.AppendNQuads(nil)) {
			t.Fatal("reading and parsing differ")
		}
		if err := again.ParseNQuads(text, canon.Limits{}); err != nil {
			t.Fatalf("own output refused: %v", err)
		}
		if !bytes.Equal(text, again.AppendNQuads(nil)) {
			t.Fatal("own output changes when it is read again")
		}
	})
}
