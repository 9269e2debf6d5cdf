//phase:caller
package mdoc

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/jsontape"
	"canonscope/compare/internal/claims"
)

// want is the set of elements that a JSON pointer names: those of a namespace, or of any namespace, whose
// identifier is id or begins with id and a slash. If id is "", all are wanted.
type want struct {
	pointer  string
	anywhere bool // in any namespace: the pointer begins with /credentialSubject
	space    string
	id       string
}

func wantOf(pointer string) (want, error) {
	if !strings.HasPrefix(pointer, "/") {
		return want{}, &canon.PointerError{Pointer: pointer,
			Why: "it does not start with /, as /credentialSubject/name does"}
	}
	first, id, _ := strings.Cut(pointer[1:], "/")
	if "/"+first == claims.Subject {
		return want{pointer: pointer, anywhere: true, id: id}, nil
	}
	return want{pointer: pointer, space: jsontape.UnescapeToken(first), id: id}, nil
}

// checkClaims refuses dates that are not numbers and claims that an mdoc cannot hold. The issuer is
// accepted, since the signer's certificate names it.
func checkClaims(t *jsontape.Tape) error {
	const rule = "RFC 7519 section 4"
	if t.Nodes[0].Kind != jsontape.Object {
		return invalid("claims", rule, "is not a JSON object")
	}
	for _, name := range []string{"nbf", "exp"} {
		if n := t.Get(0, name); n == jsontape.None || t.Nodes[n].Kind != jsontape.Number {
			return invalid("/"+name, rule, "is missing or not a number")
		}
	}
	for k := range t.Members(0) {
		switch name := string(t.Text(k)); name {
		case "iss", "nbf", "exp", "vct", "credentialSubject":
		default:
			return invalid("/"+jsontape.EscapeToken(name), "ISO/IEC 18013-5 section 9.1.2.4",
				"has no place in an mdoc; leave it out of the claims")
		}
	}
	return nil
}

// checkItems bounds the items of an mdoc, which can be far longer than the claims: each repeats the names
// of the levels above it. The factor covers earlier buffers of the growing slice and the copy into the
// output.
func checkItems(size int, memory int64) error {
	const copies = 4
	if used := copies * int64(size); used > memory {
		return &canon.LimitError{Limit: "memory", Max: memory, Done: used, Where: "items"}
	}
	return nil
}

// selection finds wanted elements.
type selection struct {
	wanted  []want
	hit     []int32                   // for each: 0, the number of its namespace from 1, or several
	by      map[string]int            // index in wanted, of those wanted anywhere, by id; nil if few
	in      map[string]map[string]int // index in wanted by namespace and id, of the others
	longest int                       // bytes of the longest id; 0 if few are wanted
}

const (
	fewWanted = 16 // up to this number all are compared with each element
	several   = -1
)

func newSelection(wanted []want) *selection {
	s := &selection{wanted: wanted}
	if len(wanted) > fewWanted {
		s.by, s.in, s.wanted = map[string]int{}, map[string]map[string]int{}, nil
		for _, w := range wanted {
			by := s.by
			if !w.anywhere {
				if by = s.in[w.space]; by == nil {
					by = map[string]int{}
					s.in[w.space] = by
				}
			}
			if _, again := by[w.id]; !again {
				by[w.id] = len(s.wanted)
				s.wanted = append(s.wanted, w)
				s.longest = max(s.longest, len(w.id))
			}
		}
	}
	s.hit = make([]int32, len(s.wanted))
	return s
}

// takes reports whether an element is one of the wanted ones or below one, and marks those that match.
// number is the number of the namespace.
func takes[T string | []byte](s *selection, space T, number int, id T) bool {
	found := false
	if s.by == nil {
		for i := range s.wanted {
			w := &s.wanted[i]
			if len(id) >= len(w.id) && string(id[:len(w.id)]) == w.id &&
				(len(id) == len(w.id) || w.id == "" || id[len(w.id)] == '/') &&
				(w.anywhere || string(space) == w.space) {
				s.mark(i, number)
				found = true
			}
		}
		return found
	}

	in := s.in[string(space)]
	for n := 0; n <= min(len(id), s.longest); n++ {
		if n > 0 && n < len(id) && id[n] != '/' {
			continue
		}
		if i, ok := s.by[string(id[:n])]; ok {
			s.mark(i, number)
			found = true
		}
		if i, ok := in[string(id[:n])]; ok {
			s.mark(i, number)
			found = true
		}
	}

	return found
}

func (s *selection) mark(i, number int) {
	if hit := &s.hit[i]; *hit == 0 {
		*hit = int32(number + 1)
	} else if *hit != int32(number+1) && s.wanted[i].id != "" {
		*hit = several
	}
}

// check returns an error for the first wanted element that is missing or is in several namespaces. b has
// been scanned.
func (s *selection) check(b view) error {
	for i, hit := range s.hit {
		switch hit {
		case 0:
			return b.mismatch(&s.wanted[i])
		case several:
			return b.ambiguous(&s.wanted[i])
		}
	}
	return nil
}

// maxNames is the number of names that are searched for the hint of an error.
const maxNames = 1000

// names yields the first namespaces and identifiers of IssuerSigned, up to maxNames.
func (b view) names() iter.Seq2[string, string] {
	return func(yield func(space, id string) bool) {
		r := newNativeReader(canon.Limits{})
		defer r.free()
		s, err := b.issuerSigned()
		if err != nil || s.nameSpaces == none {
			return
		}
		left := maxNames
		_, spaces, at := b.head(s.nameSpaces)
		for range spaces {
			text, _ := b.text(at)
			_, n, item := b.head(b.skip(at))
			for range n {
				read, err := r.item(b, item, nil)
				if err != nil || left == 0 || !yield(text, string(read.identifier)) {
					return
				}
				left--
				item = b.skip(item)
			}
			at = item
		}
	}
}

// mismatch returns the error of a pointer that names nothing, with the nearest name.
func (b view) mismatch(w *want) error {
	var spaces, ids, in []string // in has the namespace of each of ids
	known := false
	for space, id := range b.names() {
		if len(spaces) == 0 || spaces[len(spaces)-1] != space {
			spaces = append(spaces, space)
		}
		known = known || space == w.space
		if w.anywhere || space == w.space || id == w.space {
			ids, in = append(ids, id), append(in, space)
		}
	}

	why, name := fmt.Sprintf("no namespace has an element %q", w.id), w.id
	switch {
	case w.anywhere:
	case known:
		why = fmt.Sprintf("namespace %s has no element %q", cut(w.space), w.id)
	default:
		why, name = fmt.Sprintf("there is no namespace %q", cut(w.space)), w.space
	}
	if near := choice.Nearest(name, slices.Values(ids)); near != "" {
		at := slices.Index(ids, near)
		why += fmt.Sprintf("; did you mean %q?", elementPointer(cut(in[at]), near))
	} else if near := choice.Nearest(name, slices.Values(spaces)); near != "" && !known {
		why += fmt.Sprintf("; did you mean %q?", near)
	}
	return &canon.PointerError{Pointer: w.pointer, Why: why}
}

// ambiguous returns the error of a pointer to an element in several namespaces. It lists the pointers with
// a namespace.
func (b view) ambiguous(w *want) error {
	const most = 8
	var spellings []string
	for space, id := range b.names() {
		spelling := elementPointer(cut(space), w.id)
		if (id == w.id || strings.HasPrefix(id, w.id+"/")) && len(spellings) < most &&
			!slices.Contains(spellings, spelling) {
			spellings = append(spellings, spelling)
		}
	}
	slices.Sort(spellings)
	return invalid(w.pointer, ruleShape, "is in several namespaces; write %s", choice.List(spellings))
}

// elementPointer returns the pointer to an element: its namespace, escaped as a token of a JSON pointer,
// and its identifier, unescaped, since it may be a pointer.
func elementPointer(space, id string) string { return "/" + jsontape.EscapeToken(space) + "/" + id }

// Pointer returns the JSON pointer that selects the element in [Holder.Present]: its namespace, escaped,
// and its identifier.
func (e *Element) Pointer() string { return elementPointer(e.NameSpace, e.Identifier) }

func join(parent, token string) string {
	if parent == "" {
		return token
	}
	return parent + "/" + token
}

// numeral is a number of CBOR: a double or an integer.
type numeral struct {
	double   bool
	negative bool
	float    float64
	integer  uint64 // in two's complement if it is negative
}

// number reads a JSON number: a double if it has a fraction or an exponent.
func number(text, id []byte) (n numeral, err error) {
	if n.double = bytes.ContainsAny(text, ".eE"); n.double {
		if n.float, err = strconv.ParseFloat(string(text), 64); err != nil || math.IsInf(n.float, 0) {
			return n, &canon.UnsupportedError{Engine: "mdoc", What: "the number " + string(text),
				Where: string(id)}
		}
		return n, nil
	}
	if n.negative = text[0] == '-'; n.negative {
		var i int64
		i, err = strconv.ParseInt(string(text), 10, 64)
		n.integer, n.negative = uint64(i), i < 0 // -0 is 0
	} else {
		n.integer, err = strconv.ParseUint(string(text), 10, 64)
	}
	if err != nil {
		err = &canon.UnsupportedError{Engine: "mdoc", What: "the integer " + string(text) + " beyond 64 bits",
			Where: string(id)}
	}
	return n, err
}
