package fleet

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// serverOf is the variable that makes this binary a server with a folder.
const serverOf = "CANONSCOPE_FLEET_SERVER"

// largest is the variable with the size in bytes that no file of that server may exceed.
const largest = "CANONSCOPE_FLEET_LARGEST"

// serveUntilEnd is a server until standard input ends, or it cannot write.
func serveUntilEnd(dir string) {
	if n, err := strconv.ParseUint(os.Getenv(largest), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			log.Fatal(err)
		}
	}
	s, err := Serve(ServerOptions{Dir: dir, Listen: "127.0.0.1:0", Store: 8 << 30, Log: func(text string) { log.Print(text) }})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.URL())
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); cancel() }()
	err = s.Wait(ctx)
	s.Close()
	if err != nil {
		log.Fatal(err)
	}
}

// serverProcess starts this binary as a server; end has it end, and returns what it said.
func serverProcess(t *testing.T, dir string, env ...string) (url string, end func() (string, *os.ProcessState)) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), serverOf+"="+dir), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceValues(func() (string, *os.ProcessState) {
		in.Close()
		_ = cmd.Wait()
		return said.String(), cmd.ProcessState
	})
	t.Cleanup(func() { end() })
	if url, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		text, _ := end()
		t.Fatal(err, text)
	}
	return strings.TrimSpace(url), end
}

// instant answers jobs at once.
type instant struct{}

func (instant) Run(_ context.Context, j measure.Job, _ []byte, emit func(measure.Event)) error {
	emit(measure.Event{Type: "hello", Hello: &measure.Hello{Binary: measure.BinaryHash(), CPUs: "0"}})
	if j.Kind == measure.Gate {
		work := map[compare.Operation]compare.Work{compare.Issue: {Estimate: 1000, Documents: 8}}
		emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: work, Drawn: []string{"drawn"}}})
		return nil
	}
	emit(measure.Event{Type: "run", Operation: compare.Issue, Run: &compare.Run{Ops: 1, CPU: 1000, Wall: 1000, Block: j.Block}})
	return nil
}

// crowd connects workers, each on a machine of its own as far as locks go; they measure nothing.
func crowd(t testing.TB, ctx context.Context, url string, workers int) (ended *sync.WaitGroup) {
	machines, conns := t.TempDir(), make([]*Conn, workers)
	var connecting sync.WaitGroup
	turns := make(chan struct{}, 32)
	for i := range workers {
		connecting.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			var err error
			if conns[i], err = Connect(ctx, Access{URL: url}, "worker"); err != nil {
				t.Error(err)
			}
		})
	}
	connecting.Wait()
	ended = &sync.WaitGroup{}
	for i, conn := range conns {
		if conn == nil {
			continue
		}
		w := &Worker{Conn: conn, Environment: "rack", Name: fmt.Sprint("w", i), Lease: DefaultLease, Runner: instant{},
			Log: func(text string) { t.Log(text) }, env: map[string]string{"cpu": "none"}, host: filepath.Join(machines, fmt.Sprint(i))}
		ended.Go(func() {
			defer conn.Close()
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	return ended
}

// freightOf is a campaign of batches of one job each.
func freightOf(jobs int) measure.Freight {
	f := measure.Freight{Campaign: "0123456789abcdef", Environment: "rack", Binary: measure.BinaryHash(), Rules: measure.Rules().Hash()}
	o := goodOrder()
	for i := range jobs {
		job := o.Batch.Jobs[0]
		job.Block = i
		f.Batches = append(f.Batches, measure.Batch{ID: fmt.Sprint("time-0-", i), Jobs: []measure.Job{job}})
	}
	return f
}

// submitted carries batches of one job each, and checks that each is answered once.
func submitted(t testing.TB, ctx context.Context, url string, jobs int, said func(answered int)) {
	conn, err := Connect(ctx, Access{URL: url}, "submitter")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	seen := make(map[string]int)
	err = (&Submitter{Conn: conn, Patience: 5 * time.Minute}).Carry(ctx, freightOf(jobs), func(r measure.Reply) {
		if r.Batch == "" {
			t.Log(r.Worker, r.Faults)
			return
		}
		if len(r.Answers) != 1 || r.Answers[0].Job == nil || len(r.Faults) > 0 {
			t.Errorf("%s of %s: %s, faults %q", r.Batch, r.Worker, r.Reason, r.Faults)
		}
		seen[r.Batch]++
		said(len(seen))
	})
	if err != nil {
		t.Error(err)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was answered %d times", id, n)
		}
	}
	if len(seen) != jobs {
		t.Errorf("%d of %d jobs were answered", len(seen), jobs)
	}
}

// BenchmarkCarry has eight workers, which measure nothing, answer batches of one job each.
func BenchmarkCarry(b *testing.B) {
	s, err := Serve(ServerOptions{Dir: b.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(b.Context())
	ended := crowd(b, ctx, s.URL(), 8)
	defer ended.Wait()
	defer cancel()
	b.ResetTimer()
	submitted(b, ctx, s.URL(), b.N, func(int) {})
	b.StopTimer()
}

// TestScale has a crowd answer batches of one job each, as fast as a server in a process of its own hands them out
// and stores replies: what it logs is the most that a server of this machine can do for so many. The sizes are
// CANONSCOPE_FLEET_WORKERS and CANONSCOPE_FLEET_JOBS.
func TestScale(t *testing.T) {
	if os.Getenv("CANONSCOPE_MACHINE") == "" {
		t.Skip("needs a machine that does nothing else: set CANONSCOPE_MACHINE=1")
	}
	size := func(name string, usual int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return usual
	}
	workers, jobs := size("CANONSCOPE_FLEET_WORKERS", 1000), size("CANONSCOPE_FLEET_JOBS", 20_000)

	dir := t.TempDir()
	url, end := serverProcess(t, dir)
	defer func() {
		said, p := end()
		if !p.Success() {
			t.Errorf("server: %v: %s", p, said)
		}
		t.Logf("server: at most %d MiB of memory, %v of CPU time", p.SysUsage().(*syscall.Rusage).Maxrss>>10,
			(p.UserTime() + p.SystemTime()).Round(time.Second))
	}()

	ctx, cancel := context.WithCancel(t.Context())
	begun := time.Now()
	ended := crowd(t, ctx, url, workers)
	defer ended.Wait()
	defer cancel()
	conn, err := Connect(ctx, Access{URL: url}, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for n := 0; n < workers && !t.Failed(); {
		all, err := conn.Workers(ctx)
		if n = len(all); err != nil || time.Since(begun) > 5*time.Minute {
			t.Fatalf("%d workers: %v", n, err)
		}
	}
	t.Logf("%d workers were there after %v", workers, time.Since(begun).Round(time.Millisecond))

	disk := int64(0)
	look := func() {
		size := int64(0)
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if info, err := d.Info(); err == nil {
					size += info.Size()
				}
			}
			return nil
		})
		disk = max(disk, size)
	}
	begun = time.Now()
	submitted(t, ctx, url, jobs, func(answered int) {
		if answered%(jobs/10) == 0 {
			look()
			t.Logf("%d jobs after %v", answered, time.Since(begun).Round(time.Second))
		}
	})
	took := time.Since(begun)
	t.Logf("%d workers, %d jobs in %v: %.0f jobs a second, %d MiB on the disk", workers, jobs, took.Round(time.Second),
		float64(jobs)/took.Seconds(), disk>>20)
}
