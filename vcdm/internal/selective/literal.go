//phase:select
package selective

import (
	"bytes"
	"context"

	"canonscope/canon"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/problem"
)

// literal groups statements by the specification's own steps: skolemize the document, then expand each
// selection of it and compare (VC-DI-ECDSA 3.4).
//
// It departs from the text where that breaks. Identifiers go into the document as it is, since
// compacting the expanded form (3.4.8) changes the shape of arrays and of embedded graphs, so that JSON
// pointers no longer match. Objects with @list get no identifier (3.4.7 would give them one, which no
// JSON-LD processor takes). What stays without a name to compare by, cells of lists and names of embedded
// graphs, is named after its place and contents.
//
//phase:select
type literal struct {
	canon canon.Canonicalizer
	docs  canon.Expander
}

// Group implements [Grouper] (VC-DI-ECDSA 3.4.16).
func (g *literal) Group(ctx context.Context, in *Input, relabel Labels, groups [][]string) (*Grouped, error) {
	skolemized, expanded, err := g.skolemize(ctx, in)
	if err != nil {
		return nil, err
	}

	statements, err := g.deskolemized(ctx, in, expanded)
	if err != nil {
		return nil, err
	}

	// 3.4.1 labelReplacementCanonicalizeNQuads
	form, err := g.canonicalize(ctx, in, statements, "document")
	if err != nil {
		return nil, err
	}
	if err := lines.Alike(ctx, in.Options.Budget, statements, form.Issued); err != nil {
		return nil, problem.Transformed(err, "document")
	}

	labels := relabel(len(form.Issued))
	byCanonical := func(label []byte) []byte {
		if n, ok := lines.Number(label); ok && int(n) < len(labels) {
			return []byte(labels[n])
		}
		return nil
	}

	out := &Grouped{Selected: make([][]bool, len(groups)), Checked: true}
	if out.Lines, err = lines.RelabelAll(lines.Split(form.Text), byCanonical); err != nil {
		return nil, problem.Generation("", err.Error())
	}

	// 3.4.15 selectCanonicalNQuads
	index := make(map[string]int, len(out.Lines))
	for i, l := range out.Lines {
		index[string(l)] = i
	}

	byInput := func(label []byte) []byte { return byCanonical([]byte(form.Issued[string(label)])) }
	for n, pointers := range groups {
		out.Selected[n] = make([]bool, len(out.Lines))
		if len(pointers) == 0 {
			continue
		}
		s := &in.Memory.Selection
		if err := s.Mark(ctx, in.Options.Budget, skolemized, pointers); err != nil {
			return nil, err
		}
		part := s.AppendJSON(make([]byte, 0, len(skolemized.Src)), skolemized, 0)
		statements, err := g.deskolemized(ctx, in, part)
		if err != nil {
			return nil, err
		}
		chosen, err := lines.RelabelAll(statements, byInput)
		if err != nil {
			return nil, errPart
		}
		for _, l := range chosen {
			i, ok := index[string(l)]
			if !ok {
				return nil, errPart
			}
			out.Selected[n][i] = true
		}
	}

	out.Reveal = func(n int, _ []byte) (map[uint32]uint32, error) {
		chosen, _ := lines.Part(out.Lines, out.Selected[n])
		return g.verifierLabels(ctx, in, chosen, labels)
	}

	return out, nil
}

// canonicalize canonicalizes statements, which are what.
func (g *literal) canonicalize(ctx context.Context, in *Input, statements [][]byte,
	what string) (*canon.Form, error) {
	opt := in.Options
	opt.Input, opt.Issued = canon.NQuads, true
	*in.Count++
	form, err := g.canon.Canonicalize(ctx, lines.Join(statements), opt)
	if err != nil {
		return nil, problem.Transformed(err, what)
	}
	return form, nil
}

// verifierLabels canonicalizes statements that have the labels that are signed.
func (g *literal) verifierLabels(ctx context.Context, in *Input, statements [][]byte,
	labels []string) (map[uint32]uint32, error) {
	form, err := g.canonicalize(ctx, in, statements, "revealed statements")
	if err != nil {
		return nil, err
	}
	whole := make(map[string]uint32, len(labels))
	for i, label := range labels {
		whole[label] = uint32(i)
	}
	numbers := make(map[uint32]uint32, len(form.Issued))
	for label, canonical := range form.Issued {
		n, ok := lines.Number([]byte(canonical))
		number, known := whole[label]
		if !ok || !known {
			return nil, problem.Generation("",
				"the canonicalizer labels blank nodes in another way than RDFC-1.0: "+canonical)
		}
		numbers[n] = number
	}
	return numbers, nil
}

// deskolemized is toDeskolemizedNQuads (VC-DI-ECDSA 3.4.9), with names for what is still blank.
func (g *literal) deskolemized(ctx context.Context, in *Input, doc []byte) ([][]byte, error) {
	text, err := g.docs.ToNQuads(ctx, doc, in.Options)
	if err != nil {
		return nil, problem.Transformed(err, "skolemized document")
	}
	statements := lines.Split(text)
	names, err := lines.Names(statements)
	if err != nil {
		return nil, problem.Generation("", err.Error())
	}
	named := func(label []byte) []byte { return names[string(label)] }
	for i, l := range statements {
		if l, err = lines.Relabel(nil, l, named); err != nil {
			return nil, problem.Generation("", lines.ErrUnnamed.Error())
		}
		statements[i] = deskolemize(l)
	}
	return statements, nil
}

// deskolemize replaces the IRIs of skolemized blank nodes in one statement, but not such text in a literal.
func deskolemize(line []byte) []byte {
	out := make([]byte, 0, len(line))
	for rest := line; rest != nil; {
		var term []byte
		term, rest = lines.Cut(rest)
		if label, ok := bytes.CutPrefix(term, []byte("<"+urn)); ok {
			out = append(append(out, "_:"...), bytes.TrimSuffix(label, []byte{'>'})...)
		} else {
			out = append(out, term...)
		}
		if rest != nil {
			out = append(out, ' ')
		}
	}
	return out
}
