package sdjwt

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// stock is the engine over lestrrat-go/jwx for JOSE and encoding/json for JSON.
type stock struct{}

// stockParse reads one JSON object. encoding/json would take the last of two equal keys; a scan refuses them first
// (RFC 7515 section 4) and bounds the depth.
func stockParse(b []byte, limits canon.Limits) (map[string]any, error) {
	v, err := stockValue(b, limits)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("is no JSON object")
	}
	return m, nil
}

func stockValue(b []byte, limits canon.Limits) (any, error) {
	var tape jsontape.Tape
	if err := tape.Scan(b, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth}); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// wrap makes a refusal of what a parser said, and leaves limits as they are.
func wrap(where, rule string, err error) error {
	var limit *canon.LimitError
	if err == nil || errors.As(err, &limit) {
		return err
	}
	return invalid(where, rule, "%v", err)
}

// stockIssuer walks a claims set and turns disclosable claims into disclosures.
type stockIssuer struct {
	*Issuer
	digest      func([]byte) string
	pointers    map[string]bool
	found       int
	leaves      string
	disclosures []string
}

func (stock) issue(i *Issuer, claims []byte, d Disclosable) ([]byte, error) {
	root, err := stockParse(claims, i.Limits)
	if err != nil {
		return nil, wrap("claims", "RFC 7519 section 4", err)
	}
	if _, ok := root["cnf"]; ok && i.Holder != nil {
		return nil, invalid("/cnf", ruleVC, "stands in the claims, and the holder's key would replace it")
	}
	w := &stockIssuer{Issuer: i, digest: stockDigest(i.hash(), i.Counters), leaves: d.Leaves, pointers: map[string]bool{}}
	for _, p := range d.Pointers {
		w.pointers[p] = true
	}
	payload, err := w.object(root, "")
	if err != nil {
		return nil, err
	}
	if w.found < len(w.pointers) {
		return nil, w.missing()
	}
	if len(w.disclosures) > 0 {
		payload["_sd_alg"] = i.hash()
	}
	if i.Holder != nil {
		payload["cnf"] = map[string]any{"jwk": json.RawMessage(i.Holder.JWK())}
	}
	body, err := stockEncode(payload)
	if err != nil {
		return nil, err
	}
	jwt, err := stockSign(body, i.typ(), i.KeyID, i.Key)
	if err != nil {
		return nil, err
	}
	i.Counters.Add(compare.Counters{Signatures: 1})
	return stockJoin(jwt, w.disclosures), nil
}

// missing names a pointer that points to nothing.
func (w *stockIssuer) missing() error {
	for _, p := range slices.Sorted(maps.Keys(w.pointers)) {
		if w.pointers[p] {
			return invalid(p, "RFC 6901", "the claims have no such member or element")
		}
	}
	return nil
}

// take says whether the claim at path becomes a disclosure.
func (w *stockIssuer) take(path string, v any) (bool, error) {
	marked := w.pointers[path]
	if marked {
		w.pointers[path] = false
		w.found++
	} else if marked = w.leaves != "" && isLeaf(v) && below(path, w.leaves); !marked {
		return false, nil
	}
	if top, _, _ := strings.Cut(path[1:], "/"); w.typ() == typVC && protected[top] {
		return false, invalid(path, ruleVC, "must not be selectively disclosable")
	}
	return true, nil
}

func isLeaf(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	}
	return true
}

// below says whether path is at or below pointer.
func below(path, pointer string) bool {
	rest, ok := strings.CutPrefix(path, pointer)
	return ok && (rest == "" || rest[0] == '/')
}

// value replaces the disclosable claims inside v, innermost first.
func (w *stockIssuer) value(v any, path string) (any, error) {
	switch t := v.(type) {
	case map[string]any:
		return w.object(t, path)
	case []any:
		return w.array(t, path)
	}
	return v, nil
}

func (w *stockIssuer) object(m map[string]any, path string) (map[string]any, error) {
	out := make(map[string]any, len(m))
	var digests []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if reserved(name) {
			return nil, invalid(path+"/"+name, "RFC 9901 section 4.1", "%q is reserved; rename the claim", name)
		}
		p := path + "/" + escape(name)
		v, err := w.value(m[name], p)
		if err != nil {
			return nil, err
		}
		take, err := w.take(p, m[name])
		if err != nil {
			return nil, err
		}
		if !take {
			out[name] = v
			continue
		}
		d, err := w.disclose(name, v)
		if err != nil {
			return nil, err
		}
		digests = append(digests, d)
	}
	if len(digests) == 0 {
		return out, nil
	}
	for range w.Decoys {
		salt, err := stockSalt(w.salts(), w.Counters)
		if err != nil {
			return nil, err
		}
		digests = append(digests, w.digest([]byte(salt)))
	}
	slices.Sort(digests) // hides the order of the claims
	out["_sd"] = digests
	return out, nil
}

func (w *stockIssuer) array(a []any, path string) ([]any, error) {
	out := make([]any, len(a))
	for i := range a {
		p := path + "/" + strconv.Itoa(i)
		v, err := w.value(a[i], p)
		if err != nil {
			return nil, err
		}
		take, err := w.take(p, a[i])
		if err != nil {
			return nil, err
		}
		if take {
			d, err := w.disclose(v)
			if err != nil {
				return nil, err
			}
			v = map[string]any{"...": d}
		}
		out[i] = v
	}
	return out, nil
}

// disclose makes the disclosure of a claim, name and value, or of an array element, the value alone, and returns its digest.
func (w *stockIssuer) disclose(claim ...any) (digest string, err error) {
	salt, err := stockSalt(w.salts(), w.Counters)
	if err != nil {
		return "", err
	}
	text, err := stockDisclosure(append([]any{salt}, claim...))
	if err != nil {
		return "", err
	}
	w.disclosures = append(w.disclosures, text)
	return w.digest([]byte(text)), nil
}

// stockSalt draws 128 bits (RFC 9901 section 9.3).
func stockSalt(r io.Reader, c *compare.Counters) (string, error) {
	var salt [16]byte
	if _, err := io.ReadFull(r, salt[:]); err != nil {
		return "", err
	}
	c.Add(compare.Counters{Salts: 1})
	return b64.EncodeToString(salt[:]), nil
}

// stockDisclosure encodes a disclosure (RFC 9901 section 4.2).
func stockDisclosure(elements []any) (string, error) {
	b, err := json.Marshal(elements)
	return b64.EncodeToString(b), err
}

// stockDigest returns the function that hashes a disclosure's text (RFC 9901 section 4.2.3).
func stockDigest(name string, c *compare.Counters) func([]byte) string {
	newHash, _ := hashOf(name) // checked before
	return func(text []byte) string {
		h := newHash()
		h.Write(text)
		c.Add(compare.Counters{Digests: 1})
		return b64.EncodeToString(h.Sum(nil))
	}
}

// stockEncode stands alone so that profiles tell encoding from signing.
func stockEncode(payload map[string]any) ([]byte, error) { return json.Marshal(payload) }

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
	return jws.Sign(body, jws.WithKey(jwa.SignatureAlgorithm(key.Algorithm()), key.Crypto(), jws.WithProtectedHeaders(h)))
}

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
func stockCheck(where string, jwt []byte, h header, key *keys.Public) ([]byte, error) {
	if err := checkHeader(where, h, key); err != nil {
		return nil, err
	}
	payload, err := jws.Verify(jwt, jws.WithKey(jwa.SignatureAlgorithm(key.Algorithm()), key.Crypto()))
	if err != nil {
		return nil, invalid(where, "RFC 7515 section 5.2", "the signature does not hold: %v", err)
	}
	return payload, nil
}

func stockHeader(where string, jwt []byte, limits canon.Limits) (header, error) {
	parts, err := splitJWS(where, jwt)
	if err != nil {
		return header{}, err
	}
	for i, name := range []string{"header", "payload", "signature"} {
		if _, err := b64.DecodeString(string(parts[i])); err != nil { // jwx would also take padding and the other alphabet
			return header{}, invalid(where, "RFC 7515 section 2", "%s is no base64url: %v", name, err)
		}
	}
	b, _ := b64.DecodeString(string(parts[0]))
	m, err := stockParse(b, limits)
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
		h.parameter(name, text, object, h.x5c != nil)
	}
	if _, object := m["jwk"].(map[string]any); object || len(bytes.TrimSpace(b)) < len(b) {
		return header{}, &canon.UnsupportedError{Engine: Stock, What: "a header with jwk, or with space around it", Where: where}
	}
	return h, nil
}

// stockDisclosed is one disclosure of a received token.
type stockDisclosed struct {
	elements []any
	number   int
	path     string // where its claim stands; "" until it is referenced
}

// stockReader unpacks a payload (RFC 9901 section 7.1 step 3).
type stockReader struct {
	digests map[string]*stockDisclosed
	seen    map[string]bool
	order   []*stockDisclosed // as they are referenced
	limits  canon.Limits
	facts   facts
}

func stockRead(payload map[string]any, disclosures [][]byte, limits canon.Limits, c *compare.Counters) (*stockReader, string, error) {
	r := &stockReader{digests: map[string]*stockDisclosed{}, seen: map[string]bool{}, limits: limits.WithDefaults()}
	hash := defaultHash
	if alg, ok := payload["_sd_alg"]; ok {
		if hash, ok = alg.(string); !ok {
			return nil, "", invalid("/_sd_alg", "RFC 9901 section 4.1.1", "is no string")
		}
	}
	if _, err := hashOf(hash); err != nil {
		return nil, "", err
	}
	digest := stockDigest(hash, c)
	for i, text := range disclosures {
		d, err := stockParseDisclosure(text, i+1, limits)
		if err != nil {
			return nil, "", err
		}
		key := digest(text)
		if r.digests[key] != nil {
			return nil, "", invalid(where(i+1), ruleForm, "is sent twice")
		}
		r.digests[key] = d
	}
	delete(payload, "_sd_alg")
	if err := r.object(payload, "", 1); err != nil {
		return nil, "", err
	}
	for _, d := range r.digests {
		if d.path == "" {
			return nil, "", invalid(where(d.number), "RFC 9901 section 7.1 step 5", "no digest refers to it")
		}
	}
	return r, hash, nil
}

func where(disclosure int) string { return "disclosure " + strconv.Itoa(disclosure) }

func stockParseDisclosure(text []byte, number int, limits canon.Limits) (*stockDisclosed, error) {
	const rule = "RFC 9901 section 4.2"
	b, err := b64.DecodeString(string(text))
	if err != nil {
		return nil, invalid(where(number), rule, "is no base64url: %v", err)
	}
	v, err := stockValue(b, limits)
	if err != nil {
		return nil, wrap(where(number), rule, err)
	}
	a, ok := v.([]any)
	if !ok || len(a) != 2 && len(a) != 3 {
		return nil, invalid(where(number), rule, "must be an array of 2 or 3 elements")
	}
	if _, ok := a[0].(string); !ok {
		return nil, invalid(where(number), rule, "the salt is no string")
	}
	return &stockDisclosed{elements: a, number: number}, nil
}

// refer notes a digest and returns its disclosure, if there is one.
func (r *stockReader) refer(digest, path string) (*stockDisclosed, error) {
	if r.seen[digest] {
		return nil, invalid(path, "RFC 9901 section 7.1 step 4", "digest %q stands in the token twice", digest)
	}
	r.seen[digest] = true
	return r.digests[digest], nil
}

// mark says where a disclosure's claim stands.
func (r *stockReader) mark(d *stockDisclosed, path string) {
	d.path = path
	r.order = append(r.order, d)
	if top, _, _ := strings.Cut(path[1:], "/"); r.facts.disclosedTop == "" && protected[top] {
		r.facts.disclosedTop = top
	}
}

func (r *stockReader) object(m map[string]any, path string, depth int) error {
	if depth > r.limits.Depth {
		return &canon.LimitError{Limit: "depth", Max: int64(r.limits.Depth), Done: int64(depth), Where: path}
	}
	sd, hasSD := m["_sd"]
	delete(m, "_sd")
	for name := range m {
		if reserved(name) {
			return invalid(path, "RFC 9901 section 4.1", "a claim is named %q", name)
		}
	}
	for name, v := range m {
		next, err := r.value(v, path+"/"+escape(name), depth+1)
		if err != nil {
			return err
		}
		m[name] = next
	}
	if !hasSD {
		return nil
	}
	list, ok := sd.([]any)
	if !ok {
		return invalid(path+"/_sd", "RFC 9901 section 4.2.4.1", "is no array")
	}
	for _, entry := range list {
		digest, ok := entry.(string)
		if !ok {
			return invalid(path+"/_sd", "RFC 9901 section 4.2.4.1", "holds something else than strings")
		}
		d, err := r.refer(digest, path+"/_sd")
		if err != nil {
			return err
		}
		if d == nil {
			continue
		}
		if len(d.elements) != 3 {
			return invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.2.1", "is of an object and needs 3 elements")
		}
		name, ok := d.elements[1].(string)
		if !ok || reserved(name) {
			return invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.2.2", "its claim name is reserved or no string")
		}
		if _, exists := m[name]; exists {
			return invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.2.3", "claim %q exists already", name)
		}
		p := path + "/" + escape(name)
		r.mark(d, p)
		if m[name], err = r.value(d.elements[2], p, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (r *stockReader) array(a []any, path string, depth int) ([]any, error) {
	if depth > r.limits.Depth {
		return nil, &canon.LimitError{Limit: "depth", Max: int64(r.limits.Depth), Done: int64(depth), Where: path}
	}
	out := a[:0]
	for _, v := range a {
		p := path + "/" + strconv.Itoa(len(out))
		if m, ok := v.(map[string]any); ok {
			if dots, ok := m["..."]; ok {
				digest, ok := dots.(string)
				if !ok || len(m) != 1 {
					return nil, invalid(p, "RFC 9901 section 4.2.4.2", `an element with "..." has one member, a digest`)
				}
				d, err := r.refer(digest, p)
				if err != nil {
					return nil, err
				}
				if d == nil {
					continue
				}
				if len(d.elements) != 2 {
					return nil, invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.3.1", "is of an array and needs 2 elements")
				}
				r.mark(d, p)
				v = d.elements[1]
			}
		}
		v, err := r.value(v, p, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (r *stockReader) value(v any, path string, depth int) (any, error) {
	switch t := v.(type) {
	case map[string]any:
		return t, r.object(t, path, depth)
	case []any:
		return r.array(t, path, depth)
	}
	return v, nil
}

func reserved(name string) bool { return name == "_sd" || name == "..." || name == "_sd_alg" }

func (stock) present(h *Holder, token []byte, pointers []string, b *Binding) ([]byte, error) {
	jwt, disclosures, kb, err := stockSplit(token, h.Limits)
	if err != nil {
		return nil, err
	}
	if len(kb) > 0 {
		return nil, invalid("KB-JWT", "RFC 9901 section 7.2", "an issued SD-JWT has none")
	}
	payload, err := stockPayload(jwt, h.Limits)
	if err != nil {
		return nil, err
	}
	r, hash, err := stockRead(payload, disclosures, h.Limits, h.Counters)
	if err != nil {
		return nil, err
	}
	chosen, err := stockSelect(r, payload, pointers, disclosures)
	if err != nil {
		return nil, err
	}
	out := stockJoin(jwt, chosen)
	if b == nil {
		return out, nil
	}
	body, err := json.Marshal(map[string]any{"iat": b.now().Unix(), "aud": b.Audience, "nonce": b.Nonce, "sd_hash": stockDigest(hash, nil)(out)})
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

// stockSplit takes a compact token apart: JWT ~ disclosure ~ ... ~ KB-JWT, which is empty in a plain SD-JWT.
func stockSplit(token []byte, limits canon.Limits) (jwt []byte, disclosures [][]byte, kb []byte, err error) {
	if err := checkForm(token, limits); err != nil {
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

func stockPayload(jwt []byte, limits canon.Limits) (map[string]any, error) {
	parts, err := splitJWS("JWT", jwt)
	if err != nil {
		return nil, err
	}
	b, err := b64.DecodeString(string(parts[1]))
	if err != nil {
		return nil, invalid("payload", "RFC 7515 section 2", "is no base64url: %v", err)
	}
	m, err := stockParse(b, limits)
	return m, wrap("payload", "RFC 7519 section 7.2", err)
}

// stockSelect returns the disclosures that pointers need, in the order they were issued.
func stockSelect(r *stockReader, payload map[string]any, pointers []string, issued [][]byte) ([]string, error) {
	take := make([]bool, len(issued))
	for _, p := range pointers {
		hit := false
		for _, d := range r.order {
			if below(d.path, p) || below(p, d.path) {
				take[d.number-1], hit = true, true
			}
		}
		if !hit && !exists(payload, p) {
			return nil, invalid(p, "RFC 6901", "the token has no such claim")
		}
	}
	var out []string
	for i, t := range take {
		if t {
			out = append(out, string(issued[i]))
		}
	}
	return out, nil
}

// exists says whether the processed payload has something at a pointer.
func exists(v any, pointer string) bool {
	for pointer != "" {
		if pointer[0] != '/' {
			return false
		}
		token, rest, more := strings.Cut(pointer[1:], "/")
		switch t := v.(type) {
		case map[string]any:
			next, ok := t[jsontape.UnescapeToken(token)]
			if !ok {
				return false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(t) || strconv.Itoa(i) != token {
				return false
			}
			v = t[i]
		default:
			return false
		}
		if !more {
			return true
		}
		pointer = "/" + rest
	}
	return true
}

func (stock) verify(v *Verifier, token []byte) (*Result, error) {
	jwt, disclosures, kb, err := stockSplit(token, v.Limits)
	if err != nil {
		return nil, err
	}
	if err := v.bindingPolicy(kb); err != nil {
		return nil, err
	}
	h, err := stockHeader("header", jwt, v.Limits)
	if err != nil {
		return nil, err
	}
	key, err := v.issuerKey(h)
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
	payload, err := stockParse(body, v.Limits)
	if err != nil {
		return nil, wrap("payload", "RFC 7519 section 7.2", err)
	}
	r, hash, err := stockRead(payload, disclosures, v.Limits, v.Counters)
	if err != nil {
		return nil, err
	}
	stockFacts(payload, &r.facts)
	if err := v.checkFacts(&r.facts); err != nil {
		return nil, err
	}
	res := &Result{value: payload}
	for _, d := range r.order {
		res.paths = append(res.paths, d.path...)
		res.ends = append(res.ends, len(res.paths))
	}
	if err := res.fromFacts(v, &r.facts); err != nil {
		return nil, err
	}
	if v.Binding {
		if err := stockBinding(v, res.Holder, token[:len(token)-len(kb)], kb, hash); err != nil {
			return nil, err
		}
	}
	return res, nil
}

func stockBinding(v *Verifier, holder *keys.Public, signed, kb []byte, hash string) error {
	if holder == nil {
		return invalid("/cnf", ruleBinding+" step 5.1", "names no key of the holder")
	}
	h, err := stockHeader("KB-JWT", kb, v.Limits)
	if err != nil {
		return err
	}
	body, err := stockCheck("KB-JWT", kb, h, holder)
	if err != nil {
		return err
	}
	v.Counters.Add(compare.Counters{Verifications: 1})
	m, err := stockParse(body, v.Limits)
	if err != nil {
		return wrap("KB-JWT", "RFC 7519 section 7.2", err)
	}
	var f facts
	stockFacts(m, &f)
	return v.checkBinding(h, &f, stockDigest(hash, nil)(signed))
}

// stockFacts reads what the rules need from a processed payload.
func stockFacts(m map[string]any, f *facts) {
	text := func(name string) (s scalar) {
		v, ok := m[name]
		s.present = ok
		s.text, s.typed = v.(string)
		return s
	}
	number := func(name string) (s scalar) {
		v, ok := m[name]
		s.present = ok
		if n, ok := v.(json.Number); ok {
			var err error
			s.number, err = n.Float64()
			s.typed = err == nil
		}
		return s
	}
	f.iss, f.vct, f.sub, f.nonce, f.sdHash, f.aud = text("iss"), text("vct"), text("sub"), text("nonce"), text("sd_hash"), text("aud")
	f.iat, f.nbf, f.exp = number("iat"), number("nbf"), number("exp")
	if a, ok := m["aud"].([]any); ok {
		f.auds = texts(a)
	}
	if aka, ok := m["aka_vcts"]; ok {
		f.akaPresent = true
		if a, ok := aka.([]any); ok {
			f.aka = texts(a)
		}
	}
	if cnf, ok := m["cnf"].(map[string]any); ok && cnf["jwk"] != nil {
		f.cnf, _ = json.Marshal(cnf["jwk"])
	}
	_, f.status = m["status"]
	f.integrity = text("vct#integrity")
}

// texts returns the elements of an array of strings, or nil if one is something else.
func texts(a []any) []string {
	out := make([]string, 0, len(a))
	for _, v := range a {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}
