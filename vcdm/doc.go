// Package vcdm adds Data Integrity proofs to W3C verifiable credentials and presentations, derives from them and
// verifies them (VC Data Integrity 1.0, VC-DI-EdDSA 1.0, VC-DI-ECDSA 1.0, Verifiable Credentials Data Model 2.0).
//
// A [Suite] is one cryptosuite with the canonicalizer it was given, so that engines swap; [NewSuite] makes one by name.
// [Signer.Add] takes document bytes and gives document bytes with a proof, all other bytes unchanged. [Verifier.VerifyAll]
// checks a document with its proofs and, of a presentation, the credentials in it; [Verifier.Verify] wants exactly one proof,
// [Verifier.VerifyPresentation] a presentation. With ecdsa-sd-2023 a [Holder] derives what it discloses: [VerifierNeeds]
// names what an issuer makes mandatory for that. For the other suites [Selector.Select] builds the part of a document that
// JSON pointers name, which the issuer signs anew.
//
// What is verified is what was signed. The signature of an RDFC suite covers statements, and a holder without a key can write
// the same statements in another way. So a document is refused unless the statements and the JSON members that verification
// reads say the same (issuer, holder, dates, subjects, status, schemas, related resources, terms of use, credentials, types of
// documents, proof options), and unless it is certain at which node the document begins. Other members may have moved: read
// the claims of a verified document by their contexts, and those that the reader does not know are listed by
// [Result.UnknownContexts]. What was not looked into is listed by [Result.Unchecked].
//
// [CheckCredential] and [CheckPresentation] apply the rules of the data model, [CheckContexts] and [CheckRelated] compare
// contexts and related resources with known ones. Keys are in package keys; package vectors runs the W3C vectors.
//
// Nothing is fetched: verification methods come from a [Resolver], contexts from the loader inside the canonicalizer.
// Errors of processing are [*Error] values with the types of VC Data Integrity 4.7; a limit is a *canon.LimitError.
//
// Policies, where the specifications leave a choice:
//   - An expired proof, and one from the future beyond Skew, is refused unless AnyTime; a document that has ended or is not yet
//     valid unless AnyPeriod. A date without offset is UTC.
//   - A presentation without holder is nobody's: any signer will do.
//   - A presentation must not hold a credential with more contexts than its issuer signed (eddsa-jcs-2022, ecdsa-jcs-2019).
//   - Every proof of a document has to be verified; a proof that builds on itself never is.
//   - ECDSA signatures whose s is negated are accepted, since FIPS 186-5 has no low-s rule.
//   - A proof value of ecdsa-sd-2023 has neither tags, nor indefinite lengths, nor trailing bytes; its indexes ascend, and
//     its label map has one entry for each blank node, each with a label of its own. Its CBOR has the shortest form.
package vcdm
