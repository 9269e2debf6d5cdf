package builds_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/compare/builds"
)

const gold = "github.com/piprate/json-gold"

// moduleIn writes a go.mod into a folder and returns the folder.
func moduleIn(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+path+" // a copy\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What cannot be built is refused before anything is, by the folder, the module or the commit that is wrong.
func TestMakeRefuses(t *testing.T) {
	other := moduleIn(t, "example.org/other")
	replace := func(module, dir string) builds.Recipe {
		return builds.Recipe{Replace: []builds.Replacement{{Module: module, Dir: dir}}}
	}
	twice := replace(gold, moduleIn(t, gold))
	twice.Replace = append(twice.Replace, twice.Replace[0])
	for what, c := range map[string]struct {
		recipe builds.Recipe
		want   string
	}{
		"no folder":        {builds.Recipe{Source: filepath.Join(other, "none")}, "is not in a checkout of canonscope: there is no such folder"},
		"no module":        {builds.Recipe{Source: os.TempDir()}, "is not in a checkout of canonscope: "},
		"another module":   {builds.Recipe{Source: other}, `is not in a checkout of canonscope: its module is "example.org/other"`},
		"unknown module":   {replace("github.com/piprate/json-gald", other), `unknown module "github.com/piprate/json-gald"; did you mean "` + gold + `"?`},
		"no checkout":      {replace(gold, t.TempDir()), "is not in a checkout of " + gold + ": it has no go.mod"},
		"of another":       {replace(gold, other), `is not in a checkout of ` + gold + `: its module is "example.org/other"`},
		"the same twice":   {twice, gold + " is replaced twice"},
		"unknown commit":   {builds.Recipe{Commit: "no-such-commit"}, "no-such-commit is not a commit of "},
		"commit as a flag": {builds.Recipe{Commit: "--output=x"}, "--output=x is not a commit of "},
	} {
		_, err := c.recipe.Make(t.Context(), t.TempDir(), func(text string) { t.Errorf("%s: %s", what, text) })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Without the Go tool the error says so, and what to do.
func TestMakeWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := (builds.Recipe{}).Make(t.Context(), t.TempDir(), nil); !errors.Is(err, builds.ErrNoGo) {
		t.Errorf("%v", err)
	}
}

// repository is a checkout of a module that has the name of the project, and a command that prints a number.
func repository(t *testing.T) string {
	t.Helper()
	dir := moduleIn(t, "canonscope")
	git(t, dir, "init", "--quiet")
	for _, number := range []string{"1", "2"} {
		for name, text := range map[string]string{"go.sum": "", "profiles/rules.txt": "version 1\nparse owner main.parse" + number + "\n",
			"compare/measure/rules.txt": "version 1\nsign owner main.sign\n",
			"cmd/canonscope/main.go":    "package main\n\nfunc main() { println(" + number + ") }\n"} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		git(t, dir, "add", ".")
		git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", number)
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// The old build is of the commit and the new one of the checkout as it is, each with the rules of its sources; the checkout
// and what git says of it stay as they were.
func TestMakeCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := repository(t)
	if err := os.WriteFile(filepath.Join(dir, "cmd/canonscope/main.go"), []byte("package main\n\nfunc main() { println(3) }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := git(t, dir, "status", "--porcelain", "--branch") + git(t, dir, "worktree", "list")
	var said []string
	recipe := builds.Recipe{Source: filepath.Join(dir, "cmd"), Commit: "HEAD~1"}
	made, err := recipe.Make(t.Context(), t.TempDir(), func(text string) { said = append(said, text) })
	if err != nil {
		t.Fatal(err)
	}
	if after := git(t, dir, "status", "--porcelain", "--branch") + git(t, dir, "worktree", "list"); after != before {
		t.Errorf("the checkout was %s, is %s", before, after)
	}

	if len(made) != 2 || made[0].Label != "old" || made[1].Label != "new" || made[0].Rules.Hash() == made[1].Rules.Hash() {
		t.Fatalf("made %+v", made)
	}
	if made[0].Of != git(t, dir, "rev-parse", "--short=12", "HEAD~1") || made[1].Of != git(t, dir, "rev-parse", "--short=12", "HEAD")+"-dirty" {
		t.Errorf("of %s and %s", made[0].Of, made[1].Of)
	}
	for i, want := range []string{"1", "3"} {
		out, err := exec.Command(made[i].Path).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s prints %s, %v", made[i].Label, out, err)
		}
	}
	if len(said) != 2 || !strings.Contains(said[0], "build old with go1.") {
		t.Errorf("it said %q", said)
	}
}
