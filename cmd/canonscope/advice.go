package main

import (
	"errors"
	"strings"

	"canonscope/canon"
	"canonscope/vcdm"
)

// advice says in words of this command what would do about an error that a library tells in its own; "" where there is
// nothing to add.
func advice(err error) string {
	var key *vcdm.KeyError
	var proof *vcdm.Error
	var clock *vcdm.ClockError
	var loss *canon.LossError
	var limit *canon.LimitError
	switch {
	case errors.As(err, &limit):
		if flag := limitFlags[limit.Limit]; flag != "" {
			return flag + " raises the limit"
		}
	case errors.As(err, &key) && errors.As(err, &proof) && proof.Type == vcdm.ProofGenerationError:
		return "canonscope key generate --algorithm " + string(key.Takes[0]) + " makes a key that fits"
	case errors.Is(err, vcdm.ErrNoProof):
		return "canonscope issue signs it"
	case errors.Is(err, vcdm.ErrBaseProof):
		return "derive with canonscope present, and verify what that prints"
	case errors.Is(err, vcdm.ErrDerivedProof):
		return "present the credential that the issuer signed, not a presentation of it"
	case errors.Is(err, vcdm.ErrOtherIssuer):
		return "--any-issuer accepts it"
	case errors.As(err, &clock):
		return "--now compares with another time"
	case errors.As(err, &loss) && strings.HasPrefix(loss.Losses[0].Reason, "undefined term"):
		return "define the term in the @context of the document, or leave it out"
	}
	return ""
}

// limitFlags are the flags of limits.
var limitFlags = map[string]string{"bytes": "--max-bytes", "depth": "--max-depth", "memory": "--max-memory", "work": "--max-work",
	"documents": "--max-documents", "proofs": "--max-proofs", "signatures": "--max-signatures"}
