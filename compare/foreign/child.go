package foreign

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare/internal/process"
)

// Child is an engine in another process. One goroutine at a time may call it. After a [*Fault] it is dead,
// with all that it started, and every further call returns that Fault.
type Child struct {
	engine canon.Engine
	limits Limits
	hello  Hello

	cmd    *exec.Cmd
	stdin  *os.File
	lines  *bufio.Reader
	words  *tail
	ended  chan struct{} // closed when the child is no more
	err    error         // of Wait, once ended
	whole  chan struct{} // closed when standard error has ended
	bounds Bounds

	id    int
	fault *Fault

	mu   sync.Mutex
	stop *Fault // why it was killed
}

// Bounds are what the system keeps from a child: without a bound the reason is here.
type Bounds struct {
	Network   string `json:"network"`   // "denied", or why it is not
	Memory    string `json:"memory"`    // the limit, or why there is none
	Processes string `json:"processes"` // what the child starts: "end with it", or which do not
}

// Start starts the process of a command, which [Command.Find] has completed, and asks for its hello.
func Start(ctx context.Context, c Command, l Limits) (*Child, error) {
	if len(c.Words) == 0 {
		var err error
		if c, err = c.Find(); err != nil {
			return nil, err
		}
	}
	child := &Child{engine: c.Engine, limits: l.withDefaults(), words: new(tail), ended: make(chan struct{}),
		whole: make(chan struct{})}
	if err := child.start(c.Words); err != nil {
		child.fault = &Fault{Engine: c.Engine, State: NotStarted, Why: err.Error()}
		return nil, child.fault
	}

	answer, err := child.call(ctx, Request{Do: doHello, Protocol: Protocol}, child.limits.Hello)
	if err != nil {
		child.Close()
		return nil, err
	}
	switch h := answer.Hello; {
	case h == nil:
		err = child.die(doHello, Garbage, "an answer without hello")
	case h.Protocol != Protocol:
		err = child.die(doHello, Garbage, fmt.Sprintf("it speaks %q, not %s", h.Protocol, Protocol))
	default:
		child.hello = *h
	}
	return child, err
}

// start starts the process with three pipes, in the strictest surroundings that the system allows.
func (c *Child) start(words []string) error {
	var files [6]*os.File // pairs of ends: of the child and of this process
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		files[2*i], files[2*i+1] = r, w
	}
	in, out, errs := files[0:2], files[2:4], files[4:6]

	started := make(chan error, 1)
	go c.own(words, in[0], out[1], errs[1], started)
	err := <-started
	for _, f := range []*os.File{in[0], out[1], errs[1]} {
		f.Close()
	}
	if err != nil {
		for _, f := range []*os.File{in[1], out[0], errs[0]} {
			f.Close()
		}
		return err
	}

	c.stdin, c.lines = in[1], bufio.NewReaderSize(out[0], 64<<10)
	go func() {
		_, _ = io.Copy(c.words, errs[0])
		close(c.whole)
	}()
	go func() { // what outlives the child may hold its pipes open
		<-c.ended
		time.Sleep(patience)
		errs[0].Close()
		out[0].Close()
	}()
	return nil
}

// Values of [Bounds.Processes].
const (
	endWithIt = "end with it"
	outlive   = "end with it, unless they leave its process group"
)

// patience is the time for a child to end, and for the pipes of one that has ended.
const patience = time.Second

// own starts the process and stays until it has ended. A child dies with the thread that started it, so
// this goroutine keeps its thread. What the child started is killed with it.
func (c *Child) own(words []string, in, out, errs *os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	for _, s := range surroundings() {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = in, out, errs, s.attr
		if err = cmd.Start(); err == nil {
			c.cmd, c.bounds.Network, c.bounds.Processes = cmd, s.network, outlive
			if s.network == denied {
				c.bounds.Processes = endWithIt // its namespaces are of both
			}
			break
		}
		if !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.EINVAL) &&
			!errors.Is(err, syscall.ENOSPC) {
			break
		}
	}
	if err != nil {
		started <- err
		return
	}

	c.bounds.Memory = limitMemory(c.cmd.Process.Pid, c.limits.Memory)
	started <- nil
	c.err = c.reap()
	close(c.ended)
}

// killAll kills the process group of the child.
func (c *Child) killAll() { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }

// kill kills the child for a reason, unless there is one already.
func (c *Child) kill(why *Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.ended:
		return
	default:
	}
	if c.stop == nil {
		c.stop = why
	}
	c.killAll()
}

// Hello is what the child said first.
func (c *Child) Hello() Hello { return c.hello }

// Bounds are what the system keeps from the child.
func (c *Child) Bounds() Bounds { return c.bounds }

// CPU is the CPU time that the child and what it started have used, by the clock of the system, if there is
// one.
func (c *Child) CPU() (time.Duration, bool) {
	ns, ok := process.Tree(c.cmd.Process.Pid)
	return time.Duration(ns), ok
}

// Prepare gives the child a task.
func (c *Child) Prepare(ctx context.Context, t *Task) error {
	_, err := c.call(ctx, Request{Do: doPrepare, Task: t}, c.limits.Call)
	return err
}

// Gate does the operation of the task once, on a document, and returns its output.
func (c *Child) Gate(ctx context.Context, document int, input []byte) ([]byte, error) {
	a, err := c.call(ctx, Request{Do: doGate, Index: document, Input: input}, c.limits.Call)
	if err != nil {
		return nil, err
	}
	return a.Output, nil
}

// Run does the operation of the task on the documents in turn. The times are those of the child; [Ran] is
// checked for what cannot be.
func (c *Child) Run(ctx context.Context, l Lap) (*Ran, error) {
	before, _ := c.CPU()
	start := time.Now()
	a, err := c.call(ctx, Request{Do: doRun, Run: &l}, c.limits.Call)
	took := int64(time.Since(start))
	if err != nil {
		return nil, err
	}
	if a.Ran == nil || len(a.Ran.Wall) != l.Count {
		return nil, c.die(doRun, Garbage, fmt.Sprintf("it did not answer with the times of %d operations",
			l.Count))
	}

	sum := int64(0)
	for _, ns := range a.Ran.Wall {
		if ns < 0 || ns > took {
			return nil, c.die(doRun, Garbage, fmt.Sprintf("an operation of %d ns in a run of %d", ns, took))
		}
		sum += ns
	}
	if sum > took {
		return nil, c.die(doRun, Garbage, fmt.Sprintf("operations of %d ns in a run of %d", sum, took))
	}
	most := took*int64(runtime.NumCPU()) + int64(leastApart)
	if r := a.Ran; r.CPU < 0 || r.CPU > most || r.GC < 0 || r.GC > most || r.Peak < 0 {
		return nil, c.die(doRun, Garbage, fmt.Sprintf("%d ns of CPU time, %d of the collector and %d bytes "+
			"in a run of %d ns", r.CPU, r.GC, r.Peak, took))
	}
	if l.Warm == 0 && !l.Profile && took > int64(time.Second) && sum < took/4 {
		a.Ran.Note = fmt.Sprintf("the times of the engine are %.1f ms of a run of %.1f", float64(sum)/1e6,
			float64(took)/1e6)
	}
	if after, ok := c.CPU(); ok && after > before {
		a.Ran.agree(int64(after-before), l.Warm)
	}
	return a.Ran, nil
}

// The CPU time of a child and that of the system may differ by a share, or by what reading a request and
// writing an answer takes.
const (
	mostApart  = 0.05
	leastApart = 20 * time.Millisecond
)

// agree compares the CPU time of the child with that of the system, which is taken if they disagree. The
// system's has warm-up operations in it.
func (r *Ran) agree(system int64, warm int) {
	switch apart := system - r.CPU; {
	case r.CPU == 0:
		r.CPU = system
	case (warm == 0 || apart < 0) &&
		max(apart, -apart) > max(int64(mostApart*float64(system)), int64(leastApart)):
		if r.Note != "" {
			r.Note += "; "
		}
		r.Note += fmt.Sprintf("the engine counts %.1f ms of CPU time, the system %.1f, which is taken",
			float64(r.CPU)/1e6, float64(system)/1e6)
		r.CPU = system
	}
}

// Close ends the child and all that it started.
func (c *Child) Close() error {
	if c.cmd == nil {
		return nil
	}
	if c.fault == nil {
		_, _ = c.call(context.Background(), Request{Do: doBye}, patience)
		c.stdin.Close()
		select {
		case <-c.ended:
		case <-time.After(patience):
		}
		c.fault = &Fault{Engine: c.engine, State: Ended, Why: "it was closed"}
	} else {
		c.stdin.Close()
	}
	c.kill(nil)
	<-c.ended
	return nil
}

// call writes a request and reads its answer, within a time. A [*Problem] is the child's answer; every other
// error is a Fault, which ends the child.
func (c *Child) call(ctx context.Context, r Request, within time.Duration) (*Answer, error) {
	if c.fault != nil {
		return nil, c.fault
	}
	c.id++
	r.ID = c.id
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}

	timer := time.AfterFunc(within, func() {
		c.kill(&Fault{State: Hung, Why: fmt.Sprintf("no answer within %v", within)})
	})
	defer timer.Stop()
	defer context.AfterFunc(ctx, func() {
		c.kill(interruption(ctx))
	})()

	// A child that answers before it has read, or closes its output, must not make the parent wait.
	written := make(chan error, 1)
	go func(line []byte) {
		_, err := c.stdin.Write(line)
		written <- err
	}(append(line, '\n'))
	most := c.limits.Output
	if r.Do == doHello {
		most = min(most, mostHello)
	}
	line, err = c.line(most)
	switch {
	case errors.Is(err, errTooLong):
		return nil, c.die(r.Do, TooMuch, fmt.Sprintf("more than %d bytes in one line", most))
	case err != nil && len(line) > 0:
		return nil, c.die(r.Do, "", "its answer is cut short")
	case err != nil:
		return nil, c.die(r.Do, "", "")
	}

	var a Answer
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, c.die(r.Do, Garbage, printable.Line(string(line[:min(len(line), 80)])))
	}
	if a.ID != r.ID {
		return nil, c.die(r.Do, Garbage, fmt.Sprintf("an answer to request %d, not to %d", a.ID, r.ID))
	}
	if <-written != nil {
		return nil, c.die(r.Do, "", "")
	}
	if a.Error != nil {
		return nil, a.Error.bounded()
	}
	return &a, nil
}

// interruption is the fault of a context that has ended.
func interruption(ctx context.Context) *Fault {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Fault{State: Hung, Why: "no answer before the deadline of the operation"}
	}
	return &Fault{State: Interrupted}
}

var errTooLong = errors.New("too long")

// mostHello bounds the bytes of the first answer, which results keep.
const mostHello = 64 << 10

// line reads a line of at most so many bytes without its end.
func (c *Child) line(most int) ([]byte, error) {
	var line []byte
	for {
		part, err := c.lines.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, errTooLong
		}
		line = append(line, part...)
		if err == nil {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// die kills the child and makes its Fault: of a state, unless it is known why the child has ended.
func (c *Child) die(doing string, state State, why string) *Fault {
	if state != "" {
		c.kill(&Fault{State: state, Why: why})
	} else {
		select { // it closed a pipe: mostly it is about to end
		case <-c.ended:
		case <-time.After(patience):
			c.kill(&Fault{State: Garbage, Why: "it closed its standard input or output"})
		}
	}
	<-c.ended
	<-c.whole

	c.mu.Lock()
	f := c.stop
	c.mu.Unlock()
	if f == nil {
		f = c.exit(why)
	}
	f.Engine, f.Doing, f.Words = c.engine, doing, c.words.last()
	if f.State != Hung && f.State != Interrupted && outOfMemory(c.words.String()) {
		f.State, f.Why = OutOfMemory, "its limit is "+c.bounds.Memory
	}
	c.fault = f
	return f
}

// exit is the fault of a child that ended, as the system reports it.
func (c *Child) exit(why string) *Fault {
	var exit *exec.ExitError
	if !errors.As(c.err, &exit) {
		return &Fault{State: Ended, Why: because(why, endedText)}
	}

	text := exit.Error()
	const shells = 128 // what they add to the number of the signal that ended a command
	s, ok := exit.Sys().(syscall.WaitStatus)
	switch {
	case ok && s.Signaled() && s.Signal() == syscall.SIGKILL:
		text = signalText(s.Signal()) + " from outside; perhaps the machine ran out of memory"
	case ok && s.Signaled():
		text = signalText(s.Signal())
	case ok && s.ExitStatus() > shells && s.ExitStatus() < shells+65:
		text += ", by which shells report " + signalText(syscall.Signal(s.ExitStatus()-shells))
	}
	return &Fault{State: Crashed, Why: because(why, text)}
}

func because(why, text string) string {
	if why != "" {
		text = why + "; " + text
	}
	return text
}

func signalText(s syscall.Signal) string { return fmt.Sprintf("signal %d (%v)", int(s), s) }

// complaints are what runtimes write when memory ends.
var complaints = []string{"out of memory", "cannot allocate memory", "outofmemoryerror", "memoryerror",
	"bad_alloc", "insufficient memory"}

func outOfMemory(words string) bool {
	words = strings.ToLower(words)
	for _, c := range complaints {
		if strings.Contains(words, c) {
			return true
		}
	}
	return false
}

// tail keeps the first and the last bytes that are written to it.
type tail struct {
	mu          sync.Mutex
	first, rest []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if room := tailBytes - len(t.first); room > 0 {
		t.first = append(t.first, b[:min(room, len(b))]...)
		b = b[min(room, len(b)):]
	}
	t.rest = append(t.rest, b...)
	if len(t.rest) > tailBytes {
		t.rest = append([]byte(nil), t.rest[len(t.rest)-tailBytes:]...)
	}
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.first) + string(t.rest)
}

var errorLine = regexp.MustCompile(`(?i)error|panic`)

// last is the line that says most: the first with the word error or panic, or else the last.
func (t *tail) last() string {
	last := ""
	for line := range strings.Lines(t.String()) {
		line = strings.TrimSpace(line)
		if line != "" {
			last = line
		}
		if errorLine.MatchString(line) {
			break
		}
	}
	if len(last) > 200 {
		last = strings.ToValidUTF8(last[:200], "") + "…"
	}
	return last
}
