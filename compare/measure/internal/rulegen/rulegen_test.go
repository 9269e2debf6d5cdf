package rulegen

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

const root = "../../../.."

// The file of rules is what the directives say now: "go generate ./compare/measure" makes it.
func TestFresh(t *testing.T) {
	want, err := Rules(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("compare/measure/rules.txt is not what the //phase: directives say; go generate ./compare/measure writes it")
	}
}

func rules(t *testing.T, src string) (string, error) {
	t.Helper()
	p := pkg{path: "canonscope/p", types: map[string]string{}}
	if err := p.read(fstest.MapFS{"p/p.go": {Data: []byte(src)}, "p/p_test.go": {Data: []byte("package p\nfunc of() {}")}}, "p"); err != nil {
		return "", err
	}
	var lines []string
	for _, r := range p.rules() {
		lines = append(lines, r.phase+" "+r.kind+" "+strings.TrimPrefix(r.symbol, "canonscope/"))
	}
	return strings.Join(lines, "\n"), nil
}

// The nearest directive counts, and a function of a longer name is not taken for one of a shorter.
func TestNearest(t *testing.T) {
	got, err := rules(t, `// Package p.
//
//phase:caller
package p

// T has methods.
//
//phase:select
type T struct{}

func (t *T) a() {}

//phase:digest primitive
func (t *T) ab() {}

//phase:caller
func (t *T) abc() {}

func (t T) value() {}

type generic[K any] struct{}

//phase:encode
func (g *generic[K]) write() {}

//phase:parse
func scan() {}

func scanner() {}

//phase:parse fallback
func scanners() {}
`)
	want := `select owner p.(*T).
digest primitive p.(*T).ab
- caller p.(*T).abc
encode owner p.(*generic[...]).write
select owner p.T.
parse owner p.scan
- caller p.scanner
parse fallback p.scanners`
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// A function that no directive reaches is named, and so is a directive that says nothing.
func TestWrongDirectives(t *testing.T) {
	for src, want := range map[string]string{
		"package p\nfunc f() {}":                           "p/p.go:2:1: canonscope/p.f has no //phase: directive",
		"package p\ntype T int\nfunc (T) m() {}":           "canonscope/p.T.m has no //phase: directive",
		"//phase:compress\npackage p\nfunc f() {}":         "//phase:compress: want",
		"package p\n//phase:parse sometimes\nfunc f() {}":  "//phase:parse sometimes: want",
		"package p\n//phase:caller primitive\nfunc f() {}": "//phase:caller primitive: want",
		"package p\n//phase:parse owner more\nfunc f() {}": "//phase:parse owner more: want",
		"package p\n//phase:\nfunc f() {}":                 "has no //phase: directive",
		"package p\n// phase:parse\nfunc f() {}":           "has no //phase: directive",
		"package p\nfunc f() {":                            "expected '}'",
	} {
		if _, err := rules(t, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}
