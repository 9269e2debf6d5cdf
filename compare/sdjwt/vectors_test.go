package sdjwt_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// TestConform runs the official cases, what the reference generator made of RFC 9901, the SD-JWT VC draft and its own
// cases, tokens as the specification prints them, and what the npm library @sd-jwt/sd-jwt-vc issued and presented.
func TestConform(t *testing.T) {
	claimstest.Conform(t, sdjwt.Conform, map[string]int{"sd-jwt": 47 + 19 + 4, "interop-sdjwt-mdoc": 6})
}

// A processed payload that is not the wanted one is shown as JSON, and so is the wanted one.
func TestConformShows(t *testing.T) {
	var file map[string]any
	claimstest.ReadJSON(t, &file, official.Dir(t, "sd-jwt"), "published-tokens.json")
	for _, v := range file["vectors"].([]any) {
		v.(map[string]any)["processed_payload"] = map[string]any{"wanted": true}
	}
	dir := t.TempDir()
	claimstest.WriteJSON(t, file, dir, "published-tokens.json")
	claimstest.Link(t, dir, "sd-jwt", "keys.json")
	results, err := sdjwt.Conform(t.Context(), "native", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Outcome != conform.Failed || !strings.Contains(r.Reason, `payload is {"`) || !strings.HasSuffix(r.Reason, `want {"wanted":true}`) {
			t.Errorf("%+v", r)
		}
	}
}

// A vector that discloses another number of claims than its index says fails, and so does a token of another
// maker, or one that discloses another value.
func TestConformCounts(t *testing.T) {
	dir := t.TempDir()
	claimstest.Link(t, dir, "sd-jwt", "rfc9901-examples", "sd-jwt-vc-examples", "python-testcases", "keys.json")
	for _, key := range []string{"eddsa", "es256"} {
		claimstest.Link(t, dir, "interop-sdjwt-mdoc", "keys-"+key+".json", "sdjwt-"+key+"-issued.txt",
			"sdjwt-"+key+"-presented.txt", "sdjwt-"+key+"-presented-kb.txt")
	}
	var index []map[string]any
	claimstest.ReadJSON(t, &index, official.Dir(t, "sd-jwt"), "index.json")
	for _, c := range index {
		c["disclosures_presented"] = c["disclosures_presented"].(float64) + 1
	}
	claimstest.WriteJSON(t, index, dir, "index.json")
	var expected map[string]any
	for _, name := range []string{"sdjwt-eddsa-expected.json", "sdjwt-es256-expected.json"} {
		claimstest.ReadJSON(t, &expected, official.Dir(t, "interop-sdjwt-mdoc"), name)
		disclosed := expected["disclosed"].(map[string]any)
		for claim := range disclosed {
			if disclosed[claim] = "another"; strings.Contains(name, "eddsa") {
				delete(disclosed, claim)
			}
			break
		}
		claimstest.WriteJSON(t, expected, dir, name)
	}

	results, err := sdjwt.Conform(t.Context(), "native", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		want := "disclosures, want "
		switch {
		case r.Test == "sdjwt-eddsa-issued": // lacks a claim that nobody wants
			want = ""
		case strings.HasPrefix(r.Test, "sdjwt-es256"):
			want = ", want another"
		}
		if !strings.Contains(r.Reason, want) || (want != "") != (r.Outcome == conform.Failed) {
			t.Errorf("%+v", r)
		}
	}
	if want := len(index) + 2*3; len(results) != want {
		t.Errorf("%d results, want %d", len(results), want)
	}
}

// TestPolicies checks the cases that are a matter of policy: the default answer and, where an option decides, the other one.
func TestPolicies(t *testing.T) {
	var file struct {
		Cases []struct {
			ID, Key, Expect string
			Token           string `json:"sd_jwt"`
		}
		Keys map[string]json.RawMessage `json:"issuer_keys"`
		Now  int64
	}
	claimstest.ReadJSON(t, &file, official.Dir(t, "sd-jwt"), "cases.json")
	accepted := map[string]bool{"pol-dots-extra-key": false, "neg-no-sd-claims-empty-sd": true, "pol-kb-unasked": false}
	for _, c := range file.Cases {
		if c.Expect != "policy" {
			continue
		}
		want, known := accepted[c.ID]
		delete(accepted, c.ID)
		key, err := keys.ParsePublicJWK(file.Keys[c.Key])
		if err != nil {
			t.Fatal(err)
		}
		v := sdjwt.Verifier{Key: key, Now: time.Unix(file.Now, 0)}
		if _, err := sameAnswer(t, v, []byte(c.Token)); !known || (err == nil) != want {
			t.Errorf("%s by default: %v", c.ID, err)
		}
		if c.ID == "pol-kb-unasked" {
			v.UnaskedKB = true
			if _, err := sameAnswer(t, v, []byte(c.Token)); err != nil {
				t.Errorf("%s by option: %v", c.ID, err)
			}
		}
	}
	if len(accepted) > 0 {
		t.Errorf("no cases %v", accepted)
	}
}

// TestPresentsOthers presents a token of the npm library @sd-jwt/sd-jwt-vc as the library itself did.
func TestPresentsOthers(t *testing.T) {
	for _, alg := range []string{"es256", "eddsa"} {
		base := filepath.Join(official.Dir(t, "interop-sdjwt-mdoc"), "sdjwt-"+alg)
		read := func(name string) []byte {
			b, err := os.ReadFile(base + name)
			if err != nil {
				t.Fatal(err)
			}
			return bytes.TrimSpace(b)
		}
		var expected struct{ Disclosed map[string]string }
		claimstest.ReadJSON(t, &expected, base+"-expected.json")
		var pointers []string
		for name := range expected.Disclosed {
			pointers = append(pointers, "/"+name)
		}
		if ours, theirs := samePresentation(t, read("-issued.txt"), pointers), read("-presented.txt"); !bytes.Equal(ours, theirs) {
			t.Errorf("we present %s\nthey present %s", ours, theirs)
		}
	}
}
