//phase:caller
package mdoc

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

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
	memory    int64 // limit for the items
	marks     []int // sorted nodes of Issuer.Elements
	salts     []byte
	id        []byte // identifier of the current element
	value     []byte // its CBOR
	items     []byte // finished items
	count     int
	digests   []byte // of the items, concatenated
	size      int    // of a digest
	hashName  string
	mso       []byte
	message   []byte
	signature []byte
	made      compare.Counters
}

var nativeIssuers = sync.Pool{New: func() any { return new(nativeIssuer) }}

//phase:encode fallback
func (native) issue(i *Issuer, in []byte) ([]byte, error) {
	w := nativeIssuers.Get().(*nativeIssuer)
	defer func() {
		if cap(w.items) <= 1<<20 {
			nativeIssuers.Put(w)
		}
	}()
	w.Issuer, w.hashName, w.count, w.made = i, i.digest(), 0, compare.Counters{}
	w.memory = i.Limits.WithDefaults().Memory
	w.id, w.items, w.digests = w.id[:0], w.items[:0], w.digests[:0]
	c, err := w.parse(in)
	if err != nil {
		return nil, err
	}
	if err := w.drawSalts(c.subject); err != nil {
		return nil, err
	}
	if err := w.element(c.subject, true); err != nil {
		return nil, err
	}
	w.encodeMSO(c)
	w.encodeMessage()
	if w.signature, err = baseline.Sign(i.Key, w.signature[:0], w.message); err != nil {
		return nil, err
	}
	w.made.Signatures++
	i.Counters.Add(w.made)
	return w.encodeIssuerSigned(c, w.signature), nil
}

type nativeClaims struct {
	docType     []byte
	from, until int64
	subject     int // node
}

//phase:parse
func (w *nativeIssuer) parse(in []byte) (c nativeClaims, err error) {
	t := &w.tape
	if err := t.Scan(in, jsontape.Options{Bytes: w.Limits.Bytes, Depth: w.Limits.Depth,
		Memory: w.Limits.Memory}); err != nil {
		return c, err
	}

	fault := func(name string) error {
		return invalid("claims", "RFC 7519 section 4", "%s is missing or has the wrong type", name)
	}

	if err := checkClaims(t); err != nil {
		return c, err
	}

	vct := t.Get(0, "vct")
	if vct == jsontape.None || t.Nodes[vct].Kind != jsontape.String || len(t.Text(vct)) == 0 {
		return c, fault("vct")
	}

	c.docType = t.Text(vct)

	if c.from, err = strconv.ParseInt(string(t.Raw(t.Get(0, "nbf"))), 10, 64); err != nil {
		return c, fault("nbf")
	}
	if c.until, err = strconv.ParseInt(string(t.Raw(t.Get(0, "exp"))), 10, 64); err != nil {
		return c, fault("exp")
	}

	if c.subject = t.Get(0, "credentialSubject"); c.subject == jsontape.None {
		return c, fault("credentialSubject")
	}

	return c, w.find()
}

// find looks up the elements that are named.
func (w *nativeIssuer) find() error {
	w.marks = w.marks[:0]
	index := w.tape.Index(len(w.Elements))
	for _, p := range w.Elements {
		n := index.At(p)
		if n == jsontape.None {
			return w.tape.Mismatch(p)
		}
		w.marks = append(w.marks, n)
	}
	slices.Sort(w.marks)
	return nil
}

// isElement reports whether a node is one element.
func (w *nativeIssuer) isElement(n int) bool {
	if w.tape.IsLeaf(n) {
		return true
	}
	_, named := slices.BinarySearch(w.marks, n)
	return named
}

// elements counts the elements at or below a node.
func (w *nativeIssuer) elements(n int) int {
	if len(w.marks) == 0 {
		return w.tape.Leaves(n)
	}
	if w.isElement(n) {
		return 1
	}
	total := 0
	for child := n + 1; child < int(w.tape.Nodes[n].Next); child = int(w.tape.Nodes[child].Next) {
		if w.tape.Nodes[n].Kind == jsontape.Object {
			child++ // the key
		}
		total += w.elements(child)
	}
	return total
}

// drawSalts reads the random bytes of all items at once, 16 for each (ISO/IEC 18013-5 section 9.1.2.5).
//
//phase:salt
func (w *nativeIssuer) drawSalts(subject int) error {
	n := w.elements(subject)
	w.salts = slices.Grow(w.salts[:0], 16*n)[:16*n]
	_, err := io.ReadFull(w.Issuer.salts(), w.salts)
	return err
}

// element makes the items of the elements at or below a node. The identifier of the node is in w.id.
func (w *nativeIssuer) element(n int, top bool) error {
	if w.isElement(n) {
		var err error
		if w.value, err = w.appendValue(w.value[:0], n); err != nil {
			return err
		}
		start := len(w.items)
		w.encodeItem()
		w.digest(w.items[start:])
		return checkItems(len(w.items), w.memory)
	}

	back, index := len(w.id), 0
	step := func(v int, token []byte) error {
		if !top {
			w.id = append(w.id, '/')
		}
		w.id = jsontape.AppendToken(w.id, token)
		err := w.element(v, false)
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

// appendValue appends the CBOR of a value: keys of objects are tstr, in the order of the document.
func (w *nativeIssuer) appendValue(v []byte, n int) ([]byte, error) {
	var err error
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
		v = appendHead(v, majorArray, uint64(w.tape.Len(n)))
		for e := range w.tape.Elements(n) {
			if v, err = w.appendValue(v, e); err != nil {
				return nil, err
			}
		}
	case jsontape.Object:
		v = appendHead(v, majorMap, uint64(w.tape.Len(n)))
		for k, e := range w.tape.Members(n) {
			if v, err = w.appendValue(appendText(v, w.tape.Text(k)), e); err != nil {
				return nil, err
			}
		}
	default:
		x, err := number(w.tape.Raw(n), w.id)
		switch {
		case err != nil:
			return nil, err
		case x.double:
			v = binary.BigEndian.AppendUint64(append(v, 0xfb), math.Float64bits(x.float))
		case x.negative:
			v = appendHead(v, majorNint, ^x.integer)
		default:
			v = appendHead(v, majorUint, x.integer)
		}
	}

	return v, nil
}

// encodeItem appends 24(bstr IssuerSignedItem) of the current element to w.items.
func (w *nativeIssuer) encodeItem() {
	const fixed = 1 + 9 + 7 + 1 + 16 + 18 + 13 // map, keys, random
	n := fixed + headSize(uint64(w.count)) + headSize(uint64(len(w.id))) + len(w.id) + len(w.value)
	b := appendHead(append(w.items, 0xd8, 24), majorBytes, uint64(n))
	b = appendHead(append(b, "\xa4\x68digestID"...), majorUint, uint64(w.count))
	b = append(append(b, "\x66random\x50"...), w.salts[16*w.count:16*w.count+16]...)
	b = appendText(append(b, "\x71elementIdentifier"...), w.id)
	w.items = append(append(b, "\x6celementValue"...), w.value...)
	w.count++
	w.made.Salts++
}

//phase:digest
func (w *nativeIssuer) digest(item []byte) {
	var s baseline.Sum
	w.size = hashes.Into(&s, w.hashName, item)
	w.digests = append(w.digests, s[:w.size]...)
	w.made.Digests++
}

// encodeMSO writes the MobileSecurityObject (ISO/IEC 18013-5 section 9.1.2.4).
func (w *nativeIssuer) encodeMSO(c nativeClaims) {
	b := append(w.mso[:0], "\xa6\x67version\x631.0\x6fdigestAlgorithm"...)
	b = appendText(b, w.hashName)
	b = append(b, "\x6cvalueDigests\xa1"...)
	b = appendHead(appendText(b, c.docType), majorMap, uint64(w.count))
	for n := range w.count {
		b = appendHead(b, majorUint, uint64(n))
		b = appendBytes(b, w.digests[n*w.size:(n+1)*w.size])
	}
	b = w.Device.AppendCOSE(append(b, "\x6ddeviceKeyInfo\xa1\x69deviceKey"...))
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
