//phase:encode
package mdoc

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
)

//phase:encode fallback
func (stock) issue(i *Issuer, in []byte) ([]byte, error) {
	c, subject, err := stockParse(in, i.Limits)
	if err != nil {
		return nil, err
	}

	flat := stockElements{memory: i.Limits.WithDefaults().Memory,
		named: make(map[string]bool, len(i.Elements))}
	for _, p := range i.Elements {
		flat.named[strings.TrimPrefix(p, below)] = true
	}

	if err := flat.add("", subject, false); err != nil {
		return nil, err
	}

	if flat.found != len(flat.named) {
		if err := stockMissing(i, in); err != nil {
			return nil, err
		}
	}

	elements := flat.list
	newHash, _ := hashOf(i.digest()) // checked before
	items := make([]cbor.RawMessage, len(elements))
	digests := make(map[uint64][]byte, len(elements))
	for n, e := range elements {
		salt, err := stockSalt(i.salts(), i.Counters)
		if err != nil {
			return nil, err
		}
		if items[n], err = stockEncodeItem(stockItem{uint64(n), salt, e.Identifier, e.Value}); err != nil {
			return nil, err
		}
		h := newHash()
		h.Write(items[n])
		digests[uint64(n)] = h.Sum(nil)
		i.Counters.Add(compare.Counters{Digests: 1})
	}

	mso, err := stockEncodeMSO(i, c, digests)
	if err != nil {
		return nil, err
	}

	auth, err := stockSign(i, mso)
	if err != nil {
		return nil, err
	}

	return stockEncode(stockIssuerSigned{NameSpaces: map[string][]cbor.RawMessage{c.Type: items},
		IssuerAuth: auth})
}

// stockParse reads a claims set. A scan first refuses repeated keys; encoding/json would keep the last of
// them.
//
//phase:parse
func stockParse(b []byte, limits canon.Limits) (c claims.Input, subject any, err error) {
	var tape jsontape.Tape
	if err := tape.Scan(b, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth,
		Memory: limits.Memory}); err != nil {
		return c, nil, err
	}
	if used, memory := int64(tape.TreeSize()), limits.WithDefaults().Memory; used > memory {
		return c, nil, &canon.LimitError{Limit: "memory", Max: memory, Done: used, Where: "claims"}
	}
	if err := checkClaims(&tape); err != nil {
		return c, nil, err
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, nil, invalid("claims", "RFC 7519 section 4", "%v", err)
	}
	if c.Type == "" || c.Subject == nil {
		return c, nil, invalid("claims", "RFC 7519 section 4", "need vct and credentialSubject")
	}
	d := json.NewDecoder(bytes.NewReader(c.Subject))
	d.UseNumber()
	err = d.Decode(&subject)
	return c, subject, err
}

// stockMissing returns an error for the first named element that the claims do not have.
func stockMissing(i *Issuer, in []byte) error {
	var tape jsontape.Tape
	limits := jsontape.Options{Bytes: i.Limits.Bytes, Depth: i.Limits.Depth, Memory: i.Limits.Memory}
	if err := tape.Scan(in, limits); err != nil {
		return err
	}
	index := tape.Index(len(i.Elements))
	for _, p := range i.Elements {
		if index.At(p) == jsontape.None {
			return tape.Mismatch(p)
		}
	}
	return nil // it is inside another
}

// stockElements are the elements of the claims.
type stockElements struct {
	list   []Element
	named  map[string]bool // by identifier; other elements are leaves
	found  int             // of named
	size   int             // bytes of the items of the elements
	memory int64           // limit for the items
}

// add appends the elements of v, or v itself as one.
func (e *stockElements) add(id string, v any, one bool) error {
	if one {
		e.found++
	}

	switch t := v.(type) {
	case map[string]any:
		if len(t) > 0 && !one {
			for _, name := range slices.Sorted(maps.Keys(t)) {
				id := join(id, jsontape.EscapeToken(name))
				if err := e.add(id, t[name], e.named[id]); err != nil {
					return err
				}
			}
			return nil
		}
	case []any:
		if len(t) > 0 && !one {
			for i := range t {
				id := join(id, strconv.Itoa(i))
				if err := e.add(id, t[i], e.named[id]); err != nil {
					return err
				}
			}
			return nil
		}
	}

	v, err := stockNumbers(v, id)
	if err != nil {
		return err
	}

	b, err := stockEncode(v)
	if err != nil {
		return err
	}

	const item = 512 // memory of an item and its digest, without name and value
	e.list, e.size = append(e.list, Element{Identifier: id, Value: b}), e.size+item+len(id)+len(b)
	return checkItems(e.size, e.memory)
}

// stockNumbers converts the numbers in a value.
func stockNumbers(v any, id string) (any, error) {
	var err error
	switch t := v.(type) {
	case json.Number:
		n, err := number([]byte(t), []byte(id))
		switch {
		case err != nil:
			return nil, err
		case n.double:
			return n.float, nil
		case n.negative:
			return int64(n.integer), nil
		}
		return n.integer, nil
	case map[string]any:
		for name := range t {
			if t[name], err = stockNumbers(t[name], id); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range t {
			if t[i], err = stockNumbers(t[i], id); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// stockSalt draws the random bytes of an item (ISO/IEC 18013-5 section 9.1.2.5: at least 16).
//
//phase:salt
func stockSalt(r io.Reader, c *compare.Counters) ([]byte, error) {
	salt := make([]byte, 16)
	_, err := io.ReadFull(r, salt)
	c.Add(compare.Counters{Salts: 1})
	return salt, err
}

// stockEncodeItem returns 24(bstr IssuerSignedItem), the bytes that are hashed.
func stockEncodeItem(item stockItem) ([]byte, error) {
	b, err := stockEncode(item)
	if err != nil {
		return nil, err
	}
	return stockEncode(cbor.Tag{Number: 24, Content: b})
}

func stockEncodeMSO(i *Issuer, c claims.Input, digests map[uint64][]byte) ([]byte, error) {
	m := stockMSO{Version: "1.0", DigestAlgorithm: i.digest(), DocType: c.Type,
		ValueDigests:  map[string]map[uint64][]byte{c.Type: digests},
		DeviceKeyInfo: stockDeviceKeyInfo{i.Device.COSE()}}
	from, err := stockEncode(tdate(c.From))
	if err != nil {
		return nil, err
	}
	until, err := stockEncode(tdate(c.Until))
	if err != nil {
		return nil, err
	}
	m.ValidityInfo = stockValidity{Signed: from, ValidFrom: from, ValidUntil: until}
	b, err := stockEncode(m)
	if err != nil {
		return nil, err
	}
	return stockEncode(cbor.Tag{Number: 24, Content: b})
}

//phase:caller
func tdate(seconds int64) cbor.Tag {
	return cbor.Tag{Number: 0, Content: time.Unix(seconds, 0).UTC().Format(time.RFC3339)}
}

// stockSign makes the COSE_Sign1 of an MSO.
//
//phase:encode fallback
func stockSign(i *Issuer, payload []byte) ([]byte, error) {
	var chain any = i.Chain
	if len(i.Chain) == 1 {
		chain = i.Chain[0]
	}
	x5chain, err := stockEncode(chain)
	if err != nil {
		return nil, err
	}
	protected, sig, err := stockSignPayload(i.Key, payload, i.Counters)
	if err != nil {
		return nil, err
	}
	return stockEncode(stockSign1{Protected: protected, Unprotected: map[int64]cbor.RawMessage{33: x5chain},
		Payload: payload, Signature: sig})
}
