package explain

import (
	"slices"

	"canonscope/canon/jsontape"
)

// edit is a change of one value.
type edit struct {
	node   int
	drop   bool   // the value with its key
	value  []byte // in its place
	member []byte // added as the first member of an object
}

// rewrite returns the document of a tape with edits. What holds no edit keeps its bytes.
func rewrite(t *jsontape.Tape, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.node - b.node })
	w := rewriter{t, edits, make([]byte, 0, len(t.Src))}
	w.write(0)
	return w.out
}

type rewriter struct {
	*jsontape.Tape
	edits []edit
	out   []byte
}

// edit returns the first edit of a value or of its parts.
func (w *rewriter) edit(node int) *edit {
	i, _ := slices.BinarySearchFunc(w.edits, node, func(e edit, node int) int { return e.node - node })
	if i < len(w.edits) && w.edits[i].node < int(w.Nodes[node].Next) {
		return &w.edits[i]
	}
	return nil
}

func (w *rewriter) write(node int) {
	e := w.edit(node)
	switch {
	case e == nil:
		w.out = append(w.out, w.Raw(node)...)
		return
	case e.node == node && e.value != nil:
		w.out = append(w.out, e.value...)
		return
	}

	first := true
	next := func() {
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
	}
	dropped := func(v int) bool {
		e := w.edit(v)
		return e != nil && e.node == v && e.drop
	}

	if w.Nodes[node].Kind == jsontape.Array {
		w.out = append(w.out, '[')
		for v := range w.Elements(node) {
			if !dropped(v) {
				next()
				w.write(v)
			}
		}
		w.out = append(w.out, ']')
		return
	}

	w.out = append(w.out, '{')
	if e.node == node && e.member != nil {
		next()
		w.out = append(w.out, e.member...)
	}
	for k, v := range w.Members(node) {
		if !dropped(v) {
			next()
			w.out = append(append(w.out, w.Raw(k)...), ':')
			w.write(v)
		}
	}
	w.out = append(w.out, '}')
}
