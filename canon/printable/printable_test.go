package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
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

// A long text is cut to its two ends, which stay valid UTF-8.
func TestShort(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", 100)} {
		if got := Short(text, 100); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, letter := range []string{"x", "é", "学", "😀"} {
		got := Short("<"+strings.Repeat(letter, 1_000_000)+">", 200)
		if len(got) > 240 || got[0] != '<' || got[len(got)-1] != '>' || !utf8.ValidString(got) || !strings.Contains(got, " bytes more)") {
			t.Errorf("%q", got)
		}
	}
}

// A document keeps its line feeds but not the characters that would overwrite lines, and JSON keeps its
// value.
func TestDocument(t *testing.T) {
	doc := "{\r\n\t\"a\u202e\": \"\u009b2J\u2028\",\r\"b\": 1}\n"
	shown := Document(doc)
	if want := "{ \n\t\"a\\u202e\": \"\\u009b2J\\u2028\", \"b\": 1}\n"; shown != want {
		t.Errorf("%q, want %q", shown, want)
	}
	var want, got any
	if err := json.Unmarshal([]byte(doc), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(shown), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v: %v", got, want, err)
	}
}

// JSON escapes all characters that control a terminal, and keeps the value.
func TestJSON(t *testing.T) {
	hostile := ""
	for r := range rune(0x2070) {
		hostile += string(r)
	}
	hostile += "\u3000\ue000\ufeff\ufff9\ufffb\U000e0001\U000e0041\U0010fffd"
	raw, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	raw = append(bytes.ReplaceAll(raw, []byte(`\u2028`), []byte("\u2028")), " \t"...)
	value := map[string]any{hostile: hostile, "raw": json.RawMessage(raw), "list": []any{hostile, map[string]string{"a<b>&": hostile}}}

	var b strings.Builder
	if err := JSON(&b, value); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if !strconv.IsPrint(r) && r != '\n' {
			t.Errorf("holds %U", r)
		}
	}
	if !strings.Contains(b.String(), `"a<b>&": "`) {
		t.Error("escapes what prints")
	}

	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{hostile: hostile, "raw": hostile, "list": []any{hostile, map[string]any{"a<b>&": hostile}}}
	if !reflect.DeepEqual(got, want) {
		t.Error("has another value")
	}

	for _, bytes := range []string{"\"\x9b2J\"", "\"\xc2\""} {
		b.Reset()
		if err := JSON(&b, json.RawMessage(bytes)); err != nil || !json.Valid([]byte(b.String())) || !utf8.ValidString(b.String()) {
			t.Errorf("%q: %q, %v", bytes, b.String(), err)
		}
	}
}

// Escapes do not change the value of JSON.
func TestLineOfJSON(t *testing.T) {
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
