package jsontape

import "slices"

// Share makes t a second reader of a tape. It shares the nodes and has separate memory for text.
func (t *Tape) Share(from *Tape) {
	t.Src, t.Nodes, t.text = from.Src, from.Nodes, t.text[:0]
}

// View makes t the tape of an object of another tape, without the members whose keys are in omit, and with
// the member at key extra of any object added at the end unless extra is negative. Only nodes are copied;
// they refer to the source of the other tape. The span of the object still covers the omitted members.
func (t *Tape) View(from *Tape, object, extra int, omit ...int) {
	t.Src, t.Nodes, t.text = from.Src, append(t.Nodes[:0], from.Nodes[object]), t.text[:0]
	end := int(from.Nodes[object].Next)
	for k := object + 1; k < end; {
		run := k // a run of members that stay
		for run < end && !slices.Contains(omit, run) {
			run = int(from.Nodes[run+1].Next)
		}
		t.take(from, k, run)
		if k = run; k < end {
			k = int(from.Nodes[k+1].Next)
		}
	}
	if extra >= 0 {
		t.take(from, extra, int(from.Nodes[extra+1].Next))
		t.Nodes[0].Hash |= fold(HashBit(from.Nodes[extra].Hash))
	}
	t.Nodes[0].Next = uint32(len(t.Nodes))
}

// take appends the nodes from i to end of another tape.
func (t *Tape) take(from *Tape, i, end int) {
	at := len(t.Nodes)
	t.Nodes = append(t.Nodes, from.Nodes[i:end]...)
	if shift := uint32(at) - uint32(i); shift != 0 {
		for n := range t.Nodes[at:] {
			t.Nodes[at+n].Next += shift
		}
	}
}
