package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// desk is where a worker asks for batches. It is answered at once, also if there is none. Its inbox stays
// open between questions: a batch that a busy server hands out late is not lost until its lease ends.
type desk struct {
	conn  *Conn
	inbox *nats.Subscription
	asks  string // subject of questions
}

// queue opens the desk that the workers of an environment with one binary share. The lease is that of the
// worker that came last.
func (w *Worker) queue(ctx context.Context) (*desk, error) {
	mine := w.Environment + "-" + tag(w.info.Binary)
	was, err := w.Conn.js.Consumer(ctx, jobsStream, mine)
	if errors.Is(err, jetstream.ErrConsumerNotFound) ||
		err == nil && was.CachedInfo().Config.AckWait != w.Lease {
		_, err = w.Conn.js.CreateOrUpdateConsumer(ctx, jobsStream, jetstream.ConsumerConfig{Durable: mine,
			FilterSubject: jobsSubject + w.Environment + "." + tag(w.info.Binary) + ".>",
			AckPolicy:     jetstream.AckExplicitPolicy, AckWait: w.Lease, MaxDeliver: -1, MaxAckPending: -1,
			InactiveThreshold: kept})
	}
	if err != nil {
		return nil, err
	}

	inbox, err := w.Conn.SubscribeSync(w.Conn.NewInbox())
	if err != nil {
		return nil, err
	}
	asks := "$JS.API.CONSUMER.MSG.NEXT." + jobsStream + "." + mine
	return &desk{conn: w.Conn, inbox: inbox, asks: asks}, nil
}

func (d *desk) close() {
	if d != nil {
		_ = d.inbox.Unsubscribe()
	}
}

// take returns a batch, or nil if there is none now.
func (d *desk) take(ctx context.Context) (*nats.Msg, error) {
	late, _, err := d.inbox.Pending()
	if err != nil || !d.conn.IsConnected() { // questions must not pile up
		return nil, err
	}
	for range late {
		if msg, err := d.read(ctx); msg != nil || err != nil {
			return msg, err
		}
	}
	err = d.conn.PublishRequest(d.asks, d.inbox.Subject, []byte(`{"batch":1,"no_wait":true}`))
	if err != nil {
		return nil, err
	}
	return d.read(ctx)
}

// read returns what comes next, or nil if the server says that there is no batch.
func (d *desk) read(ctx context.Context) (*nats.Msg, error) {
	ctx, stop := d.conn.during(ctx)
	defer stop()
	limited, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	msg, err := d.inbox.NextMsgWithContext(limited)
	switch {
	case ctx.Err() != nil: // it ends, or the connection was lost
		return nil, nil
	case err != nil:
		return nil, err
	case strings.HasPrefix(msg.Reply, "$JS.ACK."): // whatever headers its sender gave it
		return msg, nil
	}
	switch status := msg.Header.Get("Status"); status {
	case "404", "408": // there is none
		return nil, nil
	default:
		return nil, fmt.Errorf("the server says %s %s", status, msg.Header.Get("Description"))
	}
}
