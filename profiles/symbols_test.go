package profiles_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/profiles"
)

// Every rule matches a function in this test binary, even one that the compiler always inlines. If a rule
// stops matching, a library or a package of this project has renamed the function.
func TestEveryRuleMatchesASymbol(t *testing.T) {
	// The linker drops functions that are never called; a child process that serves the matrix calls all of
	// them.
	_ = measure.Serve(context.Background(), strings.NewReader("{}"), io.Discard, matrix.OpenGiven)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	// The runtime's table of function names is a run of strings that end in NUL.
	known := func(symbol string) bool { return bytes.Contains(binary, []byte("\x00"+symbol)) }
	if known("canonscope/profiles_test.noSuchFunction") || !known("canonscope/profiles_test.TestEveryRuleMatchesASymbol") {
		t.Fatal("cannot read function names from the test binary")
	}
	for _, r := range profiles.LoadRules().List {
		for _, symbol := range []string{r.Symbol, r.Caller} {
			if !strings.HasPrefix(symbol, "js:") && !known(symbol) { // which TestJavaScript has
				t.Errorf("%s: no function begins with %s", r, symbol)
			}
		}
	}
}
