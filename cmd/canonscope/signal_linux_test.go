//go:build linux

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

	"golang.org/x/sys/unix"
)

// The first signal ends a command that does not ask whether it should: while json-gold works, which it does for longer than
// anyone lives on a clique, and while a document is awaited.
func TestSignals(t *testing.T) {
	clique := "" // as N-Quads
	for _, s := range "abcdefghijklmnop" {
		for _, o := range "abcdefghijklmnop" {
			if s != o {
				clique += "_:" + string(s) + " <urn:x:p> _:" + string(o) + " .\n"
			}
		}
	}
	hearHangups()
	for name, c := range map[string]struct {
		signal syscall.Signal
		status int
		args   string
	}{
		"conform":  {syscall.SIGINT, 130, "conform rdfc --engine stock ."},
		"canonize": {syscall.SIGTERM, 143, "canonize --method rdfc --engine stock --max-steps none --timeout 0 --input nquads 001-in.nq"},
		"hangup":   {syscall.SIGHUP, 129, "conform rdfc --engine stock ."},
		"waiting":  {syscall.SIGINT, 130, "verify -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"001-in.nq": clique, "001-out.nq": ""} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			in, out, err := os.Pipe() // stays open
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			defer out.Close()
			if _, err := out.WriteString("{"); err != nil {
				t.Fatal(err)
			}

			var errs strings.Builder
			cmd := exec.Command("canonscope", strings.Fields(c.args)...)
			cmd.Dir, cmd.Stdin, cmd.Stderr = dir, in, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killed := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
			if name == "waiting" {
				reads(t, in)
			} else {
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

// reads waits until what is in a pipe was read.
func reads(t *testing.T, in *os.File) {
	t.Helper()
	for {
		n, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCINQ)
		if err != nil {
			t.Skip(err)
		}
		if n == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
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
