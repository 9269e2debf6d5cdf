//phase:encode fallback
package sdjwt

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"

	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
)

// nativeIssuer is the scratch memory of one issuance.
//
//phase:encode
type nativeIssuer struct {
	*Issuer
	tape      jsontape.Tape
	first     int // nodes [first, last) are at or below Disclosable.Leaves
	last      int
	marks     []int // sorted nodes of Disclosable.Pointers
	next      int   // in marks, the first that is not behind the current node
	salts     []byte
	salt      int      // salts used, in bytes
	json      []byte   // of the header or the current disclosure
	inner     [][]byte // values of the disclosures that are open, the outermost first
	depth     int      // how many are open
	sum       baseline.Sum
	payload   []byte
	digests   []byte   // of the disclosures and decoys so far, in base64url
	size      int      // of each digest
	tail      []byte   // finished disclosures, each with its tilde
	sums      []uint64 // digests of the open objects, innermost last: four bytes of each, and its number
	hashName  string
	signature []byte
	made      compare.Counters
}

var nativeIssuers = sync.Pool{New: func() any { return new(nativeIssuer) }}

func (native) issue(i *Issuer, claims []byte, d Disclosable) ([]byte, error) {
	w := nativeIssuers.Get().(*nativeIssuer)
	defer func() {
		if keep(w.payload) && keep(w.tail) && len(w.inner) <= 16 { // each is at most a part of the tail
			nativeIssuers.Put(w)
		}
	}()

	w.Issuer, w.hashName, w.made, w.salt, w.depth = i, i.hash(), compare.Counters{}, 0, 0
	w.payload, w.tail, w.sums, w.digests = w.payload[:0], w.tail[:0], w.sums[:0], w.digests[:0]
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
	if w.signature, err = baseline.Sign(i.Key, w.signature[:0], out); err != nil {
		return nil, err
	}

	w.made.Signatures++
	i.Counters.Add(w.made)
	out = append(baseline.AppendBase64(append(out, '.'), w.signature), '~')
	return append(out, w.tail...), nil
}

//phase:parse
func (w *nativeIssuer) parse(claims []byte) error {
	if err := w.tape.Scan(claims, jsontape.Options{Bytes: w.Limits.Bytes, Depth: w.Limits.Depth,
		Memory: w.Limits.Memory}); err != nil {
		return wrap("claims", "RFC 7519 section 4", err)
	}
	if w.tape.Nodes[0].Kind != jsontape.Object {
		return invalid("claims", "RFC 7519 section 4", "is not a JSON object")
	}
	if w.Holder != nil && w.tape.Key(0, "cnf") >= 0 {
		return invalid("/cnf", ruleVC, "is in the claims already, and the holder's key would replace it")
	}
	return nil
}

// find looks up the disclosable claims.
func (w *nativeIssuer) find(d Disclosable) error {
	w.first, w.last, w.marks, w.next = 0, 0, w.marks[:0], 0
	if d.Leaves != "" {
		if n := w.tape.At(d.Leaves); n >= 0 {
			w.first, w.last = n, int(w.tape.Nodes[n].Next)
		}
	}

	index := w.tape.Index(len(d.Pointers))
	for _, p := range d.Pointers {
		n := index.At(p)
		if n <= 0 {
			return w.tape.Mismatch(p)
		}
		w.marks = append(w.marks, n)
	}
	slices.Sort(w.marks)
	w.marks = slices.Compact(w.marks)

	if w.typ() != typVC {
		return nil
	}
	if err := checkDisclosable(d.Leaves); err != nil {
		return err
	}
	for _, p := range d.Pointers {
		if err := checkDisclosable(p); err != nil {
			return err
		}
	}
	return nil
}

// checkDisclosable refuses a pointer to a protected claim, or below one.
func checkDisclosable(pointer string) error {
	if top, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/"); protectedName(top) != "" {
		return invalid(pointer, ruleVC, "must not be selectively disclosable")
	}
	return nil
}

// discloses reports whether the value at a node becomes a disclosure. It is asked for values in the order of
// the document.
func (w *nativeIssuer) discloses(n int) bool {
	for w.next < len(w.marks) && w.marks[w.next] < n {
		w.next++
	}
	return w.next < len(w.marks) && w.marks[w.next] == n ||
		n >= w.first && n < w.last && w.tape.IsLeaf(n)
}

// drawSalts reads all salts at once, 128 bits each (RFC 9901 section 9.3). Random bytes of decoys are drawn
// later, one by one.
//
//phase:salt
func (w *nativeIssuer) drawSalts() error {
	n := len(w.marks)
	if w.last > w.first {
		n += w.tape.Leaves(w.first)
	}
	limits := w.Limits.WithDefaults()
	if err := checkCount(n, &limits); err != nil {
		return err
	}
	w.salts = slices.Grow(w.salts[:0], 16*n)[:16*n]
	_, err := io.ReadFull(w.Issuer.salts(), w.salts)
	return err
}

// object appends an object with digests in place of its disclosable members.
func (w *nativeIssuer) object(dst []byte, n int) ([]byte, error) {
	mark, comma := len(w.sums), byte('{')
	var err error
	for k, v := range w.tape.Members(n) {
		if name, ok := w.reservedKey(k); ok {
			return nil, invalid(w.tape.Pointer(k), "RFC 9901 section 4.1", "%q is reserved; rename the claim",
				name)
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

// root appends the members that only the outermost object has.
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

// reservedKey returns the text of a key if RFC 9901 reserves it.
func (w *nativeIssuer) reservedKey(k int) (string, bool) {
	if node := w.tape.Nodes[k]; node.End-node.Start > uint32(len(`"_sd_alg"`)) && !node.Escaped() {
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

// value appends the value at a node, with digests in place of the disclosable claims in it.
func (w *nativeIssuer) value(dst []byte, n int) ([]byte, error) {
	switch w.tape.Nodes[n].Kind {
	case jsontape.Object:
		return w.object(dst, n)
	case jsontape.Array:
		return w.array(dst, n)
	}
	return append(dst, w.tape.Raw(n)...), nil
}

// disclose makes the disclosure of a member, or of an array element if there is no key, and adds its digest
// to sums.
func (w *nativeIssuer) disclose(key, n int) error {
	inner := w.tape.Raw(n)
	if !w.tape.IsLeaf(n) { // disclosures inside come first
		if w.depth == len(w.inner) {
			w.inner = append(w.inner, nil)
		}
		var err error
		w.depth++
		inner, err = w.value(w.inner[w.depth-1][:0], n)
		if w.depth--; err != nil {
			return err
		}
		w.inner[w.depth] = inner
	}
	start := len(w.tail)
	w.encodeDisclosure(key, inner)
	w.digest(w.tail[start : len(w.tail)-1])
	return nil
}

// encodeDisclosure appends base64url([salt, name, value]) and a tilde to tail (RFC 9901 section 4.2).
func (w *nativeIssuer) encodeDisclosure(key int, value []byte) {
	j := baseline.AppendBase64(append(w.json[:0], '[', '"'), w.salts[w.salt:w.salt+16])
	w.salt += 16
	w.made.Salts++
	j = append(j, '"', ',')
	if key >= 0 {
		j = append(append(j, w.tape.Raw(key)...), ',')
	}
	w.json = append(append(j, value...), ']')
	w.tail = append(baseline.AppendBase64(w.tail, w.json), '~')
}

// digest pushes the digest of a text (RFC 9901 section 4.2.3).
//
//phase:digest
func (w *nativeIssuer) digest(text []byte) {
	n := hashes.Into(&w.sum, w.hashName, text)
	w.sums = append(w.sums, uint64(binary.BigEndian.Uint32(w.sum[:4]))<<32|uint64(w.made.Digests))
	w.digests = baseline.AppendBase64(w.digests, w.sum[:n])
	w.size = baseline.Base64.EncodedLen(n)
	w.made.Digests++
}

// decoy pushes the digest of random bytes (RFC 9901 section 4.2.5).
func (w *nativeIssuer) decoy() error {
	var salt [16]byte
	if _, err := io.ReadFull(w.Issuer.salts(), salt[:]); err != nil {
		return err
	}
	w.made.Salts++
	w.digest(baseline.AppendBase64(w.json[:0], salt[:]))
	return nil
}

// appendDigests appends the digests above mark, sorted so that the order of the claims is hidden, and pops
// them.
func (w *nativeIssuer) appendDigests(dst []byte, mark int) []byte {
	sums := w.sums[mark:]
	slices.Sort(sums)
	for i := range sums {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.appendDigest(dst, sums[i])
	}
	w.sums = w.sums[:mark]
	return append(dst, ']')
}

func (w *nativeIssuer) appendDigest(dst []byte, sum uint64) []byte {
	from := int(uint32(sum)) * w.size
	return append(append(append(dst, '"'), w.digests[from:from+w.size]...), '"')
}

// encodeSigned returns the signing input, with room for the rest of the token.
func (w *nativeIssuer) encodeSigned() []byte {
	w.json = appendHeader(w.json[:0], string(w.Key.Algorithm()), w.typ(), w.KeyID)
	b64 := baseline.Base64
	size := b64.EncodedLen(len(w.json)) + b64.EncodedLen(len(w.payload)) + len(w.tail) + 3 +
		b64.EncodedLen(w.Key.Algorithm().SignatureSize())
	out := append(baseline.AppendBase64(make([]byte, 0, size), w.json), '.')
	return baseline.AppendBase64(out, w.payload)
}
