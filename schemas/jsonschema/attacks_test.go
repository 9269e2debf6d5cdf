package jsonschema_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/jsonschema"
)

const draft7 = `{"$schema":"http://json-schema.org/draft-07/schema#",`

// each writes n numbered parts, separated by commas.
func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.NewReplacer("%i", fmt.Sprint(i), "%j", fmt.Sprint(i+1)).Replace(format))
	}
	return b.String()
}

func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// No schema makes a library evaluate without end under the default options. One of 2,051 bytes took more
// than 40 s.
func TestWorkOfValidationIsBounded(t *testing.T) {
	const (
		draft2019 = `{"$schema":"https://json-schema.org/draft/2019-09/schema",`
		draft2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema",`
	)
	ones := "[" + each(50_000, "1") + "]"
	for name, c := range map[string]struct{ schema, doc string }{
		"doubled allOf": {draft7 + `"$ref":"#/definitions/d0","definitions":{` +
			each(28, `"d%i":{"allOf":[{"$ref":"#/definitions/d%j"},{"$ref":"#/definitions/d%j"}]}`) + `,"d28":{"type":"string"}}}`, `1`},
		"doubled anyOf": {draft7 + `"$ref":"#/definitions/d0","definitions":{` +
			each(28, `"d%i":{"anyOf":[{"$ref":"#/definitions/d%j"},{"$ref":"#/definitions/d%j"}]}`) + `,"d28":{"type":"string"}}}`, `1`},
		"doubled if": {draft7 + `"$ref":"#/definitions/d0","definitions":{` +
			each(40, `"d%i":{"if":{"$ref":"#/definitions/d%j"},"else":{"$ref":"#/definitions/d%j"}}`) + `,"d40":{"type":"string"}}}`, `1`},
		"doubled not": {draft7 + `"$ref":"#/definitions/d0","definitions":{` +
			each(40, `"d%i":{"not":{"$ref":"#/definitions/d%j"},"oneOf":[{"$ref":"#/definitions/d%j"}]}`) + `,"d40":{"type":"string"}}}`, `1`},
		"doubled dependencies": {draft7 + `"$ref":"#/definitions/d0","definitions":{` +
			each(28, `"d%i":{"dependencies":{"a":{"$ref":"#/definitions/d%j"},"b":{"$ref":"#/definitions/d%j"}}}`) + `,"d28":{"type":"string"}}}`, `{"a":1,"b":2}`},
		"doubled by depth":    {draft7 + `"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`, nested(40, "[", "1", "]")},
		"doubled by members":  {draft7 + `"patternProperties":{"a":{"$ref":"#"},"^a":{"$ref":"#"}},"properties":{"a":{"$ref":"#"}}}`, nested(40, `{"a":`, "1", "}")},
		"doubled by contains": {draft7 + `"contains":{"$ref":"#"},"items":{"$ref":"#"}}`, nested(40, "[", "1", "]")},
		"doubled in 2020-12": {draft2020 + `"$ref":"#d0","$defs":{` +
			each(28, `"d%i":{"$anchor":"d%i","$ref":"#d%j","allOf":[{"$ref":"#d%j"}]}`) + `,"d28":{"$anchor":"d28","type":"string"}}}`, `1`},
		"doubled $dynamicRef": {draft2020 + `"$dynamicRef":"#d0","$defs":{` +
			each(28, `"d%i":{"$dynamicAnchor":"d%i","allOf":[{"$dynamicRef":"#d%j"},{"$dynamicRef":"#d%j"}]}`) + `,"d28":{"$dynamicAnchor":"d28","type":"string"}}}`, `1`},
		"doubled $dynamicRef by depth": {draft2020 + `"$dynamicAnchor":"n","allOf":[{"items":{"$dynamicRef":"#%6e"}},{"items":{"$dynamicRef":"#n"}}]}`, nested(40, "[", "1", "]")},
		"doubled $recursiveRef":        {draft2019 + `"$recursiveAnchor":true,"allOf":[{"items":{"$recursiveRef":"#"}},{"items":{"$recursiveRef":"#"}}]}`, nested(40, "[", "1", "]")},
		"doubled unevaluated":          {draft2020 + `"allOf":[{"unevaluatedItems":{"$ref":"#"}}],"unevaluatedItems":{"$ref":"#"}}`, nested(40, "[", "1", "]")},
		"anyOf x items":                {draft7 + `"items":{"anyOf":[` + each(1000, `{"minimum":%j}`) + `]}}`, ones},
		"a chain of $ref":              {draft7 + `"items":{"$ref":"#/definitions/d0"},"definitions":{` + each(1500, `"d%i":{"not":{"$ref":"#/definitions/d%j"}}`) + `,"d1500":{}}}`, ones},
		"enum x items":                 {draft7 + `"items":{"enum":[` + each(10_000, `"%i"`) + `]}}`, ones},
		"required x items":             {draft7 + `"items":{"required":[` + each(10_000, `"%i"`) + `]}}`, "[" + each(1000, "{}") + "]"},
		"properties x members":         {draft7 + `"properties":{` + each(3000, `"k%i":true`) + `}}`, "{" + each(200_000, `"m%i":1`) + "}"},
		"patterns x members":           {draft7 + `"patternProperties":{` + each(100, `"^(a|b|c)*%i$":{}`) + `}}`, "{" + each(50_000, `"m%i":1`) + "}"},
		"pattern x text":               {draft7 + `"items":{"pattern":"^(a?){400}b"}}`, `["` + strings.Repeat("a", 1<<20) + `"]`},
		"regular expressions":          {draft7 + `"items":{"format":"regex"}}`, "[" + each(2000, `"(a{999})%i"`) + "]"},
		"hostnames":                    {draft7 + `"allOf":[` + each(500, `{"format":"hostname"}`) + `]}`, `"` + strings.Repeat("a", 1<<20) + `"`},
		"const in the depth":           {draft7 + `"const":1,"items":{"$ref":"#"}}`, nested(500, "["+each(200, "1")+",", "1", "]")},
		"unique in the depth":          {draft7 + `"uniqueItems":true,"items":{"$ref":"#"}}`, nested(500, "["+each(200, "1")+",", "1", "]")},
		"errors in the depth":          {draft7 + `"type":"array","items":{"$ref":"#"}}`, nested(500, "[", ones, "]")},
		"large numbers":                {draft7 + `"items":{"multipleOf":3e300,"maximum":1e-300}}`, "[" + each(50_000, "1e399") + "]"},
		"errors below a long name": {draft7 + `"additionalProperties":{"items":{"type":"string"}}}`,
			`{"` + strings.Repeat("k", 1<<20) + `":` + ones + `}`},
		"many values": {draft7 + `"title":"any"}`, "[" + each(600_000, "{}") + "]"},
	} {
		for _, e := range jsonschema.Engines {
			v, err := jsonschema.Compile([]byte(c.schema), jsonschema.Options{Engine: e})
			if err != nil {
				if !errors.As(err, new(*canon.UnsupportedError)) {
					t.Errorf("%s: %s: %v", name, e, err)
				}
				continue
			}
			var limit *canon.LimitError
			if r, err := v.Validate([]byte(c.doc)); !errors.As(err, &limit) || limit.Limit != "work" || limit.Max != jsonschema.MaxWork || limit.Done <= limit.Max {
				t.Errorf("%s: %s: %+v, %v", name, e, r, err)
			}
		}
	}
}

// No schema makes a library compile without end.
func TestWorkOfCompilationIsBounded(t *testing.T) {
	for name, schema := range map[string]string{
		"required":                      draft7 + `"required":[` + each(100_000, `"%i"`) + `]}`,
		"enum":                          draft7 + `"enum":[` + each(100_000, `%i`) + `]}`,
		"enums":                         draft7 + `"allOf":[` + each(40, `{"enum":[`+each(2000, `%i`)+`]}`) + `]}`,
		"subschemas":                    draft7 + `"allOf":[` + each(9000, `{"minLength":%i}`) + `]}`,
		"a regular expression":          draft7 + `"pattern":"` + strings.Repeat("a{1000}", 3000) + `"}`,
		"many of them":                  draft7 + `"allOf":[` + each(3000, `{"pattern":"(a|b){99}%i"}`) + `]}`,
		"in patternProperties":          draft7 + `"patternProperties":{` + each(3000, `"(a|b){99}%i":{}`) + `}}`,
		"pointers":                      draft7 + `"properties":{"` + strings.Repeat("k", 1<<20) + `":{"allOf":[` + each(3000, `{"minLength":%i}`) + `]}}}`,
		"pointers to what is no schema": draft7 + `"properties":{"` + strings.Repeat("k", 1<<20) + `":{"default":[` + each(100_000, `1`) + `]}}}`,
	} {
		for _, e := range jsonschema.Engines {
			if _, err := jsonschema.Compile([]byte(schema), jsonschema.Options{Engine: e}); !errors.As(err, new(*canon.LimitError)) {
				t.Errorf("%s: %s: %.200v", name, e, err)
			}
		}
	}
	extended := `{"$schema":"https://json-schema.org/draft/2020-12/schema","$dynamicAnchor":"meta","allOf":[{"$ref":"https://json-schema.org/draft/2020-12/schema"}]}`
	if _, err := jsonschema.Compile([]byte(extended), jsonschema.Options{}); !errors.As(err, new(*jsonschema.SchemaError)) {
		t.Errorf("an extended meta-schema: %v", err)
	}
}

// The largest documents of the catalogue are within the limits, and a caller may set others.
func TestWorkOfLargeDocuments(t *testing.T) {
	for name, schema := range map[string]string{"elm-large": "elm", "clr-large": "clr2", "ob-large": "ob3-achievement"} {
		g, err := catalogue.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := g.Document(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := jsonschema.Schema(schema)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range jsonschema.Engines {
			r, err := compile(t, string(text), jsonschema.Options{Engine: e}).Validate(c.VCDM)
			if err != nil || !r.Valid {
				t.Errorf("%s: %s: %+v, %v", name, e, r, err)
			}
			less := jsonschema.Options{Engine: e, Limits: canon.Limits{Work: 1000}}
			if _, err := compile(t, string(text), less).Validate(c.VCDM); !errors.As(err, new(*canon.LimitError)) {
				t.Errorf("%s: %s: %v, want a LimitError", name, e, err)
			}
		}
	}
}

// Only documents of version 1.1 are outdated, and only for schemas of version 2.0.
func TestOutdated(t *testing.T) {
	const v1, v2 = `"https://www.w3.org/2018/credentials/v1"`, `"https://www.w3.org/ns/credentials/v2"`
	for context, want := range map[string]bool{v1: true, "[" + v1 + "]": true, "[" + v1 + ",{}]": true, v2: false, "[" + v2 + "," + v1 + "]": false, "[]": false,
		"[[" + v1 + "]]": false, "{}": false, "1": false, "null": false} {
		for schema, of2 := range map[string]bool{"vcdm2": true, "ob3-achievement": true, "ob3-endorsement": true, "clr2": true, "elm": false, "mine.json": false} {
			got, err := jsonschema.Outdated(schema, []byte(`{"@context":`+context+`}`), canon.Limits{})
			if got != (want && of2) || err != nil {
				t.Errorf("%s, %s: %v, %v", schema, context, got, err)
			}
		}
	}
	for _, doc := range []string{"{}", "[]", "1"} {
		if got, err := jsonschema.Outdated("vcdm2", []byte(doc), canon.Limits{}); got || err != nil {
			t.Errorf("%s: %v, %v", doc, got, err)
		}
	}
}

// Third-party documents are within the limits of every schema of the catalogue.
func TestViolationsOfRealDocuments(t *testing.T) {
	dir := official.Dir(t, "education", "examples")
	for _, file := range []string{"validator-ob30-complete_v1.json", "elm-Sample-MC-Annex1-unsigned-uploadable-json.json", "validator-clr20-simple_v1.json"} {
		doc, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range jsonschema.Names() {
			schema, err := jsonschema.Schema(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range jsonschema.Engines {
				v := compile(t, string(schema), jsonschema.Options{Engine: e})
				first, err := v.Validate(doc)
				if err != nil {
					t.Fatal(err)
				}
				for range 5 {
					if r, err := v.Validate(doc); err != nil || !slices.Equal(r.Violations, first.Violations) {
						t.Errorf("%s, %s, %s: %v, then %v, %v", file, name, e, first.Violations, r.Violations, err)
						break
					}
				}
			}
		}
	}
}

// A document has the same violations in the same order each time.
func TestViolationsAreInOrder(t *testing.T) {
	dir := official.Dir(t, "reports")
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	doc := read("74-order.json")
	for _, schema := range []string{string(read("74-order.schema.json")), draft7 + `"additionalProperties":false}`, draft7 + `"propertyNames":{"minLength":2}}`} {
		for _, e := range jsonschema.Engines {
			v := compile(t, schema, jsonschema.Options{Engine: e})
			first, err := v.Validate(doc)
			if err != nil || first.Valid {
				t.Fatalf("%s: %+v, %v", e, first, err)
			}
			if !slices.IsSortedFunc(first.Violations, func(a, b jsonschema.Violation) int { return strings.Compare(a.Pointer, b.Pointer) }) {
				t.Errorf("%s: not in order: %v", e, first.Violations)
			}
			for range 20 {
				if r, err := v.Validate(doc); err != nil || !slices.Equal(r.Violations, first.Violations) {
					t.Fatalf("%s: %v, then %v, %v", e, first.Violations, r.Violations, err)
				}
			}
		}
	}
}
