package agree

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/canon/phase"
	"canonscope/canon/rdf"
)

// Difference is how the answer of one group differs from that of another.
type Difference struct {
	A     string `json:"a"` // first engine of each group
	B     string `json:"b"`
	Place string `json:"place,omitempty"` // as in "line 3" or "byte 17" of the form of A
	AHas  string `json:"a_has,omitempty"` // the quad or bytes there; empty if A has nothing there
	BHas  string `json:"b_has,omitempty"`
	Phase string `json:"phase"`          // that made the difference
	Fact  string `json:"fact,omitempty"` // the known kind of difference
	Step  string `json:"step,omitempty"` // of the specification that decides it
}

// differences compares each group that answers with the right one, or else with the first.
func (r *Row) differences(ctx context.Context, c *Comparer, in *Input) {
	var base *Group
	for i := range r.Groups {
		if g := &r.Groups[i]; g.answers() && (base == nil || base.Verdict != Right && g.Verdict == Right) {
			base = g
		}
	}
	for i := range r.Groups {
		if g := &r.Groups[i]; g != base && g.answers() {
			r.Differences = append(r.Differences, c.difference(ctx, in, base, g, len(r.Undetermined) > 0))
		}
	}
}

func (c *Comparer) difference(ctx context.Context, in *Input, a, b *Group, open bool) Difference {
	d := Difference{A: a.Engines[0], B: b.Engines[0]}
	p := &pair{in: in, a: a, b: b, open: open}
	switch {
	case a.Outcome != Form || b.Outcome != Form:
		refuses := a
		if b.Outcome != Form {
			refuses = b
		}
		d.Phase = c.refusal(ctx, in, refuses)
	case in.Method == canon.JCS:
		d.Phase = phase.JCS.String()
		d.Place, d.AHas, d.BHas = firstByte(a.text, b.text)
	default:
		p.read()
		d.Phase = c.phase(ctx, p)
		d.Place, d.AHas, d.BHas = p.firstLine()
	}
	if f := factOf(p, d.Phase); f != nil {
		d.Fact, d.Step = f.name, f.step
	}
	return d
}

// pair is two answers to one input, with what their lines say.
type pair struct {
	in   *Input
	a, b *Group
	open bool // RDFC-1.0 leaves labels open

	linesA, linesB [][]byte
	onlyA, onlyB   [][]byte // lines of one form alone
	readA, readB   [][]byte // sorted statements with one label for all blank nodes; nil if not N-Quads
}

func (p *pair) read() {
	p.linesA, p.linesB = slices.Collect(bytes.Lines(p.a.text)), slices.Collect(bytes.Lines(p.b.text))
	p.onlyA, p.onlyB = missing(p.linesA, p.linesB), missing(p.linesB, p.linesA)
	p.readA, p.readB = rdf.Unlabelled(p.a.text), rdf.Unlabelled(p.b.text)
}

// missing returns the lines that others do not have.
func missing(lines, others [][]byte) (only [][]byte) {
	known := make(map[string]bool, len(others))
	for _, l := range others {
		known[string(l)] = true
	}
	for _, l := range lines {
		if !known[string(l)] {
			only = append(only, l)
		}
	}
	return only
}

// firstLine returns the first line of each form that the other does not have, or the first that differs if
// they have the same lines.
func (p *pair) firstLine() (place, a, b string) {
	at := 0
	for at < min(len(p.linesA), len(p.linesB)) && bytes.Equal(p.linesA[at], p.linesB[at]) {
		at++
	}
	line := func(only, lines [][]byte) string {
		switch {
		case len(only) > 0:
			return string(bytes.TrimSuffix(only[0], []byte("\n")))
		case len(p.onlyA)+len(p.onlyB) == 0 && at < len(lines):
			return string(bytes.TrimSuffix(lines[at], []byte("\n")))
		}
		return ""
	}
	return "line " + strconv.Itoa(at+1), line(p.onlyA, p.linesA), line(p.onlyB, p.linesB)
}

// shown is how many bytes of JSON are shown on each side of a difference.
const shown = 12

// firstByte returns the text around the first byte that differs.
func firstByte(a, b []byte) (place, hasA, hasB string) {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	around := func(text []byte) string {
		from, to := max(0, at-shown), min(len(text), at+shown)
		for from > 0 && !utf8.RuneStart(text[from]) {
			from--
		}
		for to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
		return string(text[from:max(from, to)])
	}
	return "byte " + strconv.Itoa(at), around(a), around(b)
}

// jsonldPhases is the phase of a difference if an engine shows no expanded form.
const jsonldPhases = "expand or to-rdf"

// phase finds the phase that made two forms differ.
func (c *Comparer) phase(ctx context.Context, p *pair) string {
	sameStatements := p.readA != nil && slices.EqualFunc(p.readA, p.readB, bytes.Equal)
	switch {
	case sameStatements && len(p.onlyA)+len(p.onlyB) == 0: // their order, or their number
		return phase.Serialize.String()
	case sameStatements:
		if same := slices.EqualFunc(oneLabel(p.linesA), oneLabel(p.linesB), bytes.Equal); !same {
			return phase.Serialize.String() // how terms are written
		}
		return phase.Label.String()
	case p.readA != nil && p.readB != nil && slices.EqualFunc(
		slices.CompactFunc(slices.Clone(p.readA), bytes.Equal),
		slices.CompactFunc(slices.Clone(p.readB), bytes.Equal), bytes.Equal) && repeats(p.linesA, p.linesB):
		return phase.Serialize.String() // a line is repeated
	case p.in.Syntax == canon.NQuads:
		return phase.Parse.String()
	}

	a, errA := c.expand(ctx, p.a.Engines[0], p.in)
	b, errB := c.expand(ctx, p.b.Engines[0], p.in)
	if errA != nil || errB != nil {
		return jsonldPhases
	}
	if bytes.Equal(c.canonical(ctx, a), c.canonical(ctx, b)) {
		return phase.ToRDF.String()
	}
	return phase.Expand.String()
}

// repeats reports whether one form has a line twice.
func repeats(forms ...[][]byte) bool {
	return slices.ContainsFunc(forms, func(lines [][]byte) bool {
		for i := range lines {
			if i > 0 && bytes.Equal(lines[i], lines[i-1]) {
				return true
			}
		}
		return false
	})
}

// oneLabel returns sorted lines with one canonical label for all.
func oneLabel(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = labels.ReplaceAll(l, []byte("_:c14n"))
	}
	slices.SortFunc(out, bytes.Compare)
	return out
}

// refusal finds the phase in which an engine refuses an input.
func (c *Comparer) refusal(ctx context.Context, in *Input, g *Group) string {
	var syntax *canon.SyntaxError
	switch {
	case in.Method == canon.JCS:
		return phase.JCS.String()
	case in.Syntax == canon.NQuads, errors.As(g.err, &syntax):
		return phase.Parse.String()
	}
	engine := g.Engines[0]
	if _, err := c.expand(ctx, engine, in); err == errNoSteps {
		return jsonldPhases
	} else if err != nil {
		return phase.Expand.String()
	}
	return phase.ToRDF.String()
}

var errNoSteps = errors.New("the engine shows no expanded form")

// expand returns the expanded form that an engine makes of a JSON-LD input.
func (c *Comparer) expand(ctx context.Context, engine string, in *Input) ([]byte, error) {
	i := slices.IndexFunc(c.Engines, func(e Engine) bool { return e.Name == engine })
	switch e := c.Engines[i].Methods[in.Method].(type) {
	case canon.Expander:
		return e.Expand(ctx, in.Doc, c.options(in))
	case canon.Datasets[jsonld.Options, *rdf.Dataset]: // the native engine
		return c.native().Expand(ctx, in.Doc, jsonld.Options{Lossy: true, Losses: new([]canon.Loss),
			Limits: c.Limits})
	}
	return nil, errNoSteps
}

func (c *Comparer) native() *jsonld.Processor { return jsonld.New(jsonld.Config{Loader: c.Loader}) }

// canonical returns the canonical form of an expanded document by the native engine, or the document if
// there is none.
func (c *Comparer) canonical(ctx context.Context, expanded []byte) []byte {
	engine, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: c.Loader})
	if err != nil {
		return expanded
	}
	form, err := engine.Canonicalize(ctx, expanded, canon.Options{Lossy: true, Limits: c.Limits})
	if err != nil {
		return expanded
	}
	return form.Text
}

// undetermined returns the blank nodes whose labels RDFC-1.0 leaves open.
func (c *Comparer) undetermined(ctx context.Context, in *Input) []string {
	open, err := engines.Undetermined(ctx, in.Doc, c.options(in), c.Loader)
	if err != nil {
		return nil // an input that is refused, or takes too much work
	}
	return open
}
