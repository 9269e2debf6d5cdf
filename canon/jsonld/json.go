package jsonld

import (
	"context"
	"slices"

	"canonscope/canon/jsontape"
	"canonscope/canon/phase"
)

func (r *run) expandJSON(ctx context.Context, doc []byte, opt *Options) ([]byte, error) {
	if err := r.begin(ctx, doc, opt); err != nil {
		return nil, err
	}
	r.asJSON = true
	c, unwrap, err := r.expandDocument()
	if err != nil {
		return nil, err
	}
	var out []byte
	if unwrap {
		out = r.appendArray(nil, r.children(c.head, ofGraph, 0))
	} else {
		out = r.appendArray(nil, r.chained(c.head))
	}
	r.charge(phase.Serialize, len(out))
	return out, r.settle()
}

func (r *run) chained(i uint32) (list []uint32) {
	for ; i != 0; i = r.items[i].next {
		list = append(list, i)
	}
	return list
}

// children returns what hangs in a node in one role, under one property.
func (r *run) children(node uint32, as role, prop uint32) (list []uint32) {
	for i := r.items[node].first; i != 0; i = r.items[i].next {
		if it := &r.items[i]; it.role == as && r.sameRef(it.prop, prop) {
			list = append(list, i)
		}
	}
	return list
}

// sameRef compares two refs by text: compiled IRIs may have several.
func (r *run) sameRef(a, b uint32) bool {
	return a == b || a != 0 && b != 0 && string(r.refs[a].nq) == string(r.refs[b].nq)
}

func (r *run) appendArray(dst []byte, items []uint32) []byte {
	dst = append(dst, '[')
	for _, i := range items {
		if r.items[i].kind != emptyItem {
			dst = append(r.appendItem(dst, i), ',')
		}
	}
	return closeWith(dst, ']')
}

// closeWith ends an array or object whose last entry has a comma behind it.
func closeWith(dst []byte, c byte) []byte {
	if n := len(dst) - 1; dst[n] == ',' {
		dst[n] = c
		return dst
	}
	return append(dst, c)
}

// appendRef appends an IRI as a string; ref 0 is null.
func (r *run) appendRef(dst []byte, ref uint32) []byte {
	if ref == 0 {
		return append(dst, "null"...)
	}
	return jsontape.AppendQuoted(dst, r.refs[ref].text())
}

// appendItem appends one object of the expanded form.
func (r *run) appendItem(dst []byte, i uint32) []byte {
	it := &r.items[i]
	dst = append(dst, '{')
	if it.index != 0 {
		dst = append(dst, `"@index":`...)
		dst = append(append(dst, r.tape.Raw(int(it.index))...), ',')
	}
	switch it.kind {
	case valueItem:
		dst = append(dst, `"@value":`...)
		dst = append(append(dst, r.tape.Raw(int(it.tape))...), ',')
		switch {
		case it.flags&isJSON != 0:
			dst = append(dst, `"@type":"@json",`...)
		case it.id != 0:
			dst = append(r.appendRef(append(dst, `"@type":`...), it.id), ',')
		}
		if it.lang != 0 {
			dst = append(jsontape.AppendQuoted(append(dst, `"@language":`...), r.langs[it.lang].text), ',')
		}
		if it.dir != noDirection {
			dst = append(append(append(dst, `"@direction":"`...), it.dir.String()...), `",`...)
		}
	case listItem:
		dst = append(dst, `"@list":`...)
		dst = append(r.appendArray(dst, r.chained(it.first)), ',')
	case nodeItem:
		dst = r.appendNode(dst, i)
	}
	return closeWith(dst, '}')
}

// appendNode appends the entries of a node object, each with a comma behind it.
func (r *run) appendNode(dst []byte, i uint32) []byte {
	it := &r.items[i]
	if it.flags&hasID != 0 {
		dst = append(r.appendRef(append(dst, `"@id":`...), it.id), ',')
	}
	var types, graph, included bool
	var props, reverse []uint32 // the first item of each
	for c := it.first; c != 0; c = r.items[c].next {
		child := &r.items[c]
		same := func(i uint32) bool { return r.sameRef(r.items[i].prop, child.prop) }
		switch child.role {
		case ofType:
			types = true
		case ofGraph:
			graph = true
		case ofIncluded:
			included = true
		case ofReverse:
			if !slices.ContainsFunc(reverse, same) {
				reverse = append(reverse, c)
			}
		default:
			if !slices.ContainsFunc(props, same) {
				props = append(props, c)
			}
		}
	}
	if types {
		dst = append(dst, `"@type":[`...)
		for _, c := range r.children(i, ofType, 0) {
			if r.items[c].kind != emptyItem {
				dst = append(r.appendRef(dst, r.items[c].id), ',')
			}
		}
		dst = append(closeWith(dst, ']'), ',')
	}
	if graph || it.flags&hasGraph != 0 {
		dst = append(r.appendArray(append(dst, `"@graph":`...), r.children(i, ofGraph, 0)), ',')
	}
	if included {
		dst = append(r.appendArray(append(dst, `"@included":`...), r.children(i, ofIncluded, 0)), ',')
	}
	dst = r.appendProperties(dst, i, ofProperty, props)
	if len(reverse) > 0 {
		dst = r.appendProperties(append(dst, `"@reverse":{`...), i, ofReverse, reverse)
		dst = append(closeWith(dst, '}'), ',')
	}
	return dst
}

func (r *run) appendProperties(dst []byte, node uint32, as role, firsts []uint32) []byte {
	for _, c := range firsts {
		prop := r.items[c].prop
		dst = append(r.appendRef(dst, prop), ':')
		dst = append(r.appendArray(dst, r.children(node, as, prop)), ',')
	}
	return dst
}
