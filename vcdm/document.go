//phase:encode
package vcdm

import (
	"errors"
	"iter"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// document is a scanned document. Node indexes are -1 where a member is absent.
type document struct {
	tape     *jsontape.Tape
	proofKey int // key of the root's proof
	context  int // value of the root's @context
}

// parseDocument scans a document, which must be an object.
//
//phase:parse
func parseDocument(t *jsontape.Tape, src []byte, limits canon.Limits) (document, error) {
	if err := t.Scan(src, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth, Memory: limits.Memory}); err != nil {
		var limit *canon.LimitError
		if errors.As(err, &limit) {
			return document{}, err
		}
		return document{}, &Error{Type: ParsingError, Err: err}
	}
	if t.Nodes[0].Kind != jsontape.Object {
		return document{}, &Error{Type: ParsingError, Msg: "the document is no JSON object but " + t.Nodes[0].Kind.String()}
	}
	return document{t, t.Key(0, "proof"), t.Get(0, "@context")}, nil
}

// proofs appends the proofs of the document in order to all, none where there is no proof member, and no more than the
// limits allow.
//
//phase:parse
func (d *document) proofs(all []proof, limits canon.Limits) ([]proof, error) {
	if d.proofKey < 0 {
		return all, nil
	}
	v := d.proofKey + 1
	switch d.tape.Nodes[v].Kind {
	case jsontape.Object:
		return append(all, readProof(d.tape, v)), nil
	case jsontape.Array:
		if n, most := d.tape.Len(v), limits.WithDefaults().Proofs; n > most {
			return nil, &canon.LimitError{Limit: "proofs", Max: int64(most), Done: int64(n), Where: "/proof"}
		}
		for e := range d.tape.Elements(v) {
			if d.tape.Nodes[e].Kind != jsontape.Object {
				return nil, &Error{Type: ParsingError, Where: "/proof/" + strconv.Itoa(len(all)), Msg: "a proof must be an object"}
			}
			all = append(all, readProof(d.tape, e))
		}
		return all, nil
	}
	return nil, &Error{Type: ParsingError, Where: "/proof", Msg: "must be an object or a list of objects"}
}

// contextText returns the JSON text of the document's @context; nil where it has none.
//
//phase:caller
func (d *document) contextText() []byte {
	if d.context < 0 {
		return nil
	}
	return d.tape.Raw(d.context)
}

// appendUnsecured appends the document without its proofs, or with those that the new proof builds on (VC Data Integrity
// 4.3 step 6, 4.5 step 3.3).
func (d *document) appendUnsecured(dst []byte, matching []proof) []byte {
	switch {
	case len(matching) > 0:
		list := []byte{'['}
		for i := range matching {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, d.tape.Raw(matching[i].node)...)
		}
		return d.tape.AppendReplaced(dst, d.proofKey+1, append(list, ']'))
	case d.proofKey < 0:
		return append(dst, d.tape.Src...)
	}
	return d.tape.AppendWithout(dst, 0, d.proofKey)
}

// appendSecured appends the document with one more proof.
func (d *document) appendSecured(dst []byte, value []byte) []byte {
	if d.proofKey < 0 {
		return d.tape.AppendMember(dst, 0, "proof", value)
	}
	v := d.proofKey + 1
	old := d.tape.Raw(v)
	list := make([]byte, 0, len(old)+len(value)+3)
	if d.tape.Nodes[v].Kind == jsontape.Object {
		list = append(append(list, '['), old...)
	} else if list = append(list, old[:len(old)-1]...); d.tape.Len(v) == 0 {
		list = append(append(list, value...), ']')
		return d.tape.AppendReplaced(dst, v, list)
	}
	list = append(append(append(list, ','), value...), ']')
	return d.tape.AppendReplaced(dst, v, list)
}

// appendToProof appends the document with members added at the end of its proof, an object that is not empty.
func (d *document) appendToProof(dst []byte, members []byte) []byte {
	end := d.tape.Nodes[d.proofKey+1].End - 1
	dst = append(append(dst, d.tape.Src[:end]...), members...)
	return append(dst, d.tape.Src[end:]...)
}

// previous returns the proofs that ids name, in the order of all (VC Data Integrity 4.3 steps 4 and 5). It returns the
// first id that no proof has, or that several have, with a message.
//
//phase:validate
func previous(all []proof, ids []string) (matching []proof, id, msg string) {
	byID := make(map[string]int, len(all)) // how many proofs have it
	for i := range all {
		if id, ok := all[i].text(all[i].id); ok {
			byID[id]++
		}
	}
	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		switch byID[id] {
		case 0:
			return nil, id, "no proof has this id"
		case 1:
			named[id] = true
		default:
			return nil, id, "several proofs have this id"
		}
	}
	for i := range all {
		if id, ok := all[i].text(all[i].id); ok && named[id] {
			matching = append(matching, all[i])
		}
	}
	return matching, "", ""
}

// valuesOf yields the elements of an array, or a value that is none.
//
//phase:caller
func valuesOf(t *jsontape.Tape, i int) iter.Seq[int] {
	first, end := i, int(t.Nodes[i].Next)
	if t.Nodes[i].Kind == jsontape.Array {
		first++
	}
	return func(yield func(int) bool) { // one literal: the compiler inlines it, and nothing is allocated
		for e := first; e < end; e = int(t.Nodes[e].Next) {
			if !yield(e) {
				return
			}
		}
	}
}
