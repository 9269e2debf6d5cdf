package mdoc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

// bound runs f with the memory that it needs, which no limit refuses, and with a byte less, which is refused for
// what where names.
func bound(t *testing.T, name string, memory int, where string, f func(canon.Limits) error) {
	t.Helper()
	if err := f(canon.Limits{Memory: int64(memory)}); err != nil {
		t.Errorf("%s: %d bytes: %v", name, memory, err)
	}
	var limit *canon.LimitError
	err := f(canon.Limits{Memory: int64(memory) - 1})
	if !errors.As(err, &limit) || limit.Limit != "memory" || limit.Where != where || limit.Done != int64(memory) {
		t.Errorf("%s: a byte less: %v, want a limit of %s and %d", name, err, where, memory)
	}
}

// Items count four times, to make them: what fits is issued, a byte less is refused.
func TestItemsAtTheBound(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	claims := []byte(`{"nbf":1767225600,"exp":1893456000,"vct":"v","credentialSubject":{"a":"` + strings.Repeat("x", 5000) +
		`","b":"` + strings.Repeat("y", 5000) + `"}}`)
	i := mdoc.Issuer{Key: key, Chain: [][]byte{{1}}, Device: key.Public()}
	issued, err := i.Issue(claims)
	if err != nil {
		t.Fatal(err)
	}
	var s issuerSigned
	decode(t, issued, &s)
	size := 0
	for _, item := range s.NameSpaces["v"] {
		size += len(item)
	}
	bound(t, "items", 4*size, "items", func(l canon.Limits) error {
		i.Limits = l
		_, err := i.Issue(claims)
		return err
	})
}

// An index of digests counts 40 bytes a digest and 256 a namespace.
func TestDigestsAtTheBound(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.EdDSA), []byte{1}}
	const spaces, digests = 10, 100
	presented := key.build(t, func(d *draft) {
		all := map[string]any{"ns": d.digests}
		for n := range spaces - 1 {
			more := map[int][]byte{}
			for i := range digests {
				more[i] = []byte{}
			}
			all[fmt.Sprint(n)] = more
		}
		d.mso["valueDigests"] = all
		for i := range digests - 3 {
			d.digests[i+3] = []byte{}
		}
	})
	bound(t, "digests", 40*spaces*digests+256*spaces, "valueDigests", func(l canon.Limits) error {
		_, err := (&mdoc.Verifier{Engine: canon.Native, Key: key.Public(), Now: now, Limits: l}).Verify(presented)
		return err
	})
}

// A key of an open map counts 96 bytes, and depth is that of arrays, maps and tags.
func TestScanAtTheBound(t *testing.T) {
	for n, less := range map[int]int{300: 0, 301: 1} {
		h := mdoc.Holder{Engine: canon.Native, Limits: canon.Limits{Memory: int64(96*n - less)}}
		_, err := h.Present(integerMap(n), nil, nil)
		var limit *canon.LimitError
		if errors.As(err, &limit) != (less == 1) || limit != nil && limit.Done != 96*int64(n) {
			t.Errorf("%d keys, %d bytes less: %v", n, less, err)
		}
	}
	for depth, limited := range map[int]bool{4: false, 3: true} {
		for _, nested := range []string{"\x81\x81\x81\x81\x00", "\x81\xc6\xc6\xa1\x00\x00"} {
			_, err := (&mdoc.Holder{Engine: canon.Native, Limits: canon.Limits{Depth: depth}}).Present([]byte(nested), nil, nil)
			var limit *canon.LimitError
			if errors.As(err, &limit) != limited || limited && limit.Limit != "depth" {
				t.Errorf("depth %d of %x: %v", depth, nested, err)
			}
		}
	}
}

// Integers and lengths are in their shortest form on each side of where it changes (RFC 8949 section 4.2.1).
func TestShortestForm(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	list := []string{"0"}
	for _, n := range []uint64{23, 24, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		list = append(list, fmt.Sprint(n))
		if n < 1<<63 {
			list = append(list, fmt.Sprint(-1-int64(n)), fmt.Sprint(-int64(n)))
		}
	}
	for _, n := range []int{0, 23, 24, 255, 256, 65535, 65536} {
		list = append(list, `"`+strings.Repeat("x", n)+`"`)
	}
	for _, engine := range engines {
		i := mdoc.Issuer{Engine: engine, Key: key, Chain: [][]byte{{1}}, Device: key.Public()}
		issued, err := i.Issue([]byte(`{"nbf":1767225600,"exp":1893456000,"vct":"v","credentialSubject":{"a":[` + strings.Join(list, ",") + `]}}`))
		if err != nil {
			t.Fatal(err)
		}
		docs, err := (&mdoc.Verifier{Engine: engine, Key: key.Public(), Now: now}).Verify(issued)
		if err != nil {
			t.Fatal(err)
		}
		for n, e := range docs[0].Elements {
			var v any
			decode(t, e.Value, &v)
			if got := fmt.Sprint(v); got != strings.Trim(list[n], `"`) || string(encode(t, v)) != string(e.Value) {
				t.Errorf("%s: %.30s is %.30s, %.10x", engine, list[n], got, e.Value)
			}
		}
	}
}

// The line and the JSON of an mdoc name type, signer, elements and their state; a line names eight documents.
func TestInspectJSON(t *testing.T) {
	a := newAuthority(t)
	secret := claimstest.Key(t, keys.ES256)
	key := draftKey{secret, a.root.Raw}
	one := key.build(t, func(d *draft) {
		d.items = append(d.items, testItem(t, 2, 16, "e2", false), testItem(t, 9, 16, "e9", false))
	})
	response := func(n int) []byte {
		documents := make([]any, n)
		for i := range documents {
			documents[i] = map[string]any{"docType": "d", "issuerSigned": cbor.RawMessage(one)}
		}
		return encode(t, map[string]any{"version": "1.0", "status": 0, "documents": documents})
	}
	shown := func(b []byte) (line, doc string) {
		t.Helper()
		i, err := mdoc.Inspect(b, canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		v, err := i.JSON()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return i.Line(), string(text)
	}
	const each = ", d, 4 elements, issuer CN=IACA"
	for n, want := range map[int]string{1: each, 8: strings.Repeat(each, 8), 9: strings.Repeat(each, 8) + ", and more"} {
		b := response(n)
		line, doc := shown(b)
		if line != fmt.Sprintf("mdoc, %d bytes%s", len(b), want) || strings.Count(doc, `"docType":"d"`) != n {
			t.Errorf("%d documents: %s %s", n, line, doc)
		}
	}
	line, doc := shown(one)
	for _, want := range []string{`"form":"IssuerSigned"`, `"protectedHeader":"{1: -7}"`, `"certificates":["CN=IACA"]`, `"deviceSigned":false`,
		`"deviceKey":"{1: 2, -1: 1, `, `{"pointer":"/ns/e0","digestID":0,"value":"\"v0\"","state":"digest matches"}`,
		`"value":"false","state":"digest differs"`, `"state":"the MSO has no such digest"`} {
		if !strings.Contains(doc, want) {
			t.Errorf("%s is not in %s", want, doc)
		}
	}
	if !strings.HasSuffix(line, each) {
		t.Error(line)
	}

	// A certificate that cannot be read has no name, a secret device key is not shown, an unknown digest is said.
	odd := draftKey{secret, []byte{1}}.build(t, func(d *draft) {
		d.mso["digestAlgorithm"] = "MD5"
		d.mso["deviceKeyInfo"] = map[string]any{"deviceKey": map[int]any{1: 2, -4: []byte("secret")}}
	})
	line, doc = shown(odd)
	for _, want := range []string{`"certificates":[]`, `"deviceKey":"(holds a secret key, not shown)"`, `"state":"the digest algorithm is unknown"`} {
		if !strings.Contains(doc, want) {
			t.Errorf("%s is not in %s", want, doc)
		}
	}
	bare, _ := shown(key.build(t, func(d *draft) { d.unprotected = map[any]any{} }))
	for _, line := range []string{line, bare} {
		if !strings.HasSuffix(line, ", d, 2 elements") {
			t.Error(line)
		}
	}
}

// The JSON of an inspection counts a value seven times and its namespace twice, as what it can become.
func TestInspectJSONAtTheBound(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.ES256), []byte{1}}
	name := strings.Repeat("n", 20_000)
	b := key.build(t, func(d *draft) { d.nameSpace = name })
	size := 0
	for range 2 {
		size += 2*len(name) + len("e0") + 7*len("\x62v0")
	}
	bound(t, "inspection", 4*size, "items", func(l canon.Limits) error {
		i, err := mdoc.Inspect(b, l)
		if err == nil {
			_, err = i.JSON()
		}
		return err
	})
}

// An issuer draws 16 bytes for each element and no more, whatever makes a value one element.
func TestIssuerDrawsWhatItNeeds(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	const claims = `{"nbf":1767225600,"exp":1893456000,"vct":"v","credentialSubject":{"a":[1,2,{"b":3}],"c":[],"d":{"e":4,"f":5}}}`
	for _, engine := range engines {
		for pointer, want := range map[string]int{"": 6, "/credentialSubject/a": 4, "/credentialSubject/d": 5, "/credentialSubject/a/2": 6} {
			salts := bytes.NewReader(make([]byte, 16*want))
			i := mdoc.Issuer{Engine: engine, Key: key, Chain: [][]byte{{1}}, Device: key.Public(), Salts: salts}
			if pointer != "" {
				i.Elements = []string{pointer}
			}
			if _, err := i.Issue([]byte(claims)); err != nil || salts.Len() != 0 {
				t.Errorf("%s %s: %v, %d bytes are left", engine, pointer, err, salts.Len())
			}
		}
	}
}

// The stock engine counts the tree of the claims before it makes it.
func TestStockTreeAtTheBound(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	claims := []byte(`{"nbf":1767225600,"exp":1893456000,"vct":"v","credentialSubject":{"a":[[]` + strings.Repeat(",[]", 1000) + `]}}`)
	var tape jsontape.Tape
	if err := tape.Scan(claims, jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	bound(t, "tree", tape.TreeSize(), "claims", func(l canon.Limits) error {
		i := mdoc.Issuer{Engine: canon.Stock, Key: key, Chain: [][]byte{{1}}, Device: key.Public(), Limits: l, Elements: []string{"/credentialSubject/a"}}
		_, err := i.Issue(claims)
		return err
	})
}
