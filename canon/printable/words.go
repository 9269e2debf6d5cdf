package printable

import (
	"fmt"
	"strings"
)

// Plural is a number of things: "1 quad", "2 quads", "3 losses".
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Markdown writes text that the user may not have chosen so that Markdown shows it, in a table too, and
// makes nothing of it: no markup, no HTML and no link. Lines stay apart.
func Markdown(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = markdownText.Replace(Line(l))
	}
	return strings.Join(lines, "<br>")
}

var markdownText = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", `\`, `\\`, "`", "\\`", "|",
	`\|`, "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "$", `\$`, "#", `\#`, "://", `:\//`, "www.",
	`www\.`)
