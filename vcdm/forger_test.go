package vcdm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/vcdm"
)

// A forger has a signed document and no key. It says the same statements in another way, so that the
// signature holds, and tries to make a verifier read something else: no end of validity, another issuer,
// fewer credentials.

const vocabulary = "https://www.w3.org/2018/credentials#"

// forgedMembers are what verification reads, with the IRI and the datatype of each.
var forgedMembers = map[string][2]string{
	"issuer": {vocabulary + "issuer"}, "holder": {vocabulary + "holder"}, "credentialSubject": {vocabulary +
		"credentialSubject"},
	"credentialStatus": {vocabulary + "credentialStatus"},
	"credentialSchema": {vocabulary + "credentialSchema"},
	"termsOfUse":       {vocabulary + "termsOfUse"}, "relatedResource": {vocabulary + "relatedResource"},
	"verifiableCredential": {vocabulary + "verifiableCredential", "@graph"},
	"validFrom":            {vocabulary + "validFrom", xsdDateTime}, "validUntil": {vocabulary + "validUntil",
		xsdDateTime},
	"issuanceDate":   {vocabulary + "issuanceDate", xsdDateTime},
	"expirationDate": {vocabulary + "expirationDate", xsdDateTime},
	"type":           {"@type"}, "id": {"@id"},
}

const xsdDateTime = "http://www.w3.org/2001/XMLSchema#dateTime"

// full returns a value as it has to be written under an IRI.
func full(member string, value any) any {
	switch of := forgedMembers[member][1]; {
	case of == "@graph":
		return map[string]any{"@graph": value}
	case of != "":
		return map[string]any{"@value": value, "@type": of}
	}
	if s, ok := value.(string); ok && member != "type" && member != "id" {
		return map[string]any{"@id": s}
	}
	return value
}

// addContext adds an inline context at the end of the document's.
func addContext(m map[string]any, c map[string]any) {
	list, ok := m["@context"].([]any)
	if !ok {
		list = []any{m["@context"]}
	}
	m["@context"] = append(slices.Clone(list), c)
}

// spellings are ways to write a member in another way; id is that of the document, or nil.
var spellings = map[string]func(m map[string]any, member string, id any){
	"iri": func(m map[string]any, member string, _ any) {
		v := m[member]
		delete(m, member)
		m[forgedMembers[member][0]] = full(member, v)
	},
	"compact iri": func(m map[string]any, member string, _ any) {
		v := m[member]
		delete(m, member)
		addContext(m, map[string]any{"cred": vocabulary})
		m["cred:"+member] = full(member, v)
	},
	"alias": func(m map[string]any, member string, _ any) {
		v := m[member]
		delete(m, member)
		term := map[string]any{"@id": forgedMembers[member][0]}
		if of := forgedMembers[member][1]; of == "@graph" {
			term["@container"] = of
		} else if of != "" {
			term["@type"] = of
		} else {
			term["@type"] = "@id"
		}
		if strings.HasPrefix(forgedMembers[member][0], "@") {
			term = map[string]any{"@id": forgedMembers[member][0]}
		}
		addContext(m, map[string]any{"other": term})
		m["other"] = v
	},
	"nest": func(m map[string]any, member string, _ any) {
		m["@nest"] = map[string]any{member: m[member]}
		delete(m, member)
	},
	"nest by an alias": func(m map[string]any, member string, _ any) {
		addContext(m, map[string]any{"more": "@nest"})
		m["more"] = []any{map[string]any{member: m[member]}}
		delete(m, member)
	},
	"included": func(m map[string]any, member string, id any) {
		v := m[member]
		delete(m, member)
		m["@included"] = []any{map[string]any{"@id": id, forgedMembers[member][0]: full(member, v)}}
	},
	"included with terms": func(m map[string]any, member string, id any) {
		m["@included"] = map[string]any{"id": id, "type": m["type"], member: m[member]}
		delete(m, member)
	},
	"graph": func(m map[string]any, _ string, _ any) {
		inner := maps.Clone(m)
		delete(inner, "@context")
		delete(inner, "proof")
		for k := range inner {
			delete(m, k)
		}
		m["@graph"] = []any{inner}
	},
	"where the document is named": func(m map[string]any, member string, id any) {
		v := m[member]
		delete(m, member)
		if s, ok := m["credentialSubject"].(map[string]any); ok {
			s["about"] = map[string]any{"id": id, forgedMembers[member][0]: full(member, v)}
		}
	},
	"split":  func(m map[string]any, member string, _ any) { split(m, member, 1) },
	"behind": func(m map[string]any, member string, _ any) { split(m, member, 0) },
	"set": func(m map[string]any, member string,
		_ any) {
		m[member] = map[string]any{"@set": []any{m[member]}}
	},
	"list":   func(m map[string]any, member string, _ any) { m[member] = []any{m[member], m[member]} },
	"object": func(m map[string]any, member string, _ any) { m[member] = full(member, m[member]) },
	// the term says something else, the IRI what is signed
	"redefined": func(m map[string]any, member string, id any) {
		v := m[member]
		addContext(m, map[string]any{member: "urn:example:about"})
		m[forgedMembers[member][0]] = full(member, v)
		m[member] = map[string]any{"@id": id}
	},
	"reversed": func(m map[string]any, member string, id any) {
		m["@reverse"] = map[string]any{"urn:example:about": m["credentialSubject"]}
		delete(m, member)
	},
}

// split leaves one of two values at the member and says the other by its IRI.
func split(m map[string]any, member string, keep int) {
	list, ok := m[member].([]any)
	if !ok || len(list) < 2 {
		return
	}
	m[member] = list[keep]
	m[forgedMembers[member][0]] = full(member, list[1-keep])
}

// read is what a reader of the JSON takes from a document.
func read(m map[string]any) string {
	var parts []string
	ids := func(v any) (all []string) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, e := range list {
			if o, ok := e.(map[string]any); ok {
				e = o["id"]
			}
			all = append(all, fmt.Sprint(e))
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	for _, member := range slices.Sorted(maps.Keys(forgedMembers)) {
		switch v := m[member]; {
		case v == nil:
		case member == "type": // only those that decide how a document is read
			parts = append(parts,
				fmt.Sprint(member,
					slices.DeleteFunc(ids(v),
						func(s string) bool { return !strings.HasPrefix(s, "Verifiable") })))
		case member == "verifiableCredential":
			n := 1
			if list, ok := v.([]any); ok {
				n = len(list)
			}
			parts = append(parts, fmt.Sprint(member, n))
		default:
			parts = append(parts, fmt.Sprint(member, ids(v)))
		}
	}
	return strings.Join(parts, "\n")
}

// forged are signed documents by name.
func forged(l *lab) map[string]string {
	const inline = `{"@protected":true,"Degree":"urn:example:Degree","about":{"@id":"urn:example:about","@type":"@id"},"level":"urn:example:level"}`
	body := func(id string) string {
		return `{"@context":["https://www.w3.org/ns/credentials/v2",` + inline + `],` + id + `"type":["VerifiableCredential","Degree"],
 "issuer":"ISSUER","validFrom":"2020-01-01T00:00:00Z","validUntil":"2021-01-01T00:00:00Z",
 "credentialSubject":[{"id":"did:example:a","level":"x","about":{"id":"urn:uuid:1"}},{"id":"did:example:b","level":"y"}],
 "credentialStatus":{"id":"urn:example:status","type":"BitstringStatusListEntry","statusPurpose":"revocation"},
 "credentialSchema":{"id":"urn:example:schema","type":"JsonSchema"},"termsOfUse":[{"id":"urn:example:t1","type":"Degree"},{"id":"urn:example:t2","type":"Degree"}],
 "relatedResource":[{"id":"urn:example:r1","digestSRI":"sha256-WZVc7WaX1h4D8rJVb+vlMIqxaEKEb1tYbX8fet7JJzQ="},{"id":"urn:example:r2","digestMultibase":"u` + b64(append([]byte{0x12, 32}, make([]byte, 32)...)) + `"}]}`
	}
	all := map[string]string{}
	for _, suite := range everySuite {
		if vcdm.MethodOf(suite) != canon.RDFC {
			continue // the signature covers the JSON
		}
		issuer := l.key(suite).Public().DID()
		all[suite] = l.present(suite, strings.Replace(body(`"id":"urn:uuid:1",`), "ISSUER", issuer, 1))
		all[suite+" without id"] = l.present(suite, strings.Replace(body(""), "ISSUER", issuer, 1))
		all[suite+" 1.1"] = l.present(suite, `{"@context":["https://www.w3.org/2018/credentials/v1","https://w3id.org/security/data-integrity/v2"],"id":"urn:uuid:1",
 "type":["VerifiableCredential"],"issuer":{"id":"`+issuer+`"},"issuanceDate":"2019-01-01T00:00:00Z","expirationDate":"2020-01-01T00:00:00Z",
 "credentialSubject":{"id":"did:example:a"}}`)
	}
	suite := "eddsa-rdfc-2022"
	holder := l.key(suite).Public().DID()
	vp := `{"@context":["https://www.w3.org/ns/credentials/v2"],%s"type":["VerifiablePresentation"],"holder":"` + holder + `","verifiableCredential":[` +
		all["ecdsa-rdfc-2019"] + `,` + all[sd] + `]}`
	for name, id := range map[string]string{"presentation": `"id":"urn:uuid:1",`,
		"presentation without id": ""} {
		all[name] = l.sign(suite, fmt.Sprintf(vp, id),
			func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
	}
	return all
}

// Attacks 1, 6 and 8, and every spelling like them: what is accepted says to a reader of its JSON what the
// issuer signed.
func TestForger(t *testing.T) {
	l := newLab(t)
	f := newForger(l)
	accepted, refused := 0, 0
	for _, name := range f.names {
		for member := range forgedMembers {
			for how := range spellings {
				if f.try(t, name, member, how) {
					accepted++
				} else {
					refused++
				}
			}
		}
		for seed := range uint64(60) {
			f.many(t, name, seed)
		}
	}
	if accepted == 0 || refused < accepted {
		t.Errorf("%d accepted, %d refused: the spellings do not reach the verifier", accepted, refused)
	}
}

func FuzzForger(f *testing.F) {
	forger := newForger(newLab(f))
	for i := range forger.names {
		f.Add(uint(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, doc uint, seed uint64) {
		forger.many(t, forger.names[doc%uint(len(forger.names))], seed)
	})
}

type forger struct {
	v     *vcdm.Verifier
	docs  map[string]string
	names []string
}

func newForger(l *lab) *forger {
	f := &forger{v: l.verifier(), docs: forged(l)}
	f.v.Purpose = ""
	f.names = slices.Sorted(maps.Keys(f.docs))
	for _, name := range f.names {
		if err := f.v.VerifyAll(context.Background(), []byte(f.docs[name])).Err(); err != nil {
			l.Fatalf("%s: %v", name, err)
		}
	}
	return f
}

// try applies one spelling; it reports whether the result was accepted.
func (f *forger) try(t *testing.T, name, member, how string) bool {
	m := decode(t, f.docs[name])
	if m[member] == nil {
		return false
	}
	want := read(m)
	spellings[how](m, member, m["id"])
	return f.check(t, name+": "+member+" by "+how, m, want)
}

// many applies some spellings that the seed chooses.
func (f *forger) many(t *testing.T, name string, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	m := decode(t, f.docs[name])
	want, id := read(m), m["id"]
	what := name
	members := slices.Sorted(maps.Keys(forgedMembers))
	hows := slices.Sorted(maps.Keys(spellings))
	for range 1 + r.IntN(3) {
		at := m
		// inside a credential of a presentation
		if list, ok := m["verifiableCredential"].([]any); ok && r.IntN(4) == 0 {
			at = list[r.IntN(len(list))].(map[string]any)
		}
		member, how := members[r.IntN(len(members))], hows[r.IntN(len(hows))]
		if at[member] != nil {
			spellings[how](at, member, id)
			what += ", " + member + " by " + how
		}
	}
	f.check(t, what, m, want)
}

func (f *forger) check(t *testing.T, what string, m map[string]any, want string) bool {
	doc, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if !f.v.VerifyAll(context.Background(), doc).Verified {
		return false
	}
	if got := read(decode(t, string(doc))); got != want {
		t.Errorf("%s: accepted, and a reader finds\n%s\nwhere the issuer signed\n%s\n%s", what, got, want,
			doc)
	}
	return true
}

// Attack 1: an expired credential stays expired, however its end is written.
func TestExpiredInEverySpelling(t *testing.T) {
	l := newLab(t)
	f := newForger(l)
	f.v.AnyPeriod, f.v.AnyIssuer, f.v.Now = false, false, func() time.Time { return now }
	for _, name := range f.names {
		for member := range forgedMembers {
			for how := range spellings {
				m := decode(t, f.docs[name])
				if m[member] == nil {
					continue
				}
				spellings[how](m, member, m["id"])
				if f.v.VerifyAll(context.Background(), []byte(encode(t, m))).Verified {
					t.Errorf("%s: verified with %s by %s", name, member, how)
				}
			}
		}
	}
}
