package foreign_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/schemas/contexts"
)

// child is the first argument of a test binary that is started again as an engine; the second says how it
// misbehaves.
const child = "child-of-a-test"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == child {
		os.Exit(misbehave(os.Args[2]))
	}
	os.Exit(m.Run())
}

var hello = foreign.Hello{Name: "toy", Version: "1", Language: "Go", Lineage: "canonscope",
	Can: []foreign.Ability{{Suite: "rdfc", Operations: []string{"canonize"}},
		{Suite: "jcs", Operations: []string{"canonize"}}}}

// behave serves as the native engine does it; wrong is done first at prepare, gate and run.
func behave(at string, wrong func(doc []byte) error) int {
	err := foreign.Serve(os.Stdin, os.Stdout, hello, func(t *foreign.Task) (foreign.Doer, error) {
		if at == "prepare" {
			if err := wrong(nil); err != nil {
				return nil, err
			}
		}
		loader := make(mapLoader)
		for url, b := range t.Contexts {
			loader[url] = b
		}
		e, err := engines.New(canon.Native, canon.Method(t.Suite), engines.Config{Loader: contexts.Chain(
			contexts.Given(loader), contexts.Given(known))})
		if err != nil {
			return nil, err
		}
		for url, b := range t.Contexts {
			known[url] = b
		}
		return func(i int, _ []byte) ([]byte, error) {
			if at == "gate" {
				if err := wrong(t.Documents[i]); err != nil {
					return nil, err
				}
			}
			form, err := e.Canonicalize(context.Background(), t.Documents[i],
				canon.Options{Input: canon.Input(t.Input), Hash: canon.Hash(t.Hash)})
			if err != nil {
				return nil, err
			}
			return form.Text, nil
		}, nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

type mapLoader = map[string][]byte

var known = make(mapLoader)

// answer reads a request and writes an answer with its id, for children that do not use Serve.
func answer(requests *bufio.Reader, format string) {
	line, err := requests.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var r struct{ ID int }
	_ = json.Unmarshal(line, &r)
	fmt.Println(strings.ReplaceAll(format, "ID", strconv.Itoa(r.ID)))
}

const goodHello = `{"id":ID,"hello":{"protocol":"canonscope-engine/1","name":"toy","version":"1","language":"Go"}}`

// misbehave is the main of a child.
func misbehave(how string) int {
	requests := bufio.NewReader(os.Stdin)
	scripted := func(answers ...string) int {
		answer(requests, goodHello)
		for _, a := range answers {
			answer(requests, a)
		}
		_, _ = io.Copy(io.Discard, requests)
		return 0
	}

	switch how {
	case "well":
		return behave("", nil)
	case "ends at once":
		return 0
	case "exits":
		fmt.Fprintln(os.Stderr, "configuration error: no licence\nbye")
		return 3
	case "ends as shells report a signal":
		return 128 + 11
	case "panics":
		return behave("prepare", func([]byte) error { panic("a bug\x1b[31m") })
	case "crashes on one document":
		return behave("gate", func(doc []byte) error {
			if bytes.Contains(doc, []byte("poison")) {
				panic("poisoned")
			}
			return nil
		})
	case "hangs at hello":
		select {}
	case "hangs at gate":
		return behave("gate", func([]byte) error { time.Sleep(time.Hour); return nil })
	case "ignores signals":
		signal.Ignore()
		return behave("gate", func([]byte) error { time.Sleep(time.Hour); return nil })
	case "spins":
		return behave("gate", func([]byte) error {
			for {
			}
		})
	case "does not read":
		answer(requests, goodHello)
		time.Sleep(time.Hour)
	case "leaves a child", "leaves a daemon", "ends before its child":
		cmd := exec.Command(os.Args[0], child, "sleeps")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: how == "leaves a daemon"}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return 9
		}
		if how == "ends before its child" {
			return 4
		}
		return behave("", nil)
	case "sleeps":
		time.Sleep(time.Hour)
	case "garbage":
		fmt.Println("Welcome to the engine!")
		time.Sleep(time.Hour)
	case "binary":
		_, _ = os.Stdout.Write([]byte{0, 1, 2, 255, 254, 27, '\n'})
		time.Sleep(time.Hour)
	case "half a line":
		fmt.Print(`{"id":1,"hel`)
		return 0
	case "no end of a line":
		answer(requests, goodHello)
		block := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if _, err := os.Stdout.Write(block); err != nil {
				return 0
			}
		}
	case "a flood of lines":
		answer(requests, goodHello)
		for {
			if _, err := fmt.Println(`{"id":1}`); err != nil {
				return 0
			}
		}
	case "a flood of words":
		for range 2000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 100))
		}
		return behave("", nil)
	case "memory":
		return behave("gate", func([]byte) error {
			var all [][]byte
			for {
				all = append(all, make([]byte, 16<<20))
			}
		})
	case "another protocol":
		return only(requests, strings.ReplaceAll(goodHello, "engine/1", "engine/2"))
	case "no hello":
		return only(requests, `{"id":ID}`)
	case "null":
		return only(requests, `null`)
	case "deep":
		return only(requests, strings.Repeat("[", 20_000))
	case "another id":
		return scripted(`{"id":77}`)
	case "answers twice":
		return scripted("{\"id\":ID}\n{\"id\":ID}", `{"id":ID}`)
	case "closes its output":
		answer(requests, goodHello)
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "impossible times":
		return scripted(`{"id":ID}`, `{"id":ID}`, `{"id":ID,"ran":{"wall_ns":[1,-5]}}`)
	case "times of years":
		return scripted(`{"id":ID}`, `{"id":ID}`, `{"id":ID,"ran":{"wall_ns":[1,9000000000000000000]}}`)
	case "times that are no numbers":
		return scripted(`{"id":ID}`, `{"id":ID}`, `{"id":ID,"ran":{"wall_ns":[NaN,1]}}`)
	case "ages of CPU time":
		return scripted(`{"id":ID}`, `{"id":ID}`, `{"id":ID,"ran":{"wall_ns":[1,1],"cpu_ns":9000000000000000000}}`)
	case "ages of collection":
		return scripted(`{"id":ID}`, `{"id":ID}`, `{"id":ID,"ran":{"wall_ns":[1,1],"gc_ns":9000000000000000000}}`)
	case "times of nothing":
		answer(requests, goodHello)
		answer(requests, `{"id":ID}`)
		answer(requests, `{"id":ID}`)
		time.Sleep(1100 * time.Millisecond)
		return only(requests, `{"id":ID,"ran":{"wall_ns":[0,0]}}`)
	case "a long hello":
		return only(requests, strings.Replace(goodHello, "toy", strings.Repeat("toy", 100_000), 1))
	case "a long error":
		return scripted(`{"id":ID,"error":{"kind":"surprise","message":"` + strings.Repeat("a long story ", 10_000) + `"}}`)
	case "too few times":
		return scripted(`{"id":ID}`, `{"id":ID}`, `{"id":ID,"ran":{"wall_ns":[1]}}`)
	case "no times":
		return scripted(`{"id":ID}`, `{"id":ID}`, `{"id":ID}`)
	case "dials":
		return behave("prepare", func([]byte) error {
			c, err := net.DialTimeout("tcp", os.Args[3], time.Second)
			if err == nil {
				c.Close()
				return nil
			}
			return err
		})
	}
	return 8
}

func only(requests *bufio.Reader, first string) int {
	answer(requests, first)
	_, _ = io.Copy(io.Discard, requests)
	return 0
}

func command(how string, more ...string) foreign.Command {
	return foreign.Command{Engine: "exec:toy", Words: append([]string{os.Args[0], child, how}, more...)}
}

// quick are limits that a test need not wait for long; nothing but a hang reaches them.
var quick = foreign.Limits{Hello: 2 * time.Minute, Call: 2 * time.Minute, Output: 2 << 20, Memory: memory()}

// memory is a limit for a child, which is a test binary. The race detector takes many terabytes.
func memory() int64 {
	if raced {
		return 1 << 50
	}
	return 400 << 20
}

var ctx = context.Background()

// exchange does everything that a campaign asks of a child.
func exchange(c foreign.Command, l foreign.Limits) (*foreign.Child, error) {
	engine, err := foreign.Start(ctx, c, l)
	if err != nil {
		return nil, err
	}
	task := &foreign.Task{Operation: "canonize", Suite: "jcs",
		Documents: [][]byte{[]byte(`{"b":1,"a":"` + strings.Repeat("x", 1<<20) + `"}`), []byte(`{"b":2, "a":1}`)}}
	if err := engine.Prepare(ctx, task); err != nil {
		return engine, err
	}
	if _, err := engine.Gate(ctx, 1, nil); err != nil {
		return engine, err
	}
	_, err = engine.Run(ctx, foreign.Lap{Count: 2})
	return engine, err
}

// Every child that misbehaves has an outcome with a name, in the time that it is given, and leaves nothing
// behind.
func TestMisbehaving(t *testing.T) {
	mute, short := quick, quick
	mute.Hello, short.Call = 2*time.Second, 5*time.Second
	for how, want := range map[string]struct {
		state   foreign.State
		outcome compare.State
		words   string // in the error
		limits  *foreign.Limits
	}{
		"ends at once":                   {foreign.Ended, compare.Died, "at hello: exit status 0", nil},
		"ends as shells report a signal": {foreign.Crashed, compare.Died, "exit status 139, by which shells report signal 11 (segmentation fault)", nil},
		"exits":                          {foreign.Crashed, compare.Died, "exit status 3; its last words: configuration error: no licence", nil},
		"panics":                         {foreign.Crashed, compare.Died, `panic: a bug`, nil},
		"hangs at hello":                 {foreign.Hung, compare.TimedOut, "no answer within 2s", &mute},
		"hangs at gate":                  {foreign.Hung, compare.TimedOut, "no answer within 5s", &short},
		"spins":                          {foreign.Hung, compare.TimedOut, "no answer within 5s", &short},
		"does not read":                  {foreign.Hung, compare.TimedOut, "at prepare", &short},
		"ends before its child":          {foreign.Crashed, compare.Died, "exit status 4", nil},
		"garbage":                        {foreign.Garbage, compare.Failed, "Welcome to the engine!", nil},
		"binary":                         {foreign.Garbage, compare.Failed, `\u`, nil},
		"half a line":                    {foreign.Ended, compare.Died, "cut short", nil},
		"no end of a line":               {foreign.TooMuch, compare.Died, "more than 2097152 bytes", nil},
		"a flood of lines":               {foreign.Garbage, compare.Failed, "request 1, not to 2", nil},
		"memory":                         {foreign.OutOfMemory, compare.OutOfMemory, "its limit is 400 MiB", nil},
		"another protocol":               {foreign.Garbage, compare.Failed, "canonscope-engine/2", nil},
		"no hello":                       {foreign.Garbage, compare.Failed, "without hello", nil},
		"null":                           {foreign.Garbage, compare.Failed, "request 0, not to 1", nil},
		"deep":                           {foreign.Garbage, compare.Failed, "[[[", nil},
		"another id":                     {foreign.Garbage, compare.Failed, "request 77", nil},
		"answers twice":                  {foreign.Garbage, compare.Failed, "request 2, not to 3", nil},
		"closes its output":              {foreign.Garbage, compare.Failed, "closed its standard input or output", nil},
		"impossible times":               {foreign.Garbage, compare.Failed, "-5 ns", nil},
		"times of years":                 {foreign.Garbage, compare.Failed, "9000000000000000000 ns", nil},
		"times that are no numbers":      {foreign.Garbage, compare.Failed, "[NaN,1]", nil},
		"ages of CPU time":               {foreign.Garbage, compare.Failed, "9000000000000000000 ns of CPU time", nil},
		"ages of collection":             {foreign.Garbage, compare.Failed, "9000000000000000000 of the collector", nil},
		"a long hello":                   {foreign.TooMuch, compare.Died, "more than 65536 bytes", nil},
		"ignores signals":                {foreign.Hung, compare.TimedOut, "no answer within 5s", &short},
		"too few times":                  {foreign.Garbage, compare.Failed, "2 operations", nil},
		"no times":                       {foreign.Garbage, compare.Failed, "2 operations", nil},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			if how == "memory" && (raced || runtime.GOOS != "linux") {
				t.Skip("no limit of memory here")
			}
			limits := quick
			if want.limits != nil {
				limits = *want.limits
			}
			engine, err := exchange(command(how), limits)
			var fault *foreign.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("%v", err)
			}
			if fault.State != want.state || fault.Outcome() != want.outcome || !strings.Contains(err.Error(), want.words) {
				t.Errorf("%s, %s: %v", fault.State, fault.Outcome(), err)
			}
			if strings.ContainsAny(err.Error(), "\x1b\x00\n") {
				t.Errorf("not printable: %q", err)
			}
			if engine != nil {
				if _, again := engine.Gate(ctx, 0, nil); again != err {
					t.Errorf("the next call: %v", again)
				}
				engine.Close()
			}
		})
	}
}

// What does not exist or is not a program is an outcome as well.
func TestNotStarted(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("not a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{script}, {filepath.Join(t.TempDir(), "missing")}} {
		_, err := foreign.Start(ctx, foreign.Command{Engine: "exec:toy", Words: words}, quick)
		var fault *foreign.Fault
		if !errors.As(err, &fault) || fault.State != foreign.NotStarted {
			t.Errorf("%v", err)
		}
	}
	c, err := foreign.Parse("exec:no-such-engine")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find(); err == nil || !strings.Contains(err.Error(), "exec:no-such-engine=COMMAND") {
		t.Errorf("%v", err)
	}
}

// A child that writes much to standard error, or has children, is served all the same, and takes them along.
func TestWell(t *testing.T) {
	processes := ""
	for _, how := range []string{"well", "a flood of words", "leaves a child", "leaves a daemon"} {
		if how == "leaves a daemon" && processes != "end with it" {
			continue // the bounds say that it may outlive the engine here
		}
		engine, err := exchange(command(how), quick)
		if err != nil {
			t.Fatal(how, err)
		}
		out, err := engine.Gate(ctx, 1, nil)
		if string(out) != `{"a":1,"b":2}` || err != nil {
			t.Errorf("%s: %s %v", how, out, err)
		}
		processes = engine.Bounds().Processes
		engine.Close()
	}
	if left := sleepers(t); len(left) > 0 {
		t.Errorf("these live on: %v", left)
	}
}

// The CPU time of a command is that of the engine which it starts.
func TestStartsTheEngine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the CPU time of a process alone is known here")
	}
	engine, err := exchange(foreign.Command{Engine: "exec:toy",
		Words: []string{"sh", "-c", `"$0" ` + child + " well; true", os.Args[0]}}, quick)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	ran, err := engine.Run(ctx, foreign.Lap{Count: 10})
	if err != nil || ran.CPU <= 0 {
		t.Errorf("%+v, %v", ran, err)
	}
}

// Times that leave most of a run unexplained are noted.
func TestTimesOfNothing(t *testing.T) {
	t.Parallel()
	engine, err := foreign.Start(ctx, command("times of nothing"), quick)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Prepare(ctx, &foreign.Task{Suite: "jcs", Documents: [][]byte{[]byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Gate(ctx, 0, nil); err != nil {
		t.Fatal(err)
	}
	ran, err := engine.Run(ctx, foreign.Lap{Count: 2})
	if err != nil || !strings.Contains(ran.Note, "the times of the engine are 0.0 ms of a run of") {
		t.Errorf("%+v, %v", ran, err)
	}
}

// An error is kept with a kind of the protocol and a message of some length, whatever an engine writes.
func TestLongError(t *testing.T) {
	engine, err := exchange(command("a long error"), quick)
	var problem *foreign.Problem
	if !errors.As(err, &problem) || problem.Kind != foreign.Failed || len(problem.Message) > 2100 {
		t.Errorf("%.200v", err)
	}
	engine.Close()
}

// sleepers are the processes of this binary that sleep, once they had time to end.
func sleepers(t *testing.T) (left []string) {
	if runtime.GOOS != "linux" {
		t.Skip("no list of processes here")
	}
	for range 100 {
		left = nil
		all, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			line, err := os.ReadFile(name)
			if err == nil && bytes.HasPrefix(line, []byte(os.Args[0]+"\x00"+child+"\x00")) &&
				bytes.Contains(line, []byte("sleeps")) {
				left = append(left, name)
			}
		}
		if left == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return left
}

// A child that is killed from outside, and one whose parent gives up, are outcomes.
func TestKilled(t *testing.T) {
	engine, err := exchange(command("well"), quick)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(foreign.Pid(engine), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, err = engine.Gate(ctx, 0, nil)
	var fault *foreign.Fault
	if !errors.As(err, &fault) || fault.State != foreign.Crashed || !strings.Contains(err.Error(), "signal 9 (killed) from outside") {
		t.Errorf("%v", err)
	}

	limited, cancel := context.WithCancel(ctx)
	if engine, err = foreign.Start(ctx, command("hangs at gate"), quick); err != nil {
		t.Fatal(err)
	}
	if err := engine.Prepare(ctx, &foreign.Task{Suite: "jcs", Documents: [][]byte{[]byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err = engine.Gate(limited, 0, nil); !errors.As(err, &fault) || fault.State != foreign.Interrupted {
		t.Errorf("%v", err)
	}
}

// A child reaches no server where the system can deny it, and the bounds say so where it cannot.
func TestNoNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	engine, err := exchange(command("dials", l.Addr().String()), quick)
	if engine == nil {
		t.Fatal(err)
	}
	defer engine.Close()
	bounds := engine.Bounds()
	t.Logf("%+v", bounds)
	if denied := bounds.Network == "denied"; denied != (err != nil) {
		t.Errorf("network %s, and the child got %v", bounds.Network, err)
	}
}

// A foreign engine gives the forms of the engine that it is, contexts included, and a crash costs one
// document alone.
func TestCanonicalizer(t *testing.T) {
	native, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		t.Fatal(err)
	}
	engine := foreign.New(command("crashes on one document"), contexts.Embedded(), quick)
	defer engine.Close()
	e := &foreign.Canonicalizer{Engine: engine, Method: canon.RDFC}
	doc := func(name string) []byte {
		return []byte(`{"@context":["https://www.w3.org/ns/credentials/v2","https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"],
			"type":["VerifiableCredential","OpenBadgeCredential"],"id":"urn:x:1","name":"` + name + `"}`)
	}
	for _, name := range []string{"first", "second", "poison", "third"} {
		form, err := e.Canonicalize(ctx, doc(name), canon.Options{})
		if name == "poison" {
			var fault *foreign.Fault
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), "panic: poisoned") {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := native.Canonicalize(ctx, doc(name), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(form.Text, want.Text) || form.Lines != want.Lines || form.Lines == 0 {
			t.Errorf("%s: %d lines, want %d", name, form.Lines, want.Lines)
		}
	}

	_, err = e.Canonicalize(ctx, []byte("{"), canon.Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "exec:toy: JSON line 1") {
		t.Errorf("%v", err)
	}

	hangs := &foreign.Canonicalizer{Engine: foreign.New(command("hangs at gate"), nil, quick), Method: canon.JCS}
	defer hangs.Close()
	_, err = hangs.Canonicalize(ctx, []byte("{}"), canon.Options{Limits: canon.Limits{Time: time.Second}})
	var limit *canon.LimitError
	if !errors.As(err, &limit) || limit.Limit != "time" {
		t.Errorf("%v", err)
	}
}
