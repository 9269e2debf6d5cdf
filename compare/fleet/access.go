package fleet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Access is how a server is reached.
type Access struct {
	URL   string // nats://HOST:PORT or tls://HOST:PORT
	Login string // file: credentials, the seed of an NKey, or a line USER:PASSWORD
	CA    string // file of certificates that the server's is signed by, if the system has none of them
	Cert  string // file with the certificate and key of this side, if the server asks for one
}

// Conn is a connection to a server, which is made again whenever it is lost.
type Conn struct {
	*nats.Conn
	js      jetstream.JetStream
	streams map[string]jetstream.Stream

	back atomic.Pointer[func(time.Duration)]
	gone atomic.Pointer[chan struct{}] // closed when the connection is lost next
}

// during ends with ctx, and when the connection is lost: an answer that is on the way then does not come.
func (c *Conn) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	gone := *c.gone.Load()
	go func() {
		select {
		case <-gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// OnReturn calls f when the server is there again, with the time that it was out of reach.
func (c *Conn) OnReturn(f func(time.Duration)) { c.back.Store(&f) }

// ErrNoServer is the error of an address at which no server answers.
var ErrNoServer = nats.ErrNoServers

// Waits of a connection.
const (
	connectTime   = 5 * time.Second
	reconnectWait = 250 * time.Millisecond
	requestTime   = 30 * time.Second
)

// Connect connects to a server and makes sure that its streams are there.
func Connect(ctx context.Context, a Access, name string) (*Conn, error) {
	c := &Conn{}
	now := make(chan struct{})
	c.gone.Store(&now)
	var lost time.Time
	opts := []nats.Option{nats.Name(name), nats.Timeout(connectTime), nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectWait, reconnectWait),
		nats.DisconnectErrHandler(func(*nats.Conn, error) {
			lost = time.Now()
			next := make(chan struct{})
			close(*c.gone.Swap(&next))
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			if f := c.back.Load(); f != nil {
				go (*f)(time.Since(lost).Round(time.Millisecond))
			}
		}),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each call has its own error
	}
	more, err := a.options()
	if err != nil {
		return nil, err
	}
	if c.Conn, err = nats.Connect(a.URL, append(opts, more...)...); err != nil {
		return nil, fmt.Errorf("reach the server %s: %w", withoutLogin(a.URL), err)
	}
	if c.js, err = jetstream.New(c.Conn, jetstream.WithDefaultTimeout(requestTime)); err == nil {
		err = c.setUp(ctx)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("server %s: %w", withoutLogin(a.URL), explained(err))
	}
	return c, nil
}

// options are what the files of an access say.
func (a *Access) options() ([]nats.Option, error) {
	var opts []nats.Option
	if a.Login != "" {
		text, err := os.ReadFile(a.Login)
		if err != nil {
			return nil, err
		}
		text = bytes.TrimSpace(text)
		user, password, pair := strings.Cut(string(text), ":")
		switch {
		case bytes.Contains(text, []byte("-----BEGIN NATS USER JWT-----")):
			opts = append(opts, nats.UserCredentials(a.Login))
		case bytes.HasPrefix(text, []byte("SU")):
			nkey, err := nats.NkeyOptionFromSeed(a.Login)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.Login, err)
			}
			opts = append(opts, nkey)
		case pair && !strings.Contains(password, "\n"):
			opts = append(opts, nats.UserInfo(user, password))
		default:
			return nil, fmt.Errorf("%s has neither credentials, nor the seed of an NKey, nor one line "+
				"USER:PASSWORD", a.Login)
		}
	}
	if a.CA != "" {
		opts = append(opts, nats.RootCAs(a.CA))
	}
	if a.Cert != "" {
		opts = append(opts, nats.ClientCert(a.Cert, a.Cert))
	}
	return opts, nil
}

// withoutLogin is a URL without the user and password that it may have.
func withoutLogin(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "nats", url
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return scheme + "://" + rest
}
