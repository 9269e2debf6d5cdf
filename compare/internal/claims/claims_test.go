package claims_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/compare/mdoc"
	"canonscope/compare/sdjwt"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/vcdm/keys"
)

// TestCatalogue exchanges one document of every schema in both formats with both engines. The counts must be alike: each
// leaf under credentialSubject is one salt, one digest and one disclosure or element.
func TestCatalogue(t *testing.T) {
	for _, name := range append(catalogue.Names(), "simple-1", "simple-300") {
		t.Run(name, func(t *testing.T) {
			g, err := catalogue.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := g.Document(3, 1)
			if err != nil {
				t.Fatal(err)
			}
			made, err := claims.Of(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			var in claims.Input
			if err := json.Unmarshal(made.JSON, &in); err != nil {
				t.Fatal(err)
			}
			now := time.Unix(in.From, 0).Add(time.Hour)
			want := leaves(t, c.Subject)
			for _, engine := range []canon.Engine{"stock", "native"} {
				for format, f := range map[string]compare.Preparer{"sd-jwt-vc": sdjwt.NewFormat(engine, "EdDSA"), "mdoc": mdoc.NewFormat(engine, "EdDSA")} {
					x, err := f.Prepare(c, compare.Scenario{Now: now})
					if err != nil {
						t.Fatal(format, engine, err)
					}
					issued, err := x.Issue()
					if err != nil {
						t.Fatal(format, engine, err)
					}
					if x.Counters.Salts != want || x.Counters.Digests != want {
						t.Errorf("%s %s: %+v for %d leaves", format, engine, *x.Counters, want)
					}
					presented, err := x.Present(issued)
					if err != nil {
						t.Fatal(format, engine, err)
					}
					if err := x.Verify(presented); err != nil {
						t.Error(format, engine, err)
					}
					if len(presented) >= len(issued) && want > 1 {
						t.Errorf("%s %s: %d bytes presented of %d issued", format, engine, len(presented), len(issued))
					}
				}
			}
		})
	}
}

// leaves counts the values that are no object and no array, or empty ones.
func leaves(t *testing.T, b []byte) int {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	var count func(any) int
	count = func(v any) int {
		n := 0
		switch x := v.(type) {
		case map[string]any:
			for _, e := range x {
				n += count(e)
			}
		case []any:
			for _, e := range x {
				n += count(e)
			}
		default:
			return 1
		}
		return max(n, 1)
	}
	return count(v)
}

func TestOf(t *testing.T) {
	c := &schemas.Credential{Schema: "s", Types: []string{"VerifiableCredential", `A"B`}, Issuer: "https://i.example/<1>", ValidFrom: "2026-01-01T02:00:00+02:00",
		VCDM: []byte(`{"validUntil":"2026-02-01T00:00:00Z"}`), Subject: []byte(`{ "a/b": [1, {"c~": "<"}] }`),
		Disclose: []string{"/credentialSubject/a~1b/1/c~0", "/type/0"}, Mandatory: []string{"/issuer", "/credentialSubject/a~1b/0"}}
	got, err := claims.Of(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(got.JSON, append(append([]byte(`"credentialSubject":`), c.Subject...), '}')) {
		t.Errorf("the subject has changed: %s", got.JSON)
	}
	var in claims.Input
	if err := json.Unmarshal(got.JSON, &in); err != nil {
		t.Fatal(err)
	}
	if in.Issuer != c.Issuer || in.Type != `urn:canonscope:A"B` || in.From != 1767225600 || in.Until != 1769904000 {
		t.Errorf("%+v", in)
	}
	if want := "[/credentialSubject/a~1b/0 /credentialSubject/a~1b/1/c~0]"; fmt.Sprint(got.Disclose) != want {
		t.Errorf("disclose %v, want %s", got.Disclose, want)
	}
	if got, err = claims.Of(c, []string{"/credentialSubject"}); err != nil || fmt.Sprint(got.Disclose) != "[/credentialSubject]" {
		t.Errorf("%v %v", got, err)
	}
	for pointer, reason := range map[string]string{"/credentialSubject/x": "nothing at", "/credentialSubject/a~1b/01": "nothing at", "/credentialSubject/a~1b/2": "nothing at",
		"/credentialSubject/a~1b/0/x": "nothing at", "/evidence": "outside", "/credentialSubjects": "outside", "credentialSubject": "outside"} {
		if _, err := claims.Of(c, []string{pointer}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", pointer, err, reason)
		}
	}
	for _, change := range []func(*schemas.Credential){
		func(c *schemas.Credential) { c.Types = nil }, func(c *schemas.Credential) { c.ValidFrom = "yesterday" },
		func(c *schemas.Credential) { c.VCDM = []byte(`{"validUntil":"x"}`) }, func(c *schemas.Credential) { c.Subject = []byte(`{`) },
	} {
		bad := *c
		change(&bad)
		if _, err := claims.Of(&bad, nil); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}

func TestKeys(t *testing.T) {
	for _, algorithm := range keys.Algorithms {
		issuer, holder, err := claims.Keys(algorithm, compare.Scenario{Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := claims.Keys(algorithm, compare.Scenario{Seed: 5})
		if err != nil || !again.Public().Equal(issuer.Public()) {
			t.Error(algorithm, "one seed, two keys", err)
		}
		other, _, err := claims.Keys(algorithm, compare.Scenario{Seed: 6})
		if err != nil || other.Public().Equal(issuer.Public()) || holder.Public().Equal(issuer.Public()) {
			t.Error(algorithm, "two seeds or roles, one key", err)
		}
	}
	if _, _, err := claims.Keys("RS256", compare.Scenario{}); err == nil {
		t.Error("RS256")
	}
}
