//phase:caller
package jsonld

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/lookup"
)

// CacheState selects what a Processor keeps of contexts between calls. It never keeps quads or documents.
type CacheState uint8

const (
	Warm      CacheState = iota // active contexts: known contexts are not applied again
	Embedded                    // compiled context documents: each call applies them again
	Documents                   // scanned context documents: each call compiles them again
	Cold                        // nothing: each call asks the loader, scans and compiles
)

// CacheStates lists the states from most to least kept.
var CacheStates = []CacheState{Warm, Embedded, Documents, Cold}

func (s CacheState) String() string { return [...]string{"warm", "embedded", "documents", "cold"}[s] }

// Stats counts what a Processor has done for contexts since it was made. A warm document adds nothing to it.
type Stats struct {
	Loads    int64 // calls of the loader
	Compiled int64 // context definitions compiled
	Applied  int64 // active contexts made
	Families int64 // root contexts kept now
	Bytes    int64 // estimated size of all that is kept: documents, definitions, active contexts
	Evicted  int64 // root contexts dropped to stay within Config.CacheBytes
}

type counters struct {
	loads, compiled, applied, evicted atomic.Int64
	bytes, sources                    atomic.Int64 // bytes of all that is kept, and the part of the sources
}

// family is the tree of active contexts derived from one root context. Documents with the same top-level
// @context share it. It is kept or dropped as a whole.
type family struct {
	key   rootKey // once it is kept
	root  *activeContext
	bytes atomic.Int64
	used  atomic.Int64 // Processor.epoch of the last use
	kept  atomic.Bool  // in Processor.families
}

// rootKey identifies a root context by its content, never by its address.
type rootKey struct {
	base   string // base IRI of the initial context
	expand string // Options.ExpandContext
	text   string // raw @context
	limits contextLimits
}

// contextLimits are the limits of a call that apply to contexts.
type contextLimits struct{ bytes, depth int }

func limitsOf(l canon.Limits) contextLimits { return contextLimits{l.Context, l.Depth} }

// derivations are the active contexts made from one active context so far. A snapshot is immutable, except
// for more.
type derivations struct {
	byTerm []termDerivation
	more   *sync.Map                 // termKey to *activeContext: those that do not fit into byTerm
	byText map[string]*activeContext // by raw @context
}

// maxByTerm is the length up to which derivations are searched one by one.
const maxByTerm = 24

type termKey struct {
	scoped *scoped
	mode   mode
}

type termDerivation struct {
	termKey
	ctx *activeContext
}

// mode is the way in which a scoped context takes effect.
type mode uint8

const (
	byProperty mode = iota // property-scoped
	byType                 // type-scoped: protected terms stay, and it does not propagate
	byTypeMap              // the key of a type map
)

// derive returns ctx with the scoped context of a term applied.
//
//phase:context
func (r *run) derive(ctx *activeContext, t *term, m mode, at uint32) (*activeContext, error) {
	if all := r.opt.Entered; all != nil {
		*all = append(*all, Entered{strings.Clone(t.name), at}) // the name may end with the dataset
	}

	s := t.scoped
	key := termKey{s, m}
	if d := ctx.derived.Load(); d != nil {
		for i := range d.byTerm {
			if t := &d.byTerm[i]; t.termKey == key {
				return t.ctx, nil
			}
		}
		if d.more != nil {
			if c, ok := d.more.Load(key); ok {
				return c.(*activeContext), nil
			}
		}
	}

	r.contexts.at, r.contexts.inline = at, nil
	h := how{override: m == byProperty, propagate: m != byType}
	c, err := r.process(ctx, s.src, s.node, s.base, nil, h)
	if err == nil {
		r.publish(ctx, func(d *derivations) {
			switch {
			case len(d.byTerm) < maxByTerm:
				if r.p.state == Warm {
					d.byTerm = slices.Clip(d.byTerm)
				}
				d.byTerm = append(d.byTerm, termDerivation{key, c})
			case d.more == nil:
				d.more = new(sync.Map)
				fallthrough
			default:
				d.more.Store(key, c)
			}
		})
	}

	return c, err
}

// deriveInline returns ctx with a @context of the document applied.
//
//phase:context
func (r *run) deriveInline(ctx *activeContext, node uint32) (*activeContext, error) {
	raw := r.tape.Raw(int(node))
	if d := ctx.derived.Load(); d != nil {
		if c := d.byText[string(raw)]; c != nil {
			return c, nil
		}
	}
	c, err := r.processInline(ctx, raw, node)
	if err == nil {
		r.publish(ctx, func(d *derivations) {
			if len(d.byText) >= maxInline {
				d.byText = nil
			}
			if r.p.state == Warm {
				d.byText = maps.Clone(d.byText)
			}
			if d.byText == nil {
				d.byText = map[string]*activeContext{}
			}
			d.byText[string(raw)] = c
		})
	}
	return c, err
}

// maxImplied bounds the keys that an active context remembers for its vocabulary mapping, maxVocab the
// length of the mapping.
const (
	maxImplied = 256
	maxVocab   = 1 << 10
)

// imply remembers the IRI that the vocabulary mapping of ctx gives a key, up to maxImplied keys.
func (r *run) imply(ctx *activeContext, name []byte, hash uint16) {
	before := ctx.implied.Load()
	if r.p.state != Warm || !ctx.family.kept.Load() || before != nil && before.count >= maxImplied ||
		len(ctx.vocab) > maxVocab || formOf([]byte(ctx.vocab)) != absolute {
		return
	}
	after := new(table)
	if before == nil {
		after.make(1, nil)
	} else {
		*after = before.clone(1, nil)
	}
	t := &term{name: string(name), hash: hash, strong: lookup.Hash(name),
		iri: newIRI(ctx.vocab + string(name))}
	after.put(t)
	if ctx.implied.CompareAndSwap(before, after) {
		ctx.family.add(r.p, int64(unsafe.Sizeof(*t))+2*int64(len(t.iri.nq)))
	}
}

// maxInline bounds the inline contexts that an active context remembers, since each new one copies the
// list.
const maxInline = 128

//phase:context
func (r *run) processInline(ctx *activeContext, raw []byte, node uint32) (*activeContext, error) {
	if max := r.opt.Limits.Context; len(raw) > max {
		return nil, &canon.LimitError{Limit: "context", Max: int64(max), Done: int64(len(raw)),
			Where: r.pointer(node)}
	}
	src := r.inlineSource()
	src.cut(&r.tape, node)
	r.contexts.at, r.contexts.inline = node, src
	ctx.family.add(r.p, int64(len(raw))*6)
	return r.process(ctx, src, 0, r.opt.Base, nil, how{propagate: true})
}

// publish adds a derivation to ctx unless its family has left the cache.
//
//phase:context
func (r *run) publish(ctx *activeContext, change func(*derivations)) {
	if r.p.state != Warm { // ctx belongs to this call
		d := ctx.derived.Load()
		if d == nil {
			d = new(derivations)
			ctx.derived.Store(d)
		}
		change(d)
		return
	}
	if f := ctx.family; !f.kept.Load() && f != r.contexts.own {
		return
	}
	for {
		old := ctx.derived.Load()
		var d derivations
		if old != nil {
			d = *old
		}
		change(&d)
		if ctx.derived.CompareAndSwap(old, &d) {
			return
		}
	}
}

func (f *family) add(p *Processor, bytes int64) {
	f.bytes.Add(bytes)
	if f.kept.Load() {
		p.count.bytes.Add(bytes)
	}
}

// rootContext returns the active context of the document's top level: the initial one, changed by the
// @context at node (0 if there is none).
//
//phase:context
func (r *run) rootContext(node uint32) (*activeContext, error) {
	p := r.p
	var raw []byte
	if node != 0 {
		raw = r.tape.Raw(int(node))
	}

	limits := limitsOf(r.opt.Limits)
	if p.state == Warm {
		f := r.contexts.last
		if f == nil || f.key.text != string(raw) || f.key.base != r.opt.Base ||
			f.key.expand != r.opt.ExpandContext || f.key.limits != limits || !f.kept.Load() {
			p.mu.RLock()
			f = p.families[rootKey{r.opt.Base, r.opt.ExpandContext, string(raw), limits}]
			p.mu.RUnlock()
			r.contexts.last = f
		}
		if f != nil {
			if now := p.epoch.Load(); f.used.Load() != now {
				f.used.Store(now)
			}
			p.trim()
			return f.root, nil
		}
	}

	f := &family{}
	r.contexts.own = f
	c := initialContext(r.opt.Base, f)
	var err error
	if r.opt.ExpandContext != "" {
		if c, err = r.expandContext(c); err != nil {
			return nil, err
		}
	}

	if node != 0 {
		if c.previous != nil { // step 7 of the Expansion algorithm for the top-level object
			c = c.previous
		}
		if c, err = r.processInline(c, raw, node); err != nil {
			return nil, err
		}
	}

	f.root = c
	if p.state == Warm {
		p.keep(rootKey{r.opt.Base, r.opt.ExpandContext, string(raw), limits}, f)
	}

	return c, nil
}

// expandContext applies Options.ExpandContext, a context or a map with one (JSON-LD API, expand() step 7).
//
//phase:context
func (r *run) expandContext(c *activeContext) (*activeContext, error) {
	src, err := newSource("", []byte(r.opt.ExpandContext), jsontape.Options{Depth: r.opt.Limits.Depth})
	if err != nil {
		return nil, err
	}
	r.contexts.at, r.contexts.inline = 0, nil
	return r.process(c, src, uint32(max(0, src.tape.Get(0, "@context"))), r.opt.Base, nil,
		how{propagate: true})
}

// keep adds a family to the cache.
func (p *Processor) keep(key rootKey, f *family) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.families[key] != nil {
		return // another call was first; this one continues with its family
	}
	f.used.Store(p.epoch.Add(1))
	f.key = key
	f.kept.Store(true)
	p.families[key] = f
	p.count.bytes.Add(f.bytes.Load())
	p.evict()
}

// trim drops families if the cache is above its bound.
func (p *Processor) trim() {
	if p.count.bytes.Load() > p.cacheBytes {
		p.mu.Lock()
		p.evict()
		p.mu.Unlock()
	}
}

// evict drops the least recently used families until the cache fills at most three quarters of its bound.
// If sources alone take more than half of the bound it drops everything, because active contexts refer to
// them.
func (p *Processor) evict() {
	if p.count.bytes.Load() <= p.cacheBytes {
		return
	}

	keys := slices.Collect(maps.Keys(p.families))
	slices.SortFunc(keys, func(a, b rootKey) int {
		return cmp.Compare(p.families[a].used.Load(), p.families[b].used.Load())
	})

	all := p.count.sources.Load() > p.cacheBytes/2
	for _, k := range keys {
		if !all && p.count.bytes.Load() <= p.cacheBytes/4*3 {
			return
		}
		f := p.families[k]
		delete(p.families, k)
		f.kept.Store(false)
		p.count.bytes.Add(-f.bytes.Load())
		p.count.evicted.Add(1)
	}

	if !all {
		return
	}

	for k, w := range p.sources {
		if w.src == nil || !w.src.kept.CompareAndSwap(true, false) {
			continue // it is being loaded
		}
		delete(p.sources, k)
		p.count.bytes.Add(-w.src.bytes.Load())
		p.count.sources.Add(-w.src.bytes.Load())
	}
}
