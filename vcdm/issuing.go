//phase:caller
package vcdm

import (
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// WithIssuer returns a credential whose issuer is a URL, or a presentation whose holder it is. An issuer that is an object
// gets it as its id and keeps its other members.
func WithIssuer(doc []byte, url string, limits canon.Limits) ([]byte, error) {
	var t jsontape.Tape
	d, err := parseDocument(&t, doc, limits)
	if err != nil {
		return nil, err
	}
	name := d.party()
	value := jsontape.AppendQuoted(nil, url)
	v := t.Get(0, name)
	switch {
	case v < 0:
		return t.AppendMember(nil, 0, name, value), nil
	case t.Nodes[v].Kind != jsontape.Object:
		return t.AppendReplaced(nil, v, value), nil
	}
	if id := t.Get(v, "id"); id >= 0 {
		return t.AppendReplaced(nil, id, value), nil
	}
	return t.AppendMember(nil, v, "id", value), nil
}

// Validity returns when a credential begins and ends to be valid: the later of validFrom and issuanceDate and the earlier of
// validUntil and expirationDate, since [Verifier] compares all of them with the clock; nil where it has neither. A date must
// have an offset, as in everything that is to be signed (Verifiable Credentials Data Model 2.0 section 4.9).
func Validity(doc []byte, limits canon.Limits) (from, until *time.Time, err error) {
	err = checkDocument(doc, limits, func(r *rules) {
		for _, m := range periodMembers {
			t, ok := r.time(0, "", m.name)
			switch {
			case !ok:
			case m.from && (from == nil || t.After(*from)):
				from = &t
			case !m.from && (until == nil || t.Before(*until)):
				until = &t
			}
		}
	})
	return from, until, err
}

// PartyOf returns who a document says it is of, as a URL, and the member that says so: the issuer of a credential, or the
// holder of a presentation. The URL is "" where it says nothing.
func PartyOf(doc []byte, limits canon.Limits) (member, url string, err error) {
	var t jsontape.Tape
	d, err := parseDocument(&t, doc, limits)
	if err != nil {
		return "", "", err
	}
	if v := d.partyNode(); v >= 0 {
		url = string(t.Text(v))
	}
	return d.party(), url, nil
}

// verifierNeeds are the members without which a verifier accepts no derived document, or accepts one that has ended or is
// revoked.
var verifierNeeds = []string{"issuer", "holder", "type", "validFrom", "validUntil", "issuanceDate", "expirationDate", "credentialStatus"}

// VerifierNeeds returns JSON pointers to the members of a document that every presentation of it should disclose: who
// issued it, its types, validity and status. A holder who may leave one out could show what has ended or is revoked.
func VerifierNeeds(doc []byte, limits canon.Limits) (pointers []string, err error) {
	var t jsontape.Tape
	if _, err := parseDocument(&t, doc, limits); err != nil {
		return nil, err
	}
	for _, name := range verifierNeeds {
		if t.Get(0, name) >= 0 {
			pointers = append(pointers, "/"+name)
		}
	}
	return pointers, nil
}
