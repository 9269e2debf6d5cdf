//phase:caller
package sdjwt

import (
	"bytes"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

const ruleJSON = "RFC 9901 section 8"

// isJSON reports whether a token is in the JWS JSON serialization. A compact token starts with base64url.
func isJSON(token []byte) bool {
	for _, c := range token {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c == '{'
		}
	}
	return false
}

// compacted returns the compact form of a token in either serialization.
func compacted(token []byte, limits canon.Limits) ([]byte, error) {
	if !isJSON(token) {
		return token, nil
	}
	return Compact(token, limits)
}

// Compact returns the compact form of an SD-JWT in the flattened or general JWS JSON serialization (RFC
// 9901 section 8). Of several signatures it takes the first, since its unprotected header holds the
// disclosures.
func Compact(token []byte, limits canon.Limits) ([]byte, error) {
	var t jsontape.Tape
	if err := t.Scan(token, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth,
		Memory: limits.Memory}); err != nil {
		return nil, wrap("JSON serialization", ruleJSON, err)
	}

	if t.Nodes[0].Kind != jsontape.Object {
		return nil, invalid("JSON serialization", ruleJSON, "is not a JSON object")
	}

	first := 0
	if list := t.Get(0, "signatures"); list >= 0 {
		if t.Nodes[list].Kind != jsontape.Array || t.Len(list) == 0 {
			return nil, invalid("/signatures", "RFC 7515 section 7.2.1",
				"must be an array of at least one signature")
		}
		if t.Get(0, "signature") >= 0 || t.Get(0, "protected") >= 0 || t.Get(0, "header") >= 0 {
			return nil, invalid("/signatures", "RFC 7515 section 7.2.2",
				"must not be beside members of the flattened form")
		}
		first = list + 1
		for e := range t.Elements(list) {
			if h := t.Get(e, "header"); e != first && h >= 0 && (t.Get(h, "disclosures") >= 0 ||
				t.Get(h, "kb_jwt") >= 0) {
				return nil, invalid(t.Pointer(h), ruleJSON,
					"disclosures and kb_jwt belong to the first unprotected header only")
			}
		}
	}

	var out []byte
	for i, part := range []struct {
		name string
		in   int
	}{{"protected", first}, {"payload", 0}, {"signature", first}} {
		n := t.Get(part.in, part.name)
		if n < 0 || t.Nodes[n].Kind != jsontape.String {
			return nil, invalid("JSON serialization", "RFC 7515 section 7.2.1",
				"%s is missing or not a string", part.name)
		}
		if i > 0 {
			out = append(out, '.')
		}
		out = t.AppendString(out, n)
	}

	out = append(out, '~')
	h := t.Get(first, "header")
	if h < 0 {
		return out, nil
	}

	if t.Nodes[h].Kind != jsontape.Object || t.Get(h, "crit") >= 0 || t.Get(h, "alg") >= 0 {
		return nil, invalid(t.Pointer(h), "RFC 7515 section 7.2.1",
			"the unprotected header must be an object without alg and crit, which are protected")
	}

	return appendUnprotected(out, &t, h)
}

// appendUnprotected appends the disclosures and the KB-JWT of an unprotected header.
func appendUnprotected(out []byte, t *jsontape.Tape, h int) ([]byte, error) {
	if list := t.Get(h, "disclosures"); list >= 0 {
		if t.Nodes[list].Kind != jsontape.Array {
			return nil, invalid(t.Pointer(list), ruleJSON, "must be an array of strings")
		}
		for e := range t.Elements(list) {
			if t.Nodes[e].Kind != jsontape.String || bytes.IndexByte(t.Text(e), '~') >= 0 {
				return nil, invalid(t.Pointer(e), ruleJSON, "is not a disclosure")
			}
			out = append(t.AppendString(out, e), '~')
		}
	}
	if kb := t.Get(h, "kb_jwt"); kb >= 0 {
		if t.Nodes[kb].Kind != jsontape.String || bytes.IndexByte(t.Text(kb), '~') >= 0 {
			return nil, invalid(t.Pointer(kb), ruleJSON, "is not a KB-JWT")
		}
		out = t.AppendString(out, kb)
	}
	return out, nil
}
