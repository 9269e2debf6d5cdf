//phase:parse
package sdjwt

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

// stock is the engine that uses lestrrat-go/jwx for JOSE and encoding/json for JSON.
type stock struct{}

// stockParse reads one JSON object. A scan first bounds the depth and refuses repeated keys (RFC 7515
// section 4); encoding/json would keep the last of them.
func stockParse(b []byte, budget *canon.Budget) (map[string]any, error) {
	v, err := stockValue(b, budget)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("is not a JSON object")
	}
	return m, nil
}

func stockValue(b []byte, budget *canon.Budget) (any, error) {
	limits := budget.Limits()
	var tape jsontape.Tape
	if err := tape.Scan(b, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth,
		Memory: limits.Memory}); err != nil {
		return nil, err
	}
	if err := budget.Use(tape.TreeSize()); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

//phase:caller
func newBudget(limits canon.Limits) *canon.Budget {
	b := new(canon.Budget)
	b.Reset(limits)
	return b
}

// below reports whether path is at or below pointer.
//
//phase:caller
func below[P, Q string | []byte](path P, pointer Q) bool {
	n := len(pointer)
	return len(path) >= n && string(path[:n]) == string(pointer) && (len(path) == n || path[n] == '/')
}

// stockDigest returns the function that hashes a disclosure's text (RFC 9901 section 4.2.3).
//
//phase:digest
func stockDigest(name string, c *compare.Counters) func([]byte) string {
	newHash, _ := hashOf(name) // checked before
	return func(text []byte) string {
		h := newHash()
		h.Write(text)
		c.Add(compare.Counters{Digests: 1})
		return b64.EncodeToString(h.Sum(nil))
	}
}

// stockEncode is a separate function so that profiles separate encoding from signing.
//
//phase:encode
func stockEncode(payload map[string]any) ([]byte, error) { return json.Marshal(payload) }

//phase:sign
func stockSign(body []byte, typ, kid string, key *keys.Secret) ([]byte, error) {
	h := jws.NewHeaders()
	if err := h.Set(jws.TypeKey, typ); err != nil {
		return nil, err
	}
	if kid != "" {
		if err := h.Set(jws.KeyIDKey, kid); err != nil {
			return nil, err
		}
	}
	return jws.Sign(body, jws.WithKey(jwa.SignatureAlgorithm(key.Algorithm()), key.Crypto(),
		jws.WithProtectedHeaders(h)))
}

//phase:encode
func stockJoin(jwt []byte, disclosures []string) []byte {
	n := len(jwt) + 1
	for _, d := range disclosures {
		n += len(d) + 1
	}
	out := append(make([]byte, 0, n), jwt...)
	out = append(out, '~')
	for _, d := range disclosures {
		out = append(append(out, d...), '~')
	}
	return out
}

// stockCheck checks a compact JWS and returns its payload.
//
//phase:check
func stockCheck(where string, jwt []byte, h header, key *keys.Public) ([]byte, error) {
	if err := checkHeader(where, h, key); err != nil {
		return nil, err
	}
	payload, err := jws.Verify(jwt, jws.WithKey(jwa.SignatureAlgorithm(key.Algorithm()), key.Crypto()))
	if err != nil {
		return nil, invalid(where, "RFC 7515 section 5.2", "the signature is invalid: %v", err)
	}
	return payload, nil
}

func stockHeader(where string, jwt []byte, budget *canon.Budget) (header, error) {
	parts, err := splitJWS(where, jwt)
	if err != nil {
		return header{}, err
	}

	for i, name := range []string{"header", "payload", "signature"} {
		// Checked here, since jwx would also accept padding and the other alphabet.
		if _, err := b64.DecodeString(string(parts[i])); err != nil {
			return header{}, invalid(where, "RFC 7515 section 2", "%s is not base64url: %v", name, err)
		}
	}

	b, _ := b64.DecodeString(string(parts[0]))
	m, err := stockParse(b, budget)
	if err != nil {
		return header{}, wrap(where, "RFC 7515 section 4", err)
	}

	var h header
	h.alg, _ = m["alg"].(string)
	h.typ, _ = m["typ"].(string)
	_, h.crit = m["crit"]
	x5c, ok := m["x5c"]
	if h.hasX5C = ok; ok {
		if a, ok := x5c.([]any); ok {
			h.x5c = texts(a)
		}
	}

	for name, v := range m {
		_, text := v.(string)
		_, object := v.(map[string]any)
		h.parameter([]byte(name), text, object, h.x5c != nil)
	}

	if _, object := m["jwk"].(map[string]any); object || len(bytes.TrimSpace(b)) < len(b) {
		return header{}, &canon.UnsupportedError{Engine: string(canon.Stock),
			What: "a header with jwk, or with space around it", Where: where}
	}

	return h, nil
}

//phase:select fallback
func (stock) present(h *Holder, token []byte, pointers []string, b *Binding) ([]byte, error) {
	jwt, disclosures, kb, err := stockSplit(token, h.Limits)
	if err != nil {
		return nil, err
	}
	if len(kb) > 0 {
		return nil, invalid("KB-JWT", "RFC 9901 section 7.2", "an issued SD-JWT has none")
	}

	budget := newBudget(h.Limits)
	payload, err := stockPayload(jwt, budget)
	if err != nil {
		return nil, err
	}

	r, hash, err := stockRead(payload, disclosures, budget, h.Counters)
	if err != nil {
		return nil, err
	}

	chosen, unmet := stockSelect(r, payload, pointers, disclosures)
	if unmet >= 0 {
		return nil, mismatch(token, pointers[unmet], h.Limits)
	}

	out := stockJoin(jwt, chosen)
	if b == nil {
		return out, nil
	}

	body, err := json.Marshal(map[string]any{"iat": baseline.Now(b.Now).Unix(), "aud": b.Audience,
		"nonce": b.Nonce, "sd_hash": stockDigest(hash, nil)(out)})
	if err != nil {
		return nil, err
	}

	kb, err = stockSign(body, "kb+jwt", "", h.Key)
	if err != nil {
		return nil, err
	}

	h.Counters.Add(compare.Counters{Signatures: 1})
	return append(out, kb...), nil
}

// stockSplit divides a compact token: JWT ~ disclosure ~ ... ~ KB-JWT. The KB-JWT is empty without key
// binding.
func stockSplit(token []byte, limits canon.Limits) (jwt []byte, disclosures [][]byte, kb []byte, err error) {
	if err := checkForm(token, limits); err != nil {
		return nil, nil, nil, err
	}
	limits = limits.WithDefaults()
	if err := checkCount(bytes.Count(token, []byte{'~'}), &limits); err != nil {
		return nil, nil, nil, err
	}
	parts := bytes.Split(token, []byte{'~'})
	n := len(parts) - 1
	for i, d := range parts[1:n] {
		if len(d) == 0 {
			return nil, nil, nil, invalid(where(i+1), ruleForm, "is empty")
		}
	}
	return parts[0], parts[1:n], parts[n], nil
}

func stockPayload(jwt []byte, budget *canon.Budget) (map[string]any, error) {
	parts, err := splitJWS("JWT", jwt)
	if err != nil {
		return nil, err
	}
	b, err := b64.DecodeString(string(parts[1]))
	if err != nil {
		return nil, invalid("payload", "RFC 7515 section 2", "is not base64url: %v", err)
	}
	m, err := stockParse(b, budget)
	return m, wrap("payload", "RFC 7519 section 7.2", err)
}

// stockSelect returns the disclosures that pointers need, in the order of the token, and the index of the
// first pointer that names nothing, or -1.
//
//phase:select
func stockSelect(
	r *stockReader, payload map[string]any, pointers []string, issued [][]byte,
) (chosen []string, unmet int) {
	take := make([]bool, len(issued))
	type disclosed struct {
		path   string
		number int
	}

	all := make([]disclosed, len(r.order))
	for i, path := range splitPaths(r.paths) {
		all[i] = disclosed{path, r.order[i]}
	}

	slices.SortFunc(all, func(a, b disclosed) int { return comparePointers(a.path, b.path) })
	find := func(pointer string) (int, bool) {
		return slices.BinarySearchFunc(all, pointer,
			func(d disclosed, p string) int { return comparePointers(d.path, p) })
	}

	known := 0 // disclosures before this one are decided
	sorted := slices.SortedFunc(slices.Values(pointers), comparePointers)
	for _, p := range sorted { // the claims at or below p are adjacent
		first, _ := find(p)
		known = max(known, first)
		for ; known < len(all) && below(all[known].path, p); known++ {
			take[all[known].number-1] = true
		}
	}

	for i, p := range pointers {
		first, _ := find(p)
		hit := first < len(all) && below(all[first].path, p)
		// The containers of p.
		for at := strings.LastIndexByte(p, '/'); at > 0; at = strings.LastIndexByte(p[:at], '/') {
			if d, ok := find(p[:at]); ok {
				take[all[d].number-1], hit = true, true
			}
		}
		if !hit && !exists(payload, p) {
			return nil, i
		}
	}

	for i, t := range take {
		if t {
			chosen = append(chosen, string(issued[i]))
		}
	}

	return chosen, -1
}

// exists reports whether the processed payload has a value at a pointer.
//
//phase:caller
func exists(v any, pointer string) bool {
	tokens := strings.Split(pointer, "/")
	if tokens[0] != "" {
		return false
	}
	for _, token := range tokens[1:] {
		var ok bool
		if v, ok = jsontape.Part(v, token); !ok {
			return false
		}
	}
	return true
}

//phase:validate fallback
func (stock) verify(v *Verifier, token []byte) (*Result, error) {
	jwt, disclosures, kb, err := stockSplit(token, v.Limits)
	if err != nil {
		return nil, err
	}
	if err := v.bindingPolicy(kb); err != nil {
		return nil, err
	}

	budget := newBudget(v.Limits)
	h, err := stockHeader("header", jwt, budget)
	if err != nil {
		return nil, err
	}

	key, leaf, err := v.issuerKey(h)
	if err != nil {
		return nil, err
	}

	body, err := stockCheck("header", jwt, h, key)
	if err != nil {
		return nil, err
	}

	v.Counters.Add(compare.Counters{Verifications: 1})
	if err := v.checkTyp(h); err != nil {
		return nil, err
	}

	payload, err := stockParse(body, budget)
	if err != nil {
		return nil, wrap("payload", "RFC 7519 section 7.2", err)
	}

	r, hash, err := stockRead(payload, disclosures, budget, v.Counters)
	if err != nil {
		return nil, err
	}

	stockFacts(payload, &r.facts)
	if err := v.checkFacts(&r.facts, key, leaf); err != nil {
		return nil, err
	}

	res := &Result{value: payload, paths: r.paths}
	if err := res.fromFacts(v, &r.facts, leaf, kb); err != nil {
		return nil, err
	}

	if v.Binding {
		if err := stockBinding(v, budget, res.Holder, token[:len(token)-len(kb)], kb, hash); err != nil {
			return nil, err
		}
	}

	return res, nil
}

//phase:caller
func stockBinding(
	v *Verifier, budget *canon.Budget, holder *keys.Public, signed, kb []byte, hash string,
) error {
	if holder == nil {
		return invalid("/cnf", ruleBinding+" step 5.1", "has no key of the holder")
	}
	h, err := stockHeader("KB-JWT", kb, budget)
	if err != nil {
		return err
	}
	body, err := stockCheck("KB-JWT", kb, h, holder)
	if err != nil {
		return err
	}
	v.Counters.Add(compare.Counters{Verifications: 1})
	m, err := stockParse(body, budget)
	if err != nil {
		return wrap("KB-JWT", "RFC 7519 section 7.2", err)
	}
	var f facts
	stockFacts(m, &f)
	return v.checkBinding(h, &f, stockDigest(hash, nil)(signed))
}
