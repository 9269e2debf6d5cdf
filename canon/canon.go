// Package canon holds the types that every canonicalization engine shares: methods, options, limits, forms and typed
// errors. It knows no URL and no implementation; engines live in the packages below it and are wired in
// [canonscope/canon/engines].
//
// A caller picks an engine there and calls [Canonicalizer.Canonicalize] with document bytes. The result is a [Form]:
// the canonical bytes that a cryptosuite hashes.
package canon

import (
	"context"

	"canonscope/canon/phase"
)

// Method names a canonicalization method.
type Method string

const (
	RDFC Method = "rdfc" // RDFC-1.0 over the dataset of a JSON-LD or N-Quads document
	JCS  Method = "jcs"  // RFC 8785, JSON Canonicalization Scheme
)

// Methods lists every method in the order reports use.
var Methods = []Method{RDFC, JCS}

// Hash names the hash function inside RDFC-1.0 (RDFC-1.0 section 4.1: SHA-256 by default, SHA-384 on request).
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

// Limits bound the work that an untrusted document can cause. The zero value of a field means its default.
type Limits struct {
	Bytes   int   // document size in bytes
	Depth   int   // nesting of JSON values
	Context int   // bytes of one context document
	Work    int64 // n-degree calls plus permutations of RDFC-1.0; default 20,000 + 8 b^2 for b blank nodes
}

// Defaults of [Limits].
const (
	DefaultBytes   = 64 << 20
	DefaultDepth   = 512
	DefaultContext = 8 << 20
)

// WithDefaults fills the fields that are zero; Work stays zero, since its default depends on the dataset.
func (l Limits) WithDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Context == 0 {
		l.Context = DefaultContext
	}
	return l
}

// Values of [Options].Direction (JSON-LD API, JsonLdOptions.rdfDirection).
const (
	I18nDatatype    = "i18n-datatype"    // a literal whose datatype names language and direction
	CompoundLiteral = "compound-literal" // a blank node with rdf:value, rdf:language and rdf:direction
)

// Options of one canonicalization.
type Options struct {
	Input     Input           // syntax of the document; default JSONLD for RDFC and JSON for JCS
	Hash      Hash            // hash inside RDFC-1.0; default SHA256
	Limits    Limits          // zero fields take their defaults
	Lossy     bool            // allow what the canonical form cannot carry to be lost and listed in Form.Losses; default is an error
	Direction string          // what becomes of the base direction of a string: I18nDatatype, CompoundLiteral, or by default nothing, which is a loss
	Issued    bool            // fill Form.Issued
	Recorder  *phase.Recorder // nil records nothing and costs nothing
	Into      *Form           // reuse this Form and its memory; nil allocates
}

// Target returns opt.Into, emptied, or a new Form.
func (o *Options) Target() *Form {
	f := o.Into
	if f == nil {
		return new(Form)
	}
	f.Text, f.Lines, f.Losses = f.Text[:0], 0, f.Losses[:0]
	clear(f.Issued)
	return f
}

// Form is a canonical form: the bytes to hash, and what is known about how they came to be.
type Form struct {
	Text   []byte            // canonical N-Quads or canonical JSON, UTF-8
	Lines  int               // number of N-Quads lines; 0 for JCS
	Issued map[string]string // issued-identifiers map, input blank node label to canonical label, both without "_:"; only on request
	Losses []Loss            // what was dropped or changed; only with Options.Lossy
}

// Loss is one piece of data that the JSON-LD algorithms drop, or a number that JCS writes as another.
type Loss struct {
	Pointer string `json:"pointer"` // JSON pointer of the value in the document
	Reason  string `json:"reason"`  // what the specification drops there, e.g. "undefined term"
}

// Canonicalizer is one method of one engine. Implementations are safe for concurrent use.
type Canonicalizer interface {
	Canonicalize(ctx context.Context, doc []byte, opt Options) (*Form, error)
}
