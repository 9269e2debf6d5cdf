//phase:caller
package mdoc

import (
	"bytes"
	"cmp"
	"slices"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

// native is the engine that writes the fixed shapes of mdoc directly and reads them in place.
type native struct{}

//phase:select fallback
func (native) present(h *Holder, issued []byte, wanted []want) ([]byte, error) {
	r := newNativeReader(h.Limits)
	defer r.free()
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
	r.limits = limits.WithDefaults()
	return r
}

// selectItems writes IssuerSigned with the wanted items, copied unchanged.
//
//phase:select
func (r *nativeReader) selectItems(b view, s nativeIssuerSigned, wanted []want) ([]byte, error) {
	r.picks = r.picks[:0]
	selected := newSelection(wanted)
	var spaces, at int
	if s.nameSpaces != none {
		_, n, next := b.head(s.nameSpaces)
		spaces, at = int(n), next
	}

	kept, size := uint64(0), 0
	for number := range spaces {
		ns, ok := b.str(at, majorText)
		if !ok {
			return nil, invalid("IssuerSigned", ruleShape, "a namespace is not text")
		}
		space := len(r.picks)
		r.picks = append(r.picks, pick{from: at, to: b.skip(at)})
		major, n, item := b.head(b.skip(at))
		if major != majorArray {
			return nil, invalid(string(ns), ruleShape, "is not an array of items")
		}
		for range n {
			end := b.skip(item)
			read, err := r.item(b, item, ns)
			if err != nil {
				return nil, err
			}
			if takes(selected, ns, number, read.identifier) {
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

	if err := selected.check(b); err != nil {
		return nil, err
	}

	return r.writeSelected(b, b[s.issuerAuth:b.skip(s.issuerAuth)], kept, size), nil
}

// writeSelected writes IssuerSigned with the picked items.
//
//phase:encode
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

//phase:parse fallback
func (native) verify(v *Verifier, presented []byte) ([]Document, error) {
	r := newNativeReader(v.Limits)
	defer r.free()
	if err := r.scan(presented); err != nil {
		return nil, err
	}
	if view(presented).find("issuerAuth") != none {
		return v.bare(presented, nativeDocument)
	}
	if u, ok := view(presented).usual(); ok {
		return r.usual(v, &u)
	}
	if err := r.scanner.checkShape(&r.limits); err != nil { // the stock decoder reads the bytes
		return nil, err
	}
	return v.response(presented, nativeDocument)
}

// nativeDocument verifies one IssuerSigned that has been scanned.
//
//phase:validate fallback
func nativeDocument(v *Verifier, d *Document, in []byte, docType string) error {
	r := newNativeReader(v.Limits)
	defer r.free()
	b := view(in)
	s, err := b.issuerSigned()
	if err != nil {
		return err
	}

	h, err := r.sign1(b, s.issuerAuth)
	if err != nil {
		return err
	}
	if err := v.checkHeaders(&h); err != nil {
		return err
	}

	m, digests, err := r.mso(h.payload)
	if err != nil {
		return err
	}
	if err := v.checkMSO(d, &m, docType); err != nil {
		return err
	}

	key, leaf, err := v.issuerKey(&h, d.Signed)
	if err != nil {
		return err
	}
	if err := r.check(v, key, &h); err != nil {
		return err
	}
	if s.nameSpaces == none {
		return d.done(v, &m, leaf)
	}

	_, n, at := b.head(s.nameSpaces)
	for range n {
		if at, err = r.items(v, d, &m, b, at, digests); err != nil {
			return err
		}
	}

	return d.done(v, &m, leaf)
}

// check builds the Sig_structure and checks the signature (RFC 9052 section 4.4).
//
//phase:check
func (r *nativeReader) check(v *Verifier, key *keys.Public, h *headers) error {
	b := appendBytes(append(r.message[:0], "\x84\x6aSignature1"...), h.protected)
	r.message = appendBytes(append(b, 0x40), h.payload)
	v.Counters.Add(compare.Counters{Verifications: 1})
	if !key.Verify(r.message, h.signature) {
		return invalid("issuerAuth", ruleCOSE, "the signature is invalid")
	}
	r.message = r.message[:0]
	return nil
}

// items compares the items of the namespace at an offset with the MSO, adds their elements to d, and
// returns the end of the namespace.
//
//phase:parse
func (r *nativeReader) items(v *Verifier, d *Document, m *mso, b view, at int, values view) (int, error) {
	ns, ok := b.str(at, majorText)
	if !ok {
		return 0, invalid("IssuerSigned", ruleShape, "a namespace is not text")
	}

	major, n, item := b.head(b.skip(at))
	if major != majorArray {
		return 0, invalid(string(ns), ruleShape, "is not an array of items")
	}

	name, index, first := baseline.Known(ns, d.DocType), r.digestsOf(ns), len(d.Elements)
	r.known.Reset(int(n))
	d.Elements = slices.Grow(d.Elements, int(n))

	for range n {
		end := b.skip(item)
		read, err := r.item(b, item, ns)
		if err != nil {
			return 0, err
		}
		entry := find(index, read.id, len(d.Elements)-first)
		if r.repeated(entry, read.identifier) {
			return 0, invalid(name+"/"+string(read.identifier), ruleDigest,
				"its digestID or identifier occurs twice")
		}
		if !r.matches(v, m, b[item:end], entry, values) {
			return 0, invalid(name+"/"+string(read.identifier), ruleCheck,
				"its digest differs from digest %d of the MSO", read.id)
		}
		d.Elements = append(d.Elements, Element{NameSpace: name, Value: read.value})
		item = end
	}

	for i, identifier := range r.known.Strings() {
		d.Elements[first+i].Identifier = identifier
	}

	return item, nil
}

// find returns the digest with an id, nil if there is none. It looks first where it usually is.
func find(index []digest, id uint64, usual int) *digest {
	if usual < len(index) && index[usual].id == id {
		return &index[usual]
	}
	i, ok := slices.BinarySearchFunc(index, id,
		func(d digest, id uint64) int { return cmp.Compare(d.id, id) })
	if !ok {
		return nil
	}
	return &index[i]
}

// repeated records an item by its digest and its identifier, and reports whether one of them has occurred
// before in the namespace.
func (r *nativeReader) repeated(entry *digest, identifier []byte) bool {
	if entry != nil {
		if entry.used {
			return true
		}
		entry.used = true
	}

	_, added := r.known.Add(identifier)
	return !added
}

// matches reports whether an item's digest is the one that the MSO has for its id.
//
//phase:digest
func (r *nativeReader) matches(v *Verifier, m *mso, item []byte, entry *digest, values view) bool {
	var s baseline.Sum
	n := hashes.Into(&s, m.digestAlgorithm, item)
	v.Counters.Add(compare.Counters{Digests: 1})
	if entry == nil {
		return false
	}
	want, ok := values.str(entry.at, majorBytes)
	return ok && bytes.Equal(want, s[:n])
}
