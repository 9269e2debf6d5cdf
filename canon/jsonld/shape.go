package jsonld

import (
	"bytes"
	"cmp"
	"slices"

	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// shaper compiles a shape. What it does not know about needs the algorithms, and the document is not plain.
//
//phase:context
type shaper struct {
	*run
	s      *shape
	groups [][]shapeStatement // by subject
	blanks int
}

// shapeOf compiles the shape of the document. Where it is not plain, the shape has its structure alone.
func (r *run) shapeOf(root *activeContext) (s *shape, plain bool) {
	nodes := r.tape.Nodes
	b := shaper{run: r, s: &shape{nodes: make([]shapeNode, len(nodes))}}
	for i, n := range nodes {
		b.s.nodes[i] = shapeNode{n.Next, n.Hash, n.Kind}
	}
	if r.top != 0 {
		b.s.context = [2]uint32{r.top, nodes[r.top].Next}
	}
	if nodes[0].Kind == jsontape.Object {
		_, plain = b.node(root, nil, 0)
	}
	if !plain || b.blanks > 1 || !b.finish() {
		return &shape{nodes: b.s.nodes, context: b.s.context}, false
	}
	return b.s, true
}

// node compiles a node object under a property with definition t, by the steps of [run.object], and returns the number of
// its subject.
func (b *shaper) node(ctx *activeContext, t *term, node uint32) (int, bool) {
	if ctx.previous != nil && b.rollsBack(ctx, node) { // 7
		ctx = ctx.previous
	}
	var err error
	if t != nil && t.scoped != nil { // 8
		if ctx, err = b.derive(ctx, t.scoped, byProperty, node); err != nil {
			return 0, false
		}
	}
	typed := ctx // 10
	typeKey := uint32(0)
	from := len(b.types) // 11
	b.typeKeys(ctx, node)
	switch keys := b.types[from:]; len(keys) {
	case 0:
	case 1:
		typeKey = keys[0]
	default:
		return 0, false
	}
	b.types = b.types[:from]
	if typeKey != 0 {
		if ctx, err = b.typeScoped(ctx, typed, typeKey+1); err != nil {
			return 0, false
		}
		if d := b.termOf(ctx, typeKey); d == nil || d.kw != kwType { // its types would not be looked at
			return 0, false
		}
	}
	i := len(b.s.subjects)
	b.s.subjects = append(b.s.subjects, shapeSubject{blank: true})
	b.groups = append(b.groups, nil)
	nodes := b.tape.Nodes
	for k := node + 1; k < nodes[node].Next; k = nodes[k+1].Next { // 13
		d := b.termOf(ctx, k)
		switch {
		case d == nil || d.kw == kwType && k != typeKey:
			return 0, false
		case d.kw == kwContext && node == 0: // 9
			continue
		case !b.member(i, typed, ctx, d, k):
			return 0, false
		}
	}
	if b.s.subjects[i].blank {
		b.blanks++
	}
	return i, true
}

// member compiles one entry of node i.
func (b *shaper) member(i int, typed, ctx *activeContext, d *term, k uint32) bool {
	v := k + 1
	b.s.keys = append(b.s.keys, shapeText{k, d.name})
	switch d.kw {
	case kwNone:
		return b.property(i, ctx, d, k)
	case kwID:
		if b.kind(v) != jsontape.String || !b.s.subjects[i].blank {
			return false
		}
		b.s.subjects[i].blank = false
		b.s.values = append(b.s.values, shapeValue{v, asID, i, ctx})
		return true
	case kwType:
		if b.kind(v) != jsontape.Array {
			return b.typ(i, typed, v)
		}
		for n := range b.tape.Elements(int(v)) {
			if !b.typ(i, typed, uint32(n)) {
				return false
			}
		}
		return true
	}
	return false
}

// typ compiles one type of node i.
func (b *shaper) typ(i int, typed *activeContext, v uint32) bool {
	if b.kind(v) != jsontape.String {
		return false
	}
	text := b.text(v)
	id, kw := b.expandIRI(typed, text, true, true)
	if kw != kwNone || id == 0 || b.refs[id].form != absolute || !b.room(len(text)) {
		return false
	}
	b.s.types = append(b.s.types, shapeText{v, string(text)})
	return b.state(i, rdfType, b.refs[id].nq, 0, nil)
}

// property compiles a property of node i.
func (b *shaper) property(i int, ctx *activeContext, d *term, k uint32) bool {
	if d.iri == nil || d.iri.form != absolute || d.container&^inSet != 0 || d.reverse || d.coercion == toJSON {
		return false
	}
	p := d.iri
	value := shapeValue{node: k + 1, ctx: ctx}
	switch b.kind(value.node) {
	case jsontape.Object:
		child, ok := b.node(ctx, d, value.node)
		return ok && b.state(i, p, nil, child, nil)
	case jsontape.String:
	default:
		return false
	}
	if d.scoped != nil {
		var err error
		if value.ctx, err = b.derive(ctx, d.scoped, byProperty, value.node); err != nil {
			return false
		}
		if d = b.termOf(value.ctx, k); d == nil {
			return false
		}
	}
	var datatype []byte
	switch d.coercion {
	case toID:
		value.as = asID
	case toVocab:
		value.as = asVocab
	case toDatatype:
		if d.datatype.form != absolute || d.datatype.text == xsdBooleanText { // a text is a loss
			return false
		}
		if d.datatype.text != rdf.XSDString {
			datatype = d.datatype.nq
		}
	case toNothing, toNone:
		if value.ctx.lang != "" || value.ctx.dir != noDirection || d.hasLang == set || d.hasDir == set {
			return false
		}
	default:
		return false
	}
	value.term = -1 - len(b.s.values) // its place is known when all subjects are
	b.s.values = append(b.s.values, value)
	return b.state(i, p, nil, value.term, datatype)
}

// room says whether n more bytes of text fit into the shape.
func (b *shaper) room(n int) bool {
	b.s.size += n
	return b.s.size <= maxShapeText
}

// state adds a statement about subject i.
func (b *shaper) state(i int, p *iri, object []byte, term int, datatype []byte) bool {
	if !b.room(len(p.nq) + len(object) + len(datatype) + len("  ^^ .\n")) {
		return false
	}
	st := shapeStatement{object: slices.Clone(object), term: term}
	st.predicate = append(append(append(st.predicate, ' '), p.nq...), ' ')
	if datatype != nil {
		st.end = append(append(st.end, "^^"...), datatype...)
	}
	st.end = append(st.end, " .\n"...)
	b.groups[i] = append(b.groups[i], st)
	return true
}

// finish puts the statements in order and gives the terms their places. It is false where the order depends on the document.
func (b *shaper) finish() bool {
	s := b.s
	s.terms = len(s.subjects)
	places := map[int]int{}
	for i := range s.values {
		if v := &s.values[i]; v.term < 0 {
			places[v.term] = s.terms
			v.term = s.terms
			s.terms++
		}
	}
	for i, group := range b.groups {
		slices.SortFunc(group, func(x, y shapeStatement) int {
			return cmp.Or(bytes.Compare(x.predicate, y.predicate), bytes.Compare(x.object, y.object))
		})
		s.subjects[i].from = len(s.statements)
		for k, st := range group {
			if k > 0 && bytes.Equal(st.predicate, group[k-1].predicate) &&
				(st.object == nil || group[k-1].object == nil || bytes.Equal(st.object, group[k-1].object)) {
				return false // the objects decide the order, or are the same
			}
			if st.term < 0 {
				st.term = places[st.term]
			}
			s.statements = append(s.statements, st)
		}
		s.subjects[i].to = len(s.statements)
	}
	return len(s.statements) > 0
}
