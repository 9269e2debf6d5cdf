package jsonschema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/jsonschema"
)

func compile(t testing.TB, schema string, opt jsonschema.Options) jsonschema.Validator {
	t.Helper()
	v, err := jsonschema.Compile([]byte(schema), opt)
	if err != nil {
		t.Fatalf("%s: %v", opt.Engine, err)
	}
	return v
}

func TestCatalogueCompilesInBothEngines(t *testing.T) {
	if got := strings.Join(jsonschema.Names(), " "); got != "clr2 elm ob3-achievement ob3-endorsement vcdm2" {
		t.Errorf("names: %s", got)
	}
	for _, name := range jsonschema.Names() {
		s, err := jsonschema.Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range jsonschema.Engines {
			for _, format := range []bool{false, true} {
				v := compile(t, string(s), jsonschema.Options{Engine: e, AssertFormat: format})
				if r, err := v.Validate([]byte(`{}`)); err != nil || r.Valid || len(r.Violations) == 0 {
					t.Errorf("%s %s: an empty object: %+v, %v", name, e, r, err)
				}
			}
		}
	}
	if _, err := jsonschema.Schema("ob4"); err == nil || !strings.Contains(err.Error(), "ob3-achievement") {
		t.Errorf("unknown name: %v", err)
	}
}

func TestEngineByDraft(t *testing.T) {
	for draft, want := range map[string]jsonschema.Engine{
		`"$schema":"http://json-schema.org/draft-04/schema#"`:       jsonschema.GoJSONSchema,
		`"$schema":"http://json-schema.org/draft-06/schema#"`:       jsonschema.GoJSONSchema,
		`"$schema":"http://json-schema.org/draft-07/schema"`:        jsonschema.GoJSONSchema,
		`"$schema":"https://json-schema.org/draft/2019-09/schema#"`: jsonschema.SanthoshTekuri,
		`"$schema":"https://json-schema.org/draft/2020-12/schema"`:  jsonschema.SanthoshTekuri,
		`"$comment":"without a draft the newest is meant: 2020-12"`: jsonschema.SanthoshTekuri,
	} {
		v := compile(t, `{`+draft+`,"type":"object"}`, jsonschema.Options{})
		if v.Engine() != want {
			t.Errorf("%s: %s, want %s", draft, v.Engine(), want)
		}
	}
}

func TestSchemaErrors(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"not JSON", `{"pattern":"\2"}`, "JSON line 1 column"},
		{"no schema", `[]`, "a schema is an object or a boolean"},
		{"unknown draft", `{"$schema":"https://example.org/mine"}`, `at /$schema: unknown draft "https://example.org/mine"`},
		{"unknown draft within", `{"$defs":{"a":{"$schema":"https://example.org/mine"}}}`, `at /$defs/a/$schema: unknown draft "https://example.org/mine"`},
		{"remote $ref", `{"allOf":[{"$ref":"https://example.org/other.json#/x"}]}`,
			"at /allOf/0/$ref: refers to https://example.org/other.json; schemas are not fetched, so pass it as a resource"},
		{"relative $ref", `{"$ref":"other.json"}`, "at /$ref: refers to other.json; schemas are not fetched"},
		{"dangling $ref", `{"$ref":"#/definitions/Section"}`, "at /$ref: #/definitions/Section points to nothing"},
		{"meta-schema", `{"type":"objekt"}`, "at /type: invalid by its meta-schema"},
		{"meta-schema, draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","required":"id"}`, "at /required: invalid by its meta-schema"},
		{"itself", `{"$ref":"#"}`, "an endless $ref"},
		{"itself, around a corner", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`,
			"an endless $ref"},
		{"itself, by an anchor", `{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"#a","$anchor":"a"}`, "an endless $ref"},
		{"itself, by an id", `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#a","definitions":{"A":{"$id":"#a","allOf":[{"$ref":"#a"}]}}}`,
			"an endless $ref"},
		{"no such anchor", `{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"#b","$defs":{"A":{"$anchor":"a"}}}`, "the anchor #b does not exist"},
		{"newer than its draft says", `{"$ref":"#foo","$defs":{"A":{"$anchor":"foo"}}}`, `at /$defs/A: $anchor is newer than draft-07, and the schema declares no draft: add "$schema"`},
		{"back reference", `{"$schema":"http://json-schema.org/draft-07/schema#","pattern":"(a)\\1"}`, "at /pattern: invalid by its meta-schema"},
	} {
		for _, e := range append(jsonschema.Engines, "") {
			_, err := jsonschema.Compile([]byte(c.schema), jsonschema.Options{Engine: e})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %q: %v, want %q", c.name, e, err, c.want)
			}
		}
	}
	if _, err := jsonschema.Compile([]byte(`{}`), jsonschema.Options{Engine: "ajv"}); err == nil || !strings.Contains(err.Error(), "santhosh-tekuri") {
		t.Errorf("unknown engine: %v", err)
	}
}

// A construct that gojsonschema would misread is refused by name anywhere in a schema.
func TestGoJSONSchemaRefuses(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"$ref":"#foo","$defs":{"A":{"$anchor":"foo","type":"integer"}}}`, "does not support $ref to an anchor (use santhosh-tekuri)"},
		{`{"$defs":{"A":{"$anchor":"foo"}}}`, "does not support $anchor (use santhosh-tekuri) at /$defs/A"},
		{`{"properties":{"a/b":{"prefixItems":[{"type":"string"}]}}}`, "prefixItems (use santhosh-tekuri) at /properties/a~1b"},
		{`{"unevaluatedProperties":false}`, "unevaluatedProperties"},
		{`{"allOf":[{"unevaluatedItems":false}]}`, "unevaluatedItems (use santhosh-tekuri) at /allOf/0"},
		{`{"dependentRequired":{"a":["b"]}}`, "dependentRequired"},
		{`{"dependentSchemas":{"a":{}}}`, "dependentSchemas"},
		{`{"minContains":2,"contains":{}}`, "minContains"},
		{`{"$dynamicRef":"#x","$defs":{"x":{"$dynamicAnchor":"x"}}}`, "$dynamicRef"},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$recursiveRef":"#"}}`, "$recursiveRef"},
		{`{"$ref":"#/$defs/a","minLength":3,"$defs":{"a":{"type":"string"}}}`, "$ref beside minLength"},
		{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, "$ref to a meta-schema"},
		// Reached only by a pointer, not through keywords.
		{`{"$ref":"#/x/y","x":{"y":{"prefixItems":[{}]}}}`, "prefixItems (use santhosh-tekuri) at /x/y"},
	} {
		if !strings.Contains(c.schema, "$schema") {
			c.schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema",` + c.schema[1:]
		}
		_, err := jsonschema.Compile([]byte(c.schema), jsonschema.Options{Engine: jsonschema.GoJSONSchema})
		var u *canon.UnsupportedError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.schema, err, c.want)
		}
		if _, err := jsonschema.Compile([]byte(c.schema), jsonschema.Options{}); err != nil {
			t.Errorf("%s: santhosh-tekuri: %v", c.schema, err)
		}
	}
	// The same words as names, not as keywords, and older drafts that do not know them.
	for _, schema := range []string{
		`{"properties":{"prefixItems":{"type":"string"},"$anchor":{}},"enum":[{"unevaluatedItems":1}],"const":{"$ref":"x"}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","minContains":2}`,
	} {
		compile(t, schema, jsonschema.Options{Engine: jsonschema.GoJSONSchema})
	}
}

func TestReferences(t *testing.T) {
	resources := map[string][]byte{"https://example.org/name.json": []byte(`{"$defs":{"short":{"type":"string","maxLength":3}}}`)}
	for _, c := range []struct{ schema, good, bad string }{
		{`{"$ref":"https://example.org/name.json#/$defs/short"}`, `"abc"`, `"abcd"`},
		{`{"$id":"https://example.org/root.json","items":{"$ref":"name.json#/$defs/short"}}`, `["abc"]`, `["abcd"]`},
		{`{"$id":"https://example.org/root.json","$defs":{"x":{"$id":"inner.json","type":"number"}},"$ref":"inner.json"}`, `1`, `"1"`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#n","definitions":{"x":{"$id":"#n","type":"number"}}}`, `1`, `"1"`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":{"$id":"https://example.org/a","$ref":"#/definitions/n"},"definitions":{"n":{"type":"number"}}}`,
			`[1]`, `["1"]`},
		{`{"properties":{"id":{"const":"$id"},"$ref":{"type":"number"},"%25 ":{"$ref":"#/properties/$ref"}}}`, `{"id":"$id","$ref":1,"%25 ":2}`, `{"id":"x"}`},
		{`{"$ref":"#/$defs/%25%20","$defs":{"% ":{"type":"number"}}}`, `1`, `"1"`},
		{`{"$defs":{"a/b":{"type":"number"}},"$ref":"#/$defs/a~1b"}`, `1`, `"1"`},
		{`{"$defs":{"tree":{"type":"object","additionalProperties":{"$ref":"#/$defs/tree"}}},"$ref":"#/$defs/tree"}`, `{"a":{"b":{}}}`, `{"a":{"b":1}}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","id":"https://example.org/root.json","properties":{"id":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"number"}}}`,
			`{"id":1}`, `{"id":"1"}`},
	} {
		for _, e := range jsonschema.Engines {
			v := compile(t, c.schema, jsonschema.Options{Engine: e, Resources: resources})
			for doc, want := range map[string]bool{c.good: true, c.bad: false} {
				r, err := v.Validate([]byte(doc))
				if err != nil || r.Valid != want {
					t.Errorf("%s, %s on %s: %+v, %v", e, c.schema, doc, r, err)
				}
			}
		}
	}
}

func TestDocumentLimits(t *testing.T) {
	deep := strings.Repeat(`[`, 10_000) + strings.Repeat(`]`, 10_000)
	big := `"` + strings.Repeat("x", 50<<20) + `"`
	for _, e := range jsonschema.Engines {
		v := compile(t, `{"items":{"$ref":"#"}}`, jsonschema.Options{Engine: e})
		for name, doc := range map[string]string{"depth": deep, "bytes": big, "digits of a number": `[1e999999]`} {
			_, err := v.Validate([]byte(doc))
			var l *canon.LimitError
			if !errors.As(err, &l) || l.Limit != name {
				t.Errorf("%s: %v, want limit %s", e, err, name)
			}
		}
		if _, err := v.Validate([]byte(`[1,`)); !errors.As(err, new(*canon.SyntaxError)) {
			t.Errorf("%s: %v, want a SyntaxError", e, err)
		}
		small := compile(t, `{}`, jsonschema.Options{Engine: e, Limits: canon.Limits{Bytes: 10}})
		if _, err := small.Validate([]byte(`"0123456789"`)); !errors.As(err, new(*canon.LimitError)) {
			t.Errorf("%s: %v, want a LimitError", e, err)
		}
	}
	many := `{"allOf":[` + strings.Repeat(`{"not":{}},`, 15_000) + `{}]}`
	if _, err := jsonschema.Compile([]byte(many), jsonschema.Options{}); !errors.As(err, new(*canon.LimitError)) {
		t.Errorf("many subschemas: %v, want a LimitError", err)
	}
	_, err := jsonschema.Compile([]byte(`{"not":`+strings.Repeat(`{"not":`, 600)+`{}`+strings.Repeat(`}`, 601)), jsonschema.Options{})
	if !errors.As(err, new(*canon.LimitError)) {
		t.Errorf("deep schema: %v, want a LimitError", err)
	}
}

func TestFormats(t *testing.T) {
	cases := map[string]map[bool][]string{
		"date-time": {
			true: {"2024-02-29T10:00:00Z", "2024-02-29t10:00:00z", "2016-12-31T23:59:60Z", "2016-12-31T15:59:60-08:00", "2017-01-01T00:59:60.5+01:00",
				"2024-01-01T00:00:00.123456789+05:30"},
			false: {"2024-02-29", "10:00:00Z", "2023-02-29T10:00:00Z", "2024-02-29T10:00:00", "2024-02-29 10:00:00Z", "2024-02-29T24:00:00Z",
				"2024-02-29T10:60:00Z", "2024-02-29T10:00:60Z", "2024-02-29T10:00:00+0530", "2024-02-29T10:00:00+24:00", "2024-2-29T10:00:00Z", ""},
		},
		"email": {
			true:  {"a@b.example", "first.last+tag@example.org", `"odd name"@example.org`, "a@[127.0.0.1]", "a@[IPv6:::1]", "a@localhost"},
			false: {"jürgen@exämple.de", "a@b..example", ".a@b.example", "a.@b.example", "a@-b.example", "a b@example.org", "@example.org", "a@", "Name <a@b.example>", "a@[::1]", "a@[IPv6:127.0.0.1]"},
		},
		"duration": {
			true:  {"P1Y", "P1Y2M3D", "P3W", "PT1H", "P1DT12H", "PT5M30S"},
			false: {"P", "PT", "P1Y2W", "1Y", "P1H", "P1.5D", "PT1H1D"},
		},
	}
	for format, by := range cases {
		schema := fmt.Sprintf(`{"$schema":"https://json-schema.org/draft/2019-09/schema","format":%q}`, format)
		for _, e := range jsonschema.Engines {
			v := compile(t, schema, jsonschema.Options{Engine: e, AssertFormat: true})
			lax := compile(t, schema, jsonschema.Options{Engine: e})
			for want, docs := range by {
				for _, d := range docs {
					doc := fmt.Appendf(nil, "%q", d)
					if r, err := v.Validate(doc); err != nil || r.Valid != want {
						t.Errorf("%s as %s: %s says %v, %v; want %v", doc, format, e, r, err, want)
					}
					if r, err := lax.Validate(doc); err != nil || !r.Valid {
						t.Errorf("%s as %s without assertion: %s says %v, %v", doc, format, e, r, err)
					}
				}
			}
			if r, _ := v.Validate([]byte(`7`)); !r.Valid {
				t.Errorf("%s: format %s applies to a number", e, format)
			}
		}
	}
}

func TestViolationsNameThePlace(t *testing.T) {
	schema := `{"properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"required":["x/y"],"properties":{"x/y":{"type":"number"}},"type":"object"}]}}}}`
	for _, e := range jsonschema.Engines {
		v := compile(t, schema, jsonschema.Options{Engine: e})
		r, err := v.Validate([]byte(`{"a":["s",{"x/y":"text"}]}`))
		if err != nil || r.Valid {
			t.Fatalf("%s: %+v, %v", e, r, err)
		}
		found := false
		for _, x := range r.Violations {
			found = found || x.Pointer == "/a/1/x~1y"
		}
		if !found {
			t.Errorf("%s: no violation at /a/1/x~1y in %v", e, r.Violations)
		}
	}
}
