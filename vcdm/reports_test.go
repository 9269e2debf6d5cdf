package vcdm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
)

// reports are public bug reports about other implementations, and mistakes found in them: each is a test
// that none of them is made here.
var reports = map[string]func(l *lab){
	"digitalbazaar/jsonld-signatures#169 relative identifiers": func(l *lab) {
		for _, id := range []string{"", "#list"} {
			l.neitherSignedNorVerified(func(m map[string]any) { subjectOf(m)["id"] = id })
		}
	},
	"transmute-industries/verifiable-data#229 subject without scheme": func(l *lab) {
		l.neitherSignedNorVerified(func(m map[string]any) { subjectOf(m)["id"] = "student" })
	},
	"uncefact/project-vckit#280 undefined members": func(l *lab) {
		l.neitherSignedNorVerified(func(m map[string]any) { m["maliciousField"] = "x" })
	},
	"affinidi/affinidi-tdk-rs#381 attribute forged in a derived proof": func(l *lab) {
		doc := `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"urn:x:1","credentialSubject":{"id":"urn:x:2","name":"n"}}`
		derived := l.derive(l.sign(sd, doc), "/credentialSubject/name")
		l.accept("as derived", derived)
		l.refuse("forged", edit(l, derived, func(m map[string]any) { subjectOf(m)["memberLevel"] = "gold" }),
			lossErr)
	},
	"hyperledger-aries/aries-framework-go#3624 proof options without their terms": func(l *lab) {
		doc := `{"@context":{"id":"@id","type":"@type","s":"urn:s","DataIntegrityProof":"https://w3id.org/security#DataIntegrityProof"},"id":"urn:x:1","s":"v"}`
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", sd} {
			_, err := l.signer(s, true).Add(context.Background(), []byte(doc),
				l.options(s).AppendJSON(nil, s))
			l.failed(s, err, lossErr)
		}
	},
	"trustbloc/orb#1435 undefined proof terms": func(l *lab) {
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", sd} {
			l.refuse(s, setProof(l, l.present(s, credential), "unknown", "x"), lossErr)
		}
	},
	"digitalbazaar/vc#187 created is no date": func(l *lab) {
		for _, s := range everySuite {
			l.refuse(s, setProof(l, l.present(s, credential), "created", "invalidDate"), verErr)
		}
	},
	"spruceid/ssi#667 created rewritten": func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential, func(o *vcdm.Options) { o.Created = "2025-03-25T17:27:41+00:00" })
			l.accept(s, doc)
			if !strings.Contains(doc, "2025-03-25T17:27:41+00:00") {
				l.Errorf("%s: created was rewritten", s)
			}
		}
	},
	"spruceid/ssi#709 order of statements, sets, datatypes": func(l *lab) {
		doc := edit(l, twelve(), func(m map[string]any) {
			subjectOf(m)["alumniOf"] = map[string]any{"@value": "x",
				"@type": "https://www.w3.org/2001/XMLSchema#string"}
			subjectOf(m)["result"].([]any)[3].(map[string]any)["id"] = "urn:x:one-with-a-name"
		})
		signed, err := l.signOnto("eddsa-rdfc-2022", doc, func(*vcdm.Options) {})
		if err != nil {
			l.Fatal(err)
		}
		if signed, err = l.signOnto(sd, signed, func(*vcdm.Options) {}); err != nil {
			l.Fatal(err)
		}
		l.accept("derived from a set", l.derive(signed, "/credentialSubject/alumniOf",
			"/credentialSubject/result/3", "/credentialSubject/result/4"))
		if lines := l.mandatoryLines(doc, "/credentialSubject/alumniOf"); has(lines,
			"<https://www.w3.org/2001/XMLSchema#string>") != 1 {
			l.Errorf("datatype rewritten: %q", lines)
		}
	},
	"digitalbazaar/ecdsa-sd-2023-cryptosuite#33 length of the public key": func(l *lab) { l.check("G02") },
	"digitalbazaar/ecdsa-sd-2023-cryptosuite#20 no pointers at all":       func(l *lab) { l.check("H04") },
	"digitalbazaar/jsonld-signatures#176 JCS proof without context":       func(l *lab) { l.check("E02") },
	"w3c/vc-di-eddsa#79 context appended after a JCS signature":           func(l *lab) { l.check("E03") },
	"w3c/vc-data-integrity#272 terms and values swapped":                  func(l *lab) { l.check("C26") },
	"w3c/vc-di-eddsa#65 datatype of the cryptosuite": func(l *lab) {
		f, err := l.rdfc.Canonicalize(context.Background(),
			[]byte(`{"@context":"https://www.w3.org/ns/credentials/v2","type":"DataIntegrityProof","cryptosuite":"eddsa-rdfc-2022"}`), canon.Options{})
		if err != nil {
			l.Fatal(err)
		}
		if !strings.Contains(string(f.Text),
			`"eddsa-rdfc-2022"^^<https://w3id.org/security#cryptosuiteString>`) {
			l.Errorf("%s", f.Text)
		}
	},
	"learningeconomy/LearnCard#1553 a datatype stripped from texts": func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential,
				func(o *vcdm.Options) { o.Challenge = "a^^<https://w3id.org/security#cryptosuiteString>" })
			l.accept(s, doc)
			l.refuse(s, setProof(l, doc, "challenge", "a"), verErr)
		}
	},
	"inji/inji-wallet#2590 graph container of credentials": func(l *lab) { l.check("K11") },
	"digitalcredentials/verifier-plus#135 a character deleted": func(l *lab) {
		for _, s := range everySuite {
			l.refuse(s, strings.Replace(l.present(s, credential), "A degree", "A degre", 1), verErr)
		}
	},
	"digitalbazaar/jsonld.js#524 compact identifiers in proof options": func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) {
			m["@context"] = append(m["@context"].([]any), map[string]any{"sec": "https://w3id.org/security#"})
		})
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", sd} {
			o := string(l.options(s).AppendJSON(nil, s))
			signed, err := l.add(s, doc, o[:len(o)-1]+`,"sec:challenge":"c"}`)
			if err != nil {
				l.Fatalf("%s: %v", s, err)
			}
			shown := string(signed)
			if derives(s) {
				shown = l.derive(shown, "")
			}
			l.accept(s, shown)
			full := edit(l, shown, func(m map[string]any) {
				p := proofOf(m)
				delete(p, "sec:challenge")
				p["https://w3id.org/security#challenge"] = "c"
			})
			l.accept(s+" in full", full)
		}
	},
	"1EdTech/openbadges-specification#644 ordered lists and selective disclosure": func(l *lab) {
		l.check("G15")
	},
	"digitalbazaar/pyld#177 a number written 42.0": func(l *lab) {
		f, err := l.rdfc.Canonicalize(context.Background(), []byte(`{"@id":"urn:x:1","urn:p":[42.0,42]}`),
			canon.Options{})
		if err != nil {
			l.Fatal(err)
		}
		if string(f.Text) != "<urn:x:1> <urn:p> \"42\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n" {
			l.Errorf("%s", f.Text)
		}
	},
	"sparq-org/sparq#2813 hashes compared with themselves": func(l *lab) { l.check("A16") },
	"jsonld.js: 1e-7 and 2e-7 are signed alike": func(l *lab) {
		for _, s := range everySuite {
			signed := l.present(s, strings.Replace(credential, `"The School"`, "1e-7", 1))
			l.accept(s, signed)
			l.refuse(s, strings.Replace(signed, "1e-7", "2e-7", 1), verErr)
		}
	},
	"json-gold: control characters in N-Quads": func(l *lab) {
		for _, s := range everySuite {
			signed := l.present(s, strings.Replace(credential, "The School", `\u0001\u007f`, 1))
			l.accept(s, signed)
			l.refuse(s, strings.Replace(signed, `\u0001`, `\u0002`, 1), verErr)
		}
		f, err := l.rdfc.Canonicalize(context.Background(),
			[]byte(`{"@id":"urn:x:1","urn:p":"\u0001\u007f"}`), canon.Options{})
		if err != nil {
			l.Fatal(err)
		}
		if !strings.Contains(string(f.Text), `"\u0001\u007F"`) {
			l.Errorf("%s", f.Text)
		}
	},
	"vc20: ecdsa-rdfc-2019 covers the proof options alone": func(l *lab) {
		signed := l.present("ecdsa-rdfc-2019", credential)
		for name, f := range forgeries {
			l.refuse(name, edit(l, signed, f))
		}
	},
	"vc20: mandatory statements are found by substrings": func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) {
			subjectOf(m)["notes"] = []any{"/issuer", "https://university.example/issuers/14"}
		})
		if lines := l.mandatoryLines(doc, "/issuer"); len(lines) != 3 {
			l.Errorf("%q", lines)
		}
	},
	"jsonld-signatures: verified if any proof is": func(l *lab) { l.check("F02") },
	"trustbloc/vc-go: options of the first proof kept for the next": func(l *lab) {
		doc, err := l.signOnto("eddsa-jcs-2022", credential, func(o *vcdm.Options) {
			o.Created,
				o.Expires = "2024-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
		})
		if err == nil {
			doc, err = l.signOnto("ecdsa-rdfc-2019", doc, func(o *vcdm.Options) {
				o.Created,
					o.Nonce = "2025-01-01T00:00:00.5Z", "n"
			})
		}
		if err != nil {
			l.Fatal(err)
		}
		l.accept("a set of different proofs", doc)
	},
	"trustbloc/vc-go: domain compared as one text": func(l *lab) { l.check("C08") },
	"a mandatory value of several statements": func(l *lab) { // statements that stand twice in the document are one
		doc := edit(l, credential, func(m map[string]any) {
			subjectOf(m)["notes"] = []any{"same", "same"}
			subjectOf(m)["degree"] = []any{map[string]any{"id": "urn:x:d", "level": "L"},
				map[string]any{"id": "urn:x:d", "level": "L"}}
		})
		signed := l.sign(sd, doc)
		for _, p := range []string{"/credentialSubject/notes/0", "/credentialSubject/notes/1",
			"/credentialSubject/degree/1/level", ""} {
			l.accept(p, l.derive(signed, p))
		}
	},
}

// neitherSignedNorVerified refuses a document that loses data, before and after signing.
func (l *lab) neitherSignedNorVerified(change func(m map[string]any)) {
	l.Helper()
	for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", sd} {
		_, err := l.add(s, edit(l, credential, change), string(l.options(s).AppendJSON(nil, s)))
		l.failed(s+" sign", err, lossErr)
		l.refuse(s+" verify", edit(l, l.present(s, credential), change), lossErr)
	}
}

func TestReports(t *testing.T) {
	l := newLab(t)
	for name, check := range reports {
		t.Run(name, func(t *testing.T) { check(l.with(t)) })
	}
}

// The short path of ecdsa-sd-2023 selects the statements that the specification's own steps select.
func TestPathsAgree(t *testing.T) {
	l := newLab(t)
	stock := engineWith(t, canon.Stock, canon.RDFC, contexts.Embedded())
	documents := map[string]string{
		"all": edit(t, credential, func(m map[string]any) {
			subjectOf(m)["blob"] = map[string]any{"b": 1, "a": []any{"x"}}
			subjectOf(m)["titles"] = map[string]any{"en": "Title", "de": "Titel"}
			subjectOf(m)["awardOf"] = map[string]any{"id": "urn:x:award", "level": "gold"}
			subjectOf(m)["degree"] = map[string]any{"type": "Degree", "level": "Master",
				"degree": map[string]any{"level": "inner",
					"steps": []any{"a", map[string]any{"level": "in a list"}}}}
		}),
		"names":       strings.ReplaceAll(credential, `"degree":{"type"`, `"degree":{"id":"_:b7","type"`),
		"twelve":      twelve(),
		"same values": strings.Replace(credential, `"two","three"`, `"one","one"`, 1),
		"two lists": strings.Replace(credential, `"degree":{"type"`,
			`"degree":{"steps":["first","second","third"],"type"`, 1),
		// endorsements are credentials with proofs, each in a graph of its own
		"ob3": drawnDocument(t, "ob3"),
	}
	tried, selected := 0, 0
	for name, doc := range documents {
		for _, pointers := range [][]string{nil, {""}, {"/id"}, {"/type"}, {"/issuer"},
			{"/credentialSubject"}, {"/credentialSubject/degree"}, {"/credentialSubject/degree/level"},
			{"/credentialSubject/notes"}, {"/credentialSubject/notes/1"}, {"/credentialSubject/steps"},
			{"/credentialSubject/steps/1"}, {"/credentialSubject/result/1"},
			{"/credentialSubject/result/2/grade", "/credentialSubject/result/0"}, {"/credentialSubject/blob"},
			{"/credentialSubject/blob/a"}, {"/credentialSubject/titles/de"},
			{"/credentialSubject/awardOf/level"}, {"/credentialSubject/degree/degree/steps"},
			{"/credentialSubject/degree/degree/steps/1/level"}, {"/@context"},
			{"/endorsement"}, {"/endorsement/0/issuer/name"}, {"/endorsement/0/proof/0/created"},
			{"/credentialSubject/achievement/resultDescription/0/allowedValue"},
			{"/credentialSubject/achievement/resultDescription"},
			{"/evidence/1/name", "/credentialSubject/result/2"}} {
			tried++
			short, err1 := grouped(l, l.rdfc, doc, pointers)
			literal, err2 := grouped(l, stock, doc, pointers)
			switch {
			case (err1 == nil) != (err2 == nil):
				t.Errorf("%s %q: short path %v, literal path %v", name, pointers, err1, err2)
			case err1 == nil && short == literal:
				selected++
			case short != literal:
				t.Errorf("%s %q: short path\n%s\nliteral path\n%s", name, pointers, short, literal)
			}
		}
	}
	if selected < tried/3 {
		t.Errorf("only %d of %d selections select something", selected, tried)
	}
}

// drawnDocument returns a document of the catalogue.
func drawnDocument(t testing.TB, schema string) string {
	g, err := catalogue.Get(schema)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(c.VCDM)
}

// grouped returns the statements of a base proof, the mandatory ones marked.
func grouped(l *lab, c canon.Canonicalizer, doc string, mandatory []string) (string, error) {
	t := new(vcdm.SDTrace)
	suite := vcdm.ECDSASD2023(c, vcdm.SDOptions{Mandatory: mandatory, HMACKey: make([]byte, 32),
		Literal: true, Trace: t})
	_, err := (&vcdm.Signer{Suite: suite, Key: l.key(sd)}).Add(context.Background(), []byte(doc),
		l.options(sd).AppendJSON(nil, sd))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, line := range t.Lines {
		fmt.Fprintf(&b, "%v %s", t.Mandatory[i], line)
	}
	return b.String(), nil
}
