//phase:caller
package jsonld

import (
	"cmp"
	"context"
	"slices"

	"canonscope/canon/jsontape"
)

func (r *run) expandJSON(ctx context.Context, doc []byte, opt *Options) ([]byte, error) {
	if err := r.begin(ctx, doc, opt); err != nil {
		return nil, err
	}
	r.into = &r.spare
	r.into.Reset()
	root, err := r.root()
	if err != nil {
		return nil, err
	}
	c, unwrap, err := r.expandDocument(root)
	if err != nil {
		return nil, err
	}
	var out []byte
	if unwrap {
		out = r.appendChildren(nil, r.children(c.head))
	} else {
		out = r.appendList(nil, c.head)
	}
	if r.bounds.over {
		return nil, r.textLimit(len(out) + len(r.buf))
	}
	if err := r.settle(); err != nil {
		return nil, err
	}
	return out, nil
}

// appendList appends a list of items as an array.
func (r *run) appendList(dst []byte, i uint32) []byte {
	dst = append(dst, '[')
	for ; i != 0; i = r.items[i].next {
		dst = append(r.appendItem(dst, i), ',')
	}
	return closeWith(dst, ']')
}

// closeWith ends an array or object, replacing the comma after its last entry.
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
	return jsontape.AppendQuoted(dst, r.refText(ref))
}

// appendItem appends one object of the expanded form.
func (r *run) appendItem(dst []byte, i uint32) []byte {
	it := &r.items[i]
	dst = append(dst, '{')
	if len(dst)+len(r.buf) > r.bounds.maxText {
		r.bounds.over = true
		return append(dst, '}')
	}

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
		dst = append(r.appendList(dst, it.first), ',')
	case nodeItem:
		dst = r.appendNode(dst, i)
	}

	return closeWith(dst, '}')
}

// childPlace is the position of a child in its parent: roles in a fixed order, properties in the order of
// their first values.
type childPlace struct {
	role  role
	order int
	item  uint32
}

// children returns the children of a node, grouped by role and property.
func (r *run) children(node uint32) []childPlace {
	var all []childPlace
	orders := map[string]int{} // by text: a compiled IRI may have several refs
	for i := r.items[node].first; i != 0; i = r.items[i].next {
		it := &r.items[i]
		p := childPlace{role: it.role, item: i}
		if it.prop != 0 {
			text := r.refText(it.prop)
			n, ok := orders[string(text)]
			if !ok {
				n = len(orders)
				orders[string(text)] = n
			}
			p.order = n
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b childPlace) int {
		return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.order, b.order))
	})
	return all
}

// appendNode appends the entries of a node object, each followed by a comma.
func (r *run) appendNode(dst []byte, i uint32) []byte {
	it := &r.items[i]
	if it.flags&hasID != 0 {
		dst = append(r.appendRef(append(dst, `"@id":`...), it.id), ',')
	}

	all := r.children(i)
	inReverse := false
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].role == all[from].role && all[to].order == all[from].order {
			to++
		}
		switch as := all[from].role; as {
		case ofType:
			dst = append(dst, `"@type":`...)
		case ofGraph:
			dst = append(dst, `"@graph":`...)
		case ofIncluded:
			dst = append(dst, `"@included":`...)
		case ofReverse, ofProperty:
			if as == ofReverse && !inReverse {
				dst = append(dst, `"@reverse":{`...)
				inReverse = true
			}
			if as == ofReverse && r.allEmpty(all[from:to]) { // 13.13.4 adds a property for an item
				from = to
				continue
			}
			dst = append(r.appendRef(dst, r.items[all[from].item].prop), ':')
		}

		dst = append(r.appendChildren(dst, all[from:to]), ',')
		from = to
	}

	if inReverse {
		dst = append(closeWith(dst, '}'), ',')
	}

	return dst
}

func (r *run) allEmpty(all []childPlace) bool {
	return !slices.ContainsFunc(all, func(c childPlace) bool { return r.items[c.item].kind != emptyItem })
}

func (r *run) appendChildren(dst []byte, all []childPlace) []byte {
	dst = append(dst, '[')
	for _, c := range all {
		switch it := &r.items[c.item]; it.kind {
		case emptyItem:
		case typeItem:
			dst = append(r.appendRef(dst, it.id), ',')
		default:
			dst = append(r.appendItem(dst, c.item), ',')
		}
	}
	return closeWith(dst, ']')
}
