// Package jsonschema validates credentials against JSON Schemas: our own statements of what Verifiable Credentials, Open
// Badges, Comprehensive Learner Records and the European Learning Model demand, or any schema of the user.
//
// Call [Schema] for one of ours by name, or bring your own bytes; [Compile] makes a [Validator] of it, which is safe for
// concurrent use. Two engines stand behind one interface, [SanthoshTekuri] and [GoJSONSchema]. Nothing is ever fetched: a
// schema that another one refers to is handed over in [Options].
//
// Our own schemas are written in a small notation (see notation.go) that says the same in a third of the bytes.
package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Engine names a validator library.
type Engine string

const (
	// SanthoshTekuri is github.com/santhosh-tekuri/jsonschema/v6: drafts 4 to 2020-12, whole.
	SanthoshTekuri Engine = "santhosh-tekuri"
	// GoJSONSchema is github.com/xeipuuv/gojsonschema: drafts 4 to 7, and later ones as far as a schema uses nothing that
	// came after draft 7.
	GoJSONSchema Engine = "gojsonschema"
)

// Engines lists every engine.
var Engines = []Engine{SanthoshTekuri, GoJSONSchema}

// Options of a compilation. The zero value is the usual one.
type Options struct {
	Engine Engine // empty: GoJSONSchema for drafts 4 to 7, SanthoshTekuri for later ones
	// AssertFormat makes "format" a constraint in drafts 2019-09 and 2020-12, where it is an annotation by default.
	AssertFormat bool
	Limits       canon.Limits      // size and depth of the documents to validate; 0 bytes means MaxDocumentBytes
	Resources    map[string][]byte // schemas by URL, for $ref
}

// Validator checks documents against one schema.
type Validator interface {
	// Validate returns what is wrong with the document. Malformed JSON is a *canon.SyntaxError, a document beyond the
	// limits a *canon.LimitError.
	Validate(doc []byte) (*Result, error)
	Engine() Engine
	Draft() Draft
}

// Result of a validation.
type Result struct {
	Valid      bool
	Violations []Violation // none if valid; of alternatives that all fail, those of the one that came furthest
}

// Violation is one broken constraint.
type Violation struct {
	Pointer string // JSON pointer into the document
	Keyword string // of JSON Schema, e.g. "required"
	Message string // of the engine
}

func (v Violation) String() string { return fmt.Sprintf("%q: %s", v.Pointer, v.Message) }

// SchemaError says that a schema cannot be used.
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
	// MaxSchemaBytes and MaxSubschemas bound a schema: compiling takes time with the square of its subschemas. The largest
	// schema in use that we know has some 1,500.
	MaxSchemaBytes = 2 << 20
	MaxSubschemas  = 10_000
	// MaxDocumentBytes bounds a document where Options do not: both engines hold it as a tree of some ten times its size.
	MaxDocumentBytes = 32 << 20
)

// Compile makes a validator. A schema that is no JSON is a *canon.SyntaxError, one that is beyond the limits a
// *canon.LimitError, a construct that the engine cannot do a *canon.UnsupportedError, everything else that is wrong with
// it a *SchemaError.
func Compile(schema []byte, opt Options) (Validator, error) {
	switch opt.Engine {
	case "", SanthoshTekuri, GoJSONSchema:
	default:
		return nil, fmt.Errorf("unknown validator %q: %s or %s", opt.Engine, SanthoshTekuri, GoJSONSchema)
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
	// Also for the other engine: this one checks the schema against the meta-schema of its draft, offline.
	checked, err := s.compileSanthosh(opt)
	if err != nil {
		return nil, err
	}
	if engine == SanthoshTekuri {
		return checked, nil
	}
	return s.compileGo(opt)
}

// decode reads a document within its limits, with numbers as they are written.
func decode(doc []byte, limits canon.Limits) (any, error) {
	var t jsontape.Tape
	if limits.Bytes == 0 {
		limits.Bytes = MaxDocumentBytes
	}
	limits = limits.WithDefaults()
	if err := t.Scan(doc, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth}); err != nil {
		return nil, err
	}
	return value(&t, 0)
}

// maxExponent keeps the engines, which compute with fractions of any size, from numbers of a million digits.
const maxExponent = 1000

// value converts a tape node to what both engines take: maps, slices, strings, json.Number, bool and nil.
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
	raw := t.Raw(i)
	size := len(raw)
	if e := bytes.IndexAny(raw, "eE"); e >= 0 {
		exp, err := strconv.Atoi(string(raw[e+1:]))
		if err != nil {
			exp = math.MaxInt32
		}
		size = max(e, exp, -exp)
	}
	if size > maxExponent {
		return nil, &canon.LimitError{Limit: "digits of a number", Max: maxExponent, Done: int64(size), Where: t.Pointer(i)}
	}
	return json.Number(raw), nil
}
