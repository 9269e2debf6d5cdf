//phase:caller
package vcdm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/text"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// Verifier checks proofs. With Suites set and nothing else it is safe: it demands a proof by the issuer of
// a credential or the holder of a presentation, made for the purpose that such a document has
// (assertionMethod, of a presentation authentication), dates and a validity period that enclose the clock,
// and the form of the data model; the fields that begin with Any opt out. It checks every credential in a
// presentation as well. It is safe for concurrent use unless it has Counts.
//
//phase:validate fallback
type Verifier struct {
	Suites    []Suite
	Resolver  Resolver         // nil knows did:key alone
	Purpose   string           // expected proofPurpose; "" expects that of such a document
	Domain    []string         // expected domain, a set; nil expects none
	Challenge string           // expected challenge; "" expects none
	Now       func() time.Time // clock; nil is time.Now
	Skew      time.Duration    // how far created may lie ahead of the clock
	OwnOnly   bool             // the signer of a presentation must be the subject of every credential in it
	Contexts  []string         // known values of @context as JSON: see rules.CheckContexts; nil knows all
	Resources rules.Hashes     // digests to compare relatedResource with; nil compares none

	AllReasons bool // check further proofs and credentials after one that fails

	AnyPurpose bool // take any purpose that the controller allows its key
	AnyTime    bool // compare neither created nor expires of a proof with the clock
	AnyPeriod  bool // do not compare the validity period with the clock
	AnyIssuer  bool // take a proof by another than the issuer, or holder
	AnyForm    bool // do not apply the rules of the data model

	Limits canon.Limits // zero fields take their defaults
	Counts *Counts      // nil counts nothing
}

// Verify checks a document with exactly one proof, an object (VC Data Integrity 4.4). It is so short that
// the compiler puts it into its caller, on whose stack the result stays where the caller keeps it to
// itself.
func (v *Verifier) Verify(ctx context.Context, doc []byte) *Result {
	r := new(Result)
	v.run(ctx, doc, true, 0, nil, r)
	return r
}

// VerifyAll checks a document with any number of proofs, at least one, and demands that every proof is
// verified together with those it builds on, and all over the same document (VC Data Integrity 4.5).
func (v *Verifier) VerifyAll(ctx context.Context, doc []byte) *Result {
	r := new(Result)
	v.run(ctx, doc, false, 0, nil, r)
	return r
}

// run fills r; depth counts the presentations around the document, whose budget it shares.
func (v *Verifier) run(ctx context.Context, doc []byte, single bool, depth int, budget *canon.Budget,
	r *Result) {
	if v == nil {
		v = new(Verifier) // which has no suites and says so
	}

	w := begin(ctx, budget, v.Limits)
	defer w.end()

	if err := v.open(w, doc, single); err != nil {
		// The credentials in it have their own answers.
		if r.Errors = []error{err}; w.doc.Tape != nil && w.doc.IsPresentation() {
			v.checkCredentials(ctx, w, depth, r)
		}
		return
	}

	d, all := &w.doc, w.proofs
	r.secured, r.known = doc, v.Contexts
	r.from, r.to = d.Tape.Cut(0, d.proofKey)
	if r.proofs = len(all); r.proofs > 1 {
		r.several = make([]ProofResult, len(all))
	}

	presentation := d.IsPresentation()
	if presentation && d.IsCredential() { // its issuer would vouch for what its holder signed
		r.Errors = []error{problem.Verification("/type",
			"is that of a credential and of a presentation; a document is one of them")}
	}

	if !v.AnyPeriod {
		r.Errors = v.checkPeriod(d, r.Errors)
	}

	results := r.Proofs()
	failed := false
	for i := range all {
		p := &results[i]
		p.ID, _ = all[i].text(all[i].id)
		if failed && !v.AllReasons {
			p.Err = ErrNotChecked
			continue
		}
		p.Err = v.verifyProof(ctx, i, w, p, r)
		p.Verified = p.Err == nil
		if node := all[i].challenge; node != jsontape.None && v.Challenge == "" {
			r.uncompared = append(r.uncompared, d.Tape.Pointer(node))
		}
		if node := all[i].domain; node != jsontape.None && v.Domain == nil {
			r.uncompared = append(r.uncompared, d.Tape.Pointer(node))
		}
		p.Bound = p.Method != nil && d.signedFor(p.Method.Controller)
		failed = !p.Verified
	}

	if r.several != nil {
		checkChain(all, results)
	}

	for i := range results {
		if err := results[i].Err; err != nil && err != ErrNotChecked {
			r.Errors = append(r.Errors, below(err, d.Tape.Pointer(all[i].node)))
		}
	}

	if r.several != nil {
		r.Add(checkSet(d, all))
	}

	r.Add(v.checkParty(d, results))
	v.checkRest(d, depth, r)
	if presentation {
		v.checkCredentials(ctx, w, depth, r)
	}

	if r.Verified = len(r.Errors) == 0; r.Verified {
		r.MediaType = MediaType
		if presentation {
			r.MediaType = "application/vp"
		}
	}
}

// checkSet refuses a set of proofs that holds one twice, or whose proofs are about different documents: a
// proof of a JCS suite may be about the document with fewer contexts (VC-DI-EdDSA 3.3.2 step 4), but only
// one document is returned.
//
//phase:validate
func checkSet(d *document, all []proof) error {
	values := make(map[string]bool, len(all))
	var context int
	for i := range all {
		p := &all[i]
		at := d.Tape.Pointer(p.node)
		if text, ok := p.text(p.value); ok {
			if values[text] {
				return problem.Verification(at+"/proofValue", "another proof has the same value")
			}
			values[text] = true
		}
		of := d.Context
		if name, _ := p.text(p.suite); p.context != jsontape.None && MethodOf(name) == canon.JCS {
			of = p.context
		}
		if i == 0 {
			context = of
		} else if of != context &&
			(of == jsontape.None || context == jsontape.None || !d.Tape.Equal(of, d.Tape, context)) {
			return problem.Verification(at+"/@context",
				"the proofs are about documents with different contexts; verify each alone")
		}
	}
	return nil
}

// checkRest applies the rules of the data model and what the reader knows to the document. Those of a
// presentation cover the credentials in it.
//
//phase:validate
func (v *Verifier) checkRest(d *document, depth int, r *Result) {
	if depth == 0 && !v.AnyForm {
		r.Errors = append(r.Errors, d.Check()...)
	}
	if depth == 0 && v.Contexts != nil {
		r.Add(d.CheckContexts(v.Contexts))
	}
	if d.Tape.Get(0, "relatedResource") != jsontape.None && v.AnyForm && v.Resources == nil {
		r.uncompared = append(r.uncompared, "/relatedResource")
		return
	}
	for _, err := range d.CompareRelated(v.Resources) {
		if len(r.Errors) >= rules.MaxErrors {
			break
		}
		if e := new(problem.Error); errors.Is(err, rules.ErrUnrecorded) && errors.As(err, &e) {
			r.uncompared = append(r.uncompared, e.Where)
		} else {
			r.Errors = append(r.Errors, err)
		}
	}
}

// open reads the document and its proofs into w.
func (v *Verifier) open(w *work, doc []byte, single bool) (err error) {
	d := &w.doc
	if *d, err = w.parse(doc); err != nil {
		return err
	}
	if d.proofKey == jsontape.None {
		return &problem.Error{Type: problem.ParsingError, Where: "/proof", Err: ErrNoProof}
	}
	if w.proofs, err = d.proofs(w.proofs[:0], w.limits); err != nil {
		return err
	}
	list := d.Tape.Nodes[d.proofKey+1].Kind == jsontape.Array
	if len(w.proofs) > 1 {
		w.proofs = distinct(w.proofs)
	}
	switch {
	case len(w.proofs) == 0:
		return problem.New(problem.ParsingError, "/proof", "is an empty list")
	case single && list:
		return problem.New(problem.ParsingError, "/proof", "is a list, not one object")
	}
	return nil
}

// distinct removes repeated proofs: proofs are a set (VC Data Integrity 2.1.1), so a repeated proof counts
// once.
func distinct(all []proof) []proof {
	first := make(map[string]int, len(all)) // by proofValue
	kept := all[:0]
	for _, p := range all {
		proofValue, _ := p.text(p.value)
		i, twice := first[proofValue]
		if twice && p.tape.Equal(kept[i].node, p.tape, p.node) {
			continue
		}
		if !twice {
			first[proofValue] = len(kept)
		}
		kept = append(kept, p)
	}
	return kept
}

// verifyProof checks one proof by steps 4 to 8 of VC Data Integrity 4.4. Places in its errors are relative
// to the proof. It fills result except for the verdict, and sets the document in all if it has to change
// it.
func (v *Verifier) verifyProof(ctx context.Context, i int, w *work, result *ProofResult, all *Result) error {
	if i > 0 {
		if err := w.budget.Alive(ctx); err != nil {
			return err
		}
	}

	p := &w.proofs[i]
	purpose := v.purpose(&w.doc, p)
	suite, err := v.checkProof(p, purpose)
	if err != nil {
		result.Suite, _ = p.text(p.suite)
		return err
	}

	result.Suite = suite.Name()
	in := newInput(&w.doc, p, w, v.Counts)
	if ids, _ := p.texts(p.previous); len(ids) > 0 {
		var id, msg string
		if in.matching, id, msg = previous(w.proofs, ids); msg != "" {
			return problem.Verification("/previousProof", id+": "+msg)
		}
	}

	method, _ := p.text(p.method)
	resolver := v.Resolver
	if resolver == nil {
		resolver = DIDKey{}
	}

	m, err := resolver.Resolve(ctx, method, purpose)
	if err != nil {
		return err
	}

	if m == nil || m.Key.Algorithm() == "" {
		return problem.New(problem.InvalidMethod, "/verificationMethod",
			"the resolver found neither a key nor an error for "+method)
	}

	result.Method = m
	if err := suite.verify(ctx, in, m.Key); err != nil || in.context == jsontape.None {
		return err
	}

	in.matching, all.fewer = nil, in.fewer
	if all.replaced != nil && bytes.Equal(all.context, in.contextText()) { // as of the proof before
		return nil
	}

	all.context = in.contextText()
	all.replaced, err = in.unsecured()
	return err
}

// purpose returns the purpose that a proof has to have.
func (v *Verifier) purpose(d *document, p *proof) string {
	switch {
	case v.Purpose != "":
		return v.Purpose
	case v.AnyPurpose:
		own, _ := p.text(p.purpose)
		return own
	case d.IsPresentation():
		return Authentication
	}
	return AssertionMethod
}

// checkProof finds the suite and applies the verifier's expectations.
//
//phase:validate
func (v *Verifier) checkProof(p *proof, purpose string) (Suite, error) {
	if !p.is(p.typ, proofType) {
		return nil, problem.Verification("/type", "must be "+proofType+
			"; proofs of other types are not supported")
	}

	if p.bytes(p.suite) == nil {
		return nil, problem.Verification("/cryptosuite", "must be a string")
	}

	i := slices.IndexFunc(v.Suites, func(s Suite) bool { return s != nil && p.is(p.suite, s.Name()) })
	if len(v.Suites) == 0 {
		return nil, problem.Verification("/cryptosuite", "the verifier has no suites: set Verifier.Suites")
	}

	if i < 0 {
		return nil, problem.Verification("/cryptosuite",
			fmt.Sprintf("%q is not among the suites this verifier uses: %s", p.bytes(p.suite), v.names()))
	}

	if msg := lacks(v.Suites[i]); msg != "" {
		return nil, problem.Verification("/cryptosuite", "the verifier's suite cannot be used: "+msg)
	}
	if member, msg := p.check(v.Suites[i].Name(), true); msg != "" {
		return nil, problem.Verification("/"+member, msg)
	}
	if !p.is(p.purpose, purpose) {
		return nil, problem.Verification("/proofPurpose", "expected "+purpose)
	}

	if v.Domain != nil {
		if domain, _ := p.texts(p.domain); !sameSet(domain, v.Domain) {
			return nil, problem.New(problem.InvalidDomain, "/domain", fmt.Sprintf("is %q, expected %q",
				domain, v.Domain))
		}
	}

	if v.Challenge != "" && !p.is(p.challenge, v.Challenge) {
		return nil, problem.New(problem.InvalidChallenge, "/challenge", "is not the expected one")
	}

	if !v.AnyTime && (p.created != jsontape.None || p.expires != jsontape.None) {
		now := v.now()
		if p.created != jsontape.None && p.time(p.created).After(now.Add(v.Skew)) {
			return nil, untimely("/created", "lies in the future", now)
		}
		if p.expires != jsontape.None && now.After(p.time(p.expires)) {
			return nil, untimely("/expires", "the proof has expired", now)
		}
	}

	return v.Suites[i], nil
}

// names lists the suites.
func (v *Verifier) names() string {
	all := make([]string, len(v.Suites))
	for i, s := range v.Suites {
		if all[i] = "nil"; s != nil {
			all[i] = s.Name()
		}
	}
	return strings.Join(all, ", ")
}

// untimely makes an error about a date.
func untimely(where, msg string, now time.Time) *problem.Error {
	return &problem.Error{Type: problem.ProofVerificationError, Where: where, Msg: msg, Err: &ClockError{now}}
}

func (v *Verifier) now() time.Time {
	if v.Now != nil {
		return v.Now()
	}
	return time.Now()
}

// checkPeriod compares the validity period of a credential with the clock (Verifiable Credentials Data
// Model 2.0 section 4.9; 1.1 sections 4.5 and 4.6). A date without offset is UTC (2.0 section 5.8). It
// appends what speaks against it to errs.
//
//phase:validate
func (v *Verifier) checkPeriod(d *document, errs []error) []error {
	var now time.Time
	for _, m := range rules.Period {
		node := d.Tape.Get(0, m.Name)
		if node == jsontape.None {
			continue
		}
		if now.IsZero() {
			now = v.now()
		}
		var t time.Time
		err := text.ErrTime
		if d.Tape.Nodes[node].Kind == jsontape.String {
			t, err = text.ParseTime(d.Tape.Text(node), true)
		}
		switch {
		case err != nil && v.AnyForm: // else the rules of the data model say so
			errs = append(errs, problem.Verification("/"+m.Name, text.NotTime))
		case err != nil:
		case m.From && now.Before(t):
			errs = append(errs, untimely("/"+m.Name, fmt.Sprintf("the credential is not valid before %s",
				d.Tape.Text(node)), now))
		case !m.From && now.After(t):
			errs = append(errs, untimely("/"+m.Name, fmt.Sprintf("the credential is not valid after %s",
				d.Tape.Text(node)), now))
		}
	}

	return errs
}

// signedFor reports whether a controller is the issuer of a credential or the holder of a presentation.
func (d *document) signedFor(controller string) bool {
	of := d.PartyNode()
	return of != jsontape.None && d.Tape.TextIs(of, controller)
}

// checkParty requires a proof by the issuer or holder that the document names. Proofs that are not verified
// have separate errors, and a presentation need not name its holder (Verifiable Credentials Data Model 2.0
// section 4.13).
//
//phase:validate
func (v *Verifier) checkParty(d *document, results []ProofResult) error {
	if v.AnyIssuer || d.IsPresentation() && d.Tape.Get(0, "holder") == jsontape.None {
		return nil
	}
	verified := false
	for i := range results {
		if results[i].Bound {
			return nil
		}
		verified = verified || results[i].Verified
	}
	if !verified {
		return nil
	}
	if of := d.PartyNode(); of != jsontape.None {
		return &problem.Error{Type: problem.ProofVerificationError, Where: "/proof",
			Msg: "none is by the " + d.Party() + ", " + string(d.Tape.Text(of)), Err: ErrOtherIssuer}
	}
	return problem.Verification("/"+d.Party(), "is not named, so that no proof can be its own")
}

// sameSet reports whether each of two lists holds what the other does.
func sameSet(a, b []string) bool {
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
	}
	return within(a, b) && within(b, a)
}

// checkChain takes back that a proof is verified if one that it builds on, also through others, is not, or
// is the proof itself. The specification has no rule for cycles; a proof that leads into one never verifies
// here.
//
//phase:validate
func checkChain(all []proof, results []ProofResult) {
	byID := make(map[string]int, len(all))
	for i := range all {
		if id, ok := all[i].text(all[i].id); ok {
			byID[id] = i
		}
	}

	done := make([]bool, len(all)) // the proof is decided
	open := make([]bool, len(all)) // the proof builds on the one that is being decided
	var decide func(i int)
	decide = func(i int) {
		if done[i] {
			return
		}
		open[i] = true
		ids, _ := all[i].texts(all[i].previous)
		for _, id := range ids {
			j, ok := byID[id]
			if !ok {
				continue // previous has said so
			}
			msg := "the proof builds on itself"
			if !open[j] {
				msg = id + " is not verified"
				decide(j)
			}
			if r := &results[i]; r.Verified && (open[j] || !results[j].Verified) {
				r.Verified, r.Err = false, problem.Verification("/previousProof", msg)
			}
		}
		open[i], done[i] = false, true
	}

	for i := range all {
		decide(i)
	}
}

// below puts the place of a proof before the place inside it.
func below(err error, at string) error {
	if e, ok := err.(*problem.Error); ok && e.Type != problem.DataLossDetection &&
		e.Type != problem.ParsingError && e.Where != "/@context" {
		c := *e
		c.Where = at + e.Where
		return &c
	}
	return err
}
