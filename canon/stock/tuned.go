//phase:serialize
package stock

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// tuned is json-gold called in a way that avoids its two largest costs: the context of a document is
// processed once and passed as a *ld.Context, and the quads are written with canon/rdf instead of by
// growing a string.
type tuned struct {
	cache    *cache
	contexts sync.Map // contextKey to *sync.Pool of *processed
	entries  atomic.Int64
}

// Tuned returns unmodified json-gold, called in a way that avoids its largest costs. Its output differs
// from that of [RDFC] only where the writer of json-gold is wrong. Costs that no use of the API avoids
// remain: json-gold matches a regular expression for each URL, and processes the contexts of terms at each
// node.
//
//phase:caller
func Tuned(from jsonld.Loader) canon.Canonicalizer { return &tuned{cache: newCache(from, false)} }

type contextKey struct {
	text  string // JSON of a document's @context
	limit int    // bytes that the call allows a context
}

var tapes = sync.Pool{New: func() any { return new(jsontape.Tape) }}

//phase:serialize fallback
func (e *tuned) Canonicalize(
	ctx context.Context, doc []byte, opt canon.Options,
) (form *canon.Form, err error) {
	if err := supported(doc, opt); err != nil {
		return nil, err
	}

	defer recovered(&err)
	call := newCall(ctx, e.cache, opt)
	if opt.Issued {
		return call.issued(doc, opt)
	}

	var dataset *ld.RDFDataset
	if opt.Input == canon.NQuads {
		dataset, err = ld.ParseNQuads(string(doc))
	} else {
		var input any
		if input, err = call.parse(doc); err != nil {
			return nil, err
		}
		var release func()
		if release, err = e.setContext(call, input, doc); err == nil {
			dataset, err = call.toRDF(input)
			release()
		}
	}
	if err != nil {
		return nil, call.loader.cause(err)
	}
	if err := call.labels(dataset); err != nil {
		return nil, err
	}

	algorithm := ld.NewNormalisationAlgorithm(ld.AlgorithmURDNA2015)
	algorithm.Normalize(dataset)
	form = opt.Target()
	quads := algorithm.Quads()
	for _, q := range quads {
		form.Text = appendQuad(form.Text, q)
	}

	form.Lines = len(quads)
	return form, nil
}

// setContext replaces the context of a document by a processed one, if the document has a context. A
// processed context serves one call at a time, since it uses the loader of that call.
//
//phase:context
func (e *tuned) setContext(c *call, input any, doc []byte) (release func(), err error) {
	release = func() {}
	object, ok := input.(map[string]any)
	if !ok || object["@context"] == nil || c.loader.fresh {
		return release, nil
	}

	tape := tapes.Get().(*jsontape.Tape)
	defer tapes.Put(tape)
	if err := tape.Scan(doc, jsontape.Options{Bytes: len(doc), Depth: 10_000}); err != nil {
		return release, nil // json-gold accepts some documents that the tape refuses
	}

	key := contextKey{string(tape.Raw(tape.Get(0, "@context"))), c.loader.limit}
	var pool *sync.Pool
	if p, ok := e.contexts.Load(key); ok {
		pool = p.(*sync.Pool)
	} else {
		pool = new(sync.Pool)
		if len(key.text) <= maxBytes/maxCached && e.entries.Add(1) <= maxCached {
			e.contexts.Store(key, pool)
		}
	}

	made, _ := pool.Get().(*processed)
	if made == nil {
		made = new(processed)
	}

	made.loader = c.loader

	if made.context == nil {
		o := c.options()
		o.Format = ""
		o.DocumentLoader = made
		if made.context, err = ld.NewContext(nil, o).Parse(object["@context"]); err != nil {
			return release, err
		}
	}

	object["@context"] = made.context

	return func() {
		if !c.loader.fresh { // it may hold an @import, which the next call would not notice
			pool.Put(made)
		}
	}, nil
}

// processed is a processed context. When a document needs the context of a term, it loads it for the
// current call.
type processed struct {
	context *ld.Context
	*loader
}

func appendQuad(dst []byte, q *ld.Quad) []byte {
	dst = appendNode(dst, q.Subject)
	dst = append(dst, ' ')
	dst = appendNode(dst, q.Predicate)
	dst = append(dst, ' ')
	dst = appendNode(dst, q.Object)
	if q.Graph != nil {
		dst = append(dst, ' ')
		dst = appendNode(dst, q.Graph)
	}
	return append(dst, " .\n"...)
}

func appendNode(dst []byte, n ld.Node) []byte {
	switch n := n.(type) {
	case ld.IRI:
		return rdf.AppendIRI(dst, n.Value)
	case ld.BlankNode:
		return append(dst, n.Attribute...)
	case ld.Literal:
		language := n.Language
		if n.Datatype != ld.RDFLangString {
			language = ""
		}
		return rdf.AppendLiteral(dst, n.Value, language, n.Datatype)
	}
	panic(fmt.Sprintf("json-gold has a node of type %T", n))
}
