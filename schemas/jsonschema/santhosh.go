package jsonschema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// santhosh is a schema compiled by santhosh-tekuri/jsonschema.
type santhosh struct {
	schema *jsonschema.Schema
	draft  Draft
	limits canon.Limits
}

func (v *santhosh) Engine() Engine { return SanthoshTekuri }
func (v *santhosh) Draft() Draft   { return v.draft }

// self is the URL under which the schema itself is compiled.
const self = "urn:canonscope:schema"

// loader serves nothing: what may be loaded has been added before.
type loader struct{}

func (loader) Load(url string) (any, error) {
	return nil, fmt.Errorf("schemas are not fetched: %s", url)
}

func (s *schema) compileSanthosh(opt Options) (v *santhosh, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, &SchemaError{Msg: fmt.Sprintf("the validator gave up: %v", r)}
		}
	}()
	c := jsonschema.NewCompiler()
	c.UseLoader(loader{})
	c.DefaultDraft(jsonschema.Draft2020)
	if opt.AssertFormat {
		c.AssertFormat()
	}
	for name, is := range formatCheckers {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !is(s) {
				return fmt.Errorf("no %s", name)
			}
			return nil
		}})
	}
	for url, doc := range s.docs {
		if url == "" {
			url = self
		}
		if err := c.AddResource(url, doc); err != nil {
			return nil, schemaError(err)
		}
	}
	compiled, err := c.Compile(self)
	if err != nil {
		return nil, schemaError(err)
	}
	return &santhosh{compiled, s.draft, opt.Limits}, nil
}

// schemaError keeps the place that the library found.
func schemaError(err error) error {
	e := &SchemaError{Msg: err.Error(), Err: err}
	var invalid *jsonschema.SchemaValidationError
	var broken *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &broken) {
		v := violations(broken)
		if len(v) > 0 {
			e.Pointer, e.Msg = v[0].Pointer, "invalid by its meta-schema: "+v[0].Message
		}
	}
	return e
}

func (v *santhosh) Validate(doc []byte) (*Result, error) {
	value, err := decode(doc, v.limits)
	if err != nil {
		return nil, err
	}
	err = v.schema.Validate(value)
	if err == nil {
		return &Result{Valid: true}, nil
	}
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		return nil, err
	}
	if endless(broken) {
		return nil, &SchemaError{Msg: "a $ref leads back to itself without going deeper into the document"}
	}
	return &Result{Violations: violations(broken)}, nil
}

func endless(e *jsonschema.ValidationError) bool {
	if _, ok := e.ErrorKind.(*kind.RefCycle); ok {
		return true
	}
	for _, c := range e.Causes {
		if endless(c) {
			return true
		}
	}
	return false
}

// violations flattens the tree of errors to its leaves. Of alternatives it follows the one that came furthest.
func violations(e *jsonschema.ValidationError) []Violation {
	causes := e.Causes
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		causes = best(causes)
	}
	if len(causes) == 0 {
		v := Violation{Message: e.ErrorKind.LocalizedString(message.NewPrinter(language.English))}
		for _, token := range e.InstanceLocation {
			v.Pointer += "/" + jsontape.EscapeToken(token)
		}
		v.Keyword = strings.Join(e.ErrorKind.KeywordPath(), "/")
		return []Violation{v}
	}
	var out []Violation
	for _, c := range causes {
		out = append(out, violations(c)...)
	}
	return out
}

// best returns the alternative whose errors lie deepest in the document; of those as deep, the one with the fewest.
func best(alternatives []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	var chosen *jsonschema.ValidationError
	deepest, fewest := -1, 0
	for _, a := range alternatives {
		depth, count := reach(a)
		if depth > deepest || depth == deepest && count < fewest {
			chosen, deepest, fewest = a, depth, count
		}
	}
	if chosen == nil {
		return nil
	}
	return []*jsonschema.ValidationError{chosen}
}

func reach(e *jsonschema.ValidationError) (depth, count int) {
	if len(e.Causes) == 0 {
		return len(e.InstanceLocation), 1
	}
	for _, c := range e.Causes {
		d, n := reach(c)
		depth, count = max(depth, d), count+n
	}
	return depth, count
}
