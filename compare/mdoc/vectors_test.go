package mdoc_test

import (
	"crypto/ecdh"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

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

// TestConform runs the official cases, public mdocs of other makers, and what the npm libraries issued, presented and signed.
func TestConform(t *testing.T) {
	claimstest.Conform(t, mdoc.Conform, map[string]int{"mdoc": 29 + 6, "interop-sdjwt-mdoc": 10})
}

// A recorded mdoc with another value, and with another number of elements, than recorded fails.
func TestConformCompares(t *testing.T) {
	dir := t.TempDir()
	const vector = "iso18013-5-annex-d.json"
	for name, change := range map[string]func(elements map[string]any, id string){
		"value":   func(elements map[string]any, id string) { elements[id] = "another" },
		"missing": func(elements map[string]any, id string) { delete(elements, id) },
		"more":    func(elements map[string]any, id string) { elements["more"] = "1" },
	} {
		var file map[string]any
		claimstest.ReadJSON(t, &file, official.Dir(t, "mdoc"), vector)
		for _, elements := range file["contents"].(map[string]any) {
			elements := elements.(map[string]any)
			change(elements, slices.Sorted(maps.Keys(elements))[0])
			break
		}
		claimstest.WriteJSON(t, file, dir, name+".json")
	}
	const base = "mdoc-auth0-es256"
	claimstest.Link(t, dir, "interop-sdjwt-mdoc", "keys-es256.json", base+"-issued.hex", base+"-presented.hex")
	var expected map[string]any
	claimstest.ReadJSON(t, &expected, official.Dir(t, "interop-sdjwt-mdoc"), base+"-expected.json")
	disclosed := expected["disclosed"].(map[string]any)
	delete(disclosed, slices.Sorted(maps.Keys(disclosed))[0])
	claimstest.WriteJSON(t, expected, dir, base+"-expected.json")

	results, err := mdoc.Conform(t.Context(), "native", dir)
	if err != nil || len(results) != 5 {
		t.Fatalf("%v, %+v", err, results)
	}
	for _, r := range results {
		if passes := r.Test == base+"-issued"; passes != (r.Outcome == conform.Passed) || !passes && !strings.Contains(r.Reason, ", want") {
			t.Errorf("%+v", r)
		}
	}
}

// TestPolicies answers every official case as a lenient verifier, and as one that requires device authentication.
func TestPolicies(t *testing.T) {
	var file struct {
		Cases []struct {
			ID  string
			Hex string `json:"mdoc_hex"`
		}
		Root       string `json:"iaca_root_der_hex"`
		DocType    string
		Now        time.Time
		Transcript string `json:"session_transcript_hex"`
	}
	claimstest.ReadJSON(t, &file, official.Dir(t, "mdoc"), "cases.json")
	for _, c := range file.Cases {
		b := unhex(t, c.Hex)
		v := mdoc.Verifier{Roots: poolOf(t, unhex(t, file.Root)), DocType: file.DocType, Now: file.Now}
		_, strict := sameAnswer(t, v, b)
		v.Lenient = true
		_, lenient := sameAnswer(t, v, b)
		if changes := c.ID == "pol-kid-text"; lenient != nil && (strict == nil || changes) || lenient == nil && (strict != nil) != changes {
			t.Errorf("%s: %v by default, %v if lenient", c.ID, strict, lenient)
		}
		v.Lenient, v.Device = false, &mdoc.DeviceAuth{Transcript: unhex(t, file.Transcript)}
		if _, err := sameAnswer(t, v, b); (err == nil) != (c.ID == "pos-device-signature") {
			t.Errorf("%s with device authentication required: %v", c.ID, err)
		}
		if strings.HasPrefix(c.ID, "pol-device-") && strict != nil { // the issuer's part is valid
			t.Errorf("%s: %v", c.ID, strict)
		}
	}
}

// vector is one public mdoc with what is known about it.
type vector struct {
	Hex       string `json:"mdoc_hex"`
	Signed    time.Time
	IssuerPEM string            `json:"issuer_pem"`
	IssuerJWK json.RawMessage   `json:"issuer_jwk"`
	AnnexD    map[string]string `json:"annex_d"`
}

func readVector(t testing.TB, name string) (v vector) {
	t.Helper()
	claimstest.ReadJSON(t, &v, official.Dir(t, "mdoc"), name+".json")
	return v
}

// TestReasons looks at why public mdocs are refused.
func TestReasons(t *testing.T) {
	for name, reason := range map[string]string{"auth0-example1": "", "auth0-example3": "its digest differs"} {
		c := readVector(t, name)
		block, _ := pem.Decode([]byte(c.IssuerPEM))
		v := mdoc.Verifier{Now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Roots: poolOf(t, block.Bytes)}
		if _, err := sameAnswer(t, v, unhex(t, c.Hex)); err == nil || !strings.Contains(err.Error(), "lacks the extended key usage") {
			t.Errorf("%s has a certificate without extended key usage: %v", name, err)
		}
		v.AnyUsage = true
		if _, err := sameAnswer(t, v, unhex(t, c.Hex)); (err == nil) != (reason == "") || err != nil && !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", name, err, reason)
		}
	}
	c := readVector(t, "auth0-parser-deviceResponse")
	key, err := keys.ParsePublicJWK(c.IssuerJWK)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sameAnswer(t, mdoc.Verifier{Key: key}, unhex(t, c.Hex)); err == nil || !strings.Contains(err.Error(), "tag 24") {
		t.Errorf("an MSO without tag 24: %v", err)
	}
}

// annexDVerifier trusts the document signer of ISO/IEC 18013-5 Annex D and holds its ephemeral reader key.
func annexDVerifier(t testing.TB) (v mdoc.Verifier, annexD []byte) {
	t.Helper()
	c := readVector(t, "iso18013-5-annex-d")
	reader, err := ecdh.P256().NewPrivateKey(unhex(t, c.AnnexD["ISO_18013_5_ANNEX_D_EPHEMERAL_READER_KEY_D"]))
	if err != nil {
		t.Fatal(err)
	}
	return mdoc.Verifier{Roots: poolOf(t, unhex(t, c.AnnexD["ISO_18013_5_ANNEX_D_DS_CERT"])), Now: c.Signed.Add(time.Hour),
		Device: &mdoc.DeviceAuth{Transcript: unhex(t, c.AnnexD["ISO_18013_5_ANNEX_D_SESSION_TRANSCRIPT_BYTES"]), Reader: reader}}, unhex(t, c.Hex)
}

// TestPresentsOthers presents an mdoc of the npm library @owf/mdoc as the library itself did. It issues IssuerSigned, which
// our holder takes.
func TestPresentsOthers(t *testing.T) {
	for _, alg := range []string{"es256", "eddsa"} {
		base := filepath.Join(official.Dir(t, "interop-sdjwt-mdoc"), "mdoc-owf-"+alg)
		read := func(name string) []byte {
			b, err := os.ReadFile(base + name)
			if err != nil {
				t.Fatal(err)
			}
			return unhex(t, string(b))
		}
		var expected struct{ Disclosed map[string]string }
		claimstest.ReadJSON(t, &expected, base+"-expected.json")
		var pointers []string
		for name := range expected.Disclosed {
			pointers = append(pointers, "/credentialSubject/"+name)
		}
		var ours, theirs issuerSigned
		decode(t, samePresentation(t, read("-issued.hex"), pointers...), &ours)
		decode(t, read("-presented.hex"), &theirs)
		if !reflect.DeepEqual(ours, theirs) {
			t.Errorf("we present %x\nthey present %x", ours, theirs)
		}
	}
}
