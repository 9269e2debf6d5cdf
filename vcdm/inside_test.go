package vcdm

import (
	"context"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/rules"
)

// A document without proofs is scanned once together with the options, unless one of them would end the
// other or there is more to say of the proof.
func TestScannedTogether(t *testing.T) {
	const doc, options = `{"a":1}`, `{"type":"DataIntegrityProof"}`
	for _, c := range []struct {
		doc, options string
		want         bool
	}{
		{doc, options, true},
		{" " + doc + " \t\r\n", options, true},
		{`{}`, options, false},
		{`{ }`, options, false},
		{`[1]`, options, false},
		{doc, options + " ", false},
		{doc, " " + options, false},
		{doc, `5`, false},
		{doc, `[]`, false},
		{doc, `{}`, true},
		{doc, options + `,"b":{}`, false},
		{doc, `{},"b":` + options, false},
		{doc, `{"proofValue":"z"}`, false},
		{doc, `{"@context":[]}`, false},
		{doc, `{`, false},
		{`{"proof":{}}`, options, false},
	} {
		w := begin(context.Background(), nil, canon.Limits{})
		var d document
		var p proof
		if got := w.parseTogether(&d, &p, []byte(c.doc), []byte(c.options)); got != c.want {
			t.Errorf("%s with %s: together %v", c.doc, c.options, got)
		} else if got && string(p.tape.Raw(p.node)) != c.options {
			t.Errorf("%s with %s: the proof is %s", c.doc, c.options, p.tape.Raw(p.node))
		}
		w.end()
	}
}

// Signing and checking statements asks for the time before each 64th.
func TestPause(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := begin(ctx, nil, canon.Limits{})
	defer w.end()
	in := newInput(&w.doc, nil, w, nil)
	for i := range 200 {
		if asked := pause(ctx, in, i) != nil; asked != (i == 63 || i == 127 || i == 191) {
			t.Errorf("before statement %d the time is asked for: %v", i, asked)
		}
	}
}

// proofOn returns a proof on a tape of its own.
func proofOn(t *testing.T, text string) *proof {
	t.Helper()
	tape := new(jsontape.Tape)
	if err := tape.Scan([]byte(text), jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	p := readProof(tape, 0)
	return &p
}

// The object of a statement is what a member says: an IRI as a whole, a literal of any datatype and no
// language, a purpose by the IRI that the vocabulary gives it.
func TestObjectsOfTerms(t *testing.T) {
	p := proofOn(t, `{"created":"a\"b","type":"urn:a","expires":5}`)
	for _, c := range []struct {
		node   int
		is     form
		object string
		want   bool
	}{
		{p.typ, anIRI, "<urn:a> .", true}, {p.typ, anIRI, "<urn:a>", true}, {p.typ, anIRI, "<urn:a", false},
		{p.typ, anIRI, "<urn:ab> .", false}, {p.typ, anIRI, "<urn:", false}, {p.typ, anIRI, "", false},
		{p.typ, anIRI, `"urn:a" .`, false}, {p.typ, anIRI, "<urn:b> .", false}, {p.challenge, anIRI, "<> .", false},
		{p.expires, anIRI, "<5> .", false},
		{p.created, aLiteral, `"a\"b" .`, true}, {p.created, aLiteral, `"a\"b"^^<u:t> .`, true},
		{p.created, aLiteral, `"a\"b"@en .`, false}, {p.created, aLiteral, `"a\"b"`, false},
		{p.created, aLiteral, `"a\"bc" .`, false}, {p.challenge, aLiteral, `"" .`, false},
		{p.expires, aLiteral, `"5" .`, false},
	} {
		if got := p.says([]byte(c.object), c.node, c.is); got != c.want {
			t.Errorf("%s says the member: %v", c.object, got)
		}
	}

	for _, c := range []struct {
		purpose, object string
		want            bool
	}{
		{"assertionMethod", "<" + security + "assertionMethod> .", true},
		{"assertionMethod", "<" + security + "authenticationMethod> .", false},
		{"assertionMethod", "<assertionMethod> .", true},
		{"authentication", "<" + security + "authenticationMethod> .", true},
		{"authentication", "<urn:a> .", false},
		{"own", "<urn:own> .", true},
		{"own", "<" + security + "keyAgreementMethod> .", false},
		{"own", `"own" .`, false},
		{"own", "", false},
	} {
		if got := samePurpose([]byte(c.object), []byte(c.purpose)); got != c.want {
			t.Errorf("%s says the purpose %s: %v", c.object, c.purpose, got)
		}
	}
}

// A predicate has its place among the terms of a proof by its whole IRI, a type by rdf:type.
func TestPlaceOfTerm(t *testing.T) {
	for i, term := range terms {
		iri := "<" + term.iri + ">"
		if i == 0 {
			iri = "<" + rules.RDFType + ">"
		}
		if got := termOf([]byte(iri)); got != i {
			t.Errorf("%s is at %d, want %d", iri, got, i)
		}
	}
	for _, other := range []string{"", "<", "<>", "<" + terms[0].iri + ">", "<" + terms[1].iri + "s>"} {
		if got := termOf([]byte(other)); got != -1 {
			t.Errorf("%s is at %d", other, got)
		}
	}
}

// A member with several values, of which each counts once.
func TestDifferentTexts(t *testing.T) {
	p := proofOn(t, `{"domain":["a","b","a"],"previousProof":"a"}`)
	for node, want := range map[int]int{p.domain: 2, p.previous: 1, p.challenge: 0} {
		if got := p.different(node); got != want {
			t.Errorf("%d texts, want %d", got, want)
		}
	}
}

// Each rule for the members of a proof names the member at fault (VC Data Integrity 2.1).
func TestMembersOfProof(t *testing.T) {
	members := map[string]string{"type": `"DataIntegrityProof"`, "cryptosuite": `"s"`, "verificationMethod": `"urn:m"`,
		"proofPurpose": `"p"`}
	list := func(n int) string { return `["` + strings.Repeat(`a","`, n-1) + `a"]` }
	const early, late = `"2025-01-01T00:00:00Z"`, `"2025-01-01T00:00:01Z"`
	for _, c := range []struct {
		changes []string
		lenient bool
		want    string
	}{
		{nil, false, ""},
		{[]string{"type", ""}, false, "type"}, {[]string{"type", `"T"`}, false, "type"},
		{[]string{"verificationMethod", ""}, false, "verificationMethod"},
		{[]string{"verificationMethod", `"m"`}, false, "verificationMethod"},
		{[]string{"proofPurpose", ""}, false, "proofPurpose"}, {[]string{"proofPurpose", `5`}, false, "proofPurpose"},
		{[]string{"cryptosuite", ""}, false, "cryptosuite"}, {[]string{"cryptosuite", `"t"`}, false, "cryptosuite"},
		{[]string{"id", `"urn:i"`}, false, ""}, {[]string{"id", `"i"`}, false, "id"}, {[]string{"id", `5`}, false, "id"},
		{[]string{"challenge", `"c"`}, false, ""}, {[]string{"challenge", `5`}, false, "challenge"},
		{[]string{"nonce", `"n"`}, false, ""}, {[]string{"nonce", `5`}, false, "nonce"},
		{[]string{"domain", `"d"`}, false, ""}, {[]string{"domain", `[]`}, false, "domain"},
		{[]string{"domain", list(1000)}, false, ""}, {[]string{"domain", list(1001)}, false, "domain"},
		{[]string{"domain", `["d",5]`}, false, "domain"}, {[]string{"domain", `5`}, false, "domain"},
		{[]string{"previousProof", list(1000)}, false, ""}, {[]string{"previousProof", list(1001)}, false, "previousProof"},
		{[]string{"created", `"2025-01-01T00:00:00"`}, false, "created"},
		{[]string{"created", `"2025-01-01T00:00:00"`}, true, ""},
		{[]string{"expires", `"2025-01-01T00:00:00"`}, false, "expires"},
		{[]string{"expires", `5`}, true, "expires"},
		{[]string{"created", early, "expires", early}, false, ""},
		{[]string{"created", early, "expires", late}, false, ""},
		{[]string{"created", late, "expires", early}, false, "expires"},
		{[]string{"created", late, "expires", early}, true, ""},
		{[]string{"expires", early}, false, ""},
	} {
		all := map[string]string{}
		for name, v := range members {
			all[name] = v
		}
		for i := 0; i < len(c.changes); i += 2 {
			all[c.changes[i]] = c.changes[i+1]
		}
		var list []string
		for name, v := range all {
			if v != "" {
				list = append(list, `"`+name+`":`+v)
			}
		}
		if member, msg := proofOn(t, "{"+strings.Join(list, ",")+"}").check("s", c.lenient); member != c.want {
			t.Errorf("%.99s: %s %s, want %s", c.changes, member, msg, c.want)
		}
	}
}

// A JCS suite adds the context of proofs only where it is certain that none defines their terms.
func TestLacksTerms(t *testing.T) {
	const v1 = `"https://www.w3.org/2018/credentials/v1"`
	for context, want := range map[string]bool{
		"":                              false,
		`"` + rules.BaseContext + `"`:   false,
		`["` + rules.BaseContext + `"]`: false,
		v1:                              true,
		`[` + v1 + `]`:                  true,
		`[]`:                            true,
		`{"a":"urn:a"}`:                 true,
		`[` + v1 + `,{"a":"urn:a"}]`:    true,
		`[` + v1 + `,"` + rules.BaseContext + `"]`: false,
		`[` + v1 + `,"` + ProofContext + `"]`:      false,
		`[` + v1 + `,"urn:c"]`:                     false,
		`[` + v1 + `,null]`:                        false,
		`{"DataIntegrityProof":"urn:p"}`:           false,
		`{"@vocab":"urn:"}`:                        false,
		`{"@import":"urn:c"}`:                      false,
		`{"id":"@id","type":"@type"}`:              true,
		`{"id":"urn:i"}`:                           false,
	} {
		doc := `{"a":1,"@context":` + context + `}`
		if context == "" {
			doc = `{"a":1}`
		}
		var tape jsontape.Tape
		d, err := read(&tape, []byte(doc), canon.Limits{})
		if got := d.lacksTerms(); got != want || err != nil {
			t.Errorf("%s lacks the terms: %v, %v", doc, got, err)
		}
	}
}

// A proof value of ecdsa-sd-2023 has exactly the types of its shape, each head in its shortest form (RFC
// 8949 section 4.2.1).
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		value, shape string
		want         bool
	}{
		{"\x81\x41a", "b", true}, {"\x81\x40", "b", true}, {"\x82\x41a\x41b", "bb", true},
		{"\x81\x58\x18" + strings.Repeat("a", 24), "b", true}, {"\x81\x57" + strings.Repeat("a", 23), "b", true},
		{"\x81\x58\x17" + strings.Repeat("a", 23), "b", false}, {"\x81\x58\x01a", "b", false},
		{"\x81\x58\xff" + strings.Repeat("a", 255), "b", true}, {"\x81\x59\x00\xff" + strings.Repeat("a", 255), "b", false},
		{"\x81\x59\x01\x00" + strings.Repeat("a", 256), "b", true},
		{"\x81\x81\x19\xff\xff", "U", true}, {"\x81\x81\x1a\x00\x00\xff\xff", "U", false},
		{"\x81\x81\x1a\x00\x01\x00\x00", "U", true}, {"\x81\x81\x1b\x00\x00\x00\x00\xff\xff\xff\xff", "U", false},
		{"\x81\x81\x1b\x00\x00\x00\x01\x00\x00\x00\x00", "U", true},
		{"\x82\x41a\x41a", "b", false}, {"\x80", "b", false}, {"\xa1\x41a\x41a", "b", false}, {"\x81\x61a", "b", false},
		{"\x81\x82\x41a\x42bc", "B", true}, {"\x81\x81\x61a", "B", false}, {"\x81\x81\x61a", "T", true},
		{"\x81\x81\x41a", "T", false}, {"\x81\x80", "T", true}, {"\x81\xa0", "T", false}, {"\x81\x82\x05\x06", "U", true},
		{"\x81\x82\x05\x41a", "U", false}, {"\x81\xa1\x05\x41a", "M", true}, {"\x81\xa1\x41a\x05", "M", false},
		{"\x81\xa2\x05\x41a\x06\x05", "M", false}, {"\x81\x82\x05\x41a", "M", false}, {"\x82\xa1\x05\x41a\x41b", "Mb", true},
	} {
		if got := shaped([]byte(c.value), c.shape); got != c.want {
			t.Errorf("%x has the shape %s: %v", c.value, c.shape, got)
		}
	}
}

// The context of proofs is added as the last one, and becomes a list with one that is alone.
func TestContextIsAdded(t *testing.T) {
	for context, want := range map[string]string{
		`"urn:c"`: `["urn:c","urn:u"]`, `{}`: `[{},"urn:u"]`, `[]`: `["urn:u"]`, `[ ]`: `["urn:u"]`,
		`["urn:c" ]`: `["urn:c","urn:u"]`, "": `"urn:u"`,
	} {
		doc, all := `{"a":1,"@context":`+context+`}`, `{"a":1,"@context":`+want+`}`
		if context == "" {
			doc = `{"a":1}`
		}
		var tape jsontape.Tape
		d, err := read(&tape, []byte(doc), canon.Limits{})
		if got := d.appendContext(nil, "urn:u"); string(got) != all || err != nil {
			t.Errorf("%s becomes %s, %v", doc, got, err)
		}
	}
}
