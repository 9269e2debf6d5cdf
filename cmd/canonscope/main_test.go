package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"canonscope/canon/conform/official"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"canonscope": main, "canonscope-toy": withToy,
		"canonscope-engine": asEngine})
}

// TestScripts runs the command as a user would; each file of testdata/script is one scenario. In scripts
// "exits N COMMAND ..." runs a command and checks its exit status.
func TestScripts(t *testing.T) {
	hearHangups()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Cmds: commands})
}

// hearHangups lets the commands that a test starts hear hangups also where it runs under nohup: its children ignore
// what it ignores, and not what it handles.
func hearHangups() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
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

// TestReadmeProgram builds and runs the program that the README shows, in a module beside this one.
func TestReadmeProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(readme), "\n"); n > 150 {
		t.Errorf("the README has %d lines, at most 150 are read", n)
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(readme), "\n```go\n")
	program, _, _ = strings.Cut(program, "```")
	_, want, _ := strings.Cut(program, "fmt.Println(")
	_, want, _ = strings.Cut(want, " // ")
	want, _, _ = strings.Cut(want, "\n")

	// The requirements of the module are those of its user, or the go command would look for go.mod files that no build needs.
	requirements, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(requirements), "\n")

	dir := t.TempDir()
	for name, content := range map[string]string{
		"main.go": program, "go.mod": "module example\n" + rest, "go.sum": string(sums),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"mod", "edit", "-require", "canonscope@v0.0.0", "-replace", "canonscope=" + module},
		{"vet", "."},
		{"run", "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off") // all that it needs is there
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if args[0] == "run" && (want == "" || strings.TrimSpace(string(out)) != want) {
			t.Errorf("it prints %q, the README says %q", out, want)
		}
	}
}

var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits": func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 2 {
			ts.Fatalf("usage: exits N COMMAND ...")
		}
		if status := execute(ts, args[1:]); status != args[0] {
			ts.Fatalf("exit status %s, want %s", status, args[0])
		}
	},
	// A mistake is answered by its exit status and a text, which may be divided into lines of 80 columns.
	"mistake": func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 3 {
			ts.Fatalf("usage: mistake N TEXT COMMAND ...")
		}
		ts.Setenv("COLUMNS", "80")
		status := execute(ts, append([]string{"canonscope"}, args[2:]...))
		ts.Setenv("COLUMNS", "")
		said := ts.ReadFile("stderr")
		if status != "0" { // else a document
			said = ts.ReadFile("stdout") + said
		}
		if status != args[0] || !strings.Contains(strings.Join(strings.Fields(said), " "), args[1]) {
			ts.Fatalf("exit status %s, want %s with %q", status, args[0], args[1])
		}
		for line := range strings.Lines(said) {
			if utf8.RuneCountInString(line) > columns+1 {
				ts.Fatalf("more than %d columns: %s", columns, line)
			}
		}
	},
}

// execute runs a command and returns its exit status.
func execute(ts *testscript.TestScript, args []string) string {
	var exit *exec.ExitError
	if err := ts.Exec(args[0], args[1:]...); errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	return "0"
}
