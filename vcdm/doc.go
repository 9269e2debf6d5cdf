// Package vcdm adds Data Integrity proofs to W3C verifiable credentials and presentations, derives from
// them and verifies them (VC Data Integrity 1.0, VC-DI-EdDSA 1.0, VC-DI-ECDSA 1.0, Verifiable Credentials
// Data Model 2.0).
//
// A [Suite] is one cryptosuite with the canonicalizer it was given, so that engines swap; [SuiteNamed]
// finds one by name. [Signer.Add] takes document bytes and gives document bytes with a proof, all other
// bytes unchanged. [Verifier.VerifyAll] checks a document with its proofs and, of a presentation, the
// credentials in it; [Verifier.Verify] wants exactly one proof, [Verifier.VerifyPresentation] a
// presentation. With ecdsa-sd-2023 and bbs-2023 a [Holder] derives what it discloses; rules.VerifierNeeds
// names what an issuer makes mandatory for that. For the other suites [Selector.Select] builds the part of
// a document that JSON pointers name, which the issuer signs anew.
//
// What is verified is what was signed. The signature of an RDFC suite covers statements, and a holder
// without a key can write the same statements in another way. So a document is refused unless the
// statements and the JSON members that verification reads say the same (issuer, holder, dates, subjects,
// status, schemas, related resources, terms of use, credentials, types of documents, proof options), and
// unless it is certain at which node the document begins. Other members may have moved: read the claims of
// a verified document by their contexts, and those that the reader does not know are listed by
// [Result.UnknownContexts]. What was not looked into is listed by [Result.Unchecked].
//
// The data model is in package rules, errors are in package problem, keys in package keys; package vectors
// runs the W3C vectors.
//
// Nothing is fetched: verification methods come from a [Resolver], contexts from the loader inside the
// canonicalizer. Errors of processing are *problem.Error values with the types of VC Data Integrity 4.7; a
// limit is a *canon.LimitError.
//
// Policies, where the specifications leave a choice:
//   - An expired proof, and one from the future beyond Skew, is refused unless AnyTime; a document that has
//     ended or is not yet valid unless AnyPeriod. A date without offset is UTC.
//   - A presentation without holder may be signed with any key.
//   - A presentation must not hold a credential with more contexts than its issuer signed (eddsa-jcs-2022,
//     ecdsa-jcs-2019).
//   - Every proof of a document has to be verified; a proof that builds on itself is never verified.
//   - ECDSA signatures whose s is negated are accepted, since FIPS 186-5 has no low-s rule.
//   - A proof value of ecdsa-sd-2023 or bbs-2023 has neither tags, nor indefinite lengths, nor trailing
//     bytes; its indexes ascend, and its label map has one entry for each blank node, and the labels
//     differ. Its CBOR has the shortest form.
//
// # The trip of a proof
//
// Issuing, from the bytes of a credential to the bytes with a proof:
//
//  1. vcdm/add.go puts document and proof options side by side and scans both in one go.
//  2. vcdm/document.go and vcdm/proof.go find the members that matter and check the options.
//  3. The suite takes over: vcdm/whole.go for a signature over the whole document, vcdm/sd.go for selective
//     disclosure, with vcdm/ecdsa_sd_2023.go and vcdm/bbs_2023.go; vcdm/internal/selective/selective.go
//     describes its two paths.
//  4. vcdm/input.go has the proof options and the document canonicalized, as canon/doc.go describes.
//  5. vcdm/terms.go and vcdm/internal/reading/reading.go compare the statements with the JSON members: what
//     is verified must be what was signed.
//  6. vcdm/whole.go hashes both texts and has vcdm/keys/keys.go sign the digests; vcdm/document.go writes the
//     proof into the document, whose other bytes stay.
//
// Verifying: vcdm/verify.go scans the document, applies what the verifier expects and asks the [Resolver]
// for the key (vcdm/resolver.go, vcdm/controller.go). The suite then repeats steps 4 to 6 and checks the
// signature instead of making one. Last come the party, the data model (vcdm/rules/credential.go), contexts
// and related resources (vcdm/rules/contexts.go, vcdm/rules/related.go), and the credentials of a
// presentation (vcdm/presentation.go), which are verified in the same way.
//
// # The files
//
// A file uses only files of its group and of the groups above it in this table, as TestOrderOfFiles checks:
//
//	words       errors.go options.go
//	proofs      document.go proof.go terms.go
//	methods     resolver.go controller.go
//	work        work.go input.go
//	suites      suites.go whole.go sd.go ecdsa_sd_2023.go sdvalue.go bbs_2023.go bbsvalue.go bbs_holder.go
//	operations  add.go inject.go derive.go check.go links.go select.go result.go verify.go presentation.go
//
// Memory is owned once. A work belongs to one operation at a time, from begin to end; it holds the
// document, its proofs and the input of the suite at work, which are valid until the operation scans
// another document.
//
// # Rules that bind the code here
//
//   - What is verified is what was signed: whatever verification reads of a document is covered by the
//     signature, or the document is refused.
//   - The defaults are safe; the fields of [Verifier] that begin with Any opt out, one thing each.
//   - A holder never sees the issuer's key. What is signed again is not selective disclosure.
//   - One operation has one budget: time, memory, signatures, proofs and documents are counted over all its
//     steps.
//   - A *problem.Error has the type of the specification, the place as a JSON pointer, and the cause.
//   - Nil and half-filled values are errors: a suite of an unknown name, a key that is empty, a resolver that
//     finds nothing.
//   - The fast path of a suite gives what the literal steps of the specification give, and a test compares
//     them.
//
// # Recipe: add a cryptosuite
//
// Example: eddsa-rdfc-2025, a suite that signs whole documents.
//
//  1. Add it to [Suites] in vcdm/suites.go: name, method and algorithms. The matrix then has its cells, and
//     the commands take its name. A suite that does something else with the hashes, or derives, implements
//     the unexported methods of [Suite] or of scheme, as vcdm/bbs_2023.go does, and has a case in
//     Cryptosuite.New, lacks and [WithDirection]; its flags of issue, present and verify are in
//     compare/di/files.go.
//  2. An algorithm that is new as well goes to kinds in vcdm/keys/keys.go first.
//  3. Name its vectors in sets in vcdm/vectors/vectors.go; a suite that derives has its own reader, as
//     vcdm/vectors/sd.go.
//  4. New functions say their phases, and "go generate ./compare/measure" makes rules of it; profiles/doc.go
//     shows how.
//  5. The tests here take the names from [Suites], so that those of vcdm/testdata/requirements.tsv run over
//     it. algorithm in vcdm/lab_test.go gives it a key by the prefix of its name, and vcdm/reasons_test.go
//     the algorithms that it takes. Correct the numbers of vectors in vcdm/vectors_test.go.
//  6. Add it to the list in compare/di/format_test.go, a cell of it to the list of TestTampers, and its name
//     to what TestDefaultOrder, TestUsualAlgorithm and TestContextStates expect, all in
//     compare/matrix/matrix_test.go. A suite with EdDSA or one that derives with ES256 is part of the default
//     run, as inDefault in compare/matrix/matrix.go decides, and makes it longer.
//
// Done when these pass: TestChecklist, TestVectors, TestReasons and TestForger here, TestEverySuite and
// TestExchange in compare/di, TestEveryEntryOpens, TestTampers, TestDefaultOrder, TestUsualAlgorithm and
// TestContextStates in compare/matrix, TestFresh in compare/measure/internal/rulegen, and TestScripts in
// cmd/canonscope.
package vcdm
