package jsonld

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jcs"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Vocabulary of the quads that the algorithms make.
const (
	rdfNS    = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xsdNS    = "http://www.w3.org/2001/XMLSchema#"
	i18nBase = "https://www.w3.org/ns/i18n#"

	xsdBooleanText = xsdNS + "boolean"
)

var (
	rdfType      = newIRI(rdfNS + "type")
	rdfFirst     = newIRI(rdfNS + "first")
	rdfRest      = newIRI(rdfNS + "rest")
	rdfNil       = newIRI(rdfNS + "nil")
	rdfValue     = newIRI(rdfNS + "value")
	rdfLanguage  = newIRI(rdfNS + "language")
	rdfDirection = newIRI(rdfNS + "direction")
	rdfJSON      = newIRI(rdfNS + "JSON")
	xsdBoolean   = newIRI(xsdBooleanText)
	xsdInteger   = newIRI(xsdNS + "integer")
	xsdDouble    = newIRI(xsdNS + "double")
)

// nowhere is the graph of data whose graph is dropped; nodes in it may still name other graphs.
const nowhere = ^rdf.TermID(0)

// writer walks the items of a document and writes quads: node map generation and conversion to RDF in one
// (JSON-LD API sections 7.2.2 and 8.1). A dataset is a set, so nodes with one id need no merging; only the
// blank node and the @index of a node are remembered.
//
//phase:to-rdf
type writer struct {
	*run
	blanks uint32
	known  knownTerms

	compounds map[compoundKey]rdf.TermID
}

// knownTerms are the numbers of the vocabulary terms in the dataset, 0 until they occur.
type knownTerms struct{ typ, first, rest, null, value, language, direction rdf.TermID }

func (w *writer) knownTerm(id *rdf.TermID, i *iri) rdf.TermID {
	if *id == 0 {
		*id = w.into.Append(rdf.IRI, i.nq)
	}
	return *id
}

//phase:to-rdf
func (r *run) toRDF(ctx context.Context, doc []byte, opt *Options, into *rdf.Dataset) error {
	if err := r.begin(ctx, doc, opt); err != nil {
		return err
	}

	r.into, r.buf = into, into.Buffer()
	defer func() { into.SetBuffer(r.buf) }()
	if o := opt.Origins; o != nil {
		o.reset(&r.tape)
	}
	root, err := r.root()
	if err != nil {
		return err
	}

	c, unwrap, err := r.expandDocument(root)
	if err != nil {
		return err
	}

	w := writer{run: r}
	into.Quads, into.Terms = slices.Grow(into.Quads, r.size()), slices.Grow(into.Terms, r.size())
	if opt.Scoped != nil {
		*opt.Scoped = r.scoped
	}

	if unwrap {
		err = w.roots(r.items[c.head].first)
	} else {
		err = w.roots(c.head)
	}
	if err != nil {
		return err
	}
	if err := w.bounded(); err != nil {
		return err
	}

	return r.settle()
}

// roots writes the nodes of the top level into the default graph.
func (w *writer) roots(i uint32) error {
	for ; i != 0; i = w.items[i].next {
		if w.items[i].kind == emptyItem {
			continue
		}
		if _, err := w.node(i, 0, true); err != nil {
			return err
		}
	}
	return nil
}

// node writes the statements of a node object and returns its term, 0 if RDF has none for it. A node is
// free if it is not the value of a statement.
func (w *writer) node(i uint32, g rdf.TermID, free bool) (rdf.TermID, error) {
	it := &w.items[i]
	before := len(w.into.Quads)
	var s rdf.TermID
	if it.flags&hasID == 0 {
		s = w.blank()
	} else if s = w.resource(it.id); s == 0 {
		w.loseID(it)
	}
	w.mention(s, it.tape)

	if it.index != 0 {
		if err := w.noteIndex(s, g, it.index); err != nil {
			return 0, err
		}
	}

	items := w.items
	for c := it.first; c != 0; c = items[c].next {
		child := &items[c]
		switch {
		case child.flags&verbatim != 0 && child.role == ofProperty && child.index == 0:
			if w.verbatim(s, g, it.tape, child) { // most of a document
				it.flags |= stated | filled
			}
			continue
		case child.kind == emptyItem:
			continue
		}

		switch child.role {
		case ofType:
			if w.typ(s, g, it.tape, child) {
				it.flags |= stated | filled
			}
		case ofGraph:
			name := s
			if s == 0 {
				name = nowhere
			}
			if child.kind == nodeItem {
				if _, err := w.node(c, name, true); err != nil {
					return 0, err
				}
				if child.flags&filled != 0 {
					it.flags |= stated // as the name of a graph
				}
			} else {
				w.lose(child.tape, "free-floating value")
			}
		case ofIncluded:
			if _, err := w.node(c, g, true); err != nil {
				return 0, err
			}
			it.flags |= child.flags & filled
		default:
			written, err := w.statement(s, g, it.tape, c)
			if err != nil {
				return 0, err
			}
			if written {
				it.flags |= stated | filled
			}
		}
	}

	if free && it.flags&stated == 0 && s != 0 && g != nowhere &&
		(it.flags&hasID != 0 || len(w.into.Quads) == before) {
		w.loseNode(it)
	}

	return s, nil
}

// loseNode records that a node is in no quad, unless an earlier loss in it is the cause.
func (w *writer) loseNode(it *item) {
	for i := range w.losses {
		if n := w.losses[i].node; n >= it.tape && n < w.tape.Nodes[it.tape].Next {
			return
		}
	}
	reason := "node object without a statement"
	if it.flags&hasID != 0 {
		reason = "@id of a node without a statement"
	}
	w.lose(cmp.Or(it.lang, it.tape), reason)
}

// loseID records that a node has no term.
func (w *writer) loseID(it *item) {
	if it.id == 0 {
		return // expansion has recorded it
	}
	w.loseForm(cmp.Or(it.lang, it.tape), it.id, "@id")
}

// typ writes one type of a node and reports whether that made a quad.
func (w *writer) typ(s, g rdf.TermID, node uint32, t *item) bool {
	o := w.resource(t.id)
	if o == 0 {
		if t.id == 0 {
			w.loseNull(t.tape, "@type")
		} else {
			w.loseForm(t.tape, t.id, "type")
		}
		return false
	}
	return w.add(s, w.knownTerm(&w.known.typ, rdfType), o, g, node, t.tape)
}

// verbatim writes a property whose value is a string that the document writes as N-Quads does.
func (w *writer) verbatim(s, g rdf.TermID, node uint32, child *item) bool {
	p := w.predicate(child.prop, child.tape)
	if s == 0 || p == 0 || g == nowhere {
		return false
	}
	return w.add(s, p, w.asItStands(child.tape), g, node, child.tape)
}

// asItStands returns the literal of a string that the document writes as N-Quads does.
func (w *writer) asItStands(node uint32) rdf.TermID {
	text := w.tape.Raw(int(node))
	w.bounds.longest = max(w.bounds.longest, len(text))
	return w.into.Append(rdf.Literal, text)
}

// statement writes one property or reverse property of a node and reports whether that made a quad.
func (w *writer) statement(s, g rdf.TermID, node, c uint32) (bool, error) {
	child := &w.items[c]
	at := child.tape
	p := w.predicate(child.prop, at)
	if child.role == ofReverse {
		o, err := w.node(c, g, false)
		return w.add(o, p, s, g, node, at), err
	}
	o, err := w.object(c, s, p, g, node)
	return w.add(s, p, o, g, node, at), err
}

// add adds a quad if none of its terms is 0, and reports whether it did.
func (w *writer) add(s, p, o, g rdf.TermID, node, value uint32) bool {
	if s == 0 || p == 0 || o == 0 || g == nowhere {
		return false
	}
	w.into.Quads = append(w.into.Quads, rdf.Quad{S: s, P: p, O: o, G: g})
	if w.opt.Origins != nil {
		w.opt.Origins.Quads = append(w.opt.Origins.Quads, Origin{Node: node, Value: value,
			Type: p == w.known.typ})
	}
	return true
}

// mention notes a place of a blank node.
func (w *writer) mention(t rdf.TermID, node uint32) {
	if o := w.opt.Origins; o != nil && w.into.Terms[t].Kind == rdf.Blank {
		o.Blanks = append(o.Blanks, Mention{t, node})
	}
}

// resource returns the term of an IRI or blank node identifier, 0 if it is neither.
func (w *writer) resource(ref uint32) rdf.TermID {
	t := &w.into.Terms[ref]
	switch {
	case t.Kind != rdf.Default:
	case isBlank(t.Text):
		*t = rdf.Term{Text: w.label(), Kind: rdf.Blank}
	default:
		return 0
	}
	return rdf.TermID(ref)
}

// blankLabels are the first labels of blank nodes, made once.
var blankLabels = func() (all [1 << 10][]byte) {
	for i := range all {
		all[i] = strconv.AppendInt([]byte("_:b"), int64(i), 10)
	}
	return
}()

// blank returns a new blank node (JSON-LD API section 7.4.2).
func (w *writer) blank() rdf.TermID { return w.into.Append(rdf.Blank, w.label()) }

// label returns the next label of a blank node.
func (w *writer) label() []byte {
	n := w.blanks
	w.blanks++
	if int(n) < len(blankLabels) {
		return blankLabels[n]
	}
	from := len(w.buf)
	w.buf = strconv.AppendUint(append(w.buf, "_:b"...), uint64(n), 10)
	return w.buf[from:len(w.buf):len(w.buf)]
}

// predicate returns the term of a property, 0 if RDF has none.
func (w *writer) predicate(ref, at uint32) rdf.TermID {
	if w.isIRI(ref) {
		return rdf.TermID(ref)
	}
	if ref == 0 {
		return 0
	}
	w.loseForm(at, ref, "property")
	return 0
}

// noteIndex returns an error if a node gets two values of @index in one graph (section 7.2.2 step 6.8).
func (w *writer) noteIndex(s, g rdf.TermID, index uint32) error {
	w.lose(index, "@index is not in RDF")
	if s == 0 {
		return nil
	}
	key := nodeKey{s, g}
	text := w.text(index)
	if old, ok := w.graphs[key]; ok && old != string(text) {
		return w.fail(ConflictingIndexes, index, "the node has the index "+quote(old)+" elsewhere")
	}
	if w.graphs == nil {
		w.graphs = map[nodeKey]string{}
	}
	w.graphs[key] = string(text)
	return nil
}

type nodeKey struct{ s, g rdf.TermID }

// object writes the value of a statement and returns its term (section 8.2.2). If the statement is dropped,
// only the nodes in the value are written.
func (w *writer) object(c uint32, s, p, g rdf.TermID, node uint32) (rdf.TermID, error) {
	switch it := &w.items[c]; it.kind {
	case nodeItem:
		return w.node(c, g, false)
	case listItem:
		if it.index != 0 {
			w.lose(it.index, "@index is not in RDF")
		}
		return w.list(it.first, s, p, g, node)
	case valueItem:
		if s == 0 || p == 0 || g == nowhere {
			return 0, nil
		}
		return w.literal(it, s, p, g, node)
	}
	return 0, nil
}

// list writes a list and returns its head (section 8.3.2).
func (w *writer) list(first uint32, s, p, g rdf.TermID, node uint32) (rdf.TermID, error) {
	live := s != 0 && p != 0 && g != nowhere
	var head, cell rdf.TermID
	var at uint32
	for i := first; i != 0; i = w.items[i].next {
		next := rdf.TermID(0)
		if live {
			next = w.blank()
			w.mention(next, w.items[i].tape)
			if cell != 0 {
				w.add(cell, w.knownTerm(&w.known.rest, rdfRest), next, g, node, at)
			} else {
				head = next
			}
		}

		cell, at = next, w.items[i].tape
		firstOf := rdf.TermID(0)
		if live {
			firstOf = w.knownTerm(&w.known.first, rdfFirst)
		}
		o, err := w.object(i, cell, firstOf, g, node)
		if err != nil {
			return 0, err
		}
		w.add(cell, firstOf, o, g, node, at)
	}

	if !live {
		return 0, nil
	}

	end := w.knownTerm(&w.known.null, rdfNil)
	if cell == 0 {
		return end, nil
	}

	w.add(cell, w.knownTerm(&w.known.rest, rdfRest), end, g, node, at)
	return head, nil
}

// literal returns the term of a value object (section 8.2.2 step 4 on).
func (w *writer) literal(v *item, s, p, g rdf.TermID, node uint32) (rdf.TermID, error) {
	if v.index != 0 {
		w.lose(v.index, "@index is not in RDF")
	}
	if v.flags&isJSON != 0 { // 8
		return w.jsonLiteral(v.tape)
	}

	var datatype []byte
	if v.id != 0 { // 6
		if !w.isIRI(v.id) {
			w.loseForm(v.tape, v.id, "datatype")
			return 0, nil
		}
		if datatype = w.into.Terms[v.id].Text; string(datatype) == "<"+rdf.XSDString+">" {
			datatype = nil
		}
	}

	if v.dir != noDirection && w.kind(v.tape) != jsontape.String {
		w.lose(v.tape, "@direction of a value that is not a string")
	}

	switch w.kind(v.tape) {
	case jsontape.True, jsontape.False: // 9
		if v.id == 0 {
			datatype = xsdBoolean.nq
		}
		return w.quoted(w.tape.Raw(int(v.tape)), datatype), nil
	case jsontape.Number: // 10, 11
		return w.number(v, datatype)
	}

	if v.lang != 0 && !w.langs[v.lang].ok { // 7
		w.lose(v.tape, "language tag "+quote(string(w.langs[v.lang].text))+" is not well-formed")
		return 0, nil
	}

	if v.dir != noDirection { // 13
		switch w.opt.RDFDirection {
		case canon.I18nDatatype:
			return w.directed(v), nil
		case canon.CompoundLiteral:
			return w.compound(v, s, p, g, node), nil
		}
		w.lose(v.tape, "@direction without rdfDirection; choose i18n-datatype or compound-literal")
	}

	raw := w.tape.Raw(int(v.tape))
	plain := w.tape.Nodes[v.tape].Common()
	if plain && v.lang == 0 && datatype == nil {
		return w.asItStands(v.tape), nil
	}

	from := len(w.buf)

	if plain {
		w.buf = append(w.buf, raw...)
	} else {
		w.buf = rdf.AppendString(w.buf, w.text(v.tape))
	}

	if v.lang != 0 {
		w.buf = append(append(w.buf, '@'), w.langs[v.lang].text...)
	}

	return w.typed(from, datatype), nil
}

// typed ends a literal that starts in buf at from.
func (w *writer) typed(from int, datatype []byte) rdf.TermID {
	if len(w.buf)+len(datatype) > w.bounds.maxText {
		w.bounds.over = true
		w.buf = w.buf[:from]
		return 0
	}
	if datatype != nil {
		w.buf = append(append(w.buf, "^^"...), datatype...)
	}
	text := w.buf[from:len(w.buf):len(w.buf)]
	w.bounds.longest = max(w.bounds.longest, len(text))
	return w.into.Append(rdf.Literal, text)
}

// quoted returns a literal of text that needs no escapes.
func (w *writer) quoted(text, datatype []byte) rdf.TermID {
	from := len(w.buf)
	w.buf = append(append(append(w.buf, '"'), text...), '"')
	return w.typed(from, datatype)
}

func (w *writer) number(v *item, datatype []byte) (rdf.TermID, error) {
	raw := w.tape.Raw(int(v.tape))
	n, err := parseNumber(raw)
	if err != nil {
		return 0, w.fail(InvalidValueObjectValue, v.tape, "the number is too large for a double")
	}
	from := len(w.buf)
	w.buf = append(w.buf, '"')
	if isInteger(n) && !bytes.Equal(datatype, xsdDouble.nq) {
		w.buf = appendInteger(w.buf, n)
		if v.id == 0 {
			datatype = xsdInteger.nq
		}
	} else {
		w.buf = appendDouble(w.buf, n)
		if v.id == 0 {
			datatype = xsdDouble.nq
		}
	}
	if !keepsNumber(raw, w.buf[from+1:], n) {
		w.lose(v.tape, "the number is rounded to "+string(w.buf[from+1:]))
	}
	w.buf = append(w.buf, '"')
	return w.typed(from, datatype), nil
}

func (w *writer) jsonLiteral(node uint32) (rdf.TermID, error) {
	text, warnings, err := jcs.AppendNode(nil, &w.tape, int(node), jcs.Options{})
	if err != nil {
		return 0, err
	}
	for _, warning := range warnings {
		if len(w.losses) < maxLosses {
			w.losses = append(w.losses, lost{node, warning.Pointer, "the number is rounded to " +
				warning.Canonical})
		}
	}
	from := len(w.buf)
	w.buf = rdf.AppendString(w.buf, text)
	return w.typed(from, rdfJSON.nq), nil
}

// directed returns the literal of a string with a base direction as a datatype (13.2).
func (w *writer) directed(v *item) rdf.TermID {
	from := len(w.buf)
	w.buf = rdf.AppendString(w.buf, w.text(v.tape))
	w.buf = append(w.buf, "^^<"+i18nBase...)
	w.buf = append(w.buf, w.langs[v.lang].text...)
	w.buf = append(append(append(w.buf, '_'), v.dir.String()...), '>')
	return w.typed(from, nil)
}

// compoundKey is a string with a base direction and its place; outside lists node maps hold it once.
type compoundKey struct {
	s, g      rdf.TermID
	predicate string // the text, since an IRI may have several terms
	lang      string
	dir       direction
	text      string
}

// compound writes a string with a base direction as a blank node (13.3).
func (w *writer) compound(v *item, s, p, g rdf.TermID, node uint32) rdf.TermID {
	key := compoundKey{s: s, g: g, predicate: string(w.into.Terms[p].Text),
		lang: string(w.langs[v.lang].text), dir: v.dir, text: string(w.text(v.tape))}
	if b, ok := w.compounds[key]; ok {
		return b
	}
	b := w.blank()
	w.mention(b, v.tape)
	if w.compounds == nil {
		w.compounds = map[compoundKey]rdf.TermID{}
	}
	w.compounds[key] = b
	from := len(w.buf)
	w.buf = rdf.AppendString(w.buf, key.text)
	w.add(b, w.knownTerm(&w.known.value, rdfValue), w.typed(from, nil), g, node, v.tape)
	if v.lang != 0 {
		w.add(b, w.knownTerm(&w.known.language, rdfLanguage), w.quoted(w.langs[v.lang].text, nil), g, node,
			v.tape)
	}
	w.add(b, w.knownTerm(&w.known.direction, rdfDirection), w.quoted([]byte(v.dir.String()), nil), g, node,
		v.tape)
	return b
}
