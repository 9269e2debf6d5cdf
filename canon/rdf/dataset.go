// Package rdf holds RDF datasets in a compact form, reads N-Quads and writes canonical N-Quads (RDFC-1.0 section 5).
//
// A [Dataset] keeps each term once as the bytes of its canonical N-Quads form and each quad as four term numbers. Start
// with [Dataset.Intern] and [Dataset.Add], or with the N-Quads reader.
package rdf

// Kind says what a term is.
type Kind uint8

const (
	Default Kind = iota // the default graph; only as a graph name
	IRI
	Blank
	Literal
)

// TermID numbers a term of one Dataset. 0 is the default graph.
type TermID uint32

// Term is one RDF term as canonical N-Quads: `<iri>`, `_:label`, `"text"`, `"text"@tag`, `"text"^^<iri>`.
type Term struct {
	Text []byte
	Kind Kind
}

// Quad is one statement; G is 0 in the default graph.
type Quad struct {
	S, P, O, G TermID
}

// Dataset is a list of quads over a table of terms. A blank node has exactly one TermID; an IRI or a literal may stand
// under several (producers that already share terms need not intern them again), and quads may repeat: canonicalization
// removes duplicates by text.
type Dataset struct {
	Terms []Term // Terms[0] is the default graph
	Quads []Quad

	arena []byte
	index map[string]TermID
}

// Reset empties d and keeps its memory.
func (d *Dataset) Reset() {
	d.Terms = append(d.Terms[:0], Term{})
	d.Quads = d.Quads[:0]
	d.arena = d.arena[:0]
	clear(d.index)
}

// Append adds a term without looking for an equal one. It keeps text, which must not change while d is in use.
func (d *Dataset) Append(kind Kind, text []byte) TermID {
	if len(d.Terms) == 0 {
		d.Terms = append(d.Terms, Term{})
	}
	d.Terms = append(d.Terms, Term{Text: text, Kind: kind})
	return TermID(len(d.Terms) - 1)
}

// Intern returns the number of the term with this text, adding a copy of it if it is new.
func (d *Dataset) Intern(kind Kind, text []byte) TermID {
	if id, ok := d.index[string(text)]; ok {
		return id
	}
	if d.index == nil {
		d.index = map[string]TermID{}
	}
	id := d.Append(kind, append([]byte(nil), text...))
	d.index[string(text)] = id
	return id
}

// Add appends a quad.
func (d *Dataset) Add(s, p, o, g TermID) {
	d.Quads = append(d.Quads, Quad{s, p, o, g})
}
