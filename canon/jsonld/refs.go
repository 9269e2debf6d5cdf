//phase:caller
package jsonld

import (
	"canonscope/canon/rdf"
)

// A ref is an IRI or blank node identifier that occurs in the document, once for each text or compiled IRI.
// It is the number of a term in the dataset. The text of that term has angle brackets even if it is not an
// IRI; the kind of the term is set for IRIs, and for a blank node once it is in a quad. Ref 0 is null.

// refText returns the text of a ref without brackets. The ref must not be 0.
func (r *run) refText(ref uint32) []byte {
	nq := r.into.Terms[ref].Text
	return nq[1 : len(nq)-1]
}

// refTable is what is known of the refs of a document beside their texts.
type refTable struct {
	forms []form // of the refs, which are the first terms of run.into
	gen   uint32
	memo  *[memoSize]memoSlot // compiled IRI to ref
}

// reset forgets all refs. Slots of an older generation count as empty, so nothing is cleared.
func (t *refTable) reset() {
	if t.gen++; t.memo == nil || t.gen == 0 {
		t.memo, t.gen = new([memoSize]memoSlot), 1
	}
	t.forms = append(t.forms[:0], absolute)
}

type memoSlot struct {
	iri *iri
	gen uint32
	ref uint32
}

const memoSize = 1 << 8 // compiled IRIs of one document that are found again; a miss only makes a second term

// refOf returns the ref of a compiled IRI.
func (r *run) refOf(i *iri) uint32 {
	m := &r.refs.memo[i.seq%memoSize]
	if m.iri != i || m.gen != r.refs.gen {
		r.refer(i, m)
	}
	return m.ref
}

// refer adds the ref of a compiled IRI.
func (r *run) refer(i *iri, m *memoSlot) {
	m.iri, m.gen = i, r.refs.gen
	if i.form == blank { // the document may have the same label
		m.ref = r.refOfText(append(r.buf, i.nq...))
		return
	}
	m.ref = r.newRef(i.nq, i.form)
	r.bounds.longest = max(r.bounds.longest, len(i.nq))
}

// newRef adds a ref.
func (r *run) newRef(nq []byte, f form) uint32 {
	r.refs.forms = append(r.refs.forms, f)
	kind := rdf.Default
	if f == absolute {
		kind = rdf.IRI
	}
	return uint32(r.into.Append(kind, nq))
}

// refOfText returns the ref of the text between angle brackets at the end of buf, which is r.buf with that
// text appended.
func (r *run) refOfText(buf []byte) uint32 {
	nq := buf[len(r.buf):]
	id, added := r.into.Keep(rdf.Default, nq[:len(nq):len(nq)])
	if !added {
		return uint32(id)
	}
	f := formOf(nq[1 : len(nq)-1])
	r.refs.forms = append(r.refs.forms, f)
	if f == absolute {
		r.into.Terms[id].Kind = rdf.IRI
	}
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
