//phase:caller
package stock

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
	native "canonscope/canon/jcs"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Guard returns an error if json-gold would canonicalize a document wrongly without an error. json-gold
//
//   - drops undefined terms and IRIs that it considers invalid,
//   - writes relative types unchanged,
//   - merges blank nodes whose labels begin with c14n,
//   - counts a quad twice if it holds a blank node twice,
//   - writes a quad twice if the document states it in two ways,
//   - does not escape control characters, U+FFFE and U+FFFF,
//   - loses the graph of a presented credential,
//   - rounds numbers, and writes large integers as doubles,
//   - writes an error text in place of some JSON literals.
//
// The error is a *canon.LossError, a *canon.UnsupportedError, or the error of a strict reading of the
// document. The pointers of losses lead into the document, or into the expanded document if the reason says
// so.
//
// A guard is slow and independent of the engine's result. It is meant for a gate that runs once for each
// document and for verification, outside timed sections.
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

	call := newCall(ctx, newCache(from, false), opt)
	input, err := call.parse(doc)
	if err != nil {
		return err
	}
	if err := call.dataset(); err != nil {
		return err
	}

	o := call.options()
	o.Format = ""
	o.SafeMode = true
	expanded, err := ld.NewJsonLdProcessor().Expand(input, o)
	var typed *ld.JsonLdError
	switch {
	case call.loader.err == nil && errors.As(err, &typed) && typed.Code == ld.InvalidProperty:
		loss := canon.Loss{Reason: "undefined term (json-gold does not say which)"}
		return &canon.LossError{Losses: []canon.Loss{loss}}
	case err != nil:
		return call.loader.cause(err)
	}

	if err := call.values(expanded); err != nil {
		return err
	}

	g := guard{direction: opt.Direction, right: map[string]bool{}}
	if err := g.numbers(&tape); err != nil {
		return err
	}
	if len(expanded) == 0 {
		g.lose("the document has no statements")
	}

	g.value(any(expanded))

	switch {
	case len(g.losses) > 0:
		return &canon.LossError{Losses: g.losses}
	case g.unsupported != nil:
		return g.unsupported
	}

	return guardQuads(call, expanded)
}

// guardQuads refuses a quad with one blank node in two places: json-gold counts it twice in the
// first-degree hash of that node, RDFC-1.0 once (section 4.4.3 step 2.1). It also refuses a quad that
// occurs twice, which json-gold writes twice: json-gold compares values as JSON, although true and
// {"@value":"true","@type":"xsd:boolean"} are one value.
func guardQuads(c *call, expanded []any) error {
	dataset, err := ld.NewJsonLdApi().ToRDF(expanded, c.options())
	if err != nil {
		return c.loader.cause(err)
	}
	for name, quads := range dataset.Graphs {
		seen := map[[3]ld.Node]bool{}
		for _, q := range quads {
			key := [3]ld.Node{q.Subject, q.Predicate, q.Object}
			if seen[key] {
				return &canon.UnsupportedError{Engine: "json-gold",
					What: fmt.Sprintf("a value written in two ways, %q", q.Object.GetValue())}
			}
			seen[key] = true
			s, o := blank(q.Subject), blank(q.Object)
			if s != "" && (s == o || "_:"+s == name) || o != "" && "_:"+o == name {
				return loop("_:" + cmp.Or(s, o))
			}
		}
	}
	return nil
}

func loop(label string) error {
	return &canon.UnsupportedError{Engine: "json-gold",
		What: "a quad that holds a blank node twice, such as " + label}
}

func guardNQuads(doc []byte, opt canon.Options) error {
	var d rdf.Dataset
	if err := d.ParseNQuads(doc, opt.Limits); err != nil {
		return err
	}
	for _, t := range d.Terms {
		switch {
		case t.Kind == rdf.Blank && strings.HasPrefix(string(t.Text), "_:c14n"):
			return &canon.UnsupportedError{Engine: "json-gold",
				What: "blank node labels that begin with c14n, such as " + string(t.Text)}
		case t.Kind == rdf.Literal && escaped.Match(t.Text):
			return &canon.UnsupportedError{Engine: "json-gold",
				What: "control characters in literals, such as " + string(t.Text)}
		}
	}
	for _, q := range d.Quads {
		for _, two := range [][2]rdf.TermID{{q.S, q.O}, {q.S, q.G}, {q.O, q.G}} {
			if two[0] == two[1] && d.Terms[two[0]].Kind == rdf.Blank {
				return loop(string(d.Terms[two[0]].Text))
			}
		}
	}
	return nil
}

// guard walks an expanded document.
type guard struct {
	direction   string          // canon.Options.Direction
	path        []string        // tokens of the pointer to the current value
	right       map[string]bool // IRIs that passed the checks
	losses      []canon.Loss
	lossText    int // bytes of their pointers
	unsupported error
}

// at runs check below a token of the pointer. The pointer is written out only for a loss: it may be longer
// than the document.
func (g *guard) at(token string, check func()) {
	g.path = append(g.path, token)
	check()
	g.path = g.path[:len(g.path)-1]
}

func (g *guard) pointer() string {
	if len(g.path) == 0 {
		return ""
	}
	return "/" + strings.Join(g.path, "/")
}

const credentialGraph = "https://www.w3.org/2018/credentials#verifiableCredential"

// escaped matches a canonical literal with an escape that json-gold does not write.
var escaped = regexp.MustCompile(`^"([^"\\]|\\[^bfu])*\\[bfu]`)

// unescaped reports whether json-gold writes a character verbatim that canonical N-Quads escape (RDFC-1.0
// section 5).
func unescaped(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7F || r == 0xFFFE || r == 0xFFFF
}

// languageTag matches the tags that json-gold keeps.
var languageTag = regexp.MustCompile("^[a-zA-Z]+(-[a-zA-Z0-9]+)*$")

func (g *guard) value(v any) {
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			g.at(strconv.Itoa(i), func() { g.value(x) })
		}
	case map[string]any:
		if text, ok := v["@value"]; ok {
			g.literal(v, text)
			return
		}
		for _, key := range ld.GetOrderedKeys(v) {
			g.at(key, func() { g.entry(key, v[key]) })
		}
	}
}

// entry checks an entry of a node object, or of an object that may replace one.
func (g *guard) entry(key string, v any) {
	switch key {
	case "@id":
		g.iri(v)
		return
	case "@type":
		for _, t := range ld.Arrayify(v) {
			g.iri(t)
		}
		return
	case credentialGraph:
		for _, x := range ld.Arrayify(v) {
			if m, ok := x.(map[string]any); ok && m["@graph"] == nil && len(m) > 1 {
				g.refuse("the graph container of a term that has a context")
			}
		}
	}
	if !strings.HasPrefix(key, "@") {
		g.iri(key)
	}
	g.value(v)
}

func (g *guard) literal(v map[string]any, text any) {
	if v["@type"] == "@json" {
		g.json(text)
		return
	}
	if datatype, ok := v["@type"]; ok {
		g.at("@type", func() { g.iri(datatype) })
	}
	if language, ok := v["@language"].(string); ok && !languageTag.MatchString(language) {
		g.at("@language", func() { g.lose(fmt.Sprintf("invalid language tag %q", language)) })
	}
	if _, ok := v["@direction"]; ok && g.direction != "" {
		g.refuse("rdfDirection")
	} else if ok {
		g.lose("@direction without rdfDirection")
	}
	switch text := text.(type) {
	case string:
		if strings.ContainsFunc(text, unescaped) {
			g.refuse("control characters in literals")
		}
	case float64:
		g.number(text)
	}
}

// number checks a number that json-gold turns into a literal.
func (g *guard) number(v float64) {
	const integers = 1 << 63 // json-gold writes larger ones as doubles
	if v == math.Trunc(v) {
		if math.Abs(v) < 1e21 && (v >= integers || v < -integers) {
			g.refuse("integers of 2^63 and beyond")
		}
		return
	}
	text := strconv.FormatFloat(v, 'E', 15, 64)
	if back, err := strconv.ParseFloat(text, 64); err != nil || back != v {
		g.lose("the number is rounded to " + text)
	}
}

// numbers finds numbers of the document that are not exact doubles.
func (g *guard) numbers(t *jsontape.Tape) error {
	_, warnings, err := native.AppendNode(nil, t, 0, native.Options{})
	for _, w := range warnings {
		if w.Kind != native.NegativeZero {
			g.losses = append(g.losses, canon.Loss{Pointer: w.Pointer,
				Reason: fmt.Sprintf("the number %s becomes %s", w.Source, w.Canonical)})
		}
	}
	return err
}

// json checks a JSON literal: json-gold can write objects, booleans and integers.
func (g *guard) json(v any) {
	switch v := v.(type) {
	case map[string]any:
		text, err := json.Marshal(v)
		if err != nil || bytes.ContainsFunc(text, unescaped) {
			g.refuse("control characters in literals")
		}
	case bool:
	case float64:
		if v != math.Trunc(v) || math.Abs(v) >= 1<<53 {
			g.refuse("fractions and large integers as JSON literals")
		}
	default:
		g.refuse("arrays, strings and null as JSON literals")
	}
}

// refuse records a construct that json-gold would write wrongly.
func (g *guard) refuse(what string) {
	if g.unsupported == nil {
		g.unsupported = &canon.UnsupportedError{Engine: "json-gold", What: what, Where: g.pointer()}
	}
}

// iri checks an @id, a type or a property.
func (g *guard) iri(v any) {
	s, ok := v.(string)
	switch {
	case !ok || g.right[s]:
	case strings.HasPrefix(s, "_:"):
	case ld.IsRelativeIri(s):
		g.lose(fmt.Sprintf("relative IRI %q", s))
	case !rdf.ValidIRI(s):
		g.lose(fmt.Sprintf("invalid IRI %q", s))
	case (strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")) && !ld.IsURL(s):
		g.lose(fmt.Sprintf("json-gold does not accept the URL %q", s))
	default:
		g.right[s] = true
	}
}

// Limits of the number of losses and of the bytes of their pointers. One loss is enough to refuse a document.
const (
	maxLosses   = 100
	maxLossText = 1 << 20
)

func (g *guard) lose(reason string) {
	if len(g.losses) < maxLosses && g.lossText <= maxLossText {
		l := canon.Loss{Pointer: g.pointer(), Reason: reason + " (in the expanded document)"}
		g.losses = append(g.losses, l)
		g.lossText += len(l.Pointer)
	}
}
