package rules_test

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"

	"github.com/mr-tron/base58"
)

const (
	old    = `["https://www.w3.org/2018/credentials/v1"]`
	issuer = "https://www.w3.org/2018/credentials#issuer"
)

// document returns a document with members replaced, or left out where the value is "".
func document(members map[string]string, changes ...string) string {
	all := map[string]string{}
	for name, v := range members {
		all[name] = v
	}
	for i := 0; i < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	var list []string
	for name, v := range all {
		if v != "" {
			key, _ := json.Marshal(name)
			list = append(list, string(key)+":"+v)
		}
	}
	slices.Sort(list)
	return "{" + strings.Join(list, ",") + "}"
}

var (
	credential = map[string]string{"@context": `["https://www.w3.org/ns/credentials/v2"]`,
		"type": `["VerifiableCredential"]`, "issuer": `"urn:x:1"`, "credentialSubject": `{"id":"urn:x:2","a":1}`}
	credential1 = map[string]string{"@context": old, "type": `"VerifiableCredential"`, "issuer": `"urn:x:1"`,
		"credentialSubject": `{"id":"urn:x:2","a":1}`, "issuanceDate": `"2025-01-01T00:00:00Z"`}
	presentation = map[string]string{"@context": `["https://www.w3.org/ns/credentials/v2"]`,
		"type": `["VerifiablePresentation"]`}
)

// places returns where the errors are, in order.
func places(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var all []string
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		p := new(problem.Error)
		if !errors.As(e, &p) {
			t.Fatal(e)
		}
		all = append(all, p.Where)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Each rule of the data model is refused at its place (VC Data Model 2.0 sections 4.3 to 5.4, and 1.1).
func TestPlaces(t *testing.T) {
	const v2 = `"https://www.w3.org/ns/credentials/v2"`
	for _, c := range []struct {
		of      map[string]string
		changes []string
		want    string
	}{
		{credential, nil, ""},
		{credential, []string{"id", `"urn:x:0"`}, ""},
		{credential, []string{"id", `5`}, "/id"},
		{credential, []string{"id", `"x"`}, "/id"},

		// 4.3 contexts
		{credential, []string{"@context", ""}, "/@context"},
		{credential, []string{"@context", v2}, "/@context"},
		{credential, []string{"@context", `[]`}, "/@context/0"},
		{credential, []string{"@context", `["urn:x:c"]`}, "/@context/0"},
		{credential, []string{"@context", `[{"a":"urn:x:a"},` + v2 + `]`}, "/@context/0"},
		{credential, []string{"@context", `[5,` + v2 + `]`}, "/@context/0 /@context/0"},
		{credential, []string{"@context", `[` + v2 + `,"urn:x:c",{"a":"urn:x:a"}]`}, ""},
		{credential, []string{"@context", `[` + v2 + `,"x",5,null]`}, "/@context/1 /@context/2 /@context/3"},

		// 5.2 terms of the base context, alone and in an inner context, and further names of them
		{credential, []string{"@context", `[` + v2 + `,{"issuer":"urn:x:i"}]`}, "/@context/1/issuer"},
		{credential, []string{"@context", `[` + v2 + `,{"VerifiableCredential":{"@id":"urn:x:i"}}]`},
			"/@context/1/VerifiableCredential"},
		{credential, []string{"@context", `[` + v2 + `,{"@context":{"id":"urn:x:i"}}]`}, "/@context/1/@context/id"},
		{credential, []string{"@context", `[` + v2 + `,{"id":"@id","@context":5,"a":5,"b":{"@id":5},"c":{}}]`}, ""},
		{credential, []string{"@context", `[` + v2 + `,{"a/b":"` + issuer + `","c":{"@id":"` + issuer + `"}}]`},
			"/@context/1/a~1b /@context/1/c"},
		{credential, []string{"@context", `[` + v2 + `,{"@protected":true,"@version":1.1}]`}, ""},

		// 4.5 types
		{credential, []string{"type", ""}, "/type"},
		{credential, []string{"type", `"VerifiableCredential"`}, ""},
		{credential, []string{"type", `[]`}, "/type"},
		{credential, []string{"type", `"T"`}, "/type"},
		{credential, []string{"type", `["VerifiableCredential","",5,"T"]`}, "/type/1 /type/2"},
		{credential, []string{"type", `["VerifiableCredential","VerifiablePresentation"]`}, "/type"},

		// 4.7 issuers
		{credential, []string{"issuer", ""}, "/issuer"},
		{credential, []string{"issuer", `5`}, "/issuer"},
		{credential, []string{"issuer", `["urn:x:1"]`}, "/issuer"},
		{credential, []string{"issuer", `"x"`}, "/issuer"},
		{credential, []string{"issuer", `{"name":"x"}`}, "/issuer/id"},
		{credential, []string{"issuer", `{"id":"x"}`}, "/issuer/id"},
		{credential, []string{"issuer", `{"id":"urn:x:1","name":5}`}, "/issuer/name"},
		{credential, []string{"issuer", `{"id":"urn:x:1","name":"x"}`}, ""},

		// 4.8 subjects
		{credential, []string{"credentialSubject", ""}, "/credentialSubject"},
		{credential, []string{"credentialSubject", `[]`}, "/credentialSubject"},
		{credential, []string{"credentialSubject", `{}`}, "/credentialSubject"},
		{credential, []string{"credentialSubject", `"urn:x:2"`}, "/credentialSubject"},
		{credential, []string{"credentialSubject", `[{"a":1},{},5,{"id":5}]`},
			"/credentialSubject/1 /credentialSubject/2 /credentialSubject/3/id"},

		// 4.9 period
		{credential, []string{"validFrom", `5`, "validUntil", `"2025"`}, "/validFrom /validUntil"},
		{credential, []string{"validFrom", `"2025-01-01T00:00:00Z"`, "validUntil", `"2025-01-01T00:00:00Z"`}, ""},
		{credential, []string{"validFrom", `"2025-01-01T00:00:01Z"`, "validUntil", `"2025-01-01T00:00:00Z"`}, "/validUntil"},
		{credential, []string{"validFrom", `"2025-01-01T00:00:00"`}, "/validFrom"},
		{credential, []string{"issuanceDate", `5`}, ""},
		{credential1, nil, ""},
		{credential1, []string{"issuanceDate", ""}, "/issuanceDate"},
		{credential1, []string{"issuanceDate", `5`}, "/issuanceDate"},
		{credential1, []string{"expirationDate", `"2024-01-01T00:00:00Z"`}, "/expirationDate"},
		{credential1, []string{"@context", `["https://www.w3.org/2018/credentials/v1",{"issuer":"urn:x:i"}]`}, ""},

		// 4.6 and 11.1 texts
		{credential, []string{"name", `"x"`, "description", `{"@value":"x","@language":"en","@direction":"ltr"}`}, ""},
		{credential, []string{"name", `5`, "description", `[{"@value":"x"},"y",null]`}, "/description/2 /name"},
		{credential, []string{"name", `{}`, "description", `{"@value":5}`}, "/description/@value /name/@value"},
		{credential, []string{"name", `{"@value":"x","@language":5,"@direction":5,"x":1}`},
			"/name/@direction /name/@language /name/x"},

		// 4.10 to 5.4 what has a type
		{credential, []string{"credentialStatus", `"x"`}, "/credentialStatus"},
		{credential, []string{"credentialStatus", `{"type":"T"}`, "evidence", `[{"type":["T","U"]},{"type":"T"}]`}, ""},
		{credential, []string{"credentialStatus", `{}`, "evidence", `[{"type":[]},{"type":[5]},{"type":["T",5]},{"type":5}]`},
			"/credentialStatus/type /evidence/0/type /evidence/1/type /evidence/2/type /evidence/3/type"},
		{credential, []string{"termsOfUse", `{"type":"T","id":"x"}`}, "/termsOfUse/id"},
		{credential, []string{"credentialSchema", `[{"type":"T"},{"type":"T","id":"urn:x:s"}]`}, "/credentialSchema/0/id"},
		{credential1, []string{"credentialStatus", `{"type":"T"}`, "refreshService", `{"type":"T"}`},
			"/credentialStatus/id /refreshService/id"},

		// members in other words
		{credential, []string{"@type", `"T"`, "@id", `"urn:x:0"`, "@graph", `{}`, "@nest", `{}`, issuer, `"urn:x:1"`, "@included", `{}`},
			"/@graph /@id /@nest /@type /https:~1~1www.w3.org~12018~1credentials#issuer"},

		// 5.3 related resources
		{credential, []string{"relatedResource", `5`}, "/relatedResource"},
		{credential, []string{"relatedResource", `{}`}, "/relatedResource /relatedResource/id"},
		{credential, []string{"relatedResource", `[{"id":"urn:x:r","digestSRI":"a"},{"id":"urn:x:s","digestMultibase":"a"}]`}, ""},
		{credential, []string{"relatedResource", `[{"id":"urn:x:r","digestSRI":"a"},{"id":"urn:x:r","digestSRI":"a"},{"id":"x","digestSRI":"a"},{"id":5,"digestSRI":"a"}]`},
			"/relatedResource/1/id /relatedResource/2/id /relatedResource/3/id"},
		{credential, []string{"proof", `[{},5]`}, "/proof/1"},

		// 4.13 presentations
		{presentation, nil, ""},
		{presentation, []string{"holder", `"urn:x:h"`}, ""},
		{presentation, []string{"holder", `{"id":5}`}, "/holder/id"},
		{presentation, []string{"termsOfUse", `{}`}, "/termsOfUse/type"},
		{presentation, []string{"proof", `5`}, "/proof"},
		{presentation, []string{"id", `5`}, "/id"},
		{presentation, []string{"verifiableCredential", `["x",` + document(credential, "issuer", "5") + `]`},
			"/verifiableCredential/0 /verifiableCredential/1/issuer"},
		{presentation, []string{"verifiableCredential", `[{"type":"EnvelopedVerifiableCredential"},
			{"type":"EnvelopedVerifiableCredential","@context":` + v2 + `,"id":"urn:x:1"},
			{"type":"EnvelopedVerifiableCredential","@context":"urn:x:c","id":5},
			{"type":"EnvelopedVerifiableCredential","@context":` + v2 + `,"id":"data:x"},
			{"type":"EnvelopedVerifiableCredential","@context":[` + v2 + `],"id":"data:x"}]`},
			"/verifiableCredential/0/@context /verifiableCredential/0/id /verifiableCredential/1/id " +
				"/verifiableCredential/2/@context /verifiableCredential/2/id"},
	} {
		check := rules.CheckCredential
		if c.of["type"] == presentation["type"] {
			check = rules.CheckPresentation
		}
		doc := document(c.of, c.changes...)
		if got := places(t, check([]byte(doc), canon.Limits{})); got != c.want {
			t.Errorf("%s\nis wrong at %s, want %s", doc, got, c.want)
		}
	}
}

// What is said of one document has a bound: 100 faults are all told, of more the first 100.
func TestFaultsAreBounded(t *testing.T) {
	for _, n := range []int{rules.MaxErrors - 1, rules.MaxErrors, rules.MaxErrors + 1} {
		bad := "[" + strings.TrimSuffix(strings.Repeat("5,", n), ",") + "]"
		err := rules.CheckCredential([]byte(document(credential, "evidence", bad)), canon.Limits{})
		if got := len(strings.Fields(places(t, err))); got != min(n, rules.MaxErrors) {
			t.Errorf("%d errors of %d faults", got, n)
		}
	}
}

func read(t *testing.T, doc string) *rules.Document {
	t.Helper()
	d, err := rules.Read(new(jsontape.Tape), []byte(doc), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// What nobody checked is listed, status and schema first, then what others say, then each outermost
// credential inside the document but for those of a presentation, to a bound of number and of size.
func TestUnchecked(t *testing.T) {
	const inner = `{"type":"VerifiableCredential","of":{"type":"VerifiableCredential"}}`
	doc := document(credential, "credentialStatus", `5`, "credentialSchema", `5`, "x", `[5,`+inner+`,{"y":`+inner+`}]`)
	if got := read(t, doc).Unchecked([]string{"other"}); !slices.Equal(got,
		[]string{"/credentialStatus", "/credentialSchema", "other", "/x/1", "/x/2/y"}) {
		t.Errorf("%q", got)
	}
	doc = document(presentation, "a", inner, "verifiableCredential", `[`+inner+`]`, "z", inner)
	if got := read(t, doc).Unchecked(nil); !slices.Equal(got, []string{"/a", "/z"}) {
		t.Errorf("of a presentation: %q", got)
	}
	doc = document(presentation, "type", `"VerifiableCredential"`, "verifiableCredential", inner)
	if got := read(t, doc).Unchecked(nil); !slices.Equal(got, []string{"/verifiableCredential"}) {
		t.Errorf("of a credential: %q", got)
	}

	for _, n := range []int{rules.MaxErrors - 2, rules.MaxErrors - 1} {
		doc := document(credential, "x", "["+strings.TrimSuffix(strings.Repeat(inner+",", n), ",")+"]")
		got := read(t, doc).Unchecked([]string{"other"})
		if want := min(n+1, rules.MaxErrors); len(got) != want || got[want-1] == "(and more)" {
			t.Errorf("%d credentials inside: %d are listed, last %s", n, len(got), got[len(got)-1])
		}
		more := document(credential, "w", inner, "x", "["+strings.TrimSuffix(strings.Repeat(inner+",", n), ",")+"]")
		got = read(t, more).Unchecked([]string{"other"})
		if full := n == rules.MaxErrors-1; full != (got[len(got)-1] == "(and more)") || full && len(got) != rules.MaxErrors+1 {
			t.Errorf("%d credentials inside: %d are listed, last %s", n+1, len(got), got[len(got)-1])
		}
	}

	for _, extra := range []int{0, 1} {
		long := strings.Repeat("a", 1<<20-len("/a")+extra-1) // so that /a and this one have 1 MiB, and one more
		got := read(t, document(credential, "a", inner, long, inner, "b", inner)).Unchecked(nil)
		if more := got[len(got)-1] == "(and more)"; more != (extra > 0) || len(got) != 3 {
			t.Errorf("pointers of 1 MiB and %d: %d are listed, more %v", extra, len(got), more)
		}
	}
}

// Contexts that are neither built in nor named as known are listed once, to a bound of number and of size.
func TestUnknownContexts(t *testing.T) {
	v2 := credential["@context"]
	for _, c := range []struct {
		doc   string
		known []string
		want  string
	}{
		{document(credential), nil, "[]"},
		{document(credential, "@context", ""), nil, "[]"},
		{document(credential, "@context", "", "x", `{"@context":"urn:x:c"}`), nil, "[{/x/@context urn:x:c}]"},
		{document(credential, "@context", `"urn:x:c"`, "x", `{"@context":"urn:x:c"}`), nil, "[{/@context urn:x:c}]"},
		{document(credential, "@context", `["urn:x:c",{"@context":{}}]`, "x", `{"@context":{"@context":{}}}`), nil,
			"[{/@context/0 urn:x:c} {/@context/1 } {/x/@context }]"},
		{document(credential, "x", `{"@context":"urn:x:c"}`, "y", `{"@context":"urn:x:d"}`), []string{`"urn:x:c"`, v2},
			"[{/y/@context urn:x:d}]"},
	} {
		if got := fmt.Sprint(read(t, c.doc).UnknownContexts(c.known)); got != c.want {
			t.Errorf("%s\n%s, want %s", c.doc, got, c.want)
		}
	}

	for _, n := range []int{rules.MaxErrors, rules.MaxErrors + 1} {
		doc := document(credential, "@context", "["+strings.TrimSuffix(strings.Repeat(`{},`, n), ",")+"]")
		got := read(t, doc).UnknownContexts(nil)
		if more := got[len(got)-1].Pointer == "(and more)"; more != (n > rules.MaxErrors) || len(got) != n {
			t.Errorf("%d contexts: %d are listed, more %v", n, len(got), more)
		}
	}
	for _, extra := range []int{0, 1} {
		long := strings.Repeat("a", 1<<20-len("/a/@context//@context")+extra)
		got := read(t, document(credential, "a", `{"@context":{}}`, long, `{"@context":{}}`, "b",
			`{"@context":{}}`)).UnknownContexts(nil)
		if more := got[len(got)-1].Pointer == "(and more)"; more != (extra > 0) || len(got) != 3 {
			t.Errorf("pointers of 1 MiB and %d: %d are listed, more %v", extra, len(got), more)
		}
	}
}

// Every @context of a document has to be a known value as a whole (VC Data Integrity 4.6).
func TestKnownContexts(t *testing.T) {
	v2 := credential["@context"]
	for _, c := range []struct {
		doc   string
		known []string
		want  string
	}{
		{document(credential), []string{`"urn:x:c"`, v2}, ""},
		{document(credential), nil, "/@context"},
		{document(credential, "@context", ""), []string{v2}, "/@context"},
		{document(credential, "x", `[{"@context":"urn:x:c"},{"@context":"urn:x:d"}]`), []string{v2, `"urn:x:c"`}, "/x/1/@context"},
		{document(credential), []string{`{`}, "known context 0"},
	} {
		err := rules.CheckContexts([]byte(c.doc), canon.Limits{}, c.known...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v, want %s", c.doc, err, c.want)
		}
	}
}

// A digest of a related resource is Subresource Integrity or a multihash in multibase (VC Data Model 2.0
// section 5.3), compared with what is recorded for its hash function; the text of a digest alone is that of
// the function with its length.
func TestRelatedDigests(t *testing.T) {
	s256, s384, s512 := sha256.Sum256(nil), sha512.Sum384(nil), sha512.Sum512(nil)
	u := func(b ...byte) string { return "u" + base64.RawURLEncoding.EncodeToString(b) }
	z := func(b ...byte) string { return "z" + base58.Encode(b) }
	sri := base64.StdEncoding.EncodeToString
	multi := func(code byte, digest []byte) []byte { return append([]byte{code, byte(len(digest))}, digest...) }
	long := z(multi(1, make([]byte, 70))...) // 99 bytes, the longest text of base58 that is read
	const no = "is not a multihash"
	for _, c := range []struct{ member, text, want string }{
		{"digestSRI", "sha256-" + sri(s256[:]), ""},
		{"digestSRI", "sha384-" + sri(s384[:]), ""},
		{"digestSRI", "sha512-" + strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(sri(s512[:])), "="), ""},
		{"digestSRI", "sha384-" + sri(s256[:]), "is not the digest of urn:x:r"},
		{"digestSRI", "md5-" + sri(s256[:]), "must start with sha256-"},
		{"digestSRI", "sha256-", "is not base64"},
		{"digestSRI", "sha256-x", "is not base64"},
		{"digestMultibase", u(multi(0x12, s256[:])...), ""},
		{"digestMultibase", u(multi(0x20, s384[:])...), ""},
		{"digestMultibase", z(multi(0x13, s512[:])...), ""},
		{"digestMultibase", u(s256[:]...), ""},
		{"digestMultibase", z(s384[:]...), ""},
		{"digestMultibase", z(s512[:]...), ""},
		{"digestMultibase", z(s512[1:]...), no},
		{"digestMultibase", u(multi(0x12, s384[:])...), "multihash 0x12 of urn:x:r: "},
		{"digestMultibase", u(multi(0x12, s256[1:])...), "multihash 0x12 of urn:x:r: "},
		{"digestMultibase", u(0x00, 1, 0xff), "multihash 0x0 of urn:x:r: "},
		{"digestMultibase", u(0x7f, 1, 0xff), "multihash 0x7f of urn:x:r: "},
		{"digestMultibase", u(0x80, 1, 0xff), no},
		{"digestMultibase", u(0x12, 2, 0xff), no},
		{"digestMultibase", u(0x12, 0), no},
		{"digestMultibase", u(), no},
		{"digestMultibase", long, "multihash 0x1 of urn:x:r: "},
		{"digestMultibase", long + "1", "must start with u"},
		{"digestMultibase", "z0", "is not a multibase text"},
		{"digestMultibase", "f00", "must start with u"},
	} {
		doc := document(credential, "relatedResource", `{"id":"urn:x:r","`+c.member+`":"`+c.text+`"}`)
		err := rules.CheckRelated([]byte(doc), canon.Limits{}, rules.HashesOf(map[string][]byte{"urn:x:r": nil}))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.member, c.text, err, c.want)
		}
		if open := errors.Is(err, rules.ErrUnrecorded); open != strings.HasPrefix(c.want, "multihash") {
			t.Errorf("%s %s: %v, cannot be compared: %v", c.member, c.text, err, open)
		}
	}
	doc := []byte(document(credential, "relatedResource", `[{"id":"urn:x:r","digestSRI":[5,"sha256-x"],"digestMultibase":"z0"}]`))
	if got := places(t, rules.CheckRelated(doc, canon.Limits{}, nil)); got !=
		"/relatedResource/0/digestMultibase /relatedResource/0/digestSRI/0 /relatedResource/0/digestSRI/1" {
		t.Errorf("three faults are at %s", got)
	}
	doc = []byte(document(credential, "relatedResource", `{"digestSRI":"x"}`))
	if got := places(t, rules.CheckRelated(doc, canon.Limits{}, nil)); got != "/relatedResource/id" {
		t.Errorf("without an id: %s", got)
	}
	if err := rules.CheckRelated([]byte(document(credential)), canon.Limits{}, nil); err != nil {
		t.Errorf("without related resources: %v", err)
	}
}

// Whose document it is: the issuer of a credential or the holder of a presentation, a URL or an object's id;
// WithIssuer makes another of it and leaves the rest.
func TestParty(t *testing.T) {
	for _, c := range []struct{ doc, member, url, with string }{
		{`{"issuer":"urn:x:1","a":1}`, "issuer", "urn:x:1", `{"issuer":"urn:x:2","a":1}`},
		{`{"issuer":{"id":"urn:x:1","name":"n"}}`, "issuer", "urn:x:1", `{"issuer":{"id":"urn:x:2","name":"n"}}`},
		{`{"issuer":{"name":"n"}}`, "issuer", "", `{"issuer":{"name":"n","id":"urn:x:2"}}`},
		{`{"issuer":{"id":5}}`, "issuer", "", `{"issuer":{"id":"urn:x:2"}}`},
		{`{"issuer":5}`, "issuer", "", `{"issuer":"urn:x:2"}`},
		{`{"a":1}`, "issuer", "", `{"a":1,"issuer":"urn:x:2"}`},
		{`{"type":"VerifiablePresentation","issuer":"urn:x:1"}`, "holder", "",
			`{"type":"VerifiablePresentation","issuer":"urn:x:1","holder":"urn:x:2"}`},
	} {
		member, url, err := rules.PartyOf([]byte(c.doc), canon.Limits{})
		with, err2 := rules.WithIssuer([]byte(c.doc), "urn:x:2", canon.Limits{})
		if member != c.member || url != c.url || string(with) != c.with || err != nil || err2 != nil {
			t.Errorf("%s is of %s %s, with another %s; %v %v", c.doc, member, url, with, err, err2)
		}
	}
}

// A credential is valid from the later of its beginnings to the earlier of its ends.
func TestValidity(t *testing.T) {
	year := func(y int) string { return fmt.Sprintf(`"%d-01-01T00:00:00Z"`, y) }
	for _, c := range []struct {
		members []string
		want    string
	}{
		{nil, " "},
		{[]string{"validFrom", year(2001)}, "2001 "},
		{[]string{"validFrom", year(2001), "issuanceDate", year(2002)}, "2002 "},
		{[]string{"validFrom", year(2002), "issuanceDate", year(2001)}, "2002 "},
		{[]string{"validUntil", year(2004), "expirationDate", year(2003)}, " 2003"},
		{[]string{"validUntil", year(2003), "expirationDate", year(2004)}, " 2003"},
	} {
		from, until, err := rules.Validity([]byte(document(nil, c.members...)), canon.Limits{})
		text := func(at *time.Time) string {
			if at == nil {
				return ""
			}
			return at.Format("2006")
		}
		if got := text(from) + " " + text(until); got != c.want || err != nil {
			t.Errorf("%v: %s, want %s; %v", c.members, got, c.want, err)
		}
	}
}

// A presentation holds the credentials as they are, in order; what is not a credential is refused at its
// place.
func TestNewPresentation(t *testing.T) {
	a, b := ` {"type":"VerifiableCredential"} `, `{"type":["EnvelopedVerifiableCredential"]}`
	p, err := rules.NewPresentation("urn:x:h", []byte(a), []byte(b))
	if want := `"holder":"urn:x:h","verifiableCredential":[` + strings.TrimSpace(a) + `,` + b + `]}`; err != nil ||
		!strings.HasSuffix(string(p), want) {
		t.Errorf("%s, %v", p, err)
	}
	for _, c := range []struct {
		holder string
		docs   []string
		want   string
	}{
		{"x", nil, "/holder"}, {"urn:\xff", nil, "/holder"},
		{"", []string{a, `{"type":"T"}`}, "/verifiableCredential/1"}, {"", []string{`[`}, "/verifiableCredential/0"},
	} {
		var docs [][]byte
		for _, d := range c.docs {
			docs = append(docs, []byte(d))
		}
		if _, err := rules.NewPresentation(c.holder, docs...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// What a verifier needs of a document is named where the document has it.
func TestVerifierNeeds(t *testing.T) {
	for doc, want := range map[string]string{
		document(credential):                 "[/issuer /type]",
		document(credential1):                "[/issuer /type /issuanceDate]",
		document(presentation):               "[/type]",
		`{"holder":5,"credentialStatus":{}}`: "[/holder /credentialStatus]",
		`{"a":1}`:                            "[]",
	} {
		if got, err := rules.VerifierNeeds([]byte(doc), canon.Limits{}); fmt.Sprint(got) != want || err != nil {
			t.Errorf("%s needs %s, want %s; %v", doc, got, want, err)
		}
	}
}
