package mdoc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

// signed makes IssuerSigned bytes around parts that may be anything, with a signature that holds.
func signed(t testing.TB, key *keys.Secret, nameSpaces, protected, unprotected, payload []byte) []byte {
	t.Helper()
	message := encode(t, []any{"Signature1", protected, []byte{}, payload})
	sig, err := key.Sign(message)
	if err != nil {
		t.Fatal(err)
	}
	out := append([]byte{0xa2}, encode(t, "nameSpaces")...)
	out = append(append(out, nameSpaces...), encode(t, "issuerAuth")...)
	out = append(append(out, 0x84), encode(t, protected)...)
	out = append(append(out, unprotected...), encode(t, payload)...)
	return append(out, encode(t, sig)...)
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t testing.TB, b []byte, v any) {
	t.Helper()
	if err := cbor.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

type issuerSigned struct {
	NameSpaces map[string][]cbor.RawMessage `cbor:"nameSpaces"`
	IssuerAuth cbor.RawMessage              `cbor:"issuerAuth"`
}

// sameAnswer verifies with both engines and fails if they differ in any way.
func sameAnswer(t testing.TB, v mdoc.Verifier, b []byte) ([]mdoc.Document, error) {
	t.Helper()
	v.Engine = canon.Stock
	x, errX := v.Verify(b)
	v.Engine = canon.Native
	y, errY := v.Verify(b)
	if (errX == nil) != (errY == nil) {
		t.Fatalf("stock says %v\nnative says %v\nfor %x", errX, errY, b)
	}
	if errX != nil {
		return nil, errY
	}
	if a, b := show(x), show(y); a != b {
		t.Fatalf("stock gets %s\nnative gets %s", a, b)
	}
	return y, nil
}

// show writes documents with their elements in one order: stock has no order of namespaces.
func show(docs []mdoc.Document) string {
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "%s %s %s %s %x %s %s:", d.DocType, d.Signed, d.ValidFrom, d.ValidUntil, d.DeviceKey, d.Signer, d.Unchecked)
		byName := map[string]string{}
		for _, e := range d.Elements {
			byName[e.NameSpace] += fmt.Sprintf(" %q %x", e.Identifier, e.Value)
		}
		fmt.Fprintln(&b, byName)
	}
	return b.String()
}

// samePresentation presents with both engines.
func samePresentation(t testing.TB, issued []byte, pointers ...string) []byte {
	t.Helper()
	x, errX := (&mdoc.Holder{Engine: canon.Stock}).Present(issued, pointers, nil)
	y, errY := (&mdoc.Holder{Engine: canon.Native}).Present(issued, pointers, nil)
	if (errX == nil) != (errY == nil) {
		t.Fatalf("presenting %q: stock says %v, native says %v", pointers, errX, errY)
	}
	if errX == nil && len(x) != len(y) { // namespaces may come in another order
		t.Fatalf("presenting %q: stock %x\nnative %x", pointers, x, y)
	}
	return y
}

type item struct {
	DigestID   any             `cbor:"digestID"`
	Random     any             `cbor:"random"`
	Identifier any             `cbor:"elementIdentifier"`
	Value      cbor.RawMessage `cbor:"elementValue"`
}

// parts are those of a valid mdoc with two namespaces.
func parts(t testing.TB, key *keys.Secret) (nameSpaces, protected, unprotected, payload []byte) {
	t.Helper()
	spaces, digests := map[string][]cbor.RawMessage{}, map[string]map[int][]byte{}
	for n, ns := range []string{"ns", "ns.two"} {
		digests[ns] = map[int][]byte{}
		for i := range 2 + n {
			b := encode(t, cbor.Tag{Number: 24, Content: encode(t, item{i, bytes.Repeat([]byte{byte(i)}, 16), fmt.Sprintf("e%d", i), encode(t, []any{i, "x"})})})
			sum := sha256.Sum256(b)
			spaces[ns] = append(spaces[ns], b)
			digests[ns][i] = sum[:]
		}
	}
	date := func(s string) cbor.Tag { return cbor.Tag{Number: 0, Content: s} }
	mso := encode(t, map[string]any{"version": "1.0", "digestAlgorithm": "SHA-256", "valueDigests": digests, "docType": "d",
		"deviceKeyInfo": map[string]any{"deviceKey": cbor.RawMessage(key.Public().COSE())},
		"validityInfo":  map[string]any{"signed": date("2026-01-01T00:00:00Z"), "validFrom": date("2026-01-01T00:00:00Z"), "validUntil": date("2027-01-01T00:00:00Z")}})
	return encode(t, spaces), []byte{0xa1, 1, 0x27}, []byte{0xa1, 0x18, 33, 0x41, 0}, encode(t, cbor.Tag{Number: 24, Content: mso})
}

func TestPartsVerify(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	ns, protected, unprotected, payload := parts(t, key)
	issued := signed(t, key, ns, protected, unprotected, payload)
	docs, err := sameAnswer(t, mdoc.Verifier{Key: key.Public(), Now: now}, issued)
	if err != nil || len(docs) != 1 || len(docs[0].Elements) != 5 {
		t.Fatal(docs, err)
	}
	for _, p := range [][]string{{"/credentialSubject"}, {"/credentialSubject/e0"}, {"/credentialSubject/e2"}, {"/credentialSubject/e9"}, {"/other"}, {}} {
		if out := samePresentation(t, issued, p...); out != nil {
			if _, err := sameAnswer(t, mdoc.Verifier{Key: key.Public(), Now: now}, out); err != nil {
				t.Errorf("%q: %v", p, err)
			}
		}
	}
}

// FuzzVerify signs what it is given, so that mutations reach behind the signature: both engines must agree, and neither
// may panic.
func FuzzVerify(f *testing.F) {
	key := claimstest.Key(f, keys.EdDSA)
	ns, protected, unprotected, payload := parts(f, key)
	f.Add(ns, protected, unprotected, payload)
	f.Add([]byte{0xa0}, []byte{0xa2, 1, 0x27, 4, 0x41, 1}, []byte{0xa1, 0x18, 33, 0x82, 0x41, 0, 0x41, 0}, payload)
	f.Add([]byte{0xa0}, []byte{0xa2, 1, 0x27, 0x41, 0x41, 0x0f}, unprotected, payload)                        // a label that is a byte string
	f.Add([]byte{0xa0}, []byte("\xa2\x01\x27\x3b\xff\xff\xff\xff\xff\xff\xff\xff\x00"), unprotected, payload) // a label below 64 bits
	f.Fuzz(func(t *testing.T, ns, protected, unprotected, payload []byte) {
		b := signed(t, key, ns, protected, unprotected, payload)
		for _, lenient := range []bool{false, true} {
			sameAnswer(t, mdoc.Verifier{Key: key.Public(), Now: now, Lenient: lenient}, b)
		}
		samePresentation(t, b, "/credentialSubject/e1")
		samePresentation(t, b, "/ns/e1")
	})
}

var session = []byte{0x83, 0xf6, 0xf6, 0xf6}

// TestResponsesAgree binds with each engine: the bytes are the same, and both give one answer to every altered copy.
func TestResponsesAgree(t *testing.T) {
	for _, algorithm := range keys.Algorithms {
		issuer, device := claimstest.Key(t, keys.EdDSA), claimstest.Key(t, algorithm)
		issued, err := (&mdoc.Issuer{Key: issuer, Chain: [][]byte{{1}}, Device: device.Public()}).Issue(
			[]byte(`{"nbf":1767225600,"exp":1893456000,"vct":"urn:x","credentialSubject":{"a":1,"b":"c"}}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, transcript := range [][]byte{session, encode(t, cbor.Tag{Number: 24, Content: session})} {
			var out [2][]byte
			for i, engine := range engines {
				if out[i], err = (&mdoc.Holder{Engine: engine, Key: device}).Present(issued, []string{"/credentialSubject/a"}, transcript); err != nil {
					t.Fatal(engine, err)
				}
			}
			v := mdoc.Verifier{Key: issuer.Public(), Leaf: []byte{1}, Now: now, Device: &mdoc.DeviceAuth{Transcript: session}}
			if algorithm == keys.EdDSA && !bytes.Equal(out[0], out[1]) {
				t.Errorf("%s writes %x\n%s writes %x", engines[0], out[0], engines[1], out[1])
			}
			for _, b := range out {
				if _, err := sameAnswer(t, v, b); err != nil {
					t.Error(err)
				}
			}
			for i := range out[0] {
				for _, bit := range []byte{1, 0x20, 0x80} {
					b := bytes.Clone(out[0])
					b[i] ^= bit
					if _, err := sameAnswer(t, v, b); err == nil {
						t.Errorf("byte %d altered and accepted", i)
					}
				}
			}
		}
		for _, engine := range engines {
			h := mdoc.Holder{Engine: engine, Key: device}
			if _, err := h.Present(issued, []string{"/credentialSubject/a"}, []byte{0x83, 0xf6}); err == nil || !strings.Contains(err.Error(), "SessionTranscript") {
				t.Errorf("%s with half a transcript: %v", engine, err)
			}
		}
	}
}

// FuzzMdoc mutates whole mdocs.
func FuzzMdoc(f *testing.F) {
	key := claimstest.Key(f, keys.EdDSA)
	ns, protected, unprotected, payload := parts(f, key)
	issued := signed(f, key, ns, protected, unprotected, payload)
	f.Add(issued)
	bound, err := (&mdoc.Holder{Key: key}).Present(issued, []string{"/ns/e0"}, session)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bound)
	f.Fuzz(func(t *testing.T, b []byte) {
		sameAnswer(t, mdoc.Verifier{Key: key.Public(), Now: now}, b)
		sameAnswer(t, mdoc.Verifier{Key: key.Public(), Now: now, Device: &mdoc.DeviceAuth{Transcript: session}}, b)
		samePresentation(t, b, "/credentialSubject/e1")
	})
}

// TestIssuersAgree issues with each engine and verifies with both.
func TestIssuersAgree(t *testing.T) {
	claims := []byte(`{"iss":"https://issuer.example","nbf":1767225600,"exp":1893456000,"vct":"urn:x","credentialSubject":
		{"a":"é😀\u0000","b":[1,-1,23,24,-24,-25,255,256,65535,65536,4294967296,-4294967297,9223372036854775807,18446744073709551615,-9223372036854775808],
		"c":{"d":{"~/":true},"e":[],"f":{}},"g":[1.5,1e300,-0.0,null,false],"":"empty"}}`)
	for _, digest := range []string{"", "SHA-384", "SHA-512"} {
		for _, algorithm := range keys.Algorithms {
			key := claimstest.Key(t, algorithm)
			var sets []string
			for _, engine := range engines {
				c := &compare.Counters{}
				i := mdoc.Issuer{Engine: engine, Key: key, Chain: [][]byte{{1}, {2}}, Device: key.Public(), Digest: digest, Counters: c}
				issued, err := i.Issue(claims)
				if err != nil {
					t.Fatal(engine, err)
				}
				docs, err := sameAnswer(t, mdoc.Verifier{Key: key.Public(), Leaf: []byte{1}, Now: now}, issued)
				if err != nil {
					t.Fatal(engine, err)
				}
				if n := len(docs[0].Elements); n != 25 || c.Salts != n || c.Digests != n {
					t.Errorf("%s: %d elements, counters %+v", engine, n, *c)
				}
				set := map[string]string{}
				for _, e := range docs[0].Elements {
					if set[e.Identifier], err = cbor.Diagnose(e.Value); err != nil {
						t.Error(err)
					}
				}
				sets = append(sets, fmt.Sprint(set))
				samePresentation(t, issued, "/credentialSubject/c", "/credentialSubject/b/3", "/credentialSubject/")
			}
			if sets[0] != sets[1] {
				t.Errorf("stock issues %s\nnative issues %s", sets[0], sets[1])
			}
		}
	}
}

func TestIssuerRefuses(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, engine := range engines {
		i := mdoc.Issuer{Engine: engine, Key: key, Chain: [][]byte{{1}}, Device: key.Public()}
		for _, claims := range []string{
			`{"nbf":1,"exp":2,"vct":"x"}`, `{"nbf":1,"exp":2,"credentialSubject":{}}`, `{"nbf":1,"exp":2,"vct":1,"credentialSubject":{}}`,
			`{"nbf":"1","exp":2,"vct":"x","credentialSubject":{}}`, `{"nbf":1.5,"exp":2,"vct":"x","credentialSubject":{}}`,
			`{"nbf":1,"exp":2,"vct":"x","credentialSubject":{"a":1,"a":2}}`, `[]`, `{`,
			`{"exp":2,"vct":"x","credentialSubject":{}}`, `{"nbf":1,"vct":"x","credentialSubject":{}}`, `{"nbf":1,"exp":null,"vct":"x","credentialSubject":{}}`,
			`{"nbf":1,"exp":2,"vct":"x","credentialSubject":{},"status":{}}`, `{"nbf":1,"exp":2,"EXP":9,"vct":"x","credentialSubject":{}}`,
			`{"nbf":1,"exp":2,"vct":"x","credentialSubject":{"a":18446744073709551616}}`,
			`{"nbf":1,"exp":2,"vct":"x","credentialSubject":{"a":1e999}}`,
		} {
			if _, err := i.Issue([]byte(claims)); err == nil {
				t.Errorf("%s issues %s", engine, claims)
			}
		}
		i.Digest = "SHA-1"
		if _, err := i.Issue([]byte(`{"nbf":1,"exp":2,"vct":"x","credentialSubject":{}}`)); err == nil {
			t.Errorf("%s digests with SHA-1", engine)
		}
	}
}

// TestMalformedCBOR feeds what RFC 8949 and the limits of the scan refuse, each as the whole and inside a valid mdoc.
func TestMalformedCBOR(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	ns, protected, unprotected, payload := parts(t, key)
	v := mdoc.Verifier{Key: key.Public(), Now: now}
	for name, text := range map[string]string{
		"cut head": "19", "cut string": "5a00ffffff", "huge string": "5b7fffffffffffffff", "huge array": "9b7fffffffffffffff", "huge map": "bb7fffffffffffffff",
		"length past the end": "5bffffffffffffffff", "indefinite bytes": "5f4101ff", "indefinite array": "9f01ff", "indefinite map": "bf0101ff",
		"break": "ff", "reserved 28": "1c", "long integer": "1800", "long negative": "390001", "text not UTF-8": "61ff",
		"repeated key": "a201010102", "repeated text key of two spellings": "a2616101780161" + "01", "array as key": "a1800" + "1", "short simple": "f814",
		"string one byte too long": "4200", "text one byte too long": "6261", "array one element too long": "8200", "map one pair too long": "a20000",
		"largest key repeated": "a21bffffffffffffffff001bffffffffffffffff00", "simple value 31 in two bytes": "f81f",
		"date that is a number": "c001", "bignum that is text": "c26161", "tag without content": "d818",
	} {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, in := range [][]byte{b, signed(t, key, ns, protected, append([]byte{0xa1, 0x18, 99}, b...), payload)} {
			_, err = sameAnswer(t, v, in)
			var syntax *canon.SyntaxError
			if !errors.As(err, &syntax) || syntax.Format != "CBOR" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	good := signed(t, key, ns, protected, unprotected, payload)
	if _, err := sameAnswer(t, v, append(bytes.Clone(good), 0)); err == nil {
		t.Error("a byte after the end")
	}
	for _, n := range []int{300, 512, 100000} {
		for _, level := range []byte{0x81, 0xc6} { // arrays and tags
			deep := append(bytes.Repeat([]byte{level}, n), 0)
			_, err := sameAnswer(t, v, signed(t, key, ns, protected, append([]byte{0xa1, 0x18, 99}, deep...), payload))
			var limit *canon.LimitError
			if want := n > 500; errors.As(err, &limit) != want || want && (limit.Limit != "depth" || limit.Done != limit.Max+1) {
				t.Errorf("%d levels of %x: %v", n, level, err)
			}
		}
	}
	if _, err := sameAnswer(t, v, signed(t, key, ns, protected, []byte{0xa1, 0x18, 99, 0xf8, 32}, payload)); err != nil {
		t.Errorf("simple value 32 in two bytes: %v", err)
	}
	for in, want := range map[string]string{"\x9f\x01\xff": "indefinite", "\x1c": "reserved", "\x42\x00": "2 bytes, 1 are left", "\x82\x00": "2 elements, 1 bytes are left"} {
		if _, err := new(mdoc.Notations).Of([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %v, want %q", in, err, want)
		}
	}
	v.Limits.Bytes = len(good) - 1
	_, err := sameAnswer(t, v, good)
	var limit *canon.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("bytes: %v", err)
	}
}

// TestManyKeys puts repeated keys into large maps, whose keys are not compared one by one.
func TestManyKeys(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	ns, protected, _, payload := parts(t, key)
	build := func(n, repeat int) []byte {
		b := []byte{0xa1, 0x18, 99, 0xb9, byte(n >> 8), byte(n)}
		for i := range n {
			k := i
			if i == n-1 && repeat >= 0 {
				k = repeat
			}
			b = append(append(b, encode(t, fmt.Sprint(k))...), 0)
		}
		return signed(t, key, ns, protected, b, payload)
	}
	v := mdoc.Verifier{Key: key.Public(), Now: now}
	for _, n := range []int{2, 24, 25, 1000} {
		if _, err := sameAnswer(t, v, build(n, -1)); err != nil {
			t.Error(n, err)
		}
		if _, err := sameAnswer(t, v, build(n, 0)); err == nil {
			t.Errorf("%d keys, the last is the first again", n)
		}
	}
}

// A COSE_Sign1 has four elements of certain types (RFC 9052 section 4.2), an MSO its members: both engines refuse
// others with the same words.
func TestShapesOfSignaturesAndMSOs(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := mdoc.Verifier{Key: key.Public(), Now: now}
	refused := func(name string, b []byte, why string) {
		t.Helper()
		for _, v.Engine = range engines {
			if _, err := v.Verify(b); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s, %s: %v, want %s", name, v.Engine, err, why)
			}
		}
	}

	signer := draftKey{key, []byte{1}}
	var good map[string]cbor.RawMessage
	decode(t, signer.build(t, nil), &good)
	var auth []any
	decode(t, good["issuerAuth"], &auth)
	with := func(auth any) []byte {
		return encode(t, map[string]any{"nameSpaces": good["nameSpaces"], "issuerAuth": auth})
	}
	if _, err := sameAnswer(t, v, with(auth)); err != nil {
		t.Fatal(err)
	}
	const array, element = "is not an array of 4 elements", "an element has the wrong type for a COSE_Sign1"
	refused("three elements", with(auth[:3]), array)
	refused("five elements", with(append(slices.Clone(auth), 0)), array)
	refused("a map of four", with(map[int]any{0: auth[0], 1: auth[1], 2: auth[2], 3: auth[3]}), array)
	refused("a text", with("text"), array)
	refused("an empty header", with([]any{[]byte{}, auth[1], auth[2], auth[3]}), "alg")
	refused("a header that is an array", with([]any{[]byte{0x80}, auth[1], auth[2], auth[3]}),
		"the protected header is not a map")
	for i := range auth {
		other := slices.Clone(auth)
		other[i] = "text"
		refused(fmt.Sprintf("element %d", i), with(other), element)
		other[i] = []any{}
		refused(fmt.Sprintf("element %d", i), with(other), element)
	}

	for _, name := range []string{"version", "digestAlgorithm", "docType", "deviceKeyInfo", "validityInfo", "valueDigests"} {
		for _, other := range []any{[]any{}, 1, nil, []byte("x")} {
			refused(fmt.Sprintf("%s %v", name, other), signer.build(t, func(d *draft) { d.mso[name] = other }),
				"MSO")
		}
	}

	// Another map beside the key of the device is not the key.
	for _, info := range []string{"\xa2\x61a\xa0\x69deviceKey", "\xa2\x69deviceKey"} {
		b := append([]byte(info), key.Public().COSE()...)
		if !strings.Contains(info, "\x61a") {
			b = append(b, "\x61a\xa0"...)
		}
		docs, err := sameAnswer(t, v, signer.build(t, func(d *draft) { d.mso["deviceKeyInfo"] = cbor.RawMessage(b) }))
		if err != nil || !bytes.Equal(docs[0].DeviceKey, key.Public().COSE()) {
			t.Errorf("%q: %v", info, err)
		}
	}
}

// What an engine returns has the size that it needs from the start: nothing is copied to make room.
func TestSizeIsKnown(t *testing.T) {
	key := claimstest.Key(t, keys.ES384)
	i := mdoc.Issuer{Key: key, Chain: [][]byte{make([]byte, 500)}, Device: key.Public()}
	issued, err := i.Issue([]byte(`{"nbf":1767225600,"exp":1893456000,"vct":"` + strings.Repeat("v", 500) +
		`","credentialSubject":{"a":"` + strings.Repeat("x", 500) + `","b":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	h := mdoc.Holder{Key: key}
	presented, err := h.Present(issued, []string{"/credentialSubject/a"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := h.Present(issued, []string{"/credentialSubject/a"}, []byte{0x83, 0xf6, 0xf6, 0xf6})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"issued": issued, "presented": presented, "bound": bound} {
		if room := cap(b) - len(b); room > 160 {
			t.Errorf("%s: %d bytes, and room for %d more", name, len(b), room)
		}
	}
}

// An issuer that lacks anything says what an issuer needs.
func TestHalfAnIssuer(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for name, i := range map[string]*mdoc.Issuer{
		"nil": nil, "no key": {Chain: [][]byte{{1}}, Device: key.Public()},
		"no chain": {Key: key, Device: key.Public()}, "no device": {Key: key, Chain: [][]byte{{1}}},
	} {
		if _, err := i.Issue([]byte("{}")); err == nil || !strings.Contains(err.Error(), "an issuer needs a key") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
