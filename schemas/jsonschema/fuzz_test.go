package jsonschema_test

import (
	"testing"
	"time"

	"canonscope/schemas/jsonschema"
)

// No schema and no document panics, overflows the stack or takes long, in either engine; an invalid document has
// violations and a valid one has none.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{"$ref":"#foo","$defs":{"A":{"$anchor":"foo","type":"integer"}}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","definitions":{"a":{"$id":"x","$ref":"#/definitions/a"}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://a/","properties":{"a":{"$ref":"b.json"}},"definitions":{"b":{"id":"b.json","type":"array","items":[{},{}]}}}`,
		`{"properties":{"a":{"oneOf":[{"type":["string","null"]},{"minimum":3}]}},"required":["a"],"additionalProperties":false}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","contains":{"const":1},"uniqueItems":true,"items":[{"enum":[1,"x",null]}],"additionalItems":{"format":"date-time"}}`,
		`{"patternProperties":{"^a":{"maxLength":2}},"propertyNames":{"pattern":"a$"},"if":{"minProperties":1},"then":{"not":{}},"else":true}`,
	} {
		f.Add([]byte(s), []byte(`{"a":[1,"x",null,1.0],"b":{"a":3e2}}`))
	}
	f.Fuzz(func(t *testing.T, schema, doc []byte) {
		start := time.Now()
		for _, e := range jsonschema.Engines {
			v, err := jsonschema.Compile(schema, jsonschema.Options{Engine: e, AssertFormat: true})
			if err != nil {
				continue
			}
			if r, err := v.Validate(doc); err == nil {
				if r.Valid == (len(r.Violations) > 0) {
					t.Errorf("%s: valid %v with %d violations", e, r.Valid, len(r.Violations))
				}
			}
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("took %v", d)
		}
	})
}
