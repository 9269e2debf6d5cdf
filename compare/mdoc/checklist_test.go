package mdoc_test

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon/conform/official"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

// draft is an mdoc in the making: a test changes what it wants to be wrong.
type draft struct {
	nameSpace   string            // of all items; "" is ns
	items       []cbor.RawMessage // as they go out, after the digests are taken
	mso         map[string]any
	digests     map[any]any // of namespace ns
	validity    map[string]any
	untagged    bool // the MSO is a bare map
	protected   []byte
	unprotected map[any]any
	tag18       bool
	signature   func([]byte) []byte
}

// testItem returns 24(bstr IssuerSignedItem).
func testItem(t testing.TB, id any, random int, name any, value any) cbor.RawMessage {
	t.Helper()
	return encode(t, cbor.Tag{Number: 24, Content: encode(t, item{id, bytes.Repeat([]byte{9}, random), name, encode(t, value)})})
}

func sha(b []byte) []byte {
	s := sha256.Sum256(b)
	return s[:]
}

func tdate(s string) cbor.Tag { return cbor.Tag{Number: 0, Content: s} }

// build returns IssuerSigned bytes of two elements e0 and e1 in namespace ns, changed by change.
func (key draftKey) build(t testing.TB, change func(*draft)) []byte {
	t.Helper()
	d := &draft{items: []cbor.RawMessage{testItem(t, 0, 16, "e0", "v0"), testItem(t, 1, 32, "e1", "v1")}}
	d.digests = map[any]any{0: sha(d.items[0]), 1: sha(d.items[1]), 2: sha([]byte("undisclosed"))}
	d.validity = map[string]any{"signed": tdate("2026-01-01T00:00:00Z"), "validFrom": tdate("2026-01-01T00:00:00Z"), "validUntil": tdate("2027-01-01T00:00:00Z")}
	d.mso = map[string]any{"version": "1.0", "digestAlgorithm": "SHA-256", "docType": "d",
		"deviceKeyInfo": map[string]any{"deviceKey": cbor.RawMessage(key.Public().COSE())}}
	d.protected = encode(t, map[int]int64{1: map[keys.Algorithm]int64{keys.EdDSA: -8, keys.ES256: -7, keys.ES384: -35}[key.Algorithm()]})
	d.unprotected = map[any]any{33: key.certificate}
	if change != nil {
		change(d)
	}
	set := func(name string, value any) {
		if _, ok := d.mso[name]; !ok {
			d.mso[name] = value
		}
	}
	ns := cmp.Or(d.nameSpace, "ns")
	set("valueDigests", map[string]any{ns: d.digests})
	set("validityInfo", d.validity)
	mso := encode(t, d.mso)
	payload := encode(t, cbor.Tag{Number: 24, Content: mso})
	if d.untagged {
		payload = mso
	}
	sig, err := key.Sign(encode(t, []any{"Signature1", d.protected, []byte{}, payload}))
	if err != nil {
		t.Fatal(err)
	}
	if d.signature != nil {
		sig = d.signature(sig)
	}
	var auth any = []any{d.protected, d.unprotected, payload, sig}
	if d.tag18 {
		auth = cbor.Tag{Number: 18, Content: auth}
	}
	return encode(t, map[string]any{"nameSpaces": map[string]any{ns: d.items}, "issuerAuth": auth})
}

type draftKey struct {
	*keys.Secret
	certificate []byte
}

// authority makes trust anchors and document signers.
type authority struct {
	root *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "IACA"}, NotBefore: now.AddDate(-5, 0, 0),
		NotAfter: now.AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	root, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{root, key}
}

// signerUsage is the extended key usage of document signers.
var signerUsage = asn1.ObjectIdentifier{1, 0, 18013, 5, 1, 2}

func (a authority) sign(t testing.TB, public crypto.PublicKey, from, to time.Time, usage x509.KeyUsage, extended ...asn1.ObjectIdentifier) []byte {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "DS"}, NotBefore: from, NotAfter: to, KeyUsage: usage,
		UnknownExtKeyUsage: extended}
	der, err := x509.CreateCertificate(rand.Reader, template, a.root, public, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func (a authority) verifier(t testing.TB) mdoc.Verifier {
	return mdoc.Verifier{Roots: poolOf(t, a.root.Raw), Now: now}
}

// TestChecklist has one test for each line of testdata/requirements.tsv: D is issuer data, E device
// authentication. Every mdoc goes to both engines.
func TestChecklist(t *testing.T) {
	a := newAuthority(t)
	signer := func(algorithm keys.Algorithm) draftKey {
		k := claimstest.Key(t, algorithm)
		return draftKey{k, a.sign(t, k.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(2, 0, 0), x509.KeyUsageDigitalSignature, signerUsage)}
	}
	key := signer(keys.ES256)
	v := a.verifier(t)
	accept := func(t *testing.T, v mdoc.Verifier, b []byte) []mdoc.Document {
		t.Helper()
		docs, err := sameAnswer(t, v, b)
		if err != nil {
			t.Error(err)
		}
		return docs
	}
	refuse := func(t *testing.T, v mdoc.Verifier, b []byte, reason string) {
		t.Helper()
		if _, err := sameAnswer(t, v, b); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v, want a refusal with %q", err, reason)
		}
	}
	response := func(t *testing.T, docType string, issuerSigned []byte) []byte {
		return encode(t, map[string]any{"version": "1.0", "status": 0, "documents": []any{map[string]any{"docType": docType, "issuerSigned": cbor.RawMessage(issuerSigned)}}})
	}

	rows := []struct {
		requirement string
		test        func(t *testing.T)
	}{
		{"D1 alg is in the protected header and fits the key", func(t *testing.T) {
			for _, alg := range keys.Algorithms {
				accept(t, v, signer(alg).build(t, nil))
			}
			refuse(t, v, key.build(t, func(d *draft) { d.protected = []byte{0xa0}; d.unprotected[1] = -7 }), "no alg")
			refuse(t, v, key.build(t, func(d *draft) { d.protected = []byte{} }), "no alg")
			refuse(t, v, key.build(t, func(d *draft) { d.protected = encode(t, map[int]int{1: -8}) }), "alg is -8")
			refuse(t, v, key.build(t, func(d *draft) { d.protected = encode(t, map[int]string{1: "ES256"}) }), "no alg")
			refuse(t, v, key.build(t, func(d *draft) { d.protected = encode(t, map[int]any{1: -7, 2: []int{9}}) }), "crit")
		}},
		{"D2 the signature is over the protected header and the payload, and not DER", func(t *testing.T) {
			refuse(t, v, key.build(t, func(d *draft) { d.signature = func(s []byte) []byte { s[9] ^= 1; return s } }), "signature")
			refuse(t, v, key.build(t, func(d *draft) {
				d.signature = func(s []byte) []byte {
					der, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(s[:32]), new(big.Int).SetBytes(s[32:])})
					if err != nil {
						t.Fatal(err)
					}
					return der
				}
			}), "signature")
			refuse(t, mdoc.Verifier{Key: claimstest.Key(t, keys.EdDSA).Public(), Now: now}, key.build(t, nil), "alg")
			other, err := keys.Generate(keys.ES256)
			if err != nil {
				t.Fatal(err)
			}
			refuse(t, mdoc.Verifier{Key: other.Public(), Now: now}, key.build(t, nil), "signature")
		}},
		{"D3 the chain leads from a document signer to a trust anchor", func(t *testing.T) {
			refuse(t, v, key.build(t, func(d *draft) { delete(d.unprotected, 33) }), "x5chain")
			refuse(t, newAuthority(t).verifier(t), key.build(t, nil), "unknown authority")
			accept(t, v, key.build(t, func(d *draft) { d.unprotected[33] = [][]byte{key.certificate, a.root.Raw} }))
			accept(t, v, key.build(t, func(d *draft) { d.unprotected[33] = [][]byte{key.certificate} }))
			refuse(t, v, key.build(t, func(d *draft) { d.unprotected[33] = [][]byte{a.root.Raw, key.certificate} }), "")
			for _, bad := range []any{"text", [][]byte{}, []string{"x"}, 1} {
				refuse(t, v, key.build(t, func(d *draft) { d.unprotected[33] = bad }), "x5chain")
			}
			refuse(t, v, key.build(t, func(d *draft) { d.unprotected[33] = []byte("no certificate") }), "x5chain")
			refuse(t, v, key.build(t, func(d *draft) {
				d.unprotected[33] = a.sign(t, key.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), x509.KeyUsageKeyEncipherment, signerUsage)
			}), "not for signatures")
			anyUsage := v
			anyUsage.AnyUsage = true
			for _, usage := range [][]asn1.ObjectIdentifier{nil, {{1, 0, 18013, 5, 1, 3}}, {{1, 0, 18013, 5, 1}}, {{2, 5, 29, 37, 0}}} { // mdlJWS, a prefix, any
				b := key.build(t, func(d *draft) {
					d.unprotected[33] = a.sign(t, key.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), x509.KeyUsageDigitalSignature, usage...)
				})
				refuse(t, v, b, "lacks the extended key usage")
				accept(t, anyUsage, b)
			}
			accept(t, v, key.build(t, func(d *draft) {
				d.unprotected[33] = a.sign(t, key.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), x509.KeyUsageDigitalSignature,
					asn1.ObjectIdentifier{1, 0, 18013, 5, 1, 3}, signerUsage)
			}))
			other := newAuthority(t).verifier(t)
			other.AnyUsage = true
			refuse(t, other, key.build(t, nil), "unknown authority")
			if _, err := (&mdoc.Verifier{Now: now}).Verify(key.build(t, nil)); err == nil {
				t.Error("neither key nor roots")
			}
		}},
		{"D4 the payload is a tagged byte string", func(t *testing.T) {
			refuse(t, v, key.build(t, func(d *draft) { d.untagged = true }), "tag 24")
		}},
		{"D5 a digest is over the bytes of an item as they came", func(t *testing.T) {
			reordered := encode(t, cbor.Tag{Number: 24, Content: append(append([]byte{0xa4}, encode(t, "elementValue")...), bytes.Join([][]byte{encode(t, "x"),
				encode(t, "random"), encode(t, make([]byte, 16)), encode(t, "digestID"), {1}, encode(t, "elementIdentifier"), encode(t, "e1")}, nil)...)})
			accept(t, v, key.build(t, func(d *draft) { d.items[1] = reordered; d.digests[1] = sha(reordered) }))
			var tag cbor.RawTag
			var inner []byte
			decode(t, testItem(t, 1, 16, "e1", 5), &tag)
			decode(t, tag.Content, &inner)
			long := encode(t, cbor.Tag{Number: 24, Content: append([]byte{0xb9, 0, 4}, inner[1:]...)})
			accept(t, v, key.build(t, func(d *draft) { d.items[1] = long; d.digests[1] = sha(long) }))
			wide := append([]byte{0xd9, 0, 24, 0x59, 0, byte(len(inner))}, inner...)
			accept(t, v, key.build(t, func(d *draft) { d.items[1] = wide; d.digests[1] = sha(wide) }))
			refuse(t, v, key.build(t, func(d *draft) { d.digests[1] = sha(inner) }), "digest")
			double := encode(t, cbor.Tag{Number: 24, Content: encode(t, cbor.Tag{Number: 24, Content: inner})})
			refuse(t, v, key.build(t, func(d *draft) { d.items[1] = double; d.digests[1] = sha(double) }), "")
			refuse(t, v, key.build(t, func(d *draft) { d.items[1] = inner; d.digests[1] = sha(inner) }), "tag 24")
		}},
		{"D6 an item has the digest of its id in its namespace", func(t *testing.T) {
			d1 := testItem(t, 1, 32, "e1", "v1")
			for name, changed := range map[string]cbor.RawMessage{"value": testItem(t, 1, 32, "e1", "other"), "random": testItem(t, 1, 31, "e1", "v1"),
				"unknown id": testItem(t, 7, 32, "e1", "v1"), "id of another": testItem(t, 2, 32, "e1", "v1"), "name": testItem(t, 1, 32, "e2", "v1")} {
				t.Run(name, func(t *testing.T) {
					refuse(t, v, key.build(t, func(d *draft) { d.items[1] = changed }), "digest")
				})
			}
			refuse(t, v, key.build(t, func(d *draft) { d.mso["valueDigests"] = map[string]any{"ns2": d.digests} }), "digest")
			refuse(t, v, key.build(t, func(d *draft) { d.digests[1] = sha(d.items[1])[:31] }), "digest")
			refuse(t, v, key.build(t, func(d *draft) { d.digests[1] = string(sha(d.items[1])[:2]) + "x" }), "")
			refuse(t, v, key.build(t, func(d *draft) { d.digests[-1] = []byte{1} }), "")
			misnamed := bytes.Clone(d1)
			for _, name := range []string{"digestID", "random", "elementIdentifier", "elementValue"} {
				misnamed = bytes.Replace(misnamed, []byte(name), []byte("x"+name[1:]), 1)
			}
			refuse(t, v, key.build(t, func(d *draft) { d.items[1] = misnamed; d.digests[1] = sha(misnamed) }), "")
			long := bytes.Replace(d1, []byte("\x66random\x58\x20"), []byte("\x66random\x58\x50"), 1)
			refuse(t, v, key.build(t, func(d *draft) { d.items[1] = long; d.digests[1] = sha(long) }), "")
		}},
		{"D7 a digest id, and an element, occurs once in a namespace", func(t *testing.T) {
			refuse(t, v, key.build(t, func(d *draft) { d.items = append(d.items, d.items[0]) }), "twice")
			again := testItem(t, 2, 16, "e1", "v2")
			refuse(t, v, key.build(t, func(d *draft) { d.items = append(d.items, again); d.digests[2] = sha(again) }), "twice")
			many := func(repeat bool) []byte {
				return key.build(t, func(d *draft) {
					d.items, d.digests = nil, map[any]any{}
					for i := range 60 {
						it := testItem(t, i, 16, strings.Repeat("x", i+1), i)
						d.items, d.digests[i] = append(d.items, it), sha(it)
					}
					if repeat {
						d.items = append(d.items, d.items[3])
					}
				})
			}
			accept(t, v, many(false))
			refuse(t, v, many(true), "twice")
		}},
		{"D8 an item has at least 16 random bytes, fresh each time", func(t *testing.T) {
			short := testItem(t, 1, 15, "e1", "v1")
			refuse(t, v, key.build(t, func(d *draft) { d.items[1] = short; d.digests[1] = sha(short) }), "random")
			accept(t, v, key.build(t, nil)) // 16 and 32 bytes
			testIssuerRandom(t, key)
		}},
		{"D9 digests are SHA-256, SHA-384 or SHA-512", func(t *testing.T) {
			digest := func(name string, f func([]byte) []byte) []byte {
				return key.build(t, func(d *draft) {
					d.mso["digestAlgorithm"] = name
					for i, it := range d.items {
						d.digests[i] = f(it)
					}
				})
			}
			accept(t, v, digest("SHA-384", func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }))
			accept(t, v, digest("SHA-512", func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }))
			refuse(t, v, digest("SHA-1", func(b []byte) []byte { s := sha1.Sum(b); return s[:] }), "digestAlgorithm")
			refuse(t, v, digest("sha-256", sha), "digestAlgorithm")
		}},
		{"D10 the docType that is signed is that of the document and the expected one", func(t *testing.T) {
			accept(t, v, response(t, "d", key.build(t, nil)))
			refuse(t, v, response(t, "e", key.build(t, nil)), "docType")
			other := v
			other.DocType = "e"
			refuse(t, other, key.build(t, nil), "docType")
		}},
		{"D11 dates are in order, hold the time of verifying, and fit the certificate", func(t *testing.T) {
			dates := func(signed, from, until string) []byte {
				return key.build(t, func(d *draft) {
					d.validity = map[string]any{"signed": tdate(signed), "validFrom": tdate(from), "validUntil": tdate(until)}
				})
			}
			accept(t, v, dates("2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-06-01T00:00:00Z"))
			refuse(t, v, dates("2026-05-01T00:00:00Z", "2026-05-01T00:00:00Z", "2026-05-31T23:59:59Z"), "not valid after")
			refuse(t, v, dates("2026-05-01T00:00:00Z", "2026-06-01T00:00:01Z", "2027-01-01T00:00:00Z"), "not valid before")
			refuse(t, v, dates("2026-05-01T00:00:00Z", "2026-04-30T00:00:00Z", "2027-01-01T00:00:00Z"), "before signed")
			refuse(t, v, dates("2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-05-30T00:00:00Z"), "before validFrom")
			refuse(t, v, dates("2025-05-31T23:59:59Z", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"), "outside the validity")
			expired := key
			expired.certificate = a.sign(t, key.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(0, 0, -1), x509.KeyUsageDigitalSignature, signerUsage)
			refuse(t, v, expired.build(t, nil), "x5chain")
		}},
		{"D12 a date is tagged text in UTC, without a fraction unless lenient", func(t *testing.T) {
			date := func(value any) []byte { return key.build(t, func(d *draft) { d.validity["signed"] = value }) }
			for _, bad := range []any{"2026-01-01T00:00:00Z", cbor.Tag{Number: 1, Content: 1767225600}, tdate("2026-01-01T00:00:00+00:00"), tdate("2026-01-01"), tdate("")} {
				refuse(t, v, date(bad), "signed")
			}
			refuse(t, v, key.build(t, func(d *draft) { delete(d.validity, "validUntil") }), "validUntil")
			fraction := date(tdate("2026-01-01T00:00:00.000Z"))
			refuse(t, v, fraction, "fraction")
			lenient := v
			lenient.Lenient = true
			accept(t, lenient, fraction)
		}},
		{"D13 the version of the signed object is 1.0", func(t *testing.T) {
			for _, bad := range []any{"2.0", "1.1", 1, "", nil} {
				refuse(t, v, key.build(t, func(d *draft) { d.mso["version"] = bad }), "version")
			}
		}},
		{"D14 repeated keys, trailing and missing bytes are refused", func(t *testing.T) {
			b := key.build(t, nil)
			refuse(t, v, append(bytes.Clone(b), 0), "after the data item")
			refuse(t, v, b[:len(b)-1], "")
			refuse(t, v, key.build(t, func(d *draft) {
				d.mso["deviceKeyInfo"] = cbor.RawMessage(append([]byte{0xa2}, bytes.Repeat(append(encode(t, "deviceKey"), 0xa0), 2)...))
			}), "repeated")
			refuse(t, v, nil, "cut off")
		}},
		{"D15 unknown members of the signed object are accepted", func(t *testing.T) {
			accept(t, v, key.build(t, func(d *draft) {
				d.mso["status"] = map[string]any{"status_list": 1}
				d.validity["expectedUpdate"] = tdate("x")
			}))
		}},
		{"D16 a kid as text and a tagged signature are refused unless lenient", func(t *testing.T) {
			lenient := v
			lenient.Lenient = true
			for _, b := range [][]byte{key.build(t, func(d *draft) { d.unprotected[4] = "kid" }), key.build(t, func(d *draft) { d.tag18 = true })} {
				refuse(t, v, b, "")
				accept(t, lenient, b)
			}
			accept(t, v, key.build(t, func(d *draft) { d.unprotected[4] = []byte("kid") }))
		}},
		{"D17 an element value is any CBOR and comes back as it was", func(t *testing.T) {
			for _, value := range []any{"t", []byte{1}, true, nil, 5, -5, 1.5, []any{1, "x"}, map[string]any{"a": []any{}}, cbor.Tag{Number: 1004, Content: "2000-02-29"}} {
				it := testItem(t, 1, 16, "e1", value)
				docs := accept(t, v, key.build(t, func(d *draft) { d.items[1] = it; d.digests[1] = sha(it) }))
				if len(docs) != 1 || !bytes.Equal(docs[0].Elements[1].Value, encode(t, value)) {
					t.Errorf("%v came back as %v", value, docs)
				}
			}
		}},
		{"D18 issuer data alone is accepted, bare or in a response", func(t *testing.T) {
			bare := key.build(t, nil)
			accept(t, v, bare)
			accept(t, v, response(t, "d", bare))
			for _, bad := range []map[string]any{
				{"version": "1.0", "status": 0, "documents": []any{}}, {"version": "2.0", "status": 0, "documents": []any{1}}, {"version": "1.0", "documents": []any{1}},
				{"version": "1.0", "status": 10, "documents": []any{1}}, {"version": "1.0", "status": 0}, {"version": "1.0", "status": 0, "documents": []any{1}},
				{"version": "1.0", "status": 0, "documents": []any{map[string]any{"docType": "d"}}}, {},
			} {
				refuse(t, v, encode(t, bad), "")
			}
			refuse(t, v, encode(t, map[string]any{"nameSpaces": map[string]any{}, "issuerAuth": 1, "other": 1}), "IssuerSigned")
		}},
		{"D19 a holder keeps the bytes of items and of the issuer's signature", func(t *testing.T) {
			testHolderKeepsBytes(t)
		}},

		{"E1 a device signature is by the device key over the session transcript", func(t *testing.T) {
			testDeviceSignature(t, refuse)
		}},
		{"E2 a device MAC is made with the reader's ephemeral key over the transcript", func(t *testing.T) {
			annexD, b := annexDVerifier(t)
			auth := *annexD.Device
			accept(t, annexD, b)
			annexD.Device = &mdoc.DeviceAuth{Transcript: auth.Transcript}
			refuse(t, annexD, b, "ephemeral key")
			other := bytes.Clone(auth.Transcript)
			other[len(other)-1] ^= 1
			annexD.Device = &mdoc.DeviceAuth{Transcript: other, Reader: auth.Reader}
			refuse(t, annexD, b, "deviceMac")
		}},
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.requirement)
		t.Run(r.requirement, r.test)
	}
	official.Requirements(t, names)
}

// testIssuerRandom looks at what our issuer draws.
func testIssuerRandom(t *testing.T, key draftKey) {
	claims := []byte(`{"nbf":1767225600,"exp":1893456000,"vct":"ns","credentialSubject":{"a":1,"b":[1,1,1]}}`)
	for _, engine := range engines {
		seen := map[string]bool{}
		i := mdoc.Issuer{Engine: engine, Key: key.Secret, Chain: [][]byte{key.certificate}, Device: key.Public()}
		for range 2 {
			b, err := i.Issue(claims)
			if err != nil {
				t.Fatal(err)
			}
			var s struct {
				NameSpaces map[string][]cbor.RawTag `cbor:"nameSpaces"`
			}
			decode(t, b, &s)
			for _, raw := range s.NameSpaces["ns"] {
				var inner []byte
				var it struct {
					Random []byte `cbor:"random"`
				}
				decode(t, raw.Content, &inner)
				if err := cbor.Unmarshal(inner, &it); err != nil || len(it.Random) < 16 {
					t.Errorf("%s: random %x %v", engine, it.Random, err)
				}
				seen[string(it.Random)] = true
			}
		}
		if len(seen) != 8 {
			t.Errorf("%s: %d different randoms of 8", engine, len(seen))
		}
		i.Salts = bytes.NewReader(make([]byte, 4*16))
		if b, err := i.Issue(claims); err != nil || !bytes.Contains(b, append([]byte("\x66random\x50"), make([]byte, 16)...)) {
			t.Errorf("%s: with salts of zeros: %x %v", engine, b, err)
		}
		if _, err := i.Issue(claims); !errors.Is(err, io.EOF) {
			t.Errorf("%s: without more salts: %v", engine, err)
		}
	}
}

// testHolderKeepsBytes looks for every presented item and issuerAuth in what was issued.
func testHolderKeepsBytes(t *testing.T) {
	for _, engine := range engines {
		_, issued, presented := claimstest.Run(t, mdoc.NewFormat(engine, "ES256"), claimstest.Simple(20), compare.Scenario{})
		var p issuerSigned
		decode(t, presented, &p)
		n := 0
		for _, items := range p.NameSpaces {
			for _, it := range items {
				n++
				if !bytes.Contains(issued, it) {
					t.Errorf("%s: an item has changed", engine)
				}
			}
		}
		if n != 5 || !bytes.Contains(issued, p.IssuerAuth) {
			t.Errorf("%s: %d items; issuerAuth has changed: %v", engine, n, !bytes.Contains(issued, p.IssuerAuth))
		}
	}
}

// testDeviceSignature binds a presentation to a transcript.
func testDeviceSignature(t *testing.T, refuse func(*testing.T, mdoc.Verifier, []byte, string)) {
	issuer, device := claimstest.Key(t, keys.EdDSA), claimstest.Key(t, keys.ES256)
	transcript := encode(t, []any{nil, nil, "session"})
	issued, err := (&mdoc.Issuer{Key: issuer, Chain: [][]byte{{1}}, Device: device.Public()}).Issue(
		[]byte(`{"nbf":1767225600,"exp":1893456000,"vct":"ns","credentialSubject":{"a":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	v := mdoc.Verifier{Key: issuer.Public(), Now: now, Device: &mdoc.DeviceAuth{Transcript: transcript}}
	refuse(t, v, issued, "DeviceResponse")
	for _, engine := range engines {
		b, err := (&mdoc.Holder{Engine: engine, Key: device}).Present(issued, []string{"/credentialSubject/a"}, transcript)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sameAnswer(t, v, b); err != nil {
			t.Error(engine, err)
		}
		refuse(t, v, append(bytes.Clone(b), 0), "after the data item")
		refuse(t, v, b[:len(b)-1], "cut off")
		other := v
		other.Device = &mdoc.DeviceAuth{Transcript: encode(t, []any{nil, nil, "another"})}
		refuse(t, other, b, "SessionTranscript")
		wrong, err := (&mdoc.Holder{Engine: engine, Key: issuer}).Present(issued, []string{"/credentialSubject/a"}, transcript)
		if err != nil {
			t.Fatal(err)
		}
		refuse(t, v, wrong, "alg")
		key, err := keys.Generate(keys.ES256)
		if err != nil {
			t.Fatal(err)
		}
		if wrong, err = (&mdoc.Holder{Engine: engine, Key: key}).Present(issued, []string{"/credentialSubject/a"}, transcript); err != nil {
			t.Fatal(err)
		}
		refuse(t, v, wrong, "SessionTranscript")
		if _, err := (&mdoc.Holder{Engine: engine}).Present(issued, nil, transcript); err == nil {
			t.Error("a device signature without a key")
		}
	}
}

// The certificate that is made up for a key is a document signer's.
func TestCertificateUsage(t *testing.T) {
	der, err := mdoc.Certificate(claimstest.Key(t, keys.ES256).Public(), "https://issuer.example")
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.UnknownExtKeyUsage) != 1 || !c.UnknownExtKeyUsage[0].Equal(signerUsage) || c.KeyUsage != x509.KeyUsageDigitalSignature {
		t.Errorf("usage %v, extended %v", c.KeyUsage, c.UnknownExtKeyUsage)
	}
}
