package measure_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// endsAs is, in the environment, how a process that plays a child ends.
const endsAs = "CANONSCOPE_ENDS_AS"

// However a child ends, its cell has the state and the reason of it.
func TestEnds(t *testing.T) {
	switch os.Getenv(endsAs) {
	case "":
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "terminated":
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {}
	case "exit":
		os.Exit(3)
	case "garbage":
		fmt.Println("hello")
		os.Exit(0)
	case "memory":
		fmt.Fprintln(os.Stderr, "fatal error: out of memory")
		os.Exit(2)
	case "mmap":
		fmt.Fprintln(os.Stderr, "fatal error: cannot allocate memory")
		os.Exit(2)
	case "complains":
		fmt.Fprintln(os.Stderr, "no more")
		os.Exit(0)
	case "fails":
		fmt.Println(`{"event":"failed","failed":{"stage":"open","reason":"no"}}`)
		os.Exit(0)
	case "one operation":
		fmt.Println(`{"event":"failed","op":"issue","failed":{"stage":"time","reason":"no"}}`)
		fmt.Println(`{"event":"done"}`)
		os.Exit(0)
	case "done, and exit":
		fmt.Println(`{"event":"done"}`)
		os.Exit(3)
	case "silent":
		os.Exit(0)
	}
	for as, want := range map[string]struct {
		state  compare.State
		reason string
	}{
		"killed":         {compare.Died, "killed from outside"},
		"terminated":     {compare.Died, "signal: terminated"},
		"exit":           {compare.Died, "exit status 3"},
		"garbage":        {compare.Died, "its output is not an event"},
		"memory":         {compare.OutOfMemory, "its limit of 5 MiB"},
		"mmap":           {compare.OutOfMemory, "its limit of 5 MiB"},
		"complains":      {compare.Died, "no more"},
		"fails":          {compare.Failed, "open: no"},
		"one operation":  {"", ""},
		"done, and exit": {compare.Died, "exit status 3"},
		"silent":         {compare.Died, "without saying done"},
	} {
		t.Setenv(endsAs, as)
		events := 0
		err := measure.Process{Args: []string{"-test.run=^TestEnds$"}}.Run(t.Context(), measure.Job{Deadline: 60, Memory: 5 << 20}, nil,
			func(measure.Event) { events++ })
		var stopped *measure.StoppedError
		if want.state == "" {
			if err != nil || events != 1 {
				t.Errorf("%s: %v, %d events", as, err, events)
			}
		} else if !errors.As(err, &stopped) || stopped.State != want.state || !strings.Contains(stopped.Reason, want.reason) || events > 0 {
			t.Errorf("%s: %v, %d events", as, err, events)
		}
	}
}

// The processors of a process are those that the system lists, and what is no processor cannot be pinned to.
func TestProcessors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("another system says it otherwise")
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	list, _, _ = strings.Cut(list, "\n")
	if got, want := measure.Environment()["affinity"], strings.TrimSpace(list); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, cpu := range []int{-1, 1000} {
		if err := measure.CheckCPU(cpu); err == nil || !strings.Contains(err.Error(), "number of a processor: "+strings.TrimSpace(list)) {
			t.Errorf("processor %d: %v", cpu, err)
		}
	}
	var first int
	if _, err := fmt.Sscan(list, &first); err == nil {
		if err := measure.CheckCPU(first); err != nil {
			t.Errorf("processor %d: %v", first, err)
		}
	}
}

// A folder for reports may be there already, if it is empty and nobody's.
func TestReportFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "report")
	for range 2 {
		f, err := measure.ReportFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := measure.ReportFolder(dir); !errors.Is(err, measure.ErrInUse) {
			t.Errorf("in use: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := measure.ReportFolder(dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("with a file: %v", err)
	}
	if _, err := measure.ReportFolder(filepath.Join(dir, "a", "below")); err == nil {
		t.Error("below a file")
	}
}
