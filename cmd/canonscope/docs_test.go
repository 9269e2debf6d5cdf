package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = "../.."

// handbooks are the package docs that explain the house.
var handbooks = []string{"canon", "vcdm", "compare", "profiles", "schemas"}

// pages are the texts in Markdown.
var pages = []string{"README.md", "compare/README.md", "cmd/canonscope/README.md"}

var (
	// A path begins with a folder of the module.
	paths = regexp.MustCompile(`\b(canon|cmd|compare|profiles|schemas|vcdm)/[a-zA-Z0-9_./-]*[a-zA-Z0-9_]`)
	// Tests that have to pass are named after "Done when", with the package that each list is in.
	lists = regexp.MustCompile(`((?:Test[A-Z]\w+(?:, | and |,? ))+)(?:in ([a-z/]+)|(here|of the new package))`)
	tests = regexp.MustCompile(`\bTest[A-Z]\w+`)
)

// syntax parses the Go files of a folder of the module.
func syntax(t *testing.T, files *token.FileSet, dir string) (code, tests []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, f)
		} else {
			code = append(code, f)
		}
	}
	return code, tests
}

// testsOf returns the names of the tests in a folder of the module.
func testsOf(t *testing.T, dir string) []string {
	_, files := syntax(t, token.NewFileSet(), dir)
	var names []string
	for _, f := range files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// checkPaths reports paths of a text that do not exist.
func checkPaths(t *testing.T, text string) {
	t.Helper()
	for _, p := range paths.FindAllString(strings.ReplaceAll(text, "canonscope/canon/", "canon/"), -1) {
		if _, err := os.Stat(filepath.Join(root, p)); err != nil {
			t.Errorf("%s does not exist", p)
		}
	}
}

// Every path, test and symbol that the docs of the house name is there, so that a recipe never sends its reader astray.
func TestDocsNameWhatExists(t *testing.T) {
	for _, dir := range handbooks {
		t.Run(dir, func(t *testing.T) {
			files := token.NewFileSet()
			code, _ := syntax(t, files, dir)
			pkg, err := doc.NewFromFiles(files, code, "canonscope/"+dir)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(pkg.Doc), " ")
			checkPaths(t, text)

			checked := 0
			for _, list := range lists.FindAllStringSubmatch(text, -1) {
				in := list[2]
				switch list[3] {
				case "here":
					in = dir
				case "of the new package":
					in = "compare/sdjwt" // the one to copy
				}
				known := testsOf(t, in)
				for _, name := range tests.FindAllString(list[1], -1) {
					if checked++; !slices.Contains(known, name) {
						t.Errorf("%s has no %s", in, name)
					}
				}
			}
			named := 0
			for _, done := range regexp.MustCompile(`Done when.*?(?:# |$)`).FindAllString(text, -1) {
				named += len(tests.FindAllString(done, -1))
			}
			if checked < named || named == 0 {
				t.Errorf("of %d tests that recipes name %d say where they are", named, checked)
			}

			checkLinks(t, pkg)
		})
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(root, page))
			if err != nil {
				t.Fatal(err)
			}
			checkPaths(t, string(b))
			for _, link := range regexp.MustCompile(`\]\(([^)#:\s]+)(?:#\S*)?\)`).FindAllStringSubmatch(string(b), -1) {
				if _, err := os.Stat(filepath.Join(root, path.Dir(page), link[1])); err != nil {
					t.Errorf("the link %s leads nowhere", link[1])
				}
			}
		})
	}
}

// checkLinks reports doc links of a package doc to what the package does not export.
func checkLinks(t *testing.T, pkg *doc.Package) {
	known := map[string]bool{}
	for _, f := range pkg.Funcs {
		known[f.Name] = true
	}
	for _, v := range append(slices.Clone(pkg.Consts), pkg.Vars...) {
		for _, name := range v.Names {
			known[name] = true
		}
	}
	for _, typ := range pkg.Types {
		known[typ.Name] = true
		for _, f := range typ.Funcs {
			known[f.Name] = true
		}
		for _, f := range typ.Methods {
			known[typ.Name+"."+f.Name] = true
		}
		for _, v := range append(slices.Clone(typ.Consts), typ.Vars...) {
			for _, name := range v.Names {
				known[name] = true
			}
		}
		ast.Inspect(typ.Decl, func(n ast.Node) bool { // fields, as Verifier.Skew, and methods of interfaces
			if f, ok := n.(*ast.Field); ok {
				for _, name := range f.Names {
					known[typ.Name+"."+name.Name] = true
				}
			}
			return true
		})
	}
	for _, link := range regexp.MustCompile(`\[\*?([A-Z]\w*(?:\.\w+)?)\]`).FindAllStringSubmatch(pkg.Doc, -1) {
		if !known[link[1]] {
			t.Errorf("[%s] is not exported by the package", link[1])
		}
	}
}

// Each package that a library user meets has an example, which go test runs.
func TestExamples(t *testing.T) {
	for _, dir := range []string{"canon/engines", "canon/rdfc", "canon/jcs", "canon/jsonld", "vcdm", "vcdm/keys", "compare/sdjwt",
		"compare/mdoc", "compare/measure", "schemas/catalogue", "profiles"} {
		code, files := syntax(t, token.NewFileSet(), dir)
		examples := doc.Examples(append(code, files...)...)
		if !slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" }) {
			t.Errorf("%s has no example with an output", dir)
		}
	}
}

// The map of the house in compare/doc.go has every package once, and each imports only what is below it there.
func TestMapOfTheHouse(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "compare/doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for i, m := range regexp.MustCompile(`(?m)^//\t([a-z/]+) {1,}\S`).FindAllStringSubmatch(string(b), -1) {
		if _, twice := place["canonscope/"+m[1]]; twice {
			t.Errorf("%s is there twice", m[1])
		}
		place["canonscope/"+m[1]] = i
	}
	list := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for line := range strings.Lines(string(out)) {
		packages++
		imports := strings.Fields(line)
		at, ok := place[imports[0]]
		if !ok {
			t.Errorf("%s is not on the map", imports[0])
			continue
		}
		for _, p := range imports[1:] {
			if strings.HasPrefix(p, "canonscope/") && place[p] <= at {
				t.Errorf("%s imports %s, which is not below it", imports[0], p)
			}
		}
	}
	if packages != len(place) {
		t.Errorf("the map has %d packages, the module %d", len(place), packages)
	}
}

// One package comment a package, so that two files do not tell two stories.
func TestOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(name)
		if comments[dir] == nil {
			comments[dir] = []string{}
		}
		if f.Doc.Text() != "" { // directives are no comment
			comments[dir] = append(comments[dir], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, files := range comments {
		if len(files) != 1 && !strings.HasSuffix(dir, "cmd/canonscope") {
			t.Errorf("%s has its package comment in %q", dir, files)
		}
	}
}
