package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"canonscope/compare"
	"canonscope/compare/fleet"
	"canonscope/compare/measure"
)

// serve starts a server that the test may restart.
func serve(t *testing.T, o fleet.ServerOptions) *fleet.Server {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	o.Log = func(text string) { t.Log("server:", text) }
	s, err := fleet.Serve(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func connect(t *testing.T, a fleet.Access) *fleet.Conn {
	t.Helper()
	c, err := fleet.Connect(t.Context(), a, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// runner answers jobs in this process.
type runner func(context.Context, measure.Job, func(measure.Event)) error

func (f runner) Run(ctx context.Context, j measure.Job, _ []byte, emit func(measure.Event)) error {
	emit(measure.Event{Type: "hello", Hello: &measure.Hello{Binary: measure.BinaryHash(), CPUs: "0"}})
	return f(ctx, j, emit)
}

// steady answers each job in the same way.
func steady(_ context.Context, j measure.Job, emit func(measure.Event)) error {
	if j.Kind == measure.Gate {
		work := map[compare.Operation]compare.Work{compare.Issue: {Estimate: 1000, Documents: j.Documents}}
		emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: work, Drawn: []string{"drawn"}}})
		return nil
	}
	for _, op := range j.Operations {
		emit(measure.Event{Type: "run", Operation: op, Run: &compare.Run{Ops: 1, CPU: 1000, Wall: 1000, Block: j.Block, First: j.First, Ending: compare.Counted}})
	}
	return nil
}

// start starts a worker on a machine of its own; stop ends it and waits.
func start(t *testing.T, url, env, name string, run runner) (stop func(), ended chan error) {
	t.Helper()
	w := &fleet.Worker{Conn: connect(t, fleet.Access{URL: url}), Environment: env, Name: name, Lease: time.Second,
		Runner: run, Log: func(text string) { t.Log(name+":", text) }}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended = make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(stop)
	return stop, ended
}

func cells(n int) (all []compare.Cell) {
	for i := range n {
		all = append(all, compare.Cell{Format: "vcdm", Suite: fmt.Sprint("s", i), Engine: "native", Algorithm: "none", Schema: fmt.Sprint("c", i%4),
			Operation: compare.Issue, GC: "100", Procs: 1, Contexts: "warm"})
	}
	return all
}

func plan(n int) measure.Plan {
	return measure.Plan{Cells: cells(n), Environment: "rack", Seed: 3, Documents: 8, Window: compare.Window{N: 1}, Runs: 3, Deadline: time.Minute,
		Memory: 1 << 30, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Rules: measure.Rules()}
}

// submit runs a campaign to its end.
func submit(t *testing.T, url string, p measure.Plan, dir string) (*compare.Campaign, error) {
	t.Helper()
	return submitHearing(t, url, p, dir, func(string) {})
}

// hearing is a Submitter whose faults are heard.
type hearing struct {
	*fleet.Submitter
	heard func(fault string)
}

func (h hearing) Carry(ctx context.Context, f measure.Freight, heard func(measure.Reply)) error {
	return h.Submitter.Carry(ctx, f, func(r measure.Reply) {
		heard(r)
		for _, fault := range r.Faults {
			h.heard(fault)
		}
	})
}

func submitHearing(t *testing.T, url string, p measure.Plan, dir string, heard func(string)) (*compare.Campaign, error) {
	t.Helper()
	folder, err := measure.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s := &fleet.Submitter{Conn: connect(t, fleet.Access{URL: url}), Patience: 20 * time.Second}
	return measure.Dispatch(t.Context(), p, hearing{s, heard}, folder, nil)
}

// complete checks that each process of each cell is there once, and nothing is left at the server.
func complete(t *testing.T, url string, c *compare.Campaign, p measure.Plan) {
	t.Helper()
	if c.Interrupted || c.Stopped != "" || len(c.Results) != len(p.Cells) {
		t.Fatalf("interrupted %v, stopped %q, %d cells", c.Interrupted, c.Stopped, len(c.Results))
	}
	for _, r := range c.Results {
		blocks := make(map[int]int)
		for _, run := range r.Runs {
			blocks[run.Block]++
		}
		if r.State != compare.Measured || len(r.Runs) != p.Runs || len(blocks) != p.Runs {
			t.Errorf("%s: %s %s: processes of blocks %v", r.ID, r.State, r.Reason, blocks)
		}
	}
	if _, err := measure.Load(c.Out); err != nil {
		t.Error(err)
	}
	empty(t, url)
}

// empty checks that a server has nothing of a campaign.
func empty(t *testing.T, url string) {
	t.Helper()
	conn := connect(t, fleet.Access{URL: url})
	js, err := jetstream.New(conn.Conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CANONSCOPE_JOBS", "CANONSCOPE_RESULTS"} {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if n := s.CachedInfo().State.Msgs; n != 0 {
			t.Errorf("%s has %d messages", name, n)
		}
	}
	store, err := js.ObjectStore(t.Context(), "canonscope")
	if err != nil {
		t.Fatal(err)
	}
	if all, err := store.List(t.Context()); !errors.Is(err, jetstream.ErrNoObjectsFound) {
		t.Errorf("%d objects are left: %v", len(all), err)
	}
}

// Blocks are done by several workers, each process once, and the server is empty after it.
func TestCampaign(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	var mu sync.Mutex
	machines := make(map[string]map[string]bool) // of the exchanges of a block that are compared
	for i := range 2 {
		name := fmt.Sprint("w", i)
		start(t, s.URL(), "rack", name, func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
			if j.Kind == measure.Time {
				c, _ := compare.ParseCell(j.Cell)
				mu.Lock()
				block := fmt.Sprint(c.Schema, " ", j.Block)
				if machines[block] == nil {
					machines[block] = make(map[string]bool)
				}
				machines[block][name] = true
				mu.Unlock()
			}
			return steady(ctx, j, emit)
		})
	}
	p := plan(12)
	c, err := submit(t, s.URL(), p, filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	complete(t, s.URL(), c, p)
	if len(machines) != 12 {
		t.Errorf("%d blocks", len(machines))
	}
	for block, by := range machines {
		if len(by) != 1 {
			t.Errorf("block %s was divided among %v", block, slices.Collect(maps.Keys(by)))
		}
	}
	if len(c.Faults) > 0 {
		t.Errorf("faults %q", c.Faults)
	}
}

// Two workers of one machine measure one after the other.
func TestMachineLock(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	var mu sync.Mutex
	busy := 0
	for i := range 3 {
		start(t, s.URL(), "rack", fmt.Sprint("w", i), func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
			mu.Lock()
			busy++
			if busy > 1 {
				t.Error("two processes at a time")
			}
			mu.Unlock()
			err := steady(ctx, j, emit)
			mu.Lock()
			busy--
			mu.Unlock()
			return err
		})
	}
	p := plan(4)
	c, err := submit(t, s.URL(), p, filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	complete(t, s.URL(), c, p)
}

// A worker that cannot lock its machine, as on a full disk, takes nothing and is named until it can.
func TestNoLock(t *testing.T) {
	tmp := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", tmp)
	s := serve(t, fleet.ServerOptions{})
	start(t, s.URL(), "rack", "w", steady)
	conn := connect(t, fleet.Access{URL: s.URL()})
	for end := time.Now().Add(10 * time.Second); ; {
		workers, err := conn.Workers(t.Context())
		if err == nil && len(workers) == 1 && strings.Contains(workers[0].Trouble, "canonscope-machine.lock") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("workers %+v, %v", workers, err)
		}
	}
	p := plan(1)
	c, err := submitHearing(t, s.URL(), p, filepath.Join(t.TempDir(), "results"), func(string) {
		_ = os.Mkdir(tmp, 0o777)
	})
	if err != nil {
		t.Fatal(err)
	}
	complete(t, s.URL(), c, p)
	if said := strings.Join(c.Faults, "\n"); !strings.HasPrefix(said, "w: lock this machine: ") {
		t.Errorf("faults %q", c.Faults)
	}
}

// A server listens on other than loopback addresses only with TLS and logins.
func TestOpenServer(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:4222", ":4222"} {
		for _, o := range []fleet.ServerOptions{{}, {Login: "users"}, {Cert: "cert.pem"}} {
			o.Listen, o.Dir = listen, t.TempDir()
			if s, err := fleet.Serve(o); !errors.Is(err, fleet.ErrOpen) {
				t.Errorf("%s with %+v: %v", listen, o, err)
				if err == nil {
					s.Close()
				}
			}
		}
	}
	dir := t.TempDir()
	s := serve(t, fleet.ServerOptions{Dir: dir})
	if _, err := fleet.Serve(fleet.ServerOptions{Dir: dir, Listen: "127.0.0.1:0"}); err == nil {
		t.Error("two servers have one folder")
	}
	if s.URL() == "" {
		t.Error("it has no address")
	}
}
