//phase:caller
package selective

import (
	"bytes"
	"context"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"
)

// Selection says for every node of a tape how it is selected.
//
//phase:select
type Selection []picked

type picked uint8

const (
	Out picked = iota
	way        // a container on the way to something selected
	All        // selected with all that is in it
)

// Mark selects what the pointers name. A pointer that is malformed or names nothing is a PROOF_GENERATION_ERROR.
func (s *Selection) Mark(ctx context.Context, b *canon.Budget, t *jsontape.Tape, pointers []string) error {
	if n := len(t.Nodes); cap(*s) < n {
		*s = make(Selection, n)
	} else {
		*s = (*s)[:n]
		clear(*s)
	}
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
	return nil
}

// AppendJSON appends the selected part of node i, which is selected itself.
func (s Selection) AppendJSON(dst []byte, t *jsontape.Tape, i int) []byte {
	if s[i] == All {
		return append(dst, t.Raw(i)...)
	}
	n := &t.Nodes[i]
	comma := false
	if n.Kind == jsontape.Array {
		dst = append(dst, '[')
		for c := i + 1; c < int(n.Next); c = int(t.Nodes[c].Next) {
			if s[c] == Out {
				continue
			}
			if comma {
				dst = append(dst, ',')
			}
			comma = true
			dst = s.AppendJSON(dst, t, c)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for k := i + 1; k < int(n.Next); k = int(t.Nodes[k+1].Next) {
		initial := initialMember(t, k)
		if !initial && s[k+1] == Out {
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = append(append(dst, t.Raw(k)...), ':')
		if initial {
			dst = append(dst, t.Raw(k+1)...)
		} else {
			dst = s.AppendJSON(dst, t, k+1)
		}
	}
	return append(dst, '}')
}

// initialMember reports whether a member of an object on the way is always selected (VC-DI-ECDSA 3.4.11,
// createInitialSelection). The specification leaves @context to the root and knows only the aliases id and type; here
// the keywords count too, and a context inside an object stays with what it defines.
func initialMember(t *jsontape.Tape, key int) bool {
	switch string(t.Text(key)) {
	case "type", "@type", "@context":
		return true
	case "id", "@id":
		v := key + 1
		return t.Nodes[v].Kind != jsontape.String || !bytes.HasPrefix(t.Text(v), []byte("_:"))
	}
	return false
}
