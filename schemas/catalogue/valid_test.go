package catalogue_test

import (
	"strings"
	"testing"

	"canonscope/schemas/catalogue"
	"canonscope/schemas/jsonschema"
)

// Every document is valid against the JSON Schema of its kind, by both validators and with formats as constraints.
func TestSchemaValid(t *testing.T) {
	schemaOf := map[string]string{"simple-20": "vcdm2", "ob": "ob3-achievement", "clr": "clr2", "elm": "elm",
		"kit-ob3": "ob3-achievement", "kit-dcc": "ob3-achievement"}
	validators := map[string][]jsonschema.Validator{}
	for _, name := range schemaOf {
		if validators[name] != nil {
			continue
		}
		for _, e := range jsonschema.Engines {
			v := must(jsonschema.Compile(must(jsonschema.Schema(name)), jsonschema.Options{Engine: e, AssertFormat: true}))
			validators[name] = append(validators[name], v)
		}
	}
	n := 0
	for _, name := range append(catalogue.Names(), "clr-large:achievements=2:evidence=2:languages=3:rubric-levels=2", "elm-large:achievements=1:depth=2",
		"ob-medium:endorsements=3:depth=2:languages=24", "simple-20:attributes=100") {
		for prefix, schema := range schemaOf {
			if !strings.HasPrefix(name, prefix) {
				continue
			}
			for _, v := range validators[schema] {
				for _, i := range []int{0, 63} {
					r := must(v.Validate(document(t, name, i).VCDM))
					if !r.Valid {
						t.Errorf("%s document %d by %s: %v", name, i, v.Engine(), r.Violations)
					}
					n++
				}
			}
		}
	}
	if n != 4*(len(catalogue.Names())-4+4) { // all but simple-inline-20, kit-simple and synth-bn, which are not of VCDM 2.0
		t.Errorf("%d validations", n)
	}
}
