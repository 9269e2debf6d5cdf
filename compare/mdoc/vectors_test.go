package mdoc_test

import (
	"crypto/ecdh"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func poolOf(t testing.TB, ders ...[]byte) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	for _, der := range ders {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		pool.AddCert(c)
	}
	return pool
}

// TestCases answers every case of mdoc/cases.json. Where a case is a matter of policy, both answers are checked.
func TestCases(t *testing.T) {
	var file struct {
		Cases []struct {
			ID, Expect string
			Hex        string `json:"mdoc_hex"`
		}
		Root       string `json:"iaca_root_der_hex"`
		DocType    string
		Now        time.Time
		Transcript string `json:"session_transcript_hex"`
	}
	readJSON(t, filepath.Join(official.Dir(t, "mdoc"), "cases.json"), &file)
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			v := mdoc.Verifier{Roots: poolOf(t, unhex(t, file.Root)), DocType: file.DocType, Now: file.Now}
			b := unhex(t, c.Hex)
			docs, err := sameAnswer(t, v, b)
			device := v
			device.Device = &mdoc.DeviceAuth{Transcript: unhex(t, file.Transcript)}
			_, bound := sameAnswer(t, device, b)
			switch {
			case c.Expect == "accept" && err != nil, c.Expect == "reject" && err == nil:
				t.Errorf("want %s: %v", c.Expect, err)
			case c.Expect == "accept" && (len(docs) != 1 || len(docs[0].Elements) == 0):
				t.Errorf("documents %v", docs)
			case (bound == nil) != (c.ID == "pos-device-signature"):
				t.Errorf("with device authentication required: %v", bound)
			}
			lenient := v
			lenient.Lenient = true
			_, relaxed := sameAnswer(t, lenient, b)
			switch c.ID {
			case "pol-kid-text":
				if err == nil || relaxed != nil {
					t.Errorf("kid as text: %v by default, %v if lenient", err, relaxed)
				}
			default:
				if (err == nil) != (relaxed == nil) {
					t.Errorf("lenient changes the answer: %v, %v", err, relaxed)
				}
				if c.Expect == "policy" && err != nil { // device signatures: the issuer's part is valid
					t.Error(err)
				}
			}
		})
	}
	if len(file.Cases) < 29 {
		t.Errorf("only %d cases", len(file.Cases))
	}
}

// vector is one public mdoc with what is known about it.
type vector struct {
	ID         string
	Hex        string `json:"mdoc_hex"`
	Result     string
	DocType    string
	Signed     time.Time
	Contents   map[string]map[string]string
	TrustedPEM []string          `json:"trusted_pem"`
	IssuerPEM  string            `json:"issuer_pem"`
	IssuerJWK  json.RawMessage   `json:"issuer_jwk"`
	Transcript string            `json:"session_transcript_tag24_hex"`
	AnnexD     map[string]string `json:"annex_d"`
}

// TestVectors verifies the public mdocs of other makers, or refuses those that are recorded as wrong.
func TestVectors(t *testing.T) {
	dir := official.Dir(t, "mdoc")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		if filepath.Base(f) == "cases.json" {
			continue
		}
		n++
		var c vector
		readJSON(t, f, &c)
		t.Run(c.ID, func(t *testing.T) {
			b := unhex(t, c.Hex)
			v := mdoc.Verifier{Now: c.Signed.Add(time.Hour), DocType: c.DocType}
			if v.Now.Year() < 2000 {
				v.Now = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
			}
			switch {
			case c.IssuerJWK != nil:
				k, err := keys.ParsePublicJWK(c.IssuerJWK)
				if err != nil {
					t.Fatal(err)
				}
				v.Key = k
			case len(c.TrustedPEM) > 0:
				v.Roots = poolOf(t, pemBytes(c.TrustedPEM...)...)
			case c.IssuerPEM != "":
				v.Roots = poolOf(t, pemBytes(c.IssuerPEM)...)
				if _, err := sameAnswer(t, v, b); err == nil || !strings.Contains(err.Error(), "lacks the extended key usage") {
					t.Errorf("a certificate without extended key usage: %v", err)
				}
				v.AnyUsage = true
			default: // Annex D has no trust anchor here: its document signer is one
				v.Roots = poolOf(t, unhex(t, c.AnnexD["ISO_18013_5_ANNEX_D_DS_CERT"]))
			}
			docs, err := sameAnswer(t, v, b)
			if strings.HasPrefix(c.Result, "REJECTED") {
				if err == nil || strings.Contains(err.Error(), "x5chain") {
					t.Errorf("want a refusal of the data: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkContents(t, c, docs)
		})
	}
	if n < 6 {
		t.Errorf("only %d vectors", n)
	}
}

func pemBytes(texts ...string) (out [][]byte) {
	for _, text := range texts {
		for rest := []byte(text); ; {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				break
			}
			out = append(out, block.Bytes)
		}
	}
	return out
}

// checkContents compares elements with the recorded ones, which are in diagnostic notation, cut where they are long.
func checkContents(t *testing.T, c vector, docs []mdoc.Document) {
	t.Helper()
	want, got := 0, 0
	for _, elements := range c.Contents {
		want += len(elements)
	}
	for _, d := range docs {
		for _, e := range d.Elements {
			got++
			text, err := cbor.Diagnose(e.Value)
			if err != nil {
				t.Fatal(err)
			}
			expected, ok := c.Contents[e.NameSpace][e.Identifier]
			if !ok {
				t.Errorf("element %s/%s is not among the recorded contents", e.NameSpace, e.Identifier)
			}
			if !strings.HasSuffix(expected, "...") && expected != `"bstr"` && compact(expected) != compact(text) {
				t.Errorf("%s is %s, want %s", e.Identifier, text, expected)
			}
		}
	}
	if got != want {
		t.Errorf("%d elements, want %d", got, want)
	}
}

// compact leaves out the spaces in which notations differ.
func compact(s string) string { return strings.ReplaceAll(s, " ", "") }

func annexD(t testing.TB) vector {
	t.Helper()
	var c vector
	readJSON(t, filepath.Join(official.Dir(t, "mdoc"), "iso18013-5-annex-d.json"), &c)
	return c
}

// annexDReader returns the ephemeral reader key of ISO/IEC 18013-5 Annex D.
func annexDReader(t testing.TB, c vector) *ecdh.PrivateKey {
	t.Helper()
	k, err := ecdh.P256().NewPrivateKey(unhex(t, c.AnnexD["ISO_18013_5_ANNEX_D_EPHEMERAL_READER_KEY_D"]))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestDeviceMacOfAnnexD recomputes the MAC of ISO/IEC 18013-5 Annex D.5.3.
func TestDeviceMacOfAnnexD(t *testing.T) {
	c := annexD(t)
	v := mdoc.Verifier{Roots: poolOf(t, unhex(t, c.AnnexD["ISO_18013_5_ANNEX_D_DS_CERT"])), Now: c.Signed.Add(time.Hour),
		Device: &mdoc.DeviceAuth{Transcript: unhex(t, c.AnnexD["ISO_18013_5_ANNEX_D_SESSION_TRANSCRIPT_BYTES"]), Reader: annexDReader(t, c)}}
	if _, err := sameAnswer(t, v, unhex(t, c.Hex)); err != nil {
		t.Error(err)
	}
}

// TestInterop verifies what the npm libraries issued and presented, checks their device signatures, and presents again.
func TestInterop(t *testing.T) {
	dir := official.Dir(t, "interop-sdjwt-mdoc")
	for _, alg := range []string{"es256", "eddsa"} {
		var k struct {
			Root string `json:"iaca_root_pem"`
		}
		readJSON(t, filepath.Join(dir, "keys-"+alg+".json"), &k)
		for _, maker := range []string{"auth0", "owf"} {
			t.Run(maker+"/"+alg, func(t *testing.T) {
				base := filepath.Join(dir, "mdoc-"+maker+"-"+alg)
				var expected struct {
					DocType, NameSpace string
					Disclosed          map[string]string
				}
				readJSON(t, base+"-expected.json", &expected)
				v := mdoc.Verifier{Roots: poolOf(t, pemBytes(k.Root)...), DocType: expected.DocType, Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
				read := func(name string) []byte {
					b, err := os.ReadFile(base + name)
					if err != nil {
						t.Fatal(err)
					}
					return unhex(t, string(b))
				}
				docs, err := sameAnswer(t, v, read("-issued.hex"))
				if err != nil || len(docs) != 1 || len(docs[0].Elements) != 20 {
					t.Fatal("issued:", docs, err)
				}
				check := func(b []byte) {
					t.Helper()
					docs, err := sameAnswer(t, v, b)
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range docs[0].Elements {
						var value string
						if err := cbor.Unmarshal(e.Value, &value); err != nil || value != expected.Disclosed[e.Identifier] || e.NameSpace != expected.NameSpace {
							t.Errorf("%s/%s is %q: %v", e.NameSpace, e.Identifier, value, err)
						}
					}
					if len(docs[0].Elements) != len(expected.Disclosed) {
						t.Errorf("%d elements", len(docs[0].Elements))
					}
				}
				check(read("-presented.hex"))
				if maker == "owf" { // issued as IssuerSigned, which our holder takes
					var pointers []string
					for name := range expected.Disclosed {
						pointers = append(pointers, "/credentialSubject/"+name)
					}
					check(samePresentation(t, read("-issued.hex"), pointers...))
					return
				}
				v.Device = &mdoc.DeviceAuth{Transcript: read("-sessiontranscript.hex")}
				bound := read("-presented-deviceauth.hex")
				check(bound)
				v.Device.Transcript = []byte{0x83, 0xf6, 0xf6, 0x80}
				if _, err := sameAnswer(t, v, bound); err == nil {
					t.Error("a device signature holds for another transcript")
				}
			})
		}
	}
}

// TestConform runs the same data through the reader that the command uses.
func TestConform(t *testing.T) {
	for _, engine := range engines {
		for dir, least := range map[string]int{"mdoc": 29 + 6, "interop-sdjwt-mdoc": 10} {
			results, err := mdoc.Conform(official.Dir(t, dir), engine)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Outcome == conform.Failed || r.Outcome == conform.Skipped && !strings.Contains(r.Reason, "policy") {
					t.Errorf("%s %s %s: %s", engine, r.Test, r.Outcome, r.Reason)
				}
			}
			if len(results) < least {
				t.Errorf("%s %s: %d results, want %d", engine, dir, len(results), least)
			}
		}
		if _, err := mdoc.Conform(t.TempDir(), engine); err == nil {
			t.Error("an empty folder has no suite")
		}
	}
	if _, err := mdoc.Conform(t.TempDir(), "fast"); err == nil {
		t.Error("engine fast")
	}
}
