package mdoc_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

func refuses(t *testing.T, v mdoc.Verifier, b []byte, reason string) {
	t.Helper()
	if _, err := sameAnswer(t, v, b); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("%v, want a refusal with %q", err, reason)
	}
}

func accepts(t *testing.T, v mdoc.Verifier, b []byte) mdoc.Document {
	t.Helper()
	docs, err := sameAnswer(t, v, b)
	if err != nil {
		t.Fatal(err)
	}
	return docs[0]
}

// signerOf returns a key of the test with a certificate of a document signer, changed by change, and the certificate of its
// authority.
func signerOf(t *testing.T, authority pkix.Name, change func(leaf *x509.Certificate)) (draftKey, []byte) {
	t.Helper()
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key := claimstest.Key(t, keys.ES256)
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: authority, NotBefore: now.AddDate(-5, 0, 0), NotAfter: now.AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: authority, NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, UnknownExtKeyUsage: []asn1.ObjectIdentifier{signerUsage}}
	leaf.Subject.CommonName = "DS"
	change(leaf)
	der := make([][]byte, 2)
	for i, c := range []struct {
		of     *x509.Certificate
		public any
	}{{leaf, key.Public().Crypto()}, {root, rootKey.Public()}} {
		if der[i], err = x509.CreateCertificate(rand.Reader, c.of, root, c.public, rootKey); err != nil {
			t.Fatal(err)
		}
	}
	return draftKey{key, der[0]}, der[1]
}

// Finding L14: a document signer signs no certificates.
func TestSignerIsNoAuthority(t *testing.T) {
	for name, change := range map[string]func(*x509.Certificate){
		"authority":          func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = true, true },
		"signs certificates": func(c *x509.Certificate) { c.KeyUsage |= x509.KeyUsageCertSign },
		"both": func(c *x509.Certificate) {
			c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, c.KeyUsage|x509.KeyUsageCertSign
		},
	} {
		key, root := signerOf(t, pkix.Name{Country: []string{"UT"}, CommonName: "IACA"}, change)
		v := mdoc.Verifier{Roots: poolOf(t, root), Now: now}
		b := key.build(t, nil)
		refuses(t, v, b, "authority, which signs certificates")
		v.AnyUsage = true
		if d := accepts(t, v, b); d.Signer != "CN=DS,C=UT" {
			t.Errorf("%s: the signer is %q", name, d.Signer)
		}
	}
}

// Finding L14: the signer is of its authority's country, and issues in its own name.
func TestSignersCountry(t *testing.T) {
	countries := func(names ...string) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.Subject.Country = names }
	}
	element := func(t *testing.T, key draftKey, ns, name string, value any) []byte {
		it := testItem(t, 1, 16, name, value)
		return key.build(t, func(d *draft) {
			d.items, d.digests = []cbor.RawMessage{it}, map[any]any{1: sha(it)}
			d.nameSpace = ns
		})
	}
	utopia := pkix.Name{Country: []string{"UT"}, CommonName: "IACA"}
	for _, names := range [][]string{{"AT"}, nil, {"UT", "AT"}, {"ut"}} {
		key, root := signerOf(t, utopia, countries(names...))
		for _, any := range []bool{false, true} {
			refuses(t, mdoc.Verifier{Roots: poolOf(t, root), Now: now, AnyUsage: any}, key.build(t, nil), "country")
		}
	}

	const mdl = "org.iso.18013.5.1"
	key, root := signerOf(t, utopia, func(c *x509.Certificate) { c.Subject.Province = []string{"UT-A"} })
	v := mdoc.Verifier{Roots: poolOf(t, root), Now: now}
	accepts(t, v, element(t, key, mdl, "issuing_country", "UT"))
	accepts(t, v, element(t, key, mdl, "issuing_jurisdiction", "UT-A"))
	accepts(t, v, element(t, key, "another", "issuing_country", "AT"))
	for _, value := range []any{"AT", "ut", "", nil, []string{"UT"}, []byte("UT"), cbor.Tag{Number: 25, Content: "UT"}} {
		refuses(t, v, element(t, key, mdl, "issuing_country", value), "signer's certificate")
	}
	refuses(t, v, element(t, key, mdl, "issuing_jurisdiction", "UT-B"), "signer's certificate")
	accepts(t, mdoc.Verifier{Key: key.Public(), Now: now}, element(t, key, mdl, "issuing_country", "AT")) // certificates are not checked

	nobody, root := signerOf(t, pkix.Name{CommonName: "IACA"}, countries())
	v = mdoc.Verifier{Roots: poolOf(t, root), Now: now}
	accepts(t, v, nobody.build(t, nil))
	accepts(t, v, element(t, nobody, mdl, "issuing_jurisdiction", "UT-A"))
	refuses(t, v, element(t, nobody, mdl, "issuing_country", "UT"), "signer's certificate")
}

// Parts that no check has covered are listed.
func TestUnchecked(t *testing.T) {
	a := newAuthority(t)
	k := claimstest.Key(t, keys.ES256)
	key := draftKey{k, a.sign(t, k.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(2, 0, 0), x509.KeyUsageDigitalSignature, signerUsage)}
	v := a.verifier(t)
	plain := key.build(t, nil)
	if d := accepts(t, v, plain); !reflect.DeepEqual(d.Unchecked, []string{"/deviceKeyInfo"}) || d.Signer != "CN=DS" {
		t.Errorf("unchecked %v, signer %q", d.Unchecked, d.Signer)
	}
	for _, status := range []any{map[string]any{"status_list": map[string]any{"idx": 1, "uri": "https://x.example"}}, nil, 1} {
		b := key.build(t, func(d *draft) { d.mso["status"] = status })
		if d := accepts(t, v, b); !reflect.DeepEqual(d.Unchecked, []string{"/deviceKeyInfo", "/status"}) {
			t.Errorf("status %v: unchecked %v", status, d.Unchecked)
		}
	}
	transcript := encode(t, []any{nil, nil, "session"})
	bound, err := (&mdoc.Holder{Key: k}).Present(key.build(t, nil), []string{"/credentialSubject/e0"}, transcript)
	if err != nil {
		t.Fatal(err)
	}
	if d := accepts(t, v, bound); !reflect.DeepEqual(d.Unchecked, []string{"/deviceKeyInfo", "/deviceSigned"}) {
		t.Errorf("a device has signed: unchecked %v", d.Unchecked)
	}
	v.Device = &mdoc.DeviceAuth{Transcript: transcript}
	if d := accepts(t, v, bound); d.Unchecked != nil {
		t.Errorf("the device's signature is checked: unchecked %v", d.Unchecked)
	}
}

// Finding L6 in this format: without a session a device's signature binds to nothing.
func TestNoSessionIsNoBinding(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.ES256), []byte{1}}
	issued := key.build(t, nil)
	pointers := []string{"/credentialSubject/e0"}
	bound, err := (&mdoc.Holder{Key: key.Secret}).Present(issued, pointers, encode(t, []any{nil}))
	if err != nil {
		t.Fatal(err)
	}
	for _, transcript := range [][]byte{nil, {}, {0xf6}, {0x60}, {0xa0}} {
		refuses(t, mdoc.Verifier{Key: key.Public(), Now: now, Device: &mdoc.DeviceAuth{Transcript: transcript}}, bound, "SessionTranscript")
		for _, engine := range engines {
			if _, err := (&mdoc.Holder{Engine: engine, Key: key.Secret}).Present(issued, pointers, transcript); err == nil && transcript != nil {
				t.Errorf("%s: a device signs for the session %x", engine, transcript)
			}
		}
	}
}

// The zero value with a key checks the dates.
func TestDefaultsRefuse(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.EdDSA), []byte{1}}
	v := mdoc.Verifier{Key: key.Public()}
	dated := func(from, until time.Time) []byte {
		return key.build(t, func(d *draft) {
			text := func(at time.Time) cbor.Tag { return tdate(at.UTC().Format(time.RFC3339)) }
			d.validity = map[string]any{"signed": text(from), "validFrom": text(from), "validUntil": text(until)}
		})
	}
	at := time.Now()
	accepts(t, v, dated(at.Add(-time.Hour), at.Add(time.Hour)))
	refuses(t, v, dated(at.AddDate(-2, 0, 0), at.AddDate(-1, 0, 0)), "not valid after")
	refuses(t, v, dated(at.AddDate(1, 0, 0), at.AddDate(2, 0, 0)), "not valid before")
	for _, text := range []string{"2090-01-01T00:00:00", "2090-01-01", "2090-01-01T00:00:00+00:00", "2090-01-01T00:00:00z"} { // no tdate
		refuses(t, v, key.build(t, func(d *draft) { d.validity["validUntil"] = tdate(text) }), "validUntil")
	}
}

// An item whose members come in another order is read as any other: its random bytes are 16 at least, and its
// members have their types.
func TestItemsInAnyOrder(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.EdDSA), []byte{1}}
	type turned struct {
		Value      any `cbor:"elementValue"`
		Identifier any `cbor:"elementIdentifier"`
		Random     any `cbor:"random"`
		DigestID   any `cbor:"digestID"`
	}
	random := bytes.Repeat([]byte{9}, 16)
	for name, c := range map[string]struct {
		item   any
		reason string
	}{
		"usual":               {item{0, random, "e0", encode(t, 1)}, ""},
		"usual, 15 bytes":     {item{0, random[:15], "e0", encode(t, 1)}, "random has 15 bytes"},
		"another order":       {turned{1, "e0", random, 0}, ""},
		"15 bytes":            {turned{1, "e0", random[:15], 0}, "random has 15 bytes"},
		"text for bytes":      {item{0, string(random), []byte("e0"), encode(t, 1)}, "an item"},
		"text as random":      {item{0, string(random), "e0", encode(t, 1)}, "an item"},
		"bytes as identifier": {item{0, random, []byte("e0"), encode(t, 1)}, "an item"},
		"negative id":         {item{-1, random, "e0", encode(t, 1)}, "an item"},
	} {
		b := key.build(t, func(d *draft) {
			d.items = []cbor.RawMessage{encode(t, cbor.Tag{Number: 24, Content: encode(t, c.item)})}
			d.digests = map[any]any{0: sha(d.items[0])}
		})
		_, err := sameAnswer(t, mdoc.Verifier{Key: key.Public(), Now: now}, b)
		if !says(err, c.reason) {
			t.Errorf("%s: %v, want %q", name, err, c.reason)
		}
	}
}

// A chain of one certificate is a byte string, a longer one an array (RFC 9360 section 2).
func TestChainHasItsForm(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, engine := range engines {
		for n, want := range map[int]string{1: "\xa1\x18\x21\x41\x01", 2: "\xa1\x18\x21\x82\x41\x01\x41\x01"} {
			i := mdoc.Issuer{Engine: engine, Key: key, Device: key.Public(), Chain: slices.Repeat([][]byte{{1}}, n)}
			b, err := i.Issue([]byte(`{"nbf":1767225600,"exp":1893456000,"vct":"v","credentialSubject":{"a":0}}`))
			if err != nil || !bytes.Contains(b, []byte(want)) {
				t.Errorf("%s: %d certificates: %v, %x", engine, n, err, b)
			}
		}
	}
}

// The leeway extends the period of validity at both ends, to the second.
func TestLeeway(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.EdDSA), []byte{1}}
	b := key.build(t, nil)
	from, until := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, leeway := range []time.Duration{0, time.Hour} {
		for at, reason := range map[time.Time]string{from.Add(-leeway): "", until.Add(leeway): "",
			from.Add(-leeway - time.Second): "not valid before", until.Add(leeway + time.Second): "not valid after"} {
			_, err := sameAnswer(t, mdoc.Verifier{Key: key.Public(), Now: at, Leeway: leeway}, b)
			if !says(err, reason) {
				t.Errorf("leeway %s at %s: %v", leeway, at, err)
			}
		}
	}
}

// A fault of CBOR has its place and its reason; tags of dates and bignums have the content of RFC 8949 section 3.4.
func TestFaultsOfCBOR(t *testing.T) {
	for in, want := range map[string]string{
		"\x00\x00\x00":             "2 bytes after the data item",
		"\xa3\x00\x00\x00\x00\x00": "a map of 3 pairs, 5 bytes are left",
		"\xc1\x00":                 "", "\xc1\x20": "", "\xc1\xf9\x00\x00": "", "\xc1\xfa\x00\x00\x00\x00": "", "\xc1\xfb\x00\x00\x00\x00\x00\x00\x00\x00": "",
		"\xc1\xf8\xff": "tag 1 has the wrong type", "\xc1\xf6": "tag 1 has the wrong type", "\xc1\x60": "tag 1 has the wrong type",
		"\xc0\x60": "", "\xc0\x40": "tag 0 has the wrong type", "\xc2\x40": "", "\xc3\x40": "", "\xc3\x60": "tag 3 has the wrong type",
	} {
		_, err := new(mdoc.Notations).Of([]byte(in))
		if !says(err, want) {
			t.Errorf("%x: %v, want %q", in, err, want)
		}
	}
	var syntax *canon.SyntaxError
	_, err := new(mdoc.Notations).Of([]byte("\x82\x00\xff"))
	if !errors.As(err, &syntax) || syntax.Offset != 2 || syntax.Column != 3 || syntax.Line != 1 {
		t.Errorf("%+v, want byte 2, the third", syntax)
	}
}
