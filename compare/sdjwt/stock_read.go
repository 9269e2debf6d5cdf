package sdjwt

import (
	"encoding/json"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
)

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
	paths   int64 // bytes of the pointers to what is disclosed
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
func (r *stockReader) mark(d *stockDisclosed, path string) error {
	if r.paths += int64(len(path)); r.paths > r.limits.Memory {
		return &canon.LimitError{Limit: "memory", Max: r.limits.Memory, Done: r.paths, Where: "pointers to disclosures"}
	}
	d.path = path
	r.order = append(r.order, d)
	if top, _, _ := strings.Cut(path[1:], "/"); r.facts.disclosedTop == "" && protected[top] {
		r.facts.disclosedTop = top
	}
	return nil
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
		next, err := r.value(v, path+"/"+jsontape.EscapeToken(name), depth+1)
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
		p := path + "/" + jsontape.EscapeToken(name)
		if err := r.mark(d, p); err != nil {
			return err
		}
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
				if err := r.mark(d, p); err != nil {
					return nil, err
				}
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
