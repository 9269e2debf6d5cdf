package main

import (
	"io"
	"os"
	"unicode/utf8"

	"canonscope/canon/printable"
)

// printBytes prints a document or a canonical form: its own bytes, of which each counts, to a file or a pipe; to a terminal
// with what would steer the terminal escaped.
func printBytes(w io.Writer, text []byte) error {
	if !terminal(w) {
		_, err := w.Write(text)
		return err
	}
	const piece = 64 << 10 // escapes make it up to six times as long
	for len(text) > 0 {
		end := min(piece, len(text))
		for end < len(text) && end > piece-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		if _, err := io.WriteString(w, printable.Document(string(text[:end]))); err != nil {
			return err
		}
		text = text[end:]
	}
	return nil
}

// terminal reports whether w is one.
func terminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
