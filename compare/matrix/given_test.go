package matrix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/schemas/catalogue"
)

const club = "https://club.example/v1"

// given reads a document of the user.
func given(t *testing.T, file, doc string) (string, compare.Given) {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	name, b, err := catalogue.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return name, compare.Given{Documents: map[string][]byte{name: b}}
}

// A document is checked by the method that would read it, with the contexts that are given.
func TestCheckGiven(t *testing.T) {
	context := map[string][]byte{club: []byte(`{"@context":{"level":"urn:v:level"}}`)}
	member := `{"@context":["https://www.w3.org/ns/credentials/v2","` + club + `"],"type":["VerifiableCredential"],` +
		`"issuer":"urn:i","credentialSubject":{"id":"urn:s","level":"gold"}}`
	for name, test := range map[string]struct {
		file, doc, suite string
		contexts         map[string][]byte
		want             string
	}{
		"without the context":    {"a.json", member, "eddsa-rdfc-2022", nil, club},
		"with it":                {"a.json", member, "eddsa-rdfc-2022", context, ""},
		"by JCS":                 {"a.json", member, "eddsa-jcs-2022", nil, ""},
		"without canonicalizing": {"a.json", member, "jws", nil, ""},
		"half a statement":       {"a.nq", "<urn:a> <urn:b> .\n", "rdfc", nil, "a.nq@"},
		"no statement":           {"a.nq", "# none\n", "rdfc", nil, "holds no statement"},
		"a statement":            {"a.nq", "<urn:a> <urn:b> <urn:c> .\n", "rdfc", nil, ""},
	} {
		schema, all := given(t, test.file, test.doc)
		all.Contexts = test.contexts
		s, err := matrix.Select(matrix.Filter{Schemas: []string{schema}, Suites: []string{test.suite},
			Engines: []string{"native"}, Given: all}, matrix.DefaultPolicy)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := s.Check(t.Context()); (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A path is not opened behind the back of who selects, or processes would read the file again.
func TestPathIsNotGiven(t *testing.T) {
	if _, err := matrix.Select(matrix.Filter{Schemas: []string{"./a.json"}}, matrix.DefaultPolicy); err == nil ||
		!strings.Contains(err.Error(), "catalogue.ReadFile") {
		t.Error(err)
	}
}

func TestSelectionAgainst(t *testing.T) {
	s, err := matrix.Select(matrix.Filter{Schemas: []string{"simple-5"}, Suites: []string{"jws", "eddsa-rdfc-2022"}}, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckAgainst([]string{"vcdm", "sd-jwt-vc", "jws", "eddsa-rdfc-2022"}); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"mdoc", "floor", "ecdsa-sd-2023"} {
		if err := s.CheckAgainst([]string{"jws", name}); err == nil || !strings.Contains(err.Error(), name+" is not measured; choose ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Refused() != nil {
		t.Error("credentials are refused")
	}
	s, err = matrix.Select(matrix.Filter{Schemas: []string{"ring-5"}, Suites: []string{"jws"}}, matrix.DefaultPolicy)
	if err != nil || s.Refused() == nil {
		t.Errorf("N-Quads as a credential: %v", err)
	}
}
