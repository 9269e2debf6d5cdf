//phase:caller
package vcdm

import (
	"bytes"

	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// Predicates of the proof options that verification reads (VC Data Integrity, the context data-integrity/v2).
const (
	dcCreated    = "http://purl.org/dc/terms/created"
	security     = rules.Security
	secProof     = security + proofType
	secSuite     = security + "cryptosuite"
	secMethod    = security + "verificationMethod"
	secPurpose   = security + "proofPurpose"
	secExpires   = security + "expiration"
	secDomain    = security + "domain"
	secChallenge = security + "challenge"
	secPrevious  = security + "previousProof"
)

// ProofContext is the context that defines the terms of a proof.
const ProofContext = "https://w3id.org/security/data-integrity/v2"

const noTerms = "the contexts do not define the terms of a proof"

// purposes are the IRIs of the proof purposes that contexts define (VC Data Integrity 2.2.1).
var purposes = map[string]string{
	AssertionMethod:        security + "assertionMethod",
	Authentication:         security + "authenticationMethod",
	"capabilityInvocation": security + "capabilityInvocationMethod",
	"capabilityDelegation": security + "capabilityDelegationMethod",
	"keyAgreement":         security + "keyAgreementMethod",
}

// checkTerms sees that the canonical proof options, which the signature covers, say what the proof's JSON does, which
// verification reads. Contexts that do not define the terms of a proof leave them out of the signature (VC Data Integrity
// 2.4.2): then it returns the IRI of a term that is missing. Contexts that define them otherwise keep the statements and with them the signature, but would let whoever
// passes the document on choose purpose, dates, domain and challenge anew.
//
// A @context of the proof takes no part in this, since the document's stands in its place (VC-DI-EdDSA 3.2.5 step 4): it
// has to be the same.
//
//phase:validate
func (p *proof) checkTerms(d *document, config []byte) (missing string, err error) {
	if p.context >= 0 && (d.Context < 0 || !value.Equal(p.tape, p.context, d.Tape, d.Context)) {
		return "", problem.New(problem.DataLossDetection, p.tape.Pointer(p.context), "a proof of this suite is read with the document's @context, and this is another; leave it out")
	}
	var counts struct{ typ, suite, method, purpose, created, expires, domain, challenge, previous int }
	for len(config) > 0 {
		var line []byte
		line, config, _ = bytes.Cut(config, []byte{'\n'})
		_, line = lines.Cut(line) // behind the subject
		predicate, object := lines.Cut(line)
		var name string
		same := true
		switch string(bytes.Trim(predicate, "<>")) {
		case rules.RDFType:
			if bytes.HasPrefix(object, []byte("<"+secProof+"> ")) {
				counts.typ++
			}
		case secSuite:
			name, same = "cryptosuite", p.literal(object, p.suite)
			counts.suite++
		case secMethod:
			name, same = "verificationMethod", iri(object, p.bytes(p.method))
			counts.method++
		case secPurpose:
			name, same = "proofPurpose", samePurpose(object, p.bytes(p.purpose))
			counts.purpose++
		case dcCreated:
			name, same = "created", p.literal(object, p.created)
			counts.created++
		case secExpires:
			name, same = "expires", p.literal(object, p.expires)
			counts.expires++
		case secChallenge:
			if p.challenge >= 0 { // one that the JSON does not have answers no verifier
				name, same = "challenge", p.literal(object, p.challenge)
				counts.challenge++
			}
		case secPrevious:
			name, same = "previousProof", p.oneOf(p.previous, func(e int) bool { return iri(object, p.bytes(e)) })
			counts.previous++
		case secDomain:
			if p.domain >= 0 {
				name, same = "domain", p.oneOf(p.domain, func(e int) bool { return p.literal(object, e) })
				counts.domain++
			}
		}
		if !same {
			return "", redefined(name)
		}
	}
	for _, c := range []struct {
		name, iri string
		node      int
		count     int
	}{{"type", secProof, p.typ, counts.typ}, {"cryptosuite", secSuite, p.suite, counts.suite}, {"proofPurpose", secPurpose, p.purpose, counts.purpose},
		{"verificationMethod", secMethod, p.method, counts.method}, {"created", dcCreated, p.created, counts.created},
		{"expires", secExpires, p.expires, counts.expires}, {"challenge", secChallenge, p.challenge, counts.challenge}} {
		if c.node >= 0 && c.count == 0 {
			return c.iri, nil
		}
		if c.count > 1 {
			return "", redefined(c.name)
		}
	}
	if p.domain >= 0 && counts.domain != p.different(p.domain) {
		return "", redefined("domain")
	}
	if counts.previous != p.different(p.previous) {
		return "", redefined("previousProof")
	}
	return "", nil
}

func redefined(name string) error {
	return &problem.Error{Type: problem.DataLossDetection, Where: "/@context",
		Msg: "the contexts define the terms of a proof in another way: what is signed as " + name + " is not what the proof says"}
}

// literal says whether an object is a literal of a string member's text, of any datatype.
func (p *proof) literal(object []byte, node int) bool {
	if node < 0 || p.tape.Nodes[node].Kind != jsontape.String {
		return false
	}
	var buf [128]byte
	want := rdf.AppendString(buf[:0], p.tape.Text(node))
	return bytes.HasPrefix(object, want) && len(object) > len(want) && (object[len(want)] == ' ' || object[len(want)] == '^')
}

// iri says whether an object is an IRI.
func iri(object, want []byte) bool {
	n := len(want)
	return want != nil && len(object) > n+1 && object[0] == '<' && string(object[1:n+1]) == string(want) && object[n+1] == '>'
}

// samePurpose says whether an object is the IRI of a purpose: one that is known, the text itself, or one that a context
// gives a purpose of its own.
func samePurpose(object, purpose []byte) bool {
	if iri(object, purpose) {
		return true
	}
	if string(purpose) == AssertionMethod && iri(object, []byte(security+"assertionMethod")) { // the most common one
		return true
	}
	if known, ok := purposes[string(purpose)]; ok {
		return iri(object, []byte(known))
	}
	for _, known := range purposes {
		if iri(object, []byte(known)) {
			return false
		}
	}
	return len(object) > 0 && object[0] == '<'
}

// oneOf reports whether a member is a value, or a list with one, that is as wanted.
func (p *proof) oneOf(node int, is func(e int) bool) bool {
	if node >= 0 {
		for e := range value.Each(p.tape, node) {
			if is(e) {
				return true
			}
		}
	}
	return false
}

// different returns how many different texts a member has.
func (p *proof) different(node int) int {
	if node < 0 {
		return 0
	}
	list, _ := p.texts(node)
	seen := map[string]bool{}
	for _, text := range list {
		seen[text] = true
	}
	return len(seen)
}
