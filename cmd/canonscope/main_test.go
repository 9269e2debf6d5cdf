package main

import (
	"errors"
	"os/exec"
	"strconv"
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
