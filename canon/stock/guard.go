package stock

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Guard returns an error if json-gold would canonicalize a document wrongly without saying so: it drops undefined terms
// and what it takes for invalid IRIs, writes relative types as they are, merges blank nodes whose labels begin with c14n,
// does not escape control characters, and loses the graph of a presented credential. The error is a *canon.LossError, a
// *canon.UnsupportedError, or what a strict reading of the document finds. Losses name pointers of the expanded document.
//
// A guard is slow and independent of the engine's result. It is for a gate that runs once a document, not for the clock.
func Guard(ctx context.Context, doc []byte, opt canon.Options, from jsonld.Loader) (err error) {
	if err := supported(doc, opt); err != nil {
		return err
	}
	defer recovered(&err)
	if opt.Input == canon.NQuads {
		return guardNQuads(doc, opt)
	}
	var tape jsontape.Tape
	if err := tape.Scan(doc, jsontape.Options{Bytes: opt.Limits.Bytes, Depth: opt.Limits.Depth}); err != nil {
		return err
	}
	call := newCall(ctx, &cache{from: from}, doc, opt)
	input, err := parse(doc)
	if err != nil {
		return err
	}
	o := call.options()
	o.Format = ""
	o.SafeMode = true
	expanded, err := ld.NewJsonLdProcessor().Expand(input, o)
	var typed *ld.JsonLdError
	switch {
	case call.loader.err == nil && errors.As(err, &typed) && typed.Code == ld.InvalidProperty:
		return &canon.LossError{Losses: []canon.Loss{{Reason: "undefined term (json-gold does not say which)"}}}
	case err != nil:
		return call.loader.cause(err)
	}
	g := guard{}
	if len(expanded) == 0 {
		g.lose("", "nothing is left")
	}
	g.value(any(expanded), "")
	switch {
	case len(g.losses) > 0:
		return &canon.LossError{Losses: g.losses}
	case g.unsupported != nil:
		return g.unsupported
	}
	return nil
}

func guardNQuads(doc []byte, opt canon.Options) error {
	var d rdf.Dataset
	if err := d.ParseNQuads(doc, opt.Limits); err != nil {
		return err
	}
	for _, t := range d.Terms {
		switch {
		case t.Kind == rdf.Blank && strings.HasPrefix(string(t.Text), "_:c14n"):
			return &canon.UnsupportedError{Engine: "json-gold", What: "blank node labels that begin with c14n, such as " + string(t.Text)}
		case t.Kind == rdf.Literal && slices.ContainsFunc([]string{`\b`, `\f`, `\u0`}, func(e string) bool { return strings.Contains(string(t.Text), e) }):
			return &canon.UnsupportedError{Engine: "json-gold", What: "control characters in literals, such as " + string(t.Text)}
		}
	}
	return nil
}

// guard walks an expanded document.
type guard struct {
	losses      []canon.Loss
	unsupported error
}

const credentialGraph = "https://www.w3.org/2018/credentials#verifiableCredential"

var languageTag = regexp.MustCompile("^[a-zA-Z]+(-[a-zA-Z0-9]+)*$") // what json-gold keeps

func (g *guard) value(v any, at string) {
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			g.value(x, fmt.Sprint(at, "/", i))
		}
	case map[string]any:
		if text, ok := v["@value"]; ok {
			g.literal(v, text, at)
			return
		}
		for _, key := range ld.GetOrderedKeys(v) {
			here := at + "/" + key
			switch key {
			case "@id":
				g.iri(v[key], here)
				continue
			case "@type":
				for _, t := range ld.Arrayify(v[key]) {
					g.iri(t, here)
				}
				continue
			case credentialGraph:
				for _, x := range ld.Arrayify(v[key]) {
					if m, ok := x.(map[string]any); ok && m["@graph"] == nil && len(m) > 1 && g.unsupported == nil {
						g.unsupported = &canon.UnsupportedError{Engine: "json-gold", What: "the graph container of a term with an own context", Where: here}
					}
				}
			}
			if !strings.HasPrefix(key, "@") {
				g.iri(key, here)
			}
			g.value(v[key], here)
		}
	}
}

func (g *guard) literal(v map[string]any, text any, at string) {
	if datatype, ok := v["@type"]; ok && datatype != "@json" {
		g.iri(datatype, at+"/@type")
	}
	if language, ok := v["@language"].(string); ok && !languageTag.MatchString(language) {
		g.lose(at+"/@language", fmt.Sprintf("invalid language tag %q", language))
	}
	if _, ok := v["@direction"]; ok {
		g.lose(at+"/@direction", "@direction without rdfDirection")
	}
	if s, ok := text.(string); ok && g.unsupported == nil && strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7F
	}) {
		g.unsupported = &canon.UnsupportedError{Engine: "json-gold", What: "control characters in literals", Where: at}
	}
}

// iri looks at an @id, a type or a property.
func (g *guard) iri(v any, at string) {
	s, ok := v.(string)
	switch {
	case !ok || strings.HasPrefix(s, "_:"):
	case ld.IsRelativeIri(s):
		g.lose(at, fmt.Sprintf("relative IRI %q", s))
	case !rdf.ValidIRI(s):
		g.lose(at, fmt.Sprintf("invalid IRI %q", s))
	case (strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")) && !ld.IsURL(s):
		g.lose(at, fmt.Sprintf("json-gold takes %q for no URL", s))
	}
}

func (g *guard) lose(at, reason string) {
	g.losses = append(g.losses, canon.Loss{Pointer: at, Reason: reason + " (in the expanded document)"})
}
