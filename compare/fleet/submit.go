package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// Submitter carries the batches of a campaign to the workers of an environment. It is a [measure.Carrier].
type Submitter struct {
	Conn     *Conn
	Patience time.Duration // without a sign of any worker, after which it gives up

	begun bool
}

// DefaultPatience of a Submitter.
const DefaultPatience = 10 * time.Minute

// PatienceError says that no worker gave a sign of life for too long.
type PatienceError struct {
	Environment string
	Binary      string
	Waited      time.Duration
	Left        int // batches
}

func (e *PatienceError) Error() string {
	return fmt.Sprintf("no worker of environment %s with binary %.12s gave a sign of life for %v; "+
		"%d batches are left: start workers, and resume the campaign", e.Environment, e.Binary, e.Waited,
		e.Left)
}

// trip is a call of Carry.
type trip struct {
	*Submitter
	freight measure.Freight
	heard   func(measure.Reply)
	left    map[string]bool // batches without a reply
	events  chan func()     // that call heard, one after the other
	failing bool
}

// Carry implements measure.Carrier. What is at the server already is not sent again, and a reply that is
// there is passed on. When all batches have been answered, the server forgets them.
func (s *Submitter) Carry(ctx context.Context, freight measure.Freight, heard func(measure.Reply)) error {
	if err := CheckEnvironment(freight.Environment); err != nil {
		return err
	}
	t := &trip{Submitter: s, freight: freight, heard: heard, left: make(map[string]bool),
		events: make(chan func(), 64)}
	for _, b := range freight.Batches {
		t.left[b.ID] = true
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.Conn.OnReturn(func(d time.Duration) {
		t.fault(ctx, "", fmt.Sprintf("the server was out of reach of the submitter for %v", d))
	})
	if !s.begun { // it may have been cancelled before it was resumed
		s.begun = true
		if err := s.Conn.purge(ctx, resultsStream, resultsSubject+freight.Campaign+".cancelled"); err != nil {
			return err
		}
	}

	alive, beats := make(chan struct{}, 1), make(chan *nats.Msg, 64)
	sub, err := s.Conn.ChanSubscribe(beatSubject+freight.Campaign, beats)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	sign := func() {
		select {
		case alive <- struct{}{}:
		default:
		}
	}

	go t.listen(ctx, cancel)
	go t.send(ctx)
	go t.strangers(ctx)

	patience := time.NewTimer(s.Patience)
	defer patience.Stop()
	for len(t.left) > 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case f := <-t.events:
			n := len(t.left)
			if f(); len(t.left) < n {
				sign()
			}
		case <-beats:
			sign()
		case <-alive:
			patience.Reset(s.Patience)
		case <-patience.C:
			return &PatienceError{freight.Environment, freight.Binary, s.Patience, len(t.left)}
		}
	}
	if err := s.Conn.forget(ctx, freight.Campaign); err != nil {
		heard(measure.Reply{Faults: []string{"clear the server: " + err.Error()}})
	}
	return nil
}

// fault has a fault heard.
func (t *trip) fault(ctx context.Context, worker, what string) {
	t.later(ctx, func() { t.heard(measure.Reply{Worker: worker, Faults: []string{what}}) })
}

func (t *trip) later(ctx context.Context, f func()) {
	select {
	case t.events <- f:
	case <-ctx.Done():
	}
}

// listen passes on what the stream of results has of the campaign, from its beginning.
func (t *trip) listen(ctx context.Context, cancel context.CancelCauseFunc) {
	t.again(ctx, "read results", func() error {
		prefix := resultsSubject + t.freight.Campaign + "."
		cons, err := t.Conn.js.OrderedConsumer(ctx, resultsStream,
			jetstream.OrderedConsumerConfig{FilterSubjects: []string{prefix + ">"}})
		if err != nil {
			return err
		}
		messages, err := cons.Messages()
		if err != nil {
			return err
		}
		defer messages.Stop()
		for {
			msg, err := messages.Next(jetstream.NextContext(ctx))
			if err != nil {
				return err
			}
			kind, id, _ := strings.Cut(strings.TrimPrefix(msg.Subject(), prefix), ".")
			switch kind {
			case "batch":
				t.reply(ctx, id, msg.Data())
			case "cancelled":
				cancel(&measure.StoppedError{State: compare.Interrupted, Reason: "it was cancelled"})
			}
		}
	})
}

// reply passes on a reply to a batch. One that cannot be read is passed on without answers.
func (t *trip) reply(ctx context.Context, id string, text []byte) {
	var rec receipt
	packed, err := []byte(nil), json.Unmarshal(text, &rec)
	if packed = rec.Reply; err == nil && rec.Object != "" {
		if !strings.HasPrefix(rec.Object, t.freight.Campaign+"/reply/") {
			err = errors.New("its object is not one of this campaign")
		} else {
			t.again(ctx, "fetch a reply", func() error {
				packed, err = t.Conn.object(ctx, rec.Object, maxPacked)
				if errors.Is(err, jetstream.ErrObjectNotFound) || ctx.Err() == nil && t.Conn.IsConnected() {
					return nil // it stays so
				}
				return err
			})
		}
	}
	var r *measure.Reply
	if err == nil {
		r, err = unpack(packed)
	}
	if err != nil {
		r = &measure.Reply{Reason: "its reply cannot be read: " + err.Error()}
	}
	r.Batch, r.Worker = id, rec.Worker
	t.later(ctx, func() {
		if t.left[id] {
			t.heard(*r)
			delete(t.left, id)
		}
	})
}

// send stores what the user gave and the batches, except those which the server has, or has a reply to.
func (t *trip) send(ctx context.Context) {
	for _, s := range sources(t.freight.Batches) {
		name := t.freight.Campaign + "/given/" + s.SHA256
		t.again(ctx, "send what was given", func() error {
			if b, err := t.Conn.object(ctx, name, s.Bytes); err == nil && hash(b) == s.SHA256 {
				return nil
			}
			return t.Conn.put(ctx, name, bytesOf(s, t.freight.Given))
		})
	}

	prefix := resultsSubject + t.freight.Campaign + ".batch."
	var done map[string]uint64
	t.again(ctx, "ask for results", func() (err error) {
		done, err = t.Conn.subjects(ctx, resultsStream, prefix+">")
		return err
	})

	const together = 256
	var waiting []jetstream.PubAckFuture
	var sent []*Order
	flush := func() {
		for i, f := range waiting {
			var err error
			select {
			case <-f.Ok():
			case err = <-f.Err():
			case <-ctx.Done():
				return
			}
			if err = asSecond(err); err != nil && !errors.Is(err, errSecond) {
				t.again(ctx, "send a batch", func() error { return t.once(ctx, sent[i]) })
			}
		}
		waiting, sent = nil, nil
	}
	for _, b := range t.freight.Batches {
		if done[prefix+b.ID] > 0 {
			continue
		}
		order := &Order{Version: Version, Campaign: t.freight.Campaign, Environment: t.freight.Environment,
			Binary: t.freight.Binary, Rules: t.freight.Rules, Batch: b}
		text, err := json.Marshal(order)
		if err == nil {
			var f jetstream.PubAckFuture
			f, err = t.Conn.js.PublishAsync(subjectOf(order), text,
				jetstream.WithExpectLastSequencePerSubject(0))
			if err == nil {
				waiting, sent = append(waiting, f), append(sent, order)
			}
		}
		if err != nil {
			t.again(ctx, "send a batch", func() error { return t.once(ctx, order) })
		}
		if len(waiting) == together {
			flush()
		}
	}
	flush()
}

// once sends a batch that may be there.
func (t *trip) once(ctx context.Context, order *Order) error {
	if err := t.Conn.first(ctx, subjectOf(order), order); !errors.Is(err, errSecond) {
		return err
	}
	return nil
}

// again calls f until it returns nil or ctx ends, and says once why it fails.
func (t *trip) again(ctx context.Context, what string, f func() error) {
	said := ""
	for pause := idleLeast; ctx.Err() == nil; pause = min(2*pause, retryMost) {
		err := f()
		if err == nil || ctx.Err() != nil {
			return
		}
		if text := fmt.Sprintf("%s: %v", what, err); text != said {
			said = text
			t.fault(ctx, "", text)
		}
		_ = wait(ctx, pause)
	}
}

// strangers names the workers of the environment that are given nothing, because their program is another.
func (t *trip) strangers(ctx context.Context) {
	for pause := time.Second; ctx.Err() == nil; pause = min(2*pause, time.Minute) {
		workers, err := t.Conn.Workers(ctx)
		for _, w := range workers {
			if err == nil && w.Environment == t.freight.Environment && w.Binary != t.freight.Binary {
				t.fault(ctx, w.Worker, fmt.Sprintf("it does not take part: its binary is %.12s, "+
					"the campaign is for %.12s", w.Binary, t.freight.Binary))
			}
		}
		_ = wait(ctx, pause)
	}
}
