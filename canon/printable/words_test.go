package printable

import "testing"

func TestPlural(t *testing.T) {
	for want, n := range map[string]int{"0 quads": 0, "1 quad": 1, "2 quads": 2} {
		if got := Plural(n, "quad"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Plural(2, "loss"); got != "2 losses" {
		t.Errorf("%q", got)
	}
}

// Markdown shows a text as it is: no cell, link, markup or control character comes of it.
func TestMarkdown(t *testing.T) {
	const text = "a|b <i>*c* [d](http://e) `f`\n\x1b"
	const want = `a\|b &lt;i&gt;\*c\* \[d\](http:\//e) ` + "\\`f\\`" + `<br>\\u001b`
	if got := Markdown(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
