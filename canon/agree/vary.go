package agree

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// varied gives the input in another way to every engine that gave a form, and records which answer
// otherwise.
func (c *Comparer) varied(ctx context.Context, in *Input, row *Row) {
	other := variant(in)
	if other == nil || bytes.Equal(other, in.Doc) {
		return
	}
	for i := range row.Groups {
		g := &row.Groups[i]
		if g.Outcome != Form {
			continue
		}
		for _, name := range g.Engines {
			at := slices.IndexFunc(c.Engines, func(e Engine) bool { return e.Name == name })
			if a := c.ask(ctx, c.Engines[at], in, other); a.err != nil || !bytes.Equal(a.text, g.text) {
				row.Unstable = append(row.Unstable, name)
			}
		}
	}
}

// variant writes an input in another way that means the same: members of objects in reverse order; N-Quads
// with other labels, in reverse order, without comments. It returns nil for what is not valid.
func variant(in *Input) []byte {
	if in.Syntax == canon.NQuads {
		var d rdf.Dataset
		if d.ParseNQuads(in.Doc, canon.Limits{}) != nil {
			return nil
		}
		for i := range d.Terms {
			if d.Terms[i].Kind == rdf.Blank {
				d.Terms[i].Text = fmt.Appendf(nil, "_:v%d", len(d.Terms)-i)
			}
		}
		slices.Reverse(d.Quads)
		return d.AppendNQuads(nil)
	}
	var t jsontape.Tape
	if t.Scan(in.Doc, jsontape.Options{}) != nil {
		return nil
	}
	return appendReversed(nil, &t, 0)
}

// appendReversed appends value i with the members of its objects in reverse order.
func appendReversed(dst []byte, t *jsontape.Tape, i int) []byte {
	switch t.Nodes[i].Kind {
	case jsontape.Array:
		dst = append(dst, '[')
		for e := range t.Elements(i) {
			dst = append(appendReversed(dst, t, e), ',')
		}
		return append(bytes.TrimSuffix(dst, []byte(",")), ']')
	case jsontape.Object:
		dst = append(dst, '{')
		var members [][2]int
		for k, v := range t.Members(i) {
			members = append(members, [2]int{k, v})
		}
		for _, m := range slices.Backward(members) {
			dst = append(append(dst, t.Raw(m[0])...), ':')
			dst = append(appendReversed(dst, t, m[1]), ',')
		}
		return append(bytes.TrimSuffix(dst, []byte(",")), '}')
	}
	return append(dst, t.Raw(i)...)
}
