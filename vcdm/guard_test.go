package vcdm_test

import (
	"errors"
	"path/filepath"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
)

// TestAttackStockGuard is finding 7: over stock and tuned every RDFC proof is verified behind the guard,
// whatever other proofs there are and in whatever order, also inside a presentation.
func TestAttackStockGuard(t *testing.T) {
	const credential = `{"@context":["https://www.w3.org/ns/credentials/v2"],"id":"urn:uuid:1","type":["VerifiableCredential"],"issuer":"did:example:i","credentialSubject":{"id":"did:example:s"}}`
	claim := func(t *testing.T, signed string) string {
		return edit(t, signed, func(m map[string]any) { subjectOf(m)["degree"] = "Doctor of Medicine" })
	}
	for _, name := range []canon.Engine{canon.Stock, canon.Tuned} {
		t.Run(string(name), func(t *testing.T) {
			l := newLab(t)
			l.rdfc = engineWith(t, name, canon.RDFC, contexts.Embedded())
			for _, suite := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023"} {
				signed := l.present(suite, credential)
				l.accept(suite, signed)
				forged := claim(t, signed)
				l.refuse(suite, forged)
				if _, err := l.add(suite, claim(t, credential),
					string(l.options(suite).AppendJSON(nil, suite))); err == nil {
					t.Errorf("%s signs what json-gold drops", suite)
				}
				if suite == "ecdsa-sd-2023" {
					if _, err := l.tryDerive(claim(t, l.sign(suite, credential)),
						"/credentialSubject"); err == nil {
						t.Error("derives from what json-gold drops")
					}
				}
				// Another proof, by a key of the forger's own, covers the forged document, and stands
				// before or after.
				first := edit(t, forged, func(m map[string]any) { delete(m, "proof") })
				other := proofOf(decode(t, l.sign("eddsa-jcs-2022", first)))
				for _, proofs := range [][]any{{other, proofOf(decode(t, forged))},
					{proofOf(decode(t, forged)), other}} {
					set := edit(t, forged, func(m map[string]any) { m["proof"] = proofs })
					l.refuse(suite+" in a set", set)
					r := l.verifier().VerifyAll(t.Context(), []byte(set))
					for _, p := range r.Proofs() {
						if p.Verified && p.Suite == suite {
							t.Errorf("%s in a set: said to be verified", suite)
						}
					}
				}
				presentation := l.sign("eddsa-jcs-2022", string(l.presentation("", []byte(forged))),
					func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
				v := l.verifier()
				v.Purpose = vcdm.Authentication
				if r := v.VerifyPresentation(t.Context(), []byte(presentation)); r.Verified ||
					r.Credentials[0].Verified {
					t.Errorf("%s in a presentation: accepted", suite)
				}
			}
			file := string(readFile(t, filepath.Join(official.Dir(t, "attacks"), "stock-guard-bypass.json")))
			check := func() error {
				v := l.verifier()
				v.AnyTime = true
				return v.VerifyAll(t.Context(), []byte(file)).Err()
			}
			var loss *canon.LossError
			if err := check(); !errors.As(err, &loss) {
				t.Errorf("stock-guard-bypass.json: %v", err)
			}
			l.rdfc, _ = engines.Unguarded(name, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
			if err := check(); err != nil {
				// json-gold has changed, and the file shows nothing
				t.Errorf("without a guard, stock-guard-bypass.json: %v", err)
			}
		})
	}
}
