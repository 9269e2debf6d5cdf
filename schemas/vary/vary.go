// Package vary changes a document of the user along an axis: it repeats or removes what a JSON pointer names,
// pads a text, gives ids to unnamed nodes, or names another context. Call [Parse], then [Axis.Set] for each
// value. All other bytes of the document stay as they are, white space included.
package vary

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/schemas/charge"
)

// Axis is a property of a document.
type Axis struct {
	Name    string // as it was parsed
	pointer string
	kind    kind
}

type kind int

const (
	repeats  kind = iota // values are how often
	pads                 // values are bytes
	names                // values are percent
	contexts             // values are JSON-LD contexts
)

// Words of axes and their values.
const (
	padPrefix = "pad:"
	idsName   = "ids"
	Unchanged = "given" // value of an axis of contexts: the document as it is
)

// Limits of values.
const (
	mostCopies = 10_000
	mostBytes  = 64 << 20 // of a changed document
)

// Parse reports whether a name is that of an axis of documents: a JSON pointer, pad: and a pointer, or ids.
func Parse(name string) (a Axis, ok bool) {
	a = Axis{Name: name, pointer: name}
	switch {
	case name == idsName:
		return Axis{Name: name, kind: names}, true
	case strings.HasPrefix(name, padPrefix):
		a.kind, a.pointer = pads, name[len(padPrefix):]
	case strings.Contains(name+"/", "/@context/"):
		a.kind = contexts
	}
	return a, strings.HasPrefix(a.pointer, "/") && jsontape.IsPointer(a.pointer)
}

// Contexts reports whether the values are contexts.
func (a Axis) Contexts() bool { return a.kind == contexts }

// States reports whether each further unit must add statements.
func (a Axis) States() bool { return a.kind == repeats }

// About describes the axis.
func (a Axis) About() string {
	switch a.kind {
	case pads:
		return "bytes that are added to the text at " + a.pointer
	case names:
		return "percent of the unnamed nodes that get an id"
	case contexts:
		return "what the document names as its context at " + a.pointer
	}
	return "how often the document has what is at " + a.pointer +
		"; copies have ids or texts that end in -2, -3 and so on"
}

// Short is the axis in the name of a document: the last word of its pointer.
func (a Axis) Short() string {
	if a.pointer == "" {
		return a.Name
	}
	tokens := strings.Split(a.pointer, "/")
	last := len(tokens) - 1
	if _, err := strconv.Atoi(tokens[last]); err == nil && last > 1 {
		last--
	}
	return strings.TrimSuffix(a.Name, a.pointer) + jsontape.UnescapeToken(tokens[last])
}

// Set returns the document with a value of the axis. What makes no sense for the document is an error, such
// as a *[canon.PointerError]; what the value does not change keeps its bytes.
func (a Axis) Set(ctx context.Context, doc []byte, value string, opt charge.Options) ([]byte, error) {
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{Bytes: opt.Limits.Bytes, Depth: opt.Limits.Depth}); err != nil {
		return nil, err
	}

	at := 0
	if a.kind != names {
		if at = t.At(a.pointer); at < 0 {
			return nil, t.Mismatch(a.pointer)
		}
	}

	switch a.kind {
	case contexts:
		if value == Unchanged {
			return doc, nil
		}
		return t.AppendReplaced(nil, at, jsontape.AppendQuoted(nil, value)), nil
	case pads:
		n, err := whole(value, mostBytes)
		if err != nil {
			return nil, err
		}
		if t.Nodes[at].Kind != jsontape.String {
			return nil, fmt.Errorf("%s is %s, not a text that could be padded", a.pointer,
				article(t.Nodes[at].Kind))
		}
		return t.AppendReplaced(nil, at, ending(t.Raw(at), strings.Repeat("x", n))), nil
	case names:
		n, err := whole(value, 100)
		if err != nil {
			return nil, err
		}
		return named(ctx, &t, n, opt)
	}

	n, err := whole(value, mostCopies)
	if err != nil {
		return nil, err
	}
	return repeated(&t, at, n)
}

// whole reads a number from 0 to most.
func whole(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("the value %q must be a number from 0 to %d", text, most)
	}
	return n, nil
}

// article is a kind of JSON value with its article.
func article(k jsontape.Kind) string {
	name := k.String()
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// ending is the JSON text of a string that ends in some more characters.
func ending(raw []byte, more string) []byte {
	return slices.Concat(raw[:len(raw)-1], []byte(more), []byte{'"'})
}

// repeated is the document with n of a value: of the elements of an array, or of the value itself.
func repeated(t *jsontape.Tape, at, n int) ([]byte, error) {
	container := around(t, at)
	inArray := t.Nodes[container].Kind == jsontape.Array
	if n == 0 && inArray {
		return t.AppendWithout(nil, container, at), nil
	} else if n == 0 {
		return t.AppendWithout(nil, container, at-1), nil // with its key
	}

	elements := []int{at}
	if t.Nodes[at].Kind == jsontape.Array {
		elements = slices.Collect(t.Elements(at))
		inArray = false
	}
	switch len(elements) {
	case 0:
		return nil, fmt.Errorf("%s is an empty list, which has nothing to repeat", t.Pointer(at))
	case n:
		return t.Src, nil
	}

	size := len(t.Src)
	for i := range n {
		size += len(t.Raw(elements[i%len(elements)]))
	}
	if size > mostBytes {
		return nil, &canon.LimitError{Limit: "bytes of a changed document", Max: mostBytes, Done: int64(size),
			Where: t.Pointer(at)}
	}

	r := repeater{t, texts(t, 0), make(map[int][]int)}
	var out []byte
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, r.copy(elements[i%len(elements)], i/len(elements)+1)...)
	}
	if !inArray {
		out = slices.Concat([]byte{'['}, out, []byte{']'})
	}
	return t.AppendReplaced(nil, at, out), nil
}

// around returns the container of a value.
func around(t *jsontape.Tape, value int) int {
	for i := value - 1; ; i-- {
		k := t.Nodes[i].Kind
		if (k == jsontape.Array || k == jsontape.Object) && int(t.Nodes[i].Next) > value {
			return i
		}
	}
}

// repeater copies values of a document.
type repeater struct {
	*jsontape.Tape
	uses map[string]int // of each text of the document
	ends map[int][]int  // by value: the texts in it that end otherwise in a copy
}

// texts counts how often each text is a value inside a value, as it is written.
func texts(t *jsontape.Tape, value int) map[string]int {
	uses := make(map[string]int)
	for i := value; i < int(t.Nodes[value].Next); i++ {
		if t.Nodes[i].Kind == jsontape.String {
			uses[string(t.Raw(i))]++
		}
	}
	return uses
}

// copy is a value once more: the k-th, of which the first is the value as it is.
func (r *repeater) copy(value, k int) []byte {
	if k == 1 {
		return r.Raw(value)
	}
	if r.ends[value] == nil {
		r.ends[value] = r.differs(value)
	}
	var out []byte
	from := r.Nodes[value].Start
	for _, i := range r.ends[value] {
		out = append(append(out, r.Src[from:r.Nodes[i].Start]...), ending(r.Raw(i), "-"+strconv.Itoa(k))...)
		from = r.Nodes[i].End
	}
	return append(out, r.Src[from:r.Nodes[value].End]...)
}

// differs lists the texts in which a copy of a value differs from it. Where the value has an id, the copy has
// another one, and so have the nodes inside it to which nothing outside refers. A copy of what has no id
// differs in its longest text, since equal nodes are alike and equal statements are one.
func (r *repeater) differs(value int) (list []int) {
	inside := texts(r.Tape, value)
	fresh, longest, own := make(map[string]bool), -1, false

	var walk func(i int)
	walk = func(i int) {
		switch r.Nodes[i].Kind {
		case jsontape.Array:
			for e := range r.Elements(i) {
				walk(e)
			}
		case jsontape.String:
			if longest < 0 || len(r.Raw(i)) > len(r.Raw(longest)) {
				longest = i
			}
		case jsontape.Object:
			for k, v := range r.Members(i) {
				switch key := string(r.Text(k)); {
				case r.Nodes[v].Kind == jsontape.String && (key == "id" || key == "@id"):
					raw := string(r.Raw(v))
					own = own || i == value
					if i == value || inside[raw] == r.uses[raw] {
						fresh[raw] = true
					}
				case key != "type" && (key == "@value" || !strings.HasPrefix(key, "@")):
					walk(v)
				}
			}
		}
	}
	walk(value)

	for i := value; i < int(r.Nodes[value].Next); i++ {
		n := &r.Nodes[i]
		if n.Kind == jsontape.String && fresh[string(r.Raw(i))] || i == longest && !own {
			list = append(list, i)
		}
	}
	return list
}
