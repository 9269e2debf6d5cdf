// Package schemas describes the documents that Canonscope measures: format-neutral claims of credentials, RDF
// datasets that are hard to canonicalize, and generators that make seeded documents of one shape. It holds
// types only. The generators are in schemas/catalogue, contexts in schemas/contexts, JSON Schemas in
// schemas/jsonschema; schemas/shape measures documents, schemas/charge charges what they cost to their parts,
// schemas/vary changes those of the user along an axis.
//
// Each schema has a [Kind]. Credentials are exchanged in every format and canonicalized. JSON-LD documents
// that are not credentials and datasets in N-Quads are only canonicalized; [Kind.Exchangeable] refuses the
// rest. The catalogue has credentials with a name, among them those of the 2026 study
// (schemas/catalogue/kit.go), and series with a schema for each N (schemas/catalogue/families.go).
//
// # Rules that bind the code here
//
//   - Repeatable: one name, seed and index give the same bytes on every machine. Documents of one name and
//     seed differ in values and have the same shape.
//   - The repository holds no third-party file. A context is a table of facts in our own notation
//     (schemas/contexts/facts), a JSON Schema our own statement of the constraints
//     (schemas/jsonschema/shapes). Tests compare both with the official files: contexts must be equal by
//     value, schemas must give the same verdicts.
//   - Texts are our own and describe no real person.
//   - No network by default: the loaders serve embedded contexts and a folder of the user, and fetch only if
//     a flag allows it.
//
// # Recipe: add a schema to the catalogue
//
// Example: another badge standard.
//
//  1. Write its generator in schemas/catalogue, beside schemas/catalogue/simple.go (the shortest) and
//     schemas/catalogue/elm.go: one function that returns a generator with name, base, shape and axes, and
//     one that makes a document. The second one also sets Disclose and Mandatory.
//  2. Add it to entries in schemas/catalogue/catalogue.go. The commands, the matrix and completion find it
//     there. Of an education schema a branch is one element, if usualGranularity in
//     compare/matrix/target.go knows the beginning of its name.
//  3. A context that is not embedded yet becomes a file in schemas/contexts/facts and a name in order in
//     schemas/contexts/contexts.go; schemas/contexts/notation.go describes the notation.
//  4. A JSON Schema becomes a file in schemas/jsonschema/shapes; the credential type that it describes
//     becomes a line of types in schemas/jsonschema/detect.go.
//  5. Record digests of its canonical forms, computed by another implementation, in golden in
//     schemas/catalogue/catalogue_test.go.
//
// Done when these pass: TestGoldenDigests, TestOneShape, TestCredentialFields and TestSchemaValid in
// schemas/catalogue, TestEqualToOfficialFiles and TestDefinitionsEqualOfficialOnes in schemas/contexts,
// TestOurSchemasAgreeOnTheExamples and TestOurSchemasAgreeOnMutations in schemas/jsonschema,
// TestCatalogueIsClean in schemas/shape, and TestEveryEntryOpens in compare/matrix.
//
// # Recipe: add a series
//
// Example: grids of blank nodes.
//
//  1. Add it to Families in schemas/catalogue/families.go: its name, range, one sentence that defines it, and
//     its quads and blank nodes as texts, such as "2N". With graph it has arcs between blank nodes, all with
//     one predicate; another series has a function that returns a generator, as synthetic. The largest N has
//     to fit the default limit of a document's size.
//  2. A text that is new for quads or blank nodes gets a function in figures of
//     schemas/catalogue/families_test.go.
//  3. Record digests in golden in schemas/catalogue/catalogue_test.go, as for a schema, and name small
//     members in TestFamilies of canon/engines.
//  4. Name the series in the list in compare/README.md.
//
// Done when these pass: TestFamilies, TestFamiliesAtTheirLargest and TestGoldenDigests in
// schemas/catalogue, TestFamilies in canon/engines.
//
// # Recipe: add an axis
//
// An axis changes one property of a shape and leaves the rest alone. Example: the number of learning
// outcomes of an ELM credential, which has the field outcomes already and no effect on elm-small, whose
// shape is not full.
//
//  1. Add a field to shape in schemas/catalogue/axes.go, unless one exists, and an entry to axes there with
//     its name, a description, its limits and the field. An axis with named values has Words.
//  2. Add the axis to the generators that have it: elmAxes in schemas/catalogue/elm.go for ELM,
//     schemas/catalogue/openbadges.go, schemas/catalogue/clr.go and schemas/catalogue/simple.go for the
//     others.
//  3. Use the field in the functions that make the documents. The default value must not change any byte of a
//     document.
//  4. State in TestAxes what the axis adds: quads, blank nodes or bytes. An axis that does not change the
//     canonical form belongs in TestAxesAtOneForm. Add a name with it to the list of TestOneShape.
//  5. Without --schema the command walks it from the first of baseSchemas in compare/matrix/experiment.go
//     that has it, or else from the first schema of the catalogue that has it.
//
// Done when these pass: TestAxes, TestAxesAtOneForm, TestOneShape and TestGoldenDigests in
// schemas/catalogue, and TestScripts in cmd/canonscope. `canonscope run --axis NAME=1,2,4 --schema
// elm-medium` measures it.
package schemas
