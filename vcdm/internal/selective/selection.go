//phase:caller
package selective

import (
	"bytes"
	"context"
	"slices"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"
)

// Selection holds for every node of a tape how it is selected.
//
//phase:select
type Selection []picked

type picked uint8

const (
	Out picked = iota
	way        // a container on the way to something selected
	All        // selected with all that is in it
)

// Mark selects what the pointers name, and id, type and contexts of the objects on the way. A pointer that
// is malformed or names nothing is a PROOF_GENERATION_ERROR.
func (s *Selection) Mark(ctx context.Context, b *canon.Budget, t *jsontape.Tape, pointers []string) error {
	*s = slices.Grow((*s)[:0], len(t.Nodes))[:len(t.Nodes)]
	clear(*s)
	size := t.IndexSize(len(pointers))
	defer b.Use(-size)
	if err := b.Use(size); err != nil {
		return err
	}

	const between = 256 // pointers
	index := t.Index(len(pointers))

	through := func(node int) {
		if (*s)[node] == Out {
			(*s)[node] = way
		}
	}

	for i, p := range pointers {
		if i%between == between-1 {
			if err := b.Alive(ctx); err != nil {
				return err
			}
		}
		node, rest := index.Follow(p, through)
		if rest != "" || !jsontape.IsPointer(p) {
			return &problem.Error{Type: problem.ProofGenerationError, Where: p, Err: t.Mismatch(p)}
		}
		(*s)[node] = All
	}

	for i := range t.Nodes {
		if (*s)[i] == way && t.Nodes[i].Kind == jsontape.Object {
			for k, v := range t.Members(i) {
				if isInitial(t, k) {
					(*s)[v] = All
				}
			}
		}
	}

	return nil
}

// AppendJSON appends the selected part of node i, which is selected itself.
func (s Selection) AppendJSON(dst []byte, t *jsontape.Tape, i int) []byte {
	switch {
	case s[i] == All:
		return append(dst, t.Raw(i)...)
	case t.Nodes[i].Kind == jsontape.Array:
		dst = append(dst, '[')
		for e := range t.Elements(i) {
			if s[e] != Out {
				dst = append(s.AppendJSON(dst, t, e), ',')
			}
		}
		return closed(dst, ']')
	}
	dst = append(dst, '{')
	for k, v := range t.Members(i) {
		if s[v] != Out {
			dst = append(append(dst, t.Raw(k)...), ':')
			dst = append(s.AppendJSON(dst, t, v), ',')
		}
	}
	return closed(dst, '}')
}

// closed returns a container with its end, in place of the comma behind its last part.
func closed(dst []byte, end byte) []byte { return append(bytes.TrimSuffix(dst, []byte{','}), end) }

// isInitial reports whether a member of an object on the way is always selected (VC-DI-ECDSA 3.4.11,
// createInitialSelection). The specification leaves @context to the root and knows only the aliases id and
// type; here the keywords count too, and a context inside an object stays with what it defines.
func isInitial(t *jsontape.Tape, key int) bool {
	switch string(t.Text(key)) {
	case "type", "@type", "@context":
		return true
	case "id", "@id":
		v := key + 1
		return t.Nodes[v].Kind != jsontape.String || !bytes.HasPrefix(t.Text(v), []byte("_:"))
	}
	return false
}
