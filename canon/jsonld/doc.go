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
// applying a delta copies a table; results are cached per active context, so a warm document compiles nothing. Every document
// takes this one way, and nothing of it is kept for the next.
//
// # What safe mode lets pass
//
// Every scalar of a document, and every key that is the document's own, is in a quad or the document is refused: also a node
// object that no statement tells of, by its id or otherwise. Two documents that differ have the same dataset only in what
// this table names. Nothing in it holds data, and real credentials have much of it: optional arrays stay empty, and tools
// write one value with an array and without.
//
//   - empty values: [] for a term or a keyword, also in an array or @set, is no value. The name is the context's and says
//     nothing. Under a key that is an IRI, a compact IRI or a word for @vocab, and under a key of a map, [] is a loss: there
//     the key is text of the document.
//   - empty maps: {} for a term whose container makes it a map (@language, @index, @id, @type), for @reverse and for @nest,
//     also with nothing but empty values in it. Elsewhere {} is a blank node, which is in a quad, or a loss.
//   - arrays and sets: an array in an array, @set around values, one value without its array. In lists of lists [], @set
//     and @list are alike. @index of a set is a loss.
//   - order and repetition: of members, of values outside lists, and of statements that are made twice.
//   - spelling of statements: alias or keyword; term, compact, relative or absolute IRI; value or value object; a list
//     container or @list; the key of a map, or what it stands for in the objects under it, or both (another @id than the key of
//     an id map is a loss); @none around values; @nest around members.
//   - spelling of scalars: escapes of strings; 1, 1.0 and 1e0, and whatever else is one IEEE 754 double without being an integer
//     beyond its precision; upper and lower case of language tags; a datatype that the value has anyway, such as xsd:string.
//   - spelling of literals: a number or boolean, or a value object with its text and datatype; under a term of another type than
//     xsd:boolean also the text alone; JSON under a term of type @json, or its canonical text with the datatype rdf:JSON; a
//     language and a direction, or the datatype that says both; a list, or its cells with rdf:first and rdf:rest. A text under
//     a term of type xsd:boolean is a loss, since readers of JSON take the text false for true.
//   - objects of one id: a statement stands in any of them.
//   - labels of blank nodes: which one it is, and whether a node that is named once has one.
//   - unused definitions: a @context, or a term in one, that changes how nothing reads. A verifier compares contexts to those
//     it knows. Inside @nest, where no @context is read, and inside @reverse, where the grammar has none, it is a loss.
//   - places of free nodes: @included and @graph hold nodes that no statement leads to. Among the objects of one graph it
//     makes no difference which one includes them or holds the named graph.
//
// # Where letter and practice differ
//
// The text of the algorithms is ambiguous here, or implementations do not follow it. What this package does:
//
//   - protected terms, null and a redefinition in one @context array: refused as an invalid context nullification. Step 5.1.1
//     of Context Processing says "active context", which has no protected terms yet; what is meant is the result so far.
//   - @type beside @list or @set: refused as an invalid set or list object. Step 16 of Expansion seems to end before step 17
//     where @type is not an array, and others accept it.
//   - an id map or type map of values or lists: refused as an invalid value object. Step 13.8.3.7 has no check, and others give
//     values an @id or @type.
//   - an empty object in @included: refused as an invalid @included value. It expands to null, which step 13.4.6 can be read to
//     make an empty array of.
//   - @reverse beside a reverse term: merged. By step 13.4.2 it depends on the order of keys whether they collide.
//   - @propagate in an array of contexts: has no effect, since step 2 of Context Processing looks at a local context that is an
//     object; others let it count.
//   - @index that names the term being defined: refused as a cyclic IRI mapping. Step 20.2 of Create Term Definition refuses,
//     the code is open; others accept it.
//   - @protected that is no boolean on a context: refused as an invalid @protected value, which only step 11 of Create Term
//     Definition says, for terms.
//   - IRIs with spaces in definitions: accepted, as steps 12.4 and 14.2.4 of Create Term Definition ask for the form of an IRI.
//     What is written with one is lost when quads are made.
//   - several errors in one document: the first that is met is told. Which one that is, is open.
//   - an inline context with @context alone: in an array of contexts read as the object there, as others do. By step 5 of
//     Create Term Definition it is a keyword redefinition, and is refused as one where it is not in an array, which W3C has a
//     test for, beside other entries, around another @context, and where its value is not an object.
//   - @direction of a number or boolean: lost. Step 13 of Object to RDF Conversion can be read to make a directed literal of its
//     text, and others drop the direction.
//   - @language and @direction of a node object: lost, also from the expanded form, where step 13.4 leaves them to no effect.
package jsonld
