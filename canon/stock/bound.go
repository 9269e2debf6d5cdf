//phase:caller
package stock

import (
	"errors"
	"strconv"
	"strings"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	labelling "canonscope/canon/rdfc"
)

// json-gold has no limits and cannot be stopped. It copies all terms for each context that it enters,
// compares each value of a property with all earlier ones, and copies the labels of blank nodes for each
// permutation. So the work of each part is estimated beforehand, in steps of some 50 nanoseconds. Its
// memory is bounded by the memory that package jsonld takes.

// meter counts the steps of one call. A nil meter bounds nothing.
type meter struct {
	done, max int64
	operation *canon.Budget // budget of the operation that the call belongs to, or nil
}

func newMeter(l canon.Limits, operation *canon.Budget) *meter {
	if l = l.WithDefaults(); l.Steps < 0 {
		return nil
	}
	return &meter{max: l.Steps, operation: operation}
}

// spend counts steps for one kind of work.
func (m *meter) spend(steps int64, what string) error {
	if m.done += steps; m.done > m.max {
		return m.beyond(m.done, what)
	}
	if m.operation != nil {
		return m.operation.Steps(steps)
	}
	return nil
}

func (m *meter) beyond(steps int64, what string) error {
	return &canon.LimitError{Limit: "steps", Max: m.max, Done: steps,
		Where: "the work of json-gold on " + what}
}

// Steps of parts of json-gold.
const (
	stepsCall     = 20_000 // to canonicalize any document
	stepsCopied   = 4      // to copy a term of an active context
	stepsDefined  = 100    // to process a term definition
	stepsExpanded = 100    // to expand an object
	stepsCompared = 4      // to compare two values
	stepsURL      = 17     // to match a byte of a URL with a regular expression
	stepsText     = 1      // to expand, check and escape a byte of a term
	stepsQuad     = 100    // to process a quad, from the dataset to the text
	stepsNamed    = 60     // more for a quad of a named graph
	stepsBlank    = 150    // more for each blank node in a quad
	stepsLabelled = 40     // for an n-degree call or a permutation
	stepsIssued   = 3      // to copy an identifier of an issuer
	sortedByStep  = 4      // members of an object compared in a step
	copiedByStep  = 20     // bytes copied in a step
)

// smallDocument is the size up to which documents have no large dataset, whatever their contexts are.
const smallDocument = 8 << 10

// native bounds the memory for a document by turning it into a dataset with package jsonld, which has
// limits, and estimates the steps for its quads. It refuses a document that package jsonld refuses, unless
// the document is small.
func (c *call) native(doc []byte) error {
	if c.meter == nil || len(doc) <= smallDocument {
		return nil
	}
	var d rdf.Dataset
	var own canon.Budget
	own.Reset(c.jsonldOptions.Limits)
	o := c.jsonldOptions
	o.Lossy, o.Losses, o.Budget = true, new([]canon.Loss), &own
	err := c.loader.cache.native().ToRDF(c.loader.ctx, doc, o, &d)
	c.foreseen = stepsOf(&d)
	var coded *jsonld.Error
	if errors.As(err, &coded) && coded.Code == jsonld.ConflictingIndexes {
		return nil // an error of the step after expansion, and the caller may only expand
	}
	return err
}

// stepsOf returns the steps for the quads of a dataset.
func stepsOf(d *rdf.Dataset) int64 {
	var blanks, named, text int64
	for i := range d.Terms {
		text += int64(len(d.Terms[i].Text))
	}
	for _, q := range d.Quads {
		if d.Terms[q.G].Kind != rdf.Default {
			named++
		}
		for _, t := range [3]rdf.TermID{q.S, q.O, q.G} {
			if d.Terms[t].Kind == rdf.Blank {
				blanks++
			}
		}
	}
	return stepsQuad*int64(len(d.Quads)) + stepsBlank*blanks + stepsNamed*named + stepsText*text
}

const theQuads = "the quads"

// dataset refuses a document with too many quads before json-gold expands it.
func (c *call) dataset() error {
	if m := c.meter; m != nil && m.done+c.foreseen > m.max {
		return m.beyond(m.done+c.foreseen, theQuads)
	}
	return nil
}

// contexts counts the contexts that json-gold enters for a document. It treats every key and every string
// as the name of a term that may have a scoped context: the result is an upper limit.
type contexts struct {
	loader  *loader
	terms   map[string]bool    // names that contexts define
	scoped  map[string]entered // of terms, by name
	remote  map[string]entered // by URL
	halts   bool               // a context has @propagate
	unknown bool               // a reference is relative: its definitions are unknown
	objects int64
	sum     entered
	typed   entered // the part of sum for strings, which may be types
}

// entered is the cost of entering a context.
type entered struct{ copies, definitions, nulls int64 }

func (e *entered) add(x entered, times int64) {
	e.copies += times * x.copies
	e.definitions += times * x.definitions
	e.nulls += times * x.nulls
}

// contexts bounds the contexts of a document.
func (c *call) contexts(input any) error {
	if c.meter == nil {
		return nil
	}
	loader := *c.loader // a copy: it also loads contexts of terms that the document does not use
	loader.asked = map[string]bool{}
	s := contexts{loader: &loader, terms: map[string]bool{}, scoped: map[string]entered{},
		remote: map[string]entered{}}
	s.collect(input)
	s.count(input)
	chain := int64(1)
	// A context that ends with its node keeps the previous one, and each null context keeps one more.
	if s.typed.copies > 0 || s.halts {
		s.sum.copies += s.objects
		chain += 1 + s.typed.nulls
		if s.halts {
			chain += s.sum.nulls
		}
	}
	steps := times(times(s.sum.copies, int64(len(s.terms))+1), chain*stepsCopied) +
		stepsDefined*s.sum.definitions + stepsExpanded*s.objects + stepsCall
	return c.meter.spend(steps, "contexts")
}

// times multiplies two figures, and returns one beyond any limit instead of an overflow.
func times(a, b int64) int64 {
	const most = 1 << 50
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}

// collect finds the contexts of a document and counts them once.
func (s *contexts) collect(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			s.collect(x)
		}
	case map[string]any:
		s.objects++
		for key, x := range v {
			if key == "@context" {
				s.sum.add(s.enter(x), 1)
			} else {
				s.collect(x)
			}
		}
	}
}

// enter returns the cost of entering a local context.
func (s *contexts) enter(v any) entered {
	e := entered{copies: 1}
	switch v := v.(type) {
	case nil:
		e.nulls = 1
	case string:
		e.add(s.load(v), 1)
	case []any:
		for _, x := range v {
			e.add(s.enter(x), 1)
		}
	case map[string]any:
		for key, x := range v {
			switch key {
			case "@context":
				e.add(s.enter(x), 1)
				continue
			case "@import":
				if url, ok := x.(string); ok {
					e.add(s.load(url), 1)
				}
			case "@propagate":
				s.halts = true
			}
			s.terms[key] = true
			e.definitions++
			if d, ok := x.(map[string]any); ok {
				if local, ok := d["@context"]; ok {
					a, b := s.enter(local), s.scoped[key]
					s.scoped[key] = entered{max(a.copies, b.copies), max(a.definitions, b.definitions),
						max(a.nulls, b.nulls)}
				}
			}
		}
	}

	return e
}

// load returns the cost of entering a remote context. One that cannot be loaded costs nothing: it ends the
// work of json-gold.
func (s *contexts) load(url string) entered {
	e, ok := s.remote[url]
	if ok {
		return e
	}
	s.remote[url] = e // ends cycles of contexts
	if !strings.Contains(url, ":") {
		s.unknown = true
		return e
	}
	doc, err := s.loader.load(url)
	if err != nil {
		return e
	}
	if m, ok := doc.Document.(map[string]any); ok {
		e = s.enter(m["@context"])
	}
	s.remote[url] = e
	return e
}

// count counts the scoped contexts of a document: those of properties once for the key and once for each
// value.
func (s *contexts) count(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			s.count(x)
		}
	case map[string]any:
		for key, x := range v {
			if key == "@context" {
				continue
			}
			values := int64(1)
			if list, ok := x.([]any); ok {
				values = int64(len(list))
			}
			s.sum.add(s.of(key), 1+values)
			s.count(x)
		}
	case string:
		e := s.of(v)
		s.sum.add(e, 1)
		s.typed.add(e, 1)
	}
}

// unknownTerms is the assumed number of terms of an unknown context. Contexts in use have fewer.
const unknownTerms = 1000

// of returns the cost of entering the scoped context of a term.
func (s *contexts) of(name string) entered {
	if s.unknown {
		return entered{1, unknownTerms, 1}
	}
	return s.scoped[name]
}

// cell is a place where json-gold collects values: a property of a node in a graph. Nodes without an id
// have a number.
type cell struct {
	graph, id string
	number    int
	property  string
}

// nodes counts the comparisons of values when json-gold merges the nodes of an expanded document, quadratic
// in the values of a property, and the URLs that it checks. It does not compare the elements of lists.
type nodes struct {
	values   map[cell]int64
	compared int64
	number   int
	urls     map[[2]string]bool // by graph
	length   int64              // bytes of the URLs
	sorted   int64              // comparisons of members of JSON literals
	copied   int64              // bytes of JSON literals, counted at each level
}

// values bounds the comparisons of values for an expanded document.
func (c *call) values(expanded any) error {
	if c.meter == nil {
		return nil
	}
	n := nodes{values: map[cell]int64{}, urls: map[[2]string]bool{}}
	n.merge(expanded, cell{graph: "@default"}, false)
	if err := c.meter.spend(stepsCompared*n.compared, "the values of its nodes"); err != nil {
		return err
	}
	if err := c.meter.spend(n.sorted/sortedByStep+n.copied/copiedByStep, "JSON literals"); err != nil {
		return err
	}
	return c.meter.spend(stepsURL*n.length, "URLs")
}

// add counts a value that is added to a cell.
func (n *nodes) add(to cell) {
	n.compared += n.values[to]
	n.values[to]++
}

// merge visits the values of a property. The cell has no property for the nodes of a graph.
func (n *nodes) merge(v any, to cell, listed bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			n.merge(x, to, listed)
		}
	case map[string]any:
		if to.property != "" && !listed {
			n.add(to)
		}
		if value, ok := v["@value"]; ok {
			if v["@type"] == "@json" {
				n.json(value)
			}
			n.iri(v["@type"], to.graph)
			return
		}
		if list, ok := v["@list"]; ok {
			n.merge(list, to, true)
			return
		}
		n.node(v, to.graph)
	}
}

// json counts the work of canonicalizing a JSON literal and returns its approximate length. json-gold
// compares each member with all earlier ones to find its place, and copies the text of a value at each
// level.
func (n *nodes) json(v any) (size int64) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			size += 1 + n.json(x)
		}
	case map[string]any:
		n.sorted += int64(len(v)) * int64(len(v))
		for key, x := range v {
			size += int64(len(key)) + 4 + n.json(x)
		}
	case string:
		size = int64(len(v)) + 2
	default:
		size = 8
	}
	n.copied += size
	return size
}

// iri counts an IRI of a graph.
func (n *nodes) iri(v any, graph string) {
	text, _ := v.(string)
	key := [2]string{graph, text}
	if strings.HasPrefix(text, "http") && !n.urls[key] {
		n.urls[key] = true
		n.length += int64(len(text))
	}
}

// node visits a node object.
func (n *nodes) node(v map[string]any, graph string) {
	node := cell{graph: graph}
	if id, ok := v["@id"].(string); ok {
		node.id = id
	} else {
		n.number++
		node.number = n.number
	}

	for key, x := range v {
		at := node
		at.property = key
		n.iri(key, graph)
		switch key {
		case "@id":
			n.iri(x, graph)
		case "@index":
		case "@type":
			for _, t := range ld.Arrayify(x) {
				n.iri(t, graph)
				n.add(at)
			}
		case "@graph":
			n.merge(x, cell{graph: node.id + "\x00" + strconv.Itoa(node.number)}, false)
		case "@included":
			n.merge(x, cell{graph: graph}, false)
		case "@reverse":
			properties, _ := x.(map[string]any)
			for property, subjects := range properties {
				n.iri(property, graph)
				for _, s := range ld.Arrayify(subjects) {
					n.reverse(s, cell{graph: graph, property: property})
				}
			}
		default:
			n.merge(x, at, false)
		}
	}
}

// reverse visits the subject of a reverse property; the node becomes a value of that subject.
func (n *nodes) reverse(v any, at cell) {
	subject, ok := v.(map[string]any)
	if !ok {
		return
	}
	if id, ok := subject["@id"].(string); ok { // a subject without an id has no other values
		at.id = id
		n.add(at)
	}
	n.node(subject, at.graph)
}

// labels bounds the labelling of a dataset by labelling it with package rdfc, which has limits.
func (c *call) labels(dataset *ld.RDFDataset) error {
	if c.meter == nil {
		return nil
	}
	var d rdf.Dataset
	addTo(&d, dataset)
	if err := c.meter.spend(stepsOf(&d), theQuads); err != nil {
		return err
	}
	var s labelling.State
	var own canon.Budget
	own.Reset(canon.Limits{Time: -1})
	const what = "the labels of blank nodes"
	most := (c.meter.max-c.meter.done)/stepsLabelled + 1
	err := s.Label(c.loader.ctx, &d, labelling.Options{Work: most, Budget: &own})
	var limit *canon.LimitError
	if errors.As(err, &limit) && limit.Limit == "work" {
		return c.meter.spend(stepsLabelled*most, what)
	} else if err != nil {
		return err
	}
	return c.meter.spend(stepsLabelled*s.Work()+stepsIssued*s.Copied(), what)
}
