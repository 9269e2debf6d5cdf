package sdjwt

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// native is the engine over the standard library's cryptography. It scans JSON once into a tape and writes payloads and
// disclosures by copying spans.
type native struct{}

// nativeIssuer is the scratch memory of one issuance.
type nativeIssuer struct {
	*Issuer
	tape     jsontape.Tape
	first    int // nodes [first, last) are at or below Disclosable.Leaves
	last     int
	marks    []int // sorted nodes of Disclosable.Pointers
	salts    []byte
	salt     int    // salts used, in bytes
	json     []byte // of the disclosure at hand
	payload  []byte
	digests  []byte   // base64url of sums
	size     int      // of each in digests
	tail     []byte   // finished disclosures, each with its tilde
	sums     []ranked // digests of the objects that are open, innermost last
	hashName string
}

type sum [sha512.Size]byte

// ranked is a digest, in base64url, with the number that puts it in order.
type ranked struct {
	rank uint64
	from int // in digests
}

var nativeIssuers = sync.Pool{New: func() any { return new(nativeIssuer) }}

// keep says whether scratch memory is small enough to keep for the next call.
func keep(b []byte) bool { return cap(b) <= 1<<20 }

func (native) issue(i *Issuer, claims []byte, d Disclosable) ([]byte, error) {
	w := nativeIssuers.Get().(*nativeIssuer)
	defer func() {
		if keep(w.payload) && keep(w.tail) {
			nativeIssuers.Put(w)
		}
	}()
	w.Issuer, w.hashName = i, i.hash()
	w.payload, w.tail, w.sums, w.digests, w.salt = w.payload[:0], w.tail[:0], w.sums[:0], w.digests[:0], 0
	if err := w.parse(claims); err != nil {
		return nil, err
	}
	if err := w.find(d); err != nil {
		return nil, err
	}
	if err := w.drawSalts(); err != nil {
		return nil, err
	}
	var err error
	if w.payload, err = w.object(w.payload, 0); err != nil {
		return nil, err
	}
	out := w.encodeSigned()
	sig, err := nativeSign(i.Key, out)
	if err != nil {
		return nil, err
	}
	i.Counters.Add(compare.Counters{Signatures: 1})
	out = append(out, '.')
	out = append(b64.AppendEncode(out, sig), '~')
	return append(out, w.tail...), nil
}

func (w *nativeIssuer) parse(claims []byte) error {
	if err := w.tape.Scan(claims, jsontape.Options{Bytes: w.Limits.Bytes, Depth: w.Limits.Depth}); err != nil {
		return wrap("claims", "RFC 7519 section 4", err)
	}
	if w.tape.Nodes[0].Kind != jsontape.Object {
		return invalid("claims", "RFC 7519 section 4", "is no JSON object")
	}
	if w.Holder != nil && w.tape.Key(0, "cnf") >= 0 {
		return invalid("/cnf", ruleVC, "stands in the claims, and the holder's key would replace it")
	}
	return nil
}

// find looks up what is disclosable.
func (w *nativeIssuer) find(d Disclosable) error {
	w.first, w.last, w.marks = 0, 0, w.marks[:0]
	if d.Leaves != "" {
		if n := w.tape.At(d.Leaves); n >= 0 {
			w.first, w.last = n, int(w.tape.Nodes[n].Next)
		}
	}
	for _, p := range d.Pointers {
		n := w.tape.At(p)
		if n <= 0 {
			return invalid(p, "RFC 6901", "the claims have no such member or element")
		}
		w.marks = append(w.marks, n)
	}
	slices.Sort(w.marks)
	w.marks = slices.Compact(w.marks)
	if w.typ() != typVC {
		return nil
	}
	for _, p := range append([]string{d.Leaves}, d.Pointers...) {
		if top, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/"); protected[top] {
			return invalid(p, ruleVC, "must not be selectively disclosable")
		}
	}
	return nil
}

// discloses says whether the value at a node becomes a disclosure.
func (w *nativeIssuer) discloses(n int) bool {
	if n >= w.first && n < w.last && w.tape.IsLeaf(n) {
		return true
	}
	if len(w.marks) == 0 {
		return false
	}
	_, ok := slices.BinarySearch(w.marks, n)
	return ok
}

// drawSalts reads all salts at once, 128 bits each (RFC 9901 section 9.3); those of decoys are drawn as they come.
func (w *nativeIssuer) drawSalts() error {
	n := len(w.marks)
	if w.last > w.first {
		n += w.tape.Leaves(w.first)
	}
	w.salts = slices.Grow(w.salts[:0], 16*n)[:16*n]
	_, err := io.ReadFull(w.Issuer.salts(), w.salts)
	return err
}

// object appends an object without its disclosable members and with their digests.
func (w *nativeIssuer) object(dst []byte, n int) ([]byte, error) {
	mark, comma := len(w.sums), byte('{')
	var err error
	for k, v := range w.tape.Members(n) {
		if name, ok := w.reservedKey(k); ok {
			return nil, invalid(w.tape.Pointer(k), "RFC 9901 section 4.1", "%q is reserved; rename the claim", name)
		}
		if w.discloses(v) {
			if err := w.disclose(k, v); err != nil {
				return nil, err
			}
			continue
		}
		dst = append(dst, comma)
		comma = ','
		dst = append(append(dst, w.tape.Raw(k)...), ':')
		if dst, err = w.value(dst, v); err != nil {
			return nil, err
		}
	}
	if len(w.sums) > mark {
		for range w.Decoys {
			if err := w.decoy(); err != nil {
				return nil, err
			}
		}
		dst = append(dst, comma)
		comma = ','
		dst = w.appendDigests(append(dst, `"_sd":[`...), mark)
	}
	if n == 0 {
		dst, comma = w.root(dst, comma)
	}
	if comma == '{' {
		dst = append(dst, '{')
	}
	return append(dst, '}'), nil
}

// root appends the members that stand at the top only.
func (w *nativeIssuer) root(dst []byte, comma byte) ([]byte, byte) {
	if len(w.tail) > 0 {
		dst = append(append(append(append(dst, comma), `"_sd_alg":"`...), w.hashName...), '"')
		comma = ','
	}
	if w.Holder != nil {
		dst = append(append(append(append(dst, comma), `"cnf":{"jwk":`...), w.Holder.JWK()...), '}')
		comma = ','
	}
	return dst, comma
}

// reservedKey returns a key that RFC 9901 keeps for itself.
func (w *nativeIssuer) reservedKey(k int) (string, bool) {
	if node := w.tape.Nodes[k]; node.End-node.Start > uint32(len(`"_sd_alg"`)) && !node.Escaped {
		return "", false
	}
	text := w.tape.Text(k)
	if len(text) == 0 || text[0] != '_' && text[0] != '.' {
		return "", false
	}
	name := string(text)
	return name, reserved(name)
}

func (w *nativeIssuer) array(dst []byte, n int) ([]byte, error) {
	dst = append(dst, '[')
	comma := false
	var err error
	for e := range w.tape.Elements(n) {
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		if !w.discloses(e) {
			if dst, err = w.value(dst, e); err != nil {
				return nil, err
			}
			continue
		}
		mark := len(w.sums)
		if err := w.disclose(-1, e); err != nil {
			return nil, err
		}
		dst = append(dst, `{"...":`...)
		dst = append(w.appendDigest(dst, w.sums[mark]), '}')
		w.sums = w.sums[:mark]
	}
	return append(dst, ']'), nil
}

// value appends the value at a node, disclosable claims in it replaced by digests.
func (w *nativeIssuer) value(dst []byte, n int) ([]byte, error) {
	switch w.tape.Nodes[n].Kind {
	case jsontape.Object:
		return w.object(dst, n)
	case jsontape.Array:
		return w.array(dst, n)
	}
	return append(dst, w.tape.Raw(n)...), nil
}

// disclose makes the disclosure of a member, or of an array element if there is no key, and leaves its digest in sums.
func (w *nativeIssuer) disclose(key, n int) error {
	inner := w.tape.Raw(n)
	if !w.tape.IsLeaf(n) { // disclosures inside come first
		var err error
		if inner, err = w.value(nil, n); err != nil {
			return err
		}
	}
	start := len(w.tail)
	w.encodeDisclosure(key, inner)
	w.digest(w.tail[start : len(w.tail)-1])
	return nil
}

// encodeDisclosure appends base64url([salt, name, value]) and a tilde to tail (RFC 9901 section 4.2).
func (w *nativeIssuer) encodeDisclosure(key int, value []byte) {
	j := append(w.json[:0], '[', '"')
	j = b64.AppendEncode(j, w.salts[w.salt:w.salt+16])
	w.salt += 16
	w.Counters.Add(compare.Counters{Salts: 1})
	j = append(j, '"', ',')
	if key >= 0 {
		j = append(append(j, w.tape.Raw(key)...), ',')
	}
	w.json = append(append(j, value...), ']')
	w.tail = append(b64.AppendEncode(w.tail, w.json), '~')
}

// digest pushes the digest of a text (RFC 9901 section 4.2.3).
func (w *nativeIssuer) digest(text []byte) {
	var s sum
	n := hashInto(&s, w.hashName, text)
	w.sums = append(w.sums, ranked{binary.BigEndian.Uint64(s[:8]), len(w.digests)})
	w.digests = b64.AppendEncode(w.digests, s[:n])
	w.size = b64.EncodedLen(n)
	w.Counters.Add(compare.Counters{Digests: 1})
}

// hashInto hashes with an algorithm that [hashOf] knows and returns the digest's size.
func hashInto(s *sum, name string, text []byte) int {
	switch name {
	case "sha-384":
		d := sha512.Sum384(text)
		return copy(s[:], d[:])
	case "sha-512":
		d := sha512.Sum512(text)
		return copy(s[:], d[:])
	}
	d := sha256.Sum256(text)
	return copy(s[:], d[:])
}

// decoy pushes the digest of random bytes (RFC 9901 section 4.2.5).
func (w *nativeIssuer) decoy() error {
	var salt [16]byte
	if _, err := io.ReadFull(w.Issuer.salts(), salt[:]); err != nil {
		return err
	}
	w.Counters.Add(compare.Counters{Salts: 1})
	w.digest(b64.AppendEncode(nil, salt[:]))
	return nil
}

// appendDigests appends the digests above mark in an order that hides that of the claims, and pops them.
func (w *nativeIssuer) appendDigests(dst []byte, mark int) []byte {
	sums := w.sums[mark:]
	slices.SortFunc(sums, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for i := range sums {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.appendDigest(dst, sums[i])
	}
	w.sums = w.sums[:mark]
	return append(dst, ']')
}

func (w *nativeIssuer) appendDigest(dst []byte, r ranked) []byte {
	return append(append(append(dst, '"'), w.digests[r.from:r.from+w.size]...), '"')
}

// encodeSigned returns the signing input, with room for the rest of the token.
func (w *nativeIssuer) encodeSigned() []byte {
	header := nativeHeader(string(w.Key.Algorithm()), w.typ(), w.KeyID)
	size := b64.EncodedLen(len(header)) + b64.EncodedLen(len(w.payload)) + len(w.tail) + 3 + b64.EncodedLen(96)
	out := append(b64.AppendEncode(make([]byte, 0, size), header), '.')
	return b64.AppendEncode(out, w.payload)
}

func nativeHeader(alg, typ, kid string) []byte {
	h := append(make([]byte, 0, 64), `{"alg":"`...)
	h = append(append(h, alg...), `","typ":`...)
	h = jsontape.AppendQuoted(h, typ)
	if kid != "" {
		h = jsontape.AppendQuoted(append(h, `,"kid":`...), kid)
	}
	return append(h, '}')
}

// nativeSign stands alone so that profiles tell signing from encoding.
func nativeSign(key *keys.Secret, message []byte) ([]byte, error) { return key.Sign(message) }

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

// chosen returns the token with the selected disclosures.
func (r *reader) chosen(jwt []byte) []byte {
	size := len(jwt) + 1
	for i := range r.given {
		if r.given[i].selected {
			size += int(r.given[i].to-r.given[i].from) + 1
		}
	}
	out := append(append(make([]byte, 0, size), jwt...), '~')
	for i := range r.given {
		if r.given[i].selected {
			out = append(append(out, r.token[r.given[i].from:r.given[i].to]...), '~')
		}
	}
	return out
}

// nativeBind appends a KB-JWT (RFC 9901 section 4.3).
func nativeBind(h *Holder, out []byte, b *Binding, hashName string) ([]byte, error) {
	body := jsontape.AppendQuoted([]byte(`{"aud":`), b.Audience)
	body = append(strconv.AppendInt(append(body, `,"iat":`...), b.now().Unix(), 10), `,"nonce":`...)
	body = jsontape.AppendQuoted(body, b.Nonce)
	body = append(append(append(body, `,"sd_hash":"`...), sdHash(hashName, out)...), `"}`...)
	start := len(out)
	out = append(b64.AppendEncode(out, nativeHeader(string(h.Key.Algorithm()), "kb+jwt", "")), '.')
	out = b64.AppendEncode(out, body)
	sig, err := nativeSign(h.Key, out[start:])
	if err != nil {
		return nil, err
	}
	h.Counters.Add(compare.Counters{Signatures: 1})
	return b64.AppendEncode(append(out, '.'), sig), nil
}

// sdHash is the digest of a whole SD-JWT (RFC 9901 section 4.3.1).
func sdHash(hashName string, signed []byte) string {
	var s sum
	n := hashInto(&s, hashName, signed)
	return b64.EncodeToString(s[:n])
}

// splitJWS takes a compact JWS apart: header, payload, signature.
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

// nativeCheck checks a compact JWS, given as its parts too.
func nativeCheck(where string, jwt []byte, parts [3][]byte, h header, key *keys.Public) error {
	if err := checkHeader(where, h, key); err != nil {
		return err
	}
	var buf [96]byte
	sig, err := b64.AppendDecode(buf[:0], parts[2])
	if err != nil {
		return invalid(where, "RFC 7515 section 2", "signature is no base64url: %v", err)
	}
	if !key.Verify(jwt[:len(jwt)-len(parts[2])-1], sig) {
		return invalid(where, "RFC 7515 section 5.2", "the signature does not hold")
	}
	return nil
}

// headerReader is the scratch memory of reading a JOSE header.
type headerReader struct {
	tape jsontape.Tape
	buf  []byte
}

var headerReaders = sync.Pool{New: func() any { return new(headerReader) }}

func nativeHeaderOf(where string, text []byte, limits canon.Limits) (h header, err error) {
	r := headerReaders.Get().(*headerReader)
	defer func() {
		if keep(r.buf) {
			headerReaders.Put(r)
		}
	}()
	if r.buf, err = b64.AppendDecode(r.buf[:0], text); err != nil {
		return h, invalid(where, "RFC 7515 section 2", "header is no base64url: %v", err)
	}
	t := &r.tape
	if err := t.Scan(r.buf, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth}); err != nil {
		return h, wrap(where, "RFC 7515 section 4", err)
	}
	if t.Nodes[0].Kind != jsontape.Object {
		return h, invalid(where, "RFC 7515 section 4", "is no JSON object")
	}
	for k, v := range t.Members(0) {
		text := t.Nodes[v].Kind == jsontape.String
		switch string(t.Text(k)) {
		case "alg":
			if text {
				h.alg = intern(t.Text(v))
			}
		case "typ":
			if text {
				h.typ = intern(t.Text(v))
			}
		case "crit":
			h.crit = true
		case "x5c":
			h.hasX5C = true
			if t.Nodes[v].Kind == jsontape.Array {
				h.x5c = textsAt(t, v)
			}
		}
		if name := t.Text(k); len(name) == 3 || len(name) == 8 { // as all that have a type
			h.parameter(string(name), text, t.Nodes[v].Kind == jsontape.Object, h.x5c != nil)
		}
	}
	return h, nil
}

// intern spares an allocation for what headers usually hold.
func intern(b []byte) string {
	for _, s := range []string{typVC, "EdDSA", "ES256", "ES384", "kb+jwt"} {
		if string(b) == s {
			return s
		}
	}
	return string(b)
}

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
	key, err := v.issuerKey(h)
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
	if err := v.checkFacts(&r.facts); err != nil {
		return nil, err
	}
	res := &Result{claims: bytes.Clone(r.out), paths: r.paths, ends: r.order}
	if err := res.fromFacts(v, &r.facts); err != nil {
		return nil, err
	}
	if v.Binding {
		if err := nativeBinding(v, res.Holder, token[:len(token)-len(kb)], kb, r.hashName); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// process unpacks a payload and writes the processed one.
func (r *reader) process(payload []byte) error {
	if err := r.load(payload); err != nil {
		return err
	}
	r.write = true
	r.paths, r.order = make([]byte, 0, 32*len(r.given)), make([]int, 0, len(r.given))
	if err := r.walk(); err != nil {
		return err
	}
	return r.structured()
}

func nativeBinding(v *Verifier, holder *keys.Public, signed, kb []byte, hashName string) error {
	if holder == nil {
		return invalid("/cnf", ruleBinding+" step 5.1", "names no key of the holder")
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

// nativeFacts reads the claims of a KB-JWT, which discloses nothing.
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
		return nil, invalid("KB-JWT", "RFC 7519 section 7.2", "is no JSON object")
	}
	for k, v := range r.tape.Members(1) {
		r.fact(r.tape.Text(k), v, 0)
	}
	f := r.facts
	return &f, nil
}
