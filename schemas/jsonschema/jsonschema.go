// Package jsonschema validates credentials against JSON Schemas: our statements of the constraints of
// Verifiable Credentials, Open Badges, Comprehensive Learner Records and the European Learning Model, or
// any schema of the user.
//
// Call [Schema] for one of ours by name, or bring your own bytes. [Compile] returns a [Validator], which is
// safe for concurrent use. One interface has two engines, [SanthoshTekuri] and [GoJSONSchema]. Nothing is
// ever fetched: schemas that a $ref refers to are passed in [Options].
//
// Our schemas are written in a small notation (see notation.go) that takes a third of the bytes.
//
//phase:validate
package jsonschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/jsontape"
)

// Engine names a validator library.
type Engine string

const (
	// SanthoshTekuri is github.com/santhosh-tekuri/jsonschema/v6: all of drafts 4 to 2020-12.
	SanthoshTekuri Engine = "santhosh-tekuri"
	// GoJSONSchema is github.com/xeipuuv/gojsonschema: drafts 4 to 7, and later ones if a schema uses only
	// keywords of draft 7.
	GoJSONSchema Engine = "gojsonschema"
)

// Engines lists every engine.
var Engines = []Engine{SanthoshTekuri, GoJSONSchema}

// Options of a compilation. The zero value is the usual one.
type Options struct {
	Engine Engine // empty: GoJSONSchema for drafts 4 to 7, SanthoshTekuri for later ones
	// AssertFormat makes "format" a constraint in drafts 2019-09 and 2020-12, where it is an annotation by
	// default.
	AssertFormat bool
	// Limits are the size, depth and work of the documents to validate. Bytes of 0 means MaxDocumentBytes,
	// Work of 0 MaxWork.
	Limits    canon.Limits
	Resources map[string][]byte // schemas by URL, for $ref
}

// Validator checks documents against one schema.
type Validator interface {
	// Validate returns the constraints that the document violates. Malformed JSON is a *canon.SyntaxError,
	// a document beyond the limits a *canon.LimitError.
	Validate(doc []byte) (*Result, error)
	Engine() Engine
	Draft() Draft
}

// Result of a validation.
type Result struct {
	Valid bool
	// Violations are in order of their pointers. If all alternatives fail, only the violations of one are
	// listed: the alternative whose violations are deepest in the document.
	Violations []Violation
}

// Violation is one broken constraint.
type Violation struct {
	Pointer string // JSON pointer into the document
	Keyword string // of JSON Schema, e.g. "required"
	Message string // of the engine
}

// ordered sorts violations, since the libraries find them in the order of Go maps.
func ordered(all []Violation) []Violation {
	slices.SortFunc(all, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Keyword, b.Keyword),
			strings.Compare(a.Message, b.Message))
	})
	return all
}

func (v Violation) String() string { return fmt.Sprintf("%q: %s", v.Pointer, v.Message) }

// SchemaError is the error of a schema that cannot be used.
//
//phase:validate
type SchemaError struct {
	Pointer string // into the schema
	Msg     string
	Err     error // of the engine, or nil
}

func (e *SchemaError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = " at " + e.Pointer
	}
	return "JSON Schema" + at + ": " + e.Msg
}

func (e *SchemaError) Unwrap() error { return e.Err }

const (
	// MaxSchemaBytes and MaxSubschemas bound a schema: the time to compile grows with the square of the
	// number of subschemas, and of the entries that their keywords list. The largest schema in use that we
	// know has some 1,500 subschemas and 200 entries.
	MaxSchemaBytes  = 2 << 20
	MaxSubschemas   = 4_000
	maxListed       = 20_000
	maxInstructions = 50_000  // of regular expressions
	maxPointers     = 4 << 20 // bytes of the pointers to all values of a schema
	// MaxDocumentBytes is the default limit of a document: both engines hold it as a tree of some ten times
	// its size.
	MaxDocumentBytes = 32 << 20
	// MaxWork is the default limit of the steps of a validation: evaluated subschemas, values, and the text
	// of both. A step of GoJSONSchema counts twice, since it takes twice the memory. A transcript of 220 kB
	// takes 165,000 steps.
	MaxWork = 500_000
)

// Compile returns a validator. A schema that is not JSON is a *canon.SyntaxError, one beyond the limits a
// *canon.LimitError, a construct that the engine does not support a *canon.UnsupportedError, and every
// other fault of a schema a *SchemaError.
func Compile(schema []byte, opt Options) (Validator, error) {
	switch opt.Engine {
	case "", SanthoshTekuri, GoJSONSchema:
	default:
		return nil, choice.Unknown("validator", string(opt.Engine), string(SanthoshTekuri),
			string(GoJSONSchema))
	}
	s, err := read(schema, opt.Resources)
	if err != nil {
		return nil, err
	}
	engine := opt.Engine
	if engine == "" {
		engine = SanthoshTekuri
		if s.draft <= Draft7 {
			engine = GoJSONSchema
		}
	}
	// Compile for both engines: this one checks the schema against the meta-schema of its draft, offline.
	checked, err := s.compileSanthosh(opt)
	if err != nil {
		return nil, err
	}
	if engine == SanthoshTekuri {
		return checked, nil
	}
	return s.compileGo(opt)
}

// decode reads JSON within its limits, with numbers as they are written. Each value is a step.
func decode(doc []byte, limits canon.Limits, m *meter) (any, error) {
	var t jsontape.Tape
	limits = limits.WithDefaults()
	if err := t.Scan(doc, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth}); err != nil {
		return nil, err
	}
	m.steps += int64(len(t.Nodes))
	if err := m.err(); err != nil {
		return nil, err
	}
	return value(&t, 0)
}

// maxExponent bounds the digits of numbers, since the engines compute with fractions of any size. Every
// float64 is within the limit.
const maxExponent = 400

// value converts a tape node to the input of both engines: maps, slices, strings, json.Number, bool and nil.
func value(t *jsontape.Tape, i int) (any, error) {
	switch t.Nodes[i].Kind {
	case jsontape.Object:
		m := make(map[string]any, t.Len(i))
		for k, v := range t.Members(i) {
			x, err := value(t, v)
			if err != nil {
				return nil, err
			}
			m[string(t.Text(k))] = x
		}

		return m, nil
	case jsontape.Array:
		a := make([]any, 0, t.Len(i))
		for v := range t.Elements(i) {
			x, err := value(t, v)
			if err != nil {
				return nil, err
			}
			a = append(a, x)
		}

		return a, nil
	case jsontape.String:
		return string(t.Text(i)), nil
	case jsontape.Number:
		return number(t, i)
	case jsontape.True:
		return true, nil
	case jsontape.False:
		return false, nil
	}

	return nil, nil
}

func number(t *jsontape.Tape, i int) (any, error) {
	n := json.Number(t.Raw(i))
	if size := digits(n); size > maxExponent {
		return nil, &canon.LimitError{Limit: "digits of a number", Max: maxExponent, Done: size,
			Where: t.Pointer(i)}
	}
	return n, nil
}

// digits returns an upper limit of the digits of a number written without an exponent.
func digits(n json.Number) int64 {
	e := strings.IndexAny(string(n), "eE")
	if e < 0 {
		return int64(len(n))
	}
	exp, err := strconv.ParseInt(string(n[e+1:]), 10, 32)
	if err != nil {
		exp = math.MaxInt32
	}
	return max(int64(e), exp, -exp)
}
