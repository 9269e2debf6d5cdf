package vcdm

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"canonscope/canon"
)

// Expander is what the literal path of ecdsa-sd-2023 needs of an engine beside its canonicalization: the JSON-LD API of
// documents as bytes.
type Expander interface {
	Expand(ctx context.Context, doc []byte, opt canon.Options) ([]byte, error)
	Compact(ctx context.Context, doc, local []byte, opt canon.Options) ([]byte, error) // local is a @context value
	ToNQuads(ctx context.Context, doc []byte, opt canon.Options) ([]byte, error)
}

// urn is the scheme that stands for blank nodes while a document is skolemized.
const urn = "urn:bnid:"

// literal groups statements by the specification's own steps: skolemize the document, then expand each selection of it
// and compare (VC-DI-ECDSA 3.4).
//
// It departs from the text where that breaks: objects with @list get no identifier (3.4.7 would give them one, which no
// JSON-LD processor takes), and the blank nodes of list cells, which have no name to be compared by, are named after the
// list's place and contents.
type literal struct {
	canon canon.Canonicalizer
	docs  Expander
}

// group implements [grouper] (VC-DI-ECDSA 3.4.16).
func (g *literal) group(ctx context.Context, in *input, labels *hmacLabels, groups [][]string) ([][]byte, [][]bool, error) {
	local := in.doc.contextText()
	if local == nil {
		return nil, nil, &Error{Type: DataLossDetection, Where: "/@context", Msg: "is missing"}
	}
	expanded, err := g.docs.Expand(ctx, in.unsecured, in.options)
	if err != nil {
		return nil, nil, transformed(err, "document")
	}
	// 3.4.8 skolemizeCompactJsonLd
	skolemized, err := skolemize(expanded)
	if err != nil {
		return nil, nil, err
	}
	compact, err := g.docs.Compact(ctx, skolemized, local, in.options)
	if err != nil {
		return nil, nil, transformed(err, "skolemized document")
	}
	statements, err := g.deskolemized(ctx, in, skolemized)
	if err != nil {
		return nil, nil, err
	}
	// 3.4.1 labelReplacementCanonicalizeNQuads
	opt := in.options
	opt.Input, opt.Issued = canon.NQuads, true
	in.counts.Canonicalizations++
	form, err := g.canon.Canonicalize(ctx, joinLines(statements), opt)
	if err != nil {
		return nil, nil, transformed(err, "document")
	}
	lines, err := relabelAll(splitLines(form.Text), labels.of)
	if err != nil {
		return nil, nil, generation("", err.Error())
	}
	index := make(map[string]int, len(lines))
	for i, l := range lines {
		index[string(l)] = i
	}
	byInput := func(label []byte) []byte {
		c, ok := form.Issued[string(label)]
		if !ok {
			return nil
		}
		return labels.of([]byte(c))
	}
	selected := make([][]bool, len(groups))
	for n, pointers := range groups {
		selected[n] = make([]bool, len(lines))
		if len(pointers) == 0 {
			continue
		}
		// 3.4.15 selectCanonicalNQuads
		part, err := Selector{Limits: in.options.Limits}.Select(ctx, compact, pointers)
		if err != nil {
			return nil, nil, err
		}
		statements, err := g.deskolemized(ctx, in, part)
		if err != nil {
			return nil, nil, err
		}
		chosen, err := relabelAll(statements, byInput)
		if err != nil {
			return nil, nil, partial(pointers)
		}
		for _, l := range chosen {
			i, ok := index[string(l)]
			if !ok {
				return nil, nil, partial(pointers)
			}
			selected[n][i] = true
		}
	}
	return lines, selected, nil
}

// partial is the error of a pointer whose selection says something that the document does not.
func partial(pointers []string) error {
	return generation("", fmt.Sprintf("the JSON pointers %q name a part of what can only be disclosed whole, such as an element of an ordered list", pointers))
}

// deskolemized is toDeskolemizedNQuads (VC-DI-ECDSA 3.4.9), with names for list cells.
func (g *literal) deskolemized(ctx context.Context, in *input, doc []byte) ([][]byte, error) {
	text, err := g.docs.ToNQuads(ctx, doc, in.options)
	if err != nil {
		return nil, transformed(err, "skolemized document")
	}
	lines := splitLines(text)
	cells, err := nameCells(lines)
	if err != nil {
		return nil, err
	}
	for i, l := range lines {
		if l, err = relabel(nil, l, func(label []byte) []byte {
			if c := cells[string(label)]; c != nil {
				return c.name
			}
			return nil
		}); err != nil {
			return nil, generation("", err.Error())
		}
		lines[i] = deskolemize(l)
	}
	return lines, nil
}

// deskolemize replaces the IRIs of skolemized blank nodes in one statement, but not such text in a literal.
func deskolemize(line []byte) []byte {
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		switch line[i] {
		case '<':
			end := i + bytes.IndexByte(line[i:], '>')
			if end < i {
				return append(out, line[i:]...)
			}
			if label, ok := bytes.CutPrefix(line[i+1:end], []byte(urn)); ok {
				out = append(append(out, "_:"...), label...)
			} else {
				out = append(out, line[i:end+1]...)
			}
			i = end + 1
		case '"':
			end := i + 1
			for end < len(line) && line[end] != '"' {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(line))
			out = append(out, line[i:end]...)
			i = end
		default:
			out = append(out, line[i])
			i++
		}
	}
	return out
}

const (
	rdfFirst = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
	rdfRest  = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"
)

// cell is one cell of a list in a skolemized document, where nothing else is a blank node.
type cell struct {
	first, rest string // terms
	subject     string // of the statement that leads to the list: only its first cell has one
	edge        string // predicate and graph of that statement
	head        string // label of the list's first cell
	name        []byte
}

var errCell = generation("", "a blank node has no name to select it by")

// nameCells names the cells of lists after the statement that leads to the list, its contents and the place in it.
func nameCells(lines [][]byte) (map[string]*cell, error) {
	cells := map[string]*cell{}
	at := func(label string) *cell {
		c := cells[label]
		if c == nil {
			c = new(cell)
			cells[label] = c
		}
		return c
	}
	for _, l := range lines {
		s, p, o, graph := quadTerms(l)
		if label, ok := strings.CutPrefix(s, "_:"); ok {
			switch p {
			case rdfFirst:
				at(label).first = o
			case rdfRest:
				at(label).rest = o
			default:
				return nil, errCell
			}
		}
		if label, ok := strings.CutPrefix(o, "_:"); ok && p != rdfRest {
			c := at(label)
			if c.subject != "" {
				return nil, errCell
			}
			c.subject, c.edge = s, p+" "+graph
		}
	}
	var heads []string
	for label, c := range cells {
		if c.subject == "" {
			continue
		}
		heads = append(heads, label)
		for next, ok := label, true; ok; next, ok = strings.CutPrefix(cells[next].rest, "_:") {
			if cells[next] == nil || cells[next].head != "" {
				return nil, errCell
			}
			cells[next].head = label
		}
	}
	taken := map[string]bool{}
	for _, head := range heads {
		if err := nameList(cells, head, taken, 0); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// nameList names the cells of one list, and before them those of the list it stands in.
func nameList(cells map[string]*cell, head string, taken map[string]bool, depth int) error {
	c := cells[head]
	if c.name != nil {
		return nil
	}
	place := c.subject
	if label, ok := strings.CutPrefix(place, "_:"); ok {
		outer := cells[label]
		if depth > canon.DefaultDepth || outer.head == "" {
			return errCell
		}
		if err := nameList(cells, outer.head, taken, depth+1); err != nil {
			return err
		}
		place = string(outer.name)
	}
	id := fmt.Sprintf("l%x", sha256.Sum256([]byte(place+" "+c.edge+" "+listContents(cells, head, 0))))
	if taken[id] {
		return generation("", "two equal lists stand in one place, and selective disclosure cannot tell them apart")
	}
	taken[id] = true
	n := 0
	for label, ok := head, true; ok; label, ok = strings.CutPrefix(cells[label].rest, "_:") {
		cells[label].name = []byte(id + "x" + strconv.Itoa(n))
		n++
	}
	return nil
}

// listContents returns the terms of a list as text, with lists inside it in brackets.
func listContents(cells map[string]*cell, head string, depth int) string {
	var b strings.Builder
	for label, ok := head, true; ok; label, ok = strings.CutPrefix(cells[label].rest, "_:") {
		first := cells[label].first
		if inner, ok := strings.CutPrefix(first, "_:"); ok && cells[inner] != nil && depth < canon.DefaultDepth {
			first = "[" + listContents(cells, inner, depth+1) + "]"
		}
		b.WriteString(first + " ")
	}
	return b.String()
}

// quadTerms splits an N-Quads statement as json-gold and RDFC-1.0 write it; the graph is empty in the default graph.
func quadTerms(line []byte) (s, p, o, graph string) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), " .")
	s, text, _ = strings.Cut(text, " ")
	p, text, _ = strings.Cut(text, " ")
	end := strings.IndexByte(text, ' ')
	if strings.HasPrefix(text, `"`) {
		end = 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if i := strings.IndexByte(text[min(end, len(text)):], ' '); i >= 0 {
			end += i
		} else {
			end = -1
		}
	}
	if end < 0 {
		return s, p, text, ""
	}
	return s, p, text[:end], text[end+1:]
}

// skolemize gives every node object of an expanded document an @id (VC-DI-ECDSA 3.4.7).
func skolemize(expanded []byte) ([]byte, error) {
	var doc any
	dec := json.NewDecoder(bytes.NewReader(expanded))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		return nil, &Error{Type: ProofTransformation, Msg: "expanded document", Err: err}
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	k := &skolemizer{prefix: fmt.Sprintf("%s_%x_", urn, random)}
	return json.Marshal(k.value(doc))
}

type skolemizer struct {
	prefix string
	count  int
}

func (k *skolemizer) value(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = k.value(v[i])
		}
	case map[string]any:
		if _, ok := v["@value"]; ok {
			return v
		}
		for key, member := range v {
			if reverse, ok := member.(map[string]any); ok && key == "@reverse" { // a map of properties, no node
				for p := range reverse {
					reverse[p] = k.value(reverse[p])
				}
				continue
			}
			v[key] = k.value(member)
		}
		if _, ok := v["@list"]; ok {
			return v
		}
		id, ok := v["@id"].(string)
		if !ok {
			v["@id"] = k.prefix + strconv.Itoa(k.count)
			k.count++
		} else if label, ok := strings.CutPrefix(id, "_:"); ok {
			v["@id"] = urn + label
		}
	}
	return v
}
