package jsontape

// known is a value, an array or object, that a scan has accepted: its bytes and its nodes, as if it stood alone. Where the
// same bytes come again they are the same value, since brackets say where it ends.
//
//phase:parse primitive
type known struct {
	text  []byte
	nodes []Node
	depth int // limit that it was accepted under
}

// Bounds of the text of a known value: a short one is scanned as fast as found, a long one takes memory.
const (
	minKnown = 64
	maxKnown = 64 << 10
)

// is says whether src, within which depth is allowed, starts with the value.
func (k *known) is(src []byte, depth int) bool {
	n := len(k.text)
	return n > 0 && n <= len(src) && depth >= k.depth && string(src[:n]) == string(k.text)
}

// keep makes the value of nodes the known one.
func (k *known) keep(src []byte, nodes []Node, depth int) {
	k.text, k.nodes, k.depth = k.text[:0], k.nodes[:0], depth
	from, end := nodes[0].Start, nodes[0].End
	if size := end - from; size < minKnown || size > maxKnown {
		return
	}
	k.text = append(k.text, src[from:end]...)
	k.nodes = append(k.nodes, nodes...)
	first := nodes[0].Next - uint32(len(nodes))
	for i := range k.nodes {
		n := &k.nodes[i]
		n.Start, n.End, n.Next = n.Start-from, n.End-from, n.Next-first
	}
}

// copyTo appends the nodes of the value, which stands at i in the source, and returns its end.
func (k *known) copyTo(nodes []Node, i int) ([]Node, int) {
	first := uint32(len(nodes))
	nodes = append(nodes, k.nodes...)
	added := nodes[first:]
	for n := range added {
		n := &added[n]
		n.Start, n.End, n.Next = n.Start+uint32(i), n.End+uint32(i), n.Next+first
	}
	return nodes, i + len(k.text)
}
