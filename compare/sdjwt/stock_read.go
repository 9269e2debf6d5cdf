//phase:caller
package sdjwt

import (
	"bytes"
	"encoding/json"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
)

// stockDisclosed is one disclosure of a received token.
type stockDisclosed struct {
	elements []any
	number   int
	used     bool // a digest refers to it
}

// stockReader unpacks a payload (RFC 9901 section 7.1 step 3).
//
//phase:select
type stockReader struct {
	digests map[string]*stockDisclosed
	seen    map[string]bool
	path    []byte // JSON pointer of the open container
	paths   []byte // JSON pointers of the disclosed claims, each with its endOfPath
	order   []int  // numbers of their disclosures
	limits  *canon.Limits
	facts   facts
}

//phase:select
func stockRead(
	payload map[string]any, disclosures [][]byte, budget *canon.Budget, c *compare.Counters,
) (*stockReader, string, error) {
	r := &stockReader{digests: map[string]*stockDisclosed{}, seen: map[string]bool{}, limits: budget.Limits()}
	hash := defaultHash
	if alg, ok := payload["_sd_alg"]; ok {
		if hash, ok = alg.(string); !ok {
			return nil, "", invalid("/_sd_alg", "RFC 9901 section 4.1.1", "is not a string")
		}
	}

	if _, err := hashOf(hash); err != nil {
		return nil, "", err
	}

	digest := stockDigest(hash, c)
	for i, text := range disclosures {
		d, err := stockParseDisclosure(text, i+1, budget)
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
	if err := r.object(payload, 1); err != nil {
		return nil, "", err
	}

	for _, d := range r.digests {
		if !d.used {
			return nil, "", invalid(where(d.number), "RFC 9901 section 7.1 step 5", "no digest refers to it")
		}
	}

	return r, hash, nil
}

//phase:parse
func stockParseDisclosure(text []byte, number int, budget *canon.Budget) (*stockDisclosed, error) {
	const rule = "RFC 9901 section 4.2"
	b, err := b64.DecodeString(string(text))
	if err != nil {
		return nil, invalid(where(number), rule, "is not base64url: %v", err)
	}
	if err := budget.Use(stockDisclosureSize); err != nil {
		return nil, err
	}
	v, err := stockValue(b, budget)
	if err != nil {
		return nil, wrap(where(number), rule, err)
	}
	a, ok := v.([]any)
	if !ok || len(a) != 2 && len(a) != 3 {
		return nil, invalid(where(number), rule, "must be an array of 2 or 3 elements")
	}
	if _, ok := a[0].(string); !ok {
		return nil, invalid(where(number), rule, "the salt is not a string")
	}
	return &stockDisclosed{elements: a, number: number}, nil
}

// refused returns a refusal of the open container, or of a member of it.
func (r *stockReader) refused(member, rule, format string, args ...any) error {
	return invalid(string(r.path)+member, rule, format, args...)
}

func (r *stockReader) deeper(depth int) error {
	if depth > r.limits.Depth {
		return &canon.LimitError{Limit: "depth", Max: int64(r.limits.Depth), Done: int64(depth),
			Where: string(r.path)}
	}
	return nil
}

// refer records a digest and returns its disclosure, or nil. member is the place of the digest below the
// open container.
func (r *stockReader) refer(digest, member string) (*stockDisclosed, error) {
	if r.seen[digest] {
		return nil, r.refused(member, "RFC 9901 section 7.1 step 4", "digest %q is in the token twice",
			digest)
	}
	r.seen[digest] = true
	return r.digests[digest], nil
}

// mark records that the open value is the claim of a disclosure.
func (r *stockReader) mark(d *stockDisclosed) error {
	if err := checkPaths(len(r.paths)+len(r.path)+len(endOfPath), r.limits); err != nil {
		return err
	}
	d.used = true
	r.paths = append(append(r.paths, r.path...), endOfPath...)
	r.order = append(r.order, d.number)
	if r.facts.disclosedTop == "" {
		top, _, _ := bytes.Cut(r.path[1:], []byte{'/'})
		r.facts.disclosedTop = protectedName(top)
	}
	return nil
}

func (r *stockReader) object(m map[string]any, depth int) error {
	if err := r.deeper(depth); err != nil {
		return err
	}

	sd, hasSD := m["_sd"]
	delete(m, "_sd")

	for name := range m {
		if reserved(name) {
			return r.refused("", "RFC 9901 section 4.1", "a claim is named %q", name)
		}
	}

	for name, v := range m {
		next, err := r.member(name, v, depth, nil)
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
		return r.refused("/_sd", "RFC 9901 section 4.2.4.1", "is not an array")
	}

	for _, entry := range list {
		digest, ok := entry.(string)
		if !ok {
			return r.refused("/_sd", "RFC 9901 section 4.2.4.1", "holds a value that is not a string")
		}
		d, err := r.refer(digest, "/_sd")
		if err != nil {
			return err
		}
		if d == nil {
			continue
		}
		if len(d.elements) != 3 {
			return invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.2.1",
				"belongs to an object and needs 3 elements")
		}
		name, ok := d.elements[1].(string)
		if !ok || reserved(name) {
			return invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.2.2",
				"its claim name is reserved or not a string")
		}
		if _, exists := m[name]; exists {
			return invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.2.3", "claim %q already exists",
				name)
		}
		if m[name], err = r.member(name, d.elements[2], depth, d); err != nil {
			return err
		}
	}

	return nil
}

// member processes a member of an object. d is the disclosure that holds it, or nil.
func (r *stockReader) member(name string, v any, depth int, d *stockDisclosed) (any, error) {
	if d == nil && isScalar(v) {
		return v, nil
	}
	back := len(r.path)
	r.path = jsontape.AppendToken(append(r.path, '/'), []byte(name))
	if d != nil {
		if err := r.mark(d); err != nil {
			return nil, err
		}
	}
	v, err := r.value(v, depth+1)
	if err == nil { // an error takes its place from the open path
		r.path = r.path[:back]
	}
	return v, err
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func (r *stockReader) array(a []any, depth int) ([]any, error) {
	if err := r.deeper(depth); err != nil {
		return nil, err
	}

	out, back := a[:0], len(r.path)
	for _, v := range a {
		if isScalar(v) {
			out = append(out, v)
			continue
		}
		r.path = strconv.AppendInt(append(r.path[:back], '/'), int64(len(out)), 10)
		if m, ok := v.(map[string]any); ok {
			if dots, ok := m["..."]; ok {
				digest, ok := dots.(string)
				if !ok || len(m) != 1 {
					return nil, r.refused("", "RFC 9901 section 4.2.4.2",
						`an element with "..." has one member, a digest`)
				}
				d, err := r.refer(digest, "")
				if err != nil {
					return nil, err
				}
				if d == nil {
					continue
				}
				if len(d.elements) != 2 {
					return nil, invalid(where(d.number), "RFC 9901 section 7.1 step 3.3.3.1",
						"belongs to an array and needs 2 elements")
				}
				if err := r.mark(d); err != nil {
					return nil, err
				}
				v = d.elements[1]
			}
		}

		v, err := r.value(v, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}

	r.path = r.path[:back]
	return out, nil
}

func (r *stockReader) value(v any, depth int) (any, error) {
	switch t := v.(type) {
	case map[string]any:
		return t, r.object(t, depth)
	case []any:
		return r.array(t, depth)
	}
	return v, nil
}

// stockFacts reads the facts for the rules from a processed payload.
//
//phase:validate
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

	f.iss, f.vct, f.sub = text("iss"), text("vct"), text("sub")
	f.nonce, f.sdHash, f.aud = text("nonce"), text("sd_hash"), text("aud")
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

	_, f.bound = m["cnf"]
	if cnf, ok := m["cnf"].(map[string]any); ok && cnf["jwk"] != nil {
		f.cnf, _ = json.Marshal(cnf["jwk"])
	}

	for _, name := range unread {
		if _, ok := m[name]; ok {
			f.unread = append(f.unread, name)
		}
	}

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
