//phase:validate
package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// santhosh is a schema compiled by santhosh-tekuri/jsonschema.
//
//phase:validate
type santhosh struct {
	schema *jsonschema.Schema
	draft  Draft
	work   *subschema
	limits canon.Limits
}

func (v *santhosh) Engine() Engine { return SanthoshTekuri }
func (v *santhosh) Draft() Draft   { return v.draft }

// self is the URL of the schema in the compiler.
const self = "urn:canonscope:schema"

// loader refuses every URL: the resources have been added before.
type loader struct{}

func (loader) Load(url string) (any, error) {
	return nil, fmt.Errorf("schemas are not fetched: %s", url)
}

func (s *schema) compileSanthosh(opt Options) (v *santhosh, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, &SchemaError{Msg: fmt.Sprintf("santhosh-tekuri panicked: %v", r)}
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
				return fmt.Errorf("not of the format %s", name)
			}
			return nil
		}})
	}

	for _, url := range sortedKeys(s.docs) {
		doc := s.docs[url]
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

	return &santhosh{compiled, s.draft, s.at[place{}], opt.Limits}, nil
}

// schemaError converts an error of the library and keeps its place in the schema.
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
	value, err := v.work.input(doc, v.limits, 1)
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
		return nil, &SchemaError{Msg: "a $ref leads back to itself for the same value"}
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

// violations flattens the tree of errors to its leaves. If all alternatives fail, it follows one (see
// narrow).
func violations(e *jsonschema.ValidationError) []Violation {
	narrow(e)
	return ordered(leaves(nil, e, message.NewPrinter(language.English)))
}

func leaves(out []Violation, e *jsonschema.ValidationError, p *message.Printer) []Violation {
	for _, c := range e.Causes {
		out = leaves(out, c, p)
	}
	if len(e.Causes) > 0 {
		return out
	}
	if k, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(k.Properties)
	}
	var pointer strings.Builder
	for _, token := range e.InstanceLocation {
		pointer.WriteString("/" + jsontape.EscapeToken(token))
	}
	return append(out, Violation{pointer.String(), strings.Join(e.ErrorKind.KeywordPath(), "/"),
		e.ErrorKind.LocalizedString(p)})
}

// narrow reduces failed alternatives to the one whose errors are deepest in the document. Among equally
// deep ones it keeps the one with the fewest errors. It returns the depth and the number of the errors.
func narrow(e *jsonschema.ValidationError) (depth, count int) {
	if len(e.Causes) == 0 {
		return len(e.InstanceLocation), 1
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		var chosen *jsonschema.ValidationError
		for _, a := range e.Causes {
			d, n := narrow(a)
			if chosen == nil || d > depth || d == depth && n < count {
				chosen, depth, count = a, d, n
			}
		}
		e.Causes = []*jsonschema.ValidationError{chosen}
		return depth, count
	}
	for _, c := range e.Causes {
		d, n := narrow(c)
		depth, count = max(depth, d), count+n
	}
	return depth, count
}
