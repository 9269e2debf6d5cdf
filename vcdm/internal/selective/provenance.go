//phase:caller
package selective

import (
	"bytes"
	"context"
	"slices"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/problem"
)

// datasets is what the short path needs of an engine.
type datasets = canon.Datasets[jsonld.Options, *rdf.Dataset]

// provenance groups statements by where each comes from: one expansion and one canonicalization of the
// document, no skolem names and no expansion of selections. Its results are those of the literal path.
//
//phase:select fallback
type provenance struct{ docs datasets }

// short is the memory of one operation of the short path.
//
//phase:select
type short struct {
	dataset, shown  rdf.Dataset // of the document; of a revealed document
	origins         jsonld.Origins
	state, subset   rdfc.State
	quads           []rdf.Quad
	picked          []bool // nodes of the document's tape
	text, shownText []byte
	lines           [][]byte // of text
}

// Group implements [grouper].
func (g *provenance) Group(ctx context.Context, in *Input, labels Labels,
	groups [][]string) (*Grouped, error) {
	w := &in.Memory.short
	opt := g.options(in, &w.origins)
	opt.Tape = in.View()
	if err := g.docs.ToRDF(ctx, nil, opt, &w.dataset); err != nil {
		return nil, problem.Transformed(err, "document")
	}
	*in.Count++
	if err := w.state.Label(ctx, &w.dataset, labelling(in)); err != nil {
		return nil, problem.Transformed(err, "document")
	}
	w.text = w.state.Relabel(w.text[:0], labels(w.state.Blanks()))
	w.lines = lines.AppendSplit(w.lines[:0], w.text)
	out := &Grouped{Lines: w.lines, Selected: make([][]bool, len(groups))}
	for n, pointers := range groups {
		if err := w.pick(ctx, in, pointers); err != nil {
			return nil, err
		}
		out.Selected[n] = w.match(len(out.Lines))
	}
	out.Reveal = func(n int, document []byte) (map[uint32]uint32, error) {
		return g.reveal(ctx, in, out.Selected[n], document)
	}
	return out, nil
}

func (g *provenance) options(in *Input, o *jsonld.Origins) jsonld.Options {
	return jsonld.Options{Limits: in.Options.Limits, Budget: in.Options.Budget,
		RDFDirection: in.Options.Direction, Origins: o}
}

func labelling(in *Input) rdfc.Options {
	return rdfc.Options{Work: in.Options.Limits.Work, Budget: in.Options.Budget}
}

// run canonicalizes a dataset.
func (g *provenance) run(ctx context.Context, in *Input, s *rdfc.State, d *rdf.Dataset,
	dst []byte) ([]byte, error) {
	*in.Count++
	text, err := s.Run(ctx, d, labelling(in), dst)
	if err != nil {
		return nil, problem.Transformed(err, "document")
	}
	return text, nil
}

// pick finds the nodes of the document that the pointers select: what they name, and id and types on the
// way to it.
func (w *short) pick(ctx context.Context, in *Input, pointers []string) error {
	t, s := &w.origins.Tape, &in.Memory.Selection
	if err := s.Mark(ctx, in.Options.Budget, t, pointers); err != nil {
		return err
	}
	w.picked = slices.Grow(w.picked[:0], len(t.Nodes))[:len(t.Nodes)]
	end := 0 // of what is selected as a whole
	for i := range t.Nodes {
		if (*s)[i] == All {
			end = max(end, int(t.Nodes[i].Next))
		}
		w.picked[i] = i < end || (*s)[i] == way
	}
	return nil
}

// match reports for each line whether one of the quads that it represents comes from a picked node.
func (w *short) match(n int) []bool {
	selected := make([]bool, n)
	for i := range selected {
		for _, q := range w.state.Sources(i) {
			if w.picked[w.origins.Quads[q].Value] {
				selected[i] = true
				break
			}
		}
	}
	return selected
}

// reveal canonicalizes the selected quads for their labels, and the revealed document to see that it says
// the same.
func (g *provenance) reveal(ctx context.Context, in *Input, selected []bool,
	document []byte) (map[uint32]uint32, error) {
	w := &in.Memory.short
	w.quads = w.quads[:0]
	for i, yes := range selected {
		if yes {
			w.quads = append(w.quads, w.dataset.Quads[w.state.Sources(i)[0]])
		}
	}

	subset := rdf.Dataset{Terms: w.dataset.Terms, Quads: w.quads}
	text, err := g.run(ctx, in, &w.subset, &subset, nil)
	if err != nil {
		return nil, err
	}

	numbers := make(map[uint32]uint32, w.subset.Blanks())
	for i := range w.subset.Blanks() {
		numbers[uint32(i)] = uint32(w.state.Number(w.subset.Blank(i)))
	}

	if err := g.docs.ToRDF(ctx, document, g.options(in, nil), &w.shown); err != nil {
		return nil, problem.Transformed(err, "revealed document")
	}

	said, err := g.run(ctx, in, &w.subset, &w.shown, w.shownText[:0])
	if err != nil {
		return nil, err
	}

	w.shownText = said
	if !bytes.Equal(text, said) {
		return nil, errPart
	}

	return numbers, nil
}
