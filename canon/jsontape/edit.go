//phase:encode primitive
package jsontape

import "strconv"

// AppendWithout appends the document to dst without one child of a container: a member of an object, given
// by its key, or an element of an array. All other bytes stay as they are, except the comma and the space
// that go with the child.
//
//phase:encode primitive
func (t *Tape) AppendWithout(dst []byte, container, child int) []byte {
	from, to := t.Cut(container, child)
	dst = append(dst, t.Src[:from]...)
	return append(dst, t.Src[to:]...)
}

// Cut returns the span of the source that AppendWithout omits.
func (t *Tape) Cut(container, child int) (from, to int) {
	last := child // the last node of the child
	if t.Nodes[container].Kind == Object {
		last = child + 1
	}
	start, end := t.Nodes[child].Start, t.Nodes[last].End
	switch next := t.Nodes[last].Next; {
	case next < t.Nodes[container].Next: // up to the next child
		end = t.Nodes[next].Start
	case child > container+1: // the last of several: with the comma before it
		start = t.childBefore(container, child)
	}
	return int(start), int(end)
}

// childBefore returns the end of the value before a child of a container.
func (t *Tape) childBefore(container, child int) uint32 {
	c := container + 1
	for int(t.Nodes[c].Next) < child {
		c = int(t.Nodes[c].Next)
	}
	return t.Nodes[c].End
}

// AppendMember appends the document to dst with a member of object i set to a value, which is JSON text: in
// place where the key exists, else as the last member. The key must be valid UTF-8.
//
//phase:encode primitive
func (t *Tape) AppendMember(dst []byte, i int, key string, value []byte) []byte {
	if v := t.Get(i, key); v >= 0 {
		return t.AppendReplaced(dst, v, value)
	}
	end := int(t.Nodes[i].End) - 1
	if n := int(t.Nodes[i].Next); n > i+1 { // directly after the last value, before any space
		end = int(t.childBefore(i, n))
		dst = append(dst, t.Src[:end]...)
		dst = append(dst, ',')
	} else {
		dst = append(dst, t.Src[:end]...)
	}
	dst = AppendQuoted(dst, key)
	dst = append(dst, ':')
	dst = append(dst, value...)
	return append(dst, t.Src[end:]...)
}

// AppendReplaced appends the document to dst with value i replaced by JSON text.
//
//phase:encode primitive
func (t *Tape) AppendReplaced(dst []byte, i int, value []byte) []byte {
	dst = append(dst, t.Src[:t.Nodes[i].Start]...)
	dst = append(dst, value...)
	return append(dst, t.Src[t.Nodes[i].End:]...)
}

// AppendPointer appends the JSON pointer (RFC 6901) of value i to dst; a key has the pointer of its value.
//
//phase:encode primitive
func (t *Tape) AppendPointer(dst []byte, i int) []byte {
	for c := 0; c < i; {
		object := t.Nodes[c].Kind == Object
		child, index := c+1, 0
		for {
			value := child
			if object {
				value++
			}
			if int(t.Nodes[value].Next) > i {
				dst = append(dst, '/')
				if object {
					dst = AppendToken(dst, t.AppendString(nil, child))
				} else {
					dst = strconv.AppendInt(dst, int64(index), 10)
				}
				if child == i {
					return dst
				}
				c = value
				break
			}
			child = int(t.Nodes[value].Next)
			index++
		}
	}
	return dst
}

// AppendToken appends a text as a reference token of a JSON pointer (RFC 6901 section 3), without a slash.
//
//phase:parse primitive
func AppendToken(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// IsLeaf reports whether value i is a scalar or an empty container.
func (t *Tape) IsLeaf(i int) bool {
	n := &t.Nodes[i]
	return n.Kind < Array || int(n.Next) == i+1
}

// Leaves counts the leaves of value i.
func (t *Tape) Leaves(i int) int {
	if t.IsLeaf(i) {
		return 1
	}
	total := 0
	if t.Nodes[i].Kind == Array {
		for e := range t.Elements(i) {
			total += t.Leaves(e)
		}
		return total
	}
	for _, v := range t.Members(i) {
		total += t.Leaves(v)
	}
	return total
}

// Pointer returns the JSON pointer (RFC 6901) of value i; a key has the pointer of its value.
func (t *Tape) Pointer(i int) string { return string(t.AppendPointer(nil, i)) }

// AppendQuoted appends text as a JSON string with the minimal escapes of RFC 8785 section 3.2.2.2.
func AppendQuoted[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, text)
	return append(dst, '"')
}

// AppendEscaped is AppendQuoted without the quotes.
func AppendEscaped[T string | []byte](dst []byte, text T) []byte {
	from := 0
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			dst = append(dst, text[from:i]...)
			dst = appendEscape(dst, c)
			from = i + 1
		}
	}
	return append(dst, text[from:]...)
}

// appendEscape appends the escape of a control character, a quote or a backslash.
//
//phase:parse primitive
func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\f':
		return append(dst, `\f`...)
	case '\r':
		return append(dst, `\r`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
