package main

import (
	"io"
	"os"

	"canonscope/canon/printable"
)

// printBytes prints a document or a canonical form: its own bytes, of which each counts, to a file or a pipe; to a terminal
// with what would steer the terminal escaped.
func printBytes(w io.Writer, text []byte) error {
	if terminal(w) {
		text = []byte(printable.Document(string(text)))
	}
	_, err := w.Write(text)
	return err
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
