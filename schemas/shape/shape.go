// Package shape measures credentials and RDF datasets: size, depth, number of quads and blank nodes, amount
// of context. The figures separate causes that a timing alone mixes up. Call [Measure].
package shape

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// Figures are the shape of one document.
type Figures struct {
	Measured     string       `json:"measured"`      // JSON pointer of what was measured: "" or "/credential"
	Bytes        int          `json:"bytes"`         // without insignificant white space
	Values       int          `json:"values"`        // JSON values, the root included
	Depth        int          `json:"depth"`         // nesting of values; the root is 1
	NonASCII     int          `json:"non_ascii"`     // strings with characters beyond ASCII
	Longest      int          `json:"longest"`       // bytes of the longest string
	Quads        int          `json:"quads"`         // distinct quads
	Blank        int          `json:"blank_nodes"`   // blank nodes
	NonUnique    int          `json:"non_unique"`    // blank nodes whose first-degree hash is shared
	Graphs       int          `json:"graphs"`        // named graphs
	Work         int64        `json:"work"`          // n-degree calls plus permutations of RDFC-1.0
	Contexts     int          `json:"contexts"`      // distinct context URLs loaded
	ContextBytes int          `json:"context_bytes"` // their bytes, as the loader serves them
	InlineBytes  int          `json:"inline_bytes"`  // of contexts in the document, without URLs
	Scoped       int          `json:"scoped_nodes"`  // node objects that enter a scoped context
	Losses       []canon.Loss `json:"losses"`        // data that the canonical form drops; none in safe mode
}

// Options of Measure.
type Options struct {
	Input     canon.Input   // syntax: JSON-LD (default), or N-Quads without figures of JSON
	Loader    jsonld.Loader // finds contexts
	WithProof bool          // keep the proof; by default the unsigned document is measured
	Limits    canon.Limits
}

// Measure returns the figures of a credential. If a document without @context has a credential in its
// member "credential", that one is measured. Errors are those of [jsonld.Processor.ToRDF] and
// [rdfc.Canonicalize]; data that would be lost is listed in Losses and is not an error.
func Measure(ctx context.Context, doc []byte, opt Options) (*Figures, error) {
	if opt.Input == canon.NQuads {
		return measureNQuads(ctx, doc, opt.Limits)
	}
	var f Figures
	var t jsontape.Tape
	doc, err := f.unwrap(&t, doc, opt)
	if err != nil {
		return nil, err
	}
	f.count(&t)

	loader := &counting{from: opt.Loader, seen: map[string]*jsonld.Document{}}
	var d rdf.Dataset
	p := jsonld.New(jsonld.Config{Loader: loader, State: jsonld.Embedded})
	err = p.ToRDF(ctx, doc, jsonld.Options{Lossy: true, Losses: &f.Losses, Limits: opt.Limits,
		Scoped: &f.Scoped}, &d)
	if err != nil {
		return nil, err
	}
	for _, c := range loader.seen {
		f.Contexts++
		f.ContextBytes += len(c.Bytes)
	}
	if err := f.measureDataset(ctx, &d, opt.Limits); err != nil {
		return nil, err
	}
	return &f, nil
}

func measureNQuads(ctx context.Context, doc []byte, limits canon.Limits) (*Figures, error) {
	f := Figures{Bytes: len(doc)}
	var d rdf.Dataset
	if err := d.ParseNQuads(doc, limits); err != nil {
		return nil, err
	}
	if err := f.measureDataset(ctx, &d, limits); err != nil {
		return nil, err
	}
	return &f, nil
}

// unwrap scans the document and returns the part to measure, without white space and, unless WithProof,
// without proof.
func (f *Figures) unwrap(t *jsontape.Tape, doc []byte, opt Options) ([]byte, error) {
	scan := jsontape.Options{Bytes: opt.Limits.Bytes, Depth: opt.Limits.Depth}
	if err := t.Scan(doc, scan); err != nil {
		return nil, err
	}
	if i := t.Get(0, "credential"); i >= 0 && t.Get(0, "@context") < 0 && t.Get(i, "@context") >= 0 {
		f.Measured = "/credential"
		doc = t.Raw(i)
		if err := t.Scan(doc, scan); err != nil {
			return nil, err
		}
	}
	if k := t.Key(0, "proof"); k >= 0 && !opt.WithProof {
		doc = t.AppendWithout(nil, 0, k)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, doc); err != nil {
		return nil, err
	}
	f.Bytes = compact.Len()
	return compact.Bytes(), t.Scan(compact.Bytes(), scan)
}

// count sets the figures of the JSON text.
func (f *Figures) count(t *jsontape.Tape) {
	var walk func(i, depth int, inContext bool)
	walk = func(i, depth int, inContext bool) {
		f.Values++
		f.Depth = max(f.Depth, depth)
		switch t.Nodes[i].Kind {
		case jsontape.String:
			text := t.Text(i)
			f.Longest = max(f.Longest, len(text))
			if slices.ContainsFunc(text, func(b byte) bool { return b >= 0x80 }) {
				f.NonASCII++
			}
		case jsontape.Array:
			for e := range t.Elements(i) {
				walk(e, depth+1, inContext)
			}
		case jsontape.Object:
			for k, v := range t.Members(i) {
				local := t.TextIs(k, "@context")
				if local && !inContext {
					f.InlineBytes += inline(t, v)
				}
				walk(v, depth+1, inContext || local)
			}
		}
	}
	walk(0, 1, false)
}

// inline returns the bytes of the context objects of an @context.
func inline(t *jsontape.Tape, i int) int {
	switch t.Nodes[i].Kind {
	case jsontape.Object:
		return len(t.Raw(i))
	case jsontape.Array:
		n := 0
		for e := range t.Elements(i) {
			n += inline(t, e)
		}
		return n
	}
	return 0
}

// measureDataset sets the figures of the dataset.
func (f *Figures) measureDataset(ctx context.Context, d *rdf.Dataset, limits canon.Limits) error {
	var s rdfc.State
	if _, err := s.Run(ctx, d, rdfc.Options{Work: limits.Work}, nil); err != nil {
		return err
	}
	f.Quads, f.Blank, f.Work = s.Lines(), s.Blanks(), s.Work()
	f.NonUnique = nonUnique(d)
	graphs := map[string]bool{}
	for _, q := range d.Quads {
		if q.G != 0 {
			graphs[string(d.Terms[q.G].Text)] = true
		}
	}
	f.Graphs = len(graphs)
	return nil
}

// nonUnique counts the blank nodes that share their first-degree hash (RDFC-1.0 section 4.6.3) with another.
func nonUnique(d *rdf.Dataset) int {
	lines := map[rdf.TermID][]string{}
	for _, q := range d.Quads {
		for i, n := range []rdf.TermID{q.S, q.O, q.G} {
			again := i > 0 && n == q.S || i == 2 && n == q.O // a quad that holds a node twice is one line
			if d.Terms[n].Kind != rdf.Blank || again {
				continue
			}
			term := func(t rdf.TermID) []byte {
				switch {
				case t == n:
					return []byte("_:a")
				case d.Terms[t].Kind == rdf.Blank:
					return []byte("_:z")
				}
				return d.Terms[t].Text
			}
			lines[n] = append(lines[n],
				string(rdf.AppendQuad(nil, term(q.S), term(q.P), term(q.O), term(q.G))))
		}
	}

	sharing := map[[32]byte]int{}
	for _, l := range lines {
		slices.Sort(l)
		h := sha256.New()
		for _, line := range l {
			h.Write([]byte(line))
		}
		sharing[[32]byte(h.Sum(nil))]++
	}

	n := 0
	for _, k := range sharing {
		if k > 1 {
			n += k
		}
	}

	return n
}

// counting is a loader that keeps the documents it has loaded.
type counting struct {
	from jsonld.Loader
	mu   sync.Mutex
	seen map[string]*jsonld.Document
}

func (c *counting) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.seen[url]; ok {
		return d, nil
	}
	if c.from == nil {
		return nil, errors.New("no loader for contexts")
	}
	d, err := c.from.Load(ctx, url)
	if err == nil {
		c.seen[url] = d
	}
	return d, err
}
