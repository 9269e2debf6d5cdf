package vcdm_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"canonscope/canon"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
)

// A validity period that fails is one reason among the others: it hides none of them, nor the proofs.
func TestPeriodIsOneReason(t *testing.T) {
	l := newLab(t)
	both := edit(t, credential, func(m map[string]any) {
		m["validFrom"], m["validUntil"] = "2027-01-01T00:00:00Z", "2024-01-01T00:00:00Z"
	})
	for _, suite := range everySuite {
		signed := l.present(suite, both)
		noTexts := []string{"/validFrom", "/validUntil", "/proof/proofValue"}
		if vcdm.MethodOf(suite) == canon.RDFC { // a number is another literal than the text of the member
			noTexts[2] = "/validFrom"
		}
		tampered := edit(t, signed, func(m map[string]any) { m["name"] = "Another" })
		for name, c := range map[string]struct {
			doc    string
			proven bool
			change func(*vcdm.Verifier)
			want   []string // places of the reasons
		}{
			"expired": {signed, true, func(*vcdm.Verifier) {}, []string{"/validFrom", "/validUntil"}},
			"tampered": {tampered, false, func(*vcdm.Verifier) {}, []string{"/validFrom", "/validUntil",
				"/proof/proofValue"}},
			"challenge": {signed, false, func(v *vcdm.Verifier) { v.Challenge = "c" },
				[]string{"/validFrom", "/validUntil", "/proof/challenge"}},
			"bound": {signed, true, func(v *vcdm.Verifier) { v.AnyIssuer = false },
				[]string{"/validFrom", "/validUntil", "/proof"}},
			"no texts": {edit(t, signed, func(m map[string]any) {
				m["validFrom"], m["validUntil"] = 1,
					"now"
			}), false, func(*vcdm.Verifier) {}, noTexts},
		} {
			v := l.verifier()
			v.AnyPeriod = false
			c.change(v)
			r := v.VerifyAll(context.Background(), []byte(c.doc))
			var got []string
			for _, err := range r.Errors {
				var e *problem.Error
				if errors.As(err, &e) {
					got = append(got, e.Where)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %v, want reasons at %v", suite, name, r.Errors, c.want)
			}
			if p := r.Proofs(); len(p) != 1 || p[0].Verified != c.proven || p[0].Suite != suite {
				t.Errorf("%s, %s: proofs %+v", suite, name, p)
			}
			if r.Verified || r.MediaType != "" || r.Document() != nil {
				t.Errorf("%s, %s: verified as %q, with document %s", suite, name, r.MediaType, r.Document())
			}
		}
	}
}
