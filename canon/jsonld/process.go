//phase:caller
package jsonld

import (
	"errors"
	"fmt"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// remoteChain is the list of remote contexts that led to the current one (JSON-LD API section 4.1.2, remote
// contexts). An @import is an entry without a URL: a scoped context that imports the document containing it
// would recurse without end.
type remoteChain struct {
	url string
	up  *remoteChain
	n   int
}

func (c *remoteChain) len() int {
	if c == nil {
		return 0
	}
	return c.n
}

// remote reports whether the list has a remote context.
func (c *remoteChain) remote() bool {
	for ; c != nil; c = c.up {
		if c.url != "" {
			return true
		}
	}
	return false
}

func (c *remoteChain) has(url string) bool {
	for ; c != nil; c = c.up {
		if c.url == url {
			return true
		}
	}
	return false
}

// how holds the options for applying a local context.
type how struct {
	override  bool // may change protected terms
	propagate bool
	check     bool // only to validate a scoped context (validate scoped context is false)
}

// process is the Context Processing algorithm (JSON-LD API section 4.1.2).
//
//phase:context
func (r *run) process(
	ctx *activeContext, src *source, node uint32, baseURL string, remotes *remoteChain, h how,
) (*activeContext, error) {
	nodes := src.tape.Nodes
	if nodes[node].Kind == jsontape.Object { // 2
		if v := src.tape.Get(int(node), "@propagate"); v >= 0 {
			h.propagate = nodes[v].Kind != jsontape.False
		}
	}
	result := ctx
	if !h.propagate && ctx.previous == nil { // 3
		result = ctx.with(r.contextPool())
		result.previous = ctx
	}
	if nodes[node].Kind != jsontape.Array { // 4
		return r.processOne(result, src, node, baseURL, remotes, h)
	}
	var err error
	for c := node + 1; c < nodes[node].Next; c = nodes[c].Next { // 5
		if result, err = r.processOne(result, src, src.nested(c), baseURL, remotes, h); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// processOne is the body of step 5.
//
//phase:context
func (r *run) processOne(
	result *activeContext, src *source, node uint32, baseURL string, remotes *remoteChain, h how,
) (*activeContext, error) {
	switch src.kind(node) {
	case jsontape.Null: // 5.1
		// The specification checks the active context. Then null could remove protected terms of an earlier
		// entry of the array, which the error is meant to prevent; so this checks the result so far.
		if !h.override && result.terms.hasProtected() {
			return nil, r.contextError(InvalidContextNullification, src, node,
				"the active context has protected terms")
		}
		fresh := initialContext(result.original, result.family)
		if !h.propagate {
			fresh.previous = result
		}
		return fresh, nil
	case jsontape.String: // 5.2
		url := resolve(baseURL, src.text(node)) // 5.2.1
		if !hasScheme(url) {
			return nil, r.contextError(LoadingDocumentFailed, src, node, quote(url)+
				" is a relative reference, and there is no base IRI")
		}
		if h.check {
			r.contexts.within.refer(url)
			if remotes.has(url) { // 5.2.2
				return result, nil
			}
		}
		remotes, err := r.follow(url, remotes, src, node)
		if err != nil {
			return nil, err
		}
		if h.check {
			r.contexts.within.d.reach = max(r.contexts.within.d.reach,
				remotes.n-r.contexts.within.remotes.len())
		}
		loaded, err := r.load(url, src, node) // 5.2.4, 5.2.5
		if err != nil {
			return nil, err
		}
		down := how{override: h.override, propagate: true, check: h.check}
		return r.process(result, loaded, loaded.context, loaded.url, remotes, down) // 5.2.6
	case jsontape.Object:
		d, err := r.deltaFor(result, nil, src, node, baseURL, remotes)
		if err != nil {
			return nil, err
		}
		return r.apply(result, d, src, node, remotes.remote(), h)
	}

	return nil, r.contextError(InvalidLocalContext, src, node, // 5.3
		"a context is a string, an object, null or an array of these")
}

// follow adds a reference to the remote contexts (5.2.3).
func (r *run) follow(url string, remotes *remoteChain, src *source, node uint32) (*remoteChain, error) {
	n := remotes.len() + 1
	if max := r.p.limits.Remote; n > max {
		return nil, r.contextError(ContextOverflow, src, node,
			fmt.Sprintf("a chain of more than %d context references", max))
	}
	return &remoteChain{url, remotes, n}, r.spend(referenceCost)
}

// deltaFor returns the context definition compiled for the given surroundings, using the stored one if it
// fits them.
//
//phase:context
func (r *run) deltaFor(
	ctx *activeContext, outer *definer, src *source, node uint32, baseURL string, remotes *remoteChain,
) (*delta, error) {
	src.mu.Lock()
	d := src.deltas[node]
	src.mu.Unlock()

	if d != nil && d.baseURL == baseURL && d.fits(ctx, outer, remotes) &&
		d.refersAs(remotes, r.p.limits.Remote) {
		r.contexts.work += int64(len(d.needs) + len(d.refs))
	} else {
		var err error
		if d, err = r.compile(ctx, outer, src, node, baseURL, remotes); err != nil {
			return nil, err
		}
		src.mu.Lock()
		if src.deltas == nil {
			src.deltas = map[uint32]*delta{}
		}
		more := d.size() - src.deltas[node].size()
		src.deltas[node] = d
		src.mu.Unlock()
		r.memory.noted = r.memory.noted || !r.passes(src)
		if src.url != "" {
			src.add(r.p, more)
		} else {
			ctx.family.add(r.p, more)
		}
	}

	if r.contexts.within != nil {
		r.contexts.within.inherit(d, remotes)
	}

	return d, r.spend(0)
}

// refersAs reports whether the references in d have the same effect after these remote contexts as when d
// was compiled.
func (d *delta) refersAs(remotes *remoteChain, limit int) bool {
	for url, had := range d.refs {
		if remotes.has(url) != had {
			return false
		}
	}
	return d.reach == 0 || remotes.len()+d.reach <= limit
}

// surround returns the surroundings of a context definition, in an active context or in another definition.
func surround(ctx *activeContext, outer *definer, remotes *remoteChain) surroundings {
	s := surroundings{ctx.base, ctx.original, remotes.remote(), ctx.hasVocab, ctx.vocab}
	if outer != nil {
		s.base, s.hasVocab, s.vocab = outer.base, outer.hasVocab, outer.vocab
	}
	return s
}

// fits reports whether compiling d again in these surroundings would give the same delta, apart from its
// references.
func (d *delta) fits(ctx *activeContext, outer *definer, remotes *remoteChain) bool {
	old, now := d.around, surround(ctx, outer, remotes)
	if d.usesVocab && (old.hasVocab != now.hasVocab || old.vocab != now.vocab) ||
		d.usesBase && (old.base != now.base || old.original != now.original || old.remote != now.remote) {
		return false
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
//
//phase:context
func (r *run) apply(
	ctx *activeContext, d *delta, src *source, node uint32, remote bool, h how,
) (*activeContext, error) {
	c := ctx.with(r.contextPool())
	if !remote { // 5.7
		switch d.hasBase {
		case null:
			c.base = ""
		case set:
			if c.base = d.base; !hasScheme(d.base) {
				c.base = resolve(ctx.base, d.base)
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

	if ctx.isInitial() {
		c.terms = r.aloneTable(d, src, node)
	} else {
		c.terms = ctx.terms.clone(len(d.terms), r.slotPool())
		for _, t := range d.terms {
			old := live(c.terms.findHashed(t.name, t.hash, t.strong))
			if old == nil && t.removed {
				continue
			}
			if old != nil && old.protected && !h.override { // 27
				if !sameTerm(t, old) {
					return nil, r.contextError(ProtectedTermRedefinition, src, node, "the term "+
						quote(t.name)+" is protected")
				}
				continue
			}
			c.terms.put(t)
		}
	}

	if max := r.p.limits.Terms; c.terms.total() > max && !h.check {
		return nil, r.termLimit(max, c.terms.total())
	}

	return c, r.grow(c, len(c.terms.slots))
}

// aloneTable returns the table that d, compiled from a node of src, makes of that of the initial context. It
// is kept with the definition of a context document.
//
//phase:context
func (r *run) aloneTable(d *delta, src *source, node uint32) table {
	if t := d.alone.Load(); t != nil {
		return *t
	}

	slots, keep := r.slotPool(), src.url != "" && !r.passes(src)
	if keep {
		slots = nil
	}
	t := keywordTable.clone(len(d.terms), slots)
	for _, term := range d.terms {
		if !term.removed {
			t.put(term)
		}
	}

	if keep {
		kept := t
		src.mu.Lock()
		defer src.mu.Unlock()
		if src.deltas[node] == d && d.alone.CompareAndSwap(nil, &kept) {
			src.add(r.p, t.size())
		}
	}

	return t
}

// checkScoped processes the scoped context of a term only to find its errors (4.2.2 step 21.3).
//
//phase:context
func (r *run) checkScoped(f *definer, src *source, node uint32) error {
	around := r.contexts.within
	r.contexts.within = f
	defer func() { r.contexts.within = around }()
	switch src.kind(node) {
	case jsontape.Null:
		return nil
	case jsontape.Object: // the usual case needs no new active context
		_, err := r.deltaFor(f.ctx, f, src, node, f.d.baseURL, f.below)
		return err
	}
	ctx := f.snapshot()
	if err := r.spend(0); err != nil {
		return err
	}
	_, err := r.process(ctx, src, node, f.d.baseURL, f.below, how{override: true, propagate: true,
		check: true})
	return err
}

// snapshot returns the active context as the definition has made it so far.
func (f *definer) snapshot() *activeContext {
	around := f.ctx
	if f.outer != nil {
		around = f.outer.snapshot()
	}
	c := around.with(f.r.contextPool())
	c.base, c.vocab, c.hasVocab = f.base, f.vocab, f.hasVocab
	c.terms = around.terms.clone(len(f.entries), f.r.slotPool())
	for i := range f.entries {
		switch e := &f.entries[i]; {
		case e.state == todo:
		case e.term != nil:
			c.terms.put(e.term)
		default:
			c.terms.put(&term{name: e.name, hash: e.hash, strong: e.strong, removed: true,
				colon: strings.IndexByte(e.name, ':') >= 0})
		}
	}
	f.r.contexts.work += contextCost + int64(len(c.terms.slots))
	return c
}

// load returns the source of a remote context.
//
//phase:context
func (r *run) load(url string, src *source, node uint32) (*source, error) {
	if s := r.contexts.sources[url]; s != nil {
		return s, nil
	}
	s, err := r.p.source(r.ctx, url, r.opt.Limits, r.bounds.budget, &r.memory)
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
	if r.contexts.sources == nil {
		r.contexts.sources = map[string]*source{}
	}
	r.contexts.sources[url] = s
	return s, nil
}

// contextError returns the error of a fault in a context, with the places in the document and in the
// context.
func (r *run) contextError(code Code, src *source, node uint32, detail string) error {
	e := &Error{Code: code, Detail: detail, Pointer: r.pointer(r.contexts.at)}
	where := src.tape.Pointer(int(node))
	switch {
	case src.url != "":
		e.Detail += fmt.Sprintf(" (%s#%s)", src.url, where)
	case src == r.contexts.inline:
		e.Pointer += where
	case where != "":
		e.Detail += fmt.Sprintf(" (%s of an inline context)", where)
	}
	return e
}
