//phase:caller
package selective

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"
)

// urn is the scheme of the names of blank nodes while a document is skolemized.
const urn = "urn:bnid:"

// skolemize returns the document with an @id in every object that is a blank node, and the expanded form of
// that document (VC-DI-ECDSA 3.4.7, 3.4.8).
//
// Which objects those are is for JSON-LD to say: every object of a copy gets its node number as @index,
// which expansion carries along and RDF does not have, and every text that looks like a blank node's label
// gets a number too.
func (g *literal) skolemize(ctx context.Context,
	in *Input) (document *jsontape.Tape, expanded []byte, err error) {
	unsecured, err := in.Unsecured()
	if err != nil {
		return nil, nil, err
	}

	if e, ok := g.canon.(canon.Guard); ok {
		if err := e.Guard(ctx, unsecured, in.Options); err != nil {
			return nil, nil, problem.Transformed(err, "document")
		}
	}

	var t jsontape.Tape
	opt := jsontape.Options{Bytes: in.Options.Limits.Bytes, Depth: in.Options.Limits.Depth}
	if err := t.Scan(unsecured, opt); err != nil {
		return nil, nil, err
	}

	probe := appendEdited(make([]byte, 0, 2*len(t.Src)), &t, 0, func(dst []byte, node int) []byte {
		if t.Nodes[node].Kind == jsontape.Object {
			return append(dst, `"@index":"`+strconv.Itoa(node)+`"`...)
		}
		return append(dst, `"`+probeLabel+strconv.Itoa(node)+`"`...)
	})

	text, err := g.docs.Expand(ctx, probe, in.Options)
	if err != nil {
		return nil, nil, problem.Transformed(err, "document")
	}

	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, nil, &problem.Error{Type: problem.ProofTransformation, Msg: "expanded document", Err: err}
	}

	// The names depend on the document alone and are in its order. Where blank nodes are alike, so that
	// RDFC-1.0 may label them either way, issuer and holder then come to the same labels.
	k := &skolemizer{tape: &t, prefix: fmt.Sprintf("%s_%x_", urn, sha256.Sum256(unsecured)),
		ids: map[int]string{}}
	doc = k.value(doc)
	if expanded, err = json.Marshal(doc); err != nil {
		return nil, nil, err
	}

	skolemized := appendEdited(make([]byte, 0, 2*len(t.Src)), &t, 0, func(dst []byte, node int) []byte {
		id, ok := k.ids[node]
		switch {
		case t.Nodes[node].Kind != jsontape.Object && ok:
			return jsontape.AppendQuoted(dst, id)
		case t.Nodes[node].Kind != jsontape.Object:
			return append(dst, t.Raw(node)...)
		case ok:
			return jsontape.AppendQuoted(append(dst, `"@id":`...), id)
		}
		return dst
	})

	document = new(jsontape.Tape)
	return document, expanded, document.Scan(skolemized, opt)
}

// probeLabel starts the label that replaces a text while the document is probed.
const probeLabel = "_:canonscope"

// appendEdited appends value i with what edit adds at the start of every object without @index, and puts in
// place of every text that starts with "_:". Contexts stay as they are.
func appendEdited(dst []byte, t *jsontape.Tape, i int, edit func(dst []byte, node int) []byte) []byte {
	switch t.Nodes[i].Kind {
	case jsontape.Object:
		dst = append(dst, '{')
		if t.Key(i, "@index") < 0 {
			if edited := edit(dst, i); len(edited) > len(dst) {
				dst = append(edited, ',')
			}
		}
		for k, v := range t.Members(i) {
			dst = append(append(dst, t.Raw(k)...), ':')
			if t.TextIs(k, "@context") {
				dst = append(dst, t.Raw(v)...)
			} else {
				dst = appendEdited(dst, t, v, edit)
			}
			dst = append(dst, ',')
		}

		return closed(dst, '}')
	case jsontape.Array:
		dst = append(dst, '[')
		for e := range t.Elements(i) {
			dst = append(appendEdited(dst, t, e, edit), ',')
		}
		return closed(dst, ']')
	case jsontape.String:
		if bytes.HasPrefix(t.Text(i), []byte("_:")) {
			return edit(dst, i)
		}
	}

	return append(dst, t.Raw(i)...)
}

// skolemizer goes through the expanded form of a probed document.
//
//phase:select
type skolemizer struct {
	tape   *jsontape.Tape
	prefix string
	ids    map[int]string // identifier of a node of the tape: an object without one, or a text that is one
}

func (k *skolemizer) value(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = k.value(v[i])
		}
	case map[string]any:
		if text, ok := v["@value"]; ok {
			v["@value"] = k.restore(text)
			k.number(v)
			return v
		}
		node, numbered := k.number(v)
		for key, member := range v {
			if key == "@type" {
				v[key] = k.identifiers(member)
			} else if key != "@id" {
				v[key] = k.members(key, member)
			}
		}
		if _, ok := v["@list"]; ok {
			return v
		}
		switch id, ok := v["@id"]; {
		case ok:
			v["@id"] = k.identifiers(id)
		case numbered:
			k.ids[node] = fmt.Sprintf("%s%08d", k.prefix, node)
			v["@id"] = k.ids[node]
		}
	}

	return v
}

// number takes the node number off an object, if it has one.
func (k *skolemizer) number(v map[string]any) (node int, ok bool) {
	index, _ := v["@index"].(string)
	n, err := strconv.Atoi(index)
	if err != nil || n >= len(k.tape.Nodes) {
		return -1, false
	}
	delete(v, "@index")
	return n, true
}

// restore takes the traces of probing off a literal, which may be any JSON value.
func (k *skolemizer) restore(v any) any {
	switch v := v.(type) {
	case string:
		if node, ok := k.probed(v); ok { // no identifier: the text as it was
			return string(k.tape.Text(node))
		}
	case []any:
		for i := range v {
			v[i] = k.restore(v[i])
		}
	case map[string]any:
		k.number(v)
		for key := range v {
			v[key] = k.restore(v[key])
		}
	}
	return v
}

// members goes into the value of a property; that of @reverse is a map of properties and no node.
func (k *skolemizer) members(key string, v any) any {
	if reverse, ok := v.(map[string]any); ok && key == "@reverse" {
		for p := range reverse {
			reverse[p] = k.value(reverse[p])
		}
		return reverse
	}
	return k.value(v)
}

// identifiers replaces labels of blank nodes in the value of @id or @type.
func (k *skolemizer) identifiers(v any) any {
	if list, ok := v.([]any); ok {
		for i := range list {
			list[i] = k.identifiers(list[i])
		}
		return list
	}
	if node, ok := k.probed(v); ok {
		k.ids[node] = urn + strings.TrimPrefix(string(k.tape.Text(node)), "_:")
		return k.ids[node]
	}
	return v
}

// probed returns the node that the label of a probe replaces.
func (k *skolemizer) probed(v any) (int, bool) {
	text, _ := v.(string)
	number, ok := strings.CutPrefix(text, probeLabel)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(number)
	return n, err == nil && n < len(k.tape.Nodes)
}
