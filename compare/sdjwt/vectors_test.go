package sdjwt_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/compare/sdjwt"
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

func publicJWK(t testing.TB, jwk []byte) *keys.Public {
	t.Helper()
	k, err := keys.ParsePublicJWK(jwk)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestCases answers every case of sd-jwt/cases.json. Where a case is a matter of policy, both answers are checked.
func TestCases(t *testing.T) {
	var file struct {
		Cases []struct {
			ID, Expect, Key string
			Token           string `json:"sd_jwt"`
			Binding         bool   `json:"key_binding_required"`
			VC              bool   `json:"sd_jwt_vc_rules"`
		}
		Keys     map[string]json.RawMessage `json:"issuer_keys"`
		Now      int64
		Expected struct {
			Aud, Nonce string
			MaxAge     int64 `json:"max_age_s"`
		} `json:"kb_expected"`
	}
	readJSON(t, filepath.Join(official.Dir(t, "sd-jwt"), "cases.json"), &file)
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			v := sdjwt.Verifier{Key: publicJWK(t, file.Keys[c.Key]), Plain: !c.VC, Now: time.Unix(file.Now, 0), Binding: c.Binding,
				Audience: file.Expected.Aud, Nonce: file.Expected.Nonce, MaxAge: time.Duration(file.Expected.MaxAge) * time.Second}
			_, err := sameAnswer(t, v, []byte(c.Token))
			switch c.Expect {
			case "accept":
				if err != nil {
					t.Error(err)
				}
			case "reject":
				if err == nil {
					t.Error("is accepted")
				}
			case "policy":
				policy(t, c.ID, v, []byte(c.Token), err)
			default:
				t.Errorf("expect %q is unknown", c.Expect)
			}
		})
	}
	if len(file.Cases) < 47 {
		t.Errorf("only %d cases", len(file.Cases))
	}
}

// policy checks the default answer and, where an option decides, the other one.
func policy(t *testing.T, id string, v sdjwt.Verifier, token []byte, got error) {
	t.Helper()
	accepted := map[string]bool{"pol-dots-extra-key": false, "neg-no-sd-claims-empty-sd": true, "pol-kb-unasked": false, "pol-typ-vc": false}
	want, known := accepted[id]
	if !known || (got == nil) != want {
		t.Errorf("by default: %v", got)
	}
	switch id {
	case "pol-kb-unasked":
		v.UnaskedKB = true
	case "pol-typ-vc":
		v.LegacyTyp = true
	default:
		return
	}
	if _, err := sameAnswer(t, v, token); err != nil {
		t.Errorf("by option: %v", err)
	}
}

// TestVectors verifies what the reference generator made of RFC 9901, the SD-JWT VC draft and its own test cases, and
// compares the processed payloads.
func TestVectors(t *testing.T) {
	dir := official.Dir(t, "sd-jwt")
	var file struct {
		Issuer json.RawMessage `json:"issuer_public_jwk"`
		KB     map[string]string
	}
	readJSON(t, filepath.Join(dir, "keys.json"), &file)
	var index []struct {
		ID      string
		Binding bool `json:"key_binding"`
		Count   int  `json:"disclosures_presented"`
	}
	readJSON(t, filepath.Join(dir, "index.json"), &index)
	for _, c := range index {
		t.Run(c.ID, func(t *testing.T) {
			path := filepath.Join(dir, filepath.FromSlash(c.ID))
			v := sdjwt.Verifier{Key: publicJWK(t, file.Issuer), Plain: !strings.Contains(c.ID, "vc-examples"), Now: time.Unix(1700000000, 0)}
			issued := readToken(t, path, "sd_jwt_issuance")
			if _, err := sameAnswer(t, v, issued); err != nil {
				t.Fatal("issued:", err)
			}
			presented := readToken(t, path, "sd_jwt_presentation")
			if c.Binding {
				var kb struct {
					Iat int64
					Aud string
				}
				readJSON(t, filepath.Join(path, "kb_jwt_payload.json"), &kb)
				v.Binding, v.Audience, v.Nonce, v.Now = true, kb.Aud, file.KB["nonce"], time.Unix(kb.Iat+1, 0)
			}
			r, err := sameAnswer(t, v, presented)
			if err != nil {
				t.Fatal("presented:", err)
			}
			want, err := os.ReadFile(filepath.Join(path, "verified_contents.json"))
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, claimsOf(t, r), want) {
				t.Errorf("processed payload\n%s\nwant\n%s", claimsOf(t, r), want)
			}
			if n := len(r.Disclosed()); n != c.Count {
				t.Errorf("%d disclosures, want %d", n, c.Count)
			}
		})
	}
	if len(index) < 19 {
		t.Errorf("only %d vectors", len(index))
	}
}

func readToken(t testing.TB, dir, name string) []byte {
	t.Helper()
	for _, ext := range []string{".txt", ".json"} {
		if b, err := os.ReadFile(filepath.Join(dir, name+ext)); err == nil {
			return []byte(strings.TrimSpace(string(b)))
		}
	}
	t.Fatalf("%s has no %s", dir, name)
	return nil
}

// TestPublishedTokens verifies tokens as the specification prints them.
func TestPublishedTokens(t *testing.T) {
	dir := official.Dir(t, "sd-jwt")
	var file struct {
		Issuer json.RawMessage `json:"issuer_public_jwk"`
	}
	readJSON(t, filepath.Join(dir, "keys.json"), &file)
	var published struct {
		Vectors []struct {
			ID, Aud, Nonce, Result string
			KB                     bool
			Token                  string          `json:"sd_jwt"`
			Payload                json.RawMessage `json:"processed_payload"`
		}
	}
	readJSON(t, filepath.Join(dir, "published-tokens.json"), &published)
	for _, c := range published.Vectors {
		t.Run(c.ID, func(t *testing.T) {
			v := sdjwt.Verifier{Key: publicJWK(t, file.Issuer), Plain: true, Now: time.Unix(1750000000, 0), Binding: c.KB, Audience: c.Aud,
				Nonce: c.Nonce, MaxAge: 10 * 365 * 24 * time.Hour}
			r, err := sameAnswer(t, v, []byte(c.Token))
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, claimsOf(t, r), c.Payload) {
				t.Errorf("processed payload %s", claimsOf(t, r))
			}
		})
	}
	if len(published.Vectors) < 4 {
		t.Errorf("only %d tokens", len(published.Vectors))
	}
}

// TestInterop verifies what the npm library @sd-jwt/sd-jwt-vc issued and presented, and presents its token again.
func TestInterop(t *testing.T) {
	dir := official.Dir(t, "interop-sdjwt-mdoc")
	for _, alg := range []string{"es256", "eddsa"} {
		t.Run(alg, func(t *testing.T) {
			var k struct {
				Issuer json.RawMessage `json:"issuer_public_jwk"`
			}
			readJSON(t, filepath.Join(dir, "keys-"+alg+".json"), &k)
			var expected struct {
				Disclosed map[string]string
				VCT, ISS  string
				KB        struct{ Aud, Nonce string }
			}
			readJSON(t, filepath.Join(dir, "sdjwt-"+alg+"-expected.json"), &expected)
			base := filepath.Join(dir, "sdjwt-"+alg)
			v := sdjwt.Verifier{Key: publicJWK(t, k.Issuer), Now: time.Unix(1796031100, 0)}
			issued := readToken(t, dir, filepath.Base(base)+"-issued")
			if _, err := sameAnswer(t, v, issued); err != nil {
				t.Fatal("issued:", err)
			}
			check := func(token []byte) {
				t.Helper()
				r, err := sameAnswer(t, v, token)
				if err != nil {
					t.Fatal(err)
				}
				var got map[string]any
				decode(t, claimsOf(t, r), &got)
				if got["vct"] != expected.VCT || got["iss"] != expected.ISS {
					t.Errorf("claims %v", got)
				}
				n := 0
				for name, value := range got {
					if strings.HasPrefix(name, "attr_") {
						if n++; value != expected.Disclosed[name] {
							t.Errorf("%s is %v", name, value)
						}
					}
				}
				if n != len(expected.Disclosed) {
					t.Errorf("%d attributes, want %d", n, len(expected.Disclosed))
				}
			}
			presented := readToken(t, dir, filepath.Base(base)+"-presented")
			check(presented)
			var pointers []string
			for name := range expected.Disclosed {
				pointers = append(pointers, "/"+name)
			}
			ours := samePresentation(t, issued, pointers)
			check(ours)
			if fmt.Sprint(len(ours)) != fmt.Sprint(len(presented)) {
				t.Errorf("our presentation has %d bytes, theirs %d", len(ours), len(presented))
			}
			v.Binding, v.Audience, v.Nonce = true, expected.KB.Aud, expected.KB.Nonce
			check(readToken(t, dir, filepath.Base(base)+"-presented-kb"))
		})
	}
}

// TestConform runs the same data through the reader that the command uses.
func TestConform(t *testing.T) {
	for _, engine := range engines {
		for dir, least := range map[string]int{"sd-jwt": 47 + 19 + 4, "interop-sdjwt-mdoc": 6} {
			results, err := sdjwt.Conform(official.Dir(t, dir), engine)
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
		if _, err := sdjwt.Conform(t.TempDir(), engine); err == nil {
			t.Error("an empty folder has no suite")
		}
	}
	if _, err := sdjwt.Conform(t.TempDir(), "fast"); err == nil {
		t.Error("engine fast")
	}
}
