//phase:validate
package jsonschema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Draft is a version of JSON Schema. Later drafts are larger.
type Draft int

const (
	Draft4 Draft = iota
	Draft6
	Draft7
	Draft2019
	Draft2020
)

var draftNames = [...]string{"draft-04", "draft-06", "draft-07", "2019-09", "2020-12"}

func (d Draft) String() string { return draftNames[d] }

const draft2019 = "https://json-schema.org/draft/2019-09/schema"

var draftURLs = map[string]Draft{
	"json-schema.org/draft-04/schema":      Draft4,
	"json-schema.org/draft-06/schema":      Draft6,
	"json-schema.org/draft-07/schema":      Draft7,
	"json-schema.org/draft/2019-09/schema": Draft2019,
	"json-schema.org/draft/2020-12/schema": Draft2020,
}

// draftOf returns the declared draft, or 2020-12 if the schema declares none.
func draftOf(doc any) (Draft, error) {
	m, _ := doc.(map[string]any)
	v, ok := m["$schema"]
	if !ok {
		return Draft2020, nil
	}
	s, _ := v.(string)
	if d, ok := draftURLs[withoutScheme(strings.TrimSuffix(s, "#"))]; ok {
		return d, nil
	}
	known := strings.Join(draftNames[:], ", ")
	return 0, &SchemaError{Pointer: "/$schema", Msg: fmt.Sprintf("unknown draft %q; known are %s", s, known)}
}

func withoutScheme(url string) string {
	return strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")
}

// place is one subschema: a document (its URL, "" for the schema itself) and a JSON pointer into it.
type place struct{ doc, pointer string }

// schema is a parsed schema with the documents it refers to, not yet compiled.
//
//phase:validate
type schema struct {
	draft   Draft
	docs    map[string]any // by URL; "" is the schema itself
	order   []*subschema   // every subschema found, in order
	at      map[place]*subschema
	ids     map[string]place // embedded resources by absolute URL
	anchors map[anchor]place
	targets map[place]place // by the subschema of a $ref
	pending []reference
	foreign map[string][]byte
	names   int // bytes of the pointers to all values
}

// scope is the base of relative references.
type scope struct {
	url      *url.URL
	resource place
}

// anchor is a name in a resource: $anchor, or in drafts 6 and 7 an $id that is only a fragment.
type anchor struct {
	resource place
	name     string
}

type reference struct {
	from         *subschema
	keyword, ref string
}

// read parses a schema and finds its subschemas and references. A reference to a document that is missing
// from foreign is an error.
func read(text []byte, foreign map[string][]byte) (*schema, error) {
	m := &meter{max: MaxSchemaBytes, limit: MaxSchemaBytes}
	doc, err := decode(text, canon.Limits{Bytes: MaxSchemaBytes}, m)
	if err != nil {
		return nil, err
	}

	s := &schema{docs: map[string]any{"": doc}, at: map[place]*subschema{}, ids: map[string]place{},
		anchors: map[anchor]place{}, targets: map[place]place{}, foreign: foreign}
	if err := s.count(doc, 0); err != nil {
		return nil, err
	}

	switch doc.(type) {
	case map[string]any, bool:
	default:
		return nil, &SchemaError{Msg: "a schema is an object or a boolean"}
	}

	if s.draft, err = draftOf(doc); err != nil {
		return nil, err
	}

	root := place{}
	s.walk(root, doc, scope{&url.URL{}, root})

	for len(s.pending) > 0 {
		r := s.pending[0]
		s.pending = s.pending[1:]
		if err := s.resolve(r); err != nil && (r.keyword == "$ref" || s.draft >= Draft2019) {
			return nil, err
		}
	}

	if err := s.undeclared(doc); err != nil {
		return nil, err
	}
	if n := len(s.order); n > MaxSubschemas {
		return nil, &canon.LimitError{Limit: "subschemas", Max: MaxSubschemas, Done: int64(n)}
	}
	if err := s.extend(); err != nil {
		return nil, err
	}

	if e, ok := s.loop(); ok {
		return nil, &SchemaError{Pointer: e.doc + e.pointer,
			Msg: "applies itself to the same value: an endless $ref"}
	}

	return s, s.bound()
}

// count adds up the lengths of the pointers to a value and to all values in it. The libraries and this
// package store one for each.
func (s *schema) count(v any, pointer int) error {
	if s.names += pointer; s.names > maxPointers {
		return &canon.LimitError{Limit: "bytes of pointers into the schema", Max: maxPointers,
			Done: int64(s.names)}
	}
	switch v := v.(type) {
	case map[string]any:
		for k, w := range v {
			if err := s.count(w, pointer+1+len(k)); err != nil {
				return err
			}
		}
	case []any:
		for i, w := range v {
			if err := s.count(w, pointer+1+len(strconv.Itoa(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

// undeclared refuses a schema that declares no draft and uses a keyword newer than draft 7: some readers
// would apply the keyword, others ignore it.
func (s *schema) undeclared(doc any) error {
	m, _ := doc.(map[string]any)
	if _, ok := m["$schema"]; ok {
		return nil
	}
	for _, at := range s.order {
		for _, k := range newer {
			if _, ok := at.keywords[k]; ok {
				return &SchemaError{Pointer: at.doc + at.pointer,
					Msg: k + ` is newer than draft-07, and the schema declares no draft: ` +
						`add "$schema": "https://json-schema.org/draft/2020-12/schema"`}
			}
		}
	}
	return nil
}

// dynamicRefs are the references of drafts 2019-09 and 2020-12 whose targets depend on the path to their
// subschema.
var dynamicRefs = []string{"$dynamicRef", "$recursiveRef"}

// Keywords whose values hold subschemas.
var (
	schemaKeywords = []string{"additionalItems", "additionalProperties", "contains", "else", "if", "items",
		"not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	listKeywords = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	mapKeywords  = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties",
		"properties"}
)

// walk records a subschema and those below it. It returns the subschema, or nil if the value is not an
// object.
func (s *schema) walk(at place, v any, sc scope) *subschema {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if e := s.at[at]; e != nil {
		return e
	}

	e := &subschema{place: at, keywords: m}
	s.at[at] = e
	s.order = append(s.order, e)
	key := "$id"
	if s.draft == Draft4 {
		key = "id"
	}

	ref, isRef := m["$ref"].(string)

	// Up to draft 7 the keywords beside a $ref are ignored.
	if id, ok := m[key].(string); ok && !(isRef && s.draft <= Draft7) {
		if name, ok := strings.CutPrefix(id, "#"); ok {
			s.anchors[anchor{sc.resource, name}] = at
		} else if u, err := sc.url.Parse(id); err == nil {
			u.Fragment = ""
			sc = scope{u, at}
			s.ids[u.String()] = at
		}
	}

	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := m[k].(string); ok {
			s.anchors[anchor{sc.resource, name}] = at
		}
	}

	e.scope = sc
	if isRef {
		s.pending = append(s.pending, reference{e, "$ref", ref})
	}

	for _, k := range dynamicRefs {
		if ref, ok := m[k].(string); ok {
			s.pending = append(s.pending, reference{e, k, ref})
		}
	}

	below := func(keyword, token, pointer string, v any) {
		pointer = at.pointer + "/" + jsontape.EscapeToken(keyword) + pointer
		if part := s.walk(place{at.doc, pointer}, v, sc); part != nil {
			e.add(keyword, token, part)
		}
	}

	for _, k := range schemaKeywords {
		below(k, "", "", m[k])
	}

	for _, k := range listKeywords {
		list, _ := m[k].([]any)
		for i, v := range list {
			token := strconv.Itoa(i)
			below(k, token, "/"+token, v)
		}
	}

	for _, k := range mapKeywords {
		defs, _ := m[k].(map[string]any)
		for _, name := range sortedKeys(defs) {
			below(k, name, "/"+jsontape.EscapeToken(name), defs[name])
		}
	}

	return e
}

// resolve follows a reference to its subschema, which may be at a place where no keyword expects one.
func (s *schema) resolve(r reference) error {
	sc := r.from.scope
	bad := func(format string, args ...any) error {
		return &SchemaError{Pointer: r.from.doc + r.from.pointer + "/" + r.keyword,
			Msg: fmt.Sprintf(format, args...)}
	}

	u, err := sc.url.Parse(r.ref)
	if err != nil {
		return bad("%v", err)
	}

	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	target := sc.resource
	full := u.String()
	if base := sc.url.String(); base == "" {
		full, _, _ = strings.Cut(r.ref, "#") // the schema has no base URL
	}

	if full != sc.url.String() {
		if known, ok := s.ids[full]; ok {
			target = known
		} else if text, ok := s.foreign[full]; ok {
			target = place{doc: full}
			if _, ok := s.docs[full]; !ok {
				m := &meter{max: MaxSchemaBytes, limit: MaxSchemaBytes}
				doc, err := decode(text, canon.Limits{Bytes: MaxSchemaBytes}, m)
				if err == nil {
					err = s.count(doc, 0)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", full, err)
				}
				s.docs[full] = doc
				s.walk(target, doc, scope{u, target})
			}
		} else if _, meta := draftURLs[withoutScheme(full)]; meta {
			r.from.meta = true
			return nil
		} else {
			return bad("refers to %s; schemas are not fetched, so pass it as a resource", full)
		}
	}

	if fragment != "" && fragment[0] != '/' {
		at, ok := s.anchors[anchor{target, fragment}]
		if !ok {
			return bad("the anchor %s does not exist", r.ref)
		}
		target = at
	} else {
		target.pointer += fragment
	}

	if r.keyword == "$ref" {
		s.targets[r.from.place] = target
	}

	v, sc, ok := s.find(target)
	if !ok {
		return bad("%s points to nothing", r.ref)
	}
	if e := s.walk(target, v, sc); e != nil {
		r.from.same = append(r.from.same, e)
	}

	return nil
}

// extend adds all possible targets of each $dynamicRef and $recursiveRef. The target depends on the path to
// the subschema.
func (s *schema) extend() error {
	anchors := map[string][]*subschema{}
	for _, e := range s.order {
		if name, ok := e.keywords["$dynamicAnchor"].(string); ok {
			anchors[name] = append(anchors[name], e)
		}
		if e.keywords["$recursiveAnchor"] == true {
			anchors[""] = append(anchors[""], e)
		}
	}

	for _, e := range s.order {
		if e.meta && len(anchors) > 0 {
			return &SchemaError{Pointer: e.doc + e.pointer,
				Msg: "refers to a meta-schema that the schema extends"}
		}
		for _, k := range dynamicRefs {
			ref, ok := e.keywords[k].(string)
			u, err := url.Parse(ref)
			if !ok || err != nil {
				continue
			}
			for _, target := range anchors[u.Fragment] {
				if !slices.Contains(e.same, target) {
					e.same = append(e.same, target)
				}
			}
		}
	}

	return nil
}

// find follows a pointer from the root of its document and returns the value and its scope.
func (s *schema) find(at place) (any, scope, bool) {
	v, pointer := s.docs[at.doc], ""
	var sc scope
	if root := s.at[place{doc: at.doc}]; root != nil {
		sc = root.scope
	}
	for _, token := range strings.Split(at.pointer, "/")[1:] {
		pointer += "/" + token
		var ok bool
		if v, ok = jsontape.Part(v, token); !ok {
			return nil, sc, false
		}
		if known := s.at[place{at.doc, pointer}]; known != nil {
			sc = known.scope
		}
	}
	return v, sc, true
}

// loop returns a subschema that applies itself, directly or not, to the same value, if there is one.
func (s *schema) loop() (*subschema, bool) {
	const open, done = 1, 2
	state := map[*subschema]int{}
	var visit func(*subschema) bool
	visit = func(e *subschema) bool {
		if state[e] != 0 {
			return state[e] == open
		}
		state[e] = open
		if slices.ContainsFunc(e.same, visit) {
			return true
		}
		state[e] = done
		return false
	}
	for _, e := range s.order {
		if visit(e) {
			return e, true
		}
	}
	return nil, false
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
