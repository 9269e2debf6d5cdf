package mdoc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
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

// A key in its usual form is read directly, which takes less memory than to decode CBOR.
func TestUsualKeyIsReadDirectly(t *testing.T) {
	for _, alg := range []keys.Algorithm{keys.EdDSA, keys.ES256, keys.ES384} {
		key, err := keys.Generate(alg)
		if err != nil {
			t.Fatal(err)
		}
		cose := key.Public().COSE()
		direct := testing.AllocsPerRun(10, func() { _, _ = nativeKey(cose) })
		decoded := testing.AllocsPerRun(10, func() { _, _ = keys.ParsePublicCOSE(cose) })
		if direct >= decoded {
			t.Errorf("%s: %v allocations, %v to decode", alg, direct, decoded)
		}
	}
}

// Keys of a map are compared unless all of them rise, wherever it is that one does not.
func TestRepeatedKeys(t *testing.T) {
	rising := func(from, n int) (b string) {
		for i := range n {
			b += string([]byte{0x19, 1, byte(from + i), 0})
		}
		return b
	}
	const text = "\x61a\x00"
	for _, n := range []int{3, 30} { // compared at once, and at the end
		for name, c := range map[string]struct {
			pairs string
			n     int
			want  bool // repeated
		}{
			"rising":                {rising(0, n), n, false},
			"text at the end":       {rising(0, n) + text, n + 1, false},
			"text again, then more": {text + text + rising(0, n), n + 2, true},
			"text between":          {text + rising(0, n) + text + rising(100, n), 2*n + 2, true},
			"again and on":          {rising(0, n) + rising(n-1, n), 2 * n, true},
			"falling":               {rising(100, n) + rising(0, n), 2 * n, false},
			"above text":            {rising(0, n) + text + rising(n, n), 2*n + 1, false},
		} {
			cbor := append([]byte{0xb8, byte(c.n)}, c.pairs...)
			r := newNativeReader(canon.Limits{})
			err := r.scan(cbor)
			if repeated := err != nil && strings.Contains(err.Error(), "a map key is repeated"); repeated != c.want ||
				err != nil && !repeated {
				t.Errorf("%d, %s: %v", n, name, err)
			}
		}
	}
}

// Without a holder a check has the default limits, and with one its own.
func TestLimitsOfACheck(t *testing.T) {
	b := []byte("\xa1\x61a\x81\x81\x00")
	var limit *canon.LimitError
	if err := (*Holder)(nil).Check(b); err == nil || errors.As(err, &limit) {
		t.Errorf("without a holder: %v", err)
	}
	if err := (&Holder{Limits: canon.Limits{Depth: 2}}).Check(b); !errors.As(err, &limit) || limit.Limit != "depth" {
		t.Errorf("depth 2: %v", err)
	}
}
