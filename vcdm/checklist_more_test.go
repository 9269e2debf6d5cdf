package vcdm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"

	"github.com/mr-tron/base58"
)

// D. Keys and verification methods

func init() {
	checks["D01 a key of another algorithm than the one of the suite is refused"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			for _, alg := range keys.Algorithms {
				if alg == algorithm(s) || alg == keys.ES384 && s != sd && algorithm(s) == keys.ES256 {
					continue
				}
				l.refuse(fmt.Sprint(s, alg), setProof(l, doc, "verificationMethod",
					l.secrets[alg].Public().Method()), verErr)
				if derives(s) {
					continue // G20
				}
				_, err := (&vcdm.Signer{Suite: l.suite(s), Key: l.secrets[alg]}).Add(context.Background(),
					[]byte(credential), l.options(s).AppendJSON(nil, s))
				l.failed(fmt.Sprint("sign ", s, alg), err, genErr)
			}
		}
	}
	checks["D02 another key of the same algorithm is refused"] = func(l *lab) {
		for _, s := range everySuite {
			other, err := keys.Generate(algorithm(s))
			if err != nil {
				l.Fatal(err)
			}
			l.refuse(s, setProof(l, l.present(s, credential), "verificationMethod", other.Public().Method()),
				verErr)
			v := l.verifier()
			v.Resolver = vcdm.Parsed{l.key(s).Public().Method(): {Key: other.Public()}}
			l.failed(s+" same method", v.Verify(context.Background(), []byte(l.present(s, credential))).Err(),
				verErr)
		}
	}
	checks["D03 an ECDSA suite signs with P-256 and with P-384"] = func(l *lab) {
		for _, name := range []string{"ecdsa-rdfc-2019", "ecdsa-jcs-2019"} {
			for _, alg := range []keys.Algorithm{keys.ES256, keys.ES384} {
				s := &vcdm.Signer{Suite: l.suite(name), Key: l.secrets[alg]}
				doc, err := s.Add(context.Background(), []byte(credential),
					(&vcdm.Options{Method: s.Key.Public().Method(),
						Purpose: vcdm.AssertionMethod}).AppendJSON(nil, name))
				if err != nil {
					l.Fatal(err)
				}
				l.accept(fmt.Sprint(name, alg), string(doc))
			}
		}
	}
	checks["D04 with P-384 the labels of blank nodes are made with SHA-384"] = func(l *lab) {
		text := func(curve string) string {
			dir := official.Dir(l, "di-vectors", "vc-di-ecdsa", "ecdsa-rdfc-2019-p"+curve, "employ")
			return string(readFile(l, dir, "canonDocECDSAP"+curve+".txt"))
		}
		if text("256") == text("384") {
			l.Error("the vectors do not show the difference")
		}
		l.vectorsPass("ecdsa-rdfc-2019-p384/employ", "canonDoc", "signature", "verify")
	}
	checks["D05 a method is current, for the purpose and in the document of its controller"] = func(l *lab) {
		const id = "https://controller.example/1"
		for _, s := range everySuite {
			signed := func() string {
				return l.present(s, credential, func(o *vcdm.Options) {
					o.Method = id +
						"#key"
				})
			}()
			document := func(change func(m map[string]any)) string {
				m := map[string]any{"id": id,
					"verificationMethod": []any{map[string]any{"id": id + "#key", "type": "Multikey",
						"controller":         id,
						"publicKeyMultibase": l.key(s).Public().Multikey()}},
					"assertionMethod": []any{id + "#key"}}
				change(m)
				return encode(l, m)
			}
			method := func(m map[string]any) map[string]any { return m["verificationMethod"].([]any)[0].(map[string]any) }
			var jwk map[string]any
			if err := json.Unmarshal(l.key(s).Public().JWK(), &jwk); err != nil {
				l.Fatal(err)
			}
			for name, c := range map[string]struct {
				change func(m map[string]any)
				want   problem.Type
			}{
				"listed": {func(m map[string]any) {}, ""},
				"embedded": {func(m map[string]any) {
					m["assertionMethod"] = m["verificationMethod"]
					delete(m, "verificationMethod")
				}, ""},
				"relative": {func(m map[string]any) { m["assertionMethod"] = []any{"#key"}; method(m)["id"] = "#key" }, ""},
				"JWK": {func(m map[string]any) {
					method(m)["type"] = "JsonWebKey"
					method(m)["publicKeyJwk"] = jwk
					delete(method(m), "publicKeyMultibase")
				}, ""},
				"expires later": {func(m map[string]any) { method(m)["expires"] = "2027-01-01T00:00:00Z" },
					""},
				"expired": {func(m map[string]any) { method(m)["expires"] = "2025-12-31T00:00:00Z" },
					problem.InvalidMethod},
				"revoked": {func(m map[string]any) { method(m)["revoked"] = "2025-12-31T00:00:00Z" },
					problem.InvalidMethod},
				"not for this": {func(m map[string]any) { m["authentication"] = m["assertionMethod"]; delete(m, "assertionMethod") }, problem.InvalidRelationship},
				"another one is for this": {func(m map[string]any) { m["assertionMethod"] = []any{id + "#other"} },
					problem.InvalidRelationship},
				"no such method": {func(m map[string]any) { method(m)["id"] = id + "#other" },
					problem.InvalidMethod},
				"other id": {func(m map[string]any) { m["id"] = "https://mallory.example/" },
					problem.InvalidControllerDocumentID},
				"no id": {func(m map[string]any) { delete(m, "id") },
					problem.InvalidControllerDocumentID},
				"other controller": {func(m map[string]any) { method(m)["controller"] = "https://mallory.example/" }, problem.InvalidMethod},
				"other type":       {func(m map[string]any) { method(m)["type"] = "Ed25519VerificationKey2020" }, problem.InvalidMethod},
				"no key": {func(m map[string]any) { delete(method(m), "publicKeyMultibase") },
					problem.InvalidMethod},
				"secret published": {func(m map[string]any) { method(m)["secretKeyMultibase"] = l.key(s).Multikey() }, problem.InvalidMethod},
			} {
				if s == bbs && name == "JWK" {
					continue // which has none
				}
				v := l.verifier()
				v.Resolver = &vcdm.Documents{Now: v.Now, Document: func(_ context.Context,
					url string) ([]byte, error) {
					if url != id {
						return nil, fmt.Errorf("asked for %s", url)
					}
					return []byte(document(c.change)), nil
				}}
				err := v.Verify(context.Background(), []byte(signed)).Err()
				if c.want == "" {
					if err != nil {
						l.Errorf("%s %s: %v", s, name, err)
					}
				} else {
					l.failed(s+" "+name, err, c.want)
				}
			}
			l.refuse(s+" without a resolver", signed, problem.InvalidMethodURL)
			for name, body := range map[string]string{"no object": "[]", "no JSON": "{", "error": ""} {
				v := l.verifier()
				v.Resolver = &vcdm.Documents{Document: func(context.Context, string) ([]byte, error) {
					if body == "" {
						return nil, errors.New("not found")
					}
					return []byte(body), nil
				}}
				l.failed(s+" "+name, v.Verify(context.Background(), []byte(signed)).Err(),
					problem.InvalidControllerDocument)
			}
			m := l.key(s).Public()
			l.refuse(s+" wrong fragment", setProof(l, l.present(s, credential), "verificationMethod", m.DID()+
				"#key-1"), problem.InvalidMethod)
			l.refuse(s+" no fragment", setProof(l, l.present(s, credential), "verificationMethod", m.DID()),
				problem.InvalidMethod)
		}
	}
	checks["D06 an issuer who does not control the key is refused unless any issuer will do"] = func(l *lab) {
		for _, s := range everySuite {
			v := l.verifier()
			r := v.Verify(context.Background(), []byte(l.present(s, credential)))
			if !r.Verified || r.Proofs()[0].Bound {
				l.Errorf("%s: verified %v, bound %v", s, r.Verified, r.Proofs()[0].Bound)
			}
			v.AnyIssuer = false
			l.failed(s, v.Verify(context.Background(), []byte(l.present(s, credential))).Err(), verErr)
			for _, issuer := range []any{l.key(s).Public().DID(),
				map[string]any{"id": l.key(s).Public().DID(), "name": "x"}} {
				own := edit(l, credential, func(m map[string]any) { m["issuer"] = issuer })
				if r := v.Verify(context.Background(), []byte(l.present(s, own))); !r.Verified ||
					!r.Proofs()[0].Bound {
					l.Errorf("%s: issuer %v: %v", s, issuer, r.Err())
				}
			}
		}
	}
}

// E. JCS suites

var jcsSuites = []string{"eddsa-jcs-2022", "ecdsa-jcs-2019"}

func init() {
	checks["E01 a JCS proof has a copy of the context of its document"] = func(l *lab) {
		for _, s := range jcsSuites {
			m := decode(l, l.sign(s, credential))
			if encode(l, proofOf(m)["@context"]) != encode(l, m["@context"]) {
				l.Errorf("%s: the proof's context differs", s)
			}
		}
	}
	// as issuers wrote before: the context is added after signing
	checks["E02 a JCS proof without context verifies"] = func(l *lab) {
		for _, s := range jcsSuites {
			doc := edit(l, credential, func(m map[string]any) { delete(m, "@context") })
			l.accept(s, l.sign(s, doc))
		}
	}
	checks["E03 the context of a JCS proof is where the context of the document begins"] = func(l *lab) {
		for _, s := range jcsSuites {
			doc := l.sign(s, credential)
			context := func(f func(c []any) any) string {
				return edit(l, doc, func(m map[string]any) { m["@context"] = f(m["@context"].([]any)) })
			}
			l.accept(s+" appended", context(func(c []any) any { return append(c, "https://x.example/") }))
			l.refuse(s+" prepended",
				context(func(c []any) any { return append([]any{"https://x.example/"}, c...) }), verErr)
			l.refuse(s+" reordered", context(func(c []any) any { return []any{c[1], c[0]} }), verErr)
			l.refuse(s+" shortened", context(func(c []any) any { return c[:1] }), verErr)
			l.refuse(s+" object changed",
				context(func(c []any) any { c[1].(map[string]any)["level"] = "urn:x"; return c }), verErr)
			l.refuse(s+" gone", edit(l, doc, func(m map[string]any) { delete(m, "@context") }), verErr)
			one := l.sign(s, edit(l, credential,
				func(m map[string]any) { m["@context"] = "https://www.w3.org/ns/credentials/v2" }))
			l.accept(s+" string", one)
			l.accept(s+" list of one",
				edit(l, one, func(m map[string]any) { m["@context"] = []any{m["@context"]} }))
		}
	}
	checks["E04 the verified document has the context of its JCS proof"] = func(l *lab) {
		for _, s := range jcsSuites {
			doc := edit(l, l.sign(s, credential),
				func(m map[string]any) {
					m["@context"] = append(m["@context"].([]any),
						"https://x.example/")
				})
			r := l.verifier().Verify(context.Background(), []byte(doc))
			if !r.Verified {
				l.Fatal(r.Err())
			}
			if got := encode(l, decode(l, string(r.Document()))["@context"]); got != encode(l,
				decode(l, credential)["@context"]) {
				l.Errorf("%s: verified document has %s", s, got)
			}
		}
	}
	checks["E05 a JCS suite signs undefined terms like others"] = func(l *lab) {
		for _, s := range jcsSuites {
			added := func(m map[string]any) { subjectOf(m)["unknown"] = "x" }
			l.accept(s+" signed with it", l.sign(s, edit(l, credential, added)))
			l.refuse(s+" added later", edit(l, l.sign(s, credential), added), verErr)
		}
	}
	checks["E06 JCS writes numbers, text and the order of keys as RFC 8785 does"] = func(l *lab) {
		text := func(doc string) string {
			f, err := l.jcs.Canonicalize(context.Background(), []byte(doc), canon.Options{Input: canon.JSON,
				Lossy: true})
			if err != nil {
				l.Fatal(err)
			}
			return string(f.Text)
		}
		for doc, want := range map[string]string{
			`{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"a":1e21,"b":-0,"c":1E0}`: "{\"a\":1e+21,\"b\":0,\"c\":1,\"\u20ac\":3,\"\U0001F600\":2,\"\ufb33\":1}",
			`{"x":"\u0041\/\u000a\u001f\"\\"}`:                                 `{"x":"A/\n\u001f\"\\"}`,
		} {
			if got := text(doc); got != want {
				l.Errorf("%s becomes %s, want %s", doc, got, want)
			}
		}
	}
	checks["E07 a number that is not a double, and a lone surrogate, is an error"] = func(l *lab) {
		for _, s := range jcsSuites {
			for name, v := range map[string]string{"2^53+1": "9007199254740993", "too large": "1e400",
				"NaN": "NaN", "lone surrogate": `"\ud800"`} {
				doc := strings.Replace(credential, `"The School"`, v, 1)
				_, err := l.add(s, doc, string(l.options(s).AppendJSON(nil, s)))
				l.failed(s+" "+name, err, parseErr, lossErr, transErr)
			}
		}
	}
	checks["E08 a JCS suite hashes with SHA-384 for P-384"] = func(l *lab) {
		l.vectorsPass("ecdsa-jcs-2019-p384", "docHash", "proofHash", "signature", "verify")
	}
}

// F. Proof sets and chains

// signOnto adds a proof with another key.
func (l *lab) signOnto(suite, doc string, change func(o *vcdm.Options)) (string, error) {
	key, err := keys.Generate(algorithm(suite))
	if err != nil {
		l.Fatal(err)
	}
	o := &vcdm.Options{Created: created, Method: key.Public().Method(), Purpose: vcdm.AssertionMethod}
	change(o)
	out, err := (&vcdm.Signer{Suite: l.suite(suite), Key: key}).Add(context.Background(), []byte(doc),
		o.AppendJSON(nil, suite))
	return string(out), err
}

// chain is a document with proofs urn:p:1, urn:p:2, and one that builds on previous.
func (l *lab) chain(suite string, previous ...string) string {
	l.Helper()
	doc := credential
	for i, p := range [][]string{nil, nil, previous} {
		var err error
		if doc, err = l.signOnto(suite, doc,
			func(o *vcdm.Options) { o.ID, o.PreviousProof = fmt.Sprintf("urn:p:%d", i+1), p }); err != nil {
			l.Fatal(err)
		}
	}
	return doc
}

func proofsOf(m map[string]any) []any { return m["proof"].([]any) }

func init() {
	checks["F01 a further proof comes last, and those before it stay as they are"] = func(l *lab) {
		for _, s := range plain {
			one := l.sign(s, credential)
			two, err := l.signOnto(s, one, func(*vcdm.Options) {})
			if err != nil {
				l.Fatal(err)
			}
			three, err := l.signOnto(s, two, func(*vcdm.Options) {})
			if err != nil {
				l.Fatal(err)
			}
			all := proofsOf(decode(l, three))
			if len(all) != 3 || encode(l, all[0]) != encode(l, proofOf(decode(l, one))) ||
				encode(l, all[:2]) != encode(l, proofsOf(decode(l, two))) {
				l.Errorf("%s: %d proofs, or the old ones have changed", s, len(all))
			}
			l.accept(s, two)
			l.accept(s, three)
		}
	}
	checks["F02 a document is verified only if each of its proofs is"] = func(l *lab) {
		for _, s := range plain {
			doc := edit(l, l.chain(s),
				func(m map[string]any) { proofsOf(m)[1].(map[string]any)["created"] = "2025-07-01T10:00:01Z" })
			r := l.verifier().VerifyAll(context.Background(), []byte(doc))
			if r.Verified || r.Document() != nil || !r.Proofs()[0].Verified || r.Proofs()[1].Verified ||
				!r.Proofs()[2].Verified {
				l.Errorf("%s: %+v", s, r)
			}
		}
	}
	checks["F03 a proof of a set verifies over the document without proofs"] = func(l *lab) {
		for _, s := range plain {
			doc := l.chain(s)
			l.accept(s, doc)
			for i := range 3 { // each alone, over the bare document
				l.accept(s, edit(l, doc, func(m map[string]any) { m["proof"] = proofsOf(m)[i] }))
			}
		}
	}
	checks["F04 a proof that builds on others is over the document with those"] = func(l *lab) {
		for _, s := range plain {
			for _, previous := range [][]string{{"urn:p:1"}, {"urn:p:2"}, {"urn:p:1", "urn:p:2"}} {
				doc := l.chain(s, previous...)
				l.accept(fmt.Sprint(s, previous), doc)
				l.refuse("over the bare document", edit(l, doc, func(m map[string]any) {
					delete(proofsOf(m)[2].(map[string]any), "previousProof")
				}), verErr)
			}
		}
	}
	checks["F05 a proof that builds on an absent one is neither made nor verified"] = func(l *lab) {
		for _, s := range plain {
			for _, previous := range [][]string{{"urn:p:9"}, {"urn:p:1", "urn:p:9"}} {
				_, err := l.signOnto(s, l.chain(s), func(o *vcdm.Options) { o.PreviousProof = previous })
				l.failed(s, err, genErr)
			}
			_, err := l.signOnto(s, credential,
				func(o *vcdm.Options) { o.PreviousProof = []string{"urn:p:1"} })
			l.failed(s+" no proof there", err, genErr)
			for _, previous := range [][]string{{"urn:p:1"}, {"urn:p:1", "urn:p:2"}} {
				l.refuse(s+" removed", edit(l, l.chain(s, previous...),
					func(m map[string]any) { m["proof"] = proofsOf(m)[1:] }), verErr)
			}
		}
	}
	checks["F06 a previousProof that is not text or a list of texts is refused"] = func(l *lab) {
		for _, s := range plain {
			doc := l.chain(s, "urn:p:1")
			for _, v := range []any{7, map[string]any{}, []any{7}, []any{}, []any{[]any{"urn:p:1"}}, true} {
				l.refuse(fmt.Sprint(s, v),
					edit(l, doc,
						func(m map[string]any) { proofsOf(m)[2].(map[string]any)["previousProof"] = v }), verErr)
			}
		}
	}
	checks["F07 what builds on a proof that is not verified is not verified"] = func(l *lab) {
		for _, s := range plain {
			// A third that builds on the second, which builds on the first: whichever fails, those after it
			// do.
			doc := l.chain(s)
			doc = edit(l, doc, func(m map[string]any) { m["proof"] = proofsOf(m)[:1] })
			for i, p := range []string{"urn:p:1", "urn:p:2"} {
				var err error
				if doc, err = l.signOnto(s, doc,
					func(o *vcdm.Options) {
						o.ID, o.PreviousProof = fmt.Sprintf("urn:p:%d", i+2),
							[]string{p}
					}); err != nil {
					l.Fatal(err)
				}
			}
			l.accept(s, doc)
			v := l.verifier()
			// The first is by a suite that is not accepted: it is not verified, though nothing has changed.
			other := edit(l, doc,
				func(m map[string]any) { proofsOf(m)[0].(map[string]any)["proofPurpose"] = vcdm.Authentication })
			r := v.VerifyAll(context.Background(), []byte(other))
			if r.Verified || r.Proofs()[0].Verified || r.Proofs()[1].Verified || r.Proofs()[2].Verified {
				l.Errorf("%s: %v %v %v", s, r.Proofs()[0].Verified, r.Proofs()[1].Verified,
					r.Proofs()[2].Verified)
			}
		}
	}
	checks["F08 proofs that build on each other, and ids that occur twice, are refused"] = func(l *lab) {
		for _, s := range plain {
			doc := l.chain(s, "urn:p:1")
			set := func(i int, member string, v any) func(m map[string]any) {
				return func(m map[string]any) { proofsOf(m)[i].(map[string]any)[member] = v }
			}
			l.refuse(s+" itself", edit(l, doc, set(0, "previousProof", "urn:p:1")))
			l.refuse(s+" cycle", edit(l, edit(l, doc, set(0, "previousProof", "urn:p:3")),
				set(2, "previousProof", "urn:p:1")))
			l.refuse(s+" id twice", edit(l, doc, set(1, "id", "urn:p:1")), verErr)
			_, err := l.signOnto(s, edit(l, doc, set(1, "id", "urn:p:1")),
				func(o *vcdm.Options) { o.PreviousProof = []string{"urn:p:1"} })
			l.failed(s+" id twice", err, genErr)
		}
	}
	checks["F09 a removed proof is noticed in a chain and not in a set"] = func(l *lab) {
		for _, s := range plain {
			l.refuse(s+" chain",
				edit(l, l.chain(s, "urn:p:1"), func(m map[string]any) { m["proof"] = proofsOf(m)[1:] }),
				verErr)
			l.accept(s+" set", edit(l, l.chain(s), func(m map[string]any) { m["proof"] = proofsOf(m)[1:] }))
		}
	}
	checks["F10 a document whose proofs are not objects, or none, is refused"] = func(l *lab) {
		for _, p := range []any{[]any{}, []any{"x"}, []any{7, map[string]any{}}, []any{[]any{}}} {
			l.refuse(fmt.Sprint(p), edit(l, credential, func(m map[string]any) { m["proof"] = p }), parseErr)
		}
	}
	checks["F11 proofs of several suites verify side by side, and deriving leaves them out"] = func(l *lab) {
		doc, err := l.signOnto("eddsa-rdfc-2022", credential, func(*vcdm.Options) {})
		if err != nil {
			l.Fatal(err)
		}
		if doc, err = l.signOnto("ecdsa-jcs-2019", doc, func(*vcdm.Options) {}); err != nil {
			l.Fatal(err)
		}
		l.accept("two suites", doc)
		if doc, err = l.signOnto(sd, doc, func(*vcdm.Options) {}); err != nil {
			l.Fatal(err)
		}
		r := l.verifier().VerifyAll(context.Background(), []byte(doc)) // the base proof is for the holder
		if r.Verified || !r.Proofs()[0].Verified || !r.Proofs()[1].Verified || r.Proofs()[2].Verified {
			l.Errorf("%v", r.Err())
		}
		derived := l.derive(doc, "/name")
		if _, ok := decode(l, derived)["proof"].(map[string]any); !ok {
			l.Error("the derived document has other proofs")
		}
		l.accept("derived", derived)
	}
}

// K. Credentials and presentations

func init() {
	type m = map[string]any
	fails := func(l *lab, name string, change func(m)) {
		l.Helper()
		l.failed(name, rules.CheckCredential([]byte(edit(l, credential, change)), canon.Limits{}),
			problem.MalformedValue, problem.RangeError)
	}
	passes := func(l *lab, name string, change func(m)) {
		l.Helper()
		if err := rules.CheckCredential([]byte(edit(l, credential, change)), canon.Limits{}); err != nil {
			l.Errorf("%s: %v", name, err)
		}
	}
	set := func(key string, v any) func(m) { return func(d m) { d[key] = v } }
	drop := func(key string) func(m) { return func(d m) { delete(d, key) } }
	contexts := func(f func(c []any) any) func(m) { return func(d m) { d["@context"] = f(d["@context"].([]any)) } }

	checks["K01 the base context is the first, and the others are URLs or objects"] = func(l *lab) {
		passes(l, "as it is", func(m) {})
		fails(l, "missing", drop("@context"))
		fails(l, "empty", set("@context", []any{}))
		fails(l, "second place", contexts(func(c []any) any { return []any{c[1], c[0]} }))
		fails(l, "number", contexts(func(c []any) any { return append(c, 7) }))
		fails(l, "null", contexts(func(c []any) any { return append(c, nil) }))
		fails(l, "list in the list", contexts(func(c []any) any { return append(c, []any{}) }))
		fails(l, "no URL", contexts(func(c []any) any { return append(c, "v2") }))
		_, err := l.add("eddsa-rdfc-2022",
			edit(l, credential, contexts(func(c []any) any { return append(c, "https://unknown.example/") })),
			string(l.options("eddsa-rdfc-2022").AppendJSON(nil, "eddsa-rdfc-2022")))
		l.failed("URL that does not load", err)
	}
	checks["K02 a credential has its type among its types"] = func(l *lab) {
		fails(l, "none", drop("type"))
		fails(l, "only another", set("type", []any{"Degree"}))
		fails(l, "empty", set("type", []any{}))
		fails(l, "number", set("type", []any{"VerifiableCredential", 7}))
		passes(l, "one string", set("type", "VerifiableCredential"))
		passes(l, "another order", set("type", []any{"Degree", "VerifiableCredential"}))
		for name, c := range map[string]any{"unmapped text": "Unmapped", "mapped to no URL": "Odd"} {
			doc := edit(l, credential, func(d m) {
				d["type"] = []any{"VerifiableCredential", c}
				d["@context"] = append(d["@context"].([]any), m{"Odd": "not-a-url"})
			})
			_, err := l.add("eddsa-rdfc-2022", doc,
				string(l.options("eddsa-rdfc-2022").AppendJSON(nil, "eddsa-rdfc-2022")))
			l.failed(name, err)
		}
	}
	checks["K03 an id is one URL"] = func(l *lab) {
		passes(l, "none", drop("id"))
		for _, v := range []any{[]any{"urn:x:1", "urn:x:2"}, "example", nil, 7, m{}, ""} {
			fails(l, fmt.Sprint(v), set("id", v))
			fails(l, fmt.Sprint("subject ", v), func(d m) { subjectOf(d)["id"] = v })
		}
	}
	checks["K04 an issuer is a URL or an object with one"] = func(l *lab) {
		fails(l, "none", drop("issuer"))
		for _, v := range []any{nil, "123", m{"id": nil}, m{"name": "x"}, m{}, []any{"urn:x:1"}, 7} {
			fails(l, fmt.Sprint(v), set("issuer", v))
		}
		passes(l, "object", set("issuer", m{"id": "urn:x:1", "name": "x"}))
	}
	checks["K05 a credential has subjects, each with a claim"] = func(l *lab) {
		fails(l, "none", drop("credentialSubject"))
		for _, v := range []any{m{}, []any{subjectOf(decode(l, credential)), m{}}, []any{}, "x", nil,
			[]any{"x"}} {
			fails(l, fmt.Sprint(v), set("credentialSubject", v))
		}
		passes(l, "two", set("credentialSubject", []any{m{"id": "urn:x:1"}, m{"id": "urn:x:2"}}))
	}
	checks["K06 a period has times with offsets, in order, and holds the time of verifying"] = func(l *lab) {
		for _, name := range []string{"validFrom", "validUntil"} {
			for _, v := range []any{"2025-01-01", "2025-01-01T00:00:00", 7, nil, "",
				[]any{"2025-01-01T00:00:00Z"}} {
				fails(l, fmt.Sprint(name, v), set(name, v))
			}
			for _, v := range []string{"2025-01-01T00:00:00.123Z", "2025-02-01T00:00:00+05:00",
				"9999-12-31T23:59:59Z"} {
				if name == "validUntil" {
					passes(l, name+v, set(name, v))
				} else {
					passes(l, name+v, func(d m) { d[name] = v; delete(d, "validUntil") })
				}
			}
		}
		fails(l, "from after until", set("validUntil", "2024-01-01T00:00:00Z"))
		passes(l, "the same instant", set("validUntil", "2025-01-01T01:00:00+01:00"))
		passes(l, "the same instant east by halves", set("validUntil", "2025-01-01T05:30:00+05:30"))
		passes(l, "the same instant west", set("validUntil", "2024-12-31T22:15:00-01:45"))
		for _, until := range []string{"2025-01-01T00:59:59+01:00", "2025-01-01T05:29:59+05:30", "2024-12-31T22:14:59-01:45"} {
			fails(l, "from after until "+until, set("validUntil", until))
		}
		// The verifier compares the period with its clock on request.
		v := l.verifier()
		v.AnyPeriod = false
		for from, ok := range map[string]bool{"2026-01-01T00:00:00Z": true, "2026-01-01T00:00:01Z": false} {
			if err := v.Verify(context.Background(),
				[]byte(l.sign("eddsa-jcs-2022",
					edit(l, credential, set("validFrom", from))))).Err(); ok != (err == nil) {
				l.Errorf("valid from %s: %v", from, err)
			}
		}
		for until, ok := range map[string]bool{"2026-01-01T00:00:00Z": true, "2025-12-31T23:59:59Z": false} {
			if err := v.Verify(context.Background(),
				[]byte(l.sign("eddsa-jcs-2022",
					edit(l, credential, set("validUntil", until))))).Err(); ok != (err == nil) {
				l.Errorf("valid until %s: %v", until, err)
			}
		}
	}
	checks["K07 a term of the base context is not redefined"] = func(l *lab) {
		for _, term := range []string{"VerifiableCredential", "issuer", "credentialSubject", "id"} {
			fails(l, term, contexts(func(c []any) any { return append(c, m{term: "urn:x:other"}) }))
		}
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", sd} {
			doc := edit(l, credential,
				contexts(func(c []any) any { return append(c, m{"VerifiableCredential": "urn:x:other"}) }))
			_, err := l.add(s, doc, string(l.options(s).AppendJSON(nil, s)))
			l.failed(s+": protected", err, transErr)
		}
	}
	checks["K08 status, terms, evidence, services and schemas have a type, schemas an id"] = func(l *lab) {
		for _, name := range []string{"credentialStatus", "termsOfUse", "evidence", "refreshService", "credentialSchema"} {
			good := m{"id": "https://x.example/1", "type": "SomeType"}
			passes(l, name, set(name, good))
			passes(l, name+" list", set(name, []any{good, good}))
			fails(l, name+" no type", set(name, m{"id": "https://x.example/1"}))
			fails(l, name+" second without", set(name, []any{good, m{"id": "https://x.example/2"}}))
			fails(l, name+" text", set(name, "https://x.example/1"))
			fails(l, name+" id no URL", set(name, m{"id": "x", "type": "SomeType"}))
			without := m{"type": "SomeType"}
			if name == "credentialSchema" {
				fails(l, name+" no id", set(name, without))
			} else {
				passes(l, name+" no id", set(name, without))
			}
		}
	}
	checks["K09 a name or a description is text or a value with language and direction"] = func(l *lab) {
		for _, name := range []string{"name", "description"} {
			for _, v := range []any{"x", m{"@value": "x"}, m{"@value": "x", "@language": "en",
				"@direction": "ltr"}, []any{m{"@value": "x", "@language": "en"},
				m{"@value": "y", "@language": "de"}}} {
				passes(l, fmt.Sprint(name, v), set(name, v))
			}
			for _, v := range []any{7, nil, m{"@language": "en"}, m{"@value": 7},
				m{"@value": "x", "url": "urn:x:1"}, []any{7}, []any{[]any{"x"}}} {
				fails(l, fmt.Sprint(name, v), set(name, v))
			}
		}
	}
	presentation := func(l *lab, change func(m)) error {
		vp := decode(l, string(l.presentation("urn:x:holder", []byte(l.sign("eddsa-jcs-2022", credential)))))
		change(vp)
		return rules.CheckPresentation([]byte(encode(l, vp)), canon.Limits{})
	}
	checks["K10 a presentation holds objects, and its holder is a URL or an object with one"] = func(l *lab) {
		for name, c := range map[string]func(m){"as it is": func(m) {}, "one credential": func(d m) { d["verifiableCredential"] = d["verifiableCredential"].([]any)[0] },
			"none": drop("verifiableCredential"), "no holder": drop("holder"), "holder object": set("holder", m{"id": "urn:x:1"})} {
			if err := presentation(l, c); err != nil {
				l.Errorf("%s: %v", name, err)
			}
		}
		for name, c := range map[string]func(m){"string item": set("verifiableCredential", []any{"urn:x:1"}),
			"holder {}": set("holder", m{}), "holder text": set("holder", "x"),
			"no type": drop("type"), "type of a credential": set("type", "VerifiableCredential"),
			"no context":     drop("@context"),
			"bad credential": func(d m) { delete(d["verifiableCredential"].([]any)[0].(m), "issuer") }} {
			l.failed(name, presentation(l, c), problem.MalformedValue)
		}
	}
	vp := func(l *lab, suite string, credentials ...string) string {
		l.Helper()
		all := make([][]byte, len(credentials))
		for i, c := range credentials {
			all[i] = []byte(c)
		}
		signer := suite
		if derives(signer) {
			signer = "ecdsa-rdfc-2019"
		}
		holder := l.key(signer)
		o := &vcdm.Options{Created: created, Method: holder.Public().Method(), Purpose: vcdm.Authentication,
			Domain: []string{"verifier.example"}, Challenge: "c1"}
		doc, err := (&vcdm.Signer{Suite: l.suite(signer), Key: holder}).Add(context.Background(),
			l.presentation(holder.Public().DID(), all...), o.AppendJSON(nil, signer))
		if err != nil {
			l.Fatalf("%s: sign the presentation: %v", suite, err)
		}
		return string(doc)
	}
	verifyVP := func(l *lab, doc string) error {
		v := l.verifier()
		v.Purpose, v.Domain, v.Challenge, v.AnyIssuer = vcdm.Authentication, []string{"verifier.example"}, "c1", true
		return v.VerifyPresentation(context.Background(), []byte(doc)).Err()
	}
	checks["K11 each credential of a presentation and each proof is in a graph of its own"] = func(l *lab) {
		one, two := l.present("eddsa-rdfc-2022", credential), l.present("eddsa-rdfc-2022", edit(l, credential, set("id", "urn:uuid:2")))
		f, err := l.rdfc.Canonicalize(context.Background(), l.presentation("", []byte(one), []byte(two)), canon.Options{})
		if err != nil {
			l.Fatal(err)
		}
		graphs := map[string]int{}
		for line := range strings.Lines(string(f.Text)) {
			if i := strings.LastIndex(strings.TrimSuffix(line, " .\n"), " _:"); i > 0 &&
				!strings.HasSuffix(line, "verifiableCredential> "+strings.TrimSpace(line[i:])) {
				graphs[strings.TrimSpace(line[i:])]++
			}
		}
		if len(graphs) < 4 { // two credentials, and the proof of each
			l.Errorf("graphs %v in\n%s", graphs, f.Text)
		}
	}
	checks["K12 the proof of a presentation covers its credentials and their proofs"] = func(l *lab) {
		for _, s := range everySuite {
			good := l.present(s, credential)
			doc := vp(l, s, good)
			if err := verifyVP(l, doc); err != nil {
				l.Errorf("%s: %v", s, err)
			}
			l.failed(s+" claim", verifyVP(l, strings.Replace(doc, "The School", "The Other School", 1)),
				verErr)
			again := l.present(s, credential, func(o *vcdm.Options) { o.Nonce = "n" })
			l.failed(s+" another valid proof",
				verifyVP(l, edit(l, doc, func(d m) { d["verifiableCredential"] = []any{decode(l, again)} })),
				verErr)
			v := l.verifier()
			r := v.VerifyAll(context.Background(),
				[]byte(edit(l, doc, func(d m) { d["verifiableCredential"] = []any{decode(l, again)} })))
			if r.Verified {
				l.Errorf("%s: the proof of the presentation does not cover the proofs in it", s)
			}
			// A credential that is not valid itself fails although the holder signed it.
			bad := vp(l, s, strings.Replace(good, "The School", "The Other School", 1))
			if err := verifyVP(l, bad); err == nil ||
				!strings.Contains(err.Error(), "/verifiableCredential/0/proof") {
				l.Errorf("%s: credential not valid: %v", s, err)
			}
			l.failed(s+" domain", verifyVP(l, strings.Replace(doc, "verifier.example", "other.example", 1)),
				domainErr)
		}
	}
	checks["K13 an enveloped credential is a data URL with type and context"] = func(l *lab) {
		enveloped := m{"@context": []any{rules.BaseContext}, "id": "data:application/vc+sd-jwt,eyJ", "type": "EnvelopedVerifiableCredential"}
		with := func(change func(e m)) func(m) {
			return func(d m) {
				e := m{}
				for k, v := range enveloped {
					e[k] = v
				}
				change(e)
				d["verifiableCredential"] = []any{e}
			}
		}
		if err := presentation(l, with(func(m) {})); err != nil {
			l.Error(err)
		}
		l.failed("https id", presentation(l, with(set("id", "https://x.example/"))), problem.MalformedValue)
		l.failed("no id", presentation(l, with(drop("id"))), problem.MalformedValue)
		l.failed("no type", presentation(l, with(drop("type"))), problem.MalformedValue)
		l.failed("no context", presentation(l, with(drop("@context"))), problem.MalformedValue)
	}
	checks["K14 a related resource occurs once and has the digest that is stated"] = func(l *lab) {
		bytes := readFile(l, official.Dir(l, "contexts"), "credentials-v2.jsonld")
		recorded := rules.HashesOf(map[string][]byte{rules.BaseContext: bytes})
		digest256, _ := recorded(rules.BaseContext, "sha256")
		digest384, _ := recorded(rules.BaseContext, "sha384")
		check := func(resources any) error {
			return rules.CheckRelated([]byte(edit(l, credential, set("relatedResource", resources))),
				canon.Limits{}, recorded)
		}
		for name, r := range map[string]m{
			"SRI 256": {"id": rules.BaseContext, "digestSRI": "sha256-" +
				std64(digest256)}, "SRI 384": {"id": rules.BaseContext, "digestSRI": "sha384-" +
				std64(digest384)},
			"multihash": {"id": rules.BaseContext,
				"digestMultibase": "u" + b64(append([]byte{0x12, 32}, digest256...))},
			"digest alone, as issuers write it": {"id": rules.BaseContext,
				"digestMultibase": []any{"u" + b64(digest256), "z" + base58.Encode(digest384)}},
			"SRI with the alphabet of URLs, without padding": {"id": rules.BaseContext,
				"digestSRI": "sha384-" + b64(digest384)},
			"both": {"id": rules.BaseContext, "digestSRI": "sha256-" + std64(digest256),
				"digestMultibase": "u" + b64(append([]byte{0x20, 48}, digest384...))},
		} {
			if err := check(r); err != nil {
				l.Errorf("%s: %v", name, err)
			}
		}
		good := m{"id": rules.BaseContext, "digestSRI": "sha256-" + std64(digest256)}
		digest256 = slices.Clone(digest256)
		digest256[0] ^= 1
		for name, r := range map[string]any{
			"mismatch SRI": m{"id": rules.BaseContext, "digestSRI": "sha256-" +
				std64(digest256)}, "mismatch multihash": m{"id": rules.BaseContext, "digestMultibase": "u" +
				b64(append([]byte{0x12, 32}, digest256...))},
			"no digest": m{"id": rules.BaseContext}, "no id": m{"digestSRI": "sha256-" + std64(digest256)},
			"twice": []any{good, good}, "unknown": m{"id": "https://x.example/", "digestSRI": "sha256-" +
				std64(digest256)},
			"mismatch alone": m{"id": rules.BaseContext, "digestMultibase": "u" + b64(digest256)},
			"one of two": m{"id": rules.BaseContext, "digestMultibase": []any{"u" + b64(digest384), "u" +
				b64(digest256)}},
			"too short":    m{"id": rules.BaseContext, "digestSRI": "sha256-" + std64(digest256[:31])},
			"no multihash": m{"id": rules.BaseContext, "digestMultibase": "u" + b64(digest256[:31])},
			"no object":    "x", "unknown hash": m{"id": rules.BaseContext, "digestSRI": "md5-" +
				std64(digest256)}, "no base64": m{"id": rules.BaseContext, "digestSRI": "sha256-!"},
		} {
			l.failed(name, check(r), problem.MalformedValue)
		}
		// A hash function that is not known here is not compared with anything.
		if err := check(m{"id": rules.BaseContext, "digestMultibase": "u" +
			b64(append([]byte{0x16, 32}, digest256...))}); !errors.Is(err, rules.ErrUnrecorded) {
			l.Errorf("SHA3-256: %v", err)
		}
	}
	checks["K15 verifying gives the document without proofs, or errors and no document"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			r := l.verifier().Verify(context.Background(), []byte(doc))
			if !r.Verified || r.MediaType != vcdm.MediaType || len(r.Errors) != 0 || len(r.Proofs()) != 1 ||
				r.Proofs()[0].Suite != s || r.Proofs()[0].Method == nil {
				l.Errorf("%s: %+v", s, r)
			}
			if encode(l, decode(l, string(r.Document()))) != edit(l, doc, func(d m) { delete(d, "proof") }) {
				l.Errorf("%s: verified document %s", s, r.Document())
			}
			r = l.verifier().Verify(context.Background(), []byte(strings.Replace(doc, "The School", "x", 1)))
			if r.Verified || r.Document() != nil || r.MediaType != "" || len(r.Errors) == 0 {
				l.Errorf("%s: %+v", s, r)
			}
		}
	}
}

// L. eddsa-rdfc-2022 has no derivation

func init() {
	checks["L01 a part of a document needs a new signature with eddsa-rdfc-2022"] = func(l *lab) {
		doc := l.sign("eddsa-rdfc-2022", credential)
		subset, err := vcdm.Selector{}.Select(context.Background(), []byte(doc),
			[]string{"/issuer", "/credentialSubject/alumniOf"})
		if err != nil {
			l.Fatal(err)
		}
		l.refuse("subset with the old proof", encode(l, edited(l, string(subset), doc)), verErr)
		l.accept("subset signed again by the issuer", l.sign("eddsa-rdfc-2022", string(subset)))
	}
	checks["L02 a part is the same document whether it is selected or derived"] = func(l *lab) {
		pointers := []string{"/issuer", "/credentialSubject/alumniOf", "/credentialSubject/result/2"}
		subset, err := vcdm.Selector{}.Select(context.Background(), []byte(credential), pointers)
		if err != nil {
			l.Fatal(err)
		}
		derived := l.derive(l.sign(sd, credential), pointers...)
		if got := edit(l, derived, func(d map[string]any) { delete(d, "proof") }); got != encode(l,
			decode(l, string(subset))) {
			l.Errorf("derived %s\nsubset  %s", got, subset)
		}
	}
	// TestVectors compares the proof values of B.1 to B.3
	checks["L03 EdDSA signatures are the same each time"] = func(l *lab) {
		if l.sign("eddsa-rdfc-2022", credential) != l.sign("eddsa-rdfc-2022", credential) {
			l.Error("two signatures differ")
		}
	}
}
