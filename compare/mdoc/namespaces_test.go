package mdoc_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

// disclosed presents with both engines and lists what is disclosed, as pointers to it, or returns the error.
func disclosed(t *testing.T, issued []byte, pointers ...string) ([]string, error) {
	t.Helper()
	samePresentation(t, issued, pointers...)
	_, err := (&mdoc.Holder{Engine: canon.Native}).Present(issued, pointers, nil)
	if _, other := (&mdoc.Holder{Engine: canon.Stock}).Present(issued, pointers, nil); fmt.Sprint(err) != fmt.Sprint(other) {
		t.Errorf("%q: native says %v, stock says %v", pointers, err, other)
	}
	if err != nil {
		return nil, err
	}
	var s issuerSigned
	decode(t, samePresentation(t, issued, pointers...), &s)
	var out []string
	for ns, items := range s.NameSpaces {
		for _, item := range items {
			var inner struct {
				Identifier string `cbor:"elementIdentifier"`
			}
			var tag cbor.Tag
			decode(t, item, &tag)
			decode(t, tag.Content.([]byte), &inner)
			out = append(out, (&mdoc.Element{NameSpace: ns, Identifier: inner.Identifier}).Pointer())
		}
	}
	slices.Sort(out)
	return out, nil
}

// Two namespaces may have elements of one name: a pointer names the namespace, or is refused where it does not say which.
func TestNamespaces(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(official.Dir(t, "reports"), "72-two-ns.hex"))
	if err != nil {
		t.Fatal(err)
	}
	issued := unhex(t, string(b))
	const iso, aamva = "/org.iso.18013.5.1", "/org.iso.18013.5.1.aamva"
	var filler []string // so many that they are looked up
	for range 20 {
		filler = append(filler, iso+"/given_name")
	}
	for _, c := range []struct {
		pointers, want []string
		err            string
	}{
		{[]string{iso + "/family_name"}, []string{iso + "/family_name"}, ""},
		{[]string{aamva + "/family_name"}, []string{aamva + "/family_name"}, ""},
		{[]string{iso + "/family_name", aamva + "/family_name"}, []string{aamva + "/family_name", iso + "/family_name"}, ""},
		{[]string{"/credentialSubject/given_name", "/credentialSubject/sex"}, []string{aamva + "/sex", iso + "/given_name"}, ""},
		{[]string{aamva}, []string{aamva + "/family_name", aamva + "/sex"}, ""},
		{[]string{"/credentialSubject"}, []string{aamva + "/family_name", aamva + "/sex", iso + "/family_name", iso + "/given_name"}, ""},
		{[]string{"/credentialSubject/family_name"}, nil, "mdoc /credentialSubject/family_name: is in several namespaces; write " +
			aamva + "/family_name or " + iso + "/family_name (ISO/IEC 18013-5 section 8.3.2.1.2.2)"},
		{[]string{"/credentialSubject/famly_name"}, nil, `JSON pointer /credentialSubject/famly_name does not match the credential: ` +
			`no namespace has an element "famly_name"; did you mean "` + iso + `/family_name"?`},
		{[]string{"/family_name"}, nil, `JSON pointer /family_name does not match the credential: there is no namespace "family_name"; did you mean "` +
			iso + `/family_name"?`},
		{[]string{"/org.iso.18013.5.2/sex"}, nil, `JSON pointer /org.iso.18013.5.2/sex does not match the credential: ` +
			`there is no namespace "org.iso.18013.5.2"; did you mean "org.iso.18013.5.1"?`},
		{[]string{"/org.iso.18013.5.1.aamv/sex"}, nil, `JSON pointer /org.iso.18013.5.1.aamv/sex does not match the credential: ` +
			`there is no namespace "org.iso.18013.5.1.aamv"; did you mean "org.iso.18013.5.1.aamva"?`},
		{[]string{aamva + "/given_name"}, nil, "JSON pointer " + aamva + "/given_name does not match the credential: " +
			`namespace org.iso.18013.5.1.aamva has no element "given_name"`},
		{[]string{"family_name"}, nil, "JSON pointer family_name does not match the credential: it does not start with /, as /credentialSubject/name does"},
		{[]string{""}, nil, "JSON pointer  does not match the credential: it does not start with /, as /credentialSubject/name does"},
	} {
		for _, more := range [][]string{nil, filler} {
			want := c.want
			if more != nil && c.err == "" && !slices.Contains(want, iso+"/given_name") {
				want = append(slices.Clone(want), iso+"/given_name")
				slices.Sort(want)
			}
			got, err := disclosed(t, issued, append(slices.Clone(c.pointers), more...)...)
			if !slices.Equal(got, want) || err != nil && err.Error() != c.err || err == nil && c.err != "" {
				t.Errorf("%q: %q, %v", c.pointers, got, err)
			}
			var pointer *canon.PointerError
			var invalid *compare.InvalidError
			if c.err != "" && !errors.As(err, &pointer) && !errors.As(err, &invalid) {
				t.Errorf("%q: an error of type %T", c.pointers, err)
			}
		}
	}
}

// The name of a namespace is escaped in a pointer, an identifier stands as it is.
func TestEscapedNamespace(t *testing.T) {
	key := claimstest.Key(t, keys.ES256)
	i := mdoc.Issuer{Key: key, Device: key.Public(), Chain: [][]byte{{1}}}
	issued, err := i.Issue([]byte(`{"nbf":1,"exp":2,"vct":"https://a.example/~b","credentialSubject":{"c":{"d/e":1,"f":2},"g":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	const pointer = "/https:~1~1a.example~1~0b/c/d~1e"
	if got, err := disclosed(t, issued, pointer); err != nil || !slices.Equal(got, []string{pointer}) {
		t.Errorf("%q, %v", got, err)
	}
	// A pointer names what is below it, and nothing that only begins like it, also among many.
	const ns = "/https:~1~1a.example~1~0b"
	for _, n := range []int{1, 16, 17} {
		if got, err := disclosed(t, issued, slices.Repeat([]string{ns + "/c"}, n)...); err != nil || len(got) != 2 {
			t.Errorf("%d pointers: %q, %v", n, got, err)
		}
		var missing *canon.PointerError
		for _, p := range []string{ns + "/c/d", ns + "/c/d~1", ns + "/gg", "/credentialSubject/c/d"} {
			if got, err := disclosed(t, issued, append(slices.Repeat([]string{ns + "/g"}, n), p)...); !errors.As(err, &missing) || missing.Pointer != p {
				t.Errorf("%s among %d pointers: %q, %v", p, n, got, err)
			}
		}
	}
}
