//phase:caller
package jsonld

import (
	"bytes"
	"fmt"
	"slices"

	"canonscope/canon/jsontape"
)

// key is a key of an object that is being expanded, with its term definition in the active context.
type key struct {
	node uint32
	term *term
}

// property is the active property of the Expansion algorithm.
type property struct {
	kind propertyKind
	node uint32 // key in the document, for aKey
	term *term  // its definition in the active context of the call, or nil
}

type propertyKind uint8

const (
	noProperty propertyKind = iota // null
	graphProperty
	reverseProperty
	aKey
)

// floats reports whether a value under p is dropped because no node is around it.
func (p property) floats() bool { return p.kind == noProperty || p.kind == graphProperty }

func (r *run) fail(code Code, node uint32, detail string) error {
	return &Error{Code: code, Pointer: r.pointer(node), Detail: detail}
}

func (r *run) kind(node uint32) jsontape.Kind { return r.tape.Nodes[node].Kind }

// text returns the text of a string of the document.
func (r *run) text(node uint32) []byte { return r.tape.Text(int(node)) }

// termOf returns the term definition of a key.
func (r *run) termOf(ctx *activeContext, key uint32) *term {
	n := &r.tape.Nodes[key]
	if n.Escaped() {
		return live(ctx.find(r.text(key), n.Hash))
	}
	return live(ctx.find(r.tape.Src[n.Start+1:n.End-1], n.Hash))
}

// in looks up an active property in another active context.
func (p property) in(r *run, ctx *activeContext) property {
	if p.kind == aKey {
		p.term = r.termOf(ctx, p.node)
	}
	return p
}

// root returns the active context of the document's top level. Expansion begins with it.
func (r *run) root() (*activeContext, error) {
	r.resetItems()
	r.top = 0
	if r.kind(0) == jsontape.Object {
		r.top = uint32(max(0, r.tape.Get(0, "@context")))
	}
	return r.rootContext(r.top)
}

// expandDocument expands the document; unwrap reports whether the result is one item with only @graph,
// whose contents are the document (JSON-LD API section 9.1, expand() step 8).
func (r *run) expandDocument(root *activeContext) (c chain, unwrap bool, err error) {
	c, err = r.expand(root, property{}, 0, false)
	if err == nil && r.bounds.over {
		err = r.textLimit(len(r.buf))
	}
	if err != nil {
		return chain{}, false, err
	}
	return c, c.kind == one && r.items[c.head].flags&(hasGraph|hasID|hasOthers) == hasGraph &&
		r.items[c.head].index == 0, nil
}

// expand is the Expansion algorithm (JSON-LD API section 5.1.2).
func (r *run) expand(ctx *activeContext, p property, node uint32, fromMap bool) (chain, error) {
	switch r.kind(node) {
	case jsontape.Null: // 1
		r.lose(node, "null value")
		return chain{}, nil
	case jsontape.Array: // 5
		result := chain{kind: many}
		nodes := r.tape.Nodes
		list := p.term != nil && p.term.container&inList != 0
		for n := node + 1; n < nodes[node].Next; n = nodes[n].Next { // 5.2
			c, err := r.expand(ctx, p, n, fromMap) // 5.2.1
			if err != nil {
				return chain{}, err
			}
			if list && c.kind == many { // 5.2.2
				c = r.toList(c, n)
			}
			if c.kind != nothing {
				r.join(&result, c) // 5.2.3
			}
		}

		return result, nil
	case jsontape.Object:
		return r.object(ctx, p, node, fromMap)
	}

	if p.floats() { // 4.1
		r.lose(node, "free-floating value")
		return chain{}, nil
	}

	if p.term != nil && p.term.scoped != nil { // 4.2
		var err error
		if ctx, err = r.derive(ctx, p.term, byProperty, node); err != nil {
			return chain{}, err
		}
		p = p.in(r, ctx)
	}

	i, err := r.value(ctx, p.term, node) // 4.3
	return single(i), err
}

// toList wraps a chain in a list object.
func (r *run) toList(c chain, node uint32) chain {
	i, it := r.newItem(listItem, node)
	it.first, it.last = c.head, c.tail
	return single(i)
}

// value is Value Expansion (JSON-LD API section 5.3.2) of the scalar at node. For a string that expands to
// null as an IRI, the result is an item without id.
func (r *run) value(ctx *activeContext, t *term, node uint32) (uint32, error) {
	isString := r.kind(node) == jsontape.String
	var to coercion
	if t != nil {
		to = t.coercion
	}

	switch to {
	case toID, toVocab: // 1, 2
		if isString {
			id, _ := r.expandIRI(ctx, r.text(node), true, to == toVocab)
			if id == 0 {
				r.loseNull(node, "@id")
			}
			i, it := r.newItem(nodeItem, node)
			it.flags, it.id = hasID, id
			return i, nil
		}
	case toDatatype: // 4
		// The text "false" gives the literal of the boolean false, but most readers of JSON treat it as true.
		if isString && t.datatype.text == xsdBooleanText {
			r.lose(node, "text under a term of type xsd:boolean; write true or false")
		}
		id := r.refOf(t.datatype)
		i, it := r.newItem(valueItem, node)
		it.id = id
		return i, nil
	}

	i, it := r.newItem(valueItem, node) // 3
	if to == toJSON {
		it.flags = isJSON
	} else if isString { // 5
		r.plainText(it, ctx, t)
	}

	return i, nil
}

// plainText completes the item of a string without type coercion.
func (r *run) plainText(it *item, ctx *activeContext, t *term) {
	if ctx.lang != "" || ctx.dir != noDirection || t != nil && (t.lang != "" || t.dir != noDirection) {
		r.inLanguage(it, ctx, t)
	} else if r.tape.Nodes[it.tape].Common() {
		it.flags = verbatim
	}
}

// inLanguage gives a string the language and direction of its term or of the context (step 5).
func (r *run) inLanguage(it *item, ctx *activeContext, t *term) {
	it.dir = ctx.dir
	lang := ctx.lang
	if t != nil {
		if t.hasLang != unset {
			lang = t.lang
		}
		if t.hasDir != unset {
			it.dir = t.dir
		}
	}
	if lang != "" {
		it.lang = r.tagOf([]byte(lang))
	}
}

// literal reads the most common entry: its key is a term with [term.literal], and its value, at v, is a
// string. It has the effect of steps 13.2 to 13.14 and Value Expansion.
func (r *run) literal(o *object, t *term, v uint32) {
	prop := r.refOf(t.iri)
	i, it := r.newItem(valueItem, v)
	it.role, it.prop = ofProperty, prop
	if t.coercion == toDatatype {
		it.id = r.refOf(t.datatype)
	} else {
		r.plainText(it, o.ctx, t)
	}
	r.hang(o.item, i)
	o.others = true
}

// expandIRI is IRI Expansion (JSON-LD API section 5.2.2) of text of the document. A result of 0 is null;
// for a keyword the ref has its text.
func (r *run) expandIRI(ctx *activeContext, text []byte, documentRelative, vocab bool) (uint32, keyword) {
	if len(text) > 0 && text[0] == '@' {
		if kw := keywordOf(string(text)); kw != kwNone { // 1
			return r.refBytes(text), kw
		}
		if likeKeyword(text) { // 2
			return 0, kwNone
		}
	}
	colon := bytes.IndexByte(text, ':')
	if colon > 0 && !ctx.terms.colons { // no term has a colon
		return r.expandOther(ctx, text, colon, documentRelative, vocab), kwNone
	}
	if t := live(ctx.find(text, jsontape.KeyHash(text))); t != nil {
		if t.kw != kwNone { // 4
			return r.refString(keywordText[t.kw]), t.kw
		}
		if vocab { // 5
			if t.iri == nil {
				return 0, kwNone
			}
			return r.refOf(t.iri), kwNone
		}
	}
	return r.expandOther(ctx, text, colon, documentRelative, vocab), kwNone
}

// expandOther is steps 6 to 9, for text that is neither a keyword nor a term, with the place of its first
// colon.
func (r *run) expandOther(ctx *activeContext, text []byte, colon int, documentRelative, vocab bool) uint32 {
	if colon > 0 { // 6
		if n := r.compact(ctx, text, colon); n != 0 {
			return n
		}
	}
	if vocab && ctx.hasVocab { // 7
		return r.concat(ctx.vocab, text)
	}
	if documentRelative && ctx.base != "" { // 8
		return r.refString(resolve(ctx.base, string(text)))
	}
	return r.refBytes(text) // 9
}

// compact expands text with a colon at i (step 6), or returns 0.
func (r *run) compact(ctx *activeContext, text []byte, i int) uint32 {
	prefix, suffix := text[:i], text[i+1:]
	if len(suffix) >= 2 && suffix[0] == '/' && suffix[1] == '/' || i == 1 && prefix[0] == '_' { // 6.2
		return r.refBytes(text)
	}
	if hash := jsontape.KeyHash(prefix); ctx.terms.prefixes&jsontape.HashBit(hash) != 0 {
		if t := live(ctx.find(prefix, hash)); t != nil && t.prefix && t.iri != nil { // 6.4
			return r.concat(t.iri.text, suffix)
		}
	}
	if hasScheme(text) { // 6.5
		return r.refBytes(text)
	}
	return 0
}

func (r *run) concat(a string, b []byte) uint32 {
	if r.bounds.over {
		return 0
	}
	return r.refOfText(append(append(append(append(r.buf, '<'), a...), b...), '>'))
}

// keyRef expands a key other than a keyword to the ref of a property (steps 13.2 and 13.3); 0 drops the
// key.
func (r *run) keyRef(ctx *activeContext, k key) uint32 {
	if k.term != nil {
		if k.term.iri != nil && k.term.iri.form != relative {
			return r.refOf(k.term.iri)
		}
		if k.term.iri == nil {
			r.lose(k.node, "term mapped to null")
		} else {
			r.lose(k.node, "relative property")
		}
		return 0
	}

	text := r.text(k.node)
	if likeKeyword(text) {
		r.lose(k.node, "reserved term")
		return 0
	}

	colon := bytes.IndexByte(text, ':')
	if ctx.hasVocab && colon < 0 {
		hash := r.tape.Nodes[k.node].Hash
		if t := ctx.findImplied(text, hash); t != nil {
			return r.refOf(t.iri)
		}
		r.imply(ctx, text, hash)
	}

	n := r.expandOther(ctx, text, colon, false, true)
	if n == 0 {
		return 0 // the text has grown too much
	}

	if r.form(n) == relative {
		// With a colon it is a property for expansion, although the IRI is relative.
		if bytes.IndexByte(r.refText(n), ':') >= 0 {
			return n
		}
		r.lose(k.node, "undefined term"+r.hint(ctx, text))
		return 0
	}

	return n
}

// object is the state of one node, value, list or set object while its entries are read.
type object struct {
	node, item uint32
	ctx, typed *activeContext // active context, and type-scoped context
	p          property
	have       uint32 // a bit for each keyword that has been read
	value      uint32
	language   uint32
	dir        direction
	dirAt      uint32
	id         uint32
	typeArray  bool   // the types are in an array, or in more than one entry
	datatype   uint32 // the last of the types
	inner      chain  // @list or @set
	others     bool   // properties, reverse properties
	lost       int    // losses before the object
}

func bit(k keyword) uint32 { return 1 << k }

// object expands a map (steps 7 to 20).
func (r *run) object(ctx *activeContext, p property, node uint32, fromMap bool) (chain, error) {
	nodes := r.tape.Nodes
	if r.bounds.objects++; r.bounds.objects&0xFFF == 0 {
		if err := r.bounds.budget.Alive(r.ctx); err != nil {
			return chain{}, err
		}
	}

	if ctx.previous != nil && !fromMap && r.rollsBack(ctx, node) { // 7
		ctx = ctx.previous
	}

	var err error
	scoped := p.term != nil && p.term.scoped != nil
	if scoped { // 8
		if ctx, err = r.derive(ctx, p.term, byProperty, node); err != nil {
			return chain{}, err
		}
	}

	if node != 0 && nodes[node].MayHave(contextBit) { // 9; the top-level @context has been processed
		if k := r.tape.Key(int(node), "@context"); k >= 0 {
			if ctx, err = r.deriveInline(ctx, uint32(k)+1); err != nil {
				return chain{}, err
			}
		}
	}

	o := object{node: node, p: p, ctx: ctx, typed: ctx, lost: len(r.losses)} // 10
	if nodes[node].MayHave(ctx.terms.types) {
		if o.ctx, err = r.scopeTypes(&o, ctx); err != nil { // 11, 12
			return chain{}, err
		}
	}

	if scoped || o.ctx != ctx {
		r.scoped++
	}

	o.item, _ = r.newItem(nodeItem, node)
	nests := len(r.nests)
	err = r.entries(&o, node, nests) // 13, 14
	r.nests = r.nests[:nests]
	if err != nil {
		return chain{}, err
	}

	return r.finish(&o)
}

var contextBit = jsontape.HashBit(jsontape.KeyHash("@context"))

// rollsBack reports whether a non-propagated context ends at the object (step 7).
func (r *run) rollsBack(ctx *activeContext, node uint32) bool {
	if node == 0 && r.top != 0 { // ctx includes the @context of the object, which comes after this step
		return false
	}
	nodes := r.tape.Nodes
	end := nodes[node].Next
	if k := node + 1; k < end && nodes[k+1].Next == end {
		if t := r.termOf(ctx, k); t != nil && t.kw == kwID {
			return false
		}
	}
	if !nodes[node].MayHave(ctx.terms.values) {
		return true
	}
	for k := int(node) + 1; k < int(end); k = jsontape.After(nodes, k+1) {
		if ctx.terms.values&jsontape.HashBit(nodes[k].Hash) != 0 {
			if t := r.termOf(ctx, uint32(k)); t != nil && t.kw == kwValue {
				return false
			}
		}
	}
	return true
}

// typeKeys puts the keys that expand to @type on the stack run.types, in code point order.
func (r *run) typeKeys(ctx *activeContext, node uint32) {
	nodes := r.tape.Nodes
	end := int(nodes[node].Next)
	from := len(r.types)
	for k := int(node) + 1; k < end; k = jsontape.After(nodes, k+1) {
		if ctx.terms.types&jsontape.HashBit(nodes[k].Hash) != 0 {
			if t := r.termOf(ctx, uint32(k)); t != nil && t.kw == kwType {
				r.types = append(r.types, uint32(k))
			}
		}
	}
	r.sortByText(r.types[from:])
}

// scopeTypes applies type-scoped contexts (step 11).
func (r *run) scopeTypes(o *object, ctx *activeContext) (*activeContext, error) {
	from := len(r.types)
	r.typeKeys(ctx, o.node)
	var err error
	for i, to := from, len(r.types); i < to; i++ {
		if ctx, err = r.typeScoped(ctx, o.typed, r.types[i]+1); err != nil {
			return nil, err
		}
	}
	r.types = r.types[:from]
	return ctx, nil
}

// typeScoped applies the scoped contexts of the types at node, in code point order (step 11.2).
func (r *run) typeScoped(ctx, typed *activeContext, node uint32) (*activeContext, error) {
	nodes := r.tape.Nodes
	from := len(r.types)
	switch nodes[node].Kind {
	case jsontape.String:
		r.types = append(r.types, node)
	case jsontape.Array:
		for n := node + 1; n < nodes[node].Next; n = nodes[n].Next {
			if nodes[n].Kind == jsontape.String {
				r.types = append(r.types, n)
			}
		}
		r.sortByText(r.types[from:])
	}
	var err error
	for i := from; i < len(r.types); i++ {
		text := r.text(r.types[i])
		t := live(typed.find(text, jsontape.KeyHash(text)))
		if t == nil || t.scoped == nil {
			continue
		}
		if ctx, err = r.derive(ctx, t, byType, r.types[i]); err != nil {
			break
		}
	}
	r.types = r.types[:from]
	return ctx, err
}

// sortByText sorts strings of the document in code point order.
func (r *run) sortByText(nodes []uint32) {
	if len(nodes) > 1 {
		slices.SortFunc(nodes, func(a, b uint32) int { return bytes.Compare(r.text(a), r.text(b)) })
	}
}

// entries is steps 13 and 14 for the keys of the object at node. Keys of nested objects are on the stack
// run.nests from nests on.
func (r *run) entries(o *object, node uint32, nests int) error {
	nodes := r.tape.Nodes
	end := nodes[node].Next
	for at := node + 1; at < end; at = nodes[at+1].Next {
		t := r.termOf(o.ctx, at)
		if t != nil && t.literal && nodes[at+1].Kind == jsontape.String {
			r.literal(o, t, at+1)
			continue
		}
		k := key{at, t}
		if t != nil && t.kw != kwNone {
			if t.kw == kwContext { // 13.1
				// Step 9 has read it, but a reverse map holds only reverse properties.
				if o.p.kind == reverseProperty {
					r.lose(k.node, "@context of @reverse")
				}
				continue
			}
			if err := r.keyword(o, k); err != nil { // 13.4
				return err
			}
			continue
		}

		prop := r.keyRef(o.ctx, k) // 13.2
		if prop == 0 {             // 13.3
			if r.bounds.over {
				return r.textLimit(len(r.buf))
			}
			continue
		}
		if err := r.property(o, k, prop); err != nil { // 13.5 to 13.14
			return err
		}
	}

	for i := nests; i < len(r.nests); i++ { // 14
		if err := r.nest(o, r.nests[i]); err != nil {
			return err
		}
	}

	return nil
}

// nest unfolds the value of a key that expands to @nest (step 14).
func (r *run) nest(o *object, k uint32) error {
	nodes := r.tape.Nodes
	outer := o.ctx
	t := r.termOf(outer, k)
	from, to := k+1, nodes[k+1].Next
	if nodes[from].Kind == jsontape.Array { // 14.1
		from++
	}

	for n := from; n < to; n = nodes[n].Next { // 14.2
		if nodes[n].Kind != jsontape.Object {
			return r.fail(InvalidNestValue, n, "it is not an object")
		}
		ctx := outer
		if t != nil && t.scoped != nil { // 3, 8
			var err error
			if ctx, err = r.derive(outer, t, byProperty, n); err != nil {
				return err
			}
		}
		for k := n + 1; k < nodes[n].Next; k = nodes[k+1].Next {
			switch t := r.termOf(ctx, k); {
			case t == nil:
			case t.kw == kwValue: // 14.2.1
				return r.fail(InvalidNestValue, k, "a nested object holds @value")
			case t.kw == kwContext: // step 14.2.2 does not repeat step 9
				r.lose(k, "@context of a nested object, which is never read")
			}
		}

		nests := len(r.nests)
		o.ctx = ctx
		err := r.entries(o, n, nests)
		o.ctx = outer
		r.nests = r.nests[:nests]
		if err != nil {
			return err
		}
	}

	return nil
}

// keyword reads an entry whose key expands to a keyword (step 13.4).
func (r *run) keyword(o *object, k key) error {
	kw := k.term.kw
	v := k.node + 1
	if o.p.kind == reverseProperty { // 13.4.1
		return r.fail(InvalidReversePropertyMap, k.node, "a reverse property map contains "+keywordText[kw])
	}
	if o.have&bit(kw) != 0 && kw != kwIncluded && kw != kwType { // 13.4.2
		return r.fail(CollidingKeywords, k.node, "more than one entry for "+keywordText[kw])
	}

	isString := r.kind(v) == jsontape.String
	switch kw {
	case kwID: // 13.4.3
		if !isString {
			return r.fail(InvalidIDValue, v, "it is not a string")
		}
		o.id, _ = r.expandIRI(o.ctx, r.text(v), true, false)
		r.items[o.item].lang = v
		if o.id == 0 {
			r.loseNull(v, "@id")
		}
	case kwType: // 13.4.4
		if err := r.typeEntry(o, v); err != nil {
			return err
		}
	case kwGraph: // 13.4.5
		c, err := r.expand(o.ctx, property{kind: graphProperty}, v, false)
		if err != nil {
			return err
		}
		c.kind = many
		r.hangAll(o.item, c, ofGraph, 0)
	case kwIncluded: // 13.4.6
		c, err := r.expand(o.ctx, property{}, v, false)
		if err != nil {
			return err
		}
		if c.kind == nothing {
			return r.fail(InvalidIncludedValue, v, "it is not a node object")
		}
		for i := c.head; i != 0; i = r.items[i].next {
			if r.items[i].kind != nodeItem { // 13.4.6.3
				return r.fail(InvalidIncludedValue, r.items[i].tape, "it is not a node object")
			}
		}
		c.kind = many
		r.hangAll(o.item, c, ofIncluded, 0)
		o.others = true
	case kwValue: // 13.4.7; whether the input type is @json is known at the end
		o.value = v
	case kwLanguage: // 13.4.8
		if !isString {
			return r.fail(InvalidLanguageTaggedString, v, "@language is not a string")
		}
		o.language = v
	case kwDirection: // 13.4.9
		o.dirAt = v
		switch {
		case isString && r.tape.TextIs(int(v), "ltr"):
			o.dir = ltr
		case isString && r.tape.TextIs(int(v), "rtl"):
			o.dir = rtl
		default:
			return r.fail(InvalidBaseDirection, v, `@direction is neither "ltr" nor "rtl"`)
		}
	case kwIndex: // 13.4.10
		if !isString {
			return r.fail(InvalidIndexValue, v, "it is not a string")
		}
		r.items[o.item].index = v
	case kwList: // 13.4.11
		if o.p.floats() {
			r.lose(v, "free-floating list")
			return nil
		}
		c, err := r.expand(o.ctx, o.p.in(r, o.ctx), v, false)
		if err != nil {
			return err
		}
		o.inner = c
	case kwSet: // 13.4.12
		c, err := r.expand(o.ctx, o.p.in(r, o.ctx), v, false)
		if err != nil {
			return err
		}
		o.inner = c
	case kwReverse: // 13.4.13
		return r.reverseEntry(o, v)
	case kwNest: // 13.4.14
		r.nests = append(r.nests, k.node)
		return nil
	default:
		r.lose(k.node, keywordText[kw]+" has no meaning here")
		return nil
	}

	o.have |= bit(kw)
	return nil
}

// typeEntry reads an entry of @type (13.4.4).
func (r *run) typeEntry(o *object, v uint32) error {
	nodes := r.tape.Nodes
	o.typeArray = o.have&bit(kwType) != 0
	switch nodes[v].Kind {
	case jsontape.String:
		r.addType(o, v)
		return nil
	case jsontape.Array:
		o.typeArray = true
		for n := v + 1; n < nodes[v].Next; n = nodes[n].Next {
			if nodes[n].Kind != jsontape.String {
				return r.fail(InvalidTypeValue, n, "a type is not a string")
			}
			r.addType(o, n)
		}
		if nodes[v].Next == v+1 {
			i, it := r.newItem(emptyItem, 0)
			it.role = ofType
			r.hang(o.item, i)
		}
		return nil
	}
	return r.fail(InvalidTypeValue, v, "@type is neither a string nor an array of strings")
}

func (r *run) addType(o *object, v uint32) {
	o.datatype, _ = r.expandIRI(o.typed, r.text(v), true, true)
	r.hangType(o.item, v, o.datatype)
}

// hangType adds a type, at v in the document, to a node.
func (r *run) hangType(node, v, id uint32) {
	i, it := r.newItem(typeItem, v)
	it.role, it.id = ofType, id
	r.hang(node, i)
}

// reverseEntry reads an entry of @reverse (13.4.13).
func (r *run) reverseEntry(o *object, v uint32) error {
	if r.kind(v) != jsontape.Object { // 13.4.13.1
		return r.fail(InvalidReverseValue, v, "it is not an object")
	}

	c, err := r.expand(o.ctx, property{kind: reverseProperty}, v, false) // 13.4.13.2
	if err != nil {
		return err
	}

	for i := r.items[c.head].first; i != 0; {
		next := r.items[i].next
		it := &r.items[i]
		if it.role == ofReverse { // 13.4.13.3: reversed twice
			if it.kind == emptyItem {
				i = next
				continue
			}
			it.role = ofProperty
		} else { // 13.4.13.4
			if it.kind == valueItem || it.kind == listItem {
				return r.fail(InvalidReversePropertyValue, it.tape,
					"the value of a reverse property is not a node object")
			}
			it.role = ofReverse
			o.have |= bit(kwReverse)
		}

		r.hang(o.item, i)
		o.others = true
		i = next
	}

	return nil
}

// property reads an entry whose key is a property (steps 13.5 to 13.14).
func (r *run) property(o *object, k key, prop uint32) error {
	v := k.node + 1
	var container containers // 13.5
	to := toNothing
	plain := true // only its type and language matter
	if k.term != nil {
		container, to = k.term.container, k.term.coercion
		plain = container&^inSet == 0 && k.term.scoped == nil && !k.term.reverse
	}

	if plain && r.kind(v) == jsontape.String && to != toJSON { // shortcut for the most common value
		i, err := r.value(o.ctx, k.term, v)
		r.items[i].role, r.items[i].prop = ofProperty, prop
		r.hang(o.item, i)
		o.others = true
		return err
	}

	p := property{kind: aKey, node: k.node, term: k.term}
	isMap := r.kind(v) == jsontape.Object
	lost := len(r.losses)
	var c chain
	var err error
	switch {
	case to == toJSON: // 13.6
		i, it := r.newItem(valueItem, v)
		it.flags = isJSON
		c = single(i)
	case container&inLanguage != 0 && isMap: // 13.7
		c, err = r.languageMap(o.ctx, k.term, v)
	case container&(inIndex|inType|inID) != 0 && isMap: // 13.8
		c, err = r.indexMap(o.ctx, p, v)
	default: // 13.9
		c, err = r.expand(o.ctx, p, v, false)
	}

	if err != nil || c.kind == nothing { // 13.10
		return err
	}

	// The name of a term belongs to the context; another key is text of the document.
	if k.term == nil && c.head == 0 && len(r.losses) == lost {
		r.lose(k.node, "empty array under a key that is not a term")
	}
	if container&inList != 0 && !(c.kind == one && r.items[c.head].kind == listItem) { // 13.11
		c = r.toList(c, v)
	}
	if container&inGraph != 0 && container&(inID|inIndex) == 0 { // 13.12
		c = r.toGraphs(c)
	}

	o.others = true

	if k.term != nil && k.term.reverse { // 13.13
		for i := c.head; i != 0; i = r.items[i].next {
			if kind := r.items[i].kind; kind == valueItem || kind == listItem { // 13.13.4.1
				return r.fail(InvalidReversePropertyValue, r.items[i].tape,
					"the value of a reverse property is not a node object")
			}
		}
		r.hangAll(o.item, c, ofReverse, prop)
		return nil
	}

	r.hangAll(o.item, c, ofProperty, prop) // 13.14
	return nil
}

// toGraphs wraps each item of a chain in a graph object.
func (r *run) toGraphs(c chain) chain {
	out := chain{kind: many}
	for i := c.head; i != 0; {
		next := r.items[i].next
		r.join(&out, single(r.toGraph(i)))
		i = next
	}
	return out
}

func (r *run) toGraph(i uint32) uint32 {
	r.items[i].next = 0
	r.items[i].role, r.items[i].prop = ofGraph, 0
	n, it := r.newItem(nodeItem, r.items[i].tape)
	it.flags, it.first, it.last = hasGraph, i, i
	return n
}

// languageMap is step 13.7.
func (r *run) languageMap(ctx *activeContext, t *term, node uint32) (chain, error) {
	nodes := r.tape.Nodes
	result := chain{kind: many}
	dir := ctx.dir // 13.7.2
	if t.hasDir != unset {
		dir = t.dir // 13.7.3
	}

	for k := node + 1; k < nodes[node].Next; k = nodes[k+1].Next { // 13.7.4
		var lang uint32
		if tag := r.text(k); string(tag) != "@none" {
			if t := r.termOf(ctx, k); t == nil || t.kw != kwNoneValue { // 13.7.4.2.4
				lang = r.tagOf(tag)
			}
		}
		v, end := k+1, nodes[k+1].Next
		if nodes[v].Kind == jsontape.Array { // 13.7.4.1
			if v++; v == end {
				r.loseKey(k)
			}
		}
		for ; v < end; v = nodes[v].Next { // 13.7.4.2
			switch nodes[v].Kind {
			case jsontape.Null: // 13.7.4.2.1
				r.lose(v, "null value")
				continue
			case jsontape.String:
			default: // 13.7.4.2.2
				return chain{}, r.fail(InvalidLanguageMapValue, v, "it is not a string")
			}
			i, it := r.newItem(valueItem, v)
			it.lang, it.dir = lang, dir
			r.join(&result, single(i))
		}
	}

	return result, nil
}

// indexMap is step 13.8.
func (r *run) indexMap(ctx *activeContext, p property, node uint32) (chain, error) {
	nodes := r.tape.Nodes
	container := p.term.container
	result := chain{kind: many}
	for k := node + 1; k < nodes[node].Next; k = nodes[k+1].Next { // 13.8.3
		mapCtx := ctx // 13.8.3.3
		if container&inType != 0 {
			from := ctx
			if ctx.previous != nil { // 13.8.3.1
				from = ctx.previous
			}
			if t := r.termOf(from, k); t != nil && t.scoped != nil { // 13.8.3.2
				var err error
				if mapCtx, err = r.derive(from, t, byTypeMap, k); err != nil {
					return chain{}, err
				}
			}
		}

		text := r.text(k)
		expanded, kw := r.expandIRI(ctx, text, false, true) // 13.8.3.4
		none := kw == kwNoneValue
		var c chain
		var err error
		inMap := p
		if mapCtx != ctx {
			inMap = p.in(r, mapCtx)
		}
		lost := len(r.losses)
		if c, err = r.expand(mapCtx, inMap, k+1, true); err != nil { // 13.8.3.5, 13.8.3.6
			return chain{}, err
		}
		if c.head == 0 && len(r.losses) == lost {
			r.loseKey(k)
		}
		for i := c.head; i != 0; { // 13.8.3.7
			next := r.items[i].next
			if container&inGraph != 0 && !r.isGraphObject(i) { // 13.8.3.7.1
				i = r.toGraph(i)
			}
			r.items[i].next = 0
			switch {
			case container&inIndex != 0 && p.term.index != "" && !none: // 13.8.3.7.2
				if err := r.indexProperty(ctx, p.term.index, k, i); err != nil {
					return chain{}, err
				}
			case container&inIndex != 0 && r.items[i].index == 0 && !none: // 13.8.3.7.3
				r.items[i].index = k
			case container&inID != 0 && !none: // 13.8.3.7.4
				if r.items[i].kind != nodeItem {
					return chain{}, r.fail(InvalidValueObject, k+1,
						"the value of an id map is not a node object")
				}
				r.identify(ctx, i, k)
			case container&inType != 0 && !none: // 13.8.3.7.5
				if r.items[i].kind != nodeItem {
					return chain{}, r.fail(InvalidValueObject, k+1,
						"the value of a type map is not a node object")
				}
				r.items[i].flags |= hasOthers
				r.hangType(i, k, expanded)
			}
			r.join(&result, single(i)) // 13.8.3.7.6
			i = next
		}
	}

	return result, nil
}

// loseKey records that a key of a map has no value that would carry it.
func (r *run) loseKey(k uint32) { r.lose(k, "key of a map without a value") }

// identify gives a node the key of an id map at k as its @id (13.8.3.7.4), unless it has one, which must be
// the same.
func (r *run) identify(ctx *activeContext, i, k uint32) {
	id, _ := r.expandIRI(ctx, r.text(k), true, false)
	it := &r.items[i]
	switch {
	case it.flags&hasID == 0:
		it.flags |= hasID
		it.id, it.lang = id, k
		if id == 0 {
			r.loseNull(k, "@id")
		}
	case !bytes.Equal(r.into.Terms[id].Text, r.into.Terms[it.id].Text): // one IRI may have two refs
		r.lose(k, "key of an id map that differs from the @id")
	}
}

// isGraphObject reports whether an item has @graph and no other entries except @id and @index.
func (r *run) isGraphObject(i uint32) bool {
	it := &r.items[i]
	return it.kind == nodeItem && it.flags&(hasGraph|hasOthers) == hasGraph
}

// indexProperty adds the key of a property-valued index to an item (13.8.3.7.2).
func (r *run) indexProperty(ctx *activeContext, index string, k, i uint32) error {
	if r.items[i].kind != nodeItem { // 13.8.3.7.2.5
		return r.fail(InvalidValueObject, k+1, "a value object cannot hold the index property "+
			quote(index))
	}
	t := live(ctx.find([]byte(index), jsontape.KeyHash(index)))
	v, err := r.value(ctx, t, k) // 13.8.3.7.2.1
	if err != nil {
		return err
	}
	prop, _ := r.expandIRI(ctx, []byte(index), false, true) // 13.8.3.7.2.2
	if prop == 0 {
		r.lose(k, "the index property "+quote(index)+" is mapped to null")
	}
	r.items[v].role, r.items[v].prop = ofProperty, prop
	r.items[i].flags |= hasOthers
	r.hang(i, v)
	return nil
}

// finish checks an object whose entries have been read (steps 15 to 20).
func (r *run) finish(o *object) (chain, error) {
	it := &r.items[o.item]
	if o.id != 0 || o.have&bit(kwID) != 0 {
		it.flags |= hasID
		it.id = o.id
	}

	if o.have&bit(kwGraph) != 0 {
		it.flags |= hasGraph
	}
	if o.others || o.have&bit(kwType) != 0 {
		it.flags |= hasOthers
	}

	switch {
	case o.have&bit(kwValue) != 0: // 15
		return r.finishValue(o)
	case o.have&(bit(kwList)|bit(kwSet)) != 0: // 17
		if o.others || o.have&^(bit(kwList)|bit(kwSet)|bit(kwIndex)) != 0 ||
			o.have&bit(kwList) != 0 && o.have&bit(kwSet) != 0 { // 17.1
			return chain{}, r.fail(InvalidSetOrListObject, o.node, "a list or set object has other entries")
		}
		if o.have&bit(kwSet) != 0 { // 17.2
			if it.index != 0 {
				r.lose(it.index, "@index of a set")
			}
			return o.inner, nil
		}
		*it = item{kind: listItem, tape: o.node, index: it.index, first: o.inner.head, last: o.inner.tail}
	case o.have == bit(kwLanguage) && !o.others: // 18
		r.loseRest(o, "object with only @language")
		return chain{}, nil
	default:
		if o.language != 0 {
			r.lose(o.language, "@language outside a value object")
		}
		if o.dirAt != 0 {
			r.lose(o.dirAt, "@direction outside a value object")
		}
	}

	if o.p.floats() && !o.others { // 19
		switch o.have {
		case 0:
			r.loseRest(o, "empty object")
			return chain{}, nil
		case bit(kwID): // 19.2
			r.loseRest(o, "free-floating node reference")
			return chain{}, nil
		}
	}

	return single(o.item), nil
}

// loseRest records that an object is dropped, unless an earlier loss in it is the cause.
func (r *run) loseRest(o *object, reason string) {
	if len(r.losses) == o.lost {
		r.lose(o.node, reason)
	}
}

// finishValue makes the item of a value object (step 15).
func (r *run) finishValue(o *object) (chain, error) {
	it := &r.items[o.item]
	allowed := bit(kwDirection) | bit(kwIndex) | bit(kwLanguage) | bit(kwType) | bit(kwValue)
	if o.others || o.have&^allowed != 0 { // 15.1
		return chain{}, r.fail(InvalidValueObject, o.node, "a value object has other entries")
	}

	typed := o.have&bit(kwType) != 0
	if typed && o.have&(bit(kwLanguage)|bit(kwDirection)) != 0 {
		return chain{}, r.fail(InvalidValueObject, o.node,
			"a value object has @type and also @language or @direction")
	}

	value := item{kind: valueItem, tape: o.value, index: it.index, dir: o.dir}
	kind := r.kind(o.value)
	switch {
	case typed && !o.typeArray && r.isJSONType(o.datatype): // 15.2
		value.flags = isJSON
	case kind == jsontape.Array || kind == jsontape.Object: // 13.4.7.2
		return chain{}, r.fail(InvalidValueObjectValue, o.value, "@value is neither a scalar nor null")
	case kind == jsontape.Null: // 15.3
		r.lose(o.value, "null @value")
		return chain{}, nil
	case o.language != 0:
		if kind != jsontape.String { // 15.4
			return chain{}, r.fail(InvalidLanguageTaggedValue, o.value, "only strings have a language")
		}
		value.lang = r.tagOf(r.text(o.language))
	case typed: // 15.5
		if o.typeArray || !r.isIRI(o.datatype) {
			return chain{}, r.fail(InvalidTypedValue, o.node, fmt.Sprintf("the type %s is not an IRI",
				r.into.Terms[o.datatype].Text))
		}
		value.id = o.datatype
	}

	if o.p.floats() { // 19.1
		r.lose(o.node, "free-floating value")
		return chain{}, nil
	}

	*it = value
	return single(o.item), nil
}

func (r *run) isJSONType(ref uint32) bool {
	return string(r.into.Terms[ref].Text) == "<@json>"
}
