package claims_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/compare/sdjwt"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
)

var granularities = []compare.Granularity{compare.Leaf, compare.Branch, compare.Claim}

func drawn(t *testing.T, schema string) *schemas.Credential {
	t.Helper()
	g, err := catalogue.Get(schema)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestElements(t *testing.T) {
	const subject = `{"a":1,"b":{"c":[],"d":{"e":[2,3]}},"f":[{"g":4},5],"h/~":{}}`
	for _, c := range []struct {
		subject string
		g       compare.Granularity
		want    string
	}{
		{subject, compare.Leaf, "/a /b/c /b/d/e/0 /b/d/e/1 /f/0/g /f/1 /h~1~0"},
		{subject, compare.Branch, "/a /b/c /b/d /f/0 /f/1 /h~1~0"},
		{subject, compare.Claim, "/a /b /f /h~1~0"},
		{`[{"a":{"b":[1]}},{"c":[2,3]}]`, compare.Leaf, "/0/a/b/0 /1/c/0 /1/c/1"},
		{`[{"a":{"b":[1]}},{"c":[2,3]}]`, compare.Branch, "/0/a/b /1/c/0 /1/c/1"},
		{`[{"a":{"b":[1]}},{"c":[2,3]}]`, compare.Claim, "/0/a /1/c"},
		{`{}`, compare.Branch, ""},
	} {
		got, err := claims.Elements([]byte(c.subject), c.g)
		if text := strings.ReplaceAll(strings.Join(got, " "), claims.Subject, ""); err != nil || text != c.want {
			t.Errorf("%s by %s: %s, %v\nwant %s", c.subject, c.g, text, err, c.want)
		}
	}
	for schema, want := range map[string]string{"ob3": "[261 37 14]", "simple-20": "[20 20 20]", "clr-medium": "[336 13 4]"} {
		var counts []int
		for _, g := range granularities {
			all, err := claims.Elements(drawn(t, schema).Subject, g)
			if err != nil {
				t.Fatal(err)
			}
			counts = append(counts, len(all))
		}
		if fmt.Sprint(counts) != want {
			t.Errorf("%s has %v elements, want %s", schema, counts, want)
		}
	}
	if _, err := claims.Elements([]byte(`{`), compare.Leaf); err == nil {
		t.Error("what is not JSON has elements")
	}
	if _, err := claims.Elements([]byte(`{}`), "twig"); err == nil || !strings.Contains(err.Error(), `unknown granularity "twig"`) {
		t.Error(err)
	}
}

func TestDisclosed(t *testing.T) {
	part := func(schema string, d compare.Disclosure, g compare.Granularity) (string, compare.Disclosed) {
		t.Helper()
		pointers, found, err := claims.Disclosed(drawn(t, schema), d, g)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(strings.Join(pointers, " "), claims.Subject, ""), found
	}
	pointer := func(p ...string) compare.Disclosure {
		t.Helper()
		d, err := compare.ParseDisclosure(p...)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	own, _ := part("simple-20", "", compare.Leaf)
	for _, c := range []struct {
		schema   string
		d        compare.Disclosure
		g        compare.Granularity
		pointers string
		elements int
	}{
		{"simple-20", "5", compare.Leaf, own, 5},
		{"simple-20", "5", compare.Leaf, "/attr00 /attr04 /attr08 /attr12 /attr16", 5},
		{"simple-20", "1", compare.Branch, "/attr00", 1},
		{"simple-20", "3", compare.Claim, "/attr00 /attr06 /attr13", 3},
		{"ob3", "", compare.Leaf, "/id /achievement/name /achievement/criteria /result/0", 14},
		{"ob3", "", compare.Branch, "/id /achievement/name /achievement/criteria /result/0", 4},
		{"ob3", "", compare.Claim, "/id /achievement /result", 3}, // a pointer into an element is the element's
		{"ob3", "2", compare.Claim, "/id /source", 2},
		{"ob3", pointer("/credentialSubject"), compare.Branch, "", 37},
		{"ob3", pointer("/credentialSubject/result", "/credentialSubject/result/1/type"), compare.Branch, "/result /result/1", 3},
	} {
		if got, found := part(c.schema, c.d, c.g); got != c.pointers || found.Elements != c.elements {
			t.Errorf("%s %s by %s: %s, %+v", c.schema, c.d, c.g, got, found)
		}
	}
	if got, found := part("ob3", compare.Everything, compare.Branch); strings.Count(got, " ") != 36 || found.Elements != 37 || found.Of != 37 {
		t.Errorf("%s, %+v", got, found)
	}

	for d, want := range map[compare.Disclosure]string{
		"21": "schema simple-20: 21 elements cannot be disclosed; at granularity leaf there are 20",
		pointer("/credentialSubject/attr00", "/credentialSubject/x"): "nothing to disclose is at /credentialSubject/x; /credentialSubject has 20 elements",
		pointer("/credentialSubjects"):                               "nothing to disclose is at /credentialSubjects",
		pointer("/issuer"):                                           "nothing to disclose is at /issuer", "%zz": "schema simple-20",
	} {
		if _, _, err := claims.Disclosed(drawn(t, "simple-20"), d, compare.Leaf); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", d, err)
		}
	}
}

// What a verifier gets is what the credential says, whatever is one disclosure and one element, by both engines; and each is
// one salt and one digest.
func TestGranularities(t *testing.T) {
	list, err := catalogue.Parse([]byte(`{"type":["VerifiableCredential","A"],"issuer":"https://i.example","credentialSubject":` +
		`[{"a":{"b":{"c":[1,-2,2.5,18446744073709551615,"é",true,false,null,{},[]]}}},{"d":[{"e":"f"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*schemas.Credential{drawn(t, "ob3"), drawn(t, "clr-small"), claimstest.Nested(), list} {
		for _, g := range granularities {
			for _, d := range []compare.Disclosure{"1", "3", compare.Everything} {
				pointers, found, err := claims.Disclosed(c, d, g)
				if found.Of < 3 && d == "3" {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				s := compare.Scenario{Disclose: pointers, Granularity: g}
				for _, engine := range claimstest.Engines {
					t.Run(fmt.Sprint(c.Schema, " ", g, " ", d, " ", engine), func(t *testing.T) {
						exchange := func(f claimstest.NewFormat) []byte {
							x, issued, presented := claimstest.Run(t, f(engine, "EdDSA"), c, s)
							if n := x.Counters.Salts; n != found.Of {
								t.Errorf("%d salts for %d elements", n, found.Of)
							}
							whole, err := x.Whole(issued)
							if err := errors.Join(err, x.Verify(whole), x.Verify(presented)); err != nil {
								t.Fatal(err)
							}
							return presented
						}
						subject, disclosed := claimsOfSDJWT(t, engine, exchange(sdjwt.NewFormat))
						if d == compare.Everything && !reflect.DeepEqual(subject, decoded(t, c.Subject)) {
							t.Errorf("sd-jwt-vc: %v", subject)
						}
						if disclosed != len(pointers) {
							t.Errorf("sd-jwt-vc discloses %d elements, want %v", disclosed, pointers)
						}
						presented, want := exchange(mdoc.NewFormat), valuesAt(t, c.Subject, pointers)
						for _, reader := range claimstest.Engines {
							if got := claimsOfMdoc(t, reader, presented); !reflect.DeepEqual(got, want) {
								t.Errorf("mdoc, read by %s: %v\nwant %v", reader, got, want)
							}
						}
					})
				}
			}
		}
	}
}

func decoded(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// valuesAt returns the values at pointers by identifier.
func valuesAt(t *testing.T, subject []byte, pointers []string) map[string]any {
	t.Helper()
	var tape jsontape.Tape
	if err := tape.Scan(subject, jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	values := make(map[string]any)
	for _, p := range pointers {
		below := strings.TrimPrefix(p, claims.Subject)
		values[below[1:]] = decoded(t, tape.Raw(tape.At(below)))
	}
	return values
}

func claimsOfSDJWT(t *testing.T, engine compare.Engine, presented []byte) (subject any, disclosed int) {
	t.Helper()
	issuer, _, err := claims.Keys("EdDSA", compare.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&sdjwt.Verifier{Engine: engine, Key: issuer.Public(), AnySubject: true, Now: claimstest.Now}).Verify(presented)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Claims()
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, b).(map[string]any)["credentialSubject"], len(r.Disclosed())
}

func claimsOfMdoc(t *testing.T, engine compare.Engine, presented []byte) map[string]any {
	t.Helper()
	issuer, _, err := claims.Keys("EdDSA", compare.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	documents, err := (&mdoc.Verifier{Engine: engine, Key: issuer.Public(), Now: claimstest.Now}).Verify(presented)
	if err != nil {
		t.Fatal(err)
	}
	mode, err := cbor.DecOptions{DefaultMapType: reflect.TypeFor[map[string]any]()}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]any)
	for _, e := range documents[0].Elements {
		var v any
		if err := mode.Unmarshal(e.Value, &v); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		values[e.Identifier] = decoded(t, b)
	}
	if len(values) != len(documents[0].Elements) {
		t.Errorf("elements repeat: %v", slices.Sorted(maps.Keys(values)))
	}
	return values
}
