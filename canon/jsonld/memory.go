//phase:caller
package jsonld

import (
	"canonscope/canon/jsontape"
	"canonscope/canon/lookup"
)

// memory is that of contexts and definitions which no later call finds in the cache. The next call uses it
// again.
//
//phase:context
type memory struct {
	contexts pool[activeContext]
	slots    pool[slot]
	terms    pool[term]
	iris     pool[iri]
	needs    pool[need]
	deltas   pool[delta]
	defined  pool[*term]
	scopes   pool[scoped]
	sources  []*source
	opened   int        // sources in use, which are the first ones
	definers []*definer // that are not in use
	noted    bool       // whether a definition to keep, which tells terms by their places, was compiled
}

// pool hands out slices of zeroes that are valid until end. A nil pool makes them for good.
//
//phase:context
type pool[T any] struct {
	chunk []T
	used  int
}

// Elements of a chunk: of the first, and of one that is kept for the next call.
const (
	minChunk = 64
	maxChunk = 1 << 14
)

func (p *pool[T]) take(n int) []T {
	if p == nil {
		return make([]T, n)
	}
	if len(p.chunk)-p.used < n { // what was handed out keeps the old chunk
		p.chunk, p.used = make([]T, max(minChunk, n, min(2*len(p.chunk), maxChunk))), 0
	}
	from := p.used
	p.used += n
	return p.chunk[from:p.used:p.used]
}

func (p *pool[T]) end() {
	if len(p.chunk) > maxChunk {
		p.chunk = nil
	} else {
		clear(p.chunk[:p.used])
	}
	p.used = 0
}

func (m *memory) end() {
	m.contexts.end()
	m.slots.end()
	if m.noted {
		m.terms, m.noted = pool[term]{}, false
	} else {
		m.terms.end()
	}
	m.iris.end()
	m.needs.end()
	m.deltas.end()
	m.defined.end()
	m.scopes.end()

	m.sources = m.sources[:min(len(m.sources), maxSources)]
	for _, s := range m.sources[:min(m.opened, maxSources)] {
		s.empty()
	}
	m.opened = 0
}

// maxSources is the number of sources that are kept for the next call.
const maxSources = 16

// source returns an empty source.
func (m *memory) source() *source {
	if m.opened == len(m.sources) {
		m.sources = append(m.sources, new(source))
	}
	m.opened++
	return m.sources[m.opened-1]
}

// inlineSource returns an empty source for a @context of the document.
//
//phase:context
func (r *run) inlineSource() *source {
	if r.p.state == Warm {
		return new(source)
	}
	return r.memory.source()
}

// empty removes everything from s but memory.
func (s *source) empty() {
	if cap(s.tape.Nodes) > maxChunk || len(s.deltas) > maxEntries {
		s.tape, s.deltas = jsontape.Tape{}, nil
	}
	clear(s.deltas)
	s.url, s.str, s.context, s.tape.Src = "", "", 0, nil
	s.bytes.Store(0)
}

// definer returns an empty definer.
func (m *memory) definer() *definer {
	if n := len(m.definers); n > 0 {
		f := m.definers[n-1]
		m.definers = m.definers[:n-1]
		return f
	}
	return new(definer)
}

// maxEntries is the number of entries for which a definer keeps memory.
const maxEntries = 1 << 10

// done takes back a definer.
func (m *memory) done(f *definer) {
	entries, index := f.entries, f.index
	if clear(entries); cap(entries) > maxEntries {
		entries, index = nil, lookup.Table{}
	}
	*f = definer{entries: entries[:0], index: index}
	m.definers = append(m.definers, f)
}

// The pools of things that end with the call are nil for things that the cache may keep.

//phase:context
func (r *run) contextPool() *pool[activeContext] {
	if r.p.state == Warm {
		return nil
	}
	return &r.memory.contexts
}

//phase:context
func (r *run) slotPool() *pool[slot] {
	if r.p.state == Warm {
		return nil
	}
	return &r.memory.slots
}

// passes reports whether what is compiled from src ends with the call.
//
//phase:context
func (r *run) passes(src *source) bool {
	return r.p.state > Embedded || r.p.state == Embedded && src.url == ""
}

// compiled are the pools of what is compiled from one source.
type compiled struct {
	terms   *pool[term]
	iris    *pool[iri]
	needs   *pool[need]
	deltas  *pool[delta]
	defined *pool[*term]
	scopes  *pool[scoped]
}

//phase:context
func (r *run) compiled(src *source) (c compiled) {
	if !r.passes(src) {
		return c
	}
	m := &r.memory
	return compiled{&m.terms, &m.iris, &m.needs, &m.deltas, &m.defined, &m.scopes}
}
