package fleet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"canonscope/compare"
	"canonscope/compare/fleet"
	"canonscope/compare/measure"
)

// wire carries connections to a server, and can be cut.
type wire struct {
	net.Listener
	mu   sync.Mutex
	open bool
	all  []net.Conn
}

func newWire(t *testing.T, url string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, open: true}
	t.Cleanup(func() { w.cut(); l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
			w.mu.Lock()
			if err != nil || !w.open {
				in.Close()
				w.mu.Unlock()
				continue
			}
			w.all = append(w.all, in, out)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(in, out); in.Close() }()
			go func() { _, _ = io.Copy(out, in); out.Close() }()
		}
	}()
	return w
}

func (w *wire) url() string { return "nats://" + w.Addr().String() }

func (w *wire) set(open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = open
	for _, c := range w.all {
		c.Close()
	}
	w.all = nil
}

func (w *wire) cut() { w.set(false) }

// A worker that loses the network within a block loses the block to another, which does all of it; what it brings
// after its lease is too late, and it says what happened.
func TestLostNetwork(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	wire := newWire(t, s.URL())
	p := plan(4)
	begun, other := make(chan struct{}), make(chan struct{})
	var once sync.Once
	start(t, wire.url(), "rack", "lost", func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
		if j.Kind == measure.Time {
			once.Do(func() { close(begun); <-other })
		}
		return steady(ctx, j, emit)
	})
	result := make(chan *compare.Campaign, 1)
	dir := filepath.Join(t.TempDir(), "results")
	go func() {
		c, err := submit(t, s.URL(), p, dir)
		if err != nil {
			t.Error(err)
		}
		result <- c
	}()
	<-begun
	wire.cut()
	t.Setenv("TMPDIR", t.TempDir()) // the other has a machine of its own
	start(t, s.URL(), "rack", "other", steady)

	c := <-result
	complete(t, s.URL(), c, p)
	for _, m := range c.Machines {
		if m.Worker != "other" {
			t.Errorf("%s measured %d processes", m.Worker, m.Processes)
		}
	}
	close(other)
	wire.set(true)
	conn := connect(t, fleet.Access{URL: s.URL()})
	for end := time.Now().Add(20 * time.Second); ; {
		workers, err := conn.Workers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(workers) == 2 && workers[0].Worker == "lost" && workers[0].Late == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("workers %+v", workers)
		}
		time.Sleep(20 * time.Millisecond)
	}
	empty(t, s.URL())
}

// A submitter whose network is lost for ever ends, says why, and comes back to what was measured meanwhile.
func TestNetworkLostForEver(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	wire := newWire(t, s.URL())
	jobs := 0
	start(t, s.URL(), "rack", "w", func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
		if jobs++; jobs == 4 {
			wire.cut()
		}
		return steady(ctx, j, emit)
	})
	p := plan(4)
	folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	sub := &fleet.Submitter{Conn: connect(t, fleet.Access{URL: wire.url()}), Patience: time.Second}
	c, err := measure.Dispatch(t.Context(), p, sub, folder, nil)
	folder.Close()
	var late *fleet.PatienceError
	if !errors.As(err, &late) || !strings.Contains(c.Stopped, "the server cannot be reached") || !strings.Contains(c.Stopped, "resume the campaign") {
		t.Fatalf("stopped %q, %v", c.Stopped, err)
	}

	folder, l, err := measure.Continue(folder.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	sub = &fleet.Submitter{Conn: connect(t, fleet.Access{URL: s.URL()}), Patience: 20 * time.Second}
	if c, err = measure.Redispatch(t.Context(), l, compare.Given{}, sub, folder, nil); err != nil {
		t.Fatal(err)
	}
	complete(t, s.URL(), c, p)
	if jobs != 4*(1+3) {
		t.Errorf("%d jobs were done, of 4 gates and 12 processes", jobs)
	}
}

// A server that ends and starts again loses nothing, and a campaign goes on; both sides say so.
func TestServerRestarts(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	s, err := fleet.Serve(fleet.ServerOptions{Dir: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	url := s.URL()
	n, at := 0, make(chan struct{})
	start(t, url, "rack", "w", func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
		if n++; n == 4 || n == 12 {
			at <- struct{}{}
		}
		return steady(ctx, j, emit)
	})
	go func() {
		for range 2 {
			<-at
			s.Close()
			if s, err = fleet.Serve(fleet.ServerOptions{Dir: dir, Listen: strings.TrimPrefix(url, "nats://")}); err != nil {
				t.Error(err)
				return
			}
		}
		close(at)
	}()
	p := plan(8)
	c, err := submit(t, url, p, filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	<-at
	t.Cleanup(s.Close)
	complete(t, url, c, p)
	if said := strings.Join(c.Faults, "\n"); !strings.Contains(said, "out of reach of the submitter") || !strings.Contains(said, "w: the server was out of reach") {
		t.Errorf("faults %q", c.Faults)
	}
}

// Messages that are not orders are refused and counted, and end; those after them are done.
func TestHostileMessages(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	conn := connect(t, fleet.Access{URL: s.URL()})
	js, err := jetstream.New(conn.Conn)
	if err != nil {
		t.Fatal(err)
	}
	mine := "canonscope.jobs.rack." + measure.BinaryHash()[:16] + "."
	for subject, text := range map[string]string{
		"a.b": "", "c.d": "{}", "e.f": `{"version":1,"command":"id"}`, "g.h": strings.Repeat("[", 1<<20), "x": "{}", "A.B.C": "{}",
	} {
		if _, err := js.Publish(t.Context(), mine+subject, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	// One looks like the server's word that there is nothing to do.
	empty := &nats.Msg{Subject: mine + "i.j", Header: nats.Header{"Status": {"404"}, "Description": {"No Messages"}}}
	if _, err := js.PublishMsg(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	start(t, s.URL(), "rack", "w", steady)
	p := plan(2)
	c, err := submit(t, s.URL(), p, filepath.Join(t.TempDir(), "results"))
	if err != nil || c.Stopped != "" || c.Results[0].State != compare.Measured {
		t.Fatalf("%+v, %v", c, err)
	}
	if workers, err := conn.Workers(t.Context()); err != nil || len(workers) != 1 || workers[0].Refused != 7 {
		t.Errorf("workers %+v, %v", workers, err)
	}
}

// A worker of another binary is given nothing and is named; without any other the campaign stops, with what was
// measured, and says what to do.
func TestOtherBinary(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	start(t, s.URL(), "rack", "old", steady)
	p := plan(2)
	p.Binary = strings.Repeat("0", 64)
	folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	sub := &fleet.Submitter{Conn: connect(t, fleet.Access{URL: s.URL()}), Patience: 3 * time.Second}
	c, err := measure.Dispatch(t.Context(), p, sub, folder, nil)
	var late *fleet.PatienceError
	if !errors.As(err, &late) || c.Stopped == "" || len(c.Faults) != 1 || !strings.Contains(c.Faults[0], "old: it does not take part: its binary is") {
		t.Errorf("stopped %q, faults %q, %v", c.Stopped, c.Faults, err)
	}
}

// A campaign that is cancelled ends with what it has, and leaves nothing; its submitter can go on with it.
func TestCancel(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	conn := connect(t, fleet.Access{URL: s.URL()})
	at, hold := make(chan struct{}), true
	stop, _ := start(t, s.URL(), "rack", "w", func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
		if hold && j.Kind == measure.Time && j.Block == 1 {
			hold = false
			close(at)
			<-ctx.Done()
			return &measure.StoppedError{State: compare.Interrupted}
		}
		return steady(ctx, j, emit)
	})
	go func() {
		<-at
		st, err := conn.Status(context.Background())
		if err != nil || len(st.Campaigns) != 1 || len(st.Workers) != 1 || st.Workers[0].Batch == "" {
			t.Errorf("status %+v, %v", st, err)
			return
		}
		if err := conn.Cancel(context.Background(), st.Campaigns[0].ID); err != nil {
			t.Error(err)
		}
	}()
	p := plan(4)
	dir := filepath.Join(t.TempDir(), "results")
	c, err := submit(t, s.URL(), p, dir)
	if err != nil || !c.Interrupted || c.Stopped != "" {
		t.Fatalf("interrupted %v, stopped %q, %v", c.Interrupted, c.Stopped, err)
	}
	if err := conn.Cancel(t.Context(), "none"); err == nil {
		t.Error("a campaign is cancelled that is not there")
	}

	folder, l, err := measure.Continue(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	sub := &fleet.Submitter{Conn: connect(t, fleet.Access{URL: s.URL()}), Patience: 20 * time.Second}
	c, err = measure.Redispatch(t.Context(), l, compare.Given{}, sub, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	complete(t, s.URL(), c, p)
	stop()
}

// A submitter that ends comes back to its campaign, which went on.
func TestSubmitterReturns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	jobs := 0
	start(t, s.URL(), "rack", "w", func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
		if jobs++; jobs == 3 {
			cancel()
		}
		return steady(ctx, j, emit)
	})
	p := plan(8)
	folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	sub := &fleet.Submitter{Conn: connect(t, fleet.Access{URL: s.URL()}), Patience: 20 * time.Second}
	c, err := measure.Dispatch(ctx, p, sub, folder, nil)
	folder.Close()
	if err != nil || !c.Interrupted {
		t.Fatalf("interrupted %v, %v", c.Interrupted, err)
	}
	folder, l, err := measure.Continue(folder.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if c, err = measure.Redispatch(t.Context(), l, compare.Given{}, sub, folder, nil); err != nil {
		t.Fatal(err)
	}
	complete(t, s.URL(), c, p)
	if jobs != 8*(1+3) {
		t.Errorf("%d jobs were done, of 8 gates and 24 processes", jobs)
	}
}

// Drained workers end after their batch, and other environments go on.
func TestDrain(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	_, ended := start(t, s.URL(), "rack", "a", steady)
	start(t, s.URL(), "phones", "b", steady)
	conn := connect(t, fleet.Access{URL: s.URL()})
	for n := 0; n < 2; { // until both listen
		workers, err := conn.Workers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n = len(workers)
	}
	drained, err := conn.Drain(t.Context(), "rack")
	if err != nil || len(drained) != 1 || drained[0].Worker != "a" || !drained[0].Drained {
		t.Fatalf("drained %+v, %v", drained, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	ended <- nil
	if workers, err := conn.Workers(t.Context()); err != nil || len(workers) != 1 || workers[0].Worker != "b" {
		t.Errorf("workers %+v, %v", workers, err)
	}
}

// A block that no worker survives is given up, with its cells, and the campaign ends.
func TestGivenUp(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, fleet.ServerOptions{})
	var begun atomic.Int32
	var next func()
	next = func() { // a worker that is gone within its first process
		stops := make(chan func(), 1)
		stop, _ := start(t, s.URL(), "rack", "w", func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
			if j.Kind == measure.Time && j.Block == 0 {
				if begun.Add(1) <= 5 {
					go func() { (<-stops)(); next() }()
					<-ctx.Done()
					return &measure.StoppedError{State: compare.Interrupted}
				}
			}
			return steady(ctx, j, emit)
		})
		stops <- stop
	}
	next()
	p := plan(1)
	c, err := submit(t, s.URL(), p, filepath.Join(t.TempDir(), "results"))
	if err != nil || c.Stopped != "" || begun.Load() != 5 {
		t.Fatalf("stopped %q, %v, begun %d times", c.Stopped, err, begun.Load())
	}
	if r := c.Results[0]; !strings.Contains(strings.Join(c.Faults, ""), "begun 5 times") {
		t.Errorf("%s %s, faults %q", r.State, r.Reason, c.Faults)
	}
	empty(t, s.URL())
}
