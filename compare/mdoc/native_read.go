//phase:caller
package mdoc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"sync"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/lookup"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

// view reads CBOR that scanCBOR has accepted. Invariant: all heads and lengths in it are within its bounds.
//
//phase:parse
type view []byte

// head returns the major type and the argument of the item at i, and the index of its content.
func (b view) head(i int) (major byte, arg uint64, next int) {
	major, info := b[i]>>5, b[i]&31
	if info < 24 {
		return major, uint64(info), i + 1
	}
	switch info {
	case 24:
		return major, uint64(b[i+1]), i + 2
	case 25:
		return major, uint64(binary.BigEndian.Uint16(b[i+1:])), i + 3
	case 26:
		return major, uint64(binary.BigEndian.Uint32(b[i+1:])), i + 5
	}
	return major, binary.BigEndian.Uint64(b[i+1:]), i + 9
}

// skip returns the end of the item at i.
func (b view) skip(i int) int {
	major, arg, next := b.head(i)
	switch major {
	case majorBytes, majorText:
		return next + int(arg)
	case majorTag:
		return b.skip(next)
	case majorArray:
		for range arg {
			next = b.skip(next)
		}
	case majorMap:
		for range 2 * arg {
			next = b.skip(next)
		}
	}
	return next
}

// str returns the content of a byte or text string at i, or nil if it is something else.
func (b view) str(i int, want byte) ([]byte, bool) {
	major, arg, next := b.head(i)
	if major != want {
		return nil, false
	}
	return b[next : next+int(arg)], true
}

// embedded returns the content of 24(bstr) at i.
func (b view) embedded(i int) (view, bool) {
	major, number, next := b.head(i)
	if major != majorTag || number != 24 {
		return nil, false
	}
	return b.str(next, majorBytes)
}

// named reports whether the item at i is a map with text keys. It may also have integer keys, which are
// unknown members.
func (b view) named(i int) bool {
	major, n, at := b.head(i)
	if major != majorMap {
		return false
	}
	for range n {
		if b[at]>>5 == majorBytes {
			return false
		}
		at = b.skip(b.skip(at))
	}
	return true
}

// members yields each text key of the map at i with the index of its value.
func (b view) members(i int) iter.Seq2[[]byte, int] {
	return func(yield func([]byte, int) bool) {
		_, n, at := b.head(i)
		for range n {
			value := b.skip(at)
			if key, ok := b.str(at, majorText); ok && !yield(key, value) {
				return
			}
			at = b.skip(value)
		}
	}
}

// none is the index of what does not exist.
const none = -1

// find returns the index of the value of a text key of the outermost map, or none.
func (b view) find(name string) int {
	if b[0]>>5 != majorMap {
		return none
	}
	for key, value := range b.members(0) {
		if string(key) == name {
			return value
		}
	}
	return none
}

// nativeReader is the scratch memory of reading one mdoc.
type nativeReader struct {
	limits  canon.Limits
	digests []digest
	spaces  []space
	picks   []pick
	message []byte
	chain   [][]byte // of the current document
	scanner scanner

	known lookup.Texts // identifiers of the items of a namespace
}

// digest is one entry of valueDigests.
type digest struct {
	id   uint64
	at   int  // of the value in the MSO
	used bool // an item has it
}

// space is one namespace of valueDigests.
type space struct {
	name     []byte
	from, to int // in digests, sorted by id
}

// pick is an item that a holder presents, or a namespace with the number of its items that follow.
type pick struct{ from, to, items int }

var nativeReaders = sync.Pool{New: func() any { return new(nativeReader) }}

// free keeps the memory for the next call, unless it is unusually large.
func (r *nativeReader) free() {
	clear(r.chain)
	if r.ordinary() {
		nativeReaders.Put(r)
	}
}

// ordinary reports whether its memory is of a size that is kept.
func (r *nativeReader) ordinary() bool {
	const mostEntries, mostBytes = 1 << 16, 1 << 21
	return cap(r.digests)+cap(r.spaces)+cap(r.picks)+cap(r.scanner.keys) <= mostEntries &&
		cap(r.message)+r.known.Size()+r.scanner.set.Size() <= mostBytes
}

// scan is scanCBOR with scratch memory.
//
//phase:parse
func (r *nativeReader) scan(b []byte) error {
	err := r.scanner.all(b, r.limits)
	r.scanner.src = nil
	return err
}

// nativeIssuerSigned holds the indexes of the parts of an IssuerSigned. nameSpaces is none if the member
// is missing.
type nativeIssuerSigned struct{ nameSpaces, issuerAuth int }

func (b view) issuerSigned() (s nativeIssuerSigned, err error) {
	const where = "IssuerSigned"
	s.nameSpaces, s.issuerAuth = none, none
	major, n, at := b.head(0)
	if major != majorMap || n > 2 {
		return s, invalid(where, ruleShape, "%s", issuerSignedShape)
	}
	for range n {
		value := b.skip(at)
		switch key, _ := b.str(at, majorText); string(key) {
		case "nameSpaces":
			s.nameSpaces = value
		case "issuerAuth":
			s.issuerAuth = value
		default:
			return s, invalid(where, ruleShape, "%s", issuerSignedShape)
		}
		at = b.skip(value)
	}
	if s.issuerAuth == none {
		return s, invalid(where, ruleShape, "%s", issuerSignedShape)
	}
	if s.nameSpaces != none && b[s.nameSpaces]>>5 != majorMap {
		return s, invalid(where, ruleShape, "nameSpaces is not a map")
	}
	return s, nil
}

// nativeItem is an IssuerSignedItem.
type nativeItem struct {
	id         uint64
	random     []byte
	identifier []byte
	value      []byte
}

// item reads the item at i of b: 24(bstr IssuerSignedItem).
//
//phase:parse
func (r *nativeReader) item(b view, i int, ns []byte) (item nativeItem, err error) {
	inner, ok := b.embedded(i)
	if !ok {
		return item, invalid(string(ns), ruleShape, "an item is not a byte string in tag 24")
	}
	if !r.usualItem(inner, &item) {
		if err := r.anyItem(inner, ns, &item); err != nil {
			return item, err
		}
	}
	if len(item.random) < 16 {
		return item, invalid(string(ns)+"/"+string(item.identifier), ruleDigest,
			"random has %d bytes, at least 16 are needed", len(item.random))
	}
	return item, nil
}

// usualItem reads an item whose members are in the order of the standard, and reports whether the item has
// this form. It needs no scan of the item: it compares the four keys and scans the value.
//
//phase:parse fallback
func (r *nativeReader) usualItem(b view, item *nativeItem) bool {
	s := &r.scanner
	s.start(b, &r.limits)
	defer func() { s.src = nil }()
	at := 0
	after := func(prefix string) bool {
		if !bytes.HasPrefix(b[at:], []byte(prefix)) {
			return false
		}
		at += len(prefix)
		return true
	}

	str := func(want byte) (content []byte, ok bool) {
		major, n, next, err := s.head(at)
		if err != nil || major != want || n > uint64(len(b)-next) {
			return nil, false
		}
		at = next + int(n)
		return b[next:at], true
	}

	if !after("\xa4\x68digestID") {
		return false
	}

	major, id, next, err := s.head(at)
	if err != nil || major != majorUint {
		return false
	}

	item.id, at = id, next
	var ok bool
	if !after("\x66random") {
		return false
	}
	if item.random, ok = str(majorBytes); !ok || !after("\x71elementIdentifier") {
		return false
	}

	if item.identifier, ok = str(majorText); !ok || !utf8.Valid(item.identifier) ||
		!after("\x6celementValue") {
		return false
	}

	end, err := s.item(at, 1)
	item.value = b[at:]
	return err == nil && end == len(b)
}

// anyItem reads an item of any form that a scan accepts.
func (r *nativeReader) anyItem(inner view, ns []byte, item *nativeItem) error {
	*item = nativeItem{}
	if err := r.scan(inner); err != nil {
		return err
	}
	if !inner.named(0) {
		return invalid(string(ns), ruleShape, "%s", itemShape)
	}

	found := 0
	for key, v := range inner.members(0) {
		ok := true
		switch string(key) {
		case "digestID":
			var major byte
			major, item.id, _ = inner.head(v)
			ok = major == majorUint
		case "random":
			item.random, ok = inner.str(v, majorBytes)
		case "elementIdentifier":
			item.identifier, ok = inner.str(v, majorText)
		case "elementValue":
			item.value = inner[v:inner.skip(v)]
		default:
			ok = false
		}
		if ok {
			found++
		}
	}

	if found != 4 {
		return invalid(string(ns), ruleShape, "%s", itemShape)
	}

	return nil
}

// sign1 reads a COSE_Sign1 at i (RFC 9052 section 4.2).
//
//phase:parse
func (r *nativeReader) sign1(b view, i int) (h headers, err error) {
	const where, rule = "issuerAuth", "RFC 9052 section 4.2"
	h.x5chain = r.chain[:0]
	major, n, at := b.head(i)
	if major == majorTag {
		if n != 18 {
			return h, invalid(where, rule, "is not a COSE_Sign1")
		}
		h.tagged = true
		major, n, at = b.head(at)
	}

	if major != majorArray || n != 4 {
		return h, invalid(where, rule, "is not an array of 4 elements")
	}

	unprotected := b.skip(at)
	payload := b.skip(unprotected)
	var ok1, ok2, ok3 bool
	h.protected, ok1 = b.str(at, majorBytes)
	h.payload, ok2 = b.str(payload, majorBytes)
	h.signature, ok3 = b.str(b.skip(payload), majorBytes)
	if !ok1 || !ok2 || !ok3 || b[unprotected]>>5 != majorMap {
		return h, invalid(where, rule, "an element has the wrong type for a COSE_Sign1")
	}

	if len(h.protected) > 0 {
		if h.protected[0]>>5 != majorMap {
			return h, invalid(where, rule, "the protected header is not a map")
		}
		if err := r.scan(h.protected); err != nil {
			return h, err
		}
		if err := view(h.protected).header(0, &h, true); err != nil {
			return h, err
		}
	}

	err = b.header(unprotected, &h, false)
	r.chain = h.x5chain
	return h, err
}

// header reads one of the two header maps.
func (b view) header(i int, h *headers, protected bool) error {
	_, n, at := b.head(i)
	for range n {
		value := b.skip(at)
		major, label, _ := b.head(at)
		switch {
		case major == majorBytes || major == majorNint && label>>63 != 0:
			return invalid("issuerAuth", "RFC 9052 section 1.4",
				"a header label is neither an integer nor text")
		case major != majorUint:
		case label == 4 && b[value]>>5 != majorBytes:
			h.textKid = true
		case label == 1 && protected:
			m, arg, _ := b.head(value)
			if h.hasAlg = m <= majorNint && arg>>63 == 0; h.hasAlg {
				if h.alg = int64(arg); m == majorNint {
					h.alg = -1 - int64(arg)
				}
			}
		case label == 2 && protected:
			h.crit = true
		case label == 33 && !protected:
			h.x5chain, h.badChain = b.chain(h.x5chain, value)
		}
		at = b.skip(value)
	}
	return nil
}

// chain appends the certificates of x5chain.
func (b view) chain(chain [][]byte, i int) (out [][]byte, bad bool) {
	major, n, at := b.head(i)
	if major == majorBytes {
		return append(chain, b[at:at+int(n)]), false
	}
	if major != majorArray || n == 0 {
		return nil, true
	}
	for range n {
		c, ok := b.str(at, majorBytes)
		if !ok {
			return nil, true
		}
		if len(chain) <= keys.MaxChain { // a longer chain is refused
			chain = append(chain, c)
		}
		at = b.skip(at)
	}
	return chain, false
}

// mso reads 24(bstr MobileSecurityObject) and sorts its digests.
//
//phase:parse
func (r *nativeReader) mso(payload view) (m mso, digests view, err error) {
	const where = "MSO"
	if err := r.scan(payload); err != nil {
		return m, nil, err
	}

	shape := func() error { return invalid(where, ruleIssue, "%s", msoShape) }
	b, ok := payload.embedded(0)
	if !ok {
		return m, nil, invalid(where, ruleIssue, "is not a byte string in tag 24")
	}
	if err := r.scan(b); err != nil {
		return m, nil, err
	}
	if !b.named(0) {
		return m, nil, shape()
	}

	found := 0
	var device, validity, values int
	for key, v := range b.members(0) {
		ok := true
		switch string(key) {
		case "version":
			m.version, ok = b.text(v, "1.0")
		case "digestAlgorithm":
			m.digestAlgorithm, ok = b.text(v, hashes[:]...)
		case "docType":
			m.docType, ok = b.text(v)
		case "deviceKeyInfo":
			device, ok = v, b.named(v)
		case "validityInfo":
			validity, ok = v, b.named(v)
		case "valueDigests":
			values, ok = v, b[v]>>5 == majorMap
		case "status":
			m.status, ok = true, false // optional: not one of the six required members
		default:
			ok = false
		}

		if ok {
			found++
		}
	}

	if found != 6 {
		return m, nil, shape()
	}

	for key, v := range b.members(device) {
		if string(key) == "deviceKey" && b[v]>>5 == majorMap {
			m.deviceKey = b[v:b.skip(v)]
		}
	}

	if m.deviceKey == nil {
		return m, nil, shape()
	}

	for key, v := range b.members(validity) {
		switch string(key) {
		case "signed":
			m.signed = b.tdate(v)
		case "validFrom":
			m.from = b.tdate(v)
		case "validUntil":
			m.until = b.tdate(v)
		}
	}

	return m, b, r.index(b, values)
}

// text returns a text string at i, one of usual ones without a copy.
func (b view) text(i int, usual ...string) (string, bool) {
	s, ok := b.str(i, majorText)
	return baseline.Known(s, usual...), ok
}

// tdate returns the text of 0(tstr), or nil.
func (b view) tdate(i int) []byte {
	major, number, next := b.head(i)
	if major != majorTag || number != 0 {
		return nil
	}
	s, _ := b.str(next, majorText)
	return s
}

// index lists the digests of an MSO by namespace.
func (r *nativeReader) index(b view, i int) error {
	r.digests, r.spaces = r.digests[:0], r.spaces[:0]
	_, n, at := b.head(i)
	for range n {
		name, ok := b.str(at, majorText)
		if !ok {
			return invalid("MSO", ruleIssue, "a namespace of valueDigests is not text")
		}
		at = b.skip(at)
		major, count, entry := b.head(at)
		if major != majorMap {
			return invalid("MSO", ruleIssue, "the digests of %q are not a map", name)
		}
		from, sorted := len(r.digests), true
		if err := r.checkIndex(from+int(count), len(r.spaces)+1); err != nil {
			return err
		}
		for range count {
			major, id, value := b.head(entry)
			if major != majorUint {
				return invalid("MSO", ruleIssue, "a digestID of %q is not an unsigned integer", name)
			}
			sorted = sorted && (len(r.digests) == from || r.digests[len(r.digests)-1].id < id)
			r.digests = append(r.digests, digest{id: id, at: value})
			entry = b.skip(value)
		}

		if !sorted {
			slices.SortFunc(r.digests[from:], func(a, b digest) int { return cmp.Compare(a.id, b.id) })
		}
		r.spaces = append(r.spaces, space{name, from, len(r.digests)})
		at = entry
	}

	slices.SortFunc(r.spaces, func(a, b space) int { return bytes.Compare(a.name, b.name) })
	return nil
}

// checkIndex bounds the memory of a growing index.
//
//phase:check
func (r *nativeReader) checkIndex(digests, spaces int) error {
	const digestSize, spaceSize = 40, 256
	if used := digestSize*int64(digests) + spaceSize*int64(spaces); used > r.limits.Memory {
		return &canon.LimitError{Limit: "memory", Max: r.limits.Memory, Done: used, Where: "valueDigests"}
	}
	return nil
}

// digestsOf returns the digests of a namespace, sorted by id.
func (r *nativeReader) digestsOf(ns []byte) []digest {
	i, ok := slices.BinarySearchFunc(r.spaces, ns,
		func(s space, ns []byte) int { return bytes.Compare(s.name, ns) })
	if !ok {
		return nil
	}
	return r.digests[r.spaces[i].from:r.spaces[i].to]
}
