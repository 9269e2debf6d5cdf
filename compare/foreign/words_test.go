package foreign_test

import (
	"slices"
	"strings"
	"testing"

	"canonscope/compare/foreign"
)

// A command is split as a shell does it, without one: nothing is expanded.
func TestParse(t *testing.T) {
	for text, want := range map[string][]string{
		"exec:a":                         nil,
		"exec:a=b":                       {"b"},
		"exec:a=node  x.mjs --k=1,2":     {"node", "x.mjs", "--k=1,2"},
		`exec:a='b c' "d $e \"f\"" g\ h`: {"b c", `d $e "f"`, "g h"},
		`exec:a=b '' "x\y"`:              {"b", "", `x\y`},
		"exec:a=b; rm *":                 {"b;", "rm", "*"},
	} {
		c, err := foreign.Parse(text)
		if err != nil || c.Engine != "exec:a" || !slices.Equal(c.Words, want) {
			t.Errorf("%s: %q %v", text, c.Words, err)
		}
	}
	for text, want := range map[string]string{
		"native":      "does not begin with exec:",
		"exec:":       "its name is letters",
		"exec:../x":   "exec:NAME=PATH",
		"exec:a=":     "no command",
		"exec:a='b":   "not closed",
		`exec:a=b \`:  "ends in a backslash",
		"exec:a/op=b": "its name is letters",
	} {
		if _, err := foreign.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
