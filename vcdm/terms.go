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

const security = rules.Security

// terms are the proof options that verification reads (VC Data Integrity, the context data-integrity/v2),
// in the order of their nodes in checkTerms.
var terms = [...]struct {
	name, iri string
	is        form
	optional  bool // a statement that the JSON lacks is skipped
}{
	{"type", security + proofType, anIRI, false},
	{"cryptosuite", security + "cryptosuite", aLiteral, false},
	{"proofPurpose", security + "proofPurpose", aPurpose, false},
	{"verificationMethod", security + "verificationMethod", anIRI, false},
	{"created", "http://purl.org/dc/terms/created", aLiteral, false},
	{"expires", security + "expiration", aLiteral, false},
	{"challenge", security + "challenge", aLiteral, true},
	{"domain", security + "domain", aLiteral | several, true},
	{"previousProof", security + "previousProof", anIRI | several, false},
}

// form is what the values of a term are in a statement.
type form uint8

const (
	aLiteral form = iota
	anIRI
	aPurpose
	several form = 1 << 7 // of them
)

// termOf returns the place of a predicate in terms, or -1; that of a type is rdf:type.
func termOf(predicate []byte) int {
	if len(predicate) < 2 {
		return -1
	}
	name := predicate[1 : len(predicate)-1]
	if string(name) == rules.RDFType {
		return 0
	}
	for i := range terms[1:] {
		if terms[i+1].iri == string(name) {
			return i + 1
		}
	}
	return -1
}

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

// checkTerms sees that the canonical proof options, which the signature covers, say what the proof's JSON
// does, which verification reads. Contexts that do not define the terms of a proof leave them out of the
// signature (VC Data Integrity 2.4.2): then it returns the IRI of a term that is missing. Contexts that
// define them otherwise keep the statements and with them the signature, but would let whoever passes the
// document on choose purpose, dates, domain and challenge anew.
//
// A @context of the proof takes no part in this, since the document's is used in its place (VC-DI-EdDSA
// 3.2.5 step 4): it has to be the same.
//
//phase:validate
func (p *proof) checkTerms(d *document, config []byte) (missing string, err error) {
	if p.context != jsontape.None &&
		(d.Context == jsontape.None || !p.tape.Equal(p.context, d.Tape, d.Context)) {
		return "", problem.New(problem.DataLossDetection, p.tape.Pointer(p.context),
			"a proof of this suite is read with the document's @context, and this is another; leave it out")
	}

	nodes := [...]int{p.typ, p.suite, p.purpose, p.method, p.created, p.expires, p.challenge, p.domain,
		p.previous}
	var counts [len(nodes)]int
	for len(config) > 0 {
		var line []byte
		line, config, _ = bytes.Cut(config, []byte{'\n'})
		_, line = lines.Cut(line) // behind the subject
		predicate, object := lines.Cut(line)
		i := termOf(predicate)
		switch {
		case i < 0, terms[i].name == "type" && !bytes.HasPrefix(object, []byte("<"+security+proofType+"> ")):
			continue
		case nodes[i] == jsontape.None && terms[i].optional: // the JSON has none, and answers no verifier
			continue
		case terms[i].name != "type" && !p.says(object, nodes[i], terms[i].is):
			return "", redefined(terms[i].name)
		}
		counts[i]++
	}

	for i, t := range terms {
		switch {
		case t.is&several != 0:
			if counts[i] != p.different(nodes[i]) {
				return "", redefined(t.name)
			}
		case nodes[i] != jsontape.None && counts[i] == 0:
			return t.iri, nil
		case counts[i] > 1:
			return "", redefined(t.name)
		}
	}

	return "", nil
}

// says reports whether the object of a statement is what a member says.
func (p *proof) says(object []byte, node int, is form) bool {
	if is&several != 0 {
		return p.oneOf(node, func(e int) bool { return p.says(object, e, is&^several) })
	}
	switch is {
	case anIRI:
		return iri(object, p.bytes(node))
	case aPurpose:
		return samePurpose(object, p.bytes(node))
	}
	return p.literal(object, node)
}

func redefined(name string) error {
	return &problem.Error{Type: problem.DataLossDetection, Where: "/@context",
		Msg: "the contexts define the terms of a proof in another way: what is signed as " + name +
			" is not what the proof says"}
}

// literal reports whether an object is a literal of a string member's text, of any datatype.
func (p *proof) literal(object []byte, node int) bool {
	if node == jsontape.None || p.tape.Nodes[node].Kind != jsontape.String {
		return false
	}
	var buf [128]byte
	want := rdf.AppendString(buf[:0], p.tape.Text(node))
	return bytes.HasPrefix(object, want) && len(object) > len(want) &&
		(object[len(want)] == ' ' || object[len(want)] == '^')
}

// iri reports whether an object is an IRI.
func iri(object, want []byte) bool {
	n := len(want)
	return want != nil && len(object) > n+1 && object[0] == '<' && string(object[1:n+1]) == string(want) &&
		object[n+1] == '>'
}

// samePurpose reports whether an object is the IRI of a purpose: one that is known, the text itself, or one
// that a context gives a purpose.
func samePurpose(object, purpose []byte) bool {
	if iri(object, purpose) {
		return true
	}
	// This is the most common one.
	if string(purpose) == AssertionMethod && iri(object, []byte(security+"assertionMethod")) {
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
	if node != jsontape.None {
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
	if node == jsontape.None {
		return 0
	}
	list, _ := p.texts(node)
	seen := map[string]bool{}
	for _, text := range list {
		seen[text] = true
	}
	return len(seen)
}
