package jsonld

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
)

// Map is a loader over documents that the caller holds, by URL.
type Map map[string][]byte

// Load implements Loader.
func (m Map) Load(_ context.Context, url string) (*Document, error) {
	if b, ok := m[url]; ok {
		return &Document{URL: url, Bytes: b}, nil
	}
	return nil, fmt.Errorf("context %q is not among those given", url)
}

// HTTPOptions of the loader that asks the network.
type HTTPOptions struct {
	Hosts   []string      // hosts that may be asked, as "w3id.org" or "localhost:8080"; also after redirects
	Plain   bool          // allow http beside https
	Bytes   int           // size of one document; default canon.DefaultContext
	Timeout time.Duration // of one document with its redirects; default 10 s
	Client  *http.Client  // default http.DefaultClient; its redirect policy is replaced
}

// maxRedirects is how many redirects one document may take.
const maxRedirects = 5

type httpLoader struct {
	opt    HTTPOptions
	client http.Client
}

// HTTP returns a loader that fetches contexts from the hosts in opt and no others. A Processor asks it once for each URL,
// unless its cache state is Cold.
func HTTP(opt HTTPOptions) Loader {
	if opt.Bytes <= 0 {
		opt.Bytes = canon.DefaultContext
	}
	if opt.Timeout <= 0 {
		opt.Timeout = 10 * time.Second
	}
	l := &httpLoader{opt: opt}
	if opt.Client != nil {
		l.client = *opt.Client
	}
	l.client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return l.allowed(req.URL)
	}
	return l
}

func (l *httpLoader) allowed(u *url.URL) error {
	if u.Scheme != "https" && !(l.opt.Plain && u.Scheme == "http") {
		return fmt.Errorf("%s: the scheme %q is not allowed", u, u.Scheme)
	}
	if !slices.Contains(l.opt.Hosts, u.Host) {
		return fmt.Errorf("%s: the host %q is not on the list of allowed hosts", u, u.Host)
	}
	return nil
}

// Load implements Loader (JSON-LD API section 9.4.1, for context documents).
func (l *httpLoader) Load(ctx context.Context, address string) (*Document, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if err := l.allowed(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.opt.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/ld+json;profile=http://www.w3.org/ns/json-ld#context, application/ld+json, application/json;q=0.9")
	res, err := l.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, res.Status)
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return nil, fmt.Errorf("%s: content type: %w", address, err)
	}
	if kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, &canon.UnsupportedError{Engine: "jsonld", What: "a context of type " + kind, Where: address}
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, int64(l.opt.Bytes)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > l.opt.Bytes {
		return nil, &canon.LimitError{Limit: "context", Max: int64(l.opt.Bytes), Done: int64(len(text)), Where: address}
	}
	return &Document{URL: res.Request.URL.String(), Bytes: text}, nil
}
