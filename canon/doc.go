// Package canon holds the types that every canonicalization engine shares: methods, options, limits, forms
// and typed errors. It contains neither URLs nor implementations. The engines are in the packages below it,
// and [canonscope/canon/engines] wires them.
//
// A caller takes an engine from there and calls [Canonicalizer.Canonicalize] with the bytes of a document.
// The result is a [Form]: the canonical bytes that a cryptosuite hashes. The map of the whole project is in
// compare/doc.go.
//
// # The trip of a document
//
// These ten steps lead from a JSON-LD file to its digest, with the native engine and RDFC-1.0:
//
//  1. cmd/canonscope/canonize.go reads the flags, cmd/canonscope/input.go the bytes. A library caller starts
//     at step 2.
//  2. canon/engines/engines.go finds the engine by its name; canon/engines/native.go borrows the memory of an
//     earlier call and runs the two halves: document to dataset (steps 3 to 7), dataset to text (steps 8 to
//     10).
//  3. canon/jsontape/scan.go scans the bytes once into a tape, a flat list of spans. It checks the grammar,
//     UTF-8, duplicate keys, depth and size. The document is not scanned again.
//  4. canon/jsonld/rdf.go begins: it takes the budget of the operation and the @context of the top level.
//  5. canon/jsonld/process.go applies that @context. Definitions are compiled in canon/jsonld/define.go, kept
//     as the state of the cache allows, and remote ones come from the loader, mostly
//     schemas/contexts/contexts.go.
//  6. canon/jsonld/expand.go walks the tape and writes items, the expanded form in one slice. It records what
//     the algorithms drop as losses.
//  7. canon/jsonld/rdf.go walks the items and adds quads to canon/rdf/dataset.go. By default a loss now
//     becomes an error.
//  8. canon/rdfc/label.go gives blank nodes their canonical labels: first-degree hashes (canon/rdfc/hash.go)
//     decide nearly all of them.
//  9. canon/rdfc/ndegree.go decides the rest, within the limit of work.
//  10. canon/rdfc/order.go sorts the statements and writes the lines of the Form. The caller hashes them: the
//     command, or vcdm/whole.go for a proof.
//
// With JCS, canon/jcs/jcs.go writes the text from the tape of step 3. With the stock engine json-gold does
// steps 3 to 10 behind canon/stock/rdfc.go, and the guard of canon/engines/guard.go compares its answer
// with that of the native engine. vcdm/doc.go describes how a proof uses the text.
//
// # Rules that bind the code here
//
//   - Correct before fast: an engine is compared with another one and with the official suites. json-gold is
//     an engine under test, not the reference.
//   - Nothing is dropped silently. What the canonical form cannot carry is a [*LossError] unless
//     Options.Lossy asks for a list.
//   - Refuse, do not guess: what an engine cannot do is an [*UnsupportedError] that names it, and its JSON
//     pointer.
//   - Everything is bounded: one [Budget] serves an operation and all its steps, every loop that input can
//     lengthen asks it, and its end is a [*LimitError] that names the limit.
//   - Contexts may be kept between operations. Nothing of a document is kept: no value, quad, form or hash,
//     and nothing of its structure. What a cache answers depends on its key alone.
//   - No network: only a loader that the caller passes can fetch.
//   - Specification steps are cited by number, and each departure states why it is allowed.
//
// # Recipe: add an engine
//
// An engine is an implementation of [Canonicalizer], safe for concurrent use. Example: another JSON-LD
// library.
//
//  1. Write it in a package below canon, as canon/stock/rdfc.go does for json-gold. It honours
//     Options.Limits, Budget and Into, and returns the typed errors of canon/errors.go.
//  2. Name it in canon/canon.go: a constant, and its place in [Engines]. In canon/engines/engines.go it has
//     a case in Unguarded, and one in NewProcessor if its JSON-LD processor can be used alone. If the library
//     can be wrong without an error, let New put it behind the guard, as it does for what has Expand and
//     ToNQuads.
//  3. Further abilities are interfaces that it may implement: [Tapes] (a scanned document), [Datasets] and
//     [Expander] (ecdsa-sd-2023 can issue and derive), [Guard]. Assert them beside the engine, as
//     canon/engines/native.go does.
//  4. Measure it: compare/matrix/matrix.go takes the engines from the list. exists gives each of them cells
//     of sd-jwt-vc and mdoc; exclude the engine there, as tuned is, unless it does these formats. usual has
//     the state of contexts in which it is used, unsupported what it cannot do. unsupported, and guard in
//     compare/matrix/check.go, treat every engine for RDFC-1.0 that is not native as json-gold. The oracle is
//     chosen in compare/matrix/check.go as well. inDefault leaves only tuned out of the default run.
//  5. Charge its functions to phases, as the recipe in profiles/doc.go says.
//  6. Correct what tests expect: the pairs of engine and method in TestNew, the rows of TestDefaultOrder if
//     it is part of the default run, the cells of TestContextStates, the numbers of vectors in
//     vcdm/vectors_test.go, and the lists of engines in cmd/canonscope/testdata/script.
//
// Done when these pass: TestNew, TestAgree, TestConcurrent and TestEducation in canon/engines,
// TestEveryEngine, TestEveryEntryOpens, TestDefaultOrder and TestContextStates in compare/matrix, TestVectors
// in vcdm, TestFresh in compare/measure/internal/rulegen, and TestScripts in cmd/canonscope.
// `canonscope conform rdfc DIR --engine NAME` runs the official suite.
package canon
