package vcdm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/vectors"
)

// Documents of the interop artifacts, signed and derived here with every suite, verify. With
// CANONSCOPE_ARTIFACTS=DIR they are also written there, in the layout of the artifacts, for other
// implementations to verify.
func TestArtifacts(t *testing.T) {
	ctx := context.Background()
	dir := official.Dir(t, "interop")
	e := vectors.Engines{RDFC: engine(t, canon.Native, canon.RDFC), JCS: engine(t, canon.Native, canon.JCS)}
	var pairs map[string]json.RawMessage
	readJSON(t, &pairs, dir, "keys.json")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	const bare = `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":%q,"credentialSubject":{"id":"urn:x:1"}}`
	for _, f := range files {
		var a struct {
			Format, Cryptosuite, VerificationMethod string
			MandatoryPointers, SelectivePointers    []string
			Unsigned                                json.RawMessage
		}
		readJSON(t, &a, f)
		if a.Format == "" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		key := secretFor(t, pairs, a.VerificationMethod)
		options := (&vcdm.Options{Created: "2025-07-01T10:00:00Z", Method: a.VerificationMethod,
			Purpose: vcdm.AssertionMethod}).AppendJSON(nil, a.Cryptosuite)
		suite := e.Suite(a.Cryptosuite)
		sd, selective := suite.(*vcdm.SD)
		if selective {
			sd = vcdm.ECDSASD2023(e.RDFC, vcdm.SDOptions{Mandatory: a.MandatoryPointers})
			suite = sd
		}
		signed, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx, a.Unsigned, options)
		if err != nil {
			t.Fatalf("%s: sign: %v", name, err)
		}
		var shown []byte
		if selective {
			shown, err = (&vcdm.Holder{Suite: sd}).Derive(ctx, signed, a.SelectivePointers)
		} else if shown, err = (vcdm.Selector{}).Select(ctx, signed,
			append([]string{"/issuer"}, a.SelectivePointers...)); err == nil {
			shown, err = (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx, shown, options)
		}
		if err != nil {
			t.Fatalf("%s: present: %v", name, err)
		}
		v := &vcdm.Verifier{Suites: []vcdm.Suite{suite}, AnyIssuer: true, AnyForm: true}
		checks := []map[string]any{{"name": "presented", "expect": "valid",
			"document": json.RawMessage(shown)}}
		if !selective {
			checks = append(checks, map[string]any{"name": "signed", "expect": "valid",
				"document": json.RawMessage(signed)})
		}
		// the peer compares contexts that are objects by identity, so none verifies
		if strings.Contains(a.Cryptosuite, "jcs") {
			plain, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx,
				fmt.Appendf(nil, bare, key.Public().DID()), options)
			if err != nil {
				t.Fatal(err)
			}
			checks = append(checks, map[string]any{"name": "contexts are strings", "expect": "valid",
				"document": json.RawMessage(plain)})
		}
		changed := bytes.Replace(shown, []byte(`"issuer":"did:key:z`), []byte(`"issuer":"did:key:y`), 1)
		checks = append(checks, map[string]any{"name": "another issuer", "expect": "invalid",
			"document": json.RawMessage(changed)})
		for _, c := range checks {
			if err := v.Verify(ctx,
				c["document"].(json.RawMessage)).Err(); (err == nil) != (c["expect"] == "valid") {
				t.Errorf("%s: %s: %v", name, c["name"], err)
			}
		}
		if out := os.Getenv("CANONSCOPE_ARTIFACTS"); out != "" {
			b, err := json.Marshal(map[string]any{"format": a.Format, "name": name,
				"cryptosuite": a.Cryptosuite, "generator": "canonscope", "checks": checks})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(out, name+".json"), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func readJSON(t testing.TB, v any, path ...string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
}

// secretFor returns the key pair of a verification method from the artifacts' key file.
func secretFor(t testing.TB, pairs map[string]json.RawMessage, method string) *keys.Secret {
	t.Helper()
	for _, raw := range pairs {
		var pair struct{ ID, SecretKeyMultibase string }
		if json.Unmarshal(raw, &pair) != nil || pair.ID != method {
			continue
		}
		s, err := keys.ParseSecret(pair.SecretKeyMultibase)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatalf("no key for %s", method)
	return nil
}
