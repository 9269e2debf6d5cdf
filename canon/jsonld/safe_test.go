package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/schemas/contexts"
)

// nquads returns the lines of a document's dataset, sorted, and what was lost.
func nquads(t *testing.T, p *jsonld.Processor, doc string, opt jsonld.Options) (lines, losses []string) {
	t.Helper()
	var lost []canon.Loss
	opt.Lossy, opt.Losses = true, &lost
	var set rdf.Dataset
	if err := p.ToRDF(context.Background(), []byte(doc), opt, &set); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	if text := strings.TrimSuffix(string(set.AppendNQuads(nil)), "\n"); text != "" {
		lines = strings.Split(text, "\n")
	}
	slices.Sort(lines)
	for _, l := range lost {
		losses = append(losses, l.Pointer+" "+l.Reason)
	}
	// Safe mode refuses exactly what is lossy.
	opt.Lossy, opt.Losses = false, nil
	err := p.ToRDF(context.Background(), []byte(doc), opt, &set)
	var refused *canon.LossError
	switch {
	case len(lost) == 0 && err != nil:
		t.Errorf("%s: safe mode refuses it: %v", doc, err)
	case len(lost) > 0 && !errors.As(err, &refused):
		t.Errorf("%s: safe mode accepts it: %v", doc, err)
	case len(lost) > 0 && !slices.Equal(refused.Losses, lost):
		t.Errorf("%s: safe mode tells %v", doc, refused.Losses)
	case len(lost) > 0 && (len(set.Quads) > 0 || len(set.Terms) > 1):
		t.Errorf("%s: a refused document leaves quads", doc)
	}
	return lines, losses
}

// Every site where the algorithms drop data, the place and the reason, and what is left.
func TestLosses(t *testing.T) {
	const prefix = `{"@context":{"@version":1.1,"p":"u:p","q":"u:q","r":{"@id":"u:r","@type":"@id"},"n":null,"id":"@id","type":"@type","T":"u:T",
		"list":{"@id":"u:list","@container":"@list"},"set":{"@id":"u:set","@container":"@set"},"ix":{"@id":"u:ix","@container":"@index"},
		"pix":{"@id":"u:pix","@container":"@index","@index":"q"},"lang":{"@id":"u:lang","@container":"@language"},
		"ids":{"@id":"u:ids","@container":"@id"},"g":{"@id":"u:g","@container":"@graph"},"typed":{"@id":"u:typed","@type":"u:dt"},
		"back":{"@reverse":"u:back"},"en":{"@id":"u:en","@language":"en"},"bad":{"@id":"u:bad","@language":"en_US"}},`
	p := jsonld.New(jsonld.Config{})
	for _, c := range []struct {
		doc    string
		losses []string
		left   int // quads
	}{
		// nothing is lost
		{prefix + `"id":"u:s","p":"x"}`, nil, 1},
		{prefix + `"id":"u:s","p":[],"q":"x"}`, nil, 1},
		{prefix + `"id":"u:s","p":{}}`, nil, 1},
		{prefix + `"id":"u:s","lang":{"en":"a","de":["b","c"],"@none":"d"}}`, nil, 4},
		{prefix + `"id":"u:s","pix":{"a":{"p":"x"},"b":{"p":"y"}}}`, nil, 6},
		{prefix + `"id":"u:s","list":[]}`, nil, 1},
		{prefix + `"id":"u:s","set":["a",["b"]]}`, nil, 2},
		{prefix + `"id":"_:s","p":"x"}`, nil, 1},
		{prefix + `"id":"u:s","p":"` + strings.Repeat("x", 5000) + `"}`, nil, 1},
		{`{"@graph":[{"@id":"u:s","u:p":"x"}]}`, nil, 1},
		// terms
		{prefix + `"id":"u:s","undefined":"x","p":"y"}`, []string{"/undefined undefined term"}, 1},
		{prefix + `"id":"u:s","undefined":{"p":"x","q":{"p":"y"}},"p":"y"}`, []string{"/undefined undefined term"}, 1},
		{prefix + `"id":"u:s","undefined":[],"p":"y"}`, []string{"/undefined undefined term"}, 1},
		{prefix + `"id":"u:s","n":"x"}`, []string{"/n term mapped to null"}, 0},
		{prefix + `"id":"u:s","@foo":"x"}`, []string{"/@foo reserved term"}, 0},
		{prefix + `"id":"u:s","_:p":"x"}`, []string{"/_:p blank node as property"}, 0},
		{prefix + `"id":"_:p","p":"x","_:p":"x"}`, []string{"/_:p blank node as property"}, 1},
		{prefix + `"id":"u:s","u:<p":"x"}`, []string{"/u:<p invalid IRI as property"}, 0},
		{prefix + `"id":"u:s","1:p":"x"}`, []string{"/1:p relative IRI as property"}, 0},
		{prefix + `"id":"u:s","@vocab":"x"}`, []string{"/@vocab @vocab has no meaning here"}, 0},
		{`{"@context":{"@vocab":"rel/"},"@id":"u:s","p":"x"}`, []string{"/p undefined term"}, 0},
		{`{"@context":{"@vocab":"rel/","p":{"@type":"u:dt"}},"@id":"u:s","p":"x"}`, []string{"/p relative property"}, 0},
		// null
		{prefix + `"id":"u:s","p":null}`, []string{"/p null value"}, 0},
		{prefix + `"id":"u:s","p":["x",null,"y"]}`, []string{"/p/1 null value"}, 2},
		{prefix + `"id":"u:s","p":{"@value":null}}`, []string{"/p/@value null @value"}, 0},
		{prefix + `"id":"u:s","lang":{"en":null,"de":["b",null]}}`, []string{"/lang/en null value", "/lang/de/1 null value"}, 1},
		{prefix + `"id":"u:s","p":{"@set":null}}`, []string{"/p/@set null value"}, 0},
		{prefix + `"id":"u:s","ids":{"u:o":null}}`, []string{"/ids/u:o null value"}, 0},
		{`null`, []string{" null value"}, 0},
		// identifiers
		{prefix + `"id":"3841453-234a","p":"x","q":{"p":"y"}}`, []string{"/id relative IRI as @id"}, 1},
		{prefix + `"id":"","p":"x"}`, []string{"/id relative IRI as @id"}, 0},
		{prefix + `"id":"u:a b","p":"x"}`, []string{"/id invalid IRI as @id"}, 0},
		{prefix + `"id":"u:a#b#c","p":"x"}`, []string{"/id invalid IRI as @id"}, 0},
		{prefix + `"id":"u:a> <u:g","p":"x"}`, []string{"/id invalid IRI as @id"}, 0},
		{prefix + `"id":"@foo","p":"x"}`, []string{"/id reserved @id value"}, 0},
		{prefix + `"id":"u:s","r":"rel"}`, []string{"/r relative IRI as @id"}, 0},
		{prefix + `"id":"u:s","r":["u:o","u:a b",""]}`, []string{"/r/1 invalid IRI as @id", "/r/2 relative IRI as @id"}, 1},
		{prefix + `"id":"u:s","p":{"id":"rel","p":"x"}}`, []string{"/p/id relative IRI as @id"}, 0},
		{prefix + `"id":"u:s","ids":{"rel":{"p":"x"}}}`, []string{"/ids/rel relative IRI as @id"}, 0},
		{prefix + `"id":"u:s","back":{"id":"rel","p":"x"}}`, []string{"/back/id relative IRI as @id"}, 0},
		{prefix + `"id":"u:s","list":["a",{"id":"rel"}],"p":"x"}`, []string{"/list/1/id relative IRI as @id"}, 5},
		// types
		{prefix + `"id":"u:s","type":["T","Unknown","1EdTech"]}`, []string{"/type/1 relative IRI as type", "/type/2 relative IRI as type"}, 1},
		{prefix + `"id":"u:s","type":"@foo"}`, []string{"/type reserved @type value"}, 0},
		{prefix + `"id":"u:s","type":"@id"}`, []string{"/type keyword as type"}, 0},
		{prefix + `"id":"u:s","type":"u:a b"}`, []string{"/type invalid IRI as type"}, 0},
		// graphs
		{prefix + `"id":"rel","@graph":[{"id":"u:s","p":"x"}]}`, []string{"/id relative IRI as @id"}, 0},
		{prefix + `"id":"u:s","g":{"undefined":"x"}}`, []string{"/g/undefined undefined term"}, 1},
		{prefix + `"id":"u:s","g":"x"}`, []string{"/g free-floating value"}, 1},
		// free-floating values
		{prefix + `"@graph":["x",{"@value":"y"},{"@list":["z"]},{"id":"u:s"},{},{"p":"x"}]}`, []string{"/@graph/0 free-floating value",
			"/@graph/1 free-floating value", "/@graph/2/@list free-floating list", "/@graph/3 free-floating node reference", "/@graph/4 empty object"}, 1},
		{`{}`, []string{" empty object"}, 0},
		{`{"@id":"u:s"}`, []string{" free-floating node reference"}, 0},
		{`"x"`, []string{" free-floating value"}, 0},
		{prefix + `"id":"u:s","p":{"@language":"en"}}`, []string{"/p object with only @language"}, 0},
		// literals
		{prefix + `"id":"u:s","bad":"x","en":"y"}`, []string{`/bad language tag "en_us" is not well-formed`}, 1},
		{prefix + `"id":"u:s","p":{"@value":"x","@language":"en-"}}`, []string{`/p/@value language tag "en-" is not well-formed`}, 0},
		{prefix + `"id":"u:s","p":{"@value":"x","@language":"abcdefgh-12345678"}}`, nil, 1},
		{prefix + `"id":"u:s","p":{"@value":"x","@language":"abcdefghi"}}`, []string{`/p/@value language tag "abcdefghi" is not well-formed`}, 0},
		{prefix + `"id":"u:s","p":[9e-400,0e-400]}`, []string{"/p/0 the number is rounded to 0"}, 2},
		{prefix + `"id":"u:s","p":{"@value":"x","@language":"a b"}}`, []string{`/p/@value language tag "a b" is not well-formed`}, 0},
		{prefix + `"id":"u:s","p":{"@value":"x","@direction":"rtl"}}`, []string{"/p/@value @direction without rdfDirection; choose i18n-datatype or compound-literal"}, 1},
		{prefix + `"id":"u:s","p":9007199254740993}`, []string{"/p the number is rounded to 9007199254740992"}, 1},
		{prefix + `"id":"u:s","p":0.30000000000000004}`, []string{"/p the number is rounded to 3.0E-1"}, 1},
		{prefix + `"id":"u:s","p":{"@value":[9007199254740993],"@type":"@json"}}`, []string{"/p/@value/0 the number is rounded to 9007199254740992"}, 1},
		// indexes
		{prefix + `"id":"u:s","ix":{"a":"x","@none":"y"}}`, []string{"/ix/a @index is not in RDF"}, 2},
		{prefix + `"id":"u:s","p":{"@index":"a","id":"u:o","p":"x"}}`, []string{"/p/@index @index is not in RDF"}, 2},
	} {
		lines, losses := nquads(t, p, c.doc, jsonld.Options{})
		if !slices.Equal(losses, c.losses) || len(lines) != c.left {
			t.Errorf("%s\n lost %q, want %q\n left %d, want %d: %q", strings.TrimPrefix(c.doc, prefix), losses, c.losses, len(lines), c.left, lines)
		}
	}
}

// Faults of real documents and contexts that the field has reported.
func TestReportedFaults(t *testing.T) {
	const (
		v2  = `"https://www.w3.org/ns/credentials/v2"`
		v1  = `"https://www.w3.org/2018/credentials/v1"`
		ob  = `"https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"`
		clr = `"https://purl.imsglobal.org/spec/clr/v2p0/context-2.0.1.json"`
	)
	badge := func(context, more string) string {
		return `{"@context":[` + context + `],"id":"u:badge","type":["VerifiableCredential","OpenBadgeCredential"],"issuer":"u:issuer",` +
			`"credentialSubject":{"type":"AchievementSubject","id":"u:subject","achievement":{"id":"u:achievement","type":"Achievement","name":"N"}}` + more + `}`
	}
	older, err := contexts.EmbeddedWith(variantWithout(t, "endorsementJwt"))
	if err != nil {
		t.Fatal(err)
	}
	p := jsonld.New(jsonld.Config{Loader: contexts.Embedded()})
	for _, c := range []struct {
		name, doc string
		p         *jsonld.Processor
		losses    []string
		line      string // one of the lines
	}{
		{"a badge", badge(v2+","+ob, ""), p, nil, `<u:achievement> <https://schema.org/name> "N" .`},
		{"endorsementJwt before it entered the context", badge(v2+","+ob, `,"endorsementJwt":["x"]`), jsonld.New(jsonld.Config{Loader: older}),
			[]string{"/endorsementJwt undefined term"}, ""},
		{"an empty endorsementJwt too", badge(v2+","+ob, `,"endorsementJwt":[]`), jsonld.New(jsonld.Config{Loader: older}), []string{"/endorsementJwt undefined term"}, ""},
		{"awardedDate has a datatype with an undefined prefix", badge(v2+","+ob, `,"awardedDate":"2026-01-01T00:00:00Z"`), p, nil,
			`<u:badge> <https://purl.imsglobal.org/spec/vc/ob/vocab.html#awardedDate> "2026-01-01T00:00:00Z"^^<xsd:dateTime> .`},
		{"the same with CLR between", badge(v2+","+clr+","+ob, `,"awardedDate":"2026-01-01T00:00:00Z"`), p, nil,
			`<u:badge> <https://purl.imsglobal.org/spec/vc/ob/vocab.html#awardedDate> "2026-01-01T00:00:00Z"^^<xsd:dateTime> .`},
		{"dates of VCDM 1.1 on 2.0", badge(v2+","+ob, `,"issuanceDate":"2026-01-01T00:00:00Z"`), p, []string{"/issuanceDate undefined term"}, ""},
		{"a validator type without the extensions context", badge(v2+","+ob, `,"credentialSchema":{"id":"u:schema","type":"1EdTechJsonSchemaValidator2019"}`), p,
			[]string{"/credentialSchema/type relative IRI as type"}, `<u:badge> <https://www.w3.org/2018/credentials#credentialSchema> <u:schema> .`},
		{"the validator type of the specification's text", badge(v2+","+ob, `,"credentialSchema":{"id":"u:schema","type":"JsonSchemaValidator2019"}`), p,
			[]string{"/credentialSchema/type relative IRI as type"}, ""},
		{"a language map where there is none", strings.Replace(badge(v2+","+ob, ""), `"name":"N"`, `"name":{"en":"N"}`, 1), p,
			[]string{"/credentialSubject/achievement/name/en undefined term"}, ""},
		{"an image IRI with a space", strings.Replace(badge(v2+","+ob, ""), `"name":"N"`, `"name":"N","image":{"id":"u:a b","type":"Image"}`, 1), p,
			[]string{"/credentialSubject/achievement/image/id invalid IRI as @id"}, ""},
		{"a subject without type", strings.Replace(badge(v2+","+ob, ""), `"type":"AchievementSubject",`, ``, 1), p,
			[]string{"/credentialSubject/achievement undefined term"}, ""},
		{"an id that is not an IRI", strings.Replace(badge(v2+","+ob, ""), `"u:subject"`, `"3841453-234a"`, 1), p,
			[]string{"/credentialSubject/id relative IRI as @id"}, ""},
		{"a null", badge(v2+","+ob, `,"validUntil":null`), p, []string{"/validUntil null value"}, ""},
		{"credits as a number", strings.Replace(badge(v2+","+ob, ""), `"achievement":{`, `"creditsEarned":3.5,"achievement":{`, 1), p, nil,
			`<u:subject> <https://purl.imsglobal.org/spec/vc/ob/vocab.html#creditsEarned> "3.5E0"^^<https://www.w3.org/2001/XMLSchema#float> .`},
		{"whole credits", strings.Replace(badge(v2+","+ob, ""), `"achievement":{`, `"creditsEarned":3.0,"achievement":{`, 1), p, nil,
			`<u:subject> <https://purl.imsglobal.org/spec/vc/ob/vocab.html#creditsEarned> "3"^^<https://www.w3.org/2001/XMLSchema#float> .`},
		{"a key with a Greek iota", `{"@context":[` + v1 + `,"http://data.europa.eu/snb/model/context/edc-ap"],"id":"u:c","type":"VerifiableCredential","eIDASιdentifier":"x"}`, p,
			[]string{"/eIDASιdentifier undefined term; did you mean \"eIDASIdentifier\"?"}, ""},
		{"an ELM credential without its context", `{"@context":[` + v2 + `],"id":"u:c","type":["VerifiableCredential","EuropeanDigitalCredential"],"displayParameter":{"id":"u:d"}}`, p,
			[]string{"/type/1 relative IRI as type", "/displayParameter undefined term"}, ""},
		{"a long IRI stays", strings.Replace(badge(v2+","+ob, ""), `"u:achievement"`, `"https://e.example/?signed=`+strings.Repeat("a", 2100)+`"`, 1), p, nil,
			`<https://e.example/?signed=` + strings.Repeat("a", 2100) + `> <https://schema.org/name> "N" .`},
		{"an odd host stays", strings.Replace(badge(v2+","+ob, ""), `"u:achievement"`, `"https://-bad.example/%zz"`, 1), p, nil, `<https://-bad.example/%zz> <https://schema.org/name> "N" .`},
		{"an offset stays as it is", badge(v2+","+ob, `,"validFrom":"2026-01-01T00:00:00+00:00"`), p, nil,
			`<u:badge> <https://www.w3.org/2018/credentials#validFrom> "2026-01-01T00:00:00+00:00"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`},
		{"a presentation keeps its credentials in graphs", `{"@context":[` + v2 + `],"type":"VerifiablePresentation","verifiableCredential":{"@context":[` + v2 + `],"id":"u:c","type":"VerifiableCredential"}}`, p, nil,
			`<u:c> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/2018/credentials#VerifiableCredential> _:b1 .`},
		{"prefixes of a context that is not there", `{"@context":[` + v2 + `],"id":"u:c","type":"VerifiableCredential","sec:x":"y"}`, p, nil, `<u:c> <sec:x> "y" .`},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, losses := nquads(t, c.p, c.doc, jsonld.Options{})
			if !slices.Equal(losses, c.losses) {
				t.Errorf("lost %q, want %q", losses, c.losses)
			}
			if c.line != "" && !slices.Contains(lines, c.line) {
				t.Errorf("no line %s in\n%s", c.line, strings.Join(lines, "\n"))
			}
			if len(lines) == 0 {
				t.Error("nothing is left")
			}
		})
	}
}

// variantWithout returns the name of a variant of the Open Badges context that lacks a term.
func variantWithout(t *testing.T, term string) string {
	for _, c := range contexts.List(true) {
		if c.URL == "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json" && c.Variant != "" && !strings.Contains(string(c.JSON), `"`+term+`"`) {
			return c.Name + "@" + c.Variant
		}
	}
	t.Skip("no variant of the context without " + term)
	return ""
}

// No two documents that say different things share a form because of characters in IRIs.
func TestNoInjection(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for _, iri := range []string{"u:a> <u:g", "u:a>", "u:a\\u003e", "u:a .\n<u:b> <u:p> <u:c", `u:\"a`, "u:a\x7f<"} {
		for _, doc := range []string{
			fmt.Sprintf(`{"@id":%q,"u:p":"x"}`, iri), fmt.Sprintf(`{"@id":"u:s",%q:"x"}`, iri), fmt.Sprintf(`{"@id":"u:s","u:p":{"@id":%q}}`, iri),
			fmt.Sprintf(`{"@id":"u:s","@type":%q}`, iri), fmt.Sprintf(`{"@id":%q,"@graph":{"@id":"u:s","u:p":"x"}}`, iri),
		} {
			if err := toRDF(p, strings.ReplaceAll(strings.ReplaceAll(doc, `\x7f`, "\x7f"), `\\u`, `\u`)); err == nil {
				t.Errorf("%s is accepted", doc)
			}
		}
	}
}

// Contexts that redefine protected terms are errors.
func TestProtected(t *testing.T) {
	p := jsonld.New(jsonld.Config{Loader: contexts.Embedded()})
	for _, context := range []string{
		`["https://www.w3.org/ns/credentials/v2",{"name":"u:name"}]`,
		`["https://www.w3.org/ns/credentials/v2","https://www.w3.org/2018/credentials/v1"]`,
		`["https://www.w3.org/ns/credentials/v2","http://data.europa.eu/snb/model/context/edc-ap"]`,
		`["https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.2.json","https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"]`,
	} {
		err := toRDF(p, `{"@context":`+context+`,"id":"u:c","type":"VerifiableCredential"}`)
		var e *jsonld.Error
		if !errors.As(err, &e) || e.Code != jsonld.ProtectedTermRedefinition || !strings.HasPrefix(e.Pointer, "/@context") {
			t.Errorf("%s: %v", context, err)
		}
	}
	if err := toRDF(p, `{"@context":["https://www.w3.org/ns/credentials/v2","https://www.w3.org/ns/credentials/v2"],"id":"u:c","type":"VerifiableCredential"}`); err != nil {
		t.Error("the same definitions again:", err)
	}
}
