// Package stock wraps the libraries in use today, unmodified: json-gold for RDFC-1.0 (which json-gold calls
// URDNA2015) and gowebpki/jcs for JCS.
//
// [RDFC] returns json-gold with a loader that keeps parsed contexts, as careful users run it, [Cold]
// json-gold without kept contexts, [Tuned] json-gold called in a way that avoids its largest costs, and
// [JCS] gowebpki/jcs. [Guard] refuses documents that json-gold canonicalizes incorrectly. The guard is
// separate from the engines: measurements time an engine alone, and package engines adds the guard for
// verification.
//
//phase:caller
package stock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
)

const nquads = "application/n-quads"

type rdfc struct{ cache *cache }

// RDFC returns json-gold as shipped. It loads each context once with the loader, or none if the loader is
// nil. It does not support SHA-384 and limits of work, and it drops data silently whatever Options.Lossy
// and Options.Direction are: see [Guard]. A document that would take too many steps is a *canon.LimitError.
// Without a limit of steps nothing is estimated, and json-gold is called once.
func RDFC(from jsonld.Loader) canon.Canonicalizer { return &rdfc{newCache(from, false)} }

// Cold returns json-gold with a loader that keeps nothing: each time json-gold needs a context, it is
// loaded and parsed again.
func Cold(from jsonld.Loader) canon.Canonicalizer { return &rdfc{newCache(from, true)} }

func (e *rdfc) Canonicalize(
	ctx context.Context, doc []byte, opt canon.Options,
) (form *canon.Form, err error) {
	if err := supported(doc, opt); err != nil {
		return nil, err
	}

	defer recovered(&err)
	call := newCall(ctx, e.cache, opt)
	var text any
	switch {
	case opt.Issued:
		return call.issued(doc, opt)
	case opt.Input == canon.NQuads:
		options := call.options()
		options.InputFormat = nquads
		if call.meter == nil {
			text, err = ld.NewJsonLdProcessor().Normalize(string(doc), options)
		} else {
			text, err = call.nquads(doc)
		}
	default:
		text, err = call.jsonld(doc, opt)
	}
	if err != nil {
		return nil, call.loader.cause(err)
	}

	form = opt.Target()
	form.Text = append(form.Text, text.(string)...)
	form.Lines = bytes.Count(form.Text, newline)
	return form, nil
}

var newline = []byte{'\n'}

// supported returns an error for options that json-gold does not support and for documents that are too
// large.
func supported(doc []byte, opt canon.Options) error {
	switch {
	case opt.Hash != "" && opt.Hash != canon.SHA256:
		return &canon.UnsupportedError{Engine: "json-gold", What: "hash " + string(opt.Hash)}
	case opt.Limits.Work != 0:
		return &canon.UnsupportedError{Engine: "json-gold", What: "a work limit"}
	case opt.Input == canon.JSON:
		return &canon.UnsupportedError{Engine: "json-gold", What: "JSON that is not JSON-LD"}
	}
	if opt.Input == canon.NQuads {
		return tooLarge(doc, nquadsMarks, opt.Limits)
	}
	return tooLarge(doc, jsonMarks, opt.Limits)
}

// recovered turns a panic of json-gold into an error.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("json-gold panicked: %v", v)
	}
}

// call is one use of json-gold.
type call struct {
	loader        *loader
	meter         *meter         // nil if there is no limit of steps: json-gold is then called once
	jsonldOptions jsonld.Options // for package jsonld
	foreseen      int64          // steps for the quads of the document; 0 if it is small
}

func newCall(ctx context.Context, c *cache, opt canon.Options) *call {
	l := opt.Limits.WithDefaults()
	from := &loader{ctx: ctx, cache: c, limit: l.Context, most: l.Documents, asked: map[string]bool{},
		fresh: c.cold}
	return &call{loader: from, meter: newMeter(l, opt.Budget), jsonldOptions: jsonld.Options{Limits: l}}
}

func (c *call) options() *ld.JsonLdOptions {
	o := ld.NewJsonLdOptions("")
	o.Algorithm = ld.AlgorithmURDNA2015
	o.Format = nquads
	o.DocumentLoader = c.loader
	return o
}

// jsonld canonicalizes a JSON-LD document in one call, or in the two halves of that call if there is a
// limit of steps.
func (c *call) jsonld(doc []byte, opt canon.Options) (any, error) {
	input, err := c.parse(doc)
	if err != nil {
		return nil, err
	}
	if c.meter == nil {
		return ld.NewJsonLdProcessor().Normalize(input, c.options())
	}
	dataset, err := c.toRDF(input)
	if err != nil {
		return nil, err
	}
	text, err := c.normalize(dataset)
	return text, err
}

func (c *call) nquads(doc []byte) (any, error) {
	dataset, err := ld.ParseNQuads(string(doc))
	if err != nil {
		return nil, err
	}
	return c.normalize(dataset)
}

// normalize canonicalizes a dataset. json-gold builds the text by growing a string, in quadratic time. If
// there is a limit of steps, normalize writes the lines one by one instead.
func (c *call) normalize(dataset *ld.RDFDataset) (any, error) {
	if c.meter == nil {
		return ld.NewJsonLdApi().Normalize(dataset, c.options())
	}
	if err := c.labels(dataset); err != nil {
		return nil, err
	}
	algorithm := ld.NewNormalisationAlgorithm(ld.AlgorithmURDNA2015)
	algorithm.Normalize(dataset)
	var text strings.Builder
	var writer ld.NQuadRDFSerializer
	for _, q := range algorithm.Quads() {
		name := "@default"
		if q.Graph != nil {
			name = q.Graph.GetValue()
		}
		one := ld.RDFDataset{Graphs: map[string][]*ld.Quad{name: {q}}}
		if err := writer.SerializeTo(&text, &one); err != nil {
			return nil, err
		}
	}
	return text.String(), nil
}

// parse decodes the document of the call. It refuses a JSON string, which json-gold would load as a URL.
func (c *call) parse(doc []byte) (any, error) {
	if err := c.native(doc); err != nil {
		return nil, err
	}
	var input any
	if err := json.Unmarshal(doc, &input); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			offset := min(int(syntax.Offset), len(doc))
			line, column := jsontape.Position(doc, offset)
			return nil, &canon.SyntaxError{Format: "JSON", Offset: offset, Line: line, Column: column,
				Msg: err.Error()}
		}
		return nil, err
	}
	switch input.(type) {
	case map[string]any, []any:
		c.loader.see(doc, input)
		return input, c.contexts(input)
	}
	return nil, errors.New("a JSON-LD document is an object or an array")
}

func (c *call) toRDF(input any) (*ld.RDFDataset, error) {
	o := c.options()
	o.Format = ""
	if c.meter != nil {
		if err := c.dataset(); err != nil {
			return nil, err
		}
		expanded, err := ld.NewJsonLdProcessor().Expand(input, o)
		if err != nil {
			return nil, err
		}
		return c.merge(expanded)
	}
	dataset, err := ld.NewJsonLdProcessor().ToRDF(input, o)
	if err != nil {
		return nil, err
	}
	return dataset.(*ld.RDFDataset), nil
}

// merge makes the dataset of an expanded document.
func (c *call) merge(expanded []any) (*ld.RDFDataset, error) {
	if err := c.values(expanded); err != nil {
		return nil, err
	}
	return ld.NewJsonLdApi().ToRDF(expanded, c.options())
}

// issued canonicalizes and recovers the issued-identifiers map, which json-gold does not return: json-gold
// relabels the quads of the dataset in place, so their labels before and after are compared.
func (c *call) issued(doc []byte, opt canon.Options) (*canon.Form, error) {
	var dataset *ld.RDFDataset
	var err error
	if opt.Input == canon.NQuads {
		dataset, err = ld.ParseNQuads(string(doc))
	} else {
		var input any
		if input, err = c.parse(doc); err == nil {
			dataset, err = c.toRDF(input)
		}
	}
	if err != nil {
		return nil, c.loader.cause(err)
	}

	before := map[*ld.Quad][3]string{}
	for name, quads := range dataset.Graphs {
		for _, q := range quads {
			graph, isBlank := strings.CutPrefix(name, "_:")
			if !isBlank {
				graph = ""
			}
			before[q] = [3]string{blank(q.Subject), blank(q.Object), graph}
		}
	}

	text, err := c.normalize(dataset)
	if err != nil {
		return nil, c.loader.cause(err)
	}

	form := opt.Target()
	if form.Issued == nil {
		form.Issued = map[string]string{}
	}

	for q, labels := range before {
		for i, n := range [3]ld.Node{q.Subject, q.Object, q.Graph} {
			if labels[i] != "" {
				form.Issued[labels[i]] = blank(n)
			}
		}
	}

	form.Text = append(form.Text, text.(string)...)
	form.Lines = bytes.Count(form.Text, newline)
	return form, nil
}

// blank returns the label of a blank node without "_:", or "".
func blank(n ld.Node) string {
	if n == nil || !ld.IsBlankNode(n) {
		return ""
	}
	return strings.TrimPrefix(n.GetValue(), "_:")
}
