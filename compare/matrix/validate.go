//phase:caller
package matrix

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/jsonschema"
)

// validating is a format whose issue validates the credential against the JSON Schema of its type before it
// signs, and whose verify validates what it has accepted, without the proof. The schema is compiled outside
// the clock, like keys and contexts.
//
// It presents the whole credential: a part need not have what a schema requires.
type validating struct {
	format compare.Preparer
	engine jsonschema.Engine
}

// Prepare implements [compare.Preparer].
//
//phase:validate fallback
func (v validating) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	name, err := jsonschema.Detect(c.VCDM, s.Limits)
	if err != nil {
		return nil, err
	}
	validator, err := compiled(name, v.engine)
	if err != nil {
		return nil, err
	}
	if s.Disclose, err = everything(c.VCDM); err != nil {
		return nil, err
	}
	x, err := v.format.Prepare(c, s)
	if err != nil {
		return nil, err
	}
	return x.Checking(fmt.Sprintf("JSON Schema %s with %s", name, v.engine),
		func() error { return valid(validator, c.VCDM) },
		func(presented []byte) error {
			doc, err := unsecured(presented, s.Binding == compare.HolderBinding)
			if err != nil {
				return err
			}
			return valid(validator, doc)
		}), nil
}

// unsecured is what the issuer's proof secures: the credential without the proof, extracted from the
// presentation if a holder signed one. The schema of ELM does not allow a Data Integrity proof.
//
//phase:parse
func unsecured(doc []byte, bound bool) ([]byte, error) {
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{}); err != nil {
		return nil, err
	}
	if bound {
		for credential := range t.Elements(t.Get(0, "verifiableCredential")) {
			return unsecured(t.Raw(credential), false)
		}
	}
	return t.AppendWithout(nil, 0, t.Key(0, "proof")), nil
}

// valid is an error that names the first violation.
//
//phase:validate fallback
func valid(v jsonschema.Validator, doc []byte) error {
	r, err := v.Validate(doc)
	if err == nil && !r.Valid {
		err = fmt.Errorf("not valid against its JSON Schema: %s", r.Violations[0])
	}
	return err
}

// everything returns a pointer to each member of a credential that a selection does not include anyway.
func everything(doc []byte) ([]string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(doc, &members); err != nil {
		return nil, err
	}
	var pointers []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains([]string{"@context", "id", "type"}, name) {
			pointers = append(pointers, "/"+jsontape.EscapeToken(name))
		}
	}
	return pointers, nil
}

var validators sync.Map // of engine and schema, to func() (jsonschema.Validator, error)

// compiled returns the validator of a schema of the catalogue, made once.
func compiled(name string, engine jsonschema.Engine) (jsonschema.Validator, error) {
	once, _ := validators.LoadOrStore(string(engine)+" "+name,
		sync.OnceValues(func() (jsonschema.Validator, error) {
			text, err := jsonschema.Schema(name)
			if err != nil {
				return nil, err
			}
			return jsonschema.Compile(text, jsonschema.Options{Engine: engine, Limits: measure.Limits})
		}))
	return once.(func() (jsonschema.Validator, error))()
}
