package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Printer writes lines of text, escaped as by [Line], and keeps the first error.
type Printer struct {
	W     io.Writer
	Width int // characters of a line; longer lines continue in indented ones; 0 means no limit
	Err   error
}

// Line writes one line. The format must not contain a line feed.
func (p *Printer) Line(format string, args ...any) {
	if p.Err != nil {
		return
	}
	text := Line(fmt.Sprintf(format, args...))
	if p.Width > 0 && utf8.RuneCountInString(text) > p.Width {
		text = hang(text, p.Width)
	}
	_, p.Err = fmt.Fprintln(p.W, text)
}

// hang divides a line at spaces. The further lines have its indentation and two more spaces.
func hang(text string, width int) string {
	words := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(words)]
	first, rest, _ := strings.Cut(indent+strings.Join(Wrap(words, width-len(indent)-2), "\n"), "\n")
	if rest == "" {
		return first
	}
	return first + "\n" + indent + "  " + strings.ReplaceAll(rest, "\n", "\n"+indent+"  ")
}

// Wrap divides words into lines of at most width characters. A longer word gets a separate line.
func Wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		n := len(lines)
		if n > 0 && utf8.RuneCountInString(lines[n-1])+1+utf8.RuneCountInString(word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
