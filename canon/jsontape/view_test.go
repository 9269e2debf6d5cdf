package jsontape

import "testing"

// A view says what the document would say that was built from the same parts.
func TestView(t *testing.T) {
	const doc = `{"a":{"x":[1,{"y":"\u0041"}],"drop":{"z":[]},"last":true},"ctx":["c",{"d":null}],"end":0}`
	var tape, view Tape
	if err := tape.Scan([]byte(doc), Options{}); err != nil {
		t.Fatal(err)
	}
	a, ctx := tape.Get(0, "a"), tape.Key(0, "ctx")
	for _, c := range []struct {
		object, extra int
		omit          []int
		want          string
	}{
		{0, -1, nil, doc},
		{0, -1, []int{ctx}, `{"a":{"x":[1,{"y":"\u0041"}],"drop":{"z":[]},"last":true},"end":0}`},
		{0, -1, []int{tape.Key(0, "a"), tape.Key(0, "end")}, `{"ctx":["c",{"d":null}]}`},
		{0, -1, []int{tape.Key(0, "a"), ctx, tape.Key(0, "end")}, `{}`},
		{a, ctx, []int{tape.Key(a, "drop")}, `{"x":[1,{"y":"\u0041"}],"last":true,"ctx":["c",{"d":null}]}`},
		{a, -1, []int{tape.Key(a, "x"), tape.Key(a, "last")}, `{"drop":{"z":[]}}`},
	} {
		view.View(&tape, c.object, c.extra, c.omit...)
		if got := string(view.render(nil, 0)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		for k := range view.Members(0) {
			if view.Key(0, string(view.Text(k))) != k {
				t.Errorf("%s: Key does not find %s", c.want, view.Raw(k))
			}
		}
		var shared Tape
		shared.Share(&view)
		if got := string(shared.render(nil, 0)); got != c.want {
			t.Errorf("shared %s\nwant %s", got, c.want)
		}
	}
}

// render writes a value node by node, as a reader of the tape sees it.
func (t *Tape) render(dst []byte, i int) []byte {
	switch t.Nodes[i].Kind {
	case Array:
		dst = append(dst, '[')
		for e := range t.Elements(i) {
			if e > i+1 {
				dst = append(dst, ',')
			}
			dst = t.render(dst, e)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for k, v := range t.Members(i) {
			if k > i+1 {
				dst = append(dst, ',')
			}
			dst = t.render(append(append(dst, t.Raw(k)...), ':'), v)
		}
		return append(dst, '}')
	}
	return append(dst, t.Raw(i)...)
}
