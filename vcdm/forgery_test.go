package vcdm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mr-tron/base58"

	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// A holder must not show the statements about one blank node as being about two, by giving both the label
// that was signed.
func TestSplitBlankNode(t *testing.T) {
	l := newLab(t)
	honest := l.derive(l.sign("ecdsa-sd-2023", `{"@context":["https://www.w3.org/ns/credentials/v2",{"result":{"@id":"urn:example:result"},
 "grade":"urn:example:grade","course":"urn:example:course"}],"id":"urn:uuid:1","type":["VerifiableCredential"],"issuer":"did:example:i",
 "credentialSubject":{"id":"did:example:s","result":[{"course":"Maths","grade":"A"}]}}`), "/credentialSubject/result/0/course",
		"/credentialSubject/result/0/grade")
	l.accept("honest", honest)
	split := edit(t, honest, func(m map[string]any) {
		subjectOf(m)["result"] = []any{map[string]any{"course": "Maths"}, map[string]any{"grade": "A"}}
	})
	_, p := open(t, honest)
	signatures := p[2].([]any)
	// the statement that leads to the node stands twice, and so does its signature
	for i := range signatures {
		for at := range len(signatures) + 1 {
			for shift := range uint64(2) {
				forged := change(t, split, func(p parts) any {
					labels := p[3].(map[any]any)
					labels[uint64(1)] = labels[uint64(0)]
					p[2] = slices.Insert(p[2].([]any), at, signatures[i])
					indexes := p[4].([]any)
					for k := range indexes {
						indexes[k] = indexes[k].(uint64) + shift
					}
					return p
				})
				l.refuse("split", forged, verErr)
			}
		}
	}
}

// Contexts that give the terms of a proof another meaning keep its statements, and with them the signature;
// what verification reads would then be whatever the forger likes.
func TestRedefinedProofTerms(t *testing.T) {
	l := newLab(t)
	const doc = `{"@context":["https://w3id.org/security/data-integrity/v2",{"claim":"urn:example:claim"}],"id":"urn:uuid:1","claim":"x"}`
	terms := func() map[string]any {
		const sec, date = "https://w3id.org/security#", "http://www.w3.org/2001/XMLSchema#dateTime"
		typed := func(iri, typ string) map[string]any { return map[string]any{"@id": iri, "@type": typ} }
		return map[string]any{"id": "@id", "type": "@type", "claim": "urn:example:claim",
			"DataIntegrityProof": sec + "DataIntegrityProof",
			"cryptosuite":        typed(sec+"cryptosuite", sec+"cryptosuiteString"),
			"proofPurpose":       typed(sec+"proofPurpose", "@vocab"),
			"verificationMethod": typed(sec+"verificationMethod", "@id"),
			"created":            typed("http://purl.org/dc/terms/created", date),
			"expires":            typed(sec+"expiration", date), "challenge": sec + "challenge", "domain": sec +
				"domain",
			"authentication": sec + "authenticationMethod"}
	}
	for _, suite := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019"} {
		signed := l.sign(suite, doc, func(o *vcdm.Options) {
			o.Purpose, o.Challenge, o.Domain, o.Expires = vcdm.Authentication, "c1", []string{"a",
				"b"}, "2027-01-01T00:00:00Z"
		})
		v := l.verifier()
		v.Purpose, v.AnyPurpose = "", true
		check := func(doc string) error { return v.VerifyAll(context.Background(), []byte(doc)).Err() }
		forge := func(change func(context, proof map[string]any)) string {
			return edit(t, signed, func(m map[string]any) {
				c := terms()
				m["@context"] = c
				change(c, proofOf(m))
			})
		}
		if err := check(forge(func(_, _ map[string]any) {})); err != nil {
			t.Fatalf("%s: contexts that say the same: %v", suite, err)
		}
		for name, change := range map[string]func(context, proof map[string]any){
			"purpose": func(c, p map[string]any) {
				c["assertionMethod"], p["proofPurpose"] = c["authentication"], "assertionMethod"
			},
			"purpose by another name": func(c, p map[string]any) {
				c["other"], p["proofPurpose"] = c["authentication"], "other"
			},
			"expires left out": func(c, p map[string]any) {
				c["end"], p["end"] = c["expires"],
					p["expires"]
				delete(p, "expires")
			},
			"created left out": func(c, p map[string]any) {
				c["made"], p["made"] = c["created"],
					p["created"]
				delete(p, "created")
			},
			"challenge and domain swapped": func(c, p map[string]any) {
				c["challenge"], c["domain"], p["challenge"], p["domain"] = c["domain"], c["challenge"], "a", "c1"
				c["also"], p["also"] = c["challenge"], "b"
			},
			"dates swapped": func(c, p map[string]any) {
				c["created"], c["expires"], p["created"], p["expires"] = c["expires"], c["created"], p["expires"], p["created"]
			},
			"type": func(c, p map[string]any) {
				c["DataIntegrityProof"], c["type"] = "urn:example:Other",
					"@type"
			},
		} {
			v.AnyTime = name == "dates swapped"
			l.failed(suite+" "+name, check(forge(change)), problem.DataLossDetection, verErr,
				problem.InvalidRelationship)
		}
	}
}

// A presentation is bound to its holder, whatever else it names an issuer.
func TestBoundPresentation(t *testing.T) {
	l := newLab(t)
	for _, suite := range []string{"eddsa-jcs-2022", "ecdsa-jcs-2019"} {
		for holder, bound := range map[string]bool{"did:example:victim": false,
			l.key(suite).Public().DID(): true} {
			doc := l.sign(suite,
				`{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],"holder":"`+holder+
					`","issuer":"`+l.key(suite).Public().DID()+`"}`,
				func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
			v := l.verifier()
			v.Purpose, v.AnyIssuer = vcdm.Authentication, false
			if r := v.VerifyPresentation(context.Background(), []byte(doc)); r.Verified != bound {
				t.Errorf("%s, holder %s: verified %v", suite, holder, r.Verified)
			}
		}
	}
}

// A proof value has one form: no line breaks, and each element of its own CBOR type.
func TestProofValueForm(t *testing.T) {
	l := newLab(t)
	doc := l.derive(l.sign("ecdsa-sd-2023", credential), "/credentialSubject/degree")
	text := proofOf(decode(t, doc))["proofValue"].(string)
	l.refuse("line break", strings.Replace(doc, text, text[:20]+`\r\n`+text[20:], 1), verErr)
	numbers := func(b any) (list []any) {
		for _, c := range b.([]byte) {
			list = append(list, c)
		}
		return list
	}
	for name, f := range map[string]func(p parts){
		"base signature as numbers": func(p parts) { p[0] = numbers(p[0]) },
		"key as numbers":            func(p parts) { p[1] = numbers(p[1]) },
		"signature as numbers":      func(p parts) { p[2].([]any)[0] = numbers(p[2].([]any)[0]) },
		"label as numbers":          func(p parts) { m := p[3].(map[any]any); m[uint64(0)] = numbers(m[uint64(0)]) },
	} {
		l.refuse(name, change(t, doc, func(p parts) any { f(p); return p }), verErr)
	}
	whole := l.derive(l.sign("ecdsa-sd-2023", `{"@context":["https://www.w3.org/ns/credentials/v2"],"id":"urn:uuid:1","type":["VerifiableCredential"],
 "issuer":"did:example:i","credentialSubject":{"id":"did:example:s","name":"x"}}`), "/issuer")
	l.accept("no blank nodes", whole)
	for part, name := range []string{2: "no signatures", 3: "no labels"} {
		if name != "" {
			l.refuse(name+", as null", change(t, whole, func(p parts) any { p[part] = nil; return p }),
				verErr)
		}
	}
	signed := l.sign("ecdsa-sd-2023", credential)
	for part, name := range []string{"base signature", "key", "HMAC key"} {
		_, err := l.tryDerive(change(t, signed, func(p parts) any { p[part] = numbers(p[part]); return p }),
			"/issuer")
		l.failed(name+" of a base proof as numbers", err, verErr)
	}
}

// Nobody has the secret of the neutral element of Ed25519, and everybody can sign under it: one signature
// fits every document. Such a did:key is refused, whatever its encoding.
func TestForgedUnderSmallOrder(t *testing.T) {
	l := newLab(t)
	neutral := append([]byte{1}, make([]byte, 31)...)
	other := slices.Clone(neutral)
	other[31] = 0x80 // the sign of its x, which is 0
	base := append([]byte{0x58}, slices.Repeat([]byte{0x66}, 31)...)
	sig := slices.Concat(base, neutral) // R = B, S = 1
	for _, key := range [][]byte{neutral, other} {
		m := "z" + base58.Encode(append([]byte{0xed, 0x01}, key...))
		for _, suite := range []string{"eddsa-rdfc-2022", "eddsa-jcs-2022"} {
			forged := setProof(t, l.sign(suite, credential), "verificationMethod", "did:key:"+m+"#"+m)
			forged = setProof(t, forged, "proofValue", "z"+base58.Encode(sig))
			err := l.verify(forged)
			l.failed(suite, err, problem.InvalidMethod)
			if !errors.Is(err, keys.ErrSmallOrder) {
				t.Errorf("%s: %v", suite, err)
			}
		}
	}
}
