// Package builds makes two builds of the command that a campaign compares: with modules in place of those it
// requires, or of another commit. It runs the Go tool, and git for a commit, on copies: a checkout stays as
// it is, and nothing is fetched from a network.
package builds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"canonscope/compare/measure"
	"canonscope/profiles"
)

// Labels of the builds.
const (
	Old = "old"
	New = "new"
)

// module is that of the project, and command its command in it.
const (
	module  = "canonscope"
	command = "./cmd/canonscope"
)

// Replacement is a checkout of a module in place of the one that is required.
type Replacement struct{ Module, Dir string }

// Recipe names the sources of the builds: new is the checkout with replacements, and old the checkout without
// them or, if one is named, at a commit.
type Recipe struct {
	Source  string // folder in the checkout; "" is the current one
	Replace []Replacement
	Commit  string
}

// ErrNoGo is the error of a machine without the Go tool.
var ErrNoGo = errors.New("there is no Go tool, which makes the builds: install Go (go.dev/dl), or give two " +
	"binaries that were built elsewhere to canonscope run --binary")

// CheckoutError reports that a folder is not a checkout of the module that is wanted.
type CheckoutError struct{ Dir, Module, Reason string }

func (e *CheckoutError) Error() string {
	return fmt.Sprintf("%s is not in a checkout of %s: %s", e.Dir, e.Module, e.Reason)
}

// ToolError is a failure of the Go tool or of git, with what it printed.
type ToolError struct {
	Doing  string
	Output string
	Err    error
}

func (e *ToolError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Doing, e.Err)
	for line := range strings.Lines(e.Output) {
		text += "; " + strings.TrimSpace(line)
	}
	return text
}

func (e *ToolError) Unwrap() error { return e.Err }

// Make makes both builds in a folder, and reports each to say. The binaries stay until the folder is removed.
func (r Recipe) Make(ctx context.Context, dir string, say func(string)) ([]measure.Executable, error) {
	tool, err := findGo(ctx)
	if err != nil {
		return nil, err
	}
	source, err := tool.checkout(r.Source)
	if err != nil {
		return nil, err
	}
	if err := tool.check(source, r.Replace); err != nil {
		return nil, err
	}

	before, revision := source, describe(ctx, source)
	was := revision
	if r.Commit != "" {
		before = filepath.Join(dir, "source")
		if was, err = extract(ctx, source, r.Commit, dir, before); err != nil {
			return nil, err
		}
	}
	for _, m := range r.Replace {
		if at := describe(ctx, m.Dir); at != unknown {
			revision += fmt.Sprintf(", %s at %s", m.Module, at)
		}
	}

	old, err := tool.build(before, filepath.Join(dir, Old), nil, say)
	if err != nil {
		return nil, err
	}
	changed, err := tool.build(source, filepath.Join(dir, New), r.Replace, say)
	if err != nil {
		return nil, err
	}
	old.Label, old.Of, changed.Label, changed.Of = Old, was, New, revision
	return []measure.Executable{*old, *changed}, nil
}

// rulesOf reads the frame rules of a source tree.
func rulesOf(source string) (profiles.Rules, error) {
	var all [2]profiles.Rules
	for i, name := range []string{"profiles/rules.txt", "compare/measure/rules.txt"} {
		text, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(name)))
		if err == nil {
			all[i], err = profiles.ParseRules(text)
		}
		if err != nil {
			return profiles.Rules{}, fmt.Errorf("the frame rules of the sources cannot be read, so their "+
				"profiles would have no phases: %s: %w", name, err)
		}
	}
	return all[0].With(all[1]), nil
}
