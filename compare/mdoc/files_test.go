package mdoc_test

import (
	"bytes"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

// says reports whether an error has a text, or is nil where no text is wanted.
func says(err error, want string) bool {
	if want == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), want)
}

const transcript = "83f6f600"

// An mdoc is issued for a device's key, under a certificate that is made unless one is given, which then has to be
// of the key that signs.
func TestFilesIssue(t *testing.T) {
	key, device := claimstest.Key(t, keys.ES256), claimstest.Key(t, keys.EdDSA)
	a := newAuthority(t)
	own := compare.Certificates{Path: "c.pem", DER: [][]byte{a.sign(t, key.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), x509.KeyUsageDigitalSignature, signerUsage)}}
	other := compare.Certificates{Path: "c.pem", DER: [][]byte{a.root.Raw}}
	broken := compare.Certificates{Path: "c.pem", DER: [][]byte{{1}}}
	task := &compare.Task{Engine: canon.Native, Now: now}
	doc := []byte(`{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential","T"],"issuer":"urn:i",` +
		`"validFrom":"2026-01-01T00:00:00Z","validUntil":"2027-01-01T00:00:00Z","credentialSubject":{"id":"urn:s"}}`)
	for name, c := range map[string]struct {
		options      map[string]any
		draft, issue string
		chosen       bool
	}{
		"no device":   {map[string]any{}, "give --holder-key FILE", "", false},
		"made":        {map[string]any{"holder-key": claimstest.KeyFile(device)}, "", "", false},
		"given":       {map[string]any{"holder-key": claimstest.KeyFile(device), "certificate": own}, "", "", true},
		"another key": {map[string]any{"holder-key": claimstest.KeyFile(device), "certificate": other}, "", "is not of the key that signs", true},
		"broken":      {map[string]any{"holder-key": claimstest.KeyFile(device), "certificate": broken}, "", "c.pem: x509", true},
	} {
		f := claimstest.Files(t, mdoc.Definition, compare.Issue, c.options)
		d, err := f.Draft(doc, nil, task)
		if !says(err, c.draft) {
			t.Errorf("%s: draft: %v", name, err)
		}
		if err != nil {
			continue
		}
		if got := strings.Contains(fmt.Sprint(d.Chosen), "whom the certificate names"); got != c.chosen {
			t.Errorf("%s: chosen %q", name, d.Chosen)
		}
		b, err := f.Issue(t.Context(), d, &compare.KeyFile{Secret: key, Public: key.Public()}, task)
		if !says(err, c.issue) {
			t.Errorf("%s: issue: %v", name, err)
		}
		if err == nil {
			accepts(t, mdoc.Verifier{Key: key.Public(), Now: now}, b)
		}
	}
	// What the document cannot be issued for comes with the missing key, in one answer.
	_, err := claimstest.Files(t, mdoc.Definition, compare.Issue, map[string]any{"certificate": own}).Draft([]byte("{"), nil, task)
	if err == nil || !strings.Contains(err.Error(), "--holder-key") || !strings.Contains(err.Error(), "JSON") {
		t.Errorf("both faults: %v", err)
	}
}

// A device key and a transcript go together, and the key is the one of the mdoc.
func TestFilesPresent(t *testing.T) {
	key, device := claimstest.Key(t, keys.ES256), claimstest.Key(t, keys.EdDSA)
	leaf, err := mdoc.Certificate(key.Public(), "https://university.example")
	if err != nil {
		t.Fatal(err)
	}
	i := mdoc.Issuer{Key: key, Device: device.Public(), Chain: [][]byte{leaf}}
	issued, err := i.Issue([]byte(`{"nbf":1767225600,"exp":1893456000,"vct":"v","credentialSubject":{"a":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	const both = "needs both"
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{map[string]any{}, ""},
		{map[string]any{"holder-key": claimstest.KeyFile(device), "transcript": transcript}, ""},
		{map[string]any{"holder-key": claimstest.KeyFile(device)}, both},
		{map[string]any{"transcript": transcript}, both},
		{map[string]any{"holder-key": claimstest.KeyFile(key), "transcript": transcript}, "bound to another key"},
		{map[string]any{"holder-key": claimstest.KeyFile(device), "transcript": "8"}, "hexadecimal CBOR"},
		{map[string]any{"holder-key": claimstest.KeyFile(device), "transcript": "83"}, "hexadecimal CBOR"},
	} {
		bound := c.options["transcript"] != nil
		out, _, err := claimstest.Files(t, mdoc.Definition, compare.Present, c.options).Present(t.Context(), issued, nil, &compare.Task{Engine: canon.Native})
		if !says(err, c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if err != nil {
			continue
		}
		// A verifier that demands the device's signature accepts the bound one only.
		v := claimstest.Files(t, mdoc.Definition, compare.Verify, map[string]any{"issuer-key": claimstest.KeyFile(key), "transcript": transcript})
		if a, err := v.Verify(t.Context(), out, &compare.Task{Engine: canon.Native, Now: now}); err != nil || (a.Refused == nil) != bound {
			t.Errorf("bound %v: %v, %v", bound, a, err)
		}
	}
	if _, err := mdoc.DeviceKey([]byte("x"), canon.Limits{}); err == nil {
		t.Error("text has a device key")
	}
}

// What was altered between the issuer and the holder is refused before anything is presented: each byte of the
// issuer's signature and of what it covers.
func TestPresentChecks(t *testing.T) {
	key, device := claimstest.Key(t, keys.ES256), claimstest.Key(t, keys.EdDSA)
	leaf, err := mdoc.Certificate(key.Public(), "https://university.example")
	if err != nil {
		t.Fatal(err)
	}
	i := mdoc.Issuer{Key: key, Device: device.Public(), Chain: [][]byte{leaf}}
	issued, err := i.Issue([]byte(`{"nbf":1767225600,"exp":1768225600,"vct":"v","credentialSubject":{"a":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	task := &compare.Task{Engine: canon.Native, Now: now}
	present := claimstest.Files(t, mdoc.Definition, compare.Present, nil).Present
	if _, _, err := present(t.Context(), issued, []string{"/v/a"}, task); err != nil {
		t.Fatalf("one that has expired: %v", err)
	}
	from, to := bytes.Index(issued, leaf), bytes.Index(issued, leaf)+len(leaf)
	for at := range issued {
		if at >= from && at < to {
			continue // a verifier decides about the certificate
		}
		altered := bytes.Clone(issued)
		altered[at] ^= 1
		if _, _, err := present(t.Context(), altered, []string{"/v/a"}, task); err == nil {
			t.Errorf("byte %d of %d was altered: presented", at, len(issued))
		}
	}
}

// The answer about a file names the signer of a certificate; JSON has the elements too.
func TestFilesVerify(t *testing.T) {
	a := newAuthority(t)
	key := claimstest.Key(t, keys.ES256)
	leaf := a.sign(t, key.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), x509.KeyUsageDigitalSignature, signerUsage)
	bare := a.sign(t, key.Public().Crypto(), now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), x509.KeyUsageDigitalSignature)
	roots := compare.Certificates{Path: "roots.pem", DER: [][]byte{a.root.Raw}}
	signed := draftKey{key, leaf}.build(t, nil)
	for name, c := range map[string]struct {
		mdoc         []byte
		options      map[string]any
		signers      []string
		err, refused string
	}{
		"key":                {signed, map[string]any{"issuer-key": claimstest.KeyFile(key)}, nil, "", ""},
		"roots":              {signed, map[string]any{"roots": roots}, []string{"CN=DS"}, "", ""},
		"no usage":           {draftKey{key, bare}.build(t, nil), map[string]any{"roots": roots}, nil, "", "usage"},
		"any usage":          {draftKey{key, bare}.build(t, nil), map[string]any{"roots": roots, "any-usage": true}, []string{"CN=DS"}, "", ""},
		"any usage of a key": {signed, map[string]any{"issuer-key": claimstest.KeyFile(key), "any-usage": true}, nil, "--any-usage", ""},
		"no key":             {signed, map[string]any{}, nil, "whose signature?", ""},
		"transcript":         {signed, map[string]any{"roots": roots, "transcript": transcript}, nil, "", "device"},
		"no CBOR":            {signed, map[string]any{"roots": roots, "transcript": "zz"}, nil, "--transcript", ""},
		"broken":             {signed[1:], map[string]any{"roots": roots}, nil, "", "CBOR"},
	} {
		for _, asJSON := range []bool{false, true} {
			options := map[string]any{}
			for k, v := range c.options {
				options[k] = v
			}
			out, err := claimstest.Files(t, mdoc.Definition, compare.Verify, options).Verify(t.Context(), c.mdoc, &compare.Task{Engine: canon.Native, Now: now, JSON: asJSON})
			switch {
			case !says(err, c.err):
				t.Errorf("%s: %v", name, err)
			case err != nil:
			case !says(out.Refused, c.refused):
				t.Errorf("%s: refused %v", name, out.Refused)
			case out.Refused != nil:
			case !reflect.DeepEqual(out.Signers, c.signers) || out.Count != 2 || len(out.About) != 2:
				t.Errorf("%s: %+v", name, out)
			case asJSON && (len(out.Documents) != 1 || fmt.Sprint(out.Disclosed) != "[/ns/e0 /ns/e1]" ||
				!strings.Contains(string(out.Documents[0]), `"elements":[{"nameSpace":"ns","identifier":"e0","value":"\"v0\""}`)):
				t.Errorf("%s: %s %s", name, out.Disclosed, out.Documents)
			case !asJSON && (out.Documents != nil || out.Disclosed != nil):
				t.Errorf("%s: %s in text", name, out.Disclosed)
			}
		}
	}
	if b, ok := mdoc.Decode([]byte(hex.EncodeToString(signed))); !ok || string(b) != string(signed) {
		t.Error("hexadecimal is not read")
	}
}

// What the format chooses of a credential is listed, and a credential that it cannot carry is an error.
func TestChosen(t *testing.T) {
	c := claimstest.Simple(20)
	task := &compare.Task{Now: now}
	if list, err := mdoc.Definition.Chosen(c, task); err != nil || len(list) == 0 {
		t.Errorf("%q, %v", list, err)
	}
	c.Subject = []byte("{")
	if list, err := mdoc.Definition.Chosen(c, task); err == nil {
		t.Errorf("%q", list)
	}
}
