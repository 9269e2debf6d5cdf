package shape

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
)

// scopes counts the node objects that enter a scoped context. It follows the rules for scoped contexts
// (JSON-LD API section 5.1.2, steps 7 to 11 and 13) and keeps only the parts of a term definition that they
// need. It does not validate contexts: the document has been processed before.
type scopes struct {
	ctx     context.Context
	loader  jsonld.Loader
	docs    map[string]*compiled
	entered int
	looked  int // active contexts searched or made
}

// maxLooked bounds the look-ups of keys in chains of contexts. A transcript of 300 kB takes 30,000.
const maxLooked = 10_000_000

func (s *scopes) err() error {
	if s.looked > maxLooked {
		return &canon.LimitError{Limit: "look-ups of keys in contexts", Max: maxLooked, Done: int64(s.looked)}
	}
	return nil
}

// compiled is a local context as a sequence of steps.
type compiled struct {
	steps []step
}

// step resets the active context, enters another context or adds terms. A scoped context may refer to the
// document that contains it, so a remote context is held by reference.
type step struct {
	reset  bool
	remote *compiled
	terms  map[string]*definition
	vocab  *bool // whether @vocab is a string or null; nil if the context has no @vocab
}

type definition struct {
	alias      string // keyword of which the term is an alias
	json       bool
	containers []string
	scope      *compiled // scoped context or nil
}

// active is an active context: one step on top of another active context.
type active struct {
	step
	below *active
}

func (s *scopes) find(a *active, term string) *definition {
	for ; a != nil && s.looked <= maxLooked; a = a.below {
		s.looked++
		if d, ok := a.terms[term]; ok {
			return d
		}
	}
	return nil
}

// defines reports whether a key without a term definition is a property, through @vocab or as an IRI.
func (s *scopes) defines(a *active, key string) bool {
	if strings.Contains(key, ":") {
		return true
	}
	for ; a != nil && s.looked <= maxLooked; a = a.below {
		s.looked++
		if a.vocab != nil {
			return *a.vocab
		}
	}
	return false
}

func (s *scopes) enter(a *active, c *compiled) *active {
	for _, x := range c.steps {
		s.looked++
		switch {
		case x.reset:
			a = nil
		case x.remote != nil:
			a = s.enter(a, x.remote)
		default:
			a = &active{x, a}
		}
	}
	return a
}

// document returns the count for a scanned document.
func (s *scopes) document(t *jsontape.Tape) (int, error) {
	err := s.value(t, 0, nil, nil)
	return s.entered, err
}

// value visits a value in the context a; scope is the property-scoped context that applies to it, or nil.
func (s *scopes) value(t *jsontape.Tape, i int, a *active, scope *compiled) error {
	switch t.Nodes[i].Kind {
	case jsontape.Array:
		for e := range t.Elements(i) {
			if err := s.value(t, e, a, scope); err != nil {
				return err
			}
		}
	case jsontape.Object:
		return s.object(t, i, a, scope)
	}
	return nil
}

func (s *scopes) object(t *jsontape.Tape, i int, a *active, scope *compiled) error {
	entered := scope != nil
	if scope != nil {
		a = s.enter(a, scope)
	}

	if c := t.Get(i, "@context"); c >= 0 {
		local, err := s.compileText(t.Raw(c))
		if err != nil {
			return err
		}
		a = s.enter(a, local)
	}

	// Type-scoped contexts apply to this node only: nested nodes start again from a.
	typed := a
	for _, name := range s.types(t, i, a) {
		if d := s.find(a, name); d != nil && d.scope != nil {
			typed = s.enter(typed, d.scope)
			entered = true
		}
	}
	if entered {
		s.entered++
	}

	for k, v := range t.Members(i) {
		if err := s.err(); err != nil {
			return err
		}
		key := string(t.Text(k))
		if key == "@graph" || key == "@included" || key == "@set" || key == "@list" {
			if err := s.value(t, v, a, nil); err != nil {
				return err
			}
			continue
		}
		d := s.find(typed, key)
		if d == nil && key[:min(1, len(key))] != "@" && s.defines(typed, key) {
			d = &definition{}
		}
		if d == nil || d.json || d.alias != "" && d.alias != "@graph" && d.alias != "@included" {
			continue
		}
		if t.Nodes[v].Kind == jsontape.Object && isMap(d.containers) { // the keys are not terms
			for _, e := range t.Members(v) {
				if err := s.value(t, e, a, d.scope); err != nil {
					return err
				}
			}
			continue
		}

		if err := s.value(t, v, a, d.scope); err != nil {
			return err
		}
	}

	return nil
}

func isMap(containers []string) bool {
	return slices.ContainsFunc(containers, func(c string) bool {
		return c == "@index" || c == "@id" || c == "@type" || c == "@language"
	})
}

// types returns the values of the type members of a node, in code point order.
func (s *scopes) types(t *jsontape.Tape, i int, a *active) []string {
	var names []string
	for k, v := range t.Members(i) {
		if key := string(t.Text(k)); key != "@type" {
			if d := s.find(a, key); d == nil || d.alias != "@type" {
				continue
			}
		}
		switch t.Nodes[v].Kind {
		case jsontape.String:
			names = append(names, string(t.Text(v)))
		case jsontape.Array:
			for e := range t.Elements(v) {
				if t.Nodes[e].Kind == jsontape.String {
					names = append(names, string(t.Text(e)))
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

func (s *scopes) compileText(text []byte) (*compiled, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	return s.compile(v, 0)
}

// maxRemote bounds chains of remote contexts.
const maxRemote = 32

func (s *scopes) compile(v any, remote int) (*compiled, error) {
	if remote > maxRemote {
		return nil, fmt.Errorf("a chain of contexts is longer than %d", maxRemote)
	}

	c := &compiled{}
	switch v := v.(type) {
	case nil:
		c.steps = []step{{reset: true}}
	case string:
		r, err := s.load(v, remote)
		c.steps = []step{{remote: r}}
		return c, err
	case []any:
		for _, e := range v {
			part, err := s.compile(e, remote)
			if err != nil {
				return nil, err
			}
			c.steps = append(c.steps, part.steps...)
		}
	case map[string]any:
		if url, ok := v["@import"].(string); ok {
			imported, err := s.load(url, remote)
			if err != nil {
				return nil, err
			}
			c.steps = append(c.steps, step{remote: imported})
		}
		terms := map[string]*definition{}
		for name, value := range v {
			if len(name) > 0 && name[0] == '@' {
				continue
			}
			d, err := s.define(value, remote)
			if err != nil {
				return nil, err
			}
			terms[name] = d
		}
		added := step{terms: terms}
		if vocab, ok := v["@vocab"]; ok {
			added.vocab = new(vocab != nil)
		}
		c.steps = append(c.steps, added)
	}

	return c, nil
}

func (s *scopes) define(v any, remote int) (*definition, error) {
	d := &definition{}
	if id, ok := v.(string); ok && len(id) > 0 && id[0] == '@' {
		d.alias = id
	}

	m, ok := v.(map[string]any)
	if !ok {
		return d, nil
	}
	if id, ok := m["@id"].(string); ok && len(id) > 0 && id[0] == '@' {
		d.alias = id
	}

	d.json = m["@type"] == "@json"
	switch c := m["@container"].(type) {
	case string:
		d.containers = []string{c}
	case []any:
		for _, e := range c {
			if e, ok := e.(string); ok {
				d.containers = append(d.containers, e)
			}
		}
	}

	if scope, ok := m["@context"]; ok {
		var err error
		if d.scope, err = s.compile(scope, remote+1); err != nil {
			return nil, err
		}
	}

	return d, nil
}

func (s *scopes) load(url string, remote int) (*compiled, error) {
	if c, ok := s.docs[url]; ok {
		return c, nil
	}
	doc, err := s.loader.Load(s.ctx, url)
	if err != nil {
		return nil, err
	}
	var v struct {
		Context any `json:"@context"`
	}
	if err := json.Unmarshal(doc.Bytes, &v); err != nil {
		return nil, fmt.Errorf("context %s: %w", url, err)
	}
	c := &compiled{}
	s.docs[url] = c
	local, err := s.compile(v.Context, remote+1)
	if err == nil {
		*c = *local
	}
	return c, err
}
