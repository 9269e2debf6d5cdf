//phase:caller
package jsonld

import (
	"sync/atomic"
	"unsafe"

	"canonscope/canon/jsontape"
	"canonscope/canon/lookup"
)

// keyword numbers the keywords of JSON-LD 1.1 (section 1.7, Syntax Tokens and Keywords).
type keyword uint8

const (
	kwNone keyword = iota
	kwBase
	kwContainer
	kwContext
	kwDirection
	kwGraph
	kwID
	kwImport
	kwIncluded
	kwIndex
	kwJSON
	kwLanguage
	kwList
	kwNest
	kwNoneValue
	kwPrefix
	kwPropagate
	kwProtected
	kwReverse
	kwSet
	kwType
	kwValue
	kwVersion
	kwVocab
	keywordCount
)

var keywordText = [keywordCount]string{"", "@base", "@container", "@context", "@direction", "@graph", "@id",
	"@import", "@included", "@index", "@json", "@language", "@list", "@nest", "@none", "@prefix",
	"@propagate", "@protected", "@reverse", "@set", "@type", "@value", "@version", "@vocab"}

func keywordOf(text string) keyword {
	if len(text) < 3 || text[0] != '@' {
		return kwNone
	}
	for k := kwBase; k < keywordCount; k++ {
		if keywordText[k] == text {
			return k
		}
	}
	return kwNone
}

// containers is a container mapping as a set of bits.
type containers uint8

const (
	inList containers = 1 << iota
	inSet
	inIndex
	inLanguage
	inGraph
	inID
	inType
)

// coercion is the kind of a type mapping.
type coercion uint8

const (
	toNothing coercion = iota // no type mapping
	toID
	toVocab
	toJSON
	toNone     // @none
	toDatatype // Term.datatype
)

// direction is a base direction.
type direction uint8

const (
	noDirection direction = iota
	ltr
	rtl
)

func (d direction) String() string { return [...]string{"", "ltr", "rtl"}[d] }

// optional is the state of a mapping: absent, null or a value.
type optional uint8

const (
	unset optional = iota
	null
	set
)

// term is a term definition (JSON-LD API section 4.1). It never changes once its context definition is
// compiled.
type term struct {
	name      string
	hash      uint16 // jsontape.KeyHash(name)
	strong    uint32 // lookup.HashString(name)
	kw        keyword
	coercion  coercion
	container containers
	dir       direction
	hasDir    optional
	hasLang   optional
	prefix    bool
	protected bool
	reverse   bool
	removed   bool // not a definition: the context definition removes an earlier one
	literal   bool // the result of isLiteral
	colon     bool // the name has one
	iri       *iri // nil if mapped to null or to a keyword
	datatype  *iri
	lang      string // lower case
	index     string // index mapping
	nest      string
	scoped    *scoped
}

// isLiteral reports whether a string under t becomes a value object with the type or language of t, without
// any other step and without a loss.
func (t *term) isLiteral() bool {
	if t.iri == nil || t.iri.form != absolute || t.container&^inSet != 0 || t.scoped != nil || t.reverse {
		return false
	}
	switch t.coercion {
	case toNothing, toNone:
		return true
	case toDatatype:
		return t.datatype.text != xsdBooleanText
	}
	return false
}

// scoped is the local context of a term definition.
type scoped struct {
	src  *source
	node uint32
	base string // URL to resolve references of the context against
}

// table is an open-addressing hash table of terms. A table is written only while its context is being made.
// A large table is not copied to be changed: the changes are in a table before it.
type table struct {
	slots  []slot // a power of two, at most 5/8 full
	count  int
	strong bool   // keyed by term.strong; else by term.hash, which the tape has already computed
	below  *table // where to look next; its below is nil

	filters
}

// filters hold what a table may contain, so that most keys and IRIs need no look-up. They include
// everything that was ever put into the table or into one that it was made from.
type filters struct {
	values, types uint64 // the jsontape.HashBit of each alias of @value and @type
	prefixes      uint64 // the same for names that are prefixes
	colons        bool   // a name has a colon
}

// note adds a term.
func (f *filters) note(d *term) {
	switch {
	case d.kw == kwValue:
		f.values |= jsontape.HashBit(d.hash)
	case d.kw == kwType:
		f.types |= jsontape.HashBit(d.hash)
	case d.prefix:
		f.prefixes |= jsontape.HashBit(d.hash)
	}
	f.colons = f.colons || d.colon
}

type slot struct {
	hash uint32
	term *term
}

const (
	maxProbe = 12  // slots probed with the weak hash; beyond it a table changes to the strong one
	maxWeak  = 512 // terms in a table with the weak hash, so that chosen keys cannot make a look-up slow
	maxCopy  = 512 // terms in a table that is copied
)

// find returns the term of a name whose jsontape.KeyHash is known, or nil.
func (t *table) find(name []byte, hash uint16) *term {
	for {
		h := uint32(hash)
		if t.strong {
			h = lookup.Hash(name)
		}
		slots := t.slots
		for i := int(h); ; i++ {
			s := &slots[i&(len(slots)-1)]
			if s.hash == h && s.term != nil && s.term.name == string(name) {
				return s.term
			}
			if s.term == nil {
				break
			}
		}
		if t = t.below; t == nil {
			return nil
		}
	}
}

// findHashed is find where both hashes are known.
func (t *table) findHashed(name string, hash uint16, strong uint32) *term {
	for ; t != nil; t = t.below {
		h := uint32(hash)
		if t.strong {
			h = strong
		}
		mask := uint32(len(t.slots) - 1)
		for i := h & mask; ; i = (i + 1) & mask {
			s := &t.slots[i]
			if s.term == nil {
				break
			}
			if s.hash == h && s.term.name == name {
				return s.term
			}
		}
	}
	return nil
}

// size returns the memory of the slots of t in bytes.
func (t *table) size() int64 { return int64(len(t.slots)) * int64(unsafe.Sizeof(slot{})) }

// total returns an upper bound of the terms in t.
func (t *table) total() int {
	if t.below == nil {
		return t.count
	}
	return t.count + t.below.count
}

// clone returns a table that can be changed, with room for the given number of further terms. Its slots are
// from p.
func (t *table) clone(extra int, p *pool[slot]) table {
	switch {
	case t.below == nil && t.count > maxCopy:
		c := table{below: t, filters: t.filters}
		c.make(extra, p)
		return c
	case t.below != nil && t.count+extra > maxCopy:
		c := table{filters: t.filters}
		c.make(t.total()+extra, p)
		c.fill(t.below.slots)
		c.fill(t.slots)
		return c
	}
	c := *t
	c.make(t.count+extra, p)
	if len(c.slots) == len(t.slots) && c.strong == t.strong {
		copy(c.slots, t.slots)
		c.count = t.count
	} else {
		c.fill(t.slots)
	}
	return c
}

// make gives t empty slots for n terms.
func (t *table) make(n int, p *pool[slot]) {
	size := 64
	for 8*n > 5*size {
		size *= 2
	}
	t.slots, t.count, t.strong = p.take(size), 0, t.strong || n > maxWeak
}

func (t *table) fill(from []slot) {
	for i := range from {
		if from[i].term != nil {
			t.put(from[i].term)
		}
	}
}

// put adds a term or replaces the one of the same name.
func (t *table) put(d *term) {
	h := uint32(d.hash)
	if t.strong {
		h = d.strong
	}
	t.note(d)
	mask := uint32(len(t.slots) - 1)
	probes := 0
	for i := h & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.term == nil {
			s.hash, s.term = h, d
			t.count++
			break
		}
		if s.hash == h && s.term.name == d.name {
			s.term = d
			return
		}
		probes++
	}
	if probes > maxProbe && !t.strong {
		old := t.slots
		t.strong, t.count = true, 0
		t.slots = make([]slot, len(old))
		t.fill(old)
	}
}

// hasProtected reports whether a term in t is protected.
func (t *table) hasProtected() bool {
	for u := t; u != nil; u = u.below {
		for i := range u.slots {
			if s := u.slots[i].term; s != nil && s.protected && t.findHashed(s.name, s.hash, s.strong) == s {
				return true
			}
		}
	}
	return false
}

// activeContext is an active context (JSON-LD API section 4.1): immutable and shared. Its table has the
// keywords as terms, so that one look-up resolves a key.
type activeContext struct {
	terms    table
	base     string // base IRI; "" if there is none
	original string // original base URL, which a null context restores
	vocab    string // vocabulary mapping, if hasVocab
	lang     string // default language, lower case; "" if there is none
	dir      direction
	hasVocab bool
	previous *activeContext // previous context, if this one does not propagate

	family  *family
	derived atomic.Pointer[derivations]
	implied atomic.Pointer[table] // properties by vocabulary mapping alone, as terms; a snapshot
}

func (c *activeContext) find(name []byte, hash uint16) *term { return c.terms.find(name, hash) }

// keywordTable holds only the keywords. It is shared and never changes.
var keywordTable = func() (t table) {
	t.slots = make([]slot, 64)
	for k := kwBase; k < keywordCount; k++ {
		name := keywordText[k]
		t.put(&term{name: name, hash: jsontape.KeyHash(name), strong: lookup.HashString(name), kw: k})
	}
	return t
}()

// initialContext returns a newly-initialized active context with a base IRI.
func initialContext(base string, f *family) *activeContext {
	return &activeContext{terms: keywordTable, base: base, original: base, family: f}
}

// findImplied returns the remembered property that the vocabulary mapping makes of a key, or nil.
func (c *activeContext) findImplied(name []byte, hash uint16) *term {
	if t := c.implied.Load(); t != nil {
		return t.find(name, hash)
	}
	return nil
}

// isInitial reports whether c has no term definitions.
func (c *activeContext) isInitial() bool { return &c.terms.slots[0] == &keywordTable.slots[0] }

// with returns a copy of c that can be changed: its table is shared until it is cloned. It is from p.
func (c *activeContext) with(p *pool[activeContext]) *activeContext {
	w := &p.take(1)[0]
	w.terms, w.base, w.original, w.vocab, w.lang = c.terms, c.base, c.original, c.vocab, c.lang
	w.dir, w.hasVocab, w.previous, w.family = c.dir, c.hasVocab, c.previous, c.family
	return w
}
