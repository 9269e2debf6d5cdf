package contexts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
)

// Table is one parsed file of facts.
type Table struct {
	Contents []Info // the primary content, then its variants
	root     *scope // of the primary content
}

// term is one term definition. A definition with only an IRI is a string in JSON unless object is set.
type term struct {
	name, iri, typ, container string
	object                    bool
	scope                     *scope // scoped context or nil
}

// scope is one context: its keywords and its terms in order.
type scope struct {
	null      bool // the context null
	protected bool
	version   bool
	vocab     string
	terms     []*term
}

const (
	maxFacts    = 128 << 10 // bytes of a file, whose terms are looked up one by one; facts have at most 10 kB
	maxRendered = 16 << 20  // bytes of a file with its abbreviations written out
)

type parser struct {
	file     string
	line     int
	abbr     map[string]string
	rendered int
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s line %d: %s", p.file, p.line, fmt.Sprintf(format, args...))
}

// render counts n bytes of the written-out file.
func (p *parser) render(n int) error {
	if p.rendered += n; p.rendered > maxRendered {
		return &canon.LimitError{Limit: "bytes of contexts", Max: maxRendered, Done: int64(p.rendered),
			Where: fmt.Sprintf("%s line %d", p.file, p.line)}
	}
	return nil
}

// Parse reads one file of facts. It has three parts, separated by empty lines:
//
//	name credentials-v2                     header: name, title, url, sha256, sha384, date; a variant if the
//	abbr sec https://w3id.org/security#     URL has several contents; abbreviations of this file
//
//	@protected                              keyword of a context: @protected, @version 1.1, @vocab IRI
//	proof sec~ t=@id c=@graph               one term a line: its IRI, @type, @container; "sec~" is sec~proof
//	mediaType schema~encodingFormat {}      {} where the file writes an object and a string would do
//	VerifiablePresentation sec~             one tab more: the scoped context of the term above
//		verifiableCredential sec~ t=@id null null: the scoped context null
//
//	variant specification-2025-04           another content of the same URL, as edits of the first:
//	- Achievement/inLanguage                without this term (scopes are a path)
//	+ Proof elm:Proof                       with this term added or replaced
//
// An IRI is written as in the official file, except for abbreviations with "~".
func Parse(file string, src []byte) (*Table, error) {
	if len(src) > maxFacts {
		return nil, &canon.LimitError{Limit: "bytes", Max: maxFacts, Done: int64(len(src)), Where: file}
	}
	p := &parser{file: file, abbr: map[string]string{}}
	lines := strings.Split(strings.TrimRight(string(src), "\n"), "\n")
	head, i, err := p.header(lines)
	if err != nil {
		return nil, err
	}
	root, i, err := p.terms(lines, i)
	if err != nil {
		return nil, err
	}
	head.JSON, head.Terms = root.document(), root.count()
	t := &Table{Contents: []Info{head}, root: root}
	for i < len(lines) {
		var v Info
		if err := p.render(len(head.JSON)); err != nil {
			return nil, err
		}
		if v, i, err = p.variant(lines, i, head, root.clone()); err != nil {
			return nil, err
		}
		t.Contents = append(t.Contents, v)
	}
	return t, nil
}

// header reads up to the first empty line and returns the index after it.
func (p *parser) header(lines []string) (Info, int, error) {
	var h Info
	for i, l := range lines {
		p.line = i + 1
		if l == "" {
			if h.Name == "" || h.URL == "" || len(h.SHA256) != 64 {
				return h, i, p.errorf("the header needs name, url and sha256")
			}
			return h, i + 1, nil
		}
		key, value, _ := strings.Cut(l, " ")
		if key == "abbr" {
			name, iri, ok := strings.Cut(value, " ")
			if !ok {
				return h, i, p.errorf("abbr needs a name and an IRI")
			}
			p.abbr[name] = iri
		} else if !h.set(key, value) {
			return h, i, p.errorf("unknown header %q", key)
		}
	}
	return h, len(lines), p.errorf("no terms")
}

func (h *Info) set(key, value string) bool {
	switch key {
	case "name":
		h.Name = value
	case "title":
		h.Title = value
	case "url":
		h.URL = value
	case "sha256":
		h.SHA256 = value
	case "sha384":
		h.SHA384 = value
	case "date":
		h.Date = value
	case "variant":
		h.Variant = value
	default:
		return false
	}
	return true
}

// terms reads the table of terms up to an empty line or the end.
func (p *parser) terms(lines []string, i int) (*scope, int, error) {
	root := &scope{}
	open := []*scope{root} // open[d] is the scope at depth d
	for ; i < len(lines) && lines[i] != ""; i++ {
		p.line = i + 1
		text := strings.TrimLeft(lines[i], "\t")
		depth := len(lines[i]) - len(text)
		if depth >= len(open) {
			last := open[len(open)-1]
			if depth > len(open) || len(last.terms) == 0 || last.terms[len(last.terms)-1].scope != nil {
				return nil, i, p.errorf("indented, but no term above has this scope")
			}
			s := &scope{}
			last.terms[len(last.terms)-1].scope = s
			open = append(open, s)
		}
		open = open[:depth+1]
		if err := p.member(open[depth], text); err != nil {
			return nil, i, err
		}
	}
	return root, i + 1, nil
}

// member reads one keyword or term of a scope.
func (p *parser) member(s *scope, text string) error {
	f := strings.Fields(text)
	if len(f) == 0 {
		return p.errorf("a line of white space; use an empty line to end the terms")
	}

	switch f[0] {
	case "@protected":
		s.protected = true
		return nil
	case "@version":
		s.version = true
		return nil
	case "@vocab":
		if len(f) != 2 {
			return p.errorf("@vocab needs an IRI")
		}
		var err error
		s.vocab, err = p.iri(f[1], "")
		return err
	}

	t, err := p.term(f)
	if err != nil {
		return err
	}
	if s.find(t.name) >= 0 {
		return p.errorf("term %q occurs twice in one scope", t.name)
	}

	s.terms = append(s.terms, t)
	return nil
}

func (p *parser) term(f []string) (*term, error) {
	if len(f) < 2 || strings.HasPrefix(f[0], "@") {
		return nil, p.errorf("want a term and its IRI")
	}
	t := &term{name: f[0]}
	var err error
	if t.iri, err = p.iri(f[1], t.name); err != nil {
		return nil, err
	}
	for _, a := range f[2:] {
		switch {
		case strings.HasPrefix(a, "t="):
			if t.typ, err = p.iri(a[2:], ""); err != nil {
				return nil, err
			}
		case strings.HasPrefix(a, "c="):
			t.container = a[2:]
		case a == "{}":
			t.object = true
		case a == "null":
			t.scope = &scope{null: true}
		default:
			return nil, p.errorf("unknown attribute %q", a)
		}
	}
	return t, nil
}

// iri expands the abbreviation of the notation; "sec~" alone is the namespace and the term.
func (p *parser) iri(s, name string) (string, error) {
	abbr, rest, ok := strings.Cut(s, "~")
	if !ok {
		return s, nil
	}
	ns, ok := p.abbr[abbr]
	if !ok {
		return "", p.errorf("unknown abbreviation %q", abbr+"~")
	}
	if rest == "" {
		rest = name
	}
	return ns + rest, p.render(len(ns))
}

// variant reads one variant and applies its edits to root.
func (p *parser) variant(lines []string, i int, head Info, root *scope) (Info, int, error) {
	v := Info{Name: head.Name, Title: head.Title, URL: head.URL}
	for ; i < len(lines) && lines[i] != ""; i++ {
		p.line = i + 1
		op, rest, _ := strings.Cut(lines[i], " ")
		if v.set(op, rest) {
			continue
		}
		f := strings.Fields(rest)
		if op != "+" && op != "-" || len(f) == 0 {
			return v, i, p.errorf("want a header line, + or -")
		}
		path := strings.Split(f[0], "/")
		s := root
		for _, step := range path[:len(path)-1] {
			k := s.find(step)
			if k < 0 || s.terms[k].scope == nil {
				return v, i, p.errorf("no scope %q", step)
			}
			s = s.terms[k].scope
		}

		f[0] = path[len(path)-1]
		k := s.find(f[0])
		if op == "-" {
			if k < 0 {
				return v, i, p.errorf("no term %q to leave out", f[0])
			}
			s.terms = slices.Delete(s.terms, k, k+1)
			continue
		}

		t, err := p.term(f)
		if err != nil {
			return v, i, err
		}
		if k >= 0 {
			s.terms[k] = t
		} else {
			s.terms = append(s.terms, t)
		}
	}

	if v.Variant == "" || len(v.SHA256) != 64 {
		return v, i, p.errorf("a variant needs a name and a sha256")
	}

	v.JSON, v.Terms = root.document(), root.count()
	return v, i + 1, nil
}

func (s *scope) find(name string) int {
	return slices.IndexFunc(s.terms, func(t *term) bool { return t.name == name })
}

func (s *scope) clone() *scope {
	if s == nil {
		return nil
	}
	c := *s
	c.terms = make([]*term, len(s.terms))
	for i, t := range s.terms {
		d := *t
		d.scope = t.scope.clone()
		c.terms[i] = &d
	}
	return &c
}

func (s *scope) count() int {
	if s == nil {
		return 0
	}
	n := len(s.terms)
	for _, t := range s.terms {
		n += t.scope.count()
	}
	return n
}

// document renders the context document as compact JSON, terms in the order of the facts.
func (s *scope) document() []byte {
	return append(s.json([]byte(`{"@context":`)), '}')
}

func (s *scope) json(b []byte) []byte {
	if s.null {
		return append(b, "null"...)
	}
	start := len(b)
	if s.version {
		b = append(b, `,"@version":1.1`...)
	}
	if s.protected {
		b = append(b, `,"@protected":true`...)
	}
	if s.vocab != "" {
		b = member(b, "@vocab", s.vocab)
	}
	for _, t := range s.terms {
		b = t.json(b)
	}
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{' // replaces the first comma
	return append(b, '}')
}

func (t *term) json(b []byte) []byte {
	if t.typ == "" && t.container == "" && t.scope == nil && !t.object {
		return member(b, t.name, t.iri)
	}
	b = append(quote(append(b, ','), t.name), ':')
	start := len(b)
	b = member(b, "@id", t.iri)
	if t.typ != "" {
		b = member(b, "@type", t.typ)
	}
	if t.container != "" {
		b = member(b, "@container", t.container)
	}
	if t.scope != nil {
		b = t.scope.json(append(b, `,"@context":`...))
	}
	b[start] = '{'
	return append(b, '}')
}

func member(b []byte, key, value string) []byte {
	return quote(append(quote(append(b, ','), key), ':'), value)
}

func quote(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return append(b, bytes.TrimRight(buf.Bytes(), "\n")...)
}
