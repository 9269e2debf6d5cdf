//phase:caller
package jsonld

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"canonscope/canon/jsontape"
)

// source is JSON text with contexts: a context document, or a copy of a @context of a document. Its text
// never changes; it is shared by everything compiled from it.
type source struct {
	url     string // of a context document; "" for a @context of a document
	tape    jsontape.Tape
	str     string // tape.Src
	context uint32 // node of the value of the top-level @context; 0 if the whole text is a context

	mu     sync.Mutex
	deltas map[uint32]*delta // compiled context definitions by node

	kept  atomic.Bool  // in Processor.sources
	bytes atomic.Int64 // of the document and its deltas
}

// add accounts for memory that the source takes.
func (s *source) add(p *Processor, bytes int64) {
	s.bytes.Add(bytes)
	if s.kept.Load() {
		p.count.bytes.Add(bytes)
		p.count.sources.Add(bytes)
	}
}

//phase:context
func newSource(url string, text []byte, opt jsontape.Options) (*source, error) {
	s := new(source)
	return s, s.read(url, text, opt)
}

// read scans a copy of text into s, which is empty.
//
//phase:context
func (s *source) read(url string, text []byte, opt jsontape.Options) error {
	s.url, s.str = url, string(text)
	bytes := unsafe.Slice(unsafe.StringData(s.str), len(s.str)) // read, never written
	return s.tape.Scan(bytes, opt)
}

// cut makes s, which is empty, a copy of one value of a scanned document.
func (s *source) cut(t *jsontape.Tape, node uint32) {
	first := t.Nodes[node]
	s.str = string(t.Src[first.Start:first.End])
	s.tape.Src = unsafe.Slice(unsafe.StringData(s.str), len(s.str))
	s.tape.Nodes = append(s.tape.Nodes[:0], t.Nodes[node:first.Next]...)
	for i := range s.tape.Nodes {
		n := &s.tape.Nodes[i]
		n.Start -= first.Start
		n.End -= first.Start
		n.Next -= node
	}
}

// fresh returns a source with the same text and nothing compiled.
func (s *source) fresh() *source {
	return &source{url: s.url, tape: jsontape.Tape{Src: s.tape.Src, Nodes: s.tape.Nodes}, str: s.str,
		context: s.context}
}

// nested returns the context that an element of an array of contexts means: the element, or the object at
// its @context if it holds nothing else. Other implementations accept one level of this.
func (s *source) nested(node uint32) uint32 {
	nodes, inner := s.tape.Nodes, node+2
	if nodes[node].Kind != jsontape.Object || nodes[node].Next <= inner ||
		nodes[inner].Next != nodes[node].Next || nodes[inner].Kind != jsontape.Object ||
		!s.is(node+1, "@context") {
		return node
	}
	return inner
}

func (s *source) kind(node uint32) jsontape.Kind { return s.tape.Nodes[node].Kind }

// text returns the text of a string. It is safe for concurrent use.
func (s *source) text(node uint32) string {
	n := &s.tape.Nodes[node]
	if !n.Escaped() {
		return s.str[n.Start+1 : n.End-1]
	}
	return string(s.tape.AppendString(nil, int(node)))
}

// is reports whether a node is a string with the given text.
func (s *source) is(node uint32, text string) bool {
	return s.kind(node) == jsontape.String && s.text(node) == text
}

// isSet reports whether a container mapping is @set alone.
func (s *source) isSet(node uint32) bool {
	c, ok := s.container(node)
	return ok && c == inSet
}

// direction reads a base direction; ok is false if the value is not one.
func (s *source) direction(node uint32) (state optional, d direction, ok bool) {
	switch {
	case s.kind(node) == jsontape.Null:
		return null, noDirection, true
	case s.is(node, "ltr"):
		return set, ltr, true
	case s.is(node, "rtl"):
		return set, rtl, true
	}
	return unset, noDirection, false
}

var containerBits = map[string]containers{"@list": inList, "@set": inSet, "@index": inIndex,
	"@language": inLanguage, "@graph": inGraph, "@id": inID, "@type": inType}

// container reads a container mapping (JSON-LD API section 4.2.2 step 19.1).
func (s *source) container(node uint32) (c containers, ok bool) {
	switch s.kind(node) {
	case jsontape.String:
		c, ok = containerBits[s.text(node)]
		return c, ok
	case jsontape.Array:
		for e := range s.tape.Elements(int(node)) {
			if s.kind(uint32(e)) != jsontape.String {
				return 0, false
			}
			bit := containerBits[s.text(uint32(e))]
			if bit == 0 || c&bit != 0 {
				return 0, false
			}
			c |= bit
		}
	}
	switch rest := c &^ inSet; {
	case c == 0:
		return 0, false
	case c&inList != 0:
		return c, c == inList
	case c&inGraph != 0:
		others := rest &^ inGraph
		return c, others == 0 || others == inID || others == inIndex
	default:
		return c, rest&(rest-1) == 0 // at most one besides @set
	}
}
