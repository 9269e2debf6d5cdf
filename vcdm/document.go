//phase:encode
package vcdm

import (
	"slices"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// document is a document with the place of its proofs. It is valid until its tape scans another one.
type document struct {
	rules.Document
	proofKey int // key of the root's proof, or None
}

// read scans a document.
//
//phase:parse
func read(t *jsontape.Tape, doc []byte, limits canon.Limits) (document, error) {
	d, err := rules.Read(t, doc, limits)
	if err != nil {
		return document{}, err
	}
	return document{d, t.Key(0, "proof")}, nil
}

// proofs appends the proofs of the document in order to all, none where there is not a proof member, and no
// more than the limits allow.
//
//phase:parse
func (d *document) proofs(all []proof, limits canon.Limits) ([]proof, error) {
	if d.proofKey == jsontape.None {
		return all, nil
	}
	v := d.proofKey + 1
	switch d.Tape.Nodes[v].Kind {
	case jsontape.Object:
		return append(all, readProof(d.Tape, v)), nil
	case jsontape.Array:
		if n, most := d.Tape.Len(v), limits.WithDefaults().Proofs; n > most {
			return nil, &canon.LimitError{Limit: "proofs", Max: int64(most), Done: int64(n), Where: "/proof"}
		}
		for e := range d.Tape.Elements(v) {
			if d.Tape.Nodes[e].Kind != jsontape.Object {
				return nil, problem.New(problem.ParsingError, "/proof/"+strconv.Itoa(len(all)),
					"a proof must be an object")
			}
			all = append(all, readProof(d.Tape, e))
		}
		return all, nil
	}
	return nil, problem.New(problem.ParsingError, "/proof", "must be an object or a list of objects")
}

// contextText returns the JSON text of the document's @context; nil where it has none.
//
//phase:caller
func (d *document) contextText() []byte {
	if d.Context == jsontape.None {
		return nil
	}
	return d.Tape.Raw(d.Context)
}

// appendUnsecured appends the document without its proofs, or with those that the new proof builds on (VC
// Data Integrity 4.3 step 6, 4.5 step 3.3).
func (d *document) appendUnsecured(dst []byte, matching []proof) []byte {
	if len(matching) > 0 {
		list := []byte{'['}
		for i := range matching {
			list = append(append(list, d.Tape.Raw(matching[i].node)...), ',')
		}
		list[len(list)-1] = ']'
		return d.Tape.AppendReplaced(dst, d.proofKey+1, list)
	}
	if d.proofKey == jsontape.None {
		return append(dst, d.Tape.Src...)
	}
	return d.Tape.AppendWithout(dst, 0, d.proofKey)
}

// appendSecured appends the document with one more proof.
func (d *document) appendSecured(dst []byte, value []byte) []byte {
	if d.proofKey == jsontape.None {
		return d.Tape.AppendMember(dst, 0, "proof", value)
	}
	v := d.proofKey + 1
	old, comma := d.Tape.Raw(v), []byte{','}
	if d.Tape.Nodes[v].Kind == jsontape.Object {
		old = append([]byte{'['}, old...)
	} else if old = old[:len(old)-1]; d.Tape.Len(v) == 0 {
		comma = nil
	}
	return d.Tape.AppendReplaced(dst, v, slices.Concat(old, comma, value, []byte{']'}))
}

// appendToProof appends the document with members added at the end of its proof, an object that is not empty.
func (d *document) appendToProof(dst []byte, members []byte) []byte {
	end := d.Tape.Nodes[d.proofKey+1].End - 1
	dst = append(append(dst, d.Tape.Src[:end]...), members...)
	return append(dst, d.Tape.Src[end:]...)
}

// previous returns the proofs that ids name, in the order of all (VC Data Integrity 4.3 steps 4 and 5). It
// returns the first id that no proof has, or that several have, with a message.
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
