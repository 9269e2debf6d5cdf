//phase:caller
package stock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/piprate/json-gold/ld"

	"canonscope/canon"
	"canonscope/canon/jsonld"
)

// cache holds parsed context documents, the usual way to make json-gold fast: each is loaded and parsed once.
//
// Invariant: documents are shared without locks and never change. json-gold modifies a document that
// another context imports, and no other document of a loader. So a call that meets an @import parses each
// document again.
type cache struct {
	from    jsonld.Loader
	native  func() *jsonld.Processor // estimates the cost of documents
	cold    bool                     // keep nothing
	docs    sync.Map                 // docKey to *ld.RemoteDocument
	entries atomic.Int64
	bytes   atomic.Int64 // of the text of all documents
}

func newCache(from jsonld.Loader, cold bool) *cache {
	native := func() *jsonld.Processor { return jsonld.New(jsonld.Config{Loader: from}) }
	return &cache{from: from, cold: cold, native: sync.OnceValue(native)}
}

type docKey struct {
	url   string
	limit int // bytes that the call allows a context
}

const (
	maxCached = 1024    // documents; beyond it they are loaded each time
	maxBytes  = 8 << 20 // of their text; parsed documents take ten times the memory
	maxLoads  = 100_000 // of one call: json-gold does not notice contexts that include each other
)

// loader is the document loader of one call.
//
//phase:context
type loader struct {
	ctx   context.Context
	cache *cache
	limit int             // bytes of one context
	most  int             // documents
	asked map[string]bool // URLs requested from the source of the cache
	fresh bool            // parse each document again, since the call has met an @import
	loads int
	err   error // the first error, which json-gold may hide
}

// LoadDocument finds a context document for json-gold.
func (l *loader) LoadDocument(url string) (*ld.RemoteDocument, error) {
	doc, err := l.load(url)
	if err != nil && l.err == nil {
		l.err = err
	}
	return doc, err
}

func (l *loader) load(url string) (*ld.RemoteDocument, error) {
	l.loads++
	if l.loads > maxLoads {
		return nil, &canon.LimitError{Limit: "context", Max: maxLoads, Done: maxLoads, Where: url}
	}

	key := docKey{url, l.limit}
	if !l.fresh {
		if doc, ok := l.cache.docs.Load(key); ok {
			return doc.(*ld.RemoteDocument), nil
		}
	}

	if l.cache.from == nil {
		return nil, fmt.Errorf("context %q: the engine has no loader for contexts", url)
	}

	if l.asked[url] = true; len(l.asked) > l.most {
		return nil, &canon.LimitError{Limit: "documents", Max: int64(l.most), Done: int64(len(l.asked)),
			Where: url}
	}

	found, err := l.cache.from.Load(l.ctx, url)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("context %q: the loader returned no document", url)
	}

	if len(found.Bytes) > l.limit {
		return nil, &canon.LimitError{Limit: "context", Max: int64(l.limit), Done: int64(len(found.Bytes)),
			Where: url}
	}

	doc := &ld.RemoteDocument{DocumentURL: found.URL}
	if err := json.Unmarshal(found.Bytes, &doc.Document); err != nil {
		return nil, fmt.Errorf("context %q: %w", url, err)
	}

	l.see(found.Bytes, doc.Document)
	if !l.fresh && l.cache.entries.Add(1) <= maxCached &&
		l.cache.bytes.Add(int64(len(found.Bytes))) <= maxBytes {
		l.cache.docs.Store(key, doc)
	}

	return doc, nil
}

// see makes the loader parse each document again if JSON text, decoded as v, holds an @import, even an
// escaped one.
func (l *loader) see(text []byte, v any) {
	l.fresh = l.fresh || bytes.Contains(text, importKey) || bytes.Contains(text, escape) && imports(v)
}

var importKey, escape = []byte(`"@import"`), []byte(`\u`)

// imports reports whether a JSON value holds a member @import.
func imports(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, imports)
	case map[string]any:
		for key, x := range v {
			if key == "@import" || imports(x) {
				return true
			}
		}
	}
	return false
}

// cause returns an error of json-gold with its code. If the loader met a limit, it returns that error
// unchanged.
func (l *loader) cause(err error) error {
	var limit *canon.LimitError
	if errors.As(l.err, &limit) || errors.As(err, &limit) {
		return limit
	}
	var typed *ld.JsonLdError
	if !errors.As(err, &typed) {
		return fmt.Errorf("json-gold: %w", err)
	}
	if l.err != nil {
		err = l.err
	}
	return &jsonld.Error{Code: jsonld.Code(typed.Code), Err: fmt.Errorf("json-gold: %w", err)}
}
