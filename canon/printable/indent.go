package printable

import (
	"bytes"
	"encoding/json"

	"canonscope/canon"
)

// MaxIndented bounds JSON with line breaks. Below deep values the indentation is a thousand times as long as what it indents.
const MaxIndented = 64 << 20

// Indent appends JSON with a value on each line, like [json.Indent] with an indentation of two spaces. What would be larger than
// [MaxIndented] is a *canon.LimitError.
func Indent(out *bytes.Buffer, doc []byte, prefix string) error {
	size := len(doc)
	depth, quoted := 0, false
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			size += 1 + len(prefix) + 2*depth
		case c == '}' || c == ']':
			depth--
			size += 1 + len(prefix) + 2*depth
		case c == ',':
			size += 1 + len(prefix) + 2*depth
		}
	}
	if size > MaxIndented {
		return &canon.LimitError{Limit: "bytes of JSON with line breaks", Max: MaxIndented, Done: int64(size)}
	}
	return json.Indent(out, doc, prefix, "  ")
}
