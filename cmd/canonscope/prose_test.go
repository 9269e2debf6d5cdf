package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// stumbles are patterns that make a native reader of English stop.
var stumbles = regexp.MustCompile(strings.Join([]string{
	`\w+ (is|are|was|were|be) no (string|number|integer|object|array|list|map|text|URL|IRI|JSON|key|member|` +
		`proof|error|keyword|term|disclosure|folder|file|option|pattern|base64|base64url|SD-JWT|mdoc|suite|` +
		`cell|COSE|CBOR|N-Quads)\b`, // is not a
	`\bstands? (in|at|for|below|above|beside|behind|there|alone|over|where|together|twice|under|as|on)\b`,
	`\b(says?|tells?|told) (whether|if)\b`, // reports whether
	`\b(tells?|told) (what|which|where|who|how|why|that|of)\b`,
	`\bsays (what|which|where|who|how|why|of)\b`,
	`\b(for|as) people\b`,
	`\bof (its|their|his) own\b`,
	`\bby (itself|themselves)\b`,
	`\bwithout a word\b`,
	`(?i:\b(nobody|somebody|anybody|everybody|no one)\b)`,
	`\b(which|that|this) is what\b|\bwhat of\b`,
	`\b(is|are) there twice\b`,
	`\bthe very [a-z]+\b`,
	`\bknows? no\b`,
	`\bpassed over\b`, // skipped
	`\bbut for\b`,     // except
	`, too[.,;]`,      // also
}, "|"))

// thereIsNo is the one good use of "is no".
var thereIsNo = regexp.MustCompile(`(?i)\bthere (is|are|was|were|be) no \w+`)

// stumble returns the first of the patterns in a text, on one line or over several, or "".
func stumble(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return stumbles.FindString(thereIsNo.ReplaceAllString(text, ""))
}

// production calls visit for the production files of the module with an ending: all Go files but tests, all pages.
func production(t *testing.T, ending string, visit func(name string, src []byte)) {
	t.Helper()
	eachFile(t, func(name string) bool {
		return strings.HasSuffix(name, ending) && !strings.HasSuffix(name, "_test.go")
	}, visit)
}

// eachFile calls visit for the files of the module that are wanted, of which there must be some.
func eachFile(t *testing.T, wanted func(name string) bool, visit func(name string, src []byte)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !wanted(name):
			return nil
		}
		src, err := os.ReadFile(name)
		files++
		visit(name, src)
		return err
	})
	if err != nil || files < 3 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// Comments, error texts, help and pages are in English that a native reader does not stumble on.
func TestPlainEnglish(t *testing.T) {
	production(t, ".go", func(name string, src []byte) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Comments {
			if found := stumble(c.Text()); found != "" {
				t.Errorf("%s: comment with %q", set.Position(c.Pos()), found)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
				if found := stumble(s.Value); found != "" {
					t.Errorf("%s: text with %q", set.Position(s.Pos()), found)
				}
			}
			return true
		})
	})
	production(t, ".md", func(name string, src []byte) {
		if found := stumble(string(src)); found != "" {
			t.Errorf("%s: %q", name, found)
		}
	})
}

func TestStumble(t *testing.T) {
	for text, want := range map[string]string{
		"it is no string":                "it is no string",
		"of its\n\town":                  "of its own",
		"Nobody reads it":                "Nobody",
		"the quad, too.":                 ", too.",
		"fits says whether it does":      "says whether",
		"there is no key":                "",
		"it is not a string":             "",
		"fits reports whether it does":   "",
		"there is no key that is no key": "that is no key",
	} {
		if got := stumble(text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// beyond finds a difference that a test compares in the direction in which NaN passes.
var beyond = regexp.MustCompile(`math\.Abs\([^<>=&|]*\) >`)

// Tests demand that a difference is within its tolerance: NaN is not beyond any.
func TestTolerancesRefuseNaN(t *testing.T) {
	eachFile(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") },
		func(name string, src []byte) {
			for _, found := range beyond.FindAll(src, -1) {
				t.Errorf("%s: %q accepts NaN; compare with !(... <= ...)", name, found)
			}
		})
}

const (
	wide     = 110 // columns of a line, a tab being 4
	long     = 30  // lines of a function that needs air
	maxDense = 15  // percent of those functions that may go without

	// maxWide is the number of lines that cannot be shorter, URLs in schemas/catalogue/badge.go.
	maxWide = 2
)

// Long functions have blank lines between their steps, and lines fit beside a second window.
func TestAir(t *testing.T) {
	var functions, dense int
	var over []string
	production(t, ".go", func(name string, src []byte) {
		lines := strings.Split(string(src), "\n")
		for _, line := range lines {
			if width := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); width > wide {
				over = append(over, name+": "+strings.TrimSpace(line))
			}
		}

		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			from, to := set.Position(fn.Pos()).Line, set.Position(fn.End()).Line
			if to-from+1 < long {
				continue
			}
			functions++
			if !slices.ContainsFunc(lines[from:to], func(l string) bool { return strings.TrimSpace(l) == "" }) {
				dense++
				t.Logf("no blank line: %s %s", name, fn.Name.Name)
			}
		}
	})
	if functions == 0 || 100*dense > maxDense*functions {
		t.Errorf("%d of %d functions of %d lines and more have no blank line, more than %d %%",
			dense, functions, long, maxDense)
	}
	if len(over) > maxWide {
		t.Errorf("%d lines are wider than %d columns, more than %d:\n%s",
			len(over), wide, maxWide, strings.Join(over, "\n"))
	}
}
