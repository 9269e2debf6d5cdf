package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"time"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/schemas/shape"
)

// Loaded is what one canonicalization takes with contexts from somewhere.
type Loaded struct {
	From   string  `json:"from"`
	Engine string  `json:"engine"`
	Wall   float64 `json:"median_wall_ns"`
	Calls  int     `json:"loads"` // of one operation
}

// Sources of contexts.
const (
	static   = "memory"
	delayed  = "memory, after 50 ms"
	loopback = "a server of this machine"
)

const delay = 50 * time.Millisecond

// loaders canonicalizes a credential whose contexts are loaded by each call. The elapsed time of single calls
// in this process is enough for what is asked: delays of tens of milliseconds.
func loaders(ctx context.Context, e *evidence) error {
	doc, err := document("simple-20")
	if err != nil {
		return err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, err := contexts.Embedded().Load(r.Context(), r.URL.Query().Get("url"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_, _ = w.Write(d.Bytes) // the client sees a body that is cut short
	}))
	defer server.Close()

	n := 9
	if e.full {
		n = 99
	}
	for _, engine := range []compare.Engine{canon.Stock, canon.Native} {
		for _, from := range []string{static, delayed, loopback} {
			l := &loader{from: from, server: server.URL}
			c, err := engines.Unguarded(engine, canon.RDFC, engines.Config{Loader: l, Contexts: jsonld.Cold})
			if err != nil {
				return err
			}
			walls := make([]time.Duration, n)
			for i := range walls {
				l.calls = 0
				begun := time.Now()
				if _, err := c.Canonicalize(ctx, doc, canon.Options{Limits: measure.Limits}); err != nil {
					return err
				}
				walls[i] = time.Since(begun)
			}
			slices.Sort(walls)
			e.loaders = append(e.loaders, Loaded{from, string(engine), float64(walls[n/2]), l.calls})
		}
	}
	return nil
}

// loader serves the contexts that are built in from somewhere, to one call at a time.
type loader struct {
	from, server string
	calls        int
}

// Load implements [jsonld.Loader].
func (l *loader) Load(ctx context.Context, ref string) (*jsonld.Document, error) {
	l.calls++
	switch l.from {
	case delayed:
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case loopback:
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.server+"/?url="+url.QueryEscape(ref),
			nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(io.LimitReader(resp.Body, canon.DefaultContext))
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("the server answers %s", resp.Status)
		}
		return &jsonld.Document{URL: ref, Bytes: b}, err
	}
	return contexts.Embedded().Load(ctx, ref)
}

// document is the first of a schema.
func document(schema string) ([]byte, error) {
	g, err := catalogue.Get(schema)
	if err != nil {
		return nil, err
	}
	c, err := g.Document(1, 0)
	if err != nil {
		return nil, err
	}
	return c.VCDM, nil
}

// Limited is whether a document is canonicalized within a limit of work.
type Limited struct {
	Document string `json:"document"`
	Work     int64  `json:"limit"` // n-degree calls and permutations
	Within   bool   `json:"within"`
	Needs    *int64 `json:"needs,omitempty"` // of them, of a real credential
}

// workLimits are those of the sweep; the last is the default.
var workLimits = []int64{100, 1_000, 10_000, 100_000, canon.DefaultWork}

// limits canonicalizes hard datasets under rising limits of work, and real credentials under the default one.
func limits(ctx context.Context, e *evidence) error {
	c, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		return err
	}
	for _, name := range []string{"clique-4", "clique-6", "clique-7", "clique-9", "cubic-64", "ring-64"} {
		doc, err := document(name)
		if err != nil {
			return err
		}
		for _, work := range workLimits {
			opt := canon.Options{Input: canon.NQuads, Limits: canon.Limits{Work: work, Time: time.Minute}}
			_, err := c.Canonicalize(ctx, doc, opt)
			var reached *canon.LimitError
			if err != nil && !errors.As(err, &reached) {
				return fmt.Errorf("%s: %w", name, err)
			}
			e.limits = append(e.limits, Limited{Document: name, Work: work, Within: err == nil})
			if err == nil {
				break
			}
		}
	}

	for _, name := range []string{"kit-ob3", "ob3", "clr-medium", "clr-large", "elm-large"} {
		doc, err := document(name)
		if err != nil {
			return err
		}
		f, err := shape.Measure(ctx, doc, shape.Options{Loader: contexts.Experiments()})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		e.limits = append(e.limits, Limited{name, canon.DefaultWork, f.Work <= canon.DefaultWork, &f.Work})
	}
	return nil
}
