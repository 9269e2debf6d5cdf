package catalogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// object is a JSON object with its members in order.
type object []member

type member struct {
	key   string
	value any
}

// decimal is a JSON number in its written form.
type decimal string

// array is a JSON array.
type array []any

// obj makes an object from alternating keys and values. Members with the value nil are omitted.
func obj(keysAndValues ...any) object {
	o := make(object, 0, len(keysAndValues)/2)
	for i := 0; i < len(keysAndValues); i += 2 {
		if v := keysAndValues[i+1]; v != nil {
			o = append(o, member{keysAndValues[i].(string), v})
		}
	}
	return o
}

// strs makes an array of strings.
func strs(s ...string) array {
	a := make(array, len(s))
	for i, v := range s {
		a[i] = v
	}
	return a
}

// list makes an array of n drawn values. For 0 it returns nil, which obj omits.
func list[T any](n int, draw func(i int) T) any {
	if n == 0 {
		return nil
	}
	a := make(array, n)
	for i := range a {
		a[i] = draw(i)
	}
	return a
}

// appendJSON writes v as compact JSON.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.key), ':')
			b = appendJSON(b, m.value)
		}
		return append(b, '}')
	case array:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, e)
		}
		return append(b, ']')
	case string:
		return appendString(b, v)
	case decimal:
		return append(b, v...)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case bool:
		return strconv.AppendBool(b, v)
	}

	panic(fmt.Sprintf("catalogue: no JSON for %T", v)) // a mistake in a generator; every generator is tested
}

func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
