package printable

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"Zürich 学位 😀 e\u0301 \uFFFD":  "Zürich 学位 😀 e\u0301 \uFFFD",
		"a\nb\r\tc\x7f\x00":           `a\u000ab\u000d\u0009c\u007f\u0000`,
		"\x1b[2J\u0080\u009b1m\u009f": `\u001b[2J\u0080\u009b1m\u009f`,
		"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069": `\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069`,
		"\u200e\u200f\u061c":               `\u200e\u200f\u061c`,
		"\u00a0\u00ad\u200b\u2028\ufeff":   `\u00a0\u00ad\u200b\u2028\ufeff`,
		"x\U000e0041\U0010fffd\ue000":      `x\udb40\udc41\udbff\udffd\ue000`,
		"bytes \x9b2J\xc2":                 `bytes \x9b2J\xc2`,
		`"quoted" \u202e stays <as> it is`: `"quoted" \u202e stays <as> it is`,
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got, want := Lines("{\n  \"a\u0085\": 1\r\n}\n"), "{\n  \"a\\u0085\": 1\\u000d\n}\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Escapes do not change the value of JSON.
func TestJSON(t *testing.T) {
	const text = "\"\u0085\u202e\U000e0041\u007f学\""
	var want, got string
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(Line(text)), &got); err != nil || got != want {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
}

func TestPrinter(t *testing.T) {
	var b strings.Builder
	p := Printer{W: &b}
	p.Line("%d %s", 1, "a\nb")
	p.Line("c")
	if want := "1 a\\u000ab\nc\n"; b.String() != want || p.Err != nil {
		t.Errorf("%q, want %q: %v", b.String(), want, p.Err)
	}
	p.Err = errors.New("full")
	if p.Line("d"); strings.HasSuffix(b.String(), "d\n") {
		t.Error("writes after an error")
	}
}
