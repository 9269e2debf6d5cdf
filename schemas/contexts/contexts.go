// Package contexts holds the JSON-LD contexts of credentials as facts and serves them to a JSON-LD processor.
//
// A context is a table of terms in the project's own notation (folder facts; [Parse] describes it).
// [Embedded] is a loader over these tables: it renders each once as the JSON context document that has the
// same value as the official file. [Experiments] is a loader that also makes contexts for experiments.
// [Dir] is a loader over a folder of official files, [Chain] asks several loaders in turn, and
// [Differences] compares two context documents by value. Only [HTTP] uses the network.
package contexts

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"canonscope/canon/choice"
	"canonscope/canon/jsonld"
)

// Info describes one context, or one variant of it: a different content seen at the same URL.
type Info struct {
	Name    string // short name, e.g. "open-badges-3.0.3"
	Title   string
	URL     string
	SHA256  string // of the official file, hexadecimal; the rendered bytes differ from it
	SHA384  string // of the same
	Date    string // of this version, if known
	Variant string // name of this content if its URL has several, else ""
	Terms   int    // term definitions in all scopes
	JSON    []byte // the rendered context document; must not change
}

//go:embed facts/*.ctx
var facts embed.FS

// order is the order of List: the data model, then what education adds, then the rest.
var order = []string{
	"credentials-v2", "credentials-v1", "data-integrity-v2", "multikey-v1",
	"open-badges-3.0.3", "open-badges-3.0.2", "open-badges-3.0.1", "open-badges-extensions", "clr-2.0.1",
	"elm-edc-ap",
	"bitstring-status-list-v1", "ed25519-2020-v1", "did-v1", "credentials-examples-v2", "undefined-terms-v2",
}

var load = sync.OnceValue(func() []*Table {
	tables := make([]*Table, len(order))
	for i, name := range order {
		src, err := facts.ReadFile("facts/" + name + ".ctx")
		if err == nil {
			tables[i], err = Parse(name+".ctx", src)
		}
		if err != nil {
			panic(err) // an embedded file, proven by the tests
		}
	}
	return tables
})

// List returns the embedded contexts in a fixed order; with variants, each is followed by its variants.
func List(variants bool) []Info {
	var all []Info
	for _, t := range load() {
		if variants {
			all = append(all, t.Contents...)
		} else {
			all = append(all, t.Contents[0])
		}
	}
	return all
}

// Find returns the embedded context with this URL or short name. NAME@VARIANT or URL@VARIANT picks a variant.
func Find(ref string) (Info, error) {
	var known []string
	for _, t := range load() {
		first := t.Contents[0]
		known = append(known, first.Name, first.URL)
		if ref == first.Name || ref == first.URL {
			return first, nil
		}
		base, variant, ok := cutLast(ref)
		if !ok || base != first.Name && base != first.URL {
			continue
		}
		var have []string
		for _, c := range t.Contents {
			if c.Variant == variant {
				return c, nil
			}
			have = append(have, c.Variant)
		}
		return Info{}, fmt.Errorf("context %s has no variant %q; it has: %s", first.Name, variant,
			strings.TrimPrefix(strings.Join(have, ", "), ", "))
	}
	return Info{}, choice.Unknown("context", ref, known...)
}

func cutLast(ref string) (base, variant string, ok bool) {
	i := strings.LastIndexByte(ref, '@')
	if i < 0 {
		return "", "", false
	}
	return ref[:i], ref[i+1:], true
}

// UnknownError reports a URL for which a loader has no document.
type UnknownError struct {
	URL string
	In  string // what was searched
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("context %q is not %s", e.URL, e.In)
	urls := func(yield func(string) bool) {
		for _, t := range load() {
			if !yield(t.Contents[0].URL) {
				return
			}
		}
	}
	if near := choice.Nearest(e.URL, urls); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}

type table struct {
	docs map[string]*jsonld.Document
	in   string
}

func (t *table) Load(_ context.Context, url string) (*jsonld.Document, error) {
	if d, ok := t.docs[url]; ok {
		return d, nil
	}
	return nil, &UnknownError{URL: url, In: t.in}
}

var embedded = sync.OnceValue(func() jsonld.Loader {
	l, err := EmbeddedWith()
	if err != nil {
		panic(err) // no variant is requested
	}
	return l
})

// Embedded returns the loader over the embedded contexts. Every call returns the same documents.
func Embedded() jsonld.Loader { return embedded() }

// EmbeddedWith is Embedded with other contents for some URLs, each named as NAME@VARIANT, e.g.
// "elm-edc-ap@3.2".
func EmbeddedWith(variants ...string) (jsonld.Loader, error) {
	docs := map[string]*jsonld.Document{}
	for _, c := range List(false) {
		docs[c.URL] = &jsonld.Document{URL: c.URL, Bytes: c.JSON}
	}
	for _, v := range variants {
		c, err := Find(v)
		if err != nil {
			return nil, err
		}
		docs[c.URL] = &jsonld.Document{URL: c.URL, Bytes: c.JSON}
	}
	return &table{docs: docs, in: "embedded"}, nil
}

type chain []jsonld.Loader

// Chain returns a loader that asks each loader in turn and returns the first document. An error other than
// UnknownError ends the search.
func Chain(loaders ...jsonld.Loader) jsonld.Loader {
	return chain(slices.DeleteFunc(slices.Clone(loaders), func(l jsonld.Loader) bool { return l == nil }))
}

func (c chain) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	in := "embedded"
	for _, l := range c {
		d, err := l.Load(ctx, url)
		if err == nil {
			return d, nil
		}
		u, ok := err.(*UnknownError)
		if !ok {
			return nil, err
		}
		in = u.In
	}
	return nil, &UnknownError{URL: url, In: in}
}
