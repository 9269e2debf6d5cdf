//phase:caller
package mdoc

import (
	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// The shapes of RFC 9052 sections 4.2, 4.4 and 6.3. A Sig_structure and a MAC_structure have the same shape.
type (
	stockSign1 struct {
		_           struct{} `cbor:",toarray"`
		Protected   []byte
		Unprotected map[int64]cbor.RawMessage
		Payload     []byte
		Signature   []byte
	}
	stockStructure struct {
		_         struct{} `cbor:",toarray"`
		Context   string
		Protected []byte
		External  []byte
		Payload   []byte
	}
)

// stockEncodeStructure returns the bytes that a signature or a MAC covers.
//
//phase:encode
func stockEncodeStructure(context string, protected, payload []byte) ([]byte, error) {
	return stockEncode(stockStructure{Context: context, Protected: protected, External: []byte{},
		Payload: payload})
}

// stockSignPayload signs a payload and returns the signed protected header with the signature (RFC 9052
// section 4.4).
//
//phase:encode fallback
func stockSignPayload(
	key *keys.Secret, payload []byte, c *compare.Counters,
) (protected, signature []byte, err error) {
	if protected, err = stockEncode(map[int64]int64{1: coseAlgorithm[key.Algorithm()]}); err != nil {
		return nil, nil, err
	}
	message, err := stockEncodeStructure("Signature1", protected, payload)
	if err != nil {
		return nil, nil, err
	}
	c.Add(compare.Counters{Signatures: 1})
	signature, err = stockSignature(key, message)
	return protected, signature, err
}

// stockSignature is a separate function so that profiles separate signing from encoding.
//
//phase:sign
func stockSignature(key *keys.Secret, message []byte) ([]byte, error) { return key.Sign(message) }

// stockCheckSignature checks the signature of a COSE_Sign1 (RFC 9052 section 4.4).
//
//phase:check
func stockCheckSignature(
	key *keys.Public, protected, payload, signature []byte, c *compare.Counters,
) (holds bool, err error) {
	message, err := stockEncodeStructure("Signature1", protected, payload)
	if err != nil {
		return false, err
	}
	c.Add(compare.Counters{Verifications: 1})
	return key.Verify(message, signature), nil
}

// stockReadSign1 reads a COSE_Sign1 (RFC 9052 section 4.2).
//
//phase:parse
func stockReadSign1(raw []byte, limits canon.Limits) (*headers, error) {
	const where, rule = "issuerAuth", "RFC 9052 section 4.2"
	h := &headers{}
	if isMajor(raw, majorTag) {
		var tag cbor.RawTag
		if stockDec.Unmarshal(raw, &tag) != nil || tag.Number != 18 {
			return nil, invalid(where, rule, "is not a COSE_Sign1")
		}
		h.tagged, raw = true, tag.Content
	}

	var parts []cbor.RawMessage
	if !isMajor(raw, majorArray) || stockDec.Unmarshal(raw, &parts) != nil || len(parts) != 4 {
		return nil, invalid(where, rule, "is not an array of 4 elements")
	}

	var ok1, ok2, ok3 bool
	h.protected, ok1 = stockBytes(parts[0])
	h.payload, ok2 = stockBytes(parts[2])
	h.signature, ok3 = stockBytes(parts[3])
	if !ok1 || !ok2 || !ok3 || !isMajor(parts[1], majorMap) {
		return nil, invalid(where, rule, "an element has the wrong type for a COSE_Sign1")
	}

	protected := map[any]cbor.RawMessage{}
	if len(h.protected) > 0 {
		if !isMajor(h.protected, majorMap) {
			return nil, invalid(where, rule, "the protected header is not a map")
		}
		if err := stockDecode(h.protected, &protected, where, rule, limits); err != nil {
			return nil, err
		}
	}

	var unprotected map[any]cbor.RawMessage
	if err := stockUnmarshal(parts[1], &unprotected, where, rule); err != nil {
		return nil, err
	}
	if alg := protected[uint64(1)]; isMajor(alg, majorUint) || isMajor(alg, majorNint) {
		h.hasAlg = stockDec.Unmarshal(alg, &h.alg) == nil
	}

	_, h.crit = protected[uint64(2)]
	for _, bucket := range []map[any]cbor.RawMessage{protected, unprotected} {
		for label := range bucket {
			switch label.(type) {
			case uint64, int64, string:
			default:
				return nil, invalid(where, "RFC 9052 section 1.4",
					"a header label is neither an integer nor text")
			}
		}
		if kid, ok := bucket[uint64(4)]; ok && !isMajor(kid, majorBytes) {
			h.textKid = true
		}
	}

	if chain, ok := unprotected[uint64(33)]; ok {
		h.x5chain, h.badChain = stockChain(chain)
	}

	return h, nil
}

func stockChain(raw cbor.RawMessage) (chain [][]byte, bad bool) {
	if b, ok := stockBytes(raw); ok {
		return [][]byte{b}, false
	}
	var certs []cbor.RawMessage
	if !isMajor(raw, majorArray) || stockDec.Unmarshal(raw, &certs) != nil || len(certs) == 0 {
		return nil, true
	}
	for _, c := range certs {
		b, ok := stockBytes(c)
		if !ok {
			return nil, true
		}
		if len(chain) <= keys.MaxChain { // a longer chain is refused
			chain = append(chain, b)
		}
	}
	return chain, false
}
