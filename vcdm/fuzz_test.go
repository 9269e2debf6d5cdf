package vcdm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/rules"
)

// FuzzTampered changes the bytes of signed documents. What is still accepted has to mean the same: for the
// RDFC suites the same statements, told by another implementation; for the JCS suites the same JSON value,
// or one whose @context goes on behind the one that is signed (VC-DI-EdDSA 3.3.2 step 4).
func FuzzTampered(f *testing.F) {
	l := newLab(f)
	other := engineWith(f, canon.Stock, canon.RDFC, contexts.Embedded())
	var docs []string
	for _, s := range everySuite {
		docs = append(docs, l.present(s, credential, func(o *vcdm.Options) {
			o.Domain,
				o.Nonce = []string{"d"}, "n"
		}))
	}
	verifier := l.verifier()
	meaning := func(t *testing.T, c canon.Canonicalizer, suite int, doc []byte) (string, error) {
		if strings.Contains(everySuite[suite], "jcs") {
			var m map[string]any
			if err := json.Unmarshal(doc, &m); err != nil {
				t.Fatal(err)
			}
			delete(proofOf(m), "proofValue")
			m["@context"] = proofOf(m)["@context"]
			return encode(t, m), nil
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(doc, &m); err != nil {
			t.Fatal(err)
		}
		var p map[string]json.RawMessage
		if err := json.Unmarshal(m["proof"], &p); err != nil {
			t.Fatal(err)
		}
		delete(m, "proof")
		delete(p, "proofValue")
		p["@context"] = m["@context"]
		text := ""
		for _, part := range []any{m, p} {
			form, err := c.Canonicalize(context.Background(), []byte(encode(t, part)),
				canon.Options{Input: canon.JSONLD})
			if err != nil {
				return "", err
			}
			text += string(form.Text)
		}
		return text, nil
	}
	for s := range docs {
		for _, at := range []string{`"The School"`, `"issuer"`, `"@context"`, `"created"`, `"proofValue"`,
			`"first"`, `"type"`, `"cryptosuite"`, "did:key"} {
			for op := range uint8(5) {
				f.Add(uint8(s), uint16(strings.Index(docs[s], at)+3), op, uint8('x'))
			}
		}
	}
	f.Fuzz(func(t *testing.T, suite uint8, at uint16, op, b uint8) {
		s := int(suite) % len(docs)
		doc := []byte(docs[s])
		i := int(at) % len(doc)
		switch op % 5 {
		case 0:
			doc[i] = b
		case 1:
			doc = slices.Insert(doc, i, b)
		case 2:
			doc = slices.Delete(doc, i, i+1)
		case 3:
			j := (i + int(b)) % len(doc)
			doc[i], doc[j] = doc[j], doc[i]
		case 4: // a piece again
			j := min(i+int(b), len(doc))
			doc = slices.Insert(doc, i, bytes.Clone(doc[i:j])...)
		}
		if !verifier.VerifyAll(context.Background(), doc).Verified {
			return
		}
		judge := other
		got, err := meaning(t, judge, s, doc)
		if err != nil { // it refuses terms that JSON-LD ignores, such as "@protecte"
			judge = l.rdfc
			if got, err = meaning(t, judge, s, doc); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := meaning(t, judge, s, []byte(docs[s])); err != nil || got != want {
			t.Errorf("%s: accepted with another meaning:\n%s", everySuite[s], doc)
		}
	})
}

// FuzzDocuments looks for a document or a proof that makes the package panic, hang or accept.
func FuzzDocuments(f *testing.F) {
	l := newLab(f)
	v := l.verifier()
	h := &vcdm.Holder{Suite: l.suite(sd).(*vcdm.SD)}
	unlinkable := &vcdm.Holder{Suite: l.suite(bbs).(*vcdm.SD)}
	for _, s := range everySuite {
		f.Add([]byte(l.sign(s, credential)), "/credentialSubject/notes/1")
	}
	f.Add([]byte(l.present(bbs, credential)), "/name")
	f.Add([]byte(`{"proof":[]}`), "")
	f.Add([]byte(`{"proof":{"type":"DataIntegrityProof","cryptosuite":"ecdsa-sd-2023","proofValue":"u2V0AhA"}}`), "/~0")
	f.Fuzz(func(t *testing.T, doc []byte, pointer string) {
		ctx := context.Background()
		v.VerifyAll(ctx, doc)
		v.VerifyPresentation(ctx, doc)
		_, _ = h.Derive(ctx, doc, []string{pointer})
		_, _ = unlinkable.Derive(ctx, doc, []string{pointer})
		_, _ = vcdm.Links(doc, canon.Limits{})
		_, _ = vcdm.Selector{}.Select(ctx, doc, []string{pointer})
		_ = rules.CheckCredential(doc, canon.Limits{})
		_ = rules.CheckPresentation(doc, canon.Limits{})
		_ = rules.CheckContexts(doc, canon.Limits{}, `["https://www.w3.org/ns/credentials/v2"]`)
		o := l.options("eddsa-jcs-2022").AppendJSON(nil, "eddsa-jcs-2022")
		signed, err := (&vcdm.Signer{Suite: l.suite("eddsa-jcs-2022"), Key: l.key("eddsa-jcs-2022")}).Add(ctx,
			doc, o)
		if err == nil {
			one := l.verifier()
			one.AnyTime = true
			r := one.VerifyAll(ctx, signed)
			if n := len(r.Proofs()); n == 0 || !r.Proofs()[n-1].Verified {
				t.Errorf("own proof not verified: %v\n%s", r.Err(), signed)
			}
		}
	})
}
