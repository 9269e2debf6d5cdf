package claims_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/compare/internal/claimstest"
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
			now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
			want := leaves(t, c.Subject)
			for _, engine := range []canon.Engine{"stock", "native"} {
				for format, f := range map[compare.Format]compare.Preparer{compare.SDJWT: sdjwt.NewFormat(engine, "EdDSA"), compare.Mdoc: mdoc.NewFormat(engine, "EdDSA")} {
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
	c := &schemas.Credential{Schema: "s", Types: []string{"VerifiableCredential", `A"B`}, Issuer: "https://i.example/<1>",
		VCDM: []byte(`{"validFrom":"2026-01-01T02:00:00+02:00","validUntil":"2026-02-01T00:00:00Z"}`), Subject: []byte(`{ "a/b": [1, {"c~": "<"}] }`),
		Disclose: []string{"/credentialSubject/a~1b/1/c~0", "/type/0"}, Mandatory: []string{"/issuer", "/credentialSubject/a~1b/0"}}
	got, err := claims.Of(c, claims.Request{}, compare.Scenario{})
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
	if in.Issuer != c.Issuer || in.Type != `A"B` || in.From != 1767225600 || in.Until != 1769904000 {
		t.Errorf("%+v", in)
	}
	if want := "[/credentialSubject/a~1b/0 /credentialSubject/a~1b/1/c~0]"; fmt.Sprint(got.Disclose) != want {
		t.Errorf("disclose %v, want %s", got.Disclose, want)
	}
	if got, err = claims.Of(c, claims.Request{}, compare.Scenario{Disclose: []string{"/credentialSubject"}}); err != nil || fmt.Sprint(got.Disclose) != "[/credentialSubject]" {
		t.Errorf("%v %v", got, err)
	}
	for pointer, reason := range map[string]string{"/credentialSubject/x": "nothing at", "/credentialSubject/a~1b/01": "nothing at", "/credentialSubject/a~1b/2": "nothing at",
		"/credentialSubject/a~1b/0/x": "nothing at", "/evidence": "outside", "/credentialSubjects": "outside", "credentialSubject": "outside"} {
		if _, err := claims.Of(c, claims.Request{}, compare.Scenario{Disclose: []string{pointer}}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", pointer, err, reason)
		}
	}
	for _, change := range []func(*schemas.Credential){
		func(c *schemas.Credential) { c.Types = nil }, func(c *schemas.Credential) { c.VCDM = []byte(`{"validFrom":"yesterday"}`) },
		func(c *schemas.Credential) { c.VCDM = []byte(`{"validUntil":"x"}`) }, func(c *schemas.Credential) { c.Subject = []byte(`{`) },
	} {
		bad := *c
		change(&bad)
		if _, err := claims.Of(&bad, claims.Request{}, compare.Scenario{}); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}

// Nothing that the credential does not say is in what is measured, but for what an mdoc cannot do without, which is told.
func TestOfMakesNothingUp(t *testing.T) {
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for doc, want := range map[string][2]string{ // of sd-jwt-vc, of mdoc
		`{}`: {`{"iss":"u:i","vct":"A","credentialSubject":{"a":1}}`,
			`{"iss":"u:i","nbf":1780272000,"exp":253402300799,"vct":"A","credentialSubject":{"a":1}}`},
		`{"id":"u:c","issuanceDate":"2026-01-01T00:00:00Z"}`: {`{"iss":"u:i","nbf":1767225600,"vct":"A","credentialSubject":{"a":1}}`,
			`{"iss":"u:i","nbf":1767225600,"exp":253402300799,"vct":"A","credentialSubject":{"a":1}}`},
		`{"validFrom":"2026-01-01T00:00:00Z","expirationDate":"2026-02-01T00:00:00Z"}`: {
			`{"iss":"u:i","nbf":1767225600,"exp":1769904000,"vct":"A","credentialSubject":{"a":1}}`,
			`{"iss":"u:i","nbf":1767225600,"exp":1769904000,"vct":"A","credentialSubject":{"a":1}}`},
	} {
		c := &schemas.Credential{Types: []string{"A", "VerifiableCredential"}, Issuer: "u:i", VCDM: []byte(doc), Subject: []byte(`{"a":1}`),
			Disclose: []string{"/credentialSubject/a"}}
		for i, mdoc := range []bool{false, true} {
			got, err := claims.Of(c, claims.Request{Format: compare.Mdoc, Bare: mdoc, Now: at}, compare.Scenario{})
			if err != nil || string(got.JSON) != want[i] {
				t.Errorf("%s, mdoc %v: %s %v", doc, mdoc, got.JSON, err)
				continue
			}
			said := strings.Join(got.Chosen, "\n")
			for text, told := range map[string]bool{"is A, as /type has it": true,
				"the beginning of validity is 2026-06-01T00:00:00Z, the time of issue": mdoc && doc == "{}",
				"left out, since it has no place: /id":                                 strings.Contains(doc, "id\""),
				"the end of validity is 9999-12-31T23:59:59Z":                          mdoc && !strings.Contains(doc, "expir")} {
				if strings.Contains(said, text) != told {
					t.Errorf("%s, mdoc %v: says %s, and %q is %v", doc, mdoc, said, text, told)
				}
			}
		}
	}
}

// A list of subjects is exchanged in both formats: the pointers and identifiers of its leaves begin with the number of the
// subject.
func TestListOfSubjects(t *testing.T) {
	for subject, count := range map[string]int{`[{"name":"one or more"}]`: 1, `[{"name":"one or more","a":[]},{"name":"two"}]`: 3} {
		c, err := catalogue.Parse([]byte(`{"type":["VerifiableCredential","A"],"issuer":"https://i.example","credentialSubject":` + subject + `}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []canon.Engine{canon.Stock, canon.Native} {
			for format, f := range map[compare.Format]compare.Preparer{compare.SDJWT: sdjwt.NewFormat(engine, "EdDSA"), compare.Mdoc: mdoc.NewFormat(engine, "EdDSA")} {
				_, issued, presented := claimstest.Run(t, f, c, compare.Scenario{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)})
				if len(presented) > len(issued) {
					t.Errorf("%s %s: %d bytes presented of %d issued", format, engine, len(presented), len(issued))
				}
				issuer, _, err := claims.Keys("EdDSA", compare.Scenario{})
				if err != nil {
					t.Fatal(err)
				}
				if format == compare.Mdoc {
					documents, err := (&mdoc.Verifier{Engine: engine, Key: issuer.Public()}).Verify(issued)
					if err != nil {
						t.Fatal(err)
					}
					var ids []string
					for _, e := range documents[0].Elements {
						ids = append(ids, e.Identifier)
					}
					if len(ids) != count || !slices.Contains(ids, "0/name") || count > 1 && !slices.Contains(ids, "1/name") {
						t.Errorf("%s: elements %q", engine, ids)
					}
					continue
				}
				r, err := (&sdjwt.Verifier{Engine: engine, Key: issuer.Public(), AnySubject: true}).Verify(issued)
				if err != nil {
					t.Fatal(err)
				}
				if got := r.Disclosed(); len(got) != count || !slices.Contains(got, "/credentialSubject/0/name") {
					t.Errorf("%s: disclosed %q", engine, got)
				}
			}
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
