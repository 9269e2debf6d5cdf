package mdoc_test

import (
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"

	"github.com/fxamacker/cbor/v2"
)

func TestInspect(t *testing.T) {
	_, _, presented := claimstest.Run(t, mdoc.NewFormat(canon.Native, "ES256"), claimstest.Nested(), compare.Scenario{Binding: "holder"})
	for _, text := range []string{string(presented), hex.EncodeToString(presented) + "\n", base64.RawURLEncoding.EncodeToString(presented)} {
		b, ok := mdoc.Decode([]byte(text))
		if !ok {
			t.Fatalf("%.20q is not an mdoc", text)
		}
		var out strings.Builder
		if err := inspect(&out, b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"DeviceResponse", "docType OpenBadgeCredential", "{1: -7}", "CN=Canonscope DS", "valid 2026-01-01T00:00:00Z",
			`/OpenBadgeCredential/achievement/name = "Name <&>"  digest matches`, `/result/1/none = null`, "9 elements of 14", "deviceSignature [<<{1: -7}>>"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in\n%s", want, out.String())
			}
		}
	}
	_, issued, _ := claimstest.Run(t, mdoc.NewFormat(canon.Native, "ES256"), claimstest.Simple(2), compare.Scenario{Disclose: []string{"/credentialSubject/id"}})
	issued[strings.Index(string(issued), "value 01")] ^= 1
	var out strings.Builder
	if err := inspect(&out, issued); err != nil || !strings.Contains(out.String(), "digest differs") || !strings.Contains(out.String(), "IssuerSigned") {
		t.Errorf("%v %s", err, out.String())
	}
	_, issued, _ = claimstest.Run(t, mdoc.NewFormat(canon.Stock, "ES256"), claimstest.Nested(), compare.Scenario{Granularity: compare.Claim,
		Disclose: []string{"/credentialSubject/result"}})
	out.Reset()
	if err := inspect(&out, issued); err != nil || !strings.Contains(out.String(), "/OpenBadgeCredential/type = [\"A\", \"B\"]  digest matches") {
		t.Errorf("%v %s", err, out.String())
	}
	for _, bad := range []string{"", "a0", "{}", "a16a6973737565724175746800ff"} {
		if _, ok := mdoc.Decode([]byte(bad)); ok {
			t.Errorf("%q is taken for an mdoc", bad)
		}
	}
}

// The documents of a response are numbered from 1, and a name of 256 bytes is shown whole, a longer one cut.
func TestInspectNames(t *testing.T) {
	key := draftKey{claimstest.Key(t, keys.ES256), []byte{1}}
	name := strings.Repeat("n", 256)
	var documents []any
	for _, ns := range []string{name, name + "n"} {
		b := key.build(t, func(d *draft) { d.nameSpace = ns })
		documents = append(documents, map[string]any{"docType": "type of " + ns[255:], "issuerSigned": cbor.RawMessage(b)})
	}
	var out strings.Builder
	if err := inspect(&out, encode(t, map[string]any{"version": "1.0", "status": 0, "documents": documents})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"document 1: docType type of n\n", "document 2: docType type of nn\n", "/" + name + "/e0 = ", "/" + name + "…/e0 = "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
}

func inspect(w io.Writer, b []byte) error {
	i, err := mdoc.Inspect(b, canon.Limits{})
	if err != nil {
		return err
	}
	return i.Print(w)
}
