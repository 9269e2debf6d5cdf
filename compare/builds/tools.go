package builds

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/compare/measure"
)

// offline is the environment of the Go tool: that of the user without what would let it use the network,
// another toolchain or other modules than the build is of.
var offline = []string{"GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS="}

// mostOutput bounds what is kept of the output of a tool that failed.
const mostOutput = 2000

// run runs a tool in a folder and returns what it prints.
func run(ctx context.Context, dir, doing, tool string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(os.Environ(), offline...), time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		text := printable.Short(strings.TrimSpace(errs.String()), mostOutput)
		return "", &ToolError{doing, text, err}
	}
	return strings.TrimSpace(out.String()), nil
}

// goTool is the Go tool.
type goTool struct {
	ctx           context.Context
	path, version string
}

func findGo(ctx context.Context) (*goTool, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, ErrNoGo
	}
	version, err := run(ctx, "", "ask the Go tool for its version", path, "env", "GOVERSION")
	return &goTool{ctx, path, version}, err
}

// checkout returns the root of the module that a folder is in, which must be the project.
func (t *goTool) checkout(dir string) (root string, err error) {
	if dir == "" {
		dir = "."
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	wrong := func(reason string) error { return &CheckoutError{dir, module, reason} }
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", wrong("there is no such folder")
	}
	text, err := run(t.ctx, dir, "find the module", t.path, "list", "-m", "-json")
	if err != nil {
		return "", wrong("the Go tool finds no module there")
	}
	var main struct{ Path, Dir string }
	if err := json.Unmarshal([]byte(text), &main); err != nil || main.Path != module || main.Dir == "" {
		return "", wrong(fmt.Sprintf("its module is %q", main.Path))
	}
	return main.Dir, nil
}

// check complains about modules that the project does not require, and folders that are no checkout of them.
func (t *goTool) check(source string, replace []Replacement) error {
	if len(replace) == 0 {
		return nil
	}
	text, err := run(t.ctx, source, "read go.mod", t.path, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct{ Require []struct{ Path string } }
	if err := json.Unmarshal([]byte(text), &mod); err != nil {
		return err
	}
	var known []string
	for _, r := range mod.Require {
		known = append(known, r.Path)
	}

	for i, r := range replace {
		if err := choice.Check("module", r.Module, known); err != nil {
			return err
		}
		if slices.ContainsFunc(replace[:i], func(o Replacement) bool { return o.Module == r.Module }) {
			return fmt.Errorf("%s is replaced twice", r.Module)
		}
		text, err := os.ReadFile(filepath.Join(r.Dir, "go.mod"))
		if err != nil {
			return &CheckoutError{r.Dir, r.Module, "it has no go.mod"}
		}
		if path := modulePath(text); path != r.Module {
			return &CheckoutError{r.Dir, r.Module, fmt.Sprintf("its module is %q", path)}
		}
	}
	return nil
}

// modulePath is the path in the text of a go.mod, "" if there is none.
func modulePath(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
			return strings.Trim(f[1], `"`+"`")
		}
	}
	return ""
}

// build builds the command from sources into a folder. Replacements are made in a copy of go.mod.
func (t *goTool) build(
	source, dir string, replace []Replacement, say func(string),
) (*measure.Executable, error) {
	what := fmt.Sprintf("build %s with %s (%s) in %s", filepath.Base(dir), t.version, t.path, source)
	say(what)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	mod := filepath.Join(dir, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return nil, err
		}
	}

	mode := "-mod=readonly"
	for _, r := range replace {
		to, err := filepath.Abs(r.Dir)
		if err != nil {
			return nil, err
		}
		say(fmt.Sprintf("  %s is %s", r.Module, to))
		edit := []string{"mod", "edit", "-replace", r.Module + "=" + to, mod}
		if _, err := run(t.ctx, source, what, t.path, edit...); err != nil {
			return nil, err
		}
		mode = "-mod=mod" // it may require other versions, which the copy of go.mod gets
	}

	out := &measure.Executable{Path: filepath.Join(dir, module)}
	_, err := run(t.ctx, source, what, t.path, "build", mode, "-modfile", mod, "-buildvcs=false", "-o",
		out.Path, command)
	var failed *ToolError
	if errors.As(err, &failed) && strings.Contains(failed.Output, "GOPROXY=off") {
		failed.Output += "\nnothing is fetched here: go mod download brings what a checkout requires"
	}
	if err != nil {
		return nil, err
	}
	out.Rules, err = rulesOf(source)
	return out, err
}

// unknown is the revision of sources that are in no repository.
const unknown = "unknown"

// describe is the commit of a checkout and whether it was changed, or unknown.
func describe(ctx context.Context, dir string) string {
	text, err := run(ctx, dir, "describe the checkout", "git", "describe", "--always", "--dirty",
		"--abbrev=12", "--exclude=*")
	if err != nil || text == "" {
		return unknown
	}
	return text
}

// extract writes the sources of a commit into a folder and returns its short name.
func extract(ctx context.Context, source, commit, dir, to string) (string, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", errors.New("there is no git, which knows the commit")
	}
	doing := "find the commit " + commit
	name, err := run(ctx, source, doing, "git", "rev-parse", "--verify", "--quiet", "--short=12",
		"--end-of-options", commit+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s is not a commit of %s", commit, source)
	}

	file := filepath.Join(dir, "source.zip")
	if _, err := run(ctx, source, doing, "git", "archive", "--format=zip", "-o", file, name); err != nil {
		return "", err
	}
	archive, err := zip.OpenReader(file)
	if err != nil {
		return "", err
	}
	defer archive.Close()
	return name, os.CopyFS(to, archive)
}
