// Package jsonld turns JSON-LD 1.1 documents into RDF datasets over compiled contexts.
//
// Make a [Processor] with [New] and call [Processor.ToRDF]; [Processor.Expand] gives the expanded form as JSON. Both are
// complete implementations of the JSON-LD 1.1 Processing Algorithms for JSON input in processing mode json-ld-1.1.
// HTML input, framing, compaction and generalized RDF are out of scope.
//
// By default processing is safe: where the algorithms drop data, which a signature over the dataset would then not cover,
// the result is a *canon.LossError that lists every place. Options.Lossy turns that off and lists the losses instead.
//
// How it works: the document is scanned into a tape (package jsontape). Expansion walks the tape once and writes items,
// the expanded form in one flat slice. A second walk over the items writes quads. Active contexts are immutable tables of
// compiled terms. A context definition is compiled once into a delta that does not depend on where it is applied, and
// applying a delta copies a table; results are cached per active context, so a warm document compiles nothing. A caller that
// wants the canonical form can ask for it with Options.Plain: documents of a simple kind get it without items and quads.
package jsonld
