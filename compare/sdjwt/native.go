//phase:caller
package sdjwt

import (
	"strconv"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

// native is the engine that uses the cryptography of the standard library. It scans JSON once into a tape
// and writes payloads and disclosures by copying spans.
type native struct{}

// keep reports whether scratch memory is small enough to keep for the next call.
func keep(b []byte) bool { return cap(b) <= 1<<20 }

// appendHeader appends a JOSE header.
func appendHeader(h []byte, alg, typ, kid string) []byte {
	h = append(h, `{"alg":"`...)
	h = append(append(h, alg...), `","typ":`...)
	h = jsontape.AppendQuoted(h, typ)
	if kid != "" {
		h = jsontape.AppendQuoted(append(h, `,"kid":`...), kid)
	}
	return append(h, '}')
}

//phase:select fallback
func (native) present(h *Holder, token []byte, pointers []string, b *Binding) ([]byte, error) {
	r := newReader(token, h.Limits, h.Counters)
	defer r.free()
	jwt, kb, err := r.split()
	if err != nil {
		return nil, err
	}
	if len(kb) > 0 {
		return nil, invalid("KB-JWT", "RFC 9901 section 7.2", "an issued SD-JWT has none")
	}

	parts, err := splitJWS("JWT", jwt)
	if err != nil {
		return nil, err
	}

	r.holder, r.wanted = true, pointers
	if err := r.load(parts[1]); err != nil {
		return nil, err
	}
	if err := r.walk(); err != nil {
		return nil, err
	}
	if err := r.unmet(); err != nil {
		return nil, err
	}

	out := r.chosen(jwt)
	if b == nil {
		return out, nil
	}

	return nativeBind(h, out, b, r.hashName)
}

// nativeBind appends a KB-JWT (RFC 9901 section 4.3).
//
//phase:encode fallback
func nativeBind(h *Holder, out []byte, b *Binding, hashName string) ([]byte, error) {
	body := jsontape.AppendQuoted([]byte(`{"aud":`), b.Audience)
	body = append(strconv.AppendInt(append(body, `,"iat":`...), baseline.Now(b.Now).Unix(), 10),
		`,"nonce":`...)
	body = jsontape.AppendQuoted(body, b.Nonce)
	body = append(append(append(body, `,"sd_hash":"`...), sdHash(hashName, out)...), `"}`...)
	start := len(out)
	header := appendHeader(make([]byte, 0, 64), string(h.Key.Algorithm()), "kb+jwt", "")
	out = append(baseline.AppendBase64(out, header), '.')
	out = baseline.AppendBase64(out, body)
	var room [96]byte
	sig, err := baseline.Sign(h.Key, room[:0], out[start:])
	if err != nil {
		return nil, err
	}
	h.Counters.Add(compare.Counters{Signatures: 1})
	return baseline.AppendBase64(append(out, '.'), sig), nil
}

// nativeCheck checks a compact JWS, given as a whole and as its parts.
//
//phase:check
func nativeCheck(where string, jwt []byte, parts [3][]byte, h header, key *keys.Public) error {
	if err := checkHeader(where, h, key); err != nil {
		return err
	}
	var buf [96]byte
	sig, err := b64.AppendDecode(buf[:0], parts[2])
	if err != nil {
		return invalid(where, "RFC 7515 section 2", "signature is not base64url: %v", err)
	}
	if !key.Verify(jwt[:len(jwt)-len(parts[2])-1], sig) {
		return invalid(where, "RFC 7515 section 5.2", "the signature is invalid")
	}
	return nil
}

// headerReader is the scratch memory of reading a JOSE header.
type headerReader struct {
	tape jsontape.Tape
	buf  []byte
}

var headerReaders = sync.Pool{New: func() any { return new(headerReader) }}

//phase:parse
func nativeHeaderOf(where string, text []byte, limits canon.Limits) (h header, err error) {
	r := headerReaders.Get().(*headerReader)
	defer func() {
		if keep(r.buf) {
			headerReaders.Put(r)
		}
	}()

	if r.buf, err = baseline.AppendFromBase64(r.buf[:0], text); err != nil {
		return h, invalid(where, "RFC 7515 section 2", "header is not base64url: %v", err)
	}

	t := &r.tape
	if err := t.Scan(r.buf, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth,
		Memory: limits.Memory}); err != nil {
		return h, wrap(where, "RFC 7515 section 4", err)
	}

	if t.Nodes[0].Kind != jsontape.Object {
		return h, invalid(where, "RFC 7515 section 4", "is not a JSON object")
	}

	for k, v := range t.Members(0) {
		text := t.Nodes[v].Kind == jsontape.String
		switch string(t.Text(k)) {
		case "alg":
			if text {
				h.alg = baseline.Known(t.Text(v), usualTexts...)
			}
		case "typ":
			if text {
				h.typ = baseline.Known(t.Text(v), usualTexts...)
			}
		case "crit":
			h.crit = true
		case "x5c":
			h.hasX5C = true
			if t.Nodes[v].Kind == jsontape.Array {
				h.x5c = textsAt(t, v)
			}
		}

		if name := t.Text(k); len(name) == 3 || len(name) == 8 { // all typed parameters have such names
			h.parameter(name, text, t.Nodes[v].Kind == jsontape.Object, h.x5c != nil)
		}
	}

	return h, nil
}

// usualTexts are values of header parameters.
var usualTexts = []string{typVC, string(keys.EdDSA), string(keys.ES256), string(keys.ES384), "kb+jwt"}

//phase:validate fallback
func (native) verify(v *Verifier, token []byte) (*Result, error) {
	r := newReader(token, v.Limits, v.Counters)
	defer r.free()
	jwt, kb, err := r.split()
	if err != nil {
		return nil, err
	}
	if err := v.bindingPolicy(kb); err != nil {
		return nil, err
	}

	parts, err := splitJWS("header", jwt)
	if err != nil {
		return nil, err
	}

	h, err := nativeHeaderOf("header", parts[0], v.Limits)
	if err != nil {
		return nil, err
	}

	key, leaf, err := v.issuerKey(h)
	if err != nil {
		return nil, err
	}
	if err := nativeCheck("header", jwt, parts, h, key); err != nil {
		return nil, err
	}

	v.Counters.Add(compare.Counters{Verifications: 1})
	if err := v.checkTyp(h); err != nil {
		return nil, err
	}
	if err := r.process(parts[1]); err != nil {
		return nil, err
	}
	if err := v.checkFacts(&r.facts, key, leaf); err != nil {
		return nil, err
	}

	both := append(append(make([]byte, 0, len(r.out)+len(r.paths)), r.out...), r.paths...)
	claims := both[:len(r.out):len(r.out)] // which the caller may append to
	res := &Result{claims: claims, paths: both[len(claims):]}
	if err := res.fromFacts(v, &r.facts, leaf, kb); err != nil {
		return nil, err
	}

	if v.Binding {
		if err := nativeBinding(v, res.Holder, token[:len(token)-len(kb)], kb, r.hashName); err != nil {
			return nil, err
		}
	}

	return res, nil
}

//phase:encode fallback
func nativeBinding(v *Verifier, holder *keys.Public, signed, kb []byte, hashName string) error {
	if holder == nil {
		return invalid("/cnf", ruleBinding+" step 5.1", "has no key of the holder")
	}
	parts, err := splitJWS("KB-JWT", kb)
	if err != nil {
		return err
	}
	h, err := nativeHeaderOf("KB-JWT", parts[0], v.Limits)
	if err != nil {
		return err
	}
	if err := nativeCheck("KB-JWT", kb, parts, h, holder); err != nil {
		return err
	}
	v.Counters.Add(compare.Counters{Verifications: 1})
	f, err := nativeFacts(parts[1], v.Limits)
	if err != nil {
		return err
	}
	return v.checkBinding(h, f, sdHash(hashName, signed))
}

// nativeFacts reads the claims of a KB-JWT, which has no disclosures.
//
//phase:validate
func nativeFacts(payload []byte, limits canon.Limits) (*facts, error) {
	r := newReader(nil, limits, nil)
	defer r.free()
	if err := r.decode(payload); err != nil {
		return nil, err
	}
	if err := r.scan(); err != nil {
		return nil, err
	}
	if r.tape.Nodes[1].Kind != jsontape.Object {
		return nil, invalid("KB-JWT", "RFC 7519 section 7.2", "is not a JSON object")
	}
	for k, v := range r.tape.Members(1) {
		r.fact(r.tape.Text(k), v, 0)
	}
	r.setTexts()
	f := r.facts
	return &f, nil
}
