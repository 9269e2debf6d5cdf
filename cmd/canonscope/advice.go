package main

import (
	"errors"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
)

// advice returns a remedy for an error of a library, in terms of this command; "" if there is none.
func advice(err error) string {
	var key *vcdm.KeyError
	var proof *problem.Error
	var clock *vcdm.ClockError
	var loss *canon.LossError
	var limit *canon.LimitError
	var context *jsonld.Error
	var unknown *contexts.UnknownError
	var foreign *foreignError
	switch {
	case errors.As(err, &foreign):
		return foreign.remedy + "; canonscope inspect shows it"
	case errors.As(err, &limit):
		if flag := limitFlags[limit.Limit]; flag != "" {
			return flag + " raises the limit"
		}
	case errors.As(err, &key) && errors.As(err, &proof) && proof.Type == problem.ProofGenerationError:
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
	case errors.As(err, &context) && context.Code == jsonld.ProtectedTermRedefinition &&
		strings.Contains(context.Error(), elmContext):
		return "the context of the European Learning Model is for VCDM 1.1: put " + vcdm11Context +
			" in place of https://www.w3.org/ns/credentials/v2"
	case errors.As(err, &unknown):
		return "--context URL=FILE gives one, --contexts DIR a folder of them"
	case errors.As(err, &loss):
		return adviceOnLoss(loss.Losses[0])
	}

	return ""
}

// adviceOnLoss returns a remedy for data that would be lost.
func adviceOnLoss(l canon.Loss) string {
	name := l.Pointer[strings.LastIndexByte(l.Pointer, '/')+1:]
	switch {
	case l.Reason == "relative IRI as type":
		return `define the type in the @context of the document, such as ` +
			`{"MyDegree": "https://example.org/terms#MyDegree"}, or omit it`
	case !strings.HasPrefix(l.Reason, "undefined term"):
		return ""
	case l.Pointer == "/issuanceDate" || l.Pointer == "/expirationDate":
		return name + " is of VCDM 1.1; VCDM 2.0 has validFrom and validUntil"
	}
	return "define the term in the @context of the document, or omit the data"
}

const (
	elmContext    = "http://data.europa.eu/snb/model/context/edc-ap"
	vcdm11Context = "https://www.w3.org/2018/credentials/v1"
)

// limitFlags are the flags of limits.
var limitFlags = map[string]string{"bytes": "--max-bytes", "depth": "--max-depth", "memory": "--max-memory",
	"work": "--max-work", "documents": "--max-documents", "proofs": "--max-proofs", "steps": "--max-steps",
	"signatures": "--max-signatures"}
