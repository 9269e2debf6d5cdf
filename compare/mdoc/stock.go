//phase:caller
package mdoc

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare"
)

// stock is the engine that uses fxamacker/cbor and encoding/json.
type stock struct{}

var (
	stockEnc = must(cbor.EncOptions{}.EncMode())
	stockDec = must(cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF,
		IndefLength:     cbor.IndefLengthForbidden, // scanCBOR has the limits
		MaxNestedLevels: 65535, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive}.DecMode())
)

func must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// The shapes of ISO/IEC 18013-5 sections 8.3.2.1.2.2 and 9.1.2.4. Members whose type must be checked stay
// raw: the decoder would skip tags and read null as empty.
type (
	stockIssuerSigned struct {
		NameSpaces map[string][]cbor.RawMessage `cbor:"nameSpaces"` // each 24(bstr IssuerSignedItem)
		IssuerAuth cbor.RawMessage              `cbor:"issuerAuth"`
	}
	stockItem struct {
		DigestID   uint64          `cbor:"digestID"`
		Random     []byte          `cbor:"random"`
		Identifier string          `cbor:"elementIdentifier"`
		Value      cbor.RawMessage `cbor:"elementValue"`
	}
	stockRawItem struct {
		DigestID   cbor.RawMessage `cbor:"digestID"`
		Random     cbor.RawMessage `cbor:"random"`
		Identifier cbor.RawMessage `cbor:"elementIdentifier"`
		Value      cbor.RawMessage `cbor:"elementValue"`
	}
	stockMSO struct {
		Version         string                       `cbor:"version"`
		DigestAlgorithm string                       `cbor:"digestAlgorithm"`
		ValueDigests    map[string]map[uint64][]byte `cbor:"valueDigests"`
		DeviceKeyInfo   stockDeviceKeyInfo           `cbor:"deviceKeyInfo"`
		DocType         string                       `cbor:"docType"`
		ValidityInfo    stockValidity                `cbor:"validityInfo"`
	}
	stockRawMSO struct {
		Version         cbor.RawMessage `cbor:"version"`
		DigestAlgorithm cbor.RawMessage `cbor:"digestAlgorithm"`
		ValueDigests    cbor.RawMessage `cbor:"valueDigests"`
		DeviceKeyInfo   cbor.RawMessage `cbor:"deviceKeyInfo"`
		DocType         cbor.RawMessage `cbor:"docType"`
		ValidityInfo    cbor.RawMessage `cbor:"validityInfo"`
		Status          cbor.RawMessage `cbor:"status"`
	}
	stockDeviceKeyInfo struct {
		DeviceKey cbor.RawMessage `cbor:"deviceKey"`
	}
	stockValidity struct {
		Signed     cbor.RawMessage `cbor:"signed"`
		ValidFrom  cbor.RawMessage `cbor:"validFrom"`
		ValidUntil cbor.RawMessage `cbor:"validUntil"`
	}
)

//phase:encode
func stockEncode(v any) ([]byte, error) { return stockEnc.Marshal(v) }

//phase:select fallback
func (stock) present(h *Holder, issued []byte, wanted []want) ([]byte, error) {
	if err := stockScan(issued, h.Limits); err != nil {
		return nil, err
	}
	s, err := stockReadIssuerSigned(issued)
	if err != nil {
		return nil, err
	}
	out, selected, err := stockSelect(s, wanted, h.Limits)
	if err != nil {
		return nil, err
	}
	if err := selected.check(issued); err != nil {
		return nil, err
	}
	return stockEncode(out)
}

// stockSelect keeps the wanted items with unchanged bytes.
//
//phase:select
func stockSelect(
	s *stockIssuerSigned, wanted []want, limits canon.Limits,
) (*stockIssuerSigned, *selection, error) {
	out := &stockIssuerSigned{NameSpaces: map[string][]cbor.RawMessage{}, IssuerAuth: s.IssuerAuth}
	selected, number := newSelection(wanted), 0
	for ns, items := range s.NameSpaces {
		for _, raw := range items {
			item, err := stockReadItem(raw, ns, limits)
			if err != nil {
				return nil, nil, err
			}
			if takes(selected, ns, number, item.Identifier) {
				out.NameSpaces[ns] = append(out.NameSpaces[ns], raw)
			}
		}
		number++
	}
	return out, selected, nil
}

//phase:parse fallback
func (stock) verify(v *Verifier, presented []byte) ([]Document, error) {
	if err := stockScan(presented, v.Limits); err != nil {
		return nil, err
	}
	if view(presented).find("issuerAuth") != none {
		return v.bare(presented, stockDocument)
	}
	return v.response(presented, stockDocument)
}

// stockDocument verifies one IssuerSigned.
//
//phase:validate fallback
func stockDocument(v *Verifier, d *Document, b []byte, docType string) error {
	s, err := stockReadIssuerSigned(b)
	if err != nil {
		return err
	}

	h, err := stockReadSign1(s.IssuerAuth, v.Limits)
	if err != nil {
		return err
	}
	if err := v.checkHeaders(h); err != nil {
		return err
	}

	m, err := stockReadMSO(h.payload, v.Limits)
	if err != nil {
		return err
	}

	if err := v.checkMSO(d, &m.mso, docType); err != nil {
		return err
	}

	key, leaf, err := v.issuerKey(h, d.Signed)
	if err != nil {
		return err
	}

	holds, err := stockCheckSignature(key, h.protected, h.payload, h.signature, v.Counters)
	if err != nil {
		return err
	}
	if !holds {
		return invalid("issuerAuth", ruleCOSE, "the signature is invalid")
	}

	for _, ns := range slices.Sorted(maps.Keys(s.NameSpaces)) {
		if err := stockDigests(v, d, m, ns, s.NameSpaces[ns]); err != nil {
			return err
		}
	}

	return d.done(v, &m.mso, leaf)
}

// stockDigests compares the items of a namespace with the MSO and adds their elements to d.
//
//phase:validate fallback
func stockDigests(v *Verifier, d *Document, m *stockDigestMap, ns string, items []cbor.RawMessage) error {
	newHash, _ := hashOf(m.digestAlgorithm) // checked before
	ids, names := map[uint64]bool{}, map[string]bool{}
	for _, raw := range items {
		item, err := stockReadItem(raw, ns, v.Limits)
		if err != nil {
			return err
		}
		where := func() string { return ns + "/" + item.Identifier }
		if ids[item.DigestID] || names[item.Identifier] {
			return invalid(where(), ruleDigest, "its digestID or identifier occurs twice")
		}
		ids[item.DigestID], names[item.Identifier] = true, true
		h := newHash()
		h.Write(raw)
		v.Counters.Add(compare.Counters{Digests: 1})
		want, ok := stockBytes(m.digests[ns][item.DigestID])
		if !ok || !bytes.Equal(want, h.Sum(nil)) {
			return invalid(where(), ruleCheck, "its digest differs from digest %d of the MSO", item.DigestID)
		}
		d.Elements = append(d.Elements, Element{NameSpace: ns, Identifier: item.Identifier,
			Value: item.Value})
	}
	return nil
}

// stockScan scans CBOR for the stock decoder, which has no limits.
//
//phase:parse
func stockScan(b []byte, limits canon.Limits) error {
	var s scanner
	if err := s.all(b, limits); err != nil {
		return err
	}
	limits = limits.WithDefaults()
	return s.checkShape(&limits)
}

// checkShape bounds the number of scanned data items by the memory and time that the stock engine takes for
// each.
func (s *scanner) checkShape(limits *canon.Limits) error {
	const entry = 1024
	if used := entry * int64(s.items); used > limits.Memory {
		return &canon.LimitError{Limit: "memory", Max: limits.Memory, Done: used,
			Where: fmt.Sprintf("%d data items of CBOR", s.items)}
	}
	return nil
}

// stockDecode scans CBOR and decodes it.
//
//phase:parse
func stockDecode(b []byte, v any, where, rule string, limits canon.Limits) error {
	if err := stockScan(b, limits); err != nil {
		return err
	}
	return stockUnmarshal(b, v, where, rule)
}

// stockUnmarshal decodes CBOR that has been scanned as part of a larger item.
//
//phase:parse
func stockUnmarshal(b []byte, v any, where, rule string) error {
	if err := stockDec.Unmarshal(b, v); err != nil {
		return invalid(where, rule, "%v", err)
	}
	return nil
}

func stockText(raw cbor.RawMessage) (s string, ok bool) {
	ok = isMajor(raw, majorText) && stockDec.Unmarshal(raw, &s) == nil
	return s, ok
}

func stockBytes(raw cbor.RawMessage) (b []byte, ok bool) {
	ok = isMajor(raw, majorBytes) && stockDec.Unmarshal(raw, &b) == nil
	return b, ok
}

func stockUint(raw cbor.RawMessage) (n uint64, ok bool) {
	ok = isMajor(raw, majorUint) && stockDec.Unmarshal(raw, &n) == nil
	return n, ok
}

func isMajor(raw []byte, major byte) bool { return len(raw) > 0 && raw[0]>>5 == major }

// stockReadIssuerSigned reads bytes that have been scanned.
//
//phase:parse
func stockReadIssuerSigned(b []byte) (*stockIssuerSigned, error) {
	const where = "IssuerSigned"
	var members map[string]cbor.RawMessage
	if err := stockUnmarshal(b, &members, where, ruleShape); err != nil {
		return nil, err
	}

	list, hasSpaces := members["nameSpaces"]
	auth := members["issuerAuth"]
	if !isMajor(b, majorMap) || auth == nil || len(members) > 2 || len(members) == 2 && !hasSpaces {
		return nil, invalid(where, ruleShape, "%s", issuerSignedShape)
	}

	out := &stockIssuerSigned{NameSpaces: map[string][]cbor.RawMessage{}, IssuerAuth: auth}
	if !hasSpaces {
		return out, nil
	}
	if !isMajor(list, majorMap) {
		return nil, invalid(where, ruleShape, "nameSpaces is not a map")
	}

	var spaces map[string]cbor.RawMessage
	if err := stockUnmarshal(list, &spaces, where, ruleShape); err != nil {
		return nil, err
	}

	for ns, list := range spaces {
		if !isMajor(list, majorArray) {
			return nil, invalid(ns, ruleShape, "is not an array of items")
		}
		var items []cbor.RawMessage
		if err := stockUnmarshal(list, &items, ns, ruleShape); err != nil {
			return nil, err
		}
		out.NameSpaces[ns] = items
	}

	return out, nil
}

// stockEmbedded returns the content of 24(bstr).
func stockEmbedded(raw []byte, where, rule string) ([]byte, error) {
	var tag cbor.RawTag
	if !isMajor(raw, majorTag) || stockDec.Unmarshal(raw, &tag) != nil || tag.Number != 24 {
		return nil, invalid(where, rule, "is not in tag 24")
	}
	b, ok := stockBytes(tag.Content)
	if !ok {
		return nil, invalid(where, rule, "tag 24 does not hold a byte string")
	}
	return b, nil
}

//phase:parse
func stockReadItem(raw []byte, ns string, limits canon.Limits) (*stockItem, error) {
	b, err := stockEmbedded(raw, ns, ruleShape)
	if err != nil {
		return nil, err
	}
	var in stockRawItem
	if err := stockDecode(b, &in, ns, ruleShape, limits); err != nil {
		return nil, err
	}
	id, ok1 := stockUint(in.DigestID)
	random, ok2 := stockBytes(in.Random)
	name, ok3 := stockText(in.Identifier)
	if !isMajor(b, majorMap) || !ok1 || !ok2 || !ok3 || in.Value == nil {
		return nil, invalid(ns, ruleShape, "%s", itemShape)
	}
	if len(random) < 16 {
		return nil, invalid(ns+"/"+name, ruleDigest, "random has %d bytes, at least 16 are needed",
			len(random))
	}
	return &stockItem{DigestID: id, Random: random, Identifier: name, Value: in.Value}, nil
}

// stockDigestMap is an MSO with its digests: namespace, digestID, digest.
type stockDigestMap struct {
	mso
	digests map[string]map[uint64]cbor.RawMessage
}

// stockReadMSO reads 24(bstr MobileSecurityObject).
//
//phase:parse
func stockReadMSO(payload []byte, limits canon.Limits) (*stockDigestMap, error) {
	const where = "MSO"
	if err := stockScan(payload, limits); err != nil {
		return nil, err
	}

	b, err := stockEmbedded(payload, where, ruleIssue)
	if err != nil {
		return nil, err
	}

	var raw stockRawMSO
	if err := stockDecode(b, &raw, where, ruleIssue, limits); err != nil {
		return nil, err
	}

	m := &stockDigestMap{digests: map[string]map[uint64]cbor.RawMessage{}}
	var ok1, ok2, ok3 bool
	m.version, ok1 = stockText(raw.Version)
	m.digestAlgorithm, ok2 = stockText(raw.DigestAlgorithm)
	m.docType, ok3 = stockText(raw.DocType)
	if !isMajor(b, majorMap) || !ok1 || !ok2 || !ok3 {
		return nil, invalid(where, ruleIssue, "%s", msoShape)
	}

	var device stockDeviceKeyInfo
	var validity stockValidity
	if !isMajor(raw.DeviceKeyInfo, majorMap) || !isMajor(raw.ValidityInfo, majorMap) ||
		!isMajor(raw.ValueDigests, majorMap) {
		return nil, invalid(where, ruleIssue, "%s", msoShape)
	}

	if err := stockUnmarshal(raw.DeviceKeyInfo, &device, where, ruleIssue); err != nil {
		return nil, err
	}
	if !isMajor(device.DeviceKey, majorMap) {
		return nil, invalid(where, ruleIssue, "%s", msoShape)
	}

	m.deviceKey, m.status = device.DeviceKey, raw.Status != nil
	if err := stockUnmarshal(raw.ValidityInfo, &validity, where, ruleIssue); err != nil {
		return nil, err
	}

	m.signed = stockDate(validity.Signed)
	m.from, m.until = stockDate(validity.ValidFrom), stockDate(validity.ValidUntil)
	return m, m.readDigests(raw.ValueDigests)
}

//phase:parse
func (m *stockDigestMap) readDigests(raw cbor.RawMessage) error {
	var spaces map[string]cbor.RawMessage
	if err := stockUnmarshal(raw, &spaces, "MSO", ruleIssue); err != nil {
		return err
	}
	for ns, list := range spaces {
		var digests map[uint64]cbor.RawMessage
		if !isMajor(list, majorMap) {
			return invalid("MSO", ruleIssue, "the digests of %q are not a map", ns)
		}
		if err := stockUnmarshal(list, &digests, "MSO", ruleIssue); err != nil {
			return err
		}
		m.digests[ns] = digests
	}
	return nil
}

// stockDate returns the text of a tdate, 0(tstr), or nil.
func stockDate(raw cbor.RawMessage) []byte {
	var tag cbor.RawTag
	if !isMajor(raw, majorTag) || stockDec.Unmarshal(raw, &tag) != nil || tag.Number != 0 {
		return nil
	}
	s, _ := stockText(tag.Content)
	return []byte(s)
}
