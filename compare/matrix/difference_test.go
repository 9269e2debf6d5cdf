package matrix

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A difference counts the quads that each form has alone and shows a few of them, whatever their order and however long.
func TestDifference(t *testing.T) {
	quads := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "<urn:s> <urn:p> \"%d\" .\n", i)
		}
		return b.String()
	}
	long := `<urn:s> <urn:p> "` + strings.Repeat("é", 300) + `" .`
	for _, test := range []struct {
		name, got, want string
		quads           bool
		reason          string
		notes           []string
	}{
		{"one quad", quads(0, 3), quads(1, 4), true, "native and stock differ: 1 of 3 quads of native and 1 of 3 of stock are not in the other form",
			[]string{`native: <urn:s> <urn:p> "0" .`, `stock: <urn:s> <urn:p> "3" .`}},
		{"many", quads(0, 9), quads(4, 5), true, "native and stock differ: 8 of 9 quads of native and 0 of 1 of stock are not in the other form",
			[]string{`native: <urn:s> <urn:p> "0" .`, `native: <urn:s> <urn:p> "1" .`, `native: <urn:s> <urn:p> "2" .`, "native: and 5 more"}},
		{"one twice", quads(0, 2), quads(0, 2) + quads(1, 2), true, "native and stock differ: 0 of 2 quads of native and 1 of 3 of stock are not in the other form",
			[]string{`stock: <urn:s> <urn:p> "1" .`}},
		{"the order", quads(0, 2), quads(1, 2) + quads(0, 1), true, "native and stock differ in the order of the same 2 quads", nil},
		{"a long one", long + "\n", "", true, "native and stock differ: 1 of 1 quads of native and 0 of 0 of stock are not in the other form",
			[]string{"native: " + string([]rune(long)[:240]) + "…"}},
		{"JSON", `{"a":"é1"}`, `{"a":"é23"}`, false, "native and stock differ from character 8 on, of 10 and 11", []string{`native: {"a":"é1"}`, `stock: {"a":"é23"}`}},
		{"JSON that ends", "{}", "", false, "native and stock differ from character 1 on, of 2 and 0", []string{"native: {}", "stock: "}},
	} {
		e := difference("native", "stock", test.got, test.want, test.quads)
		if e.Error() != test.reason || !slices.Equal(e.Notes, test.notes) {
			t.Errorf("%s: %s\n%q", test.name, e, e.Notes)
		}
	}
}
