package mdoc

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// native is the engine that writes the fixed shapes of mdoc directly and reads them where they stand.
type native struct{}

// nativeIssuer is the scratch memory of one issuance.
type nativeIssuer struct {
	*Issuer
	tape    jsontape.Tape
	salts   []byte
	id      []byte // identifier of the leaf at hand
	value   []byte // its CBOR
	items   []byte // finished items
	count   int
	digests []byte // of the items, one after the other
	size    int    // of a digest
	mso     []byte
	message []byte
}

var nativeIssuers = sync.Pool{New: func() any { return new(nativeIssuer) }}

func (native) issue(i *Issuer, in []byte) ([]byte, error) {
	w := nativeIssuers.Get().(*nativeIssuer)
	defer func() {
		if cap(w.items) <= 1<<20 {
			nativeIssuers.Put(w)
		}
	}()
	w.Issuer, w.count = i, 0
	w.id, w.items, w.digests = w.id[:0], w.items[:0], w.digests[:0]
	c, err := w.parse(in)
	if err != nil {
		return nil, err
	}
	if err := w.drawSalts(c.subject); err != nil {
		return nil, err
	}
	if err := w.leaf(c.subject, true); err != nil {
		return nil, err
	}
	w.encodeMSO(c)
	w.encodeMessage()
	sig, err := nativeSign(i.Key, w.message)
	if err != nil {
		return nil, err
	}
	i.Counters.Add(compare.Counters{Signatures: 1})
	return w.encodeIssuerSigned(c, sig), nil
}

type nativeClaims struct {
	docType     []byte
	from, until int64
	subject     int // node
}

func (w *nativeIssuer) parse(in []byte) (c nativeClaims, err error) {
	t := &w.tape
	if err := t.Scan(in, jsontape.Options{Bytes: w.Limits.Bytes, Depth: w.Limits.Depth}); err != nil {
		return c, err
	}
	fault := func(name string) error {
		return invalid("claims", "RFC 7519 section 4", "%s is missing or of another type than it should be", name)
	}
	if t.Nodes[0].Kind != jsontape.Object {
		return c, invalid("claims", "RFC 7519 section 4", "is no JSON object")
	}
	vct := t.Get(0, "vct")
	if vct < 0 || t.Nodes[vct].Kind != jsontape.String || len(t.Text(vct)) == 0 {
		return c, fault("vct")
	}
	c.docType = t.Text(vct)
	for _, d := range []struct {
		name string
		to   *int64
	}{{"nbf", &c.from}, {"exp", &c.until}} {
		n := t.Get(0, d.name)
		if n < 0 || t.Nodes[n].Kind != jsontape.Number {
			return c, fault(d.name)
		}
		if *d.to, err = strconv.ParseInt(string(t.Raw(n)), 10, 64); err != nil {
			return c, fault(d.name)
		}
	}
	if c.subject = t.Get(0, "credentialSubject"); c.subject < 0 {
		return c, fault("credentialSubject")
	}
	return c, nil
}

// drawSalts reads the random of all items at once, 16 bytes each (ISO/IEC 18013-5 section 9.1.2.5).
func (w *nativeIssuer) drawSalts(subject int) error {
	n := w.tape.Leaves(subject)
	w.salts = slices.Grow(w.salts[:0], 16*n)[:16*n]
	_, err := io.ReadFull(w.Issuer.salts(), w.salts)
	return err
}

// leaf makes the items of the value at a node, whose identifier is in w.id.
func (w *nativeIssuer) leaf(n int, top bool) error {
	if w.tape.IsLeaf(n) {
		if err := w.encodeValue(n); err != nil {
			return err
		}
		start := len(w.items)
		w.encodeItem()
		w.digest(w.items[start:])
		return nil
	}
	back, index := len(w.id), 0
	step := func(v int, token []byte) error {
		if !top {
			w.id = append(w.id, '/')
		}
		w.id = jsontape.AppendToken(w.id, token)
		err := w.leaf(v, false)
		w.id = w.id[:back]
		return err
	}
	if w.tape.Nodes[n].Kind == jsontape.Array {
		var digits [20]byte
		for e := range w.tape.Elements(n) {
			if err := step(e, strconv.AppendInt(digits[:0], int64(index), 10)); err != nil {
				return err
			}
			index++
		}
		return nil
	}
	for k, v := range w.tape.Members(n) {
		if err := step(v, w.tape.Text(k)); err != nil {
			return err
		}
	}
	return nil
}

// appendHead appends a head in its shortest form (RFC 8949 section 3).
func appendHead(dst []byte, major byte, arg uint64) []byte {
	major <<= 5
	switch {
	case arg < 24:
		return append(dst, major|byte(arg))
	case arg <= math.MaxUint8:
		return append(dst, major|24, byte(arg))
	case arg <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(arg))
	case arg <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(arg))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), arg)
}

func appendBytes(dst, b []byte) []byte {
	return append(appendHead(dst, majorBytes, uint64(len(b))), b...)
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(appendHead(dst, majorText, uint64(len(s))), s...)
}

// encodeValue writes the CBOR of a leaf to w.value.
func (w *nativeIssuer) encodeValue(n int) error {
	v := w.value[:0]
	switch w.tape.Nodes[n].Kind {
	case jsontape.Null:
		v = append(v, 0xf6)
	case jsontape.False:
		v = append(v, 0xf4)
	case jsontape.True:
		v = append(v, 0xf5)
	case jsontape.String:
		v = appendText(v, w.tape.Text(n))
	case jsontape.Array:
		v = append(v, 0x80)
	case jsontape.Object:
		v = append(v, 0xa0)
	default:
		x, err := number(string(w.tape.Raw(n)), string(w.id))
		if err != nil {
			return err
		}
		switch x := x.(type) {
		case int64:
			if x < 0 {
				v = appendHead(v, majorNint, uint64(-1-x))
			} else {
				v = appendHead(v, majorUint, uint64(x))
			}
		case uint64:
			v = appendHead(v, majorUint, x)
		case float64:
			v = binary.BigEndian.AppendUint64(append(v, 0xfb), math.Float64bits(x))
		}
	}
	w.value = v
	return nil
}

// encodeItem appends 24(bstr IssuerSignedItem) of the leaf at hand to w.items.
func (w *nativeIssuer) encodeItem() {
	const fixed = 1 + 9 + 7 + 1 + 16 + 18 + 13 // map, keys, random
	n := fixed + headSize(uint64(w.count)) + headSize(uint64(len(w.id))) + len(w.id) + len(w.value)
	b := appendHead(append(w.items, 0xd8, 24), majorBytes, uint64(n))
	b = appendHead(append(b, "\xa4\x68digestID"...), majorUint, uint64(w.count))
	b = append(append(b, "\x66random\x50"...), w.salts[16*w.count:16*w.count+16]...)
	b = appendText(append(b, "\x71elementIdentifier"...), w.id)
	w.items = append(append(b, "\x6celementValue"...), w.value...)
	w.count++
	w.Counters.Add(compare.Counters{Salts: 1})
}

func headSize(arg uint64) int {
	switch {
	case arg < 24:
		return 1
	case arg <= math.MaxUint8:
		return 2
	case arg <= math.MaxUint16:
		return 3
	case arg <= math.MaxUint32:
		return 5
	}
	return 9
}

func (w *nativeIssuer) digest(item []byte) {
	var s sum
	w.size = hashInto(&s, w.Issuer.digest(), item)
	w.digests = append(w.digests, s[:w.size]...)
	w.Counters.Add(compare.Counters{Digests: 1})
}

type sum [sha512.Size]byte

// hashInto hashes with an algorithm that [hashOf] knows and returns the digest's size.
func hashInto(s *sum, name string, b []byte) int {
	switch name {
	case "SHA-384":
		d := sha512.Sum384(b)
		return copy(s[:], d[:])
	case "SHA-512":
		d := sha512.Sum512(b)
		return copy(s[:], d[:])
	}
	d := sha256.Sum256(b)
	return copy(s[:], d[:])
}

// encodeMSO writes the MobileSecurityObject (ISO/IEC 18013-5 section 9.1.2.4).
func (w *nativeIssuer) encodeMSO(c nativeClaims) {
	b := append(w.mso[:0], "\xa6\x67version\x631.0\x6fdigestAlgorithm"...)
	b = appendText(b, w.Issuer.digest())
	b = append(b, "\x6cvalueDigests\xa1"...)
	b = appendHead(appendText(b, c.docType), majorMap, uint64(w.count))
	for n := range w.count {
		b = appendHead(b, majorUint, uint64(n))
		b = appendBytes(b, w.digests[n*w.size:(n+1)*w.size])
	}
	b = append(append(b, "\x6ddeviceKeyInfo\xa1\x69deviceKey"...), w.Device.COSE()...)
	b = appendText(append(b, "\x67docType"...), c.docType)
	b = appendDate(append(b, "\x6cvalidityInfo\xa3\x66signed"...), c.from)
	b = appendDate(append(b, "\x69validFrom"...), c.from)
	w.mso = appendDate(append(b, "\x6avalidUntil"...), c.until)
}

// appendDate appends a tdate: 0(tstr).
func appendDate(dst []byte, seconds int64) []byte {
	var text [32]byte
	return appendText(append(dst, 0xc0), time.Unix(seconds, 0).UTC().AppendFormat(text[:0], time.RFC3339))
}

// encodeMessage writes the Sig_structure around 24(bstr MSO) (RFC 9052 section 4.4).
func (w *nativeIssuer) encodeMessage() {
	size := uint64(len(w.mso))
	b := append(w.message[:0], "\x84\x6aSignature1"...)
	b = append(appendProtected(b, w.Key.Algorithm()), 0x40)
	b = appendHead(b, majorBytes, uint64(2+headSize(size))+size)
	w.message = append(appendHead(append(b, 0xd8, 24), majorBytes, size), w.mso...)
}

// appendProtected appends bstr({1: alg}).
func appendProtected(dst []byte, a keys.Algorithm) []byte {
	alg := coseAlgorithm[a]
	n := uint64(-1 - alg) // all are negative
	return appendHead(append(appendHead(dst, majorBytes, uint64(2+headSize(n))), 0xa1, 1), majorNint, n)
}

// nativeSign stands alone so that profiles tell signing from encoding.
func nativeSign(key *keys.Secret, message []byte) ([]byte, error) { return key.Sign(message) }

func (w *nativeIssuer) encodeIssuerSigned(c nativeClaims, sig []byte) []byte {
	size := len(w.items) + len(w.mso) + len(c.docType) + len(sig) + 96
	for _, der := range w.Chain {
		size += len(der) + 5
	}
	b := append(make([]byte, 0, size), "\xa2\x6anameSpaces\xa1"...)
	b = appendHead(appendText(b, c.docType), majorArray, uint64(w.count))
	b = append(append(b, w.items...), "\x6aissuerAuth\x84"...)
	b = append(appendProtected(b, w.Key.Algorithm()), 0xa1, 0x18, 33)
	if len(w.Chain) > 1 {
		b = appendHead(b, majorArray, uint64(len(w.Chain)))
	}
	for _, der := range w.Chain {
		b = appendBytes(b, der)
	}
	inner := uint64(len(w.mso))
	b = appendHead(b, majorBytes, uint64(2+headSize(inner))+inner)
	b = append(appendHead(append(b, 0xd8, 24), majorBytes, inner), w.mso...)
	return appendBytes(b, sig)
}

func (native) present(h *Holder, issued []byte, wanted []string) ([]byte, error) {
	r := newNativeReader(h.Limits)
	defer nativeReaders.Put(r)
	if err := r.scan(issued); err != nil {
		return nil, err
	}
	b := view(issued)
	s, err := b.issuerSigned()
	if err != nil {
		return nil, err
	}
	return r.selectItems(b, s, wanted)
}

func newNativeReader(limits canon.Limits) *nativeReader {
	r := nativeReaders.Get().(*nativeReader)
	r.limits = limits
	return r
}

// selectItems writes IssuerSigned with the wanted items, copied as they are.
func (r *nativeReader) selectItems(b view, s nativeIssuerSigned, wanted []string) ([]byte, error) {
	r.picks = r.picks[:0]
	hit := make([]bool, len(wanted))
	var spaces, at int
	if s.nameSpaces >= 0 {
		_, n, next := b.head(s.nameSpaces)
		spaces, at = int(n), next
	}
	kept, size := uint64(0), 0
	for range spaces {
		ns, ok := b.str(at, majorText)
		if !ok {
			return nil, invalid("IssuerSigned", ruleShape, "a namespace is no text")
		}
		space := len(r.picks)
		r.picks = append(r.picks, pick{from: at, to: b.skip(at)})
		major, n, item := b.head(b.skip(at))
		if major != majorArray {
			return nil, invalid(string(ns), ruleShape, "is no array of items")
		}
		for range n {
			end := b.skip(item)
			read, err := r.item(b, item, ns)
			if err != nil {
				return nil, err
			}
			if selects(wanted, hit, read.identifier) {
				r.picks = append(r.picks, pick{from: item, to: end})
				r.picks[space].items++
				size += end - item
			}
			item = end
		}
		if r.picks[space].items > 0 {
			kept++
			size += len(ns) + 2*9
		}
		at = item
	}
	if err := missing(wanted, hit); err != nil {
		return nil, err
	}
	return r.writeSelected(b, b[s.issuerAuth:b.skip(s.issuerAuth)], kept, size), nil
}

// writeSelected writes IssuerSigned with what was picked.
func (r *nativeReader) writeSelected(b view, auth []byte, kept uint64, size int) []byte {
	out := append(make([]byte, 0, size+len(auth)+64), "\xa2\x6anameSpaces"...)
	out = appendHead(out, majorMap, kept)
	for i := 0; i < len(r.picks); i++ {
		space := r.picks[i]
		if space.items == 0 {
			continue
		}
		out = appendHead(append(out, b[space.from:space.to]...), majorArray, uint64(space.items))
		for _, p := range r.picks[i+1 : i+1+space.items] {
			out = append(out, b[p.from:p.to]...)
		}
		i += space.items
	}
	return append(append(out, "\x6aissuerAuth"...), auth...)
}

func (native) verify(v *Verifier, presented []byte) ([]Document, error) {
	r := newNativeReader(v.Limits)
	defer nativeReaders.Put(r)
	if err := r.scan(presented); err != nil {
		return nil, err
	}
	if view(presented).find("issuerAuth") >= 0 {
		return v.bare(presented, nativeDocument)
	}
	if u, ok := view(presented).usual(); ok {
		return r.usual(v, &u)
	}
	return v.response(presented, nativeDocument)
}

// nativeDocument verifies one IssuerSigned that has been scanned.
func nativeDocument(v *Verifier, in []byte, docType string) (*Document, error) {
	r := newNativeReader(v.Limits)
	defer nativeReaders.Put(r)
	b := view(in)
	s, err := b.issuerSigned()
	if err != nil {
		return nil, err
	}
	h, err := r.sign1(b, s.issuerAuth)
	if err != nil {
		return nil, err
	}
	if err := v.checkHeaders(&h); err != nil {
		return nil, err
	}
	m, digests, err := r.mso(h.payload)
	if err != nil {
		return nil, err
	}
	d, err := v.checkMSO(&m, docType)
	if err != nil {
		return nil, err
	}
	key, err := v.issuerKey(&h, d.Signed)
	if err != nil {
		return nil, err
	}
	if err := r.check(v, key, &h); err != nil {
		return nil, err
	}
	if s.nameSpaces < 0 {
		return d, nil
	}
	_, n, at := b.head(s.nameSpaces)
	for range n {
		if at, err = r.items(v, d, &m, b, at, digests); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// check builds the Sig_structure and checks the signature (RFC 9052 section 4.4).
func (r *nativeReader) check(v *Verifier, key *keys.Public, h *headers) error {
	b := appendBytes(append(r.message[:0], "\x84\x6aSignature1"...), h.protected)
	r.message = appendBytes(append(b, 0x40), h.payload)
	v.Counters.Add(compare.Counters{Verifications: 1})
	if !key.Verify(r.message, h.signature) {
		return invalid("issuerAuth", ruleCOSE, "the signature does not hold")
	}
	r.message = r.message[:0]
	return nil
}

// items compares the items of the namespace at a place with the MSO, adds their elements to d, and returns its end.
func (r *nativeReader) items(v *Verifier, d *Document, m *mso, b view, at int, values view) (int, error) {
	ns, ok := b.str(at, majorText)
	if !ok {
		return 0, invalid("IssuerSigned", ruleShape, "a namespace is no text")
	}
	major, n, item := b.head(b.skip(at))
	if major != majorArray {
		return 0, invalid(string(ns), ruleShape, "is no array of items")
	}
	name := string(ns)
	index := r.digestsOf(ns)
	seen := newSeen(int(n))
	d.Elements = slices.Grow(d.Elements, int(n))
	for range n {
		end := b.skip(item)
		read, err := r.item(b, item, ns)
		if err != nil {
			return 0, err
		}
		identifier := string(read.identifier)
		if seen.repeated(read.id, identifier) {
			return 0, invalid(name+"/"+identifier, ruleDigest, "its digestID or identifier stands there twice")
		}
		if !r.matches(v, m, b[item:end], index, read.id, values) {
			return 0, invalid(name+"/"+identifier, ruleCheck, "its digest is not digest %d of the MSO", read.id)
		}
		d.Elements = append(d.Elements, Element{NameSpace: name, Identifier: identifier, Value: read.value})
		item = end
	}
	return item, nil
}

// matches says whether an item's digest is the one that the MSO has for its id.
func (r *nativeReader) matches(v *Verifier, m *mso, item []byte, index []digest, id uint64, values view) bool {
	var s sum
	n := hashInto(&s, m.digestAlgorithm, item)
	v.Counters.Add(compare.Counters{Digests: 1})
	i, ok := slices.BinarySearchFunc(index, id, func(d digest, id uint64) int { return cmp.Compare(d.id, id) })
	if !ok {
		return false
	}
	want, ok := values.str(index[i].at, majorBytes)
	return ok && bytes.Equal(want, s[:n])
}

// seen remembers digestIDs and identifiers of a namespace: few are compared one by one.
type seen struct {
	ids   []uint64
	names []string
	id    map[uint64]bool
	name  map[string]bool
}

func newSeen(n int) *seen {
	if n <= 32 {
		return &seen{ids: make([]uint64, 0, n), names: make([]string, 0, n)}
	}
	return &seen{id: map[uint64]bool{}, name: map[string]bool{}}
}

// repeated notes an item and says whether its id or identifier was there before.
func (s *seen) repeated(id uint64, name string) bool {
	if s.id != nil {
		if s.id[id] || s.name[name] {
			return true
		}
		s.id[id], s.name[name] = true, true
		return false
	}
	if slices.Contains(s.ids, id) || slices.Contains(s.names, name) {
		return true
	}
	s.ids, s.names = append(s.ids, id), append(s.names, name)
	return false
}
