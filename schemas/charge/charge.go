// Package charge charges what the canonical form of a document costs to the parts of the document: to its
// JSON values and to the terms of its contexts. It counts and measures no time. Call [Document].
//
// Every quad of the canonical form is charged once, to the first value in document order that states it. The
// hashes of a blank node are charged to its node object, a list cell to the element, and a scoped context to
// the value or type under which the term was looked up. So the sums over all parts, and over all terms, are
// the totals of the document.
//
// Hashes are those that RDFC-1.0 asks for. An engine may make fewer: it may keep related hashes, and need
// not hash a blank node that is the only one.
package charge

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// Counts are what is charged to a part, or to all of them.
type Counts struct {
	Quads    int `json:"quads"`           // distinct quads: lines of the canonical form
	Shared   int `json:"shared"`          // those that another value states as well
	Repeated int `json:"repeated"`        // statements that are charged to an earlier value
	Bytes    int `json:"canonical_bytes"` // of the lines
	Blank    int `json:"blank_nodes"`

	First   int   `json:"first_degree"`   // hashes of first-degree quads
	NDegree int   `json:"n_degree"`       // hashes of n-degree quads
	Related int   `json:"related"`        // hashes of related blank nodes, for those of n-degree quads
	Hashed  int64 `json:"hashed_bytes"`   // by all three
	Scoped  int   `json:"scoped_entered"` // scoped contexts entered
}

// Hashes is the number of all hashes.
func (c *Counts) Hashes() int { return c.First + c.NDegree + c.Related }

// Add adds o to c.
func (c *Counts) Add(o Counts) {
	c.Quads += o.Quads
	c.Shared += o.Shared
	c.Repeated += o.Repeated
	c.Bytes += o.Bytes
	c.Blank += o.Blank
	c.First += o.First
	c.NDegree += o.NDegree
	c.Related += o.Related
	c.Hashed += o.Hashed
	c.Scoped += o.Scoped
}

// Part is a value of the document to which something is charged, or to a part of which.
type Part struct {
	Pointer string `json:"pointer"` // JSON pointer
	Size    int    `json:"bytes"`   // of its JSON
	Own     Counts `json:"own"`
	All     Counts `json:"all"` // with its parts

	Depth int    `json:"-"` // 0 for the document
	Up    int    `json:"-"` // index of the part that it is in; -1 for the document
	Token string `json:"-"` // last token of the pointer, unescaped
	Index bool   `json:"-"` // it is an element of an array, and Token a number
}

// Term is a key of the document, or a type that has a scoped context.
type Term struct {
	Name string `json:"term"` // as the document writes it; "" is the document
	Counts
}

// Account is what a document costs and where.
type Account struct {
	Total Counts `json:"total"`
	Parts []Part `json:"parts"` // in document order; the first is the document
	Terms []Term `json:"terms"` // dearest first

	Losses []canon.Loss `json:"losses,omitempty"` // data that the canonical form drops
}

// Options of Document.
type Options struct {
	Loader jsonld.Loader // finds contexts
	Limits canon.Limits
}

// Document counts a JSON-LD document. Data that the canonical form would lose is listed and costs nothing.
// Errors are those of [jsonld.Processor.ToRDF] and [rdfc.State.Run].
func Document(ctx context.Context, doc []byte, opt Options) (*Account, error) {
	var d rdf.Dataset
	var origins jsonld.Origins
	p := jsonld.New(jsonld.Config{Loader: opt.Loader})
	var entered []jsonld.Entered
	var losses []canon.Loss
	err := p.ToRDF(ctx, doc, jsonld.Options{Lossy: true, Losses: &losses, Limits: opt.Limits,
		Origins: &origins, Entered: &entered}, &d)
	if err != nil {
		return nil, err
	}

	var s rdfc.State
	tally := rdfc.Tally{}
	text, err := s.Run(ctx, &d, rdfc.Options{Work: opt.Limits.Work, Tally: tally}, nil)
	if err != nil {
		return nil, err
	}

	c := newCharger(&d, &origins)
	c.chargeLines(&s, text)
	c.chargeNodes(&s, tally)
	for _, e := range entered {
		c.charge(e.Node, e.Term, Counts{Scoped: 1})
	}
	a := c.account()
	a.Losses = losses
	return a, nil
}

// charger holds what is charged to each node of the tape.
type charger struct {
	d     *rdf.Dataset
	from  *jsonld.Origins
	tape  *jsontape.Tape
	up    []int32 // by node: its container; isKey of a key, -1 of the root
	place []int32 // by element of an array: its index
	own   []Counts
	terms map[string]*Counts
	first map[rdf.TermID]Counts // first-degree hash of each blank node
	maker map[rdf.TermID]uint32 // value that makes each blank node
}

const isKey = -2

func newCharger(d *rdf.Dataset, from *jsonld.Origins) *charger {
	n := len(from.Tape.Nodes)
	c := &charger{d: d, from: from, tape: &from.Tape, up: make([]int32, n), place: make([]int32, n),
		own: make([]Counts, n), terms: map[string]*Counts{}, first: map[rdf.TermID]Counts{},
		maker: map[rdf.TermID]uint32{}}

	c.up[0] = -1
	for i := range c.tape.Nodes {
		switch c.tape.Nodes[i].Kind {
		case jsontape.Array:
			next := int32(0)
			for e := range c.tape.Elements(i) {
				c.up[e], c.place[e] = int32(i), next
				next++
			}
		case jsontape.Object:
			for k, v := range c.tape.Members(i) {
				c.up[k], c.up[v] = isKey, int32(i)
			}
		}
	}

	object := func(n uint32) bool { return c.tape.Nodes[n].Kind == jsontape.Object }
	for _, m := range from.Blanks {
		known, ok := c.maker[m.Term]
		if !ok || object(m.Node) && !object(known) || object(m.Node) == object(known) && m.Node < known {
			c.maker[m.Term] = m.Node
		}
	}
	return c
}

// chargeLines charges each line of the canonical form to the first value that states it, and notes the
// first-degree quads of blank nodes (RDFC-1.0 section 4.6.3).
func (c *charger) chargeLines(s *rdfc.State, text []byte) {
	at := 0
	for line := range s.Lines() {
		end := at
		for text[end] != '\n' {
			end++
		}
		size := end + 1 - at
		at = end + 1

		first := uint32(0)
		sources := s.Sources(line)
		for i, quad := range sources {
			if i == 0 || c.from.Quads[quad].Value < c.from.Quads[first].Value {
				first = quad
			}
		}

		origin := c.from.Quads[first]
		one := Counts{Quads: 1, Bytes: size}
		for _, quad := range sources {
			if o := c.from.Quads[quad]; o.Value != origin.Value {
				one.Shared = 1
				c.charge(o.Value, c.termOf(o), Counts{Repeated: 1})
			}
		}
		c.charge(origin.Value, c.termOf(origin), one)
		c.firstDegree(c.d.Quads[first], origin.Value)
	}
}

// firstDegree adds the line of a quad to the first-degree hashes of its blank nodes.
func (c *charger) firstDegree(q rdf.Quad, value uint32) {
	size := len("   .\n")
	if q.G != 0 {
		size++
	}
	for _, t := range [...]rdf.TermID{q.S, q.P, q.O, q.G} {
		if term := &c.d.Terms[t]; term.Kind == rdf.Blank {
			size += len("_:a")
		} else {
			size += len(term.Text)
		}
	}

	for i, n := range [...]rdf.TermID{q.S, q.O, q.G} {
		if c.d.Terms[n].Kind != rdf.Blank || i > 0 && n == q.S || i == 2 && n == q.O {
			continue
		}
		h := c.first[n]
		h.First = 1
		h.Hashed += int64(size)
		c.first[n] = h
		if _, ok := c.maker[n]; !ok { // a label that occurs as a type alone
			c.maker[n] = value
		}
	}
}

// chargeNodes charges each blank node and its hashes to the value that makes it.
func (c *charger) chargeNodes(s *rdfc.State, tally rdfc.Tally) {
	for i := range s.Blanks() {
		n := s.Blank(i)
		h := tally[n]
		all := c.first[n]
		all.Add(Counts{Blank: 1, NDegree: h.NDegree, Related: h.Related, Hashed: h.Bytes})
		at := c.maker[n]
		c.charge(at, c.nearest(at), all)
	}
}

// charge charges a value, or the value of a key, and a term.
func (c *charger) charge(node uint32, term string, n Counts) {
	if c.up[node] == isKey {
		node++
	}
	c.own[node].Add(n)
	if c.terms[term] == nil {
		c.terms[term] = new(Counts)
	}
	c.terms[term].Add(n)
}

// termOf returns the key under which an object makes a statement: the highest one on the way from the object
// to the value.
func (c *charger) termOf(o jsonld.Origin) string {
	if o.Node > o.Value || c.tape.Nodes[o.Node].Next <= o.Value { // the value is a key of a map
		return c.nearest(o.Value)
	}
	term := ""
	for at := int32(o.Value); at > int32(o.Node); at = c.up[at] {
		if key := c.keyOf(at); key != "" {
			term = key
		}
	}
	return term
}

// nearest returns the nearest key above a value, "" if there is none.
func (c *charger) nearest(node uint32) string {
	if c.up[node] == isKey {
		node++
	}
	for at := int32(node); at > 0; at = c.up[at] {
		if key := c.keyOf(at); key != "" {
			return key
		}
	}
	return ""
}

// keyOf returns the text of the key of a value; "" if it has none, or one such as @list that holds the values
// of another key.
func (c *charger) keyOf(value int32) string {
	if value == 0 || c.up[value] < 0 || c.tape.Nodes[c.up[value]].Kind != jsontape.Object {
		return ""
	}
	switch key := string(c.tape.Text(int(value - 1))); key {
	case "@graph", "@included", "@list", "@reverse", "@set", "@value":
		return ""
	default:
		return key
	}
}

// account sums what was charged.
func (c *charger) account() *Account {
	all := slices.Clone(c.own)
	for i := len(all) - 1; i > 0; i-- { // parts come after their containers
		if up := c.up[i]; up >= 0 {
			all[up].Add(all[i])
		}
	}

	a := &Account{Total: all[0]}
	part := make([]int, len(all)) // by node
	for i, sum := range all {
		up := c.up[i]
		if i > 0 && (sum == Counts{}) || up == isKey {
			continue
		}
		p := Part{Size: len(c.tape.Raw(i)), Own: c.own[i], All: sum, Up: -1}
		if up >= 0 {
			if c.tape.Nodes[up].Kind == jsontape.Array {
				p.Index, p.Token = true, strconv.Itoa(int(c.place[i]))
			} else {
				p.Token = string(c.tape.Text(i - 1))
			}
			p.Up = part[up]
			p.Depth = a.Parts[p.Up].Depth + 1
			p.Pointer = a.Parts[p.Up].Pointer + "/" + jsontape.EscapeToken(p.Token)
		}
		part[i] = len(a.Parts)
		a.Parts = append(a.Parts, p)
	}

	for name, n := range c.terms {
		a.Terms = append(a.Terms, Term{name, *n})
	}
	slices.SortFunc(a.Terms, func(a, b Term) int {
		return cmp.Or(b.Quads-a.Quads, b.Bytes-a.Bytes, b.Hashes()-a.Hashes(), cmp.Compare(a.Name, b.Name))
	})
	return a
}
