package jsonld

import (
	"bytes"
	"cmp"
	"slices"
	"unsafe"

	"canonscope/canon/jsontape"
	"canonscope/canon/phase"
	"canonscope/canon/rdf"
)

// Flat holds the statements of a flat document: one blank node whose members are a type and strings, as the options of a
// proof are. How the keys of such a document read in its context is compiled once and kept with the context; of the
// document nothing is kept.
type Flat struct {
	Statements []Statement // in code point order of their predicates, which all differ; they live as long as the dataset
}

// Statement is one statement of the blank node, as terms of canonical N-Quads.
type Statement struct{ Predicate, Object []byte }

// shape is how flat documents with the same keys and the same type read in one root context.
type shape struct {
	keys    []shapeKey // as the document has them, without @context
	longest int        // of the predicates and of what stands behind the literals
}

type shapeKey struct {
	name      string
	hash      uint16 // jsontape.KeyHash(name)
	reads     reading
	place     int    // of the statement
	predicate []byte // N-Quads
	end       []byte // of a literal: ^^ and its datatype, or nothing
	text      string // of the type, as the document has it
	object    []byte // the type
	ctx       *activeContext
}

// reading says what the string of a key is.
type reading uint8

const (
	asLiteral reading = iota
	asID              // IRI relative to the document
	asVocab           // IRI relative to the vocabulary
	asType
)

// Bounds of what a context keeps: documents beyond them are read the long way.
const (
	maxShapes    = 8
	maxShapeKeys = 32
)

// flat fills f if the document is flat in a context that is kept, and else leaves it empty.
func (r *run) flat(root *activeContext, f *Flat) bool {
	f.Statements = f.Statements[:0]
	if r.p.state != Warm || !root.family.kept.Load() || !r.looksFlat() {
		return false
	}
	shapes := root.shapes.Load()
	if shapes != nil {
		for _, s := range *shapes {
			if r.fillFlat(s, f) {
				return true
			}
		}
		if len(*shapes) >= maxShapes {
			return false
		}
	}
	s := r.shapeOf(root)
	if s == nil || !r.fillFlat(s, f) {
		return false
	}
	var after []*shape
	if shapes != nil {
		after = slices.Clone(*shapes)
	}
	after = append(after, s)
	if root.shapes.CompareAndSwap(shapes, &after) {
		root.family.add(r.p, int64(len(s.keys))*(int64(unsafe.Sizeof(shapeKey{}))+64))
	}
	return true
}

// looksFlat says whether the document is an object of strings besides @context.
func (r *run) looksFlat() bool {
	nodes := r.tape.Nodes
	if nodes[0].Kind != jsontape.Object {
		return false
	}
	members := 0
	for k := uint32(1); k < nodes[0].Next; k = nodes[k+1].Next {
		switch {
		case nodes[k+1].Kind == jsontape.String && !nodes[k].Escaped:
			members++
		case nodes[k].Hash != contextHash || !r.tape.TextIs(int(k), "@context"):
			return false
		}
	}
	return 0 < members && members <= maxShapeKeys
}

// shapeOf compiles the shape of the document, or returns nil where it has anything that needs the algorithms.
func (r *run) shapeOf(root *activeContext) *shape {
	if root.previous != nil {
		return nil
	}
	nodes := r.tape.Nodes
	ctx := root
	from := len(r.types)
	r.typeKeys(root, 0)
	for _, k := range r.types[from:] {
		var err error
		if ctx, err = r.typeScoped(ctx, root, k+1); err != nil {
			return nil
		}
	}
	types := len(r.types) - from
	r.types = r.types[:from]
	if types > 1 {
		return nil
	}
	s := &shape{}
	for k := uint32(1); k < nodes[0].Next; k = nodes[k+1].Next {
		t := r.termOf(ctx, k)
		switch {
		case t == nil:
			return nil
		case t.kw == kwContext:
			continue
		}
		m, ok := r.shapeKey(root, ctx, t, k)
		if !ok || m.reads == asType && types == 0 {
			return nil
		}
		s.longest = max(s.longest, len(m.predicate), len(m.end), len(m.object))
		s.keys = append(s.keys, m)
	}
	order := make([]int, len(s.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(string(s.keys[a].predicate), string(s.keys[b].predicate))
	})
	for place, i := range order {
		if place > 0 && string(s.keys[i].predicate) == string(s.keys[order[place-1]].predicate) {
			return nil // the objects would decide the order
		}
		s.keys[i].place = place
	}
	return s
}

// shapeKey says how the string at a key with definition t reads; false where that needs the algorithms.
func (r *run) shapeKey(root, ctx *activeContext, t *term, k uint32) (shapeKey, bool) {
	m := shapeKey{name: string(r.text(k)), hash: r.tape.Nodes[k].Hash, ctx: ctx}
	if t.kw == kwType {
		id, _ := r.expandIRI(root, r.text(k+1), true, true)
		if id == 0 || r.refs[id].form != absolute {
			return m, false
		}
		m.reads, m.text, m.predicate = asType, string(r.text(k+1)), rdfType.nq
		m.object = slices.Clone(r.refs[id].nq)
		return m, true
	}
	if t.kw != kwNone || t.iri == nil || t.iri.form != absolute || t.container&^inSet != 0 || t.reverse {
		return m, false
	}
	m.predicate = t.iri.nq
	if t.scoped != nil {
		var err error
		if m.ctx, err = r.derive(ctx, t.scoped, byProperty, k+1); err != nil {
			return m, false
		}
		if t = r.termOf(m.ctx, k); t == nil {
			return m, false
		}
	}
	switch t.coercion {
	case toID:
		m.reads = asID
	case toVocab:
		m.reads = asVocab
	case toDatatype:
		if t.datatype.form != absolute {
			return m, false
		}
		if t.datatype.text != rdf.XSDString {
			m.end = append([]byte("^^"), t.datatype.nq...)
		}
	case toNothing, toNone:
		if m.ctx.lang != "" || m.ctx.dir != noDirection || t.hasLang == set || t.hasDir == set {
			return m, false
		}
	default:
		return m, false
	}
	return m, true
}

// fillFlat reads the document as s says; false if it has other keys, another type, or a string that is no IRI where one is
// asked for.
func (r *run) fillFlat(s *shape, f *Flat) bool {
	nodes, src := r.tape.Nodes, r.tape.Src
	from := len(r.buf)
	f.Statements = slices.Grow(f.Statements[:0], len(s.keys))[:len(s.keys)]
	i, longest := 0, s.longest
	for k := uint32(1); k < nodes[0].Next; k = nodes[k+1].Next {
		n := &nodes[k]
		if n.Hash == contextHash && r.tape.TextIs(int(k), "@context") {
			continue
		}
		if i == len(s.keys) {
			return r.notFlat(f, from)
		}
		m := &s.keys[i]
		if i++; n.Hash != m.hash || string(src[n.Start+1:n.End-1]) != m.name {
			return r.notFlat(f, from)
		}
		object := m.object
		switch m.reads {
		case asType:
			if !r.tape.TextIs(int(k+1), m.text) {
				return r.notFlat(f, from)
			}
		case asLiteral:
			start := len(r.buf)
			r.buf = append(rdf.AppendString(r.buf, r.text(k+1)), m.end...)
			object = r.buf[start:len(r.buf):len(r.buf)]
		default:
			if object = r.flatIRI(m, r.text(k+1)); object == nil {
				return r.notFlat(f, from)
			}
		}
		longest = max(longest, len(object))
		at := &f.Statements[m.place]
		at.Predicate, at.Object = m.predicate, object
	}
	if i < len(s.keys) || len(r.buf) > r.maxText() || 4*longest*len(s.keys) >= r.maxText() { // let the long way find out
		return r.notFlat(f, from)
	}
	r.charge(phase.Expand, len(src))
	return true
}

// flatIRI returns the IRI that IRI Expansion makes of text in brackets, nil where it is something else.
func (r *run) flatIRI(m *shapeKey, text []byte) []byte {
	if i := bytes.IndexByte(text, ':'); i > 1 && m.reads == asID && formOf(text) == absolute &&
		m.ctx.find(text, jsontape.KeyHash(text)) == nil && m.ctx.find(text[:i], jsontape.KeyHash(text[:i])) == nil {
		start := len(r.buf) // neither term nor compact IRI: it stays as it is, and needs no ref
		r.buf = append(append(append(r.buf, '<'), text...), '>')
		return r.buf[start:len(r.buf):len(r.buf)]
	}
	id, kw := r.expandIRI(m.ctx, text, true, m.reads == asVocab)
	if kw != kwNone || id == 0 || r.refs[id].form != absolute {
		return nil
	}
	return r.refs[id].nq
}

// notFlat takes back what fillFlat has done.
func (r *run) notFlat(f *Flat, from int) bool {
	f.Statements = f.Statements[:0]
	r.buf = r.buf[:from]
	r.resetItems()
	return false
}
