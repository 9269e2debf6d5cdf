package mdoc_test

import (
	"errors"
	"fmt"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

// Values that pointers name are one element each, the outermost of them; other leaves are elements of their own.
func TestIssuerElements(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	const claims = `{"nbf":1767225600,"exp":1893456000,"vct":"urn:x",` +
		`"credentialSubject":{"a":{"b":[1],"c":{"d":"e"}},"f":[{"g":null}],"h/i":[true]}}`
	for _, engine := range engines {
		i := mdoc.Issuer{Engine: engine, Key: key, Chain: [][]byte{{1}}, Device: key.Public()}
		for _, c := range []struct {
			elements []string
			want     string
		}{
			{nil, `[a/b/0 a/c/d f/0/g h~1i/0]`},
			{[]string{"/credentialSubject/a", "/credentialSubject/a/c", "/credentialSubject/h~1i"}, `[a f/0/g h~1i]`},
			{[]string{"/credentialSubject/f/0", "/credentialSubject/a/c"}, `[a/b/0 a/c f/0 h~1i/0]`},
		} {
			i.Elements = c.elements
			issued, err := i.Issue([]byte(claims))
			if err != nil {
				t.Fatal(engine, c.elements, err)
			}
			documents, err := (&mdoc.Verifier{Key: key.Public(), Now: now}).Verify(issued)
			if err != nil {
				t.Fatal(engine, c.elements, err)
			}
			var ids []string
			for _, e := range documents[0].Elements {
				ids = append(ids, e.Identifier)
			}
			if got := fmt.Sprint(ids); got != c.want {
				t.Errorf("%s: %v are %s, want %s", engine, c.elements, got, c.want)
			}
		}
		for _, p := range []string{"/credentialSubject/x", "/credentialSubject/a/b/1", "/credentialSubject/a/b/0/c"} {
			i.Elements = []string{"/credentialSubject/a/c", p}
			var missing *canon.PointerError
			if _, err := i.Issue([]byte(claims)); !errors.As(err, &missing) || missing.Pointer != p {
				t.Errorf("%s: %s: %v", engine, p, err)
			}
		}
		for _, p := range []string{"", "/credentialSubject", "/vct", "credentialSubject/a"} {
			i.Elements = []string{p}
			var invalid *compare.InvalidError
			if _, err := i.Issue([]byte(claims)); !errors.As(err, &invalid) {
				t.Errorf("%s: %q: %v", engine, p, err)
			}
		}
		i.Elements = []string{"/credentialSubject/a"}
		var unsupported *canon.UnsupportedError
		_, err := i.Issue([]byte(`{"nbf":1,"exp":2,"vct":"x","credentialSubject":{"a":{"b":[99999999999999999999]}}}`))
		if !errors.As(err, &unsupported) || unsupported.Where != "a" {
			t.Errorf("%s: %v", engine, err)
		}
	}
}
