package printable

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// JSON writes a value as indented JSON. Strings are escaped as by [Line], which keeps their value.
func JSON(w io.Writer, v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	IndentLines(b, text, "")
	return b.Flush()
}

// JSONLine writes a value as [JSON] does, in one line.
func JSONLine(w io.Writer, v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	CompactLine(b, text)
	b.WriteByte('\n')
	return b.Flush()
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	// A json.RawMessage in the value may hold invalid UTF-8.
	return bytes.ToValidUTF8(b.Bytes(), utf8.AppendRune(nil, utf8.RuneError)), nil
}
