package printable

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestIndent(t *testing.T) {
	for _, doc := range []string{`{}`, `[ ]`, `1`, ` "a" `, `{"a":{},"b":[],"c":[{ "d" : [1,-2.5e3,true,null] }],"e":"\"\\","\\":"{[,:]}"}`, "{\n\"a\" : [ 1 ,\t2 ]\r\n}"} {
		var want, got bytes.Buffer
		if err := json.Indent(&want, bytes.TrimSpace([]byte(doc)), "", "  "); err != nil {
			t.Fatal(err)
		}
		if err := Indent(&got, []byte(doc)); err != nil || got.String() != want.String()+"\n" {
			t.Errorf("%s: %v\n%s\nwant\n%s", doc, err, &got, &want)
		}
	}
	var out strings.Builder
	b := bufio.NewWriter(&out)
	IndentLines(b, []byte("{\"a\u0085\":[\"\u202e\x7f学\U000e0041\"]}"), "> ")
	CompactLine(b, []byte("{ \"a\u0085\" : [ 1, {} ] }"))
	b.Flush()
	const want = "> {\n>   \"a\\u0085\": [\n>     \"\\u202e\\u007f学\\udb40\\udc41\"\n>   ]\n> }\n{\"a\\u0085\":[1,{}]}"
	if out.String() != want {
		t.Errorf("%s, want %s", &out, want)
	}
}

// Indenting all levels of a deep document would take depth times values in white space: 10 MB here.
func TestIndentDeep(t *testing.T) {
	doc := []byte(strings.Repeat(`[{"a":`, 250) + "[" + strings.Repeat("0,", 10_000) + "0]" + strings.Repeat("}]", 250))
	var out, compact bytes.Buffer
	if err := Indent(&out, doc); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 2*len(doc) {
		t.Errorf("%d bytes of %d", out.Len(), len(doc))
	}
	if err := json.Compact(&compact, out.Bytes()); err != nil || !bytes.Equal(compact.Bytes(), doc) {
		t.Errorf("another value: %v", err)
	}
	if !strings.Contains(out.String(), "\n"+strings.Repeat("  ", maxIndent)+`"a": [{"a":[`) {
		t.Errorf("values deeper than %d levels are not in one line", maxIndent)
	}
	for i := range doc {
		Indent(&out, doc[:i%600]) // a truncated document: the output is undefined
	}
}
