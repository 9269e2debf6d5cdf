package mdoc

import (
	"bytes"
	"fmt"
	"testing"

	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// IssuerSigned has issuerAuth, and a map of namespaces if it has any.
func TestShapeOfIssuerSigned(t *testing.T) {
	const auth, spaces = "\x6aissuerAuth\x80", "\x6anameSpaces"
	for cbor, want := range map[string]bool{"\xa1" + auth: true, "\xa2" + spaces + "\xa0" + auth: true,
		"\xa2" + auth + spaces + "\xa0": true, "\xa2" + spaces + "\x80" + auth: false,
		"\xa1" + spaces + "\xa0": false,
		"\xa0":                   false, "\x82" + auth: false, "\xa2" + auth + "\x61x\x80": false,
		"\xa3" + auth + auth + auth: false} {
		s, err := view(cbor).issuerSigned()
		if (err == nil) != want || want && (cbor[s.issuerAuth] != 0x80 || s.nameSpaces >= 0 &&
			cbor[s.nameSpaces] != 0xa0) {
			t.Errorf("%x: %+v, %v", cbor, s, err)
		}
	}
}

// An item in the order of the standard is read as it is; one that is cut off anywhere, or goes on, does not have
// this form.
func TestUsualItem(t *testing.T) {
	const cbor = "\xa4\x68digestID\x07\x66random\x43abc\x71elementIdentifier\x64name\x6celementValue\x82\x01\x02"
	var item nativeItem
	r := &nativeReader{limits: canon.Limits{}.WithDefaults()}
	if !r.usualItem(view(cbor), &item) || item.id != 7 || string(item.random) != "abc" ||
		string(item.identifier) != "name" || string(item.value) != "\x82\x01\x02" {
		t.Errorf("%+v", item)
	}
	for n := range len(cbor) {
		if r.usualItem(view(cbor[:n]), &item) {
			t.Errorf("the first %d bytes are an item", n)
		}
	}
	if r.usualItem(view(cbor+"\x00"), &item) {
		t.Error("an item with a byte more is one")
	}
}

// The stock engine takes 1,024 bytes for each data item of CBOR.
func TestStockItemsAtTheBound(t *testing.T) {
	const cbor = "\x82\x01\x02"
	for less, want := range map[int64]string{0: "<nil>", 1: "memory"} {
		err := stockScan([]byte(cbor), canon.Limits{Memory: 3*1024 - less})
		got := fmt.Sprint(err)
		if limit, ok := err.(*canon.LimitError); ok {
			got = limit.Limit
		}
		if got != want {
			t.Errorf("%d bytes less than three items take: %v", less, err)
		}
	}
}

// Of a chain that is too long enough is kept to refuse it, in both engines.
func TestLongChainIsNotCut(t *testing.T) {
	for n, want := range map[int]int{1: 1, keys.MaxChain: keys.MaxChain, keys.MaxChain + 1: keys.MaxChain + 1,
		keys.MaxChain + 9: keys.MaxChain + 1} {
		array := []byte{0x98, byte(n)}
		if n < 24 {
			array = []byte{0x80 | byte(n)}
		}
		array = append(array, bytes.Repeat([]byte{0x41, 7}, n)...)
		chain, bad := view(array).chain(nil, 0)
		stock, stockBad := stockChain(array)
		if bad || stockBad || len(chain) != want || len(stock) != want {
			t.Errorf("of %d certificates %d and %d are kept, want %d", n, len(chain), len(stock), want)
		}
	}
}

// A key of the device that is cut off anywhere is refused.
func TestKeyOfTheDeviceIsWhole(t *testing.T) {
	for _, alg := range []keys.Algorithm{keys.EdDSA, keys.ES256, keys.ES384} {
		key, err := keys.Generate(alg)
		if err != nil {
			t.Fatal(err)
		}
		cose := key.Public().COSE()
		if got, err := nativeKey(cose); err != nil || !got.Equal(key.Public()) {
			t.Errorf("%s: %v", alg, err)
		}
		for n := range cose {
			if _, err := nativeKey(cose[:n:n]); err == nil {
				t.Errorf("%s: the first %d bytes are a key", alg, n)
			}
		}
	}
}
