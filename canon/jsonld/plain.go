package jsonld

import (
	"bytes"
	"slices"
	"unsafe"

	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Plain is the canonical form of a plain document: node objects in one another whose properties have one string or one
// node each, and of which at most one has no id. RDFC-1.0 has nothing to decide there but the order of the lines: the blank
// node is c14n0 (section 4.4.3). Documents of one origin repeat their keys and types, so how these read in a context is
// compiled once, as a shape, and kept with the context. Of what documents say, ids and literals, nothing is kept.
type Plain struct {
	Text  []byte // canonical N-Quads are appended to it
	Lines int    // 0 if the document was read as a dataset
}

// shape is how documents with certain keys and types in a certain structure read in one root context. It never changes.
//
//phase:expand+to-rdf
type shape struct {
	nodes      []shapeNode // of the tape
	context    [2]uint32   // nodes of the value of @context, which is that of the root context
	types      []shapeText
	keys       []shapeText
	values     []shapeValue
	subjects   []shapeSubject
	statements []shapeStatement // subject by subject
	terms      int              // places for the terms of a document: first the subjects, then the other objects
	size       int              // bytes of its own text
}

type shapeNode struct {
	next uint32
	hash uint16
	kind jsontape.Kind
}

// shapeText is what a key or a type must be.
type shapeText struct {
	node uint32
	text string
}

// shapeValue says how a string reads.
type shapeValue struct {
	node uint32
	as   reading
	term int // place
	ctx  *activeContext
}

type reading uint8

const (
	asLiteral reading = iota // the literal, but for its datatype
	asID                     // an IRI relative to the document
	asVocab                  // an IRI relative to the vocabulary
)

type shapeSubject struct {
	blank    bool
	from, to int // its statements
}

// shapeStatement is a statement without its subject.
type shapeStatement struct {
	predicate []byte // between spaces
	object    []byte // of a type; nil for the term at place
	term      int
	end       []byte // datatype and end of the line
}

// shapes is what a root context keeps. A snapshot is never written to.
type shapes struct {
	plain  []*shape
	others []*shape // structures of documents that are not plain, which need no second look
	looks  int      // documents that were looked at
}

var noShapes shapes

// Bounds of what a root context keeps. Documents beyond them are read as datasets.
const (
	maxPlain      = 16
	maxOthers     = 8
	maxLooks      = 64
	maxShapeNodes = 256
	maxShapeText  = 32 << 10
)

var onlyBlank = []byte("_:c14n0")

// plain fills p; false if the document has to be read as a dataset.
//
//phase:expand+to-rdf
func (r *run) plain(root *activeContext, p *Plain) bool {
	p.Lines = 0
	if r.opt.Origins != nil || r.p.state != Warm || !root.family.kept.Load() || len(r.tape.Nodes) > maxShapeNodes {
		return false
	}
	if r.own == root.family { // this document has brought the context, which may not come again
		return false
	}
	known := root.shapes.Load()
	if known == nil {
		known = &noShapes
	}
	for _, s := range known.plain {
		if s.context[0] == r.top && s.fits(r.tape.Nodes) && r.says(s.types) && r.says(s.keys) {
			return r.readPlain(s) && r.writePlain(s, p)
		}
	}
	for _, s := range known.others {
		if s.context[0] == r.top && s.fits(r.tape.Nodes) {
			return false
		}
	}
	s := r.learn(root, known)
	return s != nil && r.readPlain(s) && r.writePlain(s, p)
}

// fits says whether nodes have the structure of the shape.
func (s *shape) fits(nodes []jsontape.Node) bool {
	if len(nodes) != len(s.nodes) {
		return false
	}
	return s.fit(nodes, 0, s.context[0]) && s.fit(nodes, s.context[1], uint32(len(nodes)))
}

func (s *shape) fit(nodes []jsontape.Node, from, to uint32) bool {
	for i := from; i < to; i++ {
		n, want := &nodes[i], &s.nodes[i]
		if n.Next != want.next || n.Kind != want.kind || n.Hash != want.hash {
			return false
		}
	}
	return true
}

// says says whether the document has these texts.
//
//phase:expand+to-rdf
func (r *run) says(texts []shapeText) bool {
	for i := range texts {
		if t := &texts[i]; !r.tape.TextIs(int(t.node), t.text) {
			return false
		}
	}
	return true
}

// readPlain finds the terms of a document of shape s. It is false where a string is not an IRI and one is asked for.
//
//phase:expand+to-rdf
func (r *run) readPlain(s *shape) bool {
	r.plainTerms = slices.Grow(r.plainTerms[:0], s.terms)[:s.terms]
	for i := range s.values {
		v := &s.values[i]
		var term []byte
		if v.as == asLiteral {
			term = r.plainLiteral(v.node)
		} else if term = r.plainIRI(v, r.text(v.node)); term == nil {
			return false
		}
		r.plainTerms[v.term] = term
	}
	for i := range s.subjects {
		if s.subjects[i].blank {
			r.plainTerms[i] = onlyBlank
		}
	}
	return true
}

// plainLiteral returns the quoted text of a string.
//
//phase:expand+to-rdf
func (r *run) plainLiteral(node uint32) []byte {
	raw := r.tape.Raw(int(node))
	if !r.tape.Nodes[node].Escaped && bytes.IndexByte(raw, 0x7F) < 0 && bytes.IndexByte(raw, 0xEF) < 0 {
		return raw // JSON and N-Quads write it alike
	}
	from := len(r.buf)
	r.buf = rdf.AppendString(r.buf, r.text(node))
	return r.buf[from:len(r.buf):len(r.buf)]
}

// plainIRI returns the IRI that IRI Expansion makes of text in brackets, nil where that is not an IRI.
//
//phase:expand+to-rdf
func (r *run) plainIRI(v *shapeValue, text []byte) []byte {
	if i := bytes.IndexByte(text, ':'); i > 1 && v.as == asID && formOf(text) == absolute &&
		v.ctx.find(text, jsontape.KeyHash(text)) == nil && v.ctx.find(text[:i], jsontape.KeyHash(text[:i])) == nil {
		from := len(r.buf) // neither term nor compact IRI: it stays as it is
		r.buf = append(append(append(r.buf, '<'), text...), '>')
		return r.buf[from:len(r.buf):len(r.buf)]
	}
	id, kw := r.expandIRI(v.ctx, text, true, v.as == asVocab)
	if kw != kwNone || id == 0 || r.refs[id].form != absolute {
		return nil
	}
	return r.refs[id].nq
}

// writePlain appends the lines of a document whose terms are known. It is false where two nodes have the same id, so that
// their statements mingle, and where the text grows too much.
//
//phase:serialize
func (r *run) writePlain(s *shape, p *Plain) bool {
	r.plainOrder = r.plainOrder[:0]
	for i := range s.subjects {
		if s.subjects[i].from == s.subjects[i].to {
			continue
		}
		r.plainOrder = append(r.plainOrder, i)
		for j := len(r.plainOrder) - 1; j > 0; j-- {
			a, b := r.plainOrder[j-1], r.plainOrder[j]
			c := bytes.Compare(r.plainTerms[a], r.plainTerms[b])
			if c == 0 {
				return false
			}
			if c < 0 {
				break
			}
			r.plainOrder[j-1], r.plainOrder[j] = b, a
		}
	}
	text := p.Text
	limit := len(text) + r.maxText/2
	for _, i := range r.plainOrder {
		id := r.plainTerms[i]
		subject := &s.subjects[i]
		for k := range s.statements[subject.from:subject.to] {
			st := &s.statements[subject.from+k]
			object := st.object
			if object == nil {
				object = r.plainTerms[st.term]
			}
			if len(text)+len(id)+len(st.predicate)+len(object)+len(st.end) > limit {
				return false
			}
			text = append(append(append(append(text, id...), st.predicate...), object...), st.end...)
		}
	}
	p.Text, p.Lines = text, len(s.statements)
	return true
}

// learn compiles the shape of the document and keeps it with the root context; nil where it is not plain.
//
//phase:context
func (r *run) learn(root *activeContext, before *shapes) *shape {
	if before.looks >= maxLooks || len(before.plain) >= maxPlain {
		return nil
	}
	s, plain := r.shapeOf(root)
	after := *before
	after.looks++
	switch {
	case plain:
		after.plain = append(slices.Clip(before.plain), s)
	case len(before.others) < maxOthers:
		after.others = append(slices.Clip(before.others), s)
	}
	if before == &noShapes {
		before = nil
	}
	if root.shapes.CompareAndSwap(before, &after) {
		root.family.add(r.p, s.memory())
	}
	if !plain {
		return nil
	}
	return s
}

// memory estimates the memory of a shape.
func (s *shape) memory() int64 {
	return int64(unsafe.Sizeof(*s)) + int64(len(s.nodes))*int64(unsafe.Sizeof(shapeNode{})) + int64(len(s.types)+len(s.keys))*int64(unsafe.Sizeof(shapeText{})) +
		int64(len(s.values))*int64(unsafe.Sizeof(shapeValue{})) + int64(len(s.subjects))*int64(unsafe.Sizeof(shapeSubject{})) +
		int64(len(s.statements))*int64(unsafe.Sizeof(shapeStatement{})) + int64(s.size)
}
