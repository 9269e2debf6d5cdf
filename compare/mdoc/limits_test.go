package mdoc_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

// integerMap is a map of n pairs whose keys fall from 1<<31, and more pairs.
func integerMap(n int, more ...string) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0xba}, uint32(n+len(more)))
	for i := range uint32(n) {
		b = append(binary.BigEndian.AppendUint32(append(b, 0x1a), 1<<31-i), 0)
	}
	return append(b, strings.Join(more, "")...)
}

// Keys of large maps are compared as those of small ones are.
func TestLargeMaps(t *testing.T) {
	const other = "is not a map with text keys"
	for name, c := range map[string]struct {
		cbor []byte
		want string // in the error
	}{
		"integers":                  {integerMap(1000), other},
		"an integer again":          {integerMap(1000, "\x1a\x80\x00\x00\x00\x00"), "a map key is repeated"},
		"the last integer again":    {integerMap(1000, "\x1a\x7f\xff\xfc\x19\x00"), "a map key is repeated"},
		"its bytes":                 {integerMap(1000, "\x45\x1a\x80\x00\x00\x00\x00"), other},
		"a text with a longer head": {integerMap(1000, "\x61a\x00", "\x78\x01a\x00"), "a map key is repeated"},
		"a text and the same bytes": {integerMap(1000, "\x61a\x00", "\x41a\x00"), other},
	} {
		for _, engine := range claimstest.Engines {
			_, err := (&mdoc.Verifier{Engine: engine, Key: claimstest.Key(t, keys.EdDSA).Public()}).Verify(c.cbor)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: %v, want %s", engine, name, err, c.want)
			}
		}
	}
}

// What an mdoc makes a verifier keep counts as memory: keys of a map, namespaces, digests and elements.
func TestMemoryLimits(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.EdDSA), []byte{1}}
	spaces, digests := map[string]any{}, map[any]any{}
	for i := range 20_000 {
		spaces[fmt.Sprint(i)] = map[int]int{}
		digests[i+10] = []byte{}
	}
	for name, presented := range map[string][]byte{
		"keys":       integerMap(60_000, ""),
		"namespaces": key.build(t, func(d *draft) { d.mso["valueDigests"] = spaces }),
		"digests": key.build(t, func(d *draft) {
			for id, b := range digests {
				d.digests[id] = b
			}
		}),
	} {
		for _, engine := range claimstest.Engines {
			v := mdoc.Verifier{Engine: engine, Key: key.Public(), Now: now, Limits: canon.Limits{Memory: 512 << 10}}
			var limit *canon.LimitError
			if _, err := v.Verify(presented); !errors.As(err, &limit) || limit.Limit != "memory" {
				t.Errorf("%s %s: %v", engine, name, err)
			}
		}
	}
}

// Each document of a response has a signature to check.
func TestManyDocuments(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.EdDSA), []byte{1}}
	one := map[string]any{"docType": "d", "issuerSigned": cbor.RawMessage(key.build(t, nil))}
	for n, limited := range map[int]bool{canon.DefaultProofs: false, canon.DefaultProofs + 1: true} {
		documents := make([]any, n)
		for i := range documents {
			documents[i] = one
		}
		response := encode(t, map[string]any{"version": "1.0", "status": 0, "documents": documents})
		for _, engine := range claimstest.Engines {
			var limit *canon.LimitError
			docs, err := (&mdoc.Verifier{Engine: engine, Key: key.Public(), Now: now}).Verify(response)
			if errors.As(err, &limit) != limited || !limited && len(docs) != n {
				t.Errorf("%s: %d documents: %v", engine, n, err)
			}
		}
	}
}

// Notation is linear: a decimal number of a million bytes, and CBOR in byte strings in byte strings, are not.
func TestNotations(t *testing.T) {
	nested := []byte{0}
	for range 20_000 {
		nested = encode(t, nested)
	}
	var n mdoc.Notations
	for _, c := range []struct {
		cbor      []byte
		want, not string
	}{
		{encode(t, encode(t, map[int]string{1: "x"})), `<<{1: "x"}>>`, ""},
		{nested, "h'59", "<<"},
		{encode(t, cbor.Tag{Number: 2, Content: []byte("\x01\x00\x00\x00\x00\x00\x00\x00\x00")}), "18446744073709551616", ""},
		{encode(t, cbor.Tag{Number: 2, Content: make([]byte, 5000)}), "h'c2591388", ""},
		{encode(t, cbor.Tag{Number: 2, Content: make([]byte, 4096)}), "0", "h'"},
		{encode(t, cbor.Tag{Number: 2, Content: make([]byte, 4097)}), "h'c2591001", ""},
		{encode(t, [][]byte{make([]byte, 5<<20)}), "h'0000", ""},
	} {
		got, err := n.Of(c.cbor)
		if err != nil || !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%.40s: %v, want %s", got, err, c.want)
		}
	}
	var limit *canon.LimitError
	for memory, limited := range map[int64]bool{1000: true, 36_000 - 1: true, 37_000: false} { // four times 7 for an item and 2 for its byte
		n.Limits.Memory = memory
		if _, err := n.Of(encode(t, make([]bool, 1000))); errors.As(err, &limit) != limited {
			t.Errorf("%d bytes of memory: %v", memory, err)
		}
	}
}
