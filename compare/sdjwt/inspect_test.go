package sdjwt_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"fmt"
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

// The text and the JSON of a token name each disclosure with the place of its digest, and each digest that
// has none.
func TestInspectNamesPlaces(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	tok := token(t, key, goodHeader, `{"iss":"https://issuer.example","_sd_alg":"sha-256","_sd":["DIGEST-0","decoy"],`+
		`"l":["plain",{"...":"DIGEST-1"},{"in":{"_sd":["DIGEST-2"]}},{"...":"more","x":1}],"two":{"_sd":["DIGEST-0"]}}`,
		`["s","a",{"_sd":["DIGEST-3"]}]`, `["t","y"]`, `["u","c",[]]`, `["v","d",null]`)
	kb := bytes.TrimSuffix(token(t, key, `{"alg":"EdDSA"}`, `{"nonce":"n"}`), []byte("~"))
	var out strings.Builder
	if err := inspect(&out, append(tok, kb...)); err != nil {
		t.Fatal(err)
	}
	var digests [4]string
	for i, d := range bytes.Split(tok, []byte("~"))[1:5] {
		sum := sha256.Sum256(d)
		digests[i] = b64.EncodeToString(sum[:])
	}
	hash := sha256.Sum256(tok)
	_, text, _ := strings.Cut(out.String(), "\n  }\ndisclosures")
	if want := ` (sha-256)
  1  "a" = {"_sd":["` + digests[3] + `"]}  digest is in the token 2 times, first in /_sd
  2  "y"  in /l/1
  3  "c" = []  in /l/2/in/_sd
  4  "d" = null  in disclosure 1/2/_sd
digests without a disclosure: 1
  decoy  in /_sd
KB-JWT header
  {
    "alg": "EdDSA"
  }
KB-JWT payload
  {
    "nonce": "n"
  }
  sd_hash of this token (sha-256): ` + b64.EncodeToString(hash[:]) + "\n"; text != want {
		t.Errorf("got%s\nwant%s", text, want)
	}
	if want := fmt.Sprintf("SD-JWT of %d bytes, 4 disclosures, with key binding\n", len(tok)+len(kb)); !strings.HasPrefix(out.String(), want) {
		t.Errorf("%s\nwant %s first", out.String(), want)
	}

	i, err := sdjwt.Inspect(tok, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("sd-jwt-vc, %d bytes, 4 disclosures, no key binding, issuer https://issuer.example", len(tok))
	if i.Line() != want {
		t.Errorf("line %q, want %q", i.Line(), want)
	}
	v, err := i.JSON()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"disclosures":[{"name":"a","value":{"_sd":["` + digests[3] + `"]},"in":"/_sd"},{"value":"y","in":"/l/1"},` +
		`{"name":"c","value":[],"in":"/l/2/in/_sd"},{"name":"d","value":null,"in":"disclosure 1/2/_sd"}],` +
		`"digestsWithoutDisclosure":1}`; !strings.HasSuffix(string(b), want) {
		t.Errorf("%s\nwant %s last", b, want)
	}
}

// Without disclosures there is no heading of them; of digests without one the first hundred are named and the
// others counted; a digest algorithm is the payload's.
func TestInspectCountsDigests(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for n, more := range map[int]string{99: "", 100: "", 101: "\n  and 1 more\n"} {
		var payload strings.Builder
		payload.WriteString(`{"_sd_alg":"sha-384","_sd":["d0"`)
		for i := range n - 1 {
			fmt.Fprintf(&payload, `,"d%d"`, i+1)
		}
		var out strings.Builder
		if err := inspect(&out, token(t, key, goodHeader, payload.String()+"]}")); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if strings.Count(got, "  in /_sd\n") != min(n, 100) || strings.Contains(got, "more") != (more != "") || !strings.Contains(got, more) ||
			!strings.Contains(got, fmt.Sprintf("\ndigests without a disclosure: %d\n", n)) || strings.Contains(got, "disclosures (") {
			t.Errorf("%d digests: %s", n, got)
		}
	}
	text := b64.EncodeToString([]byte(`["s","a",1]`))
	sum := sha512.Sum384([]byte(text))
	tok := token(t, key, goodHeader, `{"_sd_alg":"sha-384","_sd":["`+b64.EncodeToString(sum[:])+`"]}`)
	var out strings.Builder
	if err := inspect(&out, append(tok, text+"~"...)); err != nil || !strings.HasSuffix(out.String(), "disclosures (sha-384)\n  1  \"a\" = 1  in /_sd\n") {
		t.Errorf("%v %s", err, &out)
	}
}

// A name of 64 bytes is shown whole, a longer one cut. The secret part of a key is not shown, whatever
// discloses it; what is too short to be one is.
func TestInspectCutsAndHides(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	name, secret := strings.Repeat("n", 64), strings.Repeat("S", 40)
	for disclosure, want := range map[string]string{
		`["s","d","` + secret + `"]`:     `"d" = "(secret, not shown)"`,
		`["s","d","` + secret[1:] + `"]`: `"d" = "` + secret[1:] + `"`,
		`["s",["d"],"` + secret + `"]`:   `["d"] = "` + secret + `"`,
	} {
		var out strings.Builder
		if err := inspect(&out, token(t, key, goodHeader, `{"`+name+`":{"_sd":["DIGEST-0"]},"`+name+`n":{"_sd":["x"]}}`, disclosure)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, "  1  "+want+"  in /"+name+"/_sd\n") || !strings.Contains(got, "  x  in /"+name+"…/_sd\n") {
			t.Errorf("%s: %s", disclosure, got)
		}
	}
	var out strings.Builder
	if err := inspect(&out, token(t, key, goodHeader, `{"privateKeyJwk":{"_sd":["DIGEST-0"]}}`, `["s","any","text"]`)); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `"any" = "(secret, not shown)"`) || strings.Contains(got, "text") {
		t.Errorf("a value below a secret name is shown: %s", got)
	}
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
