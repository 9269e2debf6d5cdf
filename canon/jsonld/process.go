package jsonld

import (
	"errors"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// remoteChain is the list of remote contexts that led to the current one (JSON-LD API section 4.1.2, remote contexts).
type remoteChain struct {
	url string
	up  *remoteChain
	n   int
}

func (c *remoteChain) has(url string) bool {
	for ; c != nil; c = c.up {
		if c.url == url {
			return true
		}
	}
	return false
}

// how says in what way a local context is applied.
type how struct {
	override  bool // may change protected terms
	propagate bool
	check     bool // only to validate a scoped context (validate scoped context is false)
}

// process is the Context Processing algorithm (JSON-LD API section 4.1.2).
func (r *run) process(ctx *activeContext, src *source, node uint32, baseURL string, remotes *remoteChain, h how) (*activeContext, error) {
	nodes := src.tape.Nodes
	if nodes[node].Kind == jsontape.Object { // 2
		if v := src.tape.Get(int(node), "@propagate"); v >= 0 {
			h.propagate = nodes[v].Kind != jsontape.False
		}
	}
	result := ctx
	if !h.propagate && ctx.previous == nil { // 3
		result = ctx.with()
		result.previous = ctx
	}
	if nodes[node].Kind != jsontape.Array { // 4
		return r.processOne(result, ctx, src, node, baseURL, remotes, h)
	}
	var err error
	for c := node + 1; c < nodes[node].Next; c = nodes[c].Next { // 5
		if result, err = r.processOne(result, ctx, src, c, baseURL, remotes, h); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// processOne is the body of step 5.
func (r *run) processOne(result, ctx *activeContext, src *source, node uint32, baseURL string, remotes *remoteChain, h how) (*activeContext, error) {
	switch src.kind(node) {
	case jsontape.Null: // 5.1
		if !h.override && ctx.terms.hasProtected() {
			return nil, r.contextError(InvalidContextNullification, src, node, "the active context has protected terms")
		}
		fresh := initialContext(ctx.original, ctx.family)
		if !h.propagate {
			fresh.previous = result
		}
		return fresh, nil
	case jsontape.String: // 5.2
		url := resolve(baseURL, src.text(node)) // 5.2.1
		if !hasScheme(url) {
			return nil, r.contextError(LoadingDocumentFailed, src, node, quote(url)+" is a relative reference, and there is no base IRI")
		}
		if h.check && remotes.has(url) { // 5.2.2
			return result, nil
		}
		n := 1
		if remotes != nil {
			n = remotes.n + 1
		}
		if max := r.p.limits.Remote; n > max { // 5.2.3
			return nil, r.contextError(ContextOverflow, src, node, fmt.Sprintf("more than %d contexts refer to one another", max))
		}
		if err := r.spend(referenceCost); err != nil {
			return nil, err
		}
		loaded, err := r.load(url, src, node) // 5.2.4, 5.2.5
		if err != nil {
			return nil, err
		}
		down := how{override: h.override, propagate: true, check: h.check}
		return r.process(result, loaded, loaded.context, loaded.url, &remoteChain{url, remotes, n}, down) // 5.2.6
	case jsontape.Object:
		d, err := r.deltaFor(result, nil, src, node, baseURL, remotes)
		if err != nil {
			return nil, err
		}
		return r.apply(result, d, src, node, remotes != nil, h.override)
	}
	return nil, r.contextError(InvalidLocalContext, src, node, "a context is a string, an object, null or an array of these") // 5.3
}

// deltaFor returns the context definition compiled for the given surroundings, from the store if it fits there.
func (r *run) deltaFor(ctx *activeContext, outer *definer, src *source, node uint32, baseURL string, remotes *remoteChain) (*delta, error) {
	src.mu.Lock()
	d := src.deltas[node]
	src.mu.Unlock()
	if d != nil && d.fits(ctx, outer) {
		return d, r.spend(int64(len(d.needs)))
	}
	d, err := r.compile(ctx, outer, src, node, baseURL, remotes)
	if err == nil && !d.usesBase {
		src.mu.Lock()
		if src.deltas == nil {
			src.deltas = map[uint32]*delta{}
		}
		src.deltas[node] = d
		src.mu.Unlock()
	}
	return d, err
}

// fits reports whether d would be compiled to the same thing in these surroundings.
func (d *delta) fits(ctx *activeContext, outer *definer) bool {
	if d.usesVocab {
		has, vocab := ctx.hasVocab, ctx.vocab
		if outer != nil {
			has, vocab = outer.hasVocab, outer.vocab
		}
		if has != d.hadVocab || vocab != d.oldVocab {
			return false
		}
	}
	if outer != nil {
		inner := definer{ctx: ctx, outer: outer}
		for i := range d.needs {
			if n := &d.needs[i]; inner.around(n.name, n.hash, n.strong) != n.want {
				return false
			}
		}
		return true
	}
	initial := ctx.isInitial()
	for i := range d.needs {
		n := &d.needs[i]
		if initial && n.want == nil {
			continue
		}
		if live(ctx.terms.findHashed(n.name, n.hash, n.strong)) != n.want {
			return false
		}
	}
	return true
}

// apply adds the terms and settings of a compiled context definition to an active context.
func (r *run) apply(ctx *activeContext, d *delta, src *source, node uint32, remote, override bool) (*activeContext, error) {
	c := ctx.with()
	if !remote { // 5.7
		switch d.hasBase {
		case null:
			c.base = ""
		case set:
			switch {
			case hasScheme(d.base):
				c.base = d.base
			case c.base != "":
				c.base = resolve(c.base, d.base)
			default:
				return nil, r.contextError(InvalidBaseIRI, src, node, "@base "+quote(d.base)+" is relative, and there is no base IRI")
			}
		}
	}
	if d.hasVocab != unset {
		c.hasVocab, c.vocab = d.hasVocab == set, d.vocab
	}
	if d.hasLang != unset {
		c.lang = d.lang
	}
	if d.hasDir != unset {
		c.dir = d.dir
	}
	if len(d.terms) == 0 {
		return c, r.grow(c, 0)
	}
	c.terms = ctx.terms.clone(len(d.terms))
	initial := ctx.isInitial()
	for _, t := range d.terms {
		if !initial {
			old := live(c.terms.findHashed(t.name, t.hash, t.strong))
			if old == nil && t.removed {
				continue
			}
			if old != nil && old.protected && !override { // 27
				if !sameTerm(t, old) {
					return nil, r.contextError(ProtectedTermRedefinition, src, node, "the term "+quote(t.name)+" is protected")
				}
				continue
			}
		} else if t.removed {
			continue
		}
		c.terms.put(t)
	}
	if max := r.p.limits.Terms; c.terms.total() > max {
		return nil, r.termLimit(max, c.terms.total())
	}
	return c, r.grow(c, len(c.terms.slots))
}

// checkScoped processes the scoped context of a term only to find its errors (4.2.2 step 21.3).
func (r *run) checkScoped(f *definer, src *source, node uint32, baseURL string, remotes *remoteChain) error {
	switch src.kind(node) {
	case jsontape.Null:
		return nil
	case jsontape.Object: // the usual case needs no active context of its own
		_, err := r.deltaFor(f.ctx, f, src, node, baseURL, remotes)
		return err
	}
	// What is reached on several ways is checked once while a context is processed: elsewhere it may mean something else.
	key := checkKey{src, node}
	if r.checked[key] {
		return nil
	}
	if r.checked == nil {
		r.checked = map[checkKey]bool{}
	}
	r.checked[key] = true
	if err := r.spend(contextCost + int64(len(f.entries))); err != nil {
		return err
	}
	_, err := r.process(f.snapshot(), src, node, baseURL, remotes, how{override: true, propagate: true, check: true})
	return err
}

type checkKey struct {
	src  *source
	node uint32
}

// snapshot returns the active context as the definition has made it so far.
func (f *definer) snapshot() *activeContext {
	around := f.ctx
	if f.outer != nil {
		around = f.outer.snapshot()
	}
	c := around.with()
	c.base, c.vocab, c.hasVocab = f.base, f.vocab, f.hasVocab
	c.terms = around.terms.clone(len(f.entries))
	for i := range f.entries {
		if e := &f.entries[i]; e.state == done && e.term != nil {
			c.terms.put(e.term)
		}
	}
	return c
}

// load returns the source of a remote context.
func (r *run) load(url string, src *source, node uint32) (*source, error) {
	if s := r.sources[url]; s != nil {
		return s, nil
	}
	s, err := r.p.source(r.ctx, url, r.opt.Limits)
	if err != nil {
		var e *Error
		var l *canon.LimitError
		if errors.As(err, &l) {
			return nil, err
		}
		if !errors.As(err, &e) {
			e = &Error{Code: LoadingRemoteContextFailed, Detail: url, Err: err}
		}
		at := r.contextError(e.Code, src, node, e.Detail).(*Error)
		at.Err = e.Err
		return nil, at
	}
	if r.sources == nil {
		r.sources = map[string]*source{}
	}
	r.sources[url] = s
	return s, nil
}

// contextError is a fault in a context: the place in the document where it takes effect, and the place in the context.
func (r *run) contextError(code Code, src *source, node uint32, detail string) error {
	e := &Error{Code: code, Detail: detail, Pointer: r.pointer(r.at)}
	where := src.tape.Pointer(int(node))
	switch {
	case src.url != "":
		e.Detail += fmt.Sprintf(" (%s#%s)", src.url, where)
	case src == r.inline:
		e.Pointer += where
	case where != "":
		e.Detail += fmt.Sprintf(" (%s of an inline context)", where)
	}
	return e
}
