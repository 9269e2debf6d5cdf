//phase:caller
package jsonld

import (
	"slices"
)

// item is one object of the expanded form: a node object, a value object or a list object, or a type of a
// node. Items are in run.items and refer to one another by index; 0 means none.
type item struct {
	kind  itemKind
	role  role // what it is in its parent
	flags itemFlags
	dir   direction // of a value
	tape  uint32    // node of the document: the object, the value, the entry of @type
	next  uint32    // next item of the same parent
	first uint32    // node: its first child; list: its first element
	last  uint32
	prop  uint32 // ref of the property, for the roles ofProperty and ofReverse
	id    uint32 // ref: @id of a node, datatype of a value, the type itself
	lang  uint32 // value: index into run.langs, 0 for none; node: place of its @id in the document
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
	verbatim                        // a plain string that N-Quads and JSON write the same way
	stated                          // a node whose term is in a quad; set while quads are written
	filled                          // a node with a quad in its graph, of itself or of what it includes
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

// newItem adds an item in place; the pointer is valid until the next one is added.
func (r *run) newItem(kind itemKind, node uint32) (uint32, *item) {
	r.items = append(r.items, item{})
	i := len(r.items) - 1
	it := &r.items[i]
	it.kind, it.tape = kind, node
	return uint32(i), it
}

func single(i uint32) chain { return chain{i, i, one} }

// join appends the items of a chain to another chain, which becomes an array.
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

// hang adds an item to the children of its parent.
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

// hangAll adds every item of a chain to the children of a parent.
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

// resetItems begins a new document.
func (r *run) resetItems() {
	r.buf = r.buf[:0]
	r.refs.reset()
	r.items = append(slices.Grow(r.items[:0], r.size()+1), item{})
	r.langs = append(r.langs[:0], tag{})
	r.nests, r.types, r.scoped = r.nests[:0], r.types[:0], 0
	r.bounds.over, r.bounds.longest, r.bounds.objects = false, 0, 0
}

// size estimates the items, quads and terms of a document: every second node of the tape is a key or needs
// no item.
func (r *run) size() int { return len(r.tape.Nodes) / 2 }
