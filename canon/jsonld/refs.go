//phase:caller
package jsonld

import (
	"canonscope/canon/rdf"
)

// A ref is an IRI or blank node identifier that occurs in the document, once for each text or compiled IRI.
// It is the number of a term in the dataset. The text of that term has angle brackets even if it is not an
// IRI; the kind of the term is set for IRIs, and for a blank node once it is in a quad. Ref 0 is null.

// refText returns the text of a ref without brackets. The ref must not be 0 or a blank node in a quad.
func (r *run) refText(ref uint32) []byte {
	nq := r.into.Terms[ref].Text
	return nq[1 : len(nq)-1]
}

// isIRI reports whether a ref is an IRI that N-Quads can carry.
func (r *run) isIRI(ref uint32) bool { return r.into.Terms[ref].Kind == rdf.IRI }

// isBlank reports whether the text of a ref, with brackets, is a blank node identifier.
func isBlank(nq []byte) bool { return len(nq) > 3 && nq[1] == '_' && nq[2] == ':' }

// form returns the form of a ref, which must not be 0. It may read the whole text.
func (r *run) form(ref uint32) form {
	switch r.into.Terms[ref].Kind {
	case rdf.IRI:
		return absolute
	case rdf.Blank:
		return blank
	}
	return formOf(r.refText(ref))
}

// refTable finds the refs of compiled IRIs.
type refTable struct {
	gen  uint32
	memo *[memoSize]memoSlot
}

// reset forgets all refs. Slots of an older generation count as empty, so nothing is cleared.
func (t *refTable) reset() {
	if t.gen++; t.memo == nil || t.gen == 0 {
		t.memo, t.gen = new([memoSize]memoSlot), 1
	}
}

type memoSlot struct {
	iri *iri
	gen uint32
	ref uint32
}

const (
	memoSize = 1 << 8  // compiled IRIs of one document that are found again; a miss only makes a second term
	maxMemo  = 1 << 10 // length of the text of one, which stays in memory until another takes its slot
)

// refOf returns the ref of a compiled IRI.
func (r *run) refOf(i *iri) uint32 {
	m := &r.refs.memo[i.seq%memoSize]
	if m.iri == i && m.gen == r.refs.gen {
		return m.ref
	}
	ref := r.refer(i)
	if len(i.nq) <= maxMemo {
		m.iri, m.gen, m.ref = i, r.refs.gen, ref
	}
	return ref
}

// refer adds the ref of a compiled IRI.
func (r *run) refer(i *iri) uint32 {
	if i.form == blank { // the document may have the same label
		return r.refOfText(append(r.buf, i.nq...))
	}
	r.bounds.longest = max(r.bounds.longest, len(i.nq))
	return uint32(r.into.Append(kindOf(i.form), i.nq))
}

// kindOf returns the kind of a term of the given form, as far as it is known.
func kindOf(f form) rdf.Kind {
	if f == absolute {
		return rdf.IRI
	}
	return rdf.Default
}

// refOfText returns the ref of the text between angle brackets at the end of buf, which is r.buf with that
// text appended.
func (r *run) refOfText(buf []byte) uint32 {
	nq := buf[len(r.buf):]
	id, added := r.into.Keep(rdf.Default, nq[:len(nq):len(nq)])
	if !added {
		return uint32(id)
	}
	r.into.Terms[id].Kind = kindOf(formOf(nq[1 : len(nq)-1]))
	if len(buf) > r.bounds.maxText {
		r.bounds.over = true
		return 0
	}
	r.buf = buf
	r.bounds.longest = max(r.bounds.longest, len(nq))
	return uint32(id)
}

// refBytes is refOfText for text elsewhere.
func (r *run) refBytes(text []byte) uint32 {
	if r.bounds.over {
		return 0
	}
	return r.refOfText(append(append(append(r.buf, '<'), text...), '>'))
}

func (r *run) refString(text string) uint32 {
	if r.bounds.over {
		return 0
	}
	return r.refOfText(append(append(append(r.buf, '<'), text...), '>'))
}
