// Package schemas is the catalogue of documents that Canonscope measures: claims of credentials that belong to no format,
// RDF datasets that are hard to canonicalize, their shapes, and the generators that draw seeded documents of one shape. It
// holds types only. The generators are in schemas/catalogue, contexts in schemas/contexts, JSON Schemas in
// schemas/jsonschema, and schemas/shape counts what a document holds.
//
// A schema says of which [Kind] its documents are. Credentials are exchanged in every format and canonicalized; JSON-LD
// documents that are not credentials and datasets in N-Quads are canonicalized alone, and [Kind.Exchangeable] refuses the
// rest. The catalogue has three groups: credentials with a name, those of the 2026 study among them
// (schemas/catalogue/kit.go), and series with a schema for each N (schemas/catalogue/families.go).
//
// # Rules that bind the code here
//
//   - Repeatable: one name, seed and index give the same bytes on every machine. The documents of one name and seed differ
//     in their values and agree in their shape.
//   - No file of others is in the repository. A context is a table of facts in our own notation (schemas/contexts/facts),
//     a JSON Schema our own statement of the constraints (schemas/jsonschema/shapes). Tests prove both equal to the official
//     files by value.
//   - Texts are our own and about nobody.
//   - No network: the loaders serve embedded contexts, a folder of the user, or what a flag allows to be fetched.
//
// # Recipe: add a schema to the catalogue
//
// Example: another badge standard.
//
//  1. Write its generator in schemas/catalogue, beside schemas/catalogue/simple.go (the shortest) and
//     schemas/catalogue/elm.go: a function that returns a generator with name, base, shape and axes, and one that draws a
//     document. The drawing function sets what a presentation discloses and what every presentation must show.
//  2. Add it to entries in schemas/catalogue/catalogue.go. The commands, the matrix and completion find it there.
//  3. A context that is not embedded yet becomes a file in schemas/contexts/facts and a name in order in
//     schemas/contexts/contexts.go; schemas/contexts/notation.go describes the notation.
//  4. A JSON Schema becomes a shape in schemas/jsonschema/shapes, and the credential type that asks for it a line in types
//     in schemas/jsonschema/detect.go.
//  5. Record digests of its canonical forms, made by another implementation, in golden in
//     schemas/catalogue/catalogue_test.go.
//
// Done when these pass: TestGoldenDigests, TestOneShape, TestCredentialFields and TestSchemaValid in schemas/catalogue,
// TestEqualToOfficialFiles and TestDefinitionsEqualOfficialOnes in schemas/contexts, TestOurSchemasAgreeOnTheExamples and
// TestOurSchemasAgreeOnMutations in schemas/jsonschema, TestCatalogueIsClean in schemas/shape, and TestEveryEntryOpens in
// compare/matrix.
//
// # Recipe: add a series
//
// Example: grids of blank nodes. Add a line to Families in schemas/catalogue/families.go: its name, range, quads and blank
// nodes as functions of N, one sentence that defines it, and its arcs. The largest N has to fit the default limit of a
// document's size. Record digests in golden in schemas/catalogue/catalogue_test.go, as for a schema, and name small members
// in TestFamilies of canon/engines.
//
// Done when these pass: TestFamilies, TestFamiliesAtTheirLargest and TestGoldenDigests in schemas/catalogue, TestFamilies in
// canon/engines.
//
// # Recipe: add an axis
//
// An axis changes one thing of a shape and leaves the rest. Example: the number of learning outcomes of an ELM credential.
//
//  1. Add a field to shape in schemas/catalogue/axes.go, unless there is one, and an entry to axes there with its name, what
//     it is about, its bounds and the field. An axis with named values has Words.
//  2. Name the axis in the axes of the generators that have it: for ELM elmAxes in schemas/catalogue/elm.go, for the others
//     schemas/catalogue/openbadges.go, schemas/catalogue/clr.go and schemas/catalogue/simple.go.
//  3. Use the field where that family draws its documents. At its default value no byte of a document may change.
//  4. State what the axis adds in TestAxes: quads, blank nodes or bytes. One that leaves the canonical form as it is goes to
//     TestAxesAtOneForm.
//
// Done when these pass: TestAxes, TestAxesAtOneForm, TestOneShape and TestGoldenDigests in schemas/catalogue, and
// TestExperimentDefaults in compare/matrix. `canonscope run --axis NAME=1,2,4 --schema elm-medium` measures it.
package schemas
