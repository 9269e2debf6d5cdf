package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"canonscope/canon/conform/official"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"canonscope": main})
}

// TestScripts runs the command as a user would; each file of testdata/script is one scenario. In scripts
// "exits N COMMAND ..." runs a command and checks its exit status.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Cmds: commands})
}

// TestOfficialScripts does so with the scripts that need the official data, whose folder is $DATA.
func TestOfficialScripts(t *testing.T) {
	dir := official.Dir(t)
	testscript.Run(t, testscript.Params{Dir: "testdata/official", Cmds: commands, Setup: func(e *testscript.Env) error {
		e.Setenv("DATA", dir)
		return nil
	}})
}

// TestReadme runs the commands that the README shows for files, one after the other.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Credentials in files\n")
	_, block, _ := strings.Cut(section, "\n```\n")
	block, _, _ = strings.Cut(block, "```")
	var script strings.Builder
	for line := range strings.Lines(block) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
		fmt.Fprintf(&script, "exec sh -c '%s'\n", line)
	}
	if strings.Count(script.String(), "canonscope ") < 8 {
		t.Fatalf("the README shows few commands:\n%s", block)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "readme.txtar"), []byte("[!unix] skip\n"+script.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: dir})
}

var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits": func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 2 {
			ts.Fatalf("usage: exits N COMMAND ...")
		}
		status := 0
		var exit *exec.ExitError
		if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
			status = exit.ExitCode()
		} else if err != nil {
			ts.Fatalf("%v", err)
		}
		if strconv.Itoa(status) != args[0] {
			ts.Fatalf("exit status %d, want %s", status, args[0])
		}
	},
}
