package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// Worker does batches of campaigns on this machine, one at a time, with the machine to itself.
type Worker struct {
	Conn        *Conn
	Environment string
	Name        string
	Lease       time.Duration               // of a batch whose worker is silent
	Engines     map[compare.Engine][]string // foreign engines that it may run, with their commands
	Runner      measure.Runner
	Log         func(string)

	hands measure.Hands
	env   map[string]string // nil is that of this machine
	host  string            // file of the lock; "" is that of this machine

	mu       sync.Mutex
	info     Info
	faults   []string           // to be reported with the next reply
	campaign string             // of the batch under way
	cancel   context.CancelFunc // of it
	drained  bool
}

// Bounds of a worker.
const (
	DefaultLease = 30 * time.Second
	mostAttempts = 5 // at a batch, until it is given up
	idleLeast    = 50 * time.Millisecond
	idleMost     = 2 * time.Second
	retryMost    = 5 * time.Second
)

// Run takes batches until ctx ends or the worker is drained.
func (w *Worker) Run(ctx context.Context) error {
	w.hands = measure.Hands{Runner: w.Runner, Engines: w.Engines}
	if w.env == nil {
		w.env = measure.Environment()
	}
	w.info = Info{Worker: w.Name, Environment: w.Environment, Version: Version, Binary: measure.BinaryHash(),
		Rules: measure.Rules().Hash()}
	w.Conn.OnReturn(func(d time.Duration) { w.note(fmt.Sprintf("the server was out of reach for %v", d)) })
	stop, err := w.listen()
	if err != nil {
		return err
	}
	defer stop()

	var jobs *desk
	defer func() { jobs.close() }()
	idle, failing := idleLeast, false
	for ctx.Err() == nil && !w.isDrained() {
		if jobs == nil {
			jobs, err = w.queue(ctx)
		}
		var did bool
		if err == nil {
			did, err = w.next(ctx, jobs)
		}
		switch {
		case errors.Is(err, errMachine):
			w.trouble(err.Error())
			err = nil
		case err != nil && ctx.Err() == nil:
			if !failing {
				w.note("take a batch: " + err.Error())
			}
			jobs.close()
			jobs, failing, err = nil, true, nil
		case err == nil:
			w.trouble("")
			failing = false
		}
		if did {
			idle = idleLeast
			continue
		}
		_ = wait(ctx, idle)
		idle = min(2*idle, idleMost)
	}
	return nil
}

// errMachine is the error of a machine that cannot be had.
var errMachine = errors.New("lock this machine")

// next does the next batch, if there is one: the machine is locked before it is taken.
func (w *Worker) next(ctx context.Context, jobs *desk) (did bool, err error) {
	lock, err := alone(ctx, cmp.Or(w.host, hostLock()))
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", errMachine, err)
		}
		return false, err
	}
	defer lock.Close()

	msg, err := jobs.take(ctx)
	if msg == nil {
		return false, err
	}
	w.do(ctx, msg, func() { lock.Close() })
	return true, nil
}

// do does what a message asks for, or refuses it. It gives the machine free when nothing more is measured.
func (w *Worker) do(ctx context.Context, msg *nats.Msg, free func()) {
	meta, err := msg.Metadata()
	order, refused := ReadOrder(msg.Data)
	if err == nil && refused == nil {
		refused = order.fits(&w.info, w.Engines)
	}
	if refused == nil && subjectOf(order) != msg.Subject {
		refused = &Refused{"it came by the subject of another batch"}
	}
	if err != nil || refused != nil {
		w.refuse(msg, refused)
		return
	}

	ctx, done := w.begin(ctx, order)
	defer done()
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go w.beat(beating, msg, order)

	reply := &measure.Reply{Worker: w.Name, Environment: w.env, Batch: order.Batch.ID}
	switch answered, err := w.answered(ctx, order); {
	case err == nil && answered:
		_ = acknowledge(ctx, msg) // the worker that did it could not
		return
	case meta.NumDelivered > mostAttempts:
		reply.Reason = fmt.Sprintf("given up: it was begun %d times, and no worker ended it", mostAttempts)
	default:
		reply.Answers, err = w.measure(ctx, order)
		if ctx.Err() != nil {
			_ = msg.Nak() // to another worker
			return
		}
		if err != nil {
			reply.Reason = err.Error()
		}
	}
	free()

	if w.store(ctx, order, msg, meta, reply) {
		w.count(func(i *Info) { i.Done++ })
	} else {
		w.count(func(i *Info) { i.Late++ })
	}
}

// refuse ends a message that no worker can do.
func (w *Worker) refuse(msg *nats.Msg, why error) {
	w.count(func(i *Info) { i.Refused++ })
	w.Log(fmt.Sprintf("%v", why))
	parts := strings.Split(strings.TrimPrefix(msg.Subject, jobsSubject), ".")
	if len(parts) == 4 && name.MatchString(parts[2]) && name.MatchString(parts[3]) {
		reply := &measure.Reply{Worker: w.Name, Batch: parts[3], Reason: fmt.Sprint(why)}
		if packed, err := pack(reply); err == nil {
			_ = w.Conn.first(context.Background(), resultsSubject+parts[2]+".batch."+parts[3],
				receipt{Worker: w.Name, Attempt: nuid.Next(), Reply: packed})
		}
	}
	_ = msg.Term()
}

// measure fetches what the user gave and does the jobs.
func (w *Worker) measure(ctx context.Context, order *Order) ([]measure.Answer, error) {
	bytes := make(map[string][]byte)
	for _, s := range order.sources() {
		if _, ok := bytes[s.SHA256]; ok {
			continue
		}
		b, err := w.Conn.object(ctx, order.Campaign+"/given/"+s.SHA256, s.Bytes)
		if err == nil && (hash(b) != s.SHA256 || len(b) != s.Bytes) {
			err = errors.New("they are not those that the order names")
		}
		if err != nil {
			return nil, fmt.Errorf("the bytes of %q: %w", s.Name, err)
		}
		bytes[s.SHA256] = b
	}
	return w.hands.Do(ctx, order.Campaign, &order.Batch, givenOf(&order.Batch, bytes),
		func(_ measure.Kind, cell string) { w.count(func(i *Info) { i.Cell = cell }) })
}

// store stores the reply to a batch, unless another is there, and then acknowledges the batch. It tries until
// the server takes it.
func (w *Worker) store(
	ctx context.Context, order *Order, msg *nats.Msg, meta *nats.MsgMetadata, reply *measure.Reply,
) (first bool) {
	attempt := nuid.Next()
	trouble, begun := "", time.Now()
	defer w.trouble("")
	for pause := idleLeast; ctx.Err() == nil; pause = min(2*pause, retryMost) {
		during, stop := w.Conn.during(ctx)
		first, err := w.settle(during, order, meta, reply, attempt)
		if err == nil {
			// If this is lost, the batch comes again, and has its reply.
			err = acknowledge(during, msg)
		}
		if during.Err() != nil && ctx.Err() == nil {
			err = errLost
		}
		stop()
		switch {
		case err == nil || errors.Is(err, nats.ErrMsgAlreadyAckd):
			return first
		case trouble != "":
			w.forget(trouble)
		}
		w.trouble(fmt.Sprintf("store a reply: %v", err))
		_ = wait(ctx, pause)
		trouble = fmt.Sprintf("store a reply: %v; %v went by", err, time.Since(begun).Round(time.Second))
		w.keep(trouble)
	}
	return false
}

// acknowledge ends a batch, and returns when the server knows it.
func acknowledge(ctx context.Context, msg *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	return msg.AckSync(nats.Context(ctx))
}

// errLost is the error of what was on the way when the connection was lost.
var errLost = errors.New("the connection to the server was lost")

// settle stores a reply if its batch is still there, and reports whether this is the reply to it.
func (w *Worker) settle(
	ctx context.Context, order *Order, meta *nats.MsgMetadata, reply *measure.Reply, attempt string,
) (first bool, err error) {
	_, err = w.Conn.streams[jobsStream].GetMsg(ctx, meta.Sequence.Stream)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil // another worker has done it, or it was cancelled
	}
	if err != nil {
		return false, err
	}

	said := w.kept()
	reply.Faults = said
	packed, err := pack(reply)
	if err == nil && len(packed) > maxPacked {
		err = fmt.Errorf("the reply has %d bytes", len(packed))
	}
	if err != nil {
		packed, _ = pack(&measure.Reply{Batch: reply.Batch, Reason: err.Error()})
	}
	r := receipt{Worker: w.Name, Attempt: attempt, Reply: packed}
	if len(packed) > maxInline {
		r.Reply, r.Object = nil, order.Campaign+"/reply/"+order.Batch.ID+"/"+attempt
		if err := w.Conn.put(ctx, r.Object, packed); err != nil {
			return false, err
		}
	}

	subject := resultSubject(order)
	if err = w.Conn.first(ctx, subject, r); err == nil {
		w.forget(said...)
	}
	if errors.Is(err, errSecond) {
		// It may be this one, whose acknowledgement was lost.
		var was *receipt
		if was, err = w.Conn.receipt(ctx, subject); err == nil && was.Attempt != attempt {
			if r.Object != "" {
				_ = w.Conn.remove(ctx, r.Object)
			}
			return false, nil
		}
	}
	return err == nil, err // what was said since the reply was sent goes with the next
}

// answered reports whether a batch has a reply.
func (w *Worker) answered(ctx context.Context, order *Order) (bool, error) {
	_, err := w.Conn.receipt(ctx, resultSubject(order))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// beat says that a batch is being done: to the server, which keeps it for this worker, and to the submitter.
func (w *Worker) beat(ctx context.Context, msg *nats.Msg, order *Order) {
	ticker := time.NewTicker(w.Lease / 3)
	defer ticker.Stop()
	for {
		if text, err := json.Marshal(w.say()); err == nil && w.Conn.IsConnected() {
			_ = w.Conn.Publish(beatSubject+order.Campaign, text)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = msg.InProgress()
		}
	}
}

// note logs what went wrong, and keeps it for the next reply.
func (w *Worker) note(what string) {
	w.Log(what)
	w.keep(what)
}

// trouble sets the reason for which a worker gets no further; "" is none. It goes with beats, because the
// reply may be what cannot be sent.
func (w *Worker) trouble(what string) {
	was := ""
	w.count(func(i *Info) { was, i.Trouble = i.Trouble, what })
	if what != "" && what != was {
		w.Log(what)
	}
}

func (w *Worker) keep(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) < mostNotes {
		w.faults = append(w.faults, what)
	}
}

const mostNotes = 20

func (w *Worker) kept() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.faults)
}

// forget removes what was said.
func (w *Worker) forget(said ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = slices.DeleteFunc(w.faults, func(what string) bool { return slices.Contains(said, what) })
}

// begin notes the batch under way; done forgets it.
func (w *Worker) begin(ctx context.Context, order *Order) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.campaign, w.cancel = order.Campaign, cancel
	w.info.Campaign, w.info.Batch = order.Campaign, order.Batch.ID
	return ctx, func() {
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.campaign, w.cancel = "", nil
		w.info.Campaign, w.info.Batch, w.info.Cell = "", "", ""
	}
}

func (w *Worker) count(f func(*Info)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.info)
}

func (w *Worker) say() Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	info := w.info
	info.Drained = w.drained
	return info
}

func (w *Worker) isDrained() bool { return w.say().Drained }

// listen answers what is asked of all workers.
func (w *Worker) listen() (stop func(), err error) {
	answer := func(msg *nats.Msg) {
		if text, err := json.Marshal(w.say()); err == nil {
			_ = msg.Respond(text)
		}
	}
	drain := func(msg *nats.Msg) {
		w.mu.Lock()
		w.drained = true
		w.mu.Unlock()
		answer(msg)
	}
	cancel := func(msg *nats.Msg) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.cancel != nil && msg.Subject == cancelSubject+w.campaign {
			w.cancel()
		}
	}
	var all []*nats.Subscription
	stop = func() {
		for _, s := range all {
			_ = s.Unsubscribe()
		}
	}
	for _, on := range []struct {
		subject string
		f       nats.MsgHandler
	}{{pingSubject, answer}, {drainSubject + w.Environment, drain}, {cancelSubject + "*", cancel}} {
		s, err := w.Conn.Subscribe(on.subject, on.f)
		if err != nil {
			stop()
			return nil, err
		}
		all = append(all, s)
	}
	return stop, nil
}

func subjectOf(o *Order) string {
	return jobsSubject + o.Environment + "." + tag(o.Binary) + "." + o.Campaign + "." + o.Batch.ID
}

func resultSubject(o *Order) string { return resultsSubject + o.Campaign + ".batch." + o.Batch.ID }
