package measure

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"canonscope/compare"
	"canonscope/profiles"
)

// Build is a binary that does the jobs of the cells with its label.
type Build struct {
	compare.Build
	Runner     Runner         `json:"-"`
	FrameRules profiles.Rules `json:"-"` // that charge its profiles
}

// Executable is a canonscope that is to be a Build.
type Executable struct {
	Label string
	Path  string         // of a file, or the name of a command
	Rules profiles.Rules // of its sources, if they are known; else those of this binary must be its own
	Of    string         // revision of its sources, if the binary does not know it
}

// About is what a binary answers when it is asked for its version as JSON.
type About struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Protocol int    `json:"jobProtocol"`
	Rules    string `json:"frameRules"`
}

// BuildError reports why a binary cannot be a Build.
type BuildError struct{ Label, Reason string }

func (e *BuildError) Error() string { return fmt.Sprintf("build %s %s", e.Label, e.Reason) }

// BuildsOf finds out what executables are; equal ones are allowed. Their jobs run by a subcommand. One that
// is not a canonscope, or one of another protocol or with unknown frame rules, is a *[BuildError].
func BuildsOf(ctx context.Context, all []Executable, args ...string) ([]Build, error) {
	var builds []Build
	var modules []map[string]string
	for _, e := range all {
		if err := compare.CheckLabel(e.Label); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(builds, func(b Build) bool { return b.Label == e.Label }) {
			return nil, &BuildError{e.Label, "is given twice; give each another label"}
		}
		b, path, err := e.build(ctx)
		if err != nil {
			return nil, &BuildError{e.Label, err.Error()}
		}
		b.Runner = Process{Path: path, Args: args}
		builds, modules = append(builds, b), append(modules, modulesOf(path))
	}

	for i := range builds {
		for name, version := range modules[i] {
			if slices.ContainsFunc(modules, func(m map[string]string) bool { return m[name] != version }) {
				builds[i].Modules[name] = version
			}
		}
	}
	return builds, nil
}

// build asks an executable what it is.
func (e *Executable) build(ctx context.Context) (b Build, path string, err error) {
	if path, err = exec.LookPath(e.Path); err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return b, "", fmt.Errorf("is not there: %w", err)
	}
	sum, err := hashOf(path)
	if err != nil {
		return b, "", err
	}
	about, err := ask(ctx, path)
	if err != nil {
		return b, "", err
	}

	if about.Protocol != Version {
		return b, "", fmt.Errorf("speaks job protocol %d, this canonscope speaks %d; build it at a commit "+
			"with the same, or measure it alone and set the results side by side with compare",
			about.Protocol, Version)
	}
	rules := Rules()
	if e.Rules.Hash() != "" {
		rules = e.Rules
	}
	if about.Rules != rules.Hash() {
		return b, "", fmt.Errorf("has frame rules %.12s, not %.12s as this canonscope, which would charge "+
			"its functions to wrong phases; ab --commit reads them from its sources", about.Rules,
			rules.Hash())
	}

	if e.Of != "" {
		about.Revision = e.Of
	}
	b = Build{Build: compare.Build{Label: e.Label, SHA256: sum, Version: about.Version,
		Revision: about.Revision, Go: about.Go, Rules: about.Rules, Modules: make(map[string]string)},
		FrameRules: rules}
	return b, path, nil
}

// Bounds of the answer of an executable that may be anything.
const (
	answerTime  = 10 * time.Second
	answerBytes = 64 << 10
)

var errNoBuild = errors.New("is not a canonscope: it does not answer the command version --json as one")

// ask asks an executable for its version.
func ask(ctx context.Context, path string) (*About, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version", "--json")
	cmd.WaitDelay = time.Second
	var out answer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoBuild, err)
	}
	var about About
	if err := json.Unmarshal(out.text, &about); err != nil || about.Protocol == 0 || about.Rules == "" {
		return nil, errNoBuild
	}
	return &about, nil
}

// answer keeps what an executable writes, and refuses more than answerBytes.
type answer struct{ text []byte }

func (a *answer) Write(b []byte) (int, error) {
	if len(a.text)+len(b) > answerBytes {
		return 0, io.ErrShortWrite
	}
	a.text = append(a.text, b...)
	return len(b), nil
}

// modulesOf lists the versions of the modules of an executable; nil if it does not tell.
func modulesOf(path string) map[string]string {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil
	}
	all := make(map[string]string)
	for _, m := range info.Deps {
		all[m.Path] = versionOf(m)
	}
	return all
}

// versionOf is the version of a module. A folder that replaces it is not named: it is a path of this machine.
func versionOf(m *debug.Module) string {
	switch r := m.Replace; {
	case r == nil:
		return m.Version
	case r.Version == "" || r.Version == "(devel)":
		return "a checkout"
	case r.Path != m.Path:
		return r.Path + " " + r.Version
	default:
		return r.Version
	}
}

// build is that of a cell: this binary where the plan has none.
func (c *campaign) build(cell compare.Cell) *Build {
	for i := range c.plan.Builds {
		if b := &c.plan.Builds[i]; b.Label == cell.Build {
			return b
		}
	}
	return &Build{Build: compare.Build{SHA256: BinaryHash()}, Runner: c.runner, FrameRules: c.plan.Rules}
}

// cellOf is the first cell of an exchange.
func (c *campaign) cellOf(x *exchange) compare.Cell { return c.results[x.cells[0]].Cell }

// baseline is the same exchange of the first build; nil for one of it.
func (c *campaign) baseline(x *exchange) *exchange {
	cell := c.cellOf(x)
	if cell.Build == "" || cell.Build == c.plan.Builds[0].Label {
		return nil
	}
	return c.exchanges[cell.Exchange().Of(c.plan.Builds[0].Label).ID()]
}

// baselinesFirst divides exchanges into those of the first build and those that have one of them to agree
// with.
func (c *campaign) baselinesFirst(all []*exchange) [][]*exchange {
	var first, others []*exchange
	for _, x := range all {
		if c.baseline(x) == nil {
			first = append(first, x)
		} else {
			others = append(others, x)
		}
	}
	return [][]*exchange{first, others}
}

// together divides exchanges into those that differ in their build alone, whose processes follow each other.
func (c *campaign) together(all []*exchange) [][]*exchange {
	var units [][]*exchange
	at := make(map[compare.Cell]int)
	for _, x := range all {
		key := c.cellOf(x).Exchange().Of("")
		k, ok := at[key]
		if !ok {
			k = len(units)
			at[key], units = k, append(units, nil)
		}
		units[k] = append(units[k], x)
	}
	return units
}

// agrees returns an error unless an exchange makes the canonical forms that the first build makes.
func (c *campaign) agrees(x *exchange) error {
	first := c.baseline(x)
	if first == nil || first.gated == nil || x.gated == nil {
		return nil
	}
	want, err := unpack(first.gated.Inputs[compare.Canonize])
	if err != nil {
		return err
	}
	got, err := unpack(x.gated.Inputs[compare.Canonize])
	if err != nil {
		return err
	}
	for i := range want {
		if i >= len(got) || !bytes.Equal(got[i], want[i]) {
			return &StoppedError{compare.GateFailed, fmt.Sprintf("document %d: build %s makes another "+
				"canonical form than build %s", i, c.cellOf(x).Build, c.plan.Builds[0].Label)}
		}
	}
	return nil
}

// WithBuilds gives the plan of a campaign that is resumed its builds. Others than those that it was begun
// with are an *[OtherError].
func (l *Loaded) WithBuilds(now []Build) error {
	for i, was := range l.Plan.Builds {
		k := slices.IndexFunc(now, func(b Build) bool { return b.Label == was.Label })
		switch {
		case k < 0:
			return &OtherError{"build " + was.Label, was.SHA256, "not given"}
		case now[k].SHA256 != was.SHA256:
			return &OtherError{"build " + was.Label, was.SHA256, now[k].SHA256}
		}
		l.Plan.Builds[i] = now[k]
	}
	return nil
}
