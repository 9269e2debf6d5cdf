package fleet

import (
	"context"
	"testing"

	"canonscope/compare/measure"
)

// A batch that is handed out when its worker no longer waits is the next that it takes, and not lost until its lease
// ends.
func TestLateBatch(t *testing.T) {
	s, err := Serve(ServerOptions{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := Connect(t.Context(), Access{URL: s.URL()}, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := &Worker{Conn: conn, Environment: "rack", Lease: DefaultLease, info: Info{Binary: measure.BinaryHash()}}
	d, err := w.queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if msg, err := d.take(t.Context()); msg != nil || err != nil {
		t.Fatalf("taken of an empty queue: %v, %v", msg, err)
	}

	o := goodOrder()
	if err := conn.first(t.Context(), subjectOf(o), o); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if msg, err := d.take(ended); msg != nil || err != nil {
		t.Fatalf("taken by one who does not wait: %v, %v", msg, err)
	}
	// The answer to an earlier question may come first, and be that there was none yet.
	msg, err := d.take(t.Context())
	for range 100 {
		if msg != nil || err != nil {
			break
		}
		msg, err = d.take(t.Context())
	}
	if err != nil || msg == nil {
		t.Fatalf("taken: %v, %v", msg, err)
	}
	if meta, err := msg.Metadata(); err != nil || meta.NumDelivered != 1 {
		t.Errorf("%+v, %v", meta, err)
	}
	if msg, err := d.take(t.Context()); msg != nil || err != nil {
		t.Errorf("taken twice: %v, %v", msg, err)
	}
}
