//phase:caller
package jsonld

import (
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"canonscope/canon/jsontape"
	"canonscope/canon/lookup"
)

// delta is one compiled context definition (a map), with its scoped contexts checked. Applying it to an
// active context adds its terms and settings.
//
// A delta is kept with its source, by node, and depends on that text and on the fields below, which fits
// compares. A check of a scoped context adds its dependencies to the surrounding definition (inherit).
// Faults are not kept. Protection of terms is checked when a delta is applied. Other dependencies cannot
// change: the limits of the processor are fixed, a source is kept only for calls of the same limits, and a
// loader always gives the same text for a URL.
type delta struct {
	terms   []*term
	around  surroundings
	baseURL string          // base of references, also those of scoped contexts later
	needs   []need          // terms outside
	refs    map[string]bool // URLs that checks refer to, and whether they are among the remote contexts
	reach   int             // length of the longest chain of remote contexts from these references

	usesVocab, usesBase bool // of around

	alone atomic.Pointer[table] // the table of an active context that has these terms and no others

	hasBase, hasVocab, hasLang, hasDir optional
	base, vocab, lang                  string
	dir                                direction
}

// surroundings are what a context definition depends on outside itself, apart from terms.
type surroundings struct {
	base, original string // base IRI and original base URL
	remote         bool   // where @base does not count
	hasVocab       bool
	vocab          string
}

// need is a name looked up in the surrounding active context, and the term found, or nil.
type need struct {
	name   string
	hash   uint16
	strong uint32
	want   *term
}

// size estimates the memory of a delta in bytes.
func (d *delta) size() int64 {
	if d == nil {
		return 0
	}
	n := int64(unsafe.Sizeof(*d)) + int64(len(d.needs))*int64(unsafe.Sizeof(need{}))
	if t := d.alone.Load(); t != nil {
		n += t.size()
	}
	for _, t := range d.terms {
		n += int64(unsafe.Sizeof(*t)) + int64(unsafe.Sizeof(iri{}))
		if t.iri != nil {
			n += int64(len(t.iri.nq))
		}
	}
	return n
}

// entry is one term of the context definition that a definer compiles.
type entry struct {
	name   string
	hash   uint16
	strong uint32
	state  entryState
	src    *source
	node   uint32 // of the value
	term   *term  // once done; nil if the term got no definition
}

type entryState uint8

const (
	todo entryState = iota
	active
	done
)

// definer compiles one context definition (JSON-LD API sections 4.1.2 step 5.5 to 5.13, and 4.2.2). It is
// surrounded by an active context or, while a scoped context is checked during the definition of its term,
// by another definer.
//
//phase:context
type definer struct {
	r         *run
	ctx       *activeContext
	outer     *definer
	d         *delta
	src       *source // of the context definition; errors are placed in it
	entries   []entry
	index     lookup.Table // of entries, by strong hash; numbers from 1
	distinct  int          // needs when repetitions were last removed
	remotes   *remoteChain // that led here
	below     *remoteChain // that scoped contexts start with
	protected bool

	// memory for the terms and their IRIs
	terms []term
	iris  []iri
	nq    []byte
	pools compiled
	seq   uint32

	base, vocab string // in effect while terms are defined
	hasVocab    bool
	ownVocab    bool // vocab is set by this definition
}

func (f *definer) fail(code Code, src *source, node uint32, detail string) error {
	return f.r.contextError(code, src, node, detail)
}

// lookup finds a term of this definition, defining it first if necessary (IRI expansion steps 3 and 6.3),
// or else the surrounding term of that name.
func (f *definer) lookup(name string) (*term, error) {
	strong := lookup.HashString(name)
	if e, _ := f.entry(name, strong); e != nil {
		var err error
		if e.state != done {
			err = f.define(e)
		}
		return e.term, err
	}
	hash := jsontape.KeyHash(name)
	t := f.around(name, hash, strong)
	for i := len(f.d.needs) - 1; i >= max(0, len(f.d.needs)-4); i-- { // most repetitions are prefixes
		if f.d.needs[i].name == name {
			return t, nil
		}
	}
	f.d.needs = append(f.d.needs, need{name, hash, strong, t})
	return t, nil
}

// inherit adds the dependencies of d, a scoped context that was checked, to those of the definition.
func (f *definer) inherit(d *delta, remotes *remoteChain) {
	f.d.usesVocab = f.d.usesVocab || d.usesVocab && !f.ownVocab
	f.d.usesBase = f.d.usesBase || d.usesBase
	for _, n := range d.needs {
		if e, _ := f.entry(n.name, n.strong); e == nil || e.state == todo {
			n.want = f.around(n.name, n.hash, n.strong)
			if len(f.d.needs) == cap(f.d.needs) {
				f.d.needs = append(f.pools.needs.take(2*len(f.d.needs) + 8)[:0], f.d.needs...)
			}
			f.d.needs = append(f.d.needs, n)
			f.r.contexts.work += needCost
		}
	}
	if len(f.d.needs) > 2*f.distinct+1000 { // many paths of references would let them grow without bound
		seen := map[string]bool{}
		f.d.needs = slices.DeleteFunc(f.d.needs,
			func(n need) bool { had := seen[n.name]; seen[n.name] = true; return had })
		f.distinct = len(f.d.needs)
	}
	for url := range d.refs {
		f.refer(url)
	}
	f.d.reach = max(f.d.reach, remotes.len()+d.reach-f.remotes.len())
}

// refer records that the check of a scoped context refers to a URL.
func (f *definer) refer(url string) {
	if f.d.refs == nil {
		f.d.refs = map[string]bool{}
	}
	f.d.refs[url] = f.remotes.has(url)
	f.r.contexts.work += needCost
}

// around finds a term outside this definition.
func (f *definer) around(name string, hash uint16, strong uint32) *term {
	for f.outer != nil {
		f = f.outer
		f.r.contexts.work++
		if e, _ := f.entry(name, strong); e != nil && e.state != todo {
			return e.term
		}
	}
	return live(f.ctx.terms.findHashed(name, hash, strong))
}

// live returns t, or nil if t marks a removed definition.
func live(t *term) *term {
	if t != nil && t.removed {
		return nil
	}
	return t
}

// entry returns the entry of a name, or nil and its place in the index.
func (f *definer) entry(name string, h uint32) (*entry, uint32) {
	f.index.Room()
	n, place := f.index.Probe(h, h)
	for n != 0 && f.entries[n-1].name != name {
		n, place = f.index.Probe(h, place+1)
	}
	if n == 0 {
		return nil, place
	}
	return &f.entries[n-1], place
}

// compile compiles the context definition at node of src.
//
//phase:context
func (r *run) compile(
	ctx *activeContext, outer *definer, src *source, node uint32, baseURL string, remotes *remoteChain,
) (*delta, error) {
	r.p.count.compiled.Add(1)
	f := r.memory.definer()
	defer r.memory.done(f)
	f.r, f.ctx, f.outer, f.src, f.remotes, f.below = r, ctx, outer, src, remotes, remotes
	f.pools = r.compiled(src)
	f.d = &f.pools.deltas.take(1)[0]
	f.d.around, f.d.baseURL = surround(ctx, outer, remotes), baseURL
	if !r.passes(src) { // the text may lie in memory of the call
		f.d.around.vocab = strings.Clone(f.d.around.vocab)
	}
	f.base, f.vocab, f.hasVocab = f.d.around.base, f.d.around.vocab, f.d.around.hasVocab
	var s settings
	n := 0
	for range src.tape.Members(int(node)) {
		n++
	}

	imported, importNode, err := f.importOf(src, node)
	if err != nil {
		return nil, err
	}

	if imported != nil {
		for range imported.tape.Members(int(importNode)) {
			n++
		}
	}

	if err := r.spend(int64(n) * termCost); err != nil {
		return nil, err
	}

	f.entries = slices.Grow(f.entries, n)
	f.index.Reset(n)
	f.gather(&s, src, node)
	if imported != nil { // 5.6.8: entries of the importing context win
		f.gather(&s, imported, importNode)
	}
	if max := r.p.limits.Terms; len(f.entries) > max {
		return nil, r.termLimit(max, len(f.entries))
	}
	if err := f.settings(&s); err != nil {
		return nil, err
	}

	f.d.terms = f.pools.defined.take(len(f.entries))[:0]
	needs := len(f.d.needs) + 2*len(f.entries) // with those of scoped contexts
	f.d.needs = append(f.pools.needs.take(needs)[:0], f.d.needs...)
	f.terms, f.iris = f.pools.terms.take(len(f.entries)), f.pools.iris.take(len(f.entries))
	f.seq = iriCount.Add(uint32(2*len(f.entries))) - uint32(2*len(f.entries))

	for i := range f.entries { // 5.13
		if err := f.define(&f.entries[i]); err != nil {
			return nil, err
		}
	}

	return f.d, nil
}

// place is a value in a source; src is nil where the entry is absent.
type place struct {
	src  *source
	node uint32
}

// settings are the entries of a context definition that are keywords.
type settings struct {
	version, base, vocab, language, direction, propagate, protected place
}

// gather collects the entries of a context definition that have not been collected yet.
func (f *definer) gather(s *settings, src *source, node uint32) {
	for k, v := range src.tape.Members(int(node)) {
		name := src.text(uint32(k))
		if p := s.of(name); p != nil {
			if p.src == nil {
				*p = place{src, uint32(v)}
			}
			continue
		}
		if name == "@import" {
			continue
		}
		h := lookup.HashString(name)
		if e, place := f.entry(name, h); e == nil {
			f.entries = append(f.entries,
				entry{name: name, hash: src.tape.Nodes[k].Hash, strong: h, src: src, node: uint32(v)})
			f.index.Put(place, h, uint32(len(f.entries)))
		}
	}
}

func (s *settings) of(name string) *place {
	if len(name) < 5 || name[0] != '@' {
		return nil
	}
	switch name {
	case "@version":
		return &s.version
	case "@base":
		return &s.base
	case "@vocab":
		return &s.vocab
	case "@language":
		return &s.language
	case "@direction":
		return &s.direction
	case "@propagate":
		return &s.propagate
	case "@protected":
		return &s.protected
	}
	return nil
}

// importOf loads the context that @import names (5.6).
func (f *definer) importOf(src *source, node uint32) (*source, uint32, error) {
	v := src.tape.Get(int(node), "@import")
	if v < 0 {
		return nil, 0, nil
	}
	at := uint32(v)
	if src.kind(at) != jsontape.String { // 5.6.2
		return nil, 0, f.fail(InvalidImportValue, src, at, "it is not a string")
	}
	var err error
	if f.below, err = f.r.follow("", f.remotes, src, at); err != nil {
		return nil, 0, err
	}
	f.d.reach = 1
	url := resolve(f.d.baseURL, src.text(at)) // 5.6.3
	imported, err := f.r.load(url, src, at)   // 5.6.4, 5.6.5
	if err != nil {
		return nil, 0, err
	}
	c := imported.context
	if imported.kind(c) != jsontape.Object { // 5.6.6
		return nil, 0, f.fail(InvalidRemoteContext, src, at, "the @context of "+url+" is not an object")
	}
	if imported.tape.Key(int(c), "@import") >= 0 { // 5.6.7
		return nil, 0, f.fail(InvalidContextEntry, src, at, "the imported context "+url+" has @import itself")
	}
	return imported, c, nil
}

// settings processes the keywords of a context definition (5.5, 5.7 to 5.11).
func (f *definer) settings(s *settings) error {
	d := f.d
	if p := s.version; p.src != nil { // 5.5
		if p.src.kind(p.node) != jsontape.Number || !isVersion11(p.src.tape.Raw(int(p.node))) {
			return f.fail(InvalidVersionValue, p.src, p.node, "@version must be the number 1.1")
		}
	}

	if p := s.base; p.src != nil { // 5.7
		d.usesBase = true
		base := ""
		switch p.src.kind(p.node) {
		case jsontape.Null:
			d.hasBase = null
		case jsontape.String:
			d.hasBase, d.base = set, p.src.text(p.node)
			if base = d.base; !hasScheme(base) {
				base = resolve(f.base, base)
			}
			if !d.around.remote && !hasScheme(base) {
				return f.fail(InvalidBaseIRI, p.src, p.node, "@base "+quote(d.base)+
					" is relative, and there is no base IRI")
			}
		default:
			return f.fail(InvalidBaseIRI, p.src, p.node, "@base is neither a string nor null")
		}

		if !d.around.remote {
			f.base = base
		}
	}

	if p := s.vocab; p.src != nil { // 5.8
		switch p.src.kind(p.node) {
		case jsontape.Null:
			d.hasVocab, f.hasVocab, f.vocab = null, false, ""
		case jsontape.String:
			text := p.src.text(p.node)
			own := f.index
			f.index = lookup.Table{} // the local context takes no part in this expansion
			kw, iri, err := f.expandIRI(text, true)
			f.index = own
			if err != nil {
				return err
			}
			if kw != kwNone || iri == "" && likeKeyword(text) {
				return f.fail(InvalidVocabMapping, p.src, p.node, text+" is not an IRI")
			}
			d.hasVocab, d.vocab = set, iri
			f.hasVocab, f.vocab = true, iri
		default:
			return f.fail(InvalidVocabMapping, p.src, p.node, "@vocab is neither a string nor null")
		}

		f.ownVocab = true
	}

	if p := s.language; p.src != nil { // 5.9
		switch p.src.kind(p.node) {
		case jsontape.Null:
			d.hasLang = null
		case jsontape.String:
			d.hasLang, d.lang = set, lower(p.src.text(p.node))
		default:
			return f.fail(InvalidDefaultLanguage, p.src, p.node, "@language is neither a string nor null")
		}
	}

	if p := s.direction; p.src != nil { // 5.10
		var ok bool
		if d.hasDir, d.dir, ok = p.src.direction(p.node); !ok {
			return f.fail(InvalidBaseDirection, p.src, p.node, `@direction must be "ltr", "rtl" or null`)
		}
	}

	if p := s.propagate; p.src != nil { // 5.11
		if k := p.src.kind(p.node); k != jsontape.True && k != jsontape.False {
			return f.fail(InvalidPropagateValue, p.src, p.node, "@propagate is not a boolean")
		}
	}

	if p := s.protected; p.src != nil {
		switch p.src.kind(p.node) {
		case jsontape.True:
			f.protected = true
		case jsontape.False:
		default:
			return f.fail(InvalidProtectedValue, p.src, p.node, "@protected is not a boolean")
		}
	}

	return nil
}

// isVersion11 reports whether a JSON number is 1.1.
func isVersion11(raw []byte) bool {
	v, err := parseNumber(raw)
	return err == nil && v == 1.1
}

// expandIRI is IRI expansion (JSON-LD API section 5.2.2) while a context is processed, with vocab true. The
// text is "" with kwNone where the result is null.
func (f *definer) expandIRI(value string, documentRelative bool) (keyword, string, error) {
	if kw := keywordOf(value); kw != kwNone { // 1
		return kw, value, nil
	}
	if likeKeyword(value) { // 2
		return kwNone, "", nil
	}

	t, err := f.lookup(value) // 3
	switch {
	case err != nil:
		return kwNone, "", err
	case t == nil:
	case t.kw != kwNone: // 4
		return t.kw, keywordText[t.kw], nil
	case t.iri == nil:
		return kwNone, "", nil
	default: // 5
		return kwNone, t.iri.text, nil
	}

	if i := strings.IndexByte(value, ':'); i > 0 { // 6
		prefix, suffix := value[:i], value[i+1:]
		if prefix == "_" || strings.HasPrefix(suffix, "//") { // 6.2
			return kwNone, value, nil
		}
		if t, err = f.lookup(prefix); err != nil { // 6.3
			return kwNone, "", err
		}
		if t != nil && t.iri != nil && t.prefix { // 6.4
			return kwNone, t.iri.text + suffix, nil
		}
		if hasScheme(value) { // 6.5
			return kwNone, value, nil
		}
	}

	f.d.usesVocab = f.d.usesVocab || !f.ownVocab
	if f.hasVocab { // 7
		return kwNone, f.vocab + value, nil
	}

	if documentRelative { // 8
		f.d.usesBase = true
		return kwNone, resolve(f.base, value), nil
	}

	return kwNone, value, nil // 9
}

// define is Create Term Definition (JSON-LD API section 4.2.2).
func (f *definer) define(e *entry) error {
	switch e.state { // 1
	case done:
		return nil
	case active:
		return f.fail(CyclicIRIMapping, e.src, e.node, "the definition of "+quote(e.name)+
			" depends on itself")
	}

	if e.name == "" { // 2
		return f.fail(InvalidTermDefinition, e.src, e.node, "a term must not be the empty string")
	}

	e.state = active
	src, v := e.src, e.node // 3
	kind := src.kind(v)
	if e.name == "@type" { // 4
		if kind != jsontape.Object {
			return f.fail(KeywordRedefinition, src, v,
				"the definition of @type can only have @container @set and @protected")
		}
		members := 0
		for k, m := range src.tape.Members(int(v)) {
			if !src.is(uint32(k), "@protected") &&
				!(src.is(uint32(k), "@container") && src.isSet(uint32(m))) {
				return f.fail(KeywordRedefinition, src, v,
					"the definition of @type can only have @container @set and @protected")
			}
			members++
		}

		if members == 0 {
			return f.fail(KeywordRedefinition, src, v, "an empty definition of @type")
		}
	} else if keywordOf(e.name) != kwNone { // 5
		return f.fail(KeywordRedefinition, src, v, "keywords cannot be defined")
	} else if likeKeyword(e.name) {
		e.state = done
		return nil
	}

	t := &f.terms[0] // 10
	f.terms = f.terms[1:]
	t.name, t.hash, t.strong, t.protected = e.name, e.hash, e.strong, f.protected
	t.colon = strings.IndexByte(e.name, ':') >= 0
	simple := false
	var m members
	switch kind { // 7, 8, 9
	case jsontape.Null:
		m[kwID] = v
	case jsontape.String:
		m[kwID] = v
		simple = true
	case jsontape.Object:
		if bad := m.read(src, v); bad != 0 { // 26
			return f.fail(InvalidTermDefinition, src, bad, quote(src.text(bad))+
				" has no place in a term definition")
		}
	default:
		return f.fail(InvalidTermDefinition, src, v, "a term definition is a string, null or an object")
	}

	if p := m.at(e.src, kwProtected); p.src != nil { // 11
		switch src.kind(p.node) {
		case jsontape.True, jsontape.False:
			t.protected = src.kind(p.node) == jsontape.True
		default:
			return f.fail(InvalidProtectedValue, src, p.node, "@protected is not a boolean")
		}
	}

	if err := f.typeMapping(t, m.at(src, kwType)); err != nil { // 12
		return err
	}

	if m[kwReverse] != 0 { // 13
		// The specification ends here with a reverse property; test t0131 wants its index mapping too, so
		// the other entries are read.
		ok, err := f.reverse(e, t, &m)
		if err != nil || !ok {
			f.finish(e, t, false)
			return err
		}
	} else if ok, err := f.mapping(e, t, &m, simple); err != nil || !ok {
		f.finish(e, t, false)
		return err
	}

	if err := f.rest(e, t, &m); err != nil {
		return err
	}

	f.finish(e, t, true)
	return f.r.spend(0)
}

// finish ends the definition of a term (28; 27 is done where the delta is applied).
func (f *definer) finish(e *entry, t *term, ok bool) {
	e.state = done
	if ok {
		e.term = t
		if t.iri != nil && strings.HasSuffix(t.iri.text, t.name) { // keep in one place what is used together
			t.name = t.iri.text[len(t.iri.text)-len(t.name):]
		}
		t.literal = t.isLiteral()
	} else {
		t.removed = true // 6: an earlier definition is removed nevertheless
	}
	f.d.terms = append(f.d.terms, t)
}

// members are the entries of an expanded term definition by keyword: nodes of their values, 0 where there
// is none.
type members [keywordCount]uint32

func (m *members) at(src *source, k keyword) place {
	if m[k] == 0 {
		return place{}
	}
	return place{src, m[k]}
}

// read fills m and returns the first key that has no place in a term definition (26), or 0.
func (m *members) read(src *source, node uint32) uint32 {
	for k, v := range src.tape.Members(int(node)) {
		switch kw := keywordOf(src.text(uint32(k))); kw {
		case kwID, kwReverse, kwContainer, kwContext, kwDirection, kwIndex, kwLanguage, kwNest, kwPrefix,
			kwProtected, kwType:
			m[kw] = uint32(v)
		default:
			return uint32(k)
		}
	}
	return 0
}

// typeMapping is step 12.
func (f *definer) typeMapping(t *term, p place) error {
	if p.src == nil {
		return nil
	}
	if p.src.kind(p.node) != jsontape.String { // 12.1
		return f.fail(InvalidTypeMapping, p.src, p.node, "@type is not a string")
	}
	kw, text, err := f.expandIRI(p.src.text(p.node), false) // 12.2
	if err != nil {
		return err
	}
	switch { // 12.4, 12.5
	case kw == kwID:
		t.coercion = toID
	case kw == kwVocab:
		t.coercion = toVocab
	case kw == kwJSON:
		t.coercion = toJSON
	case kw == kwNoneValue:
		t.coercion = toNone
	case kw == kwNone && hasScheme(text):
		t.coercion, t.datatype = toDatatype, f.newIRI(text, "")
	default:
		return f.fail(InvalidTypeMapping, p.src, p.node, quote(p.src.text(p.node))+
			" is not an IRI or a type keyword")
	}
	return nil
}

// reverse is step 13; it reports whether the term is defined.
func (f *definer) reverse(e *entry, t *term, m *members) (bool, error) {
	p := m.at(e.src, kwReverse)
	if m[kwID] != 0 || m[kwNest] != 0 { // 13.1
		return false, f.fail(InvalidReverseProperty, p.src, p.node, "@reverse is used with @id or @nest")
	}
	if p.src.kind(p.node) != jsontape.String { // 13.2
		return false, f.fail(InvalidIRIMapping, p.src, p.node, "@reverse is not a string")
	}

	text := p.src.text(p.node)
	if likeKeyword(text) { // 13.3
		return false, nil
	}

	kw, iri, err := f.expandIRI(text, false) // 13.4
	if err != nil {
		return false, err
	}
	if kw != kwNone || !isIRIOrBlank(iri) {
		return false, f.fail(InvalidIRIMapping, p.src, p.node, quote(text)+" is not an IRI")
	}

	t.iri = f.newIRI(iri, "")

	if c := m.at(e.src, kwContainer); c.src != nil && c.src.kind(c.node) != jsontape.Null { // 13.5
		switch {
		case c.src.is(c.node, "@set"):
			t.container = inSet
		case c.src.is(c.node, "@index"):
			t.container = inIndex
		default:
			return false, f.fail(InvalidReverseProperty, c.src, c.node,
				"the container of a reverse property must be @set or @index")
		}
	}

	m[kwContainer] = 0
	t.reverse = true // 13.6
	return true, nil
}

// mapping sets the IRI mapping (14 to 18); it reports whether the term is defined.
func (f *definer) mapping(e *entry, t *term, m *members, simple bool) (bool, error) {
	p := m.at(e.src, kwID)
	isString := p.src != nil && p.src.kind(p.node) == jsontape.String
	switch {
	case p.src != nil && !(isString && p.src.text(p.node) == e.name): // 14
		if p.src.kind(p.node) == jsontape.Null { // 14.1
			break
		}
		if !isString { // 14.2.1
			return false, f.fail(InvalidIRIMapping, p.src, p.node, "@id is not a string")
		}
		text := p.src.text(p.node)
		if likeKeyword(text) && keywordOf(text) == kwNone { // 14.2.2
			return false, nil
		}
		kw, iri, err := f.expandIRI(text, false) // 14.2.3
		switch {
		case err != nil:
			return false, err
		case kw == kwContext:
			return false, f.fail(InvalidKeywordAlias, p.src, p.node, "@context has no alias")
		case kw != kwNone:
			t.kw = kw
		case isIRIOrBlank(iri):
			t.iri = f.newIRI(iri, "")
		default:
			return false, f.fail(InvalidIRIMapping, p.src, p.node, quote(text)+" is not an IRI or a keyword")
		}

		colon := strings.IndexByte(e.name[1:], ':') + 1
		if colon > 0 && colon < len(e.name)-1 || strings.Contains(e.name, "/") { // 14.2.4
			e.state = done
			kw, iri, err := f.expandIRI(e.name, false)
			if err != nil {
				return false, err
			}
			if kw != t.kw || t.iri != nil && iri != t.iri.text {
				return false, f.fail(InvalidIRIMapping, p.src, p.node, quote(e.name)+
					" expands to an IRI other than its @id")
			}
		}

		if simple && !strings.ContainsAny(e.name, ":/") { // 14.2.5
			t.prefix = t.iri != nil && (t.iri.form == blank || endsInGenDelim(t.iri.text))
		}
	case strings.IndexByte(e.name[1:], ':') >= 0: // 15
		i := strings.IndexByte(e.name[1:], ':') + 1
		prefix, suffix := e.name[:i], e.name[i+1:]
		d, err := f.lookup(prefix) // 15.1
		if err != nil {
			return false, err
		}
		if d != nil && d.iri != nil { // 15.2
			t.iri = f.newIRI(d.iri.text, suffix)
		} else { // 15.3
			t.iri = f.newIRI(e.name, "")
		}
	case strings.Contains(e.name, "/"): // 16
		e.state = done
		kw, iri, err := f.expandIRI(e.name, false)
		if err != nil {
			return false, err
		}
		if kw != kwNone || !hasScheme(iri) {
			return false, f.fail(InvalidIRIMapping, e.src, e.node, quote(e.name)+" is not an IRI")
		}
		t.iri = f.newIRI(iri, "")
	case e.name == "@type": // 17
		t.kw = kwType
	default: // 18
		f.d.usesVocab = f.d.usesVocab || !f.ownVocab
		if !f.hasVocab {
			return false, f.fail(InvalidIRIMapping, e.src, e.node, quote(e.name)+
				" has no @id, and there is no @vocab")
		}
		t.iri = f.newIRI(f.vocab, e.name)
	}

	return true, nil
}

// rest reads the other entries of a term definition (19 to 25).
func (f *definer) rest(e *entry, t *term, m *members) error {
	if p := m.at(e.src, kwContainer); p.src != nil { // 19
		var ok bool
		if t.container, ok = p.src.container(p.node); !ok {
			return f.fail(InvalidContainerMapping, p.src, p.node, "the value is not a valid container")
		}
		if t.container&inType != 0 { // 19.4
			if t.coercion == toNothing {
				t.coercion = toID
			}
			if t.coercion != toID && t.coercion != toVocab {
				return f.fail(InvalidTypeMapping, p.src, p.node, "a type map needs @type @id or @vocab")
			}
		}
	}

	if p := m.at(e.src, kwIndex); p.src != nil { // 20
		if t.container&inIndex == 0 {
			return f.fail(InvalidTermDefinition, p.src, p.node, "@index needs @container @index")
		}
		if p.src.kind(p.node) != jsontape.String {
			return f.fail(InvalidTermDefinition, p.src, p.node, "@index is not a string")
		}
		t.index = p.src.text(p.node)
		kw, iri, err := f.expandIRI(t.index, false)
		if err != nil {
			return err
		}
		if kw != kwNone || !hasScheme(iri) {
			return f.fail(InvalidTermDefinition, p.src, p.node, quote(t.index)+" is not an IRI")
		}
	}

	if p := m.at(e.src, kwContext); p.src != nil { // 21
		if err := f.r.checkScoped(f, p.src, p.node); err != nil {
			cause, ok := err.(*Error)
			if !ok {
				return err
			}
			bad := f.fail(InvalidScopedContext, p.src, p.node, "the context of "+quote(e.name)).(*Error)
			bad.Err = &Error{Code: cause.Code, Detail: cause.Detail, Err: cause.Err} // at the place of bad
			return bad
		}
		t.scoped = &f.pools.scopes.take(1)[0]
		*t.scoped = scoped{p.src, p.node, f.d.baseURL}
	}

	if p := m.at(e.src, kwLanguage); p.src != nil && m[kwType] == 0 { // 22
		switch p.src.kind(p.node) {
		case jsontape.Null:
			t.hasLang = null
		case jsontape.String:
			t.hasLang, t.lang = set, lower(p.src.text(p.node))
		default:
			return f.fail(InvalidLanguageMapping, p.src, p.node, "@language is neither a string nor null")
		}
	}

	if p := m.at(e.src, kwDirection); p.src != nil && m[kwType] == 0 { // 23
		var ok bool
		if t.hasDir, t.dir, ok = p.src.direction(p.node); !ok {
			return f.fail(InvalidBaseDirection, p.src, p.node, `@direction must be "ltr", "rtl" or null`)
		}
	}

	if p := m.at(e.src, kwNest); p.src != nil { // 24
		if p.src.kind(p.node) != jsontape.String {
			return f.fail(InvalidNestValue, p.src, p.node, "@nest is not a string")
		}
		t.nest = p.src.text(p.node)
		if kw := keywordOf(t.nest); kw != kwNone && kw != kwNest {
			return f.fail(InvalidNestValue, p.src, p.node, "@nest must not be a keyword other than @nest")
		}
	}

	if p := m.at(e.src, kwPrefix); p.src != nil { // 25
		if strings.ContainsAny(e.name, ":/") {
			return f.fail(InvalidTermDefinition, p.src, p.node, "a prefix must not contain ':' or '/'")
		}
		switch p.src.kind(p.node) {
		case jsontape.True, jsontape.False:
			t.prefix = p.src.kind(p.node) == jsontape.True
		default:
			return f.fail(InvalidPrefixValue, p.src, p.node, "@prefix is not a boolean")
		}
		if t.prefix && t.kw != kwNone {
			return f.fail(InvalidTermDefinition, p.src, p.node, "a keyword cannot be a prefix")
		}
	}

	return nil
}

func endsInGenDelim(s string) bool {
	return s != "" && strings.IndexByte(":/?#[]@", s[len(s)-1]) >= 0
}

var iriCount atomic.Uint32

func newIRI(text string) *iri {
	nq := append(append(append(make([]byte, 0, len(text)+2), '<'), text...), '>')
	return &iri{text: text, nq: nq, form: formOf(nq[1 : len(nq)-1]), seq: iriCount.Add(1)}
}

// newIRI compiles the IRI a+b in the memory of the definition.
func (f *definer) newIRI(a, b string) *iri {
	n := len(a) + len(b) + 2
	f.r.contexts.work += int64(n) / bytesPerSlot
	if cap(f.nq)-len(f.nq) < n {
		f.nq = f.room(max(n, 64*min(len(f.entries), 64)))
	}
	from := len(f.nq)
	f.nq = append(append(append(append(f.nq, '<'), a...), b...), '>')
	nq := f.nq[from:len(f.nq):len(f.nq)]
	if len(f.iris) == 0 { // terms with a datatype have two
		f.iris = f.pools.iris.take(8)
	}
	i := &f.iris[0]
	f.iris = f.iris[1:]
	f.seq++
	// nq never changes.
	*i = iri{text: unsafe.String(&nq[1], n-2), nq: nq, form: formOf(nq[1 : n-1]), seq: f.seq}
	return i
}

// room returns memory for the text of IRIs: that of the dataset for what ends with the call, since terms of
// the dataset may have the text.
func (f *definer) room(n int) []byte {
	if f.r.passes(f.src) {
		return f.r.into.Reserve(n)
	}
	return make([]byte, 0, n)
}

func quote(s string) string { return string(jsontape.AppendQuoted(nil, s)) }

// lower puts a language tag into lower case, as other implementations do, so that equal tags give equal
// quads.
func lower(s string) string { return strings.ToLower(s) }

// sameTerm reports whether two definitions are the same apart from their protected flags (27.1).
func sameTerm(a, b *term) bool {
	return a == b || a.kw == b.kw && a.coercion == b.coercion && a.container == b.container &&
		a.hasDir == b.hasDir && a.dir == b.dir && a.hasLang == b.hasLang && a.lang == b.lang &&
		a.prefix == b.prefix && a.reverse == b.reverse && a.removed == b.removed && a.index == b.index &&
		a.nest == b.nest && sameIRI(a.iri, b.iri) && sameIRI(a.datatype, b.datatype) &&
		sameScoped(a.scoped, b.scoped)
}

func sameIRI(a, b *iri) bool { return a == b || a != nil && b != nil && a.text == b.text }

func sameScoped(a, b *scoped) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.src == b.src && a.node == b.node || a.src.tape.Equal(int(a.node), &b.src.tape, int(b.node))
}
