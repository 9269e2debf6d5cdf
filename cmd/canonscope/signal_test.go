//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The first signal ends a command that does not ask whether it should: while json-gold works, which it does for longer than
// anyone lives on a clique, and while a document is awaited. The named pipe says when the command has come so far.
func TestSignals(t *testing.T) {
	clique := "" // as N-Quads
	for _, s := range "abcdefghijklmnop" {
		for _, o := range "abcdefghijklmnop" {
			if s != o {
				clique += "_:" + string(s) + " <urn:x:p> _:" + string(o) + " .\n"
			}
		}
	}
	for name, c := range map[string]struct {
		signal syscall.Signal
		status int
		doc    string // what comes through the pipe; without it the pipe stays open
		args   string
	}{
		"conform":  {syscall.SIGINT, 130, clique, "conform rdfc --engine stock ."},
		"canonize": {syscall.SIGTERM, 143, clique, "canonize --method rdfc --engine stock --max-steps none --timeout 0 --input nquads 001-in.nq"},
		"hangup":   {syscall.SIGHUP, 129, clique, "conform rdfc --engine stock ."},
		"waiting":  {syscall.SIGINT, 130, "", "verify 001-in.nq"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pipe := filepath.Join(dir, "001-in.nq")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "001-out.nq"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			var errs strings.Builder
			cmd := exec.Command("canonscope", strings.Fields(c.args)...)
			cmd.Dir, cmd.Stderr = dir, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killed := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
			f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if c.doc != "" {
				if _, err := f.WriteString(c.doc); err != nil {
					t.Fatal(err)
				}
				f.Close()
				works(cmd.Process.Pid)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != c.status || errs.String() != "canonscope: interrupted\n" {
				t.Errorf("%v with %q, want exit status %d", err, errs.String(), c.status)
			}
			if !killed.Stop() {
				t.Error("it went on after the signal")
			}
		})
	}
}

// works waits until a process has used a quarter of a second of CPU, where the system says so: more than it takes to read.
func works(pid int) {
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if ticks, err := strconv.Atoi(fields[11]); err != nil || ticks >= 25 || fields[0] == "Z" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
