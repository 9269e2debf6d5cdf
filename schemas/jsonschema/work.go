//phase:validate
package jsonschema

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"

	"canonscope/canon"
)

// Both libraries evaluate a subschema each time they reach it and cannot be stopped: 28 definitions that
// each refer twice to the next take 2^28 evaluations of one value. So the work of a validation is counted
// beforehand, as if each alternative were evaluated. A step is about a microsecond or a hundred bytes.

// subschema is one object of a schema, with the subschemas that its keywords apply to a value and its parts.
//
//phase:validate
type subschema struct {
	place
	keywords map[string]any
	scope    scope

	same    []*subschema          // to the value itself
	members map[string]*subschema // to the member of a name
	matched []matched             // to members whose names match
	others  []*subschema          // to the other members
	names   *subschema            // to the names of members
	prefix  map[int][]*subschema  // to the element at an index
	after   []*subschema          // to the elements after those
	each    *subschema            // to every element

	own     int64    // steps of its other keywords
	types   []string // JSON types allowed: both libraries skip the other keywords for another type
	pattern int64    // size of its regular expression
	format  string   // keyword
	whole   bool     // keywords compare the whole value
	meta    bool     // refers to a meta-schema
}

type matched struct {
	text  string
	regex *regexp.Regexp
	size  int64 // in instructions
	to    *subschema
}

// add records a subschema of a keyword. The token is its name or index if the keyword has several.
func (e *subschema) add(keyword, token string, to *subschema) {
	switch keyword {
	case "allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then":
		e.same = append(e.same, to)
	case "properties":
		if e.members == nil {
			e.members = map[string]*subschema{}
		}
		e.members[token] = to
	case "patternProperties":
		e.matched = append(e.matched, matched{text: token, to: to})
	case "additionalProperties", "unevaluatedProperties":
		e.others = append(e.others, to)
	case "propertyNames":
		e.names = to
	case "contains":
		e.each = to
	case "items", "prefixItems":
		if token == "" {
			e.after = append(e.after, to)
			return
		}
		if e.prefix == nil {
			e.prefix = map[int][]*subschema{}
		}
		i, _ := strconv.Atoi(token)
		e.prefix[i] = append(e.prefix[i], to)
	case "additionalItems":
		if _, list := e.keywords["items"].([]any); list {
			e.after = append(e.after, to)
		}
	case "unevaluatedItems":
		e.after = append(e.after, to)
	}
}

// bound counts the work that does not depend on the value, and refuses a schema that takes the libraries
// long to compile.
func (s *schema) bound() error {
	var listed, instructions int64
	for _, e := range s.order {
		entries := int64(len(e.members)+len(e.matched)) / 8
		for _, k := range []string{"const", "dependencies", "dependentRequired", "enum", "required", "type"} {
			entries += steps(e.keywords[k])
		}
		required, _ := e.keywords["required"].([]any)
		e.own, listed = 1+entries+int64(len(required)), listed+entries // each missing property is a violation
		if _, alone := e.keywords["$ref"]; !alone {
			e.types = typesOf(e.keywords["type"])
		}
		e.format, _ = e.keywords["format"].(string)
		if _, err := draftOf(e.keywords); err != nil {
			return &SchemaError{Pointer: e.doc + e.pointer + "/$schema", Msg: err.(*SchemaError).Msg}
		}
		e.whole = e.keywords["const"] != nil || e.keywords["enum"] != nil || e.keywords["uniqueItems"] == true
		if text, ok := e.keywords["pattern"].(string); ok {
			e.pattern = instructionsOf(text)
			instructions += e.pattern
		}
		for i := range e.matched {
			p := &e.matched[i]
			p.size = instructionsOf(p.text)
			if instructions += p.size; instructions <= maxInstructions {
				p.regex, _ = regexp.Compile(p.text) // nil if invalid: the library reports that
			}
		}

		if instructions > maxInstructions {
			return &canon.LimitError{Limit: "instructions of regular expressions", Max: maxInstructions,
				Done: instructions, Where: e.doc + e.pointer}
		}
	}

	if listed > maxListed {
		return &canon.LimitError{Limit: "entries of enum, required and similar keywords", Max: maxListed,
			Done: listed}
	}

	return nil
}

// typesOf returns the types of a keyword, with integer as number. It returns nil if there is none.
func typesOf(v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var types []string
	for _, v := range list {
		switch name, _ := v.(string); name {
		case "":
			return nil
		case "integer":
			types = append(types, "number")
		default:
			types = append(types, name)
		}
	}
	return types
}

func typeOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// steps counts the values of a tree and their text.
func steps(v any) int64 {
	switch v := v.(type) {
	case nil:
		return 0
	case map[string]any:
		n := int64(1)
		for k, w := range v {
			n += steps(k) + steps(w)
		}
		return n
	case []any:
		n := int64(1)
		for _, w := range v {
			n += max(1, steps(w))
		}
		return n
	case string:
		return 1 + int64(len(v))/64
	}
	return 1
}

// instructionsOf bounds the size of the program of a regular expression.
func instructionsOf(text string) int64 {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0
	}
	var count func(*syntax.Regexp) int64
	count = func(re *syntax.Regexp) int64 {
		n := 2 + int64(len(re.Rune))
		if re.Op == syntax.OpCharClass {
			n = 2 + int64(len(re.Rune))/8 // one instruction holds many ranges
		}
		for _, sub := range re.Sub {
			n += count(sub)
		}
		if re.Op == syntax.OpRepeat {
			n *= int64(max(re.Min, re.Max, 0) + 1)
		}
		return n
	}
	return count(re)
}

// meter counts the steps of one validation up to a limit.
//
//phase:validate
type meter struct {
	steps, max int64
	limit      int64 // of the caller; errors are in its units
}

func (m *meter) err() error {
	if m.steps > m.max {
		return &canon.LimitError{Limit: "work", Max: m.limit, Done: m.steps * m.limit / m.max}
	}
	return nil
}

// input reads a document to validate and refuses one that takes more work than the limits allow; each step
// counts as many times as given. The receiver is nil for a boolean schema.
func (e *subschema) input(doc []byte, limits canon.Limits, times int64) (any, error) {
	if limits.Work <= 0 {
		limits.Work = MaxWork
	}
	m := meter{max: max(1, limits.Work/times), limit: limits.Work}
	if limits.Bytes <= 0 {
		limits.Bytes = MaxDocumentBytes
	}
	v, err := decode(doc, limits, &m)
	if err == nil && e != nil {
		m.value(e, v, 0, 0)
		err = m.err()
	}
	return v, err
}

// value counts the evaluation of a subschema for a value. at is the length of the pointer to the value,
// which each violation holds, and depth the number of enclosing evaluations.
func (m *meter) value(e *subschema, v any, at, depth int64) {
	m.steps += e.own + max(0, at-300)/100 + max(0, depth-64)/32
	if m.steps > m.max || e.types != nil && !slices.Contains(e.types, typeOf(v)) {
		return
	}
	if e.whole {
		m.tree(v, 1)
	}
	if e.meta {
		m.tree(v, 16) // about as many subschemas of a meta-schema apply to each value
	}

	depth++
	for _, to := range e.same {
		m.value(to, v, at, depth)
	}

	switch v := v.(type) {
	case map[string]any:
		m.members(e, v, at, depth)
	case []any:
		m.steps += int64(len(v))
		for i, w := range v {
			if m.steps > m.max {
				return
			}
			at := at + token
			apply, ok := e.prefix[i]
			if !ok {
				apply = e.after
			}
			for _, to := range apply {
				m.value(to, w, at, depth)
			}
			if e.each != nil {
				m.value(e.each, w, at, depth)
			}
		}
	case string:
		n := int64(len(v))
		m.steps += n / 256
		m.steps += n * e.pattern / 256
		switch e.format {
		case "":
		case "regex":
			m.steps += instructionsOf(v)
		case "hostname": // gojsonschema uses a slow regular expression
			m.steps += n / 4
		default:
			m.steps += n / 100
		}
	case json.Number:
		n := digits(v)
		m.steps += e.own + n*n/1024 // fractions are reduced and written out
	}
}

// token is the cost of a token of a pointer, without the name of a member.
const token = 20

func (m *meter) members(e *subschema, v map[string]any, at, depth int64) {
	m.steps += int64(len(v)) + int64(len(v)*len(e.members))/256
	for k, w := range v {
		if m.steps > m.max {
			return
		}
		m.steps += int64(len(k)) / 64
		at := at + token + int64(len(k))
		to, found := e.members[k]
		if found {
			m.value(to, w, at, depth)
		}
		for _, p := range e.matched {
			m.steps += 1 + p.size/4 + int64(len(k))*p.size/256 // gojsonschema compiles the pattern each time
			if p.regex != nil && p.regex.MatchString(k) {
				found = true
				m.value(p.to, w, at, depth)
			}
		}
		if !found {
			for _, to := range e.others {
				m.value(to, w, at, depth)
			}
		}
		if e.names != nil {
			m.value(e.names, k, at, depth)
		}
	}
}

// tree counts a value with all values in it.
func (m *meter) tree(v any, each int64) {
	m.steps += each
	if m.steps > m.max {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for k, w := range v {
			m.steps += int64(len(k)) / 64
			m.tree(w, each)
		}
	case []any:
		for _, w := range v {
			m.tree(w, each)
		}
	case string:
		m.steps += int64(len(v)) / 64
	}
}
