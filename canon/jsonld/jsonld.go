//phase:caller
package jsonld

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Config of a Processor.
type Config struct {
	Loader     Loader     // finds remote contexts; nil refuses all
	State      CacheState // what is kept between calls; default Warm
	CacheBytes int64      // bound of what Warm keeps, by estimate; default 64 MiB
	Limits     Limits
}

// Processor turns documents into datasets. It is safe for concurrent use. A Processor trusts its loader to
// give the same bytes for a URL each time; make a new Processor to see changed context documents.
type Processor struct {
	loader     Loader
	state      CacheState
	cacheBytes int64
	limits     Limits

	mu       sync.RWMutex
	families map[rootKey]*family
	sources  map[sourceKey]*loading
	epoch    atomic.Int64
	count    counters
	runs     sync.Pool
}

// New returns a Processor.
func New(c Config) *Processor {
	p := &Processor{loader: c.Loader, state: c.State, cacheBytes: c.CacheBytes, limits: c.Limits,
		families: map[rootKey]*family{}, sources: map[sourceKey]*loading{}}
	if p.cacheBytes <= 0 {
		p.cacheBytes = 64 << 20
	}
	if p.limits.Terms <= 0 {
		p.limits.Terms = 50_000
	}
	if p.limits.Remote <= 0 {
		p.limits.Remote = 32
	}
	if p.limits.Work <= 0 {
		p.limits.Work = 8_000_000
	}
	p.runs.New = func() any { return &run{p: p} }
	return p
}

// Stats returns the counters of the context cache.
func (p *Processor) Stats() Stats {
	p.mu.RLock()
	n := len(p.families)
	p.mu.RUnlock()
	return Stats{Loads: p.count.loads.Load(), Compiled: p.count.compiled.Load(),
		Applied: p.count.applied.Load(), Families: int64(n), Bytes: p.count.bytes.Load(),
		Evicted: p.count.evicted.Load()}
}

// Options of one call. Zero values are the safe defaults.
type Options struct {
	Lossy          bool           // drop what the algorithms drop; default is a *canon.LossError
	Losses         *[]canon.Loss  // filled with what was dropped, if Lossy
	Base           string         // base IRI of the document; without it relative references stay relative
	ExpandContext  string         // JSON of a context to start from (JsonLdOptions.expandContext)
	RDFDirection   string         // "", canon.I18nDatatype or canon.CompoundLiteral
	ProcessingMode string         // "" or "json-ld-1.1"
	Limits         canon.Limits   // zero fields take their defaults
	Budget         *canon.Budget  // of the enclosing operation; nil makes one from Limits
	Origins        *Origins       // filled by ToRDF with the origin of each quad; nil costs nothing
	Scoped         *int           // filled by ToRDF with the number of objects that enter a scoped context
	Entered        *[]Entered     // filled with every use of a scoped context, in the order of the document
	Tape           *jsontape.Tape // the scanned document; doc is then ignored
}

var errNotMade = errors.New("jsonld: the Processor was not made with New")

func (p *Processor) made() bool { return p != nil && p.runs.New != nil }

// ToRDF adds the dataset of a document to into, which it resets first. The dataset refers to doc and is
// valid until doc changes or the dataset is reset. On an error the dataset is empty.
//
// Errors: *canon.SyntaxError for malformed JSON, *canon.LimitError, *canon.LossError for data that would be
// dropped, *canon.UnsupportedError for an option out of scope, and *Error for everything that JSON-LD
// forbids.
func (p *Processor) ToRDF(ctx context.Context, doc []byte, opt Options, into *rdf.Dataset) error {
	if !p.made() {
		return errNotMade
	}
	r := p.runs.Get().(*run)
	defer p.runs.Put(r)
	return r.fill(ctx, doc, &opt, into)
}

// Session is a Processor with separate working memory. It serves one goroutine at a time.
type Session struct{ run run }

// Session returns a new session of p. All sessions of p share its caches.
func (p *Processor) Session() *Session { return &Session{run{p: p}} }

// ToRDF is [Processor.ToRDF].
func (s *Session) ToRDF(ctx context.Context, doc []byte, opt *Options, into *rdf.Dataset) error {
	return s.run.fill(ctx, doc, opt, into)
}

// fill fills a dataset, or leaves it empty.
func (r *run) fill(ctx context.Context, doc []byte, opt *Options, into *rdf.Dataset) error {
	switch {
	case !r.p.made():
		return errNotMade
	case into == nil:
		return errors.New("jsonld: the dataset to fill is nil")
	}
	into.Reset()
	defer r.end() // also after a panic of the loader
	err := r.toRDF(ctx, doc, opt, into)
	if err != nil {
		into.Reset()
	}
	return err
}

// Expand returns the expanded form of a document (JSON-LD API section 5.1.2) as JSON. Its errors are those
// of ToRDF; in safe mode only losses of expansion count.
func (p *Processor) Expand(ctx context.Context, doc []byte, opt Options) ([]byte, error) {
	if !p.made() {
		return nil, errNotMade
	}
	r := p.runs.Get().(*run)
	defer p.runs.Put(r)
	defer r.end()
	return r.expandJSON(ctx, doc, &opt)
}

// run is the state of one call, and memory that the next one reuses.
//
//phase:expand
type run struct {
	p    *Processor
	ctx  context.Context
	opt  Options
	tape jsontape.Tape
	mine []jsontape.Node // saves the nodes of tape while it has those of Options.Tape

	contexts contextState
	memory   memory
	bounds   bounds

	// expansion
	top    uint32 // value of the top-level @context, from which the root context is made; 0 if there is none
	items  []item
	nests  []uint32
	types  []uint32
	refs   refTable
	langs  []tag
	losses []lost
	graphs map[nodeKey]string // @index of nodes
	scoped int                // objects that have entered a scoped context

	into  *rdf.Dataset
	spare rdf.Dataset // dataset for calls that need only the expanded form
	buf   []byte      // text of terms; the dataset owns it
}

// contextState is the state of context processing in a call.
type contextState struct {
	own     *family // family of a root context made by this call
	last    *family // family of the last call, which the next one mostly needs again
	sources map[string]*source
	within  *definer // of the term whose scoped context is being checked
	work    int64
	at      uint32  // node of the document where the context being processed takes effect
	inline  *source // the copy of the @context at that node
}

//phase:parse
func (r *run) begin(ctx context.Context, doc []byte, opt *Options) error {
	r.ctx, r.opt = ctx, *opt
	r.opt.Limits = opt.Limits.WithDefaults()
	r.bounds.budget = canon.BudgetOf(ctx, opt.Budget, &r.bounds.alone, opt.Limits)

	switch opt.RDFDirection {
	case "", canon.I18nDatatype, canon.CompoundLiteral:
	default:
		return &canon.UnsupportedError{Engine: "jsonld", What: "rdfDirection " + opt.RDFDirection}
	}

	if len(doc) > 0 && doc[0] != '{' && bytes.HasPrefix(bytes.TrimLeft(doc, " \t\r\n"), []byte("<")) {
		return &canon.UnsupportedError{Engine: "jsonld", What: "HTML input"}
	}
	if n := len(opt.Base); n > maxBase {
		return &canon.LimitError{Limit: "bytes of the base IRI", Max: maxBase, Done: int64(n)}
	}
	if m := opt.ProcessingMode; m != "" && m != "json-ld-1.1" {
		return &canon.UnsupportedError{Engine: "jsonld", What: "processing mode " + m}
	}
	if err := ctx.Err(); err != nil {
		return &canon.LimitError{Limit: "time", Err: err}
	}

	if opt.Tape != nil {
		r.mine = r.tape.Nodes[:0]
		r.tape.Share(opt.Tape)
		return r.count()
	}

	scan := jsontape.Options{Bytes: r.opt.Limits.Bytes, Depth: r.opt.Limits.Depth,
		Memory: max(1, r.bounds.budget.Left())}
	if err := r.tape.Scan(doc, scan); err != nil {
		return err
	}

	return r.count()
}

// end drops references to the caller's memory.
func (r *run) end() {
	if r.opt.Tape != nil { // do not keep the caller's nodes
		r.tape.Nodes, r.mine = r.mine, nil
	}
	r.ctx, r.opt, r.graphs, r.into = nil, Options{}, nil, nil
	r.contexts = contextState{last: r.contexts.last}
	if r.p.state != Warm { // which keeps what it compiles
		r.memory.end()
	}
	r.tape.Src = nil
	r.buf = nil
	r.losses = r.losses[:0]
	clear(r.langs)
	if r.bounds.budget != nil {
		r.bounds.budget.Use(-r.bounds.used)
	}
	r.bounds.budget, r.bounds.used = nil, 0
	r.p.trim()
}

// pointer returns the JSON pointer of a node of the document.
func (r *run) pointer(node uint32) string {
	if int(node) >= len(r.tape.Nodes) {
		return ""
	}
	return r.tape.Pointer(int(node))
}
