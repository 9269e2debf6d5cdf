package reading

import (
	"errors"
	"strings"
	"testing"

	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// statements returns canonical N-Quads about nodes: "i" stands for the issuer and so on.
func statements(short string) []byte {
	text := strings.NewReplacer(
		" issuer ", " <"+rules.Vocabulary+"issuer> ", " status ", " <"+rules.Vocabulary+"credentialStatus> ",
		" subject ", " <"+rules.Vocabulary+"credentialSubject> ", " from ", " <"+rules.Vocabulary+"validFrom> ",
		" holds ", " <"+rules.Vocabulary+"verifiableCredential> ", " proof ", " <"+rules.Security+"proof> ",
		" resource ", " <"+rules.Vocabulary+"relatedResource> ", " sri ", " <"+rules.Vocabulary+"digestSRI> ",
		" multibase ", " <"+rules.Security+"digestMultibase> ",
		" a credential ", " <"+rules.RDFType+"> <"+rules.Vocabulary+"VerifiableCredential> ",
		" a presentation ", " <"+rules.RDFType+"> <"+rules.Vocabulary+"VerifiablePresentation> ",
	).Replace(short)
	return []byte(strings.ReplaceAll(text, "; ", "\n"))
}

// The members that verification reads and the statements that are signed say the same, in number and in
// value, or the document is refused at the member.
func TestCheck(t *testing.T) {
	const doc, about = `"id":"u:r","type":["VerifiableCredential"]`, "<u:r> a credential .; "
	for _, c := range []struct {
		members, signed string
		proofs          int
		want            string // place or reason, "" where they agree
	}{
		{doc, about, 0, ""},
		{doc, "<u:r> proof _:p .; ", 1, "/type"},
		{`"id":"u:r"`, about, 0, "/type"},
		{doc, about + "<u:r> a presentation .; ", 0, "/type"},

		// nodes
		{doc + `,"issuer":"u:i"`, about + "<u:r> issuer <u:i> .; ", 0, ""},
		{doc + `,"issuer":{"id":"u:i"}`, about + "<u:r> issuer <u:i> .; ", 0, ""},
		{doc + `,"issuer":"u:i"`, about, 0, "/issuer"},
		{doc, about + "<u:r> issuer <u:i> .; ", 0, "/issuer"},
		{doc + `,"issuer":"u:i"`, about + "<u:r> issuer <u:j> .; ", 0, "/issuer"},
		{doc + `,"issuer":"u:i"`, about + "<u:r> issuer \"u:i\" .; ", 0, "/issuer"},
		{doc + `,"issuer":5`, about + "<u:r> issuer <u:i> .; ", 0, "/issuer"},
		{doc + `,"issuer":"u:i"`, about + "<u:r> issuer <u:i> <u:g> .; ", 0, "/issuer"},
		{doc + `,"issuer":"u:i"`, about + "<u:q> issuer <u:i> .; ", 0, "/issuer"},
		{doc + `,"issuer":{}`, about + "<u:r> issuer _:b .; ", 0, ""},
		{doc + `,"issuer":"_:x"`, about + "<u:r> issuer _:b .; ", 0, ""},
		{doc + `,"issuer":{"id":"_:x"}`, about + "<u:r> issuer _:b .; ", 0, ""},

		// several values, in any order; what is said twice is one statement, but of blank nodes
		{doc + `,"credentialSubject":["u:b","u:a","u:c"]`, about + "<u:r> subject <u:a> .; <u:r> subject <u:b> .; <u:r> subject <u:c> .; ", 0, ""},
		{doc + `,"credentialSubject":["u:b","u:a","u:b"]`, about + "<u:r> subject <u:a> .; <u:r> subject <u:b> .; ", 0, ""},
		{doc + `,"credentialSubject":[{},"u:a",{}]`, about + "<u:r> subject <u:a> .; <u:r> subject _:b .; <u:r> subject _:c .; ", 0, ""},
		{doc + `,"credentialSubject":[{},{}]`, about + "<u:r> subject _:b .; ", 0, "/credentialSubject"},
		{doc + `,"credentialSubject":["u:a","u:b"]`, about + "<u:r> subject <u:a> .; ", 0, "/credentialSubject"},
		{doc + `,"credentialSubject":["u:a"]`, about + "<u:r> subject <u:a> .; <u:r> subject <u:b> .; ", 0, "/credentialSubject"},

		// literals, of any datatype and no language
		{doc + `,"validFrom":"a\"b"`, about + "<u:r> from \"a\\\"b\"^^<u:t> .; ", 0, ""},
		{doc + `,"validFrom":"a"`, about + "<u:r> from \"a\" .; ", 0, ""},
		{doc + `,"validFrom":"a"`, about + "<u:r> from \"a\"@en .; ", 0, "/validFrom"},
		{doc + `,"validFrom":"a"`, about + "<u:r> from \"b\" .; ", 0, "/validFrom"},
		{doc + `,"validFrom":"a"`, about + "<u:r> from <a> .; ", 0, "/validFrom"},
		{doc + `,"validFrom":"a"`, about, 0, "/validFrom"},
		{doc, about + "<u:r> from \"a\" .; ", 0, "/validFrom"},

		// graphs and proofs, by their number
		{doc + `,"verifiableCredential":[{},{}]`, about + "<u:r> holds _:a .; <u:r> holds _:b .; ", 0, ""},
		{doc + `,"verifiableCredential":[{}]`, about + "<u:r> holds _:a .; <u:r> holds _:b .; ", 0, "/verifiableCredential"},
		{doc + `,"verifiableCredential":"u:c"`, about + "<u:r> holds <u:c> .; ", 0, ""},
		{doc, about + "<u:r> proof _:a .; <u:r> proof _:b .; ", 2, ""},
		{doc, about + "<u:r> proof _:a .; <u:r> proof _:b .; ", 1, "/proof"},
		{doc, about, 1, "/proof"},

		// related resources: each digest that the document shows is signed, and one that is signed shows
		{doc + `,"relatedResource":{"id":"u:x","digestSRI":"a"}`, "<u:x> sri \"a\" .; " + about + "<u:r> resource <u:x> .; ", 0, ""},
		{doc + `,"relatedResource":{"id":"u:x","digestSRI":["b","a"]}`,
			"<u:x> sri \"a\" .; <u:x> sri \"b\" .; <u:x> sri \"c\" .; <u:x> multibase \"m\" .; " + about + "<u:r> resource <u:x> .; ", 0, ""},
		{doc + `,"relatedResource":{"id":"u:x","digestSRI":"b"}`, "<u:x> sri \"a\" .; " + about + "<u:r> resource <u:x> .; ", 0, "/relatedResource/digestSRI"},
		{doc + `,"relatedResource":{"id":"u:x","digestSRI":5}`, "<u:x> sri \"5\" .; " + about + "<u:r> resource <u:x> .; ", 0, "/relatedResource/digestSRI"},
		{doc + `,"relatedResource":{"id":"u:x"}`, "<u:x> sri \"a\" .; " + about + "<u:r> resource <u:x> .; ", 0, "/relatedResource"},
		{doc + `,"relatedResource":{"id":"u:x"}`, about + "<u:r> resource <u:x> .; ", 0, ""},
		{doc + `,"relatedResource":[{"id":"u:x"},{"id":"u:x"}]`, about + "<u:r> resource <u:x> .; ", 0, "/relatedResource/1/id"},

		// the node that is the document
		{`"@id":"u:r","type":["VerifiableCredential"]`, about, 0, "/@id"},
		{doc, about + "<u:s> a credential .; ", 0, "<u:s> is signed as a credential or presentation to which nothing leads"},
		{doc + `,"credentialSubject":"u:s"`, about + "<u:r> subject <u:s> .; <u:s> a credential .; ", 0, ""},
		{`"id":"u:q","type":["VerifiableCredential"]`, "<u:q> subject <u:r> .; " + about, 0, "/credentialSubject"},
		{`"id":"u:q"`, "<u:p> <u:of> <u:r> .; " + about, 0, "/id"},
		{`"type":"VerifiableCredential"`, "_:a a credential .; ", 0, ""},
		{`"type":"VerifiableCredential"`, "_:a a credential .; _:b a credential .; ", 0, "_:b is signed as"},
		{`"type":"VerifiableCredential"`, "_:a <u:of> _:a .; _:a a credential .; ", 0, ""},
		{`"type":"VerifiableCredential"`, "_:a <u:of> _:b .; _:a a credential .; _:b <u:of> _:a .; _:b a credential .; ", 0, "_:a is signed as"},
	} {
		tape := new(jsontape.Tape)
		if err := tape.Scan([]byte("{"+c.members+"}"), jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		err := new(Reading).Check(tape, statements(c.signed), c.proofs)
		got := ""
		if e := new(problem.Error); errors.As(err, &e) {
			got = e.Where
			if got == "" {
				got = e.Msg
			}
		}
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, signed %s: refused at %q, want %q", c.members, c.signed, got, c.want)
		}
	}
}

// Of a document whose statements a holder may leave out, the mandatory ones say which node it is: the one
// with the issuer.
func TestCheckPart(t *testing.T) {
	const about = "<u:r> a credential .; <u:r> issuer <u:i> .; "
	const inner = "<u:r> subject <u:s> .; <u:s> a credential .; <u:s> issuer <u:i> .; "
	for _, c := range []struct{ members, all, mandatory, want string }{
		{`"issuer":"u:i"`, about, "<u:r> issuer <u:i> .; ", ""},
		{`"issuer":"u:i"`, about, "", ""},
		{`"issuer":"u:i","credentialSubject":"u:s"`, about + inner, "", "/issuer"},
		{`"issuer":"u:i","credentialSubject":"u:s"`, about + inner, "<u:r> issuer <u:i> .; ", ""},
		{`"issuer":"u:i","credentialSubject":"u:s"`, about + inner, "<u:s> issuer <u:i> .; ", "another document"},
		{`"issuer":"u:i","credentialSubject":"u:s"`, about + inner, "<u:r> issuer <u:i> .; <u:s> issuer <u:i> .; ", "same issuer"},
		{`"issuer":"u:i","credentialSubject":"u:s"`, about + inner, "<u:r> issuer <u:i> .; <u:s> issuer <u:j> .; ", ""},
		{`"issuer":"u:i","credentialSubject":"u:s"`, about + inner,
			"<u:r> issuer <u:i> .; <u:s> issuer <u:i> .; <u:s> proof _:p .; ", ""},
	} {
		tape := new(jsontape.Tape)
		if err := tape.Scan([]byte(`{"id":"u:r","type":"VerifiableCredential",`+c.members+`}`), jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		err := new(Reading).CheckPart(tape, lines.Split(statements(c.all)), lines.Split(statements(c.mandatory)), 0)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, mandatory %s: %v, want %q", c.all, c.mandatory, err, c.want)
		}
	}
}
