//phase:caller
package sdjwt

import (
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// NewFormat returns the format sd-jwt-vc with an engine and a signature algorithm: EdDSA, ES256 or ES384.
// Each leaf below credentialSubject is one disclosure, or what the scenario's granularity makes one. The
// objects and arrays around disclosures stay in the signed payload (RFC 9901 section 4.2.4, "structured"), so
// that each can be disclosed alone. Package claims makes the other claims of the payload.
func NewFormat(engine compare.Engine, algorithm compare.Algorithm) compare.Preparer {
	return format{engine: engine, algorithm: algorithm}
}

type format struct {
	engine    compare.Engine
	algorithm compare.Algorithm
}

const checks = "signature, typ, digests, structure, validity period"

//phase:encode fallback
func (f format) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	if _, err := engineOf(f.engine); err != nil {
		return nil, err
	}

	in, err := claims.Prepare(c, request, f.algorithm, s)
	if err != nil {
		return nil, err
	}

	i := Issuer{Engine: f.engine, Key: in.Issuer, Limits: s.Limits, Counters: in.Counters}
	h := Holder{Engine: f.engine, Limits: s.Limits, Counters: in.Counters}
	v := Verifier{Engine: f.engine, Key: in.Issuer.Public(), AnySubject: true, Now: s.Now, Limits: s.Limits,
		Counters: in.Counters}
	bound, done := bind(s, in.Holder, &i, &h, &v)
	all := Disclosable{Leaves: claims.Subject}
	if in.Elements != nil {
		all = Disclosable{Pointers: in.Elements}
	}

	return compare.Deriving(in.Counters, done, compare.Steps{
		Issue: func() ([]byte, error) { return i.Issue(in.JSON, all) },
		Whole: func(issued []byte) ([]byte, error) {
			return h.Present(issued, []string{claims.Subject},
				bound)
		},
		Present: func(issued []byte) ([]byte, error) { return h.Present(issued, in.Disclose, bound) },
		Verify:  func(presented []byte) error { _, err := v.Verify(presented); return err },
	}), nil
}

// bind adds key binding if the scenario has it.
func bind(s compare.Scenario, holder *keys.Secret, i *Issuer, h *Holder, v *Verifier) (*Binding, string) {
	if s.Binding != compare.HolderBinding {
		return nil, checks
	}
	const audience, nonce = "https://verifier.example", "canonscope-nonce"
	i.Holder, h.Key = holder.Public(), holder
	v.Binding, v.Audience, v.Nonce = true, audience, nonce
	return &Binding{Audience: audience, Nonce: nonce, Now: s.Now}, checks + ", key binding"
}
