package rdfc

import (
	"bytes"
	"cmp"
	"slices"

	"canonscope/canon/rdf"
)

// order sorts the quads into the order of their canonical lines (section 5) and writes them.
//
// Lines are in code point order, which for UTF-8 is byte order. Comparing two quads term by term (subject, predicate,
// object, graph name; a missing graph name is the empty text) gives the same order as comparing their lines. The lines
// agree up to the first component whose texts differ. If neither text is a prefix of the other, the first byte that
// differs decides both comparisons. If x is a proper prefix of y, the term comparison puts x first, and in the lines the
// byte behind x, a space, meets a byte of y. `<iri>` is never such an x, because '>' only ends an IRI; a blank node label
// continues with a character of PN_CHARS or '.', and a literal with '@', '^', '-' or a letter or digit of its tag: all are
// greater than the space. A missing graph name meets the '.' that ends the line, a graph name '<' or '_', which are
// greater.
type order struct {
	terms      []rdf.Term // the dataset's terms, blank nodes with the labels to write
	relabelled []rdf.Term // memory of terms where there are blank nodes
	labels     []byte     // their text
	ends       []int      // where each label ends
	quads      []rdf.Quad

	sorted  []entry // quads in the order of their lines, duplicates behind the first of their kind
	lines   int
	sources []uint32 // filled on request: the quads of sorted
	starts  []uint32 // filled on request where there are duplicates: the place in sources where a line starts
}

// entry is one quad while it is sorted.
type entry struct {
	key       uint64 // the next bytes of the component in hand
	quad      uint32
	duplicate bool // the entry before it has the same line
}

func (o *order) reset() {
	o.lines, o.sorted, o.sources, o.starts = 0, o.sorted[:0], o.sources[:0], o.starts[:0]
}

// Lines returns the number of canonical lines.
func (o *order) Lines() int { return o.lines }

// Sources returns the numbers of the quads, in the dataset's list, that are the given line; more than one if the quad repeats.
func (o *order) Sources(line int) []uint32 {
	if len(o.sources) == 0 {
		for i, e := range o.sorted {
			o.sources = append(o.sources, e.quad)
			if o.lines < len(o.sorted) && !e.duplicate {
				o.starts = append(o.starts, uint32(i))
			}
		}
	}
	if o.lines == len(o.sorted) {
		return o.sources[line : line+1]
	}
	end := len(o.sources)
	if line+1 < len(o.starts) {
		end = int(o.starts[line+1])
	}
	return o.sources[o.starts[line]:end]
}

// write sorts the quads, counts the lines and appends them to dst.
func (o *order) write(dst []byte, quads []rdf.Quad) []byte {
	o.reset()
	o.quads = quads
	size := 0
	o.sorted = slices.Grow(o.sorted, len(quads))
	for i := range quads {
		q := &quads[i]
		o.sorted = append(o.sorted, entry{quad: uint32(i)})
		size += len(o.terms[q.S].Text) + len(o.terms[q.P].Text) + len(o.terms[q.O].Text) + len(o.terms[q.G].Text) + 6
	}
	o.sort(o.sorted, 0, 0)
	dst = slices.Grow(dst, size)
	for _, e := range o.sorted {
		if e.duplicate {
			continue
		}
		q := &quads[e.quad]
		dst = rdf.AppendQuad(dst, o.terms[q.S].Text, o.terms[q.P].Text, o.terms[q.O].Text, o.terms[q.G].Text)
		o.lines++
	}
	o.quads = nil
	return dst
}

// text returns the component of the entry's quad: 0 subject, 1 predicate, 2 object, 3 graph name.
func (o *order) text(e entry, component int) []byte {
	q := &o.quads[e.quad]
	switch component {
	case 0:
		return o.terms[q.S].Text
	case 1:
		return o.terms[q.P].Text
	case 2:
		return o.terms[q.O].Text
	}
	return o.terms[q.G].Text
}

// sort sorts entries that agree in everything before byte from of the component. It is a radix sort from the first byte
// on: it skips what all texts share, sorts by the next bytes, and goes on with each run that ties.
func (o *order) sort(e []entry, component, from int) {
	for len(e) > 1 {
		first := o.text(e[0], component)
		shared := len(first)
		for i := 1; i < len(e) && shared > from; i++ {
			if t := o.text(e[i], component); len(t) < shared || !same(t[:shared], first[:shared]) {
				shared = from + common(t[from:], first[from:shared])
			}
		}
		ended := true
		for i := range e {
			t := o.text(e[i], component)
			e[i].key = key(t, shared)
			ended = ended && len(t) == shared
		}
		if ended { // the texts are equal
			if component == 3 {
				for i := 1; i < len(e); i++ {
					e[i].duplicate = true
				}
				return
			}
			component, from = component+1, 0
			continue
		}
		sortKeys(e)
		for len(e) > 0 {
			k := e[0].key
			n := 1
			for n < len(e) && e[n].key == k {
				n++
			}
			if n > 1 {
				o.sort(e[:n], component, shared+min(int(k&0xFF), keyBytes))
			}
			e = e[n:]
		}
	}
}

const keyBytes = 7

// key returns the 7 bytes of t from a place on, padded with zeros, and in the lowest byte how many bytes t has from there,
// 8 standing for more than 7. Keys are in the order of the texts, whatever bytes these hold.
func key(t []byte, from int) uint64 {
	rest := len(t) - from
	switch {
	case rest > keyBytes:
		return be64(t[from:])&^0xFF | (keyBytes + 1)
	case len(t) >= 8:
		return be64(t[len(t)-8:])<<(8*(8-rest)) | uint64(rest)
	}
	k := uint64(rest)
	for i := range rest {
		k |= uint64(t[from+i]) << (56 - 8*i)
	}
	return k
}

// sortKeys sorts by key.
func sortKeys(e []entry) {
	if len(e) > 48 {
		slices.SortFunc(e, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
		return
	}
	for i := 1; i < len(e); i++ {
		x := e[i]
		j := i
		for ; j > 0 && e[j-1].key > x.key; j-- {
			e[j] = e[j-1]
		}
		e[j] = x
	}
}

// same tells whether two texts are equal, at once where they are the same memory.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}

// common returns the length of the common prefix.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n && be64(a[i:]) == be64(b[i:]); i += 8 {
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}
