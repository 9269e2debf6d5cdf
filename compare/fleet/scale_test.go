package fleet

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/measure"
)

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

// TestScale carries batches of one job each between one submitter and workers that measure nothing, all in this
// process with the server: what it logs is the most that a server of this machine can do. The sizes are
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
	workers, jobs := size("CANONSCOPE_FLEET_WORKERS", 50), size("CANONSCOPE_FLEET_JOBS", 2000)

	dir, machines := t.TempDir(), t.TempDir()
	s, err := Serve(ServerOptions{Dir: dir, Listen: "127.0.0.1:0", Store: 8 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	begun := time.Now()
	for i := range workers {
		conn, err := Connect(ctx, Access{URL: s.URL()}, "worker")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		w := &Worker{Conn: conn, Environment: "rack", Name: fmt.Sprint("w", i), Lease: DefaultLease, Runner: instant{}, Log: func(text string) { t.Log(text) },
			host: filepath.Join(machines, fmt.Sprint(i))}
		all.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	t.Logf("%d workers connected after %v", workers, time.Since(begun).Round(time.Millisecond))

	freight := measure.Freight{Campaign: "0123456789abcdef", Environment: "rack", Binary: measure.BinaryHash(), Rules: measure.Rules().Hash()}
	for i := range jobs {
		o := goodOrder()
		o.Batch.ID, o.Batch.Jobs[0].Block = fmt.Sprint("time-0-", i), i
		freight.Batches = append(freight.Batches, o.Batch)
	}
	conn, err := Connect(ctx, Access{URL: s.URL()}, "submitter")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	var most uint64
	var disk int64
	look := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.Sys)
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
	seen := make(map[string]int)
	begun = time.Now()
	err = (&Submitter{Conn: conn, Patience: 5 * time.Minute}).Carry(ctx, freight, func(r measure.Reply) {
		if r.Batch == "" {
			t.Log(r.Faults)
			return
		}
		if len(r.Answers) != 1 || r.Answers[0].Job == nil {
			t.Errorf("%s: %s", r.Batch, r.Reason)
		}
		if seen[r.Batch]++; len(seen)%(jobs/10) == 0 {
			look()
			t.Logf("%d jobs after %v", len(seen), time.Since(begun).Round(time.Second))
		}
	})
	took := time.Since(begun)
	look()
	if err != nil {
		t.Error(err)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was answered %d times", id, n)
		}
	}
	t.Logf("%d workers, %d of %d jobs in %v: %.0f jobs a second, %d MiB of memory from the system, %d MiB on the disk", workers, len(seen), jobs,
		took.Round(time.Second), float64(len(seen))/took.Seconds(), most>>20, disk>>20)
	if len(seen) != jobs {
		t.Error("jobs are lost")
	}
}
