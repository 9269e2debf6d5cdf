package main

import (
	"fmt"
	"strings"
	"unicode"
)

// oneLine writes control characters, and those that turn the direction of writing, as JSON escapes: what a document holds
// must neither write lines of its own into an answer nor move the cursor.
func oneLine(text string) string {
	if strings.IndexFunc(text, moves) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if moves(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func moves(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}
