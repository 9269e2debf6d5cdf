//phase:caller
package jsonld

import (
	"cmp"
	"slices"

	"canonscope/canon"
)

// lost is data that is dropped.
type lost struct {
	node    uint32
	pointer string // of a place inside the node; "" for the node itself
	reason  string
}

// maxLosses bounds the list of losses; one is enough to refuse a document.
const maxLosses = 100

// maxLossText bounds the total length of their pointers, which repeat names of enclosing values.
const maxLossText = 1 << 20

// lose records that the algorithms drop the data at a node.
func (r *run) lose(node uint32, reason string) {
	if len(r.losses) < maxLosses {
		r.losses = append(r.losses, lost{node, "", reason})
	}
}

// loseForm records that a ref, which is not an IRI, is dropped. It reads the text of the ref only if the loss
// is listed.
func (r *run) loseForm(node, ref uint32, as string) {
	if len(r.losses) < maxLosses {
		r.lose(node, formNames[r.form(ref)]+" as "+as)
	}
}

// loseNull records that IRI Expansion gives null for the text at a node.
func (r *run) loseNull(node uint32, as string) {
	if likeKeyword(r.text(node)) {
		r.lose(node, "reserved "+as+" value")
	} else {
		r.lose(node, "term mapped to null as "+as)
	}
}

// settle returns or lists the losses, as Options.Lossy says.
func (r *run) settle() error {
	if len(r.losses) == 0 || r.opt.Lossy && r.opt.Losses == nil {
		return nil
	}
	slices.SortStableFunc(r.losses, func(a, b lost) int { return cmp.Compare(a.node, b.node) })
	losses := make([]canon.Loss, 0, len(r.losses))
	size := 0
	for _, l := range r.losses {
		if l.pointer == "" {
			l.pointer = r.pointer(l.node)
		}
		losses = append(losses, canon.Loss{Pointer: l.pointer, Reason: l.reason})
		if size += len(l.pointer); size > maxLossText {
			break
		}
	}
	if !r.opt.Lossy {
		return &canon.LossError{Losses: losses}
	}
	*r.opt.Losses = append(*r.opt.Losses, losses...)
	return nil
}
