package vcdm

import (
	"bytes"
	"fmt"

	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Predicates of the proof options that verification reads (VC Data Integrity, the context data-integrity/v2).
const (
	rdfType        = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	dcCreated      = "http://purl.org/dc/terms/created"
	security       = "https://w3id.org/security#"
	secProof       = security + proofType
	secSuite       = security + "cryptosuite"
	secMethod      = security + "verificationMethod"
	secPurpose     = security + "proofPurpose"
	secExpires     = security + "expiration"
	secDomain      = security + "domain"
	secChallenge   = security + "challenge"
	missingContext = "the contexts do not define the terms of a proof: <%s> is missing; add https://w3id.org/security/data-integrity/v2"
)

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
// 2.4.2). Contexts that define them otherwise keep the statements and with them the signature, but would let whoever
// passes the document on choose purpose, dates, domain and challenge anew.
func checkTerms(config []byte, p *proof) error {
	var counts struct{ typ, suite, method, purpose, created, expires, domain, challenge int }
	for len(config) > 0 {
		line := config
		if n := bytes.IndexByte(config, '\n'); n >= 0 {
			line, config = config[:n], config[n+1:]
		} else {
			config = nil
		}
		predicate, object := predicateAndObject(line)
		var name string
		same := true
		switch string(predicate) {
		case rdfType:
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
		case secDomain:
			if p.domain >= 0 {
				name, same = "domain", p.domainOf(object)
				counts.domain++
			}
		}
		if !same {
			return redefined(name)
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
			return &Error{Type: DataLossDetection, Where: "/@context", Msg: fmt.Sprintf(missingContext, c.iri)}
		}
		if c.count > 1 {
			return redefined(c.name)
		}
	}
	if p.domain >= 0 && counts.domain != p.domains() {
		return redefined("domain")
	}
	return nil
}

func redefined(name string) error {
	return &Error{Type: DataLossDetection, Where: "/@context",
		Msg: "the contexts define the terms of a proof in another way: what is signed as " + name + " is not what the proof says"}
}

// predicateAndObject returns the IRI of a canonical N-Quads line's predicate and what follows it.
func predicateAndObject(line []byte) (predicate, object []byte) {
	i := bytes.IndexByte(line, ' ')
	if i < 0 {
		return nil, nil
	}
	line = line[i+1:]
	if i = bytes.IndexByte(line, ' '); i < 2 {
		return nil, nil
	}
	return line[1 : i-1], line[i+1:]
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

// domainOf says whether an object is a literal of one of the proof's domains.
func (p *proof) domainOf(object []byte) bool {
	if p.domain < 0 || p.tape.Nodes[p.domain].Kind != jsontape.Array {
		return p.literal(object, p.domain)
	}
	for e := range p.tape.Elements(p.domain) {
		if p.literal(object, e) {
			return true
		}
	}
	return false
}

// domains returns how many different domains the proof has.
func (p *proof) domains() int {
	list, _ := p.texts(p.domain)
	seen := map[string]bool{}
	for _, d := range list {
		seen[d] = true
	}
	return len(seen)
}
