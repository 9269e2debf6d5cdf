// Package rulegen makes the rules that charge functions of this project to phases from the directives
// beside the functions:
//
//	//phase:PHASE [KIND]
//
// over a function, a type for its methods, or the package clause of a file for its other functions. PHASE
// is a name of package phase, or caller where the time of a function belongs to whom it serves; KIND is one
// of package profiles, owner where it is left out. The nearest directive counts. [Rules] is run by "go
// generate ./compare/measure".
package rulegen

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"canonscope/canon/phase"
)

// module is the path of this project.
const module = "canonscope"

// Packages are those whose functions run in a measured operation, by their folders.
var Packages = []string{"canon", "canon/lookup", "canon/jsontape", "canon/jcs", "canon/rdf", "canon/jsonld",
	"canon/rdfc", "canon/stock", "canon/engines",
	"vcdm", "vcdm/rules", "vcdm/problem", "vcdm/internal/selective", "vcdm/internal/reading",
	"vcdm/internal/lines",
	"vcdm/internal/value", "vcdm/internal/text", "vcdm/keys", "compare/internal/baseline",
	"compare/internal/claims",
	"compare/di", "compare/document", "compare/sdjwt", "compare/mdoc", "compare/floor", "compare/matrix",
	"schemas/jsonschema"}

// harness are the symbols of the measuring code, where the search for an owner ends.
var harness = []string{"canonscope/compare/measure.", "canonscope/compare.(*Exchange)."}

// caller is the directive of functions without a rule.
const caller = "caller"

// Rules returns the rules of Packages, whose folders are in root, as profiles.ParseRules reads them. The
// error names each function without a directive and each directive that is wrong.
func Rules(root fs.FS) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("version 1\n\n" +
		"# Made by go generate from the //phase: directives beside the functions.\n\n# The measuring code\n")
	for _, symbol := range harness {
		writeRule(&out, rule{"-", "harness", symbol})
	}
	var errs []error
	for _, dir := range Packages {
		p := pkg{path: module + "/" + dir, types: map[string]string{}}
		if err := p.read(root, dir); err != nil {
			errs = append(errs, err)
			continue
		}
		rules := p.rules()
		if len(rules) > 0 {
			fmt.Fprintf(&out, "\n# %s\n", p.path)
		}
		for _, r := range rules {
			writeRule(&out, r)
		}
	}
	return out.Bytes(), errors.Join(errs...)
}

// pkg is a package while it is read.
type pkg struct {
	path      string
	types     map[string]string // directives over types
	functions []function
}

type function struct {
	symbol    string // full name
	receiver  string // name of its type, or ""
	directive string // its own, or ""
	file      string // the directive of its file, or ""
	at        token.Position
}

func (p *pkg) read(root fs.FS, dir string) error {
	names, err := fs.Glob(root, path.Join(dir, "*.go"))
	if err != nil {
		return err
	}

	set := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.file(set, f)
	}

	var errs []error
	for _, f := range p.functions {
		switch d := p.directive(&f); {
		case d == "":
			errs = append(errs, fmt.Errorf("%s: %s has no //phase: directive, nor have its type and file",
				f.at, f.symbol))
		case !valid(d):
			errs = append(errs, fmt.Errorf("%s: //phase:%s: want //phase:PHASE [KIND] or //phase:caller",
				f.at, d))
		}
	}

	return errors.Join(errs...)
}

func (p *pkg) file(set *token.FileSet, f *ast.File) {
	ofFile := directive(f.Doc)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				doc := t.Doc
				if !d.Lparen.IsValid() {
					doc = d.Doc
				}
				if of := directive(doc); of != "" {
					p.types[t.Name.Name] = of
				}
			}
		case *ast.FuncDecl:
			name, receiver := d.Name.Name, ""
			if d.Recv != nil {
				name, receiver = method(d)
			}
			p.functions = append(p.functions, function{p.path + "." + name, receiver, directive(d.Doc),
				ofFile, set.Position(d.Pos())})
		}
	}
}

// method returns the name of a method as a profile has it, and that of its type.
func method(d *ast.FuncDecl) (name, receiver string) {
	t := d.Recv.List[0].Type
	star, pointer := t.(*ast.StarExpr)
	if pointer {
		t = star.X
	}
	generic := ""
	switch index := t.(type) {
	case *ast.IndexExpr:
		t, generic = index.X, "[...]"
	case *ast.IndexListExpr:
		t, generic = index.X, "[...]"
	}
	receiver = t.(*ast.Ident).Name
	if pointer {
		return "(*" + receiver + generic + ")." + d.Name.Name, receiver
	}
	return receiver + generic + "." + d.Name.Name, receiver
}

// directive returns the text after //phase: in a comment, or "".
func directive(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		if of, ok := strings.CutPrefix(c.Text, "//phase:"); ok {
			return of
		}
	}
	return ""
}

// directive returns the nearest directive of a function.
func (p *pkg) directive(f *function) string {
	if f.directive != "" {
		return f.directive
	}
	if of := p.types[f.receiver]; of != "" {
		return of
	}
	return f.file
}

func valid(directive string) bool {
	words := strings.Fields(directive)
	if len(words) == 0 || len(words) > 2 || words[0] == caller && len(words) > 1 {
		return false
	}
	_, ok := phase.ByName(words[0])
	return (ok || words[0] == caller) &&
		(len(words) == 1 || slices.Contains([]string{"owner", "primitive", "fallback"}, words[1]))
}

type rule struct{ phase, kind, symbol string }

func writeRule(out *bytes.Buffer, r rule) {
	fmt.Fprintf(out, "%-13s %-9s %s\n", r.phase, r.kind, r.symbol)
}

// rules returns a rule for each type and function that the ones before it, which are of shorter names, do
// not cover: the longest symbol that a name begins with counts.
func (p *pkg) rules() []rule {
	of := map[string]string{}
	for _, f := range p.functions {
		if f.receiver != "" && p.types[f.receiver] != "" {
			of[f.symbol[:strings.LastIndexByte(f.symbol, '.')+1]] = p.types[f.receiver]
		}
		of[f.symbol] = p.directive(&f)
	}

	symbols := make([]string, 0, len(of))
	for s := range of {
		symbols = append(symbols, s)
	}

	slices.Sort(symbols)

	var out []rule
	said := map[string]string{}
	for _, s := range symbols {
		covered := caller // a function without a rule is skipped
		for n := len(s) - 1; n > 0; n-- {
			if d, ok := said[s[:n]]; ok {
				covered = d
				break
			}
		}
		if of[s] == covered {
			continue
		}
		said[s] = of[s]
		words := append(strings.Fields(of[s]), "owner")
		if words[0] == caller {
			words = []string{"-", caller}
		}
		out = append(out, rule{words[0], words[1], s})
	}

	return out
}
