// Package jsonld turns JSON-LD 1.1 documents into RDF datasets over compiled contexts.
//
// Make a [Processor] with [New] and call [Processor.ToRDF]; [Processor.Expand] gives the expanded form as
// JSON. Both are complete implementations of the JSON-LD 1.1 Processing Algorithms for JSON input in
// processing mode json-ld-1.1. HTML input, framing, compaction and generalized RDF are out of scope.
//
// By default processing is safe: if the algorithms drop data, which a signature over the dataset would then
// not cover, the result is a *canon.LossError that lists every place. Options.Lossy turns that off and
// lists the losses instead.
//
// How it works: the document is scanned into a tape (package jsontape). Expansion walks the tape once and
// writes items, the expanded form in one flat slice. A second walk over the items writes quads. Active
// contexts are immutable tables of compiled terms. A context definition is compiled once into a delta that
// does not depend on where it is applied, and applying a delta copies a table; results are cached per
// active context, so a warm document compiles nothing. Every document goes through these steps, and nothing
// of it is kept for the next one.
//
// # What safe mode lets pass
//
// Every scalar of a document, and every key that the document defines, is in a quad, or the document is
// refused; so is a node object that occurs in no statement. Two different documents have the same dataset
// only if they differ in ways of this table. None of these carries data, and real credentials have many of
// them: optional arrays stay empty, and tools write a single value with or without an array.
//
//   - empty values: [] for a term or a keyword, also in an array or @set, is not a value. The name belongs to
//     the context and carries no data. Under a key that is an IRI, a compact IRI or resolved by @vocab, and
//     under a key of a map, [] is a loss, because the key is text of the document.
//   - empty maps: {} for a term whose container makes it a map (@language, @index, @id, @type), for @reverse
//     and for @nest, also if it holds only empty values. Elsewhere {} is a blank node, which is in a
//     quad, or a loss.
//   - arrays and sets: an array in an array, @set around values, one value without its array. In lists of
//     lists [], @set and @list are alike. @index of a set is a loss.
//   - order and repetition: of members, of values outside lists, and of repeated statements.
//   - spelling of statements: alias or keyword; term, compact, relative or absolute IRI; value or value
//     object; a list container or @list; the key of a map, or its meaning in the objects under it, or both
//     (another @id than the key of an id map is a loss); @none around values; @nest around members.
//   - spelling of scalars: escapes of strings; 1, 1.0 and 1e0, and any spellings of one IEEE 754 double,
//     except integers beyond its precision; upper and lower case of language tags; the default datatype of a
//     value, such as xsd:string.
//   - spelling of literals: a number or boolean, or a value object with its text and datatype; under a term
//     of a type other than xsd:boolean also the text alone; JSON under a term of type @json, or its canonical
//     text with the datatype rdf:JSON; a language and a direction, or the datatype that encodes both; a list,
//     or its cells with rdf:first and rdf:rest. A text under a term of type xsd:boolean is a loss, since JSON
//     readers treat the text "false" as true.
//   - objects of one id: a statement may be in any of them.
//   - labels of blank nodes: their text, and whether a node that is referred to once has one.
//   - unused definitions: a @context, or a term in one, that affects nothing in the document. A verifier
//     compares contexts with those it knows. Inside @nest, where @context is not read, and inside @reverse,
//     where the grammar does not allow it, it is a loss.
//   - places of free nodes: @included and @graph hold nodes that no statement leads to. Among the objects of
//     one graph it makes no difference which one includes them or holds the named graph.
//
// # Where specification and practice differ
//
// In these cases the text of the algorithms is ambiguous, or implementations do not follow it. This package
// does the following:
//
//   - protected terms, null and a redefinition in one @context array: refused as an invalid context
//     nullification. Step 5.1.1 of Context Processing says "active context", which has no protected terms
//     yet; the result so far must be meant.
//   - @type beside @list or @set: refused as an invalid set or list object. Step 16 of Expansion can be read
//     to skip step 17 if @type is not an array, and other implementations accept it.
//   - an id map or type map of values or lists: refused as an invalid value object. Step 13.8.3.7 has no
//     check, and other implementations give values an @id or @type.
//   - an empty object in @included: refused as an invalid @included value. It expands to null, and by one
//     reading of step 13.4.6 the result is an empty array.
//   - @reverse beside a reverse term: merged. By step 13.4.2 the order of keys decides whether they collide.
//   - @propagate in an array of contexts: has no effect, since step 2 of Context Processing applies to a
//     local context that is an object; other implementations honour it.
//   - @index that names the term being defined: refused as a cyclic IRI mapping. Step 20.2 of Create Term
//     Definition requires an error and leaves its code open; other implementations accept it.
//   - @protected of a context that is not a boolean: refused as an invalid @protected value. Only step 11 of
//     Create Term Definition requires this, for terms.
//   - IRIs with spaces in definitions: accepted, since steps 12.4 and 14.2.4 of Create Term Definition check
//     only the form. Data that uses such an IRI is lost when quads are made.
//   - several errors in one document: the first one found is returned. The order of checks is not fixed.
//   - an inline context that holds only @context: in an array of contexts it is read as the inner object, as
//     other implementations do. By step 5 of Create Term Definition it is a keyword redefinition. It is
//     refused as such outside an array (W3C has a test for this), beside other entries, around another
//     @context, and if its value is not an object.
//   - @direction of a number or boolean: lost. By one reading of step 13 of Object to RDF Conversion its text
//     becomes a directed literal; other implementations drop the direction.
//   - @language and @direction of a node object: lost, also from the expanded form. By step 13.4 they have no
//     effect.
package jsonld
