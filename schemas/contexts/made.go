package contexts

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"canonscope/canon/jsonld"
)

// The contexts of experiments have URLs on a host that does not exist; the loader of [Experiments] makes
// them on request.
const madeHost = "https://contexts.example/"

// MaxPadding is the largest number of terms of one padding context.
const MaxPadding = 100_000

// Padding returns the URL of a context of n terms that no document uses. Contexts with different k share no
// terms.
func Padding(n, k int) string { return fmt.Sprintf("%spadding/%d/%d", madeHost, n, k) }

// Scopings names the ways Open Badges 3.0.3 is compiled for comparison: the same terms with the same IRIs
// and types, and so the same quads, in type-scoped contexts (as published), in none, or in property-scoped
// ones. The last two are not protected, so that contexts which scope the same terms in another way, such as
// CLR, still apply.
var Scopings = []string{"type", "flat", "property"}

// Scoping returns the URL of Open Badges 3.0.3 compiled in one of the [Scopings]; the official URL for
// "type".
func Scoping(scoping string) string {
	if scoping == "type" {
		return "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"
	}
	return madeHost + "open-badges-3.0.3/" + scoping
}

// maxMade bounds the bytes that a loader of experiments keeps. It keeps documents for cells that call the
// loader each time.
const maxMade = 64 << 20

type experiments struct {
	mu   sync.Mutex
	docs map[string]*jsonld.Document
	size int
}

// Experiments returns a new loader over the embedded contexts and those of experiments (see [Padding] and
// [Scoping]). Do not use it for untrusted documents, which could have it make any number of contexts.
func Experiments() jsonld.Loader {
	return Chain(Embedded(), &experiments{docs: map[string]*jsonld.Document{}})
}

func (e *experiments) Load(_ context.Context, url string) (*jsonld.Document, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d, ok := e.docs[url]; ok {
		return d, nil
	}
	root := made(url)
	if root == nil {
		return nil, &UnknownError{URL: url, In: "embedded"}
	}
	d := &jsonld.Document{URL: url, Bytes: root.document()}
	const entry = 256 // of the map, about
	size := len(d.Bytes) + len(url) + entry
	if e.size+size > maxMade {
		clear(e.docs)
		e.size = 0
	}
	e.docs[url] = d
	e.size += size
	return d, nil
}

// made makes a context of experiments, or returns nil for any other URL.
func made(url string) *scope {
	path, ok := strings.CutPrefix(url, madeHost)
	if !ok {
		return nil
	}
	switch {
	case path == "open-badges-3.0.3/flat":
		return flat(openBadges(), nil)
	case path == "open-badges-3.0.3/property":
		return propertyScoped(openBadges())
	case strings.HasPrefix(path, "padding/"):
		return padding(path)
	}
	return nil
}

// padding makes a context of n unused terms, or returns nil for any other path.
func padding(path string) *scope {
	f := strings.Split(path, "/")
	if len(f) != 3 {
		return nil
	}
	n, err1 := strconv.Atoi(f[1])
	k, err2 := strconv.Atoi(f[2])
	if err1 != nil || err2 != nil || n < 0 || n > MaxPadding || k < 0 || Padding(n, k) != madeHost+path {
		return nil
	}
	s := &scope{protected: true}
	for i := range n {
		name := fmt.Sprintf("unused%d_%05d", k, i)
		s.terms = append(s.terms, &term{name: name, iri: "https://vocab.example/unused#" + name,
			object: true})
	}
	return s
}

func openBadges() *scope {
	i := slices.Index(order, "open-badges-3.0.3")
	return load()[i].root
}

// flat moves the terms in the scopes of the root's types to the root, except for the types in keep.
func flat(root *scope, keep []string) *scope {
	out := &scope{}
	for _, t := range root.terms {
		u := *t
		u.scope = nil
		u.object = true
		out.merge(&u)
	}
	for _, t := range root.terms {
		if t.scope == nil || slices.Contains(keep, t.name) {
			continue
		}
		for _, u := range t.scope.terms {
			out.merge(u)
		}
	}
	return out
}

// merge adds a copy of t, or joins it with the existing definition: a type or container of either applies
// to both. Type coercion does not change a node object, so the joined definition gives the same quads as
// both.
func (s *scope) merge(t *term) {
	i := s.find(t.name)
	if i < 0 {
		u := *t
		s.terms = append(s.terms, &u)
		return
	}
	u := s.terms[i]
	if u.iri != t.iri || u.typ != "" && t.typ != "" && u.typ != t.typ || u.container != "" &&
		t.container != "" && u.container != t.container {
		panic("contexts: term " + t.name + " has two meanings") // the embedded facts are proven by a test
	}
	u.typ = u.typ + t.typ[min(len(u.typ), len(t.typ)):]
	u.container = u.container + t.container[min(len(u.container), len(t.container)):]
}

// scopedBy names the type whose terms a property brings. Profiles, subjects and evidence are values of
// properties of the credential, which belong to VCDM, so their terms are at the root.
var scopedBy = map[string]string{
	"achievement": "Achievement", "address": "Address", "alignment": "Alignment", "geo": "GeoCoordinates",
	"identifier": "IdentityObject", "image": "Image", "otherIdentifier": "IdentifierEntry",
	"related": "Related",
	"result":  "Result", "resultDescription": "ResultDescription",
	"rubricCriterionLevel": "RubricCriterionLevel",
}

func propertyScoped(root *scope) *scope {
	var keep []string
	for _, typ := range scopedBy {
		keep = append(keep, typ)
	}
	out := flat(root, keep)
	all := flat(root, nil) // the joined definitions, the same in every scope
	out.scopeProperties(root, all)
	return out
}

func (s *scope) scopeProperties(root, all *scope) {
	for i, t := range s.terms {
		typ, ok := scopedBy[t.name]
		if !ok {
			continue
		}
		u := *all.terms[all.find(t.name)]
		u.scope = &scope{}
		for _, inner := range root.terms[root.find(typ)].scope.terms {
			u.scope.merge(all.terms[all.find(inner.name)])
		}
		u.scope.scopeProperties(root, all)
		s.terms[i] = &u
	}
}
