//phase:caller
package vcdm

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// datasets is what the short path of ecdsa-sd-2023 needs of an engine.
type datasets = canon.Datasets[jsonld.Options, *rdf.Dataset]

// provenance groups statements by where each comes from: one expansion and one canonicalization of the document, no
// skolem names and no expansion of selections. Its results are those of the literal path.
//
//phase:select fallback
type provenance struct{ docs datasets }

// sdWork is the memory of one operation of the short path.
//
//phase:select
type sdWork struct {
	dataset, shown rdf.Dataset // of the document; of a revealed document
	origins        jsonld.Origins
	state, subset  rdfc.State
	quads          []rdf.Quad
	picked         []bool // nodes of the document's tape
	text           []byte
}

// group implements [grouper].
func (g *provenance) group(ctx context.Context, in *input, hmacKey []byte, groups [][]string) (*grouped, error) {
	w := &in.work.sd
	opt := g.options(in, &w.origins)
	opt.Tape = in.view()
	if err := g.docs.ToRDF(ctx, nil, opt, &w.dataset); err != nil {
		return nil, transformed(err, "document")
	}
	in.counts.Canonicalizations++
	if err := w.state.Label(ctx, &w.dataset, labelling(in)); err != nil {
		return nil, transformed(err, "document")
	}
	macs, labels := hmacAll(hmacKey, w.state.Blanks())
	text := w.state.Relabel(nil, labels)
	out := &grouped{lines: splitLines(text), selected: make([][]bool, len(groups))}
	for n, pointers := range groups {
		if err := w.pick(ctx, in, pointers); err != nil {
			return nil, err
		}
		out.selected[n] = w.match(len(out.lines))
	}
	out.reveal = func(n int, document []byte) (map[uint32][]byte, error) {
		return g.reveal(ctx, in, out.selected[n], macs, document)
	}
	return out, nil
}

func (g *provenance) options(in *input, o *jsonld.Origins) jsonld.Options {
	return jsonld.Options{Limits: in.options.Limits, Budget: in.options.Budget, RDFDirection: in.options.Direction, Origins: o}
}

func labelling(in *input) rdfc.Options {
	return rdfc.Options{Work: in.options.Limits.Work, Budget: in.options.Budget}
}

// run canonicalizes a dataset.
func (g *provenance) run(ctx context.Context, in *input, s *rdfc.State, d *rdf.Dataset, dst []byte) ([]byte, error) {
	in.counts.Canonicalizations++
	text, err := s.Run(ctx, d, labelling(in), dst)
	if err != nil {
		return nil, transformed(err, "document")
	}
	return text, nil
}

// hmacAll returns HMACs and labels of the canonical labels c14n0 to c14n<n-1> (VC-DI-ECDSA 3.4.4).
//
//phase:select
func hmacAll(key []byte, n int) (macs [][]byte, labels []string) {
	mac := hmac.New(sha256.New, key)
	macs, labels = make([][]byte, n), make([]string, n)
	buf := make([]byte, 0, 16)
	for i := range n {
		mac.Reset()
		buf = strconv.AppendInt(append(buf[:0], "c14n"...), int64(i), 10)
		mac.Write(buf)
		macs[i] = mac.Sum(nil)
		labels[i] = string(encodeLabel(macs[i]))
	}
	return macs, labels
}

// pick finds the nodes of the document that the pointers select: what they name, and id and types on the way to it.
func (w *sdWork) pick(ctx context.Context, in *input, pointers []string) error {
	t := &w.origins.Tape
	if n := len(t.Nodes); cap(w.picked) < n {
		w.picked = make([]bool, n)
	} else {
		w.picked = w.picked[:n]
		clear(w.picked)
	}
	if len(pointers) == 0 {
		return nil
	}
	s := &in.work.selection
	if err := s.mark(ctx, in.options.Budget, t, pointers); err != nil {
		return err
	}
	w.spread(*s, t, 0)
	return nil
}

// spread picks node i and what is selected in it.
func (w *sdWork) spread(s selection, t *jsontape.Tape, i int) {
	n := &t.Nodes[i]
	if s[i] == all {
		w.pickAll(i, int(n.Next))
		return
	}
	w.picked[i] = true
	if n.Kind == jsontape.Array {
		for c := i + 1; c < int(n.Next); c = int(t.Nodes[c].Next) {
			if s[c] != out {
				w.spread(s, t, c)
			}
		}
		return
	}
	for k := i + 1; k < int(n.Next); k = int(t.Nodes[k+1].Next) {
		if initialMember(t, k) {
			w.pickAll(k+1, int(t.Nodes[k+1].Next))
		} else if s[k+1] != out {
			w.spread(s, t, k+1)
		}
	}
}

func (w *sdWork) pickAll(from, to int) {
	for i := from; i < to; i++ {
		w.picked[i] = true
	}
}

// match says for each line whether one of the quads that it stands for comes from a picked node.
func (w *sdWork) match(lines int) []bool {
	selected := make([]bool, lines)
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

// reveal canonicalizes the selected quads for their labels, and the revealed document to see that it says the same.
func (g *provenance) reveal(ctx context.Context, in *input, selected []bool, macs [][]byte, document []byte) (map[uint32][]byte, error) {
	w := &in.work.sd
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
	numbers := make(map[uint32][]byte, w.subset.Blanks())
	for i := range w.subset.Blanks() {
		numbers[uint32(i)] = macs[w.state.Number(w.subset.Blank(i))]
	}
	if err := g.docs.ToRDF(ctx, document, g.options(in, nil), &w.shown); err != nil {
		return nil, transformed(err, "revealed document")
	}
	said, err := g.run(ctx, in, &w.subset, &w.shown, w.text[:0])
	if err != nil {
		return nil, err
	}
	w.text = said
	if !bytes.Equal(text, said) {
		return nil, errPart
	}
	return numbers, nil
}
