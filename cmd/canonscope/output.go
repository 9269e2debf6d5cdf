package main

import (
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
)

// printBytes prints a document or a canonical form: unchanged to a file or a pipe; to a terminal with
// control characters escaped.
func printBytes(w io.Writer, text []byte) error {
	if !terminal(w) {
		_, err := w.Write(text)
		return err
	}
	const piece = 64 << 10 // escapes are up to six times as long
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

// note prints a line on standard error.
func note(cmd *cobra.Command, format string, args ...any) {
	w := cmd.ErrOrStderr()
	p := printable.Printer{W: w, Width: width(w)}
	p.Line("canonscope: "+format, args...)
}

// columns of a terminal that text keeps to.
const columns = 80

// width is the width of lines: the variable COLUMNS, or 80 on a terminal. It is 0, without a limit, for
// files and pipes.
func width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n >= columns/2 {
		return n
	}
	if terminal(w) {
		return columns
	}
	return 0
}

// terminal reports whether w is a terminal.
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

// colours reports whether text on w may have colours: on a terminal that has any, unless the user wants none.
func colours(w io.Writer) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
