//phase:caller
package jsonld

import (
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Origin is the source of a quad, as node indexes of the document's tape.
type Origin struct {
	Node  uint32 // the object that makes the statement
	Value uint32 // the value, the entry of @type, or the element of a list
	Type  bool   // the predicate is rdf:type
}

// Mention is a place of the document that names or makes a blank node: its object, the element whose list
// cell it is, a string with its label.
type Mention struct {
	Term rdf.TermID
	Node uint32
}

// Entered is one use of a scoped context: the term that has it, and the value, type or key under it.
type Entered struct {
	Term string
	Node uint32
}

// Origins holds the origin of each quad of a dataset, and the document's tape.
type Origins struct {
	Quads  []Origin  // parallel to Dataset.Quads
	Blanks []Mention // in the order of the document, except of labels; a label may have several
	Tape   jsontape.Tape
}

func (o *Origins) reset(t *jsontape.Tape) {
	o.Quads, o.Blanks = o.Quads[:0], o.Blanks[:0]
	o.Tape.Src = t.Src
	o.Tape.Nodes = append(o.Tape.Nodes[:0], t.Nodes...)
}

// Pointer returns the JSON pointer of the value that quad i comes from.
func (o *Origins) Pointer(i int) string { return o.Tape.Pointer(int(o.Quads[i].Value)) }
