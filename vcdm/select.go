//phase:caller
package vcdm

import (
	"bytes"
	"context"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Selector builds the part of a document that JSON pointers name. It is safe for concurrent use.
type Selector struct {
	Limits canon.Limits // zero fields take their defaults
}

// Select returns the selection of a document (VC-DI-ECDSA 3.4.13, selectJsonLd): what the pointers name and, of every
// object on the way, @context, type and an id that is no blank node. Members and elements keep their order; arrays close
// up. The pointer "" names the whole document. A pointer that is malformed or names nothing is a PROOF_GENERATION_ERROR,
// and so is an empty list of pointers.
//
//phase:select
func (s Selector) Select(ctx context.Context, doc []byte, pointers []string) ([]byte, error) {
	w := works.Get().(*work)
	defer works.Put(w)
	w.begin(ctx, nil, s.Limits)
	defer w.end()

	d, err := w.parse(doc)
	if err != nil {
		return nil, err
	}
	if len(pointers) == 0 {
		return nil, generation("", "nothing is selected: give at least one JSON pointer")
	}
	if err := w.selection.mark(ctx, w.budget, d.tape, pointers); err != nil {
		return nil, err
	}
	out := w.selection.appendJSON(make([]byte, 0, len(doc)), d.tape, 0)
	return out, nil
}

// selection says for every node of a tape how it is selected.
//
//phase:select
type selection []picked

type picked uint8

const (
	out picked = iota
	way        // a container on the way to something selected
	all        // selected with all that is in it
)

// mark selects what the pointers name.
func (s *selection) mark(ctx context.Context, b *canon.Budget, t *jsontape.Tape, pointers []string) error {
	if n := len(t.Nodes); cap(*s) < n {
		*s = make(selection, n)
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
	for i, p := range pointers {
		if i%between == between-1 {
			if err := b.Alive(ctx); err != nil {
				return err
			}
		}
		if err := s.markOne(t, &index, p); err != nil {
			return err
		}
	}
	return nil
}

func (s selection) markOne(t *jsontape.Tape, index *jsontape.Index, pointer string) error {
	if pointer != "" && pointer[0] != '/' {
		return mismatch(t, pointer)
	}
	node, rest := 0, pointer
	for rest != "" {
		if s[node] == out {
			s[node] = way
		}
		token := rest[1:]
		rest = ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, rest = token[:i], token[i:]
		}
		next := -1
		switch t.Nodes[node].Kind {
		case jsontape.Object:
			key, ok := unescapeToken(token)
			if !ok {
				return mismatch(t, pointer)
			}
			next = index.Get(node, key)
		case jsontape.Array:
			next = index.Element(node, token)
		}
		if next < 0 {
			return mismatch(t, pointer)
		}
		node = next
	}
	s[node] = all
	return nil
}

// mismatch is the error of a pointer that is malformed or names nothing.
func mismatch(t *jsontape.Tape, pointer string) error {
	return &Error{Type: ProofGenerationError, Where: pointer, Err: t.Mismatch(pointer)}
}

// unescapeToken replaces the escapes of RFC 6901; false where there is another.
func unescapeToken(token string) (string, bool) {
	if strings.IndexByte(token, '~') < 0 {
		return token, true
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c == '~' {
			i++
			switch {
			case i < len(token) && token[i] == '0':
			case i < len(token) && token[i] == '1':
				c = '/'
			default:
				return "", false
			}
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// appendJSON appends the selected part of node i, which is selected itself.
func (s selection) appendJSON(dst []byte, t *jsontape.Tape, i int) []byte {
	if s[i] == all {
		return append(dst, t.Raw(i)...)
	}
	n := &t.Nodes[i]
	comma := false
	if n.Kind == jsontape.Array {
		dst = append(dst, '[')
		for c := i + 1; c < int(n.Next); c = int(t.Nodes[c].Next) {
			if s[c] == out {
				continue
			}
			if comma {
				dst = append(dst, ',')
			}
			comma = true
			dst = s.appendJSON(dst, t, c)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for k := i + 1; k < int(n.Next); k = int(t.Nodes[k+1].Next) {
		initial := initialMember(t, k)
		if !initial && s[k+1] == out {
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
			dst = s.appendJSON(dst, t, k+1)
		}
	}
	return append(dst, '}')
}

// initialMember says whether a member of an object on the way is always selected (VC-DI-ECDSA 3.4.11,
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
