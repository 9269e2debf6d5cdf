package mdoc

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/schemas"
)

// Of several documents the answer says which one has something that nobody has checked.
func TestUncheckedOfDocuments(t *testing.T) {
	one, two := Document{Unchecked: []string{"/status"}}, Document{}
	for _, c := range []struct {
		docs []Document
		want []string
	}{
		{[]Document{one}, []string{"/status"}},
		{[]Document{two, one}, []string{"/documents/1/status"}},
		{[]Document{two}, nil},
	} {
		var v compare.Verification
		if err := answer(&v, c.docs, &compare.Task{JSON: true}); err != nil || !reflect.DeepEqual(v.Unchecked, c.want) {
			t.Errorf("%v %v, want %v", v.Unchecked, err, c.want)
		}
	}
}

// Elements as JSON count the names twice and a value seven times, all of it four times; text counts nothing.
func TestElementsAtTheBound(t *testing.T) {
	ns := strings.Repeat("n", 1000)
	one := Element{NameSpace: ns, Identifier: "id", Value: []byte("\x61x")}
	docs := []Document{{Elements: []Element{one, one}}, {Elements: []Element{one}}}
	const memory = 3 * 4 * (2*(1000+2) + 7*2)
	for _, asJSON := range []bool{false, true} {
		for less := range int64(2) {
			task := &compare.Task{JSON: asJSON, Limits: canon.Limits{Memory: memory - less}}
			err := answer(new(compare.Verification), docs, task)
			var limit *canon.LimitError
			if want := asJSON && less == 1; errors.As(err, &limit) != want || (err != nil) != want || want && limit.Done != memory {
				t.Errorf("JSON %v, %d bytes less: %v", asJSON, less, err)
			}
		}
	}
}

// The lines about a document name its namespaces if it has several, and the first twenty of many.
func TestAboutNamespaces(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "", 2: "1 of n00", 20: "1 of n19", 21: "and of 1 namespaces more"} {
		var d Document
		for i := range n {
			d.Elements = append(d.Elements, Element{NameSpace: fmt.Sprintf("n%02d", i)})
		}
		lines := d.about()[2:]
		if n < 2 && len(lines) > 0 || n >= 2 && (len(lines) != n || !strings.Contains(strings.Join(lines, ";"), want)) {
			t.Errorf("%d namespaces: %q", n, lines)
		}
	}
}

// The hint of an error looks at the first names of an mdoc and at no more, and lists a few namespaces.
func TestNamesAreBounded(t *testing.T) {
	element := func(n int) string { return fmt.Sprintf("e%d", n) }
	build := func(spaces, each int) view {
		head := func(b []byte, major byte, n int) []byte { return append(b, major<<5|25, byte(n>>8), byte(n)) }
		text := func(b []byte, s string) []byte { return append(append(b, majorText<<5|24, byte(len(s))), s...) }
		b := text([]byte{0xa2}, "issuerAuth")
		b = head(text(append(b, 0x80), "nameSpaces"), majorMap, spaces)
		for s := range spaces {
			b = head(text(b, fmt.Sprintf("s%02d", s)), majorArray, each)
			for n := range each {
				item, err := cbor.Marshal(struct {
					ID         int    `cbor:"digestID"`
					Random     []byte `cbor:"random"`
					Identifier string `cbor:"elementIdentifier"`
					Value      int    `cbor:"elementValue"`
				}{n, make([]byte, 16), element(n), 0})
				if err != nil {
					t.Fatal(err)
				}
				b = append(append(b, 0xd8, 24, majorBytes<<5|24, byte(len(item))), item...)
			}
		}
		return b
	}
	for n, want := range map[int]int{1: 1, maxNames: maxNames, maxNames + 1: maxNames} {
		count := 0
		for space, id := range build(1, n).names() {
			if space != "s00" || id != element(count) {
				t.Fatalf("name %d is %s %s", count, space, id)
			}
			count++
		}
		if count != want {
			t.Errorf("%d names of %d, want %d", count, n, want)
		}
	}

	if err := fmt.Sprint(build(2, 1).ambiguous(&want1)); strings.Contains(err, "/s0") {
		t.Errorf("namespaces without the element are listed: %s", err)
	}
	for n, want := range map[int]int{2: 2, 8: 8, 9: 8} {
		err := fmt.Sprint(build(n, 2).ambiguous(&want1))
		if got := strings.Count(err, "/e1"); got != want+1 || strings.Contains(err, "/e0") {
			t.Errorf("of %d namespaces %d are listed, want %d: %s", n, got-1, want, err)
		}
	}
}

var want1 = want{pointer: "/credentialSubject/e1", id: "e1", anywhere: true}

// Up to 16 wanted elements are compared with each element; more are looked up.
func TestFewElementsAreCompared(t *testing.T) {
	for n, few := range map[int]bool{1: true, 16: true, 17: false} {
		if s := newSelection(make([]want, n)); (s.by == nil) != few {
			t.Errorf("%d elements: looked up %v", n, s.by != nil)
		}
	}
}

// The memory of a reader is kept up to 65,536 entries and 2 MiB of bytes, whatever they are of.
func TestMemoryOfReaders(t *testing.T) {
	const entries, size = 1 << 16, 1 << 21
	for name, r := range map[string]func(more int) *nativeReader{
		"digests": func(more int) *nativeReader { return &nativeReader{digests: make([]digest, entries+more)} },
		"spaces":  func(more int) *nativeReader { return &nativeReader{spaces: make([]space, entries+more)} },
		"picks":   func(more int) *nativeReader { return &nativeReader{picks: make([]pick, entries+more)} },
		"keys": func(more int) *nativeReader {
			r := new(nativeReader)
			r.scanner.keys = make([]uint32, entries+more)
			return r
		},
		"message": func(more int) *nativeReader { return &nativeReader{message: make([]byte, size+more)} },
		"texts": func(more int) *nativeReader {
			r := new(nativeReader)
			r.known.Reset(1000)
			r.message = make([]byte, size-r.known.Size()+more)
			return r
		},
		"set": func(more int) *nativeReader {
			r := new(nativeReader)
			r.scanner.set.Reset(1000)
			r.message = make([]byte, size-r.scanner.set.Size()+more)
			return r
		},
	} {
		if !r(0).ordinary() || cap(r(0).digests) == entries && r(1).ordinary() {
			t.Errorf("%s: at the bound %v, beyond it %v", name, r(0).ordinary(), r(1).ordinary())
		}
	}
	half := &nativeReader{digests: make([]digest, entries/2), spaces: make([]space, entries/4), picks: make([]pick, entries/4)}
	half.scanner.keys = make([]uint32, 64)
	if half.ordinary() {
		t.Error("entries of several kinds are not added up")
	}
}

// The items of the stock engine count 512 bytes each and what they hold.
func TestSizeOfStockElements(t *testing.T) {
	for less, want := range map[int64]bool{0: true, 1: false} {
		const size = 3 * (512 + len("a/0") + len("\x61x"))
		e := stockElements{memory: 4*int64(size) - less}
		err := e.add("a", []any{"x", "y", "z"}, false)
		if (err == nil) != want || e.size != size {
			t.Errorf("%d bytes less: size %d, %v, want %d", less, e.size, err, size)
		}
	}
}

// A date is in UTC and says so, also for a lenient verifier.
func TestDates(t *testing.T) {
	for text, c := range map[string]struct{ strict, lenient bool }{
		"2026-01-01T00:00:00Z": {true, true}, "2026-01-01T00:00:00.5Z": {false, true},
		"2026-01-01T00:00:00+00:00": {}, "2026-13-01T00:00:00Z": {}, "2026-01-01": {}, "": {},
	} {
		for _, lenient := range []bool{false, true} {
			want := c.strict || lenient && c.lenient
			if _, err := (&Verifier{Lenient: lenient}).date("signed", []byte(text)); (err == nil) != want {
				t.Errorf("%q, lenient %v: %v", text, lenient, err)
			}
		}
	}
}

// A conformance case is passed by its one document with each element that is expected, in its namespace.
func TestDisclosedOfCases(t *testing.T) {
	one := func(e ...Element) []Document { return []Document{{Elements: e}} }
	right := Element{NameSpace: "ns", Identifier: "a", Value: []byte("\x61x")}
	for name, c := range map[string]struct {
		docs []Document
		want bool
	}{
		"right": {one(right), true}, "none": {nil, false}, "two": {append(one(right), one(right)...), false},
		"no element": {one(), false}, "namespace": {one(Element{NameSpace: "other", Identifier: "a", Value: right.Value}), false},
		"name":        {one(Element{NameSpace: "ns", Identifier: "b", Value: right.Value}), false},
		"value":       {one(Element{NameSpace: "ns", Identifier: "a", Value: []byte("\x61y")}), false},
		"bytes":       {one(Element{NameSpace: "ns", Identifier: "a", Value: []byte("\x41x")}), false},
		"another too": {one(Element{NameSpace: "ns", Identifier: "b", Value: right.Value}, right), true},
	} {
		if err := discloses(c.docs, "ns", map[string]string{"a": "x"}); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if discloses(one(Element{NameSpace: "ns", Identifier: "a", Value: []byte("\x41x")}), "ns", map[string]string{"a": ""}) == nil {
		t.Error("bytes are an empty text")
	}
}

// A copy is altered in a presentation of one document, or of none and no binding.
func TestTamperedPresentations(t *testing.T) {
	const auth = "\xa1\x6aissuerAuth\x84\x40\xa0\x43abc\x43def"
	const device = "\x6cdeviceSigned\xa1\x6adeviceAuth\xa1\x6fdeviceSignature\x84\x40\xa0\xf6\x43ghi"
	response := func(documents string) string { return "\xa1\x69documents" + documents }
	for _, c := range []struct {
		cbor  string
		bound bool
		want  int // copies
	}{
		{auth, false, 2}, {response("\x81\xa1\x6cissuerSigned" + auth), false, 2},
		{response("\x81\xa2\x6cissuerSigned" + auth + device), true, 4},
		{auth, true, 0}, {response("\x80"), true, 0}, {response("\x82\xa0\xa0"), false, 0}, {"\xa0", false, 0},
		{response("\x81\xa1\x6cissuerSigned" + auth), true, 0},
	} {
		copies, err := tamper(&schemas.Credential{VCDM: []byte("{}")}, []byte(c.cbor), c.bound)
		if (err == nil) != (c.want > 0) || err == nil && len(copies) != c.want {
			t.Errorf("%q, bound %v: %d copies, %v, want %d", c.cbor, c.bound, len(copies), err, c.want)
		}
	}
}

// The size of a head is known before it is written.
func TestSizeOfHeads(t *testing.T) {
	for _, n := range []uint64{0, 23, 24, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, 1<<64 - 1} {
		if got := len(appendHead(nil, majorUint, n)); got != headSize(n) {
			t.Errorf("the head of %d is %d bytes, want %d", n, got, headSize(n))
		}
	}
}

// A document without certificates has no signers.
func TestSignersOfNone(t *testing.T) {
	if signers := signersOf([]byte("\xa1\x69documents\x81\xa1\x6cissuerSigned\xa1\x6aissuerAuth\x84\x40\xa0\x40\x40")); len(signers) > 0 {
		t.Errorf("signers %x", signers)
	}
}
