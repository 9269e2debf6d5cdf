//phase:caller
package jsonld

import (
	"context"
	"errors"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// Document is a context document as a loader found it. Bytes must not change; a loader that serves facts
// may return the same slice each time.
type Document struct {
	URL   string // final URL after redirects
	Bytes []byte // JSON text
}

// Loader finds remote contexts (JSON-LD API section 9.4, LoadDocumentCallback). Implementations are safe
// for concurrent use and use the network only if their user asked for it. An unknown URL is an error that
// names it.
type Loader interface {
	Load(ctx context.Context, url string) (*Document, error)
}

// Map is a loader over documents that the caller holds, by URL.
type Map map[string][]byte

// Load implements Loader.
func (m Map) Load(_ context.Context, url string) (*Document, error) {
	if b, ok := m[url]; ok {
		return &Document{URL: url, Bytes: b}, nil
	}
	return nil, fmt.Errorf("context %q is not in the map", url)
}

type sourceKey struct {
	url    string
	limits contextLimits
}

// loading is one call of the loader, for which several goroutines may wait.
type loading struct {
	done chan struct{} // closed once src or err is set
	src  *source
	err  error
}

// source returns the scanned document of a remote context, as the cache state allows; m is for one that is
// not kept. A caller that waits
// for a load begun by another call goes on if that call is cancelled.
//
//phase:context
func (p *Processor) source(
	ctx context.Context, url string, l canon.Limits, b *canon.Budget, m *memory,
) (*source, error) {
	if p.state == Cold {
		return p.fetch(ctx, url, l, b, m.source())
	}
	for {
		w, mine := p.loading(sourceKey{url, limitsOf(l)})
		if mine {
			p.load(ctx, w, url, l, b)
		} else {
			select {
			case <-w.done:
			case <-ctx.Done():
				return nil, &canon.LimitError{Limit: "time", Err: ctx.Err(), Where: url}
			}
		}
		switch {
		case w.err == nil && p.state == Documents:
			return w.src.fresh(), nil
		case w.err == nil || mine || ctx.Err() != nil || !errors.Is(w.err, context.Canceled) &&
			!errors.Is(w.err, context.DeadlineExceeded):
			return w.src, w.err
		}
	}
}

// loading returns the load of a key, and reports whether the caller has to do it.
func (p *Processor) loading(key sourceKey) (w *loading, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.sources[key]; w != nil {
		return w, false
	}
	w = &loading{done: make(chan struct{})}
	p.sources[key] = w
	return w, true
}

// load loads a source for all that wait for it. A failure is not kept, even a panic of the loader, so that
// the next call tries again.
func (p *Processor) load(ctx context.Context, w *loading, url string, l canon.Limits, b *canon.Budget) {
	w.err = &Error{Code: LoadingRemoteContextFailed, Detail: url + ": the loader panicked"}
	defer func() {
		if w.err != nil {
			p.mu.Lock()
			delete(p.sources, sourceKey{url, limitsOf(l)})
			p.mu.Unlock()
		}
		close(w.done)
	}()
	w.src, w.err = p.fetch(ctx, url, l, b, new(source))
	if w.err == nil {
		w.src.kept.Store(true)
		w.src.add(p, int64(len(w.src.str)+w.src.tape.Size()))
	}
}

// fetch loads a context document into s, which is empty.
//
//phase:context
func (p *Processor) fetch(
	ctx context.Context, url string, l canon.Limits, b *canon.Budget, s *source,
) (*source, error) {
	if p.loader == nil {
		return nil, &Error{Code: LoadingRemoteContextFailed, Detail: url + ": no loader was given"}
	}
	if err := b.Document(url); err != nil {
		return nil, err
	}

	p.count.loads.Add(1)
	doc, err := p.loader.Load(ctx, url)
	if err != nil {
		return nil, err
	}

	if doc == nil {
		return nil, &Error{Code: LoadingRemoteContextFailed, Detail: url +
			": the loader returned no document"}
	}

	if len(doc.Bytes) > l.Context {
		return nil, &canon.LimitError{Limit: "context", Max: int64(l.Context), Done: int64(len(doc.Bytes)),
			Where: url}
	}

	final := doc.URL
	if final == "" {
		final = url
	}

	opt := jsontape.Options{Depth: l.Depth, Memory: max(1, b.Left())}
	if err := s.read(final, doc.Bytes, opt); err != nil {
		return nil, err
	}

	c := s.tape.Get(0, "@context")
	if c < 0 { // 5.2.5.2
		return nil, &Error{Code: InvalidRemoteContext, Detail: url + " has no @context"}
	}

	s.context = uint32(c)
	return s, nil
}
