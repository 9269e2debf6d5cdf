//phase:caller
package jsonld

import (
	"bytes"
	"hash/maphash"
	"slices"

	"canonscope/canon"
	"canonscope/canon/rdf"
)

// item is one object of the expanded form: a node object, a value object or a list object, or a type of a node. Items
// stand in run.items and refer to one another by index; 0 is no item.
type item struct {
	kind  itemKind
	role  role // where it hangs in its parent
	flags itemFlags
	dir   direction // of a value
	tape  uint32    // node of the document: the object, the value, the entry of @type
	next  uint32    // next item of the same parent
	first uint32    // node: what hangs in it; list: its elements
	last  uint32
	prop  uint32 // ref of the property, for the roles ofProperty and ofReverse
	id    uint32 // ref: @id of a node, datatype of a value, the type itself
	lang  uint32 // of a value: index into run.langs, 0 for none; of a node: where its @id stands in the document
	index uint32 // node of the text of @index, 0 for none
}

type itemKind uint8

const (
	nodeItem itemKind = iota
	valueItem
	listItem
	typeItem
	emptyItem // an empty array, which only the JSON form shows
)

type role uint8

const (
	ofType role = iota
	ofGraph
	ofIncluded
	ofProperty
	ofReverse
)

type itemFlags uint8

const (
	hasID     itemFlags = 1 << iota // a node with @id
	hasGraph                        // a node with @graph
	hasOthers                       // a node with properties, types, reverse properties or included nodes
	isJSON                          // a value of type @json
	verbatim                        // a string that N-Quads writes as JSON does, without language and datatype
	stated                          // a node whose term is in a quad; while quads are written
	filled                          // a node that stands in a graph and has written a quad there, by itself or what it includes
)

// chain is the result of expanding one JSON value: nothing, one item or an array of items.
type chain struct {
	head, tail uint32
	kind       chainKind
}

type chainKind uint8

const (
	nothing chainKind = iota
	one
	many
)

// newItem adds an item, which is written in place; the pointer is good until the next one is added.
func (r *run) newItem(kind itemKind, node uint32) (uint32, *item) {
	r.items = append(r.items, item{})
	i := len(r.items) - 1
	it := &r.items[i]
	it.kind, it.tape = kind, node
	return uint32(i), it
}

func single(i uint32) chain { return chain{i, i, one} }

// join appends the items of a chain to another, which becomes an array.
func (r *run) join(c *chain, more chain) {
	c.kind = many
	switch {
	case more.head == 0:
	case c.head == 0:
		c.head, c.tail = more.head, more.tail
	default:
		r.items[c.tail].next = more.head
		c.tail = more.tail
	}
}

// hang adds an item to those of its parent.
func (r *run) hang(parent, child uint32) {
	r.items[child].next = 0
	p := &r.items[parent]
	if p.last == 0 {
		p.first = child
	} else {
		r.items[p.last].next = child
	}
	p.last = child
}

// hangAll hangs every item of a chain.
func (r *run) hangAll(parent uint32, c chain, as role, prop uint32) {
	for i := c.head; i != 0; {
		next := r.items[i].next
		r.items[i].role, r.items[i].prop = as, prop
		r.hang(parent, i)
		i = next
	}
	if c.head == 0 && c.kind == many {
		i, it := r.newItem(emptyItem, 0)
		it.role, it.prop = as, prop
		r.hang(parent, i)
	}
}

// A ref is an IRI or blank node identifier that occurs in the document, once for each text or compiled IRI. It is the number
// of a term in the dataset, whose text stands in angle brackets also where it is not an IRI; only an IRI has the kind of a
// term, and a blank node once it occurs in a quad. Ref 0 is null.

// refText returns the text of a ref without brackets. It must not be asked of ref 0.
func (r *run) refText(ref uint32) []byte {
	nq := r.into.Terms[ref].Text
	return nq[1 : len(nq)-1]
}

type memoSlot struct {
	iri *iri
	gen uint32
	ref uint32
}

type nameSlot struct {
	hash, gen, ref uint32
}

const memoSize = 1 << 8 // compiled IRIs of one document that are found again; a miss only makes a second term

// resetItems begins a new document, or the same one again. Slots of an older generation count as empty, so nothing is
// cleared.
func (r *run) resetItems() {
	r.buf = r.buf[:0]
	r.gen++
	if r.memo == nil || r.gen == 0 {
		r.memo, r.names, r.gen = new([memoSize]memoSlot), make([]nameSlot, 64), 1
	}
	r.items = append(slices.Grow(r.items[:0], r.size()+1), item{})
	r.forms = append(r.forms[:0], absolute)
	r.langs = append(r.langs[:0], tag{})
	r.nests, r.types, r.named = r.nests[:0], r.types[:0], 0
	r.over, r.longest, r.objects = false, 0, 0
}

// size estimates the items, quads and terms of a document: every second node of the tape is a key or needs none.
func (r *run) size() int { return len(r.tape.Nodes) / 2 }

// refOf returns the ref of a compiled IRI.
func (r *run) refOf(i *iri) uint32 {
	m := &r.memo[i.seq%memoSize]
	if m.iri != i || m.gen != r.gen {
		r.refer(i, m)
	}
	return m.ref
}

// refer adds the ref of a compiled IRI.
func (r *run) refer(i *iri, m *memoSlot) {
	m.iri, m.gen = i, r.gen
	if i.form == blank { // the same label may stand in the document
		m.ref = r.refOfText(append(r.buf, i.nq...))
		return
	}
	m.ref = r.newRef(i.nq, i.form)
	r.longest = max(r.longest, len(i.nq))
}

// newRef adds a ref.
func (r *run) newRef(nq []byte, f form) uint32 {
	r.forms = append(r.forms, f)
	kind := rdf.Default
	if f == absolute {
		kind = rdf.IRI
	}
	return uint32(r.into.Append(kind, nq))
}

// refOfText returns the ref of the text between angle brackets that buf, which is r.buf with more behind it, ends in.
func (r *run) refOfText(buf []byte) uint32 {
	nq := buf[len(r.buf):]
	h := uint32(maphash.Bytes(seed, nq))
	slot := r.slotOf(h, nq)
	if slot.gen == r.gen {
		return slot.ref
	}
	if len(buf) > r.maxText {
		r.over = true
		return 0
	}
	n := r.newRef(nq[:len(nq):len(nq)], formOf(nq[1:len(nq)-1]))
	*slot = nameSlot{h, r.gen, n}
	r.buf = buf
	r.longest = max(r.longest, len(nq))
	if r.named++; 2*r.named > len(r.names) {
		r.rehash()
	}
	return n
}

// textLimit returns the error of a document whose text grows too much.
func (r *run) textLimit(done int) error {
	return &canon.LimitError{Limit: "memory", Max: r.budget.Limits().Memory, Done: r.budget.Limits().Memory - int64(r.maxText-done)}
}

// refBytes is refOfText for text that stands elsewhere.
func (r *run) refBytes(text []byte) uint32 {
	if r.over {
		return 0
	}
	return r.refOfText(append(append(append(r.buf, '<'), text...), '>'))
}

func (r *run) refString(text string) uint32 {
	if r.over {
		return 0
	}
	return r.refOfText(append(append(append(r.buf, '<'), text...), '>'))
}

func (r *run) slotOf(h uint32, nq []byte) *nameSlot {
	mask := uint32(len(r.names) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &r.names[i]
		if s.gen != r.gen || s.hash == h && bytes.Equal(r.into.Terms[s.ref].Text, nq) {
			return s
		}
	}
}

func (r *run) rehash() {
	old := r.names
	r.names = make([]nameSlot, 4*len(old))
	mask := uint32(len(r.names) - 1)
	for _, s := range old {
		if s.gen != r.gen {
			continue
		}
		i := s.hash & mask
		for r.names[i].gen == r.gen {
			i = (i + 1) & mask
		}
		r.names[i] = s
	}
}

// tag is a language tag that occurs in the document.
type tag struct {
	text []byte // lower case
	ok   bool   // well-formed
}

// tagOf returns the number of a language tag in r.langs.
func (r *run) tagOf(text []byte) uint32 {
	for i := 1; i < min(len(r.langs), maxTags); i++ {
		if bytes.EqualFold(r.langs[i].text, text) {
			return uint32(i)
		}
	}
	from := len(r.buf)
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		r.buf = append(r.buf, c)
	}
	r.langs = append(r.langs, tag{r.buf[from:len(r.buf):len(r.buf)], wellFormedTag(text)})
	return uint32(len(r.langs) - 1)
}

// maxTags is how many tags are found again; what comes after them stands in the list once for each value.
const maxTags = 32

// wellFormedTag checks the shape of a language tag: letters, then letters and digits, in parts of one to eight, with
// hyphens between them (BCP 47 section 2.1; registered values are not looked up).
func wellFormedTag(s []byte) bool {
	part := 0
	first := true
	for _, c := range s {
		switch {
		case c == '-':
			if part == 0 {
				return false
			}
			part, first = 0, false
			continue
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case !first && c >= '0' && c <= '9':
		default:
			return false
		}
		if part++; part > 8 {
			return false
		}
	}
	return part > 0
}

// lost is data that is dropped.
type lost struct {
	node    uint32
	pointer string // of a place inside the node; "" for the node itself
	reason  string
}

// maxLosses bounds the list of losses; one is enough to refuse a document.
const maxLosses = 100

// maxLossText bounds the bytes of their pointers, which repeat the names on the way.
const maxLossText = 1 << 20

// lose records that the algorithms drop the data at a node.
func (r *run) lose(node uint32, reason string) {
	if len(r.losses) < maxLosses {
		r.losses = append(r.losses, lost{node, "", reason})
	}
}

// loseNull records that IRI Expansion makes null of the text at a node.
func (r *run) loseNull(node uint32, as string) {
	if likeKeyword(r.text(node)) {
		r.lose(node, "reserved "+as+" value")
	} else {
		r.lose(node, "term mapped to null as "+as)
	}
}
