package vcdm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// What was altered between the issuer and the holder is found before anything is derived: each byte of a base
// proof, its options, and the document.
func TestHolderChecks(t *testing.T) {
	l := newLab(t)
	for _, suite := range []string{sd, bbs} {
		t.Run(suite, func(t *testing.T) {
			l := l.with(t)
			check := func(doc string, r vcdm.Resolver) error {
				h := &vcdm.Holder{Suite: l.suite(suite).(*vcdm.SD)}
				return h.Check(context.Background(), []byte(doc), r)
			}
			signed := l.sign(suite, credential)
			for _, r := range []vcdm.Resolver{vcdm.DIDKey{}, nil} {
				if err := check(signed, r); err != nil {
					t.Errorf("honest, with the key of %v: %v", r, err)
				}
			}
			stock := vcdm.Holder{Suite: l.named(suite, engineWith(t, canon.Stock, canon.RDFC,
				contexts.Embedded())).(*vcdm.SD)}
			if err := stock.Check(context.Background(), []byte(signed), vcdm.DIDKey{}); err != nil {
				t.Errorf("honest, with the stock engine: %v", err)
			}

			bytes := value(t, signed)
			for i := 0; i < len(bytes); i += 1 + len(bytes)/90 {
				altered := append([]byte(nil), bytes...)
				altered[i] ^= 1
				l.failed(fmt.Sprintf("byte %d", i), check(sealBytes(t, signed, altered), vcdm.DIDKey{}))
			}

			other := l.sign(suite, credential)
			_, another := open(t, other)
			_, own := open(t, signed)
			for i := range another {
				if fmt.Sprint(another[i]) == fmt.Sprint(own[i]) {
					continue // the key and the pointers
				}
				l.failed(fmt.Sprintf("part %d of another base proof", i), check(change(t, signed,
					func(p parts) any { p[i] = another[i]; return p }), vcdm.DIDKey{}), verErr)
			}
			l.failed("document", check(strings.Replace(signed, "The School", "A School", 1), vcdm.DIDKey{}), verErr)
			l.failed("document, without the issuer's key",
				check(strings.Replace(signed, "The School", "A School", 1), nil), verErr)
			l.failed("mandatory part", check(edit(t, signed, func(m map[string]any) {
				m["issuer"] = "https://mallory.example"
			}), vcdm.DIDKey{}), verErr)
			l.failed("options", check(setProof(t, signed, "created", "2025-07-01T10:00:01Z"), vcdm.DIDKey{}), verErr)
			mallory, err := keys.Generate(algorithm(suite))
			if err != nil {
				t.Fatal(err)
			}
			l.failed("key", check(setProof(t, signed, "verificationMethod", mallory.Public().Method()),
				vcdm.DIDKey{}), verErr)
			l.failed("derived proof", check(l.derive(signed, "/name"), vcdm.DIDKey{}), verErr)
		})
	}
}
