package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"canonscope/compare"
	"canonscope/compare/internal/process"
)

// Runner carries a Job with its inputs to a child and passes on each event as it arrives. It returns nil
// after done, and a *StoppedError otherwise. An implementation that reaches another machine sends the same
// bytes.
type Runner interface {
	Run(ctx context.Context, job Job, inputs []byte, emit func(Event)) error
}

// StoppedError reports how a child ended that did not finish its Job.
type StoppedError struct {
	State  compare.State
	Reason string
}

func (e *StoppedError) Error() string { return string(e.State) + ": " + e.Reason }

// stopped returns what a failure means for the cell.
func (f *Failure) stopped() *StoppedError {
	switch {
	case f.State != "":
		return &StoppedError{f.State, f.Reason}
	case f.Unsupported:
		return &StoppedError{compare.Unsupported, f.Reason}
	case f.Limit == "time":
		return &StoppedError{compare.TimedOut, f.Reason}
	case f.Limit != "":
		return &StoppedError{compare.Limited, f.Reason}
	case f.Stage == "gate":
		return &StoppedError{compare.GateFailed, f.Reason}
	}
	return &StoppedError{compare.Failed, f.Stage + ": " + f.Reason}
}

var interrupted = &StoppedError{compare.Interrupted, "before it was done"}

// Process runs each Job in a fresh process.
type Process struct {
	Path string   // of the executable; "" is the one of this process
	Args []string // of the hidden subcommand that calls Serve
}

// command returns the path of the executable and its first argument.
func (p Process) command() (path, name string, err error) {
	if p.Path != "" {
		return p.Path, p.Path, nil
	}
	path, err = os.Executable()
	return path, os.Args[0], err
}

// Run implements Runner.
func (p Process) Run(ctx context.Context, job Job, inputs []byte, emit func(Event)) error {
	path, name, err := p.command()
	if err != nil {
		return &StoppedError{compare.Died, "find the executable: " + err.Error()}
	}

	if job.Executable = nil; p.Path == "" {
		job.Executable = ownFile()
	}
	line, err := json.Marshal(job)
	if err != nil {
		return &StoppedError{compare.Died, err.Error()}
	}

	limited, cancel := context.WithTimeout(ctx, seconds(job.Deadline))
	defer cancel()
	limited, giveUp := context.WithCancelCause(limited)
	defer giveUp(nil)
	cmd := exec.CommandContext(limited, path, p.Args...)
	cmd.Args[0] = name
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(line, '\n')), bytes.NewReader(inputs))
	cmd.SysProcAttr = childAttr()
	cmd.WaitDelay = 2 * time.Second
	stderr := &stderrHead{}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return &StoppedError{compare.Died, err.Error()}
	}

	// The child dies with the thread that started it, so this goroutine keeps its thread until the child
	// has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unpin := func() {}
	if job.CPU != nil {
		if unpin, err = pin(*job.CPU); err != nil {
			return &StoppedError{compare.Failed, err.Error()}
		}
	}

	err = cmd.Start()
	unpin()
	if err != nil {
		if ctx.Err() != nil {
			return interrupted
		}
		return &StoppedError{compare.Died, err.Error()}
	}

	if job.Idle > 0 {
		go watch(limited, cmd.Process.Pid, seconds(job.Idle), func() { giveUp(errIdle) })
	}

	var done bool
	var failed *Failure
	var garbled error
	dec := json.NewDecoder(stdout)
	for {
		var e Event
		if err := dec.Decode(&e); err != nil {
			if !errors.Is(err, io.EOF) {
				garbled = err
				_, _ = io.Copy(io.Discard, stdout)
			}
			break
		}
		switch {
		case e.Type == "done":
			done = true
		case e.Failed != nil && e.Operation == "":
			failed = e.Failed
		default:
			emit(e)
		}
	}

	err = cmd.Wait()
	switch {
	case done && err == nil:
		return nil
	case ctx.Err() != nil:
		return interrupted
	case context.Cause(limited) == errIdle:
		return &StoppedError{compare.TimedOut,
			fmt.Sprintf("given up: it was stopped, or waited, and used no CPU time for %.3g s", job.Idle)}
	case limited.Err() != nil:
		return &StoppedError{compare.TimedOut, fmt.Sprintf("stopped at its deadline of %.3g s", job.Deadline)}
	case failed != nil:
		return failed.stopped()
	}

	if what := stderr.complaint(); strings.Contains(what, "out of memory") ||
		strings.Contains(what, "cannot allocate memory") {
		return &StoppedError{compare.OutOfMemory, fmt.Sprintf("needed more than its limit of %d MiB",
			job.Memory>>20)}
	} else if what != "" {
		return &StoppedError{compare.Died, what}
	}

	if garbled != nil {
		return &StoppedError{compare.Died, "its output is not an event: " + garbled.Error()}
	}

	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() && s.Signal() == syscall.SIGKILL {
			return &StoppedError{compare.Died, "killed from outside; perhaps the machine ran out of memory"}
		}
		return &StoppedError{compare.Died, exit.Error()}
	}

	return &StoppedError{compare.Died, "ended without saying done"}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

var errIdle = errors.New("idle")

// watch calls giveUp when a process has used no CPU time for the idle time, until ctx ends. It counts
// ticks, so that time does not count while this process is stopped with its child, or the machine sleeps.
func watch(ctx context.Context, pid int, idle time.Duration, giveUp func()) {
	const ticks = 20
	ticker := time.NewTicker(max(idle/ticks, time.Millisecond))
	defer ticker.Stop()
	last := int64(-1)
	for still := 0; still < ticks; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		switch used, ok := process.CPU(pid); {
		case !ok:
			return
		case used == last:
			still++
		default:
			last, still = used, 0
		}
	}
	giveUp()
}

// stderrHead keeps the first bytes that a child writes to standard error, where a dying Go program explains
// why.
type stderrHead struct{ buf bytes.Buffer }

func (t *stderrHead) Write(b []byte) (int, error) {
	t.buf.Write(b[:min(16<<10-t.buf.Len(), len(b))])
	return len(b), nil
}

// complaint is the line with the reason, or the first line.
func (t *stderrHead) complaint() string {
	first := ""
	for line := range strings.Lines(t.buf.String()) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") ||
			strings.HasPrefix(line, "runtime: out of memory") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
