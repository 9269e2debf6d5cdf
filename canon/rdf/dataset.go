// Package rdf holds RDF datasets in a compact form, reads N-Quads and writes canonical N-Quads (RDFC-1.0
// appendix A).
//
// A [Dataset] keeps each term as the bytes of its canonical N-Quads form and each quad as four term
// numbers. Fill one with [Dataset.ParseNQuads] or [Dataset.ReadNQuads], or build it with [Dataset.Append],
// [Dataset.Intern] and [Dataset.Add]; [AppendIRI] and [AppendLiteral] write the text of terms.
//
//phase:serialize primitive
package rdf

import (
	"bytes"

	"canonscope/canon/lookup"
)

// Kind is the kind of a term.
type Kind uint8

const (
	Default Kind = iota // the default graph; only as a graph name
	IRI
	Blank
	Literal
)

// TermID numbers a term of one Dataset. 0 is the default graph.
type TermID uint32

// Term is one RDF term as canonical N-Quads: `<iri>`, `_:label`, `"text"`, `"text"@tag`, `"text"^^<iri>`.
type Term struct {
	Text []byte
	Kind Kind
}

// Quad is one statement; G is 0 in the default graph.
type Quad struct {
	S, P, O, G TermID
}

// Dataset is a list of quads over a table of terms. A blank node has exactly one TermID; an IRI or a
// literal may have several (a producer that shares terms need not intern them again), and quads may repeat:
// canonicalization removes duplicates by text. A part of a dataset is a Dataset with the same Terms and
// fewer Quads.
//
// The zero Dataset is empty and ready. It is not safe for concurrent writing; any number of readers may
// share it.
//
//phase:serialize primitive
type Dataset struct {
	Terms []Term // Terms[0] is the default graph
	Quads []Quad

	arena arena
	buf   []byte
	table lookup.Table // of interned terms
	used  int          // terms beyond these refer to nothing
}

// Reset empties d and keeps its memory.
func (d *Dataset) Reset() {
	d.used = max(d.used, len(d.Terms))
	d.Terms = append(d.Terms[:0], Term{})
	d.Quads = d.Quads[:0]
	d.arena.reset()
	d.buf = d.buf[:0]
	d.table.Reset(0)
}

// Forget drops references that memory of d still has to the text of terms from before a Reset.
func (d *Dataset) Forget() {
	if end := min(d.used, cap(d.Terms)); len(d.Terms) < end {
		clear(d.Terms[len(d.Terms):end])
	}
	d.used = len(d.Terms)
}

// Size returns the memory of the dataset in bytes, without text of terms that lies outside it.
func (d *Dataset) Size() int {
	return 32*len(d.Terms) + 16*len(d.Quads) + d.table.Size() + d.arena.size + len(d.buf)
}

// Held returns the memory that d holds in bytes, used or not, without text of terms that lies outside it.
func (d *Dataset) Held() int {
	size := 32*cap(d.Terms) + 16*cap(d.Quads) + d.table.Size() + cap(d.buf)
	for _, c := range d.arena.chunks {
		size += cap(c)
	}
	return size
}

// Append adds a term without looking for an equal one. It keeps text, which must not change while d is in
// use.
func (d *Dataset) Append(kind Kind, text []byte) TermID {
	if len(d.Terms) == 0 {
		d.Terms = append(d.Terms, Term{})
	}
	d.Terms = append(d.Terms, Term{Text: text, Kind: kind})
	return TermID(len(d.Terms) - 1)
}

// Intern returns the number of the term with this text, adding a copy of it if it is new.
func (d *Dataset) Intern(kind Kind, text []byte) TermID {
	id, added := d.Keep(kind, text)
	if added {
		d.Terms[id].Text = d.Store(text)
	}
	return id
}

// Keep is Intern for text that does not change while d is in use: it is not copied. It reports whether the
// term is new.
func (d *Dataset) Keep(kind Kind, text []byte) (id TermID, added bool) {
	id, hash, place := d.find(text)
	if id != 0 {
		return id, false
	}
	id = d.Append(kind, text)
	d.table.Put(place, hash, uint32(id))
	return id, true
}

// find returns the interned term with this text, or 0 and the hash and place of one.
func (d *Dataset) find(text []byte) (id TermID, hash, place uint32) {
	d.table.Room()
	hash = lookup.Hash(text)
	n, place := d.table.Probe(hash, hash)
	for n != 0 && !bytes.Equal(d.Terms[n].Text, text) {
		n, place = d.table.Probe(hash, place+1)
	}
	return TermID(n), hash, place
}

// Add appends a quad.
func (d *Dataset) Add(s, p, o, g TermID) {
	d.Quads = append(d.Quads, Quad{s, p, o, g})
}

// Store returns a copy of text that lives as long as d's terms, until Reset.
func (d *Dataset) Store(text []byte) []byte { return d.arena.store(text) }

// Reserve returns empty memory with room for n bytes that lives as long as d's terms, until Reset.
func (d *Dataset) Reserve(n int) []byte {
	c := d.arena.room(n)
	return d.arena.keep(c[:len(c)+n])[:0:n]
}

// Buffer returns memory that lives as long as d's terms. Append their text to it and hand the result to
// SetBuffer. It is empty after Reset.
func (d *Dataset) Buffer() []byte { return d.buf }

// SetBuffer ends an append to Buffer.
func (d *Dataset) SetBuffer(buf []byte) { d.buf = buf }

// AppendNQuads appends one canonical line for each quad, in the order of Quads, with the present labels of
// blank nodes.
func (d *Dataset) AppendNQuads(dst []byte) []byte {
	for _, q := range d.Quads {
		dst = AppendQuad(dst, d.Terms[q.S].Text, d.Terms[q.P].Text, d.Terms[q.O].Text, d.Terms[q.G].Text)
	}
	return dst
}

// AppendQuad appends one line of canonical N-Quads from canonical terms; g is empty in the default graph.
func AppendQuad(dst, s, p, o, g []byte) []byte {
	dst = append(dst, s...)
	dst = append(dst, ' ')
	dst = append(dst, p...)
	dst = append(dst, ' ')
	dst = append(dst, o...)
	if len(g) > 0 {
		dst = append(dst, ' ')
		dst = append(dst, g...)
	}
	return append(dst, " .\n"...)
}

// arena hands out memory in chunks that never move, so that slices of it stay valid until reset.
//
//phase:serialize primitive
type arena struct {
	chunks [][]byte // the length of each is what is used of it
	at     int      // chunk in use
	size   int      // bytes kept
}

const (
	firstChunk = 4 << 10
	lastChunk  = 1 << 20
)

// room returns a chunk with room for n more bytes. The caller appends to it and hands the result to keep.
func (a *arena) room(n int) []byte {
	for ; a.at < len(a.chunks); a.at++ {
		if c := a.chunks[a.at]; cap(c)-len(c) >= n {
			return c
		}
	}
	size := min(firstChunk<<min(a.at, 20), lastChunk)
	a.chunks = append(a.chunks, make([]byte, 0, max(size, n)))
	return a.chunks[a.at]
}

// keep adds what was appended to the chunk that room returned, and returns that part.
func (a *arena) keep(c []byte) []byte {
	from := len(a.chunks[a.at])
	a.chunks[a.at] = c
	a.size += len(c) - from
	return c[from:len(c):len(c)]
}

func (a *arena) store(text []byte) []byte {
	return a.keep(append(a.room(len(text)), text...))
}

func (a *arena) reset() {
	for i := range a.chunks {
		a.chunks[i] = a.chunks[i][:0]
	}
	a.at, a.size = 0, 0
}
