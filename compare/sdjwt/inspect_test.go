package sdjwt_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

func TestInspect(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	tok := token(t, key, goodHeader, `{"vct":"urn:x","_sd":["DIGEST-0","decoy"],"l":[{"...":"DIGEST-1"}]}`, `["s","a",{"b":1}]`, `["t","y"]`)
	stray := append(bytes.Clone(tok), "WyJzIiwxXQ~!~"...)
	var out strings.Builder
	if err := inspect(&out, stray); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`4 disclosures, no key binding`, `"typ": "dc+sd-jwt"`, `1  "a" = {"b":1}  in /_sd`, `2  "y"  in /l/0`,
		`3  1  no digest refers to it`, `4  no digest refers to it  cannot be read`, "digests without a disclosure: 1", "decoy  in /_sd"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	flat := flattened(t, tok)
	for _, c := range []struct {
		in   string
		want bool
	}{{string(tok), true}, {" " + string(flat), true}, {"eyAiYWxnIjogIkVTMjU2In0.e30.x~", true}, {compactOf(`{"typ":"dc+sd-jwt"}`, `{}`), true},
		{compactOf(`{"typ":"JWT"}`, `{"_sd":[]}`), true}, {compactOf(`{"typ":"JWT"}`, `{}`), false}, {"www.example.org", false}, {`{"payload":1}`, false}, {`{"type":"VerifiableCredential"}`, false}, {"eyJ", false}, {"", false}} {
		if sdjwt.IsToken([]byte(c.in)) != c.want {
			t.Errorf("IsToken(%q) is not %v", c.in, c.want)
		}
	}
	for _, bad := range []string{"", "eyJ.x", "{", `{"payload":""}`} {
		if err := inspect(&out, []byte(bad)); err == nil {
			t.Errorf("%q can be inspected", bad)
		}
	}
}

// compactOf is a JWS of a header and a payload, with no signature.
func compactOf(header, payload string) string {
	return b64.EncodeToString([]byte(header)) + "." + b64.EncodeToString([]byte(payload)) + "."
}

func inspect(w io.Writer, token []byte) error {
	i, err := sdjwt.Inspect(token, canon.Limits{})
	if err != nil {
		return err
	}
	return i.Print(w)
}

// flattened returns the flattened JWS JSON serialization of a compact token.
func flattened(t *testing.T, token []byte) []byte {
	t.Helper()
	parts := strings.Split(string(token), "~")
	jwt := strings.Split(parts[0], ".")
	header := map[string]any{"disclosures": parts[1 : len(parts)-1]}
	if kb := parts[len(parts)-1]; kb != "" {
		header["kb_jwt"] = kb
	}
	b, err := json.Marshal(map[string]any{"protected": jwt[0], "payload": jwt[1], "signature": jwt[2], "header": header})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
