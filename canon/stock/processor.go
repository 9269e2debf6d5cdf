//phase:caller
package stock

import (
	"context"
	"encoding/json"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// Processor is json-gold as a JSON-LD processor with the options of package jsonld. It drops data silently
// even if Options.Lossy is false, and it does not support rdfDirection.
type Processor struct{ cache *cache }

// NewProcessor returns a processor that loads contexts with a loader. With nil it loads none.
func NewProcessor(from jsonld.Loader) *Processor { return &Processor{newCache(from, false)} }

// start makes a call and decodes a document for it.
func (p *Processor) start(
	ctx context.Context, doc []byte, opt *jsonld.Options,
) (*call, *ld.JsonLdOptions, any, error) {
	if opt.RDFDirection != "" {
		return nil, nil, nil, &canon.UnsupportedError{Engine: "json-gold", What: "rdfDirection"}
	}
	if err := tooLarge(doc, jsonMarks, opt.Limits); err != nil {
		return nil, nil, nil, err
	}
	c := newCall(ctx, p.cache, canon.Options{Limits: opt.Limits, Budget: opt.Budget})
	c.jsonldOptions.Base, c.jsonldOptions.ExpandContext = opt.Base, opt.ExpandContext
	c.jsonldOptions.ProcessingMode = opt.ProcessingMode
	o := c.options()
	o.Format, o.Base = "", opt.Base
	if opt.ProcessingMode != "" {
		o.ProcessingMode = opt.ProcessingMode
	}
	if opt.ExpandContext != "" {
		if err := json.Unmarshal([]byte(opt.ExpandContext), &o.ExpandContext); err != nil {
			return nil, nil, nil, err
		}
		c.loader.see([]byte(opt.ExpandContext), o.ExpandContext)
	}
	input, err := c.parse(doc)
	return c, o, input, err
}

// Expand returns the expanded form of a document as JSON.
func (p *Processor) Expand(ctx context.Context, doc []byte, opt jsonld.Options) (out []byte, err error) {
	defer recovered(&err)
	c, o, input, err := p.start(ctx, doc, &opt)
	if err != nil {
		return nil, err
	}
	expanded, err := ld.NewJsonLdProcessor().Expand(input, o)
	if err != nil {
		return nil, c.loader.cause(err)
	}
	return json.Marshal(expanded)
}

// ToRDF resets a dataset and adds the quads of a document as json-gold makes them, whether or not they are
// valid RDF.
func (p *Processor) ToRDF(
	ctx context.Context, doc []byte, opt jsonld.Options, into *rdf.Dataset,
) (err error) {
	defer recovered(&err)
	into.Reset()
	c, o, input, err := p.start(ctx, doc, &opt)
	if err != nil {
		return err
	}
	if err := c.dataset(); err != nil {
		return err
	}
	expanded, err := ld.NewJsonLdProcessor().Expand(input, o)
	if err != nil {
		return c.loader.cause(err)
	}
	dataset, err := c.merge(expanded)
	if err != nil {
		return c.loader.cause(err)
	}
	addTo(into, dataset)
	return nil
}

// addTo adds the quads of json-gold to a dataset.
func addTo(into *rdf.Dataset, from *ld.RDFDataset) {
	for _, quads := range from.Graphs {
		for _, q := range quads {
			s, p, o := intern(into, q.Subject), intern(into, q.Predicate), intern(into, q.Object)
			into.Add(s, p, o, intern(into, q.Graph))
		}
	}
}

func intern(d *rdf.Dataset, n ld.Node) rdf.TermID {
	if n == nil {
		return 0
	}
	kind := rdf.Literal
	switch n.(type) {
	case ld.IRI:
		kind = rdf.IRI
	case ld.BlankNode:
		kind = rdf.Blank
	}
	return d.Intern(kind, appendNode(nil, n))
}
