//phase:caller
package sdjwt

import (
	"bytes"
	"errors"
	"hash"
	"math"
	"strconv"

	"canonscope/canon"
	"canonscope/compare/internal/baseline"
)

var b64 = baseline.Base64

const (
	defaultHash = "sha-256"
	ruleForm    = "RFC 9901 section 4"
)

var hashes = baseline.Hashes{"sha-256", "sha-384", "sha-512"}

// hashOf returns the hash of an _sd_alg value, which is case-sensitive (RFC 9901 section 4.1.1).
func hashOf(name string) (func() hash.Hash, error) {
	if h := hashes.New(name); h != nil {
		return h, nil
	}
	return nil, invalid("payload", "RFC 9901 section 4.1.1",
		"_sd_alg %q is not known: use sha-256, sha-384 or sha-512", name)
}

// checkForm applies the checks of both engines to a compact token before they divide it.
func checkForm(token []byte, limits canon.Limits) error {
	if max := min(limits.WithDefaults().Bytes, math.MaxInt32); len(token) > max {
		return &canon.LimitError{Limit: "bytes", Max: int64(max), Done: int64(len(token)), Where: "token"}
	}
	// The decoder of encoding/base64 would skip line breaks.
	if bytes.IndexByte(token, '\n') >= 0 || bytes.IndexByte(token, '\r') >= 0 {
		return invalid("token", ruleForm, "has a line break")
	}
	end := bytes.LastIndexByte(token, '~')
	switch {
	case end < 0:
		return invalid("token", ruleForm,
			"has no '~': add the one that ends an SD-JWT, unless it is a plain JWT")
	case end < len(token)-1 && bytes.IndexByte(token[end:], '.') < 0:
		return invalid("token", ruleForm, "ends in a disclosure without '~': add the one that ends an SD-JWT")
	}
	return nil
}

// checkPaths bounds the JSON pointers to all disclosures, which can be far longer than the token: each
// repeats the names above it. The factor covers earlier buffers of the growing slice and the copies for the
// caller.
func checkPaths(size int, limits *canon.Limits) error {
	const copies = 4
	if used := copies * int64(size); used > limits.Memory {
		return &canon.LimitError{Limit: "memory", Max: limits.Memory, Done: used,
			Where: "pointers to disclosures"}
	}
	return nil
}

// disclosureSize is the assumed memory to make or read a disclosure, without its text. It mostly accounts
// for time, which is proportional.
const disclosureSize = 512

// checkCount bounds the disclosures of a token.
func checkCount(n int, limits *canon.Limits) error {
	if used := disclosureSize * int64(n); used > limits.Memory {
		return &canon.LimitError{Limit: "memory", Max: limits.Memory, Done: used, Where: where(n)}
	}
	return nil
}

// sdHash returns the digest of a whole SD-JWT (RFC 9901 section 4.3.1).
//
//phase:digest
func sdHash(hashName string, signed []byte) string {
	var s baseline.Sum
	n := hashes.Into(&s, hashName, signed)
	return b64.EncodeToString(s[:n])
}

// splitJWS divides a compact JWS: header, payload, signature.
//
//phase:parse
func splitJWS(where string, jwt []byte) (parts [3][]byte, err error) {
	rest := jwt
	for i := range 2 {
		dot := bytes.IndexByte(rest, '.')
		if dot < 0 {
			return parts, invalid(where, "RFC 7515 section 7.1", "a compact JWS has 3 parts, found %d", i+1)
		}
		parts[i], rest = rest[:dot], rest[dot+1:]
	}
	if bytes.IndexByte(rest, '.') >= 0 {
		return parts, invalid(where, "RFC 7515 section 7.1", "a compact JWS has 3 parts, found more")
	}
	parts[2] = rest
	return parts, nil
}

// wrap converts an error of a parser to a refusal. It returns errors of limits unchanged.
func wrap(where, rule string, err error) error {
	var limit *canon.LimitError
	if err == nil || errors.As(err, &limit) {
		return err
	}
	return invalid(where, rule, "%v", err)
}

func where(disclosure int) string { return "disclosure " + strconv.Itoa(disclosure) }

func reserved(name string) bool { return name == "_sd" || name == "..." || name == "_sd_alg" }
