//phase:validate
package jsonschema

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/xeipuuv/gojsonreference"
	"github.com/xeipuuv/gojsonschema"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// xeipuuv is a schema compiled by gojsonschema.
//
//phase:validate
type xeipuuv struct {
	schema *gojsonschema.Schema
	draft  Draft
	work   *subschema
	limits canon.Limits
}

func (v *xeipuuv) Engine() Engine { return GoJSONSchema }
func (v *xeipuuv) Draft() Draft   { return v.draft }

// newer are the keywords introduced after draft 7. gojsonschema treats a schema of a later draft as a mix
// of the older ones and would ignore these keywords silently; an $anchor overflows its stack.
var newer = []string{"$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef",
	"$vocabulary", "dependentRequired", "dependentSchemas", "maxContains", "minContains", "prefixItems",
	"unevaluatedItems", "unevaluatedProperties"}

// checking are the keywords that gojsonschema ignores beside $ref, as drafts up to 7 require and later ones
// forbid.
var checking = []string{"additionalItems", "additionalProperties", "allOf", "anyOf", "const", "contains",
	"else", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items", "maxItems", "maxLength",
	"maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not",
	"oneOf", "pattern", "patternProperties", "properties", "propertyNames", "required", "then", "type",
	"uniqueItems"}

// refuse returns an error for a schema that gojsonschema would misread.
func (s *schema) refuse() error {
	for _, at := range s.order {
		m := at.keywords
		unsupported := func(what string) error {
			return &canon.UnsupportedError{Engine: string(GoJSONSchema),
				What: what + " (use " + string(SanthoshTekuri) + ")", Where: at.doc + at.pointer}
		}
		if s.draft >= Draft2019 {
			for _, k := range newer {
				if _, ok := m[k]; ok {
					return unsupported(k)
				}
			}
			if _, ok := m["dependencies"]; ok { // these drafts lack it, but it would be applied
				return unsupported("dependencies in " + s.draft.String())
			}
			if ref, ok := m["$ref"].(string); ok {
				for _, k := range checking {
					if _, ok := m[k]; ok {
						return unsupported("$ref beside " + k)
					}
				}
				if i := strings.IndexByte(ref, '#'); i >= 0 && i+1 < len(ref) && ref[i+1] != '/' {
					return unsupported("$ref to an anchor")
				}
			}
		}

		if ref, ok := m["$ref"].(string); ok && strings.Contains(ref, "://json-schema.org/draft") {
			return unsupported("$ref to a meta-schema")
		}
	}

	return nil
}

func (s *schema) compileGo(opt Options) (v *xeipuuv, err error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, &SchemaError{Msg: fmt.Sprintf("gojsonschema panicked: %v", r)}
		}
	}()
	f := flattener{schema: s, assert: opt.AssertFormat || s.draft <= Draft7}
	compiled, err := gojsonschema.NewSchemaLoader().Compile(memory{f.flatten()})
	if err != nil {
		return nil, &SchemaError{Msg: err.Error(), Err: err}
	}
	return &xeipuuv{compiled, s.draft, s.at[place{}], opt.Limits}, nil
}

// flattener copies a schema for the library, which modifies its input. The copy is one document in which
// every $ref is a plain pointer: the library does not follow URLs and ids by the specification, and a wrong
// target can overflow its stack.
//
//phase:validate
type flattener struct {
	*schema
	assert bool
	urls   []string // of the other documents, in their order below foreignKey
}

// foreignKey is the member of the copy that holds the other documents.
const foreignKey = "canonscope:others"

func (f *flattener) flatten() any {
	for _, url := range sortedKeys(f.docs) {
		if url != "" {
			f.urls = append(f.urls, url)
		}
	}
	root, ok := f.copy(place{}, f.docs[""]).(map[string]any)
	if !ok {
		return f.docs[""]
	}
	others := []any{}
	for _, url := range f.urls {
		others = append(others, f.copy(place{doc: url}, f.docs[url]))
	}
	if len(others) > 0 {
		root[foreignKey] = others
	}
	return root
}

// copy copies a value. It renames formats that we check, and drops "format" if it is an annotation.
func (f *flattener) copy(at place, v any) any {
	switch v := v.(type) {
	case map[string]any:
		isSchema := f.at[at] != nil
		c := make(map[string]any, len(v))
		for k, w := range v {
			if text, ok := w.(string); ok && isSchema {
				switch k {
				case "$id", "id":
					continue
				case "$ref":
					c[k] = f.pointer(f.targets[at])
					continue
				case "format":
					if !f.assert {
						continue
					}
					if _, ours := formatCheckers[text]; ours {
						w = ownFormat + text
					}
				}
			}
			c[k] = f.copy(place{at.doc, at.pointer + "/" + jsontape.EscapeToken(k)}, w)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, w := range v {
			c[i] = f.copy(place{at.doc, fmt.Sprintf("%s/%d", at.pointer, i)}, w)
		}
		return c
	}

	return v
}

// pointer returns the reference to a place of the schema in the copy.
func (f *flattener) pointer(p place) string {
	if p.doc != "" {
		p.pointer = fmt.Sprintf("/%s/%d%s", foreignKey, slices.Index(f.urls, p.doc), p.pointer)
	}
	return "#" + (&url.URL{Fragment: p.pointer}).EscapedFragment()
}

func (v *xeipuuv) Validate(doc []byte) (r *Result, err error) {
	value, err := v.work.input(doc, v.limits, 2)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("gojsonschema panicked: %v", p)
		}
	}()
	res, err := v.schema.Validate(memory{value})
	if err != nil {
		return nil, err
	}
	r = &Result{Valid: res.Valid()}
	for _, e := range res.Errors() {
		var pointer strings.Builder
		for _, t := range strings.Split(e.Context().String("\x00"), "\x00")[1:] {
			pointer.WriteString("/" + jsontape.EscapeToken(t))
		}
		r.Violations = append(r.Violations, Violation{pointer.String(), e.Type(), e.Description()})
	}
	ordered(r.Violations)
	return r, nil
}

// memory passes a value to the library and refuses to load anything else.
//
//phase:validate
type memory struct{ value any }

func (m memory) JsonSource() any                               { return m.value }
func (m memory) LoadJSON() (any, error)                        { return m.value, nil }
func (m memory) LoaderFactory() gojsonschema.JSONLoaderFactory { return offline{} }
func (m memory) JsonReference() (gojsonreference.JsonReference, error) {
	return gojsonreference.NewJsonReference("#")
}

type offline struct{}

func (offline) New(source string) gojsonschema.JSONLoader { return refusal(source) }

//phase:validate
type refusal string

func (r refusal) JsonSource() any { return string(r) }
func (r refusal) LoadJSON() (any, error) {
	return nil, errors.New("schemas are not fetched: " + string(r))
}
func (r refusal) LoaderFactory() gojsonschema.JSONLoaderFactory { return offline{} }
func (r refusal) JsonReference() (gojsonreference.JsonReference, error) {
	return gojsonreference.NewJsonReference(string(r))
}
