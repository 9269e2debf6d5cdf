//phase:caller
package canon

import (
	"context"
	"time"
)

// Method names a canonicalization method.
type Method string

const (
	RDFC Method = "rdfc" // RDFC-1.0 over the dataset of a JSON-LD or N-Quads document
	JCS  Method = "jcs"  // RFC 8785, JSON Canonicalization Scheme
)

// Methods lists every method in the order reports use.
var Methods = []Method{RDFC, JCS}

// Engine names one implementation of the methods, also called its tier.
type Engine string

const (
	Stock  Engine = "stock"  // the libraries in use today, as shipped
	Tuned  Engine = "tuned"  // the stock JSON-LD library, used around its worst costs
	Native Engine = "native" // the project's own
)

// Engines lists every engine in the order reports use.
var Engines = []Engine{Stock, Tuned, Native}

// Hash names the hash function inside RDFC-1.0 (RDFC-1.0 section 4.1: SHA-256 by default, SHA-384 on
// request).
type Hash string

const (
	SHA256 Hash = "sha256"
	SHA384 Hash = "sha384"
)

// Input names the syntax of a document.
type Input string

const (
	NQuads Input = "nquads"
	JSONLD Input = "jsonld"
	JSON   Input = "json"
)

// Limits bound the work that an untrusted document can cause. A zero field means its default, and so does a
// negative one, which is never a missing limit by chance; with Time and Steps alone it means none. The
// defaults fit a service with many clients.
type Limits struct {
	Bytes     int           // document size in bytes; default 64 MiB
	Depth     int           // nesting of JSON values; default 512
	Context   int           // bytes of one context document; default 8 MiB
	Work      int64         // n-degree calls plus permutations of RDFC-1.0; default 1,000,000
	Memory    int64         // bytes of working memory at a time; default 64 MiB
	Time      time.Duration // of the operation; default 10 s, negative for none
	Documents int           // context documents that an operation loads; default 16
	Proofs    int           // proofs of one document; default 64

	// Steps of one call of a library that does not count them, estimated before the call; all calls of an
	// operation may take three times as many. Default 12 million, negative for none.
	Steps int64

	// Signatures made or checked in an operation: one for each proof, and one for each statement of
	// ecdsa-sd-2023 and bbs-2023. A P-384 signature counts as 12, because it takes that much longer. Default
	// 16,000.
	Signatures int
}

// Defaults of [Limits]. Examples of work: a cycle of b blank nodes needs about 3 b², a complete graph of 5
// nodes 4,565 and one of 7 nodes 403,000. A complete graph of 8 nodes is refused.
const (
	DefaultBytes      = 64 << 20
	DefaultDepth      = 512
	DefaultContext    = 8 << 20
	DefaultWork       = 1_000_000
	DefaultMemory     = 64 << 20
	DefaultTime       = 10 * time.Second
	DefaultDocuments  = 16
	DefaultProofs     = 64
	DefaultSignatures = 16_000
	DefaultSteps      = 12_000_000
)

// WithDefaults fills the fields that mean their defaults.
func (l Limits) WithDefaults() Limits {
	l.fill()
	return l
}

// fill is WithDefaults in place.
func (l *Limits) fill() {
	orDefault(&l.Bytes, DefaultBytes)
	orDefault(&l.Depth, DefaultDepth)
	orDefault(&l.Context, DefaultContext)
	orDefault(&l.Work, DefaultWork)
	orDefault(&l.Memory, DefaultMemory)
	if l.Time == 0 {
		l.Time = DefaultTime
	}
	orDefault(&l.Documents, DefaultDocuments)
	orDefault(&l.Proofs, DefaultProofs)
	if l.Steps == 0 {
		l.Steps = DefaultSteps
	}
	orDefault(&l.Signatures, DefaultSignatures)
}

// orDefault sets a limit that is not given. Kept small so that it is inlined.
func orDefault[T int | int64](limit *T, to T) {
	if *limit <= 0 {
		*limit = to
	}
}

// Values of [Options].Direction (JSON-LD API, JsonLdOptions.rdfDirection).
const (
	I18nDatatype    = "i18n-datatype"    // a literal whose datatype names language and direction
	CompoundLiteral = "compound-literal" // a blank node with rdf:value, rdf:language and rdf:direction
)

// Options of one canonicalization.
type Options struct {
	Input     Input   // syntax of the document; default JSONLD for RDFC and JSON for JCS
	Hash      Hash    // hash inside RDFC-1.0; default SHA256
	Limits    Limits  // zero fields take their defaults
	Lossy     bool    // list lost data in Form.Losses instead of returning a *LossError
	Direction string  // form of base directions: I18nDatatype or CompoundLiteral; "" makes them a loss
	Issued    bool    // fill Form.Issued
	Into      *Form   // reuse this Form and its memory; nil allocates
	Budget    *Budget // of the operation that this is a step of; nil makes one of Limits
}

// Alive returns a *LimitError once ctx has ended or the time of the operation is used up.
func (o *Options) Alive(ctx context.Context) error {
	if o.Budget != nil {
		return o.Budget.Alive(ctx)
	}
	if err := ctx.Err(); err != nil {
		return &LimitError{Limit: "time", Err: err}
	}
	return nil
}

// Target returns opt.Into, emptied, or a new Form.
func (o *Options) Target() *Form {
	f := o.Into
	if f == nil {
		return new(Form)
	}
	f.Text, f.Lines, f.Losses, f.Ties = f.Text[:0], 0, f.Losses[:0], false
	clear(f.Issued)
	return f
}

// Form is a canonical form: the bytes to hash, and facts about how they were made.
type Form struct {
	Text   []byte            // canonical N-Quads or canonical JSON, UTF-8
	Lines  int               // number of N-Quads lines; 0 for JCS
	Issued map[string]string // if Options.Issued: input label to canonical label, without "_:"
	Losses []Loss            // what was dropped or changed; only with Options.Lossy

	// Ties reports whether blank nodes share a first-degree hash, so that the form may be one of several.
	// Only the native engine sets it.
	Ties bool
}

// Loss is data that the JSON-LD algorithms drop, or a number that JCS writes with a different value.
type Loss struct {
	Pointer string `json:"pointer"` // JSON pointer of the value in the document
	Reason  string `json:"reason"`  // what the specification drops there, e.g. "undefined term"
}

// Canonicalizer is one method of one engine. Implementations are safe for concurrent use.
type Canonicalizer interface {
	Canonicalize(ctx context.Context, doc []byte, opt Options) (*Form, error)
}

// The interfaces below are optional abilities of an engine. A type that belongs to a child package, which
// canon cannot import, is a type parameter.

// Tapes is an engine that accepts a scanned document, a *jsontape.Tape, which saves a second scan.
type Tapes[Tape any] interface {
	CanonicalizeTape(ctx context.Context, doc Tape, opt Options) (*Form, error)
}

// Datasets is an engine that turns JSON-LD documents into datasets, on request with the origin of each
// quad. JSONLD is jsonld.Options, and Dataset is *rdf.Dataset. The short path of ecdsa-sd-2023 needs it to
// issue and derive.
type Datasets[JSONLD, Dataset any] interface {
	ToRDF(ctx context.Context, doc []byte, opt JSONLD, into Dataset) error
}

// Expander is an engine with the JSON-LD API over bytes. The literal path of ecdsa-sd-2023 needs it to
// issue and derive.
type Expander interface {
	// Expand returns the expanded form as JSON.
	Expand(ctx context.Context, doc []byte, opt Options) ([]byte, error)

	// ToNQuads returns the dataset as N-Quads in any order.
	ToNQuads(ctx context.Context, doc []byte, opt Options) ([]byte, error)
}

// Guard is an engine that detects documents it would canonicalize incorrectly. A caller of its [Expander]
// must ask it first, about the original document, because the expanded document has members added.
type Guard interface {
	Guard(ctx context.Context, doc []byte, opt Options) error
}
