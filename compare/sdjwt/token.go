package sdjwt

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"math"

	"canonscope/canon"
)

var b64 = base64.RawURLEncoding.Strict()

const (
	defaultHash = "sha-256"
	ruleForm    = "RFC 9901 section 4"
)

// hashOf returns the hash of an _sd_alg value, which is case-sensitive (RFC 9901 section 4.1.1).
func hashOf(name string) (func() hash.Hash, error) {
	switch name {
	case "sha-256":
		return sha256.New, nil
	case "sha-384":
		return sha512.New384, nil
	case "sha-512":
		return sha512.New, nil
	}
	return nil, invalid("payload", "RFC 9901 section 4.1.1", "_sd_alg %q is not known: use sha-256, sha-384 or sha-512", name)
}

// checkForm applies what both engines ask of a compact token before they take it apart.
func checkForm(token []byte, limits canon.Limits) error {
	if max := min(limits.WithDefaults().Bytes, math.MaxInt32); len(token) > max {
		return &canon.LimitError{Limit: "bytes", Max: int64(max), Done: int64(len(token)), Where: "token"}
	}
	if bytes.IndexByte(token, '\n') >= 0 || bytes.IndexByte(token, '\r') >= 0 { // the decoder of encoding/base64 would skip them
		return invalid("token", ruleForm, "has a line break")
	}
	if bytes.IndexByte(token, '~') < 0 {
		return invalid("token", ruleForm, "has no '~': a plain JWT is no SD-JWT")
	}
	return nil
}
