//phase:caller
package vcdm

import (
	"canonscope/canon/jsontape"
)

// proofType is the only type of proof (VC Data Integrity 3.1).
const proofType = "DataIntegrityProof"

// Proof purposes (VC Data Integrity 2.2.1).
const (
	AssertionMethod = "assertionMethod"
	Authentication  = "authentication"
)

// Options are the proof options (VC Data Integrity 2.1). They are in the proof and are covered by the
// signature.
type Options struct {
	ID            string   // a URL, so that a later proof can name this one
	Created       string   // XSD dateTimeStamp; hashed as written
	Expires       string   // XSD dateTimeStamp
	Method        string   // verificationMethod, required
	Purpose       string   // proofPurpose, required
	Domain        []string // one is written as a string, several as a list
	Challenge     string
	Nonce         string
	PreviousProof []string // ids of the proofs that this one builds on; written as Domain is
}

// AppendJSON appends the options as a JSON object for the given suite to dst: a proof without its proofValue.
func (o *Options) AppendJSON(dst []byte, suite string) []byte {
	dst = append(dst, `{"type":"`+proofType+`"`...)
	dst = appendOption(dst, "id", o.ID)
	dst = appendOption(dst, "cryptosuite", suite)
	dst = appendOption(dst, "created", o.Created)
	dst = appendOption(dst, "expires", o.Expires)
	dst = appendOption(dst, "verificationMethod", o.Method)
	dst = appendOption(dst, "proofPurpose", o.Purpose)
	dst = appendList(dst, "domain", o.Domain)
	dst = appendOption(dst, "challenge", o.Challenge)
	dst = appendOption(dst, "nonce", o.Nonce)
	dst = appendList(dst, "previousProof", o.PreviousProof)
	return append(dst, '}')
}

func appendOption(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return appendList(dst, key, []string{value})
}

// appendList appends a member: one value as a string, several as a list, none not at all.
func appendList(dst []byte, key string, values []string) []byte {
	if len(values) == 0 {
		return dst
	}
	dst = append(append(append(dst, `,"`...), key...), `":`...)
	if len(values) == 1 {
		return jsontape.AppendQuoted(dst, values[0])
	}
	for i, v := range values {
		dst = append(dst, "[,"[min(i, 1)])
		dst = jsontape.AppendQuoted(dst, v)
	}
	return append(dst, ']')
}
