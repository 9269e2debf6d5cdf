package agree_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/agree"
	"canonscope/canon/conform"
	"canonscope/canon/engines"
)

// bare returns an engine of the registry.
func bare(t *testing.T, name canon.Engine) agree.Engine {
	t.Helper()
	e := agree.Engine{Name: string(name), Methods: map[canon.Method]canon.Canonicalizer{}}
	for _, m := range canon.Methods {
		if c, err := engines.Unguarded(name, m, engines.Config{}); err == nil {
			e.Methods[m] = c
		}
	}
	return e
}

// planted is an engine that changes the form of the native one.
type planted struct {
	of     canon.Canonicalizer
	change func(doc, text []byte) ([]byte, error)
}

func (e planted) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	form, err := e.of.Canonicalize(ctx, doc, opt)
	if err != nil {
		return nil, err
	}
	form.Text, err = e.change(doc, form.Text)
	return form, err
}

func plant(t *testing.T, change func(doc, text []byte) ([]byte, error)) agree.Engine {
	e := bare(t, canon.Native)
	e.Name = "planted"
	for m, c := range e.Methods {
		e.Methods[m] = planted{c, change}
	}
	return e
}

func add(t *testing.T, c *agree.Comparer, in *agree.Input) *agree.Row {
	t.Helper()
	row, err := c.Add(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func corpus(t *testing.T) []agree.Input {
	t.Helper()
	inputs, err := agree.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	return inputs
}

func verdictOf(r *agree.Row, engine string) agree.Verdict {
	for _, g := range r.Groups {
		if slices.Contains(g.Engines, engine) {
			return g.Verdict
		}
	}
	return ""
}

// Over the corpus the native engine is right, and stock is wrong exactly where its libraries are known to be: each such
// difference is found and has a phase. Tuned differs from json-gold only in what it writes itself.
func TestCorpus(t *testing.T) {
	c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), bare(t, canon.Stock), bare(t, canon.Tuned)}}
	names := map[string]bool{}
	known := 0
	for _, in := range corpus(t) {
		row := add(t, c, &in)
		if names[in.Name] || in.Known.Source == "" || len(in.Known.Forms) == 0 && in.Known.Refuse == "" {
			t.Errorf("%s is there before, or has no source or no answer", in.Name)
		}
		names[in.Name] = true
		if v := verdictOf(row, "native"); v != agree.Right {
			t.Errorf("%s: native is %s: %+v", in.Name, v, row.Groups)
		}
		library := map[canon.Method]string{canon.RDFC: "json-gold", canon.JCS: "gowebpki/jcs"}[in.Method]
		want := agree.Right
		if slices.Contains(in.Known.Differs, library) {
			want = agree.Wrong
			known++
		}
		if v := verdictOf(row, "stock"); v != want {
			t.Errorf("%s: stock is %s, want %s: %+v", in.Name, v, want, row.Groups)
		}
		if v := verdictOf(row, "tuned"); v == agree.Wrong && want != agree.Wrong {
			t.Errorf("%s: tuned is wrong: %+v", in.Name, row.Groups)
		}
		if want == agree.Wrong && row.Agree() {
			t.Errorf("%s: no difference is found", in.Name)
		}
		for _, d := range row.Differences {
			if d.Phase == "" || d.A == d.B || d.Place != "" && d.AHas == d.BHas {
				t.Errorf("%s: %+v", in.Name, d)
			}
		}
		if slices.Contains(row.Unstable, "native") != (len(row.Undetermined) > 0) {
			t.Errorf("%s: unstable are %v, undetermined %v", in.Name, row.Unstable, row.Undetermined)
		}
	}
	if known < 40 || len(names) < 150 {
		t.Errorf("%d differences of %d inputs", known, len(names))
	}
}

// The analysis finds by itself in which phase a known difference is made, and which kind it is.
func TestPhasesAndFacts(t *testing.T) {
	c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), bare(t, canon.Stock)}}
	want := map[string][2]string{
		"number-1e19":                     {"to-rdf", "number"},
		"json-literal-array":              {"to-rdf", "json-literal"},
		"json-literal-container-id":       {"expand", "json-literal"},
		"control-characters":              {"serialize", "control-characters"},
		"control-characters-nquads":       {"serialize", "control-characters"},
		"two-empty-lists":                 {"serialize", "repeated-quad"},
		"labels-of-the-form":              {"label", "c14n-labels"},
		"self-reference":                  {"label", "self-reference"},
		"self-reference-jsonld":           {"label", "self-reference"},
		"comments":                        {"parse", "grammar"},
		"escaped-surrogate":               {"parse", "grammar"},
		"relative-type":                   {"to-rdf", "relative-iri"},
		"long-iri":                        {"to-rdf", "dropped-iri"},
		"host-with-hyphen":                {"to-rdf", "dropped-iri"},
		"credential-of-a-presentation":    {"expand", "graph"},
		"base-not-encoded":                {"expand", ""},
		"two-keys-for-types":              {"expand", ""},
		"duplicate-keys":                  {"parse", ""},
		"container-of-none":               {"expand", ""},
		"graph-of-a-scalar":               {"to-rdf", ""},
		"property-context-not-propagated": {"expand", ""},
	}
	for _, in := range corpus(t) {
		w, ok := want[in.Name]
		if !ok {
			continue
		}
		delete(want, in.Name)
		in.Known = nil // what is known does not help
		row := add(t, c, &in)
		if len(row.Differences) != 1 {
			t.Errorf("%s: %+v", in.Name, row.Differences)
			continue
		}
		if d := row.Differences[0]; d.Phase != w[0] || d.Fact != w[1] || (d.Fact == "") != (d.Step == "") {
			t.Errorf("%s: %+v, want %v", in.Name, d, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the corpus: %v", want)
	}
}

// lines changes the lines of a form.
func lines(text []byte, change func([][]byte) [][]byte) []byte {
	return bytes.Join(change(slices.Collect(bytes.Lines(text))), nil)
}

// Faults of libraries that are not here are recognized as well, when another engine shows them.
func TestPlantedFaults(t *testing.T) {
	for _, p := range []struct {
		name, fact string
		input      string // of the corpus
		verdict    agree.Verdict
		change     func(doc, text []byte) ([]byte, error)
	}{
		{"order of UTF-16", "order", "code-point-order", agree.Wrong, func(_, text []byte) ([]byte, error) {
			return lines(text, func(l [][]byte) [][]byte {
				slices.SortFunc(l, func(a, b []byte) int {
					return slices.Compare(utf16.Encode([]rune(string(a))), utf16.Encode([]rune(string(b))))
				})
				return l
			}), nil
		}},
		{"tags in lower case", "language-case", "language-tag-case", agree.Right, func(_, text []byte) ([]byte, error) {
			return bytes.ReplaceAll(text, []byte("en-US"), []byte("en-us")), nil
		}},
		{"double as integer", "number", "number-1e-7", agree.Wrong, func(_, text []byte) ([]byte, error) {
			return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("1.0E-7"), []byte("0")), []byte("double"), []byte("integer")), nil
		}},
		{"code points in JCS", "key-order", "key-order-utf-16", agree.Wrong, func(doc, _ []byte) ([]byte, error) {
			var v any
			if err := json.Unmarshal(doc, &v); err != nil {
				return nil, err
			}
			return json.Marshal(v)
		}},
		{"integers kept in JCS", "json-number", "number-2-60-jcs", agree.Wrong, func(doc, _ []byte) ([]byte, error) {
			return doc, nil
		}},
		{"escapes in JCS", "json-string", "least-escapes", agree.Wrong, func(_, text []byte) ([]byte, error) {
			return bytes.ReplaceAll(text, []byte("<"), []byte(`\u003c`)), nil
		}},
		{"a refusal", "i-json", "number-one-jcs", agree.Wrong, func(_, _ []byte) ([]byte, error) {
			return nil, errors.New("no")
		}},
		{"a limit", "", "number-one-jcs", agree.Open, func(_, _ []byte) ([]byte, error) {
			return nil, &canon.LimitError{Limit: "time"}
		}},
		{"no support", "", "number-one-jcs", agree.Open, func(_, _ []byte) ([]byte, error) {
			return nil, &canon.UnsupportedError{Engine: "planted", What: "this"}
		}},
	} {
		c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), plant(t, p.change)}}
		for _, in := range corpus(t) {
			if in.Name != p.input {
				continue
			}
			row := add(t, c, &in)
			fact := ""
			if len(row.Differences) > 0 {
				fact = row.Differences[0].Fact
			}
			if fact != p.fact || verdictOf(row, "planted") != p.verdict {
				t.Errorf("%s: %+v", p.name, row)
			}
		}
	}
}

// Engines that take different ones of several right forms disagree, and none is wrong.
func TestUndetermined(t *testing.T) {
	for _, in := range corpus(t) {
		if in.Name != "undetermined-graphs" {
			continue
		}
		other := in.Known.Forms[1]
		c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), plant(t, func(_, text []byte) ([]byte, error) {
			if string(text) == other {
				return []byte(in.Known.Forms[0]), nil
			}
			return []byte(other), nil
		})}}
		row := add(t, c, &in)
		if row.Agree() || row.Wrong() || row.Differences[0].Fact != "undetermined" || len(row.Undetermined) == 0 {
			t.Errorf("%+v", row)
		}
		if verdictOf(row, "native") != agree.Right || verdictOf(row, "planted") != agree.Right {
			t.Errorf("%+v", row.Groups)
		}
	}
}

// Without a known answer no engine is called right or wrong.
func TestNoVerdictOfUnknownInputs(t *testing.T) {
	c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), bare(t, canon.Stock)}}
	row := add(t, c, &agree.Input{Name: "f", Method: canon.RDFC, Syntax: canon.JSONLD, Doc: []byte(`{"urn:p":1e19}`)})
	if row.Agree() || row.Wrong() || verdictOf(row, "native") != agree.Open || verdictOf(row, "stock") != agree.Open {
		t.Errorf("%+v", row)
	}
}

// Random inputs of a seed are the same again. A planted fault is found among them and reduced to what it needs.
func TestRandom(t *testing.T) {
	const star = "🌃"
	c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), plant(t, func(doc, text []byte) ([]byte, error) {
		if bytes.Contains(doc, []byte(star)) {
			return append(text, '#'), nil
		}
		return text, nil
	})}}
	var texts []string
	for range 2 {
		r := agree.NewReport("random", c.Engines)
		if err := c.Random(context.Background(), r, 3, 200, "", nil); err != nil {
			t.Fatal(err)
		}
		if r.Inputs != 200 || len(r.Rows) == 0 || r.Agree() {
			t.Fatalf("%+v", r)
		}
		shortest := map[canon.Input]int{}
		for _, row := range r.Rows {
			if !strings.Contains(row.Document, star) || row.Times == 0 {
				t.Errorf("%+v", row)
			}
			if n := shortest[row.Syntax]; n == 0 || len(row.Document) < n {
				shortest[row.Syntax] = len(row.Document)
			}
		}
		if n := shortest[canon.JSON]; n != len(`""`)+len(star) {
			t.Errorf("the JSON has %d bytes", n)
		}
		for syntax, n := range shortest {
			if n > 60 {
				t.Errorf("%s: %d bytes", syntax, n)
			}
		}
		var text bytes.Buffer
		if err := r.Text(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text.String())
	}
	if texts[0] != texts[1] {
		t.Errorf("two runs of one seed:\n%s\n%s", texts[0], texts[1])
	}
}

// The generator makes inputs of all kinds, which are mostly accepted.
func TestGenerate(t *testing.T) {
	native := bare(t, canon.Native)
	accepted, made := map[canon.Input]int{}, map[canon.Input]int{}
	for i := range uint64(600) {
		in := agree.Generate(1, i, "")
		made[in.Syntax]++
		if _, err := native.Methods[in.Method].Canonicalize(context.Background(), in.Doc,
			canon.Options{Input: in.Syntax, Lossy: true}); err == nil {
			accepted[in.Syntax]++
		}
		if m := agree.Generate(1, i, canon.JCS).Method; m != canon.JCS {
			t.Errorf("%d: %s", i, m)
		}
	}
	for _, s := range []canon.Input{canon.JSONLD, canon.NQuads, canon.JSON} {
		if made[s] != 200 || accepted[s] < 100 {
			t.Errorf("%s: %d of %d are accepted", s, accepted[s], made[s])
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native)}}
	if _, err := c.Add(ctx, &agree.Input{Method: canon.JCS, Syntax: canon.JSON, Doc: []byte("1")}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := c.Random(ctx, agree.NewReport("", c.Engines), 1, 9, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The reports fit a terminal and keep hostile text from being more than text.
func TestReports(t *testing.T) {
	c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), bare(t, canon.Stock), bare(t, canon.Tuned)}}
	r := agree.NewReport("corpus", c.Engines)
	for _, in := range corpus(t) {
		r.Add(add(t, c, &in))
	}
	hostile := agree.Input{Name: "a|b<script>\x1b[31m\u202e", Method: canon.RDFC, Syntax: canon.JSONLD,
		Doc: []byte(`{"urn:p":["\u001b[31m\u202e|<img>",1e19]}`)}
	r.Add(add(t, c, &hostile))

	var text, page, data bytes.Buffer
	if err := errors.Join(r.Text(&text), r.Markdown(&page), json.NewEncoder(&data).Encode(r)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		words := strings.Fields(line)
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 && len(words) > 1 && !strings.Contains(line, "xxxx") {
			t.Errorf("a line of more than 80 columns: %s", line)
		}
	}
	for _, out := range []string{text.String(), page.String()} {
		if strings.ContainsAny(out, "\x1b\u202e") {
			t.Error("control characters are printed")
		}
	}
	if strings.Contains(page.String(), "<script>") || strings.Contains(page.String(), "a|b") {
		t.Error("the page has markup of an input")
	}
	for _, want := range []string{"native", "162", "JSON-LD API section 8.2.2", "(wrong)", "undetermined:"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	columns := 0
	for line := range strings.Lines(page.String()) {
		if n := strings.Count(line, "|") - strings.Count(line, `\|`); strings.HasPrefix(line, "| number-1e19") {
			columns = n
		}
	}
	if columns != 6 {
		t.Errorf("a row of the page has %d bars, want 6", columns)
	}

	passed, failed, skipped := conform.Count(r.Results("stock"))
	if s := r.Judged["stock"]; passed != s.Right || failed != s.Wrong || skipped != s.Open || failed < 40 {
		t.Errorf("%d passed, %d failed, %d skipped: %+v", passed, failed, skipped, s)
	}
	if _, failed, _ := conform.Count(r.Results("native")); failed > 0 {
		t.Errorf("%d failed", failed)
	}
}

// The matrix of many engines fits a terminal as well.
func TestManyEngines(t *testing.T) {
	c := &agree.Comparer{}
	for _, name := range []string{"native", "stock", "tuned", "exec:jsonld.js", "exec:rdfjs-c14n"} {
		e := bare(t, canon.Native)
		e.Name = name
		c.Engines = append(c.Engines, e)
	}
	r := agree.NewReport("inputs", c.Engines)
	r.Add(add(t, c, &agree.Input{Name: "a", Method: canon.JCS, Syntax: canon.JSON, Doc: []byte("1")}))
	var text bytes.Buffer
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if !strings.Contains(text.String(), "\n5 exec:rdfjs-c14n          1/1       1/1       1/1       1/1         -\n") {
		t.Error(text.String())
	}
}

// An engine that crashes is wrong about what has a right answer, also about what must be refused.
func TestCrash(t *testing.T) {
	crash := errors.New("crash")
	for _, crashes := range []bool{false, true} {
		e := plant(t, func(_, _ []byte) ([]byte, error) { return nil, crash })
		for m := range e.Methods {
			e.Methods[m] = failing{crash}
		}
		e.Crashed = func(err error) bool { return crashes && errors.Is(err, crash) }
		c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), e}}
		want := agree.Right
		if crashes {
			want = agree.Wrong
		}
		for _, in := range corpus(t) {
			if in.Known.Refuse == "must" {
				if row := add(t, c, &in); verdictOf(row, "planted") != want {
					t.Errorf("%s: %+v", in.Name, row)
				}
			}
		}
	}
}

type failing struct{ err error }

func (e failing) Canonicalize(context.Context, []byte, canon.Options) (*canon.Form, error) {
	return nil, e.err
}

// An engine that cannot go on where data are lost is asked without that option.
func TestStrictEngine(t *testing.T) {
	e := plant(t, func(_, text []byte) ([]byte, error) { return text, nil })
	for m, c := range e.Methods {
		e.Methods[m] = strict{c}
	}
	c := &agree.Comparer{Engines: []agree.Engine{bare(t, canon.Native), e}}
	for _, in := range corpus(t) {
		row := add(t, c, &in)
		if verdictOf(row, "planted") != agree.Right && (in.Known.Refuse == "may" || row.Agree()) {
			t.Errorf("%s: %+v", in.Name, row.Groups)
		}
	}
}

type strict struct{ of canon.Canonicalizer }

func (e strict) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if opt.Lossy {
		return nil, &canon.UnsupportedError{Engine: "strict", What: "losses"}
	}
	return e.of.Canonicalize(ctx, doc, opt)
}
