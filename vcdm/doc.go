// Package vcdm adds Data Integrity proofs to W3C verifiable credentials and presentations, derives from them and
// verifies them (VC Data Integrity 1.0, VC-DI-EdDSA 1.0, VC-DI-ECDSA 1.0, Verifiable Credentials Data Model 2.0).
//
// A [Suite] is one cryptosuite with the canonicalizer it was given, so that engines swap; [NewSuite] makes one by name.
// [Signer.Add] takes document bytes and gives document bytes with a proof, all other bytes unchanged. [Verifier.Verify]
// checks a document with one proof, [Verifier.VerifyAll] proof sets and chains, [Verifier.VerifyPresentation] a
// presentation and the credentials in it. With ecdsa-sd-2023 a [Holder] derives what it discloses; for the other suites
// [Selector.Select] builds the part of a document that JSON pointers name, which the issuer signs anew.
//
// [CheckCredential] and [CheckPresentation] apply the rules of the data model, [CheckContexts] and [CheckRelated] compare
// contexts and related resources with known ones. Keys are in package keys; package vectors runs the W3C vectors.
//
// Nothing is fetched: verification methods come from a [Resolver], contexts from the loader inside the canonicalizer.
// Errors of processing are [*Error] values with the types of VC Data Integrity 4.7; a limit is a *canon.LimitError.
//
// Policies, where the specifications leave a choice:
//   - An expired proof, and one from the future beyond Skew, is refused unless AnyTime.
//   - Every proof of a document has to be verified; a proof that builds on itself never is.
//   - ECDSA signatures whose s is negated are accepted, since FIPS 186-5 has no low-s rule.
//   - A proof value of ecdsa-sd-2023 has neither tags, nor indefinite lengths, nor trailing bytes; its indexes ascend, and
//     its label map has one entry for each blank node, each with a label of its own. Its CBOR has the shortest form.
//   - Documents of equal statements are equal for the RDFC suites, whatever their contexts say: see CheckContexts. Only the terms
//     of a proof that verification reads must have the meaning that Data Integrity gives them.
package vcdm
