// Package vcdm adds Data Integrity proofs to W3C verifiable credentials and presentations, derives from them and
// verifies them (VC Data Integrity 1.0, VC-DI-EdDSA 1.0, VC-DI-ECDSA 1.0).
//
// A [Suite] is one cryptosuite with the canonicalizer it was given, so that engines swap: [EdDSARDFC2022],
// [EdDSAJCS2022], [ECDSARDFC2019], [ECDSAJCS2019]. [Add] takes document bytes and gives document bytes with a proof, all
// other bytes unchanged; [Verifier.Verify] and [Verifier.VerifyAll] check them; [Selector.Select] builds the
// part of a document that JSON pointers name. Keys are in package keys.
//
// Nothing is fetched: verification methods come from a [Resolver], contexts from the loader inside the canonicalizer.
package vcdm
