//phase:select
package vcdm

import (
	"bytes"
	"context"

	"canonscope/canon"
)

// literal groups statements by the specification's own steps: skolemize the document, then expand each selection of it
// and compare (VC-DI-ECDSA 3.4).
//
// It departs from the text where that breaks. Identifiers go into the document as it stands, since compacting the
// expanded form (3.4.8) changes the shape of arrays and of embedded graphs, so that JSON pointers no longer match. Objects
// with @list get no identifier (3.4.7 would give them one, which no JSON-LD processor takes). What stays without a name
// to compare by, cells of lists and names of embedded graphs, is named after its place and contents.
//
//phase:select
type literal struct {
	canon canon.Canonicalizer
	docs  canon.Expander
}

// group implements [grouper] (VC-DI-ECDSA 3.4.16).
func (g *literal) group(ctx context.Context, in *input, hmacKey []byte, groups [][]string) (*grouped, error) {
	labels := newHMACLabels(hmacKey)
	skolemized, expanded, err := g.skolemize(ctx, in)
	if err != nil {
		return nil, err
	}
	statements, err := g.deskolemized(ctx, in, expanded)
	if err != nil {
		return nil, err
	}
	// 3.4.1 labelReplacementCanonicalizeNQuads
	opt := in.options
	opt.Input, opt.Issued = canon.NQuads, true
	in.counts.Canonicalizations++
	form, err := g.canon.Canonicalize(ctx, joinLines(statements), opt)
	if err != nil {
		return nil, transformed(err, "document")
	}
	if err := alike(ctx, in.options.Budget, statements, form.Issued); err != nil {
		return nil, transformed(err, "document")
	}
	lines, err := relabelAll(splitLines(form.Text), labels.of)
	if err != nil {
		return nil, generation("", err.Error())
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
		part, err := Selector{Limits: in.options.Limits}.Select(ctx, skolemized, pointers)
		if err != nil {
			return nil, err
		}
		statements, err := g.deskolemized(ctx, in, part)
		if err != nil {
			return nil, err
		}
		chosen, err := relabelAll(statements, byInput)
		if err != nil {
			return nil, errPart
		}
		for _, l := range chosen {
			i, ok := index[string(l)]
			if !ok {
				return nil, errPart
			}
			selected[n][i] = true
		}
	}
	out := &grouped{lines: lines, selected: selected, checked: true}
	out.reveal = func(n int, _ []byte) (map[uint32][]byte, error) {
		chosen, _ := split(lines, selected[n])
		return g.verifierLabels(ctx, in, chosen)
	}
	return out, nil
}

// errPart is the error of pointers whose selection says something that the document does not.
var errPart = generation("", "a JSON pointer names a part of what can only be disclosed whole, such as an element of an ordered list")

// verifierLabels canonicalizes statements that have the labels that are signed.
func (g *literal) verifierLabels(ctx context.Context, in *input, lines [][]byte) (map[uint32][]byte, error) {
	opt := in.options
	opt.Input, opt.Issued = canon.NQuads, true
	in.counts.Canonicalizations++
	form, err := g.canon.Canonicalize(ctx, joinLines(lines), opt)
	if err != nil {
		return nil, transformed(err, "revealed statements")
	}
	numbers := make(map[uint32][]byte, len(form.Issued))
	for label, canonical := range form.Issued {
		n, ok := canonicalNumber([]byte(canonical))
		mac, err := multibase64.DecodeString(label[1:])
		if !ok || err != nil {
			return nil, generation("", "the canonicalizer labels blank nodes in another way than RDFC-1.0: "+canonical)
		}
		numbers[n] = mac
	}
	return numbers, nil
}

// deskolemized is toDeskolemizedNQuads (VC-DI-ECDSA 3.4.9), with names for what is still blank.
func (g *literal) deskolemized(ctx context.Context, in *input, doc []byte) ([][]byte, error) {
	text, err := g.docs.ToNQuads(ctx, doc, in.options)
	if err != nil {
		return nil, transformed(err, "skolemized document")
	}
	lines := splitLines(text)
	names, err := nameBlanks(lines)
	if err != nil {
		return nil, err
	}
	for i, l := range lines {
		if l, err = relabel(nil, l, func(label []byte) []byte { return names[string(label)] }); err != nil {
			return nil, errUnnamed
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
