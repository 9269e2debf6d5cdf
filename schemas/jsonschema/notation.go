//phase:validate
package jsonschema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// In the notation each definition starts at the left margin, and its members are indented.
//
//	NAME = EXPR            an alias
//	object NAME            an object that may have other properties
//	closed NAME            an object without other properties
//	node NAME              a closed object of the European Learning Model, with id and the type NAME
//	    EXPR: p! q r       properties p, q, r are EXPR, and p is required
//	    require: p         p is required and may have any value
//	root NAME = EXPR       a schema of the catalogue
//
// Expressions, loosest first:
//
//	A | B                  one or the other
//	A*  A+                 an A or an array of A; + means an array of at least one
//	[A, B, ...C]           an array of an A, a B and any number of C; A and B are required
//	"x" "y"                one of these strings
//	`re`                   a string that matches the regular expression
//	localized(A)           an A, or an object of A by language code
//	typed(X|Y, Z)          a text, or an array of texts that holds X or Y, and Z
//	{...}                  literal JSON Schema
//	string number integer boolean object any date date-time uri email duration, or the name of a definition
//
// Empty lines and lines that start with # are skipped.

// definition is one schema under its name.
type definition struct {
	schema any
	uses   []string
}

// notation holds the definitions of one file.
//
//phase:validate
type notation struct {
	defs  map[string]definition
	roots map[string]definition
	order []string // of roots
}

func parseNotation(text string) (*notation, error) {
	n := &notation{defs: map[string]definition{}, roots: map[string]definition{}}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " ")
		if line == "" || line[0] == '#' {
			continue
		}
		at := i + 1
		var members []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ") {
			i++
			members = append(members, strings.TrimSpace(lines[i]))
		}
		if err := n.define(line, members); err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
	}
	for name, d := range n.defs {
		for _, u := range d.uses {
			if _, ok := n.defs[u]; !ok {
				return nil, fmt.Errorf("%s uses %s, which is not defined", name, u)
			}
		}
	}
	return n, nil
}

func (n *notation) define(line string, members []string) error {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "object", "closed", "node":
		d, err := object(kind, rest, members)
		if err != nil {
			return fmt.Errorf("%s: %w", rest, err)
		}
		return n.put(rest, d)
	}
	root := kind == "root"
	if root {
		line = rest
	}
	name, text, ok := strings.Cut(line, " = ")
	if !ok || len(members) > 0 {
		return fmt.Errorf("want NAME = EXPR, got %q", line)
	}
	d, err := parseExpr(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if root {
		n.roots[name] = d
		n.order = append(n.order, name)
		return nil
	}
	return n.put(name, d)
}

func (n *notation) put(name string, d definition) error {
	if _, ok := n.defs[name]; ok {
		return fmt.Errorf("%s is defined twice", name)
	}
	n.defs[name] = d
	return nil
}

func object(kind, name string, members []string) (definition, error) {
	properties, required := map[string]any{}, []any{}
	var uses []string
	if kind == "node" {
		members = append([]string{"uri: id", strconv.Quote(name) + ": type"}, members...)
	}

	for _, m := range members {
		at := strings.LastIndex(m, ": ")
		if at < 0 {
			return definition{}, fmt.Errorf("want EXPR: properties, got %q", m)
		}
		expr, names := m[:at], strings.Fields(m[at+2:])
		var schema any
		if expr != "require" {
			d, err := parseExpr(expr)
			if err != nil {
				return definition{}, err
			}
			schema = d.schema
			uses = append(uses, d.uses...)
		}

		for _, p := range names {
			p, must := strings.CutSuffix(p, "!")
			if must || expr == "require" {
				required = append(required, p)
			}
			if expr == "require" {
				continue
			}
			if _, ok := properties[p]; ok {
				return definition{}, fmt.Errorf("property %s is listed twice", p)
			}
			properties[p] = schema
		}
	}

	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.SortFunc(required, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		s["required"] = required
	}

	if kind != "object" {
		s["additionalProperties"] = false
	}

	return definition{s, uses}, nil
}

// schema returns a root as JSON Schema 2019-09, with the definitions that it refers to, directly or not.
func (n *notation) schema(root string) []byte {
	d := n.roots[root]
	defs := map[string]any{}
	queue := d.uses
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if _, ok := defs[name]; ok {
			continue
		}
		defs[name] = n.defs[name].schema
		queue = append(queue, n.defs[name].uses...)
	}
	out := map[string]any{"$schema": draft2019, "title": root}
	for k, v := range d.schema.(map[string]any) {
		out[k] = v
	}
	if len(defs) > 0 {
		out["$defs"] = defs
	}
	b, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		panic(err) // maps of strings
	}
	return b
}

// parser reads one expression.
//
//phase:validate
type parser struct {
	text string
	pos  int
	uses []string
}

func parseExpr(text string) (d definition, err error) {
	p := &parser{text: text}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(notationError)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("%s at %q in %q", string(e), p.text[p.pos:], text)
		}
	}()
	s := p.choice()
	if p.peek() != 0 {
		panic(notationError("unexpected text"))
	}
	return definition{s, p.uses}, nil
}

type notationError string

func (p *parser) peek() byte {
	for p.pos < len(p.text) && p.text[p.pos] == ' ' {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

func (p *parser) take(s string) bool {
	p.peek()
	if strings.HasPrefix(p.text[p.pos:], s) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) need(s string) {
	if !p.take(s) {
		panic(notationError("want " + s))
	}
}

func (p *parser) choice() any {
	options := []any{p.repeated()}
	for p.take("|") {
		options = append(options, p.repeated())
	}
	if len(options) == 1 {
		return options[0]
	}
	return map[string]any{"anyOf": options}
}

func (p *parser) repeated() any {
	s := p.primary()
	for {
		array := map[string]any{"type": "array", "items": s}
		switch {
		case p.take("*"):
		case p.take("+"):
			array["minItems"] = 1
		default:
			return s
		}
		s = map[string]any{"anyOf": []any{s, array}}
	}
}

func (p *parser) primary() any {
	switch c := p.peek(); {
	case c == '"':
		var words []any
		for p.peek() == '"' {
			words = append(words, p.quoted('"'))
		}
		return map[string]any{"type": "string", "enum": words}
	case c == '`':
		return map[string]any{"type": "string", "pattern": p.quoted('`')}
	case c == '[':
		return p.tuple()
	case c == '(':
		p.need("(")
		s := p.choice()
		p.need(")")
		return s
	case c == '{':
		dec := json.NewDecoder(strings.NewReader(p.text[p.pos:]))
		var s map[string]any
		if err := dec.Decode(&s); err != nil {
			panic(notationError("JSON: " + err.Error()))
		}
		p.pos += int(dec.InputOffset())
		p.uses = append(p.uses, refs(s)...)
		return s
	}
	return p.named(p.word())
}

// refs lists the definitions that literal JSON Schema refers to.
func refs(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for k, w := range v {
			if name, ok := w.(string); ok && k == "$ref" {
				out = append(out, strings.TrimPrefix(name, "#/$defs/"))
			}
			out = append(out, refs(w)...)
		}
	case []any:
		for _, w := range v {
			out = append(out, refs(w)...)
		}
	}
	return out
}

func (p *parser) word() string {
	p.peek()
	start := p.pos
	isWord := func(c byte) bool { return c == '-' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
	for p.pos < len(p.text) && isWord(p.text[p.pos]) {
		p.pos++
	}
	if p.pos == start {
		panic(notationError("want an expression"))
	}
	return p.text[start:p.pos]
}

func (p *parser) quoted(end byte) string {
	n := strings.IndexByte(p.text[p.pos+1:], end)
	if n < 0 {
		panic(notationError("missing closing " + string(end)))
	}
	s := p.text[p.pos+1 : p.pos+1+n]
	p.pos += n + 2
	return s
}

func (p *parser) tuple() any {
	p.need("[")
	var items []any
	s := map[string]any{"type": "array"}
	for !p.take("]") {
		if len(items) > 0 {
			p.need(",")
		}
		if p.take("...") {
			s["additionalItems"] = p.choice()
			p.need("]")
			break
		}
		items = append(items, p.choice())
	}
	s["items"], s["minItems"] = items, len(items)
	return s
}

func (p *parser) named(word string) any {
	switch word {
	case "string", "number", "integer", "boolean", "object":
		return map[string]any{"type": word}
	case "any":
		return map[string]any{}
	case "date", "date-time", "uri", "email", "duration":
		return map[string]any{"type": "string", "format": word}
	case "localized":
		p.need("(")
		s := p.choice()
		p.need(")")
		return localized(s)
	case "typed":
		p.need("(")
		s := p.typed()
		p.need(")")
		return s
	}
	p.uses = append(p.uses, word)
	return map[string]any{"$ref": "#/$defs/" + word}
}

// localized returns the schema of a value, or an object of such values by language code (Open Badges 3.0:
// ISO 639-1 with an optional ISO 3166-1 region).
func localized(s any) any {
	return map[string]any{"anyOf": []any{s, map[string]any{"type": "object", "additionalProperties": s,
		"propertyNames": map[string]any{"pattern": `^[a-z]{2}(-[A-Z]{2})?$`}}}}
}

// typed returns the schema of a type property: a text, or an array of texts that holds the named types.
func (p *parser) typed() any {
	var all []any
	for {
		words := []any{p.word()}
		for p.take("|") {
			words = append(words, p.word())
		}
		all = append(all, map[string]any{"contains": map[string]any{"enum": words}})
		if !p.take(",") {
			break
		}
	}
	text := localized(map[string]any{"type": "string"})
	array := map[string]any{"type": "array", "minItems": 1, "items": text}
	if len(all) == 1 {
		array["contains"] = all[0].(map[string]any)["contains"]
	} else {
		array["allOf"] = all
	}
	return map[string]any{"anyOf": []any{text, array}}
}
