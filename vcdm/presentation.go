//phase:caller
package vcdm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// BaseContext is the URL of the context that every document of the data model starts with (Verifiable Credentials Data
// Model 2.0 section 4.3).
const BaseContext = "https://www.w3.org/ns/credentials/v2"

// baseContext1 is that of version 1.1.
const baseContext1 = "https://www.w3.org/2018/credentials/v1"

// NewPresentation returns an unsigned presentation of secured credentials, as they are. Each has to be a JSON object of the
// type VerifiableCredential or EnvelopedVerifiableCredential; its proofs are not looked at. The holder is a URL; "" leaves
// it out.
func NewPresentation(holder string, credentials ...[]byte) ([]byte, error) {
	size := 160 + len(holder)
	for _, c := range credentials {
		size += len(c) + 1
	}
	p := append(make([]byte, 0, size), `{"@context":["`+BaseContext+`"],"type":["VerifiablePresentation"]`...)
	if holder != "" {
		if !isURL(holder) || !utf8.ValidString(holder) {
			return nil, &Error{Type: MalformedValue, Where: "/holder", Msg: "must be a URL"}
		}
		p = jsontape.AppendQuoted(append(p, `,"holder":`...), holder)
	}

	p = append(p, `,"verifiableCredential":[`...)
	w := works.Get().(*work)
	defer works.Put(w)
	t := &w.tape
	for i, c := range credentials {
		if _, err := parseDocument(t, c, canon.Limits{}); err != nil {
			return nil, inside(err, "/verifiableCredential/"+strconv.Itoa(i))
		}
		if types := t.Get(0, "type"); !hasText(t, types, "VerifiableCredential") && !hasText(t, types, "EnvelopedVerifiableCredential") {
			return nil, inside(&Error{Type: MalformedValue, Where: "/type", Msg: "must include VerifiableCredential or EnvelopedVerifiableCredential"},
				"/verifiableCredential/"+strconv.Itoa(i))
		}
		if i > 0 {
			p = append(p, ',')
		}
		p = append(p, t.Raw(0)...)
	}
	return append(p, "]}"...), nil
}

// VerifyPresentation is [Verifier.VerifyAll] of a document that has to be a presentation. The verifier's purpose, domain
// and challenge are for the presentation; the credentials in it have to be made for [AssertionMethod].
func (v *Verifier) VerifyPresentation(ctx context.Context, doc []byte) *Result {
	r := v.VerifyAll(ctx, doc)
	if v == nil {
		return r
	}
	if presentation, err := IsPresentation(doc, v.Limits); err == nil && !presentation {
		r.Add(verification("/type", "must include VerifiablePresentation"))
	}
	return r
}

// maxNesting bounds presentations in presentations, each of which is read again.
const maxNesting = 8

// Memory that the result of a credential takes, and each reason in it, which is said of the presentation, too.
const (
	perResult = 1024
	perError  = 3072
)

// checkCredentials checks the proofs of every credential in a presentation.
//
//phase:validate
func (v *Verifier) checkCredentials(ctx context.Context, w *work, depth int, r *Result) {
	t := w.doc.tape
	if depth == maxNesting {
		r.Add(&canon.LimitError{Limit: "presentations in presentations", Max: maxNesting, Done: maxNesting + 1})
		return
	}
	each := *v
	each.Purpose, each.Domain, each.Challenge = "", nil, ""
	for i, c := range credentials(t) {
		if len(r.Errors) > 0 && !v.AllReasons {
			return
		}
		one := new(Result)
		switch {
		case t.Nodes[c].Kind != jsontape.Object:
			one.Add(&Error{Type: ParsingError, Msg: "a credential must be an object"})
		case hasText(t, t.Get(c, "type"), "EnvelopedVerifiableCredential"):
			one.Add(verification("", "an enveloped credential is secured by other means than Data Integrity"))
		default:
			each.run(ctx, t.Raw(c), false, depth+1, w.budget, one)
			if one.fewer { // the presentation's proof is about more contexts than the issuer's
				one.Add(verification("/@context", "has more contexts than are signed; present the credential as it was issued"))
			}
		}
		if v.OwnOnly && !presenterIsSubject(t, c, r.Proofs()) {
			one.Add(verification("/credentialSubject/id", "is not who signed the presentation"))
		}
		r.Credentials = append(r.Credentials, one)
		size := perResult + perError*len(one.Errors)
		w.used += size
		if err := w.budget.Use(size); err != nil { // where all reasons are asked for
			r.Add(err)
			return
		}
		for _, err := range one.Errors {
			r.Errors = append(r.Errors, inside(err, "/verifiableCredential/"+strconv.Itoa(i)))
		}
		if limit := (*canon.LimitError)(nil); errors.As(errors.Join(one.Errors...), &limit) { // the answer is open, whatever the others are
			return
		}
	}
}

// presenterIsSubject says whether the controller of a proof of the presentation is the subject of a credential.
func presenterIsSubject(t *jsontape.Tape, credential int, proofs []ProofResult) bool {
	if t.Nodes[credential].Kind != jsontape.Object {
		return false
	}
	subject := t.Get(credential, "credentialSubject")
	for _, p := range proofs {
		if p.Verified && subject >= 0 && t.Nodes[subject].Kind == jsontape.Object && textAt(t, subject, "id", p.Method.Controller) {
			return true
		}
	}
	return false
}

// IsPresentation says whether a document has the type VerifiablePresentation.
func IsPresentation(doc []byte, limits canon.Limits) (bool, error) {
	var t jsontape.Tape
	d, err := parseDocument(&t, doc, limits)
	if err != nil {
		return false, err
	}
	return d.isPresentation(), nil
}

// SuiteOf returns the cryptosuite that a secured document's holder would present it with: ecdsa-sd-2023 where it has such
// a proof, else that of its first proof. The cause of the error is [ErrNoProof] where there is none.
func SuiteOf(doc []byte, limits canon.Limits) (string, error) {
	var t jsontape.Tape
	d, err := parseDocument(&t, doc, limits)
	if err != nil {
		return "", err
	}
	all, err := d.proofs(nil, limits)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", &Error{Type: ParsingError, Where: "/proof", Err: ErrNoProof}
	}
	first := ""
	for i := range all {
		switch name, _ := all[i].text(all[i].suite); {
		case name == "ecdsa-sd-2023":
			return name, nil
		case first == "":
			first = name
		}
	}
	if first == "" {
		return "", &Error{Type: ParsingError, Where: "/proof", Msg: "names no cryptosuite; other proofs than Data Integrity are not supported"}
	}
	return first, nil
}

// credentials returns the nodes of a presentation's credentials.
func credentials(t *jsontape.Tape) []int {
	if list := t.Get(0, "verifiableCredential"); list >= 0 {
		return slices.Collect(valuesOf(t, list))
	}
	return nil
}

// hasText says whether a value is the text or a list that holds it.
func hasText(t *jsontape.Tape, value int, text string) bool {
	if value < 0 {
		return false
	}
	switch t.Nodes[value].Kind {
	case jsontape.String:
		return t.TextIs(value, text)
	case jsontape.Array:
		for e := range t.Elements(value) {
			if t.Nodes[e].Kind == jsontape.String && t.TextIs(e, text) {
				return true
			}
		}
	}
	return false
}

// inside puts the place of a document before the place in it.
func inside(err error, at string) error {
	var e *Error
	if errors.As(err, &e) {
		c := *e
		c.Where = at + e.Where
		return &c
	}
	return err
}
