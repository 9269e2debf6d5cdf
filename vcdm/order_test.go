package vcdm_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files of the package use one another in the order of the table in its doc, so that a reader can begin
// at the top.
func TestOrderOfFiles(t *testing.T) {
	set := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	group := map[string]int{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if name == "doc.go" {
			for i, row := range regexp.MustCompile(`(?m)^\t\w+ +((\w+\.go ?)+)$`).FindAllStringSubmatch(f.Doc.Text(), -1) {
				for _, name := range strings.Fields(row[1]) {
					if _, twice := group[name]; twice {
						t.Errorf("%s is in the table twice", name)
					}
					group[name] = i
				}
			}
			continue
		}
		files = append(files, f)
	}
	for _, f := range files {
		if name := set.Position(f.Pos()).Filename; !known(group, name) {
			t.Errorf("%s is not in the table", name)
		}
	}
	if len(group) != len(files) {
		t.Errorf("the table has %d files, the package %d", len(group), len(files))
	}

	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", exports(t))}
	pkg, err := config.Check("canonscope/vcdm", set, files, &info)
	if err != nil {
		t.Fatal(err)
	}
	place := func(pos token.Pos) string { return set.Position(pos).Filename }
	uses := 0
	for id, object := range info.Uses {
		from, to := place(id.Pos()), place(object.Pos())
		if object.Pkg() != pkg || from == to {
			continue
		}
		if uses++; group[from] < group[to] {
			t.Errorf("%s uses %s of %s, a group below it in the table of doc.go", set.Position(id.Pos()),
				id.Name, to)
		}
	}
	if uses < 100 {
		t.Errorf("%d references between files: they were not found", uses)
	}
}

func known(group map[string]int, name string) bool {
	_, ok := group[name]
	return ok
}

// exports finds what the compiler keeps of the packages that this one imports.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}",
		".").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}
