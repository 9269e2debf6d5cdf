//phase:caller
package vcdm

import (
	"context"
	"errors"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// VerifyPresentation is [Verifier.VerifyAll] of a document that has to be a presentation. The verifier's
// purpose, domain and challenge are for the presentation; the credentials in it have to be made for
// [AssertionMethod].
func (v *Verifier) VerifyPresentation(ctx context.Context, doc []byte) *Result {
	r := v.VerifyAll(ctx, doc)
	if v == nil {
		return r
	}
	if presentation, err := rules.IsPresentation(doc, v.Limits); err == nil && !presentation {
		r.Add(problem.Verification("/type", "must include VerifiablePresentation"))
	}
	return r
}

// maxNesting bounds presentations in presentations, each of which is read again.
const maxNesting = 8

// Memory that the result of a credential takes, and each reason in it, which the presentation repeats.
const (
	perResult = 1024
	perError  = 3072
)

// checkCredentials checks the proofs of every credential in a presentation.
//
//phase:validate
func (v *Verifier) checkCredentials(ctx context.Context, w *work, depth int, r *Result) {
	t := w.doc.Tape
	if depth == maxNesting {
		r.Add(&canon.LimitError{Limit: "presentations in presentations", Max: maxNesting, Done: maxNesting +
			1})
		return
	}

	each := *v
	each.Purpose, each.Domain, each.Challenge = "", nil, ""
	i := -1
	for c := range w.doc.Credentials() {
		i++
		if len(r.Errors) > 0 && !v.AllReasons {
			return
		}
		one := new(Result)
		switch {
		case t.Nodes[c].Kind != jsontape.Object:
			one.Add(problem.New(problem.ParsingError, "", "a credential must be an object"))
		case value.Has(t, t.Get(c, "type"), "EnvelopedVerifiableCredential"):
			one.Add(problem.Verification("",
				"an enveloped credential is secured by other means than Data Integrity"))
		default:
			each.run(ctx, t.Raw(c), false, depth+1, w.budget, one)
			if one.fewer { // the presentation's proof is about more contexts than the issuer's
				one.Add(problem.Verification("/@context",
					"has more contexts than are signed; present the credential as it was issued"))
			}
		}

		if v.OwnOnly && !presenterIsSubject(t, c, r.Proofs()) {
			one.Add(problem.Verification("/credentialSubject/id", "is not who signed the presentation"))
		}
		r.Credentials = append(r.Credentials, one)
		size := perResult + perError*len(one.Errors)
		w.used += size
		if err := w.budget.Use(size); err != nil { // where all reasons are asked for
			r.Add(err)
			return
		}
		for _, err := range one.Errors {
			r.Errors = append(r.Errors, problem.Inside(err, "/verifiableCredential/"+strconv.Itoa(i)))
		}
		// The answer is open, whatever the others are.
		if limit := (*canon.LimitError)(nil); errors.As(errors.Join(one.Errors...), &limit) {
			return
		}
	}
}

// presenterIsSubject reports whether the controller of a proof of the presentation is the subject of a
// credential.
func presenterIsSubject(t *jsontape.Tape, credential int, proofs []ProofResult) bool {
	if t.Nodes[credential].Kind != jsontape.Object {
		return false
	}
	subject := t.Get(credential, "credentialSubject")
	for _, p := range proofs {
		if p.Verified && subject != jsontape.None && t.Nodes[subject].Kind == jsontape.Object &&
			value.TextIs(t, subject, "id", p.Method.Controller) {
			return true
		}
	}
	return false
}

// SuiteOf returns the cryptosuite that a secured document's holder would present it with: one that derives
// where it has such a proof, else that of its first proof. The cause of the error is [ErrNoProof] where
// there is none.
func SuiteOf(doc []byte, limits canon.Limits) (string, error) {
	d, err := read(new(jsontape.Tape), doc, limits)
	if err != nil {
		return "", err
	}
	all, err := d.proofs(nil, limits)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", &problem.Error{Type: problem.ParsingError, Where: "/proof", Err: ErrNoProof}
	}
	first := ""
	for i := range all {
		switch name, _ := all[i].text(all[i].suite); {
		case name == ecdsaSD2023.Name || name == bbs2023.Name:
			return name, nil
		case first == "":
			first = name
		}
	}
	if first == "" {
		return "", problem.New(problem.ParsingError, "/proof",
			"names no cryptosuite; other proofs than Data Integrity are not supported")
	}
	return first, nil
}
