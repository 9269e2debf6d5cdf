//phase:caller
package jsonld

import (
	"context"
	"fmt"
)

// Document is a context document as a loader found it. Bytes must not change; a loader that serves facts may return the
// same slice each time.
type Document struct {
	URL   string // final URL after redirects
	Bytes []byte // JSON text
}

// Loader finds remote contexts (JSON-LD API section 9.4, LoadDocumentCallback). Implementations are safe for concurrent
// use and touch the network only where their user asked for it. An unknown URL is an error that names it.
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
	return nil, fmt.Errorf("context %q is not among those given", url)
}
