package jsontape_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon/jsontape"
)

// A tape that does not scan a repeated value again holds what a new tape holds, and refuses what that refuses.
func TestRepeats(t *testing.T) {
	long := strings.Repeat(`,"x"`, 20)
	many := ""
	for i := range 40 {
		many += fmt.Sprintf(`"k%d":%d,`, i, i)
	}
	values := []string{
		`["a"` + long + `]`, `["a"` + long + `,{"b":[{}, [ ]]}]`, `{"a":["x"` + long + `],"\u0062":{"c":null}}`, `["short"]`, `"` + strings.Repeat("s", 100) + `"`,
		`["a"` + long + `}`, `["a"` + long, `{"a":1,"a":["x"` + long + `]}`, `[[[[["x"` + long + `]]]]]`,
		`{` + many + `"k":[]}`, `{` + many + `"k0":[]}`, `[{` + many + `"k0":[]}]`,
	}
	documents := []string{`{"@context":%s,"p":1}`, ` { "p" : [1,{}], "@context" : %s }`, `{"@context":%s,"@context":1}`, `{"@context":%sx}`, `{"@context":%s`, `[%s]`, `{"p":{"@context":%s}}`}
	var tape jsontape.Tape
	for round := range 3 {
		for _, v := range values {
			for _, d := range documents {
				for _, depth := range []int{0, 3, 0} {
					src := []byte(fmt.Sprintf(d, v))
					var fresh jsontape.Tape
					want := fresh.Scan(src, jsontape.Options{Depth: depth})
					err := tape.Scan(src, jsontape.Options{Depth: depth, Repeats: "@context"})
					if fmt.Sprint(err) != fmt.Sprint(want) || !slices.Equal(tape.Nodes, fresh.Nodes) {
						t.Fatalf("round %d, depth %d, %s: %v, want %v\n got %v\nwant %v", round, depth, src, err, want, tape.Nodes, fresh.Nodes)
					}
				}
			}
		}
	}
}
