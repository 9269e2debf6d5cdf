package di_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/jcs"
	"canonscope/compare"
	"canonscope/compare/di"
	"canonscope/schemas/catalogue"
)

type plainJCS struct{}

func (plainJCS) Canonicalize(_ context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	b, _, err := jcs.Transform(nil, doc, jcs.Options{})
	return &canon.Form{Text: b}, err
}

func TestExchange(t *testing.T) {
	for _, name := range catalogue.Names() {
		g, err := catalogue.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := g.Document(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []struct{ suite, alg string }{{"eddsa-jcs-2022", "EdDSA"}, {"ecdsa-jcs-2019", "ES256"}, {"ecdsa-jcs-2019", "ES384"}} {
			f, err := di.NewFormat(s.suite, plainJCS{}, s.alg)
			if err != nil {
				t.Fatal(err)
			}
			x, err := f.Prepare(c, compare.Scenario{Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			issued, err := x.Issue()
			if err != nil {
				t.Fatalf("%s %s: issue: %v", name, s.suite, err)
			}
			if err := x.Verify(issued); err != nil {
				t.Fatalf("%s %s: verify what was issued: %v", name, s.suite, err)
			}
			presented, err := x.Present(issued)
			if err != nil {
				t.Fatalf("%s %s: present: %v", name, s.suite, err)
			}
			if len(presented) >= len(issued) {
				t.Errorf("%s %s: presents %d bytes of %d", name, s.suite, len(presented), len(issued))
			}
			before := *x.Counters
			if err := x.Verify(presented); err != nil {
				t.Fatalf("%s %s: verify: %v", name, s.suite, err)
			}
			if d := x.Counters.Since(before); d.Canonicalizations != 2 || d.Verifications != 1 || d.Signatures != 0 {
				t.Errorf("%s %s: verify counts %+v", name, s.suite, d)
			}
			if !x.Reissued {
				t.Errorf("%s %s: present signs again, but is not marked so", name, s.suite)
			}
			for i := range presented {
				b := bytes.Clone(presented)
				b[i] ^= 1
				if x.Verify(b) == nil && !bytes.ContainsAny(presented[i:i+1], " \n\t") {
					t.Fatalf("%s %s: byte %d changed and accepted: %s", name, s.suite, i, b)
				}
				if i > 300 && name == "ob3" {
					break // the rest takes long and shows nothing new
				}
			}
		}
	}
}
