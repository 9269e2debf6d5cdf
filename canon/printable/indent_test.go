package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"canonscope/canon"
)

func TestIndent(t *testing.T) {
	for _, doc := range []string{`{}`, `[]`, `{"a\"[{,":[1,2,{"b":null}],"c":{}}`, `"x"`, `[[[]],[{"a":"]"}]]`} {
		var got, want bytes.Buffer
		if err := json.Indent(&want, []byte(doc), "  ", "  "); err != nil {
			t.Fatal(err)
		}
		if err := Indent(&got, []byte(doc), "  "); err != nil || got.String() != want.String() {
			t.Errorf("%s: %v, %s", doc, err, got.String())
		}
	}
	if err := Indent(new(bytes.Buffer), []byte(`[1`), ""); err == nil {
		t.Error("half of an array is indented")
	}
	deep := strings.Repeat("[", 500) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 500)
	var limit *canon.LimitError
	if err := Indent(new(bytes.Buffer), []byte(deep), ""); !errors.As(err, &limit) || limit.Done < 100_000*1000 {
		t.Errorf("200 kB that become 100 MB: %v", err)
	}
}
