package contexts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsonld"
)

// HTTP loads contexts from the network (JSON-LD API section 9.4, LoadDocumentCallback). Nothing uses it
// unless the user asks for it, because the content of a URL can change, and because the document then
// chooses the hosts. Make one with [NewHTTP].
type HTTP struct {
	allow   []string
	limit   int
	timeout time.Duration
	client  http.Client
	calls   atomic.Int64
}

// HTTPConfig bounds an HTTP loader.
type HTTPConfig struct {
	Allow   []string      // allowed hosts, as HOST or HOST:PORT; empty allows all with public addresses
	Limit   int           // bytes of one document; default canon.DefaultContext
	Timeout time.Duration // for one document with its redirects; default 10 s
}

const maxRedirects = 5

// NewHTTP returns a loader. It uses https, and http only for hosts that Allow names.
func NewHTTP(c HTTPConfig) *HTTP {
	h := &HTTP{allow: c.Allow, limit: c.Limit, timeout: c.Timeout}
	if h.limit <= 0 {
		h.limit = canon.DefaultContext
	}
	if h.timeout <= 0 {
		h.timeout = 10 * time.Second
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext,
		TLSHandshakeTimeout: 5 * time.Second, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10}
	if len(c.Allow) == 0 {
		dialer.Control = publicOnly
		transport.Proxy = nil // the check would see its address, not that of the host
	}
	h.client = http.Client{
		Transport:     transport,
		CheckRedirect: func(r *http.Request, via []*http.Request) error { return h.redirect(r, len(via)) },
	}
	return h
}

// Calls returns how many requests were made for documents, without redirects.
func (h *HTTP) Calls() int64 { return h.calls.Load() }

// Load fetches a context document.
func (h *HTTP) Load(ctx context.Context, u string) (*jsonld.Document, error) {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	doc, err := h.load(ctx, u, true)
	if err != nil {
		if parsed, bad := url.Parse(u); bad == nil {
			u = parsed.Redacted()
		}
		return nil, fmt.Errorf("context %q: %w", u, err)
	}
	return doc, nil
}

func (h *HTTP) load(ctx context.Context, u string, alternate bool) (*jsonld.Document, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	if err := h.allowed(r.URL); err != nil {
		return nil, err
	}

	r.Header.Set("Accept", "application/ld+json, application/json;q=0.9, */*;q=0.1")
	h.calls.Add(1)
	answer, err := h.client.Do(r)
	if err != nil {
		var cause *url.Error
		if errors.As(err, &cause) {
			err = cause.Err // the message has the URL already
		}
		return nil, err
	}

	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %s", answer.Status)
	}

	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		if to := alternateOf(answer); alternate && to != "" {
			return h.load(ctx, to, false)
		}
		return nil, fmt.Errorf("the server sent %q, not JSON", kind)
	}

	b, err := io.ReadAll(io.LimitReader(answer.Body, int64(h.limit)+1))
	if err != nil {
		return nil, err
	}
	if len(b) > h.limit {
		return nil, &canon.LimitError{Limit: "context", Max: int64(h.limit), Done: int64(len(b)), Where: u}
	}

	return &jsonld.Document{URL: answer.Request.URL.String(), Bytes: b}, nil
}

// alternateOf returns the URL of the JSON-LD that an answer other than JSON names, or "" (JSON-LD API
// section 9.4 step 4).
func alternateOf(answer *http.Response) string {
	for _, link := range strings.Split(strings.Join(answer.Header.Values("Link"), ","), ",") {
		target, params, ok := strings.Cut(strings.TrimSpace(link), ">")
		if !ok || !strings.HasPrefix(target, "<") {
			continue
		}
		if _, p, err := mime.ParseMediaType("x/x" + params); err != nil || p["rel"] != "alternate" ||
			p["type"] != "application/ld+json" {
			continue
		}
		if u, err := answer.Request.URL.Parse(target[1:]); err == nil {
			return u.String()
		}
	}
	return ""
}

func (h *HTTP) redirect(r *http.Request, hops int) error {
	if hops > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return h.allowed(r.URL)
}

// allowed returns an error if a URL must not be fetched.
func (h *HTTP) allowed(u *url.URL) error {
	named := slices.ContainsFunc(h.allow, func(a string) bool {
		return strings.EqualFold(a, u.Host) || strings.EqualFold(a, u.Hostname()) && u.Port() == ""
	})
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%s is neither https nor http", u.Redacted())
	case u.User != nil:
		return fmt.Errorf("%s holds credentials", u.Redacted())
	case len(h.allow) > 0 && !named:
		return fmt.Errorf("host %s is not allowed; allowed are %s", u.Host,
			strings.Join(h.allow, ", "))
	case u.Scheme == "http" && !named:
		return fmt.Errorf("%s is not https; name the host to allow it", u.Redacted())
	}
	return nil
}

// publicOnly keeps documents from reaching into the user's network.
func publicOnly(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if ip := a.Addr().Unmap(); !public(ip) {
		return fmt.Errorf("address %s is not public; name the host to allow it", ip)
	}
	return nil
}

// special are the networks among the unicast addresses of IPv4, and among those that IPv6 has assigned
// (2000::/3), that are not the public network or lead to another address (IANA special-purpose address
// registries).
var special = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16",
	"3fff::/20")

var global = netip.MustParsePrefix("2000::/3")

func public(ip netip.Addr) bool {
	return (ip.Is4() || global.Contains(ip)) &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}
