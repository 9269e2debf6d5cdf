package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"canonscope/compare/measure"
)

// A server whose disk is full says so to whoever sends something, and takes it when there is space again.
func TestFullDiskOfServer(t *testing.T) {
	var free atomic.Int64
	free.Store(reserve - 1)
	s, err := Serve(ServerOptions{Dir: t.TempDir(), Listen: "127.0.0.1:0", free: func(string) (int64, error) { return free.Load(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Connect(t.Context(), Access{URL: s.URL()}, "test"); !errors.Is(err, errNoSpace) {
		t.Errorf("streams are made on a full disk: %v", err)
	}
	free.Store(reserve)
	var conn *Conn
	for end := time.Now().Add(10 * time.Second); conn == nil; {
		if conn, err = Connect(t.Context(), Access{URL: s.URL()}, "test"); err != nil && time.Now().After(end) {
			t.Fatal(err)
		}
	}
	defer conn.Close()

	// It is full in the middle of a campaign: the reply comes when there is space.
	ctx, cancel := context.WithCancel(t.Context())
	w := &Worker{Conn: conn, Environment: "rack", Name: "w", Lease: time.Second, env: map[string]string{"cpu": "none"}, Log: func(string) {},
		host: t.TempDir() + "/lock"}
	w.Runner = runner(func(ctx context.Context, j measure.Job, emit func(measure.Event)) error {
		if j.Kind == measure.Time && j.Block == 1 {
			free.Store(0)
			for !refuses(ctx, conn) {
			}
		}
		return instant{}.Run(ctx, j, nil, emit)
	})
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	other, err := Connect(ctx, Access{URL: s.URL()}, "submitter")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var said []string
	answered := 0
	err = (&Submitter{Conn: other, Patience: 20 * time.Second}).Carry(ctx, freightOf(3), func(r measure.Reply) {
		if r.Batch != "" {
			answered++
		}
		for _, what := range r.Faults {
			said = append(said, r.Worker+": "+what)
			if strings.Contains(what, "no space left") {
				free.Store(reserve)
			}
		}
	})
	if err != nil || answered != 3 {
		t.Errorf("%d batches of 3: %v", answered, err)
	}
	if text := strings.Join(said, "\n"); !strings.HasPrefix(text, "w: store a reply: the server has no space left") {
		t.Errorf("it said %s", text)
	}
}

// refuses reports whether a server stores nothing.
func refuses(ctx context.Context, c *Conn) bool {
	subject := resultsSubject + "probe"
	_ = c.purge(ctx, resultsStream, subject)
	return errors.Is(c.first(ctx, subject, nil), errNoSpace)
}

type runner func(context.Context, measure.Job, func(measure.Event)) error

func (f runner) Run(ctx context.Context, j measure.Job, _ []byte, emit func(measure.Event)) error {
	return f(ctx, j, emit)
}

// A server that cannot write a message ends, with the reason; what it acknowledged is there when it starts again.
func TestFailingWrites(t *testing.T) {
	dir := t.TempDir()
	url, end := serverProcess(t, dir, largest+"=65536")
	conn, err := Connect(t.Context(), Access{URL: url}, "test")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := conn.during(t.Context())
	defer cancel()
	stored := 0
	for stored < 1000 && conn.first(ctx, fmt.Sprint(resultsSubject, "c.batch.b", stored), strings.Repeat("x", 4096)) == nil {
		stored++
	}
	conn.Close()
	said, p := end()
	if p.Success() || !strings.Contains(said, "folder "+dir+" cannot be written: ") || !strings.Contains(said, "file too large") {
		t.Errorf("after %d messages: %v: %s", stored, p, said)
	}

	s, err := Serve(ServerOptions{Dir: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if conn, err = Connect(t.Context(), Access{URL: s.URL()}, "test"); err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if all, err := conn.subjects(t.Context(), resultsStream, resultsSubject+">"); err != nil || len(all) < stored || stored < 5 {
		t.Errorf("%d messages of %d, %v", len(all), stored, err)
	}
}
