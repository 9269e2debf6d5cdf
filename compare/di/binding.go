//phase:encode fallback
package di

import (
	"context"
	"errors"

	"canonscope/canon/jsontape"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/rules"
)

// checksBinding is what verify also checks with holder binding.
const checksBinding = ", holder's proof of the presentation, its domain and challenge, holder is the subject"

const domain, challenge = "verifier.example", "canonscope-challenge"

// binding wraps what is disclosed into a presentation that the holder signs for one verifier.
type binding struct {
	holder  string
	signer  vcdm.Signer
	options vcdm.Options
	suite   string
}

// bind makes the holder the subject of the credential and has it sign every presentation: with the suite of
// the credential, or with ecdsa-rdfc-2019 where that derives, since its base proofs are for holders alone.
func (x *exchange) bind(holder *keys.Secret, f *format) error {
	suite := f.suite
	if _, ok := suite.(*vcdm.SD); ok {
		suite = vcdm.ECDSARDFC2019(f.canon)
		x.verifier.Suites = append(x.verifier.Suites, suite)
	}
	public := holder.Public()
	var t jsontape.Tape
	if err := t.Scan(x.doc, jsontape.Options{}); err != nil {
		return err
	}
	subject := t.Get(0, "credentialSubject")
	if subject < 0 || t.Nodes[subject].Kind != jsontape.Object {
		return errors.New("holder binding needs a credential with one subject")
	}
	x.doc = t.AppendMember(nil, subject, "id", jsontape.AppendQuoted(nil, public.DID()))
	x.binding = &binding{
		holder: public.DID(),
		signer: vcdm.Signer{Suite: suite, Key: holder, Limits: x.signer.Limits, Counts: &x.counts},
		options: vcdm.Options{Created: x.options.Created, Method: public.Method(),
			Purpose: vcdm.Authentication, Domain: []string{domain}, Challenge: challenge},
		suite: suite.Name(),
	}
	v := &x.verifier
	v.Domain, v.Challenge, v.OwnOnly = []string{domain}, challenge, true
	v.Resolver.(vcdm.Parsed)[public.Method()] = &vcdm.Method{ID: public.Method(), Controller: public.DID(),
		Key: public}
	return nil
}

// present signs a presentation of a credential; without binding the credential itself is what is presented.
func (b *binding) present(credential []byte) ([]byte, error) {
	if b == nil {
		return credential, nil
	}
	vp, err := rules.NewPresentation(b.holder, credential)
	if err != nil {
		return nil, err
	}
	return b.signer.Add(context.Background(), vp, b.options.AppendJSON(nil, b.suite))
}
