package agree

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"canonscope/canon"
	"canonscope/canon/phase"
	"canonscope/canon/rdf"
)

// fact is a kind of difference that is known, and the step of a specification that decides it.
type fact struct {
	name  string
	step  string
	phase string // "" means any
	is    func(p *pair) bool
}

var (
	labels   = regexp.MustCompile(`_:c14n[0-9]*`)
	controls = regexp.MustCompile("[\x00-\x1f\x7f\uFFFE\uFFFF]")
	iri      = regexp.MustCompile(`<[^<>"]*>`)
	percent  = regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f])`)

	// oddURL matches URLs that libraries with a pattern for URLs do not accept: those of 2083 bytes, those
	// with a host that is empty or begins with a hyphen, and those of a scheme alone.
	oddURL = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<(https?:(//[-/]|[^/]|.{1000}.{1000}.{77})|[^:]*:>)`)
	})
)

const (
	jsonDatatype = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>"
	xsdDouble    = "<http://www.w3.org/2001/XMLSchema#double>"
	xsdInteger   = "<http://www.w3.org/2001/XMLSchema#integer>"
)

// factOf returns the first fact that describes a difference, or nil.
func factOf(p *pair, made string) *fact {
	for i := range facts {
		if f := &facts[i]; (f.phase == "" || f.phase == made) && f.is(p) {
			return f
		}
	}
	return nil
}

// facts are in the order in which they are tried: what decides alone comes first.
var facts = []fact{
	{"undetermined", "RDFC-1.0 section 4.4.3 leaves these labels open", phase.Label.String(),
		func(p *pair) bool { return p.open }},
	{"control-characters", "RDFC-1.0 appendix A: escapes of canonical N-Quads", phase.Serialize.String(),
		func(p *pair) bool { return raw(p.onlyA) != raw(p.onlyB) }},
	{"order", "RDFC-1.0 section 5: lines in code point order", phase.Serialize.String(),
		func(p *pair) bool { return len(p.linesA) == len(p.linesB) && len(p.onlyA)+len(p.onlyB) == 0 }},
	{"repeated-quad", "RDF 1.1 Concepts section 4: a dataset is a set", phase.Serialize.String(),
		func(p *pair) bool { return repeats(p.linesA) != repeats(p.linesB) }},
	{"language-case", "RDF 1.1 Concepts section 3.3: tags may be in lower case", "",
		func(p *pair) bool {
			return p.in.Method == canon.RDFC && tags(p.onlyA) != tags(p.onlyB) &&
				bytes.EqualFold(bytes.Join(p.onlyA, nil), bytes.Join(p.onlyB, nil))
		}},
	{"c14n-labels", "RDFC-1.0 section 4.4.3: every label is issued anew", "",
		func(p *pair) bool {
			return p.in.Syntax == canon.NQuads && bytes.Contains(p.in.Doc, []byte("_:c14n"))
		}},
	{"self-reference", "RDFC-1.0 section 4.4.3 step 2.1: a quad is listed once for a node",
		phase.Label.String(),
		func(p *pair) bool { return slices.ContainsFunc(p.linesA, twice) }},
	{"json-literal", "JSON-LD API section 8.2.2 step 8: canonical JSON", "",
		func(p *pair) bool {
			return !p.leaves() && (has(jsonDatatype, p.onlyA) || has(jsonDatatype, p.onlyB))
		}},
	{"number", "JSON-LD API section 8.2.2 steps 10, 11: integers below 1e21, else doubles", "",
		func(p *pair) bool {
			return has(xsdDouble, p.onlyA) && has(xsdInteger, p.onlyB) ||
				has(xsdInteger, p.onlyA) && has(xsdDouble, p.onlyB)
		}},
	{"relative-iri", "JSON-LD API section 8.1: relative IRIs are dropped", "",
		func(p *pair) bool { return relative(p.onlyA) != relative(p.onlyB) }},
	{"percent", "RFC 3986 section 2.1: two hexadecimal digits follow a percent sign", "",
		func(p *pair) bool { return p.drops(percent) }},
	{"dropped-iri", "RFC 3987: an IRI has no greatest length, any host and perhaps no path", "",
		func(p *pair) bool { return p.drops(oddURL()) }},
	{"graph", "JSON-LD API section 5.1.2 step 13.12: a graph container makes a graph", "",
		func(p *pair) bool { return graphs(p.linesA) != graphs(p.linesB) }},
	{"grammar", "RDF 1.1 N-Quads section 4: the grammar", phase.Parse.String(),
		func(p *pair) bool { return p.in.Syntax == canon.NQuads }},
	{"key-order", "RFC 8785 section 3.2.3: keys in the order of UTF-16", phase.JCS.String(),
		func(p *pair) bool {
			return p.forms() && sameBytes(p.a.text, p.b.text) && !sameStrings(p.a.text, p.b.text)
		}},
	{"json-number", "RFC 8785 section 3.2.2.3: numbers as ECMAScript writes doubles", phase.JCS.String(),
		func(p *pair) bool { return p.forms() && sameStrings(p.a.text, p.b.text) }},
	{"json-string", "RFC 8785 section 3.2.2.2: the least escapes", phase.JCS.String(),
		func(p *pair) bool { return p.forms() }},
	{"i-json", "RFC 8785 section 3.1: I-JSON (RFC 7493) alone", phase.JCS.String(),
		func(p *pair) bool { return !p.forms() }},
}

// forms reports whether both answers are forms.
func (p *pair) forms() bool { return p.a.Outcome == Form && p.b.Outcome == Form }

// raw reports whether a line has a character that canonical N-Quads escapes.
func raw(lines [][]byte) bool {
	return slices.ContainsFunc(lines, func(l []byte) bool {
		return controls.Match(bytes.TrimSuffix(l, []byte("\n")))
	})
}

// tags reports whether a line has a language tag with a capital letter.
func tags(lines [][]byte) bool {
	return slices.ContainsFunc(lines, func(l []byte) bool {
		i := bytes.LastIndex(l, []byte(`"@`))
		return i >= 0 && !bytes.Equal(l[i:], bytes.ToLower(l[i:]))
	})
}

// twice reports whether a canonical line has one blank node in two places.
func twice(line []byte) bool {
	seen := map[string]bool{}
	for _, l := range labels.FindAll(line, -1) {
		if seen[string(l)] {
			return true
		}
		seen[string(l)] = true
	}
	return false
}

func has(text string, lines [][]byte) bool {
	return slices.ContainsFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(text)) })
}

// relative reports whether a line has an IRI without a scheme.
func relative(lines [][]byte) bool {
	return slices.ContainsFunc(lines, func(l []byte) bool {
		return slices.ContainsFunc(iri.FindAll(l, -1), func(i []byte) bool {
			return !rdf.ValidIRI(i[1 : len(i)-1])
		})
	})
}

// drops reports whether one form lacks lines of the other, and these have an IRI of a kind.
func (p *pair) drops(kind *regexp.Regexp) bool {
	lines := p.onlyA
	if len(lines) == 0 {
		lines = p.onlyB
	}
	return p.leaves() && slices.ContainsFunc(lines, func(l []byte) bool {
		return slices.ContainsFunc(iri.FindAll(l, -1), kind.Match)
	})
}

// leaves reports whether one form is the other without some lines.
func (p *pair) leaves() bool { return (len(p.onlyA) == 0) != (len(p.onlyB) == 0) }

// graphs counts the lines with a graph name.
func graphs(lines [][]byte) (n int) {
	for _, l := range lines {
		var d rdf.Dataset
		if d.ParseNQuads(l, canon.Limits{Bytes: len(l)}) == nil && len(d.Quads) > 0 && d.Quads[0].G != 0 {
			n++
		}
	}
	return n
}

// sameBytes reports whether two texts have the same bytes in any order.
func sameBytes(a, b []byte) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return bytes.Equal(a, b)
}

var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// sameStrings reports whether two canonical texts have the same strings, so that their numbers differ.
func sameStrings(a, b []byte) bool {
	return slices.EqualFunc(jsonString.FindAll(a, -1), jsonString.FindAll(b, -1), bytes.Equal)
}
